#!/usr/bin/env python3
"""Robots that are described by files and what goes wrong with them: each fault has its own sentence, and a robot that is
back is found again. The robots are emulated ones in lockstep. argv: the troupe program, source root."""
import contextlib
import fcntl
import os
import socket
import tempfile

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
    """Wait until the robot has sent data."""
    with Program("print", "power:0", "-n", "1", "--url", url) as reader:
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
         packets_of_strangers_are_not_heard)
