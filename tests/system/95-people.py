#!/usr/bin/env python3
"""A robot among people, in lockstep. argv: the troupe program, the source root."""
import os
import pathlib
import struct
import sys

import navigation
import player
import tap
from navigation import PLANNER, SIMULATION, Robot
from player import ACK, POSITION2D

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
os.environ["TROUPE_WORLD_PATH"] = str(ROOT / "worlds")
# The laser sees what is ahead; somebody walks by, and somebody stands behind.
WORLD = """
interval_sim 100
include "things.inc"
include "people.inc"
include "robots/pioneer.inc"
wall ( pose [0 5 0 0] size [12 0.2 1] ) wall ( pose [0 -5 0 0] size [12 0.2 1] )
wall ( pose [6 0 0 0] size [0.2 10 1] ) wall ( pose [-6 0 0 0] size [0.2 10 1] )
person ( name "kim" pose [2.5 -1 0 90] )
person ( name "lee" pose [-4 4 0 0] )
pioneer ( name "ada" pose [0 0 0 0] lms ( pose [0.03 0 0 0] ) )
"""
STACK = """
driver ( name "sim" worldfile "{world}" provides [ "world:0" "simulation:0" ] lockstep yes lease 0 )
driver ( name "sim" provides [ "position2d:0" "laser:0" ] model "ada" lease 0 )
driver ( name "vfh" provides [ "position2d:1" "planner:1" ] requires [ "position2d:0" "laser:0" ] lease 0
         max_speed 0.4 max_acceleration 0.4 distance_epsilon 0.3 angle_epsilon 10 )
"""


CORRIDOR = WORLD + """
wall ( pose [0 0.75 0 0] size [8 0.2 1] ) wall ( pose [0 -0.75 0 0] size [8 0.2 1] )
"""
ND = STACK[:STACK.index('driver ( name "vfh"')] + """
driver ( name "nd" provides [ "position2d:1" "planner:1" ] requires [ "position2d:0" "laser:0" ] lease 0 )
"""


def put(robot, name, x, y):
    reply = robot.ask(SIMULATION, 0, 2, player.text(name) + struct.pack(">ddd", x, y, 0))
    assert reply.type == ACK, reply


def step(robot):
    robot.step()
    robot.settle(PLANNER, 1, robot.time)


def turns_until_it_touches(robot):
    """The robot turns to a goal behind it; its corner meets what stands there."""
    put(robot, "lee", robot.pose()[0] - 0.445, robot.pose()[1])
    robot.send_pos(1, -3, 0.5)
    for _ in range(60):
        step(robot)
        if robot.stalls > 0:
            return
    raise AssertionError(f"nothing was touched: {robot.pose()}")


def turned_after_a_contact(people):
    """How far it turns in the second and a half after it has touched somebody who stands behind it."""
    with navigation.served(PROGRAM, WORLD, STACK) as server:
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1), (SIMULATION, 0)])
        robot.step(3)
        robot.send_pos(1, 0.35, 0)
        for i in range(20):
            if people:
                put(robot, "kim", 2.5, -1 + 0.06 * i)
            step(robot)
        turns_until_it_touches(robot)
        put(robot, "lee", -4, 4)
        step(robot)  # it is told
        step(robot)
        before = robot.pose()[2]
        for _ in range(15):
            step(robot)
        turned = abs(robot.pose()[2] - before)
        robot.close()
    return turned


def a_robot_that_touches_something_among_people_stands_for_a_while():
    assert turned_after_a_contact(people=True) < 0.1
    assert turned_after_a_contact(people=False) > 0.5


def nd_waits_for_somebody_in_a_corridor_and_does_not_give_up():
    with navigation.served(PROGRAM, CORRIDOR, ND) as server:
        robot = Robot(server.address, [(POSITION2D, 1), (PLANNER, 1), (SIMULATION, 0)])
        robot.step(3)
        robot.send_pos(1, 3, 0)
        for i in range(100):  # to and fro across the way, 0.4 m/s
            put(robot, "kim", 1.2, 0.04 * abs(i % 16 - 8) - 0.16)
            step(robot)
            stalled = struct.unpack_from(">I", robot.latest.get((POSITION2D, 1, 1), bytes(52)), 48)[0]
            tap.equal((i, stalled), (i, 0))
        assert robot.pose()[0] < 1.0, robot.pose()
        put(robot, "kim", -4, -4)
        for _ in range(200):
            step(robot)
        assert robot.plan(1)["done"], (robot.pose(), robot.plan(1))
        robot.close()


tap.main(nd_waits_for_somebody_in_a_corridor_and_does_not_give_up, a_robot_that_touches_something_among_people_stands_for_a_while)
