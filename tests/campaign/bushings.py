"""Two free bodies and a bushing between them, with random full matrices.

What springs store is known, and nothing acts from outside: energy, momentum and angular momentum must stay. With dampers
the energy must fall. A body on the ground is pushed: the way and the turn that a bushing then has are those of its
matrices.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import vector, written


def matrix(a):
    return "[%s]" % "; ".join(", ".join(repr(float(x)) for x in row) for row in a)


def random_matrices(dice):
    """K, Kc, Kr of a positive matrix."""
    a = np.array([[dice.uniform(-1, 1) for _ in range(6)] for _ in range(6)])
    full = np.round(a @ a.T + np.eye(6), 4) * np.array([10] * 3 + [3] * 3)[:, None] ** 0.5 * np.array([10] * 3 + [3] * 3) ** 0.5
    return full, full[:3, :3], full[:3, 3:], full[3:, 3:]


class Pair:
    def __init__(self, dice):
        self.lines, self.L = ["space = spatial"], []
        for name in "bc":
            m, com = round(dice.uniform(0.5, 3), 3), vector(dice, 0.2)
            I = np.round(np.sort([dice.uniform(0.3, 0.5) for _ in range(3)]), 4)
            self.lines.append("%s : body  m = %r, I = %s, com = %s  { P = frame(%s, rotate(x, %r), rotate(z, %r)) }" % (
                name, m, written(I), written(com), written(vector(dice, 0.3)), dice.uniform(-1, 1), dice.uniform(-1, 1)))
            self.lines.append("initial %s.v = %s, %s.omega = %s" % (name, written(vector(dice)), name, written(vector(dice))))
            arm = "%s.R*%s" % (name, written(com))
            own = "%s.R*[%s]" % (name, ", ".join("%r kg.m^2*%s.omega_body[%d]" % (float(I[i]), name, i + 1) for i in range(3)))
            speed = "(%s.v + cross(%s.omega, %s*1 m))" % (name, name, arm)
            self.L.append("cross(%s.r + %s*1 m, %r kg*%s) + %s" % (name, arm, m, speed, own))
        self.full, K, Kc, Kr = random_matrices(dice)
        self.lines.append("param K = %s N/m, Kc = %s N/rad, Kr = %s N.m/rad" % (matrix(K), matrix(Kc), matrix(Kr)))

    def text(self, dampers):
        lines = self.lines + ["B : bushing(b.P, c.P)  K = K, Kc = Kc, Kr = Kr" + (
            ", d = [0.5, 0.2, 0.4] N.s/m, dr = [0.1, 0.1, 0.2] N.m.s/rad" if dampers else "")]
        lines.append("signal U = dot(B.s, K*B.s)/2 + dot(B.q, Kr*B.q)/2 + dot(B.s, Kc*B.q)")
        lines.append("signal L = %s" % " + ".join(self.L))
        return "\n".join(lines + ["output kinetic() + U as E, L", ""])


def keeps(case):
    pair = Pair(case.dice)
    for dampers in (False, True):
        text = pair.text(dampers)
        said = case.program.run(text, [0.0, 0.3, 0.7], "--tol", "1e-10")
        rows = said.rows()
        if not case.check(rows is not None, "no answer: " + said.why(), text):
            return
        E, L = [r["E"] for r in rows], np.array([[r["L[%d]" % (i + 1)] for i in range(3)] for r in rows])
        case.check(np.abs(L - L[0]).max() < 1e-7, "angular momentum goes from %s to %s" % (L[0], L[-1]), text)
        good = E[0] > E[1] > E[2] if dampers else max(abs(e - E[0]) for e in E) < 1e-6 * (1 + abs(E[0]))
        case.check(good, "energies are %s" % E, text)


def holds(case):
    """A small push on a body: K xi = load."""
    full, K, Kc, Kr = random_matrices(case.dice)
    load = np.array([1e-5 * case.dice.uniform(-1, 1) for _ in range(6)])
    text = "\n".join([
        "space = spatial", "b : body  m = 1 kg, I = [0.1, 0.1, 0.1] kg.m^2",
        "B : bushing(ground, b)  K = %s N/m, Kc = %s N/rad, Kr = %s N.m/rad" % (matrix(K), matrix(Kc), matrix(Kr)),
        "F : force(ground, b)  F = %s N" % written(load[:3]), "T : torque(ground, b)  T = %s N.m" % written(load[3:]),
        "output B.s, B.q", ""])
    said = case.program.call(text, "equilibrium", "--json")
    got = said.json()
    if not case.check(got is not None, "no answer: " + said.why(), text):
        return
    values = got["outputs"]
    want = np.linalg.solve(full, load)
    xi = [values["B.%s[%d]" % (w, i + 1)] for w in "sq" for i in range(3)]
    case.check(np.abs(xi - want).max() < 1e-4 * np.abs(want).max(), "it gives way by %s, right is %s" % (xi, want), text)


def main():
    campaign = Campaign("bushings", 4)
    for case in campaign:
        (holds if case.number % 2 else keeps)(case)
    campaign.close()


if __name__ == "__main__":
    main()
