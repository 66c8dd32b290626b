#!/usr/bin/env python3
"""The state spaces of models against those derived by hand: check.py BINARY [FILE...]

FILE is models/NAME/expected/statespace.json (all of them when none is given); see derive.py. Entries are
compared at random values of parameters, states and inputs, by name of state, input and output.
"""
import ast
import glob
import json
import math
import os
import random
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..')
TRIES, TOLERANCE = 5, 1e-9
FUNCTIONS = {'sqrt': math.sqrt, 'abs': abs, 'sign': lambda x: (x > 0) - (x < 0)}


def walk(e, values):
    if isinstance(e, ast.Constant):
        return e.value
    if isinstance(e, (ast.Name, ast.Attribute)):
        return values(ast.unparse(e))
    if isinstance(e, ast.Call):
        return FUNCTIONS[e.func.id](*[walk(a, values) for a in e.args])
    if isinstance(e, ast.UnaryOp):
        return -walk(e.operand, values)
    a, b = walk(e.left, values), walk(e.right, values)
    return {ast.Add: lambda: a + b, ast.Sub: lambda: a - b, ast.Mult: lambda: a * b, ast.Div: lambda: a / b,
            ast.Pow: lambda: a ** b}[type(e.op)]()


class Values(dict):
    """A random value for each name, the same whoever asks."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def __call__(self, name):
        if name not in self:
            self[name] = 10 ** random.Random('%s %d' % (name, self.seed)).uniform(-0.5, 2.5)
        return self[name]


def number(text, values):
    return walk(ast.parse(text.replace('^', '**'), mode='eval').body, values)


def entries(answer, values):
    """{(matrix, row, column): value}"""
    for part in answer.get('definitions', []):
        values[part['name']] = number(part['value'], values)
    rows = {k: answer['states' if k in 'ABE' else 'outputs'] for k in 'ABCDEF'}
    cols = {k: answer['states' if k in 'AC' else 'inputs'] for k in 'ABCDEF'}
    return {(k, r, c): number(answer[k][i][j], values)
            for k in 'ABCDEF' for i, r in enumerate(rows[k]) for j, c in enumerate(cols[k])}


def compare(got, want):
    for key in ('states', 'inputs', 'outputs'):
        if sorted(got[key]) != sorted(want[key]):
            return '%s are %s instead of %s' % (key, got[key], want[key])
    for seed in range(TRIES):
        a, b = entries(got, Values(seed)), entries(want, Values(seed))
        for place, value in b.items():
            if not abs(a[place] - value) <= TOLERANCE * abs(value) + 1e-13:
                return '%s of %s, %s is %.12g instead of %.12g' % (*place, a[place], value)
    return None


def main():
    binary = sys.argv[1]
    files = sys.argv[2:] or sorted(glob.glob(os.path.join(ROOT, 'models', '*', 'expected', 'statespace.json')))
    bad = 0
    for path in files:
        model = os.path.join(os.path.dirname(os.path.dirname(path)), 'model.lg')
        run = subprocess.run([binary, 'statespace', model, '--json'], capture_output=True, text=True, timeout=600)
        with open(path) as file:
            problem = compare(json.loads(run.stdout), json.load(file)) if run.returncode == 0 else run.stderr
        if problem:
            bad += 1
            print('%s: %s' % (model, problem))
    print('%d passed, %d failed' % (len(files) - bad, bad))
    return bad > 0 or len(files) == 0


if __name__ == '__main__':
    sys.exit(main())
