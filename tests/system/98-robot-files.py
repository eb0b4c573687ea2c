#!/usr/bin/env python3
"""The robot files of robots/: their examples hold, what it takes to drive and sense is there on all of them, and
instructions have the documented bytes.  argv: the troupe program, source root."""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap
from cli import troupe

ROBOTS = sorted(path for path in pathlib.Path(sys.argv[2], "robots").glob("*.xml") if path.name != "classes.xml")
THESIS = ("create", "finch", "firmata", "nxt", "srv1")
EVERYWHERE = ("ReadDigital", "ReadAnalog", "MovePower", "Drive", "Stop", "WaitTime", "WaitTrigger")


def every_file_passes_its_own_examples():
    result = troupe("robots", "--check", *map(str, ROBOTS))
    tap.equal((result.returncode, result.stderr), (0, ""))
    tap.equal([pathlib.Path(line.split(":")[0]).name for line in result.stdout.splitlines()],
              [path.name for path in ROBOTS])


def no_file_is_long():
    tap.equal([path.name for path in ROBOTS if len(path.read_text().splitlines()) > 600], [])


def driving_sensing_waiting_and_stopping_are_common_to_all():
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in troupe("robots", "--matrix").stdout.splitlines() if line.startswith("| ")]
    tap.equal(rows[0][1:], [path.stem for path in ROBOTS])
    usable = {row[0]: row[1:] for row in rows[1:]}
    tap.equal([name for name in EVERYWHERE if "NA" in usable[name]], [])


def the_page_has_the_matrix():
    page = pathlib.Path(sys.argv[2], "docs", "reference", "robots.md").read_text(encoding="utf-8")
    tap.equal(page[page.index("| command |"):], troupe("robots", "--matrix").stdout)


def the_robots_of_the_thesis_have_most_commands():
    for name in THESIS:
        possible, total = re.search(r"^(\d+) of (\d+) commands", troupe("robots", name).stdout, re.M).groups()
        assert int(possible) >= 0.6 * int(total), f"{name}: {possible} of {total}"


def every_missing_command_has_a_reason():
    for path in ROBOTS:
        for line in troupe("robots", path.stem).stdout.splitlines():
            if re.match(r"\w+ +NA", line):
                assert re.match(r"\w+ +NA: \S", line), f"{path.stem}: {line}"


def every_native_instruction_is_used_or_listed():
    """tests/data/robots/instructions.txt has them by robot."""
    rows = [[cell.strip() for cell in line.split(" | ")] for line in pathlib.Path(
        sys.argv[2], "tests", "data", "robots", "instructions.txt").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    texts = {}
    for path in ROBOTS:
        text = re.sub(r"<!--.*?-->|<example.*?(?:</example>|/>)", "", path.read_text(encoding="utf-8"), flags=re.S)
        texts[path.stem] = (html.unescape(re.sub(r"<(?:na|unused)[^>]*/>", "", text)),
                            html.unescape("\n".join(re.findall(r'<unused what="([^"]*)"', text))))
    missing = []
    for robot, name, wanted in rows:
        used, unused = texts[robot]
        found = wanted[2:] in unused if wanted.startswith("! ") else all(part in used for part in wanted.split(" & "))
        missing += [] if found else [f"{robot}: {name}"]
    tap.equal(missing, [])
    tap.equal(sorted({row[0] for row in rows}), sorted({path.stem for path in ROBOTS} - {"troupe", "uno"}))  # these have interfaces, and commands


def instructions_have_the_documented_bytes():
    def written(*arguments):
        return [line[2:] for line in troupe("translate", *arguments).stdout.splitlines() if line.startswith("> ")]

    tap.equal(written("finch", "ReadAnalog", "Light Sensor")[-1], "4C 00 00 00 00 00 00 02")
    tap.equal(written("finch", "MoveMotors", "Both Wheels", "100", "-20")[-1], "4D 00 FF 01 33 00 00 02")
    tap.equal(written("lifa", "WritePWM", "PWM", "3", "50")[-1], "FF 0A 09 80 00 00 00 00 00 00 00 00 00 00 92")
    tap.equal(written("tello", "Drive", "DriveAxis", "50", "0")[-1], b"rc 0 50 0 0".hex(" ").upper())
    tap.equal(written("create", "Drive", "DriveAxis", "50", "0")[-1], "89 00 FA 80 00")
    tap.equal(written("create", "MoveMotors", "DriveAxis", "40", "60")[-1], "91 01 2C 00 C8")
    tap.equal(written("create2", "DisplayString", "Display", "Hi")[-1], "A4 48 69 20 20")
    tap.equal(written("srv1", "MoveMotors", "DriveAxis", "50", "-50")[-1], "4D 32 CE 00")


def external_motors_of_an_srv1_are_a_macro_of_two_outputs():
    """One write for both. The tracks are not there then, and neither are the servos at these outputs."""
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as wiring:
        wiring.write('<wiring version="1" robot="srv1"><plug slot="ppm 1" device="External Left Motor"/>'
                     '<plug slot="ppm 2" device="External Right Motor"/></wiring>')
        wiring.flush()

        def written(*arguments):
            lines = troupe("translate", "srv1", "--wiring", wiring.name, *arguments).stdout.splitlines()
            return lines[0], [line[2:] for line in lines if line.startswith("> ")][-1]

        tap.equal(written("MoveMotors", "DriveAxis", "50", "-50"), ('"DriveAxis" → External Wheels', "53 4B 19"))
        tap.equal(written("Drive", "DriveAxis", "100", "0"), ('"DriveAxis" → External Wheels', "53 64 64"))
        tap.equal(written("MovePower", "Left Wheel", "100"), ('"Left Wheel" → External Left Motor, ppm 1', "53 64 32"))


def other_wheels_of_a_wiring_file_are_the_ones_that_turn():
    """Where an instruction for both wheels means those of the file, each wheel is turned by itself."""
    def written(robot, wiring, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f'<wiring version="1" robot="{robot}">{wiring}</wiring>')
            file.flush()
            lines = troupe("translate", robot, "--wiring", file.name, *arguments).stdout.splitlines()
        return [bytes.fromhex(line[2:]) for line in lines if line.startswith("> ")]

    swapped = '<use class="Left Wheel" device="Right Wheel"/><use class="Right Wheel" device="Left Wheel"/>'
    tap.equal(written("create", swapped, "MoveMotors", "40", "60")[-1], bytes.fromhex("91 00 C8 01 2C"))
    tap.equal(written("create", swapped, "Drive", "DriveAxis", "50", "0")[-1], bytes.fromhex("91 00 FA 00 FA"))
    tap.equal(written("nxt", swapped, "MoveMotors", "40", "60")[-2:],
              [bytes.fromhex("0C 00 80 04 02 28 07 01 00 20 00 00 00 00"), bytes.fromhex("0C 00 00 04 01 3C 07 01 00 20 00 00 00 00")])
    own = ('<device name="My Left" type="MBWheel" classes="Left Wheel, LocoMotor, Motor, Analog_Output, Output" base="MovePower" signed="yes" '
           'values="pin 0, way 1"/><use class="Left Wheel" device="My Left"/>')
    sent = b"".join(written("microbit", own, "MoveMotors", "100", "100")[-2:])
    assert b"pin0.write_analog(103)" in sent and b"pin2.write_analog(51)" in sent and b"pin1" not in sent, sent


def mistakes_of_makers_are_told():
    """In the skeleton of a new robot: what only the whole file shows."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.abspath(sys.argv[1]), "new", "robot", "mine"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        path = pathlib.Path(folder, "mine.xml")
        text = path.read_text(encoding="utf-8")
        for old, new, says in (
                ('name="Bumper" type="Digital_Input"', 'name="Bumper" type="MyBumper" values="bit 3"', ""),
                ('base="WriteDigital"/>', 'base="WriteDigital"/><device name="Voice" type="MyVoice" classes="Voice, Output" base="WriteString"/>',
                 'nothing says how "Voice" is used; write <translate command="WriteString" type="MyVoice">'),
                ("      &lt; 41 FF 03", "      < 41 FF 03", "write &lt; for <"),
                ("  </translate>\n  <translate command=\"MoveMotors\"", "  <translate command=\"MoveMotors\"", "<translate> of line 36 is not closed; write </translate>")):
            assert old in text, old
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
            result = troupe("robots", "--check", str(path))
            assert says in result.stderr and (result.returncode == 1) == (says != ""), (new, result)


def a_stop_ends_all_that_moves():
    """Brushes and drivers of the cargo bay too, and what a Create does by itself."""
    for name in ("create", "create2"):
        tap.equal(troupe("translate", name, "Stop").stdout.splitlines()[-1], "> 83 91 00 00 00 00 90 00 00 00")


def a_text_for_a_micro_bit_is_never_python():
    lines = troupe("translate", "microbit", "DisplayString", "Display", '");pin1.write_analog(103)#\x04').stdout.splitlines()
    sent = bytes.fromhex([line[2:] for line in lines if line.startswith("> ")][-1])
    tap.equal(sent, b'display.scroll("\\x22);pin1.write_analog(103)#\\x04 ",wait=False)\x04')


tap.main(every_file_passes_its_own_examples, no_file_is_long, driving_sensing_waiting_and_stopping_are_common_to_all,
         the_page_has_the_matrix, the_robots_of_the_thesis_have_most_commands, every_missing_command_has_a_reason,
         every_native_instruction_is_used_or_listed, instructions_have_the_documented_bytes, external_motors_of_an_srv1_are_a_macro_of_two_outputs, other_wheels_of_a_wiring_file_are_the_ones_that_turn,
         mistakes_of_makers_are_told,
         a_stop_ends_all_that_moves, a_text_for_a_micro_bit_is_never_python)
