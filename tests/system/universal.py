"""The front `universal`: a server with it, and a client as a stranger would write it from docs/universal-protocol.md.
argv[1] is the troupe program."""
import re
import socket
import struct
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]


class Server:
    def __init__(self, text, front='front ( name "universal" )\n'):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as file:
            file.write(front + text)
        self.process = subprocess.Popen([PROGRAM, "run", file.name, "--any-port"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seen = ""
        for line in self.process.stdout:
            seen += line
            found = re.search(r"^front universal: listening on port ([0-9]+)", line)
            if found:
                self.port = int(found.group(1))
                return
        raise AssertionError(seen)

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Client:
    """As a stranger would write it, from the page alone."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.socket.close()

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def packet(self):
        return self.take(struct.unpack(">I", self.take(4))[0])

    def send(self, code, body=b"", waits=True, most=1 << 20):
        head = struct.pack(">BI", 1, most) if waits else b"\0"
        packet = head + struct.pack(">H", code) + body
        self.socket.sendall(struct.pack(">I", len(packet)) + packet)

    def ask(self, code, body=b"", most=1 << 20):
        """status, the rest"""
        self.send(code, body, most=most)
        reply = self.packet()
        return reply[0], reply[1:]

    def extended(self, function, body=b"", most=1 << 20):
        body = bytes([function]) + body
        status, rest = self.ask(0x5000, struct.pack(">I", len(body)) + body, most)
        return (status, rest[4:]) if status == 0 else (status, rest)


def text(value):
    return struct.pack(">I", len(value)) + value


def error(rest):
    """code, text"""
    code, length = struct.unpack(">HI", rest[:6])
    return code, rest[6:6 + length].decode()
