"""Sources that act briefly, or swing fast beside a large value: no step passes over them.

A capacitor with a nonlinear conductor, fed by narrow peaks, flanks and fast sines, and a rotor with a torque of its angle;
against SciPy with steps that end at the peaks and follow the sines.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy
from numpy import arctan, cosh, exp, pi, sin, tanh
from scipy.integrate import solve_ivp
from scipy.special import erf

from campaign import Campaign

METHODS = ["auto", "rk", "rk8", "rosenbrock", "bdf", "adams"]
STOP = 10.0


def flank(word, own):
    return (lambda dice, at, w: ("({0}((t - {1!r} s)/({2!r} s)) - {0}((t - {3!r} s)/({2!r} s)))".format(word, at, w, at + 3*w),
                                 lambda t: own((t - at)/w) - own((t - at - 3*w)/w), 6*w))


def logistic(dice, at, w):
    side = "1 / (1 + exp(-(t - %r s)/(%r s)))"
    return (("(" + side + " - " + side + ")") % (at, w, at + 3*w, w),
            lambda t: 1/(1 + exp(numpy.clip(-(t - at)/w, -700, 700))) - 1/(1 + exp(numpy.clip(-(t - at - 3*w)/w, -700, 700))), 30*w)


def bell(dice, at, w):
    k = dice.choice([2, 4])
    return "exp(-((t - %r s)/(%r s))^%d)" % (at, w, k), lambda t: exp(-((t - at)/w)**k), 6*w


def resonance(dice, at, w):
    return "1 / (1 + ((t - %r s)/(%r s))^2)^2" % (at, w), lambda t: 1/(1 + ((t - at)/w)**2)**2, 30*w


def hump(dice, at, w):
    return "1 / cosh((t - %r s)/(%r s))" % (at, w), lambda t: 1/cosh(numpy.clip((t - at)/w, -700, 700)), 20*w


def packet(dice, at, w):
    rate = dice.uniform(1, 5)/w
    return ("sin(%r*t)*exp(-((t - %r s)/(%r s))^2)" % (rate, at, w),
            lambda t: sin(rate*t)*exp(-((t - at)/w)**2), 6*w)


SHAPES = [flank("tanh", tanh), flank("atan", arctan), flank("erf", erf), logistic, bell, resonance, hump, packet]


def swing(dice):
    """A sine that heats: its square, or with a ripple; ten to some hundred turns."""
    w = 2*pi*10**dice.uniform(0, 1.6)
    if dice.random() < 0.5:
        return "sin(%r*t)^2" % w, lambda t: sin(w*t)**2, w
    return "(1 + cos(%r*t))*(0.5 + 0.3*sin(%r*t))" % (w, w/3), lambda t: (1 + numpy.cos(w*t))*(0.5 + 0.3*sin(w/3*t)), w


def make(dice):
    q = {"g": dice.uniform(0.01, 0.5), "k": dice.uniform(0.1, 1), "amp": 10**dice.uniform(-1, 2),
         "v0": dice.choice([0.0, 10**dice.uniform(0, 2.5)])}
    if dice.random() < 0.5:
        at, w = dice.uniform(0.5, 9), 10**dice.uniform(-5, -1.5)
        text, f, reach = dice.choice(SHAPES)(dice, at, w)
        q["amp"] *= 0.1/w
        cuts = sorted({min(max(at + c*reach, 0.0), STOP) for c in (-3, -1, -0.3, 0, 0.3, 1, 3)} | {0.0, STOP})
        return q, text, f, cuts, numpy.inf
    text, f, w = swing(dice)
    return q, text, f, [0.0, STOP], 0.3/w


def model(q, text):
    return """model brief
I1 : isource(ground, a)  i = %r A*(%s)
C1 : capacitor(a, ground)  C = 1 F, v(0) = %r V
R1 : resistor(a, b)  R = %r ohm / (1 + abs(C1.v/(1 V)))
R2 : resistor(b, ground)  R = %r ohm
output C1.v
""" % (q["amp"], text, q["v0"], q["k"], 1/q["g"])


def solve(q, f, cuts, step, times):
    def rates(t, v):
        return q["amp"]*f(t) - v/(1/q["g"] + q["k"]/(1 + abs(v)))
    v, out, largest = numpy.array([q["v0"]]), {}, abs(q["v0"])
    for a, b in zip(cuts, cuts[1:]):
        inside = [t for t in times if a < t < b] + [b]
        first = min((b - a)/1000, step) if b > a else None
        got = solve_ivp(rates, (a, b), v, "DOP853", inside, rtol=1e-10, atol=1e-10, max_step=min(step, (b - a)/20),
                        first_step=first)
        out.update(zip(inside, got.y[0]))
        v, largest = got.y[:, -1], max(largest, abs(got.y[0]).max())
    return out, largest


def rotor(case):
    """Many turns: errors count beside an angle of thousands."""
    dice, tol, method = case.dice, 10**case.dice.uniform(-7, -4), case.dice.choice(METHODS)
    w0, d, n, amp = dice.uniform(50, 300), dice.uniform(1e-4, 1e-2), dice.choice([1, 2, 3]), dice.uniform(0.1, 5)
    text = """model rotor
J1 : inertia(s)  J = 1 kg.m^2, w(0) = %r rad/s
T1 : torque(ground, s)  T = -%r N.m*sin(%d*J1.theta)^2
B1 : torsion_damper(s, ground)  d = %r N.m.s/rad
output J1.w, J1.theta
""" % (w0, amp, n, d)
    said = case.program.run(text, [STOP], "--tol", repr(tol), "--method", method)
    if not case.check(said.rows() is not None, "runs: " + said.why(), text):
        return
    got = solve_ivp(lambda t, x: [x[1], -amp*sin(n*x[0])**2 - d*x[1]], (0, STOP), [0, w0], "DOP853", rtol=1e-11,
                    atol=1e-11, max_step=0.5/n/w0)
    for k, name in enumerate(["J1.theta", "J1.w"]):
        scale = abs(got.y[k]).max()
        off = abs(said.rows()[0][name] - got.y[k][-1])/scale
        case.check(off <= 20*tol, "%s off by %.3g tol with %s at %.2g" % (name, off/tol, method, tol), text)


def main():
    campaign = Campaign("brief", 12)
    for case in campaign:
        if case.dice.random() < 0.2:
            rotor(case)
            continue
        q, shape, f, cuts, step = make(case.dice)
        text, tol, method = model(q, shape), 10**case.dice.uniform(-8, -4), case.dice.choice(METHODS)
        times = sorted(case.dice.uniform(0, STOP) for _ in range(3)) + [STOP]
        rows = case.program.run(text, times, "--tol", repr(tol), "--method", method)
        if not case.check(rows.rows() is not None, "runs: " + rows.why(), text):
            continue
        right, largest = solve(q, f, cuts, step, times)
        off = max(abs(row["C1.v"] - right[t]) for row, t in zip(rows.rows(), times))
        case.check(off <= 20*tol*largest, "off by %.3g tol with %s at %.2g" % (off/tol/largest, method, tol), text)
    campaign.close()


main()
