#!/usr/bin/env python3
"""Robots that are devices (robots/troupe.xml) with inputs, outputs, lights, a voice, tones, joints, a gripper, patches of colour, sonars
and bumpers: a fake one, whose commands are read on its line, and a simulated one.
argv: the troupe program, source root."""
import os
import pathlib
import re
import socket
import struct
import sys
import tempfile

import tap
from universal import Client, Server, error, text

ROOT = pathlib.Path(sys.argv[2])
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
READ_DIGITAL, READ_ANALOG, READ_COUNT, TRACK = 0x1002, 0x1003, 0x1004, 0x1007
WRITE_DIGITAL, WRITE_ANALOG, WRITE_STRING = 0x3002, 0x3003, 0x3005
INDICATE_TRIGGER, DISPLAY_VALUE, DISPLAY_STRING, SERVO, TONE, MOTORS, STOP = 0x3007, 0x3009, 0x300A, 0x300E, 0x300F, 0x3010, 0x3012
FAKE = ('"position2d:0" "dio:0" "aio:0" "blinkenlight:0" "blinkenlight:1" "speech:0" "audio:0" "actarray:0" "gripper:0" "blobfinder:0" '
        '"sonar:0" "bumper:0" "power:0"')
ROBOT = 'driver ( name "robotfile" robot "troupe" port "devices" provides [ "universal:0" ] requires [ {} ] max_speed 0.5 width 0.4 )\n'


def written(content, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8") as file:
        file.write(content)
    return file.name


class Line:
    """What the fake robot is told."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"tcp:127.0.0.1:{self.listener.getsockname()[1]}"
        self.peer, self.seen = None, []

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.listener.close()
        if self.peer is not None:
            self.peer.close()

    def await_line(self, pattern):
        if self.peer is None:
            connection, _ = self.listener.accept()
            connection.settimeout(60)
            self.peer = connection.makefile("r", encoding="utf-8")
        while True:
            try:
                line = self.peer.readline()
            except TimeoutError:
                break
            self.seen.append(line)
            if line == "" or re.search(pattern, line):
                break
        if line == "" or not re.search(pattern, line):
            raise AssertionError(f"no {pattern} in {''.join(self.seen)}")


def registered(client, classes, number=255):
    status, rest = client.extended(1, text(classes.encode()) + bytes([number]))
    assert status == 0, error(rest)
    return rest[:1] + b"\0"


def number_of(client, code, port):
    status, rest = client.ask(code, port)
    assert status == 0, error(rest)
    return struct.unpack({1: ">?", 4: ">i", 8: ">d"}[len(rest)], rest)[0]


def a_fake_robot():
    line = Line()
    return line, f'driver ( name "fake" provides [ {FAKE} ] port "{line.url}" noise 0 rate 50 )\n' + ROBOT.format(FAKE)


def what_is_written_reaches_the_devices():
    line, config = a_fake_robot()
    with line, Server(config) as server, Client(server) as client:
        led, gripper = registered(client, "LED", 1), registered(client, "Gripper")
        green = registered(client, "Green LED")
        for code, body, wanted in (
                (MOTORS, struct.pack(">BBdd", 20, 0, 50.0, 25.0), r"^position2d:0 VEL .*\"px\":0.1875.*\"pa\":-0.3125"),
                (WRITE_DIGITAL, struct.pack(">BB?", 17, 3, True), r'^dio:0 VALUES \{"count":4,"digout":8\}'),
                (WRITE_DIGITAL, struct.pack(">BB?", 17, 0, True), r'^dio:0 VALUES \{"count":1,"digout":9\}'),
                (WRITE_ANALOG, struct.pack(">BBd", 18, 2, 40.0), r'^aio:0 STATE \{"id":2,"voltage":2\}'),
                (INDICATE_TRIGGER, led + b"\1", r'^blinkenlight:1 STATE \{"id":0,"enable":1.*"red":255,"green":255,"blue":255'),
                (WRITE_ANALOG, green + struct.pack(">d", 50.0), r'^blinkenlight:0 STATE \{"id":0,"enable":1.*"red":0,"green":12[78],"blue":0'),
                (INDICATE_TRIGGER, led + b"\0", r'^blinkenlight:1 STATE \{"id":0,"enable":0'),
                (DISPLAY_STRING, struct.pack(">BB", 16, 0) + text(b"stop 1 2"), r'^speech:0 SAY .*"stop 1 2'),
                (DISPLAY_VALUE, struct.pack(">BBd", 18, 0, 3.5), r'^speech:0 SAY .*"3.5'),
                (WRITE_STRING, struct.pack(">BB", 16, 0) + text(b"hello"), r'^speech:0 SAY .*"hello'),
                (TONE, struct.pack(">BBdd", 16, 0, 440.0, 200.0), r'^audio:0 SEQ_PLAY .*"freq":440,"duration":0.2'),
                (SERVO, struct.pack(">BBd", 18, 1, 30.0), r'^actarray:0 POS \{"joint":1,"position":0.523'),
                (WRITE_DIGITAL, gripper + b"\1", r"^gripper:0 CLOSE"),
                (WRITE_DIGITAL, gripper + b"\0", r"^gripper:0 OPEN"),
                (STOP, b"\xff\xff", r"^position2d:0 HALT")):
            tap.equal((hex(code), client.ask(code, body)), (hex(code), (0, b"")))
            line.await_line(wanted)


def what_is_measured_comes_back():
    line, config = a_fake_robot()
    with line, Server(config) as server, Client(server) as client:
        # Outputs of a fake dio and aio are its inputs.
        tap.equal(client.ask(WRITE_DIGITAL, struct.pack(">BB?", 17, 2, True)), (0, b""))
        tap.equal(client.ask(WRITE_ANALOG, struct.pack(">BBd", 18, 1, 60.0)), (0, b""))
        key, eye = registered(client, "Button", 2), registered(client, "Right Light Sensor")
        while not number_of(client, READ_DIGITAL, key) or abs(number_of(client, READ_ANALOG, eye) - 60) > 1:
            pass
        tap.equal(client.ask(SERVO, struct.pack(">BBd", 18, 0, 20.0)), (0, b""))
        joint = registered(client, "Angle Sensor", 0)
        while abs(number_of(client, READ_COUNT, joint) - 200) > 5:
            pass
        status, rest = client.ask(TRACK, struct.pack(">BB", 1, 1))
        x, y, size = struct.unpack(">ddd", rest)
        assert status == 0 and -100 <= x <= 100 and -100 <= y <= 100 and 0 < size <= 100, (x, y, size)
        tap.equal(client.ask(TRACK, struct.pack(">BB", 1, 7)), (0, struct.pack(">ddd", 0, 0, 0)))  # there is no such patch
        ahead = number_of(client, READ_COUNT, registered(client, "Front Distance Sensor"))
        assert 0 < ahead < 20000, ahead
        for side in ("Left Bumper", "Right Bumper"):
            assert number_of(client, READ_DIGITAL, registered(client, side)) in (False, True)
        assert 0 <= number_of(client, READ_ANALOG, registered(client, "Battery")) <= 100


def what_is_not_there_is_said():
    line, config = a_fake_robot()
    with line, Server(config) as server, Client(server) as client:
        tap.equal(client.ask(SERVO, struct.pack(">BBd", 18, 0, 0.0)), (0, b""))
        status, rest = client.ask(SERVO, struct.pack(">BBd", 18, 7, 0.0))
        tap.equal((status, error(rest)), (1, (5, "troupe: Servo 7: robot refused: a device refused: actarray: it has no such joint")))
        status, rest = client.extended(1, text(b"Heater") + b"\xff")
        tap.equal((status, error(rest)[0]), (1, 2))
    few = 'driver ( name "fake" provides [ "speech:0" "blinkenlight:0" ] )\n' + ROBOT.format('"speech:0" "blinkenlight:0"')
    with Server(few) as server, Client(server) as client:
        tap.equal(client.ask(DISPLAY_STRING, struct.pack(">BB", 16, 0) + text(b"alone")), (0, b""))
        status, rest = client.ask(MOTORS, struct.pack(">BBdd", 20, 0, 50.0, 25.0))
        tap.equal((status, error(rest)[0]), (1, 2))
        parts = client.extended(5)[1][4:].decode()
        assert "Light 0" in parts and "Light 1" not in parts and "Servo" not in parts, parts


WORLD = """
interval_sim 50
model ( name "hall" size [8 8 1] boundary 1 color "grey" )
define bump bumper ( size [0.02 0.5 0.1] pose [0.26 0 -0.2 0] noblocks 1
  bcount 2 blength 0.24 bpose[0] [0.02 0.13 0 0] bpose[1] [0.02 -0.13 0 0] )
position ( name "ada" pose [0 0 0 0] size [0.5 0.5 0.3] joules -1
  ranger ( sensor ( pose [0 0 0 0] range [0 5] fov 10 samples 1 ) sensor ( pose [0 0 0 90] range [0 5] fov 10 samples 1 ) )
  blobfinder ( colors_count 1 colors [ "red" ] image [80 60] range 5 fov 60 )
  gripper ( pose [-0.35 0 -0.3 180] paddle_size [0.66 0.1 0.4] )
  actuator ( type "rotational" axis [0 0 1] min_position -1.57 max_position 1.57 max_speed 3 size [0.1 0.1 0.1] )
  blinkenlight ( size [0.05 0.05 0.05] )
  bump ( )
)
model ( name "ball" pose [2 0.5 0 0] size [0.3 0.3 0.6] color "red" )
model ( name "wall" pose [0 2 0 0] size [2 0.2 0.6] color "blue" )
"""
SIMULATED = '"position2d:0" "sonar:0" "blobfinder:0" "gripper:0" "actarray:0" "blinkenlight:0" "bumper:0"'


def a_simulated_robot_does_all_of_it():
    config = (f'driver ( name "sim" worldfile "{written(WORLD, ".world")}" provides [ "simulation:0" ] )\n'
              f'driver ( name "sim" model "ada" provides [ {SIMULATED} ] )\n' + ROBOT.format(SIMULATED))
    with Server(config) as server, Client(server) as client:
        status, rest = client.ask(TRACK)
        while status != 0 or struct.unpack(">ddd", rest)[2] == 0:
            status, rest = client.ask(TRACK)
        x, _, size = struct.unpack(">ddd", rest)
        assert -100 < x < 0 and size > 0, (x, size)  # the ball is to the left
        left = number_of(client, READ_COUNT, registered(client, "Left Distance Sensor"))
        assert 1500 < left < 1950, left
        gripper, beam = registered(client, "Gripper"), registered(client, "Grip Sensor")
        tap.equal(client.ask(WRITE_DIGITAL, gripper + b"\1"), (0, b""))
        tap.equal(number_of(client, READ_DIGITAL, beam), False)
        joint = registered(client, "Servo")
        tap.equal(client.ask(WRITE_ANALOG, joint + struct.pack(">d", 100.0)), (0, b""))  # 90 degrees
        angle = registered(client, "Angle Sensor", 0)
        while abs(number_of(client, READ_COUNT, angle) - 900) > 5:
            pass
        tap.equal(client.ask(SERVO, joint + struct.pack(">d", -45.0)), (0, b""))
        while abs(number_of(client, READ_COUNT, angle) + 450) > 5:
            pass
        tap.equal(client.ask(INDICATE_TRIGGER, registered(client, "LED") + b"\1"), (0, b""))
        left, right = registered(client, "Left Bumper"), registered(client, "Right Bumper")
        tap.equal((number_of(client, READ_DIGITAL, left), number_of(client, READ_DIGITAL, right)), (False, False))
        heading = registered(client, "Compass")
        tap.equal(client.ask(MOTORS, struct.pack(">BBdd", 20, 0, -30.0, 30.0)), (0, b""))
        while not 850 < number_of(client, READ_COUNT, heading) < 1100:
            pass
        tap.equal(client.ask(MOTORS, struct.pack(">BBdd", 20, 0, 100.0, 100.0)), (0, b""))
        while not number_of(client, READ_DIGITAL, left) and not number_of(client, READ_DIGITAL, right):
            pass
        tap.equal(client.ask(STOP, b"\xff\xff"), (0, b""))


tap.main(what_is_written_reaches_the_devices, what_is_measured_comes_back, what_is_not_there_is_said, a_simulated_robot_does_all_of_it)
