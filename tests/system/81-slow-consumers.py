#!/usr/bin/env python3
"""A client that does not read any more costs others nothing, and the server little: 15000 messages of 1.5 KB, 1000 a second
or as fast as this machine is, past one frozen client on each transport.  argv: the troupe program, the plug-in source
(or its C file, which is compiled for an installed program).

The messages are numbered, so what is lost is known. How fast they come does not matter for what is shown."""
import contextlib
import os
import signal
import socket
import struct
import sys
import tempfile
import threading

import player
import tap
from player import DATA, HEADER

PROGRAM, PLUGIN = (os.path.abspath(argument) for argument in sys.argv[1:3])
OPAQUE = 51
MESSAGES = 15000
WARM_UP = 1500
MEGABYTE = 1 << 20
MOST_GROWTH = 2 * MEGABYTE
WATCHED = 2  # times as much in a build whose sanitizer puts zones and shadows around everything
PLACE = tempfile.TemporaryDirectory()
LIBRARY = os.path.join(PLACE.name, "source.so") if PLUGIN.endswith(".c") else PLUGIN
SOURCE = f'driver ( name "source" plugin "{LIBRARY}" provides [ "opaque:0" ] %s )\n'


def compile_plugin():
    include = os.path.join(os.path.dirname(os.path.dirname(PROGRAM)), "include")
    result = tap.run(["cc", "-std=c11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{include}", PLUGIN, "-o",
                      LIBRARY])
    tap.equal((result.returncode, result.stderr), (0, ""))


class Reader(threading.Thread):
    """A healthy client: all messages, without a gap."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.client = player.Client(address)
        self.client.open(OPAQUE, 0)
        self.acknowledge(0)  # the source begins
        self.first = self.count = 0
        self.wrong = None
        self.goal = threading.Condition()
        self.start()

    def take(self, header, body):
        if (header[2], header[4], header[5]) != (OPAQUE, DATA, 1):
            return
        number = struct.unpack_from(">I", body, 8)[0]
        if self.count == 0:
            self.first = number
        tap.equal(number, self.first + self.count)
        self.count += 1
        if number % 16 == 0:  # the source runs only so far ahead
            self.acknowledge(number)

    def acknowledge(self, number):
        self.acknowledged = number
        self.client.send(OPAQUE, 0, player.COMMAND, 1, struct.pack(">III", 4, 4, number))

    def receive(self):
        """The next bytes. A server that stood still for longer than a lease has refused what was sent meanwhile: commands
        that are too old. The source waits for it, so it is sent again."""
        self.client.socket.settimeout(1)
        for _ in range(60):
            try:
                return self.client.socket.recv(1 << 18)
            except socket.timeout:
                self.acknowledge(self.acknowledged)
        raise AssertionError("no message for a minute")

    def run(self):
        rest = b""
        try:
            while True:
                rest += self.receive()
                at = 0
                while len(rest) - at >= HEADER.size:
                    header = HEADER.unpack_from(rest, at)
                    end = at + HEADER.size + header[8]
                    if len(rest) < end:
                        break
                    self.take(header, rest[at + HEADER.size:end])
                    at = end
                rest = rest[at:]
                with self.goal:
                    self.goal.notify_all()
        except Exception as error:
            with self.goal:
                self.wrong = error
                self.goal.notify_all()

    def await_more(self, count):
        with self.goal:
            goal = self.count + count
            while self.count < goal and self.wrong is None:
                self.goal.wait()
        tap.equal(self.wrong, None)


def memory(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(number) for number in file.read().split()]


# ---- Clients that freeze ------------------------------------------------------------------------------

@contextlib.contextmanager
def frozen_stream(address):
    with player.Client(address) as client:
        client.open(OPAQUE, 0)
        yield  # it reads nothing any more


@contextlib.contextmanager
def frozen_source(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(60)
        client.connect(address)
        client.send(b"")
        tap.equal(len(client.recv(100)), 32)
        body = struct.pack(">IIIIIII", 0, 0, OPAQUE, 0, 1, 0, 0)
        client.send(HEADER.pack(0, 0, player.PLAYER, 0, player.REQUEST, 3, 0.0, 1, len(body)) + body)
        tap.equal(HEADER.unpack_from(client.recv(65536))[4], player.ACK)
        yield


@contextlib.contextmanager
def frozen_server(address):
    """Another server that uses the device, and is stopped."""
    text = f'driver ( name "remote" provides [ "opaque:0" ] url "tcp:{address[0]}:{address[1]}" devices [ "opaque:0" ] )\n'
    with player.server(PROGRAM, text) as near, player.Client(near.address) as client:
        client.open(OPAQUE, 0)
        tap.equal(client.data().interf, OPAQUE)
        player.freeze(near.process.pid)
        try:
            yield
        finally:
            near.process.send_signal(signal.SIGCONT)


def is_watched():
    with open(PROGRAM, "rb") as file:
        return b"__asan_init" in file.read()


# ---- Trials ---------------------------------------------------------------------------------------------

class Trial(threading.Thread):
    """A server with a source, one who reads all of it, and one who freezes. They run side by side."""

    def __init__(self, name, freeze, options=(), more=""):
        super().__init__(daemon=True)
        self.name, self.freeze, self.options, self.more = name, freeze, options, more
        self.grown, self.wrong = 0, None
        self.start()

    def run(self):
        try:
            with player.server(PROGRAM, SOURCE % self.more, self.options) as server:
                reader = Reader(server.address)
                reader.await_more(WARM_UP)
                pids = [server.process.pid, *children_of(server.process.pid)]
                before = memory(pids)
                with self.freeze(server):
                    reader.await_more(MESSAGES)
                    self.grown = memory(pids) - before
                    with player.Client(server.address) as asker:
                        _, _, clients = asker.statistics()
                    me = "%s:%d" % reader.client.socket.getsockname()
                    tap.equal(clients[me]["dropped"], 0)
        except BaseException as error:
            self.wrong = error

    def result(self):
        self.join()
        if self.wrong is not None:
            raise self.wrong
        print(f"# {self.name}: {MESSAGES} messages past a frozen client: memory has grown by "
              f"{self.grown / MEGABYTE:.2f} MB")
        tap.equal(self.grown <= MOST_GROWTH * (WATCHED if is_watched() else 1), True)


if PLUGIN.endswith(".c"):
    compile_plugin()
UNIX = os.path.join(PLACE.name, "socket")
TRIALS = {
    "tcp": Trial("tcp", lambda server: frozen_stream(server.address)),
    "unix": Trial("unix", lambda server: frozen_stream(UNIX), ("--unix", UNIX)),
    "udp": Trial("udp", lambda server: frozen_source(server.address), ("--udp",)),
    "remote": Trial("remote", lambda server: frozen_server(server.address)),
    "isolated": Trial("isolated", lambda server: frozen_stream(server.address), (), "isolated yes"),
}


def a_frozen_client_on_tcp():
    TRIALS["tcp"].result()


def a_frozen_client_on_a_unix_socket():
    TRIALS["unix"].result()


def a_frozen_client_on_udp():
    TRIALS["udp"].result()


def a_frozen_server_that_uses_the_device():
    TRIALS["remote"].result()


def a_frozen_client_of_an_isolated_driver():
    TRIALS["isolated"].result()


with PLACE:
    tap.main(a_frozen_client_on_tcp, a_frozen_client_on_a_unix_socket, a_frozen_client_on_udp,
             a_frozen_server_that_uses_the_device, a_frozen_client_of_an_isolated_driver)
