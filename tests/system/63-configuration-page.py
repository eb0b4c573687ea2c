#!/usr/bin/env python3
"""The examples of docs/reference/configuration.md are right.  argv: the troupe program, source root."""
import pathlib
import re
import sys
import tempfile

import tap

PROGRAM = sys.argv[1]
PAGE = pathlib.Path(sys.argv[2], "docs/reference/configuration.md").read_text(encoding="utf-8")
KEYS = re.search(r"^```text\n(# NAME .*?)^```", PAGE, re.M | re.S)[1]


def every_example_is_a_configuration():
    examples = re.findall(r"^```cfg\n(.*?)^```", PAGE, re.M | re.S)
    assert len(examples) > 2, examples
    for example in examples:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "example.cfg")
            path.write_text(example, encoding="utf-8")
            keys = pathlib.Path(folder, "robot.keys")
            keys.write_text(KEYS, encoding="utf-8")
            keys.chmod(0o600)
            pathlib.Path(folder, "common.inc").write_text("", encoding="utf-8")
            result = tap.run([PROGRAM, "check", path])
            tap.equal((result.returncode, result.stderr), (0, ""))


# The headings of the page, by the kind of section that the table below them is of.
TABLES = {"": "Top level", "driver": "Driver sections", "geometry": "Geometry", "writer": "Writers"}


def rows_of_the_page(heading):
    """{name: default} of the first table below a heading; sections inside of it are no fields."""
    below = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) ?\|", below, re.M)
    return {name: default.replace("`", "") for name, default in rows}


def rows_of_the_program(section):
    result = tap.run([PROGRAM, "check", "--fields", section])
    tap.equal((result.returncode, result.stderr), (0, ""))
    head, *lines = result.stdout.splitlines()
    at, end = head.index("DEFAULT"), head.index("DESCRIPTION")
    found = {line.split()[0]: line[at:end].strip() for line in lines}
    return {name: "" if default == "(required)" else default for name, default in found.items()}


def the_tables_are_those_of_the_program():
    for section, heading in TABLES.items():
        program = rows_of_the_program(section)
        assert len(program) > 4, program
        tap.equal(rows_of_the_page(heading), program)


def interface_sections_have_their_fields():
    tap.equal(list(rows_of_the_program("interface")), ["file"])
    assert "`interface ( file " in PAGE


def all_sections_are_listed_and_others_refused():
    result = tap.run([PROGRAM, "check", "--fields"])
    tap.equal(re.findall(r"^\w.*", result.stdout, re.M), ["top level", "interface", "driver", "geometry", "writer"])
    result = tap.run([PROGRAM, "check", "--fields", "drver"])
    tap.equal((result.returncode, result.stdout, result.stderr),
              (1, "", 'troupe check: there is no section "drver"\n'))


tap.main(every_example_is_a_configuration, the_tables_are_those_of_the_program, interface_sections_have_their_fields,
         all_sections_are_listed_and_others_refused)
