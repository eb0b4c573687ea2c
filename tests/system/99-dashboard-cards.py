#!/usr/bin/env python3
"""The dashboard with a world and devices that the demo has not: a cave from a picture, joints, a gripper, a robot that is away.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

CAVE = """
driver ( name "sim" worldfile "{root}/worlds/cave.world" provides [ "simulation:0" "world:0" "scene:0" ] )
driver ( name "fake" provides [ "actarray:0" "gripper:0" "localize:0" ] rate 20 )
driver ( name "robotfile" robot "nxt" port "emulate:nobody" provides [ "universal:0" ] )
driver ( name "program" requires [ "universal:0" ] provides [ "program:0" ] )
"""

with dashboards.server(CAVE) as url:
    failed = dashboards.pages("cards.mjs", url)
sys.exit(failed)
