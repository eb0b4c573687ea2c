"""Robots on servers: the programs that a test of robot files starts. argv[1] is the troupe program."""
import os
import re
import select
import subprocess
import sys
import tempfile

import tap

PROGRAM = sys.argv[1]
PATIENCE = 60  # seconds, far beyond anything that a healthy program needs


class Program:
    """A program that runs until the test has seen what it wants."""

    def __init__(self, *arguments, before=()):
        self.process = subprocess.Popen([*before, PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def await_line(self, pattern):
        """Read on up to a line that has the pattern."""
        for line in self.process.stdout:
            self.seen.append(line)
            found = re.search(pattern, line)
            if found is not None:
                return found
        raise AssertionError(f"no {pattern} in {''.join(self.seen)}")


def serve(robot_url, provides='"position2d:0" "aio:0" "dio:0" "power:0"', robot="nxt", more=""):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as file:
        file.write(f'driver ( name "robotfile" robot "{robot}" port "{robot_url}" provides [ {provides} ] {more} )')
    return Program("run", file.name, "--any-port")


def address(program, pattern):
    return program.await_line(pattern).group(1)


class Emulated:
    """A troupe emulate in lockstep."""

    def __init__(self, *arguments, count=1):
        self.process = subprocess.Popen([PROGRAM, "emulate", *arguments, "--lockstep"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.printed = b""
        self.urls = dict(self.line().split() for _ in range(count))

    def line(self):
        while b"\n" not in self.printed:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            assert ready, "nothing printed"
            self.printed += os.read(self.process.stdout.fileno(), 4096)
        line, _, self.printed = self.printed.partition(b"\n")
        return line.decode()

    def command(self, text, lines=1):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return [self.line() for _ in range(lines)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdin = None
        _, errors = self.process.communicate(timeout=PATIENCE)
        tap.equal((self.process.returncode, errors), (0, ""))


class Sensors:
    """troupe emulate sensor."""

    def __init__(self, *arguments, count=1):
        self.process = subprocess.Popen([PROGRAM, "emulate", "sensor", *arguments], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.urls = [self.process.stdout.readline().split()[1] for _ in range(count)]

    def command(self, text, answers=True):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip() if answers else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
