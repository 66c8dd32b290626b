#!/usr/bin/python3
"""Netlists by cotree and by ngspice: compare.py COTREE [NAME ...]. Ends with `N passed, N failed`.

All tests/spice/NAME.cir and models/spice_amplifier/model.cir are run by both at tightened tolerances. Rows of runs in time are asked for at
time points of ngspice, so that nothing is interpolated. The largest difference of a column over its
largest value must stay below the tolerance in the list below.
"""
import csv
import glob
import io
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIGHT = ".options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-18 trtol=%g itl1=500 itl4=200\n"
# Others 2e-5. waves: ngspice interpolates what arrives. start: the first step of ngspice is of first order. MOS: it gives up at smaller errors.
TOLERANCE = {"start": 1e-4, "mos": 1e-4, "gate": 2e-4, "heat_mos": 5e-4, "waves": 5e-4}
TRTOL = {"mos": 1, "heat_mos": 1}  # ngspice gives up with less
ROWS = 60


def read_raw(path):
    """Plots of a binary raw file: (kind, names, rows of complex or float)."""
    data = open(path, "rb").read()
    plots, at = [], 0
    while at < len(data):
        mark = data.find(b"Binary:\n", at)
        if mark < 0:
            break
        head = data[at:mark].decode("utf-8", "replace").splitlines()
        field = dict(line.split(":", 1) for line in head if ":" in line and not line.startswith("\t"))
        count, points = int(field["No. Variables"]), int(field["No. Points"].split()[0])
        start = next(i for i, line in enumerate(head) if line.startswith("Variables"))
        names = [line.split()[1].lower() for line in head[start + 1 : start + 1 + count]]
        wide = 2 if "complex" in field["Flags"] else 1
        size = 8 * count * wide * points
        flat = struct.unpack("<%dd" % (count * wide * points), data[mark + 8 : mark + 8 + size])
        if wide == 2:
            flat = [complex(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]
        rows = [flat[i * count : (i + 1) * count] for i in range(points)]
        plots.append((field["Plotname"].strip(), names, rows))
        at = mark + 8 + size
    return plots


def peer(path, name, folder, share=20):
    """The netlist by ngspice: tight options, all variables, small steps: so many for one row."""
    text = open(path).read().splitlines()
    lines = []
    for number, line in enumerate(text):
        word = line.split()[0].lower() if line.split() and number else ""
        if word in (".print", ".end"):
            continue
        if word == ".tran":
            parts = line.split()
            uic = [p for p in parts[3:] if p.lower() == "uic"]
            step = seconds(parts[1])
            line = " ".join([parts[0], parts[1], parts[2], "0", repr(step / share)] + uic)
        lines.append(line)
    lines.append(TIGHT.rstrip() % TRTOL.get(name, 0.1))
    lines.append(".end")
    copy, raw = os.path.join(folder, "peer.cir"), os.path.join(folder, "peer.raw")
    open(copy, "w").write("\n".join(lines) + "\n")
    done = subprocess.run(["ngspice", "-b", "-r", raw, copy], capture_output=True, text=True, timeout=600)
    if not os.path.exists(raw):
        raise SystemExit("ngspice failed on %s:\n%s%s" % (path, done.stdout, done.stderr))
    return read_raw(raw)


def seconds(text):
    scale = {"m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12}
    return float(text[:-1]) * scale[text[-1].lower()] if text[-1].isalpha() else float(text)


def own(binary, path, arguments):
    done = subprocess.run([binary, "run", path] + arguments, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise ValueError("cotree: exit %d\n%s" % (done.returncode, done.stderr))
    rows = list(csv.reader(io.StringIO(done.stdout)))
    return [name.lower() for name in rows[0]], [[float(x) for x in row] for row in rows[1:]]


def column(names, rows, label):
    """v(a), v(a,b), i(v1) of the peer's rows."""
    label = label.lower().replace(" ", "")
    inside = label[label.index("(") + 1 : -1]
    if label[0] == "i":
        return [row[names.index("i(%s)" % inside if "i(%s)" % inside in names else "%s#branch" % inside)] for row in rows]
    if "." in inside:
        inside = inside
    parts = [[0] * len(rows) if node == "0" else [row[names.index("v(%s)" % node)] for row in rows] for node in inside.split(",")]
    return parts[0] if len(parts) == 1 else [a - b for a, b in zip(*parts)]


def differ(mine, theirs, label):
    """Leakage currents are compared with a nanoampere."""
    most = max([abs(x) for x in theirs] + [1e-9 if label[0] == "i" else 1e-6])
    return max(abs(a - b) for a, b in zip(mine, theirs)) / most


def check_tran(binary, path, plot):
    _, names, rows = plot
    rows = [row for row in rows if row[0] > 0]
    step = max(1, len(rows) // ROWS)
    rows = [row for i, row in enumerate(rows) if i % step == step // 2]
    times = ",".join(repr(row[0]) for row in rows)
    head, mine = own(binary, path, ["--analysis", "tran", "--times", times, "--tol", "1e-9"])
    return [(name, [row[i] for row in mine], column(names, rows, name)) for i, name in enumerate(head) if i]


def check_op(binary, path, plot):
    _, names, rows = plot
    head, mine = own(binary, path, ["--analysis", "op"])
    return [(name, [mine[0][i]], column(names, rows, name)) for i, name in enumerate(head)]


def check_dc(binary, path, plot):
    _, names, rows = plot
    head, mine = own(binary, path, ["--analysis", "dc"])
    first = next(i for i, name in enumerate(head) if "(" in name)
    if len(mine) != len(rows):
        raise ValueError("%d rows, ngspice has %d" % (len(mine), len(rows)))
    return [(name, [row[i] for row in mine], column(names, rows, name)) for i, name in enumerate(head) if i >= first]


def check_ac(binary, path, plot):
    _, names, rows = plot
    head, mine = own(binary, path, ["--analysis", "ac"])
    if len(mine) != len(rows):
        raise ValueError("%d rows, ngspice has %d" % (len(mine), len(rows)))
    found = []
    for i, name in enumerate(head):
        if name.startswith("re("):
            found.append((name[3:-1], [complex(row[i], row[i + 1]) for row in mine], column(names, rows, name[3:-1])))
    return found


KINDS = [("Transient", check_tran), ("Operating", check_op), ("DC transfer", check_dc), ("AC", check_ac)]


def main():
    binary, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:]
    passed = failed = 0
    for path in sorted(glob.glob(HERE + "/*.cir")) + sorted(glob.glob(HERE + "/../../models/spice_amplifier/model.cir")):
        name = os.path.basename(os.path.dirname(path)) if path.endswith("/model.cir") else os.path.basename(path)[:-4]
        if chosen and name not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            plots = peer(path, name, folder)
        for plot in plots:
            check = next(check for word, check in KINDS if plot[0].startswith(word))
            bad, worst = "", 0
            try:
                for label, mine, theirs in check(binary, path, plot):
                    error = differ(mine, theirs, label)
                    worst = max(worst, error)
                    if not error <= TOLERANCE.get(name, 2e-5):
                        bad += "  %s differs by %.2g\n" % (label, error)
            except (ValueError, KeyError) as problem:
                bad += "  %s\n" % problem
            passed, failed = passed + (not bad), failed + bool(bad)
            if bad:
                print("%s, %s:\n%s" % (name, plot[0], bad), end="")
            elif chosen:
                print("%s, %s: %.2g" % (name, plot[0], worst))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
