#!/usr/bin/env python3
"""Robots that are described by files and what goes wrong with them: each fault has its own sentence, and a robot that is
back is found again. The robots are emulated ones in lockstep. argv: the troupe program, source root."""
import contextlib
import fcntl
import os
import pathlib
import re
import signal
import socket
import tempfile

import cli
import tap
from robots import Emulated, Program, address, serve

PROVIDES = '"position2d:0" "aio:0" "power:0"'


@contextlib.contextmanager
def plugged(make, *options):
    """An emulated robot on a pseudo-terminal whose path stays the same: (robot, path)."""
    with tempfile.TemporaryDirectory() as folder:
        link = f"{folder}/{make}"
        with Emulated(make, "--link", link, *options) as robot:
            yield robot, link


def served(url, make="nxt", provides=PROVIDES):
    return serve(url, provides, make, "alwayson 1 restart 1")


def url_of(server):
    return f"localhost:{address(server, r'listening on port ([0-9]+)')}"


def answers(url):
    """Wait until the robot has sent data. That it has failed may come before."""
    with Program("print", "power:0", "--url", url) as reader:
        reader.await_line(r"percent: ")


def a_robot_that_is_unplugged_is_found_again():
    with plugged("nxt") as (robot, link), served(f"serial:{link}") as server:
        url = url_of(server)
        answers(url)
        robot.command("fault nxt unplugged", 2)
        server.await_line(r"robotfile0: .*the other side is gone")
        server.await_line(r"robotfile0: open serial:\S+: no such file or directory \(is it plugged in\?\)")
        robot.command("mend nxt unplugged", 2)
        answers(url)


def is_told(fault, sentence, make="nxt"):
    with plugged(make) as (robot, link), served(f"serial:{link}", make, '"power:0"') as server:
        url = url_of(server)
        answers(url)
        robot.command(f"fault {make} {fault}")
        with Program("print", "power:0", "--url", url):
            server.await_line(sentence)
        robot.command(f"mend {make} {fault}")
        answers(url)


def a_silent_robot_is_told():
    is_told("silent", r"robotfile0: nxt: Battery: robot silent: no reply in time( \(is the line at [0-9]+ baud\?\))?$")


def a_reply_of_another_length_is_told():
    is_told("short", r"robotfile0: nxt: Battery: robot silent: the reply ends too early, after 6 bytes: 05 00 02 0b 00 98")


def wrong_bytes_are_told():
    is_told("wrong", r"robotfile0: nxt: Battery: robot (silent: (no reply in time; bytes came that fit nothing: |the reply "
                     r"ends too early)|refused: status )")


def an_empty_battery_is_told():
    with plugged("nxt", "--fault", "battery") as (_, link), served(f"serial:{link}") as server:
        server.await_line(r"robotfile0: nxt: the battery is nearly empty: [0-9]+ %")


def a_port_that_another_program_has_is_told():
    with plugged("nxt") as (_, link):
        held = os.open(link, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(held, fcntl.LOCK_EX)
        with served(f"serial:{link}") as server:
            url = url_of(server)
            server.await_line(r"robotfile0: open serial:\S+: another program has it open")
            os.close(held)
            answers(url)


def a_wrong_speed_is_told():
    with plugged("create1") as (_, link), served(f"serial:{link}?baud=19200", "create") as server:
        server.await_line(r"robotfile0: create: robot silent: no reply in time.* \(is the line at 57600 baud\?\)")


def a_missing_permission_is_told():
    with plugged("nxt") as (_, link):
        os.chmod(link, 0)
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(f'driver ( name "robotfile" robot "nxt" port "serial:{link}" provides [ "power:0" ] alwayson 1 )')
            file.flush()
            os.chmod(file.name, 0o644)
            os.chmod(os.path.dirname(link), 0o755)
            become = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.getuid() == 0 else ()
            with Program("run", file.name, "--any-port", before=become) as server:
                server.await_line(r"robotfile0: open serial:\S+: permission denied \(are you in the group \w+\?\)")


# ---- Lines that are cut while the robot drives ----

STOP = bytes.fromhex("0c 00 80 04 ff 00 07 01 00 20 00 00 00 00".replace(" ", ""))
FORWARD = bytes.fromhex("04 02 32")  # the output of one wheel, half its power
DRIVES = '{"vel":{"px":0.15},"state":1}'


class Cuttable:
    """An NXT at the end of a TCP connection that can be cut: it notes bytes and answers nothing."""

    def __init__(self):
        self.socket, self.line = None, None
        self.port = 0
        self.plug()

    def plug(self):
        self.socket = socket.create_server(("127.0.0.1", self.port))
        self.socket.settimeout(60)
        self.port = self.socket.getsockname()[1]

    def cut(self):
        self.line.close()
        self.socket.close()

    def accept(self):
        self.line, _ = self.socket.accept()
        self.line.settimeout(60)

    def first(self, count):
        self.accept()
        return self.line.recv(count, socket.MSG_WAITALL)

    def await_bytes(self, wanted):
        seen = b""
        while wanted not in seen:
            more = self.line.recv(1)
            assert more, f"the line ended after {seen.hex(' ')}"
            seen += more
        return seen

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()


def drive_and_cut(robot, server):
    """A client drives the robot, the line is cut, and the client leaves while it is away: the server's URL."""
    url = url_of(server)
    with Program("send", "position2d:0", "VEL", DRIVES, "--for", "60", "--url", url):
        robot.accept()
        robot.await_bytes(FORWARD)
        robot.cut()
        server.await_line(r"robotfile0: ")
    return url


def stands(robot):
    """Nothing but the stop moves the motors until the robot is asked for its battery."""
    tap.equal(FORWARD in robot.await_bytes(bytes.fromhex("02 00 00 0b")), False)


def a_line_that_comes_back_is_stopped_first(more="alwayson 1 restart 1"):
    with Cuttable() as robot, serve(f"tcp:127.0.0.1:{robot.port}", PROVIDES, "nxt", more) as server:
        drive_and_cut(robot, server)
        robot.plug()
        tap.equal(robot.first(len(STOP)), STOP)
        if "alwayson" in more:
            stands(robot)


def so_is_one_that_nobody_uses_any_more():
    a_line_that_comes_back_is_stopped_first("restart 1")


def each_time_it_comes_back():
    with Cuttable() as robot, serve(f"tcp:127.0.0.1:{robot.port}", PROVIDES, "nxt", "alwayson 1 restart 1") as server:
        drive_and_cut(robot, server)
        for _ in range(2):
            robot.plug()
            tap.equal(robot.first(len(STOP)), STOP)
            robot.cut()


def so_is_one_with_stop_bytes_of_the_section():
    more = 'alwayson 1 restart 1 guard "HALT"'
    with Cuttable() as robot, serve(f"tcp:127.0.0.1:{robot.port}", PROVIDES, "nxt", more) as server:
        drive_and_cut(robot, server)
        robot.plug()
        tap.equal(robot.first(4), b"HALT")


def is_named_until_stopped(robot, url, name):
    """In a panic, while the line is away; then its stop is written in the panic."""
    result = cli.troupe("panic", url=url)
    tap.equal(result.returncode, 1)
    assert re.search(rf"NOT STOPPED YET: {name} \(.*whether it has stopped is not known\)", result.stderr), result
    assert f"{name} (" in cli.troupe("list", url=url).stdout
    robot.plug()
    tap.equal(robot.first(len(STOP)), STOP)
    while cli.troupe("panic", url=url).returncode != 0:  # waits for 2 s itself
        pass
    tap.equal(cli.troupe("reset", url=url).returncode, 0)
    stands(robot)


def a_panic_names_it_until_its_stop_is_written(more=""):
    with Cuttable() as robot, serve(f"tcp:127.0.0.1:{robot.port}", PROVIDES, "nxt", "alwayson 1 restart 1 " + more) as server:
        is_named_until_stopped(robot, drive_and_cut(robot, server), "robotfile0")


def so_is_one_in_a_process_of_its_own():
    a_panic_names_it_until_its_stop_is_written("isolated yes")


def so_is_one_of_another_server():
    with Cuttable() as robot, serve(f"tcp:127.0.0.1:{robot.port}", PROVIDES, "nxt", "alwayson 1 restart 1") as far:
        there = url_of(far)
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(f'driver ( name "remote" url "tcp:{there}" provides [ "position2d:0" ] alwayson 1 )\n')
            file.flush()
            with Program("run", file.name, "--any-port") as near:
                url = url_of(near)
                with Program("send", "position2d:0", "VEL", DRIVES, "--for", "60", "--url", url):
                    robot.accept()
                    robot.await_bytes(FORWARD)
                    robot.cut()
                    near.await_line(r"remote0: .*robotfile0: ")
                    result = cli.troupe("print", "position2d:0", "-n", "1", "--timeout", "0.5", url=url)
                    assert re.search(r"^troupe print: nothing comes: remote0: .*robotfile0: ", result.stderr), result
                is_named_until_stopped(robot, url, "remote0")


def child_of(process):
    """The process of its isolated driver."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == process.pid and b"\0--child\0" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    tap.equal(len(found), 1)
    return found[0]


def one_that_is_not_running_for_another_reason_is_not_named():
    """A driver there that was killed owes nothing, though another one there has lost its line."""
    with Cuttable() as robot, tempfile.NamedTemporaryFile("w", suffix=".cfg") as file, tempfile.NamedTemporaryFile("w", suffix=".cfg") as other:
        file.write(f'driver ( name "robotfile" robot "nxt" port "tcp:127.0.0.1:{robot.port}" provides [ {PROVIDES} ] alwayson 1 restart 1 )\n'
                   'driver ( name "fake" provides [ "position2d:1" ] isolated yes alwayson 1 restart 0 )\n')
        file.flush()
        with Program("run", file.name, "--any-port") as far:
            there = url_of(far)
            other.write(f'driver ( name "remote" url "tcp:{there}" provides [ "position2d:1" ] alwayson 1 )\n')
            other.flush()
            with Program("run", other.name, "--any-port") as near:
                url = url_of(near)
                with Program("print", "position2d:1", "-n", "1", "--url", url) as reader:
                    reader.await_line("px")
                with Program("send", "position2d:0", "VEL", DRIVES, "--for", "60", "--url", there):
                    robot.accept()
                    robot.await_bytes(FORWARD)
                    robot.cut()
                    far.await_line(r"robotfile0: ")
                os.kill(child_of(far.process), signal.SIGKILL)
                far.await_line(r"fake0: .*killed by signal 9")
                result = cli.troupe("panic", url=there)
                assert "NOT STOPPED YET: robotfile0 (" in result.stderr, result
                result = cli.troupe("panic", url=url)
                tap.equal((result.returncode, result.stderr), (0, ""))


def list_of(url):
    return cli.troupe("list", url=url).stdout


def one_of_another_server_is_seen_until_it_works_again():
    """Also without clients that command it, and if it sends nothing by itself."""
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file, tempfile.NamedTemporaryFile("w", suffix=".cfg") as other:
        file.write('driver ( name "fake" provides [ "speech:0" ] isolated yes alwayson 1 restart 1 )\n')
        file.flush()
        with Program("run", file.name, "--any-port") as far:
            other.write(f'driver ( name "remote" url "tcp:{url_of(far)}" provides [ "speech:0" ] alwayson 1 )\n')
            other.flush()
            with Program("run", other.name, "--any-port") as near:
                url = url_of(near)
                while "running" not in list_of(url):
                    pass
                os.kill(child_of(far.process), signal.SIGKILL)
                near.await_line(r"remote0: tcp:\S+: fake0: .*killed by signal 9")
                near.await_line(r"remote0: works again")
                tap.equal("running" in list_of(url), True)


def a_client_that_stays_moves_it_again_behind_the_stop():
    with Cuttable() as robot, serve(f"tcp:127.0.0.1:{robot.port}", PROVIDES, "nxt", "alwayson 1 restart 1") as server:
        url = url_of(server)
        with Program("send", "position2d:0", "VEL", DRIVES, "--repeat", "10", "--for", "60", "--url", url):
            robot.accept()
            robot.await_bytes(FORWARD)
            robot.cut()
            server.await_line(r"robotfile0: ")
            robot.plug()
            tap.equal(robot.first(len(STOP)), STOP)
            with Program("send", "position2d:0", "VEL", DRIVES, "--for", "60", "--url", url):
                robot.await_bytes(FORWARD)


def the_pose_goes_on_where_it_was():
    with plugged("nxt") as (robot, link), served(f"serial:{link}") as server:
        url = url_of(server)
        answers(url)
        with Program("send", "position2d:0", "VEL", DRIVES, "--for", "60", "--url", url):
            with Program("print", "position2d:0", "--json", "--url", url) as reader:
                reader.await_line(r'"pos":{"px":0\.0[1-9]')
                robot.command("fault nxt unplugged", 2)
                server.await_line(r"robotfile0: .*the other side is gone")
        robot.command("mend nxt unplugged", 2)
        answers(url)
        with Program("print", "position2d:0", "-n", "1", "--json", "--url", url) as reader:
            found = reader.await_line(r'"pos":{"px":([0-9.]+),.*"vel":{"px":([0-9.]+),')
            tap.equal((float(found.group(1)) >= 0.01, float(found.group(2))), (True, 0.0))


def readings_in_a_panic_end_with_the_timeout():
    with plugged("nxt") as (_, link), served(f"serial:{link}") as server:
        url = url_of(server)
        answers(url)
        tap.equal(cli.troupe("panic", url=url).returncode, 0)
        result = cli.troupe("print", "aio:0", "--count", "1", "--timeout", "2", url=url)
        tap.equal((result.returncode, result.stdout), (1, ""))
        assert "no data came for 2 s" in result.stderr and "PANIC" in result.stderr, result


# ---- Lines with packets ----

def a_finch_is_opened_as_a_hid_device_and_stopped_by_its_guard():
    with Program("emulate", "finch", "--trace") as robot:
        path = address(robot, r"^finch serial:(\S+)")
        with serve(f"hid:{path}", '"position2d:0" "aio:0"', "finch") as server:
            with Program("send", "position2d:0", "VEL", '{"vel":{"px":0.2}}', "--for", "30", "--url", url_of(server)):
                robot.await_line(r"> 4d 00 aa 00 aa ")
                server.process.kill()
                robot.await_line(r"> 58 00 00 00 00 00 00 ")


def a_tello_is_flown_over_udp_and_stopped_by_its_guard():
    with Program("emulate", "tello", "--trace") as robot:
        line = address(robot, r"^tello (udp:\S+)")
        with serve(line, '"position2d:0" "dio:0" "actarray:0" "ranger:0" "power:0"', "tello", "alwayson 1") as server:
            url = url_of(server)
            answers(url)
            with Program("send", "dio:0", "VALUES", '{"count":1,"digout":1}', "--url", url):
                robot.await_line(r"   takeoff$")
                robot.await_line(r"<.*   ok$")
            with Program("send", "actarray:0", "SPEED", '{"joint":0,"speed":4.71}', "--for", "30", "--url", url):
                robot.await_line(r"   rc 0 0 30 0$")
            robot.await_line(r"   rc 0 0 0 0$")
            with Program("send", "position2d:0", "VEL", '{"vel":{"px":0.15}}', "--for", "30", "--url", url):
                robot.await_line(r"   rc 0 50 0 0$")
                server.process.kill()
                robot.await_line(r"   rc 0 0 0 0$")


def a_tello_that_is_away_is_found_again():
    with Emulated("tello") as robot, served(robot.urls["tello"], "tello", '"power:0"') as server:
        url = url_of(server)
        answers(url)
        robot.command("fault tello unplugged")
        with Program("print", "power:0", "--url", url):
            server.await_line(r"robotfile0: .*udp:\S+: nobody listens at this port")
        robot.command("mend tello unplugged")
        answers(url)


def packets_of_strangers_are_not_heard():
    """A robot on UDP: answers count only from its own address, and two packets are not one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as drone, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        drone.bind(("127.0.0.1", 0))
        drone.settimeout(60)
        with serve(f"udp:127.0.0.1:{drone.getsockname()[1]}", '"power:0"', "tello", "alwayson 1") as server:
            url = url_of(server)
            asked, host = drone.recvfrom(100)
            tap.equal(asked, b"command")
            other.sendto(b"error", host)
            drone.sendto(b"ok", host)
            asked, host = drone.recvfrom(100)
            tap.equal(asked, b"battery?")
            other.sendto(b"11", host)
            drone.sendto(b"77\r\n", host)
            drone.sendto(b"55\r\n", host)
            with Program("print", "power:0", "--url", url) as reader:
                drone.sendto(b"77\r\n", drone.recvfrom(100)[1])
                tap.equal(reader.await_line(r"percent: (\S+)").group(1), "77")


tap.main(a_robot_that_is_unplugged_is_found_again, a_silent_robot_is_told, a_reply_of_another_length_is_told,
         wrong_bytes_are_told, an_empty_battery_is_told, a_port_that_another_program_has_is_told, a_wrong_speed_is_told,
         a_missing_permission_is_told, a_finch_is_opened_as_a_hid_device_and_stopped_by_its_guard,
         a_tello_is_flown_over_udp_and_stopped_by_its_guard, a_tello_that_is_away_is_found_again,
         packets_of_strangers_are_not_heard, a_line_that_comes_back_is_stopped_first, so_is_one_that_nobody_uses_any_more,
         each_time_it_comes_back, so_is_one_with_stop_bytes_of_the_section, a_panic_names_it_until_its_stop_is_written,
         so_is_one_in_a_process_of_its_own, so_is_one_of_another_server, one_that_is_not_running_for_another_reason_is_not_named,
         one_of_another_server_is_seen_until_it_works_again,
         a_client_that_stays_moves_it_again_behind_the_stop, the_pose_goes_on_where_it_was,
         readings_in_a_panic_end_with_the_timeout)
