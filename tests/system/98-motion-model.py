#!/usr/bin/env python3
"""The motion engine agrees with its reference model in random events of several clients: frames on the server's
clock, queues, holders, signals.
argv: the program of tests/motion/play.c, source root."""
import pathlib
import subprocess
import sys

import tap

COMPARE = pathlib.Path(sys.argv[2]) / "tests" / "motion" / "compare.py"


def engine_and_model_agree_in_ten_thousand_runs():
    done = subprocess.run([sys.executable, COMPARE, sys.argv[1]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("10000 runs, 0 disagree\n"), done.stdout


def a_wrong_engine_is_noticed():
    """The model finds a signal that is missing: the comparison can fail."""
    sys.path.insert(0, str(COMPARE.parent))
    import compare
    from generate import Generator
    runs = [(seed, Generator(seed, plain=True).run()) for seed in range(1, 11)]
    noticed = 0
    for (_, run), seen in zip(runs, compare.play(sys.argv[1], runs).values()):
        assert not compare.disagreements(run, seen)
        key = next(iter(compare.think(run, seen).wanted))
        seen.signals[key].pop()
        noticed += bool(compare.disagreements(run, seen))
    assert noticed >= 8, noticed  # a missing signal may also make the end of a run uncertain


tap.main(engine_and_model_agree_in_ten_thousand_runs, a_wrong_engine_is_noticed)
