#!/usr/bin/env python3
"""What people stumble over when they first use robots that are files: paths, maps, mistakes in files, first readings, units.
argv: the troupe program, source root."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cli
import tap
from cli import PROGRAM
from robots import Program, address, serve

ROOT = pathlib.Path(sys.argv[2])
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
os.environ.setdefault("TROUPE_WORLD_PATH", str(ROOT / "worlds"))
WORLD = 'model ( name "room" size [8 6 1] boundary 1 )\n'


def play_in(folder, text, *arguments):
    pathlib.Path(folder, "a.play").write_text(text)
    return subprocess.run([PROGRAM, "play", "a.play", *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def paths_of_ports_are_from_here():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "worlds").mkdir()
        for name in ("mine.world", "worlds/mine.world"):
            pathlib.Path(folder, name).write_text(WORLD)
            result = play_in(folder, 'print "here"\n', "--on", "nxt", "--port", f"emulate:nxt?world={name}&at=0,0,90")
            tap.equal((name, result.returncode, result.stdout.splitlines()[-1:]), (name, 0, ["here"]))
        pathlib.Path(folder, "bot.script").write_text("")
        result = play_in(folder, 'print "here"\n', "--on", "nxt", "--port", "script:bot.script")
        tap.equal((result.returncode, result.stdout.splitlines()[-1:]), (0, ["here"]))
        result = play_in(folder, "drive 10\n", "--on", "nxt", "--port", "script:none/bot.script")
        assert result.returncode != 0 and "none/bot.script" in result.stderr, result


def a_wrong_map_names_no_file_that_nobody_wrote():
    with tempfile.TemporaryDirectory() as folder:
        result = play_in(folder, 'print "here"\n', "--on", "nxt", "--port", "emulate:nxt", "--map", "Light Sensor=port 9")
        assert result.returncode == 1 and '--map "Light Sensor=port 9": the robot nxt has no such place or device there' in result.stderr, result
        assert "/tmp/troupe-play" not in result.stderr, result
        result = play_in(folder, 'print "here"\n', "--on", "ntx", "--port", "emulate:nxt")
        assert result.returncode == 1 and result.stderr.startswith('troupe play: robotfile0: there is no robot "ntx"; did you mean "nxt"?'), result


def all_mistakes_of_a_file_are_told():
    text = (ROOT / "robots" / "finch.xml").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "wrong.xml")
        path.write_text(text.replace("<timing ", '<timeing ', 1).replace('base="ReadAnalog"', 'base="ReadAnalg"').replace("<about maker", "<about makr", 1))
        result = cli.troupe("robots", "--check", str(path))
        told = re.findall(r"wrong\.xml:(\d+): <(\w+)>", result.stderr)
        assert result.returncode == 1 and len(told) >= 3 and {name for _, name in told} >= {"about", "device"}, result.stderr
        tap.equal(result.stderr.splitlines()[-1].endswith(f"wrong.xml: {len(told)} mistakes"), True)
        path.write_text(text.replace('command="ReadCount"', 'command="ReadCont"').replace('<translate command="Tone"', '<translate command="Ton"'))
        told = re.findall(r"<translate>: command=", cli.troupe("robots", "--check", str(path)).stderr)
        assert len(told) >= 2, told
        path.write_text(re.sub(r"<na [^>]*>", "", text))  # every command that is not available, at once
        told = re.findall(r"no device can do (\w+)", cli.troupe("robots", "--check", str(path)).stderr)
        assert len(told) >= 5, told


def a_folder_is_checked():
    result = cli.troupe("robots", "--check", str(ROOT / "robots"))
    tap.equal((result.returncode, len(result.stdout.splitlines())), (0, len(list((ROOT / "robots").glob("*.xml"))) - 1))
    with tempfile.TemporaryDirectory() as folder:
        result = cli.troupe("robots", "--check", folder)
        tap.equal((result.returncode, result.stderr), (1, f"troupe robots: {folder}: no robot files (*.xml) in this folder\n"))


def the_first_distance_is_measured():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "w.world").write_text("model ( pose [1 0 0 0] size [0.2 2 1] )\n")
        result = play_in(folder, "device far is Distance Sensor\nprint far\n", "--on", "nxt", "--port", "emulate:nxt?world=w.world&at=0,0,0")
        assert result.returncode == 0 and 500 < float(result.stdout.splitlines()[-1]) < 1200, result


def an_emulated_robot_has_no_speed_of_its_line():
    with serve("emulate:finch", '"power:0"', "nxt", 'alwayson 1') as server:
        line = server.await_line(r"robot silent.*").group(0)
        assert "baud" not in line, line


def the_robot_of_the_configuration_stays():
    with Program("run", str(ROOT / "configs" / "nxt.cfg"), "--any-port") as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        tap.equal(cli.troupe("send", "position2d:0", "VEL", '{"vel":{"px":0.2}}', "--for", "0.5", url=url).returncode, 0)
        result = cli.troupe("print", "position2d:0", "-n", "1", url=url)
        px = float(re.search(r"px: (\S+) m$", result.stdout, re.M).group(1))
        assert px > 0.02, result.stdout


def counts_have_units_and_aio_has_volts():
    devices = cli.troupe("robots", "nxt").stdout
    assert re.search(r"^Left Encoder +\S+ +port B +ReadCount +0\.1 deg ", devices, re.M), devices
    devices = cli.troupe("robots", "srv1").stdout  # its ticks are no angles
    assert re.search(r"^Left Encoder +\S+ +- +ReadCount +- ", devices, re.M), devices
    with serve("emulate:nxt?world=classroom", '"aio:0"', "nxt", "alwayson 1") as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        assert "(5 V are 100 %)" in cli.troupe("property", "aio:0", "inputs", url=url).stdout
        values = re.search(r"voltages: \[([^\]]*)\]", cli.troupe("print", "aio:0", "-n", "1", url=url).stdout).group(1).split()
        assert values and all(0 <= float(value) <= 5 for value in values), values


tap.main(paths_of_ports_are_from_here, a_wrong_map_names_no_file_that_nobody_wrote, all_mistakes_of_a_file_are_told, a_folder_is_checked,
         the_first_distance_is_measured, an_emulated_robot_has_no_speed_of_its_line, the_robot_of_the_configuration_stays,
         counts_have_units_and_aio_has_volts)
