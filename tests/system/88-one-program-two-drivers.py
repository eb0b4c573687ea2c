#!/usr/bin/env python3
"""A program and a configuration in which only the line of the driver is changed: on the simulator and on a `fake`.
A program written against devices does not know which it is. Also: what stops robots stops simulated ones.
argv: the troupe program, the source root."""
import os
import pathlib
import struct
import subprocess
import sys

import player
import tap
from player import ACK, COMMAND, DATA, NACK, PLAYER, POSITION2D

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
FOLDER = pathlib.Path(__file__).resolve().parent

CONFIGURATION = """
driver
(
  {driver}
  provides [ "position2d:0" "laser:0" "sonar:0" "bumper:0" ]
)
"""
SIM = f'name "sim" worldfile "{ROOT}/tests/data/sim/yard.world" model "r0"'
FAKE = 'name "fake" rate 10'

# The robot program: it says what it does, and what it sees in words.
CLIENT = """
import struct, sys
sys.path.insert(0, sys.argv[1])
import player
from player import COMMAND, DATA, POSITION2D, LASER
SONAR, BUMPER = 5, 14
client = player.Client(("127.0.0.1", int(sys.argv[2])))
for interface in (POSITION2D, LASER, SONAR, BUMPER):
    client.open(interface, 0)

def data(interface):
    while True:
        message = client.message()
        if (message.type, message.interf, message.subtype) == (DATA, interface, 1):
            return message

def drive(speed):
    client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", speed, 0, 0, 1))

geom = client.request(POSITION2D, 0, 1)
print("a body", "with" if struct.unpack_from(">d", geom.body, 48)[0] > 0 else "without", "a width")
count = struct.unpack_from(">I", data(LASER).body, 16)[0]
print("a laser that", "scans" if count > 100 else "does not scan")
print("sonars that", "measure" if struct.unpack_from(">I", data(SONAR).body)[0] > 0 else "do not measure")
print("bumpers" if struct.unpack_from(">I", data(BUMPER).body)[0] > 0 else "no bumpers")
client.request(POSITION2D, 0, 2, struct.pack(">I", 1))  # motors on
begin = struct.unpack_from(">d", data(POSITION2D).body)[0]
drive(0.5)
while True:
    message = data(POSITION2D)
    if struct.unpack_from(">d", message.body)[0] - begin >= 0.4:
        break
    drive(0.5)
print("drove forward")
drive(0)
while struct.unpack_from(">d", data(POSITION2D).body, 24)[0] != 0:
    pass
print("stands")
"""


def transcript(driver):
    with player.server(PROGRAM, CONFIGURATION.format(driver=driver)) as running:
        done = subprocess.run([sys.executable, "-c", CLIENT, str(FOLDER), str(running.ports[0])], capture_output=True,
                              text=True, timeout=300, check=False, env=dict(os.environ))
        tap.equal((done.stderr, done.returncode), ("", 0))
        return done.stdout.splitlines()


def a_program_does_the_same_on_the_simulator_and_on_a_fake():
    wanted = ["a body with a width", "a laser that scans", "sonars that measure", "bumpers", "drove forward", "stands"]
    tap.equal(transcript(SIM), wanted)
    tap.equal(transcript(FAKE), wanted)


def speeds(client):
    while True:
        message = client.message()
        if (message.type, message.interf, message.subtype) == (DATA, POSITION2D, 1):
            yield struct.unpack_from(">d", message.body, 24)[0]


def drive(client, speed):
    client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", speed, 0, 0, 1))


def a_silent_client_loses_its_lease_in_a_world_too():
    with player.server(PROGRAM, CONFIGURATION.format(driver=SIM + " lease 0.3")) as running:
        with player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            drive(client, 0.5)
            stream = speeds(client)
            while next(stream) == 0:
                pass
            while next(stream) != 0:  # not another word from here on
                pass


def a_panic_stops_a_world_of_robots_and_holds_them():
    everything = f'driver ( name "sim" worldfile "{ROOT}/tests/data/sim/yard.world" lease 0 )\n'
    with player.server(PROGRAM, everything) as running:
        with player.Client(running.address) as client:
            client.hello()
            for index in (0, 1):
                client.open(POSITION2D, index)
                client.send(POSITION2D, index, COMMAND, 1, struct.pack(">dddI", 0.2, 0, 0, 1))
            moving = set()
            while len(moving) < 2:
                message = client.data()
                if struct.unpack_from(">d", message.body, 24)[0] > 0:
                    moving.add(message.index)
            panic = struct.pack(">II", 1, 0) + player.text("") + player.text("test")
            tap.equal(client.request(PLAYER, 0, 205, panic).type, ACK)
            while moving:
                message = client.data()
                if message.interf == POSITION2D and message.subtype == 1 and \
                        struct.unpack_from(">d", message.body, 24)[0] == 0:
                    moving.discard(message.index)
            drive(client, 0.2)  # refused until the panic is over
            stream = speeds(client)
            tap.equal([next(stream) for _ in range(4)], [0, 0, 0, 0])


def a_profile_has_the_extensions_of_its_device():
    robot = SIM + ' profile "p2os" extensions yes'
    with player.server(PROGRAM, CONFIGURATION.format(driver=robot)) as running:
        with player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            tap.equal(client.request(POSITION2D, 0, 7, struct.pack(">fff", 1, 0, 0)).type, ACK)
            tap.equal(client.request(POSITION2D, 0, 9, struct.pack(">ff", 1, 1)).type, NACK)
    with player.server(PROGRAM, CONFIGURATION.format(driver=SIM + " extensions yes")) as running:
        with player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            tap.equal(client.request(POSITION2D, 0, 7, struct.pack(">fff", 1, 0, 0)).type, NACK)


tap.main(a_program_does_the_same_on_the_simulator_and_on_a_fake, a_silent_client_loses_its_lease_in_a_world_too,
         a_panic_stops_a_world_of_robots_and_holds_them, a_profile_has_the_extensions_of_its_device)
