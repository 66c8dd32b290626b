#!/usr/bin/python3
"""Cards of netlists as they are written: rare spellings with their values by hand, and mistakes with their messages,
each beside its good neighbour: cards.py COTREE. Ends with `N passed, N failed`.
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HEAT = 1.380649e-23 / 1.602176634e-19 * 300.15 # k T / q
SOURCE = "V1 a 0 2\n"
# lines, {output: value at rest}
VALUES = [
    ("R1 a b 1k\nR2 b 0 1k\n", {"v(b)": 1}),
    # parameters: commas, no braces, brackets, functions
    (".param x=1, y=2\nR1 a b {x}\nR2 b 0 {y}\n", {"v(b)": 4 / 3}),
    (".param x=max(1,(3))*2 y=3\nR1 a b {x}\nR2 b 0 {y}\n", {"v(b)": 2 / 3}),
    (".param f(u,v)={u*v+1}\nR1 a b {f(1,2)}\nR2 b 0 1\n", {"v(b)": 0.5}),
    (".csparam x=3\nR1 a b {x}\nR2 b 0 1\n", {"v(b)": 0.5}),
    (".params x=3 x=1\nR1 a b {x}\nR2 b 0 1\n", {"v(b)": 1}),
    (".func f(u) {u+1}\nR1 a b {f(2)}\nR2 b 0 1\n", {"v(b)": 0.5}),
    ("R1 a b '1+2'\nR2 b 0 1 $ a remark\n", {"v(b)": 0.5}),
    ("R1 a b {{1}+2}\nR2 b 0 1 ; another\n", {"v(b)": 0.5}), ("R1 a b\n+ {'1'+2}\n   + \nR2 b 0 1\n", {"v(b)": 0.5}),
    ("R1 a b 3Ohm\nR2 b 0 1e0ohm\n", {"v(b)": 0.5}), ("R1 a b 3 noisy=0\nR2 b 0 r=1\n", {"v(b)": 0.5}),
    ("R1 a b {1<2 && 3>2 && 1 ? 3 : 5}\nR2 b 0 {0 || 0 | 1 ? 1 : 2}\n", {"v(b)": 0.5}),
    ("R1 a b {!0 + 2}\nR2 b 0 {!!5}\n", {"v(b)": 0.5}), ("R1 a b {2**3 - 5}\nR2 b 0 {if(1, 1, 2)}\n", {"v(b)": 0.5}),
    ("R1 a b {temper - 24}\nR2 b 0 1\n", {"v(b)": 0.5}), ("B1 b 0 V={temper}\n", {"v(b)": 27}),
    (".temp 50\nB1 b 0 V={temper}\n", {"v(b)": 50}), (".options temp=40, reltol=1e-4 vntol=1u\nB1 b 0 V={temper}\n", {"v(b)": 40}),
    # sums of variables
    ("E1 b 0 POLY(1) a 0 3\n", {"v(b)": 6}), ("E1 b 0 POLY(1) a 0 1 3\n", {"v(b)": 7}), ("E1 b 0 POLY(1) (a,0) 0 0 1\n", {"v(b)": 4}),
    ("V2 c 0 5\nE1 b 0 POLY(2) a 0 c 0 1 2 3\n", {"v(b)": 20}), ("V2 c 0 5\nE1 b 0 POLY(2) (a,0) (c,0) 0 0 0 0 1\n", {"v(b)": 10}),
    ("E1 b 0 POLY(1) a 0 0 0\n", {"v(b)": 0}), ("E1 b 0 a 0 2\n", {"v(b)": 4}), ("E1 b 0 (a,0) 2\n", {"v(b)": 4}),
    ("E1 b 0 VALUE={2*v(a)}\n", {"v(b)": 4}), ("E1 b 0 vol='2*v(a)'\n", {"v(b)": 4}), ("G1 0 b CUR={2*v(a)}\nR1 b 0 1\n", {"v(b)": 4}),
    ("E1 b 0 TABLE {v(a)} = (0,0) (1,1) (4,10)\n", {"v(b)": 4}), ("E1 b 0 TABLE {v(a)} (0 0) (1 1) (4 10)\n", {"v(b)": 4}),
    ("G1 0 b a 0 2 m=3\nR1 b 0 1\n", {"v(b)": 12}), ("R1 a 0 1\nF1 0 b V1 -2\nR2 b 0 1\n", {"v(b)": 4}),
    ("E1 b 0 VCVS a 0 3\n", {"v(b)": 6}), ("G1 0 b vccs (a,0) 3 m=2\nR1 b 0 1\n", {"v(b)": 12}),
    ("R1 a 0 1\nF1 0 b CCCS V1 -2\nR2 b 0 1\n", {"v(b)": 4}), ("R1 a 0 1\nH1 b 0 ccvs V1 {-3}\n", {"v(b)": 6}),
    ("E2 vcvs 0 a 0 1\nE1 b 0 vcvs 0 3\n", {"v(b)": 6}), ("E2 vcvs 0 a 0 1\nE1 b 0 VCVS vcvs 0 3\n", {"v(b)": 6}),
    ("R2 vccs 0 1\nR3 vccs a 1\nG1 0 b vccs 0 3 m=2\nR1 b 0 1\n", {"v(b)": 6}),
    ("R1 a 0 1\nH1 b 0 V1 -3\n", {"v(b)": 6}), ("B1 b 0 I={-v(a)}\nR1 b 0 3\n", {"v(b)": 6}),
    ("B1 b 0 V={table(v(a), 0,0, 1,1, 4,10)}\n", {"v(b)": 4}), ("B1 b 0 V={pwl(v(a), 0,0, 4,8)}\n", {"v(b)": 4}),
    ("B1 b 0 V={limit(v(a), 0, 1)}\n", {"v(b)": 1}), ("B1 b 0 V={sdt(v(a))}\n", {"v(b)": 0}),
    # parts
    ("R1 a b 1 m=2\nR2 b 0 1 scale=2\n", {"v(b)": 1.6}), ("R1 a b 1 tc=0.01 temp=127\nR2 b 0 1\n", {"v(b)": 2 / 3}),
    ("R1 a b 1 tc1=0.01 tc2=1e-4 dtemp=100\nR2 b 0 3\n", {"v(b)": 1}),
    (".model rm r(rsh=10 defw=2u)\nR1 a b rm l=4u\nR2 b 0 20\n", {"v(b)": 1}), (".model rm r r=2\nR1 a b rm 1\nR2 b 0 2\n", {"v(b)": 4 / 3}),
    # subcircuits
    (".subckt s p q params: r=1 x=2\nR1 p q {r*x}\n.ends\nX1 a b s params: r=1.5\nR2 b 0 3\n", {"v(b)": 1}),
    (".subckt s p q\nR1 p q 3\n.ends s\nX1 a b s m=3\nR2 b 0 1\n", {"v(b)": 1}),
    (".subckt s p q\nR1 p q 6 m=2\n.ends\nX1 a b s m=3\nR2 b 0 1\n", {"v(b)": 1}),
    (".subckt s p q\nR1 p q 2\nR2 p q 2\n.ends\nX1 a b s\nR2 b 0 1\n.save v(b) i(R2) i(X1.R1)\n", {"v(b)": 1, "i(R2)": 1, "i(X1.R1)": 0.5}),
    ("R1 a b 1k\nR2 b 0 1k\n.save all\n.print op v(a) par('v(a)*2')\n.probe v(a,b)\n", {"v(a,b)": 1}),
    # devices
    ("I1 0 b 1m\nD1 b 0 dm off\n.model dm d(is=1e-14 n=1)\n", {"v(b)": HEAT * math.log(1e-3 / 1e-14 + 1)}),
    ("I1 0 b 1m\nD1 b 0 dm 2\n.model dm d(is=1e-14)\n", {"v(b)": HEAT * math.log(1e-3 / 2e-14 + 1)}),
    ("I1 0 b 1m\nD1 b 0 dm ic=0.5,0.2\n.model dm d(is=1e-14 mfg=acme)\n", {"v(b)": HEAT * math.log(1e-3 / 1e-14 + 1)}),
    ("V2 d 0 3\nM1 d a 0 0 nm l=1u w=10u\n.model nm nmos(vto=1 kp=1e-4 level=1)\n.save i(V2)\n", {"i(V2)": -5e-4}),
    ("V2 d 0 -3\nM1 d g 0 0 pm l=1u w=10u\nV3 g 0 -2\n.model pm pmos(vto=-1 kp=1e-4)\n.save i(V2)\n", {"i(V2)": 5e-4}),
    ("V2 d 0 3\nJ1 d 0 0 jm\n.model jm njf(vto=-2 beta=1m)\n.save i(V2)\n", {"i(V2)": -4e-3}),
    ("L1 a b 1m\nL2 c 0 1m\nK1 L1 L2 0.5\nR1 b 0 1\nR2 c 0 1\n", {"v(b)": 2}),
    (".nodeset v(b)=1\n.ic v(b)=1\nR1 a b 1k\nR2 b 0 1k\n", {"v(b)": 1}),
    (".if {1 - 1}\nR1 a b\n.nothing\n.if nowhere\n.else\n.endif\n.else\nR1 a b 1k\n.endif\nR2 b 0 1k\n", {"v(b)": 1}),
    (".if 2>1\nR1 a b 1k\n.elseif nowhere\n.else\nR1 a b 3k\n.endif\nR2 b 0 1k\n", {"v(b)": 1}),
    (".lib 'parts.lib' low\nR1 a b {x}\nR2 b 0 3\n", {"v(b)": 1.5}), (".include parts.inc\nR2 b 0 3\n", {"v(b)": 1}),
    (".control\nrun\n.endc\nR1 a b 1\nR2 b 0 1\n", {"v(b)": 1}), (".title another\nR1 a b 1\n\t R2 b 0 1\n", {"v(b)": 1}),
]


def oscillator(t, low=0.5, high=1.5, source=2, charge=1e4, discharge=101, farads=1e-8):
    """A capacitor that a switch with hysteresis discharges whenever it is charged."""
    v, closed = 0.0, False
    while True:
        g = 1 / charge + (1 / discharge if closed else 0)
        aim, tau, edge = source / charge / g, farads / g, low if closed else high
        ahead = tau * math.log((aim - v) / (aim - edge))
        if ahead > t:
            return aim + (v - aim) * math.exp(-t / tau)
        t, v, closed = t - ahead, edge, not closed


# of runs: lines, {column: function of time}
RUNS = [
    ("V2 b 0 EXP(0 1)\n.tran 1m 4m\n", {"v(b)": lambda t: 0 if t == 0 else 1 - math.exp(-t / 1e-3) - (1 - math.exp(-(t - 1e-3) / 1e-3) if t > 1e-3 else 0)}),
    ("V2 b 0 EXP(2 5 1m 1m 3m 2m)\n.tran 0.5m 4m\n", {"v(b)": lambda t: 2 + (3 * (1 - math.exp(-(t - 1e-3) / 1e-3)) if t > 1e-3 else 0) - (
        3 * (1 - math.exp(-(t - 3e-3) / 2e-3)) if t > 3e-3 else 0)}),
    ("V2 b 0 SFFM(1 2 1k 3 100)\n.tran 0.1m 4m\n", {"v(b)": lambda t: 1 + 2 * math.sin(2e3 * math.pi * t + 3 * math.sin(200 * math.pi * t))}),
    ("V2 b 0 AM(2 1 100 1k 0)\n.tran 0.1m 4m\n", {}), ("V2 b 0 PULSE(1 3)\n.tran 1m 4m\n", {}),
    ("V2 b 0 SIN(1 2 1k 1m 10 90)\n.tran 0.1m 4m\n", {}), ("V2 b 0 PWL(0 0 1m 2 2m 2)\n.tran 0.5m 3m\n", {"v(b)": lambda t: min(2, 2e3 * t)}),
    ("V2 b 0 PWL(0 0 {0 || 1 ? 2m : 4m} 2 {0 && 1 ? 3m : 6m} 6)\n.tran 1m 6m\n", {"v(b)": lambda t: 1e3 * t}),
    ("V2 b 0 PWL(0 0 {1 || 0 ? 2m : 4m} 2 {1 && 0 ? 3m : 6m} 6)\n.tran 1m 6m\n", {"v(b)": lambda t: 1e3 * t}),
    ("V2 b 0 PWL(0 0 1m 2 2m 0) r=0\n.tran 0.25m 9m\n", {"v(b)": lambda t: 2 - 2 * abs(t % 2e-3 / 1e-3 - 1)}),
    ("V2 b 0 PWL(0 0 1m 2 2m 0) r=-1 td={1m/4}\n.tran 0.25m 3m\n", {"v(b)": lambda t: max(0, 2 - 2 * abs((t - 0.25e-3) / 1e-3 - 1))}),
    ("V2 b 0 PWL(0 1 1m 2 2m 0 3m 2) td=0.5m r=1m\n.tran 0.2m 9m\n", {"v(b)": lambda t: 1 if t < 5e-4 else 0.5 + t / 1e-3 if t < 1.5e-3 else 2 * abs(
        (t - 1.5e-3) % 2e-3 / 1e-3 - 1)}),
    ("R1 a b 1k\nC1 b 0 1u ic=1\n.tran 1m 4m uic\n", {"v(b)": lambda t: 2 - math.exp(-t / 1e-3)}),
    ("R1 a b 10k\nC1 b 0 10n\nS1 b c b 0 sh\nR2 c 0 100\n.model sh SW(VT=1 VH=0.5 RON=1 ROFF=1e15)\n.tran 7u 2m uic\n", {"v(b)": oscillator}),
    ("V2 d 0 2\nR1 d b 10k\nC1 b 0 10n\nW1 b c V3 sh\nR2 c 0 100\nB3 0 e I={v(b)}\nV3 e 0 0\n"
     ".model sh CSW(IT=1 IH=0.5 RON=1 ROFF=1e15)\n.tran 7u 2m uic\n", {"v(b)": oscillator}),
    ("R1 a b {r}\nC1 b 0 1u\n.param r=1k\n.step param r list 1k 2k\n.tran 1m 4m\n", {}), ("R1 a b {r}\nC1 b 0 1u\n.param r=1k\n.step param r = 1k 3k 1k\n.op\n", {}),
    ("R1 a b 1k\nC1 b 0 1u\n.step dec V1 1 100 2\n.op\n", {}), ("R1 a b 1k\nC1 b 0 1u\n.step temp 0 100 50\n.op\n", {}), ("R1 a b 1\nR2 b 0 1\n.step V1 0 4 2\n", {}),
]
# good lines, what is replaced by what, code
MISTAKES = [
    ("R1 a b 1\n.tran 1m 4m\n", ".tran 1m 4m", ".tran", "E"), ("R1 a b 1\n.tran 1m 4m\n", "1m 4m", "-1m 4m", "E"),
    ("R1 a b 1\n.tran 1m 4m 1m\n", "4m 1m", "4m 5m", "E"), ("R1 a b 1\n.tran 1m 4m 1m 1u\n", "1u", "1u 2u 3u", "E"),
    ("R1 a b 1\n.tran 1m 4m\n", "1m 4m", "1f 4m", "E"), ("R1 a b 1\n.tran 1m 4m\n", "4m", "-4m", "E"), ("R1 a b 1\n.tran 1m 4m 1m\n", "4m 1m", "4m -1m", "E"),
    ("R1 a b 1\n.ac dec 2 1 10\n", "dec 2 1 10", "dec 2 10 1", "E"), ("R1 a b 1\n.ac dec 2 1 10\n", "dec 2", "dec 0", "E"),
    ("R1 a b 1\n.ac dec 2 1 10\n", "2 1 10", "2 0 10", "E"), ("R1 a b 1\n.ac lin 2 1 10\n", "2 1 10", "2e7 1 10", "E"), ("R1 a b 1\n.ac dec 2 1 10\n", "dec 2 1 10", "dec 2 1", "E"),
    ("R1 a b 1\nR2 b 0 1\n.tf v(b) V1\n", "V1\n", "R1\n", "E801"), ("R1 a b 1\nR2 b 0 1\n.tf v(b) V1\n", "v(b) V1", "V1", "E80"),
    (".param x=1\n", "x=1", "x", "E80"), (".param x=1\n", "x=1", "x=", "E80"), (".param x=1\n", "x=1", "=1", "E80"),
    (".func f(u) {u}\n", "f(u) {u}", "f {u}", "E80"), (".func f(u) {u}\n", "f(u) {u}", "f(u {u}", "E80"), (".func f(u) {u}\n", " {u}", "", "E80"),
    (".model d1 d\n", "d1 d", "d1", "E80"), (".subckt s p q\nR1 p q 1\n.ends\n", "p q\nR", "p p\nR", "E801"), (".subckt s p q\nR1 p q 1\n.ends\n", "s p q", "s p 0", "E801"),
    (".subckt s p q\nR1 p q 1\n.ends\n", " s p q", "", "E80"), (".control\nrun\n.endc\n", ".endc\n", "", "E807"),
    ("E1 b 0 POLY(1) a 0 3\n", "POLY(1)", "POLY(0)", "E801"), ("E1 b 0 POLY(1) a 0 3\n", "POLY(1)", "POLY(1.5)", "E801"), ("E1 b 0 POLY(1) a 0 3\n", "POLY(1)", "POLY(999)", "E801"),
    ("E1 b 0 POLY(1) a 0 3\n", "POLY(1)", "POLY(1", "E80"), ("E1 b 0 TABLE {v(a)} = (0,0) (1,1)\n", "(1,1)", "(1)", "E80"),
    ("B1 b 0 V={v(a)}\n", "V={v(a)}", "{v(a)}", "E80"), ("B1 b 0 V={v(a)}\n", "{v(a)}", "{v(a) % 2}", "E806"), ("B1 b 0 V={v(a)}\n", "v(a)}", "(v(a)}", "E106"),
    ("B1 b 0 V={v(a)}\n", "v(a)}", "v(a) ? 1}", "E806"), ("B1 b 0 V={v(a)}\n", "v(a)}", "v(nowhere.b)}", "E2"),
    ("B1 b 0 V={i(V1)}\nR9 a 0 1\n", "i(V1)", "i(V9)", "E211"), ("B1 b 0 V={i(R9)}\nR9 a 0 1\nD9 a 0 dm\n.model dm d\n", "i(R9)", "i(D9)", "E802"),
    ("L1 a 0 1m\nL2 b 0 1m\nR2 b 0 1\nK1 L1 L2 0.5\n", "K1 L1 L2", "K1 L1 L1", "E"), ("L1 a 0 1m\nL2 b 0 1m\nR2 b 0 1\nK1 L1 L2 0.5\n", "K1", "K0 L1 L2 0.5\nK1", "E201"),
    ("L1 a 0 1m\nL2 b 0 1m\nR2 b 0 1\nK1 L1 L2 0.5\n", "L2 0.5", "R2 0.5", "E"), (".subckt s p r=2\nR1 p 0 {r}\n.ends\nX1 a s r=1\n", "s r=1", "s r=1 2", "E80"),
    ("R1 a 0 1\n", "R1 a 0 1", "R1 a 0 1 2", "E80"), ("R1 a 0 4.7k\n", "4.7k", "4k7", "E806]: digits stand behind"), ("R1 a 0 1\n", "R1 a 0", "?1 a 0", "E80"), ("D1 a b dm\nR1 b 0 1\n.model dm d\n", "b dm\n", "b dm 2 3\n", "E80"),
    ("R1 a 0 1\n.meas tran m max v(a)\n.tran 1m 2m\n", "max v(a)", "max", "E80"), ("R1 a 0 1\n.meas tran m max v(a)\n.tran 1m 2m\n", "tran m max v(a)", "tran", "E80"),
    ("R1 a 0 1\n.meas tran m trig v(a) val=1 rise=1 targ v(a) val=2 rise=1\n.tran 1m 2m\n", "trig v(a) val=1 rise=1", "trig", "E210"),
    ("R1 a 0 1\n.meas tran m find v(a) at=1m\n.tran 1m 2m\n", "at=1m", "at", "E80"), ("R1 a 0 1\n.meas tran m when v(a)=1\n.tran 1m 2m\n", "v(a)=1", "v(a)", "E80"),
    ("R1 a b {1}\nC1 b 0 1u\n.param r=1\n.step param r list 1 2\n.op\n", "param r list", "param", "E80"), ("R1 a b 1\n.step V1 0 4 2\n", "V1 0", "0", "E80"),
    ("R1 a b {r}\n.param r=1\n.step param r list 1 2\n.op\n", "param r", "rm(r)", "E802"), ("V2 b 0 PWL(0 0 1m 2)\n.tran 1m 2m\n", "PWL(0 0 1m 2)", "PWL(0 0 1m)", "E80"),
    ("V2 b 0 PWL(0 0 1m 2)\n.tran 1m 2m\n", "1m 2)", "-1m 2)", "E228"),
    ("V2 b 0 PWL(0 0 1m 2) r=0\n.tran 1m 2m\n", "r=0", "r=0.5m", "E228"), ("V2 b 0 PWL(0 0 1m 2) r=0\n.tran 1m 2m\n", "r=0", "r=1m", "E228"),
    ("V2 b 0 PWL(0 0 1m 2) td=0\n.tran 1m 2m\n", "td=0", "td=", "E80"), ("V2 b 0 SIN(0 1 1k)\n.tran 1m 2m\n", "1k)", "1k) td=1m", "E802"), ("V2 b 0 SIN(0 1 1k)\n.tran 1m 2m\n", "SIN(0 1 1k)", "SIN(0)", "E80"), (".include parts.inc\nR2 b 0 3\n", "parts.inc", "none.inc", "E0"),
    (".if 1\nR1 a 0 1\n.endif\n", ".endif\n", "", "E807"), (".if 1\nR1 a 0 1\n.endif\n", ".if 1\n", "", "E807"), (".if 1\nR1 a 0 1\n.endif\n", "1\n", "x\n", "E"),
    (".subckt s p r=1\n.if 1\nR1 p 0 1\n.endif\n.ends\nX1 a s\n", "if 1", "if r", "E215"), (".if 1\nR1 a 0 1\n.endif\n", ".if 1", ".if", "E801"),
    (".param x=1\n.if x\nR1 a 0 {y}\n.param y=2\n.endif\n", "y=2", "x=2 y=2", "E802"),
    (".param x=1 y=1\n.if x\nR1 a 0 {y}\n.endif\n.step param y 1 2 1\n", "param y", "param x", "E802"),
    (".lib 'parts.lib' low\nR1 a b {x}\n", "low", "middle", "E80"), (".include parts.inc\nR2 b 0 3\n", "parts.inc", "../outside.inc", "E001"),
    (".include parts.inc\nR2 b 0 3\n", "parts.inc", "circle.inc", "E"), ("R1 a 0 1\n", "a 0 1\n", "a 0 1\n\x01\n", "E101"),
]
# lines, a piece of what is told of something that is left out
WARNINGS = [
    ("R1 a b 1 what=2\n", "what"), ("R1 a b 1\n.tran 1m 4m startup\n", "startup"), ("R1 a b 1\n.temp 20 30\n", ".temp takes one"),
    ("R1 a b 1\n.options acct\n", "acct"), ("R1 a b 1\n.meas noise m max v(a)\n.tran 1m 2m\n", "measure is left out"),
    ("D1 a b dm what=3\nR1 b 0 1\n.model dm d\n", "what"), ("D1 a b dm\nR1 b 0 1\n.model dm d(sort=blue)\n", "sort"), ("R1 a b 1\n.print noise v(a)\n.op\n", ""),
    ("D1 a b dm\nR1 b 0 1\n.model dm d what=7\n", "what"), ("R1 a b 1\n.noise v(b) V1 dec 2 1 10\n", "noise"),
]
# params that are known early: whether a part is there, temperatures, times, frequencies, sizes of lists
GIVEN = """I9 0 b AC 1m
.param way=0 rs=0 is=1e-14 bv=0 f={is*1e8} vh=0 t1={2*tt} tt=1m q=1 k=1 hot={27+rs}
R1 a b 1k
D1 b c DM
.if way==1
R9 c 0 3k
.elseif way
R9 b 0 3k
.endif
R2 c 0 {rs+1}
D2 c d DM temp={hot}
S1 d 0 a 0 SW
C1 c 0 1u
X1 b 0 part r={rs+5} n={q}
.subckt part a b r=1 n=2
R1 a b {r*n*1k}
D1 a b DM {n}
.ends
.model SW SW(VT=2 VH={vh} RON=2)
.model DM D(IS={is} RS={rs} BV={bv})
.param sw=1
.step param sw 1 2 1
.dc V1 {k-1} {k} {k/2}
.ac dec 2 {f*1e6} 1e4
.op
.tran {tt/10} {t1}
"""
CHANGES = {"rs": ("5", "20", "0"), "way": ("1", "2"), "is": ("1e-12", "2.5e-13"), "bv": ("3", "0"), "vh": ("0.5", "0"), "tt": ("2e-3",), "q": ("3", "0.5"),
           "k": ("2", "4")}
# whole cards, what is missing after each of their words
NODE, CONTROL, SWITCH, SWITCHED, LED = "a node", "a control node", "a control node or the model", "a source or the model", "a controlling source"
BROKEN_OFF = [
    ("R1 a b 1", [NODE, NODE, "the value"]), ("C1 a b 1u", [NODE, NODE, "the value"]), ("L1 a b 1m", [NODE, NODE, "the value"]),
    ("D1 a b dm", [NODE, NODE, "the model"]), ("Q1 a b c qm", [NODE] * 3 + ["the model"]), ("J1 a b c jm", [NODE] * 3 + ["the model"]),
    ("M1 a b c d mm", [NODE] * 4 + ["the model"]), ("S1 a b a b sm", [NODE, NODE, SWITCH, SWITCH, SWITCH]), ("W1 a b V1 wm", [NODE, NODE, SWITCHED, SWITCHED]),
    ("E1 a b c d 2", [NODE, NODE, CONTROL, CONTROL, "the gain"]), ("G1 a b c d 2", [NODE, NODE, CONTROL, CONTROL, "the gain"]),
    ("F1 a b V1 2", [NODE, NODE, LED, "the gain"]), ("H1 a b V1 2", [NODE, NODE, LED, "the gain"]), ("X1 s", ["the name of the subcircuit"]),
    ("I2 a b 1", [NODE, NODE]), ("B2 a b V=1", [NODE, NODE]),
]
FILES = {"parts.lib": ".lib low\n.param x=1\n.endl\n  .lib high\n.param x=3\n.endl high\n", "parts.inc": "R1 a b 3\n", "circle.inc": ".include circle.inc\n"}


class Checks:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.passed, self.failed = os.path.realpath(binary), folder, 0, 0

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="latin-1") as file:
            file.write(text)

    def call(self, lines, *words):
        self.write("n.cir", "* of cards.py\n" + SOURCE + lines + ".end\n")
        return subprocess.run([self.binary, *words[:1], "n.cir", *words[1:]], cwd=self.folder, capture_output=True, text=True, timeout=600)

    def check(self, good, lines, what):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print("%s  %s" % (lines, what[:500]))

    def values(self, lines, wanted):
        said = self.call(lines, "equilibrium", "--json")
        got = json.loads(said.stdout).get("outputs", {}) if said.stdout else {}
        for name, value in wanted.items():
            near = abs(got.get(name, math.nan) - value) <= 1e-6 * (1e-3 + abs(value))
            self.check(near, lines, "%s is %s, not %s\n%s" % (name, got.get(name), value, said.stderr or got))

    def rows(self, lines, wanted):
        said = self.call(lines, "run", "-o", "-", "--tol", "1e-8")
        self.check(said.returncode == 0 and len(said.stdout.split("\n")) > 2, lines, "exit %d %s" % (said.returncode, said.stderr))
        table = [line.split(",") for line in said.stdout.split("\n") if line]
        for name, value in wanted.items() if said.returncode == 0 else ():
            k = table[0].index(name)
            for row in table[1:]:
                t, got = float(row[0]), float(row[k])
                self.check(abs(got - value(t)) < 1e-5, lines, "%s(%g) is %g, not %g" % (name, t, got, value(t)))

    def mistake(self, lines, old, new, code):
        verb = ("run", "--points", "2") if ".meas" in lines else ("check",) # measures belong to a run
        good, bad = self.call(lines, *verb), self.call(lines.replace(old, new, 1), *verb)
        self.check(good.returncode == 0, lines, "refused: " + good.stderr)
        self.check(bad.returncode == 1 and "[" + code in bad.stderr, lines.replace(old, new, 1), "exit %d %s" % (bad.returncode, bad.stderr))

    def broken_off(self, card, missing):
        """A card that ends too soon: what would come next is named, and its last character is marked."""
        words = card.split()
        for count, what in enumerate(missing, 1):
            part = " ".join(words[:count])
            said = json.loads(self.call(part + "\n", "check", "--json").stdout)["diagnostics"][0]
            self.check(said["message"] == "the card breaks off: %s is missing" % what and said["code"] == "E801" and
                       (said["column"], said["width"]) == (len(part), 1), part, str(said))

    def nested(self, before, behind):
        """As deep as it may be, and deeper: the character is marked at which it is too much."""
        for count, good in ((100, True), (1000, False)):
            said = self.call("R1 a 0 {%s1%s}\n" % (before * count, behind * count), "check", "--json")
            found = [(d["code"], d["width"]) for d in json.loads(said.stdout)["diagnostics"]]
            self.check(found == ([] if good else [("E108", 1)]), "%s..%s" % (before, behind), str(found))

    def given(self, dice):
        """Numbers behind --set are as good as those in the text."""
        chosen = {name: dice.choice(values) for name, values in CHANGES.items() if dice.random() < 0.4}
        text = GIVEN
        for name, value in chosen.items():
            text = re.sub(r"\b%s=\S+" % name, "%s=%s" % (name, value), text, count=1)
        written = self.call(text, "run", "-o", "-")
        set_ = self.call(GIVEN, "run", "-o", "-", *["--set=%s=%s" % pair for pair in chosen.items()])
        self.check(not written.returncode and written.stdout == set_.stdout, GIVEN, "--set %s: %s" % (chosen, set_.stderr))

    def warning(self, lines, piece):
        said = self.call(lines, "check")
        self.check(said.returncode == 0 and piece in said.stderr, lines, "exit %d %s" % (said.returncode, said.stderr))


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "inside")
        os.mkdir(folder)
        c = Checks(sys.argv[1], folder)
        for name, text in FILES.items():
            c.write(name, text)
        c.write("../outside.inc", FILES["parts.inc"])
        for rows, one in ((VALUES, c.values), (RUNS, c.rows), (MISTAKES, c.mistake), (WARNINGS, c.warning), (BROKEN_OFF, c.broken_off)):
            for row in rows:
                one(*row)
        dice = random.Random(20261118)
        for _ in range(40):
            c.given(dice)
        for pair in (("(", ")"), ("1^", ""), ("abs(", ")"), ("1 ? 1 : ", "")):
            c.nested(*pair)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return c.failed > 0


if __name__ == "__main__":
    sys.exit(main())
