"""Servers between which programs move, and wires that are cut. argv: the troupe program, source root."""
import json
import pathlib
import select
import socket
import struct
import tempfile
import threading

import cli
import tap
from player import ACK, PLAYER, Client, text
from robots import Program, address

PROGRAM, PULL = 243, 2
STATE, LOAD, LAUNCH, DEPART, ARRIVE, RELEASE, BEGIN, RETURN, FORGET, TRANSFER = 1, 14, 21, 30, 31, 32, 33, 34, 35, 36

ROBOT = 'driver ( name "robotfile" robot "{robot}" port "emulate:{robot}" provides [ "universal:0" ] )\n'
PLACE = 'driver ( name "program" requires [ "universal:0" {peers} ] provides [ "program:0" ] keep "{keep}" settle 0.5 )\n'
TEXT = "let n be 0\ndrive 30\nforever\n    change n by 1\n    wait 0.01 s\nend\n"
RUNNING, STOPPED, LEAVING, GONE, ARRIVING = 2, 6, 7, 8, 9


def written(text, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8") as file:
        file.write(text)
    return file.name


class Server:
    def __init__(self, robot="nxt", keeps=False, wires=()):
        """Asks the servers behind the wires about programs in transit."""
        self.file = pathlib.Path(tempfile.mkdtemp()) / "transit" if keeps else ""
        self.config = written(ROBOT.format(robot=robot) + PLACE.format(keep=self.file, peers=" ".join(
            f'":{wire.url}:program:0"' for wire in wires)), ".cfg")
        self.start_server()

    def start_server(self):
        self.program = Program("run", self.config, "--any-port")
        self.port = int(address(self.program, r"listening on port ([0-9]+)"))
        self.url = f"localhost:{self.port}"

    def restart(self):
        """As after a loss of power: nothing can be tidied up."""
        self.program.process.kill()
        self.program.__exit__()
        self.start_server()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.program.__exit__()

    def get(self, name, what=None):
        result = cli.troupe("request", "program:0", name, *([] if what is None else [json.dumps(what)]), "--json",
                            "--timeout", "60", url=self.url)
        tap.equal((name, result.returncode, result.stderr), (name, 0, ""))
        return json.loads(result.stdout) if result.stdout.strip() not in ("", "done") else None

    def start(self, text=TEXT):
        self.get("LOAD", {"name": "count.play", "text": text})
        tap.equal(self.get("LAUNCH", {})["fits"], 1)

    def state(self):
        return self.get("STATE")

    def count(self):
        return {one["name"]: one["number"] for one in self.state()["variables"]}["n"]


class Wire:
    """Passes bytes on to a server; after `most` of them (both directions) every connection is cut, and no new one is made
    until `mend`."""

    def __init__(self, port=None, most=None):
        self.port, self.most, self.passed = port, most, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"localhost:{self.listener.getsockname()[1]}"
        self.lock = threading.Lock()
        self.open = set()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(near,), daemon=True).start()

    def allowed(self, size):
        with self.lock:
            size = size if self.most is None else min(size, self.most - self.passed)
            self.passed += size
            return size

    def carry(self, near):
        if self.port is None or self.most == self.passed:
            near.close()
            return
        try:
            far = socket.create_connection(("127.0.0.1", self.port))
        except OSError:  # the server is down
            near.close()
            return
        with near, far:
            self.open |= {near, far}
            other = {near: far, far: near}
            while True:
                for ready in select.select([near, far], [], [])[0]:
                    try:
                        data = ready.recv(65536)
                        size = self.allowed(len(data))
                        other[ready].sendall(data[:size])
                    except OSError:
                        return
                    if not data or size < len(data):
                        return

    def cut(self):
        """All connections end, and none begins, until `mend`."""
        with self.lock:
            self.most = self.passed
            for one in self.open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def mend(self):
        with self.lock:
            self.most = None

    def close(self):
        self.listener.close()


class Control(Client):
    """A connection to a server's program; the bytes of answers are what other requests send."""

    def __init__(self, server):
        super().__init__(("127.0.0.1", server.port))
        self.greet()

    def greet(self):
        self.request(PLAYER, 0, 5, struct.pack(">I", PULL))
        self.open(PROGRAM, 0)

    def ask(self, subtype, body=b""):
        """The answer's bytes; None if it was refused."""
        reply = self.request(PROGRAM, 0, subtype, body)
        return reply.body if reply.type == ACK else None

    def phase(self, subtype=STATE, body=b""):
        return struct.unpack_from(">I", self.ask(subtype, body))[0]


def transfer(name):
    """Which move."""
    return text(name) + text("there")
