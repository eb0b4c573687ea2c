#!/usr/bin/env python3
"""The structure of the tree: no struct with very many fields; in some folders no two files that call each other;
parts of a struct that one file alone touches.  argv: source root."""
import itertools
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1])
FRONTS = tuple(sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "fronts").iterdir() if path.is_dir()))
FOLDERS = ("src/port", "src/safety", "src/device", "src/session", "src/server") + FRONTS  # without cycles
TREE = ("src", "drivers", "fronts", "apps", "include", "examples")  # generated files are in the build folder
MOST_FIELDS = 34
FEWEST_ASSERTIONS = 3  # per thousand lines, where threads meet
THREADED = ("src/safety", "src/device", "src/session") + FRONTS

# Parts of structs, and the file that alone touches them; its header may have small questions about them.
PARTS = {
    "src/device": {
        "naming": "naming.c", "fallbacks": "param.c", "jobs": "jobs.c", "worker": "worker.c", "calls": "call.c",
        "links": "link.c", "errands": "errand.c", "life": "phase.c", "removal": "remove.c", "trouble": "trouble.c",
        "note": "section.c", "output": "publish.c", "geometry": "geometry.c", "properties": "property.c",
        "panic_watch": "panic_watch.c",
    },
    "src/session": {
        "mailbox": "mailbox.c", "sending": "session_send.c", "backlog": "backlog.c", "pull": "pull.c",
        "page": "page.c", "makings": "maker.c",
    },
    "src/client": {
        "secret": "auth.c", "contact": "state.c", "asks": "ask.c", "reopen": "proxy.c", "alive": "alive.c",
    },
    "drivers/sim": {"brakes": "brakes.c"},
}

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
    assert len(FRONTS) >= 4, FRONTS


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
    found, seen = [], 0
    for folder in TREE:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            found += large_structs(path.relative_to(ROOT).as_posix(), path.read_text())
            seen += 1
    tap.equal(found, [])
    assert seen > 500, seen


# ---- Parts of structs ----

def touched(parts, name, text):
    """Which parts a file touches that belong to another one."""
    text = without_noise(text)
    return [f"{name} touches {part}, which belongs to {owner}" for part, owner in parts.items()
            if name != owner and re.search(rf"->{part}\b(?!\()|\btp_\w+, {part}\.", text)]


def a_part_of_a_struct_belongs_to_one_file():
    found = []
    for folder, parts in PARTS.items():
        for path in sources(folder):
            found += touched(parts, path.name, path.read_text())
        tap.equal([owner for owner in parts.values() if not (ROOT / folder / owner).exists()], [])
    tap.equal(found, [])


# ---- Assertions ----

def assertions_in(text):
    return len(re.findall(r"\bassert\(", without_noise(text)))


def owners_are_asserted():
    few = []
    for folder in THREADED:
        texts = [path.read_text() for path in sources(folder)]
        lines = sum(text.count("\n") for text in texts)
        count = sum(assertions_in(text) for text in texts)
        if count * 1000 < FEWEST_ASSERTIONS * lines:
            few.append(f"{folder}: {count} assertions in {lines} lines")
    tap.equal(few, [])


# ---- The checks themselves ----

def the_checks_find_what_they_look_for():
    a = "void tpi_a_go(int x)\n{\n    tpi_b_go(x);\n}\n"
    b = "static int tpi_c(void)\n{\n}\nvoid tpi_b_go(int x)\n{\n    run(tpi_a_go);\n}\n"
    tap.equal(cycles({"a.c": a, "b.c": b}), ["a.c <-> b.c"])
    tap.equal(cycles({"a.c": a, "b.c": b.replace("tpi_a_go", "tpi_d_go")}), [])
    tap.equal(cycles({"a.c": "const op tpi_a = 1;\nint tpi_x(void)\n{\n return tpi_b;\n}\n",
                      "b.c": "const op tpi_b = {tpi_a};\n"}), ["a.c <-> b.c"])
    tap.equal(fields_of("int a, b; struct { int c; void (*d)(int x, int y); } e;"), 5)
    tap.equal(large_structs("x.h", "struct x { " + "int a; " * (MOST_FIELDS + 1) + "};"),
              [f"x.h: struct x has {MOST_FIELDS + 1} fields"])
    tap.equal(touched({"worker": "worker.c"}, "x.c", "self->worker.bell = 1;"),
              ["x.c touches worker, which belongs to worker.c"])
    tap.equal(touched({"worker": "worker.c"}, "worker.c", "self->worker.bell = 1;"), [])
    tap.equal(assertions_in("assert(x); static_assert(y); /* assert(z) */"), 1)


tap.main(no_two_files_call_each_other, no_struct_has_very_many_fields, a_part_of_a_struct_belongs_to_one_file,
         owners_are_asserted, the_checks_find_what_they_look_for)
