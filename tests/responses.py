"""Frequency responses, natural frequencies and static answers of fields against known numbers: responses.py PROGRAM.

The numbers of tests/responses belong to models that show something else in time: impedances and admittances of a pipe, exact
and of ten modes without what they leave out; what a line with losses and a wall pass on; frequencies of cells, and their order;
those of all ends, with masses and springs and of all theories, of a shaft, and of a beam that spins; eigenvalues of the milling
machine. With those of tests/physics they are all numbers that are known of these models.
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


def scattering(impedance):
    """Of waves that meet the pipe, behind pipes without friction that go on for ever."""
    scaled, one = impedance / (870 * 1000 / 0.00031415926535897936), numpy.eye(2)
    return (scaled - one) @ numpy.linalg.inv(scaled + one)


def impedance_of(keys, causality, s):
    if causality == "flow":
        return response(matrices(PIPE + "causality = flow, " + keys + "\n" + BY_FLOW + "output a.p, b.p\n"), s)
    return numpy.linalg.inv(response(matrices(PIPE + "causality = pressure, " + keys + "\n" + BY_PRESSURE + "output L1.q, L1.eb.q\n"), s))


def orders():
    """Impedance and scattering of the pipe come to those of its transfer matrix: of third order by modes, of second by cells."""
    global bad
    s, mass, softness = 2j * math.pi * 70, 870 / 0.00031415926535897936, 0.00031415926535897936 / 870e6
    gamma, zc = 10 * cmath.sqrt(mass * (s + 3.68) * softness * s), cmath.sqrt(mass * (s + 3.68) / (softness * s))
    near, far = zc / cmath.tanh(gamma), zc / cmath.sinh(gamma)
    exact = numpy.array([[near, far], [far, near]])
    for keys, order in (("modes = %d", 3), ("method = cells, cells = %d", 2)):
        for causality in ("flow", "pressure"):
            z = [impedance_of(keys % n, causality, s) for n in (20, 40, 80)]
            for what, off in (("impedance", [abs(x - exact).max() for x in z]),
                              ("scattering", [abs(scattering(x) - scattering(exact)).max() for x in z])):
                found = [math.log2(off[k] / off[k + 1]) for k in (0, 1)]
                if not (abs(found[0] - order) < 0.1 and abs(found[1] - order) < 0.05):
                    bad += 1
                    print("responses: %s with %s, by %s: orders %.3f, %.3f, not %d" % (what, keys, causality, *found, order))
    print("responses: orders of pipes: 8 quantities")


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


def outputs(name, *options, at="0"):
    """Columns of the model, as arrays over the times."""
    said = subprocess.run([program, "run", model_path(name), "--times", at, "-o", "-", *options], capture_output=True, text=True)
    if said.returncode:
        sys.exit("responses: %s: %s" % (name, said.stderr))
    names, *rows = (row.split(",") for row in said.stdout.splitlines())
    return dict(zip(names, numpy.array(rows, float).T))


def first(name, want, *options):
    """Those of the wanted quantities that are outputs of the model, at the first of the times."""
    return {quantity: row[0] for quantity, row in outputs(name, *options).items() if quantity in want}


def poles(path, *options):
    said = subprocess.run([program, "statespace", path, "--numeric", "--poles", "--json", *options], capture_output=True, text=True)
    if said.returncode:
        sys.exit("responses: %s: %s" % (path, said.stderr))
    return json.loads(said.stdout)


def nearest(found, want, names):
    """For each name the pole that is closest to what is known."""
    return {name: min(found, key=lambda x: abs(x - want[name][0])) for name in names}


def frequencies(text, exact=False):
    path = os.path.join(folder.name, "poles.lg")
    with open(path, "w") as file:
        file.write("model poles\n" + text)
    found = poles(path, *(["--exact"] if exact else []))["exact_poles" if exact else "poles"]
    return sorted(p["im"] for p in found if p["im"] > 0)


CHAIN = """param n = 10, m = 7850*0.01*0.1, k = 200e9*0.01/0.1
K1 : spring(ground, p1) k = k
repeat i = 2..10 { K{i} : spring(p{i - 1}, p{i}) k = k }
repeat i = 1..10 { M{i} : mass(p{i}) m = m }
"""


def bar():
    """Elements of the textbook are masses with springs between them; the model has the formula of their frequencies."""
    want = known("bar_modal")
    have, chain = first("bar_modal", want), frequencies(CHAIN)
    compare("bar_modal", {**have, **{"microelement_N10_omega_%d" % k: chain[k - 1] for k in (3, 4)}})


CANTILEVER = "B : beam(ground, c) E = 200 GPa, rho = 7850, A = 0.01, Iz = 0.1^4/12, length = 1, ends = clamped_free, %s\n" \
             "input F0 = 0 N\nF : force(ground, c) F = F0\noutput c.x\n"
RITZ = "space = planar\nbeam : flexible  length = 1 m, A = 0.01 m^2, Iz = 0.1^4/12 m^4, E = 200 GPa, rho = 7850 kg/m^3, modes = 5, theory = %s\n" \
       "W : weld(ground, beam)\n"


def beam():
    want = known("beam_euler_bernoulli")
    have = first("beam_euler_bernoulli", want)
    for n in (4, 5):
        have["static_tip_compliance_modal_N%d" % n] = response(matrices(CANTILEVER % ("modes = %d, residual = none" % n)), 0)[0, 0].real
    for name, theory in (("EB", "euler_bernoulli"), ("rayleigh", "rayleigh")):
        for k, omega in enumerate(frequencies(RITZ % theory)[:3]):
            have["ritz5_%s_omega_%d" % (name, k + 1)] = omega
    half = outputs("beam_euler_bernoulli")["omega_clamped-free_1"][0] / 2
    have["tip_receptance_at_half_omega1"] = response(matrices(CANTILEVER % "modes = 5"), 1j * half)[0, 0].real
    compare("beam_euler_bernoulli", have)


def hammer():
    """The highest pressure of the run, among rows that are close to each other."""
    rows = outputs("water_hammer", at=",".join("%.4f" % (k / 500) for k in range(1, 1500)))
    compare("water_hammer", {"p_peak_orifice": max(rows["p_valve_orifice"])})


WALL = "input T_out = 0\noutside : temperature_source(air, ground) T = T_out\nfilm_out : thermal_resistor(air, so) R = 1/25\n" \
       "W1 : wall(so, i12) length = 0.115, k = 0.8, rho = 1800, cp = 900, modes = 12\n" \
       "W2 : wall(i12, i23) length = 0.14, k = 0.035, rho = 30, cp = 1450, modes = 12\n" \
       "W3 : wall(i23, si) length = 0.24, k = 0.5, rho = 1400, cp = 850, modes = 12\n" \
       "film_in : thermal_resistor(si, ground) R = 1/7.7\noutput film_in.Q\n"


def exact_response(text, omega):
    """The first response of the model with fields as they are."""
    path = os.path.join(folder.name, "bode.json")
    call(text, "statespace", "--exact", "--bode", path, "--from", "%r" % omega, "--to", "%r" % (2 * omega), "--points", "2",
         "--format", "json")
    with open(path) as file:
        row = json.load(file)["responses"][0]
    return cmath.rect(10 ** (row["exact_dB"][0] / 20), math.radians(row["exact_deg"][0]))


def wall():
    """A day outside: what comes through of its waves, how much less than what is steady, how much later; time constants."""
    passed = exact_response(WALL, 2 * math.pi / 86400)
    steady = outputs("wall_three_layers")["U_value"][0]
    have = {"periodic_transmittance": abs(passed), "decrement_factor": abs(passed) / steady,
            "time_lag_hours": -cmath.phase(passed) % (2 * math.pi) / (2 * math.pi) * 24}
    taus = sorted((-1 / p["re"] for p in poles(model_path("wall_three_layers"), "--exact")["exact_poles"]), reverse=True)
    compare("wall_three_layers", {**have, **{"time_constant_%d" % (k + 1): taus[k] for k in range(6)}})


def shaft():
    want = known("torsion_shaft_two_discs")
    found = sorted(p["im"] for p in poles(model_path("torsion_shaft_two_discs"), "--exact")["exact_poles"] if p["im"] > 1)
    have = {"omega_%d" % (k + 1): found[k] for k in range(8)}
    compare("torsion_shaft_two_discs", {**first("torsion_shaft_two_discs", want), **have})


def spinning():
    path, have = os.path.join(os.path.dirname(model_path("spin_up_beam")), "frequencies.lg"), {}
    want = known("spin_up_beam")
    for speed in (0, 3, 6):
        found = [p["im"] for p in poles(path, "--set", "Omega=%d" % speed)["poles"]]
        have.update(nearest(found, want, ["omega_inplane_%d@%d" % (k, speed) for k in (1, 2, 3)]))
    said = subprocess.run([program, "run", path, "--times", "0.9", "--tol", "1e-10", "--atol", "1e-15", "-o", "-"],
                          capture_output=True, text=True).stdout.splitlines()
    have["steady_stretch"] = float(dict(zip(said[0].split(","), said[1].split(",")))["steady_stretch"])
    compare("spin_up_beam", have)


def ends():
    """Ends with springs and masses are poles of the beams as they are, with these at their ports."""
    want = known("beam_ends_table")
    have = first("beam_ends_table", want)
    path = os.path.join(os.path.dirname(model_path("beam_ends_table")), "loaded.lg")
    found = [p["im"] for p in poles(path, "--exact")["exact_poles"]]
    compare("beam_ends_table", {**have, **nearest(found, want, [name for name in want if name not in have])})


def milling():
    """Two more eigenvalues are zero: k7 and k11 stretch as the others do, but are states of their own."""
    said = subprocess.run([program, "statespace", model_path("milling_machine"), "--numeric", "--format", "json"],
                          capture_output=True, text=True)
    values = numpy.linalg.eigvals(numpy.array(json.loads(said.stdout)["A"], float))
    values = sorted(values[numpy.abs(values) > 1], key=lambda x: x.imag)
    have = {"eig%d_re" % i: x.real for i, x in enumerate(values)}
    compare("milling_machine", {**have, **{"eig%d_im" % i: x.imag for i, x in enumerate(values)}})


pipe()
orders()
line()
cells()
bar()
beam()
hammer()
wall()
shaft()
spinning()
ends()
milling()
sys.exit(1 if bad else 0)
