#!/usr/bin/env python3
"""Robots of the shipped worlds that find their own way go on doing so: none stays at one spot for a minute.
argv: the troupe program, source root.

A robot stays at a spot while it is within its own length of where it came to it. Longer runs, as many seeds as wanted:

    tests/system/96-robots-get-free.py PROGRAM ROOT SECONDS SEEDS
"""
import csv
import math
import pathlib
import sys
import tempfile

import tap
from cli import troupe

ROOT = pathlib.Path(sys.argv[2])
MOST_S = 60
WORLDS = {"classroom": (0.20, 0.1, 300, 2), "office": (0.44, 0.1, 500, 1), "cave": (0.44, 0.1, 120, 1),
          "warehouse": (0.80, 0.1, 300, 1), "swarm": (0.10, 0.1, 100, 1),
          "track": (0.16, 0.02, 70, 1)}  # length, step, seconds, seeds


def longest_stays(path, length):
    """Of each robot: the seconds of its longest stay, and when it began."""
    spots, longest = {}, {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, time, x, y = row["robot"], float(row["time"]), float(row["x"]), float(row["y"])
            began, at_x, at_y = spots.setdefault(name, (time, x, y))
            if math.hypot(x - at_x, y - at_y) > length:
                spots[name] = (time, x, y)
            else:
                longest[name] = max(longest.get(name, (0, 0)), (time - began, began))
    return longest


def nobody_stays(name):
    length, step, seconds, seeds = WORLDS[name]
    if len(sys.argv) > 4:
        seconds, seeds = float(sys.argv[3]), int(sys.argv[4])
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, seeds + 1):
            path = f"{folder}/{seed}.csv"
            done = troupe("sim", str(ROOT / "worlds" / f"{name}.world"), "--quiet", "--steps",
                          str(round(seconds / step)), "--seed", str(seed), "--record", path)
            tap.equal(done.returncode, 0)
            stays = longest_stays(path, length)
            assert stays, name
            for robot, (stay, began) in stays.items():
                assert stay <= MOST_S, f"{robot} of {name}, seed {seed}: {stay:.0f} s from {began:.0f} s on"


def nobody_stays_in_the_classroom():
    nobody_stays("classroom")


def nobody_stays_in_the_office():
    nobody_stays("office")


def nobody_stays_in_the_cave():
    nobody_stays("cave")


def nobody_stays_in_the_warehouse():
    nobody_stays("warehouse")


def nobody_stays_in_the_swarm():
    nobody_stays("swarm")


def nobody_stays_on_the_track():
    nobody_stays("track")


tap.main(nobody_stays_in_the_classroom, nobody_stays_in_the_office, nobody_stays_in_the_cave,
         nobody_stays_in_the_warehouse, nobody_stays_in_the_swarm, nobody_stays_on_the_track)
