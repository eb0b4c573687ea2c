#!/usr/bin/env python3
"""Devices that are made of others, on the shipped configurations.  argv: the troupe program, source root."""
import pathlib
import re
import struct
import subprocess
import sys

import player
import tap
from player import LASER, POSITION2D

PROGRAM = sys.argv[1]
ERROR = 243
ROOT = pathlib.Path(sys.argv[2])
CAREFUL = (ROOT / "configs/careful.cfg").read_text()


def troupe(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def ranges(body):
    """The ranges of a laser's scan, behind four floats and two counts."""
    count = struct.unpack_from(">I", body, 16)[0]
    return struct.unpack_from(f">{count}f", body, 24)


def scan(client, index):
    while True:
        message = client.data()
        if (message.interf, message.index, message.subtype) == (LASER, index, 1):
            return ranges(message.body)


def speed(client):
    """Forward speed in the next state of position2d:1."""
    while True:
        message = client.data()
        if (message.interf, message.index, message.subtype) == (POSITION2D, 1, 1):
            return struct.unpack_from(">6d", message.body)[3]


def go(client, forward, index=1):
    client.send(POSITION2D, index, player.COMMAND, 1, struct.pack(">dddI", forward, 0, 0, 1))


def every_shipped_configuration_is_right():
    pictures = sorted((ROOT / "drivers").glob("*/pictures/*.cfg"))  # of the pages beside the drivers
    assert len(pictures) > 5, pictures
    for path in sorted((ROOT / "configs").glob("*.cfg")) + pictures:
        result = troupe("check", str(path))
        tap.equal((path.name, result.returncode, result.stdout.splitlines()[-1:]),
                  (path.name, 0, ["no mistakes found"]))


def free_space_is_smaller_than_what_is_seen():
    with player.server(PROGRAM, CAREFUL) as server, player.Client(server.address) as client:
        client.open(LASER, 0)
        client.open(LASER, 1)
        seen, free = scan(client, 0), scan(client, 1)
        tap.equal(len(free), len(seen))
        nearer = [f for s, f in zip(seen, free) if s < 7.9 and f < s - 0.1]
        assert len(nearer) > len(seen) / 2, (seen, free)
        assert all(f >= 0 for f in free), free


def a_clear_way_is_gone():
    with player.server(PROGRAM, CAREFUL) as server, player.Client(server.address) as client:
        client.open(POSITION2D, 1)
        while speed(client) != 0.1:
            go(client, 0.1)


def the_first_command_after_a_cold_start_counts():
    """Opening the device starts its sensors, which have not spoken when the command comes."""
    with player.server(PROGRAM, CAREFUL.replace("timeout 0.5", "timeout 30")) as server:
        with player.Client(server.address) as client:
            client.open(POSITION2D, 1)
            go(client, 0.1)
            while speed(client) == 0:
                pass


def what_it_refuses_is_told_to_who_commands():
    with player.server(PROGRAM, CAREFUL) as server:
        result = troupe("send", "position2d:1", "POS", '{"pos":{"px":1},"state":1}', "--url",
                        f"localhost:{server.address[1]}")
        tap.equal((result.returncode, result.stderr.splitlines()[-1]),
                  (1, "troupe send: position2d:1: it is not possible to know the way of POS in advance; command velocities"))


def what_the_device_below_refuses_is_told_too():
    """Once, until it obeys again; through two drivers, too."""
    text = ('driver ( name "fake" provides [ "position2d:0" ] )\n'
            'driver ( name "passthrough" provides [ "position2d:2" ] requires [ "position2d:0" ] )\n'
            'driver ( name "passthrough" provides [ "position2d:1" ] requires [ "position2d:2" ] )\n')
    with player.server(PROGRAM, text) as server, player.Client(server.address) as client:
        client.hello()
        client.open(POSITION2D, 1)
        told = []
        for forward in (1e10, 2e10, 0.1, 3e10):
            go(client, forward)
            while forward == 0.1 and speed(client) != forward:
                pass
            client.request(POSITION2D, 1, 1)  # what it refuses has come before this answer
            told += [message.body[12:].split(b"\0")[0].decode() for message in client.passed if message.subtype == ERROR]
        tap.equal(told, ["position2d:2: px of pose2d is not a number from -1e+09 to 1e+09"] * 2)


def what_a_driver_commands_of_its_own_accord_is_told_too():
    """A journey to a goal: somebody else has the robot."""
    for name in ("vfh", "nd", "snd"):
        text = (f'open yes\ndriver ( name "fake" provides [ "position2d:0" "laser:0" ] writer ( driver "{name}" rank -1 ) )\n'
                f'driver ( name "{name}" provides [ "position2d:1" ] requires [ "position2d:0" "laser:0" ] )\n')
        with player.server(PROGRAM, text) as server, player.Client(server.address) as traveller, \
                player.Client(server.address) as holder:
            traveller.hello()
            holder.open(POSITION2D, 0)
            go(holder, 0.1, 0)  # before the driver, whose rank is lower
            traveller.open(POSITION2D, 1)
            traveller.send(POSITION2D, 1, player.COMMAND, 2, struct.pack(">ddddddI", 2, 0, 0, 0, 0, 0, 1))
            told = []
            while not told:
                message = traveller.message()
                told += [message.body[12:].split(b"\0")[0].decode()] if message.subtype == ERROR else []
                go(holder, 0.1, 0)
            tap.equal(told[0].split(" by ")[0], "position2d:1: position2d:0 is held")


def a_blocked_way_is_not():
    blocked = re.sub(r"slow_distance \S+", "slow_distance 21", CAREFUL.replace("stop_distance 0.3", "stop_distance 20"))
    assert blocked != CAREFUL
    with player.server(PROGRAM, blocked) as server, player.Client(server.address) as client:
        client.open(POSITION2D, 1)
        for _ in range(30):
            go(client, 0.1)
            tap.equal(speed(client), 0.0)


def the_table_of_drivers_is_complete():
    """docs/reference/drivers.md has a row for every driver, with all of its parameters and no other."""
    rows = {}
    for line in (ROOT / "docs/reference/drivers.md").read_text().splitlines():
        match = re.match(r"\| `(\w+)` \|.*\|([^|]*)\|$", line)
        if match:
            rows[match.group(1)] = sorted(re.findall(r"`([\w\[\]]+)`", match.group(2)))
    names = [line.split()[0] for line in troupe("drivers").stdout.splitlines()]
    tap.equal(sorted(rows), names)
    for name in names:
        told = troupe("drivers", name).stdout.splitlines()[1:]
        tap.equal((name, rows[name]), (name, sorted(line.split()[0] for line in told if line.startswith("  "))))


tap.main(what_the_device_below_refuses_is_told_too, what_a_driver_commands_of_its_own_accord_is_told_too,
         every_shipped_configuration_is_right, free_space_is_smaller_than_what_is_seen, a_clear_way_is_gone,
         the_first_command_after_a_cold_start_counts, what_it_refuses_is_told_to_who_commands, a_blocked_way_is_not, the_table_of_drivers_is_complete)
