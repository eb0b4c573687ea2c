#!/usr/bin/env python3
"""The scripts in docs/reference/scripts.md are scripts: a driver that opens them gets as far as its first question.
argv: the troupe program, the source root, the build folder's include folder."""
import os
import pathlib
import re
import sys
import tempfile

import player
import tap

TROUPE, ROOT, INCLUDE = (os.path.abspath(argument) for argument in sys.argv[1:4])
OPAQUE = 51
SOURCE = """
#include "troupe/driver/opaque.h"
#include "troupe/port.h"

static const tp_param params[] = {{"port", NULL, NULL, "the line"}, {NULL, NULL, NULL, NULL}};
static const tp_opaque_ops none = {0};

static tp_status opener_init(tp_instance *self, tp_error *err)
{
    return tp_offer_opaque(self, NULL, &none, tp_instance_state(self), err);
}

static tp_status opener_start(tp_instance *self, tp_error *err)
{
    tp_port *port = NULL;
    return tp_port_open(&port, self, tp_param_string(self, "port"), NULL, 0, err);
}

static const tp_driver_ops ops = {.init = opener_init, .start = opener_start};
extern const tp_driver tp_driver_opener;
TP_API const tp_driver tp_driver_opener = {TP_DRIVER_ABI, "opener", "opens", sizeof(tp_device *),
                                           params, &ops, 0};
"""


def opens(folder, script):
    """Whether the script can be opened; why not."""
    pathlib.Path(folder, "x.script").write_text(script, encoding="utf-8")
    text = (f'driver ( name "opener" plugin "{folder}/opener" provides [ "opaque:0" ]\n'
            f'port "script:{folder}/x.script" )')
    with player.server(TROUPE, text) as server, player.Client(server.address) as client:
        return client.access(OPAQUE, 0, 1)[1] == 1


def every_script_of_the_page_can_be_opened():
    page = pathlib.Path(ROOT, "docs/reference/scripts.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```script\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    tap.equal(len(blocks), 2)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "opener.c").write_text(SOURCE, encoding="utf-8")
        result = tap.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                          f"-I{ROOT}/include", f"-I{INCLUDE}", "opener.c", "-o", "opener.so"], cwd=folder)
        tap.equal((result.returncode, result.stderr), (0, ""))
        for block in blocks:
            tap.equal(opens(folder, block), True)
        tap.equal(opens(folder, "repeat\n"), False)


tap.main(every_script_of_the_page_can_be_opened)
