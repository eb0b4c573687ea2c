/*
 * experiment_read.c - the text of an experiment; see experiment.h.
 *
 * A line is a title, a sensor, or a channel with words KEY=VALUE; a # begins a comment. A key that
 * is none of the known ones is a mode of the sensor; the manifest decides then.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sensors/experiment.h"

enum { MOST_WORD = 64, LONGEST_US = 1000000000 };

struct reader {
    tpi_experiment *experiment;
    tpi_experiment_sensor *sensors;
    tpi_experiment_channel *channels;
    tpi_experiment_channel *channel; /* of this line */
    const char *at, *end;            /* the rest of the line */
    unsigned line;
    tp_error *err;
};

/* A word of a line. */
struct word {
    const char *text; /* no NUL behind it */
    size_t length;
};

/* ---- Mistakes -------------------------------------------------------------------------------- */

static tp_status fail(const struct reader *r, const char *format, ...) TP_PRINTF(2, 3);

static tp_status fail(const struct reader *r, const char *format, ...)
{
    char text[160];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tp_fail(r->err, TP_E_INVALID, "%s:%u: %s", r->experiment->path, r->line, text);
}

static tp_status no_memory(const struct reader *r)
{
    return tp_fail(r->err, TP_E_NOMEM, "out of memory");
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool is(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* The next word up to a blank; quotes keep blanks. False at the end of the line. */
static bool next_word(struct reader *r, struct word *out)
{
    bool quoted = false;

    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
    if (r->at == r->end || *r->at == '#') {
        return false;
    }
    out->text = r->at;
    while (r->at < r->end && (quoted || (*r->at != ' ' && *r->at != '\t' && *r->at != '\r'))) {
        quoted = quoted != (*r->at == '"');
        r->at++;
    }
    out->length = (size_t)(r->at - out->text);
    return true;
}

/* Cut at a separator: `word` is what stands before it, the result the rest. */
static struct word cut(struct word *word, char separator)
{
    const char *at = memchr(word->text, separator, word->length);
    struct word rest = {word->text + word->length, 0};

    if (at != NULL) {
        rest = (struct word){at + 1, word->length - (size_t)(at - word->text) - 1};
        word->length = (size_t)(at - word->text);
    }
    return rest;
}

/* A copy without quotes around it. */
static const char *copy(struct reader *r, struct word word)
{
    if (word.length >= 2 && word.text[0] == '"' && word.text[word.length - 1] == '"') {
        word = (struct word){word.text + 1, word.length - 2};
    }
    return tpi_arena_text(&r->experiment->arena, word.text, word.length);
}

static bool read_number(struct word word, double *out)
{
    return word.length > 0 && tpi_number_read_f64(word.text, word.length, out) == word.length &&
           isfinite(*out);
}

/* "10ms": microseconds. False if it is no time. */
static bool read_time(struct word word, uint64_t *us)
{
    static const struct {
        const char *name;
        double us;
    } units[] = {{"us", 1}, {"µs", 1}, {"ms", 1e3}, {"s", 1e6}, {"min", 60e6}, {"h", 3600e6}};
    double number;
    const size_t used = tpi_number_read_f64(word.text, word.length, &number);
    const struct word unit = {word.text + used, word.length - used};

    for (size_t i = 0; used > 0 && i < sizeof units / sizeof units[0]; i++) {
        if (is(unit, units[i].name) && number >= 0 &&
            number * units[i].us <= 1e6 * (double)LONGEST_US) {
            *us = (uint64_t)llround(number * units[i].us);
            return true;
        }
    }
    return false;
}

static bool read_count(struct word word, uint64_t *out)
{
    int64_t number;

    if (word.length == 0 || !tpi_number_read_i64(word.text, word.length, &number) || number < 1 ||
        number > INT32_MAX) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

/* ---- Channels -------------------------------------------------------------------------------- */

/* The sensor with this name; a negative number for none. */
static int find_sensor(const struct reader *r, struct word name)
{
    for (unsigned i = 0; i < r->experiment->sensor_count; i++) {
        if (is(name, r->sensors[i].name)) {
            return (int)i;
        }
    }
    return -1;
}

/* Whether a word looks like "ch1" or "heat.ch1". */
static bool is_channel(struct word word)
{
    struct word rest = cut(&word, '.');
    const struct word last = rest.length > 0 ? rest : word;

    return last.length > 2 && memcmp(last.text, "ch", 2) == 0 && last.text[2] >= '0' &&
           last.text[2] <= '9';
}

static tp_status read_channel(struct reader *r, struct word word, unsigned *sensor,
                              unsigned *channel)
{
    struct word name = word, rest = cut(&name, '.');
    const struct word last = rest.length > 0 ? rest : name;
    uint64_t number;

    if (!read_count((struct word){last.text + 2, last.length - 2}, &number) || number > 99) {
        return fail(r, "\"%.*s\" is no channel; ch1 to ch99 are", (int)word.length, word.text);
    }
    const int found = rest.length > 0                   ? find_sensor(r, name)
                      : r->experiment->sensor_count > 1 ? -2
                                                        : 0;
    if (found == -1) {
        return fail(r, "there is no sensor \"%.*s\"; a line \"sensor %.*s experiment:0\" names it",
                    (int)name.length, name.text, (int)name.length, name.text);
    }
    if (found < 0) {
        return fail(r, "which sensor? With several sensors, write %s.%.*s", r->sensors[0].name,
                    (int)last.length, last.text);
    }
    *sensor = (unsigned)found;
    *channel = (unsigned)number;
    return TP_OK;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

/* A word for each kind; the first that fits. */
struct form {
    const char *word; /* NULL: a time, a count or a channel */
    tpi_when kind;
};

static tp_status read_when(struct reader *r, const char *key, struct word value,
                           const struct form *forms, const char *hint, tpi_experiment_when *out)
{
    if (out->kind != TPI_WHEN_UNSAID) {
        return fail(r, "%s is there twice", key);
    }
    for (; forms->kind != TPI_WHEN_UNSAID; forms++) {
        if (forms->word != NULL             ? is(value, forms->word)
            : forms->kind == TPI_WHEN_TIME  ? read_time(value, &out->number)
            : forms->kind == TPI_WHEN_COUNT ? read_count(value, &out->number)
                                            : is_channel(value)) {
            out->kind = forms->kind;
            return forms->kind == TPI_WHEN_CHANNEL
                       ? read_channel(r, value, &out->sensor, &out->channel)
                       : TP_OK;
        }
    }
    return fail(r, "%s=%.*s is not known; write %s", key, (int)value.length, value.text, hint);
}

/* v,v,v */
static tp_status read_values(struct reader *r, struct word value)
{
    tpi_experiment_channel *c = r->channel;
    double *values;
    unsigned count = 1;

    for (size_t i = 0; i < value.length; i++) {
        count += value.text[i] == ',';
    }
    if (c->values != NULL || count > TPI_EXPERIMENT_VALUES) {
        return fail(r, c->values != NULL ? "values is there twice" : "more than %d values",
                    TPI_EXPERIMENT_VALUES);
    }
    values = tpi_arena_array(&r->experiment->arena, count, sizeof *values);
    if (values == NULL) {
        return no_memory(r);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct word rest = cut(&value, ',');
        if (!read_number(value, &values[i])) {
            return fail(r, "values: \"%.*s\" is no number; write values=0,50,100",
                        (int)value.length, value.text);
        }
        value = rest;
    }
    c->values = values;
    c->value_count = count;
    return TP_OK;
}

/* VALUE:RANGE:once */
static tp_status read_event(struct reader *r, struct word value)
{
    tpi_experiment_channel *c = r->channel;
    tpi_experiment_condition condition = {0};
    const struct word whole = value;
    struct word range = cut(&value, ':'), how = cut(&range, ':');

    if (c->condition_count == TPI_EXPERIMENT_CONDITIONS) {
        return fail(r, "a channel has at most %d events", TPI_EXPERIMENT_CONDITIONS);
    }
    condition.is_while = is(how, "while");
    if (!read_number(value, &condition.value) ||
        (range.length > 0 && (!read_number(range, &condition.range) || condition.range < 0)) ||
        !(how.length == 0 || condition.is_while || is(how, "once"))) {
        return fail(r, "event=%.*s is not known; write event=VALUE:RANGE:once or ...:while",
                    (int)whole.length, whole.text);
    }
    c->conditions[c->condition_count++] = condition;
    return TP_OK;
}

static tp_status read_setting(struct reader *r, struct word key, struct word value)
{
    tpi_experiment_channel *c = r->channel;
    tpi_experiment_setting *setting = &c->settings[c->setting_count];

    if (c->setting_count == TPI_EXPERIMENT_SETTINGS) {
        return fail(r, "more than %d settings", TPI_EXPERIMENT_SETTINGS);
    }
    setting->name = copy(r, key);
    setting->value = copy(r, value);
    if (setting->name == NULL || setting->value == NULL) {
        return no_memory(r);
    }
    c->setting_count++;
    return TP_OK;
}

static tp_status read_field(struct reader *r, struct word key, struct word value)
{
    static const struct form starts[] = {{"now", TPI_WHEN_NOW},
                                         {"trigger", TPI_WHEN_TRIGGER},
                                         {NULL, TPI_WHEN_TIME},
                                         {NULL, TPI_WHEN_CHANNEL},
                                         {NULL, TPI_WHEN_UNSAID}};
    static const struct form ends[] = {{"never", TPI_WHEN_NEVER},
                                       {NULL, TPI_WHEN_COUNT},
                                       {NULL, TPI_WHEN_TIME},
                                       {NULL, TPI_WHEN_CHANNEL},
                                       {NULL, TPI_WHEN_UNSAID}};
    static const struct form sends[] = {{"read", TPI_WHEN_READ},
                                        {"done", TPI_WHEN_DONE},
                                        {NULL, TPI_WHEN_TIME},
                                        {NULL, TPI_WHEN_COUNT},
                                        {NULL, TPI_WHEN_UNSAID}};
    static const struct form takes[] = {
        {NULL, TPI_WHEN_TIME}, {NULL, TPI_WHEN_CHANNEL}, {NULL, TPI_WHEN_UNSAID}};
    tpi_experiment_channel *c = r->channel;

    if (is(key, "start")) {
        return read_when(r, "start", value, starts, "now, a time (2s), trigger or a channel (ch2)",
                         &c->start);
    }
    if (is(key, "end")) {
        return read_when(r, "end", value, ends,
                         "a number of samples, a time (10s), a channel (ch2) or never", &c->end);
    }
    if (is(key, "send")) {
        return read_when(r, "send", value, sends, "read, done, a time (1s) or a number of samples",
                         &c->send);
    }
    if (is(key, "every")) {
        return read_when(r, "every", value, takes, "a time (10ms) or a channel (ch2)", &c->every);
    }
    if (is(key, "values")) {
        return read_values(r, value);
    }
    if (is(key, "event")) {
        return read_event(r, value);
    }
    if (is(key, "then")) {
        c->repeats = is(value, "repeat");
        return c->repeats || is(value, "hold")
                   ? TP_OK
                   : fail(r, "then=%.*s is not known; write hold or repeat", (int)value.length,
                          value.text);
    }
    return read_setting(r, key, value);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static tp_status read_channel_line(struct reader *r, struct word first)
{
    tpi_experiment *e = r->experiment;
    const tpi_experiment_when unsaid = {.kind = TPI_WHEN_UNSAID};
    struct word word;

    if (e->channel_count == TPI_EXPERIMENT_CHANNELS) {
        return fail(r, "an experiment has at most %d channels", TPI_EXPERIMENT_CHANNELS);
    }
    r->channel = &r->channels[e->channel_count];
    *r->channel = (tpi_experiment_channel){
        .line = r->line, .start = unsaid, .end = unsaid, .send = unsaid, .every = unsaid};
    tp_status status = read_channel(r, first, &r->channel->sensor, &r->channel->channel);
    for (unsigned i = 0; i < e->channel_count && status == TP_OK; i++) {
        if (r->channels[i].sensor == r->channel->sensor &&
            r->channels[i].channel == r->channel->channel) {
            status = fail(r, "%.*s is in line %u already", (int)first.length, first.text,
                          r->channels[i].line);
        }
    }
    while (status == TP_OK && next_word(r, &word)) {
        const struct word whole = word, value = cut(&word, '=');
        status = word.length == 0 || value.length == 0 || whole.length > 65000
                     ? fail(r, "\"%.*s\": KEY=VALUE is wanted, as every=10ms",
                            whole.length < MOST_WORD ? (int)whole.length : MOST_WORD, whole.text)
                     : read_field(r, word, value);
    }
    e->channel_count += status == TP_OK;
    return status;
}

/* "sensor heat experiment:1" */
static tp_status read_sensor_line(struct reader *r)
{
    tpi_experiment *e = r->experiment;
    struct word name = {"", 0}, device = {"", 0}, more;

    if (e->channel_count > 0) {
        return fail(r, "sensors are named before the first channel");
    }
    if (e->sensor_count == TPI_EXPERIMENT_SENSORS) {
        return fail(r, "an experiment has at most %d sensors", TPI_EXPERIMENT_SENSORS);
    }
    if (!next_word(r, &name) || !next_word(r, &device) || next_word(r, &more) ||
        memchr(name.text, '.', name.length) != NULL || name.length > 31 || device.length > 63) {
        return fail(r, "write: sensor NAME experiment:0");
    }
    if (find_sensor(r, name) >= 0) {
        return fail(r, "there are two sensors \"%.*s\"", (int)name.length, name.text);
    }
    for (unsigned i = 0; i < e->sensor_count; i++) {
        if (is(device, r->sensors[i].device)) {
            return fail(r, "%.*s is the sensor of line %u already", (int)device.length, device.text,
                        r->sensors[i].line);
        }
    }
    tpi_experiment_sensor *s = &r->sensors[e->sensor_count++];
    *s = (tpi_experiment_sensor){r->line, copy(r, name), copy(r, device)};
    return s->name != NULL && s->device != NULL ? TP_OK : no_memory(r);
}

static tp_status read_line(struct reader *r)
{
    struct word first;

    if (!next_word(r, &first)) {
        return TP_OK;
    }
    if (is(first, "title")) {
        const char *from = r->at;
        while (from < r->end && (*from == ' ' || *from == '\t')) {
            from++;
        }
        size_t length = (size_t)(r->end - from);
        while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\r')) {
            length--;
        }
        r->experiment->title =
            tpi_arena_text(&r->experiment->arena, from, length < 80 ? length : 80);
        return r->experiment->title != NULL ? TP_OK : no_memory(r);
    }
    if (is(first, "sensor")) {
        return read_sensor_line(r);
    }
    return is_channel(first)
               ? read_channel_line(r, first)
               : fail(r, "\"%.*s\": a line begins with title, sensor or a channel (ch1)",
                      first.length < MOST_WORD ? (int)first.length : MOST_WORD, first.text);
}

static tp_status read_lines(struct reader *r, const char *text, size_t length)
{
    const char *at = text, *const end = text + length;
    tp_status status = TP_OK;

    while (at < end && status == TP_OK) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        r->line++;
        r->at = at;
        r->end = feed == NULL ? end : feed;
        status = read_line(r);
        at = feed == NULL ? end : feed + 1;
    }
    return status == TP_OK && r->experiment->channel_count == 0
               ? fail(r, "no channel; write for instance: ch1 every=10ms end=100")
               : status;
}

tp_status tpi_experiment_read(tpi_experiment **out, const char *text, size_t length,
                              const char *path, tp_error *err)
{
    tpi_experiment *e = calloc(1, sizeof *e);
    struct reader r = {.experiment = e, .err = err};
    tp_status status;

    if (e == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    r.sensors = tpi_arena_array(&e->arena, TPI_EXPERIMENT_SENSORS, sizeof *r.sensors);
    r.channels = tpi_arena_array(&e->arena, TPI_EXPERIMENT_CHANNELS, sizeof *r.channels);
    e->path = tpi_arena_text(&e->arena, path, strlen(path) < 80 ? strlen(path) : 80);
    e->title = "";
    if (r.sensors == NULL || r.channels == NULL || e->path == NULL) {
        status = no_memory(&r);
    } else if (length > TPI_EXPERIMENT_TEXT || !tpi_utf8_valid(text, length) ||
               memchr(text, '\0', length) != NULL) {
        r.line = 1;
        status = fail(&r,
                      length > TPI_EXPERIMENT_TEXT ? "it is longer than %d bytes"
                                                   : "it is no text (at most %d bytes)",
                      TPI_EXPERIMENT_TEXT);
    } else {
        status = read_lines(&r, text, length);
    }
    e->sensors = r.sensors;
    e->channels = r.channels;
    if (status == TP_OK && e->sensor_count == 0) {
        r.sensors[e->sensor_count++] = (tpi_experiment_sensor){0, "", ""};
    }
    if (status != TP_OK) {
        tpi_experiment_destroy(e);
        return status;
    }
    *out = e;
    return TP_OK;
}

void tpi_experiment_destroy(tpi_experiment *e)
{
    if (e != NULL) {
        tpi_arena_fini(&e->arena);
        free(e);
    }
}
