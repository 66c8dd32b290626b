"""Conditions whose phases are anything of unknowns: sin(k*x^2), cos(k*x*y), sin(k*sin(m*x)), mod(k*exp(x), 1) ...,
and those with poles: tan(k*x*y), 1/tan, 1/sin, log(sin^2), 1/(k*x^2 - c), in which a root may lie next to each pole.

A damped oscillator x and a capacitor y that is charged move by closed forms, whatever the events do. The phase along them
is cut where it turns, and in each piece what lies between two values of it tells how often the condition becomes true and
how long it is. All methods, exported C among them, alone and beside ideal diodes, stops and dry friction. Where a turn of
the phase comes nearer to an edge than errors of the states move it, either count is right.
"""
import math
import os
import re
import subprocess
import tempfile

import numpy as np

from campaign import Campaign

METHODS = ("auto", "auto", "rosenbrock", "bdf", "adams", "rk", "rk8", "c")
BESIDE = {
    "": "",
    "diode": "VD : vsource(da, ground)  v = sin(7*t)*1 V\nD : ideal_diode(da, db)\nRD : resistor(db, dc)  R = 1 ohm\n"
             "CD : capacitor(dc, ground)  C = 1 F\nGD : resistor(dc, ground)  R = 2 ohm\n",
    "stop": "MS : mass(s)  m = 1 kg, x(0) = 0.1 m, v(0) = 1 m/s\nKS : spring(ground, s)  k = 9 N/m\n"
            "SS : end_stop(ground, s)  xmin = -0.2 m, xmax = 0.3 m, e = 0.9\n",
    "friction": "MF : mass(f)  m = 1 kg\nFF : force(ground, f)  F = 2*sin(3*t)\nRF : friction(ground, f)  Fc = 0.7\n"}

# With poles; what is true is between two values of the phase, once in a period: edges().
WAVES = {"tan": "tan(%s)", "cotan": "1/tan(%s)", "over": "1/sin(%s)", "log": "-log(sin(%s)^2)", "ratio": "1/(%s - (MIDDLE))"}


class Plan:
    def __init__(self, dice):
        number = lambda low, high: float("%.4g" % dice.uniform(low, high))
        self.m, self.k, self.d = number(0.5, 2), number(5, 40), dice.choice([0.0, number(0.05, 0.5)])
        self.x0, self.tau, self.stop = number(0.3, 1), number(0.3, 2), number(0.7, 2)
        big, shape = float("%.3g" % 10 ** dice.uniform(0.8, 3.7)), dice.randrange(9)
        a, b, c = number(0.2, 1), number(-1, 1), number(3, 20)
        forms = [
            ("%r*(%r*x^2 + %r*x)" % (big, a, b), lambda x, v, y, t: big * (a * x * x + b * x)),
            ("%r*x*y" % big, lambda x, v, y, t: big * x * y),
            ("%r*x*v" % (big / 4), lambda x, v, y, t: big / 4 * x * v),
            ("%r*exp(%r*x)" % (big, b), lambda x, v, y, t: big * np.exp(b * x)),
            ("%r*sin(%r*x)" % (big / 10, c), lambda x, v, y, t: big / 10 * np.sin(c * x)),
            ("%r*x*t" % big, lambda x, v, y, t: big * x * t),
            ("%r*y^3 + %r*cos(%r*x)" % (big, b, c), lambda x, v, y, t: big * y ** 3 + b * np.cos(c * x)),
            ("%r/(1 + x^2)" % big, lambda x, v, y, t: big / (1 + x * x)),
            ("%r*(y + %r*t^2)" % (big, b), lambda x, v, y, t: big * (y + b * t * t))]
        self.phase, self.at = forms[shape]
        self.how = dice.choice(["sin", "sin", "cos", "mod", *WAVES])
        sharp = dice.choice([number(-0.9, 0.9), number(-0.9, 0.9), 0.999, 0.99999])
        self.level = sharp if self.how != "mod" else number(0.1, 0.9)
        if self.how in WAVES:
            steep = float("%.4g" % 10 ** dice.uniform(0, 4))
            self.level = {"log": 2 * math.log(steep) + 1, "over": number(-0.9, 0.9), "ratio": steep / big,
                          "tan": dice.choice([-1, 1]) * steep}.get(self.how, steep)
            self.middle = float("%.6g" % self.at(*self.states(0.37 * self.stop)))
        self.beside = dice.choice(sorted(BESIDE))

    def wave(self):
        return WAVES.get(self.how, "mod(%s, 1)" if self.how == "mod" else self.how + "(%s)").replace("MIDDLE", repr(getattr(self, "middle", 0))) % self.phase

    def text(self):
        p = re.sub(r"\b[xvy]\b", lambda m: {"x": "a.x", "v": "a.v", "y": "C1.v"}[m.group()], self.wave())
        return ("discrete n = 0\nM : mass(a)  m = %r kg, x(0) = %r m, v(0) = 0 m/s\n"
                "K : spring(ground, a)  k = %r N/m, x(0) = %r m\n%sV1 : vsource(p, ground)  v = 1 V\n"
                "R1 : resistor(p, q)  R = %r ohm\nC1 : capacitor(q, ground)  C = 1 F\n%s"
                "I1 : isource(ground, w)  i = if %s > %r then 1 A else 0 A\nC2 : capacitor(w, ground)  C = 1 F\n"
                "when %s > %r { n = pre(n) + 1 }\noutput n, C2.v as s, a.x as x, C1.v as y\nsimulate stop = %r s\n" % (
                    self.m, self.x0, self.k, self.x0, "B : damper(ground, a)  d = %r\n" % self.d if self.d else "", self.tau,
                    BESIDE[self.beside], p, self.level, p, self.level, self.stop))

    def states(self, t):
        r, w = self.d / (2 * self.m), math.sqrt(self.k / self.m - (self.d / (2 * self.m)) ** 2)
        e = np.exp(-r * t)
        x = self.x0 * e * (np.cos(w * t) + r / w * np.sin(w * t))
        v = -self.x0 * e * (w + r * r / w) * np.sin(w * t)
        return x, v, 1 - np.exp(-t / self.tau), t

    def edges(self):
        """Turns of the phase, from where to where the condition is true."""
        if self.how == "mod":
            return 1.0, self.level, 1.0
        if self.how == "tan":
            return math.pi, math.atan(self.level), math.pi / 2
        if self.how == "cotan":
            return math.pi, 0.0, math.atan2(1, self.level)
        if self.how == "over":
            return 2 * math.pi, 0.0, math.pi
        if self.how == "log":
            reach = math.asin(math.exp(-self.level / 2))
            return math.pi, -reach, reach
        if self.how == "ratio":
            return 1e9, self.middle, self.middle + 1 / self.level
        a = math.asin(self.level) if self.how == "sin" else -math.acos(self.level)
        return 2 * math.pi, a, math.pi - a if self.how == "sin" else -a

    def count(self):
        """How often it becomes true, how much of that is in doubt, how long it is; None: it begins true."""
        t = np.linspace(0, self.stop, 400001)
        p = self.at(*self.states(t))
        period, low, high = self.edges()
        into = lambda q: (q - low) % period
        if into(p[0]) < high - low + 1e-4 or into(p[0]) > period - 1e-4:
            return None
        turns = np.flatnonzero(np.diff(np.sign(np.diff(p))) != 0) + 1
        cuts = np.concatenate(([0], turns, [len(p) - 1]))
        count = doubt = 0
        for a, b in zip(cuts[:-1], cuts[1:]):
            for edge, rises in ((low, True), (high, False)):
                if (p[b] > p[a]) == rises:
                    count += abs(int(np.floor((p[b] - edge) / period) - np.floor((p[a] - edge) / period)))
            doubt += min(min((p[b] - edge) % period, (edge - p[b]) % period) for edge in (low, high)) < 1e-4 * (1 + abs(p[b])) ** 0.5
        # between two points the phase is a straight line: windows may be shorter than that
        inside = np.floor((p - low) / period) * (high - low) + np.minimum((p - low) % period, high - low)
        ways, parts = np.diff(p), np.diff(inside)
        at = (p[:-1] - low) % period < high - low
        long = np.mean(np.where(ways == 0, at, parts / np.where(ways == 0, 1, ways))) * self.stop
        return count, doubt, long


def run_c(program, text):
    """Rows of the exported program, and why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        model, source, binary = (os.path.join(folder, x) for x in ("model.lg", "model.c", "model"))
        open(model, "w").write(text)
        made = subprocess.run([program.path, "export", model, "--to", "c", "-o", source], capture_output=True, text=True)
        if made.returncode:
            return None, made.stderr
        name = next(line.split()[1] for line in open(source) if line.startswith("#ifdef") and "_MAIN" in line)
        subprocess.run(["cc", "-O1", "-std=c11", "-ffp-contract=off", "-D" + name, source, "-o", binary, "-lm"], check=True)
        said = subprocess.run([binary], capture_output=True, text=True)
        lines = said.stdout.strip().splitlines()
        if said.returncode or len(lines) < 2:
            return None, said.stderr
        return [dict(zip(lines[0].split(","), map(float, line.split(",")))) for line in lines[1:]], ""


def main():
    campaign = Campaign("phases", 60)
    for case in campaign:
        plan = Plan(case.dice)
        want = plan.count()
        if want is None or want[0] > 3000:
            continue
        text, method = plan.text(), case.dice.choice(METHODS)
        if method == "c":
            rows, why = run_c(case.program, text)
        else:
            said = case.program.run(text, [plan.stop], "--tol", "1e-9", "--method", method)
            rows, why = said.rows(), said.why()
        row = rows[-1] if rows else None
        if not case.check(row is not None, "%s %s: %s" % (method, plan.beside, why), text):
            continue
        count, doubt, long = want
        note = "%s %s" % (method, plan.beside)
        case.check(abs(row["n"] - count) <= doubt, "%s: n = %d, right is %d (%d in doubt)" % (note, row["n"], count, doubt), text)
        case.equal(row["s"], long, 1e-4 * plan.stop, note + " time above", text)
        x, _, y, _ = plan.states(plan.stop)
        case.equal(row["x"], float(x), 1e-6, note + " x", text)
        case.equal(row["y"], float(y), 1e-6, note + " y", text)
    campaign.close()


if __name__ == "__main__":
    main()
