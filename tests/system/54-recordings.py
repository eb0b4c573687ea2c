#!/usr/bin/env python3
"""troupe log: recordings, tables, damage, crashes.  argv: the troupe program."""
import csv
import os
import signal
import struct
import tempfile
import time

import tap
from cli import Puppet, Running, says, serving, troupe, usage

POSITION = struct.pack(">ddddddI", 0.5, -1, 0, 0.25, 0, 0, 1)
ROBOT = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 )'


def folder(test):
    def run(*arguments):
        with tempfile.TemporaryDirectory() as path:
            test(path + "/", *arguments)
    run.__name__ = test.__name__
    return run


def recorded(path, url, *options):
    """Record; the number of messages."""
    result = troupe("log", *options, "-o", path, url=url)
    tap.equal((result.returncode, result.stderr.count("\n")), (0, 1))
    return int(result.stderr.split(": ")[1].split()[0])


def channels(path):
    """What info tells: messages by channel."""
    result = troupe("log", "info", path)
    tap.equal((result.returncode, result.stderr), (0, ""))
    rows = [line.split() for line in result.stdout.splitlines()[2:]]
    return {" ".join(row[:2]): int(row[2]) for row in rows}


@serving(ROBOT)
@folder
def all_devices_are_recorded_in_each_form(path, url):
    for form, compression in (("json", "lz4"), ("xdr", "zstd"), ("json", "none")):
        name = f"{path}{form}-{compression}.mcap"
        tap.equal(recorded(name, url, "--count", "40", "--form", form, "--compression", compression), 40)
        counted = channels(name)
        tap.equal((sorted(counted), sum(counted.values())), (["laser:0 SCAN", "position2d:0 STATE"], 40))


@folder
def a_table_has_units_exact_numbers_and_the_points_of_a_language(path):
    with Puppet([(4, 0)], data=[(4, 0, 1, 12.5, POSITION)]) as puppet:
        tap.equal(recorded(path + "t.csv", puppet.url, "-n", "1"), 1)
        tap.equal(recorded(path + "de.csv", puppet.url, "position2d", "-n", "1", "--locale", "de"), 1)
    names = [f"position2d:0 STATE {name}" for name in ("pos.px (m)", "pos.py (m)", "pos.pa (rad)", "vel.px (m/s)",
                                                       "vel.py (m/s)", "vel.pa (rad/s)", "stall")]
    with open(path + "t.csv", encoding="utf-8") as file:
        tap.equal(list(csv.reader(file)), [["time (s)"] + names, ["0", "0.5", "-1", "0", "0.25", "0", "0", "1"]])
    with open(path + "de.csv", encoding="utf-8") as file:
        tap.equal(file.readlines()[1], "0;0,5;-1;0;0,25;0;0;1\n")
    tap.equal(sorted(os.listdir(path)), ["de.csv", "t.csv"])


@folder
def one_of_something_is_not_several(path):
    with Puppet([(4, 0)], data=[(4, 0, 1, 12.5, POSITION)]) as puppet:
        result = troupe("log", "-n", "1", "-o", path + "a.mcap", url=puppet.url)
        tap.equal((result.returncode, result.stderr), (0, f"{path}a.mcap: 1 message of 1 device\n"))
    tap.equal(troupe("log", "info", path + "a.mcap").stdout.splitlines()[0].rpartition(", ")[0], f"{path}a.mcap: 1 message, 0.000 s, 1 chunk")


@serving(ROBOT)
@folder
def a_server_can_stand_before_its_devices(path, url):
    server = url.removeprefix("tcp:")
    result = troupe("log", f"{server}/laser:0", f"{server}/position2d", "-n", "10", "-o", path + "a.mcap")
    tap.equal((result.returncode, result.stderr), (0, f"{path}a.mcap: 10 messages of 2 devices\n"))
    says(troupe("log", f"{server}/laser:0", "localhost:1/laser:0"), 2,
         usage("log", f'the server is named twice: "{server}" and "localhost:1"'))


@serving(ROBOT)
@folder
def both_forms_give_the_same_table(path, url):
    for form in ("json", "xdr"):
        recorded(path + form, url, "laser:0", "--count", "3", "--form", form)
        table = troupe("log", "csv", path + form)
        tap.equal((table.returncode, table.stderr), (0, ""))
        rows = [line.split(",") for line in table.stdout.splitlines()]
        tap.equal((len(rows), len(set(map(len, rows)))), (4, 1))
        tap.equal(rows[0][5], "laser:0 SCAN ranges[0] (m)")
        assert all(3 < float(row[5]) < 6 for row in rows[1:]), rows


@serving(ROBOT)
@folder
def what_exists_is_not_lost(path, url):
    recorded(path + "a.mcap", url, "-n", "2")
    with open(path + "a.mcap", "rb") as file:
        before = file.read()
    says(troupe("log", "-n", "1", "-o", path + "a.mcap", url=url), 1,
         f"troupe log: {path}a.mcap: File exists; --force replaces it\n")
    says(troupe("log", "nosuch", "-o", path + "b.mcap", url=url), 1,
         "troupe log: there is no device nosuch; troupe list names them\n")
    for wrong, right in (("lasr", "laser"), ("laser:1", "laser:0"), ("plto", "plot")):
        says(troupe("log", wrong, "-o", path + "b.mcap", url=url), 1,
             f'troupe log: there is no device {wrong}; did you mean "{right}"?\n')
    tap.equal(os.listdir(path), ["a.mcap"])
    with open(path + "a.mcap", "rb") as file:
        tap.equal(file.read() == before, True)
    tap.equal(recorded(path + "a.mcap", url, "-n", "1", "--force"), 1)


@folder
def a_device_without_data_is_listed(path):
    with Puppet([(4, 0), (6, 1)], data=[(4, 0, 1, 12.5, POSITION)]) as puppet:
        tap.equal(recorded(path + "a.mcap", puppet.url, "-n", "1"), 1)
    rows = [line.split() for line in troupe("log", "info", path + "a.mcap").stdout.splitlines()[2:]]
    tap.equal([row[:3] for row in rows], [["position2d:0", "STATE", "1"], ["laser:1", "0", "-"]])


@serving(ROBOT)
@folder
def damage_is_reported_and_the_rest_is_saved(path, url):
    recorded(path + "a.mcap", url, "-n", "150")
    tap.equal(troupe("log", "recover", path + "a.mcap").returncode, 0)
    tap.equal(channels(path + "a-recovered.mcap"), channels(path + "a.mcap"))
    with open(path + "a.mcap", "rb") as file:
        whole = file.read()
    with open(path + "b.mcap", "wb") as file:
        file.write(whole[:-200])
    result = troupe("log", "info", path + "b.mcap")
    tap.equal((result.returncode, "troupe log recover saves" in result.stderr), (1, True))
    tap.equal(troupe("log", "recover", path + "b.mcap").returncode, 1)
    tap.equal(sum(channels(path + "b-recovered.mcap").values()), 150)
    with open(path + "c.mcap", "wb") as file:
        file.write(whole[:60])
    tap.equal(troupe("log", "recover", path + "c.mcap").returncode, 2)
    with open(path + "d.mcap", "wb") as file:
        file.write(b"not a recording at all")
    says(troupe("log", "info", path + "d.mcap"), 1,
         f"troupe log: {path}d.mcap: not an MCAP file: it does not begin like one\n")


@serving(ROBOT)
@folder
def a_killed_recorder_loses_only_what_was_not_written(path, url):
    with Running("log", "-o", path + "a.mcap", url=url) as recorder:
        while not os.path.exists(path + "a.mcap") or os.path.getsize(path + "a.mcap") < 20000:
            tap.equal(recorder.process.poll(), None)
            time.sleep(0.05)
        recorder.process.send_signal(signal.SIGKILL)
        recorder.process.wait()
    result = troupe("log", "recover", path + "a.mcap")
    tap.equal((result.returncode, "damaged at byte" in result.stdout), (1, True))
    assert sum(channels(path + "a-recovered.mcap").values()) > 10


@serving(ROBOT)
@folder
def a_full_disk_is_reported(path, url):
    result = troupe("log", "-o", "/dev/full", "--force", "--for", "5", url=url)
    tap.equal((result.returncode, "No space left on device" in result.stderr), (1, True))
    tap.equal(troupe("log", "-o", path + "a.mcap", "-n", "5", url=url).returncode, 0)
    says(troupe("log", "recover", path + "a.mcap", "-o", "/dev/full", "--force"), 2, "troupe log: /dev/full: No space left on device\n")


@folder
def conditions_begin_and_end_a_recording(path):
    places = [(4, 0, 1, 10.0 + i, struct.pack(">ddddddI", i, 0, 0, 0, 0, 0, 0)) for i in range(10)]
    for options, wanted in ((("--start", "position2d:0/pos.px>=3", "--end", "position2d/pos.px>6"), [3, 4, 5, 6, 7]),
                            (("--when", "position2d:0/pos.px<2", "-n", "2"), [0, 1])):
        with Puppet([(4, 0)], data=places) as puppet:
            result = troupe("log", "position2d:0", "-o", path + "c.csv", "--force", *options, url=puppet.url)
        tap.equal(result.returncode, 0)
        with open(path + "c.csv", encoding="utf-8") as file:
            tap.equal([float(row[1]) for row in list(csv.reader(file))[1:]], wanted)
    for condition, error in (("laser:0/id>1", "laser:0 is not recorded"),
                             ("position2d:0/q>1", 'there is no "q"; there is pos, vel, stall')):
        with Puppet([(4, 0)], data=places) as puppet:
            result = troupe("log", "position2d:0", "--quiet", "-o", path + "d.mcap", "--force", "--when", condition, url=puppet.url)
        says(result, 1, f"troupe log: {condition}: {error}\n")
    says(troupe("log", "--when", "fast"), 2, usage("log", '--when "fast" is no condition: "laser:0/ranges[90]<0.5" is one'))


def mistakes_of_the_command_line():
    says(troupe("log", "info"), 2, usage("log", "which recording?"))
    says(troupe("log", "--form", "xml"), 2, usage("log", '--form is json or xdr, not "xml"'))
    says(troupe("log", "-o", "a.b/x.xlsx"), 2,
         usage("log", 'a.b/x.xlsx: a recording is .mcap, a table .csv; there is no ".xlsx"'))
    says(troupe("log", "--compression", "zip"), 2, usage("log", '--compression is lz4, zstd or none, not "zip"'))


tap.main(one_of_something_is_not_several, a_server_can_stand_before_its_devices, all_devices_are_recorded_in_each_form, a_table_has_units_exact_numbers_and_the_points_of_a_language,
         both_forms_give_the_same_table, what_exists_is_not_lost, a_device_without_data_is_listed, damage_is_reported_and_the_rest_is_saved,
         a_killed_recorder_loses_only_what_was_not_written, a_full_disk_is_reported, conditions_begin_and_end_a_recording,
         mistakes_of_the_command_line)
