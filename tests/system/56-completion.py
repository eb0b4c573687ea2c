#!/usr/bin/env python3
"""What the tabulator key offers in bash.  argv: the troupe program, source root."""
import os
import subprocess
import sys

import cli
import tap
from cli import serving

ROOT = sys.argv[2]
# As readline does it: the line is divided at blanks and colons.
SCRIPT = r"""
source "$1"; shift
COMP_WORDBREAKS=$' \t\n"'"'"'><=;|&(:'
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_troupe
printf '%s\n' "${COMPREPLY[@]}"
"""


def offered(line, url="unix:/nowhere"):
    words = []
    for word in line.split(" "):
        pieces = word.replace(":", "\0:\0").split("\0")
        words += [piece for piece in pieces if piece] or [""]
    environment = dict(os.environ, TROUPE_URL=url, PATH=os.path.dirname(cli.PROGRAM) + ":" + os.environ["PATH"])
    result = subprocess.run(["bash", "-c", SCRIPT, "bash", ROOT + "/docs/troupe.bash", *words], capture_output=True,
                            text=True, env=environment, check=False)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return result.stdout.split()


def commands_are_offered():
    help_text = cli.troupe("--help").stdout
    names = [line.split()[0] for line in help_text.splitlines() if line.startswith("  ") and not line.startswith("  troupe")]
    tap.equal(sorted(offered("troupe ")), sorted(names + ["help", "--help", "--version"]))
    tap.equal(sorted(offered("troupe help ")), sorted(names))
    tap.equal(offered("troupe pr"), ["print", "property"])


def options_are_those_of_the_help():
    for command in ("list", "print", "send", "request", "property", "stat", "frames", "panic", "reset", "kick", "interfaces", "sim", "demo", "emulate"):
        text = cli.troupe(command, "--help").stdout
        for option in offered(f"troupe {command} --"):
            assert option == "--help" or option in text, (command, option)
    tap.equal(offered("troupe print --j"), ["--json"])
    motion = cli.troupe("motion", "--help").stdout
    parts = offered("troupe motion ")
    tap.equal((parts[:2], parts[-2:]), (["describe", "check"], ["reset", "--help"]))
    for part in parts[:-1]:
        assert f" {part}" in motion or f"|{part}" in motion, part
        for option in offered(f"troupe motion {part} --"):
            assert option == "--help" or option in motion, (part, option)
    tap.equal(offered("troupe motion play x.csv --mode a"), ["adaptive"])
    tap.equal(offered("troupe emulate --w"), ["--world", "--wire", "--wave"])
    tap.equal(offered("troupe emulate nx"), ["nxt"])
    tap.equal(offered("troupe emulate nxt --fault w"), ["wrong"])
    tap.equal(offered("troupe emulate nxt --world t"), ["track"])
    tap.equal(offered("troupe motion describe --"), ["--json", "--help"])
    tap.equal(offered("troupe motion check --"), ["--help"])
    tap.equal(offered("troupe robots --"), ["--check", "--matrix", "--commands", "--wiring", "--help"])
    assert "nxt" in offered("troupe translate n"), offered("troupe translate n")
    tap.equal(offered("troupe translate nxt ReadA"), ["ReadAnalog"])
    tap.equal(offered("troupe translate nxt ReadAnalog --"), ["--wiring", "--map", "--loose", "--help"])


@serving('driver ( name "fake" provides [ "laser:0" "laser:12" "gripper:0" ] )')
def devices_come_from_the_server(url):
    tap.equal(offered("troupe print l", url), ["laser:0", "laser:12"])
    tap.equal(offered("troupe print laser:", url), ["0", "12"])
    tap.equal(offered("troupe print laser:1", url), ["12"])
    tap.equal(offered("troupe property g", url), ["gripper:0"])


def interfaces_are_offered_without_a_server():
    tap.equal(offered("troupe print l"), [])
    tap.equal(offered("troupe send grip"), ["gripper"])
    tap.equal(offered("troupe interfaces lim"), ["limb"])


def messages_are_offered():
    tap.equal(offered("troupe send gripper:0 "), ["--repeat", "--for", "--lease", "--rank", "--exclusive", "--url", "--key", "--key-file",
                                                   "--timeout", "--load", "--help",
                                                  "OPEN", "CLOSE", "STOP", "STORE", "RETRIEVE"])
    tap.equal(offered("troupe send robot:6666/gripper:0 O"), ["OPEN"])
    tap.equal(offered("troupe request laser GET_GEO"), ["GET_GEOM", "GET_GEOMETRY"])
    tap.equal(offered("troupe print laser:0 --only SCANP"), ["SCANPOSE"])


def files_are_those_that_a_command_takes():
    tap.equal(offered(f"troupe check {ROOT}/worlds/ca"), [f"{ROOT}/worlds/cave.world"])  # and not cave.png
    tap.equal(offered(f"troupe check {ROOT}/configs/fa"), [f"{ROOT}/configs/fake.cfg"])
    tap.equal(offered(f"troupe run {ROOT}/worlds/ca"), [])
    tap.equal(offered(f"troupe motion describe {ROOT}/robots/p"), [f"{ROOT}/robots/pioneer.urdf", f"{ROOT}/robots/puma560.urdf"])


def worlds_are_offered_where_one_is_taken():
    for command in "sim", "check", "demo":
        tap.equal(offered(f"troupe {command} offic"), ["office"])
    tap.equal(offered("troupe run offic"), [])


tap.main(commands_are_offered, worlds_are_offered_where_one_is_taken, options_are_those_of_the_help,
         devices_come_from_the_server, interfaces_are_offered_without_a_server, messages_are_offered,
         files_are_those_that_a_command_takes)
