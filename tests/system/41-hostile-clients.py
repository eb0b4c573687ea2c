#!/usr/bin/env python3
"""Clients that mean harm, or are broken: the server closes or bounds them, and others notice nothing.
argv: the troupe program."""
import random
import socket
import struct
import sys

import player
import tap
from player import LASER, PLAYER, POSITION2D, REQUEST

PROGRAM = sys.argv[1]
MEGABYTE = 1 << 20


def beside(test):
    """Run a test on a server while a well-behaved client goes on getting its data and answers."""
    def run():
        with player.server(PROGRAM) as server, player.Client(server.address) as good:
            good.open(POSITION2D, 0)
            good.data()
            test(server)
            good.data()
            tap.equal(good.request(POSITION2D, 0, 1).type, player.ACK)
    run.__name__ = test.__name__
    return run


def header(size, interf=POSITION2D, kind=REQUEST, subtype=1):
    return player.HEADER.pack(0, 0, interf, 0, kind, subtype, 0.0, 0, size)


@beside
def headers_without_the_body_that_they_need(server):
    with player.Client(server.address) as client:
        for subtype in range(256):
            client.socket.sendall(header(0, PLAYER, REQUEST, subtype))
        client.open(LASER, 0)
        for subtype in range(256):
            client.socket.sendall(header(0, LASER, REQUEST, subtype) + header(0, LASER, player.COMMAND, subtype))
        tap.equal(client.request(PLAYER, 0, 1).type, player.ACK)


@beside
def sizes_that_cannot_be(server):
    for size in (33554393, 0x7fffffff, 0x80000000, 2**32 - 41, 2**32 - 40, 2**32 - 1):
        with player.Client(server.address) as client:
            client.socket.sendall(header(size))
            tap.equal(client.ended(), True)


@beside
def random_bytes(server):
    for seed in range(10):
        with player.Client(server.address) as client:
            try:
                client.socket.sendall(random.Random(seed).randbytes(200000))
            except (ConnectionResetError, BrokenPipeError):
                pass


@beside
def random_bodies_in_good_headers(server):
    chance = random.Random(1)
    with player.Client(server.address) as client:
        client.open(LASER, 0)
        client.open(42, 0)
        for _ in range(3000):
            body = bytes(chance.choice((0, 0, 0, 1, 255, chance.randrange(256))) for _ in range(chance.randrange(80)))
            interf = chance.choice((PLAYER, POSITION2D, LASER, 42, 5))
            subtype = chance.choice((chance.randrange(12), chance.randrange(240, 256)))
            if (interf, subtype) == (PLAYER, 5):
                continue
            client.socket.sendall(player.HEADER.pack(0, 0, interf, 0, chance.choice((2, 3)), subtype, 0.0, 0, len(body)) + body)
        tap.equal(client.request(PLAYER, 0, 1).type, player.ACK)


@beside
def counts_that_promise_more_than_there_is(server):
    before = server.memory()
    with player.Client(server.address) as client:
        client.open(42, 0)
        for _ in range(2000):
            body = struct.pack(">IIIIIiI", 0, 0, 1, 1, 0xffffffff, 0, 0xffffffff)
            client.socket.sendall(header(len(body), 42, REQUEST, 2) + body)
        tap.equal(client.request(PLAYER, 0, 1).type, player.ACK)
    tap.equal(server.memory() - before < 8 * MEGABYTE, True)


@beside
def half_a_header_and_then_nothing(server):
    clients = [player.Client(server.address) for _ in range(50)]
    for client in clients:
        client.socket.sendall(header(0)[:20])
    with player.Client(server.address) as other:
        tap.equal(other.request(PLAYER, 0, 1).type, player.ACK)
    for client in clients:
        client.socket.close()


@beside
def large_messages_that_are_never_finished(server):
    before = server.memory()
    clients = []
    for _ in range(6):
        client = player.Client(server.address)
        clients.append(client)
        client.socket.sendall(header(33554392))
        try:
            for _ in range(24):
                client.socket.sendall(bytes(MEGABYTE))
        except (ConnectionResetError, BrokenPipeError):
            pass
    with player.Client(server.address) as other:
        tap.equal(other.request(PLAYER, 0, 1).type, player.ACK)
    tap.equal(server.memory() - before < 200 * MEGABYTE, True)
    for client in clients:
        client.socket.close()


@beside
def requests_whose_answers_nobody_reads(server):
    before = server.memory()
    with player.Client(server.address) as client:
        client.socket.settimeout(1)
        sent = 0
        block = header(0, PLAYER, REQUEST, 1) * 1000
        try:
            while sent < 300:
                client.socket.sendall(block)
                sent += 1
        except (ConnectionResetError, BrokenPipeError, socket.timeout):
            pass
        with player.Client(server.address) as other:
            tap.equal(other.request(PLAYER, 0, 1).type, player.ACK)
    tap.equal(server.memory() - before < 64 * MEGABYTE, True)


@beside
def a_reader_that_never_reads(server):
    before = server.memory()
    with player.Client(server.address) as frozen, player.Client(server.address) as other:
        frozen.open(LASER, 0)
        other.open(LASER, 0)
        for _ in range(100):
            other.data()
    tap.equal(server.memory() - before < 16 * MEGABYTE, True)


@beside
def many_connections_come_and_go(server):
    before = server.files()
    clients = []
    for _ in range(2000):
        client = socket.create_connection(server.address)
        clients.append(client)
    with player.Client(server.address) as other:
        tap.equal(other.request(PLAYER, 0, 1).type, player.ACK)
    for client in clients:
        client.close()
    while server.files() > before:
        with player.Client(server.address) as other:
            other.request(PLAYER, 0, 1)


@beside
def a_burst_of_commands(server):
    with player.Client(server.address) as client:
        client.open(POSITION2D, 0)
        command = header(28, POSITION2D, player.COMMAND, 1) + struct.pack(">dddI", 0.1, 0, 0, 1)
        client.socket.sendall(command * 100000)
        tap.equal(client.request(POSITION2D, 0, 1).type, player.ACK)


tap.main(headers_without_the_body_that_they_need, sizes_that_cannot_be, random_bytes, random_bodies_in_good_headers,
         counts_that_promise_more_than_there_is, half_a_header_and_then_nothing,
         large_messages_that_are_never_finished, requests_whose_answers_nobody_reads, a_reader_that_never_reads,
         many_connections_come_and_go, a_burst_of_commands)
