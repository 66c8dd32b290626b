"""Files of robots that are wrong in one way each: a good one is changed, and the message must name what is wrong; and
good ones that are written in other ways.

    bad.py PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile

GOOD = """<?xml version="1.0"?>
<robot name="r">
  <link name="base"/>
  <link name="arm"><inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
  <link name="hand"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="b" type="prismatic"><parent link="arm"/><child link="hand"/><origin xyz="0 0 1"/><axis xyz="1 0 0"/></joint>
</robot>
"""
JOINT_B = '<joint name="b" type="prismatic"><parent link="arm"/><child link="hand"/>'

# what is replaced, by what, code, words of the message
CASES = [
    # XML
    ("</robot>\n", "", "E850", "no end"),
    ("</robot>\n", "</robots>", "E850", "closes another"),
    ("</robot>\n", "</robot><robot/>", "E850", "second element"),
    ("</robot>\n", "</robot>more", "E850", "outside"),
    ('name="r"', "name=r", "E850", "quotes"),
    ('name="r"', 'name="r', "E850", ""),
    ('name="r"', "name", "E850", "name="),
    ('name="r"', 'name="r" name="s"', "E850", "twice"),
    ('name="r"', 'name="a<b"', "E850", "&lt;"),
    ('name="r">', 'name="r"', "E850", ""),
    ('<link name="base"/>', "<!-- <link/>", "E850", "goes on"),
    ('<link name="base"/>', "< link/>", "E850", "no tag"),
    ('<link name="base"/>', '<link name="base"/></link>', "E850", "closes another"),
    ('<robot name="r">', '<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;">', "E851", "document types"),
    ('<robot name="r">', '<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot name="r">', "E851", "document types"),
    ('name="r"', 'name="&lol9;"', "E851", "entity"),
    ('name="r"', 'name="&amp"', "E851", "entity"),
    ('name="r"', 'name="&#x110000;"', "E851", "entity"),
    ('<link name="base"/>', '<link name="base"/>' + "<a>" * 300 + "</a>" * 300, "E108", "200"),
    (GOOD, "", "E850", "no element"),
    (GOOD, "{}", "E850", "outside"),
    ('name="r"', 'name="\udcff"', "E101", "UTF-8"),
    # values
    ('<robot name="r">', "<car>", "E850", "closes another"),
    (GOOD, "<car/>", "E852", "is no robot"),
    (GOOD, "<robot name='r'/>", "E853", "no links"),
    ('<mass value="2"/>', "<mass/>", "E852", "`value`"),
    ('<mass value="2"/>', '<mass value="two"/>', "E852", "`two` is not a number"),
    ('<mass value="2"/>', '<mass value="nan"/>', "E852", "not a number"),
    ('<mass value="2"/>', '<mass value="0x10"/>', "E852", "not a number"),
    ('<mass value="2"/>', '<mass value="1e999"/>', "E852", "not a number"),
    ('ixx="0.02"', "", "E852", "`ixx`"),
    ('rpy="0 0 0"', 'rpy="0 0"', "E852", "2 numbers instead of 3"),
    ('xyz="0 1 0"', 'xyz="0 1 0 0"', "E852", "4 numbers instead of 3"),
    ('xyz="0 1 0"', 'xyz="0 0 0"', "E852", "no direction"),
    ('type="revolute"', 'type="ball"', "E852", "`ball`"),
    ('type="revolute"', "", "E852", "`type`"),
    ('<link name="base"/>', "<link/>", "E852", "`name`"),
    ('<parent link="base"/>', "", "E852", "no <parent>"),
    ('<parent link="base"/>', "<parent/>", "E852", "`link`"),
    ('<link name="base"/>', '<xacro:link name="base"/>', "E852", "xacro"),
    # trees
    ('<parent link="base"/>', '<parent link="bse"/>', "E853", "did you mean `base`"),
    ('<child link="hand"/>', '<child link="hnd"/>', "E853", "did you mean `hand`"),
    ('<link name="base"/>', '<link name="base"/><link name="arm"/>', "E853", "`arm` is there twice"),
    ('name="b"', 'name="a"', "E853", "`a` is there twice"),
    ('<child link="hand"/>', '<child link="arm"/>', "E853", "child of two joints"),
    ('<parent link="base"/>', '<parent link="hand"/>', "E853", "circle"),
    ('<parent link="base"/>', '<parent link="arm"/>', "E853", "circle"),
    ('<link name="base"/>', '<link name="base"/><link name="lost"/>', "E853", "`lost` is joined to nothing"),
    (JOINT_B, JOINT_B + '<mimic joint="c"/>', "E853", "no joint `c`"),
    (JOINT_B, JOINT_B + '<mimic joint="b"/>', "E853", "circle"),
    ('<link name="base"/>', '<link name="base"><inertial><mass value="-1"/></inertial></link>', "E224", "must be >= 0"),
    # bodies
    ('ixx="0.02"', 'ixx="-0.02"', "E224", "negative"),
    ('ixy="0"', 'ixy="0.5"', "E224", "negative"),
    ('izz="0.04"', 'izz="0.4"', "W604", "no body has the inertia"),
    ('<mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>', "", "E605", ""),
]

SDF = """<sdf version="1.9"><model name="m">
<link name="a"><inertial><mass>1</mass></inertial></link>
<link name="b"><pose relative_to="a">0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link>
<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>
"""
SDF_CASES = [
    ("<xyz>0 1 0</xyz>", "<xyz>0 0 0</xyz>", "E852", "no direction"),
    ("<xyz>0 1 0</xyz>", '<xyz expressed_in="c">0 1 0</xyz>', "E852", "frame that is not read"),
    ('relative_to="a"', 'relative_to="c"', "E852", "frame that is not read"),
    ('relative_to="a"', 'relative_to="b"', "E852", "lead back"),
    ("0 0 1 0 0 0", "0 0 1", "E852", "3 numbers instead of 6"),
    ('type="revolute"', 'type="screw"', "E852", "`screw`"),
    ("<parent>a</parent>", "<parent>c</parent>", "E853", "no link `c`"),
    ("<parent>a</parent>", "", "E852", "no <parent>"),
    ('<link name="a">', '<include/><link name="a">', "E852", "<include>"),
    ("</model>", "</model><model name='n'/>", "E852", "several models"),
    ("</model>", "<plugin/></model>", "W854", "<plugin>"),
    ('<model name="m">', '<model name="m" placement_frame="a">', "E852", "`placement_frame`"),
    ("</axis>", "<initial_position>1</initial_position></axis>", "W854", "<initial_position>"),
    ("</axis>", '<mimic joint="k"><multiplier>2</multiplier></mimic></axis>', "E853", "no joint `k`"),
    ('type="revolute"><parent>a</parent><child>b</child><axis>', 'type="ball"><parent>a</parent><child>b</child><axis>'
     "<dynamics><friction>1</friction></dynamics>", "W854", "friction of spherical joints"),
]
MJCF = """<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1"/>
<body pos="0 0 1"><joint name="j" type="slide"/><geom size="0.1"/></body></body></worldbody></mujoco>
"""
MJCF_CASES = [
    ('axis="0 1 0"', 'axis="0 0 0"', "E852", "no direction"),
    ('type="slide"', 'type="glide"', "E852", "`glide`"),
    ('type="slide"', 'ref="1"', "E852", "`ref`"),
    ('type="box"', 'type="mesh" mesh="m"', "E852", "inertia of a mesh"),
    ('pos="0 0 1"', 'pos="0 0"', "E852", "2 numbers instead of 3"),
    ("<worldbody>", "<include file='x'/><worldbody>", "E852", "included files"),
    ("<worldbody>", "<tendon/><worldbody>", "W854", "<tendon>"),
    ('<body name="a">', '<body name="a"><camera/>', "W854", "<camera>"),
    ('<body name="a">', '<body name="a" gravcomp="1">', "W854", "`gravcomp` of bodies"),
    ('type="slide"', 'type="ball" stiffness="3"', "W854", "stiffness of spherical joints"),
    ('type="slide"', 'springdamper="0.1 1"', "W854", "`springdamper` of joints"),
    ("<worldbody>", '<option wind="1 0 0"/><worldbody>', "W854", "`wind` of <option>"),
    ("<worldbody>", '<compiler settotalmass="3"/><worldbody>', "W854", "`settotalmass` of <compiler>"),
    ("<worldbody>", '<compiler coordinate="global"/><worldbody>', "E852", "global coordinates"),
    ('size="0.1"/>', 'size="0.1" mass="-1"/>', "E224", "negative"),
    ("</worldbody>", '</worldbody><equality><joint joint1="j" joint2="k"/></equality>', "E853", "no joint `k`"),
]
# other ways to write the same robot
SAME = [
    ("urdf", GOOD, 'xyz="0 0 1" rpy="0 0 0"', 'xyz="0&#32;&#x30; &#49;" rpy=\'0 0 0\''),
    ("urdf", GOOD, '<link name="base"/>', "<!-- a <link> --><?no link?><link name='base'></link>"),
    ("sdf", SDF, "<mass>1</mass>", "<mass><!-- <kg> -->&#x31;<?none?><![CDATA[.0]]></mass>"),
    ("sdf", SDF, "<parent>a</parent>", "<parent> &#97; </parent>"),
] + [("sdf", SDF.replace("0 0 1 0 0 0", "0 0 1 1.5707963267948966 0 0").replace("0 1 0", "0 0 1"), "<xyz>0 0 1</xyz>",
      '<xyz expressed_in="%s">%s</xyz>' % axis) for axis in (("a", "0 -1 0"), ("__model__", "0 -1 0"), ("b", "0 0 1"))] + [
    ("sdf", SDF.replace("0 0 1 0 0 0", "0 0 1 1.5707963267948966 0 0"), '"a">0 0 1 1.5707963267948966 0 0', '"a" degrees="true">0 0 1 90 0 0'),
    ("sdf", SDF.replace("0 0 1 0 0 0", "0 0 1 1.5707963267948966 0 0").replace('"revolute"', '"universal"').replace(
        "</axis>", "</axis><axis2><xyz>0 0 1</xyz></axis2>"), "<xyz>0 0 1</xyz>", '<xyz expressed_in="a">0 -1 0</xyz>'),
    ("xml", MJCF, "<worldbody>", '<option gravity="0 0 -9.81"><flag gravity="enable"/></option><worldbody>'),
    ("xml", MJCF.replace("<worldbody>", '<option gravity="0 0 0"/><worldbody>'), '<option gravity="0 0 0"/>',
     '<option gravity="1 2 3"><flag gravity="disable"/></option>'),
]
FOLLOWING = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><link name="c"/>
<joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="k" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 1 0</xyz>
<mimic joint="j"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint></model></sdf>
"""
TITLES = [("a&amp;&lt;&gt;&apos;b", "a&<>'b"), ("&#228;&#x20ac;&#x1F600;", "\u00e4\u20ac\U0001f600")]
TURNED = ['euler="30 0 0"', 'axisangle="2 0 0 30"', 'xyaxes="3 0 0 1 0.8660254037844387 0.5"', 'zaxis="0 -1 1.7320508075688772"',
          'quat="0.9659258262890683 0.25881904510252074 0 0"']
PARTS = """<mujoco><worldbody><body name="a"><joint name="h" axis="0 1 0" stiffness="2" springref="30" armature="0.3"/>
<geom type="box" fromto="0 0 0 0 0 1" size="0.1"/><site name="tip" pos="0 0 1"/>
<body pos="0 0 1" %s><joint name="j" type="slide"/><geom size="0.1" rgba="1 0.5 0 1"/><geom type="box" size="0.1 0.2 0.3"/></body></body></worldbody></mujoco>
"""
WORDS = ["tip = [0, 0, 1] m", "box([0.2, 0.4, 0.6] m", "box([0.2, 0.2, 1] m, density = 1000 kg/m^3, at = [0, 0, 0.5] m)", "color = [1, 0.5, 0]",
         "J = 0.3 kg.m^2", "k = 2 N.m/rad, theta0 = 0.5235987755982988 rad", "rotate(x, 0.523598775598"]
MESHES = """<mujoco>%s<default><mesh scale="0.5 0.5 0.5"/></default><asset><mesh name="a" file="x/arm.stl"/>
<mesh file="x/hand.v2.obj" scale="1 2 3"/><mesh name="c" file="c.stl" scale="1 1 1"/></asset><worldbody><body name="b"><joint name="h"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="a"/><geom type="mesh" mesh="hand.v2"/><geom type="mesh" mesh="c"/>
<geom type="mesh" mesh="han"/></body></worldbody></mujoco>
"""
MESH_WORDS = ['mesh("%sx/arm.stl", [0.5, 0.5, 0.5])', 'mesh("%sx/hand.v2.obj", [1, 2, 3])', 'mesh("%sc.stl")\n', 'mesh("han")\n']
FOLDERS = [("", ""), ('<compiler meshdir="m"/>', "m/"), ('<compiler assetdir="all/of"/>', "all/of/"), ('<compiler assetdir="n" meshdir="m"/>', "m/")]
SKEW = ['axisangle="1 1 1 60"', 'quat="3 1 1 1"', 'xyaxes="2 2 -1 -1 2 2"', 'xyaxes="4 4 -2 1 4 1"']
LOCKED = ['xyaxes="0 0 -1 -0.5 0.8660254037844387 0"', 'quat="0.6830127018922194 -0.18301270189221933 0.6830127018922194 0.18301270189221933"'] # x points down: what turns about x and z is one angle
LOOSE = """<sdf version="1.9"><model name="m"><pose>1 2 3 0 0 0</pose>
<link name="a"><pose>0.5 0 0 0 0 0</pose><inertial><mass>1</mass></inertial></link></model></sdf>
"""
CIRCLES = [({"arm", "hand"}, [('<parent link="base"/>', '<parent link="hand"/>')]),
           ({"a", "b"}, [('<parent link="base"/>', '<parent link="base"/><mimic joint="b"/>'), (JOINT_B, JOINT_B + '<mimic joint="a"/>')])]
FILES = [("urdf", GOOD, CASES), ("sdf", SDF, SDF_CASES), ("xml", MJCF, MJCF_CASES)]


def check(program, folder, text, number, ending):
    path = os.path.join(folder, "r%d.%s" % (number, ending))
    with open(path, "wb") as f:
        f.write(text.encode("utf-8", "surrogateescape"))
    said = subprocess.run([program, "check", path], capture_output=True, text=True, timeout=600)
    return said.returncode, said.stdout + said.stderr


def converted(program, folder, text, ending):
    path = os.path.join(folder, "same." + ending)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return subprocess.run([program, "convert", path], capture_output=True, text=True, encoding="utf-8", timeout=600).stdout


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", text)]


def said_of(program, folder, text):
    path = os.path.join(folder, "said.urdf")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    said = subprocess.run([program, "check", "--json", path], capture_output=True, text=True, timeout=600).stdout
    return json.loads(said)["diagnostics"][0]


def marks(program, folder):
    """What a message marks lies in its line; of a large circle twenty links are named."""
    wrong = []
    for old, new, _, _ in CASES:
        text = GOOD.replace(old, new, 1)
        said, lines = said_of(program, folder, text), text.split("\n")
        good = 1 <= said["line"] <= len(lines) and 1 <= said["column"] and 0 <= said["width"]
        wrong += ["mark of %r: %s" % (new, said)] * (not good or said["column"] + said["width"] > len(lines[said["line"] - 1].encode(errors="surrogateescape")) + 2)
    name = [said_of(program, folder, GOOD.replace('name="r"', "name"))[k] for k in ("column", "width")]
    wrong += ["mark of an attribute: %s" % name] * (name != [8, 4])
    links = "".join('<link name="l%d"/><joint name="j%d" type="fixed"><parent link="l%d"/><child link="l%d"/></joint>' % (i, i, (i + 1) % 25, i)
                    for i in range(25))
    witness = said_of(program, folder, '<robot name="r"><link name="base"/>%s</robot>' % links)["witness"]
    wrong += ["circle of 25: %s" % witness] * (len(set(witness)) != 20 or len(witness) != 20)
    return wrong


def test_same(program, folder):
    """The same text comes from other spellings, and names keep their characters."""
    wrong = []
    for ending, good, old, new in SAME:
        want, got = (converted(program, folder, text, ending) for text in (good, good.replace(old, new)))
        wrong += [new] * (old not in good or not want or got != want)
    for written, meant in TITLES:
        text = converted(program, folder, GOOD.replace('name="r"', 'name="%s"' % written, 1), "urdf")
        wrong += [written] * (meant not in text.split("\n", 1)[0])
    for turn in TURNED:
        text = converted(program, folder, PARTS % turn, "xml")
        wrong += ["%s: %s" % (turn, words) for words in WORDS if words not in text]
    for compiler, where in FOLDERS:
        text = converted(program, folder, MESHES % compiler, "xml")
        wrong += [compiler + words for words in MESH_WORDS if words.replace("%s", where) not in text]
    wrong += [FOLLOWING] * ("beta = 2*j.beta + 0.3 rad" not in converted(program, folder, FOLLOWING, "sdf"))
    wrong += [LOOSE] * ("x(0) = 1.5 m, y(0) = 2 m, z(0) = 3 m" not in " ".join(converted(program, folder, LOOSE, "sdf").split()))
    for turns in (SKEW, LOCKED):
        skew = [numbers(converted(program, folder, PARTS % turn, "xml")) for turn in turns]
        for turn, found in zip(turns, skew):
            wrong += [turn] * (not found or len(found) != len(skew[0]) or any(abs(a - b) > 1e-12 for a, b in zip(found, skew[0])))
    for names, changes in CIRCLES:
        text = GOOD
        for old, new in changes:
            text = text.replace(old, new, 1)
        said = said_of(program, folder, text)
        wrong += ["circle of %s: %s" % (names, said)] * (sorted(said["witness"]) != sorted(names))
    wrong += marks(program, folder)
    for one in wrong:
        print("not read as it should be: " + one)
    return len(wrong)


def test_file(program, folder, ending, good, cases):
    wrong = 0
    code, said = check(program, folder, good, 0, ending)
    if code or "no complaints" not in said:
        wrong += 1
        print("the good robot is refused: " + said)
    for number, (old, new, want, words) in enumerate(cases, 1):
        code, said = check(program, folder, good.replace(old, new, 1), number, ending)
        place = "r%d.%s:" % (number, ending) in said
        if "[%s]" % want not in said or words not in said or not place or (code == 0) != (want[0] == "W") or code > 10:
            wrong += 1
            print("%r instead of %r: wanted %s %r, exit %d: %s" % (new[:60], old[:40], want, words, code, said[:300]))
    return wrong


def main():
    with tempfile.TemporaryDirectory() as folder:
        wrong = sum(test_file(sys.argv[1], folder, *f) for f in FILES) + test_same(sys.argv[1], folder)
    print("%d robots, %d wrong" % (sum(len(f[2]) + 1 for f in FILES), wrong))
    sys.exit(wrong > 0)


main()
