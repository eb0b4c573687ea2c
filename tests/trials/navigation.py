#!/usr/bin/env python3
"""Trials of navigation in simulated worlds: the same starts and goals, the same in every run.

Without --player, everything runs in one server in lockstep, as fast as the machine can. With --player, the world is served in
real time, and amcl and wavefront run in another server: Troupe's, then Player's, one after the other under the same conditions.
vfh runs beside the world in both cases: that of Player waits for ever for devices of another server.
"""
import argparse
import collections
import contextlib
import math
import os
import pathlib
import random
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from math import degrees

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "system"))
# pylint: disable=wrong-import-position
import navigation  # noqa: E402
import player  # noqa: E402
from navigation import LOCALIZE, MAP, PLANNER, SIMULATION, Robot, away, fetch_map, truth  # noqa: E402
from player import ACK, POSITION2D  # noqa: E402

ROBOT = 'pioneer ( name "ada" pose [{x} {y} 0 {a}] localization "odom" odom_error [0.03 0.03 0.05 0.05] {more} {laser} )\n'
LASER = 'ranger ( pose [0.03 0 0 0] size [0.15 0.15 0.19] sensor ( pose [0 0 0.1 0] range [0 8] fov {view} samples {samples} noise [0.0001 0.002 0] ) )'
PERSON = 'person ( name "person{i}" pose [{x} {y} 0 {a}] ctrl "wander" )\n'
HEAD = 'interval_sim 100\ninclude "things.inc"\ninclude "robots/pioneer.inc"\ninclude "people.inc"\n'
DOORS = """
wall ( pose [0 3.1 0 0] size [12.4 0.2 1] ) wall ( pose [0 -3.1 0 0] size [12.4 0.2 1] )
wall ( pose [6.1 0 0 0] size [0.2 6 1] ) wall ( pose [-6.1 0 0 0] size [0.2 6 1] )
wall ( pose [-2 1.9 0 0] size [0.2 2.4 1] ) wall ( pose [-2 -1.85 0 0] size [0.2 2.3 1] )
wall ( pose [2 0.9 0 0] size [0.2 4.2 1] ) wall ( pose [2 -2.7 0 0] size [0.2 0.6 1] )
crate ( pose [-4 0.5 0 20] ) crate ( pose [0.3 -1.2 0 0] ) crate ( pose [4.5 1.4 0 45] ) crate ( pose [0 1.6 0 10] )
"""
SIM = """
driver ( name "sim" worldfile "{world}" provides [ "world:0" "map:1" "simulation:0" ] {pace} lease 0 )
driver ( name "sim" provides [ "position2d:0" "laser:0" ] model "ada" lease 0 )
"""
AMCL = """
driver ( name "amcl" provides [ "localize:0" "position2d:2" ] {ours}
         requires [ "odometry:::position2d:0" "laser:0" "laser:::map:{map}" ] laser_range_max 8
         init_pose [{x} {y} {a}] init_pose_var [{var}] )
"""
VFH = """
driver ( name "vfh" provides [ "position2d:1" "planner:1" ] requires [ "position2d:0" "laser:0" ] {ours}
         max_speed 0.4 max_acceleration 0.4 distance_epsilon 0.3 angle_epsilon 10 safety_dist_0ms 0.1 safety_dist_1ms 0.1 {method} )
"""
WAVEFRONT = """
driver ( name "wavefront" provides [ "{online}planner:0" ] {ours}
         requires [ "output:::position2d:1" "input:::position2d:2" "map:{map}" {sees} ]
         safety_dist 0.15 distance_epsilon 0.5 angle_epsilon 180 )
"""


def block_of(name):
    """A world of worlds/ without its robots and its head."""
    text = (ROOT / "worlds" / f"{name}.world").read_text()
    text = re.sub(r"^\s*(name|interval_sim|include|window).*$", "", text, flags=re.M)
    return re.sub(r"^(carrier|pioneer|finch|create) \(.*?\)\s*$", "", text, flags=re.M | re.S)


def walls_of(name):
    if name == "office":
        return 'include "office.inc"\n'
    if name == "cave":
        return 'model ( name "rock" size [28.16 17.92 1.5] bitmap "cave.png" )\n'
    if name == "doors":
        return DOORS
    if name == "hall":  # a large room with pillars
        spots = [(x, y) for x in range(-8, 9, 4) for y in range(-4, 5, 4) if (x, y) != (0, 0)]
        return ("wall ( pose [0 6.5 0 0] size [20.2 0.2 1] ) wall ( pose [0 -6.5 0 0] size [20.2 0.2 1] )\n"
                "wall ( pose [10 0 0 0] size [0.2 13 1] ) wall ( pose [-10 0 0 0] size [0.2 13 1] )\n"
                + "".join(f"pillar ( pose [{x + 0.3 * y} {y + 0.1 * x} 0 0] size [0.6 0.6 2] )\n" for x, y in spots))
    return block_of(name)


WORLDS = ("office", "cave", "warehouse", "doors", "hall")
CROWDED = ("office", "cave", "warehouse")


# ---- Starts and goals ----

def open_places(grid, room, side=0.2):
    """Places with so much room around them, on a coarse grid, as {cell: (x, y)}; only those that can be reached from each
    other: the largest such set."""
    step = round(side / grid.scale)
    reach = math.ceil(room / grid.scale)
    full = (1 << grid.width) - 1
    rows = []
    for row in range(grid.height):  # a row as the bits of a number
        bits = int("".join("1" if value > 0 else "0" for value in reversed(grid.cells[row * grid.width:(row + 1) * grid.width])), 2)
        wide = bits
        for i in range(1, reach + 1):
            wide |= bits << i | bits >> i
        rows.append(wide & full)
    taken = []
    for row in range(grid.height):
        tall = 0
        for other in rows[max(row - reach, 0):row + reach + 1]:
            tall |= other
        taken.append(tall)
    cells = {(c, r): (grid.x + (c + 0.5) * grid.scale, grid.y + (r + 0.5) * grid.scale)
             for r in range(0, grid.height, step) for c in range(0, grid.width, step) if not taken[r] >> c & 1}
    best = {}
    left = dict(cells)
    while left:
        first = next(iter(left))
        found = dict([(first, left.pop(first))])
        wave = collections.deque([first])
        while wave:
            c, r = wave.popleft()
            for near in ((c + step, r), (c - step, r), (c, r + step), (c, r - step)):
                if near in left:
                    found[near] = left.pop(near)
                    wave.append(near)
        inside = [(x, y) for x, y in found.values()]
        touches = any(c == 0 or r == 0 or c + step >= grid.width or r + step >= grid.height for c, r in found)
        if len(inside) > len(best) and not touches:
            best = found
    return list(best.values())


def journeys(world, count, seed):
    """Starts and goals, at least 4 m from each other."""
    text = HEAD + walls_of(world) + ROBOT.format(x=0, y=0, a=0, more="", laser="lms ( )")
    with navigation.served(PROGRAM, text, SIM.replace("{pace}", "lockstep yes")) as server:
        robot = Robot(server.address, [(MAP, 1)])
        grid = fetch_map(robot, 1)
        robot.close()
    places = open_places(grid, 0.5)
    chance = random.Random(f"{world} {seed}")
    found = []
    while len(found) < count:
        start, goal = chance.choice(places), chance.choice(places)
        if away(start, *goal) >= 4:
            crowd = [chance.choice(places) for _ in range(60)]
            found.append((start, chance.uniform(-math.pi, math.pi), goal, crowd))
    return grid, found


# ---- One trial ----

class Outcome:
    def __init__(self, world):
        self.world, self.reached, self.time, self.way = world, False, 0.0, 0.0
        self.contacts, self.guilty, self.turning, self.errors, self.cpu, self.updates = 0, 0, 0, [], 0.0, 0
        self.verbose = False


def laser_text(view):
    """The robot's laser, which sees half a turn, or one that sees more, twice for each degree."""
    return "lms ( pose [0.03 0 0 0] )" if view == 180 else LASER.format(view=view, samples=2 * view + 1)


def world_text(world, journey, people, more="", view=180):
    start, heading, goal, crowd = journey
    text = HEAD + walls_of(world) + ROBOT.format(x=start[0], y=start[1], a=degrees(heading), more=more, laser=laser_text(view))
    free = []
    for place in crowd:  # two people in one place could not walk, and would close a door for ever
        if away(place, *start) > 1.5 and away(place, *goal) > 1.5 and all(away(place, *other) > 0.8 for other in free):
            free.append(place)
    for i, place in enumerate(free[:people]):
        text += PERSON.format(i=i, x=place[0], y=place[1], a=i * 77 % 360)
    return text


def stack_text(journey, options, text=AMCL + VFH + WAVEFRONT, **values):
    start, heading = journey[0], journey[1]
    fields = dict(x=start[0], y=start[1], a=degrees(heading), var="0.3 0.3 10", ours="lease 0", map=1, sees='"laser:0"', online="", method=options.method)
    fields.update(values)
    for key, value in fields.items():
        text = text.replace("{" + key + "}", str(value))
    return text


def beside(pose, person):
    """Where a person is in the frame of the robot."""
    dx, dy = person[0] - pose[0], person[1] - pose[1]
    return dx * math.cos(pose[2]) + dy * math.sin(pose[2]), dy * math.cos(pose[2]) - dx * math.sin(pose[2])


def towards(pose, speed, person):
    """Whether a robot moves in the direction of a person that is next to it."""
    return away(person, *pose[:2]) < 0.75 and speed[0] * beside(pose, person)[0] > 1e-3


def watch(robot, outcome, people, speed):
    """Contacts, whether the robot is to blame, the way, the error of localization."""
    here = truth(robot)
    if outcome.last is not None:
        outcome.way += away(here, *outcome.last[:2])
    outcome.last = here
    stalled = struct.unpack_from(">I", robot.latest[(POSITION2D, 0, 1)], 48)[0] != 0
    if stalled and not outcome.stalled:
        crowd = [truth(robot, f"person{i}") for i in range(people)]
        outcome.contacts += 1
        outcome.guilty += any(towards(here, speed, person) for person in crowd)
        outcome.turning += abs(speed[0]) < 0.01 < abs(speed[1])
        if outcome.verbose:
            print(f"# {outcome.world}: contact at {robot.time:.1f} s, speed {speed[0]:.2f} {speed[1]:.2f}, people at "
                  + ", ".join("{:.2f} {:.2f}".format(*beside(here, person)) for person in crowd if away(person, *here[:2]) < 1.5), flush=True)
    outcome.stalled = stalled
    told = robot.pose(2)
    if told is not None:
        outcome.errors.append(away(told, *here[:2]))


def arrived(robot, goal):
    plan = robot.plan(0)
    return plan is not None and plan["done"] and away(plan["goal"], *goal) < 0.01


def catch_up(robot, index):
    """Wait for a planner; but one that decided before amcl had told the pose of this step says nothing until the next one."""
    robot.client.socket.settimeout(2)
    with contextlib.suppress(TimeoutError):
        robot.settle(PLANNER, index, robot.time)
    robot.client.socket.settimeout(60)


def in_lockstep(world, journey, options, people=0):
    outcome = Outcome(world)
    outcome.last, outcome.stalled, outcome.verbose = None, False, options.verbose
    goal = journey[2]
    text = SIM.replace("{pace}", "lockstep yes") + stack_text(journey, options)
    with navigation.served(PROGRAM, world_text(world, journey, people, view=options.view), text) as server:
        robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1), (SIMULATION, 0), (LOCALIZE, 0), (POSITION2D, 2)])
        while struct.unpack_from(">I", robot.ask(LOCALIZE, 0, 2).body, 32)[0] == 0:
            pass
        robot.step(3)
        begin = robot.time
        robot.send_goal(0, *goal)
        while robot.time - begin < options.limit and not arrived(robot, goal):
            speed = robot.speed(0)
            robot.step()
            catch_up(robot, 0)
            catch_up(robot, 1)
            watch(robot, outcome, people, speed)
        outcome.time = robot.time - begin
        outcome.reached = arrived(robot, goal) and away(truth(robot), *goal) < 0.8
        robot.close()
    return outcome


# ---- In real time, with the drivers in another server ----

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
            process.terminate()
            process.wait()
            if options.verbose:
                print((pathlib.Path(folder) / "log").read_text(errors="replace")[-1500:])


@contextlib.contextmanager
def own_server(text, options):
    del options
    with player.server(PROGRAM, text) as server:
        yield server.address, server.process.pid


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def in_real_time(world, grid, journey, options, theirs):
    """The world in one server, the drivers in another; the client listens to both."""
    outcome = Outcome(world)
    outcome.last, outcome.stalled = None, False
    goal = journey[2]
    world_server = SIM.replace("{pace}", f"speed {options.speed}") + stack_text(journey, options, VFH)
    with tempfile.TemporaryDirectory() as folder, \
            navigation.served(PROGRAM, world_text(world, journey, 0), world_server) as sim:
        port = sim.address[1]
        bridge = "".join(f'driver ( name "passthrough" provides [ "{name}" ] requires [ ":localhost:{port}:{name}" ] )\n'
                         for name in ("position2d:0", "position2d:1", "laser:0"))
        if not theirs:
            bridge = (f'driver ( name "remote" url "tcp:127.0.0.1:{port}" lease 0 '
                      'provides [ "position2d:0" "position2d:1" "laser:0" ] )\n')
        values = dict(map=3, sees="" if theirs else '"laser:0"', online="online:::" if theirs else "", ours="" if theirs else "lease 0")
        text = bridge + write_map(grid, folder) + stack_text(journey, options, AMCL + WAVEFRONT, **values)
        with (players_server if theirs else own_server)(text, options) as (address, pid):
            robot = Robot(sim.address, [(SIMULATION, 0)])
            driver = Robot(address, [(PLANNER, 0), (POSITION2D, 2)], position=None)
            listen(robot, driver, 2)
            used, begin = cpu_of(pid), robot.times[(POSITION2D, 0)]
            driver.send_goal(0, *goal)
            while robot.times[(POSITION2D, 0)] - begin < options.limit and not arrived(driver, goal):
                listen(robot, driver, 0.1)
                if driver.latest.get((POSITION2D, 2, 1)):
                    robot.latest[(POSITION2D, 2, 1)] = driver.latest[(POSITION2D, 2, 1)]
                watch(robot, outcome, 0, (0, 0))
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


# ---- A robot that is lost ----

def lost_trial(journey, options):
    """How long a robot that wanders in the office needs until it knows where it is, and still does five seconds later."""
    text = SIM.replace("{pace}", "lockstep yes") + stack_text(journey, options, var="100 100 360", x=0, y=0, a=0)
    found = None
    with navigation.served(PROGRAM, world_text("office", journey, 0, 'ctrl "wander"'), text) as server:
        robot = Robot(server.address, [(LOCALIZE, 0), (SIMULATION, 0), (POSITION2D, 2)])
        while struct.unpack_from(">I", robot.ask(LOCALIZE, 0, 2).body, 32)[0] == 0:
            pass
        while robot.time < 60 and (found is None or robot.time - found < 5):
            robot.step(2)
            robot.settle(LOCALIZE, 0, robot.time)
            told = robot.pose(2)
            good = told is not None and away(told, *truth(robot)[:2]) < 0.5
            found = (found if found is not None else robot.time) if good else None
        robot.close()
    return found


# ---- Maps ----

def mapped(world, options):
    """The map that mapper makes while a robot goes to a dozen places: share of right cells, their number, share of the open
    places that it knows."""
    grid, trips = journeys(world, 12, options.seed)
    start = trips[0]
    text = (SIM.replace("{pace}", "lockstep yes")
            + stack_text(start, options).replace('input:::position2d:2', 'input:::position2d:4')
            + f'driver ( name "mapper" provides [ "map:2" "position2d:4" ] requires [ "position2d:0" "laser:0" ] lease 0 '
              f'init_pose [{start[0][0]} {start[0][1]} {degrees(start[1])}] )\n')
    with navigation.served(PROGRAM, world_text(world, start, 0), text) as server:
        robot = Robot(server.address, [(PLANNER, 0), (PLANNER, 1), (SIMULATION, 0), (MAP, 2), (POSITION2D, 4)])
        robot.step(3)
        for trip in trips:
            with contextlib.suppress(AssertionError):
                navigation.travel(robot, *trip[2], options.limit)
        made = fetch_map(robot, 2)
        off = away(robot.pose(4), *truth(robot)[:2])
        robot.close()
    share, known = made.agreement(grid)
    places = open_places(grid, 0.3)
    seen = sum(made.near(x, y, -1) for x, y in places)
    return share, known, seen / len(places), off


# ---- Tables ----

def tell(title, outcomes):
    print(f"\n{title}")
    print(f"{'world':<11} {'goals':>7} {'time/s':>7} {'path/m':>7} {'contacts':>8} {'error/cm':>8} {'p95/cm':>7} {'cpu ms/update':>13}")
    for world in [*dict.fromkeys(o.world for o in outcomes), "all"]:
        group = [o for o in outcomes if world in (o.world, "all")]
        good = [o for o in group if o.reached]
        errors = sorted(error for o in group for error in o.errors)
        cpu = sum(o.cpu for o in group) * 1000 / sum(o.updates for o in group) if any(o.updates for o in group) else None
        print(f"{world:<11} {len(good):>3}/{len(group):<3} {statistics.fmean(o.time for o in good) if good else 0:7.1f} "
              f"{statistics.fmean(o.way for o in good) if good else 0:7.2f} {sum(o.contacts for o in group):8d} "
              f"{statistics.fmean(errors) * 100 if errors else 0:8.1f} {errors[int(len(errors) * 0.95)] * 100 if errors else 0:7.1f} "
              f"{'-' if cpu is None else f'{cpu:.2f}':>13}", flush=True)


def compare(ours, theirs):
    """The journeys that both have finished."""
    both = [(a, b) for a, b in zip(ours, theirs) if a.reached and b.reached]
    if both:
        print(f"\nbeside Player's, on the {len(both)} journeys that both finished: time x "
              f"{sum(a.time for a, _ in both) / sum(b.time for _, b in both):.2f}, path x "
              f"{sum(a.way for a, _ in both) / sum(b.way for _, b in both):.2f}, CPU x "
              f"{sum(a.cpu / a.updates for a, _ in both) / sum(b.cpu / b.updates for _, b in both):.2f}")


def run_goals(options):
    each = max(1, options.count // len(options.worlds))
    plans = {world: journeys(world, each, options.seed) for world in options.worlds}
    trips = [(world, grid, journey) for world, (grid, found) in plans.items() for journey in found]
    if not options.player:
        tell("goals, in lockstep", [in_lockstep(world, journey, options) for world, _, journey in trips])
        return
    ours, theirs = [], []
    for world, grid, journey in trips:
        ours.append(in_real_time(world, grid, journey, options, False))
        theirs.append(in_real_time(world, grid, journey, options, True))
        print(f"# {world}: {ours[-1].reached} {ours[-1].time:.1f} s, Player {theirs[-1].reached} {theirs[-1].time:.1f} s", flush=True)
    tell("Troupe's amcl and wavefront, in real time", ours)
    tell("Player's amcl and wavefront, in real time", theirs)
    compare(ours, theirs)


def run_people(options):
    worlds = [world for world in CROWDED if world in options.worlds]
    each = math.ceil(options.count / max(len(worlds), 1))
    outcomes = [in_lockstep(world, journey, options, options.people)
                for world in worlds for journey in journeys(world, each, options.seed + 1)[1]][:options.count]
    tell(f"goals among {options.people} people, in lockstep", outcomes)
    print(f"contacts while the robot moved towards a person: {sum(o.guilty for o in outcomes)}\n"
          f"contacts while it turned on the spot: {sum(o.turning for o in outcomes)}")


def run_lost(options):
    _, trips = journeys("office", options.count, options.seed + 2)
    times = [lost_trial(journey, options) for journey in trips]
    good = sorted(t for t in times if t is not None and t <= 30)
    print(f"\nlost in the office: {len(good)} of {len(times)} found within 30 s"
          + (f", after {statistics.median(good):.1f} s in the middle, {good[-1]:.1f} s at most" if good else ""))


def run_maps(options):
    print("\nmaps made by mapper        right within a cell    cells known   open places known   robot off by")
    for world in [world for world in ("office", "cave") if world in options.worlds]:
        share, known, seen, off = mapped(world, options)
        print(f"{world:<26} {share * 100:19.2f} % {known:14d} {seen * 100:17.1f} % {off * 100:11.1f} cm", flush=True)


def main():
    global PROGRAM  # pylint: disable=global-statement
    kinds = {"goals": run_goals, "people": run_people, "lost": run_lost, "maps": run_maps}
    parser = argparse.ArgumentParser(prog="./troupe trials", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("kind", nargs="*", metavar="KIND", help="goals, people, lost or maps; all by default")
    parser.add_argument("--count", type=int, default=50, metavar="N", help="trials of each kind (50)")
    parser.add_argument("--worlds", type=lambda text: text.split(","), default=list(WORLDS), metavar="A,B", help="of: " + ", ".join(WORLDS))
    parser.add_argument("--people", type=int, default=6, metavar="N", help="people in a world (6)")
    parser.add_argument("--view", type=int, default=180, metavar="A", help="degrees that the robot's laser sees in lockstep (180)")
    parser.add_argument("--limit", type=float, default=240, metavar="S", help="seconds of the world for a goal (240)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of starts and goals (1)")
    parser.add_argument("--method", default="", metavar="TEXT", help="more settings of vfh")
    parser.add_argument("--player", metavar="PATH", help="Player's server: the same goals with its drivers, in real time")
    parser.add_argument("--speed", type=float, default=1, metavar="X", help="of the world in real time (1)")
    parser.add_argument("--port", type=int, default=17665, metavar="N", help="where Player listens (17665)")
    parser.add_argument("--verbose", action="store_true", help="print contacts, and what Player says")
    parser.add_argument("--program", default=str(ROOT / "build" / "run" / "apps" / "troupe"), metavar="PATH", help=argparse.SUPPRESS)
    options = parser.parse_args()
    wrong = [kind for kind in options.kind if kind not in kinds] + [world for world in options.worlds if world not in WORLDS]
    if wrong:
        parser.error(f"there is no {wrong[0]}; kinds are {', '.join(kinds)}, worlds are {', '.join(WORLDS)}")
    PROGRAM = options.program
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that servers are stopped too
    os.environ["TROUPE_WORLD_PATH"] = str(ROOT / "worlds")
    for kind in options.kind or kinds:
        kinds[kind](options)


PROGRAM = ""
if __name__ == "__main__":
    main()
