"""Random events against closed forms: clocks, resets and counters around one capacitor.

C1 is charged through a resistor towards a discrete d, so that between events its voltage is an exponential, and it crosses a
level at a known time. Clocks of random periods and offsets, resets of the voltage and assignments to discretes that name
each other; blocks of one instant follow each other as they stand, `pre` is the value before.
"""
import math

from campaign import Campaign

FAR = 1e99


def number(dice, low, high):
    return float("%.4g" % dice.uniform(low, high))


class Plan:
    def __init__(self, dice):
        self.tau = number(dice, 0.2, 2)
        self.d0 = number(dice, 1, 3)
        self.clocks = [(number(dice, 0.05, 0.7), dice.choice([0.0, number(dice, 0, 0.3)]), number(dice, -0.8, 0.8),
                        number(dice, -0.6, 0.6), number(dice, -1, 2)) for _ in range(dice.randint(1, 3))]
        self.top, self.back = number(dice, 0.6, 1.4), number(dice, 0.1, 0.8)
        self.low, self.jump = number(dice, -0.6, 0.2), number(dice, 1.5, 3)
        self.stop = number(dice, 3, 8)

    def text(self):
        lines = ["discrete d : V = %r V, n = 0, k = 0, s : V = 0 V" % self.d0, "V1 : vsource(a, ground)  v = d",
                 "R1 : resistor(a, b)  R = %r ohm" % self.tau, "C1 : capacitor(b, ground)  C = 1 F"]
        for period, offset, p, q, r in self.clocks:
            lines.append("every %r s offset %r s {\n  s = pre(s) + d\n  d = %r*pre(d) + %r*C1.v + %r V\n}"
                         % (period, offset, p, q, r))
        lines.append("when C1.v > %r V {\n  k = n + 1\n  C1.v = %r*pre(C1.v)\n  n = pre(n) + 1\n}" % (self.top, self.back))
        lines.append("when C1.v < %r V { d = %r V }" % (self.low, self.jump))
        lines.append("output C1.v as x, d, n, k, s\nsimulate stop = %r s" % self.stop)
        return "\n".join(lines) + "\n"

    def run(self, times, shift=0.0):
        """Rows at these times, or None where two events are too near to tell their order."""
        t, x, d, n, k, s, rows = 0.0, shift, self.d0, 0, 0, 0.0, []
        count = [0] * len(self.clocks)
        above, below = x > self.top, x < self.low
        times, index = list(times), 0

        def reaches(level, rising):
            if d == x or (level - d) / (x - d) <= 0 or (d > x) != rising:
                return FAR
            left = -self.tau * math.log((level - d) / (x - d))
            return t + left if left > 0 else FAR

        while index < len(times):
            ticks = [c[1] + m * c[0] for c, m in zip(self.clocks, count)]
            up = reaches(self.top, True) if not above else FAR
            down = reaches(self.low, False) if not below else FAR
            clear = [reaches(self.top, False) if above else FAR, reaches(self.low, True) if below else FAR]
            near = min(ticks + [up, down] + clear + [times[index]])
            others = sorted(ticks + [up, down] + clear)
            if len(others) > 1 and 1e-12 < others[1] - others[0] < 1e-6:
                return None
            x, t = d + (x - d) * math.exp(-(near - t) / self.tau), near
            hair = 9 * math.ulp(max(near, self.stop))  # a tick within rounding of a row is before it
            if near == times[index] and near < others[0] - (hair if others[0] in ticks else 0):
                rows.append((x, d, n, k, s))
                index += 1
                continue
            if near == clear[0]:
                above = False
            if near == clear[1]:
                below = False
            old_d, old_s = d, s
            for i, c in enumerate(self.clocks):
                if ticks[i] <= near + 1e-12:
                    d = c[2] * old_d + c[3] * x + c[4]
                    s = old_s + d
                    count[i] += 1
            if near == up:
                above = True
                n, k, x = n + 1, n + 2, self.back * x
                if x <= self.top:
                    above = False
                if x < self.low and not below:
                    below, d = True, self.jump
            if near == down:
                below, d = False, self.jump  # it turns back at the level
        return rows


def main():
    campaign = Campaign("events", 60)
    for case in campaign:
        plan = Plan(case.dice)
        times = sorted({number(case.dice, 0.02, plan.stop) for _ in range(6)})
        want, other = plan.run(times), plan.run(times, 1e-9)
        if want is None or other is None:
            continue
        text = plan.text()
        answer = case.program.run(text, times, "--tol", "1e-10", "--method", case.dice.choice(["auto", "rk", "rosenbrock"]))
        rows = answer.rows()
        if not case.check(rows is not None and len(rows) == len(times), answer.why(), text):
            continue
        for row, right, near in zip(rows, want, other):
            if max(abs(a - b) for a, b in zip(right, near)) > 1e-7:
                break  # small errors grow from event to event
            for name, value in zip(("x", "d", "n", "k", "s"), right):
                if not case.equal(row[name], float(value), 1e-6 * (1 + abs(value)), "%s(%r)" % (name, row["time"]), text):
                    break
    campaign.close()


if __name__ == "__main__":
    main()
