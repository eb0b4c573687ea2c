#!/usr/bin/env python3
"""Every message of every interface, sent by clients with every right: exactly those pass that the table of rights
allows.  argv: the troupe program, source root.

All devices are those of a puppet behind the driver `remote`, so that what passes is what the puppet gets."""
import contextlib
import itertools
import json
import pathlib
import struct
import sys
import tempfile

import cli
import keys
import player
import tap
from player import ACK, COMMAND, PLAYER, REQUEST

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
KEYS = {"write": "the one who writes", "move": "the one who moves", "operate": "the one who decides"}
FORGOTTEN = """interface forgotten 250 "Its author has forgotten who may send what."
command GO 1 () optional "Says nothing about what it does."
request ASK 1 () -> () optional "Nor does this."
"""
EXCLUSIVE = "19"
HELLO, DEV, PANIC, RESET_PANIC, GET_PANIC = 200, 3, 205, 206, 207


def troupe(*arguments):
    result = tap.run([PROGRAM, *arguments])
    assert result.returncode == 0, result.stderr
    return result.stdout


class Table:
    """Rights, interfaces and bodies of zeroes."""

    def __init__(self, path):
        loaded = ("--load", str(path))
        table = json.loads(troupe("interfaces", "--rights", "--json", *loaded))
        self.opening = table["opening"]
        self.messages = {}  # (interface, kind, code): (name, right)
        for interface, messages in table["interfaces"].items():
            for message in messages:
                if message["kind"] in ("command", "request"):
                    self.messages[interface, message["kind"], message["code"]] = message["name"], message["right"]
        described = json.loads(troupe("interfaces", "--json", *loaded))
        self.codes = {name: interface["code"] for name, interface in described.items()}
        self.bodies = {}
        for (interface, kind, code), (name, _) in self.messages.items():
            self.bodies[interface, kind, code] = bytes.fromhex(
                troupe("encode", interface, kind, name, "{}", *loaded).strip())
        self.bodies["player", "request", HELLO] = struct.pack(">II", 1, 5) + player.text("test")

    def devices(self):
        return [name for name in self.codes if name not in ("common", "player")]

    def allowed(self, right):
        """All that a client with this right may send."""
        mine = keys.RIGHTS.index(right)
        return {what for what, (_, needed) in self.messages.items() if keys.RIGHTS.index(needed) <= mine}


FOLDER = tempfile.TemporaryDirectory()
PADI = pathlib.Path(FOLDER.name) / "forgotten.padi"
PADI.write_text(FORGOTTEN)
TABLE = Table(PADI)


@contextlib.contextmanager
def stage(fields=""):
    """A puppet with every kind of device, and a server beyond loopback in front of it."""
    provides = " ".join(f'"{name}:0"' for name in TABLE.devices()) + ' "laser:1"'
    secrets = " ".join(f'"{right}r {right} {secret}"' for right, secret in KEYS.items())
    with cli.Puppet([(TABLE.codes[name], 0) for name in TABLE.devices()]) as puppet:
        text = (f'keys [ {secrets} ]\ninterface ( file "{PADI}" )\n'
                f'driver ( name "remote" url "tcp:{puppet.url}" alwayson 1 provides [ {provides} ] {fields} )\n')
        with player.server(PROGRAM, text, ("--listen", "0.0.0.0", "--udp")) as server:
            with player.Client(server.address) as marker:
                keys.prove(marker, KEYS["operate"])
                marker.open(TABLE.codes["laser"], 1)
                puppet.marker = marker
                yield server, puppet


def is_refused(reply):
    text = keys.why(reply)
    return text is not None and ("needs the right to" in text or "only the client that raised it" in text
                                 or "nothing moves: panic" in text)


def send_to_device(client, puppet, name):
    """All commands and requests of an interface; those that passed."""
    code = TABLE.codes[name]
    client.open(code, 0)
    before = len(puppet.received)
    passed = set()
    for (interface, kind, number), body in TABLE.bodies.items():
        if interface == name and kind == "command":
            client.send(code, 0, COMMAND, number, body)
        elif interface == name and not is_refused(client.request(code, 0, number, body)):
            passed.add((interface, kind, number))
    client.request(PLAYER, 0, keys.RIGHT)  # the server has had all of it,
    puppet.marker.request(TABLE.codes["laser"], 1, 3)  # and the puppet too
    received = [m for m in puppet.received[before:] if (m.interf, m.index) == (code, 0)]
    passed |= {(name, "command", m.subtype) for m in received if m.type == COMMAND}
    got = {(name, "request", m.subtype) for m in received if m.type == REQUEST}
    refused = {what for what in TABLE.messages if what[0] == name} - passed
    tap.equal(got & refused, set())
    return passed


def send_common(client):
    code = TABLE.codes["laser"]
    return {what for what, body in TABLE.bodies.items()
            if what[0] == "common" and not is_refused(client.request(code, 0, what[2], body))}


def send_to_server(client, server):
    """While somebody else's panic is on."""
    with player.Client(server.address) as other:
        other.hello()
        raise_panic(other)
        passed = {what for what, body in TABLE.bodies.items()
                  if what[0] == "player" and not is_refused(client.request(PLAYER, 0, what[2], body))}
        epoch = struct.unpack_from(">I", client.request(PLAYER, 0, GET_PANIC).body, 4)
        tap.equal(other.request(PLAYER, 0, RESET_PANIC, struct.pack(">I", *epoch) + player.text("")).type, ACK)
    return passed


def send_to_devices(client, puppet):
    return set().union(*(send_to_device(client, puppet, name) for name in TABLE.devices()))


def walk(client, server, puppet):
    return send_to_devices(client, puppet) | send_common(client) | send_to_server(client, server)


def raise_panic(client):
    tap.equal(client.request(PLAYER, 0, PANIC, TABLE.bodies["player", "request", PANIC]).type, ACK)


def check(client, server, puppet, right):
    client.hello(features=5)
    if right in KEYS:
        tap.equal(keys.prove(client, KEYS[right]).type, ACK)
    tap.equal(keys.right(client)[0], right)
    passed, allowed = walk(client, server, puppet), TABLE.allowed(right)
    tap.equal((sorted(passed - allowed), sorted(allowed - passed)), ([], []))


def the_page_is_the_table():
    tap.equal(troupe("interfaces", "--rights") == (ROOT / "docs/project/rights.md").read_text(), True)


def the_table_has_every_message():
    described = json.loads(troupe("interfaces", "--json", "--load", str(PADI)))
    effects = {"reads": "read", "writes": "write", "moves": "move", "operates": "operate", "actuates": "move"}
    wanted = {(name, message["kind"], message["code"]): (message["name"], effects[message["effect"]])
              for name, interface in described.items() for message in interface["messages"]
              if message["kind"] in ("command", "request")}
    tap.equal(TABLE.messages, wanted)
    tap.equal(len(wanted) > 200, True)


def what_moves_or_stops_is_what_one_would_think():
    """A few by hand, so that not all is compared with itself."""
    for what, right in {("position2d", "command", 1): "move", ("position2d", "request", 1): "read",
                        ("position2d", "request", 2): "move", ("gripper", "command", 1): "move",
                        ("position2d", "request", 6): "write", ("gripper", "command", 3): "write",
                        ("planner", "command", 2): "move", ("planner", "request", 2): "move",
                        ("opaque", "command", 1): "move", ("opaque", "request", 1): "move",
                        ("dio", "command", 1): "move", ("aio", "command", 1): "move",
                        ("ptz", "request", 1): "move", ("limb", "request", 2): "move",
                        ("blinkenlight", "command", 1): "write", ("simulation", "request", 2): "write",
                        ("player", "request", 205): "read", ("player", "request", 206): "operate",
                        ("common", "request", 253): "write", ("common", "request", 244): "read",
                        ("forgotten", "command", 1): "write", ("forgotten", "request", 1): "write"}.items():
        tap.equal((what, TABLE.messages[what][1]), (what, right))
    exclusive = {name: modes[EXCLUSIVE] for name, modes in TABLE.opening.items()}
    for name, right in {"laser": "write", "position2d": "move", "dio": "move", "forgotten": "write"}.items():
        tap.equal((name, exclusive[name]), (name, right))


def a_client_without_a_key_may_only_read():
    with stage() as (server, puppet), player.Client(server.address) as client:
        check(client, server, puppet, "read")


def who_has_no_key_may_only_read_on_udp():
    with stage() as (server, puppet), keys.UdpClient(server.address) as client:
        check(client, server, puppet, "read")


def a_key_to_write_does_not_move():
    with stage() as (server, puppet), player.Client(server.address) as client:
        check(client, server, puppet, "write")


def a_key_to_move_does_not_operate():
    with stage() as (server, puppet), player.Client(server.address) as client:
        check(client, server, puppet, "move")


def a_key_to_operate_does_everything():
    with stage() as (server, puppet), player.Client(server.address) as client:
        check(client, server, puppet, "operate")
    with stage() as (server, puppet), keys.UdpClient(server.address) as client:
        check(client, server, puppet, "operate")


def without_an_operators_key_who_may_move_on_this_machine_operates():
    wanted = {what for what, (_, right) in TABLE.messages.items() if right == "operate" and what[0] != "player"}
    provides = " ".join(f'"{name}:0"' for name in sorted({name for name, _, _ in wanted}))
    text = f'keys [ "mover move {KEYS["move"]}" ]\ndriver ( name "fake" provides [ {provides} ] )\n'
    with player.server(PROGRAM, text) as server, player.Client(server.address) as client:
        client.hello()
        for name, _, code in sorted(wanted):
            client.open(TABLE.codes[name], 0)
            tap.equal(is_refused(client.request(TABLE.codes[name], 0, code, TABLE.bodies[name, "request", code])), True)
        keys.prove(client, KEYS["move"])
        for name, _, code in sorted(wanted):
            tap.equal(is_refused(client.request(TABLE.codes[name], 0, code, TABLE.bodies[name, "request", code])), False)


def in_a_panic_exactly_those_are_refused_that_can_move_something():
    with stage() as (server, puppet), player.Client(server.address) as client:
        client.hello(features=5)
        keys.prove(client, KEYS["operate"])
        raise_panic(client)
        passed = send_to_devices(client, puppet)
    wanted = {what for what, (_, right) in TABLE.messages.items()
              if what[0] in TABLE.devices() and right != "move"}
    tap.equal((sorted(passed - wanted), sorted(wanted - passed)), ([], []))


def a_driver_section_raises_what_writing_needs():
    writing = {what for what, (_, right) in TABLE.messages.items() if right == "write" and what[0] != "player"}
    with stage('write_needs "move"') as (server, puppet), player.Client(server.address) as client:
        client.hello(features=5)
        keys.prove(client, KEYS["write"])
        passed = send_to_devices(client, puppet) | send_common(client)
        tap.equal((sorted(passed & writing), passed >= {what for what in TABLE.allowed("read") if what[0] != "player"}),
                  ([], True))
        opened = [client.access(TABLE.codes["laser"], 0, mode)[0].type == ACK for mode in (1, 16, 17, 18, 19)]
        tap.equal(opened, [True, True, False, False, False])
        keys.prove(client, KEYS["move"])
        tap.equal(sorted(writing - (send_to_devices(client, puppet) | send_common(client))), [])
        raise_panic(client)
        tap.equal(sorted(writing & (send_to_devices(client, puppet) | send_common(client))), [])
    with stage('write_needs "operate"') as (server, puppet), player.Client(server.address) as client:
        client.hello(features=5)
        keys.prove(client, KEYS["move"])
        tap.equal({TABLE.messages[what][1] for what in send_to_devices(client, puppet)}, {"read"})
        keys.prove(client, KEYS["operate"])
        tap.equal(sorted(writing - (send_to_devices(client, puppet) | send_common(client))), [])


def opening_needs_the_right_that_the_table_says():
    with stage() as (server, _):
        for right in keys.RIGHTS:
            with player.Client(server.address) as client:
                client.hello()
                if right in KEYS:
                    keys.prove(client, KEYS[right])
                mine = keys.RIGHTS.index(right)
                for mode, device in itertools.product(TABLE.opening["laser"], ("laser", "position2d", "dio")):
                    reply, granted = client.access(TABLE.codes[device], 0, int(mode))
                    allowed = keys.RIGHTS.index(TABLE.opening[device][mode]) <= mine
                    tap.equal((right, mode, reply.type == ACK and granted == int(mode)), (right, mode, allowed))
                    tap.equal(is_refused(reply), not allowed)


def a_plain_player_client_is_refused_without_a_word():
    with stage() as (server, puppet), player.Client(server.address) as client:
        position2d = TABLE.codes["position2d"]
        client.open(position2d, 0)
        reply = client.request(position2d, 0, 2, TABLE.bodies["position2d", "request", 2])
        tap.equal((reply.type, reply.body), (player.NACK, b""))
        tap.equal([m for m in puppet.received if m.interf == position2d and m.subtype == 2], [])
        _, granted = client.access(position2d, 0, 19)
        tap.equal(granted, 3)


tap.main(the_page_is_the_table, the_table_has_every_message, what_moves_or_stops_is_what_one_would_think,
         a_client_without_a_key_may_only_read, who_has_no_key_may_only_read_on_udp, a_key_to_write_does_not_move,
         a_key_to_move_does_not_operate, a_key_to_operate_does_everything,
         without_an_operators_key_who_may_move_on_this_machine_operates,
         in_a_panic_exactly_those_are_refused_that_can_move_something, a_driver_section_raises_what_writing_needs,
         opening_needs_the_right_that_the_table_says, a_plain_player_client_is_refused_without_a_word)
