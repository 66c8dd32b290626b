"""Chains of beams that bend and of rigid bodies, open or closed, in the plane: random shapes, frames, joints, states.

The right accelerations come from Lagrange's equations: the kinetic energy is summed over points of the beams, to the
second order in what bends, and differentiated with complex steps. Some also move for a while: their energy must stay.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
from numpy.polynomial import Polynomial, legendre

from campaign import Campaign

STEP = 1e-30
POINTS, WEIGHTS = legendre.leggauss(8)
POINTS, WEIGHTS = (POINTS + 1) / 2, WEIGHTS / 2
K = np.array([0, 0, 1.0])


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def about(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, k = (axis + 1) % 3, (axis + 2) % 3
    r = np.eye(3, dtype=complex)
    r[i, i] = r[k, k] = c
    r[i, k], r[k, i] = -s, s
    return r


def shifted(k):
    return legendre.Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial)


def bending(n, reference):
    """Curvatures are Legendre polynomials; clamped, the first two are 3(1-s) and 1-3s."""
    out = []
    for k in range(n):
        f = shifted(k)
        if reference == "clamped" and k < 2:
            f = Polynomial([3, -3]) if k == 0 else Polynomial([1, -3])
        f = f.integ(lbnd=0).integ(lbnd=0)
        if reference == "chord":
            f = f - Polynomial([0, f(1.0)])
        if reference == "mean":
            mean, first = f.integ()(1.0) - f.integ()(0.0), (f * Polynomial([0, 1])).integ()
            first = first(1.0) - first(0.0)
            b = 12 * (first - mean / 2)
            f = f - Polynomial([mean - b / 2, b])
        out.append(f)
    return out


def along(n, reference):
    out = [shifted(k).integ(lbnd=0) for k in range(n)]
    if reference == "mean":
        out = [f - (f.integ()(1.0) - f.integ()(0.0)) for f in out]
    return out


class Beam:
    def __init__(self, dice, name):
        self.name, self.reference = name, dice.choice(("clamped", "chord", "mean"))
        self.L, self.A, self.Iz = round(dice.uniform(0.5, 2), 3), 1e-3, 10 ** dice.uniform(-7, -4)
        self.E, self.rho, self.damping = 10 ** dice.uniform(6, 8), 2000.0, dice.choice((0.0, 0.01))
        self.modes, self.stretch = dice.randint(1, 3), dice.choice((0, 0, 1, 2))
        self.stiffening, self.rotary = dice.random() < 0.8, dice.random() < 0.7
        self.w, self.u = bending(self.modes, self.reference), along(self.stretch, self.reference)
        self.n = self.modes + self.stretch
        self.frames, self.kept = [], {}
        scale = 0.08 * self.L
        self.q0 = [round(dice.uniform(-scale, scale), 4) for _ in range(self.n)]
        self.v0 = [round(dice.uniform(-1, 1), 4) for _ in range(self.n)]
        self.samples = [self.values(s) for s in POINTS]
        self.bends = [np.array([a.deriv(2)(s) for a in self.w]) / self.L ** 2 for s in POINTS]
        self.strains = [np.array([a.deriv()(s) for a in self.u]) / self.L for s in POINTS]

    def values(self, s):
        y, d = np.array([f(s) for f in self.w]), np.array([f.deriv()(s) for f in self.w]) / self.L
        x = np.array([f(s) for f in self.u])
        h = np.array([[(a.deriv() * b.deriv()).integ(lbnd=0)(s) for b in self.w] for a in self.w]) / self.L
        return s * self.L, y, d, x, h * self.stiffening

    def seat_values(self, index):
        if index not in self.kept:
            self.kept[index] = self.values(self.frames[index][0])
        return self.kept[index]

    def frame(self, dice):
        at = (dice.choice((0.0, 0.25, 0.5, 1.0)), round(dice.uniform(-0.2, 0.2), 3) * dice.randint(0, 1),
              round(dice.uniform(-1, 1), 3) * dice.randint(0, 1))
        self.frames.append(at)
        return "%s.P%d" % (self.name, len(self.frames)), len(self.frames) - 1

    def text(self):
        keys = "length = %r, A = %r, Iz = %r, E = %r, rho = %r, modes = %d, stretch = %d, reference = %s, damping = %r" % (
            self.L, self.A, self.Iz, self.E, self.rho, self.modes, self.stretch, self.reference, self.damping)
        keys += ", stiffening = %s, theory = %s" % ("on" if self.stiffening else "off",
                                                    "rayleigh" if self.rotary else "euler_bernoulli")
        starts = ", q(0) = %r, qdot(0) = %r" % (self.q0, self.v0)
        frames = ", ".join("P%d = frame([%r, %r], %r)" % (i + 1, s * self.L, y, turn)
                           for i, (s, y, turn) in enumerate(self.frames))
        return "%s : flexible  %s%s  { %s }" % (self.name, keys, starts, frames)

    def seat(self, index, q, v):
        """A frame in the body: place, axes, and their rates; the same of the section."""
        s, y, turn = self.frames[index]
        x, f, d, u, h = self.seat_values(index)
        qb, vb, qs, vs = q[:self.modes], v[:self.modes], q[self.modes:], v[self.modes:]
        p = np.array([x + u @ qs - qb @ h @ qb / 2, f @ qb, 0])
        rate = np.array([u @ vs - qb @ h @ vb, f @ vb, 0])
        angle, spin = d @ qb, d @ vb
        arm = about(2, angle) @ np.array([0, y, 0])
        return p + arm, about(2, angle + turn), rate + spin * cross(K, arm), spin

    def energy(self, R, V, w, q, v):
        """Twice the kinetic energy: velocities by orders of q."""
        qb, vb, qs, vs = q[:self.modes], v[:self.modes], q[self.modes:], v[self.modes:]
        own, spin = R.T @ V, w
        sum_ = 0
        for (x, f, d, u, h), weight in zip(self.samples, WEIGHTS):
            zero = own + spin * cross(K, np.array([x, 0, 0]))
            one = np.array([u @ vs, f @ vb, 0]) + spin * cross(K, np.array([u @ qs, f @ qb, 0]))
            short = np.array([-qb @ h @ qb / 2, 0, 0])
            two = np.array([-qb @ h @ vb, 0, 0]) + spin * cross(K, short)
            part = self.rho * self.A * (zero @ zero + 2 * zero @ one + one @ one + 2 * zero @ two)
            turn = spin * spin + (2 * spin * (d @ vb) + (d @ vb) ** 2 if self.rotary else 0)
            sum_ = sum_ + weight * self.L * (part + self.rho * self.Iz * turn)
        return sum_

    def potential(self, R, r, q, g):
        qb, qs = q[:self.modes], q[self.modes:]
        sum_ = 0
        for (x, f, d, u, h), b, c, weight in zip(self.samples, self.bends, self.strains, WEIGHTS):
            p = np.array([x + u @ qs - qb @ h @ qb / 2, f @ qb, 0])
            bend, strain = b @ qb, c @ qs if self.stretch else 0
            sum_ = sum_ + weight * self.L * (self.E * self.Iz * bend ** 2 / 2 + self.E * self.A * strain ** 2 / 2
                                             - self.rho * self.A * (g @ (r + R @ p)))
        return sum_


class Rigid:
    n, q0, v0, damping = 0, [], [], 0.0

    def __init__(self, dice, name):
        self.name, self.frames = name, []
        self.m, self.I = round(dice.uniform(0.5, 3), 3), round(dice.uniform(0.01, 0.3), 3)
        self.com = np.array([round(dice.uniform(-0.5, 0.5), 3), round(dice.uniform(-0.5, 0.5), 3), 0])

    def frame(self, dice):
        self.frames.append((round(dice.uniform(-0.7, 0.7), 3), round(dice.uniform(-0.7, 0.7), 3),
                            round(dice.uniform(-2, 2), 3)))
        return "%s.P%d" % (self.name, len(self.frames)), len(self.frames) - 1

    def text(self):
        frames = ", ".join("P%d = frame([%r, %r], %r)" % (i + 1, x, y, turn)
                           for i, (x, y, turn) in enumerate(self.frames))
        return "%s : body  m = %r, I = %r, com = [%r, %r]  { %s }" % (self.name, self.m, self.I, self.com[0],
                                                                      self.com[1], frames)

    def seat(self, index, q, v):
        x, y, turn = self.frames[index]
        return np.array([x, y, 0]), about(2, turn), np.zeros(3), 0

    def energy(self, R, V, w, q, v):
        c = V + w * cross(K, R @ self.com)
        return self.m * (c @ c) + self.I * w * w

    def potential(self, R, r, q, g):
        return -self.m * (g @ (r + R @ self.com))


class Lagrange:
    """Energies and momenta of bodies, by where a child class places them."""

    def kinetic(self, q, v):
        places = self.place(q, v)
        return sum(b.energy(p[1], p[2], p[3], self.own(i, q), self.own(i, v))
                   for i, (b, p) in enumerate(zip(self.bodies, places))) / 2

    def potential(self, q):
        places = self.place(q, 0 * q)
        return sum(b.potential(p[1], p[0], self.own(i, q), self.g)
                   for i, (b, p) in enumerate(zip(self.bodies, places)))

    def momenta(self, q, v):
        e = np.eye(self.count)
        whole = self.kinetic(q, v)
        return np.array([self.kinetic(q, v + e[i]) - whole - self.kinetic(q, e[i] + 0j) for i in range(self.count)])

    def slopes(self, q):
        return np.array([self.pinned(q, c + 0j) for c in np.eye(self.count)]).T.real

    def consistent(self, v, q):
        G = self.slopes(q)
        return v - np.linalg.pinv(G) @ (G @ v)

    def damp(self, f, v):
        pass

    def accelerations(self):
        """Speeds that the pins allow, and how they change."""
        q, v = self.first()
        if self.pins:
            v = self.consistent(v.real, q) + 0j
        n, e = self.count, np.eye(self.count)
        M = np.array([self.momenta(q, c + 0j) for c in e]).real
        f = -self.momenta(q + 1j * STEP * v, v).imag / STEP
        for i in range(n):
            f[i] += (self.kinetic(q + 1j * STEP * e[i], v).imag - self.potential(q + 1j * STEP * e[i]).imag) / STEP
            f[i] += self.push(q, e[i] + 0j)
        self.damp(f, v)
        if not self.pins:
            return v.real, np.linalg.solve(M, f)
        G = self.slopes(q)
        gamma = -self.pinned(q + 1j * STEP * v, v).imag / STEP
        rows = len(gamma)
        whole = np.block([[M, G.T], [G, np.zeros((rows, rows))]])
        return v.real, np.linalg.solve(whole, np.concatenate([f, gamma]))[:n]


class Chain(Lagrange):
    def __init__(self, dice):
        self.g = np.array([round(dice.uniform(-10, 10), 2), round(dice.uniform(-10, 10), 2), 0])
        count, self.bodies, self.joints = dice.randint(1, 3), [], []
        for i in range(count):
            kind = Beam if i == 0 or dice.random() < 0.6 else Rigid
            self.bodies.append(kind(dice, "b%d" % (i + 1)))
        for i, body in enumerate(self.bodies):
            on = dice.randrange(-1, i) if i else -1
            tail = ("ground", None) if on < 0 else self.bodies[on].frame(dice)
            head, way = body.frame(dice), dice.choice(("revolute", "revolute", "weld", "prismatic"))
            axis = round(dice.uniform(-3, 3), 3)
            own = (round(dice.uniform(-2, 2), 3), round(dice.uniform(-2, 2), 3))
            self.joints.append((way, on, tail, head, axis, own, dice.random() < 0.5))
        self.sizes = [1 if j[0] != "weld" else 0 for j in self.joints]
        self.start, at = [], 0
        for size, body in zip(self.sizes, self.bodies):
            self.start.append(at)
            at += size + body.n
        self.count = at
        self.pins, self.force = [], None
        if dice.random() < 0.7:
            self.force = (dice.randrange(len(self.bodies)), [round(dice.uniform(-5, 5), 2) for _ in range(2)],
                          round(dice.uniform(-2, 2), 2))
            self.force = (self.force[0], self.bodies[self.force[0]].frame(dice), self.force[1], self.force[2])

    def close(self, dice):
        """Pins or welds the last body to the ground where it is."""
        body = self.bodies[-1]
        self.pins.append((len(self.bodies) - 1, body.frame(dice), dice.choice(("revolute", "weld"))))
        if np.linalg.svd(self.slopes(self.first()[0]))[1].min() < 0.05 or self.count < 4:
            self.pins = []

    def first(self):
        q, v = np.zeros(self.count, complex), np.zeros(self.count, complex)
        for i, body in enumerate(self.bodies):
            at = self.start[i]
            if self.sizes[i]:
                q[at], v[at] = self.joints[i][5]
            q[at + self.sizes[i]:at + self.sizes[i] + body.n] = body.q0
            v[at + self.sizes[i]:at + self.sizes[i] + body.n] = body.v0
        return q, v

    def own(self, i, q):
        at = self.start[i] + self.sizes[i]
        return q[at:at + self.bodies[i].n]

    def place(self, q, v):
        """By body: place of its origin, axes, velocity, spin."""
        out = []
        for i, body in enumerate(self.bodies):
            way, on, tail, head, axis, _, back = self.joints[i]
            if on < 0:
                r, R, V, w = np.zeros(3, complex), np.eye(3, dtype=complex), np.zeros(3, complex), 0
            else:
                r, R, V, w = self.point(out, on, tail[1], q, v)
            free = (q[self.start[i]], v[self.start[i]]) if self.sizes[i] else (0, 0)
            sign = -1 if back else 1
            own, turn, rate, spin = body.seat(head[1], self.own(i, q), self.own(i, v))
            if way == "revolute":
                R, w = R @ about(2, sign * free[0]), w + sign * free[1]
            if way == "prismatic":
                u = np.array([np.cos(axis), np.sin(axis), 0])
                base = R if not back else R  # the slide is fixed in the tail: below
                if back:  # the tail is the new body: its frame has the same angle
                    r, V = r - free[0] * (base @ u), V - free[1] * (base @ u) - w * cross(K, free[0] * (base @ u))
                else:
                    r, V = r + free[0] * (base @ u), V + free[1] * (base @ u) + w * cross(K, free[0] * (base @ u))
            R = R @ turn.T
            w = w - spin
            arm = R @ own
            out.append((r - arm, R, V - w * cross(K, arm) - R @ rate, w))
        return out

    def point(self, places, i, index, q, v):
        r, R, V, w = places[i]
        own, turn, rate, spin = self.bodies[i].seat(index, self.own(i, q), self.own(i, v))
        arm = R @ own
        return r + arm, R @ turn, V + w * cross(K, arm) + R @ rate, w + spin

    def pinned(self, q, v):
        places = self.place(q, v)
        rows = []
        for i, f, way in self.pins:
            _, _, V, w = self.point(places, i, f[1], q, v)
            rows += [V[0], V[1]] + ([w] if way == "weld" else [])
        return np.array(rows)

    def push(self, q, v):
        """Power of the force."""
        if not self.force:
            return 0
        i, frame, F, T = self.force
        _, _, V, w = self.point(self.place(q, v), i, frame[1], q, v)
        return (V[:2] @ np.array(F) + w * T).real

    def damp(self, f, v):
        for i, body in enumerate(self.bodies):
            if body.n and body.damping:
                at = self.start[i] + self.sizes[i]
                for k in range(body.n):
                    step = np.zeros(self.count, complex)
                    step[at + k] = 1j * STEP
                    stiff = Beam.potential(body, np.eye(3), np.zeros(3), self.own(i, v + step), 0 * self.g)
                    f[at + k] -= body.damping * stiff.imag / STEP

    def text(self, v, coordinates):
        for i, body in enumerate(self.bodies):
            body.v0 = [float(x) for x in self.own(i, v)]
        out = ["space = planar", "gravity = [%r, %r]" % (self.g[0], self.g[1]), coordinates]
        if self.pins:
            q, _ = self.first()
            places = self.place(q, 0 * q)
            at = [self.point(places, i, f[1], q, 0 * q)[:2] for i, f, _ in self.pins]
            out.append("ground { %s }" % ", ".join(
                "O%d = frame([%r, %r], %r)" % (i, float(p[0].real), float(p[1].real), float(np.arctan2(R[1, 0].real, R[0, 0].real)))
                for i, (p, R) in enumerate(at)))
        out += [b.text() for b in self.bodies]
        for i, (way, on, tail, head, axis, own, back) in enumerate(self.joints):
            ends = "%s, %s" % ((head[0], tail[0]) if back else (tail[0], head[0]))
            words = {"revolute": ("beta", "w"), "prismatic": ("s", "v")}.get(way)
            keys = "axis = [%r, %r], " % (np.cos(axis), np.sin(axis)) if way == "prismatic" else ""
            if words:
                keys += "%s(0) = %r, %s(0) = %r" % (words[0], own[0], words[1], float(v[self.start[i]]))
            out.append("J%d : %s(%s)  %s" % (i + 1, way, ends, keys))
        for i, (body, frame, way) in enumerate(self.pins):
            out.append("C%d : %s(ground.O%d, %s)" % (i, way, i, frame[0]))
        if self.force:
            i, frame, F, T = self.force
            out.append("F1 : force(ground, %s)  F = [%r, %r]" % (frame[0], F[0], F[1]))
            out.append("T1 : torque(ground, %s)  T = %r" % (frame[0], T))
        out.append("simulate stop = 1 s")
        return "\n".join(out) + "\n"


def compare(case, chain):
    v, a = chain.accelerations()
    coordinates = case.dice.choice(("", "coordinates = joint", "coordinates = absolute"))
    text = chain.text(v, coordinates) + "output kinetic() as T, potential() as V\n"
    said = case.program.call(text, "eval", "--json")
    answer = said.json()
    if not case.check(answer is not None and said.code == 0, "no answer: " + said.why(), text):
        return
    got, wrong, size = answer["derivatives"], [], 1 + np.abs(a).max()

    def same(name, of, want, scale):
        if name not in of or not abs(of[name] - want) <= 1e-9 * scale:
            wrong.append("%s: %r, right is %r" % (name, of.get(name), want))

    for i, body in enumerate(chain.bodies):
        at = chain.start[i]
        if chain.sizes[i]:
            same("J%d.%s" % (i + 1, "w" if chain.joints[i][0] == "revolute" else "v"), got, a[at], size)
        for k in range(body.n):
            same("%s.qdot[%d]" % (body.name, k + 1), got, a[at + chain.sizes[i] + k], size)
    q, _ = chain.first()
    T, V = chain.kinetic(q, v + 0j).real, chain.potential(q).real
    same("T", answer["outputs"], T, 10 * (1 + T))
    same("V", answer["outputs"], V, 10 * (1 + abs(V)))
    case.check(not wrong, "; ".join(wrong[:3]), text)


def keeps_energy(case, chain):
    for body in chain.bodies:
        body.damping = 0.0
        if body.n:  # what bends far leaves the second order
            body.E, body.q0 = 1e10, [0.01 * x for x in body.q0]
    chain.force = None
    v, _ = chain.accelerations()
    text = chain.text(v, "") + "output kinetic() + potential() as E, kinetic() as T\n"
    rows = case.program.run(text, [0.0, 0.05, 0.1], "--tol", "1e-9").rows()
    if case.check(rows is not None, "no run", text):
        scale = 1 + abs(rows[0]["E"]) + max(r["T"] for r in rows)
        case.check(abs(rows[-1]["E"] - rows[0]["E"]) < 1e-6 * scale, "energy goes from %r to %r" %
                   (rows[0]["E"], rows[-1]["E"]), text)


def main():
    campaign = Campaign("flexible", 16)
    for case in campaign:
        chain = Chain(case.dice)
        if case.dice.random() < 0.3 and chain.count > 2:
            chain.close(case.dice)
        if case.number % 6 == 5:
            keeps_energy(case, chain)
        else:
            compare(case, chain)
    campaign.close()


if __name__ == "__main__":
    main()
