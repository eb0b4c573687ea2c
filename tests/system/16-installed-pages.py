#!/usr/bin/env python3
"""The pages that messages, headers and other pages point at are installed.  argv: source root, an installed prefix."""
import pathlib
import re
import sys

import tap

ROOT, PREFIX = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PAGES = PREFIX / "share/doc/troupe"
GENERATED = {"NAME.md"}  # what the generator of documentation would write


def are_there(where, names):
    tap.equal((where, sorted(name for name in names - GENERATED if not (PAGES / name).is_file())), (where, []))


def every_page_that_a_page_points_at_is_there():
    pages = sorted(PAGES.glob("*.md"))
    assert len(pages) > 12, pages
    for page in pages:
        are_there(page.name, set(re.findall(r"\]\(([\w-]+\.md)", page.read_text(encoding="utf-8"))))


def every_page_that_the_readme_points_at_is_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\]\(docs/([\w-]+\.md)", text)) - {"seeds.md"}  # of use in the sources alone
    assert "worlds.md" in names, names
    are_there("README.md", names)


def every_page_that_a_message_points_at_is_there():
    found = set()
    for folder in ("apps", "src", "drivers", "fronts"):
        for path in sorted((ROOT / folder).rglob("*.c")):
            if not path.name.endswith("_test.c"):
                code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
                found |= set(re.findall(r"([\w-]+\.md)\b", code))
    assert "configuration.md" in found, found
    are_there("messages", found)


def every_page_that_a_header_points_at_is_there():
    found = set()
    for header in sorted((PREFIX / "include/troupe").rglob("*.h")):
        pages = set(re.findall(r"docs/([\w-]+\.md)", header.read_text(encoding="utf-8")))
        are_there(header.name, pages)
        found |= pages
    assert "padi.md" in found, found


def the_licence_comes_along():
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    tap.equal((PAGES / "LICENSE").read_text(encoding="utf-8"), licence)
    assert licence.split("\n")[1].strip() == "Apache License", licence[:100]
    assert "license: 'Apache-2.0'" in (ROOT / "meson.build").read_text(encoding="utf-8")


tap.main(every_page_that_a_page_points_at_is_there, every_page_that_the_readme_points_at_is_there,
         every_page_that_a_message_points_at_is_there, every_page_that_a_header_points_at_is_there,
         the_licence_comes_along)
