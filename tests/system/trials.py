"""What the trials share: a board (tests/trials/board.h) and configurations of what is tried on it."""
import contextlib
import os
import subprocess
import tempfile


@contextlib.contextmanager
def board():
    """An empty board, in memory if there is a file system for that."""
    folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.NamedTemporaryFile(prefix="troupe-board-", dir=folder) as file:
        file.truncate(64 << 20)
        yield file.name


def stopwatch(plugin, path, slot, more=""):
    """A base that notes on the board when it is moved and stopped; the first one keeps a watch too."""
    watch = "yes" if slot == 0 else "no"
    return (f'driver ( name "stopwatch" plugin "{plugin}" provides [ "position2d:{slot}" ] board "{path}" '
            f'slot {slot} watch {watch} alwayson yes {more} )\n')


def measured(command):
    """Run a trial's program: for each line its first word and its numbers; "never" is None."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"the trial itself failed: {result.stderr}{result.stdout[-2000:]}")
    lines = []
    for line in result.stdout.splitlines():
        kind, *pairs = line.split()
        values = {name: None if value == "never" else float(value) for name, value in
                  (pair.split("=") for pair in pairs)}
        lines.append((kind, values))
    return lines


def spread(values):
    """The middle, the 99th of a hundred and the worst, as text."""
    values = sorted(values)
    return f"p50 {values[len(values) // 2]:.3f}, p99 {values[len(values) * 99 // 100]:.3f}, worst {values[-1]:.3f}"
