#!/usr/bin/env python3
"""troupe log plot and --plot: numbers of recordings as curves.  argv: the troupe program."""
import functools
import json
import math
import os
import re
import struct
import tempfile

import tap
from cli import says, serving, troupe, usage

ROBOT = 'driver ( name "fake" provides [ "aio:0" "laser:0" "gripper:0" ] rate 50 )'
MAGIC = b"\x89MCAP0\r\n"


def folder(test):
    @functools.wraps(test)
    def run(*arguments):
        with tempfile.TemporaryDirectory() as path:
            test(path + "/", *arguments)
    return run


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def notes(values):
    body = b"".join(text(name) + text(value) for name, value in values.items())
    return struct.pack("<I", len(body)) + body


def record(op, body):
    return struct.pack("<BQ", op, len(body)) + body


def recording(device, interface, message, values, properties):
    """A file of another program: without chunks and summary. `values` are pairs of seconds and a message."""
    parts = [MAGIC, record(1, text("") + text("test"))]
    parts.append(record(12, text("troupe.properties") + notes({"device": device, **properties})))
    parts.append(record(4, struct.pack("<HH", 1, 0) + text(f"/{device}/{message}") + text("json") +
                        notes({"device": device, "interface": interface, "message": message})))
    for number, (time_s, value) in enumerate(values):
        parts.append(record(5, struct.pack("<HIQQ", 1, number, int(time_s * 1e9), 0) + json.dumps(value).encode()))
    parts.append(record(15, bytes(4)))
    parts.append(record(2, bytes(20)))
    return b"".join(parts) + MAGIC


def place(x, y):
    return {"pos": {"px": x, "py": y, "pa": 0}, "vel": {"px": 0, "py": 0, "pa": 0}, "stall": 0}


def written(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def texts(path):
    with open(path, encoding="utf-8") as file:
        svg = file.read()
    return re.findall(r">([^<>]+)</text>", svg), svg


@folder
def numbers_are_drawn_over_time_with_units_and_bands(path):
    values = [(i * 0.1, {"voltages": [math.sin(i), 2]}) for i in range(100)]
    source = written(path + "a.mcap", recording("aio:0", "aio", "STATE", values,
                                                {"uncertainty.voltages[0]": "0.125", "unit.voltages[1]": "lx"}))
    tap.equal(troupe("log", "plot", source, "aio:0/voltages").returncode, 0)
    labels, svg = texts(path + "a.svg")
    for label in ("aio:0 STATE", "voltages[0] (V)", "voltages[1] (lx)", "time (s)"):
        assert label in labels, (label, labels)
    tap.equal(svg.count("fill-opacity"), 1)  # one of both is uncertain
    tap.equal(troupe("log", "plot", source, "aio:0/voltages[0]", "--x", "aio:0/voltages[1]", "-o", path + "x.svg").returncode, 0)
    assert "voltages[1] (lx)" in texts(path + "x.svg")[0], texts(path + "x.svg")[0]
    # Without a name, what never changes is not drawn.
    tap.equal(troupe("log", "plot", source, "-o", path + "b.svg").returncode, 0)
    tap.equal(("voltages[0] (V)" in texts(path + "b.svg")[0], "voltages[1] (lx)" in texts(path + "b.svg")[0]), (True, False))


@folder
def a_number_is_drawn_over_another_one(path):
    values = [(i * 0.1, place(math.cos(i * 0.1), math.sin(i * 0.1))) for i in range(64)]
    source = written(path + "a.mcap", recording("position2d:0", "position2d", "STATE", values, {}))
    options = ("position2d/pos.py", "--x", "position2d:0/STATE/pos.px")
    tap.equal(troupe("log", "plot", source, *options, "-o", path + "way.svg").returncode, 0)
    labels, svg = texts(path + "way.svg")
    assert "pos.px (m)" in labels and "pos.py (m)" in labels and "time (s)" not in labels, labels
    # x and y have the same scale: the circle is one.
    line = max(re.findall(r'd="(M[^"]+)" fill="none"', svg), key=len)
    x = y = 0
    xs, ys = [], []
    for kind, dx, dy in re.findall(r"([Ml])(-?\d+)\s?(-?\d+)", line):
        x, y = (int(dx), int(dy)) if kind == "M" else (x + int(dx), y + int(dy))
        xs.append(x)
        ys.append(y)
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    assert wide > 2000 and abs(wide - high) < 0.02 * wide, (wide, high)
    tap.equal(troupe("log", "plot", source, *options, "-o", path + "way.png").returncode, 0)
    with open(path + "way.png", "rb") as file:
        tap.equal(struct.unpack(">8s8xII", file.read(24)), (b"\x89PNG\r\n\x1a\n", 800, 554))


@serving(ROBOT)
@folder
def a_recording_is_drawn_at_its_end(path, url):
    tap.equal(troupe("log", "aio:0", "laser:0", "-n", "60", "-o", path + "t.csv", "--plot", path + "t.png", url=url).returncode, 0)
    tap.equal(sorted(os.listdir(path)), ["t.csv", "t.png"])


@folder
def mistakes_are_told_and_nothing_is_lost(path):
    source = written(path + "a.mcap", recording("position2d:0", "position2d", "STATE", [(0, place(0, 0))], {}))
    says(troupe("log", "plot"), 2, usage("log", "which recording?"))
    says(troupe("log", "plot", source, "-o", "x.gif"), 2, usage("log", '"x.gif" is neither .png nor .svg'))
    says(troupe("log", "--plot", "x"), 2, usage("log", '"x" is neither .png nor .svg'))
    says(troupe("log", "plot", source, "pos.px"), 2,
         usage("log", '"pos.px" is no column: position2d:0/pos.px is one; log info names the devices'))
    says(troupe("log", "plot", source, "--x", "position2d/pos.px"), 2, usage("log", "--x needs columns to draw over it"))
    says(troupe("log", "plot", source, "position2d/STATE/pos.z"), 1,
         'troupe log: position2d:0/pos.z: there is no "z"; there is px, py, pa\n')
    says(troupe("log", "plot", source, "laser/id"), 1,
         f'troupe log: {source}: no message of laser:0 has a number "id"; log csv names all columns\n')
    tap.equal(troupe("log", "plot", source).returncode, 0)
    says(troupe("log", "plot", source), 1, f"troupe log: {path}a.svg: File exists; --force replaces it\n")
    tap.equal(troupe("log", "plot", source, "--force").returncode, 0)


tap.main(numbers_are_drawn_over_time_with_units_and_bands, a_number_is_drawn_over_another_one,
         a_recording_is_drawn_at_its_end, mistakes_are_told_and_nothing_is_lost)
