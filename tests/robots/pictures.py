"""Pictures of mechanisms in space: SVG that is well-formed, pages whose data are the motion, meshes of three kinds.

    pictures.py PROGRAM
"""
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = """space = spatial
gravity = [0, 0, -9.81] m/s^2
ground { table = box([1, 1, 0.1] m, at = [0, 0, -0.05] m), hook = [0, 0, 1] m }
arm : body  { rod = cylinder(0.03 m, 0.4 m, density = 2700 kg/m^3, at = frame([0.2, 0, 0] m, rotate(y, 90 deg)))
  ball = sphere(0.05 m, m = 1 kg, at = [0.4, 0, 0] m, color = [1, 0, 0]) }
bar : body  m = 1 kg, I = [0.1, 0.1, 0.1] kg.m^2, com = [0.2, 0, 0] m  { tip = [0.4, 0, 0] m }
J1 : revolute(ground, arm)     axis = y, beta(0) = 0.4
J2 : revolute(arm.ball, bar)    axis = z, w(0) = 1
K  : spring(ground.hook, bar.tip)  k = 20 N/m, l0 = 0.5 m
F  : force(ground, arm.ball)    F = [0, 0, 2*cos(t)]
output arm.x, bar.x, bar.y, bar.z, bar.tip.z as height
simulate stop = 1 s
"""
MESH = """space = spatial
arm : body  m = 1 kg, I = [1, 1, 1] kg.m^2  { skin = mesh("%s", [2, 1, 1]) }
J : revolute(ground, arm)
"""
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
wrong = []


def check(good, what):
    if not good:
        wrong.append(what)


def call(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=600)


def faces_of(path):
    tree = xml.parse(path)
    return [e for e in tree.iter("{http://www.w3.org/2000/svg}path") if e.get("d").endswith("Z")]


def data_of(path):
    text = open(path).read()
    found = re.search(r"const S=(\{.*?\n\});\n", text, re.S)
    body = re.sub(r"([{,\n])([a-z]+):", r'\1"\2":', found.group(1))
    return json.loads(re.sub(r",\s*([}\]])", r"\1", body)), text


def test_motion(program, folder):
    model, page, rows = (os.path.join(folder, f) for f in ("m.lg", "m.html", "m.csv"))
    open(model, "w").write(MODEL)
    said = call(program, "run", model, "--animate", page, "-o", rows, "--points", "40")
    check(said.returncode == 0 and not said.stderr, "animate: " + said.stderr)
    S, text = data_of(page)
    table = list(csv.DictReader(open(rows)))
    check(len(S["time"]) == len(table) == 41, "moments: %d" % len(S["time"]))
    for i, row in enumerate(table):
        place = S["pose"][i][12:15]
        near = all(abs(place[k] - float(row["bar." + "xyz"[k]])) < 1e-4 for k in range(3))
        check(near, "place of bar in row %d" % i)
    check([b["name"] for b in S["bodies"]] == ["ground", "arm", "bar"], "names of bodies")
    check(len(S["bars"]) == 1 and len(S["loads"]) == 1 and abs(S["force"][0][2] - 2) < 1e-9, "spring and force")
    check(all(len(f) >= 10 and (len(f) - 1) % 3 == 0 for b in S["bodies"] for f in b["faces"]), "faces")
    check("http" not in text.replace("http://www.w3.org", ""), "the page needs nothing from elsewhere")
    node = shutil.which("node")
    script = os.path.join(folder, "page.js")
    open(script, "w").write(text[text.index("<script>") + 8:text.index("</script>")])
    check(not node or subprocess.run([node, "--check", script]).returncode == 0, "the script can be read")
    said = call(program, "run", model, "--animate", os.path.join(folder, "m.svg"))
    check(said.returncode == 1 and "E901" in said.stderr, "moving SVG in space is refused")


def test_still(program, folder):
    model, picture = os.path.join(folder, "m.lg"), os.path.join(folder, "m.svg")
    check(call(program, "graph", model, "--draw", picture).returncode == 0, "draw")
    one = len(faces_of(picture))
    check(one > 50, "faces of the picture: %d" % one)
    check(call(program, "graph", model, "--draw", picture, "--views", "--names").returncode == 0, "views")
    check(len(faces_of(picture)) > 3 * one, "four views")
    check("from above" in open(picture).read() and ">bar</text>" in open(picture).read(), "titles and names")
    for robot in sorted(f for f in os.listdir(HERE) if f.endswith(".urdf")):
        said = call(program, "graph", os.path.join(HERE, robot), "--draw", picture)
        check(said.returncode == 0 and len(faces_of(picture)) > 20, robot + ": " + said.stderr)


def write_meshes(folder):
    with open(os.path.join(folder, "a.stl"), "w") as f:
        f.write("solid a\n")
        for face in FACES:
            f.write("facet normal 0 0 0\nouter loop\n")
            f.writelines("vertex %g %g %g\n" % CORNERS[i] for i in face)
            f.write("endloop\nendfacet\n")
        f.write("endsolid a\n")
    with open(os.path.join(folder, "b.stl"), "wb") as f:
        f.write(b"solid but binary".ljust(80) + struct.pack("<I", len(FACES)))
        for face in FACES:
            f.write(struct.pack("<12fH", 0, 0, 0, *[x for i in face for x in CORNERS[i]], 0))
    with open(os.path.join(folder, "c.obj"), "w") as f:
        f.writelines("v %g %g %g\n" % c for c in CORNERS)
        f.write("vn 0 0 1\n" + "".join("f %s\n" % " ".join("%d//1" % (i - 4 if k % 2 else i + 1) for i in face)
                                     for k, face in enumerate(FACES)))


def test_meshes(program, folder):
    model, page = os.path.join(folder, "mesh.lg"), os.path.join(folder, "mesh.html")
    write_meshes(folder)
    want = None
    for name in ("a.stl", "b.stl", "c.obj", "package://robot/a.stl", "file://" + os.path.join(folder, "b.stl")):
        open(model, "w").write(MESH % name)
        said = call(program, "run", model, "--stop", "1", "--animate", page)
        check(said.returncode == 0 and "W855" not in said.stderr, name + ": " + said.stderr)
        faces = sorted(f[1:] for f in data_of(page)[0]["bodies"][1]["faces"])
        want = want or faces
        check(faces == want and len(faces) == 4 and max(f[0] for f in faces) == 2, name + ": faces")
    for name, text in (("gone.stl", None), ("bad.obj", "v 1 2\nf 1 2 3\n"), ("far.obj", "v 1 2 3\nf 1 2 9\n"),
                       ("a.dae", "x"), ("short.stl", "solid\nvertex 1 2\n"), ("empty.stl", ""), ("nan.stl", "vertex nan 1 2\n" * 3)):
        if text is not None:
            open(os.path.join(folder, name), "w").write(text)
        open(model, "w").write(MESH % name)
        said = call(program, "run", model, "--stop", "1", "--animate", page)
        check(said.returncode == 0 and said.stderr.count("W855") == 1, name + ": " + said.stderr)
        check(len(data_of(page)[0]["bodies"][1]["faces"]) == 6, name + ": a box")


def test_fine_mesh(program, folder):
    n = 60
    grid = ["v %g %g %g\n" % (i / n, k / n, 0.1 * (i * k % 7) / 7) for i in range(n + 1) for k in range(n + 1)]
    face = ["f %d %d %d\n" % t for i in range(n) for k in range(n) for a in [i * (n + 1) + k + 1]
            for t in ((a, a + 1, a + n + 2), (a, a + n + 2, a + n + 1))]
    open(os.path.join(folder, "fine.obj"), "w").write("".join(grid + face))
    model, page = os.path.join(folder, "mesh.lg"), os.path.join(folder, "mesh.html")
    open(model, "w").write(MESH % "fine.obj")
    said = call(program, "run", model, "--stop", "1", "--animate", page)
    count = len(data_of(page)[0]["bodies"][1]["faces"])
    check(said.returncode == 0 and 500 < count <= 5000, "a fine mesh of 7200 triangles has %d" % count)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_motion, test_still, test_meshes, test_fine_mesh):
            test(sys.argv[1], folder)
    print("\n".join(wrong + ["pictures in space: %d wrong" % len(wrong)]))
    sys.exit(len(wrong) > 0)


main()
