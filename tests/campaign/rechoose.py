"""Angles that are exchanged before they become singular, against quaternions.

A body tumbles on a ball or free, with another one on it and perhaps a rod that closes a loop; sequences, ends and frames of the
joint are random, in both directions. Places, reactions and energy must be those of the same model with a quaternion, and the
angles that are read must give the rotation of the joint, before and after exchanges.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import AXES, rotation, vector, written

TIMES = [0.0, 0.7, 1.4, 2.1]
SEQUENCES = [a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b and b != c]


class Tumbling:
    def __init__(self, dice):
        self.word, self.sequence = dice.choice(("spherical", "free", "point_on_plane")), dice.choice(SEQUENCES)
        around = self.sequence[0] == self.sequence[2]
        self.q = [round(dice.uniform(-1, 1), 3), round(dice.uniform(0.5, 1.2) if around else dice.uniform(-1, 1), 3),
                  round(dice.uniform(-1, 1), 3)]
        self.w = [round(dice.uniform(-1, 1), 3), dice.choice((-5.0, 5.0)), round(dice.uniform(-1, 1), 3)]
        self.frames = [self.frame(dice) for _ in range(3)]
        self.back = dice.random() < 0.4
        self.rod = dice.random() < 0.3 and self.word != "spherical"
        self.com = vector(dice, 0.2)

    @staticmethod
    def frame(dice):
        return "frame(%s m, rotate(x, %r), rotate(y, %r))" % (written(vector(dice, 0.3)), round(dice.uniform(-2, 2), 3),
                                                              round(dice.uniform(-2, 2), 3))

    def turns(self, angles):
        out = [np.eye(3)]
        for letter, angle in zip(self.sequence, angles):
            out.append(out[-1] @ rotation(AXES[letter], angle))
        return out

    def text(self, angles):
        R = self.turns(self.q)
        omega = sum(w * R[k] @ AXES[self.sequence[k]] for k, w in enumerate(self.w))
        ends = ("a.A", "ground.A") if self.back else ("ground.A", "a.A")
        start = "angles = %s, rechoose = on, q(0) = %s, w(0) = %s rad/s" % (self.sequence, self.q, self.w) if angles else \
            "R(0) = [%s], omega(0) = %s rad/s" % ("; ".join(", ".join(repr(float(x)) for x in row) for row in R[3]),
                                                 written(R[3].T @ omega))
        lines = ["space = spatial", "gravity = [1, -2, -9.81] m/s^2", "ground { A = %s, B = [1, 2, 1] m }" % self.frames[0],
                 "a : body  m = 2 kg, I = [0.3, 0.2, 0.4] kg.m^2, com = %s m  { A = %s, B = %s }" % (
                     written(self.com), *self.frames[1:]),
                 "b : body  m = 1 kg, I = [0.1, 0.2, 0.2] kg.m^2, com = [0.1, 0.2, 0] m",
                 "J : %s(%s, %s)  %s" % (self.word, *ends, start), "K : revolute(a.B, b)  axis = y, w(0) = 1 rad/s",
                 "S : spring(ground.B, b)  k = 20 N/m, l0 = 1 m", "D : damper(ground.B, b)  d = 0.5 N.s/m"]
        if self.rod:
            lines += ["R : distance(ground, a.B)  length = L", "param L = 1 m"]
        out = ["a.r", "b.r", "K.F", "K.T", "J.R", "J.omega", "kinetic() + potential() as E"] + ["J.q", "J.w", "J.alpha"] * angles
        return "\n".join(lines + ["output " + ", ".join(out), ""])


def check_angles(case, tumbling, row, text):
    R = np.array([[row["J.R[%d,%d]" % (i, j)] for j in (1, 2, 3)] for i in (1, 2, 3)])
    own = tumbling.turns([row["J.q[%d]" % i] for i in (1, 2, 3)])
    case.check(np.abs(own[3] - R).max() < 1e-9, "q is no rotation of the joint: %g" % np.abs(own[3] - R).max(), text)
    omega = sum(row["J.w[%d]" % (k + 1)] * own[k] @ AXES[tumbling.sequence[k]] for k in range(3))
    want = R @ np.array([row["J.omega[%d]" % i] for i in (1, 2, 3)])
    case.check(np.abs(omega - want).max() < 1e-7 * (1 + max(abs(row["J.w[%d]" % i]) for i in (1, 2, 3))),
               "w is no rate of the joint: %g" % np.abs(omega - want).max(), text)


def check_accelerations(case, row, late, span, text):
    """Against differences, where angles were not exchanged in between."""
    for i in (1, 2, 3):
        name = "J.alpha[%d]" % i
        rate, mean = (late["J.w[%d]" % i] - row["J.w[%d]" % i]) / span, (row[name] + late[name]) / 2
        if abs(late[name] - row[name]) < 0.1 * (1 + abs(mean)):
            case.check(abs(rate - mean) < 1e-3 * (1 + abs(mean)), "%s = %r, by differences %r" % (name, mean, rate), text)


def main():
    campaign, exchanged = Campaign("rechoose", 5), 0
    for case in campaign:
        tumbling = Tumbling(case.dice)
        seen, settings = [], ["--tol", "1e-10", "--coordinates", case.dice.choice(("joint", "absolute"))]
        if tumbling.rod:  # as long as it is at the start
            said = case.program.run(tumbling.text(False).replace("R : distance(ground, a.B)  length = L\n", "").replace(
                "output ", "output a.B.x as bx, a.B.y as by, a.B.z as bz, "), [0.0])
            rows = said.rows()
            if not case.check(rows is not None, said.why(), tumbling.text(False)):
                continue
            settings += ["--set", "L=%r" % float(np.linalg.norm([rows[0]["b" + x] for x in "xyz"]))]
        for angles in (False, True):
            said = case.program.run(tumbling.text(angles), TIMES, *settings)
            if case.check(said.rows() is not None, "no answer: " + said.why(), tumbling.text(angles)):
                seen.append(said.rows())
        if len(seen) < 2:
            continue
        worst = max((abs(a[k] - b[k]) / (1 + abs(a[k])), k) for a, b in zip(*seen) for k in a)
        text = tumbling.text(True)
        case.check(worst[0] < 1e-6, "%s differs by %.1e" % worst[::-1], text)
        for row in seen[1]:
            check_angles(case, tumbling, row, text)
        near = case.program.run(text, [t + h for t in TIMES for h in (0, 1e-4)], *settings).rows()
        for row, late in zip(near[::2], near[1::2]):
            check_accelerations(case, row, late, late["time"] - row["time"], text)
        events = case.program.call(text, "run", "--events", "--stop", "2.1", *settings)
        exchanged += events.out.count("other angles")
    campaign.check(exchanged > 0 or campaign.asked.only is not None, "no angles were exchanged at all")
    campaign.close()


if __name__ == "__main__":
    main()
