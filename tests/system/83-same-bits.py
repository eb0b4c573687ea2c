#!/usr/bin/env python3
"""The same world gives the same bits: in every run, with any number of threads, in any order of the file.
argv: the troupe program, source root."""
import pathlib
import random
import sys
import tempfile

import tap
from cli import troupe

WORLDS = pathlib.Path(sys.argv[2]) / "worlds"
STEPS = 100

DEFINITIONS = """
define eye ranger ( sensor ( range [0 5] fov 180 samples 40 noise [0.001 0.02 0] ) )
define bot position ( size [0.3 0.3 0.3] localization "odom" eye ( pose [0 0 -0.1 0] ) ctrl "wander" )
define slider position ( size [0.2 0.3 0.3] collision "slide" eye ( pose [0 0 -0.1 0] ) ctrl "expand" )
model ( name "room" size [24 24 1] )
"""
ROBOTS = [f'{"bot" if i % 2 else "slider"} ( name "r{i}" pose [{i % 10 - 5} {i // 10 - 4} 0 {i * 37 % 360}] )\n'
          for i in range(80)]

# Flush with each other, in each other, or in a wall.
PACKED = [f'{"bot" if i % 2 else "slider"} ( name "p{i}" pose [{i % 8 * 0.3 - 12:.1f} {i // 8 * 0.27 - 1:.2f} 0 {i % 4 * 90}] )\n'
          for i in range(48)]


def record(world, *options, notes=False):
    """What the program writes down about every robot in every step; with notes on the world, or without."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "where.csv"
        result = troupe("sim", str(world), "--steps", str(STEPS), "--quiet", "--record", str(file), *options)
        tap.equal((result.returncode, notes or result.stderr), (0, notes or ""))
        return file.read_text()


def written(robots, *options, notes=False):
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder) / "x.world"
        world.write_text(DEFINITIONS + "".join(robots))
        return record(world, *options, notes=notes)


def every_run_is_the_same():
    first = written(ROBOTS)
    assert first.count("\n") == 1 + STEPS * len(ROBOTS), "somebody is missing"
    tap.equal(written(ROBOTS) == first, True)


def the_seed_matters():
    assert written(ROBOTS, "--seed", "2") != written(ROBOTS, "--seed", "3")


def the_number_of_threads_does_not_matter():
    first = written(ROBOTS)
    for threads in ("2", "3", "7"):
        tap.equal((threads, written(ROBOTS, "--threads", threads) == first), (threads, True))


def the_order_of_the_file_does_not_matter():
    first = sorted(written(ROBOTS).splitlines())
    shuffled = ROBOTS[:]
    random.Random(1).shuffle(shuffled)
    for robots in (ROBOTS[::-1], shuffled):
        tap.equal(sorted(written(robots).splitlines()) == first, True)


def who_touches_or_overlaps_makes_no_difference():
    first = written(PACKED, notes=True)
    tap.equal(written(PACKED, "--threads", "3", notes=True) == first, True)
    assert len({line.split(",", 1)[1] for line in first.splitlines() if ",p20," in line}) > 1, "nobody moves"
    shuffled = PACKED[:]
    random.Random(2).shuffle(shuffled)
    for robots in (PACKED[::-1], shuffled):
        tap.equal(sorted(written(robots, notes=True).splitlines()) == sorted(first.splitlines()), True)


def our_worlds_are_the_same_with_any_number_of_threads():
    for world in sorted(WORLDS.glob("*.world")):
        tap.equal((world.name, record(world) == record(world, "--threads", "3")), (world.name, True))


tap.main(every_run_is_the_same, the_seed_matters, the_number_of_threads_does_not_matter,
         the_order_of_the_file_does_not_matter, who_touches_or_overlaps_makes_no_difference, our_worlds_are_the_same_with_any_number_of_threads)
