#!/usr/bin/env python3
"""Usage: 03-results-are-counted.py ROOT. A program that falls without a word is a failure too."""
import json
import pathlib
import sys
import tempfile

import tap

REPORT = f"{sys.argv[1]}/tests/report.py"


def write(logs, run, cases, programs):
    (logs / f"{run}.junit.xml").write_text(
        f'<testsuites><testsuite name="p.suite / one">{cases}</testsuite></testsuites>')
    (logs / f"{run}.json").write_text("\n".join(json.dumps({"name": n, "result": r}) for n, r in programs.items()))


def report(cases, programs, again=None):
    """What the report says of meson's logs with these <testcase> and {name: result}, and of those of a second run."""
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder), "testlog", cases, programs)
        if again is not None:
            write(pathlib.Path(folder), "again", *again)
        done = tap.run([sys.executable, REPORT, folder])
    return done.returncode, done.stdout


def cases_that_passed_are_counted():
    tap.equal(report('<testcase name="a"/><testcase name="b"/>', {"suite / one": "OK"}),
              (0, "2 passed, 0 failed\n"))


def a_failed_case_is_counted_once():
    tap.equal(report('<testcase name="a"><failure/></testcase>', {"suite / one": "FAIL"}),
              (1, "failed: p.suite / one: a\n0 passed, 1 failed\n"))


def a_program_that_timed_out_after_good_cases_is_a_failure():
    tap.equal(report('<testcase name="a"/>', {"suite / one": "TIMEOUT"}),
              (1, "failed: suite / one: TIMEOUT\n1 passed, 1 failed\n"))


def colours_in_what_a_test_prints_do_no_harm():
    tap.equal(report('<testcase name="a"><failure/></testcase><system-err>\x1b[2mred\x1b[22m</system-err>', {"suite / one": "FAIL"}),
              (1, "failed: p.suite / one: a\n0 passed, 1 failed\n"))


def a_skipped_case_is_a_failure():
    tap.equal(report('<testcase name="a"><skipped/></testcase>', {"suite / one": "SKIP"}),
              (1, "skipped: p.suite / one: a\nskipped tests count as failed here\n"
                  "0 passed, 1 failed\n"))


def missing_logs_are_a_failure():
    done = tap.run([sys.executable, REPORT, "/nowhere"])
    tap.equal((done.returncode, done.stdout.splitlines()[-1]), (1, "0 passed, 1 failed"))


def a_program_that_passes_alone_is_unsteady():
    tap.equal(report('<testcase name="a"><failure/></testcase>', {"suite / one": "FAIL", "suite / one-more": "OK"},
                     ('<testcase name="a"/>', {"suite / one": "OK"})),
              (0, "unsteady: one failed beside other tests, and passed alone\n1 passed, 0 failed\n"))


def a_program_that_fails_again_is_a_failure():
    tap.equal(report('<testcase name="a"><failure/></testcase>', {"suite / one": "FAIL"},
                     ('<testcase name="a"/>', {"suite / one": "TIMEOUT"})),
              (1, "failed: suite / one: TIMEOUT\n1 passed, 1 failed\n"))


def a_second_run_hides_no_other_program():
    tap.equal(report('<testcase name="a"><failure/></testcase>', {"suite / one": "FAIL", "suite / on": "FAIL"},
                     ('<testcase name="a"/>', {"suite / one": "OK"}))[0], 1)


tap.main(cases_that_passed_are_counted, a_failed_case_is_counted_once,
         a_program_that_timed_out_after_good_cases_is_a_failure, colours_in_what_a_test_prints_do_no_harm, a_skipped_case_is_a_failure,
         missing_logs_are_a_failure, a_program_that_passes_alone_is_unsteady, a_program_that_fails_again_is_a_failure,
         a_second_run_hides_no_other_program)
