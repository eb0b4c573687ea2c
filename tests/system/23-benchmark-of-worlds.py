#!/usr/bin/env python3
"""./troupe bench sim: a ratio is of the same run or is not shown, and every column is explained.
argv: the benchmark."""
import json
import pathlib
import re
import sys
import tempfile

import tap

SMALL = ("--quick", "sonar16", "1")


def run(*arguments):
    result = tap.run([sys.argv[1], *SMALL, *arguments])
    tap.equal((result.returncode, result.stderr), (0, ""))
    return result.stdout


def columns(text):
    """Those of the table, and those that the legend explains."""
    head = next(line for line in text.splitlines() if line.startswith("sensor "))
    shown = re.findall(r"\S+(?: ms)?", head)
    explained = re.findall(r"^# (\S+(?: ms)?) ", text, re.M)
    return [name for name in shown if name not in ("sensor", "robots")], explained


def without_a_peer_there_is_no_ratio():
    text = run()
    assert "ratio" not in text and "Stage" not in text, text
    shown, explained = columns(text)
    tap.equal(shown, explained)
    row = json.loads(run("--json"))
    tap.equal([key for key in row if "peer" in key], [])


def with_a_peer_the_ratio_is_of_this_run():
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder) / "stage"
        stage.write_text("#!/bin/sh\necho load_ms 1 cpu_ms 12.5 wall_ms 13\n")
        stage.chmod(0o755)
        text = run("--stage", str(stage))
        shown, explained = columns(text)
        tap.equal((shown, shown[-2:]), (explained, ["Stage ms", "ratio"]))
        row = json.loads(run("--stage", str(stage), "--json"))
        tap.equal(row["peer_ms"], 12.5)
        assert abs(row["peer_ratio"] - 12.5 / row["cpu_ms"]) < 0.01 * row["peer_ratio"] + 0.01, row


tap.main(without_a_peer_there_is_no_ratio, with_a_peer_the_ratio_is_of_this_run)
