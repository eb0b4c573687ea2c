#!/usr/bin/env python3
"""examples/driver-out-of-tree builds against an installed Troupe and serves scans that a script plays.
argv: source root, an installed prefix."""
import math
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile

import installed
import player
import tap

ROOT = pathlib.Path(sys.argv[1]).resolve()
PACKAGE = installed.Package(sys.argv[2])
EXAMPLE = ROOT / "examples/driver-out-of-tree"
RANGER, LASER = 62, 6
GEOM, POWER, INTENSITIES, CONFIG = 1, 2, 3, 5  # of the ranger
FOLDER = tempfile.TemporaryDirectory()
BUILD = PACKAGE.build_example(EXAMPLE, FOLDER.name + "/build")
STEP = 2 * math.pi / 1024

os.environ.update(PACKAGE.environment)


def configuration(script, more="", provides='"ranger:0" "laser:0"'):
    return (f'driver ( name "urg" plugin "{BUILD}/urg" provides [ {provides} ]\n'
            f'port "script:{EXAMPLE}/{script}" {more} )\n')


def serve(script, more="", provides='"ranger:0" "laser:0"'):
    return player.server(PACKAGE.troupe, configuration(script, more, provides))


def ranges(message):
    count, again = struct.unpack_from(">II", message.body)
    tap.equal(count, again)
    return struct.unpack_from(f">{count}d", message.body, 8)


def next_scan(client, interf=RANGER):
    message = client.data()
    while message.interf != interf:
        message = client.data()
    tap.equal(message.subtype, 1)
    return message


def is_the_room(values, first=44, longest=5.6):
    """4 by 3 m, with a window where nothing comes back, seen from two places."""
    ahead = values[384 - first]
    tap.equal(ahead in (2.0, 1.732), True)
    tap.equal(values[384 - 256 - first] if first <= 128 else 1.5, 1.5)  # to the right
    tap.equal(values[384 + 256 - first], 1.5)
    tap.equal(values[510 - first], longest)


def a_sensor_that_sends_by_itself_is_read():
    with serve("stream.script") as server, player.Client(server.address) as client:
        client.open(RANGER, 0)
        client.open(LASER, 0)
        seen = set()
        while seen != {1.732, 2.0}:
            values = ranges(next_scan(client))
            tap.equal(len(values), 682)
            is_the_room(values)
            seen.add(values[340])
        body = next_scan(client, LASER).body
        low, high, step, longest, count = struct.unpack_from(">ffffI", body)
        tap.equal([round(value, 4) for value in (low, high, step, longest)],
                  [round(value, 4) for value in (-340 * STEP, 341 * STEP, STEP, 5.6)])
        tap.equal(count, 682)


def questions_are_answered():
    with serve("stream.script", "pose [ 0.1 0.2 0 ]") as server, \
            player.Client(server.address) as client:
        client.open(RANGER, 0)
        client.open(LASER, 0)
        reply = client.request(RANGER, 0, CONFIG)
        values = struct.unpack(">7d", reply.body)
        tap.equal([round(value, 6) for value in values],
                  [round(value, 6) for value in (-340 * STEP, 341 * STEP, STEP, 0.02, 5.6, 0.001, 10)])
        reply = client.request(RANGER, 0, GEOM)
        tap.equal(struct.unpack_from(">2d", reply.body), (0.1, 0.2))
        tap.equal(client.request(LASER, 0, 5).body, struct.pack(">I", 1234))
        tap.equal(client.request(RANGER, 0, INTENSITIES, struct.pack(">I", 0)).type, player.ACK)
        tap.equal(client.request(RANGER, 0, INTENSITIES, struct.pack(">I", 1)).type, player.NACK)


def it_is_switched_off_and_on_again():
    with serve("stream.script") as server, player.Client(server.address) as client:
        client.open(RANGER, 0)
        next_scan(client)
        tap.equal(client.request(RANGER, 0, POWER, struct.pack(">I", 0)).type, player.ACK)
        tap.equal(client.request(RANGER, 0, CONFIG).type, player.ACK)
        tap.equal([message for message in client.passed if message.type == player.DATA], [])
        tap.equal(client.request(RANGER, 0, POWER, struct.pack(">I", 1)).type, player.ACK)
        is_the_room(ranges(next_scan(client)))


def a_sensor_that_is_asked_is_read():
    with serve("asked.script", "continuous no", '"ranger:0"') as server, \
            player.Client(server.address) as client:
        client.open(RANGER, 0)
        for _ in range(3):
            is_the_room(ranges(next_scan(client)))


def an_old_sensor_is_read():
    with serve("old.script", provides='"laser:0"') as server, player.Client(server.address) as client:
        client.open(LASER, 0)
        body = next_scan(client, LASER).body
        count = struct.unpack_from(">I", body, 16)[0]
        tap.equal(count, 682)
        values = [round(value, 3) for value in struct.unpack_from(f">{count}f", body, 24)]
        is_the_room(values, longest=4.095)
        tap.equal(client.request(LASER, 0, 5).body, struct.pack(">I", 42))


def scripts_are_what_the_tool_makes():
    for name in ("stream", "asked", "fast", "old"):
        made = PACKAGE.run([sys.executable, EXAMPLE / "scip_script.py", "room", name])
        tap.equal(made, (EXAMPLE / f"{name}.script").read_text(encoding="utf-8"))


def edited(script, *changes):
    """A script with changes, in the folder."""
    text = (EXAMPLE / script).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    pathlib.Path(FOLDER.name, "edited.script").write_text(text, encoding="utf-8")
    return f"{FOLDER.name}/edited.script"


def refusal(script, more=""):
    """Why the device cannot be opened."""
    text = (f'driver ( name "urg" plugin "{BUILD}/urg" provides [ "ranger:0" ] alwayson 1\n'
            f'port "script:{script}" {more} )\n')
    with player.server(PACKAGE.troupe, text) as server, player.Client(server.address) as client:
        tap.equal(client.access(RANGER, 0, 1)[1] == 1, False)
        return server.process.stderr.readline().strip()


def a_start_that_fails_says_why():
    script = edited("stream.script", ("< AMIN:44;7", "< AMIN:44;8"))
    tap.equal(refusal(script), 'urg0: "AMIN:44;8" has a wrong sum')
    script = edited("asked.script", ("< BM\\n\n< 00P", "< BM\\n\n< 01Q"))
    tap.equal(refusal(script, "continuous no"), "urg0: the sensor answers BM with status 01Q")
    script = edited("stream.script", ("< PP\\n", "silence"))
    tap.equal(refusal(script), f"urg0: script:{script}: no answer in time")
    tap.equal(refusal(script, "min_angle 130 max_angle 140"),
              f"urg0: script:{script}: no answer in time")
    script = edited("stream.script", ("> MD0044072501000", "> MD0044072501001"))
    assert refusal(script).startswith("urg0: script "), refusal(script)


def a_line_that_ends_is_a_failure_and_a_new_start():
    script = edited("stream.script", ("end\n> QT", "+0.1 hang-up\nend\n> QT"))
    text = (f'driver ( name "urg" plugin "{BUILD}/urg" provides [ "ranger:0" ] restart 0.01\n'
            f'port "script:{script}" )\n')
    with player.server(PACKAGE.troupe, text) as server, player.Client(server.address) as client:
        client.open(RANGER, 0)
        scans = 0
        while scans < 5:  # one session has two
            scans += client.data().subtype == 1


def wrong_settings_are_refused_with_their_place():
    for more, why in (("min_angle 10 max_angle -10", "min_angle is not below max_angle"),
                      ("cluster 0", "cluster is a number from 1 to 99"),
                      ("timeout 0.1", "timeout is a time from 0.2 s to an hour"),
                      ("baud 1", "baud is a speed from 300 to 12000000")):
        pathlib.Path(FOLDER.name, "x.cfg").write_text(configuration("stream.script", more))
        result = tap.run([PACKAGE.troupe, "check", f"{FOLDER.name}/x.cfg"])
        tap.equal((result.returncode, result.stderr),
                  (1, f"troupe check: {FOLDER.name}/x.cfg:1:1: urg0: {why}\n"))


def the_example_configuration_is_right():
    shutil.copy(EXAMPLE / "urg.cfg", FOLDER.name)
    result = tap.run([PACKAGE.troupe, "check", f"{FOLDER.name}/urg.cfg"],
                     env=dict(PACKAGE.environment, TROUPE_PLUGIN_PATH=str(BUILD)))
    tap.equal((result.returncode, result.stderr), (0, ""))


def it_is_installed_where_plugins_are_found():
    prefix = pathlib.Path(FOLDER.name, "prefix")
    PACKAGE.run(["meson", "install", "-C", BUILD, "--destdir", prefix])
    wanted = PACKAGE.run(["pkg-config", "--variable=plugindir", "troupe-driver"]).strip()
    tap.equal([str(path.relative_to(prefix)) for path in prefix.rglob("*.so")],
              [wanted.lstrip("/") + "/urg.so"])


PAGE = installed.Page(ROOT / "docs/writing-a-driver.md", EXAMPLE)


def the_page_shows_what_is_in_the_files():
    PAGE.shows_files(16, ROOT / "examples/wave.c")


def every_block_of_the_page_is_whole():
    """What is opened is closed: a block can be pasted."""
    for kind, text in PAGE.blocks:
        if kind in ("c", "cfg", "meson"):
            code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|/\*.*?\*/|#.*', "", text, flags=re.S if kind == "c" else 0)
            for opening, closing in ("()", "[]", "{}"):
                tap.equal((text[:60], code.count(opening)), (text[:60], code.count(closing)))


def the_page_defines_what_its_blocks_share():
    blocks = "".join(text for kind, text in PAGE.blocks if kind == "c")
    for name in ("now_ns", "urg_of", "urg_ops", "urg_params"):
        assert re.search(rf"^static .*\b{name}\b.*(?:\{{|=)|^static .*\b{name}\(.*\n\{{", blocks, re.M), name


def the_commands_of_the_page_print_what_it_says():
    PAGE.prints_what_it_says(PACKAGE, {"c", "h", "meson", "cfg", "sh", "text"}, saved="kmot.c")


def the_readme_has_all_parameters():
    told = PACKAGE.run([PACKAGE.troupe, "drivers", "--plugin", BUILD / "urg"]).splitlines()[1:]
    wanted = [f"  {name:<16} {unit:<8} {fallback or '(required)':<12} {doc.replace('`', '')}"
              for name, unit, fallback, doc in PAGE.readme_parameters()]
    tap.equal(told, wanted)


tap.main(a_sensor_that_sends_by_itself_is_read, questions_are_answered,
         it_is_switched_off_and_on_again, a_sensor_that_is_asked_is_read, an_old_sensor_is_read,
         scripts_are_what_the_tool_makes, a_start_that_fails_says_why,
         a_line_that_ends_is_a_failure_and_a_new_start, wrong_settings_are_refused_with_their_place,
         the_example_configuration_is_right, it_is_installed_where_plugins_are_found,
         the_page_shows_what_is_in_the_files, every_block_of_the_page_is_whole, the_page_defines_what_its_blocks_share,
         the_commands_of_the_page_print_what_it_says,
         the_readme_has_all_parameters)
