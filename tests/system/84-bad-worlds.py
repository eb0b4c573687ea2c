#!/usr/bin/env python3
"""Bad worlds on the command line: one clear line with file, line and column, and never a crash.
argv: the troupe program."""
import os
import pathlib
import re
import struct
import tempfile
import zlib

import tap
from cli import PROGRAM, troupe

MODELS = ("models are model, position, ranger, fiducial, blobfinder, bumper, gripper, actuator, camera, "
          "blinkenlight, lightindicator, light, lightsensor, floor, floorsensor, sound, microphone, button, wifi, "
          "gps, imu, compass, aircraft, effector, rfidtag, rfidreader, mote, basestation and stereocamera")
OWN = os.path.realpath(pathlib.Path(PROGRAM).parent / "../../../worlds")  # where it looks, too


def run(text, **files):
    """What the program says about a world; FOLDER stands for where it is."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (pathlib.Path(folder) / name.replace("_", ".")).write_bytes(content)
        world = pathlib.Path(folder) / "x.world"
        world.write_text(text)
        result = troupe("sim", str(world), "--steps", "3", "--quiet")
        return result.returncode, result.stderr.replace(folder, "FOLDER")


def refused(text, error, **files):
    tap.equal(run(text, **files), (1, f"troupe sim: FOLDER/{error}\n"))


def a_missing_include_is_named():
    refused('\ninclude "gone.inc"\n', f"x.world:2:1: cannot include FOLDER/gone.inc: No such file or directory; nor is it in FOLDER/.., FOLDER/../.. or {OWN}")


def a_missing_picture_is_named():
    refused('model ( bitmap "gone.png" )', f"x.world:1:9: FOLDER/gone.png: No such file or directory; nor is it in FOLDER/.., FOLDER/../.. or {OWN}")
    refused('model ( bitmap "/gone.png" )', "x.world:1:9: /gone.png: No such file or directory")


def an_unknown_model_is_named_with_the_nearest():
    tap.equal(run("model ( )\nrangr ( )\n"),
              (1, 'troupe sim: FOLDER/x.world:2:1: there is no model "rangr"; did you mean "ranger"?\n'))
    tap.equal(run("model ( )\nxyzzy ( )\n"),
              (1, f'FOLDER/x.world:2:1: {MODELS}\ntroupe sim: FOLDER/x.world:2:1: there is no model "xyzzy"\n'))


def a_short_tuple_is_named():
    refused("model ( size [1] )", 'x.world:1:9: "size" needs 3 values, not 1')


def a_macro_that_uses_itself_is_refused():
    tap.equal(run("define position position ( )\nposition ( )"),
              (1, 'FOLDER/x.world:1:8: "position" is built in; from here on it is this macro\n'
               'troupe sim: FOLDER/x.world:1:17: the macro "position" uses itself\n'))


def a_pose_that_is_no_number_is_refused():
    refused("model (\n  pose [0 0 0 nan] )",
            'x.world:2:15: expected a value or "]" for "pose", found the word nan; that is no number')


def a_place_in_an_included_file_is_told():
    refused('include "x.inc"\nbot ( )', 'x.inc:1:23: "size" needs 3 values, not 1',
            x_inc=b"define bot position ( size [1] )")
    tap.equal(check('include "x.inc"\nbot ( )', x_inc="define bot position ( size [1] )"),
              (1, "", 'troupe check: FOLDER/x.inc:1:23: "size" needs 3 values, not 1\n'))


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def a_huge_picture_is_refused():
    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0)
    picture = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    refused('model ( bitmap "x.png" )', "x.world:1:9: FOLDER/x.png: the picture has more than 134217728 pixels",
            x_png=picture)


def a_comment_of_ten_megabytes_is_no_trouble():
    tap.equal(run("# " + "x" * (10 << 20) + "\nmodel ( )\n"), (0, ""))


def robots_that_overlap_are_told():
    tap.equal(run('position ( name "a" )\nposition ( name "b" pose [0.1 0 0 0] )\n'),
              (0, 'FOLDER/x.world:1:1: "a" overlaps "b"; it can only drive out of it\n'))


def overlaps_are_told_in_the_order_of_the_file():
    places = [(i * 37 % 50, i * 53 % 40) for i in range(15)]
    text = "".join(f'position ( name "a{i}" pose [{x} {y} 0 0] )\nposition ( name "b{i}" pose [{x}.1 {y} 0 0] )\n'
                   for i, (x, y) in enumerate(places))
    code, said = run(text)
    tap.equal((code, [line.split('"')[1] for line in said.splitlines()[:10]]), (0, [f"a{i}" for i in range(10)]))


def a_world_that_is_not_there_is_refused():
    result = troupe("sim", "/no/such.world", "--steps", "1")
    tap.equal((result.returncode, result.stderr), (1, 'troupe sim: there is no world "/no/such.world"\n'))


OURS = "ours are cave, classroom, demo, light, office, swarm, track and warehouse"


def the_nearest_name_and_all_of_ours_are_told():
    for word, hint in (("ofice", '; did you mean "office"? O' + OURS[1:]), ("trak.world", '; did you mean "track"? O' + OURS[1:]),
                       ("xyzzy", "; " + OURS)):
        result = troupe("sim", word, "--steps", "1")
        tap.equal((result.returncode, result.stderr), (1, f'troupe sim: there is no world "{word}"{hint}\n'))


def the_name_of_one_of_ours_may_be_that_of_its_file():
    result = troupe("sim", "cave.world", "--steps", "1", "--quiet")
    tap.equal((result.returncode, result.stdout, result.stderr), (0, "", ""))


def what_is_no_world_is_sent_where_it_belongs():
    result = troupe("sim", "x.cfg")
    tap.equal((result.returncode, result.stderr), (1, "troupe sim: x.cfg: No such file or directory\n"))
    result = troupe("run", "office")
    tap.equal((result.returncode, result.stderr), (1, "troupe run: office is a world, no configuration: troupe sim office\n"))
    result = troupe("run", "offices")
    tap.equal((result.returncode, result.stderr), (1, "troupe run: offices: No such file or directory\n"))
    result = troupe("run", "x.world")
    tap.equal((result.returncode, result.stderr), (1, "troupe run: x.world is a world, no configuration: troupe sim x.world\n"))


def check(text, name="x.world", **files):
    """What `troupe check` says: the exit code, the last line, the messages."""
    with tempfile.TemporaryDirectory() as folder:
        for other, content in files.items():
            (pathlib.Path(folder) / other.replace("_", ".")).write_text(content)
        file = pathlib.Path(folder) / name
        file.write_text(text)
        result = troupe("check", str(file))
        return result.returncode, result.stdout[result.stdout.rfind("\n", 0, -1) + 1:], \
            result.stderr.replace(folder, "FOLDER")


def a_world_is_checked():
    tap.equal(check('model ( size [3 3 1] boundary 1 )\nposition ( name "a" )\n'), (0, "no mistakes found\n", ""))
    tap.equal(check('position ( name "a" ctrl "wander" )\n'),
              (0, "no mistakes found, 1 note\n",
               'FOLDER/x.world:1:26: "wander" needs a "ranger" on the robot; without one it stands still\n'))
    tap.equal(check("model ( size 3 )\n"),
              (1, "", 'troupe check: FOLDER/x.world:1:9: "size" needs 3 values, not 1\n'))
    tap.equal(check("model ( size 3 )\n", 'a "b": sim0: c.world'),
              (1, "", 'troupe check: FOLDER/a "b": sim0: c.world:1:9: "size" needs 3 values, not 1\n'))
    tap.equal(check("model ( )\n", 'a "b".world'), (0, "no mistakes found\n", ""))


def a_world_of_ours_is_checked_by_its_name():
    for name in "office", "office.world":
        result = troupe("check", name)
        tap.equal((result.returncode, result.stdout[-18:], result.stderr), (0, "no mistakes found\n", ""))
        assert "ada.ranger:0" in result.stdout, result.stdout
    for name, hint in ("ofice", '; did you mean "office"? O' + OURS[1:]), ("gone.world", "; " + OURS):
        result = troupe("check", name)
        tap.equal((result.returncode, result.stdout, result.stderr), (1, "", f'troupe check: there is no world "{name}"{hint}\n'))
    tap.equal(check("model ( ) foo 1", "office.world"),
              (0, "no mistakes found, 1 note\n", 'FOLDER/office.world:1:11: "foo" is not used\n'))
    result = troupe("check", "gone/office")
    tap.equal((result.returncode, result.stderr), (1, "troupe check: gone/office: No such file or directory\n"))


def a_world_that_a_configuration_names_is_told_where_it_does():
    text = 'driver\n(\n  name "sim"\n  worldfile "y.world"\n)\n'
    tap.equal(check(text, "x.cfg"), (1, "", "troupe check: FOLDER/x.cfg:4:3: sim0: FOLDER/y.world: No such file or directory\n"))
    tap.equal(check(text, "x.cfg", y_world="modle ( )"),
              (1, "", 'troupe check: FOLDER/x.cfg:4:3: sim0: FOLDER/y.world:1:1: there is no model "modle"; '
               'did you mean "model"?\n'))
    text = 'driver\n(\n  name "sim"\n  worldfile "y.world"\n  speed -1\n)\n'
    tap.equal(check(text, "x.cfg", y_world=""), (1, "", 'troupe check: FOLDER/x.cfg:5:3: sim0: speed "-1" is not from 0 to 1000000\n'))


def what_stands_for_the_file_of_a_world_is_told():
    for word in "world", "World", "world_file", "Worldfile", "wordlfile":
        tap.equal(check(f'driver ( name "stage" {word} "y.world" )', "x.cfg", y_world=""),
                  (1, "", f'troupe check: FOLDER/x.cfg:1:23: there is no "{word}"; did you mean "worldfile"?\n'))
    tap.equal(check('driver ( name "sim" map "y.world" )', "x.cfg"),
              (1, "", 'FOLDER/x.cfg:1:21: "map" is not used\n'
               'troupe check: FOLDER/x.cfg:1:1: sim0: the first section of a world names its file with "worldfile"\n'))


def a_thousand_sections_do_not_make_a_thousand_notes():
    text = 'driver ( name "stage" plugin "stageplugin" worldfile "y.world" provides "simulation:0" )\n' + "".join(
        f'driver ( name "stage" plugin "stageplugin" model "r{i}" provides "position2d:{i}" modle "x" )\n' for i in range(300))
    world = "".join(f'position ( name "r{i}" pose [{i} 0 0 0] )\n' for i in range(300))
    code, _, told = check(text, "x.cfg", y_world=world)
    note = 'plugin "stageplugin" is not needed: stage is built in'
    slip = '"modle" is not used; did you mean "model"?'
    tap.equal((code, told.splitlines()),
              (0, [f"FOLDER/x.cfg:1:30: {note}", f"FOLDER/x.cfg:2:30: {note}",
                   f"FOLDER/x.cfg:2:79: {slip}", f"FOLDER/x.cfg:3:30: {note} (and 298 more like it)",
                   f"FOLDER/x.cfg:3:79: {slip}", f"FOLDER/x.cfg:4:79: {slip} (and 297 more like it)"]))


def what_stands_for_it_in_a_later_section_is_a_note():
    text = ('driver ( name "sim" worldfile "y.world" provides "simulation:0" )\n'
            'driver ( name "sim" world "z.world" provides "position2d:0" )\n')
    code, _, told = check(text, "x.cfg", y_world="position ( )")
    tap.equal((code, told), (0, 'FOLDER/x.cfg:2:21: "world" is not used; did you mean "worldfile"?\n'))


def what_a_section_says_in_vain_is_told():
    world = 'position ( name "r0" )'
    for text, told in (('driver ( name "sim" worldfile ["y.world" "z"] )', 'sim0: "worldfile" takes 1 value, not 2; the rest is ignored'),
                       ('driver ( name "sim" worldfile "y.world" model "r0" )',
                        'sim0: "model" has no effect where everything is provided'),
                       ('driver ( name "sim" worldfile "y.world" provides "all" )\n'
                        'driver ( name "sim" model "r0" provides "position2d:3" )',
                        'FOLDER/x.cfg:1:41: "all" has no effect: the section of line 2 lists what is provided')):
        tap.equal(check(text, "x.cfg", y_world=world), (0, "no mistakes found, 1 note\n", told + "\n"))
    tap.equal(check('driver ( name "sim" worldfile "y.world"\n threads 99 )', "x.cfg", y_world=world),
              (1, "", 'troupe check: FOLDER/x.cfg:2:2: sim0: threads "99" is not from 1 to 64\n'))


def check_tells_the_mistakes_of_all_models():
    text = """position ( name "a" drive "sideways" )
model ( name "b" )
position ( name "c" drive "up" model ( pose "x" ) )
nothing ( name "d" )
"""
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder) / "x.world"
        world.write_text(text)
        result = troupe("check", str(world))
        tap.equal((result.returncode, result.stdout), (1, ""))
        places = re.findall(r"/x\.world:(\d+):\d+: ", result.stderr)
        tap.equal(sorted({int(line) for line in places}), [1, 3, 4])
        # The first one is what it fails for, as before.
        assert re.search(r"^troupe check: .*/x\.world:1:", result.stderr, re.M), result.stderr
        world.write_text("".join(f'nothing ( name "{i}" )\n' for i in range(100)))
        assert troupe("check", str(world)).stderr.count("x.world:") <= 42


def a_robot_of_ours_without_its_include_is_hinted_at():
    """All of them: the list in the program is that of worlds/robots."""
    for path in sorted(pathlib.Path(OWN, "robots").glob("*.inc")):
        text = path.read_text(encoding="utf-8")
        robots = set(re.findall(r"^define (\w+) (?:position|finch|aircraft)\b", text, re.M))
        if path.name == "lasers.inc":
            robots = set(re.findall(r"^define (\w+) ranger", text, re.M))
        assert robots, path
        for robot in robots:
            refused(f'{robot} ( name "a" )\n',
                    f'x.world:1:1: there is no model "{robot}"; include "robots/{path.name}" defines it')
            tap.equal(run(f'include "robots/{path.name}"\n{robot} ( name "a" )\n'), (0, ""))
    refused('pionier ( name "a" )\n',
            'x.world:1:1: there is no model "pionier"; did you mean "pioneer"? include "robots/pioneer.inc" defines it')


def a_macro_of_stage_without_its_include_is_hinted_at():
    for macro, file in (("pioneer2dx", "pioneer"), ("fancypioneer2dx", "pioneer"), ("roomba", "irobot"), ("sicklaser", "sick"),
                        ("hokuyolaser", "hokuyo"), ("floorplan", "map"), ("person", "people"), ("wall", "things")):
        refused(f'{macro} ( name "a" )\n', f'x.world:1:1: there is no model "{macro}"; include "{file}.inc" defines it')
        tap.equal(run(f'include "{file}.inc"\n{macro} ( name "a" )\n')[0], 0)


tap.main(check_tells_the_mistakes_of_all_models, a_robot_of_ours_without_its_include_is_hinted_at,
         a_macro_of_stage_without_its_include_is_hinted_at, a_missing_include_is_named, what_a_section_says_in_vain_is_told, a_missing_picture_is_named, what_stands_for_the_file_of_a_world_is_told,
         what_stands_for_it_in_a_later_section_is_a_note, a_thousand_sections_do_not_make_a_thousand_notes,
         an_unknown_model_is_named_with_the_nearest, a_short_tuple_is_named,
         a_macro_that_uses_itself_is_refused, a_pose_that_is_no_number_is_refused,
         a_place_in_an_included_file_is_told, a_huge_picture_is_refused, a_comment_of_ten_megabytes_is_no_trouble,
         robots_that_overlap_are_told, overlaps_are_told_in_the_order_of_the_file,
         a_world_that_is_not_there_is_refused, the_nearest_name_and_all_of_ours_are_told,
         the_name_of_one_of_ours_may_be_that_of_its_file, what_is_no_world_is_sent_where_it_belongs,
         a_world_is_checked, a_world_of_ours_is_checked_by_its_name, a_world_that_a_configuration_names_is_told_where_it_does)
