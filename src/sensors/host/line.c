/* line.c - a line without a descriptor whose far side is an emulated sensor; see line.h. */
#include "sensors/host/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sensors/emulated.h"
#include "sensors/host/files.h"

enum { LONGEST = 1024, MOST_WAVES = 16 };

struct line {
    tpi_line line;
    tpi_emulated *sensor;  /* owned */
    const tp_clock *clock; /* borrowed */
    int64_t began_ns;
    int64_t skipped_ns; /* it is not earlier than this */
};

/* What the URL says. */
struct wish {
    char text[LONGEST]; /* cut into pieces, which the rest points to */
    const char *waves[MOST_WAVES];
    unsigned wave_count;
    tpi_emulated_options options;
};

static struct line *of(tpi_line *line)
{
    return (struct line *)line;
}

/* ---- The URL --------------------------------------------------------------------------------- */

static tp_status read_percent(const char *text, double *out, tp_error *err)
{
    double value = 0;

    if (text[0] == '\0' || tpi_number_read_f64(text, strlen(text), &value) != strlen(text) ||
        !(value >= 0 && value <= 100)) {
        return tp_fail(err, TP_E_INVALID, "\"%.40s\" is no percentage", text);
    }
    *out = value / 100;
    return TP_OK;
}

static tp_status read_setting(struct wish *w, const char *text, tp_error *err)
{
    int64_t seed = 0;

    if (strncmp(text, "wave=", 5) == 0) {
        if (w->wave_count == MOST_WAVES) {
            return tp_fail(err, TP_E_LIMIT, "a sensor has at most %d waves", MOST_WAVES);
        }
        w->waves[w->wave_count++] = text + 5;
        return TP_OK;
    }
    if (strncmp(text, "lose=", 5) == 0) {
        return read_percent(text + 5, &w->options.lose, err);
    }
    if (strncmp(text, "garble=", 7) == 0) {
        return read_percent(text + 7, &w->options.garble, err);
    }
    if (strncmp(text, "seed=", 5) == 0 && tpi_number_read_i64(text + 5, strlen(text + 5), &seed)) {
        w->options.seed = (uint64_t)seed;
        return TP_OK;
    }
    return tp_fail(err, TP_E_INVALID,
                   "\"%.40s\" is no setting; there are wave=1=sine, lose=1, garble=1, seed=1",
                   text);
}

static tp_status read_wish(struct wish *w, const char *rest, tp_error *err)
{
    tp_status status = TP_OK;
    char *left = NULL;

    if (strlen(rest) >= sizeof w->text) {
        return tp_fail(err, TP_E_LIMIT, "the URL is longer than %d characters", LONGEST - 1);
    }
    memcpy(w->text, rest, strlen(rest) + 1);
    char *question = strchr(w->text, '?');
    if (question != NULL) {
        *question = '\0';
    }
    if (w->text[0] == '\0') {
        return tp_fail(err, TP_E_INVALID, "which sensor? sensor:nxt_light");
    }
    char *piece = question == NULL ? NULL : strtok_r(question + 1, "&", &left);
    for (; piece != NULL && status == TP_OK; piece = strtok_r(NULL, "&", &left)) {
        status = read_setting(w, piece, err);
    }
    return status;
}

static tp_status make_sensor(struct line *l, const struct wish *w, tp_error *err)
{
    tpi_manifest *manifest = NULL;
    tpi_buf text = {0};
    tp_status status = tpi_sensor_files_read(&manifest, &text, w->text, NULL, err);

    tpi_manifest_destroy(manifest);
    if (status == TP_OK) {
        status = tpi_emulated_create(&l->sensor, tpi_buf_text(&text), text.length, w->text,
                                     &w->options, err);
    }
    for (unsigned i = 0; i < w->wave_count && status == TP_OK; i++) {
        status = tpi_emulated_set_wave(l->sensor, w->waves[i], err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* ---- Bytes and time -------------------------------------------------------------------------- */

static void catch_up(struct line *l)
{
    int64_t now_ns = tp_clock_now_ns(l->clock);

    now_ns = now_ns > l->skipped_ns ? now_ns : l->skipped_ns;
    tpi_emulated_advance(l->sensor, (uint64_t)((now_ns - l->began_ns) / TP_NS_PER_US));
}

static int64_t line_due_ns(const tpi_line *line)
{
    const struct line *l = (const struct line *)line;
    const uint64_t due_us = tpi_emulated_due_us(l->sensor);

    if (tpi_emulated_waiting(l->sensor) > 0) {
        return INT64_MIN;
    }
    return due_us == UINT64_MAX ? TP_NEVER : l->began_ns + (int64_t)due_us * TP_NS_PER_US;
}

static void line_skip_to(tpi_line *line, int64_t until_ns)
{
    struct line *l = of(line);

    l->skipped_ns = until_ns > l->skipped_ns ? until_ns : l->skipped_ns;
}

static tp_status line_read(tpi_line *line, void *bytes, size_t size, size_t *length, tp_error *err)
{
    (void)err;
    catch_up(of(line));
    *length = tpi_emulated_output(of(line)->sensor, bytes, size);
    return TP_OK;
}

static tp_status line_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                            tp_error *err)
{
    (void)err;
    catch_up(of(line));
    tpi_emulated_input(of(line)->sensor, bytes, size);
    *length = size;
    return TP_OK;
}

static void line_close(tpi_line *line)
{
    tpi_emulated_destroy(of(line)->sensor);
    free(of(line));
}

static const tpi_line_ops line_ops = {
    .read = line_read,
    .write = line_write,
    .due_ns = line_due_ns,
    .skip_to = line_skip_to,
    .close = line_close,
};

static tp_status open_line(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    struct line *l = calloc(1, sizeof *l);
    struct wish *w = calloc(1, sizeof *w);
    tp_status status = l == NULL || w == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;

    status = status == TP_OK ? read_wish(w, plan->rest, err) : status;
    status = status == TP_OK ? make_sensor(l, w, err) : status;
    free(w);
    if (status != TP_OK) {
        if (l != NULL) {
            tpi_emulated_destroy(l->sensor);
        }
        free(l);
        return status;
    }
    l->line = (tpi_line){.ops = &line_ops, .url = plan->url, .fd = -1};
    l->clock = plan->clock;
    l->skipped_ns = INT64_MIN;
    l->began_ns = tp_clock_now_ns(l->clock);
    *out = &l->line;
    return TP_OK;
}

const tp_scheme tpi_scheme_sensor = {.name = "sensor", .open = open_line};
