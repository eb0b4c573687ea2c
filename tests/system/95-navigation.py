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
from navigation import LOCALIZE, MAP, PLANNER, SIMULATION, Robot, away, travel, truth
from player import ACK, POSITION2D

SCENE = 244
POINTS, LINE, LINES = 0, 1, 2  # kinds of strokes
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
WAVEFRONT = """
driver ( name "wavefront" provides [ "planner:0" "offline:::planner:2" ] lease 0
         requires [ "output:::position2d:1" "input:::position2d:0" "map:1" "laser:0" ]
         safety_dist 0.15 distance_epsilon 0.4 angle_epsilon 180 )
"""
# A room with a wall in the middle that has two doors. A crate stands in the nearer one.
TWO_DOORS = """
interval_sim 100
include "things.inc"
include "robots/pioneer.inc"
wall ( pose [0 3.1 0 0] size [8.4 0.2 1] )
wall ( pose [0 -3.1 0 0] size [8.4 0.2 1] )
wall ( pose [4.1 0 0 0] size [0.2 6 1] )
wall ( pose [-4.1 0 0 0] size [0.2 6 1] )
wall ( pose [0 2.6 0 0] size [0.2 0.8 1] )
wall ( pose [0 -0.1 0 0] size [0.2 2.2 1] )
wall ( pose [0 -2.7 0 0] size [0.2 0.6 1] )
wall ( name "crate" pose [0 1.6 0 0] size [0.3 1.0 1] )
pioneer ( name "ada" pose [-2.5 1.2 0 0] lms ( pose [0.03 0 0 0] ) )
"""
AMCL = """
driver ( name "amcl" provides [ "localize:0" "position2d:2" ] lease 0
         requires [ "odometry:::position2d:0" "laser:0" "laser:::map:1" ] laser_range_max 8
         init_pose {pose} init_pose_var {var} )
"""
WANDERS = OFFICE.replace("lms (", 'ctrl "wander" localization "odom" odom_error [0.03 0.03 0.05 0.05] lms (')
LOST = SIM.replace('"map:1"', '"map:1" "simulation:0"') + AMCL.replace("{pose}", "[0 0 0]").replace("{var}", "[100 100 360]")
MAP_OF_DOORS = """
driver ( name "mapfile" provides [ "map:1" ] filename "{map}" resolution 0.05 )
"""


def doors_map(folder):
    """The same room without the crate, as a picture."""
    walls = [(0, 3.1, 8.4, 0.2), (0, -3.1, 8.4, 0.2), (4.1, 0, 0.2, 6), (-4.1, 0, 0.2, 6), (0, 2.6, 0.2, 0.8),
             (0, -0.1, 0.2, 2.2), (0, -2.7, 0.2, 0.6)]
    width, height, side = 168, 128, 0.05
    cells = bytearray(b"\xff" * (width * height))
    for row in range(height):
        for column in range(width):
            x, y = (column + 0.5 - width / 2) * side, (height / 2 - row - 0.5) * side
            if any(abs(x - u) <= w / 2 and abs(y - v) <= h / 2 for u, v, w, h in walls):
                cells[row * width + column] = 0
    path = pathlib.Path(folder) / "doors.pgm"
    path.write_bytes(f"P5 {width} {height} 255\n".encode() + cells)
    return path


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
            cells = zlib.decompress(reply.body[28:])  # Player sends maps compressed
            tap.equal(list(struct.unpack(">6b", cells)), [-1, -1, 1, -1, 0, -1])


def a_map_grows_and_gets_other_cells():
    """mapcspace and mapscale, as devices that others ask."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.pgm"
        path.write_bytes(b"P5 8 4 255\n" + bytes([0] + [255] * 31))  # the highest cell on the left is occupied
        text = (f'driver ( name "mapfile" provides [ "map:0" ] filename "{path}" resolution 0.5 origin [0 0 0] )\n'
                'driver ( name "mapcspace" provides [ "map:1" ] requires [ "map:0" ] robot_radius 0.6 )\n'
                'driver ( name "mapscale" provides [ "map:2" ] requires [ "map:0" ] resolution 1 )\n')
        with navigation.served(PROGRAM, "", text) as server:
            robot = Robot(server.address, [(MAP, 1), (MAP, 2)], position=None)
            grown, scaled = navigation.fetch_map(robot, 1), navigation.fetch_map(robot, 2)
            robot.close()
        tap.equal((grown.width, grown.height), (8, 4))
        tap.equal([i for i, value in enumerate(grown.cells) if value > 0], [16, 24, 25])
        tap.equal((scaled.width, scaled.height, scaled.scale), (4, 2, 1))
        tap.equal(scaled.cells, [-1, -1, -1, -1, 1, -1, -1, -1])


def older_names_of_interfaces_are_understood():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "old.cfg"
        path.write_text('driver ( name "fake" provides [ "position:0"\n "laser2d:0"\n "left::sonar:0" ] )\n'
                        'driver ( name "passthrough" provides [ "laser:1" ] requires [ "front::laser2d:0" ] )\n'
                        'driver ( name "passthrough" provides [ "sonar:1" ] requires [ "robot2::sonar:9" ] )\n')
        result = troupe("check", str(path))
        tap.equal(result.returncode, 0)
        for words in ('old.cfg:1:33: "position" is an older name: the interface is "position2d" now',
                      'old.cfg:2:2: "laser2d" is an older name: the interface is "laser" now', "position2d:0",
                      'old.cfg:3:2: "left::sonar:0" is an older form: a key has three colons now, "left:::sonar:0"',
                      'old.cfg:4:63: "front::laser2d:0" is a device of the host front; with a key it is "front:::laser2d:0"'):
            assert words in result.stdout + result.stderr, result
        assert "robot2" not in result.stdout + result.stderr, result


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


def position_control_is_that_of_the_journey():
    """The robot below takes velocities all the time, so POSITION_MODE is not for it."""
    with navigation.served(PROGRAM, OFFICE, SIM + VFH) as server:
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1)])
        robot.step()
        velocity = struct.pack(">dddI", 0, 0, 0.5, 1)
        robot.client.send(POSITION2D, 1, player.COMMAND, 1, velocity)
        robot.step()
        robot.settle(PLANNER, 1, robot.time)
        robot.step(5)
        tap.equal(robot.ask(POSITION2D, 1, 4, struct.pack(">I", 1)).type, ACK)
        robot.step(5)
        tap.equal(robot.speed(), (0.0, 0.0))  # the velocity has ended
        robot.client.send(POSITION2D, 1, player.COMMAND, 1, velocity)  # refused
        assert drive(robot, -7.0, 0.25, 80), (robot.pose(), robot.time)
        robot.send_pos(1, -6.8, 2.4)
        while robot.speed() == (0.0, 0.0):
            robot.step()
            robot.settle(PLANNER, 1, robot.time)  # vfh has decided by then
        robot.client.send(POSITION2D, 1, player.COMMAND, 1, struct.pack(">dddI", 0, 0, 0, 0))  # a stop is obeyed
        robot.step()
        robot.settle(PLANNER, 1, robot.time)
        robot.step(10)
        tap.equal(robot.speed(), (0.0, 0.0))
        robot.send_pos(1, -6.8, 2.4)
        while robot.speed() == (0.0, 0.0):
            robot.step()
            robot.settle(PLANNER, 1, robot.time)
        tap.equal(robot.ask(POSITION2D, 1, 4, struct.pack(">I", 0)).type, ACK)
        robot.step(5)
        tap.equal(robot.speed(), (0.0, 0.0))  # so has the journey
        robot.send_pos(1, 0.0, 0.25)  # refused
        robot.step(10)
        tap.equal(robot.speed(), (0.0, 0.0))
        robot.close()


def nd_goes_through_a_door_and_gives_up_without_progress():
    text = """driver ( name "nd" provides [ "position2d:1" "planner:1" ] lease 0 goal_tol [0.3 15] max_speed [0.4 45]
              requires [ "output:::position2d:0" "input:::position2d:0" "laser:0" ] translate_stuck_time 5 rotate_stuck_time 5 )"""
    with navigation.served(PROGRAM, OFFICE, SIM + text) as server:
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1)])
        robot.step()
        assert drive(robot, -7.0, 0.25, 80), (robot.pose(), robot.time)
        tap.equal(robot.stalls, 0)
        robot.close()
    stuck = text.replace("translate_stuck_time", "translate_stuck_dist 9 translate_stuck_angle 3000 translate_stuck_time")
    with navigation.served(PROGRAM, OFFICE, SIM + stuck) as server:  # no robot goes nine metres in seven seconds
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1)])
        robot.step()
        robot.send_pos(1, 0, 0.25)
        while robot.time < 20 and not struct.unpack_from(">I", robot.latest.get((POSITION2D, 1, 1), bytes(64)), 48)[0]:
            robot.step()
            robot.settle(PLANNER, 1, robot.time)
        assert 6 < robot.time < 12, robot.time
        robot.step(20)
        tap.equal(robot.speed(), (0.0, 0.0))
        tap.equal(robot.stalls, 0)  # the robot itself has touched nothing
        robot.close()


def snd_goes_through_a_door():
    text = """driver ( name "snd" provides [ "position2d:1" "planner:1" ] lease 0 goal_position_tol 0.3 max_speed 0.4 robot_radius 0.24
              obstacle_avoid_dist 0.5 requires [ "output:::position2d:0" "input:::position2d:0" "laser:0" ] )"""
    with navigation.served(PROGRAM, OFFICE, SIM + text) as server:
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1)])
        robot.step()
        assert drive(robot, -7.0, 0.25, 80), (robot.pose(), robot.time)
        tap.equal(robot.stalls, 0)
        robot.close()


# ---- wavefront ----

def a_way_through_doors_is_planned_and_driven():
    """From one office into another, where a straight line crosses walls; and a plan that moves nothing."""
    with navigation.served(PROGRAM, OFFICE, SIM + VFH + WAVEFRONT) as server:
        robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1), (PLANNER, 2)])
        robot.step(3)
        states = travel(robot, 2.2, 2.5, 120)
        assert away(robot.pose(), 2.2, 2.5) < 0.5, robot.pose()
        assert max(state["count"] for state in states) >= 3, "no waypoints"
        tap.equal(robot.stalls, 0)
        here = robot.pose()
        robot.client.send(PLANNER, 2, player.COMMAND, 2, struct.pack(">ddd", -6.8, 2.4, 0))
        robot.client.send(PLANNER, 2, player.COMMAND, 1, struct.pack(">ddd", 5.0, -1.6, 0))
        reply = robot.ask(PLANNER, 2, 1)
        length, count = struct.unpack_from(">dI", reply.body)
        assert 13 < length < 20 and count >= 3, (length, count)
        robot.client.send(PLANNER, 2, player.COMMAND, 1, struct.pack(">ddd", 99.0, 0, 0))
        tap.equal(struct.unpack_from(">dI", robot.ask(PLANNER, 2, 1).body)[1], 0)
        tap.equal(robot.pose(), here)
        robot.close()


def a_closed_door_makes_it_take_another_one():
    """A crate stands in the door that the map has as open: the way leads through the other one."""
    with tempfile.TemporaryDirectory() as folder:
        text = (SIM.replace('"map:1"', "") + MAP_OF_DOORS.replace("{map}", str(doors_map(folder))) + VFH + WAVEFRONT)
        with navigation.served(PROGRAM, TWO_DOORS, text) as server:
            robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1)])
            robot.step(3)
            travel(robot, 2.5, 0, 150)
            assert away(robot.pose(), 2.5, 0) < 0.5, robot.pose()
            tap.equal(robot.stalls, 0)
            robot.close()


def a_driver_that_stops_early_is_sent_farther():
    """nd is there half a metre before a place, by default; for this planner 0.4 m count."""
    nd = 'driver ( name "nd" provides [ "position2d:1" "planner:1" ] requires [ "position2d:0" "laser:0" ] lease 0 )\n'
    with navigation.served(PROGRAM, TWO_DOORS.replace("pose [0 1.6 0 0]", "pose [-3 -2 0 0]"), SIM + nd + WAVEFRONT) as server:
        robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1)])
        robot.step(3)
        travel(robot, 2.5, 0, 60)
        assert away(robot.pose(), 2.5, 0) < 0.45, robot.pose()
        robot.close()


def enable_holds_the_robot():
    with navigation.served(PROGRAM, OFFICE, SIM + VFH + WAVEFRONT) as server:
        robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1)])
        robot.step(3)
        tap.equal(robot.ask(PLANNER, 0, 2, struct.pack(">I", 0)).type, ACK)
        robot.send_goal(0, -7, 0.25)
        for _ in range(30):
            robot.step()
            robot.settle(PLANNER, 0, robot.time)
        tap.equal(robot.way, 0.0)
        tap.equal(robot.plan()["valid"], 1)
        tap.equal(robot.ask(PLANNER, 0, 2, struct.pack(">I", 1)).type, ACK)
        travel(robot, -7, 0.25, 60)
        robot.close()


# ---- amcl ----

def guesses(robot):
    """Weight, pose of each guess, the best first."""
    body = robot.latest.get((LOCALIZE, 0, 1))
    if body is None:
        return []
    count = struct.unpack_from(">I", body, 12)[0]
    found = [struct.unpack_from(">10d", body, 20 + 80 * i) for i in range(count)]
    return [(values[9], values[:3]) for values in found]


def error(robot):
    """Of the best guess: metres."""
    found = guesses(robot)
    return away(found[0][1], *truth(robot)[:2]) if found else 99.0


def wait_for_map(robot):
    """Before the first step: amcl has fetched the map."""
    while struct.unpack_from(">I", robot.ask(LOCALIZE, 0, 2).body, 32)[0] == 0:
        pass


def a_lost_robot_finds_itself_and_again_when_carried_away():
    """It wanders with bad odometry and does not know where it is; then it is put elsewhere."""
    with navigation.served(PROGRAM, WANDERS, LOST) as server:
        robot = Robot(server.address, [(LOCALIZE, 0), (POSITION2D, 2), (SIMULATION, 0)])
        wait_for_map(robot)
        while error(robot) > 0.4 and robot.time < 40:
            robot.step(2)
            robot.settle(LOCALIZE, 0, robot.time)
        assert robot.time < 30, f"lost for {robot.time} s: {guesses(robot)} {truth(robot)}"
        errors = []
        for _ in range(50):
            robot.step(2)
            robot.settle(LOCALIZE, 0, robot.time)
            errors.append(error(robot))
        assert sorted(errors)[25] < 0.25, errors
        weight, pose = guesses(robot)[0]
        assert away(robot.pose(2), *pose[:2]) < 0.2 and weight > 0.5, (robot.pose(2), pose, weight)
        reply = robot.ask(LOCALIZE, 0, 2)
        assert struct.unpack_from(">I", reply.body, 32)[0] >= 100, reply
        robot.ask(SIMULATION, 0, 2, player.text("ada") + struct.pack(">ddd", 5.0, -1.8, 0))
        carried = robot.time
        robot.step(2)
        while error(robot) > 0.4 and robot.time < carried + 90:
            robot.step(2)
            robot.settle(LOCALIZE, 0, robot.time)
        assert robot.time < carried + 80, f"{guesses(robot)} {truth(robot)}"
        robot.close()


def all_three_bring_a_robot_into_another_room():
    """Map, amcl with odometry that drifts, vfh and wavefront: the goal is one of the map."""
    world = OFFICE.replace("lms (", 'localization "odom" odom_error [0.03 0.03 0.05 0.05] lms (')
    amcl = AMCL.replace("{pose}", "[-6.8 2.4 -60]").replace("{var}", "[0.3 0.3 10]")
    stack = WAVEFRONT.replace("input:::position2d:0", "input:::position2d:2")
    text = SIM.replace('"map:1"', '"map:1" "simulation:0"') + amcl + VFH + stack
    with navigation.served(PROGRAM, world, text) as server:
        robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1), (SIMULATION, 0), (LOCALIZE, 0)])
        wait_for_map(robot)
        robot.step(3)
        travel(robot, 2.2, 2.5, 150)
        assert away(truth(robot), 2.2, 2.5) < 0.7, truth(robot)
        tap.equal(robot.stalls, 0)
        robot.close()
        again = Robot(server.address, [(SIMULATION, 0), (LOCALIZE, 0), (POSITION2D, 2)])  # amcl has stopped, and starts again
        wait_for_map(again)
        again.step(3)
        again.settle(LOCALIZE, 0, again.time)
        assert error(again) < 0.4, (guesses(again), truth(again))
        again.close()


def two_clients_see_guesses_and_one_pose():
    """The same driver is a localize with several guesses for one client, and a position2d with one pose for another."""
    with navigation.served(PROGRAM, OFFICE, LOST) as server:
        simple = Robot(server.address, [(POSITION2D, 2), (SIMULATION, 0)])
        guesses = Robot(server.address, [(LOCALIZE, 0)], position=None)
        wait_for_map(guesses)
        for _ in range(10):
            simple.step()
            guesses.settle(LOCALIZE, 0, simple.time)
        body = guesses.latest[(LOCALIZE, 0, 1)]
        assert struct.unpack_from(">I", body, 12)[0] >= 1, body
        best = struct.unpack_from(">3d", body, 20)
        for variance in (-1, float("nan")):
            wrong = guesses.client.request(LOCALIZE, 0, 1, struct.pack(">9d", 0, 0, 0, variance, 1, 1, 0, 0, 0))
            tap.equal(wrong.type, player.NACK)
        simple.step()
        while simple.times.get((POSITION2D, 2), -1) < simple.time - 0.05:  # there is a guess, so it tells the pose of every step
            simple.hear(simple.client.message())
        pose = simple.pose(2)
        assert away(best, *pose[:2]) < 0.05, (best, pose)
        assert away(pose, *truth(simple)[:2]) < 0.3, (pose, truth(simple))
        simple.close()
        guesses.close()


def strokes(robot):
    """What was drawn, as (in the frame of the world, kind, points)."""
    drawn = []
    first = total = 0
    while first == 0 or first < total:
        reply = robot.ask(SCENE, 0, 6, struct.pack(">II", first, 0))
        _, total, count = struct.unpack_from(">3I", reply.body)
        at = 16
        for _ in range(count):
            model, kind = struct.unpack_from(">II", reply.body, at)
            numbers = struct.unpack_from(">I", reply.body, at + 40)[0]
            points = struct.unpack_from(f">{numbers}f", reply.body, at + 48)
            drawn.append((model == 0xffffffff, kind, list(zip(points[::2], points[1::2]))))
            at += 48 + 4 * numbers
        first += count
        if count == 0:
            break
    return drawn


def way_and_particles_are_drawn_on_the_world():
    """The way from the robot to the goal until it is there; particles around the robot."""
    amcl = AMCL.replace("{pose}", "[-6.8 2.4 -60]").replace("{var}", "[0.3 0.3 10]").replace('"laser:::map:1"', '"laser:::map:1" "graphics2d:1"')
    stack = WAVEFRONT.replace("input:::position2d:0", "input:::position2d:2").replace('"map:1"', '"map:1" "graphics2d:0"')
    text = SIM.replace('"map:1"', '"map:1" "scene:0" "world:::graphics2d:0" "world:::graphics2d:1" "simulation:0"') + amcl + VFH + stack
    with navigation.served(PROGRAM, OFFICE, text) as server:
        robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1), (SCENE, 0), (LOCALIZE, 0)])
        wait_for_map(robot)
        robot.step(3)
        robot.send_goal(0, -7, 0.25)
        drawn = []
        while not {LINE, LINES, POINTS} <= {kind for _, kind, _ in drawn}:  # each drawing takes several commands
            robot.step()
            drawn = strokes(robot)
        tap.equal({of_world for of_world, _, _ in drawn}, {True})
        way = next(points for _, kind, points in drawn if kind == LINE)
        assert away(way[0], -6.8, 2.4) < 0.5 and away(way[-1], -7, 0.25) < 0.5, way
        waypoints = next(points for _, kind, points in drawn if kind == POINTS)
        tap.equal(waypoints, way[1:])
        particles = next(points for _, kind, points in drawn if kind == LINES)
        assert len(particles) >= 200 and max(away(point, -6.8, 2.4) for point in particles) < 2.5, particles
        travel(robot, -7, 0.25, 60)
        while any(kind == LINE for _, kind, _ in drawn):
            robot.step()
            drawn = strokes(robot)
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


def goto_says_why_a_robot_does_not_get_on():
    """One that drives straight on meets a wall; a planner has no way to a place behind all walls."""
    fast = SIM.replace("lockstep yes", "speed 8")
    with navigation.served(PROGRAM, OFFICE, fast + VFH + WAVEFRONT) as server:
        url = f"localhost:{server.address[1]}"
        result = troupe("goto", "30", "30", "--url", url, "--within", "3")
        tap.equal(result.returncode, 1)
        assert " m to go; there is no way at the moment\n" in result.stdout, result.stdout
        result = troupe("goto", "-30", "2.4", "position2d:0", "--url", url, "--within", "5")
        tap.equal(result.returncode, 1)
        assert " m to go; something is in the way\n" in result.stdout, result.stdout


tap.main(a_map_from_a_file_is_fetched_in_tiles, a_map_grows_and_gets_other_cells, older_names_of_interfaces_are_understood,
         a_wrong_map_is_refused_with_its_place,
         a_robot_finds_its_way_around_furniture, a_velocity_passes_and_ends_the_journey,
         position_control_is_that_of_the_journey,
         nd_goes_through_a_door_and_gives_up_without_progress, snd_goes_through_a_door,
         a_way_through_doors_is_planned_and_driven, a_closed_door_makes_it_take_another_one,
         a_driver_that_stops_early_is_sent_farther, enable_holds_the_robot,
         a_lost_robot_finds_itself_and_again_when_carried_away, all_three_bring_a_robot_into_another_room,
         two_clients_see_guesses_and_one_pose, way_and_particles_are_drawn_on_the_world, goto_drives_and_tells,
         goto_says_why_a_robot_does_not_get_on)
