#!/usr/bin/python3
"""Random nonlinear networks, and mechanisms whose Jacobians are differences, give the same bytes with machine code for
lanes, without AVX2, by the tape, and by the tape without AVX2. Numbers of devices leave any rest in lanes."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign

WAYS = (["--no-avx2"], ["--no-native"], ["--no-native", "--no-avx2"])

MODELS = """* stages in a row
VCC vcc 0 {supply:g}
V1 n0 0 SIN(0 {swing:g} 1k)
.model DX D(IS={i:g} N={n:g} RS=1 CJO=2p M={m:g} TT=1n)
.model DZ D(IS={i:g} BV=6 RS=2)
.model QN NPN(BF={gain:g} IS=1e-15 VAF=80 IKF=0.05 ISE=1e-14 CJE=5p CJC=3p MJE={m:g})
.model QP PNP(BF={gain:g} IS=1e-15 VAF=50 CJE=4p)
.model MN NMOS(VTO=0.7 KP=1m LAMBDA=0.02 GAMMA=0.4 PHI=0.65)
.model MP PMOS(VTO=-0.8 KP=1m LAMBDA=0.02)
.model JN NJF(VTO=-2 BETA=1m)
"""
STAGES = ["D{k} n{k} 0 DX", "D{k} 0 n{k} DX", "D{k} 0 n{k} DZ", "Q{k} n{k} b{k} 0 QN\nRB{k} n{j} b{k} 47k", "Q{k} n{k} b{k} vcc QP\nRB{k} n{j} b{k} 47k",
          "M{k} n{k} n{j} 0 0 MN W=2u L=1u", "M{k} n{k} n{j} vcc vcc MP W=4u L=1u", "J{k} n{k} n{j} 0 JN"]


def network(dice):
    """One kind of stage in most places, so that it fills lanes; others in between."""
    kind, odd, size = dice.choice(STAGES), dice.choice(STAGES), dice.randint(60, 160)
    text = MODELS.format(supply=dice.uniform(3, 12), swing=dice.uniform(0.5, 8), i=10 ** dice.uniform(-15, -10), n=dice.uniform(1, 2),
                         m=dice.uniform(0.2, 0.6), gain=dice.uniform(20, 300))
    for k in range(1, size + 1):
        stage = odd if dice.random() < 0.1 else kind
        text += "R%d n%d n%d %.3g\nC%d n%d 0 %.3g\nRL%d vcc n%d 10k\n" % (k, k - 1, k, 10 ** dice.uniform(2, 4), k, k, 10 ** dice.uniform(-9, -7), k, k)
        text += stage.format(k=k, j=k - 1) + "\n"
    return text + ".tran 20u 1m\n.print tran v(n1) v(n%d)\n.end\n" % size


def chain(dice):
    """Long enough for more than 32 groups of columns; an implicit method asks for Jacobians."""
    n = dice.randint(18, 24)
    rods = "".join("b%d : body  m = %.3g kg, I = 0.1, com = [%.3g, 0]  { P = [0.5, 0] }\nJ%d : revolute(%s, b%d)\n"
                   % (i, dice.uniform(0.5, 2), dice.uniform(0.1, 0.3), i, "b%d.P" % (i - 1) if i else "ground", i) for i in range(n))
    return "model chain\nspace = planar\ncoordinates = joint\ngravity = [0, -9.81]\n%soutput b%d.x\nsimulate stop = 0.1 s, method = bdf, tol = 1e-6\n" % (rods, n - 1)


campaign = Campaign("processors", 8)
for case in campaign:
    mechanism = case.dice.random() < 0.15
    text, ending = (chain(case.dice), "lg") if mechanism else (network(case.dice), "cir")
    usual = campaign.program.run(text, ending=ending)
    for way in WAYS:
        other = campaign.program.run(text, None, *way, ending=ending)
        case.check((other.code, other.out) == (usual.code, usual.out), " ".join(way) + " gives other bytes", text)
campaign.close()
