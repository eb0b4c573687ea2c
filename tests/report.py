#!/usr/bin/env python3
"""Adds up the test results of several builds and ends with the line "N passed, N failed".

Each argument is a folder meson-logs. testlog.junit.xml has the cases; a program that timed out
or crashed before it told of any is missing there and found in testlog.json.
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


def cases(folder):
    """(outcome, name) of every case, and of every program that failed without a case that did."""
    bad = []
    text = (folder / "testlog.junit.xml").read_text(encoding="utf-8", errors="replace")
    for suite in xml.fromstring(NOT_IN_XML.sub("?", text)).iter("testsuite"):
        for case in suite.iter("testcase"):
            told = outcome(case), f"{suite.get('name')}: {case.get('name')}"
            if told[0] != "passed":
                bad.append(told[1])
            yield told
    for line in (folder / "testlog.json").read_text().splitlines():
        program = json.loads(line)
        if program["result"] not in FINE and not any(program["name"] in name for name in bad):
            yield "failed", f"{program['name']}: {program['result']}"


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
    sys.exit(main(sys.argv[1:]))
