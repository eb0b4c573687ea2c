/*
 * device_command.c - commands of the device side; see device.h.
 *
 * Commas can be left out where exactly one reading fits the plan. With all commas behind the
 * letters the numbers are taken as they are cut. Otherwise every way to cut the digits into numbers
 * is tried, and counted if channel, mode, value and conversion exist; a command with one such
 * reading is carried out, one with two or none is refused.
 */
#include <math.h>

#include "sensors/device_inside.h"

enum { MOST_NUMBERS = 3 };

/* A command, as far as its letters say it. */
enum kind { READ, TRIGGER, WRITE, SET_MODE, SET_CONVERSION, GET_MODE, GET_CONVERSION };

/* A reading of a command: everything is a place in the plan. */
struct reading {
    uint8_t kind;
    uint8_t channel, mode, conversion;
    bool has_channel;
    double value;
};

struct parsing {
    tpi_sensor *sensor;
    const char *text;
    uint8_t length;
    uint8_t kind;
    double numbers[MOST_NUMBERS];
    uint8_t count;
    uint8_t readings; /* found so far; 2 stands for several */
    struct reading found;
};

/* ---- What a list of numbers means ------------------------------------------------------------ */

/* The channel is the number at this place, if there are so many numbers. */
static bool read_channel(const struct parsing *p, struct reading *r, uint8_t place)
{
    double number = p->sensor->plan->default_channel;

    r->has_channel = place < p->count;
    if (r->has_channel) {
        number = p->numbers[place];
    }
    if (!(number >= 1 && number <= 99) || number != floor(number)) {
        return false;
    }
    r->channel = tpi_sensor_channel_at(p->sensor, (uint64_t)number);
    return r->channel != TPI_SENSOR_NONE;
}

static const tpi_sensor_channel *channel_of(const struct parsing *p, const struct reading *r)
{
    return &p->sensor->plan->channels[r->channel];
}

/* A number from 1 to `most` as a place. */
static bool read_place(double number, uint8_t most, uint8_t *out)
{
    if (!(number >= 1 && number <= most) || number != floor(number)) {
        return false;
    }
    *out = (uint8_t)(number - 1);
    return true;
}

static bool read_write(const struct parsing *p, struct reading *r)
{
    if (p->count < 1 || p->count > 2) {
        return false;
    }
    r->value = p->numbers[p->count - 1];
    r->has_channel = p->count == 2;
    const double number = r->has_channel ? p->numbers[0] : p->sensor->plan->default_channel;
    if (!(number >= 1 && number <= 99) || number != floor(number)) {
        return false;
    }
    r->channel = tpi_sensor_channel_at(p->sensor, (uint64_t)number);
    if (r->channel == TPI_SENSOR_NONE || channel_of(p, r)->kind != TPI_SENSOR_ACTS) {
        return false;
    }
    const tpi_scaling *scaling = &tpi_sensor_conversion_of(p->sensor, r->channel)->scaling;
    return r->value >= scaling->min && r->value <= scaling->max;
}

static bool read_set_mode(const struct parsing *p, struct reading *r)
{
    const double index = p->count == 1 ? 1 : p->numbers[0];

    if (p->count < 1 || !read_channel(p, r, 2) ||
        !read_place(index, channel_of(p, r)->mode_count, &r->mode)) {
        return false;
    }
    const tpi_sensor_mode *mode = &channel_of(p, r)->modes[r->mode];
    r->value = p->numbers[p->count == 1 ? 0 : 1];
    return r->value >= mode->min && r->value <= mode->max &&
           (!mode->is_state || r->value == floor(r->value));
}

static bool read_get_mode(const struct parsing *p, struct reading *r)
{
    return p->count <= 2 && read_channel(p, r, 1) &&
           read_place(p->count == 0 ? 1 : p->numbers[0], channel_of(p, r)->mode_count, &r->mode);
}

static bool read_numbers(const struct parsing *p, struct reading *r)
{
    *r = (struct reading){.kind = p->kind};
    switch (p->kind) {
    case READ:
    case TRIGGER:
    case GET_CONVERSION:
        return p->count <= 1 && read_channel(p, r, 0);
    case WRITE:
        return read_write(p, r);
    case SET_MODE:
        return read_set_mode(p, r);
    case SET_CONVERSION:
        return p->count >= 1 && p->count <= 2 && read_channel(p, r, 1) &&
               read_place(p->numbers[0], channel_of(p, r)->conversion_count, &r->conversion);
    case GET_MODE:
    default:
        return read_get_mode(p, r);
    }
}

/* ---- Cutting --------------------------------------------------------------------------------- */

static void try_reading(struct parsing *p)
{
    struct reading r;

    if (!read_numbers(p, &r)) {
        return;
    }
    if (p->readings == 0) {
        p->found = r;
    }
    p->readings = p->readings == 0 ? 1 : 2;
}

static uint8_t skip_blanks(const struct parsing *p, uint8_t at)
{
    while (at < p->length && p->text[at] == ' ') {
        at++;
    }
    return at;
}

/* The numbers as commas cut them. */
static void read_cut(struct parsing *p, uint8_t at)
{
    at = skip_blanks(p, at);
    while (at < p->length) {
        const uint8_t used = p->count == MOST_NUMBERS
                                 ? 0
                                 : tpi_sensor_read_number(p->text + at, (uint8_t)(p->length - at),
                                                          &p->numbers[p->count]);
        if (used == 0) {
            return;
        }
        p->count++;
        at = skip_blanks(p, (uint8_t)(at + used));
        if (at < p->length && p->text[at] != ',') {
            return;
        }
        if (at < p->length) {
            at = skip_blanks(p, (uint8_t)(at + 1));
            if (at == p->length) {
                return; /* a comma and nothing */
            }
        }
    }
    try_reading(p);
}

/* A piece of digits that can be a number by itself: no zero in front of other digits. */
static bool is_piece(const char *text, uint8_t length)
{
    const uint8_t sign = text[0] == '-';
    double ignored;

    return tpi_sensor_read_number(text, length, &ignored) == length &&
           !(length > sign + 1 && text[sign] == '0' && text[sign + 1] != '.');
}

/* Every way to cut the digits from `at` on. Three numbers at most: the depth is bounded. */
static void try_cuts(struct parsing *p, uint8_t at)
{
    if (at == p->length) {
        try_reading(p);
        return;
    }
    if (p->count == MOST_NUMBERS) {
        return;
    }
    for (uint8_t end = (uint8_t)(at + 1); end <= p->length && p->readings < 2; end++) {
        if (!is_piece(p->text + at, (uint8_t)(end - at))) {
            continue;
        }
        if (end < p->length && p->text[end] == '.') {
            continue; /* the point belongs to this number */
        }
        (void)tpi_sensor_read_number(p->text + at, (uint8_t)(end - at), &p->numbers[p->count]);
        p->count++;
        uint8_t next = end;
        if (next < p->length && p->text[next] == ',') {
            next = skip_blanks(p, (uint8_t)(next + 1));
            next = next == p->length ? (uint8_t)(p->length + 1) : next;
        }
        if (next <= p->length) {
            try_cuts(p, next);
        }
        p->count--;
    }
}

/* ---- Carrying out ---------------------------------------------------------------------------- */

static void answer_channel(tpi_sensor *s, const struct reading *r)
{
    if (r->has_channel) {
        tpi_sensor_answer_text(s, ",");
        tpi_sensor_answer_whole(s, s->plan->channels[r->channel].number);
    }
}

static void do_read(tpi_sensor *s, const struct reading *r)
{
    const tpi_sensor_run *run = &s->run[r->channel];

    if (run->send == TPI_SEND_READ && (run->state == TPI_RUN_RUNS || run->waiting > 0)) {
        tpi_sensor_log_flush(s, r->channel);
        s->answer_after = r->channel;
    }
    tpi_sensor_answer_text(s, "R");
    answer_channel(s, r);
    tpi_sensor_answer_text(s, ",");
    tpi_sensor_answer_number(s, tpi_sensor_value(s, r->channel),
                             tpi_sensor_conversion_of(s, r->channel)->places);
}

static void do_write(tpi_sensor *s, const struct reading *r)
{
    const tpi_sensor_conversion *conversion = tpi_sensor_conversion_of(s, r->channel);

    s->written[r->channel] = tpi_sensor_raw(conversion, r->value);
    s->hooks->write(s->context, r->channel, s->written[r->channel]);
    tpi_sensor_answer_text(s, "W");
    answer_channel(s, r);
    tpi_sensor_answer_text(s, ",");
    tpi_sensor_answer_number(s, r->value, conversion->places);
}

static void do_mode(tpi_sensor *s, const struct reading *r)
{
    double *value = &s->mode[r->channel][r->mode];

    if (r->kind == SET_MODE) {
        *value = r->value;
        s->hooks->set(s->context, r->channel, r->mode, r->value);
        tpi_sensor_answer_text(s, "S,M,");
        tpi_sensor_answer_whole(s, (uint64_t)r->mode + 1);
        tpi_sensor_answer_text(s, ",");
    } else {
        tpi_sensor_answer_text(s, "G,M,");
    }
    tpi_sensor_answer_number(s, *value, s->plan->channels[r->channel].modes[r->mode].places);
    answer_channel(s, r);
}

static void do_conversion(tpi_sensor *s, const struct reading *r)
{
    if (r->kind == SET_CONVERSION) {
        s->conversion[r->channel] = r->conversion;
    }
    tpi_sensor_answer_text(s, r->kind == SET_CONVERSION ? "S,C," : "G,C,");
    tpi_sensor_answer_whole(s, (uint64_t)s->conversion[r->channel] + 1);
    answer_channel(s, r);
}

static void carry_out(tpi_sensor *s, const struct reading *r)
{
    switch (r->kind) {
    case READ:
        do_read(s, r);
        break;
    case WRITE:
        do_write(s, r);
        break;
    case TRIGGER:
        tpi_sensor_log_trigger(s, r->has_channel ? r->channel : TPI_SENSOR_NONE);
        tpi_sensor_answer_text(s, "T");
        answer_channel(s, r);
        break;
    case SET_MODE:
    case GET_MODE:
        do_mode(s, r);
        break;
    default:
        do_conversion(s, r);
    }
}

/* ---- Letters --------------------------------------------------------------------------------- */

/* Skip a letter and the comma behind it; `full` becomes false if something else is there. */
static uint8_t skip_letter(const struct parsing *p, uint8_t at, bool *full)
{
    at++;
    if (at == p->length) {
        return at;
    }
    if (p->text[at] != ',') {
        *full = false;
        return at;
    }
    at = skip_blanks(p, (uint8_t)(at + 1));
    if (at == p->length) {
        *full = false; /* a comma and nothing: no reading has it */
        return (uint8_t)(p->length + 1);
    }
    return at;
}

/* The place of the first number, and the kind; 255 if it is no command. */
static uint8_t read_letters(struct parsing *p, bool *full)
{
    uint8_t at;

    switch (p->text[0]) {
    case 'R':
        p->kind = READ;
        return skip_letter(p, 0, full);
    case 'T':
        p->kind = TRIGGER;
        return skip_letter(p, 0, full);
    case 'W':
        p->kind = WRITE;
        return skip_letter(p, 0, full);
    case 'S':
    case 'G':
        at = skip_letter(p, 0, full);
        if (at >= p->length || (p->text[at] != 'M' && p->text[at] != 'C')) {
            return 255;
        }
        p->kind = p->text[0] == 'S' ? (p->text[at] == 'M' ? SET_MODE : SET_CONVERSION)
                                    : (p->text[at] == 'M' ? GET_MODE : GET_CONVERSION);
        return skip_letter(p, at, full);
    default:
        return 255;
    }
}

/* The whole manifest, or a chunk by its number. */
static bool do_manifest(tpi_sensor *s, const char *text, uint8_t length)
{
    uint64_t number = 0;
    const uint8_t at = length > 1 && text[1] == ',' ? 2 : 1;

    if (length > 1 &&
        (tpi_sensor_read_whole(text + at, (uint8_t)(length - at), &number) != length - at ||
         number == 0 || number > UINT16_MAX)) {
        return false;
    }
    tpi_sensor_say_manifest(s, (uint16_t)number);
    return true;
}

bool tpi_sensor_command(tpi_sensor *s, const char *text, uint8_t length)
{
    struct parsing p = {.sensor = s, .text = text, .length = length};
    bool full = true;

    if (length == 0) {
        return false;
    }
    if (text[0] == 'X') {
        return do_manifest(s, text, length);
    }
    if (text[0] == 'L') {
        return tpi_sensor_log_command(s, text, length);
    }
    const uint8_t at = read_letters(&p, &full);
    if (at > length) {
        return false;
    }
    if (full) {
        read_cut(&p, at);
    } else {
        try_cuts(&p, at);
    }
    if (p.readings != 1) {
        return false;
    }
    carry_out(s, &p.found);
    return true;
}
