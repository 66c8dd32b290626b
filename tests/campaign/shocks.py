"""Speeds that jump in random mechanisms, in the plane and in space, against Newton and Euler.

Drivers of joints jump, or events set the speed of a joint. Bodies in trees and closed loops then take M (u+ - u-) =
Phi^T Lambda with Phi u+ = the speeds just after: solved here over all speeds of all bodies, at the pose and from the
speeds that the row just before shows. Momentum is conserved to 1e-12: what M (u+ - u-) has beside impulses of joints is
rounding. The same in four trees and coordinates, and as the limit of ramps.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import AXES, rotation, vector, written

WHEN, RAMP = 0.3, 1e-7


class Mechanism:
    def __init__(self, dice):
        self.dice, self.deep = dice, dice.random() < 0.5
        self.n = dice.randint(1, 4)
        self.parent = [dice.randrange(-1, i) if i and dice.random() < 0.4 else i - 1 for i in range(self.n)]
        kinds = ("revolute", "revolute", "revolute", "prismatic") + (("spherical",) if self.deep else ())
        self.kind = [dice.choice(kinds) for _ in range(self.n)]
        self.m = [self.number(0.5, 3) for _ in range(self.n)]
        self.I = [[self.number(0.1, 0.14) for _ in range(3)] for _ in range(self.n)]
        self.axis = [self.pick_axis(k) for k in self.kind]
        self.end = [self.point() for _ in range(self.n)]
        self.own = [self.point() for _ in range(self.n)]
        self.start = [self.number(-0.8, 0.8) for _ in range(self.n)]
        self.speed = [self.number(-1, 1) for _ in range(self.n)]
        simple = [i for i in range(self.n) if self.kind[i] != "spherical"]
        self.rod = self.deep is False and self.n > 1 and dice.random() < 0.5
        free = self.n - (1 if self.rod else 0)
        led = dice.sample(simple, min(len(simple), dice.randint(1, 2), max(free, 1)))
        self.led = {i: (self.number(-1, 1), self.number(-2, 2), dice.random() < 0.7) for i in led}
        if self.rod:  # one joint is led: the rest finds its way
            self.led = dict(list(self.led.items())[:1])
            self.speed = [0.0] * self.n

    def number(self, low, high):
        return round(self.dice.uniform(low, high), 3)

    def point(self):
        return vector(self.dice, 0.5) if self.deep else np.array([self.number(-0.5, 0.5), self.number(-0.5, 0.5), 0.0])

    def pick_axis(self, kind):
        if self.deep:
            return self.dice.choice("xyz")
        return "z" if kind == "revolute" else self.dice.choice("xy")

    def place(self):
        """Poses at the start: only the rod needs them."""
        p, R = [], []
        for i in range(self.n):
            j = self.parent[i]
            at, axes = (p[j] + R[j] @ self.end[j], R[j]) if j >= 0 else (np.zeros(3), np.eye(3))
            turn = rotation(AXES[self.axis[i]], self.start[i]) if self.kind[i] == "revolute" else np.eye(3)
            slide = self.start[i] * axes @ AXES[self.axis[i]] if self.kind[i] == "prismatic" else 0
            R.append(axes @ turn)
            p.append(at + slide - R[i] @ self.own[i])
        return p, R

    def list_of(self, v):
        return written(v) if self.deep else "[%r, %r]" % (float(v[0]), float(v[1]))

    def joint(self, i, ramp):
        word = {"revolute": ("beta", "w"), "prismatic": ("s", "v")}.get(self.kind[i])
        keys = []
        if self.deep and word:
            keys.append("axis = %s" % self.axis[i])
        elif self.kind[i] == "prismatic":
            keys.append("axis = [%d, %d]" % tuple(AXES[self.axis[i]][:2]))
        if word:
            keys.append("%s(0) = %r" % (word[0], self.start[i]))
        led = self.led.get(i)
        if led and led[2]:
            jump = "%r + %r*clamp((t - %r)/%r, 0, 1)" % (led[0], led[1] - led[0], WHEN, RAMP)
            keys.append("%s = %s" % (word[1], jump if ramp else "if t < %r then %r else %r" % (WHEN, led[0], led[1])))
        elif word and not self.rod:
            keys.append("%s(0) = %r" % (word[1], self.speed[i]))
        tail = "b%d.E" % self.parent[i] if self.parent[i] >= 0 else "ground"
        return "J%d : %s(%s, b%d.P)  %s" % (i, self.kind[i], tail, i, ", ".join(keys))

    def text(self, ramp=False):
        size = 3 if self.deep else 2
        lines = ["space = %s" % ("spatial" if self.deep else "planar"), "gravity = [%s] m/s^2" % ", ".join(["0.3", "-2", "1"][:size])]
        for i in range(self.n):
            inertia = "[%r, %r, %r]" % tuple(self.I[i]) if self.deep else repr(self.I[i][2])
            lines.append("b%d : body  m = %r, I = %s  { P = %s, E = %s }" % (
                i, self.m[i], inertia, self.list_of(self.own[i]), self.list_of(self.end[i])))
            lines.append(self.joint(i, ramp))
        if self.rod:
            p, R = self.place()
            tip = p[-1] + R[-1] @ self.end[-1]
            far = tip + np.array([0.7, 0.4, 0])
            self.far = np.array([float("%.12g" % x) for x in far])
            lines.append("ground { A = %s }" % self.list_of(self.far))
            lines.append("K : distance(ground.A, b%d.E)  length = %r" % (self.n - 1, float(np.linalg.norm(self.far - tip))))
        for i, (before, after, driven) in self.led.items():
            if not driven:
                lines.append("when t >= %r { J%d.%s = %r }" % (WHEN, i, {"revolute": "w", "prismatic": "v"}[self.kind[i]], after))
        shown = [("b%d.r, b%d.R, b%d.v, b%d.omega" if self.deep else "b%d.x, b%d.y, b%d.theta, b%d.v, b%d.w") % ((i,) * (4 if self.deep else 5))
                 for i in range(self.n)]
        return "\n".join(lines + ["output " + ", ".join(shown), "simulate stop = 0.5, tol = 1e-9", ""])

    def read(self, row):
        """Poses, and speeds of all bodies: six numbers each."""
        p, R, u = [], [], []
        for i in range(self.n):
            get = lambda word, n: [row["b%d.%s[%d]" % (i, word, k + 1)] for k in range(n)]
            if self.deep:
                p.append(np.array(get("r", 3)))
                R.append(np.array([[row["b%d.R[%d,%d]" % (i, a + 1, b + 1)] for b in range(3)] for a in range(3)]))
                u += get("v", 3) + get("omega", 3)
            else:
                p.append(np.array([row["b%d.x" % i], row["b%d.y" % i], 0]))
                R.append(rotation(AXES["z"], row["b%d.theta" % i]))
                u += get("v", 2) + [0, 0, 0, row["b%d.w" % i]]
        return p, R, np.array(u)

    def rows(self, p, R):
        """Speeds that are given, and their values just after."""
        rows, value, N = [], [], 6 * self.n

        def speed(i, point, along):
            row = np.zeros(N)
            if i >= 0:
                row[6 * i:6 * i + 3], row[6 * i + 3:6 * i + 6] = along, np.cross(point - p[i], along)
            return row

        def turn(i, along):
            row = np.zeros(N)
            if i >= 0:
                row[6 * i + 3:6 * i + 6] = along
            return row

        for i in range(self.n):
            j, at = self.parent[i], p[i] + R[i] @ self.own[i]
            axes = R[j] if j >= 0 else np.eye(3)
            axis = axes @ AXES[self.axis[i]]
            slides, turns = self.kind[i] == "prismatic", {"revolute": 1, "prismatic": 0, "spherical": 3}[self.kind[i]]
            for e in np.eye(3) @ axes.T:
                if not (slides and abs(e @ axis) > 0.5):
                    rows.append(speed(i, at, e) - speed(j, at, e))
                if turns == 0 or turns == 1 and abs(e @ axis) < 0.5:
                    rows.append(turn(i, e) - turn(j, e))
            value += [0.0] * (len(rows) - len(value))
            if i in self.led:
                rows.append(speed(i, at, axis) - speed(j, at, axis) if slides else turn(i, axis) - turn(j, axis))
                value.append(self.led[i][1])
        if self.rod:
            tip = p[-1] + R[-1] @ self.end[-1]
            rows.append(speed(self.n - 1, tip, (tip - self.far) / np.linalg.norm(tip - self.far)))
            value.append(0.0)
        keep = [k for k in range(N) if self.deep or k % 6 in (0, 1, 5)]
        A = np.array(rows)[:, keep]
        used = np.abs(A).max(axis=1) > 1e-9
        return A[used], np.array(value)[used], keep

    def masses(self, R, keep):
        M = np.zeros((6 * self.n, 6 * self.n))
        for i in range(self.n):
            M[6 * i:6 * i + 3, 6 * i:6 * i + 3] = self.m[i] * np.eye(3)
            M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = R[i] @ np.diag(self.I[i]) @ R[i].T
        return M[np.ix_(keep, keep)]


def trees(dice, m):
    """Four ways to choose coordinates."""
    names = ["J%d" % i for i in range(m.n)] + (["K"] if m.rod else [])
    mixed = dice.sample(["J%d" % i for i in range(m.n)] + ["b%d" % i for i in range(m.n)], m.n)
    for i in range(m.n):  # a body or its joint, each once
        if "J%d" % i in mixed and "b%d" % i in mixed:
            mixed.remove("b%d" % i)
    order = dice.sample(names[:m.n], dice.randint(1, m.n))
    return [[], ["--coordinates", "joint"], ["--coordinates", "absolute"], ["--tree", ",".join(dice.choice((order, mixed)))]]


def check_row(case, m, before, after, how, text):
    p, R, u = m.read(before)
    _, _, v = m.read(after)
    A, value, keep = m.rows(p, R)
    M, u, v = m.masses(R, keep), u[keep], v[keep]
    both = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    if np.linalg.cond(A @ A.T) > 1e6:
        return None
    want = np.linalg.solve(both, np.concatenate([M @ u, value]))[:len(u)]
    scale = 1 + np.abs(u).max() + np.abs(want).max()
    worst = np.abs(v - want).max()
    case.check(worst <= 1e-9 * scale, "%s: speeds after the jump are off by %.2g of %.2g" % (how, worst, scale), text)
    push = M @ (v - u)
    Q, _ = np.linalg.qr(A.T)
    lost = np.abs(push - Q @ (Q.T @ push)).max()
    case.check(lost <= 1e-12 * np.abs(M).max() * scale, "%s: momentum is off by %.2g" % (how, lost), text)
    return want


def compare(case):
    m = Mechanism(case.dice)
    text = m.text()
    times, first = [WHEN * (1 - 1e-14), WHEN, 0.4], None
    for how in trees(case.dice, m):
        said = case.program.run(text, times, *how)
        rows, told = said.rows(), " ".join(how)
        if m.rod and ("E607" in said.err or "E612" in said.err or m.parent[-1] < 0 and said.code):
            return  # the rod leaves no freedom for what is led, or locks on the way
        if not case.check(rows is not None, "%s: %s" % (told, said.why()), text):
            continue
        if check_row(case, m, rows[0], rows[1], told, text) is None:
            return
        end = m.read(rows[2])[2]
        first = end if first is None else first
        case.check(np.abs(end - first).max() <= 1e-6 * (1 + np.abs(first).max()), "%s: other rows later" % told, text)
    if all(driven for _, _, driven in m.led.values()) and rows is not None:
        ramp = case.program.run(m.text(True), [WHEN + RAMP]).rows()
        u, v = (m.read(r)[2] for r in (rows[1], ramp[0])) if ramp else (None, None)
        case.check(ramp and np.abs(u - v).max() <= 1e-4 * (1 + np.abs(u).max()), "a ramp ends elsewhere", text)


def main():
    campaign = Campaign("shocks", 12)
    mechanisms = 0
    for case in campaign:
        before = case.compared
        compare(case)
        mechanisms += case.compared > before
    print("shocks: %d mechanisms" % mechanisms)
    campaign.close()


if __name__ == "__main__":
    main()
