#!/usr/bin/env python3
"""After a freeze of the server nothing that waited for it for longer than its lease moves a robot.
argv: the troupe program, the plug-in stopwatch.

A client sends velocities, each of which is the time it was sent at, and the server or a part of it is stopped for a while
(SIGSTOP, or a driver that keeps the loop). The line of the base shows which velocities were written. Those that were a
lease old when the server went on must not be among them; those that are sent later have to be, sooner or later.

The suite makes one short trial of each kind. TROUPE_TRIALS=N makes N trials of 1 to 10 s, and TROUPE_LONG=N makes N of
60 s, all of them on servers side by side:

    TROUPE_TRIALS=200 TROUPE_LONG=5 meson test -C build/test --no-rebuild --verbose -t 0 97-frozen-servers"""
import contextlib
import itertools
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import player
import tap
import trials

PROGRAM, PLUGIN = (os.path.abspath(argument) for argument in sys.argv[1:3])
TRIALS = int(os.environ.get("TROUPE_TRIALS", "0"))
LONG = int(os.environ.get("TROUPE_LONG", "0"))
LANES = 10
LEASE = 0.3
DIO = 20
PERIOD = 0.01  # between two commands
BEGIN = time.monotonic()


def now():
    return time.monotonic() - BEGIN


class Line:
    """The other end of a base's line: notes which velocities were written, and when."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.written = []  # the velocities, and when they came
        self.closed = False
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        with contextlib.suppress(OSError):
            while not self.closed:
                connection, _ = self.listener.accept()
                with connection, connection.makefile("r", encoding="ascii") as lines:
                    for line in lines:
                        word, value = line.split()
                        if word == "V":
                            self.written.append((float(value), now()))

    def close(self):
        self.closed = True
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Datagrams(player.Client):
    """A client on UDP."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(60)
        self.socket.connect(address)
        self.socket.send(b"")
        self.banner = self.socket.recv(32)
        self.seq = 0

    def message(self):
        datagram = self.socket.recv(1 << 16)
        return player.Message(player.HEADER.unpack(datagram[:player.HEADER.size]), datagram[player.HEADER.size:])


class Lane:
    """Servers of one kind, a base with a line, and clients."""

    def __init__(self, kind, number, stack):
        self.kind, self.random = kind, random.Random(number)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        board = stack.enter_context(trials.board())
        self.line = Line(f"{folder}/line")
        stack.callback(self.line.close)
        more = f'port "unix:{folder}/line" lease {LEASE}' + (" isolated yes" if "isolated" in kind else "")
        base = "open yes\n" + trials.stopwatch(PLUGIN, board, 0, more).replace("watch yes", "watch no")
        base += f'driver ( name "blocker" plugin "{PLUGIN}" provides [ "dio:0" ] board "{board}" slot 15 )\n'
        base += ('driver ( name "passthrough" provides [ "position2d:1" ] requires [ "position2d:0" ] '
                 f'lease {LEASE} )\n')
        options = ("--unix", f"{folder}/socket", *(["--udp"] if kind == "udp" else []))
        self.server = stack.enter_context(player.server(PROGRAM, base, options))
        self.frozen = [self.server.process.pid]
        self.address = f"{folder}/socket" if kind == "unix" else self.server.address
        if "remote" in kind:
            there = (f'open yes\ndriver ( name "remote" url "tcp:127.0.0.1:{self.server.ports[0]}" '
                     f'provides [ "position2d:0" ] lease {LEASE} )\n')
            front = stack.enter_context(player.server(PROGRAM, there))
            self.address = front.address
            self.frozen = {"remote": self.frozen, "remote, near": [front.process.pid],
                           "remote, both": [front.process.pid, *self.frozen]}[kind]
        self.make_client = Datagrams if kind == "udp" else player.Client
        self.index = 1 if kind == "computed" else 0
        self.folder = folder

    def children(self):
        with open(f"/proc/{self.server.process.pid}/task/{self.server.process.pid}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]

    def targets(self):
        if self.kind == "isolated, its process":
            return self.children()
        return self.frozen + (self.children() if self.kind == "isolated, both" else [])

    def client(self):
        client = self.make_client(self.address)
        if self.random.random() < 0.5 or self.kind == "udp":
            client.hello()
        client.open(player.POSITION2D, self.index)
        client.socket.setblocking(False)
        client.rest = b""
        return client

    def command(self, client):
        """A velocity that says when it was sent. A client whose socket is full sends nothing."""
        body = struct.pack(">dddI", now(), 0, 0, 1)
        packet = player.HEADER.pack(0, 0, player.POSITION2D, self.index, player.COMMAND, 1, time.time(), 0, len(body)) + body
        with contextlib.suppress(BlockingIOError):
            if client.rest:  # of a message that did not fit: the kernel has the first part
                client.rest = client.rest[client.socket.send(client.rest):]
            if not client.rest:
                client.rest = packet[client.socket.send(packet):]

    def drive(self, client, seconds, flood=False):
        until = now() + seconds
        while now() < until:
            for _ in range(200 if flood else 1):
                self.command(client)
            time.sleep(PERIOD)

    def await_written_since(self, client, since):
        limit = now() + 60
        while not any(sent >= since for sent, _ in self.line.written[-1000:]):
            if now() > limit:
                raise AssertionError(f"{self.kind}: no command reaches the line any more")
            self.command(client)
            time.sleep(PERIOD)

    def stall(self, client, seconds):
        """Keep the loop: the threads of drivers go on."""
        other = player.Client(self.server.address)
        other.open(20, 0)
        other.send(20, 0, player.COMMAND, 1, struct.pack(">II", 32, int(seconds * 1000)))
        begun = now()
        self.behave(client, seconds * 0.9)
        time.sleep(max(0, begun + seconds + 0.05 - now()))
        other.socket.close()
        return begun + seconds  # when it goes on, at the earliest

    def behave(self, client, seconds):
        """Silent at once, silent later, or never; fast or very fast."""
        share = self.random.choice((0.02, 0.5, 1))
        self.drive(client, seconds * share, flood=self.random.random() < 0.3)
        time.sleep(seconds * (1 - share))

    def freeze(self, client, seconds):
        targets = self.targets()
        self.drive(client, self.random.random() * 0.1)
        for pid in targets:
            os.kill(pid, signal.SIGSTOP)
        try:
            self.behave(client, seconds)
        finally:
            go_on = now()
            for pid in self.random.sample(targets, len(targets)):
                os.kill(pid, signal.SIGCONT)
        return go_on

    def trial(self, seconds):
        """Wrong are velocities that were older than the lease when the server went on, and were written after that."""
        client = self.client()
        with contextlib.closing(client.socket):
            self.await_written_since(client, now())
            go_on = self.stall(client, seconds) if self.kind == "loop" else self.freeze(client, seconds)
            end = now()
            self.await_written_since(client, end)
        wrong = [(sent, at) for sent, at in self.line.written if sent < go_on - LEASE and at > go_on]
        fresh = sum(at > go_on and sent >= go_on for sent, at in self.line.written)
        self.line.written.clear()
        return wrong, fresh


KINDS = ("tcp", "unix", "udp", "loop", "computed", "isolated", "isolated, its process", "isolated, both", "remote",
         "remote, near", "remote, both")


def run_lane(kind, number, times, results):
    try:
        with contextlib.ExitStack() as stack:
            lane = Lane(kind, number, stack)
            for seconds in times:
                results.append((kind, seconds, *lane.trial(seconds)))
    except Exception as error:  # told by the test
        results.append((kind, 0, [repr(error)], 0))


def make_trials(lanes):
    """`lanes` are kinds and times of freezes; all at the same time."""
    results = []
    threads = [threading.Thread(target=run_lane, args=(kind, number, times, results))
               for number, (kind, times) in enumerate(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wrong = [result for result in results if result[2]]
    for kind, seconds, old, _ in wrong:
        print(f"# {kind}, frozen for {seconds:.1f} s: {len(old)} old commands, such as {old[0]}")
    print(f"# {len(results)} trials, {len(wrong)} wrong, {sum(result[3] for result in results)} fresh commands passed")
    tap.equal(len(wrong), 0)
    tap.equal(len(results), sum(len(times) for _, times in lanes))


def what_waited_for_a_frozen_server_moves_nothing():
    make_trials([(kind, [1.2]) for kind in KINDS])


def watched_line(stack):
    """A folder, a line and the section of a base that is driven over it: what is written there is noted."""
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    board = stack.enter_context(trials.board())
    line = Line(f"{folder}/line")
    stack.callback(line.close)
    return folder, line, trials.stopwatch(PLUGIN, board, 0, f'port "unix:{folder}/line"').replace("watch yes", "watch no")


SHORT = 0.2
LEASE_REQUEST, ASKS_DURATION = 242, 1


def a_lease_that_was_shortened_just_before_a_freeze_counts():
    """The loop has not waited since then; the freeze is shorter than two of the waits before that."""
    with contextlib.ExitStack() as stack:
        folder, line, base = watched_line(stack)
        server = stack.enter_context(player.server(PROGRAM, "open yes\n" + base))
        late = []
        for _ in range(8):
            with player.Client(server.address) as client:
                client.open(player.POSITION2D, 0)
                ask = struct.pack(">IdiIddiIIc3x", ASKS_DURATION, SHORT, 0, 0, 0, 0, 0, 1, 1, b"\0")
                tap.equal(client.request(player.POSITION2D, 0, LEASE_REQUEST, ask).type, player.ACK)
                player.freeze(server.process.pid)
                late.append(round(now(), 6))
                client.send(player.POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", late[-1], 0, 0, 1))
                time.sleep(2 * SHORT)
                os.kill(server.process.pid, signal.SIGCONT)
                client.request(player.POSITION2D, 0, 1)  # its geometry: by then the command was handled
        print(f"# {sum(speed in late for speed, _ in line.written)} of {len(late)} old commands were written")
        tap.equal([speed for speed, _ in line.written if speed in late], [])


ROOT = pathlib.Path(__file__).resolve().parents[2]
ROBOT = ('driver ( name "robotfile" robot "troupe" port "devices" requires [ "position2d:0" ] provides [ "universal:0" ] '
         'max_speed 0.5 width 0.38 )\n')
# Poses come from the one robot; the other one has the line.
MECHANISM = ('front ( name "motion" )\n'
             'driver ( name "fake" provides [ "position2d:9" "ptz:9" ] )\n'
             'driver ( name "cmdsplitter" provides [ "position2d:10" ] requires [ "0:::position2d:9" "1:::position2d:0" ] '
             'devices 2 )\n'
             'driver ( name "motion" provides [ "mechanism:0" ] requires [ "position2d:10" "head:::ptz:9" ] '
             f'urdf "{ROOT}/robots/pioneer.urdf" lease 1 )\n')
PLAN = "forever\n    drive 40\n    wait 0.1 s\nend\n"
FRAMES = "time, base.vx\n" + "".join(f"{i / 10}, {0.2 + i % 2 / 100}\n" for i in range(600))
FROZEN = 1.6  # seconds, longer than the leases and what programs need to notice that


def is_moving(line, since):
    return any(speed != 0 and at > since for speed, at in list(line.written))


def a_frozen_program_does_not_go_on(rest, text, suffix, words):
    """A program that moves a robot is frozen for longer than its lease. It ends, and the robot stands."""
    with contextlib.ExitStack() as stack:
        folder, line, base = watched_line(stack)
        server = stack.enter_context(player.server(PROGRAM, "open yes\n" + base + rest))
        path = pathlib.Path(folder, f"program{suffix}")
        path.write_text(text, encoding="ascii")
        command = [PROGRAM, *words(str(path), server)]
        program = stack.enter_context(subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TROUPE_ROBOT_PATH": str(ROOT / "robots")}))
        stack.callback(program.kill)
        while not is_moving(line, 0):
            assert program.poll() is None, program.stderr.read()
            time.sleep(PERIOD)
        player.freeze(program.pid)
        time.sleep(FROZEN)
        go_on = now()
        os.kill(program.pid, signal.SIGCONT)
        tap.equal(program.wait(20), 1)
        error = program.stderr.read()
        assert "this program was frozen or busy for " in error, error
        assert not is_moving(line, go_on), line.written


def a_played_program_that_was_frozen_does_not_go_on():
    a_frozen_program_does_not_go_on(ROBOT, PLAN, ".play",
                                    lambda path, server: ["play", path, "--url", f"127.0.0.1:{server.ports[0]}"])


def a_program_that_runs_in_a_frozen_server_does_not_go_on():
    """One that no client runs: there is no lease that ends."""
    with contextlib.ExitStack() as stack:
        folder, line, base = watched_line(stack)
        path = pathlib.Path(folder, "program.play")
        path.write_text(PLAN, encoding="ascii")
        place = (f'driver ( name "program" file "{path}" provides [ "program:0" ] requires [ "universal:0" ] '
                 'alwayson yes )\n')
        server = stack.enter_context(player.server(PROGRAM, "open yes\n" + base + ROBOT + place))
        while not is_moving(line, 0):
            time.sleep(PERIOD)
        player.freeze(server.process.pid)
        time.sleep(FROZEN)
        go_on = now()
        os.kill(server.process.pid, signal.SIGCONT)
        state = {"phase": 2, "error": "it still runs"}
        while state["phase"] == 2 and now() < go_on + 30:
            ask = [PROGRAM, "request", "program:0", "STATE", "--json", "--url", f"127.0.0.1:{server.ports[0]}"]
            state = json.loads(tap.run(ask).stdout)
        assert "the server was frozen or busy for " in state["error"], state
        assert not is_moving(line, go_on), line.written


class Outputs:
    """The line of a dio: the states that were written to it."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.written = []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        connection, _ = self.listener.accept()
        with connection, connection.makefile("r", encoding="ascii") as lines:
            for line in lines:
                self.written.append(json.loads(line.split(" ", 2)[2])["digout"])

    def wait_for(self, state):
        while state not in self.written:
            time.sleep(PERIOD)


def what_follows_from_data_that_waited_switches_nothing():
    check_what_follows_from_data("dio:0")


def nor_what_a_thread_passes_on():
    check_what_follows_from_data("dio:2")


def check_what_follows_from_data(inputs):
    """Inputs of another server switch outputs here. While this one is frozen they are 5, and 6 from then on."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        outputs = Outputs(f"{folder}/line")
        far = stack.enter_context(player.server(PROGRAM, 'open yes\ndriver ( name "diodelay" provides [ "dio:0" ] init_state "000" )\n'))
        near = stack.enter_context(player.server(PROGRAM, f"""open yes
driver ( name "remote" provides [ "dio:0" ] url "tcp:127.0.0.1:{far.ports[0]}" )
driver ( name "fake" provides [ "dio:5" ] port "unix:{folder}/line" )
driver ( name "carrier" plugin "{PLUGIN}" provides [ "dio:2" ] requires [ "dio:0" ] )
driver ( name "diodelay" provides [ "dio:1" ] requires [ "bits:::{inputs}" "state:::dio:5" ] init_state "000" alwayson yes )
"""))
        with player.Client(far.address) as hand:
            def switch(bits):
                hand.send(DIO, 0, player.COMMAND, 1, struct.pack(">II", 3, bits))

            hand.open(DIO, 0)
            outputs.wait_for(0)
            switch(1)
            outputs.wait_for(1)
            player.freeze(near.process.pid)
            switch(5)
            time.sleep(FROZEN)
            switch(6)
            os.kill(near.process.pid, signal.SIGCONT)
            outputs.wait_for(6)  # which the other server repeats
            player.freeze(near.process.pid)
            switch(7)
            time.sleep(FROZEN)
            switch(0)
            while hand.data().body != struct.pack(">II", 3, 0):
                pass
            far.process.send_signal(signal.SIGSTOP)  # it does not repeat that; how outputs rest is not forgotten
            os.kill(near.process.pid, signal.SIGCONT)
            while outputs.written[-1] != 0:
                time.sleep(PERIOD)
            far.process.send_signal(signal.SIGCONT)
        tap.equal([state for state in outputs.written if state in (5, 7)], [])


def frames_at_their_times_do_not_go_on_after_a_freeze():
    a_frozen_program_does_not_go_on(MECHANISM, FRAMES, ".csv",
                                    lambda path, server: ["motion", "play", path, f"tcp:127.0.0.1:{server.fronts['motion']}",
                                                          "--mode", "direct"])


def the_same_in_many_trials():
    chooser = random.Random(1)
    kinds = itertools.cycle(KINDS)
    lanes = [(next(kinds), []) for _ in range(max(LANES, len(KINDS)))]
    for trial in range(TRIALS):
        lanes[trial % len(lanes)][1].append(chooser.uniform(1, 10))
    make_trials(lanes)


def the_same_for_a_minute():
    kinds = itertools.cycle(("tcp", "unix", "isolated, both", "remote", "udp"))
    make_trials([(next(kinds), [60]) for _ in range(LONG)])


tap.main(what_waited_for_a_frozen_server_moves_nothing, a_lease_that_was_shortened_just_before_a_freeze_counts,
         a_played_program_that_was_frozen_does_not_go_on,
         a_program_that_runs_in_a_frozen_server_does_not_go_on, what_follows_from_data_that_waited_switches_nothing,
         nor_what_a_thread_passes_on,
         frames_at_their_times_do_not_go_on_after_a_freeze, *([the_same_in_many_trials] if TRIALS else []),
         *([the_same_for_a_minute] if LONG else []))
