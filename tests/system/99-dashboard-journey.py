#!/usr/bin/env python3
"""Goals on the page World of the dashboard, for a robot with a planner.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

NAVIGATION = """
driver ( name "sim" worldfile "{root}/configs/navigation.world" provides [ "simulation:0" "world:0" "scene:0" "map:0" ] )
driver ( name "sim" model "ada" provides [ "position2d:0" "laser:0" ] )
driver ( name "vfh" requires [ "position2d:0" "laser:0" ] provides [ "position2d:1" "planner:0" ]
  max_speed 0.4 max_acceleration 0.4 distance_epsilon 0.3 angle_epsilon 180 )
"""

with dashboards.server(NAVIGATION) as url:
    sys.exit(dashboards.pages("journey.mjs", url))
