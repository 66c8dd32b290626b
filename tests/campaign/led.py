"""Joints with several driven freedoms in closed loops, in coordinates of joints and of bodies.

A ball or a free joint is led by functions of time; a link on it is tied to the ground by rods. The right place and axes of
the led body are those of the functions, rods keep their lengths, and reactions are the same in all coordinates. What
drivers do is what the energy gains. Where link and rod do not reach, a run ends there and says so.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import AXES, rotation, vector, written

STEP = 1e-3
TIMES = [0.0, 0.2 - STEP, 0.2, 0.2 + STEP, 0.4]


class Led:
    def __init__(self, dice):
        self.kind = dice.choice(("spherical", "free", "cylindrical", "universal"))
        self.turns = {"cylindrical": 1, "universal": 2}.get(self.kind, 3)
        self.slides = {"free": 3, "cylindrical": 1}.get(self.kind, 0)
        self.sequence = dice.choice(("zxz", "xyz", "zyx"))
        self.q = [(round(dice.uniform(0.2, 0.8), 3), round(dice.uniform(-0.3, 0.3), 3)) for _ in range(self.turns)]
        self.s = [(round(dice.uniform(-0.3, 0.3), 3), round(dice.uniform(-0.3, 0.3), 3)) for _ in range(self.slides)]
        self.e, self.f, self.com = vector(dice), vector(dice, 0.3) + np.array([0.5, 0, 0]), vector(dice, 0.3)

    def value(self, law, t):
        return law[0] + law[1] * np.sin(t)

    def axes(self, t):
        words = {"cylindrical": "z", "universal": "xy"}.get(self.kind, self.sequence)
        R = np.eye(3)
        for word, law in zip(words, self.q):
            R = R @ rotation(AXES[word], self.value(law, t))
        return R

    def place(self, t):
        s = [self.value(law, t) for law in self.s]
        return np.array([0, 0, s[0]]) if self.slides == 1 else np.array(s) if s else np.zeros(3)

    def word(self, letter, k):
        one = (self.turns if letter == "q" else self.slides) == 1
        return "J.drive_" + letter + ("" if one else "[%d]" % (k + 1))

    def keys(self):
        def one(words, k, law):
            return "%s = %r + %r*sin(t)" % (words[0] if len(words) == 1 else words[k], law[0], law[1])
        out = ["angles = " + self.sequence] if self.turns == 3 else []
        turns = ["beta"] if self.turns == 1 else ["q[%d]" % (k + 1) for k in range(3)]
        slides = ["s"] if self.slides == 1 else ["s[%d]" % (k + 1) for k in range(3)]
        return ", ".join(out + [one(turns, k, law) for k, law in enumerate(self.q)] +
                         [one(slides, k, law) for k, law in enumerate(self.s)])

    def text(self):
        tip = self.place(0) + self.axes(0) @ (self.e + self.f)
        across = np.cross(self.axes(0) @ self.f, [0.3, 0.9, 0.4])
        self.far = tip + across / np.linalg.norm(across)
        self.length = float(np.linalg.norm(self.far - tip))
        return "\n".join([
            "space = spatial", "gravity = [0.5, -1, -9.81] m/s^2", "ground { A = %s m }" % written(self.far),
            "a : body  m = 2 kg, I = [0.3, 0.2, 0.4] kg.m^2, com = %s m  { e = %s m }" % (written(self.com), written(self.e)),
            "b : body  m = 1 kg, I = [0.1, 0.2, 0.2] kg.m^2  { f = %s m }" % written(self.f),
            "J : %s(ground, a)  %s" % (self.kind, self.keys()),
            "B : spherical(a.e, b)",
            "R : distance(ground.A, b.f)  length = %r m" % self.length,
            "output kinetic() + potential() as E, J.drive_q, J.drive_s, a.r, a.R, b.f.r, B.F, R.F" + (", J.F" if self.kind != "free" else ""), ""])


    def gap(self, t):
        """How much of their reach link and rod have left, stretched or folded."""
        apart = np.linalg.norm(self.far - self.place(t) - self.axes(t) @ self.e)
        link = np.linalg.norm(self.f)
        return min(self.length + link - apart, apart - abs(self.length - link))

    def locks(self):
        """When the rod no longer reaches the link; None: it always does."""
        times = np.linspace(0, TIMES[-1], 401)
        late = next((k for k, t in enumerate(times) if self.gap(t) < 0), None)
        if late is None:
            return None
        low, high = times[late - 1], times[late]
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if self.gap(middle) > 0 else (low, middle)
        return high


def check_lock(case, led, said, text):
    found = re.search(r"error\[E612\]: the mechanism locks at t = (\S+) s", said.out + said.err)
    case.check(said.code and found and abs(float(found.group(1)) - led.locks()) < 1e-4,
               "it locks at %r: %s" % (led.locks(), said.why()), text)


def main():
    campaign = Campaign("led", 5)
    for case in campaign:
        led = Led(case.dice)
        text, seen = led.text(), []
        for coordinates in ("joint", "absolute"):
            said = case.program.run(text, TIMES, "--tol", "1e-10", "--coordinates", coordinates)
            if led.locks():
                check_lock(case, led, said, text)
                continue
            rows = said.rows()
            if not case.check(rows is not None, "no answer: " + said.why(), text):
                continue
            seen.append(rows)
            for t, row in zip(TIMES, rows):
                R = np.array([[row["a.R[%d,%d]" % (i + 1, k + 1)] for k in range(3)] for i in range(3)])
                r, f = (np.array([row["%s[%d]" % (w, i + 1)] for i in range(3)]) for w in ("a.r", "b.f.r"))
                case.check(np.abs(R - led.axes(t)).max() < 1e-8, "axes are\n%s\nnot\n%s" % (R, led.axes(t)), text)
                case.check(np.abs(r - led.place(t)).max() < 1e-8, "it is at %s, not %s" % (r, led.place(t)), text)
                gap = np.linalg.norm(f - led.far) - led.length
                case.check(abs(gap) < 1e-8, "the rod is longer by %.1e" % gap, text)
            gain = (rows[3]["E"] - rows[1]["E"]) / (2 * STEP)
            work = sum(rows[2][led.word("q", k)] * law[1] * np.cos(0.2) for k, law in enumerate(led.q)) + \
                sum(rows[2][led.word("s", k)] * law[1] * np.cos(0.2) for k, law in enumerate(led.s))
            case.check(abs(gain - work) < 1e-4 * (1 + abs(work)), "drivers do %r, the energy gains %r" % (work, gain), text)
        if len(seen) == 2:
            worst = max((abs(a[k] - b[k]) / (1 + abs(a[k])), k) for a, b in zip(*seen) for k in a)
            case.check(worst[0] < 1e-6, "in coordinates of bodies %s differs by %.1e" % worst[::-1], text)
    campaign.close()


if __name__ == "__main__":
    main()
