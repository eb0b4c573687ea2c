#!/usr/bin/env python3
"""Clients that try to get a right that they have no key for.  argv: the troupe program."""
import contextlib
import socket
import struct
import sys
import threading
import time

import keys
import player
import tap
from player import ACK, NACK, PLAYER, POSITION2D

PROGRAM = sys.argv[1]
SECRET = "correct horse battery staple"
TEXT = f'keys [ "anna move {SECRET}" ]\n' + player.FAKE
TRIES, BATCH = 10000, 1000
RESET_PANIC, PANIC = 206, 205


def guarded(options=()):
    """Run a test with a server that has a key, and a client that was greeted."""
    def decorate(test):
        def run():
            with player.server(PROGRAM, TEXT, options) as server, player.Client(server.address) as client:
                client.hello()
                test(server, client)
        run.__name__ = test.__name__
        return run
    return decorate


def may_only_read(client):
    tap.equal(keys.right(client), ("read", ""))


def is_wrong(reply):
    tap.equal((reply.type, keys.why(reply)), (NACK, "no key of this server fits; wait 1 s before the next try"))


@guarded()
def a_proof_is_good_once(server, client):
    nonce = keys.challenge(client)
    proof = keys.counted(keys.proof(nonce, SECRET))
    tap.equal(client.request(PLAYER, 0, keys.PROVE, proof).type, ACK)
    tap.equal(keys.right(client), ("move", "anna"))
    tap.equal(keys.why(client.request(PLAYER, 0, keys.PROVE, proof)),
              "ask for a challenge first; each is good for one proof")
    with player.Client(server.address) as other:  # who listened has nothing
        other.hello()
        keys.challenge(other)
        is_wrong(other.request(PLAYER, 0, keys.PROVE, proof))
        may_only_read(other)


@guarded()
def a_proof_belongs_to_its_connection(server, client):
    with player.Client(server.address) as other:
        other.hello()
        mine, his = keys.challenge(client), keys.challenge(other)
        tap.equal(mine == his, False)
        is_wrong(client.request(PLAYER, 0, keys.PROVE, keys.counted(keys.proof(his, SECRET))))
        may_only_read(client)
        tap.equal(other.request(PLAYER, 0, keys.PROVE, keys.counted(keys.proof(his, SECRET))).type, ACK)


def truncated_proofs_are_wrong():
    with player.server(PROGRAM, TEXT) as server:
        for length in (0, 1, 16, 31):
            with player.Client(server.address) as client:
                client.hello()
                whole = keys.proof(keys.challenge(client), SECRET)
                is_wrong(client.request(PLAYER, 0, keys.PROVE, keys.counted(whole[:length])))
                may_only_read(client)
        with player.Client(server.address) as client:
            client.hello()
            whole = keys.proof(keys.challenge(client), SECRET)
            for body in (b"", b"\0", struct.pack(">II", 33, 33) + whole + bytes(4),
                         struct.pack(">II", 32, 32) + whole[:-1], struct.pack(">II", 2**32 - 1, 2**32 - 1)):
                tap.equal(client.request(PLAYER, 0, keys.PROVE, body).type, NACK)
            may_only_read(client)
            # what cannot be read is no try, and the challenge still stands
            tap.equal(client.request(PLAYER, 0, keys.PROVE, keys.counted(whole)).type, ACK)


@guarded()
def a_server_does_not_prove_keys_to_its_clients(server, client):
    """A challenge cannot be handed back."""
    del server
    nonce = keys.challenge(client)
    is_wrong(client.request(PLAYER, 0, keys.PROVE, keys.counted(nonce)))
    may_only_read(client)


@guarded()
def keys_that_are_nearly_right_are_wrong(server, client):
    del client
    for wrong in ("", "correct", SECRET[:-1], SECRET[:-1] + "E", SECRET + "x", SECRET.upper(), "anna", "anna move"):
        with player.Client(server.address) as other:
            other.hello()
            is_wrong(keys.show(other, wrong[:32]))
            may_only_read(other)


def within_a_second(server, what):
    """What clients do while one that was wrong has to wait: that is over after a second, so one who was held up tells
    nothing, and another one tries."""
    while True:
        begun = time.monotonic()
        with player.Client(server.address) as client:
            client.hello()
            found = what(client)
        if time.monotonic() - begun < 1:
            return found


@guarded()
def who_was_wrong_waits(server, client):
    def tries(other):
        return keys.prove(other, "wrong"), keys.why(keys.prove(other, SECRET)), keys.why(keys.show(other, SECRET)), \
            keys.right(other)

    first, *later, right = within_a_second(server, tries)
    is_wrong(first)
    tap.equal([words is not None and words.startswith("a wrong key came before: wait ") for words in later], [True, True])
    tap.equal(right, ("read", ""))
    is_wrong(keys.prove(client, "wrong"))
    with player.Client(server.address) as other:  # nobody else does
        tap.equal(keys.prove(other, SECRET).type, ACK)


class Asker(threading.Thread):
    """A client that goes on asking; how often it was answered."""

    def __init__(self, server):
        super().__init__()
        self.client = player.Client(server.address)
        self.client.open(POSITION2D, 0)
        self.answers = 0
        self.leaving = threading.Event()

    def run(self):
        while not self.leaving.is_set():
            tap.equal(self.client.request(POSITION2D, 0, 1).type, ACK)
            self.answers += 1


def attempt(client):
    """A thousand tries without waiting for answers; then their answers, in order."""
    first = client.seq + 1
    for _ in range(BATCH):
        client.send(PLAYER, 0, player.REQUEST, keys.CHALLENGE)
        client.send(PLAYER, 0, player.REQUEST, keys.PROVE, keys.counted(bytes(32)))
    answers = [client.message() for _ in range(2 * BATCH)]
    tap.equal([message.seq for message in answers], list(range(first, first + 2 * BATCH)))
    proofs = [message for message in answers if message.subtype == keys.PROVE]
    tap.equal({message.type for message in proofs}, {NACK})
    return sum("no key of this server fits" in keys.why(message) for message in proofs)


@guarded()
def ten_thousand_tries_get_nowhere(server, client):
    """All are answered, few are looked at, and a client beside them goes on."""
    asker = Asker(server)
    asker.start()
    try:
        looked_at = attempt(client)  # from here on memory has to stay where it is
        before, memory = asker.answers, server.memory()
        for _ in range(TRIES // BATCH):
            looked_at += attempt(client)
        tap.equal(looked_at < 20, True)  # after 1 s, 2 s, 4 s ...
        tap.equal(asker.answers > before, True)
        tap.equal(server.memory() - memory < 4 << 20, True)
        may_only_read(client)
    finally:
        asker.leaving.set()
        asker.join()
        asker.client.socket.close()


def from_host(address, host):
    """A client that connects from another address of this machine."""
    client = player.Client.__new__(player.Client)
    client.socket = socket.create_connection(address, timeout=60, source_address=(host, 0))
    client.banner, client.seq = client.socket.recv(32), 0
    client.hello()
    return client


def many_hosts():
    """Addresses of this machine that are different hosts to the server."""
    return [f"127.0.0.{number}" for number in range(10, 250)]


def wrong_from(server, hosts):
    """A wrong key from each, all on connections of their own; each one is judged."""
    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(from_host(server.address, host)) for host in hosts]
        for other in others:
            other.send(PLAYER, 0, player.REQUEST, keys.AUTH, keys.counted(b"wrong"))
        for other in others:
            is_wrong(other.message())


@guarded()
def the_owner_of_a_key_is_let_in_whatever_others_try(server, client):
    """Wrong keys come from its own host and from 240 others, and go on coming."""
    del client
    wrong_from(server, many_hosts())
    wrong_from(server, ["127.0.0.1"] * 200)
    for number in range(30):
        wrong_from(server, ["127.0.0.1"] * 10 + many_hosts()[number::60])
        with player.Client(server.address) as owner:
            owner.hello()
            reply = keys.prove(owner, SECRET) if number % 2 else keys.show(owner, SECRET)
            tap.equal((reply.type, keys.right(owner)), (ACK, ("move", "anna")))


@guarded(("--udp",))
def so_is_its_owner_on_udp(server, client):
    """The attackers begin anew all the time, so that they do not have to wait after a wrong key."""
    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in many_hosts()]
        for other, host in zip(others, many_hosts()):
            other.bind((host, 0))
            other.connect(server.address)
        for number in range(10):
            for place, other in enumerate(others):
                if place % 20 == 0:
                    client.request(PLAYER, 0, 1)  # the server has read all of it: the kernel drops nothing
                other.send(b"")
                other.send(player.HEADER.pack(0, 0, PLAYER, 0, player.REQUEST, keys.AUTH, 0, 1, 16) +
                           keys.counted(b"wrong"))
            client.request(PLAYER, 0, 1)
            with keys.UdpClient(server.address) as owner:
                owner.hello()
                reply = keys.prove(owner, SECRET) if number % 2 else keys.show(owner, SECRET)
                tap.equal(reply.type, ACK)


@guarded()
def a_reset_is_no_way_around(server, client):
    """The key in a reset is a try like any other."""
    with player.Client(server.address) as other:
        other.hello()
        other.request(PLAYER, 0, PANIC, struct.pack(">II", 0, 0) + player.text("") + player.text("test"))
        found = within_a_second(server, lambda guesser: [
            keys.why(guesser.request(PLAYER, 0, RESET_PANIC, struct.pack(">I", 1) + player.text(f"guess {i}")))
            for i in range(10)])
        tap.equal(["no key of this server fits" in words for words in found], [True] + [False] * 9)
        tap.equal(client.request(PLAYER, 0, 207).body[3], 1)


@guarded(("--udp",))
def a_source_of_datagrams_that_begins_anew_has_no_right(server, client):
    del client
    with keys.UdpClient(server.address) as udp:
        udp.hello()
        tap.equal(keys.prove(udp, SECRET).type, ACK)
        tap.equal(keys.right(udp), ("move", "anna"))
        udp.socket.send(b"")
        tap.equal(len(udp.socket.recv(100)), 32)
        may_only_read(udp)


tap.main(a_proof_is_good_once, a_proof_belongs_to_its_connection, truncated_proofs_are_wrong,
         a_server_does_not_prove_keys_to_its_clients, keys_that_are_nearly_right_are_wrong, who_was_wrong_waits,
         ten_thousand_tries_get_nowhere, the_owner_of_a_key_is_let_in_whatever_others_try, so_is_its_owner_on_udp,
         a_reset_is_no_way_around,
         a_source_of_datagrams_that_begins_anew_has_no_right)
