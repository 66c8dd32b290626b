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


def model(name):
    """Every winding has a source of current for each of the two, ends at ground; one source of place for both."""
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
        for name in PAIRS:
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
    print("%d pairs, %d wrong" % (len(PAIRS), wrong))
    return wrong > 0


sys.exit(main(sys.argv[1]))
