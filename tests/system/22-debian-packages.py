#!/usr/bin/env python3
"""The Debian packages: installed by dpkg into an empty root, with dependencies that this machine meets, the programs run
and a program builds.  argv: source root, an installed prefix."""
import os
import pathlib
import re
import shutil
import sys
import tempfile

import tap

ROOT, PREFIX = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SCRATCH = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(SCRATCH.name)
DEBS, EMPTY, ADMIN = FOLDER / "debs", FOLDER / "root", FOLDER / "admin"
AS_ROOT = [] if os.getuid() == 0 else ["fakeroot"]  # the files belong to root


def run(*command, **options):
    result = tap.run([str(word) for word in command], **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def field(package, name):
    return run("dpkg-deb", "--field", path_of(package), name).strip()


def path_of(package):
    return next(DEBS.glob(f"{package}_*.deb"))


def dependencies(package):
    return set(re.findall(r"(?:^|, )([\w.+-]+)", field(package, "Depends")))


def dpkg(*arguments):
    """With a database of its own, in which the packages are that this machine has."""
    return tap.run([*AS_ROOT, "dpkg", "--force-not-root", "--force-script-chrootless", f"--admindir={ADMIN}",
                    f"--instdir={EMPTY}", f"--log={FOLDER}/log", *map(str, arguments)])


def fresh_root(status):
    for folder in (EMPTY, ADMIN):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in (EMPTY, ADMIN / "info", ADMIN / "updates", ADMIN / "triggers"):
        folder.mkdir(parents=True)
    (ADMIN / "status").write_text(status)


def known(packages):
    """The entries of these packages in the database of this machine, without their own dependencies."""
    entries = [run("dpkg-query", "--status", package).split("Conffiles:")[0].split("Description:")[0]
               for package in sorted(packages)]
    return "\n".join(re.sub(r"^(Depends|Pre-Depends|Conflicts|Breaks|Replaces|Provides):.*\n", "", entry, flags=re.M)
                     + "Description: of this machine\n" for entry in entries)


def they_are_made_from_the_installed_files():
    (FOLDER / "stage").mkdir()
    DEBS.mkdir()
    shutil.copytree(PREFIX, FOLDER / "stage/files", symlinks=True)
    pkgconfig = next((FOLDER / "stage/files").glob("lib*/**/pkgconfig"))
    tap.equal(pkgconfig.relative_to(FOLDER / "stage/files").as_posix(), "lib/pkgconfig")
    for path in pkgconfig.glob("*.pc"):
        path.write_text(re.sub(r"^prefix=.*", "prefix=/usr", path.read_text(), flags=re.M))
    run(ROOT / "packaging/debian", ROOT, FOLDER / "stage", DEBS, "-Zgzip", "-z1")
    tap.equal(sorted(path.name.split("_")[0] for path in DEBS.iterdir()), ["libtroupe-dev", "libtroupe0", "troupe", "troupe-doc"])


def owner(library):
    """The package of a library that the loader has found; /lib can be a link to /usr/lib."""
    for path in (library, "/usr" + library, str(pathlib.Path(library).resolve()), str(pathlib.Path(library).resolve()).removeprefix("/usr")):
        found = tap.run(["dpkg-query", "--search", path])
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise AssertionError(f"no package has {library}")


def every_library_that_is_needed_is_a_dependency():
    """Compared with what the loader finds, by the database of this machine."""
    for package, patterns in {"troupe": ["bin/troupe", "bin/troupe-guard"], "libtroupe0": ["lib/lib*.so.0"],
                              "libtroupe-dev": ["bin/troupe-padi"]}.items():
        needed = set()
        for path in [path for pattern in patterns for path in PREFIX.glob(pattern)]:
            places = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", path)))
            needed |= {owner(places[name]) for name in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", path)) if name in places}
        assert "libc6" in needed, needed
        tap.equal((package, sorted(needed - dependencies(package))), (package, []))
    assert re.search(r"libc6 \(>= [\d.]+\)", field("troupe", "Depends"))
    assert f"libtroupe0 (= {field('libtroupe0', 'Version')})" in field("libtroupe-dev", "Depends")


def every_library_that_pkg_config_looks_for_is_a_dependency():
    """Also those of the static libraries: without them pkg-config prints no flags at all."""
    needed = set()
    for path in (PREFIX / "lib/pkgconfig").glob("*.pc"):
        for names in re.findall(r"^Requires.private: (.*)", path.read_text(), re.M):
            needed |= {owner(f"{run('pkg-config', '--variable=pcfiledir', name).strip()}/{name}.pc") for name in names.split(", ")}
        linked = re.findall(r" -l(\w+)", "".join(re.findall(r"^Libs.private:.*", path.read_text(), re.M)))
        needed |= {owner(os.path.normpath(run("cc", f"-print-file-name=lib{name}.so").strip()))
                   for name in linked if name not in ("dl", "m")}
    listed = dependencies("libtroupe-dev") - {"libtroupe0"}
    for package in sorted(listed):  # libjpeg-dev is the name of the current one
        listed |= set(re.findall(r"[\w.+-]+-dev", run("dpkg-query", "--show", "--showformat=${Depends}", package)))
    tap.equal(sorted(needed - listed), [])


def without_their_dependencies_dpkg_refuses_them():
    fresh_root("")
    result = dpkg("--install", path_of("troupe"))
    assert result.returncode != 0 and "depends on libuv1" in result.stderr, result.stderr


def with_them_they_are_installed_in_an_empty_root():
    everything = set().union(*map(dependencies, ("troupe", "libtroupe0", "libtroupe-dev"))) - {"libtroupe0"}
    fresh_root(known(everything))
    result = dpkg("--install", *sorted(DEBS.iterdir()))
    tap.equal((result.returncode, result.stdout.count("Setting up ")), (0, 4))
    tap.equal(dpkg("--verify", "troupe", "libtroupe0", "libtroupe-dev", "troupe-doc").stdout, "")


def the_installed_programs_run():
    program = EMPTY / "usr/bin/troupe"
    assert re.fullmatch(r"troupe [\d.]+\n", run(program, "--version"))
    assert run(program, "sim", "office", "--steps", "2", cwd=FOLDER).startswith("office: 2 steps, ")
    assert f"plug-ins in {EMPTY}/usr/lib/troupe\n" in tap.run([program, "doctor"]).stdout
    shutil.copy(ROOT / "tests/golden/thermometer.padi", FOLDER)
    run(EMPTY / "usr/bin/troupe-padi", "--check", FOLDER / "thermometer.padi")


def a_program_builds_with_the_installed_headers():
    environment = dict(os.environ, PKG_CONFIG_PATH=str(EMPTY / "usr/lib/pkgconfig"), PKG_CONFIG_SYSROOT_DIR=str(EMPTY),
                       PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1", PKG_CONFIG_ALLOW_SYSTEM_LIBS="1", LD_LIBRARY_PATH=str(EMPTY / "usr/lib"))
    example = EMPTY / "usr/share/doc/troupe/examples/drive.c"
    run("sh", "-c", f"cc -o drive {example} $(pkg-config --cflags --libs troupe)", cwd=FOLDER, env=environment)
    result = tap.run([FOLDER / "drive"], env=dict(environment, TROUPE_URL="unix:/nowhere"))
    tap.equal(result.stdout, "connect to unix:/nowhere: no such file or directory\n")


def removing_them_leaves_nothing():
    result = dpkg("--purge", "troupe", "troupe-doc", "libtroupe-dev", "libtroupe0")
    tap.equal((result.returncode, [str(path) for path in EMPTY.rglob("*") if not path.is_dir()]), (0, []))


try:
    tap.main(they_are_made_from_the_installed_files, every_library_that_is_needed_is_a_dependency,
             every_library_that_pkg_config_looks_for_is_a_dependency, without_their_dependencies_dpkg_refuses_them,
             with_them_they_are_installed_in_an_empty_root, the_installed_programs_run, a_program_builds_with_the_installed_headers,
             removing_them_leaves_nothing)
finally:
    SCRATCH.cleanup()
