#!/usr/bin/env python3
"""Simulated robots whose brakes take their time: nobody is told that one has stopped while it rolls.
argv: the troupe program.

What is told is compared with where the robot is, so nothing here depends on how busy the machine is."""
import pathlib
import struct
import sys
import tempfile

import player
import tap
from player import ACK, COMMAND, PLAYER, POSITION2D, REQUEST

PROGRAM = sys.argv[1]
SIMULATION, WORLD = 31, 240
HALT, PAUSE, LOCKSTEP, STEP = 244, 4, 5, 2
PANIC, GET = 205, 207

# "train" brakes for 10 steps, "barge" for hours; "stray" is no device; "comet" cannot stand, as its file says.
YARD = """
interval_sim 100
define bot position ( size [0.4 0.4 0.3] velocity_bounds [-1 1 0 0 0 0 -90 90] )
bot ( name "train" acceleration_bounds [-0.4 5 0 0 0 0 -90 90] )
bot ( name "barge" pose [0 5 0 0] acceleration_bounds [-0.00001 5 0 0 0 0 -90 90] )
bot ( name "comet" pose [0 -5 0 0] velocity_bounds [0.1 1 0 0 0 0 -90 90] )
"""
STRAY = 'bot ( name "stray" pose [0 9 0 0] velocity [0.4 0 0 0] acceleration_bounds [-0.4 5 0 0 0 0 -90 90] )\n'
ROBOTS = ("train", "barge", "comet")


class Driver(player.Client):
    def __init__(self, server):
        super().__init__(server.address)
        self.open(SIMULATION, 0)
        self.open(WORLD, 0)

    def asked(self, interf, index, code, body=b""):
        reply = self.request(interf, index, code, body)
        tap.equal(reply.type, ACK)
        return reply.body

    def drive(self, name, speed=0.4):
        """Until it goes as fast as that; waits for its data."""
        index = ROBOTS.index(name)
        self.open(POSITION2D, index)
        self.send(POSITION2D, index, COMMAND, 1, struct.pack(">dddI", speed, 0, 0, 1))
        while True:
            message = self.data()
            if (message.interf, message.index, message.subtype) == (POSITION2D, index, 1):
                if struct.unpack_from(">6d", message.body)[3] >= speed - 0.01:
                    return

    def pose(self, name):
        return struct.unpack(">ddd", self.asked(SIMULATION, 0, 1, player.text(name) + bytes(24))[-24:])

    def steps(self, count):
        self.asked(WORLD, 0, STEP, struct.pack(">I", count))

    def stands(self, name):
        """Nothing is moved by the next steps."""
        before = self.pose(name)
        self.steps(10)
        return self.pose(name) == before

    def halt(self, name):
        self.asked(POSITION2D, ROBOTS.index(name), HALT)

    def panic(self):
        self.asked(PLAYER, 0, PANIC, struct.pack(">II", 1, 0) + player.text("") + player.text("test"))

    def owing(self):
        state = player.Body(self.asked(PLAYER, 0, GET))
        tap.equal(state.take("I"), 1)
        return state.data.find(b"sim0\0") >= 0

    def pause(self, on):
        self.asked(WORLD, 0, PAUSE, struct.pack(">I", on))


def yard(test, world=YARD, settings=""):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "yard.world"
            path.write_text(world)
            robots = "".join(f'driver ( name "sim" provides [ "position2d:{i}" ] model "{name}" )\n'
                             for i, name in enumerate(ROBOTS))
            first = f'driver ( name "sim" provides [ "simulation:0" "world:0" ] worldfile "{path}" lease 1000 {settings} )\n'
            with player.server(PROGRAM, first + robots) as server, Driver(server) as driver:
                test(driver)
    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    return run


def halt_is_answered_when_the_robot_stands(driver):
    driver.drive("train")
    driver.halt("train")
    tap.equal(driver.stands("train"), True)


def a_panic_names_the_world_until_its_robots_stand(driver):
    driver.drive("train")
    driver.panic()
    while driver.owing():
        pass
    tap.equal(driver.stands("train"), True)


def a_panic_waits_for_what_is_no_device(driver):
    driver.steps(5)
    driver.panic()
    while driver.owing():
        pass
    tap.equal(driver.stands("stray"), True)


def a_stop_is_not_reported_to_the_next_mover(driver):
    """The robot still rolls when another client takes it over: it does not stand, and that client has not lost it."""
    driver.drive("train")
    with player.Client(driver.socket.getpeername()) as other:
        other.hello()
        other.open(POSITION2D, ROBOTS.index("train"))
        tap.equal(driver.access(POSITION2D, ROBOTS.index("train"), 2)[0].type, ACK)  # closes it
        other.send(POSITION2D, ROBOTS.index("train"), COMMAND, 1, struct.pack(">dddI", 0.8, 0, 0, 1))
        speeds = []
        while speeds.count(0.8) < 10:
            message = other.data()
            tap.equal((message.interf, message.subtype), (POSITION2D, 1))
            speeds.append(round(struct.unpack_from(">6d", message.body)[3], 2))


def who_asks_while_time_stands_still_is_answered(driver):
    """Nothing moves; and in a panic what rolls on afterwards is owed again."""
    driver.drive("train")
    driver.pause(1)
    driver.halt("train")
    driver.panic()
    while driver.owing():  # until the world's thread has seen it
        pass
    driver.pause(0)
    while driver.owing():
        pass
    tap.equal(driver.stands("train"), True)


def pending_halt(driver, name):
    """Somebody else's request to halt, which is not answered yet."""
    index = ROBOTS.index(name)
    other = player.Client(driver.socket.getpeername())
    other.open(POSITION2D, index)
    other.send(POSITION2D, index, REQUEST, HALT)
    tap.equal(other.request(POSITION2D, index, 1).type, ACK)  # it has been heard
    tap.equal([message for message in other.passed if message.type == ACK], [])
    return other


def await_answer(client):
    while client.message().type != ACK:
        pass


def a_pause_ends_the_wait(driver):
    driver.drive("barge")
    with pending_halt(driver, "barge") as other:
        driver.panic()
        tap.equal(driver.owing(), True)
        driver.pause(1)
        tap.equal(driver.owing(), False)
        await_answer(other)


def lockstep_waits_for_nobody(driver):
    driver.drive("train")
    driver.asked(WORLD, 0, LOCKSTEP, struct.pack(">I", 1))
    driver.halt("train")
    driver.steps(100)
    tap.equal(driver.stands("train"), True)


def what_somebody_moves_again_is_not_waited_for(driver):
    driver.drive("barge")
    with pending_halt(driver, "barge") as other:
        driver.drive("barge")
        await_answer(other)


def what_cannot_stand_is_not_waited_for(driver):
    """Its file does not let it; that was told when it was read."""
    driver.drive("comet")
    driver.halt("comet")
    tap.equal(driver.stands("comet"), False)


tap.main(yard(halt_is_answered_when_the_robot_stands), yard(a_stop_is_not_reported_to_the_next_mover),
         yard(a_panic_names_the_world_until_its_robots_stand),
         yard(a_panic_waits_for_what_is_no_device, YARD + STRAY), yard(who_asks_while_time_stands_still_is_answered),
         yard(a_pause_ends_the_wait), yard(lockstep_waits_for_nobody),
         yard(what_somebody_moves_again_is_not_waited_for), yard(what_cannot_stand_is_not_waited_for))
