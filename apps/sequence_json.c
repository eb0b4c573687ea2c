/* sequence_json.c - files of timed motion: the JSON reader. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "sequence.h"

/* Line and column of a place in the text. */
static void place_of(const tpi_json *json, size_t at, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < at && i < json->length; i++) {
        *column += ((unsigned char)json->text[i] & 0xc0) != 0x80;
        if (json->text[i] == '\n') {
            ++*line;
            *column = 1;
        }
    }
}

static bool read_number(tpi_json *json, double *value)
{
    (void)tpi_json_peek(json);
    const size_t at = json->at;

    return tpi_json_f64(json, value) &&
           (isfinite(*value) ? true : tpi_json_reject_at(json, at, "a number has to be finite"));
}

static bool read_time(tpi_json *json, double *value)
{
    (void)tpi_json_peek(json);
    const size_t at = json->at;

    return read_number(json, value) &&
           (*value >= 0 && *value <= 1e6
                ? true
                : tpi_json_reject_at(json, at, "a time is from 0 to 1,000,000 s"));
}

/* [x, y, theta] */
static bool read_base(struct sequence *s, tpi_json *json, sequence_base base)
{
    struct sequence_frame *frame = &s->frames[s->frame_count - 1];
    unsigned count = 0;

    if (frame->base != BASE_NOTHING) {
        return tpi_json_reject(json, "the base has two commands");
    }
    frame->base = base;
    if (!tpi_json_array(json)) {
        return false;
    }
    while (tpi_json_element(json)) {
        if (count == 3) {
            return tpi_json_reject(json, "three numbers are enough");
        }
        if (!read_number(json, &frame->values[count++])) {
            return false;
        }
    }
    return !json->failed && (count == 3 ? true : tpi_json_reject(json, "three numbers are needed"));
}

/* The index of a dof; -1 without room. Its place is looked for once. */
static long name_at(struct sequence *s, const tpi_json *json, tpi_json_span name, uint8_t servo)
{
    const long known = sequence_find_name(s, name.text, name.length, servo);
    unsigned line, column;

    if (known >= 0) {
        return known;
    }
    place_of(json, (size_t)(name.text - json->text), &line, &column);
    return sequence_add_name(s, name.text, name.length, servo, line, column);
}

/* {"head:0": 0.3} */
static bool read_targets(struct sequence *s, tpi_json *json, uint8_t servo)
{
    tpi_json_span name;

    if (!tpi_json_object(json)) {
        return false;
    }
    while (tpi_json_member(json, &name)) {
        const size_t at = (size_t)(name.text - json->text);
        double value = 0;

        if (name.length == 0 || memchr(name.text, '\\', name.length) != NULL) {
            return tpi_json_reject_at(json, at, "a joint's name is needed");
        }
        const long index = name_at(s, json, name, servo);
        if (index < 0) {
            return tpi_json_reject_at(json, at, "too many dofs, or too long a name");
        }
        if (s->names[index].frame == s->frame_count) {
            return tpi_json_reject_at(json, at, "the frame has this dof twice");
        }
        if (!read_number(json, &value)) {
            return false;
        }
        if (!sequence_add_target(s, index, value)) {
            return tpi_json_reject(json, "out of memory");
        }
    }
    return !json->failed;
}

static bool read_stop(struct sequence *s, tpi_json *json)
{
    struct sequence_frame *frame = &s->frames[s->frame_count - 1];
    bool stop = false;

    if (!tpi_json_bool(json, &stop)) {
        return false;
    }
    if (stop && frame->base != BASE_NOTHING) {
        return tpi_json_reject(json, "the base has two commands");
    }
    frame->base = stop ? BASE_STOP : frame->base;
    return true;
}

static bool read_member(struct sequence *s, tpi_json *json, tpi_json_span name, bool *timed)
{
    struct sequence_frame *frame = &s->frames[s->frame_count - 1];

    if (tpi_json_is(name, "time")) {
        *timed = true;
        return read_time(json, &frame->time_s);
    }
    if (tpi_json_is(name, "duration")) {
        return read_time(json, &frame->duration_s);
    }
    if (tpi_json_is(name, "goto") || tpi_json_is(name, "drive")) {
        return read_base(s, json, tpi_json_is(name, "goto") ? BASE_GOTO : BASE_DRIVE);
    }
    if (tpi_json_is(name, "stop")) {
        return read_stop(s, json);
    }
    if (tpi_json_is(name, "set") || tpi_json_is(name, "speed") || tpi_json_is(name, "force")) {
        return read_targets(s, json,
                            tpi_json_is(name, "set")     ? 1
                            : tpi_json_is(name, "speed") ? 2
                                                         : 4);
    }
    return tpi_json_reject_at(json, (size_t)(name.text - json->text),
                              "a frame has no member \"%.*s\"",
                              (int)(name.length < 40 ? name.length : 40), name.text);
}

static bool read_frame(struct sequence *s, tpi_json *json)
{
    bool timed = false;
    tpi_json_span name;

    (void)tpi_json_peek(json);
    const size_t at = json->at;
    if (sequence_add_frame(s) == NULL) {
        return tpi_json_reject(json, "too many frames, or no memory");
    }
    if (!tpi_json_object(json)) {
        return false;
    }
    while (tpi_json_member(json, &name)) {
        if (!read_member(s, json, name, &timed)) {
            return false;
        }
    }
    if (json->failed || !timed) {
        return tpi_json_reject_at(json, at, "a frame needs a time");
    }
    const size_t count = s->frame_count;
    return count < 2 || s->frames[count - 1].time_s > s->frames[count - 2].time_s
               ? true
               : tpi_json_reject_at(json, at, "the time is not after that of the frame before");
}

static bool read_frames(struct sequence *s, tpi_json *json)
{
    if (!tpi_json_array(json)) {
        return false;
    }
    while (tpi_json_element(json)) {
        if (!read_frame(s, json)) {
            return false;
        }
    }
    return !json->failed &&
           (s->frame_count > 0 ? true : tpi_json_reject(json, "there are no frames"));
}

/* An object may have other members too, for people. */
static void read_all(struct sequence *s, tpi_json *json)
{
    tpi_json_span name;
    bool found = false;

    if (tpi_json_peek(json) == TPI_JSON_ARRAY) {
        (void)read_frames(s, json);
        return;
    }
    if (!tpi_json_object(json)) {
        return;
    }
    while (tpi_json_member(json, &name)) {
        if (tpi_json_is(name, "frames") && !found) {
            found = true;
            if (!read_frames(s, json)) {
                return;
            }
        } else if (!tpi_json_skip(json, NULL)) {
            return;
        }
    }
    if (!json->failed && !found) {
        tpi_json_reject_at(json, 0, "there is no member \"frames\"");
    }
}

tp_status sequence_read_json(struct sequence *out, const char *text, size_t length,
                             const char *path, tp_error *err)
{
    tpi_json json;
    unsigned line, column;

    tpi_json_init(&json, text, length);
    read_all(out, &json);
    if (tpi_json_end(&json, NULL) == TP_OK) {
        return TP_OK;
    }
    place_of(&json, json.failed_at, &line, &column);
    return tp_fail(err, TP_E_SYNTAX, "%s:%u:%u: %s", path, line, column, json.reason);
}
