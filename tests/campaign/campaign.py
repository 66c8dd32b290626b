"""What every random campaign shares: arguments, running the program, counting, seeds.

A campaign is a file NAME.py PROGRAM [--cases N | --seconds S] [--seed N]. It makes one random model a case, computes
the right answer by itself and compares. The last line says what was counted:

    starts: 120 compared, 0 wrong, seed 1

Every case has its own dice, made from the seed and its number, so that `--seed S --only K` runs one again.
"""
import argparse
import csv
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

MEMORY = 3 << 30


class Answer:
    """What the program said: code, out, err; rows as a list of {column: number}, NULL when it failed."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def rows(self):
        if self.code:
            return None
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(self.out))]

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            return None

    def why(self):
        lines = (self.err or self.out).strip().splitlines()
        errors = [line for line in lines if "error[" in line]
        return errors[0] if errors else lines[0] if lines else "exit %d" % self.code


def set_limits(seconds):
    """Of memory, and of processor time: how busy the machine is makes little difference."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


class Program:
    def __init__(self, path):
        self.path, self.folder = os.path.abspath(path), tempfile.TemporaryDirectory()

    def call(self, text, verb, *options, ending="lg", timeout=60):
        """Runs `PROGRAM verb MODEL options`; one that needs more processor time than the limit has code 99."""
        model = os.path.join(self.folder.name, "model." + ending)
        with open(model, "w") as f:
            f.write(text)
        said = subprocess.run([self.path, verb, model, *options], capture_output=True, text=True, errors="replace",
                              timeout=30 * timeout, preexec_fn=lambda: set_limits(2 * int(timeout)))
        if said.returncode == -signal.SIGXCPU:
            return Answer(99, "", "no end within %g s" % timeout)
        return Answer(said.returncode, said.stdout, said.stderr)

    def run(self, text, times=None, *options, ending="lg", timeout=60):
        at = ["--times", ",".join(repr(t) for t in times)] if times else []
        return self.call(text, "run", "-o", "-", *at, *options, ending=ending, timeout=timeout)


class Campaign:
    """for case in campaign: make a model with case.dice, then case.equal(...) or case.check(...)."""

    def __init__(self, name, cases):
        p = argparse.ArgumentParser()
        p.add_argument("program")
        p.add_argument("--cases", type=int, default=cases)
        p.add_argument("--seconds", type=float)
        p.add_argument("--seed", type=int, default=1)
        p.add_argument("--only", type=int)
        self.name, self.asked = name, p.parse_args()
        self.program = Program(self.asked.program)
        self.compared = self.wrong = 0
        self.text = ""

    def __iter__(self):
        end = time.monotonic() + self.asked.seconds if self.asked.seconds else None
        self.number = self.asked.only or 0
        while self.asked.only is None or self.number == self.asked.only:
            if end and time.monotonic() > end or not end and self.number >= self.asked.cases and self.asked.only is None:
                break
            self.dice = random.Random("%s %d %d" % (self.name, self.asked.seed, self.number))
            yield self
            self.number += 1

    def check(self, good, what, text=None):
        """Counts one comparison; shows the model of the first few wrong ones."""
        self.compared += 1
        if good:
            return True
        self.wrong += 1
        print("%s --seed %d --only %d: %s" % (self.name, self.asked.seed, self.number, what))
        if text and self.wrong <= 3:
            print("    " + text.strip().replace("\n", "\n    "))
        return False

    def equal(self, got, want, tolerance, what, text=None):
        good = isinstance(got, float) and abs(got - want) <= tolerance
        return self.check(good, "%s = %r, right is %r (within %.1e)" % (what, got, want, tolerance), text)

    def close(self):
        print("%s: %d compared, %d wrong, seed %d" % (self.name, self.compared, self.wrong, self.asked.seed))
        sys.exit(self.wrong > 0 or self.compared == 0)
