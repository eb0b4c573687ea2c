/* channels.c - which channel of a sensor belongs to which device; see sensor.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sensor.h"
#include "troupe/interfaces/common.h"

static bool is_si(const struct sensor_channel *c, const char *formula)
{
    return c->conversion->unit == TPI_UNIT_SI_PRODUCT &&
           strcmp(c->conversion->si_units, formula) == 0;
}

/* A voltage is that of a battery only if the manifest says so. */
static bool is_battery(const struct sensor_channel *c)
{
    return strstr(c->transducer->name, "Battery") != NULL ||
           strstr(c->transducer->parameter, "Battery") != NULL;
}

bool tpi_sensor_channel_is(const struct sensor_channel *c, enum sensor_use use)
{
    switch (use) {
    case USE_ANALOG:
        return c->conversion->unit != TPI_UNIT_DIGITAL;
    case USE_DIGITAL:
        return c->conversion->unit == TPI_UNIT_DIGITAL;
    case USE_RANGE:
        return !c->acts && is_si(c, "m");
    case USE_ACCEL:
        return !c->acts && is_si(c, "m/s^2");
    case USE_GYRO:
        return !c->acts && is_si(c, "rad/s");
    case USE_BATTERY:
        return !c->acts && is_battery(c) &&
               (is_si(c, "V") || c->conversion->unit == TPI_UNIT_PERCENT);
    case USES:
    default:
        return false;
    }
}

double tpi_sensor_channel_si(const struct sensor_channel *c)
{
    return c->conversion->unit == TPI_UNIT_SI_PRODUCT ? c->value * pow(10, c->conversion->magnitude)
                                                      : c->value;
}

void tpi_sensor_learn(struct sensor *s)
{
    s->count = 0;
    for (unsigned i = 0; s->manifest != NULL && i < s->manifest->transducer_count; i++) {
        const tpi_transducer *t = &s->manifest->transducers[i];
        struct sensor_channel *c = &s->channels[s->count++];
        *c = (struct sensor_channel){.transducer = t,
                                     .conversion = &t->conversions[t->start],
                                     .acts = t->type == TPI_CHANNEL_ACTUATOR};
        for (unsigned k = 0; k < t->mode_count; k++) {
            c->modes[k] = t->modes[k].start;
        }
    }
    s->next = 0;
    s->asked = -1;
}

/* ---- For programs ---------------------------------------------------------------------------- */

static char listed[] = "channels"; /* messages have texts that could be changed */

/* A text without tabs and ends of lines, which divide fields. */
static void put_field(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        tpi_buf_putc(out, (unsigned char)*text < ' ' ? ' ' : *text);
    }
    tpi_buf_putc(out, '\t');
}

static void put_unit(tpi_buf *out, const struct sensor_channel *c)
{
    tpi_conversion_put_unit(c->conversion, out);
    tpi_buf_puts(out, c->conversion->unit == TPI_UNIT_RAW ? "raw" : "");
}

static void put_channel(tpi_buf *out, const struct sensor_channel *c, unsigned number)
{
    const tpi_scaling *scaling = &c->conversion->scaling;
    tpi_buf unit = {0};

    put_unit(&unit, c);
    tpi_buf_printf(out, "%s\t%u\t", c->acts ? "output" : "input", number);
    put_field(out, c->transducer->name);
    put_field(out, c->transducer->parameter);
    put_field(out, tpi_buf_text(&unit));
    tpi_buf_printf(out, "%.12g\t%.12g\t%.12g\n", scaling->min, scaling->max, scaling->resolution);
    tpi_buf_fini(&unit);
}

/* The property `channels` of a device: what it has of this use. */
static void list(struct sensor *s, tp_device *device, enum sensor_use use)
{
    tpi_buf text = {0};
    unsigned inputs = 0, outputs = 0;

    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_channel *c = &s->channels[i];
        if (tpi_sensor_channel_is(c, use)) {
            put_channel(&text, c, c->acts ? outputs++ : inputs++);
        }
    }
    const char *now = text.failed ? "" : tpi_buf_text(&text);
    s->has_news = s->has_news || strcmp(now, tp_device_property_text(device, listed)) != 0;
    (void)tp_device_set_property_text(device, listed, now);
    tpi_buf_fini(&text);
}

static void announce(tp_device *device)
{
    const char *value = device != NULL ? tp_device_property_text(device, listed) : "";
    tp_strprop_req now = {
        .key_count = sizeof listed, .key = listed, .value_count = (uint32_t)strlen(value) + 1};

    memcpy(&now.value, &value, sizeof now.value);
    if (device != NULL && tp_device_readers(device) > 0) {
        (void)tp_publish(device, TP_COMMON_DATA_PROPERTY, &now, 0);
    }
}

void tpi_sensor_announce(struct sensor *s)
{
    if (s->has_news) {
        announce(s->devices.aio);
        announce(s->devices.dio);
        s->has_news = false;
    }
}

/* ---- For people ------------------------------------------------------------------------------ */

/* "0 Light Sensor: Brightness (%), 0 to 100, resolution 1" for each channel of a list. */
static void put_list(const struct sensor *s, enum sensor_use use, bool acts, char *out, size_t size)
{
    tpi_buf text = {0};
    unsigned number = 0;

    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_channel *c = &s->channels[i];
        const tpi_scaling *scaling = &c->conversion->scaling;
        if (c->acts != acts || !tpi_sensor_channel_is(c, use)) {
            continue;
        }
        tpi_buf_printf(&text, "%s%u %s%s%s", number > 0 ? "; " : "", number, c->transducer->name,
                       c->transducer->parameter[0] != '\0' ? ": " : "", c->transducer->parameter);
        if (c->conversion->unit != TPI_UNIT_DIGITAL && c->conversion->unit != TPI_UNIT_RAW) {
            tpi_buf_puts(&text, " (");
            tpi_conversion_put_unit(c->conversion, &text);
            tpi_buf_puts(&text, ")");
        }
        tpi_buf_printf(&text, ", %g to %g, resolution %g, uncertainty %.3g", scaling->min,
                       scaling->max, scaling->resolution,
                       tpi_scaling_uncertainty(scaling, (scaling->low + scaling->high) / 2));
        number++;
    }
    const size_t length = text.length < size - 1 ? text.length : size - 1;
    memcpy(out, tpi_buf_text(&text), length);
    out[length] = '\0';
    tpi_buf_fini(&text);
}

/* "degC, raw": the units of the inputs, which aio calls volts; one if all are the same. */
static void put_units(const struct sensor *s, char *out, size_t size)
{
    tpi_buf all = {0}, first = {0};
    unsigned count = 0;
    bool is_one = true;

    for (unsigned i = 0; i < s->count; i++) {
        tpi_buf unit = {0};
        if (!tpi_sensor_channel_is(&s->channels[i], USE_ANALOG) || s->channels[i].acts) {
            continue;
        }
        put_unit(&unit, &s->channels[i]);
        tpi_buf_printf(&all, "%s%s", count > 0 ? ", " : "", tpi_buf_text(&unit));
        if (count++ == 0) {
            tpi_buf_puts(&first, tpi_buf_text(&unit));
        }
        is_one = is_one && strcmp(tpi_buf_text(&first), tpi_buf_text(&unit)) == 0;
        tpi_buf_fini(&unit);
    }
    (void)snprintf(out, size, "%s", tpi_buf_text(is_one ? &first : &all));
    tpi_buf_fini(&all);
    tpi_buf_fini(&first);
}

static void set(tp_device *device, const char *key, const char *text)
{
    if (device != NULL) {
        (void)tp_device_set_property_text(device, key, text);
    }
}

static void describe_device(struct sensor *s, tp_device *device, enum sensor_use use)
{
    const tpi_manifest *m = s->manifest;
    char text[SENSOR_TEXT];

    if (device == NULL) {
        return;
    }
    set(device, "sensor", m != NULL ? m->name : "");
    set(device, "uuid", m != NULL ? m->uuid : "");
    set(device, "serial", m != NULL ? m->serial_no : "");
    set(device, "version", m != NULL ? m->version : "");
    set(device, "info_uri", m != NULL ? m->info_uri : "");
    put_list(s, use, false, text, sizeof text);
    set(device, "inputs", text);
    if (use == USE_ANALOG || use == USE_DIGITAL) {
        put_list(s, use, true, text, sizeof text);
        set(device, "outputs", text);
        list(s, device, use);
    }
    if (use == USE_ANALOG) {
        put_units(s, text, sizeof text);
        set(device, "units", text);
    }
}

void tpi_sensor_describe(struct sensor *s)
{
    describe_device(s, s->devices.aio, USE_ANALOG);
    describe_device(s, s->devices.dio, USE_DIGITAL);
    describe_device(s, s->devices.ranger, USE_RANGE);
    describe_device(s, s->devices.imu, USE_ACCEL);
    describe_device(s, s->devices.power, USE_BATTERY);
    tpi_sensor_show_settings(s);
}
