#!/usr/bin/env python3
"""The web front as docs/reference/web.md describes it: HTTP and WebSocket.  argv: the troupe program, source root."""
import json
import re
import ssl
import struct
import subprocess
import sys
import tempfile

import tap
import web

VEL = {"vel": {"px": 0.2}, "state": 1}
DRIVE = "/api/devices/position2d:0/command/VEL"
GEOMETRY = "/api/devices/position2d:0/request/GET_GEOM"
STATE = "/api/devices/6665:position2d:0/STATE"


def the_devices_are_listed_and_described():
    with web.Server() as server:
        devices = web.devices(server)
        tap.equal(sorted(devices), ["6665:laser:0", "6665:position2d:0"])
        base = devices["6665:position2d:0"]
        tap.equal((base["number"], base["robot"], base["interface"], base["index"], base["driver"]),
                  (1, 6665, "position2d", 0, "fake"))
        interfaces = web.ask(server, "GET", "/api/interfaces").json
        for device in devices.values():
            names = {message["name"] for kind in (device["interface"], "common") for message in interfaces[kind]["messages"]}
            tap.equal(set(device["data"] + device["commands"] + device["requests"]) - names, set())
        tap.equal(web.ask(server, "GET", "/api/interfaces/laser").json, interfaces["laser"])
        tap.equal("data.SCAN" in web.ask(server, "GET", "/api/interfaces/laser/schema").json["properties"], True)


def a_device_is_read_commanded_and_asked():
    with web.Server() as server:
        tap.equal(web.ask(server, "GET", STATE).json["value"]["vel"]["px"], 0)
        tap.equal(web.ask(server, "POST", DRIVE, VEL).json, {})
        while web.ask(server, "GET", STATE).json["value"]["pos"]["px"] < 0.02:
            pass
        whole = web.ask(server, "GET", "/api/devices/laser:0").json
        tap.equal((whole["device"], len(whole["data"]["SCAN"]["value"]["ranges"])), ("6665:laser:0", 361))
        size = web.ask(server, "POST", "/api/devices/position2d:0/request/GET_GEOM").json["size"]
        tap.equal(set(size), {"sw", "sl", "sh"})


def what_a_visitor_moves_stops_when_it_is_silent():
    with web.Server() as server:
        web.ask(server, "POST", DRIVE, VEL)
        with web.Socket(server) as other:
            other.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 1025}])
            moved = False
            while True:
                speed = json.loads(other.data(1)[1])["vel"]["px"]
                if moved and speed == 0:
                    break
                moved = moved or speed > 0


def properties_are_read_and_set():
    with web.Server() as server:
        path = "/api/devices/position2d:0/properties"
        properties = {item["name"]: item for item in web.ask(server, "GET", path).json["properties"]}
        tap.equal((properties["rate"]["value"], properties["rate"]["type"], properties["rate"]["unit"]), (10, "double", "Hz"))
        tap.equal(web.ask(server, "POST", path + "/rate", {"value": 20}).json, {})
        properties = {item["name"]: item for item in web.ask(server, "GET", path).json["properties"]}
        tap.equal(properties["rate"]["value"], 20)
        wrong = web.ask(server, "POST", path + "/nothing", {"value": 20})
        tap.equal((wrong.status, wrong.json["error"]), (404, "the device has no such property"))
        for value in ("fast", None, [1], {"x": 1}):
            wrong = web.ask(server, "POST", path + "/rate", {"value": value})
            tap.equal((wrong.status, wrong.json["error"]), (400, 'the value of "rate" is a number'))


def errors_have_a_status_and_a_sentence():
    with web.Server() as server, web.Http(server) as http:
        for method, path, body, status, word in (
                ("GET", "/api/devices/position2d:9", None, 404, "ROBOT:INTERFACE:INDEX"),
                ("GET", "/api/devices/position2d:0/NOTHING", None, 404, "no data"),
                ("POST", "/api/devices/position2d:0/command/FLY", {}, 404, "no command"),
                ("POST", "/api/devices/position2d:0/request/FLY", {}, 404, "no request"),
                ("POST", DRIVE, {"vel": {"pq": 1}}, 400, "pq"),
                ("POST", DRIVE, b"{", 400, "line 1"),
                ("POST", GEOMETRY, b"{", 400, "line 1"),
                ("POST", GEOMETRY, b"\"x\"", 400, "an object was expected"),
                ("POST", GEOMETRY, {"why": 1}, 400, 'this message has no field "why": it has none'),
                ("GET", "/api/nothing", None, 404, "no such path"),
                ("GET", "/nothing.js", None, 404, "no such path"),
                ("GET", DRIVE, None, 405, "method"),
                ("DELETE", "/api/devices", None, 405, "GET"),
                ("OPTIONS", "/api/devices", None, 405, "GET"),
                ("GET", "/api/interfaces/nothing", None, 404, "interface"),
                ("POST", "/api/reset", {}, 400, "epoch"),
                ("POST", "/api/server/request/DEV", {}, 404, "no such request")):
            answer = http.ask(method, path, body)
            tap.equal((method, path, answer.status, word in answer.json["error"] or answer.json), (method, path, status, True))
        for body in (None, {}, b" ", b"null"):
            tap.equal("size" in http.ask("POST", GEOMETRY, body).json, True)
        tap.equal(http.get("/api/server").json["right"], "move")


def a_panic_is_confirmed_and_reset():
    with web.Server() as server:
        web.ask(server, "POST", DRIVE, VEL)
        stopped = web.ask(server, "POST", "/api/panic", {"why": "a test"}).json
        tap.equal((stopped["active"], stopped["stopped"], stopped["why"], stopped["owing"]), (True, True, "a test", []))
        refused = web.ask(server, "POST", DRIVE, VEL)
        tap.equal((refused.status, refused.json["code"]), (409, "panic"))
        tap.equal(web.ask(server, "POST", "/api/reset", {"epoch": stopped["epoch"] + 1}).status >= 400, True)
        tap.equal(web.ask(server, "POST", "/api/reset", {"epoch": stopped["epoch"]}).json, {})
        tap.equal(web.ask(server, "POST", DRIVE, VEL).json, {})


def a_client_of_websocket_reads_drives_and_asks():
    with web.Server() as server, web.Socket(server, "/ws?brief=1&client=tester") as client:
        info = client.op("serverInfo")
        tap.equal("clientPublish" in info["capabilities"] and "json" in info["supportedEncodings"], True)
        channels = {channel["topic"]: channel for channel in client.op("advertise")["channels"]}
        services = {service["name"]: service["id"] for service in client.op("advertiseServices")["services"]}
        state = channels["/6665/position2d/0/STATE"]
        tap.equal((state["id"], state["encoding"], state["schemaName"]), (1025, "json", "troupe.position2d_data"))
        client.say(op="subscribe", subscriptions=[{"id": 7, "channelId": state["id"]}])
        client.say(op="advertise", channels=[{"id": 3, "topic": "/6665/position2d/0/cmd/VEL", "encoding": "json"}])
        client.binary(struct.pack("<BI", 1, 3) + json.dumps(VEL).encode())
        while json.loads(client.data(7)[1])["pos"]["px"] < 0.02:
            pass
        geom = services["/6665/position2d/0/req/GET_GEOM"]
        client.call(geom, 99)
        tap.equal("size" in client.answered(geom, 99), True)
        statistics = services["/server/req/STATISTICS"]
        client.call(statistics, 100)
        tap.equal("tester" in [item["software"] for item in client.answered(statistics, 100)["clients"]], True)
        client.call(geom, 101, {"nothing": 1})
        client.answered(geom, 101)
        client.call(77777, 102)
        tap.equal(client.answered(77777, 102), "there is no such service")


def the_sdk_name_of_the_protocol_works_and_others_do_not():
    with web.Server() as server:
        with web.Socket(server, protocol="something, foxglove.sdk.v1") as client:
            tap.equal(client.greeting.headers["sec-websocket-protocol"], "foxglove.sdk.v1")
            client.op("serverInfo")
        with web.Socket(server, protocol="something") as client:
            tap.equal(client.greeting.status, 400)
        with web.Socket(server, path="/other") as client:
            tap.equal(client.greeting.status, 404)


def a_device_is_open_only_while_somebody_uses_it():
    def readers():
        statistics = web.ask(server, "GET", "/api/server").json["statistics"]["devices"]
        return [device["readers"] for device in statistics]

    with web.Server() as server, web.Socket(server) as client:
        tap.equal(readers(), [0, 0])
        client.say(op="subscribe", subscriptions=[{"id": 7, "channelId": 2 * 1024 + 1}])
        client.data(7)
        tap.equal(readers(), [0, 1])
        client.say(op="unsubscribe", subscriptionIds=[7])
        client.say(op="ping")
        client.op("pong")
        tap.equal(readers(), [0, 0])


def parameters_graph_and_the_panic_are_told():
    with web.Server() as server, web.Socket(server) as client:
        client.say(op="getParameters", parameterNames=["/6665/position2d/0/rate", "/6665/position2d/0/name"], id="a")
        values = client.op("parameterValues")
        tap.equal((values["id"], {item["name"]: item["value"] for item in values["parameters"]}["/6665/position2d/0/rate"]), ("a", 10))
        client.say(op="subscribeParameterUpdates", parameterNames=["/6665/position2d/0/rate"])
        client.say(op="setParameters", parameters=[{"name": "/6665/position2d/0/rate", "value": 25.5}], id="b")
        values = client.until(lambda message: isinstance(message, dict) and message.get("id") == "b")
        tap.equal(values["parameters"][0]["value"], 25.5)
        client.say(op="subscribeConnectionGraph")
        graph = client.op("connectionGraphUpdate")
        tap.equal("/6665/laser/0/SCAN" in [topic["name"] for topic in graph["publishedTopics"]], True)
        client.say(op="subscribe", subscriptions=[{"id": 9, "channelId": 205}])
        tap.equal(json.loads(client.data(9)[1])["active"], 0)
        with web.Socket(server, "/stop", "troupe.stop.v1") as stop:
            stop.op("panic")
            stop.say(op="ping")
            stop.op("pong")
            stop.say(op="panic", why="a test")
            tap.equal(stop.until(lambda message: message.get("stopped"))["why"], "a test")
        tap.equal(json.loads(client.data(9)[1])["active"], 1)


def mistakes_of_a_websocket_client_are_told():
    with web.Server() as server, web.Socket(server) as client:
        for message, word in (({"op": "subscribe"}, "subscriptions"),
                              ({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99999}]}, "no channel"),
                              ({"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 1}]}, "id"),
                              ({"op": "unsubscribe", "subscriptionIds": [4]}, "not there"),
                              ({"op": "advertise", "channels": [{"id": 1, "topic": "/6665/position2d/0/cmd/VEL",
                                                                 "encoding": "cdr"}]}, "encoding"),
                              ({"op": "unadvertise", "channelIds": [4]}, "not advertised"),
                              ({"op": "fetchAsset", "uri": "x", "requestId": 1}, "not supported"),
                              ({"what": 1}, "op")):
            client.say(**message)
            tap.equal((message, word in client.op("status")["message"]), (message, True))
        client.say(op="advertise", channels=[{"id": 7, "topic": "/x", "encoding": "json"}])
        client.binary(b"\x01\x07\x00\x00\x00{}")
        tap.equal("no device takes commands on this topic" in client.op("status")["message"], True)
        client.binary(b"\x01\x00\x00\x00\x00{}")
        tap.equal("not advertised" in client.op("status")["message"], True)
        client.binary(b"")
        tap.equal("binary" in client.op("status")["message"], True)


def a_world_tells_its_time():
    with web.Server('driver ( name "sim" worldfile "%s/worlds/office.world" )\n' % sys.argv[2]) as server, web.Socket(server) as client:
        tap.equal("time" in client.op("serverInfo")["capabilities"], True)
        times = []
        while len(times) < 3:
            message = client.until(lambda message: isinstance(message, bytes) and message[0] == 2)
            times.append(struct.unpack("<Q", message[1:9])[0])
        tap.equal(times == sorted(set(times)), True)


def with_a_certificate_the_front_speaks_TLS():
    with tempfile.TemporaryDirectory() as folder:
        path = web.certificate(folder)
        fields = " ".join(f'{name} "{value}"' for name, value in path.items())
        context = ssl.create_default_context(cafile=path["certificate"])
        context.check_hostname = False
        with web.Server(front=fields) as server:
            with web.Http(server) as http:  # what is not TLS is closed
                http.socket.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while (got := http.socket.recv(100)) != b"":
                    tap.equal(b"HTTP" in got, False)
            with web.Http(server) as http:
                http.socket = context.wrap_socket(http.socket)
                tap.equal(http.socket.version() in ("TLSv1.2", "TLSv1.3"), True)
                tap.equal(http.post(DRIVE, VEL).json, {})
                tap.equal(len(http.get("/api/interfaces").body) > 100000, True)
                tap.equal(http.get("/api/panic", headers={"Origin": f"http://127.0.0.1:{server.port}"}).status, 403)
                tap.equal(http.get("/api/panic", headers={"Origin": f"https://127.0.0.1:{server.port}"}).status, 200)
            with web.Socket(server, wrap=context.wrap_socket) as client:
                client.say(op="subscribe", subscriptions=[{"id": 7, "channelId": 2 * 1024 + 1}])
                for _ in range(5):
                    tap.equal(len(json.loads(client.data(7)[1])["ranges"]), 361)
        for name in path:
            result = tap.run([web.PROGRAM, "run", write(folder, f'front ( name "web" {name} "{path[name]}" )\n' + web.FAKE), "--any-port"])
            tap.equal((result.returncode, "TLS needs both" in result.stderr), (1, True))


class Sealed:
    """A socket with TLS that knows the lengths of the records that came."""

    def __init__(self, raw, context):
        self.raw, self.bytes, self.lengths = raw, b"", []
        self.inside, self.outside = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.inside, self.outside)
        self.do(self.tls.do_handshake)

    def do(self, call, *arguments):
        while True:
            try:
                result, waits = call(*arguments), False
            except ssl.SSLWantReadError:
                result, waits = None, True
            self.raw.sendall(self.outside.read())
            if not waits:
                return result
            got = self.raw.recv(65536)
            self.bytes += got
            while len(self.bytes) >= 5 and len(self.bytes) >= 5 + (length := struct.unpack(">H", self.bytes[3:5])[0]):
                self.lengths.append(length)
                self.bytes = self.bytes[5 + length:]
            self.inside.write(got) if got else self.inside.write_eof()

    def sendall(self, data):
        self.do(self.tls.write, data)

    def recv(self, most):
        return self.do(self.tls.read, most)

    def close(self):
        self.raw.close()


def a_frame_and_its_head_are_one_record_of_TLS():
    with tempfile.TemporaryDirectory() as folder:
        path = web.certificate(folder)
        fields = " ".join(f'{name} "{value}"' for name, value in path.items())
        context = ssl.create_default_context(cafile=path["certificate"])
        context.check_hostname = False
        with web.Server(front=fields) as server, web.Socket(server, wrap=lambda raw: Sealed(raw, context)) as client:
            client.say(op="subscribe", subscriptions=[{"id": 7, "channelId": 2 * 1024 + 1}])
            client.data(7)
            client.socket.lengths.clear()
            for _ in range(10):
                client.data(7)
            assert client.socket.lengths and min(client.socket.lengths) > 1000, client.socket.lengths


def a_server_has_a_page_without_a_section():
    def lines(*arguments):
        with subprocess.Popen([web.PROGRAM, *arguments, "--any-port"], stdout=subprocess.PIPE, text=True) as server:
            seen = []
            while not seen or not seen[-1].startswith("      "):
                seen.append(server.stdout.readline())
                assert seen[-1], seen
                page = re.fullmatch(r"front web: .*: http://localhost:([0-9]+)/\n", seen[-1])
                if page:
                    server.port = int(page.group(1))
                    for path in ("/", "/index.js"):
                        tap.equal((path, web.ask(server, "GET", path).status), (path, 200))
            server.terminate()
        return {line.split(":")[0] for line in seen if line.startswith("front ")}

    with tempfile.TemporaryDirectory() as folder:
        nxt = 'driver ( name "robotfile" robot "nxt" port "emulate:nxt" provides [ "universal:0" ] )\n'
        path = write(folder, web.FAKE)
        tap.equal(lines("run", path), {"front web"})
        tap.equal(lines("run", path, "--no-web"), set())
        tap.equal(lines("sim", "office", "--no-web"), set())
        tap.equal(lines("sim", "office"), {"front web"})
        tap.equal(lines("run", write(folder, web.FAKE + nxt)), {"front web", "front universal"})
        tap.equal(lines("run", write(folder, 'front ( name "web" enabled no )\n' + web.FAKE)), set())


def stopped_by(stop, last):
    """What the page is told from a stop on, the first after the panic `last`, until everything stands."""
    stop.say(op="panic", why="test")
    answers = [stop.op("panic")]
    while not answers[-1]["active"] or answers[-1]["epoch"] == last:
        answers = [stop.op("panic")]
    while not answers[-1]["stopped"]:
        answers.append(stop.op("panic"))
    return answers


def a_robot_that_confirms_a_stop_late_is_named():
    nxt = 'driver ( name "robotfile" robot "nxt" port "emulate:nxt" provides [ "position2d:3" "universal:0" ] )\n'
    with web.Server(web.FAKE + nxt) as server, web.Socket(server, "/stop", protocol="troupe.stop.v1") as stop:
        answers = [{"owing": [], "epoch": 0}]
        for _ in range(100):  # the robot may have stopped before the first answer
            web.ask(server, "POST", "/api/devices/position2d:3/command/VEL", VEL)
            before = web.ask(server, "GET", "/api/devices/position2d:3/STATE").json["value"]["pos"]["px"]
            while web.ask(server, "GET", "/api/devices/position2d:3/STATE").json["value"]["pos"]["px"] < before + 0.01:
                web.ask(server, "POST", "/api/devices/position2d:3/command/VEL", VEL)
            answers = stopped_by(stop, answers[-1]["epoch"])
            tap.equal(web.ask(server, "POST", "/api/reset", {"epoch": answers[-1]["epoch"]}).json, {})
            if answers[0]["owing"]:
                break
        tap.equal((answers[0]["stopped"], answers[0]["owing"], answers[0]["confirmed"]), (False, ["robotfile0"], []))
        (late,) = answers[-1]["confirmed"]
        tap.equal((late["driver"], late["device"], 0 < late["ms"] <= answers[-1]["ms"]), ("robotfile0", "6665:position2d:3", True))
        tap.equal(answers[-1]["owing"], [])


def write(folder, text):
    path = f"{folder}/x.cfg"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def the_page_of_a_server_is_found():
    with web.Server() as server:
        result = tap.run([web.PROGRAM, "view", f"localhost:{server.port}", "--print"])
        tap.equal((result.returncode, result.stdout, result.stderr), (0, f"http://localhost:{server.port}/\n", ""))
        result = tap.run([web.PROGRAM, "view", f"http://[::ffff:127.0.0.1]:{server.port}/", "--print"])
        tap.equal((result.returncode, result.stderr), (0, ""))
    result = tap.run([web.PROGRAM, "view", f"localhost:{server.port}", "--print"])
    tap.equal((result.returncode, "nothing listens there" in result.stderr), (1, True))
    for wrong in ("", ":1", "a:", "http://a/b", "a:1234567"):
        tap.equal((wrong, tap.run([web.PROGRAM, "view", wrong]).returncode), (wrong, 2))


tap.main(the_devices_are_listed_and_described, a_device_is_read_commanded_and_asked,
         what_a_visitor_moves_stops_when_it_is_silent, properties_are_read_and_set, errors_have_a_status_and_a_sentence,
         a_panic_is_confirmed_and_reset, a_client_of_websocket_reads_drives_and_asks,
         the_sdk_name_of_the_protocol_works_and_others_do_not, a_device_is_open_only_while_somebody_uses_it,
         parameters_graph_and_the_panic_are_told, mistakes_of_a_websocket_client_are_told, a_world_tells_its_time,
         with_a_certificate_the_front_speaks_TLS, a_frame_and_its_head_are_one_record_of_TLS, the_page_of_a_server_is_found, a_server_has_a_page_without_a_section,
         a_robot_that_confirms_a_stop_late_is_named)
