"""Worlds, starts and goals of the trials of navigation, and what is noted on the way; for navigation.py and beside_player.py."""
import collections
import math
import pathlib
import random
import re
import statistics
import struct
import sys
from math import degrees

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "system"))
# pylint: disable=wrong-import-position
import navigation  # noqa: E402
from navigation import MAP, Robot, away, fetch_map, truth  # noqa: E402
from player import POSITION2D  # noqa: E402

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


def journeys(world, count, seed, program):
    """Starts and goals, at least 4 m from each other; the server `program` makes the map."""
    text = HEAD + walls_of(world) + ROBOT.format(x=0, y=0, a=0, more="", laser="lms ( )")
    with navigation.served(program, text, SIM.replace("{pace}", "lockstep yes")) as server:
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

    def __str__(self):
        error = f", off by {statistics.fmean(self.errors) * 100:.1f} cm" if self.errors else ""
        return f"{'arrived' if self.reached else 'not there'} after {self.time:.1f} s, {self.way:.2f} m{error}"


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
