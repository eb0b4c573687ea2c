#!/usr/bin/env python3
"""A server that tells the network of itself by multicast DNS: what a browser and a plain DNS client hear on the loopback
interface, a name that is taken, and hostile packets. The packets are read here, by other code than the server's.
argv: the troupe program."""
import contextlib
import random
import select
import socket
import struct
import sys
import tempfile
import time

import player
import tap
from player import POSITION2D

TROUPE = sys.argv[1]
GROUP, HOME = "224.0.0.251", "127.0.0.1"
A, PTR, TXT, SRV = 1, 12, 16, 33
KIND, KINDS = "_player2._tcp.local", "_services._dns-sd._udp.local"
NAME, HOST = "a robot." + KIND, "troupe-127-0-0-1.local"


def config(port):
    return (f'driver ( name "fake" provides [ "position2d:0" ] )\n'
            f'driver ( name "service_adv_mdns" provides [ "opaque:0" ] service_name "a robot"\n'
            f'         service_description "a test" service_tags [ "foo=bar" "baz=bat" ] service_port 7001\n'
            f'         interface "{HOME}" group "{GROUP}:{port}" )\n')


# ---- Packets ----

def name_bytes(name):
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"


def question(name, kind, clas=1, number=0):
    return struct.pack(">6H", number, 0, 1, 0, 0, 0) + name_bytes(name) + struct.pack(">HH", kind, clas)


def read_name(packet, at):
    parts = []
    while packet[at]:
        assert packet[at] < 64, "the server does not shorten names"
        parts.append(packet[at + 1:at + 1 + packet[at]].decode())
        at += 1 + packet[at]
    return ".".join(parts), at + 1


def read_data(packet, kind, at, length):
    if kind == PTR:
        return read_name(packet, at)[0]
    if kind == SRV:
        return struct.unpack_from(">H", packet, at + 4)[0], read_name(packet, at + 6)[0]
    if kind == A:
        return socket.inet_ntoa(packet[at:at + length])
    texts = []
    end = at + length
    while at < end:
        texts.append(packet[at + 1:at + 1 + packet[at]].decode())
        at += 1 + packet[at]
    return texts


def read(packet):
    """The head, the questions, and the records as {(name, type): (data, seconds)}."""
    head = struct.unpack_from(">6H", packet)
    at, questions, records = 12, [], {}
    for _ in range(head[2]):
        name, at = read_name(packet, at)
        questions.append((name, struct.unpack_from(">H", packet, at)[0]))
        at += 4
    for _ in range(sum(head[3:])):
        name, at = read_name(packet, at)
        kind, _, seconds, length = struct.unpack_from(">HHIH", packet, at)
        records[name, kind] = read_data(packet, kind, at + 10, length), seconds
        at += 10 + length
    tap.equal(at, len(packet))
    return head, questions, records


# ---- Others on the network ----

@contextlib.contextmanager
def neighbour():
    """Another host: it hears the group, and speaks from its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind((HOME, 0))
        port = free.getsockname()[1]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ear.bind((GROUP, port))
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton(HOME))
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(HOME))
        yield ear, port


@contextlib.contextmanager
def plain_client():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind((HOME, 0))
        client.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(HOME))
        yield client


def await_records(ear, *keys):
    """The next answer of the server with these records."""
    while True:
        head, _, records = read(ear.recv(9000))
        if head[1] & 0x8000 and all(key in records for key in keys):
            return records


def await_probe(ear):
    while True:
        head, questions, _ = read(ear.recv(9000))
        if not head[1] & 0x8000 and questions and questions[0][1] == 255:
            return questions[0][0]


def heard_again(ear, port):
    """Ask once; whether the server has answered before a second without packets."""
    ear.sendto(question(KINDS, PTR), (GROUP, port))
    while select.select([ear], [], [], 1)[0]:
        packet, sender = ear.recvfrom(9000)
        if sender == (HOME, port) and packet[2] & 0x80 and (KINDS, PTR) in read(packet)[2]:
            return True
    return False


# ---- Tests ----

def a_server_announces_itself_and_says_goodbye():
    with neighbour() as (ear, port):
        with player.server(TROUPE, config(port)):
            for _ in range(3):
                tap.equal(await_probe(ear), NAME)
            records = await_records(ear, (KIND, PTR))
            tap.equal(records[KIND, PTR], (NAME, 4500))
            tap.equal(records[NAME, SRV], ((7001, HOST), 120))
            tap.equal(records[HOST, A], (HOME, 120))
            tap.equal(records[NAME, TXT][0], ["description=a test", "foo=bar", "baz=bat", "device=position2d#0(fake)",
                                              "device=opaque#0(service_adv_mdns)"])
        while await_records(ear, (KIND, PTR))[KIND, PTR][1] != 0:
            pass


def browsers_and_plain_clients_are_answered():
    with neighbour() as (ear, port), player.server(TROUPE, config(port)), plain_client() as client:
        await_records(ear, (KIND, PTR))
        ear.sendto(question(KINDS, PTR), (GROUP, port))
        tap.equal(await_records(ear, (KINDS, PTR))[KINDS, PTR][0], KIND)
        client.sendto(question(KIND, PTR, number=4711), (GROUP, port))
        packet, sender = client.recvfrom(9000)
        head, questions, records = read(packet)
        tap.equal((head[0], questions, sender), (4711, [(KIND, PTR)], (HOME, port)))
        tap.equal(records[NAME, SRV], ((7001, HOST), 10))


def a_name_that_is_taken_gets_a_number():
    other = (struct.pack(">6H", 0, 0x8400, 0, 1, 0, 0) + name_bytes(NAME) + struct.pack(">HHIH", SRV, 0x8001, 120, 6 + 13) +
             struct.pack(">HHH", 0, 0, 6665) + name_bytes("other.local"))
    with neighbour() as (ear, port), player.server(TROUPE, config(port)):
        await_probe(ear)
        ear.sendto(other, (GROUP, port))
        tap.equal(await_records(ear, (KIND, PTR))[KIND, PTR][0], "a robot (2)." + KIND)


def hostile_packets_change_nothing_and_answers_are_few():
    random.seed(6762)
    good = question(KIND, PTR)
    with neighbour() as (ear, port), player.server(TROUPE, config(port)) as running, plain_client() as client:
        await_records(ear, (KIND, PTR))
        begun = time.monotonic()
        for _ in range(1000):
            packet = bytearray(good)
            for _ in range(random.randrange(1, 4)):
                packet[random.randrange(len(packet))] = random.randrange(256)
            client.sendto(bytes(packet[:random.randrange(len(packet) + 1)]), (GROUP, port))
        for _ in range(1000):
            client.sendto(good, (GROUP, port))
        with player.Client(running.address) as user:  # others are served as ever
            user.open(POSITION2D, 0)
            user.data()
        while not heard_again(ear, port):  # what does not fit the kernel's queues in the flood is lost
            pass
        seconds = time.monotonic() - begun
        answers = 0
        while select.select([client], [], [], 0)[0]:
            client.recv(9000)
            answers += 1
        assert 1 <= answers <= 10 * (seconds + 2), (answers, seconds)


def players_example_passes():
    text = ('driver\n(\n  name "service_adv_mdns"\n  provides [ "opaque:0" ]\n  service_name "a robot"\n'
            '  service_description "this is a test of the service_adv_mdns driver"\n  service_tags ["foo=bar" "baz=bat"]\n)\n')
    tap.equal(checked(text), (0, ""))


def mistakes_are_told():
    section = 'driver ( name "service_adv_mdns" provides [ "opaque:0" ] %s )\n'
    for setting, mistake in (('group "10.0.0.1:5353"', "group is a multicast address and a port"),
                             ('service_port 70000', "service_port is a port from 1 to 65535"),
                             (f'service_name "{"x" * 49}"', "service_name has more than 48 bytes"),
                             (f'service_tags [ "a=b" "{"x" * 256}" ]', "tag 2 of service_tags has more than 255 bytes")):
        code, told = checked(section % setting)
        assert code != 0 and mistake in told, told


def checked(text):
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        file.write(text)
        file.flush()
        result = tap.run([TROUPE, "check", file.name])
    return result.returncode, result.stderr


if __name__ == "__main__":
    tap.main(a_server_announces_itself_and_says_goodbye, browsers_and_plain_clients_are_answered,
             a_name_that_is_taken_gets_a_number, hostile_packets_change_nothing_and_answers_are_few, players_example_passes,
             mistakes_are_told)
