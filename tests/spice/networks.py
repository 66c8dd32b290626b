#!/usr/bin/env python3
"""Random linear networks (R, L, C, coupled inductors, all controlled sources) by cotree and by ngspice.

networks.py BINARY [COUNT]: the same networks as a model and as a netlist; node voltages at five times must agree. Both
paths of cotree are compared, the symbolic and the numeric one. Exit 1 if any differs.
"""
import random
import subprocess
import sys
import tempfile

STOP = 1e-3
TIMES = [STOP * (i + 1) / 5 for i in range(5)]
AGREEMENT = 2e-5  # of the largest voltage; the trapezoidal rule of ngspice at STOP/8000 gives about 2e-6


class Network:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.model, self.netlist, self.nodes, self.parts = [], [], 0, 0
        self.build()

    def value(self, low, high):
        return float("%.3g" % (10 ** self.dice.uniform(low, high)))

    def name(self):
        self.parts += 1
        return self.parts

    def some(self, ground=True):
        return "n%d" % self.dice.randint(1, self.nodes) if not ground or self.dice.random() < 0.7 else "0"

    def put(self, model, netlist):
        ground = lambda words: ", ".join("ground" if w == "0" else w for w in words)
        element, ports, keys = model
        self.model.append("P%d : %s(%s)  %s" % (self.parts, element, " | ".join(ground(p) for p in ports), keys))
        self.netlist += netlist

    def resistor(self, a, b, r=None):
        k, r, b = self.name(), r or self.value(1, 3), "0" if a == b else b
        self.put(("resistor", [[a, b]], "R = %g" % r), ["R%d %s %s %g" % (k, a, b, r)])

    def new_node(self):
        self.nodes += 1
        return "n%d" % self.nodes

    def source(self):
        """A ramp or a sine behind a resistor."""
        k, a, size = self.name(), self.new_node(), self.value(-0.3, 0.7)
        if self.dice.random() < 0.5:
            rise = self.value(-5, -3.5)
            wave = "%g*min(t/%g, 1)" % (size, rise), "PWL(0 0 %g %g 1 %g)" % (rise, size, size)
        else:
            f = self.value(2.5, 3.7)
            wave = "%g*sin(2*pi*%g*t)" % (size, f), "SIN(0 %g %g)" % (size, f)
        if self.dice.random() < 0.6:
            self.put(("vsource", [[a, "0"]], "v = " + wave[0]), ["V%d %s 0 %s" % (k, a, wave[1])])
        else:
            self.put(("isource", [["0", a]], "i = 0.01*" + wave[0]), ["B%d 0 %s I=0.01*V(w%d)" % (k, a, k),
                     "Vw%d w%d 0 %s" % (k, k, wave[1]), "Rw%d w%d 0 1k" % (k, k)])
        self.resistor(a, self.some() if self.nodes > 1 else "0")
        return a

    def storage(self):
        k, a, kind = self.name(), self.some(False), self.dice.random()
        if kind < 0.3 and a in self.free:
            self.free.remove(a)
            c = self.value(-8, -6)
            self.put(("capacitor", [[a, "0"]], "C = %g" % c), ["C%d %s 0 %g" % (k, a, c)])
        elif kind < 0.7:
            b, l = self.some(), self.value(-4, -2)
            if a != b:
                self.put(("inductor", [[a, b]], "L = %g" % l), ["L%d %s %s %g" % (k, a, b, l)])
        else:
            b, c, d = self.some(), self.some(False), self.some()
            l, m, x = self.value(-4, -2), self.value(-4, -2), self.dice.uniform(-0.9, 0.9)
            if a != b and c != d:
                self.put(("coupled_inductors", [[a, b], [c, d]], "L1 = %g, L2 = %g, k = %.3f" % (l, m, x)),
                         ["LA%d %s %s %g" % (k, a, b, l), "LB%d %s %s %g" % (k, c, d, m), "K%d LA%d LB%d %.3f" % (k, k, k, x)])

    def controlled(self):
        """Outputs of small gain, behind a resistor; currents are sensed in a new branch."""
        k, kind = self.name(), self.dice.choice("EGFH")
        a, b, at = self.some(False), self.some(), self.some(False)
        gain = round(self.dice.uniform(-0.4, 0.4), 3)
        if kind in "EG" and a == b:
            return
        if kind == "E":
            out = self.new_node()
            self.put(("vcvs", [[a, b], [out, "0"]], "gain = %g" % gain), ["E%d %s 0 %s %s %g" % (k, out, a, b, gain)])
            self.resistor(out, at)
        elif kind == "G":
            gain *= 1e-3
            self.put(("vccs", [[a, b], [at, "0"]], "gm = %g" % gain), ["G%d %s 0 %s %s %g" % (k, at, a, b, gain)])
        else:
            sense = self.new_node()
            if kind == "F":
                self.put(("cccs", [[sense, b], [at, "0"]], "gain = %g" % gain),
                         ["VS%d %s %s 0" % (k, sense, b), "F%d %s 0 VS%d %g" % (k, at, k, gain)])
            else:
                out = self.new_node()
                gain *= 50
                self.put(("ccvs", [[sense, b], [out, "0"]], "rm = %g" % gain),
                         ["VS%d %s %s 0" % (k, sense, b), "H%d %s 0 VS%d %g" % (k, out, k, gain)])
                self.resistor(out, at)
            self.resistor(a, sense)

    def build(self):
        for _ in range(self.dice.randint(1, 2)):
            self.source()
        for _ in range(self.dice.randint(3, 12)):
            self.resistor(self.some(), self.new_node())
        self.free = ["n%d" % i for i in range(3, self.nodes + 1)]
        for i in range(1, self.nodes + 1):
            self.resistor("n%d" % i, "0", self.value(3, 4))
        for _ in range(self.dice.randint(2, 8)):
            self.storage()
        for _ in range(self.dice.randint(0, 3)):
            self.controlled()

    def as_model(self):
        out = ["output n%d.v" % i for i in range(1, self.nodes + 1)]
        return "\n".join(["model network"] + self.model + out) + "\n"

    def as_netlist(self):
        take = ["meas tran y%d_%d FIND v(n%d) AT=%g" % (i, k, i, t)
                for i in range(1, self.nodes + 1) for k, t in enumerate(TIMES)]
        head = ["* network"] + self.netlist
        return "\n".join(head + [".options reltol=1e-6 abstol=1e-12 vntol=1e-9 trtol=1",
                                 ".tran %g %g 0 %g" % (STOP / 100, STOP, STOP / 8000),
                                 ".control", "set noaskquit", "run"] + take + ["quit", ".endc", ".end"]) + "\n"


def run(command, text, ending):
    with tempfile.NamedTemporaryFile("w", suffix=ending) as file:
        file.write(text)
        file.flush()
        return subprocess.run(command + [file.name], capture_output=True, text=True, timeout=600)


def by_spice(network):
    said = run(["ngspice", "-b"], network.as_netlist(), ".cir").stdout
    value = {}
    for line in said.splitlines():
        word = line.split()
        if len(word) >= 3 and word[0].startswith("y") and word[1] == "=":
            i, k = word[0][1:].split("_")
            value[int(i), int(k)] = float(word[2])
    return value


def by_cotree(binary, network, form):
    times = ",".join("%.9g" % t for t in TIMES)
    done = run([binary, "run", "--form", form, "--tol", "1e-8", "--times", times, "-o", "-", "--stats"],
               network.as_model(), ".lg")
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    value = {(i, k): float(row[i]) for k, row in enumerate(rows) for i in range(1, network.nodes + 1)}
    return value, '"path":"numeric"' in done.stderr, done.stderr


def main():
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 25
    failures, numeric, worst = 0, 0, 0
    for seed in range(count):
        network = Network(seed)
        spice = by_spice(network)
        for form in ("nodal", "numeric"):
            ours, is_numeric, said = by_cotree(binary, network, form)
            numeric += is_numeric
            size = max([abs(v) for v in spice.values()] or [1])
            missing = len(spice) != 5 * network.nodes or len(ours) != len(spice)
            miss = 1 if missing else max(abs(ours[key] - spice[key]) for key in spice) / size
            worst = max(worst, miss)
            if miss > AGREEMENT:
                failures += 1
                print("seed %d, %s: differs by %.2g\n%s%s%s" % (seed, form, miss, said, network.as_model(), network.as_netlist()))
    print("%d networks, %d of them in numbers, worst difference %.2g, %d failures" % (count, numeric, worst, failures))
    return 1 if failures or numeric < count / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
