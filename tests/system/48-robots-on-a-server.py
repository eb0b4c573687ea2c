#!/usr/bin/env python3
"""A robot that is described by a file is ordinary devices of a server; here the robot is an emulated NXT, which shares
nothing with the robot file.  argv: the troupe program, source root."""
import re
import subprocess
import sys
import tempfile

import cli
import tap

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


def serve(robot_url, provides='"position2d:0" "aio:0" "dio:0" "power:0"'):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as file:
        file.write(f'driver ( name "robotfile" robot "nxt" port "{robot_url}" provides [ {provides} ] )')
    return Program("run", file.name, "--any-port")


def emulated(*options):
    return Program("emulate", "nxt", "--listen", "tcp:127.0.0.1:0", "--trace", *options)


def address(program, pattern):
    return program.await_line(pattern).group(1)


def a_player_client_drives_an_nxt():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        result = cli.troupe("send", "position2d:0", "VEL", '{"vel":{"px":0.15}}', "--for", "1", url=url)
        tap.equal((result.returncode, result.stderr), (0, ""))
        robot.await_line(r"> 0c 00 80 04 01 32 07 01 00 20 00 00 00 00 ")
        robot.await_line(r"> 0c 00 00 04 02 32 07 01 00 20 00 00 00 00 ")
        robot.await_line(r"> 0c 00 80 04 ff 00 07 01 00 20 00 00 00 00 ")  # the client has left


def its_sensors_are_read():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        result = cli.troupe("print", "power:0", "-n", "1", url=url)
        assert re.search(r"volts: [5-9]\.\d* V", result.stdout), result
        result = cli.troupe("print", "aio:0", "-n", "2", url=url)
        assert re.search(r"voltages: \[\S+ \S+ \S+\]", result.stdout), result
        result = cli.troupe("print", "dio:0", "-n", "1", url=url)
        assert "count: 5" in result.stdout, result


def a_panic_writes_the_stop_bytes():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        with Program("send", "position2d:0", "VEL", '{"vel":{"pa":1}}', "--for", "30", "--url", url):
            robot.await_line(r"> 0c 00 00 04 02 ")
            result = cli.troupe("panic", url=url)
            tap.equal(result.returncode, 0)
            robot.await_line(r"> 0c 00 80 04 ff 00 07 01 00 20 00 00 00 00 ")


def a_dead_server_leaves_a_robot_that_stands():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        with Program("send", "position2d:0", "VEL", '{"vel":{"px":0.2}}', "--for", "30", "--url", url):
            robot.await_line(r"> 0c 00 00 04 02 ")
            server.process.kill()  # SIGKILL: the guard writes the stop bytes
            robot.await_line(r"> 0c 00 80 04 ff 00 07 01 00 20 00 00 00 00 ")


def a_silent_robot_is_told():
    with emulated("--fault", "silent") as robot, serve(address(robot, r"^nxt (tcp:\S+)"), '"power:0"') as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        with Program("print", "power:0", "--url", url):
            server.await_line(r"robotfile0: nxt: Battery: robot silent: no reply in time")


tap.main(a_player_client_drives_an_nxt, its_sensors_are_read, a_panic_writes_the_stop_bytes,
         a_dead_server_leaves_a_robot_that_stands, a_silent_robot_is_told)
