#!/usr/bin/env python3
"""A small program is built with each installed library, shared and static, and runs.
argv: source root (unused), an installed prefix."""
import pathlib
import re
import shutil
import sys
import tempfile

import installed
import tap

PACKAGE = installed.Package(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()
HERE = pathlib.Path(FOLDER.name)
LIBRARIES = ("troupe-core", "troupe-drivers", "troupe", "troupe-server")
ROBOT = 'driver ( name "fake" provides [ "laser:0" "position2d:0" ] )\n'

SERVER = """
#include <stdio.h>
#include "troupe/server.h"

int main(void)
{
    tp_server *server = NULL;
    tp_error err;
    const tp_server_options options = {.path = "x.cfg", .text = TEXT, .listen = "", .kit = KIT};

    if (tp_server_create(&server, &options, &err) != TP_OK) {
        puts(err.text);
        return 0;
    }
    tp_server_begin(server);
    tp_server_step(server, false);
    printf("%zu devices\\n", tp_server_device_count(server));
    tp_server_destroy(server);
    return 0;
}
"""
CLIENT = """
#include <stdio.h>
#include "troupe/client.h"
#include "troupe/server.h"

int main(int argc, char **argv)
{
    tp_client *client = NULL;
    tp_client_device *devices = NULL;
    size_t count = 0;
    tp_error err;
    const tp_client_options options = {.kit = KIT};

    (void)argc;
    if (tp_client_connect(&client, argv[1], &options, &err) != TP_OK ||
        tp_client_list(client, &devices, &count, &err) != TP_OK) {
        puts(err.text);
        return 0;
    }
    printf("%zu devices\\n", count);
    free(devices);
    tp_client_destroy(client);
    return 0;
}
""".replace("#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>")


def build(library, static, source, **macros):
    """The program; a static one finds only the archives."""
    (HERE / "x.c").write_text(source)
    flags = PACKAGE.run(["pkg-config", "--cflags", "--libs", *["--static"][:static], library]).split()
    if static:
        archives = HERE / "archives"
        archives.mkdir(exist_ok=True)
        shutil.copy(PACKAGE.libraries / f"lib{library}.a", archives)
        flags.insert(0, f"-L{archives}")
    program = HERE / f"{library}-{'static' if static else 'shared'}"
    PACKAGE.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *[f"-D{name}={text}" for name, text in macros.items()],
                 HERE / "x.c", "-o", program, *flags])
    return program


def needed(program):
    """The libraries of ours that a program loads."""
    return re.findall(r"\[(libtroupe\S*)\]", PACKAGE.run(["readelf", "-d", program]))


def output(program, static, *arguments):
    environment = dict(PACKAGE.environment)
    if static:
        del environment["LD_LIBRARY_PATH"]
    result = tap.run([str(program), *arguments], env=environment)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return result.stdout


def runs(library, source, expected, *arguments, **macros):
    for static in False, True:
        program = build(library, static, source, **macros)
        tap.equal((library, static, needed(program)), (library, static, [] if static else [f"lib{library}.so.0"]))
        tap.equal((library, static, output(program, static, *arguments)), (library, static, expected))


def the_core_is_a_server_without_drivers():
    runs("troupe-core", SERVER, 'x.cfg:1:10: there is no driver "fake"\n', KIT="NULL",
         TEXT='"driver ( name \\"fake\\" provides [ \\"laser:0\\" ] )"')


def the_drivers_come_without_a_network():
    runs("troupe-drivers", SERVER, "1 devices\n", KIT="&tp_local_kit",
         TEXT='"driver ( name \\"fake\\" provides [ \\"laser:0\\" ] )"')


def a_client_has_no_server_inside():
    runs("troupe", CLIENT, "connect to unix:/nowhere: no such file or directory\n", "unix:/nowhere", KIT="NULL")
    runs("troupe", CLIENT, "inproc:x.cfg: there is no server in this program: link the library troupe-server and "
         "set the option kit to &tp_full_kit\n", "inproc:x.cfg", KIT="NULL")


def a_kit_brings_the_server():
    (HERE / "robot.cfg").write_text(ROBOT)
    runs("troupe-server", CLIENT, "2 devices\n", f"inproc:{HERE}/robot.cfg", KIT="&tp_full_kit")


def a_program_links_one_of_them():
    """Each has all that it needs of the others: two together would have two copies of pools and catalogues. Not every
    pkg-config looks at conflicts, so what the files say is compared."""
    for name in LIBRARIES:
        text = next(PACKAGE.prefix.rglob(f"{name}.pc")).read_text()
        conflicts = re.search("^Conflicts: (.*)$", text, re.MULTILINE).group(1)
        tap.equal((name, set(conflicts.split())), (name, set(LIBRARIES) - {name}))
        ours = [word for word in PACKAGE.run(["pkg-config", "--libs", "--static", name]).split() if "troupe" in word]
        tap.equal((name, [word for word in ours if word.startswith("-l")]), (name, [f"-l{name}"]))


tap.main(the_core_is_a_server_without_drivers, the_drivers_come_without_a_network, a_client_has_no_server_inside,
         a_kit_brings_the_server, a_program_links_one_of_them)
