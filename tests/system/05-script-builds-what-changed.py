#!/usr/bin/env python3
"""The script ./troupe: silent if nothing has changed, builds after every change of the sources, describes its commands, installs.
A small project stands in for the sources, so that a build takes a second.  argv: source root."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile

import tap

ROOT = pathlib.Path(sys.argv[1])
FILES = {
    "meson.build": """project('troupe', 'c', default_options: ['b_ndebug=if-release'])
subdir('src')
subdir('apps')
if get_option('bench')
  subdir('bench')
endif
""",
    "meson_options.txt": "option('tests', type: 'boolean', value: true)\noption('bench', type: 'boolean', value: false)\n",
    "bench/meson.build": "executable('word', 'word_bench.c', link_with: word)\n",
    "bench/word_bench.c": '#include <stdio.h>\nconst char *word(void);\nint main(void) { return puts(word()) < 0; }\n',
    "bench/other_bench.cpp": "",
    "src/meson.build": """word = static_library('word', 'word.c')
import('pkgconfig').generate(name: 'troupe', description: 'words')
""",
    "src/word.c": 'const char *word(void);\nconst char *word(void) { return "one"; }\n',
    "apps/meson.build": "executable('troupe', 'troupe.c', link_with: word, install: true)\n",
    "apps/troupe.c": '#include <stdio.h>\nconst char *word(void);\nint main(void) { return puts(word()) < 0; }\n',
}
NINJA = """#!/bin/sh
echo called >> "$NINJA_CALLS"
exec "$REAL_NINJA" "$@"
"""


class Project:
    """A clone of a small project with our script, and whether it has called ninja."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "clone"
        for name, text in FILES.items():
            self.write(name, text)
        shutil.copy(ROOT / "troupe", self.folder / "troupe")
        self.write("../bin/ninja", NINJA)
        (self.folder / "../bin/ninja").chmod(0o755)
        self.calls = pathlib.Path(folder) / "calls"
        self.environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}",
                                NINJA_CALLS=str(self.calls), REAL_NINJA=shutil.which("ninja"), TERM="dumb")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *arguments):
        result = tap.run(["./troupe", *arguments], cwd=self.folder, env=self.environment)
        called = self.calls.exists()
        self.calls.unlink(missing_ok=True)
        return result, called

    def says(self, wanted):
        """What the built program prints, after a build that was announced."""
        result, called = self.run("word")
        tap.equal((result.returncode, result.stdout, called), (0, wanted + "\n", True))
        return result.stderr

    def is_silent(self, wanted="one"):
        result, called = self.run("word")
        tap.equal((result.returncode, result.stdout, result.stderr, called), (0, wanted + "\n", "", False))


def built():
    """A built project; its temporary folder belongs to the caller."""
    folder = tempfile.TemporaryDirectory()
    project = Project(folder.name)
    said = project.says("one")
    assert re.fullmatch(r"troupe: configuring build/run\ntroupe: building build/run: \d steps\n(troupe: built .*\n)?", said), said
    return folder, project


def every_change_is_built_and_nothing_else():
    folder, project = built()
    with folder:
        project.is_silent()
        word = FILES["src/word.c"]
        for change, wanted, builds in (
                (lambda: project.write("src/word.c", word.replace("one", "two")), "two", True),
                (lambda: (project.write("src/more.c", "int more;\n"),
                          project.write("src/meson.build", FILES["src/meson.build"].replace("'word.c'", "'word.c', 'more.c'"))),
                 "two", True),
                (lambda: project.write("src/note.txt", "no source\n"), "two", False),
                (lambda: (project.folder / "build/run/apps/troupe").unlink(), "two", True),
                (lambda: (project.folder / "picture.png").write_text("a picture beside the sources"), "two", None)):
            change()
            result, called = project.run("word")
            tap.equal((result.returncode, result.stdout, called), (0, wanted + "\n", builds is not None))
            tap.equal("building build/run" in result.stderr, bool(builds))
            project.is_silent(wanted)


def commands_that_begin_together_build_once():
    folder, project = built()
    with folder:
        project.write("src/word.c", FILES["src/word.c"].replace("one", "two"))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda _: project.run("word")[0], range(4)))
        tap.equal([(result.returncode, result.stdout) for result in results], [(0, "two\n")] * 4)
        tap.equal(sum("building build/run" in result.stderr for result in results), 1)
        project.is_silent("two")


def a_benchmark_is_built_once_and_after_changes():
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        for wanted, builds in (("one", True), ("one", False), ("two", True), ("two", False)):
            if wanted == "two" and builds:
                project.write("src/word.c", FILES["src/word.c"].replace("one", "two"))
            result, called = project.run("bench", "word")
            tap.equal((result.returncode, result.stdout, called), (0, wanted + "\n", builds))
            tap.equal(result.stderr == "", not builds)
        (project.folder / "build/bench/bench/word").unlink()
        result, called = project.run("bench", "word")
        tap.equal((result.returncode, result.stdout, called), (0, "two\n", True))


# It looks like a system of its own: a package is installed when the file that dpkg keeps of it is there.
DPKG_QUERY = """#!/bin/sh
shift 3
for package; do
    case $package in
    libsimavr-dev) [ ! -f "$DPKG_ADMINDIR/info/$package:amd64.list" ] || echo "$package installed" ;;
    *) echo "$package installed" ;;
    esac
done
"""
APT_GET = """#!/bin/sh
[ "$1" = update ] || : > "$DPKG_ADMINDIR/info/libsimavr-dev:amd64.list"
"""
CHIP = """executable('word', 'word_bench.c', link_with: word)
if import('fs').exists('DPKG/info/libsimavr-dev:amd64.list') or import('fs').exists('DPKG/by-hand')
  executable('chip', 'word_bench.c', link_with: word)
endif
"""


def chip_project(folder):
    """A project with a benchmark that is built only if a library is there, as bench/chip is."""
    project = Project(folder)
    (pathlib.Path(folder) / "dpkg/info").mkdir(parents=True)
    project.environment["DPKG_ADMINDIR"] = f"{folder}/dpkg"
    project.write("bench/meson.build", CHIP.replace("DPKG", f"{folder}/dpkg"))
    project.write("bench/chip_bench.c", "")
    for name, text in (("../bin/dpkg-query", DPKG_QUERY), ("../bin/apt-get", APT_GET), ("../bin/sudo", '#!/bin/sh\nexec "$@"\n'),
                       ("firmware/build", "#!/bin/sh\n")):
        project.write(name, text)
        (project.folder / name).chmod(0o755)
    return project


def a_benchmark_whose_packages_come_later_is_built():
    with tempfile.TemporaryDirectory() as folder:
        project = chip_project(folder)
        tap.equal(project.run("bench", "word")[0].stdout, "one\n")
        for builds in (True, False):
            result, called = project.run("bench", "chip")
            tap.equal((result.returncode, result.stdout, called), (0, "one\n", builds))
            tap.equal("installing libsimavr-dev" in result.stderr, builds)
        tap.equal(project.run("bench", "word")[1], False)


def a_library_that_comes_by_hand_is_found():
    with tempfile.TemporaryDirectory() as folder:
        project = chip_project(folder)
        project.write("../bin/apt-get", "#!/bin/sh\n")  # what is installed has not what the benchmark needs
        result, _ = project.run("bench", "chip")
        tap.equal(result.returncode, 1)
        assert "the benchmark chip was not built: it needs " in result.stderr and "libsimavr-dev" in result.stderr, result.stderr
        project.write("../dpkg/by-hand", "")
        tap.equal(project.run("bench", "chip")[0].stdout, "one\n")


def a_benchmark_is_described_from_its_source():
    names = sorted(re.sub(r"_bench\.c.*", "", path.name) for path in (ROOT / "bench").glob("*_bench.c*"))
    assert len(names) > 10, names
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        shutil.copytree(ROOT / "bench", project.folder / "bench", dirs_exist_ok=True)
        project.environment["PATH"] = f"{folder}/bin:/usr/bin:/bin"
        for name in ("apt-get", "dpkg-query", "meson"):
            project.write(f"../bin/{name}", '#!/bin/sh\necho called >> "$NINJA_CALLS"\n')
            (project.folder / "../bin" / name).chmod(0o755)
        for arguments in [(name, "--help") for name in names] + [("sim", "-h"), ("sim", "--quick", "--help")]:
            result, called = project.run("bench", *arguments)
            tap.equal((arguments, result.returncode, result.stderr, called), (arguments, 0, "", False))
            assert re.match(rf"usage: \./troupe bench {arguments[0]}[ \n]", result.stdout), result.stdout
            assert result.stdout.endswith(".\n") or result.stdout.count("\n") > 4, result.stdout
            assert '"' not in result.stdout and "\\" not in result.stdout, result.stdout
            tap.equal([line for line in result.stdout.splitlines() if len(line) > 100], [])
        tap.equal((project.folder / "build").exists(), False)


def a_source_that_is_put_back_is_built():
    folder, project = built()
    with folder:
        old = project.folder / "old.c"
        shutil.copy2(project.folder / "src/word.c", old)
        os.utime(old, (1e9, 1e9))
        project.write("src/word.c", FILES["src/word.c"].replace("one", "two"))
        project.says("two")
        old.rename(project.folder / "src/word.c")
        project.says("one")


def a_removed_source_is_missed():
    folder, project = built()
    with folder:
        (project.folder / "src/word.c").unlink()
        result, called = project.run("word")
        tap.equal((result.returncode, result.stdout, called), (1, "", True))
        assert "word.c" in result.stderr and "the build of build/run failed" in result.stderr, result.stderr
        project.write("src/word.c", FILES["src/word.c"])
        project.says("one")


def a_failed_build_is_tried_again_and_shows_the_error():
    folder, project = built()
    with folder:
        project.write("src/word.c", "no C\n")
        for _ in range(2):
            result, called = project.run("word")
            tap.equal((result.returncode, result.stdout, called), (1, "", True))
            assert "error:" in result.stderr and not re.search(r"^\[\d+/\d+\]", result.stderr, re.M), result.stderr


def the_build_that_is_there_is_installed():
    folder, project = built()
    with folder:
        result, called = project.run("install", str(project.folder / "its own"))
        tap.equal((result.returncode, called), (0, False))
        tap.equal(tap.run([project.folder / "its own/bin/troupe"]).stdout, "one\n")
        text = (project.folder / "its own/lib/pkgconfig/troupe.pc").read_text()
        assert text.startswith(f"prefix={project.folder}/its own\n"), text
        result, _ = project.run("install", "/proc/nowhere")
        tap.equal(result.returncode, 1)
        assert "you may not write to /proc/nowhere" in result.stderr, result.stderr


def every_command_is_described_and_no_build_is_needed_for_it():
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        shutil.copytree(ROOT / "bench", project.folder / "bench", dirs_exist_ok=True)
        (project.folder / "tests/fuzz").mkdir(parents=True)
        (project.folder / "tests/fuzz/xdr_fuzz.c").write_text("")
        for command in ("build", "install", "package", "test", "bench", "fuzz", "coverage", "mutants", "tidy"):
            for option in ("--help", "-h"):
                result, called = project.run(command, option)
                tap.equal((command, result.returncode, result.stderr, called), (command, 0, "", False))
                assert result.stdout.startswith(f"usage: ./troupe {command}"), result.stdout
                tap.equal([line for line in result.stdout.splitlines() if len(line) > 100], [])
            result, _ = project.run(command, "a", "b", "c")
            tap.equal((command, result.returncode), (command, 2 if command != "bench" else 1))
        assert "sim" in project.run("bench", "--help")[0].stdout
        assert "xdr" in project.run("fuzz", "--help")[0].stdout
        tap.equal((project.folder / "build").exists(), False)


tap.main(every_change_is_built_and_nothing_else, commands_that_begin_together_build_once, a_benchmark_is_built_once_and_after_changes,
         a_benchmark_whose_packages_come_later_is_built, a_library_that_comes_by_hand_is_found, a_benchmark_is_described_from_its_source, a_source_that_is_put_back_is_built, a_removed_source_is_missed,
         a_failed_build_is_tried_again_and_shows_the_error, the_build_that_is_there_is_installed,
         every_command_is_described_and_no_build_is_needed_for_it)
