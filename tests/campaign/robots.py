"""Robots as URDF: random trees of links with turned origins, fixed joints, inertias in turned axes, damping.

The right answer comes from the file's meaning: every link, fixed or not, is a body of its own; the recursive
Newton-Euler equations in world axes give the torques of unit accelerations, column by column, and so the accelerations.
The text that `convert` writes must give the same, and so must the robot as a system in another text.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign

G = np.array([0, 0, -9.81])


def turn(e, angle):
    k = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def rpy(a):
    x, y, z = np.eye(3)
    return turn(z, a[2]) @ turn(y, a[1]) @ turn(x, a[0])


def vector(dice, size):
    return [round(dice.uniform(-size, size), 3) for _ in range(3)]


def angles(dice):
    return [dice.choice((0, 0, np.pi / 2, -np.pi / 2, np.pi, round(dice.uniform(-3, 3), 3))) for _ in range(3)]


def numbers(v):
    return " ".join(repr(float(x)) for x in v)


class Link:
    def __init__(self, dice, number, names):
        self.name = names(dice, "link", number)
        self.m, self.com, self.rpy = round(dice.uniform(0.2, 3), 3), vector(dice, 0.3), angles(dice)
        points = [np.array(vector(dice, 0.3)) for _ in range(4)]
        self.I = np.round(0.01 * np.eye(3) + sum(p @ p * np.eye(3) - np.outer(p, p) for p in points), 6)
        self.shown = dice.random() < 0.3

    def text(self):
        I = self.I
        picture = '<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>' if self.shown else ""
        return """<link name="%s">%s<inertial><origin xyz="%s" rpy="%s"/><mass value="%r"/>
  <inertia ixx="%r" ixy="%r" ixz="%r" iyy="%r" iyz="%r" izz="%r"/></inertial></link>""" % (
            (self.name, picture, numbers(self.com), numbers(self.rpy), self.m) +
            tuple(float(I[i]) for i in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))))


class Joint:
    def __init__(self, dice, number, parent, child, names):
        self.name, self.parent, self.child = names(dice, "joint", number), parent, child
        self.kind = dice.choice(("revolute", "continuous", "continuous", "prismatic", "fixed"))
        self.at, self.rpy = vector(dice, 0.5), angles(dice)
        self.axis = dice.choice(((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0.6, 0, 0.8), (1, 2, -2)))
        self.e = np.array(self.axis) / np.linalg.norm(self.axis)
        self.q, self.u = round(dice.uniform(-2, 2), 3), round(dice.uniform(-2, 2), 3)
        self.damping = dice.choice((0, 0, 0.3))
        self.load = round(dice.uniform(-5, 5), 3)
        self.leader = None

    def turns(self):
        return self.kind in ("revolute", "continuous")

    def words(self):
        return ("beta", "w", "T") if self.turns() else ("s", "v", "F")

    def text(self):
        more = '<dynamics damping="%r"/>' % self.damping if self.damping else ""
        more += '<limit lower="-3" upper="3" effort="50" velocity="4"/>' if self.kind != "fixed" else ""
        return """<joint name="%s" type="%s"><parent link="%s"/><child link="%s"/><origin xyz="%s" rpy="%s"/>
  <axis xyz="%s"/>%s</joint>""" % (self.name, self.kind, self.parent.name, self.child.name, numbers(self.at),
                                   numbers(self.rpy), numbers(self.axis), more)


class Robot:
    def __init__(self, dice):
        def names(dice, word, number):
            return dice.choice(("%s%d", "%s-%d", "%s_%d", "%s %d", "%s.%d", "%d%s")) \
                .replace("%d%s", "%d" + word).replace("%s", word) % number
        self.links, self.joints = [Link(dice, 0, names)], []
        for i in range(dice.randint(1, 8)):
            parent, child = dice.choice(self.links + self.links[-1:] * 2), Link(dice, i + 1, names)
            self.joints.append(Joint(dice, i + 1, parent, child, names))
            self.links.append(child)
        if not self.moving():
            self.joints[0].kind = "continuous"
        parts = self.links + self.joints
        dice.shuffle(parts)
        self.text = '<?xml version="1.0"?>\n<robot name="r">\n%s\n</robot>\n' % "\n".join(p.text() for p in parts)

    def moving(self):
        return [j for j in self.joints if j.kind != "fixed"]

    def torques(self, rates):
        """Of all moving joints, for these second derivatives."""
        base = self.links[0]
        base.R, base.p, base.w, base.al, base.a = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), -G
        for j in self.joints:
            p, c, rate = j.parent, j.child, rates.get(j, 0.0)
            seat = p.R @ rpy(j.rpy)
            e, r = seat @ j.e, p.R @ np.array(j.at)
            turns, q, u = j.turns(), j.q, j.u
            if j.kind == "fixed":
                q = u = rate = 0.0
            c.R = seat @ turn(j.e, q) if turns else seat
            c.p = p.p + r + (0 if turns else q * e)
            c.w = p.w + (u * e if turns else 0)
            c.al = p.al + (rate * e + np.cross(p.w, u * e) if turns else 0)
            d = c.p - p.p
            c.a = p.a + np.cross(p.al, d) + np.cross(p.w, np.cross(p.w, d))
            if not turns:
                c.a = c.a + rate * e + 2 * np.cross(p.w, u * e)
            j.world = e
        for l in self.links:
            A = l.R @ rpy(l.rpy)
            r, I = l.R @ np.array(l.com), A @ l.I @ A.T
            a = l.a + np.cross(l.al, r) + np.cross(l.w, np.cross(l.w, r))
            l.f = l.m * a
            l.n = I @ l.al + np.cross(l.w, I @ l.w) + np.cross(r, l.f)
        out = {}
        for j in reversed(self.joints):
            c, p = j.child, j.parent
            out[j] = j.world @ (c.n if j.turns() else c.f)
            p.f = p.f + c.f
            p.n = p.n + c.n + np.cross(c.p - p.p, c.f)
        return np.array([out[j] for j in self.moving()])

    def accelerations(self):
        moving = self.moving()
        bias = self.torques({})
        M = np.array([self.torques({j: 1.0}) - bias for j in moving]).T
        return np.linalg.solve(M, np.array([j.load - j.damping * j.u for j in moving]) - bias)


def word_of(name):
    word = "".join(c if c.isalnum() else "_" for c in name)
    return "_" + word if word[0].isdigit() else word


def settings(robot, prefix=""):
    out = []
    for j in robot.moving():
        w, (q, u, load) = word_of(j.name), j.words()
        out += ["--set", "%s_%s0=%r" % (w, q, j.q), "--set", "%s_%s0=%r" % (w, u, j.u), "--set", "%s_%s=%r" % (w, load, j.load)]
    return out


def compare(c, robot, answer, want, what, prefix=""):
    said = answer.json()
    if not said or answer.code:
        c.check(False, "%s: %s" % (what, answer.why()), robot.text)
        return
    for j, right in zip(robot.moving(), want):
        key = "%s%s.%s" % (prefix, word_of(j.name), j.words()[1])
        scale = 1 + max(abs(want))
        c.equal(said["derivatives"].get(key), right, 1e-9 * scale, "%s: der(%s)" % (what, key), robot.text)


def as_system(robot):
    lines = ['use "model.urdf"', "space = spatial", "gravity = [0, 0, -9.81] m/s^2"]
    keys = []
    for j in robot.moving():
        w, (q, u, load) = word_of(j.name), j.words()
        keys += ["%s_%s0 = %r" % (w, q, j.q), "%s_%s0 = %r" % (w, u, j.u)]
        lines.append("X_%s : %s(a.%s)  %s = %r" % (w, "torque" if j.turns() else "force", w, load, j.load))
    return "\n".join(lines + ["a : r(ground)  " + ", ".join(keys)]) + "\n"


def main():
    c = Campaign("robots", 40)
    for case in c:
        robot = Robot(case.dice)
        want = robot.accelerations()
        options = settings(robot)
        compare(case, robot, case.program.call(robot.text, "eval", "--json", *options, ending="urdf"), want, "urdf")
        if case.number % 3 == 0:
            text = case.program.call(robot.text, "convert", ending="urdf").out
            compare(case, robot, case.program.call(text, "eval", "--json", *options), want, "convert")
        if case.number % 3 == 1:
            compare(case, robot, case.program.call(as_system(robot), "eval", "--json"), want, "use", "a.")
    c.close()


if __name__ == "__main__":
    main()
