"""Jumps of sources in random linear networks with tied storage, against the tableau in numpy.

Storage is empty before the start, sources jump there and once more in the run, and some capacitances and inductances with
them: charge and flux stay, and not voltage and current. Some storage has a value that is given: it
holds after the first jump, so that what was stored there before is what makes it so. The tableau E z' + A z = b has the
solution z = A^-1 b + P (z- - A^-1 b) just after a jump, with P the projector on the finite modes along the impulsive ones,
and moves by exponentials of the finite modes. Steps of implicit Euler over next to nothing confirm that it is the limit of
a ramp. Charge, flux and momentum are conserved to 1e-12: charges of each cutset that only capacitors (masses, ..) can
send impulses through, fluxes of each circuit without current sources. Impulses that are told (W532) are those of the
tableau. In all forms and four trees, also where states are not what is stored.
"""
import re

import numpy
import scipy.linalg

from campaign import Campaign
from rest import FORMS, Network, null_space

SHIFT = 0.734
# The voltage of C7 is a difference of large numbers in this tree: roundings of a long step from 0 would show.
SMOOTH = """model smooth
C0 : capacitor(ground, n1) C = 0.0314
R1 : resistor(n1, n2) R = 815
R2 : resistor(n2, n3) R = 102.5
L3 : inductor(n4, n1) L = 680
C4 : capacitor(n3, n5) C = 0.242
R5 : resistor(n6, ground) R = 17.75
V6 : vsource(n5, n4) v = if t < 24.6 then 1.01 else -0.914
C7 : capacitor(n2, n1) C = 4.76
L8 : inductor(n4, n6) L = 11850
C9 : capacitor(ground, n5) C = 0.01446
C10 : capacitor(n5, n2) C = 0.0974
C11 : capacitor(n3, n2) C = 0.00948
R12 : resistor(n6, n5) R = 142.5
output C7.v, C9.v
simulate stop = 73.8, tol = 1e-9
"""


class Jumping(Network):
    """Sources are constant before and after the time `when` (in units of the network's own time)."""

    def __init__(self, dice):
        super().__init__(dice)
        self.when, self.after, self.given = self.number(), {}, {}
        self.varies, self.rates_after, self.heads = dice.random() < 0.4, {}, []

    def add(self, kind, a, b):
        super().add(kind, a, b)
        if kind in "CL" and self.varies and self.domain == "electrical" and self.dice.random() < 0.5:
            self.vary()
        if kind not in "VI":
            return
        parts, rates, value = self.law[-1]
        new = self.dice.choice([-1, 1]) * self.number()
        sign, size = (1 if value > 0 else -1), (1 / self.scale[0] if kind == "I" else 1)
        self.after[len(self.law) - 1] = sign * new
        head = self.lines[-1].rsplit(" = ", 1)[0]
        self.lines[-1] = "%s = if t < %r then %r else %r" % (
            head, self.when * self.scale[1], abs(value) * size, new * size)

    def vary(self):
        """The storage that was added last has another factor from the jump on: by a condition, an input or an event."""
        row, by, when = len(self.law) - 1, self.dice.choice([0.2, 0.5, 2, 3]), self.when * self.scale[1]
        plain, rates, value = self.law[row]
        self.rates_after[row] = {key: by * factor for key, factor in rates.items()}
        head, size = self.lines[-1].rsplit(" = ", 1)
        name, rest = head.split(" : ")
        factor = self.dice.choice(["(if t < %r then 1 else %r)" % (when, by), "u_%s" % name, "d_%s" % name])
        self.lines[-1] = "%s : variable_%s = %s*(%s)" % (name, rest, factor, size)
        if factor[0] == "u":
            self.heads.append("input %s : 1 = if t < %r then 1 else %r" % (factor, when, by))
        if factor[0] == "d":
            self.heads += ["discrete %s = 1" % factor, "when t >= %r { %s = %r }" % (when, factor, by)]

    def matrix_after(self):
        """E from the jump on."""
        before, self.law = self.law, [(plain, self.rates_after.get(row, rates), value)
                                      for row, (plain, rates, value) in enumerate(self.law)]
        E = self.matrices()[0]
        self.law = before
        return E

    def text(self, start):
        return super().text(start).replace("model random\n", "\n".join(["model random"] + self.heads) + "\n")

    def tied_springs(self):
        """Do springs form circuits? Then they share the places of their ends."""
        group = list(range(self.nodes + 1))
        for name, a, b in self.edge:
            if name[0] == "L" and group[a] == group[b]:
                return True
            if name[0] == "L":
                group = [group[a] if g == group[b] else g for g in group]
        return False

    def give(self):
        """Values of some storage."""
        own = [s for s in self.store if not s[0].endswith(".x") or not self.tied_springs()]
        for name, key, size in self.dice.sample(own, min(len(own), self.dice.choice([0, 1, 1, 2, 3]))):
            self.given[name] = (key, self.number() * self.dice.choice([-1, 1]), size)
        return self

    def with_starts(self, text):
        return text + "".join("initial %s = %r\n" % (name, value * size) for name, (_, value, size) in self.given.items())


class Finite:
    """The finite modes of E z' + A z = b; good: they are well told from impulsive ones, and none grows."""

    def __init__(self, E, A):
        self.E, self.good, self.shifted = E, False, SHIFT * E + A
        s = [numpy.linalg.svd(M, compute_uv=False) for M in (A, self.shifted)]
        if any(x[-1] < 1e-6 * x[0] for x in s):
            return
        M = numpy.linalg.solve(self.shifted, E)
        u, size, v = numpy.linalg.svd(numpy.linalg.matrix_power(M, 3))
        rank = int((size > 1e-7 * max(size[0], 1e-9)).sum())
        if rank == 0 or size[rank - 1] < 1e-4 * size[0] or rank < len(size) and size[rank] > 1e-12 * size[0]:
            return  # fast modes cannot be told from impulsive ones
        both = numpy.hstack([u[:, :rank], v[rank:].T])
        if numpy.linalg.cond(both) > 1e6:
            return
        self.range, self.into = u[:, :rank], numpy.linalg.inv(both)[:rank]
        self.inverse = numpy.linalg.inv(self.into @ M @ self.range)
        self.rate = SHIFT * numpy.eye(rank) - self.inverse
        self.good = max(numpy.linalg.eigvals(self.rate).real) <= 1

    def begin(self, charge, rest):
        """Just after a jump to where `rest` is the rest, from what was stored (E z)."""
        return self.inverse @ self.into @ numpy.linalg.solve(self.shifted, charge - self.E @ rest)


class Solution:
    """Pieces of it; good: the network is regular and no mode grows."""

    def __init__(self, network):
        self.network, self.good = network, False
        E, A, b = network.matrices()
        c = b.copy()
        for row, value in network.after.items():
            c[row] = value
        self.modes = [Finite(E, A), Finite(network.matrix_after(), A)]
        if not all(modes.good for modes in self.modes):
            return
        self.rest = [numpy.linalg.solve(A, x) for x in (b, c)]
        before = self.before(network)
        if before is None:
            return
        self.good = True
        self.begin = [self.modes[0].begin(E @ before, self.rest[0])]
        self.begin.append(self.modes[1].begin(E @ self.at(network.when, 0), self.rest[1]))

    def fastest(self):
        return max(abs(numpy.linalg.eigvals(modes.rate)).max() for modes in self.modes)

    def before(self, network):
        """Zero but for what gives storage its values after the jump; None: these do not determine it well."""
        n, before = len(network.edge), numpy.zeros(len(self.rest[0]))
        at = [key[0] + (n if key[1] == "i" else 0) for key, _, _ in network.given.values()]
        want = numpy.array([value for _, value, _ in network.given.values()])
        if not at:
            return before
        project = self.modes[0].range @ self.modes[0].into
        M = project[numpy.ix_(at, at)]
        if numpy.linalg.svd(M, compute_uv=False)[-1] < 1e-3:
            return None
        miss = want - (self.rest[0] - project @ self.rest[0])[at]
        before[at] = numpy.linalg.solve(M, miss)
        return before

    def at(self, t, piece):
        since = t - (self.network.when if piece else 0)
        modes = self.modes[piece]
        return self.rest[piece] + modes.range @ scipy.linalg.expm(modes.rate * since) @ self.begin[piece]


def tight(network):
    """Windings without leakage: impulses pass through them as through a transformer."""
    return {name for name, law in network.coils if any(other == name and abs(law[0] * m[1] - law[1] * m[0]) < 1e-9
                                                       for other, m in network.coils if m != law)} or \
        {name for name, (a, b) in network.coils if abs(a) == abs(b)}


def by_ramp(network, right, before, piece):
    """The same by steps that go to zero, where sources change in no time: far shorter than the network's fastest time, and
    what it does meanwhile taken off by steps of half the length."""
    was, A, _ = network.matrices()
    E, b, h = network.matrix_after(), A @ right.rest[piece], 1e-5 / max(10, right.fastest())
    ends = []
    for step in (h, h / 2):
        charge = was @ before
        for _ in range(4):
            z = numpy.linalg.solve(E / step + A, b + charge / step)
            charge = E @ z
        ends.append(z)
    return 2 * ends[1] - ends[0]


def check_ramp(case, network, right, text):
    """What is stored just after the second jump; windings without leakage would need finer numbers."""
    if tight(network):
        return
    want = network.stored(network.wanted(right.at(network.when, 1)))
    got = network.stored(network.wanted(by_ramp(network, right, right.at(network.when, 0), 1)))
    size = max([abs(v) for v in want.values()] + [1e-3])
    wrong = {k: (got[k], v) for k, v in want.items() if abs(got[k] - v) > 1e-3 * size}
    case.check(not wrong, "the projector is not the limit of ramps: %s" % wrong, text)


class Conserved:
    """Sums of stored charges and fluxes that no jump changes, as rows over the stored values."""

    def __init__(self, network):
        self.rows, self.network, self.tight = [], network, tight(network)
        kind = [e[0][0] for e in network.edge]
        if "B" in kind:
            return  # active: impulses may pass through resistors
        self.factors(network)
        self.cutsets(network, kind)
        self.circuits(network, kind)

    def factors(self, network):
        """Charge or flux of each storage edge: {key of a stored value: its factor before and after}."""
        self.charge = {}
        for row, (plain, rates, _) in enumerate(network.law):
            own = [key for key in plain if plain[key] == 1 and key[0] < len(network.edge)]
            after = network.rates_after.get(row, rates)
            if rates and own:
                self.charge[own[0][0]] = {key: -numpy.array([factor, after[key]]) for key, factor in rates.items()}

    def groups(self, network, joins):
        group = list(range(network.nodes + 1))
        for k, (_, a, b) in enumerate(network.edge):
            if joins(k) and group[a] != group[b]:
                old, new = group[a], group[b]
                group = [new if g == old else g for g in group]
        return group

    def cutsets(self, network, kind):
        group = self.groups(network, lambda k: kind[k] in "VTG" or network.edge[k][0].split(".")[0] in self.tight)
        for g in set(group):
            row = {}
            for k, (_, a, b) in enumerate(network.edge):
                if kind[k] == "C" and (group[a] == g) != (group[b] == g):
                    for key, factor in self.charge[k].items():
                        row[key] = row.get(key, 0) + (factor if group[a] == g else -factor)
            if row:
                self.rows.append(row)

    def circuits(self, network, kind):
        used = [k for k in range(len(kind)) if kind[k] not in "ITG"]
        edges = [(network.edge[k][1], network.edge[k][2]) for k in used]
        ends = numpy.zeros((network.nodes + 1, len(used)))
        for i, (a, b) in enumerate(edges):
            ends[a, i] += 1
            ends[b, i] -= 1
        for loop in null_space(ends).T if used else []:
            row = {}
            for i, k in enumerate(used):
                for key, factor in self.charge.get(k, {}).items() if kind[k] in "LK" and abs(loop[i]) > 1e-9 else ():
                    row[key] = row.get(key, 0) + loop[i] * factor
            if row:
                self.rows.append(row)

    def change(self, before, after):
        """The largest, relative to what takes part; sources are of size one."""
        names = {s[1]: (s[0], s[2]) for s in self.network.store}
        worst = 0.0
        for row in self.rows:
            terms = [(factor[1] * after[names[k][0]] / names[k][1], -factor[0] * before[names[k][0]] / names[k][1])
                     for k, factor in row.items()]
            size = sum(abs(a) + abs(b) for a, b in terms) + max(1, sum(abs(factor).max() for factor in row.values()))
            worst = max(worst, abs(sum(a + b for a, b in terms)) / size)
        return worst

    def check(self, case, before, after, moves, options, text):
        """moves: what happens by itself between the rows."""
        how, worst, least = " ".join(options), self.change(before, after), 1e-12 + moves
        case.check(worst <= least, "%s: charge or flux is off by %.2g" % (how, worst), text)
        return worst - moves


def check_told(case, network, right, answer, how, text):
    """Impulses by name and size: what storage has after the jump more than before. Sources are of size one."""
    (r0, t0), w = network.scale, network.when
    if tight(network):
        return  # what has leaked away by rounding only is no stored flux
    before, after = network.matrices()[0] @ right.at(w, 0), network.matrix_after() @ right.at(w, 1)
    wanted, most = {}, {False: 0.1 * t0 / r0, True: 0.1 * t0}
    for k, (name, _, _) in enumerate(network.edge):
        across = name[0] in "LK"
        dual = "%s.%s" % (name, network.row[0 if across else 1])
        wanted[dual] = (before[k] - after[k]) * t0 / (1 if across else r0)
        size = max(abs(before[k]), abs(after[k])) * t0 / (1 if across else r0)
        most[across] = max(most[across], size)
    told = re.findall(r"W532\]: \S+ jumps at t = \S+ s: (\S+) takes an impulse of (\S+) ", answer.err)
    wrong = ["%s %s, right %.6g" % (name, size, wanted[name]) for name, size in told
             if abs(float(size) - wanted[name]) > 1e-5 * abs(wanted[name]) + 1e-7 * most[name.split(".")[0][0] in "LK"]]
    case.check(not wrong, "%s: told impulses of %s" % (how, wrong[:3]), text)
    jumps = [name for name, size in wanted.items() if abs(size) > 1e-6 * most[name[0] in "LK"]]
    case.check(told or not jumps, "%s: no word of impulses of %s" % (how, jumps[:3]), text)


def check_switched(case):
    """Capacitors that switches and diodes join: what is told is the charge that rows show, and no jump is without a word."""
    dice, caps, lines = case.dice, {}, ["model switched"]
    number = lambda low, high: round(dice.uniform(low, high), 2)
    nodes = dice.randint(3, 5)
    for k in range(nodes):
        other = "n%d" % dice.randrange(k) if k and dice.random() < 0.3 else "ground"
        caps["C%d" % k] = number(0.5, 3)
        lines.append("C%d : capacitor(n%d, %s) C = %r, v(0) = %r" % (k, k, other, caps["C%d" % k], number(-3, 3)))
        lines.append("R%d : resistor(n%d, ground) R = %r" % (k, k, number(2, 9)))
    for k in range(dice.randint(2, 4)):
        ends = "(n%d, n%d)" % tuple(dice.sample(range(nodes), 2))
        lines.append("S%d : switch%s on = t > 1" % (k, ends) if dice.random() < 0.5 else "D%d : ideal_diode%s" % (k, ends))
    if dice.random() < 0.5:
        caps["CV"] = 1.0
        lines.append("V : vsource(s, ground) v = if t < 1 then 1 else 3\nCV : capacitor(s, n0) C = 1, v(0) = 0")
    text = "\n".join(lines + ["output " + ", ".join(c + ".v" for c in caps), "simulate stop = 1.5, tol = 1e-10", ""])
    answer = case.program.run(text, [1 - 1e-12, 1])
    rows = answer.rows()
    if rows is None:
        return  # starts that contradict each other are told
    moved = {c: C * (rows[1][c + ".v"] - rows[0][c + ".v"]) for c, C in caps.items()}
    told = [(c, float(size)) for c, size in re.findall(r"t = 1 s: (\w+)\.i takes an impulse of (\S+) ", answer.err)]
    wrong = ["%s %r, right %.6g" % (c, size, moved[c]) for c, size in told if abs(size - moved[c]) > 1e-5 * abs(size) + 1e-9]
    case.check(not wrong, "told impulses of %s" % wrong, text)
    case.check(told or max(map(abs, moved.values())) < 1e-6, "no word of impulses: %s" % moved, text)


def check_smooth(case):
    """Rows just before an instant are those of the instant where nothing jumps, however they were reached."""
    options = ["--form", "tableau", "--tree", "L3,R12,C7,V6"]
    for times in ([0, 12.3], [0.1], [3.3, 20.1], []):
        rows = case.program.run(SMOOTH, times + [24.6 * (1 - 1e-14), 24.6], *options).rows()
        for name in ("C7.v", "C9.v"):
            case.equal(rows[-2][name] - rows[-1][name], 0.0, 2e-13, "change of %s behind %s" % (name, times), SMOOTH)


def main():
    c = Campaign("jumps", 40)
    networks = worst = 0
    c.number = 0
    check_smooth(c)
    for case in c:
        if case.number % 10 == 9:
            check_switched(case)
            continue
        network = Jumping(case.dice).make().give()
        if not network.after or not network.store:
            continue
        right = Solution(network)
        if not right.good:
            continue
        w, t0 = network.when, network.scale[1]
        hair = w * (1 - 1e-14)
        times = [0, 0.5 * w, hair, w, 1.1 * w, 2 * w]
        wanted = [network.wanted(right.at(t, t >= w)) for t in times]
        names = {s[0] for s in network.store}
        text = network.with_starts(network.text(False)).replace("stop = 1 ms", "stop = %r, tol = 1e-9" % (3 * w * t0))
        check_ramp(case, network, right, text)
        conserved = Conserved(network)
        networks += 1
        for tree in range(4):
            options = ["--form", case.dice.choice(FORMS)] + (network.tree() if tree else [])
            answer = c.program.run(text, [t * t0 for t in times], *options)
            rows, how = answer.rows(), " ".join(options)
            if rows is None and network.rates_after and tight(network) and "E511" in answer.why():
                continue  # beside windings without leakage some ties of factors that jump are refused, and told
            if not case.check(rows is not None, "%s: %s" % (how, answer.why()), text):
                continue
            check_told(case, network, right, answer, how, text)
            if conserved.rows:
                moves = 2e-14 * w * right.fastest()
                worst = max(worst, conserved.check(case, rows[2], rows[3], moves, options, text))
            for t, row, want in zip(times, rows, wanted):
                # at a jump only what is stored has a value
                shown = [k for k in want if k in names or t not in (0, hair, w)]
                size = max([abs(w[k]) for w in wanted for k in want] + [1e-3])
                wrong = [k for k in shown if abs(row[k] - want[k]) > 3e-7 * size]
                if not case.check(not wrong, "%s at %r: %s" % (how, t * t0, [
                        "%s = %r, right %r" % (k, row[k], want[k]) for k in wrong[:3]]), text):
                    break
    print("jumps: %d networks; charge and flux to %.2g" % (networks, worst))
    c.close()


if __name__ == "__main__":
    main()
