#!/usr/bin/env python3
"""troupe stat and frames: numbers and trees.  argv: the troupe program."""
import json
import re
import signal
import tempfile

import cli
import player
import tap
from cli import Puppet, Running, Terminal, encoded, ours, prints, says, serving, troupe, usage

STATISTICS = 202
FIRST = ["simulation:0", "world:0", "map:0", "scene:0"]
DEVLIST, DRIVERINFO, DEV = 1, 2, 3

# ---- Statistics -----------------------------------------------------------------------------------

LASER = {"addr": {"robot": 6665, "interf": 6}, "state": "DEVICE_RUNNING", "readers": 2, "published": 1234, "dropped": 5,
         "commands": 0, "requests": 7, "failed_requests": 1, "refused": 8, "latency_mean": 0.00031, "latency_max": 0.0123,
         "driver": "fake", "instance": "fake0"}
GRIPPER = {"addr": {"robot": 6665, "interf": 3, "index": 1}, "state": "DEVICE_FAILED", "driver": "fake",
           "instance": "fake1", "failure": "fake1: open /dev/ttyUSB0: permission denied"}
CLIENT = {"name": "127.0.0.1:51234", "software": "troupe print", "age": 65, "opened": 1, "waiting": 3, "sent": 1000,
          "received": 4, "dropped": 2, "refused": 6, "number": 7, "right": "RIGHT_MOVE", "key": "anna"}
LOOK = {"uptime": 3700, "devices": [LASER, GRIPPER], "clients": [CLIENT, {"number": 8, "name": "unix"}]}


def statistics_are_tables():
    with ours(STATISTICS=LOOK) as puppet:
        prints(troupe("stat", puppet.url),
               f"tcp:{puppet.url}, running for 1 h 1 min\n"
               "\n"
               "DEVICE     DRIVER  STATE    READERS  DATA  DROPPED  COMMANDS  REQUESTS  REFUSED  LATENCY      MAX\n"
               "laser:0    fake0   running        2  1234        5         0         7        9   310 us  12.3 ms\n"
               "gripper:1  fake1   failed         0     0        0         0         0        0        -        -\n"
               "\n"
               "NO  CLIENT           SOFTWARE      KEY   RIGHT  CONNECTED  OPEN  WAITING  SENT  RECEIVED  REFUSED  DROPPED\n"
               " 7  127.0.0.1:51234  troupe print  anna  move   1 min 5 s     1        3  1000         4        6        2\n"
               " 8  unix                           -     read         0 s     0        0     0         0        0        0\n"
               "\n"
               "fake1: open /dev/ttyUSB0: permission denied\n")


def statistics_are_json_too():
    with ours(STATISTICS=LOOK) as puppet:
        result = json.loads(troupe("stat", "--json", puppet.url).stdout)
        tap.equal((result["uptime"], result["devices"][0]["published"], result["clients"][0]["software"]),
                  (3700, 1234, "troupe print"))


def lists_show_what_devices_are_doing():
    with ours(STATISTICS=LOOK) as puppet:
        tap.equal(troupe("list", puppet.url).stdout,
                  f"tcp:{puppet.url}, Troupe: 1 device\n"
                  "DEVICE   DRIVER  STATE    READERS  DESCRIPTION\n"
                  "laser:0  fake0   running        2  A laser beam that scans counter-clockwise about one point, with 0 "
                  "straight ahead.\n")
        device, = json.loads(troupe("list", "--json", puppet.url).stdout)["devices"]
        tap.equal((device["state"], device["readers"], device["failure"]), ("running", 2, ""))
    with ours(STATISTICS={"devices": [dict(LASER, state="DEVICE_FAILED", failure="fake0: no\033 answer")]}) as puppet:
        tap.equal(troupe("list", puppet.url).stdout.splitlines()[-1], "laser:0: fake0: no? answer")


def what_is_known_already_is_not_asked():
    """One list of the devices, however many; none is opened for its index, its driver or its name."""
    lasers = [(6, i) for i in range(30)]
    labels = [dict(LASER, addr={"robot": 6665, "interf": 6, "index": i}, label=f"m{i}") for i in range(30)]
    for where, wanted in (("index = 20", ["laser:20"]), ("driver = puppet, index < 2", ["laser:0", "laser:1"]),
                          ("name = m7", ["laser:7"]), ("name = elephant, x > 0", [])):
        with ours(lasers, STATISTICS={"devices": labels}) as puppet:
            result = troupe("list", "--json", "--where", where, puppet.url)
            tap.equal((result.returncode, result.stderr), (0, ""))
            tap.equal([device["device"] for device in json.loads(result.stdout)["devices"]], wanted)
            asked = [message.subtype for message in puppet.received if message.type == player.REQUEST]
            tap.equal((asked.count(DEVLIST), asked.count(DRIVERINFO), asked.count(DEV)), (1, 30, 0))


def guarded_lines_are_told():
    both = [dict(LASER, guards=1, guard_restarts=2), dict(LASER, addr={"robot": 6665, "interf": 3}, guards=1,
                                                          guard_restarts=2)]
    with ours(STATISTICS={"uptime": 1, "devices": both}) as puppet:
        lines = troupe("stat", puppet.url).stdout.splitlines()
        tap.equal(lines[3].split()[:4], ["laser:0", "fake0", "running,", "guarded"])
        tap.equal(lines[-1], "fake0: a guard had ended and was started again, 2 times")
        tap.equal(lines[-2], "")


def several_robots_are_told_apart():
    other = dict(GRIPPER, addr={"robot": 6666, "interf": 3})
    with ours(STATISTICS={"uptime": 1, "devices": [LASER, other]}) as puppet:
        lines = troupe("stat", puppet.url).stdout.splitlines()
        tap.equal([line.split()[0] for line in lines[3:5]], ["6665:laser:0", "6666:gripper:0"])


def watching_shows_rates():
    second = {"uptime": 3702, "devices": [dict(LASER, published=1244, requests=8), GRIPPER],
              "clients": [dict(CLIENT, age=67, sent=1030), dict(CLIENT, number=9, sent=5)]}
    with ours(STATISTICS=LOOK) as puppet, Running("stat", "--watch", "0.01", url=puppet.url) as running:
        first = [running.line() for _ in range(9)]
        tap.equal(first[2].split()[4:8], ["DATA/s", "DROPPED", "COMMANDS/s", "REQUESTS/s"])
        tap.equal(first[3].split()[4:8], ["-", "5", "-", "-"])
        puppet.replies[1, STATISTICS] = encoded("STATISTICS", second)
        while not running.line().startswith(f"tcp:{puppet.url}, running for 1 h 1 min"):
            pass
        for _ in range(200):  # looks
            lines = []
            while not lines or not lines[-1].startswith("fake1:"):
                lines.append(running.line())
            table = {line.split()[0]: line.split() for line in lines if line.split()}
            if table["laser:0"][4] == "5.0":
                break
        tap.equal(table["laser:0"][4:8], ["5.0", "5", "0.0", "0.5"])
        tap.equal(table["7"][-4:], ["15.0", "0.0", "6", "2"])
        tap.equal(table["9"][-4:], ["0.0", "0.0", "6", "2"])  # another one from the same place
        tap.equal(running.interrupt(), (0, ""))


def watching_json_is_one_object_for_each_line():
    with ours(STATISTICS=LOOK) as puppet, Running("stat", "--json", "--watch", "0.01", url=puppet.url) as running:
        for _ in range(3):
            tap.equal(json.loads(running.line())["uptime"], 3700)
        tap.equal(running.interrupt(signal.SIGTERM), (0, ""))


def watching_stays_in_its_place_on_a_terminal():
    with ours(STATISTICS=LOOK) as puppet, Terminal("stat", "-w", "0.01", url=puppet.url, columns=120) as terminal:
        terminal.until(lambda lines: any("permission denied" in line for line in lines))
        for _ in range(10):
            terminal.read()
        tap.equal(terminal.until(lambda lines: len(lines) == 12)[0], f"tcp:{puppet.url}, running for 1 h 1 min   (Ctrl-C ends)")
        terminal.type(b"\x03")
        tap.equal(terminal.ended(), 0)


# ---- Frames ---------------------------------------------------------------------------------------


def frame(name, parent="", known=1, moves=0, robot=6665, **pose):
    return {"robot": robot, "name": name, "parent": parent, "known": known, "moves": moves, "pose": pose}


def frames_are_a_tree():
    frames = [frame("world"), frame("base", "world", moves=1, px=1.5, pyaw=1.5708), frame("laser0", "base", px=0.1, pz=-0.2),
              frame("mast", "base", known=0), frame("camera0", "mast", proll=-0.0001), frame("dock", "world", py=3),
              frame("base", robot=6666)]
    with ours(FRAMES={"frames": frames}) as puppet:
        prints(troupe("frames", puppet.url),
               "world\n"
               "|-- base  at 1.500 0.000 0.000 m, turned 0.000 0.000 1.571 rad  (moves)\n"
               "|   |-- laser0  at 0.100 0.000 -0.200 m, turned 0.000 0.000 0.000 rad\n"
               "|   `-- mast  (pose not known)\n"
               "|       `-- camera0  at 0.000 0.000 0.000 m, turned 0.000 0.000 0.000 rad\n"
               "`-- dock  at 0.000 3.000 0.000 m, turned 0.000 0.000 0.000 rad\n"
               "base\n")
        tap.equal(len(json.loads(troupe("frames", "--json", puppet.url).stdout)["frames"]), 7)
    with ours(FRAMES={}) as puppet:
        prints(troupe("frames", puppet.url), "no frames\n")


def a_tree_that_cannot_be_ends():
    circle = [frame("a", "b"), frame("b", "a"), frame("root")] + 200 * [frame("root", "root")]
    with ours(FRAMES={"frames": circle}) as puppet:
        result = troupe("frames", puppet.url)
        tap.equal((result.returncode, result.stdout.splitlines()[0]), (0, "root"))
        tap.equal(len(result.stdout.splitlines()) <= len(circle), True)
    deep = [frame("0")] + [frame(str(i), str(i - 1)) for i in range(1, 500)]
    with ours(FRAMES={"frames": deep}) as puppet:
        tap.equal(troupe("frames", puppet.url).returncode, 0)


def a_transform_is_one_line():
    answer = {"pose": {"px": 0.1, "py": -2, "pyaw": 3.14159}, "timestamp": 12.5}
    with ours(TRANSFORM=answer, FRAMES={"frames": [frame("base"), frame("laser0", "base")]}) as puppet:
        prints(troupe("frames", "laser0", "base", url=puppet.url),
               "laser0 in base  at 0.100 -2.000 0.000 m, turned 0.000 0.000 3.142 rad  (measured at 12.500000 s)\n")
        ask = puppet.received[-1].body
        assert b"laser0\0" in ask and b"base\0" in ask, ask
        tap.equal(json.loads(troupe("frames", "laser0", "base", "--json", url=puppet.url).stdout)["pose"]["py"], -2)


# ---- A real server --------------------------------------------------------------------------------

ROBOT = """driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 )
driver ( name "fake" provides [ "gripper:0" ] )"""


@serving(ROBOT)
def a_real_server_tells_who_does_what(url):
    with Running("print", "laser", "--line", url=url) as running:
        for _ in range(3):
            running.line()
        looked = json.loads(troupe("stat", "--json", url=url).stdout)
        position, laser, gripper = looked["devices"]
        tap.equal([laser["readers"], laser["state"], position["readers"], gripper["state"]], [1, 2, 0, 0])
        assert laser["published"] >= 3, laser
        tap.equal(sorted(client["software"] for client in looked["clients"]), ["troupe print", "troupe stat"])
        lines = troupe("list", url=url).stdout.splitlines()
        tap.equal([line.split()[:4] for line in lines[1:]],
                  [["DEVICE", "DRIVER", "STATE", "READERS"], ["position2d:0", "fake0", "running", "0"],
                   ["laser:0", "fake0", "running", "1"], ["gripper:0", "fake1", "idle", "0"]])
        tap.equal(running.interrupt(), (0, ""))


@serving(ROBOT)
def a_real_server_has_a_tree_of_frames(url):
    lines = troupe("frames", url=url).stdout.splitlines()
    tap.equal([line.split("  at ")[0] for line in lines],
              ["odom", "`-- base  (pose not known)", "    |-- laser:0", "    `-- gripper:0"])  # it has not moved yet
    prints(troupe("frames", "laser:0", "base", url=url),
           "laser:0 in base  at 0.000 0.000 0.000 m, turned 0.000 0.000 0.000 rad\n")
    says(troupe("frames", "lasr:0", "base", url=url), 1, 'troupe frames: there is no frame "lasr:0"; did you mean "laser:0"?\n')
    says(troupe("frames", "laser:0", "elephant", url=url), 1, 'troupe frames: there is no frame "elephant"\n')


def what_does_not_fit_into_a_message_is_told():
    """Names so long that a hundred robots are too many."""
    robots = "".join(f'position ( name "{"x" * 120000}{i}" pose [{i} 0 0 0] )\n' for i in range(100))
    with tempfile.NamedTemporaryFile("w", suffix=".world") as file:
        file.write(robots)
        file.flush()
        with player.launched([cli.PROGRAM, "sim", file.name, "--any-port"]) as server:
            says(troupe("stat", url=cli.at(server)), 1,
                 f"troupe stat: tcp:{cli.at(server)}: statistics: the answer is too large for one message\n")
            listed = troupe("list", url=cli.at(server))
            tap.equal((listed.returncode, "position2d:99" in listed.stdout), (0, True))


def of_very_many_devices_each_is_told():
    """More than one message holds, and more than there are addresses."""
    with tempfile.NamedTemporaryFile("w", suffix=".world") as file:
        file.write("".join(f'light ( name "l{i}" pose [{i % 300} {i // 300} 0 0] )\n' for i in range(65540)))
        file.flush()
        with player.launched([cli.PROGRAM, "sim", file.name, "--any-port", "--lockstep"]) as server:
            while server.process.stderr.readline() != "4 devices are left out: a server has 65536 of an interface\n":
                pass
            shown = troupe("stat", url=cli.at(server))
            names = [line.split()[0] for line in shown.stdout.splitlines() if re.match(r"\w+:\d+ ", line)]
            tap.equal((shown.returncode, names), (0, FIRST + [f"aio:{i}" for i in range(65536)]))
            listed = troupe("list", url=cli.at(server))
            names = [line.split()[:4:3] for line in listed.stdout.splitlines() if re.match(r"aio:\d+ ", line)]
            tap.equal((listed.returncode, names), (0, [[f"aio:{i}", "running"] for i in range(65536)]))


# ---- Mistakes -------------------------------------------------------------------------------------


def a_player_server_has_no_statistics():
    with Puppet([]) as puppet:
        for command, what in ((("stat",), "statistics"), (("stat", "-w"), "statistics"), (("frames",), "frames"),
                              (("frames", "a", "b"), "frames")):
            says(troupe(*command, url=puppet.url), 1,
                 f"troupe {command[0]}: tcp:{puppet.url} is a Player server, which has no {what}\n")


def mistakes_are_explained():
    says(troupe("stat", "--wach"), 2, usage("stat", 'unexpected "--wach"; did you mean "--watch"?'))
    says(troupe("stat", "--watch", "0"), 2, usage("stat", '--watch needs a number over 0, not "0"'))
    says(troupe("frames", "a", "b", "c"), 2, usage("frames", 'unexpected "c"'))
    says(troupe("frames", "-u", "x", "y"), 2, usage("frames", 'the server is named twice: "x" and "y"'))


HEADINGS = {"DATA", "DATA/s", "DROPPED", "COMMANDS", "COMMANDS/s", "REQUESTS", "REQUESTS/s", "REFUSED", "SENT", "SENT/s", "RECEIVED",
            "RECEIVED/s"}


@serving('driver ( name "fake" provides [ "position2d:0" "laser:0" ] )')
def tables_fit_a_terminal(url):
    """Columns that say nothing are left out, and no number is cut; in a pipe all of them are there."""
    for arguments in (("stat",), ("list",), ("stat", "--watch")):
        with cli.Terminal(*arguments, url=url, rows=40, columns=80) as terminal:
            terminal.until(lambda lines: any(line.startswith("position2d:0 ") for line in lines)
                           and any(line.startswith("laser:0 ") for line in lines)
                           and ("list" in arguments or any(" CLIENT " in line for line in lines)))
            text = terminal.lines
            assert all(len(line) <= 80 for line in text), text
            assert any("fake0" in line for line in text), text
            if "list" not in arguments:
                heads = [line.split()[-1] for line in text if line.startswith(("DEVICE ", "NO "))]
                assert len(heads) == 2 and set(heads) <= HEADINGS, heads  # none is cut, and the last ones are not there
            if "--watch" in arguments:
                terminal.type(b"\x03")
            tap.equal(terminal.ended(), 0)
    assert " LATENCY " in troupe("stat", url=url).stdout


tap.main(tables_fit_a_terminal, statistics_are_tables, statistics_are_json_too, lists_show_what_devices_are_doing,
         what_is_known_already_is_not_asked, guarded_lines_are_told, several_robots_are_told_apart, watching_shows_rates,
         watching_json_is_one_object_for_each_line, watching_stays_in_its_place_on_a_terminal,
         frames_are_a_tree, a_tree_that_cannot_be_ends, a_transform_is_one_line,
         a_real_server_tells_who_does_what, a_real_server_has_a_tree_of_frames, what_does_not_fit_into_a_message_is_told,
         of_very_many_devices_each_is_told, a_player_server_has_no_statistics,
         mistakes_are_explained)
