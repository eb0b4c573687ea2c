#!/usr/bin/env python3
"""Includes point one way, as drawn in docs/ARCHITECTURE.md.  argv: source root."""
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1])

# What each folder may include of the others; "troupe" stands for the public headers.
BASE = {"base"}
ENGINE = BASE | {"kinematics", "convert", "padi"}
BUS = BASE | {"platform", "loop", "padi", "bus", "troupe"}
ALLOWED = {
    "include/troupe": {"troupe"},
    "src/base": BASE | {"troupe"},
    "src/platform": BASE | {"platform", "troupe"},
    "src/loop": BASE | {"platform", "loop", "troupe"},
    "src/padi": BASE | {"platform", "loop", "padi", "troupe"},
    "src/bus": BUS,
    "src/port": BUS | {"port"},
    "src/safety": BUS | {"port", "safety"},
    "src/device": BUS | {"port", "safety", "device"},
    "src/session": BUS | {"port", "safety", "device", "session"},
    "src/kinematics": BASE | {"kinematics", "troupe"},
    "src/convert": BASE | {"convert", "troupe"},
    "src/motion": ENGINE | {"motion", "troupe"},
    "src/universal": ENGINE | {"universal", "troupe"},
    "src/sensors": ENGINE | {"sensors", "troupe"},
    "src/sim": ENGINE | {"sim", "troupe"},
    "drivers": {"troupe"},
    # The simulator is an engine with a driver around it: it offers models, and gives them threads.
    "drivers/sim": {"troupe", "sim", "base", "platform"},
    "fronts": {"troupe"},
}
# Folders that may include everything below them, named so that a new folder has to choose.
FREE = ("src/server", "src/emulate", "src/client", "src/core", "apps", "tests", "bench")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
OS_HEADERS = re.compile(r"^\s*#\s*include\s+<(unistd|sys/|pthread|fcntl|netinet|arpa|poll|signal|termios|dlfcn|uv)", re.M)


def folder_of(path):
    relative = path.relative_to(ROOT).as_posix()
    parts = relative.split("/")
    if "/".join(parts[:2]) in ALLOWED:
        return "/".join(parts[:2])
    return parts[0] if parts[0] in ("drivers", "fronts", "apps", "tests", "bench") else "/".join(parts[:2])


def sources():
    for pattern in ("include/**/*.h", "src/**/*.[ch]", "drivers/**/*.[ch]", "fronts/**/*.[ch]"):
        for path in sorted(ROOT.glob(pattern)):
            if not path.name.endswith(("_test.c", "_test.h")):
                yield path


def wrong_includes(path, text):
    folder = folder_of(path)
    if folder in FREE:
        return []
    if folder not in ALLOWED:
        return [f"{path}: the folder {folder} has no place in the layers"]
    found = []
    for name in INCLUDE.findall(text):
        layer = name.split("/")[0] if "/" in name else folder.split("/")[-1]
        own = folder.split("/")[0] in ("drivers", "fronts") and "/" not in name
        if not own and layer not in ALLOWED[folder]:
            found.append(f"{path}: {folder} must not include {name}")
    return found


def includes_point_one_way():
    wrong = []
    for path in sources():
        wrong += wrong_includes(path, path.read_text())
    tap.equal(wrong, [])


def only_the_platform_sees_the_operating_system():
    allowed = ("src/platform", "src/loop")
    wrong = [str(path) for path in sources()
             if folder_of(path) not in allowed and folder_of(path) not in FREE
             and OS_HEADERS.search(path.read_text())]
    tap.equal(wrong, [])


def the_check_itself_finds_a_wrong_include():
    path = ROOT / "src/base/x.c"
    tap.equal(wrong_includes(path, '#include "padi/plan.h"\n'), [f"{path}: src/base must not include padi/plan.h"])
    path = ROOT / "drivers/x/x.c"
    tap.equal(wrong_includes(path, '#include "x.h"\n#include "troupe/status.h"\n'), [])
    tap.equal(len(wrong_includes(path, '#include "bus/queue.h"\n')), 1)
    tap.equal(len(wrong_includes(path, '#include "sim/sim.h"\n')), 1)
    path = ROOT / "drivers/sim/x.c"
    tap.equal(wrong_includes(path, '#include "x.h"\n#include "sim/sim.h"\n'), [])
    tap.equal(len(wrong_includes(path, '#include "device/hub.h"\n')), 1)


tap.main(includes_point_one_way, only_the_platform_sees_the_operating_system,
         the_check_itself_finds_a_wrong_include)
