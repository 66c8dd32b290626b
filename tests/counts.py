#!/usr/bin/env python3
"""Operations of one evaluation of mechanisms: counts.py PROGRAM. They are exact; a change of the way that expressions
are made shows here first. And bytes that each of a million elements takes from text to tree, and steps of a vibration and over singular
positions."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "bench"))
import texts  # noqa: E402



def trailers(n):
    """A train on knife edges: each of them ties the speed of one body."""
    lines = ["space = planar", "coordinates = joint", "b0 : body  m = 3, I = 0.4  { P = [-0.5, 0] }", "K0 : knife_edge(ground, b0)"]
    for i in range(1, n + 1):
        lines += ["b%d : body  m = 1.5, I = 0.2, com = [-1, 0]  { P = [-1.5, 0], W = [-1, 0] }" % i,
                  "J%d : revolute(b%d.P, b%d)" % (i, i - 1, i), "K%d : knife_edge(ground, b%d.W)" % (i, i)]
    return "\n".join(lines + ["output b%d.x" % n, ""])


COUNTS = [("chain", texts.chain, n, want) for n, want in ((2, 61), (7, 382), (20, 1224), (100, 6383))] + \
         [("four-bars", texts.fourbar, n, want) for n, want in ((1, 153), (10, 1809), (11, 1993))] + \
         [("chain in space", texts.arm, n, want) for n, want in ((7, 1020), (20, 4211), (100, 23849))] + \
         [("chain in space with symbols", lambda n: texts.arm(n, True), n, want) for n, want in ((20, 4791), (100, 27344))] + \
         [("trailers on knife edges", trailers, n, want) for n, want in ((10, 1015), (40, 3903))]


MOST_BYTES = 231
MOST_STEPS = 2700  # vibration without damping: errors decide, 2445
MOST_CALLS = 4000  # 300 four-bars, all level at once ten times: 2968; 10567 with the rounding of places 300 m off
SHOWN = [(texts.arm, 8, 50), (texts.arm, 16, 190)]  # kilobytes of equations, with names for what they share


def memory(program, path):
    """Peak megabytes of a ladder of a million elements, which are bytes for each."""
    with open(path, "w") as f:
        f.write(texts.ladder_lg(500000))
    said = subprocess.run([program, "check", path, "--stats"], capture_output=True, text=True)
    return json.loads(said.stdout)["peak_megabytes"] if said.returncode == 0 else 1e9


def statistic(program, path, times, name, *options):
    said = subprocess.run([program, "run", path, "--times", times, "--stats", *options], capture_output=True, text=True)
    return json.loads(said.stdout)[name] if said.returncode == 0 else said.stderr


def operations(program, path):
    return statistic(program, path, "0", "tape_ops")


def model(name):
    return os.path.join(here, "..", "models", name, "model.lg")


def shown(program, path):
    said = subprocess.run([program, "equations", path], capture_output=True, text=True)
    return len(said.stdout) / 1000 if said.returncode == 0 else 1e9


def main(program):
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.lg")
        for name, make, n, want in COUNTS:
            with open(path, "w") as f:
                f.write(make(n))
            got = operations(program, path)
            bad += got != want
            print("%s of %d: %s operations%s" % (name, n, got, "" if got == want else ", expected %d" % want))
        for make, n, most in SHOWN:
            with open(path, "w") as f:
                f.write(make(n))
            got = shown(program, path)
            bad += not got <= most
            print("equations of a chain of %d in space: %.0f kB%s" % (n, got, "" if got <= most else ", too long"))
        squeezer = operations(program, model("andrews"))
        bad += squeezer != 529
        print("squeezer: %s operations" % squeezer)
        steps = statistic(program, model("slider_crank_flexible"), "0.1", "steps")
        bad += not steps <= MOST_STEPS
        print("elastic slider-crank by rk8: %s steps%s" % (steps, "" if steps <= MOST_STEPS else ", too many"))
        with open(path, "w") as f:
            f.write(texts.fourbar(300))
        calls = statistic(program, path, "0,10", "rhs_evals", "--tol", "1e-8")
        bad += not calls <= MOST_CALLS
        print("four-bars of 300, 10 s: %s evaluations%s" % (calls, "" if calls <= MOST_CALLS else ", too many"))
        each = memory(program, path)
        bad += each > MOST_BYTES
        print("ladder of a million elements: %.0f bytes each%s" % (each, "" if each <= MOST_BYTES else ", too many"))
    return bad


sys.exit(main(sys.argv[1]) > 0)
