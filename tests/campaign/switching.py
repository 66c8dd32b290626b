"""Random networks of ideal diodes and switches with R, L, C and sources, against the same with small resistances.

The answer: diodes of 1e-6 ohm and 1e-9 S make a piecewise linear network. Between changes of a diode it is solved by
matrix exponentials, sources being oscillators of their own; changes are found by halving. What depends on the size of
the resistances, or on the ratio of those of switches to those of diodes (charge that is dumped over several diodes), has no
limit that a program could be asked for, and is left out. Other trees must give the same.
"""
import math

import numpy
import scipy.linalg

from campaign import Campaign

END, ROWS = 6.0, 7


class Lost(Exception):
    """The answer itself cannot be computed."""


def make(dice):
    """Parts as (kind, name, from, to, value); nodes are numbers, 0 is ground."""
    nodes, parts = dice.randint(3, 5), []

    def ends():
        a = dice.randrange(nodes)
        return a, (a + dice.randrange(1, nodes)) % nodes

    def size():
        return math.exp(dice.uniform(-1, 1))

    constant = dice.random() < 0.4
    for k in range(dice.randint(1, 2)):
        a, b = ends()
        speed = 0.0 if constant else dice.uniform(0.7, 3)
        parts.append(("V", "V%d" % k, nodes + k, b, (1 + size(), speed, dice.uniform(0, 6))))
        parts.append(("RL"[dice.random() < 0.4], "Z%d" % k, a, nodes + k, size()))
    for kind, least, most in (("R", 1, 3), ("C", 1, 3), ("L", 1, 3), ("D", 1, 5), ("S", 0, 2)):
        for k in range(dice.randint(least, most)):
            value = size()
            if kind == "S":
                value = sorted(dice.uniform(0.2, END) for _ in range(dice.randint(1, 5)))
            parts.append((kind, "%s%d" % (kind, k), *ends(), value))
    return parts


def text_of(parts):
    node = lambda n: "n%d" % n if n else "ground"
    key = {"R": "R", "C": "C", "L": "L"}
    word = {"R": "resistor", "C": "capacitor", "L": "inductor", "D": "ideal_diode", "S": "switch", "V": "vsource"}
    lines = []
    for kind, name, a, b, value in parts:
        line = "%s : %s(%s, %s)" % (name, word[kind], node(a), node(b))
        if kind in key:
            line += "  %s = %r" % (key[kind], value)
        if kind == "V":
            line += "  v = %r*sin(%r*t + %r)" % value if value[1] else "  v = %r" % (value[0] * math.sin(value[2]))
        if kind == "S":
            line += "  on = mod(" + " + ".join("step(t - %r)" % t for t in value) + ", 2) > 0.5"
        lines.append(line)
    shown = [n + (".v" if k == "C" else ".i") for k, n, *_ in parts if k in "CL"]
    return "\n".join(lines + ["output " + ", ".join(shown), "simulate stop = %r" % END, ""])


class Network:
    """x = (C voltages, L currents, sine and cosine of each source); a region is a set of closed diodes and switches."""

    def __init__(self, parts, on, off, ratio=1.0):
        self.parts, self.on, self.off, self.ratio = parts, on, off, ratio
        self.storage = [i for i, p in enumerate(parts) if p[0] in "CL"]
        self.source = [i for i, p in enumerate(parts) if p[0] == "V"]
        self.size = len(self.storage) + 2 * len(self.source)
        self.nodes = 1 + max(max(p[2], p[3]) for p in parts)
        self.diodes = [i for i, p in enumerate(parts) if p[0] == "D"]
        self.known = {}

    def start(self):
        x = numpy.zeros(self.size)
        for k, i in enumerate(self.source):
            x[len(self.storage) + 2 * k] = math.sin(self.parts[i][4][2])
            x[len(self.storage) + 2 * k + 1] = math.cos(self.parts[i][4][2])
        return x

    def region(self, closed):
        """x' = F x, and voltages of the diodes = G x."""
        if closed in self.known:
            return self.known[closed]
        n, extra = self.nodes - 1, {}
        for i, p in enumerate(self.parts):
            if p[0] in "CV":
                extra[i] = n + len(extra)
        total = n + len(extra)
        a, b = numpy.zeros((total, total)), numpy.zeros((total, self.size))
        place = {i: k for k, i in enumerate(self.storage)}
        for i, (kind, _, tail, head, value) in enumerate(self.parts):
            t, h = tail - 1, head - 1
            if kind in "RDS":
                on = self.on * (self.ratio if kind == "S" else 1)
                g = 1 / value if kind == "R" else 1 / on if i in closed else self.off
                for r, s in ((t, 1), (h, -1)):
                    if r >= 0:
                        if t >= 0:
                            a[r, t] += s * g
                        if h >= 0:
                            a[r, h] -= s * g
            elif kind == "L":
                for r, s in ((t, 1), (h, -1)):
                    if r >= 0:
                        b[r, place[i]] -= s
            else:
                e = extra[i]
                for r, s in ((t, 1), (h, -1)):
                    if r >= 0:
                        a[r, e] += s
                        a[e, r] += s
                if kind == "C":
                    b[e, place[i]] = 1
                else:
                    b[e, len(self.storage) + 2 * self.source.index(i)] = value[0]
        scale = numpy.abs(a).max(axis=1)
        if scale.min() == 0 or numpy.linalg.cond(a / scale[:, None]) > 1e14:
            raise Lost
        y = numpy.linalg.solve(a / scale[:, None], b / scale[:, None])
        volt = lambda node: y[node - 1] if node else numpy.zeros(self.size)
        f = numpy.zeros((self.size, self.size))
        for i, k in place.items():
            kind, _, tail, head, value = self.parts[i]
            f[k] = (y[extra[i]] if kind == "C" else volt(tail) - volt(head)) / value
        for k, i in enumerate(self.source):
            at, w = len(self.storage) + 2 * k, self.parts[i][4][1]
            f[at, at + 1], f[at + 1, at] = w, -w
        g = numpy.array([volt(self.parts[i][2]) - volt(self.parts[i][3]) for i in self.diodes]).reshape(-1, self.size)
        self.known[closed] = f, g
        return f, g

    def settle(self, x, closed, switches):
        """The diodes that conduct at x."""
        on, best, tries = {i for i in closed if i in self.diodes}, 99, 4
        for _ in range(300):
            f, g = self.region(frozenset(on | switches))
            v = g @ x
            wrong = [i for k, i in enumerate(self.diodes) if (v[k] > 0) != (i in on)]
            if not wrong:
                return frozenset(on | switches)
            if len(wrong) < best:
                best, tries = len(wrong), 4
            else:
                tries -= 1
                wrong = wrong if tries > 0 else [max(wrong)]
            on ^= set(wrong)
        raise Lost

    def changed(self, x, closed):
        v = self.region(closed)[1] @ x
        return any((v[k] > 0) != (i in closed) for k, i in enumerate(self.diodes))


def solve(parts, times, on, off, ratio=1.0):
    """Storage at the times."""
    net = Network(parts, on, off, ratio)
    x, t, out, work = net.start(), 0.0, [], 0
    breaks = sorted({b for p in parts if p[0] == "S" for b in p[4]})
    switches = lambda now: {i for i, p in enumerate(parts) if p[0] == "S" and sum(b <= now for b in p[4]) % 2}
    closed = net.settle(x, frozenset(), switches(0.0))
    wanted, h = list(times), 1e-9
    moves = {}

    def move(closed, h):
        if (closed, h) not in moves:
            moves[closed, h] = scipy.linalg.expm(net.region(closed)[0] * h)
        return moves[closed, h]

    while wanted:
        work += 1
        if work > 60000:
            raise Lost
        stop = min([wanted[0]] + [b for b in breaks if b > t + 1e-13])
        step = min(h, 0.01, stop - t)
        y = move(closed, step) @ x
        if net.changed(y, closed):
            if step > 1e-12:
                h = step / 4 if step > 4e-12 else 1e-12
                if step > 1.1e-12:
                    continue
            closed = net.settle(y, closed, switches(t + step))
            h = 1e-12
        else:
            h = 2.0 ** math.floor(math.log2(step * 2)) if step > 1e-11 else step * 2
        x, t = y, t + step
        if t >= wanted[0] - 1e-13:
            out.append(x[:len(net.storage)].copy())
            wanted.pop(0)
        if any(abs(t - b) <= 1e-13 for b in breaks):
            closed = net.settle(x, closed, switches(t + 1e-12))
            h = 1e-12
    return numpy.array(out)


def compare(case):
    parts = make(case.dice)
    times = [END * (k + 1) / ROWS - 0.01 for k in range(ROWS)]
    text = text_of(parts)
    try:
        fine, rough = solve(parts, times, 1e-6, 1e-9), solve(parts, times, 1e-5, 1e-8)
    except Lost:
        return
    span = numpy.abs(fine).max() + 1e-3
    if numpy.abs(fine - rough).max() > 1e-3 * span:
        return  # it depends on the resistances
    check_trees(case, text, parts, times, fine, span)


def depends_on_ratios(parts, times, fine, span):
    """Do switches of other resistances than those of diodes, all of them small, lead elsewhere?"""
    try:
        others = [solve(parts, times, 1e-6, 1e-9, ratio) for ratio in (0.1, 10.0)]
    except Lost:
        return True
    return max(numpy.abs(fine - x).max() for x in others) > 1e-4 * span


def wishes(dice, parts):
    """Edges that form no circuit, in any order: some or all of a tree."""
    edges, node = [p for p in parts if p[0] != "V"], list(range(1 + max(max(p[2], p[3]) for p in parts)))
    dice.shuffle(edges)
    wanted = []
    for _, name, a, b, _ in edges[:dice.randint(1, len(edges))]:
        if node[a] != node[b]:
            node = [node[a] if n == node[b] else n for n in node]
            wanted.append(name)
    return ",".join(wanted)


def by_kind(events):
    """Times of each kind: those of one instant may be listed in any order."""
    times = {}
    for e in events:
        times.setdefault(e["what"], []).append(e["time"])
    return times


def same_events(a, b):
    a, b = by_kind(a), by_kind(b)
    return all(len(a.get(k, ())) == len(b.get(k, ())) and numpy.allclose(a[k], b[k], rtol=0, atol=1e-7) for k in {*a, *b})


def check_trees(case, text, parts, times, fine, span):
    """Other trees: the same modes at the same times, the same rows."""
    first = listed = None
    for tree in range(4):
        wish = wishes(case.dice, parts) if tree else ""
        options = ["--tol", "1e-9"] + (["--tree", wish] if tree else [])
        said = case.program.run(text, times, *options)
        listing = case.program.call(text, "run", "--events", "--json", *options).json()
        events, rows = listing and listing.get("events"), said.rows()
        if not case.check(rows and len(rows) == ROWS and events is not None, "tree %s: %s" % (wish, said.why()), text):
            return
        got = numpy.array([list(r.values())[1:] for r in rows])
        if not tree:
            first, listed = got, events
            miss = numpy.abs(got - fine).max()
            if miss > 3e-4 * span and depends_on_ratios(parts, times, fine, span):
                return
            case.check(miss <= 3e-4 * span, "off by %.2g of %.2g" % (miss, span), text)
            continue
        miss = numpy.abs(got - first).max()
        case.check(miss <= 1e-6 * span, "tree %s: off by %.2g of %.2g" % (wish, miss, span), text)
        case.check(same_events(listed, events), "tree %s: other modes" % wish, text)


def main():
    campaign = Campaign("switching", 30)
    networks = 0
    for one in campaign:
        before = campaign.compared
        compare(one)
        networks += campaign.compared > before
    print("switching: %d networks" % networks)
    campaign.close()


if __name__ == "__main__":
    main()
