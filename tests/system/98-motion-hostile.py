#!/usr/bin/env python3
"""Clients of the motion front that mean harm, beside one that is served all the time: bytes that never end, answers that nobody
reads, floods, places, keys, panics.
argv: the troupe program, source root."""
import hashlib
import hmac
import pathlib
import socket
import struct
import sys

import motion
import player
import tap
from motion import (ACK, COMMAND, DELAY, ERROR, MODIFIED, PANIC, PANICKED, QUERY, RESET, SESSION, SUCCESS, Client, hello, package, record,
                    set_dof, setspeed)

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
MEGABYTE = 1 << 20
KEYS = 'keys [ "anna move drive on and on and on" "boss operate decide for all of us" ]\n'


def robot(front=""):
    return f"""
front ( name "motion" {front} )
driver ( name "fake" provides [ "position2d:0" "ptz:0" ] rate 100 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "position2d:0" "head:::ptz:0" ]
  urdf "{ROOT}/robots/pioneer.urdf" base_acceleration [ 5 5 5 ] )
"""


def prove(client, key):
    client.session(record(0x050C, tag=1))
    nonce = client.await_record(0x850C, 1)
    client.session(record(0x050D, hmac.new(key.encode(), nonce, hashlib.sha256).digest(), 2))


class Witness:
    """A client whose commands are played all the time."""

    def __init__(self, port, key=None):
        self.client, self.tag = Client(port, "witness"), 1000
        if key is not None:
            prove(self.client, key)
            self.client.await_record(0x850D, 2)

    def goes_on(self):
        self.tag += 1
        self.client.command(set_dof(1, 0, 0.1 if self.tag % 2 else 0.2, tag=self.tag))
        signal = self.client.signal(self.tag, 1)
        tap.equal("" if signal.signal in (SUCCESS, MODIFIED) else f"{signal.signal}: {signal.text}", "")


def beside_a_witness(text=robot(), key=None):
    def decorate(test):
        def run():
            with player.server(PROGRAM, text) as server:
                port = server.fronts["motion"]
                test(server, port, Witness(port, key))
        run.__name__ = test.__name__
        return run
    return decorate


def flood(client, data, witness):
    """Send without reading until the server closes the connection or has taken no more for a while."""
    client.socket.setblocking(False)
    sent = stuck = 0
    while sent < len(data) and stuck < 3:
        try:
            sent += client.socket.send(memoryview(data)[sent:sent + (1 << 16)])  # bursts of 64 kB
            stuck = 0
        except BlockingIOError:
            witness.goes_on()
            stuck += 1
        except ConnectionError:
            return
    witness.goes_on()


# ---- Bytes that never end ---------------------------------------------------------------------------


@beside_a_witness()
def half_a_package_and_then_nothing(server, port, witness):
    halves = package(SESSION, hello())[:20], package(SESSION, hello())[:40], package(COMMAND, setspeed(0.3))[:-1]
    clients = [Client(port, greet=False) for _ in range(60)]
    for number, client in enumerate(clients):
        client.send(halves[number % len(halves)])
    witness.goes_on()
    Client(port).base()
    for client in clients:
        client.close()
    witness.goes_on()


@beside_a_witness()
def one_byte_now_and_then_on_many_connections(server, port, witness):
    before = server.memory()
    clients = [Client(port, greet=False) for _ in range(200)]
    for number, byte in enumerate(package(SESSION, record(0x0502, struct.pack(">Q", 5), 3))):
        for client in clients:
            client.send(bytes((byte,)))
        if number % 8 == 0:
            witness.goes_on()
    for client in clients:
        tap.equal(struct.unpack_from(">Q", client.await_record(0x8502, 3))[0], 5)
    tap.equal(server.memory() - before < 16 * MEGABYTE, True)


@beside_a_witness()
def payloads_that_are_never_finished(server, port, witness):
    before = server.memory()
    clients = [Client(port) for _ in range(8)]
    for client in clients:
        try:
            client.send(package(QUERY)[:12] + struct.pack(">I", MEGABYTE) + bytes(16) + bytes(MEGABYTE - 1))
        except ConnectionError:
            pass  # it holds too much
        witness.goes_on()
    tap.equal(server.memory() - before < 64 * MEGABYTE, True)


# ---- Answers that nobody reads ----------------------------------------------------------------------


@beside_a_witness(KEYS + robot(), "drive on and on and on")
def a_reader_that_floods_is_not_noticed(server, port, witness):
    before = server.memory()
    reader = Client(port)
    tap.equal(reader.right < 2, True)
    flood(reader, package(QUERY, *[record(0x0402, b"\0\0\xff\xff")] * 50) * 2000, witness)
    flood(Client(port), package(COMMAND, *[setspeed(0.5)] * 50) * 500, witness)
    tap.equal(witness.client.base()[3], 0)  # it may not move
    tap.equal(server.memory() - before < 64 * MEGABYTE, True)


@beside_a_witness()
def a_client_that_takes_no_signals_is_disconnected(server, port, witness):
    """Signals are never dropped: 12,000 of them at once are more than a return queue holds. What it has queued does not move when it
    is gone."""
    before = server.memory()
    client = Client(port)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    later = client.server_time() + 600_000_000
    client.command(setspeed(0.2, tag=9), mode=DELAY, time=later)
    for number in range(120):
        client.command(*[set_dof(1, 1, 0.1, tag=i + 1) for i in range(100)], flags=ACK, mode=DELAY, time=later + number)
        if number % 30 == 0:
            witness.goes_on()
    client.session(record(0x0508, bytes(4), 7))  # CANCEL: all of them answer
    witness.goes_on()
    while client.read():
        pass  # the server has closed the connection
    witness.goes_on()
    witness.client.command(setspeed(0.1, tag=5))  # the base is free again
    tap.equal(witness.client.signal(5).final, 0)
    tap.equal(server.memory() - before < 64 * MEGABYTE, True)


@beside_a_witness()
def answers_that_are_not_read_slow_nobody(server, port, witness):
    before = server.memory()
    client = Client(port)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    flood(client, package(COMMAND, *[set_dof(1, 1, 9, tag=i) for i in range(100)], flags=ACK) * 3000, witness)
    client.close()
    witness.goes_on()
    tap.equal(server.memory() - before < 64 * MEGABYTE, True)


@beside_a_witness()
def packages_with_the_most_records(server, port, witness):
    """65,535 records of 8 bytes fit in a payload. They are answered or refused; nobody else waits."""
    client = Client(port)
    records = b"".join(record(0x0407, tag=i) for i in range(65535))
    header = motion.HEADER.pack(b"RT", 1, 0, QUERY, 0, 65535, 3, len(records), 0, 0, 0)
    try:
        client.send(header + records)
    except ConnectionError:
        pass
    witness.goes_on()
    client.close()
    other = Client(port)
    other.send(package(QUERY, record(0x0407, tag=1))[:6] + struct.pack(">H", 9) + package(QUERY, record(0x0407, tag=1))[8:])
    tap.equal(other.signal(0).signal, ERROR)  # fewer records than the header says


# ---- Places, keys and panics ------------------------------------------------------------------------


@beside_a_witness(robot("clients 8"))
def silent_strangers_make_room(server, port, witness):
    strangers = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(30)]
    Client(port).base()
    witness.goes_on()
    for stranger in strangers:
        stranger.close()


@beside_a_witness(KEYS + robot(), "drive on and on and on")
def wrong_keys_open_nothing(server, port, witness):
    client = Client(port)
    for _ in range(5):
        prove(client, "drive on and on and off")
        tap.equal(client.signal(2).signal, ERROR)
        client.command(setspeed(0.3, tag=7))
        tap.equal(client.signal(7).signal, ERROR)
    other = Client(port)  # the first one has to wait
    prove(other, "drive on and on and on")
    tap.equal(other.await_record(0x850D, 2)[0], 2)
    witness.goes_on()


@beside_a_witness(KEYS + robot(), "drive on and on and on")
def a_reset_needs_a_right_and_the_number(server, port, witness):
    raiser, other, boss = Client(port), Client(port), Client(port)
    prove(boss, "decide for all of us")
    boss.await_record(0x850D, 2)

    def reset(client, epoch):
        client.send(package(SESSION, flags=RESET, sequence=epoch))
        return client.signal(0).signal

    for client in (raiser, other):  # anybody may panic
        client.send(package(SESSION, flags=PANIC))
        signal = client.signal(0)
        tap.equal(signal.signal, PANICKED)
        tap.equal(reset(boss if client is raiser else other, signal.epoch - 1), ERROR)
        tap.equal(reset(other if client is raiser else raiser, signal.epoch), ERROR)
        tap.equal(reset(raiser if client is raiser else boss, signal.epoch), SUCCESS)
    witness.goes_on()


tap.main(half_a_package_and_then_nothing, one_byte_now_and_then_on_many_connections, payloads_that_are_never_finished,
         a_reader_that_floods_is_not_noticed, a_client_that_takes_no_signals_is_disconnected, answers_that_are_not_read_slow_nobody, packages_with_the_most_records,
         silent_strangers_make_room, wrong_keys_open_nothing, a_reset_needs_a_right_and_the_number)
