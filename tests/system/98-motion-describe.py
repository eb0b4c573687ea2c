#!/usr/bin/env python3
"""troupe motion: descriptions of robots, in words and as JSON, and errors with their place.
argv: the troupe program, source root."""
import json
import pathlib
import re
import sys
import tempfile

import tap
from cli import says, troupe, usage

ROBOTS = pathlib.Path(sys.argv[2]) / "robots"

ARM = """<robot name="arm">
  <link name="table"/>
  <link name="upper"><inertial><mass value="2.5"/></inertial></link>
  <link name="tool"/>
  <link name="finger"/>
  <joint name="lift" type="revolute">
    <parent link="table"/><child link="upper"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1.5" velocity="2" effort="30"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="upper"/><child link="tool"/></joint>
  <joint name="close" type="prismatic">
    <parent link="tool"/><child link="finger"/><axis xyz="0 2 2"/>
    <limit lower="0" upper="0.1" velocity="1" effort="1e20"/><mimic joint="lift" multiplier="0.05" offset="-0.01"/>
  </joint>
  <troupe>
    <joint name="lift" acceleration="4" servo="position force"/>
    <frame name="tip" link="tool" servo="speed"><origin xyz="0 0 0.2" rpy="0 0 1.5"/></frame>
  </troupe>
</robot>
"""

DESCRIBED = """arm: 4 links, 4 joints, 2 dofs, 1 control frame, 2.5 kg

JOINT > LINK             AXIS       LOWER   UPPER   SPEED   ACCEL   FORCE SERVO
base: world > table  fixed
lift > upper             turn   y      -1     1.5       2       4      30 pf
mount > tool  fixed
close > finger           slide  *       0     0.1       1      ~5       - =
                         axis 0 0.7071 0.7071
                         0.05 * lift - 0.01

Units: rad, rad/s, rad/s2 and Nm of turns; m, m/s, m/s2 and N of slides.
- is no limit.
SERVO: the dof takes p set-points, s speeds, f forces; = follows a dof.
~ is assumed, as the file has no acceleration: SPEED in 0.2 s.

Control frames
  tip on tool, s
    at 0 0 0.2 m, turned 0 0 1.5 rad

Warnings
  line 3: link upper: the inertia is not positive
  line 11: joint close: the axis has the length 2.82843 instead of 1
"""


def file_with(text, folder, name="x.urdf"):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    return str(path)


def described(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        return troupe("motion", "describe", file_with(text, folder), *options)


def a_robot_is_described():
    result = described(ARM)
    tap.equal((result.returncode, result.stderr, result.stdout), (0, "", DESCRIBED))


def json_has_everything():
    robot = json.loads(described(ARM, "--json").stdout)
    tap.equal((robot["name"], robot["root"]), ("arm", "table"))
    tap.equal([link["name"] for link in robot["links"]], ["table", "upper", "tool", "finger"])
    tap.equal([link["mass"] for link in robot["links"]], [0, 2.5, 0, 0])
    base, lift, mount, close = robot["joints"]
    tap.equal((base["parent"], base["child"], base["dofs"]), (None, "table", []))
    tap.equal((lift["parent"], lift["child"], lift["position"]), ("table", "upper", [0, 0, 0.5]))
    tap.equal(lift["dofs"], [{
        "type": "revolute", "axis": [0, 1, 0], "lower": -1, "upper": 1.5, "velocity": 2, "force": 30, "acceleration": 4,
        "assumed_acceleration": False, "servo": ["position", "force"]}])
    tap.equal(mount["rotation"], [1, 0, 0, 0, 1, 0, 0, 0, 1])
    dof = close["dofs"][0]
    tap.equal((dof["force"], dof["acceleration"], dof["assumed_acceleration"], dof["servo"]), ("Infinity", 5, True, []))
    tap.equal(dof["follows"], {"joint": "lift", "dof": 0, "multiplier": 0.05, "offset": -0.01})
    frame = robot["frames"][0]
    tap.equal((frame["name"], frame["link"], frame["position"], frame["servo"]), ("tip", "tool", [0, 0, 0.2], ["speed"]))
    tap.equal([warning["line"] for warning in robot["warnings"]], [3, 11])


def our_robots_are_described():
    for path in sorted(ROBOTS.glob("*.urdf")):
        text = troupe("motion", "describe", str(path)).stdout
        tap.equal([line for line in text.splitlines() if len(line) > 80], [])
        tap.equal("Warnings" in text, False)
        robot = json.loads(troupe("motion", "describe", str(path), "--json").stdout)
        tap.equal(robot["warnings"], [])
    tap.equal(sum(len(joint["dofs"]) for joint in robot["joints"]), 8)  # the last one, the PUMA


def long_names_stay_in_the_line():
    name = "a_very_long_name_of_a_link_" * 6
    text = ARM.replace('"tool"', f'"{name}"').replace('"lift"', f'"{name}"')
    result = described(text)
    tap.equal((result.returncode, result.stderr), (0, ""))
    tap.equal([line for line in result.stdout.splitlines() if len(line) > 80], [])


def names_cannot_steer_a_terminal():
    result = described(ARM.replace('"tool"', '"to\u009b31mol&#10;x"'))
    tap.equal(result.returncode, 0)
    assert "\u009b" not in result.stdout, result.stdout


def an_error_names_file_line_and_element():
    broken = ARM.replace('<child link="tool"/>', '<child link="upper"/>')
    with tempfile.TemporaryDirectory() as folder:
        path = file_with(broken, folder)
        says(troupe("motion", "describe", path), 1,
             f'troupe motion: {path}:10: <joint name="mount">: link upper is the child of joint lift already\n')
        bomb = file_with('<!DOCTYPE lol [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><robot name="&b;"/>', folder, "bomb.urdf")
        says(troupe("motion", "describe", bomb), 1,
             f'troupe motion: {bomb}:1: <!DOCTYPE name="lol">: declarations are not allowed\n')
        says(troupe("motion", "describe", f"{folder}/gone.urdf"), 1,
             f"troupe motion: {folder}/gone.urdf: No such file or directory\n")


def broken(links, *joints, before="", after=""):
    """A file with a link in each line, then joints of four lines and more."""
    text = before + '<robot name="r">\n' + "".join(f'<link name="{name}"/>\n' for name in links)
    for name, parent, child, more in joints:
        text += (f'<joint name="{name}" type="revolute">\n<parent link="{parent}"/>\n<child link="{child}"/>\n'
                 f'<limit lower="-1" upper="1" velocity="1" effort="1"/>\n{more}</joint>\n')
    return text + after + "</robot>\n"


BOMB = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
BROKEN = {
    "ring": (broken("abc", ("j", "b", "c", ""), ("k", "c", "b", "")), '3: <link name="b">: it hangs in a ring, not on the root a'),
    "two-roots": (broken("abc", ("j", "a", "c", "")), '3: <link name="b">: it has no parent, and link a has none either'),
    "two-parents": (broken("abc", ("j", "a", "c", ""), ("k", "b", "c", "")), '10: <joint name="k">: link c is the child of joint j already'),
    "zero-axis": (broken("ab", ("j", "a", "b", '<axis xyz="0 0 0"/>\n')), '4: <joint name="j">: the axis 0 0 0 has no direction'),
    "own-mimic": (broken("ab", ("j", "a", "b", '<mimic joint="j"/>\n')), '4: <joint name="j">: it mimics itself'),
    "nan": (broken("ab", ("j", "a", "b", '<origin xyz="0 nan 0"/>\n')), '8: <origin>: xyz="0 nan 0" is not 3 finite numbers'),
    "deep": (broken("a", after="<x>" * 100000 + "</x>" * 100000), "3: <x>: elements are nested over 100 deep"),
    "bomb": (broken(("&a9;",), before=f'<!DOCTYPE r [<!ENTITY a0 "ha">{BOMB}]>\n'), '1: <!DOCTYPE name="r">: declarations are not allowed'),
}


def eight_broken_files_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, why) in BROKEN.items():
            path = file_with(text, folder, name + ".urdf")
            says(troupe("motion", "check", path), 1, f"troupe motion: {path}:{why}\n")


def files_and_folders_are_checked():
    result = troupe("motion", "check", str(ROBOTS))
    tap.equal((result.returncode, result.stderr), (0, ""))
    tap.equal(result.stdout.splitlines()[-1],
              f"{ROBOTS}/puma560.urdf: puma560: 9 links, 9 joints, 8 dofs, 1 control frame")
    with tempfile.TemporaryDirectory() as folder:
        good = file_with(ARM, folder, "b.urdf")
        bad = file_with("<robot name='x'/>", folder, "a.urdf")
        result = troupe("motion", "check", folder, good)
        line = f"{good}: arm: 4 links, 4 joints, 2 dofs, 1 control frame, 2 warnings\n"
        tap.equal(result.stdout, line * 2)
        says(result, 1, f'troupe motion: {bad}:1: <robot name="x">: there is no link\n')
    with tempfile.TemporaryDirectory() as folder:
        says(troupe("motion", "check", folder), 1, f"troupe motion: {folder}: it has no .urdf file\n")


def the_page_shows_what_the_program_prints():
    page = (ROBOTS.parent / "docs/motion.md").read_text(encoding="utf-8")
    examples = re.findall(r"```sh\n\./troupe motion ([^\n]*)\n```\n\n```text\n(.*?)```", page, re.S)
    tap.equal(len(examples), 2)
    for arguments, text in examples:
        words = [word.replace("robots", str(ROBOTS), 1) for word in arguments.split()]
        tap.equal(troupe("motion", *words).stdout.replace(f"{ROBOTS}/", "robots/"), text)


def the_page_has_every_attribute():
    """Each row of the table of <troupe> names an attribute that the reader knows: a wrong value is refused, or it is required."""
    page = (ROBOTS.parent / "docs/motion.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`)? ?\| `(\w+)` \| .* \| (.*) \|$", page, re.M)
    tap.equal([(name.strip("`"), attribute) for name, attribute, default in rows],
              [("base", "type"), ("compound", "name"), ("", "joints"), ("joint", "name"), ("", "acceleration"), ("", "servo"),
               ("frame", "name"), ("", "link"), ("", "servo")])
    for element, reason in (
            ("<base/>", "<base>: type is one of fixed, planar, floating"),
            ('<compound joints="lift close"/>', "<compound>: name is missing"),
            ('<compound name="c"/>', "<compound>: joints is missing"),
            ("<joint/>", "<joint>: name is missing"),
            ('<joint name="lift" acceleration="x"/>', '<joint>: acceleration="x" is not 1 finite number'),
            ('<joint name="lift" servo="x"/>', "<joint>: servo is one or more of position, speed, force, or none"),
            ('<frame link="tool"/>', "<frame>: name is missing"), ('<frame name="f"/>', "<frame>: link is missing"),
            ('<frame name="f" link="tool"><origin rpy="1"/></frame>', '<origin>: rpy="1" is not 3 finite numbers')):
        error = described(ARM.replace("</troupe>", element + "</troupe>")).stderr
        tap.equal(error.split(": ", 2)[2], reason + "\n")


def wrong_arguments_are_refused():
    says(troupe("motion"), 2, usage("motion", "describe, check, goto, set, play, record, state, rate, hold, resume, panic or reset?"))
    says(troupe("motion", "describe"), 2, usage("motion", "which file or robot?"))
    says(troupe("motion", "check"), 2, usage("motion", "which files or folders?"))
    says(troupe("motion", "descibe"), 2, usage("motion", 'there is no "descibe"; did you mean "describe"?'))
    says(troupe("motion", "describe", "--jason", "x"), 2, usage("motion", 'unexpected "--jason"; did you mean "--json"?'))
    says(troupe("motion", "check", "--json", "x"), 2, usage("motion", 'unexpected "--json"'))


tap.main(a_robot_is_described, json_has_everything, our_robots_are_described, long_names_stay_in_the_line,
         names_cannot_steer_a_terminal, an_error_names_file_line_and_element, eight_broken_files_are_refused, files_and_folders_are_checked,
         the_page_shows_what_the_program_prints, the_page_has_every_attribute, wrong_arguments_are_refused)
