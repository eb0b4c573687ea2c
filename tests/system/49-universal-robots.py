#!/usr/bin/env python3
"""Robots of kind="universal": their firmware executes the packets of docs/universal-protocol.md. The counterpart here is the front
`universal` of another server, whose robot is an emulated NXT.
argv: the troupe program, source root."""
import os
import pathlib
import re
import struct
import sys
import tempfile

import cli
import tap
from universal import Client, Server, error, text

ROOT = pathlib.Path(sys.argv[2])
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
NXT = 'driver ( name "robotfile" robot "nxt" port "emulate:nxt" provides [ "universal:0" "position2d:0" ] )\n'
MOVE_MOTORS, READ_ANALOG, READ_DIGITAL, MOVE_POWER = 0x3010, 0x1003, 0x1002, 0x300B


def page_file():
    """The robot file of the page."""
    page = (ROOT / "docs/robot-files.md").read_text(encoding="utf-8")
    section = page[page.index("## Robots that execute universal commands"):]
    return re.search(r"```xml\n(.*?)```", section, re.S).group(1)


def patient_file():
    """The same with a robot that may take its time: on a busy machine the other server can stall for longer than 200 ms."""
    page = page_file()
    assert '<timing reply="200"/>' in page
    return page.replace('<timing reply="200"/>', '<timing reply="60000"/>')


def written(content, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8") as file:
        file.write(content)
    return file.name


def config(robot, port):
    return (f'driver ( name "robotfile" robot "{robot}" port "tcp:127.0.0.1:{port}" '
            'provides [ "universal:0" "position2d:0" "aio:0" ] alwayson 1 )\n')


def the_robot_executes_what_is_asked():
    with Server(NXT) as chip, Server(config(written(patient_file(), ".xml"), chip.port)) as server, Client(server) as client:
        status, rest = client.extended(1, text(b"Light Sensor") + b"\xff")
        tap.equal((status, rest[6:].decode()), (0, '"Light Sensor" → Eye'))
        for code, size in ((READ_ANALOG, 8), (READ_DIGITAL, 1)):
            status, rest = client.ask(code, b"\x40\0")
            tap.equal((code, status, len(rest)), (code, 0, size))
        for code, values in ((MOVE_MOTORS, (40.0, 40.0)), (0x300C, (30.0, 0.0)), (MOVE_MOTORS, (0.0, 0.0))):
            tap.equal(client.ask(code, struct.pack(">BBdd", 20, 0, *values)), (0, b""))
        status, rest = client.ask(0x1007)  # Track: not on this robot
        tap.equal((status, error(rest)[0]), (1, 2))


def what_the_robot_refuses_is_told_with_its_own_sentence():
    finch = 'driver ( name "robotfile" robot "finch" port "emulate:finch" provides [ "universal:0" ] )\n'
    more = ('  <device name="Watcher" type="Input" classes="Blob, Camera, Input" base="Track"/>\n</robot>')
    robot = written(patient_file().replace("</robot>", more), ".xml")
    with Server(finch) as chip, Server(config(robot, chip.port)) as server, Client(server) as client:
        status, rest = client.ask(0x1007)
        code, sentence = error(rest)
        tap.equal((status, code), (1, 1))
        assert sentence.startswith("chip: Watcher: not available: finch: not available: Track"), sentence


def it_stops_when_its_server_dies_or_its_client_leaves():
    robot = written(patient_file(), ".xml")
    with Server(NXT) as chip:
        with Server(config(robot, chip.port)) as server, Client(server) as client:
            tap.equal(client.ask(MOVE_MOTORS, struct.pack(">BBdd", 20, 0, 40.0, 40.0)), (0, b""))
            tap.equal(client.ask(0x3012, b"\xff\xff"), (0, b""))
            tap.equal(client.ask(MOVE_MOTORS, struct.pack(">BBdd", 20, 0, 40.0, 40.0)), (0, b""))
        with Server(config(robot, chip.port)) as server, Client(server) as client:  # the chip takes a new one
            tap.equal(client.ask(MOVE_POWER, struct.pack(">BBd", 19, 0, 10.0)), (0, b""))


def the_page_and_the_commands_show_it():
    path = written(page_file(), ".xml")
    result = cli.troupe("robots", path)
    tap.equal(result.returncode, 0)
    assert re.search(r"^ReadAnalog +direct: Eye$", result.stdout, re.M), result.stdout
    assert re.search(r"^Drive +parent: Both Wheels$", result.stdout, re.M), result.stdout
    result = cli.troupe("translate", path, "ReadAnalog", "Light Sensor")
    tap.equal((result.returncode, result.stdout.splitlines()[-2:]), (0, ["> 00 00 00 09 01 00 00 08 00 10 03 03 02", "< 00 value:double"]))


tap.main(the_robot_executes_what_is_asked, what_the_robot_refuses_is_told_with_its_own_sentence,
         it_stops_when_its_server_dies_or_its_client_leaves, the_page_and_the_commands_show_it)
