"""Small changes of the numeric code, one at a time, and which of them no test notices.

    run.py [--count N] [--seed S] [--files PATTERN] [--jobs N] [--resume]

One build holds all changes behind a switch (COTREE_MUTANT=K). The tests run once to learn which of them reach
which change; then each change runs the tests that reach it, the quickest first, until one fails. Ends with
`N mutants, N caught, N survived`; exit 1 below 90 % caught. `equivalent` lists those that change nothing, with
the reason. --resume takes those for caught that an earlier run caught: for an interrupted run, or after new tests.
"""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

import sites

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build-mutants")
TREE = os.path.join(BUILD, "tree")
CAUGHT = os.path.join(BUILD, "caught") # one JSON line each: key of a mutant, and the test that noticed it
PLACES = ["%s/*" % folder for folder in "solve simulate modes compile nodal study mechanics reduce formulate spice robot lg2ss"
          " expr units equations simplify".split()] + ["model/beam_*", "model/field*", "model/energy*", "model/shape*"]
LEFT_OUT = re.compile(r"report|native|write_c|print|latex|text|put|fuzz|clone|hint") # words, machine code
EMBEDDED = ["src/expr/table.c"] # exported C has its text: there the switch of mutants is unknown
SLOW = re.compile(r"fuzz|oom|memory|stress|scale|large|lang|plot|svg|table|names|topology|animate|diag|format")
CAMPAIGN_CASES = 25 # or those of `make test`, if it takes fewer
SCRIPTS = [["sh", "tests/golden/run.sh", "BINARY"], ["/usr/bin/python3", "tests/spice/functions.py", "BINARY"],
           ["python3", "tests/statespace/check.py", "BINARY"], ["python3", "tests/lg2ss/random.py", "BINARY", "40"],
           ["/usr/bin/python3", "tests/spice/compare.py", "BINARY"], ["/usr/bin/python3", "tests/spice/suite.py", "BINARY"],
           ["/usr/bin/python3", "tests/spice/cards.py", "BINARY"],
           ["/usr/bin/python3", "tests/spice/measures.py", "BINARY"], ["python3", "tests/statespace.py", "BINARY"],
           ["/usr/bin/python3", "tests/shows.py", "BINARY"], ["python3", "tests/robots/run.py", "BINARY"],
           ["python3", "tests/robots/bad.py", "BINARY"], ["python3", "tests/energies.py", "BINARY"],
           ["python3", "tests/signals.py", "BINARY"], ["/usr/bin/python3", "tests/robots/pictures.py", "BINARY"],
           ["python3", "tests/vibrations.py", "BINARY"], ["/usr/bin/python3", "tests/matrix.py", "BINARY"],
           ["python3", "tests/cli.py", "BINARY"],
           ["python3", "tests/counts.py", "BINARY"], ["python3", "tests/efforts.py", "BINARY"], ["python3", "tests/export_c.py", "BINARY"]]
BUDGET = 20 # seconds of processor time for one mutant, as measured without a change
PATIENCE = 5 # times the usual time: it hangs, and that is noticed

Mutant = collections.namedtuple("Mutant", "number file line site")


# ---- choosing

def numeric_files(pattern):
    for place in PLACES:
        for path in sorted(glob.glob(os.path.join(ROOT, "src", place + ".c"))):
            name = os.path.relpath(path, ROOT)
            if not LEFT_OUT.search(os.path.basename(path)) and name not in EMBEDDED and re.search(pattern, name):
                yield name


def is_free(site, taken):
    return all(site[2] <= t[1] or site[1] >= t[2] for t in taken)


def choose(count, seed, pattern):
    text = {name: open(os.path.join(ROOT, name), encoding="utf-8").read() for name in numeric_files(pattern)}
    known = equivalents()
    every = [(name, s) for name in text for s in sites.find(text[name])]
    every = [(n, s) for n, s in every if (n, line_of(text[n], s), s[3], s[4]) not in known]
    every.sort(key=lambda e: order_of(seed, e[0], line_of(text[e[0]], e[1]), e[1]))
    taken, mutants = collections.defaultdict(list), []
    for name, site in every:
        if len(mutants) == count:
            break
        if is_free(site, taken[name]):
            taken[name].append(site)
            mutants.append(Mutant(len(mutants) + 1, name, text[name].count("\n", 0, site[1]) + 1, site))
    return mutants, text


def order_of(seed, *what):
    """Random, but the same after edits elsewhere: then little is compiled anew."""
    return hashlib.md5(repr((seed,) + what[:2] + what[2][3:]).encode()).digest()


def line_of(text, site):
    """The line as text, without blanks: it survives edits elsewhere."""
    start = text.rfind("\n", 0, site[1]) + 1
    return "".join(text[start:text.find("\n", site[1])].split())


def equivalents():
    """Lines `file | line | old | new | why` of the list beside us."""
    known = set()
    for row in open(os.path.join(ROOT, "tests", "mutants", "equivalent"), encoding="utf-8"):
        part = [p.strip() for p in row.split(" | ")]
        if len(part) == 5 and not row.startswith("#"):
            known.add((part[0], "".join(part[1].split()), part[2], part[3]))
    return known


# ---- building

def copy_tree():
    """Only what changed, so that the next build is short."""
    os.makedirs(TREE, exist_ok=True)
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        old = os.path.join(ROOT, name)
        if os.path.isfile(old):
            write_if_new(os.path.join(TREE, name), open(old, "rb").read(), os.stat(old).st_mode)
    shutil.copy(os.path.join(ROOT, "tests/mutants/mutant.c"), os.path.join(TREE, "src/base/mutant.c"))
    shutil.copy(os.path.join(ROOT, "tests/mutants/mutant.h"), os.path.join(TREE, "src/mutant.h"))


def write_if_new(path, content, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path) and open(path, "rb").read() == content:
        return
    with open(path, "wb") as out:
        out.write(content)
    os.chmod(path, mode)


def write_mutants(mutants, text):
    for name in text:
        chosen = [(m.number, m.site) for m in mutants if m.file == name]
        content = sites.apply(text[name], chosen) if chosen else text[name]
        write_if_new(os.path.join(TREE, name), content.encode())


def build(jobs):
    folder = os.path.join(BUILD, "build")
    if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        subprocess.run(["cmake", "-S", TREE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-w -Wno-error",
                        "-DCMAKE_C_FLAGS_RELEASE=-O1"] + launcher, check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run(["cmake", "--build", folder, "-j", str(jobs), "--", "-k"], capture_output=True, text=True)
    return made.returncode == 0, made.stdout + made.stderr


def wrong_lines(log):
    """Paths may be relative to the folder of the build."""
    return {(os.path.relpath(os.path.join(BUILD, "build", m.group(1)), TREE), int(m.group(2)))
            for m in re.finditer(r"^(\S+\.c):(\d+):\d+: error", log, re.M)}


def build_all(mutants, text, jobs):
    """Changes that do not compile are dropped, by the lines that the compiler names."""
    while True:
        write_mutants(mutants, text)
        good, log = build(jobs)
        if good:
            return mutants
        wrong = wrong_lines(log)
        lines = {m: m.site[3].count("\n") for m in mutants}
        kept = [m for m in mutants if not any((m.file, line) in wrong for line in range(m.line, m.line + lines[m] + 1))]
        if len(kept) == len(mutants):
            sys.exit("the build fails without a mutant to blame:\n" + log[-3000:])
        print("%d do not compile and are left out" % (len(mutants) - len(kept)), flush=True)
        mutants = kept


# ---- running

def commands():
    folder = os.path.join(BUILD, "build")
    programs = [p for p in sorted(glob.glob(os.path.join(folder, "tests", "test_*"))) if os.access(p, os.X_OK)]
    found = [[p] for p in programs if os.path.isfile(p) and not SLOW.search(os.path.basename(p))]
    binary = os.path.join(folder, "cotree")
    campaigns = [["/usr/bin/python3", os.path.relpath(p, ROOT), "BINARY", "--cases", cases_of(p)]
                 for p in sorted(glob.glob(os.path.join(ROOT, "tests/campaign/*.py"))) if not p.endswith("campaign.py")]
    return found + [[binary if w == "BINARY" else w for w in s] for s in SCRIPTS + campaigns]


def cases_of(path):
    usual = re.search(r'Campaign\("\w+", (\d+)\)', open(path, encoding="utf-8").read())
    return str(min(CAMPAIGN_CASES, int(usual.group(1)) if usual else CAMPAIGN_CASES))


FAILS = re.compile(rb"\[  FAILED  \]|FAIL|\w+ --seed \d+ --only \d+: ") # a line that says so


def run(command, limit, **environment):
    """(passed, processor seconds): ended at the first test that fails, or when it takes too long."""
    child = subprocess.Popen(command, cwd=TREE, env={**os.environ, "PYTHONUNBUFFERED": "1", **environment}, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2)))
    failed = False
    for line in child.stdout:
        if FAILS.match(line):
            failed = True
            os.killpg(child.pid, signal.SIGKILL)
            break
    child.stdout.close()
    _, status, used = os.wait4(child.pid, 0)
    return not failed and status == 0, used.ru_utime + used.ru_stime


def learn(count, jobs):
    """[(seconds, command, reached)] of all tests without a change."""
    def one(pair):
        index, command = pair
        path = os.path.join(BUILD, "reached.%d" % index)
        with open(path, "wb") as out:
            out.write(bytes(count + 1))
        passed, seconds = run(command, 600, COTREE_REACHED=path)
        if not passed:
            print("fails without a change, left out: %s" % " ".join(command), flush=True)
            return None
        return seconds, command, open(path, "rb").read()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return sorted(filter(None, pool.map(one, enumerate(commands()))), key=lambda t: t[0])


def key_of(m, text):
    return [m.file, line_of(text[m.file], m.site), m.site[3], m.site[4]]


def caught_before():
    if not os.path.exists(CAUGHT):
        return {}
    rows = (json.loads(line) for line in open(CAUGHT, encoding="utf-8"))
    return {tuple(key): test for key, test in rows}


def promise(test, is_killer):
    """Small: try it early. A test that reaches few changes is about them; one that caught a neighbour may do again."""
    seconds, _, reached = test
    return (seconds + 0.02) * sum(reached) * (0.1 if is_killer else 1)


def judge(mutant, tests, killers):
    """Name of the test that notices the change; None: it survives; "": nothing reaches it."""
    reaching = [t for t in tests if t[2][mutant.number]]
    if not reaching:
        return ""
    first = killers[mutant.file]
    spent = 0
    for seconds, command, _ in sorted(reaching, key=lambda t: promise(t, t[1][-1] in first)):
        if spent + seconds > BUDGET:
            continue
        spent += seconds
        passed, _ = run(command, PATIENCE * seconds + 2, COTREE_MUTANT=str(mutant.number))
        if not passed:
            first.append(command[-1])
            return os.path.basename(command[0] if len(command) == 1 else command[1])
    return None


def describe(m, text, verdict):
    line = text[m.file].split("\n")[m.line - 1].strip()
    old, new = (" ".join(part.split()) for part in m.site[3:5])
    how = "nothing reaches it" if verdict == "" else "survived"
    return "%s:%d  %s (%d)\n    %s\n  - %s\n  + %s" % (m.file, m.line, how, m.number, line, old, new)


def main():
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--count", type=int, default=312) # about 300 of them compile
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--files", default="")
    ask.add_argument("--jobs", type=int, default=os.cpu_count())
    ask.add_argument("--resume", action="store_true")
    given = ask.parse_args()
    print("seed %d" % given.seed, flush=True)
    mutants, text = choose(given.count, given.seed, given.files)
    copy_tree()
    mutants = build_all(mutants, text, given.jobs)
    tests = learn(given.count, given.jobs)
    print("%d mutants, %d tests in %.0f s" % (len(mutants), len(tests), sum(t[0] for t in tests)), flush=True)
    survived = judge_all(mutants, text, tests, given)
    caught = len(mutants) - len(survived)
    print("%d mutants, %d caught, %d survived" % (len(mutants), caught, len(survived)))
    sys.exit(caught < 0.9 * len(mutants))


def judge_all(mutants, text, tests, given):
    """Those that survive, told as they come."""
    known = caught_before() if given.resume else {}
    killers = collections.defaultdict(list)
    open_ones = [m for m in mutants if tuple(key_of(m, text)) not in known]
    survived = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool, open(CAUGHT, "a" if given.resume else "w") as log:
        for m, verdict in zip(open_ones, pool.map(lambda m: judge(m, tests, killers), open_ones)):
            if verdict:
                print(json.dumps([key_of(m, text), verdict]), file=log, flush=True)
            else:
                survived.append(m)
                print(describe(m, text, verdict), flush=True)
    return survived


main()
