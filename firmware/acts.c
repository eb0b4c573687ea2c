/*
 * acts.c - universal commands on the pins of a chip.
 *
 * A port is a type and an id, as in docs/universal-protocol.md. The ids count the pins of each type
 * (firmware/README.md); 64 more is an input with a pull-up that is yes at ground, 128 more is one
 * whose high and low are exchanged.
 */
#include "chip.h"
#include "play/tables.h"

enum {
    INPUT = 1,
    DIGITAL_INPUT = 2,
    ANALOG_INPUT = 3,
    OUTPUT = 16,
    DIGITAL_OUTPUT = 17,
    ANALOG_OUTPUT = 18,
    LOCOMOTOR = 19,
    DRIVE_AXIS = 20,
    SERVO = 64,
    EVERYTHING = 255,
};
enum { ID_PULLS_UP = 64, ID_INVERTS = 128, ID_PIN = 63 };

enum {
    NO_OP = 0x0000,
    INITIALIZE = 0x0001,
    START = 0x0002,
    END = 0x0003,
    RESET = 0x0004,
    READ_GENERIC = 0x1001,
    READ_DIGITAL = 0x1002,
    READ_ANALOG = 0x1003,
    WRITE_GENERIC = 0x3001,
    WRITE_DIGITAL = 0x3002,
    WRITE_ANALOG = 0x3003,
    INDICATE_TRIGGER = 0x3007,
    INDICATE_VALUE = 0x3008,
    MOVE_POWER = 0x300B,
    DRIVE = 0x300C,
    WRITE_PWM = 0x300D,
    WRITE_SERVO = 0x300E,
    MOVE_MOTORS = 0x3010,
    STOP = 0x3012,
    MOTOR_POWER = 0x3302, /* the thesis' code of MOVE_POWER */
};

/* clang-format off */
TPI_PLAY_ROWS(act, acts) = {
    {NO_OP, ACT_NO_PORT, KIND_NONE, 0, KIND_NONE},
    {INITIALIZE, ACT_NO_PORT, KIND_NONE, 0, KIND_NONE},
    {START, ACT_NO_PORT, KIND_WORD, 1, KIND_NONE},
    {END, ACT_NO_PORT, KIND_NONE, 0, KIND_NONE},
    {RESET, ACT_NO_PORT, KIND_NONE, 0, KIND_NONE},
    {READ_GENERIC, ANALOG_INPUT, KIND_NONE, 0, KIND_NUMBER},
    {READ_DIGITAL, DIGITAL_INPUT, KIND_NONE, 0, KIND_TRUTH},
    {READ_ANALOG, ANALOG_INPUT, KIND_NONE, 0, KIND_NUMBER},
    {WRITE_GENERIC, DIGITAL_OUTPUT, KIND_NUMBER, 1, KIND_NONE},
    {WRITE_DIGITAL, DIGITAL_OUTPUT, KIND_TRUTH, 1, KIND_NONE},
    {WRITE_ANALOG, ANALOG_OUTPUT, KIND_NUMBER, 1, KIND_NONE},
    {INDICATE_TRIGGER, DIGITAL_OUTPUT, KIND_TRUTH, 1, KIND_NONE},
    {INDICATE_VALUE, ANALOG_OUTPUT, KIND_NUMBER, 1, KIND_NONE},
    {MOVE_POWER, LOCOMOTOR, KIND_NUMBER, 1, KIND_NONE},
    {MOTOR_POWER, LOCOMOTOR, KIND_NUMBER, 1, KIND_NONE},
    {DRIVE, DRIVE_AXIS, KIND_NUMBER, 2, KIND_NONE},
    {WRITE_PWM, ANALOG_OUTPUT, KIND_NUMBER, 1, KIND_NONE},
    {WRITE_SERVO, ANALOG_OUTPUT, KIND_NUMBER, 1, KIND_NONE},
    {MOVE_MOTORS, DRIVE_AXIS, KIND_NUMBER, 2, KIND_NONE},
    {STOP, EVERYTHING, KIND_NONE, 0, KIND_NONE},
};
/* clang-format on */

/* Digital from analog: yes above 55, no below 45, else as before. */
static uint8_t levels;

bool act_find(act *out, uint16_t code)
{
    for (uint8_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        TPI_PLAY_ROW(out, &acts[i]);
        if (out->code == code) {
            return true;
        }
    }
    return false;
}

/* ---- Inputs ---- */

static uint8_t put_truth(tpi_play_cell *out, bool is_so)
{
    out->as.i = is_so;
    out->tag = TPI_PLAY_BOOL;
    return ACT_FINE;
}

static uint8_t put_percent(tpi_play_cell *out, uint16_t level, uint16_t most)
{
    out->as.f = tpi_play_quotient((float)((int32_t)level * 100), (float)most);
    out->tag = TPI_PLAY_FLOAT;
    return ACT_FINE;
}

static uint8_t read_analog(uint8_t id, bool as_truth, tpi_play_cell *out)
{
    const uint8_t channel = id & ID_PIN;

    if (channel >= BOARD_CHANNELS) {
        return ACT_BAD_VALUE;
    }
    uint16_t level = board_analog(channel);
    if ((id & ID_INVERTS) != 0) {
        level = 1023u - level;
    }
    if (!as_truth) {
        return put_percent(out, level, 1023);
    }
    const uint8_t bit = (uint8_t)(1u << channel);
    levels = level >= ((levels & bit) != 0 ? 461u : 563u) ? levels | bit : levels & (uint8_t)~bit;
    return put_truth(out, (levels & bit) != 0);
}

static uint8_t read_port(uint8_t type, uint8_t id, bool as_truth, tpi_play_cell *out)
{
    if (type == ANALOG_INPUT || type == INPUT) {
        return read_analog(id, as_truth, out);
    }
    if (type != DIGITAL_INPUT) {
        return ACT_NOT_AVAILABLE;
    }
    const uint8_t pin = id & ID_PIN;
    if (pin >= BOARD_PINS) {
        return ACT_BAD_VALUE;
    }
    const bool pulls_up = (id & ID_PULLS_UP) != 0;
    const bool is_high = board_digital(pin, pulls_up);
    const bool is_so = (is_high != pulls_up) != ((id & ID_INVERTS) != 0);
    return as_truth ? put_truth(out, is_so) : put_percent(out, is_so, 1);
}

/* ---- Outputs ---- */

/* A rounded number between two others. */
static int16_t whole(float x, int16_t low, int16_t high)
{
    const int32_t number = tpi_play_round(x);

    return number < low ? low : number > high ? high : (int16_t)number;
}

static void move(uint8_t motor, int16_t duty)
{
    duty = duty > 255 ? 255 : duty < -255 ? -255 : duty;
    board_motor(motor, duty < 0, (uint8_t)(duty < 0 ? -duty : duty));
}

/* Two wheels; the ratio stays if one would be over 100 percent, which are 255. */
static void drive(float left, float right)
{
    int16_t a = whole(left * 2.55f, -510, 510), b = whole(right * 2.55f, -510, 510);
    const int16_t more = a < 0 ? -a : a, other = b < 0 ? -b : b;
    const int16_t most = more > other ? more : other;

    if (most > 255) {
        a = (int16_t)((int32_t)a * 255 / most);
        b = (int16_t)((int32_t)b * 255 / most);
    }
    move(0, a);
    move(1, b);
}

static uint8_t write_port(uint8_t type, uint8_t id, bool is_servo, float value)
{
    const uint8_t limit = type == DIGITAL_OUTPUT || type == OUTPUT ? BOARD_PINS
                          : type == SERVO || is_servo              ? BOARD_SERVOS
                          : type == ANALOG_OUTPUT                  ? BOARD_DUTIES
                          : type == LOCOMOTOR                      ? BOARD_MOTORS + 1
                          : type == DRIVE_AXIS                     ? 1
                                                                   : 0;
    const int16_t duty = whole(value * 2.55f, -255, 255);

    if (limit == 0) {
        return ACT_NOT_AVAILABLE;
    }
    if (id >= limit) {
        return ACT_BAD_VALUE;
    }
    if (type == LOCOMOTOR && id > 0) {
        move((uint8_t)(id - 1), duty);
    } else if (type == LOCOMOTOR || type == DRIVE_AXIS) {
        move(0, duty);
        move(1, duty);
    } else if (limit == BOARD_SERVOS) {
        board_servo(id, (uint8_t)whole(value, 0, 180));
    } else if (limit == BOARD_DUTIES) {
        board_duty(id, duty < 0 ? 0 : (uint8_t)duty);
    } else {
        board_level(id, duty >= 128);
    }
    return ACT_FINE;
}

/* A value of the row; true is 100 percent. What is missing is 0. */
static float value_of(const act *what, const tpi_play_cell *row, uint8_t count, uint8_t index)
{
    if (index >= count || row[index].tag == TPI_PLAY_TEXT) {
        return 0.0f;
    }
    if (what->kind == KIND_TRUTH || row[index].tag == TPI_PLAY_BOOL) {
        return row[index].as.bits << 1 != 0 ? 100.0f : 0.0f;
    }
    return tpi_play_float(&row[index]);
}

uint8_t act_do(const act *what, uint8_t type, uint8_t id, tpi_play_cell *row, uint8_t count)
{
    const float first = value_of(what, row, count, 0), second = value_of(what, row, count, 1);

    switch (what->code) {
    case NO_OP:
    case INITIALIZE:
    case START:
        return ACT_FINE;
    case READ_GENERIC:
    case READ_ANALOG:
    case READ_DIGITAL:
        return read_port(type, id, what->result == KIND_TRUTH, row);
    case DRIVE:
    case MOVE_MOTORS:
        if (type != DRIVE_AXIS && type != LOCOMOTOR) {
            return ACT_NOT_AVAILABLE;
        }
        if (what->code == DRIVE) {
            drive(first - second, first + second);
        } else {
            drive(first, second);
        }
        return ACT_FINE;
    case STOP:
        if (type != EVERYTHING) {
            return write_port(type, id, false, 0.0f);
        }
        board_off();
        return ACT_FINE;
    case END:
    case RESET:
        board_off();
        return ACT_FINE;
    default:
        return write_port(type, id, what->code == WRITE_SERVO, first);
    }
}
