"""A ball on a table that vibrates, by all methods, against parabolas between roots that are found by themselves.

It flies, is hit by the table, with restitution or without, comes to rest on it in a series of impacts that has an end, and is
thrown off where the table falls away faster than it. What a run may miss is judged by a second solution with another gravity.
"""
import math
import re

from scipy.optimize import brentq

from campaign import Campaign

G, END = 9.81, 2.0
METHODS = ["auto", "rk", "rk8", "rosenbrock", "bdf", "adams"]


class Table:
    def __init__(self, dice):
        number = lambda low, high: round(dice.uniform(low, high), 4)
        self.parts = [(number(0.005, 0.08), number(5, 30), number(0, 6)) for _ in range(dice.randint(1, 2))]
        self.e = dice.choice([0.0, 0.0, number(0.05, 0.8)])
        self.high = dice.choice([0.0, number(0, 0.2)])

    def x(self, t):
        return sum(a * math.sin(w * t + p) for a, w, p in self.parts)

    def v(self, t):
        return sum(a * w * math.cos(w * t + p) for a, w, p in self.parts)

    def a(self, t):
        return sum(-a * w * w * math.sin(w * t + p) for a, w, p in self.parts)

    def text(self):
        path = " + ".join("%r*sin(%r*t + %r)" % part for part in self.parts)
        return "\n".join([
            "model table", "param start = %r" % (self.x(0) + self.high),
            "M : mass(ball)  m = 1, x(0) = start, v(0) = %r" % self.v(0), "G : force(ball, ground)  F = %r" % G,
            "T : position_source(ground, table)  x = " + path, "S : end_stop(table, ball)  xmin = 0, xmax = 100, e = %r" % self.e,
            "output M.x, M.v", "simulate stop = %r, tol = 1e-9" % END, ""])

    def solve(self, times, g):
        """Pieces (from, x, v), v None: at rest on the table; and their values at the times."""
        t, x, v, pieces = 0.0, self.x(0) + self.high, self.v(0), []
        while t < END and len(pieces) < 4000:
            if x - self.x(t) < 1e-13 and abs(v - self.v(t)) < 1e-7:
                if self.a(t) + g >= 0:
                    pieces.append((t, 0, None))
                    t = self.first(lambda s: self.a(s) + g, t)
                    x, v = self.x(t), self.v(t)
                    if t >= END:
                        break
            pieces.append((t, x, v))
            gap = lambda s: x + v * (s - t) - g * (s - t) ** 2 / 2 - self.x(s)
            hit = self.first(gap, t, True)
            if hit < END:
                x, v = self.x(hit), v - g * (hit - t)
                v = self.v(hit) - self.e * (v - self.v(hit))
            t = hit
        return [self.at(pieces, s, g) for s in times]

    def first(self, f, t, leaves=False):
        """The first fall below zero behind t; leaves: it may begin at zero there, and grows."""
        h, s = 1e-4, t
        if leaves:  # small bounces: from where it has grown
            step = 1e-13
            while step < h and f(t + step) <= 1e-15:
                step *= 1.5
            if step >= h:
                return t + 1e-12
            s, small = t + step, step
            while small < h:
                if f(s + small) < 0:
                    return brentq(f, s, s + small, xtol=1e-15)
                s, small = s + small, small * 1.2
        while s < END:
            if f(s + h) < 0:
                return brentq(f, s, s + h, xtol=1e-15)
            s += h
        return END

    def at(self, pieces, s, g):
        t, x, v = [p for p in pieces if p[0] <= s][-1]
        if v is None:
            return self.x(s), self.v(s)
        return x + v * (s - t) - g * (s - t) ** 2 / 2, v - g * (s - t)


def main():
    campaign = Campaign("tables", 12)
    for case in campaign:
        table = Table(case.dice)
        times = [END * k / 40 for k in range(1, 41)]
        right, other = table.solve(times, G), table.solve(times, G * (1 + 1e-10))
        for method in METHODS:
            said = case.program.run(table.text(), [0.0] + times, "--method", method)
            rows = said.rows()
            if not case.check(rows is not None, "%s: %s" % (method, said.why()), table.text()):
                continue
            told = [abs(float(size)) for size in re.findall(r"takes an impulse of (\S+) ", said.err)]
            case.check(max(told + [0]) <= 1e-6, "%s: an impulse is told" % method, table.text())
            apart = 0.0
            for row, (x, v), (x1, v1) in zip(rows[1:], right, other):
                apart = max(apart, abs(x - x1), abs(v - v1) / 10)
                off = max(abs(row["M.x"] - x), abs(row["M.v"] - v) / 10)
                if apart > 1e-8 or not case.check(off <= 3e-7 + 1e3 * apart, "%s: off by %.2g" % (method, off), table.text()):
                    break  # chaos
    campaign.close()


if __name__ == "__main__":
    main()
