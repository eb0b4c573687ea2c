"""Floods and bursts of requests by clients without a key, and what a client with a key notices of them.

The witness is a process of its own. It holds a key that may move, asks the device that is attacked, and asks an echo process
in turn, which is the control: both wait for the same processors. The rule: of 100 requests of the witness, 99 take at most 10 ms
longer than on the idle server, or at most three times as long as the control in the same time. The server grows by at most
64 MB and has given that back within 10 s."""
import contextlib
import json
import multiprocessing
import socket
import struct
import subprocess
import sys
import threading
import time

import keys
import player
from player import POSITION2D, REQUEST

SECRET = "the one who moves"
KEYS = f'keys [ "mover move {SECRET}" ]\n'
MEGABYTE = 1 << 20
MOST_GROWTH = 64 * MEGABYTE
MOST_KEPT = 16 * MEGABYTE  # what may stay of it: pools of threads
BURST = 65536  # bytes in one write
ATTACKERS = 4


# ---- The witness -----------------------------------------------------------------------------------------

def echo(listener):
    peer, _ = listener.accept()
    while True:
        data = peer.recv(64)
        if not data:
            return
        peer.sendall(data)


def timed(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def witness(address, interf, pipe, listener):
    control = socket.create_connection(listener.getsockname())
    client = player.Client(address)
    keys.prove(client, SECRET)
    client.request(player.PLAYER, 0, 10, struct.pack(">iiiii", -1, -1, player.DATA, -1, 2))  # no data, please
    client.open(interf, 0)

    def ask():
        client.request(interf, 0, 1)

    def ask_control():
        control.sendall(bytes(64))
        control.recv(64)

    asked, controls = [], []
    while True:
        if pipe.poll():
            if pipe.recv() == "end":
                return
            pipe.send((asked, controls))
            asked, controls = [], []
        asked.append(timed(ask))
        controls.append(timed(ask_control))
        time.sleep(0.001)


class Witness:
    def __init__(self, address, interf=POSITION2D):
        context = multiprocessing.get_context("fork")
        listener = socket.create_server(("127.0.0.1", 0))
        self.pipe, theirs = context.Pipe()
        self.processes = [context.Process(target=echo, args=(listener,), daemon=True),
                          context.Process(target=witness, args=(address, interf, theirs, listener), daemon=True)]
        for process in self.processes:
            process.start()
        listener.close()

    def take(self):
        """The seconds that its requests took since the last call, and those of the control."""
        self.pipe.send("take")
        if not self.pipe.poll(120):
            raise AssertionError("the witness has waited for an answer for 120 s")
        return self.pipe.recv()

    def end(self):
        self.pipe.send("end")
        for process in reversed(self.processes):
            process.join(10)
            process.kill()


def p99(values):
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]


# ---- The attackers ---------------------------------------------------------------------------------------

class Attacker(threading.Thread):
    """Sends the same bytes again and again without waiting, and reads what comes."""

    def __init__(self, address, interf, data, once, connect=None):
        super().__init__(daemon=True)
        self.client = player.Client(address) if connect is None else connect()
        if connect is None and interf != player.PLAYER:
            with contextlib.suppress(AssertionError):
                self.client.open(interf, 0)
        self.data, self.once = data, once
        self.leaving = threading.Event()
        self.start()

    def run(self):
        view, sent = memoryview(self.data), 0
        self.client.socket.setblocking(False)
        while not self.leaving.is_set():
            try:
                if sent < len(view):
                    sent += self.client.socket.send(view[sent:])
                    sent = 0 if sent == len(view) and not self.once else sent
            except BlockingIOError:
                pass
            except OSError:
                return  # it was closed: that is the server's right
            with contextlib.suppress(OSError):
                while self.client.socket.recv(1 << 18):
                    pass
            time.sleep(0.0005)

    def end(self):
        self.leaving.set()
        self.join()
        self.client.socket.close()


def message(interf, kind, code, body):
    return player.HEADER.pack(0, 0, interf, 0, kind, code, 0.0, 1, len(body)) + body


def burst_of(data):
    return data * max(1, BURST // len(data))


# ---- A trial ---------------------------------------------------------------------------------------------

class Result:
    def __init__(self, idle, asked, control, growth, kept):
        self.idle, self.asked, self.control, self.growth, self.kept = idle, asked, control, growth, kept

    def wrong(self):
        found = []
        if self.asked > self.idle + 0.010 and self.asked > 3 * self.control:
            found.append(f"p99 {self.asked * 1e3:.1f} ms; idle {self.idle * 1e3:.1f} ms, control {self.control * 1e3:.1f} ms")
        if self.growth > MOST_GROWTH:
            found.append(f"memory + {self.growth / MEGABYTE:.0f} MB")
        if self.kept > MOST_KEPT:
            found.append(f"{self.kept / MEGABYTE:.0f} MB are not given back")
        return found

    def __str__(self):
        return (f"p99 {self.asked * 1e3:6.2f} ms  idle {self.idle * 1e3:6.2f}  control {self.control * 1e3:6.2f}  "
                f"memory {self.growth / MEGABYTE:+5.0f} MB")


def memory_after(server, before):
    """How much is still used above `before`, after 10 s at most."""
    until = time.monotonic() + 10
    while server.memory() - before > MOST_KEPT and time.monotonic() < until:
        time.sleep(0.1)
    return server.memory() - before


class Trial:
    """A server and a witness, for one attack after the other."""

    def __init__(self, server, interf=POSITION2D):
        self.server = server
        self.witness = Witness(server.address, interf)
        time.sleep(0.5)
        self.witness.take()
        time.sleep(0.7)
        self.idle = p99(self.witness.take()[0])

    def watch(self, seconds, before=None):
        """What the witness notices of clients that the caller has; `before` is the memory without them."""
        before = self.server.memory() if before is None else before
        highest = before
        self.witness.take()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            highest = max(highest, self.server.memory())
            time.sleep(0.01)
        asked, control = self.witness.take()
        return Result(self.idle, p99(asked), p99(control), highest - before, 0)

    def attack(self, interf, data, seconds, once=False, attackers=ATTACKERS, connect=None):
        """`data` from several clients: once each, or without end. `connect` makes clients of another front."""
        before = self.server.memory()
        running = [Attacker(self.server.address, interf, data, once, connect) for _ in range(attackers)]
        result = self.watch(seconds, before)
        for attacker in running:
            attacker.end()
        result.kept = memory_after(self.server, before)
        return result

    def end(self):
        self.witness.end()


@contextlib.contextmanager
def trial(program, text, interf=POSITION2D):
    with player.server(program, KEYS + text) as server:
        running = Trial(server, interf)
        try:
            yield running
        finally:
            running.end()


TRIES = 5


def judged(attack):
    """The first result that keeps the rule, of a few tries: this machine may have been busy with something else."""
    for _ in range(TRIES):
        result = attack()
        if not result.wrong():
            break
    return result


# ---- The table -------------------------------------------------------------------------------------------

def troupe(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def all_messages(program):
    """Every request and command of every interface, from the interface files: (interface, code, kind, number, name)."""
    described = json.loads(troupe(program, "interfaces", "--rights", "--json"))["interfaces"]
    codes = {name: interface["code"] for name, interface in json.loads(troupe(program, "interfaces", "--json")).items()}
    return [(name, codes[name], kind, message["code"], message["name"]) for name, messages in described.items()
            for message in messages if (kind := message["kind"]) in ("request", "command") and name != "common"]


def body_of(program, interface, kind, name):
    return bytes.fromhex(troupe(program, "encode", interface, kind, name, "{}").strip())


def everything(program):
    """A driver with a device of every interface."""
    names = sorted({name for name, *_ in all_messages(program)} - {"player"})
    return "driver ( name \"fake\" rate 10 provides [ %s ] )\n" % " ".join(f'"{name}:0"' for name in names)


def rows(program, chosen=None):
    """(name, interface code, bytes of one message) of each message, or of the chosen ones."""
    for interface, code, kind, number, name in all_messages(program) if chosen is None else chosen:
        body = body_of(program, interface, kind, name)
        yield f"{interface} {kind} {name}", code, message(code, REQUEST if kind == "request" else player.COMMAND, number, body)


def table(program, chosen=None, seconds=0.6):
    """(name, what, result) for each message as a flood and as a burst."""
    with trial(program, everything(program)) as running:
        for name, code, data in rows(program, chosen):
            if name == "player request PANIC":
                continue  # everybody may raise a panic, and then nothing is as before
            for what in ("flood", "burst"):
                yield name, what, judged(lambda: running.attack(code, burst_of(data), seconds, once=what == "burst"))


def main():
    """The whole table, or the rows whose names contain a word of the arguments."""
    program, words = sys.argv[1], sys.argv[2:]
    chosen = [m for m in all_messages(program) if not words or any(word in f"{m[0]} {m[2]} {m[4]}" for word in words)]
    if not chosen:
        sys.exit(f"no message has {' or '.join(words)} in its name; troupe interfaces --rights lists them")
    print("Four clients without a key send one message again and again (flood) or 64 KB of it in one write (burst).\n"
          "p99: of 100 requests of a client with a key, 99 took at most this long; idle: without an attack;\n"
          "control: an echo process in the same time; memory: how much the server grew.\n", flush=True)
    failed = count = 0
    for name, what, result in table(program, chosen):
        count += 1
        failed += bool(result.wrong())
        print(f"{name:42s} {what}  {result}  {'; '.join(result.wrong())}", flush=True)
    print(f"\n{count - failed} of {count} hold: p99 at most 10 ms above idle or 3 times the control, memory + 64 MB and back in 10 s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
