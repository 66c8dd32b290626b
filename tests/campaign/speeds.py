"""Speed constraints: free bodies in the plane and in space that are tied by random sums of their speeds.

Factors depend on places and turns. The right answer comes from Newton and Euler: accelerations of all bodies, with a
multiplier for each constraint, whose rate is found by differences. Joints that are tied so must move as a driver that
follows lets them move.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import AXES, rotation, vector, written

G = np.array([0.5, -9.81, 0.0])


class Bodies:
    """Free bodies: speeds are v of a frame and omega, six numbers each; in the plane three of them are zero."""

    def __init__(self, dice):
        self.dice, self.deep = dice, dice.random() < 0.6
        self.n, self.rows = dice.randint(1, 3), dice.randint(1, 2)
        number = lambda low, high: round(dice.uniform(low, high), 3)
        self.m = [number(0.5, 3) for _ in range(self.n)]
        self.I = [[number(1, 1.4) for _ in range(3)] for _ in range(self.n)]
        self.arm = [vector(dice) if self.deep else np.array([number(-1, 1), number(-1, 1), 0.0]) for _ in range(self.n)]
        self.p = [vector(dice) if self.deep else np.array([number(-1, 1), number(-1, 1), 0.0]) for _ in range(self.n)]
        self.turn = [(dice.choice("xyz") if self.deep else "z", number(-1, 1)) for _ in range(self.n)]
        self.R = [rotation(AXES[a], q) for a, q in self.turn]
        self.terms = [self.sum_of() for _ in range(self.rows)]
        self.u = self.project(np.array([number(-2, 2) for _ in range(6 * self.n)]) * self.free())

    def free(self):
        return np.tile(np.ones(6) if self.deep else np.array([1, 1, 0, 0, 0, 1.0]), self.n)

    def sum_of(self):
        """Terms (number, body, speed word, its component, factor word, its component)."""
        d = self.dice
        made = []
        for _ in range(d.randint(2, 4)):
            i, k = d.randrange(self.n), d.randrange(3 if self.deep else 2)
            kind = d.choice(("v", "omega") if self.deep else ("v", "w"))
            made.append((round(d.uniform(-2, 2), 3), i, kind, k, d.choice(("one", "place", "turn")), d.randrange(self.n)))
        made.append((1.0 + round(d.uniform(0, 1), 3), d.randrange(self.n), "v", d.randrange(2), "one", 0))
        return made

    def text(self):
        out = ["space = %s" % ("spatial" if self.deep else "planar"),
               "gravity = [%s] m/s^2" % ", ".join(repr(float(x)) for x in G[:3 if self.deep else 2])]
        size = 3 if self.deep else 2
        for i in range(self.n):
            inertia = "[%r, %r, %r]" % tuple(self.I[i]) if self.deep else repr(self.I[i][2])
            start = "r(0) = %s" % written(self.p[i]) if self.deep else "x(0) = %r, y(0) = %r" % tuple(map(float, self.p[i][:2]))
            start += ", R(0) = rotate(%s, %r)" % self.turn[i] if self.deep else ", theta(0) = %r" % self.turn[i][1]
            u = self.u[6 * i:6 * i + 6]
            start += ", v(0) = [%s]" % ", ".join(repr(float(x)) for x in u[:size])
            start += ", omega(0) = %s" % written(u[3:]) if self.deep else ", w(0) = %r" % float(u[5])
            out.append("b%d : body  m = %r kg, I = %s, %s  { P = [%s] m }" % (
                i, self.m[i], inertia, start, ", ".join(repr(float(x)) for x in self.arm[i][:size])))
        for k, terms in enumerate(self.terms):
            out.append("K%d : speed_constraint  v = %s" % (k, " + ".join(self.word(t) for t in terms)))
        out.append("output " + ", ".join(["b%d.a, b%d.alpha" % (i, i) for i in range(self.n)] +
                                         ["K%d.lambda" % k for k in range(self.rows)]))
        return "\n".join(out + ["simulate stop = 0.1 s", ""])

    def word(self, term):
        number, i, kind, k, factor, j = term
        turn = "b%d.R[1,2]" % j if self.deep else "sin(b%d.theta)" % j
        by = {"one": "1", "place": "b%d.y/1 m" % j, "turn": turn}[factor]
        speed = {"v": "b%d.P.v[%d]" % (i, k + 1), "omega": "1 m*b%d.omega[%d]" % (i, k + 1), "w": "1 m*b%d.w" % i}[kind]
        return "(%r)*%s*%s" % (number, by, speed)

    def row(self, terms, p, R):
        a = np.zeros(6 * self.n)
        for number, i, kind, k, factor, j in terms:
            turn = R[j][0, 1] if self.deep else np.arctan2(R[j][1, 0], R[j][0, 0])
            by = number * {"one": 1.0, "place": p[j][1], "turn": turn if self.deep else np.sin(turn)}[factor]
            if kind == "v":
                a[6 * i + k] += by
                a[6 * i + 3:6 * i + 6] += by * np.cross(R[i] @ self.arm[i], np.eye(3)[k])
            else:
                a[6 * i + 3 + (k if kind == "omega" else 2)] += by
        return a * self.free()

    def matrix(self, p, R):
        return np.array([self.row(t, p, R) for t in self.terms])

    def project(self, u):
        A = self.matrix(self.p, self.R)
        return u - np.linalg.pinv(A) @ (A @ u)

    def solve(self):
        """Accelerations of all speeds, and multipliers."""
        h, n = 1e-6, 6 * self.n
        moved = []
        for s in (h, -h):
            p = [self.p[i] + s * self.u[6 * i:6 * i + 3] for i in range(self.n)]
            R = []
            for i in range(self.n):
                w = self.u[6 * i + 3:6 * i + 6]
                angle = np.linalg.norm(w)
                R.append(rotation(w / angle, s * angle) @ self.R[i] if angle > 0 else self.R[i])
            moved.append(self.matrix(p, R) @ self.u)
        A, rate = self.matrix(self.p, self.R), (moved[0] - moved[1]) / (2 * h)
        M, f = np.zeros((n, n)), np.zeros(n)
        for i in range(self.n):
            own, w = self.R[i] @ np.diag(self.I[i]) @ self.R[i].T, self.u[6 * i + 3:6 * i + 6]
            M[6 * i:6 * i + 3, 6 * i:6 * i + 3] = self.m[i] * np.eye(3)
            M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = own
            f[6 * i:6 * i + 3], f[6 * i + 3:6 * i + 6] = self.m[i] * G, -np.cross(w, own @ w)
        f *= self.free()
        k = len(A)
        both = np.block([[M, -A.T], [A, np.zeros((k, k))]])
        x = np.linalg.solve(both, np.concatenate([f, -rate]))
        return x[:n], x[n:], np.linalg.cond(both)


def check_bodies(case):
    bodies = Bodies(case.dice)
    A = bodies.matrix(bodies.p, bodies.R)
    if np.linalg.cond(A @ A.T) > 1e4:
        return
    a, force, _ = bodies.solve()
    text = bodies.text()
    said = case.program.run(text, [0.0], "--coordinates", case.dice.choice(("auto", "absolute")))
    rows = said.rows()
    if not case.check(rows is not None, "no answer: " + said.why(), text):
        return
    want = {"K%d.lambda" % k: force[k] for k in range(bodies.rows)}
    for i in range(bodies.n):
        for k in range(3 if bodies.deep else 2):
            want["b%d.a[%d]" % (i, k + 1)] = a[6 * i + k]
            want["b%d.alpha[%d]" % (i, k + 1)] = a[6 * i + 3 + k]
        if not bodies.deep:
            want = {k: v for k, v in want.items() if "alpha[" not in k or not k.startswith("b%d" % i)}
            want["b%d.alpha" % i] = a[6 * i + 5]
    size = 1 + max(abs(v) for v in want.values())
    for name, value in want.items():
        case.equal(rows[0].get(name), value, 1e-6 * size, name, text)


def check_joints(case):
    """A chain whose last joint is tied to the first: by speeds, and by a driver that follows."""
    d = case.dice
    number = lambda low, high: round(d.uniform(low, high), 3)
    deep = d.random() < 0.5
    z = ", %r" % number(-0.5, 0.5) if deep else ""
    lines = ["space = %s" % ("spatial" if deep else "planar"), "gravity = [1, -9.81%s] m/s^2" % (", 2" if deep else "")]
    for i in (1, 2, 3):
        inertia = "[%r, %r, %r]" % tuple(number(0.1, 0.14) for _ in range(3)) if deep else number(0.05, 0.2)
        lines.append("b%d : body  m = %r kg, I = %s, com = [%r, 0%s] m  { E = [%r, 0.1%s] m }" % (
            i, number(0.5, 2), inertia, number(0.1, 0.5), z, number(0.5, 1), z))
    axis = lambda: ", axis = %s" % d.choice("xyz") if deep else ""
    ratio = number(0.5, 2)
    first = d.choice(("revolute", "prismatic"))
    lines.append("J1 : %s(ground, b1)  %s%s" % (first, "w(0) = 1 rad/s" if first == "revolute" else "v(0) = 1 m/s", axis()))
    lines.append("J2 : revolute(b1.E, b2)  beta(0) = 0.4, w(0) = 0.5 rad/s" + axis())
    last = "J3 : revolute(b2.E, b3)  %s" + axis()
    speed, place = ("J1.w", "J1.beta") if first == "revolute" else ("J1.v/1 m", "J1.s/1 m")
    out = ["output J2.w, J2.alpha, b3.x, b3.y, kinetic() + potential() as E", "simulate stop = 0.5 s", ""]
    tied = lines + [last % "beta(0) = 0", "K : speed_constraint  w = J3.w - %r*%s" % (ratio, speed), "output K.lambda as T"] + out
    led = lines + [last % ("beta = %r*%s" % (ratio, place)), "output J3.drive as T"] + out
    wish = d.choice(("auto", "joint", "absolute"))
    answers = [case.program.run("\n".join(t), [0.0, 0.5], "--tol", "1e-10", "--coordinates", wish) for t in (tied, led)]
    if not all(case.check(a.rows() is not None, "no answer: " + a.why(), "\n".join(tied)) for a in answers):
        return
    for one, other in zip(*[a.rows() for a in answers]):
        for name, value in other.items():
            case.equal(one[name], value, 1e-6 * (1 + abs(value)), name, "\n".join(tied))


def main():
    campaign = Campaign("speeds", 12)
    for case in campaign:
        (check_joints if case.number % 3 == 2 else check_bodies)(case)
    campaign.close()


if __name__ == "__main__":
    main()
