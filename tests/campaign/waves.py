"""Random networks of lossless lines by `method = delay`, in every domain that has them: reflections must be exact.

Travel times are whole multiples of one unit, and sources jump at such times, so that a lattice of waves (each end hands
y + R i over, each node balances what flows) gives the solution between the multiples without any discretisation. Where
nodes have stores the lattice becomes a differential equation between the multiples, solved by polynomials of high degree.
"""
import numpy as np

from campaign import Campaign

# element, its keys for l and c per length, node's domain: resistor to ground, source, store (name, key, factor)
KINDS = {
    "line": ("l = %(l)r, c = %(c)r", "resistor(%s, ground)  R = %r", "isource(ground, %s)  i = %s", "capacitor(%s, ground)  C = %r", "v"),
    "pipe": ("A = 1, rho = %(l)r, c = %(speed)r", "fluid_leakage(%s, ground)  G = 1/%r", "flow_source(ground, %s)  q = %s",
             "tank(%s, ground)  C = %r", "p"),
    "bar": ("E = 1/%(l)r, A = 1, rho = %(c)r", "damper(%s, ground)  d = 1/%r", "force(ground, %s)  F = %s", "mass(%s)  m = %r", "v"),
    "string": ("tension = 1/%(l)r, rhoA = %(c)r", "damper(%s, ground)  d = 1/%r", "force(ground, %s)  F = %s", "mass(%s)  m = %r", "v"),
    "shaft": ("G = 1/%(l)r, Ip = 1, rho = %(c)r", "torsion_damper(%s, ground)  d = 1/%r", "torque(ground, %s)  T = %s", "inertia(%s)  J = %r", "w"),
}


class Network:
    def __init__(self, dice):
        number = lambda a, b: float("%.3g" % dice.uniform(a, b))
        self.kind = dice.choice(sorted(KINDS))
        self.nodes, self.unit = dice.randint(2, 5), number(0.1, 2)
        pairs = [(dice.randrange(k), k) for k in range(1, self.nodes)]         # a tree, and some more
        pairs += [tuple(dice.sample(range(self.nodes), 2)) for _ in range(dice.randint(0, 2))]
        if dice.random() < 0.5:
            pairs.append((dice.randrange(self.nodes), -1))                     # one end does not move
        self.lines = [(a, b, dice.randint(1, 4), number(0.2, 5), number(0.5, 3)) for a, b in pairs]  # steps, R, length
        self.g = [1 / number(0.3, 5) if dice.random() < 0.6 else 0 for _ in range(self.nodes)]
        self.store = [number(0.2, 3) * self.unit if dice.random() < 0.4 else 0 for _ in range(self.nodes)]
        self.force = [(number(-2, 2), self.unit * dice.randint(0, 6)) if dice.random() < 0.5 else None for _ in range(self.nodes)]
        self.force[0] = self.force[0] or (1.0, 0.0)
        self.y0, self.steps = number(-1, 1) if dice.random() < 0.4 and all(b >= 0 for a, b in pairs) else 0.0, dice.randint(8, 20)

    def text(self):
        keys, loss, source, store, y = KINDS[self.kind]
        out = ["model waves"]
        for k, (a, b, steps, r, length) in enumerate(self.lines):
            per = steps * self.unit / length
            own = {"l": r * per, "c": per / r, "speed": 1 / per}
            start = ", %s(0) = %r" % (y, self.y0) if self.y0 else ""
            out.append("L%d : %s(n%d, %s)  length = %r, method = delay, %s%s" % (
                k, self.kind, a, "n%d" % b if b >= 0 else "ground", length, keys % own, start))
        for k in range(self.nodes):
            if self.g[k]:
                out.append("G%d : %s" % (k, loss % ("n%d" % k, 1 / self.g[k])))
            if self.store[k]:
                out.append("C%d : %s%s" % (k, store % ("n%d" % k, self.store[k]), ", %s(0) = %r" % (y, self.y0) if self.y0 else ""))
            if self.force[k]:
                out.append("F%d : %s" % (k, source % ("n%d" % k, "%r*step(t - %r)" % self.force[k])))
        out.append("output " + ", ".join("n%d.%s as y%d" % (k, y, k) for k in range(self.nodes)))
        return "\n".join(out + ["simulate stop = %r, tol = 1e-9" % (self.steps * self.unit)])

    def inflow(self, k):
        return sum(1 / r for a, b, _, r, _ in self.lines for end in (a, b) if end == k)

    def solve(self, parts):
        """Rows of y at the multiples of unit/parts, strictly inside of each unit: the waves of a unit as samples there."""
        past, h = [], self.unit / parts
        places = (np.arange(parts) + 0.5) * h
        y = [self.y0] * self.nodes
        rows = []
        for step in range(self.steps):
            now = [[None, None] for _ in self.lines]
            arrive = [[past[step - n][k][1 - e] if step >= n else (lambda s: self.y0 + 0 * s) for e in (0, 1)]
                      for k, (_, _, n, _, _) in enumerate(self.lines)]
            paths = []
            for k in range(self.nodes):
                g = self.g[k] + self.inflow(k)
                waves = [(arrive[i][e], r) for i, (a, b, _, r, _) in enumerate(self.lines) for e, end in enumerate((a, b)) if end == k]
                f = self.force[k][0] if self.force[k] and step * self.unit > self.force[k][1] - 1e-9 * self.unit else 0.0
                paths.append(self.node_path(g, self.store[k], f, waves, y[k]))
            for i, (a, b, _, r, _) in enumerate(self.lines):
                for e, end in enumerate((a, b)):
                    at = paths[end] if end >= 0 else (lambda s: 0 * s)
                    now[i][e] = self.leaving(at, arrive[i][e])
            past.append(now)
            y = [p(np.array([self.unit]))[0] for p in paths]
            rows += [(step * self.unit + s, [p(np.array([s]))[0] for p in paths]) for s in places]
        return rows

    @staticmethod
    def leaving(at, arrives):
        return lambda s: 2 * at(s) - arrives(s)        # y + R i with y - R i = what arrives

    def node_path(self, g, c, f, waves, y0):
        """y(s) in the unit from what arrives there, at Chebyshev points; stores integrate it exactly for polynomials."""
        n = 24
        points = 0.5 * self.unit * (1 - np.cos(np.pi * (np.arange(n) + 0.5) / n))
        drive = f + sum((w(points) / r for w, r in waves), np.zeros(n))
        fit = np.polynomial.chebyshev.Chebyshev.fit(points, drive, n - 1, domain=[0, self.unit])
        if not c:
            return lambda s: fit(s) / g
        ends = np.concatenate([[0.0], points])         # collocation of c y' + g y = drive
        base = np.polynomial.chebyshev.chebvander(2 * ends / self.unit - 1, n)
        slope = np.column_stack([np.polynomial.chebyshev.Chebyshev.basis(j, domain=[0, self.unit]).deriv()(ends) for j in range(n + 1)])
        rows = np.vstack([base[:1], c * slope[1:] + g * base[1:]])
        found = np.polynomial.chebyshev.Chebyshev(np.linalg.solve(rows, np.concatenate([[y0], drive])), domain=[0, self.unit])
        return lambda s: found(s)


campaign = Campaign("waves", 8)
for case in campaign:
    network = Network(case.dice)
    text, want = network.text(), network.solve(3)
    said = case.program.run(text, [t for t, _ in want], "--method", case.dice.choice(("auto", "rk", "rosenbrock", "bdf")))
    rows = said.rows()
    if not case.check(rows is not None and len(rows) == len(want), said.why(), text):
        continue
    size = max(max(abs(v) for v in ys) for _, ys in want) + 1e-3
    near = 1e-6 if any(network.store) else 1e-12 * network.steps
    for row, (t, ys) in zip(rows, want):
        for k in range(network.nodes):
            case.equal(row["y%d" % k], ys[k], near * size, "y%d(%r)" % (k, t), text)
campaign.close()
