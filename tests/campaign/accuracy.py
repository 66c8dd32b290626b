"""Global errors against closed forms: within 10 times tol of the largest value of a column, with every method.

accuracy.py PROGRAM [--cases N | --seconds S] [--seed N] [--only K]. What has no closed form (pendulum, van der Pol, two
tanks) is integrated by scipy at 1e-13.
"""
import math
import os
import sys

import numpy
import scipy.integrate
import scipy.linalg

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign


class Times(list):
    """Those of the rows that are asked for, and more of them: a column is judged by its largest value in the run."""

    def __init__(self, asked, stop):
        super().__init__(sorted(asked | {stop * k / 64 for k in range(1, 64)}))
        self.asked = asked


def times_of(dice, stop):
    asked = {float("%.9g" % (stop * dice.random())) for _ in range(dice.choice([1, 3, 12, 60]))} | {stop}
    return Times(asked, stop)


def solve(f, x0, times, outputs):
    """Rows of outputs(t, x) along x' = f(t, x)."""
    s = scipy.integrate.solve_ivp(f, (0, times[-1]), x0, "DOP853", times, rtol=1e-13, atol=1e-15)
    return [outputs(t, x) for t, x in zip(s.t, s.y.T)]


def ladder(dice):
    """Resistors in a row with capacitors, some cells with inductors: x' = A x + b u, u a sum of sines and a constant."""
    n, w = dice.randint(1, 5), 10 ** dice.uniform(1, 4)
    text, a, names, at = "", {}, [], -1
    shift, size, omega = dice.uniform(-3, 3), dice.uniform(1, 9), w * dice.uniform(0.1, 2)
    text += "V1 : vsource(n0, ground) v = %r + %r*sin(%r*t)\n" % (shift, size, omega)
    for i in range(1, n + 1):
        c, r = 10 ** dice.uniform(-7, -5), 10 ** dice.uniform(0, 3)
        c = 1 / (r * w) * dice.uniform(0.3, 3)
        text += "C%d : capacitor(n%d, ground) C = %r\n" % (i, i, c)
        names.append("C%d.v" % i)
        v = len(names) - 1
        if dice.random() < 0.4:
            coil = r / w * dice.uniform(0.3, 3)
            text += "L%d : inductor(n%d, m%d) L = %r\nR%d : resistor(m%d, n%d) R = %r\n" % (
                i, i - 1, i, coil, i, i, i, r)
            names.append("L%d.i" % i)
            j = len(names) - 1
            add(a, v, j, 1 / c), add(a, j, v, -1 / coil), add(a, j, j, -r / coil), add(a, j, at, 1 / coil)
            if at >= 0:
                add(a, at, j, -1 / caps[at])
        else:
            text += "R%d : resistor(n%d, n%d) R = %r\n" % (i, i - 1, i, r)
            add(a, v, v, -1 / (r * c)), add(a, v, at, 1 / (r * c))
            if at >= 0:
                add(a, at, v, 1 / (r * caps[at])), add(a, at, at, -1 / (r * caps[at]))
        caps = {**(caps if i > 1 else {}), v: c}
        at = v
    m = len(names)
    big = numpy.zeros((m + 3, m + 3))  # u = shift*x[m] + size*x[m+1], x[m+1]' = omega x[m+2], ...
    for (i, j), value in a.items():
        if j >= 0:
            big[i, j] += value
        else:
            big[i, m] += value * shift
            big[i, m + 1] += value * size
    big[m + 1, m + 2], big[m + 2, m + 1] = omega, -omega
    x0 = numpy.zeros(m + 3)
    x0[m] = x0[m + 2] = 1
    text = "initial %s\n" % ", ".join("%s = 0" % name for name in names) + text
    times = times_of(dice, dice.uniform(1, 30) / w)
    rows = [list((scipy.linalg.expm(big * t) @ x0)[:m]) for t in times]
    return text, names, times, rows


def add(a, i, j, value):
    a[i, j] = a.get((i, j), 0) + value


def logistic(dice):
    rate, full, start = dice.uniform(0.5, 5), dice.uniform(1, 100), dice.uniform(0.01, 0.5)
    text = """element growth "logistic"
  port a, k : electrical
  edge e(a, k)
  e.i = -%r*e.v*(1 - e.v/%r)
end
C1 : capacitor(a, ground) C = 1, v(0) = %r
G1 : growth(a, ground)
""" % (rate, full, start * full)
    times = times_of(dice, dice.uniform(1, 12) / rate)
    return text, ["C1.v"], times, [[full / (1 + (1 / start - 1) * math.exp(-rate * t))] for t in times]


def tanks(dice):
    """Two tanks with turbulent orifices: q = sign(p) sqrt(|p|/R)."""
    areas, r = [dice.uniform(0.2, 1) for _ in range(2)], 10 ** dice.uniform(9, 10)
    flow, start, weight = dice.uniform(20, 90) / 60000, dice.uniform(0.02, 0.2) * 1e5, 9810.0
    text = """Q : flow_source(ground, a) q = %r
T1 : tank(a, ground) C = %r, p(0) = %r
R1 : fluid_resistor(a, b) R = %r, k = 2
T2 : tank(b, ground) C = %r, p(0) = %r
R2 : fluid_resistor(b, ground) R = %r, k = 2
""" % (flow, areas[0] / weight, 1.5 * start, r, areas[1] / weight, start, r)
    times = times_of(dice, dice.uniform(50, 900))
    orifice = lambda p: math.copysign(math.sqrt(abs(p) / r), p)

    def f(t, x):
        q = orifice(x[0] - x[1])
        return [(flow - q) * weight / areas[0], (q - orifice(x[1])) * weight / areas[1]]
    return text, ["T1.p", "T2.p"], times, solve(f, [1.5 * start, start], times, lambda t, x: list(x))


def empty_tank(dice):
    """sqrt(p) falls in proportion to time; the flow is its derivative."""
    r, c, p = 10 ** dice.uniform(8, 10), 10 ** dice.uniform(-5, -4), 10 ** dice.uniform(3, 5)
    text = "T1 : tank(a, ground) C = %r, p(0) = %r\nR1 : fluid_resistor(a, ground) R = %r, k = 2\n" % (c, p, r)
    fall = 1 / (2 * c * math.sqrt(r))
    times = times_of(dice, dice.uniform(0.2, 0.95) * math.sqrt(p) / fall)
    return text, ["T1.p", "R1.q"], times, [[(math.sqrt(p) - fall * t) ** 2, (math.sqrt(p) - fall * t) / math.sqrt(r)]
                                           for t in times]


def oscillator(dice):
    m, k, d = dice.uniform(0.5, 5), 10 ** dice.uniform(0, 4), dice.uniform(0, 0.3)
    w = math.sqrt(k / m)
    d, x, v = d * math.sqrt(k * m), dice.uniform(-1, 1), dice.uniform(-1, 1) * w
    text = """M1 : mass(a) m = %r
S1 : spring(a, ground) k = %r
D1 : damper(a, ground) d = %r
initial S1.x = %r, S1.v = %r
""" % (m, k, d, x, v)
    a = numpy.array([[0, 1], [-k / m, -d / m]])
    times = times_of(dice, dice.uniform(1, 40) / w)
    return text, ["S1.x", "S1.v"], times, [list(scipy.linalg.expm(a * t) @ [x, v]) for t in times]


def kinks(dice):
    """The integral of |sin|: kinks at times that only the run itself finds."""
    w, start = dice.uniform(1, 15), dice.uniform(0, 1)
    text = "C1 : capacitor(a, ground) C = 1, v(0) = 0\nI1 : isource(ground, a) i = abs(sin(%r*t + %r))\n" % (w, start)
    times = times_of(dice, dice.uniform(1, 60) / w)
    whole = lambda a: 2 * math.floor(a / math.pi) + 1 - math.cos(a % math.pi)
    return text, ["C1.v"], times, [[(whole(w * t + start) - whole(start)) / w] for t in times]


def state_kinks(dice):
    """The integral of abs, max, min or a choice over a state that rises evenly: kinks that no time tells."""
    k, start, rate = dice.uniform(1, 15), dice.uniform(0, 1), dice.uniform(0.3, 3)
    a = "sin(%r*C1.v/(1 V) + %r)" % (k, start)
    law, half = dice.choice([("abs(%s)" % a, 1), ("max(0, %s)" % a, 0), ("-min(-%s, 0)" % a, 0),
                             ("if %s > 0 then %s else -%s" % (a, a, a), 1), ("%s*sign(%s)" % (a, a), 1)])
    text = """C1 : capacitor(a, ground) C = 1, v(0) = 0
I1 : isource(ground, a) i = %r
C2 : capacitor(b, ground) C = 1, v(0) = 0
I2 : isource(ground, b) i = (1 A)*(%s)
""" % (rate, law)
    times = times_of(dice, dice.uniform(1, 60) / (k * rate))

    def whole(x):  # the integral of the law over its argument
        turns, rest = divmod(x, 2 * math.pi)
        bow = 1 - math.cos(min(rest, math.pi))
        return (turns * 2 * (1 + half)) + bow + half * (max(0, rest - math.pi) and 1 + math.cos(rest))
    return text, ["C1.v", "C2.v"], times, [
        [rate * t, (whole(k * rate * t + start) - whole(start)) / (k * rate)] for t in times]


def clipped(dice):
    """A capacitor charged through a resistor by max(0, sine): the solution is known between the kinks."""
    w, tau = dice.uniform(1, 5), dice.uniform(0.05, 2)
    text = "V1 : vsource(a, ground) v = max(0, sin(%r*t))\nR1 : resistor(a, b) R = %r\n" % (w, tau)
    text += "C1 : capacitor(b, ground) C = 1\ninitial C1.v = 0\n"
    times = times_of(dice, dice.uniform(1, 20) / w)

    def part(x, begin, end):  # from x at begin, both in the half wave
        g = lambda t: (math.sin(w * t) - w * tau * math.cos(w * t)) / (1 + (w * tau) ** 2)
        return g(end) + (x - g(begin)) * math.exp((begin - end) / tau)

    def value(t):
        x, now, k = 0.0, 0.0, 0
        while now < t:
            k, end = k + 1, min(t, (k + 1) * math.pi / w)
            x = part(x, now, end) if k % 2 else x * math.exp((now - end) / tau)
            now = end
        return x
    return text, ["C1.v"], times, [[value(t)] for t in times]


def pendulum(dice):
    length, start = dice.uniform(0.2, 3), dice.uniform(0.1, 2.5)
    w2 = 9.81 / length
    text = """element weight "gravity on an angle"
  port a : rotational
  edge e(a, ground)
  e.T = %r*sin(e.theta)
end
J1 : inertia(a) J = 1
G1 : weight(a)
initial G1.theta = %r, G1.w = 0
""" % (w2, start)
    times = times_of(dice, dice.uniform(1, 20) / math.sqrt(w2))
    f = lambda t, x: [x[1], -w2 * math.sin(x[0])]
    return text, ["G1.theta", "G1.w"], times, solve(f, [start, 0], times, lambda t, x: list(x))


def van_der_pol(dice):
    mu = 10 ** dice.uniform(-1, 2)
    text = """element negative "negative resistance"
  port a, k : electrical
  edge e(a, k)
  e.i = %r*(e.v^3/3 - e.v)
end
C1 : capacitor(a, ground) C = 1, v(0) = 1
L1 : inductor(a, ground) L = 1, i(0) = 0
N1 : negative(a, ground)
""" % mu
    times = times_of(dice, dice.uniform(1, 8))
    f = lambda t, x: [-x[1] - mu * (x[0] ** 3 / 3 - x[0]), x[0]]
    return text, ["C1.v", "L1.i"], times, solve(f, [1, 0], times, lambda t, x: list(x))


KINDS = [ladder, logistic, tanks, empty_tank, oscillator, kinks, state_kinks, clipped, pendulum, van_der_pol]
METHODS = ["auto", "auto", "auto", "rosenbrock", "bdf", "rk", "adams"]


def main():
    campaign = Campaign("accuracy", 120)
    for case in campaign:
        dice = case.dice
        make = dice.choice(KINDS)
        text, names, times, rows = make(dice)
        tol, method = dice.choice([1e-6, 1e-6, 1e-6, 10 ** dice.uniform(-9, -3)]), dice.choice(METHODS)
        text += "output %s\n" % ", ".join(names)
        said = case.program.run(text, sorted(times.asked), "--tol", repr(tol), "--method", method)
        got = said.rows()
        what = "%s, tol %.1e, %s" % (make.__name__, tol, method)
        if not case.check(got is not None and len(got) == len(times.asked), "%s: %s" % (what, said.why()), text):
            continue
        right = [row for t, row in zip(times, rows) if t in times.asked]
        for i, name in enumerate(names):
            largest = max(abs(row[i]) for row in rows)
            error = max(abs(g[name] - row[i]) for g, row in zip(got, right)) / (tol * (largest + 1e-3))
            case.check(error <= 10, "%s: %s off by %.1f times tol" % (what, name, error), text)
    campaign.close()


main()
