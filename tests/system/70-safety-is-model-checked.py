"""The models of leases, panic and timed commands (tests/model) hold in every order of steps, and every mutant of them is found out."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

MODELS = pathlib.Path(sys.argv[1]) / "tests" / "model"

# What has to hold: a model and its variants.
VARIANTS = [
    ("lease", []),
    ("lease", ["-DLEASE=0"]),
    ("lease", ["-DLEASE=1", "-DVALID=2"]),
    ("lease", ["-DSTALL", "-DLEASE=1"]),
    ("panic", []),
    ("panic", ["-DFORGETFUL"]),
    ("timed", []),
    ("timed", ["-DPANICS"]),
    ("timed", ["-DHOLD"]),
    ("timed", ["-DTAKE"]),
]

# What must not hold: a mistake that somebody might make, as a model, its variant, and texts to replace.
MUTANTS = {
    "a command is carried out without a look at the lease":
        ("lease", [], [(":: ends != NEVER && ends > NOW -> held = true", ":: true -> held = true")]),
    "a command goes to the worker before its lease is taken":
        ("lease", [], [("take_lease(UNLIMITED) } post()", "post() } take_lease(UNLIMITED)")]),
    "the worker is not woken when the mover is gone":
        ("lease", ["-DLEASE=0"], [("    }\n    bell = true\n}\n\ninline rest", "    }\n    skip\n}\n\ninline rest")]),
    "a closed connection ends nothing":
        ("lease", ["-DLEASE=0"], [(":: before != NEVER && ends == before -> ends = OVER", ":: false -> skip")]),
    "the worker does not wait for the end of the lease":
        ("lease", [], [("wait_until = (ends == UNLIMITED -> NEVER : ends)", "wait_until = NEVER")]),
    "the worker silences its bell after it has looked":
        ("lease", ["-DLEASE=0"], [("    :: bell = false;\n       stop_if_expired();", "    :: stop_if_expired();"),
                                   ("atomic { wait_until =", "atomic { bell = false; wait_until =")]),
    "the end of a lease is taken without a compare-and-swap":
        ("lease", [], [(":: ends == seen -> ends = NEVER;", ":: true -> ends = NEVER;")]),
    "the end of a lease stops nothing":
        ("lease", [], [(":: seen == UNLIMITED -> halt(); break", ":: seen == UNLIMITED -> break")]),
    "the word of any client renews the lease":
        ("lease", [], [("what == WORD && mover == who ->", "what == WORD ->")]),
    "words renew a command that has said how long it holds":
        ("lease", [], [("            ends = END_OF_LEASE;", "            ends = FULL_LEASE;")]),
    "a command that says how long it holds needs no more words":
        ("lease", ["-DLEASE=1", "-DVALID=2"], [("        ends = END_OF_LEASE;\n        mover", "        ends = limit;\n        mover")]),
    "a refused command takes the lease of another and leaves that moving":
        ("lease", [], [(":: doer != caller -> halt()", ":: doer != caller -> refused = moving && !handing && "
                                                       "len(inbox) == 0")]),
    "a command that finds no room takes the lease":
        ("lease", [], [("full(inbox) /* refused before it changes anything */", "full(inbox) -> take_lease(UNLIMITED)")]),
    "a panic that is over already stops nothing":
        ("panic", [], [(":: PANICS(e) != PANICS(handled) ->", ":: e != handled && IS_ON(e) ->")]),
    "a command from before a panic is carried out after it":
        ("panic", [], [(":: d_step { came == epoch ->", ":: d_step { !IS_ON(epoch) ->"),
                       (":: came != epoch\n", ":: IS_ON(epoch)\n")]),
    "a command is carried out without a look at the panic":
        ("panic", [], [(":: d_step { came == epoch ->", ":: d_step { true ->")]),
    "the worker looks for a panic once in a turn only":
        ("panic", [], [(":: inbox ? came -> serve_panic(); carry_out()", ":: inbox ? came -> carry_out()")]),
    "ports do not look at the panic":
        ("panic", ["-DFORGETFUL"], [("writing = !IS_ON(e)", "writing = true")]),
    "a panic wakes nobody":
        ("panic", [], [("    fi;\n    bell = true;\n    lock = false", "    fi;\n    lock = false")]),
    "the worker silences its bell after it has looked for a panic":
        ("panic", [], [("    :: bell = false;\n       serve_panic();", "    :: serve_panic();"),
                       ("end_of_turn:\n       bell\n", "       bell = false;\nend_of_turn:\n       bell\n")]),
    "a reset ends whatever panic there is":
        ("panic", [], [(":: IS_ON(epoch) && epoch == meant ->", ":: IS_ON(epoch) ->")]),
    "resets do not take the lock":
        ("panic", [], [("inline reset_panic(meant)\n{\n    atomic { !lock -> lock = true }", "inline reset_panic(meant)\n{")]),
    "those who raise a panic do not take the lock":
        ("panic", [], [("inline raise_panic()\n{\n    atomic { !lock -> lock = true }", "inline raise_panic()\n{")]),
    "a second panic ends the first":
        ("panic", [], [(":: !IS_ON(epoch) -> d_step { epoch++;", ":: true -> d_step { epoch++;")]),
    "a timed command is written without a look at panic, lease and grant":
        ("timed", ["-DPANICS"], [("inline play()\n{\n    look_for_end();", "inline play()\n{\n    why = LASTS;")]),
    "a timed command is written without a look at the panic":
        ("timed", ["-DPANICS"], [(":: why == LASTS && epoch != 0 -> why = PANIC", ":: false -> skip")]),
    "a timed command is written without a look at the lease":
        ("timed", [], [(":: lease != NEVER && lease <= at -> lease = NEVER; why = SILENT", ":: false -> skip")]),
    "a timed command is written although the grant has ended":
        ("timed", ["-DTAKE"], [("    why = ending;\n", "    why = LASTS;\n")]),
    "a timed command that is cancelled is written":
        ("timed", ["-DHOLD"], [(":: state[i] == WAITING -> state[i] = TAKEN\n", ":: true -> state[i] = TAKEN\n")]),
    "a resumed grant has its new times too late":
        ("timed", ["-DHOLD"], [("    :: d_step { shift = shift + now - since; shift_due(0); shift_due(1) }\n       held = false;",
                                "    :: d_step { held = false; shift_due(0); shift_due(1) }\n       shift = shift + now - since;")]),
    "a resumed grant wakes nobody":
        ("timed", ["-DHOLD"], [("       held = false;\n       bell = true\n", "       held = false\n")]),
    "the player does not wait for the next timed command":
        ("timed", ["-DHOLD"], [("-> wait_until = key[FIRST] + shift\n", "-> skip\n")]),
    "the player writes timed commands before they are due":
        ("timed", ["-DHOLD"], [(":: key[FIRST] + shift <= at ->", ":: key[FIRST] + shift <= at + 1 ->")]),
    "a player that rests is not woken for a command that is due before":
        ("timed", ["-DHOLD"], [("        :: now_due < rests -> bell = true\n", "        :: false -> skip\n")]),
    "the player rests without a look at what was posted meanwhile":
        ("timed", ["-DHOLD"], [("    :: !finished && nempty(inbox) -> take_posted(); find_deadline(); rests = wait_until\n"
                                "    :: finished || empty(inbox) -> break\n", "    :: true -> break\n")]),
    "the player looks at what was posted before it says how long it rests":
        ("timed", ["-DHOLD"], [("    find_deadline();\n    rests = wait_until;\n    do\n", "    find_deadline();\n    do\n"),
                               ("    od;\n    atomic {\n        waiting = true;", "    od;\n    rests = wait_until;\n    atomic {\n        waiting = true;")]),
    "the end of a grant wakes nobody":
        ("timed", ["-DTAKE"], [("    :: close(OVERRIDDEN); bell = true\n", "    :: close(OVERRIDDEN)\n")]),
}


def text_of(model):
    return (MODELS / f"{model}.pml").read_text(encoding="utf-8")


def check(text, variant, optimise):
    """What spin says after trying everything, or at the first fault; optimising is for those that take long."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "model.pml").write_text(text, encoding="utf-8")
        for command in (["spin", "-a", *variant, "model.pml"],
                        ["cc", optimise, "-w", "-DSAFETY", "-o", "pan", "pan.c"],
                        ["./pan", "-m1000000", "-w24"]):
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=800, check=False)
            assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
        return result.stdout


def errors_in(report):
    assert "max search depth too small" not in report, report
    return int(re.search(r"errors: (\d+)", report).group(1))


def unreached_in(report):
    """Lines of the model that nothing ever came to; the ends of processes that have none do not count."""
    found = re.findall(r"model\.pml:\d+, state \d+, \"(.*)\"", report)
    return [line for line in found if line != "-end-" and not line.startswith("assert(0)")]


def holds(model, variant):
    def test():
        report = check(text_of(model), variant, "-O2")
        tap.equal(errors_in(report), 0)
        assert "Search not completed" not in report, report
        tap.equal(unreached_in(report), [])
    test.__name__ = f"{model} holds {' '.join(variant)}".strip()
    return test


def found_out(title, model, variant, changes):
    def test():
        text = text_of(model)
        for old, new in changes:
            tap.equal((old, text.count(old)), (old, 1))
            text = text.replace(old, new)
        report = check(text, variant, "-O0")
        assert errors_in(report) == 1 and "assertion violated" in report, report
    test.__name__ = f"found out: {title}"
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


tap.main(*at_once([holds(model, variant) for model, variant in VARIANTS] +
                  [found_out(title, *mutant) for title, mutant in MUTANTS.items()]))
