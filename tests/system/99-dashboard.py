#!/usr/bin/env python3
"""The dashboard in Chromium, with a simulated robot: pages, driving, programs, charts, the stop.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

with dashboards.server() as url:
    failed = dashboards.pages("dashboard.mjs", url)
sys.exit(failed)
