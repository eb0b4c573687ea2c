#!/usr/bin/env python3
"""Clients that mean harm, or are broken: the server answers, closes or bounds them, and others notice nothing.
argv: the troupe program.

Beside every attack a witness reads data and asks. What it notices is counted, not timed: every request is answered,
before, during and after the attack, and all data comes, in order: as much as the server says that it published.

Every client may raise a panic, and PANIC needs no body. An attack that sends every code or random codes raises panics;
only beside such an attack may the witness receive notices of panics.

A burst of commands can take the server longer than their lease, on a busy machine: what waited too long moves nothing, and the
readers of the device are told that it has stopped. Such a notice is made on the loop and goes before data that is older.
Only beside a burst may the witness receive some."""
import random
import resource
import socket
import struct
import subprocess
import sys
import threading

import player
import tap
from player import ACK, COMMAND, DATA, LASER, NACK, PLAYER, POSITION2D, REQUEST

PROGRAM = sys.argv[1]
MEGABYTE = 1 << 20
MAP = 42
CONNECTIONS = 5000
PANIC = 205
STOPPED = 243

resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


class Witness(threading.Thread):
    """A well-behaved client: reads position2d:0 and asks it all the time."""

    def __init__(self, address, panics, stops):
        super().__init__()
        self.panics, self.stops = panics, stops
        self.client = player.Client(address)
        self.client.hello()
        self.client.open(POSITION2D, 0)
        self.last = self.messages = self.answers = 0
        self.take(self.client.passed)
        self.leaving = threading.Event()
        self.wrong = None
        self.start()

    def run(self):
        try:
            while not self.leaving.is_set():
                reply = self.client.request(POSITION2D, 0, 1)
                tap.equal((reply.type, reply.size), (ACK, 72))
                self.answers += 1
                self.take(self.client.passed + [self.client.data()])
        except Exception as error:
            self.wrong = error

    def take(self, messages):
        for message in messages:
            if self.panics and (message.type, message.interf, message.subtype) == (DATA, PLAYER, PANIC):
                continue
            if self.stops and (message.type, message.interf, message.subtype) == (DATA, POSITION2D, STOPPED):
                self.messages += 1  # the server counts it, too
                continue
            tap.equal((message.type, message.interf, message.time > self.last), (DATA, POSITION2D, True))
            self.last = message.time
            self.messages += 1

    def goes_on(self):
        """It gets data and answers that were not there before this call."""
        messages, answers = self.messages, self.answers
        while self.wrong is None and (self.messages <= messages or self.answers <= answers + 1):
            self.join(0.001)
        tap.equal(self.wrong, None)

    def leave(self):
        self.goes_on()
        self.leaving.set()
        self.join()
        tap.equal(self.wrong, None)
        _, devices, clients = self.client.statistics()
        self.take(self.client.passed)
        device = devices[6665, POSITION2D, 0]
        tap.equal((self.messages, 0), (device["published"], device["dropped"]))
        tap.equal(clients["%s:%d" % self.client.socket.getsockname()]["dropped"], 0)
        self.client.socket.close()


def beside_a_witness(text=player.FAKE, options=(), panics=False, stops=False):
    def decorate(test):
        def run():
            with player.server(PROGRAM, text, options) as server:
                witness = Witness(server.address, panics, stops)
                try:
                    test(server, witness)
                finally:
                    witness.leave()
        run.__name__ = test.__name__
        return run
    return decorate


def header(size, interf=POSITION2D, kind=REQUEST, subtype=1):
    return player.HEADER.pack(0, 0, interf, 0, kind, subtype, 0.0, 0, size)


def send(client, data):
    """Send as far as the server lets us."""
    try:
        client.socket.sendall(data)
    except (ConnectionResetError, BrokenPipeError):
        pass


# ---- Messages that are wrong -----------------------------------------------------------------------

def interfaces():
    """Names and codes of all that fake can play."""
    lines = subprocess.run([PROGRAM, "interfaces"], capture_output=True, text=True, check=True).stdout.splitlines()
    words = [line.split() for line in lines if line.strip()[:1].isdigit()]
    return {name: int(code) for code, name, *_ in words if int(code) > 1}


EVERYTHING = "driver ( name \"fake\" rate 50 provides [ %s ] )" % " ".join(f'"{name}:0"' for name in interfaces())


@beside_a_witness(EVERYTHING, panics=True)
def headers_without_the_body_that_they_need(server, witness):
    """Every request and command of every interface: each request is answered once."""
    for code in [PLAYER, *interfaces().values()]:
        with player.Client(server.address) as client:
            if code != PLAYER:
                client.request(PLAYER, 0, 10, struct.pack(">iiiii", -1, -1, DATA, -1, 2))  # no data, please
                client.open(code, 0)
            for kind in (COMMAND, REQUEST):
                client.socket.sendall(b"".join(header(0, code, kind, subtype) for subtype in range(256)))
            twice = 2 if code == PLAYER else 1  # the server itself answers whatever it is sent
            answers = [client.message() for _ in range(256 * twice)]
            tap.equal({answer.type for answer in answers} <= {ACK, NACK}, True)
            tap.equal(sorted(answer.subtype for answer in answers), sorted([*range(256)] * twice))
            tap.equal(client.request(PLAYER, 0, 1).type, ACK)
        witness.goes_on()


@beside_a_witness()
def sizes_that_cannot_be(server, witness):
    for size in (33554393, 33554432, 0x7fffffff, 0x80000000, 2**32 - 41, 2**32 - 40, 2**32 - 39, 2**32 - 1):
        for interf in (PLAYER, POSITION2D, 65535):
            with player.Client(server.address) as client:
                send(client, header(size, interf) + bytes(1000))
                tap.equal(client.ended(), True)
        witness.goes_on()


@beside_a_witness()
def random_bytes(server, witness):
    for seed in range(10):
        with player.Client(server.address) as client:
            send(client, random.Random(seed).randbytes(200000))
        witness.goes_on()


@beside_a_witness(panics=True)
def random_bodies_in_good_headers(server, witness):
    chance = random.Random(1)
    with player.Client(server.address) as client:
        client.open(LASER, 0)
        client.open(MAP, 0)
        for _ in range(3000):
            body = bytes(chance.choice((0, 0, 0, 1, 255, chance.randrange(256))) for _ in range(chance.randrange(80)))
            interf = chance.choice((PLAYER, POSITION2D, LASER, MAP, 5))
            subtype = chance.choice((chance.randrange(12), chance.randrange(200, 256)))
            if (interf, subtype) == (PLAYER, 5):
                continue
            client.socket.sendall(player.HEADER.pack(0, 0, interf, 0, chance.choice((2, 3)), subtype, 0.0, 0, len(body)) + body)
        tap.equal(client.request(PLAYER, 0, 1).type, ACK)
    witness.goes_on()


@beside_a_witness()
def counts_that_promise_more_than_there_is(server, witness):
    before = server.memory()
    with player.Client(server.address) as client:
        client.open(MAP, 0)
        for _ in range(2000):
            body = struct.pack(">IIIIIiI", 0, 0, 1, 1, 0xffffffff, 0, 0xffffffff)
            client.socket.sendall(header(len(body), MAP, REQUEST, 2) + body)
        tap.equal(client.request(PLAYER, 0, 1).type, ACK)
    witness.goes_on()
    tap.equal(server.memory() - before < 8 * MEGABYTE, True)


# ---- Messages that never end ------------------------------------------------------------------------

@beside_a_witness()
def half_a_header_and_then_nothing(server, witness):
    clients = [player.Client(server.address) for _ in range(50)]
    for client in clients:
        client.socket.sendall(header(0)[:20])
    with player.Client(server.address) as other:
        tap.equal(other.request(PLAYER, 0, 1).type, ACK)
    witness.goes_on()
    for client in clients:
        client.socket.close()


@beside_a_witness()
def one_byte_now_and_then_on_many_connections(server, witness):
    before = server.memory()
    clients = [player.Client(server.address) for _ in range(500)]
    for byte in header(0, PLAYER, REQUEST, 1):
        for client in clients:
            client.socket.sendall(bytes((byte,)))
        witness.goes_on()
    tap.equal(server.memory() - before < 16 * MEGABYTE, True)
    for client in clients:
        tap.equal(client.message().type, ACK)
        client.socket.close()


@beside_a_witness()
def large_messages_that_are_never_finished(server, witness):
    before = server.memory()
    clients = []
    for _ in range(6):
        client = player.Client(server.address)
        clients.append(client)
        send(client, header(33554392))
        for _ in range(24):
            send(client, bytes(MEGABYTE))
        witness.goes_on()
    tap.equal(server.memory() - before < 200 * MEGABYTE, True)
    for client in clients:
        client.socket.close()


# ---- Answers and data that nobody reads ---------------------------------------------------------------

def flood(client, data, witness):
    """Send without reading until the server closes the connection or has taken no more for a while."""
    client.socket.setblocking(False)
    sent = stuck = 0
    while sent < len(data) and stuck < 3:
        try:
            sent += client.socket.send(memoryview(data)[sent:sent + (1 << 18)])
            stuck = 0
        except BlockingIOError:
            witness.goes_on()
            stuck += 1
        except (ConnectionResetError, BrokenPipeError):
            break
    witness.goes_on()


@beside_a_witness()
def requests_whose_answers_nobody_reads(server, witness):
    before = server.memory()
    with player.Client(server.address) as client:
        flood(client, header(0, PLAYER, REQUEST, 1) * 300000, witness)
        tap.equal(server.memory() - before < 32 * MEGABYTE, True)


@beside_a_witness()
def map_tiles_that_nobody_reads(server, witness):
    before = server.memory()
    with player.Client(server.address) as client:
        client.open(MAP, 0)
        _, width, height = struct.unpack_from(">fII", client.request(MAP, 0, 1).body)
        body = struct.pack(">IIIIIII", 0, 0, width, height, 0, 0, 0)
        flood(client, (header(len(body), MAP, REQUEST, 2) + body) * 30000, witness)
        tap.equal(server.memory() - before < 64 * MEGABYTE, True)


FAST = """
driver ( name "fake" provides [ "position2d:0" ] rate 50 )
driver ( name "fake" provides [ "laser:0" ] rate 2000 )
"""


@beside_a_witness(FAST)
def a_reader_that_never_reads(server, witness):
    """It misses data once its queue is full; what it reads later is in order and it still can ask."""
    before = server.memory()
    with player.Client(server.address) as frozen, player.Client(server.address) as other:
        frozen.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        frozen.open(LASER, 0)
        other.open(LASER, 0)
        scans = 6000
        for _ in range(scans):
            other.data()
        witness.goes_on()
        tap.equal(server.memory() - before < 32 * MEGABYTE, True)
        frozen.request(LASER, 0, 1)
        times = [message.time for message in frozen.passed]
        tap.equal(times, sorted(times))
        tap.equal(1024 < len(times) < scans, True)


@beside_a_witness(stops=True)
def a_burst_of_commands(server, witness):
    with player.Client(server.address) as client:
        client.open(POSITION2D, 0)
        command = header(28, POSITION2D, COMMAND, 1) + struct.pack(">dddI", 0.1, 0, 0, 1)
        client.socket.sendall(command * 100000)
        tap.equal(client.request(POSITION2D, 0, 1).type, ACK)
    witness.goes_on()


# ---- Connections and sources without end ---------------------------------------------------------------

@beside_a_witness()
def many_connections_come_and_go(server, witness):
    before, memory = server.files(), server.memory()
    clients = []
    for number in range(CONNECTIONS):
        clients.append(player.Client(server.address))
        if number % 500 == 0:
            witness.goes_on()
    tap.equal(server.files() - before, CONNECTIONS)
    tap.equal((server.memory() - memory) // CONNECTIONS < 8192, True)  # bytes for each
    for client in clients:
        client.send(PLAYER, 0, REQUEST, 1)
    for client in clients:
        tap.equal(client.message().type, ACK)
        client.socket.close()
    while server.files() > before:
        witness.goes_on()


@beside_a_witness(options=("--udp",), panics=True)
def datagrams_of_all_kinds(server, witness):
    chance = random.Random(2)
    before = server.memory()
    known = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    known.settimeout(60)
    known.connect(server.address)
    known.send(b"")
    tap.equal(len(known.recv(100)), 32)
    for _ in range(50):
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for _ in range(100):
            kind = chance.choice(("empty", "random", "header", "whole"))
            size = chance.choice((0, 1, 39, 40, 41, 100, 1400, 65507))
            data = {"empty": b"", "random": chance.randbytes(size), "header": header(size),
                    "whole": header(0, PLAYER, REQUEST, chance.randrange(256))}[kind]
            stranger.sendto(data, server.address)
        stranger.close()
        witness.goes_on()
    tap.equal(server.memory() - before < 16 * MEGABYTE, True)
    while True:  # datagrams may be lost while the socket's room is full of others
        known.send(player.HEADER.pack(0, 0, PLAYER, 0, REQUEST, 1, 0.0, 7, 0))
        known.settimeout(1)
        try:
            answer = player.HEADER.unpack_from(known.recv(65536))
            break
        except socket.timeout:
            pass
    tap.equal((answer[4], answer[5], answer[7]), (ACK, 1, 7))
    known.close()


tap.main(headers_without_the_body_that_they_need, sizes_that_cannot_be, random_bytes, random_bodies_in_good_headers,
         counts_that_promise_more_than_there_is, half_a_header_and_then_nothing,
         one_byte_now_and_then_on_many_connections, large_messages_that_are_never_finished,
         requests_whose_answers_nobody_reads, map_tiles_that_nobody_reads, a_reader_that_never_reads,
         a_burst_of_commands, many_connections_come_and_go, datagrams_of_all_kinds)
