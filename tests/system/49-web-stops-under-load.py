#!/usr/bin/env python3
"""STOP on its own connection while a hundred clients are saturated: from the word of the client to the stop bytes at an emulated
robot, beside the same without load in the same run.  argv: the troupe program, source root; more rounds with --rounds N."""
import re
import socket
import struct
import subprocess
import sys
import threading
import time

import tap
import web

ROUNDS = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 10
VEL = {"vel": {"px": 0.2}, "state": 1}
DRIVE = "/api/devices/position2d:3/command/VEL"
ABOVE = 0.1  # seconds


class Robot:
    """An emulated NXT: when it got which power."""

    def __init__(self):
        self.process = subprocess.Popen([web.PROGRAM, "emulate", "nxt", "--listen", "tcp:127.0.0.1:0", "--trace"],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[1]
        self.news, self.power, self.when = threading.Condition(), 0, 0.0
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        for line in self.process.stdout:
            found = re.search(r" > 0c 00 .. 04 .. (..)", line)
            if found:
                with self.news:
                    self.power, self.when = int(found.group(1), 16), time.monotonic()
                    self.news.notify()

    def wait(self, moves):
        with self.news:
            self.news.wait_for(lambda: (self.power != 0) == moves)
            return self.when

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.process.kill()
        self.process.wait()


def saturate(server, count):
    """Clients that ask for everything and read nothing, until the server drops data for them."""
    clients = []
    before = web.ask(server, "GET", "/api/server").json["web"]["dropped"]
    for _ in range(count):
        client = web.Socket(server)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 2 * 1024 + 1}, {"id": 2, "channelId": 2 * 1024 + 256 + 1}])
        clients.append(client)
    while web.ask(server, "GET", "/api/server").json["web"]["dropped"] < before + 10 * count:
        time.sleep(0.05)
    return clients


def one_stop(server, robot, stop, data):
    """Seconds from the panic to the stop bytes. `data` is a client that drives; it closes its socket first if `data` is None."""
    web.ask(server, "POST", DRIVE, VEL)
    robot.wait(True)
    if data is not None:
        data.binary(struct.pack("<BI", 1, 3) + b'{"vel":{"px":0.2},"state":1}')
    before = web.ask(server, "GET", "/api/panic").json["epoch"]
    began = time.monotonic()
    stop.say(op="panic", why="trial")
    stopped = robot.wait(False)
    state = stop.op("panic")
    while not (state["active"] and state["stopped"] and state["epoch"] > before):
        state = stop.op("panic")
    tap.equal(web.ask(server, "POST", "/api/reset", {"epoch": state["epoch"]}).json, {})
    return max(stopped - began, 0)


def p99(times):
    return sorted(times)[min(len(times) - 1, len(times) * 99 // 100)]


def a_stop_is_as_fast_with_a_hundred_saturated_clients():
    with Robot() as robot:
        nxt = f'driver ( name "robotfile" robot "nxt" port "{robot.url}" provides [ "position2d:3" "universal:0" ] )\n'
        fake = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 200 )\n'
        with web.Server(fake + nxt) as server, web.Socket(server, "/stop", protocol="troupe.stop.v1") as stop:
            times = {"control": [], "saturated": [], "data closed": []}
            for block in ("control", "saturated", "data closed", "control"):
                clients = saturate(server, 100) if block != "control" else []
                data = web.Socket(server) if block != "data closed" else None
                if data is not None:
                    data.say(op="advertise", channels=[{"id": 3, "topic": "/6665/position2d/3/cmd/VEL", "encoding": "json"}])
                for _ in range(ROUNDS):
                    times[block].append(one_stop(server, robot, stop, data))
                for client in clients + ([data] if data is not None else []):
                    client.socket.close()
            figures = {block: (len(of), round(sorted(of)[len(of) // 2] * 1e3, 1), round(p99(of) * 1e3, 1)) for block, of in times.items()}
            print("# stops, median ms, p99 ms:", figures)
            for block in ("saturated", "data closed"):
                tap.equal((figures, p99(times[block]) <= p99(times["control"]) + ABOVE), (figures, True))


tap.main(a_stop_is_as_fast_with_a_hundred_saturated_clients)
