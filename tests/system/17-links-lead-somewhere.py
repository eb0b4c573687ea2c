#!/usr/bin/env python3
"""Every relative link in a Markdown file names a file that exists and, if it has one, an anchor of that file. The index
lists every page, and the tables of files beside the code list the files of their folders.
argv: source root."""
import os
import pathlib
import re
import sys
import tempfile

import tap

ROOT = pathlib.Path(sys.argv[1]).resolve()
SKIPPED = {".git", "build", "golden", "node_modules"}  # golden: output of the generator, whose links are of its own


def pages(root):
    """All Markdown files below a folder, without build folders."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in SKIPPED)
        yield from (pathlib.Path(folder, name) for name in sorted(files) if name.endswith(".md"))


def prose(page):
    """A page without its blocks and pieces of code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


def broken(root):
    """The links below a folder that lead nowhere: page, link, what is missing."""
    problems = []
    for page in pages(root):
        for link in re.findall(r"!?\[[^]]*\]\(([^)\s]+)\)", prose(page)):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                problems.append((str(page.relative_to(root)), link, "file"))
            elif anchor and anchor not in anchors(target):
                problems.append((str(page.relative_to(root)), link, "anchor"))
    return problems


def every_link_leads_somewhere():
    tap.equal(broken(ROOT), [])


def there_are_pages_with_links():
    assert sum(len(re.findall(r"\]\(", prose(page))) for page in pages(ROOT / "docs")) > 50


def every_page_of_the_index_is_listed():
    """docs/README.md links to every page below docs, apart from the decisions, which have an index of their own."""
    for index in (ROOT / "docs/README.md", ROOT / "docs/decisions/README.md"):
        text = index.read_text(encoding="utf-8")
        below = [page for page in pages(index.parent) if page != index and
                 (index.parent.name == "decisions" or "decisions" not in page.parts)]
        names = [str(page.relative_to(index.parent)) for page in below]
        tap.equal([name for name in names if name not in text], [])


def the_tables_beside_the_code_list_its_files():
    """A README with a table of files names every source of its folder, by name or pattern, and no other."""
    seen = 0
    for page in pages(ROOT):
        table = re.search(r"^\| file \| contents \|\n\|---\|---\|\n((?:\|.*\n)+)", page.read_text(encoding="utf-8"), re.M)
        if table is None or page.parent.parts[len(ROOT.parts)] not in ("src", "fronts", "apps"):
            continue
        seen += 1
        named = [name for row in table.group(1).splitlines() for name in re.findall(r"`([\w*]+\.c)`", row.split("|")[1])]
        there = {path.name for path in page.parent.glob("*.c") if not path.name.endswith("_test.c")}
        listed = {path.name for name in named for path in page.parent.glob(name)}
        tap.equal((str(page.relative_to(ROOT)), [name for name in named if not list(page.parent.glob(name))],
                   sorted(there - listed)), (str(page.relative_to(ROOT)), [], []))
    assert seen > 8, seen


def a_link_that_leads_nowhere_is_found():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "a.md").write_text("# A heading: `x`, and more\n[1](b.md) [2](#a-heading-x-and-more) [3](#none) [4](https://a.b/c)\n"
                                   "`[5](none.md)` [6](c.md#here) [7](c.md#there)\n```\n[8](none.md)\n```\n")
        (root / "c.md").write_text("## Here\n")
        tap.equal(broken(root), [("a.md", "b.md", "file"), ("a.md", "#none", "anchor"), ("a.md", "c.md#there", "anchor")])


tap.main(every_link_leads_somewhere, there_are_pages_with_links, every_page_of_the_index_is_listed,
         the_tables_beside_the_code_list_its_files, a_link_that_leads_nowhere_is_found)
