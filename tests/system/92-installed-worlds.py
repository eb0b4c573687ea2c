#!/usr/bin/env python3
"""Worlds are installed with the program, which finds them by name.  argv: source root, where Troupe is installed."""
import pathlib
import sys
import tempfile

import tap

ROOT, PREFIX = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def all_worlds_are_there_with_what_they_need():
    def files(folder):
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                      if path.suffix in (".world", ".inc", ".png"))
    tap.equal(files(PREFIX / "share/troupe/worlds"), files(ROOT / "worlds"))


def they_are_found_by_name_from_anywhere():
    with tempfile.TemporaryDirectory() as folder:
        for world in (ROOT / "worlds").glob("*.world"):
            result = tap.run([PREFIX / "bin/troupe", "sim", world.stem, "--steps", "2"], cwd=folder)
            tap.equal((result.returncode, result.stderr), (0, ""))
            assert result.stdout.startswith(f"{world.stem}: 2 steps, "), result.stdout


tap.main(all_worlds_are_there_with_what_they_need, they_are_found_by_name_from_anywhere)
