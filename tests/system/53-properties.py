#!/usr/bin/env python3
"""troupe property: listing, reading, setting.  argv: the troupe program."""
import concurrent.futures
import json
import struct

import cli
import tap
from cli import Puppet, prints, says, serving, troupe, usage

LASER = 'driver ( name "fake" provides [ "laser:0" ] rate 20 seed 7 )'


@serving(LASER)
def properties_are_a_table(url):
    lines = troupe("property", "laser", url=url).stdout.splitlines()
    tap.equal(lines[0].split(), ["PROPERTY", "VALUE", "UNIT", "TYPE", "ACCESS", "DESCRIPTION"])
    table = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[1:]}
    tap.equal((table["rate"], table["seed"], table["max_range"]),
              ("20 Hz double write How often data is sent.", "7 int write What random numbers begin with.",
               "8 m double read The farthest that it can see."))
    for line in lines:
        tap.equal(line, line.rstrip())


@serving(LASER)
def programs_get_json(url):
    table = {entry["property"]: entry for entry in json.loads(troupe("property", f"{url}/laser:0", "--json").stdout)}
    tap.equal(table["rate"], {"property": "rate", "value": 20, "unit": "Hz", "type": "double", "writable": True,
                              "doc": "How often data is sent."})
    tap.equal([table[key]["value"] for key in ("active", "name", "seed")], [True, "laser:0", 7])
    for key in ("rate", "active", "name"):
        tap.equal(json.loads(troupe("property", "laser", key, "--json", url=url).stdout), table[key]["value"])


@serving('driver ( name "fake" provides [ "laser:0" ] rate 20 alwayson 1 )')
def a_property_is_read_and_set(url):
    prints(troupe("property", "laser", "rate", url=url), "20\n")
    prints(troupe("property", "laser", "rate", "12.5", url=url), "")
    prints(troupe("property", "laser", "rate", url=url), "12.5\n")
    prints(troupe("property", "laser", "active", "no", url=url), "")
    prints(troupe("property", "laser", "active", url=url), "no\n")
    prints(troupe("property", "laser", "name", "-- my laser", url=url), "")
    prints(troupe("property", "laser", "name", url=url), "-- my laser\n")


@serving(LASER)
def what_cannot_be_set_says_why(url):
    says(troupe("property", "laser", "rat", url=url), 1,
         'troupe property: laser:0 has no property "rat"; did you mean "rate"?\n')
    says(troupe("property", "laser", "rat", "3", url=url), 1,
         'troupe property: laser:0 has no property "rat"; did you mean "rate"?\n')
    says(troupe("property", "laser", "max_range", "3", url=url), 1,
         'troupe property: laser:0: the property "max_range" cannot be set\n')
    says(troupe("property", "laser", "rate", "fast", url=url), 1,
         'troupe property: laser:0: property "rate" is a number, not "fast"\n')
    says(troupe("property", "laser", "rate", "-1", url=url), 1,
         "troupe property: laser:0: rate -1 Hz is not above 0 and up to 10000\n")


@serving('driver ( name "fake" provides [ "laser:0" ] rate 20 alwayson 1 )')
def a_property_is_set_if_it_is_as_expected(url):
    prints(troupe("property", "laser", "rate", "12.5", "--if", "20", url=url), "")
    prints(troupe("property", "laser", "rate", url=url), "12.5\n")
    says(troupe("property", "laser", "rate", "30", "--if", "20", url=url), 1,
         'troupe property: laser:0: "rate" is 12.5, so it was not set\n')
    prints(troupe("property", "laser", "rate", url=url), "12.5\n")
    prints(troupe("property", "laser", "active", "no", "--if", "yes", url=url), "")
    prints(troupe("property", "laser", "active", url=url), "no\n")
    says(troupe("property", "laser", "name", "1", "--if", "0", url=url), 1,
         'troupe property: laser:0: the property "name" is a text: use SET_STRPROP\n')
    says(troupe("property", "laser", "rate", "-1", "--if", "12.5", url=url), 1,
         "troupe property: laser:0: rate -1 Hz is not above 0 and up to 10000\n")


@serving('driver ( name "fake" provides [ "laser:0" ] seed 0 alwayson 1 )')
def one_of_several_clients_sets_it(url):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda mine: troupe("property", "laser", "seed", str(mine), "--if", "0", url=url), range(1, 9)))
    winners = [str(1 + place) for place, result in enumerate(results) if result.returncode == 0]
    tap.equal(len(winners), 1)
    prints(troupe("property", "laser", "seed", url=url), winners[0] + "\n")
    tap.equal({result.stderr for result in results if result.returncode != 0},
              {f'troupe property: laser:0: "seed" is {winners[0]}, so it was not set\n'})


def reading(url, device, key, last):
    ask = {"run": last.get("run", 0), "total": last.get("total", 0), "key": key}
    result = troupe("request", device, "READ_AND_CLEAR", json.dumps(ask), "--json", url=url)
    tap.equal((result.returncode, result.stderr), (0, ""))
    return json.loads(result.stdout)


@serving('driver ( name "fake" provides [ "position2d:0" ] alwayson 1 )\n'
         'driver ( name "passthrough" provides [ "position2d:1" ] requires [ "position2d:0" ] )')
def every_client_reads_all_that_was_counted(url):
    """Also through a driver that passes requests on."""
    tap.equal(reading(url, "position2d:0", "driven", {})["amount"], 0)
    result = troupe("send", "position2d:0", "VEL", '{"vel":{"px":0.5},"state":1}', "--for", "0.5", url=url)
    tap.equal(result.returncode, 0)
    first = reading(url, "position2d:0", "driven", {})
    tap.equal((first["amount"] > 0, first["total"]), (True, first["amount"]))
    tap.equal(reading(url, "position2d:1", "driven", {}), first)
    tap.equal(reading(url, "position2d:1", "driven", first)["amount"], 0)
    prints(troupe("property", "position2d:0", "driven", "--counted", "0.05", url=url), "0\n")
    says(troupe("property", "position2d:0", "drivn", "--counted", "1", url=url), 1,
         'troupe property: position2d:0: there is no counter "drivn"; did you mean "driven"?\n')


def a_player_server_knows_properties_by_name_only():
    with Puppet([(6, 0)], replies={(6, 254): cli.counted("anint") + struct.pack(">i", 42)}) as puppet:
        prints(troupe("property", "laser", "anint", url=puppet.url), "42\n")
        tap.equal(json.loads(troupe("property", "laser", "anint", "--json", url=puppet.url).stdout), "42")
        says(troupe("property", "laser", url=puppet.url), 1,
             f"troupe property: tcp:{puppet.url} is a Player server, which cannot list properties; name one\n")
    with Puppet([(6, 0)]) as puppet:
        says(troupe("property", "laser", "anint", url=puppet.url), 1, 'troupe property: laser:0 has no property "anint"\n')


def mistakes_are_explained():
    says(troupe("property"), 2, usage("property", "which device? troupe list names them"))
    says(troupe("property", "laser", "a", "--if", "1"), 2, usage("property", "--if needs a property and its new value"))
    says(troupe("property", "laser", "a", "b", "--if"), 2, usage("property", "--if needs a value"))
    says(troupe("property", "laser", "--counted", "1"), 2, usage("property", "--counted needs the name of a counter only"))
    says(troupe("property", "laser", "a", "--counted", "0"), 2, usage("property", '--counted needs a number over 0, not "0"'))
    says(troupe("property", "laser", "a", "b", "c"), 2, usage("property", 'unexpected "c"'))
    says(troupe("property", "laser", "--jsn"), 2, usage("property", 'unexpected "--jsn"; did you mean "--json"?'))
    says(troupe("property", "lasr"), 1, 'troupe property: there is no interface "lasr"; did you mean "laser"?\n')


tap.main(properties_are_a_table, programs_get_json, a_property_is_read_and_set, what_cannot_be_set_says_why,
         a_property_is_set_if_it_is_as_expected, one_of_several_clients_sets_it, every_client_reads_all_that_was_counted,
         a_player_server_knows_properties_by_name_only, mistakes_are_explained)
