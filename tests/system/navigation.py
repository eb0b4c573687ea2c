"""Robots that go somewhere in a world in lockstep: what the tests of navigation share."""
import contextlib
import math
import pathlib
import struct
import tempfile
import zlib

import player
from player import ACK, COMMAND, DATA, POSITION2D, REQUEST

PLANNER, LOCALIZE, MAP, WORLD, SIMULATION = 44, 25, 42, 240, 31

OFFICE = """
interval_sim 100
include "things.inc"
include "office.inc"
include "robots/pioneer.inc"
pioneer ( name "ada" pose [-6.8 2.4 0 -60] MORE lms ( pose [0.03 0 0 0] ) )
"""
# A world in lockstep with one robot, whose map is known; a robot that goes to places.
STACK = """
driver ( name "sim" worldfile "{world}" provides [ "world:0" "map:1" "simulation:0" ] lockstep yes lease 0 )
driver ( name "sim" provides [ "position2d:0" "laser:0" ] model "ada" lease 0 )
driver ( name "vfh" provides [ "position2d:1" "planner:1" ] requires [ "position2d:0" "laser:0" ] lease 0
         max_speed 0.5 max_acceleration 0.5 distance_epsilon 0.3 angle_epsilon 10 )
driver ( name "wavefront" provides [ "planner:0" ] lease 0
         requires [ "output:::position2d:1" "input:::position2d:0" "map:1" "laser:0" ]
         safety_dist 0.15 distance_epsilon 0.4 angle_epsilon 180 )
"""


def office(odometry=""):
    """The office with one robot; with an error, its odometry drifts."""
    return OFFICE.replace("MORE", f'localization "odom" {odometry}' if odometry else "")


@contextlib.contextmanager
def served(program, world, configuration):
    """A server of the world, and of what the configuration adds: {world} is the path of its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "test.world"
        path.write_text(world)
        with player.server(program, configuration.replace("{world}", str(path))) as server:
            yield server


class Robot:
    """A client that steps the world, and keeps what it hears."""

    def __init__(self, address, devices, position=0):
        self.client = player.Client(address)
        self.position = position  # the index of the robot's own position2d
        self.latest = {}
        self.times = {}
        self.stalls = 0
        self.way = 0.0
        self.time = 0.0
        for interface, index in ([] if position is None else [(POSITION2D, position), (WORLD, 0)]) + devices:
            self.client.open(interface, index)

    def hear(self, message):
        if message.type != DATA:
            return
        before = self.latest.get((message.interf, message.index, message.subtype))
        self.latest[(message.interf, message.index, message.subtype)] = message.body
        self.times[(message.interf, message.index)] = message.time
        if (message.interf, message.index, message.subtype) == (POSITION2D, self.position, 1):
            if before is not None:
                x, y = struct.unpack_from(">2d", before)
                u, v = struct.unpack_from(">2d", message.body)
                self.way += math.hypot(u - x, v - y)
            self.stalls += struct.unpack_from(">I", message.body, 48)[0] != 0

    def step(self, count=1):
        for _ in range(count):
            reply = self.client.request(WORLD, 0, 2, struct.pack(">I", 1))
            assert reply.type == ACK, reply
            self.time = struct.unpack_from(">d", reply.body)[0]
            for message in self.client.passed:
                self.hear(message)

    def ask(self, interface, index, code, body=b""):
        reply = self.client.request(interface, index, code, body)
        for message in self.client.passed:
            self.hear(message)
        return reply

    def settle(self, interface, index, seconds):
        """Wait for data of the device that is as new as a time of the world: whoever made it has seen that step."""
        steps = 0
        # It begins when the devices that it uses have answered; for localize the tests wait before the first step.
        while (interface, index) not in self.times and interface != LOCALIZE:
            self.step()
            steps += 1
            assert steps < 20000, f"device {interface}:{index} sends nothing"
            seconds = self.time
        while self.times.get((interface, index), -1) < seconds - 1e-6:
            self.hear(self.client.message())

    def pose(self, index=None):
        body = self.latest.get((POSITION2D, self.position if index is None else index, 1))
        return struct.unpack_from(">3d", body) if body else None

    def speed(self, index=None):
        body = self.latest[(POSITION2D, self.position if index is None else index, 1)]
        return struct.unpack_from(">6d", body)[3::2]

    def send_pos(self, index, x, y, a=0.0):
        self.client.send(POSITION2D, index, COMMAND, 2, struct.pack(">ddddddI", x, y, a, 0, 0, 0, 1))

    def send_goal(self, index, x, y, a=0.0):
        self.client.send(PLANNER, index, COMMAND, 1, struct.pack(">ddd", x, y, a))

    def plan(self, index=0):
        """valid, done, pos, goal, waypoint, number, count of the planner's last state."""
        body = self.latest.get((PLANNER, index, 1))
        if body is None:
            return None
        values = struct.unpack_from(">II9diI", body)
        return dict(valid=values[0], done=values[1], pos=values[2:5], goal=values[5:8], waypoint=values[8:11],
                    index=values[11], count=values[12])

    def close(self):
        self.client.socket.close()


def away(pose, x, y):
    return math.hypot(pose[0] - x, pose[1] - y)


def travel(robot, x, y, seconds, planner=0):
    """Go there by a planner; whether it arrives in time. Returns the states on the way."""
    states = []
    robot.send_goal(planner, x, y)
    for _ in range(int(seconds * 10)):
        robot.step()
        robot.settle(PLANNER, planner, robot.time)
        robot.settle(PLANNER, 1, robot.time)
        states.append(robot.plan(planner))
        if states[-1]["done"] and away(states[-1]["goal"], x, y) < 1e-6:
            return states
    raise AssertionError(f"not at {x} {y} after {seconds} s: {robot.plan(planner)} {robot.pose()}")


def truth(robot, name="ada"):
    """Where a robot is."""
    reply = robot.ask(SIMULATION, 0, 1, player.text(name) + struct.pack(">ddd", 0, 0, 0))
    assert reply.type == ACK, reply
    return struct.unpack(">ddd", reply.body[-24:])


class Grid:
    """A map that was fetched: -1 is free, 0 unknown, 1 occupied."""

    def __init__(self, scale, width, height, x, y, cells):
        self.scale, self.width, self.height, self.x, self.y, self.cells = scale, width, height, x, y, cells

    def known(self):
        return sum(1 for value in self.cells if value)

    def near(self, x, y, value):
        """Whether there is such a cell at a place or next to it."""
        column, row = math.floor((x - self.x) / self.scale), math.floor((y - self.y) / self.scale)
        for v in range(max(row - 1, 0), min(row + 2, self.height)):
            start = v * self.width
            if value in self.cells[start + max(column - 1, 0):start + min(column + 2, self.width)]:
                return True
        return False

    def agreement(self, truth):
        """The share of the known cells that the truth has too, there or in the next cell, and their number."""
        right = known = 0
        for row in range(self.height):
            y = self.y + (row + 0.5) * self.scale
            for column in range(self.width):
                value = self.cells[row * self.width + column]
                if value:
                    known += 1
                    right += truth.near(self.x + (column + 0.5) * self.scale, y, value)
        return (right / known if known else 0.0), known


def fetch_map(robot, index):
    """The map of a device, in tiles of a hundred rows."""
    scale, width, height, x, y, _ = struct.unpack(">fIIddd", robot.ask(MAP, index, 1).body)
    cells = []
    for row in range(0, height, 100):
        reply = robot.ask(MAP, index, 2, struct.pack(">IIIIIiI", 0, row, width, min(100, height - row), 0, 0, 0))
        assert reply.type == ACK, reply
        # Column, row, width, height, range and the array's length twice stand before the packed cells.
        tile = zlib.decompress(reply.body[28:])
        cells += struct.unpack(f">{len(tile)}b", tile)
    return Grid(round(scale, 7), width, height, x, y, cells)
