#!/usr/bin/env python3
"""Prints what ninja has to build for the tests of one suite, so that a build folder that runs few tests builds little.

usage: suite-targets.py FOLDER SUITE
"""
import json
import os
import subprocess
import sys


def introspect(folder, what):
    return json.loads(subprocess.check_output(["meson", "introspect", what, folder]))


def main():
    folder, suite = os.path.realpath(sys.argv[1]), sys.argv[2]
    files = {target["id"]: target["filename"] for target in introspect(folder, "--targets")}
    needed = set()
    for test in introspect(folder, "--tests"):
        if any(name.split(":")[-1] == suite for name in test["suite"]):
            needed.update(test["depends"])
    if not needed:
        sys.exit(f"suite-targets: no test of {folder} is of the suite {suite}")
    for name in sorted(needed):
        for path in files[name]:
            print(os.path.relpath(path, folder))


main()
