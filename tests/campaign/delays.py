"""Random delay equations: integrators with several delayed readings, forces that jump, nonlinear terms.

scipy integrates from one multiple of the smallest time to the next (the method of steps), so that no step of it passes a
place where the past jumps or bends.
"""
import math

import numpy as np
from scipy.integrate import solve_ivp

from campaign import Campaign

METHODS = ("auto", "auto", "rk", "rosenbrock", "bdf")


class Equations:
    def __init__(self, dice):
        number = lambda a, b: float("%.3g" % dice.uniform(a, b))
        self.n, self.unit = dice.randint(1, 3), number(0.1, 0.4)
        self.delay = [self.unit * dice.choice([1, 2, 3]) for _ in range(dice.randint(1, 2))]
        self.a = [[number(-2, 1) for _ in range(self.n)] for _ in range(self.n)]
        self.b = [[[number(-1.5, 1.5) if dice.random() < 0.6 else 0.0 for _ in self.delay] for _ in range(self.n)] for _ in range(self.n)]
        self.bends = dice.random() < 0.4                # sin of a delayed value
        self.w, self.c = number(1, 9), number(-1, 1)
        self.jump = self.unit * dice.randint(1, 4) if dice.random() < 0.5 else None
        self.x0, self.y0 = [number(-1, 1) for _ in range(self.n)], [number(-1, 1) for _ in range(self.n)]
        self.stop = self.unit * dice.randint(6, 14)
        self.fast = number(200, 2000) if dice.random() < 0.25 else 0.0   # a stiff one

    def text(self):
        lines = ["model delays"]
        for i in range(self.n):
            terms = ["(%r)*X%d.y" % (self.a[i][j] - (self.fast if i == j == 0 else 0), j) for j in range(self.n)]
            for j in range(self.n):
                for k in range(len(self.delay)):
                    if self.b[i][j][k]:
                        read = "D%d_%d.y" % (j, k)
                        terms.append("(%r)*%s" % (self.b[i][j][k], "sin(%s)" % read if self.bends else read))
            if i == 0:
                terms.append("(%r)*cos(%r*t)" % (self.c * (1 + self.fast), self.w))
                if self.jump:
                    terms.append("step(t - %r)" % self.jump)
            lines.append("X%d : integrator(%s)  y(0) = %r" % (i, " + ".join(terms), self.x0[i]))
            for k, t in enumerate(self.delay):
                lines.append("D%d_%d : delay(X%d.y)  T = %r, y0 = %r" % (i, k, i, t, self.y0[i]))
        return "\n".join(lines + ["output " + ", ".join("X%d.y as x%d" % (i, i) for i in range(self.n)), "simulate stop = %r" % self.stop])

    def solve(self, times):
        pieces = []

        def past(t, at):
            """at: a time strictly inside of the piece that is integrated now, so that ends are on its side."""
            k = round(math.floor(at / self.unit))
            return np.array(self.y0) if k < 0 else pieces[k](t)

        x, out = np.array(self.x0), {}
        for piece in range(int(round(self.stop / self.unit))):
            middle = (piece + 0.5) * self.unit

            def rates(t, x):
                f = np.array(self.a) @ x
                f[0] -= self.fast * x[0]
                for k, d in enumerate(self.delay):
                    p = past(t - d, middle - d)
                    f += np.array([[self.b[i][j][k] for j in range(self.n)] for i in range(self.n)]) @ (np.sin(p) if self.bends else p)
                f[0] += self.c * (1 + self.fast) * math.cos(self.w * t)
                f[0] += 1 if self.jump and middle > self.jump else 0
                return f

            s = solve_ivp(rates, (piece * self.unit, (piece + 1) * self.unit), x, method="Radau" if self.fast else "DOP853",
                          rtol=1e-10 if self.fast else 1e-12, atol=1e-12 if self.fast else 1e-13, dense_output=True)
            pieces.append(s.sol)
            for t in times:
                if piece * self.unit <= t < (piece + 1) * self.unit:
                    out[t] = s.sol(t)
            x = s.y[:, -1]
        return out


class Rubbing:
    """A mass with dry friction, pulled by a spring whose end follows what the place was: modes beside a delay."""

    def __init__(self, dice):
        number = lambda a, b: float("%.3g" % dice.uniform(a, b))
        self.k, self.aim, self.delay, self.fc = number(1, 6), number(0.5, 2), number(0.1, 0.4), number(0.2, 1)
        self.w, self.b, self.stop, self.n, self.fast = number(1, 6), number(0, 1.5), 5.0, 2, 0.0

    def text(self):
        return "\n".join(["M : mass(x)  m = 1", "F : friction(ground, x)  Fc = %r" % self.fc, "D : delay(M.x)  T = %r" % self.delay,
                          "P : force(ground, x)  F = %r*(%r - D.y) + %r*sin(%r*t)" % (self.k, self.aim, self.b, self.w),
                          "output M.x as x0, M.v as x1", "simulate stop = %r" % self.stop])

    def solve(self, times):
        pieces, t, x, out = [], 0.0, [0.0, 0.0], {}                 # pieces: (from, to, curve)
        past = lambda t: next((c(t)[0] for a, b, c in pieces if a <= t <= b), 0.0)
        pull = lambda t: self.k * (self.aim - past(t - self.delay)) + self.b * math.sin(self.w * t)
        while t < self.stop:
            end = min(t + self.delay / 2, self.stop)
            way = math.copysign(1, x[1] or pull(t + 1e-12))
            if x[1] == 0 and abs(pull(t + 1e-12)) <= self.fc:       # it sticks until the pull is too much
                free = lambda s, z: abs(pull(s)) - self.fc
                rates = lambda s, z: [0.0, 0.0]
            else:
                free = lambda s, z: z[1] * way + (1e-9 if s == t else 0)
                rates = lambda s, z: [z[1], pull(s) - self.fc * way]
            free.terminal = True
            free.direction = 1 if x[1] == 0 and abs(pull(t + 1e-12)) <= self.fc else -1
            s = solve_ivp(rates, (t, end), x, method="DOP853", rtol=1e-11, atol=1e-12, events=free, dense_output=True, max_step=self.delay / 8)
            pieces.append((t, s.t[-1], s.sol))
            out.update((at, s.sol(at)) for at in times if t <= at <= s.t[-1])
            stopped = s.status == 1 and free.direction == -1
            t, x = s.t[-1], [s.y[0, -1], 0.0 if stopped else s.y[1, -1]]
        return out


campaign = Campaign("delays", 10)
for case in campaign:
    e = Rubbing(case.dice) if case.dice.random() < 0.2 else Equations(case.dice)
    times = sorted({float("%.6g" % (e.stop * case.dice.random())) for _ in range(4)})
    method = case.dice.choice(METHODS if not e.fast else ("auto", "rosenbrock", "bdf"))
    text = e.text()
    said = case.program.run(text, times, "--tol", "1e-9", "--method", method)
    rows = said.rows()
    if not case.check(rows is not None and len(rows) == len(times), "%s: %s" % (method, said.why()), text):
        continue
    want = e.solve(times)
    size = max(1.0, max(np.abs(v).max() for v in want.values()))
    near = 2e-6 if e.fast or method == "bdf" else 1e-7
    for t, row in zip(times, rows):
        for i in range(e.n):
            case.equal(row["x%d" % i], float(want[t][i]), near * size, "%s: x%d(%r)" % (method, i, t), text)
campaign.close()
