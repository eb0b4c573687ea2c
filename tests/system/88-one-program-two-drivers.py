#!/usr/bin/env python3
"""A program and a configuration in which only the line of the driver is changed: on the simulator and on a `fake`.
A program written against devices does not know which it is. Also: what stops robots stops simulated ones.
argv: the troupe program, the source root."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import player
import tap
from player import ACK, COMMAND, DATA, NACK, PLAYER, POSITION2D

os.environ["TROUPE_WORLD_CODE"] = "yes"  # the controllers of these worlds are beside them

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
WORLD = 240
PTZ = 8
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


def several_clients_operate_parts_of_one_robot():
    """One drives its base while another turns its camera; neither knows of the other."""
    robot = f'driver ( {FAKE} provides [ "position2d:0" "ptz:0" ] )'
    with player.server(PROGRAM, robot) as running, player.Client(running.address) as driver, \
            player.Client(running.address) as operator:
        driver.open(POSITION2D, 0)
        operator.open(PTZ, 0)
        drive(driver, 0.2)
        operator.send(PTZ, 0, COMMAND, 1, struct.pack(">fffff", 0.5, 0, 0, 0, 0))
        while abs(struct.unpack_from(">f", operator.data().body)[0] - 0.5) > 0.01:
            drive(driver, 0.2)
        assert next(speed for speed in speeds(driver) if speed != 0) > 0


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
            tap.equal(client.request(POSITION2D, 0, 9, struct.pack(">ff", 1, 1)).type, ACK)
            tap.equal(client.request(POSITION2D, 0, 9, struct.pack(">ff", -1, 1)).type, NACK)
    with player.server(PROGRAM, CONFIGURATION.format(driver=SIM + " extensions yes")) as running:
        with player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            tap.equal(client.request(POSITION2D, 0, 7, struct.pack(">fff", 1, 0, 0)).type, NACK)


SPINNERS = """
include "yard.world"
rover ( name "s1" pose [-2 0 0 0] ctrl "spin 0.5" )
rover ( name "s2" pose [-2 2 0 0] ctrl "spin" )
rover ( name "s3" pose [-3 -3 0 0] ctrl "nobody 7" )
"""


def compiled(folder, abi="TP_CONTROLLER_ABI"):
    source = pathlib.Path(folder) / "spin.c"
    source.write_text((ROOT / "examples/spin.c").read_text().replace("TP_CONTROLLER_ABI", abi))
    command = ["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", f"{folder}/spin.so", str(source)]
    tap.equal(subprocess.run(command, capture_output=True, text=True, timeout=300, check=False).stderr, "")


def checked(folder, text):
    file = pathlib.Path(folder) / "x.cfg"
    file.write_text(text)
    return tap.run([PROGRAM, "check", str(file)])


def a_small_plug_in_drives_robots_in_the_world():
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "yard.world").write_text((ROOT / "tests/data/sim/yard.world").read_text())
        (here / "x.world").write_text(SPINNERS)
        text = f'driver ( name "sim" worldfile "{here}/x.world" lockstep yes )\n'
        compiled(folder)
        note = f'{here}/x.world:5:41: there is no controller "nobody"; built in are wander, expand, follow, flocking, lasernoise and fasr; ' \
            "the model waits for commands"
        assert note in checked(folder, text).stderr, checked(folder, text).stderr
        with player.server(PROGRAM, text) as running:
            with player.Client(running.address) as client:
                client.open(WORLD, 0)
                for index in (2, 3):  # r0, r10, s1, s2, s3
                    client.open(POSITION2D, index)
                tap.equal(client.request(WORLD, 0, 2, struct.pack(">I", 11)).type, ACK)
                turned = {m.index: struct.unpack_from(">d", m.body, 16)[0] for m in client.passed
                          if m.type == DATA and m.interf == POSITION2D}
                assert 0.3 < turned[2] < 0.55 and 0.6 < turned[3] < 1.1, turned
        (here / "x.world").write_text(SPINNERS.replace("spin 0.5", "spin x"))
        told = checked(folder, text).stderr.splitlines()[-1]
        assert told.endswith(f'1:21: sim0: {here}/x.world:3:40: s1 cannot spin by "x"'), told
        compiled(folder, "99")
        told = checked(folder, text).stderr.splitlines()[-1]
        assert told.endswith(f"{here}/x.world:3:40: {here}/spin.so is made for version 99 of controllers; this program has version 1"), told


tap.main(a_program_does_the_same_on_the_simulator_and_on_a_fake, several_clients_operate_parts_of_one_robot,
         a_silent_client_loses_its_lease_in_a_world_too,
         a_panic_stops_a_world_of_robots_and_holds_them, a_profile_has_the_extensions_of_its_device,
         a_small_plug_in_drives_robots_in_the_world)
