#!/usr/bin/env python3
"""The robot files of robots/: their examples hold, what it takes to drive and sense is there on all of them, and
instructions have the documented bytes.  argv: the troupe program, source root."""
import pathlib
import re
import sys

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


def instructions_have_the_documented_bytes():
    def written(*arguments):
        return [line[2:] for line in troupe("translate", *arguments).stdout.splitlines() if line.startswith("> ")]

    tap.equal(written("finch", "ReadAnalog", "Light Sensor")[-1], "4C 00 00 00 00 00 00 02")
    tap.equal(written("finch", "MoveMotors", "Both Wheels", "100", "-20")[-1], "4D 00 FF 01 33 00 00 02")
    tap.equal(written("lifa", "WritePWM", "PWM", "3", "50")[-1], "FF 0A 09 80 00 00 00 00 00 00 00 00 00 00 92")
    tap.equal(written("tello", "Drive", "DriveAxis", "50")[-1], b"rc 0 50 0 0".hex(" ").upper())


tap.main(every_file_passes_its_own_examples, no_file_is_long, driving_sensing_waiting_and_stopping_are_common_to_all,
         the_page_has_the_matrix, the_robots_of_the_thesis_have_most_commands, every_missing_command_has_a_reason,
         instructions_have_the_documented_bytes)
