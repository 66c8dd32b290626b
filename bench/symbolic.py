"""Derivation and state spaces against SymPy, expressions, and the way from a text to the first evaluation."""
import json
import os
import re
import sys

import texts
from table import NONE, Figure, Row

HERE = os.path.dirname(os.path.realpath(__file__))


def python(tools, script, *arguments, limit=60, given=None):
    code, _, _, out = tools.run([sys.executable, os.path.join(HERE, 'peers', script), *arguments], limit, given)
    return Figure(limit, more=True) if code == 124 else NONE if code else Figure(float(out))


def first_call(tools, n, times=5):
    """The whole process, from the text of a chain to rows at the beginning."""
    return tools.simulate(texts.chain(n), '--stop', '1us', '--times', '0', times=times)


def derivation(tools):
    for n, aim, limit in ((10, 500, 40), (20, None, 40), (100, None, 0), (500, None, 0)):
        run = first_call(tools, n)
        other = python(tools, 'kane.py', str(n), limit=limit) if limit else NONE
        note = f"{run[0]['tape_ops'] / n:.0f} operations per freedom, {run[0]['megabytes']:.0f} MB" if run else ''
        yield Row('derivation', 'chain, text to program', n, 's', Figure(run[0]['process_seconds']) if run else NONE,
                  'SymPy Kane' if limit else '', other, aim, note=note)


def state_spaces(tools):
    for name, make, sizes, options in (('RC cascade', texts.cascade, (10, 20, 50, 100), ()),
                                       ('resistor mesh', texts.mesh, (3, 6, 10, 20), ('--simplify', 'fast'))):
        slow = False
        for n in sizes:
            code, seconds, _, out = tools.cotree('statespace', texts.symbolic_lg(make(n)), '--json', *options, times=3)
            other = NONE if slow else python(tools, 'statespace.py', limit=15, given=json.dumps(make(n)))
            slow = slow or other.more
            yield Row('state space', name, n, 's', NONE if code else Figure(seconds), 'SymPy', other,
                      note=f'{len(out)} characters')
    _, _, _, out = tools.run([tools.built('bench_statespace'), os.path.join(HERE, '..', 'models')])
    yield Row('state space', '15 small systems, one process', None, 's', Figure(float(out.split()[-4])),
              note='simplified in full')


def expressions(tools):
    _, _, _, out = tools.run([tools.built('bench_expr')])
    for line in out.splitlines():
        words = line.split()
        yield Row('expressions', 'random expressions', int(words[0]), 'ns', Figure(float(words[2])),
                  note=f'per node, {words[5]} bytes')


def programs(tools):
    """Machine code beside the tape, ns for each operation."""
    _, _, _, out = tools.run([tools.built('bench_program'), '10000'])
    for name, size, tape, native in re.findall(r'^(\w+) +(\d+) operations.* ([\d.]+), +([\d.]+) ns/op$', out, re.M):
        yield Row('programs', f'{name}, one operation', int(size), 'ns', Figure(float(native)), 'its tape',
                  Figure(float(tape)))


def laws(tools):
    """Laws of components with their derivatives in lanes, ns for each component: machine code beside the tape."""
    _, _, _, out = tools.run([tools.built('bench_laws')])
    for name, tape, native in re.findall(r'^(\w.*?) +\d+ operations +[\d.]+ +([\d.]+) +([\d.]+)$', out, re.M):
        yield Row('programs', f'law of a {name}', None, 'ns', Figure(float(native)), 'its tape', Figure(float(tape)))


def compiling(tools):
    """A program of 1e4 operations: ours from the text of a chain, the whole process; gcc from the C of that chain."""
    n = 156
    run = first_call(tools, n)
    if not run:
        return
    source, target = tools.path('rhs.c'), tools.path('rhs.so')
    tools.cotree('export', texts.chain(n), '--to', 'c', '-o', source)
    code, seconds, _, _ = tools.run(['gcc', '-O1', '-shared', '-fPIC', source, '-o', target], 60)
    other = Figure(60, more=True) if code == 124 else NONE if code else Figure(seconds)
    yield Row('compile', 'text to first right-hand side', run[0]['tape_ops'], 's', Figure(run[0]['process_seconds']),
              'gcc -O1', other, 100, note=f"chain of {n}; the program alone {1e3 * run[0]['compile_seconds']:.1f} ms")


def rows(tools):
    yield from derivation(tools)
    yield from state_spaces(tools)
    yield from expressions(tools)
    yield from programs(tools)
    yield from laws(tools)
    yield from compiling(tools)
