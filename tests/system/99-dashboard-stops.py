#!/usr/bin/env python3
"""STOP of the dashboard, seen in the bytes that an emulated NXT receives.
argv: the troupe program, source root, the folder of the npm packages."""
import subprocess
import sys
import threading

import dashboards
from robots import PROGRAM

ROBOT = """
driver ( name "robotfile" robot "nxt" port "{url}" provides [ "position2d:0" "aio:0" "dio:0" "power:0" ] )
"""

with subprocess.Popen([PROGRAM, "emulate", "nxt", "--listen", "tcp:127.0.0.1:0", "--trace"], stdout=subprocess.PIPE, text=True) as robot:
    robot_url = robot.stdout.readline().split()[1]
    with dashboards.server(ROBOT.replace("{url}", robot_url)) as url, dashboards.script("stops.mjs", url) as page:
        # What the robot receives goes to the script, line by line.
        def follow():
            for line in robot.stdout:
                try:
                    page.stdin.write(line)
                    page.stdin.flush()
                except BrokenPipeError:
                    return
        threading.Thread(target=follow, daemon=True).start()
        failed = page.wait()
    robot.kill()
sys.exit(failed)
