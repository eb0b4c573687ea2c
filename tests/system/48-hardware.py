#!/usr/bin/env python3
"""Hardware by its bytes: the program of the README drives a Pioneer, a Create and a rover that carry scanners, all emulated;
plain Player clients drive a rover and turn a camera; a joystick goes before a planner.
argv: the troupe program, the source root, the README's program."""
import os
import struct
import sys
import tempfile

import player
import tap
from player import COMMAND, LASER, POSITION2D
from robots import Program

TROUPE, ROOT, DRIVE = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
os.environ["TROUPE_ROBOT_PATH"] = ROOT + "/robots"
os.environ["TROUPE_WORLD_PATH"] = ROOT + "/worlds"
PTZ, GPS, IMU, JOYSTICK = 8, 13, 60, 49
# From the middle of the floor a robot looks at a wall, 1.9 m away.
WALL = 'model ( name "wall" pose [2 0 0 0] size [0.2 3 1] color "grey" )\n'
PIONEER = ('driver ( name "p2os" provides [ "position2d:0" ] port "{robot}" )\n'
           'driver ( name "sicklms200" provides [ "laser:0" ] port "{scanner}" resolution 100 )\n')
CREATE = ('driver ( name "create" provides [ "position2d:0" ] port "{robot}" )\n'
          'driver ( name "urglaser" provides [ "laser:0" ] port "{scanner}" )\n')
ROVER = ('driver ( name "mavlink" provides [ "position2d:0" ] port "{robot}" )\n'
         'driver ( name "hokuyo_aist" provides [ "laser:0" ] port "{scanner}" )\n')


def drives(robot, scanner, config):
    """The README's program, on a robot that carries a scanner: it stops before the wall. The program waits a second for a scan; a
    scanner can take longer to start, so another client has it open already."""
    with tempfile.TemporaryDirectory() as folder:
        world = folder + "/wall.world"
        with open(world, "w", encoding="ascii") as file:
            file.write(WALL)
        with Program("emulate", robot, "--at", "0,0,0", "--name", "base", scanner, "--on", "base", "--at", "0.1,0",
                     "--name", "eye", "--world", world) as emulated:
            lines = {name: emulated.await_line(f"^{name} (\\S+)").group(1) for name in ("base", "eye")}
            text = config.format(robot=lines["base"], scanner=lines["eye"])
            with player.server(TROUPE, text) as running, player.Client(running.address) as other:
                other.open(LASER, 0)
                data_of(other, LASER)
                result = tap.run([DRIVE], env=dict(os.environ, TROUPE_URL=f"localhost:{running.ports[0]}"))
                tap.equal((result.stdout, result.returncode), ("something is ahead\n", 0))


def the_readmes_program_drives_a_pioneer_with_a_sick():
    drives("p2os", "sicklms200", PIONEER)


def the_readmes_program_drives_a_create_with_an_urg():
    drives("create1", "urg04lx", CREATE)


def the_readmes_program_drives_a_rover_with_an_urg():
    drives("rover", "urg04lx", ROVER)


# ---- Plain clients ----

def drive(client, ahead, turn=0.0, index=0):
    client.send(POSITION2D, index, COMMAND, 1, struct.pack(">dddI", ahead, 0, turn, 1))


def data_of(client, interf):
    while True:
        message = client.data()
        if message.interf == interf and message.subtype < 200:
            return message


def state(client):
    return struct.unpack_from(">6d", data_of(client, POSITION2D).body)


def a_rover_drives_and_reports():
    config = 'driver ( name "mavlink" provides [ "position2d:0" "gps:0" "imu:0" ] port "emulate:rover" )\n'
    with player.server(TROUPE, config) as running, player.Client(running.address) as client:
        for interf in (GPS, IMU, POSITION2D):
            client.open(interf, 0)
        assert data_of(client, GPS).body and data_of(client, IMU).body
        drive(client, 0.5)
        while state(client)[0] < 0.3:
            drive(client, 0.5)
        drive(client, 0, 0.5)
        while state(client)[5] < 0.4:
            drive(client, 0, 0.5)
        drive(client, 0)


def a_camera_turns():
    config = 'driver ( name "sonyevid30" provides [ "ptz:0" ] port "emulate:evid30" )\n'
    with player.server(TROUPE, config) as running, player.Client(running.address) as client:
        client.open(PTZ, 0)
        client.send(PTZ, 0, COMMAND, 1, struct.pack(">5f", 0.5, 0.2, 0.4, 0, 0))
        while True:
            pan, tilt, zoom = struct.unpack_from(">3f", data_of(client, PTZ).body)
            if abs(pan - 0.5) + abs(tilt - 0.2) + abs(zoom - 0.4) < 0.01:
                break


def turning_speeds_are_in_the_units_of_the_file():
    """100 degrees per second, which Player's files have, and 100 radians, which no robot turns."""
    section = 'driver ( name "p2os" provides [ "position2d:0" ] max_yawspeed 100 )\n'
    for text, mistake in ((section, ""), ('unit_angle "radians"\n' + section, "max_yawspeed is not from 0 to 10")):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(text)
            file.flush()
            result = tap.run([TROUPE, "check", file.name])
        tap.equal(result.returncode == 0, mistake == "")
        assert mistake in result.stderr, result.stderr


def mistakes_in_lines_are_found_by_check():
    """With the place of the line in the file; nothing is opened."""
    for driver, interface, line, mistake in (
            ("p2os", "position2d", "serial:/dev/ttyS0?baud=fast", 'baud is a speed in bits per second, not "fast"'),
            ("p2os", "position2d", "tcp:robot", ""),
            ("p2os", "position2d", "can:can0", "the driver needs a line of bytes, such as /dev/ttyS0, not can:"),
            ("phidgetRFID", "rfid", "/dev/ttyUSB0", "the driver needs a line of the kind hid:, such as hid:06c2:0031, not serial:"),
            ("sicklms200", "laser", "gopher:x", "a line here is a path, serial:, script:")):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            file.write(f'driver ( name "{driver}" provides [ "{interface}:0" ]\n         port "{line}" )\n')
            file.flush()
            result = tap.run([TROUPE, "check", file.name])
        start = f'troupe check: {file.name}:2:10: {driver}0: port "{line}": '
        tap.equal((result.returncode, result.stderr[:len(start)]), (1, start))
        assert mistake in result.stderr, result.stderr


# ---- A joystick ----

def event(value, kind, number):
    return struct.pack("<IhBB", 1, value, kind, number)


def a_joystick_goes_before_other_clients():
    with tempfile.TemporaryDirectory() as folder:
        pipe = folder + "/js0"
        os.mkfifo(pipe)
        config = (f'driver ( name "fake" provides [ "position2d:0" ]\n'
                  f'         writer ( driver "linuxjoystick" rank 1 timeout 60 ) )\n'
                  f'driver ( name "linuxjoystick" provides [ "joystick:0" ] requires [ "position2d:0" ]\n'
                  f'         port "{pipe}" max_speed [0.4 0 0] timeout 0 alwayson 1 )\n')
        with player.server(TROUPE, config) as running, player.Client(running.address) as client:
            client.open(POSITION2D, 0)
            client.open(JOYSTICK, 0)
            drive(client, -0.2)
            while state(client)[3] > -0.1:
                drive(client, -0.2)
            stick = os.open(pipe, os.O_WRONLY)
            os.write(stick, event(0, 0x82, 1) + event(-32767, 2, 1))
            while struct.unpack_from(">i", data_of(client, JOYSTICK).body)[0] != -32767:
                pass
            while state(client)[3] < 0.3:
                drive(client, -0.2)
            for _ in range(5):  # it stays so, whatever others say
                drive(client, -0.2)
                assert state(client)[3] > 0.3
            os.close(stick)


if __name__ == "__main__":
    tap.main(the_readmes_program_drives_a_pioneer_with_a_sick, the_readmes_program_drives_a_create_with_an_urg,
             the_readmes_program_drives_a_rover_with_an_urg, a_rover_drives_and_reports, a_camera_turns,
             turning_speeds_are_in_the_units_of_the_file, mistakes_in_lines_are_found_by_check,
             a_joystick_goes_before_other_clients)
