"""A client of the motion protocol, written from docs/motion-protocol.md, for tests."""
import socket
import struct

PANIC, RESET, CLEAR, ACK = 1, 2, 4, 8
QUERY, COMMAND, SESSION, REPLY = 1, 2, 3, 4
DIRECT, DELAY, PLAYBACK, BROADCAST, ADAPTIVE, OWN = 0, 1, 2, 3, 4, 255
SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR, PANICKED = range(7)
HEADER = struct.Struct(">2sBBBBHIIQII")
RECORD = struct.Struct(">HHI")


def micro(value):
    return int(round(value * 1e6))


def record(code, body=b"", tag=0):
    return RECORD.pack(code, len(body), tag) + body


def package(kind, *records, mode=DIRECT, flags=0, ident=0, time=0, sequence=0):
    payload = b"".join(records)
    return HEADER.pack(b"RT", 1, flags, kind, mode, len(records), ident, len(payload), time, sequence, 0) + payload


def hello(name="test", token=bytes(16), lease=0, tag=1):
    return record(0x0501, name.encode().ljust(32, b"\0") + token + struct.pack(">Q", lease), tag)


def setspeed(vx, omega=0.0, vy=0.0, tag=0):
    return record(0x0102, struct.pack(">qqq", micro(vx), micro(vy), micro(omega)), tag)


def goto(x, y, theta, frame=0, tag=0):
    return record(0x0101, struct.pack(">qqqB7x", micro(x), micro(y), micro(theta), frame), tag)


def move(*targets, duration=0, servo=1, tag=0):
    """Targets are (joint, dof, value)."""
    body = struct.pack(">QB5xH", duration, servo, len(targets))
    return record(0x0204, body + b"".join(struct.pack(">HHq", j, d, micro(v)) for j, d, v in targets), tag)


def set_dof(joint, dof, value, duration=0, tag=0):
    return record(0x0201, struct.pack(">HHxxxxqQ", joint, dof, micro(value), duration), tag)


def rate(value, scope=0, tag=0):
    return record(0x0509, struct.pack(">IB3x", micro(value), scope), tag)


def begin(sequence, mode, frames=0, duration=0, tag=0):
    return record(0x0504, struct.pack(">IBBBxIxxxxQQ", sequence, mode, 0, 0, frames, duration, 0), tag)


def end(sequence, frames, tag=0):
    return record(0x0505, struct.pack(">II", sequence, frames), tag)


class Signal:
    def __init__(self, tag, body):
        self.tag = tag
        self.signal, self.final, self.package, self.epoch, self.start, self.end, length = struct.unpack_from(">BBxxIIxxxxQQH", body)
        self.text = body[34:34 + length].decode()

    def __repr__(self):
        return f"Signal(tag={self.tag}, signal={self.signal}, final={self.final}, epoch={self.epoch}, text={self.text!r})"


class Client:
    """A connection. Records that come are kept until they are asked for."""

    def __init__(self, port, name="test", token=bytes(16), lease=0, greet=True, timeout=20):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""
        self.records = []
        self.ended = False
        if greet:
            self.send(package(SESSION, hello(name, token, lease)))
            self.welcome = self.await_record(0x8501, 1)
            (self.number, self.right, self.panicked, self.epoch, self.payload, self.frames, self.token, self.clock,
             self.time, self.lease, self.longest, self.horizon) = struct.unpack(">IBBxxIIIxxxx16sQQQQQ", self.welcome)

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def command(self, *records, **fields):
        self.send(package(COMMAND, *records, **fields))

    def session(self, *records, **fields):
        self.send(package(SESSION, *records, **fields))

    def ask(self, code, body=b"", tag=77):
        self.send(package(QUERY, record(code, body, tag)))
        return self.await_record(code | 0x8000, tag)

    def read(self):
        """Whole packages that have come become records. False at the end of the stream."""
        try:
            more = self.socket.recv(65536)
        except ConnectionError:
            more = b""
        if not more:
            self.ended = True
            return False
        self.bytes += more
        while len(self.bytes) >= 32:
            fields = HEADER.unpack_from(self.bytes)
            count, size = fields[5], fields[7]
            assert fields[0] == b"RT" and fields[3] == REPLY, fields
            if len(self.bytes) < 32 + size:
                break
            at = 32
            for _ in range(count):
                code, length, tag = RECORD.unpack_from(self.bytes, at)
                self.records.append((code, tag, self.bytes[at + 8:at + 8 + length]))
                at += 8 + length
            assert at == 32 + size
            self.bytes = self.bytes[at:]
        return True

    def await_record(self, code, tag=None, accept=lambda body: True):
        while True:
            for i, (found, mark, body) in enumerate(self.records):
                if found == code and tag in (None, mark) and accept(body):
                    del self.records[i]
                    return body
                if found == 0x8001 and code != 0x8001 and tag == mark:
                    raise AssertionError(f"{code:#x} is refused: {Signal(mark, body)}")
            if not self.read():
                raise ConnectionError(f"the connection has ended; {self.records}")

    def signal(self, tag=None, final=None):
        """The next signal with this tag."""
        while True:
            for i, (found, mark, body) in enumerate(self.records):
                signal = Signal(mark, body) if found == 0x8001 else None
                if signal and tag in (None, mark) and final in (None, signal.final):
                    del self.records[i]
                    return signal
            if not self.read():
                raise ConnectionError(f"the connection has ended; {self.records}")

    def has_ended(self, tag):
        """Whether the last signal with this tag has come, without waiting for it."""
        return any(found == 0x8001 and mark == tag and Signal(mark, body).final for found, mark, body in self.records)

    def state(self):
        """Position and velocity of every dof."""
        body = self.ask(0x0405)
        count, = struct.unpack_from(">H", body, 8)
        return [tuple(v / 1e6 for v in struct.unpack_from(">qqq", body, 10 + 24 * i)) for i in range(count)]

    def base(self):
        """Pose and speed."""
        body = self.ask(0x0406)
        return [v / 1e6 for v in struct.unpack_from(">qqqqqq", body, 16)]

    def server_time(self):
        return struct.unpack(">QQ", self.ask(0x0407))[1]
