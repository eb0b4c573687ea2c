#!/usr/bin/env python3
"""The real Firmata firmware of an Arduino Uno, on simavr, driven by our robot file through the server.
argv: the troupe program, source root, the program that simulates the board, the firmware."""
import re
import struct
import subprocess
import sys

import cli
import player
import tap
from robots import Program, serve

UNO, FIRMWARE = sys.argv[3], sys.argv[4]
DIO, AIO, POSITION2D, ACTARRAY = 20, 21, 4, 53
DEVICES = '"dio:0" "aio:0" "actarray:0" "blinkenlight:0"'


class Board:
    """A simulated Uno; its time is its own."""

    def __init__(self):
        self.process = subprocess.Popen([UNO, FIRMWARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def until(self, question, pattern):
        """Ask until the answer has the pattern."""
        while True:
            found = re.search(pattern, self.ask(question))
            if found is not None:
                return found


def client_of(server):
    return player.Client(("127.0.0.1", int(server.await_line(r"listening on port ([0-9]+)").group(1))))


def command(client, interf, subtype, body):
    client.send(interf, 0, player.COMMAND, subtype, body)


def volts(client, channel):
    """The next value of an analog input."""
    while True:
        message = client.data()
        if message.interf == AIO:
            return struct.unpack_from(">f", message.body, 8 + 4 * channel)[0]


def bits(client):
    while True:
        message = client.data()
        if message.interf == DIO:
            return struct.unpack_from(">I", message.body, 4)[0]


def inputs_are_read_and_the_board_is_ready_at_once():
    with Board() as board, serve(board.url, DEVICES, "firmata") as server, client_of(server) as client:
        tap.equal((board.ask("analog 0 2500"), board.ask("analog 5 5000"), board.ask("pin 7 1")), ("ok", "ok", "ok"))
        client.open(AIO, 0)
        while not 2.4 < volts(client, 0) < 2.6:
            pass
        while volts(client, 5) < 4.9:
            pass
        found = re.match(r"in (\d+) out (\d+) first (\S+)", board.ask("traffic"))
        first_ms = float(found.group(3))
        # the time of the board from the first byte of the driver to the first value; the usual client waits for 5 s
        assert 0 <= first_ms < 500, first_ms
        print(f"# the first value after {first_ms:.1f} ms of the board")
        client.open(DIO, 0)
        while bits(client) != 1 << 5:  # pin 7 is input 5
            pass
        tap.equal(board.ask("pin 7 0"), "ok")
        while bits(client) != 0:
            pass


def the_first_byte_waits_for_nothing():
    """The board says nothing unasked: a driver that waits for its greeting waits for ever, or for 5 s."""
    with Board() as board, serve(board.url, '"aio:0"', "firmata") as server, client_of(server) as client:
        tap.equal(board.ask("traffic"), "in 0 out 0 first -1.000")
        client.open(AIO, 0)
        volts(client, 0)
        found = re.match(r"in (\d+) out (\d+) first (\S+)", board.ask("traffic"))
        # F9, then six times mode and report: 31 bytes, and perhaps the beginning of the next round
        assert 31 <= int(found.group(1)), found.group(0)


def outputs_pulses_and_servos_are_written():
    with Board() as board, serve(board.url, DEVICES, "firmata") as server, client_of(server) as client:
        for interf in (DIO, AIO, ACTARRAY):
            client.open(interf, 0)
        command(client, DIO, 1, struct.pack(">II", 13, 1 << 12))  # the board's own LED, pin 13
        board.until("state 13", r"level 1")
        command(client, DIO, 1, struct.pack(">II", 13, 1 << 2))  # pin 4
        board.until("state 13", r"level 0")
        board.until("state 4", r"level 1")
        command(client, AIO, 1, struct.pack(">If", 0, 2.5))  # pin 3
        board.until("state 3", r"duty 128 ")
        command(client, AIO, 1, struct.pack(">If", 5, 5))  # pin 11
        board.until("state 11", r"duty 255 |level 1")
        command(client, ACTARRAY, 1, struct.pack(">if", 6, 0))  # pin 8, 0 degrees
        board.until("state 8", r"pulse 5[34]\d$")
        command(client, ACTARRAY, 1, struct.pack(">if", 6, 3.14159265))
        board.until("state 8", r"pulse 2(39|40)\d$")


def a_robot_with_two_motors_drives_and_its_guard_stops_it():
    with Board() as board, serve(board.url, '"position2d:0"', "firmata") as server:
        port = server.await_line(r"listening on port ([0-9]+)").group(1)
        with Program("send", "position2d:0", "VEL", '{"vel":{"px":-0.15}}', "--for", "60", "--url", f"localhost:{port}"):
            board.until("state 5", r"duty 128 ")
            board.until("state 6", r"duty 128 ")
            board.until("state 4", r"level 1")  # backwards
            server.process.kill()
            board.until("state 4", r"level 0")  # the firmware was reset: all pins are inputs or off
            with serve(board.url, '"dio:0"', "firmata", "alwayson 1") as again:
                url = f"localhost:{again.await_line(r'listening on port ([0-9]+)').group(1)}"
                tap.equal(cli.troupe("send", "dio:0", "VALUES", '{"count":1,"digout":1}', url=url).returncode, 0)
                board.until("state 2", r"level 1")


tap.main(inputs_are_read_and_the_board_is_ready_at_once, the_first_byte_waits_for_nothing,
         outputs_pulses_and_servos_are_written, a_robot_with_two_motors_drives_and_its_guard_stops_it)
