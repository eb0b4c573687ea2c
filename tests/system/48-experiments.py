#!/usr/bin/env python3
"""Experiments: the sensor takes samples by itself; troupe log --experiment records them.  argv: the troupe program, source root."""
import contextlib
import csv
import json
import os
import re
import socket
import subprocess
import tempfile
import threading

import tap
from robots import PATIENCE, PROGRAM, Program, address


def run(*arguments, cwd=None):
    done = subprocess.run([os.path.abspath(PROGRAM), *arguments], capture_output=True, text=True, timeout=PATIENCE, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


@contextlib.contextmanager
def server(sensor="simulated?wave=1=count", more=""):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'driver ( name "sensor" port "sensor:{sensor}" provides [ "aio:0" "experiment:0" ] {more} )\n')
        with Program("run", path, "--any-port") as program:
            yield f"localhost:{address(program, r'listening on port ([0-9]+)')}", folder


@contextlib.contextmanager
def servers(*sensors):
    """One server with several sensors: experiment:0, experiment:1 ..."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.cfg")
        with open(path, "w", encoding="utf-8") as file:
            for index, sensor in enumerate(sensors):
                file.write(f'driver ( name "sensor" port "sensor:{sensor}" provides [ "experiment:{index}" ] )\n')
        with Program("run", path, "--any-port") as program:
            yield f"localhost:{address(program, r'listening on port ([0-9]+)')}", folder


def write(folder, text, name="a.exp"):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def ask(url, request, value=None):
    code, out, err = run("request", f"{url}/experiment:0", request, *([json.dumps(value)] if value else []), "--json")
    return json.loads(out) if code == 0 else (code, err)


def rows_of(folder, name="a.csv"):
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def an_experiment_is_recorded_to_its_end():
    with server() as (url, folder):
        write(folder, "title Light\n# all kinds\nch1 conversion=2 every=10ms end=50 send=16\nch2 every=20ms end=ch1 send=done\n"
                      "ch5 values=0,50,100 every=100ms\n")
        code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, cwd=folder)
        tap.equal((code, "a.exp: 75 samples, 0 lost" in err), (0, True))
        samples = [row for row in rows_of(folder) if row["experiment:0 SAMPLE time (s)"]]
        first = [row for row in samples if row["experiment:0 SAMPLE values[0]"]]
        tap.equal([float(row["experiment:0 SAMPLE time (s)"]) for row in first], [i / 100 for i in range(50)])
        values = [float(row["experiment:0 SAMPLE values[0]"]) for row in first]
        tap.equal([value - values[0] for value in values], list(range(50)))
        tap.equal(len(samples) - len(first), 25)
        tap.equal([name for name in rows_of(folder)[0] if "values[4]" in name], ["experiment:0 SAMPLE values[4] (%)"])


def mistakes_are_told_with_file_and_line():
    with server() as (url, folder):
        for text, why in (("ch1 every=10ms end=3\nch2 evry=1s\n", 'a.exp:2: ch2 has no setting "evry"; did you mean "every"?'),
                          ("ch1 every=1us\n", "a.exp:1: every: ch1 needs at least 1 ms between two samples"),
                          ("nothing\n", 'a.exp:1: "nothing": a line begins with title, sensor or a channel (ch1)')):
            write(folder, text)
            code, _, err = run("log", "--experiment", "a.exp", "-o", "a.mcap", "--url", url, cwd=folder)
            tap.equal((code, why in err, os.path.exists(os.path.join(folder, "a.mcap"))), (1, True, False))


def the_device_that_is_named_has_the_experiment_and_a_refused_one_leaves_nothing():
    with servers("button", "heater?wave=2=ramp:2") as (url, folder):
        write(folder, "ch2 every=10ms end=100 send=10\n")
        code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, cwd=folder)
        tap.equal((code, len(err.splitlines()), "a.exp:1: " in err, sorted(os.listdir(folder))), (1, 1, True, ["a.exp", "s.cfg"]))
        code, _, err = run("log", f"{url}/experiment:1", "--experiment", "a.exp", "-o", "a.csv", "--plot", "a.svg", cwd=folder)
        tap.equal((code, "a.exp: 100 samples, 0 lost" in err, err), (0, True, err))
        tap.equal(len([row for row in rows_of(folder) if row["experiment:1 SAMPLE time (s)"]]), 100)
        with open(os.path.join(folder, "a.svg"), encoding="utf-8") as file:
            svg = file.read()
        texts = re.findall(r">([^<>]+)</text>", svg)
        tap.equal(("experiment:1 SAMPLE" in texts, "experiment:1 STATE" in texts, "values[1]" in texts), (True, False, False))
        # Samples come ten at once, but each is drawn at its own time.
        line = max(re.findall(r'd="(M[^"]+)" fill="none"', svg), key=len)
        steps = [int(dx) for dx in re.findall(r"l(-?\d+)", line)]
        tap.equal((len(steps) > 50, max(steps) < 3 * sum(steps) / len(steps)), (True, True))


def no_sample_of_a_burst_is_lost_on_its_way_to_the_recorder():
    with server() as (url, folder):
        write(folder, "ch1 every=1ms end=3000 send=done\n")
        code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, cwd=folder)
        tap.equal((code, "a.exp: 3000 samples, 0 lost" in err, err), (0, True, err))
        tap.equal(len([row for row in rows_of(folder) if row["experiment:0 SAMPLE time (s)"]]), 3000)


def a_trigger_starts_and_a_request_reads():
    with server() as (url, _):
        tap.equal(ask(url, "START")[0], 1)
        tap.equal(ask(url, "SETUP", {"name": "t", "text": "ch1 start=trigger every=10ms end=5 send=done"}), None)
        tap.equal(ask(url, "LAUNCH"), None)
        tap.equal(ask(url, "SETUP", {"name": "t", "text": "ch1"})[0], 1)
        tap.equal(ask(url, "GET_STATE")["samples"], 0)
        tap.equal(ask(url, "TRIGGER", {"channel": 1}), None)
        while ask(url, "GET_STATE")["phase"] != 3:
            pass
        tap.equal(ask(url, "GET_STATE")["samples"], 5)
        tap.equal(ask(url, "SETUP", {"name": "r", "text": "ch1 every=10ms end=5 send=read"}), None)
        tap.equal(ask(url, "LAUNCH"), None)
        while ask(url, "GET_STATE")["samples"] < 5:
            ask(url, "READ")
        tap.equal((ask(url, "GET_TEXT")["name"], ask(url, "GET_STATE")["lost"]), ("r", 0))


def a_button_starts_a_run_and_takes_samples():
    with server("simulated?wave=4=square:0.2") as (url, folder):
        write(folder, "ch4 every=10ms event=1:0:once end=3\nch1 start=ch4 every=ch4 end=ch4\n")
        code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, cwd=folder)
        tap.equal((code, " 0 lost" in err), (0, True))
        samples = [row for row in rows_of(folder) if row["experiment:0 SAMPLE time (s)"]]
        tap.equal(len([row for row in samples if row["experiment:0 SAMPLE values[3]"]]), 3)


def a_client_that_leaves_ends_an_experiment_with_actuators():
    with server("heater") as (url, folder):
        write(folder, "ch1 values=100 every=10ms\nch2 every=10ms\n")
        with Program("log", "--experiment", os.path.join(folder, "a.exp"), "-o", os.path.join(folder, "a.mcap"), "--url", url) as log:
            while not (ask(url, "GET_STATE")["phase"] == 2 and ask(url, "GET_STATE")["samples"] > 0):
                pass
            log.process.kill()
        while ask(url, "GET_STATE")["phase"] != 3:
            pass
        tap.equal(ask(url, "GET_STATE")["why"], "it was stopped")
        tap.equal(run("panic", "--url", url)[0], 0)
        tap.equal(ask(url, "LAUNCH")[0], 1)


def every_sample_comes_or_is_named_on_a_bad_line():
    with server("simulated?wave=1=count&lose=1&garble=1&seed=5", "verify yes") as (url, folder):
        write(folder, "ch1 conversion=2 every=10ms end=200 send=2\n")
        code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, "--timeout", "60", cwd=folder)
        tap.equal((code, err), (0, err))
        state = ask(url, "GET_STATE")
        tap.equal((state["samples"] + state["lost"], state["samples"] > 50), (200, True))


class Leak(threading.Thread):
    """A line to an emulated sensor that loses the lines of its answers that begin with `lost`."""

    def __init__(self, url, lost):
        super().__init__(daemon=True)
        self.sensor = socket.create_connection(url.removeprefix("tcp:").rsplit(":", 1))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.lost, self.count = lost, 0
        self.told, self.is_over = b"", threading.Event()
        self.start()

    def run(self):
        host, _ = self.listener.accept()
        back = threading.Thread(target=self.pass_on, args=(host,), daemon=True)
        back.start()
        with contextlib.suppress(OSError), self.sensor.makefile("rb") as lines:
            for line in lines:
                if line.startswith(self.lost):
                    self.count += 1
                else:
                    host.sendall(line)

    def pass_on(self, host):
        with contextlib.suppress(OSError):
            while data := host.recv(4096):
                self.told += data
                self.sensor.sendall(data)
        self.is_over.set()


def an_event_whose_line_is_lost_ends_the_run():
    with Program("emulate", "sensor", "simulated", "--listen", "tcp:127.0.0.1:0", "--wave", "4=square:0.2") as sensor:
        leak = Leak(address(sensor, r"(tcp:[0-9.]+:[0-9]+)"), b"L,4,2,")
        with tempfile.TemporaryDirectory() as folder:
            write(folder, f'driver ( name "sensor" port "tcp:127.0.0.1:{leak.listener.getsockname()[1]}" provides [ "experiment:0" ] )\n', "s.cfg")
            with Program("run", os.path.join(folder, "s.cfg"), "--any-port") as program:
                url = f"localhost:{address(program, r'listening on port ([0-9]+)')}"
                write(folder, "ch4 every=10ms event=1:0:once end=3 send=1\nch1 every=50ms end=ch4\n")
                code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, cwd=folder)
                tap.equal((code, " 1 lost" in err, leak.count, err if code else ""), (0, True, 1, ""))
                tap.equal(len([row for row in rows_of(folder) if row["experiment:0 SAMPLE values[3]"]]), 2)


def actuators_are_switched_off_several_times_on_a_bad_line():
    for more, times in (("", 1), ("verify yes", 4)):
        with Program("emulate", "sensor", "heater", "--listen", "tcp:127.0.0.1:0") as sensor:
            leak = Leak(address(sensor, r"(tcp:[0-9.]+:[0-9]+)"), b"nothing")
            with tempfile.TemporaryDirectory() as folder:
                write(folder, f'driver ( name "sensor" port "tcp:127.0.0.1:{leak.listener.getsockname()[1]}" provides [ "experiment:0" ] {more} )\n', "s.cfg")
                with Program("run", os.path.join(folder, "s.cfg"), "--any-port") as program:
                    ask(f"localhost:{address(program, r'listening on port ([0-9]+)')}", "GET_STATE")
                    program.process.terminate()
                    tap.equal((leak.is_over.wait(PATIENCE), leak.told.count(b"<W,1,0>")), (True, times))


def several_sensors_run_together_and_signal_each_other():
    with servers("simulated?wave=1=count", "simulated?wave=1=count") as (url, folder):
        write(folder, "title Two\nsensor a experiment:0\nsensor b experiment:1\na.ch1 conversion=2 every=20ms end=30\n"
                      "b.ch1 conversion=2 start=a.ch1 every=10ms end=20\nb.ch2 every=a.ch1 end=a.ch1\n"
                      "b.ch5 values=0,100 every=50ms then=repeat end=a.ch1\n")
        code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, cwd=folder)
        tap.equal((code, "a.exp: 80 samples, 0 lost" in err, err), (0, True, err))
        rows = rows_of(folder)

        def cells(begin):
            column = next(name for name in rows[0] if name.startswith(begin))
            return [float(row[column]) for row in rows if row[column]]

        tap.equal([len(cells(f"experiment:{sensor} SAMPLE values[{place}]")) for sensor, place in ((0, 0), (1, 0), (1, 1))], [30, 20, 30])
        # All samples of the first sensor and its end were passed on; how long each took is in the record.
        tap.equal([cells("experiment:1 SIGNAL sign").count(sign) for sign in (0, 1)], [30, 1])
        tap.equal(min(cells("experiment:1 SIGNAL delay (s)")) > 0, True)


def a_button_of_one_sensor_starts_another():
    with servers("button?wave=1=square:0.2", "temperature") as (url, folder):
        write(folder, "sensor push experiment:0\nsensor warm experiment:1\npush.ch1 every=10ms event=1:0:once end=1\n"
                      "warm.ch1 start=push.ch1 every=100ms end=3\n")
        code, _, err = run("log", "--experiment", "a.exp", "-o", "a.csv", "--url", url, cwd=folder)
        tap.equal((code, "a.exp: 4 samples, 0 lost" in err, err), (0, True, err))


def mistakes_with_several_sensors_have_their_line():
    two = "sensor a experiment:0\nsensor b experiment:1\n"
    with servers("simulated", "heater") as (url, folder):
        for text, why in (("sensor a experiment:0\nsensor b experiment:7\na.ch1 end=1\nb.ch1 end=1\n", "a.exp:2: the server has no device experiment:7"),
                          ("sensor a experiment:0\nsensor b experiment:0\na.ch1 end=1\n", "a.exp:2: experiment:0 is the sensor of line 1 already"),
                          (two + "a.ch1 end=1 start=b.ch1\nb.ch1 values=1 every=1s\n", "a.exp:3: start: actuators of other sensors do not signal"),
                          (two + "a.ch1 end=1\nb.ch9 end=1\n", "a.exp:4: Heater has no channel 9"),
                          (two + "a.ch1 every=b.ch2 start=1s\nb.ch2 end=1\n", "a.exp:3: start: a channel that takes samples for another sensor"),
                          (two + "a.ch1 every=b.ch2\na.ch2 start=ch1\nb.ch2 end=1\n", "which sensor?"),
                          (two + "a.ch1 every=b.ch2\na.ch2 start=a.ch1\nb.ch2 end=1\n", "a.exp:4: start=ch1: it takes samples for another sensor")):
            write(folder, text)
            code, _, err = run("log", "--experiment", "a.exp", "-o", "a.mcap", "--url", url, cwd=folder)
            tap.equal((code, why in err, os.path.exists(os.path.join(folder, "a.mcap")), err), (1, True, False, err))
        write(folder, two + "a.ch1 every=10ms end=3\nb.ch2 every=10ms end=3\n")
        tap.equal(ask(url, "SIGNAL", {"sensor": "b", "channel": 1, "sign": 0, "time": 0, "delay": 0})[0], 1)
        tap.equal(run("log", "--experiment", "a.exp", "-o", "a.mcap", "--url", url, cwd=folder)[0], 0)


tap.main(actuators_are_switched_off_several_times_on_a_bad_line, the_device_that_is_named_has_the_experiment_and_a_refused_one_leaves_nothing, no_sample_of_a_burst_is_lost_on_its_way_to_the_recorder, an_event_whose_line_is_lost_ends_the_run, several_sensors_run_together_and_signal_each_other, a_button_of_one_sensor_starts_another,
         mistakes_with_several_sensors_have_their_line, an_experiment_is_recorded_to_its_end, mistakes_are_told_with_file_and_line, a_trigger_starts_and_a_request_reads,
         a_button_starts_a_run_and_takes_samples, a_client_that_leaves_ends_an_experiment_with_actuators,
         every_sample_comes_or_is_named_on_a_bad_line)
