#!/usr/bin/env python3
"""troupe demo: a world live on a terminal, served meanwhile; the terminal is given back on every way out.
argv: the troupe program, source root."""
import codecs
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import shlex
import signal
import socket
import struct
import sys
import tempfile
import termios
import time

import cli
import pictures
import tap
from cli import PATIENCE, Running, says, troupe, usage

ROOT = pathlib.Path(sys.argv[2])
PROGRAM = cli.PROGRAM = os.path.abspath(sys.argv[1])
OFFICE = (900, 560)  # the window of its world, in pixels
STEER = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
BROKEN = re.compile(r"\x1b(\[[0-9;?]*)?(?=\x1b)")  # by the beginning of another one


class Screen:
    """A demo on a terminal; `cells` is what is written where, `colours` what kinds of colours were used."""

    def __init__(self, *arguments, rows=30, columns=100, **environment):
        self.folder = tempfile.TemporaryDirectory()
        self.cells, self.row, self.column = {}, 1, 1
        self.modes, self.colours, self.rest, self.raw = set(), set(), "", b""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")  # pieces end anywhere
        environ = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **environment}
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in range(3):
                os.dup2(slave, fd)
            os.chdir(self.folder.name)
            named = bool(arguments) and not arguments[0].startswith("--")
            os.execve(PROGRAM, [PROGRAM, "demo", *(() if named or "--terminal" in arguments else ("office",)), *arguments], environ)
        self.code = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
        os.close(self.slave)
        self.folder.cleanup()

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text)

    def steer(self, numbers, what):
        if what == "H":
            self.row, self.column = [int(number) for number in (numbers or "1;1").split(";")]
        elif what == "J":
            self.cells.clear()
        elif what == "K":
            for cell in [cell for cell in self.cells if cell[0] == self.row and cell[1] >= self.column]:
                del self.cells[cell]
        elif what in "hl":
            (self.modes.add if what == "h" else self.modes.discard)(numbers)
        elif what == "m" and numbers[:3] in ("38;", "48;"):
            self.colours.add(numbers[3])
        elif what == "m" and numbers not in ("", "0", "1"):
            self.colours.add("16")

    def draw(self, text):
        text, at = self.rest + text, 0
        while at < len(text):
            if text[at] == "\x1b":
                match, broken = STEER.match(text, at), BROKEN.match(text, at)
                if match is None and broken is None:
                    break
                if match is not None:
                    self.steer(*match.groups())
                at = (match or broken).end()
                continue
            if text[at] == "\n":
                self.row, self.column = self.row + 1, 1
            elif text[at] != "\r":
                self.cells[self.row, self.column] = text[at]
                self.column += 1
            at += 1
        self.rest = text[at:]

    def read(self):
        assert select.select([self.master], [], [], PATIENCE)[0], "nothing comes"
        piece = os.read(self.master, 65536)
        self.raw += piece
        self.draw(self.decoder.decode(piece))

    def line(self, row):
        """A row as it is read; from below if negative."""
        last = max((cell[0] for cell in self.cells), default=0)
        row = row if row > 0 else last + 1 + row
        return "".join(self.cells.get((row, column), " ") for column in range(1, 300)).rstrip()

    def text(self):
        return "\n".join(self.line(row) for row in range(1, 80)).rstrip()

    def until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition(self):
            self.read()
            assert time.monotonic() < end, f"it does not happen:\n{self.text()}"
        return self

    def running(self):
        return self.until(lambda screen: "--for 5" in screen.text())

    def ended(self, modes=True):
        """Its exit code; all that it has written is drawn, and the terminal has to be as before."""
        while self.code is None:
            if select.select([self.master], [], [], 0.05)[0]:
                self.read()
            else:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.code = os.waitstatus_to_exitcode(status) if pid else None
        with contextlib.suppress(OSError):
            while select.select([self.master], [], [], 0)[0]:
                self.read()
        tap.equal(termios.tcgetattr(self.slave), self.before)
        tap.equal(self.modes & {"?1049"}, set())
        assert not modes or ("?25" in self.modes and "?7" in self.modes), self.modes
        return self.code

    def picture(self):
        return (pathlib.Path(self.folder.name) / "demo.png").read_bytes()


def blocks(screen):
    return {character for character in screen.cells.values() if "▀" <= character <= "▟"}


# ---- On a terminal ---------------------------------------------------------------------------------


def the_world_is_drawn_live_and_q_ends_it():
    with Screen() as screen:
        screen.running()
        assert "?1049" in screen.modes and "?25" not in screen.modes, screen.modes
        screen.until(lambda s: len(blocks(s)) > 5 and s.line(1).startswith(" troupe demo - office, 4 robots")
                     and "▶ 0 ada " in s.text() and "m/s" in s.text())  # what was read last may end in the middle of a line
        tap.equal(screen.colours, {"2"})
        seen = dict(screen.cells)
        screen.until(lambda s: s.cells != seen and re.search(r" ([2-9]|\d\d+) s\. .*q quits", s.line(1)))  # time goes on
        assert max(column for _, column in screen.cells) <= 100 and max(row for row, _ in screen.cells) <= 30
        screen.type(b"q")
        tap.equal(screen.ended(), 0)
        tap.equal(pictures.head(screen.picture())[:2], OFFICE)
        assert b"demo.png shows the world after " in screen.raw.split(b"\x1b[?1049l")[1]


def a_panic_is_shown_above_the_world():
    with Screen() as screen:
        screen.running()
        screen.until(lambda s: "localhost:" in s.text() or "troupe list" in s.text())
        port = re.search(r"troupe list(?: localhost:(\d+))?", screen.text()).group(1) or "6665"
        troupe("panic", "--why", "a cat", url=f"localhost:{port}")
        screen.until(lambda s: s.line(1).startswith(" PANIC, raised by ") and ": a cat. " in s.line(1))
        troupe("reset", url=f"localhost:{port}")
        screen.until(lambda s: s.line(1).startswith(" troupe demo - office"))
        screen.type(b"q")
        tap.equal(screen.ended(), 0)


def signals_end_it_too():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with Screen() as screen:
            screen.running()
            os.kill(screen.pid, number)
            tap.equal((number, screen.ended()), (number, 0))
            tap.equal(pictures.head(screen.picture())[:2], OFFICE)


def every_key_that_ends_it_leaves_the_picture():
    for key in (b"\x03", b"q", b"Q", b"\x1b"):
        with Screen() as screen:
            screen.running().type(key)
            tap.equal((key, screen.ended()), (key, 0))
            tap.equal(pictures.head(screen.picture())[:2], OFFICE)


UP, DOWN, RIGHT, LEFT = (b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D")


def chosen(screen):
    """The number of the robot that keys drive, in the line below the picture."""
    found = re.search(r"▶ (\d+) ", screen.text())
    return found and int(found.group(1))


def a_key_chooses_a_robot_and_none_ends_it_by_mistake():
    with Screen() as screen:
        screen.running().until(lambda s: chosen(s) == 0)
        for keys, number in ((b"\t", 1), (b"\t\t", 3), (b"\t", 0), (b"\x1b[Z", 3), (b"2", 2), (b"9", 2)):  # there is no 9
            screen.type(keys)
            screen.until(lambda s: chosen(s) == number)
        for keys in (UP, b"\x1bOD", b"\x1b[5~", b"\x1b[1;5A", b"\x1bx", b"x", b"\x1b\x1b[A"):
            screen.type(keys)
            seen = screen.line(1)
            screen.until(lambda s: s.line(1) != seen and "q quits" in s.line(1))  # it goes on
        screen.type(b"\x1b")
        tap.equal(screen.ended(), 0)


def names_stand_in_the_picture():
    with Screen() as screen:
        screen.running()
        def picture(s):
            return "\n".join(s.line(row) for row in range(2, 25))
        screen.until(lambda s: all(name in picture(s) for name in ("ada", "bell", "curie", "dusty")))
        screen.type(b"q")
        tap.equal(screen.ended(), 0)


def arrows_drive_the_chosen_robot_for_a_moment():
    """One that no controller drives, and that stands again afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder) / "two.world"
        world.write_text('position ( name "a" pose [0 -2 0 0] )\nposition ( name "b" pose [0 2 0 0] )\n')
        with Screen(str(world)) as screen:
            _, port = hinted(screen.running().text())
            with Running("print", f"localhost:{port}/position2d:1", "--json") as watching:
                for key, wanted in ((UP, '"px":0.5'), (LEFT, '"pa":0.8'), (DOWN, '"px":-0.5'), (RIGHT, '"pa":-0.8')):
                    screen.type(b"1")
                    screen.type(key)
                    while wanted not in watching.line().partition('"vel"')[2]:
                        pass
                    while '"vel":{"px":0,"py":0,"pa":0}' not in watching.line():  # without another key
                        pass
            result = troupe("print", f"localhost:{port}/position2d:0", "--json", "--count", "1")
            assert '"px":0,"py":-2' in result.stdout.replace("-0,", "0,") or '"px":0,"py":0' in result.stdout, result.stdout
            screen.type(b"q")
            tap.equal(screen.ended(), 0)


def a_world_that_stands_still_leaves_one_too():
    with Screen() as screen:
        _, port = hinted(screen.running().text())
        tap.equal(troupe("request", f"localhost:{port}/world:0", "PAUSE", '{"paused":1}').returncode, 0)
        screen.resize(20, 70)  # and is shown in any size
        screen.until(lambda s: len(blocks(s)) > 5 and "q quits" in s.line(1) and max(column for _, column in s.cells) <= 70)
        screen.type(b"q")
        tap.equal(screen.ended(), 0)
        tap.equal(pictures.head(screen.picture())[:2], OFFICE)


def ctrl_z_does_not_leave_the_page_behind():
    with Screen() as screen:
        screen.running().type(b"\x1a")
        seen = dict(screen.cells)
        screen.until(lambda s: s.cells != seen)
        screen.type(b"\x1b")
        tap.equal(screen.ended(), 0)


def whoever_is_in_a_hurry_interrupts_twice():
    with Screen() as screen:
        screen.running()
        os.kill(screen.pid, signal.SIGSTOP)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCONT):  # both wait when it goes on
            os.kill(screen.pid, number)
        assert screen.ended() in (0, 130), screen.code


def a_crash_gives_the_terminal_back():
    with Screen() as screen:
        screen.running()
        os.kill(screen.pid, signal.SIGABRT)
        assert screen.ended() not in (0, None)


def it_follows_the_size_of_the_terminal():
    with Screen(rows=30, columns=100) as screen:
        screen.running()
        screen.resize(20, 60)
        screen.until(lambda s: "troupe demo" in s.line(1) and max(column for _, column in s.cells) <= 60
                     and max(row for row, _ in s.cells) <= 20 and blocks(s))
        screen.resize(3, 10)  # nothing fits
        screen.resize(40, 120)
        screen.until(lambda s: (40, 2) in s.cells and len(blocks(s)) > 5)
        screen.type(b"q")
        tap.equal(screen.ended(), 0)


WHOLE = re.compile(r"list( localhost:\d+)?|print \S+( --rate 2)?|send \S+ VEL '\S+' --for 5")


def shown_commands(screen):
    return re.findall(r"(?:terminal:|\$|^  ) +troupe ((?:list|print|send).*)", screen.text(), re.MULTILINE)


def nothing_is_cut_in_two_on_any_terminal():
    """However small it is: whole commands, whole names, and most of it is the world."""
    with tempfile.TemporaryDirectory() as folder:
        long = pathlib.Path(folder) / "a_world_with_a_name_that_is_longer_than_any_line.world"
        long.write_text((ROOT / "worlds/office.world").read_text())
        for rows, columns, world, title, usual, elsewhere in (  # how many commands fit, and with a port in them
                (12, 40, "office", " office, 4 robots, ", 1, 1), (24, 80, "office", " troupe demo - office, 4 robots, ", 4, 3),
                (60, 200, "swarm", " troupe demo - swarm, 80 robots that ", 4, 4),
                (24, 40, "swarm", " swarm, 80 robots, ", 3, 1),
                (24, 40, str(long), " ", 3, 1), (5, 8, "office", " q quits", 0, 0)):
            with Screen(world, rows=rows, columns=columns) as screen:
                screen.until(lambda s: s.line(1).startswith(title) and s.line(1).endswith("q quits") and blocks(s)
                             and len(shown_commands(s)) == (elsewhere if "localhost" in s.text() else usual)
                             and all(WHOLE.fullmatch(command) for command in shown_commands(s))
                             and ("▶" in s.text() or columns < 16))
                tap.equal((columns, max(screen.cells)[0] <= rows, max(column for _, column in screen.cells) <= columns),
                          (columns, True, True))
                if world == "swarm":
                    screen.until(lambda s: re.search(r"▶ 0 m\d+ .* and \d+ more", s.text()))
                elif world == "office" and columns > 16:
                    screen.until(lambda s: re.search(r"▶ 0 ada.*● 1 bell.*● 2 curie.*● 3 dusty", s.text()))
                screen.type(b"q")
                tap.equal(screen.ended(), 0)


def a_dumb_terminal_gets_plain_lines():
    with Screen(TERM="dumb") as screen:
        screen.until(lambda s: "--for 5" in s.text())
        screen.until(lambda s: "Ctrl-C ends it; so does --seconds N" in s.text())
        screen.type(b"\x03")
        tap.equal(screen.ended(modes=False), 0)
        assert b"\x1b" not in screen.raw and b"demo.png shows the world after " in screen.raw, screen.raw
        tap.equal(pictures.head(screen.picture())[:2], OFFICE)


def fewer_colours_are_enough():
    for environment, colours in (({"COLORTERM": ""}, {"5"}), ({"COLORTERM": "", "TERM": "linux"}, {"16"})):
        with Screen(**environment) as screen:
            screen.running().until(lambda s: len(blocks(s)) > 5)
            screen.type(b"q")
            tap.equal((screen.ended(), screen.colours - {"2"} if colours == {"16"} else screen.colours), (0, colours))


def without_colours_and_utf8_there_are_letters():
    for environment in ({"NO_COLOR": "1"}, {"LC_ALL": "C"}):
        with Screen(**environment) as screen:
            screen.running().until(lambda s: s.text().count("=") > 20)
            tap.equal((blocks(screen), screen.colours), (set(), set()))
            if environment.get("LC_ALL") == "C":
                assert all(character < "\x7f" for character in screen.cells.values()), screen.text()
            screen.type(b"q")
            tap.equal(screen.ended(), 0)


# ---- What it serves --------------------------------------------------------------------------------


def hinted(text):
    """The commands that it tells to type, and where."""
    commands = re.findall(r"troupe ((?:list|print|send)[^\n]*)", text)
    port = re.search(r"localhost:(\d+)", text)
    return [shlex.split(command) for command in commands], int(port.group(1)) if port else 6665


def a_terminal_that_is_stopped_stops_nobody_else():
    with Screen() as screen:
        screen.running().type(b"\x13")  # ctrl-s
        (listing, *_), port = hinted(screen.text())
        assert "position2d:0" in troupe(*listing).stdout
        states = set()
        while len(states) < 3:  # time goes on
            result = troupe("request", f"localhost:{port}/world:0", "GET_STATE", "--json")
            tap.equal((result.returncode, result.stderr), (0, ""))
            states.add(result.stdout)
        os.kill(screen.pid, signal.SIGTERM)
        screen.type(b"\x11")
        tap.equal(screen.ended(), 0)


def what_it_tells_to_type_works():
    with Screen() as screen:
        screen.running()
        (listing, pose, scan, spin), _ = hinted(screen.text())
        result = troupe(*listing)
        assert "position2d:0" in result.stdout, (listing, result)
        assert '"px"' in troupe(*pose, "--json", "--count", "1").stdout
        assert '"ranges"' in troupe(*scan, "--json", "--count", "1").stdout
        tap.equal(spin[-2:], ["--for", "5"])
        spin[-1] = "600"  # on a busy machine others may need long to begin
        with Running(*spin) as turning, Running(*pose, "--json") as watching:  # the robot listens to whoever drives it
            while '"vel":{"px":0,"py":0,"pa":1}' not in watching.line():
                assert turning.process.poll() is None
        screen.type(b"q")
        tap.equal(screen.ended(), 0)


def taken_port_did_not_matter():
    """False if somebody else had the usual port and has left it again."""
    held = False
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # somebody else has it: as good
            stack.enter_context(socket.create_server(("127.0.0.1", 6665)))
            held = True
        with tempfile.TemporaryDirectory() as folder, Running("demo", "office", "--headless", cwd=folder) as running:
            tap.equal(running.line(), 'the world "office" runs; in another terminal:\n')
            commands, port = hinted("".join(running.line() for _ in range(4)))
            if port == 6665:
                assert not held, commands
                return False
            assert "position2d:0" in troupe(*commands[0]).stdout
            tap.equal(running.interrupt(), (0, ""))
            assert "next: troupe sim office --any-port\n" in running.process.stdout.read()
            return True


def a_taken_port_does_not_matter():
    while not taken_port_did_not_matter():
        pass


def whatever_the_world_what_it_tells_to_type_works():
    worlds = [path.stem for path in sorted((ROOT / "worlds").glob("*.world")) if path.stem != "light"]  # which has no robot
    with tempfile.TemporaryDirectory() as folder:
        bare = pathlib.Path(folder) / "bare.world"
        bare.write_text("model ( )\n")
        for world, count in [(world, 4) for world in worlds] + [(str(bare), 1)]:
            with Running("demo", world, "--headless", cwd=folder) as running:
                running.line()
                commands, _ = hinted("".join(running.line() for _ in range(count)))
                tap.equal((world, len(commands)), (world, count))
                tap.equal(running.line(), "Ctrl-C ends it; so does --seconds N\n")
                for words in commands:
                    more = {"list": [], "print": ["--count", "1"], "send": []}[words[0]]
                    words = [word if word != "5" or words[0] != "send" else "0.1" for word in words]
                    result = troupe(*words, *more)
                    tap.equal((world, words, result.returncode, result.stderr), (world, words, 0, ""))
                tap.equal(running.interrupt()[0], 0)
                for line in running.process.stdout.read().splitlines()[1:]:
                    what = shlex.split(line.partition("troupe ")[2])
                    if "--steps" in what:
                        tap.equal(tap.run([PROGRAM, *what], cwd=folder).returncode, 0)
                    else:
                        with Running(*what, *([] if "--any-port" in what else ["--any-port"])) as serving:
                            assert serving.line().startswith(f"{world}: "), what  # a name, or the file without one


# ---- Without a terminal ----------------------------------------------------------------------------


def headless_it_leaves_a_picture():
    with tempfile.TemporaryDirectory() as folder:
        for world, size in (("office", OFFICE), ("cave", (900, 600))):
            file = f"{folder}/{world}.png"
            result = troupe("demo", world, "--headless", "--seconds", "3", "--speed", "0", "--render", file,
                            "--seed", "7", "--threads", "2")
            tap.equal((result.returncode, result.stderr), (0, ""))
            assert f"{file} shows the world after " in result.stdout, result.stdout
            tap.equal(pictures.head(pathlib.Path(file).read_bytes())[:2], size)
        result = troupe("demo", "office", "--seconds", "2", "--speed", "0", "--render", f"{folder}/x.svg")  # a pipe is no terminal
        tap.equal((result.returncode, result.stderr, "\033" in result.stdout), (0, "", False))
        assert pathlib.Path(f"{folder}/x.svg").read_text().startswith("<svg ")


def a_configuration_is_shown_with_all_that_it_draws():
    """Its drivers run in the same server; without a world there is nothing to show."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "r.world").write_text('position ( name "r" )\n')
        (path / "r.cfg").write_text('# worldfile "no.world"\ndriver ( name "stage" provides [ "simulation:0" ] worldfile "r.world" )\n'
                                    'driver ( name "stage" model "r" provides [ "position2d:0" ] )\n')
        (path / "none.cfg").write_text('driver ( name "fake" provides [ "position2d:0" ] )\n')
        result = troupe("demo", f"{folder}/r.cfg", "--headless", "--seconds", "2", "--speed", "0", "--render", f"{folder}/x.svg")
        tap.equal((result.returncode, result.stderr), (0, ""))
        assert "/x.svg shows the world after 2 s\nnext: " in result.stdout and "run " in result.stdout, result.stdout
        assert "<svg" in (path / "x.svg").read_text(), "no picture"
        result = troupe("demo", f"{folder}/none.cfg", "--headless", "--seconds", "2")
        tap.equal(result.returncode, 1)
        assert f"none.cfg has no world to show; troupe run {folder}/none.cfg serves it" in result.stderr, result.stderr


def it_ends_when_it_was_told_to():
    """To the step, however fast time is."""
    with tempfile.TemporaryDirectory() as folder:
        for speed in ("0", "10", "100", "1"):
            result = troupe("demo", "office", "--headless", "--seconds", "1.1", "--speed", speed, "--render", f"{folder}/x.svg")
            tap.equal((speed, result.returncode, result.stderr), (speed, 0, ""))
            assert "/x.svg shows the world after 1.1 s\n" in result.stdout, result.stdout
        result = troupe("demo", "office", "--headless", "--seconds", "0.25", "--speed", "0", "--render", f"{folder}/x.svg")
        assert "/x.svg shows the world after 0.3 s\n" in result.stdout, result.stdout  # it has steps of 0.1 s


def quit_time_ends_it():
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder) / "short.world"
        for quit_time, shown in ((1.5, 1.5), (0.72, 0.8)):
            world.write_text(f"quit_time {quit_time}\nposition ( name \"r\" )\n")
            result = troupe("demo", str(world), "--headless", "--speed", "5", "--render", f"{folder}/x.svg")
            tap.equal(result.returncode, 0)
            assert f"/x.svg shows the world after {shown} s\n" in result.stdout, result.stdout
            with Screen(str(world)) as screen:
                tap.equal(screen.ended(), 0)
                assert f"demo.png shows the world after {shown} s".encode() in screen.raw


def mistakes_are_told():
    says(troupe("demo", "--seconds", "0"), 2, usage("demo", '"0" is no number of seconds'))
    says(troupe("demo", "--speed", "x"), 2, usage("demo", '"x" is no speed'))
    says(troupe("demo", "--render", "x.gif"), 2, usage("demo", '"x.gif" is neither .png nor .svg'))
    says(troupe("demo", "a", "b"), 2, usage("demo", 'unexpected "b"'))
    says(troupe("demo", "--sped", "2"), 2, usage("demo", 'unexpected "--sped"; did you mean "--speed"?'))
    says(troupe("demo", "nowhere"), 1, 'troupe demo: there is no world "nowhere"; '
         "ours are cave, classroom, demo, light, office, swarm, track and warehouse\n")
    result = troupe("demo", "office", "--headless", "--render", "/no/x.png")  # at once
    tap.equal((result.returncode, result.stderr), (1, "troupe demo: cannot write /no/x.png: No such file or directory\n"))


tap.main(the_world_is_drawn_live_and_q_ends_it, a_panic_is_shown_above_the_world, signals_end_it_too,
         every_key_that_ends_it_leaves_the_picture, a_key_chooses_a_robot_and_none_ends_it_by_mistake,
         names_stand_in_the_picture, arrows_drive_the_chosen_robot_for_a_moment, a_world_that_stands_still_leaves_one_too, ctrl_z_does_not_leave_the_page_behind,
         whoever_is_in_a_hurry_interrupts_twice, a_crash_gives_the_terminal_back, it_follows_the_size_of_the_terminal,
         nothing_is_cut_in_two_on_any_terminal, a_dumb_terminal_gets_plain_lines, fewer_colours_are_enough, without_colours_and_utf8_there_are_letters,
         a_terminal_that_is_stopped_stops_nobody_else, what_it_tells_to_type_works,
         a_taken_port_does_not_matter, whatever_the_world_what_it_tells_to_type_works,
         headless_it_leaves_a_picture, a_configuration_is_shown_with_all_that_it_draws, it_ends_when_it_was_told_to, quit_time_ends_it, mistakes_are_told)
