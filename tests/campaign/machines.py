"""Drives with random numbers against their equations written by hand for scipy: windings in delta and with a free star point,
motors and generators, two motors on one shaft with sampled cascades of two rates, hydraulics and piezos on joints.
"""
import math
import sys

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from campaign import Campaign

TURN = 2 * math.pi / 3


def number(dice, low, high):
    return float("%.4g" % (low * (high / low) ** dice.random()))


def integrate(rates, x0, times, longest=np.inf):
    s = solve_ivp(rates, (0, times[-1]), x0, t_eval=times, rtol=1e-10, atol=1e-12, method="DOP853", max_step=longest)
    return s.y.T


def trapezoid(th):
    return min(1.0, max(-1.0, 6 / math.pi * math.asin(math.sin(th))))


# ---- each returns text, times, names, right values (row by row), tolerance

def brushless(dice):
    """Star point free or windings in delta, sine or six-step voltages; drags a load, or is dragged (J large)."""
    pp, k, l, r = dice.randint(1, 4), number(dice, 0.03, 0.1), number(dice, 5e-4, 3e-3), number(dice, 0.2, 1)
    j, d, w0 = number(dice, 1e-3, 1e-2), number(dice, 1e-3, 1e-2), dice.choice([0.0, number(dice, 20, 90), -number(dice, 20, 90)])
    v, om, delta = number(dice, 4, 12), number(dice, 30, 90), dice.random() < 0.5
    theta0 = number(dice, 0.1, 2)
    names = "s0, s1, s2" + ("" if delta else ", star")
    text = "model m\nrepeat k = 0..2 {\n  V{k} : vsource(s{k}, ground)  v = %r*sin(%r*t - 2*pi*k/3)\n}\n" % (v, om)
    text += "M : brushless_motor(%s | ground, q)  pp = %d, K = %r, L = %r, R = %r, connection = %s\n" % (names, pp, k, l, r, "delta" if delta else "star")
    text += "J : inertia(q)  J = %r, w(0) = %r, theta(0) = %r\nD : torsion_damper(ground, q)  d = %r\n" % (j, w0, theta0, d)
    text += "output q.w as w, M.ea.i as ia, M.ec.i as ic, V0.i as i0\n"

    def rates(t, x):
        i, w, th = x[:3], x[3], x[4]
        e = np.array([k * trapezoid(pp * th - TURN * n) for n in range(3)])
        u = np.array([v * math.sin(om * t - TURN * n) for n in range(3)])
        if delta:
            u = np.array([u[0] - u[1], u[1] - u[2], u[2] - u[0]])
            di = (u - r * i - e * w) / l
        else:
            star = np.sum(u - e * w) / 3
            di = (u - star - r * i - e * w) / l
        return [*di, (np.dot(e, i) - d * w) / j, w]

    times = [0.05, 0.13, 0.3]
    x = integrate(rates, [0, 0, 0, w0, theta0], times, 2e-4)
    line = x[:, 2] - x[:, 0] if delta else -x[:, 0]
    return text, times, ["w", "ia", "ic", "i0"], np.column_stack([x[:, 3], x[:, 0], x[:, 2], line]), 2e-5


def induction(dice):
    """In delta or star: fluxes of three stator and three rotor windings, their currents by the inverse of the inductances."""
    pp, ls, lr = dice.randint(1, 3), number(dice, 0.05, 0.2), number(dice, 0.05, 0.2)
    ms, mr, msr = -ls * dice.uniform(0.2, 0.4), -lr * dice.uniform(0.2, 0.4), 0.62 * math.sqrt(ls * lr)
    ms, mr, msr = (float("%.4g" % q) for q in (ms, mr, msr))
    rs, rr, j, d = number(dice, 0.5, 2), number(dice, 0.5, 2), number(dice, 0.01, 0.05), number(dice, 1e-3, 1e-2)
    v, om, w0, load = number(dice, 50, 150), number(dice, 100, 330), dice.choice([0.0, number(dice, 50, 400)]), dice.uniform(-1, 1)
    load = float("%.3g" % load)
    delta = dice.random() < 0.7
    text = "model m\nrepeat k = 0..2 {\n  V{k} : vsource(s{k}, ground)  v = %r*cos(%r*t - 2*pi*k/3)\n}\n" % (v, om)
    text += "M : induction_machine(s0, s1, s2%s | ground, q)  connection = %s, pp = %d, Ls = %r, Ms = %r, Lr = %r, Mr = %r, Msr = %r, Rs = %r, Rr = %r\n" % (
        "" if delta else ", star", "delta" if delta else "star", pp, ls, ms, lr, mr, msr, rs, rr)
    text += "J : inertia(q)  J = %r, w(0) = %r\nD : torsion_damper(ground, q)  d = %r\nT : torque(ground, q)  T = %r\n" % (j, w0, d, load)
    text += "output q.w as w, M.ea.i as ia, M.eb.i as ib, V1.i as i1\n"

    def inductances(th):
        m = np.zeros((6, 6))
        for a in range(3):
            for b in range(3):
                m[a, b] = ls if a == b else ms
                m[3 + a, 3 + b] = lr if a == b else mr
                m[a, 3 + b] = m[3 + b, a] = msr * math.cos(th + TURN * (b - a))
        return m

    def slope(th):
        m = np.zeros((6, 6))
        for a in range(3):
            for b in range(3):
                m[a, 3 + b] = m[3 + b, a] = -msr * math.sin(th + TURN * (b - a))
        return m

    # the rotor is a star; so is the stator unless in delta
    basis = np.zeros((6, 5 if delta else 4))
    if delta:
        basis[:3, :3] = np.eye(3)
    else:
        basis[:3, :2] = [[1, 0], [0, 1], [-1, -1]]
    basis[3:, -2:] = [[1, 0], [0, 1], [-1, -1]]
    n = basis.shape[1]

    def rates(t, x):
        i, w, th = basis @ x[:n], x[n], pp * x[n + 1]
        u = np.array([v * math.cos(om * t - TURN * k) for k in range(3)])
        u = np.concatenate([[u[0] - u[1], u[1] - u[2], u[2] - u[0]] if delta else u, [0, 0, 0]])
        drop = np.array([rs] * 3 + [rr] * 3) * i
        m, dm = inductances(th), slope(th)
        di = np.linalg.solve(basis.T @ m @ basis, basis.T @ (u - drop - pp * w * (dm @ i)))
        torque = pp * 0.5 * i @ dm @ i
        return [*di, (torque - d * w + load) / j, w]

    times = [0.02, 0.07, 0.15]
    x = integrate(rates, [0] * n + [w0, 0], times)
    i = x[:, :n] @ basis.T
    line = i[:, 0] - i[:, 1] if delta else -i[:, 1]
    return text, times, ["w", "ia", "ib", "i1"], np.column_stack([x[:, n], i[:, 0], i[:, 1], line]), 1e-6


def generator(dice):
    """A synchronous machine turned by a torque feeds a load in delta, or in a star without neutral."""
    pp, ld, lq, psi = dice.randint(1, 4), number(dice, 1e-3, 4e-3), number(dice, 1e-3, 6e-3), number(dice, 0.03, 0.2)
    r, rl, j, torque = number(dice, 0.05, 0.3), number(dice, 1, 10), number(dice, 2e-3, 1e-2), number(dice, 0.2, 2)
    delta = dice.random() < 0.5
    text = "model m\nM : synchronous_machine(a, b, c, n | ground, q)  pp = %d, Ld = %r, Lq = %r, psi = %r, R = %r\n" % (pp, ld, lq, psi, r)
    ends = [("a", "b"), ("b", "c"), ("c", "a")] if delta else [("a", "s"), ("b", "s"), ("c", "s")]
    text += "".join("R%d : resistor(%s, %s)  R = %r\n" % (k, p, q, rl) for k, (p, q) in enumerate(ends))
    text += "W : resistor(n, ground)  R = 1e3\nJ : inertia(q)  J = %r\nT : torque(ground, q)  T = %r\n" % (j, torque)
    text += "signal P = R0.v*R0.i + R1.v*R1.i + R2.v*R2.i\noutput q.w as w, P as p, M.ea.i as ia\n"
    phase = rl / 3 if delta else rl                  # as seen by a phase

    def rates(t, x):
        i_d, i_q, w, th = x
        we, rr = pp * w, r + phase
        return [(-rr * i_d + we * lq * i_q) / ld, (-rr * i_q - we * (ld * i_d + psi)) / lq,
                (1.5 * pp * (psi * i_q + (ld - lq) * i_d * i_q) + torque) / j, w]

    times = [0.05, 0.2, 0.5]
    x = integrate(rates, [0, 0, 0, 0], times)
    ia = x[:, 0] * np.cos(pp * x[:, 3]) - x[:, 1] * np.sin(pp * x[:, 3])
    power = 1.5 * phase * (x[:, 0] ** 2 + x[:, 1] ** 2)
    return text, times, ["w", "p", "ia"], np.column_stack([x[:, 2], power, ia]), 1e-6


def two_motors(dice):
    """Two motors on one elastic shaft: current controllers at one rate, a limited speed controller at another, as text."""
    kv, r, l = [number(dice, 0.05, 0.1) for _ in range(2)], [number(dice, 0.4, 1) for _ in range(2)], [number(dice, 2e-3, 5e-3) for _ in range(2)]
    j, c, d = [number(dice, 1e-3, 4e-3) for _ in range(2)], number(dice, 5, 20), number(dice, 0.01, 0.03)
    fast, slow = number(dice, 3e-4, 7e-4), number(dice, 2e-3, 5e-3)
    off = float("%.3g" % dice.uniform(0, fast))
    kp, ki, kw, kiw, most = number(dice, 0.5, 1.5), number(dice, 0.05, 0.2), number(dice, 0.2, 0.6), number(dice, 0.005, 0.03), number(dice, 2, 5)
    ref = number(dice, 10, 40)
    reset = float("%.3g" % dice.uniform(0.05, 0.15))
    text = "model m\n"
    for k in (0, 1):
        text += "V%d : vsource(p%d, ground)  v = u%d*(1 V)\nM%d : dc_motor(p%d, ground | ground, q%d)  Kv = %r, R = %r, L = %r\nJ%d : inertia(q%d)  J = %r\n" % (
            k, k, k, k, k, k, kv[k], r[k], l[k], k, k, j[k])
    text += "S : torsion_spring(q0, q1)  k = %r\nD : torsion_damper(q0, q1)  d = %r\n" % (c, d)
    text += "discrete ir = 0, z = 0, u0 = 0, u1 = 0, z0 = 0, z1 = 0, e = 0\n"
    text += """every %r s {
  e = (if t > %r s then %r else %r) - q1.w/(1 rad/s)
  ir = clamp(%r*e + pre(z), -%r, %r)
  z = if %r*e + pre(z) == ir then pre(z) + %r*e else pre(z)
}
""" % (slow, reset, -ref, ref, kw, most, most, kw, kiw)
    for k in (0, 1):
        text += "every %r s%s {\n  u%d = %r*(ir - M%d.e.i/(1 A)) + z%d\n  z%d = pre(z%d) + %r*(ir - M%d.e.i/(1 A))\n}\n" % (
            fast, " offset %r s" % off if k else "", k, kp, k, k, k, k, ki, k)
    text += "output q0.w as w0, q1.w as w1, M0.e.i as i0, M1.e.i as i1, ir, u1\n"

    # linear between ticks: exact by the matrix exponential
    a = np.zeros((7, 7))      # i0 i1 w0 w1 twist, then u0 u1
    for k in (0, 1):
        a[k, k], a[k, 2 + k], a[k, 5 + k] = -r[k] / l[k], -kv[k] / l[k], 1 / l[k]
        sign = 1 if k == 0 else -1                       # the shaft takes k*(q0 - q1) from the first
        a[2 + k, k] = kv[k] / j[k]
        a[2 + k, 4], a[2 + k, 2], a[2 + k, 3] = -sign * c / j[k], -sign * d / j[k], sign * d / j[k]
    a[4, 2], a[4, 3] = 1, -1
    times = [0.06, 0.11, 0.2]
    ticks = sorted({(round(t, 15), t) for t in [slow * n for n in range(500)] + [fast * n for n in range(4000)] + [off + fast * n for n in range(4000)] + times
                    if t <= times[-1] + 1e-12})
    state, now, rows = np.zeros(7), 0.0, []
    ir = z = 0.0
    zs, n_slow, n_fast = [0.0, 0.0], 0, [0, 0]
    for _, t in ticks:
        state = expm(a * (t - now)) @ state
        now = t
        if n_slow * slow <= t + 1e-13:
            e = (-ref if n_slow * slow > reset else ref) - state[3]
            ir_free = kw * e + z
            ir = min(max(ir_free, -most), most)
            z = z + kiw * e if ir_free == ir else z
            n_slow += 1
        for k in (0, 1):
            at = n_fast[k] * fast + (off if k else 0)
            if at <= t + 1e-13:
                zs[k] = zs[k] + ki * (ir - state[k])
                state[5 + k] = kp * (ir - state[k]) + zs[k]
                n_fast[k] += 1
        if any(abs(t - s) < 1e-13 for s in times) and len(rows) < len(times):
            rows.append([state[2], state[3], state[0], state[1], ir, state[6]])
    return text, times, ["w0", "w1", "i0", "i1", "ir", "u1"], np.array(rows), 1e-6


def hydraulic(dice):
    """A hydraulic motor on the joint of a pendulum, fed through a line that gives way, with leakage."""
    m, s, jz, g = number(dice, 0.5, 3), number(dice, 0.2, 0.6), number(dice, 0.02, 0.2), 9.80665
    disp, leak, b = number(dice, 2e-6, 8e-6), number(dice, 1e-12, 1e-11), number(dice, 0.02, 0.2)
    cap, res, p0 = number(dice, 5e-13, 5e-12), number(dice, 1e10, 5e10), number(dice, 5e5, 2e6)
    text = "model m\nspace = planar\ngravity = [0, -%r]\n" % g
    text += "B : body  m = %r, I = %r  { o = [-%r, 0] }\nJ1 : revolute(ground, B.o)\n" % (m, jz, s)
    text += "P : pressure_source(p, ground)  p = %r\nR : fluid_resistor(p, h)  R = %r\nC : accumulator(h, ground)  C = %r\n" % (p0, res, cap)
    text += "H : pump(h, ground | J1)  D = %r, G = %r, B = %r\n" % (disp, leak, b)
    text += "output J1.beta as q, J1.w as w, h.p as p\n"

    def rates(t, x):
        q, w, p = x
        return [w, (-m * g * s * math.cos(q) + disp * p - b * w) / (jz + m * s * s), ((p0 - p) / res - disp * w - leak * p) / cap]

    times = [0.05, 0.3, 0.8]
    x = integrate(rates, [0, 0, 0], times, 1e-2)
    return text, times, ["q", "w", "p"], x, 1e-6


def piezo(dice):
    """A piezo pushes a mass against a spring; voltage through a resistor, then opened: what the charge keeps."""
    c, k, kk = number(dice, 1e-6, 5e-6), number(dice, 5e6, 3e7), number(dice, 3, 10)
    m, d, ks, r, v = number(dice, 0.05, 0.3), number(dice, 20, 90), number(dice, 1e6, 1e7), number(dice, 10, 100), number(dice, 50, 150)
    rp, t1 = number(dice, 1e4, 1e5), 2e-3
    text = "model m\nV : vsource(a, ground)  v = if t < %r then %r else 0\nR : resistor(a, b)  R = %r\nP : resistor(b, ground)  R = %r\n" % (t1, v, r, rp)
    text += "Z : piezo_stack(b, ground | ground, x)  C = %r, k = %r, K = %r\nM : mass(x)  m = %r\nD : damper(ground, x)  d = %r\nS : spring(ground, x)  k = %r\n" % (
        c, k, kk, m, d, ks)
    text += "output x.x as x, x.v as s, b.v as u, Z.e.i as i\nsimulate stop = 4 ms\n"

    def rates(t, x):
        u = v if t < t1 else 0.0
        i = (u - x[2]) / r - x[2] / rp
        return [x[1], (-(k + ks) * x[0] - d * x[1] + kk * x[2]) / m, (i - kk * x[1]) / c]

    times = [3e-4, 1.1e-3, 1.9e-3]
    first = solve_ivp(rates, (0, t1), [0, 0, 0], t_eval=times + [t1], rtol=1e-11, atol=1e-16, method="DOP853", max_step=1e-5)
    after = [2.2e-3, 3.5e-3]
    then = solve_ivp(lambda t, x: rates(t + t1, x), (0, 2e-3), first.y[:, -1], t_eval=[t - t1 for t in after], rtol=1e-11, atol=1e-16, method="DOP853", max_step=1e-5)
    x = np.vstack([first.y.T[:-1], then.y.T])
    u = np.array([v] * 3 + [0.0] * 2)
    return text, times + after, ["x", "s", "u", "i"], np.column_stack([x, (u - x[:, 2]) / r - x[:, 2] / rp]), 1e-5


def six_step(dice):
    """A brushless motor on six switches that the angle turns: each leg lies at the source or at its other end."""
    pp, k, l, r = dice.randint(1, 4), number(dice, 0.03, 0.1), number(dice, 5e-4, 3e-3), number(dice, 0.2, 1)
    j, d, v, ron, roff = number(dice, 1e-3, 1e-2), number(dice, 1e-3, 1e-2), number(dice, 12, 48), number(dice, 0.01, 0.1), number(dice, 1e4, 1e5)
    delta, lead, w0 = dice.random() < 0.5, float("%.3g" % dice.uniform(-0.4, 0.4)), number(dice, 5, 30)
    ahead = lead - (math.pi / 6 if delta else 0)     # windings in delta lie between legs
    text = "model m\nV : vsource(p, ground)  v = %r\n" % v
    for n in range(3):
        on = "sin(%d*q.theta + %r - %r) > 0" % (pp, ahead, TURN * n)
        text += "H%d : switch(p, s%d)  on = %s, Ron = %r, Roff = %r\nL%d : switch(s%d, ground)  on = not (%s), Ron = %r, Roff = %r\n" % (n, n, on, ron, roff, n, n, on, ron, roff)
    text += "M : brushless_motor(s0, s1, s2%s | ground, q)  pp = %d, K = %r, L = %r, R = %r, connection = %s\n" % (
        "" if delta else ", star", pp, k, l, r, "delta" if delta else "star")
    text += "J : inertia(q)  J = %r, w(0) = %r\nD : torsion_damper(ground, q)  d = %r\noutput q.w as w, M.ea.i as ia, M.eb.i as ib, V.i as i\n" % (j, w0, d)

    def legs(x):
        i = np.array([x[0] - x[2], x[1] - x[0], x[2] - x[1]]) if delta else x[:3]
        on = np.array([math.sin(pp * x[4] + ahead - TURN * n) > 0 for n in range(3)])
        high, low = np.where(on, 1 / ron, 1 / roff), np.where(on, 1 / roff, 1 / ron)
        u = (high * v - i) / (high + low)
        return u, -np.sum(high * (v - u))

    def rates(t, x):
        i, w, th = x[:3], x[3], x[4]
        e = np.array([k * trapezoid(pp * th - TURN * n) for n in range(3)])
        u, _ = legs(x)
        if delta:
            di = (np.array([u[0] - u[1], u[1] - u[2], u[2] - u[0]]) - r * i - e * w) / l
        else:
            di = (u - np.sum(u - e * w) / 3 - r * i - e * w) / l
        return [*di, (np.dot(e, i) - d * w) / j, w]

    # between the angles at which something jumps or bends; each is an event
    times = [0.02, 0.05, 0.09]
    now, x, rows = 0.0, np.array([0, 0, 0, w0, 0.0]), []
    marks = sorted({q % (2 * math.pi) for n in range(3) for q in (TURN * n - ahead, math.pi + TURN * n - ahead)} |
                   {q % (2 * math.pi) for n in range(3) for q in (TURN * n + math.pi / 6 * f for f in (1, 5, 7, 11))})
    for end in times:
        while now < end:
            th = pp * x[4]
            angle = min(2 * math.pi * math.floor((th + 1e-9) / (2 * math.pi)) + q for q in marks + [marks[0] + 2 * math.pi]
                        if 2 * math.pi * math.floor((th + 1e-9) / (2 * math.pi)) + q > th + 1e-9)

            def reached(t, y, angle=angle):
                return pp * y[4] - angle
            reached.terminal = True
            # the side is kept by evaluating a hair inside of the stretch
            inside = lambda t, y, a=th, b=angle: rates(t, np.array([*y[:4], min(max(pp * y[4], a + 1e-10 * abs(b - a)), b - 1e-10 * abs(b - a)) / pp]))
            s = solve_ivp(inside, (now, end), x, rtol=1e-10, atol=1e-12, method="DOP853", events=reached)
            now, x = s.t[-1], s.y[:, -1]
        _, i = legs(x)
        rows.append([x[3], x[0], x[1], i])
    return text, times, ["w", "ia", "ib", "i"], np.array(rows), 1e-5


def windup(dice):
    """A motor under a limited pid with back-calculation; an integral is reset as the speed passes a mark."""
    kv, r, l, j, d = number(dice, 0.03, 0.1), number(dice, 0.4, 1), number(dice, 5e-4, 2e-3), number(dice, 1e-3, 4e-3), number(dice, 1e-3, 1e-2)
    kp, ki, tt, most, ref, tl = number(dice, 0.3, 2), number(dice, 3, 30), number(dice, 0.02, 0.2), number(dice, 6, 15), number(dice, 50, 200), 0.25
    load = number(dice, 0.05, 0.3)
    mark = 0.3 * most / kv * 0.7
    mark = float("%.3g" % mark)
    text = "model m\nC : pid(e)  Kp = %r, Ki = %r, lo = -%r, hi = %r, Tt = %r\nsignal e = %r - q.w/(1 rad/s)\n" % (kp, ki, most, most, tt, ref)
    text += "V : vsource(a, ground)  v = C.y*(1 V)\nM : dc_motor(a, ground | ground, q)  Kv = %r, R = %r, L = %r\nJ : inertia(q)  J = %r\n" % (kv, r, l, j)
    text += "D : torsion_damper(ground, q)  d = %r\nT : torque(ground, q)  T = if t >= %r then -%r else 0\n" % (d, tl, load)
    text += "I : integral_reset(q.w/(1 rad/s), if q.w > %r rad/s then 1 else 0)  K = 2, y0 = 0.5\noutput q.w as w, C.y as u, M.e.i as i, C.xi as x, I.y as z\n" % mark

    def limited(x):
        u = kp * (ref - x[1]) + x[2]
        return u, min(max(u, -most), most)

    def rates(t, x, after):
        i, w, xi, z = x
        u, y = limited(x)
        return [(y - r * i - kv * w) / l, (kv * i - d * w - (load if after else 0)) / j, ki * (ref - w) + (y - u) / tt, 2 * w]

    times, rows, now, x = [0.03, 0.12, 0.2, 0.3, 0.5], [], 0.0, np.array([0, 0, 0, 0.0])
    up = lambda t, y, after: y[1] - mark
    up.terminal, up.direction = True, 1
    top = lambda t, y, after: abs(limited(y)[0]) - most
    top.terminal = True
    for end in sorted(times + [tl]):
        while now < end - 1e-12:
            s = solve_ivp(rates, (now, end), x, args=(now >= tl - 1e-12,), rtol=1e-11, atol=1e-11, method="DOP853", events=[up, top], max_step=1e-3)
            if len(s.t_events[0]) and s.t_events[0][0] - now < 1e-12:
                s = solve_ivp(rates, (now, min(end, now + 1e-6)), x, args=(now >= tl - 1e-12,), rtol=1e-11, atol=1e-11, method="DOP853")
                now, x = s.t[-1], s.y[:, -1]
                continue
            if len(s.t_events[1]) and s.t_events[1][0] - now < 1e-12:
                s = solve_ivp(rates, (now, min(end, now + 1e-6)), x, args=(now >= tl - 1e-12,), rtol=1e-11, atol=1e-11, method="DOP853")
                now, x = s.t[-1], s.y[:, -1]
                continue
            now, x = s.t[-1], s.y[:, -1].copy()
            if len(s.t_events[0]):
                x[3] = 0.5
        if end in times:
            rows.append([x[1], limited(x)[1], x[0], x[2], x[3]])
    return text, times, ["w", "u", "i", "x", "z"], np.array(rows), 1e-5


def four_bar(dice):
    """A cylinder with compressible fluid between the ground and the coupler of a four-bar; multipliers hold the joints."""
    r = [0.6, number(dice, 0.18, 0.22), number(dice, 0.45, 0.55), number(dice, 0.38, 0.45)]
    rho, g, th0 = number(dice, 1, 4), 9.81, float("%.3g" % dice.uniform(0.9, 1.3))
    area1, area2, kappa, leak = number(dice, 1e-4, 4e-4), number(dice, 1e-4, 3e-4), number(dice, 5e-10, 2e-9), number(dice, 1e-12, 1e-11)
    v1, v2, res, ps = number(dice, 1e-4, 2e-4), number(dice, 1e-4, 2e-4), number(dice, 2e9, 2e10), number(dice, 1e5, 4e5)
    gx, gy, px, py = 0.3, -0.4, number(dice, 0.15, 0.3), number(dice, 0.05, 0.2)
    text = "model m\nspace = planar\ngravity = [0, -%r]\nground { O4 = [%r, 0], G = [%r, %r] }\n" % (g, r[0], gx, gy)
    for name, length, frames in (("crank", r[1], "A = [%r, 0]" % r[1]), ("coupler", r[2], "B = [%r, 0], P = [%r, %r]" % (r[2], px, py)), ("rocker", r[3], "B = [%r, 0]" % r[3])):
        text += "%s : body  m = %r, I = %r, com = [%r, 0]  { %s }\n" % (name, rho * length, rho * length ** 3 / 12, length / 2, frames)
    text += "O2 : revolute(ground, crank)  beta(0) = %r, w(0) = 0\nA : revolute(crank.A, coupler)\nB : revolute(coupler.B, rocker.B)\nO4 : revolute(ground.O4, rocker)\n" % th0
    text += "guess coupler.theta = 20 deg, rocker.theta = 100 deg\n"
    ends = lambda q: np.array([r[1] * math.cos(q[0]) + r[2] * math.cos(q[1]) - r[0] - r[3] * math.cos(q[2]),
                               r[1] * math.sin(q[0]) + r[2] * math.sin(q[1]) - r[3] * math.sin(q[2])])
    slope = lambda q: np.array([[-r[1] * math.sin(q[0]), -r[2] * math.sin(q[1]), r[3] * math.sin(q[2])],
                                [r[1] * math.cos(q[0]), r[2] * math.cos(q[1]), -r[3] * math.cos(q[2])]])
    q0 = np.array([th0, 0.35, 1.75])
    for _ in range(50):
        q0[1:] -= np.linalg.solve(slope(q0)[:, 1:], ends(q0))
    tip = lambda q: np.array([r[1] * math.cos(q[0]) + px * math.cos(q[1]) - py * math.sin(q[1]) - gx,
                              r[1] * math.sin(q[0]) + px * math.sin(q[1]) + py * math.cos(q[1]) - gy])
    l0 = float("%.4g" % np.linalg.norm(tip(q0)))
    text += "P : pressure_source(s, ground)  p = %r\nR1 : fluid_resistor(s, c1)  R = %r\nR2 : fluid_resistor(c2, ground)  R = %r\n" % (ps, res, res)
    text += "Z : differential_cylinder(c1, c2 | ground.G, coupler.P)  A1 = %r, A2 = %r, V1 = %r, V2 = %r, kappa = %r, G = %r, l0 = %r\n" % (area1, area2, v1, v2, kappa, leak, l0)
    text += "output crank.w as w, rocker.theta as q, c1.p as p1, c2.p as p2, Z.m.F as f\n"

    def kinetic(q):
        """M of the three angles, bars uniform; the coupler's centre hangs on the crank's end."""
        m = [rho * x for x in r[1:]]
        c = math.cos(q[0] - q[1])
        return np.array([[m[0] * r[1] ** 2 / 3 + m[1] * r[1] ** 2, m[1] * r[1] * r[2] / 2 * c, 0],
                         [m[1] * r[1] * r[2] / 2 * c, m[1] * r[2] ** 2 / 3, 0], [0, 0, m[2] * r[3] ** 2 / 3]])

    def rates(t, x):
        q, w, p1, p2 = x[:3], x[3:6], x[6], x[7]
        m = [rho * y for y in r[1:]]
        s = math.sin(q[0] - q[1])
        force = np.array([-m[1] * r[1] * r[2] / 2 * s * w[1] ** 2 - (m[0] / 2 + m[1]) * r[1] * g * math.cos(q[0]),
                          m[1] * r[1] * r[2] / 2 * s * w[0] ** 2 - m[1] * r[2] / 2 * g * math.cos(q[1]), -m[2] * r[3] / 2 * g * math.cos(q[2])])
        at = tip(q)
        length = np.linalg.norm(at)
        by = np.array([[-r[1] * math.sin(q[0]), -px * math.sin(q[1]) - py * math.cos(q[1]), 0], [r[1] * math.cos(q[0]), px * math.cos(q[1]) - py * math.sin(q[1]), 0]])
        along = at @ by / length
        speed = along @ w
        force = force + along * (area1 * p1 - area2 * p2)
        h = slope(q)
        turn = np.array([-r[1] * math.cos(q[0]) * w[0] ** 2 - r[2] * math.cos(q[1]) * w[1] ** 2 + r[3] * math.cos(q[2]) * w[2] ** 2,
                         -r[1] * math.sin(q[0]) * w[0] ** 2 - r[2] * math.sin(q[1]) * w[1] ** 2 + r[3] * math.sin(q[2]) * w[2] ** 2])
        k = np.block([[kinetic(q), h.T], [h, np.zeros((2, 2))]])
        a = np.linalg.solve(k, np.concatenate([force, -turn - 2 * 20 * h @ w - 400 * ends(q)]))[:3]
        flow1, flow2 = (ps - p1) / res, -p2 / res
        dp1 = (flow1 - area1 * speed - leak * (p1 - p2)) / (kappa * (v1 + area1 * (length - l0)))
        dp2 = (flow2 + area2 * speed - leak * (p2 - p1)) / (kappa * (v2 - area2 * (length - l0)))
        return [*w, *a, dp1, dp2]

    times = [0.05, 0.15, 0.3]
    x = integrate(rates, [*q0, 0, 0, 0, 0, 0], times, 5e-3)
    return text, times, ["w", "q", "p1", "p2", "f"], np.column_stack([x[:, 3], x[:, 2], x[:, 6], x[:, 7], area2 * x[:, 7] - area1 * x[:, 6]]), 1e-5


KINDS = [brushless, induction, generator, two_motors, hydraulic, piezo, six_step, windup, four_bar]


def main():
    campaign = Campaign("machines", 12)
    for case in campaign:
        kind = KINDS[case.number % len(KINDS)]
        text, times, names, right, near = kind(case.dice)
        rows = case.program.run(text, times, "--tol", "1e-9")
        got = rows.rows()
        if not case.check(got and len(got) == len(times), "%s: %s" % (kind.__name__, rows.why()), text):
            continue
        size = np.max(np.abs(right), axis=0)
        for row, want in zip(got, right):
            for name, value, largest in zip(names, want, size):
                case.equal(row[name], float(value), near * (largest + 1e-9), "%s: %s(%g)" % (kind.__name__, name, row["time"]), text)
    campaign.close()


if __name__ == "__main__":
    sys.exit(main())
