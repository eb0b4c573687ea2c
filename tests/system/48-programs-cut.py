#!/usr/bin/env python3
"""A move of a program whose connection is cut at a byte: the program never runs at both servers, and it is settled.
argv: the troupe program, source root; with --long behind them, every byte is a cut."""
import sys

import tap
from movers import (ARRIVE, ARRIVING, BEGIN, DEPART, FORGET, GONE, LEAVING, RELEASE, RETURN, RUNNING, TRANSFER, Control, Server,
                    transfer)
from player import HEADER

STEP = 1 if sys.argv[-1] == "--long" else 223


class Cut(Exception):
    """The connection has ended."""


class Cable(Control):
    """A connection that passes so many bytes, both directions together, and ends then."""

    def __init__(self, server, most=None):
        self.most, self.carried = most, 0
        super().__init__(server)

    def greet(self):
        self.carried += len(self.banner)
        if self.most is not None and self.carried >= self.most:
            self.socket.close()
            raise Cut()
        super().greet()

    def receive(self, count):
        allowed = count if self.most is None else min(count, self.most - self.carried)
        data = super().receive(allowed)
        self.carried += allowed
        if allowed < count:
            self.socket.close()
            raise Cut()
        return data

    def send(self, interf, index, kind, subtype, body=b""):
        self.seq += 1
        data = HEADER.pack(0, 0, interf, index, kind, subtype, 0, self.seq, len(body)) + body
        allowed = len(data) if self.most is None else min(len(data), self.most - self.carried)
        self.socket.sendall(data[:allowed])
        self.carried += allowed
        if allowed < len(data):
            self.socket.close()
            raise Cut()
        return self.seq


def move(source, target, name, cut):
    """All steps, as a client makes them. The answers of a step are what the next one sends."""
    with Cable(target, cut.get("target")) as there, Cable(source, cut.get("source")) as here:
        cut["cables"] = {"source": here, "target": there}
        package = here.ask(DEPART, transfer(name))
        there.ask(ARRIVE, package)
        proof = here.ask(RELEASE, transfer(name))
        there.ask(BEGIN, proof)


def settle(source, target, name):
    """What troupe play --settle does."""
    with Control(source) as here, Control(target) as there:
        before, after = here.phase(TRANSFER, transfer(name)), there.phase(TRANSFER, transfer(name))
        if after == ARRIVING and before in (LEAVING, GONE):
            there.ask(BEGIN, here.ask(RELEASE, transfer(name)))
        elif before == LEAVING:
            here.ask(RETURN, transfer(name))
            there.ask(FORGET, transfer(name))


class Place:
    """A server, and a connection that looks at it."""

    def __init__(self, server):
        self.server, self.port, self.control = server, server.port, Control(server)

    def phase(self):
        return self.control.phase()


def cut_at(source, target, name, side, most):
    """One cut. The program runs at the first place; where it runs afterwards, and what was settled."""
    cut = {side: most}
    try:
        move(source, target, name, cut)
    except Cut:
        pass
    phases = target.phase(), source.phase()
    assert phases.count(RUNNING) <= 1, (side, most, phases)
    was_settled = RUNNING not in phases
    if was_settled:
        settle(source, target, name)
        phases = target.phase(), source.phase()
    tap.equal((side, most, phases.count(RUNNING)), (side, most, 1))
    return phases[0] == RUNNING, was_settled


def sizes(source, target, name):
    cut = {}
    move(source, target, name, cut)
    return {side: cable.carried for side, cable in cut["cables"].items()}


def every_cut_leaves_one_that_runs():
    with Server("nxt") as one, Server("finch") as two:
        one.start()
        places = [Place(one), Place(two)]
        whole = []
        for i in (0, 1):  # there, and back
            whole.append(sizes(places[i], places[1 - i], f"whole{i}"))
        at, number, seen = 0, 0, {"moved": 0, "stayed": 0, "settled": 0}
        for side in ("source", "target"):
            most = max(size[side] for size in whole)
            for byte in [*range(0, most - 60, STEP), *range(max(most - 60, 0), most, min(STEP, 7))]:
                has_moved, was_settled = cut_at(places[at], places[1 - at], f"m{number}", side, byte)
                number += 1
                at = 1 - at if has_moved else at
                seen["moved" if has_moved else "stayed"] += 1
                seen["settled"] += was_settled
        print(f"# {number} cuts of {whole}: {seen}")
        assert min(seen.values()) > 0, seen


tap.main(every_cut_leaves_one_that_runs)
