"""Rows at the time of a jump, as decimals say it: a tick or a break that lies within rounding of a row happens before it.

A clock with a random period, a source and a condition that jump at a multiple of it, rows at equal parts of the period (so
that row k*n*h and tick k*T are the same time, rounded in two ways), and rows some units of the last place beside. Run by all
methods, alone and beside an ideal diode, and exported C show the same: what is behind the jump from 8 units of the last place
before it on, the larger of time and length of the run counting, and what was before it earlier.
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign
from phases import run_c

METHODS = ("auto", "auto", "rosenbrock", "bdf", "adams", "rk", "rk8", "c")


def main():
    campaign = Campaign("marks", 40)
    for case in campaign:
        dice = case.dice
        period, parts, ticks = float("%.3g" % 10 ** dice.uniform(-3, 1)), dice.choice([1, 2, 3, 7, 10]), dice.randrange(3, 12)
        at, stop = dice.randrange(1, ticks), float("%.12g" % (period * ticks))
        when = float("%.12g" % (period * at))
        diode = dice.random() < 0.3
        text = ("discrete d = 0, n = 0\nV1 : vsource(a, ground)  v = if t < %r s then 1 V else 2 V\n%sR1 : resistor(c, b)  R = 1 ohm\n"
                "C1 : capacitor(b, ground)  C = %r F\nevery %r s { d = pre(d) + 1 }\nwhen t >= %r s { n = 1 }\n"
                "output V1.v as v, d, n\nsimulate stop = %r s, points = %d\n" % (
                    when, "D1 : ideal_diode(a, c)\n" if diode else "W1 : resistor(a, c)  R = 1 ohm\n", period, period, when, stop,
                    ticks * parts))
        method = dice.choice(METHODS)
        beside = dice.random() < 0.3 and method != "c"
        if method == "c":
            rows, why = run_c(case.program, text)
        elif beside:
            up = lambda t, k: t + k * math.ulp(max(t, stop))
            times = [up(t, k) for t in (when, when + period) if t < stop - period / 2 for k in (-40, -2, -1, 0, 1, 40)]
            answer = case.program.run(text, times + [stop], "--method", method)
            rows, why = answer.rows(), answer.why()
        else:
            answer = case.program.run(text, None, "--method", method)
            rows, why = answer.rows(), answer.why()
        if not case.check(rows is not None, "%s: %s" % (method, why), text):
            continue
        for row in rows:
            t, hair = row["time"], 9 * math.ulp(max(row["time"], stop))
            want = {"d": 1 + sum(k * period <= t + hair for k in range(1, ticks + 2)), "n": t + hair >= when, "v": 1 + (t + hair >= when)}
            wrong = [k for k in want if row[k] != want[k]]
            if not case.check(not wrong, "%s at %r: %s" % (method, t, ["%s = %g, right is %g" % (k, row[k], want[k]) for k in wrong]), text):
                break
    campaign.close()


if __name__ == "__main__":
    main()
