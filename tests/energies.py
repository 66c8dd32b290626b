#!/usr/bin/env python3
"""Elements of the library that are given by their energy, and the same written out by hand: energies.py COTREE.

Both are driven by the same currents (or charges) and motions, which are symbols. What their voltages and forces differ by is
an output, and `statespace` finds it to be zero in symbols: all derivatives, and what is left at zero."""
import subprocess
import sys
import tempfile

HEAD = """element by_hand "the same, written out"
%s
end
"""
LINE = """port p, n : electrical
  port plunger : translational(a, b)
  edge e(p, n), m(a, b)
  param %s"""
PAIRS = {
    "solenoid": (
        LINE % "L0 : H, g : m, Lm : H, R : ohm" + """
  e.v = R*e.i + (L0/(1 + m.x/g) + Lm)*der(e.i) - L0/g/(1 + m.x/g)^2*e.i*m.v
  m.F = 1/2*L0/g/(1 + m.x/g)^2*e.i^2""",
        ["e"], "translational", ["L0", "g", "Lm", "R"]),
    "moving_coil": (
        LINE % "K : N/A, K1 : N/A/m, K2 : N/A/m^2, L : H, L1 : H/m, R : ohm" + """
  e.v = R*e.i + (L + L1*m.x)*der(e.i) + L1*m.v*e.i + (K + K1*m.x + K2*m.x^2)*m.v
  m.F = -(K + K1*m.x + K2*m.x^2)*e.i - 1/2*L1*e.i^2""",
        ["e"], "translational", ["K", "K1", "K2", "L", "L1", "R"]),
    "reluctance_machine": (
        """port p, n : electrical
  port shaft : rotational(a, b)
  edge e(p, n), m(a, b)
  param L0 : H, L1 : H, teeth, R : ohm
  e.v = R*e.i + (L0 + L1*cos(teeth*m.theta))*der(e.i) - teeth*L1*sin(teeth*m.theta)*m.w*e.i
  m.T = 1/2*teeth*L1*sin(teeth*m.theta)*e.i^2""",
        ["e"], "rotational", ["L0", "L1", "teeth", "R"]),
    "stepper": (
        """port a1, a2, b1, b2 : electrical
  port shaft : rotational(s, r)
  edge ea(a1, a2), eb(b1, b2), m(s, r)
  param teeth, L : H, K : V.s, R : ohm, Td : N.m, B : N.m.s/rad
  ea.v = R*ea.i + L*der(ea.i) - teeth*K*sin(teeth*m.theta)*m.w
  eb.v = R*eb.i + L*der(eb.i) + teeth*K*cos(teeth*m.theta)*m.w
  m.T = B*m.w + teeth*K*(ea.i*sin(teeth*m.theta) - eb.i*cos(teeth*m.theta)) + Td*sin(4*teeth*m.theta)""",
        ["ea", "eb"], "rotational", ["teeth", "L", "K", "R", "Td", "B"]),
    "switched_reluctance": (
        """port a1, a2, b1, b2, c1, c2 : electrical
  port shaft : rotational(s, r)
  edge ea(a1, a2), eb(b1, b2), ec(c1, c2), m(s, r)
  param L0 : H, L1 : H, teeth, R : ohm
  signal th = teeth*m.theta
  ea.v = R*ea.i + (L0 + L1*cos(th))*der(ea.i) - teeth*L1*sin(th)*m.w*ea.i
  eb.v = R*eb.i + (L0 + L1*cos(th - 2*pi/3))*der(eb.i) - teeth*L1*sin(th - 2*pi/3)*m.w*eb.i
  ec.v = R*ec.i + (L0 + L1*cos(th + 2*pi/3))*der(ec.i) - teeth*L1*sin(th + 2*pi/3)*m.w*ec.i
  m.T = 1/2*teeth*L1*(sin(th)*ea.i^2 + sin(th - 2*pi/3)*eb.i^2 + sin(th + 2*pi/3)*ec.i^2)""",
        ["ea", "eb", "ec"], "rotational", ["L0", "L1", "teeth", "R"]),
}

# Keys that are functions of the element's own variables, against the function in its text.
FREE = """element by_key "coil whose inductance is a key"
  port p, n : electrical
  port plunger : translational(a, b)
  edge e(p, n), m(a, b)
  param L : H, R : ohm, d : N.s/m
%s
  signal slope = diff(L, m.x), bend = diff(diff(L, m.x), m.x)
end
element in_text "the same, the function in its text"
  port p, n : electrical
  port plunger : translational(a, b)
  edge e(p, n), m(a, b)
  param L0 : H, g : m, R : ohm, d : N.s/m
  signal L = L0/(1 + m.x/g)^3
  e.v = R*e.i + L*der(e.i) - 3*L/(g + m.x)*e.i*m.v
  m.F = 3/2*L/(g + m.x)*e.i^2 + d*m.v
  signal slope = -3*L/(g + m.x), bend = 12*L/(g + m.x)^2
end
param L0 : H, g : m, R : ohm, d : N.s/m
input x : m, i0 : A
IA : isource(ground, a)  i = i0
IB : isource(ground, b)  i = i0
XA : position_source(%s)  x = x
XB : position_source(ground, mB)  x = x
A : by_key(a, ground | %s)  L = L0/(1 + %s/g)^3, R = R, d = d
B : in_text(b, ground | ground, mB)  L0 = L0, g = g, R = R, d = d
output A.e.v - B.e.v as dv, A.m.F - B.m.F as dF, A.slope - B.slope as ds, A.bend - B.bend as db
"""
BY_ENERGY = "  coenergy 1/2*L*e.i^2\n  loss 1/2*R*e.i^2 + 1/2*d*m.v^2"
BY_DIFF = "  e.v = R*e.i + der(L*e.i)\n  m.F = -1/2*diff(L, m.x)*e.i^2 + d*m.v"
HOLDS = [("ground, mA", "ground, mA", "A.m.x"), ("ground, mA", "ground, mA", "mA.x"), ("mA, ground", "mA, ground", "(-mA.x)")]
KEYS = {"%s by %s" % (way, hold[2]): FREE % (text, *hold) for way, text in (("energy", BY_ENERGY), ("diff", BY_DIFF))
        for hold in HOLDS}


def model(name):
    """Every winding has a source of current for each of the two, ends at ground; one source of place for both."""
    if name in KEYS:
        return KEYS[name]
    body, windings, domain, keys = PAIRS[name]
    turns = domain == "rotational"
    lines = ["model pair", "param " + ", ".join(keys), "input x : %s" % ("rad" if turns else "m")]
    lines += ["input %s" % ", ".join("i%d : A" % k for k in range(len(windings)))]
    given = ", ".join("%s = %s" % (k, k) for k in keys)
    for who, element in (("A", name), ("B", "by_hand")):
        ends = ", ".join("%s%d, ground" % (who.lower(), k) for k in range(len(windings)))
        lines += ["I%s%d : isource(ground, %s%d)  i = i%d" % (who, k, who.lower(), k, k) for k in range(len(windings))]
        lines.append("X%s : %s(ground, m%s)  %s = x" % (who, "angle_source" if turns else "position_source", who, "theta" if turns else "x"))
        lines.append("%s : %s(%s | ground, m%s)  %s" % (who, element, ends, who, given))
    differences = ["A.%s.v - B.%s.v as d%d" % (w, w, k) for k, w in enumerate(windings)]
    load = "T" if turns else "F"
    return HEAD % ("  " + body) + "\n".join(lines + ["output " + ", ".join(differences + ["A.m.%s - B.m.%s as dm" % (load, load)])]) + "\n"


def main(program):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in [*PAIRS, *KEYS]:
            for spoilt in (False, True):               # a pair that differs must be told from one that does not
                text = model(name)
                if spoilt:
                    text = text.replace("R*e", "2*R*e", 1)
                with open(folder + "/pair.lg", "w") as f:
                    f.write(text)
                said = subprocess.run([program, "statespace", folder + "/pair.lg"], capture_output=True, text=True, timeout=600)
                same = said.returncode == 0 and ",   y = 0\n" in said.stdout
                if said.returncode or same == spoilt:
                    wrong += 1
                    print("FAIL %s%s\n%s%s" % (name, ", spoilt" if spoilt else "", said.stderr, said.stdout[:2000]))
    print("%d pairs, %d wrong" % (len(PAIRS) + len(KEYS), wrong))
    return wrong > 0


sys.exit(main(sys.argv[1]))
