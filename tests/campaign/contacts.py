#!/usr/bin/env python3
"""contacts.py PROGRAM: random scenes of bodies that touch lines and circles, against a solver of their own: places of
bodies as coordinates, joints by multipliers, each combination of open, sticking and sliding tried and looked at."""
import itertools
import json
import math

import numpy
from scipy.integrate import solve_ivp

from campaign import Campaign

GRAVITY = 9.81
NEAR, SLOW, SETTLED = 1e-9, 1e-9, 2e-5


class Unclear(Exception):
    """Several answers are right, or none: such scenes are left out."""


class Point:
    """Of a body, or of the ground (body -1)."""

    def __init__(self, body, x, y):
        self.body, self.c = body, numpy.array([x, y])

    def arm(self, q):
        if self.body < 0:
            return self.c
        s, c = math.sin(q[3 * self.body + 2]), math.cos(q[3 * self.body + 2])
        return numpy.array([[c, -s], [s, c]]) @ self.c

    def place(self, q):
        return self.arm(q) + (0 if self.body < 0 else q[3 * self.body:3 * self.body + 2])

    def rows(self, q):
        """Its speed is these rows times u, its acceleration these times u' and the bias."""
        rows = numpy.zeros((2, len(q)))
        if self.body >= 0:
            a = self.arm(q)
            rows[0, 3 * self.body], rows[1, 3 * self.body + 1] = 1, 1
            rows[:, 3 * self.body + 2] = [-a[1], a[0]]
        return rows

    def bias(self, q, u):
        return numpy.zeros(2) if self.body < 0 else -u[3 * self.body + 2] ** 2 * self.arm(q)


class Line:
    def __init__(self, point, x, y, angle, e, mu):
        self.point, self.at, self.e, self.mu = point, numpy.array([x, y]), e, mu
        self.angle = angle
        self.n = numpy.array([-math.sin(angle), math.cos(angle)])

    def gap(self, q):
        return self.n @ (self.point.place(q) - self.at)

    def normal(self, q, u):
        return self.n, 0.0


class Circle:
    def __init__(self, point, x, y, radius, inside, e, mu):
        self.point, self.at, self.radius, self.e, self.mu = point, numpy.array([x, y]), radius, e, mu
        self.sign = -1 if inside else 1

    def gap(self, q):
        return self.sign * (numpy.linalg.norm(self.point.place(q) - self.at) - self.radius)

    def normal(self, q, u):
        """The direction, and what its turning adds to the acceleration away."""
        way = self.point.place(q) - self.at
        d = numpy.linalg.norm(way)
        n, v = way / d, self.point.rows(q) @ u
        return self.sign * n, self.sign * (v @ v - (v @ n) ** 2) / d


class Scene:
    def __init__(self, mass, pins, contacts):
        self.mass = numpy.repeat(numpy.array(mass), [2, 1] * (len(mass) // 2)) if mass else None
        self.weight = numpy.zeros(len(self.mass))
        self.weight[1::3] = -GRAVITY * self.mass[1::3]
        self.pins, self.contacts = pins, contacts

    def bilateral(self, q, u):
        rows, bias = [], []
        for a, b in self.pins:
            rows.append(a.rows(q) - b.rows(q))
            bias.append(a.bias(q, u) - b.bias(q, u))
        return (numpy.vstack(rows), numpy.concatenate(bias)) if rows else (numpy.zeros((0, len(q))), numpy.zeros(0))

    def touch(self, k, q, u):
        c = self.contacts[k]
        n, more = c.normal(q, u)
        t = numpy.array([n[1], -n[0]])
        rows, bias = c.point.rows(q), c.point.bias(q, u)
        return n @ rows, t @ rows, n @ bias + more, t @ bias

    def solve(self, q, u, ways, target, force):
        """Accelerations, or speeds after an impact, with forces or impulses of contacts that go these ways."""
        jb, bb = self.bilateral(q, u)
        keep = [k for k in ways if ways[k] != "open"]
        rows, right, push = [jb], [target["joints"](bb)], [jb.T]
        for k in keep:
            n, t, bn, bt = self.touch(k, q, u)
            mu = self.contacts[k].mu
            rows.append([n])
            right.append([target["normal"](k, bn)])
            slide = {"plus": 1, "minus": -1}.get(ways[k], 0)
            push.append((n - slide * mu * t)[:, None])
            if ways[k] == "stick":
                rows.append([t])
                right.append([target["tangent"](bt)])
                push.append(t[:, None])
        j, p, b = numpy.vstack(rows), numpy.hstack(push), numpy.concatenate(right)
        free = force / self.mass
        a = j @ (p / self.mass[:, None])
        scale = max(1.0, abs(a).max()) if a.size else 1.0
        x = numpy.linalg.lstsq(a, b - j @ free, rcond=1e-11)[0] if a.size else numpy.zeros(0)
        if a.size and abs(a @ x - (b - j @ free)).max() > 1e-7 * scale * (1 + abs(b).max() + abs(j @ free).max()):
            return None
        out, at, impulse = free + (p @ x) / self.mass, jb.shape[0], {}
        for k in keep:
            impulse[k] = (x[at], x[at + 1] if ways[k] == "stick" else 0.0)
            at += 2 if ways[k] == "stick" else 1
        return out, impulse

    def combinations(self, choice):
        keys = sorted(choice)
        for way in itertools.product(*(choice[k] for k in keys)):
            yield dict(zip(keys, way))

    def settle(self, q, u, solutions):
        """One of them, if all agree."""
        if not solutions:
            raise Unclear
        first = solutions[0][1]
        for other in solutions[1:]:
            if abs(other[1] - first).max() > 1e-6 * (1 + abs(first).max()):
                raise Unclear
        return solutions[0]

    def impact(self, q, u, hit):
        """Speeds after it, by Newton's rule, with Coulomb friction of impulses."""
        before = {k: self.touch(k, q, u)[0] @ u for k in hit}
        e = {k: self.contacts[k].e if before[k] < -SETTLED else 0.0 for k in hit}
        choice = {k: ["open", "stick", "plus", "minus"] if self.contacts[k].mu else ["open", "plus"] for k in hit}
        target = {"joints": lambda b: 0 * b, "normal": lambda k, b: -e[k] * min(before[k], 0), "tangent": lambda b: 0.0}
        good = []
        for ways in self.combinations(choice):
            found = self.solve(q, u, ways, target, self.mass * u)
            if found and self.fits(q, found[0], found[1], ways, lambda k, v: v + e[k] * min(before[k], 0), 1e-9):
                good.append((ways, found[0]))
        return self.settle(q, u, good)[1]

    def fits(self, q, v, impulse, ways, apart, small, still=None):
        largest = max([1.0] + [abs(p) for pair in impulse.values() for p in pair])
        for k, way in ways.items():
            n, t, bn, bt = self.touch(k, q, v if still is None else still)
            if still is None:
                bn = bt = 0.0
            away, along, mu = apart(k, n @ v + bn), t @ v + bt, self.contacts[k].mu
            if way == "open":
                if away < -small * 10:
                    return False
                continue
            press, hold = impulse[k]
            spare = small * largest if still is None else -small  # at its limit what is at rest begins to slide
            if press < -small * largest or (way == "stick" and abs(hold) > mu * press + spare):
                return False
            if mu and way in ("plus", "minus") and (along if way == "plus" else -along) < -small * 10:
                return False
        return True

    def mode(self, q, u, touching):
        """Ways of all that touches with no speed towards each other, for what follows."""
        choice = {}
        for k in touching:
            along = self.touch(k, q, u)[1] @ u
            slides = "plus" if along > 0 else "minus"
            mu = self.contacts[k].mu
            choice[k] = ["open"] + (["plus"] if not mu else [slides] if abs(along) > 1e-7 else ["stick", "plus", "minus"])
        good = []
        for ways in self.combinations(choice):
            found = self.accelerate(q, u, ways)
            loose = {k: w for k, w in ways.items() if w == "open" or len(choice[k]) > 2}
            shut = {k: w for k, w in ways.items() if k not in loose}
            if not found or any(found[1][k][0] < -1e-9 * (1 + abs(found[1][k][0])) for k in shut):
                continue
            if self.fits(q, found[0], found[1], loose, lambda k, v: v, 1e-9, still=u):
                good.append((ways, found[0]))
        return self.settle(q, u, good)[0]

    def accelerate(self, q, u, ways):
        target = {"joints": lambda b: -b, "normal": lambda k, b: -b, "tangent": lambda b: -b}
        return self.solve(q, u, ways, target, self.weight)


def stretch(scene, ways, t, z, stop):
    """In one mode, until it ends."""
    n = len(z) // 2
    shut = [k for k in ways if ways[k] != "open"]
    events = []

    def rate(_, z):
        found = scene.accelerate(z[:n], z[n:], ways)
        if not found:
            raise Unclear
        return numpy.concatenate([z[n:], found[0]])

    def add(f):
        f.terminal, f.direction = True, -1
        events.append(f)

    for k in range(len(scene.contacts)):
        if k not in shut:
            start = scene.contacts[k].gap(z[:n])
            shift = max(0.0, NEAR / 1e3 - start)
            add(lambda _, z, k=k, shift=shift: scene.contacts[k].gap(z[:n]) + shift)
    for k in shut:
        add(lambda _, z, k=k: scene.accelerate(z[:n], z[n:], ways)[1][k][0] + 1e-10)
        mu = scene.contacts[k].mu
        if ways[k] == "stick":
            add(lambda _, z, k=k, mu=mu: (lambda p: mu * p[0] - abs(p[1]) + 1e-10)(scene.accelerate(z[:n], z[n:], ways)[1][k]))
        elif mu:
            sign = 1 if ways[k] == "plus" else -1
            add(lambda _, z, k=k, sign=sign: sign * (scene.touch(k, z[:n], z[n:])[1] @ z[n:]) + 1e-9)
    s = solve_ivp(rate, (t, stop), z, method="DOP853", rtol=1e-11, atol=1e-12, events=events, max_step=0.02)
    if s.status < 0:
        raise Unclear
    return s.t[-1], s.y[:, -1]


def reference(scene, q, u, stop):
    """Places and speeds at the end, and the times of impacts."""
    t, z, n, hits = 0.0, numpy.concatenate([q, u]), len(q), []
    for _ in range(400):
        q, u = z[:n], z[n:]
        touching = [k for k in range(len(scene.contacts)) if scene.contacts[k].gap(q) <= NEAR]
        coming = [k for k in touching if scene.touch(k, q, u)[0] @ u < -SLOW]
        if coming:
            hits.append(t)
            z = numpy.concatenate([q, scene.impact(q, u, touching)])
            continue
        resting = [k for k in touching if abs(scene.touch(k, q, u)[0] @ u) <= 1e-7]
        ways = scene.mode(q, u, resting)
        t, z = stretch(scene, ways, t, z, stop)
        if t >= stop:
            return z, hits
    raise Unclear


# ---- scenes and their texts


def number(x):
    return repr(round(float(x), 12))


def text_of(bodies, contacts, joints):
    """bodies: (m, I, q, u, {name: (x, y)}); contacts: (kind of tail frame text, body, frame, keys)."""
    out = ["space = planar", "gravity = [0, -%s] m/s^2" % GRAVITY]
    frames = ["w%d = frame([%s, %s] m, %s)" % (k, number(c.at[0]), number(c.at[1]), number(getattr(c, "angle", 0.0)))
              for k, c in enumerate(contacts)] + ["p%d = [%s, %s] m" % (k, number(a.c[0]), number(a.c[1]))
                                                   for k, (a, b) in enumerate(joints) if a.body < 0]
    out.append("ground { %s }" % ", ".join(frames))
    for i, (m, inertia, q, u) in enumerate(bodies):
        own = ["c%d = [%s, %s] m" % (k, number(c.point.c[0]), number(c.point.c[1]))
               for k, c in enumerate(contacts) if c.point.body == i]
        own += ["j%d = [%s, %s] m" % (k, number(p.c[0]), number(p.c[1]))
                for k, pin in enumerate(joints) for p in pin if p.body == i]
        out.append("b%d : body m = %s kg, I = %s kg.m^2 { %s }" % (i, number(m), number(inertia), ", ".join(own)))
        word = "guess" if joints else "initial"
        out.append("%s b%d.x = %r m, b%d.y = %r m, b%d.theta = %r" % (word, i, q[0], i, q[1], i, q[2]))
        if not joints:
            out.append("initial b%d.v[1] = %r m/s, b%d.v[2] = %r m/s, b%d.w = %r rad/s" % (i, u[0], i, u[1], i, u[2]))
    for k, (a, b) in enumerate(joints):
        tail = "ground.p%d" % k if a.body < 0 else "b%d.j%d" % (a.body, k)
        out.append("J%d : revolute(%s, b%d.j%d)" % (k, tail, b.body, k))
    if joints:
        out.append("initial J0.beta = %r, J0.w = %r rad/s" % (bodies[0][2][2], bodies[0][3][2]))
    for k, c in enumerate(contacts):
        keys = "e = %s, mu = %s" % (number(c.e), number(c.mu))
        if isinstance(c, Circle):
            keys += ", R = %s m, side = %s" % (number(c.radius), "inside" if c.sign < 0 else "outside")
        out.append("C%d : %s(ground.w%d, b%d.c%d)  %s" % (k, "circle_contact" if isinstance(c, Circle) else "contact", k,
                                                       c.point.body, k, keys))
    out.append("output " + ", ".join("b%d.x, b%d.y, b%d.theta" % (i, i, i) for i in range(len(bodies))))
    return "\n".join(out) + "\n"


def keys(dice):
    e = dice.choice([0.0, 0.0, 1.0, round(dice.uniform(0.1, 0.9), 3)])
    return e, dice.choice([0.0, round(dice.uniform(0.05, 1.2), 3)])


def tumbling(dice):
    """A body with one to three points over a floor, often with a wall, or in a circle."""
    m, inertia = dice.uniform(0.5, 3), dice.uniform(0.05, 0.5)
    points = [(round(dice.uniform(-0.6, 0.6), 3), round(dice.uniform(-0.4, 0.4), 3)) for _ in range(dice.randint(1, 3))]
    e, mu = keys(dice)
    floor = dice.uniform(-0.3, 0.3)
    contacts = [Line(Point(0, x, y), 0, 0, floor, e, mu) for x, y in points]
    if dice.random() < 0.4:
        e, mu = keys(dice)
        contacts += [Line(Point(0, x, y), 1.2, 0, math.pi / 2 + dice.uniform(-0.2, 0.2), e, mu) for x, y in points[:2]]
    if dice.random() < 0.25:
        e, mu = keys(dice)
        contacts = [Circle(Point(0, x, y), 0, 0.8, 2.0, True, e, mu) for x, y in points]
    q = [dice.uniform(-0.3, 0.3), 1.1 + dice.uniform(0, 0.5), dice.uniform(-2, 2)]
    u = [dice.uniform(-2, 2), dice.uniform(-1, 1), dice.uniform(-4, 4)]
    return [(m, inertia, q, u)], contacts, []


def standing(dice):
    """A block that stands on two feet, or on three, and is pushed by a slope and a start."""
    h, w = round(dice.uniform(0.1, 0.5), 3), round(dice.uniform(0.1, 0.4), 3)
    e, mu = keys(dice)
    slope = dice.uniform(-0.5, 0.5)
    feet = [(-w, -h), (w, -h)] + ([(round(w / 3, 3), -h)] if dice.random() < 0.3 else [])
    contacts = [Line(Point(0, x, y), 0, 0, slope, 0.0 if dice.random() < 0.5 else e, mu) for x, y in feet]
    turned = dice.choice([0.0, 0.0, dice.uniform(-0.4, 0.4)])
    high = h if turned == 0 else h + w
    q = [-high * math.sin(slope), high * math.cos(slope), slope + turned]
    u = [dice.choice([0.0, dice.uniform(-2, 2)]), 0.0, 0.0]
    u = [u[0] * math.cos(slope), u[0] * math.sin(slope), 0.0]
    return [(dice.uniform(0.5, 3), dice.uniform(0.02, 0.2), q, u)], contacts, []


def linked(dice):
    """One to three links in a row; with a third one back to the ground, a four-bar. One or two points touch a line."""
    count = dice.choice([1, 2, 3])
    closed = count == 3
    length = [round(dice.uniform(0.3, 0.5), 3), round(dice.uniform(0.6, 0.8), 3), round(dice.uniform(0.5, 0.7), 3)][:count]
    far = round(dice.uniform(0.7, 0.85), 3)
    angle = [dice.uniform(0.3, 1.5)] + [dice.uniform(-1, 1) for _ in range(count - 1)]
    if closed:
        end = numpy.array([length[0] * math.cos(angle[0]), length[0] * math.sin(angle[0])])
        way = numpy.array([far, 0]) - end
        d = numpy.linalg.norm(way)
        cosine = (length[1] ** 2 + d * d - length[2] ** 2) / (2 * length[1] * d)
        if abs(cosine) > 0.95:
            raise Unclear
        angle[1] = math.atan2(way[1], way[0]) + math.acos(cosine)
        tip = end + length[1] * numpy.array([math.cos(angle[1]), math.sin(angle[1])])
        angle[2] = math.atan2(-tip[1], far - tip[0])
    pins, bodies, at = [], [], numpy.zeros(2)
    for i in range(count):
        half = length[i] / 2
        way = numpy.array([math.cos(angle[i]), math.sin(angle[i])])
        q = list(at + half * way) + [angle[i]]
        bodies.append((round(dice.uniform(0.5, 2), 3), round(dice.uniform(0.02, 0.1), 3), q, [0.0, 0.0, 0.0]))
        pins.append((Point(-1, 0, 0) if i == 0 else Point(i - 1, length[i - 1] / 2, 0), Point(i, -half, 0)))
        at = at + 2 * half * way
    if closed:
        pins.append((Point(-1, far, 0), Point(count - 1, length[-1] / 2, 0)))
    w = dice.uniform(-4, 4)
    mass = [x for m, i, _, _ in bodies for x in (m, i)]
    e, mu = keys(dice)
    own = 1 if closed else count - 1
    contacts = [Line(Point(own, round(length[own] / 2 * dice.uniform(0.2, 1), 3), 0), 0, -dice.uniform(0.1, 0.5) if not closed
                     else 0.05, dice.uniform(-0.2, 0.2), e, mu)]
    scene = Scene(mass, pins, contacts)
    start(scene, bodies, w)
    return bodies, contacts, pins


def start(scene, bodies, w):
    """The least kinetic energy of the difference to rest, with the spin of the first body given."""
    q = numpy.concatenate([b[2] for b in bodies])
    rows, _ = scene.bilateral(q, 0 * q)
    own = numpy.zeros(len(q))
    own[2] = 1
    rows = numpy.vstack([rows, own])
    right = numpy.zeros(len(rows))
    right[-1] = w
    # joints that are not given begin with speed zero: links of an open chain turn as one
    for i in range(1, len(bodies) if len(scene.pins) == len(bodies) else 1):
        row = numpy.zeros(len(q))
        row[3 * i + 2], row[3 * i - 1] = 1, -1
        rows, right = numpy.vstack([rows, row]), numpy.append(right, 0.0)
    u = numpy.linalg.lstsq(rows, right, rcond=None)[0]
    for i, b in enumerate(bodies):
        b[3][:] = [float(x) for x in u[3 * i:3 * i + 3]]


def compare(c, text, scene, q, u, stop):
    z, hits = reference(scene, q, u, stop)
    shaken, _ = reference(scene, q, u + 1e-8 * numpy.where(numpy.arange(len(u)) % 3 == 2, 0, 1) if not scene.pins else u, stop)
    n = len(q)
    tolerance = 1e-6 + 10 * abs(shaken[:n] - z[:n]).max()
    if tolerance > 1e-3:
        raise Unclear
    said = c.program.run(text, [0.0, stop], "--tol", "1e-11")
    if not c.check(said.code == 0 and said.rows() is not None, said.why(), text):
        return
    got = list(said.rows()[-1].values())[1:]
    for i in range(n):
        if not c.equal(got[i], z[i], tolerance, "coordinate %d at t = %g, impacts %s" % (i, stop, hits[:3]), text):
            return
    if hits and hits[0] > 1e-4:
        listed = c.program.call(text, "run", "--events", "--json", "--tol", "1e-11", "--stop", repr(stop)).out
        times = [e["time"] for e in json.loads(listed)["events"] if "impact" in e["what"] and e["time"] > 1e-4]
        c.check(times and abs(times[0] - hits[0]) < 1e-8, "first impact at %r, not %r" % (times[:1], hits[0]), text)


c = Campaign("contacts", 12)
for case in c:
    try:
        bodies, contacts, pins = c.dice.choice([tumbling, tumbling, standing, linked])(c.dice)
        scene = Scene([x for m, i, _, _ in bodies for x in (m, i)], pins, contacts)
        q = numpy.concatenate([b[2] for b in bodies]).astype(float)
        u = numpy.concatenate([b[3] for b in bodies]).astype(float)
        if min(k.gap(q) for k in contacts) < -1e-12:
            continue
        compare(c, text_of(bodies, contacts, pins), scene, q, u, c.dice.choice([0.6, 1.0, 1.5]))
    except Unclear:
        continue
c.close()
