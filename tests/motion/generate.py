"""Random sequences of events for the motion engine and its model.

A run has a robot, up to four clients and some twenty events, then some seconds of quiet, in which
everything that can end ends. Plain runs have frames on the server's clock: direct, delay, broadcast,
CLEAR, CANCEL, leases, ranks, panics and faults. The others have sequences and planning ahead too, and
some of them RATE, HOLD and adaptive sequences; there every command asks for an answer.
"""
import math
import random

import wire
from model import Dof, Robot

INF = math.inf
NOWHERE = 0xFFFF  # the output of a dof that no device moves


def pioneer():
    """A wheeled base that cannot move sideways, with its own controller, and a head."""
    base = [Dof(0, 0, 2, (-INF, INF, 1.0, INF, 2.0), 0), Dof(0, 1, 0, (-INF, INF, 1.0, INF, 2.0), 0),
            Dof(0, 2, 2, (-INF, INF, 2.0, INF, 5.0), 0)]
    head = [Dof(1, 0, 3, (-1.5, 1.5, 2.0, INF, 8.0), 1), Dof(1, 1, 3, (-0.5, 0.5, 2.0, INF, 8.0), 1)]
    return base + head, True


def arm():
    """An arm on a table: joints of several kinds, one that follows another, one that is passive."""
    return [Dof(1, 0, 3, (-2.8, 2.8, 1.5, 90.0, 7.0), 0), Dof(2, 0, 7, (-1.0, 1.0, 1.0, 50.0, 5.0), 0),
            Dof(3, 0, 4, (-1.0, 1.0, 1.0, 20.0, 5.0), 1), Dof(4, 0, 1, (0.0, 0.05, 0.1, 60.0, 0.5), 1),
            Dof(5, 0, 0, (0.0, 0.05, 0.1, 60.0, 0.5), NOWHERE, mimics=True),
            Dof(6, 0, 0, (-1.0, 1.0, 1.0, 1.0, 1.0), NOWHERE)], False


def dancer():
    """A holonomic base and two arms of two dofs."""
    base = [Dof(0, i, 2, (-INF, INF, 0.8, INF, 1.5), 0) for i in range(3)]
    arms = [Dof(1 + i, j, 3, (-2.0, 2.0, 3.0, INF, 12.0), 1 + i) for i in range(2) for j in range(2)]
    return base + arms, False


class Generator:
    """Writes one run."""

    def __init__(self, seed, plain=False):
        self.random = random.Random(seed)
        self.pick, self.chance = self.random.choice, lambda p: self.random.random() < p
        dofs, takes_goto = self.pick((pioneer, arm, dancer))()
        self.robot = Robot(dofs, 1 + max(d.joint for d in dofs), takes_goto, self.pick((10000, 20000)))
        self.plain = plain
        self.slowed = self.chance(0.4) and not plain
        self.ahead = self.pick((0, 0, 0, 30000)) if not plain else 0
        self.limit = self.pick((256, 256, 256, 6))
        self.now, self.tag, self.ident, self.epoch = 1000000, 0, 0, 0
        self.events = []  # time, name, arguments
        self.clients = []  # names of those that are connected
        self.sequences = {}  # client: [id, mode, time of the next frame, spacing, frames left]
        self.sent = {}  # client: tags of its commands
        self.panicked = False
        self.begun = 0  # sequences

    def event(self, name, *args):
        """Something happens now."""
        self.events.append((self.now, name, args))

    def next_tag(self, client=None):
        """A tag that was not used before."""
        self.tag += 1
        if client is not None:
            self.sent.setdefault(client, []).append(self.tag)
        return self.tag

    def send(self, client, kind, records, **fields):
        """A package."""
        self.ident += 1
        self.event("package", client, wire.Package(kind, records, self.ident, **fields))

    def value(self, scale):
        """A value in millionths, so that it is the same on the wire."""
        return round(self.random.uniform(-scale, scale), 3)

    # ---- Commands --------------------------------------------------------------------------------

    def command(self, client):
        """A command, mostly one that the robot has."""
        tag, robot = self.next_tag(client), self.robot
        if robot.base and self.chance(0.4) or self.chance(0.05):
            return self.base_command(tag)
        dof = self.pick([d for d in robot.dofs if d.joint] if self.chance(0.95) else robot.dofs)
        roll = self.random.random()
        if roll < 0.05:
            return wire.Record(wire.HOME, tag, joint=self.pick((dof.joint, wire.ALL_JOINTS, 0, 99)))
        if roll < 0.08:
            return wire.Record(wire.POSE, tag, frame=0)
        if roll < 0.10:
            return wire.Record(wire.SET, tag, targets=[(self.pick((99, dof.joint)), 5, 0.0)], duration=0)
        servo = self.pick([s for s in (1, 2, 4) if dof.servo & s] or [1]) if self.chance(0.95) else self.pick((1, 2, 4))
        targets = [(dof.joint, dof.dof, self.target(dof, servo))]
        if self.chance(0.25):
            others = [d for d in robot.dofs if d.joint and d is not dof and d.servo & servo and not d.mimics]
            if others:
                other = self.pick(others)
                targets.append((other.joint, other.dof, self.target(other, servo)))
            return wire.Record(wire.MOVE, tag, servo=servo, targets=targets, duration=self.duration())
        code = {1: wire.SET, 2: wire.SPEED, 4: wire.FORCE}[servo]
        return wire.Record(code, tag, targets=targets, duration=self.duration())

    def base_command(self, tag):
        """A command of the base."""
        code = self.pick((wire.GOTO, wire.SETSPEED, wire.SETSPEED, wire.SETSPEED, wire.STOP))
        if code == wire.STOP:
            return wire.Record(code, tag)
        scale = 1.0 if code == wire.GOTO or self.chance(0.8) else 5.0
        values = [self.value(scale), 0.0 if self.chance(0.7) else self.value(scale), self.value(scale)]
        return wire.Record(code, tag, values=values, frame=self.pick((0, 0, 1)))

    def target(self, dof, servo):
        """A target for a dof, sometimes beyond its limits."""
        if servo == 1:
            low, high = max(dof.lower, -3.0), min(dof.upper, 3.0)
            middle, half = (low + high) / 2, (high - low) / 2
            return round(middle + self.value(1.0) * half * (1.3 if self.chance(0.1) else 1.0), 6)
        limit = dof.velocity if servo == 2 else min(dof.force, 100.0)
        return round(self.value(1.0) * limit * (1.5 if self.chance(0.1) else 0.8), 6)

    def duration(self):
        """Of a motion, in us."""
        return self.pick((0, 100000, 500000, 1000000, 2000000))

    def flags(self):
        """ACK, always where the model has to look at the answers."""
        return wire.ACK if self.slowed or self.plain or self.chance(0.8) else 0

    def frame(self, client):
        """A frame on the server's clock."""
        mode = self.pick((wire.DIRECT, wire.DELAY, wire.OWN_MODE))
        roll = self.random.random()
        time = 0 if roll < 0.4 else self.now + self.random.randrange(1, 2000000)
        if roll > 0.97:
            time = self.now + 3601 * 10**6
        elif roll > 0.92:
            time = self.now - self.random.randrange(1, 500000)
        flags = self.flags()
        if self.chance(0.06):
            flags |= wire.CLEAR
            self.now += 1
        records = [self.command(client) for _ in range(self.pick((1, 1, 1, 2, 3)))]
        self.send(client, wire.COMMAND, records, mode=mode, time=time, flags=flags)

    # ---- Sequences -------------------------------------------------------------------------------

    def begin(self, client):
        """Announce a sequence."""
        self.tag += 1
        mode = wire.ADAPTIVE if self.slowed and self.chance(0.5) else wire.PLAYBACK
        frames, spacing = self.random.randrange(1, 12), self.pick((50000, 100000, 200000))
        self.begun += 1
        ident = self.begun if self.chance(0.9) else 1
        self.send(client, wire.SESSION, [wire.Record(
            wire.BEGIN, self.next_tag(), sequence=ident, mode=mode, estimate=int(self.chance(0.2)),
            late=self.pick((0, 0, 2)), frames=frames, duration=frames * spacing, target=0)])
        first = self.pick((0, 5000000))
        self.sequences[client] = [ident, mode, first, spacing, frames]
        if not self.slowed or self.chance(0.5):
            while client in self.sequences and self.chance(0.95):
                self.now += self.random.randrange(1, int(spacing * 0.9))
                self.sequence_frame(client)

    def sequence_frame(self, client):
        """The next frame of a client's sequence, or its end."""
        ident, mode, time, spacing, left = self.sequences[client]
        if left == 0 or self.chance(0.02):
            frames = self.pick((left, 0))
            self.send(client, wire.SESSION, [wire.Record(wire.END, self.next_tag(), sequence=ident,
                                                         frames=frames)])
            del self.sequences[client]
            return
        records = [self.command(client) for _ in range(self.pick((1, 1, 2)))]
        self.send(client, wire.COMMAND, records, mode=mode, time=time, sequence=ident, flags=wire.ACK)
        gap = spacing + self.random.randrange(0, spacing // 4)
        if self.chance(0.01):
            gap *= 5
        self.sequences[client] = [ident, mode, time + gap, spacing, left - 1]

    # ---- Everything else -------------------------------------------------------------------------

    def session(self, client):
        """A record of the session."""
        tag, record = self.next_tag(), wire.Record
        choices = [
            lambda: record(wire.MODE, tag, mode=self.pick((0, 1, 1, 7)), late=0),
            lambda: record(wire.LEASE, tag, lease=self.pick((0, 400000, 1000000, 3000000, 10**9))),
            lambda: record(wire.CANCEL, tag, of=self.pick(self.sent.get(client, [0])[-6:] + [0])),
            lambda: record(wire.CANCEL, tag, of=self.pick(self.sent.get(client, [0])[-6:])),
            lambda: record(wire.REPEAT, tag, period=self.pick((70000, 250000)), query=wire.ASK_STATE),
            lambda: record(wire.SILENCE, tag, of=self.pick((0, 0, 99999))),
        ]
        if self.slowed:
            choices += 4 * [lambda: record(wire.RATE, tag, rate=self.pick((0.0, 0.0, 0.5, 1.0, 1.0)),
                                           scope=int(self.chance(0.4)))]
        self.send(client, wire.SESSION, [self.pick(choices)()])

    def query(self, client):
        """A question."""
        code = self.pick((wire.ASK_QUEUES, wire.ASK_BUSY))
        self.send(client, wire.QUERY, [wire.Record(code, self.next_tag())])

    def measured(self):
        """The robot stands somewhere."""
        positions = [round(self.random.uniform(max(d.lower, -1), min(d.upper, 1)), 3) for d in self.robot.dofs]
        self.event("measured", *positions)
        return positions

    def accident(self):
        """Panic, fault, a client that goes."""
        roll = self.random.random()
        if self.panicked:
            positions = self.measured()
            self.event("reset", positions)
            self.panicked = False
        elif roll < 0.3:
            self.epoch += 1
            self.event("panic", self.epoch)
            self.panicked = True
        elif roll < 0.7:
            positions = self.measured()
            outputs = sorted({d.output for d in self.robot.dofs} - {NOWHERE})
            self.event("fault", self.pick(outputs), positions)
        elif len(self.clients) > 1:
            client = self.pick(self.clients)
            self.clients.remove(client)
            if self.slowed or self.begun:  # the model has to see when its frames started
                self.send(client, wire.SESSION, [wire.Record(wire.CANCEL, self.next_tag(), of=0)])
            self.sequences.pop(client, None)
            self.event("leave", client, int(self.chance(0.5)))

    def join(self):
        """A client appears."""
        name = sum(e[1] == "join" for e in self.events)
        self.event("join", name, self.pick((2, 2, 2, 2, 3, 1)),
                   self.pick((0, 0, 0, 1)))
        self.clients.append(name)

    def step(self):
        """One event."""
        gap = self.pick((0, 1000, self.random.randrange(1, 50000), self.random.randrange(1, 600000)))
        client = self.pick(self.clients)
        roll = self.random.random()
        # Only frames come at the same time: whether others find them started is not specified.
        self.now += max(gap, 1) if roll >= 0.55 else gap
        if client in self.sequences and roll < 0.5:
            self.sequence_frame(client)
        elif roll < 0.55:
            self.frame(client)
        elif roll < 0.63 and not self.plain:
            self.begin(client)
        elif roll < 0.75:
            self.session(client)
        elif roll < 0.88:
            self.query(client)
        elif roll < 0.92:
            self.accident()
        elif roll < 0.95 and self.robot.takes_goto:
            self.event("arrived", 0, int(self.chance(0.8)))
        elif len(self.clients) < 4 and self.chance(0.5):
            self.join()

    def run(self):
        """All events of a run."""
        for _ in range(self.pick((1, 2, 2, 3))):
            self.join()
        for _ in range(self.random.randrange(8, 30)):
            self.step()
        if self.slowed:
            for client in self.clients:
                for scope in (0, 1):
                    self.send(client, wire.SESSION, [wire.Record(wire.RATE, self.next_tag(), rate=1.0, scope=scope)])
        self.now += 2500000
        for client in self.clients:
            self.query(client)
        self.now += 2500000
        for client in self.clients:
            self.send(client, wire.SESSION, [wire.Record(wire.CANCEL, self.next_tag(), of=0)])
        for _ in range(2):
            self.now += 1733333
            for client in self.clients:
                self.query(client)
        return self
