"""Chains in space whose joints have several freedoms, some of them driven or loaded, in random trees of both graphs: motions,
accelerations, reactions and what drivers need are those of the tree of joints, which needs no constraints."""
from campaign import Campaign

# joint: angles, slides, keys
KINDS = {"revolute": (1, 0, ""), "cylindrical": (1, 1, ""), "universal": (2, 0, ""), "gimbal": (3, 0, ""), "planar": (1, 2, ""),
         "free": (3, 3, "angles = zyx")}


def vector(dice, size):
    return "[%s]" % ", ".join("%.3f" % dice.uniform(-size, size) for _ in range(3))


def inertia(dice):
    d, e = [dice.uniform(0.4, 0.6) for _ in range(3)], [dice.uniform(-0.05, 0.05) for _ in range(3)]
    return "[%f, %f, %f; %f, %f, %f; %f, %f, %f]" % (d[0], e[0], e[1], e[0], d[1], e[2], e[1], e[2], d[2])


def words(kind):
    """Place, speed, acceleration, driver and element for each freedom."""
    turns, slides, _ = KINDS[kind]
    own = [("beta", "w", "alpha", "drive_q[1]", "torsion_spring")] if turns == 1 else [
        ("q[%d]" % i, "w[%d]" % i, "alpha[%d]" % i, "drive_q[%d]" % i, "torsion_spring") for i in range(1, turns + 1)]
    own += [("s", "v", "a", "drive_s[1]", "spring")] if slides == 1 else [
        ("s[%d]" % i, "v[%d]" % i, "a[%d]" % i, "drive_s[%d]" % i, "spring") for i in range(1, slides + 1)]
    return own


def joint(dice, i, kind, tail):
    """Lines of the joint, and what is read of it."""
    own, keys, lines, driven = words(kind), [KINDS[kind][2]] if KINDS[kind][2] else [], [], []
    for place, speed, _, drive, element in own:
        begin = dice.uniform(-0.6, 0.6)
        if dice.random() < 0.25 and len(own) > 1:
            keys.append("%s = %.3f + %.3f*sin(%.2f*t)" % (place, begin, dice.uniform(-0.3, 0.3), dice.uniform(1, 3)))
            driven.append(drive)
            continue
        keys += ["%s(0) = %.3f" % (place, begin), "%s(0) = %.3f" % (speed, dice.uniform(-1, 1))]
        if dice.random() < 0.3:
            lines.append("K%d_%d : %s(J%d.%s)  k = %.2f" % (i, len(lines), element, i, place, dice.uniform(5, 20)))
    lines.insert(0, "J%d : %s(%s, b%d.A)  %s" % (i, kind, tail, i, ", ".join(keys)))
    read = [w for word in own for w in word[:2]] + [dice.choice(own)[2]] + (driven if len(driven) > 1 else [])
    read += [] if kind == "free" else ["F", "T"]
    return lines, ["J%d.%s" % (i, w) for w in read]


def model(dice, count):
    lines = ["model mixed", "space = spatial", "gravity = " + vector(dice, 9), "ground { P = %s }" % vector(dice, 0.5)]
    read = []
    for i in range(1, count + 1):
        lines.append("b%d : body  m = %.3f, I = %s, com = %s  { A = %s, B = %s }" % (
            i, dice.uniform(1, 3), inertia(dice), vector(dice, 0.1), vector(dice, 0.4), vector(dice, 0.4)))
        own, seen = joint(dice, i, dice.choice(list(KINDS)), "b%d.B" % (i - 1) if i > 1 else "ground.P")
        lines += own
        read += seen + ["b%d.%s" % (i, w) for w in ("r", "omega", "a", "alpha")]
    return "\n".join(lines) + "\noutput kinetic() as energy, %s\n" % ", ".join(read)


def tree(dice, count):
    return ", ".join("%s%d" % (dice.choice("bJ"), i) for i in range(1, count + 1))


def rows(case, text, wish):
    said = case.program.run(text, [0.0, 0.15], "--tree", wish, "--tol", "1e-9")
    got = said.rows()
    return got if case.check(got is not None, "no answer, --tree '%s': %s" % (wish, said.why()), text) else None


def main():
    campaign = Campaign("mixed", 8)
    for case in campaign:
        count = case.dice.randint(1, 3)
        text = model(case.dice, count)
        want = rows(case, text, ", ".join("J%d" % i for i in range(1, count + 1)))
        for _ in range(2):
            wish = "translational: %s; rotational: %s" % (tree(case.dice, count), tree(case.dice, count))
            got = rows(case, text, wish) if want else None
            if not got:
                continue
            size = max(abs(v) for row in want for v in row.values())
            far = [(abs(g[k] - w[k]), k, g["time"], g[k], w[k]) for g, w in zip(got, want) for k in w]
            case.check(max(far)[0] <= 1e-6 * (1 + size), "%s: %s off by %.1e at %g: %r, right is %r" % ((wish, max(far)[1], max(far)[0]) + max(far)[2:]), text)
    campaign.close()


if __name__ == "__main__":
    main()
