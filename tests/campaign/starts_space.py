"""Starts of random trees of bodies in space, given by axes and spins of bodies and of joints: alike in all coordinates.

Balls and free joints, revolute joints on them; chains on the ground and loose ones. Some bodies have R(0) and omega(0),
some joints R(0), omega(0), beta(0), w(0). A body hangs on its joint, whose turn is as given, else as the axes that are given of the
body ask for, else zero; the same of spins. Coordinates of joints and of bodies must begin alike, and keep what is given.
The right place of every body is computed here from these words.

And chains whose reference cannot be the start: axes and spins are given of bodies behind several joints, points of frames,
or a ball closes a loop. Then the start must be alike in all coordinates, keep what is given, close all joints, and be
nearest in the metric of kinetic energy: the gradient of the distance is a combination of those of the constraints. Speeds
are compared with the solution of their linear problem.

And chains and free bodies that are tied by position sources, velocity sources, knife edges and sums of speeds, with speeds given
that may ask for another pose: of all poses that let them be, the start is at the nearest.
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
SLIDES = ("prismatic", "cylindrical")
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
        self.beta, self.w, self.v, self.R, self.omega, self.extra, self.loop = {}, {}, {}, {}, {}, [], None
        self.edges = []  # knife edges
        self.choose()
        self.give()

    def choose(self):
        dice = self.dice
        for i in range(self.n):
            if self.kind[i] == "revolute" and dice.random() < 0.3:
                self.w[i] = round(dice.uniform(-1, 1), 3)
            if self.kind[i] == "revolute" and dice.random() < 0.2:
                self.beta[i] = round(dice.uniform(-1, 1), 3)

    def pose(self, values, turns=None):
        """By joints: (angle, slide) of each, balls as turned; a free body is turned so, and slides along its axis."""
        out = [(E3, np.zeros(3))]
        for i in range(self.n):
            R, p = out[-1]
            if self.kind[i] == "free":
                out.append(((turns or {}).get(i, E3), values[i][1] * AXES[self.axis[i]]))
                continue
            angle, slide = values[i]
            e, at = AXES[self.axis[i]], p + R @ self.points[i][1]
            slides = self.kind[i] in SLIDES
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
            if self.kind[i] == "free":
                continue
            (A, p), (B, q), e = pose[i], pose[i + 1], AXES[self.axis[i]]
            d = A.T @ (q + B @ self.points[i + 1][0] - p - A @ self.points[i][1])
            slides = self.kind[i] in SLIDES
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
            keys += ["v(0) = %r" % self.v.get(i)] * (i in self.v)
            if self.kind[i] == "free":
                continue
            lines.append("J%d : %s(%s, b%d.A)  %s" % (i, self.kind[i], "b%d.B" % (i - 1) if i else "ground.B", i, ", ".join(keys)))
        lines += ["L : spherical(b%d.B, ground.Q)" % (self.n - 1)] * (self.loop is not None)
        lines += ["initial b%d.B.%s = %r m" % (i, "xyz"[k], float(x)) for i, k, x in self.extra]
        outputs = ["b%d.%s" % (i, w) for i in range(self.n) for w in ("r", "R", "v", "omega")]
        return "\n".join(lines + ["output " + ", ".join(outputs), ""])

    def motion(self, pose, u):
        """Rows whose squares are the metric of speeds: of mass centres and axes."""
        rows = []
        for i in range(self.n):
            R, (v, w) = pose[i + 1][0], u.reshape(self.n, 2, 3)[i]
            rows += list(self.m[i] ** 0.5 * (v + np.cross(w, R @ self.com[i])))
            for k, weight in enumerate(self.weights(i)):
                rows += list(weight ** 0.5 * np.cross(w, R[:, k]))
        return np.array(rows)

    def extent(self, pose):
        """Inertia about the common mass centre: the sum of squares of all distances from it."""
        centres = np.array([p + R @ c for (R, p), c in zip(pose[1:], self.com)])
        away = centres - np.average(centres, axis=0, weights=self.m)
        return sum(m * a @ a + sum(self.weights(i)) for i, (m, a) in enumerate(zip(self.m, away)))

    def hang_speeds(self, pose):
        """Velocity of the origin and spin by body: joints move as given, else not at all."""
        hung = np.zeros((self.n + 1, 6))
        for i in range(self.n):
            if self.kind[i] == "free":
                continue
            e = pose[i][0] @ AXES[self.axis[i]]
            spin = hung[i, 3:] + e * self.w.get(i, 0.0)
            if i in self.omega and self.kind[i] == "spherical":
                spin = self.omega[i]
            seat, arm = pose[i][0] @ self.points[i][1], pose[i + 1][0] @ self.points[i + 1][0]
            way = pose[i + 1][1] + arm - pose[i][1] - seat
            hung[i + 1] = [*(hung[i, :3] + np.cross(hung[i, 3:], seat + way) + self.v.get(i, 0.0) * e - np.cross(spin, arm)), *spin]
        return hung[1:]

    def speeds(self, pose):
        """Nearest to these."""
        C, d = self.rates(pose)
        root = np.linalg.cholesky(self.inertia(pose)).T
        x0 = self.hang_speeds(pose).ravel()
        shift = np.linalg.lstsq(C @ np.linalg.inv(root), d - C @ x0, rcond=1e-9)[0]
        return (x0 + np.linalg.solve(root, shift)).reshape(self.n, 6), np.abs(C @ (x0 + np.linalg.solve(root, shift)) - d).max()

    def turning(self, i, pose):
        """The row of the speed of joint i about its axis."""
        row, e = np.zeros(6 * self.n), pose[i][0] @ AXES[self.axis[i]]
        row[6 * i + 3:6 * i + 6] = e
        if i:
            row[6 * i - 3:6 * i] = -e
        return row

    def point_rate(self, i, at, e):
        """The row of the speed along e of what body i has at a place (R @ arm); none of the ground."""
        row = np.zeros(6 * self.n)
        if i >= 0:
            row[6 * i:6 * i + 3], row[6 * i + 3:6 * i + 6] = e, np.cross(at, e)
        return row

    def sliding(self, i, pose):
        e, seat = pose[i][0] @ AXES[self.axis[i]], pose[i][0] @ self.points[i][1]
        arm = pose[i + 1][0] @ self.points[i + 1][0]
        way = pose[i + 1][1] + arm - pose[i][1]
        return self.point_rate(i, arm, e) - self.point_rate(i - 1, way, e)

    def rates(self, pose):
        """All rows of speeds, and what they must be."""
        rows = [self.turning(i, pose) for i in self.w] + [self.sliding(i, pose) for i in self.v]
        right = list(self.w.values()) + list(self.v.values())
        for i, w in self.omega.items():
            for k in range(3):
                row = np.zeros(6 * self.n)
                row[6 * i + 3 + k] = 1
                rows.append(row), right.append(w[k])
        kept = dict(self.R), list(self.extra), dict(self.beta)
        self.R, self.extra, self.beta = {}, [], {}
        joints = self.slope(self.given, pose)
        self.R, self.extra, self.beta = kept
        return np.vstack([joints.reshape(-1, 6 * self.n)] + rows), np.concatenate([np.zeros(len(joints)), right])

    def inertia(self, pose):
        M = np.zeros((6 * self.n, 6 * self.n))
        for i in range(self.n):
            R, c = pose[i + 1][0], skew(pose[i + 1][0] @ self.com[i])
            M[6 * i:6 * i + 6, 6 * i:6 * i + 6] = self.m[i] * np.vstack([np.hstack([E3, -c]), np.hstack([c, -c @ c])])
            M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] += R @ np.diag(self.I[i]) @ R.T
        return M


class Tied(Chain):
    """Sources and bounds of speeds between points; values are those of some pose and some motion of it."""

    def choose(self):
        self.lengths, self.bounds, self.lines = [], [], []  # (points, value); [row of speeds by pose, value]
        self.kind = ["free" if self.dice.random() < 0.2 else kind for kind in self.kind]

    def tip(self, point, pose):
        """Place, and arm, of a point B; the ground's is Q."""
        if point < 0:
            return self.far, self.far
        arm = pose[point + 1][0] @ self.points[point + 1][1]
        return pose[point + 1][1] + arm, arm

    def length(self, ends, pose):
        return np.linalg.norm(self.tip(ends[1], pose)[0] - self.tip(ends[0], pose)[0])

    def length_rate(self, ends, pose):
        (p, a), (q, b) = self.tip(ends[0], pose), self.tip(ends[1], pose)
        e = (q - p) / np.linalg.norm(q - p)
        return self.point_rate(ends[1], b, e) - self.point_rate(ends[0], a, e)

    def across(self, i, pose):
        """What a knife edge holds: in the plane of x and y, across the x axis of the body."""
        x = pose[i + 1][0][:, 0]
        return self.point_rate(i, self.tip(i, pose)[1], np.array([-x[1], x[0], 0]) / np.hypot(x[0], x[1]))

    def tie(self, k, kind):
        dice = self.dice
        ends = (dice.randint(-1, self.n - 1), dice.randrange(self.n))
        names = ["b%d.B" % i if i >= 0 else "ground.Q" for i in ends]
        if kind in ("position", "velocity") and ends[0] == ends[1]:
            return
        if kind == "position":
            self.lengths.append((ends, float(self.length(ends, self.some))))
            self.bounds.append([lambda pose: self.length_rate(ends, pose), 0.0])
            self.lines.append("X%d : position_source(%s, %s)  x = %r m" % (k, *names, self.lengths[-1][1]))
        elif kind == "velocity":
            self.bounds.append([lambda pose: self.length_rate(ends, pose), None])
            self.lines.append("X%d : velocity_source(%s, %s)  v = %%r m/s" % (k, *names))
        elif kind == "knife":
            self.edges.append(ends[1])
            self.bounds.append([lambda pose: self.across(ends[1], pose), 0.0])
            self.lines.append("K%d : knife_edge(ground, %s)" % (k, names[1]))
        else:
            terms = [(round(dice.uniform(-2, 2), 3), dice.randrange(self.n), dice.randrange(3)) for _ in range(2)]
            self.bounds.append([lambda pose: sum(c * self.point_rate(i, self.tip(i, pose)[1], E3[j]) for c, i, j in terms), 0.0])
            self.lines.append("K%d : speed_constraint  v = %s" % (k, " + ".join("(%r)*b%d.B.v[%d]" % (c, i, j + 1) for c, i, j in terms)))

    def give(self):
        dice, n = self.dice, self.n
        self.far = vector(dice, 1.5)
        self.some = self.pose([(dice.uniform(-1, 1), dice.uniform(-0.5, 0.5)) for _ in range(n)],
                              {i: random_turn(dice) for i in range(n) if self.kind[i] in ("spherical", "free")})
        for k in range(dice.randint(1, 3)):
            self.tie(k, dice.choice(("position", "velocity", "knife", "sum")))
        along = np.linalg.svd(self.rates(self.some)[0])[2][np.linalg.matrix_rank(self.rates(self.some)[0], tol=1e-6):]
        motion = along.T @ np.array([dice.uniform(-1, 1) for _ in along])
        rate = lambda row: 0.0 if abs(row @ motion) < 1e-9 else float(row @ motion)
        for i, (row, value) in enumerate(self.bounds):
            if value is None:
                self.bounds[i][1] = rate(row(self.some))
                self.lines[i] = self.lines[i] % self.bounds[i][1]
        for i in range(n):
            if self.kind[i] in ("revolute", "cylindrical") and dice.random() < 0.5:
                self.w[i] = rate(self.turning(i, self.some))
            if self.kind[i] in SLIDES and dice.random() < 0.3:
                self.v[i] = rate(self.sliding(i, self.some))

    def given(self, pose):
        return np.concatenate([super().given(pose), [self.length(ends, pose) - x for ends, x in self.lengths]])

    def rates(self, pose):
        lengths, self.lengths = self.lengths, []
        C, d = super().rates(pose)
        self.lengths = lengths
        own = [(row(pose), value) for row, value in self.bounds if value is not None]
        return np.vstack([C] + [row for row, _ in own]), np.concatenate([d, [value for _, value in own]])

    def text(self):
        text = super().text().replace("ground {", "ground { Q = %s m," % written(self.far))
        return text.replace("output", "\n".join(self.lines) + "\noutput")

    def options(self):
        yield from (["--coordinates", c] for c in ("joint", "absolute", "auto"))
        names = ["b%d" % i for i in range(self.n)] + ["J%d" % i for i in range(self.n) if self.kind[i] != "free"]
        yield ["--tree", ",".join(self.dice.sample(names, min(len(names), self.dice.randint(1, 3))))]


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


def left_over(rows, gradient):
    left = gradient - rows.T @ np.linalg.lstsq(rows.T, gradient, rcond=1e-7)[0]
    return np.abs(left).max() / (1 + np.abs(gradient).max())


def left_of_places(chain, pose):
    """What is left of the gradient of the distance from the reference, where places obey their rows."""
    reference = chain.reference()
    part = lambda x: chain.change(x, reference)
    gradient = chain.slope(part, pose).T @ part(pose)
    return left_over(chain.slope(chain.given, pose).reshape(-1, len(gradient)), gradient)


def left_of_both(chain, pose, speed):
    """The same of places and speeds together: of P/J + log(2 E + V), J inertia and E energy of the reference."""
    reference, u = chain.reference(), speed.ravel()
    wanted = chain.motion(reference, chain.hang_speeds(reference).ravel())
    off = chain.motion(pose, u) - wanted
    time = (chain.extent(reference) / (wanted @ wanted + off @ off)) ** 0.5
    part = lambda x, v: np.concatenate([chain.change(x, reference), time * (chain.motion(x, v) - wanted)])
    now, n = part(pose, u), 6 * chain.n
    down = np.vstack([np.eye(n)[i] for i in range(n)])
    by_speed = np.array([(part(pose, u + e) - part(pose, u - e)) / 2 for e in down]).T
    gradient = np.concatenate([chain.slope(lambda x: part(x, u), pose).T @ now, by_speed.T @ now])
    C = chain.rates(pose)[0]
    bent = chain.slope(lambda x: chain.rates(x)[0] @ u, pose, 1e-4)
    places = chain.slope(chain.given, pose).reshape(-1, n)
    return left_over(np.vstack([np.hstack([places, 0 * places]), np.hstack([bent, C])]), gradient)


def compare_tied(case):
    chain, first = Tied(case.dice), None
    text = chain.text()
    for option in chain.options():
        said = case.program.run(text, [0.0], *option)
        rows = said.rows()
        if rows is None and any(code in said.err for code in ("E510", "E511", "E523", "E60")):
            continue  # told
        if not case.check(rows is not None, "%s: %s" % (" ".join(option), said.why()), text):
            return
        first = first or rows[0]
        size = 1 + max(abs(x) for x in first.values())
        off, name = max((abs(rows[0][k] - first[k]), k) for k in first)
        case.check(off < 1e-6 * size, "%s: %s = %r, first %r" % (" ".join(option), name, rows[0][name], first[name]), text)
    if not first:
        return
    pose, speed = read(first, chain.n)
    C, d = chain.rates(pose)
    missed = max(np.abs(chain.given(pose)).max(initial=0), np.abs(C @ speed.ravel() - d).max(initial=0) / size)
    case.check(missed < 1e-6, "a joint, a source or a value is missed by %g" % missed, text)
    left = left_of_places(chain, pose)
    if left > 1e-5 and not chain.lengths:  # else the way to it is not known here
        left = left_of_both(chain, pose, speed)
        case.check(left < 1e-4, "not the nearest: a gradient of %g is left" % left, text)
        return
    right, miss = chain.speeds(pose)
    if left < 1e-5 and miss < 1e-8:
        off = np.abs(right - speed).max()
        case.check(off < 1e-5 * size, "speeds are off by %g" % off, text)


def main():
    campaign = Campaign("starts_space", 9)
    for case in campaign:
        if case.number % 3 == 2:
            compare_tied(case)
            continue
        if case.number % 3:
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
