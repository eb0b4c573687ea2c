#!/usr/bin/env python3
"""Declarations in the documents are those of the public headers: each line of a block marked `h`, and each member of
a struct there, is found in include/troupe, apart from white space.  argv: source root."""
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1]).resolve()
PAGES = ("docs/writing-a-driver.md", "docs/guide/client.md", "docs/guide/adding-an-interface.md", "docs/guide/universal.md")


def plain(text):
    """Declarations without comments, line ends and what only the compiler needs."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"\bTP_API\b|\bTP_PRINTF\([^)]*\)", " ", text)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([(),;*]) ?", r"\1", text)


HEADERS = plain("\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include/troupe").glob("*.h"))))


def declarations(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```h\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if line.strip().endswith(";"):
                yield line.strip()


def every_declaration_is_that_of_a_header():
    for page in PAGES:
        lines = list(declarations(page))
        assert len(lines) >= 10, (page, lines)
        tap.equal((page, [line for line in lines if plain(line).strip() not in HEADERS]), (page, []))


def another_declaration_would_be_found():
    assert plain("void tp_client_stop(tp_client *client);") in HEADERS
    assert plain("void tp_client_stop(tp_client *client, int now);") not in HEADERS


tap.main(every_declaration_is_that_of_a_header, another_declaration_would_be_found)
