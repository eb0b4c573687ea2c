#!/usr/bin/env python3
"""The page Motion of the dashboard, with a simulated arm.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

ARM = """
driver ( name "sim" worldfile "{root}/configs/motion-puma.world" provides [ "simulation:0" "world:0" ] panic "hold" )
driver ( name "sim" model "puma" provides [ "actarray:0" ] )
driver ( name "sim" model "grip" provides [ "position1d:0" ] )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "waist:::actarray:0" "grip:::position1d:0" ] urdf "puma560.urdf" )
"""

with dashboards.server(ARM) as url:
    sys.exit(dashboards.pages("motion.mjs", url))
