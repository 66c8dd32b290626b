"""Random mechanisms with sources, gears, motors, pumps and cylinders, run for a while in all coordinates.

The coordinates fix how equations are eliminated and which variables are states, so that they check each other; and
what sources prescribe, and joints close, is computed here from the places of the bodies.
"""
import re
import sys

import numpy as np

from campaign import Campaign
from starts import Mechanism, jacobian, read

TIMES = [0.0, 0.1, 0.4]


class Driven(Mechanism):
    """A mechanism whose element moves, or turns, its bodies; `follows`: (function of places, of time)."""

    def add_element(self):
        self.follows, self.geared = [], None
        d, b = self.dice, self.dice.randrange(len(self.m))
        g, f = self.ground_frame([self.number(2, 3), self.number(-1, 1)]), d.choice(self.frames[b])
        length = lambda p: np.sqrt(np.sum((f.point(p) - g.at) ** 2))
        turning = [j for j in self.tree if j.kind == "revolute"]
        kind = d.choice(["velocity", "position", "gear", "motor", "pump", "inertia"])
        known = {**self.given, **self.given_speed}
        if kind in ("velocity", "position") and self.is_free(length, known) and self.is_free(length, known, self.reference()):
            v = self.number(-0.2, 0.2)
            if kind == "velocity":
                self.lines.append("X : velocity_source(%s, %s)  v = %r" % (g.name, f.name, v))
                self.follows.append((length, None, v))
            else:
                x = float(length(self.pose))
                self.lines.append("X : position_source(%s, %s)  x = %r + %r*t" % (g.name, f.name, x, v))
                self.follows.append((length, x, v))
        elif kind == "gear" and len(turning) > 1:
            n = self.number(0.5, 2)
            self.lines.append("X : gear(%s | %s)  n = %r" % (turning[0].name, turning[1].name, n))
            self.geared = lambda p: turning[0].beta(p) - n * turning[1].beta(p)
        elif kind == "motor" and turning:
            self.lines += ["V : vsource(a, ground)  v = 6", "X : dc_motor(a, ground | %s)  Kv = 0.3, R = 1, L = 2 mH" % turning[0].name]
        elif kind == "pump" and turning and self.is_free(length, self.given_speed) and self.is_free(turning[0].beta, {}):
            self.lines += ["node h : hydraulic", "P : pump(ground, h | %s)  D = 4e-5" % turning[0].name,
                           "X : cylinder(h, ground | %s, %s)  A = 2e-4" % (g.name, f.name)]
        elif kind == "inertia" and turning:
            self.lines += ["X : gear(ground, sh | %s)  n = %r" % (turning[0].name, self.number(0.5, 2)), "i1 : inertia(sh)  J = 0.05"]


COORDINATES = ("auto", "joint", "absolute")
REFUSALS = ("E510", "E511", "E605", "E612", "E523")   # no freedom is left, or the end of a reach


def check_first(case, mechanism, rows, text):
    for t, (p, _) in zip(TIMES, rows):
        case.check(np.max(np.abs(mechanism.closed(p)), initial=0) < 1e-6, "joints hold at %g s" % t, text)
        for f, x, v in mechanism.follows:
            start = f(rows[0][0]) if x is None else x
            case.equal(float(f(p)), float(start + v * t), 1e-6, "the length at %g s" % t, text)


def hangs(mechanism):
    """Do revolute joints hold every body on the ground? What slides or falls freely comes to no rest."""
    held = {-1}
    for j in mechanism.tree:
        if j.kind == "revolute" and j.tail.body in held:
            held.add(j.head.body)
    return len(held) == len(mechanism.m) + 1


def check_rest(case, mechanism, start, text):
    """Geared angles keep their relation, wherever the bodies come to rest."""
    for coordinates in COORDINATES:
        said = case.program.call(text, "equilibrium", "--json", "--coordinates", coordinates, timeout=20)
        if "E527" in said.out:
            continue                                   # it is too far
        if not case.check(said.json() is not None, "%s, equilibrium: %s" % (coordinates, said.why()), text):
            continue
        p = read(said.json()["outputs"], len(mechanism.m))[0]
        case.equal(float(mechanism.geared(p)), float(mechanism.geared(start)), 1e-9,
                   "%s: angles of the gear at rest" % coordinates, text)


def check_dead_point(case, mechanism, answer, text):
    """A run may break off where what a source moves has no motion left that changes its length."""
    end = float(re.search(r"broke off at t = (\S+) s", answer.err).group(1))
    said = case.program.run(text, [0.0, end * (1 - 1e-5)], "--tol", "1e-9").rows()
    if not case.check(bool(said) and mechanism.follows, "breaks off at %g s" % end, text):
        return
    p = read(said[-1], len(mechanism.m))[0]
    closed = np.vstack([jacobian(mechanism.closed, p), np.zeros((1, len(p)))])
    free = np.linalg.svd(closed)[2][np.linalg.matrix_rank(closed, tol=1e-6):]
    left = max(np.max(np.abs(free @ jacobian(lambda x, f=f: [f(x)], p)[0])) for f, _, _ in mechanism.follows)
    case.check(left < 0.05, "breaks off at %g s, where lengths change by %.2e" % (end, left), text)


def distance(some, others):
    return max(np.max(np.abs(np.concatenate(a) - np.concatenate(b)) / (1 + np.abs(np.concatenate(b))))
               for a, b in zip(some, others))


def main():
    case = Campaign("drives", 40)
    for _ in case:
        mechanism = Driven(case.dice)
        while not any(line.startswith("X") for line in mechanism.lines):
            mechanism = Driven(case.dice)
        text = mechanism.text()
        answers = [case.program.run(text, TIMES, "--coordinates", c, "--tol", "1e-9") for c in COORDINATES]
        if any(e in answers[0].err for e in REFUSALS):
            continue
        if all("E526" in a.err for a in answers):
            check_dead_point(case, mechanism, answers[0], text)
            continue
        first = None
        for coordinates, answer in zip(COORDINATES, answers):
            rows = answer.rows()
            if not case.check(bool(rows), "%s: %s" % (coordinates, answer.why()), text):
                continue
            rows = [read(row, len(mechanism.m)) for row in rows]
            if first is None:
                first = rows
                check_first(case, mechanism, rows, text)
                if mechanism.geared and hangs(mechanism):
                    check_rest(case, mechanism, rows[0][0], text)
            else:
                apart = distance(rows, first)
                case.check(apart < 1e-4, "%s: differs by %.2e" % (coordinates, apart), text)
    case.close()


if __name__ == "__main__":
    sys.exit(main())
