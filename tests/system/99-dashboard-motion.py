#!/usr/bin/env python3
"""The page Motion of the dashboard, with a simulated arm; goals on the page World, for a robot with a planner.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

ARM = """
driver ( name "sim" worldfile "{root}/configs/motion-puma.world" provides [ "simulation:0" "world:0" ] panic "hold" )
driver ( name "sim" model "puma" provides [ "actarray:0" ] )
driver ( name "sim" model "grip" provides [ "position1d:0" ] )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "waist:::actarray:0" "grip:::position1d:0" ] urdf "puma560.urdf" )
"""
NAVIGATION = """
driver ( name "sim" worldfile "{root}/configs/navigation.world" provides [ "simulation:0" "world:0" "scene:0" "map:0" ] )
driver ( name "sim" model "ada" provides [ "position2d:0" "laser:0" ] )
driver ( name "vfh" requires [ "position2d:0" "laser:0" ] provides [ "position2d:1" "planner:0" ]
  max_speed 0.4 max_acceleration 0.4 distance_epsilon 0.3 angle_epsilon 180 )
"""

failed = 0
for name, text in (("motion.mjs", ARM), ("journey.mjs", NAVIGATION)):
    with dashboards.server(text) as url:
        failed |= dashboards.pages(name, url)
sys.exit(failed)
