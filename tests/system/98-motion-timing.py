#!/usr/bin/env python3
"""The benchmark of motion in its short form: what does not depend on time is judged.  argv: the benchmark."""
import json
import sys

import tap

RESULT = tap.run([sys.argv[1], "--check", "--json"])


def no_frame_is_early_lost_or_written_twice():
    rows = [json.loads(line) for line in RESULT.stdout.splitlines()]
    tap.equal([row["parameters"]["phase"] for row in rows], ["one", "one", "hundred", "one", "flood"])
    tap.equal([(row["early"], row["lost"], row["twice"]) for row in rows], [(0, 0, 0)] * 5)


def nothing_is_written_after_the_stop_of_a_panic():
    tap.equal("panic: 20 times" in RESULT.stderr and RESULT.stderr.count("writes at a device after its stop: 0;") == 1, True)
    tap.equal(RESULT.returncode, 0)


tap.main(no_frame_is_early_lost_or_written_twice, nothing_is_written_after_the_stop_of_a_panic)
