"""Starts of random trees of bodies in space, given by axes and spins of bodies and of joints: alike in all coordinates.

Balls and free joints, revolute joints on them; chains on the ground and loose ones. Some bodies have R(0) and omega(0),
some joints R(0), omega(0), beta(0), w(0). A body hangs on its joint, whose turn is as given, else as the axes that are given of the
body ask for, else zero; the same of spins. Coordinates of joints and of bodies must begin alike, and keep what is given.
The right place of every body is computed here from these words.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import AXES, rotation, vector, written


def turn(dice):
    """A rotation as text and numbers."""
    parts = [(dice.choice("xyz"), round(dice.uniform(-1.2, 1.2), 3)) for _ in range(dice.randint(1, 2))]
    R = np.eye(3)
    for word, angle in parts:
        R = R @ rotation(AXES[word], angle)
    return "*".join("rotate(%s, %r)" % p for p in parts), R


class Tree:
    def __init__(self, dice):
        self.dice, self.n = dice, dice.randint(1, 4)
        self.ground = vector(dice)
        self.R, self.p, self.w, self.v = [], [], [], []
        self.lines, self.joints, self.frames = [], [], [(vector(dice), vector(dice)) for _ in range(self.n)]
        for i in range(self.n):
            self.add(i)

    def seat(self, i, outer):
        """Axes, point, spin and speed of where body i hangs."""
        if outer < 0:
            return np.eye(3), self.ground, np.zeros(3), np.zeros(3)
        arm = self.R[outer] @ self.frames[outer][1]
        return self.R[outer], self.p[outer] + arm, self.w[outer], self.v[outer] + np.cross(self.w[outer], arm)

    def add(self, i):
        dice, keys, own = self.dice, [], []
        outer = dice.randint(-1, i - 1)
        A, point, w, v = self.seat(i, outer)
        kind = dice.choice(("spherical", "spherical", "revolute"))
        R, spin, told, paced = A, w, False, False
        if kind == "revolute" and dice.random() < 0.5:
            beta, rate = round(dice.uniform(-1, 1), 3), round(dice.uniform(-1, 1), 3)
            keys, R, spin = ["beta(0) = %r" % beta, "w(0) = %r" % rate], A @ rotation(AXES["z"], beta), w + A[:, 2] * rate
        if kind == "spherical" and dice.random() < 0.3:
            text, T = turn(dice)
            keys, R, told = ["R(0) = " + text], A @ T, True
        if kind == "spherical" and not told and dice.random() < 0.6:
            text, R = turn(dice)
            own = ["R(0) = " + text]
        if kind == "spherical" and dice.random() < 0.3:
            rate = vector(dice, 2)
            keys, spin, paced = keys + ["omega(0) = " + written(rate)], w + R @ rate, True
        if kind == "spherical" and not paced and dice.random() < 0.3:
            spin = vector(dice, 2)
            own = own + ["omega(0) = " + written(spin)]
        arm = R @ self.frames[i][0]
        self.R.append(R), self.p.append(point - arm), self.w.append(spin), self.v.append(v - np.cross(spin, arm))
        self.lines.append("b%d : body  m = %r kg, I = [%s] kg.m^2, com = %s m%s  { A = %s m, B = %s m }" % (
            i, round(dice.uniform(0.5, 3), 3), ", ".join(repr(round(dice.uniform(0.4, 0.6), 3)) for _ in range(3)),
            written(vector(dice)), "".join(", " + k for k in own), *map(written, self.frames[i])))
        tail = "ground.P" if outer < 0 else "b%d.B" % outer
        self.joints.append("J%d : %s(%s, b%d.A)  %s" % (i, kind, tail, i, ", ".join(keys)))

    def text(self):
        outputs = ["b%d.%s" % (i, w) for i in range(self.n) for w in ("r", "R", "v", "omega")]
        return "\n".join(["space = spatial", "ground { P = %s m }" % written(self.ground)] + self.lines + self.joints +
                         ["output " + ", ".join(outputs), "simulate stop = 0.1 s", ""])

    def right(self):
        out = {}
        for i in range(self.n):
            for k in range(3):
                out["b%d.r[%d]" % (i, k + 1)], out["b%d.v[%d]" % (i, k + 1)] = self.p[i][k], self.v[i][k]
                out["b%d.omega[%d]" % (i, k + 1)] = self.w[i][k]
                for j in range(3):
                    out["b%d.R[%d,%d]" % (i, j + 1, k + 1)] = self.R[i][j, k]
        return out


def main():
    campaign = Campaign("starts_space", 6)
    for case in campaign:
        tree = Tree(case.dice)
        text, right = tree.text(), tree.right()
        for coordinates in ("joint", "absolute"):
            said = case.program.run(text, [0.0], "--coordinates", coordinates)
            rows = said.rows()
            if not case.check(rows is not None, "%s: %s" % (coordinates, said.why()), text):
                continue
            off, name = max((abs(rows[0][k] - value), k) for k, value in right.items())
            case.check(off < 1e-8, "%s: %s = %r, right is %r" % (coordinates, name, rows[0][name], right[name]), text)
    campaign.close()


if __name__ == "__main__":
    main()
