"""Trials of navigation in real time: the world in one server, amcl, vfh and wavefront in another, Troupe's or Player's.

Player has to be built without NDEBUG: its vfh reads the clock inside of an assertion, and stands still without it.
"""
import collections
import contextlib
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import time

from journeys import SIM, Outcome, arrived, stack_text, watch, world_text  # first: it finds the modules of tests/system
import navigation
import player
from navigation import PLANNER, SIMULATION, Robot, away, truth
from player import POSITION2D


def write_map(grid, folder):
    path = pathlib.Path(folder) / "map.pgm"
    rows = [bytes(0 if value > 0 else 255 for value in grid.cells[row * grid.width:(row + 1) * grid.width])
            for row in reversed(range(grid.height))]
    path.write_bytes(f"P5 {grid.width} {grid.height} 255\n".encode() + b"".join(rows))
    return (f'driver ( name "mapfile" provides [ "map:3" ] filename "{path}" resolution {grid.scale:.6g} '
            f'origin [{grid.x:.6g} {grid.y:.6g} 0] )\n')


@contextlib.contextmanager
def players_server(text, options):
    """Player with a configuration; the address of its port."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "player.cfg"
        path.write_text(text)
        port = options.port
        libraries = {str(file.parent) for file in pathlib.Path(options.player).resolve().parent.parent.rglob("*.so*")}
        environment = dict(os.environ, LD_LIBRARY_PATH=":".join(sorted(libraries)))
        with open(pathlib.Path(folder) / "log", "wb") as log:
            process = subprocess.Popen([options.player, "-q", "-p", str(port), str(path)], stdout=log, stderr=log, env=environment)
        try:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    player.Client(("127.0.0.1", port)).socket.close()
                    break
                time.sleep(0.1)
            yield ("127.0.0.1", port), process.pid
        finally:
            process.kill()  # asked to quit, it can wait for ever for its drivers
            process.wait()
            if options.verbose:
                print((pathlib.Path(folder) / "log").read_text(errors="replace")[-1500:])


@contextlib.contextmanager
def own_server(text, options):
    with player.server(options.program, text) as server:
        yield server.address, server.process.pid


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def players_stack(journey, options, port):
    """Player's drivers take devices of another server by its address. Behind its passthrough, vfh would wait for ever."""
    text = stack_text(journey, options, map=3, sees="", online="online:::", ours="")
    return re.sub(r'"(odometry)?(?::::?)?(position2d|laser):0"', rf'"\1:localhost:{port}:\2:0"', text)


def own_stack(journey, options, port):
    return (f'driver ( name "remote" url "tcp:127.0.0.1:{port}" lease 0 provides [ "position2d:0" "laser:0" ] )\n'
            + stack_text(journey, options, map=3))


class Track:
    """Where the robot was lately: a pose that is told is one of the time of its message, which is past by then."""

    def __init__(self):
        self.places = collections.deque(maxlen=20)
        self.judged = None

    def note(self, robot):
        reply = robot.ask(SIMULATION, 0, 3, player.text("ada") + struct.pack(">7d", *[0] * 7))
        x, y, _, _, _, _, when = struct.unpack(">7d", reply.body[-56:])
        self.places.append((when, x, y))

    def error(self, driver):
        """Of the pose that was told last; None if it was judged before, or if the robot was not seen around that time."""
        when = driver.times.get((POSITION2D, 2))
        if when is None or when == self.judged:
            return None
        self.judged = when
        for (t, x, y), (u, v, w) in zip(self.places, list(self.places)[1:]):
            if t <= when <= u and t < u:
                share = (when - t) / (u - t)
                return away(driver.pose(2), x + share * (v - x), y + share * (w - y))
        return None


def in_real_time(world, grid, journey, options, theirs):
    """The world in one server, the drivers in another; the client listens to both."""
    outcome = Outcome(world)
    outcome.last, outcome.stalled = None, False
    goal, track = journey[2], Track()
    with tempfile.TemporaryDirectory() as folder, \
            navigation.served(options.program, world_text(world, journey, 0), SIM.replace("{pace}", f"speed {options.speed}")) as sim:
        text = write_map(grid, folder) + (players_stack if theirs else own_stack)(journey, options, sim.address[1])
        with (players_server if theirs else own_server)(text, options) as (address, pid):
            robot = Robot(sim.address, [(SIMULATION, 0)])
            driver = Robot(address, [(PLANNER, 0), (POSITION2D, 2)], position=None)
            listen(robot, driver, 2)
            used, begin = cpu_of(pid), robot.times[(POSITION2D, 0)]
            driver.send_goal(0, *goal)
            while robot.times[(POSITION2D, 0)] - begin < options.limit and not arrived(driver, goal):
                listen(robot, driver, 0.1)
                watch(robot, outcome, 0, (0, 0))
                track.note(robot)
                error = track.error(driver)
                outcome.errors += [] if error is None else [error]
                if options.verbose:
                    print(f"# {robot.times[(POSITION2D, 0)] - begin:.1f} s at {outcome.last}: {driver.plan(0)}", flush=True)
            outcome.time = robot.times[(POSITION2D, 0)] - begin
            outcome.cpu, outcome.updates = cpu_of(pid) - used, outcome.time * 10
            outcome.reached = arrived(driver, goal) and away(truth(robot), *goal) < 0.8
            robot.close()
            driver.close()
    return outcome


def listen(robot, driver, seconds):
    """Take what both say for a while."""
    end = time.monotonic() + seconds
    while True:
        for each in (robot, driver):
            each.client.socket.settimeout(0.02)
            with contextlib.suppress(TimeoutError):
                while time.monotonic() < end:
                    each.hear(each.client.message())
            each.client.socket.settimeout(60)
        if time.monotonic() >= end:
            return
