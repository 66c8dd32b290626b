"""Random pipes with unsteady laminar losses against the exact two-port with Bessel functions [W. Zielke, 1968].

A pressure that swings at one end, a laminar load at the other: the response from `statespace --bode`, by modes or cells.
"""
import cmath
import csv
import math
import os

from scipy.special import jve

from campaign import Campaign


def exact(w, d):
    """p at the load over p at the source."""
    s = 1j * w
    z = 1j * d["r"] * cmath.sqrt(s / d["nu"])
    l, c = d["rho"] / d["A"], d["A"] / (d["rho"] * d["c"] ** 2)
    series = l * s / (1 - 2 * jve(1, z) / (z * jve(0, z)))
    one, two = cmath.sqrt(series), cmath.sqrt(c * s)
    g, zc = d["length"] * one * two, one / two
    return 1 / (cmath.cosh(g) + zc / d["R"] * cmath.sinh(g))


campaign = Campaign("friction", 4)
for case in campaign:
    dice = case.dice
    number = lambda a, b: float("%.4g" % math.exp(dice.uniform(math.log(a), math.log(b))))
    d = {"length": number(2, 50), "r": number(2e-3, 2e-2), "rho": number(700, 1100), "c": number(300, 1400)}
    d["A"] = math.pi * d["r"] ** 2
    d["R"] = d["rho"] * d["c"] / d["A"] * number(0.2, 5)
    first = math.pi * d["c"] / d["length"]
    d["nu"] = first * d["r"] ** 2 / number(20, 800)      # 12 flows are enough up to there
    modal = dice.random() < 0.7
    how = "modes = 8" if modal else "method = cells, cells = 16"
    text = "\n".join([
        "model friction", "input u = 0", "P : pressure_source(a, ground)  p = u",
        "L : pipe(a, b)  length = %(length)r, A = %(A)r, rho = %(rho)r, c = %(c)r" % d
        + ", friction = %r, losses = unsteady, branches = 12, %s" % (8 * d["nu"] / d["r"] ** 2, how),
        "R : fluid_leakage(b, ground)  G = %r" % (1 / d["R"]), "output b.p as y"])
    name = os.path.join(case.program.folder.name, "bode.csv")
    said = case.program.call(text, "statespace", "--numeric", "--bode", name, "--from", "%r" % (0.02 * first), "--to", "%r" % (1.2 * first), "--points", "60", timeout=20)
    if not case.check(said.code == 0, said.why(), text):
        continue
    with open(name) as file:
        rows = list(csv.DictReader(file))
    worst = 0.0
    for row in rows:
        got = cmath.rect(10 ** (float(row["dB(y/u)"]) / 20), math.radians(float(row["deg(y/u)"])))
        want = exact(float(row["omega"]), d)
        worst = max(worst, abs(got - want))
    size = max(abs(exact(first * k / 40, d)) for k in range(1, 100))
    case.check(worst <= (0.01 if modal else 0.02) * size, "off by %.3g of %.3g" % (worst, size), text)
campaign.close()
