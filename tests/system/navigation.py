"""Robots that go somewhere in a world in lockstep: what the tests of navigation share."""
import contextlib
import math
import pathlib
import struct
import tempfile

import player
from player import ACK, COMMAND, DATA, POSITION2D, REQUEST

PLANNER, LOCALIZE, MAP, WORLD, SIMULATION = 44, 25, 42, 240, 31


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
        for interface, index in [(POSITION2D, position), *devices]:
            self.client.open(interface, index)
        self.client.open(WORLD, 0)

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
