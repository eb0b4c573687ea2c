#!/usr/bin/env python3
"""mutants.py - mistakes in the code, one at a time: do the tests find them?

usage: mutants.py BUILD [--area safety|motion] [--count N] [--seed S] [--file NAME] [--jobs N] [--again LOG] [--list]

BUILD is a folder for a copy of the sources and its build. The files of an area (safety and rights; timed motion) get all changes
at once (changes.py), the test programs of the area are built once, and each change is chosen when they start. They run until one
fails: that of the changed file first, then the one that has found most in that file. A change that no test finds has to be in
survivors.txt with the reason why it changes nothing that counts.

Motion has a fixed number of changes, chosen by a hash of their text. Changes that are none are replaced: one that the compiler
refuses or that survivors.txt explains gives its place to the next change of the same operator in the order of the hashes. So
every change of the sample is a mistake, and one that no test finds is printed as not found.

The status is 0 if at least 95 of 100 changes are found, not counting those that are explained as changing nothing.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import filecmp
import glob
import hashlib
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time

import changes
from changes import HERE, ROOT


class Area:
    """Files to change, the tests that look, how many changes are made by default, and of which kinds (None: all). Tests are
    programs of tests/unit; `scripts` are further ones, with the program that they need and their command."""
    def __init__(self, files, tests, count, operators=None, scripts=None):
        self.files, self.tests, self.count, self.operators = files, tests, count, operators
        self.scripts = scripts or {}

    def mutants_of(self, path):
        """Without those of which a glance shows that they change nothing."""
        mutants = changes.possible_mutants_of(path)
        if self.operators is None:
            return mutants
        return [m for m in mutants if m.operator in self.operators and not changes.is_the_same(m)]

    def sample(self, mutants, count, seed, is_none):
        """A number of changes, and those that were replaced since they are none (is_none)."""
        if self.operators is None:
            return random.Random(seed).sample(mutants, count), []
        # By a hash of the text, so that changes elsewhere in the code leave most of the sample as it is.
        ordered = sorted(mutants, key=lambda m: hashlib.sha256(("%d %s" % (seed, m.key())).encode()).digest())
        places = collections.Counter(m.operator for m in ordered[:count])
        chosen, replaced = [], []
        for mutant in ordered:
            if places[mutant.operator] > 0:
                (replaced if is_none(mutant) else chosen).append(mutant)
                places[mutant.operator] -= mutant in chosen[-1:]
        return chosen, replaced


AREAS = {
    "safety": Area([
        "src/safety/claim.c", "src/safety/lease.c", "src/safety/panic.c", "src/safety/rank.c", "src/safety/safety.c",
        "src/safety/slow_stop.c", "src/safety/stop.c", "src/session/access.c", "src/session/identity.c",
        "src/session/keyring.c", "src/session/kick.c", "src/session/panic_request.c", "src/session/rights.c",
        "src/session/terms.c",
    ], [
        "verbs_test", "src_safety_stop_test", "src_session_rights_test", "src_safety_claim_test", "src_safety_order_test", "src_safety_rank_test",
        "src_session_access_test", "src_session_backlog_test", "src_session_terms_test", "src_safety_panic_test", "src_safety_lease_test", "src_safety_slow_stop_test",
        "src_session_identity_test", "src_session_session_test", "src_session_services_test", "src_device_cause_test",
        "src_device_grant_test", "src_device_grant_stop_test", "src_device_hub_test", "tests_conformance_fronts_test",
        "tests_conformance_drivers_test", "src_port_port_test", "src_session_crowd_test", "src_session_budget_test",
        "src_client_inproc_test", "src_device_timed_threads_test",
    ], 200),
    "motion": Area(
        sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "src/motion/*.c"))
               if not path.endswith("_test.c")),
        ["src_motion_%s_test" % name for name in
         ("answers", "axis", "change", "confirm", "control", "device", "engine", "estimate", "examples", "holder", "model", "package", "path", "profile", "simulation",
          "store", "stress", "timeline", "tip", "tool", "twist")],
        60, ("comparison", "off by one", "dropped call", "order"),
        {"98-motion-model": ("tests/motion/motion-play", [sys.executable, os.path.join(ROOT, "tests/motion/compare.py"),
                                                          "tests/motion/motion-play", "--runs", "1000", "--jobs", "1"])}),
}
GOAL = 0.95

# ---- Building and running -------------------------------------------------------------------------

def copy_sources(folder, besides):
    """A file that has not changed keeps its time, so that it is not compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        source, copy = os.path.join(ROOT, name), os.path.join(folder, name)
        if name not in besides and os.path.exists(source) and \
                not (os.path.exists(copy) and filecmp.cmp(source, copy, shallow=False)):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(source, copy)


def write_if_new(path, text):
    if not os.path.exists(path) or open(path).read() != text:
        with open(path, "w") as out:
            out.write(text)


class Bench:
    def __init__(self, build, area, jobs):
        self.area, self.jobs = area, jobs
        self.tests = area.tests + list(area.scripts)
        self.sources = build
        self.build = os.path.join(build, "build", "test")  # as deep as that of ./troupe test: a compiler cache knows its files
        copy_sources(self.sources, area.files)
        for path in area.files:
            if not os.path.exists(os.path.join(self.sources, path)):
                self.write_changes(path, [])
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            subprocess.run(["meson", "setup", self.build, self.sources, "-Db_sanitize=address,undefined"], check=True,
                           stdout=subprocess.DEVNULL)
        else:  # there may be files that the build of the last time does not know
            subprocess.run(["ninja", "-C", self.build, "build.ninja"], check=True, stdout=subprocess.DEVNULL)
        self.limits = {}
        self.found = collections.Counter()  # by file and test

    def write(self, mutants):
        for path in self.area.files:
            self.write_changes(path, [(number, m) for number, m in enumerate(mutants) if m.path == path])

    def write_changes(self, path, numbered):
        text, missing = changes.with_all(path, numbered)
        if missing:
            sys.exit("mutants: no place for these changes:\n" + "\n".join(m.key() for n, m in numbered if n in missing))
        full = os.path.join(self.sources, path)
        write_if_new(full + ".mutants", text)
        write_if_new(full, '#include "%s.mutants"\n' % os.path.basename(path))

    def passes(self, test, mutant=-1):
        env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", MALLOC_PERTURB_="85", TROUPE_MUTANT=str(mutant),
                   UBSAN_OPTIONS="halt_on_error=1")
        command = self.area.scripts[test][1] if test in self.area.scripts else [os.path.join(self.build, "tests/unit", test)]
        process = subprocess.Popen(command, env=env, cwd=self.build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(self.limits.get(test, 300)) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:  # with the processes of drivers that it has started
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def measure(self):
        """All tests pass without a change; a changed one that takes ten times as long hangs."""
        programs = ["tests/unit/" + test for test in self.area.tests] + [program for program, _ in self.area.scripts.values()]
        done = subprocess.run(["ninja", "-C", self.build, "-j%d" % max(self.jobs, 1)] + programs, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("mutants: the sources do not build:\n" + done.stdout)
        for test in self.tests:
            began = time.monotonic()
            if not self.passes(test):
                sys.exit("mutants: %s fails without a change" % test)
            self.limits[test] = 10 + 10 * (time.monotonic() - began)

    def tests_for(self, path):
        """That of the file, then those that have found most, then the quick ones."""
        own = path.removesuffix(".c").replace("/", "_") + "_test"
        return sorted(self.tests, key=lambda test: (test != own, -self.found[path, test], self.limits[test]))

    def is_refused(self, mutant):
        """Whether the compiler refuses the change, with the warnings of the project."""
        path = os.path.join(self.sources, mutant.path)
        commands = json.load(open(os.path.join(self.build, "compile_commands.json")))
        words = next(shlex.split(c["command"]) for c in commands if os.path.join(c["directory"], c["file"]).endswith("/../" + mutant.path))
        words = words[:words.index("-MD")] + ["-Werror", "-iquote", os.path.dirname(path), "-x", "c", "-S", "-o", os.devnull, "-"]
        if words[0] == "ccache":
            words = words[1:]
        text = open(os.path.join(ROOT, mutant.path)).read().split("\n")
        text[mutant.line:mutant.line + mutant.before.count("\n") + 1] = mutant.after.split("\n")
        return subprocess.run(words, cwd=self.build, input="\n".join(text), text=True, capture_output=True).returncode != 0

    def judge(self, number, mutant):
        """The test that finds the change; "" if none does; None if it does not compile."""
        for test in self.tests_for(mutant.path):
            if not self.passes(test, number) and not self.passes(test, number):  # once can be a busy machine
                self.found[mutant.path, test] += 1
                return test
        return None if self.is_refused(mutant) else ""


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


def possible_mutants(args):
    """All changes of the arguments."""
    area = AREAS[args.area]
    mutants = [m for path in area.files if args.file is None or args.file in path for m in area.mutants_of(path)]
    if args.again:
        survived = {line.strip() for line in open(args.again)}
        mutants = [m for m in mutants if m.key() in survived]
    return mutants


def chosen_mutants(args, mutants, is_none):
    """Those of the sample, and those that were replaced."""
    area = AREAS[args.area]
    count = area.count if args.count is None else args.count
    return area.sample(mutants, count, args.seed, is_none) if 0 < count < len(mutants) else (mutants, [])


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--area", choices=AREAS, default="safety", help="which code")
    parser.add_argument("--count", type=int, help="how many changes; 0 for all")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    parser.add_argument("--file", help="only of files whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time; default: as many as processors")
    parser.add_argument("--again", metavar="LOG", help="only those that have survived in LOG, the output of a run before")
    parser.add_argument("--list", action="store_true", help="print the changes and make none")
    return parser.parse_args()


def main():
    args = read_arguments()
    known = read_survivors()
    possible = possible_mutants(args)
    if args.list:
        for mutant in chosen_mutants(args, possible, lambda m: m.key() in known)[0]:
            print(mutant.key())
        return 0
    bench = Bench(args.build, AREAS[args.area], args.jobs)
    mutants, replaced = chosen_mutants(args, possible, lambda m: m.key() in known or bench.is_refused(m))
    for mutant in replaced:
        print("replaced %s\n    %s" % (mutant.key(), known.get(mutant.key(), "refused by the compiler")), flush=True)
    bench.write(mutants)
    bench.measure()
    killed, survived, invalid, unexplained = 0, 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(max(args.jobs, 1)) as pool:
        for number, found in enumerate(pool.map(bench.judge, range(len(mutants)), mutants), 1):
            mutant = mutants[number - 1]
            place = "%s:%d: %s" % (mutant.path, mutant.line + 1, mutant.operator)
            if found is None:
                invalid += 1
            elif found:
                killed += 1
                print("%d/%d killed   %s (%s)" % (number, len(mutants), place, found), flush=True)
            else:
                survived += 1
                why = known.get(mutant.key())
                unexplained += why is None
                print("%d/%d SURVIVED %s\n%s\n    %s" % (number, len(mutants), place, mutant.key(), why or "not explained"),
                      flush=True)
    judged = killed + unexplained
    rate = killed / judged if judged else 1.0
    print("%d of %d possible changes, seed %d: %d killed, %d survived, %d of them not explained; the compiler refuses %d"
          % (len(mutants), len(possible), args.seed, killed, survived, unexplained, invalid))
    print("%.1f %% killed, without the %d that change nothing; %.1f %% with them"
          % (100 * rate, survived - unexplained, 100.0 * killed / max(1, killed + survived)))
    return 0 if rate >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
