"""Random transducers given by their energy or co-energy, and machines of the library: motion against an integrator of
its own, and the balance of power, stored energy and losses along the run.

A case has one or two windings (or plates) on a shaft with inertia. The stored energy is L_jk(theta) i_j i_k/2 plus the
flux of a magnet; numpy integrates Lagrange's equations of the same function.
"""
import math

import numpy as np
from scipy.integrate import solve_ivp

from campaign import Campaign

TIMES = [0.0, 0.02, 0.05]


class Coils:
    """Windings on a shaft: inductances a + b cos(n theta + p), fluxes of a magnet c sin(m theta)."""

    def __init__(self, dice):
        u = lambda a, b: round(dice.uniform(a, b), 4)
        self.k = dice.choice([1, 2])
        self.a, self.b = [u(0.02, 0.05) for _ in range(self.k)], [u(0.0, 0.015) for _ in range(self.k)]
        self.n, self.p = dice.choice([1, 2, 4]), [u(-1, 1) for _ in range(self.k)]
        self.m12 = u(-0.004, 0.004) if self.k == 2 else 0.0
        self.c, self.q = [u(-0.1, 0.1) for _ in range(self.k)], dice.choice([1, 3])
        self.r, self.v = [u(0.5, 3) for _ in range(self.k)], [u(-6, 6) for _ in range(self.k)]
        self.j, self.d, self.theta = u(1e-3, 5e-3), u(1e-3, 1e-2), u(-1, 1)
        self.w = u(20, 90)

    def inductance(self, th, order=0):
        f = [math.cos, lambda x: -self.n * math.sin(x)][order]
        l = np.diag([(0 if order else self.a[i]) + self.b[i] * f(self.n * th + self.p[i]) for i in range(self.k)])
        if self.k == 2:
            l[0, 1] = l[1, 0] = self.m12 * [math.cos(self.n * th), -self.n * math.sin(self.n * th)][order]
        return l

    def flux(self, th, order=0):
        f = [math.sin(self.q * th), self.q * math.cos(self.q * th)][order]
        return np.array(self.c) * f

    def rates(self, t, x):
        k, i, th, w = self.k, x[:self.k], x[self.k], x[self.k + 1]
        v = np.array(self.v) * np.cos(self.w * t)
        dl, dp = self.inductance(th, 1), self.flux(th, 1)
        di = np.linalg.solve(self.inductance(th), v - np.array(self.r) * i - (dl @ i + dp) * w)
        torque = i @ dl @ i / 2 + dp @ i
        return np.concatenate([di, [w, (torque - self.d * w) / self.j]])

    def solve(self):
        start = np.zeros(self.k + 2)
        start[self.k] = self.theta
        s = solve_ivp(self.rates, (0, TIMES[-1]), start, t_eval=TIMES, method="DOP853", rtol=1e-11, atol=1e-13)
        return s.y.T

    def stored(self, x):
        i, th = x[:self.k], x[self.k]
        return float(i @ self.inductance(th) @ i / 2)

    def text(self, way):
        e = ["e1", "e2"][:self.k]
        l = ["(%r + %r*cos(%d*m.theta + %r))" % (self.a[i], self.b[i], self.n, self.p[i]) for i in range(self.k)]
        psi = ["%r*sin(%d*m.theta)" % (self.c[i], self.q) for i in range(self.k)]
        m12 = "%r*cos(%d*m.theta)" % (self.m12, self.n)
        lines = ["element coils \"windings on a shaft\""]
        lines += ["  port p%d, n%d : electrical" % (i + 1, i + 1) for i in range(self.k)]
        lines += ["  port shaft : rotational(a, b)", "  edge %s, m(a, b)" % ", ".join("e%d(p%d, n%d)" % (i + 1, i + 1, i + 1) for i in range(self.k))]
        if way == "hand":
            flux = ["%s*%s.i" % (l[i], e[i]) + (" + %s*%s.i" % (m12, e[1 - i]) if self.k == 2 else "") + " + " + psi[i]
                    for i in range(self.k)]
            lines += ["  signal f%d = %s" % (i + 1, flux[i]) for i in range(self.k)]
            lines += ["  e%d.v = %r*e%d.i + der(f%d)" % (i + 1, self.r[i], i + 1, i + 1) for i in range(self.k)]
            torque = " + ".join("diff(f%d, m.theta)*e%d.i" % (i + 1, i + 1) for i in range(self.k))
            magnet = " + ".join("%r*%d*cos(%d*m.theta)*e%d.i" % (self.c[i], self.q, self.q, i + 1) for i in range(self.k))
            lines += ["  m.T = -1/2*(%s) - 1/2*(%s)" % (torque, magnet)]
        elif way == "energy":
            assert self.k == 1
            lines += ["  energy (e1.flux - %s)^2/(2*%s)" % (psi[0], l[0])]
        else:
            lines += ["  coenergy 1/2*%s*%s.i^2 + %s*%s.i" % (l[i], e[i], psi[i], e[i]) for i in range(self.k)]
            lines += ["  coenergy %s*e1.i*e2.i" % m12] if self.k == 2 else []
            lines += ["  loss 1/2*%r*%s.i^2" % (self.r[i], e[i]) for i in range(self.k)]
        lines += ["end"]
        for i in range(self.k):
            lines += ["V%d : vsource(s%d, ground)  v = %r*cos(%r*t)" % (i + 1, i + 1, self.v[i], self.w)]
            if way == "energy":
                lines += ["R%d : resistor(s%d, a%d)  R = %r" % (i + 1, i + 1, i + 1, self.r[i])]
        first = ["a1, ground"] if way == "energy" else ["s%d, ground" % (i + 1) for i in range(self.k)]
        start = ", e1.flux(0) = %r" % self.flux(self.theta)[0] if way == "energy" else ""
        lines += ["M : coils(%s | ground, r)%s" % (" | ".join(first), "  " + start[2:] if start else ""),
                  "J : inertia(r)  J = %r, theta(0) = %r" % (self.j, self.theta), "D : torsion_damper(ground, r)  d = %r" % self.d]
        power = " + ".join("M.e%d.v*M.e%d.i" % (i + 1, i + 1) for i in range(self.k)) + " + M.m.w*M.m.T"
        heat = " + ".join("%r*M.e%d.i^2" % (self.r[i], i + 1) for i in range(self.k))
        lines += ["output %s, r.theta as th, r.w as w" % ", ".join("M.e%d.i as i%d" % (i + 1, i + 1) for i in range(self.k)),
                  "output integral(%s) as power, integral(%s) as heat" % (power, "0*M.e1.i" if way == "energy" else heat)]
        return "\n".join(lines) + "\n"


def check_coils(case):
    coils = Coils(case.dice)
    want = coils.solve()
    ways = ["coenergy", "hand"] + (["energy"] if coils.k == 1 else [])
    for way in ways:
        text = coils.text(way)
        answer = case.program.run(text, TIMES, "--tol", "1e-12")
        rows = answer.rows()
        if not case.check(rows is not None and len(rows) == len(TIMES), "%s: %s" % (way, answer.why()), text):
            continue
        for row, x in zip(rows, want):
            for name, value in zip(["i1", "i2"][:coils.k] + ["th", "w"], x):
                case.equal(row[name], float(value), 1e-6 * (1 + abs(value)), "%s: %s at %g" % (way, name, row["time"]), text)
            got = np.array([row["i%d" % (i + 1)] for i in range(coils.k)] + [row["th"], row["w"]])
            case.equal(row["power"] - row["heat"], coils.stored(got), 1e-10, "%s: balance at %g" % (way, row["time"]), text)


INDUCTION = """param Ls = %(Ls)r, Ms = %(Ms)r, Lr = %(Lr)r, Mr = %(Mr)r, Msr = %(Msr)r, Rs = %(Rs)r, Rr = %(Rr)r, pp = %(pp)d, Lx = %(Lx)r
repeat k = 0..2 { V{k} : vsource(s{k}, ground)  v = 60*cos(300*t - 2*pi*k/3) }
M : induction_machine(s0, s1, s2%(star)s | ground, r)  %(delta)s pp = pp, Ls = Ls, Ms = Ms, Lr = Lr, Mr = Mr, Msr = Msr, Rs = Rs, Rr = Rr, Lx = Lx
J : inertia(r)  J = 0.005, theta(0) = 0.3
output integral(M.ea.v*M.ea.i + M.eb.v*M.eb.i + M.ec.v*M.ec.i + M.m.w*M.m.T) as power
output integral(Rs*(M.ea.i^2 + M.eb.i^2 + M.ec.i^2) + Rr*(M.ir1^2 + M.ir2^2 + (M.ir1 + M.ir2)^2)) as heat
output M.ea.i as a, M.eb.i as b, M.ec.i as c, M.ir1 as x, M.ir2 as y, r.theta as th
"""


def check_induction(case):
    """The stored energy of six windings, written out."""
    u = lambda a, b: round(case.dice.uniform(a, b), 4)
    star = case.dice.random() < 0.5
    p = dict(Ls=u(0.2, 0.3), Ms=u(-0.09, 0), Lr=u(0.2, 0.3), Mr=u(-0.09, 0), Msr=u(0.05, 0.15), Rs=u(1, 8), Rr=u(1, 8),
             pp=case.dice.choice([1, 2, 3]), Lx=u(-0.01, 0.01), star=", n" if star else "", delta="" if star else "connection = delta,")
    text = INDUCTION % p
    answer = case.program.run(text, TIMES, "--tol", "1e-12")
    rows = answer.rows()
    if not case.check(rows is not None, answer.why(), text):
        return
    for row in rows:
        s, r = np.array([row["a"], row["b"], row["c"]]), np.array([row["x"], row["y"], -row["x"] - row["y"]])
        matrix = lambda l, m: (l - m) * np.eye(3) + m * np.ones((3, 3))
        th = p["pp"] * row["th"]
        mutual = p["Msr"] * np.array([[math.cos(th + 2 * math.pi / 3 * ((k - j) % 3)) for k in range(3)] for j in range(3)])
        axis = [2 / 3 * sum(s[k] * f(th - 2 * math.pi * k / 3) for k in range(3)) for f in (math.cos, lambda x: -math.sin(x))]
        stored = s @ matrix(p["Ls"], p["Ms"]) @ s / 2 + r @ matrix(p["Lr"], p["Mr"]) @ r / 2 + s @ mutual @ r
        stored += 0.75 * p["Lx"] * (axis[0] ** 2 - axis[1] ** 2)
        case.equal(row["power"] - row["heat"], float(stored), 1e-10 * (1 + abs(row["power"])), "balance of an induction machine at %g" % row["time"], text)


campaign = Campaign("energy", 40)
for case in campaign:
    if case.number % 4 == 3:
        check_induction(case)
    else:
        check_coils(case)
campaign.close()
