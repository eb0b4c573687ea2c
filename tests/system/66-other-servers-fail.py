#!/usr/bin/env python3
"""Another server that is gone, refuses, is in panic or in a circle shows where people look: in troupe list and stat, on
the server's own terminal, and to whoever commands its devices.  argv: the troupe program."""
import json
import pathlib
import re
import signal
import struct
import sys
import tempfile

import player
import tap
from cli import Running, at, says, troupe
from player import LASER, POSITION2D

PROGRAM = sys.argv[1]
BASE = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 )\n'
FOLDER = tempfile.TemporaryDirectory()
HERE = pathlib.Path(FOLDER.name)
ERROR = 243
DIO = 20
VEL = struct.pack(">dddI", 0.5, 0, 0, 1)


def write(name, text, mode=0o600):
    path = HERE / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def on(port, text, name="far.cfg"):
    """A server on a port that stays the same."""
    return player.launched([PROGRAM, "run", write(name, text), "--port", str(port)])


def behind(port, more=""):
    return f'driver ( name "remote" provides [ "position2d:0" ] url "tcp:127.0.0.1:{port}" {more} )\n'


def said(server):
    """The next line on its terminal."""
    return server.process.stderr.readline()


def failure(client, interf=POSITION2D):
    """The next failure that is told: its code and its sentence."""
    while True:
        message = client.message()
        if (message.type, message.interf, message.subtype) == (player.DATA, interf, ERROR):
            body = player.Body(message.body)
            return body.take("i"), body.text()


def state(server):
    """What the list says of position2d:0: its state and its failure."""
    device, = (one for one in json.loads(troupe("list", at(server), "--json").stdout)["devices"]
               if one["device"] in ("position2d:0", "laser:0"))
    return device["state"], device["failure"]


def opened(address, interf=POSITION2D):
    client = player.Client(address)
    client.hello()
    client.open(interf, 0)
    return client


def drive(client):
    client.send(POSITION2D, 0, player.COMMAND, 1, VEL)


# ---- Gone, refusing, in panic ---------------------------------------------------------------------------


def a_server_that_is_gone_is_seen_and_reported():
    port = player.reserved_port()
    gone = f"tcp:127.0.0.1:{port}: the server closed the connection"
    with player.server(PROGRAM, behind(port)) as near:
        with on(port, BASE):
            client = opened(near.address)
            tap.equal(state(near), ("running", ""))
        tap.equal(failure(client), (-14, f"remote0: {gone}"))
        tap.equal(said(near), f"remote0: {gone}\n")
        tap.equal(state(near), ("troubled", f"remote0: {gone}"))
        tap.equal(f"\nposition2d:0: remote0: {gone}\n" in troupe("list", at(near)).stdout, True)
        tap.equal(f"\n\nremote0: {gone}\n" in troupe("stat", at(near)).stdout, True)
        drive(client)
        tap.equal(failure(client), (-14, f"position2d:0: {gone}"))
        result = troupe("send", "position2d", "VEL", '{"vel":{"px":0.5}}', url=at(near))
        tap.equal((result.returncode, f"position2d:0: {gone}\n" in result.stderr), (1, True))
        with on(port, BASE):
            tap.equal(said(near), "remote0: works again\n")
            tap.equal(state(near), ("running", ""))
            drive(client)
            while True:  # it obeys
                message = client.data()
                if message.subtype == 1 and struct.unpack_from(">d", message.body, 24)[0] > 0:
                    break
            client.socket.close()


def a_server_in_panic_is_seen_and_reported():
    with player.server(PROGRAM, BASE) as far, player.server(PROGRAM, behind(far.address[1])) as near:
        client = opened(near.address)
        troupe("panic", at(far), "--why", "a cat")
        note = said(near)
        start = f"remote0: tcp:127.0.0.1:{far.address[1]}: nothing moves there: panic, raised by troupe panic at "
        tap.equal((note.startswith(start), note.endswith(": a cat\n")), (True, True))
        tap.equal(state(near), ("troubled", note.strip()))
        tap.equal(failure(client), (-18, note.strip()))
        drive(client)
        tap.equal(failure(client), (-18, "position2d:0" + note.strip()[len("remote0"):]))
        tap.equal(client.request(POSITION2D, 0, 1).type, player.ACK)  # what does not move works
        troupe("reset", at(far))
        tap.equal(said(near), "remote0: works again\n")
        tap.equal(state(near), ("running", ""))
        client.socket.close()


def one_that_is_in_panic_from_the_start_is_seen():
    with player.server(PROGRAM, BASE) as far, player.server(PROGRAM, behind(far.address[1])) as near:
        troupe("panic", at(far))
        client = opened(near.address)
        tap.equal("nothing moves there: panic" in said(near), True)
        tap.equal(state(near)[0], "troubled")
        client.socket.close()


def one_that_refuses_the_key_is_told_once():
    port = player.reserved_port()
    with player.server(PROGRAM, behind(port, 'key "drive on" restart 0.1')) as near:
        with on(port, 'keys [ "anna move drive on" ]\n' + BASE):
            client = opened(near.address)
        tap.equal("the server closed the connection" in said(near), True)
        with on(port, 'keys [ "anna move walk on" ]\n' + BASE):
            tap.equal(f"remote0: tcp:127.0.0.1:{port}: the key is refused" in said(near), True)
            tap.equal(state(near)[0] in ("failed", "starting"), True)
            tap.equal("the key is refused" in state(near)[1], True)
        while True:  # it may be refused once more with other words, or find nobody
            line = said(near)
            if "connection refused" in line or "closed" in line:
                break
        with on(port, 'keys [ "anna move drive on" ]\n' + BASE):
            while said(near) != "remote0: works again\n":
                pass
            tap.equal(state(near), ("running", ""))
        client.socket.close()


def a_device_that_is_not_there_any_more_is_told():
    port = player.reserved_port()
    with player.server(PROGRAM, behind(port)) as near:
        with on(port, BASE):
            client = opened(near.address)
        tap.equal("the server closed the connection" in said(near), True)
        with on(port, 'driver ( name "fake" provides [ "laser:0" ] )\n'):
            line = said(near)
            tap.equal((line.startswith(f"remote0: tcp:127.0.0.1:{port}: position2d:0: "), state(near)),
                      (True, ("troubled", line.strip())))
        client.socket.close()


def what_others_do_there_is_no_trouble_here():
    """A client there ends, a command is refused there: readers here receive both, and the other server works."""
    with player.server(PROGRAM, BASE + 'driver ( name "diodelay" provides [ "dio:0" ] init_state "00" )\n') as far, \
            player.server(PROGRAM, f'driver ( name "remote" provides [ "position2d:0" "dio:0" ] url "tcp:127.0.0.1:{far.address[1]}" )\n') as near:
        client = opened(near.address)
        client.open(DIO, 0)
        with opened(far.address) as other:
            drive(other)
            while client.data().body[24:32] == bytes(8):
                pass
        tap.equal("stopped: " in failure(client)[1], True)
        tap.equal(state(near), ("running", ""))
        client.send(DIO, 0, player.COMMAND, 1, struct.pack(">II", 5, 0))
        tap.equal("there are 2 bits, not 5" in failure(client, DIO)[1], True)
        tap.equal(state(near), ("running", ""))
        troupe("panic", at(far))
        tap.equal("nothing moves there: panic" in said(near), True)  # the first that it says
        client.socket.close()


# ---- Circles --------------------------------------------------------------------------------------------


def circle(*texts):
    """Servers in a circle, each a driver for laser:0 that has it from the next; and what one hears who opens it."""
    ports = [player.reserved_port() for _ in texts]
    names = [f"circle{number}.cfg" for number in range(len(texts))]
    with player.contextlib.ExitStack() as stack:
        servers = [stack.enter_context(on(port, text % ports[(number + 1) % len(ports)], names[number]))
                   for number, (port, text) in enumerate(zip(ports, texts))]
        client = stack.enter_context(player.Client(servers[0].address))
        client.hello()
        reply, _ = client.access(LASER, 0, 1)
        told = player.Body(reply.body[4:]).text() if reply.type == player.NACK else failure(client, LASER)[1]
        while "circle" not in told:
            told = failure(client, LASER)[1]
        tap.equal("laser:0 is in a circle of servers, each of which has it from the next" in told, True)
        lines = [said(servers[0])]
        while "circle" not in lines[-1]:
            lines.append(said(servers[0]))
        tap.equal("works again" in "".join(lines), False)
        tap.equal(state(servers[0])[0] in ("failed", "starting", "troubled"), True)
        tap.equal("circle" in state(servers[0])[1], True)


REMOTE = 'driver ( name "remote" provides [ "laser:0" ] url "tcp:127.0.0.1:%d" restart 0.2 alwayson yes )\n'
COMPUTED = 'driver ( name "passthrough" provides [ "laser:0" ] requires [ "127.0.0.1:%d:laser:0" ] restart 0.2 )\n'


def two_servers_that_have_a_device_from_each_other_are_reported():
    circle(REMOTE, REMOTE)


def so_are_three_and_one_that_has_it_from_itself():
    circle(REMOTE, REMOTE, REMOTE)
    circle(REMOTE)


def computed_devices_do_not_hide_it():
    circle(REMOTE, COMPUTED)


def drivers_of_one_file_that_wait_for_each_other_are_told():
    text = ('driver ( name "passthrough" provides [ "laser:1" ] requires [ "laser:0" ] )\n'
            'driver ( name "fake" provides [ "laser:5" ] )\n'
            'driver ( name "switch" provides [ "laser:0" ] requires [ "laser:5" "laser:2" ] )\n'
            'driver ( name "relay" provides [ "laser:2" ] requires [ "laser:1" ] %s )\n')
    for more in ("", "isolated yes"):
        path = write("ring.cfg", text % more)
        says(troupe("check", path), 1, f"troupe check: {path}:4:1: a circle, so none can start: passthrough0 requires "
                                       "laser:0, switch0 requires laser:2, relay0 requires laser:1\n")
    path = write("self.cfg", 'driver ( name "passthrough" provides [ "laser:0" ] requires [ "laser:0" ] )\n')
    says(troupe("check", path), 1, f"troupe check: {path}:1:1: a circle, so none can start: passthrough0 requires "
                                   "laser:0\n")


def two_ways_to_one_device_are_no_circle():
    path = write("fork.cfg", 'driver ( name "fake" provides [ "laser:0" ] )\n'
                 'driver ( name "passthrough" provides [ "laser:1" ] requires [ "laser:0" ] )\n'
                 'driver ( name "passthrough" provides [ "laser:2" ] requires [ "laser:0" ] )\n'
                 'driver ( name "switch" provides [ "laser:3" ] requires [ "laser:1" "laser:2" ] )\n')
    tap.equal(troupe("check", path).returncode, 0)


# ---- What a file can be told to be wrong ------------------------------------------------------------------


def mistakes_are_found_before_anybody_connects():
    key = write("key", "sesame\n", 0o644)
    empty = write("empty", "\n")
    write("beside", "sesame\n")
    for line, column, told in (
            ('url "http://robot"', 3, "http://robot: this is for browsers; a server is tcp:HOST:PORT, unix:PATH or inproc:FILE.cfg"),
            ('url "tcp:robot:99999"', 3, "connect to tcp:robot:99999: the port must be a number from 0 to 65535"),
            ('url "unix:"', 3, "connect to unix:: the path is missing"),
            ('url "unix:/x" key_file "/no/such"', 17, "/no/such: No such file or directory"),
            ('url "unix:/x" key_file "no/such"', 17, f"{HERE}/no/such: No such file or directory"),
            (f'url "unix:/x" key_file "{key}"', 17, f"{key}: others can read or change it: chmod 600 the file"),
            (f'url "unix:/x" key_file "{empty}"', 17, f"{empty}: its first line is no key"),
            (f'url "unix:/x" key "a" key_file "{empty}"', 25, "a key and a file with one: which of them?")):
        path = write("bad.cfg", f'driver\n(\n  {line}\n  name "remote" provides [ "laser:0" ]\n)\n')
        says(troupe("check", path), 1, f"troupe check: {path}:3:{column}: remote0: {told}\n")
    path = write("good.cfg", 'driver ( name "remote" url "unix:/x" provides [ "laser:0" ] key_file "beside" )\n')
    tap.equal(troupe("check", path).returncode, 0)


def a_secret_that_others_can_read_is_noted():
    text = 'driver ( name "remote" url "unix:/x" provides [ "laser:0" ]\n key "sesame" )\n'
    result = troupe("check", write("open.cfg", text, 0o644))
    says(result, 0, f"{HERE}/open.cfg:2:2: others can read this secret: chmod 600 the file, or use key_file\n")
    says(troupe("check", write("shut.cfg", text)), 0, "")


# ---- Stopped, once ----------------------------------------------------------------------------------------


def a_stop_is_reported_once_with_its_cause():
    with player.server(PROGRAM, BASE) as far, player.server(PROGRAM, behind(far.address[1])) as near:
        witness, direct = opened(near.address), opened(far.address)
        mover = r"its client troupe send at 127\.0\.0\.1:\d+"
        for how, told in (("close", f"position2d:0 stopped: the connection of {mover} was closed"),
                          ("freeze", rf"position2d:0 stopped: {mover} has been silent for \d+\.\d s")):
            sender = Running("send", "position2d", "VEL", '{"vel":{"px":0.5},"state":1}', "--repeat", "20", "--for", "600",
                             url=at(near)).process
            while True:
                message = direct.data()
                if message.subtype == 1 and struct.unpack_from(">d", message.body, 24)[0] > 0:
                    break
            sender.send_signal(signal.SIGKILL if how == "close" else signal.SIGSTOP)
            received = failure(witness)[1]
            assert re.fullmatch(told, received), received
            while True:  # it stands still there, and nothing more is told
                message = direct.data()
                if message.subtype == 1 and struct.unpack_from(">d", message.body, 24)[0] == 0:
                    break
            sender.kill()
            sender.wait()
        again = witness.request(POSITION2D, 0, 1)
        tap.equal((again.type, [one for one in witness.passed if one.subtype == ERROR]), (player.ACK, []))
        for client in (witness, direct):
            client.socket.close()


tap.main(a_server_that_is_gone_is_seen_and_reported, a_server_in_panic_is_seen_and_reported,
         one_that_is_in_panic_from_the_start_is_seen, one_that_refuses_the_key_is_told_once,
         a_device_that_is_not_there_any_more_is_told, two_servers_that_have_a_device_from_each_other_are_reported,
         so_are_three_and_one_that_has_it_from_itself, computed_devices_do_not_hide_it,
         drivers_of_one_file_that_wait_for_each_other_are_told, two_ways_to_one_device_are_no_circle,
         what_others_do_there_is_no_trouble_here, mistakes_are_found_before_anybody_connects, a_secret_that_others_can_read_is_noted,
         a_stop_is_reported_once_with_its_cause)
