"""What the program says and shows, tried as its users do.

usage: shows.py BINARY; exit 1 when something is not as it should be."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BINARY = str(Path(sys.argv[1]).resolve())
ROOT = Path(__file__).resolve().parent.parent
WRONG = []


def run(*arguments, folder=None, text=None, **other):
    done = subprocess.run([BINARY, *map(str, arguments)], cwd=folder, input=text, text=True, errors="replace",
                          capture_output=True, timeout=120, **other)
    done.all = done.stdout + done.stderr
    return done


def check(good, what, said=""):
    if not good:
        WRONG.append(what)
        print(f"{what}\n{said}")


def model(folder, text, name="model.lg"):
    path = Path(folder) / name
    path.write_text(text)
    return path


DRIVEN = """space = planar
gravity = [0, -9.81] m/s^2
a : body  m = 2 kg, I = 0.1 kg.m^2, com = [0.1, 0] m
b : body  m = 3 kg
J : revolute(ground, a)  beta = 0.4*sin(3*t)
S : prismatic(ground, b)  axis = [0, 1], s = 0.1*t
R : resistor(p, ground)  R = 2 ohm
V : vsource(p, ground)  v = 1 V
W : force(ground, b)  F = [1, 0] N
output J.T, J.drive, S.F[1], S.F[2], S.drive
"""


def counts(folder):
    """check counts bodies and joints beside components."""
    said = run("check", ROOT / "models/four_bar/model.lg").stdout
    check("3 bodies, 4 joints, no complaints" in said and "component" not in said, "four-bar", said)
    said = run("check", model(folder, DRIVEN)).stdout
    check("2 components, 2 nodes, 2 bodies, 2 joints, 1 force or torque," in said, "all kinds", said)
    said = run("check", ROOT / "models/rc_network/model.lg").stdout
    check("4 components, 3 nodes, no" in said and "bod" not in said, "a network alone", said)


def driven(folder):
    """A reaction is that of the bearing; what a driver does stands in drive, as the manual says."""
    done = run("run", model(folder, DRIVEN), "--times", "0", "-o", "-")
    row = [float(x) for x in done.stdout.splitlines()[1].split(",")[1:]]
    want = [0, 1.962, -1, 0, 3 * 9.81]
    check(max(abs(a - b) for a, b in zip(row, want)) < 1e-9, "reactions and drives", done.all)
    check("not in F, T" in run("doc", "revolute").stdout, "doc revolute tells")


CASES = [counts, driven]


def main():
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            case(folder)
    print(f"{len(CASES)} cases, {len(WRONG)} wrong")
    return 1 if WRONG else 0


sys.exit(main())
