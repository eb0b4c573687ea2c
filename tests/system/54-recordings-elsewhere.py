#!/usr/bin/env python3
"""Recordings as the reader of npm's @mcap/core reads them: whole, cut, with flipped bytes, recovered, of a killed recorder, on
a full disk.  argv: the troupe program, source root, the folder of the npm packages."""
import functools
import json
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

import tap
from cli import PROGRAM, Running, serving, troupe

ROOT, PACKAGES = pathlib.Path(sys.argv[2]), sys.argv[3]
ROBOT = 'driver ( name "fake" provides [ "position2d:0" "laser:0" "sonar:0" ] rate 500 )'
CHUNK, CHUNK_INDEX, DAMAGES = 6, 8, 200


def folder(test):
    @functools.wraps(test)
    def run(*arguments):
        with tempfile.TemporaryDirectory() as path:
            test(path + "/", *arguments)
    return run


def elsewhere(paths):
    """What the readers of @mcap/core give of each file."""
    result = subprocess.run(["node", str(ROOT / "tests/log/mcap.cjs"), PACKAGES], input="\n".join(paths) + "\n",
                            capture_output=True, text=True, timeout=300, check=False)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return [json.loads(line) for line in result.stdout.splitlines()]


def record(path, url, *options):
    result = troupe("log", *options, "-o", path, url=url)
    tap.equal((result.returncode, result.stderr.count("\n")), (0, 1))


def wait_for_chunks(recorder, path, count, messages=100):
    chunks = []
    while len(chunks) < count or sum(chunk[2] for chunk in chunks) <= messages:
        tap.equal(recorder.process.poll(), None)
        chunks = chunks_of_cut(pathlib.Path(path).read_bytes()) if os.path.exists(path) else []
        time.sleep(0.01)


def record_chunks(path, url, count, *options):
    """Record until so many chunks were written: on a busy machine a second of recording can take longer."""
    with Running("log", *options, "-o", path, url=url) as recorder:
        wait_for_chunks(recorder, path, count)
        recorder.process.send_signal(signal.SIGINT)
        tap.equal(recorder.process.wait(timeout=60), 0)


def chunks_of(data):
    """Where each chunk begins and ends, how many messages it has, when its first and last are."""
    found, at = [], 8
    while at < len(data):
        op, length = data[at], struct.unpack_from("<Q", data, at + 1)[0]
        if op == CHUNK:
            found.append([at, at + 9 + length, 0, *struct.unpack_from("<QQ", data, at + 9)])
        elif op == 7:
            found[-1][2] += struct.unpack_from("<I", data, at + 11)[0] // 16
        at += 9 + length
        if op == 0x0f:
            break
    return found


@serving(ROBOT)
@folder
def both_readers_take_each_form(path, url):
    kinds = [(form, compression) for form in ("json", "xdr") for compression in ("lz4", "zstd", "none")]
    names = [f"{path}{form}-{compression}.mcap" for form, compression in kinds]
    for name, (form, compression) in zip(names, kinds):
        record(name, url, "--count", "60", "--form", form, "--compression", compression)
    for told, (form, _) in zip(elsewhere(names), kinds):
        indexed, streamed = told["indexed"], told["streamed"]
        tap.equal((indexed.get("error"), streamed.get("error"), streamed["ended"]), (None, None, True))
        tap.equal((indexed["messages"], streamed["messages"], indexed["sums"]), (60, 60, streamed["sums"]))
        tap.equal((indexed["inOrder"], indexed["metadata"] >= 4, streamed["metadata"]), (True, True, indexed["metadata"]))
        tap.equal(set(indexed["schemas"].values()), {"jsonschema" if form == "json" else "padi"})


def recovered(names, worst):
    result = troupe("log", "recover", *names)
    tap.equal((result.returncode, result.stderr), (worst, ""))
    return elsewhere([name[:-5] + "-recovered.mcap" for name in names])


def sound(told):
    """A recovered file is a whole one to both readers; the number of its messages."""
    indexed, streamed = told["indexed"], told["streamed"]
    tap.equal((indexed.get("error"), streamed.get("error"), streamed["ended"]), (None, None, True))
    tap.equal(indexed["sums"], streamed["sums"])
    return indexed["messages"]


@serving(ROBOT)
@folder
def cut_and_flipped_files_give_back_every_intact_chunk(path, url):
    record_chunks(path + "a.mcap", url, 4, "position2d:0", "--form", "xdr", "--compression", "zstd")
    data = pathlib.Path(path + "a.mcap").read_bytes()
    chunks = chunks_of(data)
    messages = sum(chunk[2] for chunk in chunks)
    whole = elsewhere([path + "a.mcap"])[0]["indexed"]["sums"]
    assert len(chunks) > 3 and messages > 100, (len(chunks), messages)
    source = random.Random(17)

    cuts = [source.randrange(chunks[0][1], len(data) - 1) for _ in range(DAMAGES)]
    names = [f"{path}cut{i}.mcap" for i in range(DAMAGES)]
    for name, cut in zip(names, cuts):
        pathlib.Path(name).write_bytes(data[:cut])
    for told, cut in zip(recovered(names, 1), cuts):
        tap.equal(sound(told), sum(chunk[2] for chunk in chunks if chunk[1] <= cut))

    names = [f"{path}flip{i}.mcap" for i in range(DAMAGES)]
    places = [source.randrange(8, len(data) - 8) for _ in range(DAMAGES)]
    for name, place in zip(names, places):
        changed = bytearray(data)
        changed[place] ^= 1 << source.randrange(8)
        pathlib.Path(name).write_bytes(changed)
    for told, place in zip(recovered(names, 1), places):
        hit = [chunk for chunk in chunks if chunk[0] <= place < chunk[1]]
        left = messages - sum(chunk[2] for chunk in hit)
        # The times of a chunk can be lost, and now and then other bytes of zstd mean the same.
        assert sound(told) == left or told["indexed"]["sums"] == whole, (place, told, left)


@serving(ROBOT)
@folder
def the_exit_code_of_recover_tells_how_much_was_saved(path, url):
    record(path + "whole.mcap", url, "--count", "300")
    data = pathlib.Path(path + "whole.mcap").read_bytes()
    pathlib.Path(path + "part.mcap").write_bytes(data[:-30])
    pathlib.Path(path + "nothing.mcap").write_bytes(data[:100])
    for name, code in (("whole", 0), ("part", 1), ("nothing", 2)):
        tap.equal((name, troupe("log", "recover", f"{path}{name}.mcap").returncode), (name, code))
    told = elsewhere([f"{path}{name}.mcap" for name in ("whole", "whole-recovered", "part-recovered")])
    tap.equal([sound(one) for one in told], [300] * 3)
    tap.equal([one["indexed"]["sums"] for one in told[1:]], [told[0]["indexed"]["sums"]] * 2)
    tap.equal(troupe("log", "recover", *(f"{path}{name}.mcap" for name in ("whole", "part")), "--force").returncode, 1)
    tap.equal(troupe("log", "recover", path + "a", path + "b", "-o", path + "c").returncode, 2)


@serving(ROBOT)
@folder
def a_killed_recorder_loses_at_most_a_second(path, url):
    name = path + "a.mcap"
    with Running("log", "position2d:0", "-o", name, url=url) as recorder:
        wait_for_chunks(recorder, name, 3)
        recorder.process.send_signal(signal.SIGKILL)
        recorder.process.wait()
    told = elsewhere([name])[0]
    tap.equal(("error" in told["indexed"], told["streamed"]["ended"]), (True, False))
    saved = recovered([name], 1)[0]
    tap.equal(sound(saved), told["streamed"]["messages"])
    # What was not written yet is one chunk, and no chunk is longer than a second.
    chunks = chunks_of(pathlib.Path(path + "a-recovered.mcap").read_bytes())
    assert sound(saved) > 100, saved
    written = [(chunk[4] - chunk[3]) * 1e-9 for chunk in chunks_of(pathlib.Path(name).read_bytes())]
    assert written and max(written) <= 1.0, (written, chunks)


@serving(ROBOT)
@folder
def a_full_disk_ends_the_recording_and_not_the_server(path, url):
    name = path + "a.mcap"
    for most in (1000, 150000):  # full before the first message, and later
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        result = subprocess.run([PROGRAM, "log", "-o", name, "--compression", "none", "--force"], capture_output=True, text=True, timeout=300,
                                check=False, env={**os.environ, "TROUPE_URL": url}, preexec_fn=limit)
        tap.equal((result.returncode, result.stderr),
                  (1, f"troupe log: {name}: File too large; troupe log recover saves what was recorded\n"))
    data = pathlib.Path(name).read_bytes()
    whole = chunks_of_cut(data)
    tap.equal(sound(recovered([name], 1 if whole else 2)[0]), sum(chunk[2] for chunk in whole))
    tap.equal(troupe("list", url=url).returncode, 0)


def chunks_of_cut(data):
    """The same of a file that is not whole: the chunks that are."""
    try:
        return [chunk for chunk in chunks_of(data) if chunk[1] <= len(data)]
    except (IndexError, struct.error):
        return [chunk for chunk in chunks_of(data + b"\x0f" + bytes(64)) if chunk[1] <= len(data)]


tap.main(both_readers_take_each_form, cut_and_flipped_files_give_back_every_intact_chunk,
         the_exit_code_of_recover_tells_how_much_was_saved, a_killed_recorder_loses_at_most_a_second,
         a_full_disk_ends_the_recording_and_not_the_server)
