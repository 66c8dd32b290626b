"""Equations between vectors: multiplied out they are the scalar ones, and counted as in Alipourazadi, table 4-4.

usage: matrix.py BINARY. Random values for all variables; needs numpy; exit 1 when something differs."""
import json
import random
import re
import subprocess
import sys
import tempfile

import numpy

COTREE = sys.argv[1]

SCALAR = "model bar_scalar\nparam m = 1 kg, k = 1000 N/m, r = 1.5\n" + "".join(
    "T%d : lever(%s, c%d | ground, q%d) n = %sr\nM%d : mass(q%d) m = m\nK%d : spring(ground, q%d) k = %d*k\n"
    % (i, "c%d" % (i - 1) if i > 1 else "ground", i, i, "-" if i % 2 == 0 else "", i, i, i, i, (2 * i - 1) ** 2)
    for i in range(1, 5)) + "S : force(ground, c4) F = 1 N*sin(t)\n"
VECTOR = """model bar_vector
param m = 1 kg, k = 1000 N/m, r = 1.5
node q : translational[4]
T : transformer(ground, tip | ground, q) n = [r, -r, r, -r]
M : mass(q) m = m
K : spring(ground, q) k = [k, 9*k, 25*k, 49*k]
S : force(ground, tip) F = 1 N*sin(t)
output tip.v
"""
FIELD = """model bar_field
B : bar(ground, tip) E = 200 GPa, rho = 7850 kg/m^3, A = 1e-4 m^2, length = 1 m, modes = 4%s
S : force(ground, tip) F = 1 N*sin(t)
output tip.v
"""
MOVED = """model moved "a ratio that moves with coordinates, matrices that are not symmetric or diagonal"
param l = 0.5 m
input u : N
node q : translational[2]
node w : rotational[3]
J : inertia(w) J = [2, 0.5, 0.1; 0.5, 3, 0.2; 0.1, 0.2, 4] kg.m^2, w(0) = [1, 2, 3] rad/s
M : mass(q) m = [2, 5] kg
T : transformer(ground, q | ground, w) n = [l*sin(J.theta[1]), 0.2 m, l*cos(J.theta[2]); 0.1 m, l, -l*J.theta[3]]
D : damper(ground, q) d = [3, 1; 1, 2]
F : force(ground, q) F = [u, 2 N*sin(t)]
output q.v
"""
CURVED = """model curved "what is not linear, on a vector node"
element cubic "current with the third power of the voltage"
  port ends : electrical(p, n)
  edge e(p, n)
  param g : A/V^3
  e.i = g*e.v^3
end
node a : electrical[3]
param R = 2 ohm
V : vsource(p, ground) v = 1 V*sin(t)
T : transformer(p, ground | a, ground) n = [1, 2, -0.5]
C : capacitor(a, ground) C = [1, 2, 3] mF
D : cubic(a, ground) g = [1, 2, 3] A/V^3
R1 : resistor(a, ground) R = R
output C.v, D.i
"""
PIPES = """model pipes
P1 : pipe(a, b) length = 3 m, A = 1 cm^2, rho = 900 kg/m^3, c = 1300 m/s, friction = 4, modes = 3
P2 : pipe(b, c) length = 2 m, A = 2 cm^2, rho = 900 kg/m^3, c = 1300 m/s, method = cells, cells = 4
S : pressure_source(a, ground) p = 1 bar*sin(10*t)
R : fluid_resistor(c, ground) R = 1e9
output c.p
"""
BEAM = """model cantilever
B : beam(ground, tip | ground, rt) E = 70 GPa, rho = 2700 kg/m^3, A = 1 cm^2, Iz = 100 mm^4, length = 1 m, modes = 3, slopes = ports
M : mass(tip) m = 0.1 kg
J : inertia(rt) J = 1e-4 kg.m^2
F : force(ground, tip) F = 1 N
output tip.x
"""


def equations(text, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".lg") as f:
        f.write(text)
        f.flush()
        done = subprocess.run([COTREE, "equations", f.name, "--json", *options], capture_output=True, text=True)
    assert done.returncode == 0, (options, done.stdout, done.stderr)
    return json.loads(done.stdout)


class Block:
    """A matrix; `*` is the product of matrices, numbers stay numbers."""

    def __init__(self, value):
        self.value = numpy.atleast_2d(numpy.asarray(value, float))

    def of(self, other):
        return other.value if isinstance(other, Block) else other

    def __mul__(self, other):
        return Block(self.value @ other.value if isinstance(other, Block) else self.value * other)

    def __rmul__(self, other):
        return Block(other * self.value)

    def __truediv__(self, other):
        return Block(self.value / other)

    def __neg__(self):
        return Block(-self.value)

    def __add__(self, other):
        return Block(self.value + self.of(other))

    __radd__ = __add__

    def __sub__(self, other):
        return Block(self.value - self.of(other))

    def __rsub__(self, other):
        return Block(self.of(other) - self.value)


FUNCTIONS = {n: getattr(numpy, n) for n in "sin cos exp sqrt log tanh".split()}


class Values:
    """A random number for each name that is met."""

    def __init__(self, seed):
        self.seed, self.known = seed, {"pi": numpy.pi}

    def name(self, text):
        if text not in self.known:
            self.known[text] = random.Random("%s %s" % (self.seed, text)).uniform(0.1, 1)
        return self.known[text]

    def read(self, text):
        spots = []

        def spot(m):
            word = m.group(0)
            if word in FUNCTIONS:
                return "FUNCTIONS['%s']" % word
            spots.append(word)
            return "values[%d]" % (len(spots) - 1)

        body = re.sub(r"der\([^()]*\)|[A-Za-z_][\w.]*(\[\d+\](\.\w+)*)?", spot, text.replace("^", "**"))
        return eval(body, {"FUNCTIONS": FUNCTIONS, "values": [self.name(s) for s in spots]})


def hide_exponents(text):
    """1e-9 has no name in it."""
    return re.sub(r"(?<![\w.])(\d+\.?\d*)e(-?\d+)", lambda m: "(%s*10.0**(%s))" % m.groups(), text)


def residuals(listed, values):
    out = []
    for d in listed["definitions"]:
        left, right = hide_exponents(d["text"]).split(" = ", 1)
        values.known[left] = values.read(right)
    for v in listed.get("vectors", []):
        for form in "%s", "der(%s)":
            names = [form % entry for entry in v["entries"]]
            values.known[form % v["name"]] = Block([[values.name(n)] for n in names])
    for m in listed.get("matrices", []):
        full = numpy.zeros((m["rows"], m["cols"]))
        for row, col, text in m["entries"]:
            full[row, col] = values.read(hide_exponents(text))
        values.known[m["name"]] = Block(full)
    for key in "equations", "constraints", "outputs":
        for e in listed[key]:
            left, right = hide_exponents(e["text"]).split(" = ", 1)
            r = values.read(left) - values.read(right)
            out += list(r.value[:, 0]) if isinstance(r, Block) else [float(r)]
    return sorted(out)


def same(name, text, *options):
    plain, named = equations(text, "--all", *options), equations(text, "--matrix", *options)
    a, b = residuals(plain, Values(name)), residuals(named, Values(name))
    assert len(a) == len(b) and numpy.allclose(a, b, rtol=1e-9, atol=1e-12), (name, options, len(a), len(b))
    return named


def main():
    for name, text, want in (("scalar", SCALAR, 33), ("vector", VECTOR, 9), ("field", FIELD % "", 4),
                             ("field without residual", FIELD % ", ends = fixed_free, residual = none", 4)):
        listed = same(name, text, "--form", "tableau")
        assert listed["counts"]["matrix"] == want, (name, listed["counts"])
    for name, text in (("vector", VECTOR), ("moved", MOVED), ("curved", CURVED), ("pipes", PIPES), ("beam", BEAM),
                       ("field", FIELD % "")):
        for form in "auto", "ode", "tableau", "nodal", "branch-chord":
            same(name, text, "--form", form)
    print("matrix: ok")


main()
