"""Chains of inertias with clutches, brakes and one-way clutches that engage by and by, against a solver of its own.

What a clutch can carry is a polygon over time, zero for whole stretches: speeds may change their sign while nothing is carried,
and the next rise must find them; in half of the cases one changes its sign just before the limit falls to zero. The solver tries each combination of sticking and slipping of what has no speed, and takes the
one whose torques and accelerations fit; between events scipy integrates. All methods, four trees, exported C.
"""
import itertools
import os
import subprocess
import tempfile

import numpy
from scipy.integrate import solve_ivp

from campaign import Campaign

END, STILL = 3.0, 1e-9
METHODS = ["auto", "auto", "rk", "rosenbrock", "bdf", "adams", "c", "c"]


class Unclear(Exception):
    """No combination fits, or several with other accelerations."""


class Polygon:
    """Straight lines between points; after the last one it stays."""

    def __init__(self, dice, most):
        self.t, self.y = [0.0], [0.0 if dice.random() < 0.7 else 1.0]
        while self.t[-1] < END:
            self.t.append(round(self.t[-1] + dice.uniform(0.1, 1), 3))
            self.y.append(0.0 if dice.random() < 0.4 else round(dice.uniform(0.1, 1), 3))
        self.most = most

    def at(self, t):
        return self.most * float(numpy.interp(t, self.t, self.y))

    def fall(self, t):
        """Nothing is carried for a while from t on."""
        points = [(x, y) for x, y in zip(self.t, self.y) if x < t - 0.02] + [(t - 0.02, float(numpy.interp(t - 0.02, self.t, self.y)))]
        points += [(t, 0.0), (t + 0.3, 0.0)] + [(x, y) for x, y in zip(self.t, self.y) if x > t + 0.3]
        self.t, self.y = [x for x, _ in points], [y for _, y in points]

    def text(self):
        """Piece by piece."""
        out = ""
        for k in range(len(self.t) - 1):
            slope = (self.y[k + 1] - self.y[k]) / (self.t[k + 1] - self.t[k])
            own = repr(self.y[k]) if slope == 0 else "max(%r + %r*(t - %r), 0)" % (self.y[k], slope, self.t[k])
            out += "if t < %r then %s else " % (self.t[k + 1], own)
        return out + repr(self.y[-1])


class Chain:
    def __init__(self, dice):
        number = lambda low, high: round(dice.uniform(low, high), 3)
        self.n = dice.randint(1, 3)
        self.J = [number(0.1, 1) for _ in range(self.n)]
        self.w0 = [dice.choice([0.0, number(-5, 5)]) for _ in range(self.n)]
        self.T = [(number(-2, 2), number(0.5, 4), number(0, 6)) for _ in range(self.n)]
        self.d = [dice.choice([0.0, number(0.05, 0.5)]) for _ in range(self.n)]
        self.items, ends = [], set()
        for k in range(dice.randint(1, 3)):
            b = dice.randrange(self.n)
            a = dice.choice([-1] + [j for j in range(self.n) if j != b])
            if (a, b) not in ends and (b, a) not in ends:
                ends |= {(a, b)}
                one_way = dice.random() < 0.25
                self.items.append((a, b, None if one_way else Polygon(dice, number(0.3, 4))))
        self.D = numpy.zeros((len(self.items), self.n))
        for k, (a, b, _) in enumerate(self.items):
            self.D[k, b] = 1
            if a >= 0:
                self.D[k, a] = -1

    def text(self):
        lines, node = ["model chain"], lambda a: "n%d" % a if a >= 0 else "ground"
        for k in range(self.n):
            size, rate, phase = self.T[k]
            lines.append("I%d : inertia(n%d)  J = %r, w(0) = %r" % (k, k, self.J[k], self.w0[k]))
            lines.append("T%d : torque(ground, n%d)  T = %r*sin(%r*t + %r)" % (k, k, size, rate, phase))
            if self.d[k]:
                lines.append("D%d : torsion_damper(ground, n%d)  d = %r" % (k, k, self.d[k]))
        for k, (a, b, limit) in enumerate(self.items):
            own = "Tmax = %r, engaged = %s" % (limit.most, limit.text()) if limit else ""
            lines.append("K%d : %s(%s, %s)  %s" % (k, "clutch" if limit else "one_way_clutch", node(a), node(b), own))
        return "\n".join(lines + ["output " + ", ".join("n%d.w" % k for k in range(self.n)), "simulate stop = %r, points = 30" % END, ""])

    def outer(self, t, w):
        return numpy.array([a * numpy.sin(r * t + p) for a, r, p in self.T]) - numpy.array(self.d) * w

    def rate(self, t, w, way):
        """Accelerations and the torque of each item on its head. way: 0 sticks, 1 ahead, -1 behind."""
        torque = numpy.array([0.0 if limit is None else -way[k] * limit.at(t) for k, (_, _, limit) in enumerate(self.items)])
        held = [k for k in range(len(way)) if way[k] == 0]
        M, D = numpy.diag(1 / numpy.array(self.J)), self.D
        f = self.outer(t, w)
        if held:
            H = D[held]
            torque[held] = numpy.linalg.lstsq(H @ M @ H.T, -H @ M @ (f + D.T @ torque), rcond=None)[0]
        return M @ (f + D.T @ torque), torque

    def choose(self, t, w):
        """Ways just after t."""
        speed, later, found = self.D @ w, t + 1e-7, []
        choice = [[0, 1] if limit is None else [0, 1, -1] for _, _, limit in self.items]
        still = [abs(s) <= STILL for s in speed]
        free = [limit is not None and limit.at(later) == 0 for _, _, limit in self.items]
        fixed = [1 if speed[k] > 0 else -1 for k in range(len(still))]
        for way in itertools.product(*[[1] if free[k] else choice[k] if still[k] else [fixed[k]] for k in range(len(still))]):
            a, torque = self.rate(later, w, way)
            gain, good = self.D @ a, True
            for k, (_, _, limit) in enumerate(self.items):
                if free[k] or not still[k]:
                    continue
                if way[k] == 0:
                    good &= torque[k] >= -1e-9 if limit is None else abs(torque[k]) <= limit.at(later) + 1e-9
                else:
                    good &= way[k] * gain[k] > 1e-7
            if good:
                found.append((way, a))
        if not found or any(abs(found[0][1] - a).max() > 1e-6 for _, a in found):
            raise Unclear
        return found[0][0], free

    def hit(self, w):
        """One-way clutches that are behind, at a start or where others let go: left out."""
        for k, (_, _, limit) in enumerate(self.items):
            if limit is None and self.D[k] @ w < -STILL:
                raise Unclear

    def solve(self, times):
        t, w, rows, self.turns = 0.0, numpy.array(self.w0), {}, []
        cuts = sorted({c for _, _, limit in self.items if limit for c in limit.t if 0 < c < END} | {END})
        for _ in range(400):
            self.hit(w)
            way, free = self.choose(t, w)
            stop = next(c for c in cuts if c > t + 1e-12)
            tests, turning = [], {}
            for k, (_, _, limit) in enumerate(self.items):
                if free[k]:
                    continue
                if way[k]:
                    turning[len(tests)] = k
                    tests.append(lambda t, w, k=k: way[k] * (self.D[k] @ w) + STILL / 2)
                elif limit is None:
                    tests.append(lambda t, w, k=k: self.rate(t, w, way)[1][k] + 1e-11)
                else:
                    tests.append(lambda t, w, k=k: limit_of(self, k).at(t) - abs(self.rate(t, w, way)[1][k]) + 1e-11)
            for g in tests:
                g.terminal, g.direction = True, -1
            said = solve_ivp(lambda t, w: self.rate(t, w, way)[0], (t, stop), w, method="DOP853", rtol=1e-11, atol=1e-12,
                             events=tests, dense_output=True, max_step=0.02)
            last = said.t[-1]
            self.turns += [(last, k) for i, k in turning.items() if len(said.t_events[i]) and limit_of(self, k)]
            for x in times:
                if t <= x <= last:
                    rows[x] = said.sol(x)
            t, w = last, said.y[:, -1].copy()
            speed = self.D @ w
            near = [k for k in range(len(speed)) if abs(speed[k]) < 1e-7 and not free[k]]
            if near:  # exactly at rest
                w = w - numpy.linalg.pinv(self.D[near]) @ speed[near]
            if t >= END - 1e-12:
                return [rows[x] for x in times]
        raise Unclear


def limit_of(chain, k):
    return chain.items[k][2]


def let_fall(chain, dice, times):
    """The limit of a clutch falls to zero just behind a change of its sign."""
    behind = 10 ** dice.uniform(-3.5, -2)
    chain.solve(times)
    turns = [turn for turn in chain.turns if turn[0] > 0.06]
    if not turns:
        return
    t, k = dice.choice(turns)
    for _ in range(3):
        limit_of(chain, k).fall(round(t + behind, 9))
        chain.solve(times)
        near = [x for x, j in chain.turns if j == k and abs(x - t) < 0.05]
        if not near:
            return
        t = near[0]


def by_c(case, text, count):
    """Rows of the exported program with so many steps each, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        made = case.program.call(text, "export", "--to", "c", "-o", os.path.join(folder, "model.c"))
        if made.code:
            return None, made.why()
        cc = subprocess.run(["cc", "-std=c99", "-Dchain_MAIN", "model.c", "-lm", "-o", "model"], cwd=folder, capture_output=True, text=True)
        if cc.returncode:
            return None, cc.stderr
        said = subprocess.run(["./model", repr(END), "30", str(count)], cwd=folder, capture_output=True, text=True, timeout=600)
        rows = [[float(v) for v in line.split(",")[1:]] for line in said.stdout.splitlines()[1:]]
        return (rows, "") if len(rows) == 31 and not said.returncode else (None, said.stderr)


def compare(case):
    chain = Chain(case.dice)
    times = [END * k / 30 for k in range(31)]
    if not chain.items:
        return
    try:
        if case.dice.random() < 0.5:
            let_fall(chain, case.dice, times)
        text = chain.text()
        right = chain.solve(times)
    except Unclear:
        return
    method = case.dice.choice(METHODS)
    if method == "c":
        rows, why = by_c(case, text, 40)
    else:
        wish = [] if case.dice.random() < 0.5 else ["--tree", case.dice.choice(["I0", "K0"])]
        said = case.program.run(text, None, "--tol", "1e-9", "--method", method, *wish)
        rows, why = said.rows(), said.why()
        rows = [[row["n%d.w" % k] for k in range(chain.n)] for row in rows] if rows else None
    if not case.check(rows is not None and len(rows) == 31, "%s: %s" % (method, why), text):
        return
    off = max(abs(a - b) for row, want in zip(rows, right) for a, b in zip(row, want))
    case.check(off <= 2e-6, "%s: off by %.2g" % (method, off), text)


def main():
    campaign = Campaign("clutches", 20)
    for case in campaign:
        compare(case)
    campaign.close()


if __name__ == "__main__":
    main()
