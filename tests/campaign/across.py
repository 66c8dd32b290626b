"""Starts whose speeds ask for another pose: a chain in the plane that a velocity source pulls across, so that at the reference no
speeds are as given, or hardly any.

Of P/J + log(2 E + V) nothing may be left along what is given: P, V are squares of the changes of places and speeds in the metric
of kinetic energy, J and E inertia about the mass centre and energy of the reference. The start must scale with the model (lengths,
masses, speeds by powers of ten), stay where origins of bodies are written elsewhere or a part without mass is added, and be the
same in all coordinates.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign


def turned(angle, p):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c*p[0] - s*p[1], s*p[0] + c*p[1]])


class Chain:
    def __init__(self, dice):
        number = lambda low, high: round(dice.uniform(low, high), 3)
        self.n = dice.choice((1, 1, 2, 3))
        self.kind = [dice.choice(("revolute", "revolute", "prismatic")) for _ in range(self.n)]
        self.m, self.I = [number(0.5, 3) for _ in range(self.n)], [number(0.02, 0.5) for _ in range(self.n)]
        self.com, self.end = [[np.array([number(0.2, 1), number(-0.4, 0.4)]) for _ in range(self.n)] for _ in range(2)]
        self.w = [number(-2, 2) if i and dice.random() < 0.3 else None for i in range(self.n)]
        self.v, zero = number(0.2, 2) * dice.choice((-1, 1)), np.zeros(self.n)
        tip, slope = self.tip(zero), self.slope(self.tip, zero)
        e = slope[:, 0] / np.linalg.norm(slope[:, 0])  # the first joint moves the tip across the line to Q
        if self.n > 1:
            e = turned(number(-0.1, 0.1), e)
        self.Q = tip + np.array([-e[1], e[0]]) * number(0.4, 1.5)

    def bodies(self, x):
        """Angle and origin by body."""
        out, angle, at = [], 0.0, np.zeros(2)
        for i in range(self.n):
            if self.kind[i] == "revolute":
                angle = angle + x[i]
            else:
                at = at + turned(angle, [x[i], 0])
            out.append((angle, at))
            at = at + turned(angle, self.end[i])
        return out

    def tip(self, x):
        angle, at = self.bodies(x)[-1]
        return at + turned(angle, self.end[-1])

    def parts(self, x):
        """Rows whose squares are the metric."""
        return np.concatenate([[*(m**0.5*(at + turned(a, c))), I**0.5*a] for (a, at), m, I, c in zip(self.bodies(x), self.m, self.I, self.com)])

    def slope(self, f, x, h=1e-5):
        return np.array([(f(x + h*e) - f(x - h*e))/(2*h) for e in np.eye(len(x))]).T

    def distance_slope(self, x):
        return self.slope(lambda x: np.linalg.norm(self.tip(x) - self.Q), x)

    def extent(self):
        at = np.array([p + turned(a, c) for (a, p), c in zip(self.bodies(np.zeros(self.n)), self.com)])
        away = at - np.average(at, axis=0, weights=self.m)
        return sum(self.I) + sum(m*a @ a for m, a in zip(self.m, away))

    def left(self, x, u):
        """Of the gradient along the rows, as a part of it."""
        zero, given = np.zeros(self.n), np.array([w or 0.0 for w in self.w])
        first, wanted, extent = self.parts(zero), self.slope(self.parts, zero) @ given, self.extent()

        def value(z):
            P, V = self.parts(z[:self.n]) - first, self.slope(self.parts, z[:self.n]) @ z[self.n:] - wanted
            return P @ P/extent + np.log(wanted @ wanted + V @ V)
        z, scale = np.concatenate([x, u]), np.concatenate([np.ones(self.n), np.full(self.n, np.abs(u).max())])
        rows = [lambda z: self.distance_slope(z[:self.n]) @ z[self.n:]] + [lambda z, i=i: z[self.n + i] for i in range(self.n) if self.w[i] is not None]
        down = self.slope(lambda y: value(y*scale), z/scale, 1e-4)
        C = np.array([self.slope(lambda y: row(y*scale), z/scale, 1e-4) for row in rows])
        C = C/np.linalg.norm(C, axis=1)[:, None]
        return np.abs(down - C.T @ np.linalg.lstsq(C.T, down, rcond=1e-9)[0]).max()/(1 + np.abs(down).max())

    def text(self, L=1.0, M=1.0, V=1.0, shift=None, bob=False):
        point = lambda p: "[%r, %r] m" % tuple(float(L*c) for c in p)
        out = ["space = planar", "ground { Q = %s }" % point(self.Q)]
        for i in range(self.n):
            move = np.zeros(2) if shift is None else shift[i]
            out.append("b%d : body  m = %r kg, I = %r kg.m^2, com = %s  { A = %s, E = %s }" % (
                i, M*self.m[i], M*L*L*self.I[i], point(self.com[i] - move), point(-move), point(self.end[i] - move)))
            speed = "" if self.w[i] is None else ", w(0) = %r" % (V/L*self.w[i]) if self.kind[i] == "revolute" else ", v(0) = %r" % (V*self.w[i])
            out.append("J%d : %s(%s, b%d.A)%s" % (i, self.kind[i], "b%d.E" % (i - 1) if i else "ground", i, speed and "  " + speed[2:]))
        if bob:
            out += ["bob : body  m = 0 kg, I = 0 kg.m^2  { F = [%r, 0] m }" % (7*L), "JB : weld(b0.E, bob.F)"]
        words = []
        for order in (0, 1):
            words += ["J%d.%s" % (i, ("beta", "w")[order] if self.kind[i] == "revolute" else ("s", "v")[order]) for i in range(self.n)]
        return "\n".join(out + ["X : velocity_source(ground.Q, b%d.E)  v = %r m/s" % (self.n - 1, V*self.v), "output " + ", ".join(words), ""])

    def read(self, row, L, V):
        unit = [1.0 if k == "revolute" else L for k in self.kind]
        values = list(row.values())[1:]
        x = np.array(values[:self.n])/unit
        return x, np.array(values[self.n:])/unit*L/V


def compare(case):
    dice, chain = case.dice, Chain(case.dice)
    power = lambda: 10.0**dice.randint(-4, 4)
    shift = [np.array([round(dice.uniform(-2, 2), 3) for _ in range(2)]) for _ in range(chain.n)]
    kinds = [((1.0, 1.0, 1.0), {}, c) for c in ("joint", "absolute", "auto")]
    kinds += [((power(), power(), 10.0**dice.randint(-9, 6)), {}, dice.choice(("auto", "joint", "absolute"))), ((1.0, 1.0, 1.0), {"shift": shift}, "auto"), ((1.0, 1.0, 1.0), {"bob": True}, "joint")]
    first = None
    for (L, M, V), more, coordinates in kinds:
        text = chain.text(L, M, V, **more)
        said = case.program.run(text, [0.0], "--coordinates", coordinates)
        rows = said.rows()
        if not case.check(rows is not None, "%s: %s" % (coordinates, said.why()), text):
            return
        x, u = chain.read(rows[0], L, V)
        if first is None:
            first = x, u
            left = chain.left(x, u)
            case.check(abs(chain.distance_slope(x) @ u - chain.v) < 1e-5*abs(chain.v) + 1e-8*np.abs(u).max(), "the source is not met: %r" % rows[0], text)
            case.check(left < 1e-4 or np.abs(x).max() < 1e-9, "a gradient of %g is left" % left, text)
        off = max(np.abs(x - first[0]).max(), np.abs(u - first[1]).max()/(1 + np.abs(first[1]).max()))
        case.check(off < 1e-5, "%s, scaled by %g, %g, %g, %s: off by %g: %s, %s, first %s, %s" % (
            coordinates, L, M, V, " ".join(more), off, x, u, *first), text)


def main():
    campaign = Campaign("across", 8)
    for case in campaign:
        compare(case)
    campaign.close()


if __name__ == "__main__":
    main()
