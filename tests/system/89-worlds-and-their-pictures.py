#!/usr/bin/env python3
"""The worlds that come with Troupe: they load without a word, live, and look as the docs show them.
argv: the troupe program, source root."""
import csv
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cli
import pictures
import tap
from cli import troupe

ROOT = pathlib.Path(sys.argv[2])
WORLDS = ROOT / "worlds"
DOCS = ROOT / "docs" / "worlds"
ROOMS = {"light"}  # of experiments: without robots, and with a picture of their own (docs/light.svg)
NAMES = sorted({path.stem for path in WORLDS.glob("*.world")} - ROOMS)


def ours_are_all_there():
    tap.equal(NAMES, ["cave", "classroom", "office", "swarm", "track", "warehouse"])


def every_world_runs_without_a_word():
    for name in NAMES:
        result = troupe("sim", str(WORLDS / f"{name}.world"), "--steps", "20", "--quiet")
        tap.equal((name, result.returncode, result.stdout, result.stderr), (name, 0, "", ""))


def every_robot_file_is_used_and_shows_how():
    text = "".join(path.read_text() for path in WORLDS.glob("*.world")) + \
        "".join(path.read_text() for path in (WORLDS / "robots").glob("*.inc"))
    for path in sorted((WORLDS / "robots").glob("*.inc")):
        assert f'include "robots/{path.name}"' in text, path
        if path.name != "lasers.inc":
            assert f'#   include "robots/{path.name}"\n' in path.read_text(), path


def places(name, steps, *options):
    """Of each robot, where it was after each step."""
    with tempfile.TemporaryDirectory() as folder:
        file = folder + "/where.csv"
        result = troupe("sim", str(WORLDS / f"{name}.world"), "--steps", str(steps), "--quiet", "--record", file, *options)
        tap.equal((result.returncode, result.stderr), (0, ""))
        robots = {}
        with open(file, encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                robots.setdefault(row["robot"], []).append((float(row["x"]), float(row["y"])))
        return robots


def robots_go_somewhere():
    for name in NAMES:
        for robot, way in places(name, 600).items():
            spread = max(math.dist(way[0], place) for place in way)
            assert spread > 0.3, f"{robot} of {name} came {spread} m far"


def another_seed_is_another_run():
    for name in NAMES:
        one, again, other = (places(name, 200, *options) for options in ((), ("--seed", "1"), ("--seed", "2")))
        assert one == again, f"{name}: a seed gives two runs"
        assert one != other, f"{name}: the seed changes nothing"


def followers_go_all_the_way_round():
    for robot, way in places("track", 2600).items():
        quarters = {(x > 0, y > 0) for x, y in way}
        assert len(quarters) == 4 and min(math.dist(way[0], place) for place in way[1000:]) < 0.1, robot


def what_the_script_draws_is_what_is_there():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, WORLDS / "draw.py", folder], check=True)
        drawn = sorted(path.name for path in pathlib.Path(folder).iterdir())
        tap.equal(drawn, ["cave.png", "swarm.world", "track.png"])
        for name in drawn:
            fresh, kept = (pathlib.Path(folder) / name).read_bytes(), (WORLDS / name).read_bytes()
            if name.endswith(".png"):  # zlib may pack the same pixels in another way
                tap.equal(pictures.head(fresh), pictures.head(kept))
                assert pictures.raw(fresh) == pictures.raw(kept), name
            else:
                tap.equal(fresh.decode(), kept.decode())


def the_docs_show_the_worlds_as_they_are():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, WORLDS / "draw.py", "--pictures", cli.PROGRAM, folder], check=True)
        for name in [*NAMES, "my"]:
            fresh = (pathlib.Path(folder) / f"{name}.png").read_bytes()
            kept = (DOCS / f"{name}.png").read_bytes()
            share = pictures.difference(fresh, kept)
            assert share < 0.03, f"{name}: {share:.1%} of the picture differ; run worlds/draw.py --pictures PROGRAM"


def the_world_of_the_readme_does_what_it_says():
    text = (ROOT / "README.md").read_text()
    world = re.search(r"^```world\n(# my\.world\n.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
    lines = re.findall(r"^\./troupe (\w+ my\.world.*?) +#", text, re.MULTILINE)
    tap.equal([line.split()[0] for line in lines], ["check", "sim", "demo", "sim"])
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "my.world").write_text(world)
        for line, more in zip(lines, ([], [], ["--seconds", "2", "--speed", "0"], None)):
            command = [os.path.abspath(cli.PROGRAM), *line.split()]
            if more is not None:
                result = tap.run([*command, *more], cwd=folder)
                tap.equal((line, result.returncode, result.stderr), (line, 0, ""))
        with cli.Running("sim", f"{folder}/my.world", "--any-port") as running:
            listed = [running.line() for _ in range(16)]
            assert any(line.split()[:2] == ["anna", "position2d:0"] for line in listed), listed
            assert any(line.split()[1:2] == ["laser:0"] and line.split()[0].startswith("anna") for line in listed), listed
        for name in ("my.png", "demo.png"):
            assert (pathlib.Path(folder) / name).exists(), name


def another_world_would_be_noticed():
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{name}.png" for name in ("cave", "office")]
        for file in files:
            troupe("sim", str(WORLDS / pathlib.Path(file).with_suffix(".world").name), "--size", "120x80", "--render", file)
        one, other = (pathlib.Path(file).read_bytes() for file in files)
        assert pictures.difference(one, other) > 0.03


def pictures_are_small_and_shown():
    text = (ROOT / "README.md").read_text()
    for name in [*NAMES, "my"]:
        assert (DOCS / f"{name}.png").stat().st_size < 100_000, name
        assert re.search(rf"!\[[^]]+\]\(docs/worlds/{name}\.png\)", text), f"the README does not show {name}"


def the_readme_says_how_they_were_made():
    text = (ROOT / "README.md").read_text()
    made = re.findall(r'"(\w+)": \((\d+), "(\d+x\d+)"\)', (WORLDS / "draw.py").read_text())
    tap.equal(sorted(name for name, _, _ in made), sorted(NAMES))
    for name, steps, size in made:
        assert re.search(rf"`{name}`: [^|]*\({steps} steps\)", text), f"the README does not say that {name} made {steps} steps"
        for told in re.findall(rf"troupe sim {name} --steps (\d+) --size (\w+) --render", text):
            tap.equal(told, (steps, size))


tap.main(ours_are_all_there, every_world_runs_without_a_word, every_robot_file_is_used_and_shows_how,
         robots_go_somewhere, another_seed_is_another_run, followers_go_all_the_way_round, what_the_script_draws_is_what_is_there,
         the_docs_show_the_worlds_as_they_are, the_world_of_the_readme_does_what_it_says, another_world_would_be_noticed, pictures_are_small_and_shown,
         the_readme_says_how_they_were_made)
