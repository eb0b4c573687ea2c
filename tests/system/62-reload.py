#!/usr/bin/env python3
"""A configuration that changes under a running server, which SIGHUP makes it read again.  argv: the troupe program."""
import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile

import player
import tap
from player import ACK, LASER, NACK, PLAYER, POSITION2D

PROGRAM = sys.argv[1]
ERROR = 243
RIGHT = 210

STEADY = 'driver ( name "fake" provides [ "laser:1" ] rate 50 )\n'
OLD = STEADY + 'driver ( name "fake" provides [ "laser:0" ] rate 100 )\n'
NEW = STEADY + 'driver ( name "fake" provides [ "laser:0" ] rate 50 )\n'
MORE = NEW + 'driver ( name "fake" provides [ "position2d:0" ] )\n'
BROKEN = STEADY + 'driver ( name "fake" provides [ "laser:0" ] rate "often" )\n'


class Running:
    def __init__(self, server, path):
        self.server = server
        self.path = path

    def change(self, text):
        """Exchange the file in one step, as careful editors do, and tell the server."""
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.write(text)
        os.rename(self.path + ".new", self.path)
        self.server.process.send_signal(signal.SIGHUP)

    def says(self, line):
        """Wait for a line on standard error."""
        got = []
        for text in self.server.process.stderr:
            got.append(text.rstrip("\n"))
            if got[-1] == line:
                return got
        raise AssertionError(f"never said {line!r}: {got}")


@contextlib.contextmanager
def running(text):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/robot.cfg"
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        with player.launched([PROGRAM, "run", path, "--any-port"]) as server:
            yield Running(server, path)


def hello(client):
    name = b"test\0\0\0\0"
    tap.equal(client.request(PLAYER, 0, 200, struct.pack(">IIII", 1, 1, 5, 5) + name).type, ACK)


class Steady:
    """A client of the device that stays, who misses no scan: they are numbered."""

    def __init__(self, address):
        self.client = player.Client(address)
        self.client.open(LASER, 1)
        self.number = None

    def watch(self, count):
        for _ in range(count):
            number = struct.unpack(">I", self.client.data().body[-4:])[0]
            assert self.number is None or number == self.number + 1, (self.number, number)
            self.number = number


def the_other_driver_notices_nothing():
    with running(OLD) as it:
        steady = Steady(it.server.address)
        with player.Client(it.server.address) as client:
            hello(client)
            client.open(LASER, 0)
            steady.watch(5)
            it.change(NEW)
            tap.equal(it.says("added fake2 (laser:0)"), ["removed fake1 (laser:0)", "added fake2 (laser:0)"])
            steady.watch(50)  # not one scan was lost, and the driver did not begin anew
            while True:
                message = client.message()
                if message.subtype == ERROR:
                    break
            assert b"fake1: the device was removed" in message.body, message.body
            reply = client.request(LASER, 0, 1)
            tap.equal(reply.type, NACK)
            assert b"laser:0 is not open" in reply.body, reply.body
            client.open(LASER, 0)
            tap.equal(client.request(LASER, 0, 1).type, ACK)
            client.data()
        steady.watch(5)
        steady.client.socket.close()


def a_world_that_lists_no_devices_goes():
    with running(STEADY) as it:
        with open(os.path.dirname(it.path) + "/x.world", "w", encoding="ascii") as file:
            file.write('position ( name "r" )\n')
        it.change(STEADY + 'driver ( name "sim" worldfile "x.world" )\n')
        it.says("added sim0")
        it.change(STEADY)
        it.says("removed sim0")


def print_goes_on_with_the_new_device():
    with running(OLD) as it:
        command = [PROGRAM, "print", f"127.0.0.1:{it.server.address[1]}/laser:0", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as printing:
            tap.equal(json.loads(printing.stdout.readline())["message"], "SCAN")
            it.change(NEW)
            seen = []
            for line in printing.stdout:
                record = json.loads(line)
                seen.append(record["message"])
                if seen[-1] == "SCAN" and "ERROR" in seen:
                    break
                if seen[-1] == "ERROR":
                    tap.equal(record["value"]["text"], "fake1: the device was removed")
            printing.terminate()


def devices_come_and_go():
    with running(NEW) as it, player.Client(it.server.address) as client:
        it.change(MORE)
        it.says("added fake2 (position2d:0)")
        client.open(POSITION2D, 0)
        client.data()
        it.change(NEW)
        it.says("removed fake2 (position2d:0)")
        reply, _ = client.access(POSITION2D, 0, 1)
        tap.equal(reply.type, NACK)


def a_broken_file_changes_nothing():
    with running(OLD) as it:
        steady = Steady(it.server.address)
        with player.Client(it.server.address) as client:
            client.open(LASER, 0)
            steady.watch(5)
            it.change(BROKEN)
            tap.equal(it.says("nothing was changed"),
                      [it.path + ':2:50: rate is a number, not "often"', "nothing was changed"])
            steady.watch(20)
            client.data()
            tap.equal(client.request(LASER, 0, 1).type, ACK)  # still open, still the same
            it.change(OLD)
            it.says("nothing has changed")
            tap.equal(client.request(LASER, 0, 1).type, ACK)
        steady.client.socket.close()


def robots_get_and_lose_their_ports():
    with running(NEW) as it, player.Client(it.server.address) as client:
        files = it.server.files()
        client.open(LASER, 1)
        it.change(NEW + 'driver ( name "fake" provides [ "7777:sonar:0" ] )\n')
        it.says("added fake2 (sonar:0)")
        assert it.server.files() > files
        it.change('driver ( name "fake" provides [ "7777:sonar:0" ] )\n')
        it.says("removed fake1 (laser:0)")
        assert client.ended()  # nobody listens on that port any more


def a_file_that_opens_the_server_says_so():
    guarded = 'keys [ "anna move sesame" ]\n' + OLD
    with running(guarded) as robot, player.Client(robot.server.address) as client:
        client.open(LASER, 0)
        tap.equal(client.request(PLAYER, 0, RIGHT).body[:4], struct.pack(">I", 0))  # it only reads
        robot.change("open yes\n" + guarded)
        robot.says("keys and rights have changed: open to everybody now")
        tap.equal(client.request(PLAYER, 0, RIGHT).body[:4], struct.pack(">I", 2))
        robot.change("open yes\n" + guarded + "# nothing\n")
        robot.says("nothing has changed")
        robot.change(guarded)
        robot.says("keys and rights have changed")


tap.main(a_file_that_opens_the_server_says_so, print_goes_on_with_the_new_device,
    the_other_driver_notices_nothing, a_world_that_lists_no_devices_goes,
    devices_come_and_go,
    a_broken_file_changes_nothing,
    robots_get_and_lose_their_ports,
)
