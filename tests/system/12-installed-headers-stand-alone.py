#!/usr/bin/env python3
"""Every installed header compiles by itself, as C11 and as C++, and the package is complete.
argv: source root (unused), an installed prefix."""
import os
import pathlib
import sys
import tempfile

import tap

PREFIX = pathlib.Path(sys.argv[2])
LIBRARIES = ("troupe-core", "troupe-drivers", "troupe", "troupe-server")
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


def all_calls_compile_together():
    for compiler in (["cc", "-std=c11", "-x", "c"], ["c++", "-std=c++11", "-x", "c++"]):
        result = tap.run([*compiler, "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-fsyntax-only",
                          f"-I{PREFIX / 'include'}", "-"],
                         input='#include "troupe/client/all.h"\n#include "troupe/interfaces/all.h"\n'
                               '#include "troupe/server.h"\n#include "troupe/port.h"\n')
        tap.equal((result.returncode, result.stderr), (0, ""))


def the_package_is_complete():
    libraries = next(PREFIX.rglob("libtroupe-core.so")).parent.relative_to(PREFIX)
    for name in ("bin/troupe", "bin/troupe-guard", "bin/troupe-padi", "share/troupe/interfaces/ranger.padi",
                 "share/doc/troupe/interfaces/ranger.md", "share/man/man1/troupe.1",
                 *[f"{libraries}/lib{name}.{kind}" for kind in ("a", "so") for name in LIBRARIES],
                 *[f"{libraries}/pkgconfig/{name}.pc" for name in LIBRARIES],
                 "share/bash-completion/completions/troupe", "include/troupe/driver/ranger.h",
                 "share/doc/troupe/writing-a-driver.md", "share/doc/troupe/writing-a-front.md",
                 "share/doc/troupe/reference/scripts.md",
                 "share/doc/troupe/guide/safety.md"):
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


def symbols_of(name):
    library = next(PREFIX.rglob(name))
    return [line.split()[-1] for line in tap.run(["nm", "-D", "--defined-only", str(library)]).stdout.splitlines()]


def the_libraries_export_only_their_api():
    for name, has, lacks in (("libtroupe-core.so", "tp_xdr_encode", "tp_stream_connect"),
                             ("libtroupe-drivers.so", "tp_local_kit", "tp_stream_connect"),
                             ("libtroupe.so", "tp_client_connect", "tp_server_create"),
                             ("libtroupe-server.so", "tp_full_kit", "")):
        symbols = symbols_of(name)
        tap.equal([symbol for symbol in symbols if not symbol.startswith("tp_")], [])
        tap.equal((name, has in symbols, lacks in symbols), (name, True, False))


tap.main(each_header_compiles_as_c, each_header_compiles_as_cpp, all_calls_compile_together, the_package_is_complete,
         a_program_links_with_pkg_config, the_libraries_export_only_their_api)
