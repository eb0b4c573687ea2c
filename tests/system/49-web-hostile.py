#!/usr/bin/env python3
"""The web front against browsers of strangers and clients that break rules. Every message of every interface is tried
without a key, with a wrong one, with a wrong Host, Origin and content type: nothing of it reaches a device.
argv: the troupe program."""
import concurrent.futures
import contextlib
import json
import select
import signal
import socket
import ssl
import struct
import tempfile
import threading
import time

import cli
import tap
import web

KEYS = 'keys [ "anna move drive on and on and on" ]\n'
KEY = {"Authorization": "Bearer drive on and on and on"}
DRIVE = "/api/devices/position2d:0/command/VEL"
VEL = {"vel": {"px": 0.2}, "state": 1}


class Stage:
    """Devices of all interfaces, which a puppet plays, behind a front that listens beyond loopback."""

    def __enter__(self):
        described = json.loads(tap.run([web.PROGRAM, "interfaces", "--json"]).stdout)
        self.interfaces = {name: item for name, item in described.items() if name not in ("common", "player")}
        self.common = described["common"]
        self.puppet = cli.Puppet([(item["code"], 0) for item in self.interfaces.values()])
        self.puppet.__enter__()
        provides = " ".join(f'"{name}:0"' for name in self.interfaces)
        self.server = web.Server(f'{KEYS}driver ( name "remote" url "tcp:{self.puppet.url}" alwayson 1 provides [ {provides} ] )\n',
                                 listen="0.0.0.0")
        return self

    def __exit__(self, *ignored):
        self.server.__exit__()
        self.puppet.__exit__()

    def verbs(self):
        """(path, whether it only asks) of everything that can be sent to a device"""
        for name, item in self.interfaces.items():
            for message in item["messages"] + self.common["messages"]:
                if message["kind"] in ("command", "request"):
                    yield f'/api/devices/{name}:0/{message["kind"]}/{message["name"]}', message["effect"] == "reads"

    def arrived(self):
        """What devices got that does more than ask; after everything that was sent before has passed."""
        asks = {(item["code"], message["code"]) for item in self.interfaces.values()
                for message in item["messages"] + self.common["messages"]
                if message["kind"] == "request" and message["effect"] == "reads"}
        return [(m.interf, m.type, m.subtype) for m in self.puppet.received
                if m.interf != 1 and (m.type == 2 or (m.type == 3 and (m.interf, m.subtype) not in asks))]


def nothing_of_a_stranger_reaches_a_device():
    with Stage() as stage, web.Http(stage.server) as http:
        tried = 0
        for path, asks in stage.verbs():
            for what, statuses, options in (
                    ("no key", (401,), {}),
                    ("wrong key", (401, 429), {"headers": {"Authorization": "Bearer something else"}}),
                    ("no Bearer", (401,), {"headers": {"Authorization": "Basic YTpi"}}),
                    ("wrong host", (421,), {"host": "evil.example", "headers": KEY}),
                    ("wrong origin", (403,), {"headers": {**KEY, "Origin": "http://evil.example"}}),
                    ("null origin", (403,), {"headers": {**KEY, "Origin": "null"}}),
                    ("another port", (403,), {"headers": {**KEY, "Origin": "http://127.0.0.1:1"}}),
                    ("other site", (403,), {"headers": {**KEY, "Sec-Fetch-Site": "cross-site"}}),
                    ("another port of this site", (403,), {"headers": {**KEY, "Sec-Fetch-Site": "same-site"}}),
                    ("form", (415,), {"headers": {**KEY, "Content-Type": "application/x-www-form-urlencoded"}}),
                    ("plain", (415,), {"headers": {**KEY, "Content-Type": "text/plain"}}),
                    ("no type", (415,), {"headers": {**KEY, "Content-Type": None}}),
                    ("GET", (405, 404), {"method": "GET", "headers": KEY})):
                if asks and what == "no key":
                    continue
                method = options.pop("method", "POST")
                answer = http.ask(method, path, {} if method == "POST" else None, **options)
                tap.equal((path, what, answer.status in statuses or answer.status), (path, what, True))
                tap.equal("error" in answer.json, True)
                tried += 1
        tap.equal(tried > 3000, True)
        tap.equal(stage.arrived(), [])
        answer = http.post(DRIVE, VEL, headers=KEY)  # the same with all that is needed
        tap.equal((answer.status, answer.json), (200, {}))
        stage.puppet.commands(1)
        tap.equal([item[0] for item in stage.arrived()], [stage.interfaces["position2d"]["code"]])


def a_stranger_publishes_and_calls_nothing_by_websocket():
    with Stage() as stage, web.Socket(stage.server) as client:
        client.op("serverInfo")
        client.op("advertise")
        services = {service["name"]: service["id"] for service in client.op("advertiseServices")["services"]}
        tried, number = 0, 0
        for name, item in stage.interfaces.items():
            for message in item["messages"] + stage.common["messages"]:
                if message["kind"] == "command":
                    number += 1
                    topic = f'/6665/{name}/0/cmd/{message["name"]}'
                    client.say(op="advertise", channels=[{"id": number, "topic": topic, "encoding": "json"}])
                    tap.equal((topic, "needs the right" in client.op("status")["message"]), (topic, True))
                    client.binary(struct.pack("<BI", 1, number) + b"{}")
                    client.say(op="unadvertise", channelIds=[number])
                elif message["kind"] == "request" and message["effect"] != "reads":
                    service = services[f'/6665/{name}/0/req/{message["name"]}']
                    number += 1
                    client.call(service, number, {})
                    tap.equal((name, message["name"], "needs the right" in client.answered(service, number)),
                              (name, message["name"], True))
                else:
                    continue
                tried += 1
        tap.equal(tried > 150, True)
        client.say(op="ping")
        client.op("pong")
        tap.equal(stage.arrived(), [])
        client.say(op="auth", key="something else")
        tap.equal("error" in client.op("auth"), True)
    with Stage() as stage, web.Socket(stage.server) as client:
        client.say(op="auth", key="drive on and on and on")
        tap.equal(client.op("auth")["right"], "move")
        client.say(op="advertise", channels=[{"id": 1, "topic": "/6665/position2d/0/cmd/VEL", "encoding": "json"}])
        client.binary(struct.pack("<BI", 1, 1) + json.dumps(VEL).encode())
        stage.puppet.commands(1)


def a_websocket_of_another_page_is_refused():
    with web.Server(KEYS + web.FAKE, listen="0.0.0.0", front='origins [ "https://good.example" ] hosts [ "robot.example" ]') as server:
        for path, protocol in (("/ws", "foxglove.websocket.v1"), ("/stop", "troupe.stop.v1")):
            for status, options in ((421, {"host": "evil.example"}), (403, {"headers": {"Origin": "http://evil.example"}}),
                                    (403, {"headers": {"Origin": "https://127.0.0.1"}}),
                                    (403, {"headers": {"Origin": "null"}}),
                                    (101, {"headers": {"Origin": f"http://127.0.0.1:{server.port}"}}),
                                    (101, {"headers": {"Origin": "https://good.example"}}),
                                    (101, {"host": "robot.example"}), (101, {})):
                with web.Socket(server, path, protocol, **options) as client:
                    tap.equal((path, options, client.greeting.status), (path, options, status))
        for status, options in ((401, {"headers": {"Authorization": "Bearer wrong"}}), (101, {"headers": KEY}),
                                (101, {"path": "/ws?key=drive+on%20and+on+and+on"})):
            time.sleep(0)
            with web.Socket(server, **{"path": "/ws", **options}) as client:
                tap.equal((options, client.greeting.status in (status, 429)), (options, True))


def everybody_stops_and_not_everybody_resets():
    with web.Server(KEYS + web.FAKE, listen="0.0.0.0") as server:
        tap.equal(web.ask(server, "POST", "/api/panic", headers={"Origin": "http://evil.example"}).status, 403)
        tap.equal(web.ask(server, "POST", "/api/panic", host="evil.example").status, 421)
        tap.equal(web.ask(server, "GET", "/api/panic").json["active"], False)
        with web.Socket(server, "/stop", "troupe.stop.v1") as stop:
            stop.socket.sendall(stop.frame(1, b"anything at all"))
            state = stop.until(lambda message: message.get("stopped"))
        tap.equal(state["active"], True)
        epoch = {"epoch": state["epoch"]}
        tap.equal(web.ask(server, "POST", "/api/reset", epoch).status in (401, 403), True)
        tap.equal(web.ask(server, "GET", "/api/panic").json["active"], True)
        tap.equal(web.ask(server, "POST", "/api/panic", b"not JSON", headers={"Content-Type": "text/plain"}).status, 200)
        tap.equal(web.ask(server, "POST", "/api/panic", headers={"Connection": "Upgrade", "Upgrade": "websocket"}).status, 200)


def no_path_leads_out_of_the_dashboard():
    with web.Server() as server, web.Http(server) as http:
        for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/./index.html/..",
                     "/etc/passwd%00.js", "/%", "/%zz", "/" + "a" * 3000, "/\\..\\x", "/assets/../../meson.build"):
            answer = http.get(path)
            tap.equal((path, answer.status), (path, 404))
        for path in ("/api/devices/..%2f..", "/api/../api/devices", "/api/devices/%00", "/api//devices", "/apix"):
            tap.equal((path, http.get(path).status), (path, 404))


def requests_that_are_none_are_refused_and_end_the_connection():
    bad = [b"GET / HTTP/2.0\r\n\r\n", b"GET /\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n", b"GE T / HTTP/1.1\r\n\r\n", b"GET x HTTP/1.1\r\n\r\n",
           b"GET / HTTP/1.1\nHost: a\n\n\r\n\r\n", b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
           b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
           b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
           b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
           b"POST /api/reset HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n",
           b"POST /api/reset HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", b"GET / HTTP/1.1\r\nX: \x00\r\n\r\n", b"\x16\x03\x01\x02\x00" * 4 + b"\r\n\r\n",
           b"GET / HTTP/1.1\r\nX: " + b"a" * 9000, b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 70 + b"\r\n",
           b"POST /api/reset HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999\r\n\r\n",
           b"GET / HTTP/1.1\r\nExpect: something\r\n\r\n"]
    with web.Server() as server:
        for request in bad:
            with web.Http(server) as http:
                http.socket.sendall(request)
                answer = http.answer()
                tap.equal((request[:60], answer.status in (400, 411, 413, 417, 431, 501, 505) or answer.status), (request[:60], True))
                tap.equal((request[:60], http.socket.recv(1)), (request[:60], b""))
        tap.equal(web.ask(server, "GET", "/api/panic").json["active"], False)
        with web.Http(server) as http:
            tap.equal(http.get("/control?cmd=start").json["result"], False)
            http.socket.sendall(b"GET x HTTP/1.1\r\n\r\n")
            tap.equal(http.answer().status, 400)


def frames_that_are_none_end_the_connection():
    with web.Server() as server:
        for name, frame in (("unmasked", lambda s: s.frame(1, b"{}", masked=False)),
                            ("reserved bits", lambda s: s.frame(1, b"{}", rsv=4)),
                            ("reserved opcode", lambda s: s.frame(3, b"{}")),
                            ("long ping", lambda s: s.frame(9, b"x" * 200)),
                            ("no UTF-8", lambda s: s.frame(1, b"\xff\xfe")),
                            ("continuation of nothing", lambda s: s.frame(0, b"x")),
                            ("fragments of two", lambda s: s.frame(1, b"{", fin=False) + s.frame(1, b"}")),
                            ("huge", lambda s: b"\x82\xff" + struct.pack(">Q", 1 << 62) + b"aaaa"),
                            ("negative", lambda s: b"\x82\xff" + struct.pack(">Q", (1 << 64) - 1) + b"aaaa"),
                            ("too long", lambda s: s.frame(2, bytes(2 << 20)))):
            with web.Socket(server) as client:
                try:
                    client.socket.sendall(frame(client))
                    while True:
                        client.more()
                except (EOFError, ConnectionError):
                    pass
                del name
        with web.Socket(server) as client:
            client.socket.sendall(client.frame(1, b'{"op":', fin=False) + client.frame(9, b"?") + client.frame(0, b'"ping"}'))
            client.op("pong")


def trickle():
    """A message in fragments that never ends, and pings between them, until the server ends the connection."""
    with web.Server() as server, web.Socket(server) as client, contextlib.suppress(ConnectionError):
        client.socket.sendall(client.frame(1, b"{", fin=False))
        while not select.select([client.socket], [], [], 0.3)[0] or client.socket.recv(65536) != b"":
            client.socket.sendall(client.frame(0, b" ", fin=False) + client.frame(9, b"?"))


TRICKLE = concurrent.futures.ThreadPoolExecutor(1).submit(trickle)  # beside the other tests


def a_message_in_fragments_has_to_end():
    TRICKLE.result()


def fragments_count_as_what_they_take():
    """A byte in a fragment of its own takes more than a byte, so very many of them are too long a message."""
    with web.Server() as server:
        for count in (100, 9000):
            with web.Socket(server) as client:
                client.op("advertiseServices")
                ends = client.frame(0, b'"op":"ping"}')
                client.socket.sendall(client.frame(1, b"{", fin=False) + client.frame(0, b" ", fin=False) * count + ends)
                said = client.until(lambda message: isinstance(message, dict) and message["op"] in ("pong", "close"))
                tap.equal(said, {"op": "close", "code": struct.pack(">H", 1009)} if count == 9000 else {"op": "pong"})


def a_file_goes_out_whole_though_its_client_is_disconnected():
    """The client of HTTP, that is: the connection stays, and nothing is written into the file."""
    def clients(http):
        return {client["software"]: client["number"] for client in http.get("/api/server", headers={"X-Troupe-Client": "desk"}).json["statistics"]["clients"]}

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/long.html", "wb") as file:
            file.write(bytes(8 << 20))
        with web.Server(front=f'files "{folder}"') as server, web.Http(server) as http, web.Http(server) as desk:
            http.get("/api/server", headers={"X-Troupe-Client": "reader"})
            http.send("GET", "/long.html")
            http.more()  # it is under way
            tap.equal(desk.post("/api/server/request/KICK", {"number": clients(desk)["reader"]}, headers={"X-Troupe-Client": "desk"}).status, 200)
            while "reader" in clients(desk):
                pass
            answer = http.answer()
            tap.equal((answer.status, len(answer.body), answer.body.count(b"\0"), len(http.bytes)), (200, 8 << 20, 8 << 20, 0))
            tap.equal(http.get("/api/devices").status, 200)


def a_hundred_clients_that_do_not_read_slow_nobody():
    with web.Server('driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 100 )\n') as server:
        idle = []
        for _ in range(100):
            client = web.Socket(server)
            client.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 2 * 1024 + 1}])
            idle.append(client)
        with web.Socket(server) as witness:
            witness.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 2 * 1024 + 1}])
            for _ in range(100):
                witness.data(1)
        tap.equal(web.ask(server, "POST", "/api/panic").json["stopped"], True)
        for client in idle:
            client.socket.close()


def hello():
    """The first bytes of a client of TLS."""
    to_us, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        ssl.create_default_context().wrap_bio(to_us, to_server, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return to_server.read()


def many_greetings_of_TLS_delay_nobody():
    """A hundred clients greet while the server is frozen, then one that is there already asks: its answer does not wait for them."""
    with tempfile.TemporaryDirectory() as folder:
        path = web.certificate(folder)
        context = ssl.create_default_context(cafile=path["certificate"])
        context.check_hostname = False
        with web.Server(front=" ".join(f'{name} "{value}"' for name, value in path.items())) as server:
            with web.Http(server) as http:
                http.socket = context.wrap_socket(http.socket)
                most = 100
                for _ in range(20):  # this program may be late itself
                    strangers = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(100)]
                    tap.equal(http.get("/api/panic").status, 200)
                    server.process.send_signal(signal.SIGSTOP)
                    for stranger in strangers:
                        stranger.sendall(hello())
                    http.socket.sendall(b"GET /api/panic HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    server.process.send_signal(signal.SIGCONT)
                    http.socket.recv(1)
                    most = min(most, len(select.select(strangers, [], [], 0)[0]))
                    for stranger in strangers:  # all are greeted in the end
                        tap.equal(stranger.recv(1), b"\x16")
                        stranger.close()
                    http.socket.recv(65536)
                    if most < 50:
                        break
                tap.equal((most, most < 50), (most, True))


def what_follows_a_close_frame_is_ignored():
    with web.Server() as server, web.Socket(server) as client:
        client.say(op="advertise", channels=[{"id": 3, "topic": "/6665/position2d/0/cmd/VEL", "encoding": "json"}])
        drive = client.frame(2, struct.pack("<BI", 1, 3) + b'{"vel":{"px":0.3},"state":1}')
        client.socket.sendall(client.frame(8, struct.pack(">H", 1000)) + drive)
        tap.equal(client.op("close")["code"][:2], struct.pack(">H", 1000))
        tap.equal(client.socket.recv(10), b"")
        for _ in range(5):
            tap.equal(web.ask(server, "GET", "/api/devices/position2d:0/STATE").json["value"]["vel"]["px"], 0)
        with web.Http(server) as http:  # a client that only closes its side gets its answer
            http.socket.sendall(b"GET /api/panic HTTP/1.1\r\nHost: localhost\r\n\r\n")
            http.socket.shutdown(socket.SHUT_WR)
            tap.equal(http.socket.recv(12), b"HTTP/1.1 200")


def greetings_that_never_end_make_room():
    """A few may have begun at a time. Then the oldest one of the host with most of them is closed; one of another host stays."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        path = web.certificate(folder)
        context = ssl.create_default_context(cafile=path["certificate"])
        context.check_hostname = False
        server = stack.enter_context(web.Server(front=" ".join(f'{name} "{value}"' for name, value in path.items())))

        def stranger(host):
            peer = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60, source_address=(host, 0)))
            peer.sendall(hello())
            tap.equal(peer.recv(1), b"\x16")
            return peer

        def is_open(peer):
            peer.setblocking(False)
            try:
                while peer.recv(65536):
                    pass
            except BlockingIOError:
                return True
            return False

        strangers = [stranger("127.0.0.2")] + [stranger("127.0.0.1") for _ in range(100)]
        with web.Http(server) as http:
            http.socket = context.wrap_socket(http.socket)
            tap.equal(http.get("/api/panic").status, 200)
        tap.equal([is_open(peer) for peer in strangers], [True] + [False] * 38 + [True] * 62)


def a_wrong_key_is_tried_slowly():
    with web.Server(KEYS + web.FAKE, listen="0.0.0.0") as server:
        statuses = [web.ask(server, "POST", DRIVE, VEL, headers={"Authorization": f"Bearer wrong {i}"}).status for i in range(12)]
        tap.equal(set(statuses) <= {401, 429}, True)


def a_wrong_key_is_refused_whatever_is_asked_for():
    with web.Server(KEYS + web.FAKE) as server:
        for path in ("/api/devices", "/api/interfaces", "/api/frames", "/api/server", "/api/devices/laser:0"):
            tap.equal((path, web.ask(server, "GET", path, headers={"Authorization": "Bearer wrong"}).status), (path, 401))
            tap.equal((path, web.ask(server, "GET", path, headers=KEY).status), (path, 200))
        tap.equal(web.ask(server, "POST", "/api/panic", headers={"Authorization": "Bearer wrong"}).json["active"], True)


def many_names_of_strangers_keep_no_key_out():
    with web.Server(KEYS + web.FAKE) as server, contextlib.ExitStack() as stack:
        statuses = [stack.enter_context(web.Http(server)).get("/api/devices/laser:0", headers={"X-Troupe-Client": f"stranger {i}"}).status
                    for i in range(20)]
        tap.equal(statuses, [200] * 16 + [429] * 4)
        for i in range(16):
            tap.equal(web.ask(server, "POST", DRIVE, VEL, headers={**KEY, "X-Troupe-Client": f"owner {i}"}).status, 200)
        tap.equal(web.ask(server, "POST", DRIVE, VEL, headers={**KEY, "X-Troupe-Client": "one more"}).status, 429)


def a_panic_behind_many_questions_is_raised():
    with web.Server(KEYS + web.FAKE) as server, web.Socket(server, "/stop", "troupe.stop.v1") as stop:
        tap.equal(stop.op("panic")["active"], False)
        stop.socket.sendall(stop.frame(1, b'{"op":"ping"}') * 5000 + stop.frame(1, b'{"op":"panic","why":"a fire"}'))
        state = stop.op("panic")
        tap.equal((state["active"], state["why"]), (True, "a fire"))


def silent(puppet, lease):
    """A base and a laser that never sends anything, elsewhere."""
    return web.Server(f'driver ( name "remote" url "tcp:{puppet.url}" provides [ "position2d:0" "laser:0" ] lease {lease} )\n')


def velocities(puppet):
    return [struct.unpack(">d", message.body[:8])[0] for message in puppet.received if message.type == 2]


def wait_for_nothing(http, seconds):
    http.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what is sent behind it arrives at once
    http.send("GET", f"/api/devices/laser:0/SCAN?wait={seconds}")


def drive_again(http, puppet):
    """What comes later moves. The first bytes after a pause of the connection still count as old."""
    while 0.4 not in velocities(puppet):
        http.post(DRIVE, {"vel": {"px": 0.4}, "state": 1})


def a_command_behind_a_slow_request_gets_old():
    with cli.Puppet([(4, 0), (6, 0)]) as puppet, silent(puppet, 0.3) as server, web.Http(server) as http:
        tap.equal(http.post(DRIVE, VEL).status, 200)
        wait_for_nothing(http, 1)
        http.send("POST", DRIVE, json.dumps({"vel": {"px": 0.3}, "state": 1}).encode())
        tap.equal(http.answer().status, 504)
        answer = http.answer()
        tap.equal((answer.status, "more than its lease of 0.3 s" in answer.json["error"]), (504, True))
        drive_again(http, puppet)
        tap.equal(0.3 in velocities(puppet), False)


def a_command_from_before_the_end_of_a_panic_moves_nothing():
    with cli.Puppet([(4, 0), (6, 0)]) as puppet, silent(puppet, 0) as server, web.Http(server) as http:
        tap.equal(http.post(DRIVE, VEL).status, 200)
        wait_for_nothing(http, 2)
        http.send("POST", DRIVE, json.dumps({"vel": {"px": 0.3}, "state": 1}).encode())
        other = {"headers": {"X-Troupe-Client": "other"}}
        tap.equal(web.ask(server, "POST", "/api/panic", **other).status, 200)
        epoch = web.ask(server, "GET", "/api/panic", **other).json["epoch"]
        tap.equal(web.ask(server, "POST", "/api/reset", {"epoch": epoch}, **other).status, 200)
        tap.equal(http.answer().status, 504)
        answer = http.answer()
        tap.equal((answer.status, "before the panic was over" in answer.json["error"]), (403, True))
        tap.equal(0.3 in velocities(puppet), False)


class SlowPuppet(cli.Puppet):
    """Its base is opened when a test says so."""

    def __init__(self, devices):
        super().__init__(devices)
        self.opens = threading.Event()

    def answer(self, connection, message):
        if message.interf == 1 and message.subtype == 3 and message.body[8:12] == struct.pack(">I", 4):
            assert self.opens.wait(60)
        super().answer(connection, message)


def a_wrong_panic_that_has_waited_raises_no_other_one():
    with cli.Puppet([(4, 0), (6, 0)]) as puppet, silent(puppet, 0.3) as server, web.Http(server) as http, web.Http(server) as desk:
        wait_for_nothing(http, 3)
        http.socket.sendall(b"POST /api/panic HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n")
        while not desk.get("/api/panic").json["active"]:
            pass
        tap.equal(desk.post("/api/reset", {"epoch": desk.get("/api/panic").json["epoch"]}).status, 200)
        tap.equal([http.answer().status, http.answer().status], [504, 400])
        tap.equal(desk.get("/api/panic").json["active"], False)


def a_command_that_waits_for_its_device_gets_old():
    with SlowPuppet([(4, 0)]) as puppet, cli.Puppet([(6, 0)]) as other:
        text = (f'driver ( name "remote" url "tcp:{puppet.url}" provides [ "position2d:0" ] lease 0.3 )\n'
                f'driver ( name "remote" url "tcp:{other.url}" provides [ "laser:0" ] )\n')
        with web.Server(text) as server, web.Http(server) as http, web.Http(server) as clock:
            http.send("POST", DRIVE, json.dumps(VEL).encode())
            wait_for_nothing(clock, 1)
            tap.equal(clock.answer().status, 504)
            puppet.opens.set()
            answer = http.answer()
            tap.equal((answer.status, "more than its lease of 0.3 s" in answer.json["error"]), (504, True))
            drive_again(http, puppet)
            tap.equal(0.2 in velocities(puppet), False)


tap.main(nothing_of_a_stranger_reaches_a_device, a_stranger_publishes_and_calls_nothing_by_websocket,
         a_websocket_of_another_page_is_refused, everybody_stops_and_not_everybody_resets, no_path_leads_out_of_the_dashboard,
         requests_that_are_none_are_refused_and_end_the_connection, frames_that_are_none_end_the_connection,
         a_hundred_clients_that_do_not_read_slow_nobody, a_wrong_key_is_tried_slowly, a_wrong_key_is_refused_whatever_is_asked_for, many_names_of_strangers_keep_no_key_out,
         a_panic_behind_many_questions_is_raised,
         many_greetings_of_TLS_delay_nobody, greetings_that_never_end_make_room, a_message_in_fragments_has_to_end, fragments_count_as_what_they_take, a_file_goes_out_whole_though_its_client_is_disconnected, what_follows_a_close_frame_is_ignored, a_command_behind_a_slow_request_gets_old,
         a_command_from_before_the_end_of_a_panic_moves_nothing, a_wrong_panic_that_has_waited_raises_no_other_one, a_command_that_waits_for_its_device_gets_old)
