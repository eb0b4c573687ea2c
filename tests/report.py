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


def results(folder, run):
    """{name: result} of the programs of a run; none if there was no such run."""
    log = folder / f"{run}.json"
    if run == "again" and not log.exists():
        return {}
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return {program["name"]: program["result"] for program in map(json.loads, lines)}


def failed(folder, run="testlog"):
    return {name: result for name, result in results(folder, run).items() if result not in FINE}


def short(name):
    """Without the suites."""
    return name.rpartition(" / ")[2]


def is_of(told, name):
    """Whether a case, as it is told, is one of a program, by its short name."""
    return re.search(rf"(^| / |\.|: ){re.escape(name)}(:|$)", told) is not None


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
    for name, result in failed(folder, run).items():
        if not any(is_of(told, short(name)) for told in bad):
            yield "failed", f"{name}: {result}"


def cases(folder):
    """The cases of the last run of each program."""
    alone = {short(name): result for name, result in results(folder, "again").items()}
    repeated = [name for name in map(short, failed(folder)) if name in alone]
    for told in cases_of(folder, "testlog"):
        if not any(is_of(told[1], name) for name in repeated):
            yield told
    if repeated:
        yield from cases_of(folder, "again")
    for name in repeated:
        if alone[name] in FINE:
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
