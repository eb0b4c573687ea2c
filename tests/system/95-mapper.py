#!/usr/bin/env python3
"""A map that is made while a robot drives, in lockstep: against the truth, in files, and while somebody asks for it.
argv: the troupe program, the source root."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import navigation
import tap
from navigation import MAP, PLANNER, SIMULATION, Robot, away
from player import POSITION2D

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
os.environ["TROUPE_WORLD_PATH"] = str(ROOT / "worlds")

# The mapper's own pose tells wavefront where the robot is: its odometry drifts.
STACK = navigation.STACK.replace("input:::position2d:0", "input:::position2d:2")
MAPPER = """
driver ( name "mapper" provides [ "map:2" "position2d:2" ] requires [ "position2d:0" "laser:0" ] lease 0
         init_pose [-6.8 2.4 -60] filename "{folder}/office.yaml" )
"""
TOUR = ((-6.8, 0.25), (-2.0, 0.25), (-2.2, 2.6), (0.6, 2.9), (2.2, 0.25), (7.0, 0.25))


def troupe(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=60)


def a_map_of_the_office_is_right_and_loads():
    """Six rooms and a corridor with odometry that drifts; the files are what the device offers."""
    with tempfile.TemporaryDirectory() as folder:
        text = STACK + MAPPER.replace("{folder}", folder)
        with navigation.served(PROGRAM, navigation.office("odom_error [0.03 0.03 0.05 0.05]"), text) as server:
            robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1), (SIMULATION, 0), (MAP, 1), (MAP, 2), (POSITION2D, 2)])
            robot.step(3)
            tap.equal(navigation.fetch_map(robot, 1).known() > 50000, True)
            for x, y in TOUR:
                navigation.travel(robot, x, y, 120)
            here, told = navigation.truth(robot), robot.pose(2)
            assert away(told, *here[:2]) < 0.1, (told, here)
            assert away(robot.pose(0), *here[:2]) > 0.3, "the odometry did not drift"
            tap.equal(robot.stalls, 0)
            made, real = navigation.fetch_map(robot, 2), navigation.fetch_map(robot, 1)
            share, known = made.agreement(real)
            assert share >= 0.95 and known > 25000, (share, known)
            assert not troupe("property", "map:2", "save", "1", "--url", f"localhost:{server.address[1]}").stderr
            robot.close()
        path = pathlib.Path(folder)
        tap.equal(sorted(file.name for file in path.iterdir()), ["office.png", "office.yaml"])
        text = f'driver ( name "mapfile" provides [ "map:0" ] filename "{path}/office.yaml" )'
        with navigation.served(PROGRAM, "", text) as server:
            loaded = navigation.fetch_map(Robot(server.address, [(MAP, 0)], position=None), 0)
        tap.equal(loaded.known(), made.known())
        assert loaded.agreement(real)[0] >= 0.95, loaded.agreement(real)
        if "TROUPE_KEEP_MAP" in os.environ:  # the picture of docs/guide/navigation.md
            pathlib.Path(os.environ["TROUPE_KEEP_MAP"]).write_bytes((path / "office.png").read_bytes())


def a_map_without_a_file_says_so():
    text = STACK + MAPPER.replace('filename "{folder}/office.yaml"', "")
    with navigation.served(PROGRAM, navigation.office(), text) as server:
        robot = Robot(server.address, [(MAP, 2)])
        info = robot.ask(MAP, 2, 1)
        tap.equal(struct.unpack_from(">fII", info.body)[1:], (0, 0))  # nothing was seen yet
        url = f"localhost:{server.address[1]}"
        result = troupe("property", "map:2", "save", "1", "--url", url)
        assert result.returncode != 0 and "gives mapper no `filename`" in result.stderr, result
        robot.close()


def a_wrong_name_is_refused_with_its_place():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.cfg"
        path.write_text('driver ( name "mapper" provides [ "map:0" ] requires [ "position2d:0" "laser:0" ]\n filename "m.png" )\n'
                        'driver ( name "fake" provides [ "position2d:0" "laser:0" ] )\n')
        result = troupe("check", str(path))
        tap.equal(result.returncode, 1)
        assert 'm.cfg:2:' in result.stdout + result.stderr, result
        assert 'filename "m.png" is not a .yaml file' in result.stdout + result.stderr, result


def what_is_missing_is_not_blamed_on_the_file():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.cfg"
        path.write_text('driver ( name "fake" provides [ "position2d:0" ] )\n'
                        'driver ( name "mapper" provides [ "map:0" ]\n filename "m.yaml"\n requires [ "position2d:0" ] )\n')
        result = troupe("check", str(path))
        tap.equal(result.returncode, 1)
        assert "m.cfg:2:1: mapper0: `requires` has no laser, ranger or sonar" in result.stderr, result


tap.main(a_map_of_the_office_is_right_and_loads, a_map_without_a_file_says_so, a_wrong_name_is_refused_with_its_place,
         what_is_missing_is_not_blamed_on_the_file)
