#!/usr/bin/env python3
"""docs/reference/worlds.md is right: examples are whole worlds, and all is told.  argv: the probe, source root, the troupe
program."""
import pathlib
import re
import sys
import tempfile

import tap

PROBE = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
PAGE = (ROOT / "docs/reference/worlds.md").read_text(encoding="utf-8")
PROGRAM = pathlib.Path(sys.argv[3]).resolve()


def examples(page):
    return re.findall(r"^```world\n(.*?)^```", page, re.M | re.S)


EXAMPLES = examples(PAGE)


def probe(text, steps=20):
    """Load a world; what the probe says."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.world")
        path.write_text(text, encoding="utf-8")
        result = tap.run([PROBE, path, str(steps)])
        return result.returncode, result.stdout.replace(folder + "/", ""), result.stderr.replace(folder + "/", "")


def sections():
    """What the page says of each model: headings may name several."""
    found = {}
    for heading, text in re.findall(r"^### (`.*?)\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S):
        for name in re.findall(r"`(\w+)`", heading):
            found[name] = text
    return found


def kinds():
    """The kinds in the sources: their words in world files and their properties."""
    found = {}
    for path in sorted((ROOT / "src/sim").rglob("*.c")):
        source = path.read_text(encoding="utf-8")
        for table in re.findall(r"^(?:static )?const tpi_sim_type \w+ = \{(.*?)\};", source, re.M | re.S):
            name = re.search(r'\.name = "(\w+)"', table).group(1)
            array = re.search(r"\.properties = (\w+)", table)
            words = [] if array is None else re.search(
                r"\*const " + array.group(1) + r"\[\] = \{(.*?)\};", source, re.S).group(1)
            found[name] = re.findall(r'"(\w+)"', words) if words else []
    return found


def listed(text):
    """The properties in the first columns of tables."""
    cells = re.findall(r"^\| (`.*?) \|", text, re.M)
    return {name for cell in cells for name in re.findall(r"`(\w+)", cell)}


def every_example_is_a_whole_world_and_not_odd():
    more = examples((ROOT / "docs/guide/simulator.md").read_text(encoding="utf-8"))
    assert len(EXAMPLES) > 12 and len(more) == 1, (len(EXAMPLES), len(more))
    for example in EXAMPLES + more:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "x.world").write_text(example, encoding="utf-8")
            result = tap.run([PROGRAM, "check", "x.world"], cwd=folder)
            tap.equal((example, result.returncode, result.stderr), (example, 0, ""))
            assert result.stdout.endswith("\nno mistakes found\n"), result.stdout
            result = tap.run([PROGRAM, "sim", "x.world", "--steps", "20", "--quiet"], cwd=folder)
            tap.equal((example, result.returncode, result.stdout, result.stderr), (example, 0, "", ""))


def the_room_has_five_lines():
    text = PAGE[PAGE.index("A room in five lines"):]
    tap.equal(examples(text)[0].count("\n"), 5)


def every_model_is_used_in_an_example():
    names = set(kinds()) - {"battery", "blinkenlight", "lightindicator"}
    tap.equal(sorted(name for name in names
                     if not any(re.search(rf"\b{name}\b[^\n]*\n?\(|\b{name} \(", e) for e in EXAMPLES)), [])


def every_model_and_property_is_told():
    told = sections()
    for name, properties in kinds().items():
        if name in ("model", "battery"):
            continue
        assert name in told, f"there is nothing about {name}"
        tap.equal((name, [p for p in properties if p not in listed(told[name])]), (name, []))


def every_property_of_all_models_and_of_the_world_is_told():
    traits = (ROOT / "src/sim/world/traits.c").read_text(encoding="utf-8")
    words = re.search(r"tpi_sim_model_properties\[\] = \{(.*?)\};", traits, re.S).group(1)
    common = PAGE[PAGE.index("## Models"):PAGE.index("### `position`")]
    tap.equal([w for w in re.findall(r'"(\w+)"', words) if w not in listed(common)], [])
    scene = (ROOT / "src/sim/world/scene.c").read_text(encoding="utf-8")
    words = re.search(r"tpi_sim_scene_properties\[\] = \{(.*?)\};", scene, re.S).group(1)
    top = PAGE[PAGE.index("## Top level"):PAGE.index("## Names")]
    tap.equal([w for w in re.findall(r'"(\w+)"', words) if w not in listed(top)], [])


def every_controller_is_told():
    source = (ROOT / "src/sim/control.c").read_text(encoding="utf-8")
    names = re.findall(r'\{"(\w+)", [A-Z]+\}', source)
    assert "wander" in names, names
    tap.equal([n for n in names if "_" not in n and f'`"{n}"`' not in PAGE], [])  # others are second names


def what_is_told_exists():
    known = kinds()
    for name, text in sections().items():
        tap.equal((name, name in known), (name, True))
        own = set(known[name]) | {"pose", "size", "range", "fov", "samples", "noise", "color", "color_rgba", "sensor"}
        tap.equal((name, sorted(listed(text) - own)), (name, []))


def names_are_those_of_the_page():
    status, out, err = probe(EXAMPLES[0])
    tap.equal((status, err), (0, ""))
    tap.equal(sorted(out.splitlines()), ["crate model", "r0 position", "r0.ranger:0 ranger", "room model"])


def an_unknown_property_of_a_sensor_is_named_with_the_nearest():
    status, out, err = probe("lightsensor ( saturatoin 3 )\nbutton ( rech 1 )\nwifi ( esid \"x\" )\nnort 3\n")
    tap.equal((status, err), (0, ""))
    notes = [line.split(": ", 2)[2] for line in out.splitlines() if line.startswith("note:")]
    tap.equal(sorted(notes), ['"esid" is not used; did you mean "essid"?',
                              '"nort" is not used; did you mean "north"?',
                              '"rech" is not used; did you mean "reach"?',
                              '"saturatoin" is not used; did you mean "saturation"?'])


def an_unknown_model_is_named_with_the_nearest():
    status, out, err = probe("position ( lightsenser ( ) )")
    tap.equal((status, out, err),
              (1, "", 'x.world:1:12: there is no model "lightsenser"; did you mean "lightsensor"?\n'))


tap.main(every_example_is_a_whole_world_and_not_odd, the_room_has_five_lines, every_model_is_used_in_an_example,
         every_model_and_property_is_told, every_property_of_all_models_and_of_the_world_is_told,
         every_controller_is_told, what_is_told_exists, names_are_those_of_the_page,
         an_unknown_property_of_a_sensor_is_named_with_the_nearest, an_unknown_model_is_named_with_the_nearest)
