/*
 * text.c - Player's text format; see text.h.
 *
 * A layout says which numbers a line has, in which order: paths with the digits behind the point
 * ("pos.px:3", a whole number without), "[ranges" for a count and "]" for the end of what is
 * repeated so often. In a path, the array is the first field that is one.
 */
#include "log/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_DATA = 1, TYPE_ANSWER = 4, MOST_ARRAYS = 16, MOST_PATH = 64 };

#define POSE2 "px:3 pose.py:3 pose.pyaw:3 size.sl:3 size.sw:3"
#define POSE3(in) in "px:3 " in "py:3 " in "pz:3 " in "proll:3 " in "ppitch:3 " in "pyaw:3"
#define SCAN(in)                                                                                   \
    in "min_angle:4 " in "max_angle:4 " in "resolution:8 " in "max_range:4 [" in "ranges " in      \
       "ranges:3 " in "intensity ]"
#define CALIB(in)                                                                                  \
    in "accel_x:3 " in "accel_y:3 " in "accel_z:3 " in "gyro_x:3 " in "gyro_y:3 " in               \
       "gyro_z:3 " in "magn_x:3 " in "magn_y:3 " in "magn_z:3"
#define SONARS "[poses poses.px:3 poses.py:3 poses.pyaw:4 ]"
#define BUMPERS                                                                                    \
    "[bumper_def bumper_def.pose.px:3 bumper_def.pose.py:3 bumper_def.pose.pyaw:4 "                \
    "bumper_def.length:4 bumper_def.radius:4 ]"
#define SIZE3(in) in "sw:3 " in "sl:3 " in "sh:3"
#define RANGER                                                                                     \
    POSE3("pose.")                                                                                 \
    " " SIZE3("size.") " [element_poses " POSE3("element_poses.") " ] [element_sizes " SIZE3(      \
        "element_sizes.") " ]"

static const struct layout {
    const char *interface, *message;
    const char *numbers;
} layouts[] = {
    {"laser", "SCAN", "id " SCAN("")},
    {"laser", "SCANPOSE", "scan.id pose.px:3 pose.py:3 pose.pa:3 " SCAN("scan.")},
    {"laser", "GET_GEOM", "pose." POSE2},
    {"sonar", "RANGES", "[ranges ranges:3 ]"},
    {"sonar", "GEOM", SONARS},
    {"sonar", "GET_GEOM", SONARS},
    {"position2d", "STATE", "pos.px:3 pos.py:3 pos.pa:3 vel.px:3 vel.py:3 vel.pa:3 stall"},
    {"position2d", "GET_GEOM", "pose." POSE2},
    {"position3d", "STATE", POSE3("pos.") " " POSE3("vel.") " stall"},
    {"position3d", "GEOMETRY", POSE3("pose.") " " SIZE3("size.")},
    {"position3d", "GET_GEOM", POSE3("pose.") " " SIZE3("size.")},
    {"ranger", "RANGE", "[ranges ranges:3 ]"},
    {"ranger", "INTNS", "[intensities intensities:3 ]"},
    {"ranger", "GET_GEOM", RANGER},
    {"ir", "RANGES", "[ranges ranges:3 ]"},
    {"ir", "POSE", "[poses poses.px:3 poses.py:3 poses.pyaw:4 ]"},
    {"bumper", "STATE", "[bumpers bumpers ]"},
    {"bumper", "GEOM", BUMPERS},
    {"bumper", "GET_GEOM", BUMPERS},
    {"aio", "STATE", "[voltages voltages:3 ]"},
    {"ptz", "STATE", "pan:3 tilt:3 zoom:3 panspeed:3 tiltspeed:3"},
    {"power", "STATE", "volts:3 percent:3 joules:3 watts:3 charging valid"},
    {"imu", "STATE", POSE3("pose.")},
    {"imu", "CALIB", CALIB("")},
    {"imu", "QUAT", CALIB("calib_data.") " q0:3 q1:3 q2:3 q3:3"},
    {"actarray", "STATE",
     "[actuators actuators.position:3 actuators.speed:3 actuators.acceleration:3 "
     "actuators.current:3 actuators.state ] motor_state"},
    {"fiducial", "SCAN",
     "[fiducials fiducials.id " POSE3("fiducials.pose.") " " POSE3("fiducials.upose.") " ]"},
};

static const tp_struct *type_of(const tp_message *what)
{
    return what->kind == TP_KIND_REQUEST ? what->answer : what->ask;
}

static const char *layout_of(const tp_interface *interface, const tp_message *what)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (strcmp(layouts[i].interface, interface->name) == 0 &&
            strcmp(layouts[i].message, what->name) == 0 &&
            (what->kind == TP_KIND_DATA || what->kind == TP_KIND_REQUEST) &&
            type_of(what) != NULL) { /* a request can have the name of data, and no answer */
            return layouts[i].numbers;
        }
    }
    return NULL;
}

bool tpi_log_text_has(const tp_interface *interface, const tp_message *what)
{
    return layout_of(interface, what) != NULL;
}

/* ---- Layouts --------------------------------------------------------------------------------- */

struct word {
    char path[MOST_PATH];
    unsigned digits;
    bool begins, ends; /* what is repeated */
};

/* The next word of a layout. False at its end. */
static bool take_word(const char **at, struct word *word)
{
    while (**at == ' ') {
        (*at)++;
    }
    const size_t length = strcspn(*at, " ");
    if (length == 0) {
        return false;
    }
    const char *text = *at;
    *word = (struct word){.begins = text[0] == '[', .ends = text[0] == ']'};
    const size_t skip = word->begins || word->ends;
    const size_t path = strcspn(text + skip, " :");
    (void)snprintf(word->path, sizeof word->path, "%.*s", (int)path, text + skip);
    word->digits = text[skip + path] == ':' ? (unsigned)(text[skip + path + 1] - '0') : 0;
    *at += length;
    return true;
}

/* ---- Places in a value ----------------------------------------------------------------------- */

struct spot {
    const tp_struct *in;   /* the struct with the array or the number */
    const tp_field *field; /* the number; the array if the walk stops there */
    char *base;            /* of `in` */
    char *at;              /* of the number; NULL if it is not there */
};

static size_t size_of(const tp_field *field)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 4, 8, 1};

    return field->type == TP_TYPE_STRUCT ? field->of->size : sizes[field->type];
}

static const tp_field *field_named(const tp_struct *type, const char *name, size_t length)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (strlen(type->fields[i].name) == length &&
            memcmp(type->fields[i].name, name, length) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}

/* Find a path in a value. An array is entered at `index`, or the walk stops there (`stops`). */
static bool locate(struct spot *spot, const tp_struct *type, void *value, const char *path,
                   uint32_t index, bool stops)
{
    char *at = value;

    for (;;) {
        const size_t length = strcspn(path, ".");
        const tp_field *field = field_named(type, path, length);

        if (field == NULL) {
            return false;
        }
        *spot = (struct spot){.in = type, .field = field, .base = at};
        if (field->shape != TP_SHAPE_ONE && stops) {
            return true;
        }
        char *first = at + field->offset;
        if (field->shape == TP_SHAPE_POINTER) {
            memcpy(&first, first, sizeof first);
        }
        if (field->shape != TP_SHAPE_ONE) {
            first = first == NULL || index >= tp_field_count(field, at)
                        ? NULL
                        : first + index * size_of(field);
        }
        spot->at = at = first;
        if (path[length] == '\0' || at == NULL) {
            return true;
        }
        type = field->of;
        path += length + 1;
    }
}

static double get_number(const struct spot *spot)
{
    int64_t whole = 0;
    float f32;
    double f64;

    switch (spot->field->type) {
    case TP_TYPE_F32:
        memcpy(&f32, spot->at, sizeof f32);
        return (double)f32;
    case TP_TYPE_F64:
        memcpy(&f64, spot->at, sizeof f64);
        return f64;
    case TP_TYPE_U8:
        return *(const uint8_t *)spot->at;
    case TP_TYPE_I32: {
        int32_t i32;
        memcpy(&i32, spot->at, sizeof i32);
        return i32;
    }
    default: {
        uint32_t u32 = 0;
        memcpy(&u32, spot->at, size_of(spot->field) < 4 ? size_of(spot->field) : 4);
        whole = u32;
        return (double)whole;
    }
    }
}

/* Values beyond the type of the field become its limits; not-a-number becomes 0 in whole ones. */
static void set_number(const struct spot *spot, double number)
{
    const float f32 = (float)number;

    if (spot->field->type == TP_TYPE_F64) {
        memcpy(spot->at, &number, sizeof number);
    } else if (spot->field->type == TP_TYPE_F32) {
        memcpy(spot->at, &f32, sizeof f32);
    } else if (spot->field->type == TP_TYPE_U8) {
        *(uint8_t *)spot->at = (uint8_t)fmin(fmax(isnan(number) ? 0 : number, 0), UINT8_MAX);
    } else if (spot->field->type == TP_TYPE_I32) {
        const int32_t i32 = (int32_t)fmin(fmax(isnan(number) ? 0 : number, INT32_MIN), INT32_MAX);
        memcpy(spot->at, &i32, sizeof i32);
    } else if (spot->field->type == TP_TYPE_U32) {
        const uint32_t u32 = (uint32_t)fmin(fmax(isnan(number) ? 0 : number, 0), UINT32_MAX);
        memcpy(spot->at, &u32, sizeof u32);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

void tpi_log_text_begin(tpi_buf *out)
{
    tpi_buf_puts(out, "## Player version 3.1.0 \n## File version 0.3.0 \n"
                      "## Format: \n## - Messages are newline-separated\n"
                      "## - Common header to each message is:\n"
                      "##   time     host   robot  interface index  type   subtype\n"
                      "##   (double) (uint) (uint) (string)  (uint) (uint) (uint)\n"
                      "## - Following the common header is the message payload \n");
}

static void put_number(tpi_buf *out, const struct word *word, const tp_struct *type, void *value,
                       uint32_t index)
{
    struct spot spot;
    const bool there = locate(&spot, type, value, word->path, index, false) && spot.at != NULL;

    tpi_buf_printf(out, " %.*f", (int)word->digits, there ? get_number(&spot) : 0);
}

/* What is repeated; `at` ends behind it. */
static void put_group(tpi_buf *out, const char **at, const struct word *begin,
                      const tp_struct *type, void *value)
{
    struct spot spot;
    const uint32_t count = locate(&spot, type, value, begin->path, 0, true)
                               ? tp_field_count(spot.field, spot.base)
                               : 0;
    const char *body = *at;
    struct word word = {.ends = false};

    tpi_buf_printf(out, " %" PRIu32, count);
    for (uint32_t i = 0; i < count; i++) {
        *at = body;
        while (take_word(at, &word) && !word.ends) {
            put_number(out, &word, type, value, i);
        }
    }
    while (!word.ends && take_word(at, &word)) {
    }
}

tp_status tpi_log_text_write(tpi_buf *out, const tpi_log_text *head, const void *value,
                             tp_error *err)
{
    const char *at = layout_of(head->interface, head->what);
    void *copy = NULL;
    struct word word;

    if (at == NULL || value == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "Player's text format has no %s %s",
                       head->interface->name, head->what->name);
    }
    memcpy(&copy, &value, sizeof copy); /* locate() serves writers of values too */
    tpi_buf_printf(out, "%010" PRIu64 ".%03u 0 %u %s %02u %03d %03u", head->time_ns / 1000000000,
                   (unsigned)(head->time_ns / 1000000 % 1000), head->robot, head->interface->name,
                   head->index, head->what->kind == TP_KIND_DATA ? TYPE_DATA : TYPE_ANSWER,
                   head->what->code);
    while (take_word(&at, &word)) {
        if (word.begins) {
            put_group(out, &at, &word, type_of(head->what), copy);
        } else {
            put_number(out, &word, type_of(head->what), copy, 0);
        }
    }
    tpi_buf_putc(out, '\n');
    return tpi_buf_status(out);
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reading {
    const char *at;
    unsigned words; /* that were taken */
    const tp_struct *type;
    void *value;               /* owned, with arrays of its own */
    void *arrays[MOST_ARRAYS]; /* owned */
    unsigned array_count;
};

static tp_status wrong(const struct reading *r, tp_error *err, const char *what)
{
    return tp_fail(err, TP_E_SYNTAX, "word %u: %s", r->words + 1, what);
}

static tp_status take_number(struct reading *r, double *number, tp_error *err)
{
    char *end = NULL;

    *number = strtod(r->at, &end);
    if (end == r->at || strchr(" \t\r\n", *end) == NULL) {
        return wrong(r, err, *r->at == '\0' ? "the line ends early" : "not a number");
    }
    r->at = end + strspn(end, " \t\r\n");
    r->words++;
    return TP_OK;
}

static tp_status take_whole(struct reading *r, double most, uint32_t *whole, tp_error *err)
{
    double number = 0;
    const tp_status status = take_number(r, &number, err);

    if (status == TP_OK && !(number >= 0 && number <= most && number == floor(number))) {
        return wrong(r, err, "not a whole number in its range");
    }
    *whole = status == TP_OK ? (uint32_t)number : 0;
    return status;
}

/* Make an array with room for `count` elements, unless it is there. */
static tp_status make_array(struct reading *r, const char *path, uint32_t count, tp_error *err)
{
    struct spot spot;
    void *elements = NULL;

    if (!locate(&spot, r->type, r->value, path, 0, true) || spot.field->shape == TP_SHAPE_ONE) {
        return TP_OK;
    }
    char *at = spot.base + spot.field->offset;
    if (spot.field->shape != TP_SHAPE_POINTER && count > spot.field->length) {
        return wrong(r, err, "more elements than the message can have");
    }
    if (spot.field->shape == TP_SHAPE_POINTER) {
        memcpy(&elements, at, sizeof elements);
        if (elements != NULL || count == 0) {
            return TP_OK;
        }
        elements = r->array_count < MOST_ARRAYS ? calloc(count, size_of(spot.field)) : NULL;
        if (elements == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        r->arrays[r->array_count++] = elements;
        memcpy(at, &elements, sizeof elements);
    }
    for (uint32_t i = 0; i < spot.in->field_count; i++) {
        if (spot.in->fields[i].is_count && spot.in->fields[i].offset == spot.field->count_offset) {
            const struct spot counter = {.field = &spot.in->fields[i],
                                         .at = spot.base + spot.field->count_offset};
            set_number(&counter, count);
        }
    }
    return TP_OK;
}

static tp_status read_one(struct reading *r, const struct word *word, uint32_t index, tp_error *err)
{
    struct spot spot;
    double number = 0;
    const tp_status status = take_number(r, &number, err);

    if (status == TP_OK && locate(&spot, r->type, r->value, word->path, index, false) &&
        spot.at != NULL) {
        set_number(&spot, number);
    }
    return status;
}

/* What is repeated. Each element has a word at least, so the line bounds the count. */
static tp_status read_group(struct reading *r, const char **at, tp_error *err)
{
    uint32_t count = 0;
    const char *body = *at;
    struct word word = {.ends = false};
    tp_status status = take_whole(r, (double)(strlen(r->at) / 2 + 1) + 1e3, &count, err);

    if (status == TP_OK && count > strlen(r->at)) {
        status = wrong(r, err, "the line ends before its elements");
    }
    while (status == TP_OK && take_word(at, &word) && !word.ends) {
        status = make_array(r, word.path, count, err);
    }
    for (uint32_t i = 0; i < count && status == TP_OK; i++) {
        const char *next = body;

        while (status == TP_OK && take_word(&next, &word) && !word.ends) {
            status = read_one(r, &word, i, err);
        }
    }
    return status;
}

/* The words before the numbers. */
static tp_status read_head(struct reading *r, tpi_log_text *head, const tp_catalogue *catalogue,
                           tp_error *err)
{
    char interface[48];
    uint32_t host = 0, type = 0, code = 0;
    double time_s = 0;
    tp_status status = take_number(r, &time_s, err);

    status = status == TP_OK ? take_whole(r, UINT32_MAX, &host, err) : status;
    status = status == TP_OK ? take_whole(r, UINT32_MAX, &head->robot, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (!(time_s >= 0 && time_s < 1e10)) {
        return tp_fail(err, TP_E_SYNTAX, "word 1: not a time");
    }
    head->time_ns = (uint64_t)(time_s * 1e3 + 0.5) * 1000000;
    const size_t length = strcspn(r->at, " \t\r\n");
    (void)snprintf(interface, sizeof interface, "%.*s", (int)(length < 48 ? length : 47), r->at);
    r->at += length + strspn(r->at + length, " \t\r\n");
    r->words++;
    head->interface = tp_catalogue_named(catalogue, interface);
    status = take_whole(r, UINT16_MAX, &head->index, err);
    status = status == TP_OK ? take_whole(r, 255, &type, err) : status;
    status = status == TP_OK ? take_whole(r, 255, &code, err) : status;
    if (status == TP_OK && head->interface != NULL && (type == TYPE_DATA || type == TYPE_ANSWER)) {
        head->what = tp_interface_message(head->interface,
                                          type == TYPE_DATA ? TP_KIND_DATA : TP_KIND_REQUEST, code);
    }
    if (status == TP_OK && (head->what == NULL || layout_of(head->interface, head->what) == NULL)) {
        return tp_fail(err, TP_E_UNSUPPORTED, "no message %s %u:%u is known", interface,
                       (unsigned)type, (unsigned)code);
    }
    return status;
}

static tp_status read_numbers(struct reading *r, const tp_message *what, const char *at,
                              tp_error *err)
{
    tp_status status = TP_OK;
    struct word word;

    r->type = type_of(what);
    r->value = calloc(1, r->type->size);
    if (r->value == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    while (status == TP_OK && take_word(&at, &word)) {
        status = word.begins ? read_group(r, &at, err) : read_one(r, &word, 0, err);
    }
    return status;
}

tp_status tpi_log_text_read(tpi_log_text *head, const char *line, const tp_catalogue *catalogue,
                            void **value, tp_error *err)
{
    struct reading r = {.at = line + strspn(line, " \t\r\n")};

    *head = (tpi_log_text){0};
    *value = NULL;
    if (*r.at == '#' || *r.at == '\0') {
        return TP_E_CLOSED;
    }
    tp_status status = read_head(&r, head, catalogue, err);
    if (status == TP_OK) {
        status = read_numbers(&r, head->what, layout_of(head->interface, head->what), err);
    }
    if (status == TP_OK) {
        status = tp_value_copy(value, r.type, r.value, NULL);
    }
    for (unsigned i = 0; i < r.array_count; i++) {
        free(r.arrays[i]);
    }
    free(r.value);
    return status;
}
