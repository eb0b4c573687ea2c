#!/usr/bin/env python3
"""troupe print: on pipes, on a terminal, and when the server goes away.  argv: the troupe program."""
import fcntl
import json
import math
import os
import re
import select
import signal
import struct
import subprocess
import tempfile

import cli
import tap
from cli import Puppet, Running, Terminal, says, serving, troupe, usage

POSITION = struct.pack(">ddddddI", 0.5, -1, 0, 0.25, 0, 0, 1)
POSITION_DATA = [(4, 0, 1, 12.5, POSITION)]
POSITION_BLOCK = ("  pos:\n    px: 0.5 m\n    py: -1 m\n    pa: 0 rad\n  vel:\n    px: 0.25 m/s\n    py: 0 m/s\n"
                  "    pa: 0 rad/s\n  stall: yes\n")


def scan(*ranges):
    body = struct.pack(">ffffII", 0, 1, 0.5, 8, len(ranges), len(ranges)) + struct.pack(f">{len(ranges)}f", *ranges)
    return body + struct.pack(">III", 0, 0, 7)


def records_have_a_form_for_everybody():
    with Puppet([(4, 0)], data=POSITION_DATA) as puppet:
        def printed(*options):
            result = troupe("print", "position2d", "--count", "1", *options, url=puppet.url)
            tap.equal((result.returncode, result.stderr), (0, ""))
            return result.stdout
        tap.equal(printed(), "position2d:0 STATE  12.500000 s\n" + POSITION_BLOCK)
        tap.equal(printed("--human"), printed())
        tap.equal(printed("--line"), "12.500000 position2d:0 STATE {pos={px=0.5 py=-1 pa=0} vel={px=0.25 py=0 pa=0} stall=1}\n")
        tap.equal(printed("--hex"), f"12.500000 position2d:0 STATE {POSITION.hex()}\n")
        tap.equal(json.loads(printed("--json")),
                  {"time": 12.5, "device": "position2d:0", "message": "STATE",
                   "value": {"pos": {"px": 0.5, "py": -1, "pa": 0}, "vel": {"px": 0.25, "py": 0, "pa": 0}, "stall": 1}})
        # and back again
        tap.equal(troupe("decode", "position2d", "data", "STATE", printed("--hex").split()[3]).stdout,
                  json.dumps(json.loads(printed("--json"))["value"], separators=(",", ":")) + "\n")


def json_is_json_whatever_comes():
    strict = {"parse_constant": lambda word: 1 / 0}
    with Puppet([(6, 0)], data=[(6, 0, 1, float("nan"), scan(float("nan"), float("inf"), float("-inf"), 0.1))]) as puppet:
        text = troupe("print", "laser", "--json", "-n", "1", url=puppet.url).stdout
        record = json.loads(text, **strict)
        tap.equal((record["time"], record["value"]["ranges"]), ("NaN", ["NaN", "Infinity", "-Infinity", 0.1]))
    with Puppet([(50, 0)], data=[(50, 0, 1, 1.0, cli.counted(b"\xff\033[2J\"\0"))]) as puppet:
        text = troupe("print", "speech_recognition", "--json", "-n", "1", url=puppet.url).stdout
        json.loads(text, **strict)
        tap.equal(text.isprintable() or text.strip().isprintable(), True)


def texts_cannot_steer_the_terminal():
    with Puppet([(50, 0)], data=[(50, 0, 1, 1.0, cli.counted("\033[2J\x7f\u009b"))]) as puppet:
        for form in ("--human", "--line"):
            out = troupe("print", "speech_recognition", form, "-n", "1", url=puppet.url).stdout
            tap.equal([character for character in out if not character.isprintable() and character != "\n"], [])


@serving('driver ( name "fake" provides [ "laser:0" "laser:1" ] rate 50 )')
def a_device_may_have_its_server_before_it(url):
    for device, environment in (("laser:1", url), (f"{url}/laser:1", None), (f"tcp:{url}/laser:1", None),
                                (f"{url}/laser:1", "localhost:1")):
        result = troupe("print", device, "--line", "-n", "1", url=environment)
        tap.equal((result.returncode, result.stdout.split()[1:3]), (0, ["laser:1", "SCAN"]))
    says(troupe("print", f"{url}/laser", "-u", url), 2, usage("print", f'the server is named twice: "{url}" and "{url}"'))


def only_what_was_asked_for():
    data = [(6, 0, 1, 1.0, scan(1)), (6, 0, 99, 2.0, b"1234"), (6, 0, 1, 3.0, scan(2)), (6, 0, 2, 4.0, scan(3) + 24 * b"\0")]
    with Puppet([(6, 0)], data=data) as puppet:
        lines = troupe("print", "laser", "--line", "-n", "2", "--only", "scan", url=puppet.url).stdout.splitlines()
        tap.equal([line.split()[0] for line in lines], ["1.000000", "3.000000"])
        lines = troupe("print", "laser", "--line", "-n", "1", "--only", "SCANPOSE", url=puppet.url).stdout.splitlines()
        tap.equal([line.split()[:3] for line in lines], [["4.000000", "laser:0", "SCANPOSE"]])


@serving('driver ( name "fake" provides [ "position2d:0" ] rate 100 )')
def a_rate_thins_data_out(url):
    lines = troupe("print", "position2d", "--line", "-n", "6", "--rate", "5", url=url).stdout.splitlines()
    times = [float(line.split()[0]) for line in lines]
    tap.equal(len(times), 6)
    # a second in all, less what a busy machine is late; all of them would be 0.05 s
    assert times[-1] - times[0] > 0.5, times


def a_player_server_keeps_no_rate_so_we_do():
    many = [(4, 0, 1, float(i), POSITION) for i in range(200)]
    with Puppet([(4, 0)], data=many) as puppet:
        with Running("print", "position2d", "--line", "--rate", "1e-30", url=puppet.url) as running:
            tap.equal(running.line().split()[0], "0.000000")
            running.process.send_signal(signal.SIGINT)
            tap.equal(running.ended(), (0, ""))
            tap.equal(running.process.stdout.read(), "")


@serving()
def it_ends_when_it_is_told_to(url):
    for number in (signal.SIGINT, signal.SIGTERM):
        with Running("print", "sonar", "--line", url=url) as running:
            tap.equal(running.line().split()[1:3], ["sonar:0", "RANGES"])
            tap.equal(running.interrupt(number), (0, ""))


@serving()
def it_ends_when_nobody_reads_any_more(url):
    with Running("print", "sonar", "--json", url=url) as running:
        running.line()
        running.process.stdout.close()
        tap.equal(running.ended(), (0, ""))
        running.process.stdout = open(os.devnull, encoding="ascii")


@serving('driver ( name "fake" provides [ "laser:0" ] rate 200 )')
def it_ends_when_it_is_told_to_though_nobody_reads(url):
    for number in (signal.SIGINT, signal.SIGTERM):
        with Running("print", "laser", "--json", url=url) as running:
            fcntl.fcntl(running.process.stdout.fileno(), fcntl.F_SETPIPE_SZ, 4096)  # full with the first byte
            select.select([running.process.stdout], [], [], cli.PATIENCE)
            tap.equal(running.interrupt(number), (0, ""))


def it_ends_when_nobody_reads_any_more_though_nothing_comes():
    with Puppet([(4, 0)], data=POSITION_DATA) as puppet, Running("print", "position2d", "--line", url=puppet.url) as running:
        running.line()
        running.process.stdout.close()
        tap.equal(running.ended(), (0, ""))
        running.process.stdout = open(os.devnull, encoding="ascii")


@serving()
def output_that_cannot_be_written_is_a_failure(url):
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run([cli.PROGRAM, "print", f"{url}/sonar", "--line"], stdout=full, stderr=subprocess.PIPE,
                                text=True, check=False, timeout=cli.PATIENCE)
    tap.equal((result.returncode, result.stderr), (1, "troupe print: cannot write the output\n"))


def a_lost_server_is_told_and_found_again():
    with tempfile.TemporaryDirectory() as folder:
        path = f"unix:{folder}/robot"
        with cli.killed_server("--unix", folder + "/robot") as server:
            with Running("print", path + "/sonar:0", "--json") as running:
                json.loads(running.line())
                server.kill()
                tap.equal(running.error(), f"troupe print: {path}: the server closed the connection; trying to connect again\n")
                server.wait()
                with cli.killed_server("--unix", folder + "/robot"):
                    tap.equal(running.error(), f"troupe print: connected to {path} again\n")
                    for _ in range(20):  # more than was there before
                        json.loads(running.line())
                    tap.equal(running.interrupt(), (0, ""))


def the_exit_code_tells_of_a_server_that_was_lost():
    with cli.killed_server() as server, Running("print", "laser", "--line", url=f"localhost:{server.port}") as printing:
        printing.line()
        server.kill()
        printing.error()  # that it is lost
        tap.equal(printing.interrupt()[0], 1)


def a_lost_server_does_not_spoil_the_terminal():
    with tempfile.TemporaryDirectory() as folder:
        path = f"unix:{folder}/robot"
        with cli.killed_server("--unix", folder + "/robot") as server:
            with Terminal("print", path + "/sonar:0", columns=200) as terminal:
                terminal.until(lambda lines: any("received" in line for line in lines))
                server.kill()
                told = f"troupe print: {path}: the server closed the connection; trying to connect again"
                before = terminal.until(lambda lines: told in lines).copy()
                server.wait()
                with cli.killed_server("--unix", folder + "/robot"):
                    again = f"troupe print: connected to {path} again"
                    terminal.until(lambda lines: again in lines)
                    terminal.until(lambda lines: sum("received" in line for line in lines) >= 2)
                # what was shown before stays above
                tap.equal(terminal.lines[:before.index(told) + 1], before[:before.index(told) + 1])
                terminal.until(lambda lines: lines.count(told) == 2)  # the second server is gone, too
                terminal.type(b"\x03")
                tap.equal(terminal.ended(), 1)


# ---- On a terminal --------------------------------------------------------------------------------


def a_terminal_shows_the_newest_in_one_place():
    data = POSITION_DATA + [(4, 0, 1, 13.5, POSITION)]
    with Puppet([(4, 0)], data=data) as puppet, Terminal("print", "position2d", url=puppet.url) as terminal:
        lines = terminal.until(lambda lines: any("2 received" in line for line in lines))
        tap.equal(lines[:3], [f"position2d:0, puppet at tcp:{puppet.url}   (Ctrl-C ends)", "", "STATE  13.500000 s  2 received"])
        tap.equal("\n".join(lines[3:]), POSITION_BLOCK)
        terminal.type(b"\x03")
        tap.equal(terminal.ended(), 0)


def wall(count=181):
    """A wall one metre left of the device and one two metres ahead of it, as a laser of half a circle sees them."""
    def seen(i):
        angle = math.radians(-90 + 180 * i / (count - 1))
        left = 1 / math.sin(angle) if angle > 0.01 else 9
        ahead = 2 / math.cos(angle) if abs(angle) < 1.5 else 9
        return min(left, ahead, 8)
    ranges = [seen(i) for i in range(count)]
    head = struct.pack(">ffffII", -math.pi / 2, math.pi / 2, math.pi / (count - 1), 8, count, count)
    return head + struct.pack(f">{count}f", *ranges) + struct.pack(">III", 0, 0, 7)


SUMMARY = "  nearest 1.00 m 90 deg left   left 1.00 m   ahead 2.00 m   right no echo"


def a_scan_is_a_picture_that_fits_a_terminal():
    with Puppet([(6, 0)], data=[(6, 0, 1, 12.5, wall())]) as puppet:
        with Terminal("print", "laser", url=puppet.url, LC_ALL="C", rows=24, columns=80) as terminal:
            lines = terminal.until(lambda lines: SUMMARY in lines)
            assert len(lines) <= 24 and all(len(line) < 80 for line in lines), lines
            assert any("^" in line for line in lines) and sum(line.count("*") for line in lines) > 30, lines
            assert not any("more lines" in line for line in lines), lines
            terminal.type(b"\x03")
            tap.equal(terminal.ended(), 0)


def a_scan_in_a_pipe_is_numbers_unless_a_picture_is_wanted():
    with Puppet([(6, 0)], data=[(6, 0, 1, 12.5, wall())]) as puppet:
        def printed(*options):
            result = troupe("print", "laser", "-n", "1", *options, url=puppet.url)
            tap.equal((result.returncode, result.stderr), (0, ""))
            return result.stdout
        assert "  max_range: 8 m\n" in printed() and printed("--human") == printed()
        tap.equal(len(json.loads(printed("--json"))["value"]["ranges"]), 181)
        text = printed("--picture")
        assert text.startswith("laser:0 SCAN  12.500000 s\n") and "ranges:" not in text and " ahead 2.00 m " in text, text
        assert text.count("\n") <= 21 and max(map(len, text.splitlines())) <= 80, text


@serving('driver ( name "fake" provides [ "ranger:0" "sonar:0" "ir:0" ] rate 50 )')
def ranges_without_angles_get_those_of_the_device(url):
    for device, wanted in (("ranger", " ranges from "), ("sonar", "\n    0  "), ("ir", "\n    0  ")):
        # A ranger sends ranges and intensities in turn; one of several messages has ranges.
        text = troupe("print", device, "--picture", "-n", "4", url=url).stdout
        assert wanted in text and " nearest " in text and "?" not in text, text


def a_terminal_waits_in_words():
    with Puppet([(4, 0)]) as puppet, Terminal("print", "position2d", url=puppet.url) as terminal:
        tap.equal(terminal.until(lambda lines: len(lines) > 2)[1], "waiting for data")
        terminal.type(b"\x03")
        tap.equal(terminal.ended(), 0)


@serving('driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 )')
def a_terminal_is_never_written_over_its_edges(url):
    with Terminal("print", "laser", "--human", url=url, rows=10, columns=40) as terminal:
        lines = terminal.until(lambda lines: len(lines) == 10)
        assert lines[8].startswith("... ") and lines[8].endswith(" more lines"), lines
        for _ in range(20):  # Terminal checks the columns, and the rows above
            terminal.read()
            assert len(terminal.lines) <= 10, terminal.lines
        terminal.type(b"\x03")
        tap.equal(terminal.ended(), 0)


def numbers_are_not_cut_in_two():
    numbers = [f"1.{i:06}" for i in range(1, 41)]
    data = struct.pack(">ffffII", 0, 1, 0.025, 8, 40, 40) + struct.pack(">40f", *map(float, numbers)) + bytes(12)
    with Puppet([(6, 0)], data=[(6, 0, 1, 13.5, data)]) as puppet, \
            Terminal("print", "laser", "--human", url=puppet.url, rows=50, columns=60) as terminal:
        lines = terminal.until(lambda lines: any("1.00004" in line for line in lines))
        shown = re.findall(r"\b1\.0000\d+", "\n".join(lines))
        tap.equal(sorted({float(word) for word in shown}), [float(number) for number in numbers])
        terminal.type(b"\x03")
        tap.equal(terminal.ended(), 0)


@serving('driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 )')
def a_resized_terminal_is_drawn_anew(url):
    with Terminal("print", "laser", "--human", url=url, rows=30, columns=80) as terminal:
        terminal.until(lambda lines: len(lines) == 30)
        terminal.resize(12, 50)
        # what was drawn for the old size may still be on its way
        terminal.columns = 80
        terminal.until(lambda lines: len(lines) == 12)
        terminal.columns = 50
        terminal.read()
        tap.equal(b"\033[H\033[2J" in terminal.raw, True)
        terminal.type(b"\x03")
        tap.equal(terminal.ended(), 0)


@serving()
def a_count_ends_on_a_terminal_too(url):
    with Terminal("print", "sonar", "--count", "3", url=url) as terminal:
        tap.equal(terminal.ended(), 0)
        assert any("3 received" in line for line in terminal.lines), terminal.lines


@serving()
def a_terminal_that_cannot_be_drawn_on_gets_records(url):
    with Terminal("print", "sonar", "--count", "2", url=url, columns=200, TERM="dumb") as terminal:
        tap.equal(terminal.ended(), 0)
        tap.equal([line.split()[:2] for line in terminal.lines[0:4:2]], 2 * [["sonar:0", "RANGES"]])
        tap.equal(b"\033" in terminal.raw, False)


@serving()
def json_on_a_terminal_is_json(url):
    with Terminal("print", "sonar", "--json", "--count", "2", url=url, columns=1000) as terminal:
        tap.equal(terminal.ended(), 0)
        tap.equal([json.loads(line)["message"] for line in terminal.lines[:2]], ["RANGES", "RANGES"])


# ---- Mistakes -------------------------------------------------------------------------------------


@serving('driver ( name "fake" provides [ "laser:0" "laser:4" ] )')
def what_is_not_there_is_told(url):
    says(troupe("print", "laser:3", url=url), 1, f"troupe print: tcp:{url} has no device laser:3; it has laser:0, laser:4\n")
    says(troupe("print", "imu", url=url), 1,
         f"troupe print: tcp:{url} has no device imu:0, nor any other imu; troupe list shows its devices\n")


def mistakes_are_explained():
    says(troupe("print"), 2, usage("print", "which device? troupe list names them"))
    says(troupe("print", "lasr"), 1, 'troupe print: there is no interface "lasr"; did you mean "laser"?\n')
    says(troupe("print", "soil:0", url="unix:/nowhere"), 1, "troupe print: connect to unix:/nowhere: no such file or directory\n")
    for wrong in ("laser:x", "laser:", ":0", "laser:-1", "laser:65536", "laser:0:0", ""):
        says(troupe("print", wrong), 2, usage("print", f'"{wrong}" is no device; a device is INTERFACE[:INDEX], as laser:0'))
    says(troupe("print", "laser", "--only", "RANGES"), 1,
         'troupe print: laser has no data "RANGES"; it has SCAN, SCANPOSE, SCANANGLE\n')
    says(troupe("print", "laser", "--only", "SCN"), 1, 'troupe print: laser has no data "SCN"; did you mean "SCAN"?\n')
    says(troupe("print", "laser", "--json", "--line"), 2, usage("print", "--json and --line exclude each other"))
    says(troupe("print", "laser", "--jsn"), 2, usage("print", 'unexpected "--jsn"; did you mean "--json"?'))
    says(troupe("print", "laser", "sonar"), 2, usage("print", 'unexpected "sonar"'))
    says(troupe("print", "laser", "--rate", "0"), 2, usage("print", '--rate needs a number over 0, not "0"'))
    says(troupe("print", "laser", "--count", "1.5"), 2, usage("print", '--count needs a whole number over 0, not "1.5"'))
    says(troupe("print", "laser", "--only"), 2, usage("print", "--only needs a value"))


tap.main(records_have_a_form_for_everybody, json_is_json_whatever_comes, texts_cannot_steer_the_terminal,
         a_device_may_have_its_server_before_it, only_what_was_asked_for, a_rate_thins_data_out,
         a_player_server_keeps_no_rate_so_we_do, it_ends_when_it_is_told_to, it_ends_when_nobody_reads_any_more,
         it_ends_when_it_is_told_to_though_nobody_reads,
         it_ends_when_nobody_reads_any_more_though_nothing_comes, output_that_cannot_be_written_is_a_failure,
         the_exit_code_tells_of_a_server_that_was_lost,
         a_lost_server_is_told_and_found_again, a_lost_server_does_not_spoil_the_terminal, a_terminal_shows_the_newest_in_one_place, a_scan_is_a_picture_that_fits_a_terminal, a_scan_in_a_pipe_is_numbers_unless_a_picture_is_wanted,
         ranges_without_angles_get_those_of_the_device, a_terminal_waits_in_words,
         a_terminal_is_never_written_over_its_edges, numbers_are_not_cut_in_two, a_resized_terminal_is_drawn_anew, a_count_ends_on_a_terminal_too,
         a_terminal_that_cannot_be_drawn_on_gets_records, json_on_a_terminal_is_json, what_is_not_there_is_told, mistakes_are_explained)
