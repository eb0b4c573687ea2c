"""The bytes of the motion protocol, written from docs/motion-protocol.md alone."""
import struct

QUERY, COMMAND, SESSION, REPLY = 1, 2, 3, 4
DIRECT, DELAY, PLAYBACK, BROADCAST, ADAPTIVE, OWN_MODE = 0, 1, 2, 3, 4, 255
PANIC_FLAG, RESET_FLAG, CLEAR, ACK = 1, 2, 4, 8
SUCCESS, MODIFIED, NA, BUSY, INTERRUPTED, ERROR, PANIC = range(7)
NAMES = ["SUCCESS", "MODIFIED", "NA", "BUSY", "INTERRUPTED", "ERROR", "PANIC"]
GOTO, SETSPEED, STOP = 0x0101, 0x0102, 0x0103
SET, SPEED, FORCE, MOVE, HOME = 0x0201, 0x0202, 0x0203, 0x0204, 0x0205
POSE = 0x0301
ASK_STATE, ASK_CLOCK, ASK_QUEUES, ASK_BUSY = 0x0405, 0x0407, 0x0408, 0x0409
MODE, BEGIN, END, REPEAT, SILENCE = 0x0503, 0x0504, 0x0505, 0x0506, 0x0507
CANCEL, RATE, LEASE = 0x0508, 0x0509, 0x050A
SIGNAL, SUMMARY, ANSWER = 0x8001, 0x8002, 0x8000
ALL_JOINTS = 0xFFFF


def micro(value):
    """A physical value as an integer in millionths, rounded half away from zero."""
    return int(abs(value) * 1e6 + 0.5) * (1 if value >= 0 else -1)


class Record:
    """A record of a package, with its fields by name."""

    def __init__(self, code, tag, **fields):
        self.code, self.tag = code, tag
        self.__dict__.update(fields)

    def body(self):
        """The bytes of the body."""
        return BODIES.get(self.code, lambda r: b"")(self)


BODIES = {
    GOTO: lambda r: struct.pack(">qqqB7x", *map(micro, r.values), r.frame),
    SETSPEED: lambda r: struct.pack(">qqq", *map(micro, r.values)),
    SET: lambda r: struct.pack(">HH4xqQ", *r.targets[0][:2], micro(r.targets[0][2]), r.duration),
    SPEED: lambda r: struct.pack(">HH4xq", *r.targets[0][:2], micro(r.targets[0][2])),
    FORCE: lambda r: struct.pack(">HH4xq", *r.targets[0][:2], micro(r.targets[0][2])),
    MOVE: lambda r: struct.pack(">QB5xH", r.duration, r.servo, len(r.targets)) + b"".join(
        struct.pack(">HHq", joint, dof, micro(value)) for joint, dof, value in r.targets),
    HOME: lambda r: struct.pack(">H6x", r.joint),
    POSE: lambda r: struct.pack(">H6x6qQ", r.frame, *[0] * 6, 0),
    MODE: lambda r: struct.pack(">BB6x", r.mode, r.late),
    BEGIN: lambda r: struct.pack(">IBBBxI4xQQ", r.sequence, r.mode, r.estimate, r.late, r.frames,
                                 r.duration, r.target),
    END: lambda r: struct.pack(">II", r.sequence, r.frames),
    REPEAT: lambda r: struct.pack(">QHHH2x", r.period, r.query, 0, 0),
    SILENCE: lambda r: struct.pack(">I", r.of),
    CANCEL: lambda r: struct.pack(">I", r.of),
    RATE: lambda r: struct.pack(">IB3x", int(r.rate * 1e6 + 0.5), r.scope),
    LEASE: lambda r: struct.pack(">Q", r.lease),
}


class Package:
    """A package: one frame if it has commands."""

    def __init__(self, kind, records, ident, mode=DIRECT, time=0, sequence=0, flags=0):
        self.kind, self.records, self.id = kind, records, ident
        self.mode, self.time, self.sequence, self.flags = mode, time, sequence, flags

    def encode(self):
        """Header and payload."""
        payload = b""
        for record in self.records:
            body = record.body()
            payload += struct.pack(">HHI", record.code, len(body), record.tag) + body
        return struct.pack(">2sBBBBHIIQII", b"RT", 1, self.flags, self.kind, self.mode, len(self.records),
                           self.id, len(payload), self.time, self.sequence, 0) + payload


class Signal:
    """A SIGNAL as a client reads it."""

    def __init__(self, body):
        (self.signal, self.final, self.package, self.epoch, self.start, self.end,
         length) = struct.unpack_from(">BB2xII4xQQH", body)
        self.text = body[34:34 + length].decode()

    def __repr__(self):
        return "%s%s start %d end %d package %d '%s'" % (
            NAMES[self.signal], "." if self.final else "...", self.start, self.end, self.package, self.text)


class Summary:
    """A SUMMARY as a client reads it."""

    def __init__(self, body):
        (self.sequence, self.signal, self.frames, self.played, self.late, self.stalls, self.start, self.end,
         self.held, length) = struct.unpack_from(">IB3xIIIIQQQH", body)
        self.text = body[50:50 + length].decode()

    def __repr__(self):
        return "SUMMARY of %d: %s, %d of %d played, start %d end %d '%s'" % (
            self.sequence, NAMES[self.signal], self.played, self.frames, self.start, self.end, self.text)


class Queues:
    """The answer to QUEUES."""

    def __init__(self, body):
        (self.command, self.playback, self.answers, rate, robot_rate, self.played, self.late, self.longest,
         self.dropped, self.skipped) = struct.unpack(">IIIII4xQQQQQ", body)
        self.rate, self.robot_rate = rate / 1e6, robot_rate / 1e6


def holders(body):
    """The answer to BUSY: joint, dof and client of each dof that is held."""
    (count,) = struct.unpack_from(">H", body)
    return {struct.unpack_from(">HHI", body, 2 + 40 * i) for i in range(count)}


def records(payload):
    """Code, tag and body of each record of a payload."""
    at = 0
    while at < len(payload):
        code, length, tag = struct.unpack_from(">HHI", payload, at)
        yield code, tag, payload[at + 8:at + 8 + length]
        at += 8 + length
