#!/usr/bin/env python3
"""Frequencies of fields and flexible bodies, under load, buckling by their weight, stretch: vibrations.py COTREE.

Right values: characteristic equations of the beam under force; 7.8373474 = rho A g L^3/(E I)."""
import csv
import io
import json
import math
import subprocess
import sys

LOADED = {"clamped_free": (15.106178674046332, 138.78298130933152, 403.21687646862574),
          "pinned_pinned": (41.4220338191302, 241.5298865804758, 569.4588162459379),
          "clamped_pinned": (65.20698259114693, 295.02413678235206, 654.5138352832978),
          "clamped_clamped": (94.85418262863192, 345.2430759270454, 735.1503801327246),
          "clamped_sliding": (23.713545657158257, 183.78759503310258, 477.6060808909769)}
wrong = []


def call(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True).stdout


def poles(model, *settings):
    sets = [word for s in settings for word in ("--set", s)]
    return json.loads(call("statespace", model, "--numeric", "--poles", "--json", *sets))["poles"]


def near(found, want, part, what):
    best = min(found, key=lambda x: abs(x - want))
    if not abs(best - want) <= part * want:
        wrong.append("%s: %r, right is %r" % (what, best, want))


def stretch(speed):
    rows = call("run", "models/spin_up_beam/frequencies.lg", "--set", "Omega=%g" % speed, "--times", "0.2", "--tol", "1e-10",
                "--atol", "1e-15", "-o", "-")
    return float(list(csv.DictReader(io.StringIO(rows)))[-1]["stretch"])


def root(f, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(low) * f(middle) > 0 else (low, middle)
    return low


def with_fields_as_they_are():
    """A shaft with two discs, a cantilever with a mass at its tip: characteristic equations."""
    def exact(model):
        return [p["frequency"] for p in json.loads(call("statespace", model, "--numeric", "--poles", "--exact", "--json"))["exact_poles"]]

    own, wave = 7850 * math.pi * 0.04 ** 4 / 32 * 2.5, math.sqrt(79e9 / 7850) / 2.5
    a, b = 0.05 / own, 0.02 / own
    found = exact("models/torsion_shaft_two_discs/model.lg")
    for k in range(8):
        x = root(lambda x: (1 - a * b * x * x) * math.sin(x) + (a + b) * x * math.cos(x), k * math.pi + 1e-3, (k + 1) * math.pi)
        near(found, x * wave, 1e-12, "shaft, %d" % (k + 1))
    mass, found = 6 / (7850 * 0.0015 * 1.2), exact("models/beam_ends_table/loaded.lg")
    scale = math.sqrt(200e9 * 0.05 * 0.03 ** 3 / 12 / (7850 * 0.0015)) / 1.44
    for k in range(8):
        x = root(lambda x: 1 / math.cosh(x) + math.cos(x) + mass * x * (math.cos(x) * math.tanh(x) - math.sin(x)),
                 k * math.pi + 1e-3, (k + 1) * math.pi)
        near(found, x * x * scale, 1e-12, "mass at the tip, %d" % (k + 1))


def main():
    with_fields_as_they_are()
    found = [p["frequency"] for p in poles("models/column_flexible/ends.lg")]
    for ends, list_ in LOADED.items():
        for k, want in enumerate(list_):
            near(found, want, 1e-7, "%s, %d" % (ends, k + 1))
    for length, stands in ((5.6262992, True), (5.6262993, False)):
        found = poles("models/column_flexible/weight.lg", "L=%r" % length)
        if all(p["re"] < 1e-9 for p in found) != stands:
            wrong.append("a column of %r m stands: %r" % (length, not stands))
    near([1e4 * stretch(0.06)], 1.2 * 36 * 1e3 / (3 * 2.8e7), 1e-6, "stretch by slow spinning")
    k = 6 * math.sqrt(1.2 / 2.8e7)
    near([stretch(6)], math.tan(10 * k) / k - 10, 1e-6, "stretch")
    print("\n".join(wrong))
    print("%d passed, %d failed" % (35 - len(wrong), len(wrong)))
    sys.exit(bool(wrong))


main()
