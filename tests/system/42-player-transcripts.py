#!/usr/bin/env python3
"""What Player's clients and its server said to each other, said to us: our server answers the same, but for times and
the improvements that are named below.  argv: the stage program, source root.

tests/data/transcripts has what was recorded, one line for each message:

    open N, close N             a connection begins, or is closed by the client
    empty N                     the client sends an empty datagram (a transcript without `open` is on UDP)
    > N TYPE I:J CODE ... BODY  the client says something: to device I:J, from=HOST,ROBOT if it says so, seq=NUMBER
    < N TYPE I:J CODE ... BODY  the server says something
    < N banner                  the server greets the client
    publish I:J after=COUNT     a driver publishes, after so many commands
    NAME: <Player N ...         only Player says this; NAME is the improvement that is the reason
    NAME: <Troupe N ...         only Troupe says this

A body is hexadecimal, with (WORD*COUNT) for a word that is repeated. "5x LINE" is five such lines; so are the lines
between "repeat 5" and "end". When a driver published is told by the times of its messages, which are left out here, as
are those of all others. Player's clients at other ports than the server's own say that port (from=0,6665)."""
import pathlib
import re
import socket
import struct
import sys
import zlib

import player
import tap
from player import ACK, DATA, NACK, PLAYER, SYNCH

STAGE = sys.argv[1]
FOLDER = pathlib.Path(sys.argv[2]) / "tests/data/transcripts"
KINDS = {"data": DATA, "cmd": player.COMMAND, "req": player.REQUEST, "ack": ACK, "synch": SYNCH, "nack": NACK}
HOST, ROBOT = 0x0100007F, 6700

IMPROVEMENTS = {
    "refused-not-ignored": "a request that cannot be is refused; Player says nothing and its client waits for 5 s",
    "refused-not-kept": "what is not open cannot be asked or commanded; Player keeps it until somebody opens it",
    "refused-without-body": "a refusal has no body; Player's dummy gives back the request",
    "number-repeated": "the reply of a device repeats the number of its request; Player's is always 0",
    "capability-answered": "Player's server loses the body of the question and refuses whatever is asked",
    "data-dropped-at-close": "what is queued of a device is dropped when it is closed; C++ clients fail on it",
    "overflow-counted": "the number of lost messages is told, and exactly 1024 wait; Player always says 1",
    "new-session-on-udp": "a source begins anew by itself; Player closes the socket of everybody",
    "answered": "the recorded driver never answered, or its client left before the answer",
}


# ---- Reading ---------------------------------------------------------------------------------------

def lines_of(path):
    """The lines with repetitions written out, except that of `publish`, which has a count."""
    out, stack = [], []
    for line in path.read_text(encoding="ascii").splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("repeat "):
            stack.append((out, int(line.split()[1])))
            out = []
        elif line == "end":
            block, (out, count) = out, stack.pop()
            out += block * count
        else:
            match = re.match(r"(\d+)x (.*)", line)
            count, line = (int(match[1]), match[2]) if match else (1, line)
            out += [f"{line} times={count}"] if line.startswith("publish") else [line] * count
    return out


def body_of(text):
    return bytes.fromhex(re.sub(r"\((\w+)\*(\d+)\)", lambda match: match[1] * int(match[2]), text))


class Said:
    """A message as a line has it, or as it came; `shown` has what is to be the same."""

    def __init__(self, line):
        kind, device, code, *rest = line.split()
        options = dict(word.split("=") for word in rest if "=" in word)
        self.kind = kind
        self.interf, self.index = (int(part) for part in device.split(":"))
        self.subtype, self.seq = int(code), int(options.get("seq", 0))
        host, robot = options.get("from", "0,0").split(",")
        self.host, self.robot = int(host, 16), int(robot)
        self.body = body_of(rest[-1]) if rest and "=" not in rest[-1] else b""

    def packed(self):
        return player.HEADER.pack(self.host, self.robot, self.interf, self.index, KINDS[self.kind], self.subtype, 0.0,
                                  self.seq, len(self.body)) + self.body

    def shown(self):
        host, robot = (0, 0) if self.kind == "synch" else (HOST, ROBOT)
        return shown(host, robot, self.interf, self.index, KINDS[self.kind], self.subtype, self.seq, self.body)


def shown(host, robot, interf, index, kind, subtype, seq, body):
    """Tiles of maps are shown unpacked, since the packed form depends on zlib's version."""
    text = body.hex()
    if (interf, kind, subtype) == (42, ACK, 2):
        count, length = struct.unpack_from(">I", body, 16)[0], struct.unpack_from(">I", body, 24)[0]
        assert count == length and len(body) == 28 + (count + 3) // 4 * 4, "the tile has its length"
        text = body[:16].hex() + body[20:24].hex() + zlib.decompress(body[28:28 + count]).hex()
    return f"host {host:x} robot {robot} device {interf}:{index} type {kind} code {subtype} seq {seq} body {text}"


# ---- Playing ---------------------------------------------------------------------------------------

class Datagrams:
    """A client on UDP with what the replay needs of player.Client."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(60)
        self.socket.connect(address)
        self.banner = None

    def message(self):
        datagram = self.socket.recv(65536)
        header = player.HEADER.unpack_from(datagram)
        tap.equal(header[8], len(datagram) - player.HEADER.size)
        return player.Message(header, datagram[player.HEADER.size:])


class Replay:
    def __init__(self, server, on_udp):
        self.server = server
        self.on_udp = on_udp
        self.clients = {}
        self.director = player.Client(("127.0.0.1", server.ports[1]))
        self.director.open(51, 0)
        self.unsent = {}

    def play(self, line):
        """What a client says in a row goes out as one, as it did then."""
        if not line.startswith("> "):
            for number, messages in self.unsent.items():
                for piece in messages if self.on_udp else [b"".join(messages)]:
                    self.clients[number].socket.send(piece)
            self.unsent = {}
        only = None
        match = re.match(r"([\w-]+): <(Player|Troupe) (.*)", line)
        if match:
            only, line = match[2], "< " + match[3]
            assert match[1] in IMPROVEMENTS, f"{match[1]} is not explained"
        word, rest = line.split(" ", 1)
        if only != "Player":
            {"open": self.open, "close": self.close, "empty": self.send_nothing,
             "publish": self.publish, ">": self.send, "<": self.expect}[word](rest)

    def open(self, number):
        self.clients[number] = player.Client(self.server.address)

    def send_nothing(self, number):
        if number not in self.clients:
            self.clients[number] = Datagrams(self.server.address)
        self.clients[number].socket.send(b"")

    def greeted(self, number):
        client = self.clients[number]
        banner = client.socket.recv(100) if self.on_udp else client.banner
        tap.equal(banner, b"Player v.3.1.1-dev".ljust(32, b"\0"))

    def send(self, rest):
        number, message = rest.split(" ", 1)
        self.unsent.setdefault(number, []).append(Said(message).packed())

    def expect(self, rest):
        number, message = rest.split(" ", 1)
        if message == "banner":
            self.greeted(number)
            return
        got = self.clients[number].message()
        tap.equal(shown(got.host, got.robot, got.interf, got.index, got.type, got.subtype, got.seq, got.body),
                  Said(message).shown())

    def publish(self, rest):
        device, *options = rest.split()
        options = dict(option.split("=") for option in options)
        interf, index = device.split(":")
        order = f"{interf} {index} {options.get('times', 1)} {options.get('after', 0)}".encode()
        body = struct.pack(">II", len(order), len(order)) + order + bytes(-len(order) % 4)
        tap.equal(self.director.request(51, 0, 1, body).type, ACK)

    def nothing_more_comes_to(self, client):
        """The answer to one more request is the next that comes."""
        client.socket.send(player.HEADER.pack(0, 0, PLAYER, 0, player.REQUEST, 1, 0.0, 12345, 0))
        message = client.message()
        tap.equal((message.type, message.seq), (ACK, 12345))

    def close(self, number):
        """The server has noticed it before the next line is played."""
        client = self.clients.pop(number)
        self.nothing_more_comes_to(client)
        before = self.server.files()
        client.socket.close()
        while not self.on_udp and self.server.files() >= before:
            self.director.request(PLAYER, 0, 1)

    def end(self):
        for number in list(self.clients):
            self.close(number)
        self.director.socket.close()


def replays_as_recorded(path):
    def test():
        lines = lines_of(path)
        with player.launched([STAGE], robots=2) as server:
            replay = Replay(server, not any(line.startswith("open ") for line in lines))
            for number, line in enumerate(lines, 1):
                try:
                    replay.play(line)
                except Exception as error:
                    raise AssertionError(f"{path.name}, step {number}: {line[:200]}") from error
            replay.end()
    test.__name__ = f"{path.stem} is answered as by Player"
    return test


def every_improvement_is_seen_somewhere():
    text = "".join(path.read_text(encoding="ascii") for path in FOLDER.glob("*.txt"))
    tap.equal({name for name in IMPROVEMENTS if f"{name}: <" not in text}, set())


TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))


def none_is_left_out():
    tap.equal([path.name[:2] for path in TRANSCRIPTS], [f"{number:02}" for number in range(1, 17)])


tap.main(none_is_left_out, *(replays_as_recorded(path) for path in TRANSCRIPTS), every_improvement_is_seen_somewhere)
