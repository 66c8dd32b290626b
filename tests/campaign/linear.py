"""Linear models in numbers: transfer functions and zeros of random networks against exact polynomials over fractions,
matrices that move with time against closed forms, those of chains of rods against Lagrange's equations, differentiated
along the imaginary axis.

Networks have modes that no input reaches or no output shows: capacitors in series and parallel, islands, symmetric
bridges, branches that the output does not see.
"""
import math
import os
import sys
from fractions import Fraction as F

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign

# ---- polynomials over fractions, by rising powers


def trim(p):
    while p and p[-1] == 0:
        p.pop()
    return p


def divmod_poly(a, b):
    a, q = list(a), [F(0)] * max(len(a) - len(b) + 1, 0)
    while len(a) >= len(b):
        k, factor = len(a) - len(b), a[-1] / b[-1]
        q[k] = factor
        for i, c in enumerate(b):
            a[i + k] -= factor * c
        a.pop()
        trim(a)
    return q, a


def gcd(a, b):
    while b:
        a, b = b, divmod_poly(a, b)[1]
    return [c / a[-1] for c in a]


def interpolate(points, values):
    """Newton's divided differences."""
    d = list(values)
    for k in range(1, len(d)):
        for i in range(len(d) - 1, k - 1, -1):
            d[i] = (d[i] - d[i - 1]) / (points[i] - points[i - k])
    p = []
    for x, c in zip(reversed(points), reversed(d)):
        p = [F(0)] + p
        for i in range(len(p) - 1):
            p[i] -= x * p[i + 1]
        p[0] += c
    return trim(p)


def determinant(m):
    """By elimination without fractions [Bareiss]."""
    m, sign, before = [list(r) for r in m], 1, F(1)
    n = len(m)
    for k in range(n):
        pivot = next((i for i in range(k, n) if m[i][k] != 0), None)
        if pivot is None:
            return F(0)
        if pivot != k:
            m[k], m[pivot], sign = m[pivot], m[k], -sign
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / before
        before = m[k][k]
    return sign * before


# ---- networks: (letter, name, node, node, value), node 0 is the ground


def tableau(net, nodes, s, output):
    """Rows over potentials and currents, then the right side for u = 1."""
    branch = {b[1]: k for k, b in enumerate(net)}
    size = nodes - 1 + len(net)
    a = [[F(0)] * size for _ in range(size)]
    b = [F(0)] * size
    for k, (letter, _, p, n, value) in enumerate(net):
        current = nodes - 1 + k
        for node, sign in ((p, 1), (n, -1)):
            if node:
                a[node - 1][current] += sign
        row = a[current]
        across, through = {"R": (1, -value), "L": (1, -s * value), "C": (s * value, -1), "V": (1, 0), "I": (0, 1)}[letter]
        for node, sign in ((p, 1), (n, -1)):
            if node:
                row[node - 1] += sign * across
        row[current] += through
        b[current] = F(letter in "VI")
    kind, name = output
    k = branch[name]
    c = [F(0)] * size
    if kind == "i":
        c[nodes - 1 + k] = F(1)
    else:
        for node, sign in ((net[k][2], 1), (net[k][3], -1)):
            if node:
                c[node - 1] += sign
    return a, b, c


def transfer(net, nodes, output):
    """Numerator and denominator without common factors; None: the network has no unique solution."""
    most = sum(b[0] in "LC" for b in net) + 1
    points = [F(k) for k in range(-(most // 2) - 1, most - most // 2 + 1)]
    below, above = [], []
    for s in points:
        a, b, c = tableau(net, nodes, s, output)
        below.append(determinant(a))
        above.append(-determinant([r + [x] for r, x in zip(a, b)] + [c + [F(0)]]))
    den, num = interpolate(points, below), interpolate(points, above)
    if not den:
        return None
    if not num:
        return [F(0)], [F(1)]
    common = gcd(num, den)
    num, den = divmod_poly(num, common)[0], divmod_poly(den, common)[0]
    return [x / den[-1] for x in num], [x / den[-1] for x in den]


ELEMENT = {"R": "resistor", "L": "inductor", "C": "capacitor", "V": "vsource", "I": "isource"}


# Time constants near a second, or near some microseconds in common units.
TOLERANCE = 1e-9
UNITS = [{"R": F(1), "L": F(1), "C": F(1), "rate": 1.0}, {"R": F(1000), "L": F(1, 100), "C": F(1, 10**8), "rate": 1e5}]


def value(dice):
    if dice.random() < 0.3:
        return dice.choice(["1", "2", "0.5"])
    return "%.3f" % math.exp(dice.uniform(-1.5, 1.5))


def random_net(dice):
    """A connected graph on some nodes; sometimes one capacitor or coil alone leads to the ground."""
    nodes = dice.randint(3, 6)
    apart = dice.random() < 0.6
    inner = range(1, nodes) if apart else range(nodes)
    pairs = [(k, dice.choice(inner[:i])) for i, k in enumerate(inner) if i]
    pairs += [tuple(dice.sample(inner, 2)) for _ in range(dice.randint(1, 4)) if len(inner) > 1]
    letters = ["V" if dice.random() < 0.7 else "I"]
    letters += [dice.choice(dice.choice(["RLC", "RC", "RCC", "RLLC"])) for _ in pairs[1:]]
    dice.shuffle(letters)
    if apart:
        pairs.append((dice.choice(inner), 0))
        letters.append(dice.choice("CCCL"))
    net, units = [], dice.choice(UNITS)
    for k, (letter, (p, n)) in enumerate(zip(letters, pairs)):
        if dice.random() < 0.5:
            p, n = n, p
        net.append((letter, letter + str(k), p, n, F(value(dice)) * units.get(letter, 1)))
    return net, nodes, units["rate"]


def net_text(net, output):
    lines = ["model linear", "input u : " + ("V" if any(b[0] == "V" for b in net) else "A")]
    for letter, name, p, n, x in net:
        at = ", ".join("n%d" % k if k else "ground" for k in (p, n))
        key = {"V": "v = u", "I": "i = u"}.get(letter, "%s = %s" % (letter, float(x)))
        lines.append("%s : %s(%s)  %s" % (name, ELEMENT[letter], at, key))
    return "\n".join(lines + ["output %s.%s as y" % (output[1], output[0])]) + "\n"


def close(got, want, rate, tolerance):
    """Coefficients by falling powers against fractions by rising ones, with time in units of 1/rate."""
    if len(got) != len(want):
        return False
    want = [float(x) * rate**k for k, x in enumerate(want)]
    got = [x * rate**k for k, x in enumerate(reversed(got))]
    size = max(abs(x) for x in want)
    return all(abs(g - w) <= tolerance * size for g, w in zip(got, want))


def from_zeros(zeros, lead):
    p = numpy.array([1.0])
    for z in zeros:
        p = numpy.convolve(p, [1, -complex(z["re"], z["im"])])
    return [x.real * lead for x in p]


def statespace(case, text, *options):
    """The answer as JSON. None: refused."""
    answer = case.program.call(text, "statespace", "--numeric", "--json", *options)
    return None if answer.code else answer.json()


def try_network(case):
    dice = case.dice
    net, nodes, rate = random_net(dice)
    name = dice.choice(net)[1]
    output = (dice.choice("vi"), name)
    right = transfer(net, nodes, output)
    text = net_text(net, output)
    said = statespace(case, text, "--tf", "--zeros")
    what = "refused" if right else "an answer, but the network has no unique solution"
    if not case.check((said is None) == (right is None), what, text) or not right:
        return
    num, den = right
    got = said["transfer_functions"][0]
    case.check(close(got["num"], num, rate, TOLERANCE) and close(got["den"], den, rate, TOLERANCE), "transfer function %r / %r, right is %r / %r" % (
        got["num"], got["den"], [float(x) for x in reversed(num)], [float(x) for x in reversed(den)]), text)
    if num != [0]:
        zeros = said["zeros"][0]["zeros"]
        case.check(close(from_zeros(zeros, float(num[-1])), num, rate, TOLERANCE), "zeros %r, right are those of %r" % (
            [(z["re"], z["im"]) for z in zeros], [float(x) for x in reversed(num)]), text)


# ---- models that move with time


def try_time(case):
    dice = case.dice
    a, b, c, t = (round(dice.uniform(0.5, 2), 3) for _ in range(4))
    text = ("model moving\ninput u : V = %g*sin(%g*t)\nV1 : vsource(a, ground)  v = u\n"
            "R1 : resistor(a, b)  R = 1/(%g + %g*t)\nC1 : capacitor(b, ground)  C = %g, v(0) = 1\n"
            "output C1.v, R1.i\n" % (a, b, a, b, c))
    said = statespace(case, text, "--at", "t=%r" % t)
    if not case.check(said is not None, "no answer", text):
        return
    g = a + b * t
    for key, want in (("A", [[-g / c]]), ("B", [[g / c]]), ("C", [[1], [-g]]), ("D", [[0], [g]])):
        case.check(numpy.allclose(said[key], want, rtol=1e-12, atol=0), "%s(t = %g) = %r, right is %r" % (key, t, said[key], want), text)
    case.equal(said["operating_point"]["inputs"]["u"], a * math.sin(b * t), 1e-12, "u(%g)" % t, text)


# ---- chains of rods, linearised by hand


def rods(dice, n):
    return [(round(dice.uniform(0.5, 2), 2), round(dice.uniform(0.5, 2), 2), round(dice.uniform(0.1, 1), 2), round(dice.uniform(-2, 2), 2),
             round(dice.uniform(-2, 2), 2)) for _ in range(n)]


def chain_text(bars):
    lines = ["model chain", "space = planar", "gravity = [0, -9.81]"]
    for k, (m, length, inertia, _, _) in enumerate(bars):
        lines.append("b%d : body  m = %g, I = %g  { A = [0, %g], B = [0, %g] }" % (k, m, inertia, length / 2, -length / 2))
    for k in range(len(bars)):
        lines.append("h%d : revolute(%s, b%d.A)" % (k, "b%d.B" % (k - 1) if k else "ground", k))
    lines += ["initial " + ", ".join("h%d.beta = %r, h%d.w = %r" % (k, b[3] - (bars[k - 1][3] if k else 0), k,
                                                                   b[4] - (bars[k - 1][4] if k else 0))
                                     for k, b in enumerate(bars))]
    lines.append("output " + ", ".join("b%d.theta, b%d.w" % (k, k) for k in range(len(bars))))
    return "\n".join(lines) + "\n"


def chain_rates(bars, theta, w):
    """M(theta) w' = forces, for absolute angles; complex arguments are welcome."""
    n = len(bars)
    reach = [[bars[j][1] if j < i else bars[i][1] / 2 if j == i else 0 for j in range(n)] for i in range(n)]
    M = numpy.zeros((n, n), complex)
    q = numpy.zeros(n, complex)
    for i, (m, _, inertia, _, _) in enumerate(bars):
        M[i, i] += inertia
        for j in range(i + 1):
            q[j] -= m * 9.81 * reach[i][j] * numpy.sin(theta[j])
            for k in range(i + 1):
                M[j, k] += m * reach[i][j] * reach[i][k] * numpy.cos(theta[j] - theta[k])
                q[j] -= m * reach[i][j] * reach[i][k] * numpy.sin(theta[j] - theta[k]) * w[k] ** 2
    return numpy.linalg.solve(M, q)


def chain_matrix(bars):
    """Exact up to rounding, by steps along the imaginary axis."""
    n, h = len(bars), 1e-30
    A = numpy.zeros((2 * n, 2 * n))
    A[:n, n:] = numpy.eye(n)
    for k in range(2 * n):
        theta, w = (numpy.array([b[i] for b in bars], complex) for i in (3, 4))
        (theta if k < n else w)[k % n] += 1j * h
        A[n:, k] = chain_rates(bars, theta, w).imag / h
    return A


def try_chain(case):
    """The program's matrices are similar to ours, C A C^-1 with outputs theta and w: in any coordinates at rest, else in
    those that depend on ours by constants."""
    dice = case.dice
    n = dice.randint(1, 12)
    coordinates = dice.choice(["joint", "absolute", "auto"])
    bars = rods(dice, n)
    if coordinates == "absolute":
        bars = [(m, length, inertia, dice.choice([0, math.pi]), 0) for m, length, inertia, _, _ in bars]
    text = chain_text(bars)
    said = statespace(case, text, "--coordinates", coordinates)
    if not case.check(said is not None, "no answer", text):
        return
    order = list(range(0, 2 * n, 2)) + list(range(1, 2 * n, 2))
    C = numpy.array(said["C"])[order]
    got, want = C @ numpy.array(said["A"]) @ numpy.linalg.inv(C), chain_matrix(bars)
    size = 1 + numpy.abs(want).max()
    error = numpy.abs(got - want).max() / size
    case.check(error <= 1e-9 * numpy.linalg.cond(C), "A of a chain of %d is off by %g" % (n, error), text)


campaign = Campaign("linear", 120)
for case in campaign:
    dice = case.dice.random()
    if dice < 0.75:
        try_network(case)
    elif dice < 0.85:
        try_time(case)
    else:
        try_chain(case)
campaign.close()
