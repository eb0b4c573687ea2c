#!/usr/bin/env python3
"""The built dashboard: the same bytes from the same sources and packages, small, and without other hosts.
argv: source root, the folder of the npm packages."""
import gzip
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

import tap

WEB = pathlib.Path(sys.argv[1]) / "web"
PACKAGES = pathlib.Path(sys.argv[2])
FIRST_LOAD = 60_000   # bytes, compressed
BLOCK_EDITOR = 230_000


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def the_committed_page_is_what_the_sources_give():
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "web"
        shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules", "dist", "test"))
        os.symlink(PACKAGES / "node_modules", copy / "node_modules")
        types = tap.run(["node", "node_modules/typescript/bin/tsc", "--noEmit"], cwd=copy)
        tap.equal((types.returncode, types.stdout), (0, ""))
        built = tap.run(["node", "node_modules/vite/bin/vite.js", "build"], cwd=copy)
        tap.equal(built.returncode, 0)
        ours, theirs = files(WEB / "dist"), files(copy / "dist")
        tap.equal(sorted(ours), sorted(theirs))
        tap.equal([name for name in ours if ours[name] != theirs[name]], [])


def what_needs_no_page_is_right():
    with tempfile.TemporaryDirectory() as folder:
        bundle = pathlib.Path(folder) / "unit.mjs"
        made = tap.run(["node", str(PACKAGES / "node_modules/rolldown/bin/cli.mjs"), str(WEB / "test/unit.ts"), "-o", str(bundle),
                        "--platform", "node"])
        tap.equal((made.returncode, made.stderr), (0, ""))
        result = tap.run(["node", str(bundle)])
        tap.equal((result.returncode, result.stdout), (0, "14 of 14\n"))


def packed(names):
    return sum(len(gzip.compress((WEB / "dist" / name).read_bytes(), 9)) for name in names)


def imported(name, seen):
    """A file and what it imports at once."""
    if name not in seen:
        seen.add(name)
        if name.endswith(".js"):
            text = (WEB / "dist" / name).read_text()
            for other in re.findall(r'(?:^|[;}\n])(?:import|export)[^;"\'`()]*?["\'`]\./([\w.-]+)["\'`]', text):
                imported(other, seen)
    return seen


def the_first_load_and_the_block_editor_are_small():
    page = (WEB / "dist/index.html").read_text()
    first = {"index.html"}
    for name in re.findall(r'(?:src|href)="\./([^"]+)"', page):
        imported(name, first)
    assert packed(first) <= FIRST_LOAD, f"the first load is {packed(first)} bytes: {sorted(first)}"
    assert not any(name.startswith(("editor", "charts")) for name in first), sorted(first)
    more = imported("editor.js", set()) | imported("programs.js", set()) | {"programs.css"}
    assert packed(more - first) <= BLOCK_EDITOR, f"the block editor is {packed(more - first)} bytes"
    print(f"# first load {packed(first)} bytes, block editor {packed(more - first)} bytes more, compressed")


def page_and_styles_name_no_other_host():
    """Programs may name one in a sentence; what they ask is seen in the browser (99-dashboard.py)."""
    for name, data in files(WEB / "dist").items():
        if name.endswith((".css", ".html")):
            tap.equal((name, re.findall(r"(?:https?:)?//[\w.-]+\.\w+", data.decode())), (name, []))


def the_lock_names_no_host_to_download_from():
    lock = json.loads((WEB / "package-lock.json").read_text())
    tap.equal([name for name, one in lock["packages"].items() if "resolved" in one], [])
    tap.equal([name for name, one in lock["packages"].items() if name and "integrity" not in one], [])


tap.main(the_committed_page_is_what_the_sources_give, what_needs_no_page_is_right, the_first_load_and_the_block_editor_are_small,
         page_and_styles_name_no_other_host, the_lock_names_no_host_to_download_from)
