"""Random ladders under sampled controllers of several rates and offsets: the discrete-time model of `statespace`.

Here a period is passed through with matrix exponentials of scipy, once for each unit vector; a loop with one clock is
compared with scipy's zero-order hold besides, and the rows of a run with the recursion of the matrices. Frequency
responses, margins and measures of steps are compared with those that scipy makes of the matrices.
"""
import json
import os

import numpy as np
from scipy.linalg import expm
from scipy.signal import StateSpace, cont2discrete, dfreqresp, dstep

from campaign import Campaign

INPUTS = ["u0", "u1"]
SCALE = 1e-3


class Ladder:
    """Sections of an inductance and a capacitor behind a source v = u0 + d0; d1 drives a current into the last one."""

    def __init__(self, dice):
        self.n = dice.randint(1, 3)
        number = lambda: float("%.3g" % dice.uniform(0.3, 3))
        self.r, self.l, self.c, self.g = ([number() for _ in range(self.n)] for _ in range(4))
        self.tied = dice.random() < 0.3     # a capacitor from the source to the first node: it jumps with d0
        self.c_tied = number() if self.tied else 0.0
        self.states = ["C%d.v" % k for k in range(self.n)] + ["L%d.i" % k for k in range(self.n)]

    def text(self):
        lines = ["S : vsource(a, ground)  v = u0 + d0", "I : isource(ground, n%d)  i = d1*1 A" % (self.n - 1)]
        for k in range(self.n):
            before = "n%d" % (k - 1) if k else "a"
            lines += ["R%d : resistor(%s, m%d)  R = %r" % (k, before, k, self.r[k]),
                      "L%d : inductor(m%d, n%d)  L = %r mH" % (k, k, k, self.l[k]),
                      "C%d : capacitor(n%d, ground)  C = %r mF" % (k, k, self.c[k]),
                      "G%d : conductor(n%d, ground)  G = %r" % (k, k, self.g[k])]
        if self.tied:
            lines += ["X : capacitor(a, n0)  C = %r mF" % self.c_tied, "tree " + ", ".join("C%d" % k for k in range(self.n))]
        return lines

    def matrices(self):
        """By v' and i' from u0 + d0 and d1; and how v jumps with the source."""
        n = self.n
        a, b, jump = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, 2)), np.zeros(2 * n)
        for k in range(n):
            c = (self.c[k] + (self.c_tied if k == 0 else 0)) * SCALE
            a[k, k] = -self.g[k] / c
            a[k, n + k] = 1 / c
            if k + 1 < n:
                a[k, n + k + 1] = -1 / c
            a[n + k, n + k] = -self.r[k] / (self.l[k] * SCALE)
            a[n + k, k] = -1 / (self.l[k] * SCALE)
            if k:
                a[n + k, k - 1] = 1 / (self.l[k] * SCALE)
        b[n, 0] = 1 / (self.l[0] * SCALE)
        b[n - 1, 1] = 1 / ((self.c[n - 1] + (self.c_tied if n == 1 else 0)) * SCALE)
        jump[0] = self.c_tied / (self.c[0] + self.c_tied)
        return a, b, jump


class Block:
    """every period offset offset { name = sum of factors times readings }"""

    def __init__(self, dice, states, names, period, offset):
        self.period, self.offset, self.sets = period, offset, []
        own = [d for d in names if dice.random() < 0.6] or [dice.choice(names)]
        for k, d in enumerate(own):
            readings = [s for s in states if dice.random() < 0.4] + [u for u in INPUTS if dice.random() < 0.5]
            readings += ["pre(%s)" % x for x in names if dice.random() < 0.4]
            readings += [x for x in names if (x not in own or x in own[:k]) and dice.random() < 0.4]
            self.sets.append((d, [(float("%.3g" % dice.uniform(-0.6, 0.6)), r) for r in readings]))

    def text(self):
        lines = ["every %r s offset %r s {" % (self.period, self.offset)]
        for d, terms in self.sets:
            sum_of = " + ".join("(%r)*%s%s" % (f, r, "/(1 A)*1 V" if r.endswith(".i") else "") for f, r in terms)
            lines.append("  %s = %s" % (d, sum_of or "0 V"))
        return lines + ["}"]


class Loop:
    def __init__(self, dice):
        self.plant = Ladder(dice)
        self.a, self.b, self.jump = self.plant.matrices()
        self.names = ["d0", "d1"] + ["s%d" % k for k in range(dice.randint(0, 2))]
        base = float("%.3g" % dice.uniform(0.2e-3, 3e-3))
        self.blocks = []
        for _ in range(dice.randint(1, 3)):
            period = base * dice.choice([1, 1, 2, 3, 1.5, 0.5])
            offset = dice.choice([0, 0, 0.25, 0.5, 0.7]) * period
            self.blocks.append(Block(dice, self.plant.states, self.names, period, offset))
        self.period = next(k * base / 2 for k in range(1, 100)
                           if all(abs(k * base / 2 / b.period - round(k * base / 2 / b.period)) < 1e-9 for b in self.blocks))
        self.start = min(b.offset for b in self.blocks)
        self.output = [("v%d" % k, {"C%d.v" % k: 1.0}) for k in range(self.plant.n)] + [("y0", {"d0": 1.0, "u1": 2.0})]

    def text(self, dice, u=(0.0, 0.0)):
        self.x0 = [float("%.3g" % dice.uniform(-1, 1)) for _ in self.plant.states]
        self.d0 = [float("%.3g" % dice.uniform(-1, 1)) if self.is_set(d) else 0.0 for d in self.names]
        lines = ["model sampled", "input " + ", ".join("%s : V = %r" % pair for pair in zip(INPUTS, u))]
        lines += ["discrete " + ", ".join("%s : V = %r" % pair for pair in zip(self.names, self.d0))]
        lines += [line.replace("d1*1 A", "d1/(1 V)*1 A") for line in self.plant.text()]
        for block in self.blocks:
            lines += block.text()
        if not self.plant.tied:
            lines += ["initial %s = %r" % pair for pair in zip(self.plant.states, self.x0)]
        lines += ["output " + " + ".join("%r*%s" % (f, r) for r, f in terms.items()) + " as " + name for name, terms in self.output]
        return "\n".join(lines)

    def is_set(self, name):
        """By a clock; what none sets is held, and no state."""
        return any(name == d for b in self.blocks for d, _ in b.sets)

    def flow(self, x, d, u, time):
        n = len(x)
        whole = np.zeros((n + 2, n + 2))
        whole[:n, :n], whole[:n, n:] = self.a, self.b
        return (expm(whole * time) @ np.concatenate([x, [u[0] + d[0], d[1]]]))[:n]

    def period_from(self, x, d, before, u):
        """x and d at the end, and outputs after the first ticks."""
        x = x + self.jump * (u[0] - before[0])
        events = sorted((b.offset - self.start + k * b.period, i) for i, b in enumerate(self.blocks)
                        for k in range(round(self.period / b.period)))
        times = []
        for t, _ in events:
            if not times or t - times[-1] > 1e-9 * self.period:
                times.append(t)
        now, y = 0.0, None
        for t in times:
            x = self.flow(x, d, u, t - now)
            now, old = t, d.copy()
            for i in sorted(i for s, i in events if abs(s - t) <= 1e-9 * self.period):
                last, d = d, self.assign(self.blocks[i], x, d, old, u)
                x = x + self.jump * (d[0] - last[0])
            if t == 0:
                y = [sum(f * self.read(r, x, d, old, u) for r, f in terms.items()) for _, terms in self.output]
        return self.flow(x, d, u, self.period - now), d, np.array(y)

    def assign(self, block, x, d, old, u):
        d = d.copy()
        for name, terms in block.sets:
            d[self.names.index(name)] = sum(f * self.read(r, x, d, old, u) for f, r in terms)
        return d

    def read(self, r, x, d, old, u):
        if r in INPUTS:
            return u[INPUTS.index(r)]
        if r.startswith("pre("):
            return old[self.names.index(r[4:-1])]
        return d[self.names.index(r)] if r in self.names else x[self.plant.states.index(r)]

    def matrices(self):
        """Columns x, d, inputs before, inputs; rows x, d; rows y."""
        n, e, m = len(self.plant.states), len(self.names), len(INPUTS)
        rows, shown = [], []
        for unit in np.eye(n + e + 2 * m):
            x, d, y = self.period_from(unit[:n], unit[n:n + e], unit[n + e:n + e + m], unit[n + e + m:])
            rows.append(np.concatenate([x, d]))
            shown.append(y)
        return np.array(rows).T, np.array(shown).T


def compare(case, loop, said, text):
    got = said.json()
    if not case.check(got is not None, "statespace: " + said.why(), text):
        return None
    full, shown = loop.matrices()
    names = loop.plant.states + loop.names + ["pre(%s)" % u for u in INPUTS]
    kept = [names.index(s) for s in got["states"]]
    gone = [i for i in range(len(names)) if i not in kept and (names[i] not in loop.names or loop.is_set(names[i]))]
    u = list(range(len(names), len(names) + 2))
    inner = [i for i in kept if i < len(full)]
    want = {"A": np.zeros((len(kept), len(kept))), "B": np.zeros((len(kept), 2)), "C": shown[:, kept], "D": shown[:, u]}
    want["A"][:len(inner)], want["B"][:len(inner)] = full[np.ix_(inner, kept)], full[np.ix_(inner, u)]
    for i in kept[len(inner):]:
        want["B"][kept.index(i), i - len(full)] = 1
    size = max(1.0, np.abs(full).max(), np.abs(shown).max())
    case.check(np.abs(full[np.ix_(inner, gone)]).max(initial=0) < 1e-12 and np.abs(shown[:, gone]).max(initial=0) < 1e-12,
               "states that are left out matter", text)
    for key, value in want.items():
        off = np.abs(np.array(got[key]).reshape(value.shape) - value).max(initial=0)
        case.check(off < 1e-11 * size, "%s is off by %.1e" % (key, off), text)
    case.equal(got["sample_time"], loop.period, 1e-12 * loop.period, "sample_time", text)
    case.equal(float(got["sample_offset"]), loop.start, 1e-12 * loop.period, "sample_offset", text)
    eigen = np.sort_complex(np.linalg.eigvals(want["A"]))
    poles = np.sort_complex([complex(p["re"], p["im"]) for p in got["poles"]])
    near = max((min(abs(p - q) for q in eigen) for p in poles), default=0)
    case.check(len(poles) == len(eigen) and near < 1e-4 * size, "poles are off by %.1e" % near, text)
    return got


def compare_rows(case, loop, got, u, text):
    """A run of the same loop from its start."""
    periods = 5
    times = [loop.start + (k + 1e-10) * loop.period for k in range(periods)]   # just after the ticks, whatever rounding does
    said = case.program.run(text, times, "--tol", "1e-10", "--stop", repr(times[-1] * 1.01 + loop.period))
    rows = said.rows()
    if not case.check(rows is not None and len(rows) == periods, "no rows: " + said.why(), text):
        return
    x = loop.flow(np.array(loop.x0), np.array(loop.d0), u, loop.start)
    names = loop.plant.states + loop.names
    v = np.array([dict(zip(names, list(x) + loop.d0))[s] for s in got["states"]])
    matrix = {key: np.array(got[key]).reshape(-1, cols) for key, cols in zip("ABCD", [len(v), 2, len(v), 2])}
    for k, row in enumerate(rows):
        y = matrix["C"] @ v + matrix["D"] @ u
        size = max(1.0, np.abs(y).max())
        for i, (name, _) in enumerate(loop.output):
            case.equal(row[name], float(y[i]), 1e-7 * size, "%s at tick %d" % (name, k), text)
        v = matrix["A"] @ v + matrix["B"] @ u


def compare_hold(case):
    """u = -K x + r with one clock: scipy's zero-order hold, closed by hand."""
    d = case.dice
    r, c, l, t, k1, k2 = (float("%.3g" % d.uniform(0.5, 2)) for _ in range(6))
    text = "\n".join(["model hold", "input r : V", "discrete u : V = 0", "S : vsource(a, ground)  v = u",
                      "R : resistor(a, b)  R = %r" % r, "L : inductor(b, c)  L = %r" % l, "C : capacitor(c, ground)  C = %r" % c,
                      "every %r s { u = r - (%r)*C.v - (%r)*L.i*1 ohm }" % (t, k1, k2), "output C.v as y, L.i"])
    a, b = np.array([[0, 1 / c], [-1 / l, -r / l]]), np.array([[0], [1 / l]])
    phi, gamma, *_ = cont2discrete((a, b, np.eye(2), np.zeros((2, 1))), t)
    got = case.program.call(text, "statespace", "--json").json()
    if case.check(got is not None and sorted(got["states"]) == ["C.v", "L.i"], "zero-order hold: states", text):
        at = [got["states"].index(s) for s in ["C.v", "L.i"]]
        closed, b = np.array(got["A"])[np.ix_(at, at)], np.array(got["B"])[at]
        off = np.abs(closed - (phi - gamma @ [[k1, k2]])).max() + np.abs(b - gamma).max()
        case.check(off < 1e-13, "zero-order hold is off by %.1e" % off, text)


def system_of(got):
    n, m, p = len(got["states"]), len(got["inputs"]), len(got["outputs"])
    shape = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}
    return StateSpace(*(np.array(got[key], float).reshape(size) for key, size in shape.items()), dt=got["sample_time"])


def response(system, i, j, omega):
    z = np.exp(1j * omega * system.dt)
    return system.C[i] @ np.linalg.solve(z * np.eye(len(system.A)) - system.A, system.B[:, j]) + system.D[i, j]


def compare_bode(case, got, system, text):
    """Against scipy's response of the same matrices, and the phase without leaps."""
    name = os.path.join(case.program.folder.name, "bode.json")
    said = case.program.call(text, "statespace", "--bode", name)
    if not case.check(said.code == 0, "no frequency response: " + said.why(), text):
        return
    with open(name) as f:
        curves = json.load(f)
    omega = np.array(curves["omega"])
    case.equal(omega[-1], np.pi / system.dt, 1e-12 / system.dt, "end of the frequencies", text)
    for curve in curves["responses"]:
        i, j = got["outputs"].index(curve["output"]), got["inputs"].index(curve["input"])
        one = StateSpace(system.A, system.B[:, [j]], system.C[[i]], system.D[[i]][:, [j]], dt=system.dt)
        near = dfreqresp(one, omega * system.dt)[1]        # by polynomials
        want = np.array([response(system, i, j, w) for w in omega])
        if not np.abs(want).max() > 1e-9:
            continue
        size, angle = np.array(curve["dB"], float), np.radians(np.array(curve["deg"], float))
        off = np.abs(10 ** (size / 20) * np.exp(1j * angle) - want)
        off = (off / np.abs(want).max())[np.isfinite(off)].max()
        case.check(np.abs(near - want).max() < 1e-5 * np.abs(want).max(), "scipy has another response", text)
        case.check(off < 1e-9, "bode of %s by %s is off by %.1e" % (curve["output"], curve["input"], off), text)


def compare_margins(case, got, system, text):
    """A gain margin takes a pole of the closed loop to the unit circle; at a phase margin |G| is one."""
    inside = lambda i, j: np.abs(np.linalg.eigvals(closed(system, i, j, 1.0))).max(initial=0)
    for one in got["margins"]:
        i, j = got["outputs"].index(one["output"]), got["inputs"].index(one["input"])
        if one["closed_loop_stable"] is not None and one["modes_outside_die_out"] and abs(inside(i, j) - 1) > 1e-6:
            stable = inside(i, j) < 1
            outside = np.abs(np.linalg.eigvals(system.A)).max(initial=0) >= 1 - 1e-9   # of modes that the loop does not reach
            case.check(stable == one["closed_loop_stable"] or outside, "stability of the closed loop", text)
        for cross in one["phase_crossovers"]:
            poles = np.linalg.eigvals(closed(system, i, j, 10 ** (cross["gain_margin"] / 20)))
            off = np.abs(poles - np.exp(1j * cross["omega"] * system.dt)).min(initial=1)
            case.check(off < 1e-5, "gain margin: no pole at the circle, off by %.1e" % off, text)
        for cross in one["gain_crossovers"]:
            value = response(system, i, j, cross["omega"])
            turn = np.degrees(np.angle(-value))
            case.check(abs(abs(value) - 1) < 1e-6 and abs((turn - cross["phase_margin"] + 180) % 360 - 180) < 1e-4,
                       "phase margin at %g" % cross["omega"], text)


def closed(system, i, j, gain):
    """A of u_j = -gain y_i."""
    return system.A - np.outer(system.B[:, j], system.C[i]) * gain / (1 + gain * system.D[i, j])


def compare_steps(case, got, system, text):
    count = 4000
    for one in got["steps"]:
        i, j = got["outputs"].index(one["output"]), got["inputs"].index(one["input"])
        whole = StateSpace(system.A, system.B[:, [j]], system.C[[i]], system.D[[i]][:, [j]], dt=system.dt)
        times, y = np.arange(count) * system.dt, dstep(whole, n=count)[1][0][:, 0]
        if not one["settles"] or np.abs(np.linalg.eigvals(system.A)).max(initial=0) > 0.99 or abs(y[-1]) <= 1e-6 * np.abs(y).max():
            continue
        case.equal(float(one["final"]), y[-1], 1e-6 * np.abs(y).max(), "final value", text)
        ratio, tick = y / y[-1], lambda truth: times[np.argmax(truth)]
        late = np.nonzero(np.abs(ratio - 1) > 0.02)[0]
        near = lambda level: np.abs(ratio - level).min() > 1e-6        # not on the edge of another tick
        if near(0.1) and near(0.9):
            case.equal(float(one["rise_time"]), tick(ratio >= 0.9) - tick(ratio >= 0.1), 1e-9 * times[-1], "rise time", text)
        if near(0.98) and near(1.02):
            case.equal(float(one["settling_time"]), times[late[-1] + 1] if len(late) else 0.0, 1e-9 * times[-1], "settling time", text)
        case.equal(float(one["overshoot"]), max(0.0, ratio.max() - 1), 1e-5, "overshoot", text)


campaign = Campaign("sampled", 12)
for case in campaign:
    loop = Loop(case.dice)
    u = (float("%.3g" % case.dice.uniform(-1, 1)), float("%.3g" % case.dice.uniform(-1, 1)))
    text = loop.text(case.dice, u)
    got = compare(case, loop, case.program.call(text, "statespace", "--json", "--poles", "--margins", "--step-info"), text)
    if got and got["states"]:
        compare_bode(case, got, system_of(got), text)
        compare_margins(case, got, system_of(got), text)
        compare_steps(case, got, system_of(got), text)
    if got and not loop.plant.tied:
        compare_rows(case, loop, got, np.array(u), text)
    compare_hold(case)
campaign.close()
