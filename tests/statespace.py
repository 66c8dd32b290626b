"""State spaces as Python and MATLAB code and as LaTeX: executed, and compared with --numeric.

usage: statespace.py BINARY. Needs numpy, octave and pdflatex; exit 1 when something differs."""
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:  # another python3 comes first: that of the system has the packages
    import os
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

ROOT = Path(__file__).resolve().parent.parent
DIODE = """model diodes
input u : V = 2
param R = 200 ohm, half = R/2
V1 : vsource(a, ground)  v = u
R1 : resistor(a, b)  R = half
D1 : diode(b, d)
D2 : diode(c, d)
R2 : resistor(b, c)  R = 2*R
R4 : resistor(d, ground)  R = R
C1 : capacitor(c, ground)  C = 1 uF
output D1.i as i1, R4.v as y
"""
CURVED = """model curved
input u : V = 2
param asinh = 3, erf = 1.5, erfc = 0.2, tan = 0.4
V1 : vsource(a, ground)  v = u
R1 : resistor(a, b)  R = (1 + asinh(asinh) + erf(erfc) + erfc(erf) + tanh(tan))*1 ohm
C1 : capacitor(b, ground)  C = 1 F
output C1.v
"""
NAMES = """model names
param global = 3, A = 2, lambda = 5, E = 7, for_ = 1
input F : N = clamp(t, 0, 1)
F1 : force(ground, a)  F = F
M1 : mass(a)  m = global*A
S1 : spring(ground, a)  k = lambda
B1 : damper(ground, a)  d = E*for_
output M1.v as end_v
"""
CART = """model cart_pendulum
space = planar
param M = 2 kg, m = 0.5 kg, l = 0.4 m, g = 9.81 m/s^2
gravity = [0, -g]
input F : N = 0
cart : body  m = M
bob  : body  m = m, com = [0, -l]
P : prismatic(ground, cart)  axis = [1, 0]
J : revolute(cart, bob)  beta(0) = 20 deg
push : force(ground, cart)  F = [F, 0]
output P.s as x, J.beta as theta
"""
FLIPS = """model flips "a bridge whose middle carries next to nothing"
param R = 1 kohm, Is = 1e-14
input u : V = 1e-9
V1 : vsource(a, ground)  v = u
R1 : resistor(a, b)  R = R
D1 : diode(b, ground)
C1 : capacitor(b, ground)  C = 1 nF
"""


def run(binary, *arguments):
    return subprocess.run([binary, "statespace", *arguments], check=True, capture_output=True,
                          text=True, timeout=600).stdout


def close(a, b, what):
    a, b = np.atleast_2d(np.array(a, float)), np.atleast_2d(np.array(b, float))
    if a.size == 0 and b.size == 0:
        return
    if a.shape != b.shape or not np.allclose(a, b, rtol=1e-12, atol=1e-15 * np.abs(a).max()):
        sys.exit(f"{what} differs:\n{a}\n{b}")


def letters(numbers):
    """Of the matrices: discrete-time models have no derivatives of inputs."""
    return "ABCD" if "sample_time" in numbers else "ABCDEF"


def check_python(binary, model, folder, point, numbers):
    path = Path(folder) / "generated.py"
    path.write_text(run(binary, model, *point, "--format", "python"))
    spec = importlib.util.spec_from_file_location("generated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    matrices = module.matrices()
    for name in letters(numbers):
        close(getattr(matrices, name), numbers[name], f"{model}: {name} in Python")
    try:
        module.matrices(no_such_parameter=1)
    except TypeError:
        pass
    else:
        sys.exit("an unknown parameter was accepted")
    if hasattr(module, "statespace") and numbers["inputs"]:
        from scipy.signal import StateSpace
        system = module.statespace()
        assert isinstance(system, StateSpace) and system.dt == numbers.get("sample_time")


def check_matlab(binary, model, folder, point, numbers):
    path = Path(folder) / f"{numbers['model']}.m"
    path.write_text(run(binary, model, *point, "--format", "matlab"))
    names = letters(numbers)
    command = (f"s = {numbers['model']}(); names = '{names}'; for k = 1:{len(names)}, m = s.(names(k)); "
               "printf('%s %d %d', names(k), size(m)); printf(' %.17g', m.'); printf('\\n'); end\n"
               "if isfield(s, 'Ts'), printf('Ts %.17g\\n', s.Ts); end")
    done = subprocess.run(["octave-cli", "--norc", "--quiet", "--eval", command], cwd=folder,
                          capture_output=True, text=True, timeout=600)
    lines = [line.split() for line in done.stdout.splitlines() if line[:1] in "ABCDEF"]
    if len(lines) != len(names):
        sys.exit(f"{model}: octave: {done.stderr}")
    if "sample_time" in numbers and f"Ts {numbers['sample_time']:.17g}" not in done.stdout:
        sys.exit(f"{model}: octave: the period is missing")
    for line in lines:
        rows, cols = int(line[1]), int(line[2])
        close(np.array(line[3:], float).reshape(rows, cols), numbers[line[0]],
              f"{model}: {line[0]} in MATLAB")


def check_latex(binary, model, folder):
    path = Path(folder) / "paper.tex"
    path.write_text(run(binary, model, "--format", "latex", "--standalone"))
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
                          cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{model}: pdflatex: {done.stdout[-800:]}")


def entries(binary, model, *point):
    """The symbolic matrices at a point, as texts."""
    got = json.loads(run(binary, model, *point, "--format", "json"))
    return got["A"], got["B"]


def check_textbook(binary, folder):
    """The cart pendulum hanging and standing: the matrices of every textbook."""
    model = str(Path(folder) / "cart.lg")
    hanging = [["0", "1", "0", "0"], ["0", "0", "g*m/M", "0"], ["0", "0", "0", "1"],
               ["0", "0", "-g*(M + m)/(M*l)", "0"]]
    standing = [hanging[0], hanging[1], hanging[2], ["0", "0", "g*(M + m)/(M*l)", "0"]]
    for point, a, sign in ((["--state", "J.beta=0"], hanging, "-"), (["--equilibrium"], hanging, "-"),
                           (["--state", "J.beta=3.141592653589793"], standing, "")):
        got = entries(binary, model, "--coordinates", "joint", *point)
        want = (a, [["0"], ["1/M"], ["0"], [f"{sign}1/(M*l)"]])
        if got != want:
            sys.exit(f"{point}: the textbook has {want}, not {got}")
    text = run(binary, model, "--coordinates", "joint", "--state", "J.w=0.5,J.beta=0.123456789")
    if "put in.\nJ.beta stands for its value there" not in text:
        sys.exit(f"0.5 goes in, 0.123456789 stays a symbol:\n{text}")


def check_points(binary, folder):
    """Symbols at a point, with numbers for what they hold: those of --numeric there."""
    cases = [("inverted_double_pendulum_cart", "--equilibrium"), ("four_bar", "--equilibrium"),
             ("inverted_double_pendulum_cart", "--at", "t=0.3"), ("slider_crank", "--at", "t=0.2"),
             ("double_pendulum", "--equilibrium"), ("transistor", "--equilibrium"),
             ("two_stage_amplifier", "--at", "t=0.01"), ("fluid_level", "--state", "T1.p=1e4"),
             ("fluid_level", "--equilibrium"), ("toggle", "--equilibrium"),
             ("ring_modulator", "--at", "t=1e-4"), ("hydraulic_positioner", "--at", "t=0.3")]
    cases = [(ROOT / "models" / name / "model.lg", list(point)) for name, *point in cases]
    cases += [(Path(folder) / "flips.lg", ["--equilibrium"]),
              (Path(folder) / "cart.lg", ["--state", "J.beta=0.3,P.v=2,J.w=1"])]
    for path, point in cases:
        model = str(path)
        numbers = json.loads(run(binary, model, *point, "--numeric", "--format", "json"))
        check_python(binary, model, folder, point, numbers)
    return len(cases)


def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "diodes.lg").write_text(DIODE)
        (Path(folder) / "names.lg").write_text(NAMES)
        (Path(folder) / "cart.lg").write_text(CART)
        (Path(folder) / "flips.lg").write_text(FLIPS)
        (Path(folder) / "curved.lg").write_text(CURVED)
        cases = [(ROOT / "models" / name / "model.lg", []) for name in
                 ("lg2ss_circuit", "lg2ss_gearbox", "lg2ss_sewing", "dependent_capacitor_EF",
                  "rc_network", "dc_motor_gear_load", "thermal_wall")]
        cases += [(Path(folder) / "diodes.lg", ["--equilibrium"]), (Path(folder) / "names.lg", []),
                  (Path(folder) / "curved.lg", []), (ROOT / "tests/golden/sampled.lg", [])]
        for path, point in cases:
            model = str(path)
            numbers = json.loads(run(binary, model, *point, "--numeric", "--format", "json"))
            check_python(binary, model, folder, point, numbers)
            check_matlab(binary, model, folder, point, numbers)
            check_latex(binary, model, folder)
        check_textbook(binary, folder)
        points = check_points(binary, folder)
    print(f"{len(cases)} state spaces agree in Python, MATLAB and JSON, {points} at points")


main(str(Path(sys.argv[1]).resolve()))
