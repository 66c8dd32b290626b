#!/usr/bin/python3
"""Random PULSE sources of netlists into an RC low-pass, with ratios of edges and period down to 1e-15, against the closed form.

The source is a chain of straight lines, so that the voltage of the capacitor is known between two corners:
v' = (u - v)/tau. Rows lie anywhere, on corners, and in the middle of edges.
"""
import math
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from campaign import Campaign


def log_uniform(dice, low, high):
    return float("%.4g" % (low * (high / low) ** dice.random()))


class Pulse:
    """As SPICE has it: cut off by the next one where it is longer than the period."""

    def __init__(self, dice):
        self.period = log_uniform(dice, 1e-6, 10)
        edge = lambda: self.period * dice.choice([1e-15, 1e-13, 1e-12, 1e-9, 1e-6, 1e-3, 0.1])
        self.low, self.high = dice.choice([0, -1, 2]), dice.choice([5, 1, -3])
        self.rise, self.fall = edge(), edge()
        self.width = float("%.4g" % (self.period * dice.choice([1e-3, 0.1, 0.4, 0.5, 0.7, 1.3])))
        self.delay = dice.choice([0, 0, self.period * float("%.3g" % dice.random()), 3 * self.period])

    def card(self):
        return "PULSE(%r %r %r %r %r %r %r)" % (self.low, self.high, self.delay, self.rise, self.fall, self.width, self.period)

    def inside(self, x):
        """At the time x after the beginning of a pulse."""
        if x < self.rise:
            return self.low + (self.high - self.low) * x / self.rise
        if x < self.rise + self.width:
            return self.high
        return self.high + (self.low - self.high) * min((x - self.rise - self.width) / self.fall, 1)

    def corners(self, stop):
        """Pairs (t, u) with straight lines between; two at one time make a jump."""
        points, k = [(0.0, self.low)], 0
        while self.delay + k * self.period <= stop:
            start = self.delay + k * self.period
            edges = [0, self.rise, self.rise + self.width, self.rise + self.width + self.fall]
            points += [(start + x, u) for x, u in zip(edges, [self.low, self.high, self.high, self.low]) if x < self.period]
            points.append((start + self.period, self.inside(self.period) if edges[3] > self.period else self.low))
            k += 1
        return points + [(stop + self.period, self.low)]


def response(points, tau, times):
    """v at the times, from v(0) = u(0)."""
    v, found, at = points[0][1], [], 0
    for (t0, u0), (t1, u1) in zip(points, points[1:]):
        slope = (u1 - u0) / (t1 - t0) if t1 > t0 else 0

        def after(x):
            share = math.expm1(-x / tau)
            return v - (u0 - v) * share + slope * (x + tau * share)

        while at < len(times) and times[at] < t1:
            found.append((times[at], u0 + slope * (times[at] - t0), after(times[at] - t0)))
            at += 1
        v = after(t1 - t0)
    return found


def check_corners(case, p, stop):
    """Capacitors that are tied to a source follow its corners; only a jump of it is one of theirs (W532)."""
    if min(p.rise, p.fall) < 1e-7 * p.period or p.rise + p.width + p.fall > 0.99 * p.period:
        return
    text = "corners\nV1 a 0 %s\nC1 a b 1u\nC2 b 0 2u\nR2 b 0 1k\n.tran %r %r\n.end\n" % (p.card(), stop / 10, stop)
    said = case.program.run(text, [stop], ending="cir")
    case.check(said.rows() is not None and "W532" not in said.err, said.err or said.why(), text)


def check_shared_corners(case, p, stop):
    """The second source begins to move where the first one ends: in the same instant, but for its last digit."""
    dice, at = case.dice, p.delay + p.rise + p.width + p.fall
    if min(p.rise, p.fall) < 1e-7 * p.period or p.rise + p.width + p.fall > 0.99 * p.period:
        return
    rise, width, fall = (p.period * float("%.2g" % dice.uniform(0.01, 0.3)) for _ in range(3))
    others = dice.choice(["C3 c b 1u\n", "C3 c d 1u\nC4 d 0 2u\nR4 d 0 1k\n"])
    text = ("corners of two\nV1 a 0 PULSE(0 %r %r %r %r %r %r)\nV2 c 0 PULSE(0 %r %r %r %r %r %r)\nC1 a b 1u\nC2 b 0 2u\nR2 b 0 1k\n%s.tran %r %r\n.end\n" %
            (p.high, p.delay, p.rise, p.fall, p.width, p.period, dice.choice([5, -3]), at, rise, fall, width, p.period, others, stop / 10, stop))
    said = case.program.run(text, [stop], ending="cir")
    case.check(said.rows() is not None and "W532" not in said.err, said.err or said.why(), text)


def main():
    c = Campaign("pulses", 60)
    for case in c:
        dice = case.dice
        p = Pulse(dice)
        stop = p.period * dice.choice([0.7, 2.3, 6.1])
        tau = log_uniform(dice, 0.02, 5) * p.period
        points = p.corners(stop)
        check_corners(case, p, stop)
        check_shared_corners(case, p, stop)
        # far from corners in units of what a number can tell apart, or exactly in the first ones
        times = [stop * dice.random() for _ in range(12)]
        times = [t for t in times if min(abs(t - x) for x, _ in points) > 1e-13 * stop]
        times = sorted(set(times + ([0.0] if p.width < p.period else []) + ([p.rise / 2, p.rise] if p.delay == 0 and p.width < p.period else [])))
        text = "pulse\nV1 a 0 %s\nR1 a b 1k\nC1 b 0 %r\n.tran %r %r\n.print tran v(a) v(b)\n.end\n" % (p.card(), tau / 1e3, stop / 10, stop)
        said = case.program.run(text, times, "--tol", "1e-9", ending="cir")
        rows = said.rows()
        if not case.check(rows is not None and len(rows) == len(times), said.why(), text):
            continue
        most = abs(p.high) + abs(p.low)
        for row, (t, u, v) in zip(rows, response(points, tau, times)):
            if not (case.equal(row["v(a)"], u, 1e-9 * most + most * 4e-16 * stop / min(p.rise, p.fall), "v(a) at %r" % t, text) and
                    case.equal(row["v(b)"], v, 3e-7 * most, "v(b) at %r" % t, text)):
                break
    c.close()


main()
