#!/usr/bin/env python3
"""A JSON Schema validator that we did not write judges our schemas and our JSON.
argv: the troupe program, source root."""
import json
import sys

import jsonschema

import tap

PROGRAM, ROOT = sys.argv[1:3]


def schemas():
    return json.loads(tap.run([PROGRAM, "interfaces", "--schema"]).stdout)


def vectors():
    with open(ROOT + "/tests/data/player_vectors.json", encoding="utf-8") as file:
        return [entry for entry in json.load(file)["messages"] if entry["values"] is not None]


def validator(schema, name):
    return jsonschema.Draft202012Validator(dict(schema["$defs"][name], **{"$defs": schema["$defs"]}))


def every_schema_is_a_schema():
    for schema in schemas().values():
        jsonschema.Draft202012Validator.check_schema(schema)


def every_recorded_message_fits_its_schema():
    all_schemas = schemas()
    checked = 0
    for entry in vectors():
        interface = "common" if entry["interface"] == "*" else entry["interface"]
        validator(all_schemas[interface], entry["struct"][len("player_"):-2]).validate(entry["values"])
        checked += 1
    tap.equal(checked, 705)


def what_does_not_fit_is_refused():
    judge = validator(schemas()["laser"], "laser_data")
    for wrong in ({"ranges": "far"}, {"id": -1}, {"id": 2**32}, {"intensity": [256]}, {"range": [1]}):
        if judge.is_valid(wrong):
            raise AssertionError(f"{wrong} should not be valid")
        answer = tap.run([PROGRAM, "encode", "laser", "data", "SCAN", json.dumps(wrong)])
        tap.equal(answer.returncode, 1)


def what_we_write_fits_too():
    judge = validator(schemas()["laser"], "laser_data")
    for entry in vectors():
        if entry["interface"] == "laser" and entry["name"] == "SCAN":
            written = tap.run([PROGRAM, "decode", "laser", "data", "SCAN", entry["xdr_hex"]]).stdout
            judge.validate(json.loads(written))
            tap.equal(json.loads(written), entry["values"])


tap.main(every_schema_is_a_schema, every_recorded_message_fits_its_schema,
         what_does_not_fit_is_refused, what_we_write_fits_too)
