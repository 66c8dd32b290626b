"""Random sampled controllers as text at a clock, as a block of the user's own, and as code in C: the same bits.

Sums, products, quotients, functions, limits, states and inputs that are expressions themselves; each closes a loop round a plant, so that
one bit that differs grows. Rows are compared as they are printed.
"""
import os

from campaign import Campaign

PLANT = """V1 : vsource(a, ground)  v = 1 V*(%s)
R1 : resistor(a, b)  R = 1.3 kohm
C1 : capacitor(b, ground)  C = 11 uF
R2 : resistor(b, c)  R = 0.7 kohm
C2 : capacitor(c, ground)  C = 3 uF
output C1.v, C2.v
simulate stop = 40 ms, points = 20
"""


class Law:
    """States s1.. with new values, and the output y; names are those of both languages."""

    def __init__(self, dice):
        self.dice, self.inputs = dice, ["u%d" % k for k in range(dice.randint(1, 3))]
        self.gains = {"k%d" % k: self.number() for k in range(3)}
        self.states = ["s%d" % k for k in range(dice.randint(1, 3))]
        self.taken = [self.term(["C1.v/1 V", "C2.v/1 V", "sin(300*t/1 s)"], 2) for _ in self.inputs]
        self.known = self.inputs + list(self.gains)
        self.new, before = [], self.known + ["%s@" % s for s in self.states]
        for s in self.states:
            self.new.append("0.9*%s@ + 0.05*clamp(%s, -1, 1)" % (s, self.term(before, 3)))
            before = before + [s]
        self.out = "clamp(%s, -2, 2)" % self.term(before, 3)

    def number(self):
        return float("%.3g" % self.dice.uniform(0.05, 2))

    def term(self, names, depth):
        d = self.dice
        if depth == 0 or d.random() < 0.15:
            return d.choice(names) if d.random() < 0.75 else "%r" % self.number()
        a, b = self.term(names, depth - 1), self.term(names, depth - 1)
        kind = d.choice(["sum", "sum", "sum", "product", "quotient", "long", "call"])
        if kind == "call":
            return d.choice(["sin(%s)", "cos(%s)", "atan(%s)", "tanh(%s)", "exp(sin(%s))", "cos(1e6*%s)"]) % a
        if kind == "long":
            return "(%s %s %s %s %s)" % (a, d.choice("+-"), b, d.choice("+-"), self.term(names, depth - 1))
        if kind == "quotient":
            return "(%s / %r)" % (a, self.number())
        return "(%s%s%s)" % (a, d.choice([" + ", " - "]) if kind == "sum" else "*", b)

    def as_text(self):
        lines = ["discrete y = 0, " + ", ".join("%s = 0" % s for s in self.states)]
        lines += ["param " + ", ".join("%s = %r" % g for g in self.gains.items())]
        lines += ["signal %s = %s" % pair for pair in zip(self.inputs, self.taken)]
        lines += ["every 1 ms {"] + self.steps() + ["}"]
        return "\n".join(lines + [PLANT % "y"])

    def steps(self):
        before = lambda e: self.named(e, "pre(%s)")
        return ["  %s = %s" % (s, before(e)) for s, e in zip(self.states, self.new)] + ["  y = %s" % before(self.out)]

    def named(self, e, how):
        for s in self.states:
            e = e.replace(s + "@", how % s)
        return e

    def as_block(self):
        lines = ["element law", "  port %s : signal" % ", ".join(self.inputs), "  param " + ", ".join("%s = %r" % g for g in self.gains.items())]
        lines += ["  discrete y = 0, " + ", ".join("%s = 0" % s for s in self.states), "  every 1 ms {"] + self.steps() + ["  }", "end"]
        return "\n".join(lines + ["K1 : law(%s)" % ", ".join(self.taken), PLANT % "K1.y"])

    def as_code(self):
        lines = ["#include <math.h>", "static double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }",
                 "void step(double t, const double *u, double *y, double *state)", "{", "    (void)t;"]
        lines += ["    const double %s = u[%d];" % (name, k) for k, name in enumerate(self.inputs)]
        lines += ["    const double %s = %r;" % pair for pair in self.gains.items()]
        lines += ["    const double %s_before = state[%d];" % (s, k) for k, s in enumerate(self.states)]
        before = lambda e: self.named(e, "%s_before")
        lines += ["    const double %s = %s;" % (s, before(e)) for s, e in zip(self.states, self.new)]
        lines += ["    (void)%s;" % name for name in self.known]
        lines += ["    state[%d] = %s;" % (k, s) for k, s in enumerate(self.states)]
        return "\n".join(lines + ["    y[0] = %s;" % before(self.out), "}"]) + "\n"

    def with_code(self):
        return "\n".join(["K1 : controller(%s)  source = \"law.c\", function = \"step\", outputs = 1, states = %d, period = 1 ms" %
                          (", ".join(self.taken), len(self.states)), PLANT % "K1.y"])


campaign = Campaign("written", 4)
for case in campaign:
    law = Law(case.dice)
    with open(os.path.join(case.program.folder.name, "law.c"), "w") as f:
        f.write(law.as_code())
    said = [case.program.run(text, None, "--trust-native") for text in (law.as_text(), law.as_block(), law.with_code())]
    bad = [s.why() for s in said if s.code]
    if not case.check(not bad, "no rows: %s" % bad, law.as_text() + "\n" + law.as_code()):
        continue
    case.check(said[0].out == said[2].out, "text and code differ", law.as_text() + "\n" + law.as_code())
    case.check(said[0].out == said[1].out, "text and block differ", law.as_block())
campaign.close()
