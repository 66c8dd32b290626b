"""Bodies put together of shapes and inertias: mass, centre and inertia against integrals over the solids.

Volumes and second moments of the solids come from Gauss-Legendre sums in coordinates of their own, which are exact for
boxes and accurate to rounding for round ones; turns and offsets are matrices.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign

X, W = np.polynomial.legendre.leggauss(24)
AXES = dict(zip("xyz", np.eye(3)))


def turn(e, angle):
    k = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def slices(low, high, radius):
    """Volume, and second moments about the centre, of a solid of round slices x^2/a + y^2/b along z."""
    volume, xx, yy, zz = 0.0, 0.0, 0.0, 0.0
    for x, w in zip(X, W):
        z, dz = (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * w
        a, b = radius(z)
        area = np.pi * a * b
        volume += dz * area
        xx, yy, zz = xx + dz * area * a * a / 4, yy + dz * area * b * b / 4, zz + dz * area * z * z
    return np.array([volume, xx, yy, zz])


def solid(kind, s):
    if kind == "box":
        v = s[0] * s[1] * s[2]
        return np.array([v] + [v * e * e / 12 for e in s])
    if kind == "cylinder":
        return slices(-s[1] / 2, s[1] / 2, lambda z: (s[0], s[0]))
    if kind == "ellipsoid" or kind == "sphere":
        a, b, c = s if kind == "ellipsoid" else (s[0],) * 3
        return slices(-c, c, lambda z: (a * np.sqrt(1 - (z / c) ** 2), b * np.sqrt(1 - (z / c) ** 2)))
    r, l = s[:2]
    cap = slices(l / 2, l / 2 + r, lambda z: (np.sqrt(r * r - (z - l / 2) ** 2),) * 2)
    return slices(-l / 2, l / 2, lambda z: (r, r)) + 2 * cap


class Part:
    def __init__(self, dice, number):
        self.name = "p%d" % number
        self.kind = dice.choice(("box", "cylinder", "sphere", "capsule", "ellipsoid", "inertia"))
        self.size = [round(dice.uniform(0.02, 0.4), 3) for _ in range(3)]
        self.at = np.array([round(dice.uniform(-0.5, 0.5), 3) for _ in range(3)])
        self.turns = [(dice.choice("xyz"), dice.choice((90, -90, 180, round(dice.uniform(-170, 170), 1))))
                      for _ in range(dice.choice((0, 1, 2)))]
        self.R = np.eye(3)
        for axis, angle in self.turns:
            self.R = self.R @ turn(AXES[axis], np.radians(angle))
        self.density = dice.random() < 0.6
        self.value = round(dice.uniform(500, 8000), 1) if self.density else round(dice.uniform(0.1, 3), 3)
        moments = solid(self.kind if self.kind != "inertia" else "box", self.size)
        self.m = self.value * (moments[0] if self.density and self.kind != "inertia" else 1)
        second = moments[1:] / moments[0] * self.m
        self.I = np.diag([second[1] + second[2], second[0] + second[2], second[0] + second[1]])
        if self.kind == "inertia":
            self.I = np.round(self.I, 9) + np.diag([1e-6] * 3)

    def text(self):
        at = "[%s] m" % ", ".join(repr(float(x)) for x in self.at)
        if self.turns:
            at = "frame(%s%s)" % (at, "".join(", rotate(%s, %r deg)" % t for t in self.turns))
        count = {"box": 3, "ellipsoid": 3, "sphere": 1}.get(self.kind, 2)
        size = ", ".join(repr(x) + ("" if count == 3 else " m") for x in self.size[:count])
        size = "[%s] m" % size if count == 3 else size
        if self.kind == "inertia":
            I = ", ".join(repr(float(self.I[i, i])) for i in range(3))
            return "%s = inertia(%r kg, [%s] kg.m^2, at = %s)" % (self.name, self.m, I, at)
        weight = "density = %r kg/m^3" % self.value if self.density else "m = %r kg" % self.value
        return "%s = %s(%s, %s, at = %s)" % (self.name, self.kind, size, weight, at)


def offset(m, d):
    return m * (d @ d * np.eye(3) - np.outer(d, d))


def main():
    c = Campaign("parts", 60)
    for case in c:
        dice = case.dice
        parts = [Part(dice, i + 1) for i in range(dice.randint(1, 5))]
        own = dice.random() < 0.5
        m0, com0, I0 = (1.5, np.array([0.1, 0, -0.2]), np.diag([0.02, 0.03, 0.04])) if own else (0, np.zeros(3), np.zeros((3, 3)))
        keys = "  m = 1.5 kg, com = [0.1, 0, -0.2] m, I = [0.02, 0.03, 0.04] kg.m^2" if own else ""
        text = "space = spatial\nb : body%s  {\n  %s\n}\nJ : revolute(ground, b)\n" % (keys, "\n  ".join(p.text() for p in parts))
        text += "output b.m, b.com, b.I\n"
        m = m0 + sum(p.m for p in parts)
        com = (m0 * com0 + sum(p.m * p.at for p in parts)) / m
        I = I0 + offset(m0, com0 - com) + sum(p.R @ p.I @ p.R.T + offset(p.m, p.at - com) for p in parts)
        answer = case.program.run(text, [0.0])
        rows = answer.rows()
        if not case.check(bool(rows), answer.why(), text):
            continue
        row, scale = rows[0], np.abs(I).max()
        case.equal(row["b.m"], m, 1e-12 * m, "b.m", text)
        for i in range(3):
            case.equal(row["b.com[%d]" % (i + 1)], com[i], 1e-12, "com", text)
            for k in range(3):
                case.equal(row["b.I[%d,%d]" % (i + 1, k + 1)], I[i, k], 1e-11 * scale, "I[%d,%d]" % (i + 1, k + 1), text)
    c.close()


if __name__ == "__main__":
    main()
