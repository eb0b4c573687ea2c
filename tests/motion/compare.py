#!/usr/bin/env python3
"""Runs random sequences of events on the motion engine and on its model, and compares them.

    compare.py PLAY [--runs N] [--seed N] [--jobs N] [--plain] [--long] [--show SEED]

PLAY is the program built from play.c. Runs have everything: sequences, slowed time, planning ahead;
--plain leaves these out. --long makes a million runs and prints how far it is. --show prints one run
in full. The exit status is 1 if they disagree.

Where the specification leaves open what follows, the model stops (Open), and the rest of the run is
not compared. The last line says how many runs were compared to their end.
"""
import argparse
import collections
import concurrent.futures
import subprocess
import sys

import wire
from generate import Generator
from model import LONG, Model, Open

BATCH = 100


# ---- The engine -----------------------------------------------------------------------------------

def script(number, run):
    """The text of a run for the engine."""
    robot = run.robot
    lines = ["run %d %d %d %d %d" % (number, robot.takes_goto, robot.period, run.ahead, run.limit)]
    slots = collections.Counter()
    for dof in robot.dofs:
        lines.append("dof %d %d %d %r %r %r %r %r %d %d" % (
            dof.joint, dof.servo, dof.mimics, dof.lower, dof.upper, dof.velocity, dof.force, dof.acceleration,
            dof.output, slots[dof.output]))
        slots[dof.output] += 1
    lines.append("go")
    for time, name, args in run.events:
        if name == "package":
            args = (args[0], args[1].encode().hex())
        elif name == "join":
            args = args[1:]
        elif name in ("reset", "fault"):
            args = args[:-1]
        lines.append("%d %s" % (time, " ".join([name] + [str(a) for a in args])))
    lines.append("end\n")
    return "\n".join(lines)


class Seen:
    """What the engine did in a run."""

    def __init__(self):
        self.numbers = []  # of clients, and the event with which they joined
        self.signals = collections.defaultdict(list)  # (client, tag)
        self.order = collections.defaultdict(list)  # client: its signals
        self.summaries = collections.defaultdict(list)  # (client, sequence)
        self.answers = collections.defaultdict(list)  # (client, tag): code, body, event
        self.states = []  # of each event: front, excesses, the last command of each dof
        self.rests = collections.defaultdict(list)  # dof: time, servo and value from which on it stands; servo 0: it moves, -1: not known
        self.complaints = []

    def line(self, text):
        """Read a line of play's output."""
        kind, rest = text[0], text[2:]
        if kind == "e":
            self.states.append(rest.split())
        elif kind == "j":
            self.numbers.append((int(rest), len(self.states)))
        elif kind in "smu":
            self.rest(*rest.split() + {"m": ["0", "0"], "u": ["-1", "0"]}.get(kind, []))
        elif kind == "x":
            self.complaints.append(rest)
        else:
            client, sent, payload = rest.split()
            for code, tag, body in wire.records(bytes.fromhex(payload)):
                self.record(int(client), code, tag, body, int(sent))

    def rest(self, dof, time, servo, value):
        """A dof stands from now on, or moves."""
        self.rests[int(dof)].append((int(time), int(servo), float(value)))

    def record(self, client, code, tag, body, sent):
        """A record for a client."""
        if code == wire.SIGNAL:
            signal = wire.Signal(body)
            signal.sent = sent
            self.signals[(client, tag)].append(signal)
            self.order[client].append((tag, signal))
        elif code == wire.SUMMARY:
            summary = wire.Summary(body)
            self.summaries[(client, summary.sequence)].append(summary)
        else:
            self.answers[(client, tag)].append((code, body, len(self.states)))


def play(program, runs):
    """What the engine does in some runs."""
    text = "".join(script(number, run) for number, run in runs)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("play failed (%d): %s" % (done.returncode, done.stderr[-2000:]))
    found, seen = {}, None
    for line in done.stdout.splitlines():
        if line.startswith("run "):
            seen = found[int(line[4:])] = Seen()
        else:
            seen.line(line)
    return found


# ---- The model ------------------------------------------------------------------------------------

def think(run, seen):
    """Run the model beside what the engine has done."""
    model = Model(run.robot, seen, run.limit, run.ahead)
    model.whole = False
    try:
        for event, state in zip(run.events, seen.states):
            happen(model, event, state)
        model.whole = True
    except Open:
        pass
    return model


def happen(model, event, state):
    """Tell the model of an event."""
    time, name, args = event
    model.run_to(time)
    values(model, state)
    if name == "join":
        model.join(*args)
    elif name == "package":
        model.package(model.clients[args[0]], args[1])
    elif name == "leave":
        model.leave(model.clients[args[0]], args[1])
    elif name == "panic":
        model.panic(args[0])
    elif name == "reset":
        model.reset(args[0])
    elif name == "fault":
        model.fault(args[0], args[1])
    elif name == "arrived":
        model.arrived(args[1])


def values(model, state):
    """Dofs that have arrived are where they were sent to."""
    if model.front <= model.taken[0]:
        return  # what is due at this instant has started already
    for dof, last in zip(model.robot.dofs, state[2:]):
        servo, value, speed = last.split(":")
        if dof.arrived is None or dof.active or servo != "1" or model.front < dof.since + 1:
            continue  # an end within this microsecond may not have been written yet
        if abs(float(value) - dof.arrived) > 1e-6 or abs(float(speed)) > 1e-9:
            model.problem("joint %d dof %d stands at %s with speed %s instead of %r", dof.joint, dof.dof, value,
                          speed, dof.arrived)


# ---- The comparison -------------------------------------------------------------------------------

def same(wanted, signal):
    """Whether a signal is what the model wants."""
    return (signal.signal in wanted.signals and signal.final == wanted.final and
            wanted.start[0] - 1 <= signal.start <= wanted.start[1] + 1 and
            wanted.end[0] - 1 <= signal.end <= wanted.end[1] + 1 and signal.package == wanted.package and
            (wanted.epoch is None or wanted.epoch == signal.epoch))


def compare_signals(model, seen):
    """Signals of each command."""
    for key in sorted(model.wanted.keys() | seen.signals.keys()):
        wanted, got = model.wanted.get(key, []), seen.signals.get(key, [])
        if not model.whole:
            got = got[:len(wanted)]
        if len(wanted) != len(got) or not all(map(same, wanted, got)):
            yield "client %d tag %d: wanted %s, got %s" % (*key, wanted, got)
    for client, signals in seen.order.items():
        last = 0
        for tag, signal in signals:
            time = signal.end if signal.final else signal.start
            if 0 < time < LONG * 1000:
                if time < last:
                    yield "client %d tag %d: %r after one at %d" % (client, tag, signal, last)
                last = time


def compare_summaries(model, seen):
    """One summary for each sequence that has ended."""
    for key in sorted(model.summaries.keys() | seen.summaries.keys()):
        wanted, got = model.summaries.get(key, []), seen.summaries.get(key, [])
        got = got if model.whole else got[:len(wanted)]
        good = len(wanted) == len(got)
        for (signals, least, most, first), summary in zip(wanted, got):
            good = good and summary.signal in signals and least <= summary.played <= most
            good = good and (first is None or abs(summary.start - first) <= 1)
        if not good:
            yield "client %d sequence %d: wanted %s, got %s" % (*key, wanted, got)


def compare_answers(model, seen):
    """Queries and broadcasts."""
    for client, tag, code, expected in model.queries:
        got = seen.answers.get((client, tag), [])
        if len(got) != 1 or got[0][0] != code + wire.ANSWER:
            yield "client %d tag %d: %d answers to 0x%04x" % (client, tag, len(got), code)
            continue
        body = got[0][1]
        if code == wire.LEASE and int.from_bytes(body, "big") != expected:
            yield "client %d tag %d: lease %d instead of %d" % (client, tag, int.from_bytes(body, "big"), expected)
        if code == wire.ASK_QUEUES and expected:
            q = wire.Queues(body)
            late = q.late if expected[3] is not None else None
            found = (q.command, q.playback, q.played, late, q.rate, q.robot_rate)
            # Frames without commands may have played or not.
            silent = min(expected[6], max(0, q.played - expected[2]))
            gone = min(silent, max(0, expected[0] - q.command))
            if found != (expected[0] - gone, expected[1], expected[2] + silent) + expected[3:6]:
                yield "client %d tag %d: queues %s instead of %s" % (client, tag, found, expected)
        if code == wire.ASK_BUSY:
            names = {number: name for name, (number, event) in enumerate(seen.numbers) if event <= got[0][2]}
            found = {(j, d, names.get(c)) for j, d, c in wire.holders(body)}
            sure, maybe = expected
            if not sure <= found or {h for h in found - sure if h[:2] not in maybe}:
                yield "client %d tag %d: holders %s instead of %s" % (client, tag, sorted(found), sorted(sure))
    for key, times in model.repeats.items():
        got = [int.from_bytes(body[:8], "big") for _, body, _ in seen.answers.get(key, [])]
        if (got if model.whole else got[:len(times)]) != times:
            yield "client %d tag %d: broadcast at %s instead of %s" % (*key, got, times)


def disagreements(run, seen):
    """Everything in which engine and model differ in a run."""
    found = ["the engine: " + c for c in seen.complaints]
    if len(seen.states) != len(run.events):
        found.append("%d of %d events were played" % (len(seen.states), len(run.events)))
    model = think(run, seen)
    found += model.problems
    found += compare_signals(model, seen)
    found += compare_summaries(model, seen)
    found += compare_answers(model, seen)
    return found, model.whole


def batch(program, first, count, plain):
    """Disagreements of some runs, by seed; and how many runs were compared to their end."""
    runs = [(seed, Generator(seed, plain).run()) for seed in range(first, first + count)]
    seen = play(program, runs)
    found, whole = {}, 0
    for seed, run in runs:
        wrong, to_the_end = disagreements(run, seen[seed])
        whole += to_the_end
        if wrong:
            found[seed] = wrong
    return found, whole


def show(program, seed, plain):
    """Print a run."""
    run = Generator(seed, plain).run()
    seen = play(program, [(seed, run)])[seed]
    for time, name, args in run.events:
        if name == "package":
            p = args[1]
            args = (args[0], "kind %d mode %d id %d time %d sequence %d flags %d" % (
                p.kind, p.mode, p.id, p.time, p.sequence, p.flags), [vars(r) for r in p.records])
        print(time, name, *args)
    for client, signals in seen.order.items():
        for tag, signal in signals:
            print("client", client, "tag", tag, signal)
    for key, summaries in seen.summaries.items():
        print("client", key[0], summaries)
    print(*disagreements(run, seen)[0], sep="\n")


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("play")
    parser.add_argument("--runs", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--show", type=int)
    options = parser.parse_args()
    if options.show is not None:
        show(options.play, options.show, options.plain)
        return 0
    runs = 1000000 if options.long else options.runs
    wrong, whole, done = {}, 0, 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        firsts = range(options.seed, options.seed + runs, BATCH)
        counts = [min(BATCH, options.seed + runs - first) for first in firsts]
        for count, (found, to_the_end) in zip(counts, pool.map(batch, [options.play] * len(counts), firsts, counts,
                                                               [options.plain] * len(counts))):
            wrong.update(found)
            whole, done = whole + to_the_end, done + count
            if options.long and done % 10000 == 0:
                print("%d runs, %d disagree: %s" % (done, len(wrong), sorted(wrong)), flush=True)
    for seed in sorted(wrong)[:20]:
        print("seed %d: %s" % (seed, wrong[seed][0]))
    print("%d runs, %.1f %% of them compared to their end, %d disagree" % (runs, 100 * whole / runs, len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
