#!/usr/bin/env python3
"""Servers that use each other's devices, and drivers in processes of their own.
argv: the troupe program, the program inproc_probe."""
import os
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading

import player
import tap
from player import LASER, POSITION2D

PROGRAM, PROBE = sys.argv[1:3]
ERROR = 243


def hello(client):
    """Say that failures are to be explained."""
    name = b"test\0"
    body = struct.pack(">IIII", 1, 1, len(name), len(name)) + name + b"\0" * (-len(name) % 4)
    tap.equal(client.request(player.PLAYER, 0, 200, body).type, player.ACK)


def velocity(vx):
    return struct.pack(">dddI", vx, 0, 0, 1)


def data_of(client, interf):
    while True:
        message = client.data()
        if (message.interf, message.subtype) != (interf, ERROR):
            return message


def failure_of(client):
    """The next failure that is told: its code and its sentence."""
    while True:
        message = client.data()
        if message.subtype == ERROR:
            code, length = struct.unpack_from(">iI", message.body)
            return code, message.body[12:12 + length - 1].decode()


def behind(port, extra=""):
    return f"""
    driver ( name "passthrough" provides [ "position2d:0" ] requires [ "127.0.0.1:{port}:position2d:0" ] )
    driver ( name "remote" provides [ "laser:3" ] url "tcp:127.0.0.1:{port}" devices [ "laser:0" ] {extra} )
    """


FAR = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 )'


class Restartable:
    """A server on a port that stays the same, which can be killed and started again."""

    def __init__(self, text, port=None):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".cfg")
        self.file.write(text)
        self.file.flush()
        self.port = port or player.reserved_port()
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.file.close()

    def start(self):
        self.process = subprocess.Popen([PROGRAM, "run", self.file.name, "--port", str(self.port)],
                                        stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on port "):
                return self
        raise AssertionError("the server does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.terminate()
        tap.equal(self.process.wait(60), 0)


# ---- Another server ---------------------------------------------------------------------------------


def devices_of_another_server_are_used_like_ones_own():
    with player.server(PROGRAM) as far, player.server(PROGRAM, behind(far.address[1])) as near:
        with player.Client(near.address) as client, player.Client(far.address) as there:
            client.open(POSITION2D, 0)
            client.open(LASER, 3)
            tap.equal(data_of(client, LASER).interf in (LASER, POSITION2D), True)
            geometry = client.request(POSITION2D, 0, 1)
            there.open(POSITION2D, 0)
            tap.equal(geometry.body, there.request(POSITION2D, 0, 1).body)
            client.send(POSITION2D, 0, player.COMMAND, 1, velocity(0.4))
            while True:  # the far robot obeys the near client
                message = there.data()
                if message.interf == POSITION2D and struct.unpack_from(">d", message.body, 24)[0] > 0.1:
                    break


def a_refusal_comes_back_with_its_sentence():
    with player.server(PROGRAM) as far, player.server(PROGRAM, behind(far.address[1])) as near:
        with player.Client(near.address) as client, player.Client(far.address) as there:
            for each in (client, there):
                hello(each)
                each.open(POSITION2D, 0)
            property_body = struct.pack(">II", 3, 3) + b"no\0\0" + struct.pack(">i", 0)
            answers = [each.request(POSITION2D, 0, 254, property_body) for each in (client, there)]
            tap.equal([answer.type for answer in answers], [player.NACK, player.NACK])
            tap.equal(answers[1].body[12:answers[1].body.index(b"\0", 12)] in answers[0].body, True)


def older_files_name_the_other_server_by_options():
    def near(port):
        return f"""driver ( name "passthrough" provides [ "position2d:7" ] remote_host "localhost" remote_port {port}
                   remote_index 0 access "r" )\n"""

    with player.server(PROGRAM) as far, player.server(PROGRAM, near(far.address[1])) as server:
        with player.Client(server.address) as client:
            client.open(POSITION2D, 7)
            tap.equal((data_of(client, POSITION2D).interf, client.request(POSITION2D, 7, 1).type), (POSITION2D, player.ACK))
    for text, wrong in (('remote_host "" )\n', "remote_host is no name of a host"),
                        ('remote_host "far" remote_port 0 )\n', "remote_port is not between 1 and 65535"),
                        ('remote_host "far" remote_index -2 )\n', "remote_index is not between 0 and 65535"),
                        ('remote_host "far" requires [ "laser:1" ] )\n', "give either `requires` or `remote_host`"),
                        ('remote_host "localhost" )\n', "a circle, so none can start")):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write('driver ( name "passthrough" provides [ "laser:0" ] ' + text)
            file.flush()
            result = tap.run([PROGRAM, "check", "-p", "6665", file.name])
            tap.equal(result.returncode, 1)
            assert wrong in result.stderr, result.stderr
    # The last one is a circle on the usual port only.
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write('driver ( name "passthrough" provides [ "laser:0" ] remote_host "localhost" )\n')
        file.flush()
        result = tap.run([PROGRAM, "check", file.name])
        tap.equal(result.returncode, 0)
        assert "run it on another port, with -p 7000" in result.stderr, result.stderr


def a_server_that_is_not_there_is_told_to_who_opens():
    with player.server(PROGRAM, behind(player.reserved_port())) as near, player.Client(near.address) as client:
        hello(client)
        reply, _ = client.access(LASER, 3, 1)
        tap.equal(reply.type, player.NACK)
        tap.equal(b"connection refused" in reply.body, True)
        tap.equal(b"remote" in reply.body, True)


def a_server_that_comes_back_is_found_again():
    with Restartable(FAR) as far:
        far.start()
        with player.server(PROGRAM, behind(far.port)) as near, player.Client(near.address) as client:
            hello(client)
            client.open(LASER, 3)
            data_of(client, LASER)
            far.kill()
            code, text = failure_of(client)
            tap.equal(code < 0, True)
            tap.equal("remote" in text, True)
            far.start()
            tap.equal(failure_of(client)[0], 0)
            data_of(client, LASER)


def two_servers_may_use_each_other():
    ports = (player.reserved_port(), player.reserved_port())
    text = """
    driver ( name "fake" provides [ "laser:0" ] )
    driver ( name "passthrough" provides [ "laser:1" ] requires [ "127.0.0.1:%d:laser:0" ] alwayson yes restart 0.1 )
    """
    with Restartable(text % ports[1], ports[0]) as one, Restartable(text % ports[0], ports[1]) as two:
        one.start()  # the other one is not there yet
        two.start()
        for port in ports:
            deadline = threading.Event()
            while not deadline.is_set():
                with player.Client(("127.0.0.1", port)) as client:
                    _, granted = client.access(LASER, 1, 1)
                    if granted == 1:
                        tap.equal(client.data().interf, LASER)
                        deadline.set()
        two.kill()
        two.start()
        with player.Client(("127.0.0.1", ports[0])) as client:
            client.open(LASER, 0)
            tap.equal(client.data().interf, LASER)
        two.end()
        one.end()


# ---- Processes of their own ---------------------------------------------------------------------------

ISOLATED = """
driver ( name "fake" provides [ "position2d:0" ] )
driver ( name "fake" provides [ "laser:0" ] isolated yes restart 0.1 )
driver ( name "passthrough" provides [ "position2d:1" ] requires [ "position2d:0" ] isolated yes )
"""


def ask_lease(client, index, duration):
    body = struct.pack(">IdiIddi", 1, duration, 0, 0, 0, 0, 0) + player.text("")
    tap.equal(client.request(POSITION2D, index, 242, body).type, player.ACK)


def drive(client, index, valid_ms=0):
    body = velocity(0.1)
    client.socket.sendall(player.HEADER.pack(0, 0, POSITION2D, index, player.COMMAND, 1, 0, valid_ms, len(body)) + body)


def lease_left(there):
    devices = {address[1:]: device for address, device in there.statistics()[1].items()}
    return devices[POSITION2D, 0]["lease_left"]


def lease_left_there(client, index, there):
    """Drive until the other server knows of it: how much of the lease it has left. An answer from there comes behind what
    was sent before it."""
    while True:
        drive(client, index)
        tap.equal(client.request(POSITION2D, index, 1).type, player.ACK)
        left = lease_left(there)
        if left > 0:
            return left


def the_lease_of_a_client_holds_on_the_other_server_too():
    """If the server between them is frozen, only that one can end it."""
    with player.server(PROGRAM, 'driver ( name "fake" provides [ "position2d:0" ] )') as far:
        port = far.ports[0]
        near = f"""
        driver ( name "remote" provides [ "position2d:1" ] url "tcp:127.0.0.1:{port}" devices [ "position2d:0" ] )
        driver ( name "passthrough" provides [ "position2d:0" ] requires [ "position2d:1" ] )
        """
        with player.server(PROGRAM, near) as server, player.Client(far.address) as there:
            for index in (0, 1):
                with player.Client(server.address) as client:
                    client.hello(3)
                    client.open(POSITION2D, index)
                    assert lease_left_there(client, index, there) > 0.3
                    ask_lease(client, index, 0.2)
                    lefts = [lease_left_there(client, index, there) for _ in range(20)]
                    tap.equal([left for left in lefts if left > 0.2], [])


def a_longer_one_holds_from_its_first_command_on():
    """What comes after a command that holds for a moment does not end with it."""
    with player.server(PROGRAM, 'driver ( name "fake" provides [ "position2d:0" ] )') as far:
        near = f'driver ( name "remote" provides [ "position2d:0" ] url "tcp:127.0.0.1:{far.ports[0]}" )\n'
        with player.server(PROGRAM, near) as server, player.Client(far.address) as there, \
                player.Client(server.address) as client:
            client.hello(3)
            client.open(POSITION2D, 0)
            for _ in range(5):
                drive(client, 0, valid_ms=100)
                tap.equal(client.request(POSITION2D, 0, 1).type, player.ACK)  # GET_GEOM: the other server has the command
                while lease_left(there) > 0:
                    pass
                assert lease_left_there(client, 0, there) > 0.3
                client.request(POSITION2D, 0, 244)  # HALT


def children_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return [int(number) for number in file.read().split()]


def an_isolated_driver_works_like_any_other():
    with player.server(PROGRAM, ISOLATED) as server, player.Client(server.address) as client:
        tap.equal(children_of(server.process), [])  # nobody uses it yet
        client.open(LASER, 0)
        tap.equal(len(children_of(server.process)), 1)
        tap.equal(client.data().interf, LASER)
        tap.equal(client.request(LASER, 0, 1).type, player.ACK)


def commands_never_wait_for_the_process_of_a_driver():
    """Also where the client calls the server on its own stack: what waits there would be destroyed beneath itself."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write('driver ( name "fake" provides [ "position2d:0" ] isolated yes restart 0.1 )\n')
        file.flush()
        path = os.path.dirname(os.path.abspath(PROGRAM)) + ":" + os.environ["PATH"]
        with subprocess.Popen([PROBE, f"inproc:{file.name}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PATH": path}) as probe:
            tap.equal(probe.stdout.readline(), "open\n")
            child = children_of(probe)[0]
            os.kill(child, signal.SIGSTOP)
            probe.stdin.write("go\n")
            probe.stdin.flush()
            select.select([probe.stdout], [], [], 2)
            os.kill(child, signal.SIGKILL)
            tap.equal((probe.stdout.readline(), probe.wait()), ("sent\n", 0))


def its_crash_hurts_nobody_and_it_comes_back():
    with player.server(PROGRAM, ISOLATED) as server, player.Client(server.address) as client, \
            player.Client(server.address) as other:
        hello(client)
        client.open(LASER, 0)
        other.open(POSITION2D, 0)
        data_of(client, LASER)
        os.kill(children_of(server.process)[0], signal.SIGSEGV)
        code, text = failure_of(client)
        tap.equal((code < 0, "fake1: its process" in text), (True, True))
        tap.equal(other.data().interf, POSITION2D)
        data_of(client, LASER)
        tap.equal(other.request(POSITION2D, 0, 1).type, player.ACK)


def its_error_names_it_once():
    text = ('driver ( name "fake" provides [ "position2d:0" ] )\n'
            'driver ( name "fake" provides [ "position2d:1" ] isolated yes port "tcp:127.0.0.1:1" alwayson yes restart 0 )\n')
    with player.server(PROGRAM, text) as server:
        line = server.process.stderr.readline()
        tap.equal((line.startswith("fake1: open tcp:127.0.0.1:1: "), "fake0" in line), (True, False))


def its_mistakes_are_found_where_they_stand():
    """By a check in the server itself; by its process when it starts."""
    text = ('# a world that is not there\ndriver\n(\n  isolated yes alwayson yes restart 0 provides [ "position2d:0" ]\n'
            '  name "sim"\n  speed 2 worldfile "none.world"\n)\nunit_length "cm"\n')
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        wrong = f"{file.name}:6:11: sim0: {os.path.dirname(file.name)}/none.world: No such file or directory"
        result = tap.run([PROGRAM, "check", file.name])
        tap.equal((result.returncode, result.stderr), (1, f"troupe check: {wrong}\n"))
        command = [PROGRAM, "run", file.name, "--port", "0", "--quiet", "--no-web"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
            tap.equal(server.stderr.readline(), f"troupe run: {wrong}\n")
            server.terminate()


def each_try_to_start_it_has_its_own_process():
    """The process of the last try may still live; it is ended, and the next one does not meet it."""
    text = 'driver ( name "fake" provides [ "position2d:0" ] isolated yes port "/dev/none" alwayson yes restart 0.1 )\n'
    with player.server(PROGRAM, text) as server:
        seen = set()
        while len(seen) < 4:
            seen.update(children_of(server.process))
        error = os.read(server.process.stderr.fileno(), 1 << 16).decode()
        tap.equal(set(error.splitlines()), {"fake0: open /dev/none: no such file or directory (is it plugged in?)"})


def it_may_use_devices_of_its_parent():
    with player.server(PROGRAM, ISOLATED) as server, player.Client(server.address) as client:
        client.open(POSITION2D, 1)
        message = client.data()
        tap.equal((message.interf, message.index), (POSITION2D, 1))
        client.send(POSITION2D, 1, player.COMMAND, 1, velocity(0.3))
        while struct.unpack_from(">d", client.data().body, 24)[0] < 0.1:
            pass


def it_ends_with_its_users_and_with_its_parent():
    with player.server(PROGRAM, ISOLATED) as server:
        with player.Client(server.address) as client:
            client.open(LASER, 0)
            child = children_of(server.process)[0]
        while os.path.exists(f"/proc/{child}"):
            pass
        with player.Client(server.address) as client:
            client.open(LASER, 0)
            child = children_of(server.process)[0]
        server_number = server.process.pid
    del server_number
    tap.equal(os.path.exists(f"/proc/{child}"), False)


def a_killed_parent_takes_its_children_along():
    with Restartable(ISOLATED) as server:
        server.start()
        with player.Client(("127.0.0.1", server.port)) as client:
            client.open(LASER, 0)
            child = children_of(server.process)[0]
            server.kill()
        while os.path.exists(f"/proc/{child}"):
            pass


def what_is_wrong_with_it_is_told():
    listed = ('an isolated driver lists its devices in "provides": "all" is known only in its process, once it runs')
    for text, wrong in (('driver ( name "fake" provides [ "laser:0" "6666:laser:0" ] isolated yes )\n',
                         "1:1: the devices of an isolated driver must have the same port"),
                        ('driver ( name "sim" worldfile "x.world" provides "all" isolated yes )\n', "1:41: " + listed),
                        ('driver ( name "sim" worldfile "x.world" isolated yes )\n', "1:1: " + listed)):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(text)
            file.flush()
            for command in ("check", "run"):
                result = tap.run([PROGRAM, command, file.name])
                tap.equal(result.stderr, f"troupe {command}: {file.name}:{wrong}\n")


tap.main(devices_of_another_server_are_used_like_ones_own, a_refusal_comes_back_with_its_sentence,
         older_files_name_the_other_server_by_options,
         a_server_that_is_not_there_is_told_to_who_opens, a_server_that_comes_back_is_found_again,
         two_servers_may_use_each_other, the_lease_of_a_client_holds_on_the_other_server_too,
         a_longer_one_holds_from_its_first_command_on,
         an_isolated_driver_works_like_any_other, commands_never_wait_for_the_process_of_a_driver,
         its_crash_hurts_nobody_and_it_comes_back, its_error_names_it_once, its_mistakes_are_found_where_they_stand,
         each_try_to_start_it_has_its_own_process,
         it_may_use_devices_of_its_parent,
         it_ends_with_its_users_and_with_its_parent, a_killed_parent_takes_its_children_along,
         what_is_wrong_with_it_is_told)
