#!/usr/bin/env python3
"""The pages of the dashboard for everybody: axe-core, light and dark, narrow and wide; tasks by keyboard alone.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

with dashboards.server() as url:
    failed = dashboards.pages("pages.mjs", url)
sys.exit(failed)
