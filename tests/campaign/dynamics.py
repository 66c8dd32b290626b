"""Quantities of random robots by `cotree dynamics`: M, C, g, inverse dynamics, Jacobians, momentum, base parameters.

The right answers come from the recursive Newton-Euler equations of the campaign `robots`, where every link is a body of
its own: torques of unit accelerations are columns of M, those at rest are g, those of speeds alone are C u. Jacobians
and M' come from differences; the number of base parameters is the rank of torques over the ten parameters of each link.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

from campaign import Campaign
from robots import Robot, rpy, word_of

STEP = 1e-6


def set_state(robot, q, u):
    for j, a, b in zip(robot.moving(), q, u):
        j.q, j.u = float(a), float(b)


def torques(robot, q, u, a):
    set_state(robot, q, u)
    return robot.torques(dict(zip(robot.moving(), a)))


def place(robot, q, link):
    """Place and axes of a link."""
    torques(robot, q, 0 * q, 0 * q)
    return link.p.copy(), link.R.copy()


def momentum(robot, q, u):
    """Mass centre, linear momentum, angular momentum about it, of links in world axes."""
    torques(robot, q, u, 0 * q)
    for j in robot.joints:
        p, c = j.parent, j.child
        p.v = getattr(p, "v", np.zeros(3)) if p is not robot.links[0] else np.zeros(3)
        e = j.world
        c.v = p.v + np.cross(p.w, c.p - p.p) + (j.u * e if j.kind == "prismatic" else 0)
    robot.links[0].v = np.zeros(3)
    m = sum(l.m for l in robot.links)
    rows = []
    for l in robot.links:
        r = l.R @ np.array(l.com)
        rows.append((l, l.p + r, l.v + np.cross(l.w, r)))
    c = sum(l.m * r for l, r, v in rows) / m
    p = sum(l.m * v for l, r, v in rows)
    L = np.zeros(3)
    for l, r, v in rows:
        A = l.R @ rpy(l.rpy)
        L = L + np.cross(r - c, l.m * v) + A @ l.I @ A.T @ l.w
    return c, p, L


def regressor_rank(robot, dice):
    """Torques are linear in mass, first moment and inertia of each link about its frame."""
    n, rows = len(robot.moving()), []
    kept = [(l.m, l.com, l.rpy, l.I) for l in robot.links]
    for _ in range(max(6, 60 // n)):
        q, u, a = (np.array([dice.uniform(-2, 2) for _ in range(n)]) for _ in range(3))
        columns = []
        for l in robot.links:
            for k in range(10):
                for other in robot.links:
                    other.m, other.com, other.rpy, other.I = 0.0, [0, 0, 0], [0, 0, 0], np.zeros((3, 3))
                if k == 0:
                    l.m = 1.0
                    columns.append(torques(robot, q, u, a))
                elif k < 4:  # first moments: masses at both sides of the origin
                    d = np.eye(3)[k - 1]
                    value = np.zeros(n)
                    for s in (1, -1):
                        l.m, l.com = 1.0, list(s * d)
                        value = value + s * torques(robot, q, u, a) / 2
                    columns.append(value)
                else:
                    i, m = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)][k - 4]
                    l.I = np.zeros((3, 3))
                    l.I[i, m] = l.I[m, i] = 1.0
                    columns.append(torques(robot, q, u, a))
        rows.append(np.array(columns).T)
    for l, (m, com, angles, I) in zip(robot.links, kept):
        l.m, l.com, l.rpy, l.I = m, com, angles, I
    s = np.linalg.svd(np.concatenate(rows), compute_uv=False)
    return int((s > 1e-8 * s[0]).sum())


def near(c, got, want, tolerance, what, text):
    got, want = np.array(got), np.array(want)
    good = got.shape == want.shape and np.abs(got - want).max(initial=0) <= tolerance
    c.check(bool(good), "%s is\n%s\nand should be\n%s" % (what, got, want), text)


def back_again(case, robot, names, order, ask, q, u):
    """Accelerations under given torques, and the torques that these accelerations take."""
    kinds = ["s" if j.kind == "prismatic" else "beta" for j in robot.moving()]
    load = np.array([round(case.dice.uniform(-5, 5), 3) for _ in names])
    state = ["%s.%s=%r" % (n, k, float(x)) for n, k, x in zip(names, kinds, q)]
    state += ["%s.%s=%r" % (n, "v" if k == "s" else "w", float(x)) for n, k, x in zip(names, kinds, u)]
    options = [x for n, k, y in zip(names, kinds, load) for x in ("--set", "%s_%s=%r" % (n, "F" if k == "s" else "T", float(y)))]
    answer = case.program.call(robot.text, "eval", "--json", "--state", ",".join(state), *options, ending="urdf")
    said = answer.json()
    if not case.check(answer.code == 0 and said is not None, answer.why(), robot.text):
        return
    rates = said["derivatives"]
    a = np.array([rates["%s.%s" % (n, "v" if k == "s" else "w")] for n, k in zip(names, kinds)])
    D = ask(q, u, a)
    size = 1 + np.abs(D["M"]).max() * np.abs(a).max() + np.abs(load).max()
    load = load - np.array([j.damping for j in robot.moving()]) * u
    near(case, D["tau"], load[order], 1e-11 * size, "inverse of forward dynamics", robot.text)


def compare(case, robot, end):
    n, dice = len(robot.moving()), case.dice
    names = [word_of(j.name) for j in robot.moving()]
    answer = case.program.call(robot.text, "dynamics", "--format", "python", "--frames", end, ending="urdf")
    if not case.check(answer.code == 0, answer.why(), robot.text):
        return
    space = {}
    exec(answer.out, space)
    order = [names.index(c.rsplit(".", 1)[0]) for c in space["COORDINATES"]]
    q, u, a = (np.array([dice.uniform(-1.5, 1.5) for _ in range(n)]) for _ in range(3))

    def ask(q, u, a):
        return space["dynamics"](q[order], u[order], a[order])
    D = ask(q, u, a)
    bias, rest = torques(robot, q, u, 0 * q), torques(robot, q, 0 * q, 0 * q)
    M = np.array([torques(robot, q, 0 * q, np.eye(n)[k]) - rest for k in range(n)]).T[np.ix_(order, order)]
    size = 1 + np.abs(M).max() + np.abs(bias).max()
    near(case, D["M"], M, 1e-9 * size, "M", robot.text)
    near(case, D["g"], rest[order], 1e-9 * size, "g", robot.text)
    near(case, D["C"] @ u[order], (bias - rest)[order], 1e-9 * size, "C u", robot.text)
    near(case, D["tau"], torques(robot, q, u, a)[order], 1e-9 * size, "tau", robot.text)
    back_again(case, robot, names, order, ask, q, u)
    slope = (ask(q + STEP * u, u, a)["M"] - ask(q - STEP * u, u, a)["M"]) / (2 * STEP)
    skew = slope - 2 * D["C"]
    near(case, skew + skew.T, 0 * skew, 1e-6 * size, "M' - 2 C plus its transpose", robot.text)
    centre = momentum(robot, q, u)
    for key, value in zip("cpL", centre):
        near(case, D[key], value, 1e-9 * size, key, robot.text)
    link = robot.joints[-1].child
    J = np.zeros((6, n))
    for k in range(n):
        step = STEP * np.eye(n)[k]
        (p1, R1), (p2, R2) = place(robot, q + step, link), place(robot, q - step, link)
        turn = (R1 - R2) @ place(robot, q, link)[1].T / (2 * STEP)
        J[:, k] = np.concatenate([(p1 - p2) / (2 * STEP), [turn[2, 1], turn[0, 2], turn[1, 0]]])
    near(case, [D[k] for k in D if k.startswith("J(")][0], J[:, order], 1e-7 * size, "J", robot.text)
    said = case.program.call(robot.text, "dynamics", "--json", ending="urdf").json()
    if not 10 * len(robot.links) <= n * max(6, 60 // n):
        return  # too few rows for all columns
    rank = regressor_rank(robot, dice)
    case.check(len(said["base_parameters"]) == rank, "%d base parameters, rank %d" % (len(said["base_parameters"]), rank),
               robot.text)


def path_of(robot):
    """The frame of the last link: of the body that carries it, if joints to it are fixed."""
    link, parts = robot.joints[-1].child, robot.joints[-1]
    host = link
    while True:
        joint = next((j for j in robot.joints if j.child is host), None)
        if not joint or joint.kind != "fixed":
            break
        host = joint.parent
    return word_of(link.name) if host is link else word_of(host.name) + "." + word_of(link.name)


def main():
    c = Campaign("dynamics", 6)
    for case in c:
        robot = Robot(case.dice)
        while len(robot.links) > 6:
            robot = Robot(case.dice)
        compare(case, robot, path_of(robot))
    c.close()


if __name__ == "__main__":
    main()
