#!/usr/bin/env python3
"""W3C Thing Descriptions of sensors: what they must have, and forms that work.  argv: the troupe program, source root."""
import contextlib
import json
import os
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import tap
from robots import PATIENCE, Program, address

CONTEXT = "https://www.w3.org/2022/wot/td/v1.1"
TYPES = {"object": dict, "array": list, "string": str, "number": (int, float, str), "integer": int}


@contextlib.contextmanager
def server():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write('driver ( name "sensor" port "sensor:simulated?wave=1=550" provides [ "aio:0" "dio:0" "experiment:0" ] )\n')
        with Program("run", path, "--any-port") as program:
            yield f"http://localhost:{address(program, r'front web: listening on port ([0-9]+)')}"


def fetch(url, body=None, method=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    ask = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    try:
        with urllib.request.urlopen(ask, timeout=PATIENCE) as answer:
            return answer.status, answer.headers["Content-Type"], json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, None, None


def fits(value, schema):
    if not isinstance(value, TYPES[schema["type"]]):
        return False
    return all(fits(value[name], member) for name, member in schema.get("properties", {}).items() if name in value) and (
        schema["type"] != "array" or all(fits(item, schema["items"]) for item in value))


def follow(thing, part, body=None):
    form = part["forms"][0]
    return fetch(urllib.parse.urljoin(thing["base"], form["href"]), body, method=form["htv:methodName"])


def every_device_has_a_description():
    with server() as base:
        status, kind, things = fetch(base + "/.well-known/wot")
        tap.equal((status, kind.split(";")[0]), (200, "application/td+json"))
        tap.equal(sorted(thing["title"].split(":")[1] for thing in things), ["aio", "dio", "experiment"])
        for thing in things:
            tap.equal((thing["@context"][1], thing["securityDefinitions"][thing["security"][0]]["scheme"]), (CONTEXT, "nosec"))
            for part in [*thing["properties"].values(), *thing["actions"].values()]:
                tap.equal(bool(part["forms"][0]["href"] and part["forms"][0]["op"]), True)
            tap.equal(fetch(f"{base}/.well-known/wot/{thing['title']}")[2], thing)


def forms_work():
    with server() as base:
        things = {thing["title"].split(":")[1]: thing for thing in fetch(base + "/.well-known/wot")[2]}
        state = things["aio"]["properties"]["STATE"]
        status, _, value = follow(things["aio"], state)
        tap.equal((status, value["value"]["voltages"][0], fits(value, state)), (200, 50, True))
        experiment = things["experiment"]
        status, _, channels = follow(experiment, experiment["actions"]["GET_CHANNELS"])
        tap.equal((status, channels["uuid"], fits(channels, experiment["actions"]["GET_CHANNELS"]["output"])), (200, "Troupe.Simulated.1", True))
        status, _, _ = follow(experiment, experiment["actions"]["SETUP"], {"name": "a", "text": "ch1 every=10ms end=5"})
        tap.equal(status, 200)
        tap.equal(follow(experiment, experiment["actions"]["LAUNCH"])[0], 200)
        while follow(experiment, experiment["actions"]["GET_STATE"])[2]["phase"] != 3:
            pass
        tap.equal(follow(experiment, experiment["actions"]["GET_STATE"])[2]["samples"], 5)


def channels_of_a_manifest_are_properties():
    with server() as base:
        things = {thing["title"].split(":")[1]: thing for thing in fetch(base + "/.well-known/wot")[2]}
        tap.equal(fetch(f"{base}/.well-known/wot/aio:0")[2], things["aio"])
        light = things["aio"]["properties"]["Light Sensor"]
        tap.equal((light["type"], light["unit"], light["description"], light["minimum"], light["maximum"]),
                  ("number", "%", "Brightness", 0, 100))
        tap.equal(follow(things["aio"], light)[::2], (200, 50))
        button = things["dio"]["properties"]["Touch Sensor"]
        status, _, value = follow(things["dio"], button)
        tap.equal((button["type"], status, value in (True, False)), ("boolean", 200, True))
        # The same path leads to any value of any data.
        path = f"{base}/api/devices/aio:0/STATE/"
        tap.equal((fetch(path + "voltages/0")[2], fetch(path + "voltages")[2][0]), (50, 50))
        for wrong in ("voltages/99", "voltages/x", "volts", "voltages/0/0", "voltages/0/0/0", "voltages/-1"):
            tap.equal((wrong, fetch(path + wrong)[0]), (wrong, 404))


def other_pages_and_names_are_refused():
    with server() as base:
        path = base + "/.well-known/wot"
        tap.equal(fetch(path, Origin="http://elsewhere.example")[0], 403)
        tap.equal(fetch(path, Host="elsewhere.example")[0], 421)
        tap.equal(fetch(path, {"a": 1})[0], 405)
        for wrong in ("/0:aio:9", "/x", "/%00", "/0:aio:0/more"):
            tap.equal(fetch(path + wrong)[0], 404)


tap.main(every_device_has_a_description, forms_work, channels_of_a_manifest_are_properties, other_pages_and_names_are_refused)
