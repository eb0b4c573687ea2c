"""An installed Troupe, for tests that build against it as users do."""
import os
import pathlib
import re
import shutil
import tempfile

import tap


class Package:
    """The prefix of an installation: its programs, and an environment that finds everything there."""

    def __init__(self, prefix):
        self.prefix = pathlib.Path(prefix).resolve()
        self.troupe = self.prefix / "bin/troupe"
        self.libraries = next(self.prefix.glob("lib*/**/libtroupe-core.so")).parent
        configurations = next(self.prefix.glob("lib*/**/troupe-core.pc")).parent
        inherited = os.environ
        self.environment = dict(inherited, LC_ALL="C") | {
            name: os.pathsep.join([str(folder), *filter(None, [inherited.get(name)])])
            for name, folder in {"PATH": self.prefix / "bin", "PKG_CONFIG_PATH": configurations,
                                 "LD_LIBRARY_PATH": self.libraries}.items()}

    def run(self, command, **options):
        """Run a command that has to succeed quietly; what it prints."""
        result = tap.run([str(word) for word in command], env=self.environment, **options)
        if result.returncode != 0:
            raise AssertionError(f"{command}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def build_example(self, source, folder):
        """Build an example of the sources with meson; its build folder."""
        self.run(["meson", "setup", folder, source, "-Dwerror=true"])
        self.run(["ninja", "-C", folder])
        return pathlib.Path(folder)


class Page:
    """A page of the documentation that describes an example: its blocks of code are those of the files."""

    def __init__(self, path, example):
        self.example = pathlib.Path(example)
        self.blocks = re.findall(r"^```(\w+)\n(.*?)^```$", pathlib.Path(path).read_text(encoding="utf-8"),
                                 re.MULTILINE | re.DOTALL)

    def shows_files(self, fewest, *others):
        """Every block of C, meson and cfg is in a file of the example, or in one of the others."""
        files = [*sorted(self.example.iterdir()), *others]
        sources = [pathlib.Path(path).read_text(encoding="utf-8") for path in files]
        blocks = [text for kind, text in self.blocks if kind in ("c", "meson", "cfg")]
        tap.equal(len(blocks) >= fewest, True)
        for block in blocks:
            if not any(block in source for source in sources):
                raise AssertionError(f"not in the example:\n{block}")

    def prints_what_it_says(self, package, kinds, saved=None):
        """Its commands, one after the other, print the text that follows each. The kinds of blocks are these. The reader has
        nothing but the page until a command names the examples; the first block of C is saved under this name."""
        tap.equal({kind for kind, _ in self.blocks}, kinds)
        printed = None
        with tempfile.TemporaryDirectory() as folder:
            if saved is not None:
                first = next(text for kind, text in self.blocks if kind == "c")
                pathlib.Path(folder, saved).write_text(first, encoding="utf-8")
            for kind, text in self.blocks:
                if kind == "sh" and "examples/" in text and not os.path.exists(folder + "/examples"):
                    shutil.copytree(self.example, f"{folder}/examples/{self.example.name}")
                if kind == "sh":
                    printed = package.run(["sh", "-e", "-c", f"exec 2>&1\n{text}"], cwd=folder)
                elif kind == "text":
                    tap.equal(printed, text)

    def readme_parameters(self):
        """The table of parameters in the README of the example: name, unit, default and sentence of each."""
        text = (self.example / "README.md").read_text(encoding="utf-8")
        return re.findall(r"^\| `(\w+)` \| ([^|]*?) *\| ([^|]*?) *\| ([^|]*?) *\|$", text, re.MULTILINE)
