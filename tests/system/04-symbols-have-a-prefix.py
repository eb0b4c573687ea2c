#!/usr/bin/env python3
"""Every symbol that files share is tp_ or tpi_, only tp_ leaves a shared library, and no name is there twice.
argv: archives and shared libraries of the build."""
import collections
import pathlib
import sys

import tap

ARCHIVES = [path for path in sys.argv[1:] if path.endswith(".a")]
SHARED = [path for path in sys.argv[1:] if not path.endswith(".a")]


def symbols(path, *options):
    listing = tap.run(["nm", "--extern-only", "--defined-only", *options, path])
    tap.equal((path, listing.returncode), (path, 0))
    fields = [line.split() for line in listing.stdout.splitlines()]
    return [words[2] for words in fields if len(words) == 3]


def without(prefixes, names):
    """Those that are ours and have none of the prefixes; compilers and sanitizers begin theirs with _."""
    return sorted({name for name in names if not name.startswith((*prefixes, "_"))})


def what_files_share_has_a_prefix():
    tap.equal(len(ARCHIVES) > 0, True)
    for path in ARCHIVES:
        names = symbols(path)
        tap.equal((path, len(names) > 20), (path, True))
        tap.equal((path, without(("tp_", "tpi_"), names)), (path, []))


def no_name_is_there_twice():
    for path in ARCHIVES:
        counts = collections.Counter(symbols(path))
        tap.equal((path, [name for name, count in counts.items() if count > 1 and not name.startswith("_")]), (path, []))


def only_the_api_is_exported():
    tap.equal(len(SHARED), 4)
    for path in SHARED:
        names = symbols(path, "-D")
        tap.equal((path, len(names) > 100), (path, True))
        tap.equal((path, without(("tp_",), names)), (path, []))


def the_check_itself_finds_a_name_without_prefix():
    tap.equal(without(("tp_",), ["tp_a", "tpi_b", "greeting", "__odr_asan.x"]), ["greeting", "tpi_b"])
    tap.equal("tp_client_connect" in symbols(next(path for path in ARCHIVES if pathlib.Path(path).stem == "libtroupe")),
              True)


tap.main(what_files_share_has_a_prefix, no_name_is_there_twice, only_the_api_is_exported,
         the_check_itself_finds_a_name_without_prefix)
