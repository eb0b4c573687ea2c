"""An installed Troupe, for tests that build against it as users do."""
import os
import pathlib

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
