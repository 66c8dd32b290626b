"""Tables of straight lines whose run begins on a point of the table: p(0) or i(0) lies on the kink itself.

A fan (pressure by flow) into a tank with an outlet, and a resistor by table beside a capacitor; all forms and methods.
The right answer integrates the lines by their inverse. Slopes differ up to 1:1000.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
from scipy.integrate import solve_ivp

from campaign import Campaign

FORMS, METHODS = ("nodal", "branch-chord", "tableau"), ("auto", "rosenbrock", "bdf")


def curve(dice):
    """Points of a falling line through rising flows."""
    count = dice.randint(3, 6)
    q = np.cumsum([0.0] + [round(dice.uniform(0.2, 1.5), 3) for _ in range(count - 1)])
    p = 10 - np.cumsum([0.0] + [round(10 ** dice.uniform(-1.5, 0.3), 4) for _ in range(count - 1)])
    return [round(float(x), 4) for x in q], [round(float(y), 4) for y in p]


def inverse(p, q, at):
    """Flow at a pressure; beyond its ends the table goes on straight."""
    k = min(max(int(np.searchsorted([-y for y in p], -at)) - 1, 0), len(p) - 2)
    return q[k] + (at - p[k]) * (q[k + 1] - q[k]) / (p[k + 1] - p[k])


def main():
    campaign = Campaign("kinks", 60)
    for case in campaign:
        q, p = curve(case.dice)
        start = p[case.dice.randrange(1, len(p) - 1)]
        R, C = round(case.dice.uniform(0.5, 5), 3), round(case.dice.uniform(0.5, 2), 3)
        text = ('element fan "pressure by a table"\n  port a, b : hydraulic\n  edge e(a, b)\n'
                "  e.p = -table(e.q, %r, %r)\nend\nX : fan(ground, y)\nT1 : tank(y, ground)  C = %r, p(0) = %r\n"
                "R1 : fluid_resistor(y, ground)  R = %r, k = 1\noutput T1.p, X.q as flow\n" % (q, p, C, start, R))
        times = [0.0, 0.1, 0.5, 1.0]
        rate = lambda t, y: [(inverse(p, q, y[0]) - y[0] / R) / C]
        want = solve_ivp(rate, (0, 1), [start], method="LSODA", rtol=1e-10, atol=1e-12, t_eval=times, max_step=0.01).y[0]
        guises = [["--form", form] for form in FORMS] + [["--method", case.dice.choice(METHODS)]]
        for guise in guises:
            said = case.program.run(text, times, "--tol", "1e-8", *guise, timeout=20)
            rows = said.rows()
            if not case.check(rows is not None and len(rows) == len(times), "%s: %s" % (" ".join(guise), said.why()), text):
                continue
            for row, right in zip(rows, want):
                case.equal(row["T1.p"], right, 1e-5 * abs(right) + 1e-6, " ".join(guise) + " T1.p", text)
                flow = inverse(p, q, right)
                case.equal(abs(row["flow"]), abs(flow), 1e-4 * (abs(flow) + max(q)), " ".join(guise) + " flow", text)
    campaign.close()


if __name__ == "__main__":
    main()
