#!/usr/bin/env python3
"""Two servers end a move that was cut by themselves, as soon as they meet, and the program never runs at both.
argv: the troupe program, source root."""
import time

import tap
from movers import (ARRIVE, ARRIVING, DEPART, GONE, LEAVING, RELEASE, RETURN, RUNNING, TRANSFER, Control, Server, Wire,
                    transfer)

EMPTY = 0


def phases(pair):
    """Of both servers. The target is asked first: what leaves it between the two questions goes nowhere."""
    with Control(pair.two) as two, Control(pair.one) as one:
        second = two.phase()
        return one.phase(), second


def await_phases(pair, wanted):
    seen = phases(pair)
    while seen != wanted:
        assert seen.count(RUNNING) <= 1, seen
        time.sleep(0.05)
        seen = phases(pair)


class Pair:
    """Two servers; each asks the other one through a wire, if it is said so."""

    def __init__(self, source_asks=True, target_asks=True):
        self.to_two, self.to_one = Wire(), Wire()
        self.one = Server("nxt", keeps=True, wires=[self.to_two] if source_asks else [])
        self.two = Server("finch", keeps=True, wires=[self.to_one] if target_asks else [])
        self.join()

    def join(self):
        self.to_two.port, self.to_one.port = self.two.port, self.one.port
        self.to_two.mend()
        self.to_one.mend()

    def part(self):
        for wire in (self.to_two, self.to_one):
            wire.cut()

    def __enter__(self):
        self.one.start()
        return self

    def __exit__(self, *ignored):
        for each in (self.one, self.two):
            each.__exit__()
        for wire in (self.to_two, self.to_one):
            wire.close()


def move_on(pair, most):
    """The first steps of a move, whose client is lost then."""
    with Control(pair.one) as one, Control(pair.two) as two:
        package = one.ask(DEPART, transfer("m"))
        if most >= 2:
            two.ask(ARRIVE, package)
        if most >= 3:
            one.ask(RELEASE, transfer("m"))


def a_client_is_lost_and_either_server_settles():
    for steps, source_asks in ((2, True), (3, True), (2, False), (3, False)):
        with Pair(source_asks, not source_asks) as pair:
            move_on(pair, steps)
            count = pair.one.count()
            await_phases(pair, (GONE, RUNNING))
            while pair.two.count() <= count:
                pass


def what_the_target_never_got_goes_on_at_the_source():
    with Pair(True, False) as pair:
        pair.part()
        move_on(pair, 1)
        count = pair.one.count()
        tap.equal(phases(pair), (LEAVING, EMPTY))
        pair.join()
        await_phases(pair, (RUNNING, EMPTY))
        while pair.one.count() <= count:
            pass


def what_the_source_took_back_is_dropped_at_the_target():
    with Pair(False, True) as pair:
        pair.part()
        move_on(pair, 2)
        with Control(pair.one) as one:
            one.ask(RETURN, transfer("m"))
        tap.equal(phases(pair), (RUNNING, ARRIVING))
        pair.join()
        await_phases(pair, (RUNNING, EMPTY))


def both_are_restarted_and_meet_again():
    for steps in (2, 3):
        with Pair() as pair:
            pair.part()
            move_on(pair, steps)
            pair.one.restart()
            pair.two.restart()
            tap.equal(phases(pair), (LEAVING if steps == 2 else GONE, ARRIVING))
            pair.join()
            await_phases(pair, (GONE, RUNNING))
            pair.one.restart()  # it was given up: it never comes back by itself
            pair.join()
            tap.equal(phases(pair), (GONE, RUNNING))


def what_no_server_can_know_is_left_to_an_operator():
    with Pair() as pair:
        pair.part()
        move_on(pair, 3)
        pair.two.program.process.kill()
        pair.two.file.unlink()  # its disk is lost
        pair.two.restart()
        pair.join()
        for _ in range(8):  # rounds of questions, each answered: not known here
            with Control(pair.one) as one:
                tap.equal(one.phase(TRANSFER, transfer("m")), GONE)
            tap.equal(phases(pair), (GONE, EMPTY))
            time.sleep(0.3)


tap.main(a_client_is_lost_and_either_server_settles, what_the_target_never_got_goes_on_at_the_source,
         what_the_source_took_back_is_dropped_at_the_target, both_are_restarted_and_meet_again,
         what_no_server_can_know_is_left_to_an_operator)
