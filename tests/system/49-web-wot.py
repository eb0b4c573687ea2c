#!/usr/bin/env python3
"""Thing Descriptions as node-wot reads them: valid, forms that work, keys where they are needed.
argv: the troupe program, source root, the folder of the npm packages of tests/web/npm."""
import json
import os
import pathlib
import subprocess
import sys

import tap
import web

ROOT, PACKAGES = pathlib.Path(sys.argv[2]), sys.argv[3]
SENSOR = 'driver ( name "sensor" port "sensor:simulated?wave=1=550" provides [ "aio:0" "dio:0" "experiment:0" ] )\n'
KEYS = 'keys [ "anna move drive on and on and on" ]\n'


def wot(server, *key):
    done = subprocess.run(["node", str(ROOT / "tests/web/things.cjs"), f"http://localhost:{server.port}", *key], capture_output=True,
                          text=True, timeout=120, check=False, env={**os.environ, "NODE_PACKAGES": PACKAGES})
    return done.returncode, done.stdout.split("\n")[:-1], done.stderr


def things_are_read_asked_and_used():
    with web.Server(SENSOR) as server:
        code, said, errors = wot(server)
        tap.equal((code, said, errors if code else ""), (0, ["read", "asked", "measured"], ""))


def a_key_is_used_where_the_description_says_so():
    with web.Server(SENSOR + KEYS) as server:
        things = json.loads(web.ask(server, "GET", "/.well-known/wot").body)
        experiment = next(thing for thing in things if ":experiment:" in thing["title"])
        tap.equal((experiment["securityDefinitions"]["bearer"]["scheme"], experiment["security"]), ("bearer", ["bearer"]))
        tap.equal([experiment["actions"][name]["forms"][0].get("security") for name in ("GET_STATE", "SETUP", "LAUNCH")],
                  [["nosec"], None, None])
        code, said, _ = wot(server)
        tap.equal((code, said), (1, ["read", "asked"]))
        code, said, errors = wot(server, "drive on and on and on")
        tap.equal((code, said, errors if code else ""), (0, ["read", "asked", "measured"], ""))


tap.main(things_are_read_asked_and_used, a_key_is_used_where_the_description_says_so)
