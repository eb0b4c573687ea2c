#!/usr/bin/env python3
"""A panic, a thousand times, while a hundred clients drive and one is frozen: everything is stopped, nothing moves until
the reset, and nothing that was sent before the reset moves anything after it.
argv: the troupe program, the plug-in stopwatch, trial_panic.  TROUPE_TRIALS=N makes N times.

How long it takes is printed beside how late a thread is woken that does nothing but sleep for a millisecond, on the same
machine at the same time; nothing is promised about machines."""
import contextlib
import glob
import os
import signal
import socket
import struct
import sys
import tempfile

import player
import tap
import trials

PROGRAM, PLUGIN, PANIC = (os.path.abspath(argument) for argument in sys.argv[1:4])
TIMES = int(os.environ.get("TROUPE_TRIALS", "1000"))
BASES, CLIENTS = 4, 100
SLACK_US = 50000  # of the middle one, beyond the worst wake-up


def configuration(path):
    bases = "".join(trials.stopwatch(PLUGIN, path, base, f'port "unix:{path}.{base}" tick 0.005')
                    for base in range(BASES))
    return (bases + 'driver ( name "fake" provides [ "position2d:100" ] rate 200 )\n').replace("alwayson yes", "")


def panic(times, how):
    """Run the trial; `how` makes its last argument of the server."""
    with trials.board() as path:
        try:
            with player.server(PROGRAM, configuration(path)) as server:
                lines = trials.measured([PANIC, path, str(server.ports[0]), str(BASES), str(CLIENTS), str(times),
                                         how(server)])
        finally:
            for line in glob.glob(glob.escape(path) + ".*"):
                os.remove(line)
    found = {kind: [values for name, values in lines if name == kind] for kind in ("panic", "wake", "wrong")}
    tap.equal(len(found["panic"]), times)
    for end, name in (("first", "first"), ("stop", "last")):
        print(f"# from the request to the stop bytes of the {name} base, in ms: "
              f"{trials.spread(each[end] / 1000 for each in found['panic'])}")
    print(f"# beside it a watch is late by: {trials.spread(each['late'] / 1000 for each in found['wake'])}", flush=True)
    tap.equal(found["wrong"][:5], [])
    late = sorted(each["stop"] for each in found["panic"])[times // 2] - max(each["late"] for each in found["wake"])
    tap.equal(late < SLACK_US, True)


def a_request_stops_everything_a_thousand_times():
    panic(TIMES, lambda server: "request")


def a_signal_does_so_too():
    panic(TIMES // 5, lambda server: str(server.process.pid))


# ---- A driver that has no time -------------------------------------------------------------------------

VEL, GET_GEOM, RESET_ODOM, DIO = 1, 1, 6, 20
RAISE, RESET, GET = 205, 206, 207


@contextlib.contextmanager
def busy_base():
    """A server with a base, its line, and what lets the driver go on after a RESET_ODOM."""
    with trials.board() as path, tempfile.TemporaryDirectory() as folder:
        gate, place = os.path.join(folder, "gate"), os.path.join(folder, "line")
        os.mkfifo(gate)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(place)
            listener.listen()
            text = trials.stopwatch(PLUGIN, path, 0, f'port "unix:{place}" gate "{gate}"')
            text += (f'driver ( name "blocker" plugin "{PLUGIN}" provides [ "dio:0" ] board "{path}" slot 15 '
                     f'gate "{gate}" )\n')
            with player.server(PROGRAM, text) as server, player.Client(server.address) as client:
                client.server = server
                client.hello()
                client.open(player.POSITION2D, 0)
                line = listener.accept()[0]
                line.settimeout(60)
                with line, line.makefile() as lines:
                    yield client, lines, gate


def drive(client, speed):
    client.send(player.POSITION2D, 0, player.COMMAND, VEL, struct.pack(">dddI", speed, 0, 0, 1))


def raise_and_reset(client):
    """A panic that is over before a driver that is busy has seen it."""
    tap.equal(client.request(player.PLAYER, 0, RAISE, struct.pack(">II", 1, 0) + player.text("") + player.text("x")).type,
              player.ACK)
    epoch = client.request(player.PLAYER, 0, GET).body[4:8]
    tap.equal(client.request(player.PLAYER, 0, RESET, epoch + player.text("")).type, player.ACK)


def a_signal_needs_no_loop():
    with busy_base() as (client, lines, gate):
        client.open(DIO, 0)
        drive(client, 0.5)
        tap.equal(lines.readline(), "V 0.500000\n")
        client.send(DIO, 0, player.COMMAND, 1, struct.pack(">II", 1, 0))
        with open(gate, "w", encoding="ascii"):  # waits until the loop waits, which it does until this is closed
            os.kill(client.server.process.pid, signal.SIGUSR1)
            tap.equal(lines.readline()[:2], "S ")
            client.socket.setblocking(False)
            tap.equal(has_come(client), False)  # nobody was told yet: the loop is still stuck
        client.socket.settimeout(60)
        tap.equal(client.request(player.PLAYER, 0, GET).body[:4], struct.pack(">I", 1))


def has_come(client):
    try:
        return len(client.socket.recv(1)) > 0
    except BlockingIOError:
        return False


def a_driver_that_was_busy_all_the_time_stops_too():
    with busy_base() as (client, lines, gate):
        drive(client, 0.5)
        tap.equal(lines.readline(), "V 0.500000\n")
        client.send(player.POSITION2D, 0, player.REQUEST, RESET_ODOM)
        raise_and_reset(client)
        with open(gate, "w", encoding="ascii"):
            pass
        tap.equal(client.request(player.POSITION2D, 0, GET_GEOM).type, player.ACK)
        drive(client, 0.25)
        tap.equal(lines.readline()[:2], "S ")
        tap.equal(lines.readline(), "V 0.250000\n")


def a_command_that_waited_for_it_is_dropped():
    with busy_base() as (client, lines, gate):
        client.send(player.POSITION2D, 0, player.REQUEST, RESET_ODOM)
        drive(client, 0.5)
        raise_and_reset(client)
        with open(gate, "w", encoding="ascii"):
            pass
        tap.equal(client.request(player.POSITION2D, 0, GET_GEOM).type, player.ACK)
        drive(client, 0.25)
        said = [line for line in iter(lines.readline, "V 0.250000\n") if not line.startswith("S ")]
        tap.equal(said, [])


tap.main(a_request_stops_everything_a_thousand_times, a_signal_does_so_too, a_signal_needs_no_loop,
         a_driver_that_was_busy_all_the_time_stops_too, a_command_that_waited_for_it_is_dropped)
