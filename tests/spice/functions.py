#!/usr/bin/python3
"""Functions of netlists by cotree and by ngspice: functions.py COTREE. Ends with `N passed, N failed`.

Each function at negative, zero and large arguments where ngspice has a value, in a source that follows the circuit and in
a number of a card: SPICE evaluates the two differently.
"""
import os
import subprocess
import sys
import tempfile

import compare

ALL = [-1e6, -1000, -250.5, -2.5, -1.5, -1, -0.5, -1e-9, 0, 1e-9, 0.5, 1, 1.5, 2.5, 3.5, 250.5, 1000, 1e6]
SMALL = [x for x in ALL if abs(x) < 1000]
PAIRS = [(x, y) for x in (-3, -2, -0.5, 0.5, 2, 1000) for y in (-2.5, -2, -1, 0, 0.5, 1, 2, 3)] + [(0, y) for y in (0, 0.5, 1, 2, 3)]
BOTH, SOURCE, CARD = "bp", "b", "p"
# function, arguments, where it is known
ONE = [(f, ALL, BOTH) for f in "sin cos tan atan tanh asinh abs sgn floor ceil nint".split()]
ONE += [(f, ALL, SOURCE) for f in "u u2 uramp eq0 ne0 gt0 lt0 ge0 le0".split()]
ONE += [(f, [x for x in ALL if x > 0], BOTH) for f in "ln log log10".split()]
ONE += [(f, SMALL, BOTH) for f in ("sinh", "cosh")]
ONE += [("sqrt", [x for x in ALL if x >= 0], BOTH), ("acosh", [1.0001, 1.5, 2.5, 1000, 1e6], CARD), ("atanh", [-0.999, -0.5, 0, 1e-9, 0.5, 0.999], BOTH)]
ONE += [(f, [-0.999, -0.5, -1e-9, 0, 0.5, 0.999], BOTH) for f in ("asin", "acos")]
ONE += [("exp", SMALL + [1000, 1e6], SOURCE), ("exp", SMALL, CARD), ("int", ALL, CARD), ("sqr", ALL, CARD), ("arctan", ALL, CARD)]
TWO = [("min", PAIRS, BOTH), ("max", PAIRS, BOTH), ("pow", [p for p in PAIRS if p[0] > 0 or p[1] == int(p[1])], BOTH), ("pwr", PAIRS, BOTH)]
THREE = [("ternary_fcn", [(x, 2, -3) for x in (-1, 0, 2)], SOURCE)]

# expressions of #1 and #2
SIDES = [(-2, 3), (3, -2), (2, 2), (-1, -1), (0, 0), (0, 1), (1, 0)]
OPERATORS = [("(#1 %s #2) ? 5 : -7" % op, SIDES, BOTH) for op in "< <= > >= == !=".split()]
OPERATORS += [("(#1 > 0 && #2 > 0) ? 3 : 4", SIDES, BOTH), ("(#1 > 0 || #2 > 0) ? 3 : 4", SIDES, BOTH), ("(#1 + #2) ? 3 : 4", SIDES, BOTH)]
OPERATORS += [("!(#1 > #2) ? 3 : 4", SIDES, SOURCE), ("#1 + 2*(#1 <= #2)", SIDES, BOTH), ("pi*#1 - #2", SIDES, SOURCE), ("#1 - -#2*3", SIDES, BOTH)]
OPERATORS += [("pwl(#1, -1, -2, 0, 0, 1, 3, 2, 4)", ALL, SOURCE)]


def written(function, arguments):
    if "#1" not in function:
        return "%s(%s)" % (function, ",".join(arguments))
    for k, argument in enumerate(arguments):
        function = function.replace("#%d" % (k + 1), argument)
    return function


def netlist(function, cases, source):
    """Node oK has the value of the function at the K-th arguments."""
    lines = ["functions"]
    for k, case in enumerate(cases):
        for j, x in enumerate(case):
            lines += ["V%d_%d i%d_%d 0 %r" % (k, j, k, j, x), "R%d_%d i%d_%d 0 1" % (k, j, k, j)]
        if source:
            lines.append("B%d o%d 0 V=%s" % (k, k, written(function, ["v(i%d_%d)" % (k, j) for j in range(len(case))])))
        else:
            lines.append("Vo%d o%d 0 {%s}" % (k, k, written(function, ["(%r)" % x for x in case])))
        lines.append("Ro%d o%d 0 1" % (k, k))
    return "\n".join(lines + [".op", ".end"]) + "\n"


def check(binary, function, cases, source, folder):
    cases = [x if isinstance(x, tuple) else (x,) for x in cases]
    path, raw = os.path.join(folder, "f.cir"), os.path.join(folder, "f.raw")
    with open(path, "w") as f:
        f.write(netlist(function, cases, source))
    if os.path.exists(raw):
        os.remove(raw)
    said = subprocess.run(["ngspice", "-b", "-r", raw, path], capture_output=True, text=True, timeout=600)
    plots = compare.read_raw(raw) if os.path.exists(raw) else []
    if not plots:
        return ["ngspice failed: " + said.stderr.strip()[-200:]]
    _, names, rows = plots[0]
    head, mine = compare.own(binary, path, [])
    bad = []
    for k, case in enumerate(cases):
        right, got = rows[0][names.index("v(o%d)" % k)], mine[0][head.index("v(o%d)" % k)]
        if not abs(got - right) <= 1e-6 * abs(right) + 1e-12:
            bad.append("%s = %r, ngspice has %r" % (case, got, right))
    return bad


def main():
    binary, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for function, cases, where in ONE + TWO + THREE + OPERATORS:
            for kind in where:
                try:
                    bad = check(binary, function, cases, kind == "b", folder)
                except ValueError as problem:
                    bad = [str(problem)]
                passed, failed = passed + (not bad), failed + bool(bad)
                if bad:
                    print("%s %s: %s" % (function, "in a source" if kind == "b" else "on a card", "; ".join(bad)))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
