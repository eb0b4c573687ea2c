#!/usr/bin/env python3
"""Every row of docs/seeds.md names files and tests that exist, or says "not yet".  argv: source root."""
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1])
ROW = re.compile(r"^\| (\d{3})-(\d+) \| (.+?) \| (.+?) \| (.+?) \|$")


def rows():
    for line in (ROOT / "docs/seeds.md").read_text().splitlines():
        if re.match(r"^\| \d{3}-", line):
            match = ROW.match(line)
            if match is None:
                raise AssertionError(f"not four cells: {line}")
            yield match.groups()


def missing(entry):
    """What an entry names and the repository lacks."""
    if entry == "not yet":
        return []
    problems = []
    for part in entry.split(","):
        path, _, case = part.strip().strip("`").partition(":")
        file = ROOT / path
        if not file.is_file():
            problems.append(f"there is no {path}")
        elif case and case not in file.read_text():
            problems.append(f"{path} has no case {case}")
    return problems


def every_row_names_what_exists():
    problems = [f"{paper}-{number}: {problem}" for paper, number, _, where, test in rows()
                for problem in missing(where) + missing(test)]
    tap.equal(problems, [])


def a_row_without_a_file_has_no_test():
    tap.equal([f"{paper}-{number}" for paper, number, _, where, test in rows()
               if where == "not yet" and test != "not yet"], [])


def numbers_run_without_gaps():
    last = {}
    for paper, number, *_ in rows():
        tap.equal((paper, int(number)), (paper, last.get(paper, 0) + 1))
        last[paper] = int(number)
    tap.equal(sorted(last), ["000", "001", "002", "003"])


def the_check_itself_finds_what_is_missing():
    tap.equal(missing("src/none.c"), ["there is no src/none.c"])
    tap.equal(missing("docs/seeds.md:no such words " + "in it"), ["docs/seeds.md has no case no such words in it"])
    tap.equal(missing("docs/seeds.md, LICENSE"), [])


def the_tables_of_the_thesis_are_whole():
    """Table 2.1, tables B.1 and B.2, and the elements of C.1, each option or element with what does and shows it."""
    counts, problems = {}, []
    for line in (ROOT / "docs/seeds.md").read_text().splitlines():
        match = re.match(r"^\| (2\.1|B\.1|B\.2|C\.1)-(\d+) \| (.+?) \| (.+?) \| (.+?) \|$", line)
        if match is not None:
            table, number, _, where, test = match.groups()
            counts[table] = counts.get(table, 0) + 1
            tap.equal((table, int(number)), (table, counts[table]))
            problems += [f"{table}-{number}: {problem}" for problem in missing(where) + missing(test)]
    tap.equal((counts, problems), ({"2.1": 3, "B.1": 10, "B.2": 25, "C.1": 54}, []))


tap.main(every_row_names_what_exists, a_row_without_a_file_has_no_test, numbers_run_without_gaps,
         the_check_itself_finds_what_is_missing, the_tables_of_the_thesis_are_whole)
