#!/usr/bin/env python3
"""What runs cost, as counts: efforts.py PROGRAM [--update]. Rows of efforts.txt: file, options | counts of FIGURES.

Control of steps, guesses and Newton's method can be wrong and still give right rows: it shows in what they take.
A count may be a tenth larger or two fifths smaller than recorded, and a few. After a wanted change: --update, and read the
differences. Ends with `N passed, N failed`.
"""
import concurrent.futures
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "efforts.txt")
FIGURES = ["steps", "rhs_evals", "jac_evals", "newton_iters", "restarts", "events", "jacobian_entries"]
MORE, LESS, FEW = 1.1, 0.6, 3


def rows():
    for line in open(TABLE, encoding="utf-8"):
        if not line.startswith("#"):
            call, _, counts = line.partition("|")
            yield call.strip(), counts.split()


def measure(program, call):
    """The counts, and what start and run are called; or what went wrong, as one word."""
    said = subprocess.run([program, "run", *call.split(), "--stats"], cwd=os.path.dirname(HERE), capture_output=True, text=True)
    if said.returncode != 0 or not said.stdout.startswith("{"):
        return ["exit-%d" % said.returncode]
    found = json.loads(said.stdout.splitlines()[0])
    return ["%d" % found[f] for f in FIGURES] + ["%d" % found["start"]["iterations"], found["method"].replace(" ", "_")]


def is_near(got, want):
    if not (got.isdigit() and want.isdigit()):
        return got == want
    return LESS * int(want) - FEW <= int(got) <= MORE * int(want) + FEW


def main(program, update):
    known = list(rows())
    with concurrent.futures.ThreadPoolExecutor(1 if not update else os.cpu_count()) as pool:
        measured = list(pool.map(lambda row: measure(program, row[0]), known))
    if update:
        head = [line for line in open(TABLE, encoding="utf-8") if line.startswith("#")]
        with open(TABLE, "w", encoding="utf-8") as out:
            out.writelines(head + ["%s | %s\n" % (call, " ".join(m)) for (call, _), m in zip(known, measured)])
        return 0
    bad = 0
    for (call, want), got in zip(known, measured):
        good = len(got) == len(want) and all(map(is_near, got, want))
        bad += not good
        if not good:
            print("%s: %s, recorded are %s" % (call, " ".join(got), " ".join(want)))
    print("%d passed, %d failed" % (len(known) - bad, bad))
    return bad


sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:] == ["--update"]) > 0)
