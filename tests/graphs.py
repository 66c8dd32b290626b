#!/usr/bin/env python3
"""Graphs of all models as JSON: graphs.py PROGRAM MODELS. In every graph nodes and edges have names of their own, branches
and chords are the edges, and cutsets and circuits are orthogonal [McPhee-2, eq. 12]."""
import json
import subprocess
import sys


def faults(graph):
    names = [e["name"] for e in graph["edges"]]
    nodes = graph["nodes"]
    if len(set(names)) < len(names) or len(set(nodes)) < len(nodes):
        yield "two have one name"
    if {e[end] for e in graph["edges"] for end in ("tail", "head")} - set(nodes):
        yield "an end is no node"
    if sorted(graph["columns"]) != sorted(names):
        yield "columns are not the edges"
    a, b = graph["cutset"], graph["circuit"]
    if isinstance(a, list) and any(sum(x * y for x, y in zip(p, q)) for p in a for q in b):
        yield "a cutset and a circuit are not orthogonal"


def main(program, models):
    bad = count = 0
    for model in models:
        said = subprocess.run([program, "graph", model, "--json"], capture_output=True, text=True)
        for graph in json.loads(said.stdout)["graphs"] if said.returncode == 0 else []:
            count += 1
            for fault in faults(graph):
                print("%s, %s: %s" % (model, graph["domain"], fault))
                bad += 1
    print("%d graphs, %d faults" % (count, bad))
    return bad or not count


sys.exit(main(sys.argv[1], sys.argv[2:]) > 0)
