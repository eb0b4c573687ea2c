#!/usr/bin/env python3
"""troupe new: what it writes builds without a warning and runs, by the commands that it prints.
argv: source root, an installed prefix."""
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import installed
import tap

PACKAGE = installed.Package(sys.argv[2])
STRICT = " -Wall -Wextra -Wconversion -Wshadow -pedantic -O2 -Werror"


def new(folder, *arguments):
    return tap.run([PACKAGE.troupe, "new", *arguments], cwd=folder, env=PACKAGE.environment)


def written(folder, kind, name):
    """The files that were written, and the commands to type next."""
    result = new(folder, kind, name)
    tap.equal((result.returncode, result.stderr), (0, ""))
    files = re.findall(r"^wrote (.*)$", result.stdout, re.M)
    commands = [line[6:].split("  #")[0] for line in result.stdout.splitlines()[len(files):]]
    tap.equal([file for file in files if "@" in pathlib.Path(folder, file).read_text()], [])
    return files, commands


def compiled(folder, command):
    tap.equal(PACKAGE.run(["sh", "-e", "-c", command + STRICT], cwd=folder), "")


@contextlib.contextmanager
def served(folder, *arguments):
    command = [PACKAGE.troupe, *arguments, "--any-port"]
    with subprocess.Popen(command, cwd=folder, env=PACKAGE.environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            lines = (re.match(r"listening on port (\d+)", line) for line in process.stdout)
            yield "localhost:" + next(found.group(1) for found in lines if found)
        finally:
            process.terminate()


def a_driver_builds_and_serves_data():
    with tempfile.TemporaryDirectory() as folder:
        files, (build, serve, show) = written(folder, "driver", "wave")
        tap.equal(files, ["wave.c", "wave.cfg"])
        compiled(folder, build)
        tap.equal((serve.split()[1:], show.split()[1:]), (["run", "wave.cfg"], ["print", "aio:0"]))
        with served(folder, "run", "wave.cfg") as url:
            lines = PACKAGE.run([PACKAGE.troupe, "print", "aio:0", "--line", "-n", "3", "--url", url]).splitlines()
        tap.equal([re.sub(r"-?\d[-\d.e]*", "N", line.split(" ", 1)[1]) for line in lines], ["aio:N STATE {voltages=[N]}"] * 3)
        pathlib.Path(folder, "wave.cfg").write_text(pathlib.Path(folder, "wave.cfg").read_text().replace("rate 10", "rate 0"))
        result = tap.run([PACKAGE.troupe, "check", "wave.cfg"], cwd=folder, env=PACKAGE.environment)
        assert result.returncode == 1 and "rate is not between 0 and 1000 Hz" in result.stderr, result.stderr


def a_world_is_without_mistakes_and_runs():
    with tempfile.TemporaryDirectory() as folder:
        files, commands = written(folder, "world", "yard")
        tap.equal((files, [command.split()[1:] for command in commands]), (["yard.world"], [["check", "yard.world"], ["demo", "yard.world"]]))
        assert "no mistakes found" in PACKAGE.run([PACKAGE.troupe, "check", "yard.world"], cwd=folder)
        assert "yard" in PACKAGE.run([PACKAGE.troupe, "sim", "yard.world", "--steps", "5"], cwd=folder)
        with served(folder, "sim", "yard.world") as url:
            listing = PACKAGE.run([PACKAGE.troupe, "list", url])
        for device, name in (("position2d:1", "ben"), ("laser:1", "ben.ranger:0"), ("ranger:1", "ben.ranger:0")):  # as the comments say
            assert re.search(rf"^{device} +{name}", listing, re.M), listing


def a_client_builds_and_drives():
    with tempfile.TemporaryDirectory() as folder:
        files, (build, serve, start) = written(folder, "client", "stroll")
        tap.equal((files, serve.split()[1:], start), (["stroll.c"], ["sim", "office"], "./stroll"))
        compiled(folder, build)
        for arguments in (("sim", "office", "--speed", "10"), ("sim", "cave", "--speed", "10")):
            with served(folder, *arguments) as url:
                environment = dict(PACKAGE.environment, TROUPE_URL=url)
                result = tap.run(["./stroll", "5"], cwd=folder, env=environment)
                tap.equal((result.returncode, result.stderr), (0, ""))
                text = PACKAGE.run([PACKAGE.troupe, "stat", url, "--json"])
                assert re.search(r'"commands":[1-9]', text), text
        with served(folder, "sim", "office") as url:  # a panic refuses what it commands
            PACKAGE.run([PACKAGE.troupe, "panic", url])
            result = tap.run(["./stroll", "5"], cwd=folder, env=dict(PACKAGE.environment, TROUPE_URL=url))
            assert result.returncode == 1 and re.match("stroll: .*panic", result.stderr), result
        result = tap.run(["./stroll"], cwd=folder, env=dict(PACKAGE.environment, TROUPE_URL="unix:/nowhere"))
        tap.equal((result.returncode, result.stderr), (1, "stroll: connect to unix:/nowhere: no such file or directory\n"))


def a_robot_file_is_without_mistakes_and_tests_itself():
    with tempfile.TemporaryDirectory() as folder:
        result = result_of_new = new(folder, "robot", "mybot")
        tap.equal((result.returncode, result.stderr), (0, ""))
        assert "troupe robots --check mybot.xml" in result.stdout, result.stdout
        result = tap.run([PACKAGE.troupe, "robots", "--check", "mybot.xml"], cwd=folder)
        tap.equal((result.returncode, result.stdout, result.stderr), (0, "mybot.xml: 6 devices, 5 translations, 5 examples\n", ""))
        printed = result_of_new.stdout.split("troupe ")[-1].split()
        result = tap.run([PACKAGE.troupe, *printed], cwd=folder)
        tap.equal((result.returncode, result.stderr, result.stdout.splitlines()[-1]), (0, "", "> 4D 32 32"))


def files_are_never_overwritten():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "mine.cfg").write_text("precious")
        result = new(folder, "driver", "mine")
        tap.equal((result.returncode, result.stderr), (1, "troupe new: cannot write mine.cfg: File exists\n"))
        tap.equal(pathlib.Path(folder, "mine.cfg").read_text(), "precious")
        tap.equal(os.listdir(folder), ["mine.cfg"])


def mistakes_are_explained():
    with tempfile.TemporaryDirectory() as folder:
        for arguments, error in (((), "which kind and which name? driver, world, client, robot or sensor"), (("world",), "which kind and which name? driver, world, client, robot or sensor"),
                                 (("gadget", "x"), '"gadget" is none of driver, world, client, robot and sensor'),
                                 (("diver", "x"), '"diver" is none of driver, world, client, robot and sensor; did you mean "driver"?'),
                                 (("world", "../x"), '"../x" is no name: a letter, then at most 39 letters, digits and _'),
                                 (("world", "2x"), '"2x" is no name: a letter, then at most 39 letters, digits and _'),
                                 (("world", "x" * 41), f'"{"x" * 41}" is no name: a letter, then at most 39 letters, digits and _'),
                                 (("driver", "static"), '"static" is a word of C, which cannot name a driver'),
                                 (("world", "a", "b"), 'unexpected "b"')):
            result = new(folder, *arguments)
            tap.equal((result.returncode, result.stderr), (2, f"troupe new: {error}\nTry: troupe new --help\n"))
        tap.equal(os.listdir(folder), [])


tap.main(a_driver_builds_and_serves_data, a_world_is_without_mistakes_and_runs, a_client_builds_and_drives,
         a_robot_file_is_without_mistakes_and_tests_itself, files_are_never_overwritten, mistakes_are_explained)
