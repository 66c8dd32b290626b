"""Points on surfaces and curves that are given by expressions, where other joints say the same.

A sphere is a distance, a plane `point_on_plane`, two planes `point_on_line`, and all of them are paths and patches. A body hangs on one of them, and another on
it; the ends of the joint stand at random. Motion, reactions and energy must be the same, in all coordinates.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import AXES, rotation, vector, written

TIMES = [0.0, 0.2, 0.4]


def unit(v):
    return v / np.linalg.norm(v)


def linear(name, n):
    return " + ".join("%r*%s.s[%d]" % (float(x), name, k + 1) for k, x in enumerate(n))


def spanned(*ways):
    """Sums of ways, each with its number."""
    numbers = ["G.u"] if len(ways) == 1 else ["G.u[1]", "G.u[2]"]
    return " + ".join("%s*%s m" % (u, written(way)) for u, way in zip(numbers, ways))


def ball(l, way):
    """A patch of a sphere, and a point of it: longitude about x, and latitude."""
    u = [np.arctan2(way[1], way[2]), np.arcsin(way[0])]
    return (("point_on_patch", "patch = %r m*[sin(G.u[2]), cos(G.u[2])*sin(G.u[1]), cos(G.u[2])*cos(G.u[1])], u(0) = %s" %
             (l, written(u))), l * way)


def joints(dice):
    """(by expressions, as it is known, by numbers, a point of it)"""
    kind = dice.choice(("sphere", "plane", "line"))
    if kind == "sphere":
        l = round(dice.uniform(0.8, 1.5), 3)
        return ("point_on_surface", "surface = G.s[1]^2 + G.s[2]^2 + G.s[3]^2 - %r m^2" % l ** 2), ("distance", "length = %r m" % l), \
            *ball(l, unit(vector(dice) + np.array([0, 0, -1.5])))
    n = np.round(vector(dice) + np.array([0, 0, 1.5]), 3)
    if kind == "plane":
        a, b = np.cross(n, [1.0, 0.2, 0]), np.cross(n, [0.1, 1.0, 0])
        u = vector(dice)[:2]
        return ("point_on_surface", "surface = 3*(%s)" % linear("G", n)), ("point_on_plane", "axis = " + written(n)), \
            ("point_on_patch", "patch = %s, u(0) = %s" % (spanned(a, b), written(u))), u[0] * a + u[1] * b
    a = np.cross(n, [1.0, 0.2, 0])
    b = np.cross(n, a)
    return (("point_on_curve", "surface = %s, surface2 = %s" % (linear("G", a), linear("G", a + 2 * b))),
            ("point_on_line", "axis = " + written(n)), ("point_on_path", "path = %s, u(0) = 0.3" % spanned(n)), 0.3 * n)


class Hanging:
    def __init__(self, dice):
        *self.pair, point = joints(dice)
        at, turns = vector(dice, 0.3), [round(dice.uniform(-2, 2), 3) for _ in range(2)]
        self.frame = "frame(%s, rotate(x, %r), rotate(y, %r))" % (written(at), *turns)
        self.place = at + rotation(AXES["x"], turns[0]) @ rotation(AXES["y"], turns[1]) @ point
        self.com, self.e, self.f = vector(dice, 0.3), vector(dice, 0.5), vector(dice, 0.5)
        self.spin = written(vector(dice))
        self.loop = dice.random() < 0.5

    def text(self, which):
        word, keys = self.pair[which]
        lines = ["space = spatial", "gravity = [1, -2, -9.81] m/s^2", "ground { A = %s, B = [2, 2, 1] m }" % self.frame,
                 "a : body  m = 2 kg, I = [0.3, 0.2, 0.4] kg.m^2, com = %s m  { e = %s m }" % (written(self.com), written(self.e)),
                 "b : body  m = 1 kg, I = [0.1, 0.2, 0.2] kg.m^2  { f = %s m }" % written(self.f),
                 "G : %s(ground.A, a)  %s" % (word, keys), "J : revolute(a.e, b)  axis = y",
                 "initial a.r = %s m, a.R = [1, 0, 0; 0, 1, 0; 0, 0, 1]" % written(self.place),
                 "initial a.omega = %s rad/s, a.v = [0, 0, 0] m/s, J.beta = 0, J.w = 1 rad/s" % self.spin]
        lines += ["K : spring(ground.B, b.f)  k = 20 N/m, l0 = 1 m"] if self.loop else []
        return "\n".join(lines + ["output a.r, b.r, G.F, J.F", ""])


def main():
    campaign = Campaign("guides", 5)
    for case in campaign:
        hanging, seen = Hanging(case.dice), []
        for which, coordinates in ((0, "joint"), (1, "joint"), (2, "joint"), (0, "absolute"), (2, "absolute")):
            text = hanging.text(which)
            said = case.program.run(text, TIMES, "--tol", "1e-10", "--coordinates", coordinates)
            rows = said.rows()
            if case.check(rows is not None, "no answer: " + said.why(), text):
                seen.append(rows)
        for other in seen[1:]:
            worst = max((abs(a[k] - b[k]) / (1 + abs(a[k])), k) for a, b in zip(seen[0], other) for k in a)
            case.check(worst[0] < 1e-6, "%s differs by %.1e" % worst[::-1], hanging.text(0))
    campaign.close()


if __name__ == "__main__":
    main()
