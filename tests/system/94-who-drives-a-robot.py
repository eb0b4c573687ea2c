#!/usr/bin/env python3
"""Robots that a controller of their world drives: what stops them, who takes them over, and when they go on.
argv: the troupe program, the source root.

Time stands still and is moved on by steps, so nothing here depends on how busy the machine is: a robot that a
controller drives has moved after some steps, one that stands has not."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import player
import tap
from player import ACK, NACK, COMMAND, PLAYER, POSITION2D

os.environ["TROUPE_WORLD_CODE"] = "yes"  # the controllers of these worlds are beside them

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
SIMULATION, WORLD = 31, 240
MOTOR_POWER, HALT, SAVE, RESTORE, STEP = 2, 244, 6, 7, 2
PANIC, RESET, GET = 205, 206, 207
STOP = 100  # steps until what was stopped stands: 10 s

# Each has a room of its own, where nobody can push it. "free" is no device at all; "line" only has the velocity of its
# file.
ARENA = """
interval_sim 100
define eyes ranger ( sensor ( range [0 8] fov 180 samples 19 ) )
define bot position ( size [0.4 0.4 0.3] localization "gps" eyes ( ) )
define wall model ( size [20 0.2 1] )
wall ( pose [0 10 0 0] ) wall ( pose [0 -10 0 0] ) wall ( pose [10 0 0 90] ) wall ( pose [-10 0 0 90] )
wall ( ) wall ( pose [0 0 0 90] )
bot ( name "wander" pose [-5 5 0 0] ctrl "wander" )
bot ( name "expand" pose [5 5 0 0] ctrl "expand" )
bot ( name "spin" pose [-5 -5 0 0] ctrl "spin 0.5" )
bot ( name "free" pose [5 -5 0 0] ctrl "wander" )
bot ( name "line" pose [0 -12 0 0] velocity [0.01 0 0 0] )
"""
ROBOTS = ("wander", "expand", "spin")
FOLDER = tempfile.TemporaryDirectory()


def prepare():
    folder = pathlib.Path(FOLDER.name)
    (folder / "arena.world").write_text(ARENA)
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", folder / "spin.so",
                    ROOT / "examples/spin.c"], check=True)
    return folder / "arena.world"


def configuration(world, settings=""):
    robots = "".join(f'driver ( name "sim" provides [ "position2d:{i}" ] model "{name}" )\n'
                     for i, name in enumerate(ROBOTS))
    return (f'driver ( name "sim" provides [ "simulation:0" "world:0" ] worldfile "{world}" paused 1 '
            f"{settings} )\n" + robots)


class Operator(player.Client):
    """Moves time and looks where robots are."""

    def __init__(self, server):
        super().__init__(server.address)
        self.open(SIMULATION, 0)
        self.open(WORLD, 0)

    def steps(self, count):
        tap.equal(self.request(WORLD, 0, STEP, struct.pack(">I", count)).type, ACK)

    def pose(self, name):
        reply = self.request(SIMULATION, 0, 1, player.text(name) + bytes(24))
        assert reply.type == ACK, reply
        return struct.unpack(">ddd", reply.body[-24:])

    def moves(self, name, steps=20):
        before = self.pose(name)
        self.steps(steps)
        return self.pose(name) != before

    def close(self, interf):
        self.access(interf, 0, 0)

    def panic(self):
        raised = struct.pack(">II", 1, 0) + player.text("") + player.text("test")
        tap.equal(self.request(PLAYER, 0, PANIC, raised).type, ACK)

    def reset(self):
        _, epoch = struct.unpack_from(">II", self.request(PLAYER, 0, GET).body)
        tap.equal(self.request(PLAYER, 0, RESET, struct.pack(">I", epoch) + player.text("")).type, ACK)


def arena(test, settings="lease 1000"):
    def run():
        with player.server(PROGRAM, configuration(prepare(), settings)) as server, Operator(server) as operator:
            test(server, operator)
    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    return run


def all_move(operator, names, wanted=True):
    tap.equal({name: operator.moves(name) for name in names}, {name: wanted for name in names})


def pilot(server, name, turn=None):
    """A client that has it turn on the spot, where nothing is in its way."""
    client = player.Client(server.address)
    index = ROBOTS.index(name)
    client.open(POSITION2D, index)
    if turn is not None:
        client.send(POSITION2D, index, COMMAND, 1, struct.pack(">dddI", 0, 0, turn, 1))
        tap.equal(client.request(POSITION2D, index, 1).type, ACK)  # it has been heard
    return client


def power(client, name, on):
    tap.equal(client.request(POSITION2D, ROBOTS.index(name), MOTOR_POWER, struct.pack(">I", on)).type, ACK)


# ---- Panic -----------------------------------------------------------------------------------------


def a_panic_stops_what_drives_itself(server, operator):
    """Whether or not anybody has opened it, and what is no device too; a reset lets controllers go on."""
    names = (*ROBOTS, "free", "line")
    all_move(operator, names)
    operator.panic()
    operator.steps(STOP)
    all_move(operator, names, False)
    operator.reset()
    all_move(operator, (*ROBOTS, "free"))
    all_move(operator, ("line",), False)  # nobody has told it to go on


def isolated_arena():
    return (f'driver ( name "sim" provides [ "simulation:0" "world:0" "position2d:0" ] model "wander" paused 1 '
            f'worldfile "{prepare()}" lease 1000 isolated yes )')


def a_panic_reaches_a_world_in_a_process_of_its_own():
    """Whatever is no device of the server, too; and what is one goes on as others do. Time and again."""
    names = (*ROBOTS, "free", "line")
    with player.server(PROGRAM, isolated_arena()) as server, Operator(server) as operator:
        all_move(operator, names)
        for _ in range(3):
            operator.panic()
            operator.steps(STOP)
            all_move(operator, names, False)
            operator.reset()
            all_move(operator, (*ROBOTS, "free"))
            all_move(operator, ("line",), False)


def who_moves_something_right_after_a_panic_is_obeyed():
    """The end of the panic reaches the process of the world before the command does."""
    with player.server(PROGRAM, isolated_arena()) as server, Operator(server) as operator:
        operator.open(POSITION2D, 0)
        for turn in range(1, 15):
            operator.panic()
            _, epoch = struct.unpack_from(">II", operator.request(PLAYER, 0, GET).body)
            operator.send(PLAYER, 0, player.REQUEST, RESET, struct.pack(">I", epoch) + player.text(""))
            operator.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 0, 0, 0.1 * turn, 1))
            operator.steps(100)
            data = [message for message in operator.passed if message.interf == POSITION2D and message.type == 1]
            tap.equal(round(struct.unpack_from(">d", data[-1].body, 40)[0], 6), round(0.1 * turn, 6))


def a_world_that_begins_in_a_panic_stands():
    """Its process is started by who opens it first, and may not move either."""
    with player.server(PROGRAM, isolated_arena().replace("paused 1", "sleep 1 paused 1")) as server, \
            player.Client(server.address) as first:
        first.request(PLAYER, 0, PANIC, struct.pack(">II", 1, 0) + player.text("") + player.text("test"))
        with Operator(server) as operator:
            all_move(operator, (*ROBOTS, "free", "line"), False)


def a_world_that_goes_back_in_a_panic_stands(server, operator):
    operator.steps(20)
    tap.equal(operator.request(WORLD, 0, SAVE, player.text("moving")).type, ACK)
    operator.panic()
    operator.steps(STOP)
    tap.equal(operator.request(WORLD, 0, RESTORE, player.text("moving")).type, ACK)
    operator.steps(STOP)
    all_move(operator, (*ROBOTS, "free", "line"), False)
    tap.equal(operator.request(WORLD, 0, RESTORE, player.text("moving")).type, ACK)
    operator.reset()
    all_move(operator, (*ROBOTS, "free", "line"))


def motors_are_not_switched_in_a_panic(server, operator):
    operator.panic()
    with pilot(server, "wander") as client:
        for on in (0, 1):
            tap.equal(client.request(POSITION2D, ROBOTS.index("wander"), MOTOR_POWER, struct.pack(">I", on)).type, NACK)
        operator.steps(STOP)
        all_move(operator, ("wander",), False)
    operator.reset()
    all_move(operator, ("wander",))


def what_sleeps_in_a_panic_wakes_up_and_stands(server, operator):
    operator.steps(10)
    operator.close(WORLD)
    operator.close(SIMULATION)  # nobody uses it: it sleeps
    operator.panic()
    operator.open(WORLD, 0)
    operator.open(SIMULATION, 0)
    operator.steps(STOP)
    all_move(operator, (*ROBOTS, "free", "line"), False)
    operator.reset()
    all_move(operator, (*ROBOTS, "free"))


# ---- Motors and HALT -------------------------------------------------------------------------------


def motors_that_are_off_move_nothing(server, operator):
    for name in ROBOTS:
        with pilot(server, name) as client:
            power(client, name, 0)
        operator.steps(STOP)
        all_move(operator, (name,), False)
        with pilot(server, name, 0.5):  # heard, not obeyed
            all_move(operator, (name,), False)
        all_move(operator, (name,), False)
        with pilot(server, name) as client:
            power(client, name, 1)
        all_move(operator, (name,))


def motors_stay_off_when_the_world_goes_back(server, operator):
    operator.steps(20)
    tap.equal(operator.request(WORLD, 0, SAVE, player.text("on")).type, ACK)
    with pilot(server, "wander") as client:
        power(client, "wander", 0)
    tap.equal(operator.request(WORLD, 0, RESTORE, player.text("on")).type, ACK)
    operator.steps(STOP)
    all_move(operator, ("wander",), False)


def who_was_asked_to_halt_stands_until_somebody_moves_it(server, operator):
    for name in ROBOTS:
        index = ROBOTS.index(name)
        with pilot(server, name) as client:
            tap.equal(client.request(POSITION2D, index, HALT).type, ACK)
        operator.steps(STOP)
        all_move(operator, (name,), False)
    with pilot(server, "wander", 0.5):
        all_move(operator, ("wander",))
    all_move(operator, ("wander",))  # it has left: the controller goes on
    with pilot(server, "spin") as client:
        power(client, "spin", 1)
    all_move(operator, ("spin",))


# ---- Clients ---------------------------------------------------------------------------------------


def a_client_takes_over_until_it_leaves(server, operator):
    """Standing still is a command like others. Somebody else reads all the time."""
    for name in ROBOTS:
        with pilot(server, name) as witness:
            with pilot(server, name, 0):
                operator.steps(STOP)
                all_move(operator, (name,), False)
            witness.request(POSITION2D, ROBOTS.index(name), 1)
            while not operator.moves(name):  # the server sees the end of a connection in its time
                pass


def who_is_silent_loses_it_to_nobody(server, operator):
    """It stands until he has gone."""
    for name in ROBOTS:
        silent = pilot(server, name, 0.3)
        while operator.moves(name):  # for a lease of real time
            pass
        operator.steps(STOP)
        all_move(operator, (name,), False)
        silent.socket.close()
        while not operator.moves(name):
            pass


tap.main(arena(a_panic_stops_what_drives_itself), a_panic_reaches_a_world_in_a_process_of_its_own,
         who_moves_something_right_after_a_panic_is_obeyed, a_world_that_begins_in_a_panic_stands,
         arena(a_world_that_goes_back_in_a_panic_stands),
         arena(motors_are_not_switched_in_a_panic),
         arena(what_sleeps_in_a_panic_wakes_up_and_stands, "sleep 1"), arena(motors_that_are_off_move_nothing),
         arena(motors_stay_off_when_the_world_goes_back),
         arena(who_was_asked_to_halt_stands_until_somebody_moves_it), arena(a_client_takes_over_until_it_leaves),
         arena(who_is_silent_loses_it_to_nobody, "lease 0.2"))
