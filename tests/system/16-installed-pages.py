#!/usr/bin/env python3
"""The pages that messages, headers and other pages point at are installed.  argv: source root, an installed prefix."""
import pathlib
import re
import sys

import tap

ROOT, PREFIX = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PAGES = PREFIX / "share/doc/troupe"
GENERATED = {"NAME.md"}  # what the generator of documentation would write


def are_there(where, paths):
    tap.equal((where, sorted(path for path in paths - GENERATED if not (PAGES / path).is_file())), (where, []))


def every_page_that_a_page_points_at_is_there():
    pages = [page for page in sorted(PAGES.rglob("*.md")) if page.parent.name != "interfaces"]
    assert len(pages) > 15, pages
    for page in pages:
        links = set(re.findall(r"\]\(([\w./-]+)", page.read_text(encoding="utf-8")))
        missing = sorted(link for link in links if not (page.parent / link).is_file())
        tap.equal((page.name, missing), (page.name, []))


def every_page_that_the_readme_points_at_is_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"\]\(docs/([\w/-]+\.md)", text)) - {"seeds.md"}  # of use in the sources alone
    assert "reference/worlds.md" in paths, paths
    are_there("README.md", paths)


def every_page_that_a_message_points_at_is_there():
    """Messages name pages without their folders."""
    installed = {page.name for page in PAGES.rglob("*.md")}
    found = set()
    for folder in ("apps", "src", "drivers", "fronts"):
        for path in sorted((ROOT / folder).rglob("*.c")):
            if not path.name.endswith("_test.c"):
                code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
                found |= set(re.findall(r"([\w-]+\.md)\b", code))
    assert "configuration.md" in found, found
    tap.equal(sorted(found - GENERATED - installed), [])


def every_page_that_a_header_points_at_is_there():
    found = set()
    for header in sorted((PREFIX / "include/troupe").rglob("*.h")):
        pages = set(re.findall(r"docs/([\w/-]+\.md)", header.read_text(encoding="utf-8")))
        are_there(header.name, pages)
        found |= pages
    assert "reference/padi.md" in found, found


def the_licence_comes_along():
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    tap.equal((PAGES / "LICENSE").read_text(encoding="utf-8"), licence)
    assert licence.split("\n")[1].strip() == "Apache License", licence[:100]
    assert "license: 'Apache-2.0'" in (ROOT / "meson.build").read_text(encoding="utf-8")


tap.main(every_page_that_a_page_points_at_is_there, every_page_that_the_readme_points_at_is_there,
         every_page_that_a_message_points_at_is_there, every_page_that_a_header_points_at_is_there,
         the_licence_comes_along)
