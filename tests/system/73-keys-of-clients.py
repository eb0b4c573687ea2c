#!/usr/bin/env python3
"""Who may do what: with and without a key, on this machine and beyond, as the configuration says.
argv: the troupe program."""
import contextlib
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile

import cli
import keys
import player
import tap
from cli import troupe
from player import ACK, NACK, PLAYER, POSITION2D

PROGRAM = sys.argv[1]
BASE = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] )\n'
KEYS = 'keys [ "anna move drive on and on and on" "boss operate decide for all of us" "lamp write set all lamps here" ]\n'
VEL = '{"vel":{"px":0.5},"state":1}'
NO_KEY = "give a key with --key-file, --key or TROUPE_KEY\n"
FOLDER = tempfile.TemporaryDirectory()
HERE = pathlib.Path(FOLDER.name)


def write(name, text, mode=0o600):
    path = HERE / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def right_at(address):
    with player.Client(address) as client:
        return keys.right(client)[0]


def send(url, *options, **environment):
    return troupe("send", "position2d", "VEL", VEL, "--for", "0.01", *options, url=url, **environment)


# ---- Where -------------------------------------------------------------------------------------------


def listening(text, *options, path=None):
    """What a server says about where it listens, without its port and folder."""
    path = path or write("x.cfg", text)
    process = subprocess.Popen([PROGRAM, "run", path, "--any-port", *options], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout:
        if line.startswith("next:"):
            break
        if line.startswith("listening on "):
            lines.append(line.strip().replace(FOLDER.name, "").split("(chosen by the system)")[-1])
    process.terminate()
    _, errors = process.communicate(timeout=60)
    return lines, errors


def a_server_says_who_may_only_read():
    path = str(HERE / "socket")
    tap.equal(listening(BASE), ([""], ""))
    tap.equal(listening('operator_key "sixteen letters!"\n' + BASE), ([""], ""))
    tap.equal(listening(KEYS + BASE, "--unix", path),
              ([", read-only without a key", "listening on unix:/socket, read-only without a key"], ""))
    tap.equal(listening("open yes\n" + KEYS + BASE), ([""], ""))
    tap.equal(listening(BASE, "--listen", "0.0.0.0", "--unix", path),
              ([" of 0.0.0.0, read-only for all clients: there are no keys", "listening on unix:/socket"], ""))
    tap.equal(listening(KEYS + BASE, "--listen", "*"), ([" of all addresses, read-only without a key"], ""))
    tap.equal(listening("open yes\n" + BASE, "--listen", "0.0.0.0"), ([" of 0.0.0.0, open to everybody"], ""))
    tap.equal(listening(BASE, "--listen", "::1"), ([" of ::1"], ""))


def a_quiet_server_says_it_too():
    def line(text, *options):
        path = write("x.cfg", text)
        with subprocess.Popen([PROGRAM, "run", "-q", path, "--no-web", *options], stdout=subprocess.PIPE, text=True) as process:
            first = process.stdout.readline()
            process.terminate()
            return first, process.stdout.read()

    start = re.compile(r"listening on port \d+ \(chosen by the system\)(.*)\n")
    for text, options, said in ((BASE, (), ""), (KEYS + BASE, (), ", read-only without a key"),
                                ("open yes\n" + BASE, ("--listen", "0.0.0.0"), " of 0.0.0.0, open to everybody")):
        first, rest = line(text, "--any-port", *options)
        tap.equal((start.fullmatch(first).group(1), rest), (said, ""))
    path = str(HERE / "quiet")
    tap.equal(line(KEYS + BASE, "--listen", "", "--unix", path), (f"listening on unix:{path}, read-only without a key\n", ""))


def on_this_machine_everybody_may_move_unless_there_are_keys():
    path = str(HERE / "socket")
    for text, wanted in ((BASE, "move"), ('operator_key "sixteen letters!"\n' + BASE, "move"), (KEYS + BASE, "read"),
                         (f'key_file "{write("k", "anna move x")}"\n' + BASE, "read"),
                         ("open yes\n" + KEYS + BASE, "move")):
        with player.server(PROGRAM, text, ("--unix", path)) as server:
            tap.equal((text, right_at(server.address), right_at(path)), (text, wanted, wanted))


def beyond_this_machine_nobody_may_without_a_key():
    path = str(HERE / "socket")
    for text, wanted, on_socket in ((BASE, "read", "move"), (KEYS + BASE, "read", "read"),
                                    ("open yes\n" + BASE, "move", "move")):
        with player.server(PROGRAM, text, ("--listen", "0.0.0.0", "--udp", "--unix", path)) as server:
            with keys.UdpClient(server.address) as udp:
                tap.equal((text, keys.right(udp)[0]), (text, wanted))
            tap.equal((text, right_at(server.address), right_at(path)), (text, wanted, on_socket))


# ---- Keys on the wire ---------------------------------------------------------------------------------


def a_key_is_proved_by_a_challenge():
    with player.server(PROGRAM, KEYS + BASE) as server, player.Client(server.address) as client:
        tap.equal(struct.unpack_from(">I", client.hello().body, 4)[0] & 8, 8)  # read only
        client.open(POSITION2D, 0)
        tap.equal(keys.why(client.request(POSITION2D, 0, 6)),
                  "RESET_ODOM needs the right to write: give a key")
        tap.equal(keys.prove(client, "set all lamps here").type, ACK)
        tap.equal(keys.right(client), ("write", "lamp"))
        tap.equal(client.request(POSITION2D, 0, 6).type, ACK)
        tap.equal(keys.prove(client, "drive on and on and on").type, ACK)
        tap.equal(keys.right(client), ("move", "anna"))
        tap.equal(struct.unpack_from(">I", client.hello().body, 4)[0] & 8, 0)


def old_clients_show_the_key():
    """As Player's do, who know nothing of explanations."""
    with player.server(PROGRAM, KEYS + BASE) as server:
        with player.Client(server.address) as client:
            tap.equal(keys.show(client, "drive on and on and on").type, ACK)
            tap.equal(keys.right(client), ("move", "anna"))
        with player.Client(server.address) as client:
            reply = keys.show(client, "drive off")
            tap.equal((reply.type, reply.body), (NACK, b""))
            tap.equal(keys.right(client), ("read", ""))


# ---- The command line ---------------------------------------------------------------------------------


@cli.serving(KEYS + BASE)
def a_refused_command_says_what_to_do(url):
    cli.says(send(url), 1, "troupe send: position2d:0: opening position2d:0 to write needs the right to write: "
             + NO_KEY)
    cli.says(troupe("request", "position2d", "RESET_ODOM", url=url), 1,
             "troupe request: position2d:0: RESET_ODOM needs the right to write: " + NO_KEY)
    cli.says(troupe("property", "laser", "rate", "5", url=url), 1,
             "troupe property: laser:0: SET_DBLPROP needs the right to write: " + NO_KEY)
    cli.says(send(url, "--key", "set all lamps here"), 1,
             "troupe send: position2d:0: VEL needs the right to move; the key lamp gives only the right to write\n")
    tap.equal(troupe("list", url=url).returncode, 0)


@cli.serving(KEYS + BASE)
def a_key_is_given_in_three_ways(url):
    cli.prints(send(url, "--key", "drive on and on and on"), "")
    cli.prints(send(url, TROUPE_KEY="drive on and on and on"), "")
    cli.prints(send(url, "--key-file", write("key", "drive on and on and on\n")), "")
    cli.says(send(url, "--key-file", write("key", "drive on and on and on\n"), "--key", "x"), 1,
             "troupe send: a key and a file with one: which of them?\n")
    cli.says(send(url, "--key-file", write("key", "drive on and on and on\n", 0o644)), 1,
             f"troupe send: {HERE}/key: others can read or change it: chmod 600 the file\n")
    cli.says(send(url, "--key"), 2, cli.usage("send", "--key needs a value"))


@cli.serving(KEYS + BASE)
def a_wrong_key_is_refused(url):
    wanted = f"tcp:{url}: the key is refused: no key of this server fits; wait 1 s before the next try\n"
    cli.says(send(url, "--key", "wrong"), 1, "troupe send: " + wanted)
    cli.says(troupe("list", url=url, TROUPE_KEY="wrong"), 1, "troupe list: " + wanted)


@cli.serving(BASE)
def a_key_that_is_not_needed_does_no_harm(url):
    cli.prints(send(url, "--key", "whatever"), "")


@cli.serving(KEYS + BASE)
def everybody_raises_a_panic_and_operators_end_it(url):
    tap.equal(troupe("panic", url=url, TROUPE_KEY="wrong").returncode, 0)
    tap.equal(troupe("panic", "--key-file", "/nowhere", url=url).returncode, 0)
    denied = "troupe reset: only the client that raised it, or an operator's key, ends a panic"
    cli.refuses(troupe("reset", url=url), f"{denied}: {NO_KEY}")
    cli.refuses(troupe("reset", "--key", "drive on and on and on", url=url), f"{denied}; the key anna gives only the right to move\n")
    tap.equal(troupe("reset", "--key", "decide for all of us", url=url).returncode, 0)


def where_there_is_no_operator_a_refused_reset_says_what_helps():
    denied = "troupe reset: only the client that raised it, or a client on the server's own machine with the right to move, ends a panic"
    path = str(HERE / "socket")
    with player.server(PROGRAM, 'keys [ "anna move drive on and on and on" "lamp write set all lamps here" ]\n' + BASE) as server:
        url = cli.at(server)
        tap.equal(troupe("panic", url=url).returncode, 0)
        cli.refuses(troupe("reset", url=url), f"{denied}: {NO_KEY}")
        cli.refuses(troupe("reset", "--key", "set all lamps here", url=url), f"{denied}; the key lamp gives only the right to write\n")
        tap.equal(troupe("reset", "--key", "drive on and on and on", url=url).returncode, 0)
    with player.server(PROGRAM, BASE, ("--listen", "0.0.0.0", "--unix", path)) as server:
        url = cli.at(server)
        tap.equal(troupe("panic", url=url).returncode, 0)
        cli.refuses(troupe("reset", url=url), f"{denied}: the server has no keys, and clients of this address only read: give the server a key, or use its unix socket\n")
        tap.equal(troupe("reset", url=f"unix:{path}").returncode, 0)


@cli.serving(KEYS + BASE)
def the_servers_own_file_is_no_key(url):
    cli.says(send(url, "--key-file", write("keys", "# all of them\nanna move drive on and on and on\n")), 1,
             f"troupe send: tcp:{url}: the key is refused: it looks like a line of the server's file of keys, NAME RIGHT "
             "SECRET: give the SECRET alone, or a file with nothing else in its first line\n")


@cli.serving(KEYS + BASE)
def a_key_does_not_stay_in_the_list_of_processes(url):
    with cli.Running("print", "laser", "--line", "--key", "drive on and on and on", url=url) as printing:
        printing.line()
        arguments = pathlib.Path(f"/proc/{printing.process.pid}/cmdline").read_bytes()
        tap.equal((b"drive on and on and on" in arguments, b"--key\0********" in arguments), (False, True))


# ---- The configuration --------------------------------------------------------------------------------


def mistake(text, mode=0o600):
    path = write("x.cfg", text, mode)
    result = troupe("check", path)
    return result.returncode, result.stderr.replace(FOLDER.name, "")


def mistakes_are_told_without_secrets():
    told = "the key anna is NAME RIGHT SECRET; its right is read, write, move or operate\n"
    tap.equal(mistake('keys [ "anna hunter2 move" ]\n' + BASE), (1, "troupe check: /x.cfg:1:8: " + told))
    write("k", "# keys\nanna hunter2 move\n")
    tap.equal(mistake('key_file "k"\n' + BASE), (1, f"troupe check: /x.cfg:1:10: /k:2: {told}"))
    write("k", "anna move x\n", 0o644)
    tap.equal(mistake('key_file "k"\n' + BASE),
              (1, "troupe check: /x.cfg:1:10: /k: others can read or change it: chmod 600 the file\n"))
    tap.equal(mistake('key_file "none"\n' + BASE), (1, "troupe check: /x.cfg:1:10: /none: No such file or directory\n"))
    tap.equal(mistake('open perhaps\n' + BASE)[0], 1)
    tap.equal(mistake('operator_key "a"\nkeys [ "operator move b" ]\n' + BASE),
              (1, "troupe check: /x.cfg:1:1: there are two keys operator\n"))


def secrets_that_others_can_read_are_noted():
    note = "others can read this secret: chmod 600 the file, or use key_file\n"
    tap.equal(mistake(KEYS + BASE, 0o644), (0, "/x.cfg:1:1: " + note))
    tap.equal(mistake('operator_key "sixteen letters!"\n' + BASE, 0o644), (0, "/x.cfg:1:1: " + note))
    tap.equal(mistake(KEYS + BASE, 0o640), (0, ""))


class Server:
    """One whose configuration the test changes."""

    def __init__(self, text):
        self.path = write("changing.cfg", text)
        self.running = contextlib.ExitStack()
        self.server = self.running.enter_context(
            player.launched([PROGRAM, "run", self.path, "--any-port", "--unix", str(HERE / "changing")]))

    def change(self, text):
        """Wait until it has been read."""
        write("changing.cfg", text)
        self.server.process.send_signal(signal.SIGHUP)
        return self.server.process.stderr.readline()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.running.close()


def secrets_that_can_be_guessed_are_noted():
    """Those with fewer than 16 characters; the note shows no secret."""
    note = "/x.cfg:1:1: the secret of the key %s can be guessed: give it 16 random characters\n"
    tap.equal(mistake(f'keys [ "anna move {"x" * 15}" "boss operate {"y" * 16}" ]\n' + BASE), (0, note % "anna"))
    tap.equal(mistake('keys [ "a move x" "b move y" "c read z" ]\n' + BASE), (0, note % "a and of 2 more"))
    tap.equal(mistake('operator_key "hunter2"\n' + BASE), (0, note % "operator"))
    text = f'key_file "{write("short.keys", "anna move hunter2")}"\n' + BASE
    tap.equal(mistake(text), (0, note % "anna"))
    tap.equal(listening(text)[1].replace(FOLDER.name, ""), note % "anna")  # the server prints it at start


def keys_can_be_changed_while_the_server_runs():
    with Server(KEYS + BASE) as changing, player.Client(changing.server.address) as first, \
            player.Client(changing.server.address) as second:
        keys.prove(first, "drive on and on and on")
        keys.prove(second, "decide for all of us")
        tap.equal(changing.change('keys [ "boss operate decide for all of us" "new move start at the start" ]\n' + BASE), "keys and rights have changed\n")
        tap.equal((keys.right(first), keys.right(second)), (("read", ""), ("operate", "boss")))
        tap.equal(keys.prove(first, "start at the start").type, ACK)
        tap.equal("hunter2" in changing.change('keys [ "x hunter2 move" ]\n' + BASE), False)
        tap.equal(changing.server.process.stderr.readline(), "nothing was changed\n")
        tap.equal((keys.right(first), keys.right(second)), (("move", "new"), ("operate", "boss")))
        changing.change(BASE)
        tap.equal((keys.right(first), keys.right(second)), (("move", ""), ("move", "")))


NONE = "there are no keys: no client can write or move anything\n"


def without_any_keys_nobody_writes():
    """A file that names keys has access control on, also while there are none."""
    for text in "", "# nobody\n\n":
        write("k", text)
        tap.equal(mistake('key_file "k"\n' + BASE), (0, "/x.cfg:1:1: " + NONE))
    tap.equal(mistake("keys [ ]\n" + BASE), (0, "/x.cfg:1:1: " + NONE))
    tap.equal(mistake("keys [ ]\nopen yes\n" + BASE), (0, ""))
    tap.equal(mistake('keys [ ]\noperator_key "sixteen letters!"\n' + BASE), (0, ""))
    path = str(HERE / "u")
    told = ", read-only for all clients: there are no keys"
    tap.equal(listening("keys [ ]\n" + BASE, "--unix", path),
              ([told, "listening on unix:/u" + told], f"{FOLDER.name}/x.cfg:1:1: {NONE}"))
    with player.server(PROGRAM, "keys [ ]\n" + BASE) as server:
        tap.equal(right_at(server.address), "read")
        cli.says(send(cli.at(server)), 1, "troupe send: position2d:0: opening position2d:0 to write needs the right to "
                      "write: the server has no keys, and clients without a key only read: give the server a key\n")


def a_key_file_that_becomes_empty_opens_nothing():
    write("last.keys", "anna move drive on and on and on\n")
    text = 'key_file "last.keys"\n' + BASE
    with Server(text) as changing, player.Client(changing.server.address) as anna, \
            player.Client(changing.server.address) as anybody:
        keys.prove(anna, "drive on and on and on")
        tap.equal(keys.right(anna), ("move", "anna"))
        write("last.keys", "")
        tap.equal(changing.change(text).replace(FOLDER.name, ""), "/changing.cfg:1:1: " + NONE)
        tap.equal(changing.server.process.stderr.readline(), "keys and rights have changed\n")
        tap.equal((keys.right(anna), keys.right(anybody)), (("read", ""), ("read", "")))


def several_key_files_are_read():
    write("a.keys", "anna move drive on and on and on\n")
    write("b.keys", "boss operate decide for all of us\n")
    with Server('key_file [ "a.keys" "b.keys" ]\n' + BASE) as both, player.Client(both.server.address) as client:
        tap.equal((keys.prove(client, "drive on and on and on").type, keys.right(client)), (ACK, ("move", "anna")))
        tap.equal((keys.prove(client, "decide for all of us").type, keys.right(client)), (ACK, ("operate", "boss")))
    tap.equal(mistake("key_file 7\n" + BASE), (1, "troupe check: /x.cfg:1:10: key_file is a file, not 7\n"))


# ---- Servers together ---------------------------------------------------------------------------------


def an_isolated_driver_is_a_part_of_its_server():
    """It needs no key, neither to be moved nor for the devices that it requires."""
    text = KEYS + BASE + ('driver ( name "passthrough" isolated yes requires [ "position2d:0" ] '
                          'provides [ "position2d:1" ] )\n')
    with player.server(PROGRAM, text) as server:
        url = cli.at(server)
        cli.prints(troupe("send", "position2d:1", "VEL", VEL, "--for", "0.01", "--key", "drive on and on and on", url=url), "")
        with player.Client(server.address) as client:
            client.open(POSITION2D, 0)
            while client.statistics()[1][6665, POSITION2D, 0]["commands"] == 0:
                pass
        tap.equal(troupe("send", "position2d:1", "VEL", VEL, url=url).returncode, 1)


def behind(port, key):
    return f'driver ( name "remote" url "tcp:127.0.0.1:{port}" provides [ "position2d:0" "laser:0" ] {key} )\n'


def reset_odometry(address):
    """The answer to a request that needs the right to write."""
    with player.Client(address) as client:
        client.hello()
        reply, granted = client.access(POSITION2D, 0, 1)
        if granted != 1:
            return keys.why(reply)
        return keys.why(client.request(POSITION2D, 0, 6))


def a_server_has_a_key_for_another_one():
    with player.server(PROGRAM, KEYS + BASE) as far:
        port = far.address[1]
        for key in ('key "set all lamps here"', f'key_file "{write("key", "set all lamps here")}"'):
            with player.server(PROGRAM, behind(port, key)) as near:
                tap.equal((key, reset_odometry(near.address)), (key, None))
        os.environ["TROUPE_KEY"] = "set all lamps here"  # which is for programs, not for drivers
        with player.server(PROGRAM, behind(port, "")) as near:
            tap.equal(reset_odometry(near.address), f"tcp:127.0.0.1:{port}: position2d:0: RESET_ODOM needs the right to write: "
                                           "the section of remote0 needs a key_file")
        del os.environ["TROUPE_KEY"]
        with player.server(PROGRAM, behind(port, 'key "wrong"')) as near:
            tap.equal(reset_odometry(near.address), f"remote0: tcp:127.0.0.1:{port}: the key is refused: no key of this server "
                                           "fits; wait 1 s before the next try")


def a_server_without_its_key_for_another_one_says_so():
    with player.server(PROGRAM, KEYS + BASE) as far, player.server(PROGRAM, behind(far.address[1], "")) as near:
        told = [troupe("request", "position2d", "RESET_ODOM", url=cli.at(near)).stderr,
                send(cli.at(near)).stderr]
        tap.equal([text.endswith(": the section of remote0 needs a key_file\n") for text in told], [True, True])


def a_right_that_goes_is_told_and_comes_back():
    with Server(KEYS + BASE) as far, \
            player.server(PROGRAM, behind(far.server.address[1], 'key "set all lamps here"')) as near:
        tap.equal(reset_odometry(near.address), None)
        with player.Client(near.address) as client:
            client.hello()
            client.open(POSITION2D, 0)
            far.change('keys [ "anna move drive on and on and on" ]\n' + BASE)
            tap.equal("needs the right to write" in keys.why(client.request(POSITION2D, 0, 6)),
                      True)
        far.change(KEYS + BASE)
        tap.equal(reset_odometry(near.address), None)


def far_server(port, text):
    return player.launched([PROGRAM, "run", write("far.cfg", text), "--port", str(port)])


def a_driver_whose_key_is_refused_fails_and_is_started_again():
    port = player.reserved_port()
    with player.server(PROGRAM, behind(port, 'key "set all lamps here" restart 0.1')) as near:
        with far_server(port, KEYS + BASE):
            tap.equal(reset_odometry(near.address), None)
            client = player.Client(near.address)
            client.hello()
            client.open(POSITION2D, 0)
        with client, far_server(port, 'keys [ "anna move drive on and on and on" ]\n' + BASE):
            told = ""
            while "the key is refused" not in told:
                message = client.data()
                told = player.Body(message.body[4:]).text() if message.subtype == 243 else ""
        with far_server(port, KEYS + BASE):
            while reset_odometry(near.address) is not None:
                pass


tap.main(a_server_says_who_may_only_read, a_quiet_server_says_it_too,
         on_this_machine_everybody_may_move_unless_there_are_keys,
         beyond_this_machine_nobody_may_without_a_key, a_key_is_proved_by_a_challenge, old_clients_show_the_key,
         a_refused_command_says_what_to_do, a_key_is_given_in_three_ways, a_wrong_key_is_refused,
         a_key_that_is_not_needed_does_no_harm, everybody_raises_a_panic_and_operators_end_it,
         where_there_is_no_operator_a_refused_reset_says_what_helps, the_servers_own_file_is_no_key,
         a_key_does_not_stay_in_the_list_of_processes, mistakes_are_told_without_secrets,
         secrets_that_others_can_read_are_noted, secrets_that_can_be_guessed_are_noted,
         keys_can_be_changed_while_the_server_runs, without_any_keys_nobody_writes,
         a_key_file_that_becomes_empty_opens_nothing, several_key_files_are_read,
         an_isolated_driver_is_a_part_of_its_server, a_server_has_a_key_for_another_one,
         a_server_without_its_key_for_another_one_says_so, a_right_that_goes_is_told_and_comes_back,
         a_driver_whose_key_is_refused_fails_and_is_started_again)
