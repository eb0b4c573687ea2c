#!/usr/bin/env python3
"""Trials of navigation in simulated worlds: the same starts and goals, the same in every run.

Without --player, everything runs in one server in lockstep, as fast as the machine can. With --player, the world is served in
real time, and amcl, vfh and wavefront run in another server: Troupe's, then Player's, one after the other under the same conditions.
"""
import argparse
import contextlib
import math
import os
import signal
import statistics
import struct
import sys
from math import degrees

from beside_player import in_real_time
from journeys import (CROWDED, ROOT, SIM, WORLDS, Outcome, arrived, journeys, open_places, stack_text, watch,
                      world_text)  # it finds the modules of tests/system
import navigation
from navigation import LOCALIZE, MAP, PLANNER, SIMULATION, Robot, away, fetch_map, truth
from player import POSITION2D


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
    with navigation.served(options.program, world_text(world, journey, people, view=options.view), text) as server:
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


# ---- A robot that is lost ----

def lost_trial(journey, options):
    """How long a robot that wanders in the office needs until it knows where it is, and still does five seconds later."""
    text = SIM.replace("{pace}", "lockstep yes") + stack_text(journey, options, var="100 100 360", x=0, y=0, a=0)
    found = None
    with navigation.served(options.program, world_text("office", journey, 0, 'ctrl "wander"'), text) as server:
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
    grid, trips = journeys(world, 12, options.seed, options.program)
    start = trips[0]
    text = (SIM.replace("{pace}", "lockstep yes")
            + stack_text(start, options).replace('input:::position2d:2', 'input:::position2d:4')
            + f'driver ( name "mapper" provides [ "map:2" "position2d:4" ] requires [ "position2d:0" "laser:0" ] lease 0 '
              f'init_pose [{start[0][0]} {start[0][1]} {degrees(start[1])}] )\n')
    with navigation.served(options.program, world_text(world, start, 0), text) as server:
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

def errors_of(outcomes):
    """Mean and 95th percentile of all errors, in centimetres."""
    errors = sorted(error * 100 for o in outcomes for error in o.errors)
    return (statistics.fmean(errors), errors[int(len(errors) * 0.95)]) if errors else (0, 0)


def tell(title, outcomes):
    print(f"\n{title}")
    print(f"{'world':<11} {'goals':>7} {'time/s':>7} {'path/m':>7} {'contacts':>8} {'error/cm':>8} {'p95/cm':>7} {'cpu ms/update':>13}")
    for world in [*dict.fromkeys(o.world for o in outcomes), "all"]:
        group = [o for o in outcomes if world in (o.world, "all")]
        good = [o for o in group if o.reached]
        mean, most = errors_of(group)
        cpu = sum(o.cpu for o in group) * 1000 / sum(o.updates for o in group) if any(o.updates for o in group) else None
        print(f"{world:<11} {len(good):>3}/{len(group):<3} {statistics.fmean(o.time for o in good) if good else 0:7.1f} "
              f"{statistics.fmean(o.way for o in good) if good else 0:7.2f} {sum(o.contacts for o in group):8d} "
              f"{mean:8.1f} {most:7.1f} {'-' if cpu is None else f'{cpu:.2f}':>13}", flush=True)


def compare(ours, theirs):
    """The journeys that both have finished: a robot that stands still for the rest of its time has small errors."""
    both = [(a, b) for a, b in zip(ours, theirs) if a.reached and b.reached]
    if both:
        mean, most = errors_of([a for a, _ in both])
        mean_theirs, most_theirs = errors_of([b for _, b in both])
        print(f"\nbeside Player's, on the {len(both)} journeys that both finished: time x "
              f"{sum(a.time for a, _ in both) / sum(b.time for _, b in both):.2f}, path x "
              f"{sum(a.way for a, _ in both) / sum(b.way for _, b in both):.2f}, CPU x "
              f"{sum(a.cpu / a.updates for a, _ in both) / sum(b.cpu / b.updates for _, b in both):.2f}; "
              f"error {mean:.1f} beside {mean_theirs:.1f} cm, p95 {most:.1f} beside {most_theirs:.1f} cm")


def run_goals(options):
    each = max(1, options.count // len(options.worlds))
    plans = {world: journeys(world, each, options.seed, options.program) for world in options.worlds}
    trips = [(world, grid, journey) for world, (grid, found) in plans.items() for journey in found]
    if not options.player:
        tell("goals, in lockstep", [in_lockstep(world, journey, options) for world, _, journey in trips])
        return
    ours, theirs = [], []
    for world, grid, journey in trips:
        ours.append(in_real_time(world, grid, journey, options, False))
        theirs.append(in_real_time(world, grid, journey, options, True))
        print(f"# {world}: {ours[-1]}; Player's {theirs[-1]}", flush=True)
    tell("Troupe's amcl, vfh and wavefront, in real time", ours)
    tell("Player's amcl, vfh and wavefront, in real time", theirs)
    compare(ours, theirs)


def run_people(options):
    worlds = [world for world in CROWDED if world in options.worlds]
    each = math.ceil(options.count / max(len(worlds), 1))
    outcomes = [in_lockstep(world, journey, options, options.people)
                for world in worlds for journey in journeys(world, each, options.seed + 1, options.program)[1]][:options.count]
    tell(f"goals among {options.people} people, in lockstep", outcomes)
    print(f"contacts while the robot moved towards a person: {sum(o.guilty for o in outcomes)}\n"
          f"contacts while it turned on the spot: {sum(o.turning for o in outcomes)}")


def run_lost(options):
    _, trips = journeys("office", options.count, options.seed + 2, options.program)
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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that servers are stopped too
    os.environ["TROUPE_WORLD_PATH"] = str(ROOT / "worlds")
    for kind in options.kind or kinds:
        kinds[kind](options)


if __name__ == "__main__":
    main()
