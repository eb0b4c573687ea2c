/* universal.h - a small vocabulary and a robot of many formats, for fuzz targets of src/universal.
 */
#ifndef TROUPE_TESTS_FUZZ_UNIVERSAL_H
#define TROUPE_TESTS_FUZZ_UNIVERSAL_H

#include <string.h>

#include "fuzz.h"
#include "universal/wired.h"

static const char fuzz_classes[] =
    "<classes version='1'><opposite a='far' b='near'/><class name='Input' generic='yes'/>"
    "<class name='Output' generic='yes'/><class name='Analog_Input' generic='yes' parents='Input'/>"
    "<class name='Digital_Input' generic='yes' parents='Input'/>"
    "<class name='Analog_Output' generic='yes' parents='Output'/>"
    "<class name='Obstacle Sensor' parents='Input' high='near'/>"
    "<class name='Distance Sensor' parents='Obstacle Sensor' high='far' quantity='distance' "
    "unit='mm' range='0 100'/><class name='Light Sensor' parents='Input' high='bright'/>"
    "<class name='Motor' parents='Output'/><class name='LocoMotor' parents='Motor'/>"
    "<class name='Left Wheel' parents='LocoMotor'/><class name='Right Wheel' parents='LocoMotor'/>"
    "<class name='DriveAxis' parents='LocoMotor'/><class name='Servo' parents='Output'/>"
    "<class name='Display' parents='Output'/><class name='Indicator' parents='Output'/></classes>";

static const char fuzz_robot_text[] =
    "<robot version='1' name='bot' title='B'><link kind='tcp'/><timing reply='50' gap='1' "
    "largest='256'/>"
    "%s<slots name='inputs' labels='port 1, port 2'/><register name='last' size='16'/>"
    "<register name='sum'/><counter name='seq' from='1' to='3'/>"
    "<incoming match='{m:u8 E0..EF} {v:u7x2}'><set name='last' at='m - 0xE0' to='v'/></incoming>"
    "<incoming match='D0 {a:dec} {b:hex2} {t:str} 0A {:sum0}'><set name='sum' to='a + b + "
    "size(t)'/></incoming>"
    "<refusal match='3F {why:str7} F7' says='it refused'/>"
    "<device name='Eye' type='Eye' classes='Light Sensor, Analog_Input, Input' base='ReadAnalog' "
    "slots='inputs' "
    "at='port 1'><setup><poll until='ok' every='1' timeout='20'><send>53</send><reply>53 "
    "{ok:u8}</reply></poll></setup></device>"
    "<device name='Ear' type='Ear' classes='Input' base='ReadString'/>"
    "<device name='Left Wheel' type='LocoMotor' classes='Left Wheel, LocoMotor, Motor, Output' "
    "base='MovePower' "
    "values='side 0'/><device name='Right Wheel' type='LocoMotor' classes='Right Wheel, LocoMotor, "
    "Motor, Output' "
    "base='MovePower' values='side 1'/><group name='Both' type='DriveAxis' classes='DriveAxis, "
    "Output' left='Left Wheel' "
    "right='Right Wheel'/>"
    "<translate command='ReadAnalog' type='Eye' result='scale(x, -100, 100, 0, 100) + last[1] / "
    "max(last[2], 1)'>"
    "<send>41 {slot:u8}</send><reply>41 {status:u8 ok 00 01} {n:u8} {t:str*n} {x:sm16le} {f:f32be} "
    "?? {:crc8}</reply>"
    "<check that='n lt 200'/><example/></translate>"
    "<translate command='ReadString' type='Ear' result='t'><send>45 {next(seq):u8}</send>"
    "<reply>45 {k:dec3} ~ {t:strz}</reply><await name='last' at='3' fresh='yes' "
    "timeout='20'/><example/></translate>"
    "<translate command='MovePower' type='LocoMotor' send='4D {side:u8} {power:s8}' reply='23 "
    "4D'><example/></translate>"
    "<keepalive every='100' send='7A'/><stop send='58'/></robot>";

/* Made once. */
static inline const tpi_vocabulary *fuzz_vocabulary(void)
{
    static tpi_vocabulary *vocabulary = NULL;

    if (vocabulary == NULL) {
        fuzz_require(tpi_vocabulary_read(&vocabulary, fuzz_classes, strlen(fuzz_classes),
                                         "classes.xml", NULL) == TP_OK,
                     "the vocabulary of the target is wrong");
    }
    return vocabulary;
}

#endif
