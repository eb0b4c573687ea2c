"""Servers with a dashboard, and tests of its pages in Chromium. argv: the troupe program, source root, the folder of the npm packages."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[2])
PACKAGES = sys.argv[3]


def pages(script, *arguments):
    """Run a script of tests/web. It reports its results as TAP itself."""
    environment = {**os.environ, "NODE_PACKAGES": PACKAGES}
    return subprocess.run(["node", str(ROOT / "tests/web" / script), *arguments], env=environment, check=False).returncode


def configuration(text):
    """A file beside the shipped configurations, since they name worlds from there."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as file:
        file.write(text)
    return file.name
