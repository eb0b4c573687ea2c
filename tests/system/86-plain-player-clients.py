#!/usr/bin/env python3
"""Programs made for Player and Stage, in a simulated world: they may be silent, unless the configuration says otherwise;
a laser answers as Stage's; no command is lost without a trace. argv: the troupe program.

Robots are watched by their data and moved by steps, so nothing here depends on how busy the machine is."""
import json
import math
import pathlib
import struct
import sys
import tempfile

import player
import tap
from player import ACK, COMMAND, LASER, POSITION2D

PROGRAM = sys.argv[1]
WORLD, MAP, RANGER = 240, 42, 62
FOLDER = tempfile.TemporaryDirectory()
YARD = """
interval_sim 100
define bot position ( size [0.4 0.4 0.3] localization "gps"
                      ranger ( sensor ( range [0 8] fov 180 samples 181 ) ) )
bot ( name "free" pose [0 0 0 0] )
bot ( name "tied" pose [0 4 0 0] )
bot ( name "third" pose [0 8 0 0] )
"""


def configuration(settings=""):
    path = pathlib.Path(FOLDER.name) / "yard.world"
    path.write_text(YARD)
    return (f'driver ( name "stage" provides [ "simulation:0" "world:0" ] worldfile "{path}" {settings} )\n'
            'driver ( name "stage" provides [ "position2d:0" "laser:0" "ranger:0" ] model "free"\n'
            '         geometry ( device "laser:0" pose [ 1 2 0 ] ) )\n'
            'driver ( name "stage" provides [ "position2d:1" ] model "tied" lease 0.3 panic "hold" )\n'
            'driver ( name "stage" provides [ "position2d:2" ] model "third" writer ( client "pilot" rank 2 ) )\n'
            'driver ( name "passthrough" requires [ "position2d:0" ] provides [ "position2d:10" ] )\n'
            'driver ( name "fake" provides [ "position2d:20" "map:0" "camera:0" "blobfinder:0" ] )\n'
            'driver ( name "passthrough" requires [ "position2d:20" ] provides [ "position2d:21" ] )\n')


def drive(client, index, speed):
    client.send(POSITION2D, index, COMMAND, 1, struct.pack(">dddI", speed, 0, 0, 1))


def state(client, index):
    """Velocity and place along x, of the next message."""
    while True:
        message = client.data()
        if (message.interf, message.index, message.subtype) == (POSITION2D, index, 1):
            values = struct.unpack_from(">6d", message.body)
            return values[3], values[0]


def leases(client):
    return {key[1:]: found["plain_lease"] for key, found in client.statistics()[1].items()}


def only_simulated_devices_have_no_lease():
    with player.server(PROGRAM, configuration()) as running, player.Client(running.address) as client:
        found = leases(client)
        tap.equal([found[POSITION2D, i] for i in (0, 1, 2, 10, 20, 21)], [-1, 0.3, -1, -1, 5, 5])
        tap.equal(found[LASER, 0], 0)


def list_says_which():
    with player.server(PROGRAM, configuration()) as running:
        url = f"127.0.0.1:{running.ports[0]}"
        result = tap.run([PROGRAM, "list", url])
        tap.equal(result.returncode, 0)
        tap.equal(result.stdout.splitlines()[-1], "position2d:0 and 2 more move on while plain Player clients are silent")
        found = {d["device"]: d.get("player_lease") for d in json.loads(tap.run([PROGRAM, "list", url, "--json"]).stdout)["devices"]}
        tap.equal((found["position2d:0"], found["position2d:1"], found["position2d:20"], found["laser:0"]), (0, 0.3, 5, None))


def a_silent_program_drives_on_unless_its_section_has_a_lease():
    with player.server(PROGRAM, configuration("speed 5")) as running, player.Client(running.address) as silent, \
            player.Client(running.address) as watcher:
        for index in (0, 1):
            silent.open(POSITION2D, index)
            watcher.open(POSITION2D, index)
            drive(silent, index, 0.4)
        while state(watcher, 1)[0] < 0.3:
            pass
        while state(watcher, 1)[0] > 0:  # its client has said nothing more: the lease of its section ends
            pass
        assert state(watcher, 0)[0] > 0.3
        _, devices, _ = watcher.statistics()
        free = [found for key, found in devices.items() if key[1:] == (POSITION2D, 0)][0]
        tap.equal(free["lease_left"], 0)
        assert free["mover"], free
        silent.socket.close()  # but a program that has ended moves nothing
        while state(watcher, 0)[0] > 0:
            pass


def geometry_of_a_section_counts():
    with player.server(PROGRAM, configuration()) as running:
        result = tap.run([PROGRAM, "frames", "--json", f"127.0.0.1:{running.ports[0]}"])
        tap.equal(result.returncode, 0)
        frames = {frame["name"]: frame["pose"] for frame in json.loads(result.stdout)["frames"]}
        tap.equal((frames["laser:0"]["px"], frames["laser:0"]["py"]), (1, 2))


def a_laser_answers_as_that_of_stage():
    with player.server(PROGRAM, configuration()) as running, player.Client(running.address) as client:
        client.open(LASER, 0)
        client.open(RANGER, 0)
        reply = client.request(LASER, 0, 3)
        tap.equal(reply.type, ACK)
        low, high, step, most, cell, echoes, rate = struct.unpack(">fffffIf", reply.body)
        near = lambda a, b: abs(a - b) < 1e-6
        assert near(low, -math.pi / 2) and near(high, math.pi / 2) and near(step, math.pi / 181), (low, high, step)
        assert near(most, 8) and near(cell, 0.02) and echoes == 0 and near(rate, 10), (most, cell, echoes, rate)
        config = struct.unpack(">7d", client.request(RANGER, 0, 5).body)
        assert near(config[2], math.pi / 181) and near(config[5], 0.02), config
        while True:
            message = client.data()
            if message.interf == LASER:
                break
        first, last, true_step = struct.unpack_from(">fff", message.body)
        assert near(true_step, math.pi / 180) and near(first + 180 * true_step, last), true_step


def a_command_that_another_replaces_within_a_step_is_counted():
    with player.server(PROGRAM, configuration("paused 1")) as running, player.Client(running.address) as client:
        client.open(POSITION2D, 0)
        client.open(WORLD, 0)
        for speed in (0.4, 0.4, 0):  # the second changes nothing
            drive(client, 0, speed)
        tap.equal(client.request(WORLD, 0, 2, struct.pack(">I", 3)).type, ACK)
        drive(client, 0, 0.4)
        tap.equal(client.request(WORLD, 0, 2, struct.pack(">I", 1)).type, ACK)
        drive(client, 0, 0)
        tap.equal(client.request(WORLD, 0, 2, struct.pack(">I", 1)).type, ACK)
        result = tap.run([PROGRAM, "property", "position2d:0", "superseded", "--url", f"127.0.0.1:{running.ports[0]}"])
        tap.equal((result.stdout, result.stderr), ("1\n", ""))


def fake_devices_agree_and_a_map_sends_nothing():
    """Player's library has no handler for the data of a map: Read() of a program that has one open fails with each message."""
    with player.server(PROGRAM, configuration()) as running, player.Client(running.address) as client:
        for interf in (MAP, 40, 7):
            client.open(interf, 0)
        heard = [client.data() for _ in range(20)]
        sizes = {message.interf: struct.unpack_from(">II", message.body) for message in heard}
        tap.equal(sorted(sizes), [7, 40])
        tap.equal(sizes[40], sizes[7])
        tap.equal(client.request(MAP, 0, 1).type, ACK)


if __name__ == "__main__":
    tap.main(only_simulated_devices_have_no_lease, list_says_which,
             a_silent_program_drives_on_unless_its_section_has_a_lease, geometry_of_a_section_counts,
             a_laser_answers_as_that_of_stage, a_command_that_another_replaces_within_a_step_is_counted,
             fake_devices_agree_and_a_map_sends_nothing)
