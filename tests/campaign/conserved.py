"""Closed loops without losses, many of them at rest, nearly flat or in no pose that lets them move: in every row the loop
is closed and the energy is what it was. Runs may end with a message at a singular position; rows may not be wrong.
"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from campaign import Campaign

COORDINATES = ("joint", "absolute", "auto")


def four_bar(dice):
    """Lengths of which the last is near to where the loop cannot close, or lies flat, in half of the cases."""
    u = lambda a, b: round(dice.uniform(a, b), 4)
    a, b, start = u(0.3, 1), u(0.5, 1.5), u(-3, 3)
    lean = dice.choice((u(-3, 3), u(-0.05, 0.05), u(-1e-3, 1e-3)))
    x, y = a * math.cos(start) + b * math.cos(lean + start), a * math.sin(start) + b * math.sin(lean + start)
    c, turn = u(0.4, 1.2), u(-3, 3)
    d = x - c * math.cos(turn), y - c * math.sin(turn)
    bodies = "\n".join("b%d : body  m = %r kg, I = %r kg.m^2  { A = [%r, 0], B = [%r, 0] }" % (k, u(0.5, 2), u(0.01, 0.1), -l / 2, l / 2)
                       for k, l in ((1, a), (2, b), (3, c)))
    return """space = planar
gravity = [0, %s]
ground { P = [%r, %r] }
%s
J1 : revolute(ground, b1.A)  beta(0) = %r, w(0) = %r
J2 : revolute(b1.B, b2.A)  beta(0) ~= %r
J3 : revolute(ground.P, b3.A)  beta(0) ~= %r
J4 : revolute(b2.B, b3.B)
output b2.B.x - b3.B.x as gap1, b2.B.y - b3.B.y as gap2, kinetic() as T, potential() as V, b2.x as x
simulate stop = %r s
""" % (dice.choice(("0", "-9.81")), *d, bodies, start, dice.choice((0, 0, u(-3, 3))), lean, turn, dice.choice((1, 5, 10)))


def cube(p6, last, gravity, stop):
    """Six hinges along the edges of a cube; the last one at p6 and along an axis of its own."""
    inertia = {0: "[s, l, l]", 1: "[l, s, l]", 2: "[l, l, s]"}
    rods = ((0, 1), (1, -1), (2, 1), (0, -1), (1, 1))
    text = ["space = spatial", "gravity = %r" % gravity, "const s = 0.1^2/6, l = (1 + 0.1^2)/12", "ground { P6 = %r }" % p6]
    for k, (axis, sign) in enumerate(rods, 1):
        end = [0, 0, 0]
        end[axis] = sign / 2
        text.append("rod%d : body  m = 1, I = %s  { A = %r, B = %r }" % (k, inertia[axis], [-x for x in end], end))
    hinges = ([0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], last)
    text += ["J%d : revolute(%s, %s)  axis = %r" % (k, "rod%d.B" % (k - 1) if k > 1 else "ground", "rod%d.A" % k if k < 6 else "ground.P6", axis)
             for k, axis in enumerate(hinges, 1)]
    text += ["output rod5.B.x - (%r) as gap1, rod5.B.y - (%r) as gap2, kinetic() as T, potential() as V, rod3.B.x as x" % tuple(p6[:2]),
             "simulate stop = %r s" % stop, ""]
    return "\n".join(text)


def random_cube(dice):
    u = lambda a, b: round(dice.uniform(a, b), 4)
    p6 = [0, 0, 1]
    p6[dice.randrange(3)] += dice.choice((0, u(0.05, 0.2), u(-0.2, -0.05)))
    last = [1, u(-0.2, 0.2), 0] if dice.random() < 0.2 else [1, 0, 0]
    return cube(p6, last, [dice.choice((0, 0, 1)), -9.81, dice.choice((0, 0, 2))], dice.choice((1, 10, 10)))


# Each has but one pose, in which it stands.
STILL = [cube(p6, [1, 0, 0], [0, -9.81, 0], 10) for p6 in ([0, 0.0792, 1], [0, 0.1252, 1], [0, 0, 1.1353])]


def bicycle(dice):
    """Rides, leans and may come to lie on the ground, where its wheels cannot stay on it. (text, options)"""
    with open(os.path.join(os.path.dirname(__file__), "../../models/whipple_bicycle/model.lg")) as f:
        text = f.read()
    usual = {"w": "1.02 m", "c": "0.08 m", "g": "9.81 m/s^2", "rR": "0.3 m", "zB": "-0.9 m", "mB": "85 kg", "rF": "0.35 m", "phidot_0": "0.5 rad/s"}
    values = {k: "%.4g %s" % (float(v.split()[0]) * dice.uniform(0.7, 1.4), v.split()[1]) for k, v in usual.items()}
    return text, [x for k, v in values.items() for x in ("--set", "%s = %s" % (k, v))]


def look(case, text, *options):
    """Every row of a run."""
    said = case.program.run(text, None, *options)
    rows = said.rows()
    if rows is None:
        case.check("error[" in said.err, "it ends without a message", text)
        return
    energy = [r["energy"] if "energy" in r else r["T"] + r["V"] for r in rows]
    scale = 1e-3 + max(abs(e) for e in energy) + max(r.get("T", 0) for r in rows)
    gap = max(max(abs(r.get("gap1", 0)), abs(r.get("gap2", 0))) for r in rows)
    drift = max((abs(e - energy[0]), r["time"]) for e, r in zip(energy, rows))
    case.check(gap < 1e-5, "the loop is open by %.1e" % gap, text)
    case.check(drift[0] < 1e-4 * scale, "the energy is off by %.1e of %.1e at %g %s" % (drift[0], scale, drift[1], options), text)


def main():
    campaign = Campaign("conserved", 9)
    for case in campaign:
        kind = case.dice.random()
        coordinates, points = case.dice.choice(COORDINATES), str(case.dice.choice((20, 500)))
        if case.number < len(STILL):
            look(case, STILL[case.number], "--coordinates", "joint", "--points", points)
        elif kind < 0.2:
            text, options = bicycle(case.dice)
            look(case, text, *options, "--points", points)
        else:
            look(case, (random_cube if kind < 0.6 else four_bar)(case.dice), "--coordinates", coordinates, "--points", points)
    campaign.close()


if __name__ == "__main__":
    main()
