"""Trains of gears in the plane, with a ring or a rack at the end: speeds, tooth forces and the reactions of bearings.

Here each wheel is cut free: Newton and Euler for every body, the force of each mesh along its inclined flank at the pitch
point. Centres stand still, so that speeds follow from one integral of the torques.
"""
import math

import numpy as np

from campaign import Campaign

G = np.array([0.0, -9.81])


class Train:
    def __init__(self, dice):
        number = lambda low, high: float("%.4g" % dice.uniform(low, high))
        count = dice.randint(2, 4)
        self.alpha = dice.choice([None, number(0.2, 0.5)])
        self.radius = [number(0.05, 0.4) for _ in range(count)]
        if dice.random() < 0.4:
            self.radius[-1] = -(self.radius[-2] + number(0.05, 0.3))      # a ring around the wheel before it
        self.mass = [number(0.5, 5) for _ in range(count)]
        self.inertia = [number(0.01, 0.5) for _ in range(count)]
        self.at, self.direction = [np.zeros(2)], []
        for k in range(1, count):
            angle = dice.uniform(-3, 3)
            self.direction.append(np.array([math.cos(angle), math.sin(angle)]))
            self.at.append(self.at[-1] + (self.radius[k - 1] + self.radius[k]) * self.direction[-1])
        self.ratio = [1.0]
        for k in range(1, count):
            self.ratio.append(-self.ratio[-1] * self.radius[k - 1] / self.radius[k])
        self.rack = number(0.3, 3) if self.radius[-1] > 0 and dice.random() < 0.5 else None
        self.rack_angle = dice.uniform(-3, 3)
        self.start, self.torque = number(-5, 5), [number(-8, 8) for _ in range(count)]
        self.rate = [number(1, 6) for _ in range(count)]

    def text(self):
        lines = ["space = planar", "gravity = [0, -9.81] m/s^2", "ground {"]
        lines += ["  P%d = [%.17g, %.17g] m" % (k, *p) for k, p in enumerate(self.at)]
        key = ", alpha = %r" % self.alpha if self.alpha else ""
        if self.rack:
            way = self.at[-1] + self.radius[-1] * np.array([math.sin(self.rack_angle), -math.cos(self.rack_angle)])
            lines += ["  B = frame([%.17g, %.17g] m, %.17g)" % (*way, self.rack_angle)]
        lines += ["}"]
        for k, r in enumerate(self.radius):
            start = ", w(0) = %r" % self.start if k == 0 else ""
            lines += ["w%d : body  m = %r, I = %r" % (k, self.mass[k], self.inertia[k]),
                      "J%d : revolute(ground.P%d, w%d)%s" % (k, k, k, "  beta(0) = 0.3" + start if k == 0 else ""),
                      "T%d : torque(ground, w%d)  T = %r*cos(%r*t)" % (k, k, self.torque[k], self.rate[k])]
            if k:
                lines += ["G%d : gear_wheels(w%d, w%d)  r1 = %r, r2 = %r%s" % (k, k - 1, k, self.radius[k - 1], r, key)]
        if self.rack:
            lines += ["bar : body  m = %r" % self.rack, "S : prismatic(ground.B, bar)  axis = [1, 0]",
                      "K : gear_rack(bar, w%d)  r = %r%s" % (len(self.radius) - 1, self.radius[-1], key),
                      "output K.Ft as rack, S.F[1] as Sx, S.F[2] as Sy"]
        lines += ["output " + ", ".join("J%d.w as w%d, J%d.F[1] as x%d, J%d.F[2] as y%d" % ((k,) * 6) for k in range(len(self.at)))]
        return "\n".join(lines + ["output G%d.Ft as f%d" % (k, k) for k in range(1, len(self.at))])

    def bar_axis(self):
        return np.array([math.cos(self.rack_angle), math.sin(self.rack_angle)])

    def load(self):
        """Inertia that the first wheel feels, and how the rack moves with it."""
        bar = self.radius[-1] * self.ratio[-1] if self.rack else 0.0
        return sum(i * n * n for i, n in zip(self.inertia, self.ratio)) + (self.rack or 0) * bar * bar, bar

    def solution(self, t):
        whole, bar = self.load()
        weight = self.rack * bar * (G @ self.bar_axis()) if self.rack else 0.0
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
            force[k - 1] += tooth - apart
            force[k] += apart - tooth
            on_this = (-self.radius[k]) * (u[0] * -tooth[1] - u[1] * -tooth[0])
            want["f%d" % k] = on_this / -self.radius[k]      # turn.T of the element is what it takes: minus the torque
            missing = self.inertia[k] * spin * self.ratio[k] - torque[k] - on_this
        if self.rack:
            e, n = self.bar_axis(), np.array([-self.bar_axis()[1], self.bar_axis()[0]])
            along = missing / self.radius[-1]                # at -radius*n: (-r n) x (along e) = r along
            apart = slant * abs(along) * n
            force[-1] += along * e + apart
            guide = self.rack * spin * bar * e - self.rack * G - (-along * e - apart)
            want.update(rack=-along, Sx=guide[0], Sy=guide[1])
        for k, f in enumerate(force):
            bearing = -f - self.mass[k] * G
            want["x%d" % k], want["y%d" % k] = bearing


campaign = Campaign("gears", 8)
for case in campaign:
    train = Train(case.dice)
    text, times = train.text(), [0.0, 0.31, 0.77, 1.3]
    ways = ["auto", "joint"] if train.rack and not train.alpha else ["auto", "joint", "absolute"]
    said = case.program.run(text, times, "--tol", "1e-9", "--coordinates", case.dice.choice(ways))
    rows = said.rows()
    if not case.check(rows is not None and len(rows) == 4, "no rows: " + said.why(), text):
        continue
    for t, row in zip(times, rows):
        want = train.solution(t)
        size = max(1.0, max(abs(v) for v in want.values()))
        for name, value in want.items():
            case.equal(row[name], float(value), 2e-7 * size, "%s at %g" % (name, t), text)
campaign.close()
