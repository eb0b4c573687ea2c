#!/usr/bin/env python3
"""A source file with one mistake: mutate.py FROM TO OLD NEW. OLD has to be there exactly once."""
import pathlib
import sys

source, target, old, new = sys.argv[1:]
text = pathlib.Path(source).read_text(encoding="utf-8")
if text.count(old) != 1:
    sys.exit(f"{source} has {old!r} {text.count(old)} times, not once")
pathlib.Path(target).write_text(text.replace(old, new), encoding="utf-8")
