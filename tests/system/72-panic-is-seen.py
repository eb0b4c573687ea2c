#!/usr/bin/env python3
"""A panic shows where people look: in troupe list and stat, on the server's own terminal, and to whoever raises or ends
one.  argv: the troupe program."""
import json
import re
import struct
import sys

import player
import tap
from cli import at, prints, says, serving, troupe
from player import ACK, DATA, PLAYER

PROGRAM = sys.argv[1]
ROBOT = 'driver ( name "fake" provides [ "position2d:0" ] rate 50 )'
PANIC, RESET = 205, 206


def settled(text):
    """Ports and times are whatever they are."""
    text = re.sub(r"reset localhost:\d+", "reset THERE", text)
    return re.sub(r"127\.0\.0\.1:\d+", "HERE", re.sub(r"PANIC for \d+ s", "PANIC for N s", text))


TWICE = ("PANIC for N s: nothing moves until troupe reset THERE\n"
         "raised by troupe panic at HERE: a cat\n"
         "raised 2 times in all, last by troupe panic at HERE: a dog\n")


@serving(ROBOT)
def list_and_stat_tell_who_and_why(url):
    tap.equal("PANIC" in troupe("list", url).stdout + troupe("stat", url).stdout, False)
    prints(troupe("panic", url, "--why", "a cat"), f"everything that moves is stopped; troupe reset {url} ends the panic\n")
    tap.equal(settled(troupe("list", url).stdout).splitlines()[1:3], TWICE.splitlines()[:2])
    tap.equal(settled(troupe("panic", url, "--why", "a dog").stdout),
              "everything that moves is stopped; troupe reset THERE ends the panic\n"
              "there was one already, raised by troupe panic at HERE: a cat\n"
              "raised 2 times in all, last by troupe panic at HERE: a dog\n")
    tap.equal(TWICE in settled(troupe("list", url).stdout), True)
    tap.equal(TWICE in settled(troupe("stat", url).stdout), True)
    for command in ("list", "stat"):
        panic = json.loads(troupe(command, url, "--json").stdout)["panic"]
        tap.equal((panic["active"], panic["why"], panic["last_why"], panic["count"]), (1, "a cat", "a dog", 2))
        tap.equal(panic["since"] > 1e9 and 0 <= panic["age"] < 1000, True)
    tap.equal(settled(troupe("reset", url).stdout), TWICE.split("\n", 1)[1] + "the panic is over\n")
    for command in ("list", "stat"):
        panic = json.loads(troupe(command, url, "--json").stdout)["panic"]
        tap.equal((panic["active"], panic["why"], panic["last_why"], panic["count"]), (0, "", "", 0))


@serving(ROBOT)
def a_needless_key_is_told(url):
    troupe("panic", url)
    result = troupe("reset", url, "--key", "sesame")
    says(result, 0, f"troupe reset: tcp:{url} has no keys: the one that was given is not looked at\n")
    tap.equal(result.stdout.splitlines()[-1], "the panic is over")


def the_servers_terminal_tells_it():
    with player.server(PROGRAM, ROBOT) as server:
        url = at(server)

        def line():
            return settled(server.process.stderr.readline())

        troupe("panic", url, "--why", "a \033[2Jcat")
        tap.equal(line(), "PANIC: nothing may move; raised by troupe panic at HERE: a ?[2Jcat\n")
        troupe("panic", url, "--why", "a dog")
        tap.equal(line(), "PANIC: raised again by troupe panic at HERE: a dog; 2 times in all\n")
        troupe("reset", url)
        tap.equal(line(), "the panic is over; it was reset by troupe reset at HERE\n")


def the_terminal_is_not_flooded():
    """Of 100 panics in a panic it tells the first, the second, the fourth, and so on; of the next panic again the first."""
    with player.server(PROGRAM, ROBOT) as server, player.Client(server.address) as client:
        for epoch in (1, 3):
            for i in range(100):
                client.request(PLAYER, 0, PANIC, struct.pack(">II", 0, 0) + player.text("") + player.text(f"number {i + 1}"))
            tap.equal(client.request(PLAYER, 0, RESET, struct.pack(">I", epoch) + player.text("")).type, ACK)
            tap.equal(settled(server.process.stderr.readline()), "PANIC: nothing may move; raised by HERE: number 1\n")
            for i in (2, 4, 8, 16, 32, 64):  # several may be told at once
                told = re.fullmatch(r"PANIC: raised again by HERE: number (\d+); (\d+) times in all\n", settled(server.process.stderr.readline()))
                tap.equal((told[1] == told[2], i <= int(told[2]) < 2 * i), (True, True))
            tap.equal(settled(server.process.stderr.readline()), "the panic is over; it was reset by HERE\n")


def clients_hear_of_each():
    with player.server(PROGRAM, ROBOT) as server, player.Client(server.address) as client, \
            player.Client(server.address) as other:
        client.hello()

        def told():
            message = client.message()
            tap.equal((message.type, message.interf, message.subtype), (DATA, PLAYER, PANIC))
            body = player.Body(message.body)
            active, epoch, who, why = *body.take("II"), body.text(), body.text()
            count, last_who, last_why = body.take("ddI")[2], body.text(), body.text()
            body.text()  # who has not stopped yet
            body.end()
            return active, epoch, who != "", why, count, last_who != "", last_why

        other.hello()
        heard = []
        for why in ("first", "second"):
            other.request(PLAYER, 0, PANIC, struct.pack(">II", 0, 0) + player.text("") + player.text(why))
            heard.append(told())
        tap.equal(heard, [(1, 1, True, "first", 1, False, ""), (1, 1, True, "first", 2, True, "second")])
        tap.equal(other.request(PLAYER, 0, RESET, struct.pack(">I", 1) + player.text("")).type, ACK)
        tap.equal(told(), (0, 2, False, "", 0, False, ""))


tap.main(list_and_stat_tell_who_and_why, a_needless_key_is_told, the_servers_terminal_tells_it,
         the_terminal_is_not_flooded, clients_hear_of_each)
