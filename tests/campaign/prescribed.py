"""Drives on joints, ideal and not: motors with and without R, L, heat; cylinders; gears and racks between joints.

Chains, four-bars and rows of 1-D inertias in all coordinates and forms, some trees. The right answer is a simulation
of M u' = Q + E^T l, E u' = g with Jacobians of its own. Sources that prescribe the same motion twice must be refused.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
from scipy.integrate import solve_ivp

from campaign import Campaign

GRAVITY = 9.81
FORMS, COORDINATES = ("nodal", "branch-chord", "tableau"), ("auto", "joint", "absolute")


def turned(angle, x, y=0.0):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x - s * y, s * x + c * y])


def crossed(v):
    return np.array([-v[1], v[0]])


class Bodies:
    """A chain of bodies in the plane, or of inertias that do not see each other."""

    def __init__(self, dice, kind, count):
        self.kind, self.count = kind, count
        pick = lambda a, b: round(dice.uniform(a, b), 3)
        self.turns = [kind == "fourbar" or dice.random() < 0.7 for _ in range(count)]
        self.m = [pick(0.5, 2) for _ in range(count)]
        self.I = [pick(0.05, 0.3) for _ in range(count)]
        self.L = [pick(0.3, 0.8) for _ in range(count)]
        if kind == "fourbar":
            self.L = [pick(0.2, 0.25), pick(0.6, 0.7), pick(0.5, 0.6)]
            self.base = pick(0.65, 0.75)
        self.com = [round(0.5 * l, 3) for l in self.L]
        self.q = np.array([pick(-1, 1) for _ in range(count)])
        self.u = np.array([pick(-1, 1) for _ in range(count)])
        if kind == "fourbar":
            self.close()

    def names(self):
        return [("J%d.beta" % i, "J%d.w" % i) if t else ("J%d.s" % i, "J%d.v" % i) for i, t in enumerate(self.turns)]

    def speeds(self):
        """How each speed is read."""
        if self.kind == "line":
            return ["B%d.%s" % (i, "w" if t else "v") for i, t in enumerate(self.turns)]
        return [u for _, u in self.names()]

    def close(self):
        """Angles of the coupler and the rocker, on the upper branch."""
        end, goal = turned(self.q[0], self.L[0]), np.array([self.base, 0.0])
        way = goal - end
        d, a, b = np.hypot(*way), self.L[1], self.L[2]
        first = np.arctan2(way[1], way[0]) + np.arccos((a * a + d * d - b * b) / (2 * a * d))
        back = goal - end - turned(first, a)
        third = np.arctan2(back[1], back[0])
        self.q[1], self.q[2] = first - self.q[0], third - first

    def walk(self, q, u):
        """Mass matrix, forces, and of the tip: Jacobian and the acceleration that speeds alone give it."""
        n = self.count
        if self.kind == "line":
            return np.diag([I if t else m for I, m, t in zip(self.I, self.m, self.turns)]), np.zeros(n), None, None
        M, Q = np.zeros((n, n)), np.zeros(n)
        p, theta, w, along, acc, joints = np.zeros(2), 0.0, 0.0, 0.0, np.zeros(2), []
        for i in range(n):
            slide = 0.0 if self.turns[i] else q[i]
            arm = turned(theta, along + slide)
            acc = acc - w * w * arm
            p = p + arm
            if self.turns[i]:
                joints.append((True, p))
                theta, w = theta + q[i], w + u[i]
            else:
                axis = turned(theta, 1.0)
                acc = acc + 2 * w * u[i] * crossed(axis)
                joints.append((False, axis))
            centre = turned(theta, self.com[i])
            J = self.jacobian(joints, p + centre)
            R = np.array([1.0 * (k <= i and self.turns[k]) for k in range(n)])
            bias = acc - w * w * centre
            M += self.m[i] * J.T @ J + self.I[i] * np.outer(R, R)
            Q += self.m[i] * J.T @ (np.array([0, -GRAVITY]) - bias)
            along = self.L[i]
        tip = turned(theta, along)
        return M, Q, self.jacobian(joints, p + tip), acc - w * w * tip

    def jacobian(self, joints, at):
        J = np.zeros((2, self.count))
        for k, (turns, v) in enumerate(joints):
            J[:, k] = crossed(at - v) if turns else v
        return J

    def port(self, i):
        return "J%d" % i if self.kind != "line" else "ground, s%d" % i

    def text(self, given):
        if self.kind == "line":
            rows = ["B%d : %s(s%d)  %s = %r" % ((i, "inertia", i, "J", self.I[i]) if t else (i, "mass", i, "m", self.m[i]))
                    + (", %s(0) = %r" % ("w" if t else "v", self.u[i]) if given[i] else "") for i, t in enumerate(self.turns)]
            return "\n".join(rows) + "\n"
        out = "space = planar\ngravity = [0, -%r]\n" % GRAVITY
        if self.kind == "fourbar":
            out += "ground { G = [%r, 0] }\n" % self.base
        for i in range(self.count):
            out += "b%d : body  m = %r, I = %r, com = [%r, 0] { P = [%r, 0] }\n" % (i, self.m[i], self.I[i], self.com[i], self.L[i])
        for i, (q, u) in enumerate(self.names()):
            tail = "b%d.P" % (i - 1) if i else "ground"
            out += "J%d : %s(%s, b%d)" % (i, "revolute" if self.turns[i] else "prismatic", tail, i)
            keys = ["%s(0) = %r" % (q.split(".")[1], float(self.q[i]))]
            keys += ["%s(0) = %r" % (u.split(".")[1], float(self.u[i]))] if given[i] else []
            out += "  " + ", ".join(keys) + "\n"
        if self.kind == "fourbar":
            out += "JG : revolute(ground.G, b2.P)\n"
        return out


class Drive:
    """On one joint, or between two. Rows: E u = f(t); or a load of u and of states of its own."""

    def __init__(self, dice, number, port, turns):
        pick = lambda a, b: round(dice.uniform(a, b), 3)
        self.n, self.port, self.turns = number, port, turns
        self.K, self.v0, self.v1, self.f = pick(0.2, 1), pick(-2, 2), pick(-1, 1), pick(1, 4)
        self.R, self.L, self.B = pick(0.5, 2), pick(0.01, 0.1), pick(0, 0.2)
        self.C, self.alpha, self.gear, self.J = pick(1, 5), pick(0.001, 0.01), pick(1.5, 5), pick(0.001, 0.02)
        self.state = []

    def source(self, t):
        return self.v0 + self.v1 * np.sin(self.f * t)

    def slope(self, t):
        return self.v1 * self.f * np.cos(self.f * t)

    def wave(self):
        return "%r + %r*sin(%r*t)" % (self.v0, self.v1, self.f)


class Ideal(Drive):
    """Source and transducer without losses: u = v/K."""
    prescribes = True

    def row(self, t, n, i):
        E = np.zeros(n)
        E[i] = self.K
        return E, self.source(t), self.slope(t)

    def text(self):
        if self.turns:
            return "V{0} : vsource(a{0}, ground)  v = {1}\nM{0} : dc_motor(a{0}, ground | {2})  Kv = {3}\n".format(
                self.n, self.wave(), self.port, self.K)
        return "V{0} : flow_source(ground, a{0})  q = {1}\nM{0} : cylinder(a{0}, ground | {2})  A = {3}\n".format(
            self.n, self.wave(), self.port, self.K)

    def effort(self):
        return "M%d.i" % self.n if self.turns else "a%d.p" % self.n


class Geared(Ideal):
    """The same behind a gear, with an inertia on the fast shaft."""

    def row(self, t, n, i):
        E = np.zeros(n)
        E[i] = self.K * self.gear
        return E, self.source(t), self.slope(t)

    def inertia(self):
        return self.J * self.gear ** 2

    def text(self):
        return ("V{0} : vsource(a{0}, ground)  v = {1}\nM{0} : dc_motor(a{0}, ground | ground, f{0})  Kv = {3}\n"
                "G{0} : gear(ground, f{0} | {2})  n = {4}\nK{0} : inertia(f{0})  J = {5}\n").format(
            self.n, self.wave(), self.port, self.K, self.gear, self.J)


class Lossy(Drive):
    """With resistance, perhaps inductance and a winding that heats up; behind a gear or not."""
    prescribes = False

    def __init__(self, dice, *more):
        Drive.__init__(self, dice, *more)
        self.coil, self.hot, self.fast = dice.random() < 0.4, dice.random() < 0.5, dice.random() < 0.4
        self.state = [0.0] * self.coil + [300.0] * self.hot

    def inertia(self):
        return self.J * self.gear ** 2 if self.fast else 0.0

    def load(self, t, u, state):
        T = state[-1] if self.hot else 0.0
        warm = self.R * (1 + self.alpha * (T - 293.15)) if self.hot else 0.0
        i = state[0] if self.coil else (self.source(t) - self.K * u) / (self.R + warm)
        rate = [(self.source(t) - self.K * u - (self.R + warm) * i) / self.L] * self.coil + [warm * i * i / self.C] * self.hot
        return self.K * i - self.B * u, rate

    def text(self):
        out = "V{0} : vsource(a{0}, ground)  v = {1}\n".format(self.n, self.wave())
        if self.hot:
            out += ("H{0} : heating_resistor(a{0}, w{0} | hot{0})  R = {1}, alpha = {2}\n"
                    "C{0} : thermal_capacitor(hot{0}, ground)  C = {3}, T(0) = 300.0\n").format(self.n, self.R, self.alpha, self.C)
        if self.fast:
            out += "G{0} : gear(ground, f{0} | {1})  n = {2}\nK{0} : inertia(f{0})  J = {3}\n".format(
                self.n, self.port, self.gear, self.J)
        return out + "M{0} : dc_motor({1}{0}, ground | {2})  Kv = {3}, R = {4}, B = {5}{6}\n".format(
            self.n, "w" if self.hot else "a", self.port, self.K, self.R, self.B,
            ", L = %r, e.i(0) = 0" % self.L if self.coil else "")


class Tie(Drive):
    """A gear or rack between two joints: u1 = n u2."""
    prescribes = True

    def __init__(self, dice, number, ports, turns):
        Drive.__init__(self, dice, number, ports, turns)
        self.kind = {(True, True): "gear", (False, False): "lever", (False, True): "rack"}[turns]

    def text(self):
        if self.kind == "rack":
            return "G%d : rack(%s | %s)  r = %r\n" % (self.n, self.port[1], self.port[0], self.gear)
        return "G%d : %s(%s | %s)  n = %r\n" % (self.n, self.kind, self.port[0], self.port[1], self.gear)


class System:
    def __init__(self, dice):
        kind = dice.choice(("chain", "chain", "fourbar", "line"))
        self.bodies = b = Bodies(dice, kind, 3 if kind == "fourbar" else dice.randint(1, 3))
        self.drive, self.fixed = {}, []
        self.tie = None
        if kind != "fourbar" and b.count > 1 and dice.random() < 0.5:
            i, k = dice.sample(range(b.count), 2)
            if b.turns[i] and not b.turns[k]:
                i, k = k, i
            self.tie = (i, k, Tie(dice, 90, (b.port(i), b.port(k)), (b.turns[i], b.turns[k])))
        free = 1 if kind == "fourbar" else b.count - (self.tie is not None)
        for i in range(b.count):
            what = dice.choice((Ideal, Geared, Lossy, Lossy, None) if b.turns[i] else (Ideal, Ideal, None))
            tied = self.tie and i in self.tie[:2] and any(
                k in self.drive and self.drive[k].prescribes for k in self.tie[:2])
            if what is None or (what is not Lossy and (tied or not free)):
                continue
            self.drive[i] = what(dice, i, b.port(i), b.turns[i])
            free -= self.drive[i].prescribes
        self.start()

    def rows(self, t):
        E, f, g = [], [], []
        for i, d in self.drive.items():
            if d.prescribes:
                row, value, rate = d.row(t, self.bodies.count, i)
                E.append(row), f.append(value), g.append(rate)
        if self.tie:
            row = np.zeros(self.bodies.count)
            row[self.tie[0]], row[self.tie[1]] = 1, -self.tie[2].gear
            E.append(row), f.append(0.0), g.append(0.0)
        return E, f, g

    def start(self):
        """Speeds that agree; given are as many as are free."""
        b = self.bodies
        E, f, _ = self.rows(0.0)
        if b.kind == "fourbar":
            tip = b.walk(b.q, b.u)[2]
            E, f = E + [tip[0], tip[1]], f + [0.0, 0.0]
        self.given, rank = [], len(E)
        for i in range(b.count):
            unit = np.eye(b.count)[i]
            free = np.linalg.matrix_rank(np.array(E + [unit]), 1e-6) > rank
            self.given.append(free)
            if free:
                E, f, rank = E + [unit], f + [float(b.u[i])], rank + 1
        b.u = np.linalg.solve(np.array(E), np.array(f))

    def text(self):
        b = self.bodies
        out = b.text(self.given) + "".join(d.text() for d in self.drive.values()) + (self.tie[2].text() if self.tie else "")
        efforts = [d.effort() for d in self.drive.values() if d.prescribes]
        return out + "output " + ", ".join(([] if b.kind == "line" else [q for q, _ in b.names()]) + b.speeds() + efforts) + "\n"

    def split(self, y):
        n, states, at = self.bodies.count, {}, 2 * self.bodies.count
        for i, d in self.drive.items():
            states[i] = y[at:at + len(d.state)]
            at += len(d.state)
        return y[:n], y[n:2 * n], states

    def solve_at(self, t, y):
        """u', multipliers of the rows, rates of the prescribed; NULL near singular positions."""
        q, u, states = self.split(y)
        M, Q, tip, bias = self.bodies.walk(q, u)
        E, _, g = self.rows(t)
        rates = []
        for i, d in self.drive.items():
            if hasattr(d, "inertia"):
                M[i, i] += d.inertia()
            if not d.prescribes:
                load, rate = d.load(t, u[i], states[i])
                Q[i] += load
                rates += rate
        if self.bodies.kind == "fourbar":
            E, g = E + [tip[0], tip[1]], g + [-bias[0], -bias[1]]
        n, k = len(Q), len(E)
        A = np.zeros((n + k, n + k))
        A[:n, :n] = M
        if k:
            A[n:, :n], A[:n, n:] = np.array(E), -np.array(E).T
            if np.linalg.matrix_rank(np.array(E), 0.02) < k:
                return None
        x = np.linalg.solve(A, np.concatenate([Q, g]))
        return x[:n], x[n:], rates

    def rate(self, t, y):
        found = self.solve_at(t, y)
        if found is None:
            raise ArithmeticError
        return np.concatenate([y[self.bodies.count:2 * self.bodies.count], found[0], found[2]])

    def want(self, times):
        b = self.bodies
        y = np.concatenate([b.q, b.u, *[d.state for d in self.drive.values()]])
        try:
            run = solve_ivp(self.rate, (0, times[-1]), y, method="DOP853", rtol=1e-10, atol=1e-11, t_eval=times)
            rows = []
            for t, y in zip(run.t, run.y.T):
                q, u, _ = self.split(y)
                efforts = self.solve_at(t, y)[1][:sum(d.prescribes for d in self.drive.values())]
                rows.append(np.concatenate([[] if b.kind == "line" else q, u, efforts]))
            return np.array(rows)
        except ArithmeticError:
            return None


def good_model(case):
    s = System(case.dice)
    times = [0.0, 0.1, 0.25, 0.4]
    text, want = s.text(), s.want(times)
    if want is None or np.abs(want).max() > 1e4:
        return
    guises = [["--form", case.dice.choice(FORMS)]]
    if s.bodies.kind != "line":
        guises = [["--coordinates", c, "--form", case.dice.choice(FORMS)] for c in COORDINATES]
    if s.bodies.kind == "fourbar":
        guises.append(["--tree", ",".join(case.dice.sample(["J0", "J1", "J2", "JG"], 3))])
    for guise in guises:
        said = case.program.run(text, times, "--tol", "1e-8", *guise, timeout=20)
        rows = said.rows()
        if not case.check(rows is not None and len(rows) == len(times), "%s: %s" % (" ".join(guise), said.why()), text):
            continue
        got = np.array([list(row.values())[1:] for row in rows])
        scale = np.abs(want).max(axis=0) + 1
        worst = np.unravel_index(np.argmax(np.abs(got - want) / scale), got.shape)
        case.check((np.abs(got - want) <= 3e-6 * scale).all(), "%s: %s at %g is %r, right is %r" % (
            " ".join(guise), list(rows[0])[1 + worst[1]], times[worst[0]], got[worst], want[worst]), text)


def bad_model(case):
    """A second ideal source on a joint, or on another joint of a four-bar."""
    kind = case.dice.choice(("chain", "fourbar"))
    b = Bodies(case.dice, kind, 3 if kind == "fourbar" else case.dice.randint(1, 3))
    i = case.dice.randrange(b.count)
    k = case.dice.randrange(b.count) if b.kind == "fourbar" else i
    prescribed = [(case.dice.choice((Ideal, Geared)) if b.turns[j] else Ideal)(case.dice, 10 + at, b.port(j), b.turns[j])
              for at, j in enumerate((i, k))]
    text = b.text([False] * b.count) + "".join(d.text() for d in prescribed) + "output %s\n" % b.speeds()[0]
    said = case.program.run(text, [0.0, 0.1], "--coordinates", case.dice.choice(COORDINATES), timeout=20)
    case.check(said.code not in (0, 99) and "E510" in said.err, "contradiction: %s" % said.why(), text)


def main():
    campaign = Campaign("prescribed", 40)
    for case in campaign:
        if case.number % 8 == 7:
            bad_model(case)
        else:
            good_model(case)
    campaign.close()


if __name__ == "__main__":
    main()
