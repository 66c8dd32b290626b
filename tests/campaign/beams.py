"""Natural frequencies of beams (Euler, Rayleigh, Timoshenko), bars and shafts with sections that are uniform or vary along
x, for all classical ends and with masses and springs at them, against transfer matrices that are integrated by themselves
(Gauss-Legendre steps of the field equations): by shapes to 1e-8, by cells with the second order."""
import math
import os
import sys

import numpy
from scipy.optimize import brentq

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign

ENDS = {"clamped": (0, 1), "pinned": (0, 2), "sliding": (1, 3), "free": (2, 3)}  # of w, psi, M, Q what vanishes


class Beam:
    """Sections as functions of x; stiffness against shear infinite and rotary inertia zero where the theory says so."""

    def __init__(self, dice, theory):
        self.theory, self.length = theory, dice.uniform(0.5, 3)
        self.E, self.rho = dice.uniform(5e10, 2.1e11), dice.uniform(2000, 8000)
        self.G, self.kappa = self.E / dice.uniform(2.4, 2.8), dice.uniform(0.7, 0.95)
        self.width, self.height = 10 ** dice.uniform(-2, -1), self.length * dice.uniform(0.02, 0.25)
        self.taper = dice.choice([(0, 0), (dice.uniform(-0.6, 0.8), 0), (dice.uniform(-0.5, 0.5), dice.uniform(-0.4, 0.4))])
        self.varies = self.taper != (0, 0)

    def height_at(self, x):
        s = x / self.length
        return self.height * (1 + self.taper[0] * s + self.taper[1] * s * s)

    def keys(self):
        h = "%r m*(1 + %r*(x/%r m) + %r*(x/%r m)^2)" % (self.height, self.taper[0], self.length, self.taper[1], self.length)
        if not self.varies:
            h = "%r m" % self.height
        text = "E = %r, rho = %r, A = %r m*(%s), Iz = %r m*(%s)^3/12, length = %r" % (
            self.E, self.rho, self.width, h, self.width, h, self.length)
        if self.theory == "timoshenko":
            text += ", G = %r, kappa = %r" % (self.G, self.kappa)
        return text + ", theory = %s" % self.theory

    def matrix(self, x, square):
        """y' = A y with y = (w, psi, M, Q)."""
        A = self.width * self.height_at(x)
        I = self.width * self.height_at(x) ** 3 / 12
        a = numpy.zeros((4, 4))
        a[0, 1], a[1, 2], a[2, 3], a[3, 0] = 1, 1 / (self.E * I), -1, -square * self.rho * A
        if self.theory != "euler":
            a[2, 1] = -square * self.rho * I
        if self.theory == "timoshenko":
            a[0, 3] = 1 / (self.kappa * self.G * A)
        return a

    def scales(self):
        I = self.width * self.height ** 3 / 12
        return numpy.array([1, 1 / self.length, self.E * I / self.length ** 2, self.E * I / self.length ** 3])


class Bar(Beam):
    """y = (u, P): a field of order 1 with a section that varies."""

    def keys(self):
        h = "(1 + %r*(x/%r m) + %r*(x/%r m)^2)" % (self.taper[0], self.length, self.taper[1], self.length)
        return "E = %r, rho = %r, A = %r m^2*%s, length = %r" % (self.E, self.rho, self.width * self.height, h, self.length)

    def matrix(self, x, square):
        A = self.width * self.height_at(x)
        return numpy.array([[0, 1 / (self.E * A)], [-square * self.rho * A, 0]])

    def scales(self):
        return numpy.array([1, self.E * self.width * self.height / self.length])


POINTS, WEIGHTS = numpy.polynomial.legendre.leggauss(6)


def collocation():
    """Coefficients of the implicit Gauss method of order 12."""
    nodes = (POINTS + 1) / 2
    a = numpy.zeros((6, 6))
    for j in range(6):
        poly = numpy.poly1d([1.0])
        for m in range(6):
            if m != j:
                poly *= numpy.poly1d([1, -nodes[m]]) / (nodes[j] - nodes[m])
        whole = poly.integ()
        a[:, j] = whole(nodes) - whole(0)
    return nodes, a, WEIGHTS / 2


NODES, TABLE, PARTS = collocation()


def transfer(beam, omega, steps=24):
    """From the begin to the end, in scaled variables."""
    d = beam.scales()
    n = len(d)
    out, h = numpy.eye(n), beam.length / steps
    for k in range(steps):
        local = [numpy.diag(1 / d) @ beam.matrix((k + c) * h, omega * omega) @ numpy.diag(d) for c in NODES]
        big = numpy.eye(6 * n)
        for i in range(6):
            for j in range(6):
                big[i * n:i * n + n, j * n:j * n + n] -= h * TABLE[i, j] * local[i]
        slopes = numpy.linalg.solve(big, numpy.vstack(local))
        out = out + h * sum(PARTS[j] * slopes[j * n:j * n + n] @ out for j in range(6))
    return out


def frequency_near(beam, guess, start, end, wide=1e-5):
    """The root next to a guess: start and end are matrices, columns that are allowed and rows that vanish."""
    def f(omega):
        return numpy.linalg.det(end(omega) @ transfer(beam, omega) @ start(omega))

    low, high = guess * (1 - wide), guess * (1 + wide)
    if f(low) * f(high) > 0:
        return None
    return brentq(f, low, high, xtol=1e-13 * guess, rtol=1e-14)


def held(beam, word):
    n = len(beam.scales())
    gone = ENDS[word] if n == 4 else {"fixed": (0,), "free": (1,)}[word]
    rest = [i for i in range(n) if i not in gone]
    return numpy.eye(n)[:, rest], numpy.eye(n)[list(gone)]


def of_ends(program, case):
    """Frequencies that the element itself gives, by `ends`."""
    dice = case.dice
    kind = dice.choice(["euler", "rayleigh", "timoshenko", "timoshenko", "bar"])
    beam = Bar(dice, kind) if kind == "bar" else Beam(dice, kind)
    if kind == "bar" and not beam.varies:
        beam.taper = (dice.uniform(0.1, 0.5), 0)
    words = ["fixed", "free"] if kind == "bar" else list(ENDS)
    left, right = dice.choice(words), dice.choice(words)
    text = "B : %s(a, b) %s, modes = 8, ends = %s_%s\nFa : mass(a) m = 1\nFb : mass(b) m = 1\n" % (
        "bar" if kind == "bar" else "beam", beam.keys(), left, right)
    text += "".join("output B.omega[%d] as w%d\n" % (k, k) for k in (1, 2, 3)) + "simulate stop = 1 s\n"
    said = program.run(text, [0.0])
    if not case.check(said.code == 0, said.why(), text):
        return
    start, end = held(beam, left)[0], held(beam, right)[1]
    for k in (1, 2, 3):
        got = said.rows()[0]["w%d" % k]
        want = frequency_near(beam, got, lambda w: start, lambda w: end)
        case.check(want is not None and abs(got - want) < 1e-8 * want,
                   "%s %s_%s: frequency %d is %r, not %r" % (kind, left, right, k, got, want), text)


def of_network(program, case):
    """Beams between masses and springs, whatever the tree makes of their ends."""
    dice = case.dice
    beam = Beam(dice, dice.choice(["euler", "rayleigh", "timoshenko"]))
    total = beam.rho * beam.width * beam.height * beam.length
    d = beam.scales()
    m, k, J, kr = total * dice.uniform(0.05, 1), d[3] * dice.uniform(0.5, 20), 0, 0
    text = "B : beam(a, b | ra, rb) %s, slopes = ports, modes = 16\n" % beam.keys()
    text += "K : spring(ground, a) k = %r\nM : mass(b) m = %r\n" % (k, m)
    if dice.random() < 0.5:
        J = total * beam.length ** 2 * dice.uniform(0.01, 0.2)
        text += "J : inertia(rb) J = %r\n" % J
    if dice.random() < 0.5:
        kr = d[3] * beam.length ** 2 * dice.uniform(0.5, 20)
        text += "R : torsion_spring(ground, ra) k = %r\n" % kr
    said = program.call(text + "output a.x, b.x\n", "statespace", "--numeric", "--poles", "--format", "json")
    if not case.check(said.code == 0, said.why(), text):
        return
    got = sorted(p["im"] for p in said.json()["poles"] if p["im"] > 1e-2 * math.sqrt(d[3] / total))

    def start(omega):  # Q = k w, M = kr psi at the begin
        return numpy.array([[1, 0], [0, 1], [0, kr * d[1] / d[2]], [k * d[0] / d[3], 0]])

    def end(omega):  # Q = m omega^2 w, M = J omega^2 psi at the end
        return numpy.array([[-m * omega ** 2 * d[0] / d[3], 0, 0, 1], [0, -J * omega ** 2 * d[1] / d[2], 1, 0]])

    for i, w in enumerate(got[:2]):
        want = frequency_near(beam, w, start, end, 2e-4)  # ends that are pushed: of third order in modes
        case.check(want is not None and abs(w - want) < 1e-4 * want,
                   "%s: frequency %d of the network is %r, not %r" % (beam.theory, i + 1, w, want), text)


def of_cells(program, case):
    """Twice as many cells have a quarter of the error; many of them keep it: what elimination loses grows with their number."""
    dice = case.dice
    beam = Beam(dice, dice.choice(["euler", "rayleigh", "timoshenko"]))
    total, d = beam.rho * beam.width * beam.height * beam.length, beam.scales()
    k, kr = d[3] * dice.uniform(0.5, 20), d[3] * beam.length ** 2 * dice.uniform(0.5, 20)
    ends = dice.choice(["ground, b | ground, rb", "ground, ground | ra, rb", "a, b | ra, rb", "a, b | ground, rb",
                        "ground, b | ra, rb"])
    text = "B : beam(%s) %s, slopes = ports, %%s\noutput B.F\n" % (ends, beam.keys())
    for terminal, element in (("a", "K : spring(ground, a) k = %r" % k), ("b", "M : mass(b) m = %r" % (total / 3)),
                              ("ra", "R : torsion_spring(ground, ra) k = %r" % kr)):
        if terminal in ends.replace("|", ",").replace(" ", "").split(",") and dice.random() < 0.7:
            text += element + "\n"
    found = []
    for how in ("modes = 30", "method = cells, cells = 16", "method = cells, cells = 32", "method = cells, cells = 100"):
        said = program.call(text % how, "statespace", "--numeric", "--poles", "--format", "json")
        if not case.check(said.code == 0, said.why(), text % how):
            return
        found.append(sorted(p["im"] for p in said.json()["poles"] if p["im"] > 1e-2 * math.sqrt(d[3] / total))[0])
    coarse, fine, many = (abs(w / found[0] - 1) for w in found[1:])
    case.check(coarse < 2e-2 and fine < max(0.4 * coarse, 3e-4) and many < max(0.4 * fine, 3e-4),
               "%s: cells are wrong by %.2e, %.2e and %.2e" % (beam.theory, coarse, fine, many), text)


def main():
    campaign = Campaign("beams", 10)
    for case in campaign:
        case.dice.choice([of_ends, of_ends, of_network, of_cells])(campaign.program, case)
    campaign.close()


main()
