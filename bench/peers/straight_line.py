"""C of N operations, straight line, as an elimination gives them: straight_line.py N. In functions of 1000 statements."""
import random
import sys

n, inputs, part = int(sys.argv[1]), 64, 1000
pick = random.Random(1).randrange
print('#include <math.h>')
for first in range(0, n, part):
    print(f'static void part{first // part}(const double *x, double *t)\n{{')
    for i in range(first, min(first + part, n)):
        a, b = (f't[{i - 1 - pick(min(i, 200))}]' if i > 8 and pick(4) else f'x[{pick(inputs)}]' for _ in 'ab')
        kind = pick(64)
        print(f'    t[{i}] = ' + (f'sin({a})' if kind == 0 else f'1/{a}' if kind == 1 else f'{a} {"+-**"[kind % 4]} {b}') + ';')
    print('}')
print('void rhs(const double *x, double *t)\n{')
for k in range((n + part - 1) // part):
    print(f'    part{k}(x, t);')
print('}')
