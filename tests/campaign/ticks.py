"""The same sampled law as text, as code in C inside and in a process of its own, and in exported C, at random periods and
offsets that are no binary fractions: the time of a tick is offset + k*period to the bit, whatever happens beside it.

The law asks whether `t` is beyond one of the ticks, so that a time that is a hair off is wrong for a whole period.
"""
import csv
import io
import math
import os
import tempfile

from campaign import Campaign
from exported import rows_of_c

METHODS = ["auto", "rk", "rk8", "rosenbrock", "bdf", "adams", "independent"]
CODE = """#include <math.h>
void law(double t, const double *u, double *y, double *state)
{
    state[0] = state[0] + t;
    y[0] = t > LATE ? 1 : 0;
    y[1] = state[0];
    y[2] = t;
    y[3] = sin(3*t) + u[1] + (u[2] >= LATE ? 1 : 0) + u[3];
    y[4] = u[4] + t;
}
"""
IN_C = """K : controller(C1.v/(1 V), wave, now, jump, der(wave)*(1 s))  source = "law.c", function = "law", outputs = 5, states = 1, period = PERIOD s, offset = OFFSET s
signal late = K.y[1], sum = K.y[2], at = K.y[3], mix = K.y[4], turn = K.y[5]"""
AS_TEXT = """discrete late = 0, sum = 0, at = 0, mix = 0, turn = 0
every PERIOD s offset OFFSET s {
  sum = pre(sum) + t/(1 s)
  late = if t > LATE s then 1 else 0
  at = t/(1 s)
  mix = sin(3*t/(1 s)) + wave + (if now >= LATE then 1 else 0) + jump
  turn = der(wave)*(1 s) + t/(1 s)
}"""
MODEL = """model ticks
V1 : vsource(a, ground)  v = (late + 0.01*sum)*(1 V)
R1 : resistor(a, b)  R = 1 ohm
C1 : capacitor(b, ground)  C = 0.5 F, v(0) = 0 V
BESIDE
signal wave = sin(3*t/(1 s)), now = t/(1 s), jump = if t >= JUMP s then 10 else 0
LAW
output C1.v as c, late, sum, at, mix, turn, n
simulate start = START s, stop = STOP s, points = 40
"""
BESIDE = ["discrete n = 0\nwhen sin(17*t/(1 s)) > 0.3 { n = pre(n) + 1 }",
          "discrete n = 0\nwhen C1.v > 0.2 V { n = pre(n) + 1 }\nevery 3*PERIOD s offset OFFSET s { n = pre(n) + t/(1 s) }",
          "discrete n = 0\nD1 : ideal_diode(b, d)\nR2 : resistor(d, ground)  R = 0.7 ohm",
          "discrete n = 0\nevery 0.1 s { n = pre(n) + late }",
          "signal n = 0"]


def law(times, late, jump):
    """late, sum, at, mix, turn after each tick."""
    total, rows = 0.0, []
    for t in times:
        total += t
        near = abs(t - jump) < 1e-12 or t > jump      # a jump at the tick is seen, however both are rounded
        rows.append((t > late, total, t, math.sin(3 * t) + math.sin(3 * t) + (t >= late) + 10 * near, 3 * math.cos(3 * t) + t))
    return rows


def main():
    campaign = Campaign("ticks", 12)
    for case in campaign:
        dice = case.dice
        period = float("%.3g" % dice.uniform(0.02, 0.2))
        offset = dice.choice([0.0, period / 2, float("%.2g" % dice.uniform(0, period))])
        number = dice.randint(3, 9)
        own = offset + number * period
        late = dice.choice([own, float("%.10g" % own), 0.3])
        jump = dice.choice([float("%.12g" % own), own * (1 - 1e-16), own * (1 + 2.3e-16)])
        stop = (number + 4.5) * period
        begins = dice.choice([0, 0, 1, 2])                  # tick at which the run starts
        start = float("%.12g" % (offset + begins * period)) if begins else 0.0
        values = {"START": repr(start), "PERIOD": repr(period), "OFFSET": repr(offset), "LATE": repr(late), "JUMP": repr(jump), "STOP": repr(stop)}
        beside, method = dice.choice(BESIDE), dice.choice(METHODS)

        def filled(text):
            for name, value in values.items():
                text = text.replace(name, value)
            return text

        texts = [filled(MODEL.replace("BESIDE", beside).replace("LAW", way)) for way in (AS_TEXT, IN_C, IN_C)]
        with open(os.path.join(case.program.folder.name, "law.c"), "w") as f:
            f.write(filled(CODE))
        os.environ["XDG_CACHE_HOME"] = case.program.folder.name
        said = [case.program.run(text, None, "--method", method, *more)
                for text, more in zip(texts, ([], ["--allow-native"], ["--trust-native"]))]
        if not case.check(all(one.code == 0 for one in said), " ".join(one.why() for one in said if one.code), texts[0]):
            continue
        case.check(said[0].out == said[1].out == said[2].out, "text and code differ with %s" % method, texts[0])
        times = [offset + k * period for k in range(begins, 40)]
        rows, right = list(csv.DictReader(io.StringIO(said[0].out))), law(times, late, jump)
        with tempfile.TemporaryDirectory() as folder:
            exported, why = rows_of_c(case.program, texts[0], folder, "ticks")
        if not case.check(exported and len(exported) == len(rows), "exported: " + why, texts[0]):
            continue
        for row, other in zip(rows, exported):
            t = float(row["time"])
            if min(abs(t - tick) for tick in times) < 1e-9 or t < offset:
                continue
            want = right[sum(tick < t for tick in times) - 1]
            for name, value in zip(("late", "sum", "at", "mix", "turn"), want):
                near = 0 if name not in ("mix", "turn") else 1e-13
                good = case.equal(float(row[name]), float(value), near, "%s(%r) with %s" % (name, t, method), texts[0]) and \
                    case.equal(other[name], float(value), near, "%s(%r) in exported C" % (name, t), texts[0])
                if not good:
                    break
            else:
                continue
            break
    campaign.close()


if __name__ == "__main__":
    main()
