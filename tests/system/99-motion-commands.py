#!/usr/bin/env python3
"""troupe motion and the client library against the real server: goto, set, play, record, hold, panic, clients that vanish,
the program of the page.  argv: the troupe program, source root, the example nod."""
import contextlib
import json
import math
import pathlib
import re
import signal
import struct
import sys
import tempfile
import time
import xml.etree.ElementTree

import player
import tap
from cli import PROGRAM, Running, says, troupe, usage
from motion import Client, record

ROOT, NOD = pathlib.Path(sys.argv[2]), sys.argv[3]
KEYS = 'keys [ "anna move drive on and on and on" "boss operate decide for all of us" ]\n'
ANNA, BOSS = {"TROUPE_KEY": "drive on and on and on"}, {"TROUPE_KEY": "decide for all of us"}
ROBOT = f"""
front ( name "motion" )
driver ( name "fake" provides [ "position2d:0" "ptz:0" ] rate 100 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "position2d:0" "head:::ptz:0" ]
  urdf "{ROOT}/robots/pioneer.urdf" base_acceleration [ 5 5 5 ] device_lease 60 )
"""


@contextlib.contextmanager
def robot(text=ROBOT):
    """The URL of a robot, and its port."""
    with player.server(PROGRAM, text) as server:
        port = server.fronts["motion"]
        yield f"motion://127.0.0.1:{port}", port


def sequence(folder, seconds, name="dance.csv"):
    """A table: an arc, and a head that swings."""
    path = pathlib.Path(folder, name)
    count = int(seconds * 10)
    rows = ["time,base.vx,base.omega,head:0.speed"]
    for i in range(count + 1):
        last = i == count
        rows.append(f"{i / 10},{0 if last else 0.2},{0 if last else 0.5},{0 if last else 0.3 * math.cos(i / 5):.4f}")
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def motion_says(url, *arguments, **environment):
    return troupe("motion", *arguments, url, **environment)


def head_of(url):
    return json.loads(motion_says(url, "state", "--json").stdout)["dofs"]["head:0"]


# ---- One command -------------------------------------------------------------------------------


def a_robot_is_described_and_moved():
    with robot() as (url, _):
        text = motion_says(url, "describe").stdout
        assert text.startswith("pioneer: 2 links, 2 joints, 5 dofs, 1 control frame"), text
        described = json.loads(motion_says(url, "describe", "--json").stdout)
        tap.equal([joint["name"] for joint in described["joints"]], ["base", "head"])
        says(motion_says(url, "set", "head:0=0.3", "head:1=-0.1"), 0, "")
        tap.equal(abs(head_of(url)["position"] - 0.3) < 0.02, True)
        says(motion_says(url, "set", "hed:0=0.3"), 1, 'troupe motion: pioneer has no joint "hed"; did you mean "head"?\n')
        says(motion_says(url, "set", "head:0=much"), 2, usage("motion", 'head:0 is no number: "much"'))
        says(motion_says(url, "set", "head=0.3"), 1, "troupe motion: joint head has the dofs head:0 to head:1\n")
        says(motion_says(url, "goto", "1"), 2, usage("motion", f'where to? goto X Y [THETA], in m and rad; "{url}" is taken as the robot, '
                                                                "since it is no number"))
        tap.equal(len(motion_says(url, "state", "--broadcast", "50", "--count", "3", "--json").stdout.splitlines()), 3)
    with player.server(PROGRAM, 'driver ( name "fake" provides [ "laser:0" ] )\nfront ( name "web" port 0 )\n') as server:
        place = f"127.0.0.1:{server.fronts['web']}"
        says(troupe("motion", "state", place, "--timeout", "60"), 1,
             f"troupe motion: tcp:{place}: this is a page for browsers and no motion server; timed motion has a port of its "
             "own, 7665 if nothing else is said\n")
    says(troupe("motion", "state", "9665"), 1, "troupe motion: 9665 is a port: write localhost:9665\n")
    result = troupe("motion", "state", "motion://127.0.0.1:1")
    tap.equal(result.returncode, 1)
    assert "connect to tcp:127.0.0.1:1: connection refused" in result.stderr, result.stderr
    with tempfile.NamedTemporaryFile("w+") as older:
        older.write("kept")
        older.flush()
        tap.equal((troupe("motion", "record", older.name, "motion://127.0.0.1:1").returncode, pathlib.Path(older.name).read_text()),
                  (1, "kept"))


def wrong_arguments_of_commands_are_refused():
    for arguments, reason in ((("play",), "which file?"), (("record",), "into which file?"), (("rate",), "which rate? 0 (hold) to 1 (full speed)"),
                              (("rate", "2"), "a rate is 0 to 1, not 2"), (("set",), "which dofs? set JOINT[:DOF]=VALUE..., in rad or m"),
                              (("rate", "abc", "robot.local"), 'the rate is no number: "abc"'),
                              (("rate", "motion://robot.local", "abc"), 'the rate is no number: "abc"'),
                              (("set", "waist", "robot.local"), "waist needs =VALUE, in rad or m"),
                              (("set", "--url", "robot.local", "waist"), "waist needs =VALUE, in rad or m"),
                              (("set", "waist"), 'which dofs? set JOINT[:DOF]=VALUE..., in rad or m; "waist" has no =VALUE and is taken as the robot'),
                              (("goto",), "where to? goto X Y [THETA], in m and rad"), (("goto", "a", "b"), 'X is no number: "a"'),
                              (("goto", "1", "b", "robot.local"), 'Y is no number: "b"'), (("goto", "far", "1", "b"), 'X is no number: "far"'),
                              (("goto", "1", "2", "a", "b"), 'the server is named twice: "a" and "b"'),
                              (("play", "x", "--mode", "slow"), 'there is no mode "slow": playback, adaptive, direct or delay'),
                              (("play", "x", "--plott", "y"), 'unexpected "--plott"; did you mean "--plot"?')):
        says(troupe("motion", *arguments), 2, usage("motion", reason))


# ---- Sequences ---------------------------------------------------------------------------------


def a_sequence_is_played_recorded_and_drawn():
    with robot() as (url, _), tempfile.TemporaryDirectory() as folder:
        plot, taken = pathlib.Path(folder, "dance.svg"), pathlib.Path(folder, "taken.csv")
        with Running("motion", "record", str(taken), url, "--hz", "50") as recorder:
            result = motion_says(url, "play", sequence(folder, 1.5), "--plot", str(plot))
            tap.equal(result.returncode, 0)
            assert re.match(r"played 16 of 16 frames in 1\.\d\d s; 0 late, 0 stalls, held for 0\.00 s\n", result.stdout), result
            tap.equal(recorder.interrupt(), (0, ""))
            closing = recorder.line()
        words = [text.text for text in xml.etree.ElementTree.parse(plot).iter("{http://www.w3.org/2000/svg}text")]
        for word in ("planned", "played", "x [m]", "y [m]", "time of the sequence [s]", "position [rad]", "head:0"):
            assert word in words, (word, words)
        rows = taken.read_text().splitlines()
        tap.equal(rows[1], "time,base.vx,base.vy,base.omega,head:0.speed,head:1.speed,head:0,head:1")
        tap.equal(len(rows) > 10, True)
        tap.equal(closing, f"recorded {len(rows) - 2} states, {float(rows[-1].split(',')[0]):.2f} s\n")
        again = pathlib.Path(folder, "again.csv")
        again.write_text("\n".join(rows[:12]) + "\n")
        result = motion_says(url, "play", str(again), "--mode", "adaptive")
        tap.equal((result.returncode, result.stdout[:7]), (0, "played "))
        short = sequence(folder, 0.4, "short.csv")
        for mode in (("direct",), ("delay", "--delay", "0.2")):
            says(motion_says(url, "play", short, "--mode", *mode), 0, "")


def what_is_not_done_as_asked_is_said():
    with robot() as (url, _), tempfile.TemporaryDirectory() as folder:
        tap.equal(motion_says(url, "set", "head:1=-9").stdout, "modified: head:1 is clamped from -9 to -0.436332\n")
        path = pathlib.Path(folder, "crab.csv")
        path.write_text("time,base.vx,base.vy\n0,0.1,0\n0.1,0.1,0.3\n0.2,7,0\n0.3,0,0\n")
        said = "2 commands were modified, first at 0.1 s; base.vy 0.3 is left out: the base cannot move so\n"
        tap.equal(motion_says(url, "play", str(path)).stdout.split("\n")[0] + "\n", "done; " + said)
        for mode in (("direct",), ("delay", "--delay", "0.2")):
            tap.equal(motion_says(url, "play", str(path), "--mode", *mode).stdout,
                      "modified: base.vy 0.3 is left out: the base cannot move so\nmodified: base.vx is clamped from 7 to 0.5\n"
                      "sent 4 of 4 frames\n")


def a_sequence_that_is_refused_is_no_success():
    """Another client has the head; then a joint that takes no forces."""
    with robot() as (url, port), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "nod.csv")
        path.write_text("time,head:0\n" + "".join(f"{i / 10},0.1\n" for i in range(6)))
        holder = Client(port, name="berta", lease=30_000_000)
        holder.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, 1), tag=9))  # SPEED, which lasts
        holder.signal(9)
        end = f"troupe motion: the robot has not done what {path} says: 6 commands were refused or interrupted\n"
        for mode in ("playback", "adaptive", "direct"):
            result = motion_says(url, "play", str(path), "--mode", mode)
            tap.equal((result.returncode, result.stderr), (1, "troupe motion: BUSY: head:0 is moved by berta\n" + end))
        holder.close()
        path.write_text("time,head:0.force\n0,1\n0.1,2\n")
        result = motion_says(url, "play", str(path))
        tap.equal((result.returncode, result.stderr.startswith("troupe motion: NA: ")), (1, True))


def frames_that_are_not_evenly_spaced_are_refused_with_a_hint():
    with robot() as (url, _), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "uneven.csv")
        path.write_text("time,head:0\n0,0.1\n0.1,0.1\n0.2,0.1\n1.1,0.2\n")
        result = motion_says(url, "play", str(path))
        tap.equal((result.returncode, result.stdout, result.stderr),
                  (1, "played none of 4 frames\n",
                   "troupe motion: ERROR: the frames are not evenly spaced; --mode adaptive plays such frames\n"))
        tap.equal(motion_says(url, "play", str(path), "--mode", "adaptive").returncode, 0)


def frames_in_time_end_when_their_motions_have_ended():
    """A set-point that needs longer than the frame lasts."""
    with robot() as (url, _), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "turn.csv")
        for mode, angle in (("direct",), 1.2), (("delay", "--delay", "0.2"), -1.2):
            path.write_text(f"time,head:0,duration\n0,{angle},0.1\n")
            result = motion_says(url, "play", str(path), "--mode", *mode)
            tap.equal((result.returncode, "head:0 needs" in result.stdout), (0, True))  # which comes with its last signal
            # The device is not as fast as the description says, and stops when the client leaves.
            assert abs(head_of(url)["position"] - angle) < 0.0101, (mode, head_of(url))


def a_dof_that_does_not_arrive_is_named():
    """A description with wider limits than the device has."""
    with tempfile.TemporaryDirectory() as folder:
        wide, path = pathlib.Path(folder, "wide.urdf"), pathlib.Path(folder, "turn.csv")
        text = (ROOT / "robots/pioneer.urdf").read_text()
        wide.write_text(text.replace('upper="1.745329"', 'upper="2.5"'))
        path.write_text("time,head:0\n0,2\n0.5,2.2\n")
        with robot(ROBOT.replace(f"{ROOT}/robots/pioneer.urdf", str(wide))) as (url, _):
            said = ("troupe motion: head:0 has not arrived: it is at 1.75 rad, was sent to 2.2 rad and has come no nearer for 1 s; "
                    "if that is near enough, say --within\n")
            for command in ("set", "head:0=2.2"), ("play", str(path)):
                result = motion_says(url, *command)
                tap.equal((result.returncode, result.stderr.endswith(said)), (1, True))
            says(motion_says(url, "play", str(path), "--within", "0.5"), 0, "")


def what_is_no_joint_is_named():
    arm = (ROOT / "configs/motion-puma.cfg").read_text().replace('"motion-puma.world"', f'"{ROOT}/configs/motion-puma.world"')
    with robot(arm) as (url, _):
        says(motion_says(url, "set", "hand=1"), 1, "troupe motion: hand is a control frame of puma560: only joints have dofs\n")
        says(motion_says(url, "set", "flange=1"), 1, "troupe motion: flange is a link of puma560: only joints have dofs\n")


def mistakes_in_a_file_are_found_before_anything_moves():
    with robot() as (url, _), tempfile.TemporaryDirectory() as folder:
        for text, why in (("time,head:0\n0,x\n", '2:3: "x" is no number'), ("time,arm\n0,1\n", '1:6: pioneer has no joint "arm"'),
                          ('[{"time": 0, "set": {"neck": 1}}]', '1:23: pioneer has no joint "neck"')):
            path = pathlib.Path(folder, "bad")
            path.write_text(text)
            says(motion_says(url, "play", str(path)), 1, f"troupe motion: {path}:{why}\n")
        result = motion_says(url, "play", str(pathlib.Path(folder, "missing")))
        assert "missing: No such file" in result.stderr, result.stderr


def ctrl_c_stops_the_robot():
    with robot() as (url, port), tempfile.TemporaryDirectory() as folder:
        with Running("motion", "play", sequence(folder, 300), url) as playing:
            watcher = Client(port)
            while watcher.base()[3] < 0.1:
                pass
            code, errors = playing.interrupt()
            tap.equal(code, 1)
            assert "troupe motion: interrupted: the robot was stopped\n" in errors, errors
        while abs(watcher.base()[3]) > 1e-3:
            pass


def a_goto_of_a_server_that_stood_still_says_why_it_ended():
    """Nothing is driven on after a pause that was longer than the lease of the device, and nobody waits for it."""
    with player.server(PROGRAM, ROBOT.replace("device_lease 60", "device_lease 0.5")) as server:
        port = server.fronts["motion"]
        url = f"motion://127.0.0.1:{port}"
        watcher = Client(port)
        with Running("motion", "goto", "9", "0", url) as driving:
            while watcher.base()[3] < 0.1:
                assert driving.process.poll() is None, driving.ended()
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(0.8)  # over the 0.5 s of device_lease
            server.process.send_signal(signal.SIGCONT)
            code, errors = driving.ended()
            tap.equal(code, 1)
            assert "position2d:0: the lease of 0.500 s has ended: the server was busy for longer (device_lease)" in errors, errors
        while abs(watcher.base()[3]) > 1e-3:
            pass


def a_client_that_vanishes_leaves_nothing_behind():
    with robot() as (url, port), tempfile.TemporaryDirectory() as folder:
        watcher = Client(port)
        with Running("motion", "play", sequence(folder, 300), url) as playing:
            while watcher.base()[3] < 0.1:
                pass
            playing.process.kill()
        while abs(watcher.base()[3]) > 1e-3:
            pass
        says(motion_says(url, "set", "head:0=0.1"), 0, "")  # nobody holds it


# ---- Rates and panic ---------------------------------------------------------------------------


def a_hold_keeps_the_sequence_and_an_operator_ends_it():
    with robot(KEYS + ROBOT) as (url, port), tempfile.TemporaryDirectory() as folder:
        watcher = Client(port)  # a robot without clients is switched off, and forgets the rate
        says(motion_says(url, "hold", **ANNA), 0, "")
        with Running("motion", "play", sequence(folder, 1), url, "--key", ANNA["TROUPE_KEY"]) as playing:
            for _ in range(3):
                tap.equal((watcher.base()[0], head_of(url)["position"], playing.process.poll()), (0, 0, None))
            result = motion_says(url, "resume", **ANNA)
            says(result, 1, "troupe motion: RATE: ERROR: another client has slowed the robot\n")
            says(troupe("motion", "rate", url, "0.5", **BOSS), 0, "")  # the server may come first
            says(motion_says(url, "resume", **BOSS), 0, "")
            line = playing.line()
            assert line.startswith("played 11 of 11 frames"), line
        tap.equal(motion_says(url, "set", "head:0=0", TROUPE_KEY="").returncode, 1)


def without_keys_every_local_client_is_an_operator():
    with robot() as (url, port):
        watcher = Client(port)  # keeps the rate
        says(motion_says(url, "hold"), 0, "")
        says(motion_says(url, "resume"), 0, "")
        says(motion_says(url, "set", "head:0=0.1"), 0, "")
        watcher.base()


def a_rate_that_nobody_keeps_is_told():
    with robot() as (url, port):
        said = ("troupe motion: this has no effect: no other client is connected, and the robot forgets the rate when the last one "
                "leaves\n")
        for command in ("hold",), ("rate", "0.5"):
            says(motion_says(url, *command), 0, said)
        says(motion_says(url, "resume"), 0, "")
        watcher = Client(port)
        says(motion_says(url, "rate", "0.5"), 0, "")
        watcher.close()


def troupe_panic_takes_the_address_of_a_motion_front():
    """It does not greet, as a server that hangs."""
    with robot() as (url, port), tempfile.TemporaryDirectory() as folder:
        watcher = Client(port)
        for address in f"127.0.0.1:{port}", url:
            with Running("motion", "play", sequence(folder, 300), url) as playing:
                while watcher.base()[3] < 0.1:
                    pass
                result = troupe("panic", address)
                tap.equal((result.returncode, result.stdout, result.stderr),
                          (0, f"everything that moves is stopped; troupe motion reset {address} ends the panic\n", ""))
                code, errors = playing.ended()
                tap.equal((code, errors.count(" PANIC: ")), (1, 1))
            result = motion_says(url, "play", sequence(folder, 1))
            tap.equal((result.returncode, result.stderr.count("raised by troupe panic")), (1, 1))
            result = motion_says(url, "play", sequence(folder, 0.5), "--mode", "direct")
            tap.equal((result.returncode, result.stderr.count("raised by troupe panic")), (1, 1))
            tap.equal(motion_says(url, "reset").stdout, "the panic is over\n")


def a_panic_ends_a_sequence():
    with robot(KEYS + ROBOT) as (url, port), tempfile.TemporaryDirectory() as folder:
        watcher = Client(port)
        with Running("motion", "play", sequence(folder, 300), url, "--key", ANNA["TROUPE_KEY"]) as playing:
            while watcher.base()[3] < 0.1:
                pass
            result = motion_says(url, "panic", TROUPE_KEY="wrong")
            tap.equal((result.returncode, result.stderr), (0, ""))
            assert result.stdout.startswith("panic 1: everything that moves is stopped"), result.stdout
            tap.equal(playing.ended()[0], 1)
        result = motion_says(url, "set", "head:0=0", **ANNA)
        tap.equal((result.returncode, result.stderr.split(": ")[1:3]), (1, ["MOVE", "PANIC"]))
        tap.equal(motion_says(url, "reset", **ANNA).returncode, 1)
        result = motion_says(url, "reset", **BOSS)
        tap.equal((result.returncode, result.stdout), (0, "the panic is over\n"))
        says(motion_says(url, "set", "head:0=0", **ANNA), 0, "")
        tap.equal(motion_says(url, "reset", **BOSS).stdout, "there is no panic\n")


# ---- The page ----------------------------------------------------------------------------------


def the_program_of_the_page_runs():
    code = (ROOT / "examples/nod.c").read_text()
    page = (ROOT / "docs/motion.md").read_text()
    assert f"```c\n{code}```" in page, "docs/motion.md has another program than examples/nod.c"
    with robot() as (url, _):
        result = tap.run([NOD, url])
        tap.equal((result.returncode, result.stdout, result.stderr), (0, "nodded with 11 frames\n", ""))
        tap.equal(abs(head_of(url)["position"] - 0.3) < 0.02, True)


tap.main(a_robot_is_described_and_moved, wrong_arguments_of_commands_are_refused, a_sequence_is_played_recorded_and_drawn,
         what_is_not_done_as_asked_is_said, a_sequence_that_is_refused_is_no_success,
         frames_that_are_not_evenly_spaced_are_refused_with_a_hint, frames_in_time_end_when_their_motions_have_ended,
         a_dof_that_does_not_arrive_is_named, what_is_no_joint_is_named,
         mistakes_in_a_file_are_found_before_anything_moves, ctrl_c_stops_the_robot,
         a_goto_of_a_server_that_stood_still_says_why_it_ended, a_client_that_vanishes_leaves_nothing_behind,
         a_hold_keeps_the_sequence_and_an_operator_ends_it,
         without_keys_every_local_client_is_an_operator, a_rate_that_nobody_keeps_is_told,
         troupe_panic_takes_the_address_of_a_motion_front, a_panic_ends_a_sequence, the_program_of_the_page_runs)
