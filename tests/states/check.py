"""Mass matrices, bias, gravity, inverse and forward dynamics of models at given states: check.py PROGRAM.

NAME.txt beside this file: lines `state`, `q ...`, `u ...`, perhaps `a ...` and `tau ...`, then what must be there, as
`acceleration 3 0.25 1e-8`: which, of what (from 1), value, tolerance. The numbers come from recursive Newton and Euler and
were compared with absolute coordinates. M' - 2 C must be skew, and C u + g the bias.
"""
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def read(path):
    """The model and its states: numbers of q, u, a, tau and a list of what must be there."""
    model, states = None, []
    for words in (line.split() for line in open(path) if not line.startswith("#")):
        if words[0] == "model":
            model = words[1]
        elif words[0] == "state":
            states.append({"wanted": []})
        elif words[0] in ("q", "u", "a", "tau"):
            states[-1][words[0]] = np.array([float(w) for w in words[1:]])
        else:
            states[-1]["wanted"].append((words[0], words[1], float(words[2]), float(words[3])))
    return model, states


def load(program, model, folder):
    path = os.path.join(folder, model + ".py")
    subprocess.run([program, "dynamics", os.path.join(HERE, "..", "..", "models", model, "model.lg"), "-o", path], check=True)
    spec = importlib.util.spec_from_file_location(model, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda q, u, a: {k: np.array(v) for k, v in module.dynamics(q, u, a).items()}


def values(dynamics, state):
    n = len(state["q"])
    at = dynamics(state["q"], state["u"], state.get("a", np.zeros(n)))
    bias = dynamics(state["q"], state["u"], np.zeros(n))["tau"].ravel()
    forward = np.linalg.solve(at["M"], state.get("tau", np.zeros(n)) - bias)
    return {"M": at["M"], "C": at["C"], "gravity": at["g"].ravel(), "inverse": at["tau"].ravel(), "bias": bias,
            "acceleration": forward}


def skewness(dynamics, state, got, step=1e-5):
    """Of M' - 2 C, with M' by differences along u; and what C u + g and the bias differ by."""
    q, u = state["q"], state["u"]
    ahead, behind = (dynamics(q + h * u, u, 0 * u)["M"] for h in (step, -step))
    s = (ahead - behind) / (2 * step) - 2 * got["C"]
    return max(np.abs(s + s.T).max(), np.abs(got["C"] @ u + got["gravity"] - got["bias"]).max())


def main(program):
    compared = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(HERE, "*.txt"))):
            model, states = read(path)
            dynamics = load(program, model, folder)
            for number, state in enumerate(states, 1):
                got = values(dynamics, state)
                wanted = [(w, o, got[w][tuple(int(i) - 1 for i in o.split(","))], v, t) for w, o, v, t in state["wanted"]]
                wanted.append(("skewness", "", skewness(dynamics, state, got), 0, 1e-7))
                for what, of, value, want, tolerance in wanted:
                    compared += 1
                    if not abs(value - want) <= tolerance:
                        wrong += 1
                        print("%s, state %d: %s %s is %r, not %r" % (model, number, what, of, value, want))
    print("states: %d compared, %d wrong" % (compared, wrong))
    return wrong


sys.exit(main(os.path.abspath(sys.argv[1])) > 0)
