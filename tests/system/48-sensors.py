#!/usr/bin/env python3
"""Sensors that describe themselves: commands, bytes on a pseudo-terminal, devices of a server, plugging in and out.
argv: the troupe program, source root[, rounds of plugging: prints the longest times].  The long form: 200 rounds."""
import contextlib
import os
import re
import select
import subprocess
import sys
import tempfile
import time
import tty

import tap
from robots import PATIENCE, PROGRAM, Program, Sensors, address

ROOT = sys.argv[2]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 2
FIVE = {"nxt_light": "LEGO.NXT.Light.9844", "temperature": "Troupe.Temperature.1", "ultrasonic": "Troupe.Ultrasonic.1",
        "heater": "Troupe.Heater.1", "accelerometer": "Troupe.Accelerometer.1"}


def run(*arguments, cwd=None):
    done = subprocess.run([os.path.abspath(PROGRAM), *arguments], capture_output=True, text=True, timeout=PATIENCE, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


@contextlib.contextmanager
def server(*sections):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write("\n".join(f'driver ( name "sensor" {section} )' for section in sections))
        file.flush()
        with Program("run", file.name, "--any-port") as program:
            yield f"localhost:{address(program, r'listening on port ([0-9]+)')}", program


def ask(fd, command, end=b"\n"):
    os.write(fd, command)
    answer = b""
    while not answer.endswith(end):
        tap.equal(bool(select.select([fd], [], [], PATIENCE)[0]), True)
        answer += os.read(fd, 4096)
    return answer


def manifests_are_listed_shown_and_checked():
    code, out, _ = run("sensors")
    names = [line.split()[0] for line in out.splitlines()[1:]]
    tap.equal((code, names), (0, ["accelerometer", "button", "heater", "nxt_light", "simulated", "temperature", "ultrasonic", "uno_light", "uno_station"]))
    code, out, _ = run("sensors", "show", "nxt_light")
    tap.equal((code, "mode 1, Floodlight: 1 On, 2 Off" in out, "0.143  piecewise_lin" in out), (0, True, True))
    code, out, _ = run("sensors", "check", *names)
    tap.equal((code, len(out.splitlines())), (0, len(names)))
    code, _, err = run("sensors", "check", f"{ROOT}/tests/data/sensors/nxt_light_printed.xml")
    tap.equal((code, len(err.splitlines())), (1, 10))
    tap.equal(bool(re.search(r"printed.xml:3: <name>: it is not closed before </identity> of line 24; write </name>", err)), True)
    code, _, err = run("sensors", "show", "nxt_ligth")
    tap.equal((code, 'did you mean "nxt_light"?' in err), (1, True))
    tap.equal(run("sensors", "chek")[0], 2)


def a_new_manifest_is_right():
    with tempfile.TemporaryDirectory() as folder:
        tap.equal(run("new", "sensor", "glow", cwd=folder)[0], 0)
        code, out, err = run("sensors", "check", "glow.xml", cwd=folder)
        tap.equal((code, out, err), (0, "glow.xml: Example.glow.1, 1 channel\n", ""))


def a_channel_without_a_name_has_its_number():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/bare.xml", "w", encoding="utf-8") as file:
            file.write("<sensor><identity><uuid>A.B.1</uuid></identity><transducers><transducer/></transducers></sensor>")
        code, out, _ = run("sensors", "show", f"{folder}/bare.xml")
        tap.equal((code, "channel 1, sensor: Channel 1, every 1 ms or more" in out), (0, True))
        with server(f'port "sensor:{folder}/bare.xml" provides [ "aio:0" ]') as (url, _):
            with Program("print", f"{url}/aio:0", "--timeout", str(PATIENCE)) as reader:
                reader.await_line(r"voltages")
                tap.equal(run("property", f"{url}/aio:0", "inputs")[1], "0 Channel 1, 0 to 65535, resolution 0, uncertainty 1\n")


def an_emulated_sensor_answers_on_a_terminal():
    with tempfile.TemporaryDirectory() as folder, Sensors("nxt_light", "--link", f"{folder}/light", "--wave", "1=550") as sensors:
        fd = os.open(f"{folder}/light", os.O_RDWR | os.O_NOCTTY)
        tty.setraw(fd)
        for command, answer in ((b"<R>", b"R,550\n"), (b"<SC2>", b"S,C,2\n"), (b"<R*52>", b"R,50*7B\n"),
                                (b"<Q>", b"!!!,Q\n"), (b"<G, M, 1>", b"G,M,1\n")):
            tap.equal(ask(fd, command), answer)
        whole = ask(fd, b"<X>", b"X\xff\n")
        tap.equal(b"LEGO.NXT.Light.9844" in re.sub(rb"\nX,[0-9]+,", b"", whole), True)
        sensors.command("wave 1 1=900", answers=False)
        while ask(fd, b"<R>") != b"R,0\n":
            pass
        tap.equal(sensors.command("unplug 1"), "nxt_light unplugged")
        tap.equal(os.path.lexists(f"{folder}/light"), False)
        os.close(fd)


def channels_are_devices():
    sections = ('port "sensor:simulated?wave=1=550&wave=3=900&wave=4=1" provides [ "aio:0" "dio:0" "power:0" ]',
                'port "sensor:ultrasonic?wave=1=5830" provides [ "ranger:0" "aio:1" ]',
                'port "sensor:accelerometer?wave=1=921&wave=2=511&wave=3=102" provides [ "imu:0" ]',
                'port "sensor:heater" provides [ "aio:2" ] alwayson 1')
    with server(*sections) as (url, _):
        for device, pattern in (("aio:0", r"voltages: \[50 \S+ 8.8\] %, \S+, V$"), ("dio:0", "bits: 1"), ("power:0", "volts: 8.8"),
                                ("ranger:0", r"ranges: \[1\]"), ("aio:1", r"voltages: \[1000\] mm$"), ("imu:0", "accel_x: 19.6")):
            with Program("print", f"{url}/{device}", "-n", "1") as reader:
                reader.await_line(pattern)
        with Program("property", f"{url}/aio:0") as reader:
            reader.await_line("uuid +Troupe.Simulated.1")
            reader.await_line(r"inputs +0 Light Sensor: Brightness \(%\), 0 to 100, resolution 1, uncertainty 0.143; 1 Sound")
        code, _, err = run("send", f"{url}/aio:2", "STATE", '{"id": 0, "voltage": 101}')
        tap.equal((code, "Heater: 101 is not between 0 and 100" in err), (1, True))
        tap.equal(run("send", f"{url}/aio:2", "STATE", '{"id": 0, "voltage": 40}')[0], 0)
        code, _, err = run("send", f"{url}/aio:2", "STATE", '{"id": 1, "voltage": 0}')
        tap.equal((code, "the sensor has no output 1" in err), (1, True))


def settings_are_properties_and_are_kept():
    with tempfile.TemporaryDirectory() as folder, Sensors("nxt_light", "--link", f"{folder}/light", "--wave", "1=550") as sensors:
        with server(f'port "{folder}/l*" rate 50 provides [ "aio:0" ] alwayson 1') as (url, _), Program("print", f"{url}/aio:0") as reader:
            reader.await_line(r"voltages: \[550\]")
            with Program("property", f"{url}/aio:0") as shown:
                shown.await_line(r"conversion.1 +1 ")
                shown.await_line(r"mode.1.Floodlight +On ")
            for wrong in (("conversion.1", "3"), ("mode.1.Floodlight", "Maybe")):
                tap.equal(run("property", f"{url}/aio:0", *wrong)[0], 1)
            tap.equal(run("property", f"{url}/aio:0", "conversion.1", "2")[0], 0)
            tap.equal(run("property", f"{url}/aio:0", "mode.1.Floodlight", "2")[0], 0)
            reader.await_line(r"voltages: \[50\]")
            sensors.command("unplug 1")
            reader.await_line(r"voltages: \[\]")
            sensors.command("plug 1")
            reader.await_line(r"voltages: \[50\]")
            for key, value in (("conversion.1", "2"), ("mode.1.Floodlight", "Off"), ("unit.voltages[0]", "%"), ("uncertainty.voltages[0]", "0.143")):
                tap.equal(value in run("property", f"{url}/aio:0", key)[1], True)


def settings_of_a_client_that_leaves_at_once_are_kept():
    """Nobody else has the device open: the sensor is stopped before it was asked."""
    with server('port "sensor:nxt_light" provides [ "aio:0" ]') as (url, _):
        for conversion, light in (("2", "Off"), ("1", "On"), ("2", "Off")):
            for key, value in (("conversion.1", conversion), ("mode.1.Floodlight", light)):
                tap.equal(run("property", f"{url}/aio:0", key, value)[0], 0)
            for key, value in (("conversion.1", conversion), ("mode.1.Floodlight", light)):
                tap.equal(run("property", f"{url}/aio:0", key)[1], value + "\n")


def a_line_that_loses_and_garbles_bytes_is_read():
    with server('port "sensor:button?wave=1=1&lose=1&garble=1&seed=3" verify yes rate 50 provides [ "dio:0" ]') as (url, _):
        with Program("print", f"{url}/dio:0", "-n", "20", "--timeout", str(PATIENCE)) as reader:
            for _ in range(20):
                reader.await_line("bits: 1")


def what_is_no_sensor_is_told():
    with tempfile.TemporaryDirectory() as folder, Sensors("button", "--link", f"{folder}/b") as _:
        with server(f'port "serial:{folder}/b" uuid "Another.1" provides [ "dio:0" ] alwayson 1') as (_, program):
            program.await_line(r"sensor0: .*/b is the sensor Troupe.Button.1 with the serial number \"1\"")
    with server('port "sensor:nobody" provides [ "dio:0" ] alwayson 1') as (_, program):
        program.await_line(r'sensor0: open sensor:nobody: there is no sensor "nobody"')


def five_sensors_are_plugged_in_and_out():
    longest = {"there": 0.0, "gone": 0.0}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        arguments = [word for name in FIVE for word in (name, "--link", f"{folder}/s-{name}")]
        sensors = stack.enter_context(Sensors(*arguments, count=5))
        sections = [f'port "{folder}/s-*" uuid "{uuid}" rate 50 provides [ "aio:{i}" ]' for i, uuid in enumerate(FIVE.values())]
        url, _ = stack.enter_context(server(*sections))
        readers = [stack.enter_context(Program("print", f"{url}/aio:{i}")) for i in range(5)]
        for reader in readers:
            reader.await_line(r"voltages: \[\S")
        for _ in range(ROUNDS):
            for i, reader in enumerate(readers):
                for command, state, pattern in (("unplug", "gone", r"voltages: \[\]"), ("plug", "there", r"voltages: \[\S")):
                    sensors.command(f"{command} {i + 1}")
                    began = time.monotonic()
                    reader.await_line(pattern)
                    longest[state] = max(longest[state], time.monotonic() - began)
    if len(sys.argv) > 3:
        print(f"# {ROUNDS} rounds: there after at most {longest['there']:.3f} s, gone after at most {longest['gone']:.3f} s")


tap.main(a_channel_without_a_name_has_its_number, manifests_are_listed_shown_and_checked, a_new_manifest_is_right, an_emulated_sensor_answers_on_a_terminal,
         channels_are_devices, settings_are_properties_and_are_kept,
         settings_of_a_client_that_leaves_at_once_are_kept, a_line_that_loses_and_garbles_bytes_is_read, what_is_no_sensor_is_told,
         five_sensors_are_plugged_in_and_out)
