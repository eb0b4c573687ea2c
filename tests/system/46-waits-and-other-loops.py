#!/usr/bin/env python3
"""Robot programs that hang, that are interrupted, and that have an event loop of their own.
argv: the troupe program, the programs client_probe, record and watch."""
import os
import signal
import subprocess
import sys

import player
import tap
from cli import at

PROGRAM, PROBE, RECORD, WATCH = sys.argv[1:5]
PATIENCE = 60  # seconds, far beyond anything that a healthy program needs


def a_program_that_hangs_beside_its_client_stops_its_robot():
    with player.server(PROGRAM) as server:
        tap.equal(tap.run([PROBE, "hang", f"tcp:{at(server)}"]).stdout, "made\nstopped\n")


def unless_its_loop_may_speak_for_it():
    with player.server(PROGRAM) as server:
        tap.equal(tap.run([PROBE, "hang", f"tcp:{at(server)}", "loop"]).stdout, "made\nstill moving\n")


def a_signal_ends_a_wait():
    with player.server(PROGRAM) as server:
        with subprocess.Popen([PROBE, "wait", f"tcp:{at(server)}"], stdout=subprocess.PIPE, text=True) as process:
            tap.equal([process.stdout.readline() for _ in range(2)], ["made\n", "waiting\n"])
            code = None
            while code is None:  # a signal may come before the wait begins
                process.send_signal(signal.SIGINT)
                try:
                    code = process.wait(timeout=0.05)
                except subprocess.TimeoutExpired:
                    pass
            tap.equal((code, process.stdout.read()), (0, "E_INTERRUPTED\n"))


def the_example_records_until_it_is_interrupted():
    with player.server(PROGRAM) as server:
        environment = dict(os.environ, TROUPE_URL=at(server))
        with subprocess.Popen([RECORD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment) as process:
            times = [float(process.stdout.readline().split()[0]) for _ in range(20)]
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=PATIENCE)
            tap.equal(process.returncode, 0)
            tap.equal(error.startswith("record: position2d:0: interrupted; "), True)
            tap.equal(error.endswith(" 0 missed\n"), True)
            tap.equal(times, sorted(set(times)))


def the_example_answers_in_its_own_loop():
    with player.server(PROGRAM) as server:
        environment = dict(os.environ, TROUPE_URL=at(server))
        with subprocess.Popen([WATCH], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=environment) as process:
            line = "not known yet\n"
            while line == "not known yet\n":
                process.stdin.write("?\n")
                process.stdin.flush()
                line = process.stdout.readline()
            tap.equal(len([float(word) for word in line.split()]), 2)
            process.stdin.close()
            tap.equal(process.wait(timeout=PATIENCE), 0)


tap.main(a_program_that_hangs_beside_its_client_stops_its_robot, unless_its_loop_may_speak_for_it, a_signal_ends_a_wait,
         the_example_records_until_it_is_interrupted, the_example_answers_in_its_own_loop)
