"""A reference model of timed motion: queues, modes, holders and signals of several clients.

It is written from the RoboTalk paper, the design page of timed motion and docs/motion-protocol.md,
not from the engine. compare.py runs it beside the engine.

The model receives the same events as the engine, in the same order. It says which signals each
command must have, and with which times. Some times are not fixed by the specification: when a
motion as fast as the limits allow ends, when a slowed time line reaches a frame. For these the
model has bounds. It looks up what the engine answered (`seen`), takes that value if it is within
the bounds and reports a problem if it is not. Everything that follows from it is exact again.

Times are in us of the server's clock. Clients are named by the order in which they joined.
"""
import bisect
import heapq
import math

from wire import (ACK, ADAPTIVE, BEGIN, BUSY, CANCEL, CLEAR, COMMAND, DELAY, DIRECT, END, ERROR, FORCE, GOTO, HOME,
                  INTERRUPTED, LEASE, MODE, MODIFIED, MOVE, NA, OWN_MODE, PANIC, PLAYBACK, QUERY, RATE, REPEAT, SET,
                  SETSPEED, SILENCE, SPEED, STOP, SUCCESS, ALL_JOINTS, ASK_BUSY, ASK_QUEUES, BROADCAST)

HORIZON = 3600 * 10**6  # later times are refused
LONG = 10**9  # an upper bound where there is none
SOON = 0.001  # what starts at once starts after everything that is planned
MARGIN = 15 * 10**5  # a time line with this much in front of it is not slowed
ALWAYS = {PANIC, ERROR, INTERRUPTED, BUSY, NA}  # signals that are sent in every mode
SERVO = {SET: 1, SPEED: 2, FORCE: 4}


class Open(Exception):
    """What follows is not specified: whether a motion has ended before another client comes."""


class Dof:
    """A dof of the robot, with its limits in MKS units, and where its commands have brought it."""

    def __init__(self, joint, dof, servo, limits, output, mimics=False):
        self.joint, self.dof, self.servo, self.output, self.mimics = joint, dof, servo, output, mimics
        self.lower, self.upper, self.velocity, self.force, self.acceleration = limits
        self.reset()

    def reset(self):
        """Nothing has been commanded yet."""
        self.position = 0.0  # None: the specification does not say
        self.arrived, self.since = None, 0  # where it stands after a motion that nothing disturbed, and from when on
        self.active = None  # the command that it plays
        self.owner = None  # the client that it belongs to
        self.unsure, self.unsure_of = 0, None  # it may still be held until then, by this client


class Robot:
    """Dofs in the order of the description; joint 0 is the base."""

    def __init__(self, dofs, joints, takes_goto, period):
        self.dofs, self.joints, self.takes_goto, self.period = dofs, joints, takes_goto, period
        self.base = [d for d in dofs if d.joint == 0]

    def find(self, joint, dof):
        """The dof with this address, or None."""
        return next((d for d in self.dofs if d.joint == joint and d.dof == dof), None)


class Command:
    """A command of a frame from its arrival to its final signal."""

    def __init__(self, frame, record, targets, modified):
        self.frame, self.record, self.tag = frame, record, record.tag
        self.targets = targets  # of each dof that it moves
        self.live = set(targets)  # the dofs that it still holds
        self.modified = modified  # not done as asked
        self.servo = {SET: 1, HOME: 1, SPEED: 2, SETSPEED: 2, STOP: 2, FORCE: 4, GOTO: 0}.get(
            record.code, getattr(record, "servo", 0))
        self.worst = MODIFIED if modified else SUCCESS
        self.start = None
        self.done = False
        self.ends = {}  # bounds of the end at each dof; dofs without a known end are not there
        self.maybe = set()  # signals for dofs that may have ended before
        self.attempt = 0

    @property
    def client(self):
        """Its client."""
        return self.frame.client


class Frame:
    """The commands of a package."""

    def __init__(self, client, package, mode, line, order):
        self.client, self.package, self.mode, self.line, self.order = client, package, mode, line, order
        self.time = package.time
        self.commands = []
        self.waits = False
        self.late = self.disordered = False
        self.rank = order  # among frames that start at the same time
        self.attempt = 0
        self.tau, self.due = package.time, None  # its time on its time line; when it starts
        self.answers = mode == DIRECT or bool(package.flags & ACK)

    def is_silent(self):
        """Whether its start is unknown: no command of it was accepted."""
        return all(c.done for c in self.commands)


class Sequence:
    """A sequence of frames with a time line of its own."""

    def __init__(self, client, record):
        self.client, self.id, self.mode = client, record.sequence, record.mode
        self.paper, self.late, self.expected = record.estimate == 1, record.late, record.frames
        self.duration = record.duration
        self.frames, self.arrivals, self.times = [], [], []  # frames: those that wait
        self.collecting = True
        self.origin = None  # time of the server's clock at time 0 of the sequence, while not slowed
        self.exact = record.mode == PLAYBACK
        self.ended = self.closing = self.over = False
        self.silent = 0  # frames that were dropped, or had played before
        self.attempt = 0
        self.begins = None  # when it starts, as far as is known
        self.over_at = None  # an event, not the plan, has ended its last motion at this time
        self.played = 0
        self.first = 0  # when it started
        self.last = None  # start and time of the frame played last
        self.missing = False  # END has named more frames than have come

    def complete(self):
        """Whether all its frames are known."""
        return self.ended or (self.mode == PLAYBACK and len(self.arrivals) >= self.expected)


class Client:
    """A connection."""

    def __init__(self, name, right, rank, now):
        self.name, self.right, self.rank = name, right, rank
        self.heard, self.lease = now, 5 * 10**6
        self.mode, self.late_rule = DIRECT, 0
        self.rate, self.exact = 1.0, True
        self.sequences = {}
        self.over = []  # playbacks that were over before their END came
        self.broadcasts = {}  # tag: period, next
        self.gone = self.lingers = False
        self.silent = 0  # frames that were dropped, or had played before
        self.queue_exact = True
        self.reported = set()  # what the robot does not have
        self.played = self.late = 0
        self.late_exact = True


class Wanted:
    """A signal that the engine must send: possible signals, and bounds of its times."""

    def __init__(self, signals, final, start, end, package, epoch=None):
        self.signals, self.final, self.start, self.end = signals, final, start, end
        self.package, self.epoch = package, epoch

    def __repr__(self):
        return "%s%s start %s end %s package %d" % (sorted(self.signals), "." if self.final else "...",
                                                   self.start, self.end, self.package)


class Model:
    """All clients of one robot."""

    def __init__(self, robot, seen, limit, ahead):
        self.robot, self.seen, self.limit, self.ahead = robot, seen.signals, limit, ahead
        self.order = seen.order
        self.rests = {dof: seen.rests[index] for index, dof in enumerate(robot.dofs)}
        for dof in robot.dofs:
            dof.reset()
        self.seen_summaries = seen.summaries
        self.now = 0
        self.began = None  # the time of the first event: earlier times are of another server
        self.front = ahead  # up to there everything is planned; what arrives now starts after it
        self.todo, self.turn = [], 0
        self.taken = (0, 0)  # when a dof that moved was taken last, and by which frame: what is due then starts at once
        self.planning = False  # what happens is planned, not caused by an event
        self.clients = {}
        self.waiting = []  # frames on the server's clock, or of sequences that play
        self.ending = False  # a lease ends now
        self.starting = []  # the frame whose commands arrive or start now
        self.wanted = {}  # (client, tag): what must come
        self.summaries = {}  # (client, sequence): possible signals, frames played, first start
        self.queries = []  # (client, tag, code, what is expected)
        self.repeats = {}  # (client, tag): times of answers
        self.problems = []
        self.epoch = 0
        self.panicked = False
        self.robot_rate, self.exact = 1.0, True
        self.lowered = {}  # client: what it has slowed the robot to, also if it has left

    # ---- Time ------------------------------------------------------------------------------------

    def at(self, time, call, *args, order=0):
        """Do something at a time of the plan. Frames of the same time start in order of arrival."""
        self.turn += 1
        heapq.heappush(self.todo, (time, order, self.turn, call, args))

    def at_clock(self, time, call, *args):
        """Do something that cannot be planned: at that time the plan is further already."""
        self.at(time + self.ahead, call, *args)

    def run_to(self, now):
        """Let time pass."""
        self.planning = True
        while self.todo and self.todo[0][0] <= now + self.ahead:
            time, _, _, call, args = heapq.heappop(self.todo)
            self.set_front(time)
            call(*args)
        self.planning = False
        self.set_front(now + self.ahead)

    def set_front(self, time):
        """The plan reaches a time."""
        self.front = max(self.front, time)
        self.now = self.front - self.ahead

    def problem(self, text, *args):
        """Note a disagreement."""
        self.problems.append("at %d: " % self.front + text % args)

    # ---- Signals ---------------------------------------------------------------------------------

    def want(self, client, tag, wanted):
        """The engine must send this signal."""
        if not client.gone:
            self.wanted.setdefault((client.name, tag), []).append(wanted)

    def refuse(self, client, record, package, signals, epoch=None):
        """A command that does not run."""
        self.want(client, record.tag, Wanted(signals, 1, (0, 0), (0, 0), package.id, epoch))

    def answers_of(self, client, tag):
        """What the engine has sent for a tag."""
        return self.seen.get((client.name, tag), [])

    def finish(self, command, signals, end, epoch=None):
        """The last signal of a command."""
        if command.done:
            return
        command.done = True
        if command.maybe:
            signals = {max(a, b) for a in signals for b in command.maybe} | signals | {command.worst}
        for dof in command.live:
            if dof.active is command:
                dof.active = None
        self.settle(command.live)
        if command.frame.line:
            self.check_over(command.frame.line)
        answered = bool(command.maybe) and bool(self.answers_of(command.client, command.tag))
        if command.frame.answers or signals <= ALWAYS or answered:
            start = (0, 0) if command.start is None else command.start
            self.want(command.client, command.tag,
                      Wanted(signals, 1, start, end if command.start else (0, 0), command.frame.package.id, epoch))

    def halt(self, command, signals, epoch=None):
        """End a command before its time; its dofs decelerate."""
        for dof in command.live:
            dof.position, dof.unsure = None, 0
        signals = {max(command.worst, s) for s in signals}
        # When a lease ends, the plan may not have reached its usual length.
        low = self.now if self.ending else self.front
        self.finish(command, signals, (low, self.front + 1), epoch)

    # ---- Holders ---------------------------------------------------------------------------------

    def settle(self, dofs):
        """A dof belongs to a client until it has no command for it; then to the next rank."""
        for dof in dofs:
            if dof.owner and not self.holds(dof.owner, dof):
                rest = [c for c in self.clients.values() if self.holds(c, dof)]
                dof.owner = max(rest, key=lambda c: c.rank, default=None)

    def holds(self, client, dof):
        """Whether a client has a command for a dof that waits or plays."""
        if dof.active and dof.active.client is client:
            return True
        return any(dof in c.live and not c.done for f in self.frames_of(client) for c in f.commands)

    def brake_time(self, dof):
        """The longest time that a dof needs to stand."""
        if not self.exact or not math.isfinite(dof.velocity):
            return LONG
        return int(1e6 * dof.velocity / (0.8 * dof.acceleration)) + 4 * self.robot.period

    # ---- Clients ---------------------------------------------------------------------------------

    def join(self, name, right, rank):
        """A client appears."""
        self.began = self.now if self.began is None else self.began
        self.clients[name] = client = Client(name, right, rank, self.now)
        self.at_clock(client.heard + client.lease, self.lease_ends, client)

    def hear(self, client):
        """Any byte renews the lease."""
        client.heard = self.now
        self.at_clock(client.heard + client.lease, self.lease_ends, client)

    def lease_ends(self, client):
        """What a silent client had queued is dropped, its dofs stop."""
        if self.now >= client.heard + client.lease:
            if self.ahead and any(self.holds(client, d) for d in self.robot.dofs):
                raise Open  # how far the engine has planned
            self.ending = True
            self.drop_all(client, {INTERRUPTED})
            self.ending = client.lingers = False

    def leave(self, client, finish):
        """The connection is closed."""
        client.broadcasts.clear()
        client.gone, client.lingers = True, finish
        if not finish:
            self.drop_all(client, {INTERRUPTED})

    def drop_all(self, client, signals, epoch=None):
        """Drop a client's frames; its dofs stop."""
        for frame in [f for f in self.waiting if f.client is client]:
            if frame.due == self.front or not frame.line and frame.time == self.front:
                raise Open  # whether it has started at this instant
            self.drop(frame, signals, epoch)
        lines = list(client.sequences.values())
        for line in lines:
            line.closing = True
            for frame in list(line.frames):
                self.drop(frame, signals, epoch)
        for dof in self.robot.dofs:
            if dof.active and dof.active.client is client:
                self.halt(dof.active, signals, epoch)
        for dof in self.robot.dofs:
            if dof.unsure_of is client:
                dof.unsure = 0
        for line in lines:
            self.end_sequence(line, signals)

    def drop(self, frame, signals, epoch=None):
        """A frame that waits does not play."""
        frame.waits = False
        if frame in self.waiting:
            self.waiting.remove(frame)
        if frame.line and frame in frame.line.frames:
            frame.line.frames.remove(frame)
            frame.line.silent += not self.sharp(frame.line) and frame.is_silent()
            frame.client.silent += not self.sharp(frame.line) and frame.is_silent()
        for command in frame.commands:
            self.finish(command, signals, (0, 0), epoch)

    # ---- Packages --------------------------------------------------------------------------------

    def package(self, client, package):
        """A package has arrived."""
        self.hear(client)
        if package.kind == COMMAND:
            self.frame(client, package)
        elif package.kind == QUERY:
            for record in package.records:
                if package.mode == BROADCAST:
                    self.repeat(client, record.tag, package.time)
                else:
                    self.query(client, record)
        else:
            for record in package.records:
                self.session(client, record, package)

    def frame(self, client, package):
        """A package with commands."""
        mode = client.mode if package.mode == OWN_MODE else package.mode
        line = None
        reason = None
        if self.panicked:
            reason = PANIC
        elif client.right < 2:
            reason = ERROR
        elif mode in (PLAYBACK, ADAPTIVE):
            self.end_before(client, package.sequence)
            line = client.sequences.get(package.sequence)
            if line and line.collecting and line.begins is not None and line.begins <= self.front == self.taken[0]:
                raise Open  # whether it has started when a dof was taken, before this frame came
            if not line or line.mode != mode:
                reason = ERROR
        elif package.time > self.now + HORIZON or 0 < package.time < self.began:
            reason = ERROR
        if reason is not None:
            for record in package.records:
                self.refuse(client, record, package, {reason}, self.epoch if reason == PANIC else None)
            return
        if package.flags & CLEAR:
            self.clear(client, package, line)
        self.turn += 1
        frame = Frame(client, package, mode, line, self.turn)
        said = any(s.text == "the queue is full" for r in package.records for s in self.answers_of(client, r.tag))
        full = self.depth(client) - self.silent(client) >= self.limit or self.depth(client) >= self.limit and said
        if full and not said and self.starts_now(client):
            raise Open  # whether it has started at this instant, and left the queue
        if full:
            for record in package.records:
                self.refuse(client, record, package, {ERROR})
            return
        self.starting = [frame]
        for record in package.records:
            self.accept(frame, record)
        self.starting = []
        if line:
            self.enqueue(line, frame)
        elif frame.commands:
            self.schedule(frame)

    def starts_now(self, client):
        """Whether a frame of a client starts at this instant, or a sequence that has all its frames."""
        return any(f.client is client and f.due and f.due <= self.front for f in self.waiting) or any(
            s.collecting and (s.complete() or s.begins is not None and s.begins <= self.front)
            for s in client.sequences.values())

    def depth(self, client):
        """Frames of a client that wait."""
        return sum(f.client is client for f in self.waiting) + sum(
            len(s.frames) for s in client.sequences.values() if s.collecting)

    def silent(self, client):
        """Frames that wait and may have played: no signal shows it, or they start at this very instant."""
        return sum(1 for f in self.waiting if f.client is client and (
            self.front in (f.due, f.time) or f.line and not self.sharp(f.line) and (
                f.is_silent() or self.ahead and all(c.done or self.refusals(c) for c in f.commands))))

    def sharp(self, line):
        """Whether the times of a time line are exact: nothing can have slowed it."""
        return line.exact and self.exact and line.client.exact

    def clear(self, client, package, line):
        """CLEAR: drop waiting frames of the same time line at or after this time."""
        for frame in self.frames_of(client):
            if frame.line is line and (frame.time >= package.time or self.is_cleared_now(frame, package)):
                self.drop(frame, {MODIFIED})

    def is_cleared_now(self, frame, package):
        """Whether a frame without a time is dropped: its time is that at which it came, on its time line."""
        return not frame.time and not frame.line and package.time <= self.front and any(
            s.text == "cleared" for c in frame.commands for s in self.answers_of(c.client, c.tag))

    def frames_of(self, client):
        """All frames of a client that wait."""
        found = [f for f in self.waiting + self.starting if f.client is client]
        for sequence in client.sequences.values():
            found += [f for f in sequence.frames if f not in found]
        return found

    def accept(self, frame, record):
        """Check a command and put it into its frame."""
        targets, problem, modified = self.targets(record)
        client, package = frame.client, frame.package
        if problem is not None:
            key = (record.code, record.targets[0][:2] if record.code in SERVO else getattr(record, "joint", None))
            if problem != NA or frame.answers or key not in client.reported:
                self.refuse(client, record, package, {problem})
                client.reported.add(key)
            return
        answers = self.answers_of(client, record.tag)
        busy = any(a.signal == BUSY for a in answers)
        for dof in targets:
            foreign = dof.owner not in (None, client) and (
                dof.owner.rank >= client.rank or (dof.active and dof.active.record.code == HOME))
            if self.is_unsure(dof) and (foreign or busy or dof.owner is not client):
                raise Open
            if foreign and not busy and self.starts_now(dof.owner):
                raise Open  # whether it has started and ended at this instant
            if foreign:
                self.refuse(client, record, package, {BUSY})
                return
        stops = record.code == STOP and frame.mode == DIRECT and min(client.rate, self.robot_rate) == 0
        if stops and any(self.is_unsure(d) for d in self.robot.base):
            raise Open  # whether a dof that came to rest belongs to another client again
        if stops and self.starts_now(client):
            raise Open  # whether a frame of this instant has started, which it stops
        if stops and all(d.owner in (None, client) for d in self.robot.base):
            self.stop_in_hold(client, record, package)
            return
        if self.held(client, frame, record, targets):
            self.refuse(client, record, package, {BUSY})
            return
        frame.commands.append(Command(frame, record, targets, modified))
        for dof in targets:
            rival, dof.owner = dof.owner, client
            if rival not in (None, client) and self.starts_now(rival):
                raise Open  # whether it has started at this instant
            if rival not in (None, client) and dof.active and dof.active.client is rival:
                self.taken = (self.front, frame.order)
                self.lose(dof, {INTERRUPTED})

    def lose(self, dof, signals):
        """A command loses one of its dofs, which brakes. A GOTO drives all of them or none."""
        command = dof.active
        if command.record.code == GOTO:
            self.halt(command, {max(command.worst, *signals)})
            return
        if self.arrives_now(command):
            raise Open
        command.live.discard(dof)
        if dof in command.ends and self.may_have_ended(command, dof):
            if INTERRUPTED in signals:
                raise Open
            command.maybe |= signals
        else:
            command.worst = max(command.worst, *signals)
        dof.active, dof.position, dof.arrived, dof.unsure = None, None, None, 0
        if not command.live:
            self.finish(command, {command.worst}, (self.front, self.front + 1))
        else:
            self.await_end(command)

    def arrives_now(self, command):
        """Whether a motion may arrive in the instant in which something else starts: slowed time does not say."""
        return self.is_slowed(command) and any(s.final and s.signal == SUCCESS and abs(s.end - self.front) <= 1
                                               for s in self.answers_of(command.client, command.tag))

    def stop_in_hold(self, client, record, package):
        """STOP while time is held: the base stands already, and what moved it ends."""
        for dof in self.robot.base:
            if dof.active:
                self.lose(dof, {MODIFIED})
        self.settle(self.robot.base)
        self.want(client, record.tag, Wanted({SUCCESS}, 1, (0, 0), (0, 0), package.id))

    def held(self, client, frame, record, targets):
        """Whether a direct command has to wait for the end of a hold."""
        if frame.mode != DIRECT or record.code == STOP:
            return False
        stalls = any(d.active and d.active.frame.line and not self.sharp(d.active.frame.line) for d in targets)
        if min(client.rate, self.robot_rate) > 0 and not stalls:
            return False
        if any(d.active for d in targets) and not stalls:
            return True
        return any(s.signal == BUSY and s.text.endswith("is held") for s in self.answers_of(client, record.tag))

    def targets(self, record):
        """The dofs that a command moves and their targets; or the signal with which it is refused."""
        robot, code = self.robot, record.code
        if code in (GOTO, SETSPEED, STOP):
            return self.base_targets(record)
        if code == HOME:
            chosen = [d for d in robot.dofs if d.joint and record.joint in (d.joint, ALL_JOINTS) and d.servo & 1]
            return ({d: 0.0 for d in chosen}, None, False) if chosen else (None, NA, False)
        if code not in (SET, SPEED, FORCE, MOVE):
            return None, NA, False
        servo = record.servo if code == MOVE else SERVO[code]
        if servo not in (1, 2, 4):
            return None, ERROR, False
        found, modified = {}, False
        for joint, index, value in record.targets:
            dof = robot.find(joint, index) if joint else None
            if not dof or dof.mimics or not dof.servo & servo:
                return None, NA, False
            low, high = {1: (dof.lower, dof.upper), 2: (-dof.velocity, dof.velocity),
                         4: (-dof.force, dof.force)}[servo]
            found[dof] = min(max(value, low), high)
            modified = modified or found[dof] != value
        return found, None, modified

    def base_targets(self, record):
        """GOTO, SETSPEED, STOP."""
        robot, moved = self.robot, [d for d in self.robot.base if d.servo]
        if not moved or (record.code == GOTO and not robot.takes_goto):
            return None, NA, False
        if record.code == GOTO:
            return ({d: None for d in robot.base}, None, False) if record.frame < 2 else (None, ERROR, False)
        if record.code == STOP:
            return {d: 0.0 for d in moved}, None, False
        found = {d: min(max(record.values[d.dof], -d.velocity), d.velocity) for d in moved}
        asked = {d: record.values[d.dof] for d in robot.base}
        return found, None, any(found.get(d, 0.0) != value for d, value in asked.items())

    # ---- Frames ----------------------------------------------------------------------------------

    def schedule(self, frame):
        """A frame on the server's clock waits for its time."""
        frame.waits = True
        self.waiting.append(frame)
        exact = self.exact and frame.client.exact
        if frame.time > self.front and exact:
            self.at(frame.time + SOON, self.start_on_time, frame, frame.attempt, order=frame.order)
            return
        if not exact:
            frame.client.late_exact = False
            self.schedule_slowed(frame)
            return
        frame.tau = frame.time or self.front
        frame.late = 0 < frame.time <= self.front
        frame.client.late += frame.late
        earliest = max(self.front, frame.time)
        start = self.seen_start(frame)
        if start is not None and earliest <= start <= earliest + self.robot.period:
            frame.due = start
            self.at(start + SOON, self.start, frame, start, order=frame.order)
        else:
            frame.due = earliest
            self.at(earliest + SOON, self.start, frame, (earliest, earliest + self.robot.period), order=frame.order)

    def schedule_slowed(self, frame):
        """A frame on the server's clock starts when the engine says, not too early."""
        start = self.seen_start(frame)
        if start is not None and frame.due == start:
            return  # it is waited for already
        if start is not None:
            frame.due = start
            self.at(max(start + SOON, self.front), self.start, frame, start, order=frame.order)
            if start < frame.time:
                self.problem("a frame of client %d at %d starts at %d", frame.client.name, frame.time, start)
        elif frame.commands and all(self.refusals(c) for c in frame.commands):
            refused = self.refused_at(frame)
            frame.client.queue_exact = frame.client.queue_exact and not self.ahead
            frame.due = max(frame.time, self.front, refused or 0)
            self.at(frame.due + SOON, self.start, frame, frame.due, order=frame.order)

    def start_on_time(self, frame, attempt):
        """A frame is due, unless its time line was slowed."""
        if attempt == frame.attempt:
            self.start(frame, frame.time)

    def seen_start(self, frame):
        """When the engine started a frame."""
        for command in frame.commands:
            for signal in self.answers_of(frame.client, command.tag):
                if signal.start:
                    return signal.start
        return None

    def must_wait(self, frame, due):
        """Whether frames of its time line start before it at this instant; then it gets another rank."""
        before = [f.rank for f in self.waiting if f is not frame and f.line is frame.line and
                  f.client is frame.client and f.due == due and self.precedes(f, frame)]
        if not before or max(before) < frame.rank:
            return False
        if due <= self.taken[0] and frame.order <= self.taken[1]:
            raise Open  # whether it has started when a dof was taken, before the others came
        frame.rank = max(before) + SOON
        return True

    def precedes(self, one, other):
        """Whether a frame of a client starts before another one of the same instant: by time, then by arrival."""
        if one.line or (self.exact and one.client.exact) or bool(one.time) == bool(other.time):
            return (one.tau, one.order) < (other.tau, other.order)
        # Time 0 is that of the time line, which is behind the server's clock: take the order of the engine.
        if one.mode != DIRECT or other.mode != DIRECT:
            raise Open
        return self.first_signal(one) < self.first_signal(other)

    def first_signal(self, frame):
        """The place of the first signal of a frame that has started, among those of its client."""
        tags = {c.tag for c in frame.commands}
        return next((n for n, (tag, s) in enumerate(self.order[frame.client.name]) if tag in tags and s.start), LONG)

    def start(self, frame, when):
        """A frame plays: its commands start together."""
        if not frame.waits:
            return
        if self.ahead and self.front > frame.client.heard + frame.client.lease:
            raise Open  # whether the engine had planned this far when the lease ended
        if self.must_wait(frame, when[0] if isinstance(when, tuple) else when):
            self.at(self.front, self.start, frame, when, order=frame.rank)
            return
        frame.waits = False
        if frame in self.waiting:
            self.waiting.remove(frame)
        if frame.line:
            frame.line.frames.remove(frame)
        frame.client.played += 1
        bounds = when if isinstance(when, tuple) else (when, when)
        self.starting = [frame]
        for command in frame.commands:
            exact = self.sharp(frame.line) if frame.line else frame.client.queue_exact
            if not command.done and self.refusals(command) and not exact:
                self.finish(command, self.refusals(command), (0, 0))  # at some time before or after this one
            elif not command.done:
                self.begin(command, bounds)
        self.starting = []

    def refusals(self, command):
        """With what the engine has refused a command when it was due."""
        seen = self.answers_of(command.client, command.tag)
        return {s.signal for s in seen if not s.start and (s.signal == BUSY or "taken by" in s.text)}

    def refused_at(self, frame):
        """When the engine has refused all commands of a frame that was due; None if that is not known."""
        refused = [s.sent for c in frame.commands for s in self.answers_of(c.client, c.tag)
                   if not s.start and s.signal in self.refusals(c)]
        if not refused or not all(c.done or self.refusals(c) for c in frame.commands):
            return None
        return refused[0]

    def begin(self, command, bounds):
        """A command starts."""
        for dof in command.targets:
            if dof.unsure > self.front and dof.unsure_of is not command.client or (
                    dof.owner is not command.client and self.is_unsure(dof)):
                raise Open
        if self.ahead and any(d.owner and d.owner is not command.client and d.owner.heard + d.owner.lease <= self.front
                              for d in command.targets):
            raise Open  # whether the engine had planned this far before the lease of the other one ended
        if any(d.owner is not command.client for d in command.targets):
            if bounds[0] <= self.taken[0]:
                raise Open  # whether a motion without a way of the other one has ended when a dof was taken
            goes_home = any(d.owner is command.client and d.active and d.active.record.code == HOME
                            for d in command.targets)
            self.finish(command, {INTERRUPTED, BUSY} if goes_home else {INTERRUPTED}, (0, 0))
            return
        for dof in command.targets:
            if dof.active and dof.active.record.code == HOME and command.record.code != STOP:
                started = len(dof.active.targets) > 1 and any(s.start for s in self.answers_of(command.client, command.tag))
                if self.is_unsure(dof) or self.arrives_now(dof.active) or started and self.is_slowed(dof.active):
                    raise Open  # whether one of its dofs arrives now: slowed time does not say
                self.finish(command, {BUSY}, (0, 0))
                return
        for dof in command.targets:
            if dof.active and bounds[0] <= self.taken[0] and dof.active.frame.order <= self.taken[1] < command.frame.order:
                raise Open  # whether it has ended when a dof was taken, before this command came
            if dof.active:
                self.lose(dof, {MODIFIED})
            dof.owner, dof.unsure = command.client, 0
        command.start = bounds
        if command.frame.mode == DIRECT:
            self.want(command.client, command.tag, Wanted({MODIFIED if command.modified else SUCCESS}, 0, bounds, (0, 0),
                                                          command.frame.package.id))
        for dof in command.targets:
            bounds_of = self.length(command, dof)
            if bounds_of:
                low, high, possible = bounds_of
                command.ends[dof] = self.seen_end(command, dof, self.front + low, self.front + high) + (possible,)
        for dof in command.targets:
            dof.active, dof.position, dof.arrived = command, None, None
        self.await_end(command)
        if len(command.targets) > 1:
            for dof, (_, high, _) in command.ends.items():
                self.at(high, self.release, command, dof)

    def seen_end(self, command, dof, low, high):
        """Bounds of the end of a motion, from when the engine brought the dof to rest: not before that."""
        rests, start, period = self.rests[dof], int(self.front), self.robot.period
        asked = getattr(command.record, "duration", 0)
        first = bisect.bisect_left(rests, (start,))
        if first > 0 and (first == len(rests) or rests[first][0] > start):
            first -= 1  # as it was before
        elif first < len(rests) and rests[first][0] == start and command.servo == 1 and rests[first][1] not in (0, 1):
            return low, high  # another command has replaced it in the same instant
        for number, (time, servo, value) in enumerate(rests[first:], first + 1):
            if servo < 0:
                return low, high
            if servo != command.servo or servo == 1 and abs(value - command.targets[dof]) > 1e-12:
                continue
            time, until = max(time, start), rests[number][0] if number < len(rests) else LONG
            if servo == 1 and time == start and asked and self.is_slowed(command):
                return max(low, start + asked), high
            if servo == 1 and time == start and until < start + asked:
                continue
            if servo == 1 and time == start:
                time += asked  # it is there already
            if servo == 1:
                return (time, time + 1) if low - 1 <= time <= high + 1 else (low, high)
            # The last period of a brake has the speed of its end. It may also stand because time is held.
            sure = until > time + period and low - 1 <= time <= high + 1 and not self.is_slowed(command)
            return max(low, min(time, high)), time + period + 1 if sure else high
        return high, high

    def is_slowed(self, command):
        """Whether its time line may be slowed."""
        line = command.frame.line
        return not self.exact or not command.client.exact or bool(line) and not line.exact

    def release(self, command, dof):
        """One of the dofs of a command has arrived."""
        if not command.done and dof.active is command and len(command.live) > 1 and (
                self.front >= command.ends[dof][1] - 1):
            command.live.discard(dof)
            command.worst = max(command.worst, min(command.ends[dof][2]))
            command.maybe |= command.ends[dof][2] - {min(command.ends[dof][2])}
            dof.active = None
            dof.position = dof.arrived = command.targets[dof] if command.servo == 1 else None
            dof.since = self.front
            self.settle([dof])
            if command.frame.line:
                self.check_over(command.frame.line)

    def await_end(self, command):
        """A command ends by itself when all its dofs have come to their ends."""
        command.attempt += 1
        if any(d not in command.ends for d in command.live):
            return
        low, high = (max(command.ends[d][i] for d in command.live) for i in (0, 1))
        low = max(low, self.front) if len(command.live) < len(command.targets) else low
        for signal in self.answers_of(command.client, command.tag):
            possible = {SUCCESS, MODIFIED, command.worst} | command.maybe
            if signal.final and signal.signal in possible and low - 1 <= signal.end <= high + 1:
                # It may also have been replaced at this time, which the model finds out then.
                # A motion without a way ends after everything of its instant has started.
                sure = signal.signal == SUCCESS and signal.end > self.front
                when = signal.end if sure else signal.end + 2 * SOON
                self.at(when, self.reached, command, command.attempt, (signal.end, signal.end))
                return
            if signal.final and signal.end <= high and (signal.end < low - 1 or signal.signal not in possible):
                return  # something else ends it before, which the model has to find out by itself
        if not command.frame.answers and self.answers_of(command.client, command.tag):
            return  # something went wrong with it before it came to its end
        for dof in command.live:
            dof.unsure, dof.unsure_of = max(dof.unsure, high), command.client
        when = low if not command.frame.answers else high
        if when <= self.front:
            when = self.front + SOON  # also without an answer: after everything of its instant has started
        self.at(when, self.reached, command, command.attempt, (low, high))

    def end_later(self, command):
        """The time line of a motion may be slowed from now on: its end has no upper bound."""
        for dof, (low, _, signals) in command.ends.items():
            command.ends[dof] = (low, LONG, signals)
        self.await_end(command)

    def reached(self, command, attempt, end):
        """A motion has arrived."""
        if command.done or attempt != command.attempt:
            return
        known = command.servo == 1 and end[1] - end[0] < 2
        for dof in command.live:
            dof.position = dof.arrived = command.targets[dof] if known else None
            dof.since = self.front
        signals = {SUCCESS}
        for dof in command.live:
            signals = {max(a, b) for a in signals for b in command.ends[dof][2]}
        self.finish(command, {max(command.worst, s) for s in signals}, end)

    def length(self, command, dof):
        """Bounds of the time that a dof needs and possible signals; None if it lasts."""
        period, target = self.robot.period, command.targets[dof]
        slowed = self.is_slowed(command)
        if command.servo == 2 and target == 0:
            return 0, LONG if slowed else self.brake_time(dof), {SUCCESS}
        if command.servo == 2 and math.isfinite(dof.upper if target > 0 else dof.lower):
            return 0, LONG, {MODIFIED}  # it stands at the limit of its position
        if command.servo != 1:
            return None
        asked = getattr(command.record, "duration", 0)
        if dof.position is None or dof.active or slowed:
            return 0, LONG, {SUCCESS, MODIFIED}  # a moving dof may have to be faster than asked for to keep its limits
        way = abs(target - dof.position)
        if asked:
            least = cubic(way, dof.velocity, dof.acceleration)
            most = cubic(way, dof.velocity, 0.8 * dof.acceleration)
            if most <= asked:
                return asked, asked + 1, {SUCCESS}
            signals = {MODIFIED} if least > asked + SOON else {SUCCESS, MODIFIED}  # the shortest one may be the one asked for
            return int(max(asked, least)), int(max(asked, most)) + 2 * period, signals
        least = fastest(way, dof.velocity, dof.acceleration)
        most = fastest(way, dof.velocity, 0.8 * dof.acceleration)
        return int(max(0, least - period)), int(1.1 * most) + 4 * period, {SUCCESS}

    # ---- Sequences -------------------------------------------------------------------------------

    def enqueue(self, line, frame):
        """A frame of a sequence has arrived."""
        if line.exact and line.origin is not None and line.times and (
                max(line.times) - (self.front - line.origin) < MARGIN) and not line.complete():
            self.blur(line)
        frame.disordered = frame.time < max(line.times, default=0) or line.complete()
        line.arrivals.append(self.now)
        line.times.append(frame.time)
        line.frames.append(frame)
        frame.waits = True
        if line.collecting:
            self.estimate(line)
        else:
            self.waiting.append(frame)
            self.plan(line, frame)

    def estimate(self, line):
        """Find the time at which a playback can start."""
        line.attempt += 1
        spacings = len(line.arrivals) - 1
        low = high = self.front
        if not line.complete() and line.mode == ADAPTIVE:
            high = LONG
        elif not line.complete():
            if spacings < 5:
                return
            low, high = estimates(line)
        low, high = max(self.front, low), max(self.front, high) + 1
        seen = self.seen_line_start(line)
        if high > LONG and seen is None:
            return
        when = seen if seen is not None and low - 1 <= seen <= high else low
        line.begins = when
        self.at(max(when + SOON, self.front), self.begin_line, line, line.attempt, when)

    def seen_line_start(self, line):
        """When the engine started a sequence: from its summary, or from a frame."""
        summary = self.seen_summary(line)
        if summary and summary.start:
            return summary.start
        frames = sorted(line.frames, key=lambda f: (f.time, f.order))
        return next((self.seen_start(f) - f.time + frames[0].time for f in frames if self.seen_start(f)), None)

    def seen_summary(self, line):
        """The engine's summary of a sequence."""
        number = len(self.summaries.get((line.client.name, line.id), []))
        return next(iter(self.seen_summaries.get((line.client.name, line.id), [])[number:]), None)

    def begin_line(self, line, attempt, when):
        """A playback starts: its frames move to the command queue."""
        if attempt != line.attempt or not line.collecting or line.over:
            return
        line.collecting = False
        times = sorted(f.time for f in line.frames)
        gaps = sorted(b - a for a, b in zip(times, times[1:]))
        if line.mode == PLAYBACK and len(gaps) > 1 and gaps[-1] > 2 * gaps[(len(gaps) - 1) // 2]:
            line.closing = True
            for frame in list(line.frames):
                self.drop(frame, {ERROR})
            self.end_sequence(line, {ERROR})
            return
        line.first = when
        if not line.frames:
            self.check_over(line)
            return
        line.origin = when - min(f.time for f in line.frames)
        for frame in sorted(line.frames, key=lambda f: (f.time, f.order)):
            self.waiting.append(frame)
            if self.sharp(line):
                self.at(line.origin + frame.time + SOON, self.start_of_line, line, frame, line.origin + frame.time,
                        frame.attempt, order=frame.order)
            else:
                self.follow(line, frame)

    def plan(self, line, frame):
        """Say when a frame starts that has come after the start of its sequence."""
        if self.sharp(line):
            start = line.origin + frame.time
            if start > self.front:
                self.at(start + SOON, self.start_of_line, line, frame, start, frame.attempt, order=frame.order)
                return
            frame.late = True
            frame.client.late += 1
            if line.complete() and frame.is_silent():
                self.at(self.front + SOON, self.start_of_line, line, frame, self.front, frame.attempt, order=frame.order)
                return
        else:
            frame.client.late_exact = False
        self.follow(line, frame)

    def blur(self, line):
        """A time line may be slowed from now on."""
        line.exact = False
        for frame in line.frames:
            frame.attempt += 1
            self.follow(line, frame)
        for command in {d.active for d in self.robot.dofs if d.active and d.active.frame.line is line}:
            if command.servo == 2:  # a speed that is 0 may be that of a time line that stands
                self.end_later(command)

    def follow(self, line, frame):
        """A frame of a time line that may have been slowed starts when the engine says, in order."""
        start = self.seen_start(frame)
        summary = self.seen_summary(line)
        if start is None:
            start = self.refused_at(frame)
            if summary and summary.played == summary.frames:
                latest = summary.end - SOON  # no command of it has run; a refusal is seen later than it happens
                start = latest if start is None else min(start, latest)
        if start is not None:
            frame.due = start
            self.at(max(start + SOON, self.front), self.start_of_line, line, frame, start, frame.attempt, order=frame.rank)

    def start_of_line(self, line, frame, when, attempt):
        """A frame of a sequence is due."""
        if not frame.waits or attempt != frame.attempt:
            return
        if self.must_wait(frame, when):
            self.at(self.front, self.start_of_line, line, frame, when, attempt, order=frame.rank)
            return
        near = not line.complete() and max(line.times) - frame.time < MARGIN
        if line.exact and (near or not self.exact or not line.client.exact):
            self.blur(line)
            return
        for earlier in sorted(line.frames, key=lambda f: (f.time, f.order)):
            if (earlier.time, earlier.order) < (frame.time, frame.order) and self.seen_start(earlier) is None:
                line.played += 1
                self.start(earlier, when)
        if not frame.disordered and self.seen_start(frame) is not None:
            start, time = line.last or (when, frame.time)
            if when - start < frame.time - time - 2:
                self.problem("frame at %d of sequence %d plays %d us after the one at %d", frame.time, line.id,
                             when - start, time)
            line.last = (when, frame.time)
        line.played += 1
        self.start(frame, when)
        self.check_over(line)

    def check_over(self, line):
        """A sequence has ended when its frames have played and motions that end have ended."""
        if not line.complete() or line.collecting or line.frames or line.closing:
            return
        if self.drives(line):
            return
        ends = [d.active.ends[d] for d in self.robot.dofs
                if d.active and d.active.frame.line is line and d in d.active.ends]
        latest = max([self.front] + [e[1] for e in ends]) + self.robot.period
        line.attempt += 1
        seen = self.seen_summary(line)
        natural = seen and seen.signal == (MODIFIED if line.missing else SUCCESS)
        when = seen.end if natural and self.front - 1 <= seen.end <= latest else latest
        if natural or not ends:
            line.over_at = self.front if natural and not self.planning and when <= self.front else None
            self.at(max(when + SOON, self.front), self.over, line, line.attempt)

    def drives(self, line):
        """A GOTO of a sequence ends when the base has arrived."""
        return any(d.active and d.active.frame.line is line and d.active.record.code == GOTO for d in self.robot.base)

    def over(self, line, attempt):
        """A sequence ends, unless a frame has come."""
        if attempt == line.attempt and not line.frames and not self.drives(line):
            if not line.ended and not line.over:
                line.client.over = [*line.client.over, line.id][-9:]
            self.end_sequence(line, {MODIFIED} if line.missing else {SUCCESS})

    def end_before(self, client, ident):
        """Events of the same time happen in the order of their arrival: one before this may have ended a sequence."""
        line = client.sequences.get(ident)
        if line and line.over_at == self.front:
            self.over(line, line.attempt)

    def end_sequence(self, line, signals):
        """One SUMMARY for each sequence."""
        if line.over:
            return
        line.over = True
        line.client.sequences.pop(line.id, None)
        if not line.client.gone:
            silent = sum(1 for f in line.frames if not self.sharp(line) and f.is_silent())
            self.summaries.setdefault((line.client.name, line.id), []).append(
                (signals, line.played, line.played + silent + line.silent, line.first))

    # ---- Session and queries ---------------------------------------------------------------------

    def session(self, client, record, package):
        """A record of the session; each has one SIGNAL or an answer of its own."""
        signal = {MODE: self.set_mode, BEGIN: self.begin_sequence, END: self.finish_sequence, REPEAT: self.broadcast,
                  SILENCE: self.silence, CANCEL: self.cancel, RATE: self.set_rate, LEASE: self.set_lease}[
                      record.code](client, record)
        if signal is not None:
            self.want(client, record.tag, Wanted({signal}, 1, (0, LONG), (0, LONG), package.id))

    def set_mode(self, client, record):
        """MODE."""
        if record.mode not in (DIRECT, DELAY, PLAYBACK, ADAPTIVE) or record.late > 2:
            return ERROR
        client.mode, client.late_rule = record.mode, record.late
        return SUCCESS

    def begin_sequence(self, client, record):
        """BEGIN."""
        if self.panicked:
            return PANIC
        if client.right < 2 or record.sequence == 0 or record.sequence in client.sequences:
            return ERROR
        if record.mode not in (PLAYBACK, ADAPTIVE) or record.estimate > 1 or record.late > 2:
            return ERROR
        if record.mode == PLAYBACK and not (record.frames == 1 or (record.frames and record.duration)):
            return ERROR
        client.sequences[record.sequence] = Sequence(client, record)
        client.over = [id for id in client.over if id != record.sequence]
        return SUCCESS

    def finish_sequence(self, client, record):
        """END."""
        line = client.sequences.get(record.sequence)
        if not line and record.sequence in client.over:
            client.over.remove(record.sequence)
            return SUCCESS
        if not line:
            return ERROR
        line.ended = True
        line.missing = len(line.arrivals) < record.frames
        if line.collecting:
            self.estimate(line)
        else:
            self.check_over(line)
        return SUCCESS

    def broadcast(self, client, record):
        """BROADCAST."""
        self.repeat(client, record.tag, record.period)
        return SUCCESS

    def repeat(self, client, tag, period):
        """A query that re-inserts itself at its time plus the period."""
        client.broadcasts[tag] = period
        self.repeats[(client.name, tag)] = []
        self.repeated(client, tag, self.now)

    def repeated(self, client, tag, when):
        """A query of a broadcast is due."""
        if tag in client.broadcasts:
            self.repeats[(client.name, tag)].append(when)
            self.at_clock(when + client.broadcasts[tag], self.repeated, client, tag, when + client.broadcasts[tag])

    def silence(self, client, record):
        """SILENCE."""
        for tag in [t for t in client.broadcasts if record.of in (0, t)]:
            del client.broadcasts[tag]
        return SUCCESS

    def cancel(self, client, record):
        """CANCEL: commands end; their dofs decelerate."""
        if record.of == 0:
            self.drop_all(client, {MODIFIED})
            return SUCCESS
        for frame in self.frames_of(client):
            for command in list(frame.commands):
                if command.tag == record.of:
                    frame.commands.remove(command)
                    self.finish(command, {MODIFIED}, (0, 0))
            if not frame.commands and not frame.line:
                self.drop(frame, {MODIFIED})
            elif not frame.line and not (self.exact and client.exact):
                self.schedule_slowed(frame)  # what is left of it may have been refused
            elif frame.line and not frame.line.collecting and not self.sharp(frame.line):
                frame.attempt += 1
                self.follow(frame.line, frame)
        for dof in self.robot.dofs:
            if dof.active and dof.active.client is client and dof.active.tag == record.of:
                self.halt(dof.active, {MODIFIED})
        return SUCCESS

    def set_rate(self, client, record):
        """RATE: own, or of the robot, which only those that lowered it or an operator may raise."""
        if record.scope > 1 or client.right < 2:
            return ERROR
        if record.scope == 0:
            client.exact = client.exact and record.rate == client.rate
            client.rate = record.rate
            if not client.exact:
                self.slow([client])
            return SUCCESS
        others = min((rate for who, rate in self.lowered.items() if who is not client), default=1.0)
        if record.rate > max(self.robot_rate, others) and client.right < 3:
            return ERROR
        self.exact = self.exact and record.rate == self.robot_rate
        if record.rate > others:  # an operator's
            self.lowered = {who: max(rate, record.rate) for who, rate in self.lowered.items()}
        self.lowered[client] = record.rate
        self.robot_rate = record.rate
        if not self.exact:
            self.slow(list(self.clients.values()))
        return SUCCESS

    def slow(self, clients):
        """Time lines of clients may be slowed from now on: their times are only bounds."""
        for frame in [f for f in self.waiting if f.client in clients and not f.line]:
            frame.attempt += 1
            self.schedule_slowed(frame)
        for command in {d.active for d in self.robot.dofs if d.active and d.active.client in clients}:
            self.end_later(command)
        for line in [s for c in clients for s in c.sequences.values()]:
            self.check_over(line)  # its last motions take longer

    def set_lease(self, client, record):
        """LEASE is answered with the lease granted."""
        client.lease = min(record.lease or 5 * 10**6, 30 * 10**6)
        self.queries.append((client.name, record.tag, LEASE, client.lease))
        self.hear(client)

    def query(self, client, record):
        """Queries have priority 0: they are answered at once."""
        expected = None
        if record.code == ASK_QUEUES:
            collected = sum(len(s.frames) for s in client.sequences.values() if s.collecting)
            expected = client.queue_exact and (self.depth(client) - collected, collected, client.played,
                        client.late if client.late_exact else None, client.rate, self.robot_rate,
                        self.silent(client) + client.silent)
        elif record.code == ASK_BUSY:
            expected = self.holders()
        self.queries.append((client.name, record.tag, record.code, expected))

    def holders(self):
        """Holders of dofs, for sure and perhaps."""
        sure = {(d.joint, d.dof, d.owner.name) for d in self.robot.dofs if d.owner and not self.is_unsure(d)}
        return sure, {(d.joint, d.dof) for d in self.robot.dofs if self.is_unsure(d)}

    def is_unsure(self, dof):
        """Whether a dof may be held or not."""
        command = dof.active
        if dof.unsure > self.front:
            low, high, _ = command.ends[dof] if command and dof in command.ends else (0, LONG, None)
            return high - low > 2 or self.front >= low - 1  # not if its end is known, and is later
        if self.ahead and any(self.refusals(c) for f in self.waiting if not (
                self.sharp(f.line) if f.line else self.exact and f.client.exact) for c in f.commands
                              if dof in c.live and not c.done):
            return True
        return bool(command and dof in command.ends and (len(command.targets) > 1 or not command.frame.answers) and
                    self.may_have_ended(command, dof))

    def may_have_ended(self, command, dof):
        """Whether the bounds of the end of a motion have been reached."""
        low, high, _ = command.ends[dof]
        return self.front >= low - (self.robot.period if high - low > 2 else 1)

    # ---- Robot -----------------------------------------------------------------------------------

    def panic(self, epoch):
        """Every queue of every client is flushed; commands are refused until the reset."""
        self.epoch, self.panicked = epoch, True
        for client in self.clients.values():
            self.drop_all(client, {PANIC}, epoch)

    def reset(self, measured):
        """The panic has ended. Commanded states become the measured ones."""
        self.panicked = False
        for dof, position in zip(self.robot.dofs, measured):
            dof.position, dof.unsure, dof.arrived = position, 0, None

    def fault(self, output, measured):
        """A device has failed: nothing buffered by the clients that moved it is played."""
        moved = [d for d in self.robot.dofs if d.output == output]
        for client in list(self.clients.values()):
            held = [d for d in moved if self.holds(client, d)]
            if held and all(self.is_unsure(d) for d in held):
                raise Open
            if held:
                self.drop_all(client, {INTERRUPTED})
        for dof, position in zip(self.robot.dofs, measured):
            if dof.output == output:
                dof.position, dof.unsure, dof.arrived = position, 0, None

    def arrived(self, reached):
        """The base's own controller has ended its GOTO."""
        for dof in self.robot.base:
            command = dof.active
            if command and command.record.code == GOTO:
                self.finish(command, {SUCCESS} if reached else {INTERRUPTED}, (self.now, self.front + 1))


def cubic(way, velocity, acceleration):
    """The shortest duration, in us, of a cubic from rest to rest."""
    return 1e6 * max(1.5 * way / velocity, math.sqrt(6 * way / acceleration))


def fastest(way, velocity, acceleration):
    """The duration, in us, of a trapezoid of speed from rest to rest."""
    if way * acceleration < velocity * velocity:
        return 2e6 * math.sqrt(way / acceleration)
    return 1e6 * (way / velocity + velocity / acceleration)


def estimates(line):
    """Bounds of the earliest start of a playback, of a microsecond."""
    arrivals, spacings = line.arrivals, len(line.arrivals) - 1
    missing = line.expected - len(arrivals)
    gaps = [b - a for a, b in zip(arrivals, arrivals[1:])]
    mean = sum(gaps) / spacings
    if line.paper:
        times = sorted(line.times)
        ratio = (times[-1] - times[0]) / spacings / mean if mean else 1.0
        start = arrivals[0] + max(0.0, line.duration * (1 / ratio - 1)) if ratio else arrivals[-1]
        return start - 1, start + 1
    deviation = math.sqrt(sum((g - mean)**2 for g in gaps) / (spacings - 1))
    start = arrivals[-1] + missing * mean - line.duration + 2.25 * deviation * math.sqrt(
        missing**2 / spacings + missing)
    return start - 1, start + 1
