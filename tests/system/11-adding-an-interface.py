#!/usr/bin/env python3
"""docs/guide/adding-an-interface.md does what it says: its files are written, its commands run, and what
they print is what it claims.  argv: source root, an installed prefix.

A block of padi or C is the file that its first line names. A block of sh runs; the block of text
behind it is what it prints. The block of console installs: its build is configured, and what the
installed prefix holds takes the place of building it again."""
import os
import pathlib
import re
import shutil
import sys
import tempfile

import tap

ROOT, PREFIX = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall((ROOT / "docs/guide/adding-an-interface.md").read_text(encoding="utf-8"))


def environment():
    """Everything is found in the prefix only."""
    folders = {"PATH": PREFIX / "bin",
               "PKG_CONFIG_PATH": next(PREFIX.glob("lib*/**/troupe-core.pc")).parent,
               "LD_LIBRARY_PATH": next(PREFIX.glob("lib*/**/libtroupe-core.so")).parent}
    inherited = dict(os.environ, LC_ALL="C")
    return inherited | {name: os.pathsep.join([str(folder), *filter(None, [inherited.get(name)])])
                        for name, folder in folders.items()}


def write(folder, text):
    name = re.match(r"(?:#|/\*) ([\w.]+) - ", text).group(1)
    pathlib.Path(folder, name).write_text(text, encoding="utf-8")


def run(folder, script):
    """What a block prints, standard error included, in order."""
    result = tap.run(["sh", "-e", "-c", f"exec 2>&1\n{script}"], cwd=folder, env=environment())
    if result.returncode != 0:
        raise AssertionError(f"{script}exit code {result.returncode}\n{result.stdout}")
    return result.stdout


def the_page_has_the_blocks_that_it_needs():
    kinds = [kind for kind, _ in BLOCKS]
    tap.equal(kinds.count("padi"), 1)
    tap.equal(kinds.count("c"), 1)
    tap.equal(kinds.count("console"), 1)
    tap.equal(kinds.count("sh"), kinds.count("text"))
    tap.equal(set(kinds), {"console", "padi", "c", "h", "sh", "text"})
    for kind, following in zip(kinds, kinds[1:]):
        tap.equal(kind == "sh", following == "text")


def the_page_tells_how_to_install():
    """Its meson options are valid, and after its exports everything is found."""
    setup, install, *exports = next(text for kind, text in BLOCKS if kind == "console").splitlines()
    tap.equal(install, "meson install -C build/mine")
    with tempfile.TemporaryDirectory() as home:
        own = dict(os.environ, HOME=home, LC_ALL="C")
        result = tap.run(["sh", "-e", "-c", setup.replace("build/mine", home + "/build")], cwd=ROOT,
                         env=own)
        tap.equal((result.returncode, result.stderr), (0, ""))
        shutil.copytree(PREFIX, home + "/troupe", symlinks=True)
        check = ["troupe --version", "pkg-config --exists troupe-core", "command -v troupe-padi"]
        result = tap.run(["sh", "-e", "-c", "\n".join(exports + check)], cwd=home, env=own)
        tap.equal((result.returncode, result.stdout, result.stderr),
                  (0, f"troupe 0.1.0\n{home}/troupe/bin/troupe-padi\n", ""))


def the_interface_has_ten_lines():
    tap.equal([text.count("\n") for kind, text in BLOCKS if kind == "padi"], [10])


def each_block_prints_what_the_page_says():
    printed = None
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in BLOCKS:
            if kind == "sh":
                printed = run(folder, text)
            elif kind == "text":
                tap.equal(printed, text)
            elif kind in ("padi", "c"):
                write(folder, text)


def the_program_is_clean_c():
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in BLOCKS:
            if kind in ("padi", "c"):
                write(folder, text)
        tap.equal(run(folder, "troupe-padi windvane.padi\n"
                              "cc -std=c11 -Wall -Wextra -Wconversion -pedantic -Werror -c wind.c "
                              "windvane_padi.c $(pkg-config --cflags troupe-core)\n"), "")


tap.main(the_page_has_the_blocks_that_it_needs, the_page_tells_how_to_install,
         the_interface_has_ten_lines, each_block_prints_what_the_page_says, the_program_is_clean_c)
