#!/usr/bin/env python3
"""What moves stops in time, whatever becomes of the client that moves it: 300 trials and more.
argv: the troupe program, the same without the check of leases, the plug-in stopwatch, trial_stop, and
"space" inside of the network namespace that the script makes for itself.  TROUPE_TRIALS=N makes N trials.

Never missed, never early, never later than the lease, 20 ms, and what the machine itself was late by in the same trial:
the worst stall that watches (threads that sleep for a millisecond) saw, and the longest time that a thread of the server
was ready and had no processor. So many calm trials are made; those in between, in which the machine stalled for long, may
be late by twice the stall. A server that had no processor for longer than a lease takes commands for older than they are (test 97),
so such a trial may stop early. When it stopped is noted by the driver that stops it (tests/trials/stopwatch.c); a
second base, a fake, is seen through its data."""
import os
import sys

import player
import tap
import trials

PROGRAM, WITHOUT_LEASES, PLUGIN, STOP = (os.path.abspath(argument) for argument in sys.argv[1:5])
TRIALS = int(os.environ.get("TROUPE_TRIALS", "300"))
LANES = 8
LEASE_MS = 200
SLACK_MS = 20
CALM_MS = 20  # stalls up to here
MOST_TIMES = 40  # as many trials as were wanted, where they are not calm
PERIOD_MS = 5  # of the fake's data


def configuration(path, lanes, lease_ms):
    bases = "".join(trials.stopwatch(PLUGIN, path, lane, f"lease {lease_ms / 1000}") for lane in range(lanes))
    fakes = "".join(f'driver ( name "fake" provides [ "position2d:{100 + lane}" ] rate {1000 / PERIOD_MS} '
                    f'lease {lease_ms / 1000} )\n' for lane in range(lanes))
    return "open yes\n" + bases + fakes


def excuse(trial):
    """What the machine itself was late by. Where it stalls often it does so twice: when the loop hears the last word, and
    when the driver is to be woken."""
    return (trial["stall"] + trial["wait"]) * (1 if is_calm(trial) else 2)


def is_frozen(trial):
    """The server may have taken commands for older than they were."""
    return trial["stall"] + trial["wait"] > LEASE_MS * 1000


def wrong_with(how, trial):
    """What a trial shows to be wrong, as words; times are microseconds."""
    wrong = []
    for base, heard, period_ms in (("stop", "heard", 0), ("fake", "heard_by_fake", PERIOD_MS)):
        at = trial[base]
        if at is None:
            wrong.append(f"{base}: missed")
            continue
        # a client that this machine stalled at its very beginning may have had no answer before the stop
        earliest = at if trial[heard] is None else trial[heard] + LEASE_MS * 1000
        latest = trial["said"] + LEASE_MS * 1000
        if how == "kill":  # its connection is closed, which ends the lease
            earliest = min(earliest, 0)
        if at < earliest and not is_frozen(trial):
            wrong.append(f"{base}: {(earliest - at) / 1000:.3f} ms too early")
        late = at - latest - excuse(trial)
        if late > (SLACK_MS + period_ms) * 1000:
            wrong.append(f"{base}: {late / 1000:.3f} ms late")
        if how == "stall" and at >= trial["free"] and at - latest > excuse(trial):
            wrong.append(f"{base}: only when the loop was free again")
    if trial["after"]:
        wrong.append(f"{trial['after']:.0f} commands moved it afterwards")
    return wrong


def tell(how, found):
    """How late they were beside what the watches saw, for who reads the log."""
    base = [trial["stop"] - (trial["took"] if how == "kill" else trial["said"] + LEASE_MS * 1000)
            for trial in found if trial["stop"] is not None]
    if base:
        calm = sum(map(is_calm, found))
        print(f"# {how}: {len(found)} trials, {calm} of them calm; stopped after the end of the lease, in ms: "
              f"{trials.spread(value / 1000 for value in base)}; stalls of the watches: "
              f"{trials.spread(trial['stall'] / 1000 for trial in found)}; threads of the server waited for a processor: "
              f"{trials.spread(trial['wait'] / 1000 for trial in found)}", flush=True)


def run(how, count, program=PROGRAM, lanes=LANES, lease_ms=LEASE_MS, extra="", options=(), pids=()):
    """The outcomes of so many trials."""
    with trials.board() as path, \
            player.server(program, configuration(path, lanes, lease_ms) + extra.format(PLUGIN, path), options) as server:
        lines = trials.measured([STOP, path, str(server.process.pid), str(server.ports[0]), str(lanes), str(count),
                                 str(LEASE_MS), how, *pids])
    found = [trial for _, trial in lines]
    tap.equal(len(found), count)
    tell(how, found)
    return found


def is_calm(trial):
    return trial["stall"] <= CALM_MS * 1000


def all_right(how, count, **options):
    """So many calm trials, and all that were not calm in between, have nothing wrong with them."""
    found, calm = [], 0
    while calm < count and len(found) < MOST_TIMES * count:
        found += run(how, count - calm, **options)
        calm = sum(map(is_calm, found))
    wrong = [(words, trial) for trial in found if (words := wrong_with(how, trial))]
    tap.equal(wrong[:5], [])
    if calm < count:
        raise AssertionError(f"this machine is too busy to show it: {len(found)} trials, {calm} of them calm")
    return found


def a_killed_client_stops_what_it_moves_at_once():
    found = all_right("kill", TRIALS // 4)
    at_once = [trial for trial in found if trial["stop"] <= trial["took"] + SLACK_MS * 1000 + excuse(trial)]
    tap.equal(len(at_once) >= 0.9 * len(found), True)  # several threads are woken, one after the other


def a_frozen_client_stops_what_it_moves_when_its_lease_ends():
    all_right("freeze", TRIALS // 4)


def a_proxy_that_goes_silent_stops_it_too():
    all_right("proxy", TRIALS // 4)


# ---- A pulled cable -----------------------------------------------------------------------------------

def inside_of_a_space():
    """This script again, in a network namespace of its own."""
    with trials.spaces(LANES) as pids:
        all_right("cable", TRIALS - 3 * (TRIALS // 4), options=("--listen", "*"), pids=pids)


def a_pulled_cable_stops_it_too():
    trials.in_a_space(__file__, sys.argv[1:5])


# ---- The loop, and the trials themselves ----------------------------------------------------------------

def a_stalled_loop_keeps_nothing_moving():
    """The client has the loop stalled for half a second and speaks on: nobody hears it."""
    blocker = ('driver ( name "blocker" plugin "{}" provides [ "dio:0" ] board "{}" slot 15 )\n')
    all_right("stall", 5, lanes=1, extra=blocker)


def run_calm(how, count, **options):
    """So many trials in which the machine had no excuse."""
    found = []
    while len(found) < count:
        found += (trial for trial in run(how, count, lanes=count, **options) if excuse(trial) <= 2 * CALM_MS * 1000)
    return found[:count]


def without_the_check_of_leases_the_trials_fail():
    for how in ("freeze", "proxy"):
        found = run(how, 2, program=WITHOUT_LEASES, lanes=2)
        tap.equal([wrong_with(how, trial)[0] for trial in found], ["stop: missed"] * 2)
    all_right("kill", 2, program=WITHOUT_LEASES, lanes=2)  # where leases are not needed


def another_lease_is_noticed():
    for lease_ms, words_of_it in ((LEASE_MS - 150, "early"), (LEASE_MS + 300, "late")):
        found = run_calm("freeze", 2, lease_ms=lease_ms)
        tap.equal([[part.split()[-1] for part in wrong_with("freeze", trial)] for trial in found],
                  [[words_of_it] * 2] * 2)


if sys.argv[5:] == ["space"]:
    tap.main(inside_of_a_space)
tap.main(a_killed_client_stops_what_it_moves_at_once, a_frozen_client_stops_what_it_moves_when_its_lease_ends,
         a_proxy_that_goes_silent_stops_it_too, a_pulled_cable_stops_it_too, a_stalled_loop_keeps_nothing_moving,
         without_the_check_of_leases_the_trials_fail, another_lease_is_noticed)
