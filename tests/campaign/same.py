"""One network, told in many ways: other units, scaled as a whole, later in time, with values from the command line, begun again from
a row, in other trees, forms and by other methods. All rows must be those of the first, at a tight tolerance.

R, L, C and nonlinear elements of the model's own, so that any scale of voltage, current and time gives the same picture; sines,
pulses, and a long rest before a short pulse.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from campaign import Campaign

OWN = """element cubic
  port p, n : electrical
  edge e(p, n)
  param G : S > 0, v0 : V > 0
  e.i = G*e.v*(1 + (e.v/v0)^2)
end
element saturable
  port p, n : electrical
  edge e(p, n)
  param L : H > 0, i0 : A > 0
  e.v = L/(1 + (e.i/i0)^2)*der(e.i)
end
element varactor
  port p, n : electrical
  edge e(p, n)
  param C : F > 0, v0 : V > 0
  e.i = C/(1 + (e.v/v0)^2)*der(e.v)
end
"""
# by kind: exponents of voltage, current, time in the unit of its values; prefixes that may be written
KEYS = {"R": (1, -1, 0, "ohm"), "L": (1, -1, 1, "H"), "C": (-1, 1, 1, "F"), "G": (-1, 1, 0, "S"), "v0": (1, 0, 0, "V"), "i0": (0, 1, 0, "A")}
PREFIX = {"": 1.0, "m": 1e-3, "u": 1e-6, "k": 1e3, "n": 1e-9, "M": 1e6}


def number(dice, low, high):
    return float("%.4g" % (low * (high / low) ** dice.random()))


class Network:
    def __init__(self, dice):
        self.n, self.parts = dice.randint(2, 5), []
        for i in range(1, self.n + 1):
            self.parts.append(("R%d" % i, "resistor", i - 1, i, {"R": number(dice, 0.1, 10)}))
            kind = dice.choice(("capacitor", "capacitor", "varactor"))
            keys = {"C": number(dice, 0.003, 1)}
            self.parts.append(("C%d" % i, kind, i, "ground", keys if kind == "capacitor" else {**keys, "v0": number(dice, 0.3, 3)}))
            if dice.random() < 0.5:
                self.parts.append(("X%d" % i, "cubic", i, "ground", {"G": number(dice, 0.05, 2), "v0": number(dice, 0.3, 3)}))
            if dice.random() < 0.4:
                kind = dice.choice(("inductor", "saturable"))
                keys = {"L": number(dice, 0.1, 3)}
                self.parts.append(("L%d" % i, kind, dice.randrange(i), i, keys if kind == "inductor" else {**keys, "i0": number(dice, 0.3, 3)}))
        self.top, self.stop, self.lull = number(dice, 0.3, 3), 3.0, dice.choice((0.0, 0.0, 50.0, 1e4))
        self.wave, self.rate = dice.choice(("sine", "pulse", "both")), number(dice, 0.5, 10)
        self.v = [round(dice.uniform(-1, 1), 3) if not self.lull and dice.random() < 0.4 else 0.0 for _ in range(self.n)]
        self.rows = [self.lull + self.stop * (k + dice.random()) / 12 for k in range(12)] + [self.lull + 0.5, self.lull + 1.0]

    def source(self, a, c, t0):
        t = "(t - %r s)" % (t0 + c * self.lull) if t0 or self.lull else "t"
        sine = "sin(%r rad/s*%s)" % (self.rate / c, t)
        if self.lull:
            sine = "(if %s < 0 s then 0 else %s)" % (t, sine)
        pulse = "(if %s < %r s then 0 else if %s < %r s then 1 else 0)" % (t, 0.5 * c, t, 1.0 * c)
        return "%r V*(%s)" % (a * self.top, {"sine": sine, "pulse": pulse, "both": "0.6*%s + 0.4*%s" % (sine, pulse)}[self.wave])

    def text(self, a=1.0, b=1.0, c=1.0, t0=0.0, units=None, params=False, start=None):
        lines, heads = ["V1 : vsource(n0, ground)  v = " + self.source(a, c, t0)], []
        for name, kind, p, q, keys in self.parts:
            told = []
            for key, value in keys.items():
                i, j, k, unit = KEYS[key]
                value *= a**i * b**j * c**k
                prefix = units.choice(sorted(PREFIX)) if units else ""
                told.append("%s = %s" % (key, "p_%s_%s" % (name, key) if params else "%r %s%s" % (value / PREFIX[prefix], prefix, unit)))
                if params:
                    heads.append("param p_%s_%s = %r %s" % (name, key, 2 * value, unit))
            lines.append("%s : %s(n%s, %s)  %s" % (name, kind, p, "n%d" % q if q != "ground" else q, ", ".join(told)))
        given = start or {"C%d.v" % (i + 1): v * a for i, v in enumerate(self.v) if v}
        lines += ["initial %s = %r" % (name, v) for name, v in given.items()]
        return "model same\n" + OWN + "\n".join(heads + lines) + "\noutput " + ", ".join(self.outputs()) + "\n"

    def states(self):
        return [name + (".v" if name[0] == "C" else ".i") for name, *_ in self.parts if name[0] in "CL"]

    def outputs(self):
        return self.states() + ["C1.i", "R1.i"] + [name + ".i" for name, *_ in self.parts if name[0] == "X"]


def scaled(row, a, b):
    return {k: v / (a if k.endswith(".v") else b) for k, v in row.items() if k != "time"}


def variants(net, dice):
    """What is told, the text, its options, scales of voltage, current and time, and the first time."""
    power = lambda most: 10.0 ** dice.randint(-most, most)
    yield "units", net.text(units=dice), [], (1.0, 1.0, 1.0), 0.0
    a, b, c = power(dice.choice((3, 12))), power(dice.choice((3, 12))), power(dice.choice((3, 9)))
    yield "scaled by %g, %g, %g" % (a, b, c), net.text(a, b, c), [], (a, b, c), 0.0
    t0 = round(dice.uniform(-1, 1) * 10.0 ** dice.randint(0, 4), 3)
    yield "begun at %r" % t0, net.text(t0=t0), ["--start", repr(t0)], (1.0, 1.0, 1.0), t0
    sets = [x for name, _, _, _, keys in net.parts for key, value in keys.items() for x in ("--set", "p_%s_%s=%r %s" % (name, key, value, KEYS[key][3]))]
    yield "set", net.text(params=True), sets, (1.0, 1.0, 1.0), 0.0
    for form in ("branch-chord", "tableau", "numeric"):
        yield form, net.text(), ["--form", form], (1.0, 1.0, 1.0), 0.0
    for method in ("rosenbrock", "bdf", "rk", "rk8", "adams"):
        yield method, net.text(), ["--method", method], (1.0, 1.0, 1.0), 0.0
    yield "tree", net.text(), ["--tree", dice.choice(net.parts)[0]], (1.0, 1.0, 1.0), 0.0


def compare(case, net, what, text, options, scales, t0, tol, right, most, first=0):
    a, b, c = scales
    times = [t0 + c * t for t in sorted(net.rows)[first:]]
    small = min(1.0, *scales[:2])  # what is as small as that is worth as much
    said = case.program.run(text, times, "--tol", repr(tol), "--atol", repr(1e-3 * tol * small), *options)
    got = said.rows()
    if got is None and what in ("rk", "rk8", "adams") and any(code in said.err for code in ("W597", "E526")):
        return
    if not case.check(got is not None, "%s: %s" % (what, said.why()), text):
        return
    late = 1e-13 * max(abs(t0 / c), times[-1] / c) * 10 / min(1.0, 1 / net.rate)  # times have digits, too
    late *= 20 if what == "adams" else 1  # many short steps are added to a large time
    for k in right[0]:
        off, t = max((abs(scaled(g, a, b)[k] - r[k]), g["time"]) for g, r in zip(got, right[first:]))
        case.check(off <= (20 * tol + late) * most[k] + 1e-13, "%s, tol %.0e: %s is off by %.2g of %.2g at %r" % (what, tol, k, off, most[k], t), text)


def main():
    campaign = Campaign("same", 6)
    for case in campaign:
        net, dice = Network(case.dice), case.dice
        said = case.program.run(net.text(), sorted(net.rows), "--tol", "1e-11", "--method", "rosenbrock")
        rows = said.rows()
        if not case.check(rows is not None, said.why(), net.text()):
            continue
        right = [scaled(row, 1.0, 1.0) for row in rows]
        many = case.program.run(net.text(), [net.lull + net.stop * k / 600 for k in range(601)]).rows()
        most = {k: max(abs(row[k]) for row in many + right) for k in right[0]}
        for told in variants(net, dice):
            compare(case, net, *told, 10.0 ** dice.randint(-9, -3), right, most)
        k = dice.randrange(4, 9)
        again = {name: rows[k][name] for name in net.states()}
        text, first = net.text(start=again), rows[k]["time"]
        compare(case, net, "begun again", text, ["--start", repr(first)], (1.0, 1.0, 1.0), 0.0, 1e-8, right, most, k + 1)
    campaign.close()


if __name__ == "__main__":
    main()
