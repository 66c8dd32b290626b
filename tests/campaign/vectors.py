"""Vector nodes: masses, springs, dampers, capacitors and resistors with random matrices, n-by-m transformers and gyrators,
constant or moved by coordinates, against the equations of motion written down with matrices and solved by scipy."""
import os
import sys

import numpy
from scipy.integrate import solve_ivp

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign


def positive(dice, n):
    a = numpy.array([[dice.uniform(-1, 1) for _ in range(n)] for _ in range(n)])
    return a @ a.T + numpy.eye(n) * dice.uniform(0.3, 1)


def some(dice, n, m):
    return numpy.array([[dice.uniform(-1, 1) for _ in range(m)] for _ in range(n)])


def text_of(a):
    return "[%s]" % "; ".join(", ".join(repr(float(x)) for x in row) for row in numpy.atleast_2d(a))


def row_of(v):
    return "[%s]" % ", ".join(repr(float(x)) for x in v)


class Moved:
    """N(theta): entries that move with sines of coordinates, or none."""

    def __init__(self, dice, n, m, moves):
        self.fixed, self.moving = some(dice, n, m), some(dice, n, m) * (0.4 if moves else 0)
        self.which = [[dice.randrange(m) for _ in range(m)] for _ in range(n)]

    def at(self, theta):
        return self.fixed + self.moving * numpy.sin(theta[numpy.array(self.which)])

    def rate(self, theta, speed):
        which = numpy.array(self.which)
        return self.moving * numpy.cos(theta[which]) * speed[which]

    def text(self):
        def entry(i, k):
            plain = repr(float(self.fixed[i, k]))
            if not self.moving.any():
                return plain + " m"
            return "%s m + %r m*sin(J.theta[%d])" % (plain, float(self.moving[i, k]), self.which[i][k] + 1)

        n, m = self.fixed.shape
        return "[%s]" % "; ".join(", ".join(entry(i, k) for k in range(m)) for i in range(n))


def transformers(dice):
    """q' = N(theta) theta': masses on both sides."""
    n, m = dice.randint(2, 4), dice.randint(2, 3)
    M, D, K = positive(dice, n), positive(dice, n), positive(dice, n)
    J, Dr, Kr = positive(dice, m), positive(dice, m), positive(dice, m)
    N = Moved(dice, n, m, dice.random() < 0.6)
    F, w0 = some(dice, 1, n)[0], some(dice, 1, m)[0]
    text = "node q : translational[%d]\nnode w : rotational[%d]\n" % (n, m)
    text += "J : inertia(w) J = %s, w(0) = %s\nE : torsion_damper(ground, w) d = %s\n" % (text_of(J), row_of(w0), text_of(Dr))
    text += "R : torsion_spring(ground, w) k = %s\nM : mass(q) m = %s\n" % (text_of(Kr), text_of(M))
    text += "D : damper(ground, q) d = %s\nK : spring(ground, q) k = %s\n" % (text_of(D), text_of(K))
    text += "T : transformer(ground, q | ground, w) n = %s\nF : force(ground, q) F = %s\n" % (N.text(), row_of(F))
    text += "output " + ", ".join("J.w[%d] as w%d" % (i + 1, i) for i in range(m))
    text += ", " + ", ".join("q.x[%d] as x%d" % (i + 1, i) for i in range(n)) + "\n"

    def slope(t, y):
        theta, w, q = y[:m], y[m:2 * m], y[2 * m:]
        a, b = N.at(theta), N.rate(theta, w)
        force = a.T @ (F - D @ a @ w - K @ q - M @ b @ w) - Dr @ w - Kr @ theta
        return numpy.concatenate([w, numpy.linalg.solve(J + a.T @ M @ a, force), a @ w])

    start = numpy.concatenate([numpy.zeros(m), w0, numpy.zeros(n)])
    return text, slope, start, ["w%d" % i for i in range(m)] + ["x%d" % i for i in range(n)], range(m, 2 * m + n)


def square_gyrators(dice):
    """v = r F and s = -r^T i between capacitors and masses."""
    n = dice.randint(2, 3)
    C, G, M, D = (positive(dice, n) for _ in range(4))
    r, v0, u = some(dice, n, n) + 2 * numpy.eye(n), some(dice, 1, n)[0], some(dice, 1, n)[0]
    text = "node a : electrical[%d]\nnode q : translational[%d]\n" % (n, n)
    text += "C : capacitor(a, ground) C = %s, v(0) = %s\nG : conductor(a, ground) G = %s\n" % (text_of(C), row_of(v0), text_of(G))
    text += "M : mass(q) m = %s\nD : damper(ground, q) d = %s\nF : force(ground, q) F = %s\n" % (text_of(M), text_of(D), row_of(u))
    text += "Y : gyrator(a, ground | ground, q) r = %s\noutput C.v, M.v\n" % text_of(r)
    back = numpy.linalg.inv(r)

    def slope(t, y):
        v, s = y[:n], y[n:]
        return numpy.concatenate([numpy.linalg.solve(C, back.T @ s - G @ v), numpy.linalg.solve(M, u - D @ s - back @ v)])

    names = ["C.v[%d]" % (i + 1) for i in range(n)] + ["M.v[%d]" % (i + 1) for i in range(n)]
    return text, slope, numpy.concatenate([v0, numpy.zeros(n)]), names, range(2 * n)


def gyrators(dice):
    """v = r F and s = -r^T i, of n by m, between inductors and springs."""
    n, m = dice.randint(2, 3), dice.randint(2, 4)
    L, G, k, r = positive(dice, n), positive(dice, n), positive(dice, m), some(dice, n, m)
    i0, u = some(dice, 1, n)[0], some(dice, 1, m)[0]
    text = "node a : electrical[%d]\nnode q : translational[%d]\n" % (n, m)
    text += "L : inductor(a, ground) L = %s, i(0) = %s\nG : conductor(a, ground) G = %s\n" % (text_of(L), row_of(i0), text_of(G))
    text += "K : spring(ground, q) k = %s\nF : force(ground, q) F = %s\n" % (text_of(k), row_of(u))
    text += "Y : gyrator(a, ground | ground, q) r = %s\noutput L.i, K.x\n" % text_of(r)

    def slope(t, y):
        i, x = y[:n], y[n:]
        v = r @ (u - k @ x)
        return numpy.concatenate([numpy.linalg.solve(L, v), r.T @ (i + G @ v)])

    names = ["L.i[%d]" % (j + 1) for j in range(n)] + ["K.x[%d]" % (j + 1) for j in range(m)]
    return text, slope, numpy.concatenate([i0, numpy.zeros(m)]), names, range(n + m)


def check(program, case):
    make = case.dice.choice([transformers, transformers, square_gyrators, gyrators])
    text, slope, start, names, places = make(case.dice)
    stop = 2.0
    said = program.run(text, [stop], "--tol", "1e-9")
    if not case.check(said.code == 0, said.why(), text):
        return
    right = solve_ivp(slope, (0, stop), start, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    got = said.rows()[-1]
    for name, place in zip(names, places):
        case.check(abs(got[name] - right[place]) < 1e-6 * (1 + abs(right[place])),
                   "%s is %r, not %r" % (name, got[name], right[place]), text)


def main():
    campaign = Campaign("vectors", 15)
    for case in campaign:
        check(campaign.program, case)
    campaign.close()


main()
