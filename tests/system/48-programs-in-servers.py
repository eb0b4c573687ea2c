#!/usr/bin/env python3
"""Programs that run in a server: the device `program`, from LOAD to STEP, its limits and its rights.
argv: the troupe program, source root."""
import json
import os
import pathlib
import signal
import sys
import tempfile

import cli
import tap
from robots import Program, address

ROOT = pathlib.Path(sys.argv[2])
ROBOT = 'driver ( name "robotfile" robot "{robot}" port "{line}" provides [ "universal:0" ] )\n'
PLACE = 'driver ( name "program" requires [ "universal:0" {board} ] provides [ "program:0" ] {more} )\n'
MOVING = "drive 50\nforever\n    wait 1\nend\n"


def written(text, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False, encoding="utf-8") as file:
        file.write(text)
    return file.name


class Server:
    """A server with an emulated robot and a place for a program."""

    def __init__(self, text=None, more="", robot="nxt", line="emulate:nxt", top="", board=""):
        if text is not None:
            more += f' file "{written(text, ".play")}"'
        config = top + ROBOT.format(robot=robot, line=line) + PLACE.format(more=more, board=board)
        self.program = Program("run", written(config, ".cfg"), "--any-port")
        self.url = f"localhost:{address(self.program, r'listening on port ([0-9]+)')}"

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.program.__exit__()

    def ask(self, name, what=None, *more):
        return cli.troupe("request", "program:0", name, *([] if what is None else [json.dumps(what)]), "--json", "--timeout", "60", *more,
                          url=self.url)

    def get(self, name, what=None, *more):
        result = self.ask(name, what, *more)
        tap.equal((name, result.returncode, result.stderr), (name, 0, ""))
        return json.loads(result.stdout) if result.stdout.strip() not in ("", "done") else None

    def state(self):
        return self.get("STATE")

    def until(self, condition):
        while True:
            state = self.state()
            if condition(state):
                return state

    def load(self, text, name="x.play"):
        return self.get("LOAD", {"name": name, "text": text})


def emulated():
    return Program("emulate", "nxt", "--listen", "tcp:127.0.0.1:0", "--trace")


def a_program_of_the_configuration_runs_with_the_server():
    with Server("print \"here\"\nlet x be 5\nlog light, x\nwait 1000\n") as server:
        state = server.until(lambda now: now["line"] == 4)
        tap.equal((state["phase"], state["bytes"] > 0, state["steps"]), (2, True, 4))
        tap.equal([(one["name"], one["text"]) for one in state["variables"]], [("x", "5")])
        lines = server.get("OUTPUT", {"from": 0})["lines"]
        tap.equal([(line["text"], line["line"]) for line in lines], [("here", 1)])
        stat = cli.troupe("stat", url=server.url).stdout
        assert "program:0: " in stat and ".play, running, line 4, " in stat and " s, 4 lines, 0 commands\n" in stat, stat


def a_program_section_is_short_for_the_driver():
    first, second = written("print \"first\"\nwait 1000\n", ".play"), written("print \"second\"\nwait 1000\n", ".play")
    config = written(f'program ( file "{first}" robot "universal:0" )\n' + ROBOT.format(robot="nxt", line="emulate:nxt") +
                     f'program ( file "{second}" start no )\n', ".cfg")
    with Program("run", config, "--any-port") as server:
        url = f"localhost:{address(server, r'listening on port ([0-9]+)')}"
        while "running, line 2" not in (stat := cli.troupe("stat", url=url).stdout):
            pass
        assert "program:0" in stat and "program:1" in stat, stat
    for text, error in (('program ( robot "universal:0" )\n', ':1:1: a program section names a file: file "walk.play"\n'),
                        (f'program ( name "x" file "{first}" )\n', ":1:11: a program section has no name; its file is its name\n"),
                        (f'program ( file "{first}" robot "nxt" )\n', ' "nxt" is no device address: [[[key:]host:]robot:]interface:index\n')):
        result = cli.troupe("check", written(text, ".cfg"))
        assert result.returncode != 0 and result.stderr.endswith(error), result.stderr


def an_editor_needs_no_other_device():
    with Server() as server:
        report = server.get("CHECK", {"text": "device eye is Light Senser\nforever\n    drvie 50\nend\n"})
        tap.equal([(one["line"], one["column"], one["word"], one["fix"]) for one in report["mistakes"]],
                  [(1, 15, "Light Senser", "Light Sensor"), (3, 5, "drvie", "drive")])
        text = (ROOT / "programs/run-from-light.play").read_text(encoding="utf-8")
        blocks = server.get("BLOCKS", {"text": text})
        tap.equal(json.loads(blocks["text"])["version"], 1)
        tap.equal(server.get("TEXT", {"text": blocks["text"]})["text"], text)
        tap.equal(server.get("FORMAT", {"text": "forever\ndrive   50\nend"})["text"], "forever\n    drive 50\nend\n")
        assert "Light Sensor" in json.loads(server.get("GRAMMAR")["text"])["classes"]
        names = [item["name"] for item in server.get("LIST")["items"]]
        assert "run-from-light.play" in names, names
        tap.equal(server.get("FETCH", {"name": "run-from-light.play"})["text"], text)
        assert "is no name of a program" in server.ask("FETCH", {"name": "../README.md"}).stderr
        wrong = server.ask("TEXT", {"text": "[]"})
        tap.equal(wrong.returncode, 1)
        tap.equal(server.load("drvie 1\n")["total"], 1)
        tap.equal(server.state()["phase"], 0)
        tap.equal(server.load(text, "run-from-light.play")["total"], 0)
        matches = server.get("MATCH", {})
        tap.equal([(one["name"], one["fits"]) for one in matches["devices"]], [("eye", 1), ("Drive", 1)])
        tap.equal((matches["fits"], server.state()["phase"]), (1, 1))


def what_does_not_fit_is_refused_before_anything_moves():
    with Server(robot="finch", line="emulate:finch") as server:
        server.load("drive 50\ndo GoTo 1, 2, 3\n")
        answer = server.get("LAUNCH", {})
        tap.equal((answer["fits"], server.state()["commands"]), (0, 0))
        assert "GoTo" in answer["why"], answer


def a_program_is_paused_and_stepped():
    with emulated() as robot:
        with Server(line=address(robot, r"^nxt (tcp:\S+)")) as server:
            server.load("let x be 1\ndrive 50\nwait 0.1 s\nlet x be 2\nforever\n    wait 0.05 s\nend\n")
            server.get("LAUNCH", {"paused": 1})
            before = server.state()
            tap.equal((before["phase"], before["steps"], before["line"], [task["line"] for task in before["lines"]]), (3, 0, 1, [1]))
            lines = []
            for _ in range(4):
                state = server.get("STEP")
                lines.append((state["line"], state["phase"]))
            tap.equal(lines, [(2, 3), (3, 3), (4, 3), (5, 3)])
            robot.await_line(r"> 0c 00 80 04 01 32 ")   # the line drives, then the robot stands
            robot.await_line(r"> 0c 00 80 04 ff 00 ")
            robot.await_line(r"> 0c 00 80 04 01 32 ")   # the next line goes on with what moved
            server.get("CONTINUE")
            server.until(lambda now: now["phase"] == 2 and now["steps"] > 20)
            server.get("PAUSE")
            before = server.state()
            tap.equal((before["phase"], server.state()["steps"]), (3, before["steps"]))
            server.get("STOP")
            tap.equal((server.state()["phase"], server.state()["error"]), (6, "a client has stopped it"))


def it_stops_with_its_client_unless_it_belongs_to_the_server():
    with Server() as server:
        server.load(MOVING)
        server.get("RUN", {})  # the command ends, and with it the client
        tap.equal(server.until(lambda now: now["phase"] != 2)["error"], "the client that ran it has left")
        server.get("LAUNCH", {})
        tap.equal(server.until(lambda now: now["commands"] == 1)["phase"], 2)
        tap.equal(cli.troupe("panic", "test", url=server.url).returncode, 0)
        state = server.until(lambda now: now["phase"] != 2)
        tap.equal((state["phase"], state["error"]), (6, "there is a panic"))
        assert "panic" in server.ask("LAUNCH", {}).stderr


def a_runaway_program_does_not_hurt_the_server():
    with Server("to f\n    f()\nend\nlet n be 0\nforever\n    change n by 1\n    print n\nend\n", more="rate 50") as server:
        state = server.until(lambda now: now["held"] > 0 and now["time"] > 0.5)
        assert state["printed"] <= 50 + 50 * (state["time"] + 0.2), state
        server.get("STOP")
        server.load("forever\nend\n")
        server.get("LAUNCH", {})
        server.until(lambda now: now["time"] > 0.1)
        tap.equal(server.state()["phase"], 2)
        server.get("STOP")
        server.load("to f(n)\n    return f(n + 1)\nend\nprint f(1)\n")
        server.get("LAUNCH", {})
        state = server.until(lambda now: now["phase"] != 2)
        tap.equal((state["phase"], state["error"], state["error_line"]), (5, "the calls are nested too deep", 2))


def a_fault_is_tried_again_as_configured():
    with Server("print 1 mod 0\n", more="retry 0.05") as server:
        state = server.until(lambda now: now["phase"] == 5)
        tap.equal((state["error"], state["error_line"]), ("`mod` by 0", 1))
        server.until(lambda now: now["time"] > 0 or now["phase"] == 2 or now["steps"] == 1)


def running_needs_the_right_to_move():
    keys = 'keys [ "w write aaaa" "m move bbbb" ]\n'
    with Server(top=keys) as server:
        source = {"name": "x.play", "text": MOVING}
        assert "may not" in server.ask("LOAD", source).stderr or "right" in server.ask("LOAD", source).stderr
        tap.equal(server.get("STATE", None)["phase"], 0)
        server.get("LOAD", source, "--key", "aaaa")
        tap.equal(server.ask("LAUNCH", {}, "--key", "aaaa").returncode, 1)
        tap.equal(server.get("LAUNCH", {}, "--key", "bbbb")["fits"], 1)
        tap.equal(server.ask("PAUSE").returncode, 1)
        tap.equal(cli.troupe("request", "program:0", "HALT", url=server.url).returncode, 0)  # everybody may
        tap.equal(server.until(lambda now: now["phase"] != 2)["error"], "a client has stopped it")


def however_the_server_ends_the_robot_stops():
    for number in (signal.SIGINT, signal.SIGKILL):
        with emulated() as robot:
            with Server(MOVING, line=address(robot, r"^nxt (tcp:\S+)")) as server:
                robot.await_line(r"> 0c 00 80 04 01 32 ")
                server.program.process.send_signal(number)
                robot.await_line(r"> 0c 00 80 04 ff 00 ")


def a_pipe_in_place_of_a_kept_program_is_refused():
    """Opening it would wait for its writer: a check or a reload would not end."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = pathlib.Path(folder, "kept")
        os.mkfifo(pipe)
        text = ROBOT.format(robot="nxt", line="emulate:nxt") + PLACE.format(more=f'keep "{pipe}"', board="")
        result = cli.troupe("check", written(text, ".cfg"))
        tap.equal(result.returncode, 1)
        assert f"{pipe}: it is a pipe, not a regular file" in result.stderr, result


BOARD = 'driver ( name "localbb" provides [ "blackboard:0" ] )\n'
HEARS = 'channel crew\nwait until message from crew = "go"\nprint "went"\n'


def programs_talk_through_the_server():
    with Server(HEARS, top=BOARD, board='"blackboard:0"') as server:
        server.until(lambda now: now["phase"] == 2 and now["steps"] == 1)
        path = written('channel crew\nsend "go" to crew\n', ".play")
        result = cli.troupe("play", path, url=server.url)  # on the same server
        tap.equal((result.returncode, result.stderr), (0, ""))
        server.until(lambda now: now["phase"] == 4)
        tap.equal(server.get("OUTPUT", {"from": 0})["lines"][0]["text"], "went")
        for said, robot in enumerate(("finch", "tello"), 1):  # one drives, the other one flies
            server.get("LAUNCH", {})
            result = cli.troupe("play", path, "--on", robot, "--port", f"emulate:{robot}", "--channels", server.url)
            tap.equal((robot, result.returncode, result.stderr), (robot, 0, ""))
            server.until(lambda now, lines=said + 1: now["phase"] == 4 and now["printed"] == lines)
    with Server() as server:
        result = cli.troupe("play", path, "--on", "finch", "--port", "emulate:finch", "--channels", server.url)
        tap.equal(result.returncode, 1)
        assert 'the server needs driver ( name "localbb"' in result.stderr, result


tap.main(programs_talk_through_the_server, a_program_of_the_configuration_runs_with_the_server,
         a_program_section_is_short_for_the_driver, an_editor_needs_no_other_device,
         what_does_not_fit_is_refused_before_anything_moves, a_program_is_paused_and_stepped,
         it_stops_with_its_client_unless_it_belongs_to_the_server, a_runaway_program_does_not_hurt_the_server,
         a_fault_is_tried_again_as_configured, running_needs_the_right_to_move, however_the_server_ends_the_robot_stops,
         a_pipe_in_place_of_a_kept_program_is_refused)
