#!/usr/bin/env python3
"""MAT files as scipy reads them, against the CSV of the same run: mat.py BINARY MODEL..."""
import csv
import os
import subprocess
import sys
import tempfile

import numpy
import scipy.io


def compare(binary, model, folder):
    table, matrix = os.path.join(folder, "x.csv"), os.path.join(folder, "x.mat")
    with open(model) as file:
        stop = [] if "simulate" in file.read() else ["--stop", "1"]
    for path in table, matrix:
        subprocess.run([binary, "run", model, "-o", path, *stop], check=True)
    with open(table, newline="") as file:
        rows = list(csv.reader(file))
    want = numpy.array(rows[1:], dtype=float)
    read = scipy.io.loadmat(matrix, chars_as_strings=False)
    names = ["".join(column).rstrip("\0 ") for column in read["name"].T]
    same_names = names == rows[0]
    same_values = numpy.array_equal(read["data_2"].T, want)
    print(model, want.shape, "names", same_names, "values", same_values)
    good = same_names and same_values
    return good and want.size > 0


with tempfile.TemporaryDirectory() as place:
    sys.exit(0 if all([compare(sys.argv[1], m, place) for m in sys.argv[2:]]) else 1)
