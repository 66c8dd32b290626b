"""Operating points of random linear networks against the tableau in numpy.

Networks of all domains with dependent storage, nodes between capacitors, loops of inductors, coupled coils, two-ports, and
sources that move at the start. The tableau E z' + A z = b says at rest A z = b, and of what that leaves open w^T E z = 0
for all w with w^T A = 0, because storage was empty; one long step of implicit Euler from zero must agree. All forms and
several trees, `equilibrium` and the first row of a run with `initial equilibrium` give these values; a warning names
what was open, and there is none otherwise.
"""
import re

import numpy

from campaign import Campaign

#        across, through, source of each, resistor, accumulator, delay (NAME, key, value by R, C, L)
DOMAIN = {
    "electrical": ("v", "i", ("vsource", "v"), ("isource", "i"), ("resistor", "R", lambda r: r),
                   ("capacitor", "C", lambda c: c), ("inductor", "L", lambda x: x)),
    "hydraulic": ("p", "q", ("pressure_source", "p"), ("flow_source", "q"), ("fluid_leakage", "G", lambda r: 1 / r),
                  ("accumulator", "C", lambda c: c), ("fluid_inertance", "I", lambda x: x)),
    "thermal": ("T", "Q", ("temperature_source", "T"), ("heat_source", "Q"), ("thermal_resistor", "R", lambda r: r),
                ("thermal_capacitor", "C", lambda c: c), None),
    "translational": ("v", "F", ("velocity_source", "v"), ("force", "F"), ("damper", "d", lambda r: 1 / r),
                      ("inerter", "b", lambda c: c), ("spring", "k", lambda x: 1 / x)),
}
FORMS = ["nodal", "branch-chord", "tableau", "numeric"]


class Network:
    """Edges and rows of the tableau over (across, through) of each edge and own unknowns."""

    def __init__(self, dice):
        self.dice, self.domain = dice, dice.choice(["electrical"] * 4 + list(DOMAIN))
        self.row = DOMAIN[self.domain]
        self.edge, self.law, self.lines, self.store, self.coils = [], [], [], [], []
        self.scale = dice.choice([(1, 1), (1e3, 1e-3), (50, 10)])  # resistance, time
        self.nodes = dice.randint(2, 6)

    def number(self):
        return float("%.3g" % self.dice.uniform(0.3, 3))

    def ends(self):
        a, b = self.dice.sample(range(self.nodes + 1), 2)
        return a, b

    def name(self, node):
        return "n%d" % node if node else "ground"

    def add(self, kind, a, b):
        k, (r0, t0) = len(self.edge), self.scale
        name, value = "%s%d" % (kind, k), self.number() * self.dice.choice([1, 1, 1, 10, 0.1])
        across, through, vs, cs, res, acc, delay = self.row
        element = {"V": vs, "I": cs, "R": res, "C": acc, "L": delay}[kind]
        if kind in "VI":
            size = 1 / r0 if kind == "I" else 1
            still, moving, w = self.number(), self.number(), self.number()
            text = "%r + %r*sin(%r*t)" % (still * size, moving * size, w / t0)
            sign = -1 if element[0] == "force" else 1  # pushes its head
            self.law.append(({(k, "v" if kind == "V" else "i"): 1.0}, {}, sign * still))
        else:
            unit = {"R": r0, "C": t0 / r0, "L": r0 * t0}[kind]
            text = repr(element[2](value * unit))
            one, other, factor = {"R": ("v", "i", value), "C": ("i", "v", value), "L": ("v", "i", value)}[kind]
            parts = {(k, other): -factor}
            self.law.append(({(k, one): 1.0, **(parts if kind == "R" else {})}, {} if kind == "R" else parts, 0))
        if kind == "C":
            self.store.append(("%s.%s" % (name, across), (k, "v"), 1.0))
        if kind == "L":
            spring = self.domain == "translational"
            own, size = ("x", value * t0) if spring else (through, 1 / r0)
            self.store.append(("%s.%s" % (name, own), (k, "i"), size))
        self.edge.append((name, a, b))
        self.lines.append("%s : %s(%s, %s) %s = %s" % (name, element[0], self.name(a), self.name(b), element[1], text))

    def add_pair(self, kind, a, b, c, d):
        k, (r0, t0) = len(self.edge), self.scale
        name, n = "%s%d" % (kind, k), self.number()
        self.edge += [(name + ".e1", a, b), (name + ".e2", c, d)]
        if kind == "T":
            self.law.append(({(k, "v"): 1, (k + 1, "v"): -n}, {}, 0))
            self.law.append(({(k + 1, "i"): 1, (k, "i"): n}, {}, 0))
            text = "transformer(%s) n = %r"
        elif kind == "G":
            self.law.append(({(k, "v"): 1, (k + 1, "i"): -n}, {}, 0))
            self.law.append(({(k + 1, "v"): 1, (k, "i"): n}, {}, 0))
            n *= r0
            text = "gyrator(%s) r = %r"
        elif kind == "B":
            self.law.append(({(k, "i"): 1}, {}, 0))
            self.law.append(({(k + 1, "i"): 1, (k, "v"): -n}, {}, 0))
            self.edge[k], self.edge[k + 1] = (name + ".c", a, b), (name + ".e", c, d)
            n /= r0
            text = "vccs(%s) gm = %r"
        else:
            # windings in whole numbers: a product of them is exact, and so is k = 1
            first, second = self.dice.randint(1, 3), self.dice.randint(1, 3)
            factor = self.dice.choice([1, 1, -1, 0.5])
            m = factor * first * second
            self.law.append(({(k, "v"): 1}, {(k, "i"): -first * first, (k + 1, "i"): -m}, 0))
            self.law.append(({(k + 1, "v"): 1}, {(k, "i"): -m, (k + 1, "i"): -second * second}, 0))
            self.store += [("%s.e1.i" % name, (k, "i"), 1 / r0), ("%s.e2.i" % name, (k + 1, "i"), 1 / r0)]
            self.coils += [(name, (first * first, m)), (name, (m, second * second))]
            n = factor
            text = "coupled_inductors(%%s) L1 = %r, L2 = %r, k = %%r" % (first * first * r0 * t0, second * second * r0 * t0)
        self.lines.append("%s : " % name + text % ("%s, %s | %s, %s" % tuple(map(self.name, (a, b, c, d))), n))

    def kinds(self):
        weights = self.dice.choice(["RCLVI", "RCCCCI", "RLLLLV", "RRCLCV", "RCCLLVI", "CCLLV", "RRRCCLLVI"])
        return weights if self.row[6] else weights.replace("L", "C")

    def make(self):
        kinds = self.kinds()
        for node in range(1, self.nodes + 1):  # connected
            a, b = node, self.dice.randrange(node)
            self.add(self.dice.choice(kinds), *((a, b) if self.dice.random() < 0.5 else (b, a)))
        for _ in range(self.dice.randint(0, self.nodes + 2)):
            self.add(self.dice.choice(kinds), *self.ends())
        if self.domain == "electrical" and self.dice.random() < 0.5:
            self.add_pair(self.dice.choice("TGKKB"), *self.ends(), *self.ends())
        return self

    def matrices(self):
        """E, A, b over across and through of all edges, then potentials."""
        n, k = len(self.edge), self.nodes
        size = 2 * n + k
        E, A, b = numpy.zeros((size, size)), numpy.zeros((size, size)), numpy.zeros(size)
        at = lambda key: key[0] + (n if key[1] == "i" else 0)
        for r, (plain, rates, value) in enumerate(self.law):
            for key, factor in plain.items():
                A[r, at(key)] += factor
            for key, factor in rates.items():
                E[r, at(key)] += factor
            b[r] = value
        for r, (_, tail, head) in enumerate(self.edge):
            A[n + r, r] = 1
            for node, sign in ((tail, 1), (head, -1)):
                if node:
                    A[n + r, 2 * n + node - 1] -= sign
                    A[2 * n + node - 1, n + r] += sign
        return E, A, b

    def text(self, start):
        across, through = self.row[:2]
        names = [s[0] for s in self.store] + ["%s.%s" % (e[0], x) for e in self.edge for x in (across, through)]
        return "model random\n%s\noutput %s\n%ssimulate stop = 1 ms\n" % (
            "\n".join(self.lines), ", ".join(dict.fromkeys(names)), "initial equilibrium\n" if start else "")

    def wanted(self, z):
        """Values of all outputs; and how a direction moves them."""
        (r0, t0), n = self.scale, len(self.edge)
        out = {}
        for k, (name, _, _) in enumerate(self.edge):
            out["%s.%s" % (name, self.row[0])] = z[k]
            if name[0] != "I":  # F of a force is its parameter
                out["%s.%s" % (name, self.row[1])] = z[n + k] / r0
        for name, (k, what), factor in self.store:
            out[name] = z[k + (n if what == "i" else 0)] * factor
        return out

    def stored(self, values):
        """What a run begins with: currents of windings without leakage may follow rates of sources, their fluxes do not."""
        out = {s[0]: values[s[0]] for s in self.store if s[0][0] != "K"}
        for k, (name, (first, second)) in enumerate(self.coils):
            flux = first * values[name + ".e1.i"] + second * values[name + ".e2.i"]
            out["flux %d of %s" % (k + 1, name)] = flux * self.scale[0]
        return out

    def size(self, name):
        return next(factor for own, _, factor in self.store if own == name)

    def tree(self):
        """Some edges without a circuit, in any order."""
        group, chosen, edges = list(range(self.nodes + 1)), [], [e for e in self.edge if "." not in e[0]]
        for name, a, b in self.dice.sample(edges, len(edges)):
            if group[a] != group[b] and len(chosen) < 4:
                chosen.append(name)
                old, new = group[a], group[b]
                group = [new if g == old else g for g in group]
        return ["--tree", ",".join(chosen)]


def null_space(M, tolerance=1e-9):
    if not M.shape[0]:
        return numpy.eye(M.shape[1])
    _, s, v = numpy.linalg.svd(M)
    rank = int((s > tolerance * max(s[0], 1e-3)).sum())
    return v[rank:].T


def echelon(M):
    """Rows with each other's leading columns cleared."""
    M = M.copy()
    lead = []
    for r in range(len(M)):
        for k, c in lead:
            M[r] -= M[r, c] * M[k]
        c = int(numpy.argmax(abs(M[r])))
        if abs(M[r, c]) < 1e-9:
            M[r] = 0
            continue
        M[r] /= M[r, c]
        for k in range(len(M)):
            if k != r:
                M[k] -= M[k, c] * M[r]
        lead.append((r, c))
    M[abs(M) < 1e-8] = 0
    return M


def closed(network, directions):
    """Springs in a circuit share the places of their ends: only directions that keep it closed are open."""
    springs = [k for k, e in enumerate(network.edge) if network.domain == "translational" and e[0][0] == "L"]
    if not springs or not directions.shape[1]:
        return directions
    ends = numpy.zeros((network.nodes + 1, len(springs)))
    for i, k in enumerate(springs):
        ends[network.edge[k][1], i], ends[network.edge[k][2], i] = 1, -1
    lengths = numpy.array([[network.wanted(v)[network.edge[k][0] + ".x"] for v in directions.T] for k in springs])
    return directions @ null_space(null_space(ends).T @ lengths / network.scale[1])


def open_sets(network, directions):
    """Sets of storage that move together along the null space."""
    directions = closed(network, directions)
    names = [s[0] for s in network.store]
    if not names or not directions.shape[1]:
        return set()
    moves = []
    for v in directions.T:
        shown = network.wanted(v)
        moves.append([shown[name] / network.size(name) for name in names])
    _, s, rows = numpy.linalg.svd(numpy.array(moves), full_matrices=False)
    M = echelon(rows[: int((s > 1e-8).sum())])
    sets = []
    for row in M:
        one = {names[i] for i in range(len(names)) if row[i] != 0}
        near = [s for s in sets if s & one]
        sets = [s for s in sets if not s & one] + [one.union(*near)]
    return {frozenset(s) for s in sets if s}


class Right:
    """The answer; kind: rest, none (no steady state), skip (no answer by these rules, or no regular network)."""

    def __init__(self, network):
        E, A, b = network.matrices()
        size = len(b)
        self.kind = "skip"
        probe = [numpy.linalg.svd(E * s + A, compute_uv=False) for s in (0.734, 1.91)]
        if any(p[-1] < 1e-7 * p[0] for p in probe):
            return
        W, N = null_space(A.T), null_space(A)
        if abs(W.T @ b).max(initial=0) > 1e-9:
            self.kind = "none"
            return
        M, right = numpy.vstack([A, W.T @ E]), numpy.concatenate([b, numpy.zeros(W.shape[1])])
        if numpy.linalg.matrix_rank(M, tol=1e-7) < size:
            return  # a chain: a collector behind a collector
        z = numpy.linalg.lstsq(M, right, rcond=None)[0]
        self.values = network.wanted(z)
        self.sets = open_sets(network, N)
        if not self.agrees(E, A, b, z):
            return
        self.kind = "rest"

    @staticmethod
    def agrees(E, A, b, z):
        """Sources that rise by and by: steps of implicit Euler from zero."""
        x = numpy.zeros(len(b))
        for h in (0.5, 1e2, 1e4, 1e5, 1e5, 1e5):
            part = min(1, h / 1e4)
            x = numpy.linalg.solve(E / h + A, b * part + E @ x / h)
        return abs(x - z).max() < 1e-5 * max(1, abs(z).max())


def said_sets(answer):
    return {frozenset(m.split(", ")) for m in re.findall(r'rest leave ([^\n"]*?) open', answer.out + answer.err)}


def outputs(answer):
    """The lines below `outputs`; JSON would not tell the warnings."""
    lines = answer.out.partition("\noutputs\n")[2].splitlines()
    return {a.strip(): float(b) for a, _, b in (line.partition(" = ") for line in lines)} if answer.code == 0 else None


def compare(c, network, right, answer, values, how, text):
    if right.kind == "none":
        c.check(answer.code and "E527" in answer.out + answer.err, "%s: no steady state expected: %s" % (how, answer.why()), text)
        return
    if not c.check(values is not None, "%s: %s" % (how, answer.why()), text):
        return
    size = max([abs(v) for v in right.values.values()] + [1e-3])
    wrong = [k for k, v in values.items() if k in right.values and abs(v - right.values[k]) > 1e-7 * max(size, 1)]
    c.check(not wrong, "%s: %s" % (how, ["%s = %r, right %r" % (k, values[k], right.values[k]) for k in wrong[:3]]), text)
    if max([len(s) for s in right.sets], default=0) > 12:
        return  # not all are named
    c.check(said_sets(answer) == right.sets,
            "%s: warned of %s, right %s" % (how, [sorted(s) for s in said_sets(answer)], [sorted(s) for s in right.sets]),
            text)


def main():
    c = Campaign("rest", 60)
    for case in c:
        network = Network(case.dice).make()
        right = Right(network)
        if right.kind == "skip":
            continue
        text = network.text(False)
        for form in [case.dice.choice(FORMS[:3]), "numeric"]:
            options = ["--form", form] + (network.tree() if case.dice.random() < 0.7 else [])
            answer = c.program.call(text, "equilibrium", *options)
            compare(case, network, right, answer, outputs(answer), "equilibrium " + " ".join(options), text)
        start = network.text(True)
        form = case.dice.choice(FORMS)
        answer = c.program.run(start, [0.0], "--form", form)
        rows = answer.rows()
        values = network.stored(rows[0]) if rows else None
        if right.kind == "rest":
            right.values = network.stored(right.values)
        compare(case, network, right, answer, values, "run --form " + form, start)
    c.close()


if __name__ == "__main__":
    main()
