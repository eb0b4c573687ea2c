#!/usr/bin/env python3
"""One client has a device for itself, freezes, and is thrown out.  argv: the troupe program."""
import re
import signal
import struct
import tempfile

import cli
import player
import tap
from cli import Running, at, says, serving, troupe

ROBOT = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 alwayson 1 {} )\n'
KEYS = 'keys [ "anna move drive on" "boss operate decide" ]\n'
VEL = ("VEL", '{"vel":{"px":0.5},"state":1}')
ALONE = ("send", "position2d", *VEL, "--exclusive", "--for", "600")


def brief(url, *options):
    return troupe("send", "position2d", *VEL, "--for", "0.01", *options, url=url)


def held(url, *options):
    """Who has the device for itself, as troupe stat shows it; waits until somebody has."""
    while True:
        for line in troupe("stat", *options, url=url).stdout.splitlines():
            if line.startswith("position2d:0 is open exclusively by "):
                return line


@serving(ROBOT.format("lease 3600"))
def nobody_else_writes_meanwhile(url):
    with Running(*ALONE, url=url) as alone:
        name = held(url).split(" by ")[1].split(";")[0]
        tap.equal(name.startswith("troupe send at 127.0.0.1:"), True)
        for options in ((), ("--exclusive",)):
            result = brief(url, *options)
            tap.equal((result.returncode, f"position2d:0 is held by {name}\n" in result.stderr), (1, True))
        tap.equal(troupe("print", "position2d", "-n", "1", "--line", url=url).returncode, 0)
        tap.equal(alone.interrupt(), (0, ""))
    says(brief(url, "--exclusive"), 0, "")


@serving(ROBOT.format("lease 3600") + """driver ( name "passthrough" provides [ "position2d:1" ] requires [ "position2d:0" ] )\n"""
         + """driver ( name "passthrough" isolated yes provides [ "position2d:2" ] requires [ "position2d:0" ] )\n""")
def a_driver_does_not_write_meanwhile_either(url):
    with Running(*ALONE, url=url) as alone:
        name = held(url).split(" by ")[1].split(";")[0]
        for behind in ("position2d:1", "position2d:2"):
            result = troupe("send", behind, *VEL, "--for", "0.2", url=url)
            tap.equal((behind, result.returncode, f"position2d:0 is held by {name}\n" in result.stderr), (behind, 1, True))
        tap.equal(alone.interrupt(), (0, ""))
    says(troupe("send", "position2d:1", *VEL, "--for", "0.01", url=url), 0, "")


@serving(ROBOT.format(""))
def a_frozen_client_keeps_it_no_longer_than_its_lease(url):
    with Running(*ALONE, url=url) as alone:
        name = held(url).split(" by ")[1].split(";")[0]
        player.freeze(alone.process.pid)
        while f" by {name}, whose time is over: anybody may take it; " not in held(url):
            pass
        while brief(url, "--exclusive").returncode != 0:
            pass
        alone.process.send_signal(signal.SIGCONT)


@serving(ROBOT.format("lease 0"))
def a_disconnected_client_keeps_nothing(url):
    with Running(*ALONE, url=url) as alone:
        line = held(url)
        player.freeze(alone.process.pid)
        tap.equal(brief(url).returncode, 1)
        number = line.split("troupe kick ")[1].split()[0]
        result = troupe("kick", number, url=url)
        name = line.split(" by ")[1].split(";")[0]
        tap.equal((result.returncode, result.stdout, result.stderr),
                  (0, f"client {number}, {name}, is disconnected; released position2d:0\n", ""))
        says(brief(url, "--exclusive"), 0, "")
        says(troupe("kick", number, url=url), 1,
             f'troupe kick: there is no client "{number}"; troupe stat lists the clients\n')
        alone.process.send_signal(signal.SIGCONT)


def by_its_place_and_with_the_right_to():
    with player.server(cli.PROGRAM, KEYS + ROBOT.format("")) as server, player.Client(server.address) as client:
        url, place = at(server), f"127.0.0.1:{client.socket.getsockname()[1]}"
        client.open(player.LASER, 0)
        denied = "troupe kick: KICK needs the right to operate: an operator's key"
        says(troupe("kick", place, url=url), 1, f"{denied}: give a key with --key-file, --key or TROUPE_KEY\n")
        says(troupe("kick", place, "--key", "drive on", url=url), 1, f"{denied}; the key anna gives only the right to move\n")
        tap.equal(client.request(player.PLAYER, 0, 1).type, player.ACK)  # it is still there
        result = troupe("kick", place, "--key", "decide", url=url)
        tap.equal((result.returncode, result.stdout), (0, f"client 1, {place}, is disconnected\n"))
        tap.equal(client.ended(), True)


def dismissal(client):
    """What a client is told last, by whom in place of the port; None for nothing."""
    told = None
    try:
        while True:
            message = client.message()
            if (message.type, message.interf, message.subtype) == (player.DATA, player.PLAYER, 211):
                body = player.Body(message.body)
                told = body.take("i"), re.sub(r":\d+$", ":N", body.text())
                body.end()
            else:
                tap.equal(told, None)
    except EOFError:
        return told


def who_understands_it_is_told_by_whom():
    with player.server(cli.PROGRAM, ROBOT.format("")) as server:
        for hello, pull, wanted in ((True, False, (-14, "disconnected by troupe kick at 127.0.0.1:N")),
                                    (True, True, (-14, "disconnected by troupe kick at 127.0.0.1:N")), (False, False, None)):
            with player.Client(server.address) as client:
                if hello:
                    client.hello()
                if pull:
                    client.request(player.PLAYER, 0, 5, struct.pack(">I", 2))
                client.open(player.LASER, 0)
                tap.equal(troupe("kick", f"127.0.0.1:{client.socket.getsockname()[1]}", url=at(server)).returncode, 0)
                tap.equal(dismissal(client), wanted)


@serving(ROBOT.format(""))
def programs_show_it(url):
    with Running("print", "laser", "--json", "--rate", "1", url=url) as running:
        running.line()
        number, = (line.split()[0] for line in troupe("stat", url=url).stdout.splitlines() if "troupe print" in line)
        tap.equal(troupe("kick", number, url=url).returncode, 0)
        tap.equal(re.sub(r"(kick at 127.0.0.1):\d+", r"\1:N", running.error()),
                  f"troupe print: tcp:{url}: disconnected by troupe kick at 127.0.0.1:N; trying to connect again\n")
        tap.equal(running.error(), f"troupe print: connected to tcp:{url} again\n")
        tap.equal(running.interrupt(), (0, ""))


def two_on_a_unix_socket_need_their_numbers():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/robot"
        with player.server(cli.PROGRAM, ROBOT.format(""), ("--unix", path)), player.Client(path) as client:
            client.open(player.LASER, 0)
            says(troupe("kick", "unix", f"unix:{path}"), 1,
                 f'troupe kick: several clients are "unix"; troupe stat unix:{path} shows their numbers\n')
            tap.equal(troupe("kick", "1", f"unix:{path}").stdout, "client 1, unix, is disconnected\n")
            tap.equal(client.ended(), True)


@serving(ROBOT.format(""))
def mistakes_are_explained(url):
    says(troupe("kick"), 2, cli.usage("kick", "which client? troupe stat shows their numbers"))
    says(troupe("kick", "1", url=url), 1, "troupe kick: client 1 is the one that asks\n")
    says(troupe("kick", "nobody", url=url), 1,
         'troupe kick: there is no client "nobody"; troupe stat lists the clients\n')


tap.main(nobody_else_writes_meanwhile, a_driver_does_not_write_meanwhile_either, a_frozen_client_keeps_it_no_longer_than_its_lease, a_disconnected_client_keeps_nothing,
         by_its_place_and_with_the_right_to, who_understands_it_is_told_by_whom, programs_show_it,
         two_on_a_unix_socket_need_their_numbers, mistakes_are_explained)
