#!/usr/bin/env python3
"""The page Recordings of the dashboard: record, list, download and play.
argv: the troupe program, source root, the folder of the npm packages."""
import sys
import tempfile

import dashboards

LOGS = """
driver ( name "sensor" port "sensor:temperature?wave=1=sine:2" provides [ "aio:0" ] )
driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 20 )
driver ( name "log" requires [ "position2d:0" "laser:0" ] provides [ "recordings:0" ] filename "FOLDER/run.mcap" autorecord no )
driver ( name "log" provides [ "position2d:10" "laser:10" "recordings:1" ] filename "FOLDER/run.mcap" )
"""

with tempfile.TemporaryDirectory() as folder, dashboards.server(LOGS.replace("FOLDER", folder)) as url:
    failed = dashboards.pages("recordings.mjs", url)
sys.exit(failed)
