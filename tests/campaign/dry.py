"""Friction, play and breakdown, each against a solver of its own that goes from event to event by scipy.

    slip       a mass on a dry support (Coulomb, or static friction that falls at once or by Stribeck) at a spring whose other
               end moves on: stick and slip
    bristles   the same with LuGre friction: one smooth equation
    zener      a source that swings, R, L and a zener diode: conducts either way, or blocks
    play       an inertia that is driven through rigid backlash to another one with a damper: free, at one flank, at the other
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from scipy.integrate import solve_ivp

from campaign import Campaign
from phases import run_c

TIGHT = {"rtol": 1e-11, "atol": 1e-13, "method": "DOP853"}


class Unclear(Exception):
    """Rounding decides which way it goes."""


def stretch(rate, t, y, stop, event, sign):
    """To the event, in the direction of sign, or to the end; the point there is where it is zero."""
    event.terminal, event.direction = True, sign
    return solve_ivp(rate, (t, stop), y, events=[event], dense_output=True, max_step=0.02, **TIGHT)


class Slip:
    """m v' = pull(t, x) - friction; also of currents: L i' = v - R i - voltage of the zener."""

    def __init__(self, pull, m, above, below, most, least, x0, v0, stop):
        self.pull, self.m, self.above, self.below, self.most, self.least = pull, m, above, below, most, least
        self.pieces, self.stop = [], stop
        t, x, v = 0.0, x0, v0
        for _ in range(400):
            if t >= stop:
                return
            t, x, v = self.stick(t, x) if v == 0 else self.slip(t, x, v)
        raise Unclear

    def stick(self, t, x):
        """Held while least <= pull <= most; then it goes on with the sign of what pulls it."""
        force = self.pull(t, x, 0.0)
        if not self.least - 1e-9 <= force <= self.most + 1e-9:
            return self.slip(t, x, math.copysign(1e-300, force))
        ends = []
        for limit, sign in ((self.most, 1), (self.least, -1)):
            past = lambda s, y, limit=limit: self.pull(s, x, 0.0) - limit
            go = stretch(lambda s, y: [0.0], t, [0.0], self.stop, past, sign)
            ends.append((go.t[-1], sign, go.status))
        end = min(ends)
        if abs(ends[0][0] - ends[1][0]) < 1e-9 and end[2] == 1:
            raise Unclear
        self.pieces.append((t, end[0], lambda s, x=x: (x, 0.0)))
        return (end[0], x, 0.0) if end[2] == 0 else self.slip(end[0], x, 1e-300 * end[1])

    def slip(self, t, x, v):
        up = v > 0
        law = self.above if up else self.below
        rate = lambda s, y: [y[1], (self.pull(s, y[0], y[1]) - law(y[1])) / self.m]
        go = stretch(rate, t, [x, v], self.stop, lambda s, y: y[1] + (1e-290 if s == t else 0) * (1 if up else -1), -1 if up else 1)
        self.pieces.append((t, go.t[-1], lambda s, go=go: tuple(go.sol(s))))
        return go.t[-1], go.y[0][-1], go.y[1][-1] if go.status == 0 else 0.0

    def at(self, t):
        for a, b, f in self.pieces:
            if a <= t <= b:
                return f(t)
        raise Unclear


def slip(number, dice):
    m, k, u, fc = number(0.3, 2), number(5, 50), number(0.05, 0.5), number(0.3, 2)
    fs = fc * dice.choice([1.0, number(1.1, 1.8)])
    vs = dice.choice([0.0, number(0.02, 0.2)]) if fs > fc else 0.0
    level = (lambda v: fc + (fs - fc) * math.exp(-(v / vs) ** 2)) if vs else (lambda v: fc)
    d = number(0.0, 0.5)
    own = Slip(lambda t, x, v: k * (u * t - x) - d * v, m, level, lambda v: -level(v), fs, -fs, 0.0, 0.0, 4.0)
    text = ("M : mass(a)  m = %r kg\nK : spring(a, b)  k = %r N/m\nU : velocity_source(ground, b)  v = %r m/s\n"
            "D : damper(ground, a)  d = %r\nR : friction(ground, a)  Fc = %r N, Fs = %r N, vs = %r m/s\n"
            "output a.x as x, a.v as y\nsimulate stop = 4 s\n" % (m, k, u, d, fc, fs, vs))
    return text, own.at, 4.0


def bristles(number, dice):
    m, k, u, fc = number(0.3, 2), number(2, 20), number(0.02, 0.2), number(0.3, 1.5)
    fs, vs, s0 = fc * number(1, 1.7), number(0.005, 0.05), 10 ** number(2, 4)
    s1, b = number(0, 2) * math.sqrt(s0), number(0, 0.5)
    def rate(t, y):
        x, v, z = y
        dz = v - abs(v) * s0 / (fc + (fs - fc) * math.exp(-(v / vs) ** 2)) * z
        return [v, (k * (u * t - x) - s0 * z - s1 * dz - b * v) / m, dz]
    go = solve_ivp(rate, (0, 4), [0, 0, 0], method="Radau", rtol=1e-9, atol=1e-12, dense_output=True, max_step=0.02)
    text = ("M : mass(a)  m = %r kg\nK : spring(a, b)  k = %r N/m\nU : velocity_source(ground, b)  v = %r m/s\n"
            "R : lugre(ground, a)  Fc = %r N, Fs = %r N, vs = %r m/s, sigma0 = %r, sigma1 = %r, B = %r\n"
            "output a.x as x, a.v as y\nsimulate stop = 4 s\n" % (m, k, u, fc, fs, vs, s0, s1, b))
    return text, lambda t: tuple(go.sol(t)[:2]), 4.0


def zener(number, dice):
    l, r, v, w, q = number(0.05, 1), number(0.2, 3), number(2, 10), number(2, 12), number(0, 6)
    vz, vf = number(1, 6), dice.choice([0.0, 0.7, number(0.1, 1)])
    pull = lambda t, x, i: v * math.sin(w * t + q) - r * i
    own = Slip(pull, l, lambda i: vf, lambda i: -vz, vf, -vz, 0.0, 0.0, 3.0)
    text = ("V : vsource(a, ground)  v = %r*sin(%r*t + %r)*1 V\nR : resistor(a, b)  R = %r ohm\nL : inductor(b, c)  L = %r H\n"
            "Z : zener(c, ground)  Vz = %r V, Vf = %r V\nM : integrator q = L.i*1 A^-1\n"
            "output L.i as y\nsimulate stop = 3 s\n" % (v, w, q, r, l, vz, vf)).replace("M : integrator q = L.i*1 A^-1\n", "")
    return text, lambda t: (None, own.at(t)[1]), 3.0


def play(number, dice):
    j1, j2, d, gap = number(0.2, 2), number(0.2, 2), number(0.05, 1), number(0.05, 0.6)
    torque, w = number(0.5, 4), number(1, 6)
    drive = lambda t: torque * math.cos(w * t)
    pieces, t, y, side, stop = [], 0.0, [0.0, 0.0, 0.0, 0.0], 0, 4.0
    for _ in range(200):
        if t >= stop:
            break
        if side == 0:
            rate = lambda s, y: [y[1], drive(s) / j1, y[3], -d * y[3] / j2]
            limit = lambda s, y: gap / 2 - abs(y[2] - y[0])
            go = stretch(rate, t, y, stop, limit, -1)
            end = [float(c[-1]) for c in go.y]
            if go.status == 1:
                side = 1 if end[2] > end[0] else -1
                common = (j1 * end[1] + j2 * end[3]) / (j1 + j2)
                end = [end[0], common, end[0] + side * gap / 2, common]
        else:
            rate = lambda s, y: [y[1], (drive(s) - d * y[1]) / (j1 + j2)] * 2
            hold = lambda s, y, side=side: side * ((drive(s) - d * y[1]) / (j1 + j2) * j2 + d * y[1])
            if hold(t, y) > -1e-9 and abs(hold(t, y)) < 1e-7:
                raise Unclear
            if hold(t, y) > 0:  # head ahead of the tail: it would have to be pulled back
                side = 0
                continue
            go = stretch(rate, t, y, stop, hold, 1)
            end = [float(c[-1]) for c in go.y]
            side = 0 if go.status == 1 else side
            if go.status == 1:
                ahead = 1 if end[2] > end[0] else -1
                end[2] = end[0] + ahead * gap / 2 * (1 - 1e-13)
        pieces.append((t, go.t[-1], go.sol))
        t, y = float(go.t[-1]), end
    def at(s):
        f = next(f for a, b, f in pieces if a <= s <= b)(s)
        return f[1], f[3]
    text = ("A : inertia(a)  J = %r\nB : inertia(b)  J = %r\nT : torque(ground, a)  T = %r*cos(%r*t)\n"
            "D : torsion_damper(ground, b)  d = %r\n"
            "P : backlash(a, b)  play = %r\noutput a.w as x, b.w as y\nsimulate stop = 4 s\n" % (j1, j2, torque, w, d, gap))
    return text, at, stop


def main():
    campaign = Campaign("dry", 40)
    for case in campaign:
        dice = case.dice
        number = lambda low, high: float("%.4g" % dice.uniform(low, high))
        kind = (slip, bristles, zener, play)[dice.randrange(4)]
        try:
            text, at, stop = kind(number, dice)
            times = sorted({number(0.1, stop) for _ in range(8)} | {stop})
            want = [at(t) for t in times]
        except (Unclear, StopIteration):
            continue
        method = dice.choice(["auto", "auto", "rosenbrock", "bdf", "c"])
        if method == "c" and kind is not bristles:
            rows, why = run_c(case.program, text)
            rows, times, want = rows and rows[-1:], [stop], [want[-1]]
        else:
            said = case.program.run(text, times, "--tol", "1e-9", "--method", "auto" if method == "c" else method)
            rows, why = said.rows(), said.why()
        if not case.check(rows is not None and len(rows) == len(times), "%s %s: %s" % (kind.__name__, method, why), text):
            continue
        for t, row, right in zip(times, rows, want):
            for name, value in zip(("x", "y"), right):
                note = "%s %s %s(%r)" % (kind.__name__, method, name, t)
                if value is not None and not case.equal(row[name], float(value), 2e-5 * (1 + abs(value)), note, text):
                    break
    campaign.close()


if __name__ == "__main__":
    main()
