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


def recording(device, interface, message, values, properties, first=()):
    """A file of another program: without chunks and summary. `values` are pairs of seconds and a message; `first` is another message before them."""
    parts = [MAGIC, record(1, text("") + text("test"))]
    parts.append(record(12, text("troupe.properties") + notes({"device": device, **properties})))
    for channel, kind in enumerate((message, *first[:1]), 1):
        parts.append(record(4, struct.pack("<HH", channel, 0) + text(f"/{device}/{kind}") + text("json") +
                            notes({"device": device, "interface": interface, "message": kind})))
    if first:
        parts.append(record(5, struct.pack("<HIQQ", 2, 0, 0, 0) + json.dumps(first[1]).encode()))
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


def is_circle(svg):
    """x and y have the same scale, and all points the same distance from the middle."""
    line = max(re.findall(r'd="(M[^"]+)" fill="none"', svg), key=len)
    x = y = 0
    points = []
    for kind, dx, dy in re.findall(r"([Ml])(-?\d+)\s?(-?\d+)", line):
        x, y = (int(dx), int(dy)) if kind == "M" else (x + int(dx), y + int(dy))
        points.append(complex(x, y))
    low, high = (complex(side(p.real for p in points), side(p.imag for p in points)) for side in (min, max))
    radii = [abs(point - (low + high) / 2) for point in points]
    assert len(points) > 50 and min(radii) > 1000 and max(radii) - min(radii) < 0.02 * max(radii), (len(points), min(radii), max(radii))


@folder
def a_number_is_drawn_over_another_one(path):
    values = [(i * 0.1, place(math.cos(i * 0.1), math.sin(i * 0.1))) for i in range(64)]
    source = written(path + "a.mcap", recording("position2d:0", "position2d", "STATE", values, {}))
    options = ("position2d/pos.py", "--x", "position2d:0/STATE/pos.px")
    tap.equal(troupe("log", "plot", source, *options, "-o", path + "way.svg").returncode, 0)
    labels, svg = texts(path + "way.svg")
    assert "pos.px (m)" in labels and "pos.py (m)" in labels and "time (s)" not in labels, labels
    is_circle(svg)
    tap.equal(troupe("log", "plot", source, *options, "-o", path + "way.png").returncode, 0)
    with open(path + "way.png", "rb") as file:
        tap.equal(struct.unpack(">8s8xII", file.read(24)), (b"\x89PNG\r\n\x1a\n", 800, 554))


@folder
def samples_are_drawn_over_those_of_the_same_time(path):
    """Channels of an experiment come one after the other, in bursts; STATE, the first message, has no such number."""
    def burst(at, number):
        times = [i / 100 for i in range(at, at + 16)]
        return [{"time": t, "values": [math.sin(t * 10) if number else "NaN", "NaN" if number else math.cos(t * 10)]} for t in times]

    samples = [(sample["time"], sample) for at in range(0, 64, 16) for number in (0, 1) for sample in burst(at, number)]
    state = {"phase": 2, "runs": 1, "time": 0, "samples": 0, "lost": 0, "title": "", "why": ""}
    names = {"name.values[0]": "Left", "unit.values[0]": "m", "name.values[1]": "Right", "unit.values[1]": "m"}
    source = written(path + "a.mcap", recording("experiment:0", "experiment", "SAMPLE", samples, names, ("STATE", state)))
    for y, x, labels in ((0, 1, {"Left (m)", "Right (m)"}), (1, 0, {"Left (m)", "Right (m)"})):
        done = troupe("log", "plot", source, f"experiment:0/values[{y}]", "--x", f"experiment:0/values[{x}]", "-o", path + f"{y}.svg")
        tap.equal((done.returncode, done.stderr), (0, ""))
        told, svg = texts(path + f"{y}.svg")
        tap.equal(labels & set(told), labels)
        is_circle(svg)


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


tap.main(numbers_are_drawn_over_time_with_units_and_bands, a_number_is_drawn_over_another_one, samples_are_drawn_over_those_of_the_same_time,
         a_recording_is_drawn_at_its_end, mistakes_are_told_and_nothing_is_lost)
