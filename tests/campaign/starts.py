"""Random mechanisms at their start: chains, loops, free bodies, sources and gears; values given, guessed or left open.

The rule is written out here once more, in places and angles of bodies: joint variables as given or guessed, else zero,
then guesses met as nearly as possible, then the least change in the metric of kinetic energy. Every model is run in several coordinates and trees; all must
agree, keep what is given, close all joints, and be nearest to the reference: the gradient of the distance is a
combination of those of the constraints. Speeds are compared with the solution of their linear problem.
"""
import math
import sys

import numpy as np

from campaign import Campaign

KINDS = {"revolute": ("beta",), "prismatic": ("s",), "slot": ("s", "beta")}


def turned(a, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * a[0] - s * a[1], s * a[0] + c * a[1]])


class Frame:
    def __init__(self, body, name, at, turn=0.0):
        self.body, self.name, self.at, self.turn = body, name, np.array(at), turn

    def point(self, p):
        if self.body < 0:
            return self.at
        return p[3 * self.body:3 * self.body + 2] + turned(self.at, p[3 * self.body + 2])

    def angle(self, p):
        return self.turn + (0 if self.body < 0 else p[3 * self.body + 2])


class Joint:
    def __init__(self, name, kind, tail, head, axis):
        self.name, self.kind, self.tail, self.head = name, kind, tail, head
        self.axis = np.array(axis) / math.hypot(*axis)

    def slide(self, p):
        u = turned(self.axis, self.tail.angle(p))
        d = self.head.point(p) - self.tail.point(p)
        return u[0] * d[0] + u[1] * d[1], u[0] * d[1] - u[1] * d[0]

    def beta(self, p):
        return self.head.angle(p) - self.tail.angle(p)

    def rows(self, p):
        if self.kind == "revolute":
            return list(self.head.point(p) - self.tail.point(p))
        return [self.slide(p)[1]] + ([self.beta(p)] if self.kind == "prismatic" else [])

    def value(self, p, what):
        return self.beta(p) if what == "beta" else self.slide(p)[0]

    def hang(self, p, values):
        """The head's body where the joint has these values; the head is the outer one."""
        b = self.head.body
        p[3 * b + 2] = self.tail.angle(p) + values.get("beta", 0) - self.head.turn
        p[3 * b:3 * b + 2] = 0
        u = turned(self.axis, self.tail.angle(p))
        p[3 * b:3 * b + 2] = self.tail.point(p) + values.get("s", 0) * u - self.head.point(p)


def jacobian(f, p):
    """By complex steps: exact."""
    cols = []
    for i in range(len(p)):
        q = p.astype(complex)
        q[i] += 1e-30j
        cols.append(np.imag(np.array(f(q), dtype=complex)) / 1e-30)
    return np.array(cols).T.reshape(-1, len(p))


class Mechanism:
    def __init__(self, dice):
        self.dice, self.lines = dice, []
        self.m, self.I, self.com, self.joints, self.loops = [], [], [], [], []
        self.ground, self.frames = [], []
        self.given, self.guess = {}, {}              # (joint, what) -> value
        self.given_speed = {}
        self.more, self.more_rates = [], []          # other conditions: functions of p, and their rates
        self.edges = []                              # (frame, what of its speed is zero)
        self.pace = 1.0 if dice.random() < 0.8 else 10 ** dice.uniform(-11, -1)   # of speeds that are given
        self.build()

    def number(self, low, high):
        return round(self.dice.uniform(low, high), 3)

    def frame(self, body, name, turns=False):
        at = [self.number(-0.5, 0.5), self.number(-0.5, 0.5)]
        return Frame(body, name, at, self.number(-2, 2) if turns and self.dice.random() < 0.5 else 0.0)

    def ground_frame(self, at=None, turn=0.0):
        name = "G%d" % len(self.ground)
        f = Frame(-1, "ground." + name, at if at is not None else [self.number(-1, 1), self.number(-1, 1)], turn)
        self.ground.append((name, f))
        return f

    def add_body(self):
        b = len(self.m)
        self.m.append(self.number(0.5, 3))
        self.I.append(self.number(0.02, 0.5))
        self.com.append([self.number(-0.2, 0.2), self.number(-0.2, 0.2)] if self.dice.random() < 0.6 else [0.0, 0.0])
        self.frames.append([self.frame(b, "b%d.P" % b), self.frame(b, "b%d.Q" % b, True), Frame(b, "b%d" % b, [0.0, 0.0])])
        return b

    def add_joint(self, tail, head, kind):
        axis = [self.number(-1, 1), self.number(0.1, 1)] if kind != "revolute" else [1.0, 0.0]
        j = Joint("J%d" % len(self.joints), kind, tail, head, axis)
        self.joints.append(j)
        return j

    def build(self):
        d = self.dice
        for _ in range(d.randint(1, 4)):
            b = self.add_body()
            if d.random() < 0.08:
                continue                                # a free body
            on = d.randrange(-1, b) if d.random() < 0.3 else b - 1
            tail = d.choice(self.frames[on]) if on >= 0 else self.ground_frame()
            self.add_joint(tail, d.choice(self.frames[b]), d.choice(["revolute", "revolute", "prismatic", "slot"]))
        self.tree = list(self.joints)
        self.truth = {(j.name, k): self.number(-1.2, 1.2) for j in self.tree for k in KINDS[j.kind]}
        self.pose = self.hang_all(self.truth)
        if d.random() < 0.4 and len(self.m) > 1:
            self.close_loop()
        self.add_values()
        self.framed = d.random() < 0.3 and self.give_frame()
        if d.random() < 0.5:
            self.add_element()

    def hang_all(self, values):
        p = np.zeros(3 * len(self.m))
        for j in self.tree:
            j.hang(p, {k: values.get((j.name, k), 0.0) for k in KINDS[j.kind]})
        return p

    def close_loop(self):
        """A further joint to the ground that fits at the true pose."""
        held = {-1}
        for j in self.tree:
            if j.tail.body in held:
                held.add(j.head.body)
        tied = [f for b in sorted(held - {-1}) for f in self.frames[b]]
        if not tied:
            return
        f = self.dice.choice(tied)
        kind = self.dice.choice(["revolute", "slot"])
        where = np.round(f.point(self.pose), 12)
        g = self.ground_frame(where)
        self.loops.append(self.add_joint(g, f, kind))

    def freedom(self):
        return 3 * len(self.m) - np.linalg.matrix_rank(jacobian(self.closed, self.pose), tol=1e-8)

    def add_values(self):
        d, left = self.dice, self.freedom()
        self.eager = bool(self.loops) and d.random() < 0.4      # more guesses than can be met
        for j in self.tree:
            for k in KINDS[j.kind]:
                dice, key = d.random(), (j.name, k)
                if dice < 0.3 and left > 0 and not self.loops:
                    self.given[key], left = self.truth[key], left - 1
                elif dice < 0.5 and left > 0 and self.loops and not self.given:
                    self.given[key], left = self.truth[key], left - 1
                elif dice < 0.6 + 0.3 * self.eager:
                    self.guess[key] = self.truth[key] + (self.number(-0.1, 0.1) * (1 + 5 * self.eager) if self.loops else 0)
        for j in self.tree:
            if d.random() < 0.3 and not self.loops:
                key = (j.name, d.choice(KINDS[j.kind]))
                self.given_speed[key] = self.number(-2, 2) * self.pace

    def give_frame(self):
        """A coordinate, or the angle, of a frame at its true value."""
        b, what = self.dice.randrange(len(self.m)), self.dice.choice(["x", "y", "theta"])
        f = self.dice.choice(self.frames[b])
        value = lambda p: f.angle(p) if what == "theta" else f.point(p)["xy".index(what)]
        if not self.is_free(value, self.given):
            return False
        x = float(value(self.pose))
        self.lines.append("initial %s.%s = %r" % (f.name, what, x))
        self.more.append((value, x))
        return True

    def closed(self, p):
        return [r for j in self.joints for r in j.rows(p)]

    def is_free(self, f, given, pose=None):
        """Can f still be chosen where joints and given values hold?"""
        pose = self.pose if pose is None else pose
        rows = [self.closed] + [lambda x, n=n, k=k: [self.by_name(n).value(x, k)] for n, k in given]
        a = np.vstack([jacobian(r, pose) for r in rows] + [np.zeros((1, len(pose)))])
        more = [jacobian(lambda x, g=g: [g(x)], pose) for g in [f] + [g for g, _ in self.more]]
        return np.linalg.matrix_rank(np.vstack([a] + more), tol=0.05) >= np.linalg.matrix_rank(a, tol=0.05) + len(more)

    def add_element(self):
        d = self.dice
        b = d.randrange(len(self.m))
        g, f = self.ground_frame([self.number(1.5, 2.5), self.number(-1, 1)]), d.choice(self.frames[b])
        kind = d.choice(["spring", "inerter", "velocity", "position", "gear", "damper", "edges", "edges"])
        self.element = kind
        length = lambda p: np.sqrt(np.sum((f.point(p) - g.at) ** 2))
        if kind == "spring":
            self.lines.append("X : spring(%s, %s)  k = 20, l0 = 0.3" % (g.name, f.name))
        elif kind == "damper":
            self.lines.append("X : damper(%s, %s)  d = 2" % (g.name, f.name))
        elif kind == "inerter":
            self.lines.append("X : inerter(%s, %s)  b = 0.4" % (g.name, f.name))
        elif kind == "velocity" and self.is_free(length, self.given_speed, self.reference()):
            v = self.number(-1, 1)
            self.lines.append("X : velocity_source(%s, %s)  v = %r" % (g.name, f.name, v))
            self.more_rates.append((length, v))
        elif kind == "edges":
            self.add_edges()
        elif kind == "position" and self.is_free(length, self.given):
            x = float(length(self.pose))
            self.lines.append("X : position_source(%s, %s)  x = %r" % (g.name, f.name, x))
            self.more.append((length, x))
            self.more_rates.append((length, 0.0))
        elif kind == "gear":
            turning = [j for j in self.tree if j.kind == "revolute"]
            if len(turning) > 1 and not self.loops:
                a, c, n = turning[0], turning[1], self.number(0.5, 2)
                if not self.is_free(lambda p: a.beta(p) - n * c.beta(p), self.given_speed):
                    return
                self.lines.append("X : gear(%s | %s)  n = %r" % (a.name, c.name, n))
                self.more_rates.append((lambda p: a.beta(p) - n * c.beta(p), 0.0))

    def add_edges(self):
        """Knife edges and sums of speeds; with speeds of some motion of the true pose, which may ask for another one than the nearest."""
        d, rows = self.dice, [jacobian(self.closed, self.pose)]
        for i, f in enumerate(d.sample([f for own in self.frames for f in own], d.randint(1, 2))):
            a, b = self.number(-2, 2), self.number(0.5, 2)
            if d.random() < 0.5:
                across = lambda p, v, f=f: turned(v, -f.angle(p))[1]
                text = "X%d : knife_edge(ground, %s)" % (i, f.name)
            else:
                across = lambda p, v, a=a, b=b: a * v[0] + b * v[1]
                text = "X%d : speed_constraint  v = (%r)*%s.v[1] + (%r)*%s.v[2]" % (i, a, f.name, b, f.name)
            more = rows + [self.edge_row(f, across, self.pose)]
            if np.linalg.matrix_rank(np.vstack(more), tol=1e-6) == np.linalg.matrix_rank(np.vstack(rows), tol=1e-6):
                continue                                                  # it is held already
            self.lines.append(text)
            self.edges.append((f, across))
            rows = more
        along = np.linalg.svd(np.vstack(rows))[2][np.linalg.matrix_rank(np.vstack(rows), tol=1e-8):]
        motion = along.T @ np.array([d.uniform(-1, 1) for _ in along])
        for key in self.given_speed:
            row = jacobian(lambda x: [self.by_name(key[0]).value(x, key[1])], self.pose)
            self.given_speed[key] = 0.0 if abs(row @ motion) < 1e-9 else float((row @ motion)[0]) * self.pace

    def edge_row(self, f, across, p):
        return across(p, jacobian(f.point, p)).reshape(1, -1)

    # ---- text

    def vector(self, at):
        return "[%r, %r]" % (float(at[0]), float(at[1]))

    def text(self):
        out = ["space = planar", "gravity = [0, -9.81] m/s^2"]
        if self.ground:
            out.append("ground { %s }" % ", ".join("%s = %s" % (n, self.vector(f.at)) for n, f in self.ground))
        for b in range(len(self.m)):
            p, q = self.frames[b][0], self.frames[b][1]
            out.append("b%d : body  m = %r, I = %r, com = %s  { P = %s, Q = frame(%s, %r rad) }" % (
                b, self.m[b], self.I[b], self.vector(self.com[b]), self.vector(p.at), self.vector(q.at), q.turn))
        for j in self.joints:
            axis = "" if j.kind == "revolute" else "  axis = %s" % self.vector(j.axis)
            out.append("%s : %s(%s, %s)%s" % (j.name, j.kind, j.tail.name, j.head.name, axis))
        speed = {"beta": "w", "s": "v"}
        out += ["initial %s.%s = %r" % (*k, v) for k, v in self.given.items()]
        out += ["initial %s.%s = %r" % (k[0], speed[k[1]], v) for k, v in self.given_speed.items()]
        out += ["guess %s.%s = %r" % (*k, v) for k, v in self.guess.items()]
        out += self.lines
        out.append("output " + ", ".join("b%d.%s" % (b, v) for b in range(len(self.m))
                                         for v in ("x", "y", "theta", "v[1]", "v[2]", "w")))
        return "\n".join(out) + "\n"

    # ---- the rule

    def by_name(self, name):
        return next(j for j in self.joints if j.name == name)

    def metric(self, p):
        """Rows whose squares are the metric: mass centres and angles."""
        rows = []
        for b in range(len(self.m)):
            at = p[3 * b:3 * b + 2] + turned(self.com[b], p[3 * b + 2])
            rows += [math.sqrt(self.m[b]) * at[0], math.sqrt(self.m[b]) * at[1], math.sqrt(self.I[b]) * p[3 * b + 2]]
        return rows

    def hard(self, p):
        rows = self.closed(p)
        rows += [self.by_name(n).value(p, k) - v for (n, k), v in self.given.items()]
        return rows + [f(p) - x for f, x in self.more]

    def guesses(self, p):
        return [self.by_name(n).value(p, k) - v for (n, k), v in self.guess.items()]

    def guess_rows(self, p):
        """As they are compared: angles, and lengths as parts of the size."""
        return [r / (1 if k == "beta" else self.size()) for r, (_, k) in zip(self.guesses(p), self.guess)]

    def size(self):
        own = [np.hypot(*j.tail.at) + np.hypot(*j.head.at) for j in self.joints]
        return sum(own) / sum(x > 0 for x in own) if any(own) else 1.0

    def reference(self):
        return self.hang_all({**self.guess, **self.given})

    def hang_speeds(self, p):
        """Of the tree's joints as given, along the tree: by a complex step of all joints at once."""
        h = 1e-30j
        values = {(j.name, k): j.value(p, k) + h * self.given_speed.get((j.name, k), 0.0) for j in self.tree for k in KINDS[j.kind]}
        q = p.astype(complex)
        for j in self.tree:
            j.hang(q, {k: values[(j.name, k)] for k in KINDS[j.kind]})
        return np.imag(q) / 1e-30

    def rate_rows(self, p):
        rows = [self.closed] + [lambda x, n=n, k=k: [self.by_name(n).value(x, k)] for n, k in self.given_speed]
        rows += [lambda x, f=f: [f(x)] for f, _ in self.more_rates]
        a = np.vstack([jacobian(r, p) for r in rows] + [self.edge_row(*e, p) for e in self.edges])
        b = np.concatenate([np.zeros(len(self.closed(p))), list(self.given_speed.values()), [v for _, v in self.more_rates],
                            np.zeros(len(self.edges))])
        return a, b

    def speeds(self, p):
        """The least change of speeds, a linear problem."""
        reference, (a, b) = self.hang_speeds(p), self.rate_rows(p)
        w = jacobian(self.metric, p)
        inverse = np.linalg.inv(w)
        # v = reference + inverse y with the least y
        y = np.linalg.lstsq(a @ inverse, b - a @ reference, rcond=1e-10)[0]
        v = reference + inverse @ y
        return v, float(np.max(np.abs(a @ v - b), initial=0))


def outside(a, gradient):
    """What is left of a gradient when rows take their part."""
    return gradient - a.T @ np.linalg.lstsq(a.T, gradient, rcond=1e-9)[0]


def check_guesses(case, mechanism, p, text):
    """Of guesses that cannot be met: their squares are the least; where they leave freedom, so is the change."""
    hard, soft = jacobian(mechanism.hard, p), jacobian(mechanism.guess_rows, p)
    missed = np.array(mechanism.guess_rows(p))
    down = soft.T @ missed
    if not case.check(np.max(np.abs(outside(hard, down))) < 1e-6, "guesses are nearest (%.1e)" % np.max(np.abs(outside(hard, down))), text):
        return
    share, h = np.linalg.lstsq(hard.T, -down, rcond=1e-9)[0], 1e-5
    slope = lambda x: jacobian(mechanism.guess_rows, x).T @ np.array(mechanism.guess_rows(x)) + jacobian(mechanism.hard, x).T @ share
    _, size, along = np.linalg.svd(hard)
    along = along[np.sum(size > 1e-6 * size[0]):].T
    if along.shape[1] == 0:
        return                                                            # no freedom is left
    bend = np.array([along.T @ (slope(p + h * d) - slope(p - h * d)) / (2 * h) for d in along.T])
    values, vectors = np.linalg.eigh((bend + bend.T) / 2)
    if np.min(size) < 1e-3 * size[0] or np.any((np.abs(values) > 1e-7) & (np.abs(values) < 1e-3)):
        return                                                            # hardly to be told
    case.check(np.all(values > -1e-6), "guesses are at a saddle (%.1e)" % np.min(values), text)
    w = jacobian(mechanism.metric, p)
    gradient = w.T @ (np.array(mechanism.metric(p)) - np.array(mechanism.metric(mechanism.reference())))
    left = vectors[:, np.abs(values) <= 1e-7].T @ along.T @ gradient
    case.check(np.max(np.abs(left), initial=0) < 1e-4 * (1 + np.max(np.abs(gradient))), "is the nearest with guesses (%s)" % left, text)


def check_pose(case, mechanism, p, text):
    if not case.check(np.max(np.abs(mechanism.hard(p)), initial=0) < 1e-7, "joints and given values hold", text):
        return
    reference = mechanism.reference()
    met = np.max(np.abs(mechanism.guesses(p)), initial=0) < 1e-7
    if mechanism.framed:
        return                                                            # what frames ask for may be in the reference
    if np.max(np.abs(mechanism.hard(reference)), initial=0) < 1e-9:
        case.check(np.max(np.abs(p - reference)) < 1e-7, "begins at the reference", text)
    elif met:
        a = np.vstack([jacobian(mechanism.hard, p), jacobian(mechanism.guesses, p)])
        w = jacobian(mechanism.metric, p)
        gradient = w.T @ (np.array(mechanism.metric(p)) - np.array(mechanism.metric(reference)))
        left = outside(a, gradient)
        case.check(np.max(np.abs(left)) < 1e-4 * (1 + np.max(np.abs(gradient))), "is the nearest (%.1e)" % np.max(np.abs(left)), text)
    else:
        check_guesses(case, mechanism, p, text)


def read(row, count):
    p = np.array([row["b%d.%s" % (b, k)] for b in range(count) for k in ("x", "y", "theta")])
    v = np.array([row["b%d.%s" % (b, k)] for b in range(count) for k in ("v[1]", "v[2]", "w")])
    return p, v


def options(dice, mechanism):
    yield from (["--coordinates", c] for c in ("auto", "joint", "absolute"))
    names = [j.name for j in mechanism.joints] + ["b%d" % b for b in range(len(mechanism.m))]
    yield ["--tree", ",".join(dice.sample(names, min(len(names), dice.randint(1, 3))))]


def main():
    case = Campaign("starts", 60)
    for _ in case:
        mechanism = Mechanism(case.dice)
        text, first = mechanism.text(), None
        for option in options(case.dice, mechanism):
            answer = case.program.run(text, [0.0], *option)
            rows = answer.rows()
            if rows is None and "E60" in answer.err and "--tree" in option:
                continue
            if rows is None and first is None and any(e in answer.err for e in ("E510", "E511", "E605")):
                break                                                     # no freedom is left
            if rows is None and first is None and "E523" in answer.err and mechanism.given_speed and (mechanism.edges or mechanism.more_rates):
                break                                                     # no pose lets speeds be so, or none is found: it is told
            if not case.check(bool(rows), "%s: %s" % (" ".join(option), answer.why()), text):
                continue
            p, v = read(rows[0], len(mechanism.m))
            if first is None:
                first = p, v
                (a, b), (want, left) = mechanism.rate_rows(p), mechanism.speeds(p)
                case.check(np.max(np.abs(a @ v - b), initial=0) < 1e-6 * (mechanism.pace + np.max(np.abs(v))), "speeds are as given", text)
                if not (mechanism.given_speed and mechanism.edges):        # speeds may ask for another pose
                    check_pose(case, mechanism, p, text)
                if left < 1e-8 and not mechanism.framed and not (mechanism.given_speed and mechanism.edges):
                    case.check(np.max(np.abs(v - want)) < 1e-6 * (1 + np.max(np.abs(want))),
                               "speeds off by %.2e" % np.max(np.abs(v - want)), text)
            else:
                apart = max(np.max(np.abs(p - first[0])), np.max(np.abs(v - first[1])) / (mechanism.pace + np.max(np.abs(v))))
                case.check(apart < 1e-6, "%s: differs by %.2e" % (" ".join(option), apart), text)
    case.close()


if __name__ == "__main__":
    sys.exit(main())
