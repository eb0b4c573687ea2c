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
    "src/client": BUS | {"client"},
    # Client and server write the same bytes; that header knows no engine.
    "src/client/motion": BUS | {"client", "motion/package.h"},
    # The table of universal commands, and mailboxes.
    "src/client/universal": BUS | {"client", "universal/dictionary.h", "universal/channels.h"},
    "src/kinematics": BASE | {"kinematics", "troupe"},
    "src/convert": BASE | {"convert", "troupe"},
    # A world with threads and plug-ins of the process.
    "src/sim/host": ENGINE | {"sim", "platform", "troupe"},
    # Lines to emulated robots, as ports open them.
    "src/emulate/host": ENGINE | {"sim", "emulate", "platform", "troupe"},
    # A motion robot with Troupe's folders.
    "src/motion/host": ENGINE | {"motion", "platform", "troupe"},
    # Finding the files of the dashboard.
    "src/web/host": ENGINE | {"web", "platform", "troupe"},
    # Finding the files of robots, and the manifests that they name.
    "src/universal/host": ENGINE | {"universal", "platform", "sensors", "troupe"},
    # Finding the manifests of sensors.
    "src/sensors/host": ENGINE | {"sensors", "platform", "troupe"},
    # The recordings of a folder.
    "src/log/host": ENGINE | {"log", "platform", "troupe"},
    # Programs in folders, and proofs of transfers.
    "src/play/host": ENGINE | {"play", "platform", "troupe"},
    # The binding of the engine "play" to devices.
    "drivers/program": BASE | {"play", "universal", "troupe"},
    # The binding of the engine "universal" to devices.
    "drivers/robotfile": BASE | {"universal", "troupe"},
    # The binding of the engine "sensors" to devices.
    "drivers/sensor": BASE | {"sensors", "troupe"},
    "drivers": {"troupe"},
    "fronts": {"troupe"},
    "apps": BASE | {"platform", "loop", "padi", "client", "server", "kinematics", "troupe"},
}
# An engine X is src/X, and what binds it to devices, a protocol and commands sees it: drivers/X, fronts/X and apps.
# Of other engines it sees only those of BESIDES.
BESIDES = {"play": {"universal"}, "emulate": {"sim"}, "navigation": {"sim"}, "sensors": {"log"}}
for name in ("motion", "universal", "play", "sensors", "log", "sim", "emulate", "navigation", "web"):
    ALLOWED[f"src/{name}"] = ENGINE | {name, "troupe"} | BESIDES.get(name, set())
    ALLOWED[f"drivers/{name}"] = ALLOWED[f"fronts/{name}"] = BASE | {name, "troupe"}
    ALLOWED["apps"] |= {name}
# Folders that may include everything below them, named so that a new folder has to choose.
FREE = ("src/server", "src/core", "tests", "bench")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
OS_HEADERS = re.compile(r"^\s*#\s*include\s+<(unistd|sys/|pthread|fcntl|netinet|arpa|poll|signal|termios|dlfcn|uv)", re.M)


def folder_of(path):
    relative = path.relative_to(ROOT).as_posix()
    parts = relative.split("/")
    for count in (3, 2):
        if "/".join(parts[:count]) in ALLOWED:
            return "/".join(parts[:count])
    return parts[0] if parts[0] in ("drivers", "fronts", "apps", "tests", "bench") else "/".join(parts[:2])


def sources():
    for pattern in ("include/**/*.h", "src/**/*.[ch]", "drivers/**/*.[ch]", "fronts/**/*.[ch]",
                    "apps/**/*.[ch]"):
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
        own = folder.split("/")[0] in ("drivers", "fronts", "apps") and "/" not in name
        if not own and layer not in ALLOWED[folder] and name not in ALLOWED[folder]:
            found.append(f"{path}: {folder} must not include {name}")
    return found


def includes_point_one_way():
    wrong = []
    for path in sources():
        wrong += wrong_includes(path, path.read_text())
    tap.equal(wrong, [])


# Parts of the simulator's engine: each includes those before it. What lies in src/sim itself puts them together;
# its headers are common to all and include none of them.
SIM_PARTS = ("world", "ray", "move", "sense", "draw", "host")


def wrong_parts(path, text):
    part = path.relative_to(ROOT / "src/sim").parts[0]
    if part in SIM_PARTS:
        allowed = SIM_PARTS[:SIM_PARTS.index(part) + 1]
    elif part == path.name:
        allowed = () if path.suffix == ".h" else SIM_PARTS
    else:
        return [f"{path}: the folder {part} has no place among the parts of the simulator"]
    names = [name for name in INCLUDE.findall(text) if name.startswith("sim/") and name.count("/") > 1]
    return [f"{path}: {part} must not include {name}" for name in names if name.split("/")[1] not in allowed]


def parts_of_the_simulator_include_one_way():
    wrong = []
    for path in sources():
        if path.is_relative_to(ROOT / "src/sim"):
            wrong += wrong_parts(path, path.read_text())
    tap.equal(wrong, [])
    path = ROOT / "src/sim/ray/x.c"
    tap.equal(wrong_parts(path, '#include "sim/sim.h"\n#include "sim/world/shape.h"\n'), [])
    tap.equal(wrong_parts(path, '#include "sim/sense/sense.h"\n'), [f"{path}: ray must not include sim/sense/sense.h"])
    tap.equal(len(wrong_parts(ROOT / "src/sim/x.h", '#include "sim/world/shape.h"\n')), 1)
    tap.equal(wrong_parts(ROOT / "src/sim/x.c", '#include "sim/draw/draw.h"\n'), [])
    tap.equal(len(wrong_parts(ROOT / "src/sim/odd/x.c", "")), 1)


def only_the_platform_sees_the_operating_system():
    allowed = ("src/platform", "src/loop", "apps")
    files = (ROOT / "src/base/file.c",)  # opens files without waiting
    wrong = [str(path) for path in sources()
             if path not in files and folder_of(path) not in allowed and folder_of(path) not in FREE
             and OS_HEADERS.search(path.read_text())]
    tap.equal(wrong, [])


def the_check_itself_finds_a_wrong_include():
    path = ROOT / "src/base/x.c"
    tap.equal(wrong_includes(path, '#include "padi/plan.h"\n'), [f"{path}: src/base must not include padi/plan.h"])
    path = ROOT / "src/client/motion/x.c"
    tap.equal(wrong_includes(path, '#include "motion/package.h"\n#include "client/key.h"\n'), [])
    tap.equal(len(wrong_includes(path, '#include "motion/engine.h"\n')), 1)
    path = ROOT / "drivers/x/x.c"
    tap.equal(wrong_includes(path, '#include "x.h"\n#include "troupe/status.h"\n'), [])
    tap.equal(len(wrong_includes(path, '#include "bus/queue.h"\n')), 1)
    tap.equal(len(wrong_includes(path, '#include "sim/sim.h"\n')), 1)
    path = ROOT / "drivers/sim/x.c"
    tap.equal(wrong_includes(path, '#include "x.h"\n#include "sim/sim.h"\n'), [])
    tap.equal(len(wrong_includes(path, '#include "device/hub.h"\n')), 1)
    path = ROOT / "apps/x.c"
    tap.equal(wrong_includes(path, '#include "x.h"\n#include "sim/host/host.h"\n#include "troupe/server.h"\n'), [])
    tap.equal(len(wrong_includes(path, '#include "drivers/sim/simulator.h"\n#include "device/hub.h"\n')), 2)
    tap.equal(wrong_includes(ROOT / "src/sim/host/x.c", '#include "platform/crew.h"\n'), [])
    tap.equal(len(wrong_includes(ROOT / "src/sim/ray/x.c", '#include "platform/crew.h"\n')), 1)


tap.main(includes_point_one_way, parts_of_the_simulator_include_one_way, only_the_platform_sees_the_operating_system,
         the_check_itself_finds_a_wrong_include)
