#!/usr/bin/env python3
"""While a server reads its configuration again, its clients notice nothing, whatever the file names.

The longest answer is compared with that of a server which does nothing else, asked at the same time.
argv: the troupe program."""
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import player
import tap

PROGRAM = sys.argv[1]
MANY = 2000
STEADY = 'driver ( name "fake" provides [ "laser:0" ] )\n'
# An answer passes through the scheduler twice, on a machine that is busy with other tests: this finds a loop that stands still, not a
# slow one. src/server/many_test.c counts the processor time of the longest turn, which has to be 20 ms at most.
STALL_S = 0.1


def many(rate):
    return STEADY + "".join(f'driver ( name "fake" provides [ "ptz:{i}" ] rate {rate} )\n' for i in range(MANY))


class Running:
    """A server whose configuration can be changed, and the lines that it has printed."""

    def __init__(self, server, folder):
        self.server = server
        self.folder = folder
        self.lines = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.server.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def change(self, text):
        path = self.folder + "/robot.cfg"
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(text)
        os.rename(path + ".new", path)
        self.server.process.send_signal(signal.SIGHUP)

    def wait(self, line):
        while not any(text.startswith(line) for text in self.lines):
            assert self.server.process.poll() is None, self.lines
            time.sleep(0.01)


@contextlib.contextmanager
def running(text=STEADY):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/robot.cfg", "w", encoding="ascii") as file:
            file.write(text)
        with player.launched([PROGRAM, "run", folder + "/robot.cfg", "--any-port", "--quiet"]) as server:
            yield Running(server, folder)


class Pings(threading.Thread):
    """Requests, one after the other, and the longest time that one took."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address = address
        self.longest = 0.0
        self.ended = False
        self.start()

    def run(self):
        with player.Client(self.address) as client:
            while not self.ended:
                begun = time.monotonic()
                client.request(player.PLAYER, 0, 1)
                self.longest = max(self.longest, time.monotonic() - begun)
                time.sleep(0.002)

    def end(self):
        self.ended = True
        self.join()
        return self.longest


def is_not_noticed(it, idle, text, line):
    """Change to this text, until the server has said the line."""
    del it.lines[:]
    both = Pings(it.server.address), Pings(idle.server.address)
    it.change(text)
    it.wait(line)
    mine, control = (pings.end() for pings in both)
    assert mine <= STALL_S + 5 * control, f"{line}: {mine:.3f} s, and {control:.3f} s without a reload"


def very_many_drivers_come_change_and_go():
    with running() as it, running() as idle:
        is_not_noticed(it, idle, many(5), f"added fake{MANY} (")
        is_not_noticed(it, idle, many(6), f"added fake{2 * MANY} (")
        is_not_noticed(it, idle, STEADY, f"removed fake{2 * MANY} (")
        assert it.lines[0].startswith(f"removed fake{MANY + 1} ("), it.lines[:3]


def a_large_world_is_loaded_aside():
    with running() as it, running() as idle:
        with open(it.folder + "/x.world", "w", encoding="ascii") as file:
            for i in range(20000):
                file.write(f'model ( pose [{i % 150 * 0.5} {i // 150 * 0.5} 0 {i % 90}] size [0.3 0.2 1] )\n')
            file.write('position ( name "r" pose [-5 -5 0 0] )\n')
        is_not_noticed(it, idle, STEADY + 'driver ( name "sim" worldfile "x.world" sleep yes )\n', "added sim0")
        is_not_noticed(it, idle, STEADY, "removed sim0")


def what_is_no_regular_file_is_refused():
    with running() as it, running() as idle:
        os.mkfifo(it.folder + "/pipe")
        for name, kind in (("./pipe", "a pipe"), ("/dev/zero", "a device")):
            for text in (f'include "{name}"\n' + STEADY, STEADY + f'interface ( file "{name}" )\n', f'key_file "{name}"\n' + STEADY,
                         STEADY + f'driver ( name "sim" worldfile "{name}" )\n',
                         STEADY + f'driver ( name "readlog" filename "{name}" provides [ "ptz:0" ] )\n',
                         STEADY + f'driver ( name "robotfile" robot "{name}" port "emulate:nxt" provides [ "universal:0" ] )\n'):
                is_not_noticed(it, idle, text, "nothing was changed")
                assert f"{name.lstrip('.')}: it is {kind}, not a regular file" in it.lines[-2], it.lines
        it.change(STEADY)
        it.wait("nothing has changed")


def slow(folder, seconds):
    """A driver whose start in the loading thread takes long: its plug-in waits when it is opened."""
    source = folder + "/slow.c"
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <unistd.h>\n__attribute__((constructor)) static void wait(void) { sleep(%d); }\n" % seconds)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder + "/slow.so", source], check=True)
    return 'plugin [ "slow" ]\n'


def a_slow_plugin_is_not_noticed_and_a_second_signal_is_served():
    with running() as it, running() as idle:
        both = Pings(it.server.address), Pings(idle.server.address)
        it.change(slow(it.folder, 2) + STEADY + 'driver ( name "fake" provides [ "ptz:0" ] )\n')
        time.sleep(0.5)
        it.change(STEADY + 'driver ( name "fake" provides [ "ptz:1" ] )\n')
        it.wait("added fake2 (ptz:1)")
        mine, control = (pings.end() for pings in both)
        assert mine <= STALL_S + 5 * control, (mine, control)
        tap.equal([line for line in it.lines if line.startswith(("added", "removed"))],
                  ["added fake1 (ptz:0)", "removed fake1 (ptz:0)", "added fake2 (ptz:1)"])


@contextlib.contextmanager
def reloading(folder, text):
    """A server that has been told to read `text`. What it says goes to its standard output."""
    path = folder + "/robot.cfg"
    with open(path, "w", encoding="ascii") as file:
        file.write(STEADY)
    command = [PROGRAM, "run", path, "--any-port"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        while "laser:0" not in process.stdout.readline():
            pass
        with open(path, "w", encoding="ascii") as file:
            file.write(text + STEADY)
        process.send_signal(signal.SIGHUP)
        yield process


def a_signal_ends_the_server_during_a_reload():
    with tempfile.TemporaryDirectory() as folder, reloading(folder, slow(folder, 100)) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        tap.equal(process.wait(60), 0)  # the plug-in still waits


def a_signal_ends_the_server_while_a_reload_asks_a_silent_one():
    """Nobody waits for the greeting of the other server, of which the reload would say that it has not come."""
    with socket.create_server(("127.0.0.1", 0)) as silent, tempfile.TemporaryDirectory() as folder:
        text = f'driver ( name "remote" url "tcp:127.0.0.1:{silent.getsockname()[1]}" provides [ "soil:0" ] )\n'
        with reloading(folder, text) as process:
            asking, _ = silent.accept()
            process.send_signal(signal.SIGTERM)
            tap.equal(process.wait(60), 0)
            tap.equal([line for line in process.stdout if "soil" in line], [])
            asking.close()


def a_signal_ends_the_server_while_drivers_leave():
    for delay in (0, 0.002, 0.005):
        with running(many(5)) as it:
            it.change(STEADY)
            it.wait(f"removed fake{MANY} (")
            time.sleep(delay)  # the server ends well when it is left


def very_many_drivers_are_checked_without_descriptors():
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/x.cfg", "w", encoding="ascii") as file:
            file.write(many(5))
        result = subprocess.run(["sh", "-c", 'ulimit -n 32 && exec "$0" check "$1"', PROGRAM, folder + "/x.cfg"],
                                capture_output=True, text=True, check=False)
        tap.equal((result.returncode, result.stderr), (0, ""))
        assert result.stdout.endswith("no mistakes found\n"), result.stdout[-100:]


tap.main(very_many_drivers_come_change_and_go, a_large_world_is_loaded_aside, what_is_no_regular_file_is_refused,
         a_slow_plugin_is_not_noticed_and_a_second_signal_is_served, a_signal_ends_the_server_during_a_reload,
         a_signal_ends_the_server_while_a_reload_asks_a_silent_one, a_signal_ends_the_server_while_drivers_leave,
         very_many_drivers_are_checked_without_descriptors)
