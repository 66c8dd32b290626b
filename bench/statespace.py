#!/usr/bin/env python3
"""State spaces of growing systems, beside SymPy: bench/statespace.py BINARY [SECONDS]

One line a system: processor seconds of the whole program (reading, graph, equations, matrices, printing),
characters printed (common parts have names, so that this is the size of the shared form) and how many common
parts there are; then processor seconds of SymPy for the same elimination, without its start, or > the limit.
Meshes are shown with --simplify fast, some also with full: there the larger ones end at the budget.
"""
import glob
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..')

# ---- systems


def cascade(n):
    """n sections of series R and shunt C behind a source."""
    edges = [('V', 'V0', 0, -1)]
    for i in range(1, n + 1):
        edges += [('R', 'R%d' % i, i - 1, i), ('C', 'C%d' % i, i, -1)]
    return edges


def mesh(n):
    """Two capacitors, and resistors between all pairs of their nodes and n inner nodes."""
    nodes = range(n + 2)
    edges = [('C', 'Ca', 0, -1), ('C', 'Cb', 1, -1)]
    return edges + [('R', 'R%d_%d' % (a, b), a, b) for a, b in itertools.combinations(nodes, 2) if b > 1]


ELEMENTS = {'V': 'vsource(%s, %s)  v = u', 'R': 'resistor(%s, %s)  R = ', 'C': 'capacitor(%s, %s)  C = '}


def model_text(edges):
    lines = ['model bench', 'input u : V' if edges[0][0] == 'V' else '']
    lines += ['param ' + name for kind, name, _, _ in edges if kind != 'V']
    for kind, name, a, b in edges:
        ends = tuple('ground' if x < 0 else 'n%d' % x for x in (a, b))
        lines.append('%s : %s' % (name, ELEMENTS[kind] % ends + ('' if kind == 'V' else name)))
    last = [name for kind, name, _, _ in edges if kind == 'C'][-1]
    return '\n'.join(lines + ['output %s.v as y' % last, ''])


# ---- Cotree

def run(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run(arguments, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if answer.returncode:
        sys.exit('%s: %s' % (' '.join(arguments), answer.stderr))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, answer.stdout


def cotree(binary, edges, *options):
    with tempfile.NamedTemporaryFile('w', suffix='.lg') as file:
        file.write(model_text(edges))
        file.flush()
        return run([binary, 'statespace', file.name, '--json', *options])


# ---- SymPy: potentials of all nodes from the vertex equations, then the rates of the capacitors

SYMPY = r'''
import json, sys, time, sympy
edges = json.load(sys.stdin)
start = time.process_time()
S = sympy.Symbol
state = {a: S('v_' + name) for kind, name, a, b in edges if kind == 'C'}
known = {-1: sympy.Integer(0), **state}
for kind, name, a, b in edges:
    if kind == 'V':
        known[a] = S('u')
inner = sorted({x for e in edges for x in e[2:]} - set(known))
e = {x: S('e%d' % x) for x in inner}
e.update(known)
flow = {}
for kind, name, a, b in edges:
    if kind == 'R':
        i = (e[a] - e[b])/S(name)
        flow[a] = flow.get(a, 0) + i
        flow[b] = flow.get(b, 0) - i
solved = sympy.solve([flow[x] for x in inner], [e[x] for x in inner]) if inner else {}
size = 0
for kind, name, a, b in edges:
    if kind == 'C':
        rate = sympy.expand((-flow[a]/S(name)).subs(solved)) if len(inner) < 3 else (-flow[a]/S(name)).subs(solved)
        for x in list(state.values()) + [S('u')]:
            size += len(str(sympy.together(sympy.diff(rate, x))))
print(time.process_time() - start, size)
'''


def sympy_seconds(edges, limit):
    try:
        answer = subprocess.run([sys.executable, '-c', SYMPY], input=json.dumps(edges), capture_output=True,
                                text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return '> %g' % limit, '-'
    if answer.returncode:
        return 'failed', '-'
    seconds, size = answer.stdout.split()
    return '%.3f' % float(seconds), size


# ---- the table

def line(name, seconds, text, beside=('', '')):
    parts = len(json.loads(text).get('definitions', []))
    print('%-34s %8.3f %9d %6d   %10s %10s' % (name, seconds, len(text), parts, *beside), flush=True)


def small_systems(binary):
    """All that have at most a dozen elements: the textbook systems and the examples of LG2ss."""
    lg2ss = [('[1 2 1 4;2 2 3 3;3 3 4 2;4 4 5 3;5 5 1 2;6 4 6 1;7 6 1 2]', '[1 6 1;2 5 2]'),
             ('[1 2 1 4;2 2 3 2;3 3 1 3;4 3 1 1;5 3 1 6;6 4 1 6;7 4 1 1]', '[1 7 1]'),
             ('[1 2 1 4;2 2 1 1;3 2 3 3;4 2 3 2;5 3 1 3;6 3 1 1;7 3 4 2;8 3 4 3;9 4 1 6;10 5 1 6;11 5 1 1;12 5 1 5]',
              '[1 4 2;2 7 3]')]
    files = sorted(glob.glob(os.path.join(ROOT, 'models', '*', 'expected', 'statespace.json')))
    calls = [['statespace', os.path.join(os.path.dirname(f), '..', 'model.lg')] for f in files]
    calls += [['lg2ss', *m] for m in lg2ss]
    total = sum(run([binary, *c, '--json'])[0] for c in calls)
    print('%-34s %8.3f' % ('%d small systems, one call each' % len(calls), total))
    start = sum(run([binary, 'check', calls[0][1]])[0] for _ in calls)
    print('%-34s %8.3f' % ('  as many calls of check', start), flush=True)


def main():
    binary = os.path.realpath(sys.argv[1])
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 20
    print('%-34s %8s %9s %6s   %10s %10s' % ('system', 'seconds', 'printed', 'parts', 'SymPy s', 'printed'))
    for n in (1, 2, 5, 10, 20, 50, 100):
        line('cascade of %d RC sections' % n, *cotree(binary, cascade(n)), sympy_seconds(cascade(n), limit))
    slow = False
    for n in (2, 3, 4, 6, 8, 10, 15, 20):
        beside = ('-', '-') if slow else sympy_seconds(mesh(n), limit)
        slow = slow or beside[1] == '-'
        line('mesh with %d inner nodes' % n, *cotree(binary, mesh(n), '--simplify', 'fast'), beside)
    for n in (2, 3, 4, 20):
        line('mesh with %d, --simplify full' % n, *cotree(binary, mesh(n), '--simplify', 'full'))
    small_systems(binary)


if __name__ == '__main__':
    main()
