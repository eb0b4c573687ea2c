#!/usr/bin/env python3
"""troupe property: listing, reading, setting.  argv: the troupe program."""
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
    says(troupe("property", "laser", "a", "b", "c"), 2, usage("property", 'unexpected "c"'))
    says(troupe("property", "laser", "--jsn"), 2, usage("property", 'unexpected "--jsn"; did you mean "--json"?'))
    says(troupe("property", "lasr"), 1, 'troupe property: there is no interface "lasr"; did you mean "laser"?\n')


tap.main(properties_are_a_table, programs_get_json, a_property_is_read_and_set, what_cannot_be_set_says_why,
         a_player_server_knows_properties_by_name_only, mistakes_are_explained)
