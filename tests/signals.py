#!/usr/bin/env python3
"""Blocks of signals against closed forms: signals.py COTREE. One model a block; a row of BLOCKS has what the block is
given, the line of the block, what `y` is at each time, and how near it must come."""
import csv
import io
import math
import subprocess
import sys
import tempfile

exp, sin, cos, floor = math.exp, math.sin, math.cos, math.floor
TIMES = [0.03, 0.11, 0.26, 0.4, 0.52, 0.77, 0.93, 1.21, 1.62, 1.97]


def clamp(x, lo, hi):
    return max(lo, min(hi, x))


def park_miller(seed, count):
    """The numbers of `noise`: two steps of the generator for each, Box and Muller's cosine."""
    state, p = seed, 2147483647
    for _ in range(count):
        state = 16807 * (16807 * state % p) % p
    return math.sqrt(-2 * math.log(state / p)) * cos(2 * math.pi * (16807 * state % p) / p)


def sampled(period, step, offset=0.0):
    """y of a recursion y = step(state, u at the tick); the state is a list."""
    def value(t):
        state, y, k = [0.0] * 4, 0.0, 0
        while offset + k * period <= t + 1e-12:
            y = step(state, sin(3 * (offset + k * period)))
            k += 1
        return y
    return value


def second_order(s, u):
    """(0.5 z^2 + 2 z + 1)/(z^2 - 0.7 z + 0.2)"""
    w = u + 0.7 * s[0] - 0.2 * s[1]
    y = 0.5 * w + 2 * s[0] + 1 * s[1]
    s[1], s[0] = s[0], w
    return y


def two_states(s, u):
    y = s[0] + s[1] + 0.5 * u
    s[0], s[1] = 0.5 * s[0] + u, s[0] + 0.2 * s[1]
    return y


def counts(s, u):
    s[0] += 1
    return 3 + 2 * park_miller(7, int(s[0]))


def limited_pi(t):
    """Kp = 2, Ki = 4, Tt = 0.5, limited at 3, e = 1: xi' = 4 + (3 - v)/0.5 while v = 2 + xi > 3."""
    if t < 0.25:
        return 2 + 4 * t
    return 3.0


def windup(t):
    """The same after e turns to -1 at 1: from xi = 3 - 0.. the output leaves the limit at once."""
    xi = 1 + 2 * (1 - exp(-(1 - 0.25) / 0.5))                # xi' = 4 + (1 - xi)/0.5 from xi = 1 at 0.25
    return limited_pi(t) if t < 1 else -2 + xi - 4 * (t - 1)


def rate_limited(t):
    """To 1 with at most 2 per second, T = 0.1: a ramp until 1 - y = 0.2, then it creeps."""
    return 2 * t if t < 0.4 else 1 - 0.2 * exp(-(t - 0.4) / 0.1)


def relay(t):
    """sin(3 t) passes 0.5 upwards at asin(0.5)/3, and -0.2 downwards at (pi + asin(0.2))/3."""
    return 5.0 if math.asin(0.5) / 3 <= t < (math.pi + math.asin(0.2)) / 3 else -1.0


def sine_through(a, gain):
    """x' = a (sin(3 t) - x), x(0) = 0."""
    return lambda t: gain * (a * a * sin(3 * t) - 3 * a * cos(3 * t) + 3 * a * exp(-a * t)) / (a * a + 9)


def butterworth(t):
    """Step through 1/(T^2 s^2 + 2 D T s + 1), T = 0.2, D = 0.6."""
    d, w = 0.6, 5.0
    wd = w * math.sqrt(1 - d * d)
    return 1 - exp(-d * w * t) * (cos(wd * t) + d * w / wd * sin(wd * t))


def staircase(t):
    """y = 1 + y(t - 0.3)/2, y = 0 before."""
    return 2 - 0.5 ** floor(t / 0.3 + 1e-12)


def method_of_steps(t):
    """x' = -x(t - 0.5), x = 1 before: polynomials from one multiple of 0.5 to the next."""
    return sum((-1) ** k * (t - (k - 1) * 0.5) ** k / math.factorial(k) for k in range(9) if k == 0 or t >= (k - 1) * 0.5)


def piecewise(x, xs, ys):
    """Lines through points, the first and last go on straight."""
    k = 0
    while k < len(xs) - 2 and x > xs[k + 1]:
        k += 1
    return ys[k] + (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]) * (x - xs[k])


def chased(t, lag, parts=100000):
    """x' = (curve(2 sin(3 t) + 2) - x)/lag by the formula of variation of constants, Simpson's rule."""
    f = lambda s: exp((s - t) / lag) / lag * piecewise(2 * sin(3 * s) + 2, [0, 1, 3, 4], [1, 5, 2, 2.5])
    h = t / parts
    return h / 3 * (f(0) + f(t) + 4 * sum(f((k + 0.5) * h * 2) for k in range(parts // 2)) + 2 * sum(f(k * h * 2) for k in range(1, parts // 2)))


FILES = {"curve.csv": "x, y\n0, 1\n1, 5\n3, 2\n4, 2.5\n", "surface.csv": "0; 0; 2; 3\n0; 1; 2; 0\n1; 4; -1; 2\n4; 0; 1; 1\n"}
low = sine_through(5.0, 1.0)
BLOCKS = [
    ("sin(3*t)", "B : pid(u)  Kp = 2", lambda t: 2 * sin(3 * t), 1e-12),
    ("1", "B : pid(u)  Kp = 2, Ki = 3, Kd = 0.5, N = 20", lambda t: 2 + 3 * t + 10 * exp(-20 * t), 1e-8),
    ("if t < 1 then 1 else -1", "B : pid(u)  Kp = 2, Ki = 4, hi = 3, Tt = 0.5 s", windup, 1e-8),
    ("1", "B : tf(u)  num = [1, 2], den = [1, 3, 2]", lambda t: 1 - exp(-t), 1e-8),
    ("1", "B : ss(u)  A = [0, 1; -2, -3], B = [0, 1], C = [2, 1]", lambda t: 1 - exp(-t), 1e-8),
    ("1", "C : state_space()  u = [u, t], A = [-1, 0; 0, -2], B = [1, 0; 0, 1], C = [1, 1; 0, 3], D = [0, 0; 1, 0]\n"
          "signal y = C.y[1] + 10*C.y[2]", lambda t: 1 - exp(-t) + 31 * (t / 2 - (1 - exp(-2 * t)) / 4) + 10, 1e-8),
    ("sin(3*t)", "B : tf_z(u)  num = [0.5, 2, 1], den = [1, -0.7, 0.2], period = 0.1", sampled(0.1, second_order), 1e-11),
    ("sin(3*t)", "B : tf_z(u)  num = [2], den = [4], period = 0.07, offset = 0.02", sampled(0.07, lambda s, u: u / 2, 0.02), 1e-12),
    ("sin(3*t)", "C : ss_z()  u = [u], A = [0.5, 0; 1, 0.2], B = [1; 0], C = [1, 1], D = [0.5], period = 0.1\nsignal y = C.y",
     sampled(0.1, two_states), 1e-11),
    ("cos(3*t)", "B : integrator(u)  K = 3, y(0) = 0.5", lambda t: 0.5 + sin(3 * t), 1e-9),
    ("1", "B : integrator(u)  hi = 0.7", lambda t: min(t, 0.7), 1e-9),
    ("-1", "B : integrator(u)  lo = -0.7", lambda t: max(-t, -0.7), 1e-9),
    ("2", "B : integral_reset(u, step(t - 0.5))  y0 = -1", lambda t: 2 * t if t < 0.5 else -1 + 2 * (t - 0.5), 1e-9),
    ("sin(3*t)", "B : filter(u)  T = 0.2 s", low, 1e-8),
    ("sin(3*t)", "B : filter(u)  T = 0.2 s, pass = high", lambda t: sin(3 * t) - low(t), 1e-8),
    ("1", "B : filter(u)  T = 0.2 s, order = 2, D = 0.6", butterworth, 1e-8),
    ("sin(3*t)", "B : derivative(u)  K = 2, T = 0.2 s", lambda t: 10 * (sin(3 * t) - low(t)), 1e-7),
    ("3*sin(3*t)", "B : saturate(u)  lo = -1, hi = 2", lambda t: clamp(3 * sin(3 * t), -1, 2), 1e-12),
    ("1", "B : rate_limit(u)  up = 2 s^-1, T = 0.1 s", rate_limited, 1e-8),
    ("sin(3*t)", "B : deadzone(u)  width = 0.3", lambda t: sin(3 * t) - clamp(sin(3 * t), -0.3, 0.3), 1e-12),
    ("sin(3*t)", "B : quantizer(u)  q = 0.1", lambda t: 0.1 * floor(sin(3 * t) / 0.1 + 0.5), 1e-12),
    ("2*t", "B : lookup(u)  xs = [0, 1, 3], ys = [1, 5, 2]", lambda t: 1 + 8 * t if t < 0.5 else 5 - 1.5 * (2 * t - 1), 1e-12),
    ("t", "B : lookup2(u, 2*t)  xs = [0, 1, 2], ys = [0, 4], Z = [0, 4; 1, 9; 2, 14]", lambda t: t + 2 * t + t * 2 * t, 1e-12),
    ("5*t - 2", 'signal y = table(u, "curve.csv")', lambda t: piecewise(5 * t - 2, [0, 1, 3, 4], [1, 5, 2, 2.5]), 1e-12),
    ("2*sin(3*t) + 2", 'B : filter(table(u, "curve.csv"))  T = 0.2 s', lambda t: chased(t, 0.2), 1e-7),
    ("5*t - 2", 'signal y = table(u, 3*t - 1, "surface.csv")', lambda t: piecewise(
        5 * t - 2, [0, 1, 4], [piecewise(3 * t - 1, [0, 2, 3], row) for row in ([1, 2, 0], [4, -1, 2], [0, 1, 1])]), 1e-12),
    ("sin(3*t)", "B : sample(u)  period = 0.1 s, offset = 0.05 s", sampled(0.1, lambda s, u: u, 0.05), 1e-12),
    ("sin(3*t)", "B : delay(u)  T = 0.25 s, y0 = 7", lambda t: sin(3 * (t - 0.25)) if t >= 0.25 else 7.0, 1e-11),
    ("sin(300*t)", "B : delay(u)  T = 0.25 s", lambda t: sin(300 * (t - 0.25)) if t >= 0.25 else 0.0, 1e-9),
    ("step(t - 0.2)", "A : delay(u)  T = 0.3 s\nB : delay(A.y + t/(1 s))  T = 0.45 s",
     lambda t: (t - 0.45 + (t >= 0.95)) if t >= 0.45 else 0.0, 1e-11),
    ("0", "signal y = 1 + D.y/2\nD : delay(y)  T = 0.3 s", staircase, 1e-12),
    ("0", "B : integrator(-D.y)  y(0) = 1\nD : delay(B.y)  T = 0.5 s, y0 = 1", method_of_steps, 1e-10),
    ("sin(3*t)", "S : sample(u)  period = 0.1 s\nB : delay(S.y)  T = 0.25 s", lambda t: sin(0.3 * floor((t - 0.25) / 0.1 + 1e-9))
     if t >= 0.25 else 0.0, 1e-11),
    ("sin(3*t)", "B : hold(u, step(t - 0.4))", lambda t: sin(1.2) if t >= 0.4 else 0.0, 1e-12),
    ("sin(3*t)", "B : hysteresis(u)  low = -0.2, high = 0.5, on = 5, off = -1", relay, 1e-12),
    ("0", "B : noise()  period = 0.1 s, seed = 7, sigma = 2, mean = 3", sampled(0.1, counts), 1e-9),
]


def triangle(start, rising):
    """Between 0.5 and -0.2 at the rates 1 and -1, as a relay leads it that decides for itself."""
    def value(t):
        rest = t - (0.5 - start if rising else start + 0.2)
        if rest < 0:
            return start + t if rising else start - t
        way = 0.7 - abs(rest % 1.4 - 0.7)
        return 0.5 - way if rising else -0.2 + way
    return value


RELAY = "integrator(1 - 2*%s)  y(0) = %g\nsignal y = X.y"
LOOPS = [("0", "B : hysteresis(X.y)  low = -0.2, high = 0.5\nX : " + RELAY % ("B.y", x), triangle(x, x < 0.5), 1e-12) for x in (-0.6, -0.1, 0.4, 0.9)]
LOOPS += [("0", "B : hysteresis(-X.y)  low = -0.5, high = 0.2, on = 0, off = 1\nX : " + RELAY % ("B.y", x), triangle(x, x < -0.2), 1e-12) for x in (-0.6, 0.3, 0.9)]
LOOPS += [("0", "discrete was = 0\nwhen X.y >= 0.5 { was = 1 }\nwhen X.y <= -0.2 { was = 0 }\n"
           "signal on = if X.y >= 0.5 then 1 else if X.y <= -0.2 then 0 else was\nX : " + RELAY % ("on", 0.1), triangle(0.1, True), 1e-12)]
BLOCKS += LOOPS


def text(u, block):
    own = "" if "signal y" in block else "signal y = B.y\n"
    return "model block\nsignal u = %s\n%s\n%soutput y\nsimulate stop = 2\n" % (u, block, own)


def main(program):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILES.items():
            with open(folder + "/" + name, "w") as f:
                f.write(content)
        for u, block, want, tolerance in BLOCKS:
            path = folder + "/model.lg"
            with open(path, "w") as f:
                f.write(text(u, block))
            said = subprocess.run([program, "run", path, "-o", "-", "--tol", "1e-10", "--times", ",".join(map(str, TIMES))],
                                  capture_output=True, text=True, timeout=600)
            rows = list(csv.DictReader(io.StringIO(said.stdout)))
            off = max((abs(float(r["y"]) - want(t)) for r, t in zip(rows, TIMES)), default=math.inf)
            if said.returncode or len(rows) != len(TIMES) or not off <= tolerance:
                wrong += 1
                print("FAIL %s: off by %.2g\n%s%s" % (block, off, said.stderr, said.stdout if off > tolerance else ""))
    print("%d blocks, %d wrong" % (len(BLOCKS), wrong))
    return wrong > 0


sys.exit(main(sys.argv[1]))
