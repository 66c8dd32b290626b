#!/usr/bin/env python3
"""Controllers in C: permission, both ways of calling, what is told of code that fails, and the same
law as text, sampled by `every`, and as a block: bit by bit the same. usage: run.py COTREE"""
import csv
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile

CODE = """
#include <math.h>
#include "law.h"
void step(double t, const double *u, double *y, double *state)
{
    (void)t;
    (void)u[0];
    state[0] = state[0] - u[1];
    y[0] = GAIN*state[0];
    y[1] = state[0];
}
void duty(double t, const double *u, double *y, double *state)
{
    (void)t;
    state[0] += 0.01*(8 - u[0]);
    y[0] = state[0] < 0.05 ? 0.05 : state[0] > 0.9 ? 0.9 : state[0];
}
void crash(double t, const double *u, double *y, double *state)
{
    (void)u, (void)state;
    y[0] = t > 0.35 ? *(volatile double *)0 : 1, y[1] = 0;
}
void endless(double t, const double *u, double *y, double *state)
{
    (void)u, (void)state;
    for (volatile int k = 1; k && t > 0.35;) {}
    y[0] = y[1] = 0;
}
void leaves(double t, const double *u, double *y, double *state)
{
    extern void exit(int);
    (void)u, (void)state;
    if (t > 0.35) exit(7);
    y[0] = y[1] = 0;
}
void no_number(double t, const double *u, double *y, double *state)
{
    (void)u, (void)state;
    y[0] = 1, y[1] = t > 0.35 ? 0.0/0.0 : 2;
}
void reads_beyond(double t, const double *u, double *y, double *state)
{
    (void)state;
    y[0] = y[1] = t > 0.35 ? u[2] : 1;
}
void writes_beyond(double t, const double *u, double *y, double *state)
{
    (void)u, (void)state;
    y[0] = y[1] = 1;
    if (t > 0.35) y[2] = 1;
}
void more_states(double t, const double *u, double *y, double *state)
{
    (void)u;
    y[0] = y[1] = 1;
    if (t > 0.35) state[1] = 1;
}
void hides(double t, const double *u, double *y, double *state)
{
    extern int close(int);
    (void)u, (void)state;
    if (t > 0.35) close(3);
    for (volatile int k = 1; k && t > 0.35;) {}
    y[0] = y[1] = 1;
}
void functions(double t, const double *u, double *y, double *state)
{
    double b = u[1]/(1 + u[1]*u[1]), a = 3*b + 1e6*(t > 1.01);
    state[0] = state[0] + sin(a) + cos(3*a) - sin(0.5)*exp(-state[0]*state[0]);
    y[0] = atan2(state[0], a) + tan(0.1*a) + pow(1 + b*b, b) - tanh(state[0]);
    y[1] = log(1 + b*b) + asin(0.1*sin(a)) + acos(0.1*cos(a)) + sinh(0.1*b) + cosh(b);
}
void sleeps(double t, const double *u, double *y, double *state)
{
    extern unsigned sleep(unsigned);
    (void)u, (void)state;
    if (t > 0.35 && t < 0.4) sleep(3); /* no time of its own: it is waited for */
    y[0] = y[1] = 1;
}
void forks(double t, const double *u, double *y, double *state)
{
    extern int fork(void), pause(void);
    extern unsigned alarm(unsigned);
    (void)u, (void)state;
    if (t > 0.35 && fork() == 0) alarm(5), pause();
    y[0] = y[1] = t > 0.35 ? *(volatile double *)0 : 1;
}
void closes(double t, const double *u, double *y, double *state)
{
    extern int close(int);
    (void)u, (void)state;
    for (int i = 0; i < 64 && t > 0.35; i++) close(i);
    y[0] = y[1] = 1;
}
void kills(double t, const double *u, double *y, double *state)
{
    extern int raise(int);
    (void)u, (void)state;
    if (t > 0.35) raise(15);
    y[0] = y[1] = 1;
}
void eats(double t, const double *u, double *y, double *state)
{
    extern void *malloc(unsigned long);
    (void)u, (void)state;
    char *much = t > 0.35 ? malloc(2000000000ul) : 0;
    y[0] = 1, y[1] = t > 0.35 && !much ? 0.0/0.0 : 2;
}
void talks(double t, const double *u, double *y, double *state)
{
    extern int printf(const char *, ...);
    for (int i = 0; i < 20000; i++) printf("a line of what it prints\\n");
    step(t, u, y, state);
}
double wrong(double t, double u) { return t + u; }
void swapped(double *y, const double *u, double t, double *state) { y[0] = y[1] = u[0] + t + state[0]; }
void changes(double t, double *u, double *y, double *state) { u[0] = 7; u[1] += 0; step(t, u, y, state); }
static void own(double t, const double *u, double *y, double *state) { step(t, u, y, state); }
void sometimes(double t, const double *u, double *y, double *state)
{
    (void)u, (void)state;
    if (t < 0.35) y[0] = 1 + t, y[1] = 2;
}
"""
MODEL = """model loop
V1 : vsource(a, ground)   v = v
R1 : resistor(a, b)       R = 1 ohm
C1 : capacitor(b, ground) C = 0.5 F, v(0) = 1 V
%s
output C1.v as c, v, s
simulate stop = 2 s, points = 41
"""
IN_C = """K1 : controller(1, C1.v)  source = "law.c", function = "%s", outputs = 2, states = 1, period = 0.0625 s
signal v = K1.y[1]*(1 V), s = K1.y2"""
AS_TEXT = """discrete v : V = 0 V, s = 0
every 0.0625 s { s = pre(s) - C1.v/(1 V)
  v = 0.5*s*(1 V) }"""
AS_BLOCK = """B1 : tf_z(C1.v/(1 V))  num = [-0.5, 0], den = [1, -1], period = 0.0625 s
signal v = B1.y*(1 V), s = 2*B1.y"""
FUNCTIONS = """discrete v : V = 0 V, s = 0, x = 0, a = 0, b = 0
every 0.0625 s { b = C1.v/(1 V)/(1 + C1.v/(1 V)*(C1.v/(1 V)))
  a = 3*b + 1e6*(if t > 1.01 s then 1 else 0)
  x = pre(x) + sin(a) + cos(3*a) - sin(0.5)*exp(-pre(x)*pre(x))
  v = (atan2(x, a) + tan(0.1*a) + (1 + b*b)^b - tanh(x))*(1 V)
  s = log(1 + b*b) + asin(0.1*sin(a)) + acos(0.1*cos(a)) + sinh(0.1*b) + cosh(b) }"""
# With modes: the equations change at every switching, and the code goes on.
BUCK = """model buck
V1 : vsource(in, ground)  v = 24 V
S1 : switch(in, sw)  on = mod(t, 10 us) < duty*10 us
D1 : ideal_diode(ground, sw)
L1 : inductor(sw, out)  L = 47 uH
C1 : capacitor(out, ground)  C = 10 uF
R1 : resistor(out, ground)  R = 2 ohm
%s
output C1.v as v, L1.i as i, duty
simulate stop = 1 ms, points = 50
"""
BUCK_IN_C = """K1 : controller(C1.v)  source = "law.c", function = "duty", outputs = 1, states = 1, period = 10 us
signal duty = K1.y[1]"""
BUCK_AS_TEXT = """discrete duty = 0, z = 0
every 10 us { z = pre(z) + 0.01*(8 - C1.v/(1 V))
  duty = clamp(z, 0.05, 0.9) }"""
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("FAIL", what)


def check_positioning(program):
    """The example with its regulator as code: the numbers of the same system as text."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(here, "tests", "physics", "positioning.txt")) as file:
        wanted = [line.split() for line in file if not line.startswith("#")]
    times = sorted({float(w[1]) for w in wanted})
    for permission in ("--allow-native", "--trust-native"):
        done = subprocess.run([program, "run", os.path.join(here, "examples", "positioning", "model.lg"), permission, "--tol", "1e-10",
                               "-o", "-", "--times", ",".join(map(repr, times))], capture_output=True, text=True, timeout=600)
        rows = {float(row["time"]): row for row in csv.DictReader(io.StringIO(done.stdout))}
        check(len(rows) == len(times), "positioning %s: %s" % (permission, done.stderr))
        for name, t, value, tolerance in wanted:
            got = float(rows.get(float(t), {}).get(name, "nan"))
            check(abs(got - float(value)) <= float(tolerance), "positioning %s: %s(%s) = %r" % (permission, name, t, got))


def check_systems(run, folder):
    """A system that lacks something: told, nothing hangs, and with more of it the same run is good."""
    cache = os.path.join(folder, "other")
    model = MODEL % (IN_C % "step")
    usual = os.environ["XDG_CACHE_HOME"]

    def told(what, words, **environment):
        kept = dict(os.environ)
        for name, value in environment.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        code, rows, said = run(model, "--allow-native")
        os.environ.clear()
        os.environ.update(kept)
        check(code == (0 if words is None else 1) and (words or "") in said, "%s: %d %s" % (what, code, said))

    told("no compiler", "there is no C compiler", PATH=folder)
    with open(cache, "w"):
        pass
    told("a file for a folder", "no private folder", XDG_CACHE_HOME=cache)
    os.remove(cache)
    told("a cache of the home", None, XDG_CACHE_HOME=None, HOME=folder)
    told("an empty word for the cache", None, XDG_CACHE_HOME="", HOME=folder)
    check(os.path.isdir(os.path.join(folder, ".cache")), "the cache of the home")
    made = os.path.join(usual, os.listdir(usual)[0])
    os.chmod(made, 0o777)
    told("a cache that others write", "no private folder")
    os.chmod(made, 0o700)
    told("a cache of one's own", None)
    told("no home", None, XDG_CACHE_HOME=None, HOME="")
    if os.getuid() == 0:
        os.chown(made, 1, 1)
        told("a cache of another user", "no private folder")
        os.chown(made, 0, 0)


def check_damage(run, folder):
    """A cache whose files are folders or rubbish, a compiler that dies: told, and good again without that."""
    model = MODEL % (IN_C % "step")
    base = os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "damaged")
    cache = os.path.join(base, "cotree-%d" % os.getuid())
    for ending, words in (("log", "cannot be started"), ("i", "cannot be compiled"), ("c", "cannot be written"), ("out", "cannot be compiled")):
        code, _, said = run(model, "--allow-native", limit=lambda: os.makedirs(os.path.join(cache, "work-%d.%s" % (os.getpid(), ending)), 0o700))
        check(code == 1 and "E561" in said and words in said, "a folder for work.%s: %s" % (ending, said))
        for name in os.listdir(cache):
            os.rmdir(os.path.join(cache, name))
    for permission, words in (("--allow-native", "ended with status 127"), ("--trust-native", "cannot be started")):
        code, good, said = run(model, permission)
        check(code == 0 and len(os.listdir(cache)) == 1, "a cache with one file: " + said)
        made = os.path.join(cache, os.listdir(cache)[0])
        with open(made, "w") as file:
            file.write("rubbish")
        code, _, said = run(model, permission)
        check(code in (1, 3) and words in said, "rubbish in the cache: " + said)
        os.remove(made)
        check(run(model, permission)[1] == good, "a cache made anew")
        os.remove(made)
    compiler, path = os.path.join(folder, "cc"), os.environ["PATH"]
    os.environ["PATH"] = folder
    for text, words in (("kill -9 $$", "has not come to its end"), ("echo no licence; exit 3", "no licence"), ("exit 0", "E561")):
        with open(compiler, "w") as file:
            file.write("#!/bin/sh\n%s\n" % text)
        os.chmod(compiler, 0o700)
        code, _, said = run(model, "--allow-native")
        check(code == 1 and "E561" in said and words in said, "a compiler that does `%s`: %s" % (text, said))
    os.remove(compiler)
    os.environ["PATH"] = path


def limited(what, most):
    """For a child: at most so many files, or bytes in one; what is beyond fails, and does not end it."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(what, (most, most))
    return limit


def check_limits(run, folder):
    """Few files or short ones: a message instead of a run, or the run."""
    model, good, refused = MODEL % (IN_C % "step"), 0, 0
    rooms = [(resource.RLIMIT_NOFILE, n) for n in (4, 5, 6, 7, 8, 10, 64)] + [(resource.RLIMIT_FSIZE, n) for n in (1, 3000, 7000, 1 << 20)]
    for permission in ("--allow-native", "--trust-native"):
        for what, most in rooms:
            os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "few-%d-%d" % (what, most))
            code, _, said = run(model, permission, limit=limited(what, most))
            check(code == 0 or code == 1 and ("E561" in said or "E00" in said), "%s %d of %d: %d %s" % (permission, most, what, code, said))
            good, refused = good + (code == 0), refused + (code == 1)
    check(good > 3 and refused > 8, "few files: %d good, %d refused" % (good, refused))


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")

        def write(name, text):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)

        def run(text, *options, limit=None):
            write("model.lg", text)
            done = subprocess.run([program, "run", "model.lg", "--tol", "1e-10", "-o", "-", *options], cwd=folder,
                                  capture_output=True, text=True, timeout=600, preexec_fn=limit)
            return done.returncode, list(csv.reader(io.StringIO(done.stdout))), done.stderr

        write("law.h", "#define GAIN 0.5\n")
        write("law.c", CODE)
        code, rows, said = run(MODEL % (IN_C % "step"))
        check(code == 1 and "E560" in said and "--allow-native" in said, "code without permission")
        code, apart, said = run(MODEL % (IN_C % "step"), "--allow-native")
        check(code == 0 and len(apart) == 43, "code in a process of its own: " + said)
        code, inside, said = run(MODEL % (IN_C % "step"), "--trust-native")
        check(code == 0 and inside == apart, "code inside gives other rows: " + said)
        code, text, said = run(MODEL % AS_TEXT)
        check(code == 0 and text == apart, "the law as text gives other rows: " + said)
        code, block, said = run(MODEL % AS_BLOCK)
        check(code == 0 and block == apart, "the law as a block gives other rows: " + said)
        rows = [run(MODEL % FUNCTIONS)] + [run(MODEL % (IN_C % "functions"), p) for p in ("--allow-native", "--trust-native")]
        check(rows[0][0] == 0 and len(rows[0][1]) == 43 and rows[0][1] == rows[1][1] == rows[2][1],
              "functions in C give other bits than in text: " + rows[1][2])
        made = [n for n in os.listdir(os.path.join(folder, "cache", os.listdir(os.path.join(folder, "cache"))[0]))]
        check(len(made) == 4, "the cache has %s" % made)
        rows = [run(BUCK % law, "--allow-native") for law in (BUCK_IN_C, BUCK_AS_TEXT)]
        check(rows[0][0] == 0 and len(rows[0][1]) == 52, "code beside modes: " + rows[0][2])
        check(rows[0][1] == rows[1][1], "code beside modes gives other bits than text")
        write("law.h", "#define GAIN 0.25\n")
        code, other, said = run(MODEL % (IN_C % "step"), "--allow-native")
        check(code == 0 and other != apart, "a changed header is not seen")
        for function, word, exit_code in (("crash", "crashed", 3), ("endless", "has not ended within", 3),
                                          ("leaves", "ended with status 7", 3), ("forks", "crashed: Segmentation", 3),
                                          ("kills", "crashed: Terminated", 3), ("eats", "output 2", 3), ("hides", "its process is gone", 3), ("no_number", "output 2", 3),
                                          ("none_such", "cannot be compiled", 1), ("wrong", "must be: void wrong(double t", 1),
                                          ("swapped", "must be: void swapped(double t", 1), ("own", "cannot be compiled", 1)):
            code, rows, said = run(MODEL % (IN_C % function), "--allow-native")
            check(code == exit_code and word in said and "K1" in said, "%s: %s" % (function, said))
            check(exit_code == 1 or (len(rows) > 5 and "its inputs were 1, " in said), "%s keeps its rows" % function)
        # as long as both sides look at the memory that they share, nobody needs the files that are closed
        code, rows, said = run(MODEL % (IN_C % "closes"), "--allow-native")
        check(len(rows) == 43 if code == 0 else code == 3 and len(rows) > 5 and "its process ended with status 0" in said,
              "code that closes its files: " + said)
        for function, word in (("none_such", "none_such"), ("wrong", "must be: void wrong(double t"), ("own", "cannot be started")):
            code, rows, said = run(MODEL % (IN_C % function), "--trust-native")
            check(code == 1 and "E561" in said and word in said, "%s inside: %s" % (function, said))
        for function in ("talks", "changes"):
            code, rows, said = run(MODEL % (IN_C % function), "--allow-native")
            check(code == 0 and rows == other, "%s: other rows than its neighbour" % function)
            check(function != "talks" or said.count("a line of what it prints") == 33 * 20000, "what it prints is on standard error")
        code, rows, said = run(MODEL % (IN_C % "sleeps"), "--allow-native")
        check(code == 0 and len(rows) == 43, "code that is held up: " + said)
        for permission in ("--allow-native", "--trust-native"):
            for function, word in (("reads_beyond", "E563"), ("writes_beyond", "beyond its outputs"), ("more_states", "beyond its states")):
                code, rows, said = run(MODEL % (IN_C % function), permission)
                check(code == 3 and word in said and len(rows) > 5, "%s %s: %s" % (function, permission, said))
        rows = [run(MODEL % (IN_C % "sometimes"), permission)[1] for permission in ("--allow-native", "--trust-native")]
        check(len(rows[0]) == 43 and rows[0] == rows[1] and float(rows[0][-1][2]) == 1.3125, "outputs that are not set keep their values")
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        code, alone, said = run(MODEL % (IN_C % "step"), "--allow-native")
        check(code == 0 and alone == other, "code on one processor: " + said)
        check_positioning(program)
        check_systems(run, folder)
        check_damage(run, folder)
        check_limits(run, folder)
    print("%d failures" % failures)
    return failures > 0


sys.exit(main())
