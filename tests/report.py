#!/usr/bin/env python3
"""Adds up the test results of several builds and ends with the line "N passed, N failed"."""
import sys
import xml.etree.ElementTree as xml


def outcome(case):
    kinds = {child.tag for child in case}
    if kinds & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in kinds else "passed"


def main(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        try:
            tree = xml.parse(path)
        except (OSError, xml.ParseError) as error:
            print(f"{path}: {error}")
            counts["failed"] += 1
            continue
        for suite in tree.iter("testsuite"):
            for case in suite.iter("testcase"):
                result = outcome(case)
                counts[result] += 1
                if result != "passed":
                    print(f"{result}: {suite.get('name')}: {case.get('name')}")
    if counts["skipped"]:
        print("skipped tests count as failed here")
        counts["failed"] += counts["skipped"]
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
