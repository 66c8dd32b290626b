"""Drives, sampled controllers and networks of signal blocks: seconds for a second, microseconds a call, growth."""
import os

from table import NONE, Figure, Row

CODE = """void step(double t, const double *u, double *y, double *state)
{
    (void)t;
    state[0] += 1e-3*(1 - u[0]);
    y[0] = 2*(1 - u[0]) + state[0];
}
"""
CALLS = 50000
LOOP = """model loop
V1 : vsource(a, ground)    v = v*(1 V)
R1 : resistor(a, b)        R = 1 ohm
C1 : capacitor(b, ground)  C = 0.5 F
%s
output C1.v
simulate stop = 0.5 s, points = 10
"""
IN_C = """K1 : controller(C1.v/(1 V))  source = "law.c", function = "step", outputs = 1, states = 1, period = 10 us
signal v = K1.y"""
HELD = "discrete v = 0\nevery 10 us { v = 2*(1 - C1.v/(1 V)) }"
BLOCKS = ("filter(s%d)  T = 0.2 s", "saturate(s%d)  lo = -0.9, hi = 0.9", "deadzone(s%d)  width = 1e-4",
          "tf(s%d)  num = [1, 2], den = [0.1, 1, 2]")


def blocks(n):
    lines = ["model chain", "signal s0 = sin(3*t)"]
    for k in range(n):
        lines += ["B%d : %s" % (k, BLOCKS[k % 4] % k), "signal s%d = B%d.y" % (k + 1, k)]
    return "\n".join(lines + ["output s%d as y" % n, "simulate stop = 1"])


def drive(tools, models):
    """Instants of switches are found to rounding; short runs count the derivation, the long one all that the program does."""
    with open(os.path.join(models, "inverter_drive", "model.lg")) as file:
        text = file.read()
    for span, points, of, note in ((0.05, 500, "cpu_seconds", "50 ms"), (0.05, 50000, "cpu_seconds", "50 ms, a row every 1 us"),
                                   (0.5, 500000, "process_seconds", "500 ms, a row every 1 us, with 57 MB of CSV written")):
        run = tools.simulate(text, "--stop", str(span), "--points", str(points), times=5)
        yield Row("machines", "inverter drive, seconds a second", points, "s", Figure(run[0][of] / span) if run else NONE,
                  most=1, note=note)


def controllers(tools):
    """What a call takes: of both processes, or inside, less a run whose clock does hardly anything."""
    tools.write("law.c", CODE)
    alone = tools.simulate(LOOP % HELD, times=5)[0]
    for task, option, of, most in (("controller in C, own process", "--allow-native", "process_seconds", 20),
                                   ("controller in C, inside", "--trust-native", "motion_seconds", 0.2)):
        run = tools.simulate(LOOP % IN_C, option, times=5)
        figure = Figure(max(run[0][of] - alone[of], 0) / CALLS * 1e6) if run else NONE
        yield Row("machines", task, None, "us", figure, most=most, note="a call, of %d" % CALLS)


def signals(tools):
    for n in (500, 1000, 2000, 4000):
        code, seconds, _, _ = tools.cotree("run", blocks(n), "-o", tools.path("rows.csv"), times=3)
        yield Row("machines", "signal blocks, run of 1 s", n, "s", NONE if code else Figure(seconds))


def rows(tools, models):
    yield from drive(tools, models)
    yield from controllers(tools)
    yield from signals(tools)
