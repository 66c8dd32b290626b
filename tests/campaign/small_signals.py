#!/usr/bin/env python3
"""Frequency responses at operating points: `.ac` of random netlists by nodal analysis in numbers, by derived equations,
and by ngspice; sparse linear models of networks in the language, with elements of their own, against derived ones.

Amplifiers as in amplifiers.py; ladders of diodes; filters with coupled coils, controlled sources and loops of
capacitors, with sources of any phase. What is driven where nothing flows may be noise beside the largest of a column.
"""
import re
import shutil
import subprocess

import numpy
import scipy.sparse
import scipy.sparse.linalg

from amplifiers import Amplifier
from campaign import Campaign

POINTS = ".ac dec 3 10 10meg"
ELIMINATED = 1e-4  # rest as derived equations find it; of some amplifiers it is off by 1e-5


def phasor(dice):
    return "DC %g AC %.3g %.4g" % (dice.choice([0, 0, 0.3]), 10 ** dice.uniform(-3, 1), dice.choice([0, 30, 90, 123.4, -60]))


def amplifier(dice):
    made = Amplifier(dice)
    lines = [line.replace("SIN(0 1m 1k)", phasor(dice)) for line in made.line]
    nodes = sorted({w for line in lines for w in line.split()[1:3] if re.match(r"n\d+$", w)})
    return ["amplifier"] + lines + made.models(), ["v(%s)" % n for n in nodes] + ["i(V1)"]


def diode_ladder(dice):
    count = dice.randint(1, 30)
    lines = ["ladder", "V1 n0 0 " + "DC %.3g AC 1 %g" % (dice.uniform(0.2, 6), dice.choice([0, 45]))]
    for i in range(1, count + 1):
        lines.append("R%d n%d n%d %.3g" % (i, i - 1, i, 10 ** dice.uniform(0, 3)))
        lines.append("D%d %s DX" % (i, dice.choice(["n%d 0", "0 n%d"]) % i))
        if dice.random() < 0.7:
            lines.append("C%d n%d 0 %.3gn" % (i, i, 10 ** dice.uniform(-1, 2)))
    lines.append(".model DX D(IS=1e-14 N=1.2 CJO=%.3gp TT=%.3gn RS=%g)" % (dice.uniform(1, 9), dice.uniform(0, 9), dice.choice([0, 2])))
    return lines, ["v(n%d)" % i for i in range(1, count + 1)] + ["i(V1)", "i(R1)"]


def linear_filter(dice):
    """A path of resistors keeps every node determined at rest."""
    count = dice.randint(2, 12)
    lines = ["filter", "V1 n0 0 " + phasor(dice), "I1 0 n%d AC 1m 20" % count]
    ohm = lambda: "%.3g" % 10 ** dice.uniform(1, 4)
    for i in range(1, count + 1):
        a, b = dice.randrange(i), dice.randrange(i)
        lines.append("R%d n%d n%d %s" % (i, i - 1, i, ohm()))
        lines.append("RG%d n%d 0 %s" % (i, i, ohm()))
        lines.append("C%d n%d n%d %.3gn" % (i, i, a, 10 ** dice.uniform(-1, 2)))
        kind = dice.randrange(6)
        if kind == 0:
            lines.append("G%d n%d 0 n%d n%d %.3g" % (i, i, a, b, dice.uniform(-1e-4, 1e-4)))
        elif kind == 1:
            lines += ["E%d x%d 0 n%d 0 %.3g" % (i, i, a, dice.uniform(-3, 3)), "RE%d x%d n%d %s" % (i, i, i, ohm())]
        elif kind == 2:
            lines.append("F%d n%d 0 V1 %.3g" % (i, i, dice.uniform(-0.5, 0.5)))
        elif kind == 3:
            lines += ["LA%d n%d y%d 1m" % (i, i, i), "RLA%d y%d 0 %s" % (i, i, ohm()), "LB%d n%d w%d 2m" % (i, a, i),
                      "RLB%d w%d 0 %s" % (i, i, ohm()), "K%d LA%d LB%d %.2g" % (i, i, i, dice.uniform(0.1, 0.95))]
        elif kind == 4:
            lines.append("CV%d n0 n%d 1n" % (i, i))
    return lines, ["v(n%d)" % i for i in range(1, count + 1)] + ["i(V1)", "i(C1)", "i(R1)"]


def by_program(case, text, *form):
    """Derived equations do not find every point."""
    said = case.program.call(text, "run", "--analysis", "ac", "-o", "-", *form, ending="cir")
    rows = said.rows()
    if not rows and form:
        return {}
    if not case.check(rows, "no rows: " + said.why(), text):
        return None
    names = [k[3:-1] for k in rows[0] if k.startswith("re(")]
    return {n: [complex(r["re(%s)" % n], r["im(%s)" % n]) for r in rows] for n in names}


def by_ngspice(lines, asked, folder):
    known = [a for a in asked if not a.startswith("i(") or a.startswith("i(V")]
    ask = [".options reltol=1e-7 abstol=1e-16 vntol=1e-10 itl1=500", ".control", "set numdgt=14", POINTS[1:],
           "print " + " ".join("vr(%s) vi(%s)" % (a[2:-1], a[2:-1]) if a[0] == "v" else "real(%s) imag(%s)" % (a, a)
                               for a in known), "quit", ".endc", ".end"]
    path = folder + "/peer.cir"
    with open(path, "w") as f:
        f.write("\n".join(lines + ask) + "\n")
    said = subprocess.run(["ngspice", path], capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    table = {}
    for block in re.findall(r"^Index +frequency +(.*)\n-+\n((?:\d+\t.*\n)+)", said.stdout, re.M):
        names = block[0].split()
        for line in block[1].splitlines():
            for name, value in zip(names, line.split()[2:]):
                table.setdefault(name.lower(), []).append(float(value))
    out = {}
    for a in known:
        re_part, im_part = (("vr(%s)", "vi(%s)") if a[0] == "v" else ("real(i(%s))", "imag(i(%s))"))
        re_part, im_part = (table.get((p % a[2:-1]).lower()) for p in (re_part, im_part))
        if re_part and im_part:
            out[a] = [complex(x, y) for x, y in zip(re_part, im_part)]
    return out


def compare(case, got, want, tolerance, who, text):
    largest = max([abs(y) for right in want.values() for y in right], default=0)
    for name, right in want.items():
        if name not in got or len(got[name]) != len(right):
            case.check(False, "%s is missing (%s)" % (name, who), text)
            continue
        size = max(map(abs, right))
        worst = max(abs(a - b) for a, b in zip(got[name], right))
        limit = tolerance * (size + 0.1 * largest)  # what leaks through transistors that are off
        if not case.check(worst <= limit, "%s off by %.2e of %.2e from %s" % (name, worst, size, who), text):
            return


# ---- networks in the language

OWN = """element bulb "resistance grows with current"
  port a, b : electrical
  edge e(a, b)
  param R : ohm = 10 ohm, k : ohm/A^2 = 5 ohm/A^2
  e.v = R*e.i + k*e.i^3
end
element varactor "charge by a root"
  port a, b : electrical
  edge e(a, b)
  param C : F = 1e-9 F, U : V = 1 V
  e.i = C/sqrt(1 + (e.v/U)^2)*der(e.v)
end
"""


def network(dice):
    count = dice.randint(2, 10)
    lines = ["model net \"random\"", "param W = 3 V", "input u : V = %.3g" % dice.uniform(-2, 2), "input j : A = %.3g" % dice.uniform(-0.1, 0.1),
             OWN, "S1 : vsource(n0, ground) v = %s" % dice.choice(["u", "2*u", "u*(1 + (u/W)^2)"]),
             "J1 : isource(ground, n%d) i = j" % count]
    for i in range(1, count + 1):
        a = dice.randrange(i)
        lines.append("R%d : resistor(n%d, n%d) R = %.3g" % (i, i - 1, i, 10 ** dice.uniform(0, 3)))
        lines.append("B%d : bulb(n%d, ground) R = %.3g" % (i, i, 10 ** dice.uniform(1, 3)))
        lines.append("C%d : %s(n%d, %s) C = %.3g" % (i, dice.choice(["capacitor", "varactor"]), i, dice.choice(["ground", "n%d" % a]),
                                                     10 ** dice.uniform(-9, -6)))
        if dice.random() < 0.3:
            lines.append("L%d : inductor(n%d, n%d) L = %.3g" % (i, i, a, 10 ** dice.uniform(-4, -2)))
    lines.append("output n%d.v as a, S1.i as b, C1.i as c, n1.v*B1.i as d, u*n1.v as e" % count)
    return "\n".join(lines) + "\n"


def matrix(m):
    if isinstance(m, list):
        return numpy.array(m, dtype=float)
    out = numpy.zeros((m["rows"], m["cols"]))
    out[m["row"], m["col"]] = m["value"]
    return out


def answer(m, omega):
    part = {k: matrix(m[k]) for k in "ABCDEF" if k in m}
    n, s = len(m["states"]), 1j * omega
    w = matrix(m["W"]) if "W" in m else numpy.eye(n)
    inputs, outputs = len(m["inputs"]), len(m["outputs"])
    get = lambda k, shape: part[k].reshape(shape) if part.get(k) is not None and part[k].size else numpy.zeros(shape)
    side = get("B", (n, inputs)) + s * get("E", (n, inputs))
    direct = get("D", (outputs, inputs)) + s * get("F", (outputs, inputs))
    return get("C", (outputs, n)) @ numpy.linalg.solve(s * w - get("A", (n, n)), side) + direct


def model(case):
    text = network(case.dice)
    said = [case.program.call(text, "statespace", "--numeric", "--equilibrium", "--json", *form)
            for form in ([], ["--form", "numeric"])]
    if not case.check(all(a.code == 0 for a in said), "; ".join(a.why() for a in said), text):
        return
    usual, sparse = (a.json() for a in said)
    case.check(sparse.get("sparse"), "it is not sparse", text)
    for omega in (1e2, 1e4, 1e6):
        want, got = answer(usual, omega), answer(sparse, omega)
        scale = abs(want).max(axis=1, keepdims=True) + 1e-30
        worst = (abs(got - want) / scale).max()
        case.check(worst < 1e-6, "G(i %g) off by %.1e" % (omega, worst), text)


# ---- away from rest: networks of many states keep all unknowns

def discharged_ladder(count, amps):
    lines = ["ladder", "V1 n0 0 DC 1", "I1 0 n1 %g" % amps, ".model DX D(IS=1e-9 CJO=10p)"]
    lines += ["R%d n%d n%d 100\nD%d n%d 0 DX\nC%d n%d 0 1n" % (i, i - 1, i, i, i, i, i) for i in range(1, count + 1)]
    return "\n".join(lines + [".tran 1n 1u uic", ".print tran v(n2) i(R1)", ".end"]) + "\n"


def sparse_answer(m, omega):
    get = lambda k: scipy.sparse.coo_matrix((m[k]["value"], (m[k]["row"], m[k]["col"])), (m[k]["rows"], m[k]["cols"])).tocsc()
    side = (get("B") + 1j * omega * get("E")).toarray()
    z = scipy.sparse.linalg.splu((1j * omega * get("W") - get("A")).tocsc()).solve(side)
    return get("C") @ z + (get("D") + 1j * omega * get("F")).toarray()


def discharged(case):
    """What is far away does not matter at this frequency, so that short ladders answer like long ones."""
    omega, amps, made = 1e7, case.dice.uniform(-1e-3, 1e-3), []
    for count in (60, 2001):
        said = case.program.call(discharged_ladder(count, amps), "statespace", "--numeric", "--json", ending="cir")
        if not case.check(said.code == 0, said.why(), "%d diodes" % count):
            return
        made.append(said.json())
    short, long = made
    case.check("sparse" not in short and long.get("sparse"), "not sparse, or too early", "2001 diodes")
    want, got = answer(short, omega), sparse_answer(long, omega)
    case.check(abs(want - got).max() < 1e-9 * abs(want).max(), "off by %.1e" % abs(want - got).max(), "2001 diodes")


def main():
    campaign = Campaign("small_signals", 60)
    peer = shutil.which("ngspice")
    for case in campaign:
        if case.number == 3:
            discharged(case)
        kind = case.number % 4
        if kind == 3:
            model(case)
            continue
        lines, asked = [amplifier, diode_ladder, linear_filter][kind](case.dice)
        text = "\n".join(lines + [POINTS, ".print ac " + " ".join(asked), ".end"]) + "\n"
        numeric = by_program(case, text)
        if not numeric:
            continue
        derived = by_program(case, text, "--form", "nodal")
        compare(case, numeric, derived, 1e-7 if kind == 2 else ELIMINATED, "derived equations", text)
        right = by_ngspice(lines, asked, case.program.folder.name) if peer else {}
        compare(case, numeric, right, 1e-4, "ngspice", text)
    campaign.close()


if __name__ == "__main__":
    main()
