"""Models of the plane in space: with `space = spatial` they say the same, in coordinates of every kind.

The right answer is that of the plane. An angular acceleration is a number there and the third of a vector here.
"""
import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(__file__))
from campaign import Campaign

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "models")


def copy_files(text, folder, to):
    """Files that the text names stand beside it: nodes and matrices of finite elements."""
    for name in re.findall(r'"([^"\n]+)"', text):
        if os.path.isfile(os.path.join(folder, name)):
            shutil.copy(os.path.join(folder, name), to)


def shorter(text, folder):
    """What vibrates does so a hundred times a second: a tenth of its time shows as much."""
    stop = re.search(r"^simulate stop = ([0-9.]+)", text, re.M)
    vibrates = re.search("flexible|beam|gate", os.path.basename(folder))
    return ["--stop", "%r" % (float(stop.group(1)) / 10)] if stop and vibrates else []


def main():
    paths = sorted(glob.glob(os.path.join(ROOT, "*", "*.lg")))
    texts = [(open(f).read(), os.path.dirname(f)) for f in paths]
    texts = [(t, folder) for t, folder in texts if "space = planar" in t]
    campaign = Campaign("flat", len(texts))
    for case in campaign:
        text, folder = texts[case.number % len(texts)]
        copy_files(text, folder, case.program.folder.name)
        options = ["--tol", "1e-9", "--points", "5", *shorter(text, folder)]
        if "spins up" in text and "stiffening = off" in text:
            options += ["--coordinates", "joint"]  # it grows without bound, as it must: 1e20 in places of bodies
        elif case.number >= len(texts):
            options += ["--coordinates", case.dice.choice(("joint", "absolute"))]
        elif case.number % 2:
            options += ["--coordinates", "absolute"]
        flat = case.program.call(text, "run", "-o", "-", *options).rows()
        deep = case.program.call(text.replace("space = planar", "space = spatial"), "run", "-o", "-", *options)
        rows = deep.rows()
        if not case.check(flat is not None and rows is not None, "no answer: " + deep.why(), text):
            continue
        worst = 0.0
        for a, b in zip(flat, rows):
            for name, value in a.items():
                other = b.get(name, b.get(name + "[3]", float("nan")))
                size = 1 + max(abs(row[name]) for row in flat)
                worst = max(worst, abs(other - value) / size) if other == other else float("inf")
        case.check(worst < 1e-6, "space differs by %.1e" % worst, text)
    campaign.close()


if __name__ == "__main__":
    main()
