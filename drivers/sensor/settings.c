/*
 * settings.c - conversions and modes of a sensor: what is wanted, what they are, and what they were
 * when the same sensor was plugged in before; see sensor.h.
 *
 * A sensor is known by its uuid and its serial number. One that is new gets the settings that its
 * manifest has as defaults, since another program may have changed them.
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sensor.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

static struct sensor_memory *find_memory(struct sensor *s)
{
    struct sensor_settings *settings = &s->settings;

    for (unsigned i = 0; i < SENSOR_MEMORIES; i++) {
        struct sensor_memory *m = &settings->memories[i];
        if (m->uuid[0] != '\0' && strncmp(m->uuid, s->manifest->uuid, sizeof m->uuid - 1) == 0 &&
            strncmp(m->serial, s->manifest->serial_no, sizeof m->serial - 1) == 0) {
            return m;
        }
    }
    return NULL;
}

/* The oldest one is forgotten for a new sensor. */
static void remember(struct sensor *s)
{
    struct sensor_memory *m = find_memory(s);

    if (m == NULL) {
        m = &s->settings.memories[s->settings.newest++ % SENSOR_MEMORIES];
        (void)snprintf(m->uuid, sizeof m->uuid, "%s", s->manifest->uuid);
        (void)snprintf(m->serial, sizeof m->serial, "%s", s->manifest->serial_no);
    }
    for (unsigned i = 0; i < s->count; i++) {
        m->conversions[i] =
            (uint8_t)(s->channels[i].conversion - s->channels[i].transducer->conversions);
        memcpy(m->modes[i], s->channels[i].modes, sizeof m->modes[i]);
    }
}

/* The conversion of a sensor that has not been here before: with `convert` the first one with a
 * unit instead of raw numbers. */
static unsigned first_conversion(const struct sensor *s, const tpi_transducer *t)
{
    const bool converts = tp_param_bool(s->self, "convert") && t->type != TPI_CHANNEL_ACTUATOR &&
                          t->conversions[t->start].unit == TPI_UNIT_RAW;

    for (unsigned i = 0; i < t->conversion_count && converts; i++) {
        if (t->conversions[i].unit != TPI_UNIT_RAW) {
            return i;
        }
    }
    return t->start;
}

void tpi_sensor_recall(struct sensor *s)
{
    const struct sensor_memory *m = find_memory(s);

    for (unsigned i = 0; i < s->count; i++) {
        struct sensor_channel *c = &s->channels[i];
        const tpi_transducer *t = c->transducer;
        const unsigned place = m != NULL ? m->conversions[i] : first_conversion(s, t);
        if (t->conversion_count > 1 && place < t->conversion_count) {
            c->conversion = &t->conversions[place];
            c->conversion_wanted = c->conversion->index;
        }
        for (unsigned k = 0; k < t->mode_count; k++) {
            c->modes[k] = c->modes_wanted[k] = m != NULL ? m->modes[i][k] : t->modes[k].start;
            c->is_mode_wanted[k] = true;
        }
    }
}

/* ---- Setting --------------------------------------------------------------------------------- */

/* The next command; false for none. */
static bool next_command(struct sensor *s, char *out, size_t size)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct sensor_channel *c = &s->channels[i];
        if (c->conversion_wanted != 0) {
            (void)snprintf(out, size, "S,C,%u,%u", c->conversion_wanted, c->transducer->channel);
            c->conversion_wanted = 0;
            return true;
        }
        for (unsigned k = 0; k < c->transducer->mode_count; k++) {
            char number[TPI_NUMBER_SIZE];
            if (!c->is_mode_wanted[k]) {
                continue;
            }
            tpi_number_put_f64(number, tpi_scaling_round(c->modes_wanted[k], 1e-6));
            (void)snprintf(out, size, "S,M,%u,%s,%u", c->transducer->modes[k].index, number,
                           c->transducer->channel);
            c->is_mode_wanted[k] = false;
            return true;
        }
    }
    return false;
}

bool tpi_sensor_ask_setting(struct sensor *s, int64_t now_ns)
{
    struct sensor_settings *settings = &s->settings;

    if (!next_command(s, settings->command, sizeof settings->command)) {
        return false;
    }
    settings->is_asked = true;
    s->asked = -1;
    tpi_sensor_host_ask(s->host, settings->command, now_ns);
    return true;
}

void tpi_sensor_setting_answer(struct sensor *s)
{
    struct sensor_settings *settings = &s->settings;

    if (!settings->is_asked) {
        return;
    }
    settings->is_asked = false;
    if (tpi_sensor_host_state_of(s->host) == TPI_HOST_DONE) {
        tpi_sensor_note_setting(s, settings->command);
    } else {
        tp_instance_note(s->self, "the sensor refuses a setting");
        tpi_sensor_describe(s); /* properties say what it is */
    }
    tpi_sensor_tell_state(s); /* GET_CHANNELS has other settings, perhaps another unit */
}

/* The channel has the setting of the command; false if it is none. */
static bool take_setting(struct sensor *s, const char *text)
{
    double numbers[3] = {0};
    const char *at = text + 4;
    unsigned count = 0;

    if (strncmp(text, "S,C,", 4) != 0 && strncmp(text, "S,M,", 4) != 0) {
        return false;
    }
    while (count < 3) {
        const size_t used = tpi_number_read_f64(at, strlen(at), &numbers[count]);
        count++;
        if (used == 0 || at[used] != ',') {
            break;
        }
        at += used + 1;
    }
    for (unsigned i = 0; i < s->count; i++) {
        struct sensor_channel *c = &s->channels[i];
        if (c->transducer->channel != (unsigned)numbers[count - 1]) {
            continue;
        }
        for (unsigned k = 0; text[2] == 'C' && k < c->transducer->conversion_count; k++) {
            if (c->transducer->conversions[k].index == (unsigned)numbers[0]) {
                c->conversion = &c->transducer->conversions[k];
            }
        }
        for (unsigned k = 0; text[2] == 'M' && k < c->transducer->mode_count; k++) {
            if (c->transducer->modes[k].index == (unsigned)numbers[0]) {
                c->modes[k] = numbers[1];
            }
        }
    }
    return true;
}

void tpi_sensor_note_setting(struct sensor *s, const char *text)
{
    if (take_setting(s, text)) {
        remember(s);
        tpi_sensor_describe(s);
        tpi_sensor_announce(s);
    }
}

void tpi_sensor_keep_settings(struct sensor *s)
{
    struct sensor_settings *settings = &s->settings;
    bool any = settings->is_asked && take_setting(s, settings->command);

    settings->is_asked = false;
    while (next_command(s, settings->command, sizeof settings->command)) {
        any = take_setting(s, settings->command) || any;
    }
    if (any) {
        remember(s);
    }
}
