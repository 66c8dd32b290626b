#!/usr/bin/python3
"""Random ladders of R, L, C driven by sums of products of polynomials, sines and exponentials, against closed forms.

Such a system is linear with constant coefficients between breaks, and its rows are right to rounding at default settings,
whatever its stiffness and however many periods pass. Right values: eigenvalues for the free part; for t^k exp(s t) the
polynomials that the equations ask for, one linear system a coefficient.
"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from campaign import Campaign

import numpy


def log_uniform(dice, low, high):
    return float("%.3g" % (low * (high / low) ** dice.random()))


class Force:
    """amplitude * t^k * exp(-a t) * cos(w t + p)"""

    def __init__(self, dice, span):
        self.k = dice.choice([0, 0, 0, 1, 2])
        self.a = dice.choice([0, log_uniform(dice, 0.3, 5) / span])
        self.w = dice.choice([0, log_uniform(dice, 1, 300) / span])
        self.p = float("%.3g" % dice.uniform(-3, 3)) if self.w else 0.0
        self.size = float("%.3g" % dice.uniform(-5, 5)) / span ** self.k

    def text(self):
        factors = ["%r A" % self.size] + ["(t/(1 s))"] * self.k
        factors += ["exp(-%r*t)" % self.a] if self.a else []
        factors += ["cos(%r*t + %r)" % (self.w, self.p)] if self.w else []
        return "*".join(factors)


class Ladder:
    def __init__(self, dice):
        self.n = dice.randint(1, 4)
        value = lambda low, high: [log_uniform(dice, low, high) for _ in range(self.n)]
        self.c, self.l = value(1e-7, 1e-2), value(1e-6, 1e-1)
        self.g, self.r = value(1e-6, 1e2), value(1e-4, 1e2)
        self.v0 = [float("%.3g" % dice.uniform(-5, 5)) for _ in range(self.n)]

    def text(self):
        lines = []
        for k in range(self.n):
            a, b = "n%d" % k, "n%d" % (k + 1) if k + 1 < self.n else "ground"
            lines += ["C%d: capacitor(%s, ground) C = %r F" % (k, a, self.c[k]),
                      "G%d: resistor(%s, ground) R = %r ohm" % (k, a, 1 / self.g[k]),
                      "L%d: inductor(%s, m%d) L = %r H" % (k, a, k, self.l[k]),
                      "R%d: resistor(m%d, %s) R = %r ohm" % (k, k, b, self.r[k]),
                      "initial C%d.v = %r V, L%d.i = 0 A" % (k, self.v0[k], k)]
        return lines

    def matrix(self):
        n = self.n
        a = numpy.zeros((2 * n, 2 * n))
        for k in range(n):
            a[k, k], a[k, n + k] = -self.g[k] / self.c[k], -1 / self.c[k]
            a[n + k, k], a[n + k, n + k] = 1 / self.l[k], -self.r[k] / self.l[k]
            if k:
                a[k, n + k - 1] = 1 / self.c[k]
            if k + 1 < n:
                a[n + k, k + 1] = -1 / self.l[k]
        return a


def solved(m, b):
    """Refined with residuals in longer numbers: small ones of a stiff matrix count."""
    x = numpy.zeros(len(b), dtype=numpy.clongdouble)
    for _ in range(4):
        x += numpy.linalg.solve(m.astype(complex), (b - m @ x).astype(complex))
    return x


def particular(a, b, force):
    """Coefficients of t^j exp(s t): (s - A) p_k = b, (s - A) p_j = -(j + 1) p_(j+1)."""
    s = complex(-force.a, force.w)
    m = (s * numpy.eye(len(a)) - a).astype(numpy.clongdouble)
    p = [solved(m, b * force.size * numpy.exp(1j * force.p))]
    for j in range(force.k - 1, -1, -1):
        p.insert(0, solved(m, -(j + 1) * p[0]))
    return lambda t: (sum(q * t ** j for j, q in enumerate(p)) * numpy.exp(s * t)).real


def solution(a, b, pieces, x, times):
    """pieces: (end, forces), from 0 on; x at the times, and how many times larger than it the parts are that cancel."""
    value, vector = numpy.linalg.eig(a)
    inverse = numpy.linalg.inv(vector)
    rows, begin, parts_of_x = [], 0.0, numpy.abs(x)
    for end, forces in pieces:
        parts = [particular(a, b, f) for f in forces]
        forced = lambda t: sum((p(t) for p in parts), numpy.zeros(len(a)))
        free = inverse @ (x - forced(begin)).astype(float)
        at = lambda t: (vector @ (numpy.exp(value * (t - begin)) * free)).real + forced(t)
        rows += [at(t) for t in times if begin <= t < end]
        for t in [begin] + [t for t in times if begin <= t < end]:
            parts_of_x = numpy.maximum(parts_of_x, sum(numpy.abs(p(t)) for p in parts))
        x, begin = at(end), end
    largest = numpy.abs(numpy.array(rows)).max(axis=0)
    late = 1 + numpy.abs(value).max() * times[-1]  # eigenvalues are known to the last digits of the largest
    return rows, numpy.linalg.cond(vector) * (parts_of_x / largest).max() * late


campaign = Campaign("exact", 60)
for case in campaign:
    dice = case.dice
    ladder = Ladder(dice)
    a = ladder.matrix()
    b = numpy.zeros(len(a))
    b[0] = 1 / ladder.c[0]
    fast = numpy.abs(numpy.linalg.eigvals(a)).max()
    span = float("%.3g" % (log_uniform(dice, 1, 3e4) / fast))
    first, second = ([Force(dice, span) for _ in range(dice.randint(1, 3))] for _ in range(2))
    cut = float("%.3g" % (span * dice.uniform(0.1, 0.9))) if dice.random() < 0.5 else 2 * span
    drive = " + ".join(f.text() for f in first)
    if cut < span:
        drive = "if t < %r s then %s else %s" % (cut, drive, " + ".join(f.text() for f in second))
    text = "\n".join(["model ladder"] + ladder.text() + ["I1: isource(ground, n0) i = " + drive,
                     "output " + ", ".join("C%d.v" % k for k in range(ladder.n)) + ", L0.i"])
    times = sorted({float("%.4g" % (span * dice.random())) for _ in range(5)} - {cut, 0.0})
    x = numpy.array(ladder.v0 + [0.0] * ladder.n)
    root = numpy.sqrt(ladder.c + ladder.l)  # by roots of energies: the matrix is nearly skew then
    right, lost = solution(a * root[:, None] / root, b * root, [(cut, first), (10 * span, second)], x * root, times)
    right = [row / root for row in right]
    said = case.program.run(text, times, "--stop", repr(span), "--stats")
    rows = said.rows()
    if not case.check(rows is not None and len(rows) == len(times), "no rows: " + said.why(), text):
        continue
    if lost > 1e6:
        continue
    largest = numpy.abs(numpy.array(right)).max(axis=0)
    for t, row, want in zip(times, rows, right):
        for k in range(ladder.n):
            case.equal(row["C%d.v" % k], want[k], 1e-9 * largest[k], "C%d.v(%r)" % (k, t), text)
        case.equal(row["L0.i"], want[ladder.n], 1e-9 * largest[ladder.n], "L0.i(%r)" % t, text)
campaign.close()
