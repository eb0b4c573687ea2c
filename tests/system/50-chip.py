#!/usr/bin/env python3
"""Our firmware on a simulated ATmega328P: uploaded programs run alone; universal commands are executed; arithmetic, traces
and damaged images as on this computer.  argv: the troupe program, source root, the simulated board, the benchmark of the
chip, a file of the firmware's folder; the firmware of the micro:bit and QEMU, if they are there."""
import argparse
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
import threading
import tty

import cli
import player
import tap
from robots import Program, serve

UNO, BENCH = sys.argv[3], sys.argv[4]
FOLDER = pathlib.Path(sys.argv[5]).parent
ROOT = pathlib.Path(sys.argv[2])
WALK = """device eye is Light Sensor
device lamp is LED
print "starts", eye
drive 50
set lamp to true
wait 0.3 s
drive -20 turn 10
wait 60 s
"""


class Board:
    """A simulated Uno with our firmware, and its EEPROM."""

    def __init__(self):
        self.process = subprocess.Popen([UNO, str(FOLDER / "uno.hex"), "--silent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def until(self, question, pattern):
        while True:
            found = re.search(pattern, self.ask(question))
            if found is not None:
                return found


class Line:
    """The other side of its line, byte by byte."""

    def __init__(self, board):
        self.fd = os.open(board.url[len("serial:"):], os.O_RDWR | os.O_NOCTTY)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def write(self, text):
        os.write(self.fd, bytes.fromhex(text))

    def read(self, size):
        data = b""
        while len(data) < size:
            data += os.read(self.fd, size - len(data))
        return data

    def packet(self):
        return self.read(int.from_bytes(self.read(4), "big"))


def upload(board, text, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".play") as file:
        file.write(text)
        file.flush()
        result = cli.troupe("play", file.name, "--upload", board.url, *options)
        return result.returncode, result.stdout.replace(file.name, "x.play"), result.stderr.replace(file.name, "x.play")


def a_program_is_uploaded_and_runs_alone_after_a_reset():
    with Board() as board:
        tap.equal(board.ask("analog 0 5000"), "ok")
        code, out, err = upload(board, WALK)
        tap.equal((code, err), (0, ""))
        assert re.search(r'^eye: "Light Sensor" → Analog Input 0\nlamp: "LED" → Board LED\nDrive: "Drive" → Both Wheels\n'
                         r"x.play runs on the chip: \d+ of 1024 bytes, \d+ of 128 cells\n$", out), out
        for _ in range(2):  # nobody is at the line now
            board.until("state 5", r"duty 128 ")
            board.until("state 6", r"duty 128 ")
            board.until("state 13", r"level 1")
            board.until("state 5", r"duty 77 ")  # left: 20 + 10 back
            board.until("state 6", r"duty 26 ")
            board.until("state 4", r"level 1")
            board.until("state 7", r"level 1")
            tap.equal(board.ask("reset"), "ok")


def what_it_prints_is_watched_and_the_end_stops_everything():
    with Board() as board:
        board.ask("analog 1 2500")
        code, out, err = upload(board, "device eye is Light Sensor number 1\nlet n be 0\nrepeat 3 times\nchange n by 1\ndrive 100\n"
                                       "print n, n / 3, eye, \"text\", n > 2\nend\n", "--watch")
        tap.equal((code, err), (0, ""))
        tap.equal(out.splitlines()[-3:], ["1 0.33333334 49.951122 text false", "2 0.6666667 49.951122 text false", "3 1 49.951122 text true"])
        board.until("state 5", r"level 0 duty 0 ")
        code, out, err = upload(board, "drive 30\nlet x be 0\n\nprint 5 mod x\n", "--watch")
        tap.equal((code, err), (1, "troupe play: x.play:4: `mod` by 0\n"))
        board.until("state 5", r"level 0 duty 0 ")
        code, out, err = upload(board, "device eye is Light Sensor number 1\nprint eye > 10\n", "--trace")
        tap.equal(out.splitlines()[-3:], ["ReadAnalog ", "  → 49.951122", "true"])


def what_a_chip_cannot_do_is_said_with_its_line():
    with Board() as board:
        for text, why in (("print 1\ntone 440 for 1\n", "Tone: the firmware makes no tones"),
                          ("channel c\nsend 1 to c\n", "line 2: WriteMessage: a chip has no channels; run it on a computer"),
                          ("device far is Distance Sensor\nprint far > 30 cm\n", None),
                          ('print "' + "x" * 240 + '", "' + "y" * 240 + '", "' + "z" * 240 + '", "' + "u" * 240 + '", "' + "v" * 240 + '"\n',
                           "the program has 1249 bytes, 225 more than the 1024 of the chip")):
            code, _, err = upload(board, text)
            tap.equal(code, 1)
            assert why is None or why in err, err
        result = cli.troupe("play", str(ROOT / "programs/follow-line.play"), "--upload", "serial:/dev/null-and-void")
        tap.equal(result.returncode, 1)
        assert "/dev/null-and-void: no such file or directory" in result.stderr, result.stderr


def an_upload_is_taken_at_any_time_by_a_board_that_is_not_reset():
    """Also after seconds in which nobody had the line open, and while a program runs that never waits or always talks."""
    with Board() as board:
        while int(board.ask("clock")) < 2500:  # nobody is at the line
            pass
        for text in ("forever\ndrive 30\nend\n", "let n be 0\nforever\nchange n by 1\nprint n\nend\n", "wait 3600 s\n", "print 1\n"):
            code, out, err = upload(board, text)
            tap.equal((code, err), (0, ""))
            assert out.startswith("Drive: ") or out.startswith("x.play runs on the chip"), out
        code, out, err = upload(board, "print 7\n", "--watch")
        tap.equal((code, err, out.splitlines()[-1]), (0, "", "7"))


def a_line_that_loses_or_turns_bytes_loses_no_program():
    with Board() as board:
        for word, at in (("lose", 1), ("lose", 40), ("lose", 100), ("flip", 2), ("flip", 50)):
            tap.equal(board.ask(f"{word} {at}"), "ok")
            code, out, err = upload(board, f"print \"{word}\", {at}, 3.5\n", "--watch")
            tap.equal((code, err, out.splitlines()[-1]), (0, "", f"{word} {at} 3.5"))


def pass_on(host, board, wakes):
    """Between a host and a board: before the answer to RUN comes the answer to an earlier HALT once more."""
    while True:
        ready = select.select([host, board, wakes], [], [])[0]
        if wakes in ready:
            return
        if board in ready:
            os.write(host, os.read(board, 4096))
        if host in ready:
            request = os.read(host, 4096)
            if len(request) > 15 and request[15] == 17:
                os.write(host, bytes.fromhex("00000005 00 00000000"))
            os.write(board, request)


def an_answer_that_comes_late_is_not_taken_for_another_one():
    with Board() as board, Line(board) as line:
        host, there = pty.openpty()
        tty.setraw(there)
        wakes, wake = os.pipe()
        thread = threading.Thread(target=pass_on, args=(host, line.fd, wakes), daemon=True)
        thread.start()
        code, out, err = upload(argparse.Namespace(url="serial:" + os.ttyname(there)), "print 42\n", "--watch")
        os.write(wake, b"x")
        thread.join()
        for fd in (host, there, wakes, wake):
            os.close(fd)
        tap.equal((code, err, out.splitlines()[-1:]), (0, "", ["42"]))


def a_block_that_is_wrong_is_refused_and_half_a_program_does_not_run():
    with Board() as board:
        code, _, _ = upload(board, WALK)
        tap.equal(code, 0)
        board.until("state 5", r"duty ")
        with Line(board) as line:
            line.write("00000013 01 000000FF 5000 00000008 10 0000 FFFF 545001")  # a wrong checksum
            tap.equal(line.packet()[:3], bytes.fromhex("01 0003"))
            line.write("00000013 01 000000FF 5000 00000008 10 03FF FFFF 545001")  # beyond the memory
            tap.equal(line.packet()[:3], bytes.fromhex("01 0003"))
            line.write("00 00 00 FF 01 02")  # announces more than there is room for; then the line is quiet
            board.until("traffic", r"in \d+")
        code, out, _ = upload(board, "print 1\n", "--watch")
        tap.equal((code, out.splitlines()[-1]), (0, "1"))


def universal_commands_on_the_line_are_executed():
    """The bytes of docs/universal-protocol.md, with those of the thesis."""
    with Board() as board, Line(board) as line:
        line.write("00000011 01 00000000 3302 1300 4049000000000000")  # MovePower 50 on the default motor
        tap.equal(line.packet(), b"\0")
        board.until("state 5", r"duty 128 ")
        board.until("state 6", r"duty 128 ")
        board.ask("analog 2 5000")
        line.write("00000009 01 00000008 1003 0302")  # ReadAnalog of input 2
        tap.equal(struct.unpack(">Bd", line.packet()), (0, 100.0))
        line.write("00000007 01 00000008 1003")  # of the default input
        tap.equal(struct.unpack(">Bd", line.packet()), (0, 0.0))
        board.ask("pin 4 1")
        line.write("00000009 01 00000001 1002 0202")
        tap.equal(line.packet(), b"\0\1")
        line.write("00000003 00 1007  00000007 01 00000000 0000")  # Track without a reply, then NoOp
        tap.equal(line.packet()[:7], bytes.fromhex("02 00000005 0001"))
        line.write("00000007 01 00000004 1003")
        tap.equal(line.packet()[:3], bytes.fromhex("01 0008"))
        line.write("00000015 00 300C 1400 4039000000000000 0000000000000000")  # Drive 25, no reply
        board.until("state 5", r"duty 64 ")
        line.write("00000007 01 00000000 3012")  # Stop
        tap.equal(line.packet(), b"\0")
        board.until("state 5", r"level 0 duty 0 ")
        line.write("00000011 01 00000000 300E 4000 4056800000000000")  # WriteServo 90 at pin 9
        tap.equal(line.packet(), b"\0")
        board.until("state 9", r"pulse 147\d$")


def what_the_host_moves_stops_when_it_is_silent():
    with Board() as board, Line(board) as line:
        line.write("00000011 01 00000000 300B 1301 4049000000000000")
        tap.equal(line.packet(), b"\0")
        board.until("state 5", r"duty 128 ")
        board.until("state 5", r"level 0 duty 0 ")  # 5 s later


def it_is_a_robot_of_the_server():
    devices = '"aio:0" "dio:0" "position2d:0"'
    with Board() as board, serve(board.url, devices, "uno") as server:
        board.ask("analog 3 2500")
        port = int(server.await_line(r"listening on port ([0-9]+)").group(1))
        with player.Client(("127.0.0.1", port)) as client:
            client.open(21, 0)
            while True:
                message = client.data()
                if message.interf == 21 and 2.4 < struct.unpack_from(">f", message.body, 8 + 4 * 3)[0] < 2.6:
                    break
        with Program("send", "position2d:0", "VEL", '{"vel":{"px":0.15}}', "--for", "60", "--url", f"localhost:{port}"):
            board.until("state 5", r"duty [1-9]")
            server.process.kill()
            board.until("state 5", r"level 0 duty 0 ")  # the guard


PLAYED = """device eye is Light Sensor number 3
device arm is Servo
device lamp is LED
print eye > 45, eye < 55
set lamp to true
do WriteServo arm, 90
drive 50 turn 20
wait 600 s
"""


def a_program_on_the_computer_plays_on_it():
    """The robot file has no translations: the packets are those of the protocol, executed by the firmware."""
    assert 'kind="universal"' in (ROOT / "robots/uno.xml").read_text()
    with Board() as board, tempfile.NamedTemporaryFile("w", suffix=".play") as file:
        file.write(PLAYED)
        file.flush()
        board.ask("analog 3 2500")
        with Program("play", file.name, "--on", "uno", "--port", board.url, "--trace") as program:
            program.await_line(r"Light Sensor\" → Analog Input 3")
            program.await_line(r"^true true$")
            program.await_line(r"^> 00 00 00 19 01 (\w\w ){4}30 0c 14 00 40 49 00 00 00 00 00 00 40 34 00 00 00 00 00 00$")  # Drive is one packet
            board.until("state 13", r"level 1")
            board.until("state 9", r"pulse 147\d$")
            board.until("state 5", r"duty 77 ")
            board.until("state 6", r"duty 179 ")
            program.process.send_signal(signal.SIGINT)
            program.process.wait()
            board.until("state 5", r"level 0 duty 0 ")


def chip_and_computer_are_alike():
    for what in (("vectors", "5000"), ("traces", "100"), ("hostile", "300")):
        result = subprocess.run([BENCH, str(FOLDER), *what], capture_output=True, text=True, check=False, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        tap.equal((what, result.returncode, result.stderr), (what, 0, ""))
        assert " differ 0" in result.stdout, result.stdout
        print("#", result.stdout.splitlines()[-1])


def the_firmware_keeps_its_limits():
    result = subprocess.run([BENCH, str(FOLDER), "figures"], capture_output=True, text=True, check=False, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert "flash: interpreter and arithmetic" in result.stdout, result.stdout
    tap.equal((result.returncode, [line for line in result.stdout.splitlines() if "MISSED" in line]), (0, []))


PROGRAMS = (
    "to fib(n)\nif n < 2\nreturn n\nend\nreturn fib(n - 1) + fib(n - 2)\nend\nprint fib(11), 1 / 3, -7 mod 3, 2147483647 + 1\n",
    "let a be -300\nrepeat 25 times\nprint a, sin(a), cos(a), atan2(a, 7), exp(a / 9), sqrt(a), a mod 0.7, round(a / 7)\nchange a by 27.5\nend\n",
    "start other\nrepeat 4 times\nprint \"main\", random(1, 6), random(0, 1.0)\nend\ntask other\nrepeat 3 times\nprint \"other\"\nwait 0.1\nend\nend\n",
    "let x be 1.0\nrepeat 60 times\nlet x be x * 3.7 * (1 - x / 7) + 0.1\nprint x, x > 3, x = x, 1 / (x - x)\nend\n",
    "to deep(n)\nreturn deep(n + 1) + 1\nend\nprint 1\nprint deep(0)\n",
    "device lamp is LED\nset lamp to true\ndrive 50 turn 20\nwait 0.1\nstop\nprint \"x\" = \"x\", \"x\" = \"y\"\nlet x be 0\nprint 5 mod x\n",
)


def another_architecture_runs_the_same_images():
    if len(sys.argv) < 8:
        print("# no compiler for ARM, or no QEMU: not looked at")
        return
    arguments = [sys.argv[7], "-M", "microbit", "-display", "none", "-serial", "pty", "-monitor", "none", "-kernel", sys.argv[6]]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as machine:
        try:
            other = argparse.Namespace(url=re.search(r"/dev/pts/\d+", machine.stdout.readline()).group(0))
            with Board() as board:
                for text in PROGRAMS:
                    tap.equal(upload(board, text, "--trace"), upload(other, text, "--trace"))
        finally:
            machine.kill()


tap.main(the_firmware_keeps_its_limits, another_architecture_runs_the_same_images, a_program_is_uploaded_and_runs_alone_after_a_reset, what_it_prints_is_watched_and_the_end_stops_everything,
         what_a_chip_cannot_do_is_said_with_its_line, an_upload_is_taken_at_any_time_by_a_board_that_is_not_reset, a_line_that_loses_or_turns_bytes_loses_no_program,
         an_answer_that_comes_late_is_not_taken_for_another_one,
         a_block_that_is_wrong_is_refused_and_half_a_program_does_not_run, universal_commands_on_the_line_are_executed,
         what_the_host_moves_stops_when_it_is_silent, it_is_a_robot_of_the_server, a_program_on_the_computer_plays_on_it, chip_and_computer_are_alike)
