#!/usr/bin/env python3
"""troupe list, and how a server is named.  argv: the troupe program."""
import functools
import json
import os
import signal
import socket
import tempfile
import threading

import cli
import player
import tap
from cli import says, serving, troupe, usage

SMALL = 'driver ( name "fake" provides [ "laser:0" "gripper:3" ] )'


@serving(SMALL)
def devices_are_listed(url):
    lines = troupe("list", url).stdout.splitlines()
    tap.equal(lines[0], f"tcp:{url}, Troupe: 2 devices")
    tap.equal([line.split()[:2] for line in lines[1:]],
              [["DEVICE", "DRIVER"], ["laser:0", "fake0"], ["gripper:3", "fake0"]])
    tap.equal(lines[2].endswith("  A laser beam that scans counter-clockwise about one point, with 0 straight ahead."), True)
    for line in lines:
        tap.equal(line, line.rstrip())


@serving('driver ( name "fake" provides [ ' + " ".join(f'"power:{i}"' for i in range(5200)) + " ] )")
def devices_beyond_the_end_of_players_list_are_listed(url):
    lines = troupe("list", url).stdout.splitlines()
    tap.equal((lines[0], len(lines)), (f"tcp:{url}, Troupe: 5200 devices", 5202))
    tap.equal([line.split()[:2] for line in lines[2:]], [[f"power:{i}", "fake0"] for i in range(5200)])


@serving('driver ( name "fake" provides [ "map:0" ] )')
def a_map_sends_nothing_to_print(url):
    with cli.Running("print", "map:0", url=url) as running:
        tap.equal(running.process.stderr.readline(),
                  "troupe print: map:0 sends no data; troupe request map lists what it answers\n")


@serving(SMALL)
def programs_get_json(url):
    everything = json.loads(troupe("list", "--json", url).stdout)
    tap.equal((everything["url"], everything["banner"], everything["troupe"]), (f"tcp:{url}", "Player v.3.1.1-dev", True))
    laser, gripper = everything["devices"]
    tap.equal([laser[key] for key in ("device", "interface", "code", "index", "robot", "driver")],
              ["laser:0", "laser", 6, 0, 6665, "fake"])
    tap.equal((gripper["device"], gripper["index"]), ("gripper:3", 3))


def chosen(url, where):
    result = troupe("list", "--where", where, "--json", url=url)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return [device["device"] for device in json.loads(result.stdout)["devices"]]


@serving('driver ( name "fake" provides [ "laser:0" "sonar:0" "sonar:1" "power:0" ] )')
def conditions_choose_devices(url):
    listed = functools.partial(chosen, url)
    tap.equal(listed("max_range > 6"), ["laser:0"])
    tap.equal(listed("max_range > 0, index = 0"), ["laser:0", "sonar:0"])
    tap.equal(listed("driver = fake"), ["laser:0", "sonar:0", "sonar:1", "power:0"])
    tap.equal(listed("driver != fake"), [])
    tap.equal(listed(""), listed("driver = fake"))
    says(troupe("list", "--where", "max_range >", url=url), 2, usage("list", "--where: column 12: expected a value, found the end"))
    says(troupe("list", "--where", "most max_range", url=url), 2,
         usage("list", "--where takes conditions only, not the most or least max_range"))


@serving('driver ( name "fake" provides [ "laser:0" "sonar:0" "power:0" ] )')
def devices_are_chosen_by_what_lists_and_properties_show(url):
    listed = functools.partial(chosen, url)
    tap.equal(listed("driver = fake0"), ["laser:0", "sonar:0", "power:0"])
    tap.equal(listed("driver != fake0"), [])
    tap.equal(listed("name = laser:0"), ["laser:0"])
    says(troupe("property", "laser:0", "name", "eye", url=url), 0, "")
    tap.equal(listed("name = eye"), ["laser:0"])
    tap.equal(listed("name != eye"), ["sonar:0", "power:0"])


@serving('driver ( name "fake" provides [ "laser:0" "sonar:0" "power:0" ] )')
def slips_in_conditions_are_told(url):
    says(troupe("list", "--where", "nam = ada", url=url), 1,
         'troupe list: --where: no device has a property "nam"; did you mean "name"?\n')
    says(troupe("list", "--where", "driver = fake, robot = bell", url=url), 1,
         'troupe list: --where: no device has a property "robot"; every device has name, driver and index, and those whose '
         'place is known x, y, z, roll, pitch, yaw, width, length, height, parent and frame\n')
    for where, hint in (("name = lasr:0", 'no device has the name "lasr:0"; did you mean "laser:0"?'),
                        ("driver = fak", 'no device has the driver "fak"; did you mean "fake"?'),
                        ("max_range > 5, name = ada", ""), ("max_rnge > 5, index = 9", ""), ("max_range > 1e9", ""),
                        ("name = laser:0, index = 1", ""), ("driver = other", "")):
        result = troupe("list", "--where", where, url=url)
        tap.equal((where, result.returncode, result.stderr), (where, 0, hint and f"troupe list: --where: {hint}\n"))
        tap.equal(result.stdout.endswith(": 0 devices\n"), True)


@serving(SMALL)
def a_server_is_named_in_one_of_many_ways(url):
    wanted = troupe("list", url).stdout
    for arguments, environment in ((("--url", url), None), (("-u", url), None), ((), url), (("tcp:" + url,), None),
                                   ((), "tcp:" + url), (("--url", url), "localhost:1")):
        tap.equal(troupe("list", *arguments, url=environment).stdout, wanted)


def a_unix_socket_is_a_server_too():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/robot"
        with player.server(cli.PROGRAM, SMALL, ("--unix", path)):
            lines = troupe("list", "unix:" + path).stdout.splitlines()
            tap.equal((lines[0], len(lines)), (f"unix:{path}, Troupe: 2 devices", 4))
            cli.prints(troupe("send", f"unix:{path}/gripper:3", "OPEN", "--for", "0.01"), "")


def no_server_is_a_clear_failure():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]  # free again, and not taken by anybody soon
    for command in (("list",), ("print", "laser"), ("send", "gripper", "OPEN"), ("request", "laser", "GET_GEOM"),
                    ("stat",), ("stat", "--watch"), ("frames",), ("frames", "a", "b"), ("property", "laser")):
        says(troupe(*command, url=f"localhost:{port}"), 1,
             f"troupe {command[0]}: connect to tcp:localhost:{port}: connection refused; is a server running? "
             "troupe sim or troupe run starts one\n")
    says(troupe("list", "unix:/nowhere"), 1, "troupe list: connect to unix:/nowhere: no such file or directory\n")
    says(troupe("list", "http://robot"), 1,
         "troupe list: http://robot: this is for browsers; a server is tcp:HOST:PORT, unix:PATH or inproc:FILE.cfg\n")


def what_is_no_server_is_not_waited_for():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        says(troupe("list", f"localhost:{port}", "--timeout", "0.25"), 1,
             f"troupe list: tcp:localhost:{port}: no greeting from a server within 250 ms\n")


WEB_PAGE = ('this is a page for browsers and no Player server; programs use the port that the server prints as "listening on port", '
            "6665 if nothing else is said")
OTHER_FRONT = ("this is no Player server; timed motion and universal robots have ports of their own (7665, 8665), "
               "programs use 6665")


def a_port_alone_is_no_server():
    for command in (("list", "6666"), ("stat", "6666"), ("print", "6666/laser"), ("send", "6666/gripper", "OPEN"), ("list", "--url", "6666")):
        says(troupe(*command), 1, f"troupe {command[0]}: 6666 is a port: write localhost:6666\n")


def the_ports_of_other_fronts_are_told_at_once():
    """They wait for a question; a client would wait for a minute."""
    fronts = 'open yes\n' + SMALL + '\nfront ( name "web" port 0 )\nfront ( name "universal" port 0 )\nfront ( name "motion" port 0 )\n'
    with player.server(cli.PROGRAM, fronts) as server:
        for front, what in (("web", WEB_PAGE), ("universal", OTHER_FRONT), ("motion", OTHER_FRONT)):
            url = f"127.0.0.1:{server.fronts[front]}"
            for command in (("list",), ("print", "laser"), ("send", "gripper", "OPEN"), ("stat",)):
                says(troupe(*command, "--timeout", "60", url=url), 1, f"troupe {command[0]}: tcp:{url}: {what}\n")


def greet(listener, text, greeted):
    connection, _ = listener.accept()
    with connection:
        connection.sendall(text)
        greeted.wait()


def a_greeting_that_is_short_is_told_at_once():
    greeted = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=greet, args=(listener, b"220 mail\r\n", greeted)).start()
        url = f"127.0.0.1:{listener.getsockname()[1]}"
        says(troupe("list", "--timeout", "60", url=url), 1,
             f'troupe list: tcp:{url}: this is no Player server, it says "220 mail.."\n')
        greeted.set()


def a_server_that_is_slow_to_greet_is_awaited():
    """It finds the question of the client on another connection, and is none the worse for it."""
    with player.server(cli.PROGRAM) as server:
        player.freeze(server.process.pid)
        threading.Timer(1, os.kill, (server.process.pid, signal.SIGCONT)).start()
        listed = troupe("list", "--timeout", "60", url=cli.at(server))
        tap.equal((listed.returncode, listed.stderr), (0, ""))
        tap.equal(listed.stdout, troupe("list", url=cli.at(server)).stdout)


def a_player_server_has_less_to_tell():
    with cli.Puppet([(6, 0), (999, 2)], driver="old") as puppet:
        tap.equal(troupe("list", puppet.url).stdout,
                  f"tcp:{puppet.url}, Player: 2 devices\n"
                  "DEVICE   DRIVER  DESCRIPTION\n"
                  "laser:0  old     A laser beam that scans counter-clockwise about one point, with 0 straight ahead.\n"
                  "999:2    old     (unknown)\n")
        devices = json.loads(troupe("list", "--json", puppet.url).stdout)["devices"]
        tap.equal([(device["device"], device["interface"]) for device in devices], [("laser:0", "laser"), ("999:2", None)])
    with cli.Puppet([]) as puppet:
        tap.equal(troupe("list", puppet.url).stdout, f"tcp:{puppet.url}, Player: 0 devices\n")


def a_server_cannot_steer_the_terminal():
    with cli.Puppet([(6, 0)], driver=b"\033[2J\xff\nx\0") as puppet:
        tap.equal(troupe("list", puppet.url).stdout.splitlines()[2].split()[:2], ["laser:0", "?[2J??x"])
        tap.equal(json.loads(troupe("list", "--json", puppet.url).stdout)["devices"][0]["driver"], "\033[2J?\nx")


def told(text, *options):
    """What a server says when it starts, up to what to type next."""
    lines = []
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        with cli.Running("run", file.name, *options) as running:
            while not lines or not lines[-1].startswith("      troupe print "):
                lines.append(running.line())
                assert lines[-1], running.ended()
            tap.equal(running.interrupt(), (0, ""))
    tap.equal(lines[0].startswith(file.name + ": "), True)
    return [lines[0][len(file.name) + 2:], *lines[1:]]


def a_server_says_where_it_is_and_what_to_type_next():
    *lines, listening, page, following, printing = told(SMALL, "--any-port")
    tap.equal(lines, ["2 devices\n", "  DEVICE     DRIVER  DESCRIPTION\n",
                      "  laser:0    fake0   A laser beam that scans counter-clockwise about one point, with 0 straight ahead.\n",
                      "  gripper:3  fake0   A hand that closes around an object, and may be able to put it in store and take it "
                      "out again.\n"])
    port = listening.split()[3]
    at = page.split()[5]
    tap.equal(page, f"front web: listening on port {at} (chosen by the system): http://localhost:{at}/\n")
    tap.equal((listening, following, printing), (f"listening on port {port} (chosen by the system)\n",
                                                 f"next: troupe list localhost:{port}\n",
                                                 f"      troupe print localhost:{port}/laser:0\n"))


def a_server_in_the_program_isolates_drivers():
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write('driver ( name "fake" provides [ "position2d:0" ] isolated yes )')
        file.flush()
        result = troupe("print", f"inproc:{file.name}/position2d:0", "-n", "1")
        tap.equal((result.returncode, result.stderr, result.stdout.split()[:2]), (0, "", ["position2d:0", "STATE"]))


def several_robots_are_told_apart():
    text = SMALL + 'driver ( name "fake" provides [ "6666:sonar:0" ] )'
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/robot"
        lines = told(text, "--any-port", "--unix", path, "--no-web")
        tap.equal([line.split()[0] for line in lines[2:5]], ["6665:laser:0", "6665:gripper:3", "6666:sonar:0"])
        tap.equal([line.split()[:3] + line.split()[4:] for line in lines[5:7]],
                  [f"listening on port (chosen by the system) for robot {robot}".split() for robot in (6665, 6666)])
        tap.equal(lines[7], f"listening on unix:{path}\n")
        lines = told(text, "--listen", "", "--unix", path)
        tap.equal(lines[5:], [f"listening on unix:{path}\n", f"next: troupe list unix:{path}\n",
                              f"      troupe print unix:{path}/laser:0\n"])


def lines_fit_the_terminal():
    with player.server(cli.PROGRAM, SMALL) as server:
        with cli.Terminal("list", cli.at(server), columns=60) as terminal:
            tap.equal(terminal.ended(), 0)
            tap.equal(len(terminal.lines), 5)  # with the one where the cursor stands


def mistakes_are_explained():
    says(troupe("list", "a", "b"), 2, usage("list", 'the server is named twice: "a" and "b"'))
    says(troupe("list", "--url"), 2, usage("list", "--url needs a value"))
    says(troupe("list", "--url", ""), 2, usage("list", "the name of the server is empty"))
    says(troupe("list", "--jsn"), 2, usage("list", 'unexpected "--jsn"; did you mean "--json"?'))
    says(troupe("list", "--tmeout", "3"), 2, usage("list", 'unexpected "--tmeout"; did you mean "--timeout"?'))
    for wrong in ("0", "-1", "x", "", "1e999", "NaN"):
        says(troupe("list", "--timeout", wrong), 2, usage("list", f'--timeout needs a number over 0, not "{wrong}"'))
    says(troupe("list", "--load", "/nowhere.padi"), 1, "troupe list: /nowhere.padi: No such file or directory\n")


@serving(SMALL)
def a_reader_who_has_seen_enough_is_no_failure(url):
    with cli.Running("list", url) as running:
        running.process.stdout.close()
        tap.equal(running.process.wait(timeout=cli.PATIENCE), 0)
        tap.equal(running.process.stderr.read(), "")
        running.process.stdout = open(os.devnull, encoding="ascii")


tap.main(devices_are_listed, devices_beyond_the_end_of_players_list_are_listed, a_map_sends_nothing_to_print,
         programs_get_json, conditions_choose_devices,
         devices_are_chosen_by_what_lists_and_properties_show, slips_in_conditions_are_told, a_server_is_named_in_one_of_many_ways, a_unix_socket_is_a_server_too,
         no_server_is_a_clear_failure, what_is_no_server_is_not_waited_for,
         a_port_alone_is_no_server, the_ports_of_other_fronts_are_told_at_once, a_greeting_that_is_short_is_told_at_once,
         a_server_that_is_slow_to_greet_is_awaited, a_player_server_has_less_to_tell,
         a_server_cannot_steer_the_terminal, a_server_says_where_it_is_and_what_to_type_next,
         a_server_in_the_program_isolates_drivers, several_robots_are_told_apart, lines_fit_the_terminal, mistakes_are_explained,
         a_reader_who_has_seen_enough_is_no_failure)
