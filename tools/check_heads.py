#!/usr/bin/env python3
"""Checks that every file says in its first line what it does, that no source is long, and that headings in headers
stand once and name the right file.

A C file begins with `/* name.c - what it does`; a script with a remark, a Python file with its text. A heading
`/* ---- rows (rows.c)` or `/* ---- rows.c` promises that what is declared below it is defined there.
Prints each violation; exit 1 if there is one.
"""
import collections
import os
import re
import sys

from sources import ROOT, code_of, files, read

HEADING = re.compile(r"^/\* ----(.*?)\*/|^(?!static)[a-z][\w \t*]*?\b(ct_\w+)\(", re.M | re.S)
DEFINITION = re.compile(r"^[a-z][^;{}#=]*?\b(ct_\w+)\([^;{}]*\)\s*\{", re.M)
HEADS = {".c": r"/\* {name} - \S", ".h": r"/\* {name} - \S", ".def": r"/\* {name} - \S",
         ".py": r'(#!.*\n)?"""\w', ".sh": r"#!.*\n# \S"}
LONGEST = 600 # lines of a source


def long_files():
    for path in files("src"):
        count = read(path).count("\n")
        if path.endswith((".c", ".h")) and count > LONGEST:
            yield f"{path}: {count} lines; more than {LONGEST} do not show what belongs together"


def same_headings():
    for path in files("src", "include"):
        headings = [" ".join(m[1].split()) for m in HEADING.finditer(read(path)) if path.endswith(".h") and m[1]]
        for heading in sorted({h for h in headings if headings.count(h) > 1}):
            yield f"{path}: the heading `{heading}` stands twice"


def wrong_heads():
    for path in files("src", "include", "tests", "tools", "bench"):
        name = os.path.basename(path)
        head = HEADS.get(os.path.splitext(name)[1])
        if head and not re.match(head.replace("{name}", re.escape(name)), read(path)):
            yield f"{path}: the first line does not say what the file does"


def homes():
    """Function -> the files that define it."""
    home = collections.defaultdict(set)
    for path in files("src", "include"):
        for match in DEFINITION.finditer(code_of(path)):
            home[match[1]].add(os.path.basename(path))
    return home


def wrong_headings():
    home = homes()
    for path in files("src"):
        named = []
        for match in HEADING.finditer(read(path)) if path.endswith(".h") else ():
            if match[1] is not None:
                named = re.findall(r"\w+\.c\b", match[1])
                for name in named:
                    if not os.path.exists(os.path.join(ROOT, os.path.dirname(path), name)):
                        yield f"{path}: a heading names {name}, which is not there"
            elif named and home[match[2]] and not home[match[2]] & set(named):
                yield f"{path}: {match[2]} stands under {', '.join(named)}; it is in {', '.join(sorted(home[match[2]]))}"


wrong = [*wrong_heads(), *wrong_headings(), *same_headings(), *long_files()]
if wrong:
    print("\n".join(wrong))
sys.exit(bool(wrong))
