#!/usr/bin/env python3
"""Navigation in simulated worlds, in lockstep: maps from files, a robot that avoids what is in the way.
argv: the troupe program, the source root."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import navigation
import player
import tap
from navigation import MAP, PLANNER, Robot, away
from player import ACK, POSITION2D

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
os.environ["TROUPE_WORLD_PATH"] = str(ROOT / "worlds")

OFFICE = """
interval_sim 100
include "things.inc"
include "office.inc"
include "robots/pioneer.inc"
pioneer ( name "ada" pose [-6.8 2.4 0 -60] lms ( pose [0.03 0 0 0] ) )
"""
SIM = """
driver ( name "sim" worldfile "{world}" provides [ "world:0" "map:1" ] lockstep yes lease 0 )
driver ( name "sim" provides [ "position2d:0" "laser:0" ] model "ada" lease 0 )
"""
VFH = """
driver ( name "vfh" provides [ "position2d:1" "planner:1" ] requires [ "position2d:0" "laser:0" ] lease 0
         max_speed 0.4 max_acceleration 0.4 distance_epsilon 0.3 angle_epsilon 10 )
"""


def troupe(*arguments, timeout=60):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=timeout)


# ---- mapfile ----

def a_map_from_a_file_is_fetched_in_tiles():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "m.pgm").write_bytes(b"P5 4 3 255\n" + bytes([0, 254, 254, 254, 254, 254, 205, 254, 254, 254, 254, 0]))
        (path / "m.yaml").write_text("image: m.pgm\nresolution: 0.5\norigin: [-1, -2, 0]\nnegate: 0\n"
                                     "occupied_thresh: 0.65\nfree_thresh: 0.196\n")
        text = f'driver ( name "mapfile" provides [ "map:0" ] filename "{path}/m.yaml" )'
        with player.server(PROGRAM, text) as server, player.Client(server.address) as client:
            client.open(MAP, 0)
            info = client.request(MAP, 0, 1)
            tap.equal(struct.unpack(">fIIddd", info.body), (0.5, 4, 3, -1.0, -2.0, 0.0))
            reply = client.request(MAP, 0, 2, struct.pack(">IIIIIiI", 1, 0, 9, 2, 0, 0, 0))
            tap.equal(reply.type, ACK)
            tap.equal(struct.unpack_from(">4I", reply.body), (1, 0, 3, 2))
            cells = zlib.decompress(reply.body[reply.body.index(b"\x78"):])  # Player sends maps compressed
            tap.equal(list(struct.unpack(">6b", cells)), [-1, -1, 1, -1, 0, -1])


def a_wrong_map_is_refused_with_its_place():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "m.yaml").write_text("image: no.pgm\nresolution: wide\n")
        (path / "m.cfg").write_text('driver ( name "mapfile" provides [ "map:0" ]\n filename "m.yaml" )\n')
        result = troupe("check", str(path / "m.cfg"))
        tap.equal(result.returncode, 1)
        assert "m.cfg:2:" in result.stdout + result.stderr, result
        assert "m.yaml: line 2: resolution needs a number" in result.stdout + result.stderr, result


# ---- vfh ----

def drive(robot, x, y, seconds):
    """Go there by vfh; whether it arrives in time."""
    robot.send_pos(1, x, y)
    for _ in range(int(seconds * 10)):
        robot.step()
        robot.settle(PLANNER, 1, robot.time)
        if robot.plan(1)["done"]:
            return True
    return False


def a_robot_finds_its_way_around_furniture():
    """From an office through its door into the corridor, and along it; nothing is touched."""
    with navigation.served(PROGRAM, OFFICE, SIM + VFH) as server:
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1)])
        robot.step()
        for x, y in ((-7.0, 0.25), (0.0, 0.25), (0.5, -2.2)):
            assert drive(robot, x, y, 80), (x, y, robot.pose(), robot.time)
            assert away(robot.pose(), x, y) < 0.4, robot.pose()
        tap.equal(robot.stalls, 0)
        robot.close()


def a_velocity_passes_and_ends_the_journey():
    with navigation.served(PROGRAM, OFFICE, SIM + VFH) as server:
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1)])
        robot.step()
        robot.send_pos(1, -7.0, 0.25)
        robot.step(10)
        robot.client.send(POSITION2D, 1, player.COMMAND, 1, struct.pack(">dddI", 0, 0, 0.5, 1))
        robot.step()
        robot.settle(PLANNER, 1, robot.time)  # vfh has passed it on by then
        robot.step(10)
        speed, turn = robot.speed()
        assert abs(speed) < 1e-6 and abs(turn - 0.5) < 1e-6, (speed, turn)
        tap.equal(robot.plan(1)["count"], 0)
        robot.close()


def goto_drives_and_tells():
    """The command, in a world that runs by itself, faster than life."""
    fast = SIM.replace("lockstep yes", "speed 8")
    with navigation.served(PROGRAM, OFFICE, fast + VFH) as server:
        url = f"localhost:{server.address[1]}"
        result = troupe("goto", "-7", "0.25", "position2d:1", "--url", url, "--tolerance", "0.4", "--within", "50")
        tap.equal((result.returncode, result.stderr), (0, ""))
        assert "arrived at -" in result.stdout, result.stdout
        result = troupe("goto", "1", "--url", url)
        tap.equal((result.returncode, "where to?" in result.stderr), (2, True))
        result = troupe("goto", "-7", "2.4", "position2d:1", "--url", url, "--within", "0.3")
        tap.equal(result.returncode, 1)
        assert "the time is over" in result.stderr and "the robot is stopped" in result.stderr, result.stderr


tap.main(a_map_from_a_file_is_fetched_in_tiles, a_wrong_map_is_refused_with_its_place,
         a_robot_finds_its_way_around_furniture, a_velocity_passes_and_ends_the_journey, goto_drives_and_tells)
