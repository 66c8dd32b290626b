"""Frequency responses, natural frequencies and static answers of fields against known numbers: responses.py PROGRAM.

The numbers of tests/responses belong to models that show something else in time: impedances and admittances of a pipe, exact
and of ten modes without what they leave out; what a line with losses passes on; frequencies of cells, and their order; those of
all classical ends; eigenvalues of the milling machine.
"""
import cmath
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy

here = os.path.dirname(os.path.abspath(__file__))
program = sys.argv[1]
folder = tempfile.TemporaryDirectory()
bad = 0


def known(name):
    with open(os.path.join(here, "responses", name + ".txt")) as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {row[0]: (float(row[1]), float(row[2])) for row in rows}


def call(text, *options):
    path = os.path.join(folder.name, "model.lg")
    with open(path, "w") as file:
        file.write("model response\n" + text)
    said = subprocess.run([program, *options[:1], path, *options[1:]], capture_output=True, text=True)
    if said.returncode:
        sys.exit("responses: %s\n%s" % (said.stderr, text))
    return said.stdout


def matrices(text, *options):
    return json.loads(call(text, "statespace", "--numeric", "--format", "json", *options))


def response(model, s):
    """The matrix from inputs to outputs."""
    n, m, p = (len(model[k]) for k in ("states", "inputs", "outputs"))
    at = lambda k, rows, cols: numpy.array(model.get(k) or numpy.zeros((rows, cols)), float).reshape(rows, cols)
    solved = numpy.linalg.solve(s * numpy.eye(n) - at("A", n, n), at("B", n, m) + s * at("E", n, m))
    return at("C", p, n) @ solved + at("D", p, m) + s * at("F", p, m)


def compare(name, have):
    """All of the known numbers, no more and no fewer."""
    global bad
    want = known(name)
    if set(want) != set(have):
        sys.exit("responses: %s: not the same quantities: %s" % (name, sorted(set(want) ^ set(have))))
    for quantity, (value, tolerance) in want.items():
        if not abs(have[quantity] - value) <= tolerance:
            bad += 1
            print("responses: %s: %s is %r, not %r within %g" % (name, quantity, have[quantity], value, tolerance))
    print("responses: %s: %d quantities" % (name, len(want)))


def put(have, name, place, value):
    have["%s_re@%s" % (name, place)], have["%s_im@%s" % (name, place)] = value.real, value.imag


PIPE = "L1 : pipe(a, b) rho = 870, c = 1000, length = 10, A = 0.00031415926535897936, friction = 3.68, "
BY_PRESSURE = "input u1 = 0\ninput u2 = 0\nP0 : pressure_source(a, ground) p = u1\nPL : pressure_source(b, ground) p = u2\n"
BY_FLOW = "input u1 = 0\ninput u2 = 0\nQ0 : flow_source(ground, a) q = u1\nQL : flow_source(ground, b) q = u2\n"


def pipe():
    have = {}
    admits = matrices(PIPE + "modes = 10, causality = pressure, residual = none\n" + BY_PRESSURE + "output L1.q, L1.q_out\n", "--exact")
    hinders = matrices(PIPE + "modes = 10, causality = flow, residual = none\n" + BY_FLOW + "output a.p, b.p\n")
    formula = admits["exact"][0]
    for place in (1, 20, 70):
        s = 2j * math.pi * place
        names = {"s": s, "sqrt": cmath.sqrt, "__builtins__": {}}
        gamma, zc = (eval(formula[k].replace("^", "**"), names) for k in ("gamma", "Zc"))
        exact = {"Y11": 1 / (zc * cmath.tanh(gamma)), "Y12": -1 / (zc * cmath.sinh(gamma)),
                 "Z11": zc / cmath.tanh(gamma), "Z12": zc / cmath.sinh(gamma)}
        y, z = response(admits, s), response(hinders, s)
        modal = {"Y11": y[0, 0], "Y12": y[0, 1], "Z11": z[0, 0], "Z12": z[0, 1]}
        for name in exact:
            put(have, name + "_exact", "%dHz" % place, exact[name])
            put(have, name + "_modal10", "%dHz" % place, modal[name])
    compare("pipe_causalities", have)


LINE = "input V = 5\nE : vsource(s, ground) v = V\nS : resistor(s, a) R = 25\nL : resistor(b, ground) R = 150\n" \
       "rlgc : line(a, b) length = 2, l = 2.5e-7, c = 1e-10, r = 8, g = 0.002, modes = 20\noutput a.v, b.v, S.i\n"


def line():
    """The line as it is, which --exact gives beside the finite model."""
    have, path = {}, os.path.join(folder.name, "bode.json")
    for place in (1e6, 2e7, 1e8):
        call(LINE, "statespace", "--exact", "--bode", path, "--from", "%r Hz" % place, "--to", "%r Hz" % (2 * place), "--points", "2",
             "--format", "json")
        with open(path) as file:
            drawn = json.load(file)
        near, far, flow = (cmath.rect(10 ** (row["exact_dB"][0] / 20), math.radians(row["exact_deg"][0])) for row in drawn["responses"])
        put(have, "Zin_rlgc", ("%.0e" % place) + "Hz", near / flow)
        put(have, "H_rlgc", ("%.0e" % place) + "Hz", far)
    compare("line_step", have)


BAR = "input F0 = 1 N\nF : force(ground, c) F = F0\nB : bar(ground, c) E = 200 GPa, rho = 7850, A = 0.01, length = 1, %s\noutput c.x\n"


def still(keys):
    return 1000 * response(matrices(BAR % keys), 0)[0, 0].real


def cells():
    have, first = {}, {}
    for n in (5, 10, 20, 40, 80, 160, 320):
        poles = numpy.linalg.eigvals(numpy.array(matrices(BAR % ("method = cells, cells = %d" % n))["A"], float))
        omega = sorted(poles.imag[poles.imag > 0])
        first[n] = omega[0]
        for k in range(3):
            have["omega_%d_cells%d" % (k + 1, n)] = omega[k]
    exact = math.pi / 2 * math.sqrt(200e9 / 7850)
    have["order_cells"] = math.log2((exact - first[160]) / (exact - first[320]))
    have["tip_static_cells"] = still("method = cells, cells = 20")
    have["tip_static_modes5"] = still("modes = 5, ends = fixed_free, residual = none")
    have["tip_static_modes5_corrected"] = still("modes = 5, ends = fixed_free")
    compare("cells_vs_modes", have)


def model_path(name):
    return os.path.join(here, "..", "models", name, "model.lg")


def ends():
    said = subprocess.run([program, "run", model_path("beam_ends_table"), "--times", "0", "-o", "-"], capture_output=True, text=True)
    names, values = (row.split(",") for row in said.stdout.splitlines()[:2])
    want = known("beam_ends_table")
    compare("beam_ends_table", {name: float(value) for name, value in zip(names, values) if name in want})


def milling():
    """Two more eigenvalues are zero: k7 and k11 stretch as the others do, but are states of their own."""
    said = subprocess.run([program, "statespace", model_path("milling_machine"), "--numeric", "--format", "json"],
                          capture_output=True, text=True)
    values = numpy.linalg.eigvals(numpy.array(json.loads(said.stdout)["A"], float))
    values = sorted(values[numpy.abs(values) > 1], key=lambda x: x.imag)
    have = {"eig%d_re" % i: x.real for i, x in enumerate(values)}
    compare("milling_machine", {**have, **{"eig%d_im" % i: x.imag for i, x in enumerate(values)}})


pipe()
line()
cells()
ends()
milling()
sys.exit(1 if bad else 0)
