#!/usr/bin/env python3
"""The firmware of a sensor on a simulated ATmega328P: its commands, nothing lost unsaid, and as a device of a server.
argv: the troupe program, source root, the simulated board, the run in lockstep, the firmware, that of a station[, samples].  The long form: 60000."""
import contextlib
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import tty

import tap
from robots import PATIENCE, PROGRAM, Program, address

ROOT, UNO, RUN, FIRMWARE = pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4], pathlib.Path(sys.argv[5]).with_suffix(".hex")
STATION = pathlib.Path(sys.argv[6]).with_suffix(".hex")
os.environ.setdefault("TROUPE_ROBOT_PATH", str(ROOT / "robots"))
SAMPLES = int(sys.argv[7]) if len(sys.argv) > 7 else 2000


def samples(period):
    done = subprocess.run([RUN, FIRMWARE, str(SAMPLES), str(period)], capture_output=True, text=True)
    tap.equal((done.returncode, done.stderr), (0, ""))
    if len(sys.argv) > 7:
        print(f"# every {period} us: {done.stdout.strip()}")
    return [int(number) for number in re.match(r"delivered (\d+) lost (\d+)", done.stdout).groups()]


def commands_are_answered_and_no_sample_is_lost_unsaid():
    tap.equal(sum(samples(1000)), SAMPLES)


def what_the_line_cannot_carry_is_announced():
    delivered, lost = samples(500)
    tap.equal((delivered + lost, lost > 0), (SAMPLES, True))


def its_source_is_that_of_its_manifest():
    for name in ("light", "station"):
        done = subprocess.run([PROGRAM, "sensors", "code", f"uno_{name}"], capture_output=True, text=True, timeout=PATIENCE)
        tap.equal(done.stdout, (ROOT / "firmware" / f"sensor_{name}.c").read_text())


def channels_of_each_kind_log_together():
    """Events, actuators and channels that signal each other (B.2), and the memory that this takes."""
    done = subprocess.run([RUN, STATION, "station"], capture_output=True, text=True, timeout=PATIENCE)
    tap.equal((done.returncode, done.stderr), (0, ""))
    stack = int(re.fullmatch(r"stack (\d+)\n", done.stdout)[1])
    variables = int(re.search(r"0x0*80([0-9a-f]{4}) +_end = \.", STATION.with_suffix(".map").read_text())[1], 16)
    tap.equal((stack - variables, stack - variables >= 32), (stack - variables, True))


@contextlib.contextmanager
def board(millivolts, firmware=FIRMWARE):
    """A simulated Uno with the firmware and a voltage at A0: the URL of its line; and what asks the board itself."""
    process = subprocess.Popen([UNO, firmware, "--silent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(text):
        process.stdin.write(text + "\n")
        process.stdin.flush()
        return process.stdout.readline().strip()

    try:
        url = process.stdout.readline().strip()
        tap.equal(ask(f"analog 0 {millivolts}"), "ok")
        yield url, ask
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


@contextlib.contextmanager
def serving(text):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        with Program("run", file.name, "--any-port") as server:
            yield f"localhost:{address(server, r'^listening on port ([0-9]+)')}"


def it_is_a_device_of_a_server():
    with board(2000) as (url, _), serving(f'driver ( name "sensor" port "{url}" provides [ "aio:0" ] )') as at:
        with Program("print", f"{at}/aio:0", "-n", "1", "--timeout", str(PATIENCE)) as reader:
            reader.await_line(r"voltages: \[409\]")
        with Program("print", f"{at}/aio:0", "--timeout", str(PATIENCE)), Program("property", f"{at}/aio:0", "--timeout", str(PATIENCE)) as reader:
            reader.await_line("uuid +Troupe.Uno.Light.1")


def a_program_for_any_robot_reads_it_by_class():
    robot = 'driver ( name "robotfile" robot "troupe" port "devices" requires [ "aio:0" ] provides [ "universal:0" ] )\n'
    with board(2000) as (url, _), serving(f'driver ( name "sensor" port "{url}" convert yes provides [ "aio:0" ] )\n{robot}') as at:
        with tempfile.NamedTemporaryFile("w", suffix=".play") as file:
            file.write("device eye is Light Sensor\nprint eye\n")
            file.flush()
            with Program("play", file.name, "--url", at, "--timeout", str(PATIENCE)) as program:
                program.await_line(r"^eye: \"Light Sensor\" → Light Sensor \(aio:0\)$")
                program.await_line(r"^70$")  # raw 409, 200 is 100 %, 900 is 0 %


def pass_on(read, write, dice, is_bad):
    """Loses one byte of a hundred and damages another one."""
    with contextlib.suppress(OSError):
        while data := read():
            if is_bad.is_set():
                data = bytes(byte ^ 1 << dice.randrange(8) if dice.random() < 0.01 else byte for byte in data if dice.random() >= 0.01)
            write(data)


@contextlib.contextmanager
def bad_line(path, seed, is_bad=None):
    """The serial line of a board as a TCP port that damages both directions; once `is_bad` is set, if it is given."""
    if is_bad is None:
        is_bad = threading.Event()
        is_bad.set()
    line = os.open(path.removeprefix("serial:").split("?")[0], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(line)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = listener.accept()
                    threading.Thread(target=pass_on, args=(lambda peer=peer: peer.recv(4096), lambda data: os.write(line, data), random.Random(seed), is_bad),
                                     daemon=True).start()
                    threading.Thread(target=pass_on, args=(lambda: os.read(line, 4096), peer.sendall, random.Random(seed + 1), is_bad), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp:127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def request(at, name, value=None):
    done = subprocess.run([PROGRAM, "request", f"{at}/experiment:0", name, *([json.dumps(value)] if value else []), "--json", "--timeout", "60"],
                          capture_output=True, text=True, timeout=PATIENCE)
    tap.equal((name, done.returncode, done.stderr), (name, 0, ""))
    return json.loads(done.stdout)


def every_way_to_log_works_on_a_bad_line():
    """Starts, ends, triggers and transmissions that a sensor with one channel has (B.2): each sample comes or is named."""
    with board(2000) as (url, _), bad_line(url, 1) as line:
        with serving(f'driver ( name "sensor" port "{line}" verify yes provides [ "experiment:0" ] )') as at:
            for words, count in (("start=now end=20 send=5", 20), ("start=100ms end=200ms send=100ms", 20), ("start=trigger end=20 send=done", 20),
                                 ("end=20 send=read", 20), ("end=never send=1", 0)):
                request(at, "SETUP", {"name": "a", "text": f"ch1 conversion=1 every=10ms {words}"})
                request(at, "LAUNCH")
                if "trigger" in words:
                    request(at, "TRIGGER", {"channel": 1})
                while (state := request(at, "GET_STATE"))["phase"] == 2:
                    if "read" in words:
                        subprocess.run([PROGRAM, "request", f"{at}/experiment:0", "READ", "--timeout", "60"], capture_output=True, check=False)
                    if "never" in words and state["samples"] > 5:  # short lines come through
                        request(at, "STOP")
                tap.equal((words, state["why"]), (words, ""))
                tap.equal((words, not count or state["samples"] + state["lost"]), (words, count or True))


def lamp(ask):
    return int(re.match(r"level \d duty (\d+)", ask("state 6"))[1])


def channels_of_each_kind_log_together_on_a_bad_line():
    """The same as experiments of a server. Those that only events end are stopped: the line may lose the last event."""
    is_bad = threading.Event()
    with board(2000, STATION) as (url, ask), bad_line(url, 3, is_bad) as line:
        tap.equal((ask("analog 1 2500"), ask("pin 2 1")), ("ok", "ok"))
        with serving(f'driver ( name "sensor" port "{line}" verify yes provides [ "experiment:0" ] )') as at:
            request(at, "SETUP", {"name": "a", "text": "ch1 end=1"})  # the manifest has come
            is_bad.set()
            for text, enough in (("ch3 every=10ms event=1:0:once\nch1 start=ch3 every=ch3 send=1", lambda state: state["samples"] >= 4),
                                 ("ch3 every=20ms event=1:0.5:while event=9:0:once", lambda state: state["samples"] >= 5),
                                 ("ch3 every=10ms event=1:0:once\nch4 values=10,20 every=ch3 then=hold", lambda _: lamp(ask) == 51),  # 20 % of 255
                                 ("ch2 every=50ms end=4 send=1\nch3 every=ch2 event=1:0:while end=ch2", lambda _: False),
                                 ("ch2 every=20ms end=10\nch4 values=10,90 every=20ms then=repeat end=9", lambda _: False)):
                request(at, "SETUP", {"name": "a", "text": text})
                request(at, "LAUNCH")
                pressed = False
                while (state := request(at, "GET_STATE"))["phase"] == 2:
                    pressed = "while" in text or not pressed
                    tap.equal(ask(f"pin 2 {int(not pressed)}"), "ok")
                    if enough(state):
                        request(at, "STOP")
                tap.equal((text, state["why"]), (text, ""))
            tap.equal((state["samples"] + state["lost"], lamp(ask)), (10, 26))  # the ninth of two values is the first


tap.main(channels_of_each_kind_log_together, channels_of_each_kind_log_together_on_a_bad_line, every_way_to_log_works_on_a_bad_line, commands_are_answered_and_no_sample_is_lost_unsaid, what_the_line_cannot_carry_is_announced,
         its_source_is_that_of_its_manifest, it_is_a_device_of_a_server, a_program_for_any_robot_reads_it_by_class)
