#!/usr/bin/env python3
"""Robots that are files: list, describe, check, compare, translate.  argv: the troupe program, source root."""
import pathlib
import re
import sys
import tempfile

import tap
from cli import says, troupe, usage

ROOT = pathlib.Path(sys.argv[2])
ROBOTS = sorted(path.stem for path in (ROOT / "robots").glob("*.xml") if path.name != "classes.xml")
THESIS = ("nxt", "finch", "create", "create2", "firmata", "arduino-firmata", "srv1")  # those of its robots that are there
USABLE = ("ReadAnalog", "ReadDigital", "MovePower", "Drive", "Stop", "WaitTime")
ENGINE = ("NoOp", "Initialize", "Start", "End", "Reset", "WaitTime", "WaitTrigger", "SetupInput", "SetupOutput", "Stop", "Extended", "Raw")


def the_robots_are_listed():
    result = troupe("robots")
    says(result, 0, "")
    lines = result.stdout.splitlines()
    tap.equal(lines[0].split(), ["NAME", "DEVICES", "COMMANDS", "LINK", "TITLE"])
    tap.equal([line.split()[0] for line in lines[1:]], ROBOTS)


def every_robot_file_passes_its_own_examples():
    for name in ROBOTS:
        path = ROOT / "robots" / f"{name}.xml"
        result = troupe("robots", "--check", str(path))
        says(result, 0, "")
        has_none = 'kind="universal"' in path.read_text()  # the robot executes the commands itself
        counts = "0 translations, 0 examples" if has_none else r"[1-9]\d* translations, [1-9]\d* examples"
        assert re.search(rf": [1-9]\d* devices, {counts}\n$", result.stdout), result.stdout
        assert path.read_text().count("\n") <= 600, name


def a_robot_is_described():
    result = troupe("robots", "nxt")
    says(result, 0, "")
    assert result.stdout.startswith("nxt: LEGO MINDSTORMS NXT (LEGO)\n"), result.stdout[:100]
    assert re.search(r"^Light Sensor +NXTLightSensor +port 3 +ReadAnalog +- +Light Sensor, ", result.stdout, re.M), result.stdout
    assert re.search(r"^GoTo +NA: the brick does not know where it is$", result.stdout, re.M), result.stdout
    assert re.search(r"^MovePower +direct: Left Wheel, Right Wheel, Motor; parent: Both Wheels$", result.stdout, re.M), result.stdout


def a_wiring_file_changes_what_is_there():
    wiring = str(ROOT / "tests/data/universal/nxt-lab.xml")
    result = troupe("robots", "nxt", "--wiring", wiring)
    says(result, 0, "")
    assert re.search(r"^Light Sensor +NXTLightSensor +port 1 ", result.stdout, re.M), result.stdout
    assert "Sound Sensor  " not in result.stdout.split("not plugged in")[0], result.stdout
    result = troupe("translate", "nxt", "ReadAnalog", "Light Sensor", "--wiring", wiring)
    assert result.stdout.startswith('"Light Sensor" → Light Sensor, port 1\n'), result.stdout


def the_matrix_has_every_command_on_every_robot():
    result = troupe("robots", "--matrix")
    says(result, 0, "")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in result.stdout.splitlines()]
    tap.equal(rows[0][1:], ROBOTS)
    matrix = {row[0]: row[1:] for row in rows[2:]}
    tap.equal(len(matrix), 40)
    for command in USABLE:
        tap.equal((command, [way for way in matrix[command] if way == "NA"]), (command, []))
    for at, name in enumerate(ROBOTS):
        ways = [row[at] for command, row in matrix.items() if command not in ENGINE]
        if name in THESIS:
            done = sum(way != "NA" for way in ways) / len(ways)
            assert done >= 0.6, (name, done)


def a_command_is_translated():
    result = troupe("translate", "nxt", "ReadAnalog", "Light Sensor", "2")
    says(result, 0, "")
    lines = result.stdout.splitlines()
    tap.equal(lines[0], '"Light Sensor" → Light Sensor, port 3')
    assert re.fullmatch(r"ReadAnalog: direct, line \d+ of the robot file", lines[1]), lines[1]
    tap.equal(lines[2:5], ["result: scaled", "> 05 00 00 05 02 05 80", "< 02 05 {status:u8 ok 00}"])
    tap.equal(lines[-2], "> 03 00 00 07 02")
    result = troupe("translate", "nxt", "MotorPower", "Left Wheel", "50")
    tap.equal(result.stdout.splitlines()[-2:], ["> 0C 00 00 04 01 32 07 01 00 20 00 00 00 00", "< 02 04 {status:u8 ok 00}"])
    result = troupe("translate", "create", "MovePower", "Left Wheel", "50")  # behind the checks of its set-up
    tap.equal((result.returncode, result.stdout.splitlines()[-1]), (0, "> 91 00 00 00 FA"))
    result = troupe("translate", "firmata", "WriteDigital", "LED", "1")  # the poll of its set-up asks once
    tap.equal(result.stdout.splitlines()[-3:], ["> F9", "> F4 0D 01", "> 91 20 00"])
    result = troupe("translate", "nxt", "Stop")
    tap.equal(result.stdout, "> 0C 00 80 04 FF 00 07 01 00 20 00 00 00 00\n")


def what_is_not_there_moves_nothing_else():
    refused = 'troupe translate: "Gripper" → not on this robot (nxt), and nothing that may stand for it; --loose would use {}\n'
    for command, loose in (("MovePower", "Both Wheels"), ("WriteDigital", "Motor"), ("WriteAnalog", "Motor")):
        says(troupe("translate", "nxt", command, "Gripper", "50"), 1, refused.format(loose))
    says(troupe("translate", "nxt", "ReadAnalog", "Light Senser"), 1,
         'troupe translate: "Light Senser" → not on this robot (nxt), and nothing that may stand for it; did you mean "Light Sensor"?; '
         "--loose would use Sound Sensor\n")
    result = troupe("translate", "tello", "ReadAnalog", "Light Sensor")  # its battery is no light sensor
    tap.equal((result.returncode, "--loose would use" in result.stderr), (1, True))
    assert troupe("translate", "nxt", "MovePower", "Gripper", "50", "--loose").returncode == 0
    result = troupe("translate", "nxt", "GoTo", "1", "2", "3")
    says(result, 1, "troupe translate: nxt: not available: GoTo of Both Wheels: the brick does not know where it is\n")


def a_map_beats_the_wiring_and_the_number():
    result = troupe("translate", "nxt", "ReadAnalog", "Light Sensor", "2", "--map", "Light Sensor=port 1")
    assert result.stdout.startswith('"Light Sensor" → Light Sensor, port 1; by --map\n'), result.stdout
    says(troupe("translate", "nxt", "ReadAnalog", "Light Sensor", "--map", "Light Sensor=port 9"), 1,
         'troupe translate: --map "Light Sensor=port 9": the robot nxt has no such place or device there\n')


def a_servo_keeps_its_pin_for_itself():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.play")
        path.write_text("device arm is Servo\ndevice light is PWM number 3\nset arm to 90 deg\nset light to 5\n")
        for robot, servo in (("lifa", "Servo 0"), ("uno", "Servo 9")):  # both at pin 9, as is the PWM of this number
            result = troupe("play", str(path), "--explain", "--on", robot)
            tap.equal((robot, result.stdout.splitlines()), (robot, [
                f'arm: "Servo" → {servo}', 'light: "PWM" → PWM 3; its number does not fit, took the first free one']))


def mistakes_have_their_place():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.xml")
        path.write_text('<robot version="1" name="x" title="X">\n<link kind="cable"/>\n</robot>\n')
        result = troupe("robots", "--check", str(path))
        says(result, 1, f'troupe robots: {path}:2: <link>: kind="cable": expected serial, tcp, udp, hid or devices\n')
        path.write_text("<robot>" * 100)
        assert "nested over 16 deep" in troupe("robots", "--check", str(path)).stderr
        path.write_text('<!DOCTYPE a [<!ENTITY b "c">]><robot/>')
        assert "<!DOCTYPE> is not allowed" in troupe("robots", "--check", str(path)).stderr


def wrong_words_are_explained():
    says(troupe("robots", "ntx"), 1, f'troupe robots: there is no robot "ntx"; did you mean "nxt"? There are {", ".join(ROBOTS)}\n')
    says(troupe("translate", "nxt", "ReadAnalogue"), 2, usage("translate", 'there is no command "ReadAnalogue"; did you mean "ReadAnalog"?'))
    says(troupe("translate", "nxt"), 2, usage("translate", "which robot and which command?"))
    says(troupe("robots", "--chek"), 2, usage("robots", 'unexpected "--chek"; did you mean "--check"?'))
    says(troupe("robots", "--check"), 2, usage("robots", "which files?"))


def own_robots_are_found():
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / "robots/nxt.xml").read_text().replace('name="nxt"', 'name="mine"', 1)
        pathlib.Path(folder, "mine.xml").write_text(text)
        result = troupe("translate", "mine", "Stop", TROUPE_ROBOT_PATH=folder)
        tap.equal(result.stdout, "> 0C 00 80 04 FF 00 07 01 00 20 00 00 00 00\n")


tap.main(the_robots_are_listed, every_robot_file_passes_its_own_examples, a_robot_is_described, a_wiring_file_changes_what_is_there,
         the_matrix_has_every_command_on_every_robot, a_command_is_translated, what_is_not_there_moves_nothing_else,
         a_map_beats_the_wiring_and_the_number, a_servo_keeps_its_pin_for_itself, mistakes_have_their_place, wrong_words_are_explained, own_robots_are_found)
