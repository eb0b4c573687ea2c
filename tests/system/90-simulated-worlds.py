#!/usr/bin/env python3
"""troupe sim: worlds without a configuration file, served, stepped, recorded and drawn.  argv: the troupe program, source root."""
import contextlib
import csv
import json
import math
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import cli
import pictures
import player
import tap
from cli import Running, says, troupe, usage

os.environ["TROUPE_WORLD_CODE"] = "yes"  # the controllers of these worlds are beside them
ROOT = pathlib.Path(sys.argv[2])
WORLD = 240
TWO = """name "two"
interval_sim 100
define bot position ( size [0.4 0.4 0.3] ranger ( sensor ( range [0 4] fov 180 samples 19 noise [0.001 0 0] ) ) ctrl "wander" )
model ( name "wall" pose [0 3 0 0] size [8 0.2 1] )
bot ( name "left" pose [-2 0 0 30] )
bot ( name "right,\\two" pose [2 0 0 -30] bumper ( size [0.01 0.01 0.01] bcount 1 bpose[0] [0.2 0 0 0] blength 0.1 ) )
""".replace("\\", "")


class Folder:
    """A folder with a world in it."""

    def __init__(self, text=TWO):
        self.text = text

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.world = str(self.path / "x.world")
        pathlib.Path(self.world).write_text(self.text)
        return self

    def __exit__(self, *unused):
        self.folder.cleanup()


def lines_until(running, start):
    lines = []
    while not lines or not lines[-1].startswith(start):
        line = running.line()
        assert line != "", f"it ended: {running.ended()}"
        lines.append(line.rstrip("\n"))
    return lines


def port_of(lines):
    (line,) = [line for line in lines if line.startswith("listening on port ")]
    return int(line.split()[3])


# ---- Serving ---------------------------------------------------------------------------------------


def what_can_be_subscribed_to_is_listed():
    with Folder() as f, Running("sim", f.world, "--any-port") as running:
        lines = lines_until(running, "      troupe print ")
        tap.equal(lines[0].split(": ")[0], "two")
        tap.equal(lines[1].split(), ["MODEL", "DEVICE", "DESCRIPTION"])
        rows = [line.split("  ") for line in lines[2:-1] if line.startswith("  ")]
        devices = {tuple(cell.strip() for cell in row if cell)[:2] for row in rows}
        for wanted in (("(the world)", "simulation:0"), ("left", "position2d:0"), ("left.ranger:0", "ranger:0"),
                       ("right,two", "position2d:1"), ("right,two.ranger:0", "ranger:1"),
                       ("right,two.bumper:0", "bumper:0")):
            assert wanted in devices, (wanted, devices)
        port = port_of(lines)
        tap.equal(lines[-2:], [f"next: troupe list localhost:{port}", f"      troupe print localhost:{port}/position2d:0"])
        listed = troupe("list", f"localhost:{port}").stdout
        assert f"Troupe: {len(rows)} devices\n" in listed and "ranger:1" in listed, listed
        printed = troupe("print", f"localhost:{port}/ranger:0", "--json", "--count", "1").stdout
        assert '"device":"ranger:0"' in printed, printed
        tap.equal(running.interrupt(), (0, ""))


def signals_end_it():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Folder() as f, Running("sim", f.world, "--any-port") as running:
            lines_until(running, "      troupe print ")
            tap.equal(running.interrupt(number), (0, ""))


def quit_time_ends_it():
    with Folder(TWO + "quit_time 3\n") as f:
        record = str(f.path / "r.csv")
        with Running("sim", f.world, "--any-port", "--speed", "0", "--record", record) as running:
            tap.equal(running.ended(), (0, ""))  # nothing of a world that stands still
        tap.equal(pathlib.Path(record).read_text().splitlines()[-1].split(",")[0], "3.000")
        result = troupe("sim", f.world, "--steps", "100")
        assert result.stdout.startswith("two: 30 steps, 3.0 s of simulated time in "), result.stdout


def a_world_of_a_configuration_stands_still_at_quit_time():
    """Also if no step ends just then."""
    for quit_time, end in ((0.3, "0.3"), (0.25, "0.3")):
        with Folder(TWO + f"quit_time {quit_time}\n") as f:
            config = f.path / "x.cfg"
            config.write_text('driver ( name "sim" worldfile "x.world" provides "all" )')
            with Running("run", str(config), "--any-port") as running:
                url = f"localhost:{port_of(lines_until(running, '      troupe print '))}"
                assert running.error().endswith("the world has reached its quit_time and stands still\n")
                state = troupe("request", f"{url}/world:0", "GET_STATE", "--json").stdout
                assert f'"time":{end},' in state and '"paused":1' in state, state
                tap.equal(running.interrupt()[0], 0)


def speed_is_what_was_asked_for():
    with Folder() as f, Running("sim", f.world, "--any-port", "--speed", "20", "--lockstep") as running:
        url = f"localhost:{port_of(lines_until(running, '      troupe print '))}"
        state = troupe("request", f"{url}/world:0", "GET_STATE", "--json").stdout
        assert '"speed":20,' in state and '"lockstep":1' in state, state
        tap.equal(running.interrupt()[0], 0)


def lockstep_takes_no_command_back():
    """Who thinks for long between two steps is not silent: leases count real time."""
    for options, duration in (("--lockstep",), 0), ((), 1):
        with Folder() as f, Running("sim", f.world, "--any-port", *options) as running:
            url = f"localhost:{port_of(lines_until(running, '      troupe print '))}"
            lease = troupe("request", f"{url}/position2d:0", "LEASE", '{"asks":0,"mover":""}', "--json").stdout
            assert f'"duration":{duration},' in lease, lease
            tap.equal(running.interrupt()[0], 0)


def a_port_that_is_taken_is_told():
    with Folder() as f, Running("sim", f.world, "--any-port") as running:
        port = port_of(lines_until(running, "      troupe print "))
        config = f.path / "x.cfg"
        config.write_text('driver ( name "fake" provides [ "laser:0" ] )\n')
        for command, file in (("sim", f.world), ("run", str(config))):
            says(troupe(command, file, "--port", str(port)), 1,
                 f"troupe {command}: listen on tcp:127.0.0.1:{port}: another program listens there; "
                 "-p PORT or --any-port takes another port\n")


# ---- Steps -----------------------------------------------------------------------------------------


def record(f, *options):
    file = f.path / "where.csv"
    result = troupe("sim", f.world, "--steps", "50", "--quiet", "--record", str(file), *options)
    tap.equal((result.returncode, result.stdout, result.stderr), (0, "", ""))
    return file.read_text()


def robots_are_recorded_step_by_step():
    with Folder() as f:
        lines = record(f).splitlines()
        tap.equal(lines[0], "time,robot,x,y,heading,vx,vy,turn,stalled")
        tap.equal(len(lines), 1 + 2 * 50)
        assert lines[1].startswith("0.100,left,-2") or lines[2].startswith("0.100,left,-2"), lines[:3]
        assert any(line.startswith('0.100,"right,two",') for line in lines[1:3]), lines[:3]
        tap.equal(lines[-1].split(",")[0], "5.000")


def robots_are_recorded_in_the_order_of_the_file():
    """Wherever they stand, and with those that stand on them."""
    robots = [f"r{i}" for i in (3, 9, 1, 7, 5, 0, 8)]
    text = "".join(f'position ( name "{name}" pose [{(i * 37) % 50 - 25} {(i * 53) % 40 - 20} 0 0] '
                   f'position ( name "top" size [0.1 0.1 0.1] ) )\n' for i, name in enumerate(robots))
    with Folder("interval_sim 100\n" + text) as f:
        rows = list(csv.DictReader(record(f).splitlines()))
        wanted = [full for name in robots for full in (name, f"{name}.top")]
        tap.equal([row["robot"] for row in rows[:len(wanted)]], wanted)


def a_velocity_of_the_file_needs_no_user():
    with Folder('interval_sim 100\nposition ( name "r" velocity [0.5 0 0 0] )\n') as f:
        tap.equal(record(f).splitlines()[-1], "5.000,r,2.5,0,0,0.5,0,0,0")


def who_is_far_away_is_recorded_to_the_millimetre():
    with Folder('interval_sim 100\nposition ( name "r" pose [12345.678 0 0 0] velocity [0.5 0 0 0] )\n') as f:
        tap.equal(record(f).splitlines()[-1], "5.000,r,12348.178,0,0,0.5,0,0,0")


def threads_change_nothing_and_seeds_do():
    with Folder() as f:
        once = record(f)
        tap.equal(record(f, "--threads", "3"), once)
        tap.equal(record(f, "--seed", "1"), once)
        with Folder(TWO.replace("noise [0.001 0 0]", "noise [0.5 0 0]").replace("-2 0 0 30", "-2 0 0 90")) as noisy:
            assert record(noisy, "--seed", "2") != record(noisy, "--seed", "3")


def whole_lines_are_there_while_it_runs():
    """Also for those who kill it: nothing waits for the end."""
    for options in (("--any-port",), ("--steps", "1000000000")):
        with Folder() as f:
            file = f.path / "where.csv"
            with Running("sim", f.world, *options, "--record", str(file)) as running:
                seen = 0
                while seen < 3:  # more and more of them
                    text = file.read_text() if file.exists() else ""
                    assert running.process.poll() is None
                    seen = sum(bool(line) for line in text.splitlines()[1:8])
                running.process.kill()
                running.process.wait()
            text = file.read_text()
            tap.equal(text.splitlines()[0], "time,robot,x,y,heading,vx,vy,turn,stalled")
            whole = text[:text.rindex("\n") + 1]
            # A kill ends a write between two pages of the file: only there a line may be cut.
            assert whole == text or len(text) % 4096 == 0, text[-200:]
            assert len(whole.splitlines()) > seen, text[-200:]
            for row in csv.DictReader(whole.splitlines()):
                assert row["robot"] in ("left", "right,two") and row["stalled"] in "01", row


def what_is_recorded_has_its_units():
    text = """interval_sim 0.5
define bot position ( size [0.2 0.2 0.2] velocity [0.4 0.2 0 90] )
bot ( name "big" pose [100 -200 0 90] bot ( name "small" pose [1 0 0 0] velocity [0 0 0 0] ) )
"""
    with Folder(text) as f:
        file = f.path / "where.csv"
        tap.equal(troupe("sim", f.world, "--steps", "2", "--quiet", "--record", str(file)).returncode, 0)
        rows = list(csv.DictReader(file.read_text().splitlines()))
        tap.equal([(row["time"], row["robot"]) for row in rows],
                  [(time, robot) for time in ("0.000500", "0.001000") for robot in ("big", "big.small")])
        for row in rows:
            here = math.hypot(float(row["x"]) - 100, float(row["y"]) + 200)
            assert abs(here - (row["robot"] == "big.small")) < 0.01, row  # of each in the world, not on another one
            assert abs(float(row["heading"]) - math.pi / 2) < 0.01, row


# ---- Controllers -----------------------------------------------------------------------------------

SPINNER = """interval_sim 100
define bot position ( size [0.4 0.4 0.3] )
bot ( name "s1" pose [-2 0 0 0] ctrl "spin 0.5" )
bot ( name "s2" pose [2 0 0 0] ctrl "spin" )
"""


def controllers_that_are_plugins_run_without_a_server_too():
    with Folder(SPINNER) as f:
        subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", f.path / "spin.so",
                        ROOT / "examples/spin.c"], check=True)
        for options in ((), ("--render", str(f.path / "x.png"))):
            rows = list(csv.DictReader(record(f, *options).splitlines()))
            turns = {row["robot"]: float(row["turn"]) for row in rows[2:]}
            tap.equal(turns, {"s1": 0.5, "s2": 1})
            assert len({row["heading"] for row in rows}) > 50, rows[-1]
        pathlib.Path(f.world).write_text(SPINNER.replace("spin 0.5", "spin x"))
        for options in ((), ("--any-port",)):
            says(troupe("sim", f.world, "--steps", "1", *options), 1,
                 f'troupe sim: {f.world}:3:38: s1 cannot spin by "x"\n')


def code_beside_a_world_runs_only_if_the_user_says_so():
    with Folder(SPINNER) as f:
        subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", f.path / "spin.so",
                        ROOT / "examples/spin.c"], check=True)
        reason = (f"{f.path}/spin.so is code that comes with the world: to run it, set TROUPE_WORLD_CODE=yes, or name its "
                  "folder in TROUPE_PLUGIN_PATH\n")
        refusal = f"{f.world}:4:37: {reason}troupe sim: {f.world}:3:38: {reason}"
        for answer in ("", "no"):
            says(troupe("sim", f.world, "--steps", "1", "--quiet", TROUPE_WORLD_CODE=answer), 1, refusal)
        found = troupe("sim", f.world, "--steps", "1", "--quiet", TROUPE_WORLD_CODE="", TROUPE_PLUGIN_PATH=str(f.path))
        tap.equal((found.returncode, found.stderr), (0, ""))


LOOKERS = """interval_sim 100
floor ( pose [10 0 0 0] size [60 60 0] color "white" )
floor ( pose [10 -10 0.001 0] size [60 0.04 0] color "black" )
define bot position ( size [0.2 0.2 0.1] localization "gps" velocity_bounds [-1 1 0 0 0 0 -1000 1000] )
define eyes floorsensor ( pose [0.07 0 -0.1 0] sensor ( pose [0 0.03 0 0] ) sensor ( pose [0 -0.01 0 0] ) )
bot ( name "floor" ctrl "look floor" eyes ( ) )
bot ( name "light" pose [10 0 0 0] ctrl "look light" lightsensor ( pose [0 0 0 0] fov 360 ) )
light ( pose [10 1 0.1 0] intensity 0.5 )
bot ( name "late" pose [30 10 0 0] ctrl "look late" lightsensor ( update_interval 60000 ) lightsensor ( fov 360 ) )
light ( pose [30 11 0.1 0] intensity 0.5 )
bot ( name "bumper" pose [20 0 0 0] ctrl "look bumper" bumper ( bcount 1 bpose[0] [0.1 0 0 0] blength 0.2 ) )
bot ( name "fiducial" pose [0 10 0 0] ctrl "look fiducial" fiducial ( range_max 5 range_max_id 5 fov 360 ) )
model ( name "marker" pose [2 10 0 0] size [0.1 0.1 0.5] fiducial_return 3 )
bot ( name "line" pose [0 -10.02 0 9] ctrl "look line"
  floorsensor ( pose [0.07 0 -0.1 0] sensor ( pose [0 0.03 0 0] ) sensor ( pose [0 -0.03 0 0] ) ) )
"""


def compile_look(f):
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", f.path / "look.so",
                    ROOT / "tests/plugins/look.c"], check=True)


def plugins_see_floor_light_bumpers_and_fiducials():
    with Folder(LOOKERS) as f:
        compile_look(f)
        rows = list(csv.DictReader(record(f).splitlines()))
        of = {name: [row for row in rows if row["robot"] == name] for name in
              ("floor", "light", "late", "bumper", "fiducial", "line")}
        last = {name: float(of[name][-1]["turn"]) for name in of}
        assert abs(last["floor"] - 5.42) < 1e-3, last  # 2 eyes, 7 cm ahead, white
        assert abs(last["light"] - 0.5) < 0.05, last
        assert abs(last["late"] - 0.5) < 0.05, last  # the second sensor, while the first has not measured yet
        tap.equal(last["bumper"], 1)
        before, now = of["fiducial"][9:11]  # 2 m away, number 3, to the right of where it looks by now
        assert abs(float(now["turn"]) - (2.3 - float(before["heading"]))) < 0.06, (before, now)
        assert float(of["line"][-1]["x"]) > 0.9 and abs(float(of["line"][-1]["y"]) + 10) < 0.06, of["line"][-1]
        pathlib.Path(f.world).write_text('position ( name "r" ctrl "look" )\n')
        says(troupe("sim", f.world, "--steps", "1"), 1,
             f'troupe sim: {f.world}:1:26: the controller "look" does not want r\n')


def a_plugin_that_crashes_is_named():
    with Folder('position ( name "r" ctrl "look crash" )\n') as f:
        compile_look(f)
        (f.path / "x.cfg").write_text('driver ( name "sim" provides "all" worldfile "x.world" )\n')
        for command in (("sim", f.world, "--steps", "9"), ("sim", f.world, "--steps", "9", "--any-port"),
                        ("run", str(f.path / "x.cfg"), "--any-port")):
            result = troupe(*command)
            tap.equal((result.returncode != 0, result.stderr.splitlines()[0]),
                      (True, f"troupe: the plug-in {f.path}/look.so has crashed"))


NAN = """#include "troupe/controller.h"
static void nan_step(tp_robot *robot, void *state) { (void)state; tp_robot_drive(robot, 0.0 / 0.0, 0, 1); }
%s const tp_controller tp_controller_nan = {.abi = TP_CONTROLLER_ABI, .name = "nan", .step = nan_step};
"""


def a_controller_that_drives_by_no_number_is_told_of_once():
    with Folder('position ( name "r" ctrl "nan" )\nposition ( name "q" pose [2 0 0 0] ctrl "nan" )\n') as f:
        for linkage, wanted in (("", (0, f'{f.world}:1:26: the controller "nan" drives r wrongly, which is ignored: '
                                         "a command of nan is no number\n")),
                                ("static", (1, f"troupe sim: {f.world}:1:26: {f.path}/nan.so has no symbol "
                                               'tp_controller_nan; in C++ it is declared extern "C"\n'))):
            (f.path / "nan.c").write_text(NAN % linkage)
            subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", f.path / "nan.so",
                            f.path / "nan.c"], check=True)
            for options in ((), ("--any-port",)):
                result = troupe("sim", f.world, "--steps", "9", *options)
                tap.equal((result.returncode, result.stderr.replace("-nan", "nan").replace("sim0: ", "")), wanted)


def a_broken_controller_is_blamed_at_its_place():
    """And no sound one that stands behind it."""
    with Folder(SPINNER.replace('"spin"', '"zog"') + 'bot ( name "s3" pose [3 3 0 0] ctrl "spin 2" )\n') as f:
        subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", f.path / "spin.so",
                        ROOT / "examples/spin.c"], check=True)
        (f.path / "zog.so").write_text("rubbish\n")
        for options in ((), ("--any-port",)):
            says(troupe("sim", f.world, "--steps", "1", *options), 1,
                 f"troupe sim: {f.world}:4:37: {f.path}/zog.so: file too short\n")


# ---- Pictures --------------------------------------------------------------------------------------


def pictures_have_the_size_that_was_asked_for():
    with Folder() as f:
        file = f.path / "p.png"
        for options, size in ((("--size", "320x200"), (320, 200)), ((), (1000, None)),
                              (("--dark", "--size", "40x30"), (40, 30))):
            result = troupe("sim", f.world, "--render", str(file), *options)
            tap.equal((result.returncode, result.stdout, result.stderr), (0, "", ""))
            width, height, depth, kind = pictures.head(file.read_bytes())
            tap.equal((width, height if size[1] else None, depth, kind), (*size, 8, 2))
        light, dark = f.path / "light.png", f.path / "dark.png"
        troupe("sim", f.world, "--size", "40x30", "--render", str(light))
        troupe("sim", f.world, "--size", "40x30", "--dark", "--render", str(dark))
        assert sum(map(sum, pictures.rows(light.read_bytes()))) > 3 * sum(map(sum, pictures.rows(dark.read_bytes())))


def names_of_pictures_may_be_in_capitals():
    with Folder() as f:
        for name, begin in (("a.PNG", b"\x89PNG"), ("a.SVG", b"<svg")):
            tap.equal(troupe("sim", f.world, "--quiet", "--render", str(f.path / name)).returncode, 0)
            assert (f.path / name).read_bytes().startswith(begin)


def short_times_are_told_too():
    with Folder() as f:
        told = troupe("sim", f.world, "--steps", "1").stdout
        assert float(told.split(" in ")[1].split(" s")[0]) > 0, told
        assert "real time" not in troupe("sim", f.world, "--steps", "0").stdout


def svg_is_xml_and_shows_everything():
    with Folder() as f:
        file = f.path / "p.svg"
        tap.equal(troupe("sim", f.world, "--steps", "30", "--quiet", "--render", str(file)).returncode, 0)
        root = xml.etree.ElementTree.parse(file).getroot()
        space = "{http://www.w3.org/2000/svg}"
        tap.equal((root.tag, root.find(space + "title").text), (space + "svg", "two"))
        tap.equal(sorted(text.text for text in root.iter(space + "text")), ["1 m", "left", "right,two"])
        tap.equal(len(list(root.iter(space + "radialGradient"))), 2)  # two scans
        for path in root.iter(space + "path"):
            assert set(path.get("d")) <= set("Mlz-0123456789 "), path.get("d")[:80]
        for name in ("office", "track", "swarm"):
            tap.equal(troupe("sim", str(ROOT / "worlds" / f"{name}.world"), "--render", str(file)).returncode, 0)
            xml.etree.ElementTree.parse(file)


def pictures_move_on_with_the_world():
    with Folder() as f:
        first, second, third = (f.path / f"{i}.png" for i in range(3))
        for file, steps in ((first, "1"), (second, "40"), (third, "40")):
            troupe("sim", f.world, "--size", "200x150", "--steps", steps, "--quiet", "--render", str(file))
        assert first.read_bytes() != second.read_bytes()
        tap.equal(second.read_bytes(), third.read_bytes())


# ---- Servers with an end ---------------------------------------------------------------------------


def a_server_ends_when_its_steps_are_made():
    with Folder() as f:
        record, picture = f.path / "r.csv", f.path / "p.png"
        result = troupe("sim", f.world, "--any-port", "--speed", "0", "--steps", "25", "--quiet", "--no-web",
                        "--record", str(record), "--render", str(picture))
        tap.equal((result.returncode, result.stderr), (0, ""))
        port = port_of(result.stdout.splitlines())  # nobody could know it otherwise
        tap.equal(result.stdout, f"listening on port {port} (chosen by the system)\n")
        tap.equal({row.split(",")[0] for row in record.read_text().splitlines()[1:]},
                  {f"{0.1 * step:.3f}" for step in range(1, 26)})
        assert picture.read_bytes().startswith(b"\x89PNG")


def a_served_world_is_drawn_with_trails():
    with Folder('position ( name "r" size [0.4 0.4 0.2] velocity [1 0 0 20] color "red" )'
                'model ( pose [2 2 0 0] size [9 9 1] boundary 1 )') as f:
        alone, served, short = (f.path / f"{name}.png" for name in ("alone", "served", "short"))
        for file, options in ((alone, ()), (served, ("--any-port", "--speed", "0"))):
            result = troupe("sim", f.world, "--steps", "80", "-q", "--size", "300x300", "--render", str(file), *options)
            tap.equal((result.returncode, result.stderr), (0, ""))
        assert pictures.difference(alone.read_bytes(), served.read_bytes()) < 0.0005
        troupe("sim", f.world, "--size", "300x300", "--render", str(short))

        def red(file):
            return sum(row[x] - row[x + 1] > 60 for row in pictures.rows(file.read_bytes()) for x in range(0, len(row), 3))
        assert red(served) > 2 * red(short), (red(served), red(short))


def steps_in_lockstep_are_those_that_clients_ask_for():
    with Folder() as f, Running("sim", f.world, "--any-port", "--lockstep", "--steps", "3") as running:
        port = port_of(lines_until(running, "      troupe print "))
        for _ in range(3):
            asked = troupe("request", f"localhost:{port}/world:0", "STEP", '{"count":1}')
            tap.equal((asked.returncode, asked.stderr), (0, ""))
        tap.equal(running.process.wait(timeout=300), 0)


def who_waits_for_more_steps_than_there_are_is_told():
    for options in ((), ("--lockstep",), ("--speed", "0.001")):
        with Folder() as f:
            record = str(f.path / "r.csv")
            with Running("sim", f.world, "--any-port", "--steps", "6000", "--record", record, *options) as running:
                port = port_of(lines_until(running, "      troupe print "))  # ten minutes to ask, as time goes by
                says(troupe("request", f"localhost:{port}/world:0", "STEP", '{"count":10000}', "--timeout", "300"), 1,
                     "troupe request: world:0: the world has ended\n")
                tap.equal(running.process.wait(timeout=300), 0)
            tap.equal(pathlib.Path(record).read_text().splitlines()[-1].split(",")[0], "600.000")


def answers_to_steps(world):
    """Of five where there are only three; None if this machine held us up until the server had left, a second after."""
    with Running("sim", world, "--any-port", "--lockstep", "--steps", "3", "--quiet") as running:
        port = port_of([running.process.stdout.readline()])
        with player.Client(("127.0.0.1", port)) as client:
            client.hello()
            client.open(WORLD, 0)
            replies, asked = [], []
            with contextlib.suppress(EOFError, ConnectionError):
                while len(replies) < 5:
                    asked.append(time.monotonic())
                    replies.append(client.request(WORLD, 0, 2, struct.pack(">I", 1)))
            held_up = len(replies) in (3, 4) and time.monotonic() - asked[2] >= 1
        tap.equal(running.process.wait(timeout=300), 0)
        return None if held_up else replies


def who_asks_for_a_step_after_the_last_is_told():
    with Folder() as f:
        rounds = 0
        while rounds < 5:  # the end and the question meet anywhere
            replies = answers_to_steps(f.world)
            if replies is not None:
                rounds += 1
                tap.equal([reply.type for reply in replies], 3 * [player.ACK] + 2 * [player.NACK])
                assert b"the world has ended" in replies[-1].body, replies


def a_speed_also_holds_without_a_server():
    with Folder() as f:
        fast = troupe("sim", f.world, "--steps", "20", "--speed", "0").stdout
        paced = troupe("sim", f.world, "--steps", "20", "--speed", "4").stdout
        assert fast.startswith("two: 20 steps, 2.0 s of simulated time in "), fast
        took = float(paced.split(" in ")[1].split(" s")[0])
        assert took >= 0.5, paced  # never faster; how much slower is the machine's business


# ---- Names, errors ---------------------------------------------------------------------------------


def our_worlds_are_found_by_name():
    with Folder() as f:
        result = troupe("sim", "office", "--steps", "3")
        assert result.stdout.startswith("office: 3 steps, 0.3 s of simulated time in "), result
        result = troupe("sim", "x", "--steps", "3", TROUPE_WORLD_PATH=f"/nowhere:{f.path}")
        assert result.stdout.startswith("two: 3 steps, "), result


def worlds_elsewhere_use_our_robots():
    with Folder('include "robots/pioneer.inc"\npioneer ( name "mine" )\n') as f:
        result = troupe("sim", f.world, "--steps", "1")
        tap.equal((result.returncode, result.stderr), (0, ""))
        (f.path / "x.cfg").write_text('driver ( name "sim" worldfile "x.world" provides "all" )')
        checked = troupe("check", str(f.path / "x.cfg"))
        tap.equal((checked.returncode, checked.stderr, "position2d:0" in checked.stdout), (0, "", True))


def worlds_that_count_on_the_files_of_stage_find_ours():
    with Folder('include "/usr/local/share/stage/worlds/pioneer.inc"\ninclude "../map.inc"\ninclude "sick.inc"\n'
                'include "hokuyo.inc"\ninclude "irobot.inc"\nfloorplan ( size [16 16 0.8] ) zone ( pose [3 3 0 0] )\n'
                'pioneer2dx ( name "r0" sicklaser ( ) )\nfancypioneer2dx ( pose [0 1 0 0] fancysicklaser ( ) )\n'
                'pioneer3at ( pose [0 2 0 0] hokuyolaser ( ) ) pioneer3dx ( pose [0 3 0 0] ) amigobot ( pose [0 4 0 0] )\n'
                'roomba ( name "dusty" pose [0 5 0 0] ) create ( pose [0 6 0 0] )\n') as f:
        result = troupe("sim", f.world, "--steps", "1")
        tap.equal((result.returncode, result.stderr), (0, ""))
        with Running("sim", f.world, "--any-port") as running:
            port = port_of(lines_until(running, "      troupe print "))
            for device, count in (("ranger:0", 16), ("ranger:1", 180)):
                printed = json.loads(troupe("print", f"localhost:{port}/{device}", "--json", "--count", "1").stdout)
                tap.equal(len(printed["value"]["ranges"]), count)
            geometry = json.loads(troupe("request", f"localhost:{port}/bumper:0", "GET_GEOM", "--json").stdout)
            tap.equal(len(geometry["bumper_def"]), 2)
            tap.equal(running.interrupt(), (0, ""))


def mistakes_on_the_command_line_are_told():
    says(troupe("sim"), 2, usage("sim", "which world?"))
    says(troupe("sim", "a", "b"), 2, usage("sim", 'unexpected "b"'))
    says(troupe("sim", "a", "--fast"), 2, usage("sim", 'unexpected "--fast"'))
    says(troupe("sim", "a", "--steps"), 2, usage("sim", "--steps needs a value"))
    says(troupe("sim", "a", "--steps", "-1"), 2, usage("sim", '"-1" is no number of steps'))
    says(troupe("sim", "a", "--speed", "fast"), 2, usage("sim", '"fast" is no speed'))
    says(troupe("sim", "a", "--speed", "nan"), 2, usage("sim", '"nan" is no speed'))
    says(troupe("sim", "a", "--threads", "0"), 2, usage("sim", '"0" is no number of threads'))
    for word in "65", "1000":
        says(troupe("sim", "a", "--threads", word), 2, usage("sim", f'"{word}" is no number of threads: 64 is the most'))
    says(troupe("sim", "a", "--port", "7000", "--any-port"), 2,
         usage("sim", "--port 7000 and --any-port do not go together: one of them chooses"))
    says(troupe("sim", "a", "--lockstep", "1001"), 2, usage("sim", '"1001" is no number of participants: 1000 is the most'))
    says(troupe("sim", "a", "--stepz", "3"), 2, usage("sim", 'unexpected "--stepz"; did you mean "--steps"?'))
    says(troupe("sim", "a", "b"), 2, usage("sim", 'unexpected "b"'))
    says(troupe("sim", "a", "--lockstep", "0"), 2, usage("sim", '"0" is no number of participants'))
    says(troupe("sim", "a", "--size", "10"), 2, usage("sim", '"10" is no size, as 800x600 is'))
    says(troupe("sim", "a", "--size", "0x5"), 2, usage("sim", '"0x5" is no size, as 800x600 is'))
    says(troupe("sim", "a", "--size", "100000x5"), 2, usage("sim", '"100000x5" is no size: 99999 is the most'))
    says(troupe("sim", "a", "--render", "x.gif"), 2, usage("sim", '"x.gif" is neither .png nor .svg'))
    says(troupe("sim", "a", "--port", "70000"), 2, usage("sim", '"70000" is no port: 65535 is the most'))
    says(troupe("sim", "office", "--lockstep", "--steps", "0"), 2,
         usage("sim", "--lockstep is for a server, and with --steps 0 there is none"))
    for option in (("--dark",), ("--size", "30x20")):
        for others in ((), ("--steps", "3")):
            says(troupe("sim", "office", *option, *others), 2,
                 usage("sim", f"{option[0]} is for a picture: with --render FILE"))
    says(troupe("sim", "nowhere"), 1, 'troupe sim: there is no world "nowhere"; '
         "ours are cave, classroom, demo, light, office, swarm, track and warehouse\n")
    says(troupe("sim", "/no/x.world"), 1, 'troupe sim: there is no world "/no/x.world"\n')
    assert troupe("sim", "--help").stdout.startswith("usage: troupe sim WORLD [options] ")


def mistakes_in_a_world_have_a_place():
    for text, place in (("model ( pose [0 0 0 0]\n", "2:1: "), ("modle ( )\n", "1:1: "), ("\nmodel ( size [1 1 )\n", "2:"),
                        ("include \"nothing.inc\"\n", "1:")):
        with Folder(text) as f:
            for options in (("--steps", "1"), ("--any-port",)):
                result = troupe("sim", f.world, *options)
                mistake, = result.stderr.splitlines()
                tap.equal(result.returncode, 1)
                assert mistake.startswith(f"troupe sim: {f.world}:{place}"), result.stderr


def compile_slow_spin(f):
    """A controller whose plug-in is opened once there is a file `go`."""
    source = f.path / "spin.c"
    source.write_text(f'#include "{ROOT}/examples/spin.c"\nint access(const char *, int);\nint usleep(unsigned);\n'
                      "__attribute__((constructor)) static void wait_for_go(void)\n{\n"
                      f'    while (access("{f.path}/go", 0) != 0) {{\n        usleep(10000);\n    }}\n}}\n')
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", f.path / "spin.so", source],
                   check=True)


def whoever_loads_long_says_so():
    for options in (("--steps", "1"), ("--any-port",)):
        with Folder() as f:
            compile_slow_spin(f)
            pathlib.Path(f.world).write_text(TWO + 'position ( name "s" pose [9 9 0 0] ctrl "spin" )\n')
            with Running("sim", f.world, *options) as running:
                tap.equal([running.process.stderr.readline() for _ in range(2)], 2 * ["still loading the world\n"])
                (f.path / "go").touch()
                assert running.line().startswith("two: ")
                if options[0] != "--steps":
                    lines_until(running, "      troupe print ")
                    running.process.send_signal(signal.SIGINT)
                tap.equal(running.ended()[0], 0)


def oddities_are_told_with_their_place():
    with Folder(TWO + "model ( colour \"red\" )\n") as f:
        result = troupe("sim", f.world, "--steps", "1", "--quiet")
        tap.equal(result.returncode, 0)
        assert result.stderr.startswith(f"{f.world}:7:9: "), result.stderr


def files_that_cannot_be_written_are_told():
    with Folder() as f:
        for option, name in (("--render", "/no/where.png"), ("--record", "/no/where.csv")):
            for options in ((), ("--any-port",)):  # at once, not after steps without end
                says(troupe("sim", f.world, "--steps", "1000000000", "--quiet", option, name, *options), 1,
                     f"troupe sim: cannot write {name}: No such file or directory\n")
        picture = f.path / "x.png"
        broken = f.path / "broken.world"
        broken.write_text("nonsense (")
        tap.equal(troupe("sim", str(broken), "--render", str(picture)).returncode, 1)
        assert not picture.exists()  # to see whether it can be written leaves nothing behind
        picture.write_text("old")
        tap.equal(troupe("sim", str(broken), "--render", str(picture)).returncode, 1)
        tap.equal(picture.read_text(), "old")
        if os.path.exists("/dev/full"):
            says(troupe("sim", f.world, "--steps", "1", "--quiet", "--record", "/dev/full"), 1,
                 "troupe sim: cannot write /dev/full: No space left on device\n")
        says(troupe("sim", f.world, "--size", "30000x30000", "--render", str(f.path / "x.png")), 1,
             "troupe sim: a picture of 30000x30000 pixels is too large\n")


tap.main(what_can_be_subscribed_to_is_listed, signals_end_it, quit_time_ends_it,
         a_world_of_a_configuration_stands_still_at_quit_time, speed_is_what_was_asked_for,
         lockstep_takes_no_command_back,
         a_port_that_is_taken_is_told, robots_are_recorded_step_by_step, robots_are_recorded_in_the_order_of_the_file,
         a_velocity_of_the_file_needs_no_user,
         who_is_far_away_is_recorded_to_the_millimetre, threads_change_nothing_and_seeds_do,
         whole_lines_are_there_while_it_runs, what_is_recorded_has_its_units,
         controllers_that_are_plugins_run_without_a_server_too,
         code_beside_a_world_runs_only_if_the_user_says_so, plugins_see_floor_light_bumpers_and_fiducials,
         a_plugin_that_crashes_is_named, a_controller_that_drives_by_no_number_is_told_of_once,
         a_broken_controller_is_blamed_at_its_place,
         pictures_have_the_size_that_was_asked_for, svg_is_xml_and_shows_everything, names_of_pictures_may_be_in_capitals,
         short_times_are_told_too, pictures_move_on_with_the_world, a_server_ends_when_its_steps_are_made,
         a_served_world_is_drawn_with_trails, steps_in_lockstep_are_those_that_clients_ask_for,
         who_waits_for_more_steps_than_there_are_is_told, who_asks_for_a_step_after_the_last_is_told,
         a_speed_also_holds_without_a_server,
         our_worlds_are_found_by_name, worlds_elsewhere_use_our_robots,
         worlds_that_count_on_the_files_of_stage_find_ours, mistakes_on_the_command_line_are_told, mistakes_in_a_world_have_a_place,
         whoever_loads_long_says_so, oddities_are_told_with_their_place, files_that_cannot_be_written_are_told)
