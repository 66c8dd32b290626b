"""Jumps of sources in random linear networks with tied storage, against the tableau in numpy.

Storage is empty before the start, sources jump there and once more in the run. Some storage has a value that is given: it
holds after the first jump, so that what was stored there before is what makes it so. The tableau E z' + A z = b has the
solution z = A^-1 b + P (z- - A^-1 b) just after a jump, with P the projector on the finite modes along the impulsive ones,
and moves by exponentials of the finite modes. Charge, flux and momentum are conserved, in all forms and several trees.
"""
import numpy
import scipy.linalg

from campaign import Campaign
from rest import FORMS, Network

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


def main():
    c = Campaign("jumps", 40)
    for case in c:
        network = Jumping(case.dice).make().give()
        if not network.after or not network.store:
            continue
        right = Solution(network)
        if not right.good:
            continue
        w, t0 = network.when, network.scale[1]
        times = [0, 0.5 * w, w, 1.1 * w, 2 * w]
        wanted = [network.wanted(right.at(t, t >= w)) for t in times]
        names = {s[0] for s in network.store}
        text = network.with_starts(network.text(False)).replace("stop = 1 ms", "stop = %r, tol = 1e-9" % (3 * w * t0))
        for form in case.dice.sample(FORMS, 2):
            options = ["--form", form] + (network.tree() if case.dice.random() < 0.7 else [])
            answer = c.program.run(text, [t * t0 for t in times], *options)
            rows, how = answer.rows(), " ".join(options)
            if not case.check(rows is not None, "%s: %s" % (how, answer.why()), text):
                continue
            for t, row, want in zip(times, rows, wanted):
                # at a jump only what is stored has a value
                shown = [k for k in want if k in names or t not in (0, w)]
                size = max([abs(w[k]) for w in wanted for k in want] + [1e-3])
                wrong = [k for k in shown if abs(row[k] - want[k]) > 3e-7 * size]
                if not case.check(not wrong, "%s at %r: %s" % (how, t * t0, [
                        "%s = %r, right %r" % (k, row[k], want[k]) for k in wrong[:3]]), text):
                    break
    c.close()


if __name__ == "__main__":
    main()
