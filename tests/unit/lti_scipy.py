"""Linear systems and what test_lti_random.c found of them, from the standard input, against scipy.

Each line is `NAME ROWS COLS NUMBERS...`; `end` ends a system. Exit code 1 when something differs.
"""
import sys

import numpy as np
from scipy import linalg, signal

failed = 0
systems = 0


def complain(what, got, want):
    global failed
    failed += 1
    print(f"scipy, system {systems}: {what}: {got} instead of {want}", file=sys.stderr)


def same_set(what, got, want):
    """Each wanted root takes the nearest of those that are left."""
    got, want = list(got), list(want)
    if len(got) != len(want):
        return complain(what, got, want)
    for root in want:
        at = min(range(len(got)), key=lambda i: abs(got[i] - root))
        if abs(got.pop(at) - root) > 1e-6 * (1 + abs(root)):
            complain(what, "none near", root)


def same(what, got, want):
    if not np.allclose(got, want, rtol=1e-8, atol=1e-9):
        complain(what, got, want)


def check(m):
    a, b, c, d = m["A"], m["B"], m["C"], m["D"]
    same_set("poles", m["poles"] @ [1, 1j], linalg.eigvals(a))
    n = len(a)
    # Rosenbrock's pencil of the first input and output, by the QZ algorithm
    pencil = np.block([[a, b[:, :1]], [c[:1], d[:1, :1]]])
    unit = np.zeros((n + 1, n + 1))
    unit[:n, :n] = np.eye(n)
    alpha, beta = linalg.eigvals(pencil, unit, homogeneous_eigvals=True)
    finite = abs(beta) > 1e-7 * abs(alpha)
    same_set("zeros", m["zeros"] @ [1, 1j], alpha[finite] / beta[finite])
    same("gain", m["gain"], d - c @ linalg.solve(a, b))
    system = signal.StateSpace(a, b[:, :1], c, d[:, :1])
    t = m["times"][0]
    _, y, _ = signal.lsim(system, np.ones((len(t), 1)), t)
    same("step", m["step"], y.reshape(len(t), -1))


matrices = {}
for line in sys.stdin:
    word = line.split()
    if word[0] == "end":
        systems += 1
        check(matrices)
        matrices = {}
    else:
        values = np.array([float(x) for x in word[3:]])
        matrices[word[0]] = values.reshape(int(word[1]), int(word[2]))
if systems == 0:
    complain("systems", 0, "some")
sys.exit(1 if failed else 0)
