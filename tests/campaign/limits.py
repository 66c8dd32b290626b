"""Parameters at their limits: R, L, C, m, k that are zero, coupling of one, values 1e15 apart, against exponentials of the
network with the part left out or its ends made one, and against closed forms.

Ladders of R, L, C, driven by a sine or a step. What is zero by text, by --set, by a formula and left out must be the same. Of parts that
are very small, resistors stay in the answer: 1e-6 ohm in series with 0.1 ohm is seen.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
from scipy.linalg import expm

from campaign import Campaign

SMALL = {"resistor": 1e9, "inductor": 1.0, "capacitor": 1.0}  # a resistance of 1e-15 ohm beside a volt is below rounding
UNIT = {"resistor": ("R", "ohm"), "inductor": ("L", "H"), "capacitor": ("C", "F")}


def number(dice, low, high):
    return float("%.4g" % (low * (high / low) ** dice.random()))


class Ladder:
    """Series parts and parts across; each may be zero."""

    def __init__(self, dice):
        self.n = dice.randint(2, 5)
        self.series = [(dice.choice(("resistor", "resistor", "inductor")), number(dice, 0.1, 10)) for _ in range(self.n)]
        self.series[0] = ("resistor", number(dice, 0.1, 10))
        self.shunt = [[("resistor", number(dice, 1, 30))] + ([("capacitor", number(dice, 0.01, 1))] if dice.random() < 0.8 else [])
                      for _ in range(self.n)]
        self.zero_series = {i for i in range(1, self.n) if dice.random() < 0.4}
        self.zero_shunt = {i for i in range(self.n) if dice.random() < 0.3}
        self.rate = number(dice, 0.3, 10)
        self.wave = dice.choice(("sin(%r*t)" % self.rate, "(if t < 0.3 s then 0 else 1)"))

    def text(self, how, tiny=0.0):
        """how: left (out), text, set, formula."""
        lines, heads, options, node = ["V1 : vsource(n0, ground)  v = 1 V*" + self.wave], [], [], list(range(self.n + 1))

        def add(name, kind, p, q, value, null):
            key, unit = UNIT[kind]
            told, least = "%r %s" % (value, unit), SMALL[kind] * tiny
            if null:
                param = "p" + name
                told = {"text": "%r %s" % (least, unit), "set": param, "formula": "%s - %s" % (param, param)}[how]
                if how != "text":
                    heads.append("param %s = %r %s" % (param, value, unit))
                if how == "set":
                    options.extend(["--set", "%s=%r %s" % (param, least, unit)])
            lines.append("%s : %s(%s, %s)  %s = %s" % (name, kind, p, q, key, told))
        for i in range(1, self.n + 1):
            null = i - 1 in self.zero_series
            if null and how == "left":
                node[i] = node[i - 1]
            else:
                add("S%d" % i, self.series[i - 1][0], "n%d" % node[i - 1], "n%d" % node[i], self.series[i - 1][1], null)
            for kind, value in self.shunt[i - 1]:
                null = kind == "capacitor" and i - 1 in self.zero_shunt
                if not null or how != "left":
                    add("%s%d" % (kind[0].upper(), i), kind, "n%d" % node[i], "ground", value, null)
        shown = ["n%d.v as v%d" % (node[i], i) for i in range(1, self.n + 1)] + ["S1.i as i"]
        return "model ladder\n" + "\n".join(heads + lines) + "\noutput " + ", ".join(shown) + "\n", options

    def exact(self, times, tiny):
        """Rows by exponentials: C v' = -G v + P j + g u of nodes, those without capacitor eliminated; L j' = -P^T v of series coils."""
        place, coils, ends = [0], [], []  # of node 0, the source, and of those behind it that are no longer apart
        for i in range(self.n):
            kind, value = self.series[i]
            null = i in self.zero_series
            value = SMALL[kind] * tiny if null else value
            apart = not null or (kind == "resistor" and tiny)
            place.append(place[-1] + 1 if apart else place[-1])
            if apart:
                (ends if kind == "resistor" else coils).append((place[-2] - 1, place[-1] - 1, value))
        m, e = place[-1], len(coils)
        C, G, g, P, L = np.zeros(m), np.zeros((m, m)), np.zeros(m), np.zeros((m, e)), np.array([c[2] for c in coils])
        for i, parts in enumerate(self.shunt):
            for kind, value in parts:
                if kind == "resistor":
                    G[place[i + 1] - 1, place[i + 1] - 1] += 1 / value
                elif i not in self.zero_shunt:
                    C[place[i + 1] - 1] += value
        for a, b, value in ends:
            G[b, b] += 1 / value
            if a < 0:
                g[b] += 1 / value
            else:
                G[a, a] += 1 / value
                G[a, b] -= 1 / value
                G[b, a] -= 1 / value
        for k, (a, b, _) in enumerate(coils):
            P[a, k], P[b, k] = -1, 1
        held, free = np.flatnonzero(C), np.flatnonzero(C == 0)
        size = len(held) + e + 2  # the source and its cosine last
        volts = np.zeros((m, size))
        volts[held, np.arange(len(held))] = 1
        right = np.zeros((m, size))
        right[:, len(held):len(held) + e], right[:, -2] = P, g
        if len(free):
            volts[free] = np.linalg.solve(G[np.ix_(free, free)], right[free] - G[np.ix_(free, held)] @ volts[held])
        A = np.zeros((size, size))
        A[:len(held)] = (right[held] - G[held] @ volts) / C[held, None]
        A[len(held):len(held) + e] = -P.T @ volts / L[:, None]
        x, sine = np.zeros(size), self.wave[0] == "s"
        if sine:
            A[-2, -1], A[-1, -2], x[-1] = self.rate, -self.rate, 1
        else:
            x[-2] = 1
        rows = []
        for t in times:
            now = expm(A * (t if sine else t - 0.3)) @ x if sine or t >= 0.3 else np.zeros(size)
            v = np.append(volts @ now, now[-2])  # place 0, the source, is the last
            row = {"v%d" % i: v[place[i] - 1] for i in range(1, self.n + 1)}
            rows.append({"time": t, **row, "i": (now[-2] - v[0]) / self.series[0][1]})
        return rows


def check_ladder(case):
    dice, ladder = case.dice, Ladder(case.dice)
    times = [0.07 + 0.31 * k for k in range(10)]
    for how, tiny in (("left", 0.0), ("text", 0.0), ("set", 0.0), ("formula", 0.0), ("text", 1e-15), ("set", 1e-15)):
        text, options = ladder.text(how, tiny)
        right = ladder.exact(times, tiny)
        method = dice.choice(("bdf", "rosenbrock"))
        small_coil = tiny and any(ladder.series[i][0] == "inductor" for i in ladder.zero_series)
        if small_coil and ladder.wave[0] != "s":
            continue  # a step sets it ringing about its current, undamped: 1e8 turns are the answer
        if small_coil:
            method = "rosenbrock"  # bdf follows what rings undamped: 1e8 turns are too many steps
        for form in ([], ["--form", dice.choice(("branch-chord", "tableau", "numeric", "nodal"))], ["--method", method]):
            said = case.program.run(text, times, *options, *form, "--tol", "1e-7")
            rows = said.rows()
            if rows is None and tiny == 0 and ("E224" in said.err or "E522" in said.err):
                case.check(True, "")  # told: it must be positive, or a divisor is zero
                continue
            if not case.check(rows is not None, "%s %g %s: %s" % (how, tiny, " ".join(form), said.why()), text):
                continue
            off, t, k = max((abs(a[k] - b[k]), a["time"], k) for a, b in zip(rows, right) for k in b)
            case.check(off < 3e-6, "%s %g %s: %s is off by %.2g at %g" % (how, tiny, " ".join(form), k, off, t), text)


def check_coupled(case):
    """Two coils with a coupling of k: L i' = v - R i; with k = 1 the fluxes are one."""
    dice = case.dice
    L1, L2, R1, R2 = number(dice, 0.1, 3), number(dice, 0.1, 3), number(dice, 0.1, 3), number(dice, 0.1, 3)
    k, w = dice.choice((1.0, -1.0, 1.0, 0.0, 0.999999, 1 - 1e-12)), number(dice, 0.3, 5)
    form = dice.choice(([], ["--form", "branch-chord"], ["--form", "tableau"], ["--form", "numeric"], ["--method", "bdf"], ["--method", "rosenbrock"]))
    text = """coupled coils
V1 a 0 SIN(0 1 %.17g)
R1 a b %r
L1 b 0 %r
L2 c 0 %r
K1 L1 L2 %.17g
R2 c 0 %r
.tran 0.1 3 uic
.print tran i(L1) i(L2) v(c)
.end
""" % (w / (2 * np.pi), R1, L1, L2, k, R2)
    times, M = [0.2 + 0.37 * j for j in range(8)], k * (L1 * L2) ** 0.5
    said = case.program.run(text, times, *form, "--tol", "1e-8", ending="cir")
    rows = said.rows()
    if not case.check(rows is not None, "k = %r %s: %s" % (k, " ".join(form), said.why()), text):
        return
    for row in rows:
        i1, i2 = coils(L1, L2, M, R1, R2, w, row["time"], abs(k) > 1 - 1e-11)
        for name, value in (("i(L1)", i1), ("i(L2)", i2), ("v(c)", -R2 * i2)):
            case.equal(row[name], value, 2e-6, "k = %r %s: %s(%g)" % (k, " ".join(form), name, row["time"]), text)


def coils(L1, L2, M, R1, R2, w, t, one):
    """Exponentials of the augmented system; of one flux phi = i1 + n i2 where both are one: L1 phi' = v - R1 i1, n L1 phi' = - R2 i2."""
    if one:
        n = M / L1
        # i1 = (v - e)/R1, i2 = -n e/R2 with e = L1 phi'; phi = i1 + n i2
        a = 1 / (1 / R1 + n * n / R2)
        A = np.array([[-a / L1, a / R1 / L1, 0], [0, 0, w], [0, -w, 0]])
        phi, v, _ = expm(A * t) @ [0, 0, 1]
        e = a * (v / R1 - phi)
        return (v - e) / R1, -n * e / R2
    inverse = np.linalg.inv(np.array([[L1, M], [M, L2]]))
    A = np.zeros((4, 4))
    A[:2, :2], A[:2, 2] = -inverse @ np.diag([R1, R2]), inverse[:, 0]
    A[2, 3], A[3, 2] = w, -w
    x = expm(A * t) @ [0, 0, 0, 1]
    return x[0], x[1]


def check_masses(case):
    """Masses on springs and dampers in a row, some of them zero."""
    dice = case.dice
    n, w = dice.randint(2, 4), number(dice, 0.5, 5)
    m = [0.0 if dice.random() < 0.5 else number(dice, 0.1, 3) for _ in range(n)]
    k, d = [number(dice, 0.5, 20) for _ in range(n)], [number(dice, 0.05, 3) for _ in range(n)]
    lines = []
    for i in range(n):
        near = "n%d" % (i - 1) if i else "ground"
        lines += ["m%d : mass(n%d)  m = %r kg" % (i, i, m[i]), "k%d : spring(%s, n%d)  k = %r N/m" % (i, near, i, k[i]),
                  "d%d : damper(%s, n%d)  d = %r N.s/m" % (i, near, i, d[i])]
    text = "model row\n" + "\n".join(lines) + "\nF : force(ground, n%d)  F = 1 N*sin(%r*t)\noutput %s\n" % (n - 1, w, ", ".join("k%d.x" % i for i in range(n)))
    times = [0.2 + 0.37 * j for j in range(8)]
    said = case.program.run(text, times, "--tol", "1e-8")
    rows = said.rows()
    if rows is None and "E224" in said.err:
        case.check(True, "")
        return
    if not case.check(rows is not None, said.why(), text):
        return
    right = row_of_masses(n, m, k, d, w, times)
    for row, x in zip(rows, right):
        for i in range(n):
            case.equal(abs(row["k%d.x" % i]), abs(x[i]), 3e-6, "k%d.x(%g)" % (i, row["time"]), text)


def row_of_masses(n, m, k, d, w, times):
    """Elongations, by small steps of nothing: the pencil s^2 M + s D + K solved by exponentials of its regular part."""
    B = np.eye(n) - np.diag(np.ones(n - 1), -1)  # elongations from positions
    K, D = B.T @ np.diag(k) @ B, B.T @ np.diag(d) @ B
    heavy = [i for i in range(n) if m[i] > 0]
    f = np.zeros(n)
    f[-1] = 1
    # x' of parts without mass follows from 0 = f - D x' - K x; states: x, and x' of masses
    light = [i for i in range(n) if m[i] == 0]
    size = n + len(heavy) + 2
    A = np.zeros((size, size))
    to_v = np.zeros((n, size))
    for j, i in enumerate(heavy):
        to_v[i, n + j] = 1
    if light:
        inverse = np.linalg.inv(D[np.ix_(light, light)])
        rest = np.zeros((len(light), size))
        rest[:, :n] = -K[light]
        rest[:, -2] = f[light]
        for j, i in enumerate(heavy):
            rest[:, n + j] -= D[light, i]
        to_v[light] = inverse @ rest
    A[:n] = to_v
    for j, i in enumerate(heavy):
        A[n + j] = -D[i] @ to_v / m[i]
        A[n + j, :n] -= K[i] / m[i]
        A[n + j, -2] += f[i] / m[i]
    A[-2, -1], A[-1, -2] = w, -w
    start = np.zeros(size)
    start[-1] = 1
    return [B @ (expm(A * t) @ start)[:n] for t in times]


def check_fast(case):
    """R C far below the rounding of time: v follows the source, and the current is C v' up to what rounding of v makes of it; in the last
    row and at corners, too."""
    dice = case.dice
    R, C, stop = 10.0 ** dice.randint(-15, -6), 10.0 ** dice.randint(-15, -9), 10.0 ** dice.randint(-3, 3)
    w, corner = number(dice, 1, 30) / stop, float("%.6g" % (stop * dice.choice((0.25, 0.3, 0.5))))
    sine = dice.random() < 0.5
    wave = "sin(%r rad/s*t)" % w if sine else "(if t < %r s then t/(%r s) else 2 - t/(%r s))" % (corner, corner, corner)
    bent = dice.choice(("", "*(1 + 0.1*sin(t*1 rad/s))", "*(1 + 0.1*tanh(C1.v/1 V))"))
    text = """model fast
V1 : vsource(a, ground)  v = 1 V*%s
R1 : resistor(a, b)  R = %r ohm%s
C1 : capacitor(b, ground)  C = %r F
output C1.v, R1.i
""" % (wave, R, bent, C)
    times = sorted([corner, stop] + [stop * dice.random() for _ in range(4)])
    form = dice.choice(([], [], ["--form", "tableau"], ["--form", "numeric"], ["--method", "bdf"], ["--method", "rosenbrock"]))
    said = case.program.run(text, times, "--stop", repr(stop), *form)
    rows = said.rows()
    if not case.check(rows is not None, "%s: %s" % (" ".join(form), said.why()), text):
        return
    rate = w if sine else 1 / corner
    for row in rows:
        t = row["time"]
        v = np.sin(w * t) if sine else (t / corner if t < corner else 2 - t / corner)
        rounding = (64 if bent or form else 4 if sine else 16) * 2.3e-16 * (1 + rate * t)  # behind a corner values are those just behind it
        case.check(abs(row["C1.v"] - v) < 1e-6 + rate * R * C, "%s: C1.v(%r) is %r and not %r" % (" ".join(form), t, row["C1.v"], v), text)
        case.check(abs(row["R1.i"]) < 1.12 * C * rate + 1.12 * rounding / R, "%s: R1.i(%r) is %r" % (" ".join(form), t, row["R1.i"]), text)


def main():
    campaign = Campaign("limits", 12)
    for case in campaign:
        (check_ladder, check_coupled, check_masses, check_fast)[case.number % 4](case)
    campaign.close()


if __name__ == "__main__":
    main()
