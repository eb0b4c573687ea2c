#!/usr/bin/env python3
"""The commands of troupe, as a user types them.  argv: the troupe program, source root."""
import json
import os
import sys
import tempfile

import tap

PROGRAM, ROOT = sys.argv[1:3]
SONAR = "00000002000000023fc0000040200000"


def troupe(*arguments, stdin=""):
    return tap.run([PROGRAM, *arguments], input=stdin)


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
    tap.equal(troupe().returncode, 2)


def interfaces_are_listed_and_described():
    tap.equal(len(troupe("interfaces").stdout.splitlines()), 45 + 2)
    text = troupe("interfaces", "ranger").stdout
    assert "request  GET_GEOM 1" in text and "f64[ranges_count]" in text, text
    says(troupe("interfaces", "rangr"), 1,
         'troupe interfaces: there is no interface "rangr"; did you mean "ranger"?\n')
    says(troupe("interfaces", "--jsn"), 2,
         'troupe interfaces: unexpected "--jsn"\nTry: troupe interfaces --help\n')


def the_description_as_json_has_everything():
    everything = json.loads(troupe("interfaces", "--json").stdout)
    tap.equal(len(everything), 45)
    laser = json.loads(troupe("interfaces", "laser", "--json").stdout)
    tap.equal(laser, everything["laser"])
    tap.equal([message["name"] for message in laser["messages"]][:3], ["SCAN", "SCANPOSE", "SCANANGLE"])
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
    tap.equal(troupe("decode", "gripper", "command", "OPEN", "").stdout, "null\n")
    says(troupe("encode", "gripper", "command", "OPEN", '{"x":1}'), 1,
         "troupe encode: this message has no body\n")


def errors_say_what_is_wrong():
    says(troupe("encode", "sonar", "data", "RANGE", "{}"), 1,
         'troupe encode: sonar has no data "RANGE"; did you mean "RANGES"?\n')
    says(troupe("encode", "sonar", "dta", "RANGES", "{}"), 1,
         'troupe encode: "dta" is not data, command, request or synch\nTry: troupe encode --help\n')
    says(troupe("encode", "sonar", "data", "RANGES", '{"rangs":[]}'), 1,
         'troupe encode: sonar_data: line 1, column 10: sonar_data has no field "rangs"; '
         'did you mean "ranges"?\n')
    says(troupe("decode", "sonar", "data", "RANGES", "0000"), 1,
         "troupe decode: sonar_data: message too short (2 bytes, at least 8 are needed)\n")
    says(troupe("decode", "sonar", "data", "RANGES", "xy"), 1,
         "troupe decode: character 1 is not a hex digit\n")
    says(troupe("encode", "sonar"), 2,
         "troupe encode: expected INTERFACE KIND MESSAGE [INPUT]\nTry: troupe encode --help\n")


def vector_files_are_checked():
    result = troupe("interfaces", "--check", ROOT + "/tests/data/player_vectors.json")
    tap.equal((result.returncode, result.stdout), (0, "858 passed, 0 failed\n"))
    says(troupe("interfaces", "--check", "/nowhere"), 1,
         "troupe interfaces: /nowhere: No such file or directory\n")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write('{"helper_structs":[{"struct":"player_bool_t","values":{"state":1},"xdr_hex":"00000002"}]}')
        file.flush()
        result = troupe("interfaces", "--check", file.name)
    tap.equal((result.returncode, result.stdout.splitlines()[-1]), (1, "0 passed, 1 failed"))


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
            file.write("data X 1 (lmp) required \"?\"\n")
        says(troupe("interfaces", "--load", path), 1,
             f'troupe interfaces: {path}:6:11: unknown struct "lmp"\n')


def the_demo_draws_a_room():
    result = troupe("demo")
    tap.equal(result.returncode, 0)
    assert "#####" in result.stdout and ">" in result.stdout


tap.main(help_names_every_command, a_wrong_command_gets_a_hint, interfaces_are_listed_and_described,
         the_description_as_json_has_everything, encode_and_decode_are_inverse,
         common_questions_work_on_any_interface, structs_are_found_by_name, messages_without_a_body,
         errors_say_what_is_wrong, vector_files_are_checked, a_loaded_interface_works_at_once,
         the_demo_draws_a_room)
