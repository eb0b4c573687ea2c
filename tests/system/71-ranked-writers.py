#!/usr/bin/env python3
"""Who writes before whom: a joystick before a planner, as the configuration ranks them; and the request LEASE.
argv: the troupe program.

Nothing here waits for a time: a writer that has to wait tries again and again, at the pace of the robot's data."""
import contextlib
import json
import os
import re
import struct
import sys

import player
import tap
from cli import Running, says, troupe
from player import ACK, COMMAND, DATA, NACK, POSITION2D

PROGRAM = sys.argv[1]
ROBOT = """
driver
(
  name "fake" provides [ "position2d:0" ] rate 50
  writer ( client "joystick*" rank 2 timeout 0.5 )
  writer ( client "troupe send" rank 1 timeout 1000 )
  writer ( client "lowest" rank -5 )
)
"""
LEASE, ERROR, GET_GEOM, MOTOR_POWER = 242, 243, 1, 2
DURATION, RANK = 1, 2
FOR_EVER = ROBOT.replace("timeout 0.5", "timeout 1000")


def velocity(speed):
    return struct.pack(">dddI", speed, 0, 0, 1)


def writer(server, name, features=3):
    client = player.Client(server.address)
    tap.equal(client.hello(features, name).type, ACK)
    client.open(POSITION2D, 0)
    return client


def move(client, speed):
    """A command without a number: of clients that speak leases, that would be how long it is valid."""
    body = velocity(speed)
    client.socket.sendall(player.HEADER.pack(0, 0, POSITION2D, 0, COMMAND, 1, 0, 0, len(body)) + body)


def states(client):
    while True:
        message = client.data()
        if (message.interf, message.subtype) == (POSITION2D, 1):
            yield struct.unpack_from(">d", message.body, 24)[0]


def moves(client, witness, speed):
    """Command it until the witness sees that it moves so: where this machine stalls, a lease may end before that."""
    for seen in states(witness):
        if seen == speed:
            break
        move(client, speed)


def refusal(message):
    body = player.Body(message.body)
    return body.take("i"), body.text()


def lease(client, asks=0, duration=0.0, rank=0):
    body = struct.pack(">IdiIddi", asks, duration, rank, 0, 0, 0, 0) + player.text("")
    reply = client.request(POSITION2D, 0, LEASE, body)
    tap.equal(reply.type, ACK)
    got = player.Body(reply.body)
    names = ("asks", "duration", "rank", "mine", "remaining", "held", "mover_rank")
    found = dict(zip(names, got.take("IdiIddi")), mover=got.text())
    got.end()
    return found


def serving(test, text=ROBOT):
    def run():
        with player.server(PROGRAM, text) as server:
            test(server)
    run.__name__ = test.__name__
    return run


def for_ever(test):
    return serving(test, FOR_EVER)


@serving
def a_joystick_goes_before_a_planner_until_it_is_left_alone(server):
    with writer(server, "planner") as planner, writer(server, "joystick 1") as joystick:
        moves(planner, planner, 0.25)
        moves(joystick, planner, 0.5)
        for speed in states(planner):  # it goes on trying, and gets it back when the joystick rests
            move(planner, 0.25)
            joystick.send(player.PLAYER, 0, player.SYNCH, 1)  # which is there all the time
            if speed == 0.25:
                break


@for_ever
def who_has_to_wait_is_told_for_whom(server):
    with writer(server, "planner") as planner, writer(server, "joystick 1") as joystick:
        moves(joystick, joystick, 0.5)
        for _ in range(10):
            move(planner, 0.25)
        reply = planner.request(POSITION2D, 0, MOTOR_POWER, struct.pack(">I", 0))
        tap.equal(reply.type, NACK)
        code, text = refusal(reply)
        start = f"position2d:0 is held by joystick 1 at 127.0.0.1:{joystick.socket.getsockname()[1]}, rank 2 over 0, for "
        tap.equal((code, text[:len(start)]), (-15, start))
        told = [m for m in planner.passed if (m.type, m.subtype) == (DATA, ERROR)]
        tap.equal([refusal(m)[1][:len(start)] for m in told], [start])  # once for ten commands
        tap.equal(planner.request(POSITION2D, 0, GET_GEOM).type, ACK)  # it may still ask
        joystick.socket.close()
        for speed in states(planner):  # who is gone keeps nobody out
            move(planner, 0.25)
            if speed == 0.25:
                break


@for_ever
def statistics_show_who_holds_a_device(server):
    url = f"127.0.0.1:{server.address[1]}"
    with writer(server, "joystick 1") as joystick:
        moves(joystick, joystick, 0.5)
        name = f"joystick 1 at 127.0.0.1:{joystick.socket.getsockname()[1]}"
        shown = json.loads(troupe("stat", url, "--json").stdout)["devices"][0]
        tap.equal((shown["mover"], shown["rank"], shown["holder"]), (name, 2, ""))
        tap.equal(990 < shown["rank_left"] <= 1000 and shown["lease_left"] <= 1, True)
        joystick.access(POSITION2D, 0, 19)
        lines = troupe("stat", url).stdout.splitlines()
        held = re.compile(rf"position2d:0 is (moved|held) by {re.escape(name)}, rank 2; lower ranks wait "
                          r"(9\d\d\.\d|1000\.0) s(; stops in [01]\.\d s if its client stays silent)?")
        tap.equal([held.fullmatch(line) is not None for line in lines if " by " in line], [True, False])
        tap.equal(lines[-1], f"position2d:0 is open exclusively by {name}; troupe kick 1 {url} disconnects it")


@for_ever
def the_command_line_tells_that_it_was_refused(server):
    url = f"127.0.0.1:{server.address[1]}"
    vel = ("VEL", '{"vel":{"px":1},"state":1}')
    with writer(server, "joystick 1") as joystick:
        moves(joystick, joystick, 0.5)
        result = troupe("send", f"{url}/position2d:0", *vel)
        start = "troupe send: position2d:0 is held by joystick 1 at 127.0.0.1:"
        tap.equal((result.returncode, result.stderr[:len(start)]), (1, start))
        assert re.search(r"rank 2 over 1, for another (9\d\d|1000)", result.stderr), result.stderr
        result = troupe("send", f"{url}/position2d:0", *vel, "--rank", "-7")
        assert re.search(r"rank 2 over -7, for another (9\d\d|1000)", result.stderr), result.stderr
    with Running("send", f"{url}/position2d:0", *vel, "--for", "600", "--lease", "0.9") as sending, \
            writer(server, "lowest") as lowest:
        next(speed for speed in states(lowest) if speed == 1)
        tap.equal(lease(lowest)["mover_rank"], 1)
        sending.interrupt()
    says(troupe("send", f"{url}/position2d:0", *vel, "--rank", "high"), 2,
         'troupe send: "high" is no rank\nTry: troupe send --help\n')


@for_ever
def a_client_asks_for_its_lease_and_rank(server):
    with writer(server, "joystick 1") as joystick, writer(server, "other", features=1) as other:
        tap.equal(lease(joystick), {"asks": 0, "duration": 1, "rank": 2, "mine": 0, "remaining": 0, "held": 0,
                                    "mover_rank": 0, "mover": ""})
        tap.equal(lease(other)["duration"], 5)  # it does not renew by itself
        tap.equal(lease(joystick, DURATION, 0.75)["duration"], 0.75)
        tap.equal(lease(joystick, DURATION, 3.0)["duration"], 1)  # what clients like it have, and no more
        tap.equal(lease(joystick, DURATION, 1e9)["duration"], 1)
        tap.equal(lease(other, DURATION, 3.0)["duration"], 3)
        tap.equal(lease(other, DURATION, 1e9)["duration"], 5)
        tap.equal(lease(joystick, RANK, rank=1)["rank"], 1)
        tap.equal(lease(joystick, RANK, rank=50)["rank"], 2)
        held, seen = {"mine": 0}, {"mover": ""}
        for _ in range(100):  # where this machine stalls for a lease, once more
            if not held["mine"] or not seen["mover"]:
                move(joystick, 0.5)
                held, seen = lease(joystick), lease(other)
        tap.equal((held["mine"], held["mover_rank"], held["duration"], 0 < held["remaining"] <= 1), (1, 2, 1, True))
        tap.equal((seen["mine"], seen["mover_rank"], seen["rank"]), (0, 2, 0))
        tap.equal(seen["mover"], f"joystick 1 at 127.0.0.1:{joystick.socket.getsockname()[1]}")
        reply = other.request(POSITION2D, 0, LEASE, struct.pack(">IdiIddi", DURATION, -1, 0, 0, 0, 0, 0) + player.text(""))
        tap.equal(refusal(reply), (-4, "a lease is a number of seconds, 0 for the default"))


def a_device_that_moves_nothing_has_no_lease():
    with player.server(PROGRAM, 'driver ( name "fake" provides [ "laser:0" ] )') as server:
        result = troupe("request", f"127.0.0.1:{server.address[1]}/laser:0", "LEASE", "{}")
        says(result, 1, "troupe request: laser:0 moves nothing\n")


def through(more, rank):
    """A base, and a driver that moves it; `more` is of this one, the writer of the base."""
    return (f'driver ( name "fake" provides [ "position2d:0" ] rate 50 {more[0]}\n'
            f'  writer ( driver "{rank}" rank 1 timeout 1000 ) )\n'
            f'driver ( name "passthrough" requires [ "position2d:0" ] provides [ "position2d:1" ] {more[1]} )\n')


def notes(server):
    """What it has said so far."""
    os.set_blocking(server.process.stderr.fileno(), False)
    with contextlib.suppress(BlockingIOError):
        return os.read(server.process.stderr.fileno(), 65536)
    return b""


def is_moved_by_the_driver(text):
    with player.server(PROGRAM, text) as server, writer(server, "planner") as planner, \
            player.Client(server.address) as user:
        user.hello(3, "user")
        user.open(POSITION2D, 1)
        user.socket.sendall(player.HEADER.pack(0, 0, POSITION2D, 1, COMMAND, 1, 0, 0, 28) + velocity(0.5))
        next(speed for speed in states(planner) if speed == 0.5)
        seen = lease(planner)
        tap.equal((seen["mover"], seen["mover_rank"]), ("the driver passthrough0", 1))
        reply = planner.request(POSITION2D, 0, MOTOR_POWER, struct.pack(">I", 0))
        code, why = refusal(reply)
        start = "position2d:0 is held by the driver passthrough0, rank 1 over 0, for another "
        tap.equal((reply.type, code, why[:len(start)]), (NACK, -15, start))
        tap.equal(notes(server), b"")


def a_driver_has_its_rank_wherever_it_runs():
    for more in ("", ""), ("", "isolated yes"), ("isolated yes", ""), ("isolated yes", "isolated yes"):
        is_moved_by_the_driver(through(more, "passthrough"))
    is_moved_by_the_driver(through(("", "isolated yes"), "passthrough0"))


tap.main(a_joystick_goes_before_a_planner_until_it_is_left_alone, who_has_to_wait_is_told_for_whom,
         statistics_show_who_holds_a_device, the_command_line_tells_that_it_was_refused,
         a_client_asks_for_its_lease_and_rank, a_device_that_moves_nothing_has_no_lease,
         a_driver_has_its_rank_wherever_it_runs)
