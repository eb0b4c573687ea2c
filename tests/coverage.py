#!/usr/bin/env python3
"""coverage.py - lines and branches that the tests reach, by folder and by file.

usage: coverage.py BUILD [--missing]

BUILD is a build with clang's source-based counting whose tests have run with LLVM_PROFILE_FILE in
BUILD/counts. Assertions are left out, and what is marked `/* unreachable: WHY */`: the line of the
marker, and the block if the line opens one. The marked places are listed. --missing also lists the
lines and branches that no test reaches, for the folders that have a goal.

The status is 1 if a folder misses its goal.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GOALS = {"src/safety": 100.0, "src/padi": 90.0, "src/bus": 90.0, "src/port": 90.0, "src/device": 90.0, "src/session": 90.0}
PROGRAMS = ["apps/troupe", "src/padi/troupe-padi", "tests/unit/tests_conformance_drivers_test",
            "tests/unit/tests_conformance_fronts_test", "tests/unit/src_device_grant_test", "tests/unit/src_padi_xdr_test"]
MARKER = re.compile(r"/\* unreachable: (.+?) \*/")


class File:
    def __init__(self):
        self.lines = {}  # by number: how often
        self.branches = collections.defaultdict(list)  # by number of the line: whether each is taken


def read_counts(build):
    """What llvm-cov says about the files of src, as File by path."""
    merged = os.path.join(build, "counts", "all.profdata")
    raw = glob.glob(os.path.join(build, "counts", "*.profraw"))
    if not raw:
        sys.exit("coverage: no test has left counts in %s/counts" % build)
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-failure-mode=all", "-o", merged] + raw, check=True)
    programs = [os.path.join(build, name) for name in PROGRAMS]
    command = ["llvm-cov", "export", "-format=lcov", "-instr-profile", merged, programs[0]]
    for program in programs[1:]:
        command += ["-object", program]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    files = collections.defaultdict(File)
    path = None
    for line in text.splitlines():
        kind, _, rest = line.partition(":")
        if kind == "SF":
            path = os.path.relpath(rest, ROOT)
        elif kind == "DA":
            number, count = rest.split(",")[:2]
            files[path].lines[int(number)] = int(count)
        elif kind == "BRDA":
            number, _, _, count = rest.split(",")
            files[path].branches[int(number)].append(count not in ("-", "0"))
    files = {path: file for path, file in files.items() if path.startswith("src/") and not path.endswith("_test.c")}
    for path, file in files.items():
        if path.endswith(".h"):
            join_copies(file)
    return files


def join_copies(file):
    """A function of a header is counted once for each file that includes it: both ways of its conditions, by turns."""
    for number, taken in file.branches.items():
        file.branches[number] = [any(taken[0::2]), any(taken[1::2])]


def left_out(path):
    """The lines of assertions, and the marked lines with their reasons."""
    lines = open(os.path.join(ROOT, path), encoding="utf-8").read().split("\n")
    out, marked = set(), {}
    inside = False
    for number, line in enumerate(lines, 1):
        if inside or re.match(r"\s*(assert|_Static_assert)\(", line):
            out.add(number)
            inside = not line.rstrip().endswith(";")
        found = MARKER.search(line)
        if found:
            marked[number] = found.group(1)
            out.add(number)
            end = number
            if line.split("/*")[0].rstrip().endswith("{"):
                indent = re.match(r"\s*", line).group()
                while end < len(lines) and not lines[end].startswith(indent + "}"):
                    end += 1
                    out.add(end)
    return out, marked


def share(reached, total):
    return 100.0 * reached / total if total else 100.0


class Sums:
    def __init__(self):
        self.counts = [0, 0, 0, 0]

    def add(self, other):
        self.counts = [a + b for a, b in zip(self.counts, other)]

    def text(self):
        lines, all_lines, branches, all_branches = self.counts
        return "%6d %6d %6.1f %% %6d %6d %6.1f %%" % (lines, all_lines, share(lines, all_lines), branches, all_branches,
                                                      share(branches, all_branches))

    def least(self):
        lines, all_lines, branches, all_branches = self.counts
        return min(share(lines, all_lines), share(branches, all_branches))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--missing", action="store_true", help="list what is not reached")
    args = parser.parse_args()

    files = read_counts(args.build)
    folders = collections.defaultdict(Sums)
    rows, marks, missing = [], [], []
    for path in sorted(files):
        file = files[path]
        out, marked = left_out(path)
        marks += ["%s:%d: %s" % (path, number, why) for number, why in sorted(marked.items())]
        lines = {n: c for n, c in file.lines.items() if n not in out}
        for n in [n for n in lines if n - 1 in out and lines[n] == 0]:
            lines[n] = lines.get(n + 1, 0)  # behind an assertion, which may not return, the count of a line is 0
        branches = {n: taken for n, taken in file.branches.items() if n not in out}
        sums = Sums()
        sums.add((sum(c > 0 for c in lines.values()), len(lines), sum(sum(t) for t in branches.values()),
                  sum(len(t) for t in branches.values())))
        folder = "/".join(path.split("/")[:2])
        folders[folder].add(sums.counts)
        rows.append((path, sums))
        if folder in GOALS:
            missing += ["%s:%d: not reached" % (path, n) for n, c in sorted(lines.items()) if c == 0]
            missing += ["%s:%d: %d of %d branches not taken" % (path, n, t.count(False), len(t))
                        for n, t in sorted(branches.items()) if not all(t) and lines.get(n, 1) > 0]
    head = "%-36s %6s %6s %8s %6s %6s %8s" % ("", "lines", "of", "", "branch", "of", "")
    print(head)
    for path, sums in rows:
        print("%-36s %s" % (path, sums.text()))
    print("\n" + head)
    failed = False
    for folder in sorted(folders):
        goal = GOALS.get(folder)
        kept = goal is None or folders[folder].least() >= goal
        failed = failed or not kept
        print("%-36s %s%s" % (folder, folders[folder].text(),
                              "" if goal is None else "  goal %.0f %%%s" % (goal, "" if kept else ": MISSED")))
    print("\nLeft out as unreachable, besides assertions: %d" % len(marks))
    for mark in marks:
        print("  " + mark)
    if args.missing:
        print("\nNot reached:")
        for place in missing:
            print("  " + place)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
