#!/usr/bin/env python3
"""The drivers log, writelog and readlog: rings of files, recordings as devices again, Player's text format.
argv: the troupe program."""
import base64
import functools
import glob
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import tempfile
import time

import player
import tap
from cli import PROGRAM, Running, at, troupe
from player import ACK, DATA, NACK, POSITION2D

LASER, SONAR, LOG = 6, 5, 45
FAKE = 'driver ( name "fake" provides [ "position2d:0" "laser:0" "sonar:0" ] rate 100 )\n'
PLAIN = "form \"xdr\" compression \"none\""
WRITE_STATE, READ_STATE, GET_STATE, REWIND, FILENAME = 1, 2, 3, 4, 5

# As Player's writelog writes it: signs, zeros in front, a blank at the end.
SAMPLE = """## Player version 3.1.0
## File version 0.3.0
0000000010.000 16777343 6665 laser 00 004 001  +0.100  +0.000   0.000   0.150   0.150
0000000010.000 16777343 6665 sonar 00 004 001 2 +00.200 +00.100 +0.7854 +00.200 -00.100 -0.7854
0000000010.000 16777343 6665 position2d 00 004 001 -00.050 +00.000 +0.000 +00.450 +00.400
0000000010.100 16777343 6665 laser 00 001 001 0007 -1.5708 +1.5708 +1.57079633 +08.0000 0003 1.500  1 2.250  0 7.999 15
0000000010.200 16777343 6665 position2d 00 001 001 +01.250 -00.500 +0.785 +00.300 +00.000 +00.100 0
0000000010.300 16777343 6665 sonar 00 001 001 2 0.750 5.000
0000000010.400 16777343 6665 wifi 00 001 001 nonsense
0000000010.500 16777343 6665 position2d 00 001 001 +01.500 -00.500
0000000010.600 16777343 6665 position2d 00 001 001 +01.750 -00.500 +0.785 +00.300 +00.000 +00.100 1
"""


def folder(test):
    @functools.wraps(test)
    def run():
        with tempfile.TemporaryDirectory() as path:
            test(path + "/")
    return run


def messages(path):
    """Topic and bytes of each message of an uncompressed recording, in order."""
    data = pathlib.Path(path).read_bytes()
    topics, found, ends, place = {}, [], [len(data)], 8
    while place < ends[-1]:
        op, length = data[place], struct.unpack_from("<Q", data, place + 1)[0]
        body = place + 9
        if op == 6:
            ends.append(body + length)
            place = body + 40
            continue
        if op == 4:
            size = struct.unpack_from("<I", data, body + 4)[0]
            topics[struct.unpack_from("<H", data, body)[0]] = data[body + 8:body + 8 + size].decode()
        elif op == 5:
            found.append((topics[struct.unpack_from("<H", data, body)[0]], data[body + 22:body + length]))
        elif op == 15:
            break
        place = body + length
        if len(ends) > 1 and place == ends[-1]:
            ends.pop()
    return found


def record(path, text=FAKE, wanted=200):
    """A recording of a driver."""
    section = f'driver ( name "log" requires [ "position2d:0" "laser:0" "sonar:0" ] provides [ "log:0" ] filename "{path}" {PLAIN} )\n'
    with player.server(PROGRAM, text + section) as server:
        until(server, "messages", wanted)
    tap.equal(troupe("log", "info", path).returncode, 0)
    return messages(path)


def until(server, key, wanted):
    """Wait until a property of log:0 is so large."""
    while float(troupe("property", "log:0", key, url=at(server)).stdout.split()[0]) < wanted:
        time.sleep(0.05)


@folder
def what_is_played_is_what_was_recorded(path):
    first = record(path + "a.mcap")
    assert len(first) >= 200 and len({topic for topic, _ in first}) == 3, len(first)
    section = f'driver ( name "log" filename "{path}a.mcap" speed 0 lossless yes autoplay no )\n'
    with player.server(PROGRAM, section) as server:
        with Running("log", "position2d:0", "laser:0", "sonar:0", "-n", str(len(first)), "-o", path + "b.mcap",
                     "--form", "xdr", "--compression", "none", url=at(server)) as recorder:
            while not all(device["readers"] for device in json.loads(troupe("list", "--json", url=at(server)).stdout)["devices"]
                          if device["device"] not in ("log:0", "recordings:0")):
                time.sleep(0.05)
            tap.equal(troupe("request", "log:0", "SET_READ_STATE", '{"state":1}', url=at(server)).returncode, 0)
            tap.equal(recorder.ended()[0], 0)
    again = messages(path + "b.mcap")
    tap.equal([topic for topic, _ in again], [topic for topic, _ in first])
    tap.equal(again == first, True)


@folder
def a_ring_of_files_is_bounded_and_each_is_whole(path):
    section = (f'driver ( name "log" requires [ "laser:0" "position2d:0" ] provides [ "log:0" ] filename "{path}r.mcap" '
               'max_size 0.1 max_files 3 )\n')
    with player.server(PROGRAM, FAKE.replace("100", "1000") + section) as server:
        until(server, "messages", 4000)
    names = sorted(os.path.basename(name) for name in glob.glob(path + "*"))
    tap.equal(names, ["r-1.mcap", "r-2.mcap", "r.mcap"])
    for name in names:
        tap.equal(troupe("log", "info", path + name).returncode, 0)
        assert os.path.getsize(path + name) < 1000000, name
    # Each begins with the devices and their answers.
    with player.server(PROGRAM, f'driver ( name "log" filename "{path}r-1.mcap" )\n') as server:
        client = player.Client(server.address)
        client.open(LASER, 0)
        tap.equal(client.request(LASER, 0, 1).type, ACK)


def log_state(client):
    return struct.unpack(">II", client.request(LOG, 0, GET_STATE).body)


def data_of(client, interface):
    message = client.message()
    while message.type != DATA or message.interf != interface:
        message = client.message()
    return message


@folder
def a_player_client_controls_the_playing(path):
    pathlib.Path(path + "p.log").write_text(SAMPLE)
    section = f'driver ( name "readlog" filename "{path}p.log" provides [ "laser:0" "sonar:0" "position2d:0" "log:0" ] autoplay 0 speed 20.0 )\n'
    with player.server(PROGRAM, section) as server:
        client = player.Client(server.address)
        for interface in (LASER, SONAR, POSITION2D, LOG):
            client.open(interface, 0)
        tap.equal(log_state(client), (1, 0))
        tap.equal(struct.unpack_from(">dd", client.request(LASER, 0, 1).body), (0.1, 0.0))
        geometry = client.request(SONAR, 0, 1)
        tap.equal(struct.unpack_from(">I", geometry.body), (2,))
        tap.equal(client.request(LOG, 0, READ_STATE, struct.pack(">I", 1)).type, ACK)
        scan = data_of(client, LASER)
        tap.equal((scan.time, struct.unpack_from(">ffffII3f", scan.body)[4:]), (10.1, (3, 3, 1.5, 2.25, struct.unpack("f", struct.pack("f", 7.999))[0])))
        place = data_of(client, POSITION2D)
        tap.equal((place.time, struct.unpack(">ddddddI", place.body)), (10.2, (1.25, -0.5, 0.785, 0.3, 0.0, 0.1, 0)))
        tap.equal(struct.unpack_from(">IIff", data_of(client, SONAR).body), (2, 2, 0.75, 5.0))
        place = data_of(client, POSITION2D)  # the line that is too short is left out
        tap.equal((place.time, struct.unpack(">ddddddI", place.body)[6]), (10.6, 1))
        while log_state(client) != (1, 0):  # at its end
            time.sleep(0.02)
        tap.equal(troupe("property", "log:0", "left_out", url=at(server)).stdout.split()[0], "2")
        tap.equal(client.request(LOG, 0, REWIND).type, ACK)
        tap.equal(client.request(LOG, 0, WRITE_STATE, struct.pack(">I", 1)).type, NACK)
        # Step by step: a message each, and no more.
        for interface in (LASER, POSITION2D):
            tap.equal(troupe("property", "log:0", "step", "1", url=at(server)).returncode, 0)
            tap.equal(data_of(client, interface).interf, interface)
        tap.equal(log_state(client), (1, 0))
        tap.equal([message for message in client.passed if message.type == DATA], [])


@folder
def the_text_of_writelog_is_read_by_readlog(path):
    section = (f'driver ( name "writelog" requires [ "laser:0" "position2d:0" "sonar:0" ] provides [ "log:0" ] log_directory "{path[:-1]}" '
               'basename "x_" timestamp 0 alwayson 1 )\n')
    with player.server(PROGRAM, FAKE + section) as server:
        until(server, "messages", 60)
        client = player.Client(server.address)
        client.open(LOG, 0)
        tap.equal(log_state(client), (2, 1))
        name = b"../x.log\0"
        tap.equal(client.request(LOG, 0, FILENAME, struct.pack(">II", len(name), len(name)) + name + bytes(3)).type, NACK)
        tap.equal(client.request(LOG, 0, WRITE_STATE, struct.pack(">I", 0)).type, ACK)
        tap.equal(log_state(client), (2, 0))
    lines = pathlib.Path(path + "x_.log").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    assert {row[3] for row in rows} == {"laser", "position2d", "sonar"} and all(row[5] in ("001", "004") for row in rows)
    ranges = [[float(word) for word in row[8:]] for row in rows if row[3] == "sonar" and row[5] == "001"]
    with player.server(PROGRAM, f'driver ( name "readlog" filename "{path}x_.log" provides [ "sonar:4" ] speed 5 )\n') as server:
        client = player.Client(server.address)
        client.open(SONAR, 4)  # the only sonar of the recording
        for wanted in ranges[:3]:
            body = data_of(client, SONAR).body
            got = struct.unpack_from(f">{len(wanted)}f", body, 8)
            assert all(abs(a - b) < 1e-6 for a, b in zip(got, wanted)), (got, wanted)


@folder
def a_part_is_played_again_and_again(path):
    pathlib.Path(path + "p.log").write_text(SAMPLE)
    section = (f'driver ( name "log" filename "{path}p.log" provides [ "position2d:0" "log:0" ] from 0.05 to 0.15 autorewind yes '
               'speed 100 times "shifted" )\n')
    with player.server(PROGRAM, section) as server:
        client = player.Client(server.address)
        client.open(POSITION2D, 0)
        for _ in range(3):
            place = data_of(client, POSITION2D)
            tap.equal(struct.unpack_from(">d", place.body), (1.25,))
            assert place.time > 1e9, place.time


@folder
def a_full_disk_ends_the_recording_and_not_the_server(path):
    section = f'driver ( name "log" requires [ "laser:0" ] provides [ "log:0" ] filename "{path}f.mcap" {PLAIN} )\n'
    pathlib.Path(path + "f.cfg").write_text(FAKE + section)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    with subprocess.Popen([PROGRAM, "run", path + "f.cfg", "--any-port"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=limit) as process:
        try:
            line = ""
            while not line.startswith("listening on port "):
                line = process.stdout.readline()
            url = "localhost:" + line.split()[3].rstrip(",")
            note = ""
            while "the recording has ended" not in note:
                note = process.stderr.readline()
                assert note, "the server says nothing"
            assert f"{path}f.mcap: File too large" in note, note
            result = troupe("property", "log:0", "failure", url=url)
            tap.equal((result.returncode, result.stdout.strip()), (0, "File too large"))
            tap.equal(troupe("print", "laser:0", "-n", "1", url=url).returncode, 0)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
    tap.equal(troupe("log", "recover", path + "f.mcap").returncode in (1, 2), True)


@folder
def what_is_no_recording_is_not_replaced(path):
    pathlib.Path(path + "x.mcap").write_text("a letter")
    section = f'driver ( name "log" requires [ "laser:0" ] provides [ "log:0" ] filename "{path}x.mcap" autorecord no )\n'
    with player.server(PROGRAM, FAKE + section) as server:
        result = troupe("request", "log:0", "SET_WRITE_STATE", '{"state":1}', url=at(server))
        assert result.returncode == 1 and "x.mcap is no recording, and stays" in result.stderr, result
    tap.equal((os.listdir(path), pathlib.Path(path + "x.mcap").read_text()), (["x.mcap"], "a letter"))


def ask(server, device, message, value=None):
    return troupe("request", device, message, *([json.dumps(value)] if value is not None else []), "--json", url=at(server))


def answer(server, device, message, value=None):
    result = ask(server, device, message, value)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return json.loads(result.stdout) if result.stdout.strip() else None


@folder
def a_folder_of_recordings_is_listed_fetched_and_played(path):
    pathlib.Path(path + "letter.mcap").write_text("a letter")
    sections = (f'driver ( name "log" requires [ "laser:0" "position2d:0" ] provides [ "recordings:0" ] filename "{path}r.mcap" {PLAIN} autorecord no )\n'
                f'driver ( name "log" provides [ "laser:7" "position2d:7" "recordings:1" ] filename "{path}none.mcap" )\n')
    with player.server(PROGRAM, FAKE + sections) as server:
        tap.equal(answer(server, "recordings:0", "LIST")["files"], [])
        state = answer(server, "recordings:1", "STATE")
        tap.equal((state["records"], state["runs"], state["name"], state["span"]), (0, 0, "", 0))
        for name in ("a.mcap", "b.mcap"):
            answer(server, "recordings:0", "RECORD", {"name": name})
            while answer(server, "recordings:0", "STATE")["messages"] < 100:
                time.sleep(0.05)
            assert "stop the recording first" in ask(server, "recordings:0", "RECORD", {"name": "c.mcap"}).stderr
            answer(server, "recordings:0", "STOP")
        files = {file["name"]: file for file in answer(server, "recordings:0", "LIST")["files"]}
        tap.equal(sorted(files), ["a.mcap", "b.mcap"])
        for name, file in files.items():
            data = pathlib.Path(path + name).read_bytes()
            tap.equal((file["whole"], file["size"], file["messages"]), (1, len(data), len(messages(path + name))))
            got = b""
            while len(got) < len(data):
                got += base64.b64decode(answer(server, "recordings:0", "FETCH", {"name": name, "from": len(got)})["text"])
            tap.equal(got == data, True)
        tap.equal(answer(server, "recordings:0", "FETCH", {"name": "a.mcap", "from": files["a.mcap"]["size"]})["text"], "")
        # Another file on the same devices; what fails changes nothing.
        answer(server, "recordings:1", "OPEN", {"name": "b.mcap"})
        for name, error in (("letter.mcap", "there is no recording letter.mcap"), ("no.mcap", "there is no recording no.mcap"),
                            ("../a.mcap", "a name without a folder is wanted"), ("", "a name without a folder is wanted"),
                            (".a.mcap", "a name without a folder is wanted"), ("x" * 200, "a name without a folder is wanted")):
            for message in ("OPEN", "FETCH"):
                result = ask(server, "recordings:1", message, {"name": name})
                assert result.returncode == 1 and error in result.stderr, (message, name, result)
        assert "is not in the file" in ask(server, "recordings:1", "FETCH", {"name": "a.mcap", "from": -1}).stderr
        assert "choose" not in ask(server, "recordings:1", "STEP", {"messages": 1}).stderr
        state = answer(server, "recordings:1", "STATE")
        tap.equal((state["name"], state["messages"], round(state["span"], 3)), ("b.mcap", 1, round(files["b.mcap"]["span"], 3)))
        for message, value, error in (("GO", {"position": -1}, "no time of the recording"), ("SPEED", {"speed": -1}, "a speed is"),
                                      ("STEP", {"messages": 0}, "1 to 10000"), ("RECORD", {"name": "z"}, "this driver plays")):
            assert error in ask(server, "recordings:1", message, value).stderr, message
        assert "this driver records" in ask(server, "recordings:0", "PLAY").stderr
        count = sum(topic.startswith("/position2d:0/") for topic, _ in messages(path + "a.mcap"))
        with Running("print", "position2d:7", "-n", str(count), "--json", url=at(server)) as reader:
            while not [one for one in json.loads(troupe("list", "--json", url=at(server)).stdout)["devices"]
                       if one["device"] == "position2d:7" and one["readers"]]:
                time.sleep(0.05)
            answer(server, "recordings:1", "OPEN", {"name": "a.mcap"})
            answer(server, "recordings:1", "PLAY")
            tap.equal(reader.ended()[0], 0)
        while answer(server, "recordings:1", "STATE")["runs"]:
            time.sleep(0.05)
    tap.equal(sorted(os.listdir(path)), ["a.mcap", "b.mcap", "letter.mcap"])


@folder
def mistakes_have_their_place(path):
    pathlib.Path(path + "p.log").write_text(SAMPLE)
    for section, error in (
            ('filename "no.mcap"', "no.mcap: No such file or directory"),
            ('filename "p.log" provides [ "gripper:3" ]', "the recording has no gripper:3; it has laser:0, sonar:0, position2d:0"),
            ('filename "p.log" speed -1', 'speed "-1" is not 0 to 1000000'),
            ('filename "p.log" times "now"', 'times "now" is not kept or shifted'),
            ('filename "x.mcap" requires [ "laser:0" ] provides [ "laser:1" ]',
             "a section with `requires` records; it offers log and recordings only"),
            ('filename "x.mcap" requires [ "laser:0" ] provides [ "log:0" ] max_files 0.5',
             'max_files "0.5" is not a whole number from 1 to 1000')):
        pathlib.Path(path + "m.cfg").write_text(FAKE.replace("position2d:0", "position2d:9").replace("sonar:0", "sonar:9") +
                                                f'driver ( name "log" {section} )\n')
        result = troupe("check", path + "m.cfg")
        assert result.returncode == 1 and error in result.stderr and f"{path}m.cfg:2:" in result.stderr, (section, result)


tap.main(what_is_played_is_what_was_recorded, a_ring_of_files_is_bounded_and_each_is_whole,
         a_player_client_controls_the_playing, the_text_of_writelog_is_read_by_readlog, a_part_is_played_again_and_again,
         a_full_disk_ends_the_recording_and_not_the_server, what_is_no_recording_is_not_replaced,
         a_folder_of_recordings_is_listed_fetched_and_played, mistakes_have_their_place)
