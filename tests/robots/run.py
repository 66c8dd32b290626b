"""Robots of tests/robots in URDF, SDF or MJCF and in the model's own language: accelerations at random states must be equal.
Those of tests/robots/mjcf fall for half a second; MuJoCo 2.2.2 says where they are then (steps of 0.1 ms, RK4).

    run.py PROGRAM
"""
import json
import os
import random
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
PARTS = ("waist", "neck", "left", "right", "front_left", "front_right", "hind_left", "hind_right")
LEG = ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll")


MUJOCO = {
    "ball": {"b1": (0.13130967, 0.049383653, 1.0660112), "b2": (-0.28308133, 0.63860805, 0.88947885),
             "b3": (-0.43071551, 0.58588649, 0.76528311)},
    "walker": {"base": (1.4780346e-05, -9.614874e-06, 0.77562431), "up": (0.28178405, 0.018347543, 0.67405742),
               "low": (0.075450397, 0.14622713, 0.35456185), "tail": (-0.34170453, -0.058407378, 0.9988229)},
}


def evaluate(program, path, state):
    option = ["--state", ",".join("%s=%r" % x for x in state.items())] if state else []
    said = subprocess.run([program, "eval", path, "--json", *option], capture_output=True, text=True)
    if said.returncode:
        print(said.stderr or said.stdout)
        return None
    return json.loads(said.stdout)


def own_name(robot, name):
    """`left_knee` of the URDF is `left_leg.knee` of the text."""
    joint, variable = name.rsplit(".", 1)
    for part in sorted(PARTS, key=len, reverse=True):
        if robot in ("humanoid", "quadruped") and joint.startswith(part + "_"):
            rest = joint[len(part) + 1:]
            leg = "_leg" if robot == "humanoid" and rest in LEG else ""
            return "%s%s.%s.%s" % (part, leg, rest, variable)
    return name


def of_joint(name):
    return name.rsplit(".", 1)[1] in ("beta", "w", "s", "v")


def compare(program, robot, ending, dice):
    urdf, text = (os.path.join(FOLDER, robot + end) for end in (ending, ".lg"))
    start = evaluate(program, urdf, {})
    if not start:
        return ["%s cannot be evaluated" % urdf]
    state = {name: round(dice.uniform(-0.8, 0.8), 3) for name in start["states"] if of_joint(name)}
    if robot == "gripper":
        state = {name: x for name, x in state.items() if name.split(".")[0] in ("slide", "left_pad")}
    a = evaluate(program, urdf, state)
    b = evaluate(program, text, {own_name(robot, name): x for name, x in state.items()})
    if not a or not b:
        return ["%s cannot be evaluated at %s" % (robot, state)]
    rates = {name: x for name, x in a["derivatives"].items() if of_joint(name)}
    largest = max(abs(x) for x in rates.values())
    return ["%s: der(%s) is %r and %r" % (robot, name, x, b["derivatives"].get(own_name(robot, name)))
            for name, x in rates.items()
            if not abs(b["derivatives"].get(own_name(robot, name), float("nan")) - x) <= 1e-9 * (1 + largest)]


def places(program, robot, want):
    """Differences from MuJoCo's places of bodies."""
    text = subprocess.run([program, "convert", os.path.join(FOLDER, "mjcf", robot + ".xml")], capture_output=True, text=True).stdout
    names = ["%s.%s" % (body, axis) for body in want for axis in "xyz"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "robot.lg")
        with open(path, "w") as f:
            f.write(text + "output " + ", ".join(names) + "\n")
        said = subprocess.run([program, "run", path, "--times", "0.5", "--tol", "1e-9"], capture_output=True, text=True)
    if said.returncode:
        return [said.stderr]
    got = [float(x) for x in said.stdout.split("\n")[1].split(",")[1:]]
    return ["%s: %s is %r, by MuJoCo %r" % (robot, name, x, y)
            for name, x, y in zip(names, got, (y for body in want.values() for y in body)) if not abs(x - y) <= 6e-8]


def main():
    dice, wrong = random.Random(5), []
    robots = sorted(os.path.splitext(f) for f in os.listdir(FOLDER) if f.endswith((".urdf", ".sdf", ".xml")))
    for robot, ending in robots:
        for _ in range(3):
            wrong += compare(sys.argv[1], robot, ending, dice)
    for robot, want in MUJOCO.items():
        wrong += places(sys.argv[1], robot, want)
    print("\n".join(wrong + ["%d robots, %d differences" % (len(robots) + len(MUJOCO), len(wrong))]))
    sys.exit(len(wrong) > 0)


main()
