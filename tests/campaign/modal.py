#!/usr/bin/env python3
"""modal.py PROGRAM: what is read in modes. Equilibria of random chains with stops, and of networks with diodes, against the
ends of long damped runs, those of bodies on floors by runs from there, which must not move; linear models and rates of
single points against differences of runs inside of a mode."""
import json
import math

from campaign import Campaign

STEP = 1e-4


def number(dice, low, high):
    return float("%.4g" % dice.uniform(low, high))


def chain(dice):
    """Masses in a row, each held by a spring and a damper, with stops to the ground and between neighbours."""
    count, lines, at = dice.randint(1, 4), [], 0.0
    for i in range(count):
        at += number(dice, 0.6, 1.2)
        v = dice.choice([0.0, number(dice, -2, 2)])
        lines += ["M%d : mass(a%d)  m = %r, x(0) = %r, v(0) = %r" % (i, i, number(dice, 0.5, 3), at, v),
                  "F%d : force(ground, a%d)  F = %r" % (i, i, number(dice, -30, 30)),
                  "K%d : spring(ground, a%d)  k = %r" % (i, i, number(dice, 2, 20)),
                  "D%d : damper(ground, a%d)  d = %r" % (i, i, number(dice, 0.5, 4))]
        kind = dice.random()
        if kind < 0.6:
            lines.append("S%d : end_stop(ground, a%d)  xmin = %r, xmax = %r, e = %r"
                         % (i, i, at - number(dice, 0.05, 0.8), at + number(dice, 0.05, 0.8), dice.choice([0.0, number(dice, 0, 0.9)])))
        if i and dice.random() < 0.7:
            lines.append("T%d : end_stop(a%d, a%d)  xmin = %r, xmax = 50, e = %r"
                         % (i, i - 1, i, number(dice, 0.05, 0.5), dice.choice([0.0, number(dice, 0, 0.9)])))
    stored = ["M%d.%s" % (i, v) for i in range(count) for v in "xv"]
    return "\n".join(lines) + "\n", ["a%d.x" % i for i in range(count)], stored


def ladder(dice):
    """Sources, diodes, switches by parameters, inductors and capacitors; every node has a resistor."""
    count, lines = dice.randint(1, 4), ["V : vsource(n0, ground)  v = %r" % number(dice, -10, 10)]
    for i in range(1, count + 1):
        last, here = "n%d" % (i - 1), "n%d" % i
        part = dice.choice(["ideal_diode(%s, m%d)" % (last, i), "ideal_diode(m%d, %s)" % (i, last), "resistor(%s, m%d)  R = 1" % (last, i)])
        lines += ["P%d : %s" % (i, part), "L%d : inductor(m%d, %s)  L = %r" % (i, i, here, number(dice, 0.1, 1)),
                  "Q%d : resistor(%s, ground)  R = %r" % (i, here, number(dice, 0.3, 3))]
        if dice.random() < 0.6:
            lines.append("C%d : capacitor(%s, ground)  C = %r" % (i, here, number(dice, 0.05, 0.5)))
        if dice.random() < 0.3:
            lines += ["B%d : vsource(b%d, ground)  v = %r" % (i, i, number(dice, -5, 5)),
                      "X%d : %s" % (i, dice.choice(["ideal_diode(b%d, c%d)", "ideal_diode(c%d, b%d)"]) % (i, i)),
                      "Y%d : resistor(c%d, %s)  R = %r" % (i, i, here, number(dice, 0.3, 3))]
    stored = [line.split()[0] + (".v" if line[0] == "C" else ".i") for line in lines if line[0] in "CL"]
    return "\n".join(lines) + "\n", ["Q%d.i" % i for i in range(1, count + 1)], stored


def block(dice, at=None):
    """A block with a contact at each corner over a floor that is not too steep; started at rest somewhere above."""
    w, h, slope, mu = number(dice, 0.1, 0.5), number(dice, 0.1, 0.5), number(dice, -0.3, 0.3), number(dice, 0.4, 1.2)
    corners = {"A": (-w, -h), "B": (w, -h), "C": (w, h), "D": (-w, h)}
    e = dice.choice([0.0, number(dice, 0, 0.8)])
    start = [number(dice, -1, 1), number(dice, 1.2, 1.6), number(dice, -3, 3)]
    lines = ["space = planar", "gravity = [0, -9.81] m/s^2", "ground { s = frame([0, 0], %r) }" % slope,
             "b : body  m = %r, I = %r { %s }" % (number(dice, 0.5, 3), number(dice, 0.02, 0.3),
                                                ", ".join("%s = [%r, %r]" % (k, x, y) for k, (x, y) in corners.items()))]
    lines += ["C%s : contact(ground.s, b.%s)  mu = %r, e = %r" % (k, k, mu, e) for k in corners]
    lines.append("initial b.x = %r, b.y = %r, b.theta = %r" % tuple(at or start))
    return "\n".join(lines) + "\noutput b.x, b.y, b.theta\n"


def compare_block(c):
    text = block(c.dice)
    said = c.program.call(text, "equilibrium", "--json")
    if not c.check(said.code == 0, said.why(), text):
        return
    y = said.json()["outputs"]
    at = [float(y[k]) for k in ("b.x", "b.y", "b.theta")]
    c.dice.seed("%s %d %d" % (c.name, c.asked.seed, c.number))
    c.dice.random()
    again = block(c.dice, at)
    rows = c.program.run(again, [0.0, 2.0])
    if c.check(rows.code == 0, rows.why(), again):
        end = rows.rows()[-1]
        moved = math.dist(at, [end["b.x"], end["b.y"], end["b.theta"]])
        c.check(moved < 1e-6, "a block at rest moves by %g" % moved, again)


def output(names):
    return "output " + ", ".join("%s as y%d" % (n, i) for i, n in enumerate(names)) + "\n"


def compare_rest(c, text, names, stop):
    said = c.program.call(text + output(names), "equilibrium", "--json")
    if not c.check(said.code == 0, said.why(), text):
        return
    rest = said.json()["outputs"]
    rows = c.program.run(text + output(names), [0.0, stop], "--tol", "1e-9")
    if not c.check(rows.code == 0, rows.why(), text):
        return
    end = rows.rows()[-1]
    for i, name in enumerate(names):
        if not c.equal(float(rest["y%d" % i]), end["y%d" % i], 1e-5 * (1 + abs(end["y%d" % i])), "at rest " + name, text + output(names)):
            return


def rates_of(rows, count):
    """Values and rates in the middle of three rows."""
    return ([rows[1]["y%d" % i] for i in range(count)],
            [(rows[2]["y%d" % i] - rows[0]["y%d" % i]) / (2 * STEP) for i in range(count)])


def compare_mode(c, text, stored, first, second):
    """The linear model at one time, and rates there, against a run; sources are constant."""
    said = c.program.call(text, "statespace", "--numeric", "--at", repr(first), "--json")
    if not c.check(said.code == 0, said.why(), text):
        return
    linear = said.json()
    states, a = linear["states"], linear["A"]
    if not states:
        return
    times = [t + k * STEP for t in (first, second) for k in (-1, 0, 1)]
    rows = c.program.run(text + output(states + stored), times, "--tol", "1e-11").rows()
    x, rate = rates_of(rows[:3], len(states))
    y, later = rates_of(rows[3:], len(states))
    given = ",".join("%s=%r" % (s, rows[1]["y%d" % (len(states) + i)]) for i, s in enumerate(stored))
    point = c.program.call(text, "eval", "--time", repr(first), "--state", given, "--json")
    if not c.check(point.code == 0, point.why(), text + given):
        return
    size = 1 + max(abs(v) for v in rate + later)
    for i, name in enumerate(states):
        own = float(point.json()["derivatives"].get(name, rate[i]))  # in another mode, which is right, too
        moved = sum(a[i][k] * (y[k] - x[k]) for k in range(len(states)))
        if not (c.equal(float(linear["operating_point"]["states"][name]), x[i], 1e-6 * (1 + abs(x[i])), name + " there", text) and
                c.equal(own, rate[i], 1e-5 * size, "rate of %s at %r" % (name, first), text) and
                c.equal(moved, later[i] - rate[i], 1e-5 * size, "change of the rate of %s" % name, text)):
            return


c = Campaign("modal", 12)
for case in c:
    if c.dice.random() < 0.3:
        compare_block(c)
        continue
    text, names, stored = c.dice.choice([chain, ladder])(c.dice)
    text += "simulate stop = 8\n"
    compare_rest(c, text, names, 200.0)
    listed = c.program.call(text, "run", "--events", "--json", "--tol", "1e-9")
    if not c.check(listed.code == 0, listed.why(), text):
        continue
    marks = [0.0] + [e["time"] for e in json.loads(listed.out)["events"]] + [8.0]
    spans = [(a, b) for a, b in zip(marks, marks[1:]) if b - a > 0.02]
    if spans:
        a, b = c.dice.choice(spans)
        compare_mode(c, text, stored, a + 0.2 * (b - a), a + 0.7 * (b - a))
c.close()
