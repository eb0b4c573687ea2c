#!/usr/bin/env python3
"""What clients can ask the server that Player does not know: hello, rate, statistics, frames.  argv: the troupe program."""
import math
import struct
import sys

import player
import tap
from player import ACK, DATA, LASER, NACK, PLAYER, POSITION2D

PROGRAM = sys.argv[1]
ROBOT = """
driver ( name "fake" provides [ "position2d:0" "laser:0" ] rate 100 position [ 0.1 0.2 0.3 ] )
driver ( name "fake" provides [ "6666:sonar:0" ] )
"""
HELLO, RATE, STATISTICS, FRAMES, TRANSFORM = 200, 201, 202, 203, 204


def connected(test):
    def run():
        with player.server(PROGRAM, ROBOT) as server, player.Client(server.address) as client:
            test(client)
    run.__name__ = test.__name__
    return run


def why(reply):
    """The sentence of a refusal."""
    body = player.Body(reply.body)
    tap.equal((reply.type, body.take("i") < 0), (NACK, True))
    return body.text()


def rate(client, index, number):
    return client.request(PLAYER, 0, RATE, struct.pack(">IIIId", 0, 0, LASER, index, number))


def transform(client, source, target):
    return client.request(PLAYER, 0, TRANSFORM, player.text(source) + player.text(target) + bytes(8 * 7))


@connected
def hello_is_answered_with_version_features_and_name(client):
    reply = client.hello()
    body = player.Body(reply.body)
    tap.equal((reply.type, body.take("II"), body.text()), (ACK, (1, 7), "troupe"))
    body.end()


@connected
def extensions_are_for_those_who_ask(client):
    """SPEED_PID (7) is an extension of position2d, which fake does not have."""
    pid = struct.pack(">fff", 1, 0, 0)
    client.hello(1)
    client.open(POSITION2D, 0)
    tap.equal("ask for extensions" in why(client.request(POSITION2D, 0, 7, pid)), True)
    client.hello(1 | 4)
    tap.equal("ask for extensions" in why(client.request(POSITION2D, 0, 7, pid)), False)


@connected
def a_rate_thins_data_out(client):
    client.open(LASER, 0)
    tap.equal((rate(client, 0, 10).type, rate(client, 0, 10).size), (ACK, 0))
    client.data()
    times = [client.data().time for _ in range(11)]
    tap.equal(times[-1] - times[0] > 0.8, True)  # a second at 10 a second; it were 0.1 s at 100
    tap.equal(rate(client, 0, 0).type, ACK)
    before = client.data().time
    while client.data().time - before > 0.05:
        before = client.data().time


@connected
def a_rate_that_cannot_be_is_refused(client):
    client.hello()
    tap.equal(why(rate(client, 9, 10)), "there is no such device")
    tap.equal(why(rate(client, 0, 10)), "the device is not open")
    client.open(LASER, 0)
    for number in (-1, math.nan, math.inf, -math.inf):
        tap.equal(why(rate(client, 0, number)), "a rate is a number from 0 up")
    tap.equal(why(client.request(PLAYER, 0, RATE)), "message too short")


@connected
def statistics_tell_what_was_done(client):
    client.hello(1, "the tester")
    client.open(LASER, 0)
    client.send(POSITION2D, 0, player.COMMAND, 1, struct.pack(">dddI", 0, 0, 0, 1))  # not open
    for _ in range(10):
        client.data()
    tap.equal(client.request(LASER, 0, 1).type, ACK)
    uptime, devices, clients = client.statistics()
    tap.equal((uptime > 0, sorted(devices)), (True, [(6665, POSITION2D, 0), (6665, LASER, 0), (6666, 5, 0)]))
    laser = devices[6665, LASER, 0]
    tap.equal({name: laser[name] for name in ("state", "readers", "requests", "failed_requests", "driver", "failure")},
              {"state": 2, "readers": 1, "requests": 1, "failed_requests": 0, "driver": "fake", "failure": ""})
    tap.equal((laser["published"] >= 10, laser["latency_max"] > 0), (True, True))
    tap.equal((devices[6665, POSITION2D, 0]["readers"], devices[6666, 5, 0]["state"]), (0, 0))
    name = "%s:%d" % client.socket.getsockname()
    tap.equal({key: clients[name][key] for key in ("software", "opened", "dropped")},
              {"software": "the tester", "opened": 1, "dropped": 0})
    tap.equal(clients[name]["sent"] >= 13, True)


@connected
def statistics_count_what_is_sent(client):
    """Two of them with nothing in between: the reply to the first is one message."""
    name = "%s:%d" % client.socket.getsockname()
    first = client.statistics()[2][name]["sent"]
    tap.equal(client.statistics()[2][name]["sent"], first + 1)


@connected
def frames_are_listed_with_their_parents(client):
    body = player.Body(client.request(PLAYER, 0, FRAMES).body)

    def frame():
        robot, moves, known = body.take("III")
        pose, _ = body.take("6d"), body.take("d")
        return body.text(), (robot, moves, known, pose, body.text())

    frames = dict(body.array(frame))
    body.end()
    tap.equal(frames["laser:0"], (6665, 0, 1, (0.1, 0.2, 0.3, 0.0, 0.0, 0.0), "base"))


@connected
def a_transform_is_told_or_refused(client):
    body = player.Body(transform(client, "base", "laser:0").body)
    tap.equal((body.text(), body.text(), body.take("7d")), ("base", "laser:0", (-0.1, -0.2, -0.3, 0.0, 0.0, 0.0, 0.0)))
    client.hello()
    tap.equal("nowhere" in why(transform(client, "nowhere", "base")), True)
    tap.equal(why(transform(client, "", "base")), "the name of a frame has 1 to 127 characters")
    tap.equal(why(transform(client, "x" * 200, "base")), "the name of a frame has 1 to 127 characters")


@connected
def a_plain_client_is_refused_without_a_word(client):
    for reply in (rate(client, 9, 1), transform(client, "nowhere", "base")):
        tap.equal((reply.type, reply.size), (NACK, 0))


tap.main(hello_is_answered_with_version_features_and_name, extensions_are_for_those_who_ask, a_rate_thins_data_out,
         a_rate_that_cannot_be_is_refused, statistics_tell_what_was_done, statistics_count_what_is_sent,
         frames_are_listed_with_their_parents, a_transform_is_told_or_refused,
         a_plain_client_is_refused_without_a_word)
