#!/usr/bin/env python3
"""troupe demo without a world: one server with emulated robots that play a program in the world that is shown, a robot that
explores, and timed motion on a stage.  argv: the troupe program, the source root."""
import contextlib
import fcntl
import json
import math
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import urllib.request

import cli
import tap
from cli import Running, troupe

ROOT = pathlib.Path(sys.argv[2]).resolve()
PROGRAM = cli.PROGRAM = os.path.abspath(sys.argv[1])
CLASS = {"nina": ("nxt", 4), "finn": ("finch", 5), "cleo": ("create", 6), "arto": ("firmata", 7)}
WITHOUT_BROWSER = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}


class House(Running):
    """A demo in a folder of its own; `url` is its server."""

    def __init__(self, *arguments, **environment):
        self.folder = tempfile.TemporaryDirectory()
        os.environ.update({**WITHOUT_BROWSER, **environment})
        super().__init__("demo", *arguments, cwd=self.folder.name)
        self.lines, self.url = [], "localhost"
        while not self.lines or not self.lines[-1].startswith("Ctrl-C"):
            self.lines.append(self.line())
            assert self.lines[-1], self.ended()
            found = re.search(r" list (localhost:\d+)", self.lines[-1])
            self.url = found.group(1) if found else self.url

    def __exit__(self, *unused):
        super().__exit__(*unused)
        self.folder.cleanup()

    def ask(self, device, message, value=None):
        result = troupe("request", f"{self.url}/{device}", message, *([json.dumps(value)] if value else []), "--json")
        tap.equal((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def pose(self, name):
        pose = self.ask("simulation:0", "GET_POSE2D", {"name": name})["pose"]
        return pose["px"], pose["py"], pose["pa"]

    def until(self, condition):
        while not condition():
            assert self.process.poll() is None, self.ended()


WORLD = (ROOT / "worlds/demo.world").read_text(encoding="utf-8")
START = {name: tuple(map(float, pose.split())) for name, pose in re.findall(r'name "(\w+)" pose \[([-\d. ]+)\]', WORLD)}


def moved(house, name):
    """Since the world began."""
    now, (x, y, _, heading) = house.pose(name), START[name]
    return math.dist(now[:2], (x, y)) > 0.05 or abs(math.remainder(now[2] - math.radians(heading), math.tau)) > 0.3


def all_of_them_play():
    """Each for a reason of its own: a controller, a program through the bytes of its robot, a sequence."""
    with House("--headless") as house:
        names = ["ada", "dusty", "max", *CLASS]
        for name in names:
            house.until(lambda: moved(house, name))
        for number in range(4):
            state = house.ask(f"program:{number}", "STATE")
            tap.equal((state["phase"], state["name"]), (2, "maze.play"))
            assert state["commands"] > 0, state
        arm = house.ask("simulation:0", "GET_POSE2D", {"name": "arm.waist"})["pose"]["pa"]
        house.until(lambda: abs(house.ask("simulation:0", "GET_POSE2D", {"name": "arm.waist"})["pose"]["pa"] - arm) > 0.05)
        bell = house.pose("bell")  # waits for somebody
        result = troupe("send", f"{house.url}/position2d:1", "VEL", '{"vel":{"pa":1},"state":1}', "--for", "1")
        tap.equal(result.returncode, 0)
        assert abs(house.pose("bell")[2] - bell[2]) > 0.2
        tap.equal(house.interrupt()[0], 0)
        assert (pathlib.Path(house.folder.name) / "demo.png").stat().st_size > 10000


def models_know_their_devices():
    with House("--headless") as house:
        models = {model["name"]: model for model in house.ask("scene:0", "MODELS", {"first": 0, "count": 0})["models"]}
        for name, (_, number) in CLASS.items():
            tap.equal(models[name]["devices"], f"position2d:{number}")
        assert models["ada"]["devices"].startswith("position2d:0"), models["ada"]
        listed = troupe("list", house.url).stdout
        for name, (_, number) in CLASS.items():
            for device in (f"universal:{number - 4}", f"position2d:{number}", f"program:{number - 4}"):
                assert re.search(rf"^{device} +{name} ", listed, re.M), listed
        tap.equal(house.interrupt()[0], 0)


def a_panic_reaches_the_robots_through_their_bytes():
    with House("--headless") as house:
        for name in CLASS:
            house.until(lambda: moved(house, name))
        tap.equal(troupe("panic", house.url, "--why", "a test").returncode, 0)

        def stand():
            poses = [house.pose(name) for name in (*CLASS, "ada", "max")]
            steps = house.ask("world:0", "GET_STATE")["steps"]
            while house.ask("world:0", "GET_STATE")["steps"] < steps + 20:
                pass
            return poses == [house.pose(name) for name in (*CLASS, "ada", "max")]

        house.until(stand)
        tap.equal(house.interrupt()[0], 0)


def the_page_is_served_and_printed():
    with House("--headless") as house:
        page = re.search(r"the demo is at (http://localhost:\d+/) \(open it in a browser", "".join(house.lines)).group(1)
        with urllib.request.urlopen(page, timeout=cli.PATIENCE) as answer:
            tap.equal(answer.status, 200)
            assert b"<html" in answer.read()
        result = troupe("view", page, "--print")
        tap.equal((result.returncode, result.stdout), (0, f"{page}\n"))
        tap.equal(house.interrupt()[0], 0)


def a_browser_is_asked_to_open_it():
    """On a terminal; a program notes what it was asked for."""
    with tempfile.TemporaryDirectory() as folder:
        browser, noted = pathlib.Path(folder) / "browser", pathlib.Path(folder) / "noted"
        browser.write_text(f'#!/bin/sh\necho "$1" > {noted}.new && mv {noted}.new {noted}\n')
        browser.chmod(0o755)
        with cli.Terminal("demo", "--render", f"{folder}/x.png", columns=160, BROWSER=str(browser)) as terminal:
            terminal.until(lambda lines: any("which your browser opens" in line for line in lines))
            page = re.search(r"the demo is at (\S+), which", "".join(terminal.lines)).group(1)
            while not noted.exists():
                pass
            tap.equal(noted.read_text(), f"{page}\n")
            terminal.type(b"\x03")
            tap.equal(terminal.ended(), 0)


def on_the_terminal_it_has_names_and_numbers():
    with tempfile.TemporaryDirectory() as folder:
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execve(PROGRAM, [PROGRAM, "demo", "--terminal"],
                      {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLUMNS": "160", "LINES": "40"})
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
        raw = b""
        while not all(name in raw for name in (b" troupe demo - demo, 8 robots", b"nina", b"4 nina", b"7 arto", b"0 ada")):
            raw += os.read(fd, 65536)
        assert b"\x1b[38;5;" in raw and b"\x1b[38;2;" not in raw  # a palette of 256 colours
        os.write(fd, b"q")
        with contextlib.suppress(OSError):
            while os.read(fd, 65536):
                pass
        os.close(fd)
        tap.equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)


def players():
    """Programs that play the sequences of the stage."""
    pattern = f"^troupe motion play {ROOT}/configs/demo"
    return set(subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True).stdout.split())


def it_ends_to_the_step_and_leaves_nobody_behind():
    before = players()
    with tempfile.TemporaryDirectory() as folder:
        result = troupe("demo", "--headless", "--seconds", "3", "--speed", "5", "--render", f"{folder}/x.png",
                        **WITHOUT_BROWSER)
        tap.equal((result.returncode, result.stderr), (0, ""))
        assert "/x.png shows the world after 3 s\n" in result.stdout, result.stdout
        tap.equal(players() - before, set())


def the_configuration_can_be_read_and_run():
    result = troupe("check", str(ROOT / "configs/demo.cfg"))
    tap.equal(result.returncode, 0)
    assert "no mistakes found" in result.stdout, result.stdout


tap.main(all_of_them_play, models_know_their_devices, a_panic_reaches_the_robots_through_their_bytes,
         the_page_is_served_and_printed, a_browser_is_asked_to_open_it, on_the_terminal_it_has_names_and_numbers,
         it_ends_to_the_step_and_leaves_nobody_behind, the_configuration_can_be_read_and_run)
