#!/usr/bin/env python3
"""Clients of the universal front that mean harm, beside one that is served all the time: packets that never end, answers that nobody
reads, floods of commands, of devices to match and of messages, places, keys.
argv: the troupe program, source root."""
import hashlib
import hmac
import os
import pathlib
import struct
import sys

import tap
from universal import Client, Server, error, text

ROOT = pathlib.Path(sys.argv[2])
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
MEGABYTE = 1 << 20
KEY = "0123456789abcdef"
ROBOT = (f'keys [ "teacher move {KEY}" ]\n'
         'driver ( name "robotfile" robot "nxt" port "emulate:nxt" provides [ "universal:0" ] alwayson 1 )\n'
         'driver ( name "localbb" provides [ "blackboard:0" ] )\n')
WORST = text(",".join(f"Light Sense{i:02d} of a kind that nobody has ever heard of, nor will hear" for i in range(24)).encode()[:2000])


def memory(server):
    pages = int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def prove(client, key):
    nonce = client.extended(7)[1][4:]
    return client.extended(8, text(hmac.new(key.encode(), nonce, hashlib.sha256).digest()))


class Witness:
    """A client whose commands are done all the time."""

    def __init__(self, server):
        self.client = Client(server)
        tap.equal(prove(self.client, KEY), (0, text(b"move")))

    def goes_on(self):
        tap.equal(self.client.ask(0x300B, struct.pack(">BBd", 19, 0, 1.0)), (0, b""))
        status, rest = self.client.ask(0x1003, b"\x03\0")
        tap.equal((status, len(rest)), (0, 8))


def beside_a_witness(test):
    def run():
        with Server(ROBOT) as server:
            witness = Witness(server)
            witness.goes_on()
            before = memory(server)
            test(server, witness)
            witness.goes_on()
            growth = (memory(server) - before) // MEGABYTE
            assert growth < 96, f"{growth} MB"  # a build with sanitizers keeps what was freed
    run.__name__ = test.__name__
    return run


def packet(code, body=b"", waits=True, most=1 << 20):
    head = struct.pack(">BI", 1, most) if waits else b"\0"
    data = head + struct.pack(">H", code) + body
    return struct.pack(">I", len(data)) + data


def extended(function, body=b"", waits=True):
    body = bytes([function]) + body
    return packet(0x5000, struct.pack(">I", len(body)) + body, waits)


def flood(client, data, witness):
    """Send without reading until all is sent, the server closes the connection, or takes no more for a while."""
    client.socket.setblocking(False)
    sent = stuck = 0
    while sent < len(data) and stuck < 3:
        try:
            sent += client.socket.send(memoryview(data)[sent:sent + (1 << 16)])
            stuck = 0
        except BlockingIOError:
            witness.goes_on()
            stuck += 1
        except ConnectionError:
            return
    witness.goes_on()


@beside_a_witness
def packets_that_never_end(server, witness):
    clients = []
    for length in (5, 300, 4000, 60000, MEGABYTE, 0xffffffff):
        for _ in range(10):
            client = Client(server)
            clients.append(client)
            client.socket.settimeout(60)
            try:
                client.socket.sendall(struct.pack(">I", length) + b"\x01" + bytes(min(length - 2, 50000)))
            except ConnectionError:
                pass
        witness.goes_on()
    for client in clients:
        client.socket.close()


@beside_a_witness
def answers_that_nobody_reads(server, witness):
    for _ in range(3):
        with Client(server) as client:
            flood(client, extended(4) * 4000, witness)  # DESCRIBE: the whole file
        with Client(server) as client:
            flood(client, extended(5) * 4000, witness)


@beside_a_witness
def commands_that_are_denied(server, witness):
    for data in (packet(0x300B, struct.pack(">BBd", 19, 0, 100.0), waits=False), packet(0x6000, text(b"\x00\x03\xff"), waits=False),
                 packet(0x1003, b"\x03\0", waits=False), packet(0x0005, b"\xff\xff", waits=False), packet(0x7fff), packet(0x1003, b"\x25\0")):
        with Client(server) as client:
            flood(client, data * 20000, witness)


@beside_a_witness
def devices_that_cost_much_to_match(server, witness):
    for _ in range(2):
        with Client(server) as client:
            flood(client, extended(1, WORST + b"\xff") * 500, witness)
    with Client(server) as client:  # 64 that match, and a robot that is selected again and again
        for _ in range(64):
            tap.equal(client.extended(1, text(b"Light Sensor") + b"\xff")[0], 0)
        status, rest = client.extended(1, text(b"Light Sensor") + b"\xff")
        tap.equal((status, error(rest)[0]), (1, 3))
        flood(client, extended(2, text(b"nxt")) * 2000, witness)


@beside_a_witness
def keys_that_are_wrong(server, witness):
    for _ in range(3):
        with Client(server) as client:
            flood(client, (extended(7) + extended(8, text(bytes(32)))) * 2000, witness)


@beside_a_witness
def channels_without_end(server, witness):
    client = witness.client
    tap.equal(client.ask(0x4000, b"\x10\0" + text(b"crew")), (0, b""))
    with Client(server) as reader:
        for number in range(32):
            tap.equal(reader.ask(0x4000, bytes([16, number]) + text(b"crew"))[0], 0)
        status, rest = reader.ask(0x4000, b"\x10\x40" + text(b"crew"))
        tap.equal((status, error(rest)[0]), (1, 3))
        flood(reader, packet(0x4002, b"\x10\0" + text(b"x" * 512), waits=False) * 5000, witness)
    tap.equal(client.ask(0x4003, b"\0\0"), (0, struct.pack(">i", 0)))  # it may not write
    with Client(server) as writer:
        prove(writer, KEY)
        tap.equal(writer.ask(0x4000, b"\x10\0" + text(b"crew")), (0, b""))
        flood(writer, packet(0x4002, b"\x10\0" + text(b"x" * 512), waits=False) * 2000, witness)


def is_open(client):
    client.socket.setblocking(False)
    try:
        return client.socket.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def guests_make_room_and_the_witness_stays():
    with Server(ROBOT, front='front ( name "universal" clients 5 )\n') as server:
        witness = Witness(server)
        guests = []
        for _ in range(20):  # a newcomer takes the place of a guest, never of a client with a key
            guests.append(Client(server))
            tap.equal(guests[-1].ask(0x0000), (0, b""))
            witness.goes_on()
        assert sum(is_open(client) for client in guests) <= 4


tap.main(packets_that_never_end, answers_that_nobody_reads, commands_that_are_denied, devices_that_cost_much_to_match, keys_that_are_wrong,
         channels_without_end, guests_make_room_and_the_witness_stays)
