"""Tests that run programs: each is a function whose name reads as a sentence, reported as TAP."""
import os
import re
import subprocess
import sys
import traceback


os.environ["TROUPE_COMMAND"] = "troupe"  # what hints call the program, wherever it is


BUSY = re.compile(r"^(still loading the world|.*the world cannot keep up with its speed and runs as fast as it can)\n", re.M)


def without_busyness(text):
    """What was said, but for what only tells how busy this machine is."""
    return BUSY.sub("", text)


def run(command, **options):
    """Run a program; its output as text."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
    result.stderr = without_busyness(result.stderr)
    return result


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}\nwanted {wanted!r}")


def main(*tests):
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        try:
            test()
            print(f"ok {number} - {name}")
        except Exception:  # a broken test fails, it does not stop the others
            failed += 1
            print(f"not ok {number} - {name}")
            traceback.print_exc(file=sys.stderr)
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
