"""Base parameters of random chains whose lengths and angles are params: `cotree dynamics` gives their sums as formulas.

The motion must depend on these sums alone: masses, moments and inertias are changed so that all sums keep their values, for
lengths and angles other than those the sums were found with, and accelerations must stay. And each of the sums must
count: their number is the rank of what accelerations tell of the parameters, by differences.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from space import vector, written

OWN = ("m", "m*cx", "m*cy", "m*cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


class Chain:
    def __init__(self, dice):
        self.dice, self.n = dice, dice.choice((2, 3))
        self.kind = [dice.choice(("revolute", "revolute", "prismatic", "cylindrical")) for _ in range(self.n)]
        self.axis = [dice.choice(("x", "y", "z", "[1, 2, 2]")) for _ in range(self.n)]
        self.turn = [dice.choice("xyz") for _ in range(self.n)]
        self.start = written(vector(dice))

    def numbers(self):
        """New values of lengths and angles."""
        return {"%s%d" % (name, i): round(self.dice.uniform(0.2, 0.9), 3) for i in range(1, self.n + 1) for name in "xyzh"}

    def inertias(self):
        """Ten parameters a body, about its own frame."""
        rows = []
        for _ in range(self.n):
            m, c, a = self.dice.uniform(1, 3), vector(self.dice, 0.5), np.array([vector(self.dice) for _ in range(3)])
            tensor = a @ a.T + 0.2 * np.eye(3)
            rows += [m, *(m * c), *(tensor + m * (c @ c * np.eye(3) - np.outer(c, c)))[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]]
        return np.array(rows)

    def text(self, numbers, parameters, state):
        lines = ["space = spatial", "gravity = [1, 2, -9.81] m/s^2"]
        lines += ["param %s = %r %s" % (name, x, "rad" if name[0] == "h" else "m") for name, x in numbers.items()]
        for i in range(1, self.n + 1):
            p = parameters[10 * (i - 1):10 * i]
            m, c = p[0], p[1:4] / p[0]
            tensor = np.array([[p[4], p[7], p[8]], [p[7], p[5], p[9]], [p[8], p[9], p[6]]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
            lines.append("b%d : body  m = %r kg, com = %s m, I = [%s] kg.m^2  { e = frame([x%d, y%d, z%d], rotate(%s, h%d)) }" % (
                i, float(m), written(c), "; ".join(", ".join(repr(float(x)) for x in row) for row in tensor), i, i, i,
                self.turn[i - 1], i))
            start = {"revolute": "beta(0) = %r, w(0) = %r", "prismatic": "s(0) = %r m, v(0) = %r m/s",
                     "cylindrical": "beta(0) = %r, w(0) = %r, s(0) = 0.3 m, v(0) = 0.4 m/s"}[self.kind[i - 1]]
            lines.append("J%d : %s(%s, b%d)  axis = %s, %s" % (i, self.kind[i - 1], "b%d.e" % (i - 1) if i > 1 else "ground", i,
                                                             self.axis[i - 1], start % tuple(state[i - 1])))
            if self.kind[i - 1] != "revolute":  # what only falls does not tell its mass
                lines.append("F%d : force(J%d)  F = %d N" % (i, i, i + 1))
        outputs = ["J%d.%s" % (i, x) for i in range(1, self.n + 1)
                   for x in {"revolute": ["alpha"], "prismatic": ["a"], "cylindrical": ["alpha", "a"]}[self.kind[i - 1]]]
        return "\n".join(lines + ["output " + ", ".join(outputs), ""])

    def state(self):
        return [[round(self.dice.uniform(-1.5, 1.5), 3) for _ in range(2)] for _ in range(self.n)]


def matrix(sums, n, numbers):
    """Rows of the sums over all parameters."""
    rows = []
    for one in sums:
        space = {"sin": np.sin, "cos": np.cos, **numbers}
        names = {"b%d.%s" % (i, p.replace("*", "*b%d." % i)): 10 * (i - 1) + k for i in range(1, n + 1) for k, p in enumerate(OWN)}
        code = one.replace("^", "**")
        for name in sorted(names, key=len, reverse=True):
            code = re.sub(re.escape(name) + r"(?![\w*.])|" + re.escape(name) + r"(?= )", "P[%d]" % names[name], code)
        rows.append([eval(code, {"__builtins__": {}}, {**space, "P": np.eye(10 * n)[k]}) for k in range(10 * n)])
    return np.array(rows)


def accelerations(case, chain, numbers, parameters, state):
    answer = case.program.run(chain.text(numbers, parameters, state), [0.0])
    rows = answer.rows()
    return np.array(list(rows[0].values())[1:]) if rows else answer.why()


def torque_like(case, chain, numbers, parameters, states):
    found = [accelerations(case, chain, numbers, parameters, s) for s in states]
    wrong = [f for f in found if isinstance(f, str)]
    return wrong[0] if wrong else np.concatenate(found)


def compare(case):
    chain = Chain(case.dice)
    numbers, parameters, states = chain.numbers(), chain.inertias(), [chain.state() for _ in range(2)]
    said = case.program.call(chain.text(numbers, parameters, states[0]), "dynamics", "--json")
    if not case.check(said.code == 0, said.why(), chain.text(numbers, parameters, states[0])):
        return
    sums = said.json()["base_parameters"]
    if not any("present values" in remark for remark in said.json().get("remarks", [])):
        numbers = chain.numbers()
    B = matrix(sums, chain.n, numbers)
    kept = np.linalg.svd(B)[2][len(sums):]
    first = torque_like(case, chain, numbers, parameters, states)
    change = kept.T @ np.array([case.dice.uniform(-0.1, 0.1) for _ in kept]) if len(kept) else 0 * parameters
    second = torque_like(case, chain, numbers, parameters + change, states)
    text = chain.text(numbers, parameters, states[0])
    for found in (first, second):
        if not case.check(not isinstance(found, str), found, text):
            return
    case.check(np.abs(first - second).max() < 1e-8 * (1 + np.abs(first).max()), "accelerations change by %g though the sums stay: %s" % (
        np.abs(first - second).max(), sums), text)
    one = B.T @ np.linalg.solve(B @ B.T, np.eye(len(sums))[case.dice.randrange(len(sums))]) * 0.05
    states = [chain.state() for _ in range(2)]
    apart = torque_like(case, chain, numbers, parameters, states), torque_like(case, chain, numbers, parameters + one, states)
    if case.check(not any(isinstance(x, str) for x in apart), str(apart), text):
        case.check(np.abs(apart[0] - apart[1]).max() > 1e-9, "a sum has no effect: %s" % sums, text)


def main():
    c = Campaign("base", 4)
    for case in c:
        compare(case)
    c.close()


if __name__ == "__main__":
    main()
