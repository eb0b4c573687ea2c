#!/usr/bin/env python3
"""troupe drive: a robot driven from a terminal, by keys and by a gamepad.  argv: the troupe program, the source root."""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

import cli
import player
import tap
from cli import PATIENCE, Running, says, troupe, usage

ROOT = pathlib.Path(sys.argv[2]).resolve()
YARD = ROOT / "tests/data/sim/yard.world"
UP, DOWN, RIGHT, LEFT = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D"
STEER = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A troupe drive on a terminal; `text` is what was written last."""

    def __init__(self, *arguments):
        self.raw, self.code = "", None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
            os.execve(cli.PROGRAM, [cli.PROGRAM, "drive", *arguments], {**os.environ, "TERM": "xterm"})

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def type(self, keys):
        os.write(self.fd, keys)

    def read(self):
        assert select.select([self.fd], [], [], PATIENCE)[0], f"nothing comes: {self.raw[-500:]!r}"
        try:
            piece = os.read(self.fd, 65536)
        except OSError:  # what Linux says when the other side has gone
            return False
        self.raw += piece.decode("utf-8", "replace")
        return len(piece) > 0

    def until(self, text, keys=b""):
        """Read until the text is there, typing keys meanwhile as a held key does."""
        self.raw = ""
        while text not in STEER.sub("\n", self.raw):
            self.type(keys)
            assert self.read(), f"it ended: {self.raw[-500:]!r}"
        return STEER.sub("\n", self.raw)

    def ended(self):
        while self.read():
            pass
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code


def served():
    return player.server(cli.PROGRAM, f'driver ( name "sim" worldfile "{YARD}" provides "all" )\n')


def pose(url, name="r0"):
    result = troupe("request", f"{url}/simulation:0", "GET_POSE2D", json.dumps({"name": name}), "--json")
    tap.equal(result.returncode, 0)
    return json.loads(result.stdout)["pose"]


def stands(url):
    """Whether the robot stands still: its pose stays the same for some steps."""
    before = pose(url)
    time.sleep(0.4)  # several steps of the world
    return pose(url) == before


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happens"


def arrows_drive_and_letting_go_stops():
    with served() as server, Terminal("--url", cli.at(server)) as terminal:
        url = cli.at(server)
        terminal.until("driver   nobody")
        terminal.until("driver   you", UP)
        wait_until(lambda: terminal.until("moves    0.4", UP) and pose(url)["px"] > 0.1)
        terminal.until("command  0.00 m/s, 0.00 rad/s")
        wait_until(lambda: stands(url))
        heading = pose(url)["pa"]
        wait_until(lambda: terminal.until("0.80 rad/s   (keys", LEFT) and abs(pose(url)["pa"] - heading) > 0.1)
        terminal.type(b" ")
        terminal.until("command  0.00 m/s, 0.00 rad/s")
        wait_until(lambda: stands(url))
        terminal.type(b"q")
        tap.equal(terminal.ended(), 0)


def the_speed_is_changed():
    with served() as server, Terminal("--url", cli.at(server), "--speed", "0.2", "--turn", "1") as terminal:
        terminal.until("(keys: 0.20 m/s, 1.00 rad/s)")
        terminal.type(b"+")
        terminal.until("(keys: 0.25 m/s, 1.25 rad/s)")
        terminal.type(b"--")
        terminal.until("(keys: 0.16 m/s, 0.80 rad/s)")
        terminal.until("command  -0.16 m/s", DOWN)
        terminal.type(b"\x1b")
        tap.equal(terminal.ended(), 0)


def ctrl_c_stops_the_robot():
    with served() as server, Terminal("--url", cli.at(server)) as terminal:
        url = cli.at(server)
        wait_until(lambda: terminal.until("moves    0.4", UP) and pose(url)["px"] > 0.05)
        terminal.type(b"\x03")
        tap.equal(terminal.ended(), 0)
        assert "\x1b[?1049l" in terminal.raw  # the terminal is as it was
        wait_until(lambda: stands(url))


def who_drives_is_shown():
    with served() as server, Terminal("--url", cli.at(server), "position2d:0") as terminal:
        url = cli.at(server)
        terminal.until("driver   nobody")
        with Running("send", f"{url}/position2d:0", "VEL", '{"vel":{"pa":0.2},"state":1}', "--repeat", "10") as other:
            shown = terminal.until("driver   troupe send")
            assert "driver   you" not in shown.split("driver   troupe send")[0][-100:]
            tap.equal(other.interrupt()[0], 0)
        terminal.until("driver   nobody")
        terminal.type(b"q")
        tap.equal(terminal.ended(), 0)


def a_panic_is_shown():
    with served() as server, Terminal("--url", cli.at(server)) as terminal:
        url = cli.at(server)
        terminal.until("driver   nobody")
        tap.equal(troupe("panic", url, "--why", "a test").returncode, 0)
        terminal.until("refused  ", UP)
        assert "a test" in terminal.until("a test", UP)
        assert stands(url)
        tap.equal(troupe("reset", url).returncode, 0)
        terminal.until("moves    0.4", UP)
        terminal.type(b"q")
        tap.equal(terminal.ended(), 0)


def a_lost_server_ends_it():
    with cli.killed_server(text=f'driver ( name "sim" worldfile "{YARD}" provides "all" )\n') as process, \
            Terminal("--url", f"localhost:{process.port}") as terminal:
        terminal.until("driver   nobody")
        process.kill()
        tap.equal(terminal.ended(), 1)
        assert "troupe drive: the connection is lost" in terminal.raw, terminal.raw[-300:]


def event(kind, number, value):
    return struct.pack("=IhBB", 0, value, kind, number)


def a_gamepad_drives_without_a_terminal():
    with served() as server, tempfile.TemporaryDirectory() as folder:
        url, fifo = cli.at(server), pathlib.Path(folder) / "js0"
        os.mkfifo(fifo)
        holder = os.open(fifo, os.O_RDWR)  # so that neither end waits for the other
        with Running("drive", "--url", url, "--joystick", str(fifo), stdin=-3) as running:  # subprocess.DEVNULL
            tap.equal(running.line(), f"driving position2d:0 with {fifo}; Ctrl-C stops it\n")
            os.write(holder, event(0x82, 1, 0) + event(2, 1, -32767))
            wait_until(lambda: pose(url)["px"] > 0.2)
            os.write(holder, event(2, 1, 0)[:5])
            os.write(holder, event(2, 1, 0)[5:])
            wait_until(lambda: stands(url))
            os.write(holder, event(2, 0, 32767))
            wait_until(lambda: pose(url)["pa"] < -0.1)
            tap.equal(running.interrupt(), (0, ""))
            wait_until(lambda: stands(url))
        with Running("drive", "--url", url, "--joystick", str(fifo), stdin=-3) as running:
            running.line()
            os.write(holder, event(2, 1, -32767))
            x = pose(url)["px"]
            wait_until(lambda: pose(url)["px"] != x)
            os.close(holder)  # it is unplugged
            code, error = running.ended()
            tap.equal(code, 1)
            assert error.startswith(f"troupe drive: the gamepad {fifo}: "), error
            wait_until(lambda: stands(url))


def mistakes_are_told():
    says(troupe("drive"), 1, "troupe drive: this is no terminal; use a gamepad (--joystick FILE), or troupe send\n")
    says(troupe("drive", "laser", "--joystick", "/no/such"), 2,
         usage("drive", "laser:0 is no position2d; troupe send moves other devices"))
    says(troupe("drive", "bell", "--url", "unix:/nowhere"), 1,
         "troupe drive: connect to unix:/nowhere: no such file or directory\n")
    with served() as server:
        says(troupe("drive", "bell", "--url", cli.at(server)), 1,  # the name of a robot
             'troupe drive: there is no interface "bell"; a device is INTERFACE[:INDEX], as laser:0\n')
    says(troupe("drive", "--joystick", "/no/such"), 1,
         "troupe drive: the gamepad /no/such: No such file or directory\n")
    says(troupe("drive", "--jostick", "x"), 2, usage("drive", 'unexpected "--jostick"; did you mean "--joystick"?'))
    says(troupe("drive", "--speed", "0"), 2, usage("drive", "--speed needs a number over 0, not \"0\""))


tap.main(arrows_drive_and_letting_go_stops, the_speed_is_changed, ctrl_c_stops_the_robot, who_drives_is_shown, a_panic_is_shown,
         a_lost_server_ends_it, a_gamepad_drives_without_a_terminal, mistakes_are_told)
