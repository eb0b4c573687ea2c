/*
 * mapyaml.c - the YAML files of ROS's map_server; see mapfile.h.
 *
 * Such a file has one `key: value` on each line. Comments and values in quotes are read, a list is
 * [a, b, c]; nothing else of YAML is. Keys that are not known are skipped, as map_server does.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "navigation/mapfile.h"

/* A line without its blanks, comment and end. */
struct line {
    const char *key, *value; /* borrowed */
    size_t key_length, value_length;
    unsigned number;
};

struct reading {
    tpi_nav_mapyaml *out;
    bool has_image, has_resolution, has_origin;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **text, size_t *length)
{
    while (*length > 0 && is_blank(**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_blank((*text)[*length - 1])) {
        (*length)--;
    }
}

/* A comment begins with # at the beginning or behind a blank, outside of quotes. */
static size_t without_comment(const char *text, size_t length)
{
    char quote = 0;

    for (size_t i = 0; i < length; i++) {
        if (quote != 0) {
            quote = text[i] == quote ? 0 : quote;
        } else if (text[i] == '"' || text[i] == '\'') {
            quote = text[i];
        } else if (text[i] == '#' && (i == 0 || is_blank(text[i - 1]))) {
            return i;
        }
    }
    return length;
}

static tp_status at_line(const struct line *line, tp_error *err, const char *what)
{
    return tp_fail(err, TP_E_SYNTAX, "line %u: %s", line->number, what);
}

static tp_status read_number(const struct line *line, double *out, tp_error *err)
{
    const char *text = line->value;
    size_t length = line->value_length;

    if (length > 0 && *text == '+') {
        text++;
        length--;
    }
    return length > 0 && tpi_number_read_f64(text, length, out) == length && isfinite(*out)
               ? TP_OK
               : tp_fail(err, TP_E_SYNTAX, "line %u: %.*s needs a number", line->number,
                         (int)line->key_length, line->key);
}

static tp_status read_share(const struct line *line, double *out, tp_error *err)
{
    const tp_status status = read_number(line, out, err);

    return status != TP_OK || (*out >= 0 && *out <= 1)
               ? status
               : tp_fail(err, TP_E_RANGE, "line %u: %.*s is not between 0 and 1", line->number,
                         (int)line->key_length, line->key);
}

/* [x, y, yaw] */
static tp_status read_origin(const struct line *line, tpi_nav_rules *rules, tp_error *err)
{
    double *const into[] = {&rules->x, &rules->y, &rules->yaw};
    const char *at = line->value;
    const char *end = at + line->value_length;

    if (line->value_length < 2 || *at != '[' || end[-1] != ']') {
        return at_line(line, err, "origin needs [x, y, yaw]");
    }
    at++;
    end--;
    for (size_t i = 0; i < 3; i++) {
        const char *comma = i < 2 ? memchr(at, ',', (size_t)(end - at)) : end;
        if (comma == NULL) {
            return at_line(line, err, "origin needs three numbers");
        }
        struct line part = {line->key, at, line->key_length, (size_t)(comma - at), line->number};
        trim(&part.value, &part.value_length);
        const tp_status status = read_number(&part, into[i], err);
        if (status != TP_OK) {
            return status;
        }
        at = comma < end ? comma + 1 : end;
    }
    rules->placed = true;
    return TP_OK;
}

static tp_status read_image(const struct line *line, tpi_nav_mapyaml *out, tp_error *err)
{
    const char *text = line->value;
    size_t length = line->value_length;

    if (length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text) {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= sizeof out->image || memchr(text, '\0', length) != NULL) {
        return at_line(line, err, "image needs the name of a picture");
    }
    memcpy(out->image, text, length);
    out->image[length] = '\0';
    return TP_OK;
}

static bool says(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static tp_status read_negate(const struct line *line, bool *out, tp_error *err)
{
    static const char *const yes[] = {"1", "true", "True", "yes"};
    static const char *const no[] = {"0", "false", "False", "no"};

    for (size_t i = 0; i < 4; i++) {
        if (says(line->value, line->value_length, yes[i]) ||
            says(line->value, line->value_length, no[i])) {
            *out = says(line->value, line->value_length, yes[i]);
            return TP_OK;
        }
    }
    return at_line(line, err, "negate needs 0 or 1");
}

/* Cells between free and occupied have no shades here, so "scale" and "raw" would lose them. */
static tp_status read_mode(const struct line *line, tp_error *err)
{
    return says(line->value, line->value_length, "trinary")
               ? TP_OK
               : at_line(line, err, "only the mode trinary is supported");
}

static tp_status read_field(struct reading *reading, const struct line *line, tp_error *err)
{
    tpi_nav_rules *rules = &reading->out->rules;
    const char *key = line->key;
    const size_t length = line->key_length;

    if (says(key, length, "image")) {
        reading->has_image = true;
        return read_image(line, reading->out, err);
    }
    if (says(key, length, "resolution")) {
        reading->has_resolution = true;
        return read_number(line, &rules->scale, err);
    }
    if (says(key, length, "origin")) {
        reading->has_origin = true;
        return read_origin(line, rules, err);
    }
    if (says(key, length, "negate")) {
        return read_negate(line, &rules->negate, err);
    }
    if (says(key, length, "occupied_thresh")) {
        return read_share(line, &rules->occupied, err);
    }
    if (says(key, length, "free_thresh")) {
        return read_share(line, &rules->free, err);
    }
    return says(key, length, "mode") ? read_mode(line, err) : TP_OK;
}

static tp_status read_line(struct reading *reading, const char *text, size_t length,
                           unsigned number, tp_error *err)
{
    struct line line = {.number = number};

    length = without_comment(text, length);
    trim(&text, &length);
    if (length == 0 || (length == 3 && memcmp(text, "---", 3) == 0)) {
        return TP_OK;
    }
    const char *colon = memchr(text, ':', length);
    if (colon == NULL) {
        return tp_fail(err, TP_E_SYNTAX, "line %u: this is not `key: value`", number);
    }
    line.key = text;
    line.key_length = (size_t)(colon - text);
    line.value = colon + 1;
    line.value_length = length - line.key_length - 1;
    trim(&line.key, &line.key_length);
    trim(&line.value, &line.value_length);
    return read_field(reading, &line, err);
}

static tp_status check(const struct reading *reading, tp_error *err)
{
    const tpi_nav_rules *rules = &reading->out->rules;

    if (!reading->has_image || !reading->has_resolution || !reading->has_origin) {
        return tp_fail(err, TP_E_SYNTAX, "the file has no %s",
                       !reading->has_image        ? "image"
                       : !reading->has_resolution ? "resolution"
                                                  : "origin");
    }
    return rules->free <= rules->occupied
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "free_thresh is above occupied_thresh");
}

tp_status tpi_nav_mapyaml_read(tpi_nav_mapyaml *out, const char *text, size_t length, tp_error *err)
{
    struct reading reading = {.out = out};
    unsigned number = 1;

    *out = (tpi_nav_mapyaml){.rules = {.occupied = 0.65, .free = 0.196}};
    for (size_t at = 0; at < length; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t count = end == NULL ? length - at : (size_t)(end - text) - at;
        const tp_status status = read_line(&reading, text + at, count, number, err);
        if (status != TP_OK) {
            return status;
        }
        at += count + 1;
    }
    return check(&reading, err);
}

bool tpi_nav_mapyaml_is(const char *path)
{
    const size_t length = strlen(path);

    return (length > 5 && strcmp(path + length - 5, ".yaml") == 0) ||
           (length > 4 && strcmp(path + length - 4, ".yml") == 0);
}

void tpi_nav_mapyaml_write(tpi_buf *out, const tpi_nav_grid *grid, const char *image)
{
    char numbers[3][TPI_NUMBER_SIZE];

    tpi_number_put_f64(numbers[0], grid->scale);
    tpi_number_put_f64(numbers[1], grid->x);
    tpi_number_put_f64(numbers[2], grid->y);
    tpi_buf_printf(out,
                   "image: %s\nresolution: %s\norigin: [%s, %s, 0]\nnegate: 0\n"
                   "occupied_thresh: 0.65\nfree_thresh: 0.196\n",
                   image, numbers[0], numbers[1], numbers[2]);
}
