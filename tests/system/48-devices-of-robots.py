#!/usr/bin/env python3
"""The devices of robots that are described by files, used by a plain client of Player's protocol; the robots are
emulated ones. argv: the troupe program, source root."""
import re
import socket
import struct
import tempfile

import cli
import player
import tap
from player import ACK, COMMAND, NACK
from robots import Program, address, serve

POSITION2D, SONAR, SPEECH, BUMPER, DIO, AIO, BLINKENLIGHT, ACTARRAY, RANGER = 4, 5, 12, 14, 20, 21, 33, 53, 62


def emulated(make, *options):
    return Program("emulate", make, "--listen", "tcp:127.0.0.1:0", "--trace", *options)


def at_robot(robot, make):
    return address(robot, rf"^{make} (tcp:\S+)")


def port_of(server):
    return int(address(server, r"listening on port ([0-9]+)"))


def next_data(client, interf):
    while True:
        message = client.data()
        if message.interf == interf:
            return message.body


def a_plain_client_of_players_protocol_drives_an_nxt():
    provides = '"position2d:0" "sonar:0" "ranger:0" "bumper:0" "aio:0" "dio:0"'
    with emulated("nxt", "--world", "classroom") as robot, serve(at_robot(robot, "nxt"), provides) as server, \
         player.Client(("127.0.0.1", port_of(server))) as client:
        client.open(POSITION2D, 0)
        client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 0.15, 0, 0, 1))
        robot.await_line(r"> 0c 00 80 04 01 32 07 01 00 20 00 00 00 00 ")
        robot.await_line(r"> 0c 00 00 04 02 32 07 01 00 20 00 00 00 00 ")
        client.open(SONAR, 0)
        count, metres = struct.unpack(">I4xf", next_data(client, SONAR))
        assert count == 1 and 0 < metres <= 2.55, (count, metres)
        client.open(RANGER, 0)
        count, metres = struct.unpack(">I4xd", next_data(client, RANGER))
        assert count == 1 and 0 < metres <= 2.55, (count, metres)
        reply = client.request(RANGER, 0, 1)
        tap.equal((reply.type, struct.unpack_from(">I", reply.body, 72)), (ACK, (1,)))
        client.open(BUMPER, 0)
        tap.equal(struct.unpack_from(">I", next_data(client, BUMPER)), (1,))
        client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 0, 0, 0, 1))
        robot.await_line(r"> 0c 00 00 04 02 00 07 01 00 20 00 00 00 00 ")


def motors_of_two_devices_stop_one_by_one():
    with emulated("nxt") as robot, serve(at_robot(robot, "nxt"), '"position2d:0" "actarray:0"') as server:
        port = port_of(server)
        with player.Client(("127.0.0.1", port)) as driver:
            driver.open(POSITION2D, 0)
            driver.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 0.15, 0, 0, 1))
            robot.await_line(r"> 0c 00 00 04 02 32 ")
            with player.Client(("127.0.0.1", port)) as other:
                other.open(ACTARRAY, 0)
                other.send(ACTARRAY, 0, COMMAND, 3, struct.pack(">if", 0, 7.85))
                robot.await_line(r"> 0c 00 [08]0 04 00 32 ")  # motor A at half of its power
            robot.await_line(r"> 0c 00 80 04 ff 00 ")  # the other client has left: all stop,
            robot.await_line(r"> 0c 00 80 04 01 32 ")  # and the wheels go on
            robot.await_line(r"> 0c 00 00 04 02 32 ")


def outputs_of_an_arduino_are_written_and_its_wheels_keep_their_pins():
    provides = '"position2d:0" "dio:0" "aio:0" "blinkenlight:0" "actarray:0"'
    with emulated("firmata") as robot, serve(at_robot(robot, "firmata"), provides, "firmata", "alwayson 1") as server:
        url = f"localhost:{port_of(server)}"
        tap.equal(cli.troupe("send", "dio:0", "VALUES", '{"count":2,"digout":2}', url=url).stderr, "")
        robot.await_line(r"> f4 03 01 ")
        robot.await_line(r"> 90 08 00 ")
        tap.equal(cli.troupe("send", "aio:0", "STATE", '{"id":3,"voltage":2.5}', url=url).stderr, "")
        robot.await_line(r"> f4 09 03 ")
        robot.await_line(r"> e9 00 01 ")  # 128 of 255 on pin 9
        tap.equal(cli.troupe("send", "blinkenlight:0", "POWER", '{"id":0,"enable":1}', url=url).stderr, "")
        robot.await_line(r"> 91 20 00 ")
        result = cli.troupe("send", "actarray:0", "POS", '{"joint":8,"position":1.5708}', "--for", "0.2", url=url)
        tap.equal(result.stderr, "")
        robot.await_line(r"> f4 0a 04 ")
        robot.await_line(r"> ea 5a 00 ")  # 90 degrees on pin 10
        cli.refuses(cli.troupe("send", "dio:0", "VALUES", '{"count":3,"digout":4}', url=url),
                    "troupe send: dio:0: Digital Output 4: its pins belong to the wheels\n")
        cli.refuses(cli.troupe("send", "aio:0", "STATE", '{"id":6,"voltage":1}', url=url),
                    "troupe send: aio:0: there is no analog output 6; there are 6\n")
        result = cli.troupe("property", "aio:0", "inputs", url=url)
        assert result.stdout.startswith("0 Analog Input 0 (V), 1 Analog Input 1 (V)"), result


def a_pin_that_is_an_output_is_not_read():
    with emulated("firmata") as robot, serve(at_robot(robot, "firmata"), '"dio:0"', "firmata") as server:
        url = f"localhost:{port_of(server)}"
        with Program("print", "dio:0", "--url", url):
            robot.await_line(r"> f4 0d 00 ")  # the last pin becomes an input
            tap.equal(cli.troupe("send", "dio:0", "VALUES", '{"count":2,"digout":2}', url=url).stderr, "")
            robot.await_line(r"> 90 08 00 ")
            seen = [robot.await_line(r"> (d[01] 01|f4 03 00) ").group(1) for _ in range(40)]
            assert "f4 03 00" not in seen, seen


def a_finch_shows_colours():
    with emulated("finch") as robot, serve(at_robot(robot, "finch"), '"blinkenlight:0"', "finch", "alwayson 1") as server:
        url = f"localhost:{port_of(server)}"
        result = cli.troupe("send", "blinkenlight:0", "COLOR", '{"id":0,"color":{"red":255,"blue":128}}', url=url)
        tap.equal(result.stderr, "")
        robot.await_line(r"> 4f ff 00 80 ")
        tap.equal(cli.troupe("send", "blinkenlight:0", "POWER", '{"id":2,"enable":1}', url=url).stderr, "")
        robot.await_line(r"> 4f ff ff 80 ")
        cli.refuses(cli.troupe("send", "blinkenlight:0", "POWER", '{"id":4,"enable":1}', url=url),
                    "troupe send: blinkenlight:0: there is no light 4; there are 4\n")


TALKER = """<robot version="1" name="talker" title="Talker">
  <link kind="tcp"/>
  <device name="Screen" type="Screen" classes="Display, String_Output, Output" base="WriteString"/>
  <device name="Mouth" type="Mouth" classes="Voice, String_Output, Output" base="WriteString"/>
  <translate command="WriteString" type="Screen" send="'D' {text:strz}"><example device="Screen" values="'a'">> 44 61 00</example></translate>
  <translate command="WriteString" type="Mouth" send="'S' {text:strz}"><example device="Mouth" values="'a'">> 53 61 00</example></translate>
  <stop send="'X'"/>
</robot>"""


def a_robot_with_a_voice_speaks():
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file, socket.create_server(("127.0.0.1", 0)) as listener:
        file.write(TALKER)
        file.flush()
        url = f"tcp:127.0.0.1:{listener.getsockname()[1]}"
        with serve(url, '"speech:0"', file.name) as server:
            with player.Client(("127.0.0.1", port_of(server))) as client:
                client.open(SPEECH, 0)
                line = listener.accept()[0]
                client.send(SPEECH, 0, COMMAND, 1, player.text("Hello"))
                heard = b""
                while len(heard) < 7:
                    heard += line.recv(7)
                tap.equal(heard, b"SHello\0")
                line.close()


def the_rate_is_that_of_the_section():
    """Two robots in one server: the readings of one for each ten of the other, whatever the machine does besides."""
    sections = "".join(f'driver ( name "robotfile" robot "nxt" port "emulate:nxt" provides [ "aio:{i}" ] rate {rate} )\n'
                       for i, rate in enumerate((40, 4)))
    with player.server(cli.PROGRAM, sections) as server, player.Client(("127.0.0.1", server.ports[0])) as client:
        counts = [0, 0]
        client.open(AIO, 1)
        client.open(AIO, 0)
        while counts[0] < 80:
            message = client.data()
            counts[message.index] += message.interf == AIO
        assert 4 <= counts[1] <= 16, counts


tap.main(a_plain_client_of_players_protocol_drives_an_nxt, motors_of_two_devices_stop_one_by_one,
         outputs_of_an_arduino_are_written_and_its_wheels_keep_their_pins, a_pin_that_is_an_output_is_not_read,
         a_finch_shows_colours, a_robot_with_a_voice_speaks, the_rate_is_that_of_the_section)
