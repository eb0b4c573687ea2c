#!/usr/bin/env python3
"""troupe doctor: what it finds, and what it says to do.  argv: the troupe program."""
import os
import re
import shutil
import socket
import tempfile

import cli
import player
import tap
from cli import says, serving, troupe, usage

REPORT = re.compile(r"(ok     |warning|problem)  \S.*|         -> \S.*")


def reported(**options):
    result = troupe("doctor", **options)
    lines = result.stdout.splitlines()
    tap.equal(result.stderr, "")
    *report, blank, total = lines
    for line in report:
        assert REPORT.fullmatch(line), line
    tap.equal(blank, "")
    counts = [sum(line.startswith(word) for line in report) for word in ("ok", "warning", "problem")]
    tap.equal([int(word) for word in re.findall(r"\d+", total)], counts)
    tap.equal(result.returncode, 1 if counts[2] else 0)
    # whoever complains says what to do
    for line, after in zip(report, report[1:] + [""]):
        if line.startswith(("warning", "problem")):
            assert after.startswith("         -> "), line
    return report


def has(report, pattern):
    found = [i for i, line in enumerate(report) if re.fullmatch(pattern, line)]
    assert found, f"no line like {pattern!r} in\n" + "\n".join(report)
    return found[0]


def a_healthy_machine_has_no_problem():
    report = reported()
    for pattern in (r"ok       troupe \d+\.\d+\.\d+ \(.* build, .*\)", r"ok       \d+ drivers and \d+ fronts? built in",
                    r"ok       libuv \d.*", r"ok       zlib \d.*", r"(ok     |warning)  .* open files.*",
                    r"ok       the clock counts in steps of .* us", r"(ok     |warning)  wakes up \d+ us late on average, .*",
                    r"ok       TCP on 127\.0\.0\.1 \(connected and answered in \d+ us\)",
                    r"ok       unix sockets \(connected and answered in \d+ us\)",
                    r"ok       lines can be guarded: /.*/troupe-guard is ready after [0-9.]+ ms",
                    r"ok       standard output is no terminal: no colours, no live display",
                    r"ok       TROUPE_URL is not set: commands talk to localhost:6665"):
        has(report, pattern)
    tap.equal([line for line in report if line.startswith("problem")], [])


@serving()
def the_server_of_the_environment_is_asked(url):
    has(reported(url=url), rf"ok       TROUPE_URL is {url}: a Troupe server answers there")


def a_server_that_is_not_there_is_a_problem():
    report = reported(url="unix:/nowhere")
    at = has(report, r"problem  TROUPE_URL is unix:/nowhere, but: connect to unix:/nowhere: no such file or directory")
    tap.equal(report[at + 1],
              "         -> start the server, or name another one: export TROUPE_URL=HOST:PORT")


def a_folder_that_is_not_there_is_a_problem():
    report = reported(TMPDIR="/nowhere")
    at = has(report, r"problem  unix sockets: listen on unix:/nowhere/troupe-doctor-\w+: no such file or directory")
    tap.equal(report[at + 1], "         -> may you write to that folder? TMPDIR names another")


def a_guard_that_is_not_there_is_a_problem():
    with tempfile.TemporaryDirectory() as folder:
        alone = shutil.copy(cli.PROGRAM, folder)
        lines = tap.run([alone, "doctor"], env=dict(os.environ, PATH="/nowhere")).stdout.splitlines()
        at = has(lines, "problem  lines cannot be guarded: cannot start troupe-guard: no such file or directory")
        tap.equal(lines[at + 1],
                  "         -> install troupe-guard beside troupe, or where programs are searched for")


def folders_of_plugins_are_told():
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/libkmot.so", "w", encoding="ascii").close()
        report = reported(TROUPE_PLUGIN_PATH=f"{folder}::/nowhere")
        has(report, rf"ok       1 plug-in in {folder}")
        at = has(report, r"warning  no folder for plug-ins: /nowhere")
        tap.equal(report[at + 1], "         -> make it, or take it out of TROUPE_PLUGIN_PATH")


def free_port():
    """A listener on the last of the robots' ports that nobody has: programs that are told none begin with the first."""
    for port in range(6669, 6664, -1):
        try:
            return port, socket.create_server(("127.0.0.1", port))
        except OSError:
            pass
    raise AssertionError("all ports from 6665 to 6669 are taken")


def ports_tell_who_has_them():
    port, listener = free_port()
    with listener:
        report = reported()
        at = has(report, rf"warning  port {port} is used by something that is no server of robots")
        tap.equal(report[at + 1], "         -> take another one: troupe run FILE.cfg --port PORT")
    has(reported(), rf"ok       port {port} is free")
    text = f'driver ( name "fake" provides [ "{port}:laser:0" "{port}:sonar:0" ] )'
    with cli.killed_server("--port", str(port), text=text, any_port=False):
        has(reported(), rf"ok       port {port}: a Troupe server with 2 devices")


def a_terminal_is_told():
    with cli.Terminal("doctor", rows=50, columns=100) as terminal:
        tap.equal(terminal.ended(), 0)
        assert any("ok       terminal xterm, 100 columns, 50 lines, colours" in line for line in terminal.lines)
        assert b"\033[32mok     \033[0m  " in terminal.raw
    with cli.Terminal("doctor", rows=50, columns=100, NO_COLOR="1") as terminal:
        terminal.ended()
        assert any(", 50 lines, no colours" in line for line in terminal.lines)
        assert b"\033" not in terminal.raw


def mistakes_are_explained():
    says(troupe("doctor", "now"), 2, usage("doctor", 'unexpected "now"'))


tap.main(a_healthy_machine_has_no_problem, the_server_of_the_environment_is_asked, a_server_that_is_not_there_is_a_problem,
         a_folder_that_is_not_there_is_a_problem, a_guard_that_is_not_there_is_a_problem, folders_of_plugins_are_told,
         ports_tell_who_has_them, a_terminal_is_told, mistakes_are_explained)
