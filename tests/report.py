#!/usr/bin/env python3
"""Adds up the test results of several builds and ends with the line "N passed, N failed".

Each argument is a folder meson-logs. testlog.junit.xml has the cases; a program that timed out
or crashed before it told of any is missing there and found in testlog.json. Programs that failed
have been run again alone (again.json, again.junit.xml): the second result counts, and a program
that passes then is named as unsteady.

report.py --failed FOLDER prints the names of the programs that failed there, a line each.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

FINE = {"OK", "EXPECTEDFAIL"}
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")  # meson copies what tests print, colours of terminals too


def outcome(case):
    kinds = {child.tag for child in case}
    if kinds & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in kinds else "passed"


def programs(folder, run):
    """(name, whether it is fine) of every program of a run."""
    for line in (folder / f"{run}.json").read_text(encoding="utf-8", errors="replace").splitlines():
        program = json.loads(line)
        yield program["name"], program["result"] in FINE


def failed(folder, run="testlog"):
    return [name for name, fine in programs(folder, run) if not fine]


def short(name):
    """Without the suites."""
    return name.rpartition(" / ")[2]


def cases_of(folder, run):
    """(outcome, name) of every case, and of every program that failed without a case that did."""
    bad = []
    text = (folder / f"{run}.junit.xml").read_text(encoding="utf-8", errors="replace")
    for suite in xml.fromstring(NOT_IN_XML.sub("?", text)).iter("testsuite"):
        for case in suite.iter("testcase"):
            told = outcome(case), f"{suite.get('name')}: {case.get('name')}"
            if told[0] != "passed":
                bad.append(told[1])
            yield told
    for name in failed(folder, run):
        if not any(name in told for told in bad):
            yield "failed", f"{name}: no case has failed"


def cases(folder):
    """The cases of the last run of each program."""
    repeated = list(map(short, failed(folder))) if (folder / "again.json").exists() else []
    for told in cases_of(folder, "testlog"):
        if not any(re.search(rf"(^| / |\.|: ){re.escape(name)}(:|$)", told[1]) for name in repeated):
            yield told
    if repeated:
        yield from cases_of(folder, "again")
        for name in sorted(set(repeated) - set(map(short, failed(folder, "again")))):
            print(f"unsteady: {name} failed beside other tests, and passed alone")


def main(folders):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for folder in folders:
        try:
            for result, name in cases(pathlib.Path(folder)):
                counts[result] += 1
                if result != "passed":
                    print(f"{result}: {name}")
        except (OSError, ValueError, xml.ParseError) as error:
            print(f"{folder}: {error}")
            counts["failed"] += 1
    if counts["skipped"]:
        print("skipped tests count as failed here")
        counts["failed"] += counts["skipped"]
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    if sys.argv[1] == "--failed":
        print("\n".join(map(short, failed(pathlib.Path(sys.argv[2])))))
    else:
        sys.exit(main(sys.argv[1:]))
