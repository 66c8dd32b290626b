#!/usr/bin/python3
"""Netlists as people write them, by cotree and by ngspice: suite.py COTREE [NAME ...]. Ends with `N passed, N failed`.

tests/spice/suite.txt holds them. A netlist begins with a line

    === NAME [within=TOLERANCE] [share=STEPS] [trtol=NUMBER] [lacks=CODE:WORD]

and may end with `--- peer` and other text for ngspice, where it is written as other programs have it. All analyses that
ngspice does must agree within the tolerance (2e-5), or cotree must say what it lacks: the message has that code, the
word, and the line. With `lacks=W803` the rest must agree all the same. ngspice takes 20 steps from row to row or
more; it gives up some of them unless its trtol is larger.
"""
import os
import re
import subprocess
import sys
import tempfile

import compare

HERE = os.path.dirname(os.path.abspath(__file__))


def read_suite():
    """(name, options, text, text for ngspice)"""
    found = []
    for block in re.split(r"^=== ", open(os.path.join(HERE, "suite.txt")).read(), flags=re.M)[1:]:
        head, body = block.split("\n", 1)
        words = head.split()
        own, _, peer = body.partition("--- peer\n")
        options = dict(word.split("=", 1) for word in words[1:])
        found.append((words[0], options, own, peer or own))
    return found


def complaint(binary, path, lacks):
    """What is wrong with the message that should be there; "": nothing."""
    code, _, word = lacks.partition(":")
    said = subprocess.run([binary, "run", path], capture_output=True, text=True, timeout=600)
    lines = [line for line in said.stderr.splitlines() if "[%s]" % code in line and word in line]
    if not lines:
        return "no message %s about %s:\n%s" % (code, word, said.stderr[:500])
    if not re.match(r".*\.cir:\d+:\d+: ", lines[0]):
        return "the message names no line: " + lines[0]
    if code.startswith("E") and said.returncode == 0:
        return "it runs all the same"
    return ""


def differences(binary, path, plots, tolerance):
    bad = []
    for plot in plots:
        check = next(check for word, check in compare.KINDS if plot[0].startswith(word))
        try:
            columns = check(binary, path, plot)
        except (ValueError, KeyError) as problem:
            bad.append("%s: %s" % (plot[0], problem))
            continue
        for label, mine, theirs in columns:
            error = compare.differ(mine, theirs, label)
            if not error <= tolerance:
                bad.append("%s: %s differs by %.2g" % (plot[0], label, error))
    return bad


def try_one(binary, name, options, own, peer, folder):
    path, other = os.path.join(folder, name + ".cir"), os.path.join(folder, "peer_in.cir")
    for text, to in ((own, path), (peer, other)):
        with open(to, "w") as f:
            f.write(text)
    lacks = options.get("lacks", "")
    bad = [complaint(binary, path, lacks)] if lacks else []
    if lacks.startswith("E"):
        return [b for b in bad if b]
    compare.TRTOL[name] = float(options.get("trtol", 0.1))
    try:
        plots = compare.peer(other, name, folder, float(options.get("share", 20)))
    except SystemExit as problem:
        return bad + [str(problem)]
    if not plots:
        bad.append("ngspice has no rows")
    return [b for b in bad if b] + differences(binary, path, plots, float(options.get("within", "2e-5")))


def main():
    binary, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:]
    passed = failed = 0
    for name, options, own, peer in read_suite():
        if chosen and name not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            bad = try_one(binary, name, options, own, peer, folder)
        passed, failed = passed + (not bad), failed + bool(bad)
        for line in bad:
            print("%s: %s" % (name, line))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
