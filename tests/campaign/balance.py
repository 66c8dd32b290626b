"""Every transducer at random instants: what goes in by its terminals is what it loses and what its store grows by.

Currents (or voltages, or pressures) and motions are prescribed as functions of time, so that nothing is integrated but the
currents in a rotor. Stored energies are written here once more; their rates are exact, by complex steps. What is left over is rounding.
"""
import cmath
import math

from campaign import Campaign

SHAFT, ROD = ("rotational", "angle_source", "theta", "w", "T"), ("translational", "position_source", "x", "v", "F")


class Wave:
    """a + b sin(c t + d) as text, and its value."""

    def __init__(self, dice, size):
        self.a, self.b, self.d = (float("%.4g" % (size * dice.uniform(-1, 1))) for _ in range(3))
        self.b, self.c, self.d = self.b or size, float("%.4g" % dice.uniform(1, 6)), float("%.4g" % dice.uniform(-3, 3))

    def text(self):
        return "%r + %r*sin(%r*t + %r)" % (self.a, self.b, self.c, self.d)

    def at(self, t):
        return self.a + self.b * cmath.sin(self.c * t + self.d)


def three(th):
    return [cmath.cos(th), cmath.cos(th - 2 * math.pi / 3), cmath.cos(th + 2 * math.pi / 3)]


def park(i, th):
    k = three(th)
    s = [cmath.sin(th), cmath.sin(th - 2 * math.pi / 3), cmath.sin(th + 2 * math.pi / 3)]
    return 2 / 3 * sum(a * b for a, b in zip(i, k)), -2 / 3 * sum(a * b for a, b in zip(i, s)), sum(i) / 3


def machine(p, i, x):
    d, q, zero = park(i, p["pp"] * x)
    return 0.75 * (p["Ld"] * d * d + p["Lq"] * q * q) + 1.5 * p["L0"] * zero * zero


def induction(p, i, r, x):
    """Self and mutual inductances of stator and rotor, and the saliency."""
    pairs = lambda c: c[0] * c[1] + c[1] * c[2] + c[2] * c[0]
    k, d, q = three(p["pp"] * x), *park(i, p["pp"] * x)[:2]
    mixed = sum(i[n] * sum(r[m] * [k[0], k[2], k[1]][(m - n) % 3] for m in range(3)) for n in range(3))
    own = p["Ls"] * sum(c * c for c in i) / 2 + p["Ms"] * pairs(i) + p["Lr"] * sum(c * c for c in r) / 2 + p["Mr"] * pairs(r)
    return own + p["Msr"] * mixed + 0.75 * p["Lx"] * (d * d - q * q)


def copper(p, i, e, w):
    return p["R"] * sum(c * c for c in i)


NONE = lambda p, i, e, w: 0.0
# electrical (or hydraulic) edges, who is driven there and what is read; parameters; stored energy of what is driven and the
# position; what is lost of what is driven, read, and the speed
ROWS = [
    ("dc_motor", SHAFT, ["e"], "i", dict(Kv=0.3, R=1.2, L=0.02, B=0.01), lambda p, i, x: p["L"] * i[0] ** 2 / 2,
     lambda p, i, e, w: p["R"] * i[0] ** 2 + p["B"] * w * w),
    ("voice_coil", ROD, ["e"], "i", dict(K=3.0, R=2.0, L=0.01), lambda p, i, x: p["L"] * i[0] ** 2 / 2, copper),
    ("plate_capacitor", ROD, ["e"], "v", dict(A=0.02, d0=3.0), lambda p, u, x: 8.8541878128e-12 * p["A"] / (p["d0"] + x) * u[0] ** 2 / 2, NONE),
    ("piezo_stack", ROD, ["e"], "v", dict(C=2e-6, k=5e3, K=3.0), lambda p, u, x: p["C"] * u[0] ** 2 / 2 + p["k"] * x * x / 2, NONE),
    ("solenoid", ROD, ["e"], "i", dict(L0=0.3, g=0.9, Lm=0.02, R=2.0), lambda p, i, x: (p["L0"] / (1 + x / p["g"]) + p["Lm"]) * i[0] ** 2 / 2, copper),
    ("moving_coil", ROD, ["e"], "i", dict(K=3.0, K1=0.7, K2=-0.4, L=0.3, L1=0.05, R=2.0), lambda p, i, x: (p["L"] + p["L1"] * x) * i[0] ** 2 / 2, copper),
    ("reluctance_machine", SHAFT, ["e"], "i", dict(L0=0.3, L1=0.1, teeth=6, R=1.0),
     lambda p, i, x: (p["L0"] + p["L1"] * cmath.cos(p["teeth"] * x)) * i[0] ** 2 / 2, copper),
    ("switched_reluctance", SHAFT, ["ea", "eb", "ec"], "i", dict(L0=0.3, L1=0.1, teeth=4, R=1.0),
     lambda p, i, x: sum((p["L0"] + p["L1"] * k) * c * c / 2 for k, c in zip(three(p["teeth"] * x), i)), copper),
    ("stepper", SHAFT, ["ea", "eb"], "i", dict(teeth=50, L=0.01, K=0.004, R=1.5, Td=0.02, B=0.001),
     lambda p, i, x: p["L"] * sum(c * c for c in i) / 2 - p["Td"] / (4 * p["teeth"]) * cmath.cos(4 * p["teeth"] * x),
     lambda p, i, e, w: copper(p, i, e, w) + p["B"] * w * w),
    ("synchronous_machine", SHAFT, ["ea", "eb", "ec"], "i", dict(pp=3, Ld=0.01, Lq=0.017, L0=0.002, psi=0.1, R=0.4), machine, copper),
    ("brushless_motor", SHAFT, ["ea", "eb", "ec"], "i", dict(pp=2, K=0.2, L=0.01, R=0.4), lambda p, i, x: p["L"] * sum(c * c for c in i) / 2, copper),
    ("induction_machine", SHAFT, ["ea", "eb", "ec"], "i",
     dict(pp=2, Ls=0.17, Ms=-0.07, Lr=0.16, Mr=-0.08, Msr=0.055, Rs=1.2, Rr=1.1, Lx=0.01),
     lambda p, i, x: induction(p, i[:3], [i[3], i[4], -i[3] - i[4]], x),
     lambda p, i, e, w: p["Rs"] * sum(c * c for c in i[:3]) + p["Rr"] * (i[3] ** 2 + i[4] ** 2 + (i[3] + i[4]) ** 2)),
    ("cylinder", ROD, ["e"], "p", dict(A=0.01), lambda p, u, x: 0.0, NONE),
    ("differential_cylinder", ROD, ["c1", "c2"], "p", dict(A1=0.02, A2=0.013, V1=0.5, V2=0.4, kappa=0.02, G=1e-4),
     lambda p, u, x: p["kappa"] / 2 * ((p["V1"] + p["A1"] * x) * u[0] ** 2 + (p["V2"] - p["A2"] * x) * u[1] ** 2),
     lambda p, u, e, w: p["G"] * (u[0] - u[1]) ** 2 - p["kappa"] / 2 * (p["A1"] * u[0] ** 2 - p["A2"] * u[1] ** 2) * w),   # less what is carried in
    ("pump", SHAFT, ["e"], "p", dict(D=1e-3, G=1e-4, B=0.02), lambda p, u, x: 0.0, lambda p, u, e, w: p["G"] * u[0] ** 2 + p["B"] * w * w),
]
INNER = {"induction_machine": ["ir1", "ir2"]}      # own unknowns, which a run integrates
THROUGH = {"i": ("isource", "v", "i"), "v": ("vsource", "i", "v"), "p": ("pressure_source", "q", "p")}


def model(row, values, waves, way):
    name, motion, edges, driven, *_ = row
    source, read, key = THROUGH[driven]
    _, mover, place, speed, force = motion
    nodes = ["n%d%s" % (k, e) for k in range(len(edges)) for e in "pn"]
    ground = "ground" if name in ("synchronous_machine", "brushless_motor", "induction_machine") else None
    lines = ["model balance"]
    if ground:
        nodes = ["n%dp" % k for k in range(3)] + ["ground"]
    if name == "differential_cylinder":
        nodes = ["n0p", "n1p"]
    for k, wave in enumerate(waves):
        ends = "ground, n%dp" % k if driven == "i" and ground else "n%dn, n%dp" % (k, k) if driven == "i" else "n%dp, ground" % k if len(nodes) == len(edges) else "n%dp, n%dn" % (k, k)
        lines.append("S%d : %s(%s)  %s = %s" % (k, source, ends, key, wave.text()))
        if len(nodes) == 2 * len(edges):
            lines.append("Z%d : %s(n%dn, ground)  %s = 0" % (k, "pressure_source" if driven == "p" else "vsource", k, "p" if driven == "p" else "v"))
    lines.append("X : %s(ground, s)  %s = %s" % (mover, place, way.text()))
    keys = ", ".join("%s = %r" % pair for pair in values.items())
    lines.append("M : %s(%s | ground, s)  %s" % (name, ", ".join(nodes), keys))
    m = "M.s" if name == "pump" else "M.m"
    inner = ["M.%s as in%d, der(M.%s) as rate%d" % (v, k, v, k) for k, v in enumerate(INNER.get(name, []))]
    out = inner + ["M.%s.%s as a%d, M.%s.%s as t%d" % (e, read, k, e, key, k) for k, e in enumerate(edges)]
    return "\n".join(lines + ["output %s, %s.%s as speed, %s.%s as force" % (", ".join(out), m, speed, m, force)])


campaign = Campaign("balance", 1)
for case in campaign:
    for row in ROWS:
        name, motion, edges, driven, usual, stored, lost = row
        values = {k: v if isinstance(v, int) else float("%.4g" % (v * case.dice.uniform(0.6, 1.6))) for k, v in usual.items()}
        waves, way = [Wave(case.dice, 5) for _ in edges], Wave(case.dice, 0.3)
        text = model(row, values, waves, way)
        times = sorted(float("%.6g" % case.dice.uniform(0, 3)) for _ in range(3))
        said = case.program.run(text, times, "--stop", "3")
        rows = said.rows()
        if not case.check(rows is not None and len(rows) == 3, "%s: no rows: %s" % (name, said.why()), text):
            continue
        for t, got in zip(times, rows):
            step = 1e-40
            own = [(got["in%d" % k], got["rate%d" % k]) for k in range(len(INNER.get(name, [])))]
            grows = stored(values, [w.at(t + step * 1j) for w in waves] + [a + b * step * 1j for a, b in own], way.at(t + step * 1j))
            grows = complex(grows).imag / step
            parts = [got["a%d" % k] * got["t%d" % k] for k in range(len(edges))] + [got["speed"] * got["force"]]
            drained = lost(values, [w.at(t).real for w in waves] + [a for a, _ in own], None, got["speed"])
            size = sum(abs(p) for p in parts) + abs(grows)
            case.equal(sum(parts) - drained, grows, 1e-10 * size, "%s: power at %g" % (name, t), text)
campaign.close()
