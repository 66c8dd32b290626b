"""Loops and steps: Bode numbers, margins, bandwidth, rise and settling time, overshoot of random transfer functions
against scipy.signal and dense samples of it.

A system is a row of amplifiers with RC and RLC filters behind them, so that its transfer function is known by factors.
"""
import csv
import os
import sys

import numpy
from scipy import signal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from campaign import Campaign


def make(dice):
    """The model, and zeros, poles, gain of its transfer function."""
    lines, zeros, poles, gain = ["model row", "input u", "V0 : vsource(a0, ground)  v = u"], [], [], 1.0
    count = dice.randint(1, 4)
    for i in range(count):
        w, k = 10 ** dice.uniform(-1, 3), dice.uniform(0.3, 4) * dice.choice([1, 1, 1, -1])
        lines.append("E%d : vcvs(a%d, ground | b%d, ground)  gain = %.17g" % (i, i, i, k))
        lines.append("R%d : resistor(b%d, c%d)  R = 1" % (i, i, i))
        kind = dice.randint(0, 2)
        if kind == 0:
            lines.append("C%d : capacitor(c%d, ground)  C = %.17g" % (i, i, 1 / w))
            poles.append(-w)
            gain *= k * w
        elif kind == 1:  # R, then C in series with another R: lag with a zero
            low = 10 ** dice.uniform(-2, 0)
            lines.append("C%d : capacitor(c%d, d%d)  C = %.17g" % (i, i, i, 1 / w))
            lines.append("Q%d : resistor(d%d, ground)  R = %.17g" % (i, i, low))
            zeros.append(-w / low)
            poles.append(-w / (1 + low))
            gain *= k * low / (1 + low)
        else:
            damping = 10 ** dice.uniform(-1.3, 0.2)
            inductance = 1 / (2 * damping * w)
            lines.append("L%d : inductor(c%d, d%d)  L = %.17g" % (i, i, i, inductance))
            lines.append("C%d : capacitor(d%d, ground)  C = %.17g" % (i, i, 1 / (w * w * inductance)))
            poles += list(numpy.roots([1, 2 * damping * w, w * w]))
            gain *= k * w * w
        end = "d" if kind == 2 else "c"
        lines.append("E%dn : vcvs(%s%d, ground | a%d, ground)  gain = 1" % (i, end, i, i + 1))
    return "\n".join(lines + ["output a%d.v as y" % count, ""]), zeros, poles, gain


def response(zpk, omega):
    zeros, poles, gain = zpk
    value = numpy.full(len(omega), gain, dtype=complex)
    for z in zeros:
        value *= 1j * omega - z
    for p in poles:
        value /= 1j * omega - p
    return value


def crossings(omega, value):
    """Where a sampled curve changes its sign, by linear interpolation."""
    at = numpy.nonzero(numpy.sign(value[:-1]) * numpy.sign(value[1:]) < 0)[0]
    part = value[at] / (value[at] - value[at + 1])
    return omega[at] * (omega[at + 1] / omega[at]) ** part


def check_margins(c, text, zpk, said):
    omega = numpy.logspace(-5, 7, 100001)
    g = response(zpk, omega)
    db = 20 * numpy.log10(abs(g))
    c.check(len(crossings(omega, db)) == len(said["gain_crossovers"]), "number of gain crossovers", text)
    for want, got in zip(crossings(omega, db), said["gain_crossovers"]):
        c.equal(got["omega"] / want, 1, 1e-5, "gain crossover", text)
        margin = numpy.angle(-response(zpk, numpy.array([got["omega"]]))[0], deg=True)
        c.equal((got["phase_margin"] - margin + 180) % 360 - 180, 0, 1e-6, "phase margin", text)
    turn = crossings(omega, g.imag)
    turn = [w for w in turn if response(zpk, numpy.array([w]))[0].real < 0]
    c.check(len(turn) == len(said["phase_crossovers"]), "number of phase crossovers", text)
    for want, got in zip(turn, said["phase_crossovers"]):
        c.equal(got["omega"] / want, 1, 1e-4, "phase crossover", text)
        size = 20 * numpy.log10(abs(response(zpk, numpy.array([got["omega"]]))[0]))
        c.equal(got["gain_margin"], -size, 1e-7, "gain margin", text)
    drop = crossings(omega, db - 20 * numpy.log10(abs(response(zpk, numpy.array([0.0]))[0])) + 10 * numpy.log10(2))
    if len(drop):
        c.equal(said["bandwidth"] / drop[0], 1, 1e-5, "bandwidth", text)
    else:
        c.check(said["bandwidth"] is None, "there is no bandwidth", text)
    closed = numpy.polyadd(numpy.poly(zpk[1]), zpk[2] * numpy.poly(zpk[0])).real
    worst = numpy.roots(closed).real.max()
    if abs(worst) > 1e-6 * abs(numpy.roots(closed)).max():
        c.check(said["closed_loop_stable"] == (worst < 0), "stability of the closed loop", text)


def check_steps(c, text, zpk, said):
    """Against scipy's answer at 100 000 times; their distance is the tolerance."""
    slow, fast = max(-1 / numpy.real(zpk[1])), max(abs(numpy.array(zpk[1])))
    end = 12 * slow + 3 * said["settling_time"]
    if end * fast > 2e4:
        return
    time = numpy.linspace(0, end, 100001)
    system = signal.ZerosPolesGain(*zpk).to_ss()
    _, y = signal.step(system, T=time)
    final = response(zpk, numpy.array([0.0]))[0].real
    y, near = y / final, 2 * time[1] + 1e-6 * end
    c.equal(said["final"] / final, 1, 1e-9, "final value", text)
    c.equal(float(said["overshoot"]), max(y.max() - 1, 0), 1e-5 + (time[1] * fast) ** 2, "overshoot", text)
    c.equal(float(said["undershoot"]), max(-y.min(), 0), 1e-5 + (time[1] * fast) ** 2, "undershoot", text)
    rise = time[numpy.argmax(y >= 0.9)] - time[numpy.argmax(y >= 0.1)]
    c.equal(said["rise_time"], rise, near, "rise time", text)
    left = numpy.nonzero(abs(y - 1) > 0.02)[0]
    tops = abs(abs(y - 1) - 0.02).min() if len(left) else 1
    peaks = signal.argrelmax(abs(y - 1))[0]
    if not any(abs(abs(y[k] - 1) - 0.02) < 1e-4 for k in peaks) and tops < 1:
        c.equal(said["settling_time"], time[left[-1] + 1] if len(left) else 0, near, "settling time", text)


def check_bode(c, text, zpk, folder):
    path = os.path.join(folder, "bode.csv")
    answer = c.program.call(text, "statespace", "--bode", path, "--from", "0.01Hz", "--to", "1kHz", "--points", "50")
    if not c.check(answer.code == 0, answer.why(), text):
        return
    with open(path) as f:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]
    g = response(zpk, 2 * numpy.pi * numpy.array([r["frequency"] for r in rows]))
    c.check(len(rows) == 51 and rows[0]["frequency"] == 0.01 and rows[50]["frequency"] == 1000, "range", text)
    worst = max(abs(r["dB(y/u)"] - 20 * numpy.log10(abs(v))) for r, v in zip(rows, g))
    c.equal(worst, 0, 1e-7, "dB", text)
    turn = [(r["deg(y/u)"] - numpy.angle(v, deg=True) + 180) % 360 - 180 for r, v in zip(rows, g)]
    c.equal(max(abs(d) for d in turn), 0, 1e-6, "degrees", text)


c = Campaign("loops", 25)
for case in c:
    text, *zpk = make(c.dice)
    said = c.program.call(text, "statespace", "--margins", "--step-info", "--json")
    if not c.check(said.json() is not None, said.why(), text):
        continue
    check_margins(c, text, zpk, said.json()["margins"][0])
    check_steps(c, text, zpk, said.json()["steps"][0])
    check_bode(c, text, zpk, c.program.folder.name)
c.close()
