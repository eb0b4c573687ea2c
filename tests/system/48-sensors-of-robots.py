#!/usr/bin/env python3
"""Plugged-in sensors are devices of universal programs: found by class, read in the unit of the class, plugged in and out.
argv: the troupe program, source root."""
import contextlib
import math
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading

import tap
from robots import PATIENCE, PROGRAM, Program, Sensors
from universal import Client, error, text

ROOT = pathlib.Path(sys.argv[2])
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
os.environ.setdefault("TROUPE_SENSOR_PATH", str(ROOT / "sensors"))
READ_ANALOG, READ_COUNT, READ_DIGITAL, WRITE_ANALOG = 0x1003, 0x1004, 0x1002, 0x3003


class Server:
    """Sensors, and the robot `troupe` that has them."""

    def __init__(self, *sections, requires):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as file:
            file.write('front ( name "universal" )\n')
            file.write("\n".join(f'driver ( name "sensor" {section} )' for section in sections))
            file.write(f'\ndriver ( name "robotfile" robot "troupe" port "devices" requires [ {requires} ] provides [ "universal:0" ] alwayson 1 )\n')
        self.program = Program("run", file.name, "--any-port")
        self.port = int(self.program.await_line(r"front universal: listening on port (\d+)").group(1))
        self.url = "localhost:" + self.program.await_line(r"^listening on port (\d+)").group(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.__exit__()


def play(content, server, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".play") as file:
        file.write(content)
        file.flush()
        done = subprocess.run([PROGRAM, "play", file.name, "--url", server.url, *options], capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout.splitlines(), done.stderr


FOUR = ('port "{0}" provides [ "aio:0" ]', 'port "{1}" provides [ "aio:1" ]', 'port "{2}" convert yes provides [ "aio:2" ]',
        'port "{3}" provides [ "dio:0" ]')
READS = """device warm is Temperature Sensor
device far is Distance Sensor
device eye is Light Sensor, Intensity Sensor
device knob is Touch Sensor
print far > 99 cm, far < 101 cm, far
print eye
print knob
print warm > 0 °C, warm < 100 °C
"""


@contextlib.contextmanager
def four_sensors():
    waves = (("temperature", "1=500"), ("ultrasonic", "1=5830"), ("nxt_light", "1=550"), ("button", "1=1"))
    arguments = [word for name, wave in waves for word in (name, "--wave", wave, "--listen", "tcp:127.0.0.1:0")]
    with Sensors(*arguments, count=4) as sensors:
        sections = [section.format(*sensors.urls) for section in FOUR]
        with Server(*sections, requires='"aio:0" "aio:1" "aio:2" "dio:0"') as server:
            yield server


def a_program_reads_them_by_class_and_with_their_units():
    with four_sensors() as server:
        code, lines, err = play(READS, server)
        tap.equal((code, err), (0, ""))
        tap.equal(lines[1:], ['warm: "Temperature Sensor" → Temperature Sensor (aio:0)', 'far: "Distance Sensor" → Ultrasonic Sensor (aio:1)',
                              'eye: "Light Sensor" → Light Sensor (aio:2)', 'knob: "Touch Sensor" → Touch Sensor (dio:0)',
                              "true true 1000", "50", "true", "true true"])


def the_front_has_them_too():
    with four_sensors() as server, Client(server) as client:
        for number, (words, sentence) in enumerate(((b"Ultrasonic Sensor", "Ultrasonic Sensor (aio:1)"), (b"Light Sensor", "Light Sensor (aio:2)"),
                                                    (b"Button, Touch Sensor", "Touch Sensor (dio:0)"))):
            status, rest = client.extended(1, text(words) + b"\xff")
            tap.equal((status, rest[:2], rest[6:].decode().endswith(sentence)), (0, bytes([64 + number, 0]), True))
        tap.equal(client.ask(READ_COUNT, b"\x40\0"), (0, struct.pack(">i", 1000)))  # millimetres
        tap.equal(client.ask(READ_ANALOG, b"\x41\0"), (0, struct.pack(">d", 50)))  # C.2: raw 550 is 50 %
        tap.equal(client.ask(READ_DIGITAL, b"\x42\0"), (0, b"\1"))
        status, rest = client.ask(READ_ANALOG, b"\x40\0")  # percent of what it can measure
        assert status == 0 and 0 < struct.unpack(">d", rest)[0] < 100, rest
        status, rest = client.extended(1, text(b"Left Light Sensor, Sound Sensor") + b"\xff")  # the robot file's own inputs are not there
        assert status == 0 and "Light Sensor (aio:2)" in rest[6:].decode() or status == 1, rest


def plain_inputs_stay_what_they_are_beside_a_sensor():
    with Sensors("heater", "--listen", "tcp:127.0.0.1:0") as sensors:
        fake = 'rate 1 provides [ "imu:0" ] port "sensor:accelerometer" )\ndriver ( name "fake" provides [ "aio:5" ]'  # a section more
        with Server(f'port "{sensors.urls[0]}" provides [ "aio:0" ]', fake, requires='"aio:0" "aio:5"') as server, Client(server) as client:
            for words, status, sentence in ((b"Left Light Sensor", 0, '"Left Light Sensor" → Left Light Sensor'),
                                            (b"Heater", 0, '"Heater" → Heater (aio:0)'),
                                            (b"Output Pin", 1, '"Output Pin" → not on this robot')):  # the outputs of the first aio are a heater
                got, rest = client.extended(1, text(words) + b"\xff")
                told = rest[6:].decode() if got == 0 else error(rest)[1]
                tap.equal((words, got, told if sentence not in told else ""), (words, status, ""))
            while client.ask(READ_ANALOG, b"\x40\0")[0] != 0:  # until it has reported
                pass


def a_raw_number_is_not_taken_for_a_brightness():
    with Sensors("nxt_light", "--wave", "1=200", "--listen", "tcp:127.0.0.1:0") as sensors:
        with Server(f'port "{sensors.urls[0]}" provides [ "aio:0" ]', requires='"aio:0"') as server, Client(server) as client:
            status, rest = client.extended(1, text(b"Light Sensor") + b"\xff")
            tap.equal((status, error(rest)[0]), (1, 2))
            status, rest = client.extended(1, text(b"Measurement") + b"\xff")
            tap.equal((status, rest[6:].decode()), (0, '"Measurement" → Light Sensor (aio:0)'))


def they_are_plugged_in_and_out_while_a_program_is_connected():
    with tempfile.TemporaryDirectory() as folder, Sensors("ultrasonic", "--wave", "1=5830", "--link", f"{folder}/s") as sensors:
        tap.equal(sensors.command("unplug 1"), "ultrasonic unplugged")
        with Server(f'port "{folder}/s*" rate 50 provides [ "aio:0" ]', requires='"aio:0"') as server, Client(server) as client:
            for _ in range(3):
                status, rest = client.extended(1, text(b"Distance Sensor") + b"\xff")
                tap.equal((status, error(rest)[0]), (1, 2))
                sensors.command("plug 1")
                while True:  # it is found, and then it has measured
                    status, rest = client.extended(1, text(b"Distance Sensor") + b"\xff")
                    if status == 0:
                        port = rest[:2]
                        break
                while client.ask(READ_COUNT, port) != (0, struct.pack(">i", 1000)):
                    pass
                sensors.command("unplug 1")
                while client.ask(READ_COUNT, port)[0] == 0:
                    pass
                client.extended(2, text(b"troupe"))  # its devices are forgotten


class Relay:
    """Between the server and a sensor: keeps what the server writes."""

    def __init__(self, url):
        host, port = re.search(r"tcp:(.*):(\d+)", url).groups()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"tcp:127.0.0.1:{self.listener.getsockname()[1]}"
        self.seen, self.changed = b"", threading.Condition()

        def pump(source, target, keeps):
            with contextlib.suppress(OSError):
                while data := source.recv(4096):
                    if keeps:
                        with self.changed:
                            self.seen += data
                            self.changed.notify_all()
                    target.sendall(data)
                target.close()

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    near, _ = self.listener.accept()
                    far = socket.create_connection((host, int(port)))
                    threading.Thread(target=pump, args=(near, far, True), daemon=True).start()
                    threading.Thread(target=pump, args=(far, near, False), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def until(self, pattern):
        with self.changed:
            assert self.changed.wait_for(lambda: re.search(pattern, self.seen, re.S), PATIENCE), self.seen[-300:]


LOOKS = """device eye is Left Light Sensor
forever
print eye
wait 0.01 s
end
"""


def a_program_does_not_notice_sensors_that_it_does_not_use():
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "looks.play").write_text(LOOKS)
        sensors = stack.enter_context(Sensors("ultrasonic", "--wave", "1=5830", "--link", f"{folder}/s"))
        fake = 'rate 1 provides [ "imu:0" ] port "sensor:accelerometer" )\ndriver ( name "fake" provides [ "aio:5" ]'  # a section more
        server = stack.enter_context(Server(f'port "{folder}/s*" rate 50 provides [ "aio:0" ]', fake, requires='"aio:0" "aio:5"'))
        other = stack.enter_context(Client(server))
        looks = stack.enter_context(Program("play", str(folder / "looks.play"), "--url", server.url))
        looks.await_line(r"^eye: \"Left Light Sensor\" → Left Light Sensor$")
        for _ in range(3):
            while other.extended(1, text(b"Distance Sensor") + b"\xff")[0] != 0 or other.ask(READ_COUNT, b"\x40\0")[0] != 0:
                other.extended(2, text(b"troupe"))  # its devices are forgotten
            for _ in range(20):  # as many as the pipe may hold from before are few beside these
                looks.await_line(r"^[0-9.]+$")
            sensors.command("unplug 1")
            while other.ask(READ_COUNT, b"\x40\0")[0] == 0:
                pass
            other.extended(2, text(b"troupe"))
            sensors.command("plug 1")
        tap.equal(looks.process.poll(), None)


def an_actuator_is_set_and_goes_off_with_the_program():
    with Sensors("heater", "--listen", "tcp:127.0.0.1:0") as sensors, Relay(sensors.urls[0]) as relay:
        with Server(f'port "{relay.url}" provides [ "aio:0" ]', requires='"aio:0"') as server:
            code, lines, err = play("device hot is Heater\ndevice warm is Temperature Sensor\nset hot to 40\nprint warm > -50 °C\nwait 0.2\n", server)
            tap.equal((code, err, lines[1:]),
                      (0, "", ['hot: "Heater" → Heater (aio:0)', 'warm: "Temperature Sensor" → Temperature Sensor (aio:0)', "true"]))
            relay.until(rb"<W,1,40\b")
            relay.until(rb"<W,1,40\b.*<W,1,0\b")


WIRING = """<wiring version="1" robot="firmata">
  <device name="Eye" type="FirmataAnalog" manifest="nxt_light" values="channel 0"/>
  <device name="Probe" type="FirmataAnalog" manifest="{probe}" channel="2" values="channel 0"/>
  <use class="Light Sensor" device="Eye"/>
</wiring>
"""
AT_A_PIN = """device pin is Analog Pin number 0
device eye is Light Sensor
device warm is Temperature Sensor
print "pin", pin
print "eye", eye
print warm > 0 °C
print "warm", do ReadCount warm
"""


def at_pin(folder, wiring, *options):
    (folder / "w.xml").write_text(wiring)
    (folder / "p.play").write_text(AT_A_PIN)
    done = subprocess.run([PROGRAM, "play", str(folder / "p.play"), "--on", "firmata", "--wiring", str(folder / "w.xml"), *options],
                          capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


def a_manifest_defines_what_is_at_a_pin():
    """The raw number is what the pin reads; the curve, the classes and the unit are those of the manifest."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "probe.xml").write_text((ROOT / "sensors/heater.xml").read_text())
        code, out, err = at_pin(folder, WIRING.format(probe="probe.xml"), "--port", "emulate:firmata")  # beside the wiring file
        tap.equal((code, err), (0, ""))
        assert 'eye: "Light Sensor" → Eye; by the wiring file\n' in out and 'warm: "Temperature Sensor" → Probe\n' in out, out
        pin, eye, warm = (float(re.search(rf"^{word} (\S+)$", out, re.M).group(1)) for word in ("pin", "eye", "warm"))
        raw = pin / 100 * 1023
        assert abs(eye - (100 - min(max((raw - 200) / 7, 0), 100))) <= 0.51, (pin, eye)  # 200 is 100 %, 900 is 0 %; whole percents
        degrees = 70 - 25 * math.log(0.01 * (1 + pin / 100 * 1022))
        assert abs(warm / 10 - degrees) <= 0.26, (pin, warm, degrees)  # tenths of a degree, in halves
        for wrong, why in ((WIRING.format(probe="nobody"), 'w.xml:3: <device>: manifest="nobody": there is no sensor "nobody"'),
                           (WIRING.format(probe="nxt_light"), 'w.xml:3: <device>: manifest="nxt_light": it has no channel 2'),
                           (WIRING.format(probe="heater").replace('"2"', '"1"'), "the channel is no sensor with numbers"),
                           (WIRING.format(probe="heater").replace('manifest="heater" ', ""), 'channel belongs to manifest="..."'),
                           (WIRING.format(probe="heater").replace('channel="2"', 'base="ReadCount" channel="2"'), 'write base="ReadAnalog"')):
            code, _, err = at_pin(folder, wrong, "--explain")
            assert code != 0 and why in err, err


tap.main(a_manifest_defines_what_is_at_a_pin, a_program_reads_them_by_class_and_with_their_units, the_front_has_them_too, plain_inputs_stay_what_they_are_beside_a_sensor, a_raw_number_is_not_taken_for_a_brightness,
         they_are_plugged_in_and_out_while_a_program_is_connected, a_program_does_not_notice_sensors_that_it_does_not_use, an_actuator_is_set_and_goes_off_with_the_program)
