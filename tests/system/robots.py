"""Robots on servers: the programs that a test of robot files starts. argv[1] is the troupe program."""
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]


class Program:
    """A program that runs until the test has seen what it wants."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
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
