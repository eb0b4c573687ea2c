#!/usr/bin/env python3
"""The client of Foxglove's protocol from npm against a simulated world.  argv: the troupe program, source root, the folder
of the npm packages."""
import pathlib
import subprocess
import sys
import tempfile

import web

ROOT = pathlib.Path(sys.argv[2])
WORLD = """include "robots/pioneer.inc"
model ( name "room" size [8 5 1] boundary 1 )
pioneer ( name "anna" pose [-2 0 0 0] lms ( ) )
pioneer ( name "ben" pose [2 0 0 180] lms ( ) )
"""

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "test.world"
    path.write_text(WORLD.replace("robots/", f"{ROOT}/worlds/robots/"))
    with web.Server(f'driver ( name "sim" worldfile "{path}" )\n') as server:
        sys.exit(subprocess.run(["node", str(ROOT / "tests/web/foxglove.cjs"), sys.argv[3], str(server.port)], check=False,
                                timeout=300).returncode)
