"""Trees and loops of beams that bend, twist and stretch, and of rigid bodies, in space: random shapes, frames, joints, states.

The right accelerations come from Lagrange's equations, as in flexible.py: energies are summed over points of the beams
and differentiated with complex steps.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from flexible import POINTS, STEP, WEIGHTS, Lagrange, about, along, bending, cross

AXES = np.eye(3)


class Beam:
    def __init__(self, dice, name):
        self.name, self.reference = name, dice.choice(("clamped", "chord", "mean"))
        self.L, self.A = round(dice.uniform(0.5, 2), 3), 1e-3
        self.I = [10 ** dice.uniform(-6, -4), 10 ** dice.uniform(-6, -4)]
        self.E, self.G, self.J, self.rho = 10 ** dice.uniform(6, 8), 3e6, 1e-5, 2000.0
        self.bend, self.twist, self.stretch = dice.randint(1, 2), dice.choice((0, 1)), dice.choice((0, 1))
        self.stiffening, self.rotary = dice.random() < 0.8, dice.random() < 0.7
        self.w, self.t = bending(self.bend, self.reference), along(self.twist, self.reference)
        self.u = along(self.stretch, self.reference)
        self.n = 2 * self.bend + self.twist + self.stretch
        self.frames, self.kept = [], {}
        scale = 0.05 * self.L
        self.q0 = [round(dice.uniform(-scale, scale), 4) for _ in range(self.n)]
        self.v0 = [round(dice.uniform(-1, 1), 4) for _ in range(self.n)]
        self.samples = [self.values(s) for s in POINTS]

    def values(self, s):
        def at(list_, order, power):
            return np.array([f.deriv(order)(s) if order else f(s) for f in list_]) / self.L ** power
        h = np.array([[(a.deriv() * b.deriv()).integ(lbnd=0)(s) for b in self.w] for a in self.w]) / self.L
        return (s * self.L, at(self.w, 0, 0), at(self.w, 1, 1), at(self.w, 2, 2), h * self.stiffening,
                at(self.t, 0, 0), at(self.t, 1, 1), at(self.u, 0, 0), at(self.u, 1, 1))

    def split(self, q):
        n, m = self.bend, self.bend + self.stretch
        return q[:n], q[m:m + n], q[m + n:], q[n:m]

    def frame(self, dice):
        at = (dice.choice((0.0, 0.25, 0.5, 1.0)), [round(dice.uniform(-0.2, 0.2), 3) for _ in range(2)],
              dice.choice("xyz"), round(dice.uniform(-1, 1), 3))
        self.frames.append(at)
        return "%s.P%d" % (self.name, len(self.frames)), len(self.frames) - 1

    def text(self):
        keys = "length = %r, A = %r, Iz = %r, Iy = %r, J = %r, E = %r, G = %r, rho = %r" % (
            self.L, self.A, self.I[0], self.I[1], self.J, self.E, self.G, self.rho)
        keys += ", modes = %d, twist = %d, stretch = %d, reference = %s" % (self.bend, self.twist, self.stretch,
                                                                           self.reference)
        keys += ", stiffening = %s, theory = %s" % ("on" if self.stiffening else "off",
                                                    "rayleigh" if self.rotary else "euler_bernoulli")
        starts = ", q(0) = %r, qdot(0) = %r" % (self.q0, self.v0)
        frames = ", ".join("P%d = frame([%r, %r, %r], rotate(%s, %r))" % (i + 1, s * self.L, y[0], y[1], axis, turn)
                           for i, (s, y, axis, turn) in enumerate(self.frames))
        return "%s : flexible  %s%s  { %s }" % (self.name, keys, starts, frames)

    def seat(self, index, q, v):
        s, y, axis, turn = self.frames[index]
        if index not in self.kept:
            self.kept[index] = self.values(s)
        x, f, d, _, h, psi, _, u, _ = self.kept[index]
        a, b, t, e = self.split(q)
        av, bv, tv, ev = self.split(v)
        p = np.array([x + u @ e - (a @ h @ a + b @ h @ b) / 2, f @ a, f @ b])
        rate = np.array([u @ ev - a @ h @ av - b @ h @ bv, f @ av, f @ bv])
        angle, spin = (psi @ t, -d @ b, d @ a), (psi @ tv, -d @ bv, d @ av)
        rz = about(2, angle[2])
        ry = rz @ about(1, angle[1])
        own = ry @ about(0, angle[0])
        w = AXES[2] * spin[2] + rz @ AXES[1] * spin[1] + ry @ AXES[0] * spin[0]
        arm = own @ np.array([0, y[0], y[1]])
        return p + arm, own @ about("xyz".index(axis), turn), rate + cross(w, arm), w

    def energy(self, R, V, w, q, v):
        a, b, t, e = self.split(q)
        av, bv, tv, ev = self.split(v)
        own, spin, sum_ = R.T @ V, R.T @ w, 0
        for (x, f, d, _, h, psi, _, u, _), weight in zip(self.samples, WEIGHTS):
            zero = own + cross(spin, np.array([x, 0, 0]))
            one = np.array([u @ ev, f @ av, f @ bv]) + cross(spin, np.array([u @ e, f @ a, f @ b]))
            two = np.array([-a @ h @ av - b @ h @ bv, 0, 0])
            two = two + cross(spin, np.array([-(a @ h @ a + b @ h @ b) / 2, 0, 0]))
            part = self.A * (zero @ zero + 2 * zero @ one + one @ one + 2 * zero @ two)
            keep = 1 if self.rotary else 0
            turn = np.array([psi @ tv, -keep * (d @ bv), keep * (d @ av)])
            second = np.array([self.I[0] + self.I[1], self.I[1], self.I[0]])
            sum_ = sum_ + weight * self.L * self.rho * (part + second @ ((spin + turn) ** 2))
        return sum_

    def potential(self, R, r, q, g):
        a, b, t, e = self.split(q)
        sum_ = 0
        for (x, f, _, c, h, _, dt, u, du), weight in zip(self.samples, WEIGHTS):
            p = np.array([x + u @ e - (a @ h @ a + b @ h @ b) / 2, f @ a, f @ b])
            own = self.E * (self.I[0] * (c @ a) ** 2 + self.I[1] * (c @ b) ** 2 + self.A * (du @ e) ** 2)
            own = own + self.G * self.J * (dt @ t) ** 2
            sum_ = sum_ + weight * self.L * (own / 2 - self.rho * self.A * (g @ (r + R @ p)))
        return sum_


class Rigid:
    n, q0, v0 = 0, [], []

    def __init__(self, dice, name):
        self.name, self.frames = name, []
        self.m, self.I = round(dice.uniform(0.5, 3), 3), [round(dice.uniform(0.2, 0.3), 3) for _ in range(3)]
        self.com = np.array([round(dice.uniform(-0.5, 0.5), 3) for _ in range(3)])

    def frame(self, dice):
        self.frames.append(([round(dice.uniform(-0.7, 0.7), 3) for _ in range(3)], dice.choice("xyz"),
                            round(dice.uniform(-2, 2), 3)))
        return "%s.P%d" % (self.name, len(self.frames)), len(self.frames) - 1

    def text(self):
        frames = ", ".join("P%d = frame(%r, rotate(%s, %r))" % (i + 1, p, axis, turn)
                           for i, (p, axis, turn) in enumerate(self.frames))
        return "%s : body  m = %r, I = %r, com = %r  { %s }" % (self.name, self.m, self.I, [float(x) for x in self.com],
                                                               frames)

    def seat(self, index, q, v):
        p, axis, turn = self.frames[index]
        return np.array(p), about("xyz".index(axis), turn), np.zeros(3), np.zeros(3)

    def energy(self, R, V, w, q, v):
        c, own = V + cross(w, R @ self.com), R.T @ w
        return self.m * (c @ c) + np.array(self.I) @ (own ** 2)

    def potential(self, R, r, q, g):
        return -self.m * (g @ (r + R @ self.com))


class Tree(Lagrange):
    def __init__(self, dice):
        self.g = np.array([round(dice.uniform(-10, 10), 2) for _ in range(3)])
        self.bodies, self.joints = [], []
        for i in range(dice.randint(1, 3)):
            self.bodies.append((Beam if i == 0 or dice.random() < 0.5 else Rigid)(dice, "b%d" % (i + 1)))
        for i, body in enumerate(self.bodies):
            on = dice.randrange(-1, i) if i else -1
            tail = ("ground", None) if on < 0 else self.bodies[on].frame(dice)
            way, axis = dice.choice(("revolute", "revolute", "weld", "prismatic")), dice.randrange(3)
            own = (round(dice.uniform(-2, 2), 3), round(dice.uniform(-2, 2), 3))
            self.joints.append((way, on, tail, body.frame(dice), axis, own))
        self.sizes, self.start, at = [1 if j[0] != "weld" else 0 for j in self.joints], [], 0
        for size, body in zip(self.sizes, self.bodies):
            self.start.append(at)
            at += size + body.n
        self.count, self.pins = at, []
        i = dice.randrange(len(self.bodies))
        self.force = (i, self.bodies[i].frame(dice), [round(dice.uniform(-5, 5), 2) for _ in range(3)],
                      [round(dice.uniform(-2, 2), 2) for _ in range(3)])

    def own(self, i, q):
        at = self.start[i] + self.sizes[i]
        return q[at:at + self.bodies[i].n]

    def first(self):
        q, v = np.zeros(self.count, complex), np.zeros(self.count, complex)
        for i, body in enumerate(self.bodies):
            at = self.start[i] + self.sizes[i]
            if self.sizes[i]:
                q[at - 1], v[at - 1] = self.joints[i][5]
            q[at:at + body.n], v[at:at + body.n] = body.q0, body.v0
        return q, v

    def place(self, q, v):
        out = []
        for i, body in enumerate(self.bodies):
            way, on, tail, head, axis, _ = self.joints[i]
            r, R, V, w = (np.zeros(3, complex), np.eye(3, dtype=complex), np.zeros(3, complex), np.zeros(3, complex)) \
                if on < 0 else self.point(out, on, tail[1], q, v)
            at = self.start[i]
            if way == "revolute":
                w = w + R @ AXES[axis] * v[at]
                R = R @ about(axis, q[at])
            if way == "prismatic":
                u = R @ AXES[axis]
                r, V = r + q[at] * u, V + v[at] * u + cross(w, q[at] * u)
            own, turn, rate, spin = body.seat(head[1], self.own(i, q), self.own(i, v))
            R = R @ turn.T
            w = w - R @ spin
            arm = R @ own
            out.append((r - arm, R, V - cross(w, arm) - R @ rate, w))
        return out

    def point(self, places, i, index, q, v):
        r, R, V, w = places[i]
        own, turn, rate, spin = self.bodies[i].seat(index, self.own(i, q), self.own(i, v))
        arm = R @ own
        return r + arm, R @ turn, V + cross(w, arm) + R @ rate, w + R @ spin

    def close(self, dice):
        """Joins the last body to the ground where it is, if that leaves some freedom."""
        i, way = len(self.bodies) - 1, dice.choice(("weld", "weld", "revolute", "spherical"))
        self.pins = [(i, self.bodies[i].frame(dice), way, dice.randrange(3))]
        size = np.linalg.svd(self.slopes(self.first()[0]))[1]
        if len(size) < 6 - {"weld": 0, "revolute": 1, "spherical": 3}[way] or size.min() < 0.02 or self.count <= len(size):
            self.pins = []

    def closing(self, q):
        i, frame, _, _ = self.pins[0]
        r, R, _, _ = self.point(self.place(q, 0 * q), i, frame[1], q, 0 * q)
        return r.real, R.real

    def pinned(self, q, v):
        i, frame, way, axis = self.pins[0]
        _, _, V, w = self.point(self.place(q, v), i, frame[1], q, v)
        if way == "spherical":
            return V
        own = self.closing(self.first()[0])[1].T @ w
        return np.concatenate([V, own if way == "weld" else np.delete(own, axis)])

    def push(self, q, v):
        i, frame, F, T = self.force
        _, _, V, w = self.point(self.place(q, v), i, frame[1], q, v)
        return (V @ np.array(F) + w @ np.array(T)).real

    def ground(self):
        r, R = self.closing(self.first()[0])
        turns = (np.arctan2(R[1, 0], R[0, 0]), np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2])), np.arctan2(R[2, 1], R[2, 2]))
        return "ground { O = frame(%r, %s) }" % ([float(x) for x in r], ", ".join(
            "rotate(%s, %r)" % (axis, float(angle)) for axis, angle in zip("zyx", turns)))

    def text(self, v, coordinates):
        for i, body in enumerate(self.bodies):
            body.v0 = [float(x) for x in self.own(i, v)]
        out = ["space = spatial", "gravity = %r" % [float(x) for x in self.g], coordinates]
        out += [b.text() for b in self.bodies]
        for i, (way, on, tail, head, axis, own) in enumerate(self.joints):
            words = {"revolute": ("beta", "w"), "prismatic": ("s", "v")}.get(way)
            keys = "axis = %s, %s(0) = %r, %s(0) = %r" % ("xyz"[axis], words[0], own[0], words[1],
                                                          float(v[self.start[i]])) if words else ""
            out.append("J%d : %s(%s, %s)  %s" % (i + 1, way, tail[0], head[0], keys))
        for _, frame, way, axis in self.pins:
            out += [self.ground(), "C1 : %s(ground.O, %s)  %s" % (way, frame[0], "axis = " + "xyz"[axis] if way == "revolute" else "")]
        i, frame, F, T = self.force
        out.append("F1 : force(ground, %s)  F = %r" % (frame[0], F))
        out.append("T1 : torque(ground, %s)  T = %r" % (frame[0], T))
        return "\n".join(out) + "\nsimulate stop = 1 s\noutput kinetic() as T, potential() as V\n"


def main():
    campaign = Campaign("flexible_space", 8)
    for case in campaign:
        tree, wrong = Tree(case.dice), []
        if case.number % 2:
            tree.close(case.dice)
        v, a = tree.accelerations()
        text = tree.text(v, case.dice.choice(("", "", "coordinates = absolute")))
        said = case.program.call(text, "eval", "--json")
        answer = said.json()
        if not case.check(answer is not None and said.code == 0, "no answer: " + said.why(), text):
            continue
        size = 1 + np.abs(a).max()

        def same(name, of, want, scale):
            if name not in of or not abs(of[name] - want) <= 1e-9 * scale:
                wrong.append("%s: %r, right is %r" % (name, of.get(name), want))

        for i, body in enumerate(tree.bodies):
            at = tree.start[i]
            if tree.sizes[i]:
                same("J%d.%s" % (i + 1, "w" if tree.joints[i][0] == "revolute" else "v"), answer["derivatives"], a[at], size)
            for k in range(body.n):
                same("%s.qdot[%d]" % (body.name, k + 1), answer["derivatives"], a[at + tree.sizes[i] + k], size)
        q, _ = tree.first()
        T, V = tree.kinetic(q, v + 0j).real, tree.potential(q).real
        same("T", answer["outputs"], T, 10 * (1 + T))
        same("V", answer["outputs"], V, 10 * (1 + abs(V)))
        case.check(not wrong, "; ".join(wrong[:3]), text)
    campaign.close()


if __name__ == "__main__":
    main()
