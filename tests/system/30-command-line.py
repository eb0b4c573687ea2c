#!/usr/bin/env python3
"""The commands of troupe, as a user types them.  argv: the troupe program, source root."""
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

import tap

PROGRAM, ROOT = map(os.path.abspath, sys.argv[1:3])
INTERFACES = len([name for name in os.listdir(ROOT + "/interfaces") if name.endswith(".padi")])
SONAR = "00000002000000023fc0000040200000"


def troupe(*arguments, stdin="", cwd=None):
    return tap.run([PROGRAM, *arguments], input=stdin, cwd=cwd)


def never_reads(*arguments):
    """Run with a standard input that gives nothing and does not end."""
    end, other = os.pipe()
    try:
        return tap.run([PROGRAM, *arguments], stdin=end)
    finally:
        os.close(end)
        os.close(other)


def usage(command, text):
    return f"troupe {command}: {text}\nTry: troupe {command} --help\n"


def says(result, code, error):
    tap.equal((result.returncode, result.stderr), (code, error))


def help_names_every_command():
    text = troupe("--help").stdout
    for name in ("interfaces", "encode", "decode", "demo"):
        assert f"  {name} " in text, text
        tap.equal(troupe(name, "--help").returncode, 0)
        tap.equal(troupe("help", name).stdout, troupe(name, "--help").stdout)
    tap.equal(troupe("--version").stdout, "troupe 0.1.0\n")


def a_wrong_command_gets_a_hint():
    says(troupe("encod"), 2,
         'troupe: there is no command "encod"; did you mean "encode"?\nTry: troupe --help\n')
    script = tap.run([PROGRAM, "biuld"], env={**os.environ, "TROUPE_SCRIPT_COMMANDS": "install build"})
    says(script, 2, 'troupe: there is no command "biuld"; did you mean "build"?\nTry: troupe --help\n')
    names = re.search(r'TROUPE_SCRIPT_COMMANDS="(.*)"', open(ROOT + "/troupe", encoding="utf-8").read())[1].split()
    tap.equal([name for name in names if f"#   ./troupe {name} " not in open(ROOT + "/troupe", encoding="utf-8").read()], [])
    tap.equal(troupe().returncode, 2)


def a_wrong_option_gets_a_hint():
    """Each command finds the nearest of those that its help names."""
    for command, wrong, right in (("run", "--lsiten", "--listen"), ("check", "--feilds", "--fields"), ("drivers", "--pulgin", "--plugin"),
                                  ("fronts", "--pulgin", "--plugin"), ("interfaces", "--josn", "--json"), ("encode", "--asnwer", "--answer"),
                                  ("decode", "--hmuan", "--human"), ("motion", "--cuont", "--count"), ("robots", "--cehck", "--check"),
                                  ("translate", "--loos", "--loose"), ("experiment", "--haedings", "--headings"),
                                  ("emulate", "--buad", "--baud"), ("list", "--wehre", "--where")):
        says(troupe(command, wrong), 2, usage(command, f'unexpected "{wrong}"; did you mean "{right}"?'))
    says(troupe("interfaces", "--xyzzy"), 2, usage("interfaces", 'unexpected "--xyzzy"'))


def a_file_of_another_kind_gets_its_command():
    for arguments, error in ((("run", "x.play"), "x.play is a program, no configuration: troupe play x.play --check"),
                             (("check", "a.b/x.xml"), "a.b/x.xml is a robot file or the manifest of a sensor, no configuration or world: troupe robots --check a.b/x.xml"),
                             (("sim", "x.mcap"), "x.mcap is a recording, no world: troupe log info x.mcap"),
                             (("demo", "x.padi"), "x.padi is the description of an interface, no world: troupe interfaces --load x.padi"),
                             (("play", "x.world", "--check"), "x.world is a world, no program: troupe sim x.world"),
                             (("play", "x.cfg", "--check"), "x.cfg is a configuration, no program: troupe run x.cfg")):
        with tempfile.TemporaryDirectory() as folder:
            name = arguments[1]
            says(troupe(*arguments, cwd=folder), 1, f"troupe {arguments[0]}: {name}: No such file or directory\n")
            pathlib.Path(folder, name).parent.mkdir(exist_ok=True)
            pathlib.Path(folder, name).touch()
            says(troupe(*arguments, cwd=folder), 1, f"troupe {arguments[0]}: {error}\n")


def on_a_terminal(*arguments, columns=80):
    """What is shown on a terminal that is so wide."""
    host, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([PROGRAM, *arguments], stdin=there, stdout=there, stderr=there) as process:
        os.close(there)
        shown = b""
        try:
            while piece := os.read(host, 65536):
                shown += piece
        except OSError:  # the last one at the other end is gone
            pass
        os.close(host)
    tap.equal(process.returncode, 0)
    return shown.decode().replace("\r\n", "\n")


def long_lines_are_wrapped_on_a_terminal():
    commands = re.findall(r"^  ([a-z]+)  ", troupe("--help").stdout, re.MULTILINE)
    assert len(commands) > 30, commands
    for arguments in [(name, "--help") for name in commands] + [("drivers",), ("drivers", "fake"), ("fronts",), ("interfaces",), ("sensors",)]:
        shown = on_a_terminal(*arguments)
        tap.equal((arguments, [line for line in shown.splitlines() if len(line) > 80]), (arguments, []))
        tap.equal(shown.split(), troupe(*arguments).stdout.split())
    tap.equal(on_a_terminal("send", "--help", columns=120), troupe("send", "--help").stdout)


def hints_call_it_as_the_user_does():
    def said(*arguments, program=PROGRAM, **environment):
        environ = {key: value for key, value in os.environ.items() if key != "TROUPE_COMMAND"}
        return tap.run([program, *arguments], env={**environ, **environment})
    tap.equal(said("demo", "--speed").stderr,
              f"troupe demo: --speed needs a value\nTry: {PROGRAM} demo --help\n")
    with tempfile.TemporaryDirectory() as folder:
        link = folder + "/my troupe"
        os.symlink(os.path.abspath(PROGRAM), link)
        assert f"usage: '{link}' COMMAND" in said("--help", program=link).stdout
    for arguments in (("--help",), ("sim", "--help"), ("demo", "--help"), ("help", "list")):
        text = said(*arguments, TROUPE_COMMAND="./troupe").stdout
        assert text.startswith("usage: ./troupe ") and " troupe " not in text, text
    tap.equal(said("nothing", TROUPE_COMMAND="./troupe").stderr.splitlines()[1], "Try: ./troupe --help")
    assert "\n  ./troupe send gripper OPEN\n" in said("send", "gripper", TROUPE_COMMAND="./troupe").stdout
    file = ROOT + "/configs/fake.cfg"
    tap.equal(said("sim", file, TROUPE_COMMAND="./troupe").stderr,
              f"troupe sim: {file} is a configuration, no world: ./troupe run {file}\n")
    tap.equal(said("run", "x.world", TROUPE_COMMAND="./troupe").stderr,
              "troupe run: x.world is a world, no configuration: ./troupe sim x.world\n")


STUBS = {  # what the script calls before it runs the program
    "meson": 'mkdir -p "$2/apps"\nprintf \'#!/bin/sh\\necho "called by $TROUPE_COMMAND: $@"\\n\' > "$2/apps/troupe"\n'
             'chmod +x "$2/apps/troupe"\n',
    "ninja": "echo 'ninja: no work to do.'\n",
    "dpkg-query": 'shift 3\nfor package; do echo "$package installed"; done\n',
}


def the_script_of_the_clone_tells_how_it_was_called():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/bin")
        for name, text in STUBS.items():
            with open(f"{folder}/bin/{name}", "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(f"{folder}/bin/{name}", 0o755)
        shutil.copy(ROOT + "/troupe", folder)
        environ = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        for command, where, wanted in ((["./troupe"], folder, "./troupe"), (["../troupe"], folder + "/bin", "../troupe"),
                                       (["bash", "troupe"], folder, "./troupe"),
                                       ([folder + "/troupe"], "/", folder + "/troupe")):
            result = tap.run([*command, "list"], cwd=where, env=environ)
            tap.equal(result.stdout, f"called by {wanted}: list\n")


def interfaces_are_listed_and_described():
    tap.equal(len(troupe("interfaces").stdout.splitlines()), INTERFACES + 2)
    text = troupe("interfaces", "ranger").stdout
    assert "request  GET_GEOM 1" in text and "f64[ranges_count]" in text, text
    says(troupe("interfaces", "rangr"), 1,
         'troupe interfaces: there is no interface "rangr"; did you mean "ranger"?\n')
    says(troupe("interfaces", "garden"), 1,
         'troupe interfaces: there is no interface "garden"; an own one is read with --load FILE or --url HOST\n')
    says(troupe("encode", "garden", "data", "STATE"), 1,
         'troupe encode: there is no interface "garden"; an own one is read with --load FILE\n')
    says(troupe("interfaces", "--jsn"), 2, usage("interfaces", 'unexpected "--jsn"; did you mean "--json"?'))


def lists_are_tidy():
    lines = troupe("interfaces").stdout.splitlines()
    counts = {line[27:42] for line in lines[:INTERFACES]}
    assert {"  15 messages  ", "   1 message   "} <= counts, counts
    text = troupe("interfaces", "position2d").stdout
    assert "    vel    pose2d (common)  /s    Velocity in the" in text, text
    assert "() -> (position2d_geom)\n" in text, text
    assert "(blackboard_entry (common)) -> ()\n" in troupe("interfaces", "blackboard").stdout
    for name in json.loads(troupe("interfaces", "--json").stdout):
        for line in troupe("interfaces", name).stdout.splitlines():
            tap.equal(line, line.rstrip())


def options_that_contradict_are_refused():
    excluding = "{} and {} exclude each other"
    says(troupe("interfaces", "--json", "--schema"), 2,
         usage("interfaces", excluding.format("--json", "--schema")))
    says(troupe("interfaces", "--rights", "--schema"), 2,
         usage("interfaces", excluding.format("--rights", "--schema")))
    says(troupe("decode", "sonar", "data", "RANGES", SONAR, "--human", "--pretty"), 2,
         usage("decode", excluding.format("--human", "--pretty")))
    says(troupe("encode", "sonar", "data", "RANGES", "{}", "--human"), 2,
         usage("encode", 'unexpected "--human"'))
    tap.equal(troupe("decode", "sonar", "data", "RANGES", SONAR, "--line", "--line").returncode, 0)


def the_description_as_json_has_everything():
    everything = json.loads(troupe("interfaces", "--json").stdout)
    tap.equal(len(everything), INTERFACES)
    laser = json.loads(troupe("interfaces", "laser", "--json").stdout)
    tap.equal(laser, everything["laser"])
    tap.equal([message["name"] for message in laser["messages"]][:3], ["SCAN", "SCANPOSE", "SCANANGLE"])
    tap.equal(laser["uses"], ["common"])
    tap.equal(everything["position2d"]["structs"][0]["fields"][1]["unit"], "/s")
    ranges = laser["structs"][0]["fields"][5]
    tap.equal((ranges["name"], ranges["type"], ranges["count"], ranges["unit"]),
              ("ranges", "f32", "ranges_count", "m"))


def encode_and_decode_are_inverse():
    tap.equal(troupe("encode", "sonar", "data", "RANGES", '{"ranges":[1.5,2.5]}').stdout, SONAR + "\n")
    tap.equal(troupe("decode", "sonar", "data", "RANGES", SONAR).stdout,
              '{"ranges_count":2,"ranges":[1.5,2.5]}\n')
    tap.equal(troupe("decode", "sonar", "data", "ranges", SONAR, "--line").stdout,
              "sonar_data{ranges=[1.5 2.5]}\n")
    tap.equal(troupe("decode", "sonar", "data", "RANGES", "--human", stdin=SONAR).stdout,
              "sonar_data\n  ranges: [1.5 2.5] m\n")
    tap.equal(troupe("encode", "sonar", "data", "RANGES", "-", stdin='{"ranges":[1.5,2.5]}').stdout,
              SONAR + "\n")


def people_see_units_and_no_blanks_at_the_end():
    body = troupe("encode", "position2d", "cmd", "VEL", '{"vel":{"px":0.5,"pa":1},"state":1}').stdout
    tap.equal(troupe("decode", "--human", "position2d", "command", "VEL", body).stdout,
              "position2d_cmd_vel\n  vel:\n    px: 0.5 m/s\n    py: 0 m/s\n    pa: 1 rad/s\n"
              "  state: yes\n")
    tap.equal(troupe("decode", "--human", "audio", "data", "STATE", "00000006").stdout,
              "audio_state\n  state: 6 (AUDIO_STATE_RECORDING+4)\n")


def common_questions_work_on_any_interface():
    tap.equal(troupe("encode", "laser", "request", "GET_INTPROP", '{"key":"anint"}').stdout,
              "0000000600000006616e696e7400000000000000\n")


def structs_are_found_by_name():
    header = "0100007f00001a090000000400000000000000010000000141d26580b49000000000000700000034"
    decoded = json.loads(troupe("decode", "--struct", "msghdr", header).stdout)
    tap.equal(decoded["addr"], {"host": 16777343, "robot": 6665, "interf": 4, "index": 0})
    tap.equal(troupe("encode", "--struct", "player_msghdr_t", json.dumps(decoded)).stdout, header + "\n")
    says(troupe("decode", "--struct", "msghd", "00"), 1,
         'troupe decode: there is no struct "msghd"; did you mean "msghdr"?\n')


def messages_without_a_body():
    tap.equal(troupe("encode", "gripper", "command", "OPEN", "").stdout, "\n")
    tap.equal(troupe("encode", "gripper", "command", "OPEN", " null ").stdout, "\n")
    tap.equal(troupe("decode", "gripper", "command", "OPEN", "").stdout, "null\n")
    says(troupe("encode", "gripper", "command", "OPEN", '{"x":1}'), 1,
         "troupe encode: this message has no body\n")
    says(troupe("decode", "gripper", "command", "OPEN", "00"), 1,
         "troupe decode: this message has no body\n")


def messages_without_a_body_do_not_wait():
    tap.equal(never_reads("encode", "gripper", "command", "OPEN").stdout, "\n")
    tap.equal(never_reads("decode", "gripper", "command", "OPEN").stdout, "null\n")
    tap.equal(never_reads("encode", "ir", "request", "POWER", "--answer").stdout, "\n")


def requests_that_ask_nothing():
    for nothing in ("", " ", "null", "{}", " { } \n"):
        tap.equal(troupe("encode", "limb", "request", "GEOM", nothing).stdout, "\n")
        tap.equal(troupe("encode", "limb", "req", "GEOM", stdin=nothing).stdout, "\n")
    tap.equal(troupe("decode", "limb", "request", "GEOM", "").stdout, "null\n")
    # anything else is the struct that Player has for both directions
    body = "3ff0000000000000" + 32 * "0"
    place = '{"basePos":{"px":1,"py":0,"pz":0}}'
    for answer in ((), ("--answer",)):
        tap.equal(troupe("encode", "limb", "request", "GEOM", place, *answer).stdout, body + "\n")
        tap.equal(troupe("decode", "limb", "request", "GEOM", body, *answer).stdout, place + "\n")
    tap.equal(troupe("encode", "limb", "request", "GEOM", "{}", "--answer").stdout, 48 * "0" + "\n")
    says(troupe("decode", "limb", "request", "GEOM", "", "--answer"), 1,
         "troupe decode: limb_geom_req: 0 bytes, at least 24 are needed\n")


def an_answer_is_for_requests():
    error = "--answer goes with a request, not with "
    says(troupe("encode", "sonar", "data", "RANGES", "{}", "--answer"), 2,
         usage("encode", error + "data"))
    says(troupe("decode", "--struct", "msghdr", "00", "--answer"), 2,
         usage("decode", error + "--struct"))


def kinds_have_short_forms_and_hints():
    for kind in ("command", "cmd"):
        tap.equal(troupe("encode", "gripper", kind, "OPEN").stdout, "\n")
    tap.equal(troupe("encode", "ir", "req", "POWER", '{"state":1}').stdout, "00000001\n")
    kinds = "is not data, command, request or synch"
    says(troupe("encode", "sonar", "dta", "RANGES", "{}"), 2,
         usage("encode", f'"dta" {kinds}; did you mean "data"?'))
    says(troupe("decode", "sonar", "elephant", "RANGES"), 2, usage("decode", f'"elephant" {kinds}'))


def errors_say_what_is_wrong():
    says(troupe("drivers", "a\x1b[31mb"), 1, 'troupe drivers: there is no driver "a?[31mb"\n')
    says(troupe("encode", "sonar", "data", "RANGE", "{}"), 1,
         'troupe encode: sonar has no data "RANGE"; did you mean "RANGES"?\n')
    says(troupe("encode", "gripper", "cmd", "OPN", "{}"), 1,
         'troupe encode: gripper has no command "OPN"; did you mean "OPEN"?\n')
    says(troupe("encode", "sonar", "data", "RANGES", '{"rangs":[]}'), 1,
         'troupe encode: sonar_data: line 1, column 2: sonar_data has no field "rangs"; '
         'did you mean "ranges"?\n')
    says(troupe("decode", "sonar", "data", "RANGES", "xy"), 1,
         "troupe decode: character 1, 'x', is not a hex digit\n")
    says(troupe("encode", "sonar"), 2,
         usage("encode", "expected INTERFACE KIND MESSAGE [INPUT]"))


def bodies_are_refused_for_honest_reasons():
    def refused(body, reason):
        says(troupe("decode", "sonar", "data", "RANGES", body), 1,
             f"troupe decode: sonar_data: {reason}\n")
    refused("0000", "2 bytes, at least 8 are needed")
    refused("0000000200000002", "ranges has 2 elements in at least 8 bytes, but 0 are left")
    refused("00000001000000023fc0000040200000", "ranges has 2 elements, but its count says 1")


def bytes_behind_the_message_are_told():
    for rest, error in ((12 * "00", "12 bytes behind the message were ignored"),
                        ("00", "1 byte behind the message was ignored")):
        result = troupe("decode", "sonar", "data", "RANGES", SONAR + rest)
        says(result, 0, f"troupe decode: {error}\n")
        tap.equal(result.stdout, '{"ranges_count":2,"ranges":[1.5,2.5]}\n')
    says(troupe("decode", "sonar", "data", "RANGES", SONAR), 0, "")


def bodies_that_no_message_carries_are_refused():
    ranges = (33554432 - 40 - 8) // 8
    fits = troupe("encode", "ranger", "data", "RANGE", stdin='{"ranges":[0' + (ranges - 1) * ",0" + "]}")
    tap.equal((fits.returncode, fits.stderr, len(fits.stdout)), (0, "", 2 * 33554392 + 1))
    says(troupe("encode", "ranger", "data", "RANGE", stdin='{"ranges":[0' + ranges * ",0" + "]}"), 1,
         "troupe encode: ranger_data_range: 33554400 bytes, but a message carries at most 33554392\n")


def a_loaded_interface_works_at_once():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lamp.padi")
        with open(path, "w", encoding="utf-8") as file:
            file.write('interface lamp 230 "A lamp."\nstruct lamp_cmd "How bright." {\n'
                       '    level f32 % "Brightness."\n}\ncommand LEVEL 1 (lamp_cmd) required "Sets it."\n')
        tap.equal(troupe("encode", "--load", path, "lamp", "command", "LEVEL", '{"level":50}').stdout,
                  "42480000\n")
        assert "lamp, code 230" in troupe("interfaces", "--load", path, "lamp").stdout
        with open(path, "a", encoding="utf-8") as file:
            file.write("data X 1 (lmp_cmd) required \"?\"\n")
        says(troupe("interfaces", "--load", path), 1,
             f'troupe interfaces: {path}:6:11: unknown struct "lmp_cmd"; did you mean "lamp_cmd"?\n')


def output_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run([PROGRAM, "interfaces", "laser"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    tap.equal((result.returncode, result.stderr), (1, "troupe interfaces: cannot write the output\n"))


def a_configuration_is_checked():
    result = troupe("check", ROOT + "/configs/fake.cfg")
    tap.equal((result.returncode, result.stdout.splitlines()[-1]), (0, "no mistakes found"))
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
        for odd, wanted in (("", "no mistakes found"), ("colour 1", "no mistakes found, 1 note"),
                            ("colour 1 shape 2", "no mistakes found, 2 notes")):
            file.seek(0)
            file.truncate()
            file.write(f'driver ( name "fake" provides [ "laser:0" ] {odd} )\n')
            file.flush()
            result = troupe("check", file.name)
            tap.equal((result.returncode, result.stdout.splitlines()[-1], result.stderr.count("\n")),
                      (0, wanted, len(odd.split()) // 2))
    with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:  # its devices are those of a server on 6665
        file.write('driver ( name "passthrough" provides [ "laser:0" ] requires [ "6665:laser:0" ] )\n')
        file.flush()
        result = troupe("check", file.name)
        tap.equal((result.returncode, result.stdout.splitlines()[-1], result.stderr),
                  (0, "no mistakes found, 1 note", f"{file.name}: it needs the devices of a server on port 6665: "
                   "run it on another port, with -p 7000\n"))
        tap.equal(troupe("check", "-p", "7000", file.name).stdout.splitlines()[-1], "no mistakes found")
        says(troupe("check", "-p", "6665", file.name), 1, f"troupe check: {file.name}:1:1: a circle, so none can start: "
             "passthrough0 requires laser:0\n")
    says(troupe("check"), 2, "troupe check: which configuration or world?\nTry: troupe check --help\n")
    says(troupe("check", "/nowhere.cfg"), 1, "troupe check: /nowhere.cfg: No such file or directory\n")


def drivers_are_listed():
    names = [line.split()[0] for line in troupe("drivers").stdout.splitlines()]
    tap.equal(names, sorted(names))
    assert {"fake", "passthrough", "relay"} <= set(names), names
    assert "rate" in troupe("drivers", "fake").stdout


def fronts_are_listed():
    says(troupe("fronts", "gopher"), 1, 'troupe fronts: there is no front "gopher"\n')
    assert "player" in [line.split()[0] for line in troupe("fronts").stdout.splitlines()]
    tap.equal(troupe("fronts", "player").stdout.splitlines()[1:],
              ["  schemes          tcp udp unix", "  port             each robot's own number",
               "  clients          1        0            the most clients of one port; 0 means 100000, on UDP 1024"])


tap.main(help_names_every_command, a_wrong_command_gets_a_hint, a_wrong_option_gets_a_hint, a_file_of_another_kind_gets_its_command,
         long_lines_are_wrapped_on_a_terminal, hints_call_it_as_the_user_does,
         the_script_of_the_clone_tells_how_it_was_called, interfaces_are_listed_and_described,
         lists_are_tidy, options_that_contradict_are_refused, the_description_as_json_has_everything,
         encode_and_decode_are_inverse, people_see_units_and_no_blanks_at_the_end,
         common_questions_work_on_any_interface, structs_are_found_by_name, messages_without_a_body,
         messages_without_a_body_do_not_wait, requests_that_ask_nothing, an_answer_is_for_requests,
         kinds_have_short_forms_and_hints, errors_say_what_is_wrong,
         bodies_are_refused_for_honest_reasons, bytes_behind_the_message_are_told,
         bodies_that_no_message_carries_are_refused,
         a_loaded_interface_works_at_once, output_that_cannot_be_written_is_a_failure,
         a_configuration_is_checked, drivers_are_listed, fronts_are_listed)
