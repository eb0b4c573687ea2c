#!/usr/bin/env python3
"""Draws what the worlds beside it need and nobody would draw by hand: cave.png, track.png and swarm.world.

    worlds/draw.py [FOLDER]                      into this folder, or another one
    worlds/draw.py --pictures PROGRAM [FOLDER]   the pictures of all worlds in docs/worlds, or another folder, drawn by
                                                 the troupe program

The same every time: the tests draw everything anew and compare.
"""
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib


class Chance:
    """Numbers from 0 to 1 that are the same everywhere."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) / 2**31


# ---- Pictures --------------------------------------------------------------------------------------


def png(rows, depth):
    """A grey picture with 1 or 8 bits for each pixel; rows are bytes."""
    width = len(rows[0]) * 8 // depth if depth == 1 else len(rows[0])

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packed = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), depth, 0, 0, 0, 0)) +
            chunk(b"IDAT", packed) + chunk(b"IEND", b""))


def bits(row):
    """Pixels that are true become black."""
    return bytes(sum((not row[i + k]) << (7 - k) for k in range(8)) for i in range(0, len(row), 8))


# ---- The cave --------------------------------------------------------------------------------------


def cave():
    """Rock with halls and passages: what lies near a few winding ways is hollow."""
    width, height_px, per_metre = 704, 448, 25
    pillars = [(23.2, 12.6, 0.75), (4.6, 4.9, 0.6), (13.6, 9.3, 0.8)]
    chance = Chance(3)
    waves = [(2 * math.pi / (20 + 90 * chance()), 2 * math.pi * chance(), 2 * math.pi * chance()) for _ in range(14)]
    halls = [(5, 4.5, 3.0), (5.5, 12.8, 2.9), (13.2, 8.8, 3.4), (14.5, 14.6, 2.0), (22.5, 4.6, 3.1), (23.0, 13.2, 3.3),
             (14.0, 3.0, 1.9)]
    ways = [(0, 1, 1.5), (0, 6, 1.4), (6, 4, 1.5), (1, 2, 1.6), (2, 3, 1.4), (2, 4, 1.5), (4, 5, 1.6), (3, 5, 1.4)]

    def away(x, y, p, q):
        """From the line between two halls."""
        (px, py, _), (qx, qy, _) = halls[p], halls[q]
        share = ((x - px) * (qx - px) + (y - py) * (qy - py)) / ((qx - px) ** 2 + (qy - py) ** 2)
        share = min(max(share, 0), 1)
        return math.hypot(x - px - share * (qx - px), y - py - share * (qy - py))

    def height(i, k):
        """Below 0 there is rock."""
        rough = sum(math.sin(w * (i * math.cos(a) + k * math.sin(a)) + p) / (40 * w) for w, a, p in waves)
        x, y = i / per_metre, k / per_metre
        room = max(max(r - math.hypot(x - hx, y - hy) for hx, hy, r in halls), max(w - away(x, y, p, q) for p, q, w in ways))
        pillar = min(math.hypot(x - px, y - py) - r for px, py, r in pillars)
        edge = min(x, y, width / per_metre - x, height_px / per_metre - y)
        return min(min(room, pillar + 0.4 * rough) + 0.65 * rough, edge - 0.3)

    # every fourth pixel is enough; what lies between is between
    coarse = [[height(4 * i, 4 * k) for i in range(width // 4 + 1)] for k in range(height_px // 4 + 1)]

    def rock(i, k):
        (a, u), (b, v) = divmod(i, 4), divmod(k, 4)
        upper = coarse[b][a] * (4 - u) + coarse[b][a + 1] * u
        lower = coarse[b + 1][a] * (4 - u) + coarse[b + 1][a + 1] * u
        return upper * (4 - v) + lower * v < 0

    return png([bits([rock(i, k) for i in range(width)]) for k in range(height_px)], 1)


# ---- The track -------------------------------------------------------------------------------------


def track_points():
    """A closed line through some places, in metres from the lower left corner of 4 by 2.5 m: each piece is the
    curve that leads smoothly from one place to the next."""
    places = [(0.35, 1.25), (0.60, 2.05), (1.35, 2.10), (1.65, 1.50), (2.10, 1.25), (2.45, 1.75), (3.05, 2.10),
              (3.60, 1.70), (3.15, 1.15), (3.55, 0.55), (2.75, 0.35), (2.00, 0.65), (1.20, 0.38), (0.60, 0.50)]
    points = []
    for i in range(len(places)):
        p, q, r, s = (places[(i + k - 1) % len(places)] for k in range(4))
        for step in range(80):
            t = step / 80
            points.append(tuple(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t +
                                       (3 * b - a - 3 * c + d) * t**3) for a, b, c, d in zip(p, q, r, s)))
    return points


def track():
    """A dark line, three centimetres wide, on a light floor, soft at its edges as a print is."""
    width, height, per_metre = 800, 500, 200
    near = {}
    for x, y in track_points():
        for i in range(int(x * per_metre) - 9, int(x * per_metre) + 10):
            for k in range(int(y * per_metre) - 9, int(y * per_metre) + 10):
                distance = math.hypot((i + 0.5) / per_metre - x, (k + 0.5) / per_metre - y)
                near[i, k] = min(near.get((i, k), 1), distance)

    def shade(i, k):
        share = min(max((near.get((i, height - 1 - k), 1) - 0.0125) / 0.005, 0), 1)
        return round(25 + 220 * share)

    return png([bytes(shade(i, k) for i in range(width)) for k in range(height)], 8)


# ---- The swarm -------------------------------------------------------------------------------------

SWARM = """# swarm.world - eighty small robots leave a nest and spread out. Written by draw.py.

name "swarm"
interval_sim 100

include "things.inc"
include "robots/mite.inc"

window ( size [800 520] center [0 0] scale 85 )

wall ( pose [0 3 0 0] size [9.1 0.1 0.4] )
wall ( pose [0 -3 0 0] size [9.1 0.1 0.4] )
wall ( pose [-4.5 0 0 0] size [0.1 6 0.4] )
wall ( pose [4.5 0 0 0] size [0.1 6 0.4] )

pillar ( pose [-2.2 1.3 0 0] size [0.7 0.7 0.4] )
pillar ( pose [2.3 1.5 0 0] size [0.5 0.5 0.4] )
pillar ( pose [2.6 -1.4 0 0] size [0.8 0.8 0.4] )
pillar ( pose [-2.5 -1.6 0 0] size [0.5 0.5 0.4] )
wall ( pose [0.4 2.0 0 70] size [1.2 0.1 0.4] )
wall ( pose [-0.5 -2.0 0 60] size [1.2 0.1 0.4] )

"""


def swarm():
    """Rings of robots that look outwards, each ring in a colour of its own."""
    colours = ["0.86 0.32 0.25", "0.93 0.58 0.18", "0.55 0.66 0.25", "0.18 0.56 0.53", "0.24 0.42 0.66"]
    text, number = SWARM, 0
    for ring, colour in enumerate(colours):
        count = 6 + 5 * ring
        for i in range(count):
            angle = 2 * math.pi * (i + 0.37 * ring) / count
            radius = 0.24 + 0.20 * ring
            number += 1
            text += (f'mite ( name "m{number}" pose [{radius * math.cos(angle):.3f} {radius * math.sin(angle):.3f} 0 '
                     f'{math.degrees(angle):.0f}] color_rgba [{colour} 1] ctrl "expand" )\n')
    return text.encode()


# ---- All of it -------------------------------------------------------------------------------------

HERE = pathlib.Path(__file__).parent
PICTURES = {"cave": (1500, "640x420"), "classroom": (300, "560x440"), "office": (900, "640x400"), "swarm": (40, "450x310"),
            "track": (900, "640x420"), "warehouse": (500, "720x440")}  # steps, size


def readme_world():
    """The one that the README tells to write."""
    text = (HERE.parent / "README.md").read_text(encoding="utf-8")
    return text[text.index("# my.world\n"):].split("```")[0]


def pictures(program, folder):
    """As small as they are still clear."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as elsewhere:
        world = pathlib.Path(elsewhere) / "my.world"
        world.write_text(readme_world(), encoding="utf-8")
        subprocess.run([program, "sim", world, "--quiet", "--steps", "300", "--size", "560x370", "--render",
                        folder / "my.png"], check=True)
    for name, (steps, size) in PICTURES.items():
        subprocess.run([program, "sim", HERE / f"{name}.world", "--quiet", "--steps", str(steps), "--size", size,
                        "--render", folder / f"{name}.png"], check=True)


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--pictures"]:
        pictures(arguments[1], pathlib.Path(arguments[2]) if len(arguments) > 2 else HERE.parent / "docs" / "worlds")
        return
    folder = pathlib.Path(arguments[0]) if arguments else HERE
    for name, make in (("cave.png", cave), ("track.png", track), ("swarm.world", swarm)):
        (folder / name).write_bytes(make())


main()
