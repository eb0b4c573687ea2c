#!/usr/bin/env python3
"""A simulated world behind the Player protocol: configurations as they are written for Player's Stage plug-in, and
everything in a world at once.  argv: the troupe program, the source root.

The client is written from the protocol alone, so what it sees is what any Player client sees."""
import itertools
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import player
import tap
from player import ACK, COMMAND, DATA, NACK, POSITION2D

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
YARD = ROOT / "tests/data/sim/yard.world"
SIMULATION, RANGER, LASER, SONAR, BUMPER, MAP, LOCALIZE, WORLD = 31, 62, 6, 5, 14, 42, 25, 240

# As in the examples that come with Stage: keys that mean nothing here, and robots on ports of their own.
STAGE = f"""
driver
(
  name "stage"
  plugin "stageplugin"
  provides [ "simulation:0" ]
  usegui 0
  worldfile "{YARD}"
)
driver
(
  name "stage"
  provides [ "position2d:0" "ranger:0" "ranger:1" "laser:0" "sonar:0" "bumper:0" ]
  model "r0"
)
driver
(
  name "stage"
  provides [ "6666:position2d:0" "6666:ranger:0" ]
  model "r10"
)
"""


FILES = []


def write(text):
    """A file that stays as long as the test."""
    file = tempfile.NamedTemporaryFile("w", suffix=".cfg")
    file.write(text)
    file.flush()
    FILES.append(file)
    return file.name


def velocity(x, turn=0.0):
    return struct.pack(">dddI", x, 0, turn, 1)


def state(message):
    """x, y, heading, speed, stall"""
    x, y, a, speed, _, _, stall = struct.unpack(">ddddddI", message.body)
    return x, y, a, speed, stall


def states(client, interf=POSITION2D, subtype=1):
    while True:
        message = client.message()
        if (message.type, message.interf, message.subtype) == (DATA, interf, subtype):
            yield message


def pose(client, name):
    reply = client.request(SIMULATION, 0, 1, player.text(name) + struct.pack(">ddd", 0, 0, 0))
    tap.equal(reply.type, ACK)
    body = player.Body(reply.body)
    tap.equal(body.text(), name)
    return body.take("ddd")


def near(got, wanted, within=1e-6):
    if not all(abs(a - b) <= within for a, b in zip(got, wanted)):
        raise AssertionError(f"got {got!r}\nwanted {wanted!r}")


def a_configuration_for_stage_works_as_it_is():
    with player.server(PROGRAM, STAGE) as running:
        with player.Client(running.address) as client:
            for interf, index in ((POSITION2D, 0), (RANGER, 0), (RANGER, 1), (LASER, 0), (SONAR, 0), (BUMPER, 0),
                                  (SIMULATION, 0)):
                client.open(interf, index)
            near(pose(client, "r0"), (0, 0, 0))
            # the first ranger of the model is the first in the file, the laser the one that scans
            seen = {}
            while len(seen) < 5:
                message = client.data()
                if message.interf in (RANGER, LASER, SONAR, BUMPER):
                    seen[message.interf, message.index, message.subtype] = message
                    seen = {key: value for key, value in seen.items() if key[2] == 1}
            body = player.Body(seen[RANGER, 0, 1].body)
            tap.equal(len(body.array(lambda: body.take("d"))), 2)
            body = player.Body(seen[RANGER, 1, 1].body)
            ranges = body.array(lambda: body.take("d"))
            tap.equal(len(ranges), 181)
            near(ranges[90:91], [3.9])  # from x = 0.1 to the wall at 4.0
            body = player.Body(seen[LASER, 0, 1].body)
            near(body.take("ffff"), (-math.pi / 2, math.pi / 2, math.pi / 180, 8))
            near(body.array(lambda: body.take("f"))[90:91], [3.9])
            body = player.Body(seen[SONAR, 0, 1].body)
            tap.equal(len(body.array(lambda: body.take("f"))), 2)


def each_section_is_one_robot_on_its_port():
    with player.launched([PROGRAM, "run", write(STAGE), "--any-port"], robots=2) as running:
        with player.Client(("127.0.0.1", running.ports[0])) as first, \
                player.Client(("127.0.0.1", running.ports[1])) as second:
            first.open(POSITION2D, 0)
            second.open(POSITION2D, 0)
            second.send(POSITION2D, 0, COMMAND, 1, velocity(0.5))
            for message in states(second):
                if state(message)[0] > 0.2:
                    break
            near(state(next(states(first)))[:3], (0, 0, 0))
            near(state(message)[1:2], (-2,))


def a_robot_that_two_sections_name_has_its_devices_twice():
    """As in Stage's own autolab.cfg: one model at two ports."""
    config = write(STAGE.replace('model "r10"', 'model "r0"'))
    result = subprocess.run([PROGRAM, "check", config], capture_output=True, text=True)
    tap.equal((result.returncode, 'the position2d of the model "r0" is offered by two sections' in result.stderr), (0, True))
    with player.launched([PROGRAM, "run", config, "--any-port"], robots=2) as running:
        with player.Client(("127.0.0.1", running.ports[0])) as first, \
                player.Client(("127.0.0.1", running.ports[1])) as second:
            first.open(POSITION2D, 0)
            second.open(POSITION2D, 0)
            second.send(POSITION2D, 0, COMMAND, 1, velocity(0.5))
            for message in states(first):
                if state(message)[0] > 0.2:
                    break


def the_robot_drives_stops_at_the_wall_and_says_so():
    with player.server(PROGRAM, STAGE.replace('usegui 0', 'speed 20')) as running:
        with player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            client.open(SIMULATION, 0)
            client.send(POSITION2D, 0, COMMAND, 1, velocity(1))
            for message in states(client):
                x, _, _, speed, stall = state(message)
                client.send(POSITION2D, 0, COMMAND, 1, velocity(1))
                if stall:
                    break
            near((x, speed), (3.8, 0), 1e-3)  # half of its length before the wall
            near(pose(client, "r0")[:2], (3.8, 0), 1e-3)


def time_stamps_are_those_of_the_world_and_follow_the_clock():
    with player.server(PROGRAM, STAGE) as running:
        with player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            stream = states(client)
            first = next(stream).time
            times = [next(stream).time for _ in range(10)]
            assert first < 60, first  # seconds since the world began, not since 1970
            near([b - a for a, b in zip([first] + times, times)], [0.1] * 10)


def messages_do_not_make_time_pass():
    """Stage makes a step for each message; a client that asks a lot must not make time run."""
    text = STAGE.replace('usegui 0', 'paused yes').replace('"simulation:0"', '"simulation:0" "world:0"')
    with player.server(PROGRAM, text) as running:
        with player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            client.open(WORLD, 0)
            for _ in range(500):
                tap.equal(client.request(POSITION2D, 0, 1).type, ACK)
                client.send(POSITION2D, 0, COMMAND, 1, velocity(1))
            reply = client.request(WORLD, 0, 1)
            tap.equal(struct.unpack_from(">d", reply.body)[0], 0.0)
            reply = client.request(WORLD, 0, 2, struct.pack(">I", 10))
            near(struct.unpack_from(">d", reply.body), (1.0,))
            near(state([m for m in client.passed if m.interf == POSITION2D][-1])[:1], (1.0,), 0.11)


def everything_in_a_world_is_offered_without_a_list():
    text = f'driver ( name "sim" worldfile "{YARD}" provides "all" )\n'
    with player.server(PROGRAM, text) as running:
        with player.Client(running.address) as client:
            client.hello()
            client.open(MAP, 0)
            client.open(POSITION2D, 1)
            # r0 comes before r10, whatever the order of the file is
            key = player.text("model")
            reply = client.request(POSITION2D, 1, 250, key + player.text(""))
            body = player.Body(reply.body)
            tap.equal((body.text(), body.text()), ("model", "r10"))
            client.open(LOCALIZE, 1)
            message = next(states(client, LOCALIZE))
            near(struct.unpack_from(">ddd", message.body, 4 + 8 + 8), (0, -2, 0))
            reply = client.request(MAP, 0, 1)
            scale, width, height = struct.unpack_from(">fII", reply.body)
            near((scale,), (0.05,), 1e-6)
            tap.equal((width >= 180, height >= 160), (True, True))
    listed = tap.run([PROGRAM, "check", write(text)])
    tap.equal([line.split()[0] for line in listed.stdout.splitlines()[2:-1]],
              ["simulation:0", "world:0", "map:0", "scene:0", "position2d:0", "localize:0", "graphics2d:0", "ranger:0", "sonar:0", "ranger:1",
               "laser:0", "bumper:0", "position2d:1", "localize:1", "graphics2d:1", "ranger:2", "sonar:1", "ranger:3",
               "laser:1", "bumper:1"])


def mistakes_are_told_with_their_place():
    name = write(STAGE.replace('model "r10"', 'model "r9"'))
    told = tap.run([PROGRAM, "check", name])
    tap.equal(told.returncode, 1)
    last = told.stderr.splitlines()[-1]
    assert last.endswith(':16:1: stage0: there is no model "r9" in the world yard; did you mean "r0"?'), last
    name = write('driver ( name "stage" provides [ "position2d:0" ] model "r0" )\n')
    last = tap.run([PROGRAM, "check", name]).stderr.splitlines()[-1]
    assert last.endswith('1:1: stage0: the first section of a world names its file with "worldfile"'), last
    name = write('driver ( name "sim" worldfile "nowhere.world" )\n')
    told = tap.run([PROGRAM, "check", name])
    assert "nowhere.world" in told.stderr, told.stderr


def fakelocalize_tells_where_the_robot_is():
    """As Player's examples have it: a driver of its own that asks the simulation."""
    with player.server(PROGRAM, STAGE + 'driver ( name "fakelocalize" provides [ "localize:0" ] '
                                        'requires [ "simulation:0" ] model "r10" )') as running:
        with player.Client(running.address) as client:
            client.open(SIMULATION, 0)
            client.open(LOCALIZE, 0)
            tap.equal(client.request(SIMULATION, 0, 2, player.text("r10") + struct.pack(">ddd", 1, 2, 0.5)).type, ACK)
            for message in states(client, LOCALIZE):
                count, x, y, a = struct.unpack_from(">Iddd", message.body, 16)
                if count == 1 and x == 1:
                    near((x, y, a), (1, 2, 0.5))
                    break


def unknown_models_and_wrong_numbers_are_refused():
    with player.server(PROGRAM, STAGE) as running:
        with player.Client(running.address) as client:
            client.open(SIMULATION, 0)
            reply = client.request(SIMULATION, 0, 1, player.text("nobody") + struct.pack(">ddd", 0, 0, 0))
            tap.equal(reply.type, NACK)
            reply = client.request(SIMULATION, 0, 2, player.text("r0") + struct.pack(">ddd", math.nan, 0, 0))
            tap.equal(reply.type, NACK)
            near(pose(client, "r0"), (0, 0, 0))
            reply = client.request(SIMULATION, 0, 2, player.text("r0") + struct.pack(">ddd", 1, 1, 0.5))
            tap.equal(reply.type, ACK)
            near(pose(client, "r0"), (1, 1, 0.5))


def by_hand(running, *words):
    """Exit code, standard output and error of a command for the server."""
    result = tap.run([PROGRAM, *words, "--url", f"localhost:{running.address[1]}"])
    return result.returncode, result.stdout, result.stderr


def a_command_that_makes_no_sense_is_refused():
    with player.server(PROGRAM, STAGE) as running:
        tap.equal(by_hand(running, "send", "position2d", "VEL", '{"vel":{"px":"NaN"},"state":1}'),
                  (1, "", "troupe send: position2d:0: vel.px is nan, which is no number to move by\n"))
        tap.equal(by_hand(running, "send", "position2d", "VEL", '{"vel":{"px":0.5},"state":1}'),
                  (0, "", "troupe send: position2d:0 is closed again, which stops what VEL has begun: --for SECONDS keeps it "
                          "open\n"))


def objects_are_looked_at_and_changed_by_hand():
    """As the page says, word for word."""
    page = (ROOT / "docs/guide/simulator.md").read_text()
    lines = re.findall(r"^troupe request simulation (\S+) '(.*)'$", page, re.M)
    tap.equal([line[0] for line in lines], ["GET_POSE2D", "SET_POSE2D", "SET_PROPERTY", "GET_PROPERTY"])
    answers = []
    with player.server(PROGRAM, STAGE) as running:
        for message, value in lines:
            code, out, err = by_hand(running, "request", "simulation", message, value, "--json")
            tap.equal((code, err), (0, ""))
            answers.append(out)
    assert '"pose":{"px":0,"py":0,"pa":0}' in answers[0], answers[0]
    assert '"value":"1 0.647 0 1"' in answers[3], answers[3]


def devices_are_listed_with_their_models():
    with player.server(PROGRAM, STAGE) as running:
        with player.Client(running.address) as client:
            client.hello()
            labels = {(interf, index): found["label"]
                      for (robot, interf, index), found in client.statistics()[1].items() if robot != 6666}
        listed = by_hand(running, "list")[1].splitlines()
        as_json = by_hand(running, "list", "--json")[1]
    tap.equal((labels[SIMULATION, 0], labels[POSITION2D, 0], labels[LASER, 0]), ("", "r0", "r0.laser"))
    tap.equal(listed[1].split()[:3], ["DEVICE", "NAME", "DRIVER"])
    assert any(line.split()[:3] == ["sonar:0", "r0.sonar", "stage0"] for line in listed), listed
    assert '"device":"laser:0"' in as_json and '"name":"r0.laser"' in as_json, as_json


def sensors_are_chosen_by_what_they_can():
    with player.server(PROGRAM, STAGE) as running:
        code, out, err = by_hand(running, "list", "--where", "max_range > 6")
        tap.equal((code, err, [line.split()[0] for line in out.splitlines()[2:]]), (0, "", ["ranger:1", "laser:0"]))
        tap.equal(by_hand(running, "property", "laser:0", "max_range")[1].strip(), "8")


def a_silence_is_explained():
    """What stands still sends nothing, which looks like a mistake to whoever does not know."""
    for setting, why in (("paused yes", "the world stands still; it goes on with: troupe property {}/simulation:0 paused no"),
                         ("lockstep yes", "the world is in lockstep: it moves on when all clients of its device world have asked for a STEP")):
        with player.server(PROGRAM, STAGE.replace("usegui 0", setting)) as running:
            url = f"localhost:{running.address[1]}"
            with subprocess.Popen([PROGRAM, "print", f"{url}/laser:0", "--line", "--count", "1"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as printing:
                tap.equal(printing.stderr.readline(), f"troupe print: nothing comes: {why.format(url)}\n")
                tap.equal(by_hand(running, "property", "simulation:0", setting.split()[0], "no")[0], 0)
                out, err = printing.communicate()
                tap.equal((printing.returncode, err, " laser:0 SCAN " in out), (0, "", True))


def what_is_measured_is_printed_in_its_units():
    with player.launched([PROGRAM, "sim", str(ROOT / "tests/data/sim/everything.world"), "--any-port"]) as running:
        for device, line in (("aio:0", "  voltages: [80 440] dB, Hz"), ("aio:1", "  voltages: [4]"),
                             ("aio:4", "  voltages: [73.93636 440 -1.5707964] dB, Hz, rad"),
                             ("wifi:1", '      ip: "10.0.0.1"'), ("wifi:1", "      level: 4294967268 (-28 dBm)"),
                             ("camera:0", "  image: [0 0 243 0 0 196 176 216 240 176 216 240 ...] (576 bytes)")):
            printed = tap.run([PROGRAM, "print", f"localhost:{running.ports[0]}/{device}", "--count", "1"])
            assert line in printed.stdout.splitlines(), printed


def what_sends_nothing_is_not_suggested():
    with player.launched([PROGRAM, "run", write(STAGE), "--any-port"], robots=2) as running:
        said = itertools.dropwhile(lambda line: line.startswith("front "), iter(running.process.stdout.readline, ""))
        tap.equal(next(said), f"next: troupe list localhost:{running.ports[0]}\n")
        tap.equal(next(said), f"      troupe print localhost:{running.ports[0]}/position2d:0\n")
        url = f"localhost:{running.ports[0]}"
        with subprocess.Popen([PROGRAM, "print", f"{url}/simulation:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as printing:
            tap.equal(printing.stderr.readline(), "troupe print: simulation:0 sends no data; troupe request simulation lists what it answers\n")
            printing.terminate()


def a_client_that_vanishes_leaves_its_robot_standing():
    with player.server(PROGRAM, STAGE) as running:
        with player.Client(running.address) as witness:
            witness.open(POSITION2D, 0)
            with player.Client(running.address) as driver:
                driver.open(POSITION2D, 0)
                driver.send(POSITION2D, 0, COMMAND, 1, velocity(0.5))
                driver.request(POSITION2D, 0, 1)
                for message in states(witness):
                    if state(message)[3] > 0:
                        break
            for message in states(witness):
                if state(message)[3] == 0:
                    break


def the_first_example_of_the_page_works():
    page = (ROOT / "docs/guide/simulator.md").read_text()
    blocks = re.findall(r"```(world|cfg)\n(.*?)```", page, re.S)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "yard.world").write_text(blocks[0][1])
        for kind, text in [blocks[1], next(block for block in blocks[2:] if block[0] == "cfg")]:
            tap.equal(kind, "cfg")
            (pathlib.Path(folder) / "yard.cfg").write_text(text)
            told = tap.run([PROGRAM, "check", f"{folder}/yard.cfg"])
            notes = told.stderr.splitlines()
            tap.equal((told.returncode, told.stdout.splitlines()[-1]),
                      (0, "no mistakes found" + (", 1 note" if notes else "")))
            assert all(note.endswith('plugin "stageplugin" is not needed: stage is built in') for note in notes), notes


def many_steps_at_once_leave_room_for_others():
    text = STAGE.replace('usegui 0', 'paused yes').replace('"simulation:0"', '"simulation:0" "world:0"')
    with player.server(PROGRAM, text) as running:
        with player.Client(running.address) as client, player.Client(running.address) as other:
            client.open(WORLD, 0)
            other.open(SIMULATION, 0)
            number = client.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", 20000))
            near(pose(other, "r0"), (0, 0, 0))  # answered, long before or after
            reply = client.message()
            tap.equal((reply.type, reply.seq), (ACK, number))
            near(struct.unpack_from(">d", reply.body), (2000.0,))


tap.main(a_configuration_for_stage_works_as_it_is, each_section_is_one_robot_on_its_port,
         a_robot_that_two_sections_name_has_its_devices_twice,
         the_robot_drives_stops_at_the_wall_and_says_so, time_stamps_are_those_of_the_world_and_follow_the_clock,
         messages_do_not_make_time_pass, everything_in_a_world_is_offered_without_a_list,
         mistakes_are_told_with_their_place, fakelocalize_tells_where_the_robot_is,
         unknown_models_and_wrong_numbers_are_refused,
         a_client_that_vanishes_leaves_its_robot_standing, the_first_example_of_the_page_works,
         many_steps_at_once_leave_room_for_others, a_command_that_makes_no_sense_is_refused,
         objects_are_looked_at_and_changed_by_hand,
         devices_are_listed_with_their_models, sensors_are_chosen_by_what_they_can, a_silence_is_explained,
         what_is_measured_is_printed_in_its_units, what_sends_nothing_is_not_suggested)
