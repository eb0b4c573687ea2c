#!/usr/bin/env python3
"""Robot files that people write themselves: their mistakes are told so that they can mend them.
argv: the troupe program, source root."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import tap
from cli import PROGRAM

ROOT = pathlib.Path(sys.argv[2])
os.environ["TROUPE_ROBOT_PATH"] = str(ROOT / "robots")
os.environ.setdefault("TROUPE_WORLD_PATH", str(ROOT / "worlds"))
TOBY = """\
<?xml version="1.0" encoding="UTF-8"?>
<robot version="1" name="toby" title="Toby">
  <about maker="somebody">A robot that speaks lines of text.</about>
  <link kind="serial" baud="9600"/>
  <link kind="tcp" port="7777"/>
  <timing reply="300"/>
  <framing end="0A"/>
  <refusal match="'ERR ' {why:str}" says="toby refused"/>
  <stop send="'S'"/>
  <register name="speed" size="2" start="0"/>
  <device name="Left Wheel" type="LocoMotor" classes="Left Wheel, LocoMotor, Motor, Analog_Output, Output" base="MovePower" signed="yes" values="side 0"/>
  <device name="Right Wheel" type="LocoMotor" classes="Right Wheel, LocoMotor, Motor, Analog_Output, Output" base="MovePower" signed="yes" values="side 1"/>
  <group name="Both Wheels" type="DriveAxis" classes="LocoMotor, DriveAxis, Motor, Analog_Output, Output" left="Left Wheel" right="Right Wheel"/>
  <device name="Eye" type="Analog_Input" classes="Light Sensor, Intensity Sensor, Analog_Input, Input" base="ReadAnalog"/>
  <device name="Buzzer" type="TobyBuzzer" classes="Speaker, Output" base="Tone"/>
  <translate command="MovePower" type="LocoMotor">
    <set name="speed" at="side" to="power"/>
    <send>'M ' {speed[0]:dec} ' ' {speed[1]:dec}</send>
    <reply>'OK'</reply>
    <example device="Right Wheel" values="50">
      > 4D 20 30 20 35 30
      &lt; 4F 4B
    </example>
  </translate>
  <translate command="MoveMotors" type="DriveAxis">
    <set name="speed" at="0" to="left"/>
    <set name="speed" at="1" to="right"/>
    <send>'M ' {left:dec} ' ' {right:dec}</send>
    <reply>'OK'</reply>
    <example device="Both Wheels" values="5, -5">
      > 'M 5 -5'
      &lt; 'O' 4B
    </example>
  </translate>
  <translate command="ReadAnalog" type="Analog_Input" send="'L?'" reply="'L ' {level:dec}" result="scale(level, 0, 1023, 0, 100)">
    <example device="Eye" result="100">
      > 4C 3F
      &lt; 4C 20 31 30 32 33
    </example>
  </translate>
  <translate command="Tone" type="TobyBuzzer" send="'B ' {hz:dec} ' ' {ms:dec}" reply="'OK'">
    <example device="Buzzer" values="440, 200">
      > 42 20 34 34 30 20 32 30 30
      &lt; 4F 4B
    </example>
  </translate>
  <na command="ReadBuffer" why="it cannot"/>
  <na command="Track" why="it cannot"/>
  <na command="WriteCount" why="it cannot"/>
  <na command="WriteString" why="it cannot"/>
  <na command="WriteBuffer" why="it cannot"/>
  <na command="IndicateTrigger" why="it cannot"/>
  <na command="IndicateValue" why="it cannot"/>
  <na command="DisplayValue" why="it cannot"/>
  <na command="DisplayString" why="it cannot"/>
  <na command="WriteServo" why="it cannot"/>
  <na command="GoTo" why="it cannot"/>
  <na command="SetupChannel" why="it cannot"/>
  <na command="ReadMessage" why="it cannot"/>
  <na command="WriteMessage" why="it cannot"/>
  <na command="CheckStatus" why="it cannot"/>
</robot>
"""
CROSSED = """<wiring version="1" robot="toby">
  <use class="Left Wheel" device="Right Wheel"/>
  <use class="Right Wheel" device="Left Wheel"/>
</wiring>
"""


def troupe(folder, *arguments):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@contextlib.contextmanager
def toby(text=TOBY):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "toby.xml").write_text(text, encoding="utf-8")
        yield folder


def refused(result, *texts):
    """What failed, for the reasons that stand there."""
    assert result.returncode in (1, 2), result
    for text in texts:
        assert text in result.stderr, (text, result.stderr)


def examples_are_bytes_or_texts():
    with toby() as folder:
        tap.equal(troupe(folder, "robots", "--check", "toby.xml").stdout, "toby.xml: 5 devices, 4 translations, 4 examples\n")
    with toby(TOBY.replace("> 'M 5 -5'", "> 'M 5 -6'")) as folder:
        refused(troupe(folder, "robots", "--check", "toby.xml"), "toby.xml:")
    for wrong in ("> 'M 5 -5", "> 'M\\q'", "> M 5"):
        with toby(TOBY.replace("> 'M 5 -5'", wrong)) as folder:
            refused(troupe(folder, "robots", "--check", "toby.xml"), "expected bytes in hexadecimal or texts")


def values_are_neither_missing_nor_too_many():
    with toby() as folder:
        tap.equal(troupe(folder, "translate", "toby.xml", "Drive", "10", "20").returncode, 0)
        for arguments, text in ((("Drive",), "power is missing; values of Drive: power, turn"),
                                (("Drive", "10"), "turn is missing"),
                                (("Drive", "fast"), 'power is missing behind "fast"'),
                                (("Drive", "50%"), '"50%" is no number for power'),
                                (("Drive", "1", "2", "3"), "3 values are one too many for Drive"),
                                (("Drive", "1", "2", "3", "4"), '"4" is one value too many'),
                                (("Tone", "440"), "ms is missing; values of Tone: hz, ms")):
            refused(troupe(folder, "translate", "toby.xml", *arguments), text)


def a_name_of_a_device_is_no_class():
    with toby() as folder:
        refused(troupe(folder, "translate", "toby.xml", "ReadAnalog", "Eye"), "this is a device, name its class: Light Sensor")


def each_wheel_answers():
    with toby() as folder:
        pathlib.Path(folder, "crossed.xml").write_text(CROSSED)
        result = troupe(folder, "translate", "toby.xml", "Drive", "50", "0", "--wiring", "crossed.xml")
        tap.equal(result.stdout.splitlines()[-4:], ["> 4D 20 30 20 35 30 0A", "< 'OK'", "> 4D 20 35 30 20 35 30 0A", "< 'OK'"])


def a_wiring_file_is_checked_with_its_robot():
    with toby() as folder:
        lab = str((ROOT / "tests/data/universal/nxt-lab.xml").resolve())
        pathlib.Path(folder, "crossed.xml").write_text(CROSSED)  # its robot is beside it
        pathlib.Path(folder, "nxt.xml").write_text(pathlib.Path(lab).read_text())  # this one's is not, though it has the name
        result = troupe(folder, "robots", "--check", "crossed.xml", "nxt.xml", lab)
        tap.equal((result.returncode, result.stderr), (0, ""))
        tap.equal([line.rsplit(",", 1)[0] for line in result.stdout.splitlines()],
                  ["crossed.xml: a wiring of toby", "nxt.xml: a wiring of nxt", f"{lab}: a wiring of nxt"])
        result = troupe(folder, "robots", "--check", ".")
        tap.equal((result.returncode, len(result.stdout.splitlines())), (0, 3))


def all_mistakes_of_a_wiring_file_are_told():
    wrong = """<wiring version="1" robot="nxt">
  <plug slot="port 1" device="Touch Sensor"/>
  <use class="Left Weel" device="Left Wheel"/>
  <use class="Right Wheel" device="Third Wheel"/>
  <set device="Touch Sensor" threshold="high"/>
</wiring>
"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "w.xml")
        path.write_text(wrong)
        result = troupe(folder, "robots", "--check", "w.xml")
        tap.equal((result.returncode, result.stdout, result.stderr), (1, "", (
            'troupe robots: w.xml:3: <use>: "Left Weel" is no class of classes.xml; did you mean "Left Wheel"?\n'
            'troupe robots: w.xml:4: <use>: device="Third Wheel" is not there; plug it in or declare it first\n'
            'troupe robots: w.xml:5: <set>: threshold="high": expected a number from 0 to 100\n'
            "troupe robots: w.xml: 3 mistakes\n")))
        for right, other, text in (('robot="nxt"', 'robot="ntx"', 'there is no robot "ntx"; did you mean "nxt"?'),
                                   (' robot="nxt"', "", 'w.xml:1: <wiring>: robot is missing; write robot="..."'),
                                   ('slot="port 1"', 'slot="port 7"', 'w.xml:2: <plug>: slot="port 7": "Touch Sensor" does not fit there'),
                                   ("<plug ", "<plugg ", 'w.xml:2: <plugg>: it cannot stand here; did you mean "plug"?')):
            path.write_text(wrong.replace(right, other))
            refused(troupe(folder, "robots", "--check", "w.xml"), text)
        path.write_text(wrong.replace("Left Weel", "The One With A Spot").replace("Third", "Left").replace("high", "30"))
        tap.equal(troupe(folder, "robots", "--check", "w.xml").returncode, 0)  # a word of one's own is not a mistake


def what_the_robot_can_do_is_not_na():
    with toby(TOBY.replace("</robot>", '<na command="Drive" why="x"/>\n</robot>')) as folder:
        refused(troupe(folder, "robots", "--check", "toby.xml"), f"toby.xml:{len(TOBY.splitlines())}: <na>: the robot can do Drive; remove")


def hints_name_what_is_meant():
    for right, wrong, text in (('base="Tone"', 'bse="Tone"', 'no attribute "bse"; did you mean "base"?; expected name, type, '),
                               ('base="Tone"', 'base="Beep"', "is no command; troupe robots --commands lists them"),
                               ('right="Right Wheel"', 'right="Rigth Wheel"', 'is no wheel; did you mean "Right Wheel"?'),
                               ('command="Tone" type="TobyBuzzer"', 'command="Tone" type="TobyBuzer"', 'no device has this type; did you mean "TobyBuzzer"?'),
                               ("{hz:dec}", "{hz:u61}", '"u61": no such type; some are'),
                               ("{hz:dec}", "{hz:u16}", "write le (low byte first) or be behind it"),
                               ("<about maker", "<about zzzzzz", 'no attribute "zzzzzz"; expected ')):
        with toby(TOBY.replace(right, wrong, 1)) as folder:
            refused(troupe(folder, "robots", "--check", "toby.xml"), text)


def section(provides, port="tcp:127.0.0.1:7"):
    return f'driver ( name "robotfile" robot "toby.xml" wiring "crossed.xml" port "{port}" provides [ {provides} ] )\n'


def files_are_looked_for_beside_the_configuration():
    with toby() as folder, tempfile.TemporaryDirectory() as elsewhere:
        pathlib.Path(folder, "crossed.xml").write_text(CROSSED)
        path = pathlib.Path(folder, "toby.cfg")
        path.write_text(section('"position2d:0" "aio:0" "universal:0"'))
        for here, name in ((folder, "toby.cfg"), (elsewhere, str(path)), (elsewhere, os.path.relpath(path, os.path.realpath(elsewhere)))):
            result = troupe(here, "check", name)
            tap.equal((name, result.returncode, result.stderr), (name, 0, ""))
        path.write_text(section('"position2d:0"').replace("crossed.xml", "none.xml"))
        refused(troupe(elsewhere, "check", str(path)), "none.xml")


def what_the_robot_can_offer_is_told():
    with toby() as folder:
        pathlib.Path(folder, "crossed.xml").write_text(CROSSED)
        for name, text in (("sonar", "toby has no distance sensor that is a sonar for sonar; it can offer position2d, aio"),
                           ("bumper", "toby has no contact sensor for bumper; it can offer position2d, aio"),
                           ("laser", "a robot file offers no laser; toby can offer position2d, aio")):
            pathlib.Path(folder, "toby.cfg").write_text(section(f'"{name}:0"'))
            refused(troupe(folder, "check", "toby.cfg"), text)


def the_matrix_has_own_robots():
    with toby() as folder:
        result = troupe(folder, "robots", "--matrix", "nxt", "toby.xml")
        lines = result.stdout.splitlines()
        tap.equal((result.returncode, lines[0]), (0, "| command | nxt | toby |"))
        assert any(line.startswith("| Tone | ") and line.endswith(" | direct |") for line in lines), lines
        refused(troupe(folder, "robots", "--matrix", "none.xml"), "none.xml")


tap.main(examples_are_bytes_or_texts, values_are_neither_missing_nor_too_many, a_name_of_a_device_is_no_class, each_wheel_answers,
         a_wiring_file_is_checked_with_its_robot, all_mistakes_of_a_wiring_file_are_told,
         what_the_robot_can_do_is_not_na, hints_name_what_is_meant, files_are_looked_for_beside_the_configuration,
         what_the_robot_can_offer_is_told, the_matrix_has_own_robots)
