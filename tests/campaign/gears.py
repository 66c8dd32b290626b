"""Trains of gears and belts in the plane and in space, with a ring or a rack at the end: speeds, forces, reactions of bearings.

Here each wheel is cut free: Newton and Euler for every body, the force of each mesh along its inclined flank at the pitch
point, that of a belt along its two strands. Centres stand still, so that speeds follow from one integral of the torques.
Planets on a carrier with a mass beside its axis: linear models against differences of `eval`.
"""
import math

import numpy as np

from campaign import Campaign



def turned(a, b):
    """Axes of a plane that is turned about z by a, and then about its own x by b."""
    z = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    return z @ np.array([[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]])


class Train:
    def __init__(self, dice):
        number = lambda low, high: float("%.4g" % dice.uniform(low, high))
        count = dice.randint(2, 4)
        self.alpha = dice.choice([None, number(0.2, 0.5)])
        self.radius = [number(0.05, 0.4) for _ in range(count)]
        self.belt = [None] + [number(1, 60) if dice.random() < 0.3 else None for _ in range(count - 1)]   # pretension
        self.crossed = [dice.random() < 0.5 for _ in range(count)]
        if dice.random() < 0.4 and not self.belt[-1]:
            self.radius[-1] = -(self.radius[-2] + number(0.05, 0.3))      # a ring around the wheel before it
        self.mass = [number(0.5, 5) for _ in range(count)]
        self.inertia = [number(0.01, 0.5) for _ in range(count)]
        self.at, self.direction = [np.zeros(2)], []
        for k in range(1, count):
            angle = dice.uniform(-3, 3)
            self.direction.append(np.array([math.cos(angle), math.sin(angle)]))
            apart = (self.radius[k - 1] + self.radius[k]) * (dice.uniform(1.1, 3) if self.belt[k] else 1)
            self.at.append(self.at[-1] + apart * self.direction[-1])
        self.ratio = [1.0]
        for k in range(1, count):
            same = self.belt[k] and not self.crossed[k]
            self.ratio.append((1 if same else -1) * self.ratio[-1] * self.radius[k - 1] / self.radius[k])
        self.rack = number(0.3, 3) if self.radius[-1] > 0 and dice.random() < 0.5 else None
        self.rack_angle = dice.uniform(-3, 3)
        self.start, self.torque = number(-5, 5), [number(-8, 8) for _ in range(count)]
        self.rate = [number(1, 6) for _ in range(count)]
        self.lean = (dice.uniform(-3, 3), dice.uniform(-3, 3)) if dice.random() < 0.5 else None     # in space
        self.axes = turned(*self.lean) if self.lean else np.eye(3)
        down = np.array([number(-9, 9), number(-9, 9), number(-9, 9) if self.lean else 0.0])
        self.gravity, self.down = down, self.axes.T @ down      # in ground axes, and in those of the plane

    def point(self, p, turn=None):
        if not self.lean:
            return "frame([%.17g, %.17g] m, %.17g)" % (*p, turn or 0.0)
        at = self.axes @ np.array([*p, 0.0])
        more = ", rotate(z, %.17g)" % turn if turn else ""
        return "frame([%.17g, %.17g, %.17g] m, rotate(z, %.17g), rotate(x, %.17g)%s)" % (*at, *self.lean, more)

    def body(self, mass, inertia):
        return "body  m = %r, I = %s" % (mass, "[%r, %r, %r]" % (inertia / 2, inertia / 3, inertia) if self.lean else "%r" % inertia)

    def torque_text(self, k):
        plain = "%r*cos(%r*t)" % (self.torque[k], self.rate[k])
        return "[0, 0, %s], axes = head" % plain if self.lean else plain

    def mesh(self, k):
        radii = "r1 = %r, r2 = %r" % (self.radius[k - 1], self.radius[k])
        if self.belt[k]:
            return "belt_wheels(w%d, w%d)  %s, F0 = %r%s" % (k - 1, k, radii, self.belt[k], ", run = crossed" if self.crossed[k] else "")
        return "gear_wheels(w%d, w%d)  %s%s" % (k - 1, k, radii, ", alpha = %r" % self.alpha if self.alpha else "")

    def text(self):
        space = "spatial" if self.lean else "planar"
        lines = ["space = " + space, "gravity = [%s] m/s^2" % ", ".join("%r" % g for g in self.gravity[:3 if self.lean else 2]), "ground {"]
        lines += ["  P%d = %s" % (k, self.point(p)) for k, p in enumerate(self.at)]
        key = ", alpha = %r" % self.alpha if self.alpha else ""
        if self.rack:
            way = self.at[-1] + self.radius[-1] * np.array([math.sin(self.rack_angle), -math.cos(self.rack_angle)])
            lines += ["  B = " + self.point(way, self.rack_angle)]
        lines += ["}"]
        for k, r in enumerate(self.radius):
            start = ", w(0) = %r" % self.start if k == 0 else ""
            lines += ["w%d : %s" % (k, self.body(self.mass[k], self.inertia[k])),
                      "J%d : revolute(ground.P%d, w%d)%s" % (k, k, k, "  beta(0) = 0.3" + start if k == 0 else ""),
                      "T%d : torque(ground, w%d)  T = %s" % (k, k, self.torque_text(k))]
            if k:
                lines += ["G%d : %s" % (k, self.mesh(k))]
        if self.rack:
            lines += ["bar : " + self.body(self.rack, 0.01), "S : prismatic(ground.B, bar)  axis = [1, 0%s]" % (", 0" if self.lean else ""),
                      "K : gear_rack(bar, w%d)  r = %r%s" % (len(self.radius) - 1, self.radius[-1], key),
                      "output K.Ft as rack, " + self.force("S", "S")]
        lines += ["output " + ", ".join("J%d.w as w%d, %s" % (k, k, self.force("J%d" % k, "J%d" % k)) for k in range(len(self.at)))]
        return "\n".join(lines + ["output G%d.Ft as f%d" % (k, k) for k in range(1, len(self.at))])

    def force(self, joint, name):
        return ", ".join("%s.F[%d] as %sF%d" % (joint, i, name, i) for i in range(1, 4 if self.lean else 3))

    def bar_axis(self):
        return np.array([math.cos(self.rack_angle), math.sin(self.rack_angle)])

    def load(self):
        """Inertia that the first wheel feels, and how the rack moves with it."""
        bar = self.radius[-1] * self.ratio[-1] if self.rack else 0.0
        return sum(i * n * n for i, n in zip(self.inertia, self.ratio)) + (self.rack or 0) * bar * bar, bar

    def solution(self, t):
        whole, bar = self.load()
        weight = self.rack * bar * (self.down[:2] @ self.bar_axis()) if self.rack else 0.0
        now = [T * math.cos(w * t) for T, w in zip(self.torque, self.rate)]
        spin = (sum(T * n for T, n in zip(now, self.ratio)) + weight) / whole
        speed = self.start + (sum(T * n * math.sin(w * t) / w for T, n, w in zip(self.torque, self.ratio, self.rate)) + weight * t) / whole
        want = {"w%d" % k: speed * n for k, n in enumerate(self.ratio)}
        self.free_bodies(now, spin, bar, want)
        return want

    def free_bodies(self, torque, spin, bar, want):
        """From the first wheel on, each mesh gives its wheel what is missing."""
        slant = math.tan(self.alpha) if self.alpha else 0.0
        force = [np.zeros(2) for _ in self.at]
        missing = self.inertia[0] * spin - torque[0]        # torque of the mesh with the next wheel
        for k in range(1, len(self.at)):
            u = self.direction[k - 1]
            across = np.array([-u[1], u[0]])
            tooth = missing / self.radius[k - 1] * across   # on the wheel before: radius*u x tooth = missing
            apart = slant * abs(missing / self.radius[k - 1]) * u
            if self.belt[k]:                                # two strands, from the wheel before to this one
                far = np.linalg.norm(self.at[k] - self.at[k - 1])
                flip = -1 if self.crossed[k] else 1
                sine = (self.radius[k - 1] - flip * self.radius[k]) / far
                tight = missing / self.radius[k - 1]
                strands = [math.sqrt(1 - sine ** 2) * u + side * -sine * across for side in (1, -1)]
                pull = [self.belt[k] - side * tight / 2 for side in (1, -1)]
                tooth, apart = sum(p * s for p, s in zip(pull, strands)), np.zeros(2)
            force[k - 1] += tooth - apart
            force[k] += apart - tooth
            on_this = (-self.radius[k]) * (u[0] * -tooth[1] - u[1] * -tooth[0])
            if self.belt[k]:
                on_this = -flip * self.radius[k] * tight
            want["f%d" % k] = on_this / -self.radius[k] * (flip if self.belt[k] else 1)   # turn.T is what the element takes
            missing = self.inertia[k] * spin * self.ratio[k] - torque[k] - on_this
        if self.rack:
            e, n = self.bar_axis(), np.array([-self.bar_axis()[1], self.bar_axis()[0]])
            along = missing / self.radius[-1]                # at -radius*n: (-r n) x (along e) = r along
            apart = slant * abs(along) * n
            force[-1] += along * e + apart
            guide = self.rack * spin * bar * e - self.rack * self.down[:2] - (-along * e - apart)
            want["rack"] = -along
            self.put(want, "S", guide, self.rack)
        for k, f in enumerate(force):
            self.put(want, "J%d" % k, -f - self.mass[k] * self.down[:2], self.mass[k])

    def put(self, want, name, in_plane, mass):
        """A reaction in ground axes; across the plane it carries weight."""
        whole = self.axes @ np.array([*in_plane, -mass * self.down[2]])
        want.update(("%sF%d" % (name, i + 1), whole[i]) for i in range(3 if self.lean else 2))


class Bevel:
    """Two cones whose shafts meet at the origin under any angle; each wheel is cut free about it."""

    def __init__(self, dice):
        number = lambda low, high: float("%.4g" % dice.uniform(low, high))
        self.bend, self.lean = number(0.4, 2.2), [number(-3, 3), number(-3, 3)]
        self.radius, self.inertia = [number(0.05, 0.4) for _ in range(2)], [number(0.01, 0.5) for _ in range(2)]
        self.alpha, self.start = dice.choice([None, number(0.2, 0.5)]), number(-5, 5)
        self.torque, self.rate = [number(-8, 8) for _ in range(2)], [number(1, 6) for _ in range(2)]
        self.shaft = [turned(*self.lean)[:, 2], turned(self.lean[0], self.lean[1] + self.bend)[:, 2]]

    def text(self):
        lines = ["space = spatial", "gravity = [0, 0, 0]", "ground {"]
        lines += ["  P%d = frame([0, 0, 0] m, rotate(z, %r), rotate(x, %r))" % (k, self.lean[0], self.lean[1] + k * self.bend) for k in range(2)]
        lines += ["}"]
        for k in range(2):
            i = self.inertia[k]
            lines += ["w%d : body  m = 1, I = [%r, %r, %r]" % (k, i / 2, i / 3 * 2, i),
                      "J%d : revolute(ground.P%d, w%d)%s" % (k, k, k, "" if k else "  beta(0) = 0.4, w(0) = %r" % self.start),
                      "T%d : torque(ground, w%d)  T = [0, 0, %r*cos(%r*t)], axes = head" % (k, k, self.torque[k], self.rate[k]),
                      "output J%d.w as w%d, %s" % (k, k, ", ".join("J%d.%s[%d] as J%d%s%d" % (k, v, n, k, v, n) for v in "FT" for n in (1, 2, 3)))]
        key = ", alpha = %r" % self.alpha if self.alpha else ""
        return "\n".join(lines + ["G : gear_bevel(w0, w1)  r1 = %r, r2 = %r%s" % (*self.radius, key), "output G.Ft as f"])

    def solution(self, t):
        (r0, r1), ratio = self.radius, -self.radius[0] / self.radius[1]
        now = [T * math.cos(w * t) for T, w in zip(self.torque, self.rate)]
        whole = self.inertia[0] + self.inertia[1] * ratio ** 2
        grown = [T * math.sin(w * t) / w for T, w in zip(self.torque, self.rate)]
        speed, spin = self.start + (grown[0] + ratio * grown[1]) / whole, (now[0] + ratio * now[1]) / whole
        a, b = self.shaft
        side = np.cross(a, b) / math.sin(self.bend)                # the pitch point moves along it when the first turns
        touch = [np.cross(side, a), np.cross(side, b)]             # across the shafts, in their plane, from a to b
        point = np.linalg.solve(np.array([side, touch[0], touch[1]]), [0.0, r0, -r1])
        along = (self.inertia[0] * spin - now[0]) / r0             # on the first, along `side`
        apart = abs(along) * math.tan(self.alpha) if self.alpha else 0.0
        off = np.cross(side, point) / np.linalg.norm(point)        # from the first cone to the second
        force = along * side - apart * off
        want = {"w0": speed, "w1": speed * ratio, "f": -along}
        for k, (sign, axis) in enumerate(((1, a), (-1, b))):
            turn = np.cross(point, sign * force)
            self.put(want, k, -sign * force, -turn + (turn @ axis) * axis)
        return want

    def put(self, want, k, force, torque):
        want.update(("J%d%s%d" % (k, v, n + 1), x[n]) for v, x in (("F", force), ("T", torque)) for n in range(3))


def carrier(dice):
    """A carrier that swings in gravity, a sun, and a planet on teeth, a belt or a rack, which is not balanced."""
    number = lambda low, high: float("%.4g" % dice.uniform(low, high))
    r, mesh = [number(0.1, 0.4), number(0.05, 0.2)], dice.choice(["gear_wheels(s, p)  r1 = %r, r2 = %r", "belt_wheels(s, p)  F0 = 3, r1 = %r, r2 = %r"])
    arm = (r[0] + r[1]) * (1 if mesh[0] == "g" else 1.7)
    return "\n".join(["space = planar", "gravity = [0, -9.81]", "arm : body  m = %r, I = 0.2, com = [0.1, 0.05]  { P = [%r, 0] }" % (number(0.5, 4), arm),
                      "s : body  m = 1, I = %r" % number(0.01, 0.1), "p : body  m = %r, I = 0.01, com = [%r, 0.01]" % (number(0.5, 4), number(-0.05, 0.05)),
                      "JA : revolute(ground, arm)  beta(0) = %r, w(0) = %r" % (number(-2, 2), number(-3, 3)), "JS : revolute(ground, s)  w(0) = %r" % number(-3, 3),
                      "JP : revolute(arm.P, p)", "G : " + mesh % tuple(r), "K : torsion_spring(JA)  k = %r" % number(1, 30),
                      "output JA.w as wa, p.w as wp, G.Ft as f, JP.F[1] as x, p.theta as turn"])


def check_linear(case, text, which):
    said = case.program.call(text, "statespace", "--numeric", "--json", "--coordinates", which).json()
    if not case.check(said is not None and "A" in said, "no linear model in %s coordinates" % which, text):
        return
    names, point, h = said["states"], said["operating_point"]["states"], 1e-5
    for k, name in enumerate(names):
        side = []
        for sign in (-1, 1):
            state = ",".join("%s=%r" % (n, point[n] + (sign * h if n == name else 0)) for n in names)
            side.append(case.program.call(text, "eval", "--json", "--coordinates", which, "--state", state).json())
        for matrix, of, rows in (("A", "derivatives", names), ("C", "outputs", said["outputs"])):
            for i, row in enumerate(rows):
                slope = (side[1][of][row] - side[0][of][row]) / (2 * h)
                size = max(1.0, max(abs(v) for v in said[matrix][i]))
                case.equal(float(said[matrix][i][k]), slope, 1e-5 * size, "%s of %s by %s, %s" % (matrix, row, name, which), text)


campaign = Campaign("gears", 10)
for case in campaign:
    if case.dice.random() < 0.2:
        check_linear(case, carrier(case.dice), case.dice.choice(["auto", "joint", "absolute"]))
        continue
    train = Bevel(case.dice) if case.dice.random() < 0.2 else Train(case.dice)
    text, times = train.text(), [0.0, 0.31, 0.77, 1.3]
    said = case.program.run(text, times, "--tol", "1e-9", "--coordinates", case.dice.choice(["auto", "joint", "absolute"]))
    rows = said.rows()
    if not case.check(rows is not None and len(rows) == 4, "no rows: " + said.why(), text):
        continue
    for t, row in zip(times, rows):
        want = train.solution(t)
        size = max(1.0, max(abs(v) for v in want.values()))
        for name, value in want.items():
            case.equal(row[name], float(value), 2e-7 * size, "%s at %g" % (name, t), text)
campaign.close()
