#!/usr/bin/env python3
"""docs/guide/safety.md is true: its tests exist, its table is the benchmark's, its diagrams are what the models do.
argv: source root.

A diagram is compared with its model by spin: the model is told to note each change of its state, and what the diagram
does not have is a fault. Then, for each transition of the diagram, that it never happens is said of the model, which
has to be found out."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs/guide/safety.md").read_text(encoding="utf-8")


# ---- Tests and figures ----------------------------------------------------------------------------------


def source_of(name):
    """A test file: by its path, or those of its number in tests/system."""
    if not name.isdigit():
        return (ROOT / name).read_text(encoding="utf-8")
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/system").glob(f"{name}-*.py"))


def every_test_of_the_page_exists():
    table = PAGE.split("## What can go wrong")[1].split("\n## ")[0]
    rows = [row for row in table.splitlines() if row.startswith("| ")][1:]
    assert len(rows) > 20, rows
    for row in rows:
        found = re.findall(r"`([\w/]+?(?:_test\.c)?): ([\w :-]+)`", row)
        assert found or "not ours" in row or "nobody can" in row, row
        for name, case in found:
            source = source_of(name)
            written = case.removeprefix("found out: ")
            known = written in source or re.search(rf"\b{written.replace(' ', '_')}\b", source)
            tap.equal((name, case, bool(known)), (name, case, True))


def the_table_is_that_of_the_benchmark():
    lines = PAGE.split("<!-- ./troupe bench safety -->\n")[1].split("<!-- end -->")[0].splitlines()
    source = (ROOT / "bench/safety_bench.c").read_text(encoding="utf-8")
    links = re.search(r"links\[\] = \{\n(.*?)\n\};", source, re.S).group(1)
    wanted = [(what, who, int(count), float(budget)) for what, who, count, budget in
              re.findall(r'\{"(.*?)", "(.*?)",\s+\w+,\s+(\d+),\s+-?\d+,\s+(\d+)\}', links)]
    assert len(wanted) > 5, links
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head = re.search(r'puts\("(\| what happens.*?\|)"\);', source, re.S).group(1)
    tap.equal(re.sub(r'"\s*"', "", head), lines[0])
    tap.equal([(row[0], row[1], int(row[2]), float(row[8])) for row in cells[2:]], wanted)
    tap.equal({row[9] for row in cells[2:]}, {"yes"})
    for row in cells[2:]:
        assert float(row[3]) <= float(row[4]) + 0.01 and float(row[5]) <= float(row[7]) + float(row[8]), row


# ---- Diagrams -------------------------------------------------------------------------------------------

# A model; its states, as numbers, by what the model knows; the parts of it that change them, where each is made to
# note what it does; and in what a state can be left.
MODELS = {
    "lease": {
        "states": ["Free", "Over", "Ended", "Held"],
        "state": "(ends == NEVER -> 0 : (ends == OVER -> 1 : (ends <= NOW -> 2 : 3)))",
        "changes": r"\bends = [^;\n]*?(?=;|\n|$)|\bage\(ends\)",
        "parts": {"take_lease": "inline", "renew": "inline", "end_lease": "inline", "stop_if_expired": "inline",
                  "time": "proctype Clock"},
    },
    "panic": {
        "states": ["Calm", "Raised", "Stopped", "Owing"],
        "state": "(PANICS(handled) == PANICS(epoch) -> (IS_ON(epoch) -> 2 : 0) : (IS_ON(epoch) -> 1 : 3))",
        "changes": r"\bepoch\+\+|\bhandled = e\b",
        "parts": {"raise_panic": "inline", "reset_panic": "inline", "serve_panic": "inline"},
    },
}


def edges_of(model):
    """(from, to, by) of the diagram that has the model's states."""
    for diagram in re.findall(r"```mermaid\nstateDiagram-v2\n(.*?)```", PAGE, re.S):
        edges = re.findall(r"^ +(\w+) --> (\w+): (\w+)$", diagram, re.M)
        if {edge[0] for edge in edges} == set(MODELS[model]["states"]):
            lines = diagram.strip().splitlines()
            tap.equal(len(edges) + 1, len(lines))  # and where it begins
            tap.equal(lines[0].strip(), f"[*] --> {MODELS[model]['states'][0]}")
            return edges
    raise AssertionError(f"no diagram of {model}")


def part_of(text, kind, name):
    """Where the text of an inline or a process is."""
    head = f"inline {name}(" if kind == "inline" else f"{kind}("
    begin = text.index(head)
    return begin, text.index("\n}\n", begin) + 3


def noting(model, allowed):
    """The model, whose parts say what they change; `allowed(from, to, by)` as a condition of spin."""
    known = MODELS[model]
    text = (ROOT / f"tests/model/{model}.pml").read_text(encoding="utf-8")
    for name, kind in known["parts"].items():
        begin, end = part_of(text, kind, name)
        part, count = re.subn(known["changes"],
                              lambda match, name=name: f"was = STATE; {match.group(0)}; assert({allowed(name)})",
                              text[begin:end])
        assert count > 0, name
        part = re.sub(r"^( +)(was = STATE; handled = e; .*)$", r"\1d_step { \2 }", part, flags=re.M)
        text = text[:begin] + part + text[end:]
    others = re.sub(known["changes"], "", re.sub(r"was = STATE;.*", "", text))
    tap.equal((model, re.findall(r"\bends = |\bepoch = ", others.replace("byte ends = NEVER", ""))), (model, []))
    first = text.index("\n/* ---- ")
    return text[:first] + f"\n#define STATE {known['state']}\nbyte was;\n" + text[first:]


def number_of(model, state):
    return MODELS[model]["states"].index(state)


def condition(model, edges, by):
    """Nothing changes, or it is one of the edges."""
    changes = [f"(was == {number_of(model, a)} && STATE == {number_of(model, b)})"
               for a, b, name in edges if name == by]
    return " || ".join(["was == STATE", *changes])


def errors(text, optimise):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "model.pml").write_text(text, encoding="utf-8")
        for command in (["spin", "-a", "model.pml"], ["cc", optimise, "-w", "-DSAFETY", "-o", "pan", "pan.c"],
                        ["./pan", "-m1000000", "-w24"]):
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=800, check=False)
            assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
        found = int(re.search(r"errors: (\d+)", result.stdout).group(1))
        assert "max search depth too small" not in result.stdout, result.stdout
        assert found > 0 or "Search not completed" not in result.stdout, result.stdout
        return found


def has_no_others(model):
    def test():
        edges = edges_of(model)
        tap.equal({name for _, _, name in edges}, set(MODELS[model]["parts"]))
        tap.equal(errors(noting(model, lambda by: condition(model, edges, by)), "-O2"), 0)
    test.__name__ = f"the model of {model} has no transition that its diagram has not"
    return test


def happens(model, edge):
    def test():
        a, b, by = edge
        never = f"!(was == {number_of(model, a)} && STATE == {number_of(model, b)})"
        tap.equal(errors(noting(model, lambda name: never if name == by else "true"), "-O0"), 1)
    test.__name__ = f"in the model of {model} {edge[0]} becomes {edge[1]} by {edge[2]}"
    return test


def at_once(tests):
    """The same tests, of which as many run at a time as there are processors for them."""
    pool = concurrent.futures.ThreadPoolExecutor(2)

    def waiting(test):
        future = pool.submit(test)
        result = lambda: future.result()  # noqa: E731: a test is a function with a name
        result.__name__ = test.__name__
        return result
    return [waiting(test) for test in tests]


tap.main(every_test_of_the_page_exists, the_table_is_that_of_the_benchmark,
         *at_once([has_no_others(model) for model in MODELS] +
                  [happens(model, edge) for model in MODELS for edge in edges_of(model)]))
