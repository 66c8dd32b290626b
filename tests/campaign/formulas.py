"""Operating points of networks with formulas: B sources of roots, powers, steps and kinks, in netlists. Kirchhoff's laws and the laws
of all sources must hold with what is printed; a network whose formulas are all passive has one solution, and it must be found."""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from campaign import Campaign


def sign(x):
    return (x > 0) - (x < 0)


def clamp(x, low, high):
    return min(max(x, low), high)


# text of x, value, does it rise through zero
FORMULAS = [
    ("sgn(%s)*sqrt(abs(%s))", lambda x: sign(x) * math.sqrt(abs(x)), True),
    ("pwr(%s, 0.3)", lambda x: sign(x) * abs(x) ** 0.3, True),
    ("pwr(%s, 2.5)", lambda x: sign(x) * abs(x) ** 2.5, True),
    ("tanh(5*(%s))", lambda x: math.tanh(5 * x), True),
    ("tanh(500*(%s))", lambda x: math.tanh(500 * x), True),
    ("(%s)^3", lambda x: x ** 3, True),
    ("atan(%s)", math.atan, True),
    ("limit(%s, -0.5, 1)", lambda x: clamp(x, -0.5, 1), True),
    ("max(%s, 0)", lambda x: max(x, 0), True),
    ("uramp(%s - 0.5)", lambda x: max(x - 0.5, 0), True),
    ("pwl(%s, -1, -2, 0, 0, 1, 3, 2, 4)", lambda x: 2 * x if x < 0 else 3 * x if x < 1 else x + 2, True),
    ("table(%s, -1, -2, 0, 0, 1, 3, 2, 4)", lambda x: 2 * max(x, -1) if x < 0 else 3 * x if x < 1 else min(x, 2) + 2, True),
    ("sqrt(abs(%s))", lambda x: math.sqrt(abs(x)), False),
    ("pow(%s, 0.6)", lambda x: abs(x) ** 0.6, False),
    ("(%s)^2", lambda x: x * x, False),
    ("exp(min(%s, 3))", lambda x: math.exp(min(x, 3)), False),
    ("ln(1 + abs(%s))", lambda x: math.log(1 + abs(x)), False),
    ("1/(1 + (%s)^2)", lambda x: 1 / (1 + x * x), False),
    ("(%s > 0.2 ? %s : 0.2)", lambda x: x if x > 0.2 else 0.2, False),
]


def spread(law, v):
    """What voltages that are known to 1e-11 V leave open of a law."""
    return 1e-9 + max(abs(law({**v, node: v[node] + d}) - law(v)) for node in v for d in (-1e-11, 1e-11))


class Network:
    def __init__(self, dice, passive):
        self.dice, self.passive = dice, passive
        self.nodes = ["n%d" % i for i in range(1, dice.randint(2, 5) + 1)]
        self.lines, self.edges, self.laws = ["formulas", "V1 s 0 %r" % dice.uniform(-10, 10)], [], []
        for i, a in enumerate(self.nodes):
            self.resistor(a, dice.choice(["s", "0"] + self.nodes[:i]), 10 ** dice.uniform(1, 5))
            self.resistor(a, "0", 10 ** dice.uniform(2, 6))
        for k in range(dice.randint(1, 3)):
            self.formula(k)

    def resistor(self, a, b, ohm):
        self.lines.append("R%d %s %s %r" % (len(self.lines), a, b, ohm))
        self.edges.append((a, b, lambda v: (v[a] - v[b]) / ohm))

    def formula(self, k):
        """A current between nodes that follows a voltage, or a voltage behind a resistor."""
        dice = self.dice
        text, value, _ = dice.choice([f for f in FORMULAS if f[2] or not self.passive])
        p, q = dice.sample(self.nodes + ["0", "s"], 2)
        current = self.passive or dice.random() < 0.6
        a, b = (p, q) if self.passive else dice.sample(self.nodes + ["0"], 2)
        factor = 10 ** dice.uniform(-5, -2) * (1 if self.passive else dice.choice((1, 1, -0.3))) if current else dice.choice((1, 2, -1, 0.5))
        text = text.replace("%s", "(v(%s) - v(%s))" % (p, q))
        self.lines.append("B%d %s %s={%r*(%s)}" % (k, "%s %s" % (a, b) if current else "o%d 0" % k, "I" if current else "V", factor, text))
        if current:
            self.edges.append((a, b, lambda v: factor * value(v[p] - v[q])))
        else:
            self.laws.append(("o%d" % k, lambda v: factor * value(v[p] - v[q])))
            self.resistor("o%d" % k, dice.choice(self.nodes), 10 ** dice.uniform(1, 4))

    def text(self):
        return "\n".join(self.lines + [".op", ".end", ""])

    def missed(self, row):
        """What does not hold; a root next to zero is known as well as its voltage."""
        v = {name[2:-1]: x for name, x in row.items() if name.startswith("v(")}
        v["0"] = 0.0
        into, size, open, bad = dict.fromkeys(v, 0.0), dict.fromkeys(v, 0.0), dict.fromkeys(v, 0.0), []
        for a, b, current in self.edges:
            i = current(v)
            open[a] += spread(current, v)
            open[b] += spread(current, v)
            for node, part in ((a, i), (b, -i)):
                into[node] += part
                size[node] += abs(part)
        bad += ["the currents at %s sum up to %g of %g" % (a, into[a], size[a]) for a in self.nodes if not abs(into[a]) <= 1e-5 * size[a] + open[a]]
        bad += ["%s is %g, its law says %g" % (o, v[o], law(v)) for o, law in self.laws if not abs(v[o] - law(v)) <= 1e-5 * abs(v[o]) + 1e-4 + spread(law, v)]
        return bad


def main():
    campaign = Campaign("formulas", 60)
    for case in campaign:
        network = Network(case.dice, case.dice.random() < 0.4)
        said = case.program.run(network.text(), ending="cir")
        rows = said.rows()
        if rows is None:
            case.check(not network.passive and "E527" in said.err, said.why(), network.text())
            continue
        bad = network.missed(rows[0])
        case.check(not bad, "; ".join(bad), network.text())
    campaign.close()


main()
