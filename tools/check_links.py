#!/usr/bin/env python3
"""Checks that links in the documents lead to files and headings that are there, and that paths they name exist.

Prints each violation; exit 1 if there is one.
"""
import glob
import os
import re
import sys

from sources import ROOT, files, read

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# `src/solve/run.h`; a name in capitals stands for one that the reader chooses.
PATH = re.compile(r"`((?:src|tests|tools|docs|models|bench|include|examples)/[\w./*-]+)`")
BLOCK = re.compile(r"^ *```.*?^ *```", re.M | re.S)


def anchors(path):
    """The headings of a document as links name them."""
    heads = re.findall(r"^#+ (.*)$", BLOCK.sub("", read(path)), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def wrong_links(path):
    for target in LINK.findall(BLOCK.sub("", read(path))):
        if re.match(r"https?:|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(os.path.join(ROOT, there)):
            yield f"{path}: the link to {target} leads nowhere"
        elif anchor and anchor not in anchors(there):
            yield f"{path}: {there} has no heading {anchor}"


def wrong_paths(path):
    for named in PATH.findall(BLOCK.sub("", read(path))):
        if "NAME" not in named and not glob.glob(os.path.join(ROOT, named)):
            yield f"{path}: `{named}` is not there"


documents = [path for path in files() if path.endswith(".md")]
wrong = [line for path in documents for line in [*wrong_links(path), *wrong_paths(path)]]
if wrong:
    print("\n".join(wrong))
sys.exit(bool(wrong))
