#!/usr/bin/env python3
"""mutants.py - mistakes in the code, one at a time: do the tests find them?

usage: mutants.py BUILD [--area safety|motion] [--count N] [--seed S] [--file NAME] [--list]

BUILD is a folder for a copy of the sources and its build. The script makes small changes (operators)
in the files of an area (leases, panic and rights; timed motion), builds the test programs of the area
and runs them until one fails. A change that no test finds has to be in survivors.txt with the reason
why it changes nothing that counts.

The status is 0 if at least 95 of 100 changes are found and all others are explained.
"""
import argparse
import filecmp
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))



class Area:
    """Files to change, and the groups of tests that look. A group is built when those before it have found nothing."""
    def __init__(self, files, groups, count, operators=None):
        self.files, self.groups, self.count, self.operators = files, groups, count, operators
        self.tests = [test for group in groups for test in group]


def motion(*names):
    return ["src_motion_%s_test" % name for name in names]


AREAS = {
    "safety": Area([
        "src/safety/claim.c", "src/safety/lease.c", "src/safety/panic.c", "src/safety/rank.c", "src/safety/safety.c",
        "src/safety/slow_stop.c", "src/safety/stop.c", "src/session/access.c", "src/session/identity.c",
        "src/session/keyring.c", "src/session/kick.c", "src/session/panic_request.c", "src/session/rights.c",
        "src/session/terms.c",
    ], [
        ["verbs_test"],
        ["src_safety_stop_test", "src_session_rights_test", "src_safety_claim_test"],
        ["src_safety_rank_test", "src_session_access_test", "src_safety_panic_test", "src_safety_lease_test",
         "src_safety_slow_stop_test"],
        ["src_session_identity_test", "src_session_session_test", "src_session_services_test", "src_device_cause_test",
         "src_device_grant_test", "src_device_grant_stop_test", "src_device_hub_test", "tests_conformance_fronts_test"],
    ], 200),
    "motion": Area(
        sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "src/motion/*.c"))
               if not path.endswith("_test.c")),
        [motion("control", "engine"), motion("device", "tool", "path", "timeline", "profile", "store"),
         motion("answers", "estimate", "model", "package"), motion("stress", "simulation")],
        60, ("comparison", "off by one", "dropped call", "order")),
}
GOAL = 0.95

# ---- Changes --------------------------------------------------------------------------------------

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
STATEMENT = re.compile(r"^\s+(\(void\))?[a-z_][\w>.\[\]()&*-]*(->\w+)?\(.*\);$")
ASSIGNMENT = re.compile(r"^\s+\*?[a-z_][\w>.\[\]-]*(->|\.|\[)[\w>.\[\]-]* (=|\+=|-=|\|=) .*;$")


def blank_comments(text):
    """The same text with comments and strings as blanks, so that places stay."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found.group())
    return re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def inside_functions(lines):
    """For each line the name of its function, or None. Functions end with a } in the first column."""
    names = []
    name = None
    for number, line in enumerate(lines):
        if line.startswith("{"):
            back = number
            while back > 0 and lines[back - 1].strip() and not lines[back - 1].startswith(("}", "#")):
                back -= 1
            found = re.search(r"(\w+)\(", " ".join(lines[back:number]))
            name = found.group(1) if found else None
            names.append(None)
            continue
        if line.startswith("}"):
            name = None
        names.append(name)
    return names


class Mutant:
    def __init__(self, path, line, function, operator, before, after):
        self.path, self.line, self.function, self.operator = path, line, function, operator
        self.before, self.after = before, after

    def key(self):
        return " | ".join((self.path, self.function, self.operator, " ".join(self.before.split()),
                           " ".join(self.after.split())))


def changes_of_line(code, line):
    """Pairs of an operator and the changed line. `code` is the line without comments and strings."""
    if "assert" in code:
        return
    for found in re.finditer(r"<=|>=|==|!=|&&|\|\||(?<=\s)[<>](?=\s)", code):
        yield "comparison", line[:found.start()] + COMPARISONS[found.group()] + line[found.end():]
    # A number beside a comparison is left to "comparison": one more or less of nanoseconds is nothing.
    for found in re.finditer(r"(?<![<>=!] )(?<![\w.])([0-9])(?![\w.])", code):
        changed = str(int(found.group(1)) + 1)
        yield "off by one", line[:found.start()] + changed + line[found.end():]
    found = re.match(r"^(\s*(?:\} else )?(?:if|while) \()(.*)(\) \{)$", code)
    if found:
        start, end = found.span(2)
        yield "negated condition", line[:start] + "!(" + line[start:end] + ")" + line[end:]
    found = re.match(r"^\s+return (.*);$", code)
    if found and re.search(r"==|!=|&&|\|\|| [<>]=? ", code) and "?" not in code:
        start, end = found.span(1)
        yield "negated condition", line[:start] + "!(" + line[start:end] + ")" + line[end:]
    if STATEMENT.match(code) and not code.strip().startswith("return"):
        yield "dropped call", re.match(r"^\s*", line).group() + ";"
    if ASSIGNMENT.match(code):
        yield "dropped assignment", re.match(r"^\s*", line).group() + ";"


def depend(first, second):
    """Whether the order of two statements can matter: two calls, or a call and what it may read."""
    calls = [bool(STATEMENT.match(code)) for code in (first, second)]
    if all(calls):
        return True
    if not any(calls):
        return False
    call, assignment = (first, second) if calls[0] else (second, first)
    target = re.findall(r"\w+", assignment.split("=")[0])[-1]
    return re.search(r"\b%s\b" % target, call) is not None


def mutants_of(path):
    text = open(os.path.join(ROOT, path)).read()
    lines = text.split("\n")
    codes = blank_comments(text).split("\n")
    names = inside_functions(codes)
    simple = [bool(STATEMENT.match(c) or ASSIGNMENT.match(c)) and "assert" not in c for c in map(str.rstrip, codes)]
    for number, line in enumerate(lines):
        if names[number] is None:
            continue
        code = codes[number].rstrip()
        for operator, after in changes_of_line(code, line):
            yield Mutant(path, number, names[number], operator, line, after)
        following = number + 1
        if simple[number] and following < len(lines) and simple[following] and \
                depend(code, codes[following].rstrip()) and re.match(r"^\s*", line).group() == re.match(r"^\s*", lines[following]).group():
            yield Mutant(path, number, names[number], "order", line + "\n" + lines[following],
                         lines[following] + "\n" + line)


# ---- Building and running -------------------------------------------------------------------------

def copy_sources(folder):
    """A file that has not changed keeps its time, so that it is not compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        source, copy = os.path.join(ROOT, name), os.path.join(folder, name)
        if os.path.exists(source) and not (os.path.exists(copy) and filecmp.cmp(source, copy, shallow=False)):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(source, copy)


class Bench:
    def __init__(self, build, area):
        self.area = area
        self.sources = build
        self.build = os.path.join(build, "build", "test")  # as deep as that of ./troupe test: a compiler cache knows its files
        copy_sources(self.sources)
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            subprocess.run(["meson", "setup", self.build, self.sources, "-Db_sanitize=address,undefined", "-Dwerror=true"], check=True,
                           stdout=subprocess.DEVNULL)
        self.limits = {}

    def compile(self, tests):
        targets = ["tests/unit/" + test for test in tests]
        done = subprocess.run(["ninja", "-C", self.build] + targets, capture_output=True, text=True)
        return done.returncode == 0, done.stdout

    def passes(self, test):
        env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", MALLOC_PERTURB_="85")
        try:
            done = subprocess.run([os.path.join(self.build, "tests/unit", test)], env=env, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=self.limits.get(test, 300))
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def measure(self):
        """All tests pass without a change; a changed one that takes ten times as long hangs."""
        good, output = self.compile(self.area.tests)
        if not good:
            sys.exit("mutants: the sources do not build:\n" + output)
        for test in self.area.tests:
            began = time.monotonic()
            if not self.passes(test):
                sys.exit("mutants: %s fails without a change" % test)
            self.limits[test] = 10 + 10 * (time.monotonic() - began)

    def judge(self, mutant):
        """The test that finds the change; "" if none does; None if it does not compile."""
        path = os.path.join(self.sources, mutant.path)
        original = open(path).read()
        lines = original.split("\n")
        length = mutant.before.count("\n") + 1
        assert "\n".join(lines[mutant.line:mutant.line + length]) == mutant.before
        lines[mutant.line:mutant.line + length] = mutant.after.split("\n")
        try:
            with open(path, "w") as out:
                out.write("\n".join(lines))
            for group in self.area.groups:
                good, _ = self.compile(group)
                if not good:
                    return None
                for test in group:
                    if not self.passes(test):
                        return test
            return ""
        finally:
            with open(path, "w") as out:
                out.write(original)


# ---- Survivors ------------------------------------------------------------------------------------

def read_survivors():
    """Changes that are known to survive, and why: two lines each, the second one indented."""
    known = {}
    key = None
    for line in open(os.path.join(HERE, "survivors.txt")):
        if line.startswith("#") or not line.strip():
            continue
        if line[0].isspace():
            known[key] += line.strip()
        else:
            key = line.strip()
            known[key] = ""
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--area", choices=AREAS, default="safety")
    parser.add_argument("--count", type=int, help="how many changes; 0 for all")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    parser.add_argument("--file", help="only of files whose path contains this")
    parser.add_argument("--list", action="store_true", help="print the changes and make none")
    args = parser.parse_args()

    area = AREAS[args.area]
    count = area.count if args.count is None else args.count
    mutants = [m for path in area.files for m in mutants_of(path)
               if (args.file is None or args.file in path) and (area.operators is None or m.operator in area.operators)]
    total = len(mutants)
    if 0 < count < total:
        mutants = random.Random(args.seed).sample(mutants, count)
    if args.list:
        for mutant in mutants:
            print(mutant.key())
        return 0
    known = read_survivors()
    bench = Bench(args.build, area)
    bench.measure()
    killed, survived, invalid, unexplained = 0, 0, 0, 0
    for number, mutant in enumerate(mutants, 1):
        found = bench.judge(mutant)
        place = "%s:%d: %s" % (mutant.path, mutant.line + 1, mutant.operator)
        if found is None:
            invalid += 1
            continue
        if found:
            killed += 1
            print("%d/%d killed   %s (%s)" % (number, len(mutants), place, found), flush=True)
            continue
        survived += 1
        why = known.get(mutant.key())
        unexplained += why is None
        print("%d/%d SURVIVED %s\n%s\n    %s" % (number, len(mutants), place, mutant.key(), why or "not explained"),
              flush=True)
    judged = killed + survived
    rate = killed / judged if judged else 1.0
    print("%d of %d possible changes, seed %d: %d killed (%.1f %%), %d survived, %d of them not explained; the compiler refuses %d"
          % (len(mutants), total, args.seed, killed, 100 * rate, survived, unexplained, invalid))
    return 0 if rate >= GOAL and unexplained == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
