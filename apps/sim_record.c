/* sim_record.c - where robots were, step by step; see sim_record.h. */
#include "sim_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe/clock.h"

enum { MOST_WAITING = 32 << 10, LONGEST_MS = 250 }; /* how many bytes wait, and how long */
enum { PAGE = 4096 };                               /* at whose ends writing may be cut off */

struct robot {
    uint32_t order; /* in the file */
    tpi_sim_model model;
};

struct sim_record {
    FILE *file;           /* owned; without a buffer of its own */
    tpi_buf lines;        /* whole ones that are not written yet */
    tpi_buf name;         /* of the robot at hand */
    struct robot *robots; /* owned: in the order of the file; NULL before the first step */
    size_t robot_count;
    char path[1024];    /* for errors */
    int64_t time_us;    /* of the last lines */
    int64_t written_ns; /* when */
    size_t size;        /* of the file */
    int error;          /* the first; after it nothing is written */
};

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* How much of these lines goes in one piece: those within a page of the file, or the one that
 * reaches into the next. */
static size_t piece_of(const sim_record *record, const char *text, size_t length)
{
    const size_t room = PAGE - record->size % PAGE;
    size_t end = room < length ? room : length;

    while (end > 0 && text[end - 1] != '\n') {
        end--;
    }
    if (end > 0) {
        return end;
    }
    const char *line_end = memchr(text, '\n', length);
    return line_end == NULL ? length : (size_t)(line_end - text) + 1;
}

/* A file whose writer is killed should not end within a line. A process that is killed in a write
 * has written whole pages, so nothing but a single line is written across a page's end. That line
 * can still be cut there: on a busy disk the system waits between two pages of one write. */
static void write_lines(sim_record *record)
{
    const char *text = record->lines.data;
    size_t left = record->lines.length;

    if (record->error == 0 && record->lines.failed) {
        record->error = ENOMEM;
    }
    while (record->error == 0 && left > 0) {
        const size_t piece = piece_of(record, text, left);
        if (fwrite(text, 1, piece, record->file) != piece) {
            record->error = errno;
        }
        record->size += piece;
        text += piece;
        left -= piece;
    }
    tpi_buf_clear(&record->lines);
    record->written_ns = now_ns();
}

tp_status sim_record_open(sim_record **out, const char *path, tp_error *err)
{
    sim_record *record = calloc(1, sizeof *record);

    *out = NULL;
    if (record == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    snprintf(record->path, sizeof record->path, "%s", path);
    record->time_us = -1;
    record->file = fopen(path, "w");
    if (record->file == NULL) {
        tp_fail(err, TP_E_IO, "cannot write %s: %s", path, strerror(errno));
        free(record);
        return TP_E_IO;
    }
    setvbuf(record->file, NULL, _IONBF, 0);
    tpi_buf_puts(&record->lines, "time,robot,x,y,heading,vx,vy,turn,stalled\n");
    write_lines(record);
    *out = record;
    return TP_OK;
}

/* As spreadsheets want it: in quotation marks, those within it doubled. */
static void put_name(sim_record *record)
{
    const char *name = tpi_buf_text(&record->name);
    tpi_buf *out = &record->lines;

    if (strpbrk(name, ",\"\n\r") == NULL) {
        tpi_buf_puts(out, name);
        return;
    }
    tpi_buf_putc(out, '"');
    for (; *name != '\0'; name++) {
        tpi_buf_puts(out, *name == '"' ? "\"" : "");
        tpi_buf_putc(out, *name);
    }
    tpi_buf_putc(out, '"');
}

/* In milliseconds, unless steps are finer. */
static void put_time(sim_record *record, const tpi_sim *sim)
{
    const int digits = tpi_sim_interval_us(sim) % 1000 == 0 ? 3 : 6;

    tpi_buf_printf(&record->lines, "%.*f,", digits, (double)record->time_us * 1e-6);
}

static void put_robot(sim_record *record, const tpi_sim *sim, tpi_sim_model model)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, model);
    tpi_sim_motion motion;

    if (tpi_sim_get_motion(sim, model, &motion, NULL) != TP_OK) {
        return;
    }
    tpi_buf_clear(&record->name);
    tpi_sim_put_name(sim, model, &record->name);
    put_time(record, sim);
    put_name(record);
    tpi_buf_printf(&record->lines, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\n", pose.x, pose.y, pose.a,
                   motion.velocity[0], motion.velocity[1], motion.velocity[2], motion.stalled);
    if (record->lines.length >= MOST_WAITING) {
        write_lines(record);
    }
}

static int compare(const void *left, const void *right)
{
    const struct robot *a = left;
    const struct robot *b = right;

    if (a->order != b->order) {
        return a->order < b->order ? -1 : 1;
    }
    return a->model < b->model ? -1 : 1;
}

/* Once, since the robots of a world stay the same. */
static void list_robots(sim_record *record, const tpi_sim *sim)
{
    const uint32_t count = tpi_sim_model_count(sim);
    tpi_sim_info info;

    record->robots = calloc((size_t)count + 1, sizeof *record->robots);
    if (record->robots == NULL) {
        record->error = ENOMEM;
        return;
    }
    for (tpi_sim_model i = 0; i < count; i++) {
        tpi_sim_model_info(sim, i, &info);
        if (info.kind == TPI_SIM_POSITION) {
            record->robots[record->robot_count++] =
                (struct robot){.order = tpi_sim_model_order(sim, i), .model = i};
        }
    }
    qsort(record->robots, record->robot_count, sizeof *record->robots, compare);
}

static void put_robots(sim_record *record, const tpi_sim *sim)
{
    if (record->robots == NULL) {
        list_robots(record, sim);
    }
    for (size_t i = 0; i < record->robot_count; i++) {
        put_robot(record, sim, record->robots[i].model);
    }
}

void sim_record_note(sim_record *record, const tpi_sim *sim)
{
    if (tpi_sim_time_us(sim) != record->time_us && record->error == 0) {
        record->time_us = tpi_sim_time_us(sim);
        put_robots(record, sim);
    }
    if (record->lines.length > 0 && now_ns() - record->written_ns >= LONGEST_MS * TP_NS_PER_MS) {
        write_lines(record);
    }
}

tp_status sim_record_close(sim_record *record, tp_error *err)
{
    tp_status status = TP_OK;

    if (record == NULL) {
        return TP_OK;
    }
    write_lines(record);
    if (fclose(record->file) != 0 && record->error == 0) {
        record->error = errno;
    }
    if (record->error != 0) {
        status =
            tp_fail(err, TP_E_IO, "cannot write %s: %s", record->path, strerror(record->error));
    }
    tpi_buf_fini(&record->lines);
    tpi_buf_fini(&record->name);
    free(record->robots);
    free(record);
    return status;
}
