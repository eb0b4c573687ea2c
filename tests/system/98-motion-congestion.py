#!/usr/bin/env python3
"""The experiment of the RoboTalk paper with a congested channel, in its short form: a path over a slow reader, in
lockstep. The benchmark itself checks its bounds.  argv: the benchmark."""
import json
import pathlib
import sys
import tempfile
import xml.etree.ElementTree

import tap

MODES = ["direct", "delay", "playback", "adaptive", "paper"]
BENCH = sys.argv[1]


def play(*options):
    """The rows by mode and polls."""
    result = tap.run([BENCH, "--json", *options])
    tap.equal((result.returncode, result.stderr), (0, ""))
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return {(row["parameters"]["mode"], row["parameters"]["polls"]): row for row in rows}


with tempfile.TemporaryDirectory() as folder:
    SVG = pathlib.Path(folder) / "paths.svg"
    ROWS = play("--seeds", "1", "--polls", "4", "--picture", str(SVG))
    PICTURE = xml.etree.ElementTree.parse(SVG).getroot()


def all_modes_draw_the_path_without_congestion():
    tap.equal(sorted(ROWS), sorted((mode, polls) for mode in MODES for polls in (0, 4)))
    for mode in MODES:
        assert ROWS[mode, 0]["path_percent"] < 0.1, ROWS[mode, 0]


def direct_and_delay_lose_the_path_in_congestion():
    assert ROWS["direct", 4]["path_percent"] > 10, ROWS["direct", 4]
    assert ROWS["delay", 4]["path_percent"] > 10, ROWS["delay", 4]
    # Just the frames of the first 10 seconds come in time.
    assert 90 <= 601 - ROWS["delay", 4]["late"] <= 110, ROWS["delay", 4]


def playback_and_adaptive_keep_it():
    for mode in ("playback", "adaptive", "paper"):
        row = ROWS[mode, 4]
        assert row["path_percent"] < 0.1 and row["finish"] < 1.05 and row["stood"] == 0, row
    assert ROWS["adaptive", 4]["start_s"] < ROWS["playback", 4]["start_s"] / 10


def delay_and_playback_add_latency_direct_does_not():
    start = {mode: ROWS[mode, 4]["start_s"] for mode in MODES}
    assert start["direct"] < 0.4 and start["delay"] == 10 and start["playback"] > 50, start


def a_second_client_notices_nothing():
    tap.equal([row["noticed"] for row in ROWS.values()], [0] * len(ROWS))


def the_picture_has_six_panels():
    names = [element.text for element in PICTURE.iter("{http://www.w3.org/2000/svg}text")]
    tap.equal([name[:3] for name in names], ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"])
    lines = list(PICTURE.iter("{http://www.w3.org/2000/svg}polyline"))
    tap.equal(len(lines), 12)


def options_are_checked():
    wrong = tap.run([BENCH, "--polls", "5"])
    tap.equal((wrong.returncode, wrong.stderr), (2, "--polls is followed by a number from 1 to 4\n"))
    wrong = tap.run([BENCH, "--picture", "paths.gif"])
    tap.equal((wrong.returncode, wrong.stderr), (1, "bench: paths.gif: a picture ends in .svg or .png\n"))
    assert "--link" in tap.run([BENCH, "--help"]).stdout


tap.main(all_modes_draw_the_path_without_congestion, direct_and_delay_lose_the_path_in_congestion,
         playback_and_adaptive_keep_it, delay_and_playback_add_latency_direct_does_not, a_second_client_notices_nothing,
         the_picture_has_six_panels, options_are_checked)
