"""Starts of random trees of bodies in space, given by axes and spins of bodies and of joints: alike in all coordinates.

Balls and free joints, revolute joints on them; chains on the ground and loose ones. Some bodies have R(0) and omega(0),
some joints R(0), omega(0), beta(0), w(0). A body hangs on its joint, whose turn is as given, else as the axes that are given of the
body ask for, else zero; the same of spins. Coordinates of joints and of bodies must begin alike, and keep what is given.
The right place of every body is computed here from these words.

And chains whose reference cannot be the start: axes and spins are given of bodies behind several joints, points of frames,
or a ball closes a loop. Then the start must be alike in all coordinates, keep what is given, close all joints, and be
nearest in the metric of kinetic energy: the gradient of the distance is a combination of those of the constraints. Speeds
are compared with the solution of their linear problem.
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


KINDS = {"spherical": 3, "revolute": 1, "cylindrical": 1, "prismatic": 0}
E3 = np.eye(3)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def random_turn(dice):
    R = E3
    for word in "xyz":
        R = R @ rotation(AXES[word], dice.uniform(-2, 2))
    return R


class Chain:
    """Bodies on joints one behind the other; a pose is a list of (R, origin) by body, the ground first."""

    def __init__(self, dice):
        self.dice, self.n = dice, dice.randint(2, 4)
        self.points = [(vector(dice), vector(dice)) for _ in range(self.n + 1)]  # A, B of each body; B of the ground
        self.m = [round(dice.uniform(0.5, 3), 3) for _ in range(self.n)]
        self.I = [[round(dice.uniform(0.4, 0.6), 3) for _ in range(3)] for _ in range(self.n)]
        self.com = [vector(dice) for _ in range(self.n)]
        self.kind = [dice.choice(list(KINDS)) for _ in range(self.n)]
        self.kind[0] = "spherical" if dice.random() < 0.7 else "revolute"
        self.axis = [dice.choice("xyz") for _ in range(self.n)]
        self.beta, self.w, self.R, self.omega, self.extra, self.loop = {}, {}, {}, {}, [], None
        for i in range(self.n):
            if self.kind[i] == "revolute" and dice.random() < 0.3:
                self.w[i] = round(dice.uniform(-1, 1), 3)
            if self.kind[i] == "revolute" and dice.random() < 0.2:
                self.beta[i] = round(dice.uniform(-1, 1), 3)
        self.give()

    def pose(self, values, turns=None):
        """By joints: (angle, slide) of each, balls as turned."""
        out = [(E3, np.zeros(3))]
        for i in range(self.n):
            R, p = out[-1]
            angle, slide = values[i]
            e, at = AXES[self.axis[i]], p + R @ self.points[i][1]
            slides = self.kind[i] in ("prismatic", "cylindrical")
            turn = (turns or {}).get(i, E3) if self.kind[i] == "spherical" else rotation(e, angle) if KINDS[self.kind[i]] else E3
            own = R @ turn
            out.append((own, at + R @ e * (slide if slides else 0) - own @ self.points[i + 1][0]))
        return out

    def give(self):
        """Values that some pose and motion meets."""
        dice, last = self.dice, self.n - 1
        balls = [i for i in range(self.n) if self.kind[i] == "spherical"]
        some = self.pose([(self.beta.get(i, dice.uniform(-1, 1)), dice.uniform(-0.5, 0.5)) for i in range(self.n)],
                         {i: random_turn(dice) for i in balls})
        what = dice.choice(("axes", "axes", "point", "loop"))
        if what == "axes" and balls:
            self.R[last] = some[-1][0]
            if balls[-1] == max(balls[-1], max(self.w, default=-1)) and dice.random() < 0.5:
                self.omega[last] = vector(dice)
        elif what == "point":
            for k in dice.sample(range(3), dice.randint(1, 2)):
                self.extra.append((last, k, (some[-1][1] + some[-1][0] @ self.points[-1][1])[k]))
        else:
            self.loop = some[-1][1] + some[-1][0] @ self.points[-1][1]
            self.w = {}  # it may ask for others

    def reference(self):
        """Joints as given, else zero; a ball before axes that are given is turned so."""
        values = [(self.beta.get(i, 0.0), 0.0) for i in range(self.n)]
        out = self.pose(values)
        return self.pose(values, {i: out[i][0].T @ R for i, R in self.R.items() if self.kind[i] == "spherical"})

    def given(self, pose):
        """Rows that must be zero: joints, then values."""
        rows = []
        for i in range(self.n):
            (A, p), (B, q), e = pose[i], pose[i + 1], AXES[self.axis[i]]
            d = A.T @ (q + B @ self.points[i + 1][0] - p - A @ self.points[i][1])
            slides = self.kind[i] in ("prismatic", "cylindrical")
            rows += list(d) if not slides else [d[k] for k in range(3) if e[k] == 0]
            T = A.T @ B
            if self.kind[i] in ("revolute", "cylindrical"):
                rows += [(T @ e)[k] for k in range(3) if e[k] == 0]
            if self.kind[i] == "prismatic":
                rows += [T[2, 1] - T[1, 2], T[0, 2] - T[2, 0], T[1, 0] - T[0, 1]]
            if i in self.beta:
                missing = T @ rotation(e, -self.beta[i])
                rows.append(((missing - missing.T)[[2, 0, 1], [1, 2, 0]] / 2) @ e)
        for i, R in self.R.items():
            missing = pose[i + 1][0] @ R.T
            rows += list((missing - missing.T)[[2, 0, 1], [1, 2, 0]] / 2)
        tip = pose[-1][1] + pose[-1][0] @ self.points[-1][1]
        rows += [tip[k] - value for _, k, value in self.extra]
        return np.array(rows + (list(tip - self.loop) if self.loop is not None else []))

    def weights(self, i):
        return [sum(self.I[i]) / 2 - x for x in self.I[i]]

    def change(self, pose, reference):
        """Roots of the parts of the distance."""
        rows = []
        for i in range(self.n):
            (A, p), (B, q) = pose[i + 1], reference[i + 1]
            rows += list(self.m[i] ** 0.5 * (p + A @ self.com[i] - q - B @ self.com[i]))
            for k, w in enumerate(self.weights(i)):
                rows += list(w ** 0.5 * (A - B)[:, k])
        return np.array(rows)

    def moved(self, pose, by):
        """Every body shifted and turned a little, in ground axes."""
        out = [pose[0]]
        for i, (R, p) in enumerate(pose[1:]):
            a = by[6 * i + 3:6 * i + 6]
            size = np.linalg.norm(a)
            out.append(((rotation(a / size, size) if size else E3) @ R, p + by[6 * i:6 * i + 3]))
        return out

    def slope(self, f, pose, h=1e-6):
        sides = [(f(self.moved(pose, h * e)) - f(self.moved(pose, -h * e))) / (2 * h) for e in np.eye(6 * self.n)]
        return np.array(sides).T

    def text(self):
        lines = ["space = spatial", "ground { B = %s m%s }" % (
            written(self.points[0][1]), ", Q = %s m" % written(self.loop) if self.loop is not None else "")]
        for i in range(self.n):
            R = "[%s]" % "; ".join(", ".join(repr(float(x)) for x in row) for row in self.R[i]) if i in self.R else None
            keys = ([", R(0) = " + R] if R else []) + ([", omega(0) = " + written(self.omega[i])] if i in self.omega else [])
            lines.append("b%d : body  m = %r kg, I = %s kg.m^2, com = %s m%s  { A = %s m, B = %s m }" % (
                i, self.m[i], written(self.I[i]), written(self.com[i]), "".join(keys), *map(written, self.points[i + 1])))
        for i in range(self.n):
            keys = ["axis = " + self.axis[i]] if self.kind[i] != "spherical" else []
            keys += ["beta(0) = %r" % self.beta.get(i)] * (i in self.beta) + ["w(0) = %r" % self.w.get(i)] * (i in self.w)
            lines.append("J%d : %s(%s, b%d.A)  %s" % (i, self.kind[i], "b%d.B" % (i - 1) if i else "ground.B", i, ", ".join(keys)))
        lines += ["L : spherical(b%d.B, ground.Q)" % (self.n - 1)] * (self.loop is not None)
        lines += ["initial b%d.B.%s = %r m" % (i, "xyz"[k], float(x)) for i, k, x in self.extra]
        outputs = ["b%d.%s" % (i, w) for i in range(self.n) for w in ("r", "R", "v", "omega")]
        return "\n".join(lines + ["output " + ", ".join(outputs), ""])

    def speeds(self, pose):
        """Velocity of the origin and spin by body: nearest to joints that move as given, else not at all."""
        hung, rows, right = np.zeros((self.n + 1, 6)), [], []
        for i in range(self.n):
            A, spin = pose[i][0], hung[i, 3:] + pose[i][0] @ AXES[self.axis[i]] * self.w.get(i, 0.0)
            if i in self.omega and self.kind[i] == "spherical":
                spin = self.omega[i]
            seat, arm = pose[i][0] @ self.points[i][1], pose[i + 1][0] @ self.points[i + 1][0]
            way = pose[i + 1][1] + arm - pose[i][1] - seat
            hung[i + 1] = [*(hung[i, :3] + np.cross(hung[i, 3:], seat + way) - np.cross(spin, arm)), *spin]
        for i, w in self.w.items():
            row = np.zeros(6 * self.n)
            e = pose[i][0] @ AXES[self.axis[i]]
            row[6 * i + 3:6 * i + 6] = e
            if i:
                row[6 * i - 3:6 * i] = -e
            rows.append(row), right.append(w)
        for i, w in self.omega.items():
            for k in range(3):
                row = np.zeros(6 * self.n)
                row[6 * i + 3 + k] = 1
                rows.append(row), right.append(w[k])
        kept = dict(self.R), list(self.extra), dict(self.beta)
        self.R, self.extra, self.beta = {}, [], {}
        joints = self.slope(self.given, pose)
        self.R, self.extra, self.beta = kept
        C = np.vstack([joints] + rows)
        d = np.concatenate([np.zeros(len(joints)), right])
        M = np.zeros((6 * self.n, 6 * self.n))
        for i in range(self.n):
            R, c = pose[i + 1][0], skew(pose[i + 1][0] @ self.com[i])
            M[6 * i:6 * i + 6, 6 * i:6 * i + 6] = self.m[i] * np.vstack([np.hstack([E3, -c]), np.hstack([c, -c @ c])])
            M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] += R @ np.diag(self.I[i]) @ R.T
        root = np.linalg.cholesky(M).T
        x0 = hung[1:].ravel()
        shift = np.linalg.lstsq(C @ np.linalg.inv(root), d - C @ x0, rcond=1e-9)[0]
        return (x0 + np.linalg.solve(root, shift)).reshape(self.n, 6), np.abs(C @ (x0 + np.linalg.solve(root, shift)) - d).max()


def read(row, n):
    pose, speed = [(E3, np.zeros(3))], []
    for i in range(n):
        at = lambda w: np.array([row["b%d.%s[%d]" % (i, w, k + 1)] for k in range(3)])
        R = np.array([[row["b%d.R[%d,%d]" % (i, j + 1, k + 1)] for k in range(3)] for j in range(3)])
        pose.append((R, at("r"))), speed.append(np.concatenate([at("v"), at("omega")]))
    return pose, np.array(speed)


def compare(case):
    chain = Chain(case.dice)
    text, first = chain.text(), None
    for coordinates in ("joint", "absolute"):
        said = case.program.run(text, [0.0], "--coordinates", coordinates)
        rows = said.rows()
        if not case.check(rows is not None, "%s: %s" % (coordinates, said.why()), text):
            return
        first = first or rows[0]
        off, name = max((abs(rows[0][k] - first[k]), k) for k in first)
        case.check(off < 1e-7, "%s: %s = %r, in joints %r" % (coordinates, name, rows[0][name], first[name]), text)
    pose, speed = read(first, chain.n)
    case.check(np.abs(chain.given(pose)).max() < 1e-8, "a joint or a value is missed by %g" % np.abs(chain.given(pose)).max(), text)
    aligned = [(pose[i][0] @ AXES[chain.axis[i]]) @ (pose[i + 1][0] @ AXES[chain.axis[i]]) for i in range(chain.n)
               if chain.kind[i] != "spherical"]
    case.check(min(aligned, default=1) > 0, "an axis is reversed", text)
    reference = chain.reference()
    part = lambda x: chain.change(x, reference)
    gradient = chain.slope(part, pose).T @ part(pose)
    C = chain.slope(chain.given, pose)
    left = gradient - C.T @ np.linalg.lstsq(C.T, gradient, rcond=1e-7)[0]
    case.check(np.abs(left).max() < 1e-5 * (1 + np.abs(gradient).max()), "not the nearest: a gradient of %g is left" % np.abs(left).max(), text)
    right, miss = chain.speeds(pose)
    if miss < 1e-6:
        case.check(np.abs(right - speed).max() < 1e-5 * (1 + np.abs(right).max()), "speeds are off by %g" % np.abs(right - speed).max(), text)


def main():
    campaign = Campaign("starts_space", 6)
    for case in campaign:
        if case.number % 2:
            compare(case)
            continue
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
