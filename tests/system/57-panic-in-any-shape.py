#!/usr/bin/env python3
"""A PANIC acts as soon as it is known to be one: its body, its lengths and what came before it do not matter.
argv: the troupe program."""
import socket
import struct
import sys
import time
import types

import keys
import player
import tap
import universal
import web

PROGRAM = sys.argv[1]
CONFIGURATION = """
front ( name "web" )
front ( name "universal" )
driver ( name "fake" provides [ "position2d:0" ] )
"""
PANIC, RESET, GET_PANIC, STATISTICS = 205, 206, 207, 202
WAIT = 20  # seconds; far beyond what a healthy server needs


def front(running, name):
    return types.SimpleNamespace(port=running.fronts[name])


class Desk:
    """Waits for panics and ends them."""

    def __init__(self, running):
        self.web = front(running, "web")

    def see_panic(self, what):
        """Its state."""
        limit = time.monotonic() + WAIT
        while time.monotonic() < limit:
            state = web.ask(self.web, "GET", "/api/panic").json
            if state["active"]:
                return state
        raise AssertionError(f"no panic: {what}")

    def await_panic(self, what):
        """The reason. The panic is ended then."""
        state = self.see_panic(what)
        tap.equal(web.ask(self.web, "POST", "/api/reset", {"epoch": state["epoch"]}).status, 200)
        return state["why"]

    def stays_calm(self):
        return not web.ask(self.web, "GET", "/api/panic").json["active"]


def in_a_server(test):
    def run():
        with player.server(PROGRAM, CONFIGURATION) as running:
            test(running, Desk(running))
    run.__name__ = test.__name__
    return run


# ---- The Player protocol ----------------------------------------------------------------------------

@in_a_server
def its_body_need_not_come(running, desk):
    for size, there in ((4, 0), (1000, 10), (1 << 21, 1000), (1 << 30, 1)):
        with socket.create_connection(running.address) as client:
            client.sendall(player.HEADER.pack(0, 0, player.PLAYER, 0, player.REQUEST, PANIC, 0, 1, size) + b"x" * there)
            desk.await_panic(f"{there} of {size} bytes")


def asked(subtype, seq, body=b""):
    return player.HEADER.pack(0, 0, player.PLAYER, 0, player.REQUEST, subtype, 0, seq, len(body)) + body


def what_a_guest_asked_before_it_does_not_hold_it_up():
    """Its answers are not read: there is no room for all of them."""
    devices = "".join(f'driver ( name "fake" provides [ "sonar:{index}" ] )\n' for index in range(300))
    with player.server(PROGRAM, CONFIGURATION + devices + 'keys [ "boss operate 0123456789abcdef0123456789abcdef" ]\n') as running:
        guest, boss = player.Client(running.address), player.Client(running.address)
        with guest, boss:
            tap.equal(keys.prove(boss, "0123456789abcdef0123456789abcdef").type, player.ACK)
            requests = [asked(STATISTICS, 1000 + n) for n in range(90)]
            requests.append(asked(PANIC, 5, bytes(8) + player.text("") + player.text("fire")))
            guest.socket.sendall(b"".join(requests))
            limit = time.monotonic() + WAIT
            while not (panic := state_of(boss))[0]:
                assert time.monotonic() < limit, "no panic"
            tap.equal((panic[1], panic[3]), (1, "fire"))
            tap.equal(boss.request(player.PLAYER, 0, RESET, struct.pack(">I", panic[1]) + player.text("")).type, player.ACK)
            answers = []
            while len(answers) < len(requests):
                message = guest.message()
                answers += [message.seq] * (message.type == player.ACK)
            tap.equal(sorted(answers), [5, *range(1000, 1090)])
            tap.equal(state_of(boss)[0], 0)  # it was over when its turn came: there is no other one


def state_of(client):
    """Of the panic: active, epoch, who, why."""
    body = player.Body(client.request(player.PLAYER, 0, GET_PANIC).body)
    return (*body.take("II"), body.text(), body.text())


# ---- HTTP -------------------------------------------------------------------------------------------

def posted(desk, headers, body=b"", path="/api/panic"):
    head = "".join(f"{header}\r\n" for header in (f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{desk.web.port}", *headers, ""))
    return head.encode() + body


@in_a_server
def a_body_of_http_need_not_come_nor_be_whole(_, desk):
    for headers, body in ((["Content-Length: 100"], b"{"), (["Content-Length: 20", "Expect: 100-continue"], b""),
                          (["Content-Length: 2000000000"], b""), (["Content-Length: 3000000"], b"x" * 100),
                          (["Content-Length: much"], b""), (["Content-Length: 2", "Content-Length: 3"], b"{}"), (["no header"], b""),
                          (["Transfer-Encoding: chunked"], b""), (["Transfer-Encoding: chunked"], b"4\r\n{\"wh"),
                          (["Transfer-Encoding: chunked"], b"x\r\n"), (["Transfer-Encoding: chunked"], b"fffff\r\n")):
        with web.Http(desk.web) as http:
            http.socket.sendall(posted(desk, headers, body))
            desk.await_panic(f"{headers} {body[:20]}")


@in_a_server
def a_body_that_comes_late_has_the_reason(running, desk):
    with web.Http(desk.web) as http:
        http.socket.sendall(posted(desk, ["Content-Length: 14"]))
        desk.see_panic("its headers have come")
        http.socket.sendall(b'{"why":"late"}')
        tap.equal(http.answer().status, 200)
        with player.Client(running.address) as client:
            client.statistics()
            tap.equal(client.panic["last_why"], "late")


@in_a_server
def a_request_before_it_does_not_hold_it_up(_, desk):
    with web.Http(desk.web) as http:  # `fake` never sends an error: the first request takes 10 s
        http.send("GET", "/api/devices/position2d:0/ERROR?wait=10")
        http.send("POST", "/api/panic", b'{"why":"behind"}')
        tap.equal(desk.await_panic("behind a request that waits"), "behind")
        tap.equal((http.answer().status, http.answer().status), (504, 200))
    tap.equal(desk.stays_calm(), True)  # it was over when its turn came: there is no other one


@in_a_server
def what_is_in_a_body_is_no_request(_, desk):
    inner = posted(desk, ["Content-Length: 0"])
    for headers, body in ((["Content-Type: text/plain", f"Content-Length: {len(inner) + 10}"], inner),
                          (["Content-Type: text/plain", "Transfer-Encoding: chunked"], b"400\r\n" + inner)):
        with web.Http(desk.web) as http:
            http.socket.sendall(posted(desk, headers, path="/api/devices"))
            web.ask(desk.web, "GET", "/api/server")
            http.socket.sendall(body)
            web.ask(desk.web, "GET", "/api/server")
            tap.equal((headers, desk.stays_calm()), (headers, True))
    with web.Http(desk.web) as http:  # nor may a page of another origin raise one
        http.socket.sendall(posted(desk, ["Origin: http://evil.example", "Content-Length: 5"]))
        web.ask(desk.web, "GET", "/api/server")
        tap.equal(desk.stays_calm(), True)


# ---- WebSocket --------------------------------------------------------------------------------------

@in_a_server
def on_the_connection_to_stop_broken_frames_are_one(_, desk):
    for name, frame in (("no mask", lambda s: s.frame(1, b"x", masked=False)), ("reserved bits", lambda s: s.frame(1, b"x", rsv=4)),
                        ("no UTF-8", lambda s: s.frame(1, b"\xff\xff")), ("nothing to go on with", lambda s: s.frame(0, b"x")),
                        ("reserved opcode", lambda s: s.frame(3, b"x"))):
        with web.Socket(desk.web, "/stop", "troupe.stop.v1") as stop:
            stop.socket.sendall(frame(stop))
            desk.await_panic(name)
    with web.Socket(desk.web, "/stop", "troupe.stop.v1") as stop:
        stop.socket.sendall(stop.frame(9, b"ping") + stop.frame(8, struct.pack(">H", 1000)))
        stop.until(lambda message: message.get("op") == "close" or isinstance(message, dict) and message["op"] == "panic")
    tap.equal(desk.stays_calm(), True)


@in_a_server
def a_call_of_the_service_is_one_whatever_is_in_it(_, desk):
    with web.Socket(desk.web) as client:
        for encoding, value in ((b"json", b'{"why'), (b"json", b"[1]"), (b"cdr", b"{}"), (b"", b""), (b"json", b"\xff\xff")):
            client.binary(struct.pack("<BIII", 2, PANIC, 1, len(encoding)) + encoding + value)
            desk.await_panic((encoding, value))
        for short in (struct.pack("<BI", 2, PANIC), struct.pack("<BIII", 2, PANIC, 1, 1000)):
            client.binary(short)
            desk.await_panic(short)
    posting = web.ask(desk.web, "POST", "/api/server/request/PANIC", b'{"why')
    tap.equal(posting.status, 200)
    desk.await_panic("a request of the interface `player`")


@in_a_server
def a_call_behind_too_many_is_one(_, desk):
    with web.Socket(desk.web) as client:
        for call in range(300):
            client.binary(struct.pack("<BIII", 2, STATISTICS, call, 4) + b"json")
        client.binary(struct.pack("<BIII", 2, PANIC, 300, 4) + b"json{}")
        desk.await_panic("behind 300 calls")


# ---- The universal protocol -------------------------------------------------------------------------

@in_a_server
def lengths_of_a_universal_packet_do_not_matter(running, desk):
    for waits in (b"\0", b"\1\0\0\1\0"):
        for body, more in ((struct.pack(">I", 1) + b"\x0a", 0), (struct.pack(">I", 100) + b"\x0a", 0), (struct.pack(">I", 0) + b"\x0a", 0),
                           (struct.pack(">I", 5) + b"\x0a\xff\xff\xff\xff", 0), (struct.pack(">I", 9) + b"\x0a", 8)):
            packet = waits + b"\x50\0" + body
            with universal.Client(front(running, "universal")) as client:
                client.socket.sendall(struct.pack(">I", len(packet) + more) + packet)
                desk.await_panic(packet)


@in_a_server
def a_reason_that_is_no_text_spoils_no_answer(running, desk):
    with web.Socket(desk.web, "/stop", "troupe.stop.v1") as stop, universal.Client(front(running, "universal")) as client:
        tap.equal(client.extended(10, universal.text(b"a \xfffire")), (0, b""))
        tap.equal(stop.until(lambda message: message["active"])["why"], "a \ufffdfire")
        tap.equal(desk.await_panic("no UTF-8"), "a \ufffdfire")


tap.main(its_body_need_not_come, what_a_guest_asked_before_it_does_not_hold_it_up, a_body_of_http_need_not_come_nor_be_whole,
         a_body_that_comes_late_has_the_reason, a_request_before_it_does_not_hold_it_up, what_is_in_a_body_is_no_request,
         on_the_connection_to_stop_broken_frames_are_one,
         a_call_of_the_service_is_one_whatever_is_in_it, a_call_behind_too_many_is_one, lengths_of_a_universal_packet_do_not_matter,
         a_reason_that_is_no_text_spoils_no_answer)
