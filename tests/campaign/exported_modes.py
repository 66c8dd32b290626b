"""Modes in exported C: its own main against a run of the same model.

Networks of ideal diodes and switches are those of switching.py; beside them chains of inertias with clutches, dry friction
and one-way clutches, masses between stops, masses that strike others at rest, and a body that falls to the floor. Steps of the exported program are fixed: what half of them moves is left out.
"""
import math
import os
import subprocess
import tempfile

from campaign import Campaign
from switching import END, make, text_of

ROWS = 24


def chain(dice):
    """Inertias in a row; between them, and to the ground, what slips and sticks."""
    number = lambda low, high: round(dice.uniform(low, high), 3)
    count, lines, shown = dice.randint(2, 4), [], []
    for k in range(count):
        lines.append("I%d : inertia(n%d)  J = %r, w(0) = %r" % (k, k, number(0.1, 1), number(-4, 4)))
        lines.append("T%d : torque(ground, n%d)  T = %r*sin(%r*t + %r)" % (k, k, number(0, 2), number(0.5, 3), number(0, 6)))
        shown.append("n%d.w" % k)
    for k in range(dice.randint(1, 3)):
        b = dice.randrange(count)
        a = dice.choice(["ground"] + ["n%d" % j for j in range(count) if j != b])
        kind = dice.choice(["clutch", "clutch", "torsion_friction", "one_way_clutch", "torsion_spring"])
        keys = {"clutch": "Tmax = %r, engaged = if t < %r then 0 else 1" % (number(0.2, 2), number(0, 3)),
                "torsion_friction": "Tc = %r" % number(0.1, 1), "one_way_clutch": "",
                "torsion_spring": "k = %r" % number(1, 5)}[kind]
        lines.append("K%d : %s(%s, n%d)  %s" % (k, kind, a, b, keys))
    return "\n".join(lines + ["output " + ", ".join(shown), "simulate stop = %r" % END, ""])


def stops(dice):
    """Masses in a row, each between stops, with springs and forces."""
    number = lambda low, high: round(dice.uniform(low, high), 3)
    lines, shown, last = [], [], "ground"
    for k in range(dice.randint(1, 2)):
        lines.append("M%d : mass(n%d)  m = %r, x(0) = %r, v(0) = %r" % (k, k, number(0.3, 2), number(-0.2, 0.2), number(-2, 2)))
        lines.append("F%d : force(ground, n%d)  F = %r*sin(%r*t)" % (k, k, number(-3, 3), number(0.5, 3)))
        lines.append("K%d : spring(%s, n%d)  k = %r" % (k, last, k, number(0.5, 5)))
        lines.append("S%d : end_stop(%s, n%d)  xmin = %r, xmax = %r, e = %r" % (
            k, dice.choice([last, "ground"]), k, number(-1, -0.45), number(0.45, 1), dice.choice([0, number(0.1, 0.9)])))
        shown.append("n%d.x, n%d.v" % (k, k))
        last = "n%d" % k
    if dice.random() < 0.4:
        lines.append("R : friction(ground, n0)  Fc = %r" % number(0.05, 0.5))
    return "\n".join(lines + ["output " + ", ".join(shown), "simulate stop = %r" % END, ""])


def blows(dice):
    """Masses that fly and strike others, which stick to the ground or are pressed against a stop until then."""
    number = lambda low, high: round(dice.uniform(low, high), 3)
    lines, shown = [], []
    for k in range(dice.randint(1, 2)):
        at, length = number(0.3, 0.8), number(0, 0.1)
        lines.append("P%d : mass(p%d)  m = %r, x(0) = 0, v(0) = %r" % (k, k, number(0.2, 1), number(1, 3)))
        lines.append("Q%d : mass(q%d)  m = %r, x(0) = %r" % (k, k, number(0.2, 2), at))
        lines.append("I%d : impact(p%d, q%d)  e = %r, length = %r" % (k, k, k, number(0, 1), length))
        rests = dice.random() < 0.5
        if rests:
            lines.append("E%d : end_stop(ground, q%d)  xmin = %r, xmax = 99, e = %r" % (k, k, at, dice.choice([0, number(0.1, 0.8)])))
            lines.append("F%d : force(ground, q%d)  F = -%r" % (k, k, number(0.5, 9)))
        if not rests or dice.random() < 0.3:
            lines.append("W%d : friction(ground, q%d)  Fc = %r" % (k, k, number(0.2, 9)))
        if dice.random() < 0.4:
            lines.append("K%d : spring(ground, p%d)  k = %r" % (k, k, number(0.5, 4)))
        shown.append("p%d.v, q%d.x, q%d.v" % (k, k, k))
    return "\n".join(lines + ["output " + ", ".join(shown), "simulate stop = %r" % 1.5, ""])


def falling(dice):
    """A body over a floor that its two corners may touch, for a short time."""
    number = lambda low, high: round(dice.uniform(low, high), 3)
    e, mu = dice.choice([0, number(0.1, 0.7)]), dice.choice([0, number(0.05, 0.9)])
    return """space = planar
gravity = [0, -9.81] m/s^2
ground { w = frame([0, 0] m, %r) }
B : body m = %r kg, I = %r kg.m^2 { P = [%r, %r] m, Q = [%r, %r] m }
initial B.x = 0 m, B.y = %r m, B.theta = %r, B.v[1] = %r m/s, B.v[2] = %r m/s, B.w = %r rad/s
C1 : contact(ground.w, B.P)  e = %r, mu = %r
C2 : contact(ground.w, B.Q)  e = %r, mu = %r
output B.x, B.y, B.theta
simulate stop = %r
""" % (number(-0.2, 0.2), number(0.5, 3), number(0.05, 0.5), number(-0.5, -0.1), number(-0.4, -0.1), number(0.1, 0.5),
       number(-0.4, -0.1), number(0.8, 1), number(-0.5, 0.5), number(-1, 1), number(-1, 0), number(-2, 2), e, mu, e, mu, 0.7)


def rows_of(text):
    lines = text.splitlines()
    return [[float(v) for v in line.split(",")] for line in lines[1:]]


def exported(program, text, stop, folder):
    """Rows with some steps for each, with twice as many, and what went wrong."""
    answer = program.call(text, "export", "--to", "c", "-o", os.path.join(folder, "model.c"))
    if answer.code:
        return None, None, answer.why()
    made = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Dmodel_MAIN", "model.c", "-lm", "-o", "model"],
                          cwd=folder, capture_output=True, text=True)
    if made.returncode:
        return None, None, made.stderr
    said = [subprocess.run(["./model", repr(stop), str(ROWS), steps], cwd=folder, capture_output=True, text=True, timeout=600)
            for steps in ("30", "60")]
    return rows_of(said[0].stdout), rows_of(said[1].stdout), said[0].stderr or said[1].stderr


def compare(case):
    networks = lambda dice: text_of(make(dice))
    text = case.dice.choice([networks, networks, chain, stops, blows, falling])(case.dice)
    stop = float(text.split("stop = ")[-1].split()[0])
    text += "simulate points = %d\n" % ROWS
    run = case.program.run(text, None, "--tol", "1e-10")
    if run.code:
        return  # what switches without a solution is told there
    right = rows_of(run.out)
    with tempfile.TemporaryDirectory() as folder:
        rough, fine, why = exported(case.program, text, stop, folder)
    if not case.check(fine and len(fine) == len(rough) == ROWS + 1 and not why, "exported: %s" % why, text):
        return
    span = max(abs(v) for row in right for v in row[1:]) + 1e-3
    off = lambda a, b: max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))
    if not off(rough, fine) <= 1e-7 * span:
        return  # too fast for these steps
    case.check(math.isfinite(off(fine, right)) and off(fine, right) <= 1e-5 * span,
               "off by %.2g of %.2g" % (off(fine, right), span), text)


def main():
    campaign = Campaign("exported_modes", 5)
    for case in campaign:
        compare(case)
    campaign.close()


if __name__ == "__main__":
    main()
