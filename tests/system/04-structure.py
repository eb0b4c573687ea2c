#!/usr/bin/env python3
"""The structure of port, safety, device and session: no two files that call each other, no struct with very many
fields, the parts of a struct in the hands of one file each.  argv: source root."""
import itertools
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = ("src/port", "src/safety", "src/device", "src/session")
MOST_FIELDS = 35
FEWEST_ASSERTIONS = 3  # per thousand lines, in each folder where threads meet

NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DEFINITION = re.compile(r"^(?!static\b|typedef\b|enum\b)[a-z][\w \*]*?\b(tpi?_\w+)\s*\([^;{}]*\)\s*\n\{", re.M)
DATA = re.compile(r"^(?!static\b|extern\b|typedef\b)const [\w \*]*?\b(tpi?_\w+)(?:\[\])? = ", re.M)
STRUCT = re.compile(r"\bstruct\s*(\w*)\s*\{")


def without_noise(text):
    return NOISE.sub(" ", text)


def sources(folder):
    return [path for path in sorted((ROOT / folder).glob("*.c")) if not path.name.endswith("_test.c")]


# ---- Two files that call each other ----

def calls(texts):
    """Which files use functions of which others: {file: {file}}."""
    home = {name: file for file, text in texts.items() for name in DEFINITION.findall(text) + DATA.findall(text)}
    found = {}
    for file, text in texts.items():
        used = {home[word] for word in re.findall(r"\btpi?_\w+", text) if word in home}
        found[file] = used - {file}
    return found


def cycles(texts):
    found = calls(texts)
    return [f"{a} <-> {b}" for a, b in itertools.combinations(sorted(found), 2) if b in found[a] and a in found[b]]


def no_two_files_call_each_other():
    texts = {path.relative_to(ROOT).as_posix(): without_noise(path.read_text())
             for folder in FOLDERS for path in sources(folder)}
    tap.equal(cycles(texts), [])


# ---- Fields ----

def body_of(text, start):
    depth, at = 1, start
    while depth > 0:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def fields_of(body):
    """The fields of a struct's body; those of a struct without a name count with it."""
    count = 0
    while True:
        inner = re.search(r"\b(?:struct|union)\s*\w*\s*\{", body)
        if inner is None:
            break
        inside = body_of(body, inner.end())
        count += fields_of(inside)
        body = body[:inner.start()] + " int " + body[inner.end() + len(inside) + 1:]
    for part in body.split(";"):
        if part.strip():
            count += 1 + re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", part)).count(",")
    return count


def large_structs(file, text):
    text = without_noise(text)
    found = []
    for match in STRUCT.finditer(text):
        count = fields_of(body_of(text, match.end()))
        if count > MOST_FIELDS:
            found.append(f"{file}: struct {match.group(1)} has {count} fields")
    return found


def no_struct_has_very_many_fields():
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.[ch]")):
            found += large_structs(path.relative_to(ROOT).as_posix(), path.read_text())
    tap.equal(found, [])


if __name__ == "__main__":
    tap.main(no_two_files_call_each_other, no_struct_has_very_many_fields)
