#!/usr/bin/env python3
"""troupe emulate: robots on pseudo-terminals and TCP ports, in step with a world, with faults, and lines at a wrong
speed.  argv: the troupe program, source root."""
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios

import tap
from cli import PATIENCE, PROGRAM, says, troupe, usage
from robots import Emulated

BATTERY = bytes.fromhex("02 00 00 0b")
BATTERY_IS = bytes.fromhex("05 00 02 0b 00 98 1e")
DRIVE = bytes.fromhex("0c 00 80 04 ff 32 07 01 00 20 00 00 00 00")


def open_line(url, baud=None):
    """The serial line of a URL, at its own speed or at another one."""
    path, _, setting = url.removeprefix("serial:").partition("?baud=")
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    mode = termios.tcgetattr(fd)
    mode[0] = mode[1] = mode[3] = 0
    if setting or baud:
        mode[4] = mode[5] = getattr(termios, f"B{baud or setting}")
    termios.tcsetattr(fd, termios.TCSANOW, mode)
    return fd


def read(fd, length):
    """So many bytes."""
    got = b""
    while len(got) < length:
        ready, _, _ = select.select([fd], [], [], PATIENCE)
        assert ready, f"only {got.hex(' ')}"
        got += os.read(fd, length - len(got))
    return got


def ask(fd, request, length):
    os.write(fd, request)
    return read(fd, length)


def near(got, wanted, off):
    assert abs(got - wanted) <= off, f"{got} is not within {off} of {wanted}"


# ---- Lines and time ----

def a_robot_answers_on_a_pseudo_terminal_and_moves_in_step():
    with Emulated("nxt", "--at", "0,0,90") as e:
        fd = open_line(e.urls["nxt"])
        tap.equal(ask(fd, BATTERY, 7), BATTERY_IS)
        os.write(fd, DRIVE)
        tap.equal(e.command("await nxt 18"), ["ok"])
        tap.equal(e.command("run 1"), ["time 1.000"])
        name, x, y, heading = e.command("where")[0].split()
        tap.equal((name, x, heading), ("nxt", "0.0000", "90.00"))
        near(float(y), 0.21, 0.02)
        os.close(fd)


def the_same_bytes_give_the_same_run():
    places = []
    for _ in range(2):
        with Emulated("nxt", "nxt", "--world", "classroom", "--seed", "3", count=2) as e:
            fd = open_line(e.urls["nxt"])
            os.write(fd, DRIVE)
            tap.equal(e.command("await nxt 14"), ["ok"])
            e.command("run 2.5")
            places.append(e.command("where", 2))
            os.close(fd)
    tap.equal(places[0], places[1])


def a_robot_listens_on_tcp_and_has_one_host():
    with Emulated("nxt", "--listen", "tcp:127.0.0.1:0") as e:
        port = int(e.urls["nxt"].removeprefix("tcp:127.0.0.1:"))
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as host:
            host.sendall(BATTERY)
            tap.equal(host.recv(100), BATTERY_IS)
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as other:
                tap.equal(other.recv(100), b"")
            e.command("fault nxt unplugged")
            tap.equal(host.recv(100), b"")
        e.command("mend nxt unplugged")
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as host:
            host.sendall(BATTERY)
            tap.equal(host.recv(100), BATTERY_IS)


def time_passes_by_itself_without_lockstep():
    process = subprocess.Popen([PROGRAM, "emulate", "nxt", "--trace", "--speed", "20", "--seconds", "30"], text=True,
                               stdout=subprocess.PIPE)
    fd = open_line(process.stdout.readline().split()[1])
    tap.equal(ask(fd, BATTERY, 7), BATTERY_IS)
    os.write(fd, DRIVE)
    os.write(fd, bytes.fromhex("03 00 00 06 01"))
    output, _ = process.communicate(timeout=PATIENCE)
    tap.equal(process.returncode, 0)
    meanings = [line.split("   ")[-1] for line in output.splitlines()]
    tap.equal(meanings, ["GETBATTERYLEVEL", "GETBATTERYLEVEL: status 00", "SETOUTPUTSTATE", "GETOUTPUTSTATE",
                         "GETOUTPUTSTATE: status 00"])
    os.close(fd)


def a_signal_ends_it_and_removes_the_link():
    with tempfile.TemporaryDirectory() as folder:
        link = f"{folder}/nxt"
        picture = pathlib.Path(folder, "end.svg")
        process = subprocess.Popen([PROGRAM, "emulate", "nxt", "--link", link, "--render", picture], text=True,
                                   stdout=subprocess.PIPE)
        tap.equal(process.stdout.readline(), f"nxt serial:{link}\n")
        fd = open_line(f"serial:{link}")
        tap.equal(ask(fd, BATTERY, 7), BATTERY_IS)
        os.close(fd)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        tap.equal((process.returncode, os.path.lexists(link), picture.exists()), (0, False, True))


def a_line_at_a_wrong_speed_garbles_until_it_is_right():
    with Emulated("create1") as e:
        tap.equal(e.urls["create1"].endswith("?baud=57600"), True)
        fd = open_line(e.urls["create1"])
        tap.equal(ask(fd, bytes([128, 142, 35]), 1), b"\x01")
        os.close(fd)
        fd = open_line(e.urls["create1"], baud=9600)
        os.write(fd, bytes([142, 35] * 20))
        tap.equal(e.command("await create1 43"), ["ok"])
        e.command("run 0.1")
        os.close(fd)
        fd = open_line(e.urls["create1"])
        os.write(fd, bytes(258))  # what a half-read command still wants
        e.command("await create1 258")
        termios.tcflush(fd, termios.TCIFLUSH)
        tap.equal(ask(fd, bytes([128, 142, 35]), 1), b"\x01")
        os.close(fd)


def two_makes_meet_in_one_world():
    with Emulated("nxt", "--at", "0,0,0", "finch", "--at", "0.6,0,180", count=2) as e:
        nxt, finch = open_line(e.urls["nxt"]), open_line(e.urls["finch"])
        e.command("run 0.2")
        os.write(nxt, bytes.fromhex("05 00 80 05 03 0b 00 07 00 80 0f 03 02 01 02 42"))
        e.command("await nxt 16")
        e.command("run 0.5")
        far = ask(nxt, bytes.fromhex("03 00 00 10 03"), 22)[6]
        tap.equal(ask(finch, b"I\0\0\0\0\0\0\1", 8), bytes([0, 0, 0, 0, 0, 0, 0, 1]))
        os.write(finch, bytes([ord("M"), 0, 128, 0, 128, 0, 0, 0]))  # towards the other
        e.command("await finch 16")
        e.command("run 4")
        os.write(nxt, bytes.fromhex("07 00 80 0f 03 02 01 02 42"))
        e.command("await nxt 14")
        e.command("run 0.1")
        near_by = ask(nxt, bytes.fromhex("03 00 00 10 03"), 22)[6]
        assert 30 < far < 45 and near_by < far - 20, (far, near_by)
        tap.equal(ask(finch, b"A\0\0\0\0\0\0\2", 8)[4], 0x20)  # it felt the bump
        os.close(nxt)
        os.close(finch)


# ---- Faults ----

def faults_come_and_go():
    with tempfile.TemporaryDirectory() as folder:
        link = f"{folder}/nxt"
        with Emulated("nxt", "--link", link, "--fault", "short@1s-2s", "--fault", "unplugged@3s-4s") as e:
            fd = open_line(e.urls["nxt"])
            e.command("run 1")
            tap.equal(ask(fd, BATTERY, 6), BATTERY_IS[:-1])
            e.command("run 1")
            tap.equal(ask(fd, BATTERY, 7), BATTERY_IS)
            tap.equal(e.command("run 1", 2), ["nxt unplugged", "time 3.000"])
            tap.equal(os.path.lexists(link), False)
            try:
                gone = os.read(fd, 10) == b""
            except OSError:
                gone = True
            tap.equal(gone, True)
            os.close(fd)
            tap.equal(e.command("run 1", 2), [f"nxt serial:{link}", "time 4.000"])
            fd = open_line(e.urls["nxt"])
            tap.equal(ask(fd, BATTERY, 7), BATTERY_IS)
            os.close(fd)


# ---- Mistakes ----

def mistakes_are_told():
    says(troupe("emulate"), 2, usage("emulate", "which robot? --list shows them"))
    says(troupe("emulate", "nxr"), 2,
         usage("emulate", 'there is no emulated robot "nxr"; did you mean "nxt"?'))
    says(troupe("emulate", "--at", "1,2,3", "nxt"), 2, usage("emulate", "--at belongs behind the robot that it is for"))
    says(troupe("emulate", "nxt", "--at", "1"), 2, usage("emulate", '"1" is no place, as 1,0.5,90 is'))
    says(troupe("emulate", "nxt", "--trce"), 2,
         usage("emulate", 'unexpected "--trce"; did you mean "--trace"?'))
    says(troupe("emulate", "nxt", "--fault", "slient@5s"), 2,
         usage("emulate", '"slient" is no fault; did you mean "silent"? (unplugged, silent, wrong, short, battery, lifted)'))
    says(troupe("emulate", "nxt", "--listen", "udp:1"), 1,
         'troupe emulate: nxt: "udp:1" is no address, as tcp:127.0.0.1:0 is\n')
    says(troupe("emulate", "nxt", "--wire", "9=light"), 1,
         'troupe emulate: nxt: 9=light: there is no slot "9"; there are 1 to 4\n')
    says(troupe("emulate", "nxt", "--link", sys.argv[2] + "/README.md"), 1,
         f"troupe emulate: nxt: {sys.argv[2]}/README.md is there and is no link\n")
    with Emulated("nxt") as e:
        tap.equal(e.command("runn 5"), ['error: there is no command "runn"; did you mean "run"?'])
        tap.equal(e.command("run"), ["error: it is: run SECONDS"])
        tap.equal(e.command("press nxt nose"), ['error: a nxt has no part "nose"'])
        tap.equal(e.command("press nxr touch"), ['error: there is no robot "nxr"; did you mean "nxt"?'])
        tap.equal(e.command("press nxt touch"), ["ok"])


def robots_are_listed():
    result = troupe("emulate", "--list")
    tap.equal(result.returncode, 0)
    assert result.stdout.startswith("nxt       LEGO NXT"), result.stdout


tap.main(a_robot_answers_on_a_pseudo_terminal_and_moves_in_step, the_same_bytes_give_the_same_run,
         a_robot_listens_on_tcp_and_has_one_host, time_passes_by_itself_without_lockstep,
         a_signal_ends_it_and_removes_the_link, a_line_at_a_wrong_speed_garbles_until_it_is_right,
         two_makes_meet_in_one_world, faults_come_and_go, mistakes_are_told, robots_are_listed)
