"""Random bouncing bodies: none goes through its floor, and infinitely many impacts end in rest.

One ball alone has a closed form. Of stacks, balls on a shaken table, pendulums that hit a stop and carts in the plane only
this is asked: bodies stay on their side, energy does not grow, and what must lie still at the end does. Beside many of them
stand circuits or dampers with equations that have no derivatives, because rest is found in other ways then.
"""
import math

from campaign import Campaign

G = 9.81


def number(dice, low, high):
    return float("%.4g" % dice.uniform(low, high))


def beside(dice):
    """Something with algebraic unknowns or modes that goes its own way, or nothing."""
    return dice.choice([
        "",
        "V9 : vsource(a9, ground)  v = sin(7*t)\nD9 : ideal_diode(a9, b9)\nL9 : inductor(b9, c9)  L = 0.3 H\n"
        "R9 : resistor(c9, ground)  R = 1 ohm\n",
        "V9 : vsource(a9, ground)  v = 1 V\nS9 : switch(a9, b9)  on = sin(9*t) > 0.3\nD9 : ideal_diode(ground, b9)\n"
        "L9 : inductor(b9, c9)  L = 0.3 H\nR9 : resistor(c9, ground)  R = 1 ohm\nC9 : capacitor(c9, ground)  C = 0.1 F\n",
        "V9 : vsource(a9, ground)  v = 0.4*sin(7*t)\nR9 : resistor(a9, b9)  R = 1 kohm\nD9 : diode(b9, c9)\n"
        "R8 : resistor(c9, ground)  R = 1 kohm\n",
        "element root9\n  port a, b : electrical\n  edge e(a, b)\n  0 = e.v - 1 ohm*e.i - 0.2*e.i^3\nend\n"
        "I9 : isource(ground, a9)  i = sin(5*t)\nN9 : root9(a9, b9)\nR9 : root9(b9, ground)\n"
        "C9 : capacitor(a9, ground)  C = 1 mF\n",
    ])


def ball_at(times, height, speed, e):
    """Height above the floor and speed, of one ball."""
    rows, t0, x0, v0 = [], 0.0, height, speed
    for t in times:
        while True:
            hit = t0 + (v0 + math.sqrt(v0 * v0 + 2 * G * x0)) / G
            if hit > t:
                rows.append((x0 + v0 * (t - t0) - G / 2 * (t - t0) ** 2, v0 - G * (t - t0)))
                break
            v = e * math.sqrt(v0 * v0 + 2 * G * x0)
            if v < 1e-9:
                rows.append((0.0, 0.0))
                break
            t0, x0, v0 = hit, 0.0, v
    return rows


def one_ball(case):
    dice = case.dice
    e, floor = dice.choice([0.0, number(dice, 0.1, 0.9), number(dice, 0.9, 0.97)]), dice.choice([0.0, number(dice, -3, 3), 1000.0])
    height, speed = dice.choice([0.0, number(dice, 0, 2), number(dice, 0, 2)]), dice.choice([0.0, number(dice, -2, 2)])
    if dice.random() < 0.15:  # it lies there from the begin
        height, speed = 0.0, 0.0
    mass = number(dice, 0.1, 5)
    how = dice.choice(["when ball.x < %r m { B.v = -e*pre(B.v) }" % floor, "I : impact(ground, ball)  e = e, length = %r m" % floor])
    text = ("param e = %r\nB : mass(ball)  m = %r kg, x(0) = %r m, v(0) = %r m/s\nW : force(ground, ball)  F = -%r N\n%s\n%s"
            "output ball.x as x, B.v as v\n" % (e, mass, floor + height, speed, mass * G, how, beside(dice)))
    first = (abs(speed) + math.sqrt(speed * speed + 2 * G * height)) / G + 0.1
    stop = first * (1 + 2.5 / (1 - e))
    times = sorted({number(dice, 0.001, stop) for _ in range(8)}) + [stop]
    answer = case.program.run(text + "simulate stop = %r s, tol = 1e-9\n" % stop, times)
    rows = answer.rows()
    if not case.check(rows is not None and len(rows) == len(times), answer.why(), text):
        return
    for row, (x, v) in zip(rows, ball_at(times, height, speed, e)):
        case.equal(row["x"] - floor, x, 3e-6, "x(%r)" % row["time"], text)


def stack(case):
    """Balls above each other: they keep their order, energy falls, in the end they lie upon each other."""
    dice = case.dice
    count, apart = dice.randint(2, 4), number(dice, 0, 0.2)
    lines, x = [beside(dice)], 0.0
    masses = [number(dice, 0.2, 4) for _ in range(count)]
    for i, m in enumerate(masses):
        x += apart + dice.choice([number(dice, 0.01, 1), number(dice, 0.01, 1), 0.0])
        lines.append("M%d : mass(b%d)  m = %r kg, x(0) = %r m\nW%d : force(ground, b%d)  F = -%r N" % (i, i, m, x, i, i, m * G))
        lines.append("I%d : impact(%s, b%d)  e = %r, length = %r m"
                     % (i, "b%d" % (i - 1) if i else "ground", i, number(dice, 0.05, 0.7), apart))
    lines.append("output " + ", ".join("b%d.x as x%d, M%d.v as v%d" % (i, i, i, i) for i in range(count)))
    text = "\n".join(lines) + "\nsimulate stop = 20 s, points = 2000\n"
    rows = run(case, text)
    last = math.inf
    for row in rows:
        energy = sum(m * (G * row["x%d" % i] + row["v%d" % i] ** 2 / 2) for i, m in enumerate(masses))
        low = min(row["x%d" % i] - (row["x%d" % (i - 1)] if i else 0) - apart for i in range(count))
        if not case.check(low > -1e-6, "a ball is %g below at t = %r" % (low, row["time"]), text) or \
                not case.check(energy <= last + 1e-6 * abs(last), "energy grows at t = %r" % row["time"], text):
            return
        last = energy
    for i in range(count if rows else 0):
        case.equal(rows[-1]["x%d" % i], apart * (i + 1), 1e-6, "x%d at the end" % i, text)
        case.equal(rows[-1]["v%d" % i], 0.0, 1e-6, "v%d at the end" % i, text)


def run(case, text):
    answer = case.program.run(text)
    rows = answer.rows()
    case.check(rows is not None, answer.why(), text)
    return rows or []


def shaken(case):
    """A ball on a table that moves: now it lies, now it flies."""
    dice = case.dice
    width, rate = number(dice, 0.01, 0.3), number(dice, 2, 12)
    drag = dice.choice(["", "element drag9\n  port a, b : translational\n  edge e(a, b)\n  e.F = 0.1*e.v*abs(e.v)\nend\n"
                        "Q9 : drag9(ground, ball)\n"])
    text = ("P : position_source(ground, table)  x = %r*sin(%r*t)\nB : mass(ball)  m = 1 kg, x(0) = %r m\n"
            "W : force(ground, ball)  F = -9.81 N\nI : impact(table, ball)  e = %r\n%s%s"
            "output ball.x - table.x as gap, ball.v - table.v as v\nsimulate stop = 10 s, points = 1000\n"
            % (width, rate, number(dice, 0, 1), dice.choice([0.0, number(dice, 0, 0.6)]), drag, beside(dice)))
    for row in run(case, text):
        if not case.check(row["gap"] > -1e-6, "the ball is %g below at t = %r" % (row["gap"], row["time"]), text):
            return


def swung(case):
    """A pendulum falls against a stop, and ends there: its angle at the stop is what holds."""
    dice = case.dice
    stop, e = number(dice, 0.1, 1.2), dice.choice([0.0, number(dice, 0.1, 0.8)])
    rod = dice.choice([False, True])
    more = ("B2 : body  m = 0.3 kg, I = 0.002 { p = [-0.1, 0] }\nJ2 : revolute(B.q, B2.p)\n"
            "D2 : torsion_damper(J2)  d = 0.5\n") if rod else ""
    text = ("space = planar\ngravity = [0, -9.81]\nB : body  m = 1 kg, I = 0.1 { p = [-0.5, 0], q = [0.5, 0] }\n"
            "J : revolute(ground, B.p)  beta(0) = %r, w(0) = 0\n%s%swhen J.beta < -%r { J.w = -%r*pre(J.w) }\n"
            "output J.beta as b, J.w as w\nsimulate stop = 30 s, points = 1000\n"
            % (number(dice, -stop, 1), more, beside(dice), stop, e))
    rows = run(case, text)
    for row in rows:
        if not case.check(row["b"] > -stop - 1e-6, "the pendulum is at %g at t = %r" % (row["b"], row["time"]), text):
            return
    if rows and not rod:
        case.equal(rows[-1]["b"], -stop, 1e-5, "b at the end", text)


def cart(case):
    """A body on two slides: it goes along, and bounces across."""
    dice = case.dice
    e, along = number(dice, 0.1, 0.9), number(dice, -2, 2)
    height = number(dice, 0.1, 2)
    text = ("space = planar\ngravity = [0, -9.81]\nB : particle  m = %r kg\n"
            "X : prismatic(ground, C)  s(0) = 0 m, v(0) = %r m/s\nC : body  m = %r kg, I = 1\n"
            "Y : prismatic(C, B)  axis = [0, 1], s(0) = %r m\nwhen Y.s < 0 { Y.v = -%r*pre(Y.v) }\n%s"
            "output X.s as x, Y.s as y\n" % (number(dice, 0.1, 3), along, number(dice, 0.1, 3), height, e, beside(dice)))
    stop = math.sqrt(2 * height / G) * (1 + e) / (1 - e) * 1.5
    times = sorted({number(dice, 0.001, stop) for _ in range(8)}) + [stop]
    answer = case.program.run(text + "simulate stop = %r s, tol = 1e-9\n" % stop, times)
    rows = answer.rows()
    if not case.check(rows is not None and len(rows) == len(times), answer.why(), text):
        return
    for row, (y, _) in zip(rows, ball_at(times, height, 0.0, e)):
        case.equal(row["y"], y, 3e-6, "y(%r)" % row["time"], text)
        case.equal(row["x"], along * row["time"], 1e-6, "x(%r)" % row["time"], text)


def main():
    campaign = Campaign("bounces", 12)
    for case in campaign:
        case.dice.choice([one_ball, one_ball, stack, stack, shaken, swung, cart])(case)
    campaign.close()


main()
