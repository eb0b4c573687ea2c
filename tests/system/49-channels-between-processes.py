#!/usr/bin/env python3
"""Channels between processes on one server: a program in C, programs of `troupe play`, and a client of the universal protocol.
argv: the troupe program, source root, the program channel_probe."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap
from universal import Client, PROGRAM, text

ROOT, PROBE = pathlib.Path(sys.argv[2]), sys.argv[3]
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
CONFIG = ('front ( name "universal" )\n'
          'driver ( name "robotfile" robot "finch" port "emulate:finch" provides [ "universal:0" ] alwayson 1 )\n'
          'driver ( name "localbb" provides [ "blackboard:0" ] )\n')
PATIENCE = 120  # seconds, far beyond anything that a healthy program needs


class Process:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def until(self, pattern):
        for line in self.process.stdout:
            self.seen.append(line.rstrip("\n"))
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError(f"no {pattern} in {self.seen}")

    def rest(self):
        """What it printed in all, and its exit code."""
        self.seen += self.process.stdout.read().splitlines()
        return self.seen, self.process.wait(PATIENCE)


class Server(Process):
    def __init__(self, config=CONFIG):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as file:
            file.write(config)
        super().__init__(PROGRAM, "run", file.name, "--any-port")
        ports = {}
        while len(ports) < 2:
            found = self.until(r"(?:front (\w+): )?listening on port (\d+)")
            ports[found.group(1) or "player"] = int(found.group(2))
        self.port, self.url = ports["universal"], f"localhost:{ports['player']}"


def play(content, server):
    with tempfile.NamedTemporaryFile("w", suffix=".play", delete=False) as file:
        file.write(content)
    return Process(PROGRAM, "play", file.name, "--url", server.url)


ASKS = '''channel plan
channel crew
let n be 0
repeat 5 times
    change n by 1
    send n to plan
    let answer be ""
    while answer = ""
        let answer be message from crew
    end
    print answer
end
'''


def a_program_in_c_and_one_of_play_answer_each_other():
    with Server() as server, Process(PROBE, server.url, "5") as probe:
        probe.until("^listens$")
        with play(ASKS, server) as asks:
            lines, code = asks.rest()
            tap.equal((lines[-5:], code), ([f"done {i}" for i in range(1, 6)], 0))
        tap.equal(probe.rest(), (["listens", *(f"heard {i}" for i in range(1, 6))], 0))


def one_message_reaches_all_that_listen_in_its_order():
    hears = 'channel plan is "crew"\nlet n be 0\nprint "listens"\nwhile n < 3\nlet t be message from plan\nif t <> ""\nprint t\nchange n by 1\nend\nend\n'
    with Server() as server, Client(server) as client, play(hears, server) as one, play(hears, server) as two:
        one.until("^listens$")
        two.until("^listens$")
        tap.equal(client.ask(0x4000, b"\x10\0" + text(b"crew")), (0, b""))
        for word in (b"left", b"right", "grüße".encode()):
            tap.equal(client.ask(0x4002, b"\x10\0" + text(word)), (0, b""))
        for program in (one, two):
            lines, code = program.rest()
            tap.equal((lines[-3:], code), (["left", "right", "grüße"], 0))


def a_program_that_dies_holds_up_nobody():
    with Server() as server, Process(PROBE, server.url, "1") as probe:
        probe.until("^listens$")
        with Process(PROBE, server.url, "9") as other:
            other.until("^listens$")  # and is killed here
        with Client(server) as client:
            tap.equal(client.ask(0x4000, b"\x10\0" + text(b"plan")), (0, b""))
            tap.equal(client.ask(0x4002, b"\x10\0" + text(b"go")), (0, b""))
        tap.equal(probe.rest(), (["listens", "heard go"], 0))


def without_a_blackboard_it_is_said():
    with Server("".join(CONFIG.splitlines(True)[:2])) as server, Process(PROBE, server.url, "1") as probe:
        lines, code = probe.rest()
        assert code == 1 and "no blackboard for channels; write driver ( name \"localbb\"" in lines[-1], lines


tap.main(a_program_in_c_and_one_of_play_answer_each_other, one_message_reaches_all_that_listen_in_its_order,
         a_program_that_dies_holds_up_nobody, without_a_blackboard_it_is_said)
