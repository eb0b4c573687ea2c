#!/usr/bin/env python3
"""Lockstep through the server: two programs that keep in step with a world get the same bits in every run, with any
number of threads and on a machine that is busy.  argv: the troupe program, the source root."""
import hashlib
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import keys
import player
import tap
from player import ACK, COMMAND, DATA, NACK, POSITION2D

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
YARD = ROOT / "tests/data/sim/yard.world"
SIMULATION, CAMERA, RANGER, WORLD = 31, 40, 62, 240
STEPS = 100
MANY = 60000  # steps


def configuration(threads, lockstep="yes"):
    return f"""
driver ( name "sim" worldfile "{YARD}" provides [ "world:0" "simulation:0" ] lockstep {lockstep} threads {threads} lease 0 )
driver ( name "sim" provides [ "position2d:0" "ranger:0" "ranger:1" ] model "r0" )
driver ( name "sim" provides [ "position2d:1" "ranger:2" "ranger:3" ] model "r10" )
"""


class Robot:
    """A program that turns away from what is near, and keeps all that it was told."""

    def __init__(self, address, index, idle=0.0):
        self.client = player.Client(address)
        self.index = index
        self.sum = hashlib.sha256()
        self.client.open(POSITION2D, index)
        self.client.open(RANGER, 2 * index + 1)
        self.client.open(WORLD, 0)
        self.idle = idle

    def note(self, message):
        self.sum.update(struct.pack(">IIId", message.interf, message.index, message.subtype, message.time))
        self.sum.update(message.body)

    def wait_for(self, number):
        message = self.client.message()
        while message.type != ACK or message.seq != number:
            self.note(message)
            message = self.client.message()

    def run(self, steps):
        nearest = 8.0
        for _ in range(steps):
            turn = 1.0 if nearest < 1.0 else 0.0
            self.client.send(POSITION2D, self.index, COMMAND, 1,
                             struct.pack(">dddI", 0.8 * (1 - turn), 0, turn * (1 - 2 * self.index), 1))
            for _ in range(int(self.idle * 1e6)):
                pass
            reply = self.client.request(WORLD, 0, 2, struct.pack(">I", 1))
            tap.equal(reply.type, ACK)
            for message in self.client.passed:
                if message.type == DATA:
                    self.note(message)
                    if message.interf == RANGER and message.subtype == 1:
                        nearest = min(struct.unpack_from(f">{181}d", message.body, 8))
        self.last = struct.unpack_from(">d", reply.body)[0]


def play(threads=1, idle=(0.0, 0.0)):
    """What both robots have seen, as one sum each."""
    with player.server(PROGRAM, configuration(threads)) as running:
        robots = [Robot(running.address, index, idle[index]) for index in (0, 1)]
        workers = [threading.Thread(target=robot.run, args=(STEPS,)) for robot in robots]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for robot in robots:
            robot.client.socket.close()
        assert all(abs(robot.last - STEPS / 10) < 1e-9 for robot in robots), [robot.last for robot in robots]
        return [robot.sum.hexdigest() for robot in robots]


def two_programs_get_the_same_bits_in_every_run():
    first = play()
    tap.equal(play(), first)
    tap.equal(play(threads=3), first)
    tap.equal(play(idle=(0.05, 0.0)), first)  # one of them is slow
    assert first[0] != first[1]


def state_of(client):
    """How late it is, and how many wait for a step."""
    body = client.request(WORLD, 0, 1).body
    return struct.unpack_from(">d", body)[0], struct.unpack(">I", body[-4:])[0]


def play_as_they_come(first):
    """What both have seen when one asks for its first step before the other is there."""
    with player.server(PROGRAM, configuration(1, lockstep=2)) as running:
        early = Robot(running.address, first)
        number = early.client.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", 1))
        tap.equal(state_of(early.client), (0.0, 1))
        late = Robot(running.address, 1 - first)
        late.wait_for(late.client.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", 1)))
        early.wait_for(number)
        worker = threading.Thread(target=early.run, args=(STEPS,))
        worker.start()
        late.run(STEPS)
        worker.join()
        for robot in (early, late):
            robot.client.socket.close()
            tap.equal(round(robot.last, 9), (STEPS + 1) / 10)
        return [robot.sum.hexdigest() for robot in sorted((early, late), key=lambda robot: robot.index)]


def so_many_take_part_whoever_comes_first():
    bits = [play_as_they_come(run % 2) for run in range(6)]
    tap.equal(bits, [bits[0]] * 6)


def who_asks_twice_is_still_one():
    with player.server(PROGRAM, configuration(1, lockstep=2)) as running:
        with player.Client(running.address) as one, player.Client(running.address) as two:
            one.open(WORLD, 0)
            numbers = [one.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", 1)) for _ in range(2)]
            tap.equal(state_of(one), (0.0, 2))
            two.open(WORLD, 0)
            two.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", 1))
            for number in numbers:
                reply = one.message()
                tap.equal((reply.type, reply.seq), (ACK, number))


def a_number_of_programs_is_checked():
    for text in "1001", "-1", "2.5", '"many"':
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.cfg")
            path.write_text(configuration(1, lockstep=text))
            done = subprocess.run([PROGRAM, "check", str(path)], capture_output=True, text=True)
        assert done.returncode != 0, done
        word = text.strip('"')
        assert f'lockstep is yes, no or a number up to 1000, not "{word}"' in done.stderr + done.stdout, done


def time_waits_for_whoever_takes_part():
    with player.server(PROGRAM, configuration(1)) as running:
        with player.Client(running.address) as one, player.Client(running.address) as two:
            one.open(WORLD, 0)
            two.open(WORLD, 0)
            number = one.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", 5))
            for _ in range(20):  # it is not answered, whatever else is done
                reply = two.request(WORLD, 0, 1)
                tap.equal(struct.unpack_from(">d", reply.body)[0], 0.0)
            two.socket.close()  # not another word: its part is over
            reply = one.message()
            tap.equal((reply.type, reply.seq), (ACK, number))
            assert abs(struct.unpack_from(">d", reply.body)[0] - 0.5) < 1e-9


def lockstep_can_be_ended_and_begun_by_request():
    with player.server(PROGRAM, configuration(1)) as running:
        with player.Client(running.address) as client:
            client.open(WORLD, 0)
            client.open(POSITION2D, 0)
            tap.equal(client.request(WORLD, 0, 5, struct.pack(">I", 0)).type, ACK)
            message = client.data()  # time moves by itself now
            tap.equal(message.interf, POSITION2D)
            tap.equal(client.request(WORLD, 0, 5, struct.pack(">I", 1)).type, ACK)
            before = struct.unpack_from(">d", client.request(WORLD, 0, 1).body)[0]
            after = struct.unpack_from(">d", client.request(WORLD, 0, 2, struct.pack(">I", 1)).body)[0]
            assert abs(after - before - 0.1) < 1e-9, (before, after)


def of_many_steps_at_once_none_is_lost():
    """More than the queue of a client takes; what it gets last is the newest."""
    for lockstep in ("yes", "no paused yes"):
        with player.server(PROGRAM, configuration(1, lockstep)) as running:
            with player.Client(running.address) as client:
                client.open(WORLD, 0)
                client.open(POSITION2D, 0)
                client.request(WORLD, 0, 2, struct.pack(">I", 3000))
                times = [message.time for message in client.passed if message.interf == POSITION2D]
                tap.equal((len(times), round(times[-1], 6)), (3000, 300.0))


def simulated_s(client):
    """The time of the world, from one who takes no part in it."""
    reply = client.request(SIMULATION, 0, 5, player.text("r0") + player.text("time") + struct.pack(">III", 0, 0, 0))
    tap.equal(reply.type, ACK)
    return struct.unpack("=Q", reply.body[-8:])[0] / 1e6


def stands(client):
    """When the time of the world has come to a halt: it is then."""
    now, same = simulated_s(client), 0
    while same < 200:
        before, now = now, simulated_s(client)
        same = same + 1 if now == before else 0
    return now


def narrow(address):
    """A client whose socket takes little, and who therefore is soon behind."""
    client = player.Client(address)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.open(WORLD, 0)
    client.open(POSITION2D, 0)
    return client


def widen(client):
    """From now on it reads as fast as it can."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)


def steps_wait_for_who_reads_slowly():
    """More than its socket and its queue take together. Meanwhile the server serves others, and whoever takes no part
    and does not read holds up nobody."""
    for lockstep in ("yes", "no paused yes"):
        with player.server(PROGRAM, configuration(1, lockstep)) as running, narrow(running.address) as slow, \
                player.Client(running.address) as observer, player.Client(running.address) as idle:
            observer.open(SIMULATION, 0)
            idle.open(POSITION2D, 0)
            number = slow.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", MANY))
            assert 0 < stands(observer) < MANY / 10
            widen(slow)
            times = []
            message = slow.message()
            while message.type == DATA:
                times.append(round(message.time * 10))
                message = slow.message()
            tap.equal((message.type, message.seq), (ACK, number))
            tap.equal(times, list(range(1, MANY + 1)))
            tap.equal(simulated_s(observer), MANY / 10)


def one_step_may_be_more_than_a_queue_takes():
    """Pictures of 18 MB, for one who begins to read when they are there."""
    eyes = "\n".join(f'camera ( resolution [640 480] fov [60 45] pose [0 0 0 {18 * i}] )' for i in range(20))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "eyes.world")
        path.write_text(f'model ( name "wall" pose [3 0 0 0] size [0.1 4 1] )\n'
                        f'position ( name "r0" size [0.4 0.4 0.4]\n{eyes} )\n', encoding="ascii")
        text = (f'driver ( name "stage" worldfile "{path}" provides [ "world:0" "simulation:0" ] lockstep yes lease 0 )\n'
                + "\n".join(f'driver ( name "stage" provides [ "camera:{i}" ] model "r0" )' for i in range(20)))
        with player.server(PROGRAM, text) as running, player.Client(running.address) as slow, \
                player.Client(running.address) as observer:
            observer.open(SIMULATION, 0)
            slow.open(WORLD, 0)
            for i in range(20):
                slow.open(CAMERA, i)
            number = slow.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", 3))
            stands(observer)
            seen = []
            message = slow.message()
            while message.type == DATA:
                if message.interf == CAMERA:
                    seen.append((round(message.time * 10), message.index))
                message = slow.message()
            tap.equal((message.type, message.seq), (ACK, number))
            tap.equal(sorted(seen), [(step, i) for step in (1, 2, 3) for i in range(20)])


def who_leaves_while_it_is_waited_for_holds_up_nobody():
    with player.server(PROGRAM, configuration(1)) as running, player.Client(running.address) as other, \
            player.Client(running.address) as observer:
        observer.open(SIMULATION, 0)
        other.open(WORLD, 0)
        other.open(POSITION2D, 0)
        slow = narrow(running.address)
        slow.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", MANY))
        number = other.send(WORLD, 0, player.REQUEST, 2, struct.pack(">I", MANY))
        assert 0 < stands(observer) < MANY / 10
        slow.socket.close()
        count = 0
        message = other.message()
        while message.type == DATA:
            count += 1
            message = other.message()
        tap.equal((message.type, message.seq, count), (ACK, number, MANY))


def a_client_that_may_only_read_does_not_take_part():
    """Neither one that asks for nothing nor one that does not read holds up a client with a key."""
    with player.server(PROGRAM, 'keys [ "anna write sesame" ]\n' + configuration(1)) as running, \
            player.Client(running.address) as owner, player.Client(running.address) as guest:
        tap.equal(keys.prove(owner, "sesame").type, ACK)
        owner.open(WORLD, 0)
        guest.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        for interface, index in ((WORLD, 0), (RANGER, 0), (RANGER, 1), (RANGER, 2), (RANGER, 3)):
            guest.open(interface, index)
        tap.equal(guest.request(WORLD, 0, 2, struct.pack(">I", 1)).type, NACK)
        state = owner.request(WORLD, 0, 2, struct.pack(">I", 2000)).body
        tap.equal(struct.unpack_from(">q", state, 24)[0], 2000)
        tap.equal(struct.unpack_from(">I", state, 44)[0], 1)  # one takes part


def pace(address, nodelay):
    """Seconds for some steps, each with a command before it: two small messages one after the other."""
    with player.Client(address) as client:
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, nodelay)
        client.open(WORLD, 0)
        client.open(POSITION2D, 0)
        begun = time.monotonic()
        for _ in range(20):
            client.send(POSITION2D, 0, COMMAND, 1, struct.pack(">dddI", 0.1, 0, 0, 1))
            client.request(WORLD, 0, 2, struct.pack(">I", 1))
        return time.monotonic() - begun


def who_does_not_send_at_once_is_not_kept_waiting():
    """The kernel of such a client holds the second message back until the first is acknowledged, 40 ms later."""
    with player.server(PROGRAM, configuration(1)) as running:
        rounds = [(pace(running.address, 0), pace(running.address, 1)) for _ in range(7)]
        slow, quick = (min(times) for times in zip(*rounds))
        assert slow < 8 * quick + 0.1, rounds  # 0.8 s otherwise


tap.main(two_programs_get_the_same_bits_in_every_run, so_many_take_part_whoever_comes_first,
         who_asks_twice_is_still_one, a_number_of_programs_is_checked, time_waits_for_whoever_takes_part,
         lockstep_can_be_ended_and_begun_by_request, of_many_steps_at_once_none_is_lost,
         steps_wait_for_who_reads_slowly, one_step_may_be_more_than_a_queue_takes, who_leaves_while_it_is_waited_for_holds_up_nobody,
         a_client_that_may_only_read_does_not_take_part, who_does_not_send_at_once_is_not_kept_waiting)
