#!/usr/bin/env python3
"""An interface that only the server knows: commands and programs read its description from the server. And what is
said of properties that no device has.  argv: the troupe program, the program client_probe."""
import contextlib
import pathlib
import sys
import tempfile

import player
import tap
from cli import at, troupe

PROGRAM, PROBE = sys.argv[1:3]

BASE = """interface soil_base 221 "Probes."
struct soil_base_probe "A probe." { depth f32 m "Its depth." }
"""
SOIL = """interface soil 220 "What the ground is like."
use soil_base
unit kPa "Thousand pascal."
struct soil_data "What a probe measures." {
    moisture f32 %   "How wet it is."
    tension  f32 kPa "How hard it is to drink."
    frozen   u8 bool "Whether it is frozen."
    probe    soil_base_probe "The probe."
}
data STATE 1 (soil_data) required "What the probe measures."
request GET_PROBE 2 () -> (soil_base_probe) optional reads "Which probe it is."
"""
WORLD = 'position ( name "fox" pose [1 0 0 0] )\nposition ( name "wolf" pose [3 0 0 0] )\n'


@contextlib.contextmanager
def garden():
    """A server with the interface soil, which uses another one."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "soil.padi").write_text(SOIL, encoding="utf-8")
        pathlib.Path(folder, "soil_base.padi").write_text(BASE, encoding="utf-8")
        text = f'interface ( file "{folder}/soil.padi" )\ndriver ( name "fake" provides [ "soil:0" "laser:0" ] )'
        with player.server(PROGRAM, text) as server:
            yield at(server)


def devices_are_listed_with_their_interface():
    with garden() as url:
        tap.equal([line.split()[0] for line in troupe("list", url).stdout.splitlines()[2:]], ["soil:0", "laser:0"])


def statistics_name_them():
    with garden() as url:
        names = [line.split()[0] for line in troupe("stat", url).stdout.splitlines() if " fake0 " in line]
        tap.equal(names, ["soil:0", "laser:0"])


def data_is_printed_with_its_units():
    with garden() as url:
        result = troupe("print", "soil:0", "--count", "1", "--human", url=url)
        tap.equal((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        tap.equal([line.split(":")[0] for line in lines[1:]], ["  moisture", "  tension", "  frozen", "  probe", "    depth"])
        tap.equal((lines[1][-2:], lines[2][-4:], lines[5][-2:]), (" %", " kPa", " m"))
        tap.equal(lines[3] in ("  frozen: yes", "  frozen: no"), True)


def requests_are_made():
    with garden() as url:
        result = troupe("request", "soil:0", "GET_PROBE", url=url)
        tap.equal((result.returncode, result.stderr, result.stdout.split(":")[0]), (0, "", "soil_base_probe\n  depth"))


def lines_to_copy_name_the_server():
    with garden() as url:
        for arguments, environment, device in ((("--url", url, "soil"), None, f"--url {url} soil"), (("soil",), url, "soil"),
                                               ((f"{url}/soil",), None, f"{url}/soil")):
            lines = troupe("request", *arguments, url=environment).stdout.splitlines()
            tap.equal((lines[3], lines[6]), (f"  troupe request {device} GET_PROBE",
                                             f"What the fields mean: troupe interfaces soil --url {url}"))
            result = troupe(*lines[6].split()[5:])
            tap.equal((result.returncode, result.stdout.splitlines()[0], result.stderr), (0, "soil, code 220", ""))


def a_mistyped_name_is_compared_with_them():
    with garden() as url:
        result = troupe("print", "sol:0", url=url)
        tap.equal((result.returncode, result.stderr),
                  (1, 'troupe print: there is no interface "sol"; did you mean "soil"?\n'))


def forwarding(url):
    """Configurations of servers that offer the device of the first."""
    host, port = url.rsplit(":", 1)
    return (f'driver ( name "remote" url "tcp:{url}" provides [ "soil:3" ] devices [ "soil:0" ] )',
            'driver ( name "passthrough" requires [ "soil:2" ] provides [ "soil:3" ] )\n'
            f'driver ( name "remote" url "tcp:{url}" provides [ "soil:2" ] devices [ "soil:0" ] )',
            f'driver ( name "passthrough" requires [ ":{host}:{port}:soil:0" ] provides [ "soil:3" ] )')


def a_server_that_forwards_reads_the_description_too():
    with garden() as url:
        for text in forwarding(url):
            with player.server(PROGRAM, text) as server:
                result = troupe("print", "soil:3", "--count", "1", "--human", url=at(server))
                tap.equal((result.returncode, result.stderr), (0, ""))
                tap.equal([line.split(":")[0].strip() for line in result.stdout.splitlines()[1:]],
                          ["moisture", "tension", "frozen", "probe", "depth"])


def a_server_that_cannot_be_asked_is_reported_with_a_way_out():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.cfg")
        for text in forwarding("127.0.0.1:9"):
            path.write_text(text, encoding="utf-8")
            result = troupe("check", str(path))
            tap.equal((result.returncode, "start its server first, or add interface ( file \"soil.padi\" ); connect to tcp:127.0.0.1:9: "
                       in result.stderr), (1, True))
            path.write_text(text.replace("soil:", "lazer:"), encoding="utf-8")
            tap.equal('there is no interface "lazer"; did you mean "laser"?'
                      in troupe("check", str(path)).stderr, True)


def the_way_out_is_a_copy_of_the_files():
    with garden() as url, tempfile.TemporaryDirectory() as folder:
        for name in ("soil", "soil_base"):
            result = troupe("interfaces", name, "--padi", "--url", url)
            tap.equal((result.returncode, result.stderr), (0, ""))
            pathlib.Path(folder, f"{name}.padi").write_text(result.stdout, encoding="utf-8")
        path = pathlib.Path(folder, "x.cfg")
        for text in forwarding("127.0.0.1:9"):
            path.write_text('interface ( file "soil.padi" )\n' + text, encoding="utf-8")
            tap.equal(troupe("check", str(path)).returncode, 0)
    result = troupe("interfaces", "--padi")
    tap.equal(result.stderr, "troupe interfaces: --padi needs the NAME of an interface\nTry: troupe interfaces --help\n")


def recordings_describe_them():
    """What reads a recording needs no file: tables, lists and pictures."""
    with garden() as url, tempfile.TemporaryDirectory() as folder:
        for form in ("json", "xdr"):
            path = f"{folder}/{form}.mcap"
            tap.equal(troupe("log", "soil:0", "-o", path, "-n", "3", "--form", form, url=url).returncode, 0)
            result = troupe("log", "csv", path)
            tap.equal((result.returncode, result.stderr, len(result.stdout.splitlines())), (0, "", 4))
            tap.equal("soil:0 STATE moisture" in result.stdout and "(kPa)" in result.stdout, True)
        tap.equal(troupe("log", "soil:0", "-o", f"{folder}/t.csv", "-n", "2", url=url).returncode, 0)
        with open(f"{folder}/t.csv", encoding="utf-8") as table:
            tap.equal(len(table.readlines()), 3)


def programs_open_and_find_them():
    with garden() as url:
        tap.equal(tap.run([PROBE, "look", f"tcp:{url}"]).stdout.splitlines()[-2:], ["soil:0 fake", "laser:0 fake"])
        tap.equal(tap.run([PROBE, "find", f"tcp:{url}", "soil", "driver = fake"]).stdout.splitlines()[1], "found soil:0")


def properties_that_no_device_has_are_told():
    with garden() as url:
        result = troupe("list", "--where", "max_rnge > 5", url)
        tap.equal((result.returncode, result.stderr),
                  (1, 'troupe list: --where: no device has a property "max_rnge"; did you mean "max_range"?\n'))
        tap.equal(result.stdout, "")
        for wrong, right in (("nmae", "name"), ("drivr", "driver"), ("hieght", "height")):
            tap.equal(troupe("list", "--where", f"{wrong} = 1", url).stderr,
                      f'troupe list: --where: no device has a property "{wrong}"; did you mean "{right}"?\n')
        tap.equal(troupe("list", "--where", "max_range > 1e9", url).stderr, "")
        result = troupe("property", "soil:0", "colour", url=url)
        tap.equal(result.stderr.startswith('troupe property: soil:0 has no property "colour"; it has rate, noise'), True)


def devices_are_found_by_the_name_that_lists_show():
    with tempfile.NamedTemporaryFile("w", suffix=".world") as world:
        world.write(WORLD)
        world.flush()
        with player.launched([PROGRAM, "sim", world.name, "--any-port"]) as server:
            for wanted, device in (("name = wolf", "position2d:1"), ("name = fox", "position2d:0")):
                result = tap.run([PROBE, "find", f"tcp:{at(server)}", "position2d", wanted])
                tap.equal(result.stdout.splitlines()[1], f"found {device}")
            result = tap.run([PROBE, "find", f"tcp:{at(server)}", "position2d", "name = bear"])
            tap.equal(result.stdout.splitlines()[1],
                      'failed: no position2d meets "name = bear": position2d:0 has name = fox; '
                      'position2d:1 has name = wolf')


tap.main(devices_are_listed_with_their_interface, statistics_name_them, lines_to_copy_name_the_server, data_is_printed_with_its_units, requests_are_made,
         a_mistyped_name_is_compared_with_them, a_server_that_forwards_reads_the_description_too,
         a_server_that_cannot_be_asked_is_reported_with_a_way_out, the_way_out_is_a_copy_of_the_files,
         recordings_describe_them, programs_open_and_find_them, properties_that_no_device_has_are_told,
         devices_are_found_by_the_name_that_lists_show)
