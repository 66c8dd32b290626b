#!/usr/bin/env python3
"""Checks that no ct_ name has two meanings, and that nobody defines a function that nobody uses.

Two types of one name in two files, or a type and a function, cannot be told apart by who reads them. A function is
used when its name stands anywhere besides where it is declared and defined; those of include/ are for others.
Prints each violation; exit 1 if there is one.
"""
import collections
import re
import sys

from sources import code_of, files

TYPE = re.compile(r"\b(struct|enum|union)\s+(ct_\w+)\s*\{|^\}\s*(ct_\w+)\s*;|^typedef\s[^;{}]*?\b(ct_\w+)\s*;"
                  r"|^typedef\s[^;]*?\(\*(ct_\w+)\)\(", re.M)
FUNCTION = re.compile(r"^(?:[a-z_]\w*[\s*]+)+(ct_\w+)\([^;{}]*\)\s*[;{]", re.M)
WORD = re.compile(r"\bct_\w+")
PASTED = re.compile(r"\bNAMED\((ct_\w+)\)")  # in files that are read twice: one name ending for each kind of number


def c_files(*folders):
    return [path for path in files(*folders) if path.endswith((".c", ".h", ".def", ".txt"))]


def types_and_functions():
    """Name -> {("struct", file), ..}, and name -> how often it is declared or defined as a function."""
    types, functions = collections.defaultdict(set), collections.Counter()
    for path in c_files("src", "include", "tests"):
        for kind, tag, *aliases in TYPE.findall(code_of(path)):
            types[tag or "".join(aliases)].add((kind or "typedef", path))
        if not path.startswith("tests/mutants/"):  # called by sources that are made from others
            functions.update(FUNCTION.findall(code_of(path)))
    return types, functions


def two_meanings(types, functions):
    for name, uses in sorted(types.items()):
        tagged = sorted(path for kind, path in uses if kind != "typedef")
        aliased = sorted(path for kind, path in uses if kind == "typedef")
        if len(tagged) > 1 or (not tagged and len(aliased) > 1):
            yield f"{name} is a type in {' and in '.join(tagged or aliased)}"
        if name in functions:
            yield f"{name} is a type in {(tagged + aliased)[0]} and a function"


def unused(functions):
    seen = collections.Counter()
    for path in c_files("src", "include", "tests", "tools", "bench"):
        seen.update(WORD.findall(code_of(path)))
        seen.update(name + ending for name in PASTED.findall(code_of(path)) for ending in ("_real", "_complex"))
    public = {name for path in c_files("include") for name in WORD.findall(code_of(path))}
    for name, count in sorted(functions.items()):
        if seen[name] <= count and name not in public:
            yield f"{name} is a function that nobody uses"


types, functions = types_and_functions()
wrong = [*two_meanings(types, functions), *unused(functions)]
if wrong:
    print("\n".join(wrong))
sys.exit(bool(wrong))
