"""Random ladders in loops over transport delays: linear models against their equations with exp(-s T).

The exact response is solved here at each frequency; the matrices must have it at low frequencies, their poles those of a
fine Pade approximation.
"""
import json
import os

import numpy as np

from campaign import Campaign


class Loop:
    def __init__(self, dice):
        number = lambda low, high: float("%.4g" % dice.uniform(low, high))
        self.n, self.lags = dice.randint(1, 3), dice.randint(1, 2)
        self.r, self.c = [number(0.5, 2) for _ in range(self.n)], [number(0.5, 2) for _ in range(self.n)]
        self.time = [number(0.1, 1.5) for _ in range(self.lags)]
        self.back = [[number(-1, 1) for _ in range(self.n)] for _ in range(self.lags)]      # what of the voltages goes in,
        self.own = [[number(-0.4, 0.4) for _ in range(self.lags)] for _ in range(self.lags)]   # of what comes out,
        self.ahead = [number(-1, 1) for _ in range(self.lags)]                               # of the input
        self.drive = [number(-1.5, 1.5) for _ in range(self.lags)]

    def text(self):
        lines = ["model lags", "input u", "V : vsource(a0, ground)  v = (u + %s)*1 V" % " + ".join("(%r)*D%d.y" % (g, k) for k, g in enumerate(self.drive))]
        for k in range(self.n):
            lines += ["R%d : resistor(a%d, a%d)  R = %r" % (k, k, k + 1, self.r[k]), "C%d : capacitor(a%d, ground)  C = %r" % (k, k + 1, self.c[k])]
        for k in range(self.lags):
            terms = ["(%r)*C%d.v/(1 V)" % (g, i) for i, g in enumerate(self.back[k])]
            terms += ["(%r)*D%d.y" % (g, i) for i, g in enumerate(self.own[k])] + ["(%r)*u" % self.ahead[k]]
            lines.append("D%d : delay(%s)  T = %r" % (k, " + ".join(terms), self.time[k]))
        return "\n".join(lines + ["output C%d.v as y, %s as z" % (self.n - 1, "D0.y + 0.5*u")])

    def at(self, s):
        """Unknowns: voltages, then what is delayed."""
        n, size = self.n, self.n + self.lags
        m, b = np.zeros((size, size), complex), np.zeros(size, complex)
        for k in range(n):
            m[k, k] += s * self.c[k] + 1 / self.r[k]
            if k:
                m[k, k - 1] -= 1 / self.r[k]
                m[k - 1, k] -= 1 / self.r[k]
                m[k - 1, k - 1] += 1 / self.r[k]
        b[0] = 1 / self.r[0]
        m[0, n:] -= np.array(self.drive) / self.r[0]
        for k in range(self.lags):
            turn = np.exp(s * self.time[k])
            m[n + k, :n], m[n + k, n:] = -np.array(self.back[k]), -np.array(self.own[k])
            m[n + k, n + k] += turn
            b[n + k] = self.ahead[k]
        x = np.linalg.solve(m, b)
        return np.array([x[n - 1], x[n] + 0.5])


campaign = Campaign("lags", 6)
for case in campaign:
    loop = Loop(case.dice)
    text, name = loop.text(), os.path.join(case.program.folder.name, "bode.json")
    said = case.program.call(text, "statespace", "--json", "--margins", "--bode", name, "--from", "0.01", "--to", "60")
    got = said.json()
    if not case.check(got is not None and os.path.exists(name), "no linear model: " + said.why(), text):
        continue
    with open(name) as f:
        curves = json.load(f)
    omega = np.array(curves["omega"])
    want = np.array([loop.at(1j * w) for w in omega])
    for i, curve in enumerate(curves["responses"]):
        size = np.abs(want[:, i])
        value = lambda way: 10 ** (np.array(curve[way + "dB"], float) / 20) * np.exp(1j * np.radians(np.array(curve[way + "deg"], float)))
        off = np.abs(value("exact_") - want[:, i]) / size.max()
        case.check(np.nanmax(off) < 1e-9, "exact response is off by %.1e" % np.nanmax(off), text)
        low = omega * max(loop.time) < 1.5
        off = np.abs(value("") - want[:, i])[low] / size.max()
        case.check(off.max() < 1e-6, "response of the matrices is off by %.1e" % off.max(), text)
        turns = np.abs(np.diff(np.array(curve["exact_deg"], float)))
        case.check(np.nanmax(turns[np.diff(omega) * sum(loop.time) < 0.3]) < 200, "the phase leaps", text)
    for i, one in enumerate(got["margins"]):
        for cross in one["phase_crossovers"]:
            g = loop.at(1j * cross["omega"])[i]
            case.check(abs(g + 10 ** (-cross["gain_margin"] / 20)) < 1e-6 * abs(g), "gain margin at %g" % cross["omega"], text)
        for cross in one["gain_crossovers"]:
            g = loop.at(1j * cross["omega"])[i]
            turn = np.degrees(np.angle(-g))
            case.check(abs(abs(g) - 1) < 1e-6 and abs((turn - cross["phase_margin"] + 180) % 360 - 180) < 1e-3, "phase margin at %g" % cross["omega"], text)
campaign.close()
