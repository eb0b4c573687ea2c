#!/usr/bin/env python3
"""A running program moves to another server and another robot, and never runs at both, wherever the connection is cut.
argv: the troupe program, source root; with --long behind them, every 97th byte is a cut."""
import json
import re
import sys

import cli
import tap
from movers import ARRIVING, GONE, LEAVING, RUNNING, STOPPED, Server, Wire


def move(source, target, *more):
    return cli.troupe("play", "--move", "count.play", "--from", source, "--to", target, *more)


def a_program_goes_on_at_another_robot():
    with Server("nxt") as one, Server("finch") as two:
        one.start()
        while one.count() < 5:
            pass
        result = cli.troupe("play", "--move", "count", "--from", one.url, "--to", two.url)  # without its end
        assert re.search(r"^Drive: Both Wheels\nmoved from \S+ to \S+ \(move-\S+\)$", result.stdout, re.M), result
        tap.equal((one.state()["phase"], two.state()["phase"]), (GONE, RUNNING))
        assert two.count() >= 5 and two.state()["time"] > 0, two.state()
        assert "gone" in cli.troupe("stat", url=one.url).stdout
        before = two.count()
        while two.count() <= before:
            pass


def what_does_not_fit_stays():
    with Server("srv1") as one, Server("nxt") as two:
        one.start("device ball is Blob\nlet n be 0\nforever\n    let x, y, size be do Track ball\n    change n by 1\nend\n")
        result = move(one.url, two.url)
        tap.equal(result.returncode, 1)
        assert "not moved: " in result.stderr and "Blob" in result.stderr and "goes on at" in result.stdout, result
        tap.equal((one.state()["phase"], two.state()["phase"]), (RUNNING, 0))
        two.start()  # another program is there
        result = move(one.url, two.url)
        assert "another program runs here" in result.stderr, result
        tap.equal((one.state()["phase"], two.state()["name"]), (RUNNING, "count.play"))


def a_wrong_proof_begins_nothing():
    with Server() as one, Server() as two:
        one.start()
        package = one.get("DEPART", {"id": "m1", "peer": "two"})
        tap.equal((package["transfer"]["id"], one.state()["phase"]), ("m1", LEAVING))
        tap.equal(two.get("ARRIVE", package)["fits"], 1)
        tap.equal(two.state()["phase"], ARRIVING)
        result = cli.troupe("request", "program:0", "BEGIN", json.dumps({"id": "m1", "proof": [0] * 32}), url=two.url)
        assert "wrong proof" in result.stderr, result
        proof = one.get("RELEASE", {"id": "m1"})
        result = cli.troupe("request", "program:0", "RETURN", json.dumps({"id": "m1"}), url=one.url)
        assert "was given up here" in result.stderr, result
        two.get("BEGIN", proof)
        two.get("BEGIN", proof)  # once more does no harm
        tap.equal((one.state()["phase"], two.state()["phase"]), (GONE, RUNNING))
        one.get("CLAIM", {"id": "m1"})  # an operator decides that the other one is lost
        tap.equal(one.state()["phase"], RUNNING)


def damaged_packages_are_refused():
    with Server() as one, Server() as two:
        one.start()
        package = one.get("DEPART", {"id": "m2", "peer": "two"})
        for change in (lambda p: p["state"].pop(), lambda p: p["state"].__setitem__(60, 255),
                       lambda p: p.__setitem__("state", []), lambda p: p["source"].__setitem__("text", "drvie 1\n"),
                       lambda p: p["transfer"].__setitem__("id", "a b")):
            wrong = json.loads(json.dumps(package))
            change(wrong)
            result = cli.troupe("request", "program:0", "ARRIVE", "-", url=two.url, stdin=json.dumps(wrong))
            tap.equal((result.returncode, two.state()["phase"]), (1, 0))


def what_is_in_transit_survives_restarts_of_both():
    with Server(keeps=True) as one, Server("finch", keeps=True) as two:
        one.start()
        while one.count() < 5:
            pass
        package = one.get("DEPART", {"id": "m3", "peer": "two"})
        one.restart()
        state = one.state()
        tap.equal((state["phase"], state["transfer"], state["name"]), (LEAVING, "m3", "count.play"))
        tap.equal(one.get("DEPART", {"id": "m3", "peer": "two"})["state"], package["state"])
        count = one.count()
        tap.equal(two.get("ARRIVE", package)["fits"], 1)
        two.restart()
        tap.equal((two.state()["phase"], two.count()), (ARRIVING, count))
        proof = one.get("RELEASE", {"id": "m3"})
        one.restart()
        tap.equal((one.state()["phase"], one.get("RELEASE", {"id": "m3"})), (GONE, proof))
        begin(two, proof)
        tap.equal((one.state()["phase"], two.state()["phase"]), (GONE, RUNNING))
        while two.count() <= count:
            pass
        two.restart()  # it had begun: it is known here, and does not run by itself
        tap.equal((two.state()["phase"], two.get("TRANSFER", {"id": "m3"})["phase"]), (STOPPED, STOPPED))
        two.start()
        assert not two.file.exists(), "another program was loaded: nothing is in transit"


def begin(server, proof):
    """A server that was restarted has to find its robot again before the program goes on."""
    while True:
        result = cli.troupe("request", "program:0", "BEGIN", json.dumps(proof), url=server.url)
        if result.returncode == 0:
            return
        assert "since the restart it does not fit the robot: it has not answered yet" in result.stderr, result


def a_source_that_was_restarted_takes_its_program_back():
    with Server(keeps=True) as one:
        one.start()
        one.get("DEPART", {"id": "m4", "peer": "two"})
        one.restart()
        count = one.count()
        while cli.troupe("request", "program:0", "RETURN", json.dumps({"id": "m4"}), url=one.url).returncode != 0:
            tap.equal(one.state()["phase"], LEAVING)
        while one.count() <= count:
            pass
        assert not one.file.exists()


def what_cannot_be_kept_does_not_move_and_damage_is_refused():
    with Server(keeps=True) as one, Server(keeps=True) as two:
        one.start()
        package = one.get("DEPART", {"id": "m5", "peer": "two"})
        good = one.file.read_bytes()
        tap.equal(one.file.stat().st_mode & 0o777, 0o600)  # it has the proof in it
        two.file.parent.rmdir()
        result = two.get("ARRIVE", package)
        assert result["fits"] == 0 and "No such file" in result["why"], result
        tap.equal(two.state()["phase"], 0)
        one.program.process.kill()
        one.file.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        result = cli.troupe("run", one.config, "--any-port")
        assert result.returncode != 0 and "the file of the program in transit is damaged; remove it" in result.stderr, result


def cut_and_settle(side, most):
    """A move whose connection to one side is cut after so many bytes; how many of both run then, and after it was settled."""
    with Server("nxt") as one, Server("finch") as two:
        one.start()
        wires = {"from": Wire(one.port), "to": Wire(two.port)}
        wires[side].most = most
        result = move(wires["from"].url, wires["to"].url, "--for", "0.1", "--timeout", "1")
        phases = one.state()["phase"], two.state()["phase"]
        assert phases.count(RUNNING) <= 1, (side, most, phases, result)
        passed = wires[side].passed
        if RUNNING not in phases:
            found = re.search(r"--settle (\S+) ", result.stderr)
            assert found and "in transit" in result.stderr, (side, most, phases, result)
            wires[side].mend()
            cli.troupe("play", "--settle", found.group(1), "--from", wires["from"].url, "--to", wires["to"].url)
            phases = one.state()["phase"], two.state()["phase"]
        tap.equal((side, most, phases.count(RUNNING)), (side, most, 1))
        for wire in wires.values():
            wire.close()
        return phases, passed


def wherever_it_is_cut_it_runs_at_one_of_them():
    whole = {side: cut_and_settle(side, None)[1] for side in ("from", "to")}
    seen = set()
    for side, size in whole.items():
        late = [size - back for back in (1, 90, 260)]  # the answers of the last steps
        cuts = range(0, size, 97) if sys.argv[-1] == "--long" else [size // 2, *late]
        for most in cuts:
            phases, _ = cut_and_settle(side, most)
            seen.add(phases)
    assert (RUNNING, 0) in seen and (GONE, RUNNING) in seen, seen  # cuts on both sides of the handing over


tap.main(a_program_goes_on_at_another_robot, what_does_not_fit_stays, a_wrong_proof_begins_nothing,
         damaged_packages_are_refused, what_is_in_transit_survives_restarts_of_both, a_source_that_was_restarted_takes_its_program_back,
         what_cannot_be_kept_does_not_move_and_damage_is_refused, wherever_it_is_cut_it_runs_at_one_of_them)
