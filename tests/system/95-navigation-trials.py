#!/usr/bin/env python3
"""./troupe trials: a few of its trials, and what it says about wrong arguments. argv: the troupe program, the source root."""
import pathlib
import subprocess
import sys

import tap

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


def trials(*arguments):
    return subprocess.run([sys.executable, ROOT / "tests" / "trials" / "navigation.py", "--program", PROGRAM, *arguments],
                          capture_output=True, text=True, check=False)


def a_goal_is_reached_and_told():
    result = trials("goals", "--count", "1", "--worlds", "doors")
    tap.equal((result.returncode, result.stderr), (0, ""))
    lines = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line}
    tap.equal(lines["doors"][1], "1/1")
    tap.equal(lines["doors"][4], "0")  # contacts
    assert 4 < float(lines["all"][3]) < 30, lines["all"]  # metres
    assert 0 < float(lines["all"][5]) < 6, lines["all"]  # centimetres; twice as many if insides of walls count as faces


def a_goal_is_reached_among_people():
    """Somebody who walks into the robot's side is counted, not forbidden: a single journey says nothing about how often."""
    result = trials("people", "--count", "1", "--worlds", "warehouse")
    tap.equal((result.returncode, result.stderr), (0, ""))
    lines = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line}
    tap.equal(lines["warehouse"][1], "1/1")
    tap.equal([line.split(":")[0] for line in result.stdout.splitlines()[-2:]],
              ["contacts while the robot moved towards a person", "contacts while it turned on the spot"])


def a_robot_that_sees_all_around_is_tried():
    result = trials("people", "--count", "1", "--worlds", "warehouse", "--people", "2", "--view", "360")
    tap.equal((result.returncode, result.stderr), (0, ""))
    assert "warehouse     1/1" in result.stdout, result.stdout


def wrong_arguments_are_refused():
    result = trials("walks")
    tap.equal(result.returncode, 2)
    assert "there is no walks; kinds are goals, people, lost, maps" in result.stderr, result.stderr
    result = trials("goals", "--worlds", "moon")
    tap.equal(result.returncode, 2)
    assert "there is no moon" in result.stderr, result.stderr


tap.main(a_goal_is_reached_and_told, a_goal_is_reached_among_people, a_robot_that_sees_all_around_is_tried,
         wrong_arguments_are_refused)
