#!/usr/bin/env python3
"""State spaces of the textbook systems from their laws, written down by hand: derive.py [NAME...]

Each system below is what a textbook would write: laws of motion, of circuits, balances of flow and heat,
with every variable that occurs, and no graph. SymPy solves them for the derivatives of the states; the
result is kept in models/NAME/expected/statespace.json, and tests/statespace/check.py compares the program
with it. Needs python3-sympy; the comparison does not.

A line `dX` is the derivative of X. Names of states and of their derivatives stand for those of the model, in
the order of `states`. Nonlinear systems give the linearised law, at the symbols of the operating point.
"""
import json
import os
import sys

import sympy

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', 'models')

SYSTEMS = {
    'quarter_car': dict(
        source="Newton's law for body and wheel; e.g. D. Karnopp, Vehicle Dynamics, Stability, and Control (2013)",
        states={'xt': 'tyre.x', 'xs': 'susp.x', 'vu': 'Mu.v', 'vs': 'Ms.v'}, inputs=['w'],
        unknowns='Fs Ft',
        laws=['dxt = vu - w', 'dxs = vs - vu', 'Fs = ks*xs + cs*(vs - vu)', 'Ft = kt*xt',
              'ms*dvs = -Fs', 'mu*dvu = Fs - Ft'],
        outputs={'v_body': 'vs', 'a_body': 'dvs', 'travel': 'xs', 'load': '-kt*xt'}),
    'belt_drive': dict(
        source='torque balance of the pulley, force balance of the carriage, armature circuit',
        states={'x': 'belt.x', 'i': 'M1.e.i', 'om': 'Jm.w', 'v': 'load.v'}, inputs=['u'],
        unknowns='Fb',
        laws=['dx = r*om - v', 'Fb = k*x + c*(r*om - v)', 'L*di = u - R*i - K*om',
              'J*dom = K*i - B*om - r*Fb', 'm*dv = Fb - d*v'],
        outputs={'v': 'v', 'w': 'om', 'tension': 'k*x', 'i': 'i'}),
    'geared_shaft': dict(
        source='torque balances of the three inertias; w2 = n w3',
        states={'th': 'K1.theta', 'w1': 'R1.w', 'w3': 'R3.w'}, inputs=['T'],
        unknowns='Ts Tg',
        laws=['dth = w1 - n*w3', 'Ts = k*th + c*(w1 - n*w3)', 'J1*dw1 = T - Ts',
              'J2*n*dw3 = Ts - Tg', 'J3*dw3 = n*Tg - b*w3'],
        outputs={'w1': 'w1', 'w3': 'w3', 'T_shaft': 'k*th'}),
    'tanks_long_line': dict(
        source='conservation of volume in the tanks, momentum of the water in the line',
        states={'p1': 'T1.p', 'ql': 'L1.q', 'p2': 'T2.p'}, inputs=['q'], unknowns='qo',
        laws=['C1*dp1 = q - ql', 'I*dql = p1 - p2 - R*ql', 'p2 = Ro*qo', 'C2*dp2 = ql - qo'],
        outputs={'p1': 'p1', 'p2': 'p2', 'q_line': 'ql', 'q_out': 'p2/Ro'}),
    'hydraulic_positioner': dict(
        source='H. E. Merritt, Hydraulic Control Systems (1967): continuity of the chamber, orifice '
               'q = Cd a0 sqrt(2/rho) D/(D^2 + pt^2)^(1/4) with D = ps - p, pt = 100 Pa, and its slope g',
        states={'x': 'M1.x', 'p': 'V1.p', 'v': 'M1.v'}, inputs=['ps'], unknowns='qo',
        point={'g': 'Cd*a0*sqrt(2/rho)*(D**2/2 + 10000)/(D**2 + 10000)**Rational(5, 4)', 'D': 'ps - p'},
        laws=['dx = v', 'qo = g*(ps - p)', 'V/beta*dp = qo - G*p - A*v', 'm*dv = A*p - k*x - d*v'],
        outputs={'x': 'x', 'p': 'p', 'q': 'g*(ps - p)'}),
    'fluid_level': dict(
        source='balance of volume; slope of q = K sqrt(p), K/(2 sqrt(p))',
        states={'p': 'T1.p'}, inputs=['qin'], unknowns='', point={'g': 'K/(2*sqrt(p))'},
        laws=['C*dp = qin - g*p'],
        outputs={'p': 'p', 'qout': 'g*p'}),
    'rlc_dependent': dict(
        source="Kirchhoff's laws; va = u - vb and ia = ib + j differentiated",
        states={'vb': 'Cb.v', 'vc': 'Cc.v', 'ib': 'Lb.i'}, inputs=['u', 'j'], unknowns='ja v4',
        laws=['ja = Ca*(du - dvb)', 'Cb*dvb = ja - (vb - vc)/Rb',
              'Cc*dvc = (vb - vc)/Rb - vc/Rc - (ib + j)', 'La*(dib + dj) = vc - v4', 'Lb*dib = v4 - Rd*ib'],
        outputs={'i_a': 'Ca*(du - dvb)', 'v_a': 'La*(dib + dj)', 'v_d': 'Rd*ib'}),
    'sallen_key': dict(
        source='R. P. Sallen, E. L. Key, IRE Transactions on Circuit Theory 2 (1955); currents at x and p',
        states={'v1': 'C1.v', 'v2': 'C2.v'}, inputs=['u'], unknowns='vx',
        laws=['vx = v1 + v2', '(u - vx)/R1 = C1*dv1 + (vx - v2)/R2', 'C2*dv2 = (vx - v2)/R2'],
        outputs={'y': 'v2'}),
    'thermal_two_mass': dict(
        source='heat balances of oven and part',
        states={'T1': 'C1.T', 'T2': 'C2.T'}, inputs=['Q', 'Tr'], unknowns='',
        laws=['C1*dT1 = Q - (T1 - Tr)/Ro - (T1 - T2)/R12', 'C2*dT2 = (T1 - T2)/R12'],
        outputs={'T_oven': 'T1', 'T_part': 'T2', 'loss': '(T1 - Tr)/Ro'}),
    'loudspeaker': dict(
        source='coil: u = Re i + Le di/dt + Bl v; cone: Newton with the force Bl i; e.g. L. L. Beranek, '
               'Acoustics (1954)',
        states={'x': 'K1.x', 'i': 'Le.i', 'v': 'M1.v'}, inputs=['u'], unknowns='',
        laws=['dx = v', 'Le*di = u - Re*i - Bl*v', 'm*dv = Bl*i - k*x - d*v'],
        outputs={'v': 'v', 'a': 'dv', 'i': 'i'}),
    'motor_pump': dict(
        source='armature circuit, torque balance, flow balances at the pump outlet h and the accumulator',
        states={'i': 'M1.e.i', 'om': 'J1.w', 'p': 'C1.p'}, inputs=['u'], unknowns='ph q',
        laws=['L*di = u - R*i - K*om', 'J*dom = K*i - b*om - D*ph', 'q = D*om - G*ph', 'ph - p = Rl*q',
              'C*dp = q - p/Ro'],
        outputs={'w': 'om', 'p': 'p', 'q': 'D*om - G*ph', 'i': 'i'}),
    'drive_line': dict(
        source='torque balances of engine, gearbox, wheel, force balance of the vehicle; rolling without slip',
        states={'th': 'Ks.theta', 'we': 'Je.w', 'wg': 'Jg.w', 'v': 'Mc.v'}, inputs=['T', 'F'],
        unknowns='Ts Ft',
        laws=['dth = wg/n - v/r', 'Ts = ks*th + cs*(wg/n - v/r)', 'Je*dwe = T - bc*(we - wg)',
              'Jg*dwg = bc*(we - wg) - Ts/n', 'Jw*dv/r = Ts - r*Ft', 'M*dv = Ft - bf*v - F'],
        outputs={'v': 'v', 'w_e': 'we', 'T_s': 'ks*th'}),
}


def derive(s):
    table = {}

    def read(text):
        for word in set(''.join(c if c.isalnum() or c == '_' else ' ' for c in text).split()):
            if not word[0].isdigit() and word not in ('sqrt', 'Rational'):
                table.setdefault(word, sympy.Symbol(word))
        return sympy.sympify(text, locals={**table, 'sqrt': sympy.sqrt, 'Rational': sympy.Rational})

    x, u = list(s['states']), s['inputs']
    rates, unknowns = ['d' + n for n in x], s['unknowns'].split()
    laws = []
    for law in s['laws']:
        left, right = law.split(' = ')
        laws.append(read(left) - read(right))
    solved = sympy.solve(laws, [read(n) for n in rates + unknowns], dict=True)
    assert len(solved) == 1, s['laws']
    solved = solved[0]
    rows = [solved[read(r)] for r in rates]
    outputs = [read(e).subs(solved) for e in s['outputs'].values()]

    def matrix(rows, names):
        m = []
        for row in rows:
            entries = [sympy.factor(sympy.diff(sympy.expand(row), read(n))) for n in names]
            m.append([show(e) for e in entries])
        return m

    def show(e):
        for name, text in s.get('point', {}).items():
            e = e.subs(read(name), read(text))
        return str(e.subs({read(a): sympy.Symbol(b) for a, b in s['states'].items()})).replace('**', '^')

    du = ['d' + n for n in u]
    return {'source': s['source'], 'laws': s['laws'], 'states': list(s['states'].values()), 'inputs': u,
            'outputs': list(s['outputs']), 'A': matrix(rows, x), 'B': matrix(rows, u), 'C': matrix(outputs, x),
            'D': matrix(outputs, u), 'E': matrix(rows, du), 'F': matrix(outputs, du)}


def main():
    for name in sys.argv[1:] or SYSTEMS:
        folder = os.path.join(ROOT, name, 'expected')
        os.makedirs(folder, exist_ok=True)
        answer = derive(SYSTEMS[name])
        lines = ['%s: %s' % (json.dumps(k), json.dumps(v)) for k, v in answer.items()]
        with open(os.path.join(folder, 'statespace.json'), 'w') as out:
            out.write('{' + ',\n '.join(lines) + '}\n')


if __name__ == '__main__':
    main()
