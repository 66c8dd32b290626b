#!/usr/bin/python3
"""Random circuits of diodes, bipolar, MOS and junction field-effect transistors and switches, with random parameters and temperatures, against ngspice.

Operating points, and waveforms at time points of ngspice. Tolerances are those of ngspice's own integration at tightened
options; a circuit that ngspice gives up is left out. Behind a fast edge its steps may still be too long: what differs is
compared once more with steps twenty times shorter.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "spice")]
import compare
from campaign import Campaign

TIGHT = ".options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-18 trtol=1 itl1=500 itl4=300 method=gear"
ROWS = 40


def number(dice, low, high):
    """Anything between, by its logarithm, with few digits."""
    return float("%.3g" % (low * (high / low) ** dice.random()))


def card(dice, given):
    """name=value ...: each entry (name, low, high, chance) with that chance."""
    return " ".join("%s=%g" % (name, number(dice, low, high)) for name, low, high, chance in given if dice.random() < chance)


def diode(dice):
    return card(dice, [("is", 1e-16, 1e-9, 0.9), ("n", 0.9, 2.2, 0.7), ("rs", 0.01, 20, 0.5), ("cjo", 1e-13, 1e-10, 0.7), ("vj", 0.4, 1, 0.7),
                       ("m", 0.2, 0.6, 0.7), ("fc", 0.3, 0.8, 0.3), ("tt", 1e-10, 1e-8, 0.5), ("bv", 3, 30, 0.3), ("ibv", 1e-5, 1e-2, 0.3),
                       ("eg", 0.7, 1.3, 0.4), ("xti", 2, 4, 0.4), ("trs1", 1e-4, 3e-3, 0.3), ("tnom", 10, 50, 0.3)])


def bipolar(dice):
    return card(dice, [("is", 1e-17, 1e-13, 0.9), ("bf", 20, 400, 0.9), ("br", 0.3, 10, 0.5), ("nf", 0.95, 1.1, 0.4), ("vaf", 10, 200, 0.7),
                       ("var", 5, 50, 0.3), ("ikf", 1e-3, 0.2, 0.6), ("ikr", 1e-3, 0.2, 0.3), ("ise", 1e-16, 1e-13, 0.4), ("ne", 1.2, 2, 0.4),
                       ("isc", 1e-16, 1e-13, 0.3), ("nc", 1.2, 2, 0.3), ("rb", 1, 200, 0.5), ("rc", 0.1, 20, 0.4), ("re", 0.01, 2, 0.4),
                       ("cje", 2e-13, 2e-11, 0.7), ("vje", 0.5, 0.9, 0.5), ("mje", 0.2, 0.5, 0.5), ("cjc", 2e-13, 2e-11, 0.7),
                       ("vjc", 0.4, 0.8, 0.5), ("mjc", 0.2, 0.5, 0.5), ("xcjc", 0.2, 1, 0.3), ("cjs", 1e-13, 1e-11, 0.3), ("mjs", 0.2, 0.5, 0.3),
                       ("tf", 2e-11, 2e-9, 0.8), ("tr", 1e-9, 1e-7, 0.5), ("xtf", 0.5, 10, 0.5), ("vtf", 1, 10, 0.4), ("itf", 1e-3, 0.3, 0.5),
                       ("eg", 1, 1.25, 0.4), ("xti", 2, 5, 0.4), ("xtb", 0.5, 2, 0.4), ("tnom", 10, 50, 0.3)])


def mos(dice, minus):
    """With overlaps and junction capacitances always: ngspice rings where a capacitance vanishes."""
    sign = "-" if minus else ""
    known = "vto=%s%g kp=%g" % (sign, number(dice, 0.3, 1.5), number(dice, 1e-5, 2e-4))
    if dice.random() < 0.3:
        known = "nsub=%g uo=%g" % (number(dice, 2e15, 5e16), number(dice, 200, 700))
    return known + " tox=%g cgso=%g cgdo=%g cgbo=%g cbd=%g cbs=%g " % (
        number(dice, 8e-9, 8e-8), number(dice, 1e-10, 1e-9), number(dice, 1e-10, 1e-9), number(dice, 1e-10, 1e-9),
        number(dice, 5e-15, 1e-13), number(dice, 5e-15, 1e-13)) + card(
        dice, [("gamma", 0.1, 1, 0.6), ("phi", 0.5, 0.9, 0.6), ("lambda", 1e-3, 0.1, 0.6), ("rd", 1, 100, 0.4), ("rs", 1, 100, 0.4),
               ("ld", 1e-8, 2e-7, 0.4), ("pb", 0.6, 1, 0.4), ("mj", 0.3, 0.6, 0.4), ("is", 1e-16, 1e-13, 0.4), ("tnom", 10, 50, 0.3)])


def jfet(dice):
    """Always with charges, as MOS transistors."""
    return "vto=-%g beta=%g cgs=%g cgd=%g " % (number(dice, 0.5, 4), number(dice, 1e-4, 5e-3), number(dice, 5e-13, 1e-11), number(dice, 5e-13, 1e-11)) + card(
        dice, [("lambda", 1e-3, 0.05, 0.6), ("b", 0.5, 1.2, 0.4), ("rd", 1, 50, 0.4), ("rs", 1, 50, 0.4), ("pb", 0.6, 1.1, 0.5), ("fc", 0.3, 0.8, 0.4),
               ("is", 1e-15, 1e-12, 0.5), ("tcv", 5e-4, 3e-3, 0.3), ("vtotc", 5e-4, 3e-3, 0.2), ("bex", 0.3, 1.5, 0.3), ("betatce", 0.1, 0.8, 0.2),
               ("xti", 2, 4, 0.3), ("eg", 1, 1.2, 0.3), ("tnom", 10, 50, 0.3)])


def source(dice, offset, swing, period):
    if dice.random() < 0.5:
        return "SIN(%g %g %g)" % (offset, swing, 1 / period)
    edge = period * number(dice, 0.02, 0.2)
    return "PULSE(%g %g %g %g %g %g %g)" % (offset - swing, offset + swing, 0.1 * period, edge, edge, 0.3 * period, period)


def of(dice):
    """temp= or dtemp= of a device."""
    return dice.choice(["", "", "", " temp=%d" % dice.randint(-30, 110), " dtemp=%d" % dice.randint(-20, 30)])


def with_diodes(dice, period):
    big = number(dice, 200, 1e4)
    lines = ["V1 in 0 " + source(dice, dice.uniform(-1, 1), number(dice, 1, 8), period), "R1 in a %g tc1=%g" % (big, dice.choice([0, 2e-3]))]
    lines += ["D1 a b da%s" % of(dice), "R2 b 0 %g" % number(dice, 200, 1e4), "C1 b 0 %g tc1=%g" % (number(dice, 0.01, 3) * period / big, dice.choice([0, 1e-3]))]
    lines += ["D2 0 a db %g%s" % (number(dice, 0.5, 4), of(dice)), ".model da D(%s)" % diode(dice), ".model db D(%s)" % diode(dice)]
    return lines


def with_bipolars(dice, period):
    """A stage with emitter resistor, and a follower. Areas are 1: in ngspice 39 the base-collector current goes with their square."""
    minus = dice.random() < 0.5
    rail, kind = (-12, "PNP") if minus else (12, "NPN")
    sign = -1 if minus else 1
    lines = ["VC vc 0 %g" % rail, "V1 in 0 " + source(dice, sign * dice.uniform(0.6, 1.6), number(dice, 0.02, 0.5), period), "R1 in b %g" % number(dice, 50, 5e3)]
    lines += ["Q1 c b e qa%s" % of(dice), "RC vc c %g" % number(dice, 300, 5e3), "RE e 0 %g" % number(dice, 20, 500)]
    lines += ["Q2 vc c f qb%s" % of(dice), "RF f 0 %g" % number(dice, 500, 5e3)]
    return lines + [".model qa %s(%s)" % (kind, bipolar(dice)), ".model qb %s(%s)" % (kind, bipolar(dice))]


def size(dice):
    return "W=%g L=%g" % (number(dice, 4e-6, 1e-4), number(dice, 1e-6, 1e-5))


def with_mos(dice, period):
    lines = ["VD vd 0 5", "V1 in 0 " + source(dice, dice.uniform(1.5, 3), number(dice, 0.3, 2.5), period), "RG in g %g" % number(dice, 100, 2e4)]
    lines += ["M1 out g 0 0 mn %s%s" % (size(dice), of(dice))]
    lines += ["M2 out g vd vd mp %s%s" % (size(dice), of(dice)) if dice.random() < 0.5 else "RD vd out %g" % number(dice, 1e3, 5e4)]
    lines += ["CL out 0 %g" % number(dice, 1e-14, 1e-12), "M3 vd out s 0 mn %s" % size(dice), "RS s 0 %g" % number(dice, 1e3, 5e4)]
    return lines + [".model mn NMOS(%s)" % mos(dice, False), ".model mp PMOS(%s)" % mos(dice, True)]


def with_jfets(dice, period):
    """A stage with source resistor and a follower, of one polarity or mixed; areas and m=."""
    lines = ["VD vd 0 15", "V1 in 0 " + source(dice, dice.uniform(-1.5, 0.5), number(dice, 0.1, 1.5), period), "R1 in g %g" % number(dice, 50, 5e3)]
    lines += ["J1 d g s ja %g%s" % (number(dice, 0.5, 3), of(dice)), "RD vd d %g" % number(dice, 300, 5e3), "RS s 0 %g" % number(dice, 50, 1e3)]
    follower = "J2 vd d f ja%s" % of(dice) if dice.random() < 0.5 else "J2 0 d f jb%s" % of(dice)
    lines += [follower + dice.choice(["", " m=2"]), "RF f %s %g" % ("vd" if "jb" in follower else "0", number(dice, 1e3, 1e4))]
    return lines + [".model ja NJF(%s)" % jfet(dice), ".model jb PJF(%s)" % jfet(dice)]


def with_switches(dice, period):
    """Thresholds with and without hysteresis; loads are slow beside the steps of ngspice, which miss the crossing a little."""
    lines = ["VD vd 0 %g" % number(dice, 2, 12), "V1 c 0 SIN(%g %g %g)" % (dice.uniform(-0.5, 0.5), number(dice, 1, 4), 1 / period), "RC c cc 1k", "VC cc 0 0"]
    big = number(dice, 100, 5e3)
    lines += ["S1 vd a c 0 sa", "R1 a 0 %g" % big, "C1 a 0 %g" % (number(dice, 0.3, 3) * period / big)]
    lines += ["W1 vd b VC wa", "R2 b a %g" % number(dice, 500, 5e3), "C2 b 0 %g" % (number(dice, 0.3, 3) * period / big)]
    unit = {"v": 1, "i": 1e-3}
    wide = lambda kind: " %sh=%g" % (kind, unit[kind] * dice.uniform(0.05, 0.3)) if dice.random() < 0.7 else ""
    law = lambda kind: "%st=%g%s ron=%g roff=%g" % (kind, unit[kind] * dice.uniform(-0.2, 0.3), wide(kind), big * number(dice, 0.2, 2), number(dice, 1e5, 1e7))
    return lines + [".model sa SW(%s)" % law("v"), ".model wa CSW(%s)" % law("i")]


def circuit(dice):
    kind, least, most = dice.choice([(with_diodes, 1e-7, 1e-4), (with_bipolars, 2e-8, 1e-5), (with_mos, 1e-7, 1e-5), (with_jfets, 1e-7, 1e-5),
                                     (with_switches, 1e-6, 1e-3)])
    period = number(dice, least, most)
    heat = [".temp %d" % dice.randint(-30, 110)] if dice.random() < 0.5 else []
    heat += [".options tnom=%d" % dice.randint(10, 45)] if dice.random() < 0.3 else []
    text = "\n".join(["random devices"] + kind(dice, period) + heat + [".op", ".tran %g %g" % (period / 50, 1.5 * period), ".end"]) + "\n"
    return text, period


def peer(text, period, folder, steps):
    """Plots by ngspice, with at least that many steps a period, or None where it gives up."""
    path, raw = os.path.join(folder, "peer.cir"), os.path.join(folder, "peer.raw")
    if os.path.exists(raw):
        os.remove(raw)
    text = text.replace(".tran %g %g" % (period / 50, 1.5 * period), ".tran %g %g 0 %g" % (period / 50, 1.5 * period, period / steps))
    with open(path, "w") as f:
        f.write(text.replace(".end\n", TIGHT + "\n.end\n"))
    try:
        subprocess.run(["ngspice", "-b", "-r", raw, path], capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        return None
    plots = compare.read_raw(raw) if os.path.exists(raw) else []
    good = len(plots) == 2 and plots[1][2] and plots[1][2][-1][0] > 1.49 * period
    return plots if good else None


def columns(answer):
    return answer.rows() or []


def worst_of(rows, theirs, names):
    """The voltage that differs most, against the largest value that it has, and by how much."""
    worst = (0.0, "")
    for name in (n for n in rows[0] if n.startswith("v(")):
        right = compare.column(names, theirs, name)
        most = max(abs(x) for x in right) + 0.1
        worst = max(worst, (max(abs(row[name] - x) for row, x in zip(rows, right)) / most, name))
    return worst


def differ(case, text, plot, point):
    """(difference, voltage, nothing), or what the program said instead."""
    kind, names, rows = plot
    rows = rows if point else [r for r in rows if r[0] > 0][5 :: max(1, len(rows) // ROWS)]
    said = case.program.run(text, None if point else [r[0] for r in rows], "--analysis", "op" if point else "tran",
                            *([] if point else ["--tol", "1e-7"]), ending="cir", timeout=20)
    mine = columns(said)
    if len(mine) != len(rows):
        return 1.0, "", "%s: %s" % (kind, said.why())
    return *worst_of(mine, rows, names), ""


def main():
    c = Campaign("devices", 25)
    for case in c:
        text, period = circuit(case.dice)
        folder = case.program.folder.name
        plots = peer(text, period, folder, 2000)
        for index, plot in enumerate(plots or []):
            point = plot[0].startswith("Operating")
            tolerance = 3e-5 if point else 5e-3 if "\nS1 " in text else 1e-3
            worst, name, why = differ(case, text, plot, point)
            finer = None if point or why or worst <= tolerance else peer(text, period, folder, 40000)
            if finer:
                worst, name, why = differ(case, text, finer[index], point)
            case.check(worst <= tolerance, why or "%s of %s differs by %.1e" % (name, plot[0], worst), text)
    c.close()


main()
