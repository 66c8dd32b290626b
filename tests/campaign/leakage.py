#!/usr/bin/python3
"""Operating points that leakage holds beside currents that cancel.

leakage.py PROGRAM [--cases N | --seconds S] [--seed N] [--only K]. Diodes in a row from a source to a load; at every node a
capacitor, or a pair of them in a row, behind a small resistance on a source of volts: at rest nothing flows there, but equations
that divide a difference of voltages by 1 uohm leave 1e-10 A of it, more than any leakage. Right is what one current through all
diodes and the load gives, found by bisection. All forms, trees of the capacitors' choice, equilibrium and the start of a run.
What is not right must be told (W558).
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign

VT = 25.864917e-3


def current(IS, gmin, v):
    x = v / VT
    return gmin * v + IS * ((max(0, x - 80) + 1) * math.exp(min(80, x)) - 1)


def between(f, low, high):
    """Where f, which rises, is zero."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return 0.5 * (low + high)


class Row:
    def __init__(self, dice):
        small = lambda: 10 ** dice.uniform(-6.5, 2)
        self.source = dice.choice([0.0, 0.0, dice.uniform(-5, 5), 10 ** dice.uniform(-6, 0)])
        self.load = 10 ** dice.uniform(2, 7)
        self.diodes = [(10 ** dice.uniform(-15, -10), 10 ** dice.uniform(-14, -11), dice.choice([1, 1, 1, -1]))
                       for _ in range(dice.randint(1, 5))]
        self.held = [(small(), dice.uniform(-12, 12), dice.randint(1, 2)) for _ in self.diodes]

    def drop(self, k, i):
        """The voltage of diode k, counted along the row, by the current along the row."""
        IS, gmin, way = self.diodes[k]
        return way * between(lambda v: current(IS, gmin, v) - way * i, -60, 10)

    def nodes(self):
        i = between(lambda i: i * self.load + sum(self.drop(k, i) for k in range(len(self.diodes))) - self.source, -1.0, 1.0)
        v, found = i * self.load, []
        for k in reversed(range(len(self.diodes))):
            found.append(v)
            v += self.drop(k, i)
        return found[::-1]

    def text(self):
        lines = ["V0 : vsource(n0, ground)  v = %r" % self.source, "RL : resistor(n%d, ground)  R = %r" % (len(self.diodes), self.load)]
        for k, ((IS, gmin, way), (R, v, count)) in enumerate(zip(self.diodes, self.held), 1):
            a, b = ("n%d" % (k - 1), "n%d" % k)[::way]
            lines.append("D%d : spice_diode(%s, %s)  IS = %r, GMIN = %r" % (k, a, b, IS, gmin))
            lines += ["V%d : vsource(a%d, ground)  v = %r" % (k, k, v), "R%d : resistor(a%d, b%d)  R = %r" % (k, k, k, R)]
            if count == 1:
                lines.append("C%d : capacitor(n%d, b%d)  C = 1e-7" % (k, k, k))
            else:
                lines += ["C%d : capacitor(n%d, c%d)  C = 1e-7" % (k, k, k), "L%d : inductor(c%d, b%d)  L = 1e-3" % (k, k, k)]
        shown = ", ".join("n%d.v" % k for k in range(1, len(self.diodes) + 1))
        return "\n".join(lines) + "\noutput " + shown + "\n"


def compare(case, got, want, told, what, text):
    """Within some millionths of a volt, or of what it is."""
    for k, v in enumerate(want, 1):
        off = abs(got["n%d.v" % k] - v)
        case.check(off <= 3e-6 * (1 + abs(v)) or told, "%s: n%d.v = %r, right is %r" % (what, k, got["n%d.v" % k], v), text)


def main():
    campaign = Campaign("leakage", 12)
    told = 0
    for case in campaign:
        row = Row(case.dice)
        text, want = row.text(), row.nodes()
        for form in ("nodal", "branch-chord", "tableau", "numeric"):
            said = case.program.call(text, "equilibrium", "--form", form, "--json")
            found = said.json()
            if not case.check(said.code == 0 and found, "%s: %s" % (form, said.why()), text):
                continue
            warned = "W558" in said.out + said.err
            told += warned
            compare(case, found["outputs"], want, warned, form, text)
            said = case.program.run("initial equilibrium\n" + text, [1e-9], "--form", form)
            if case.check(said.code == 0, "run, %s: %s" % (form, said.why()), text):
                compare(case, said.rows()[0], want, "W558" in said.err, "run, " + form, text)
    print("leakage: %d told" % told)
    campaign.close()


if __name__ == "__main__":
    main()
