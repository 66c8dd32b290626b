#!/usr/bin/env python3
"""The command line where golden texts do not reach: files, terminals, interruption, wrong use: cli.py BINARY.

A row says what is typed, the exit code, and pieces of what must be said or of the file that is written.
"""
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile

RC = "models/rc_network/model.lg"
FOUR = "models/four_bar/model.lg"
SLIDER = "tests/drafts/slider_crank.lg"
ANALYSES = "t\nV1 a 0 DC 1 AC 1 PULSE(0 1 1m 1u 1u 5m 10m)\nR1 a b 1k\nC1 b 0 1u\n" \
           ".op\n.dc V1 0 2 1\n.ac dec 5 10 1k\n.tran 1m 4m 2m\n.tran 1m 2m\n.end\n"
PLAIN = "t\nV1 a 0 DC 3\nR1 a b 1k\nR2 b 0 2k\n.end\n"
LONG = "model long\nspace = planar\ngravity = [0, -9.81 m/s^2]\nB : body  m = 1 kg, I = 1, com = [1 m, 0]\n" \
       "J : revolute(ground, B)  beta(0) = 1 rad\noutput J.beta\nsimulate stop = 1e9 s, points = 1000\n"

STEPPED = "t\n.param r=1k\nV1 a 0 DC 1 PULSE(0 1 0 1u 1u 5m 10m)\nR1 a b {r}\nC1 b 0 1u\n.tran 1m 4m\n" \
          ".step param r list 1k 2k 4k\n.meas tran high max v(b)\n.end\n"
READING = "use \"part.csv\"\nR3 : resistor(b, ground)  R = 1 ohm\nV1 : vsource(b, ground)  v = 1 V\noutput R3.i\nsimulate stop = 1 s\n"

MERGED = "discrete n = 0\nV1 : vsource(a, ground)  v = sin(2*pi*t/(0.4 s))*(1 V)\nD1 : ideal_diode(a, b)\n" \
         "R1 : resistor(b, ground) R = 1 ohm\nevery 0.3 s offset 0.11 s { n = pre(n) + 1 }\noutput R1.i, n\nsimulate stop = 1 s\n"

# typed, exit code, [pieces of both streams]; @ stands for the folder of this test
ROWS = [
    ("--version", 0, ["cotree "]), ("-h", 0, ["usage"]), ("help", 0, ["usage"]), ("", 2, ["usage"]),
    ("xyzzyxyzzy", 2, ["there is no verb"]),
    # what is typed behind options
    ("run %s --points 1.5" % RC, 2, ["whole number"]), ("run %s --points many" % RC, 2, ["--points"]),
    ("run %s --points 0" % RC, 2, ["whole number"]), ("run %s --tol x" % RC, 2, ["--tol"]),
    ("run %s --atol inf" % RC, 2, ["--atol"]), ("run %s --stop soon" % RC, 2, ["a time such as"]),
    ("run %s --start 1V" % RC, 2, ["a time such as"]), ("run %s --step x" % RC, 2, ["a time such as"]),
    ("run %s --times ," % RC, 2, ["times such as"]), ("run %s --times 1,x" % RC, 2, ["a time such as"]),
    ("run %s --stop" % RC, 2, ["needs a value"]), ("run %s --plot=x.pdf" % RC, 2, ["written as .svg", "x.pdf"]),
    ("run %s -o /dev/null" % RC, 0, []), ("graph %s -o /dev/null" % RC, 0, []), ("equations %s -o /dev/null" % RC, 0, []),
    ("run %s -o /dev/stderr --points 2" % RC, 0, ["time,"]), ("run tests/spice/injection.cir -o /dev/null", 0, []),
    ("dynamics models/arm_7dof/model.lg -o /dev/null", 0, []), ("graph %s --draw /dev/null" % SLIDER, 0, []),
    ("run %s -o @/x.doc" % RC, 2, [".csv, .mat, .svg"]), ("run %s --animate x.gif" % SLIDER, 2, [".svg or .html"]),
    ("run %s --coordinates polar" % SLIDER, 2, ["auto, joint or absolute"]),
    ("run %s --method newmark" % RC, 1, ["E525", "there is no method"]),
    ("run models/simple_pendulum/model.lg --method rosenbrock --stats --points 2", 0, ['"method":"Rosenbrock 5(4)"']),
    ("run models/simple_pendulum/model.lg --method adams --stats --points 2", 0, ['"method":"Adams (CVODES)"']),
    ("run models/simple_pendulum/model.lg --method rk8 --stats --points 2", 0, ['"method":"Dormand-Prince 8(5,3)"']),
    ("run %s --set R2" % RC, 2, ["NAME=EXPRESSION"]), ("run %s --set =3" % RC, 2, ["NAME=EXPRESSION"]),
    ("run %s extra.lg" % RC, 2, ["too many arguments"]), ("eval %s --state C4.v" % RC, 2, ["NAME=NUMBER"]),
    ("eval %s --state C4.v=x" % RC, 2, ["--state"]), ("eval %s --state C9.v=1" % RC, None, ["there is no state"]),
    ("eval %s --time x" % RC, 2, ["a time such as"]), ("equilibrium %s --time 1V" % RC, 2, ["a time such as"]),
    ("equilibrium %s --form state" % RC, 2, ["--form"]), ("export %s --to c --form state" % RC, 2, ["--form"]),
    ("statespace %s --form state" % RC, 2, ["--form"]), ("statespace %s --simplify much" % RC, 2, ["--simplify"]),
    ("statespace %s --exact" % RC, 1, ["E422"]), ("statespace models/line_step/model.lg --exact -o x.m", 2, ["--exact"]),
    ("statespace %s --exact --bode @/x.svg" % RC, 1, ["E422"]), ("statespace @/shaft.lg --exact --bode @/x.svg", 0, ["Z11"]),
    ("statespace @/shaft.lg --exact --nyquist @/x.csv --step @/x.json", 0, ["Z11", "W278"]),
    ("statespace @/shaft_damped.lg --exact", 0, ["none: a damping ratio zeta"]),
    ("statespace @/shaft_tapped.lg --exact --bode @/x.svg", 1, ["E424", "`S`", "tap"]),
    ("statespace @/shaft_loaded.lg --exact --bode @/x.svg", 1, ["E424", "load"]),
    ("statespace @/shaft_read.lg --exact --bode @/x.svg", 1, ["E424", "load"]),
    ("statespace @/shaft_shaped.lg --exact --bode @/x.svg", 1, ["E424", "load"]),
    ("statespace @/shaft_damped.lg --exact --bode @/x.svg", 1, ["E424", "zeta"]),
    ("statespace @/shaft_curved.lg --exact --bode @/x.svg", 1, ["E425", "`D`"]),
    ("statespace @/shaft_moved.lg --exact --bode @/x.svg", 1, ["E425", "`D`"]),
    ("statespace @/shaft_square.lg --exact --bode @/x.svg", 1, ["E425", "`y`"]),
    ("statespace @/shaft_inside.lg --exact --bode @/x.svg", 1, ["E426", "`S."]),
    ("statespace %s --bode x.png" % RC, 2, [".svg"]), ("doc E999", 2, ["there is no message"]),
    ("doc xyzzyxyzzyxyzzy", 2, ["there is no element"]), ("demo rc_netwrk", 2, ["did you mean `rc_network`"]),
    ("demo xyzzyxyzzyxyzzy", 2, ["lists all"]), ("new 1st", 2, ["is no name"]),
    ("graph %s %s" % (RC, "--tree " + ",".join("R%d" % i for i in range(5000))), 2, ["too many names"]),
    ("check %s%s" % (RC, " -I x" * 300), 2, ["too many -I"]), ("check %s%s" % (RC, " --set R2=1" * 5000), 2, ["too many --set"]),
    ("statespace %s --bode @/x.svg --from low" % RC, 2, ["a frequency such as"]), ("statespace %s --bode @/x.svg --to -1Hz" % RC, 2, ["--to"]),
    ("statespace %s --bode @/x.svg --from 10Hz --to 1Hz" % RC, 2, ["--from must be smaller"]),
    ("statespace %s --bode @/x.svg --from 62Hz --to 1" % RC, 2, ["--from must be smaller"]),
    ("statespace %s --bode @/f.csv --from 1Hz --to 100 --points 4" % RC, 0, [], "f.csv", "\n"),
    ("statespace %s --bode @/f.csv --to 1Hz" % RC, 0, []), ("statespace %s --bode @/f.csv --from 1rad/s" % RC, 0, []),
    ("statespace %s --step @/x.svg --stop soon" % RC, 2, ["a time such as"]), ("statespace %s --step @/x.svg --stop -1" % RC, 2, ["--stop"]),
    ("statespace %s --step @/x.csv --stop 1ms --points 3" % RC, 0, [], "x.csv", "0.001"),
    ("statespace %s --step @/x.svg --points 2.5" % RC, 2, ["a number of intervals"]), ("statespace %s --step @/x.svg --points 3x" % RC, 2, ["--points"]),
    ("statespace %s --step @/x.svg --points 0" % RC, 2, ["--points"]), ("statespace %s --step @/x.svg --points 1e8" % RC, 2, ["--points"]),
    ("statespace tests/golden/delay.lg --pade many", 2, ["an order from 1 to 12"]), ("statespace tests/golden/delay.lg --pade 13", 2, ["--pade"]),
    ("statespace tests/golden/delay.lg --pade 0", 2, ["--pade"]), ("statespace tests/golden/delay.lg --pade 1.5", 2, ["--pade"]),
    ("statespace %s --at t=x" % RC, 2, ["--at"]), ("statespace %s --impedances --format matlab" % RC, 2, ["--impedances"]),
    ("statespace %s%s" % (RC, " --bode @/x.svg" * 17), 2, ["too many pictures"]),
    ("run %s --json" % RC, 2, ["--json goes with --events"]), ("run %s --point 3" % RC, 2, ["did you mean `--points`"]),
    ("run %s --points 2 -- " % RC, 0, ["time,"]), ("run %s --%s" % (RC, "x" * 5000), 2, ["unknown option"]),
    ("run @/x\x1b[31mred.lg", 74, ["\\x1b[31mred"]),
    ("dynamics models/arm_7dof/model.lg --frames %s" % ("f" * 70000), 2, ["--frames takes"]),
    ("dynamics models/arm_7dof/model.lg --frames none.such", 1, ["E261"]), ("dynamics %s -o @/d.xyz" % RC, 2, ["d.xyz"]),
    ("dynamics tests/bad/bracket_open.lg", 1, ["E1"]), ("dynamics %s" % RC, None, ["bodies"]),
    # verbs of other programs, and help on something
    ("simulate m.lg", 2, ["there is no verb", "`cotree run MODEL` does that"]), ("rum m.lg", 2, ["did you mean `run`"]),
    ("help run", 0, ["cotree run MODEL", "--points"]), ("help plot", 2, ["--plot figure.svg"]), ("help resistor", 0, ["resistor"]),
    ("help E201", 0, ["E201"]), ("help X201", 2, ["there is no element"]), ("help E2O1", 2, ["there is no"]), ("help resistro", 2, ["resistor"]),
    # models that are no models
    ("run nothing.lg", 74, ["nothing.lg"]), ("fmt tests/bad/bracket_open.lg", 1, ["E1"]),
    ("export tests/bad/bracket_open.lg --to c", 1, ["E1"]), ("lg2ss [1,2", 1, ["E7"]),
    ("equations tests/bad/bracket_open.lg", 1, ["E1"]), ("statespace tests/bad/bracket_open.lg", 1, ["E1"]),
    ("equilibrium tests/bad/bracket_open.lg", 1, ["E1"]), ("kinematics %s" % RC, None, ["E611"]),
    ("kinematics tests/bad/bracket_open.lg", 1, ["E1"]), ("equilibrium nothing.lg", 74, ["nothing.lg"]),
    # results
    ("run %s --stop 50ms --points 4" % RC, 0, ["time,", "\n0.05"]), ("run %s --times 2ms,1ms,1ms" % RC, 0, ["\n0.001,", "\n0.002,"]),
    ("run %s --start 1ms --stop=3ms --step 0.1ms --tol 1e-5 --atol 1e-8 --points 2" % RC, 0, ["\n0.002,"]),
    ("run %s --no-native --points 2 -o -" % RC, 0, ["time,"]), ("run %s --no-avx2 --points 2 -o -" % RC, 0, ["time,"]), ("run %s --points 3 --plot" % RC, 0, ["voltage [V]"]),
    ("run %s --points 3 --stats" % RC, 0, ['"steps":']), ("check %s --stats" % RC, 0, ['"peak_megabytes":']),
    ("graph %s --all" % RC, 0, ["E1"]), ("fmt --check @/plain.lg", 0, []), ("fmt --check @/odd.lg", 1, ["canonical"]),
    ("equilibrium %s" % RC, 0, ["outputs"]), ("equilibrium @/plain.cir --json", 0, ["{"]), ("eval %s --json --time 1ms" % RC, 0, ["{"]),
    ("equilibrium @/warned.lg", None, ["W"]), ("statespace %s --numeric --equilibrium" % RC, 0, ["A"]),
    ("statespace %s --at t=1ms --numeric" % RC, 0, ["A"]), ("kinematics models/quick_return/model.lg --points 2", 0, ["time,"]),
    ("run @/plain.cir", 0, ["v(a),v(b)", "3,2"]), ("run @/plain.cir --stop 1ms --points 1", 0, ["time,", "\n0.001,"]),
    ("run @/plain.cir --analysis op", 0, ["3,2"]), ("run @/plain.cir --analysis tran", 2, ["no .tran card"]),
    ("run @/all.cir", 0, ["\n0.002", "\n0.004", "frequency"]), ("run @/all.cir --analysis dc", 0, ["\n2,"]),
    # files: name, and a piece of it
    ("run %s --points 3 -o @/r.csv --stats" % RC, 0, ['"steps":'], "r.csv", "time,"), ("run %s --points 3 -o @/r.mat" % RC, 0, [], "r.mat", "time"),
    ("run %s --points 3 -o @/r.svg" % RC, 0, [], "r.svg", "<svg"), ("run %s --points 3 --plot @/p.svg" % RC, 0, [], "p.svg", "<svg"),
    ("run tests/golden/plank.lg --points 3 --animate @/c.svg", 0, [], "c.svg", "<svg"),
    ("run %s --points 3 --animate @/a.html" % SLIDER, 0, [], "a.html", "<html"), ("run %s --points 3 --animate=@/a.svg" % SLIDER, 0, [], "a.svg", "<svg"),
    ("graph %s --draw @/d.svg" % SLIDER, 0, [], "d.svg", "<svg"), ("graph %s -o @/g.dot" % RC, 0, [], "g.dot", "graph"),
    ("graph %s -o @/g.svg" % RC, 0, [], "g.svg", "<svg"), ("graph %s -o @/g.json" % RC, 0, [], "g.json", "{"),
    ("graph %s -o @/g.txt" % RC, 0, [], "g.txt", "E1"), ("equations %s -o @/e.tex --standalone" % RC, 0, [], "e.tex", "documentclass"),
    ("equations %s -o @/e.json" % RC, 0, [], "e.json", "{"), ("statespace %s -o @/s.m" % RC, 0, [], "s.m", "A"),
    ("statespace %s -o @/s.py" % RC, 0, [], "s.py", "A"), ("statespace %s --bode @/b.svg" % RC, 0, [], "b.svg", "<svg"),
    ("statespace %s --nyquist @/n.svg --step @/t.svg --impulse @/i.svg" % RC, 0, [], "i.svg", "<svg"),
    ("export %s -o @/m.c" % RC, 0, [], "m.c", "double"), ("fmt %s -o @/f.lg" % RC, 0, [], "f.lg", "model"),
    ("new @first -o @/first.lg", 2, ["is no name"]), ("new first -o @/first.lg", 0, ["wrote"], "first.lg", "model first"),
    ("new first -o @/first.lg", 74, ["exists already"]), ("demo rc_network -o @/demo.lg", 0, [], "demo.lg", "model"),
    ("run @/all.cir -o @/all.csv", 0, [], "all.tran2.csv", "time,"), ("run @/all.cir -o @/again.csv", 0, [], "again.dc.csv", ","),
    ("run @/stepped.cir -o @/all.csv", 0, [], "all.tran.csv", "time"), ("run @/stepped.cir", 0, ["high"]),
    ("run @/stepped.cir -o @/all.mat", 0, [], "all.meas.csv", "high"), ("run @/stepped.cir -o @/all.svg", 0, [], "all.svg", "<svg"),
    ("run @/stepped_badly.cir", None, ["error"]), ("run @/four.cir --points 2", 0, ["time,"]),
    ("run @/all.cir --analysis tran --stop 1ms --points 2", 0, ["\n0.001"]), ("run @/all.cir --analysis tran --times 1ms", 0, ["\n0.001"]),
    ("graph @/robot.lg --draw @/v.svg --views", 0, [], "v.svg", "<svg"), ("graph %s --draw" % RC, None, []),
    ("check @/mixed.lg", 0, ["body", "component"]), ("check @/single.lg", 0, ["1 component"]),
    # what was read is not written over
    ("fmt @/plain.lg -o @/plain.lg", 0, []), ("run @/plain.lg --points 2 -o @/plain.lg", 74, ["was read"]),
    ("statespace @/plain.lg --bode @/linked.svg", 74, ["was read", "choose another name"]),
    ("run @/plain.lg --points 2 -o @/linked.csv", 74, ["was read"]), ("run @/plain.lg --points 2 --plot @/linked.svg", 74, ["was read"]),
    ("run @/reading.lg --points 2 -o @/part.csv", 74, ["part.csv was read"]),
    ("run %s --points 2 -o @/none/r.csv" % RC, 74, ["cannot write"]), ("fmt %s -o @/none/f.lg" % RC, 74, ["cannot write"]),
]


# Exact responses of fields: one that is, and what has none.
SHAFT = """input T0 : N.m
T : torque(ground, a)  T = T0
S : shaft(a, b)  G = 79e9, rho = 7850, Ip = 1e-7, length = 2, modes = 3%s
D : torsion_damper(ground, b)  d = %s
%s"""
SHAFTS = (("shaft", "", "1", "output b.w as y\n"), ("shaft_tapped", " { middle = 1 m }", "1", "output b.w as y\n"),
          ("shaft_loaded", ", load = T0/(1 m)", "1", "output b.w as y\n"), ("shaft_read", ", load = b.w*(1 N.s)", "1", "output b.w as y\n"),
          ("shaft_shaped", ", load = T0*x/(1 m)^2", "1", "output b.w as y\n"), ("shaft_damped", ", zeta = 0.01", "1", "output b.w as y\n"),
          ("shaft_curved", "", "(1 + (b.w*(1 s))^2)*(1 N.m.s)", "output b.w as y\n"), ("shaft_moved", "", "2 + sin(t/(1 s))", "output b.w as y\n"),
          ("shaft_square", "", "1", "output b.w^2 as y\n"), ("shaft_inside", "", "1", ""))


class Bench:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.failed = os.path.abspath(binary), folder, 0
        for name, text in (("all.cir", ANALYSES), ("plain.cir", PLAIN), ("long.lg", LONG)):
            self.write(name, text)
        self.write("plain.lg", self.call("fmt " + RC)[1])
        for name in ("linked.svg", "linked.csv"):
            os.symlink(os.path.join(folder, "plain.lg"), os.path.join(folder, name))
        self.write("stepped.cir", STEPPED)
        self.write("stepped_badly.cir", STEPPED.replace("R1 a b {r}", "R1 a b {sqrt(-r)}"))
        self.write("four.cir", STEPPED.replace(".step param r list 1k 2k 4k\n", ""))
        self.write("part.csv", "# no elements\n")
        self.write("reading.lg", READING)
        self.write("robot.lg", LONG.replace("planar", "spatial").replace("[0, -9.81 m/s^2]", "[0, 0, -9.81 m/s^2]").replace("[1 m, 0]", "[1 m, 0, 0]"))
        self.write("mixed.lg", LONG + "V1 : vsource(a, ground)  v = 1 V\nR1 : resistor(a, ground)  R = 1 ohm\n")
        self.write("single.lg", "C1 : capacitor(a, ground)  C = 1 F\n")
        self.write("odd.lg", "model   odd\n")
        for name, keys, damper, output in SHAFTS:
            self.write(name + ".lg", SHAFT % (keys, damper, output))
        self.write("warned.lg", "V1 : vsource(a, ground)  v = 1\nR1 : resistor(a, ground)  R = 1\n"
                                "R2 : resistor(a, b)  R = 1\noutput sqrt(-a.v/1 V) as y, a.v\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def arguments(self, typed):
        return [self.binary] + typed.replace("@/", self.folder + "/").split()

    def call(self, typed):
        said = subprocess.run(self.arguments(typed), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return said.returncode, said.stdout.decode("utf-8", "replace")

    def expect(self, good, typed, what):
        if not good:
            self.failed += 1
            print("cotree %s\n  %s" % (typed[:100], what[:600]))

    def try_row(self, typed, code, pieces, name=None, piece=None):
        got, said = self.call(typed)
        self.expect(got == code or code is None and got < 70, typed, "exit %d, not %s: %s" % (got, code, said))
        for p in pieces:
            self.expect(p in said, typed, "does not say `%s`: %s" % (p, said))
        if name:
            path = os.path.join(self.folder, name)
            content = open(path, "rb").read().decode("latin-1") if os.path.exists(path) else ""
            self.expect(piece in content, typed, "%s has no `%s`" % (name, piece))

    def on_terminal(self, typed, pieces, **environment):
        """Both streams are a terminal, of which all is read until its end."""
        mine, theirs = pty.openpty()
        child = subprocess.Popen(self.arguments(typed), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                                 env={**os.environ, **environment})
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(mine, 65536)
            except OSError:
                break
            if not more:
                break
            said += more
        os.close(mine)
        child.wait()
        text = said.decode("utf-8", "replace")
        for p in pieces:
            self.expect(re.search(p, text), typed, "the terminal does not show `%s`: %s" % (p, text))

    def interrupted(self):
        """A run that would last for hours, by the key; it says so and keeps its rows."""
        typed = "run @/long.lg -o @/long.csv"
        # what runs in the background is born deaf to the key
        child = subprocess.Popen(self.arguments(typed), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while child.poll() is None: # until it listens: before that the key would end it at once
            with open("/proc/%d/status" % child.pid, encoding="utf-8") as file:
                caught = re.search(r"SigCgt:\s*(\w+)", file.read())
            if caught and int(caught.group(1), 16) & 1 << (signal.SIGINT - 1):
                break
        child.send_signal(signal.SIGINT)
        said = child.communicate()[0].decode()
        self.expect(child.returncode == 3 and "interrupted at t" in said, typed, "exit %d: %s" % (child.returncode, said))
        self.expect(os.path.exists(os.path.join(self.folder, "long.csv")), typed, "its rows are not kept")

    def full_disk(self):
        for typed in ("check " + RC, "graph " + RC, "run %s --points 2" % RC, "--help"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                said = subprocess.run(self.arguments(typed), stdout=full, stderr=subprocess.PIPE)
            self.expect(typed == "--help" or said.returncode == 74 and b"standard output" in said.stderr, typed,
                        "exit %d on a full disk: %s" % (said.returncode, said.stderr))

    def order_of_events(self):
        """What switches and what the model writes, in the order of time."""
        self.write("merged.lg", MERGED)
        typed = "run @/merged.lg --events"
        said = self.call(typed)[1]
        rows = re.findall(r"^t = (\S+) s  (\S+)", said, re.M)
        times = [float(t) for t, _ in rows]
        self.expect(len(rows) == 7 and times == sorted(times) and [w for _, w in rows].count("every") == 3, typed, said)

    def little_memory(self):
        """From too little to start up to enough: never a silent end, never a crash."""
        for typed in ("check " + RC, "run %s --points 2" % RC, "equations " + RC, "graph %s -o @/g.svg" % RC, "export %s --to c" % RC, "doc resistor",
                      "eval %s" % RC, "statespace %s --numeric --poles --bode @/b.svg" % RC, "run @/stepped.cir", "run %s --points 2" % SLIDER,
                      "statespace %s --tf" % RC, "fmt " + RC, "lg2ss [1,2,1,4;2,2,3,3;3,3,1,1]", "dynamics @/robot.lg", "check @/odd.lg --json"):
            bytes_now, code = 4e6, 1
            while code != 0 and bytes_now < 1e9:
                room = int(bytes_now)
                said = subprocess.run(self.arguments(typed), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room)))
                code, bytes_now = said.returncode, bytes_now * 1.01
                if room < 3e7 and code in (127, -signal.SIGSEGV, -signal.SIGKILL) and b"cotree" not in said.stdout: # not loaded
                    continue
                self.expect(code in (0, 70) and (code == 0 or said.stderr or b"E903" in said.stdout), typed, "exit %d in %d bytes: %s" % (code, room, said.stderr))
            self.expect(code == 0, typed, "not in a gigabyte")

    def standard_input(self):
        said = subprocess.run(self.arguments("check -"), input=PLAIN.encode(), capture_output=True)
        self.expect(said.returncode == 1, "check -", "a netlist as a model: %s" % said.stderr)
        said = subprocess.run(self.arguments("check -"), input=open(RC, "rb").read(), capture_output=True)
        self.expect(said.returncode == 0, "check -", "exit %d: %s" % (said.returncode, said.stderr))


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(sys.argv[1] if os.path.isabs(sys.argv[1]) else os.path.join(START, sys.argv[1]), folder)
        for row in ROWS:
            b.try_row(*row)
        b.on_terminal("run %s --points 5" % RC, ["-o result.csv keeps", "\x1b\\["])
        b.on_terminal("run %s --points 5" % RC, ["-o result.csv keeps"], NO_COLOR="1")
        b.on_terminal("run @/plain.cir", ["outputs"])
        b.on_terminal("check tests/bad/bracket_open.lg", ["\x1b\\["])
        b.on_terminal("check tests/bad/bracket_open.lg", ["error"], NO_COLOR="1")
        b.interrupted()
        if os.path.exists("/dev/full"):
            b.full_disk()
        b.standard_input()
        b.order_of_events()
        b.little_memory()
    print("%d rows, %d failed" % (len(ROWS) + 10, b.failed))
    return b.failed > 0


START = os.getcwd()
sys.exit(main())
