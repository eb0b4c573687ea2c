/* dictionary.c - the table of universal commands; see dictionary.h. */
#include "universal/dictionary.h"

#include <ctype.h>

/* A row for each command. */
/* clang-format off */
#define NONE TPI_COMMANDS
#define NO_SLOTS {{0}}
#define PERCENT(name) {name, TPI_KIND_DOUBLE, 0, 100, 0}
#define SIGNED(name) {name, TPI_KIND_DOUBLE, -100, 100, 0}
#define PLAIN(name) {name, TPI_KIND_DOUBLE, 0, 0, 0}
#define WORD(name, missing) {name, TPI_KIND_U16, 0, 65535, missing}
#define BOOL(name) {name, TPI_KIND_BOOL, 0, 1, 0}
#define COUNT(name) {name, TPI_KIND_I32, -2147483648.0, 2147483647.0, 0}
#define TEXT(name) {name, TPI_KIND_TEXT, 0, 0, 0}
#define BYTES(name) {name, TPI_KIND_BYTES, 0, 0, 0}

static const tpi_entry entries[TPI_COMMANDS] = {
    [TPI_NO_OP] = {"NoOp", 0x0000, TPI_SORT_CONTROL, false, TPI_TYPE_GENERAL, "", NONE, 0,
        NO_SLOTS, NO_SLOTS, "answers"},
    [TPI_INITIALIZE] = {"Initialize", 0x0001, TPI_SORT_CONTROL, false, TPI_TYPE_GENERAL, "", NONE, 0,
        NO_SLOTS, NO_SLOTS, "connects and sets the robot up"},
    [TPI_START] = {"Start", 0x0002, TPI_SORT_CONTROL, false, TPI_TYPE_GENERAL, "", NONE, 0,
        {WORD("timeout", 1000)}, NO_SLOTS, "waits until the robot is ready"},
    [TPI_END] = {"End", 0x0003, TPI_SORT_CONTROL, false, TPI_TYPE_GENERAL, "", NONE, 0,
        NO_SLOTS, NO_SLOTS, "stops everything and releases the robot"},
    [TPI_RESET] = {"Reset", 0x0004, TPI_SORT_CONTROL, false, TPI_TYPE_GENERAL, "", NONE, 0,
        NO_SLOTS, NO_SLOTS, "End and Initialize"},
    [TPI_WAIT_TIME] = {"WaitTime", 0x0005, TPI_SORT_CONTROL, false, TPI_TYPE_GENERAL, "", NONE, 0,
        {WORD("ms", 1000)}, NO_SLOTS, "waits"},
    [TPI_WAIT_TRIGGER] = {"WaitTrigger", 0x0006, TPI_SORT_CONTROL, true, TPI_TYPE_INPUT, "Input", NONE, 0x1001,
        {{"comparison", TPI_KIND_U8, 0, 7, 0}, PLAIN("value"), WORD("timeout", 1000)}, {BOOL("value")},
        "waits until a reading compares as wanted"},
    [TPI_SETUP_INPUT] = {"SetupInput", 0x1000, TPI_SORT_CONTROL, true, TPI_TYPE_GENERAL, "Input", NONE, 0,
        NO_SLOTS, NO_SLOTS, "sets an input up"},
    [TPI_READ_GENERIC] = {"ReadGeneric", 0x1001, TPI_SORT_READ, true, TPI_TYPE_INPUT, "Input", NONE, 0x1001,
        NO_SLOTS, {PLAIN("value")}, "reads an input as its base command does"},
    [TPI_READ_DIGITAL] = {"ReadDigital", 0x1002, TPI_SORT_READ, true, TPI_TYPE_DIGITAL_INPUT, "Digital_Input, Input",
        TPI_READ_GENERIC, 0x1002, NO_SLOTS, {BOOL("value")}, "reads yes or no"},
    [TPI_READ_ANALOG] = {"ReadAnalog", 0x1003, TPI_SORT_READ, true, TPI_TYPE_ANALOG_INPUT, "Analog_Input, Input",
        TPI_READ_GENERIC, 0x1003, NO_SLOTS, {PERCENT("value")}, "reads 0 to 100"},
    [TPI_READ_COUNT] = {"ReadCount", 0x1004, TPI_SORT_READ, true, TPI_TYPE_INPUT, "Count_Input, Input",
        TPI_READ_GENERIC, 0x1004, NO_SLOTS, {COUNT("value")}, "reads how much, in the unit of the class"},
    [TPI_READ_STRING] = {"ReadString", 0x1005, TPI_SORT_READ, true, TPI_TYPE_INPUT, "String_Input, Input",
        TPI_READ_GENERIC, 0x1005, NO_SLOTS, {TEXT("text")}, "reads a text"},
    [TPI_READ_BUFFER] = {"ReadBuffer", 0x1006, TPI_SORT_READ, true, TPI_TYPE_INPUT, "Buffer_Input, Input",
        TPI_READ_GENERIC, 0x1006, NO_SLOTS, {BYTES("bytes")}, "reads bytes"},
    [TPI_TRACK] = {"Track", 0x1007, TPI_SORT_READ, true, TPI_TYPE_INPUT, "Blob, Camera, Input", NONE, 0,
        NO_SLOTS, {SIGNED("x"), SIGNED("y"), PERCENT("size")}, "finds the largest blob of a colour"},
    [TPI_SETUP_OUTPUT] = {"SetupOutput", 0x3000, TPI_SORT_CONTROL, true, TPI_TYPE_OUTPUT, "Output", NONE, 0x3000,
        NO_SLOTS, NO_SLOTS, "sets an output up"},
    [TPI_WRITE_GENERIC] = {"WriteGeneric", 0x3001, TPI_SORT_WRITE, true, TPI_TYPE_OUTPUT, "Output", NONE, 0x3001,
        {PLAIN("value")}, NO_SLOTS, "writes an output as its base command does"},
    [TPI_WRITE_DIGITAL] = {"WriteDigital", 0x3002, TPI_SORT_WRITE, true, TPI_TYPE_DIGITAL_OUTPUT,
        "Digital_Output, Output", TPI_WRITE_GENERIC, 0x3002, {BOOL("value")}, NO_SLOTS, "writes on or off"},
    [TPI_WRITE_ANALOG] = {"WriteAnalog", 0x3003, TPI_SORT_WRITE, true, TPI_TYPE_ANALOG_OUTPUT,
        "Analog_Output, Output", TPI_WRITE_GENERIC, 0x3003, {SIGNED("value")}, NO_SLOTS,
        "writes 0 to 100, or -100 to 100 where the device takes it"},
    [TPI_WRITE_COUNT] = {"WriteCount", 0x3004, TPI_SORT_WRITE, true, TPI_TYPE_OUTPUT, "Count_Output, Output",
        TPI_WRITE_GENERIC, 0x3004, {COUNT("value")}, NO_SLOTS, "writes how much"},
    [TPI_WRITE_STRING] = {"WriteString", 0x3005, TPI_SORT_WRITE, true, TPI_TYPE_OUTPUT, "String_Output, Output",
        TPI_WRITE_GENERIC, 0x3005, {TEXT("text")}, NO_SLOTS, "writes a text"},
    [TPI_WRITE_BUFFER] = {"WriteBuffer", 0x3006, TPI_SORT_WRITE, true, TPI_TYPE_OUTPUT, "Buffer_Output, Output",
        TPI_WRITE_GENERIC, 0x3006, {BYTES("bytes")}, NO_SLOTS, "writes bytes"},
    [TPI_INDICATE_TRIGGER] = {"IndicateTrigger", 0x3007, TPI_SORT_WRITE, true, TPI_TYPE_OUTPUT,
        "Indicator, Digital_Output, Output", TPI_WRITE_DIGITAL, 0x3002, {BOOL("value")}, NO_SLOTS,
        "switches an indicator"},
    [TPI_INDICATE_VALUE] = {"IndicateValue", 0x3008, TPI_SORT_WRITE, true, TPI_TYPE_ANALOG_OUTPUT,
        "Indicator, Analog_Output, Output", TPI_WRITE_ANALOG, 0x3003, {PERCENT("value")}, NO_SLOTS,
        "shows 0 to 100 on an indicator"},
    [TPI_DISPLAY_VALUE] = {"DisplayValue", 0x3009, TPI_SORT_WRITE, true, TPI_TYPE_ANALOG_OUTPUT,
        "Display, Analog_Output, Output", TPI_DISPLAY_STRING, 0x3003, {PLAIN("value")}, NO_SLOTS,
        "shows a number"},
    [TPI_DISPLAY_STRING] = {"DisplayString", 0x300A, TPI_SORT_WRITE, true, TPI_TYPE_OUTPUT,
        "Display, String_Output, Output", TPI_WRITE_STRING, 0x300A, {TEXT("text")}, NO_SLOTS, "shows a text"},
    [TPI_MOVE_POWER] = {"MovePower", 0x300B, TPI_SORT_WRITE, true, TPI_TYPE_LOCOMOTOR,
        "LocoMotor, Motor, Analog_Output, Output", TPI_WRITE_ANALOG, 0x300B, {SIGNED("power")}, NO_SLOTS,
        "turns a motor with -100 to 100"},
    [TPI_DRIVE] = {"Drive", 0x300C, TPI_SORT_WRITE, true, TPI_TYPE_DRIVE_AXIS,
        "DriveAxis, LocoMotor, Motor, Output", TPI_MOVE_MOTORS, 0x300C, {SIGNED("power"), SIGNED("turn")}, NO_SLOTS,
        "drives with power and turn; turn above 0 is left"},
    [TPI_WRITE_PWM] = {"WritePWM", 0x300D, TPI_SORT_WRITE, true, TPI_TYPE_ANALOG_OUTPUT,
        "PWM, Analog_Output, Output", TPI_WRITE_ANALOG, 0x3003, {PERCENT("value")}, NO_SLOTS,
        "sets the duty of a pulsed output"},
    [TPI_WRITE_SERVO] = {"WriteServo", 0x300E, TPI_SORT_WRITE, true, TPI_TYPE_ANALOG_OUTPUT,
        "Servo, Analog_Output, Output", TPI_WRITE_ANALOG, 0x3003, {PLAIN("degrees")}, NO_SLOTS,
        "turns a servo to an angle"},
    [TPI_TONE] = {"Tone", 0x300F, TPI_SORT_WRITE, true, TPI_TYPE_OUTPUT, "Speaker, Output", NONE, 0x3001,
        {{"hz", TPI_KIND_DOUBLE, 0, 100000, 0}, {"ms", TPI_KIND_DOUBLE, 0, 65535, 0}}, NO_SLOTS, "plays a tone"},
    [TPI_MOVE_MOTORS] = {"MoveMotors", 0x3010, TPI_SORT_WRITE, true, TPI_TYPE_DRIVE_AXIS,
        "DriveAxis, LocoMotor, Motor, Output", TPI_MOVE_POWER, 0x300B, {SIGNED("left"), SIGNED("right")}, NO_SLOTS,
        "turns both wheels with -100 to 100"},
    [TPI_GO_TO] = {"GoTo", 0x3011, TPI_SORT_WRITE, true, TPI_TYPE_DRIVE_AXIS, "DriveAxis, LocoMotor, Output", NONE, 0x300C,
        {PLAIN("x"), PLAIN("y"), PLAIN("theta")}, NO_SLOTS, "drives to a pose"},
    [TPI_STOP] = {"Stop", 0x3012, TPI_SORT_CONTROL, true, TPI_TYPE_OUTPUT, "Output", NONE, 0,
        NO_SLOTS, NO_SLOTS, "stops a device, or everything that moves"},
    [TPI_SETUP_CHANNEL] = {"SetupChannel", 0x4000, TPI_SORT_CHANNEL, true, TPI_TYPE_OUTPUT, "Channel", NONE, 0x4000,
        {TEXT("name")}, NO_SLOTS, "opens a channel"},
    [TPI_READ_MESSAGE] = {"ReadMessage", 0x4001, TPI_SORT_CHANNEL, true, TPI_TYPE_INPUT, "Channel, Input", NONE, 0x4001,
        NO_SLOTS, {TEXT("text")}, "takes a message from a channel"},
    [TPI_WRITE_MESSAGE] = {"WriteMessage", 0x4002, TPI_SORT_CHANNEL, true, TPI_TYPE_OUTPUT, "Channel, Output", NONE, 0x4002,
        {TEXT("text")}, NO_SLOTS, "sends a message to a channel"},
    [TPI_CHECK_STATUS] = {"CheckStatus", 0x4003, TPI_SORT_CHANNEL, true, TPI_TYPE_GENERAL, "Channel", NONE, 0x4003,
        NO_SLOTS, {COUNT("value")}, "counts the messages that wait; -1 without a channel"},
    [TPI_EXTENDED] = {"Extended", 0x5000, TPI_SORT_RAW, false, TPI_TYPE_GENERAL, "", NONE, 0,
        {BYTES("bytes")}, {BYTES("bytes")}, "extensions of the server"},
    [TPI_RAW] = {"Raw", 0x6000, TPI_SORT_RAW, false, TPI_TYPE_GENERAL, "", NONE, 0,
        {BYTES("bytes")}, {BYTES("bytes")}, "native bytes to the robot and back"},
};

static const struct {
    const char *name;
    tpi_command command;
} aliases[] = {
    {"MotorPower", TPI_MOVE_POWER},     {"OutputMotorPower", TPI_MOVE_POWER},
    {"OutputDigital", TPI_WRITE_DIGITAL}, {"DigitalInput", TPI_READ_DIGITAL},
    {"GenericInput", TPI_READ_GENERIC}, {"GenericOutput", TPI_WRITE_GENERIC},
    {"RobotRaw", TPI_RAW},              {"URAPIExtended", TPI_EXTENDED},
};

static const struct {
    unsigned number;
    const char *name;
} types[] = {
    {TPI_TYPE_GENERAL, "General"},             {TPI_TYPE_INPUT, "Input"},
    {TPI_TYPE_DIGITAL_INPUT, "Digital_Input"}, {TPI_TYPE_ANALOG_INPUT, "Analog_Input"},
    {TPI_TYPE_OUTPUT, "Output"},               {TPI_TYPE_DIGITAL_OUTPUT, "Digital_Output"},
    {TPI_TYPE_ANALOG_OUTPUT, "Analog_Output"}, {TPI_TYPE_LOCOMOTOR, "LocoMotor"},
    {TPI_TYPE_DRIVE_AXIS, "DriveAxis"},
};
/* clang-format on */

enum { THESIS_MOTOR_POWER = 0x3302 }; /* the second code of MovePower */

const tpi_entry *tpi_dictionary_entry(tpi_command command)
{
    return &entries[command];
}

tpi_command tpi_dictionary_code(uint16_t code)
{
    if (code == THESIS_MOTOR_POWER) {
        return TPI_MOVE_POWER;
    }
    for (int i = 0; i < TPI_COMMANDS; i++) {
        if (entries[i].code == code) {
            return (tpi_command)i;
        }
    }
    return TPI_COMMANDS;
}

static const char *skip(const char *text)
{
    while (*text == ' ' || *text == '_') {
        text++;
    }
    return text;
}

bool tpi_word_equal(const char *a, const char *b)
{
    for (a = skip(a), b = skip(b); *a != '\0' && *b != '\0'; a = skip(a + 1), b = skip(b + 1)) {
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) {
            return false;
        }
    }
    return *a == *b;
}

uint32_t tpi_word_mark(const char *word)
{
    uint32_t mark = 2166136261U;

    for (word = skip(word); *word != '\0'; word = skip(word + 1)) {
        mark = (mark ^ (uint32_t)tolower((unsigned char)*word)) * 16777619U;
    }
    return mark;
}

tpi_command tpi_dictionary_named(const char *name)
{
    for (int i = 0; i < TPI_COMMANDS; i++) {
        if (tpi_word_equal(entries[i].name, name)) {
            return (tpi_command)i;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (tpi_word_equal(aliases[i].name, name)) {
            return aliases[i].command;
        }
    }
    return TPI_COMMANDS;
}

unsigned tpi_entry_value_count(const tpi_entry_value *slots)
{
    unsigned count = 0;

    while (slots[count].name != NULL) {
        count++;
    }
    return count;
}

const char *tpi_dictionary_type(unsigned number)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].number == number) {
            return types[i].name;
        }
    }
    return NULL;
}

int tpi_dictionary_type_number(const char *type)
{
    int number = 0;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (tpi_word_equal(types[i].name, type)) {
            return (int)types[i].number;
        }
    }
    for (; isdigit((unsigned char)*type) && number < TPI_TYPE_ALL; type++) {
        number = 10 * number + (*type - '0');
    }
    return *type == '\0' && number >= TPI_TYPE_FIRST_OWN && number < TPI_TYPE_ALL ? number : -1;
}

const char *tpi_dictionary_type_of(tpi_command command)
{
    return tpi_dictionary_type((unsigned)entries[command].type);
}

tpi_risk tpi_dictionary_risk(tpi_command command)
{
    if ((command >= TPI_READ_GENERIC && command <= TPI_READ_COUNT) || command == TPI_NO_OP ||
        command == TPI_WAIT_TIME || command == TPI_WAIT_TRIGGER) {
        return TPI_RISK_LOOK;
    }
    if (command == TPI_INDICATE_TRIGGER || command == TPI_INDICATE_VALUE ||
        command == TPI_DISPLAY_VALUE || command == TPI_DISPLAY_STRING || command == TPI_TONE) {
        return TPI_RISK_RUN;
    }
    return entries[command].sort == TPI_SORT_WRITE || command == TPI_SETUP_OUTPUT ||
                   command == TPI_RAW
               ? TPI_RISK_MOVE
               : TPI_RISK_RUN;
}

bool tpi_kind_is_text(tpi_kind kind)
{
    return kind == TPI_KIND_TEXT || kind == TPI_KIND_BYTES;
}

const char *tpi_kind_name(tpi_kind kind)
{
    static const char *const names[] = {"none", "bool",   "u8",     "u16",
                                        "i32",  "double", "string", "bytes"};

    return names[kind];
}

const char *tpi_comparison_text(unsigned comparison)
{
    static const char *const texts[TPI_COMPARISONS] = {"below the value",
                                                       "at most the value",
                                                       "equal to the value",
                                                       "at least the value",
                                                       "above the value",
                                                       "not equal to the value",
                                                       "becomes true: not 0, and 0 before",
                                                       "becomes false: 0, and not 0 before"};

    return comparison < TPI_COMPARISONS ? texts[comparison] : "";
}
