"""Rectifiers at loose tolerances: no step leaps over the short times in which diodes conduct.

V, Rs, diode with a capacitance beside it, C and load in parallel; against SciPy with a bound on its steps. By derived
equations, and by the path in numbers, whose errors show what begins to conduct between two stages of a step.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy
from scipy.integrate import solve_ivp

from campaign import Campaign

VT = 1.38064852e-23*300.15/1.6021766208e-19
PERIODS = 12


def make(dice):
    case = {"f": dice.choice([50, 60, 400, 1000]), "v": dice.uniform(3, 40), "rs": 10**dice.uniform(-1, 1),
            "cj": 10**dice.uniform(-10, -8.3), "is": 10**dice.uniform(-15, -12)}
    case["rl"] = case["rs"]*10**dice.uniform(2, 3.5)
    case["c"] = 10**dice.uniform(0.2, 1.3)/case["f"]/case["rl"]
    return case


def netlist(q, columns):
    return """rectifier
V1 a 0 SIN(0 %(v).9g %(f)d)
Rs a c %(rs).9g
D1 c p dd
CJ c p %(cj).9g
C1 p 0 %(c).9g
RL p 0 %(rl).9g
.model dd D(IS=%(is).9g N=1)
""" % {k: float("%.9g" % x) if k != "f" else x for k, x in q.items()} + ".tran %.9g %.9g uic\n.print tran %s\n.end\n" % (
        1/q["f"]/100, PERIODS/q["f"], columns)


def solve(q, times):
    q = {k: float("%.9g" % x) for k, x in q.items()}

    def rates(t, x):
        u, p = x
        i = (q["v"]*numpy.sin(2*numpy.pi*q["f"]*t) - u - p)/q["rs"]
        return [(i - q["is"]*numpy.expm1(min(u/VT, 200)))/q["cj"], (i - p/q["rl"])/q["c"]]
    got = solve_ivp(rates, (0, PERIODS/q["f"]), [0, 0], "Radau", times, rtol=1e-7, atol=1e-9, max_step=0.01/q["f"])
    return got.y[1]


def main():
    campaign = Campaign("leaps", 3)
    for case in campaign:
        q, tol = make(case.dice), case.dice.choice([1e-3, 3e-4, 1e-4, 3e-5])
        text = netlist(q, case.dice.choice(["v(p)", "v(p) v(a) v(c) i(V1)"]))
        times = [k/37.0/q["f"] for k in range(1, 37*PERIODS)]
        exact = solve(q, times)
        for form in ((), ("--form", "numeric")):
            said = case.program.run(text, times, "--tol", repr(tol), *form, ending="cir")
            rows = said.rows()
            if case.check(rows is not None, "runs: " + said.why(), text):
                off = max(abs(row["v(p)"] - p) for row, p in zip(rows, exact))
                case.check(off <= 20*tol*q["v"], "v(p) is off by %.3g V at tol = %g %s" % (off, tol, " ".join(form)), text)
    campaign.close()


main()
