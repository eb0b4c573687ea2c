"""What the trials share: a board (tests/trials/board.h), configurations of what is tried on it, and cables to pull."""
import contextlib
import os
import subprocess
import sys
import tempfile

import tap


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


# ---- Cables -------------------------------------------------------------------------------------------

def words(*command):
    result = tap.run(list(command))
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {result.stderr}")
    return result.stdout


@contextlib.contextmanager
def spaces(count):
    """Network namespaces, each behind a cable of its own; the processes that hold them."""
    words("ip", "link", "set", "lo", "up")
    with contextlib.ExitStack() as stack:
        pids = []
        for lane in range(count):
            holder = stack.enter_context(subprocess.Popen(["unshare", "--net", "sh", "-c", "echo there; exec cat"],
                                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            stack.callback(holder.stdin.close)
            tap.equal(holder.stdout.readline(), "there\n")
            inside = ["nsenter", "-t", str(holder.pid), "--net", "ip"]
            words("ip", "link", "add", f"server{lane}", "type", "veth", "peer", "name", f"client{lane}", "netns",
                  str(holder.pid))
            for ip, name, address in ((["ip"], f"server{lane}", f"10.77.{lane}.1/30"),
                                      (inside, f"client{lane}", f"10.77.{lane}.2/30")):
                words(*ip, "addr", "add", address, "dev", name)
                words(*ip, "link", "set", name, "up")
            pids.append(str(holder.pid))
        yield pids


def in_a_space(script, arguments):
    """Run the script again, with the argument "space", in a network namespace of its own. Where that is not permitted
    nothing is shown, so it fails."""
    for unshare in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        probe = tap.run([*unshare, "ip", "link", "add", "troupe0", "type", "veth", "peer", "name", "troupe1"])
        if probe.returncode == 0:
            break
    else:
        raise AssertionError(f"NOT PERMITTED here, so not shown: network namespaces: {probe.stderr}")
    result = tap.run([*unshare, sys.executable, os.path.abspath(script), *arguments, "space"])
    print("".join(f"{line}\n" for line in result.stdout.splitlines() if line.startswith("#")), end="")
    if result.returncode != 0:
        raise AssertionError(result.stdout + result.stderr)
