#!/usr/bin/env python3
"""The program in README.md is built with the installed package and drives the robot of configs/fake.cfg, and without a
change those of simulated worlds. The program in docs/guide/client.md is built and drives a simulated robot too.
argv: source root, an installed prefix."""
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

ROOT, PREFIX = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAM = re.search(r"^```c\n(/\* drive\.c - .*?)^```$", README, re.MULTILINE | re.DOTALL).group(1)
COMMAND = re.search(r"^cc -o drive .*$", README, re.MULTILINE).group(0)
FOLLOW = re.search(r"^```c\n(/\* follow\.c - .*?)^```$", (ROOT / "docs/guide/client.md").read_text(encoding="utf-8"),
                   re.MULTILINE | re.DOTALL).group(1)

# A robot that sees a wall at 3 m.
WALL = """
model ( name "wall" pose [3 0 0 0] size [0.2 8 1] )
position ( name "r0" size [0.4 0.4 0.2] ranger ( sensor ( range [0 8] fov 180 samples 181 ) ) )
"""

# The same in C++.
CPP = """
#include <cstdio>
#include "troupe/client/all.h"

int main()
{
    tp_client *client = nullptr;
    tp_proxy *base = nullptr;
    tp_error err;
    if (tp_client_connect(&client, nullptr, nullptr, &err) != TP_OK ||
        tp_position2d_open(client, 0, &base, &err) != TP_OK) {
        std::puts(err.text);
        return 1;
    }
    tp_position2d_cmd_vel ahead = tp_position2d_cmd_vel();
    ahead.vel.px = 1;
    ahead.state = 1;
    const tp_position2d_data *place = tp_position2d_wait_state(base, TP_NS_PER_S, &err);
    while (place != nullptr && place->pos.px < 0.2) {
        tp_position2d_command_vel(base, &ahead, &err);
        place = tp_position2d_wait_state(base, TP_NS_PER_S, &err);
    }
    std::puts(place != nullptr ? "moved" : err.text);
    tp_client_destroy(client);
}
"""


def environment(**more):
    """Everything is found in the prefix only."""
    return dict(os.environ, PATH=f"{PREFIX / 'bin'}:{os.environ['PATH']}",
                PKG_CONFIG_PATH=str(next(PREFIX.glob("lib*/**/troupe.pc")).parent),
                LD_LIBRARY_PATH=str(next(PREFIX.glob("lib*/**/libtroupe.so")).parent), **more)


@contextlib.contextmanager
def robot(*arguments):
    """The port of a server, with the robot that is not there if nothing is said."""
    command = [PREFIX / "bin/troupe", *(arguments or ("run", ROOT / "configs/fake.cfg")), "--any-port"]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        try:
            lines = (re.match(r"listening on port (\d+)", line) for line in process.stdout)
            yield next(found.group(1) for found in lines if found)
        finally:
            process.terminate()


def build(folder, name, text, command):
    pathlib.Path(folder, name).write_text(text, encoding="utf-8")
    result = tap.run(["sh", "-e", "-c", command], cwd=folder, env=environment())
    tap.equal((result.returncode, result.stdout, result.stderr), (0, "", ""))


def the_program_is_the_example():
    tap.equal(PROGRAM, (ROOT / "examples/drive.c").read_text(encoding="utf-8"))


def the_program_drives_the_robot():
    with tempfile.TemporaryDirectory() as folder, robot() as port:
        build(folder, "drive.c", PROGRAM, COMMAND)
        result = tap.run(["./drive"], cwd=folder, env=environment(TROUPE_URL=f"localhost:{port}"))
        tap.equal((result.returncode, result.stdout, result.stderr), (0, "something is ahead\n", ""))
        result = tap.run(["./drive"], cwd=folder, env=environment(TROUPE_URL="unix:/nowhere"))
        tap.equal((result.returncode, result.stdout),
                  (1, "connect to unix:/nowhere: no such file or directory\n"))


# A robot that sees nothing near.
NOWHERE = 'position ( name "r0" size [0.4 0.4 0.2] ranger ( sensor ( range [0 8] fov 180 samples 181 ) ) )\n'
KEYS = 'keys [ "anna move drive on and on and on" ]\ndriver ( name "fake" provides [ "position2d:0" "laser:0" ] )\n'


def a_program_that_may_not_move_ends_with_the_reason():
    """Without a key, and in a panic: the README's says it on its output, that of the guide where errors go."""
    with tempfile.TemporaryDirectory() as folder:
        build(folder, "drive.c", PROGRAM, COMMAND)
        build(folder, "follow.c", FOLLOW, COMMAND.replace("drive", "follow"))
        pathlib.Path(folder, "keys.cfg").write_text(KEYS, encoding="utf-8")
        pathlib.Path(folder, "keys.cfg").chmod(0o600)  # it has a secret
        pathlib.Path(folder, "nowhere.world").write_text(NOWHERE, encoding="utf-8")

        def ends(program, port, reason):
            result = tap.run([f"./{program}"], cwd=folder, env=environment(TROUPE_URL=f"localhost:{port}"))
            assert result.returncode == 1 and reason in result.stdout + result.stderr, result
        with robot("run", f"{folder}/keys.cfg") as port:
            for program in "drive", "follow":
                ends(program, port, "position2d:0: VEL needs the right to move: give a key\n")
        with robot("sim", f"{folder}/nowhere.world") as port:
            url = f"localhost:{port}"
            tap.equal(tap.run([PREFIX / "bin/troupe", "panic", url, "fire"], env=environment()).returncode, 0)
            for program in "drive", "follow":
                ends(program, port, "panic")


def the_program_drives_simulated_robots_too():
    with tempfile.TemporaryDirectory() as folder:
        build(folder, "drive.c", PROGRAM, COMMAND)
        for world in "office", "cave", "warehouse":
            with robot("sim", world, "--speed", "10") as port:
                result = tap.run(["./drive"], cwd=folder, env=environment(TROUPE_URL=f"localhost:{port}"))
                tap.equal((result.returncode, result.stdout, result.stderr), (0, "something is ahead\n", ""))


def the_program_of_the_guide_keeps_its_distance():
    flags = " -std=c11 -O2 -Wall -Wextra -Wconversion -pedantic -Werror"
    with tempfile.TemporaryDirectory() as folder:
        build(folder, "follow.c", FOLLOW, COMMAND.replace("drive", "follow") + flags)
        pathlib.Path(folder, "wall.world").write_text(WALL, encoding="utf-8")
        with robot("sim", f"{folder}/wall.world", "--speed", "10") as port:
            result = tap.run(["./follow", f"localhost:{port}"], cwd=folder, env=environment())
        tap.equal((result.returncode, result.stdout, result.stderr), (0, "one metre\n", ""))
        result = tap.run(["./follow", "unix:/nowhere"], cwd=folder, env=environment())
        tap.equal((result.returncode, result.stderr),
                  (1, "follow: connect to unix:/nowhere: no such file or directory\n"))


def the_program_is_clean_c():
    with tempfile.TemporaryDirectory() as folder:
        build(folder, "drive.c", PROGRAM, COMMAND + " -std=c11 -O2 -Wall -Wextra -Wconversion -pedantic -Werror")


def the_same_works_in_cpp():
    command = "c++ -std=c++11 -Wall -Wextra -pedantic -Werror -o drive drive.cpp $(pkg-config --cflags --libs troupe)"
    with tempfile.TemporaryDirectory() as folder, robot() as port:
        build(folder, "drive.cpp", CPP, command)
        result = tap.run(["./drive"], cwd=folder, env=environment(TROUPE_URL=f"localhost:{port}"))
        tap.equal((result.returncode, result.stdout, result.stderr), (0, "moved\n", ""))


tap.main(the_program_is_the_example, the_program_drives_the_robot, a_program_that_may_not_move_ends_with_the_reason,
         the_program_drives_simulated_robots_too, the_program_of_the_guide_keeps_its_distance, the_program_is_clean_c, the_same_works_in_cpp)
