#!/usr/bin/env python3
"""Every installed header compiles by itself, as C11 and as C++, and the package is complete.
argv: source root (unused), an installed prefix."""
import os
import pathlib
import sys
import tempfile

import tap

PREFIX = pathlib.Path(sys.argv[2])
HEADERS = sorted((PREFIX / "include/troupe").rglob("*.h"))


def compiles(compiler, header):
    name = header.relative_to(PREFIX / "include").as_posix()
    result = tap.run([*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                      f"-I{PREFIX / 'include'}", "-"], input=f'#include "{name}"\n#include "{name}"\n')
    tap.equal((name, result.returncode, result.stderr), (name, 0, ""))


def each_header_compiles_as_c():
    tap.equal(len(HEADERS) > 45, True)
    for header in HEADERS:
        compiles(["cc", "-std=c11", "-x", "c"], header)


def each_header_compiles_as_cpp():
    for header in HEADERS:
        compiles(["c++", "-std=c++11", "-x", "c++"], header)


def the_package_is_complete():
    for name in ("bin/troupe", "bin/troupe-padi", "share/troupe/interfaces/ranger.padi",
                 "share/doc/troupe/interfaces/ranger.md", "share/man/man1/troupe.1",
                 "share/bash-completion/completions/troupe", "include/troupe/driver/ranger.h",
                 "share/doc/troupe/writing-a-driver.md", "share/doc/troupe/scripts.md"):
        if not (PREFIX / name).exists():
            raise AssertionError(f"{name} is missing")


def a_program_links_with_pkg_config():
    folders = os.pathsep.join(str(path.parent) for path in PREFIX.rglob("troupe-core.pc"))
    environment = dict(os.environ, PKG_CONFIG_PATH=folders)
    flags = tap.run(["pkg-config", "--cflags", "--libs", "troupe-core"], env=environment).stdout.split()
    library = str(next(PREFIX.rglob("libtroupe-core.so")).parent)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "x.cpp")
        source.write_text('#include <cstdio>\n#include "troupe/interfaces/laser.h"\n'
                          "int main() { std::puts(tp_interface_laser.name); return tp_desc_laser_data.variable ? 0 : 1; }\n")
        built = tap.run(["c++", str(source), "-o", folder + "/x", *flags], env=environment)
        tap.equal((built.returncode, built.stderr), (0, ""))
        tap.equal(tap.run([folder + "/x"], env=dict(environment, LD_LIBRARY_PATH=library)).stdout, "laser\n")


def the_library_exports_only_its_api():
    library = next(PREFIX.rglob("libtroupe-core.so"))
    symbols = [line.split()[-1] for line in
               tap.run(["nm", "-D", "--defined-only", str(library)]).stdout.splitlines()]
    tap.equal([name for name in symbols if not name.startswith("tp_")], [])
    tap.equal("tp_xdr_encode" in symbols, True)


tap.main(each_header_compiles_as_c, each_header_compiles_as_cpp, the_package_is_complete,
         a_program_links_with_pkg_config, the_library_exports_only_its_api)
