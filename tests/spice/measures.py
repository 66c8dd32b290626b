#!/usr/bin/python3
"""Measures, steps and transfer functions by cotree and by ngspice: measures.py COTREE. Ends with `N passed, N failed`.

ngspice has no .step: each run is a netlist of its own there, with the values written in. Measures of ngspice are read
from what it prints; those that it gets wrong or does not have (deriv, avg to the end of a range) are compared with
closed forms.
"""
import csv
import io
import math
import os
import re
import subprocess
import sys
import tempfile

import compare

LOW_PASS = """low pass
.param r=1k
V1 in 0 DC 0.5 AC 1 SIN(0 1 1k)
R1 in out {r}
C1 out 0 100n
"""
GATE = """inverter
.param vdd=5 w=4u
VDD vdd 0 {vdd}
VIN in 0 PULSE(0 {vdd} 1n 0.5n 0.5n 8n 20n)
M1 out in 0 0 nm W={w} L=1u
M2 out in vdd vdd pm W=10u L=1u
CL out 0 100f
.model nm NMOS(VTO=0.8 KP=60u LAMBDA=0.02 CGSO=0.3n CGDO=0.3n CBD=5f CBS=5f)
.model pm PMOS(VTO=-0.9 KP=25u LAMBDA=0.02 CGSO=0.3n CGDO=0.3n CBD=5f CBS=5f)
"""
DIODE = """diode
.param i0=1m
I1 0 a {i0}
D1 a 0 dd
R1 a 0 10k
V2 b 0 2
R2 b a 5k
.model dd D(is=1e-14 rs=2)
"""
TRAN = """.meas tran top MAX v(out) from=1m to=3m
.meas tran low MIN v(out) from=1m to=3m
.meas tran swing PP v(out) from=1m to=3m
.meas tran effective RMS v(out) from=1m to=2m
.meas tran area INTEG v(out) from=0 to=0.5m
.meas tran delay TRIG v(in) VAL=0 RISE=2 TARG v(out) VAL=0 RISE=2
.meas tran first WHEN v(out)=0.3 FALL=1
.meas tran meet WHEN v(out)=v(in) CROSS=LAST
.meas tran there FIND v(out) WHEN v(in)=0.5 FALL=2
.meas tran later FIND v(out) WHEN v(in)=0.5 RISE=1 TD=1.5m
.meas tran place FIND v(out) AT=1.3m
.meas tran ratio PARAM='top/effective + 2*r'
.meas tran peak MAX_AT v(out) from=1m to=2m
"""
EDGES = """.meas tran tphl TRIG v(in) VAL=2.5 RISE=1 TARG v(out) VAL=2.5 FALL=1
.meas tran tplh TRIG v(in) VAL=2.5 FALL=1 TARG v(out) VAL=2.5 RISE=1
.meas tran fall TRIG v(out) VAL=4.5 FALL=1 TARG v(out) VAL=0.5 FALL=1
.meas tran both PARAM='(tphl+tplh)/2'
"""
AC = """.meas ac corner WHEN vdb(out)=-3
.meas ac level FIND vm(out) AT=1k
.meas ac most MAX vdb(out)
.meas ac turn FIND vp(out) AT=2k
"""
DC = """.meas dc half FIND v(a) AT=0.55m
.meas dc current WHEN v(a)=0.67
"""
PRINTED = r"^\s*(\w+)\s*=\s*([-+0-9.eE]+)"


def run(command, text, folder):
    path = os.path.join(folder, "x.cir")
    with open(path, "w") as f:
        f.write(text)
    return subprocess.run(command + [path], capture_output=True, text=True, errors="replace", timeout=600)


def tables(binary, text, folder, *options):
    """All tables on standard output, each a list of {column: number}; and what it complains about."""
    said = run([binary, "run", "-o", "-", *options], text + ".end\n", folder)
    if said.returncode:
        raise ValueError(said.stderr)
    parts = [list(csv.DictReader(io.StringIO(part))) for part in said.stdout.split("\n\n")]
    return [[{k: float(v) for k, v in row.items()} for row in part] for part in parts], said.stderr


def spice(text, kind, node, folder):
    """What ngspice measures."""
    tight = ".options reltol=1e-6 abstol=1e-14 vntol=1e-9 trtol=0.5\n.print %s v(%s)\n.end\n" % (kind, node)
    said = run(["ngspice", "-b"], text + tight, folder).stdout
    return {m.group(1).lower(): float(m.group(2)) for m in re.finditer(PRINTED, said, re.M)}


class Count:
    passed = failed = 0

    def equal(self, what, got, want, tolerance):
        good = got is not None and want is not None and abs(got - want) <= tolerance * max(abs(want), 1e-12)
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            print("%s = %r, right is %r" % (what, got, want))


def one(c, binary, folder, text, cards, kind, node, card, peer_card, tolerance):
    """All measures of the cards."""
    found, _ = tables(binary, text + card + cards, folder)
    right = spice(text + peer_card + cards, kind, node, folder)
    for name in (line.split()[2] for line in cards.splitlines()):
        c.equal("%s %s" % (kind, name), found[-1][0].get(name), right.get(name), tolerance)


def check_measures(c, binary, folder):
    one(c, binary, folder, LOW_PASS, TRAN, "tran", "out", ".tran 10u 3m\n", ".tran 10u 3m 0 0.2u\n", 3e-5)
    one(c, binary, folder, GATE, EDGES, "tran", "out", ".tran 0.1n 20n\n", ".tran 0.1n 20n 0 2p\n", 1e-3)
    one(c, binary, folder, LOW_PASS, AC, "ac", "out", ".ac dec 20 10 100k\n", ".ac dec 20 10 100k\n", 1e-5)
    one(c, binary, folder, DIODE, DC, "dc", "a", ".dc I1 0.1m 2m 0.1m\n", ".dc I1 0.1m 2m 0.1m\n", 3e-5)


def check_closed(c, binary, folder):
    """A ramp through a resistor: slope, mean, and a crossing that is not there."""
    text = "ramp\nV1 in 0 PWL(0 0 2 4)\nR1 in out 1k\nR2 out 0 1k\n.tran 0.5 2\n"
    cards = ".meas tran s DERIV v(out) AT=1\n.meas tran m AVG v(out) from=0.5 to=1.5\n.meas x WHEN v(out)=9\n" \
            ".meas tran w TRIG V(out)=0.5 RISE=1 TARG V(out)=1.5 RISE=1\n.meas tran p PARAM s*m\n"
    (_, (row,)), said = tables(binary, text + cards, folder)
    for name, want in (("s", 1), ("m", 1), ("w", 1), ("p", 1)):
        c.equal("closed " + name, row[name], want, 1e-9)
    c.equal("without value", float(math.isnan(row["x"]) and "W805" in said and ":8:" in said), 1, 0)


def values(found, keys):
    return {tuple(row[k] for k in keys): row for row in found}


def check_steps(c, binary, folder):
    """Parameters, lists and powers, a source, temperature, two at once: each run against its own netlist."""
    cases = [(DIODE, ".step param i0 list 0.5m 1m 3m\n", ["i0"], lambda t, v: t.replace("i0=1m", "i0=%r" % v[0])),
             (DIODE, ".step dec param i0 1u 1m 2\n", ["i0"], lambda t, v: t.replace("i0=1m", "i0=%r" % v[0])),
             (DIODE, ".step oct param i0 1m 4m 1\n", ["i0"], lambda t, v: t.replace("i0=1m", "i0=%r" % v[0])),
             (DIODE, ".step V2 -1 3 2\n", ["V2"], lambda t, v: t.replace("V2 b 0 2", "V2 b 0 %r" % v[0])),
             (DIODE, ".step temp -20 80 50\n", ["temp"], lambda t, v: t + ".temp %r\n" % v[0]),
             (DIODE, ".step lin param i0 1m 2m 1m\n.step R1 list 1k 10k\n", ["i0", "R1"],
              lambda t, v: t.replace("i0=1m", "i0=%r" % v[0]).replace("R1 a 0 10k", "R1 a 0 %r" % v[1]))]
    for text, card, names, change in cases:
        (found, *_), _ = tables(binary, text + ".op\n" + card, folder)
        c.equal("runs of " + card.strip(), float(len(values(found, names)) == len(found) > 1), 1, 0)
        for at, row in values(found, names).items():
            _, labels, rows = spice_rows(change(text, at) + ".op\n", folder)[0]
            c.equal("%s at %s" % (card.strip(), at), row["v(a)"], rows[0][labels.index("v(a)")], 1e-6)


def spice_rows(text, folder):
    raw = os.path.join(folder, "x.raw")
    if os.path.exists(raw):
        os.remove(raw)
    run(["ngspice", "-b", "-r", raw], text + ".options reltol=1e-6\n.end\n", folder)
    return compare.read_raw(raw)


def check_stepped_measures(c, binary, folder):
    """Rows of .tran and .ac, and measures, of each run."""
    text = LOW_PASS + ".tran 50u 1m\n.ac lin 2 1k 2k\n.print ac vdb(out) vp(out)\n.step param r list 1k 4k\n.meas tran top MAX v(out)\n"
    (tran, measures, ac), _ = tables(binary, text, folder)
    c.equal("rows", float(len(tran)), 42, 0)
    for row in ac:
        g = 1 / (1 + 2j * math.pi * row["frequency"] * row["r"] * 1e-7)
        c.equal("vdb", row["vdb(out)"], 20 * math.log10(abs(g)), 1e-9)
        c.equal("vp", row["vp(out)"], math.atan2(g.imag, g.real), 1e-9)
    for row in measures:
        right = spice(LOW_PASS.replace("r=1k", "r=%r" % row["r"]) + ".tran 10u 1m 0 0.5u\n.meas tran top MAX v(out)\n", "tran", "out", folder)
        c.equal("top at r = %g" % row["r"], row["top"], right.get("top"), 2e-5)


def check_transfer(c, binary, folder):
    """.tf at an operating point; the resistance at a current is what the source there meets (ngspice: 1e20)."""
    for output, source in (("v(a)", "V2"), ("v(a,b)", "V2"), ("v(a)", "I1")):
        card = ".tf %s %s\n" % (output, source)
        ((row,),), _ = tables(binary, DIODE + card, folder)
        said = run(["ngspice", "-b"], DIODE + ".control\ntf %s %s\nprint all\n.endc\n.end\n" % (output, source), folder).stdout
        right = [float(x) for x in re.findall(r"(?:transfer_function|impedance\S*) = (\S+)", said)]
        for got in row.values():
            c.equal(card.strip(), min(right, key=lambda x: abs(x - got)) if right else None, got, 1e-4)


def check_prints(c, binary, folder):
    """Expressions in .print, of numbers and of phasors."""
    text = LOW_PASS + ".tran 0.1m 1m\n.print tran v(in)-v(out) {2*v(in)} twice=par('v(out)*v(out)') v(out) - v(in)\n"
    (found,), _ = tables(binary, text + ".print tran v(in) v(out)\n", folder)
    for row in found:
        a, b = row["v(in)"], row["v(out)"]
        for name, want in (("v(in)-v(out)", a - b), ("2*v(in)", 2 * a), ("twice", b * b), ("v(out)-v(in)", b - a)):
            c.equal(name, row[name], want, 1e-9) if abs(want) > 1e-6 else None
    text = LOW_PASS + ".ac lin 2 1k 2k\n.print ac v(out)/v(in) db(v(out)/v(in)) vr(out) vi(out) vm(in,out) ph(v(out))\n"
    (found,), _ = tables(binary, text, folder)
    for row in found:
        g = 1 / (1 + 2j * math.pi * row["frequency"] * 1e-4)
        want = {"re(v(out)/v(in))": g.real, "db(v(out)/v(in))": 20 * math.log10(abs(g)), "vr(out)": g.real, "vi(out)": g.imag,
                "vm(in,out)": abs(1 - g), "ph(v(out))": math.atan2(g.imag, g.real)}
        for name, right in want.items():
            c.equal(name, row.get(name), right, 1e-9)


def main():
    c, binary = Count(), os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_measures, check_closed, check_steps, check_stepped_measures, check_transfer, check_prints):
            try:
                check(c, binary, folder)
            except (ValueError, IndexError, KeyError) as problem:
                c.failed += 1
                print("%s: %s" % (check.__name__, problem))
    print("%d passed, %d failed" % (c.passed, c.failed))
    return c.failed > 0


sys.exit(main())
