#!/usr/bin/env python3
"""A panic at drivers that hang, and at drivers that are stopped in a way of their own.
argv: the troupe program, the source root, the build folder's include folder, the plug-in stopwatch."""
import contextlib
import os
import pathlib
import signal
import socket
import struct
import sys
import tempfile

import player
import tap
import trials
from cli import at, prints, says, troupe
from player import POSITION2D

PROGRAM, ROOT, INCLUDE, STOPWATCH = (os.path.abspath(argument) for argument in sys.argv[1:5])
FOLDER = tempfile.TemporaryDirectory()
HERE = pathlib.Path(FOLDER.name)
RESET_ODOM = 6
STOPPED = "everything that moves is stopped; troupe reset ends the panic\n"


# ---- One that hangs -------------------------------------------------------------------------------------


def a_driver_that_hangs_is_named_until_it_has_stopped():
    gate = str(HERE / "gate")
    os.mkfifo(gate)
    with trials.board() as board:
        text = (f'driver ( name "stopwatch" plugin "{STOPWATCH}" provides [ "position2d:0" ] board "{board}" '
                f'gate "{gate}" alwayson yes )\n'
                'driver ( name "fake" provides [ "position2d:1" ] alwayson yes )\n')
        with player.server(PROGRAM, text) as server, player.Client(server.address) as client:
            client.open(POSITION2D, 0)
            client.send(POSITION2D, 0, player.REQUEST, RESET_ODOM)
            with open(gate, "w", encoding="ascii"):  # waits until the driver has opened it, and hangs
                says(troupe("panic", at(server)), 1,
                     "troupe panic: NOT STOPPED YET: stopwatch0. Commands are refused now, but who hangs in a driver does "
                     "not hear: kill the server if it has to stop\n")
                for command in ("list", "stat"):
                    tap.equal("\nNOT STOPPED YET: stopwatch0; " in troupe(command, at(server)).stdout, True)
                result = troupe("reset", at(server))
                tap.equal((result.returncode, result.stdout.splitlines()[-1]),
                          (0, "the panic is over; NOT STOPPED YET: stopwatch0"))
            while "NOT STOPPED YET" in troupe("list", at(server)).stdout:
                pass
            tap.equal(troupe("panic", at(server)).stdout.startswith(STOPPED), True)


# ---- How they are stopped ---------------------------------------------------------------------------------


class Wheel:
    """What a wheel is connected to; what it has written since it was last asked."""

    def __init__(self, name):
        self.path = str(HERE / name)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(1)
        self.lines = None

    def connected(self):
        self.lines = self.listener.accept()[0].makefile("r")

    def line(self):
        return self.lines.readline().strip()


def section(wheel, number, more):
    return (f'driver ( name "wheel" plugin "{HERE}/wheel.so" provides [ "position2d:{number}" ] port "unix:{wheel.path}" '
            f'lease 0 alwayson yes {more} )\n')


def compile_wheel():
    result = tap.run(["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-shared", "-fPIC", f"-I{ROOT}/include",
                      f"-I{INCLUDE}", f"{ROOT}/tests/plugins/wheel.c", "-o", f"{HERE}/wheel.so"])
    tap.equal((result.returncode, result.stderr), (0, ""))


def drive(server, wheels):
    client = player.Client(server.address)
    for number, wheel in enumerate(wheels):
        client.open(POSITION2D, number)
        client.send(POSITION2D, number, player.COMMAND, 1, struct.pack(">dddI", 0.5, 0, 0, 1))
        tap.equal(wheel.line(), "V 0.5")
    return client


def ways(server, wheels):
    """How a panic stops them."""
    client = drive(server, wheels)
    prints(troupe("panic", at(server)), STOPPED)
    found = [wheel.line() for wheel in wheels]
    tap.equal(troupe("reset", at(server)).returncode, 0)
    client.socket.close()
    tap.equal([wheel.line() for wheel in wheels], ["H"] * len(wheels))  # who has moved them is gone
    return found


SECTIONS = ("", 'panic "brake"', 'panic "hold"', 'panic "finish"')


@contextlib.contextmanager
def changing(name, text, wheels):
    path = HERE / name
    path.write_text(text)
    with player.launched([PROGRAM, "run", str(path), "--any-port"]) as server:
        for wheel in wheels:
            wheel.connected()

        def change(new):
            path.write_text(new)
            server.process.send_signal(signal.SIGHUP)

        yield server, change


def each_section_has_its_own_way():
    wheels = [Wheel(f"own{number}") for number in range(len(SECTIONS))]
    text = "".join(section(wheel, number, more) for number, (wheel, more) in enumerate(zip(wheels, SECTIONS)))
    with changing("own.cfg", text, wheels) as (server, change):
        tap.equal(ways(server, wheels), ["H", "H", "HOLD", "FINISH"])
        for word, wanted in (("hold", "HOLD"), ("finish", "FINISH")):
            change(f'panic "{word}"\n' + text)
            tap.equal(server.process.stderr.readline().startswith("PANIC"), True)
            tap.equal(server.process.stderr.readline().startswith("the panic is over"), True)
            tap.equal(server.process.stderr.readline(), "how a panic stops what moves has changed\n")
            tap.equal(ways(server, wheels), [wanted, "H", "HOLD", "FINISH"])


def a_section_that_says_another_way_is_another_driver():
    wheel = Wheel("one")
    with changing("one.cfg", section(wheel, 0, 'panic "hold"'), [wheel]) as (server, change):
        tap.equal(ways(server, [wheel]), ["HOLD"])
        change(section(wheel, 0, 'panic "finish"'))
        tap.equal(wheel.line(), "E")
        wheel.connected()
        tap.equal(ways(server, [wheel]), ["FINISH"])


compile_wheel()
tap.main(a_driver_that_hangs_is_named_until_it_has_stopped, each_section_has_its_own_way,
         a_section_that_says_another_way_is_another_driver)
