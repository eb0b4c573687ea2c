#!/usr/bin/env python3
"""The examples of docs/configuration.md are right.  argv: the troupe program, source root."""
import pathlib
import re
import sys
import tempfile

import tap

PROGRAM = sys.argv[1]
PAGE = pathlib.Path(sys.argv[2], "docs/configuration.md").read_text(encoding="utf-8")
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


def every_field_of_a_driver_section_is_told():
    source = pathlib.Path(sys.argv[2], "src/server/setting.c").read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', re.search(r"own_fields\[\] = \{(.*?)\}", source, re.S).group(1))
    assert "provides" in names, names
    tap.equal([name for name in names if f"| `{name}` |" not in PAGE], [])


def every_field_of_a_front_section_is_told():
    source = pathlib.Path(sys.argv[2], "src/server/front_plan.c").read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', re.search(r"own_fields\[\] = \{(.*?)\}", source, re.S).group(1))
    section = PAGE[PAGE.index("## Front sections"):PAGE.index("## Guards")]
    assert "listen" in names, names
    tap.equal([name for name in names if f"| `{name}` |" not in section], [])


tap.main(every_example_is_a_configuration, every_field_of_a_driver_section_is_told,
         every_field_of_a_front_section_is_told)
