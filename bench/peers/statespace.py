"""State space of a symbolic RC network by SymPy: edges as JSON on the input; prints CPU seconds of the elimination.

Potentials of all nodes from the vertex equations, then the rates of the capacitors and their coefficients."""
import json
import sys
import time

import sympy

edges = json.load(sys.stdin)
start = time.process_time()
S = sympy.Symbol
state = {a: S('v_' + name) for kind, name, a, b in edges if kind == 'C'}
known = {-1: sympy.Integer(0), **state}
for kind, name, a, b in edges:
    if kind == 'V':
        known[a] = S('u')
inner = sorted({x for e in edges for x in e[2:]} - set(known))
e = {x: S(f'e{x}') for x in inner}
e.update(known)
flow = {}
for kind, name, a, b in edges:
    if kind == 'R':
        i = (e[a] - e[b])/S(name)
        flow[a] = flow.get(a, 0) + i
        flow[b] = flow.get(b, 0) - i
solved = sympy.solve([flow[x] for x in inner], [e[x] for x in inner]) if inner else {}
for kind, name, a, b in edges:
    if kind == 'C':
        rate = (-flow[a]/S(name)).subs(solved)
        rate = sympy.expand(rate) if len(inner) < 3 else rate
        for x in list(state.values()) + [S('u')]:
            str(sympy.together(sympy.diff(rate, x)))
print(time.process_time() - start)
