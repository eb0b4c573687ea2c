#!/usr/bin/env python3
"""docs/reference/protocol.md is right: its client works, its bytes are those of the server.  argv: the troupe program, source root."""
import pathlib
import re
import subprocess
import sys
import tempfile

import player
import tap

PROGRAM = sys.argv[1]
PAGE = (pathlib.Path(sys.argv[2]) / "docs/reference/protocol.md").read_text(encoding="utf-8")
CLIENT = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]


def run_client(server, count, *key):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(CLIENT)
        file.flush()
        return subprocess.run([sys.executable, file.name, "127.0.0.1", str(server.address[1]), str(count), *key],
                              capture_output=True, text=True, timeout=300, check=False)


def the_client_is_short():
    tap.equal(len([line for line in CLIENT.splitlines() if line.strip()]) <= 60, True)


def the_client_lists_drives_and_prints():
    with player.server(PROGRAM) as server:
        result = run_client(server, 20)
        tap.equal((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        tap.equal(lines[:4], ["device 4:0", "device 6:0", "device 5:0", "device 42:0"])
        numbers = [[float(number) for number in re.findall(r"-?[\d.]+", line)] for line in lines[4:]]
        tap.equal(len(numbers), 20)
        tap.equal(numbers[-1][0] > numbers[0][0] and numbers[-1][2] > numbers[0][2], True)


def the_client_is_told_why_it_is_refused():
    with player.server(PROGRAM, 'driver ( name "fake" provides [ "laser:0" ] )') as server:
        result = run_client(server, 1)
        tap.equal(result.returncode, 1)
        tap.equal(result.stderr.splitlines()[-1], "RuntimeError: there is no such device")


def the_client_proves_that_it_has_a_key():
    with player.server(PROGRAM, 'keys [ "anna move sesame" ]\n' + player.FAKE) as server:
        result = run_client(server, 20, "sesame")
        tap.equal((result.returncode, result.stderr), (0, ""))
        xs = [float(line.split()[1]) for line in result.stdout.splitlines() if line.startswith("x ")]
        tap.equal(xs[-1] > xs[0], True)
        result = run_client(server, 1, "simsalabim")
        tap.equal(result.stderr.splitlines()[-1],
                  "RuntimeError: no key of this server fits; wait 1 s before the next try")
        xs = [line for line in run_client(server, 20).stdout.splitlines() if line.startswith("x ")]
        tap.equal(xs[0], xs[-1])  # the command was dropped


def the_bytes_of_the_example_are_those_of_the_server():
    words = re.search(r"motors on\):\n\n(.*?)\n\n", PAGE, re.S)[1].split()
    body = "".join(words[9:])
    result = tap.run([PROGRAM, "encode", "position2d", "command", "VEL", '{"vel": {"px": 0.5}, "state": 1}'])
    tap.equal((result.returncode, result.stdout.strip()), (0, body))
    tap.equal(int(words[8], 16), len(body) // 2)


tap.main(the_client_is_short, the_client_lists_drives_and_prints, the_client_is_told_why_it_is_refused,
         the_client_proves_that_it_has_a_key,
         the_bytes_of_the_example_are_those_of_the_server)
