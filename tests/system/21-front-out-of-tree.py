#!/usr/bin/env python3
"""examples/front-out-of-tree builds against an installed Troupe and serves lines of JSON.
argv: source root, an installed prefix."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import installed
import player
import tap

ROOT = pathlib.Path(sys.argv[1]).resolve()
PACKAGE = installed.Package(sys.argv[2])
EXAMPLE = ROOT / "examples/front-out-of-tree"
FOLDER = tempfile.TemporaryDirectory()
BUILD = PACKAGE.build_example(EXAMPLE, FOLDER.name + "/build")
FAKE = 'driver ( name "fake" provides [ "position2d:0" "7000:ranger:0" ] )\n'

os.environ.update(PACKAGE.environment, TROUPE_PLUGIN_PATH=str(BUILD))


class Client:
    """One object in a line, in both directions."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.passed = []

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.lines.close()
        self.socket.close()

    def send(self, **members):
        self.socket.sendall((json.dumps(members) + "\n").encode())

    def line(self):
        text = self.lines.readline()
        assert text.endswith("\n"), text
        return json.loads(text)

    def ask(self, **members):
        """The answer to a line; data in between is kept."""
        self.send(id=99, **members)
        line = self.line()
        while line["id"] != 99 or line["type"] == "data":
            self.passed.append(line)
            line = self.line()
        return line

    def data(self, device):
        line = self.line()
        while (line["type"], line["device"]) != ("data", device):
            line = self.line()
        return line


@contextlib.contextmanager
def server(text=FAKE, told=""):
    """`troupe run` with the front; the port of the front and what was printed. `told` are its notes."""
    path = pathlib.Path(FOLDER.name, "x.cfg")
    path.write_text(f'front ( name "jsonlines" plugin "jsonlines" )\n{text}', encoding="utf-8")
    path.chmod(0o600)
    process = subprocess.Popen([PACKAGE.troupe, "run", path, "--any-port", "--no-web"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        lines = []
        while not (lines and lines[-1].startswith("next:")):
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read()
        ports = [int(match.group(1)) for line in lines
                 if (match := re.match(r"front jsonlines: listening on port (\d+)", line))]
        yield ports[0], lines
        process.terminate()
        notes = process.communicate(timeout=60)[1]
        tap.equal((process.returncode, notes if re.fullmatch(told, notes) is None else told), (0, told))
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def devices_of_all_robots_are_listed():
    with server() as (port, lines), Client(port) as client:
        page = client.ask(op="list")["value"]
        tap.equal([(one["addr"]["robot"], one["addr"]["interf"]) for one in page["devices"]],
                  [(6665, 4), (7000, 62)])
        tap.equal(len([line for line in lines if "listening on port" in line]), 3)


def data_comes_from_what_is_subscribed():
    with server() as (port, _), Client(port) as client:
        tap.equal(client.ask(op="subscribe", device="7000:ranger:0")["type"], "reply")
        data = client.data("7000:62:0")
        tap.equal(isinstance(data["value"], dict), True)
        tap.equal(client.ask(op="unsubscribe", device="7000:62:0")["type"], "reply")
        tap.equal(client.ask(op="unsubscribe", device="7000:62:0")["value"]["text"], "the device is not subscribed")


def requests_are_answered_and_commands_are_obeyed():
    with server() as (port, _), Client(port) as client:
        position = {"device": "6665:position2d:0"}
        answer = client.ask(op="request", message="GET_GEOM", **position)
        tap.equal((answer["type"], answer["value"]["text"]), ("error", "position2d:0 is not open"))
        client.ask(op="subscribe", **position)
        answer = client.ask(op="request", message="GET_GEOM", **position)
        tap.equal((answer["type"], answer["device"], sorted(answer["value"])), ("reply", "6665:4:0", ["pose", "size"]))
        client.send(op="command", message="VEL", value={"vel": {"px": 0.25}, "state": 1}, **position)
        while client.data("6665:4:0")["value"].get("vel", {}).get("px") != 0.25:
            pass


def mistakes_are_answered_with_a_sentence():
    wanted = [({"op": "fly"}, "there is no such op"),
              ({"op": "subscribe", "device": "6665:sonar:0"},
               "there is no such device; an address is ROBOT:INTERFACE:INDEX"),
              ({"op": "request", "device": "6665:4:0", "message": "GET_LOST"}, "the device has no such message"),
              ({"op": "list", "speed": 1}, 'there is no member "speed"')]
    with server() as (port, _), Client(port) as client:
        for members, why in wanted:
            client.send(**members)
            line = client.line()
            tap.equal((line["type"], line["value"]["text"]), ("error", why))
        client.socket.sendall(b"hello\n")
        tap.equal(client.line()["value"]["text"], 'a line is an object: {"op":...}')
        client.socket.sendall(b"x" * 70000)
        tap.equal(client.line()["value"]["text"], "the line is too long")
        tap.equal(client.lines.readline(), "")


def keys_give_rights():
    told = r"a wrong key came from 127\.0\.0\.1:\d+; 1 since the start\n"
    with server('keys [ "anna move a long secret of anna" ]\n' + FAKE, told) as (port, _), Client(port) as client:
        position = {"device": "6665:position2d:0"}
        client.ask(op="subscribe", **position)
        move = {"op": "request", "message": "MOTOR_POWER", "value": {"state": 1}, **position}
        tap.equal(client.ask(**move)["type"], "error")
        tap.equal(client.ask(op="key", key="wrong")["type"], "error")
        with Client(port) as other:
            other.ask(op="subscribe", **position)
            tap.equal(other.ask(op="key", key="a long secret of anna")["type"], "reply")
            tap.equal(other.ask(**move)["type"], "reply")


def every_client_can_raise_a_panic():
    told = r"PANIC: nothing may move; raised by 127\.0\.0\.1:\d+: a test\nthe panic is over; it was reset by .*\n"
    with server(FAKE, told) as (port, lines):
        with Client(port) as client:
            tap.equal(client.ask(op="panic", why="a test")["type"], "reply")
        (main,) = [int(match.group(1)) for line in lines
                   if (match := re.match(r"listening on port (\d+)", line))][:1]
        state = PACKAGE.run([PACKAGE.troupe, "stat", f"localhost:{main}"])
        tap.equal("a test" in state, True)
        PACKAGE.run([PACKAGE.troupe, "reset", "--url", f"localhost:{main}"])


def wrong_parameters_are_refused_with_their_place():
    pathlib.Path(FOLDER.name, "y.cfg").write_text(
        FAKE + 'front ( name "jsonlines" plugin "jsonlines" clients 0 )\n', encoding="utf-8")
    for command in (["run", "--any-port"], ["check"]):
        result = tap.run([PACKAGE.troupe, *command, f"{FOLDER.name}/y.cfg"])
        tap.equal((result.returncode, result.stderr),
                  (1, f"troupe {command[0]}: {FOLDER.name}/y.cfg:2:45: jsonlines: clients is a number from 1 to 10000\n"))


def the_example_configuration_is_right():
    shutil.copy(EXAMPLE / "jsonlines.cfg", FOLDER.name)
    result = tap.run([PACKAGE.troupe, "check", f"{FOLDER.name}/jsonlines.cfg"])
    tap.equal((result.returncode, result.stderr), (0, ""))


def it_is_installed_where_plugins_are_found():
    prefix = pathlib.Path(FOLDER.name, "prefix")
    PACKAGE.run(["meson", "install", "-C", BUILD, "--destdir", prefix])
    wanted = PACKAGE.run(["pkg-config", "--variable=plugindir", "troupe-driver"]).strip()
    tap.equal([str(path.relative_to(prefix)) for path in prefix.rglob("*.so")],
              [wanted.lstrip("/") + "/jsonlines.so"])


def it_includes_only_public_headers():
    own = {path.name for path in EXAMPLE.glob("*.h")}
    wrong = [f"{path.name}: {name}" for path in sorted(EXAMPLE.glob("*.[ch]"))
             for name in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8"))
             if not name.startswith("troupe/") and name not in own]
    tap.equal(wrong, [])


PAGE = installed.Page(ROOT / "docs/writing-a-front.md", EXAMPLE)


def the_page_shows_what_is_in_the_files():
    PAGE.shows_files(10)


def the_commands_of_the_page_print_what_it_says():
    PAGE.prints_what_it_says(PACKAGE, {"c", "meson", "cfg", "sh", "text", "json"})


def the_lines_of_the_page_are_json():
    blocks = [text for kind, text in PAGE.blocks if kind == "json"]
    tap.equal(len(blocks) > 0, True)
    for block in blocks:
        for line in block.splitlines():
            json.loads(line)


def the_readme_has_all_parameters():
    told = PACKAGE.run([PACKAGE.troupe, "fronts", "--plugin", BUILD / "jsonlines"]).splitlines()[3:]
    tap.equal(told, [f"  {name:<16} {unit:<8} {fallback:<12} {doc}" for name, unit, fallback, doc in PAGE.readme_parameters()])


tap.main(devices_of_all_robots_are_listed, data_comes_from_what_is_subscribed,
         requests_are_answered_and_commands_are_obeyed, mistakes_are_answered_with_a_sentence,
         keys_give_rights, every_client_can_raise_a_panic, wrong_parameters_are_refused_with_their_place,
         the_example_configuration_is_right, it_is_installed_where_plugins_are_found,
         it_includes_only_public_headers, the_page_shows_what_is_in_the_files,
         the_commands_of_the_page_print_what_it_says, the_lines_of_the_page_are_json,
         the_readme_has_all_parameters)
