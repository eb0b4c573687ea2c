#!/usr/bin/env python3
"""Drivers with the names of Player's, for emulated robots, and a plain Player client that drives them.
argv: the troupe program, the source root."""
import os
import struct
import sys
import tempfile

import player
import tap
from player import ACK, COMMAND, POSITION2D

PROGRAM, ROOT = sys.argv[1], os.path.abspath(sys.argv[2])
os.environ["TROUPE_WORLD_PATH"] = ROOT + "/worlds"
SONAR, POWER, DIO = 5, 2, 20


def drive(client, ahead, turn=0.0):
    client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", ahead, 0, turn, 1))


def state(client):
    """x, y, heading, speed, turn of the next message."""
    while True:
        message = client.data()
        if (message.interf, message.index, message.subtype) == (POSITION2D, 0, 1):
            x, y, a, v, _, w = struct.unpack_from(">6d", message.body)
            return x, y, a, v, w


def data_of(client, interf):
    while True:
        message = client.data()
        if message.interf == interf:
            return message


def a_pioneer_drives_and_reports():
    config = ('driver ( name "p2os" provides [ "odometry:::position2d:0" "sonar:0" "power:0" "dio:0" ]\n'
              '         port "emulate:p2os" )\n')
    with player.server(PROGRAM, config) as running, player.Client(running.address) as client:
        for interf in (POSITION2D, SONAR, POWER, DIO):
            client.open(interf, 0)
        count, length = struct.unpack_from(">II", data_of(client, SONAR).body)
        tap.equal((count, length), (16, 16))
        assert 11 < struct.unpack_from(">If", data_of(client, POWER).body)[1] < 14
        drive(client, 0.3)
        while state(client)[0] < 0.3:
            drive(client, 0.3)
        assert abs(state(client)[1]) < 0.05
        drive(client, 0, 0.5)
        while abs(state(client)[4]) < 0.4:
            drive(client, 0, 0.5)
        tap.equal(client.request(POSITION2D, 0, 6).type, ACK)  # RESET_ODOM
        drive(client, 0)
        while abs(state(client)[4]) > 0.01:
            drive(client, 0)


def a_pioneer_that_is_not_there_is_told():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write('driver ( name "p2os" provides [ "position2d:0" ] port "/dev/no-such-line" )\n')
        file.flush()
        result = tap.run([PROGRAM, "print", "position2d:0", "--count", "1", "--url", "inproc:" + file.name])
    assert "/dev/no-such-line" in result.stderr, result.stderr


if __name__ == "__main__":
    tap.main(a_pioneer_drives_and_reports, a_pioneer_that_is_not_there_is_told)
