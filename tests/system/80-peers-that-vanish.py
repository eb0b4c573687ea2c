#!/usr/bin/env python3
"""Connections whose other side vanished without a word are given up, and a server that has no file descriptors left
serves the clients that it has.  argv: the troupe program, and "space" inside of the network namespace that the script
makes for itself."""
import os
import resource
import socket
import subprocess
import sys
import tempfile

import player
import tap
import trials
from player import ACK, LASER, PLAYER, POSITION2D

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE_S = 2
GONE = 1000
CONFIGURATION = f"""
keepalive {PATIENCE_S}
open yes
driver ( name "fake" provides [ "position2d:0" ] rate 50 alwayson yes )
driver ( name "fake" provides [ "laser:0" ] rate 100 alwayson yes )
"""

# Connects many times: most are idle, some get little data, some get much. Reads all until it is killed.
CROWD = """
import selectors, sys
sys.path.insert(0, sys.argv[1])
import player
selector = selectors.DefaultSelector()
for number in range(int(sys.argv[4])):
    client = player.Client((sys.argv[2], int(sys.argv[3])))
    if number % 10 == 0:
        client.open(player.POSITION2D, 0)
    if number % 100 == 1:
        client.open(player.LASER, 0)
    client.socket.setblocking(False)
    selector.register(client.socket, selectors.EVENT_READ)
print("there", flush=True)
while True:
    for key, _ in selector.select():
        key.fileobj.recv(1 << 16)
"""


def crowd_in(pid, port):
    folder = os.path.dirname(os.path.abspath(__file__))
    process = subprocess.Popen(["nsenter", "-t", pid, "--net", sys.executable, "-c", CROWD, folder, "10.77.0.1",
                                str(port), str(GONE)], stdout=subprocess.PIPE, text=True)
    tap.equal(process.stdout.readline(), "there\n")
    return process


class Frozen:
    """A client that is there, but does not read; it has data waiting all the time."""

    def __init__(self, address):
        self.client = player.Client(address)
        self.client.open(LASER, 0)

    def reads_on(self):
        """All that waited, in order, up to an answer that was asked for now."""
        tap.equal(self.client.request(LASER, 0, 1).type, ACK)
        times = [message.time for message in self.client.passed]
        tap.equal((times == sorted(times), len(times) > 100), (True, True))


def now(client):
    """The server's time, by data that is not older than an answer."""
    tap.equal(client.request(POSITION2D, 0, 1).type, ACK)
    return client.data().time


def go_by(client, seconds):
    """Let so much of the server's time go by."""
    begun = now(client)
    while client.data().time < begun + seconds:
        pass


def inside_of_a_space():
    with trials.spaces(1) as pids, player.server(PROGRAM, CONFIGURATION, ("--listen", "*")) as server, \
            player.Client(server.address) as witness:
        witness.open(POSITION2D, 0)
        frozen = Frozen(server.address)
        before = server.files()
        crowd = crowd_in(pids[0], server.ports[0])
        try:
            tap.equal(server.files() - before, GONE)
            go_by(witness, 2.5 * PATIENCE_S)
            tap.equal(server.files() - before, GONE)  # who is there stays
            begun = now(witness)
            trials.words("nsenter", "-t", pids[0], "--net", "ip", "link", "set", "client0", "down")
        finally:
            crowd.kill()
            crowd.wait()
        while server.files() > before:
            witness.data()
        took = now(witness) - begun
        print(f"# {GONE} connections were given up after {took:.1f} s, with a patience of {PATIENCE_S} s")
        tap.equal(took > PATIENCE_S / 2, True)
        tap.equal(witness.request(PLAYER, 0, 1).type, ACK)
        frozen.reads_on()


def a_thousand_that_vanished_are_given_up():
    trials.in_a_space(__file__, sys.argv[1:2])


# ---- No file descriptors left ----------------------------------------------------------------------------

FILES = 60


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_greeted(connection, patience_s):
    connection.settimeout(patience_s)
    try:
        return len(connection.recv(32)) == 32
    except socket.timeout:
        return False


def cost_of_going_by(server, witness, seconds=1.0):
    """Processor time that the server takes for a while of serving the witness, who loses nothing."""
    before, published = processor_seconds(server.process.pid), []
    begun = witness.data().time
    while not published or published[-1] < begun + seconds:
        published.append(witness.data().time)
        tap.equal(witness.request(POSITION2D, 0, 1).type, ACK)
        published += [message.time for message in witness.passed]
    gaps = [late - early for early, late in zip(published, published[1:])]
    tap.equal((min(gaps) > 0, published == sorted(published)), (True, True))
    return processor_seconds(server.process.pid) - before


def a_server_without_descriptors_serves_who_is_there():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(player.FAKE)
        file.flush()
        command = ["prlimit", f"--nofile={FILES}:{FILES}", PROGRAM, "run", file.name, "--any-port"]
        with player.launched(command, 2) as server, player.Client(server.address) as witness:
            witness.open(POSITION2D, 0)
            alone = cost_of_going_by(server, witness)
            room = FILES - server.files()
            crowd = [socket.create_connection(server.address) for _ in range(2 * FILES)]
            greeted = [connection for connection in crowd[:room] if is_greeted(connection, 60)]
            tap.equal(len(greeted), room)
            tap.equal(server.files(), FILES)
            tap.equal([is_greeted(connection, 0.001) for connection in crowd[room:]], [False] * (2 * FILES - room))
            full = cost_of_going_by(server, witness)
            print(f"# a second of serving: {alone:.2f} s of a processor alone, {full:.2f} s with nothing left")
            tap.equal(full < 2 * alone + 0.25, True)  # it does not turn in circles
            for connection in greeted:
                connection.close()
            tap.equal([is_greeted(connection, 60) for connection in crowd[room:2 * room]], [True] * room)
            for connection in crowd:
                connection.close()
            cost_of_going_by(server, witness)
            with player.Client(server.address) as late:
                tap.equal(late.request(PLAYER, 0, 1).type, ACK)


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
if sys.argv[2:] == ["space"]:
    tap.main(inside_of_a_space)
tap.main(a_thousand_that_vanished_are_given_up, a_server_without_descriptors_serves_who_is_there)
