"""Rows inside of stiff steps: states and outputs that divide small differences, with every method.

rows.py PROGRAM [--cases N | --seconds S] [--seed N] [--only K]. A chain of storages s_k with couplings g_k,

    s_k x_k' = f_k - f_(k+1),    f_k = g_k (x_(k-1) - x_k),    x_0 a constant plus a sine,

starts in its periodic motion, which phasors give without loss of digits: f_k is the sum of s_j x_j' behind it. Rates
g/s go from 1 to 1e9 times that of the source. A single storage also starts empty. The same chain is a network of
resistors and capacitors, of resistors and inductors, or of dampers and masses. Some sources could jump, where a sine of
time, a state or time itself says so, and never do: all that follows counts as if they could not. Explicit methods are stable in steps of
1/rate only: they run as long as some 100 000 steps reach, or are asked for so many that they must refuse.
"""
import cmath
import math
import os
import sys

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign

EPS = 2.2e-16
LONG, HOPELESS = 3e5, 1e10  # what explicit methods are asked for: rate times span


class Chain:
    """Values along time: x(t) and f(t), arrays from 1 on."""

    def __init__(self, dice, most):
        self.n = n = dice.choice([1, 1, 2, 3, 5])
        self.omega = 10 ** dice.uniform(-1, 4)
        self.size, self.phase, self.shift = 10 ** dice.uniform(-2, 2), dice.uniform(0, 6), 0.0
        if dice.random() < 0.3:
            self.shift = self.size * dice.uniform(-2, 2)
        self.s = [10 ** dice.uniform(-6, 0) for _ in range(n)]
        self.g = [s * self.omega * 10 ** (dice.uniform(0, most) if dice.random() < 0.7 else dice.uniform(-1, 1))
                  for s in self.s]
        self.empty = n == 1 and dice.random() < 0.3
        a = numpy.zeros((n, n), complex)
        b = numpy.zeros(n, complex)
        for k in range(n):
            a[k, k] += 1j * self.omega * self.s[k] + self.g[k]
            if k:
                a[k - 1, k - 1] += self.g[k]
                a[k - 1, k] -= self.g[k]
                a[k, k - 1] -= self.g[k]
        b[0] = self.g[0] * self.size
        self.x = numpy.linalg.solve(a, b)
        flow = 1j * self.omega * self.x * self.s
        self.f = numpy.cumsum(flow[::-1])[::-1]

    def at(self, t):
        turn = cmath.exp(1j * (self.omega * t + self.phase - math.pi / 2))
        x, f = (self.x * turn).real + self.shift, (self.f * turn).real
        if self.empty:  # plus what is left of its start at zero
            turn = cmath.exp(1j * (self.phase - math.pi / 2))
            left = -((self.x * turn).real + self.shift) * math.exp(-self.g[0] / self.s[0] * t)
            x, f = x + left, f - left * self.g[0]
        return x, f

    def fastest(self):
        return max(2 * (g + h) / s for g, h, s in zip(self.g, self.g[1:] + [0], self.s))

    def source(self):
        return "%r + %r*sin(%r*t + %r)" % (self.shift, self.size, self.omega, self.phase)

    def noise(self, k):
        """Rounding of x that f_k shows, some tens of it by eight stages; and of the sums at its ends, where terms of the
        largest coupling meet f_k. What a sum further behind misses comes through storages that follow at once."""
        sums, part = max(self.g[max(k - 1, 0):k + 2]), 1.0
        for j in range(k + 1, self.n):
            part *= self.g[j - 1] / (self.g[j - 1] + self.omega * self.s[j - 1])
            sums = max(sums, part * max(self.g[j:j + 2]))
        return EPS * (128 * self.g[k] + 4 * sums) * (abs(self.shift) + self.size)


def capacitors(c, x):
    text, names = "V1 : vsource(n0, ground) v = %s\n" % c.source(), []
    for k in range(c.n):
        text += "R%d : resistor(n%d, n%d) R = %r\nC%d : capacitor(n%d, ground) C = %r, v(0) = %r\n" % (
            k + 1, k, k + 1, 1 / c.g[k], k + 1, k + 1, c.s[k], float(x[k]))
        names.append(("C%d.v" % (k + 1), "R%d.i" % (k + 1), "C%d.i" % (k + 1)))
    return text, names


def inductors(c, x):
    text, names = "I1 : isource(ground, n1) i = %s\n" % c.source(), []
    for k in range(c.n):
        text += "R%d : resistor(n%d, ground) R = %r\nL%d : inductor(n%d, %s) L = %r, i(0) = %r\n" % (
            k + 1, k + 1, c.g[k], k + 1, k + 1, "n%d" % (k + 2) if k + 1 < c.n else "ground", c.s[k], float(x[k]))
        names.append(("L%d.i" % (k + 1), "R%d.v" % (k + 1), "L%d.v" % (k + 1)))
    return text, names


def masses(c, x):
    text, names = "V1 : velocity_source(ground, n0) v = %s\n" % c.source(), []
    for k in range(c.n):
        text += "D%d : damper(n%d, n%d) d = %r\nM%d : mass(n%d) m = %r\ninitial n%d.v = %r\n" % (
            k + 1, k + 1, k, c.g[k], k + 1, k + 1, c.s[k], k + 1, float(x[k]))
        names.append(("n%d.v" % (k + 1), "D%d.F" % (k + 1), None))
    return text, names


def may_jump(dice, c, text, state):
    """Another text of the same model."""
    source = "= %s\n" % c.source()
    never = dice.choice(["sin(%r*t) < 2" % c.omega, "%s < %r" % (state, 1e6 * c.size), "sign(cos(%r*t) + 2) > 0" % c.omega,
                         "t < %r" % (1e3 / c.omega), "abs(t - %r) > 0" % (1e3 / c.omega)])
    return text.replace(source, "= if %s then %s else 0\n" % (never, source[2:-1]))


def times_of(dice, stop):
    if dice.random() < 0.3:
        return [stop * (i + 1) / 200 for i in range(200)]
    return sorted({stop * dice.random() ** dice.choice([1, 3]) for _ in range(dice.choice([1, 4, 25]))} | {stop})


def compare(case, c, names, got, times, tol, what, text):
    """BDF begins with order one and gives rates of stiff parts by the slope of its polynomial: only small steps, as
    small as tol, would be accurate there. Its flows are compared from a hundredth of the run on."""
    late = 0.01 * times[-1] if "bdf" in what else 0
    right = [c.at(t) for t in times]
    x0, f0 = c.at(0)
    for k, (state, flow, storage) in enumerate(names):
        most_x = max([abs(x[k]) for x, f in right] + [abs(x0[k]), c.size])
        most_f = max([abs(f[k]) for x, f in right] + [abs(f0[k]), abs(c.f[k]), c.s[k] * c.omega * most_x])
        rest = lambda f: f[k] - (f[k + 1] if k + 1 < c.n else 0)
        most_s = most_f  # it is the difference of two such flows
        rounding = c.noise(k) + (c.noise(k + 1) if k + 1 < c.n else 0)
        columns = [(state, most_x, 0, lambda x, f: x[k]), (flow, most_f, c.noise(k), lambda x, f: f[k])]
        if storage:
            columns.append((storage, most_s, rounding, lambda x, f: rest(f)))
        for name, most, noise, value in columns:
            kept = [(g, r) for t, g, r in zip(times, got, right) if name == state or t >= late]
            if not kept:
                continue
            error = max(abs(g[name] - value(*r)) for g, r in kept)
            allowed = 10 * tol * (most + 1e-3 * (name == state)) + noise
            case.check(error <= allowed, "%s: %s off by %.1f times tol, %.2g of %.2g" % (
                what, name, error / (tol * most), error, most), text)


def main():
    campaign = Campaign("rows", 150)
    for case in campaign:
        dice = case.dice
        way = dice.choice(["auto", "auto", "rosenbrock", "bdf", "rk", "rk8", "adams", "numeric"])
        c = Chain(dice, 9)
        make = dice.choice([capacitors, inductors, masses])
        x0 = [0.0] if c.empty else c.at(0)[0]
        text, names = make(c, x0)
        text += "output " + ", ".join(name for row in names for name in row if name) + "\n"
        tol = dice.choice([1e-6, 1e-6, 10 ** dice.uniform(-8, -3)])
        stop = dice.uniform(0.5, 12) / c.omega
        explicit, hopeless = way in ("rk", "rk8", "adams"), False
        if explicit and c.fastest() * stop > LONG:
            hopeless = c.fastest() * stop > HOPELESS and dice.random() < 0.2
            stop = stop if hopeless else dice.uniform(0.1, 1) * LONG / c.fastest()
        times = times_of(dice, stop)
        options = ["--form", "numeric"] if way == "numeric" else ["--method", way]
        if dice.random() < 0.3:
            text = may_jump(dice, c, text, names[0][0])
        if dice.random() < 0.3:  # rows next to the begin, and to others
            near = [t * (1 - 10 ** dice.uniform(-12, -3)) for t in times[-3:]] + [stop * 10 ** dice.uniform(-12, -3)]
            times = sorted(times + near)
        said = case.program.run(text, times, "--tol", repr(tol), *options)
        if hopeless:
            case.check(said.code != 0 and "stiff" in said.why(), "%s: not refused, %s" % (way, said.why()), text)
            continue
        got = said.rows()
        what = "%s, tol %.1e, %s%s" % (make.__name__, tol, way, ", empty" if c.empty else "")
        if case.check(got is not None and len(got) == len(times), "%s: %s" % (what, said.why()), text):
            compare(case, c, names, got, times, tol, what, text)
    campaign.close()


main()
