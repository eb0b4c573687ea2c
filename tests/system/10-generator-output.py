#!/usr/bin/env python3
"""What the generator makes of tests/golden/thermometer.padi, and what it says when it cannot.
argv: the troupe-padi program, source root.

To accept a change: troupe-padi -I interfaces -o tests/golden tests/golden/thermometer.padi
and the same with --driver."""
import contextlib
import difflib
import os
import pathlib
import sys
import tempfile

import tap

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).resolve()
GOLDEN = ROOT / "tests/golden"
INTERFACES = ROOT / "interfaces"
THERMOMETER = GOLDEN / "thermometer.padi"
OUTPUT = ("thermometer.h", "thermometer_padi.c", "thermometer.md", "thermometer_client.h")
DRIVER = "thermometer_driver.h"


@contextlib.contextmanager
def folder(**files):
    """A folder with these NAME.padi files, to be in while it lasts."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as path:
        os.chdir(path)
        try:
            for name, text in files.items():
                pathlib.Path(name + ".padi").write_text(text, encoding="utf-8")
            yield pathlib.Path(path)
        finally:
            os.chdir(before)


def generate(*arguments):
    return tap.run([PROGRAM, *(str(argument) for argument in arguments)])


def succeeds(*arguments, output=""):
    result = generate(*arguments)
    tap.equal((result.returncode, result.stdout, result.stderr), (0, output, ""))


def fails(*arguments, error, code=1):
    result = generate(*arguments)
    tap.equal((result.returncode, result.stdout, result.stderr), (code, "", error + "\n"))


def same_file(name):
    golden = (GOLDEN / name).read_text(encoding="utf-8").splitlines(keepends=True)
    made = pathlib.Path(name).read_text(encoding="utf-8").splitlines(keepends=True)
    difference = list(difflib.unified_diff(golden, made, "golden/" + name, "generated/" + name))
    if difference:
        raise AssertionError("the output has changed\n" + "".join(difference))


def the_output_is_the_golden_one():
    with folder():
        succeeds("-I", INTERFACES, THERMOMETER)
        for name in OUTPUT:
            same_file(name)


def what_drivers_call_is_the_golden_one():
    with folder():
        succeeds("--driver", "-I", INTERFACES, THERMOMETER)
        tap.equal(os.listdir("."), [DRIVER])
        same_file(DRIVER)
        succeeds("--builtin", "--driver", "-I", INTERFACES, THERMOMETER)
        header = pathlib.Path("thermometer.h").read_text(encoding="utf-8")
        assert '#include "troupe/interfaces/thermometer.h"\n' in header, header


def an_interface_without_operations_is_offered_without_a_table():
    text = ('interface x 200 "X."\n'
            'data GONE 1 () required "It is gone."\n')
    with folder(x=text):
        succeeds("--driver", "x.padi")
        header = pathlib.Path("x_driver.h").read_text(encoding="utf-8")
        assert "tp_offer_x(tp_instance *self, const char *key,\n    tp_device **out" in header, header
        assert "return tp_publish(device, TP_X_DATA_GONE, NULL, timestamp_s);" in header, header


def the_output_goes_where_it_is_sent():
    with folder() as here:
        (here / "there").mkdir()
        succeeds("-o", "there", "-I", INTERFACES, THERMOMETER)
        tap.equal(sorted(os.listdir("there")), sorted(OUTPUT))
        tap.equal(os.listdir("."), ["there"])
        fails("-o", "nowhere", "-I", INTERFACES, THERMOMETER,
              error="nowhere/thermometer.h: No such file or directory")


def an_unchanged_file_is_not_written_again():
    with folder():
        succeeds("-I", INTERFACES, THERMOMETER)
        for name in OUTPUT:
            os.utime(name, (1000000000, 1000000000))
        succeeds("-I", INTERFACES, THERMOMETER)
        for name in OUTPUT:
            tap.equal(os.stat(name).st_mtime, 1000000000)


def the_output_compiles_without_a_warning():
    strict = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-fsyntax-only", "-I.",
              "-I" + str(ROOT / "include")]
    with folder() as here:
        (here / "troupe/interfaces").mkdir(parents=True)
        succeeds("--builtin", "-o", "troupe/interfaces", INTERFACES / "common.padi",
                 INTERFACES / "player.padi")
        succeeds("-I", INTERFACES, THERMOMETER)
        succeeds("--driver", "-I", INTERFACES, THERMOMETER)
        for command in (["cc", "-std=c11", "thermometer_padi.c"],
                        ["cc", "-std=c11", "-x", "c", "thermometer_client.h"],
                        ["cc", "-std=c11", "-x", "c", DRIVER],
                        ["c++", "-std=c++11", "-x", "c++", "thermometer_client.h"],
                        ["c++", "-std=c++11", "-x", "c++", "thermometer.h"],
                        ["c++", "-std=c++11", "-x", "c++", DRIVER]):
            result = tap.run([*command, *strict])
            tap.equal((result.returncode, result.stderr), (0, ""))


def sentences_cannot_break_out_of_comments_and_strings():
    nasty = 'interface nasty 200 "Ends */ here /* and \\"there\\" \\\\ what??/."\n'
    with folder(nasty=nasty):
        succeeds("nasty.padi")
        result = tap.run(["cc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "nasty_padi.c",
                          "-I" + str(ROOT / "include")])
        tap.equal((result.returncode, result.stderr), (0, ""))


def help_is_printed_and_is_no_failure():
    result = generate("--help")
    tap.equal((result.returncode, result.stderr), (0, ""))
    tap.equal(result.stdout.splitlines()[0], "usage: troupe-padi [options] FILE.padi...")
    for option in ("-o DIR", "-I DIR", "--check", "--driver", "--builtin", "--client", "--index",
                   "--help"):
        assert f"\n  {option} " in result.stdout, option


def a_wrong_command_line_is_told_with_the_usage():
    usage = generate("--help").stdout
    wrong = "unknown option or missing value"
    for arguments, error in (((), "no file"), (("--chekc", "x.padi"), f"--chekc: {wrong}"),
                             (("-o",), f"-o: {wrong}"), (("--check", "-I"), f"-I: {wrong}")):
        fails(*arguments, code=2, error=f"troupe-padi: {error}\n{usage}".rstrip("\n"))


def check_writes_nothing():
    with folder(broken="interface broken 200\n"):
        succeeds("--check", "-I", INTERFACES, THERMOMETER)
        succeeds("--check", "--builtin", "-I", INTERFACES, THERMOMETER,
                 *sorted(INTERFACES.glob("*.padi")))
        fails("--check", "broken.padi",
              error="broken.padi:2:1: expected a sentence in quotes, found the end of the file")
        tap.equal(os.listdir("."), ["broken.padi"])


def a_missing_file_is_told():
    with folder():
        fails("nowhere.padi", error="nowhere.padi: No such file or directory")


def a_broken_file_is_told_with_its_place_and_writes_nothing():
    text = 'interface x 200 "X."\nstruct x_data "Data." {\n    level f32 metre "Level."\n}\n'
    with folder(x=text):
        fails("x.padi", error='x.padi:3:15: unknown unit "metre"; docs/reference/padi.md has the list, and unit NAME "Description." adds one')
        tap.equal(os.listdir("."), ["x.padi"])


def used_files_are_found_beside_and_in_folders():
    thing = ('interface thing 200 "A thing."\nuse part use pose\n'
             'struct thing_data "Data." { part part_data "Part." }\n')
    part = 'interface part 201 "A part."\nstruct part_data "Data." { mass f64 kg "Mass." }\n'
    with folder(thing=thing, part=part) as here:
        fails("thing.padi", error="thing.padi:2:14: there is no pose.padi beside this file or in a "
                                  "folder of -I")
        (here / "library").mkdir()
        (here / "library/pose.padi").write_text('interface pose 202 "A pose."\n', encoding="utf-8")
        succeeds("-I", "nowhere", "-I", "library", "thing.padi")
        header = pathlib.Path("thing.h").read_text(encoding="utf-8")
        assert '#include "part.h"\n' in header, header
        assert '#include "troupe/interfaces/pose.h"\n' in header, header
        assert not os.path.exists("part.h")


def used_files_are_checked():
    with folder(a='interface a 200 "A."\nuse b\n', b='interface c 201 "C."\n',
                hen='interface hen 202 "H."\nuse egg\n', egg='interface egg 203 "E."\nuse hen\n',
                f='interface f 204 "F."\nuse g\n', g='interface g 205\n'):
        fails("a.padi", error="b.padi:1:11: interface c must be in c.padi, not in b.padi")
        fails("hen.padi", error="egg.padi:2:5: use is nested more than 16 deep, or in a circle")
        fails("f.padi",
              error="g.padi:2:1: expected a sentence in quotes, found the end of the file")


def files_are_named_after_their_interfaces():
    with folder(a='interface b 200 "B."\n'):
        fails("a.padi", error="a.padi:1:11: interface b must be in b.padi, not in a.padi")
        os.rename("a.padi", "a.txt")
        succeeds("--check", "a.txt")


def codes_below_200_are_for_troupe_alone():
    with folder(a='interface a 199 "A."\n', b='interface b 200 "B."\nuse a\n'):
        error = ("a.padi:1:13: codes below 200 are Player's and Troupe's; yours go from 200 to "
                 "65535")
        fails("a.padi", error=error)
        fails("b.padi", error=error)
        succeeds("--check", "--builtin", "a.padi", "b.padi")


def interfaces_with_one_name_or_code_are_refused():
    with folder(x='interface x 200 "X."\n', y='interface y 200 "Y."\n') as here:
        (here / "other").mkdir()
        (here / "other/x.padi").write_text('interface x 201 "X."\n', encoding="utf-8")
        fails("--check", "x.padi", "other/x.padi",
              error="other/x.padi: there is an interface x already")
        fails("--check", "x.padi", "y.padi", error="y.padi: interface y has the code 200 of x")
        fails("--check", "x.padi", "x.padi", error="x.padi: there is an interface x already")


def units_of_structs_reach_header_and_page():
    text = ('interface x 200 "X."\nuse common\n'
            'struct x_data "Data." { vel pose2d /s "Velocity." axis point_3d 1 "Axis." }\n')
    with folder(x=text):
        succeeds("-I", INTERFACES, "x.padi")
        header = pathlib.Path("x.h").read_text(encoding="utf-8")
        assert "    /* Velocity. [/s] */\n    tp_pose2d vel;\n" in header, header
        page = pathlib.Path("x.md").read_text(encoding="utf-8")
        assert "| **vel** | `pose2d` | /s | Velocity. |\n" in page, page
        assert "| **axis** | `point_3d` | 1 | Axis. |\n" in page, page
        tables = pathlib.Path("x_padi.c").read_text(encoding="utf-8")
        assert '     .unit = "/s",\n     .of = &tp_desc_pose2d' in tables, tables


def an_index_names_every_interface():
    with folder(a='interface a 200 "A."\n', b='interface b 201 "B."\n'):
        succeeds("--builtin", "--index", "a.padi", "b.padi")
        tap.equal(sorted(os.listdir(".")), ["a.padi", "all.h", "b.padi", "builtin.c"])
        header = pathlib.Path("all.h").read_text(encoding="utf-8")
        assert '/interfaces/a.h"\n#include "troupe/interfaces/b.h"\n' in header, header
        table = pathlib.Path("builtin.c").read_text(encoding="utf-8")
        assert "    &tp_interface_a,\n    &tp_interface_b,\n    NULL,\n" in table, table


def calls_fit_what_a_message_carries():
    text = ('interface x 200 "X."\nuse common\nstruct x_data "Data." { level f32 m "Level." }\n'
            'data STATE 1 (x_data) required "State."\ndata BEEP 2 () optional "A beep."\n'
            'command STOP 1 () required "Stops."\ncommand GO 2 (x_data) required "Goes."\n'
            'request A 1 () -> () required "Neither."\nrequest B 2 (x_data) -> () required "Asks."\n'
            'request C 3 () -> (x_data) required "Answers."\n'
            'request D 4 (x_data) -> (x_data) required "Both."\n')
    with folder(x=text):
        succeeds("-I", INTERFACES, "x.padi")
        calls = " ".join(pathlib.Path("x_client.h").read_text(encoding="utf-8").split())
        for call in ("const tp_x_data *tp_x_latest_state(const tp_proxy *proxy)",
                     "const tp_x_data *tp_x_wait_state(tp_proxy *proxy, int64_t timeout_ns, tp_error *err)",
                     "const tp_msg *tp_x_latest_beep(const tp_proxy *proxy)",
                     "const tp_msg *tp_x_wait_beep(tp_proxy *proxy, int64_t timeout_ns, tp_error *err)",
                     "tp_status tp_x_open(tp_client *client, unsigned index, tp_proxy **out, tp_error *err)",
                     "tp_status tp_x_command_stop(tp_proxy *proxy, tp_error *err)",
                     "tp_status tp_x_command_go(tp_proxy *proxy, const tp_x_data *value, tp_error *err)",
                     "tp_status tp_x_request_a(tp_proxy *proxy, tp_error *err)",
                     "tp_status tp_x_request_b(tp_proxy *proxy, const tp_x_data *ask, tp_error *err)",
                     "tp_status tp_x_request_c(tp_proxy *proxy, const tp_x_data **answer, tp_error *err)",
                     "tp_status tp_x_request_d(tp_proxy *proxy, const tp_x_data *ask, "
                     "const tp_x_data **answer, tp_error *err)"):
            assert f"static inline {call} {{" in calls, call


def types_are_not_called_like_calls():
    for name in ("open", "command_go", "request_x", "latest_state", "wait_x"):
        with folder(x=f'interface x 200 "X."\nstruct x_{name} "S." {{ a f32 m "A." }}\n'):
            fails("x.padi", error=f'x.padi:2:8: "x_{name}" is the name of a call of robot programs')
    with folder(proxy='interface proxy 200 "P."\n'):
        fails("proxy.padi",
              error='proxy.padi:1:11: "proxy" is a word of Troupe\'s own; choose another name')


def interfaces_are_not_called_like_headers_of_calls():
    with folder(x_client='interface x_client 200 "P."\n'):
        fails("x_client.padi",
              error='x_client.padi:1:11: "x_client" ends like the header of calls for "x"')


def the_builtin_calls_go_to_a_folder_of_their_own():
    with folder(a='interface a 200 "A."\n', b='interface b 201 "B."\n'):
        succeeds("--builtin", "--client", "a.padi")
        tap.equal(sorted(os.listdir(".")), ["a.h", "a.padi", "b.padi"])
        header = pathlib.Path("a.h").read_text(encoding="utf-8")
        assert '#include "troupe/client.h"\n#include "troupe/interfaces/a.h"\n' in header, header
        succeeds("--builtin", "--client", "--index", "a.padi", "b.padi")
        index = pathlib.Path("all.h").read_text(encoding="utf-8")
        assert '#include "troupe/client/a.h"\n#include "troupe/client/b.h"\n' in index, index
        assert not os.path.exists("builtin.c")


tap.main(the_output_is_the_golden_one, what_drivers_call_is_the_golden_one,
         an_interface_without_operations_is_offered_without_a_table, the_output_goes_where_it_is_sent,
         an_unchanged_file_is_not_written_again, the_output_compiles_without_a_warning,
         sentences_cannot_break_out_of_comments_and_strings, help_is_printed_and_is_no_failure,
         a_wrong_command_line_is_told_with_the_usage, check_writes_nothing, a_missing_file_is_told,
         a_broken_file_is_told_with_its_place_and_writes_nothing,
         used_files_are_found_beside_and_in_folders, used_files_are_checked,
         files_are_named_after_their_interfaces, codes_below_200_are_for_troupe_alone,
         interfaces_with_one_name_or_code_are_refused, units_of_structs_reach_header_and_page,
         an_index_names_every_interface, calls_fit_what_a_message_carries,
         types_are_not_called_like_calls, interfaces_are_not_called_like_headers_of_calls,
         the_builtin_calls_go_to_a_folder_of_their_own)
