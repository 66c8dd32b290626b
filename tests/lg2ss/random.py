#!/usr/bin/env python3
"""Random LG2ss matrices against an independent exact derivation.

    random.py BINARY [COUNT] [SEED]

The program's answer is evaluated in the field of integers modulo a prime, with random values of the
parameters. Beside it stands the plain tableau of node potentials, element laws and vertex equations,
without trees or elimination rules, differentiated a few times. Four things are proved for each case:

  1. every row of x' = A x + B u + E u' + .. and y = C x + D u + F u' + .. is a linear consequence of the
     differentiated tableau (outputs are all variables of all branches, and some integrals);
  2. there are as many states as the degree of the tableau's determinant in s, no more, no fewer;
  3. the program complains exactly when that determinant vanishes;
  4. states are across variables of A-type and through variables of T-type elements, by number, then
     the integrals among the outputs. (A gyrator may make an element dependent that no tree shows to be;
     then a variable of a two-port may be the state.)
"""
import ast
import fractions
import json
import random
import subprocess
import sys

P = (1 << 61) - 1


def inverse(v):
    assert v % P, 'division by zero at the random point'
    return pow(v, P - 2, P)


def evaluate(text, values):
    """The value of a printed expression modulo P."""
    return walk(ast.parse(text.replace('^', '**'), mode='eval').body, values)


def walk(e, values):
    if isinstance(e, ast.Constant):
        n, d = decimal(e.value)
        return n * inverse(d) % P
    if isinstance(e, ast.Name):
        return values[e.id]
    if isinstance(e, ast.UnaryOp):
        return -walk(e.operand, values) % P
    a = walk(e.left, values)
    if isinstance(e.op, ast.Pow):
        return pow(a, ast.literal_eval(e.right), P)
    b = walk(e.right, values)
    if isinstance(e.op, ast.Div):
        return a * inverse(b) % P
    return (a + b if isinstance(e.op, ast.Add) else a - b if isinstance(e.op, ast.Sub) else a * b) % P


def decimal(number):
    return fractions.Fraction(str(number)).as_integer_ratio()


# ---- random systems

def make_case(rng):
    nodes = rng.randint(2, 6)
    rows, number = [], 1

    def ends():
        return rng.sample(range(1, nodes + 1), 2)

    weights = [(1, 4), (2, 4), (3, 4), (4, 1), (5, 1), (6, 1), (7, 1)]
    if rng.random() < 0.3:
        weights = [(1, 5), (2, 2), (3, 1), (4, 2), (5, 1), (6, 2), (7, 1)]  # much dependent storage
    kinds = [k for k, n in weights for _ in range(n)]
    rows.append([number, *ends(), rng.choice([4, 5])])
    while len(rows) < nodes + rng.randint(0, 4):
        number += 1 if rng.random() < 0.9 else 2
        kind = rng.choice(kinds)
        rows.append([rows[-1][0] + (number - rows[-1][0]), *ends(), kind])
        if kind >= 6:
            number += 1
            rows.append([number, *ends(), kind])
    outputs = []
    for row in rows:
        outputs += [[row[0], 1], [row[0], 2]]
    for _ in range(rng.randint(0, 2)):
        o = [rng.choice(rows)[0], rng.choice([3, 4])]
        if o not in outputs:
            outputs.append(o)
    return rows, [[i + 1, *o] for i, o in enumerate(outputs)]


# The examples of the toolbox, one with E and F, and two-ports in every position: cascaded, back to back,
# between two nodes that are not the reference, with storage that depends on other storage through them.
FIXED = [
    '1 2 1 4;2 2 3 3;3 3 4 2;4 4 5 3;5 5 1 2;6 4 6 1;7 6 1 2',
    '1 2 1 4;2 2 3 2;3 3 1 3;4 3 1 1;5 3 1 6;6 4 1 6;7 4 1 1',
    '1 2 1 4;2 2 1 1;3 2 3 3;4 2 3 2;5 3 1 3;6 3 1 1;7 3 4 2;8 3 4 3;9 4 1 6;10 5 1 6;11 5 1 1;12 5 1 5',
    '1 2 1 4;2 2 3 1;3 3 1 1;4 3 4 3;5 4 1 2',
    '1 2 1 4;2 2 3 3;3 3 1 6;4 4 1 6;5 4 1 1;6 4 1 6;7 5 1 6;8 5 1 1;9 5 1 3',
    '1 2 1 4;2 2 3 3;3 3 1 7;4 4 1 7;5 4 1 7;6 5 1 7;7 5 1 1;8 4 1 2',
    '1 2 1 4;2 2 3 3;3 3 4 6;4 4 1 6;5 4 1 1;6 3 1 1',
    '1 2 1 4;2 2 3 3;3 3 4 7;4 4 1 7;5 4 1 1;6 3 1 2',
    '1 2 1 5;2 2 1 2;3 2 1 7;4 3 1 7;5 3 1 1;6 3 1 3',
    '1 2 1 4;2 2 1 1;3 2 3 3;4 3 1 7;5 4 1 7;6 4 1 2;7 4 1 3',
    '1 2 1 4;2 2 1 7;3 3 1 7;4 3 1 2;5 3 4 7;6 4 1 7;7 4 1 1',
    '1 2 1 5;2 2 3 2;3 3 1 6;4 4 5 6;5 4 5 2;6 4 5 3',
    '1 2 1 4;2 2 3 1;3 3 4 1;4 4 1 1;5 3 1 2;6 4 5 2;7 5 1 3;8 5 1 5',
]


def fixed_case(text):
    rows = [[int(x) for x in row.split()] for row in text.split(';')]
    outputs = [[r[0], kind] for r in rows for kind in (1, 2)] + [[rows[-1][0], 3], [rows[0][0], 4]]
    return rows, [[i + 1, *o] for i, o in enumerate(outputs)]


def text_of(matrix):
    return '[' + ';'.join(' '.join(map(str, r)) for r in matrix) + ']'


# ---- the tableau: M0 z + M1 z' = G u

class Tableau:
    def __init__(self, rows, outputs, values):
        self.at, self.n = {}, 0
        root = parts(rows)
        for _, t, h, _ in rows:
            for node in (t, h):
                if root[node] != node:  # the smallest node of a part is its reference
                    self.name(('e', node))
        for r in rows:
            self.name(('f', r[0]))
        self.input = [(('v' if k == 4 else 'f') + str(n)) for n, _, _, k in rows if k in (4, 5)]
        self.ends = {n: (t, h) for n, t, h, _ in rows}
        self.rows = []
        self.laws(rows, values)
        for node in sorted(root):
            if root[node] != node:
                self.rows.append(self.sum([(1 if node == t else -1, 'f', n, 0)
                                           for n, t, h, _ in rows if node in (t, h)]))
        for o in outputs:
            if o[2] >= 3 and ('int', o[1], o[2]) not in self.at:
                self.name(('int', o[1], o[2]))
                r = self.sum([(-1, 'v' if o[2] == 3 else 'f', o[1], 0)])
                r[(self.at[('int', o[1], o[2])], 1)] = 1
                self.rows.append(r)
        self.integrals = sum(k[0] == 'int' for k in self.at)

    def name(self, key):
        if key not in self.at:
            self.at[key] = self.n
            self.n += 1

    def sum(self, terms, source=None):
        """{(unknown, order): coefficient}; ('u', input) for sources."""
        r = {}
        for c, what, n, order in terms:
            for sign, key in self.parts(what, n):
                r[(key, order)] = (r.get((key, order), 0) + sign * c) % P
        if source is not None:
            r[(('u', source), 0)] = P - 1
        return r

    def parts(self, what, n):
        if what == 'f':
            return [(1, self.at[('f', n)])]
        t, h = self.ends[n]
        return [(s, self.at[('e', x)]) for s, x in ((1, t), (-1, h)) if ('e', x) in self.at]

    def laws(self, rows, p):
        second = False
        for n, _, _, k in rows:
            if k == 1:
                self.rows.append(self.sum([(1, 'f', n, 0), (-p['C%d' % n], 'v', n, 1)]))
            elif k == 2:
                self.rows.append(self.sum([(1, 'v', n, 0), (-p['L%d' % n], 'f', n, 1)]))
            elif k == 3:
                self.rows.append(self.sum([(1, 'v', n, 0), (-p['R%d' % n], 'f', n, 0)]))
            elif k == 4:
                self.rows.append(self.sum([(1, 'v', n, 0)], 'v%d' % n))
            elif k == 5:
                self.rows.append(self.sum([(1, 'f', n, 0)], 'f%d' % n))
            elif second:
                second = False
                g = p[('TF%d' if k == 6 else 'GY%d') % (n - 1)]
                if k == 6:  # vb = tf va, tf fb = -fa
                    self.rows.append(self.sum([(1, 'v', n, 0), (-g, 'v', n - 1, 0)]))
                    self.rows.append(self.sum([(g, 'f', n, 0), (1, 'f', n - 1, 0)]))
                else:  # vb = gy fa, gy fb = -va
                    self.rows.append(self.sum([(1, 'v', n, 0), (-g, 'f', n - 1, 0)]))
                    self.rows.append(self.sum([(g, 'f', n, 0), (1, 'v', n - 1, 0)]))
            else:
                second = True

    def variable(self, name):
        """v6, f5, x7, h7 as {(unknown, 0): coefficient}."""
        n = int(name[1:])
        if name[0] in 'xh':
            return {(self.at[('int', n, 3 if name[0] == 'x' else 4)], 0): 1}
        return self.sum([(1, name[0], n, 0)])

    def degree(self):
        """Degree of det(M0 + s M1); -1 when it vanishes. From values at n + 1 points."""
        n = self.n
        s = [3 + 7 * i for i in range(n + 1)]
        d = [determinant(self.matrix(x)) for x in s]
        if not any(d):
            return -1
        c = d[:]  # Newton's divided differences: the last one that is not zero is the degree's
        for k in range(1, n + 1):
            for i in range(n, k - 1, -1):
                c[i] = (c[i] - c[i - 1]) * inverse(s[i] - s[i - k]) % P
        return max(i for i in range(n + 1) if c[i])

    def matrix(self, s):
        m = [[0] * self.n for _ in self.rows]
        for i, r in enumerate(self.rows):
            for (key, order), c in r.items():
                if not isinstance(key, tuple):
                    m[i][key] = (m[i][key] + c * pow(s, order, P)) % P
        return m


def parts(rows):
    root = {x: x for r in rows for x in r[1:3]}

    def find(x):
        while root[x] != x:
            x = root[x]
        return x
    for _, t, h, _ in rows:
        a, b = sorted((find(t), find(h)))
        root[b] = a
    return {x: find(x) for x in root}


def determinant(m):
    det, n = 1, len(m)
    for k in range(n):
        pivot = next((i for i in range(k, n) if m[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            m[k], m[pivot] = m[pivot], m[k]
            det = -det
        det = det * m[k][k] % P
        inv = inverse(m[k][k])
        for i in range(k + 1, n):
            if m[i][k]:
                f = m[i][k] * inv % P
                m[i] = [(a - f * b) % P for a, b in zip(m[i], m[k])]
    return det % P


class Span:
    """Rows of the tableau and of its derivatives, brought to echelon form; sparse."""

    def __init__(self, tableau, orders):
        self.pivot = {}
        for j in range(orders):
            for r in tableau.rows:
                self.add({(key, o + j): c for (key, o), c in r.items()})

    @staticmethod
    def rank(key):  # eliminate high derivatives first, inputs never
        return (not isinstance(key[0], tuple), key[1], str(key[0]))

    def reduce(self, r):
        r = {k: c for k, c in r.items() if c % P}
        done = {}
        while r:
            k = max(r, key=self.rank)
            c = r.pop(k)
            p = self.pivot.get(k)
            if p is None:
                done[k] = c
                continue
            for key, x in p.items():
                if key != k:
                    y = (r.get(key, 0) - c * x) % P
                    if y:
                        r[key] = y
                    else:
                        r.pop(key, None)
        return done

    def add(self, r):
        r = self.reduce(r)
        if r:
            k = max(r, key=self.rank)
            inv = inverse(r[k])
            self.pivot[k] = {key: c * inv % P for key, c in r.items()}


# ---- one case

def add_to(r, other, factor, order=0):
    for (key, o), c in other.items():
        k = (key, o + order)
        r[k] = (r.get(k, 0) + factor * c) % P


def claims(answer, tableau, values):
    """Every row that the answer claims to vanish."""
    def row(matrices, i, left, order):
        r = {}
        add_to(r, left, 1, order)
        for name, text in matrices[0][1][i]:
            add_to(r, tableau.variable(name), -evaluate(text, values))
        for k, (_, m) in enumerate(matrices[1:]):
            for name, text in m[i]:
                add_to(r, {(('u', name), 0): 1}, -evaluate(text, values), k)
        return r

    def named(keys, names):
        return [(k, [list(zip(names if j == 0 else answer['inputs'], line)) for line in answer[k]])
                for j, k in enumerate(keys)]
    more = sorted(int(k[1:]) for k in answer if k[0] == 'E' and k[1:].isdigit())
    x = named(['A', 'B', 'E'] + ['E%d' % k for k in more], answer['states'])
    y = named(['C', 'D', 'F'] + ['F%d' % k for k in more], answer['states'])
    for i, name in enumerate(answer['states']):
        yield "%s'" % name, row(x, i, tableau.variable(name), 1)
    for i, name in enumerate(answer['outputs']):
        yield name, row(y, i, tableau.variable(name), 0)


def check(binary, rows, outputs, rng):
    """(None or what is wrong, 'solved' or 'refused')"""
    names = [{1: 'C', 2: 'L', 3: 'R', 6: 'TF', 7: 'GY'}[k] + str(n) for n, _, _, k in rows if k not in (4, 5)]
    values = {n: rng.randrange(2, P) for n in names}
    tableau = Tableau(rows, outputs, values)
    degree = tableau.degree()
    run = subprocess.run([binary, 'lg2ss', text_of(rows), text_of(outputs), '--format', 'json'],
                         capture_output=True, text=True, timeout=600)
    if run.returncode not in (0, 1):
        return 'exit code %d\n%s' % (run.returncode, run.stderr), ''
    if run.returncode == 1:
        return (None if degree < 0 else 'refused although the tableau has one solution:\n' + run.stderr + run.stdout), 'refused'
    if degree < 0:
        return 'accepted although the determinant vanishes', ''
    answer = json.loads(run.stdout)
    for part in answer.get('definitions', []):
        values[part['name']] = evaluate(part['value'], values)
    if len(answer['states']) != degree:
        return 'states %s, but the order is %d' % (answer['states'], degree), ''
    letters = {1: 'v', 2: 'f', 6: 'vf', 7: 'vf'}
    allowed = [letter + str(n) for n, _, _, k in rows for letter in letters.get(k, '')]
    ends = ['xh'[o[2] - 3] + str(o[1]) for o in outputs if o[2] >= 3]
    if [s for s in allowed if s in answer['states']] + ends != answer['states']:
        return 'states %s are not those of storage elements, in order' % answer['states'], ''
    if answer['inputs'] != tableau.input or len(answer['outputs']) != len(outputs):
        return 'wrong names', ''
    for orders in (3, 6):
        span = Span(tableau, orders)
        wrong = [name for name, r in claims(answer, tableau, values) if span.reduce(r)]
        if not wrong:
            return None, 'dependent' if any(nonzero(answer, k) for k in ('E', 'F')) else 'solved'
    return 'not a consequence of the tableau: ' + ', '.join(wrong), ''


def nonzero(answer, key):
    return any(str(x) != '0' for line in answer[key] for x in line)


def main():
    binary = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    kinds, bad = {}, 0
    for i in range(-len(FIXED), count):
        rng = random.Random(seed * 1000003 + i)
        rows, outputs = make_case(rng) if i >= 0 else fixed_case(FIXED[i])
        problem, kind = check(binary, rows, outputs, rng)
        kinds[kind] = kinds.get(kind, 0) + 1
        if problem:
            bad += 1
            print("case %d: %s\n  cotree lg2ss '%s' '%s'" % (i, problem, text_of(rows), text_of(outputs)))
    print(', '.join('%d %s' % (n, k) for k, n in sorted(kinds.items()) if k))
    print('%d passed, %d failed' % (count + len(FIXED) - bad, bad))
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
