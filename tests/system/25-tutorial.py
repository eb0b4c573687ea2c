#!/usr/bin/env python3
"""Every step of docs/tutorial works: the commands and programs of its pages are run as they stand there.
argv: source root, an installed prefix.

Blocks of a page, in its order: `server` runs until the next one or the end of the page; `sh` is run and has to succeed, and a
`text` behind it is what it prints, where … stands for anything; files (`world`, `play`, `c`) are saved under the name in
their first line. What needs a person has a comment, <!-- test: WHAT -->, and a function of that name here."""
import concurrent.futures
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios

import tap

ROOT, PREFIX = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PAGES = sorted((ROOT / "docs/tutorial").glob("[1-9]-*.md"))
PIECE = re.compile(r"^<!-- test: (?P<person>.*?) -->$|^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
FILE = re.compile(r"(\w+\.(?:world|play|c))\b")
PATIENCE = 120


def environment():
    """Everything is found in the prefix only; nothing opens a browser."""
    return {**{key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")},
            "PATH": f"{PREFIX / 'bin'}:{os.environ['PATH']}", "TROUPE_COMMAND": "./troupe",
            "PKG_CONFIG_PATH": str(next(PREFIX.glob("lib*/**/troupe.pc")).parent),
            "LD_LIBRARY_PATH": str(next(PREFIX.glob("lib*/**/libtroupe.so")).parent)}


def matches(wanted, got):
    """… stands for anything in a line; a line that is … alone, for any lines."""
    lines = [r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r" *\n"
             for line in wanted.splitlines()]
    return re.fullmatch("".join(lines), got) is not None


class Walk:
    """Somebody who follows a page, in a folder that looks like the clone."""

    def __init__(self, page):
        self.page, self.text = page.name, page.read_text(encoding="utf-8")
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name in ("configs", "examples", "programs", "robots", "worlds"):
            (self.path / name).symlink_to(ROOT / name)
        (self.path / "troupe").symlink_to(PREFIX / "bin/troupe")
        self.environment = environment()
        self.server, self.done = None, []

    def close(self):
        self.stop()
        self.folder.cleanup()

    def stop(self):
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)
            self.server.communicate(timeout=PATIENCE)
            self.server = None

    def follow(self):
        pieces = list(PIECE.finditer(self.text))
        for index, piece in enumerate(pieces):
            kind, text = piece["kind"], piece["text"]
            following = pieces[index + 1] if index + 1 < len(pieces) else None
            if piece["person"]:
                what, _, argument = piece["person"].partition(" ")
                getattr(self, f"person_{what}")(argument, following["text"])
            elif kind == "server":
                self.serve(text.strip())
            elif kind == "sh":
                shown = following is not None and following["kind"] == "text"
                self.run(text, following["text"] if shown else None)
            elif kind in ("world", "play", "c"):
                (self.path / FILE.search(text.splitlines()[0]).group(1)).write_text(text, encoding="utf-8")
            else:
                assert kind in ("text", "console"), (self.page, kind)
            self.done.append(kind or piece["person"])
        return self.done

    def serve(self, command):
        """Where nobody else listens; the environment says where that is."""
        self.stop()
        more = ["--headless", "--render", str(self.path / "end.png")] if " demo" in command else ["--any-port"]
        self.server = subprocess.Popen([*command.split(), *more], cwd=self.path, env=self.environment, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        seen, port = [], None
        while not (port and (" demo" not in command or seen[-1].startswith("Ctrl-C"))):
            seen.append(self.server.stdout.readline())
            assert seen[-1], (self.page, command, seen)
            found = re.search(r"^listening on port (\d+)| list localhost:(\d+)", seen[-1])
            port = (found.group(1) or found.group(2)) if found else port
            if seen[-1].startswith("Ctrl-C"):
                port = port or "6665"
        self.environment["TROUPE_URL"] = f"localhost:{port}"

    def run(self, text, wanted=None):
        result = subprocess.run(["bash", "-e", "-c", text], cwd=self.path, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        printed = "\n".join(line for line in result.stdout.splitlines() if "it does not drive" in line
                            or not line.startswith("troupe send: ")) + "\n" if wanted else ""
        assert result.returncode == 0, (self.page, text, result.returncode, result.stdout)
        assert wanted is None or matches(wanted, printed), (self.page, text, result.stdout, wanted)
        for picture in re.findall(r"--render (\S+)", text):
            tap.equal((self.path / picture).read_bytes()[:4], b"\x89PNG")

    def ask(self, device, request, value=None):
        """An answer; what goes wrong is an assertion."""
        command = ["./troupe", "request", device, request, *([json.dumps(value)] if value is not None else []), "--json"]
        result = subprocess.run(command, cwd=self.path, env=self.environment, text=True, capture_output=True,
                                timeout=PATIENCE)
        assert result.returncode == 0, (self.page, command, result.stderr)
        return json.loads(result.stdout)

    def place(self, robot):
        return self.ask("simulation:0", "GET_POSE2D", {"name": robot})["pose"]

    def person_moves(self, robot, text):
        """The commands of the next block move the robot: they are run here for the first time."""
        before = self.place(robot)
        self.run(text)
        after = self.place(robot)
        assert abs(after["px"] - before["px"]) + abs(after["py"] - before["py"]) > 0.3, (self.page, before, after)

    def person_copies(self, robots, _):
        """Both have gone the same way: they are as far from each other as at the beginning, 2 m."""
        ben, anna = map(self.place, robots.split())
        assert abs(anna["px"] - ben["px"]) < 0.3 and abs(anna["py"] - ben["py"] - 2) < 0.3, (anna, ben)
        assert anna["px"] > -1.5, anna

    def person_drive(self, robot, text):
        """Holds the upper arrow until the robot has moved, then quits."""
        before = self.place(robot)
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.path)
            os.execve("./troupe", text.split(), {**self.environment, "TERM": "xterm"})
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        while abs(self.place(robot)["px"] - before["px"]) + abs(self.place(robot)["py"] - before["py"]) < 0.05:
            os.write(fd, b"\x1b[A")
            while select.select([fd], [], [], 0.05)[0]:
                assert os.read(fd, 65536)
        os.write(fd, b"q")
        try:
            while os.read(fd, 65536):
                pass
        except OSError:
            pass
        os.close(fd)
        tap.equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)

    def person_blocks(self, device, text):
        """What the page of programs does: text and blocks are the same, and the program runs on this and on the next robot."""
        source = {"name": "square.play", "text": text}
        blocks = self.ask(device, "BLOCKS", source)
        tap.equal(blocks["report"]["total"], 0)
        tap.equal(self.ask(device, "TEXT", {"name": "square.play", "text": blocks["text"]})["text"], text)
        for place in (device, "program:1"):
            self.ask(place, "STOP")
            tap.equal(self.ask(place, "LOAD", source)["total"], 0)
            tap.equal(self.ask(place, "LAUNCH", {})["fits"], 1)
        for place in (device, "program:1"):
            while self.ask(place, "STATE")["phase"] == 2:
                pass
            state = self.ask(place, "STATE")
            tap.equal((state["phase"], state["error"]), (4, ""))
            printed = self.ask(place, "OUTPUT", {"from": 0})["lines"]
            tap.equal(printed[-1]["text"], "a square")

    def person_installed(self, _, text):
        """./troupe install has a test of its own; here its result is used, as these lines say."""
        for name in ("PATH", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH"):
            assert f"{name}=" in text, text
        assert re.search(r"^install\b", (ROOT / "troupe").read_text(), re.M)


def followed(page):
    walk = Walk(page)
    try:
        return walk.follow()
    finally:
        walk.close()


def there_are_seven_steps_in_their_order():
    tap.equal([page.name[0] for page in PAGES], list("1234567"))
    index = (ROOT / "docs/tutorial/README.md").read_text(encoding="utf-8")
    tap.equal(re.findall(r"\]\((\d-[\w-]+\.md)\)", index), [page.name for page in PAGES])
    for page, following in zip(PAGES, PAGES[1:]):
        assert f"]({following.name})" in page.read_text(encoding="utf-8"), (page.name, following.name)


POOL = concurrent.futures.ThreadPoolExecutor(3)
WALKS = {page: POOL.submit(followed, page) for page in PAGES}


def step_of(page):
    def step():
        assert len(WALKS[page].result()) >= 2

    step.__name__ = f"step_{page.stem.replace('-', '_')}_works"
    return step


def a_step_with_another_server_says_that_the_last_one_ends():
    servers = [(page, re.findall(r"^```server\n(.*)$", page.read_text(encoding="utf-8"), re.M)) for page in PAGES]
    last = None
    for page, commands in servers:
        text = page.read_text(encoding="utf-8")
        assert not commands or last in (None, commands[0]) or re.search(r"\bEnd the (demo|server of the last step)", text), page.name
        last = commands[-1] if commands else last


def the_program_in_c_is_the_example():
    page = (ROOT / "docs/tutorial/5-c.md").read_text(encoding="utf-8")
    assert f"```c\n{(ROOT / 'examples/drive.c').read_text(encoding='utf-8')}```" in page


tap.main(there_are_seven_steps_in_their_order, a_step_with_another_server_says_that_the_last_one_ends, the_program_in_c_is_the_example, *map(step_of, PAGES))
