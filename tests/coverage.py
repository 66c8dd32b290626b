"""Lines and branches that ran, by folder and file, from the counters of a build: coverage.py FOLDER [--missed PATTERN].

What only a failed allocation reaches does not count: see `is_memory`.
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

AIM_LINES, AIM_BRANCHES = 96, 90
# Lines that say that memory is gone, or that a state cannot be.
MEMORY = re.compile(r"CT_ERR_MEMORY|EXIT_INTERNAL|no_memory|abort\(\)|assert\(")


def counters(folder):
    """One JSON of gcov for each object; sources are merged by file and line."""
    notes = sorted(glob.glob(os.path.join(folder, "CMakeFiles", "*.dir", "src", "**", "*.gcno"), recursive=True))
    with tempfile.TemporaryDirectory() as place:
        for note in notes:
            subprocess.run(["gcov", "--json-format", "--branch-probabilities", os.path.abspath(note)], cwd=place,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            for path in glob.glob(os.path.join(place, "*.gcov.json.gz")):
                yield from json.load(gzip.open(path))["files"]
                os.remove(path)


def merge(files, root):
    """{file: {line: [count, [taken, ..]]}} of our own sources; inline functions of headers ran in many objects."""
    found = {}
    for file in files:
        name = os.path.relpath(os.path.join(root, file["file"]), root)
        if not name.startswith("src/"):
            continue
        lines = found.setdefault(name, {})
        for line in file["lines"]:
            old = lines.setdefault(line["line_number"], [0, []])
            taken = [b["count"] for b in line["branches"]]
            old[0] += line["count"]
            if len(old[1]) == len(taken):
                old[1] = [a + b for a, b in zip(old[1], taken)]
            elif sum(taken) > sum(old[1]):
                old[1] = taken
    return found


def is_memory(text):
    return MEMORY.search(text) is not None


def figures(name, lines):
    """Lines hit, lines, branches hit, branches, missed places of one file."""
    text = open(name, encoding="utf-8").read().split("\n")
    hit = all_lines = taken = branches = 0
    missed = []
    for number, (count, ways) in sorted(lines.items()):
        if number > len(text) or is_memory(text[number - 1]): # edited since, or memory
            continue
        all_lines += 1
        hit += count > 0
        branches += len(ways)
        taken += sum(w > 0 for w in ways)
        if not count or 0 in ways:
            missed.append((number, count, ways.count(0), text[number - 1]))
    return hit, all_lines, taken, branches, missed


def percent(part, whole):
    return 100 * part / whole if whole else 100


def row(name, f):
    return "%-34s %6d lines %6.1f %%  %6d branches %6.1f %%" % (
        name, f[1], percent(f[0], f[1]), f[3], percent(f[2], f[3]))


def add(rows):
    return [sum(r[k] for r in rows) for k in range(4)]


def main():
    root, folder = os.getcwd(), sys.argv[1]
    files = {name: figures(name, lines) for name, lines in merge(counters(folder), root).items()}
    if sys.argv[2:3] == ["--missed"]:
        for name in sorted(n for n in files if re.search(sys.argv[3], n)):
            print(row(name, files[name]))
            for number, count, open_ways, text in files[name][4]:
                print("%s%5d %2d  %s" % (" " if count else "#", number, open_ways, text))
        return
    folders = sorted({os.path.dirname(n) for n in files})
    for part in folders:
        print(row(part, add([f for n, f in files.items() if os.path.dirname(n) == part])))
    total = add(list(files.values()))
    print(row("all", total))
    print("\nmost lines and branches to be reached:")
    worst = sorted(files, key=lambda n: -(files[n][1] - files[n][0] + files[n][3] - files[n][2]))
    for name in worst[:20]:
        print(row(name, files[name]))
    print("\naim: %d %% of lines, %d %% of branches" % (AIM_LINES, AIM_BRANCHES))


main()
