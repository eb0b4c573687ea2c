#!/usr/bin/env python3
"""Connections whose other side vanished without a word are given up, so are those that send a message byte by byte, and strangers
that take all file descriptors of a server keep nobody from raising a panic.  argv: the troupe program, and "space" inside of the
network namespace that the script makes for itself."""
import contextlib
import os
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import keys
import player
import tap
import trials
from player import ACK, LASER, PLAYER, POSITION2D

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE_S = 2
GONE = 1000
FEW = 20
PATIENT = """
open yes
driver ( name "fake" provides [ "position2d:0" ] rate 50 alwayson yes )
driver ( name "fake" provides [ "laser:0" ] rate 100 alwayson yes )
"""
CONFIGURATION = f"keepalive {PATIENCE_S}\n" + PATIENT
DEFAULT_S = 10

# Connects many times: most are idle, some get little data, some get much. Reads all until it is killed.
CROWD = """
import selectors, sys
sys.path.insert(0, sys.argv[1])
import player
selector = selectors.DefaultSelector()
for number in range(int(sys.argv[4])):
    client = player.Client((sys.argv[2], int(sys.argv[3])))
    if number % 10 == 0:
        client.open(player.POSITION2D, 0)
    if number % 100 == 1:
        client.open(player.LASER, 0)
    client.socket.setblocking(False)
    selector.register(client.socket, selectors.EVENT_READ)
print("there", flush=True)
while True:
    for key, _ in selector.select():
        key.fileobj.recv(1 << 16)
"""


def crowd_in(pid, port, count):
    folder = os.path.dirname(os.path.abspath(__file__))
    process = subprocess.Popen(["nsenter", "-t", pid, "--net", sys.executable, "-c", CROWD, folder, "10.77.0.1",
                                str(port), str(count)], stdout=subprocess.PIPE, text=True)
    tap.equal(process.stdout.readline(), "there\n")
    return process


class Frozen:
    """A client that is there, but does not read; it has data waiting all the time."""

    def __init__(self, address):
        self.client = player.Client(address)
        self.client.open(LASER, 0)

    def reads_on(self):
        """All that waited, in order, up to an answer that was asked for now."""
        tap.equal(self.client.request(LASER, 0, 1).type, ACK)
        times = [message.time for message in self.client.passed]
        tap.equal((times == sorted(times), len(times) > 100), (True, True))


def now(client):
    """The server's time, by data that is not older than an answer."""
    tap.equal(client.request(POSITION2D, 0, 1).type, ACK)
    return client.data().time


def go_by(client, seconds):
    """Let so much of the server's time go by."""
    begun = now(client)
    while client.data().time < begun + seconds:
        pass


class Side:
    """A server, a client of it that stays, and a crowd in another network namespace that vanishes."""

    def __init__(self, stack, text, pid, count):
        self.server = stack.enter_context(player.server(PROGRAM, text, ("--listen", "*")))
        self.witness = stack.enter_context(player.Client(self.server.address))
        self.witness.open(POSITION2D, 0)
        self.frozen = Frozen(self.server.address)
        self.before, self.count, self.begun = self.server.files(), count, None
        crowd = crowd_in(pid, self.server.ports[0], count)
        stack.callback(crowd.wait)
        stack.callback(crowd.kill)
        self.is_complete()

    def is_complete(self):
        tap.equal(self.server.files() - self.before, self.count)

    def cut(self):
        self.is_complete()  # clients that are there stay
        self.begun = now(self.witness)

    def wait(self, patience_s):
        """Until the crowd is gone; the time since the cut."""
        while self.server.files() > self.before:
            now(self.witness)
        took = now(self.witness) - self.begun
        print(f"# {self.count} connections were given up after {took:.1f} s, with a patience of {patience_s} s")
        tap.equal(took > patience_s / 2, True)
        tap.equal(self.witness.request(PLAYER, 0, 1).type, ACK)
        self.frozen.reads_on()
        return took


def inside_of_a_space():
    """The server with the default patience is beside the other one, so that it costs little time. Its time is limited by
    that of the other one: noise delays both."""
    with trials.spaces(1) as pids, contextlib.ExitStack() as stack:
        default = Side(stack, PATIENT, pids[0], FEW)
        short = Side(stack, CONFIGURATION, pids[0], GONE)
        go_by(short.witness, 2.5 * PATIENCE_S)
        for side in (default, short):
            side.cut()
        trials.words("nsenter", "-t", pids[0], "--net", "ip", "link", "set", "client0", "down")
        delay = max(0, short.wait(PATIENCE_S) - PATIENCE_S)
        tap.equal(default.wait(DEFAULT_S) < DEFAULT_S + 4 + 3 * delay, True)


def a_thousand_that_vanished_are_given_up():
    trials.in_a_space(__file__, sys.argv[1:2])


# ---- Messages that come byte by byte -----------------------------------------------------------------------

SLOW = 500
PERIOD_S = 0.3
LIMIT_S = 10
GIVE_UP_S = 300
RESET_ODOM = 6


class Slow(threading.Thread):
    """Clients without a key that send a byte of a message now and then. They begin when the script does and need no
    processor, so the other tests run meanwhile."""

    def __init__(self):
        super().__init__(daemon=True)
        self.found = None  # what went wrong, if something did
        self.lasted = []  # seconds, of each client that was closed

    def run(self):
        try:
            with player.server(PROGRAM, GUARDED) as server, player.Client(server.address) as owner:
                owner.hello()
                tap.equal(keys.prove(owner, "drive on").type, ACK)
                owner.open(POSITION2D, 0)
                self.attack(server, owner)
        except Exception as error:  # told by the test that joins
            self.found = error

    def attack(self, server, owner):
        message = player.HEADER.pack(0, 0, POSITION2D, 0, player.REQUEST, 1, 0, 1, 1000) + bytes(1000)
        clients = [player.Client(server.address) for _ in range(SLOW)]
        begun = time.monotonic()
        for byte in message:
            clients = [client for client in clients if self.send(client, byte, begun)]
            if not clients or time.monotonic() - begun > GIVE_UP_S:
                break
            serves(owner)
            time.sleep(PERIOD_S)
        tap.equal(len(clients), 0)
        with player.Client(server.address) as new:
            tap.equal(new.request(PLAYER, 0, 1).type, ACK)
        serves(owner)

    def send(self, client, byte, begun):
        """Whether the client is still there after one more byte."""
        client.socket.setblocking(False)
        try:
            client.socket.send(bytes([byte]))
            if client.socket.recv(1) == b"":
                raise ConnectionError
        except BlockingIOError:
            return True
        except ConnectionError:
            client.socket.close()
            self.lasted.append(time.monotonic() - begun)
            return False
        return True


def five_hundred_that_send_byte_by_byte_are_closed():
    slow.join()
    if slow.found is not None:
        raise slow.found
    print(f"# {len(slow.lasted)} were closed after {min(slow.lasted):.1f} to {max(slow.lasted):.1f} s")
    tap.equal((len(slow.lasted), min(slow.lasted) >= LIMIT_S), (SLOW, True))


class Kept(threading.Thread):
    """A client that has sent all of a message, the end of which the server does not read: it waits for another server."""

    def __init__(self):
        super().__init__(daemon=True)
        self.answer = None  # to the message
        self.found = None  # what went wrong, if something did

    def run(self):
        try:
            with player.server(PROGRAM, PATIENT) as far, player.server(PROGRAM, (
                    f'driver ( name "remote" provides [ "position2d:0" ] url "tcp:127.0.0.1:{far.address[1]}" timeout 60 )\n')) as near:
                with player.Client(near.address) as client:
                    client.open(POSITION2D, 0)
                    far.process.send_signal(signal.SIGSTOP)
                    self.ask_much(client)
                    time.sleep(LIMIT_S + 4)
                    far.process.send_signal(signal.SIGCONT)
                    while self.answer is None or self.answer.seq != 1000:
                        self.answer = client.message()
        except Exception as error:  # told by the test that joins
            self.found = error

    @staticmethod
    def ask_much(client):
        """So many requests that the server waits for answers, and another one in two parts."""
        for _ in range(256):
            client.send(POSITION2D, 0, player.REQUEST, RESET_ODOM)
        last = player.HEADER.pack(0, 0, POSITION2D, 0, player.REQUEST, 99, 0, 1000, 8000) + bytes(8000)
        client.socket.sendall(last[:6000])
        time.sleep(PERIOD_S)
        client.socket.sendall(last[6000:])


def a_client_that_the_server_does_not_read_is_not_slow():
    kept.join()
    if kept.found is not None:
        raise kept.found
    tap.equal((kept.answer.seq, kept.answer.type), (1000, player.NACK))


# ---- All file descriptors taken ----------------------------------------------------------------------------

FILES = 60


def serves(client):
    """Whether a client that was there all the time is served, and has its data in order."""
    tap.equal(client.request(POSITION2D, 0, 1).type, ACK)
    published = [message.time for message in client.passed] + [client.data().time]
    tap.equal(published, sorted(published))


class Crowd(threading.Thread):
    """Connections that are more than the server has descriptors for. One that is closed is made anew, until the end."""

    def __init__(self, server, words):
        super().__init__()
        self.server, self.words = server, words
        self.selector = selectors.DefaultSelector()
        self.closed, self.leaving, self.there = 0, threading.Event(), threading.Event()

    def connect(self):
        connection = socket.create_connection(self.server.address, timeout=60)
        with contextlib.suppress(ConnectionError):
            connection.sendall(self.words)
        self.selector.register(connection, selectors.EVENT_READ)

    def run(self):
        for _ in range(2 * FILES):
            self.connect()
        while not self.leaving.is_set():
            for key, _ in self.selector.select(0.1):
                self.hear(key.fileobj)
            if self.closed > FILES:
                self.there.set()  # the server was full, and it lets new clients in
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()

    def hear(self, connection):
        with contextlib.suppress(ConnectionError):
            if connection.recv(1 << 16):
                return
        self.selector.unregister(connection)
        connection.close()
        self.closed += 1
        self.connect()

    def __enter__(self):
        self.start()
        self.there.wait()
        return self

    def __exit__(self, *unused):
        self.leaving.set()
        self.join()


def asking(interf, subtype, body=b""):
    return player.HEADER.pack(0, 0, interf, 0, player.REQUEST, subtype, 0, 1, len(body)) + body


STRANGERS = {
    "say nothing": b"",
    "ask": asking(PLAYER, 1),
    "read": asking(PLAYER, 3, struct.pack(">IIIIIII", 0, 0, POSITION2D, 0, 1, 0, 0)),
}
GUARDED = 'keys [ "anna move drive on" "boss operate decide" ]\n' + player.FAKE
PANIC, RESET_PANIC, GET_PANIC = 205, 206, 207


def panic_is_on(client):
    return struct.unpack_from(">I", client.request(PLAYER, 0, GET_PANIC).body)[0]


def end_panic(owner):
    epoch = owner.request(PLAYER, 0, GET_PANIC).body[4:8]
    tap.equal(owner.request(PLAYER, 0, RESET_PANIC, epoch + player.text("")).type, ACK)


def raises_panic(address, owner):
    """A client that was not there before, without a key."""
    with player.Client(address) as client:
        words = struct.pack(">II", 0, 0) + player.text("") + player.text("test")
        tap.equal(client.request(PLAYER, 0, PANIC, words).type, ACK)
    tap.equal(panic_is_on(owner), 1)
    end_panic(owner)


def command_raises_panic(server, owner):
    result = tap.run([PROGRAM, "panic", "--url", f"tcp:127.0.0.1:{server.ports[0]}"])
    tap.equal((result.stderr, result.returncode, panic_is_on(owner)), ("", 0, 1))
    end_panic(owner)


def strangers_that_take_all_descriptors_keep_no_panic_out():
    with tempfile.TemporaryDirectory() as folder:
        configuration, unix = f"{folder}/robot.cfg", f"{folder}/socket"
        with open(configuration, "w", encoding="ascii") as file:
            file.write(GUARDED)
        command = ["prlimit", f"--nofile={FILES}:{FILES}", PROGRAM, "run", configuration, "--any-port", "--unix", unix]
        with player.launched(command, 2) as server, player.Client(server.address) as owner:
            owner.hello()
            tap.equal(keys.prove(owner, "decide").type, ACK)
            owner.open(POSITION2D, 0)
            for what, words in STRANGERS.items():
                with Crowd(server, words) as crowd:
                    raises_panic(server.address, owner)
                    raises_panic(unix, owner)
                    if not words:
                        command_raises_panic(server, owner)
                    tap.equal(server.files() <= FILES, True)
                print(f"# strangers that {what}: {crowd.closed} closed")
            serves(owner)


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
if sys.argv[2:] == ["space"]:
    tap.main(inside_of_a_space)
slow, kept = Slow(), Kept()
slow.start()
kept.start()
tap.main(a_thousand_that_vanished_are_given_up, strangers_that_take_all_descriptors_keep_no_panic_out,
         five_hundred_that_send_byte_by_byte_are_closed, a_client_that_the_server_does_not_read_is_not_slow)
