/* board.c - pins of an Arduino Uno and the robot around it; see board.h. */
#include "emulate/board.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double full_mps = 0.4; /* of a wheel at full duty */
enum { FULL = 1023, MOST_DUTY = 255, BUZZ = 1000 };

static const char *const part_names[BOARD_PARTS] = {
    [BOARD_NOTHING] = "none",
    [BOARD_LIGHT_LEFT] = "light_left",
    [BOARD_LIGHT_RIGHT] = "light_right",
    [BOARD_LINE] = "line",
    [BOARD_RANGE] = "range",
    [BOARD_BUMP_LEFT] = "bump_left",
    [BOARD_BUMP_RIGHT] = "bump_right",
    [BOARD_LED] = "led",
    [BOARD_BUZZER] = "buzzer",
};

/* ---- Pins ------------------------------------------------------------------------------------ */

bool tpi_board_is_digital(unsigned pin)
{
    return pin >= 2 && pin < BOARD_PINS;
}

bool tpi_board_is_analog(unsigned pin)
{
    return pin >= BOARD_FIRST_ANALOG && pin < BOARD_PINS;
}

bool tpi_board_is_pwm(unsigned pin)
{
    return pin == 3 || pin == 5 || pin == 6 || pin == 9 || pin == 10 || pin == 11;
}

/* How much of the time an output is high, from 0 to 1. */
static double duty_of(const struct board *board, unsigned pin)
{
    switch (board->mode[pin]) {
    case BOARD_PWM:
        return fmin(board->value[pin], MOST_DUTY) / MOST_DUTY;
    case BOARD_OUTPUT:
        return board->value[pin] != 0 ? 1 : 0;
    default:
        return 0;
    }
}

/* ---- Wiring ---------------------------------------------------------------------------------- */

static bool read_pin(const char *text, char **end, unsigned *pin)
{
    const bool analog = text[0] == 'A';
    const unsigned long number = strtoul(text + (analog ? 1 : 0), end, 10);

    *pin = (unsigned)number + (analog ? BOARD_FIRST_ANALOG : 0);
    return *end != text + (analog ? 1 : 0) && number < BOARD_PINS && *pin < BOARD_PINS;
}

/* "5,4": speed and direction; "5": speed alone. */
static tp_status wire_motor(struct board *board, unsigned side, const char *pins, tp_error *err)
{
    char *end = NULL;
    unsigned speed = 0;
    unsigned direction = BOARD_NO_PIN;

    if (!read_pin(pins, &end, &speed) || (*end == ',' && !read_pin(end + 1, &end, &direction)) ||
        *end != '\0') {
        return tp_fail(err, TP_E_INVALID, "\"%.20s\" are no pins of a motor, as 5,4 and 9 are",
                       pins);
    }
    board->speed_pin[side] = (uint8_t)speed;
    board->direction_pin[side] = (uint8_t)direction;
    return TP_OK;
}

tp_status tpi_board_wire(struct board *board, const char *slot, const char *part, tp_error *err)
{
    char *end = NULL;
    unsigned pin = 0;

    if (strcmp(slot, "left") == 0 || strcmp(slot, "right") == 0) {
        return wire_motor(board, slot[0] == 'l' ? 0 : 1, part, err);
    }
    if (!read_pin(slot, &end, &pin) || *end != '\0') {
        return tpi_emu_no_slot(slot, "0 to 19, A0 to A5, left and right", err);
    }
    for (unsigned i = 0; i < BOARD_PARTS; i++) {
        if (strcmp(part_names[i], part) == 0) {
            board->part[pin] = (enum board_part)i;
            return TP_OK;
        }
    }
    return tpi_emu_no_part(part,
                           "light_left, light_right, line, range, bump_left, bump_right, led, "
                           "buzzer, none",
                           err);
}

tp_status tpi_board_start(tpi_emu *emu, struct board *board, tp_error *err)
{
    static const char *const usual[][2] = {
        {"left", "5,4"}, {"right", "6,7"}, {"A0", "light_left"}, {"A1", "light_right"},
        {"A2", "line"},  {"A3", "range"},  {"2", "bump_left"},   {"8", "bump_right"},
        {"13", "led"},   {"11", "buzzer"}};
    struct tpi_emu_part parts[BOARD_PARTS - 1];

    for (unsigned i = 1; i < BOARD_PARTS; i++) {
        parts[i - 1] = (struct tpi_emu_part){&board->models[i], part_names[i]};
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        (void)tpi_board_wire(board, usual[i][0], usual[i][1], NULL);
    }
    return tpi_emu_find_parts(emu, parts, BOARD_PARTS - 1, err);
}

/* ---- Outputs --------------------------------------------------------------------------------- */

static double wheel_speed(const struct board *board, unsigned side)
{
    const unsigned direction = board->direction_pin[side];
    const bool back = direction != BOARD_NO_PIN && board->mode[direction] == BOARD_OUTPUT &&
                      board->value[direction] != 0;
    const double mps = full_mps * duty_of(board, board->speed_pin[side]);

    return back ? -mps : mps;
}

static void apply(tpi_emu *emu, struct board *board, unsigned pin)
{
    const double duty = duty_of(board, pin);

    if (board->part[pin] == BOARD_LED) {
        const uint32_t bright = (uint32_t)lround(255 * duty);
        tpi_body_lamp(&emu->body, board->models[BOARD_LED], bright << 16 | bright << 8);
    } else if (board->part[pin] == BOARD_BUZZER) {
        tpi_body_tone(&emu->body, board->models[BOARD_BUZZER], duty > 0 ? BUZZ : 0, 3600);
    }
    tpi_body_drive(&emu->body, wheel_speed(board, 0), wheel_speed(board, 1));
}

void tpi_board_write(tpi_emu *emu, struct board *board, unsigned pin, uint16_t value)
{
    board->value[pin] = value;
    apply(emu, board, pin);
}

void tpi_board_tone(tpi_emu *emu, struct board *board, unsigned pin, double hertz, double seconds)
{
    if (board->part[pin] == BOARD_BUZZER) {
        tpi_body_tone(&emu->body, board->models[BOARD_BUZZER], hertz, seconds);
    }
}

void tpi_board_reset(tpi_emu *emu, struct board *board, enum board_mode digital)
{
    for (unsigned pin = 0; pin < BOARD_PINS; pin++) {
        board->mode[pin] = tpi_board_is_analog(pin) ? BOARD_ANALOG : digital;
        tpi_board_write(emu, board, pin, 0);
    }
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

static double volts_of_range(double metres)
{
    return metres < HUGE_VAL ? fmin(0.27 / (metres + 0.017), 3.1) : 0.2;
}

/* What an analog part gives, from 0 to 1; negative for another part. */
static double share_of(tpi_emu *emu, const struct board *board, unsigned pin)
{
    const enum board_part part = board->part[pin];
    const tpi_sim_model model = board->models[part];

    switch (part) {
    case BOARD_LIGHT_LEFT:
    case BOARD_LIGHT_RIGHT:
        return tpi_body_light(&emu->body, model, 0);
    case BOARD_LINE:
        return tpi_body_floor(&emu->body, model, 0);
    case BOARD_RANGE:
        return volts_of_range(tpi_body_range(&emu->body, model, 0)) / 5;
    default:
        return -1;
    }
}

bool tpi_board_digital(tpi_emu *emu, const struct board *board, unsigned pin)
{
    const enum board_part part = board->part[pin];

    if (board->mode[pin] != BOARD_INPUT && board->mode[pin] != BOARD_PULLUP) {
        return duty_of(board, pin) > 0.5;
    }
    if ((part == BOARD_BUMP_LEFT || part == BOARD_BUMP_RIGHT) &&
        tpi_body_button(&emu->body, board->models[part])) {
        return false;
    }
    const double share = share_of(emu, board, pin);
    return share >= 0 ? share > 0.5 : board->mode[pin] == BOARD_PULLUP;
}

unsigned tpi_board_analog(tpi_emu *emu, const struct board *board, unsigned channel)
{
    const unsigned pin = BOARD_FIRST_ANALOG + channel;
    const double share = share_of(emu, board, pin);

    if (share >= 0) {
        return (unsigned)(FULL * fmin(share, 1));
    }
    return tpi_board_digital(emu, board, pin) ? FULL : 0;
}
