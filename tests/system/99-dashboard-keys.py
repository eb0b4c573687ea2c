#!/usr/bin/env python3
"""The dashboard of a server with keys.
argv: the troupe program, source root, the folder of the npm packages."""
import sys

import dashboards

KEYS = 'keys [ "teacher operate the-key-of-the-teacher" "pupil move the-key-of-the-pupil" ]\n'

with dashboards.server(KEYS + dashboards.PIONEER) as url:
    failed = dashboards.pages("keys.mjs", url)
sys.exit(failed)
