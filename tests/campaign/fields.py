"""Elements that are spread along a line (bar, shaft, string, pipe, line, wall, fin, beam) against their exact transfer
functions: random ends, sources and loads, by modes and by cells, with losses. Modes keep the static compliance, so that
24 of them are good to 2e-3 of the largest value up to twice the first resonance."""
import cmath
import json
import math
import os
import sys

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign

# domain: (across, through), source of across, source of through, conductance, store, flow; each a text of an element
ELECTRICAL = ("v", "i", "vsource({}, ground) v = u", "isource(ground, {}) i = u", "conductor({}, ground) G = {!r}",
              "capacitor({}, ground) C = {!r}", "inductor({}, ground) L = {!r}")
HYDRAULIC = ("p", "q", "pressure_source({}, ground) p = u", "flow_source(ground, {}) q = u",
             "fluid_resistor({}, ground) R = 1/{!r}", "tank({}) C = {!r}", "fluid_inertance({}, ground) I = {!r}")
MECHANICAL = ("v", "F", "velocity_source(ground, {}) v = u", "force(ground, {}) F = u", "damper(ground, {}) d = {!r}",
              "mass({}) m = {!r}", "spring(ground, {}) k = 1/{!r}")
ROTATIONAL = ("w", "T", "speed_source(ground, {}) w = u", "torque(ground, {}) T = u", "torsion_damper(ground, {}) d = {!r}",
              "inertia({}) J = {!r}", "torsion_spring(ground, {}) k = 1/{!r}")
THERMAL = ("T", "Q", "temperature_source({}, ground) T = u", "heat_source(ground, {}) Q = u",
           "thermal_resistor({}, ground) R = 1/{!r}", "thermal_capacitor({}) C = {!r}", None)


def a_line(dice):
    c, l = 10 ** dice.uniform(-11, -9), 10 ** dice.uniform(-7, -6)
    z = math.sqrt(l / c)
    r, g = dice.choice([0, dice.uniform(0, 1) * z]), dice.choice([0, dice.uniform(0, 1) / z])
    return ELECTRICAL, "line", "c = %r, l = %r, r = %r, g = %r" % (c, l, r, g), (c, g, l, r, 0)


def a_pipe(dice):
    A, rho, a = 10 ** dice.uniform(-4, -2), dice.uniform(700, 1100), dice.uniform(800, 1400)
    friction = dice.choice([0, dice.uniform(1, 300)])
    keys = "A = %r, rho = %r, c = %r, friction = %r" % (A, rho, a, friction)
    return HYDRAULIC, "pipe", keys, (A / (rho * a * a), 0, rho / A, rho / A * friction, 0)


def a_bar(dice):
    E, rho, A = dice.uniform(1e9, 2e11), dice.uniform(1e3, 8e3), 10 ** dice.uniform(-5, -2)
    tau = dice.choice([0, dice.uniform(1e-6, 1e-4)])
    keys = "E = %r, rho = %r, A = %r, damping = %r" % (E, rho, A, tau)
    return MECHANICAL, "bar", keys, (rho * A, 0, 1 / (E * A), 0, tau)


def a_shaft(dice):
    G, rho, Ip = dice.uniform(1e9, 1e11), dice.uniform(1e3, 8e3), 10 ** dice.uniform(-9, -6)
    return ROTATIONAL, "shaft", "G = %r, rho = %r, Ip = %r" % (G, rho, Ip), (rho * Ip, 0, 1 / (G * Ip), 0, 0)


def a_string(dice):
    N, m = dice.uniform(10, 1000), dice.uniform(0.01, 1)
    return MECHANICAL, "string", "tension = %r, rhoA = %r" % (N, m), (m, 0, 1 / N, 0, 0)


def a_wall(dice):
    A, k, rho, cp = dice.uniform(0.1, 10), dice.uniform(0.03, 50), dice.uniform(30, 8000), dice.uniform(400, 2000)
    return THERMAL, "wall", "A = %r, k = %r, rho = %r, cp = %r" % (A, k, rho, cp), (rho * cp * A, 0, 0, 1 / (k * A), 0)


def a_fin(dice):
    A, k, rho, cp = dice.uniform(1e-5, 1e-3), dice.uniform(10, 400), dice.uniform(2000, 8000), dice.uniform(400, 1000)
    P = dice.uniform(0.01, 0.2)
    h = k * A / P * dice.uniform(0, 3)
    keys = "A = %r, k = %r, rho = %r, cp = %r, perimeter = %r, h = %r" % (A, k, rho, cp, P, h)
    return THERMAL, "fin", keys, (rho * cp * A, h * P, 0, 1 / (k * A), 0)


KINDS = [a_line, a_pipe, a_bar, a_shaft, a_string, a_wall, a_fin]


def admittances(law, length, s):
    """Y11 and Y12 of the exact element."""
    c, g, l, r, tau = law
    z, y = (l * s + r) / (1 + tau * s), c * s + g
    gamma, zc = cmath.sqrt(z) * cmath.sqrt(y) * length, cmath.sqrt(z) / cmath.sqrt(y)
    return 1 / (zc * cmath.tanh(gamma)), -1 / (zc * cmath.sinh(gamma))


class End:
    """Loads at an end: what they add to the admittance, and their text."""

    def __init__(self, dice, domain, name, law, length, lossy):
        scale = math.sqrt(law[0] / (law[2] or law[3] * length / 3 * 1e3))
        total, flow = law[0] * length, (law[2] or law[3]) * length
        self.parts, self.text = [], ""
        kinds = dice.sample("gcl", dice.choice([0, 1, 1, 2]))
        if lossy and "g" not in kinds:
            kinds.append("g")
        for k in kinds:
            if k == "l" and not domain[6]:
                continue
            if not law[2] and k == "g":
                scale = 1 / flow
            value = {"g": scale, "c": total, "l": flow}[k] * 10 ** dice.uniform(-0.7, 0.7)
            row = {"g": 4, "c": 5, "l": 6}[k]
            self.parts.append((k, value))
            self.text += "%s_%s : %s\n" % (k, name, domain[row].format(name, value))

    def admittance(self, s):
        return sum({"g": v, "c": v * s, "l": 1 / (v * s)}[k] for k, v in self.parts)


def make(dice):
    domain, kind, keys, law = dice.choice(KINDS)(dice)
    length = dice.uniform(0.1, 3)
    method, count = dice.choice([("modal", 24), ("modal", 24), ("cells", 60)])
    left = End(dice, domain, "a", law, length, False)
    right = End(dice, domain, "b", law, length, True)
    across = dice.random() < 0.5
    text = "input u = 0\nS : %s\n" % domain[2 if across else 3].format("a")
    text += "P : %s(a, b) length = %r, %s, method = %s, %s = %d\n" % (kind, length, keys, method,
                                                                      "modes" if method == "modal" else "cells", count)
    text += left.text + right.text + "output b.%s as far\n" % domain[0]
    if across:
        text += "output P.ea.%s as near\n" % domain[1]
    else:
        text += "output a.%s as near\n" % domain[0]

    def exact(s):
        y11, y12 = admittances(law, length, s)
        yb = y11 + right.admittance(s)
        into = y11 - y12 * y12 / yb  # admittance of the element at a
        v = 1 if across else 1 / (into + left.admittance(s))
        return -y12 / yb * v, into * v if across else v

    first = math.pi / length / math.sqrt(law[0] * law[2]) if law[2] else 20 / (law[0] * law[3] * length * length)
    return text, exact, first, 2e-3 if method == "modal" else 6e-3


# ---- beams: deflection and slope at both ends


def beam_stiffness(EI, m, length, s, shear=0, rotary=0, tension=0):
    """Forces and moments on the ends of the exact beam, by deflections and slopes there: a short piece by the series of
    its state equations, doubled until it has the length."""
    doublings = max(0, math.ceil(math.log2(length * abs(m * s * s / EI) ** 0.25))) + 2
    k = 1 / (1 + shear * tension)
    rates = numpy.array([[0, k, -k * shear, 0], [0, 0, 0, -1 / EI], [-m * s * s, 0, 0, 0],
                         [0, -k * tension - rotary * s * s, -k, 0]], complex) * (length / 2 ** doublings)
    over, term = numpy.eye(4, dtype=complex), numpy.eye(4, dtype=complex)
    for i in range(1, 40):
        term = term @ rates / i
        over = over + term
    a, b, c, d = over[:2, :2], over[:2, 2:], over[2:, :2], over[2:, 2:]
    back = numpy.linalg.inv(b)
    K = numpy.block([[-back @ a, back], [d @ back @ a - c, -d @ back]])
    for _ in range(doublings):
        a, b, c, d = K[:2, :2], K[:2, 2:], K[2:, :2], K[2:, 2:]
        mid = numpy.linalg.inv(d + a)
        K = numpy.block([[a - b @ mid @ c, -b @ mid @ b], [-c @ mid @ c, d - c @ mid @ b]])
    return K


ENDS = [("a", "x", "mass({}) m = {!r}", "damper(ground, {}) d = {!r}", "spring(ground, {}) k = {!r}"),
        ("ra", "theta", "inertia({}) J = {!r}", "torsion_damper(ground, {}) d = {!r}",
         "torsion_spring(ground, {}) k = {!r}")]
ENDS += [("b",) + ENDS[0][1:], ("rb",) + ENDS[1][1:]]


def make_beam(dice):
    E, rho, A, Iz, length = dice.uniform(1e9, 2e11), dice.uniform(1e3, 8e3), 1e-3, 1e-8, dice.uniform(0.5, 3)
    tau = dice.choice([0, 1e-5])
    EI, m = E * Iz, rho * A
    slopes = dice.random() < 0.6
    used = [0, 1, 2, 3] if slopes else [0, 2]
    text = "input u = 0\nP : beam(a, b%s) E = %r, rho = %r, A = %r, Iz = %r, length = %r, damping = %r, modes = 12%s\n" % (
        " | ra, rb" if slopes else "", E, rho, A, Iz, length, tau, ", slopes = ports" if slopes else "")
    first = 9.87 * math.sqrt(EI / m) / length ** 2
    loads = {}
    for i in used:
        unit = 1 if i % 2 == 0 else length ** 2
        held = dice.random() < (0.15 if i else 0)
        kinds = "" if held else "".join(dice.sample("mdk", dice.choice([0, 1, 2]))) + ("d" if i == 2 else "")
        value = {"m": m * length * unit / 3, "d": math.sqrt(EI * m) / length * unit, "k": EI / length ** 3 * unit * 5}
        loads[i] = [(k, value[k] * 10 ** dice.uniform(-0.5, 0.5)) for k in sorted(set(kinds))] if not held else None
        if held:
            text = text.replace({1: "| ra,", 2: ", b", 3: ", rb"}[i], {1: "| ground,", 2: ", ground", 3: ", ground"}[i], 1)
        else:
            for k, v in loads[i]:
                text += "%s_%s : %s\n" % (k, ENDS[i][0], ENDS[i]["mdk".index(k) + 2].format(ENDS[i][0], v))
    moved = dice.random() < 0.4
    text += "S : velocity_source(ground, a) v = u\n" if moved else "S : force(ground, a) F = u\n"
    text += "output P.ea.F as near\n" if moved else "output a.v as near\n"
    text += "output %s as far\n" % ("P.eb.F" if loads[2] is None else "b.v")

    def exact(s):
        D = beam_stiffness(EI * (1 + tau * s), m, length, s)
        free = [i for i in range(4) if i not in loads or loads[i] is not None]
        Z = D.copy()
        for i in used:
            for k, v in loads[i] or []:
                Z[i, i] += {"m": v * s * s, "d": v * s, "k": v}[k]
        x = numpy.zeros(4, complex)
        if moved:
            x[0] = 1 / s
            rest = [i for i in free if i]
            x[rest] = numpy.linalg.solve(Z[numpy.ix_(rest, rest)], -Z[rest, 0] * x[0])
        else:
            f = numpy.zeros(len(free), complex)
            f[free.index(0)] = 1
            x[free] = numpy.linalg.solve(Z[numpy.ix_(free, free)], f)
        F = D @ x
        return F[0] if moved else s * x[0], F[2] if loads[2] is None else s * x[2]

    return text, exact, first, 2e-3


# ---- an accuracy that is asked for


def make_accuracy(dice):
    """Both ends behind the surge impedance: the answers are what is scattered, whose error is limited by the key."""
    domain, kind, keys, law = dice.choice([a_line, a_pipe, a_wall, a_fin])(dice)
    length, method = dice.uniform(0.1, 3), dice.choice(["modal", "modal", "cells"])
    c, g, l, r, _ = law
    first = math.pi / length / math.sqrt(c * l) if l else 20 / (c * r * length * length)
    limit, accuracy = first * dice.uniform(0.3, 4), 10 ** dice.uniform(-3, -1.3)
    surge = abs(cmath.sqrt((1j * limit * l + r) / (1j * limit * c + g)))
    residual = dice.choice(["storage", "storage", "none"]) if accuracy > 0.01 else "storage"
    ends = dice.choice(["auto", "held_held", "held_free", "free_held", "free_free"])
    text = "input u = 0\nS : %s\n" % domain[2].format("s")
    text += "R : %s\n" % domain[4].format("s", 1 / surge).replace("ground", "a")
    text += "P : %s(a, b) length = %r, %s, method = %s, accuracy = %r up to %r Hz, ends = %s, residual = %s\n" % (
        kind, length, keys, method, accuracy, limit / 2 / math.pi, ends, residual)
    text += "Q : %s\noutput a.%s as near, b.%s as far\n" % (domain[4].format("b", 1 / surge), domain[0], domain[0])

    def exact(s):
        y11, y12 = admittances(law, length, s)
        into = numpy.linalg.solve([[y11 + 1 / surge, y12], [y12, y11 + 1 / surge]], [1 / surge, 0])
        return into[0], into[1]

    return text, exact, limit, accuracy, law, length


BEAM_ENDS = ("clamped", "pinned", "sliding", "free")


def make_beam_accuracy(dice):
    """All ends behind dampers of about the impedance of the waves."""
    E, rho, A, Iz, length = dice.uniform(1e9, 2e11), dice.uniform(1e3, 8e3), 10 ** dice.uniform(-4, -2), 1e-8, dice.uniform(0.3, 3)
    EI, m, theory = E * Iz, rho * A, dice.choice(["euler", "rayleigh", "timoshenko"])
    ends, slopes, tau, tension = [dice.choice(BEAM_ENDS), dice.choice(BEAM_ENDS)], dice.random() < 0.5, dice.choice([0, 1e-5]), 0
    keys = "theory = " + theory + (", G = %r" % (E / 2.6) if theory == "timoshenko" else "")
    cells = dice.random() < 0.4
    if cells or "clamped" in ends and dice.random() < 0.4:
        tau, tension = 0, dice.uniform(-2, 20) * EI / length ** 2
        keys += ", axial = constant, tension = %r" % tension
    limit, accuracy = math.sqrt(EI / m) / length ** 2 * dice.uniform(5, 200), 10 ** dice.uniform(-3.5, -1.5)
    if cells:  # of second order: a number of them that dense matrices bear
        keys, limit, accuracy = keys + ", method = cells", limit / 2, 10 ** dice.uniform(-2, -1)
    wave = math.sqrt(limit * math.sqrt(m / EI))
    surge = [EI * wave ** 3 / limit, EI * wave / limit] * 2
    used = [0, 1, 2, 3] if slopes else [0, 2]
    text = "input u = 0\nS : force(ground, a) F = u\noutput a.v as near, b.v as far\n"
    text += "P : beam(a, b%s) E = %r, rho = %r, A = %r, Iz = %r, length = %r, damping = %r, ends = %s_%s, %s, accuracy = %r up to %r Hz\n" % (
        " | ra, rb" if slopes else "", E, rho, A, Iz, length, tau, ends[0], ends[1], keys + (", slopes = ports" if slopes else ""),
        accuracy, limit / 2 / math.pi)
    for i in used:
        text += "d_%s : %s\n" % (ENDS[i][0], ENDS[i][3].format(ENDS[i][0], surge[i]))

    def exact(s):
        late = 1 + tau * s
        soft = 1 / (5 / 6 * E / 2.6 * A * late) if theory == "timoshenko" else 0
        K = beam_stiffness(EI * late, m, length, s, soft, 0 if theory == "euler" else rho * Iz, tension)
        free = [0, 2] + [i for i in (1, 3) if slopes or ends[i // 2] in ("pinned", "free")]
        for i in used:
            K[i, i] += surge[i] * s
        v = s * numpy.linalg.solve(K[numpy.ix_(free, free)], [1] + [0] * (len(free) - 1))
        return numpy.array([v[0], v[1]])

    return text, exact, limit, accuracy / (2 * surge[0])


def check_beam_accuracy(campaign, case):
    """Twice a speed by the damper at the driven end is what is scattered."""
    text, exact, limit, allowed = make_beam_accuracy(case.dice)
    said = campaign.program.call(text, "statespace", "--numeric", "--format", "json")
    if not case.check(said.code == 0, said.why(), text):
        return
    w = limit * numpy.linspace(0.01, 1, 60)
    error = max(numpy.linalg.norm(response(said.json(), 1j * x) - exact(1j * x)) for x in w)
    case.check(error <= 1.02 * allowed, "error %.3e where %.3e was asked for" % (error, allowed), text)
    check_exact(campaign, case, text, exact, w)


def check_accuracy(campaign, case):
    """Twice an across variable is what is scattered, and of both columns one is seen."""
    text, exact, limit, accuracy, law, length = make_accuracy(case.dice)
    said = campaign.program.call(text, "statespace", "--numeric", "--exact", "--format", "json")
    if not case.check(said.code == 0, said.why(), text):
        return
    formula = said.json()["exact"][0]
    for s in (1j * limit, limit * (0.3 + 0.2j)):
        names = {"s": s, "sqrt": cmath.sqrt, "__builtins__": {}}
        gamma, zc = (eval(formula[k].replace("^", "**"), names) for k in ("gamma", "Zc"))
        y11, y12 = admittances(law, length, s)
        case.check(abs(1 / (zc * cmath.tanh(gamma)) - y11) <= 1e-9 * abs(y11) and
                   abs(-1 / (zc * cmath.sinh(gamma)) - y12) <= 1e-9 * abs(y12), "exact impedances: %r" % formula, text)
    w = limit * numpy.linspace(0.01, 1, 60)
    error = max(numpy.linalg.norm(2 * (response(said.json(), 1j * x) - exact(1j * x))) for x in w)
    case.check(error <= 1.02 * accuracy, "error %.3e where %.3e was asked for" % (error, accuracy), text)


def check_exact(campaign, case, text, exact, w):
    """The response with the field as it is, which --exact gives beside that of the finite model: to rounding."""
    path = os.path.join(campaign.program.folder.name, "exact.json")
    said = campaign.program.call(text, "statespace", "--exact", "--bode", path, "--from", "%r rad/s" % w[0], "--to",
                                 "%r rad/s" % w[-1], "--points", "30", "--format", "json")
    if not case.check(said.code == 0, "--exact --bode: " + said.why(), text):
        return
    with open(path) as file:
        drawn = json.load(file)
    for k, row in enumerate(drawn["responses"]):
        for x, db, degrees in zip(drawn["omega"], row["exact_dB"], row["exact_deg"]):
            want, near = exact(1j * x)[k], exact(1j * x * (1 + 1e-9))[k]
            got = cmath.rect(10 ** (db / 20), math.radians(degrees)) if db is not None else 0
            case.check(abs(got - want) <= 1e-8 * abs(want) + 10 * abs(near - want),
                       "exact %s at %r: %r, not %r" % (row["output"], x, got, want), text)


def response(model, s):
    m = {k: numpy.array(model[k], float) for k in "ABCDEF" if k in model}
    n = len(model["states"])
    A, B, C, D = (m[k].reshape(shape) for k, shape in (("A", (n, n)), ("B", (n, 1)), ("C", (2, n)), ("D", (2, 1))))
    E, F = m.get("E", numpy.zeros((n, 1))).reshape(n, 1), m.get("F", numpy.zeros((2, 1))).reshape(2, 1)
    return (C @ numpy.linalg.solve(s * numpy.eye(n) - A, B + s * E) + D + s * F)[:, 0]


def main():
    campaign = Campaign("fields", 40)
    for case in campaign:
        if case.dice.random() < 0.2:
            (check_beam_accuracy if case.dice.random() < 0.3 else check_accuracy)(campaign, case)
            continue
        bends = case.dice.random() < 0.3
        text, exact, first, tolerance = (make_beam if bends else make)(case.dice)
        said = campaign.program.call(text, "statespace", "--numeric", "--format", "json")
        if not case.check(said.code == 0, said.why(), text):
            continue
        w = numpy.geomspace(first / 50, 1.93 * first, 30)
        got = numpy.array([response(said.json(), 1j * x) for x in w]).T
        want = numpy.array([exact(1j * x) for x in w]).T
        shifted = numpy.array([exact(1j * x * (1 + tolerance / 10)) for x in w]).T  # near a resonance
        for name, g, e, f in zip(("first output", "second output"), got, want, shifted):
            allowed = tolerance * numpy.max(numpy.abs(e)) + 2 * numpy.abs(f - e)
            error = numpy.max(numpy.abs(g - e) / allowed)
            case.check(error < 1, "%s is wrong by %.2e of what is allowed" % (name, error), text)
        check_exact(campaign, case, text, exact, (first / 50, 10 * first))
    campaign.close()


main()
