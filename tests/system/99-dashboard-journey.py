#!/usr/bin/env python3
"""Goals on the page World of the dashboard, for a robot with a planner.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

NAVIGATION = """
driver ( name "sim" worldfile "{root}/configs/navigation.world" provides [ "simulation:0" "world:0" "scene:0" "map:0" "world:::graphics2d:0" ] )
driver ( name "sim" model "ada" provides [ "position2d:0" "laser:0" ] )
driver ( name "vfh" requires [ "position2d:0" "laser:0" ] provides [ "position2d:1" "planner:0" ]
  max_speed 0.4 max_acceleration 0.4 distance_epsilon 0.3 angle_epsilon 180 )
driver ( name "amcl" requires [ "odometry:::position2d:0" "laser:0" "laser:::map:0" "graphics2d:0" ] provides [ "localize:0" "position2d:2" ]
  init_pose [-6.8 2.4 -60] init_pose_var [0.3 0.3 10] )
"""

with dashboards.server(NAVIGATION) as url:
    sys.exit(dashboards.pages("journey.mjs", url))
