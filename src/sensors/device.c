/* device.c - the device side: life, input, steps, answers; see device.h. */
#include "sensors/device.h"

#include <math.h>
#include <string.h>

#include "sensors/crc.h"
#include "sensors/device_inside.h"

void tpi_sensor_init(tpi_sensor *s, const tpi_sensor_plan *plan, const tpi_sensor_hooks *hooks,
                     void *context, tpi_sensor_cell *cells, uint16_t cell_count)
{
    memset(s, 0, sizeof *s);
    s->plan = plan;
    s->hooks = hooks;
    s->context = context;
    s->cells = cells;
    s->cell_count = cell_count;
    s->answer_after = TPI_SENSOR_NONE;
    for (uint8_t i = 0; i < plan->channel_count; i++) {
        const tpi_sensor_channel *channel = &plan->channels[i];
        s->conversion[i] = channel->conversion_start;
        for (uint8_t m = 0; m < channel->mode_count; m++) {
            s->mode[i][m] = channel->modes[m].start;
            hooks->set(context, i, m, s->mode[i][m]);
        }
        if (channel->kind == TPI_SENSOR_ACTS) { /* off: the raw number nearest to 0 */
            const tpi_scaling *scaling = &channel->conversions[0].scaling;
            s->written[i] = (int32_t)fmax(scaling->low, fmin(0, scaling->high));
            hooks->write(context, i, s->written[i]);
        }
    }
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* Reset buffers and clear temporary data. */
static void clear(tpi_sensor *s)
{
    s->is_open = s->is_whole = s->is_long = false;
    s->length = s->pluses = 0;
    s->answer_length = s->answer_sent = 0;
    s->answer_after = TPI_SENSOR_NONE;
    s->check.done_number = '\0';
    tpi_sensor_log_clear(s);
    tpi_sensor_say_nothing(s);
}

static void input_outside(tpi_sensor *s, char c)
{
    s->pluses = c == '+' ? (uint8_t)(s->pluses + 1) : 0;
    if (s->pluses == 3) {
        clear(s);
    }
}

/* A command that comes while another one waits takes its place: a host has one outstanding. */
static void input_byte(tpi_sensor *s, char c)
{
    if (c == '<') {
        s->is_open = true;
        s->is_whole = s->is_long = false;
        s->length = s->pluses = 0;
    } else if (!s->is_open) {
        input_outside(s, c);
    } else if (c == '>') {
        s->is_open = false;
        s->is_whole = true;
    } else if (s->length < TPI_SENSOR_COMMAND) {
        s->command[s->length++] = c;
    } else {
        s->is_long = true;
    }
}

void tpi_sensor_input(tpi_sensor *s, const char *bytes, uint16_t length)
{
    for (uint16_t i = 0; i < length; i++) {
        input_byte(s, bytes[i]);
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void answer_bytes(tpi_sensor *s, const char *bytes, uint8_t length)
{
    for (uint8_t i = 0; i < length && s->answer_length < TPI_SENSOR_ANSWER; i++) {
        s->answer[s->answer_length++] = bytes[i];
    }
}

void tpi_sensor_answer_text(tpi_sensor *s, const char *text)
{
    answer_bytes(s, text, (uint8_t)strlen(text));
}

void tpi_sensor_answer_whole(tpi_sensor *s, uint64_t value)
{
    char text[20];

    answer_bytes(s, text, tpi_sensor_put_whole(text, value));
}

void tpi_sensor_answer_number(tpi_sensor *s, double value, uint8_t places)
{
    char text[32];

    answer_bytes(s, text, tpi_sensor_put_number(text, value, places));
}

static void answer_bad(tpi_sensor *s)
{
    enum { SHOWN = 32 };

    s->answer_length = 0;
    tpi_sensor_answer_text(s, "!!!,");
    for (uint8_t i = 0; i < s->length && i < SHOWN; i++) {
        const char c = s->command[i];
        const char shown = c >= ' ' && c <= '~' ? c : '?';
        answer_bytes(s, &shown, 1);
    }
}

/* ---- Channels -------------------------------------------------------------------------------- */

uint8_t tpi_sensor_channel_at(const tpi_sensor *s, uint64_t number)
{
    for (uint8_t i = 0; i < s->plan->channel_count; i++) {
        if (s->plan->channels[i].number == number) {
            return i;
        }
    }
    return TPI_SENSOR_NONE;
}

const tpi_sensor_conversion *tpi_sensor_conversion_of(const tpi_sensor *s, uint8_t channel)
{
    return &s->plan->channels[channel].conversions[s->conversion[channel]];
}

int32_t tpi_sensor_raw(const tpi_sensor_conversion *conversion, double value)
{
    return (int32_t)tpi_scaling_round(tpi_scaling_invert(&conversion->scaling, value), 1);
}

double tpi_sensor_value(tpi_sensor *s, uint8_t channel)
{
    const bool acts = s->plan->channels[channel].kind == TPI_SENSOR_ACTS;
    const int32_t raw = acts ? s->written[channel] : s->hooks->read(s->context, channel, s->now_us);

    return tpi_scaling_value(&tpi_sensor_conversion_of(s, channel)->scaling, raw);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static uint8_t hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? (uint8_t)(c - '0')
           : c >= 'A' && c <= 'F' ? (uint8_t)(c - 'A' + 10)
                                  : TPI_SENSOR_NONE;
}

/* The number that `count` digits stand for; false if they are none. */
static bool read_hex(const char *digits, uint8_t count, uint16_t *out)
{
    *out = 0;
    for (uint8_t i = 0; i < count; i++) {
        const uint8_t digit = hex_digit(digits[i]);
        if (digit == TPI_SENSOR_NONE) {
            return false;
        }
        *out = (uint16_t)(*out << 4 | digit);
    }
    return true;
}

/* "*nHHHH" at the end: a number and the CRC of everything before the digits. The number is a small
 * letter, which no command has: one that has lost its * is no command. */
static bool has_number(tpi_sensor *s, bool *is_right)
{
    const uint8_t at = (uint8_t)(s->length - 6);
    uint16_t told;

    if (s->length < 6 || s->command[at] != '*' || s->command[at + 1] < 'a' ||
        s->command[at + 1] > 'z' || !read_hex(s->command + at + 2, 4, &told)) {
        return false;
    }
    s->check.crc = TPI_SENSOR_CRC_START;
    for (uint8_t i = 0; i < at + 2; i++) {
        s->check.crc = tpi_sensor_crc(s->check.crc, s->command[i]);
    }
    s->check.number = s->command[at + 1];
    *is_right = told == s->check.crc;
    return true;
}

/* "*HH" at the end: the exclusive or of everything before it. */
static bool has_sum(const tpi_sensor *s, bool *is_right)
{
    uint8_t sum = 0;
    uint16_t told;

    if (s->length < 3 || s->command[s->length - 3] != '*') {
        return false;
    }
    for (uint8_t i = 0; i + 3 < s->length; i++) {
        sum ^= (uint8_t)s->command[i];
    }
    *is_right = read_hex(s->command + s->length - 2, 2, &told) && told == sum;
    return true;
}

bool tpi_sensor_is_repeated(const tpi_sensor *s)
{
    return s->check.answer == TPI_CHECKS_NUMBER && s->check.number == s->check.done_number &&
           s->check.crc == s->check.done_crc;
}

void tpi_sensor_note_done(tpi_sensor *s)
{
    s->check.done_number = s->check.answer == TPI_CHECKS_NUMBER ? s->check.number : '\0';
    s->check.done_crc = s->check.crc;
}

/* A refusal has a number only if the command came as it was sent: a host believes no other. */
static void carry_out(tpi_sensor *s)
{
    bool is_right = true;

    s->check.answer = has_number(s, &is_right) ? TPI_CHECKS_NUMBER
                      : has_sum(s, &is_right)  ? TPI_CHECKS_SUM
                                               : TPI_CHECKS_NOT;
    const uint8_t length =
        (uint8_t)(s->length - 3 * s->check.answer); /* 3 bytes, 6 with a number */
    if (s->check.answer == TPI_CHECKS_NUMBER && (s->is_long || !is_right)) {
        s->check.answer = TPI_CHECKS_NOT;
    }
    s->is_whole = false;
    s->answer_length = s->answer_sent = 0;
    s->answer_after = TPI_SENSOR_NONE;
    s->command[s->length] = '\0';
    if (s->is_long || !is_right || !tpi_sensor_command(s, s->command, length)) {
        s->answer_after = TPI_SENSOR_NONE;
        answer_bad(s);
    }
}

bool tpi_sensor_step(tpi_sensor *s, uint64_t now_us)
{
    bool worked;

    s->now_us = now_us;
    worked = tpi_sensor_log_advance(s);
    if (s->is_whole && tpi_sensor_say_idle(s)) {
        carry_out(s);
        worked = true;
    }
    return tpi_sensor_say(s) || worked;
}
