#!/usr/bin/env python3
"""The client library against `troupe run`: look, drive, find, and stay when the server goes and comes back.
argv: the troupe program, the program client_probe."""
import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile

import player
import tap

TROUPE, PROBE = sys.argv[1:3]
LISTENING = re.compile(r"listening on port (\d+)")


def url(server):
    return f"tcp:127.0.0.1:{server.address[1]}"


def probe(*arguments, code=0):
    result = tap.run([PROBE, *arguments])
    tap.equal((result.returncode, result.stderr), (code, ""))
    return result.stdout


def the_devices_are_seen():
    with player.server(TROUPE) as server:
        tap.equal(probe("look", url(server)),
                  "made\ntroupe, Player v.3.1.1-dev\n"
                  "position2d:0 fake\nlaser:0 fake\nsonar:0 fake\nmap:0 fake\n")


def a_robot_is_driven_over_tcp():
    with player.server(TROUPE) as server:
        for _ in range(2):
            tap.equal(probe("drive", url(server)), "made\nlength 0.44\nmoved\n")


def a_robot_is_driven_over_a_unix_socket():
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, "socket"))
        with player.server(TROUPE, options=("--unix", path)):
            tap.equal(probe("drive", "unix:" + path), "made\nlength 0.44\nmoved\n")


def devices_are_found():
    with player.server(TROUPE) as server:
        tap.equal(probe("find", url(server), "laser", "driver = fake, most rate"),
                  "made\nfound laser:0\nnoise 0.25\n")
        tap.equal(probe("find", url(server), "laser", "rate > 1000", code=1),
                  'made\nfailed: no laser meets "rate > 1000": laser:0 has rate = 50\n')
        tap.equal(probe("find", url(server), "camera", "", code=1), "made\nfailed: the server has no camera\n")


@contextlib.contextmanager
def running(path, *options):
    """A server and its port; ended at once, as if the power were cut."""
    with subprocess.Popen([TROUPE, "run", *options, path], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield next(int(found.group(1)) for found in (LISTENING.match(line) for line in process.stdout) if found)
        finally:
            process.kill()


def a_server_that_comes_back_is_found_again():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file, contextlib.ExitStack() as stack:
        file.write('driver ( name "fake" provides [ "position2d:0" ] rate 50 )')
        file.flush()
        with running(file.name, "--any-port") as port:
            process = stack.enter_context(
                subprocess.Popen([PROBE, "stay", f"localhost:{port}"], stdout=subprocess.PIPE, text=True))
            tap.equal([process.stdout.readline() for _ in range(2)], ["made\n", "data\n"])
        tap.equal(process.stdout.readline(), "lost\n")
        with running(file.name, "--port", str(port)):
            tap.equal(process.stdout.read(), "made\ndata\n")
        tap.equal(process.wait(), 0)


tap.main(the_devices_are_seen, a_robot_is_driven_over_tcp, a_robot_is_driven_over_a_unix_socket, devices_are_found,
         a_server_that_comes_back_is_found_again)
