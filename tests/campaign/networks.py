#!/usr/bin/python3
"""Random nonlinear networks by numbers against derived equations: one path derives each element once, the other all of them.

R, L, C, diodes, bipolar and MOS transistors, controlled sources, elements of the model's own; driven by sines, ramps and
pulses, from rest and from given values. Both paths are compared at tight tolerances, and the numbers of default tolerances with
them; operating points, too. Every fifth is a row of cells, of which most rest most of the time. A network that the path in numbers leaves to the other one agrees with it by itself: how many
were taken is counted. A network may amplify whatever is put in (a coil in saturation that rings a hundred thousand times until
the next row has a phase of a million times any relative error): a difference is not held against the program where the tight
reference itself, in the same row, moves by a third of it when its source changes by no more than the tolerance. Such
columns are counted, too. An output is as large as it ever is: a coil behind a step of its source peaks for less than rows are apart.
"""
import functools
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
from campaign import Campaign

OWN = """element varactor "C falls with v"
  port p, n : electrical
  edge e(p, n)
  param C : F > 0, v0 : V > 0
  e.i = C/(1 + (e.v/v0)^2)*der(e.v)
end
element saturable "L falls with i"
  port p, n : electrical
  edge e(p, n)
  param L : H > 0, i0 : A > 0
  e.v = L/(1 + (e.i/i0)^2)*der(e.i)
end
element cubic "i = G v + K v^3"
  port p, n : electrical
  edge e(p, n)
  param G : S > 0, K : A/V^3 >= 0 = 0
  e.i = G*e.v + K*e.v^3
end
element soft "v = R i0 asinh(i/i0)"
  port p, n : electrical
  edge e(p, n)
  param R : ohm > 0, i0 : A > 0
  e.v = R*i0*asinh(e.i/i0)
end
element lagging "conductance that follows the heat in it"
  port p, n : electrical
  edge e(p, n)
  param G : S > 0, tau : s > 0
  var h
  tau*der(h) = (e.v/(1 V))^2 - h
  e.i = G*e.v/(1 + h)
end
"""


def number(dice, low, high):
    return float("%.3g" % (low * (high / low) ** dice.random()))


def wave(dice, period, most):
    kind = dice.choice(["sine", "pulse", "ramp", "steady"])
    a = number(dice, 0.3, most)
    if kind == "sine":
        return "%g*sin(%g*t) + %g" % (a, 6.2831853 / period, dice.uniform(-1, 1))
    if kind == "pulse":
        return "(if t < %g then 0 else if t < %g then %g else %g)" % (0.3 * period, 0.8 * period, a, dice.choice([0, -a]))
    if kind == "ramp":
        return "%g*min(t/%g, 1)" % (a, number(dice, 0.05, 0.7) * period)
    return "%g" % a


def two_pole(dice, nodes, period, name):
    """One line between two nodes."""
    a, b = dice.sample(nodes, 2)
    G = number(dice, 1e-4, 1e-2)
    kind = dice.choice(["resistor", "resistor", "diode", "diode", "capacitor", "capacitor", "inductor", "cubic", "soft", "varactor",
                        "saturable", "lagging", "junction"])
    given = {"resistor": "R = %g" % (1 / G), "diode": "Is = %g, n = %g" % (number(dice, 1e-15, 1e-9), dice.uniform(1, 2)),
             "capacitor": "C = %g" % (G * period * number(dice, 0.01, 1)), "inductor": "L = %g" % (period / G * number(dice, 0.01, 1)),
             "cubic": "G = %g, K = %g" % (G, G * number(dice, 0.01, 1)), "soft": "R = %g, i0 = %g" % (1 / G, number(dice, 1e-4, 1e-2)),
             "varactor": "C = %g, v0 = %g" % (G * period * number(dice, 0.01, 1), dice.uniform(0.5, 3)),
             "saturable": "L = %g, i0 = %g" % (period / G * number(dice, 0.01, 1), number(dice, 1e-3, 1e-1)),
             "lagging": "G = %g, tau = %g" % (G, period * number(dice, 0.01, 1)),
             "junction": "CJ = %g, VJ = %g" % (G * period * number(dice, 0.01, 0.3), dice.uniform(0.5, 1))}[kind]
    return "%s : %s(%s, %s)  %s" % (name, "junction_capacitor" if kind == "junction" else kind, a, b, given), (kind, name)


def transistor(dice, nodes, name):
    c, b, e = dice.sample(nodes, 3)
    kind = dice.choice(["bjt_npn", "bjt_pnp", "spice_npn", "nmos", "pmos", "vccs", "vcvs"])
    if kind in ("nmos", "pmos"):
        return "%s : %s(%s, %s, %s)  K = %g, Vth = %g, lambda = %g" % (name, kind, c, b, e, number(dice, 1e-4, 1e-2), dice.uniform(0.3, 1.5),
                                                                     dice.choice([0, 0.02]))
    if kind == "vccs":
        return "%s : vccs(%s, %s | %s, ground)  gm = %g" % (name, b, e, c, number(dice, 1e-5, 1e-3))
    if kind == "vcvs":
        return "%s : vcvs(%s, %s | %sx, ground)  gain = %g\n%sr : resistor(%sx, %s)  R = %g" % (name, b, e, name, dice.uniform(0.1, 3), name, name, c,
                                                                                             number(dice, 1e2, 1e4))
    return "%s : %s(%s, %s, %s)" % (name, kind, c, b, e)


def network(dice):
    """(text, period, columns)"""
    period = number(dice, 1e-4, 1)
    nodes = ["n%d" % i for i in range(1, dice.randint(2, 7))]
    every = nodes + ["ground"]
    lines, stores = ["V1 : vsource(n1, ground)  v = " + wave(dice, period, 5)], []
    for i, a in enumerate(nodes[1:]):  # nothing floats
        lines.append("T%d : resistor(%s, %s)  R = %g" % (i, a, nodes[i], number(dice, 1e2, 1e4)))
        lines.append("G%d : resistor(%s, ground)  R = %g" % (i, a, number(dice, 1e3, 1e5)))
    for i in range(dice.randint(1, 7)):
        line, what = two_pole(dice, every, period, "X%d" % i)
        lines.append(line)
        stores.append(what)
    for i in range(dice.randint(0, 3) if len(every) > 3 else 0):
        lines.append(transistor(dice, every, "Q%d" % i))
    if dice.random() < 0.3:
        lines.append("I1 : isource(ground, %s)  i = 1e-3*(%s)" % (dice.choice(nodes), wave(dice, period, 5)))
    columns = ["%s.v" % a for a in nodes] + ["%s.i" % name for kind, name in stores if dice.random() < 0.3]
    if dice.random() < 0.2:
        columns.append("V1.i")
    starts = []
    for kind, name in stores:
        if kind in ("capacitor", "varactor", "junction") and dice.random() < 0.3:
            starts.append("initial %s.v = %g" % (name, dice.uniform(-0.4, 0.4)))
    if dice.random() < 0.5:
        starts = ["initial equilibrium"]
    text = "model network\n" + "\n".join(lines + starts) + "\noutput " + ", ".join(columns) + "\n"
    return text + OWN, period


def cell(dice, period):
    """One of many in a row, as a text of i: it moves for a short while only."""
    C = "C{i} : capacitor(n{i}, ground)  C = %g" % (1e-3 * period * number(dice, 0.002, 0.05))
    R = "R{i} : resistor(n{i-1}, n{i})  R = %g" % number(dice, 1e2, 3e3)
    load = "G{i} : resistor(n{i}, ground)  R = %g" % number(dice, 1e3, 1e5)
    diode = "D{i} : diode(n{i}, ground)  Is = %g" % number(dice, 1e-14, 1e-9)
    mos = ("P{i} : pmos(n{i}, n{i-1}, vdd)  K = %g, Vth = 0.7, lambda = %g\nM{i} : nmos(n{i}, n{i-1}, ground)  K = %g, Vth = 0.7, lambda = 0.02"
           % (number(dice, 3e-4, 3e-3), dice.choice([0.02, 0.1]), number(dice, 3e-4, 3e-3)))
    junction = "J{i} : junction_capacitor(n{i}, ground)  CJ = %g, VJ = 0.8" % (1e-3 * period * number(dice, 0.002, 0.05))
    follower = ("Q{i} : bjt_npn(vdd, n{i-1}, e{i})\nE{i} : resistor(e{i}, ground)  R = 2e3\nS{i} : vsource(n{i}, e{i})  v = 0.6\n"
                "L{i} : resistor(n{i}, ground)  R = 1e5")
    return "\n".join(dice.choice([[mos, C], [mos, C], [mos, C, junction], [R, diode, C], [R, load, C, diode], [R, load, junction, diode],
                                  [follower, C], ["P{i} : resistor(vdd, n{i})  R = 5e3\nM{i} : nmos(n{i}, n{i-1}, ground)  K = 1e-3, Vth = 0.7", C]]))


def row(dice):
    """Cells in a row, so many that matrices are sparse, and most of them rest."""
    period, count = number(dice, 1e-4, 1), dice.randint(45, 70)
    lines = ["V1 : vsource(n0, ground)  v = " + wave(dice, period, 3.3), "V2 : vsource(vdd, ground)  v = %s" %
             dice.choice(["3.3", "3.3", "3.3 + 0.1*sin(%g*t)" % (9 / period)]), "repeat i = 1..%d {" % count, cell(dice, period), "}"]
    shown = ["n%d.v" % k for k in sorted(dice.sample(range(1, count + 1), 4))]
    start = [] if dice.random() < 0.3 else ["initial equilibrium"]
    return "model network\n" + "\n".join(lines + start) + "\noutput " + ", ".join(shown) + "\n", period


def apart(a, b, column):
    """Row by row."""
    return [abs(x[column] - y[column]) for x, y in zip(a, b)]


def amplified(off, limit, reference, moved, column):
    """Whether the model alone makes of an error of the tolerance at least a third of what is off, in every row beyond the limit."""
    if any(answer.code for answer in moved):
        return False
    moves = [max(both) for both in zip(*(apart(answer.rows(), reference, column) for answer in moved))]
    return len(moves) == len(off) and all(x <= limit or x <= 3 * most for x, most in zip(off, moves))


def compare(case, text, got, want, share, what, moved, jumped):
    """Of every column, by its largest value, also in jumped(), right behind jumps of sources; moved() gives `want` of sources larger
    and smaller by the tolerance of `got`."""
    a, b = got.rows(), want.rows()
    if a is None or b is None:
        return case.check((a is None) == (b is None), "%s: %s; other: %s" % (what, got.why(), want.why()), text)
    for column in b[0]:
        most = max(abs(row[column]) for row in b) + 1e-3 * (1e-2 if column.endswith(".i") else 1)
        off, limit = apart(a, b, column), share * most + 1e-8
        good = len(a) == len(b) and max(off) <= limit
        if not good and jumped():
            limit += share * max(max(abs(row[column]) for row in jumped()) - most, 0)
            good = len(a) == len(b) and max(off) <= limit
        if not good and len(a) == len(b) and amplified(off, limit, b, moved(), column):
            case.amplified += 1
        elif not case.check(good, "%s: %s differs by %.2g of %.3g" % (what, column, max(off), most), text):
            return False
    return True


def changed(text, share):
    """The same network, its source larger by this share."""
    return re.sub(r"^(V1 : .* v = )(.*)$", lambda m: "%s%r*(%s)" % (m[1], 1 + share, m[2]), text, count=1, flags=re.M)


def main():
    campaign = Campaign("networks", 40)
    taken = campaign.amplified = 0
    for case in campaign:
        many = case.dice.random() < 0.2
        text, period = (row if many else network)(case.dice)
        common = ["--stop", repr(1.5 * period), "--points", "37"]

        def reference(of):
            return case.program.run(of, None, *common, "--form", "nodal", "--tol", "1e-9", timeout=20)

        @functools.lru_cache(maxsize=None)
        def moved(share):
            return [reference(changed(text, x)) for x in (share, -share)]

        @functools.lru_cache(maxsize=None)
        def jumped():
            times = [x * period * (1 + 1e-6) for x in (0.3, 0.8)]
            return case.program.run(text, times, "--stop", repr(period), "--form", "nodal", "--tol", "1e-9", timeout=20).rows()

        other = reference(text)
        tight = case.program.run(text, None, *common, "--form", "numeric", "--tol", "1e-9", timeout=20)
        usual = case.program.run(text, None, *common, "--form", "numeric", timeout=20)
        if other.code and not tight.code:  # the other path gives up more often
            continue
        stats = case.program.call(text, "run", *common, "--form", "numeric", "--stats", "-o", os.path.join(case.program.folder.name, "x.csv"))
        taken += '"path":"numeric"' in stats.out
        if compare(case, text, tight, other, 3e-6, "tight", lambda: moved(1e-9), jumped):
            compare(case, text, usual, other, 1e-3 if many else 3e-5, "usual", lambda: moved(1e-6), jumped)  # edges are late by sums
    print("networks: %d in numbers, %d columns of models that amplify errors" % (taken, campaign.amplified))
    campaign.close()


if __name__ == "__main__":
    main()
