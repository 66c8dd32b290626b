#!/usr/bin/env python3
"""Operating points of random amplifiers of 1 to 20 transistors, by the program and by ngspice.

Stages with divider bias, followers, differential pairs, mirrors, Darlingtons, cascodes, push-pull outputs, MOS stages,
zener references; NPN and PNP, coupled by capacitors or not; every sixth is a network of CMOS gates. All node voltages must agree, and the number of Newton
iterations, which no machine changes, must stay small. Without ngspice only the iterations are looked at.
"""
import re
import shutil
import statistics
import subprocess

from campaign import Campaign

MANY = 100  # iterations of one start; the typical one takes about 16
MOST_ITERATIONS = 1500  # of those few that need more than limiting

STAGE = """common emitter
VCC vcc 0 12
VIN in 0 SIN(0 10m 1k)
C1 in b 10u
R1 vcc b 47k
R2 b 0 10k
RC vcc c 4.7k
RE e 0 1k
CE e 0 100u
C2 c out 10u
RL out 0 10k
Q1 c b e QN
.model QN NPN(IS=6.734f BF=416.4 VAF=74.03 NE=1.259 ISE=6.734f IKF=66.78m BR=.7371 NC=2 RC=1 RB=10 CJC=3.638p MJC=.3085
+ CJE=4.493p MJE=.2593 TF=301.2p TR=239.5n)
.op
.end
"""
# Unknowns that cancel in each other's values: did not end.
DIRECT = """five transistors
V1 vcc 0 19.1
V2 n1 0 0
C1 n1 n2 1u
R1 vcc n2 20100
R2 n2 0 6850
Q1 n3 n2 n4 QP
R3 0 n3 537
R4 n4 vcc 45.5
C2 n3 n5 1u
R5 vcc n5 2910
R6 n5 0 2040
Q2 n8 n5 n6 QP
Q3 n8 n6 n7 QP
R7 0 n8 184
R8 n7 vcc 50.9
R9 n6 n7 8700
R10 n7 n9 57.8
Q4 n12 n9 n10 QP
Q5 n12 n10 n11 QP
R11 0 n12 127
R12 n11 vcc 37.7
R13 n10 n11 2070
R14 n11 0 51800
.model QP PNP(IS=1.41f BF=180 VAF=18.7 NE=1.5 ISE=0 IKF=80m BR=4.977 NC=2 RC=2.5 RB=10 CJC=9.7p CJE=8p TF=180p TR=34n)
.op
.end
"""
# By ngspice 42.
KNOWN = [(STAGE, {"b": 2.02801547, "c": 5.6725409, "e": 1.3556362}), (DIRECT, {"n2": 16.684398, "n7": 14.963288, "n12": 8.777935, "n11": 16.482136})]
MODELS = {
    "QN": ("NPN", ["IS=1e-14 BF=%(bf)g VAF=%(va)g CJE=5p CJC=3p TF=0.3n TR=10n",
                   "IS=6.734f BF=416 VAF=74 NE=1.259 ISE=6.734f IKF=66.8m BR=.737 NC=2 RC=1 RB=10 CJC=3.6p CJE=4.5p TF=301p TR=239n",
                   "IS=1e-16 BF=%(bf)g", "IS=2e-15 BF=%(bf)g RE=0.5 RC=2 RB=50 IKF=0.02 VAF=%(va)g ISE=1e-13 NE=2"]),
    "QP": ("PNP", ["IS=1e-14 BF=%(bf)g VAF=%(va)g CJE=8p CJC=5p TF=1n",
                   "IS=1.41f BF=180 VAF=18.7 NE=1.5 ISE=0 IKF=80m BR=4.977 NC=2 RC=2.5 RB=10 CJC=9.7p CJE=8p TF=180p TR=34n",
                   "IS=1e-16 BF=%(bf)g"]),
    "MN": ("NMOS", ["VTO=%(vt)g KP=100u LAMBDA=0.02", "VTO=%(vt)g KP=40u GAMMA=0.4 PHI=0.65 LAMBDA=0.01"]),
    "MP": ("PMOS", ["VTO=-%(vt)g KP=40u LAMBDA=0.03", "VTO=-%(vt)g KP=20u GAMMA=0.5 PHI=0.6 LAMBDA=0.02"]),
    "DX": ("D", ["IS=1e-14", "IS=2.5n N=1.75 RS=0.6 CJO=4p TT=12n"]),
    "DZ": ("D", ["IS=1e-14 BV=%(bv)g IBV=1m RS=2"]),
}


class Amplifier:
    def __init__(self, dice):
        self.dice, self.line, self.count, self.nodes = dice, [], {}, 0
        self.vcc = float("%.3g" % dice.uniform(4, 24))
        self.two = dice.random() < 0.3
        self.low = "vee" if self.two else "0"
        self.put("V", "vcc", "0", self.vcc)
        if self.two:
            self.put("V", "vee", "0", -self.vcc)
        self.transistors = 0
        goal, ways = dice.randint(1, 20), self.ways()
        node = self.source()
        while self.transistors < goal:
            node = self.coupled(node, dice.choice(ways))
        self.put("R", node, "0", self.ohms(3, 5))

    def ways(self):
        d = [self.common_emitter, self.follower, self.pair, self.darlington, self.mos, self.cmos, self.cascode,
             self.reference, self.push_pull, self.feedback]
        return self.dice.sample(d, self.dice.randint(1, len(d)))

    # ---- parts
    def put(self, letter, *words):
        k = self.count[letter] = self.count.get(letter, 0) + 1
        self.line.append(" ".join([letter + str(k)] + ["%g" % w if isinstance(w, float) else str(w) for w in words]))

    def new(self):
        """A node; its voltage may hang on the leakage of what is off."""
        self.nodes += 1
        return "n%d" % self.nodes

    def ohms(self, low, high):
        return float("%.3g" % 10 ** self.dice.uniform(low, high))

    def q(self, c, b, e, up=False):
        self.transistors += 1
        self.put("Q", c, b, e, "QP" if up else "QN")

    def m(self, d, g, s, up=False):
        self.transistors += 1
        bulk = ("vcc" if up else self.low) if self.dice.random() < 0.5 else s
        self.put("M", d, g, s, bulk, "MP" if up else "MN", "W=%gu" % self.ohms(0.5, 2.5), "L=1u")

    def source(self):
        a = self.new()
        self.put("V", a, "0", "SIN(0 1m 1k)")
        return a

    def divider(self, base, part):
        r = self.ohms(3.5, 5.3)
        self.put("R", "vcc", base, float("%.3g" % (r * (1 - part))))
        self.put("R", base, self.low, float("%.3g" % (r * part)))

    def coupled(self, node, stage):
        """A stage behind a capacitor, with a bias of its own, or tied to what is before."""
        b = self.new()
        if self.nodes <= 2 or self.dice.random() < 0.6:
            self.put("C", node, b, "1u")
            self.divider(b, self.dice.uniform(0.1, 0.6))
        else:
            self.put("R", node, b, self.ohms(1, 3.5))
        return stage(b)

    # ---- stages: from the base to the output
    def common_emitter(self, b):
        up = self.dice.random() < 0.4
        rail, other, c, e = ("vcc", self.low, self.new(), self.new()) if up else (self.low, "vcc", self.new(), self.new())
        self.q(c, b, e, up)
        self.put("R", other, c, self.ohms(2.5, 4))
        self.put("R", e, rail, self.ohms(1.5, 3.5))
        if self.dice.random() < 0.5:
            self.put("C", e, "0", "100u")
        return c

    def follower(self, b):
        up, e = self.dice.random() < 0.4, self.new()
        self.q(self.low if up else "vcc", b, e, up)
        self.put("R", e, "vcc" if up else self.low, self.ohms(2.5, 4))
        return e

    def pair(self, b):
        x, y, tail, b2 = self.new(), self.new(), self.new(), self.new()
        self.divider(b2, self.dice.uniform(0.2, 0.6))
        self.q(x, b, tail)
        self.q(y, b2, tail)
        if self.dice.random() < 0.5:
            self.mirror(tail)
        else:
            self.put("R", tail, self.low, self.ohms(2.7, 4))
        if self.dice.random() < 0.4:
            self.q(x, x, "vcc", True)
            self.q(y, x, "vcc", True)
        else:
            self.put("R", "vcc", x, self.ohms(3, 4))
            self.put("R", "vcc", y, self.ohms(3, 4))
        return y

    def mirror(self, out):
        a = self.new()
        self.put("R", "vcc", a, self.ohms(3, 4.5))
        self.q(a, a, self.low)
        self.q(out, a, self.low)

    def darlington(self, b):
        up, mid, e, c = self.dice.random() < 0.3, self.new(), self.new(), self.new()
        rail, other = ("vcc", self.low) if up else (self.low, "vcc")
        self.q(c, b, mid, up)
        self.q(c, mid, e, up)
        self.put("R", other, c, self.ohms(2, 3))
        self.put("R", e, rail, self.ohms(1.5, 3))
        if self.dice.random() < 0.5:
            self.put("R", mid, e, self.ohms(3, 4.5))
        return self.dice.choice([c, e])

    def mos(self, g):
        up, d, s = self.dice.random() < 0.4, self.new(), self.new()
        rail, other = ("vcc", self.low) if up else (self.low, "vcc")
        self.m(d, g, s, up)
        self.put("R", other, d, self.ohms(2.5, 4))
        self.put("R", s, rail, self.ohms(1, 3))
        return d

    def cmos(self, g):
        out = self.new()
        self.m(out, g, "vcc", True)
        self.m(out, g, self.low)
        self.put("R", out, g, self.ohms(4, 6))
        return out

    def cascode(self, b):
        c, mid, e, b2 = self.new(), self.new(), self.new(), self.new()
        self.divider(b2, self.dice.uniform(0.4, 0.7))
        self.q(mid, b, e)
        self.q(c, b2, mid)
        self.put("R", "vcc", c, self.ohms(2.5, 3.7))
        self.put("R", e, self.low, self.ohms(2, 3.3))
        return c

    def reference(self, b):
        z, e = self.new(), self.new()
        self.put("R", "vcc", z, self.ohms(2.5, 3.7))
        self.put("D", self.low, z, "DZ")
        self.put("R", b, z, self.ohms(3, 4))
        self.q("vcc", z, e)
        self.put("R", e, self.low, self.ohms(2.5, 3.7))
        return e

    def push_pull(self, b):
        """Two diodes between the bases, emitter resistors, resistors to the rails."""
        hi, mid, lo, out, e1, e2 = (self.new() for _ in range(6))
        self.put("R", "vcc", hi, self.ohms(3, 4))
        self.put("D", hi, mid, "DX")
        self.put("D", mid, lo, "DX")
        self.put("R", lo, self.low, self.ohms(3, 4))
        self.put("R", b, mid, self.ohms(2, 3))
        self.q("vcc", hi, e1)
        self.q(self.low, lo, e2, True)
        self.put("R", e1, out, self.ohms(0, 1.5))
        self.put("R", out, e2, self.ohms(0, 1.5))
        self.put("R", out, "0", self.ohms(2, 4))
        return out

    def feedback(self, b):
        """Collector to base."""
        c = self.new()
        self.q(c, b, self.low)
        self.put("R", "vcc", c, self.ohms(2.5, 4))
        self.put("R", c, b, self.ohms(4, 6))
        return c

    def models(self):
        some = {"bf": self.dice.uniform(40, 400), "va": self.dice.uniform(30, 120), "vt": self.dice.uniform(0.5, 1.5),
                "bv": self.dice.uniform(2.5, 8)}
        return [".model %s %s(%s)" % (name, kind, self.dice.choice(choice) % some) for name, (kind, choice) in MODELS.items()]

    def netlist(self):
        return "\n".join(["amplifier"] + self.line + self.models() + [".op", ".end"]) + "\n"


class Gates:
    """Inverters, NAND, NOR; inputs at the rails or between. Nodes between transistors that are off hang on leakage."""

    def __init__(self, dice):
        self.dice, self.line, self.transistors = dice, [], 0
        self.vcc = dice.choice([1.8, 3.3, 5, 12])
        nets = ["i0", "i1", "i2"]
        for k, node in enumerate(nets):
            self.line.append("V%d %s 0 %g" % (k, node, dice.choice([0, self.vcc, self.vcc * dice.random()])))
        for k in range(dice.randint(2, 40)):
            a, b, out, x = dice.choice(nets[-6:]), dice.choice(nets), "n%d" % k, "x%d" % k
            dice.choice([self.inverter, self.inverter, self.nand, self.nor])(a, b, out, x)
            nets.append(out)

    def m(self, d, g, s, up):
        self.transistors += 1
        width = 10 ** self.dice.uniform(0.3, 1.7)
        self.line.append("M%d %s %s %s %s W=%gu L=1u" % (self.transistors, d, g, s, "vdd MP" if up else "0 MN", width))

    def inverter(self, a, b, out, x):
        self.m(out, a, "vdd", True)
        self.m(out, a, "0", False)

    def nand(self, a, b, out, x):
        self.m(out, a, "vdd", True)
        self.m(out, b, "vdd", True)
        self.m(out, a, x, False)
        self.m(x, b, "0", False)

    def nor(self, a, b, out, x):
        self.m(out, a, "0", False)
        self.m(out, b, "0", False)
        self.m(x, a, "vdd", True)
        self.m(out, b, x, True)

    def netlist(self):
        vt, some = self.dice.uniform(0.3, 0.9), self.dice.randrange(2)
        models = [".model %s %s(%s)" % (name, MODELS[name][0], MODELS[name][1][some] % {"vt": vt}) for name in ("MN", "MP")]
        return "\n".join(["gates", "VDD vdd 0 %g" % self.vcc] + self.line + models + [".op", ".end"]) + "\n"


def by_ngspice(text, folder):
    """Node voltages and the number of iterations; None when it finds nothing."""
    ask = [".options reltol=1e-7 abstol=1e-16 vntol=1e-10 itl1=500", ".control", "set numdgt=12", "op", "print allv",
           "rusage totiter", "quit", ".endc", ".end"]
    path = folder + "/peer.cir"
    with open(path, "w") as f:
        f.write(text.replace(".op\n.end\n", "\n".join(ask) + "\n"))
    said = subprocess.run(["ngspice", path], capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    values = {k: float(v) for k, v in re.findall(r"^(\w+) = (\S+)$", said.stdout, re.M)}
    count = re.search(r"[Tt]otal iterations\s*=\s*(\d+)", said.stdout)
    return (values, int(count.group(1)) if count else 0) if values else None


def row_of_stages(count):
    """Amplifiers in a row, coupled by capacitors: at rest each is as if alone."""
    part = "CI%d n%d b%d 1u\nRA%d vcc b%d 47k\nRB%d b%d 0 10k\nRC%d vcc n%d 4.7k\nRE%d e%d 0 4.7k\nQ%d n%d b%d e%d QX\n"
    lines = [part % (i, i - 1, i, i, i, i, i, i, i, i, i, i, i, i, i) for i in range(1, count + 1)]
    return ("row\nVCC vcc 0 12\nV1 n0 0 SIN(0 1m 1k)\n" + "".join(lines) +
            ".model QX NPN(BF=200 IS=1e-14 VAF=80 CJE=5p CJC=3p)\n.tran 20u 0.2m\n.print tran v(n1) v(n50)\n.end\n")


def row_of_inverters(count):
    part = "MP%d n%d n%d vdd vdd MP W=20u L=1u\nMN%d n%d n%d 0 0 MN W=10u L=1u\n"
    lines = [part % (i, i, i - 1, i, i, i - 1) for i in range(1, count + 1)]
    return ("inverters\nVDD vdd 0 5\nVIN n0 0 1\n" + "".join(lines) +
            ".model MN NMOS(VTO=0.7 KP=100u LAMBDA=0.02)\n.model MP PMOS(VTO=-0.7 KP=40u LAMBDA=0.03)\n.op\n.end\n")


def known(case):
    """Circuits that once were not found, not in time or not in a run."""
    for text, right in KNOWN:
        found = case.program.call(text, "equilibrium", "--json", ending="cir", timeout=20).json() or {}
        case.check(found.get("iterations", MANY) <= 60, "%s iterations" % found.get("iterations"), text)
        for node, value in right.items():
            case.equal(found.get("outputs", {}).get("v(%s)" % node), value, 1e-4, "v(%s)" % node, text)
    for text in (STAGE, DIRECT, row_of_inverters(3), "divider\nV1 a 0 5\nR1 a b 1k\nC1 b 0 1u\nR2 b 0 1k\n.op\n.end\n"):
        said = case.program.call(text, "run", "--analysis", "op", "--stats", ending="cir")
        case.check(said.code == 0 and "start" in (said.json() or {}), "run --analysis op --stats: " + said.why(), text)
    for count in (5, 100):
        found = case.program.call(row_of_inverters(count), "equilibrium", "--json", ending="cir").json() or {}
        case.check(found.get("iterations", MANY) <= 40, "%s iterations of %d inverters" % (found.get("iterations"), count))
        case.equal(found.get("outputs", {}).get("v(n4)"), 0.0, 1e-6, "v(n4) of %d inverters" % count)
    for count in (60, 100):
        said = case.program.run(row_of_stages(count), None, ending="cir")
        rows = said.rows()
        if case.check(rows, "a row of %d stages: %s" % (count, said.why())):
            case.equal(rows[0]["v(n50)"], rows[0]["v(n1)"], 1e-6, "v(n50) of %d stages" % count)
            case.equal(rows[-1]["v(n50)"], rows[0]["v(n50)"], 1e-3, "v(n50) of %d stages, later" % count)


def main():
    campaign = Campaign("amplifiers", 100)
    peer, own, its, alone = shutil.which("ngspice"), [], [], 0
    campaign.number = 0
    known(campaign)
    for case in campaign:
        amplifier = Gates(case.dice) if case.number % 6 == 5 else Amplifier(case.dice)
        text = amplifier.netlist()
        said = case.program.call(text, "equilibrium", "--json", ending="cir")
        found = said.json() if said.code == 0 else None
        if not case.check(found is not None, "no operating point: " + said.why(), text):
            continue
        own.append(found["iterations"])
        case.check(own[-1] <= MOST_ITERATIONS, "%d iterations, by %s" % (own[-1], found["method"]), text)
        right = by_ngspice(text, case.program.folder.name) if peer else None
        if right is None:
            alone += 1
            continue
        its.append(right[1])
        for name, value in right[0].items():
            got = found["outputs"].get("v(%s)" % name)
            if not case.equal(float(got) if got is not None else None, value, 1e-4 * amplifier.vcc, "v(%s)" % name, text):
                break
    if own:
        few = sum(n <= MANY for n in own)
        campaign.check(few >= 0.97 * len(own) and statistics.median(own) <= 20, "%d of %d starts took more than %d iterations" %
                       (len(own) - few, len(own), MANY))
        print("iterations: median %g, largest %d; ngspice: median %g, largest %d; not found by ngspice: %d" %
              (statistics.median(own), max(own), statistics.median(its or [0]), max(its or [0]), alone))
    campaign.close()


if __name__ == "__main__":
    main()
