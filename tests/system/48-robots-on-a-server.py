#!/usr/bin/env python3
"""A robot that is described by a file is ordinary devices of a server; here the robots are emulated ones, which share
nothing with the robot files.  argv: the troupe program, source root."""
import re
import socket
import tempfile
import time

import cli
import tap
from robots import Program, address, serve


def emulated(*options):
    return Program("emulate", "nxt", "--listen", "tcp:127.0.0.1:0", "--trace", *options)


def a_player_client_drives_an_nxt():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        result = cli.troupe("send", "position2d:0", "VEL", '{"vel":{"px":0.15}}', "--for", "1", url=url)
        tap.equal((result.returncode, result.stderr), (0, ""))
        robot.await_line(r"> 0c 00 80 04 01 32 07 01 00 20 00 00 00 00 ")
        robot.await_line(r"> 0c 00 00 04 02 32 07 01 00 20 00 00 00 00 ")
        robot.await_line(r"> 0c 00 80 04 ff 00 07 01 00 20 00 00 00 00 ")  # the client has left


def its_sensors_are_read():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        result = cli.troupe("print", "power:0", "-n", "1", url=url)
        assert re.search(r"volts: [5-9]\.\d* V", result.stdout), result
        result = cli.troupe("print", "aio:0", "-n", "2", url=url)
        assert re.search(r"voltages: \[\S+ \S+ \S+\]", result.stdout), result
        result = cli.troupe("print", "dio:0", "-n", "1", url=url)
        assert "count: 5" in result.stdout, result


def a_panic_writes_the_stop_bytes():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        with Program("send", "position2d:0", "VEL", '{"vel":{"pa":1}}', "--for", "30", "--url", url):
            robot.await_line(r"> 0c 00 00 04 02 ")
            result = cli.troupe("panic", url=url)
            tap.equal(result.returncode, 0)
            robot.await_line(r"> 0c 00 80 04 ff 00 07 01 00 20 00 00 00 00 ")


def a_dead_server_leaves_a_robot_that_stands():
    with emulated() as robot, serve(address(robot, r"^nxt (tcp:\S+)")) as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        with Program("send", "position2d:0", "VEL", '{"vel":{"px":0.2}}', "--for", "30", "--url", url):
            robot.await_line(r"> 0c 00 00 04 02 ")
            server.process.kill()  # SIGKILL: the guard writes the stop bytes
            robot.await_line(r"> 0c 00 80 04 ff 00 07 01 00 20 00 00 00 00 ")


def a_silent_robot_is_told():
    with emulated("--fault", "silent") as robot, serve(address(robot, r"^nxt (tcp:\S+)"), '"power:0"') as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        with Program("print", "power:0", "--url", url):
            server.await_line(r"robotfile0: nxt: Battery: robot silent: no reply in time")


FOUND = """<robot version="1" name="found" title="Found">
  <link kind="tcp"/>
  <register name="address"/>
  <setup><send>'?'</send><reply>{a:u8}</reply><set name="address" to="a"/></setup>
  <device name="Eye" type="Analog_Input" classes="Light Sensor, Analog_Input, Input" base="ReadAnalog"/>
  <translate command="ReadAnalog" type="Analog_Input" send="'A'" reply="{v:u8}" result="v">
    <example device="Eye" result="9">> 41\n&lt; 09</example>
  </translate>
  <stop send="'S' {address:u8}"/>
</robot>"""


def the_guard_knows_what_the_set_up_has_found():
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file, socket.create_server(("127.0.0.1", 0)) as listener:
        file.write(FOUND)
        file.flush()
        url = f"tcp:127.0.0.1:{listener.getsockname()[1]}"
        with serve(url, '"aio:0"', file.name) as server:
            at = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
            with Program("print", "aio:0", "--url", at) as reader:
                line = listener.accept()[0]
                answers = {ord("?"): b"\x07", ord("A"): b"\x09"}
                asked = 0
                while asked < 20:  # the guard has the bytes since the first answer
                    for byte in line.recv(1):
                        line.sendall(answers.get(byte, b""))
                        asked += 1
                server.process.kill()
                rest = b""
                while not rest.endswith(b"S\x07"):
                    more = line.recv(64)
                    assert more, rest
                    rest += more
                line.close()
                del reader


class Dropping:
    """An SRV-1 that drops what comes before its answers."""
    ANSWERS = {"V": b"##Version - test\r\n", "F": b"#F", "M": b"#M", "t": b"##time - millisecs:  5\r\n", "R": b"##Range(cm) = 85\r\n",
               "p": b"##ping 1000 1000 1000 1000\r\n", "D": b"##D - battery voltage okay\r\n"}
    MORE = {"F": 2, "M": 3}  # bytes behind the letter

    def __init__(self, listener):
        self.line = listener.accept()[0]
        self.line.settimeout(60)

    def bytes(self, count):
        data = b""
        while len(data) < count:
            more = self.line.recv(count - len(data))
            assert more, "the server has gone"
            data += more
        return data

    def next(self, answers=True):
        letter = self.bytes(1).decode()
        instruction = letter + self.bytes(self.MORE.get(letter, 0)).hex()
        if answers:
            self.line.sendall(self.ANSWERS[letter])
        return instruction


def a_stop_that_a_robot_drops_is_written_again():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with serve(f"tcp:127.0.0.1:{listener.getsockname()[1]}", '"position2d:0" "ranger:0"', "srv1") as server:
            url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
            with Program("print", "ranger:0", "--url", url):
                robot = Dropping(listener)
                with Program("send", "position2d:0", "VEL", '{"vel":{"px":0.3}}', "--for", "300", "--url", url):
                    while robot.next() != "M646400":
                        pass
                    question = robot.next(answers=False)
                    while question[0] == "M":
                        robot.line.sendall(b"#M")
                        question = robot.next(answers=False)
                stop = robot.next(answers=False)
                while stop != "M000000":  # on a busy machine it was asked once more
                    question, stop = stop, robot.next(answers=False)
                robot.line.sendall(Dropping.ANSWERS[question[0]])  # the stop was dropped: it came before this answer
                tap.equal(robot.next(), "M000000")
            robot.line.close()


def external_motors_of_an_srv1_are_stopped():
    """By their client's end, and by the guard: with the bytes of the servo outputs."""
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as wiring:
        wiring.write('<wiring version="1" robot="srv1"><plug slot="ppm 1" device="External Left Motor"/>'
                     '<plug slot="ppm 2" device="External Right Motor"/></wiring>')
        wiring.flush()
        with Program("emulate", "srv1", "--wire", "motors=servo", "--listen", "tcp:127.0.0.1:0", "--trace") as robot, \
             serve(address(robot, r"^srv1 (tcp:\S+)"), '"position2d:0"', "srv1", f'alwayson 1 wiring "{wiring.name}"') as server:
            url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
            forward = ("send", "position2d:0", "VEL", '{"vel":{"px":0.3}}', "--for", "300", "--url", url)
            with Program(*forward):
                robot.await_line(r"> 53 64 64 ")
            robot.await_line(r"> 53 32 32 ")
            with Program(*forward):
                robot.await_line(r"> 53 64 64 ")
                robot.await_line(r"> 74 ")  # the keep-alive: the guard has its bytes
                server.process.kill()
                robot.await_line(r"> 53 32 32 ")


def last_state(path):
    """x, y, heading and forward speed of the robot in a record; zeros before its first whole line."""
    with open(path, encoding="ascii") as file:
        rows = [line.split(",") for line in file if line.endswith("\n") and line[0].isdigit()]
    return tuple(map(float, rows[-1][2:6])) if rows else (0, 0, 0, 0)


def every_make_drives_ahead_and_stands_when_its_client_leaves():
    for make, emulated_as in (("create", "create1"), ("create2", "create2"), ("finch", "finch"),
                              ("firmata", "firmata"), ("lifa", "lifa"), ("srv1", "srv1")):
        with tempfile.NamedTemporaryFile(suffix=".csv") as record, \
             Program("emulate", emulated_as, "--listen", "tcp:127.0.0.1:0", "--record", record.name) as robot, \
             serve(address(robot, rf"^{emulated_as} (tcp:\S+)"), '"position2d:0"', make) as server:
            url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
            with Program("send", "position2d:0", "VEL", '{"vel":{"px":0.2}}', "--for", "300", "--url", url):
                while last_state(record.name)[0] < 0.1:
                    time.sleep(0.05)
            while last_state(record.name)[3] != 0:
                time.sleep(0.05)
            x, y, heading, _ = last_state(record.name)
            assert abs(y) < 0.1 * x and abs(heading) < 0.1, (make, x, y, heading)


tap.main(a_player_client_drives_an_nxt, its_sensors_are_read, a_panic_writes_the_stop_bytes,
         a_dead_server_leaves_a_robot_that_stands, a_silent_robot_is_told,
         every_make_drives_ahead_and_stands_when_its_client_leaves, the_guard_knows_what_the_set_up_has_found,
         a_stop_that_a_robot_drops_is_written_again, external_motors_of_an_srv1_are_stopped)
