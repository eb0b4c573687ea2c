#!/usr/bin/env python3
"""troupe panic and reset.  argv: the troupe program."""
import json
import re
import signal
import socket
import struct
import tempfile

import player
import tap
from cli import Running, killed_server, ours, prints, says, serving, troupe, usage

COMMAND, HALT, ERROR = 2, 244, 243
ROBOT = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 alwayson 1 )'


def speed(watcher):
    return struct.unpack_from(">d", watcher.data().body, 24)[0]


@serving(ROBOT)
def a_panic_stops_what_moves_until_it_is_reset(url):
    vel = ("send", "position2d", "VEL", '{"vel":{"px":0.5},"state":1}', "--repeat", "50", "--for", "600")
    with player.Client(("127.0.0.1", int(url.split(":")[1]))) as watcher, Running(*vel, url=url) as driving:
        watcher.open(player.POSITION2D, 0)
        while speed(watcher) != 0.5:
            pass
        prints(troupe("panic", "--why", "a cat", url=url), "everything that moves is stopped; troupe reset ends the panic\n")
        while speed(watcher) != 0:
            pass
        code, said = driving.ended()  # it would move again with the first command after the reset
        tap.equal((code, re.match("troupe send: (PANIC|nothing moves: panic), raised by ", said) is not None,
                   said.count("raised by")), (1, True, 1))
        for _ in range(10):  # commands still come, from others
            watcher.send(player.POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 0.5, 0, 0, 1))
            tap.equal(speed(watcher), 0)
        result = troupe("reset", url=url)
        tap.equal((result.returncode, result.stdout.splitlines()[0].endswith(": a cat"), result.stdout.splitlines()[1]),
                  (0, True, "the panic is over"))
    prints(troupe("reset", url=url), "there is no panic\n")


DRIVE = ("send", "position2d", "VEL", '{"vel":{"px":0.5},"state":1}', "--for", "600")


def driving(url):
    """One who drives, and one who sees it."""
    watcher = player.Client(("127.0.0.1", int(url.split(":")[1])))
    watcher.hello(3, "berta")
    watcher.open(player.POSITION2D, 0)
    return watcher, Running(*DRIVE, url=url)


@serving(ROBOT)
def who_keeps_it_moving_is_told_of_a_panic(url):
    watcher, driver = driving(url)
    with watcher, driver:
        while speed(watcher) != 0.5:
            pass
        troupe("panic", "--why", "a cat", url=url)
        code, said = driver.ended()
        tap.equal((code, said.startswith("troupe send: PANIC, raised by troupe panic at "),
                   said.endswith(": a cat\nnothing moves until troupe reset\n")), (1, True, True))


def stops(watcher):
    """Have it stopped three times; what is said about that."""
    told = []
    for _ in range(3):
        tap.equal(watcher.request(player.POSITION2D, 0, HALT).type, player.ACK)
        told += [m for m in watcher.passed if (m.type, m.subtype) == (player.DATA, ERROR)]
    return [text for text in (player.Body(m.body[4:]).text() for m in told) if text.endswith("asked for HALT")]


@serving(ROBOT)
def who_had_it_stopped_is_told_once(url):
    watcher, driver = driving(url)
    with watcher, driver:
        while speed(watcher) != 0.5:
            pass
        name = f"berta at 127.0.0.1:{watcher.socket.getsockname()[1]}"
        tap.equal(stops(watcher), [f"stopped: {name} has asked for HALT"])
        tap.equal(driver.error(), f"troupe send: stopped: {name} has asked for HALT\n")
        driver.interrupt()
        tap.equal(driver.ended()[0], 1)
        watcher.send(player.POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 0.5, 0, 0, 1))
        tap.equal(stops(watcher), [])  # it stops what it moves itself


@serving(ROBOT)
def a_reason_cannot_steer_the_terminal(url):
    troupe("panic", "--why", "\033[2J", url=url)
    tap.equal(json.loads(troupe("request", "player", "GET_PANIC", "--json", url=url).stdout)["why"], "\033[2J")
    tap.equal("\033" in troupe("reset", url=url).stdout, False)


def a_server_that_does_not_answer_is_no_end_of_ways():
    with killed_server(text=ROBOT) as server:
        port = server.port
        player.freeze(server.pid)
        results = [troupe("panic", "--timeout", "0.2", url=f"localhost:{port}"),
                   troupe("panic", f"localhost:{port}", "--timeout", "0.2")]  # which may be another front
        server.send_signal(signal.SIGCONT)
    for result in results:
        tap.equal((result.returncode, result.stderr.split("\n", 1)[1]),
                  (1, "troupe panic: NOTHING WAS STOPPED: the server does not answer. On its machine:\n"
                      "  kill -USR1 PID   of the server: stops everything, even if its loop hangs\n"
                      "  kill -KILL PID   if the process itself is frozen: its guards stop what they guard\n"
                      "or cut the power of what moves\n"))


def who_says_nothing_has_not_stopped():
    with ours() as server:
        result = troupe("panic", url=server.url)
        tap.equal((result.returncode, result.stdout, result.stderr.splitlines()[1:]),
                  (1, "", ["troupe panic: the panic is raised; whether everything has stopped is not known"]))


def names_of_drivers_cannot_steer_the_terminal():
    with ours(GET_PANIC={"active": 1, "owing": "\033[2J"}) as server:
        tap.equal(troupe("reset", url=server.url).stdout.splitlines()[-1], "the panic is over; NOT STOPPED YET: ?[2J")


@serving(ROBOT)
def print_tells_it_on_standard_error(url):
    with Running("print", "position2d", "--json", "--rate", "1", url=url) as printing:
        printing.line()
        troupe("panic", "--why", "a cat", url=url)
        said = printing.error()
        tap.equal((said.startswith("troupe print: PANIC, raised by troupe panic at "), said.endswith(": a cat\n")),
                  (True, True))
        tap.equal(printing.error(), "nothing moves until troupe reset\n")
        result = troupe("print", "laser", "--line", "-n", "1", url=url)  # one that begins later
        tap.equal((result.returncode, result.stderr.splitlines()[1]), (0, "nothing moves until troupe reset"))
        troupe("reset", url=url)
        tap.equal(printing.error(), "troupe print: the panic is over\n")


def a_server_in_the_program_is_stopped_too():
    """The same table of services answers without a network."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(ROBOT)
        file.flush()
        url = ("--url", f"inproc:{file.name}")
        prints(troupe("panic", *url), "everything that moves is stopped\n")  # a reset would find another server
        prints(troupe("reset", *url), "there is no panic\n")
        says(troupe("kick", "1", *url), 1, "troupe kick: client 1 is the one that asks\n")
        says(troupe("request", "player", "RESET_PANIC", '{"epoch":1}', *url), 1,
             "troupe request: there is no panic\n")


def reason(url):
    return json.loads(troupe("request", "player", "GET_PANIC", "--json", url=url).stdout)["why"]


@serving(ROBOT)
def words_that_name_no_server_are_the_reason(url):
    for words, why in ((("fire",), "fire"), (("a cat", "is in"), "a cat is in"), (("fire!",), "fire!"),
                       (("fire: in the kitchen",), "fire: in the kitchen"), (("he/she fell",), "he/she fell"), (("help:", "a", "dog"), "help: a dog"),
                       (("fire:kitchen",), "fire:kitchen"), (("hall/left",), "hall/left"),
                       (("a fire", "--why", "a fish"), "a fish"),
                       ((url, "a", "dog"), "a dog"), (("--why", "a bird"), "a bird")):
        result = troupe("panic", *words, "--timeout", "1", url=None if words[0] == url else url)
        tap.equal((result.returncode, result.stdout.startswith("everything that moves is stopped"), reason(url)),
                  (0, True, why))
        tap.equal(f'"{why}" is taken as the reason' in result.stderr, words[0] not in (url, "--why"))
        troupe("reset", url=url)


@serving(ROBOT)
def a_host_that_does_not_answer_does_not_hold_it_up(url):
    """Nobody answers at the usual port of this address until the panic is there."""
    with socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        silent.bind(("127.83.41.7", 6665))
        silent.listen()
        with Running("panic", "127.83.41.7", "--timeout", "600", url=url) as panicking:
            tap.equal('"127.83.41.7" is taken as the reason' in panicking.error(), True)
            tap.equal(panicking.line().startswith("everything that moves is stopped"), True)
            tap.equal((reason(url), panicking.process.poll()), ("127.83.41.7", None))
            silent.close()  # the server that may be slow is gone
            tap.equal(panicking.ended()[0], 0)
    troupe("reset", url=url)


@serving(ROBOT)
def an_address_is_no_reason(url):
    result = troupe("panic", "localhost:1", url=url)
    tap.equal((result.returncode, "NOTHING WAS STOPPED" in result.stderr, reason(url)), (1, True, ""))


@serving(ROBOT)
def a_panic_needs_no_body(url):
    for body in (b"", b"\0", b"\0\0\0\7\0\0", b"\xff" * 40, bytes(1000)):
        with player.Client(("127.0.0.1", int(url.split(":")[1]))) as client:
            tap.equal(client.request(player.PLAYER, 0, 205, body).type, player.ACK)
            client.statistics()
            tap.equal(client.panic["active"], 1)
        tap.equal(troupe("reset", url=url).returncode, 0)


def mistakes_are_explained():
    says(troupe("panic", "--wy", "x"), 2, usage("panic", 'unexpected "--wy"; did you mean "--why"?'))
    says(troupe("reset", "a", "b"), 2, usage("reset", 'the server is named twice: "a" and "b"'))
    says(troupe("reset", "unix:/nowhere"), 1, "troupe reset: connect to unix:/nowhere: no such file or directory\n")


tap.main(a_panic_stops_what_moves_until_it_is_reset, who_keeps_it_moving_is_told_of_a_panic,
         who_had_it_stopped_is_told_once, a_reason_cannot_steer_the_terminal,
         a_server_that_does_not_answer_is_no_end_of_ways, who_says_nothing_has_not_stopped,
         names_of_drivers_cannot_steer_the_terminal, print_tells_it_on_standard_error,
         a_server_in_the_program_is_stopped_too, words_that_name_no_server_are_the_reason,
         a_host_that_does_not_answer_does_not_hold_it_up, an_address_is_no_reason,
         a_panic_needs_no_body, mistakes_are_explained)
