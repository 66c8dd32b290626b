"""Mechanisms in space with all joints: trees, and loops that are closed by joints of every kind.

Bodies are placed along a tree by random values of its joints; then further joints are put where they fit, between
bodies at random. The right answer comes from the Newton-Euler equations of all bodies in absolute coordinates with the
rows of all joints and their multipliers; how rows change along the motion is found by differences. Accelerations of all
bodies and reactions of all joints are compared, in coordinates of the joints, of the bodies, and of both.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import AXES, rotation, vector, written

E3 = np.eye(3)
# slides, turns, word of each kind; those with three turns may have angles
KINDS = {"revolute": (0, 1), "prismatic": (1, 0), "cylindrical": (1, 1), "universal": (0, 2), "spherical": (0, 3),
         "gimbal": (0, 3), "planar": (2, 1), "screw": (1, 1), "free": (3, 3), "point_on_line": (1, 3),
         "point_on_plane": (2, 3), "slot": (1, 1)}
CLOSERS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "point_on_line",
           "point_on_plane", "distance", "constant_velocity", "slot", "rolling_disc", "rolling_ball")


def matrix(a):
    return "[%s]" % "; ".join(", ".join(repr(float(x)) for x in row) for row in a)


def unit(v):
    return v / np.linalg.norm(v)


def across(n):
    """Two unit vectors, out[0] x out[1] = n, as the program takes them."""
    for k in range(3):
        if n[k] == 1:
            return E3[(k + 1) % 3], E3[(k + 2) % 3]
    side = unit(np.cross(E3[int(np.argmin(np.abs(n)))], n))
    return side, np.cross(n, side)


def random_axes(dice):
    a = E3
    for axis in "xyz":
        a = a @ rotation(AXES[axis], dice.uniform(-3, 3))
    return a


class Body:
    def __init__(self, dice, name):
        self.name, self.frames = name, []
        self.m, self.com = round(dice.uniform(0.5, 3), 3), vector(dice, 0.3)
        points = [vector(dice, 0.4) for _ in range(4)]
        self.I = np.round(0.02 * E3 + sum(p @ p * E3 - np.outer(p, p) for p in points), 6)
        self.R, self.p, self.w, self.v = E3, np.zeros(3), np.zeros(3), np.zeros(3)  # of its origin

    def frame(self, at, axes):
        self.frames.append((at, axes))
        return len(self.frames) - 1

    def text(self):
        inside = ", ".join("P%d = frame(%s, %s)" % (i, written(f[0]), matrix(f[1])) for i, f in enumerate(self.frames))
        return "%s : body  m = %r, I = %s, com = %s  { %s }" % (self.name, self.m, matrix(self.I), written(self.com), inside)


class Joint:
    def __init__(self, dice, number, tail, head, kind):
        self.name, self.kind, self.tail, self.head = "J%d" % number, kind, tail, head
        self.slides, self.turns = KINDS.get(kind, (0, 0))
        if kind == "constant_velocity":
            self.turns = 3
        self.angles = kind in ("universal", "gimbal") or (self.turns == 3 and kind != "constant_velocity" and dice.random() < 0.4)
        self.axis = AXES[dice.choice("xyz")] if dice.random() < 0.5 else unit(vector(dice) + np.array([1.5, 0, 0]))
        if kind == "slot":
            self.axis = AXES[dice.choice("xy")]
        self.sequence = dice.choice(("zxz", "xyz", "zyx", "yxy", "zxy"))
        pins = {"universal": "xy", "gimbal": "zyx"}.get(kind, self.sequence)
        self.pins = [AXES["z"] if kind == "slot" else self.axis] if self.turns == 1 else [AXES[c] for c in pins]
        self.pins = self.pins[:self.turns]
        self.ways = ([], [self.axis], list(across(self.axis)), list(E3))[self.slides]
        self.s = [round(dice.uniform(-0.5, 0.5), 3) for _ in range(self.slides)]
        self.q = [round(dice.uniform(0.2, 1.2), 3) for _ in range(self.turns)]
        self.lead, self.radius = round(dice.uniform(0.1, 1), 3), round(dice.uniform(0.2, 0.5), 3)
        self.ball = random_axes(dice)
        if kind == "constant_velocity":
            bend = rotation(unit(across(self.axis)[0] + dice.uniform(-2, 2) * across(self.axis)[1]), dice.uniform(0.2, 0.9))
            shaft = rotation(self.axis, dice.uniform(-2, 2))
            self.ball = shaft @ bend @ shaft.T
        if kind == "screw":
            self.s = [self.lead * self.q[0] / (2 * np.pi)]
        self.load = [round(dice.uniform(-3, 3), 3) if dice.random() < 0.3 else 0.0 for _ in range(6)]
        if kind == "screw":
            self.load[0] = 0.0

    # ---- relative motion

    def turned(self):
        if not self.angles and self.turns == 3:
            return self.ball
        R = E3
        for p, q in zip(self.pins, self.q):
            R = R @ rotation(p, q)
        return R

    def freedoms(self):
        return self.slides + self.turns - (self.kind == "screw")

    def ends(self):
        """Points, axes of both frames in the world."""
        (a, A), (b, B) = self.tail.frames[self.at[0]], self.head.frames[self.at[1]]
        t, h = self.tail, self.head
        return t.p + t.R @ a, t.R @ A, h.p + h.R @ b, h.R @ B

    def turn_axes(self, A, B):
        """Axes of turns in the world."""
        if self.turns == 3 and not self.angles:
            return [B @ e for e in E3]
        out, R = [], A
        for p, q in zip(self.pins, self.q):
            out.append(R @ p)
            R = R @ rotation(p, q)
        return out

    def columns(self):
        """Relative motions (omega, velocity) of the head at its point, one for each rate."""
        x, A, y, B = self.ends()
        if self.kind == "screw":
            return [(A @ self.axis, self.lead / (2 * np.pi) * (A @ self.axis))]
        return [(np.zeros(3), A @ w) for w in self.ways] + [(e, np.zeros(3)) for e in self.turn_axes(A, B)]

    # ---- rows: six numbers of the tail, six of the head, each (v of the origin, omega)

    def rows(self):
        x, A, y, B = self.ends()
        t, h = self.tail, self.head
        d, rt, rh = y - x, x - t.p, y - h.p

        def point(a, arm=np.zeros(3)):
            """a turns with the tail; arm: where on the head it acts, from its point."""
            return np.concatenate([-a, -np.cross(rt, a) + np.cross(a, d) - np.cross(arm, a), a, np.cross(rh + arm, a)])

        def turn(c):
            return np.concatenate([np.zeros(3), -c, np.zeros(3), c])

        def aim(a, b):
            return turn(np.cross(b, a))
        if self.kind == "distance":
            e = d / np.linalg.norm(d)
            return [np.concatenate([-e, -np.cross(rt, e), e, np.cross(rh, e)])]
        if self.kind in ("rolling_disc", "rolling_ball"):
            n = A[:, 2]
            e = B @ self.axis
            g = n if self.kind == "rolling_ball" else unit(n - (n @ e) * e)
            return [point(A[:, k], -self.radius * g) for k in (2, 0, 1)]
        ways = [A @ w for w in self.ways]
        if self.slides == 2:
            held = [A @ self.axis]
        else:
            held = [[A @ e for e in E3], [A @ e for e in across(self.axis)], None, []][self.slides]
        out = [point(a) for a in held]
        if self.turns == 0:
            out += [aim(A[:, i], B[:, (i + 1) % 3]) for i in range(3)]
        elif self.turns == 1:
            out += [aim(A @ e, B @ self.pins[0]) for e in across(self.pins[0])]
        elif self.turns == 2:
            out += [aim(A @ self.pins[0], B @ self.pins[1])]
        if self.kind == "screw":
            out += [point(ways[0]) - self.lead / (2 * np.pi) * turn(A @ self.axis)]
        if self.kind == "constant_velocity":
            a, b = across(self.axis)
            out += [aim(A @ a, B @ b) - aim(A @ b, B @ a)]
        return out

    def loads(self):
        """(force, torque) on the head at its point."""
        x, A, y, B = self.ends()
        F, T = np.zeros(3), np.zeros(3)
        for i, w in enumerate(self.ways):
            F = F + self.load[i] * (A @ w)
        if self.turns == 1 or self.angles:
            axes = np.array(self.turn_axes(A, B))
            T = np.linalg.pinv(axes) @ self.load[3:3 + self.turns]  # power on one angle only
        return F, T

    def text(self, rates):
        keys = []
        if self.kind == "universal" or self.kind == "gimbal" or self.kind in ("spherical", "free", "distance", "rolling_ball"):
            pass
        else:
            keys.append("axis = %s" % written(self.axis))
        if self.angles and self.kind not in ("universal", "gimbal"):
            keys.append("angles = " + self.sequence)
        if self.kind == "screw":
            keys.append("lead = %r" % self.lead)
        if self.kind == "distance":
            x, A, y, B = self.ends()
            keys.append("length = %r" % float(np.linalg.norm(y - x)))
        if self.kind.startswith("rolling"):
            keys.append("radius = %r" % self.radius)
        if rates is not None:
            keys += self.starts(rates)
        lines = ["%s : %s(%s.P%d, %s.P%d)  %s" % (self.name, self.kind, self.tail.name, self.at[0], self.head.name,
                                                  self.at[1], ", ".join(keys))]
        for i in range(self.slides):
            if self.load[i] and self.kind != "screw":
                lines.append("X%s_%d : force(%s.%s)  F = %r" % (self.name, i, self.name, self.word("s", i), self.load[i]))
        for i in range(self.turns if self.turns == 1 or self.angles else 0):
            if self.load[3 + i]:
                lines.append("Y%s_%d : torque(%s.%s)  T = %r" % (self.name, i, self.name, self.word("q", i), self.load[3 + i]))
        return lines

    def word(self, letter, i):
        if letter in "sv":
            return letter if self.slides == 1 else "%s[%d]" % (letter, i + 1)
        one = {"q": "beta", "w": "w"}[letter]
        return one if self.turns == 1 else "%s[%d]" % (letter, i + 1)

    def starts(self, rates):
        if self.kind == "screw":
            return ["beta(0) = %r" % self.q[0], "w(0) = %r" % float(rates[0])]
        out = []
        for i in range(self.slides):
            out += ["%s(0) = %r" % (self.word("s", i), self.s[i]), "%s(0) = %r" % (self.word("v", i), float(rates[i]))]
        turn = rates[self.slides:]
        if self.turns == 3 and not self.angles:
            return out + ["R(0) = %s" % matrix(self.ball), "omega(0) = %s" % written(turn)]
        for i in range(self.turns):
            out += ["%s(0) = %r" % (self.word("q", i), self.q[i]), "%s(0) = %r" % (self.word("w", i), float(turn[i]))]
        return out


class Mechanism:
    def __init__(self, dice, loops):
        self.ground, self.g = Body(dice, "ground"), vector(dice, 9.81)
        self.bodies, self.tree, self.chords = [], [], []
        for i in range(dice.randint(2, 6)):
            parent = dice.choice([self.ground] + self.bodies + self.bodies[-1:] * 3)
            child = Body(dice, "b%d" % (i + 1))
            self.hang(dice, parent, child)
            self.bodies.append(child)
        spare = sum(j.freedoms() for j in self.tree) - 1
        for _ in range(dice.choice((1, 1, 2)) if loops else 0):
            tail, head = dice.sample([self.ground] + self.bodies, 2)
            kind = dice.choice(CLOSERS)
            j = Joint(dice, len(self.tree) + len(self.chords) + 1, tail, head, kind)
            if head is self.ground or any({j.tail, j.head} == {k.tail, k.head} for k in self.tree + self.chords):
                continue
            self.fit(dice, j)
            if len(j.rows()) <= spare:
                spare -= len(j.rows())
                self.chords.append(j)
        self.joints = self.tree + self.chords
        self.u = [np.array([round(dice.uniform(-1.5, 1.5), 3) for _ in j.columns()]) for j in self.tree]
        for j in self.chords:
            j.load = [0.0] * 6

    def hang(self, dice, parent, child):
        kind = dice.choice([k for k in KINDS])
        forward = dice.random() < 0.7
        tail, head = (parent, child) if forward else (child, parent)
        j = Joint(dice, len(self.tree) + 1, tail, head, kind)
        j.forward = forward
        j.at = (tail.frame(vector(dice, 0.6), random_axes(dice) if dice.random() < 0.5 else E3),
                head.frame(vector(dice, 0.6), random_axes(dice) if dice.random() < 0.5 else E3))
        (a, A), (b, B) = tail.frames[j.at[0]], head.frames[j.at[1]]
        way = sum((s * w for s, w in zip(j.s, j.ways)), np.zeros(3))
        if forward:
            seat = tail.R @ A
            head.R = seat @ j.turned() @ B.T
            head.p = tail.p + tail.R @ a + seat @ way - head.R @ b
        else:
            seat = head.R @ B @ j.turned().T
            tail.R = seat @ A.T
            tail.p = head.p + head.R @ b - seat @ way - tail.R @ a
        self.tree.append(j)

    def fit(self, dice, j):
        """Frames of a joint that closes a loop, where it fits."""
        t, h = j.tail, j.head
        a, A = vector(dice, 0.6), random_axes(dice)
        x, seat = t.p + t.R @ a, t.R @ A
        if j.kind == "distance":
            y, turn = h.p + h.R @ vector(dice, 0.6), E3
        elif j.kind.startswith("rolling"):
            turn = random_axes(dice)
            e = turn @ j.axis
            up = E3[2] if j.kind == "rolling_ball" else unit(E3[2] - e[2] * e)
            y = x + seat @ (np.array([dice.uniform(-1, 1), dice.uniform(-1, 1), 0]) + j.radius * up[2] * E3[2])
        else:
            turn, y = j.turned(), x + seat @ sum((s * w for s, w in zip(j.s, j.ways)), np.zeros(3))
        j.at = (t.frame(a, A), h.frame(h.R.T @ (y - h.p), h.R.T @ seat @ turn))

    # ---- speeds

    def spread(self, u):
        """Speeds of all bodies from rates of the tree's joints."""
        self.ground.w = self.ground.v = np.zeros(3)
        for j, rates in zip(self.tree, u):
            x, A, y, B = j.ends()
            w = sum((r * c[0] for r, c in zip(rates, j.columns())), np.zeros(3))
            v = sum((r * c[1] for r, c in zip(rates, j.columns())), np.zeros(3))
            t, h = j.tail, j.head
            if j.forward:
                h.w = t.w + w
                h.v = t.v + np.cross(t.w, y - t.p) + v - np.cross(h.w, y - h.p)
            else:
                t.w = h.w - w
                t.v = h.v + np.cross(h.w, y - h.p) - v - np.cross(t.w, y - t.p)

    def speed(self, row, j):
        return row[:3] @ j.tail.v + row[3:6] @ j.tail.w + row[6:9] @ j.head.v + row[9:] @ j.head.w

    def consistent(self):
        """The nearest rates that keep the loops closed; None: rows depend on each other."""
        flat = np.concatenate(self.u)
        size = [len(r) for r in self.u]
        rows = [(r, j) for j in self.chords for r in j.rows()]
        C = np.zeros((len(rows), len(flat)))
        for k in range(len(flat)):
            e = np.zeros(len(flat))
            e[k] = 1
            self.spread(np.split(e, np.cumsum(size)[:-1]))
            C[:, k] = [self.speed(r, j) for r, j in rows]
        if rows:
            s = np.linalg.svd(C, compute_uv=False)
            if s[-1] < 0.03 or s[0] / s[-1] > 100:
                return None
            flat = flat - np.linalg.pinv(C) @ (C @ flat)
        self.u = np.split(flat, np.cumsum(size)[:-1])
        self.spread(self.u)
        return self.u

    # ---- accelerations

    def matrix(self):
        n = 6 * len(self.bodies)
        out = []
        for j in self.joints:
            for r in j.rows():
                line = np.zeros(n)
                for b, part in ((j.tail, r[:6]), (j.head, r[6:])):
                    if b is not self.ground:
                        c = 6 * self.bodies.index(b)
                        line[c:c + 6] += part
                out.append(line)
        return np.array(out).reshape(-1, n)

    def drift(self, h):
        """All bodies go on for h with constant speeds; joints turn with them."""
        for b in self.bodies:
            b.p = b.p + h * b.v
            size = np.linalg.norm(b.w)
            b.R = rotation(b.w / size, size * h) @ b.R if size else b.R

    def solve(self):
        n = 6 * len(self.bodies)
        M, f = np.zeros((n, n)), np.zeros(n)
        nu = np.concatenate([np.concatenate([b.v, b.w]) for b in self.bodies])
        for i, b in enumerate(self.bodies):
            c, I, k = b.R @ b.com, b.R @ b.I @ b.R.T, 6 * i
            X = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
            M[k:k + 3, k:k + 3] = b.m * E3
            M[k:k + 3, k + 3:k + 6] = -b.m * X
            M[k + 3:k + 6, k:k + 3] = b.m * X
            M[k + 3:k + 6, k + 3:k + 6] = I - b.m * X @ X
            inward = np.cross(b.w, np.cross(b.w, c))
            f[k:k + 3] = b.m * (self.g - inward)
            f[k + 3:k + 6] = np.cross(c, b.m * (self.g - inward)) - np.cross(b.w, I @ b.w)
        for j in self.tree:
            x, A, y, B = j.ends()
            F, T = j.loads()
            for b, sign in ((j.head, 1), (j.tail, -1)):
                if b is not self.ground:
                    k = 6 * self.bodies.index(b)
                    f[k:k + 3] += sign * F
                    f[k + 3:k + 6] += sign * (T + np.cross(y - b.p, F))
        J, h = self.matrix(), 1e-5
        kept = [(b.p, b.R) for b in self.bodies]
        self.drift(h)
        late = self.matrix()
        for b, (p, R) in zip(self.bodies, kept):
            b.p, b.R = p, R
        self.drift(-h)
        gamma = -(late - self.matrix()) @ nu / (2 * h)
        for b, (p, R) in zip(self.bodies, kept):
            b.p, b.R = p, R
        m = len(J)
        K = np.block([[M, -J.T], [J, np.zeros((m, m))]])
        if np.linalg.cond(K) > 1e9:
            return False
        x = np.linalg.solve(K, np.concatenate([f, gamma]))
        for i, b in enumerate(self.bodies):
            b.a, b.alpha = x[6 * i:6 * i + 3], x[6 * i + 3:6 * i + 6]
        at = n
        for j in self.joints:
            j.F, j.T = np.zeros(3), np.zeros(3)
            y = j.ends()[2]
            for r in j.rows():
                j.F = j.F + x[at] * r[6:9]
                j.T = j.T + x[at] * (r[9:] - np.cross(y - j.head.p, r[6:9]))
                at += 1
        return True

    def text(self):
        lines = ["model loops", "space = spatial", "gravity = " + written(self.g), "ground { %s }" % ", ".join(
            "P%d = frame(%s, %s)" % (i, written(f[0]), matrix(f[1])) for i, f in enumerate(self.ground.frames))]
        lines += [b.text() for b in self.bodies]
        for j, u in zip(self.tree, self.u):
            lines += j.text(u)
        for j in self.chords:
            lines += j.text(None)
        return "\n".join(lines) + "\n"


def compare(case, m, *options):
    outputs = ["%s.%s" % (b.name, w) for b in m.bodies for w in ("r", "v", "omega", "a", "alpha")]
    outputs += ["%s.F" % j.name for j in m.joints if j.kind != "free"]
    outputs += ["%s.T" % j.name for j in m.joints if j.kind in KINDS and j.kind not in ("free", "point_on_line", "point_on_plane")]
    text = m.text() + "output kinetic() as kin, %s\n" % ", ".join(outputs)
    said = case.program.call(text, "run", "-o", "-", "--times", "0", *options)
    rows = said.rows()
    if not case.check(rows is not None, "no answer%s: %s" % (" ".join(("",) + options), said.why()), text):
        return
    got, wrong = rows[0], []
    size = 1 + max(np.abs(np.concatenate([b.a for b in m.bodies] + [b.alpha for b in m.bodies])))
    force = 1 + max(np.abs(np.concatenate([np.concatenate([j.F, j.T]) for j in m.joints])))

    def same(name, want, scale):
        if not abs(got[name] - want) <= 1e-6 * scale:
            wrong.append("%s = %r, right is %r" % (name, got[name], want))
    for b in m.bodies:
        for word, v, scale in (("r", b.p, 10), ("v", b.v, 10), ("omega", b.w, 10), ("a", b.a, size), ("alpha", b.alpha, size)):
            for k in range(3):
                name = "%s.%s" % (b.name, "xyz"[k]) if word == "r" else "%s.%s[%d]" % (b.name, word, k + 1)
                same(name if name in got else "%s.%s[%d]" % (b.name, word, k + 1), v[k], scale)
    for j in m.joints:
        for k in range(3):
            if "%s.F[1]" % j.name in got:
                same("%s.F[%d]" % (j.name, k + 1), j.F[k], force)
            if "%s.T[1]" % j.name in got:
                same("%s.T[%d]" % (j.name, k + 1), j.T[k], force)
    case.check(not wrong, "%s: %s" % (" ".join(options), "; ".join(wrong[:3])), text)


def dice_name(dice, body, m):
    """A body, or the joint that it hangs on, as a branch."""
    return body.name if dice.random() < 0.5 else m.tree[m.bodies.index(body)].name


def main():
    campaign = Campaign("space_loops", 40)
    for case in campaign:
        m = Mechanism(case.dice, case.dice.random() < 0.7)
        if m.consistent() is None or not m.solve():
            continue
        compare(case, m)
        if case.number % 3 == 0:
            compare(case, m, "--coordinates", "absolute")
        if case.number % 3 < 2:
            names = [dice_name(case.dice, b, m) for b in m.bodies], [dice_name(case.dice, b, m) for b in m.bodies]
            compare(case, m, "--tree", "translational: %s; rotational: %s" % tuple(", ".join(n) for n in names))
    campaign.close()


if __name__ == "__main__":
    main()
