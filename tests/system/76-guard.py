#!/usr/bin/env python3
"""The guard of a line writes its stop bytes when the server dies, once, and never otherwise; and it ends with it.
argv: the troupe program, the source root, the build folder's include folder.

Servers here die and leave their guards behind. These become children of this program, which can so wait for them: that
none is left is no matter of time. What arrives on a line is read until nobody has it open any more."""
import contextlib
import ctypes
import os
import pathlib
import pty
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import tty

import player
import tap

TROUPE, ROOT, INCLUDE = (os.path.abspath(argument) for argument in sys.argv[1:4])
PR_SET_CHILD_SUBREAPER = 36
FOLDER = tempfile.TemporaryDirectory()
HERE = pathlib.Path(FOLDER.name)
GUARD = pathlib.Path(TROUPE).parent / "troupe-guard"

ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def compile_plugin():
    result = tap.run(["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT}/include",
                      f"-I{INCLUDE}", f"{ROOT}/tests/plugins/wheel.c", "-o", f"{HERE}/wheel.so"])
    tap.equal((result.returncode, result.stderr), (0, ""))


# ---- Lines ----------------------------------------------------------------------------------------------


class Line:
    """What a driver's port is connected to; what it has written."""

    def read(self):
        raise NotImplementedError

    def until(self, wanted):
        """Wait until it has written this."""
        text = b""
        while not text.endswith(wanted):
            piece = self.read()
            assert piece, f"the line has ended: {text}"
            text += piece
        return text

    def rest(self):
        """All that comes until nobody has the other side open."""
        text = b""
        for piece in iter(self.read, b""):
            text += piece
        return text


class Serial(Line):
    def __init__(self):
        self.far, self.near = pty.openpty()
        tty.setraw(self.near)
        self.url = os.ttyname(self.near)

    def begun(self):
        """The server has opened it, and nobody else should have."""
        os.close(self.near)

    def read(self):
        try:
            return os.read(self.far, 4096)
        except OSError:  # nobody has it open
            return b""

    def close(self):
        os.close(self.far)


class Reopened(Serial):
    """One that the server may close meanwhile: it does not end then."""

    def begun(self):
        pass

    def rest(self):
        os.close(self.near)
        return super().rest()


class Tcp(Line):
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"tcp:127.0.0.1:{self.listener.getsockname()[1]}"

    def begun(self):
        self.far, _ = self.listener.accept()
        self.far.settimeout(60)
        self.far.sendall(b"never read " * 100)  # which must not cost the stop bytes

    def read(self):
        try:
            return self.far.recv(4096)
        except ConnectionResetError:
            return b""

    def close(self):
        self.far.close()
        self.listener.close()


class Unix(Tcp):
    def __init__(self):
        path = tempfile.mktemp(dir=HERE)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(1)
        self.url = f"unix:{path}"


# ---- Servers that die -----------------------------------------------------------------------------------


def prepare():
    """Without a core, and with every signal as usual: who runs in the background may ignore some."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in SENT:
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)


class Victim:
    """A server with a wheel on a line, opened by a client."""

    def __init__(self, line, fields, session=False):
        self.line = line
        (HERE / "x.cfg").write_text(f'driver ( name "wheel" plugin "{HERE}/wheel.so" provides [ "position2d:0" ]\n'
                                    f'port "{line.url}" lease 0 {fields} )\n')
        self.errors = open(tempfile.mktemp(dir=HERE), "a+", encoding="utf-8")  # reading must not move where they write
        self.process = subprocess.Popen([TROUPE, "run", str(HERE / "x.cfg"), "--any-port"], stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, start_new_session=session, cwd="/",
                                        preexec_fn=prepare)
        self.port = next(int(m.group(1)) for m in (re.match(r"listening on port (\d+)", text)
                                                   for text in self.process.stdout) if m)
        self.client = player.Client(("127.0.0.1", self.port))
        self.client.open(player.POSITION2D, 0)
        line.begun()

    def drive(self, speed):
        self.client.send(player.POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", speed, 0, 0, 1))

    def moves(self):
        """It drives, and is guarded."""
        self.drive(0.5)
        self.line.until(b"V 0.5\n")
        tap.equal(len(self.guards()), 1)

    def guards(self):
        """The guards of the server and its children."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if command[:2] == [b"troupe-guard", self.line.url.encode()]:
                    found.append(int(pid))
        return found

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def wait(self):
        self.process.wait(60)
        return self.process.returncode

    def close(self):
        self.process.stdout.close()
        self.client.socket.close()
        self.line.close()
        self.errors.close()


@contextlib.contextmanager
def victim(line, fields="own yes", **options):
    one = Victim(line, fields, **options)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        one.close()
    nobody_is_left()


def nobody_is_left():
    """Guards that lost their server are ours now. All of them end, and well."""
    while True:
        try:
            pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
        except ChildProcessError:
            return
        name = pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="ascii").strip()
        _, status = os.waitpid(pid, 0)
        tap.equal((name, os.waitstatus_to_exitcode(status)), (name, 0))


LINES = (Serial, Tcp, Unix)
SENT = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGQUIT)


def dies(line, kill, wanted=b"S1\n", fields="own yes"):
    with victim(line, fields) as one:
        one.moves()
        kill(one)
        tap.equal(one.line.rest(), wanted)
        one.wait()
        nobody_is_left()  # its last act is to say so
        tap.equal(f"{len(wanted)} of {len(wanted)} stop bytes were written to {line.url}\n" in one.said(), True)


def whatever_signal_kills_it_the_bytes_arrive_once():
    for number in SENT:
        for line in LINES:
            dies(line(), lambda one, number=number: one.process.send_signal(number))


def whatever_its_drivers_do_the_bytes_arrive_once():
    for way in (100, 101, 102, 103, 104, 105):  # abort, a wild pointer, exit, _Exit, SIGKILL, a second free
        for line in (Serial, Tcp):
            dies(line(), lambda one, way=way: one.drive(way))


def the_configuration_can_guard_any_line():
    dies(Serial(), lambda one: one.process.kill(), b"HALT\r\n", r'guard "HALT\r\n"')
    dies(Tcp(), lambda one: one.process.kill(), b"\x89\0\0\0\0", 'guard "hex:89 00 00 00 00"')
    dies(Serial(), lambda one: one.process.kill(), b"mine", 'guard "mine" own yes')


def the_bytes_follow_the_drivers_mode():
    with victim(Serial()) as one:
        one.moves()
        one.drive(-0.5)
        one.line.until(b"V -0.5\n")
        one.process.kill()
        tap.equal(one.line.rest(), b"S0\n")
        one.wait()


def they_arrive_in_a_panic_too():
    for line in LINES:
        with victim(line()) as one:
            one.moves()
            one.process.send_signal(signal.SIGUSR1)
            one.line.until(b"H\n")
            one.drive(0.5)  # refused
            one.process.kill()
            tap.equal(one.line.rest(), b"S1\n")
            one.wait()


def a_crash_need_not_be_over():
    """A process that dumps its core has everything open until that is done. One that does so for ever."""
    with victim(Serial(), "own yes slow yes") as one:
        one.moves()
        one.drive(100)  # abort
        tap.equal(one.line.until(b"S1\n"), b"S1\n")
        tap.equal(one.process.poll(), None)
        one.process.kill()
        tap.equal(one.line.rest(), b"")
        one.wait()


def a_frozen_server_is_no_dead_one():
    """Not the guard's job: leases and the robot's own watchdog are for that."""
    with victim(Serial()) as one:
        one.moves()
        one.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, one.process.pid, os.WSTOPPED | os.WNOWAIT)
        tap.equal(len(one.guards()), 1)
        one.process.send_signal(signal.SIGCONT)
        one.drive(0.25)
        tap.equal(one.line.until(b"V 0.25\n"), b"V 0.25\n")
        one.process.kill()
        tap.equal(one.line.rest(), b"S1\n")
        one.wait()


# ---- Servers that end in order --------------------------------------------------------------------------


def an_orderly_end_writes_nothing_but_what_the_driver_does():
    for line in LINES:
        with victim(line()) as one:
            one.moves()
            one.process.terminate()
            tap.equal(one.line.rest(), b"H\nE\n")
            tap.equal((one.wait(), one.said()), (0, ""))


def a_driver_that_hangs_does_not_keep_the_server():
    with victim(Serial()) as one:
        one.moves()
        one.drive(200)
        one.line.until(b"HANG\n")
        one.process.terminate()
        tap.equal((one.line.rest(), one.wait()), (b"S1\n", 0))
        nobody_is_left()
        assert "wheel0 does not end: its driver is busy\n" in one.said(), one.said()


def an_interrupt_from_the_terminal_does_not_reach_the_guard():
    with victim(Serial(), session=True) as one:
        one.moves()
        guard, = one.guards()
        tap.equal(os.getsid(guard) != os.getsid(one.process.pid), True)
        os.kill(guard, signal.SIGINT)
        os.kill(guard, signal.SIGTERM)
        os.killpg(one.process.pid, signal.SIGINT)
        tap.equal(one.line.rest(), b"H\nE\n")
        tap.equal((one.wait(), one.said()), (0, ""))


def a_device_that_is_closed_is_not_guarded_any_more():
    with victim(Reopened()) as one:
        one.moves()
        before = len(os.listdir(f"/proc/{one.process.pid}/fd"))
        for _ in range(20):
            one.client.access(player.POSITION2D, 0, 2)
            one.line.until(b"E\n")
            one.client.open(player.POSITION2D, 0)
            tap.equal(len(one.guards()), 1)
        tap.equal(len(os.listdir(f"/proc/{one.process.pid}/fd")), before)
        one.process.terminate()
        tap.equal(one.line.rest(), b"E\n")
        tap.equal(one.wait(), 0)


# ---- Guards themselves ----------------------------------------------------------------------------------


def stat(one, *options):
    result = tap.run([TROUPE, "stat", f"127.0.0.1:{one.port}", *options])
    tap.equal((result.returncode, result.stderr), (0, ""))
    return result.stdout


def a_guard_that_is_killed_is_replaced_and_reported():
    with victim(Serial()) as one:
        one.moves()
        tap.equal(re.search(r"^position2d:0 +wheel0 +running, guarded ", stat(one), re.M) is not None, True)
        tap.equal("guard had ended" in stat(one), False)
        guard, = one.guards()
        os.kill(guard, signal.SIGKILL)
        while [device["guard_restarts"] for device in one.client.statistics()[1].values()] != [1]:
            pass
        tap.equal("\nwheel0: a guard had ended and was started again, 1 time\n" in stat(one), True)
        while not one.said():
            pass
        tap.equal(one.said(), f"wheel0: the guard of {one.line.url} had ended; it was started again\n")
        tap.equal(one.guards() != [guard], True)
        one.process.kill()
        tap.equal(one.line.rest(), b"S1\n")
        one.wait()


def kill_its_process(one, wanted):
    one.moves()
    guard, = one.guards()
    stat_line = pathlib.Path(f"/proc/{guard}/stat").read_text(encoding="ascii")
    child = int(stat_line.rpartition(")")[2].split()[1])
    tap.equal(child not in (one.process.pid, os.getpid()), True)
    os.kill(child, signal.SIGKILL)
    tap.equal(one.line.until(wanted), wanted)
    one.process.terminate()
    tap.equal(one.wait(), 0)


def a_driver_in_a_process_of_its_own_shows_its_name_and_its_guard():
    with victim(Serial(), "own yes isolated yes restart 0.1") as one:
        one.moves()

        def shows(command, text):
            return re.search(text, tap.run([TROUPE, command, f"localhost:{one.port}"]).stdout, re.M) is not None

        while not shows("stat", r"^position2d:0 +wheel0 +running, isolated, guarded "):
            pass  # it is asked for once in a while
        tap.equal(shows("list", r"^position2d:0 +wheel0 +running, isolated, guarded "), True)
        guard, = one.guards()
        os.kill(guard, signal.SIGKILL)
        while not shows("stat", "^wheel0: a guard had ended and was started again, 1 time$"):
            pass
        stat_line = pathlib.Path(f"/proc/{one.guards()[0]}/stat").read_text(encoding="ascii")
        os.kill(int(stat_line.rpartition(")")[2].split()[1]), signal.SIGKILL)
        while "works again" not in one.said():
            pass
        lines = one.said().splitlines()
        tap.equal(sorted(lines[:1] + [line for line in lines[1:] if line.startswith("wheel0: ")]),
                  ["wheel0: its process was killed by signal 9", f"wheel0: the guard of {one.line.url} had ended; it was "
                   "started again", "wheel0: works again"])
        tap.equal([line for line in lines if line.startswith("troupe-guard: ")],
                  [f"troupe-guard: the driver's process has died; 3 of 3 stop bytes were written to {one.line.url}"])
        while not shows("stat", r"^position2d:0 +wheel0 +running, isolated, guarded "):
            pass
        tap.equal(shows("stat", "killed by signal") or shows("list", "killed by signal"), False)
        one.process.terminate()
        tap.equal(one.wait(), 0)


def a_driver_in_a_process_of_its_own_has_its_own_guard():
    for fields, bytes_ in (("own yes isolated yes", b"S1\n"), (r'guard "HALT\r\n\x00" isolated yes', b"HALT\r\n\0")):
        with victim(Serial(), fields) as one:
            kill_its_process(one, bytes_)


def a_driver_in_a_process_of_its_own_ends_in_order_when_the_server_dies():
    with victim(Serial(), "own yes isolated yes") as one:
        one.moves()
        one.process.kill()
        tap.equal(one.line.rest(), b"H\nE\n")
        one.wait()


def it_has_nothing_of_the_servers_but_the_line():
    with victim(Serial()) as one:
        one.moves()
        guard, = one.guards()
        files = {fd: os.readlink(f"/proc/{guard}/fd/{fd}") for fd in os.listdir(f"/proc/{guard}/fd")}
        tap.equal(sorted(files), ["0", "1", "2", "3"])
        tap.equal((files["0"][:5], files["1"], files["3"][:5]), ("pipe:", one.line.url, "pipe:"))
        one.process.terminate()
        one.wait()


def by_hand_it_explains_itself():
    result = tap.run([str(GUARD), "--help"])
    tap.equal((result.returncode, "is started by a server" in result.stdout), (0, True))
    result = tap.run([str(GUARD)])
    tap.equal((result.returncode, "is started by a server" in result.stderr), (2, True))


@contextlib.contextmanager
def guarded_fake():
    """The server of configs/guarded.cfg and the line that it drives on, once that moves."""
    line = Tcp()
    text = pathlib.Path(ROOT, "configs/guarded.cfg").read_text(encoding="ascii")
    (HERE / "fake.cfg").write_text(text.replace("tcp:127.0.0.1:4001", line.url))
    with subprocess.Popen([TROUPE, "run", str(HERE / "fake.cfg"), "--any-port"], stdout=subprocess.PIPE, text=True,
                          cwd="/") as process:
        port = next(int(m.group(1)) for m in (re.match(r"listening on port (\d+)", one) for one in process.stdout) if m)
        with player.Client(("127.0.0.1", port)) as client:
            client.open(player.POSITION2D, 0)
            line.begun()
            client.send(player.POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", 0.25, 0, 0, 1))
            line.until(b'position2d:0 VEL {"vel":{"px":0.25,"py":0,"pa":0},"state":1}\n')
            yield process, line
    line.close()


def the_example_of_the_page_needs_no_robot():
    with guarded_fake() as (process, line):
        process.kill()
        tap.equal(line.rest(), b"\nSTOP NOW\n")
    with guarded_fake() as (process, line):
        process.terminate()
        tap.equal(line.rest().splitlines(), [b"position2d:0 HALT"])  # and no word of the guard


compile_plugin()
tap.main(whatever_signal_kills_it_the_bytes_arrive_once, whatever_its_drivers_do_the_bytes_arrive_once,
         the_configuration_can_guard_any_line, the_bytes_follow_the_drivers_mode, they_arrive_in_a_panic_too,
         a_crash_need_not_be_over, a_frozen_server_is_no_dead_one, an_orderly_end_writes_nothing_but_what_the_driver_does,
         a_driver_that_hangs_does_not_keep_the_server,
         an_interrupt_from_the_terminal_does_not_reach_the_guard, a_device_that_is_closed_is_not_guarded_any_more,
         a_guard_that_is_killed_is_replaced_and_reported, a_driver_in_a_process_of_its_own_has_its_own_guard,
         a_driver_in_a_process_of_its_own_shows_its_name_and_its_guard,
         a_driver_in_a_process_of_its_own_ends_in_order_when_the_server_dies, it_has_nothing_of_the_servers_but_the_line,
         by_hand_it_explains_itself,
         the_example_of_the_page_needs_no_robot)
