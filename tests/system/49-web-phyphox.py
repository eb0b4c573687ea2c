#!/usr/bin/env python3
"""Experiments with the remote interface of phyphox: /get, /control, /config, /meta, /time, /export.  argv: the troupe program, source root."""
import csv
import io
import json
import zipfile
from xml.etree import ElementTree

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
        sheet = web.ask(server, "GET", "/export?format=0")
        tap.equal(sheet.headers["content-type"], "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
        tap.equal(sheet_of(sheet.body, "Brightness"), [["Time (s)", "Brightness"], *([str(t), str(v)] for t, v in zip(times, values))])
        # The next run begins with nothing.
        tap.equal(setup(server, "ch1 every=10ms end=3"), 200)
        tap.equal(page(server, "/control?cmd=start")[1], {"result": True})
        wait_for_end(server)
        tap.equal(page(server, "/get?t1=full")[1]["buffer"]["t1"]["buffer"], [0, 0.01, 0.02])


MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def sheet_of(workbook, name):
    """The cells of the sheet whose name contains this, found as a spreadsheet does: by relations."""
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        tap.equal(archive.testzip(), None)
        parts = {part.attrib["PartName"] for part in ElementTree.fromstring(archive.read("[Content_Types].xml")) if "PartName" in part.attrib}
        tap.equal(parts - {"/" + part for part in archive.namelist()}, set())
        sheets = ElementTree.fromstring(archive.read("xl/workbook.xml")).iter(MAIN + "sheet")
        wanted = next(sheet for sheet in sheets if name in sheet.attrib["name"]).attrib[RELATED]
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        target = next(one for one in relations if one.attrib["Id"] == wanted).attrib["Target"]
        rows = ElementTree.fromstring(archive.read("xl/" + target)).iter(MAIN + "row")
        return [["".join(cell.itertext()) for cell in row] for row in rows]


def settings_are_set_and_read():
    with web.Server(SENSORS) as server:
        names = {one["name"]: one["size"] for one in page(server, "/config")[1]["buffers"]}
        tap.equal({name: size for name, size in names.items() if "." in name},
                  {"conversion.1": 1, "mode.1.Floodlight": 1, "mode.1.Averaging": 1, "conversion.2": 1, "conversion.3": 1, "conversion.5": 1})
        session = page(server, "/get")[1]["status"]["session"]
        before = page(server, "/get?conversion.1")[1]["buffer"]["conversion.1"]
        tap.equal((before["size"], before["updateMode"]), (1, "single"))
        other = 1 if before["buffer"] == [2] else 2
        tap.equal(page(server, f"/control?cmd=set&buffer=conversion.1&value={other}"), (200, {"result": True}))
        while page(server, "/get?conversion.1=full")[1]["buffer"]["conversion.1"]["buffer"] != [other]:
            pass
        # Another unit: what a client has is no longer valid.
        tap.equal(page(server, "/get")[1]["status"]["session"] != session, True)
        answer = web.ask(server, "POST", "/control", {"cmd": "set", "buffer": "mode.1.Floodlight", "value": 1})
        tap.equal((answer.status, json.loads(answer.body)), (200, {"result": True}))
        while page(server, "/get?mode.1.Floodlight")[1]["buffer"]["mode.1.Floodlight"]["buffer"] != [1]:
            pass
        tap.equal(page(server, "/control?cmd=set&buffer=mode.1.Floodlight&value=7")[1]["result"], False)
        answer = web.ask(server, "POST", "/get", {"conversion.1": "full"})
        tap.equal(list(json.loads(answer.body)["buffer"]), ["conversion.1"])


def the_trigger_of_a_channel_is_a_button():
    with web.Server(SENSORS) as server:
        tap.equal(setup(server, "ch1 start=trigger every=10ms end=5"), 200)
        tap.equal(page(server, "/control?cmd=start")[1], {"result": True})
        tap.equal(page(server, "/control?cmd=trigger&element=1")[1], {"result": True})
        wait_for_end(server)
        tap.equal(len(page(server, "/get?ch1=full")[1]["buffer"]["ch1"]["buffer"]), 5)
        first = page(server, "/config")[1]["crc32"]
        tap.equal(setup(server, "ch1 every=10ms end=5"), 200)
        while page(server, "/config")[1]["crc32"] == first:  # another experiment
            pass


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
        for command in ("start", "stop", "clear", "trigger&element=0", "set&buffer=conversion.1&value=2"):
            status, body = page(server, f"/control?cmd={command}")
            tap.equal((status, body["result"]), (401, False))
        tap.equal(setup(server, "ch1 every=10ms end=3", headers=KEY), 200)
        tap.equal(page(server, "/control?cmd=start", headers=KEY), (200, {"result": True}))
        for path in ("/control", "/control?cmd=x", "/control?cmd=set&buffer=ch1&value=1", "/control?cmd=set&buffer=mode.1.Range&value=nan",
                     "/control?cmd=clear&clearGroup1=a", "/control?cmd=trigger&element=x"):  # phyphox answers with 200
            status, body = page(server, path, headers=KEY)
            tap.equal((path, status, body["result"], bool(body["error"])), (path, 200, False, True))
        for path, wanted in (("/export?format=6", 400), ("/export?format=x", 400), ("/get?ch1=x", 400), ("/get?ch1=1%7Cx", 400),
                             ("/experiment:7/get", 404), ("/get/more", 404), ("/experiment:0/get/more", 404), ("/position2d:0/get", 404)):
            tap.equal((path, page(server, path, headers=KEY)[0]), (path, wanted))
        tap.equal(page(server, "/control?cmd=start", headers={**KEY, "Origin": "http://evil.example"})[0], 403)
        tap.equal(page(server, "/control?cmd=start", headers={**KEY, "Sec-Fetch-Site": "cross-site"})[0], 403)
        tap.equal(page(server, "/get?" + "&".join(["ch1=full"] * 50))[0], 200)
    with web.Server() as server:
        status, body = page(server, "/get")
        tap.equal((status, "there is no such experiment" in body["error"]), (404, True))


tap.main(an_experiment_is_started_read_in_parts_and_saved, settings_are_set_and_read, the_trigger_of_a_channel_is_a_button, it_is_stopped_and_forgotten, mistakes_and_strangers_are_refused)
