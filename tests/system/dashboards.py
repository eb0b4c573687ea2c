"""Servers with a dashboard, and tests of its pages in Chromium. argv: the troupe program, source root, the folder of the npm packages."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

from robots import Program

ROOT = pathlib.Path(sys.argv[2])
PACKAGES = os.path.relpath(sys.argv[3])  # as the commands of web/README.md have it
FRONT = 'front ( name "web" files "{files}" )\n'
PIONEER = """
driver ( name "sim" worldfile "{root}/configs/universal-pioneer.world" provides [ "simulation:0" "world:0" "scene:0" ] )
driver ( name "sim" model "ada" provides [ "position2d:0" "ranger:0" "aio:0" "aio:1" "bumper:0" "dio:0" "power:0" ] )
driver ( name "robotfile" robot_name "ada" robot "troupe" port "devices" provides [ "universal:0" ] max_speed 0.5 width 0.38
  requires [ "position2d:0" "ranger:0" "aio:0" "aio:1" "bumper:0" "dio:0" "power:0" ] )
driver ( name "program" robot_name "ada" requires [ "universal:0" ] provides [ "program:0" ] )
driver ( name "robotfile" robot_name "nina" robot "nxt" port "emulate:nxt" provides [ "universal:1" ] )
driver ( name "program" robot_name "nina" requires [ "universal:1" ] provides [ "program:1" ] )
"""


def pages(script, *arguments):
    """Run a script of tests/web. It reports its results as TAP itself."""
    sys.stdout.flush()
    return subprocess.run(["node", str(ROOT / "tests/web" / script), *arguments], check=False,
                          env={**os.environ, "NODE_PACKAGES": PACKAGES}).returncode


@contextlib.contextmanager
def script(name, *arguments):
    """The same as a process with an input."""
    sys.stdout.flush()
    with subprocess.Popen(["node", str(ROOT / "tests/web" / name), *arguments], stdin=subprocess.PIPE, text=True,
                          env={**os.environ, "NODE_PACKAGES": PACKAGES}) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def server(text=PIONEER):
    """The address of the dashboard of a fresh server."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write((FRONT + text).format(root=ROOT, files=ROOT / "web/dist"))
        file.flush()
        with Program("run", file.name, "--any-port") as program:
            port = program.await_line(r"front web: listening on port (\d+)").group(1)
            yield f"http://127.0.0.1:{port}/"
            if program.process.poll() is not None:
                print("the server has ended:\n" + program.process.stdout.read(), file=sys.stderr)
