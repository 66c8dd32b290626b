"""Bodies from matrices of finite elements: random nodes, masses and springs, in the plane and in space.

All modes are kept, so that nothing is lost by the reduction: deflections, frequencies, and accelerations of a body that
spins about a hinge are those of the whole matrices, with the nodes of a frame moving as one rigid piece.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


class Mesh:
    """Motions of a node are three displacements and three turns; `kept` of them are degrees of freedom."""

    def __init__(self, dice):
        self.deep, self.turns = dice.random() < 0.5, dice.random() < 0.5
        self.kept = [0, 1, 2, 3, 4, 5] if self.deep else [0, 1, 5]
        if not self.turns:
            self.kept = [i for i in self.kept if i < 3]
        self.d, self.n = len(self.kept), dice.randint(4, 5) if self.turns else 6
        self.x = np.array([[round(dice.uniform(0, 1), 3) + i, round(dice.uniform(-1, 1), 3),
                            round(dice.uniform(-1, 1), 3) * self.deep] for i in range(self.n)])
        self.numbers = dice.sample(range(1, 99), self.n)
        size = self.d * self.n
        self.M, self.K = np.zeros((size, size)), np.zeros((size, size))
        for i in range(self.n):
            m, j = dice.uniform(0.5, 2), dice.uniform(0.05, 0.2)
            for k, way in enumerate(self.kept):
                self.M[i * self.d + k, i * self.d + k] = m if way < 3 else j
        for i in range(self.n):
            for k in range(i):
                self.join(dice, i, k)
        held = 1 if self.turns else 3 if self.deep else 2
        self.frames = [list(range(held)), list(range(self.n - held, self.n))]

    def join(self, dice, i, k):
        """What strains between two nodes is their motion against each other."""
        arm = self.x[k] - self.x[i]
        if self.turns:
            e = np.zeros((6, 12))
            e[:3, :3], e[:3, 3:6], e[:3, 6:9] = -np.eye(3), skew(arm), np.eye(3)
            e[3:, 3:6], e[3:, 9:] = -np.eye(3), np.eye(3)
            root = np.array([[dice.uniform(-1, 1) for _ in range(6)] for _ in range(6)])
            law = 1e3 * (root @ root.T + np.eye(6))
        else:
            e, law = np.zeros((1, 12)), np.array([[dice.uniform(1e3, 1e4)]])
            e[0, :3], e[0, 6:9] = -arm / np.linalg.norm(arm), arm / np.linalg.norm(arm)
        e = np.hstack([e[:, self.kept], e[:, [6 + w for w in self.kept]]])
        at = [i * self.d + c for c in range(self.d)] + [k * self.d + c for c in range(self.d)]
        self.K[np.ix_(at, at)] += e.T @ law @ e

    def rigid(self, nodes, way, about):
        """Displacement along, or turn about an axis through a point, of some nodes."""
        out = np.zeros(self.d * self.n)
        for i in nodes:
            motion = np.zeros(6)
            motion[way] = 1
            if way >= 3:
                motion[:3] = np.cross(np.eye(3)[way - 3], self.x[i] - about)
            out[i * self.d:(i + 1) * self.d] = motion[self.kept]
        return out

    def centre(self, frame):
        return self.x[self.frames[frame]].mean(axis=0)

    def ways(self):
        return range(6) if self.deep else (0, 1, 5)

    def basis(self):
        """All motions with the first frame at rest; the last ones are those of the second frame."""
        inner = [i for i in range(self.n) if all(i not in f for f in self.frames)]
        free = [np.eye(self.d * self.n)[i * self.d + k] for i in inner for k in range(self.d)]
        return np.array(free + [self.rigid(self.frames[1], w, self.centre(1)) for w in self.ways()]).T

    def write(self, folder, dice):
        with open(os.path.join(folder, "nodes.txt"), "w") as f:
            f.write("# number and place\n\n")
            for number, x in zip(self.numbers, self.x):
                f.write("%d, %s\n" % (number, ", ".join(repr(float(c)) for c in x[:3 if self.deep else 2])))
        for name, a in (("mass.mtx", self.M), ("stiffness.mtx", self.K)):
            with open(os.path.join(folder, name), "w") as f:
                self.put(f, a, dice.choice(("coordinate", "array")), dice.choice(("general", "symmetric")))

    def put(self, f, a, form, kind):
        n = len(a)
        f.write("%%%%MatrixMarket matrix %s real %s\n%% a remark\n" % (form, kind))
        all_ = [(i, k) for k in range(n) for i in range(n) if kind == "general" or i >= k]
        if form == "array":
            f.write("%d %d\n" % (n, n) + "".join("%r\n" % float(a[e]) for e in all_))
            return
        all_ = [e for e in all_ if a[e] != 0]
        f.write("%d %d %d\n" % (n, n, len(all_)))
        f.write("".join("%d %d %r\n" % (i + 1, k + 1, float(a[i, k])) for i, k in all_))

    def text(self, rest):
        sets = ["nodes(%s)" % ", ".join("%d" % self.numbers[i] for i in f) for f in self.frames]
        return ("space = %s\nf : fe_body  nodes = \"nodes.txt\", mass = \"mass.mtx\", stiffness = \"stiffness.mtx\", "
                "modes = 30  { A = %s, P = %s }\n%s" % ("spatial" if self.deep else "planar", *sets, rest))


def vector(dice, mesh, size):
    return [round(dice.uniform(-size, size), 3) for _ in range(3 if mesh.deep else 2)]


def deflection(case, mesh):
    F = vector(case.dice, mesh, 0.1)
    axes = ("x", "y", "z")[:len(F)]
    text = mesh.text("W : weld(ground, f.A)\nF : force(ground, f.P)  F = %r\noutput %s\n" %
                     (F, ", ".join("f.P.%s as %s" % (a, a) for a in axes)))
    answer = case.program.call(text, "equilibrium", "--json").json()
    if not case.check(answer is not None and "outputs" in answer, "no equilibrium", text):
        return
    B = mesh.basis()
    ways = list(mesh.ways())
    load = np.zeros(B.shape[1])
    for i, f in enumerate(F):
        load[len(load) - len(ways) + ways.index(i)] = f
    y = np.linalg.solve(B.T @ mesh.K @ B, load)[-len(ways):]
    for i, a in enumerate(axes):
        want = mesh.centre(1)[i] - mesh.centre(0)[i] + y[ways.index(i)]
        got = answer["outputs"].get(a)
        got = got["value"] if isinstance(got, dict) else got
        case.equal(got, want, 1e-9, "f.P.%s" % a, text)


def frequencies(case, mesh):
    text = mesh.text("W : weld(ground, f.A)\nT : force(ground, f.P)  F = %s\n" % ("[0, 0, 0]" if mesh.deep else "[0, 0]"))
    said = case.program.call(text, "statespace", "--numeric", "--poles", "--json")
    answer = said.json()
    if not case.check(answer is not None and "poles" in answer, "no poles: " + said.why(), text):
        return
    B = mesh.basis()
    M, K = B.T @ mesh.M @ B, B.T @ mesh.K @ B
    want = sorted(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    got = sorted(abs(complex(p["re"], p["im"])) for p in answer["poles"] if p["im"] > 0)
    if case.check(len(got) == len(want), "%d frequencies, not %d" % (len(got), len(want)), text):
        worst = max(abs(g - w) / w for g, w in zip(got, want))
        case.check(worst < 1e-7, "frequencies differ by %.1e" % worst, text)


def spinning(case, mesh):
    w, g = round(case.dice.uniform(-3, 3), 2), vector(case.dice, mesh, 10)
    zeros = "[0, 0, 0]" if mesh.deep else "[0, 0]"
    text = mesh.text("gravity = %r\nJ : revolute(ground, f.A)  %s w(0) = %r\nF : force(ground, f.P)  F = %s\noutput %s\n" %
                     (g, "axis = z," if mesh.deep else "", w, zeros,
                      ", ".join("f.P.a[%d] as a%d" % (i + 1, i) for i in range(len(g)))))
    said = case.program.call(text, "eval", "--json")
    answer = said.json()
    if not case.check(answer is not None and said.code == 0, "no answer: " + said.why(), text):
        return
    everyone, pivot = range(mesh.n), mesh.centre(0)
    B = np.column_stack([mesh.rigid(everyone, 5, pivot), mesh.basis()])
    field = np.zeros(mesh.d * mesh.n)  # gravity less what the spin takes, of displacements
    for i in range(mesh.n):
        arm = mesh.x[i] - pivot
        for k, way in enumerate(mesh.kept):
            if way < 3:
                field[i * mesh.d + k] = (g[way] if way < len(g) else 0) + (w * w * arm[way] if way < 2 else 0)
    y = np.linalg.solve(B.T @ mesh.M @ B, B.T @ mesh.M @ field)
    arm, ways = mesh.centre(1) - pivot, list(mesh.ways())
    own = y[-len(ways):]
    want = y[0] * np.cross([0, 0, 1], arm) - w * w * np.array([arm[0], arm[1], 0])
    for i in range(len(g)):
        case.equal(answer["outputs"].get("a%d" % i), want[i] + own[ways.index(i)], 1e-8 * (1 + np.abs(y).max()),
                   "f.P.a[%d]" % (i + 1), text)


def keeps_energy(case, mesh):
    joint = "revolute(ground, f.A)  %s w(0) = 3" % ("axis = [1, 2, 3]," if mesh.deep else "")
    text = mesh.text("gravity = %r\nJ : %s\nF : force(ground, f.P)  F = %s\n"
                     "output kinetic() + potential() as E, kinetic() as T\n"
                     "simulate stop = 1\n" % (vector(case.dice, mesh, 10), joint, "[0, 0, 0]" if mesh.deep else "[0, 0]"))
    rows = case.program.run(text, [0.0, 0.1], "--tol", "1e-9").rows()
    if case.check(rows is not None, "no run", text):
        scale = 1 + abs(rows[0]["E"]) + rows[-1]["T"]
        case.check(abs(rows[-1]["E"] - rows[0]["E"]) < 1e-6 * scale, "energy goes from %r to %r" %
                   (rows[0]["E"], rows[-1]["E"]), text)


def main():
    campaign = Campaign("finite", 12)
    for case in campaign:
        mesh = Mesh(case.dice)
        mesh.write(case.program.folder.name, case.dice)
        (deflection, frequencies, spinning, keeps_energy)[case.number % 4](case, mesh)
    campaign.close()


if __name__ == "__main__":
    main()
