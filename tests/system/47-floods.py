#!/usr/bin/env python3
"""Clients without a key that ask for much, or hold much back: a client with a key does not notice them, and memory returns.
argv: the troupe program, as users have it: the sanitizers of a test build cost more than what is measured.

floods.py describes the rule. `./troupe floods` runs the whole table; here are the attacks that hurt most, and a part of the
table, another one each day."""
import argparse
import contextlib
import multiprocessing
import os
import random
import select
import selectors
import signal
import socket
import ssl
import struct
import sys
import tempfile
import time

import floods
import keys
import motion
import player
import tap
import universal
import web
from player import ACK, COMMAND, PLAYER, POSITION2D, REQUEST

PROGRAM = sys.argv[1]
MAP, STATISTICS = 42, 202
UNIVERSAL, MATCH = 242, 3
SAMPLE = 3  # messages of the table
WORLD = """
model ( name "hall" size [104 104 1] boundary 1 )
define robot position ( size [0.4 0.4 0.3] )
robot ( name "anna" pose [1 1 0 0] )
"""


def holds(attack):
    """The rule holds in one of a few tries: this machine may have been busy with something else."""
    tap.equal(floods.judged(attack).wrong(), [])


def tiles_of_a_large_map():
    """950 times 2048 by 2048 cells in one write, from one client and from four."""
    with tempfile.NamedTemporaryFile("w", suffix=".world") as world:
        world.write(WORLD)
        world.flush()
        text = (f'driver ( name "sim" worldfile "{world.name}" provides [ "map:0" "position2d:0" ] model "anna" '
                'map_resolution 0.05 alwayson 1 )\n')
        tile = floods.message(MAP, REQUEST, 2, struct.pack(">IIIIIII", 0, 0, 2048, 2048, 0, 0, 0))
        with floods.trial(PROGRAM, text) as trial:
            trial.attack(MAP, tile, 0.3, once=True, attackers=1)  # the driver makes its map
            holds(lambda: trial.attack(MAP, tile * 950, 1.5, once=True, attackers=1))
            holds(lambda: trial.attack(MAP, tile * 950, 1.5))
            little = floods.message(MAP, REQUEST, 2, struct.pack(">IIIIIII", 0, 0, 1, 1, 0, 0, 0))
            holds(lambda: trial.attack(MAP, little * 300 + tile * 300, 1.5, once=True, attackers=1))  # not known by the first ones
            with player.Client(trial.server.address) as patient:  # what waits is answered, in order
                patient.open(MAP, 0)
                body = struct.pack(">IIIIIII", 0, 0, 2048, 2048, 0, 0, 0)
                numbers = [patient.send(MAP, 0, REQUEST, 2, body) for _ in range(20)]
                tap.equal([(reply.type, reply.seq) for reply in (patient.message() for _ in numbers)],
                          [(ACK, number) for number in numbers])


def statistics_of_many_devices_and_clients():
    provides = " ".join(f'"position2d:{i}"' for i in range(300))
    with floods.trial(PROGRAM, f'driver ( name "fake" rate 1 provides [ {provides} ] )\n') as trial:
        with contextlib.ExitStack() as stack:
            for _ in range(900):
                stack.enter_context(player.Client(trial.server.address))
            ask = floods.message(PLAYER, REQUEST, STATISTICS, b"")
            holds(lambda: trial.attack(PLAYER, floods.burst_of(ask), 1.5))


def is_closed(client):
    client.socket.setblocking(False)
    try:
        return client.socket.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def messages_that_are_never_finished():
    """Long ones end at once; of many short ones those that hold most are closed. A command in two pieces and new clients find
    room."""
    text = floods.KEYS + 'driver ( name "fake" provides [ "position2d:0" ] )\n'
    with player.server(PROGRAM, text) as server, contextlib.ExitStack() as stack:
        owner = stack.enter_context(player.Client(server.address))
        tap.equal(keys.prove(owner, floods.SECRET).type, ACK)
        owner.open(POSITION2D, 0)
        before = server.memory()
        for _ in range(2):
            client = stack.enter_context(player.Client(server.address))
            with contextlib.suppress(OSError):
                client.socket.sendall(player.HEADER.pack(0, 0, POSITION2D, 0, REQUEST, 1, 0.0, 0, 33554392) + bytes(33554391))
            tap.equal(client.ended(), True)
        short = [stack.enter_context(player.Client(server.address)) for _ in range(300)]
        for client in short:
            client.socket.sendall(player.HEADER.pack(0, 0, POSITION2D, 0, REQUEST, 1, 0.0, 0, 64000) + bytes(60000))
        command = player.HEADER.pack(0, 0, POSITION2D, 0, COMMAND, 1, 0.0, 0, 28) + struct.pack(">dddI", 0.1, 0, 0, 1)
        owner.socket.sendall(command[:50])
        for _ in range(20):
            with player.Client(server.address) as new:
                tap.equal(new.request(PLAYER, 0, 1).type, ACK)
        owner.socket.sendall(command[50:])
        tap.equal(owner.request(POSITION2D, 0, 1).type, ACK)
        until = time.monotonic() + 60  # the server has read all of it long before
        while sum(is_closed(client) for client in short) <= 200 and time.monotonic() < until:
            time.sleep(0.05)
        tap.equal(200 < sum(is_closed(client) for client in short) < 300, True)
        tap.equal(floods.memory_after(server, before) < 16 * floods.MEGABYTE, True)


def openings_of_one_device():
    """Whoever opens a device again and again gets its data as often, each time the driver publishes."""
    opening = floods.message(PLAYER, REQUEST, 3, struct.pack(">IIIIIII", 0, 0, player.LASER, 0, 1, 0, 0))
    with floods.trial(PROGRAM, 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 50 )\n') as trial:
        holds(lambda: trial.attack(PLAYER, floods.burst_of(opening), 1.5, once=True, attackers=40))


def devices_of_programs():
    """64 devices with 24 classes that no robot has, and the same with classes that it has."""
    def program(classes):
        return struct.pack(">III", 0, 64, 64) + (player.text(classes) + struct.pack(">iI", -1, 65535)) * 64

    text = 'driver ( name "robotfile" robot "create2" port "emulate:create2" provides [ "position2d:0" "universal:0" ] alwayson 1 )\n'
    with floods.trial(PROGRAM, text) as trial:
        for classes in (", ".join(f"Light Sense{i:02d}" for i in range(24)), "Left Servo, Heater, Fan, Pump, Vacuum", "Input", "Bump Sensor"):
            data = floods.message(UNIVERSAL, REQUEST, MATCH, program(classes))
            holds(lambda data=data: trial.attack(UNIVERSAL, floods.burst_of(data), 1.0))


def devices_at_the_universal_front():
    """REGISTER of 24 classes that no robot has, and of those that it has: each one matches all devices of the connection again."""
    def extended(function, body):
        body = bytes([function]) + body
        packet = struct.pack(">BIHI", 1, 1 << 20, 0x5000, len(body)) + body
        return struct.pack(">I", len(packet)) + packet

    text = ('front ( name "universal" )\n'
            'driver ( name "robotfile" robot "create2" port "emulate:create2" provides [ "position2d:0" "universal:0" ] alwayson 1 )\n')
    with floods.trial(PROGRAM, text) as trial:
        front = argparse.Namespace(port=trial.server.fronts["universal"])
        for classes in (", ".join(f"Light Sense{i:02d} of a kind that nobody has heard of" for i in range(24)), "Left Servo, Heater, Fan, Pump, Vacuum", "Bump Sensor"):
            register = extended(1, struct.pack(">I", len(classes)) + classes.encode() + b"\xff")
            select = extended(2, struct.pack(">I", 7) + b"create2")  # forgets the devices
            data = (register * 64 + select) * 4
            result = floods.judged(lambda data=data: trial.attack(PLAYER, data, 1.0, connect=lambda: universal.Client(front)))
            print(f"# {classes[:20]}...: {result}")
            tap.equal(result.wrong(), [])


def many_devices_on_the_web():
    provides = " ".join(f'"position2d:{i}"' for i in range(300))
    return floods.KEYS + f'front ( name "web" )\ndriver ( name "fake" rate 1 provides [ {provides} ] )\n'


def nanoseconds(server):
    """What the loop has worked so far."""
    with open(f"/proc/{server.process.pid}/schedstat", encoding="ascii") as file:  # of the first thread, which is the loop
        return int(file.read().split()[0])


def long_answers_of_the_web_cost_little():
    """Nothing is written anew for each device: a byte of the lists costs about what one costs that is only copied."""
    with player.server(PROGRAM, many_devices_on_the_web()) as server, web.Http(argparse.Namespace(port=server.fronts["web"])) as http:
        def price(path):
            http.ask("GET", path)
            begun = nanoseconds(server)
            length = sum(len(http.ask("GET", path).body) for _ in range(50))
            return (nanoseconds(server) - begun) / length

        copied = price("/api/interfaces")
        prices = {path: price(path) / copied for path in ("/api/devices", "/api/server", "/.well-known/wot")}
        print(f"# {prices}")
        tap.equal({path: price < 10 for path, price in prices.items()}, dict.fromkeys(prices, True))


def the_first_websocket_stalls_nobody():
    """The texts about 300 devices have 16 MB. They are made a few devices in a turn: the greeting goes out before, and others are
    served meanwhile."""
    with player.server(PROGRAM, many_devices_on_the_web()) as server:
        front = argparse.Namespace(port=server.fronts["web"])
        begun = nanoseconds(server)
        with web.Socket(front, "/ws") as first:
            greeted = nanoseconds(server) - begun
            services = first.op("advertiseServices")["services"]
            whole = nanoseconds(server) - begun
            tap.equal(sum(service["name"].endswith("/req/MOTOR_POWER") for service in services), 300)
        print(f"# worked {greeted / 1e6:.1f} ms until the greeting, {whole / 1e6:.1f} ms in all")
        tap.equal(greeted < whole / 4, True)


class Told:
    """What a WebSocket client was told of devices: nothing is told twice, and nothing is taken back that was not told."""

    def __init__(self, socket):
        self.socket, self.channels, self.services = socket, {}, {}

    def hear(self, count):
        """Until it has so many bases."""
        while sum(name.endswith("/req/MOTOR_POWER") for name in self.services.values()) != count:
            said = self.socket.until(lambda said: isinstance(said, dict))
            for known, new, name, gone in ((self.channels, "channels", "topic", "channelIds"), (self.services, "services", "name", "serviceIds")):
                for one in said.get(new, []):
                    tap.equal(one["id"] in known, False)
                    known[one["id"]] = one[name]
                for number in said.get(gone, []):
                    del known[number]
        tap.equal(sum(name.startswith("/6665/position2d/") and name.endswith("/STATE") for name in self.channels.values()), count)


def new_devices_are_told_in_pieces():
    """300 devices come with a reload, and others while a hundred clients are told of them: guests are served meanwhile, and
    clients that add up what they were told have the devices that there are."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        path = f"{folder}/robot.cfg"

        def configure(hundreds):
            with open(path + ".new", "w", encoding="ascii") as file:
                file.write('front ( name "web" )\ndriver ( name "fake" provides [ "laser:0" ] )\n')
                for first in range(0, 100 * hundreds, 100):
                    provides = " ".join(f'"position2d:{i}"' for i in range(first, first + 100))
                    file.write(f'driver ( name "fake" rate 1 provides [ {provides} ] )\n')
            os.rename(path + ".new", path)

        configure(0)
        server = stack.enter_context(player.launched([PROGRAM, "run", path, "--any-port", "--quiet"]))
        front = argparse.Namespace(port=server.fronts["web"])
        clients = [Told(stack.enter_context(web.Socket(front, "/ws" if i == 0 else "/ws?brief=1"))) for i in range(100)]
        for client in clients:
            client.socket.op("advertiseServices")
        guest = stack.enter_context(player.Client(server.address))
        begun = before = nanoseconds(server)
        turns = []
        configure(3)
        server.process.send_signal(signal.SIGHUP)
        while any(not select.select([client.socket.socket], [], [], 0)[0] for client in clients):
            guest.request(PLAYER, 0, 1)
            before, last = nanoseconds(server), before
            turns.append(before - last)
        for client in clients:
            client.hear(300)
        whole = nanoseconds(server) - begun
        print(f"# worked {max(turns) / 1e6:.1f} ms between two answers, {whole / 1e6:.1f} ms in all")
        tap.equal(max(turns) < whole / 4, True)
        for client in clients[10:]:
            client.socket.socket.close()
        for hundreds in (5, 2, 4):  # nobody may have been told of the first of these when the second comes
            configure(hundreds)
            server.process.send_signal(signal.SIGHUP)
            new = Told(stack.enter_context(web.Socket(front)))
            clients[9].socket.socket.close()
            clients[9] = new
            if hundreds != 5:
                for client in clients[:10]:
                    client.hear(100 * hundreds)


def a_graph_is_made_once_for_all():
    """A hundred clients ask for the connection graph of 300 devices again and again: that costs little more than to ask once."""
    with player.server(PROGRAM, many_devices_on_the_web()) as server, contextlib.ExitStack() as stack:
        front = argparse.Namespace(port=server.fronts["web"])

        def open_socket():
            socket = stack.enter_context(web.Socket(front))
            socket.op("advertiseServices")
            return socket

        def price(sockets, times):
            begun = nanoseconds(server)
            for socket in sockets:
                socket.socket.sendall(socket.frame(1, b'{"op":"subscribeConnectionGraph"}') * times)
            for socket in sockets:
                tap.equal(len(socket.op("connectionGraphUpdate")["publishedTopics"]) > 300, True)
            return nanoseconds(server) - begun

        sockets = [open_socket() for _ in range(100)]
        once = price(sockets[:1], 1)
        before = server.memory()
        often = price(sockets, 20)
        grown = server.memory() - before
        print(f"# worked {once / 1e6:.1f} ms for one, {often / 1e6:.1f} ms for 2000; + {grown / floods.MEGABYTE:.1f} MB")
        tap.equal((often < 50 * once, grown < 16 * floods.MEGABYTE), (True, True))


def highest_memory(server, reset=False):
    """The highest resident memory since the last reset."""
    if reset:
        with open(f"/proc/{server.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


def answers_of_the_web_that_nobody_reads():
    """300 clients ask for two megabytes each. The server keeps a part of the answers and closes the clients that have most."""
    with player.server(PROGRAM, many_devices_on_the_web()) as server, player.Client(server.address) as guest, contextlib.ExitStack() as stack:
        front, files = argparse.Namespace(port=server.fronts["web"]), server.files()
        silent = [stack.enter_context(web.Http(front)) for _ in range(300)]
        before = highest_memory(server, reset=True)
        for http in silent:
            http.send("GET", "/.well-known/wot")
        until = time.monotonic() + 60
        while server.files() > files + 40 and time.monotonic() < until:
            guest.request(PLAYER, 0, 1)  # waits for a turn of the server
        grown, left = highest_memory(server) - before, server.files() - files
        print(f"# + {grown >> 20} MB, {left} connections left")
        tap.equal((left <= 40, grown <= floods.MOST_GROWTH), (True, True))
        for http in silent:
            http.socket.close()
        tap.equal(floods.memory_after(server, before) <= floods.MOST_KEPT, True)


def subscribe(socket, channels):
    """To all of them: whether the server refuses some, and says so once."""
    socket.say(op="subscribe", subscriptions=[{"id": number, "channelId": channel} for number, channel in enumerate(channels)])
    socket.say(op="ping")
    told = []
    while True:
        said = socket.until(lambda said: isinstance(said, dict))
        if said["op"] == "pong":
            return told
        told += [said["message"]] if said["op"] == "status" else []


def devices_that_guests_use_on_the_web():
    """Guests that subscribe to all data of 300 devices find no room in the end, and a client with a key does."""
    with player.server(PROGRAM, many_devices_on_the_web()) as server, contextlib.ExitStack() as stack:
        front = argparse.Namespace(port=server.fronts["web"])
        told, channels, guests = [], [], []
        while not told and len(guests) < 200:
            guests.append(stack.enter_context(web.Socket(front)))
            channels = channels or [one["id"] for one in guests[0].op("advertise")["channels"]][:1000]
            told = subscribe(guests[-1], channels)
        print(f"# {len(guests)} guests with {len(channels)} subscriptions each")
        tap.equal([message.split(": ", 1)[1] for message in told], ["clients that may only read use too many devices"])
        tap.equal(len(guests) > 30, True)
        told = subscribe(guests[-1], channels[::-1])  # and again, for another message
        tap.equal([message.split(": ", 1)[1] for message in told if "already" not in message], ["clients that may only read use too many devices"])
        tap.equal(subscribe(stack.enter_context(web.Socket(front)), channels[:32]), [])
        owner = stack.enter_context(web.Socket(front))
        owner.say(op="auth", key=floods.SECRET)
        tap.equal(owner.op("auth")["right"], "move")
        tap.equal(subscribe(owner, channels), [])


def old_lists_of_devices_that_nobody_reads():
    """A guest that does not read comes before each change of the list, which has 16 MB. What only such guests need closes them."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        path = f"{folder}/robot.cfg"

        def configure(count):
            provides = " ".join(f'"position2d:{i}"' for i in range(count))
            with open(path + ".new", "w", encoding="ascii") as file:
                file.write(f'{floods.KEYS}front ( name "web" )\ndriver ( name "fake" rate 1 provides [ {provides} ] )\n')
            os.rename(path + ".new", path)

        configure(300)
        server = stack.enter_context(player.launched([PROGRAM, "run", path, "--any-port", "--quiet"]))
        front = argparse.Namespace(port=server.fronts["web"])
        reader = Told(stack.enter_context(web.Socket(front)))
        reader.hear(300)
        before = server.memory()
        for i in range(10):
            stack.enter_context(web.Socket(front, "/ws"))
            with web.Socket(front, "/ws") as other:  # comes behind it
                other.op("advertiseServices")
            configure(299 + i % 2)
            server.process.send_signal(signal.SIGHUP)
            reader.hear(299 + i % 2)
        until = time.monotonic() + 60
        while server.memory() - before > floods.MOST_GROWTH and time.monotonic() < until:
            reader.socket.say(op="ping")
            reader.socket.op("pong")  # waits for a turn of the server
        grown = server.memory() - before
        print(f"# + {grown / floods.MEGABYTE:.1f} MB")
        tap.equal(grown <= floods.MOST_GROWTH, True)


def files_that_nobody_reads():
    """200 clients ask for two megabytes that are not packed yet, some of them again and again. They all wait for the same bytes."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        for name in ("long.html", "short.html"):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(random.Random(1).randbytes((1 << 20) if name == "long.html" else 100).hex().encode())
        text = many_devices_on_the_web().replace('name "web"', f'name "web" files "{folder}"')
        server = stack.enter_context(player.server(PROGRAM, text))
        front = argparse.Namespace(port=server.fronts["web"])
        silent = [stack.enter_context(web.Http(front)) for _ in range(200)]
        before = highest_memory(server, reset=True)
        for i, http in enumerate(silent):
            for _ in range(1 if i % 2 else 5):
                http.send("GET", "/long.html", headers={"Accept-Encoding": "gzip"} if i % 4 < 2 else {})
        for http in silent:
            tap.equal(http.socket.recv(1), b"H")  # each is answered, and none is closed
        grown = highest_memory(server) - before
        print(f"# + {grown / floods.MEGABYTE:.1f} MB")
        tap.equal(grown <= 16 * floods.MEGABYTE, True)
        for path in ("/long.html", "/short.html"):  # whoever reads has them in order
            silent[0].send("HEAD", path)
            silent[0].send("GET", path)
        silent[0].bytes = b"H"
        lengths = [len(silent[0].answer().body) for _ in range(5)]
        for _ in range(2):
            silent[0].answer(head_only=True)
            lengths.append(len(silent[0].answer().body))
        tap.equal((len(set(lengths[:5])), lengths[5:]), (1, [2 << 20, 200]))


def greetings_of_TLS():
    """A thousand clients greet and say no more; a client of TLS asks for new keys again and again. Neither takes much."""
    to_us, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        ssl.create_default_context().wrap_bio(to_us, to_server, server_hostname="localhost").do_handshake()
    hello = to_server.read()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        fields = " ".join(f'{name} "{value}"' for name, value in web.certificate(folder).items())
        text = many_devices_on_the_web().replace('name "web"', f'name "web" {fields}')
        server = stack.enter_context(player.server(PROGRAM, text))
        front = argparse.Namespace(port=server.fronts["web"])
        before = highest_memory(server, reset=True)
        for _ in range(1000):
            stranger = stack.enter_context(socket.create_connection(("127.0.0.1", front.port), timeout=60))
            stranger.sendall(hello)
            tap.equal(stranger.recv(1), b"\x16")
        grown = highest_memory(server) - before
        print(f"# + {grown / floods.MEGABYTE:.1f} MB")
        tap.equal(grown <= 32 * floods.MEGABYTE, True)
        guest = stack.enter_context(player.Client(server.address))
        changers = [web.KeyChanger(front) for _ in range(4)]
        guest.request(PLAYER, 0, 1)
        player.freeze(server.process.pid)
        for changer in changers:
            changer.change(2000)
        begun = nanoseconds(server)
        server.process.send_signal(signal.SIGCONT)
        guest.request(PLAYER, 0, 1)
        answered = nanoseconds(server) - begun
        for changer in changers:
            changer.socket.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while changer.socket.recv(65536):
                    pass
        whole = nanoseconds(server) - begun
        print(f"# worked {answered / 1e6:.1f} ms until the answer, {whole / 1e6:.1f} ms in all")
        tap.equal(answered < whole / 2, True)


def guests_beside_clients_that_connect_again_and_again():
    """500 clients have asked for much and are gone. A guest that has been there before waits for one of them at a time, not for all."""
    with player.server(PROGRAM, many_devices_on_the_web()) as server, player.Client(server.address) as guest:
        front = argparse.Namespace(port=server.fronts["web"])
        for _ in range(100):
            guest.request(PLAYER, 0, STATISTICS)  # it is no newcomer any more
        for _ in range(500):
            with web.Http(front) as http:
                http.send("GET", "/.well-known/wot")
        took = floods.timed(lambda: guest.request(PLAYER, 0, 1))
        print(f"# {took * 1e3:.0f} ms")
        tap.equal(took < 0.5, True)


def words_at_the_emergency_stop():
    """Pings, questions for the state and panics in a panic: a connection to stop has the budget of other guests."""
    with floods.trial(PROGRAM, 'front ( name "web" )\ndriver ( name "fake" provides [ "position2d:0" ] )\n') as trial:
        front = argparse.Namespace(port=trial.server.fronts["web"])
        with web.Socket(front, "/stop", "troupe.stop.v1") as stop:
            data = {words: floods.burst_of(stop.frame(1, words)) for words in (b'{"op":"ping"}', b'{"op":"state"}', b'{"op":"panic"}')}
        for burst in data.values():
            holds(lambda burst=burst: trial.attack(PLAYER, burst, 1.0, connect=lambda: web.Socket(front, "/stop", "troupe.stop.v1")))


def a_key_that_is_shown_during_a_flood():
    """A hundred clients have sent what takes the server seconds. Whoever comes then is a guest, too, until its key is known."""
    text = floods.KEYS + 'driver ( name "fake" provides [ "position2d:0" ] )\n'
    with player.server(PROGRAM, text) as server, contextlib.ExitStack() as stack:
        for _ in range(100):
            guest = stack.enter_context(player.Client(server.address))
            guest.socket.setblocking(False)
            guest.socket.send(floods.burst_of(floods.message(PLAYER, REQUEST, 1, b"")))
        took = []
        for _ in range(15):
            began = time.monotonic()
            with player.Client(server.address) as owner:
                tap.equal(keys.prove(owner, floods.SECRET).type, ACK)
            took.append(time.monotonic() - began)
        print("# " + " ".join(f"{seconds * 1e3:.0f}" for seconds in took) + " ms")
        tap.equal(sorted(took)[7] < 0.1, True)


def newcomers_that_ask_for_much():
    """Hundreds of new clients wait, each with a request that takes the loop milliseconds. Keys are shown, and a panic is raised, at once."""
    text = floods.KEYS + 'front ( name "web" )\ndriver ( name "fake" provides [ "position2d:0" ] )\n'
    with player.server(PROGRAM, text) as server, contextlib.ExitStack() as stack:
        front = argparse.Namespace(port=server.fronts["web"])
        for _ in range(400):
            stack.enter_context(web.Http(front)).send("GET", "/api/interfaces")

        def show_key():
            with player.Client(server.address) as owner:
                tap.equal(keys.prove(owner, floods.SECRET).type, ACK)

        def ask():
            tap.equal(web.ask(front, "GET", "/api/devices", headers={"Authorization": "Bearer " + floods.SECRET}).status, 200)

        def panic():
            with web.Socket(front, "/stop", "troupe.stop.v1") as stop:
                stop.say(op="panic")
                stop.until(lambda state: state["active"])

        took = []
        for act in (show_key, ask, panic):
            began = time.monotonic()
            act()
            took.append(time.monotonic() - began)
        print("# " + " ".join(f"{seconds * 1e3:.0f}" for seconds in took) + " ms")
        tap.equal(max(took) < 0.3, True)


def newcomers_delay_no_key_of_other_fronts():
    """The same with keys at the universal front, at the motion front and on a WebSocket."""
    text = floods.KEYS + 'front ( name "web" )\nfront ( name "universal" )\nfront ( name "motion" )\ndriver ( name "fake" provides [ "position2d:0" "mechanism:0" ] )\n'
    with player.server(PROGRAM, text) as server, contextlib.ExitStack() as stack:
        front = argparse.Namespace(port=server.fronts["web"])

        def show_universal():
            with universal.Client(argparse.Namespace(port=server.fronts["universal"])) as owner:
                nonce = owner.extended(7)[1][4:]
                tap.equal(owner.extended(8, universal.text(keys.proof(nonce, floods.SECRET)))[0], 0)

        def show_motion():
            owner = stack.enter_context(contextlib.closing(socket.create_connection(("127.0.0.1", server.fronts["motion"]), timeout=60)))
            owner.sendall(motion.package(motion.SESSION, motion.record(0x050C)))
            nonce = owner.recv(72, socket.MSG_WAITALL)[40:]
            owner.sendall(motion.package(motion.SESSION, motion.record(0x050D, keys.proof(nonce, floods.SECRET))))
            tap.equal(owner.recv(41, socket.MSG_WAITALL)[40], 2)

        def show_socket():
            heard = {}
            with web.Socket(front) as owner:
                owner.say(op="auth", key=floods.SECRET)
                while not {"auth", "serverInfo", "advertise"} <= heard.keys():  # the key may be answered first
                    said = owner.until(lambda said: isinstance(said, dict))
                    heard[said["op"]] = said
            tap.equal(heard["auth"]["right"], "move")

        show_socket()
        for _ in range(400):
            stack.enter_context(web.Http(front)).send("GET", "/api/interfaces")
        took = []
        for act in (show_universal, show_motion, show_socket):
            began = time.monotonic()
            act()
            took.append(time.monotonic() - began)
        print("# " + " ".join(f"{seconds * 1e3:.0f}" for seconds in took) + " ms")
        tap.equal(max(took) < 0.3, True)


def panics_in_a_panic():
    """A hundred clients send panics at once while there is one: a client with a key waits for none of them."""
    text = floods.KEYS + 'front ( name "universal" )\nfront ( name "motion" )\ndriver ( name "fake" provides [ "mechanism:0" ] )\n'
    text += "".join(f'driver ( name "fake" provides [ "position2d:{i}" ] alwayson 1 )\n' for i in range(40))  # a panic wakes each
    again = {"motion": motion.package(motion.SESSION, flags=motion.PANIC) * 250,
             "universal": universal.text(struct.pack(">BIH", 1, 65536, 0x5000) + universal.text(b"\x0a")) * 400}
    with player.server(PROGRAM, text) as server, player.Client(server.address) as owner:
        tap.equal(keys.prove(owner, floods.SECRET).type, ACK)
        tap.equal(owner.request(PLAYER, 0, 205, struct.pack(">II", 0, 0) + player.text("") + player.text("a fire")).type, ACK)
        for front, burst in again.items():
            worst = []
            for _ in range(4):
                with contextlib.ExitStack() as stack:
                    guests = [stack.enter_context(socket.create_connection(("127.0.0.1", server.fronts[front]))) for _ in range(100)]
                    owner.request(PLAYER, 0, 1)
                    server.process.send_signal(signal.SIGSTOP)
                    for guest in guests:
                        guest.setblocking(False)
                        guest.send(burst)
                    server.process.send_signal(signal.SIGCONT)
                    worst.append(max(floods.timed(lambda: owner.request(PLAYER, 0, 1)) for _ in range(20)))
            print(f"# {front}: " + " ".join(f"{seconds * 1e3:.0f}" for seconds in worst) + " ms")
            tap.equal(min(worst) < 0.05, True)


def read_and_flood(address, clients, lasers, pipe):
    """In a process of its own: clients that open all lasers, read what comes, and send requests without end."""
    def opening(index):
        return floods.message(PLAYER, REQUEST, 3, struct.pack(">IIIIIII", 0, 0, player.LASER, index, 1, 0, 0))

    flood = floods.burst_of(floods.message(player.LASER, REQUEST, 1, b""))
    room = bytearray(1 << 16)
    with contextlib.ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        for _ in range(clients):
            client = stack.enter_context(player.Client(address)).socket
            client.sendall(b"".join(opening(index) for index in range(lasers)))
            client.setblocking(False)
            selector.register(client, selectors.EVENT_READ)
        pipe.send("all are there")
        while not pipe.poll():
            for key, _ in selector.select(0.1):
                with contextlib.suppress(OSError):
                    key.fileobj.recv_into(room)
                    key.fileobj.send(flood)


def data_of_many_devices_to_clients_that_flood():
    """What many guests get of many devices goes out behind what others get, and is looked at once for all that waits."""
    lasers, clients = 50, 300
    text = "".join(f'driver ( name "fake" rate 50 provides [ "laser:{i}" ] )\n' for i in range(lasers))
    with floods.trial(PROGRAM, text + 'driver ( name "fake" provides [ "position2d:0" ] )\n') as trial:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        crowd = context.Process(target=read_and_flood, args=(trial.server.address, clients, lasers, theirs), daemon=True)
        crowd.start()
        tap.equal(ours.recv(), "all are there")
        holds(lambda: trial.watch(2))
        ours.send("end")
        crowd.join(30)
        crowd.kill()


def a_part_of_the_table():
    messages = floods.all_messages(PROGRAM)
    day = int(time.time() // 86400)
    chosen = random.Random(day).sample(messages, SAMPLE)
    for name, what, result in floods.table(PROGRAM, chosen):
        print(f"# {name} {what}: {result}")
        tap.equal((name, what, result.wrong()), (name, what, []))


tap.main(tiles_of_a_large_map, statistics_of_many_devices_and_clients, messages_that_are_never_finished,
         openings_of_one_device, devices_of_programs, devices_at_the_universal_front, words_at_the_emergency_stop,
         long_answers_of_the_web_cost_little, the_first_websocket_stalls_nobody, new_devices_are_told_in_pieces, a_graph_is_made_once_for_all, answers_of_the_web_that_nobody_reads, devices_that_guests_use_on_the_web, old_lists_of_devices_that_nobody_reads, files_that_nobody_reads, greetings_of_TLS,
         guests_beside_clients_that_connect_again_and_again,
         a_key_that_is_shown_during_a_flood, newcomers_that_ask_for_much,
         newcomers_delay_no_key_of_other_fronts, panics_in_a_panic, data_of_many_devices_to_clients_that_flood, a_part_of_the_table)
