#!/usr/bin/env python3
"""Experiments with the remote interface of phyphox: /get, /control, /config, /meta, /time, /export.  argv: the troupe program, source root."""
import csv
import io
import json
import zipfile

import tap
import web

SENSORS = ('driver ( name "sensor" port "sensor:simulated?wave=1=count" provides [ "experiment:0" ] )\n'
           'driver ( name "sensor" port "sensor:temperature?wave=1=sine:2" provides [ "experiment:3" ] )\n')
KEYS = 'keys [ "anna move drive on and on and on" ]\n'
KEY = {"Authorization": "Bearer drive on and on and on"}


def page(server, path, **options):
    answer = web.ask(server, "GET", path, **options)
    return answer.status, json.loads(answer.body)


def setup(server, text, device="experiment:0", **options):
    return web.ask(server, "POST", f"/api/devices/{device}/request/SETUP", {"name": "a", "text": text}, **options).status


def wait_for_end(server, where=""):
    while True:
        _, got = page(server, f"{where}/get?ch1=full")
        if not got["status"]["measuring"] and got["buffer"]["ch1"]["buffer"]:
            return


def an_experiment_is_started_read_in_parts_and_saved():
    with web.Server(SENSORS) as server:
        tap.equal(page(server, "/control?cmd=start")[1]["result"], False)  # nothing is set up
        tap.equal(setup(server, "title Light\nch1 conversion=2 every=10ms end=40"), 200)
        status, config = page(server, "/config")
        tap.equal((status, [one["name"] for one in config["buffers"]][:2]), (200, ["t1", "ch1"]))
        tap.equal(page(server, "/control?cmd=start"), (200, {"result": True}))
        times, values = [], []
        while len(values) < 40:  # as its page does: what is new since the last time
            status, got = page(server, f"/get?t1={times[-1] if times else -1}&ch1={times[-1] if times else -1}%7Ct1")
            tap.equal((status, {one["updateMode"] for one in got["buffer"].values()}), (200, {"partial"}))
            times += got["buffer"]["t1"]["buffer"]
            values += got["buffer"]["ch1"]["buffer"]
        tap.equal(times, [round(i / 100, 6) for i in range(40)])
        tap.equal(len(values), 40)
        wait_for_end(server)
        tap.equal(page(server, "/get?ch1")[1]["buffer"]["ch1"]["buffer"], values[-1:])
        tap.equal([event["event"] for event in page(server, "/time")[1]], ["START", "PAUSE"])
        tap.equal((page(server, "/meta")[1]["deviceModel"], page(server, "/config")[1]["title"]), ("Simulated Set", "Light"))
        for form, separator, point in (("1", ",", "."), ("5", ";", ",")):
            answer = web.ask(server, "GET", f"/export?format={form}")
            with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
                tap.equal(archive.testzip(), None)
                name = next(one for one in archive.namelist() if one.startswith("ch1 "))
                rows = list(csv.reader(archive.read(name).decode().splitlines(), delimiter=separator))
            tap.equal((rows[0][0], [float(row[0].replace(point, ".")) for row in rows[1:]]), ("Time (s)", times))
        # The next run begins with nothing.
        tap.equal(setup(server, "ch1 every=10ms end=3"), 200)
        tap.equal(page(server, "/control?cmd=start")[1], {"result": True})
        wait_for_end(server)
        tap.equal(page(server, "/get?t1=full")[1]["buffer"]["t1"]["buffer"], [0, 0.01, 0.02])


def it_is_stopped_and_forgotten():
    with web.Server(SENSORS) as server:
        setup(server, "ch1 every=50ms", "experiment:3")
        tap.equal(page(server, "/experiment:3/control?cmd=start")[1], {"result": True})
        while not page(server, "/get?ch1=full")[1]["buffer"]["ch1"]["buffer"]:  # the one that measures
            pass
        tap.equal(page(server, "/experiment:3/control?cmd=stop")[1], {"result": True})
        wait_for_end(server, "/experiment:3")
        tap.equal(page(server, "/experiment:3/control?cmd=clear")[1], {"result": True})
        tap.equal(page(server, "/experiment:3/get?ch1=full")[1]["buffer"]["ch1"]["buffer"], [])


def mistakes_and_strangers_are_refused():
    with web.Server(SENSORS + KEYS) as server:
        tap.equal(page(server, "/config")[0], 200)  # everybody may read
        for command in ("start", "stop", "clear"):
            status, body = page(server, f"/control?cmd={command}")
            tap.equal((status, body["result"]), (401, False))
        tap.equal(setup(server, "ch1 every=10ms end=3", headers=KEY), 200)
        tap.equal(page(server, "/control?cmd=start", headers=KEY), (200, {"result": True}))
        for path, wanted in (("/control", 400), ("/control?cmd=set&buffer=ch1&value=1", 400), ("/export?format=0", 400), ("/export?format=x", 400),
                             ("/experiment:7/get", 404), ("/get/more", 404), ("/experiment:0/get/more", 404), ("/position2d:0/get", 404)):
            tap.equal((path, page(server, path, headers=KEY)[0]), (path, wanted))
        tap.equal(page(server, "/control?cmd=start", headers={**KEY, "Origin": "http://evil.example"})[0], 403)
        tap.equal(page(server, "/control?cmd=start", headers={**KEY, "Sec-Fetch-Site": "cross-site"})[0], 403)
        tap.equal(page(server, "/get?" + "&".join(["ch1=full"] * 50))[0], 200)
    with web.Server() as server:
        status, body = page(server, "/get")
        tap.equal((status, "there is no such experiment" in body["error"]), (404, True))


tap.main(an_experiment_is_started_read_in_parts_and_saved, it_is_stopped_and_forgotten, mistakes_and_strangers_are_refused)
