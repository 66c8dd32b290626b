"""Names and values: params, defaults, limits, consts, functions, elements and nested systems with equal names.

Every model is a voltage of 1 V over resistances between one node and ground, so that each current is 1/R. What R is
follows from keys, defaults and --set by the rules of scope, which are worked out here a second time: a default sees the
names of its own element or system, a key those of the place where it is written.
"""
from campaign import Campaign

POOL = ["R", "Q", "k", "a", "R0", "gain"]


class Expr:
    """A text, and its value in an environment {name: number}; always positive, in ohm."""

    def __init__(self, text, value):
        self.text, self.value = text, value


def literal(dice, bare=False):
    number = dice.choice([1, 2, 3, 5, 7, 10, 0.5, 2.5])
    return Expr("%g" % number if bare else "%g ohm" % number, lambda env: number)


def named(name):
    return Expr(name, lambda env: env[name])


def expression(dice, types, functions, depth=0):
    """types: {name: "ohm" or "pure"} of what is visible."""
    ohm = [n for n in types if types[n] == "ohm"]
    pure = [n for n in types if types[n] == "pure"]
    kind = dice.random()
    if depth > 2 or kind < 0.35:
        return named(dice.choice(ohm)) if ohm and dice.random() < 0.75 else literal(dice)
    x = expression(dice, types, functions, depth + 1)
    if kind < 0.5:
        if pure and dice.random() < 0.6:
            n = dice.choice(pure)
            return Expr("%s*(%s)" % (n, x.text), lambda env: env[n] * x.value(env))
        c = dice.choice([2, 3, 0.5])
        return Expr("%g*(%s)" % (c, x.text), lambda env: c * x.value(env))
    y = expression(dice, types, functions, depth + 1)
    if kind < 0.7:
        return Expr("(%s) + (%s)" % (x.text, y.text), lambda env: x.value(env) + y.value(env))
    if kind < 0.8:
        return Expr("max(%s, %s)" % (x.text, y.text), lambda env: max(x.value(env), y.value(env)))
    if functions and kind < 0.92:
        f = dice.choice(functions)
        z = [x] + [y] * (len(f.args) - 1)
        return Expr("%s(%s)" % (f.name, ", ".join(e.text for e in z)),
                    lambda env: f.body.value(dict(zip(f.args, [e.value(env) for e in z]))))
    z = expression(dice, types, functions, depth + 1)
    return Expr("(%s)*(%s)/(%s)" % (x.text, y.text, z.text),
                lambda env: x.value(env) * y.value(env) / z.value(env))


class Function:
    def __init__(self, dice, name, known):
        self.name, self.args = name, dice.sample(POOL, dice.randint(1, 2))
        self.body = expression(dice, {a: "ohm" for a in self.args}, known, 1)

    def text(self):
        return "function %s(%s) = %s\n" % (self.name, ", ".join(self.args), self.body.text)


class Declared:
    """Params and consts of the model, a system or an element; they may be written in any order."""

    def __init__(self, dice, functions, must_have_values=False):
        names = dice.sample(POOL, dice.randint(1, 4))
        self.const = {names.pop(): dice.randint(1, 3)} if len(names) > 1 and dice.random() < 0.5 else {}
        self.params, self.default, self.limit, self.unit = names, {}, {}, {}
        seen = {c: "pure" for c in self.const}
        for n in names:
            self.unit[n] = dice.random() < 0.6
            if must_have_values or dice.random() < 0.8:
                self.default[n] = expression(dice, seen, functions)
            seen[n] = "ohm"
        self.types = seen
        for n in names:
            others = {m: "ohm" for m in names if m != n}
            if dice.random() < 0.06:
                self.limit[n] = (dice.choice([">", ">=", "<"]), expression(dice, others, functions, 2))

    def lines(self, dice):
        out = ["const %s = %d" % item for item in self.const.items()]
        for n in self.params:
            text = "param " + n + (" : ohm" if self.unit[n] or n not in self.default else "")
            if n in self.limit:
                text += " %s %s" % (self.limit[n][0], self.limit[n][1].text)
            out.append(text + (" = " + self.default[n].text if n in self.default else ""))
        dice.shuffle(out)
        return out

    def settle(self, given, path, world):
        """The environment inside, from the values given outside; limits are judged."""
        env = {}
        for c, number in self.const.items():
            env[c] = world.over(path, c, given.get(c, number))
        for n in self.params:
            env[n] = world.over(path, n, given[n] if n in given else self.default[n].value(env))
        for n, (relation, bound) in self.limit.items():
            world.judge(env[n], relation, bound.value(env))
        return env


class World:
    """What a model is worth with these values of --set."""

    def __init__(self, sets):
        self.sets, self.violated, self.close = sets, False, False
        self.columns, self.values = {}, {}

    def over(self, path, name, value):
        full = path + name if path is not None else None
        if full is not None:
            value = self.sets.get(full, value)
            self.values[full] = value
        return value

    def judge(self, value, relation, bound):
        self.close |= abs(value - bound) < 1e-9 * abs(bound)
        good = {">": value > bound, ">=": value >= bound, "<": value < bound}[relation]
        self.violated |= not good


class Element:
    def __init__(self, dice, name, functions):
        self.name, self.inner = name, Declared(dice, functions)
        self.law = expression(dice, self.inner.types, functions)

    def text(self, dice):
        body = ["port p, n : electrical", "edge e(p, n)"] + self.inner.lines(dice) + ["e.v = (%s)*e.i" % self.law.text]
        return "element %s\n  %s\nend\n" % (self.name, "\n  ".join(body))

    def unfold(self, path, given, world):
        env = self.inner.settle(given, None, world)
        for n in self.inner.params:
            world.values[path + "." + n] = env[n]
        world.values[path + ".i"] = 1 / self.law.value(env)


class Resistor:
    name = "resistor"
    inner = type("", (), {"params": ["R"], "default": {}, "const": {}})()

    def unfold(self, path, given, world):
        world.values[path + ".R"], world.values[path + ".i"] = given["R"], 1 / given["R"]


class Use:
    """A component: its type, and keys over the names of where it stands."""

    def __init__(self, dice, name, what, types, functions):
        self.name, self.what, self.keys = name, what, {}
        for n in what.inner.params:
            if n not in what.inner.default or dice.random() < 0.5:
                self.keys[n] = expression(dice, types, functions)
        for c in what.inner.const:
            if dice.random() < 0.4:
                number = dice.randint(1, 3)
                self.keys[c] = Expr("%d" % number, lambda env, n=number: n)

    def text(self, node):
        keys = ", ".join("%s = %s" % (n, e.text) for n, e in self.keys.items())
        port = node if isinstance(self.what, System) else node + ", ground"
        return "%s : %s(%s)  %s" % (self.name, self.what.name, port, keys)

    def unfold(self, path, env, world, name=None):
        given = {n: e.value(env) for n, e in self.keys.items()}
        self.what.unfold(path + (name or self.name), given, world)


class Body:
    """Components, a repeat and outputs: of a system, or of the model itself."""

    def __init__(self, dice, types, functions, kinds, node):
        self.node, self.functions = node, functions
        self.uses = [Use(dice, n, dice.choice(kinds), types, functions) for n in dice.sample(POOL, dice.randint(1, 3))]
        self.repeat = None
        if dice.random() < 0.5:
            index = dice.choice(POOL + ["i"])
            inside = dict(types, **{index: "pure"})
            count = dice.choice([n for n in types if types[n] == "pure"] or ["2"])
            self.repeat = (index, count, Use(dice, "X_{%s}" % index, dice.choice([k for k in kinds if not isinstance(
                k, System)]), inside, functions))
        self.shown = [(u, dice.choice(["%s", "%s", "2*%s", "%s as y" + u.name])) for u in self.uses
                      if not isinstance(u.what, System) and dice.random() < 0.6]

    def lines(self):
        out = [u.text(self.node) for u in self.uses]
        if self.repeat:
            out.append("repeat %s = 1..%s { %s }" % (self.repeat[0], self.repeat[1], self.repeat[2].text(self.node)))
        return out + ["output " + form % (u.name + ".i") for u, form in self.shown]

    def unfold(self, path, env, world):
        for u in self.uses:
            u.unfold(path, env, world)
        if self.repeat:
            index, count, use = self.repeat
            for i in range(1, int(env.get(count, 2)) + 1):
                use.unfold(path, dict(env, **{index: i}), world, "X_%d" % i)
        for u, form in self.shown:
            current, text = world.values[path + u.name + ".i"], form % (u.name + ".i")
            plain = text.split(" as ")[-1]
            name = path + ("(%s)" % plain if path and plain.startswith("2*") else plain)
            world.columns[name] = current * (2 if plain.startswith("2*") else 1)


class System:
    def __init__(self, dice, name, functions, kinds):
        self.name, self.inner = name, Declared(dice, functions)
        self.body = Body(dice, self.inner.types, functions, kinds, "p")

    def text(self, dice):
        lines = self.inner.lines(dice) + self.body.lines()
        return "system %s(p : electrical)\n  %s\nend\n" % (self.name, "\n  ".join(lines))

    def unfold(self, path, given, world):
        env = self.inner.settle(given, path + ".", world)
        self.body.unfold(path + ".", env, world)


class Model:
    def __init__(self, dice):
        self.functions = []
        for k in range(dice.randint(0, 2)):
            self.functions.append(Function(dice, "f%d" % k, list(self.functions)))
        kinds = [Resistor()]
        self.definitions = [Element(dice, "el%d" % k, self.functions) for k in range(dice.randint(1, 2))]
        kinds += self.definitions
        for k in range(dice.randint(1, 3)):
            self.definitions.append(System(dice, "sys%d" % k, self.functions, list(kinds)))
            kinds.append(self.definitions[-1])
        self.own = Declared(dice, self.functions, True)
        self.body = Body(dice, self.own.types, self.functions, kinds, "top")

    def text(self, dice, world):
        parts = [f.text() for f in self.functions] + [d.text(dice) for d in self.definitions]
        parts += ["\n".join(self.own.lines(dice) + self.body.lines()) + "\n"]
        read = [p for p in world.values if "." in p and p not in world.columns]
        read = dice.sample(read, min(len(read), 12))
        parts += ["V1 : vsource(top, ground)  v = 1 V\noutput top.v%s\n" % "".join(", " + p for p in read)]
        dice.shuffle(parts)
        return "".join(parts), read

    def unfold(self, sets):
        world = World(sets)
        self.body.unfold("", self.own.settle({}, "", world), world)
        return world


def settings(dice, model, world):
    """Some of the values, with other ones; a name that is given twice has the last one."""
    open_names = [n for n in world.values if n.rsplit(".", 1)[-1] in POOL and n not in model.own.const]
    open_names = [n for n in open_names if is_quantity(model, n)]
    sets, options = {}, []
    for n in dice.sample(open_names, min(len(open_names), dice.choice([0, 0, 1, 2]))):
        for _ in range(dice.choice([1, 1, 2])):
            sets[n] = dice.choice([4, 6, 8.5])
            options += ["--set", "%s=%g" % (n, sets[n])]
    return sets, options


def is_quantity(model, full):
    """A param of the model or of a system; those of elements and consts are no matter of --set here."""
    *path, name = full.split(".")
    body, inner = model.body, model.own
    for step in path:
        use = next((u for u in body.uses if u.name == step), None)
        if not use or not isinstance(use.what, System):
            return False
        body, inner = use.what.body, use.what.inner
    return name in inner.params


campaign = Campaign("names", 120)
for case in campaign:
    model = Model(case.dice)
    text, read = model.text(case.dice, model.unfold({}))
    sets, options = settings(case.dice, model, model.unfold({}))
    world = model.unfold(sets)
    if world.close:
        continue
    options += ["--form", case.dice.choice(["nodal", "branch-chord", "tableau", "numeric"])]
    said = case.program.run(text, [0.0], *options)
    shown = text + " ".join(options)
    if world.violated:
        case.check(said.code != 0 and "E224" in said.err, "a limit is violated and nothing said: " + said.why(), shown)
        continue
    rows = said.rows()
    if not case.check(rows is not None, said.why(), shown):
        continue
    want = dict(world.columns, **{"time": 0.0, "top.v": 1.0}, **{p: world.values[p] for p in read})
    header = said.out.splitlines()[0].split(",")
    case.check(sorted(header) == sorted(want), "columns are %s, right is %s" % (header, sorted(want)), shown)
    for name, value in want.items():
        case.equal(rows[0].get(name), value, 1e-9 * abs(value), name, shown)
campaign.close()
