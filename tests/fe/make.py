"""Matrices of a beam of Hermite elements (Rayleigh's theory, stretch, twist), in the plane and in space, for test_fe.c.

Run it anywhere: /usr/bin/python3 make.py. The beam is that of `beam_space.lg` and of models/flexible_pendulum/matrices.lg.
"""
import os

import numpy as np


def bending(E, rho, A, I, h):
    """Stiffness and mass of deflections and slopes at both ends."""
    k = np.array([[12, 6*h, -12, 6*h], [6*h, 4*h*h, -6*h, 2*h*h], [-12, -6*h, 12, -6*h], [6*h, 2*h*h, -6*h, 4*h*h]])
    m = np.array([[156, 22*h, 54, -13*h], [22*h, 4*h*h, 13*h, -3*h*h], [54, 13*h, 156, -22*h], [-13*h, -3*h*h, -22*h, 4*h*h]])
    r = np.array([[36, 3*h, -36, 3*h], [3*h, 4*h*h, -3*h, -h*h], [-36, -3*h, 36, -3*h], [3*h, -h*h, -3*h, 4*h*h]])
    return E*I/h**3*k, rho*A*h/420*m + rho*I/(30*h)*r


def along(k, m, h):
    return k/h*np.array([[1, -1], [-1, 1]]), m*h/6*np.array([[2, 1], [1, 2]])


def beam(n, L, E, A, Iz, Iy, J, G, rho, deep):
    h, d = L/n, 6 if deep else 3
    M, K = np.zeros((d*(n + 1), d*(n + 1))), np.zeros((d*(n + 1), d*(n + 1)))
    parts = [([1, 5 if deep else 2], bending(E, rho, A, Iz, h), 1), ([0], along(E*A, rho*A, h), 1)]
    if deep:
        parts += [([2, 4], bending(E, rho, A, Iy, h), -1), ([3], along(G*J, rho*(Iz + Iy), h), 1)]
    for e in range(n):
        for ways, (k, m), sign in parts:
            at = [d*e + w for w in ways] + [d*(e + 1) + w for w in ways]
            S = np.diag([1, sign, 1, sign][:len(at)])
            K[np.ix_(at, at)] += S @ k @ S
            M[np.ix_(at, at)] += S @ m @ S
    return M, K, [[i + 1, i*h] + [0.0]*(2 if deep else 1) for i in range(n + 1)]


def mtx(path, A):
    i, j = np.nonzero(np.tril(A))
    with open(path, "w") as f:
        f.write("%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n" % (A.shape[0], A.shape[1], len(i)))
        for r, c in zip(i, j):
            f.write("%d %d %r\n" % (r+1, c+1, float(A[r, c])))

def nodes(path, rows):
    with open(path, "w") as f:
        for n in rows:
            f.write(" ".join(repr(x) for x in n) + "\n")


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    for start, count, deep in (("../../models/flexible_pendulum/", 12, False), ("space_", 8, True), ("bar_", 2, False)):
        M, K, at = beam(count, 2.0, 1e10, 1e-3, 1e-7, 2e-7, 3e-7, 4e9, 1000.0, deep)
        mtx(start + "mass.mtx", M)
        mtx(start + "stiffness.mtx", K)
        nodes(start + "nodes.txt", at)
