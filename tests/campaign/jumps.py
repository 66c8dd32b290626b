"""Jumps of sources in random linear networks with tied storage, against the tableau in numpy.

Storage is empty before the start, sources jump there and once more in the run. Some storage has a value that is given: it
holds after the first jump, so that what was stored there before is what makes it so. The tableau E z' + A z = b has the
solution z = A^-1 b + P (z- - A^-1 b) just after a jump, with P the projector on the finite modes along the impulsive ones,
and moves by exponentials of the finite modes. Steps of implicit Euler over next to nothing confirm that it is the limit of
a ramp. Charge, flux and momentum are conserved to 1e-12: charges of each cutset that only capacitors (masses, ..) can
send impulses through, fluxes of each circuit without current sources. In all forms and four trees. Where a random tree
has states that are not stored, such as the current of a capacitor, rounding of these states is allowed for besides.
"""
import numpy
import scipy.linalg

from campaign import Campaign
from rest import FORMS, Network, null_space

SHIFT = 0.734


class Jumping(Network):
    """Sources are constant before and after the time `when` (in units of the network's own time)."""

    def __init__(self, dice):
        super().__init__(dice)
        self.when, self.after, self.given = self.number(), {}, {}

    def add(self, kind, a, b):
        super().add(kind, a, b)
        if kind not in "VI":
            return
        parts, rates, value = self.law[-1]
        new = self.dice.choice([-1, 1]) * self.number()
        sign, size = (1 if value > 0 else -1), (1 / self.scale[0] if kind == "I" else 1)
        self.after[len(self.law) - 1] = sign * new
        head = self.lines[-1].rsplit(" = ", 1)[0]
        self.lines[-1] = "%s = if t < %r then %r else %r" % (
            head, self.when * self.scale[1], abs(value) * size, new * size)

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


class Solution:
    """Pieces of it; good: the network is regular and no mode grows."""

    def __init__(self, network):
        self.network = network
        E, A, b = network.matrices()
        c = b.copy()
        for row, value in network.after.items():
            c[row] = value
        self.good = False
        s = [numpy.linalg.svd(M, compute_uv=False) for M in (A, SHIFT * E + A)]
        if any(x[-1] < 1e-6 * x[0] for x in s):
            return
        M = numpy.linalg.solve(SHIFT * E + A, E)
        u, size, v = numpy.linalg.svd(numpy.linalg.matrix_power(M, 3))
        rank = int((size > 1e-7 * max(size[0], 1e-9)).sum())
        if rank == 0 or size[rank - 1] < 1e-4 * size[0] or rank < len(size) and size[rank] > 1e-12 * size[0]:
            return  # fast modes cannot be told from impulsive ones
        both = numpy.hstack([u[:, :rank], v[rank:].T])
        if numpy.linalg.cond(both) > 1e6:
            return
        self.range, self.into = u[:, :rank], numpy.linalg.inv(both)[:rank]
        self.rate = SHIFT * numpy.eye(rank) - numpy.linalg.inv(self.into @ M @ self.range)
        if max(numpy.linalg.eigvals(self.rate).real) > 1:
            return
        self.good = True
        self.rest = [numpy.linalg.solve(A, x) for x in (b, c)]
        before = self.before(network)
        if before is None:
            self.good = False
            return
        self.begin = [self.into @ (before - self.rest[0])]
        self.begin.append(self.into @ (self.at(network.when, 0) - self.rest[1]))

    def before(self, network):
        """Zero but for what gives storage its values after the jump; None: these do not determine it well."""
        n, before = len(network.edge), numpy.zeros(len(self.rest[0]))
        at = [key[0] + (n if key[1] == "i" else 0) for key, _, _ in network.given.values()]
        want = numpy.array([value for _, value, _ in network.given.values()])
        if not at:
            return before
        project = self.range @ self.into
        M = project[numpy.ix_(at, at)]
        if numpy.linalg.svd(M, compute_uv=False)[-1] < 1e-3:
            return None
        miss = want - (self.rest[0] - project @ self.rest[0])[at]
        before[at] = numpy.linalg.solve(M, miss)
        return before

    def at(self, t, piece):
        since = t - (self.network.when if piece else 0)
        return self.rest[piece] + self.range @ scipy.linalg.expm(self.rate * since) @ self.begin[piece]


def tight(network):
    """Windings without leakage: impulses pass through them as through a transformer."""
    return {name for name, law in network.coils if any(other == name and abs(law[0] * m[1] - law[1] * m[0]) < 1e-9
                                                       for other, m in network.coils if m != law)} or \
        {name for name, (a, b) in network.coils if abs(a) == abs(b)}


def by_ramp(network, right, before, piece):
    """The same by steps that go to zero, where sources change in no time: far shorter than the network's fastest time, and
    what it does meanwhile taken off by steps of half the length."""
    E, A, _ = network.matrices()
    b, h = A @ right.rest[piece], 1e-5 / max(10, abs(numpy.linalg.eigvals(right.rate)).max())
    ends = []
    for step in (h, h / 2):
        z = before
        for _ in range(4):
            z = numpy.linalg.solve(E / step + A, b + E @ z / step)
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
        """Charge or flux of each storage edge: {key of a stored value: factor}."""
        self.charge = {}
        for plain, rates, _ in network.law:
            own = [key for key in plain if plain[key] == 1 and key[0] < len(network.edge)]
            if rates and own:
                self.charge[own[0][0]] = {key: -factor for key, factor in rates.items()}

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

    def blur(self, states, point):
        """What rounding of the states of a tree makes of each stored value: eps times the terms that it is a sum of, in
        the best order. Trees with states such as the current of a capacitor know what is stored as a difference of large
        numbers. Empty: all states are stored, and nothing is allowed for."""
        network, size = self.network, len(self.network.edge)
        E, A, b = network.matrices()
        for row, value in network.after.items():
            b[row] = value
        plain = ~numpy.any(E != 0, axis=1)
        index = {"%s.%s" % (edge[0], word): (k + (size if i else 0), 1 / network.scale[0] if i else 1)
                 for k, edge in enumerate(network.edge) for i, word in enumerate(network.row[:2])}
        own = [name for name in states if name in index]
        if len(own) < len(states) or {s[0] for s in network.store}.issuperset(own):
            return {}
        pick = numpy.zeros((len(own), len(b)))
        pick[range(len(own)), [index[name][0] for name in own]] = 1
        right = numpy.concatenate([b[plain], [point[name] / index[name][1] for name in own]])
        terms = 2.3e-16 * abs(numpy.linalg.pinv(numpy.vstack([A[plain], pick]))) @ abs(right)
        return {s[1]: terms[s[1][0] + (size if s[1][1] == "i" else 0)] for s in network.store}

    def change(self, before, after, blur):
        """The largest that is more than rounding, relative."""
        names = {s[1]: (s[0], s[2]) for s in self.network.store}
        worst = 0.0
        for row in self.rows:
            change = [factor * (after[names[k][0]] - before[names[k][0]]) / names[k][1] for k, factor in row.items()]
            size = sum(abs(factor) * (abs(after[names[k][0]]) + abs(before[names[k][0]])) / abs(names[k][1])
                       for k, factor in row.items())
            size += max(1, sum(abs(factor) for factor in row.values()))  # sources are of size one
            noise = sum(abs(factor) * blur.get(k, 0) for k, factor in row.items())
            worst = max(worst, (abs(sum(change)) - 256 * noise) / size)
        return worst

    def check(self, case, before, after, moves, options, text):
        """moves: what happens by itself between the rows."""
        how, worst = " ".join(options), self.change(before, after, {})
        if worst > 1e-12 + moves:
            states = (case.program.call(text, "eval", "--json", *options).json() or {}).get("states", {})
            worst = self.change(before, after, self.blur(states, after))
            print("jumps: %s, states %s: %.2g beside rounding of these" % (how, ", ".join(states), worst))
        case.check(worst <= 1e-12 + moves, "%s: charge or flux is off by %.2g" % (how, worst), text)


def main():
    c = Campaign("jumps", 40)
    networks = 0
    for case in c:
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
            if not case.check(rows is not None, "%s: %s" % (how, answer.why()), text):
                continue
            if conserved.rows:
                moves = 2e-14 * w * max(abs(numpy.linalg.eigvals(right.rate)))
                conserved.check(case, rows[2], rows[3], moves, options, text)
            for t, row, want in zip(times, rows, wanted):
                # at a jump only what is stored has a value
                shown = [k for k in want if k in names or t not in (0, hair, w)]
                size = max([abs(w[k]) for w in wanted for k in want] + [1e-3])
                wrong = [k for k in shown if abs(row[k] - want[k]) > 3e-7 * size]
                if not case.check(not wrong, "%s at %r: %s" % (how, t * t0, [
                        "%s = %r, right %r" % (k, row[k], want[k]) for k in wrong[:3]]), text):
                    break
    print("jumps: %d networks" % networks)
    c.close()


if __name__ == "__main__":
    main()
