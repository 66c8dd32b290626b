"""Jumps of sources that a strongly nonlinear law takes up: a capacitor with a junction or a power law behind it, an inductor
with its dual, a hot body that radiates. Rates just after the jump are up to 1e80 times those a little later, and matrices of the
one say nothing of the other. Decays have closed forms; one alone, and many beside each other for the numeric path."""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from campaign import Campaign

ELEMENTS = """element junction
  port p, n : electrical
  edge e(p, n)
  param IS : A > 0, VT : V > 0
  e.i = IS*(exp(e.v/VT) - 1)
end
element powers
  port p, n : electrical
  edge e(p, n)
  param k : S > 0
  const n = 3
  e.i = k*e.v*(e.v/(1 V))^(n - 1)
end
element choke
  port p, n : electrical
  edge e(p, n)
  param k : ohm > 0
  const n = 3
  e.v = k*e.i*(e.i/(1 A))^(n - 1)
end
"""


def junction(dice, jump, i):
    """Lines, and the voltage behind the jump after a while: 1 - exp(-v/VT) decays as a linear law does."""
    size, C, IS, VT = dice.uniform(0.5, 6), 10 ** dice.uniform(-9, -4), 10 ** dice.uniform(-16, -9), 0.02585
    lines = ["V%d : vsource(a%d, ground)  v = if t < %r then 0 V else %r V" % (i, i, jump, size),
             "C%d : capacitor(a%d, b%d)  C = %r" % (i, i, i, C), "D%d : junction(b%d, ground)  IS = %r, VT = %r" % (i, i, IS, VT)]

    def value(t):
        a = IS / (C * VT)
        return -VT * math.log(-math.expm1(-a * t) + math.exp(-size / VT - a * t))
    return lines, "b%d.v" % i, value


def powers(dice, jump, i):
    size, C, k, n = 10 ** dice.uniform(0, 3), 10 ** dice.uniform(-6, -2), 10 ** dice.uniform(-4, 0), dice.choice((3, 5, 9))
    lines = ["V%d : vsource(a%d, ground)  v = if t < %r then 0 V else %r V" % (i, i, jump, size),
             "C%d : capacitor(a%d, b%d)  C = %r" % (i, i, i, C), "D%d : powers(b%d, ground)  k = %r, n = %d" % (i, i, k, n)]
    return lines, "b%d.v" % i, lambda t: (size ** (1 - n) + (n - 1) * k / C * t) ** (1 / (1 - n))


def choke(dice, jump, i):
    """The dual: an inductor takes part of a current that jumps, in parallel with the law."""
    size, L, k, n = 10 ** dice.uniform(0, 3), 10 ** dice.uniform(-6, -2), 10 ** dice.uniform(-4, 0), dice.choice((3, 5, 9))
    lines = ["I%d : isource(ground, a%d)  i = if t < %r then 0 A else %r A" % (i, i, jump, size),
             "L%d : inductor(a%d, ground)  L = %r" % (i, i, L), "D%d : choke(a%d, ground)  k = %r, n = %d" % (i, i, k, n)]
    return lines, "D%d.i" % i, lambda t: (size ** (1 - n) + (n - 1) * k / L * t) ** (1 / (1 - n))


def main():
    campaign = Campaign("clamps", 12)
    for case in campaign:
        dice = case.dice
        jump, count = 10 ** dice.uniform(-5, -1), dice.choice((1, 1, 2, 12))
        made = [dice.choice((junction, powers, choke))(dice, jump, i) for i in range(count)]
        text = "model clamps\n" + ELEMENTS + "\n".join(line for m in made for line in m[0]) + "\noutput %s\n" % ", ".join(
            m[1] for m in made)
        times, tol = [jump * (1 + f) for f in (1e-4, 0.1, 1.0)], 10 ** dice.uniform(-8, -4)
        for options in ([], ["--method", "rosenbrock"], ["--form", "numeric"], ["--method", "bdf"]):
            said = case.program.run(text, times, "--tol", repr(tol), *options)
            rows = said.rows()
            if not case.check(rows is not None, "%s: %s" % (" ".join(options), said.why()), text):
                continue
            since = [0.0] if options == ["--method", "bdf"] else [t - jump for t in times]  # its errors add up from the jump on
            far = [(abs(row[name] - value(row["time"] - jump)) / max(abs(value(t)) for t in since), name, row["time"])
                   for _, name, value in made for row in rows]
            case.check(max(far)[0] < 30 * tol, "%s tol %.0e: %s off by %.1e at %r" % ((" ".join(options), tol) + max(far)[1:2] + max(far)[:1] + max(far)[2:]), text)
    campaign.close()


if __name__ == "__main__":
    main()
