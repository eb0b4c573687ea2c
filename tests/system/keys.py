"""Keys on the wire, and what a client without the right to something is told."""
import hashlib
import hmac
import socket
import struct

import player
from player import ACK, NACK, PLAYER

AUTH, CHALLENGE, PROVE, RIGHT = 7, 208, 209, 210
DENIED, LIMIT, INVALID, UNSUPPORTED = "DENIED", "LIMIT", "INVALID", "UNSUPPORTED"
RIGHTS = ("read", "write", "move", "operate")


def counted(raw):
    """Bytes as they are on the wire: count, length, bytes."""
    return struct.pack(">II", len(raw), len(raw)) + raw + bytes(-len(raw) % 4)


def proof(nonce, secret):
    return hmac.new(secret.encode(), nonce, hashlib.sha256).digest()


def challenge(client):
    reply = client.request(PLAYER, 0, CHALLENGE)
    assert reply.type == ACK and reply.size == 40, reply
    return reply.body[8:]


def prove(client, secret):
    return client.request(PLAYER, 0, PROVE, counted(proof(challenge(client), secret)))


def show(client, secret):
    return client.request(PLAYER, 0, AUTH, counted(secret.encode()))


def right(client):
    """The right and the name of the key."""
    body = player.Body(client.request(PLAYER, 0, RIGHT).body)
    number, name = body.take("I"), body.text()
    body.end()
    return RIGHTS[number], name


def why(reply):
    """The sentence of a refusal; None if it is none."""
    if reply.type != NACK:
        return None
    body = player.Body(reply.body)
    body.take("i")
    return body.text()


class UdpClient(player.Client):
    def __init__(self, address):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(60)
        self.socket.connect(address)
        self.socket.send(b"")
        self.banner = self.socket.recv(100)
        self.seq = 0

    def message(self):
        datagram = self.socket.recv(1 << 16)
        return player.Message(player.HEADER.unpack_from(datagram), datagram[player.HEADER.size:])
