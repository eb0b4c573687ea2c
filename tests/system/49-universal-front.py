#!/usr/bin/env python3
"""The front `universal`: the bytes of docs/universal-protocol.md against emulated robots, and clients that behave badly.
argv: the troupe program, source root."""
import hashlib
import hmac
import os
import pathlib
import re
import struct
import sys

import tap
from universal import Client, Server, error, text

ROOT = pathlib.Path(sys.argv[2])
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
NXT = 'driver ( name "robotfile" robot "nxt" port "emulate:nxt" provides [ "universal:0" ] )\n'
MOTOR_POWER_50 = bytes.fromhex("33 02 13 00 40 49 00 00 00 00 00 00")


def every_example_of_the_page_is_what_happens():
    page = (ROOT / "docs/universal-protocol.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```hex\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) >= 17, len(blocks)
    with Server(NXT) as server:
        for block in blocks:  # the last one is the panic
            with Client(server) as client:
                for line in block.splitlines():
                    if line.startswith("> "):
                        client.socket.sendall(bytes.fromhex(line[2:]))
                    else:
                        got = client.packet()
                        got = (struct.pack(">I", len(got)) + got).hex(" ").upper()
                        wanted = re.escape(" ".join(line[2:].split()))
                        pattern = wanted.replace(r"\.\.\.", ".*").replace(r"\.\.", "..")
                        assert re.fullmatch(pattern, got, re.S), (block, got)


def the_page_has_all_commands():
    page = (ROOT / "docs/universal-protocol.md").read_text(encoding="utf-8")
    result = tap.run([sys.argv[1], "robots", "--commands", "--markdown"])
    tap.equal(result.returncode, 0)
    assert result.stdout in page, "write the output of troupe robots --commands --markdown into the page"
    tap.equal(len(re.findall(r"^\| [0-9A-F]{4} \|", result.stdout, re.M)), 40)


def a_type_that_is_none_matches_nothing():
    with Server(NXT) as server, Client(server) as client:
        for kind in (4, 37, 63):
            for code, body in ((0x1003, b""), (0x300B, struct.pack(">d", 50.0)), (0x3012, b"")):
                status, rest = client.ask(code, bytes([kind, 0]) + body)
                tap.equal((status, error(rest)), (1, (2, f"nxt: no match: no device has the type {kind}")))
        tap.equal(client.ask(0x1003, b"\0\0")[0], 0)  # General: the default


def motor_power_and_read_analog_with_all_three_statuses():
    with Server(NXT) as server, Client(server) as client:
        tap.equal(client.ask(0x3302, MOTOR_POWER_50[2:]), (0, b""))
        status, rest = client.ask(0x1003, b"\x03\0")
        tap.equal((status, len(rest)), (0, 8))
        assert 0 <= struct.unpack(">d", rest)[0] <= 100
        status, rest = client.ask(0x1007)
        tap.equal((status, error(rest)), (1, (1, "nxt: not available: Track: the brick has no camera")))
        client.send(0x1007, waits=False)
        client.send(0x300E, struct.pack(">BBd", 18, 0, 90.0), waits=False)
        status, rest = client.ask(0x1007)  # fails itself: the earlier one comes with the next reply
        tap.equal((status, error(rest)[0]), (1, 1))
        status, rest = client.ask(0x1003, b"\x03\0")
        number, code, length = struct.unpack(">IHI", rest[:10])
        tap.equal((status, number, code, rest[10:10 + length].decode()),
                  (2, 4, 1, "nxt: not available: Track: the brick has no camera (and 1 more failed)"))
        tap.equal(len(rest[10 + length:]), 8)
        status, rest = client.ask(0x1003, b"\x03\0")
        tap.equal((status, len(rest)), (0, 8))


def robots_are_listed_and_selected():
    finch = 'driver ( name "robotfile" robot "finch" port "emulate:finch" provides [ "universal:1" ] )\n'
    with Server(NXT + finch) as server, Client(server) as client:
        status, rest = client.extended(3)
        lines = rest[4:].decode().splitlines()
        tap.equal((status, [line.split("\t")[0] for line in lines]), (0, ["nxt", "finch"]))
        tap.equal([line.split("\t")[1].split(":", 1)[1] for line in lines], ["universal:0", "universal:1"])
        status, rest = client.extended(1, text(b"Light Sensor") + b"\xff")
        tap.equal((status, rest[:2], rest[6:].decode()), (0, b"\x40\0", '"Light Sensor" → Light Sensor, port 3'))
        tap.equal(client.extended(2, text(b"finch"))[0], 0)
        assert "port\t64\t0\t\"Light Sensor\" → Left Light" in client.extended(5)[1].decode()
        status, rest = client.ask(0x1003, b"\x40\0")
        tap.equal((status, len(rest)), (0, 8))
        assert client.extended(3)[1].decode().splitlines()[1].endswith("*")
        status, rest = client.extended(2, text(b"bumblebee"))
        tap.equal((status, error(rest)), (1, (2, 'no match: there is no robot "bumblebee"; TARGETS lists them')))
        tap.equal(client.extended(2, text(b"universal:0"))[0], 0)
        status, rest = client.extended(1, text(b"Heater"))
        tap.equal((status, error(rest)[0]), (1, 2))
        status, rest = client.extended(1, text(b"Left Wheel\nMotor"))
        tap.equal((status, rest[:1]), (0, b"\x41"))  # the heater took no number


def pictures_come_one_by_one_and_as_a_stream():
    with Server('driver ( name "robotfile" robot "srv1" port "emulate:srv1?world=classroom" provides [ "universal:0" ] )\n') as server:
        with Client(server) as client:
            status, rest = client.extended(6)
            tap.equal((status, rest[:8], rest[12:14]), (0, text(b"jpeg"), b"\xff\xd8"))
            status, rest = client.extended(6, most=100)
            tap.equal((status, error(rest)[0]), (1, 8))
            tap.equal(client.extended(9, struct.pack(">H", 20)), (0, b""))
            for _ in range(2):
                picture = client.packet()
                tap.equal((picture[0], picture[5:13]), (0, text(b"jpeg")))
            client.send(0x0000)
            body = struct.pack(">BH", 9, 0)
            client.send(0x5000, struct.pack(">I", len(body)) + body)
            seen = []
            while not seen or seen[-1] != b"\0\0\0\0\0":
                seen.append(client.packet())
            refused = [packet for packet in seen if packet[0] == 1]
            tap.equal([error(packet[1:])[0] for packet in refused], [1])
            tap.equal(client.ask(0x0000), (0, b""))


def rights_come_with_keys():
    keys = 'keys [ "teacher move 0123456789abcdef" ]\n'
    with Server(keys + NXT) as server, Client(server) as client:
        status, rest = client.ask(0x3302, MOTOR_POWER_50[2:])
        tap.equal((status, error(rest)[0]), (1, 7))
        status, rest = client.ask(0x1003, b"\x03\0")
        tap.equal((status, len(rest)), (0, 8))
        status, rest = client.ask(0x1006)
        tap.equal((status, error(rest)[0]), (1, 7))
        status, rest = client.extended(7)
        nonce = rest[4:]
        tap.equal((status, len(nonce)), (0, 32))
        wrong = hmac.new(b"another", nonce, hashlib.sha256).digest()
        tap.equal(error(client.extended(8, text(wrong))[1])[0], 7)
        nonce = client.extended(7)[1][4:]
        digest = hmac.new(b"0123456789abcdef", nonce, hashlib.sha256).digest()
        status, rest = client.extended(8, text(digest))
        if status == 1:  # tries are limited after a wrong one
            assert "again" in error(rest)[1] or "wait" in error(rest)[1], rest
        with Client(server) as second:
            nonce = second.extended(7)[1][4:]
            digest = hmac.new(b"0123456789abcdef", nonce, hashlib.sha256).digest()
            tap.equal(second.extended(8, text(digest)), (0, text(b"move")))
            tap.equal(second.ask(0x3302, MOTOR_POWER_50[2:]), (0, b""))


def bad_packets_lose_nothing():
    with Server(NXT) as server, Client(server) as good:
        tap.equal(good.ask(0x0000), (0, b""))
        with Client(server) as client:
            for packet in (b"", b"\x07", b"\x01\0\0", b"\x01\0\0\0\x08\x10\x03\x03", b"\x01\0\0\0\0\x33\x02\x13\0\x40",
                           b"\x01\0\0\0\0\x50\0\0\0\0\x05\x01", b"\x01\0\0\0\0\x50\0\0\0\0\x01\x63",
                           b"\x01\0\0\0\0\0\0extra", b"\x01\0\0\0\0\xff\xff"):
                client.socket.sendall(struct.pack(">I", len(packet)) + packet)
            tap.equal([client.packet()[0] for _ in range(8)], [1] * 8)
            tap.equal(client.ask(0x0000)[0], 2)  # the empty packet, which waits for nothing
        with Client(server) as client:
            client.socket.sendall(b"\xff\xff\xff\xff")
            tap.equal(client.socket.recv(1), b"")
        with Client(server) as client:
            client.socket.sendall(b"\0\0\0\x10\x01")  # unfinished
            tap.equal(good.ask(0x0000), (0, b""))


def a_panic_is_seen_behind_a_wait():
    with Server(NXT) as server, Client(server) as client:
        client.send(0x0005, struct.pack(">H", 60000))
        body = b"\x0a" + text(b"stop")
        client.send(0x5000, struct.pack(">I", len(body)) + body, waits=False)
        with Client(server) as other:
            while other.ask(0x300B, struct.pack(">BBd", 19, 0, 1.0))[0] != 1:
                pass


def a_stop_is_for_everyone_and_ends_what_moves():
    with Server(NXT) as server, Client(server) as one, Client(server) as two:
        tap.equal(one.ask(0x300C, struct.pack(">BBd", 20, 0, 30.0)), (0, b""))
        tap.equal(two.ask(0x3012), (0, b""))
        tap.equal(two.ask(0x3012, b"\xff\xff"), (0, b""))


def text_of(rest):
    return rest[4:].decode()


def channels_are_mailboxes_between_clients():
    board = 'driver ( name "localbb" provides [ "blackboard:0" ] )\n'
    with Server(NXT + board) as server, Client(server) as one, Client(server) as two, Client(server) as three:
        for client, number in ((one, 0), (two, 5)):
            tap.equal(client.ask(0x4000, bytes([16, number]) + text(b"crew")), (0, b""))
        tap.equal(three.ask(0x4000, b"\x10\0" + text(b"others")), (0, b""))
        tap.equal(two.ask(0x4003, b"\0\x05"), (0, struct.pack(">i", 0)))
        tap.equal(one.ask(0x4001, b"\x01\0"), (0, text(b"")))
        for word in (b"hello", b"", "grüße".encode()):
            tap.equal(one.ask(0x4002, b"\x10\0" + text(word)), (0, b""))
        while two.ask(0x4003, b"\0\x05")[1] != struct.pack(">i", 3):
            pass
        tap.equal([text_of(two.ask(0x4001, b"\x01\x05")[1]) for _ in range(4)], ["hello", "", "grüße", ""])
        tap.equal(three.ask(0x4003, b"\0\0"), (0, struct.pack(">i", 0)))
        while one.ask(0x4003, b"\0\0")[1] != struct.pack(">i", 3):  # its own come back
            pass
        status, rest = one.ask(0x4002, b"\x10\0" + text(b"x" * 513))
        tap.equal((status, error(rest)), (1, (3, "bad value: a message has at most 512 bytes")))
        status, rest = one.ask(0x4000, b"\x10\0" + text(b"x" * 64))
        tap.equal((status, error(rest)[0]), (1, 3))
        for number in range(20):  # a full mailbox loses the oldest
            one.ask(0x4002, b"\x10\0" + text(b"%d" % number))
        while two.ask(0x4003, b"\0\x05")[1] != struct.pack(">i", 16):
            pass
        status, rest = one.ask(0x4001, b"\x01\x09")  # inbox 9 of the brick
        assert status == 0 or (error(rest)[0], "Inbox 9" in error(rest)[1]) == (5, True), error(rest)


def without_a_blackboard_there_are_no_channels():
    finch = 'driver ( name "robotfile" robot "finch" port "emulate:finch" provides [ "universal:0" ] )\n'
    with Server(finch) as server, Client(server) as client:
        status, rest = client.ask(0x4000, b"\x10\0" + text(b"crew"))
        code, sentence = error(rest)
        assert (status, code) == (1, 1) and "localbb" in sentence, sentence
        tap.equal(client.ask(0x4003, b"\0\0"), (0, struct.pack(">i", -1)))
        tap.equal(client.ask(0x0000), (0, b""))


def a_reader_writes_no_messages():
    keys = 'keys [ "teacher move 0123456789abcdef" ]\ndriver ( name "localbb" provides [ "blackboard:0" ] )\n'
    with Server(keys + NXT) as server, Client(server) as client:
        tap.equal(client.ask(0x4000, b"\x10\0" + text(b"crew")), (0, b""))
        status, rest = client.ask(0x4002, b"\x10\0" + text(b"hi"))
        tap.equal((status, error(rest)[0]), (1, 7))


tap.main(channels_are_mailboxes_between_clients, without_a_blackboard_there_are_no_channels, a_reader_writes_no_messages, every_example_of_the_page_is_what_happens, the_page_has_all_commands, a_type_that_is_none_matches_nothing, motor_power_and_read_analog_with_all_three_statuses,
         robots_are_listed_and_selected, pictures_come_one_by_one_and_as_a_stream, rights_come_with_keys,
         bad_packets_lose_nothing, a_panic_is_seen_behind_a_wait, a_stop_is_for_everyone_and_ends_what_moves)
