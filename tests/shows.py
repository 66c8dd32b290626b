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


GROUNDED = """Q : flow_source(ground, a)  q = 1e-3
T : tank(a)  C = 1e-4, p(0) = 5 kPa
L : fluid_leakage(a, ground)  G = 1e-6
H : heat_source(ground, h)  Q = 10 W
K : thermal_capacitor(h)  C = 100 J/K, T(0) = 300 K
G : thermal_conductor(h, ground)  G = 0.05
I : isource(ground, e)  i = 1 mA
C : capacitor(e)  C = 1 uF, v(0) = 1 V
R : resistor(e, ground)  R = 2 kohm
V : fluid_volume(a)  V = 1e-3
F : own(e)  k = 1e-6
element own "storage of one's own"
  port p, n : electrical
  edge b(p, n)
  param k
  b.i = k*(1 + b.v^2)*der(b.v)
end
output T.p, K.T, C.v, V.q, F.i
"""


def grounded(folder):
    """Storage of every domain with one terminal: the other end is ground."""
    full = GROUNDED
    for name in ("tank(a", "thermal_capacitor(h", "capacitor(e", "fluid_volume(a", "own(e"):
        full = full.replace(f" {name})", f" {name}, ground)")
    one, two = (run("run", model(folder, text), "--times", "0,0.001,10", "-o", "-") for text in (GROUNDED, full))
    check(one.returncode == 0 and one.stdout == two.stdout and one.stdout.count("\n") == 4, "one terminal", one.all)
    for line in ("R : resistor(a)  R = 1", "L : inductor(a)  L = 1", "T : tank()  C = 1", "T : tank(a, b, c)  C = 1"):
        done = run("check", model(folder, line + "\nV : vsource(a, ground)  v = 1"))
        check("error[E" in done.all, f"{line} is an error", done.all)


def states(folder):
    """Values of --state with units; units that do not fit are refused."""
    path = model(folder, GROUNDED)
    for given, name, want in (("T.p=2 kPa", "T.p", 2000), ("K.T=20 degC", "K.T", 293.15), ("C.v=1500mV", "C.v", 1.5),
                              ("K.T=77 K,T.p=1e5", "T.p", 1e5)):
        done = run("eval", path, "--state", given, "--json")
        got = json.loads(done.stdout)["states"][name]
        got = got["value"] if isinstance(got, dict) else got
        check(abs(got - want) < 1e-9 * want, given, done.all)
    linkage = ROOT / "models/double_pendulum/model.lg"
    got = json.loads(run("eval", linkage, "--state", "h7.beta=90 deg,body2.w=60 rpm", "--json").stdout)["outputs"]
    check(abs(got["theta1"] - 1.5707963267948966) < 1e-12 and abs(got["omega2"] - 6.283185307179586) < 1e-9,
          "degrees and turns", str(got))
    for given, says in (("T.p=2 V", "E230"), ("T.p=2 kPaa", "E105"), ("T.p=2 3", "with or without a unit")):
        done = run("eval", path, "--state", given)
        check(done.returncode != 0 and says in done.all, given, done.all)


LEVEL = """param A = 2 m^2, rho = 1000 kg/m^3, g = 9.81 m/s^2
Q : flow_source(ground, a)  q = 1e-3
T : tank(a)  C = A/(rho*g), p(0) = 1 kPa
V : fluid_volume(b)  V = 5e-4, beta = 1.4e9
F : fluid_resistor(a, b)  R = 2e9, k = 2
E : fluid_leakage(b, ground)  G = 1e-9
signal h = T.p/(rho*g)
signal e = h - 2 m
output h, T.p/(rho*g) as level, 3*integral(e) as control, T.p/(rho*g)
"""


def equations(folder):
    """No row says a = a; signals have their names; laws with kinks are roots, and numbers short."""
    path = model(folder, LEVEL)
    for form in ("state", "ode", "nodal", "branch-chord", "tableau"):
        for more in ([], ["--simplify", "full"], ["--trace"]):
            said = run("equations", path, "--form", form, *more).stdout
            for line in said.splitlines():
                left, _, right = line.split("  #")[0].partition(" = ")
                check(not right or left.strip() != right.strip(), f"{form} {more}: {line}")
    said = run("equations", path).stdout
    for text in ("h = T.p/(g*rho)", "level = T.p/(g*rho)", "control = 3*integral(e)", "der(integral(e)) = ",
                 "3.57143e-13*der(V.p)", "sqrt(", "F: laminar where the flow is below q0 = 1e-9 m^3/s"):
        check(text in said, f"equations show {text}", said)
    check("sinh" not in said and "28000000" not in said, "neither sinh nor long ratios", said)
    check("1/2800000000000" in run("equations", path, "--json").stdout, "exact in JSON")
    said = run("equations", model(folder, LEVEL.replace("k = 2", "k = 1"))).stdout
    check("laminar" not in said, "a laminar pipe has no other range", said)
    said = run("statespace", path, "--poles").stdout
    check("observable" in said and "controllable" not in said, "nothing to control", said)
    said = run("statespace", ROOT / "models/rc_network/model.lg", "--poles").stdout
    check("1 controllable" in said, "controllable where there are inputs", said)


CASES = [counts, driven, grounded, states, equations]


def main():
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            case(folder)
    print(f"{len(CASES)} cases, {len(WRONG)} wrong")
    return 1 if WRONG else 0


sys.exit(main())
