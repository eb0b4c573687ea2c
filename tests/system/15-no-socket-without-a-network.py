#!/usr/bin/env python3
"""A program that links the core and loads one plug-in contains no socket; neither do the drivers. The client's library
contains no server.
argv: source root, an installed prefix."""
import pathlib
import re
import sys
import tempfile

import installed
import tap

ROOT = pathlib.Path(sys.argv[1]).resolve()
PACKAGE = installed.Package(sys.argv[2])
EXAMPLE = ROOT / "examples/driver-out-of-tree"
FOLDER = tempfile.TemporaryDirectory()
HERE = pathlib.Path(FOLDER.name)
PLUGIN = PACKAGE.build_example(EXAMPLE, HERE / "build") / "urg.so"
SOCKETS = re.compile(r"^(socket|socketpair|connect|bind|listen|accept4?|shutdown|getaddrinfo|gethostby\w+"
                     r"|getsockname|getpeername|[gs]etsockopt|send|sendto|sendmsg|recv|recvfrom|recvmsg"
                     r"|uv_(tcp|udp|pipe|getaddrinfo|getnameinfo|listen|accept)\w*)(@.*)?$")
SERVER = re.compile(r"^tpi?_(hub|server|cfg|session|instance|publish|full_kit|local_kit|inproc)(_|$)")


def symbols(path, *options):
    """Of a program or a shared library what is exported, of an archive all that other objects see."""
    dynamic = [] if path.suffix == ".a" else ["-D"]
    listing = tap.run(["nm", *dynamic, "--extern-only", *options, str(path)])
    tap.equal(listing.returncode, 0)
    return [line.split()[-1] for line in listing.stdout.splitlines() if line and not line.endswith(":")]


def sockets_of(path):
    return [name for name in symbols(path, "--undefined-only") if SOCKETS.match(name)]


def build():
    flags = PACKAGE.run(["pkg-config", "--cflags", "--libs", "troupe-core"]).split()
    PACKAGE.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", ROOT / "tests/programs/no_network.c",
                 "-o", HERE / "no_network", *flags])
    return HERE / "no_network"


def a_program_reads_a_device_without_a_network():
    (HERE / "x.cfg").write_text(f'driver ( name "urg" plugin "build/urg" provides [ "ranger:0" ]\n'
                                f'port "script:{EXAMPLE}/stream.script" )\n')
    tap.equal(PACKAGE.run([build(), HERE / "x.cfg"]) in ("682 ranges, 2.000 m ahead\n",
                                                         "682 ranges, 1.732 m ahead\n"), True)


def other_lines_are_refused_there():
    (HERE / "x.cfg").write_text('driver ( name "urg" plugin "build/urg" provides [ "ranger:0" ]\n'
                                'alwayson 1 port "tcp:localhost:10940" )\n')
    result = tap.run([str(build()), str(HERE / "x.cfg")], env=PACKAGE.environment, input="")
    tap.equal((result.returncode, result.stderr.splitlines()[0]),
              (1, "urg0: open tcp:localhost:10940: a line here is a path, serial:, script:"))


def neither_program_nor_core_nor_drivers_nor_plugin_have_a_socket():
    libraries = [PACKAGE.libraries / f"libtroupe-{name}.{kind}" for name in ("core", "drivers") for kind in ("so", "a")]
    for path in (build(), *libraries, PLUGIN):
        tap.equal((path.name, sockets_of(path)), (path.name, []))


def the_client_has_no_server():
    for kind in "so", "a":
        path = PACKAGE.libraries / f"libtroupe.{kind}"
        found = symbols(path, "--defined-only")
        tap.equal((kind, "tp_client_connect" in found), (kind, True))
        tap.equal((kind, [name for name in found if SERVER.match(name)]), (kind, []))


def the_check_itself_finds_sockets_and_servers():
    for kind in "so", "a":
        path = PACKAGE.libraries / f"libtroupe-server.{kind}"
        tap.equal((kind, "connect" in [name.split("@")[0] for name in sockets_of(path)]), (kind, True))
        tap.equal((kind, any(SERVER.match(name) for name in symbols(path, "--defined-only"))), (kind, True))


def the_program_exports_what_plugins_may_call():
    """All of the core, also what the program itself does not call."""
    core = set(symbols(PACKAGE.libraries / "libtroupe-core.so", "--defined-only"))
    program = set(symbols(PACKAGE.troupe, "--defined-only"))
    tap.equal("tp_port_read_all" in core, True)
    tap.equal(sorted(core - program), [])
    for library in ("libtroupe-drivers.so", "libtroupe-server.so"):
        tap.equal(sorted(core - set(symbols(PACKAGE.libraries / library, "--defined-only"))), [])


tap.main(a_program_reads_a_device_without_a_network, other_lines_are_refused_there,
         neither_program_nor_core_nor_drivers_nor_plugin_have_a_socket, the_client_has_no_server,
         the_check_itself_finds_sockets_and_servers, the_program_exports_what_plugins_may_call)
