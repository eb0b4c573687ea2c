#!/usr/bin/env python3
"""Leases do not look at the wall's clock, and servers that use each other start in any order and outlive each other's ends.
argv: the troupe program, the source root, the plug-in stopwatch, trial_stop, the library shift."""
import contextlib
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading

import player
import tap
import trials
from player import LASER, POSITION2D

PROGRAM, ROOT, PLUGIN, STOP, SHIFT = (os.path.abspath(argument) for argument in sys.argv[1:6])
HOUR_S = 3600
LEASE_MS, SLACK_MS, LANES, TRIALS = 200, 20, 4, 24


# ---- Clocks ---------------------------------------------------------------------------------------------

class WallClock:
    """The time of day of a server; it can be set."""

    def __init__(self, path):
        self.path = path
        self.set(0)

    def set(self, seconds):
        with open(self.path, "r+b", buffering=0) as file:
            file.write(struct.pack("=q", seconds * 10**9))


@contextlib.contextmanager
def server_with_clock(text):
    with tempfile.NamedTemporaryFile() as shift, tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        shift.write(bytes(8))
        shift.flush()
        command = ["env", f"LD_PRELOAD={SHIFT}", f"TROUPE_CLOCK_SHIFT={shift.name}",
                   "ASAN_OPTIONS=verify_asan_link_order=0", PROGRAM, "run", file.name, "--any-port"]
        with player.launched(command) as server:
            yield server, WallClock(shift.name)


def the_clock_of_a_server_can_be_set():
    """Otherwise what follows would show nothing."""
    with server_with_clock(player.FAKE.splitlines()[1]) as (server, clock), player.Client(server.address) as client:
        client.open(POSITION2D, 0)
        first = client.data().time
        for hours in (1, -1, 0):
            clock.set(hours * HOUR_S)
            while abs(client.data().time - first - hours * HOUR_S) > HOUR_S / 2:
                pass


def configuration(path):
    return "".join(trials.stopwatch(PLUGIN, path, lane, f"lease {LEASE_MS / 1000}") +
                   f'driver ( name "fake" provides [ "position2d:{100 + lane}" ] rate 100 lease {LEASE_MS / 1000} )\n'
                   for lane in range(LANES))


def set_it_all_the_time(clock, ends):
    chance = random.Random(1)
    while not ends.wait(0.01):
        clock.set(chance.choice((-HOUR_S, 0, HOUR_S)))


def leases_end_in_time_though_it_is_set_by_hours():
    with trials.board() as path, server_with_clock(configuration(path)) as (server, clock):
        ends = threading.Event()
        setter = threading.Thread(target=set_it_all_the_time, args=(clock, ends))
        setter.start()
        try:
            lines = trials.measured([STOP, path, str(server.process.pid), str(server.ports[0]), str(LANES), str(TRIALS),
                                     str(LEASE_MS), "freeze"])
        finally:
            ends.set()
            setter.join()
    tap.equal(len(lines), TRIALS)
    for _, trial in lines:
        tap.equal(trial["stop"] is not None and trial["fake"] is not None, True)
        if trial["heard"] is not None:
            tap.equal(trial["stop"] >= trial["heard"] + LEASE_MS * 1000, True)
        excuse = 2 * (trial["stall"] + trial["wait"])  # of the machine
        tap.equal(trial["stop"] <= trial["said"] + (LEASE_MS + SLACK_MS) * 1000 + excuse, True)


def nothing_that_stops_asks_for_the_time_of_day():
    sources = [path for folder in ("src", "fronts", "drivers") for path in pathlib.Path(ROOT, folder).rglob("*.c")
               if not path.name.endswith("_test.c")]
    asking = re.compile(r"CLOCK_REALTIME|gettimeofday|\btime\(|uv_clock_gettime")
    users = {str(path.relative_to(ROOT)) for path in sources if asking.search(path.read_text(encoding="utf-8"))}
    tap.equal(users, {"src/platform/clock.c"})
    stopping = {path.name: path for path in sources if path.parent.name in ("safety", "device", "session") and
                path.name in ("lease.c", "claim.c", "stop.c", "panic.c", "worker.c", "terms.c", "rank.c")}
    tap.equal({"lease.c", "claim.c", "stop.c", "panic.c", "worker.c"} <= set(stopping), True)
    shown = ("since_s = ", "timestamp = ")  # what people and messages are told; nothing waits for it
    tap.equal([line for path in stopping.values() for line in path.read_text(encoding="utf-8").splitlines()
               if "wall" in line and not any(word in line for word in shown)], [])


# ---- Neighbours -----------------------------------------------------------------------------------------

# Each has a laser of its own and one through the other; `laser:2` goes through both.
NEIGHBOUR = """
driver ( name "fake" provides [ "laser:0" ] rate 50 )
driver ( name "passthrough" provides [ "laser:1" ] requires [ "127.0.0.1:%d:laser:0" ] alwayson yes restart 0.1 )
driver ( name "passthrough" provides [ "laser:2" ] requires [ "127.0.0.1:%d:laser:1" ] restart 0.1 )
"""


class Neighbour:
    """A server on a port that stays the same."""

    def __init__(self, port, other):
        self.address = ("127.0.0.1", port)
        self.file = tempfile.NamedTemporaryFile("w", suffix=".cfg")
        self.file.write(NEIGHBOUR % (other, other))
        self.file.flush()
        self.process = None

    def start(self):
        self.process = subprocess.Popen([PROGRAM, "run", self.file.name, "--port", str(self.address[1])],
                                        stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on port"):
                return
        raise AssertionError("the server does not start")

    def end(self, how):
        self.process.send_signal(how)
        tap.equal(self.process.wait(60), 0 if how == signal.SIGTERM else -how)

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.file.close()

    def serves(self, *indices):
        """New clients get data of all these lasers, sooner or later."""
        for index in indices:
            granted = None
            while granted != 1:
                with player.Client(self.address) as client:
                    _, granted = client.access(LASER, index, 1)
                    if granted == 1:
                        message = client.data()
                        tap.equal((message.interf, message.index), (LASER, index))


@contextlib.contextmanager
def neighbours():
    ports = [player.reserved_port() for _ in range(2)]
    pair = [Neighbour(ports[0], ports[1]), Neighbour(ports[1], ports[0])]
    try:
        yield pair
    finally:
        for each in pair:
            each.close()


def they_start_in_either_order():
    for first in (0, 1):
        with neighbours() as pair:
            pair[first].start()
            pair[first].serves(0)
            with player.Client(pair[first].address) as client:
                tap.equal(client.access(LASER, 1, 1)[1] == 1, False)  # the other one is not there yet
            pair[1 - first].start()
            for each in pair:
                each.serves(0, 1, 2)
            for each in pair:
                each.end(signal.SIGTERM)


def each_outlives_the_others_end():
    with neighbours() as pair:
        for each in pair:
            each.start()
        for victim in pair:
            survivor = pair[1 - pair.index(victim)]
            for how in (signal.SIGKILL, signal.SIGTERM):
                survivor.serves(1, 2)
                with player.Client(survivor.address) as client:
                    client.hello()
                    client.open(LASER, 1)
                    client.open(LASER, 2)
                    victim.end(how)
                    await_failure(client, {1, 2})
                    survivor.serves(0)
                    victim.start()
                    await_data(client, {1, 2})  # without being opened again
                victim.serves(0, 1, 2)


def await_failure(client, indices):
    while indices:
        message = client.data()
        if message.subtype == 243 and struct.unpack_from(">i", message.body)[0] < 0:
            indices = indices - {message.index}


def await_data(client, indices):
    """Data that comes after the word that the device is there again."""
    healed = set()
    while indices:
        message = client.data()
        if message.subtype == 243 and struct.unpack_from(">i", message.body)[0] == 0:
            healed.add(message.index)
        elif message.subtype == 1 and message.index in healed:
            indices = indices - {message.index}


tap.main(the_clock_of_a_server_can_be_set, leases_end_in_time_though_it_is_set_by_hours,
         nothing_that_stops_asks_for_the_time_of_day, they_start_in_either_order, each_outlives_the_others_end)
