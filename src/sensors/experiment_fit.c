/* experiment_fit.c - whether a sensor can do an experiment, and what it is told; see experiment.h.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sensors/experiment.h"
#include "sensors/manifest_inside.h"

enum { MOST_COMMAND = TPI_EXPERIMENT_COMMAND - 2, LIVE_US = 100000, DEFAULT_COUNT = 1 };

/* ---- Mistakes -------------------------------------------------------------------------------- */

struct fit {
    const tpi_experiment *experiment;
    const tpi_experiment_channel *channel;
    const tpi_transducer *transducer;
    const tpi_manifest *manifest;
    const tpi_conversion *conversion; /* the one that the experiment chooses */
    tp_error *err;
};

static tp_status fail(const struct fit *f, const char *format, ...) TP_PRINTF(2, 3);

static tp_status fail(const struct fit *f, const char *format, ...)
{
    char text[160];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tp_fail(f->err, TP_E_INVALID, "%s:%u: %s", f->experiment->path, f->channel->line, text);
}

/* ---- Settings -------------------------------------------------------------------------------- */

bool tpi_experiment_mode_value(const tpi_mode *mode, const char *text, double *out)
{
    const size_t length = strlen(text);

    for (unsigned i = 0; i < mode->option_count; i++) {
        if (tpi_manifest_same(mode->options[i].name, text)) {
            *out = mode->options[i].index;
            return true;
        }
    }
    if (length == 0 || tpi_number_read_f64(text, length, out) != length) {
        return false;
    }
    for (unsigned i = 0; mode->is_state && i < mode->option_count; i++) {
        if (*out == mode->options[i].index) {
            return true;
        }
    }
    return !mode->is_state && *out >= mode->min && *out <= mode->max;
}

static const tpi_mode *find_mode(const tpi_transducer *t, const char *name)
{
    for (unsigned i = 0; i < t->mode_count; i++) {
        if (tpi_manifest_same(t->modes[i].name, name)) {
            return &t->modes[i];
        }
    }
    return NULL;
}

/* Modes are named by people; a word that is none is most likely a key with a mistake. */
static tp_status fail_setting(const struct fit *f, const char *name)
{
    static const char *const keys[] = {"start", "end",  "send",       "every", "values",
                                       "event", "then", "conversion", NULL};
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name);
    for (unsigned i = 0; keys[i] != NULL; i++) {
        tpi_nearest_offer(&nearest, keys[i]);
    }
    for (unsigned i = 0; i < f->transducer->mode_count; i++) {
        tpi_nearest_offer(&nearest, f->transducer->modes[i].name);
    }
    return fail(f, "ch%u has no setting \"%.32s\"%s", f->transducer->channel, name,
                tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status fit_setting(struct fit *f, const tpi_experiment_setting *setting)
{
    const tpi_transducer *t = f->transducer;
    const tpi_mode *mode = find_mode(t, setting->name);
    double number;

    if (mode != NULL) {
        return tpi_experiment_mode_value(mode, setting->value, &number)
                   ? TP_OK
                   : fail(f,
                          "%s=%.32s: ch%u cannot be set to it; troupe sensors show lists what it "
                          "can",
                          mode->name, setting->value, t->channel);
    }
    if (strcmp(setting->name, "conversion") != 0) {
        return fail_setting(f, setting->name);
    }
    for (unsigned i = 0; i < t->conversion_count; i++) {
        if (tpi_number_read_f64(setting->value, strlen(setting->value), &number) ==
                strlen(setting->value) &&
            number == t->conversions[i].index) {
            f->conversion = &t->conversions[i];
            return TP_OK;
        }
    }
    return fail(f, "conversion=%.32s: ch%u has the conversions 1 to %u", setting->value, t->channel,
                t->conversion_count);
}

/* ---- Channels -------------------------------------------------------------------------------- */

bool tpi_experiment_is_relayed(const tpi_experiment_channel *c)
{
    return c->every.kind == TPI_WHEN_CHANNEL && c->every.sensor != c->sensor;
}

bool tpi_experiment_waits_for(const tpi_experiment_channel *c, const tpi_experiment_when *when,
                              unsigned sensor, unsigned number)
{
    return when->kind == TPI_WHEN_CHANNEL && sensor != c->sensor && when->sensor == sensor &&
           when->channel == number;
}

uint64_t tpi_experiment_period_us(const tpi_experiment_channel *c, const tpi_transducer *t)
{
    const double least_us = t->min_period_ms * 1000;

    return c->every.kind == TPI_WHEN_TIME     ? c->every.number
           : c->every.kind == TPI_WHEN_UNSAID ? (uint64_t)llround(least_us)
                                              : 0;
}

uint64_t tpi_experiment_count(const tpi_experiment_channel *c)
{
    if (c->end.kind == TPI_WHEN_TIME && c->every.kind == TPI_WHEN_TIME && c->every.number > 0) {
        return c->end.number / c->every.number > 0 ? c->end.number / c->every.number : 1;
    }
    return c->end.kind == TPI_WHEN_COUNT ? c->end.number : 0;
}

/* A signal of another channel: the experiment must have that one, since only it signals. */
static tp_status fit_signal(const struct fit *f, const char *key, const tpi_experiment_when *when)
{
    const tpi_experiment *e = f->experiment;

    if (when->kind != TPI_WHEN_CHANNEL) {
        return TP_OK;
    }
    if (when->sensor == f->channel->sensor && when->channel == f->channel->channel) {
        return fail(f, "%s: a channel cannot wait for itself", key);
    }
    for (unsigned i = 0; i < e->channel_count; i++) {
        const tpi_experiment_channel *other = &e->channels[i];
        const bool is_own = when->sensor == f->channel->sensor;
        if (other->sensor != when->sensor || other->channel != when->channel) {
            continue;
        }
        if (!is_own && other->value_count > 0) {
            return fail(f, "%s: actuators of other sensors do not signal; name a sensor", key);
        }
        return is_own && tpi_experiment_is_relayed(other)
                   ? fail(f, "%s=ch%u: it takes samples for another sensor; name that one", key,
                          when->channel)
                   : TP_OK;
    }
    return fail(f, "%s=ch%u: the experiment has no line for that channel; add one", key,
                when->channel);
}

/* The host takes these samples: it has no clock that is better than the signals. */
static tp_status fit_relayed(const struct fit *f)
{
    const tpi_experiment_channel *c = f->channel;
    const tpi_when start = c->start.kind;

    if (!tpi_experiment_is_relayed(c)) {
        return TP_OK;
    }
    if (f->transducer->type != TPI_CHANNEL_SENSOR) {
        return fail(f, "every: only a channel that measures takes samples for another sensor");
    }
    return start == TPI_WHEN_TIME || (start == TPI_WHEN_CHANNEL && c->start.sensor == c->sensor)
               ? fail(f, "start: a channel that takes samples for another sensor starts now, with "
                         "trigger, or with a channel of another sensor")
               : TP_OK;
}

static tp_status fit_times(const struct fit *f)
{
    const tpi_experiment_channel *c = f->channel;
    const double least_us = f->transducer->min_period_ms * 1000;
    const double bytes = f->manifest->max_datasize;

    if (c->every.kind == TPI_WHEN_TIME &&
        ((double)c->every.number < least_us || c->every.number == 0)) {
        return fail(f, "every: ch%u needs at least %g ms between two samples",
                    f->transducer->channel, least_us > 0 ? least_us / 1000 : 0.001);
    }
    if (c->end.kind == TPI_WHEN_TIME && c->every.kind != TPI_WHEN_TIME) {
        return fail(f, "end: a time needs every=TIME; write a number of samples");
    }
    if (c->send.kind == TPI_WHEN_TIME && c->send.number < 1000) {
        return fail(f, "send: 1ms is the shortest time");
    }
    if (c->send.kind == TPI_WHEN_COUNT && bytes > 0 && (double)c->send.number * 4 > bytes) {
        return fail(f, "send: the sensor keeps %g samples", floor(bytes / 4));
    }
    return TP_OK;
}

static tp_status fit_data(const struct fit *f)
{
    const tpi_experiment_channel *c = f->channel;
    const tpi_scaling *scaling = &f->conversion->scaling;
    const bool acts = f->transducer->type == TPI_CHANNEL_ACTUATOR;

    if (acts && c->value_count == 0) {
        return fail(f, "ch%u is an actuator and needs values, as values=0,50,100",
                    f->transducer->channel);
    }
    if (!acts && c->value_count > 0) {
        return fail(f, "values: ch%u is no actuator", f->transducer->channel);
    }
    if (c->condition_count > 0 && f->transducer->type != TPI_CHANNEL_EVENT) {
        return fail(f, "event: ch%u is no event sensor", f->transducer->channel);
    }
    for (unsigned i = 0; i < c->value_count; i++) {
        if (!(c->values[i] >= scaling->min && c->values[i] <= scaling->max)) {
            return fail(f, "values: %g is not between %g and %g", c->values[i], scaling->min,
                        scaling->max);
        }
    }
    return TP_OK;
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* Decimal, without an exponent and without zeros at the end. */
static void put_number(tpi_buf *out, double number)
{
    char text[64];

    (void)snprintf(text, sizeof text, "%.6f", number);
    for (size_t i = strlen(text); i > 1 && (text[i - 1] == '0' || text[i - 1] == '.'); i--) {
        const bool ends = text[i - 1] == '.';
        text[i - 1] = '\0';
        if (ends) {
            break;
        }
    }
    tpi_buf_puts(out, strcmp(text, "-0") == 0 ? "0" : text);
}

static void put_signal(tpi_buf *out, const tpi_experiment_channel *c,
                       const tpi_experiment_when *when, const char *own, const char *other)
{
    if (when->sensor == c->sensor) {
        tpi_buf_printf(out, "%sch=%u", own, when->channel);
    } else {
        tpi_buf_puts(out, other); /* the host passes the signal on */
    }
}

static void put_start(tpi_buf *out, const tpi_experiment_channel *c)
{
    switch (c->start.kind) {
    case TPI_WHEN_TIME:
        tpi_buf_printf(out, "S:t=%llu", (unsigned long long)c->start.number);
        break;
    case TPI_WHEN_TRIGGER:
        tpi_buf_puts(out, "S:trig");
        break;
    case TPI_WHEN_CHANNEL:
        put_signal(out, c, &c->start, "S:", "S:trig");
        break;
    default:
        tpi_buf_puts(out, "S:now");
    }
}

static void put_end(tpi_buf *out, const tpi_experiment_channel *c)
{
    const uint64_t count = tpi_experiment_count(c);

    if (c->end.kind == TPI_WHEN_CHANNEL) {
        put_signal(out, c, &c->end, ",E:", ",E:inf");
    } else if (count > 0) {
        tpi_buf_printf(out, ",E:n=%llu", (unsigned long long)count);
    } else {
        tpi_buf_puts(out, ",E:inf");
    }
}

static void put_send(tpi_buf *out, const tpi_experiment_channel *c, const tpi_transducer *t)
{
    switch (c->send.kind) {
    case TPI_WHEN_READ:
        tpi_buf_puts(out, ",X:read");
        break;
    case TPI_WHEN_DONE:
        tpi_buf_puts(out, ",X:done");
        break;
    case TPI_WHEN_TIME:
        tpi_buf_printf(out, ",X:t=%llu", (unsigned long long)c->send.number);
        break;
    case TPI_WHEN_COUNT:
        tpi_buf_printf(out, ",X:n=%llu", (unsigned long long)c->send.number);
        break;
    default: /* people watch it */
        if (t->type == TPI_CHANNEL_EVENT) {
            tpi_buf_printf(out, ",X:n=%d", DEFAULT_COUNT);
        } else {
            tpi_buf_printf(out, ",X:t=%d", LIVE_US);
        }
    }
}

static void put_setup(tpi_buf *out, const tpi_experiment_channel *c, const tpi_transducer *t)
{
    tpi_buf_printf(out, "L,%u,", t->channel);
    put_start(out, c);
    put_end(out, c);
    put_send(out, c, t);
    if (c->every.kind == TPI_WHEN_TIME) {
        tpi_buf_printf(out, ",K:t=%llu", (unsigned long long)c->every.number);
    } else if (c->every.kind == TPI_WHEN_CHANNEL) {
        tpi_buf_printf(out, ",K:ch=%u", c->every.channel);
    }
    for (unsigned i = 0; i < c->condition_count; i++) {
        tpi_buf_puts(out, ",C:");
        put_number(out, c->conditions[i].value);
        tpi_buf_puts(out, ";");
        put_number(out, c->conditions[i].range);
        tpi_buf_puts(out, c->conditions[i].is_while ? ";while" : ";once");
    }
    if (c->repeats) {
        tpi_buf_puts(out, ",B:repeat");
    }
}

static tp_status fit_channel(struct fit *f)
{
    const tpi_experiment_channel *c = f->channel;
    tpi_buf text = {0};
    tp_status status = TP_OK;

    f->transducer = tpi_manifest_channel(f->manifest, c->channel);
    if (f->transducer == NULL) {
        return fail(f, "%.40s has no channel %u; it has %u", f->manifest->name, c->channel,
                    f->manifest->transducer_count);
    }
    f->conversion = &f->transducer->conversions[f->transducer->start];
    for (unsigned i = 0; i < c->setting_count && status == TP_OK; i++) {
        status = fit_setting(f, &c->settings[i]);
    }
    status = status == TP_OK ? fit_times(f) : status;
    status = status == TP_OK ? fit_data(f) : status;
    status = status == TP_OK ? fit_signal(f, "start", &c->start) : status;
    status = status == TP_OK ? fit_signal(f, "end", &c->end) : status;
    status = status == TP_OK ? fit_signal(f, "every", &c->every) : status;
    status = status == TP_OK ? fit_relayed(f) : status;
    put_setup(&text, c, f->transducer);
    if (status == TP_OK && text.length + (c->value_count > 0 ? 20 : 0) > MOST_COMMAND) {
        status = fail(f, "too much for one command of the sensor; use fewer events");
    }
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_experiment_fit(const tpi_experiment *e, unsigned sensor, const tpi_manifest *m,
                             tp_error *err)
{
    tp_status status = TP_OK;

    for (unsigned i = 0; i < e->channel_count && status == TP_OK; i++) {
        struct fit f = {.experiment = e, .channel = &e->channels[i], .manifest = m, .err = err};
        if (e->channels[i].sensor == sensor) {
            status = fit_channel(&f);
        }
    }
    return status;
}

/* The data set of an actuator: what fits into the set-up, and the rest behind it. */
static void put_values(tpi_buf *text, const tpi_experiment_channel *c, tpi_experiment_put *put,
                       void *context)
{
    for (unsigned i = 0; i < c->value_count; i++) {
        tpi_buf number = {0};

        put_number(&number, c->values[i]);
        if (text->length + number.length + 4 > MOST_COMMAND) {
            put(context, c->line, tpi_buf_text(text));
            tpi_buf_clear(text);
            tpi_buf_printf(text, "L,%u,D+:", c->channel);
        } else {
            tpi_buf_puts(text, i == 0 ? ",D:" : ";");
        }
        tpi_buf_puts(text, tpi_buf_text(&number));
        tpi_buf_fini(&number);
    }
}

static void put_settings(const tpi_experiment_channel *c, const tpi_transducer *t,
                         tpi_experiment_put *put, void *context)
{
    for (unsigned i = 0; i < c->setting_count; i++) {
        const tpi_mode *mode = find_mode(t, c->settings[i].name);
        tpi_buf text = {0};
        double number = 0;

        if (mode != NULL && tpi_experiment_mode_value(mode, c->settings[i].value, &number)) {
            tpi_buf_printf(&text, "S,M,%u,", mode->index);
            put_number(&text, number);
            tpi_buf_printf(&text, ",%u", t->channel);
        } else {
            tpi_buf_printf(&text, "S,C,%s,%u", c->settings[i].value, t->channel);
        }
        put(context, c->line, tpi_buf_text(&text));
        tpi_buf_fini(&text);
    }
}

void tpi_experiment_commands(const tpi_experiment *e, unsigned sensor, const tpi_manifest *m,
                             tpi_experiment_put *put, void *context)
{
    for (unsigned i = 0; i < e->channel_count; i++) {
        const tpi_experiment_channel *c = &e->channels[i];
        const tpi_transducer *t = tpi_manifest_channel(m, c->channel);
        tpi_buf text = {0};

        if (c->sensor != sensor || t == NULL) {
            continue;
        }
        put_settings(c, t, put, context);
        if (!tpi_experiment_is_relayed(c)) {
            put_setup(&text, c, t);
            put_values(&text, c, put, context);
            put(context, c->line, tpi_buf_text(&text));
        }
        tpi_buf_fini(&text);
    }
}
