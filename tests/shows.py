"""What the program says and shows, tried as its users do.

usage: shows.py BINARY; exit 1 when something is not as it should be."""
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

BINARY = str(Path(sys.argv[1]).resolve())
ROOT = Path(__file__).resolve().parent.parent
WRONG = []


def run(*arguments, folder=None, text=None, **other):
    done = subprocess.run([BINARY, *map(str, arguments)], cwd=folder, input=text, text=True, errors="replace",
                          capture_output=True, timeout=600, **other)
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


SAYS = [  # model, what the message must say, a nearby model that is good
    ("V : vsource(a, gnd)  v = 1\nR : resistor(a, gnd)  R = 1", "write `ground` for `gnd`",
     "ground gnd\nV : vsource(a, gnd)  v = 1\nR : resistor(a, gnd)  R = 1"),
    ("V : vsource(a, ground)  v = 1\nR : resistor(a, GND)  R = 1", "write `ground` for `GND`",
     "V : vsource(a, ground)  v = 1\nR : resistor(a, ground)  R = 1"),
    ("space = planar\nb : body  m = 1 kg\nJ : revolute(gnd, b)", "did you mean `ground`?",
     "space = planar\nb : body  m = 1 kg, I = 1\nJ : revolute(ground, b)"),
    ("space = planar\nb : body  m = 1 kg, I = 1, com = (0.1, 0) m", "`[x, y]`",
     "space = planar\nb : body  m = (1 + 1)*1 kg, I = 1, com = [0.1, 0] m"),
    ("V : vsource(a, ground), v = 1\nR : resistor(a, ground)  R = 1", "no comma between the terminals and the keys",
     "V : vsource(a, ground)  v = 1\nR : resistor(a, ground)  R = 1"),
    ("V : vsource(a, ground)  v = 1\nR : resistor(a, ground)  R = 1\nsimulate 10 ms", "`simulate stop = 10 ms`",
     "V : vsource(a, ground)  v = 1\nR : resistor(a, ground)  R = 1\nsimulate stop = 10 ms"),
]


def messages(folder):
    """Slips of people who come from other programs lead to what is right."""
    for wrong, says, right in SAYS:
        done = run("check", model(folder, wrong))
        check(says in done.all and "help" in done.all, says, done.all)
        done = run("check", model(folder, right))
        check(done.returncode == 0 and "no complaints" in done.stdout, f"good: {right}", done.all)
    for words, says in ((["simulate", "x"], "cotree run MODEL"), (["plot", "x"], "--plot"), (["bode", "x"], "--bode"),
                        (["doc", "motor"], "dc_motor"), (["doc", "valve"], "`check_valve`"), (["chek"], "`check`")):
        done = run(*words)
        check(done.returncode == 2 or done.returncode == 64, f"{words} is refused", str(done.returncode))
        check(says in done.stderr, f"{words} says {says}", done.all)
    check(run("help", "run").stdout == run("run", "--help").stdout, "help run")
    check(run("help", "capacitor").stdout == run("doc", "capacitor").stdout, "help capacitor")
    many = "many\n.model d d\n" + "".join(f"+ qq{i}=1\n" for i in range(300)) + "D1 a 0 d\nV1 a 0 1\nR1 a 0 {nothere}\n.end\n"
    done = run("check", model(folder, many, "many.cir"))
    check(done.all.count("warning[") > 100 and "error[E210]" in done.all, "the error behind many warnings", done.all[-300:])
    path = Path(folder) / "bytes.lg"
    path.write_bytes(b"V1 : vsource(a, ground)  v = 1 \x80 \x1b[31m\n")
    raw = subprocess.run([BINARY, "check", str(path)], capture_output=True).stderr
    check(b"\x1b" not in raw and b"\x80" not in raw and b"0x80" in raw, "bytes are escaped", str(raw))
    raw = subprocess.run([BINARY, "check", b"/no\x1b[31m\xff"], capture_output=True).stderr
    check(b"\\x1b[31m\\xff" in raw, "names of files are escaped", str(raw))
    done = run("run", model(folder, BLOWS), "-o", Path(folder) / "x.csv")
    check("E526" in done.all and "--stop 0.999" in done.all and "--method" in done.all and "C1.v" in done.all, "E526", done.all)


BLOWS = """element explosive
  port p, n : electrical
  edge e(p, n)
  e.i = -1 S/V*e.v^2
end
C1 : capacitor(a)  C = 1 F, v(0) = 1 V
X1 : explosive(a, ground)
output C1.v
simulate stop = 2 s
"""
LONG = """V1 : vsource(a, ground)  v = sin(1e5*t)
R1 : resistor(a, b)  R = 1 kohm
C1 : capacitor(b)  C = 1 nF
D1 : diode(b, ground)
output C1.v
simulate stop = 1000 s
"""


def files(folder):
    """-o spares what was read; modes and links stay; links do not lead out of the folder."""
    folder = Path(folder)
    path = model(folder, SAYS[4][2] + "\noutput R.i\nuse \"part.txt\"\n", "circuit.lg")
    model(folder, "element part\n port a, b : electrical\n edge e(a, b)\n e.v = 1 ohm*e.i\nend\n", "part.txt")
    before = path.read_text()
    (folder / "link.csv").symlink_to(path)
    for target in ("circuit.lg", "./circuit.lg", "link.csv", "part.txt"):
        for verb in ("equations", "graph", "statespace"):
            done = run(verb, path, "-o", target, folder=folder)
            check(done.returncode == 74 and "not written over" in done.stderr, f"{verb} -o {target}", done.all)
    check(path.read_text() == before and "element" in (folder / "part.txt").read_text(), "what was read is as it was")
    check(run("fmt", path, "-o", path).returncode == 0, "fmt writes the model")
    out = folder / "out.txt"
    out.write_text("")
    out.chmod(0o600)
    (folder / "to.txt").symlink_to(out)
    run("equations", path, "-o", folder / "to.txt")
    check(out.stat().st_mode & 0o777 == 0o600 and (folder / "to.txt").is_symlink() and "form" in out.read_text(),
          "mode and link are kept")
    (folder / "later.txt").symlink_to(folder / "new.txt")
    run("equations", path, "-o", folder / "later.txt")
    check((folder / "later.txt").is_symlink() and (folder / "new.txt").exists(), "a link to a new file")
    check(run("check", "--", path).returncode == 0, "-- ends options")
    dash = model(folder, before, "-dash.lg")
    check(run("check", "--", dash.name, folder=folder).returncode == 0, "a name with a dash")
    with open("/dev/full", "w") as full:
        for words in (["--help"], ["help", "run"], ["run", "--help"], ["--version"], ["doc"], ["doc", "E310"], ["demo"]):
            done = subprocess.run([BINARY, *words], stdout=full, stderr=subprocess.PIPE)
            check(done.returncode == 74, f"{words} to a full disk", str(done.returncode))
    inner = folder / "inner"
    inner.mkdir()
    (inner / "part.lg").symlink_to(folder / "part.txt")
    (inner / "own.lg").write_text((folder / "part.txt").read_text())
    (inner / "also.lg").symlink_to(inner / "own.lg")
    for name, more, good in (("part.lg", [], False), ("part.lg", ["-I", folder], True), ("also.lg", [], True)):
        path = model(inner, SAYS[4][2] + f"\nuse \"{name}\"\n")
        done = run("check", path, *more)
        check((done.returncode == 0) == good and good != ("link" in done.all), f"use {name} {more}", done.all)
    (folder / "lib.inc").write_text("R1 a 0 1k\n")
    (inner / "lib.inc").symlink_to(folder / "lib.inc")
    cir = model(inner, "netlist\nV1 a 0 1\n.include lib.inc\n.end\n", "net.cir")
    check("link" in run("check", cir).all, ".include of a link that leads away")
    check(run("check", cir, "-I", folder).returncode == 0, ".include with -I")
    (inner / "deep").mkdir()
    (inner / "deep" / "up.inc").write_text(".include ../own.inc\n")
    (inner / "own.inc").write_text("R1 a 0 1k\n")
    for name in ("../lib.inc", folder.resolve() / "lib.inc"):
        cir = model(inner, f"netlist\nV1 a 0 1\n.include {name}\n.end\n", "net.cir")
        done = run("check", cir)
        check(done.returncode == 1 and "outside of the netlist's folder" in done.all and "-I " in done.all, f".include {name}", done.all)
        check(run("check", cir, "-I", folder).returncode == 0, f".include {name} with -I")
    for name in ("deep/up.inc", inner.resolve() / "own.inc", "./deep/../own.inc"):
        cir = model(inner, f"netlist\nV1 a 0 1\n.include {name}\n.end\n", "net.cir")
        done = run("check", cir)
        check(done.returncode == 0, f".include {name} below the folder", done.all)
    cir = model(folder, "netlist\nV1 a 0 1\n.include own.inc\n.end\n", "net.cir")
    check(run("check", cir, "-I", inner).returncode == 0, ".include of a file that lies in the folder of -I")


def listens(pid, number):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) & 1 << (number - 1))


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def signals(folder):
    """Who is asked to stop keeps the rows so far; a terminal sees how far a run is."""
    path = model(folder, LONG)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        out = Path(folder) / "rows.csv"
        # what runs in the background is born deaf to some of them
        child = subprocess.Popen([BINARY, "run", str(path), "--points", "1000000", "-o", str(out)],
                                 stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        # it has made rows by then, on a busy machine, too
        while child.poll() is None and not (listens(child.pid, number) and processor_seconds(child.pid) > 0.5):
            time.sleep(0.05)
        child.send_signal(number)
        said = child.communicate(timeout=600)[1].decode()
        check("rows so far are kept" in said and out.exists() and out.read_text().count("\n") > 1,
              f"{number} keeps rows", said)
    parent, terminal = pty.openpty()
    child = subprocess.Popen([BINARY, "run", str(path), "-o", str(out)], stderr=terminal)
    os.close(terminal)
    said = b""
    while b"%" not in said and child.poll() is None:
        said += os.read(parent, 1000)
    child.kill()
    child.wait()
    check(b"%  t = " in said, "progress on a terminal", str(said))


def numbers(folder):
    """Outputs that are no numbers are told."""
    text = "V : vsource(a, ground)  v = 1 V - 1 V/s*t\nR : resistor(a, ground)  R = 1\n"
    done = run("run", model(folder, text + "output sqrt(R.v), 1/(R.v + 0*t) as w\nsimulate stop = 2 s, points = 4\n"),
               "-o", Path(folder) / "x.csv")
    check("W538" in done.all and "sqrt" in done.all and "`w`" in done.all, "nan and inf are told", done.all)
    done = run("run", model(folder, text + "output R.v\nsimulate stop = 2 s\n"), "-o", Path(folder) / "x.csv")
    check(done.all == "", "numbers are not", done.all)


TOKEN = re.compile(r"\\(?:left|right|bigl|bigr|big)\s*(?:\\[{}|]|[()\[\]|/.])|\\[A-Za-z]+|\\[^A-Za-z]|[0-9.]+|[A-Za-z]|\S")
FUNCTIONS = {"sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "log": math.log, "ln": math.log}


class Formula:
    """Evaluates what cotree writes as LaTeX; symbols have values by their text."""

    def __init__(self, text):
        self.token, self.at = TOKEN.findall(text), 0

    def peek(self):
        return self.token[self.at] if self.at < len(self.token) else ""

    def take(self, wanted=None):
        token = self.peek()
        assert wanted is None or token == wanted, (token, wanted, " ".join(self.token[max(0, self.at - 12):self.at + 5]))
        self.at += 1
        return token

    def braces(self):
        self.take("{")
        depth, begin = 1, self.at
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
        return "".join(self.token[begin:self.at - 1])

    def sum(self):
        value, sign = 0, 1
        while True:
            if self.peek() in "+-" and self.peek():
                sign = -sign if self.take() == "-" else sign
                continue
            value += sign * self.product()
            sign = 1
            if self.peek() not in ("+", "-"):
                return value

    def product(self):
        value = self.factor()
        while True:
            if self.peek() in (r"\,", r"\times", r"\cdot"):
                self.take()
                if self.peek() not in (r"\times", r"\cdot", r"\big/"):
                    value *= self.factor()
            elif self.peek() == r"\big/":
                self.take()
                value /= self.factor()
            else:
                return value

    def group(self, closing):
        value = self.sum()
        self.take(closing)
        return value

    def base(self):
        token = self.take()
        if token[:5] in (r"\left", r"\bigl") and token[-1] in "([|":
            value = self.group(token.replace("left", "right").replace("bigl", "bigr")[:-1] + {"(": ")", "[": "]", "|": "|"}[token[-1]])
            return abs(value) if token[-1] == "|" else value
        if token == "{":
            return self.group("}")
        if token == r"\frac":
            self.take("{")
            above = self.group("}")
            self.take("{")
            return above / self.group("}")
        if token == r"\sqrt":
            self.take("{")
            return abs(self.group("}")) ** 0.5
        if token[0].isdigit():
            return float(token)
        if token[1:] in FUNCTIONS or token == r"\operatorname":
            name = token[1:] if token != r"\operatorname" else self.braces()
            value = self.base()
            return FUNCTIONS.get(name, lambda x: 0.3 * math.sin(x) + 0.5)(min(value, 3) if name in ("exp",) else value if name not in ("log", "ln") else abs(value) + 1)
        if token in (r"\mathrm", r"\dot", r"\ddot"):
            token += self.braces()
        if self.peek() == "_":
            self.take()
            token += "_" + self.braces()
        return 0.5 + zlib.crc32(token.encode()) / 2**32

    def factor(self):
        value = self.base()
        if self.peek() == "^":
            self.take()
            text = self.braces()
            value = abs(value) ** eval(text) if re.fullmatch(r"[-0-9./]+", text) else value
        return value


def latex(folder):
    """Formulas that were broken into lines are the same formulas."""
    compared = 0
    for name, *more in (("six_bar",), ("four_bar", "--form", "ode"), ("toggle",), ("vibrating_1d",), ("andrews",),
                        ("inverted_double_pendulum_cart", "--form", "ode"), ("quick_return",)):
        path = ROOT / "models" / name / "model.lg"
        whole = json.loads(run("equations", path, "--json", *more).stdout)
        whole = [e["latex"] for key in ("definitions", "equations", "constraints", "outputs") for e in whole[key]]
        text = run("equations", path, "--format", "latex", *more).stdout
        rows = re.findall(r"\\begin{align\*}\n(.*?)\n\\end{align\*}", text, re.S)
        rows = [row for block in rows for row in re.split(r" \\\\\n(?!&\\quad)", block)]
        rows = [re.sub(r" \\\\\n&\\quad ?", " ", row).replace("&", " ").replace("{}", "") for row in rows]
        known = set()
        for e in whole:
            left, right = e.split(" = ")
            known.add(f"{Formula(left).sum() - Formula(right).sum():.9e}")
        for row in rows:
            left, right = row.split("= ")
            got = Formula(left).sum() - Formula(right).sum()
            check(f"{got:.9e}" in known or any(abs(got - float(k)) < 1e-9 * abs(got) for k in known), f"{name}: {row}")
            compared += 1
    check(compared > 60, "formulas were compared", str(compared))


def small(folder):
    """Pages of functions, no empty headings, operating points in LaTeX, integrals at rest."""
    for name, says in (("sin", ["sin(a)", "cos(a)*a'", "rad"]), ("min", ["min(a, b, ...)"]), ("sqrt", ["root"])):
        said = run("doc", name).stdout
        check(all(s in said for s in says), f"doc {name}", said)
    check("no element `sinn`" in run("doc", "sinn").all, "doc sinn")
    silent = model(folder, "R1 : resistor(a, ground)  R = 1\nC1 : capacitor(a, ground)  C = 1\noutput C1.v\n", "silent.lg")
    said = run("statespace", silent, "--tf").stdout
    check("no transfer functions: the model has no input" in said and "\ntransfer functions" not in said, "--tf without inputs", said)
    diode = model(folder, "param R = 2 ohm\ninput u : V = 1.3\nV1 : vsource(a, ground)  v = u\nR1 : resistor(a, b)  R = R\n"
                          "D1 : diode(b, c)\nC1 : capacitor(c, ground)  C = 1\noutput C1.v\n")
    for path, more, says in ((diode, ["--state", "C1.v=0.2"], ["are put in; $", "stands for its value", "$u = 1.3$"]),
                             (silent, ["--equilibrium"], [])):
        said = run("statespace", path, *more, "--format", "latex").stdout
        check(all(s in said for s in says) and ("put in" in said) == bool(says), "LaTeX of an operating point", said)
    path = model(folder, "input u = 0\nV1 : vsource(a, ground)  v = u\nR1 : resistor(a, b)  R = 1\nC1 : capacitor(b, ground)  C = 1\n"
                         "output C1.v, integral(C1.v) as I\ninitial equilibrium\nsimulate stop = 1\n")
    said = run("run", path, "--points", "1")
    check(said.returncode == 0 and not said.stderr, "an integral begins at zero", said.all)
    path = model(folder, "t\nV1 a 0 1\nR1 a 0 1k\nB1 b 0 V=sdt(v(a))\nR2 b 0 1k\n.tran 1m 10m\n.end\n", "sdt.cir")
    said = run("run", path)
    check(not said.stderr and said.stdout.splitlines()[-1].startswith("0.01,1,0.0"), "sdt", said.all)
    path = model(folder, "t\nV1 a 0 3\nB1 b 0 V=sdt(v(a))+2\nR1 b 0 1\n.print op v(b) ge0(v(a)) lt0(v(a))\n.op\n.end\n", "op.cir")
    said = run("run", path).stdout
    check("\n2,1,0" in said, "an integral at the operating point, comparisons in .print", said)
    path = model(folder, "t\n.param g=2 k={2*g}\nV1 a 0 1\nX1 a s\n.subckt s p\nV2 p q AC {k}\nR2 q 0 1\n.ends\n"
                         ".print ac i(V1)\n.ac lin 1 1 1\n.end\n", "ac.cir")
    said = run("run", path).stdout
    check("\n1,4,0" in said, "AC of a source inside of a subcircuit, by a parameter from outside", said)
    path = Path(folder) / "latin.cir"
    path.write_bytes(b"Verst\xe4rker \xc3\xbc 5\xb5A \x80\nV1 a 0 1\nR1 a 0 1k\n.op\n.end\n")
    said = run("equations", path).stdout
    check("Verst\u00e4rker \u00fc 5\u00b5A ?" in said, "a title in Latin-1 becomes UTF-8", said)
    path = model(folder, "t\nV1 a 0 1\nR1 a b 1k\nC1 b 0 1u\n.tf v(b) V1\n.end\n", "tf.cir")
    check("\n1,1e+20,1000\n" in run("run", path).stdout, "an open input has 1e20 ohm, as in ngspice")
    path = model(folder, "t\nX1 a s\nR2 a 0 1k\n.subckt s n\nV1 n m 1\nC1 m 0 1u\nR1 m 0 1k\n.ends\n.ic v(x1.m)=2\n.tran 1m 2m\n.end\n", "in.cir")
    check("counts only with `uic`" in run("run", path).stderr, ".ic inside of a subcircuit")


CART = """space = planar
cart : body  m = 0.5 kg, I = 1
rod : body  m = 0.2 kg, I = 0.006 kg.m^2, com = [0, 0.3] m
S : prismatic(ground, cart)  axis = [1, 0]
J : revolute(cart, rod)
K : torsion_spring(J)  k = 2
"""
NAME = re.compile(r'translate\(([-0-9.]+) ([-0-9.]+)\)"><text class="[a-z-]*name"[^>]*font-size="(\d+)">([^<]*)<')


def pictures(folder):
    """Bodies that reach to their mass centre fill the page; no name lies on another one."""
    for path in (model(folder, CART), ROOT / "models/andrews/model.lg", ROOT / "models/quick_return/model.lg"):
        done = run("graph", path, "--draw", "picture.svg", "--names", "-o", "graph.txt", folder=folder)
        text = (Path(folder) / "picture.svg").read_text()
        names = [(float(x), float(y), int(size), name) for x, y, size, name in NAME.findall(text)]
        check(done.returncode == 0 and len(names) >= 4, f"{path}: names", done.all)
        for i, (x, y, size, name) in enumerate(names):
            for u, v, _, other in names[:i]:
                check(abs(x - u) > 0.2 * size * (len(name) + len(other)) or abs(y - v) > 0.8 * size,
                      f"{path}: {name} lies on {other}")
        high = int(re.search(r'height="(\d+)"', text).group(1))
        check(high > 300, f"{path}: the page is {high} high")


def nameless(folder):
    """A model without a name gives files that run, and no empty headings."""
    path = model(folder, CART)
    said = run("statespace", path).stdout
    check(said.startswith("states x"), "text of a model without a name", said[:200])
    said = run("statespace", path, "--format", "matlab").stdout
    check(said.startswith("function sys = model(given)"), "Matlab of a model without a name", said[:200])
    for verb in ("statespace", "dynamics"):
        said = run(verb, path, "--format", "python").stdout
        check("of the model model" in said, f"Python of a model without a name by {verb}", said[:200])


def wide(folder):
    """A graph of 36 nodes does not stand in one row, whatever its form."""
    lines = ["V1 : vsource(n0, ground)  v = 1"]
    lines += [f"R{i} : resistor(n{i - 1 - 7 * i % min(i, 5)}, n{i})  R = 1" for i in range(1, 36)]
    lines += [f"C{i} : capacitor(n{i}, ground)  C = 1" for i in range(1, 36, 2)]
    lines += [f"L{i} : inductor(n{i}, n{i + 4})  L = 1" for i in range(2, 30, 5)]
    for path in (model(folder, "\n".join(lines) + "\n"), ROOT / "models/andrews/model.lg"):
        run("graph", path, "-o", "graph.svg", folder=folder)
        text = (Path(folder) / "graph.svg").read_text()
        width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', text).groups())
        check(width < 2200 and width < 2 * height, f"{path}: {width} x {height}")


CASES = [pictures, wide, nameless, small, counts, driven, grounded, states, equations, messages, files, signals, numbers, latex]


def main():
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            case(folder)
    print(f"{len(CASES)} cases, {len(WRONG)} wrong")
    return 1 if WRONG else 0


sys.exit(main())
