#!/usr/bin/env python3
"""troupe send and request: messages to devices, and their lists.  argv: the troupe program."""
import contextlib
import fcntl
import itertools
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import tty

import cli
import player
import tap
from cli import Puppet, Running, prints, says, serving, troupe, usage

ROBOT = 'driver ( name "fake" provides [ "position2d:0" "gripper:0" "laser:0" ] rate 50 alwayson 1 )'
ACTUATORS = 'driver ( name "fake" provides [ "ptz:0" "actarray:0" "limb:0" "planner:0" "position2d:0" "position3d:0" "mobile:0" ] )'
VEL = '{"vel":{"px":0.5},"state":1}'


def may_be_there(device, message):
    return cli.closed_again(device, message).replace("begun:", "begun, if it is still on its way:")


def pose(url):
    return json.loads(troupe("print", "position2d", "--json", "-n", "1", url=url).stdout)["value"]


@serving(ROBOT)
def a_command_moves_the_robot(url):
    tap.equal(pose(url)["pos"]["px"], 0)
    with Running("send", "position2d:0", "VEL", VEL, "--for", "600", url=url) as running:
        with player.Client(("127.0.0.1", int(url.split(":")[1]))) as watcher:
            watcher.open(player.POSITION2D, 0)
            while struct.unpack_from(">d", watcher.data().body, 24)[0] != 0.5:
                pass
        tap.equal(running.interrupt(), (0, ""))
    assert pose(url)["pos"]["px"] > 0


@serving(ROBOT)
def a_command_that_arrived_is_a_success_without_words(url):
    prints(troupe("send", "gripper", "OPEN", "--for", "0.01", url=url), "")
    prints(troupe("send", "gripper", "stop", "null", url=url), "")
    prints(troupe("send", "position2d", "VEL", "-", "--for", "0.01", stdin=VEL, url=url), "")
    prints(troupe("send", f"{url}/gripper:0", "CLOSE", "--for", "0.01"), "")


@serving(ROBOT)
def what_moves_only_for_a_moment_gets_a_hint(url):
    says(troupe("send", "gripper", "CLOSE", url=url), 0, may_be_there("gripper:0", "CLOSE"))
    says(troupe("send", "position2d", "VEL", VEL, url=url), 0, cli.closed_again("position2d:0", "VEL"))
    says(troupe("send", "position2d", "VEL", '{"state":1}', url=url), 0, "")  # which stops it anyway
    says(troupe("send", "position2d", "POS", '{"pos":{"px":1},"state":1}', url=url), 0, may_be_there("position2d:0", "POS"))


@serving(ACTUATORS)
def whether_a_command_ends_by_itself_follows_from_its_units(url):
    ends = {"ptz STATE": {"pan": 1}, "actarray HOME": {"joint": 1}, "actarray POS": {"joint": 1, "position": 1},
            "limb SETPOSITION": {"position": {"px": 1}}, "limb VECMOVE": {"direction": {"px": 1}, "length": 1},
            "position3d SET_POS": {"pos": {"px": 1}}, "planner GOAL": {"goal": {"px": 1}}}
    goes_on = {"actarray SPEED": {"joint": 1, "speed": 1}, "actarray CURRENT": {"joint": 1, "current": 1},
               "position2d CAR": {"velocity": 1, "angle": 1}, "position3d SET_VEL": {"vel": {"px": 1}},
               "mobile MOVE": {"axes": [{"axis": 0, "control": 1, "value": 1}]}}
    for command, value in {**ends, **goes_on}.items():
        device, message = command.split()
        says(troupe("send", device, message, json.dumps(value), url=url), 0,
             (may_be_there if command in ends else cli.closed_again)(device + ":0", message))


@serving(ROBOT)
def less_than_was_asked_for_is_told(url):
    vel = ("send", "position2d", "VEL", VEL, "--for", "0.01")
    says(troupe(*vel, "--lease", "0.5", url=url), 0, "")
    says(troupe(*vel, "--lease", "100", url=url), 0,
         "troupe send: position2d:0 gives a lease of 1 s at most, not 100 s: that is what it has now\n")
    says(troupe(*vel, "--rank", "-3", url=url), 0, "")
    says(troupe(*vel, "--rank", "7", url=url), 0,
         "troupe send: position2d:0 gives a rank of 0 at most, not 7: that is what it has now\n")


def a_command_is_repeated():
    with Puppet([(4, 0)]) as puppet:
        with Running("send", "position2d", "VEL", VEL, "--repeat", "100", url=puppet.url) as running:
            tap.equal({message.body for message in puppet.commands(20)}, {struct.pack(">dddI", 0.5, 0, 0, 1)})
            tap.equal(running.interrupt(signal.SIGTERM), (0, ""))


def a_command_is_sent_once_without_repeat():
    with Puppet([(4, 0)]) as puppet:
        prints(troupe("send", "position2d", "VEL", VEL, "--for", "0.3", url=puppet.url), "")
        tap.equal(len(puppet.commands(1)), 1)


def speeds(messages):
    return [struct.unpack_from(">d", message.body)[0] for message in messages]


def commands_come_through_a_pipe():
    """Each is sent as it comes: the next one is written when the one before has arrived."""
    with Puppet([(4, 0)]) as puppet:
        with Running("send", "position2d", "VEL", "-", url=puppet.url, stdin=subprocess.PIPE) as running:
            for count in range(1, 4):
                running.process.stdin.write(f'{{"vel":{{"px":{count}}}}}\n')
                running.process.stdin.flush()
                tap.equal(speeds(puppet.commands(count)), list(range(1, count + 1)))
            running.process.stdin.write('{"vel":\n  {"px": 4}} {"vel":{"px":5}}{"vel":{"px":6}')  # and the rest is cut off
            running.process.stdin.close()
            tap.equal(running.ended(), (1, "troupe send: position2d:0 VEL: line 5, column 45: the text ends where ',' or '}' "
                                           "was expected\n"))
            tap.equal(speeds(puppet.commands(5)), [1, 2, 3, 4, 5])


def many_commands_arrive_all():
    """From a pipe, and from a file; far more than are read at once."""
    many = "".join(f'{{"vel":{{"px":{i}}}}}\n' for i in range(8000))
    with Puppet([(4, 0)]) as puppet:
        prints(troupe("send", "position2d", "VEL", "-", url=puppet.url, stdin=many), "")
        tap.equal(speeds(puppet.commands(8000)), list(range(8000)))
    with Puppet([(4, 0)]) as puppet, tempfile.TemporaryFile("w+") as file:
        file.write(many)
        file.seek(0)
        with Running("send", "position2d", "VEL", "-", url=puppet.url, stdin=file) as running:
            tap.equal(running.ended(), (0, ""))
        tap.equal(speeds(puppet.commands(8000)), list(range(8000)))


def write_all(running, speeds_mps):
    velocities(running, *speeds_mps)
    running.process.stdin.close()


def so_they_do_in_a_process_of_the_driver():
    """Its server cannot make a writer wait; the socket between the two is full with some hundred commands."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as line:
        line.bind(f"{folder}/line")
        line.listen()
        robot = f'driver ( name "fake" provides [ "position2d:0" ] port "unix:{folder}/line" isolated yes alwayson yes )'
        with player.server(cli.PROGRAM, robot) as server:
            connection, _ = line.accept()
            with connection, connection.makefile() as written, \
                    Running("send", "position2d", "VEL", "-", url=cli.at(server), stdin=subprocess.PIPE) as running:
                threading.Thread(target=write_all, args=(running, range(8000))).start()
                texts = itertools.dropwhile(lambda text: " VEL " not in text, written)
                until_it_ends = itertools.takewhile(lambda text: " VEL " in text, texts)
                tap.equal([json.loads(text.split(" ", 2)[2])["vel"]["px"] for text in until_it_ends], list(range(8000)))


FROZEN = 1.3  # seconds, more than the lease of a program


class SlowPuppet(Puppet):
    """It answers nothing from some message on, until it is set free."""

    def __init__(self, devices, begins):
        super().__init__(devices)
        self.begins = begins
        self.free = threading.Event()

    def has_begun(self):
        return any(self.begins(message) for message in self.received)

    def answer(self, connection, message):
        if self.has_begun():
            assert self.free.wait(cli.PATIENCE)
        super().answer(connection, message)

    def await_begin(self):
        with self.arrival:
            assert self.arrival.wait_for(self.has_begun, cli.PATIENCE), self.received


def is_command(message):
    return message.type == player.COMMAND


def is_opening(message):
    return message.interf == player.PLAYER and message.subtype == 3


def velocities(running, *speeds_mps):
    running.process.stdin.write("".join(f'{{"vel":{{"px":{speed}}}}}\n' for speed in speeds_mps))
    running.process.stdin.flush()


def says_left_out(text, count):
    what = "1 command that waited meanwhile is" if count == 1 else f"{count} commands that waited meanwhile are"
    says_frozen(text, f"{what} left out")


def says_frozen(text, what):
    assert re.fullmatch(f"troupe send: this program was frozen or busy for [0-9.]+ s: {what}\n", text), text


def what_waited_for_a_frozen_program_is_left_out():
    """Also a line that had begun; what is written afterwards is sent."""
    with Puppet([(4, 0)]) as puppet, Running("send", "position2d", "VEL", "-", url=puppet.url, stdin=subprocess.PIPE) as running:
        velocities(running, 1)
        puppet.commands(1)
        player.freeze(running.process.pid)
        velocities(running, 2, 3)
        running.process.stdin.write('{"vel":')
        running.process.stdin.flush()
        time.sleep(FROZEN)
        running.process.send_signal(signal.SIGCONT)
        says_left_out(running.error(), 2)
        running.process.stdin.write('{"px":4}}\n')
        velocities(running, 5)
        tap.equal(speeds(puppet.commands(2)), [1, 5])
        says_left_out(running.error(), 1)
        running.process.stdin.close()
        tap.equal(running.ended(), (1, ""))
        tap.equal(speeds(puppet.commands(2)), [1, 5])


def so_is_what_waited_for_a_server_that_does_not_answer():
    with SlowPuppet([(4, 0)], is_command) as puppet, \
            Running("send", "position2d", "VEL", "-", url=puppet.url, stdin=subprocess.PIPE) as running:
        for count in (1, 2):
            velocities(running, count)
            puppet.commands(count)
        velocities(running, 3, 4)
        time.sleep(FROZEN)
        puppet.free.set()
        says_left_out(running.error(), 2)
        velocities(running, 5)
        tap.equal(speeds(puppet.commands(3)), [1, 2, 5])
        running.process.stdin.close()
        tap.equal(running.ended(), (1, ""))


def says_connection(text, count):
    what = "1 command that waited meanwhile is" if count == 1 else f"{count} commands that waited meanwhile are"
    assert re.fullmatch(f"troupe send: the connection took [0-9.]+ s: {what} left out\n", text), text


def so_is_what_waited_for_the_connection():
    """Its writer goes on: these are velocities of before."""
    with SlowPuppet([(4, 0)], lambda message: True) as puppet, \
            Running("send", "position2d", "VEL", "-", url=puppet.url, stdin=subprocess.PIPE) as running:
        velocities(running, 1)
        puppet.await_begin()
        velocities(running, 2, 3)
        time.sleep(FROZEN)
        puppet.free.set()
        says_connection(running.error(), 3)
        velocities(running, 4)
        tap.equal(speeds(puppet.commands(1)), [4])
        running.process.stdin.close()
        tap.equal(running.ended(), (1, ""))
        tap.equal(speeds(puppet.commands(1)), [4])


def send_slowly(stdin, write):
    """What is sent of an input that is complete before there is a connection."""
    with SlowPuppet([(4, 0)], lambda message: True) as puppet, \
            Running("send", "position2d", "VEL", "-", url=puppet.url, stdin=stdin) as running:
        write(running)
        puppet.await_begin()
        time.sleep(FROZEN)
        puppet.free.set()
        tap.equal(running.ended(), (0, ""))
        return speeds(puppet.commands(3))


def unless_the_writer_has_ended():
    """A file, and the output of echo: no part of it is newer than another."""
    def write(running):
        velocities(running, 1, 2, 3)
        running.process.stdin.close()

    tap.equal(send_slowly(subprocess.PIPE, write), [1, 2, 3])
    with tempfile.TemporaryFile() as file:
        file.write(b"".join(map(velocity, (1, 2, 3))))
        file.seek(0)
        tap.equal(send_slowly(file, lambda running: None), [1, 2, 3])
    reader, writer = a_socket()
    os.write(writer, b"".join(map(velocity, (1, 2, 3))))
    os.close(writer)
    tap.equal(send_slowly(reader, lambda running: os.close(reader)), [1, 2, 3])


def a_terminal():
    there, here = pty.openpty()
    tty.setraw(here)
    return here, there


def a_small_pipe():
    here, there = os.pipe()
    fcntl.fcntl(there, fcntl.F_SETPIPE_SZ, 4096)
    return here, there


def a_socket():
    here, there = socket.socketpair()
    return here.detach(), there.detach()


def velocity(speed):
    return f'{{"vel":{{"px":{speed}}}}}\n'.encode()


def fill(writer):
    """Until there is no room; and begin to write what has to wait for some."""
    rest = b""
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            rest = rest or velocity(2)
            rest = rest[os.write(writer, rest):]
    os.set_blocking(writer, True)
    waits = threading.Thread(target=os.write, args=(writer, rest + velocity(3)))
    waits.start()
    return waits


def whatever_the_input_is():
    """Where less fits into it than into a pipe, a writer has to wait sooner."""
    for make in (a_terminal, a_small_pipe, a_socket):
        reader, writer = make()
        with Puppet([(4, 0)]) as puppet, Running("send", "position2d", "VEL", "-", url=puppet.url, stdin=reader) as running:
            os.close(reader)
            os.write(writer, velocity(1))
            puppet.commands(1)
            player.freeze(running.process.pid)
            waits = fill(writer)
            time.sleep(FROZEN)
            running.process.send_signal(signal.SIGCONT)
            waits.join()
            says_frozen(running.error(), "[0-9]+ commands that waited meanwhile are left out")
            os.write(writer, velocity(5))
            tap.equal(speeds(puppet.commands(2)), [1, 5])
            os.close(writer)
            tap.equal(running.ended()[0], 1)


def a_command_whose_program_is_frozen_before_it_is_sent_is_refused():
    for command in ([VEL], ["-"]):
        with SlowPuppet([(4, 0)], is_opening) as puppet, \
                Running("send", "position2d", "VEL", *command, url=puppet.url, stdin=subprocess.PIPE) as running:
            running.process.stdin.write(VEL)
            running.process.stdin.close()
            puppet.await_begin()
            player.freeze(running.process.pid)
            time.sleep(FROZEN)
            running.process.send_signal(signal.SIGCONT)
            puppet.free.set()
            code, error = running.ended()
            tap.equal(code, 1)
            if command == ["-"]:
                says_left_out(error, 1)
            else:
                says_frozen(error, "VEL is not sent")
            tap.equal(puppet.commands(0), [])


@serving(ROBOT)
def mistakes_in_a_pipe_are_told_with_their_line(url):
    says(troupe("send", "position2d", "VEL", "-", url=url, stdin='{}\n\n  {"vel":{"x":1}}\n{}'), 1,
         'troupe send: position2d:0 VEL: line 3, column 11: pose2d has no field "x"; did you mean "px"?\n')
    says(troupe("send", "position2d", "VEL", "-", url=url, stdin="{}\n{}\nfaster\n"), 1,
         "troupe send: position2d:0 VEL: line 3, column 1: 'f' where an object was expected\n")
    says(troupe("send", "gripper", "STOP", "-", url=url, stdin="null\n{}\n3"), 1,
         "troupe send: gripper:0 STOP takes no value: line 3\n")
    says(troupe("send", "gripper", "STOP", "-", url=url, stdin=""), 0, "")
    says(troupe("send", "position2d", "VEL", "-", stdin='{"vel":{"x":1}}'), 1,  # which needs no server
         'troupe send: position2d:0 VEL: line 1, column 9: pose2d has no field "x"; did you mean "px"?\n')


@serving(ROBOT)
def a_pipe_that_is_silent_keeps_the_robot_going(url):
    """Longer than its lease: the connection is heard of all the time, and it stands when the pipe ends."""
    with Running("send", "position2d", "VEL", "-", url=url, stdin=subprocess.PIPE) as running:
        running.process.stdin.write(VEL + "\n")
        running.process.stdin.flush()
        with player.Client(("127.0.0.1", int(url.split(":")[1]))) as watcher:
            watcher.open(player.POSITION2D, 0)
            while struct.unpack_from(">d", watcher.data().body)[0] < 1.0:  # 2 s at 0.5 m/s; the lease is 1 s
                pass
            running.process.stdin.close()
            tap.equal(running.ended(), (0, cli.closed_again("position2d:0", "VEL")))
            while struct.unpack_from(">d", watcher.data().body, 24)[0] != 0:
                pass


@serving('driver ( name "dummy" provides [ "position2d:0" ] )')
def what_a_device_does_not_take_is_told(url):
    says(troupe("send", "position2d", "VEL", VEL, url=url), 0,
         "troupe send: position2d:0 does not report that it handles VEL; sent anyway\n" + cli.closed_again("position2d:0", "VEL"))
    says(troupe("send", "gripper", "OPEN", url=url), 1,
         f"troupe send: tcp:{url} has no device gripper:0, nor any other gripper; troupe list shows its devices\n")


@serving(ROBOT)
def requests_are_answered(url):
    tap.equal(json.loads(troupe("request", "position2d", "GET_GEOM", "--json", url=url).stdout)["size"],
              {"sw": 0.38, "sl": 0.44, "sh": 0.22})
    text = troupe("request", "position2d", "get_geom", url=url).stdout
    assert text.startswith("position2d_geom\n  pose:\n    px: 0 m\n"), text
    prints(troupe("request", "position2d", "SET_ODOM", '{"pose":{"px":2}}', url=url), "done\n")
    prints(troupe("request", "position2d", "SET_ODOM", '{"pose":{"px":2}}', "--json", url=url), "null\n")
    tap.equal(pose(url)["pos"]["px"], 2)
    prints(troupe("request", "laser", "CAPABILITIES", '{"type":"MSGTYPE_REQ","subtype":1}', url=url), "done\n")


@serving(ROBOT)
def the_server_itself_is_a_device(url):
    devices = json.loads(troupe("request", "player:0", "DEVLIST", "--json", url=url).stdout)["devices"]
    tap.equal([device["interf"] for device in devices], [4, 3, 6])


@serving(ROBOT)
def refusals_name_device_and_cause(url):
    result = troupe("request", "laser", "CAPABILITIES", '{"type":"MSGTYPE_REQ","subtype":99}', url=url)
    says(result, 1, "troupe request: laser:0: laser has no message 99 of kind 3\n")


def a_request_that_nobody_answers_ends():
    with Puppet([(6, 0)], replies={}) as puppet:
        says(troupe("request", "laser", "GET_GEOM", url=puppet.url), 1, "troupe request: laser:0: GET_GEOM was refused\n")


def answers_are_harmless():
    name = cli.counted(b"\033[2J\xff\0")
    with Puppet([(6, 0)], replies={(6, 250): cli.counted("key") + name}) as puppet:
        ask = ("request", "laser", "GET_STRPROP", '{"key":"key"}')
        out = troupe(*ask, url=puppet.url).stdout
        tap.equal([character for character in out if not character.isprintable() and character != "\n"], [])
        json.loads(troupe(*ask, "--json", url=puppet.url).stdout)


# ---- Lists ----------------------------------------------------------------------------------------


def commands_are_listed_with_examples():
    prints(troupe("send", "gripper:2"),
           "gripper has 5 commands:\n"
           "\nOPEN - Opens it.\n  troupe send gripper:2 OPEN\n"
           "\nCLOSE - Closes it.\n  troupe send gripper:2 CLOSE\n"
           "\nSTOP - Stops its fingers where they are. (optional)\n  troupe send gripper:2 STOP\n"
           "\nSTORE - Puts the object that it holds in store. (optional)\n  troupe send gripper:2 STORE\n"
           "\nRETRIEVE - Takes an object out of store. (optional)\n  troupe send gripper:2 RETRIEVE\n"
           "\nWhat the fields mean: troupe interfaces gripper\n")
    prints(troupe("send", "laser"), "laser has 0 commands.\n")


def requests_are_listed_with_both_directions():
    text = troupe("request", "robot:6666/ir:0").stdout
    tap.equal(text, "ir has 2 requests:\n"
              "\nPOSE - Where the sensors sit.\n  troupe request robot:6666/ir:0 POSE\n"
              '  answer: {"poses":[{"px":0,"py":0,"pz":0,"proll":0,"ppitch":0,"pyaw":0}]}\n'
              "\nPOWER - Switches the sensors on or off. (optional)\n"
              "  troupe request robot:6666/ir:0 POWER '{\"state\":true}'\n"
              "\nWhat the fields mean: troupe interfaces ir\n"
              "Requests that every device has: troupe request common\n")
    assert "\nGET_GEOMETRY - " in troupe("request", "common").stdout


def every_example_can_be_sent():
    count = 0
    for name in json.loads(troupe("interfaces", "--json").stdout):
        for command, kind in (("send", "command"), ("request", "request")):
            for line in troupe(command, name).stdout.splitlines():
                if not line.startswith("  troupe ") or "'" not in line:
                    continue
                words, example, _ = line.split("'")
                result = troupe("encode", name, kind, words.split()[3], example)
                tap.equal((line, result.returncode, result.stderr), (line, 0, ""))
                count += 1
    assert count > 100, count


# ---- Mistakes -------------------------------------------------------------------------------------


def mistakes_are_explained():
    says(troupe("send"), 2, usage("send", "which device? troupe list names them"))
    for command, kind, name, other in (("send", "command", "GET_GEOM", "a request: troupe request position2d GET_GEOM"),
                                       ("request", "request", "VEL", "a command: troupe send position2d VEL"),
                                       ("send", "command", "STATE", "a message of data: troupe print position2d --only STATE")):
        says(troupe(command, "position2d", name), 1, f'troupe {command}: position2d has no {kind} "{name}"; it is {other}\n')
    says(troupe("send", "laser", "VEL", "{}"), 1, 'troupe send: laser has no command "VEL"; it has none\n')
    says(troupe("send", "position2d", "VLE", "{}"), 1, 'troupe send: position2d has no command "VLE"; did you mean "VEL"?\n')
    says(troupe("request", "laser", "GET_GEOMTRY"), 1,
         'troupe request: laser has no request "GET_GEOMTRY"; did you mean "GET_GEOMETRY"?\n')
    says(troupe("send", "position2d", "VEL"), 2,
         usage("send", 'position2d:0 VEL needs a value, such as \'{"vel":{"px":0,"py":0,"pa":0},"state":true}\''))
    says(troupe("send", "position2d", "VEL", '{"vel":{"x":1}}'), 1,
         'troupe send: position2d:0 VEL: line 1, column 9: pose2d has no field "x"; did you mean "px"?\n')
    says(troupe("send", "gripper", "OPEN", '{"x":1}'), 1, "troupe send: gripper:0 OPEN takes no value\n")
    says(troupe("request", "laser:1", "GET_GEOM", "3"), 1, "troupe request: laser:1 GET_GEOM takes no value\n")
    says(troupe("send", "gripper", "OPEN", "{}", "x"), 2, usage("send", 'unexpected "x"'))
    says(troupe("send", "gripper", "OPEN", "--reapeat", "3"), 2, usage("send", 'unexpected "--reapeat"; did you mean "--repeat"?'))
    says(troupe("send", "gripper", "OPEN", "--json"), 2, usage("send", 'unexpected "--json"'))
    says(troupe("request", "laser", "GET_GEOM", "--for", "3"), 2, usage("request", 'unexpected "--for"'))
    says(troupe("send", "gripper", "OPEN", "--for", "x"), 2, usage("send", '--for needs a number over 0, not "x"'))


@serving(ROBOT)
def who_types_an_extension_asks_for_it(url):
    """What the driver says, not that one has to ask for extensions."""
    says(troupe("request", "position2d", "SPEED_PID", '{"kp":1}', url=url), 1,
         "troupe request: position2d:0: SPEED_PID is not supported\n")


tap.main(a_command_moves_the_robot, a_command_that_arrived_is_a_success_without_words,
         what_moves_only_for_a_moment_gets_a_hint,
         whether_a_command_ends_by_itself_follows_from_its_units, less_than_was_asked_for_is_told, a_command_is_repeated,
         commands_come_through_a_pipe, many_commands_arrive_all, so_they_do_in_a_process_of_the_driver,
         what_waited_for_a_frozen_program_is_left_out, so_is_what_waited_for_a_server_that_does_not_answer,
         so_is_what_waited_for_the_connection, unless_the_writer_has_ended, whatever_the_input_is,
         a_command_whose_program_is_frozen_before_it_is_sent_is_refused, mistakes_in_a_pipe_are_told_with_their_line,
         a_pipe_that_is_silent_keeps_the_robot_going,
         a_command_is_sent_once_without_repeat, what_a_device_does_not_take_is_told, requests_are_answered,
         the_server_itself_is_a_device, refusals_name_device_and_cause, a_request_that_nobody_answers_ends,
         answers_are_harmless, commands_are_listed_with_examples, requests_are_listed_with_both_directions,
         every_example_can_be_sent, who_types_an_extension_asks_for_it, mistakes_are_explained)
