"""Trees of rigid bodies in space: random joints, axes, frames, inertias, loads, drivers.

The right answer comes from the Newton-Euler equations of all bodies in absolute coordinates: six accelerations each,
and the rows of all joints with multipliers. Places and speeds follow the joints one by one. Some trees also move for a
while: their energy must stay, and turning and shifting the whole world, gravity and all, must change no joint; without gravity
and ground their momentum must stay.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign

AXES = {"x": np.array([1.0, 0, 0]), "y": np.array([0, 1.0, 0]), "z": np.array([0, 0, 1.0])}


def rotation(e, angle):
    k = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def vector(dice, size=1.0):
    return np.array([round(dice.uniform(-size, size), 3) for _ in range(3)])


def written(v):
    return "[%s]" % ", ".join(repr(float(x)) for x in v)


class Frame:
    """A point of a body, perhaps with axes of its own, made of turns about new axes."""

    def __init__(self, dice, body, name):
        self.body, self.name, self.at = body, name, vector(dice)
        self.turns = [(dice.choice("xyz"), round(dice.uniform(-3, 3), 3)) for _ in range(dice.choice((0, 0, 1, 2)))]
        self.axes = np.eye(3)
        for axis, angle in self.turns:
            self.axes = self.axes @ rotation(AXES[axis], angle)

    def path(self):
        return "%s.%s" % (self.body.name, self.name)

    def text(self):
        turns = "".join(", rotate(%s, %r)" % t for t in self.turns)
        return "%s = %s" % (self.name, "frame(%s%s)" % (written(self.at), turns) if turns else written(self.at))


class Body:
    def __init__(self, dice, name):
        self.name, self.frames = name, []
        self.m, self.com = round(dice.uniform(0.5, 3), 3), vector(dice, 0.5)
        points = [vector(dice, 0.4) for _ in range(4)]
        full = 0.01 * np.eye(3) + sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        self.full = dice.random() < 0.6
        self.I = np.round(full if self.full else np.diag(np.diag(full)), 6)

    def frame(self, dice):
        self.frames.append(Frame(dice, self, "P%d" % (len(self.frames) + 1)))
        return self.frames[-1]

    def text(self):
        I = "[%s]" % "; ".join(", ".join(repr(float(x)) for x in row) for row in self.I) if self.full else \
            written(np.diag(self.I))
        return "%s : body  m = %r, I = %s, com = %s  { %s }" % (
            self.name, self.m, I, written(self.com), ", ".join(f.text() for f in self.frames))


class Joint:
    def __init__(self, dice, number, parent, child, drives):
        self.name, self.child, self.forward = "J%d" % number, child, dice.random() < 0.7
        outer, inner = parent.frame(dice), child.frame(dice)
        self.tail, self.head = (outer, inner) if self.forward else (inner, outer)
        self.kind = dice.choice(("revolute", "revolute", "revolute", "prismatic", "weld"))
        self.word = dice.choice(("x", "y", "z", None))
        axis = AXES[self.word] if self.word else vector(dice) + np.array([1.5, 0, 0])
        self.axis, self.e = axis, axis / np.linalg.norm(axis)
        self.q, self.u = round(dice.uniform(-2, 2), 3), round(dice.uniform(-2, 2), 3)
        self.driven = drives and self.kind != "weld" and dice.random() < 0.3
        self.rate = round(dice.uniform(-3, 3), 3)  # its second derivative, when driven
        self.load = round(dice.uniform(-5, 5), 3) if not self.driven and dice.random() < 0.4 else 0.0

    def words(self):
        return {"revolute": ("beta", "w", "alpha"), "prismatic": ("s", "v", "a"), "weld": ()}[self.kind]

    def text(self):
        keys = [] if self.kind == "weld" else ["axis = %s" % (self.word or written(self.axis))]
        if self.driven:
            keys.append("%s = %r + %r*t + %r*t^2/2" % (self.words()[0], self.q, self.u, self.rate))
        elif self.kind != "weld":
            keys += ["%s(0) = %r" % (self.words()[0], self.q), "%s(0) = %r" % (self.words()[1], self.u)]
        lines = ["%s : %s(%s, %s)  %s" % (self.name, self.kind, self.tail.path(), self.head.path(), ", ".join(keys))]
        if self.load and self.kind != "weld":
            turn = self.kind == "revolute"
            lines.append("L%s : %s(%s)  %s = %r" % (self.name, "torque" if turn else "force", self.name,
                                                    "T" if turn else "F", self.load))
        return lines


class Tree:
    """Bodies, joints, loads; then places, speeds and accelerations by body: R, p, w, v of mass centres."""

    def __init__(self, dice, drives, loads):
        self.ground, self.bodies = Body(dice, "ground"), []
        self.g = vector(dice, 9.81)
        self.joints = []
        for i in range(dice.randint(1, 7)):
            parent = dice.choice([self.ground] + self.bodies + self.bodies[-1:] * 3)
            child = Body(dice, "b%d" % (i + 1))
            self.joints.append(Joint(dice, i + 1, parent, child, drives))
            self.joints[-1].parent = parent
            self.bodies.append(child)
        if all(j.kind == "weld" for j in self.joints):
            self.joints[0].kind = "revolute"
        self.loads = [self.make_load(dice, i) for i in range(dice.choice((0, 1, 2)) if loads else 0)]

    def make_load(self, dice, number):
        tail, head = dice.sample([self.ground] + self.bodies, 2)
        kind = dice.choice(("force", "torque", "spring"))
        return {"name": "X%d" % number, "kind": kind, "tail": tail.frame(dice), "head": head.frame(dice),
                "value": vector(dice, 5), "axes": dice.choice(("ground", "head", "tail")),
                "k": round(dice.uniform(1, 50), 3), "l0": round(dice.uniform(0, 2), 3)}

    def text(self):
        lines = ["model tree", "space = spatial", "gravity = " + written(self.g)]
        lines.append("ground { %s }" % ", ".join(f.text() for f in self.ground.frames))
        lines += [b.text() for b in self.bodies]
        for j in self.joints:
            lines += j.text()
        for l in self.loads:
            ends = "(%s, %s)" % (l["tail"].path(), l["head"].path())
            if l["kind"] == "spring":
                lines.append("%s : spring%s  k = %r, l0 = %r" % (l["name"], ends, l["k"], l["l0"]))
            else:
                lines.append("%s : %s%s  %s = %s, axes = %s" % (
                    l["name"], l["kind"], ends, "F" if l["kind"] == "force" else "T", written(l["value"]), l["axes"]))
        return "\n".join(lines) + "\noutput kinetic() + potential() as E\n"

    # ---- places and speeds

    def move(self):
        self.ground.R, self.ground.p = np.eye(3), np.zeros(3)
        self.ground.w = self.ground.v = np.zeros(3)
        for j in self.joints:
            p, c = j.parent, j.child
            outer, inner = (j.tail, j.head) if j.forward else (j.head, j.tail)
            sign = 1 if j.forward else -1
            seat = p.R @ outer.axes
            j.u_world = seat @ j.e
            turn, slide = j.kind == "revolute", j.kind == "prismatic"
            c.R = seat @ rotation(j.e, sign * j.q if turn else 0) @ inner.axes.T
            begin = p.p + p.R @ outer.at
            end = begin + (sign * j.q * j.u_world if slide else 0)
            c.p = end - c.R @ inner.at
            j.point = end if j.forward else begin
            c.w = p.w + (sign * j.u * j.u_world if turn else 0)
            v = p.v + np.cross(p.w, j.point - p.p) + (sign * j.u * j.u_world if slide else 0)
            c.v = v + np.cross(c.w, c.p - j.point)

    # ---- accelerations of origins, and multipliers

    def rows(self, j):
        """(direction, of turns?, right side, what its multiplier is) of one joint."""
        e, tail = j.u_world, j.tail.body
        n1 = np.cross(e, AXES["x"] if abs(e[0]) < 0.8 else AXES["y"])
        n1 /= np.linalg.norm(n1)
        n2 = np.cross(e, n1)
        turn, slide = j.kind == "revolute", j.kind == "prismatic"
        spin = np.cross(tail.w, e * j.u) if turn else np.zeros(3)
        coriolis = 2 * np.cross(tail.w, e * j.u) if slide else np.zeros(3)
        out = [(n, True, n @ spin, "T") for n in (n1, n2)] + [(n, False, n @ coriolis, "F") for n in (n1, n2)]
        if not turn or j.driven:
            out.append((e, True, e @ spin + (j.rate if turn else 0), "drive" if turn else "T"))
        if not slide or j.driven:
            out.append((e, False, e @ coriolis + (j.rate if slide else 0), "drive" if slide else "F"))
        return out

    def column(self, b):
        return 6 * self.bodies.index(b) if b is not self.ground else None

    def put_point(self, row, b, place, n, sign):
        """sign * n.(acceleration of b's material point there); returns what is known of it."""
        r, c = place - b.p, self.column(b)
        if c is None:
            return 0.0
        row[c:c + 3] += sign * n
        row[c + 3:c + 6] += sign * np.cross(r, n)
        return sign * (n @ np.cross(b.w, np.cross(b.w, r)))

    def forces(self, n):
        f = np.zeros(n)

        def act(b, place, force, torque):
            c = self.column(b)
            if c is not None:
                f[c:c + 3] += force
                f[c + 3:c + 6] += torque + np.cross(place - b.p, force)
        for l in self.loads:
            place = [b.p + b.R @ l[w].at for w in ("tail", "head") for b in [l[w].body]]
            axes = np.eye(3) if l["axes"] == "ground" else l[l["axes"]].body.R @ l[l["axes"]].axes
            value, zero = axes @ l["value"], np.zeros(3)
            if l["kind"] == "spring":
                d = place[1] - place[0]
                value = -l["k"] * (np.linalg.norm(d) - l["l0"]) * d / np.linalg.norm(d)
            pair = (zero, value) if l["kind"] == "torque" else (value, zero)
            act(l["head"].body, place[1], *pair)
            act(l["tail"].body, place[0], *[-x for x in pair])
        for j in self.joints:
            if j.kind == "weld" or not j.load:
                continue
            push = j.load * j.u_world
            pair = (np.zeros(3), push) if j.kind == "revolute" else (push, np.zeros(3))
            act(j.head.body, j.point, *pair)
            act(j.tail.body, j.point, *[-x for x in pair])
        return f

    def solve(self):
        n = 6 * len(self.bodies)
        M, f = np.zeros((n, n)), self.forces(n)
        for b in self.bodies:
            c, r, I = self.column(b), b.R @ b.com, b.R @ b.I @ b.R.T
            skew = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
            M[c:c + 3, c:c + 3] = b.m * np.eye(3)
            M[c:c + 3, c + 3:c + 6] = -b.m * skew
            M[c + 3:c + 6, c:c + 3] = b.m * skew
            M[c + 3:c + 6, c + 3:c + 6] = I - b.m * skew @ skew
            inward = b.m * np.cross(b.w, np.cross(b.w, r))
            f[c:c + 3] += b.m * self.g - inward
            f[c + 3:c + 6] += np.cross(r, b.m * self.g - inward) - np.cross(b.w, I @ b.w)
        J, rhs, owner = [], [], []
        for j in self.joints:
            for d, turns, right, what in self.rows(j):
                row, known = np.zeros(n), 0.0
                for b, sign in ((j.head.body, 1), (j.tail.body, -1)):
                    c = self.column(b)
                    if turns and c is not None:
                        row[c + 3:c + 6] += sign * d
                    elif not turns:
                        known += self.put_point(row, b, j.point, d, sign)
                J.append(row), rhs.append(right - known), owner.append((j, d, what))
        J = np.array(J)
        K = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
        x = np.linalg.solve(K, np.concatenate([f, rhs]))
        for b in self.bodies:
            c = self.column(b)
            b.a, b.alpha = x[c:c + 3], x[c + 3:c + 6]
        self.ground.a = self.ground.alpha = np.zeros(3)
        for j in self.joints:
            j.F, j.T, j.drive = np.zeros(3), np.zeros(3), 0.0
        for (j, d, what), y in zip(owner, x[n:]):
            if what == "drive":
                j.drive = y
            else:
                setattr(j, what, getattr(j, what) + y * d)

    def second(self, j):
        """Second derivative of its freedom."""
        tail, head = j.tail.body, j.head.body
        if j.kind == "revolute":
            return j.u_world @ (head.alpha - tail.alpha)
        at = lambda b: b.a + np.cross(b.alpha, j.point - b.p) + np.cross(b.w, np.cross(b.w, j.point - b.p))
        return j.u_world @ (at(head) - at(tail))

    def energy(self):
        T = V = 0.0
        for b in self.bodies:
            r, I = b.R @ b.com, b.R @ b.I @ b.R.T
            v = b.v + np.cross(b.w, r)
            T += (b.m * v @ v + b.w @ I @ b.w) / 2
            V -= b.m * self.g @ (b.p + r)
        return T, V


def compare(case, tree):
    outputs = []
    for b in tree.bodies:
        outputs += ["%s.%s" % (b.name, w) for w in ("r", "v", "a", "omega", "omega_body", "alpha", "R[1,2]", "R[3,1]")]
    for j in tree.joints:
        outputs += ["%s.F" % j.name, "%s.T" % j.name] + ["%s.%s" % (j.name, w) for w in j.words()]
        outputs += ["%s.drive" % j.name] if j.driven else []
    text = tree.text() + "output kinetic() as kin, potential() as pot, %s\n" % ", ".join(outputs)
    said = case.program.call(text, "run", "-o", "-", "--times", "0")
    rows = said.rows()
    if not case.check(rows is not None, "no answer: " + said.why(), text):
        return
    got, wrong = rows[0], []
    size = 1 + max(np.abs(np.concatenate([b.a for b in tree.bodies] + [b.alpha for b in tree.bodies])))
    force = 1 + max(max(np.abs(np.concatenate([j.F, j.T]))) for j in tree.joints)

    def same(name, want, scale):
        if not abs(got[name] - want) <= 1e-9 * scale:
            wrong.append("%s = %r, right is %r" % (name, got[name], want))

    for b in tree.bodies:
        own = b.R.T @ b.w
        for word, v, scale in (("r", b.p, 10), ("v", b.v, 10), ("a", b.a, size), ("omega", b.w, 10),
                               ("omega_body", own, 10), ("alpha", b.alpha, size)):
            for k in range(3):
                same("%s.%s" % (b.name, "xyz"[k]) if word == "r" and "%s.x" % b.name in got else
                     "%s.%s[%d]" % (b.name, word, k + 1), v[k], scale)
        same("%s.R[1,2]" % b.name, b.R[0, 1], 1)
        same("%s.R[3,1]" % b.name, b.R[2, 0], 1)
    for j in tree.joints:
        for k in range(3):
            same("%s.F[%d]" % (j.name, k + 1), j.F[k], force)
            same("%s.T[%d]" % (j.name, k + 1), j.T[k], force)
        for word, want in zip(j.words(), (j.q, j.u, tree.second(j) if j.words() else 0)):
            same("%s.%s" % (j.name, word), want, size)
        if j.driven:
            same("%s.drive" % j.name, j.drive, force)
    T, V = tree.energy()
    same("kin", T, 10 * (1 + T))
    same("pot", V, 10 * (1 + abs(V)))
    case.check(not wrong, "; ".join(wrong[:3]), text)


def keeps_energy(case, dice):
    """A tree without loads, as it is and in a world that is turned and shifted."""
    tree = Tree(dice, False, False)
    for j in tree.joints:
        j.load = 0.0
    names = [("%s.%s" % (j.name, j.words()[0])) for j in tree.joints if j.words()]
    text = tree.text() + "output %s\n" % ", ".join(names)
    said = case.program.run(text, [0.0, 0.15, 0.3], "--tol", "1e-10")
    rows = said.rows()
    if not case.check(rows is not None, "no answer: " + said.why(), text):
        return
    scale = 1 + abs(rows[0]["E"]) + sum(b.m * 9.81 for b in tree.bodies)
    case.check(abs(rows[-1]["E"] - rows[0]["E"]) < 1e-6 * scale, "energy goes from %r to %r" %
               (rows[0]["E"], rows[-1]["E"]), text)
    turned = rotation(*(lambda e: (e / np.linalg.norm(e), 2.0))(vector(dice) + np.array([2, 0, 0])))
    tree.g = turned @ tree.g
    way = np.round(3 * vector(dice), 3)
    for f in tree.ground.frames:
        f.turns, f.at = [], turned @ f.at + way
        f.matrix = turned @ f.axes
    other = tree.text() + "output %s\n" % ", ".join(names)
    for f in tree.ground.frames:
        rows_of = "[%s]" % "; ".join(", ".join(repr(float(x)) for x in row) for row in f.matrix)
        other = other.replace(f.text(), "%s = frame(%s, %s)" % (f.name, written(f.at), rows_of), 1)
    moved = case.program.run(other, [0.0, 0.15, 0.3], "--tol", "1e-10").rows()
    if case.check(moved is not None, "no answer in the turned world", other):
        worst = max(abs(moved[-1][n] - rows[-1][n]) / (1 + abs(rows[-1][n])) for n in names)
        case.check(worst < 1e-8, "turning and shifting the world moves joints by %.1e" % worst, other)


def momentum(tree, row):
    """Linear, and angular about the origin of the ground."""
    p, L = np.zeros(3), np.zeros(3)
    for b in tree.bodies:
        r = np.array([row["%s.C.r[%d]" % (b.name, k)] for k in (1, 2, 3)])
        v, w = (np.array([row["%s[%d]" % (name, k)] for k in (1, 2, 3)]) for name in (b.name + ".C.v", b.name + ".omega_body"))
        R = np.array([[row["%s.R[%d,%d]" % (b.name, i, k)] for k in (1, 2, 3)] for i in (1, 2, 3)])
        p, L = p + b.m * v, L + np.cross(r, b.m * v) + R @ b.I @ w
    return np.concatenate([p, L])


def keeps_momentum(case, dice):
    """A tree that nothing ties to the ground, without gravity; torques and forces of joints act within it."""
    tree = Tree(dice, False, False)
    first = tree.bodies[0]
    tree.g = np.zeros(3)
    for j in tree.joints[1:]:
        if j.parent is tree.ground:
            frame = j.tail if j.tail.body is tree.ground else j.head
            frame.body, j.parent = first, first
            frame.name = "G" + j.name
            first.frames.append(frame)
    text = tree.text().replace("\n".join(tree.joints[0].text()) + "\n", "initial b1.v = [1, 2, 3], b1.omega = [1, -2, 0.5]\n")
    for b in tree.bodies:
        text = text.replace(b.text(), b.text().replace("{ ", "{ C = %s, " % written(b.com)))
    text += "output %s\n" % ", ".join("%s.C.r, %s.C.v, %s.omega_body, %s.R" % (4 * (b.name,)) for b in tree.bodies)
    said = case.program.run(text, [0.0, 0.2], "--tol", "1e-10")
    rows = said.rows()
    if case.check(rows is not None, "no answer: " + said.why(), text):
        before, after = (momentum(tree, row) for row in rows)
        case.check(np.abs(before - after).max() < 1e-7 * (1 + np.abs(before).max()), "momentum goes from %s to %s" % (before, after), text)


def main():
    campaign = Campaign("space", 60)
    for case in campaign:
        if case.number % 10 == 3:
            keeps_momentum(case, case.dice)
        elif case.number % 5 == 4:
            keeps_energy(case, case.dice)
            continue
        tree = Tree(case.dice, case.dice.random() < 0.5, case.dice.random() < 0.6)
        tree.move()
        tree.solve()
        compare(case, tree)
    campaign.close()


if __name__ == "__main__":
    main()
