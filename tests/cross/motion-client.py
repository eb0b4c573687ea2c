#!/usr/bin/env python3
"""A motion client on an emulated big-endian processor talks to a server on this one.
argv: the troupe program, source root, the client, which MESON_EXE_WRAPPER runs."""
import os
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[2], "tests/system")))
import player  # noqa: E402
import tap  # noqa: E402

PROGRAM, ROOT, CLIENT = sys.argv[1], sys.argv[2], [*shlex.split(os.environ.get("MESON_EXE_WRAPPER", "")), sys.argv[3]]
ROBOT = f"""
front ( name "motion" )
driver ( name "fake" provides [ "position2d:0" "ptz:0" ] rate 100 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "position2d:0" "head:::ptz:0" ] urdf "{ROOT}/robots/pioneer.urdf" )
"""


def a_client_of_the_other_byte_order_reads_and_moves_a_robot():
    with player.server(PROGRAM, ROBOT) as server:
        result = tap.run([*CLIENT, str(server.fronts["motion"])])
        tap.equal((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        tap.equal(lines[0], "pioneer: 2 joints, 5 dofs")
        tap.equal(lines[4], "head:0 -1.745329 1.745329 1.400000")
        tap.equal(lines[-3:], ["SUCCESS, started", "SUCCESS", "-0.25"])


tap.main(a_client_of_the_other_byte_order_reads_and_moves_a_robot)
