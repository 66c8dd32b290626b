#!/usr/bin/python3
"""check.py BINARY: a program that was built with the rows of this folder. Ends with `N passed, N failed`."""
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile

MODEL = """model outside
param R0 = 2 ohm, w = 1.5 V
input u : V = 1
V1 : vsource(a, ground)  v = u
R1 : resistor(a, b)  R = R0*(2 - bump(1 V, w))
C1 : capacitor(b, ground)  C = 1 F
output C1.v as v, bump(C1.v, w) as y, diff(bump(C1.v, w), w)*w as slope
simulate stop = 2 s
"""
NETLIST = "t\nV1 a 0 1\nB1 b 0 V={bump(v(a), 1.5)}\nR1 b 0 {bump(1, 2)}\n.op\n"
BODY = """space = planar
gravity = [0, -9.81 m/s^2]
B : body  m = 1 kg, I = 1 kg.m^2  { A = [0, 1 m] }
J : revolute(ground, B.A)
"""
OWN = NETLIST.replace("t\n", "t\n.func bump(x, y) {x + y}\n", 1)


def bump(a, b):
    return math.exp(-a * a / (b * b))


class Checks:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.passed, self.failed = binary, folder, 0, 0

    def call(self, *arguments):
        return subprocess.run([self.binary, *arguments], cwd=self.folder, capture_output=True, text=True)

    def check(self, what, good, said=""):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print(f"{what}: {said}")

    def value(self, what, got, want, tolerance=1e-9):
        self.check(what, abs(got - want) <= tolerance * (1 + abs(want)), f"{got}, not {want}")


def operator(c):
    at = json.loads(c.call("eval", "m.lg", "--state", "C1.v=0.7", "--json").stdout)["outputs"]
    resistance = 2 * (2 - bump(1, 1.5))
    c.value("value", at["y"], bump(0.7, 1.5))
    c.value("slope", at["slope"], 2 * 0.7**2 / 1.5**2 * bump(0.7, 1.5))
    c.check("LaTeX", "operatorname{bump}" in c.call("equations", "m.lg", "--format", "latex").stdout)
    c.call("statespace", "lin.lg", "--format", "python", "-o", "m.py")
    spec = importlib.util.spec_from_file_location("m", os.path.join(c.folder, "m.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    c.value("Python", module.matrices().A[0][0], -1 / resistance)
    c.check("MATLAB", "exp(-" in c.call("statespace", "lin.lg", "--format", "matlab").stdout)
    c.call("export", "m.lg", "-o", "m.c")
    built = subprocess.run(["cc", "-c", "m.c", "-o", "m.o"], cwd=c.folder, capture_output=True, text=True)
    c.check("C", built.returncode == 0, built.stderr)
    c.check("doc", "bump(a, b)" in c.call("doc", "bump").stdout)
    rough = c.call("equations", "rough.lg")
    c.check("no derivative", rough.returncode == 1 and "rough.lg:7:" in rough.stderr and "error[E503]" in rough.stderr and
            "rough(C1.v) cannot be differentiated" in rough.stderr and "help: write der(...)" in rough.stderr, rough.stderr)
    c.check("without der", c.call("equations", "plain.lg").returncode == 0)
    wrong = c.call("check", "wrong.lg")
    c.check("dimensions", wrong.returncode == 1 and "error[E2" in wrong.stderr, wrong.stderr)


def netlists(c):
    for name, b in (("n.cir", bump(1, 1.5)), ("own.cir", 2.5)):
        at = json.loads(c.call("equilibrium", name, "--json").stdout)["outputs"]
        c.value(name, at["v(b)"], b)


def method(c):
    run = c.call("run", "m.lg", "--method", "heun", "-o", "m.last", "--stats", "--tol", "1e-5")
    c.check("method", json.loads(run.stdout)["method"] == "Heun 2(1)", run.stdout + run.stderr)
    last = dict(line.split() for line in open(os.path.join(c.folder, "m.last")))
    c.value("run", float(last["v"]), 1 - math.exp(-2 / (2 * (2 - bump(1, 1.5)))), 1e-4)
    c.check("help of methods", "heun" in c.call("run", "--help").stdout)
    c.check("message of methods", "heun" in c.call("run", "m.lg", "--method", "henu").stderr)
    c.check("method of the model", c.call("check", "heun.lg").returncode == 0)


def formats(c):
    c.check("graph", "R1 chord" in c.call("graph", "m.lg", "-o", "m.edges").stdout + open(os.path.join(c.folder, "m.edges")).read())
    c.check("equations", "1 differential" in c.call("equations", "m.lg", "--format", "count").stdout)
    c.check("state space", c.call("statespace", "m.lg", "--format", "names").stdout == "C1.v\n")
    c.check("code", c.call("export", "m.lg", "--to", "words").stdout == "C1.v\n")
    c.call("statespace", "lin.lg", "--numeric", "--step", "m.title")
    c.check("response", open(os.path.join(c.folder, "m.title")).read().split()[-1] == "2")
    c.check("dynamics", c.call("dynamics", "b.lg", "--format", "speeds").stdout == "B.w\n")
    c.check("endings of responses", ".title" in c.call("statespace", "lin.lg", "--numeric", "--bode", "m.png").stderr)
    for verb, word in (("equations", "count"), ("statespace", "names"), ("export", "words"), ("dynamics", "speeds")):
        c.check("help of " + verb, word in c.call(verb, "--help").stdout)
    c.check("endings", ".edges" in c.call("graph", "m.lg", "-o", "m.png").stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        linear = MODEL.replace(", bump(C1.v, w) as y, diff(bump(C1.v, w), w)*w as slope", "")
        texts = {"m.lg": MODEL, "lin.lg": linear, "b.lg": BODY, "n.cir": NETLIST, "own.cir": OWN, "heun.lg": MODEL.replace("stop = 2 s", "stop = 2 s, method = heun"),
                 "rough.lg": linear.replace("C1.v as v", "der(rough(C1.v)) as v"), "plain.lg": linear.replace("C1.v as v", "rough(C1.v) as v"),
                 "wrong.lg": MODEL.replace("bump(1 V, w)", "bump(1 A, w)")}
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w") as out:
                out.write(text)
        c = Checks(os.path.realpath(sys.argv[1]), folder)
        for part in (operator, netlists, method, formats):
            part(c)
    print(f"{c.passed} passed, {c.failed} failed")
    return c.failed != 0


sys.exit(main())
