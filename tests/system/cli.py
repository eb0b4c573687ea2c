"""The troupe program as a user types it, on pipes and on a terminal; and a server of our own that says anything."""
import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading

import player
import tap
from player import ACK, DATA, HEADER, NACK

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE = 60  # seconds, far beyond anything that a healthy program needs


def troupe(*arguments, url=None, stdin="", **environment):
    """Run to the end; `url` becomes TROUPE_URL."""
    environ = {key: value for key, value in os.environ.items() if key != "TROUPE_URL"}
    environ.update(environment)
    if url is not None:
        environ["TROUPE_URL"] = url
    return tap.run([PROGRAM, *arguments], input=stdin, env=environ)


def usage(command, text):
    return f"troupe {command}: {text}\nTry: troupe {command} --help\n"


def says(result, code, error):
    tap.equal((result.returncode, result.stderr), (code, error))


def closed_again(device, message):
    """What is said of a command that moves, without --for."""
    return f"troupe send: {device} is closed again, which stops what {message} has begun: --for SECONDS keeps it open\n"


def refuses(result, error):
    """It fails for this reason, whatever it has printed before."""
    tap.equal((result.returncode, result.stderr), (1, error))


def prints(result, text):
    tap.equal((result.returncode, result.stderr, result.stdout), (0, "", text))


def at(server):
    """The URL of a player.Server."""
    return f"localhost:{server.address[1]}"


def serving(text=player.FAKE, options=()):
    """Run a test with the URL of a fresh server."""
    def decorate(test):
        def run():
            with player.server(PROGRAM, text, options) as server:
                test(at(server))
        run.__name__ = test.__name__
        return run
    return decorate


@contextlib.contextmanager
def killed_server(*options, text=player.FAKE, any_port=True):
    """The process of a server that the test, or the end, kills without a word."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        command = [PROGRAM, "run", file.name, *options, *(["--any-port"] if any_port else [])]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            line = ""
            while not line.startswith("next:"):
                line = process.stdout.readline()
                assert line, "the server does not start"
                if line.startswith("listening on port "):
                    process.port = int(line.split()[3].rstrip(","))
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


class Running:
    """A troupe that runs on; its output line by line."""

    def __init__(self, *arguments, url=None, **options):
        environ = dict(os.environ)
        if url is not None:
            environ["TROUPE_URL"] = url
        self.process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=environ, **options)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def line(self):
        return self.process.stdout.readline()

    def error(self):
        line = self.process.stderr.readline()
        while tap.BUSY.fullmatch(line):
            line = self.process.stderr.readline()
        return line

    def interrupt(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        """The exit code, and what was still said on standard error."""
        code = self.process.wait(timeout=PATIENCE)
        return code, tap.without_busyness(self.process.stderr.read())


class Terminal:
    """A troupe on a terminal, which is drawn as a real one would, as far as troupe needs."""

    def __init__(self, *arguments, url=None, rows=24, columns=80, **environment):
        self.rows, self.columns = rows, columns
        self.lines, self.row, self.column = [""], 0, 0
        self.raw = b""
        self.rest = b""
        self.code = None
        environ = {**os.environ, "TERM": "xterm", **environment}
        if url is not None:
            environ["TROUPE_URL"] = url
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(PROGRAM, [PROGRAM, *arguments], environ)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text)

    def read(self):
        """Draw what comes next; False at the end."""
        assert select.select([self.fd], [], [], PATIENCE)[0], "nothing comes"
        try:
            piece = os.read(self.fd, 65536)
        except OSError:  # what Linux says when the other side has gone
            piece = b""
        self.raw += piece
        self.draw(piece)
        return len(piece) > 0

    def put(self, character):
        assert self.column < self.columns, f"line {self.row} is too long: {self.lines[self.row]!r}"
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def steer(self, number, what):
        if what == "A":
            assert self.row >= number, "above the top"
            self.row -= number
        elif what == "K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif what == "J" and number == 2:
            self.lines, self.row, self.column = [""], 0, 0
        elif what == "J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        elif what == "H":
            self.row = self.column = 0
        else:
            assert what == "m", what

    def draw(self, piece):
        text = (self.rest + piece).decode("utf-8", "surrogateescape")
        at = 0
        while at < len(text):
            character = text[at]
            if character == "\033":
                end = at + 2
                while end < len(text) and not text[end].isalpha():
                    end += 1
                if end >= len(text):
                    break
                self.steer(int(text[at + 2:end] or 1) if text[end] != "J" else int(text[at + 2:end] or 0), text[end])
                at = end
            elif character == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append("")
            elif character == "\r":
                self.column = 0
            else:
                self.put(character)
            at += 1
        self.rest = text[at:].encode("utf-8", "surrogateescape")

    def until(self, condition):
        """Draw until the lines meet a condition."""
        while not condition(self.lines):
            assert self.read(), f"it ended: {self.lines}"
        return self.lines

    def ended(self):
        while self.read():
            pass
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code


def counted(text):
    """A text with its count, as both are on the wire."""
    raw = text if isinstance(text, bytes) else text.encode() + b"\0"
    return struct.pack(">II", len(raw), len(raw)) + raw + bytes(-len(raw) % 4)


class Puppet:
    """A Player server that says what a test tells it to: devices [(interf, index)], their driver, and data
    [(interf, index, subtype, time, body)] that follows an opening. `replies` answers requests by (interf, subtype)."""

    def __init__(self, devices, driver="puppet", data=(), replies=None):
        self.devices, self.driver, self.data, self.replies = devices, driver, data, replies or {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"localhost:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.received = []
        self.arrival = threading.Condition()

    def commands(self, count):
        """Wait for so many commands."""
        def arrived():
            return sum(message.type == player.COMMAND for message in self.received) >= count
        with self.arrival:
            assert self.arrival.wait_for(arrived, PATIENCE), self.received
        return [message for message in self.received if message.type == player.COMMAND]

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(PATIENCE)

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with connection, contextlib.suppress(OSError, EOFError):
            connection.sendall(b"Player v.3.1.1-dev".ljust(32, b"\0"))
            stream = connection.makefile("rb")
            while True:
                header = stream.read(HEADER.size)
                if len(header) < HEADER.size:
                    return
                message = player.Message(HEADER.unpack(header), b"")
                message.body = stream.read(message.size)
                with self.arrival:
                    self.received.append(message)
                    self.arrival.notify_all()
                if message.type == player.REQUEST:
                    self.answer(connection, message)

    def reply(self, connection, message, kind, body=b""):
        connection.sendall(HEADER.pack(0, 6665, message.interf, message.index, kind, message.subtype, 0,
                                       message.seq, len(body)) + body)

    def answer(self, connection, message):
        if (message.interf, message.subtype) in self.replies:
            self.reply(connection, message, ACK, self.replies[message.interf, message.subtype])
        elif message.interf != 1:
            self.reply(connection, message, NACK)
        elif message.subtype == 1:
            words = [word for device in self.devices for word in (0, 6665, *device)]
            count = len(self.devices)
            self.reply(connection, message, ACK, struct.pack(f">{2 + len(words)}I", count, count, *words))
        elif message.subtype == 2:
            self.reply(connection, message, ACK, message.body[:16] + counted(self.driver))
        elif message.subtype == 3:
            self.reply(connection, message, ACK, message.body[:20] + counted(self.driver))
            for interf, index, subtype, time, body in self.data:
                connection.sendall(HEADER.pack(0, 6665, interf, index, DATA, subtype, time, 0, len(body)) + body)
        elif message.subtype != 200:  # Player does not answer what it does not know
            self.reply(connection, message, ACK)


REQUESTS = {"HELLO": 200, "STATISTICS": 202, "FRAMES": 203, "TRANSFORM": 204, "GET_PANIC": 207}


def encoded(request, value):
    """An answer to a request to the server itself, as bytes."""
    result = troupe("encode", "player", "request", request, "--answer", "-", stdin=json.dumps(value))
    tap.equal((result.returncode, result.stderr), (0, ""))
    return bytes.fromhex(result.stdout)


def ours(devices=((6, 0),), driver="puppet", **replies):
    """A puppet that says it is one of our servers, and answers these requests."""
    replies.setdefault("HELLO", {"version": 1, "name": "puppet"})
    return Puppet(devices, driver=driver,
                  replies={(1, REQUESTS[name]): encoded(name, value) for name, value in replies.items()})
