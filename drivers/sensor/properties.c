/* properties.c - units, uncertainties and settings of the channels as properties, as long as the
 * sensor is there; see sensor.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sensor.h"

static struct sensor *of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

void tpi_sensor_hide_settings(struct sensor *s)
{
    struct sensor_settings *settings = &s->settings;

    for (unsigned i = 0; i < settings->property_count; i++) {
        tp_device_remove_property(settings->properties[i]->device, settings->properties[i]->key);
        free(settings->properties[i]);
    }
    free(settings->properties);
    settings->properties = NULL;
    settings->property_count = settings->property_room = 0;
}

/* A property with its key; NULL if memory ran out. */
static struct sensor_property *add(struct sensor *s, tp_device *device)
{
    struct sensor_settings *settings = &s->settings;

    if (settings->property_count == settings->property_room) {
        const unsigned room = settings->property_room == 0 ? 16 : 2 * settings->property_room;
        struct sensor_property **more = realloc(settings->properties, room * sizeof(void *));
        if (more == NULL) {
            return NULL;
        }
        settings->properties = more;
        settings->property_room = room;
    }
    struct sensor_property *p = calloc(1, sizeof *p);
    if (p != NULL) {
        p->device = device;
        p->plan = (tp_property_plan){.key = p->key,
                                     .type = TP_PROPERTY_STRING,
                                     .unit = "",
                                     .doc = p->doc,
                                     .value = p->value};
        settings->properties[settings->property_count++] = p;
    }
    return p;
}

/* The device gets it, unless another channel has the same key. */
static void finish(struct sensor *s, struct sensor_property *p)
{
    if (tp_device_add_property(p->device, &p->plan, NULL) != TP_OK) {
        s->settings.property_count--;
        free(p);
    }
}

/* ---- Setting --------------------------------------------------------------------------------- */

/* The channel of "conversion.1" or "mode.1.Floodlight"; `rest` is what follows. */
static struct sensor_channel *channel_of(struct sensor *s, const char *key, const char **rest)
{
    const char *dot = strchr(key, '.');
    char *end = NULL;
    const unsigned long number = dot != NULL ? strtoul(dot + 1, &end, 10) : 0;
    const int place = dot != NULL ? tpi_sensor_place_of(s, (unsigned)number) : -1;

    *rest = end != NULL && *end == '.' ? end + 1 : "";
    return place >= 0 ? &s->channels[place] : NULL;
}

static tp_status set_conversion(tp_device *device, const char *key, const char *text, double number,
                                tp_error *err)
{
    struct sensor *s = of(device);
    const char *rest;
    struct sensor_channel *c = channel_of(s, key, &rest);

    (void)text;
    if (tpi_sensor_is_running(s, c)) {
        return tp_fail(err, TP_E_INVALID, "an experiment runs with this channel; STOP ends it");
    }
    for (unsigned i = 0; c != NULL && i < c->transducer->conversion_count; i++) {
        if (c->transducer->conversions[i].index == number) {
            c->conversion_wanted = (unsigned)number;
            return TP_OK;
        }
    }
    return tp_fail(err, TP_E_RANGE, "%s is 1 to %u", key,
                   c != NULL ? c->transducer->conversion_count : 1);
}

static tp_status set_mode(tp_device *device, const char *key, const char *text, double number,
                          tp_error *err)
{
    const char *rest;
    struct sensor_channel *c = channel_of(of(device), key, &rest);
    char digits[TPI_NUMBER_SIZE];

    for (unsigned i = 0; c != NULL && i < c->transducer->mode_count; i++) {
        const tpi_mode *mode = &c->transducer->modes[i];
        if (strcmp(mode->name, rest) != 0) {
            continue;
        }
        tpi_number_put_f64(digits, number);
        if (!tpi_experiment_mode_value(mode, mode->is_state ? text : digits, &c->modes_wanted[i])) {
            return mode->is_state
                       ? tp_fail(err, TP_E_RANGE, "%s has no state \"%.40s\"", key, text)
                       : tp_fail(err, TP_E_RANGE, "%s is %g to %g", key, mode->min, mode->max);
        }
        c->is_mode_wanted[i] = true;
        return TP_OK;
    }
    return tp_fail(err, TP_E_UNKNOWN, "the sensor has no mode \"%.40s\"", rest);
}

/* ---- Showing --------------------------------------------------------------------------------- */

static void show_conversion(struct sensor *s, tp_device *device, const struct sensor_channel *c)
{
    struct sensor_property *p = add(s, device);
    tpi_buf doc = {0};

    if (p == NULL) {
        return;
    }
    for (unsigned i = 0; i < c->transducer->conversion_count; i++) {
        const tpi_conversion *conversion = &c->transducer->conversions[i];
        const size_t before = doc.length;
        tpi_buf_printf(&doc, "%s%u: ", i > 0 ? "; " : "", conversion->index);
        const size_t named = doc.length;
        tpi_conversion_put_unit(conversion, &doc);
        if (doc.length == named && doc.length > before) {
            tpi_buf_puts(&doc, tpi_unit_type_name(conversion->unit));
        }
    }
    (void)snprintf(p->key, sizeof p->key, "conversion.%u", c->transducer->channel);
    (void)snprintf(p->doc, sizeof p->doc, "The conversion of %.60s. %.150s.", c->transducer->name,
                   tpi_buf_text(&doc));
    (void)snprintf(p->value, sizeof p->value, "%u", c->conversion->index);
    p->plan.type = TP_PROPERTY_INT;
    p->plan.writable = true;
    p->plan.set = set_conversion;
    tpi_buf_fini(&doc);
    finish(s, p);
}

static void show_mode(struct sensor *s, tp_device *device, const struct sensor_channel *c,
                      unsigned place)
{
    const tpi_mode *mode = &c->transducer->modes[place];
    struct sensor_property *p = add(s, device);
    tpi_buf doc = {0};

    if (p == NULL) {
        return;
    }
    tpi_number_put_f64(p->value, c->modes[place]);
    for (unsigned i = 0; mode->is_state && i < mode->option_count; i++) {
        tpi_buf_printf(&doc, "%s%s", i > 0 ? ", " : "", mode->options[i].name);
        if (mode->options[i].index == c->modes[place]) {
            (void)snprintf(p->value, sizeof p->value, "%s", mode->options[i].name);
        }
    }
    if (!mode->is_state) {
        tpi_buf_printf(&doc, "%g to %g", mode->min, mode->max);
        p->plan.type = TP_PROPERTY_DOUBLE;
    }
    (void)snprintf(p->key, sizeof p->key, "mode.%u.%.48s", c->transducer->channel, mode->name);
    (void)snprintf(p->doc, sizeof p->doc, "A mode of %.60s: %.150s.", c->transducer->name,
                   tpi_buf_text(&doc));
    p->plan.writable = true;
    p->plan.set = set_mode;
    tpi_buf_fini(&doc);
    finish(s, p);
}

/* "unit.voltages[0]" */
static void show_fact(struct sensor *s, tp_device *device, const char *what, const char *field,
                      unsigned number, const char *value)
{
    struct sensor_property *p = add(s, device);

    if (p != NULL) {
        (void)snprintf(p->key, sizeof p->key, "%s.%s[%u]", what, field, number);
        (void)snprintf(p->doc, sizeof p->doc, "The %s of a number of the data.", what);
        (void)snprintf(p->value, sizeof p->value, "%s", value);
        finish(s, p);
    }
}

static void show_facts(struct sensor *s, tp_device *device, const struct sensor_channel *c,
                       const char *field, unsigned number)
{
    const tpi_scaling *scaling = &c->conversion->scaling;
    char text[TPI_NUMBER_SIZE];
    tpi_buf unit = {0};

    tpi_conversion_put_unit(c->conversion, &unit);
    tpi_number_put_f64(text, tpi_scaling_uncertainty(scaling, (scaling->low + scaling->high) / 2));
    show_fact(s, device, "name", field, number, c->transducer->name);
    show_fact(s, device, "unit", field, number, tpi_buf_text(&unit));
    show_fact(s, device, "uncertainty", field, number, text);
    tpi_buf_fini(&unit);
}

static void show_channel(struct sensor *s, tp_device *device, const struct sensor_channel *c)
{
    if (c->transducer->conversion_count > 1) {
        show_conversion(s, device, c);
    }
    for (unsigned k = 0; k < c->transducer->mode_count; k++) {
        show_mode(s, device, c, k);
    }
}

void tpi_sensor_show_settings(struct sensor *s)
{
    unsigned analog = 0;

    tpi_sensor_hide_settings(s);
    for (unsigned i = 0; i < s->count; i++) {
        const struct sensor_channel *c = &s->channels[i];
        const bool is_digital = tpi_sensor_channel_is(c, USE_DIGITAL);
        tp_device *device = is_digital ? s->devices.dio : s->devices.aio;
        if (device != NULL) {
            show_channel(s, device, c);
        }
        if (device != NULL && !is_digital && !c->acts) {
            show_facts(s, device, c, "voltages", analog++);
        }
        if (s->experiment.device != NULL) {
            show_channel(s, s->experiment.device, c);
            show_facts(s, s->experiment.device, c, "values", i);
        }
    }
}
