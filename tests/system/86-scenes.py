#!/usr/bin/env python3
"""A world as programs see it that draw it: scene:0 through the Player protocol, page by page, while time goes and while it
stands.  argv: the troupe program, the source root.

The shipped worlds are put together from the messages alone, and compared with what `simulation` says."""
import json
import math
import pathlib
import struct
import sys
import tempfile

import cli
import player
import tap
from cli import Running, troupe

ROOT = pathlib.Path(sys.argv[2]).resolve()
WORLDS = ("office", "cave", "warehouse", "classroom", "track", "swarm")


def ask(url, message, value=None, device="scene:0"):
    arguments = ["request", f"{url}/{device}", message] + ([json.dumps(value)] if value is not None else [])
    result = troupe(*arguments, "--json")
    tap.equal((result.returncode, result.stderr), (0, ""))
    return json.loads(result.stdout)


def all_pages(url, message, name):
    items = []
    while True:
        page = ask(url, message, {"first": len(items), "count": 0})
        items += page[name]
        if len(items) >= page["total"]:
            return items
        assert page[name], (message, len(items), page["total"])


def url_of(running):
    line = ""
    while not line.startswith("listening on port "):
        line = running.line()
        assert line, f"it ended: {running.ended()}"
    return "localhost:" + line.split()[3].rstrip(",")


def paused(world, *options):
    """A served world that stands still."""
    text = f'driver ( name "sim" worldfile "{world}" provides "all" paused yes )\n'
    return player.server(cli.PROGRAM, text, options)


def global_pose(models, number):
    model = models[number]
    pose = model["pose"]
    if model["parent"] < 0:
        return pose["px"], pose["py"], pose["pa"]
    x, y, a = global_pose(models, model["parent"])
    return (x + math.cos(a) * pose["px"] - math.sin(a) * pose["py"],
            y + math.sin(a) * pose["px"] + math.cos(a) * pose["py"], a + pose["pa"])


def every_shipped_world_is_told_completely():
    for world in WORLDS:
        with paused(ROOT / f"worlds/{world}.world") as server:
            url = cli.at(server)
            info = ask(url, "GET_INFO")
            models = all_pages(url, "MODELS", "models")
            polygons = all_pages(url, "POLYGONS", "polygons")
            tap.equal((len(models), len(polygons)), (info["models"], info["polygons"]))
            tap.equal([model["model"] for model in models], list(range(len(models))))
            shapes = {polygon["shape"] for polygon in polygons}
            tap.equal(shapes, set(range(info["shapes"])))
            assert all(model["shape"] in shapes or model["shape"] == -1 for model in models)
            assert all(len(polygon["xy"]) >= 6 and len(polygon["xy"]) % 2 == 0 for polygon in polygons)
            robots = [model for model in models if model["robot"]]
            assert robots and all(model["devices"].startswith("position2d:") for model in robots), world
            reach(info["bounds"], models, polygons)


def reach(bounds, models, polygons):
    """The bounds are those of what is drawn."""
    corners = {}
    for polygon in polygons:
        corners.setdefault(polygon["shape"], []).extend(zip(polygon["xy"][::2], polygon["xy"][1::2]))
    xs, ys = [], []
    for model in models:
        x, y, a = global_pose(models, model["model"])
        for px, py in corners.get(model["shape"], ()):
            xs.append(x + math.cos(a) * px - math.sin(a) * py)
            ys.append(y + math.sin(a) * px + math.cos(a) * py)
    if not any(model["kind"] == "floor" for model in models):
        for got, wanted in ((min(xs), "x0"), (max(xs), "x1"), (min(ys), "y0"), (max(ys), "y1")):
            assert abs(got - bounds[wanted]) < 1e-3, (got, bounds)


def lines_on_the_floor_are_pictures():
    with paused(ROOT / "worlds/track.world") as server:
        url = cli.at(server)
        floors = [model for model in all_pages(url, "MODELS", "models") if model["picture_width"]]
        assert floors
        picture = ask(url, "PICTURE", {"model": floors[0]["model"], "reduce": 8})
        tap.equal(picture["width"], -(-floors[0]["picture_width"] // 8))
        result = troupe("request", f"{url}/scene:0", "PICTURE", '{"model": 4000000}')
        tap.equal(result.returncode, 1)
        assert "scene:0: there is no model 4000000: the world has " in result.stderr, result.stderr


def next_poses(client):
    """The next data: time, speed, steps, paused, lockstep, late, and the poses by model."""
    message = client.message()
    while message.type != player.DATA:
        message = client.message()
    head = struct.unpack_from(">ddq3I", message.body)
    count = struct.unpack_from(">I", message.body, 52)[0]
    rows = [struct.unpack_from(">Iddff", message.body, 60 + 28 * i) for i in range(count)]
    return head, {row[0]: row[1:] for row in rows}


def what_is_dragged_in_a_paused_world_is_seen():
    with paused(ROOT / "worlds/office.world") as server:
        url = cli.at(server)
        model = next(m for m in all_pages(url, "MODELS", "models") if m["robot"])
        client = player.Client(server.address)
        client.open(244, 0)
        ask(url, "SET_POSE2D", {"name": model["name"], "pose": {"px": 1.25, "py": -0.5, "pa": 1}}, "simulation:0")
        head, poses = next_poses(client)
        while model["model"] not in poses:
            head, poses = next_poses(client)
        tap.equal((head[2:4], poses[model["model"]][:2]), ((0, 1), (1.25, -0.5)))


def poses_are_those_of_the_simulator():
    """Of a world that runs."""
    with Running("sim", str(ROOT / "worlds/office.world"), "--any-port", "--speed", "20") as running:
        url = url_of(running)
        models = all_pages(url, "MODELS", "models")
        ask(url, "PAUSE", {"paused": 1}, "world:0")
        moved = ask(url, "POSES", {"first": 0, "count": 0})
        assert moved["poses"] and moved["end"] == len(models), moved
        for pose in moved["poses"][:6]:
            name = models[pose["model"]]["name"]
            told = ask(url, "GET_POSE2D", {"name": name}, "simulation:0")["pose"]
            assert abs(told["px"] - pose["px"]) + abs(told["py"] - pose["py"]) < 1e-9, (name, told, pose)
        tap.equal(running.interrupt()[0], 0)


def ten_thousand_models_come_in_bounded_messages():
    with tempfile.TemporaryDirectory() as folder:
        world = pathlib.Path(folder) / "many.world"
        world.write_text('name "many"\ndefine top position ( size [0.2 0.2 0.2] velocity [0 0 0 20] )\n' + "".join(
            f'top ( name "t{i}" pose [{i % 100} {i // 100} 0 0] )\n' for i in range(10000)))
        with paused(world) as server:
            client = player.Client(server.address)
            client.open(244, 0)
            total, got = 1, 0
            while got < total:
                reply = client.request(244, 0, 2, struct.pack(">II", got, 0))
                tap.equal(reply.type, player.ACK)
                total, count = struct.unpack_from(">II", reply.body, 4)
                assert 0 < count <= 1000 and len(reply.body) < 500000, (count, len(reply.body))
                got += count
            tap.equal(total, 10000)
            other = player.Client(server.address)
            other.open(240, 0)
            tap.equal(other.request(240, 0, 2, struct.pack(">I", 1)).type, player.ACK)
            poses = {}
            while not poses:
                head, poses = next_poses(client)
            tap.equal((head[2], len(poses)), (1, 10000))


def hostile_pages_are_harmless():
    with paused(ROOT / "worlds/classroom.world") as server:
        client = player.Client(server.address)
        client.open(244, 0)
        worst = 0xffffffff
        for code, body in ((2, (worst, worst)), (3, (worst, worst)), (4, (worst, worst)), (6, (worst, 0)), (3, (0, worst)),
                           (5, (0, worst, worst, worst)), (2, (5, worst))):
            reply = client.request(244, 0, code, struct.pack(f">{len(body)}I", *body))
            assert reply.type in (player.ACK, player.NACK)
        for code in range(1, 7):
            reply = client.request(244, 0, code, b"\xff" * 3)
            tap.equal(reply.type, player.NACK if code > 1 else reply.type)
        tap.equal(client.request(244, 0, 1).type, player.ACK)


tap.main(every_shipped_world_is_told_completely, lines_on_the_floor_are_pictures, what_is_dragged_in_a_paused_world_is_seen,
         poses_are_those_of_the_simulator, ten_thousand_models_come_in_bounded_messages, hostile_pages_are_harmless)
