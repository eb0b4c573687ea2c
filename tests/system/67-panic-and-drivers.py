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
RESET_ODOM, GET_GEOM, HALT, ERROR = 6, 1, 244, 243
BASE = 'driver ( name "fake" provides [ "position2d:0" ] alwayson yes )\n'
ISOLATED = BASE.replace("alwayson", "isolated yes alwayson")
STOPPED = "everything that moves is stopped; troupe reset {} ends the panic\n"


# ---- One that hangs -------------------------------------------------------------------------------------


def not_stopped(server, what):
    """A panic that does not stop everything, which is told wherever people look."""
    says(troupe("panic", at(server)), 1,
         f"troupe panic: NOT STOPPED YET: {what}. Commands are refused now, but a driver that hangs does not stop: kill the server if it must stop\n")
    for command in ("list", "stat"):
        tap.equal(f"\nNOT STOPPED YET: {what}; " in troupe(command, at(server)).stdout, True)


def stopped(server):
    """It does stop. `troupe panic` waits for two seconds, in which a busy machine may not come round."""
    while "NOT STOPPED YET" in troupe("list", at(server)).stdout:
        pass
    while not troupe("panic", at(server)).stdout.startswith(STOPPED.format(at(server))):
        pass


@contextlib.contextmanager
def hanging(more):
    """A server with a driver that hangs while its gate is open."""
    gate = tempfile.mktemp(dir=HERE)
    os.mkfifo(gate)
    with trials.board() as board:
        text = (f'driver ( name "stopwatch" plugin "{STOPWATCH}" provides [ "position2d:0" ] board "{board}" '
                f'gate "{gate}" alwayson yes {more} )\n'
                'driver ( name "fake" provides [ "position2d:1" ] alwayson yes )\n')
        with player.server(PROGRAM, text) as server:
            yield server, gate


def hangs(server, gate, name):
    with player.Client(server.address) as client:
        client.open(POSITION2D, 0)
        client.send(POSITION2D, 0, player.REQUEST, RESET_ODOM)
        with open(gate, "w", encoding="ascii"):  # waits until the driver has opened it, and hangs
            not_stopped(server, name)
            result = troupe("reset", at(server))
            tap.equal((result.returncode, result.stdout.splitlines()[-1]),
                      (0, f"the panic is over; NOT STOPPED YET: {name}"))
        stopped(server)


def a_driver_that_hangs_is_named_until_it_has_stopped():
    with hanging("") as (server, gate):
        hangs(server, gate, "stopwatch0")


def so_is_one_in_a_process_of_its_own():
    with hanging("isolated yes") as (server, gate):
        hangs(server, gate, "stopwatch0")


def remote(server, number=0, more=""):
    return (f'driver ( name "remote" provides [ "position2d:{number}" ] url "tcp:127.0.0.1:{server.address[1]}" lease 0 '
            f'alwayson yes {more} )\n')


def so_is_one_of_another_server():
    with hanging("") as (far, gate), player.server(PROGRAM, remote(far)) as server:
        hangs(server, gate, "remote0")


# ---- One that is frozen, or gone --------------------------------------------------------------------------


def child_of(server):
    pid = server.process.pid
    child, = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def a_process_that_is_frozen_is_named_until_it_has_stopped():
    with player.server(PROGRAM, ISOLATED) as server, player.Client(server.address) as client:
        client.open(POSITION2D, 0)
        player.freeze(child_of(server))
        not_stopped(server, "fake0")
        tap.equal(troupe("reset", at(server)).returncode, 0)
        tap.equal("\nNOT STOPPED YET: fake0; " in troupe("list", at(server)).stdout, True)
        os.kill(child_of(server), signal.SIGCONT)
        stopped(server)


def a_server_that_is_frozen_is_named_until_it_has_stopped():
    with player.server(PROGRAM, BASE) as far, player.server(PROGRAM, remote(far)) as server:
        with player.Client(server.address) as client:
            client.open(POSITION2D, 0)
            player.freeze(far.process.pid)
            not_stopped(server, "remote0")
            far.process.send_signal(signal.SIGCONT)
            stopped(server)


def of_a_server_that_is_gone_nobody_knows():
    path = HERE / "gone.cfg"
    path.write_text(BASE)
    with contextlib.ExitStack() as stack:
        with player.server(PROGRAM, BASE) as far:
            server = stack.enter_context(player.server(PROGRAM, remote(far)))
            client = stack.enter_context(player.Client(server.address))
            client.open(POSITION2D, 0)
            port = far.address[1]
        server.process.stderr.readline()  # it has seen it
        not_stopped(server, f"remote0 (tcp:127.0.0.1:{port}: the server closed the connection: whether it has stopped is "
                            "not known)")
        with player.launched([PROGRAM, "run", str(path), "--port", str(port)]):
            stopped(server)


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
    prints(troupe("panic", at(server)), STOPPED.format(at(server)))
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


def so_it_has_in_a_process_of_its_own():
    wheels = [Wheel(f"iso{number}") for number in range(len(SECTIONS))]
    text = "".join(section(wheel, number, more + " isolated yes")
                   for number, (wheel, more) in enumerate(zip(wheels, SECTIONS)))
    with changing("iso.cfg", 'panic "finish"\n' + text, wheels) as (server, _):
        tap.equal(ways(server, wheels), ["FINISH", "H", "HOLD", "FINISH"])


def on_another_server_that_one_decides_unless_the_section_does():
    wheels = [Wheel(f"far{number}") for number in range(len(SECTIONS))]
    text = "".join(section(wheel, number, more) for number, (wheel, more) in enumerate(zip(wheels, SECTIONS)))
    with changing("far.cfg", 'panic "finish"\n' + text, wheels) as (far, _):
        for more, wanted in (("", ["FINISH", "H", "HOLD", "FINISH"]), ('panic "hold"', ["HOLD"] * 4)):
            near = "".join(remote(far, number, more) for number in range(len(wheels)))
            with player.server(PROGRAM, 'panic "hold"\n' + near) as server:
                tap.equal(ways(server, wheels), wanted)
            tap.equal([wheel.line() for wheel in wheels], ["H"] * len(wheels))  # the other server is gone


def drivers_in_front_leave_it_to_the_device():
    wheel = Wheel("front")
    for name in ("passthrough", "switch"):
        front = f'driver ( name "{name}" provides [ "position2d:0" ] requires [ "position2d:1" ] lease 0 alwayson yes )\n'
        with changing("front.cfg", section(wheel, 1, 'panic "hold"') + front, [wheel]) as (server, _):
            for _ in range(2):  # nothing else is left on the line
                tap.equal(ways(server, [wheel]), ["HOLD"])


def what_has_waited_for_a_frozen_process_moves_nothing():
    wheel = Wheel("late")
    with changing("late.cfg", section(wheel, 0, "isolated yes").replace("lease 0", "lease 0.2"), [wheel]) as (server, _):
        with player.Client(server.address) as client:
            client.open(POSITION2D, 0)
            player.freeze(child_of(server))
            client.send(POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", 0.5, 0, 0, 1))
            while "NOT STOPPED YET: wheel0" not in troupe("list", at(server)).stdout:  # its lease is over
                pass
            os.kill(child_of(server), signal.SIGCONT)
            tap.equal(wheel.line(), "H")
            line = "H"
            while line == "H":  # and so again where this machine stalls for a lease
                client.send(POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", 0.7, 0, 0, 1))
                line = wheel.line()
            tap.equal(line, "V 0.7")


# ---- Who moves them -----------------------------------------------------------------------------------------


def movers(server):
    return [line.split(" is moved by ")[0] for line in troupe("stat", at(server)).stdout.splitlines()
            if " is moved by " in line]


def failure(client):
    """The next one that is told."""
    while True:
        message = client.message()
        if (message.type, message.interf, message.subtype) == (player.DATA, POSITION2D, ERROR):
            body = player.Body(message.body)
            return body.take("i"), body.text()


def opened(server, number=0):
    client = player.Client(server.address)
    client.hello()
    client.open(POSITION2D, number)
    return client


def moving(server, devices):
    client = opened(server)
    client.send(POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", 0.5, 0, 0, 1))
    tap.equal(client.request(POSITION2D, 0, GET_GEOM).type, player.ACK)  # it has passed on what came before
    tap.equal(movers(server), devices)
    return client


def nobody_moves_what_stands():
    front = 'driver ( name "passthrough" provides [ "position2d:0" ] requires [ "position2d:1" ] lease 0 alwayson yes )\n'
    behind = 'driver ( name "fake" provides [ "position2d:1" ] lease 0 alwayson yes )\n'
    both = ["position2d:0", "position2d:1"]
    with player.server(PROGRAM, front + behind) as server:
        witness = opened(server)
        client = moving(server, both)
        name = "test at 127.0.0.1:%d" % client.socket.getsockname()[1]
        client.socket.close()
        tap.equal(failure(witness)[1], f"position2d:0 stopped: the connection of its client {name} was closed")
        tap.equal(movers(server), [])  # readers receive it when it stands
        client = moving(server, both)
        prints(troupe("panic", at(server)), STOPPED.format(at(server)))
        tap.equal(troupe("reset", at(server)).returncode, 0)
        tap.equal(movers(server), [])
        client.socket.close()
        client = moving(server, both)
        tap.equal(witness.request(POSITION2D, 0, HALT).type, player.ACK)
        tap.equal(movers(server), [])
        for one in (client, witness):
            one.socket.close()


def nor_what_was_started_again():
    with player.server(PROGRAM, ISOLATED.replace("alwayson", "restart 0.1 lease 0 alwayson")) as server:
        witness, client = opened(server), moving(server, ["position2d:0"])
        os.kill(child_of(server), signal.SIGKILL)
        tap.equal(failure(witness)[1], "fake0: its process was killed by signal 9")
        tap.equal(movers(server), [])
        for one in (client, witness):
            one.socket.close()


def what_has_not_stopped_is_not_reported_as_stopped():
    with player.server(PROGRAM, ISOLATED.replace("alwayson", "lease 0 alwayson")) as server:
        witness, client = opened(server), moving(server, ["position2d:0"])
        player.freeze(child_of(server))
        name = "test at 127.0.0.1:%d" % client.socket.getsockname()[1]
        client.socket.close()
        tap.equal(any("NOT STOPPED YET: fake0" in troupe("list", at(server)).stdout for _ in range(100)), True)
        tap.equal(witness.access(POSITION2D, 0, 1)[0].type, player.ACK)
        tap.equal([one for one in witness.passed if one.subtype == ERROR], [])
        os.kill(child_of(server), signal.SIGCONT)
        tap.equal(failure(witness)[1], f"position2d:0 stopped: the connection of its client {name} was closed")
        witness.socket.close()


compile_wheel()
tap.main(a_driver_that_hangs_is_named_until_it_has_stopped, so_is_one_in_a_process_of_its_own,
         so_is_one_of_another_server, a_process_that_is_frozen_is_named_until_it_has_stopped,
         a_server_that_is_frozen_is_named_until_it_has_stopped, of_a_server_that_is_gone_nobody_knows,
         each_section_has_its_own_way, a_section_that_says_another_way_is_another_driver, so_it_has_in_a_process_of_its_own,
         on_another_server_that_one_decides_unless_the_section_does, drivers_in_front_leave_it_to_the_device,
         what_has_waited_for_a_frozen_process_moves_nothing,
         nobody_moves_what_stands, nor_what_was_started_again, what_has_not_stopped_is_not_reported_as_stopped)
