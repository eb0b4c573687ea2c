#!/usr/bin/env python3
"""The page Experiments of the dashboard: sensors that describe themselves are set up, measure, and are charted.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

SENSORS = """
driver ( name "sensor" port "sensor:nxt_light?wave=1=sine:2" provides [ "experiment:0" ] )
driver ( name "sensor" port "sensor:temperature?wave=1=sine:2" provides [ "experiment:1" ] )
driver ( name "sensor" port "sensor:simulated?wave=1=ramp:2" provides [ "experiment:2" ] )
"""

with dashboards.server(SENSORS) as url:
    failed = dashboards.pages("experiments.mjs", url)
sys.exit(failed)
