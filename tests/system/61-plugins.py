#!/usr/bin/env python3
"""Drivers from shared objects: found, checked, used, and every mistake with its place.
argv: the troupe program, the source root, the build folder's include folder, troupe-padi."""
import contextlib
import os
import pathlib
import signal
import struct
import sys
import tempfile

import player
import tap

TROUPE, ROOT, INCLUDE, PADI = (os.path.abspath(argument) for argument in sys.argv[1:5])
SOURCES = pathlib.Path(ROOT, "tests/plugins")
BLINKENLIGHT, VANE = 33, 212


def compile_plugin(folder, output, source, *options):
    result = tap.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                      f"-I{ROOT}/include", f"-I{INCLUDE}", "-I.", *options, *source, "-o", output],
                     cwd=folder)
    tap.equal((result.returncode, result.stderr), (0, ""))


def blink(folder, output, name, *options, called=None):
    compile_plugin(folder, output, [SOURCES / "blink.c"], f"-DNAME={name}",
                   f'-DCALLED="{called or name}"', *options)


@contextlib.contextmanager
def folder():
    """A folder with a configuration folder, to be in while it lasts."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as path:
        os.chdir(path)
        os.mkdir("cfg")
        try:
            yield pathlib.Path(path)
        finally:
            os.chdir(before)


def check(text, **environment):
    pathlib.Path("cfg/x.cfg").write_text(text, encoding="utf-8")
    return tap.run([TROUPE, "check", "-q", "cfg/x.cfg"], env=dict(os.environ, **environment))


def is_fine(text, notes="", **environment):
    result = check(text, **environment)
    tap.equal((result.returncode, result.stderr), (0, notes))


def is_refused(text, why, notes="", **environment):
    result = check(text, **environment)
    tap.equal((result.returncode, result.stdout, result.stderr),
              (1, "", f"{notes}troupe check: {why}\n"))


LIGHT = 'provides [ "blinkenlight:0" ]'


def a_plugin_is_found_by_its_names_and_in_its_folders():
    with folder() as here:
        (here / "paths").mkdir()
        for place in ("cfg", ".", "paths"):
            variable = {"TROUPE_PLUGIN_PATH": "nowhere:paths"} if place == "paths" else {}
            for file, names in (("blink", ["blink"]), ("blink.so", ["blink", "blink.so"]),
                                ("libblink.so", ["blink", "blink.so", "libblink", "libblink.so"])):
                blink(here, f"{place}/{file}", "blink")
                for name in names:
                    is_fine(f'driver ( name "blink" plugin "{name}" {LIGHT} )', **variable)
                os.remove(f"{place}/{file}")
        (here / "cfg/sub").mkdir()
        blink(here, "cfg/sub/libblink.so", "blink")
        is_fine(f'driver ( name "blink" plugin "sub/blink" {LIGHT} )')
        is_fine(f'driver ( name "blink" plugin "{here}/cfg/sub/blink" {LIGHT} )')


def one_for_all_drivers_is_named_at_the_top():
    with folder() as here:
        blink(here, "cfg/blink.so", "blink")
        blink(here, "cfg/twin.so", "twin")
        is_fine(f'plugin "blink"\nplugin "twin"\ndriver ( name "twin" {LIGHT} )\n'
                'driver ( name "blink" provides [ "blinkenlight:1" ] )')
        is_refused(f'plugin "blink"\ndriver ( name "twin" {LIGHT} )',
                   'cfg/x.cfg:2:10: there is no driver "twin"')


def the_folders_that_were_searched_are_told():
    with folder() as here:
        result = check(f'driver ( name "gazebo"\n  plugin "gazeboplugin" {LIGHT} )',
                       TROUPE_PLUGIN_PATH=f"/one:{here}")
        tap.equal(result.returncode, 1)
        start = ('troupe check: cfg/x.cfg:2:10: there is no plug-in "gazeboplugin"; looked in '
                 f"/one, {here}, cfg, ., ")
        tap.equal(result.stderr[:len(start)], start)
        assert result.stderr.endswith("/troupe\n"), result.stderr
        is_refused(f'driver ( name "x" plugin "/no/x.so" {LIGHT} )',
                   'cfg/x.cfg:1:26: there is no plug-in "/no/x.so"')


def one_that_is_a_pipe_keeps_nobody_waiting():
    """The system's loader would wait for the writer of the pipe, with a lock that new threads need."""
    with folder() as here:
        os.mkfifo(here / "cfg/pipe.so")
        is_refused(f'driver ( name "x" plugin "pipe" {LIGHT} )', "cfg/x.cfg:1:26: cfg/pipe.so: it is a pipe, not a regular file")
        steady = 'driver ( name "fake" provides [ "laser:0" ] )\n'
        path = here / "cfg/server.cfg"
        path.write_text(steady)
        with player.launched([TROUPE, "run", str(path), "--any-port"]) as server:
            path.write_text(steady + f'driver ( name "x" plugin "pipe" {LIGHT} )\n')
            server.process.send_signal(signal.SIGHUP)
            for line in server.process.stderr:
                if "pipe" in line:
                    break
            with player.Client(server.address) as client:
                client.open(player.LASER, 0)  # starts a thread
                tap.equal(client.data().interf, player.LASER)


def what_is_none_is_not_read():
    """However large it is; of what may be one only a part is."""
    with folder() as here:
        for begin, why in ((b"", "invalid ELF header"), (b"\x7fELF\2\1\1", "ELF file version does not match current one")):
            path = here / "cfg/huge.so"
            path.write_bytes(begin)
            os.truncate(path, 1 << 40)
            is_refused(f'driver ( name "x" plugin "huge" {LIGHT} )', f"cfg/x.cfg:1:26: cfg/huge.so: {why}")


def a_plugin_that_is_not_there_may_not_be_needed():
    with folder():
        result = check('driver ( name "fake" plugin "libfake" provides [ "laser:0" ] )')
        tap.equal((result.returncode, result.stderr),
                  (0, 'cfg/x.cfg:1:29: plugin "libfake" is not needed: fake is built in\n'))
        result = check('plugin "libfake"\ndriver ( name "fake" provides [ "laser:0" ] )')
        tap.equal(result.returncode, 0)
        note = 'cfg/x.cfg:1:8: there is no plug-in "libfake"; looked in cfg, ., '
        tap.equal(result.stderr[:len(note)], note)
        result = check('plugin "libfake"\ndriver ( name "fike" provides [ "laser:0" ] )')
        tap.equal(result.stderr.splitlines()[1],
                  'troupe check: cfg/x.cfg:2:10: there is no driver "fike", and no plug-in "libfake"')


def a_plugin_goes_before_what_is_built_in():
    with folder() as here:
        blink(here, "cfg/mine.so", "fake")
        is_fine(f'driver ( name "fake" plugin "mine" {LIGHT} period 1 )')
        is_fine(f'plugin "mine" driver ( name "fake" {LIGHT} period 1 )',
                'cfg/x.cfg:1:66: "period" is not used\n')


def what_is_wrong_with_a_plugin_is_told():
    with folder() as here:
        blink(here, "cfg/old.so", "old", "-DABI=1")
        is_refused(f'driver ( name "old" plugin "old" {LIGHT} )',
                   "cfg/x.cfg:1:28: cfg/old.so: old was built for ABI 1, this server has 3")
        is_refused(f'plugin "old"\ndriver ( name "old" {LIGHT} )',
                   "cfg/x.cfg:2:10: cfg/old.so: old was built for ABI 1, this server has 3")
        blink(here, "cfg/liar.so", "liar", called="somebody else")
        is_refused(f'driver ( name "liar" plugin "liar" {LIGHT} )',
                   "cfg/x.cfg:1:29: cfg/liar.so: the driver liar says that it is somebody else")
        is_refused(f'driver ( name "on-off" plugin "liar" {LIGHT} )',
                   'cfg/x.cfg:1:31: cfg/liar.so has no driver "on-off": there is no symbol '
                   "tp_driver_on_off")
        (here / "cfg/text.so").write_text("hello")
        is_refused(f'driver ( name "text" plugin "text" {LIGHT} )',
                   "cfg/x.cfg:1:29: cfg/text.so: file too short")
        (here / "cfg/lost.c").write_text("extern int tp_lost(void);\nint x(void);\n"
                                         "int x(void) { return tp_lost(); }\n")
        compile_plugin(here, "cfg/lost.so", ["cfg/lost.c"])
        is_refused(f'plugin "lost" driver ( name "lost" {LIGHT} )',
                   "cfg/x.cfg:1:8: cfg/lost.so: undefined symbol: tp_lost")
        is_refused(f'driver ( name "x" plugin 5 {LIGHT} )',
                   "cfg/x.cfg:1:26: a plug-in is a name in quotes")
        is_refused(f'plugin "" driver ( name "x" {LIGHT} )',
                   "cfg/x.cfg:1:8: a plug-in is a name in quotes")


def names_that_are_no_c_names_have_underscores():
    with folder() as here:
        blink(here, "cfg/x.so", "on_off", called="on-off")
        is_fine(f'driver ( name "on-off" plugin "x" {LIGHT} )')


def a_driver_of_a_plugin_serves_clients():
    with folder() as here:
        blink(here, "blink.so", "blink")
        text = f'driver ( name "blink" plugin "blink" {LIGHT} period 0.001 )'
        with player.server(TROUPE, text) as server, player.Client(server.address) as client:
            client.open(BLINKENLIGHT, 0)
            seen = {client.data().body[3] for _ in range(4)}
            tap.equal(seen, {0, 1})


def a_plugin_may_bring_its_interface():
    with folder() as here:
        for option in ([], ["--driver"]):
            tap.equal(tap.run([PADI, *option, "-o", here, SOURCES / "vane.padi"]).returncode, 0)
        compile_plugin(here, "libvane.so", [SOURCES / "vane.c", "vane_padi.c"])
        text = 'driver ( name "vane" plugin "vane" provides [ "vane:0" ] )'
        with player.server(TROUPE, text) as server, player.Client(server.address) as client:
            client.open(VANE, 0)
            wind = struct.pack(">dd", 1.5, 7)
            client.send(VANE, 0, player.COMMAND, 1, wind)
            while client.data().body != wind:
                pass
        is_refused(f'interface ( file "{SOURCES}/vane.padi" )\n{text}',
                   "cfg/x.cfg:2:1: vane0: the driver has its own description of vane: remove the interface section")
        is_refused('driver ( name "weathercock" provides [ "vane:0" ] )',
                   'cfg/x.cfg:1:10: there is no driver "weathercock"')
        in_one_program(here, text)


def in_one_program(here, text):
    """The command has read the interface from the server, or knows another version of it; nothing is encoded between them."""
    (here / "cfg/x.cfg").write_text(text)
    send = [TROUPE, "send", "vane", "SET", '{"direction":1.5,"speed":7}', "--url", "inproc:cfg/x.cfg"]
    tap.equal(tap.run(send).stderr, "")
    (here / "vane.padi").write_text((SOURCES / "vane.padi").read_text().replace("f64", "f32"))
    result = tap.run([*send, "--load", "vane.padi"])
    tap.equal((result.returncode, result.stderr), (1, "troupe send: vane:0: message too short\n"))


def drivers_tells_the_parameters_of_a_plugin():
    with folder() as here:
        blink(here, "libblink.so", "blink")
        wanted = ("blink - a light that goes on and off\n"
                  "  period           s        0.5          how long it is on and off\n")
        for arguments in (["./libblink.so", "blink"], ["blink"], [here / "blink"]):
            result = tap.run([TROUPE, "drivers", "--plugin", *arguments])
            tap.equal((result.returncode, result.stdout, result.stderr), (0, wanted, ""))
        result = tap.run([TROUPE, "drivers", "--plugin", "blink", "dark"])
        tap.equal((result.returncode, result.stderr),
                  (1, 'troupe drivers: ./libblink.so has no driver "dark": there is no symbol '
                      "tp_driver_dark\n"))
        result = tap.run([TROUPE, "drivers", "--plugin", "dark"])
        assert result.stderr.startswith('troupe drivers: there is no plug-in "dark"; looked in ., ')
        result = tap.run([TROUPE, "drivers", "--plugin"])
        tap.equal((result.returncode, result.stderr.splitlines()[0]),
                  (2, "troupe drivers: expected --plugin FILE [NAME]"))


def lobby(folder, output, name, *options, called=None):
    compile_plugin(folder, output, [SOURCES / "lobby.c"], f"-DNAME={name}",
                   f'-DCALLED="{called or name}"', "-Wno-unused-function", *options)


FAKE = 'driver ( name "fake" provides [ "position2d:0" ] )\n'


def a_plugin_may_bring_a_front():
    with folder() as here:
        lobby(here, "cfg/liblobby.so", "lobby")
        for text in (FAKE + 'front ( name "lobby" plugin "lobby" )',
                     'plugin "liblobby.so"\n' + FAKE + 'front ( name "lobby" seats 3 )'):
            is_fine(text)
            pathlib.Path("cfg/x.cfg").write_text(text, encoding="utf-8")
            with player.launched([TROUPE, "run", "cfg/x.cfg", "--any-port"]) as server, \
                    player.Client(server.address) as client:
                client.open(4, 0)


def what_is_wrong_with_a_front_of_a_plugin_is_told():
    with folder() as here:
        lobby(here, "cfg/old.so", "old", "-DABI=0")
        is_refused(FAKE + 'front ( name "old" plugin "old" )',
                   "cfg/x.cfg:2:27: cfg/old.so: old was built for ABI 0, this server has 5")
        lobby(here, "cfg/other.so", "other", called="lobby")
        is_refused(FAKE + 'front ( name "other" plugin "other" )',
                   "cfg/x.cfg:2:29: cfg/other.so: the front other says that it is lobby")
        lobby(here, "cfg/lazy.so", "lazy", "-DOPEN=NULL")
        is_refused(FAKE + 'front ( name "lazy" plugin "lazy" )',
                   "cfg/x.cfg:2:28: cfg/lazy.so: the front lazy has no open, close, bound or schemes")
        is_refused(FAKE + 'front ( name "none" plugin "lazy" )',
                   'cfg/x.cfg:2:28: cfg/lazy.so has no front "none": there is no symbol tp_front_none')
        is_refused('plugin "absent"\n' + FAKE + 'front ( name "none" )',
                   'cfg/x.cfg:3:9: there is no front "none", and no plug-in "absent"',
                   notes=check('plugin "absent"\n' + FAKE).stderr)
        lobby(here, "cfg/lobby.so", "lobby")
        is_refused(FAKE + 'front ( name "lobby" plugin "lobby" seats "many" )',
                   'cfg/x.cfg:2:43: seats is a number, not "many"')


def fronts_tells_the_port_and_the_parameters_of_a_plugin():
    with folder() as here:
        lobby(here, "lobby.so", "lobby")
        result = tap.run([TROUPE, "fronts", "--plugin", "lobby"])
        tap.equal((result.returncode, result.stdout, result.stderr),
                  (0, "lobby - only listens\n  schemes          tcp\n  port             6999\n"
                      "  seats            1        12           so many may sit\n", ""))
        result = tap.run([TROUPE, "fronts", "--plugin", "lobby", "dark"])
        tap.equal((result.returncode, result.stderr),
                  (1, 'troupe fronts: ./lobby.so has no front "dark": there is no symbol tp_front_dark\n'))


def one_is_read_before_the_loader_has_it():
    """The loader maps it, and waits for a slow disk with a lock that all threads need. What is behind the object is long,
    and only read() counts in `rchar`."""
    length = 8 << 20
    with folder() as path:
        blink(path, "cfg/blink.so", "blink")
        with open("cfg/blink.so", "ab") as file:
            file.truncate(length)
        text = 'driver ( name "blink" plugin "%s/cfg/blink.so" provides [ "blinkenlight:0" ] )\n' % path
        with player.server(TROUPE, text) as server:
            with open(f"/proc/{server.process.pid}/io", encoding="ascii") as file:
                words = dict(line.split(": ") for line in file)
        assert int(words["rchar"]) > length, words


tap.main(a_plugin_is_found_by_its_names_and_in_its_folders, one_for_all_drivers_is_named_at_the_top,
         the_folders_that_were_searched_are_told, one_that_is_a_pipe_keeps_nobody_waiting, what_is_none_is_not_read,
         one_is_read_before_the_loader_has_it,
         a_plugin_that_is_not_there_may_not_be_needed,
         a_plugin_goes_before_what_is_built_in, what_is_wrong_with_a_plugin_is_told,
         names_that_are_no_c_names_have_underscores, a_driver_of_a_plugin_serves_clients,
         a_plugin_may_bring_its_interface, drivers_tells_the_parameters_of_a_plugin,
         a_plugin_may_bring_a_front, what_is_wrong_with_a_front_of_a_plugin_is_told,
         fronts_tells_the_port_and_the_parameters_of_a_plugin)
