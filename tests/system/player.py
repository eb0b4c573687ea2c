"""A raw client of the Player protocol, and a server to try it on; written from docs/reference/protocol.md."""
import contextlib
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time

DATA, COMMAND, REQUEST, ACK, SYNCH, NACK = 1, 2, 3, 4, 5, 6
PLAYER, POSITION2D, LASER = 1, 4, 6
HEADER = struct.Struct(">IIIIIIdII")


class Message:
    def __init__(self, header, body):
        (self.host, self.robot, self.interf, self.index, self.type, self.subtype, self.time, self.seq,
         self.size) = header
        self.body = body

    def __repr__(self):
        return f"<{self.interf}:{self.index} type {self.type} subtype {self.subtype} seq {self.seq} {self.body[:60].hex()}>"


def text(words):
    """As texts are on the wire: count, length, characters with a NUL."""
    words = words.encode() + b"\0"
    return struct.pack(">II", len(words), len(words)) + words + bytes(-len(words) % 4)


class Body:
    """Reads the fields of a body, one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values if len(values) > 1 else values[0]

    def text(self):
        count, length = self.take("II")
        assert count == length > 0, (count, length)
        words = self.data[self.at:self.at + length]
        self.at += length + -length % 4
        assert words[-1] == 0, words
        return words[:-1].decode()

    def array(self, read):
        count, length = self.take("II")
        assert count == length, (count, length)
        return [read() for _ in range(count)]

    def end(self):
        assert self.at == len(self.data), (self.at, len(self.data))


class Client:
    """Blocking; every wait has a limit far beyond anything that a healthy server needs."""

    def __init__(self, address):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.settimeout(60)
        self.socket.connect(address)
        self.banner = self.socket.recv(32)
        self.seq = 0

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def receive(self, count):
        pieces = []
        while count > 0:
            piece = self.socket.recv(min(count, 1 << 16))
            if not piece:
                raise EOFError("the server has closed the connection")
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def message(self):
        header = HEADER.unpack(self.receive(HEADER.size))
        return Message(header, self.receive(header[8]))

    def send(self, interf, index, kind, subtype, body=b""):
        self.seq += 1
        self.socket.sendall(HEADER.pack(0, 0, interf, index, kind, subtype, time.time(), self.seq, len(body)) + body)
        return self.seq

    def request(self, interf, index, subtype, body=b""):
        """Send a request and wait for its reply; data that comes before it is kept in `passed`."""
        number = self.send(interf, index, REQUEST, subtype, body)
        self.passed = []
        while True:
            message = self.message()
            if message.type in (ACK, NACK) and message.seq == number:
                return message
            self.passed.append(message)

    def access(self, interf, index, mode):
        reply = self.request(PLAYER, 0, 3, struct.pack(">IIIIIII", 0, 0, interf, index, mode, 0, 0))
        granted = struct.unpack_from(">I", reply.body, 16)[0] if reply.size else None
        return reply, granted

    def open(self, interf, index):
        reply, granted = self.access(interf, index, 1)
        assert (reply.type, granted) == (ACK, 1), reply

    def hello(self, features=1, name="test"):
        return self.request(PLAYER, 0, 200, struct.pack(">II", 1, features) + text(name))

    def statistics(self):
        """The server's uptime, its devices by address, its clients by name."""
        body = Body(self.request(PLAYER, 0, 202).body)

        def device():
            address = body.take("IIII")[1:]
            names = ("state", "readers", "published", "dropped", "commands", "requests", "failed_requests",
                     "refused", "latency_mean", "latency_max", "guards", "guard_restarts", "isolated", "holder_silent")
            found = dict(zip(names, body.take("IIqqqqqqddIIII")))
            found.update(driver=body.text(), instance=body.text(), failure=body.text())
            found.update(zip(("rank", "lease_left", "rank_left"), body.take("idd")))
            found.update(mover=body.text(), holder=body.text(), holder_number=body.take("I"), label=body.text())
            found.update(plain_lease=body.take("d"))
            return address, found

        def client():
            number, name, software = body.take("I"), body.text(), body.text()
            names = ("age", "opened", "waiting", "sent", "received", "dropped", "refused", "right")
            return name, dict(zip(names, body.take("dIIqqqqI")), software=software, number=number, key=body.text())

        uptime, devices, clients = body.take("d"), dict(body.array(device)), dict(body.array(client))
        self.panic = dict(active=body.take("II")[0], who=body.text(), why=body.text(), count=body.take("ddI")[2],
                          last_who=body.text(), last_why=body.text(), owing=body.text())
        body.end()
        return uptime, devices, clients

    def data(self):
        """The next data message."""
        while True:
            message = self.message()
            if message.type == DATA:
                return message

    def ended(self):
        """Whether the server closes the connection, after whatever it still sends."""
        try:
            while self.socket.recv(1 << 16):
                pass
            return True
        except ConnectionResetError:
            return True
        except socket.timeout:
            return False


FAKE = """
driver ( name "fake" provides [ "position2d:0" "laser:0" "sonar:0" "map:0" ] rate 50 )
driver ( name "fake" provides [ "6666:position2d:0" ] )
"""


class Server:
    def __init__(self, process, ports, fronts):
        self.process = process
        self.ports = ports
        self.fronts = fronts  # ports of other fronts, by name
        self.address = ("127.0.0.1", ports[0])

    def memory(self):
        """Resident memory in bytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


RESERVED = []  # until the program ends


def reserved_port():
    """The number of a port that the system gives to nobody else. Whoever is told it can listen there, as servers do that
    are started and ended meanwhile; while nobody does, connections are refused."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does, so both may have it
    holder.bind(("127.0.0.1", 0))
    RESERVED.append(holder)
    return holder.getsockname()[1]


def freeze(pid):
    """Stop a process, and wait until none of its threads runs any more: the signal alone only asks for that."""
    os.kill(pid, signal.SIGSTOP)
    while any(state_of(pid, thread) not in "TZX" for thread in os.listdir(f"/proc/{pid}/task")):
        os.sched_yield()


def state_of(pid, thread):
    """A letter, as ps shows it."""
    try:
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"  # it has ended


@contextlib.contextmanager
def launched(command, robots=1):
    """A program that says on which ports it listens; stopped with SIGTERM, which has to end it cleanly."""
    # freed memory is given back soon, so that memory can be measured under the sanitizer too
    environment = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=4")
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ports = []
        fronts = {}
        for line in process.stdout:
            match = re.match(r"front (\w+): listening on port (\d+)", line)
            if match:
                fronts[match.group(1)] = int(match.group(2))
            match = re.match(r"listening on port (\d+)", line)
            if match:
                ports.append(int(match.group(1)))
            if len(ports) == robots:
                break
        if len(ports) < robots:
            raise AssertionError("the server does not start: " + process.stderr.read())
        yield Server(process, ports, fronts)
        assert process.poll() is None, f"the server has ended: {process.returncode} {process.stderr.read()}"
        process.terminate()
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, f"exit {process.returncode}: {errors}"
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@contextlib.contextmanager
def server(program, text=FAKE, options=()):
    """`troupe run` on ports that the system chooses."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        with launched([program, "run", file.name, "--any-port", *options]) as running:
            yield running
