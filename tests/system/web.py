"""A server with the web front, and clients of it that are written from docs/reference/web.md alone."""
import base64
import ctypes
import ctypes.util
import hashlib
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile

import tap

PROGRAM = sys.argv[1]
FAKE = 'driver ( name "fake" provides [ "position2d:0" "laser:0" ] )\n'


class Server:
    def __init__(self, text=FAKE, front="", listen=None):
        section = f'front ( name "web" {front} {"listen " + json.dumps(listen) if listen else ""} )\n'
        with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as file:
            file.write(section + text)
        self.path = file.name
        self.process = subprocess.Popen([PROGRAM, "run", file.name, "--any-port"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seen = ""
        for line in self.process.stdout:
            seen += line
            found = re.search(r"^front web: listening on port ([0-9]+)", line)
            if found:
                self.port = int(found.group(1))
                return
        raise AssertionError(seen)

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.process.terminate()
        code = self.process.wait()
        self.process.stdout.close()
        os.unlink(self.path)
        assert code in (0, -15), code


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Http:
    """A connection for one request after the other."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self.port = server.port
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.socket.close()

    def take_line(self):
        while b"\r\n" not in self.bytes:
            self.more()
        line, self.bytes = self.bytes.split(b"\r\n", 1)
        return line.decode()

    def more(self):
        read = self.socket.recv(65536)
        if not read:
            raise EOFError
        self.bytes += read

    def answer(self, head_only=False):
        status = int(self.take_line().split(" ")[1])
        headers = {}
        while line := self.take_line():
            name, value = line.split(": ", 1)
            headers[name.lower()] = value
        length = 0 if head_only else int(headers.get("content-length", 0))
        while len(self.bytes) < length:
            self.more()
        body, self.bytes = self.bytes[:length], self.bytes[length:]
        return Answer(status, headers, body)

    def send(self, method, path, body=None, headers=None, host=None):
        lines = {"Host": host or f"127.0.0.1:{self.port}"}
        if body is not None:
            lines["Content-Type"] = "application/json"
            lines["Content-Length"] = str(len(body))
        lines.update(headers or {})
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{text}\r\n".encode() + (body or b""))

    def ask(self, method, path, body=None, headers=None, host=None):
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send(method, path, body, headers, host)
        return self.answer(head_only=method == "HEAD")

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.ask("POST", path, body, **options)


def ask(server, method, path, body=None, **options):
    """On a connection of its own, as curl does."""
    with Http(server) as http:
        return http.ask(method, path, body, **options)


class Socket(Http):
    """A WebSocket."""

    def __init__(self, server, path="/ws?brief=1", protocol="foxglove.websocket.v1", headers=None, host=None, wrap=None):
        super().__init__(server)
        if wrap is not None:
            self.socket = wrap(self.socket)
        key = base64.b64encode(os.urandom(16)).decode()
        self.send("GET", path, headers={"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                                        "Sec-WebSocket-Key": key, "Sec-WebSocket-Protocol": protocol, **(headers or {})},
                  host=host)
        self.greeting = self.answer()
        if self.greeting.status == 101:
            digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            assert self.greeting.headers["sec-websocket-accept"] == base64.b64encode(digest).decode()

    def frame(self, opcode, payload, fin=True, masked=True, rsv=0):
        mask = os.urandom(4) if masked else b""
        length = len(payload)
        head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
        bit = 0x80 if masked else 0
        if length < 126:
            head += bytes([bit | length])
        elif length < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", length)
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", length)
        if masked:
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        return head + mask + payload

    def say(self, **message):
        self.socket.sendall(self.frame(1, json.dumps(message).encode()))

    def binary(self, payload):
        self.socket.sendall(self.frame(2, payload))

    def need(self, count):
        while len(self.bytes) < count:
            self.more()

    def next(self):
        """opcode, payload"""
        self.need(2)
        length, head = self.bytes[1] & 127, 2
        if length >= 126:
            size = 2 if length == 126 else 8
            self.need(2 + size)
            length, head = int.from_bytes(self.bytes[2:2 + size], "big"), 2 + size
        self.need(head + length)
        opcode, payload = self.bytes[0] & 15, self.bytes[head:head + length]
        self.bytes = self.bytes[head + length:]
        return opcode, payload

    def until(self, wanted):
        """The next message that `wanted` takes: a dict of a text, or bytes."""
        while True:
            opcode, payload = self.next()
            message = json.loads(payload) if opcode == 1 else payload if opcode == 2 else {"op": "close", "code": payload}
            if wanted(message):
                return message

    def op(self, name):
        return self.until(lambda message: isinstance(message, dict) and message["op"] == name)

    def data(self, subscription):
        """time, value as bytes"""
        start = struct.pack("<BI", 1, subscription)
        message = self.until(lambda message: isinstance(message, bytes) and message.startswith(start))
        return struct.unpack("<Q", message[5:13])[0], message[13:]

    def call(self, service, number, value=None):
        self.binary(struct.pack("<BIII", 2, service, number, 4) + b"json" + (b"" if value is None else json.dumps(value).encode()))

    def answered(self, service, number):
        """The value, or the text of the failure."""
        start = struct.pack("<BIII", 3, service, number, 4) + b"json"
        message = self.until(lambda message: message.startswith(start) if isinstance(message, bytes) else
                             message["op"] == "serviceCallFailure" and message["callId"] == number)
        return json.loads(message[len(start):]) if isinstance(message, bytes) else message["message"]


def devices(server):
    return {device["name"]: device for device in ask(server, "GET", "/api/devices").json["devices"]}


def certificate(folder):
    path = {"certificate": f"{folder}/cert.pem", "private_key": f"{folder}/key.pem"}
    made = tap.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-keyout", path["private_key"], "-out", path["certificate"]])
    assert made.returncode == 0, made.stderr
    return path


class KeyChanger:
    """A client of TLS that can ask for new keys of the connection without end, which the module ssl cannot."""

    def __init__(self, server):
        self.library = ctypes.CDLL(ctypes.util.find_library("ssl"))
        for name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        context = ctypes.c_void_p(self.library.SSL_CTX_new(ctypes.c_void_p(self.library.TLS_client_method())))
        self.tls = ctypes.c_void_p(self.library.SSL_new(context))
        self.library.SSL_set_fd(self.tls, self.socket.fileno())
        assert self.library.SSL_connect(self.tls) == 1

    def change(self, times):
        for _ in range(times):
            assert self.library.SSL_key_update(self.tls, 0) == 1 and self.library.SSL_do_handshake(self.tls) == 1
