"""Networks against ngspice: ladders at two accuracies, grids; how reading grows."""
import json
import math
import os
import re

import texts
from table import NONE, Figure, Row

GROUP = 'networks'
TOLERANCES = ['1e-3', '1e-4', '1e-5', '1e-6', '1e-7', '1e-8', '1e-9', '1e-10']
# What ngspice offers for accuracy; the cheapest setting that is good enough at 1000 sections is used for all.
OPTIONS = [f'reltol={reltol} {method}' for reltol in ('1e-3', '1e-4', '1e-5', '1e-6', '1e-7')
           for method in ('method=gear', 'method=gear maxord=4', 'method=trap')]
STEPS = ['10u', '2u', '0.5u']


def spice_value(text):
    found = re.findall(r'^y = *(\S+)', text, re.M)
    return float(found[-1]) if found else None


def our_ladder(tools, n, tol, limit=60, times=3, text=texts.ladder_lg):
    code, seconds, memory, out = tools.cotree('run', text(n), '--tol', tol, '--times', '0.001', '-o', '-',
                                              limit=limit, times=times)
    if code:
        return Figure(limit if code == 124 else None, more=code == 124), memory
    return Figure(seconds, abs(float(out.split(',')[-1]) - texts.LADDER_EXACT)), memory


def spice_ladder(tools, n, setting, limit=30, times=1):
    net = tools.write('net.cir', texts.ladder_cir(n, *setting))
    code, seconds, memory, out = tools.best(['ngspice', '-b', net], limit, times)
    value = spice_value(out)
    if code == 124:
        return Figure(limit, more=True), memory
    return (NONE if value is None else Figure(seconds, abs(value - texts.LADDER_EXACT))), memory


def best_ladder(tools, n, goal, text):
    """(figure, memory, tolerance): at the loosest tolerance that is good enough for this size."""
    for tol in TOLERANCES[1:]:
        figure, memory = our_ladder(tools, n, tol, times=1, text=text)
        if figure.value is None or figure.more or figure.error <= goal:
            break
    if figure.error is not None and figure.value < 1:
        figure, memory = our_ladder(tools, n, tol, text=text)
    return figure, memory, tol


def spice_settings(tools):
    """What each setting costs and how accurate it is, at 1000 sections."""
    return [(spice_ladder(tools, 1000, (o, s)), (o, s)) for s in STEPS for o in OPTIONS]


def ladders(tools, tried, goal, aims, task='RC ladder', text=texts.ladder_lg):
    good = [(f.value, setting) for (f, _), setting in tried if f.error is not None and f.error <= goal]
    setting = min(good)[1] if good else None
    for n, aim in aims:
        a, memory, tol = best_ladder(tools, n, goal, text)
        b, peer_memory = spice_ladder(tools, n, setting, times=3) if setting else (NONE, None)
        note = f'tol {tol}; {setting[0] if setting else "-"}, step {setting[1] if setting else "-"}'
        yield Row(GROUP, f'{task}, error <= {goal:.0e}', n, 's', a, 'ngspice', b, aim, error_unit='V', note=note)
        if n == 100000 and goal == 1e-5:
            yield Row(GROUP, 'its memory', n, 'MB', Figure(memory), 'ngspice', Figure(peer_memory), most=100)


def grid_value(out):
    found = re.findall(r'y\D*?=?\s*([-+0-9.e]+)', out)
    return float(found[-1]) if found else None


def grids(tools):
    for n, limit in ((100, 30), (300, 90), (1000, 60)):
        code, seconds, memory, out = tools.cotree('equilibrium', texts.grid_lg(n), limit=limit, times=3)
        ours = NONE if code not in (0, 124) else Figure(limit if code else seconds, more=code == 124)
        other = NONE
        if n <= 300:
            net = tools.write('net.cir', texts.grid_cir(n))
            code, peer, _, text = tools.best(['ngspice', '-b', net], limit, 1)
            value = spice_value(text)
            other = Figure(limit, more=True) if code == 124 else Figure(peer)
            if value is not None and ours.value is not None and n == 100:
                ours.error = abs(grid_value(out) - value)
        yield Row(GROUP, 'resistor grid, operating point', n, 's', ours, 'ngspice' if n <= 300 else '', other,
                  100 if n <= 300 else None, 60 if n > 300 else None, error_unit='V' if ours.error else '',
                  note=f'{n} x {n} nodes, {memory:.0f} MB')


def reading(tools, task, text):
    for n in (5000, 50000, 500000):
        model = tools.write('model.lg', text(n))
        code, _, memory, out = tools.best([tools.binary, 'check', model, '--stats'], 60, 3)
        stats = json.loads(out) if code == 0 else {}
        seconds = sum(v for k, v in stats.items() if k.endswith('_seconds') and k != 'total_seconds')
        each = {k: 1e9 * stats.get(k + '_seconds', 0) / (2 * n) for k in ('read', 'graph', 'tree')}
        yield Row(GROUP, task, 2 * n, 's', Figure(seconds or None),
                  note=f'{1e9 * seconds / (2 * n):.0f} ns per element: text {each["read"]:.0f}, graph and tree '
                       f'{each["graph"] + each["tree"]:.0f}; {memory:.0f} MB')


FIELDS = [('line of cells, smooth drive', (1000, 2000, 4000), texts.line_lg),
          ('wall of cells', (1000, 4000, 16000), texts.wall_lg), ('beam with a mass, modes', (25, 50, 100), texts.beam_lg),
          ('beam of cells', (250, 500, 1000), texts.links_lg)]


def fields(tools):
    """Elements that are spread along a line; growth is that of the sparse solver."""
    for task, sizes, text in FIELDS:
        for n in sizes:
            code, seconds, memory, _ = tools.cotree('run', text(n), '-o', '-', limit=60, times=3)
            yield Row('fields', task, n, 's', Figure(seconds) if code == 0 else NONE, note=f'{memory:.0f} MB')


CIRCUITS = [('diode_bridge', 'diode bridge, 50 periods', 3), ('bjt_amplifier', 'BJT amplifier, 100 periods', 3)]
FINEST = ('reltol=1e-6 method=trap', 64)  # options, and how much finer than its `.tran` says
SETTINGS = [(f'reltol={reltol} {method}', divide) for divide in (1, 4, 16) for reltol in ('1e-3', '1e-4', '1e-5')
            for method in ('method=gear', 'method=trap')]


def netlist(text, options, divide):
    """The netlist with its `.tran` made finer and these options; prints y at the end. (text, stop)"""
    step, stop, more = re.search(r'^\.tran (\S+) (\S+)(.*)$', text, re.M).groups()
    out = re.search(r'^\* output (\S+)', text, re.M).group(1)
    fine, end = f'{float(step) / divide:g}', f'{1.0001 * float(stop):.9g}'  # `meas` does not find the very end
    kept = [line for line in text.splitlines() if not re.match(r'\.(tran|end)\b', line)]
    return '\n'.join(kept + ['.options ' + options, f'.tran {fine} {end} 0 {fine}{more}', '.control', 'set noaskquit',
                             f'save {out}', 'run', f'meas tran y FIND {out} AT={stop}', 'print y', 'quit', '.endc',
                             '.end', '']), stop


def spice_circuit(tools, text, options, divide):
    """(seconds, value at the end or None)"""
    code, seconds, _, out = tools.best(['ngspice', '-b', tools.write('net.cir', netlist(text, options, divide)[0])], 20)
    return seconds, spice_value(out) if code == 0 else None


def our_circuit(tools, text, tol, stop):
    code, seconds, _, out = tools.cotree('run', text, '--tol', tol, '--times', stop, '-o', '-', limit=20, times=3)
    return seconds, float(out.strip().split('\n')[-1].split(',')[1]) if code == 0 else None


def circuits(tools, folder, goal=1e-3):
    """Both at the cheapest setting whose error at the end is below 1 mV, against the mean of the finest runs."""
    for name, task, aim in CIRCUITS:
        with open(os.path.join(folder, name + '.cir')) as cir, open(os.path.join(folder, name + '.lg')) as lg:
            net, model = cir.read(), lg.read()
        stop = netlist(net, *FINEST)[1]
        fine, our_fine = spice_circuit(tools, net, *FINEST)[1], our_circuit(tools, model, '1e-9', stop)[1]
        if fine is None or our_fine is None:
            yield Row('circuits', task, None, 's', NONE, 'ngspice', NONE, aim, note='a fine run failed')
            continue
        exact = (fine + our_fine) / 2
        tried = [(*our_circuit(tools, model, tol, stop), 'tol ' + tol) for tol in TOLERANCES[:6]]
        peer = [(*spice_circuit(tools, net, *s), f'{s[0]} step/{s[1]}') for s in SETTINGS]
        best = []
        for runs in (tried, peer):
            good = [(s, abs(y - exact), o) for s, y, o in runs if y is not None and abs(y - exact) <= goal]
            best.append(min(good) if good else (None, None, '-'))
        yield Row('circuits', task, None, 's', Figure(*best[0][:2]), 'ngspice', Figure(*best[1][:2]), aim,
                  error_unit='V', note=f'{best[0][2]}; {best[1][2]}; finest runs differ by {abs(fine - our_fine):.0e} V')


BUCK_CIR = """* buck converter, switch and diode nearly ideal
V1 vin 0 24
Vg g 0 PULSE(0 1 0 1n 1n 19.999u 50u)
S1 vin a g 0 sw
.model sw sw(vt=0.5 vh=0 ron=1u roff=1g)
D1 0 a d
.model d d(is=1e-9 n=0.001)
L1 a m 220u ic=0
R2 m out 0.05
C1 out 0 100u ic=0
R1 out 0 5
.options %s
.control
set noaskquit
save v(out)
tran %s 0.500051 0 %s uic
meas tran y FIND v(out) AT=0.5
print y
quit
.endc
.end
"""
BUCK_END = 9.4932764702958  # exponentials of both modes, at the end of a period


def converters(tools, models, goal=1e-4):
    """Ideal switch and diode, 10 000 periods: modes against the loosest setting of ngspice that is good enough."""
    with open(os.path.join(models, 'buck_ccm', 'model.lg')) as lg:
        code, seconds, _, out = tools.cotree('run', lg.read(), '--times', '0.5', '-o', '-', limit=20, times=3)
    error = abs(float(out.strip().split(',')[-1]) - BUCK_END) if code == 0 else None
    tried, note = [], '-'
    for step in ('2u', '0.5u', '0.1u'):
        net = tools.write('net.cir', BUCK_CIR % ('reltol=1e-4', step, step))
        spice_code, peer, _, said = tools.best(['ngspice', '-b', net], 60, 1)
        value = spice_value(said)
        tried.append(Figure(60, more=True) if spice_code == 124 else
                     NONE if value is None else Figure(peer, abs(value - BUCK_END)))
        note = 'step ' + step
        if tried[-1].more or tried[-1].error is not None and tried[-1].error <= goal:
            break
    yield Row('circuits', 'buck converter, 10 000 periods', None, 's', Figure(seconds, error) if code == 0 else NONE,
              'ngspice', tried[-1], 100, error_unit='V', note=note)


RECTIFIER_CIR = """* six-diode rectifier; diodes as ideal as ngspice can finish with: a drop of 12 mV, damped by 2 kohm and 1 nF
Va ea 0 SIN(0 325 50 0 0 17.188733853924695)
Vb eb 0 SIN(0 325 50 0 0 -102.8112661460753)
Vc ec 0 SIN(0 325 50 0 0 -222.8112661460753)
.subckt valve a c
D1 a c d
R1 a x 2k
C1 x c 1n
R2 a c 1meg
.model d d(is=1e-9 n=0.02)
.ends
Ra ea ma 0.1
Rb eb mb 0.1
Rc ec mc 0.1
La ma a 2m ic=0
Lb mb b 2m ic=0
Lc mc c 2m ic=0
X1 a p valve
X2 b p valve
X3 c p valve
X4 n a valve
X5 n b valve
X6 n c valve
C1 p n 470u ic=50
R1 p n 25
.options reltol=1e-3 method=gear
.control
set noaskquit
save v(p) v(n)
tran %s 20.0001 0 %s uic
let d = v(p) - v(n)
meas tran y FIND d AT=20
print y
quit
.endc
.end
"""


def rectifiers(tools, models, goal=0.05, limit=60):
    """Six ideal diodes behind inductors: modes, and the loosest step of ngspice whose end differs by less than the goal."""
    task = 'six-diode rectifier, 1000 periods'
    with open(os.path.join(models, 'rectifier_3phase', 'model.lg')) as lg:
        code, seconds, _, out = tools.cotree('run', lg.read(), '--stop', '20', '--times', '20', '-o', '-', limit=20, times=3)
    if code:
        yield Row('circuits', task, None, 's', NONE, 'ngspice', NONE, 10, note='the run failed')
        return
    for step in ('50u', '20u', '10u'):
        net = tools.write('net.cir', RECTIFIER_CIR % (step, step))
        code, peer, _, said = tools.best(['ngspice', '-b', net], limit, 1)
        value = spice_value(said)
        away = None if value is None else abs(value - float(out.strip().split(',')[-1]))
        other = Figure(limit, more=True) if code == 124 else NONE if value is None else Figure(peer, away)
        if other.more or away is not None and away <= goal:
            break
    note = f'step {step}' + (f', cut off after {limit} s' if other.more else '; error: difference at the end')
    yield Row('circuits', task, None, 's', Figure(seconds), 'ngspice', other, 10, error_unit='V', note=note)


# Task, netlist, sizes, those of a long run; errors that are asked for: a sketch, a result.
NONLINEAR = [('diode ladder', texts.diode_ladder_cir, (10, 100, 1000, 10000), (100000,), (2e-2, 3e-3)),
             ('grid of diodes', texts.diode_grid_cir, (4, 10, 32, 100), (300,), (2e-2, 3e-3)),
             ('BJT amplifiers in a row', texts.amplifier_row_cir, (10, 100, 1000, 10000), (30000,), (1e-2, 1e-3)),
             ('inverters in a row', texts.inverter_row_cir, (10, 100, 1000), (10000,), (1e-1, 1e-2)),
             ('ring of inverters', texts.inverter_ring_cir, (11, 101, 1001), (10001,), (1e-1, 1e-2))]
LOOKS = 7  # runs of some milliseconds are measured so often, the longer ones fewer times: the best counts, on both sides
SHOWN = 300  # points of time, spread over the run: edges are among them
SPICE_OPTIONS = [f'reltol={reltol} {method}' for reltol in ('1e-3', '1e-4', '1e-5', '1e-6') for method in ('method=gear', 'method=trap')]


def our_nonlinear(tools, lines, node, times, tol, limit=60):
    net = tools.write('net.cir', '\n'.join(lines + [f'.tran {times[0]} {times[-1]}', f'.print tran v({node})', '.end', '']))
    code, seconds, memory, out = tools.best([tools.binary, 'run', net, '--tol', tol, '-o', '-'], limit, LOOKS)
    rows = [[float(x) for x in r.split(',')] for r in out.strip().split('\n')[1:]] if code == 0 else []
    return seconds, memory, [r[1] for r in rows[1:]] if len(rows) == len(times) + 1 else None


def lagrange(points, t):
    return sum(y * math.prod((t - u) / (x - u) for u, _ in points if u != x) for x, y in points)


def between(points, times):
    """Of points of a run, at these times: by lines, and by cubics through four points."""
    at, found = 1, []
    for t in times:
        while at + 1 < len(points) and points[at][0] < t:
            at += 1
        found.append((lagrange(points[at - 1:at + 1], t), lagrange(points[max(at - 2, 0):at + 2], t)))
    return found


def spice_nonlinear(tools, lines, node, step, times, options, limit=60):
    rows = tools.write('net.txt', '')
    net = tools.write('net.sp', '\n'.join(lines + ['.options ' + options, '.control', 'set noaskquit', f'save v({node})',
                                                   f'tran {step} {1.001 * times[-1]}', f'wrdata {rows} v({node})', 'quit', '.endc', '.end', '']))
    code, seconds, memory, _ = tools.best(['ngspice', '-b', net], limit, LOOKS)
    with open(rows) as file:
        points = dict((float(x), float(y)) for x, y in (line.split() for line in file))
    points = sorted(points.items())
    return seconds, memory, between(points, times) if code == 0 and len(points) > 3 and points[-1][0] >= times[-1] else None


def error_of(found, exact):
    """The largest; of two ways between points the better one counts."""
    if not found or not exact:
        return math.inf
    return max(min(abs(y - x) for y in (ys if isinstance(ys, tuple) else (ys,))) for ys, x in zip(found, exact))


def loosest(runs, exact, goal):
    """((seconds, error, MB, setting, index), most): the first that is good enough, and the longest that was tried."""
    most = 0
    for index, (setting, run) in enumerate(runs):
        seconds, memory, found = run(setting)
        most = max(most, seconds or 0)
        error = error_of(found, exact)
        if error <= goal:
            return (seconds, error, memory, setting, index), most
        if seconds and seconds > 30:
            break
    return None, most


def nonlinear(tools, long=False):
    """Largest errors against our run at 1e-9 (large grids: 1e-7); both at the loosest setting that is good enough."""
    for task, make, sizes, more, goals in NONLINEAR:
        first = [0, 0]  # setting of ngspice that was good enough in the size before
        for n in sizes + (more if long else ()):
            lines, node, step, stop = make(n)
            times = [stop * (i + 1) / SHOWN for i in range(SHOWN)]
            exact = our_nonlinear(tools, lines, node, times, '1e-9' if len(lines) < 3000 else '1e-7', 300)[2]
            for k, goal in enumerate(goals):
                own, _ = loosest([(tol, lambda tol: our_nonlinear(tools, lines, node, times, tol)) for tol in TOLERANCES[:5]], exact, goal)
                peer, most = loosest([(o, lambda o: spice_nonlinear(tools, lines, node, step, times, o)) for o in SPICE_OPTIONS[first[k]:]],
                                     exact, goal)
                first[k] += peer[4] if peer else 0
                other = Figure(*peer[:2]) if peer else Figure(most, more=True) if most else NONE
                own = own or (None, None, 0, '-')
                note = f'tol {own[3]}, {own[2]:.0f} MB; ' + (f'{peer[3]}, {peer[2]:.0f} MB' if peer else 'not reached')
                yield Row(GROUP, f'{task}, error <= {goal:.0e}', n, 's', Figure(*own[:2]), 'ngspice', other, 5, error_unit='V', note=note)


def rows(tools, here, long=False):
    yield from nonlinear(tools, long)
    tried = spice_settings(tools)
    yield from ladders(tools, tried, 1e-5, [(1000, 4), (10000, 5), (100000, 10)])
    yield from ladders(tools, tried, 1e-7, [(1000, 5), (10000, 8), (100000, 20)])
    yield from ladders(tools, tried, 1e-5, [(10000, 5)], 'RC ladder as flat text', texts.flat_ladder_lg)
    yield from grids(tools)
    yield from reading(tools, 'read, graph, tree, topology', texts.ladder_lg)
    yield from reading(tools, 'the same of flat text', texts.flat_ladder_lg)
    yield from fields(tools)
    yield from circuits(tools, os.path.join(here, 'circuits'))
    yield from converters(tools, os.path.join(here, '..', 'models'))
    yield from rectifiers(tools, os.path.join(here, '..', 'models'))
