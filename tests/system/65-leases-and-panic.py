#!/usr/bin/env python3
"""What moves stops: when its client is killed, frozen, cut off or gone, and in a panic.  argv: the troupe program.

The clients that come to grief are processes of their own. Time is judged by the server's data, which carries the
server's time, never by how busy this machine is: the base must have gone on moving until about the lease, and stand
still at some time after it. Where another cause has to stop it, the lease is longer than the test."""
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import player
import tap
from player import COMMAND, DATA, NACK, PLAYER, POSITION2D

PROGRAM = sys.argv[1]
LEASE, RATE = 0.2, 200
BASE = f'driver ( name "fake" provides [ "position2d:0" ] rate {RATE} lease {LEASE} )\n'
PATIENT = BASE.replace(f"lease {LEASE}", "lease 3600")
PANIC, RESET, GET = 205, 206, 207

# Opens the base, drives it until it moves, and says so; then it does nothing but stay.
DRIVER = """
import struct, sys
sys.path.insert(0, sys.argv[1])
import player
client = player.Client(("127.0.0.1", int(sys.argv[2])))
client.open(player.POSITION2D, 0)
moves = False
while not moves:
    client.send(player.POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", 1, 0, 0, 1))
    moves = struct.unpack_from(">d", client.data().body, 24)[0] != 0
client.request(player.POSITION2D, 0, 1)
print("moving", flush=True)
while client.socket.recv(1 << 16):
    pass
"""


def driver(port):
    folder = os.path.dirname(os.path.abspath(__file__))
    process = subprocess.Popen([sys.executable, "-c", DRIVER, folder, str(port)], stdout=subprocess.PIPE, text=True)
    tap.equal(process.stdout.readline(), "moving\n")
    return process


def speed(message):
    return struct.unpack_from(">d", message.body, 24)[0]


def states(client):
    while True:
        message = client.message()
        if (message.type, message.interf, message.subtype) == (DATA, POSITION2D, 1):
            yield message


def watch_it_stop(witness):
    """How many moving samples there are before the first one at rest. A server that stalls sends none."""
    moving = 0
    for message in states(witness):
        if speed(message) != 0:
            moving += 1
        elif moving > 0:
            return moving


def see(witness, moves):
    """Wait until it moves, or stands still."""
    next(message for message in states(witness) if (speed(message) != 0) == moves)


def drive(client):
    """Command it until it moves: on a machine that stalls for a lease, once is not enough."""
    for message in states(client):
        if speed(message) != 0:
            break
        client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 1, 0, 0, 1))


def with_a_witness(test, text=BASE):
    def run():
        with player.server(PROGRAM, text) as server, player.Client(server.address) as witness:
            witness.open(POSITION2D, 0)
            test(server, witness)
    run.__name__ = test.__name__
    return run


def patient(test):
    return with_a_witness(test, PATIENT)


@patient
def a_killed_client_stops_at_once(server, witness):
    for _ in range(10):
        process = driver(server.address[1])
        see(witness, moves=True)
        process.kill()
        process.wait()
        see(witness, moves=False)


@with_a_witness
def a_frozen_client_stops_when_its_lease_ends(server, witness):
    for _ in range(5):
        process = driver(server.address[1])
        process.send_signal(signal.SIGSTOP)
        tap.equal(watch_it_stop(witness) <= (LEASE + 5) * RATE, True)
        process.kill()
        process.wait()


class Cable:
    """Between a client and the server; it can be cut without either of them noticing."""

    def __init__(self, address):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = address
        self.cut = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        client, _ = self.listener.accept()
        server = socket.create_connection(self.address)
        for source, target in ((client, server), (server, client)):
            threading.Thread(target=self.pump, args=(source, target), daemon=True).start()

    def pump(self, source, target):
        try:
            while True:
                piece = source.recv(1 << 16)
                if not piece:
                    return
                if not self.cut.is_set():
                    target.sendall(piece)
        except OSError:
            pass


@with_a_witness
def a_client_that_is_cut_off_stops_when_its_lease_ends(server, witness):
    cable = Cable(server.address)
    with player.Client(("127.0.0.1", cable.port)) as client:
        client.open(POSITION2D, 0)
        drive(client)
        cable.cut.set()
        watch_it_stop(witness)


def speak(client, witness):
    """Drive for five leases, with a word at every sample. The longest silence of ours, and whether it moved on."""
    begun, said, silence = None, time.monotonic(), 0.0
    client.request(POSITION2D, 0, 1)
    witness.request(POSITION2D, 0, 1)  # what is read from now on is no older than that
    for message in states(witness):
        if begun is None:
            client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 1, 0, 0, 1))
        client.send(PLAYER, 0, player.SYNCH, 1)  # says nothing but that it is there
        silence, said = max(silence, time.monotonic() - said), time.monotonic()
        if begun is None and speed(message) > 0:
            begun = message.time
        if begun is not None and (speed(message) != 1.0 or message.time - begun > 5 * LEASE):
            return silence, speed(message) == 1.0


@with_a_witness
def a_client_that_speaks_keeps_it_moving(server, witness):
    with player.Client(server.address) as client:
        client.open(POSITION2D, 0)
        while True:  # a machine that let us wait, perhaps several times in a row, tells nothing: once more
            silence, moved_on = speak(client, witness)
            if moved_on or silence < LEASE / 8:
                break
        tap.equal(moved_on, True)
        tap.equal(client.request(POSITION2D, 0, 1).type, player.ACK)


@with_a_witness
def without_a_lease_it_would_not_stop(server, witness):
    """The test itself can fail: a base whose section switches the lease off goes on."""
    del server, witness
    with player.server(PROGRAM, BASE.replace(f"lease {LEASE}", "lease 0")) as other, \
            player.Client(other.address) as watcher:
        watcher.open(POSITION2D, 0)
        process = driver(other.address[1])
        process.send_signal(signal.SIGSTOP)
        begun = None
        for message in states(watcher):
            if begun is None and speed(message) > 0:
                begun = message.time
            if begun is not None:
                tap.equal(speed(message), 1.0)
                if message.time - begun > 10 * LEASE:
                    break
        process.kill()
        process.wait()


# ---- Panic --------------------------------------------------------------------------------------------


def hello(client, features=1):
    name = b"test\0"
    body = struct.pack(">IIII", 1, features, len(name), len(name)) + name + b"\0" * (-len(name) % 4)
    tap.equal(client.request(PLAYER, 0, 200, body).type, player.ACK)


def text(value):
    raw = value.encode() + b"\0"
    return struct.pack(">II", len(raw), len(raw)) + raw + b"\0" * (-len(raw) % 4)


def panic_of(body):
    active, epoch, count = struct.unpack_from(">III", body)
    who = body[16:16 + count - 1].decode()
    return bool(active), epoch, who


@patient
def a_panic_stops_everything_and_is_reported_to_all(server, witness):
    hello(witness)
    with player.Client(server.address) as client, player.Client(server.address) as other:
        hello(client)
        client.open(POSITION2D, 0)
        client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 1, 0, 0, 1))
        client.request(POSITION2D, 0, 1)
        other.request(PLAYER, 0, PANIC, struct.pack(">II", 1, 0) + text("") + text("smoke"))
        told = next(m for m in iter(witness.message, None) if (m.type, m.interf, m.subtype) == (DATA, PLAYER, PANIC))
        tap.equal(panic_of(told.body)[0], True)
        next(m for m in states(witness) if speed(m) == 0)
        client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 1, 0, 0, 1))
        tap.equal(client.request(POSITION2D, 0, 1).type, player.ACK)  # reading goes on
        for _, message in zip(range(20), states(witness)):
            tap.equal(speed(message), 0.0)
        active, epoch, _ = panic_of(other.request(PLAYER, 0, GET).body)
        tap.equal(active, True)
        tap.equal(other.request(PLAYER, 0, RESET, struct.pack(">I", epoch + 2) + text("")).type, NACK)
        tap.equal(other.request(PLAYER, 0, RESET, struct.pack(">I", epoch) + text("")).type, player.ACK)
        for _, message in zip(range(20), states(witness)):
            tap.equal(speed(message), 0.0)  # nothing that was sent meanwhile plays now
        client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 1, 0, 0, 1))
        next(m for m in states(witness) if speed(m) == 1)


@patient
def a_signal_raises_one(server, witness):
    process = driver(server.address[1])
    see(witness, moves=True)
    os.kill(server.process.pid, signal.SIGUSR1)
    see(witness, moves=False)
    process.kill()
    process.wait()
    url = f"127.0.0.1:{server.address[1]}"
    result = tap.run([PROGRAM, "reset", url])
    tap.equal((result.returncode, result.stdout),
              (0, "raised by signal: the server was sent the panic signal\nthe panic is over\n"))
    tap.equal(tap.run([PROGRAM, "reset", url]).stdout, "there is no panic\n")
    process = driver(server.address[1])
    see(witness, moves=True)
    os.kill(server.process.pid, signal.SIGUSR2)  # the wrong one is a panic too, as is a second one: not the server's end
    see(witness, moves=False)
    process.kill()
    process.wait()
    tap.equal(tap.run([PROGRAM, "reset", url]).returncode, 0)


@with_a_witness
def the_command_line_raises_and_ends_one(server, witness):
    del witness
    url = f"127.0.0.1:{server.address[1]}"
    result = tap.run([PROGRAM, "panic", url, "--why", "a test"])
    tap.equal((result.returncode, result.stderr), (0, ""))
    sent = tap.run([PROGRAM, "send", f"{url}/position2d:0", "VEL", '{"vel":{"px":1},"state":1}'])
    tap.equal((sent.returncode, sent.stderr), (1, "troupe send: nothing moves: there is a panic; "
                                                       f"troupe list {url} names its origin, troupe reset {url} ends it\n"))
    result = tap.run([PROGRAM, "reset", url])
    tap.equal(result.returncode, 0)
    tap.equal("a test\nthe panic is over\n" in result.stdout, True)


def an_operators_key_guards_the_end():
    with player.server(PROGRAM, 'operator_key "sesame"\n' + BASE) as server:
        url = f"127.0.0.1:{server.address[1]}"
        tap.run([PROGRAM, "panic", url])
        refused = tap.run([PROGRAM, "reset", url, "--key", "wrong"])
        tap.equal((refused.returncode, "no key of this server fits" in refused.stderr),
                  (1, True))
        tap.equal(tap.run([PROGRAM, "reset", url, "--key", "sesame"]).returncode, 0)


tap.main(a_killed_client_stops_at_once, a_frozen_client_stops_when_its_lease_ends,
         a_client_that_is_cut_off_stops_when_its_lease_ends, a_client_that_speaks_keeps_it_moving,
         without_a_lease_it_would_not_stop, a_panic_stops_everything_and_is_reported_to_all, a_signal_raises_one,
         the_command_line_raises_and_ends_one, an_operators_key_guards_the_end)
