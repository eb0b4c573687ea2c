#!/usr/bin/env python3
"""Timed motion as its clients see it: robots in the simulator, other clients, panic, rights, hostile bytes.
argv: the troupe program, source root."""
import hashlib
import hmac
import math
import os
import pathlib
import statistics
import struct
import sys
import tempfile
import time

import motion
import player
import tap
from motion import (ACK, BUSY, COMMAND, DELAY, ERROR, INTERRUPTED, MODIFIED, NA, PANIC, PANICKED, PLAYBACK, QUERY, RESET, SESSION, SUCCESS, Client,
                    begin, end, goto, hello, move, package, rate, record, set_dof, setspeed)

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
STOP = record(0x0103, tag=3)

FAKE = f"""
front ( name "motion" )
driver ( name "fake" provides [ "position2d:0" "ptz:0" ] rate 100 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "position2d:0" "head:::ptz:0" ]
  urdf "{ROOT}/robots/pioneer.urdf" base_acceleration [ 5 5 5 ] device_lease 60 )
"""  # the lease: a busy machine interrupts nothing


def configured(name):
    return player.launched([PROGRAM, "run", str(ROOT / "configs" / name), "--any-port"])


def patient_arm():
    """configs/motion-puma.cfg, for a busy machine: a device keeps its grant when the server is held up."""
    text = (ROOT / "configs/motion-puma.cfg").read_text().replace("motion-puma.world", f"{ROOT}/configs/motion-puma.world")
    arm = text.replace('urdf "puma560.urdf"', f'urdf "{ROOT}/robots/puma560.urdf" device_lease 60')
    tap.equal("device_lease" in arm, True)
    return arm


def served(text=FAKE, options=()):
    return player.server(PROGRAM, text, options)


def port_of(server):
    return server.fronts["motion"]


def patiently(client, tag):
    """The final signal of a command that takes longer than a lease."""
    while True:
        client.socket.settimeout(1)
        try:
            return client.signal(tag, 1)
        except TimeoutError:
            client.session(record(0x0502, struct.pack(">Q", 1)))
        finally:
            client.socket.settimeout(20)


def wait_until(condition):
    """What never comes fails the test, with its line, instead of keeping the whole suite waiting."""
    for _ in range(12000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


# ---- Robots ------------------------------------------------------------------------------------


def a_base_with_a_head_moves():
    with configured("motion-pioneer.cfg") as server:
        client = Client(port_of(server))
        tap.equal((client.right, client.panicked, client.lease, client.longest), (2, 0, 5_000_000, 30_000_000))
        client.command(setspeed(0.4, tag=1), set_dof(1, 0, 0.8, tag=2))
        tap.equal([client.signal(1).final, client.signal(2).text], [0, "started"])
        tap.equal(client.signal(2, 1).signal, SUCCESS)
        wait_until(lambda: client.base()[0] > 0.3)
        client.command(STOP)
        tap.equal(client.signal(1, 1).signal, MODIFIED)
        tap.equal(client.signal(3, 1).signal, SUCCESS)
        wait_until(lambda: client.base()[3] == 0)
        wait_until(lambda: abs(client.state()[3][0] - 0.8) < 0.01)
        client.command(goto(0, 0, 0, tag=4))
        tap.equal(client.signal(4).final, 0)
        tap.equal(patiently(client, 4).signal, SUCCESS)
        x, y, theta = client.base()[:3]
        tap.equal(math.hypot(x, y) <= 0.05 and abs(theta) <= 0.05, True)


def a_goal_on_the_map_is_driven_to():
    """At the start odometry is 0, and the robot is elsewhere on the map."""
    world = (ROOT / "configs" / "motion-pioneer.world").read_text(encoding="utf-8")
    text = (ROOT / "configs" / "motion-pioneer.cfg").read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", suffix=".world") as file:
        file.write(world.replace('name "pioneer" pose [0 0 0 0]', 'name "pioneer" pose [1 -1 0 90]'))
        file.flush()
        text = text.replace("motion-pioneer.world", file.name).replace('"ptz:0" ]\n)', '"ptz:0" "localize:0" ]\n)')
        text = text.replace('"head:::ptz:0" ]', '"head:::ptz:0" "localize:0" ]')
        with served(text) as server:
            client, watcher = Client(port_of(server)), player.Client(server.address)
            watcher.open(25, 0)

            def truth():
                return struct.unpack_from(">ddd", watcher.data().body, 20)

            x, y, theta = truth()
            tap.equal(math.hypot(x - 1, y + 1) < 0.01 and abs(theta - math.pi / 2) < 0.01, True)
            client.command(goto(1, -0.6, math.pi / 2, frame=1, tag=4))
            tap.equal(patiently(client, 4).signal, SUCCESS)
            wait_until(lambda: math.hypot(truth()[0] - 1, truth()[1] + 0.6) <= 0.06)
            x, y, theta = client.base()[:3]
            tap.equal(math.hypot(x - 0.4, y) <= 0.06 and abs(theta) <= 0.06, True)
    with configured("motion-pioneer.cfg") as server:
        client = Client(port_of(server))
        client.command(goto(1, 0, 0, frame=1, tag=4))
        signal = client.signal(4, 1)
        tap.equal((signal.signal, signal.text), (INTERRUPTED, "the base knows no map"))


def a_device_that_takes_forces_gets_currents():
    joints = "".join(f'<link name="l{i}"/><joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/>'
                     f'<limit velocity="1" effort="4"/></joint>' for i in range(1, 7))
    servos = "".join(f'<joint name="j{i}" servo="%s"/>' for i in range(1, 7))
    config = """front ( name "motion" )
driver ( name "fake" provides [ "actarray:0" ] rate 100 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "j1:::actarray:0" ] urdf "%s" control [ "j1 force 0.5" ] )"""
    for servo in ("force", "position"):
        with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
            file.write(f'<robot name="r"><link name="l0"/>{joints}<troupe>{servos.replace("%s", servo)}</troupe></robot>')
            file.flush()
            if servo == "position":
                with tempfile.NamedTemporaryFile("w", suffix=".cfg") as wrong:
                    wrong.write(config % file.name)
                    wrong.flush()
                    tap.equal("joint j1 takes no forces" in tap.run([PROGRAM, "check", wrong.name]).stderr, True)
                continue
            with served(config % file.name) as server:
                client = Client(port_of(server))
                client.command(move((1, 0, 1), (2, 0, -2), servo=4, tag=1))
                tap.equal(client.signal(1).final, 0)
                wait_until(lambda: [round(dof[2], 3) for dof in client.state()[:3]] == [1, -2, 0.05])  # at rest it draws 0.1 A
                client.command(move((2, 0, 9), servo=4, tag=2))  # over the limit
                wait_until(lambda: [round(dof[2], 3) for dof in client.state()[:3]] == [1, 4, 0.05])
                client.command(set_dof(1, 0, 0.1, tag=3))
                tap.equal(client.signal(3, 1).signal, NA)
                client.session(record(0x0508, bytes(4)))  # CANCEL of everything
                wait_until(lambda: all(round(dof[2], 3) == 0.05 for dof in client.state()))


def a_limb_moves_joints_by_its_tip():
    """A gantry with a turning hand, on a device that only knows where its tip is."""
    def slide(name, parent, child, axis, lower, upper, more=""):
        return (f'<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>{more}<axis xyz="{axis}"/>'
                f'<limit lower="{lower}" upper="{upper}" velocity="0.08" effort="9"/></joint>')
    urdf = ('<robot name="gantry"><link name="bed"/><link name="a"/><link name="b"/><link name="c"/><link name="hand"/>'
            + slide("x", "bed", "a", "1 0 0", -0.2, 0.2, '<origin xyz="0.3 0 0.2"/>') + slide("y", "a", "b", "0 1 0", -0.2, 0.2)
            + slide("z", "b", "c", "0 0 1", -0.1, 0.1)
            + '<joint name="wrist" type="revolute"><parent link="c"/><child link="hand"/><axis xyz="0 0 1"/>'
            '<limit lower="-2" upper="2" velocity="1" effort="9"/></joint></robot>')
    config = """front ( name "motion" )
driver ( name "fake" provides [ "limb:0" ] rate 100 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "x:::limb:0" ] urdf "%s" )"""
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(urdf)
        file.flush()
        with served(config % file.name) as server:
            client = Client(port_of(server))
            tap.equal([round(dof[0], 3) for dof in client.state()], [0, 0, 0, 0])
            client.command(move((1, 0, 0.1), (2, 0, -0.1), (3, 0, 0.05), (4, 0, 0.5), tag=1))
            tap.equal(patiently(client, 1).signal, SUCCESS)
            wait_until(lambda: [round(dof[0], 2) for dof in client.state()] == [0.1, -0.1, 0.05, 0.5])
            watcher = player.Client(server.address)
            watcher.open(54, 0)
            x, y, z, cosine, sine = struct.unpack_from(">ddddd", watcher.data().body)
            tap.equal([round(v, 2) for v in (x, y, z, cosine, sine)], [0.4, -0.1, 0.25, round(math.cos(0.5), 2), round(math.sin(0.5), 2)])
            client.command(set_dof(1, 0, 0.9, tag=2))
            tap.equal(client.signal(2).text, "started; x is clamped from 0.9 to 0.2")
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file, tempfile.NamedTemporaryFile("w", suffix=".cfg") as wrong:
        file.write(urdf.replace("</robot>", '<link name="eye"/><joint name="neck" type="revolute"><parent link="bed"/><child link="eye"/>'
                                            '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'))
        file.flush()
        wrong.write(config % file.name)
        wrong.flush()
        tap.equal("joint x does not move the tip of the arm" in tap.run([PROGRAM, "check", wrong.name]).stderr, True)


def the_speed_of_a_head_is_measured():
    with served() as server:
        client = Client(port_of(server))
        client.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, 200_000), 1))
        tap.equal(client.signal(1).final, 0)
        speeds = {}  # by position: on a busy machine a single measurement can be far off
        position = 0
        while position < 0.5:
            position, speed, _ = client.state()[3]
            assert not client.has_ended(1), client.records
            if position > 0.1:
                speeds[position] = speed
        tap.equal(0.1 < statistics.median(speeds.values()) < 0.3, True)
        client.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, 0), 2))
        wait_until(lambda: client.state()[3][1] == 0)


def a_goto_is_as_fast_as_the_rate_says():
    with served() as server:
        client = Client(port_of(server))
        client.session(rate(0.25, scope=1, tag=1))
        tap.equal(client.signal(1).signal, SUCCESS)
        client.command(goto(9, 0, 0, tag=2))
        tap.equal(client.signal(2).final, 0)
        fastest = 0
        while client.base()[0] < 0.1:
            fastest = max(fastest, client.base()[3])
            assert not client.has_ended(2), client.records
        tap.equal(round(fastest, 3), 0.125)  # a quarter of 0.5 m/s
        client.session(rate(1, scope=1, tag=3))
        wait_until(lambda: round(client.base()[3], 3) == 0.5)
        client.session(rate(0, scope=1, tag=4))
        wait_until(lambda: client.base()[3] == 0)


def a_begin_that_is_refused_in_a_panic_names_its_tag():
    with served() as server:
        client = Client(port_of(server))
        client.send(package(SESSION, flags=PANIC))
        epoch = client.signal(0).epoch
        client.session(begin(3, PLAYBACK, 5, 1_000_000, tag=9))
        signal = client.signal(9)
        tap.equal((signal.signal, signal.final, signal.epoch), (PANICKED, 1, epoch))
        client.send(package(SESSION, flags=RESET, sequence=epoch + 2))
        signal = client.signal(0)
        tap.equal((signal.signal, signal.text), (ERROR, f"there is another panic by now: its number is {epoch}"))
        client.send(package(SESSION, flags=RESET, sequence=epoch))
        tap.equal(client.signal(0).signal, SUCCESS)


def a_summary_tells_of_frames_and_signals_of_commands():
    """What others hold moves not, nor what the same MOVE names besides; the sequence itself goes well."""
    with served() as server:
        holder, client, idle = (Client(port_of(server), name, lease=30_000_000) for name in ("berta", "anna", "carl"))
        holder.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, 1), tag=9))  # SPEED, which lasts
        holder.signal(9)
        for targets, signal in (((1, 1, -0.2), (1, 0, 0.2)), BUSY), (((1, 1, -0.2), (1, 7, 0.2)), NA):
            client.command(move(*targets, tag=5))
            tap.equal((client.signal(5, 1).signal, client.state()[4][0]), (signal, 0))
        client.session(begin(3, PLAYBACK, 4, 300_000, tag=6))
        client.signal(6)
        for i in range(4):
            client.command(move((1, 0, 0.1), (1, 1, -0.2), tag=10 + i), mode=PLAYBACK, time=i * 100_000, sequence=3, ident=20 + i)
        for i in range(4):
            signal = client.signal(10 + i)
            tap.equal((signal.signal, signal.package, signal.text), (BUSY, 20 + i, "head:0 is moved by berta"))
        body = client.await_record(0x8002)
        tap.equal((struct.unpack_from(">IBxxxII", body), body[50:]), ((3, SUCCESS, 4, 4), b"done"))
        client.send(package(SESSION, flags=PANIC))
        epoch = client.signal(0).epoch
        tap.equal((holder.signal(9, 1).signal, idle.server_time() > 0, idle.records), (PANICKED, True, []))
        idle.command(move((1, 1, 0), tag=8))
        signal = idle.signal(8)
        tap.equal((signal.signal, signal.epoch), (PANICKED, epoch))


def a_player_client_sees_and_takes_the_same_robot():
    with configured("motion-pioneer.cfg") as server:
        client = Client(port_of(server))
        client.command(setspeed(0.2, tag=1))
        tap.equal(client.signal(1).final, 0)
        wait_until(lambda: client.base()[3] > 0.1)
        other = player.Client(server.address)
        other.open(4, 0)
        wait_until(lambda: struct.unpack_from(">d", other.data().body, 24)[0] > 0)
        other.send(4, 0, player.COMMAND, 1, struct.pack(">dddI", 0, 0, 0, 1))
        signal = client.signal(1, 1)
        tap.equal((signal.signal, "taken by" in signal.text), (INTERRUPTED, True))
        wait_until(lambda: client.base()[3] == 0)
        client.command(setspeed(0.2, tag=5))  # the last writer has it
        tap.equal(client.signal(5).final, 0)
        wait_until(lambda: client.base()[3] > 0.1)


def an_arm_moves_its_joints_together():
    with served(patient_arm()) as server:
        client = Client(port_of(server))
        goal = [1, 0.5, -1, 0.2, 0.3, 1]
        targets = [(i + 1, 0, value) for i, value in enumerate(goal)] + [(7, 0, 0.03)]
        client.command(move(*targets, duration=1_500_000, tag=1))
        tap.equal([client.signal(1).final, client.signal(1).signal], [0, SUCCESS])
        wait_until(lambda: all(abs(dof[0] - value) < 1e-3 for dof, value in zip(client.state(), goal + [0.03, 0.03])))
        client.command(goto(0, 0, 0, tag=2), set_dof(8, 0, 0.01, tag=3), set_dof(1, 0, 9, tag=4))
        tap.equal([client.signal(2).signal, client.signal(3).signal], [NA, NA])
        tap.equal((client.signal(4).final, client.signal(4).signal), (0, MODIFIED))
        wait_until(lambda: abs(client.state()[0][0] - 2.792527) < 0.1)


def a_sequence_is_played():
    with served() as server:
        client = Client(port_of(server))
        client.session(begin(7, PLAYBACK, 20, 1_000_000))
        for i in range(20):
            client.command(set_dof(1, 0, 0.02 * i), mode=PLAYBACK, sequence=7, time=50_000 * i)
        client.session(end(7, 20))
        body = client.await_record(0x8002)
        sequence, signal, frames, played, late, stalls = struct.unpack_from(">IBxxxIIII", body)
        tap.equal((sequence, signal, frames, played, late, stalls), (7, SUCCESS, 20, 20, 0, 0))
        tap.equal(abs(client.state()[3][0] - 0.38) < 0.02, True)


def a_dance_of_base_and_head_comes_back():
    """Forward, backward and turns, with the head panning: opposite motions bring the base back."""
    speeds = [(0.3, 0)] * 8 + [(-0.3, 0)] * 8 + [(0, 0.6)] * 8 + [(0, -0.6)] * 8
    with served() as server:
        client = Client(port_of(server))
        client.session(begin(3, PLAYBACK, len(speeds) + 1, 50_000 * (len(speeds) + 1)))
        for i, (speed, turn) in enumerate(speeds):
            client.command(setspeed(speed, turn), set_dof(1, 0, 0.4 * math.sin(i / 5), 50_000), mode=PLAYBACK, sequence=3, time=50_000 * i)
        client.command(STOP, set_dof(1, 0, 0.0), mode=PLAYBACK, sequence=3, time=50_000 * len(speeds))
        body = client.await_record(0x8002)
        tap.equal(struct.unpack_from(">IBxxxII", body), (3, SUCCESS, len(speeds) + 1, len(speeds) + 1))
        wait_until(lambda: client.base()[3:] == [0, 0, 0])
        x, y, theta = client.base()[:3]
        # What the ramps of opposite speeds leave is v^2 / a.
        tap.equal((abs(x - 0.3**2 / 5) < 0.02, abs(y) < 0.02, abs(theta - 0.6**2 / 5) < 0.02), (True, True, True))


def frames_of_speeds_bring_a_device_of_positions_as_far_as_they_say():
    """The head takes only positions. No time between two frames is lost."""
    with served() as server:
        client = Client(port_of(server))
        client.session(begin(3, PLAYBACK, 21, 2_000_000))
        for i in range(21):
            speed = 300_000 if i < 20 else 0
            client.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, speed), 1), mode=PLAYBACK, sequence=3, time=100_000 * i)
        tap.equal(struct.unpack_from(">IBxxxII", client.await_record(0x8002)), (3, SUCCESS, 21, 21))
        wait_until(lambda: abs(client.state()[3][0] - 0.6) < 0.01)
        wait_until(lambda: client.state()[3][1] == 0)
        tap.equal(abs(client.state()[3][0] - 0.6) < 0.01, True)


def frames_are_never_early():
    """The start of a command is on the server's clock: at its time or later."""
    with served() as server:
        client = Client(port_of(server))
        start = client.server_time() + 200_000
        for i in range(10):
            client.command(set_dof(1, 1, 0.01 * i, tag=10 + i), mode=DELAY, time=start + 20_000 * i, flags=ACK)
        for i in range(10):
            signal = client.signal(10 + i, 1)
            tap.equal((signal.start, signal.signal in (SUCCESS, MODIFIED)), (start + 20_000 * i, True))


def a_device_that_takes_only_speeds_is_brought_to_positions():
    text = (ROOT / "configs/motion-puma.cfg").read_text().replace("motion-puma.world", str(ROOT / "configs/motion-puma.world"))
    with served(text.replace('urdf "puma560.urdf"', 'urdf "puma560.urdf" control [ "waist speed" "grip speed" ]')) as server:
        client = Client(port_of(server))
        client.command(move((1, 0, 0.8), (3, 0, -0.5), (7, 0, 0.02), tag=1))
        tap.equal([client.signal(1).final, client.signal(1).signal], [0, SUCCESS])
        wait_until(lambda: all(abs(client.state()[i][0] - value) < 0.005 for i, value in ((0, 0.8), (1, 0), (2, -0.5), (6, 0.02))))
        client.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, -300_000), 2))
        wait_until(lambda: client.state()[0][0] < 0.6)
        tap.equal(abs(client.state()[2][0] + 0.5) < 0.02, True)  # the others stay


def a_device_that_takes_only_positions_moves_with_speeds():
    with served() as server:
        client = Client(port_of(server))
        client.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, 300_000), 1))
        tap.equal(client.signal(1).final, 0)
        wait_until(lambda: client.state()[3][0] > 0.3)
        client.command(record(0x0202, struct.pack(">HHxxxxq", 1, 0, 0), 2))
        tap.equal(client.signal(1, 1).signal, MODIFIED)
        there = client.state()[3][0]
        wait_until(lambda: client.state()[3][1] == 0)
        tap.equal(client.state()[3][0] - there < 0.2, True)


# ---- Clients -----------------------------------------------------------------------------------


def a_dof_has_one_client():
    with served() as server:
        first, second = Client(port_of(server), "first"), Client(port_of(server), "second")
        first.command(setspeed(0.1, tag=1))
        tap.equal(first.signal(1).final, 0)
        second.command(setspeed(0.1, tag=1), set_dof(1, 0, 0.1, tag=2))
        signal = second.signal(1)
        tap.equal((signal.signal, signal.text), (3, "base is moved by first"))
        tap.equal(second.signal(2, 1).signal, SUCCESS)
        first.close()
        wait_until(lambda: not second.ask(0x0409)[0:2] != b"\0\0")
        second.command(setspeed(0.1, tag=3))
        tap.equal(second.signal(3).final, 0)


def a_second_connection_with_the_token_is_the_same_client():
    with served() as server:
        client = Client(port_of(server), "first")
        second = Client(port_of(server), token=client.token)
        tap.equal((second.number, second.token), (client.number, client.token))
        client.command(setspeed(0.1, tag=1))
        tap.equal(client.signal(1).final, 0)
        second.session(rate(0, tag=5))  # a hold
        tap.equal(client.signal(5).signal, SUCCESS)
        wait_until(lambda: client.base()[3] == 0)
        second.session(rate(1, tag=6))
        tap.equal(client.signal(6).signal, SUCCESS)
        wait_until(lambda: client.base()[3] > 0.05)
        client.close()  # the second one is the client still
        second.session(record(0x0508, struct.pack(">I", 0), 7))
        tap.equal(second.signal(7).signal, SUCCESS)
        stranger = Client(port_of(server), greet=False)
        stranger.send(package(SESSION, hello(token=bytes(range(16)), tag=4)))
        tap.equal((stranger.signal(4).signal, stranger.records), (ERROR, []))


def a_client_that_is_silent_is_stopped():
    with served() as server:
        client = Client(port_of(server), lease=300_000)
        tap.equal(client.lease, 300_000)
        client.command(setspeed(0.1, tag=1))
        signal = client.signal(1, 1)
        tap.equal((signal.signal, signal.text), (INTERRUPTED, "the lease has ended"))
    with served(FAKE.replace("device_lease 60", "device_lease 60 lease 0.4")) as server:
        tap.equal(Client(port_of(server)).lease, 400_000)  # of the robot


def frames_of_a_lost_client_can_be_finished():
    """With on_lost, what waits plays without its client until the lease ends: the third frame is the end of it."""
    text = FAKE.replace("device_lease", 'on_lost "finish" device_lease')
    tap.equal("finish" in text, True)
    with served(text) as server:
        watcher, lost = Client(port_of(server), lease=30_000_000), Client(port_of(server), name="lost", lease=3_000_000)
        now, places, held = watcher.server_time(), set(), True
        for after, value in ((500_000, 0.2), (1_500_000, 0.4), (20_000_000, 0.6)):
            lost.command(set_dof(1, 0, value), mode=DELAY, time=now + after)
        tap.equal(lost.ask(0x0408)[:4], struct.pack(">I", 3))
        lost.close()
        while held:
            places.add(round(watcher.state()[3][0], 3))
            held = watcher.ask(0x0409)[:2] != bytes(2)
        tap.equal((0.4 in places, max(places)), (True, 0.4))


def keepalive_s(port, peer):
    """When the server's socket of a connection asks next whether its peer is there, in s."""
    for line in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(f":{port:04X}") and fields[2].endswith(f":{peer:04X}"):
            timer, ticks = fields[5].split(":")
            return int(ticks, 16) / os.sysconf("SC_CLK_TCK") if timer == "02" else None
    return None


def a_connection_lasts_as_long_as_a_long_lease():
    """A bad network may be silent for so long: the server does not give the connection up before."""
    with served() as server:
        port = port_of(server)
        usual, long = Client(port), Client(port, lease=30_000_000)
        wait_until(lambda: keepalive_s(port, usual.socket.getsockname()[1]) is not None)
        wait_until(lambda: keepalive_s(port, long.socket.getsockname()[1]) is not None)
        first, second = (keepalive_s(port, client.socket.getsockname()[1]) for client in (usual, long))
        assert first <= 7 < 10 < second, (first, second)


# ---- Panic -------------------------------------------------------------------------------------


def a_panic_needs_32_bytes():
    """Byte by byte, with fields that make no sense and a payload that never comes."""
    with served() as server:
        moving = Client(port_of(server))
        moving.command(setspeed(0.1, tag=1))
        tap.equal(moving.signal(1).final, 0)
        client = Client(port_of(server), greet=False)
        header = b"RT" + bytes([99, PANIC | RESET | 0x80, 77, 66]) + bytes([255] * 26)
        for i in range(31):
            client.send(header[i:i + 1])
        moving.base()
        client.send(header[31:])
        signal = client.signal()
        tap.equal((signal.signal, signal.epoch, signal.tag), (PANICKED, 1, 0))
        signal = moving.signal(1, 1)
        tap.equal((signal.signal, signal.epoch), (PANICKED, 1))
        moving.command(setspeed(0.1, tag=2), set_dof(1, 0, 0.1, tag=3))
        tap.equal([moving.signal(2).signal, moving.signal(3).epoch], [PANICKED, 1])
        moving.send(package(SESSION, flags=RESET, sequence=1))
        tap.equal(moving.signal(0).signal, SUCCESS)
        moving.send(package(SESSION, flags=PANIC))
        tap.equal(moving.signal(0).epoch, 3)
        moving.send(package(SESSION, flags=RESET, sequence=1))  # an older one
        tap.equal(moving.signal(0).signal, ERROR)
        tap.equal(Client(port_of(server)).panicked, 1)
        moving.send(package(SESSION, flags=RESET, sequence=3))
        tap.equal(moving.signal(0).signal, SUCCESS)
        moving.command(setspeed(0.1, tag=4))
        tap.equal(moving.signal(4).final, 0)


def it_is_the_panic_of_the_server():
    with served() as server:
        client = Client(port_of(server))
        client.send(package(SESSION, flags=PANIC))
        tap.equal(client.signal(0).signal, PANICKED)
        result = tap.run([PROGRAM, "reset", f"localhost:{server.address[1]}"])
        tap.equal(result.returncode, 0)
        wait_until(lambda: Client(port_of(server)).panicked == 0)
        client.command(setspeed(0.1, tag=4))
        tap.equal(client.signal(4).final, 0)
        tap.run([PROGRAM, "panic", f"localhost:{server.address[1]}"])
        tap.equal(client.signal(4, 1).signal, PANICKED)


def a_panic_behind_packages_that_wait_is_seen():
    """The client floods with packages that are not valid, and its panic is in the same bytes."""
    with served() as server:
        client = Client(port_of(server))
        client.send(package(COMMAND, *[record(0x0205, b"\xff\xff" + bytes(6))] * 20) * 200 + package(SESSION, flags=PANIC))
        signal = client.signal(0)
        while signal.signal != PANICKED:
            signal = client.signal(0)
        tap.equal(signal.epoch, 1)


# ---- Hostile -----------------------------------------------------------------------------------


def packages_that_are_wrong_are_refused_as_a_whole():
    with served() as server:
        client = Client(port_of(server))
        wrong = [b"RT\x02" + package(QUERY)[3:],  # the version
                 package(9, record(0x0407)),
                 package(REPLY := 4, record(0x8001)),
                 package(QUERY, record(0x0407, b"x")),
                 package(COMMAND, setspeed(0.1, tag=5), record(0x0999, tag=6)),
                 package(COMMAND, setspeed(0.1, tag=5))[:-1] + b"",
                 b"RT\x01\x00\x02\x00\x00\x01\x00\x00\x00\x09\x00\x20\x00\x00" + bytes(16) + bytes(0x200000)]
        wrong[5] = package(COMMAND, setspeed(0.1, tag=5))[:6] + b"\0\2" + package(COMMAND, setspeed(0.1, tag=5))[8:]
        wrong += [package(COMMAND)[:6] + b"\0\5" + package(COMMAND)[8:],
                  package(COMMAND, setspeed(0.1, tag=5), record(0x0202, struct.pack(">HHIq", 1, 0, 1, 0), 6)),  # a reserved byte
                  package(COMMAND, setspeed(0.1, tag=5), record(0x0202, struct.pack(">HHIq", 1, 0, 0, 1 << 62 | 1), 6)),
                  package(SESSION, rate(1.000001, tag=5)),
                  package(SESSION, record(0x0501, b"a\0b".ljust(56, b"\0"), 5))]
        for data in wrong:
            client.send(data)
            signal = client.signal(0)
            tap.equal((signal.signal, signal.text != ""), (ERROR, True))
        tap.equal(client.base()[3], 0)


def a_reset_that_is_refused_as_a_whole_resets_nothing():
    with served() as server:
        client = Client(port_of(server))
        client.send(package(SESSION, flags=PANIC))
        epoch = client.signal(0).epoch
        for data in (package(SESSION, record(0x0599), flags=RESET, sequence=epoch), package(4, flags=RESET, sequence=epoch),
                     package(QUERY, record(0x0407, b"x"), flags=RESET, sequence=epoch)):
            client.send(data)
            tap.equal(client.signal(0).signal, ERROR)
            client.command(setspeed(0.1, tag=5))
            tap.equal(client.signal(5).signal, PANICKED)
        client.session(flags=RESET, sequence=epoch)
        tap.equal(client.signal(0).signal, SUCCESS)


def a_package_without_commands_is_a_frame():
    """It counts in its sequence. With CLEAR it drops what waits."""
    with served() as server:
        client = Client(port_of(server), lease=20_000_000)
        client.session(begin(3, PLAYBACK, 3, 400_000, tag=1))
        client.signal(1)
        for i, records in enumerate(([move((1, 0, 0.02))], [], [move((1, 0, 0.0))])):
            client.command(*records, mode=PLAYBACK, time=200_000 * i, sequence=3)
        _, signal, frames, played = struct.unpack_from(">IBxxxII", client.await_record(0x8002))
        tap.equal((signal, frames, played), (SUCCESS, 3, 3))
        later = client.server_time() + 20_000_000
        client.command(set_dof(1, 0, 0.5, tag=5), mode=DELAY, flags=ACK, time=later)
        client.command(mode=DELAY, flags=motion.CLEAR, time=later)
        tap.equal((client.signal(5).text), "cleared")


def foreign_bytes_end_the_connection():
    with served() as server:
        for data in (b"GET / HTTP/1.0\r\n\r\n" + b"x" * 32, bytes(64), package(QUERY) + b"TR" + bytes(40)):
            client = Client(port_of(server), greet=False)
            client.send(data)
            while client.read():
                pass
        Client(port_of(server)).base()


def what_comes_before_hello_is_refused():
    with served() as server:
        client = Client(port_of(server), greet=False)
        client.send(package(QUERY, record(0x0407, tag=1)))
        tap.equal(client.signal(0).text, "HELLO comes first")
        client.session(record(0x0502, struct.pack(">Q", 42), 2))
        sent, received, answered = struct.unpack(">QQQ", client.await_record(0x8502, 2))
        tap.equal((sent, 0 < received <= answered), (42, True))


def without_the_right_to_real_time_motion_plays_and_the_operator_is_told():
    """The right is dropped before the program starts, so that root tests the same."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(FAKE.replace("base_acceleration", "realtime 7 base_acceleration"))
        file.flush()
        without = ["/usr/bin/python3", "-c", "import ctypes, os, resource, sys; ctypes.CDLL(None).prctl(24, 23, 0, 0, 0); "
                   "resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0)); os.execv(sys.argv[1], sys.argv[1:])"]
        with player.launched([*without, str(pathlib.Path(PROGRAM).resolve()), "run", file.name, "--any-port"]) as server:
            client = Client(port_of(server))
            client.command(set_dof(1, 0, 0.1, tag=1))
            tap.equal(client.signal(1, 1).signal, SUCCESS)
            line = server.process.stderr.readline()
            tap.equal("head: timed commands are played without it: the real-time priority 7 is not permitted" in line, True)


def a_flood_does_not_slow_others():
    """A client sends as much as it can and reads nothing; another one is answered all the time."""
    with served() as server:
        flood, polite = Client(port_of(server)), Client(port_of(server))
        flood.socket.setblocking(False)
        data = package(QUERY, *[record(0x0402, b"\0\0\xff\xff")] * 50) * 20
        at = sent = 0
        for _ in range(200):
            try:
                at += flood.socket.send(data[at:])
                sent += at == len(data)
                at %= len(data)
            except BlockingIOError:
                pass
            except ConnectionError:  # it has not taken its answers
                flood = Client(port_of(server))
                flood.socket.setblocking(False)
                at = 0
            polite.command(set_dof(1, 0, 0.1, tag=9))
            tap.equal(polite.signal(9, 1).signal in (SUCCESS, MODIFIED), True)
        tap.equal(server.memory() < 1 << 30, True)


# ---- Rights ------------------------------------------------------------------------------------

KEYS = 'keys [ "anna move drive on and on and on" "boss operate decide for all of us" ]\n'


def prove(client, key):
    client.session(record(0x050C, tag=1))
    nonce = client.await_record(0x850C, 1)
    client.session(record(0x050D, hmac.new(key.encode(), nonce, hashlib.sha256).digest(), 2))
    return client.await_record(0x850D, 2)[0]


def a_reader_moves_nothing_until_it_shows_a_key():
    with served(KEYS + FAKE) as server:
        client = Client(port_of(server))
        tap.equal(client.right < 2, True)
        client.command(setspeed(0.1, tag=1))
        signal = client.signal(1)
        tap.equal((signal.signal, "right" in signal.text), (ERROR, True))
        client.session(rate(0, 1, tag=2))
        tap.equal(client.signal(2).signal, ERROR)
        client.state()
        client.session(record(0x050D, bytes(32), 3))
        tap.equal(client.signal(3).signal, ERROR)  # there was no challenge
        tap.equal(prove(client, "drive on and on and on"), 2)
        client.command(setspeed(0.1, tag=4))
        tap.equal(client.signal(4).final, 0)
        boss = Client(port_of(server), "boss")
        tap.equal(prove(boss, "decide for all of us"), 3)
        boss.command(setspeed(0.05, tag=5))  # an operator overrides
        tap.equal(boss.signal(5).final, 0)
        signal = client.signal(4, 1)
        tap.equal((signal.signal, signal.text), (INTERRUPTED, "boss has a higher rank"))


# ---- Parts -------------------------------------------------------------------------------------


def the_head_is_on_another_server():
    with player.server(PROGRAM, 'driver ( name "fake" provides [ "ptz:0" ] rate 100 )') as other:
        text = FAKE.replace('"position2d:0" "ptz:0" ] rate 100 )',
                            f'"position2d:0" ] rate 100 )\ndriver ( name "remote" url "localhost:{other.address[1]}" provides [ "ptz:0" ] )')
        with served(text) as server:
            client = Client(port_of(server))
            client.command(set_dof(1, 0, 0.5, tag=1), setspeed(0.1, tag=2))
            tap.equal([client.signal(1).final, client.signal(1, 1).signal], [0, SUCCESS])
            wait_until(lambda: abs(client.state()[3][0] - 0.5) < 0.02)


def another_device_takes_over_while_a_sequence_plays():
    text = FAKE.replace('"ptz:0" ]', '"ptz:0" "ptz:1" ]', 1).replace('"head:::ptz:0" ]', '"head:::ptz:0" "head:::ptz:1" ]')
    with served(text) as server:
        where = f"localhost:{server.address[1]}"

        def bind(number):
            return tap.run([PROGRAM, "request", where + "/mechanism:0", "BIND", f'{{"key":"head","number":{number}}}'])

        client = Client(port_of(server))
        client.command(set_dof(1, 0, 0.5, tag=1))
        tap.equal(client.signal(1, 1).signal, SUCCESS)
        wait_until(lambda: abs(client.state()[3][0] - 0.5) < 0.02)
        result = bind(1)
        tap.equal((result.returncode, "head, dof 0: the device is at 0 instead of 0.5" in result.stderr), (1, True))
        client.command(set_dof(1, 0, 0.03, tag=2))
        tap.equal(client.signal(2, 1).signal, SUCCESS)
        wait_until(lambda: abs(client.state()[3][0] - 0.03) < 0.01)
        client.session(begin(7, PLAYBACK, 100, 1_000_000))
        for i in range(100):
            client.command(set_dof(1, 0, 0.03 + 0.0001 * i), mode=PLAYBACK, sequence=7, time=10_000 * i)
        client.session(end(7, 100))
        result = bind(1)
        tap.equal((result.returncode, result.stderr), (0, ""))
        tap.equal(struct.unpack_from(">IBxxxII", client.await_record(0x8002)), (7, SUCCESS, 100, 100))
        wait_until(lambda: abs(client.state()[3][0] - 0.0399) < 0.01)
        client.command(set_dof(1, 0, 0.4, tag=3))
        tap.equal(client.signal(3, 1).signal, SUCCESS)
        result = tap.run([PROGRAM, "print", where + "/ptz:1", "--count", "1"])
        tap.equal("pan: 0.4" in result.stdout, True)


GRIPPER = """<robot name="gripper"><link name="palm"/><link name="left"/><link name="right"/>
<joint name="open" type="revolute"><parent link="palm"/><child link="left"/><limit lower="0" upper="0.5" velocity="1" effort="1"/></joint>
<joint name="passive" type="revolute"><parent link="palm"/><child link="right"/><limit lower="0" upper="0.5" velocity="1" effort="1"/>
<mimic joint="open" multiplier="-1"/></joint></robot>"""


def limits_of_a_passive_joint_do_not_keep_its_master():
    """As in the description of a well-known robot, whose grippers could not open."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "gripper.urdf")
        path.write_text(GRIPPER)
        result = tap.run([PROGRAM, "motion", "check", str(path)])
        tap.equal((result.returncode, result.stdout.rsplit(", ")[-1]), (0, "1 warning\n"))
        with served(f"""front ( name "motion" ) driver ( name "fake" provides [ "position1d:0" ] rate 50 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "open:::position1d:0" ] urdf "{path}" device_lease 60 )""") as server:
            client = Client(port_of(server))
            client.command(set_dof(1, 0, 0.4, tag=1))
            signal = client.signal(1, 1)
            tap.equal((signal.signal, signal.text), (SUCCESS, "done"))


def a_list_of_joints_has_those_that_move():
    """Another one would shift the actuators of those behind it."""
    text = """driver ( name "fake" provides [ "actarray:0" ] )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "open:::actarray:0" ] urdf "gripper.urdf" joints [ "open %s" ] )"""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "gripper.urdf").write_text(GRIPPER)
        config = pathlib.Path(folder, "gripper.cfg")
        for joints, code, reason in (("open", 0, ""), ("passive open", 1, "open: joint passive does not move by itself")):
            config.write_text(text % joints)
            result = tap.run([PROGRAM, "check", str(config)])
            tap.equal((result.returncode, reason in result.stderr), (code, True))


def a_key_can_be_a_long_name_and_has_to_be_one():
    """Names of 38 bytes that differ at the end; texts about a key that no device has."""
    keys = ["left_front_wheel_steering_hinge_joint_" + end for end in "ab"]
    joints = "".join(f'<joint name="{key}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
                     '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>' for i, key in enumerate(keys))
    text = """front ( name "motion" ) driver ( name "fake" provides [ "position1d:0" "position1d:1" ] rate 50 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "%s:::position1d:0" "%s:::position1d:1" ] urdf "long.urdf" %s )"""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "long.urdf").write_text(f'<robot name="long"><link name="l0"/><link name="l1"/><link name="l2"/>{joints}</robot>')
        config = pathlib.Path(folder, "long.cfg")
        for more, code in (("", 0), (f'control [ "{keys[1]} speed" ]', 0), ('control [ "left speed" ]', 1), ('joints [ "left l0" ]', 1)):
            config.write_text(text % (*keys, more))
            result = tap.run([PROGRAM, "check", str(config)])
            tap.equal((result.returncode, 'no device in `requires` has the key "left"' in result.stderr), (code, code == 1))
        config.write_text(text % (*keys, "device_lease 60"))
        with player.launched([PROGRAM, "run", str(config), "--any-port"]) as server:
            client = Client(port_of(server))
            client.command(move((1, 0, 0.2), (2, 0, 0.3), tag=1))
            tap.equal(client.signal(1, 1).signal, SUCCESS)


def a_device_with_too_few_actuators_is_named():
    """The actarray of `fake` has six."""
    links = "".join(f'<link name="l{i}"/>' for i in range(8))
    joints = "".join(f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
                     '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>' for i in range(7))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "seven.urdf")
        path.write_text(f'<robot name="seven">{links}{joints}</robot>')
        with served(f"""front ( name "motion" ) driver ( name "fake" provides [ "actarray:0" ] rate 50 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "j0:::actarray:0" ] urdf "{path}" )""") as server:
            client = Client(port_of(server), greet=False)
            client.session(hello())
            tap.equal(client.signal(1).text, "j0: the device has 6 actuators for 7 dofs")


def a_robot_of_a_file_that_says_nothing_of_wheels_drives():
    text = """front ( name "motion" ) driver ( name "fake" provides [ "position2d:0" "position1d:0" ] rate 50 )
driver ( name "motion" provides [ "mechanism:0" ] requires [ "position2d:0" "open:::position1d:0" ] urdf "%s" device_lease 60 )"""
    with tempfile.TemporaryDirectory() as folder:
        plain, fixed = pathlib.Path(folder, "plain.urdf"), pathlib.Path(folder, "fixed.urdf")
        plain.write_text(GRIPPER)
        fixed.write_text(GRIPPER.replace("</robot>", '<troupe><base type="fixed"/></troupe></robot>'))
        with served(text % plain) as server:
            client = Client(port_of(server))
            client.command(goto(0.1, 0, 0, tag=1))
            tap.equal(client.signal(1, 1).signal, SUCCESS)
        config = pathlib.Path(folder, "fixed.cfg")
        config.write_text(text % fixed)
        result = tap.run([PROGRAM, "check", str(config)])
        tap.equal("a position2d moves a planar base, and gripper says that its base is another" in result.stderr + result.stdout, True)


def the_client_of_the_page_plays_on_unknown_robots():
    """It is written from the page alone, and has 80 lines with something on them."""
    page = (ROOT / "docs/motion-protocol.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    tap.equal(sum(map(bool, code.splitlines())) <= 80, True)
    with tempfile.TemporaryDirectory() as folder:
        client = pathlib.Path(folder, "dance.py")
        client.write_text(code)
        wheels = FAKE.replace(' "head:::ptz:0" ]', " ]")  # nothing moves the head
        for text, joints in ((FAKE, ["base: 3 dofs", "head: 2 dofs"]), (patient_arm(), ["base: 0 dofs", "waist: 1 dofs"]),
                             (wheels, ["base: 3 dofs", "head: 2 dofs"])):
            with served(text) as server:
                result = tap.run([sys.executable, client, "127.0.0.1", str(port_of(server))])
                lines = result.stdout.splitlines()
                tap.equal((result.returncode, result.stderr, lines[:2], lines[-1]), (0, "", joints, "SUCCESS: 41 of 41 frames, done"))
                tap.equal([line for line in lines if line.startswith("NA")], [])


tap.main(the_client_of_the_page_plays_on_unknown_robots, a_list_of_joints_has_those_that_move, a_key_can_be_a_long_name_and_has_to_be_one, a_device_with_too_few_actuators_is_named, a_robot_of_a_file_that_says_nothing_of_wheels_drives, limits_of_a_passive_joint_do_not_keep_its_master, a_base_with_a_head_moves, a_goal_on_the_map_is_driven_to, a_device_that_takes_forces_gets_currents,
         a_limb_moves_joints_by_its_tip, the_speed_of_a_head_is_measured, a_goto_is_as_fast_as_the_rate_says,
         a_begin_that_is_refused_in_a_panic_names_its_tag, a_summary_tells_of_frames_and_signals_of_commands,
         a_player_client_sees_and_takes_the_same_robot, an_arm_moves_its_joints_together, a_sequence_is_played,
         a_dance_of_base_and_head_comes_back, frames_of_speeds_bring_a_device_of_positions_as_far_as_they_say, frames_are_never_early, a_device_that_takes_only_speeds_is_brought_to_positions,
         a_device_that_takes_only_positions_moves_with_speeds, a_dof_has_one_client, a_second_connection_with_the_token_is_the_same_client,
         a_client_that_is_silent_is_stopped, frames_of_a_lost_client_can_be_finished, a_connection_lasts_as_long_as_a_long_lease, a_panic_needs_32_bytes, it_is_the_panic_of_the_server,
         a_panic_behind_packages_that_wait_is_seen, without_the_right_to_real_time_motion_plays_and_the_operator_is_told,
         packages_that_are_wrong_are_refused_as_a_whole, a_reset_that_is_refused_as_a_whole_resets_nothing, a_package_without_commands_is_a_frame, foreign_bytes_end_the_connection,
         what_comes_before_hello_is_refused, a_flood_does_not_slow_others, a_reader_moves_nothing_until_it_shows_a_key,
         the_head_is_on_another_server, another_device_takes_over_while_a_sequence_plays)
