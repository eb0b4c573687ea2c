#!/usr/bin/env python3
"""Worlds and configurations for older Stages and Players behind the Player protocol, as courses still use them: flat
models, lasers and sonars of their own, plug-ins with "lib" before their name.  argv: the troupe program."""
import math
import pathlib
import struct
import sys
import tempfile

import player
import tap
from player import ACK, COMMAND, DATA, POSITION2D

PROGRAM = sys.argv[1]
SIMULATION, LASER, SONAR, BLOBFINDER, PTZ, SPEECH, GRAPHICS2D, GRAPHICS3D, FIDUCIAL = 31, 6, 5, 7, 8, 12, 55, 58, 10

# Flat, with headings behind x and y; the window, the sizes of the world and its cells mean nothing here.
FLAT = """
size [16 16] resolution 0.02 interval_sim 100 interval_real 100 gui_interval 100
window ( size [400 400] center [0 0] scale 0.04 )
define map model ( color "black" gui_nose 0 gui_grid 1 gui_movemask 0 obstacle_return 1 laser_return 1 )
define eyes ranger ( scount 2 spose[0] [0.2 0.1 30] spose[1] [0.2 -0.1 -30] ssize [0.01 0.05] sview [0.1 5 15] )
define robot position
(
  size [0.4 0.3] origin [-0.05 0 0] gui_nose 1 mass 15 drive "diff"
  polygons 1 polygon[0].points 4 polygon[0].filled 1
  polygon[0].point[0] [0.2 0.1] polygon[0].point[1] [-0.2 0.1]
  polygon[0].point[2] [-0.2 -0.1] polygon[0].point[3] [0.2 -0.1]
  localization "gps" localization_origin [0 0 0]
  eyes ( )
)
map ( name "wall" pose [4 0 0] size [0.2 8] )
model ( name "ball" pose [2 0 0] size [0.2 0.2] color "orange" fiducial_return 7 laser_return -1 )
robot ( name "r" pose [0 1 0] fiducial_return 1
  laser ( range_min 0 range_max 8 fov 180 samples 181 size [0.1 0.1]
    fiducialfinder ( range_max 8 range_max_id 5 )
    ptz ( blobfinder ( channel_count 1 channels [ "orange" ] image [80 60] ) ) ) )
"""
CONFIGURATION = """
driver ( name "stage" provides [ "simulation:0" ] plugin "libstageplugin" worldfile "%s" )
driver ( name "stage" provides [ "map:0" ] model "wall" )
driver ( name "stage" model "r" provides [ "position2d:0" "laser:0" "sonar:0" "blobfinder:0" "ptz:0" "fiducial:0"
  "speech:0" "graphics2d:0" "graphics3d:0" ] )
"""


class Flat:
    """A server for the flat world, and a client that has some devices open."""

    def __init__(self, *interfaces):
        self.interfaces = interfaces

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        world = pathlib.Path(self.folder.name) / "flat.world"
        world.write_text(FLAT)
        self.server = player.server(PROGRAM, CONFIGURATION % world)
        self.client = player.Client(self.server.__enter__().address)
        self.client.__enter__()
        for interf in self.interfaces:
            self.client.open(interf, 0)
        return self.client

    def __exit__(self, *why):
        self.client.__exit__(*why)
        self.server.__exit__(*why)
        self.folder.cleanup()


def data_of(client, interf):
    while True:
        message = client.message()
        if (message.type, message.interf) == (DATA, interf):
            return player.Body(message.body)


def near(got, wanted, within=1e-5):
    if not all(abs(a - b) <= within for a, b in zip(got, wanted)):
        raise AssertionError(f"got {got!r}\nwanted {wanted!r}")


def flat_lasers_and_sonars_see_flat_walls():
    with Flat(LASER, SONAR) as client:
        body = data_of(client, LASER)
        near(body.take("ffff"), (-math.pi / 2, math.pi / 2, math.pi / 180, 8))
        ranges = body.array(lambda: body.take("f"))
        tap.equal(len(ranges), 181)
        near([ranges[90]], [3.9])
        near([ranges[60]], [3.9 / math.cos(math.pi / 6)])  # past the ball, which lasers do not see
        body = data_of(client, SONAR)
        near(body.array(lambda: body.take("f"))[:1], [3.7 / math.cos(math.pi / 6)])


def what_stood_on_other_models_is_found():
    with Flat(BLOBFINDER, FIDUCIAL, PTZ) as client:
        body = data_of(client, BLOBFINDER)
        tap.equal(body.take("II"), (80, 60))
        ((_, colour, _, x, y, *_),) = body.array(lambda: body.take("IIIIIIIIIf"))
        tap.equal((colour, x > 40, 25 <= y <= 35), (0xffa500, True, True))  # to the right, level
        body = data_of(client, FIDUCIAL)
        (found,) = body.array(lambda: body.take("i12d"))
        tap.equal(found[0], 7)
        near(found[1:3], (2, -1))


def drawings_and_words_are_taken():
    with Flat(GRAPHICS2D, GRAPHICS3D, SPEECH, SIMULATION, POSITION2D) as client:
        client.send(GRAPHICS2D, 0, COMMAND, 1, b"")
        client.send(GRAPHICS3D, 0, COMMAND, 1, b"")
        client.send(GRAPHICS3D, 0, COMMAND, 3, struct.pack(">ddd", 1, 2, 3))
        client.send(SPEECH, 0, COMMAND, 1, player.text("hello"))
        reply = client.request(SIMULATION, 0, 1, player.text("r") + struct.pack(">ddd", 0, 0, 0))
        tap.equal(reply.type, ACK)
        body = player.Body(reply.body)
        tap.equal((body.text(), body.take("ddd")), ("r", (0, 1, 0)))


def an_older_name_is_a_robot_unless_the_file_knows_the_world():
    twin = 'driver ( name "stage" provides [ "position2d:{}" ] model "{}" )\n'
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "twins.cfg"
        (pathlib.Path(folder) / "twins.world").write_text('name "twins" position ( name "left" ) position ( name "right" pose [2 0 0 0] )')
        world = 'driver ( name "stage" provides [ "simulation:0" ] worldfile "twins.world" )\n'
        path.write_text(world + twin.format(0, "robot1"))
        result = tap.run([PROGRAM, "check", str(path)])
        tap.equal(result.returncode, 0)
        assert 'there is no model "robot1" in the world twins; the first of its robots, left, is taken' in result.stderr, result
        path.write_text(world + twin.format(0, "robot1") + twin.format(1, "right"))
        result = tap.run([PROGRAM, "check", str(path)])
        tap.equal(result.returncode, 1)
        assert 'there is no model "robot1" in the world twins' in result.stderr and "taken" not in result.stderr, result


tap.main(flat_lasers_and_sonars_see_flat_walls, what_stood_on_other_models_is_found, drawings_and_words_are_taken,
         an_older_name_is_a_robot_unless_the_file_knows_the_world)
