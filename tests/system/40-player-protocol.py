#!/usr/bin/env python3
"""The Player protocol as clients depend on it.  argv: the troupe program."""
import struct
import sys
import zlib

import player
import tap
from player import ACK, DATA, LASER, NACK, PLAYER, POSITION2D, REQUEST, SYNCH

PROGRAM = sys.argv[1]


def connected(test):
    """Run a test with a client of a fresh server."""
    def run():
        with player.server(PROGRAM) as server, player.Client(server.address) as client:
            test(client)
    run.__name__ = test.__name__
    return run


@connected
def the_greeting_is_32_bytes(client):
    tap.equal(client.banner, b"Player v.3.1.1-dev".ljust(32, b"\0"))


@connected
def the_device_list_has_the_devices_of_the_port_in_order(client):
    reply = client.request(PLAYER, 0, 1)
    count, again, *words = struct.unpack(f">{reply.size // 4}I", reply.body)
    tap.equal((count, again), (4, 4))
    tap.equal([tuple(words[i:i + 4]) for i in range(0, 16, 4)],
              [(0x0100007f, 6665, 4, 0), (0x0100007f, 6665, 6, 0), (0x0100007f, 6665, 5, 0), (0x0100007f, 6665, 42, 0)])
    tap.equal((reply.host, reply.robot, reply.type, reply.subtype), (0x0100007f, 6665, ACK, 1))


@connected
def a_driver_is_named(client):
    ask = struct.pack(">IIIIII", 0, 0, LASER, 0, 0, 0)
    reply = client.request(PLAYER, 0, 2, ask)
    tap.equal(reply.body[16:], bytes.fromhex("00000005 00000005") + b"fake\0\0\0\0")
    reply = client.request(PLAYER, 0, 2, struct.pack(">IIIIII", 0, 0, LASER, 9, 0, 0))
    tap.equal((reply.type, reply.size), (NACK, 0))


@connected
def opening_is_granted_before_data_comes(client):
    reply, granted = client.access(LASER, 0, 1)
    tap.equal((reply.type, granted, client.passed), (ACK, 1, []))
    tap.equal(reply.body[20:], bytes.fromhex("00000005 00000005") + b"fake\0\0\0\0")
    message = client.message()
    tap.equal((message.type, message.interf, message.host, message.robot), (DATA, LASER, 0x0100007f, 6665))


@connected
def what_cannot_be_opened_says_so_as_player_does(client):
    reply, granted = client.access(LASER, 9, 1)
    tap.equal((reply.type, reply.size, granted), (NACK, 28, 3))
    reply, granted = client.access(LASER, 0, 2)  # not open
    tap.equal((reply.type, granted), (ACK, 3))
    reply, granted = client.access(LASER, 0, 99)
    tap.equal((reply.type, granted), (ACK, 3))


@connected
def two_openings_give_data_twice_and_close_twice(client):
    client.open(POSITION2D, 0)
    client.open(POSITION2D, 0)
    first, second = client.data(), client.data()
    tap.equal((first.time, first.body), (second.time, second.body))
    tap.equal(client.access(POSITION2D, 0, 2)[1], 2)
    first, second = client.data(), client.data()
    tap.equal(first.time < second.time, True)
    tap.equal(client.access(POSITION2D, 0, 2)[1], 2)
    tap.equal(client.access(POSITION2D, 0, 2)[1], 3)


@connected
def closing_drops_what_is_queued(client):
    client.request(PLAYER, 0, 5, struct.pack(">I", 2))
    client.open(POSITION2D, 0)
    client.send(PLAYER, 0, REQUEST, 4)
    while client.message().type != SYNCH:
        pass
    tap.equal(client.access(POSITION2D, 0, 2)[1], 2)
    client.open(LASER, 0)
    client.send(PLAYER, 0, REQUEST, 4)
    kinds = set()
    while True:
        message = client.message()
        if message.type == SYNCH:
            break
        kinds.add((message.type, message.interf))
    tap.equal((DATA, POSITION2D) in kinds, False)


@connected
def a_pull_is_acknowledged_then_data_then_synch(client):
    client.request(PLAYER, 0, 5, struct.pack(">I", 2))
    client.open(LASER, 0)
    tap.equal(client.passed, [])
    client.send(PLAYER, 0, REQUEST, 4)
    messages = [client.message()]
    while messages[-1].type != SYNCH:
        messages.append(client.message())
    tap.equal((messages[0].type, messages[0].subtype, messages[0].size), (ACK, 4, 0))
    tap.equal({message.type for message in messages[1:-1]}, {DATA})
    synch = messages[-1]
    tap.equal((synch.host, synch.robot, synch.interf, synch.index, synch.subtype, synch.time, synch.seq, synch.size),
              (0, 0, 1, 0, 1, 0.0, 0, 0))


@connected
def commands_move_the_robot_and_requests_are_answered(client):
    client.open(POSITION2D, 0)
    reply = client.request(POSITION2D, 0, 1)
    tap.equal((reply.type, reply.subtype, reply.size), (ACK, 1, 72))
    client.send(POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", 0.5, 0, 0, 1))
    while struct.unpack_from(">d", client.data().body, 24)[0] != 0.5:
        pass


@connected
def requests_that_cannot_be_are_refused_not_ignored(client):
    for interf, index, subtype, body in ((LASER, 9, 1, b""),            # no such device
                                         (POSITION2D, 0, 1, b""),       # not open
                                         (999, 0, 1, b"1234")):         # no such interface
        reply = client.request(interf, index, subtype, body)
        tap.equal((reply.type, reply.size), (NACK, 0))
    client.open(POSITION2D, 0)
    for subtype, body in ((99, b""), (99, b"1234"), (5, b"1234"), (5, b"")):
        reply = client.request(POSITION2D, 0, subtype, body)
        tap.equal((subtype, reply.type, reply.size), (subtype, NACK, 0))
    for subtype, body in ((2, b""), (3, b""), (5, b""), (7, b""), (10, b""), (77, b"1234")):
        reply = client.request(PLAYER, 0, subtype, body)
        tap.equal((subtype, reply.type, reply.size), (subtype, NACK, 0))


@connected
def who_says_hello_is_told_why(client):
    hello = struct.pack(">IIII", 1, 1, 5, 5) + b"test\0\0\0\0"
    reply = client.request(PLAYER, 0, 200, hello)
    tap.equal(reply.type, ACK)
    reply = client.request(POSITION2D, 0, 1)
    code, count, again = struct.unpack_from(">iII", reply.body)
    tap.equal((reply.type, count, again, reply.body[12:12 + count]), (NACK, count, count, b"position2d:0 is not open\0"))
    tap.equal(code < 0, True)


@connected
def replace_rules_keep_the_newest(client):
    client.request(PLAYER, 0, 5, struct.pack(">I", 2))
    tap.equal(client.request(PLAYER, 0, 10, struct.pack(">iiiii", -1, -1, DATA, -1, 1)).type, ACK)
    client.open(LASER, 0)
    for _ in range(3):
        client.send(PLAYER, 0, REQUEST, 4)
        kinds = []
        while not kinds or kinds[-1] != SYNCH:
            kinds.append(client.message().type)
        tap.equal(kinds.count(DATA), 1)


@connected
def map_tiles_are_compressed(client):
    client.open(42, 0)
    info = client.request(42, 0, 1)
    scale, width, height = struct.unpack_from(">fII", info.body)
    reply = client.request(42, 0, 2, struct.pack(">IIIIIII", 0, 0, width, height, 0, 0, 0))
    col, row, w, h, count, _, length = struct.unpack_from(">IIIIIiI", reply.body)
    tap.equal((col, row, w, h, length), (0, 0, width, height, count))
    cells = zlib.decompress(reply.body[28:28 + count])
    tap.equal(len(cells), width * height)


def each_port_has_its_own_devices():
    with player.server(PROGRAM, options=("--unix", "/tmp/troupe-test-%d.sock" % __import__("os").getpid())) as server:
        with player.Client("/tmp/troupe-test-%d.sock" % __import__("os").getpid()) as client:
            tap.equal(client.request(PLAYER, 0, 1).size, 8 + 4 * 16)


tap.main(the_greeting_is_32_bytes, the_device_list_has_the_devices_of_the_port_in_order, a_driver_is_named,
         opening_is_granted_before_data_comes, what_cannot_be_opened_says_so_as_player_does,
         two_openings_give_data_twice_and_close_twice, closing_drops_what_is_queued,
         a_pull_is_acknowledged_then_data_then_synch, commands_move_the_robot_and_requests_are_answered,
         requests_that_cannot_be_are_refused_not_ignored, who_says_hello_is_told_why, replace_rules_keep_the_newest,
         map_tiles_are_compressed, each_port_has_its_own_devices)
