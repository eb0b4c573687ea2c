#!/usr/bin/env python3
"""Devices of a server as one universal robot, robots/troupe.xml: the simulated Pioneer of configs/universal-pioneer.cfg.
argv: the troupe program, source root."""
import os
import pathlib
import re
import socket
import struct
import sys
import tempfile

import cli
import tap
from robots import Program, address

ROOT = pathlib.Path(sys.argv[2])
CONFIG = ROOT / "configs" / "universal-pioneer.cfg"
os.environ.setdefault("TROUPE_WORLD_PATH", str(ROOT / "worlds"))
MOVES = r"px: 0\.[0-9]+ m/s"
STANDS = r"px: 0 m/s"


def written(text, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8") as file:
        file.write(text)
    return file.name


def url_of(server):
    return f"localhost:{address(server, r'^listening on port ([0-9]+)')}"


def play(text, url):
    return cli.troupe("play", written(text, ".play"), "--url", url)


def number(device, field, url):
    result = cli.troupe("print", device, "-n", "1", url=url)
    return [float(value) for value in re.search(rf"{field}: \[?\s*([^\]m%]+)", result.stdout).group(1).split()]


SENSORS = """device left is Left Light Sensor
device right is Right Light Sensor
device ahead is Front Distance Sensor
device beside is Left Distance Sensor
device bump is Bump Sensor
device key is Button
device charge is Battery
print "left", left
print "right", right
print "ahead", ahead
print "beside", beside
print "bump", bump
print "key", key
print "charge", charge
"""


def its_sensors_are_read():
    with Program("run", str(CONFIG), "--any-port") as server:
        url = url_of(server)
        result = play(SENSORS, url)
        tap.equal((result.returncode, result.stderr), (0, ""))
        got = dict(re.findall(r"^([a-z]+) ([0-9.]+|true|false)$", result.stdout, re.M))
        for name, device in (("left", "aio:0"), ("right", "aio:1")):
            volts = number(device, "voltages", url)[0]  # 5 V are 100 %
            assert abs(float(got[name]) - volts * 20) < 0.01, (got, volts)
        ranges = number("ranger:0", "ranges", url)  # of 16 sonars, with an error of about 2 cm
        assert abs(float(got["ahead"]) - 1000 * min(ranges[2:6])) < 200, (got, ranges)
        assert abs(float(got["beside"]) - 1000 * min(ranges[0], ranges[1], ranges[15])) < 200, (got, ranges)
        tap.equal((got["bump"], got["key"]), ("false", "false"))
        assert abs(float(got["charge"]) - number("power:0", "percent", url)[0]) < 1, got


def a_distance_or_an_obstacle_is_what_is_ahead():
    for command, device in (("ReadCount", "Distance Sensor"), ("ReadCount", "Sonar"), ("ReadDigital", "Obstacle Sensor")):
        result = cli.troupe("translate", "troupe", command, device)
        assert "Front Distance Sensor" in result.stdout.splitlines()[0], result


def it_drives_to_the_lamp():
    with Program("run", str(CONFIG), "--any-port") as server:
        url = url_of(server)
        result = play('device eye is Light Sensor\ndrive 100\nwait until eye > 20 at most 60 s\n'
                      'if eye > 20\n    print "bright"\nend\nstop\n', url)
        tap.equal((result.returncode, result.stderr), (0, ""))
        assert result.stdout.endswith("\nbright\n"), result.stdout
        assert number("position2d:0", "px", url)[0] > 0.5


def it_turns_each_way():
    with Program("run", str(CONFIG), "--any-port") as server, \
         Program("print", "position2d:0", "--url", url_of(server)) as seen:
        url = seen.process.args[-1]
        for words, turn in (("drive 0 turn 40", r"pa: 0\.[0-9]+ rad/s"), ("drive 0 turn -40", r"pa: -0\.[0-9]+ rad/s")):
            with Program("play", written(f"{words}\nwait 300 s\n", ".play"), "--url", url):
                seen.await_line(turn)


def it_goes_to_a_pose():
    with Program("run", str(CONFIG), "--any-port") as server:
        front = int(address(server, r"^front universal: listening on port ([0-9]+)"))
        with Program("print", "position2d:0", "--url", url_of(server)) as seen, \
             socket.create_connection(("127.0.0.1", front), timeout=60) as client:
            packet = struct.pack(">BIHBBddd", 1, 0, 0x3011, 20, 0, -1.5, 0.0, 0.0)  # GoTo of the default DriveAxis
            client.sendall(struct.pack(">I", len(packet)) + packet)
            tap.equal(client.recv(5, socket.MSG_WAITALL), b"\0\0\0\1\0")
            seen.await_line(r"px: -1\.(5|49|50)[0-9]* m$")


def the_robot_stands_when_its_program_is_gone():
    with Program("run", str(CONFIG), "--any-port") as server, \
         Program("print", "position2d:0", "--url", url_of(server)) as seen:
        with Program("play", written("drive 60\nwait 300 s\n", ".play"), "--url", seen.process.args[-1]):
            seen.await_line(MOVES)
        seen.await_line(STANDS)  # the program was killed


def a_panic_stops_it_and_nothing_moves_it_then():
    with Program("run", str(CONFIG), "--any-port") as server, \
         Program("print", "position2d:0", "--url", url_of(server)) as seen:
        url = seen.process.args[-1]
        with Program("play", written("drive 60\nwait 300 s\n", ".play"), "--url", url):
            seen.await_line(MOVES)
            tap.equal(cli.troupe("panic", url=url).returncode, 0)
            seen.await_line(STANDS)
        result = play("drive 60\nwait 1 s\n", url)
        assert result.returncode != 0 and "panic" in result.stderr, result


def only_what_is_required_is_there():
    text = re.sub(r"requires \[.*\]", 'requires [ "position2d:0" ]', CONFIG.read_text())
    text = text.replace('"universal-pioneer.world"', f'"{ROOT}/configs/universal-pioneer.world"')
    with Program("run", written(text, ".cfg"), "--any-port") as server:
        url = url_of(server)
        result = play("device eye is Light Sensor\nprint eye\n", url)
        assert result.returncode != 0 and "not on this robot (troupe)" in result.stderr + result.stdout, result
        tap.equal(play("drive 10\nstop\n", url).returncode, 0)


SECTION = 'driver ( name "robotfile" robot "troupe" port "devices" provides [ "universal:0" ] requires [ {} ] )\n'


def a_device_of_another_server_that_vanishes_is_reported():
    with Program("run", str(CONFIG), "--any-port") as server:
        port = url_of(server).rpartition(":")[2]
        there = SECTION.format(f'"localhost:{port}:position2d:0" "localhost:{port}:aio:0"')
        with Program("run", written(there, ".cfg"), "--any-port") as near:
            url = url_of(near)
            with Program("play", written("device eye is Light Sensor\nprint \"eye\", eye\ndrive 20\nprint \"drives\"\nforever\n"
                                         "    drive 20\n    wait 0.1 s\nend\n", ".play"), "--url", url) as program:
                program.await_line(r"^eye [0-9.]+$")
                program.await_line(r"^drives$")
                server.process.kill()
                program.await_line(r"^troupe play: .*: robot refused: a device refused: position2d is lost$")


def mistakes_are_named():
    fake = 'driver ( name "fake" provides [ "position2d:0" "ptz:0" ] )\n'
    for section, words in ((SECTION.format('"ptz:0"'), "requires ptz: expected position2d, aio, dio, ranger, sonar, laser, bumper, power, blinkenlight, speech, audio, actarray, "
                                              "gripper or blobfinder"),
                           (SECTION.replace("requires [ {} ]", ""), 'the robot troupe needs devices: write requires [ "position2d:0" ]'),
                           (SECTION.format('"position2d:0"').replace('"devices"', '"tcp:localhost:1"'),
                            'the robot troupe consists of devices: write port "devices"'),
                           (SECTION.format('"position2d:0"').replace('"troupe"', '"nxt"'),
                            'port "devices": the robot nxt has a line; name it')):
        result = cli.troupe("check", written(fake + section, ".cfg"))
        assert result.returncode != 0 and words in result.stderr + result.stdout, (words, result)


tap.main(its_sensors_are_read, a_distance_or_an_obstacle_is_what_is_ahead, it_drives_to_the_lamp, it_turns_each_way, it_goes_to_a_pose,
         the_robot_stands_when_its_program_is_gone, a_panic_stops_it_and_nothing_moves_it_then,
         only_what_is_required_is_there, a_device_of_another_server_that_vanishes_is_reported, mistakes_are_named)
