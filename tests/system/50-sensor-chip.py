#!/usr/bin/env python3
"""The firmware of a sensor on a simulated ATmega328P: its commands, nothing lost unsaid, and as a device of a server.
argv: the troupe program, source root, the simulated board, the run in lockstep, the firmware[, samples].  The long form: 60000."""
import pathlib
import re
import subprocess
import sys
import tempfile

import tap
from robots import PATIENCE, PROGRAM, Program, address

ROOT, UNO, RUN, FIRMWARE = pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4], pathlib.Path(sys.argv[5]).with_suffix(".hex")
SAMPLES = int(sys.argv[6]) if len(sys.argv) > 6 else 2000


def samples(period):
    done = subprocess.run([RUN, FIRMWARE, str(SAMPLES), str(period)], capture_output=True, text=True)
    tap.equal((done.returncode, done.stderr), (0, ""))
    if len(sys.argv) > 6:
        print(f"# every {period} us: {done.stdout.strip()}")
    return [int(number) for number in re.match(r"delivered (\d+) lost (\d+)", done.stdout).groups()]


def commands_are_answered_and_no_sample_is_lost_unsaid():
    tap.equal(sum(samples(1000)), SAMPLES)


def what_the_line_cannot_carry_is_announced():
    delivered, lost = samples(500)
    tap.equal((delivered + lost, lost > 0), (SAMPLES, True))


def its_source_is_that_of_its_manifest():
    done = subprocess.run([PROGRAM, "sensors", "code", "uno_light"], capture_output=True, text=True, timeout=PATIENCE)
    tap.equal(done.stdout, (ROOT / "firmware" / "sensor_light.c").read_text())


def it_is_a_device_of_a_server():
    board = subprocess.Popen([UNO, FIRMWARE, "--silent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = board.stdout.readline().strip()
        board.stdin.write("analog 0 2000\n")
        board.stdin.flush()
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(f'driver ( name "sensor" port "{url}" provides [ "aio:0" ] )')
            file.flush()
            with Program("run", file.name, "--any-port") as server:
                at = f"localhost:{address(server, r'listening on port ([0-9]+)')}/aio:0"
                with Program("print", at, "-n", "1", "--timeout", str(PATIENCE)) as reader:
                    reader.await_line(r"voltages: \[409\]")
                with Program("print", at), Program("property", at) as reader:
                    reader.await_line("uuid +Troupe.Uno.Light.1")
    finally:
        board.kill()
        board.wait()
        board.stdin.close()
        board.stdout.close()


tap.main(commands_are_answered_and_no_sample_is_lost_unsaid, what_the_line_cannot_carry_is_announced,
         its_source_is_that_of_its_manifest, it_is_a_device_of_a_server)
