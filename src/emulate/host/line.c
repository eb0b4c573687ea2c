/*
 * line.c - a line without a descriptor whose far side is an emulated robot; see line.h.
 *
 * The world makes its steps when somebody reads or writes, up to the time of the clock. If that
 * clock stands still while somebody waits, time passes for the line alone (skip_to).
 */
#include "emulate/host/line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "emulate/garble.h"
#include "emulate/scene.h"
#include "sim/host/host.h"

enum { LONGEST = 1024, MOST_WIRES = 16, CHUNK = 1024, LARGEST_WORLD = 16 << 20 };

struct emulated {
    tpi_line line;
    tpi_scene *scene;      /* owned */
    const tp_clock *clock; /* borrowed */
    int64_t began_ns;
    int64_t skipped_ns; /* it is not earlier than this */
    unsigned baud;      /* of the host; 0 for the right one */
    tpi_buf pending;    /* garbled bytes that were not read */
};

/* What the URL says. */
struct wish {
    char text[LONGEST]; /* cut into pieces, which the rest points to */
    tpi_scene_actor actor;
    const char *wires[MOST_WIRES + 1];
    size_t wire_count;
    tpi_emu_fault faults[TPI_EMU_MOST_FAULTS];
    size_t fault_count;
    const char *world;
    uint64_t seed;
};

static struct emulated *of(tpi_line *line)
{
    return (struct emulated *)line;
}

/* ---- The URL --------------------------------------------------------------------------------- */

static tp_status read_at(struct wish *w, const char *text, tp_error *err)
{
    tpi_scene_actor *a = &w->actor;
    char end;

    a->placed = true;
    return sscanf(text, "%lf,%lf,%lf%c", &a->x, &a->y, &a->degrees, &end) == 3 ||
                   sscanf(text, "%lf,%lf%c", &a->x, &a->y, &end) == 2
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "\"%.40s\" is no place, as 1,0.5,90 is", text);
}

static tp_status read_seed(struct wish *w, const char *text, tp_error *err)
{
    char end;

    return sscanf(text, "%" SCNu64 "%c", &w->seed, &end) == 1
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "\"%.40s\" is no seed", text);
}

static tp_status read_wire(struct wish *w, const char *text, tp_error *err)
{
    if (w->wire_count == MOST_WIRES) {
        return tp_fail(err, TP_E_LIMIT, "a robot has at most %d wires", MOST_WIRES);
    }
    w->wires[w->wire_count++] = text;
    return TP_OK;
}

static tp_status read_fault(struct wish *w, const char *text, tp_error *err)
{
    if (w->fault_count == TPI_EMU_MOST_FAULTS) {
        return tp_fail(err, TP_E_LIMIT, "a robot has at most %d faults", TPI_EMU_MOST_FAULTS);
    }
    return tpi_emu_fault_parse(&w->faults[w->fault_count++], text, err);
}

static tp_status read_world(struct wish *w, const char *text, tp_error *err)
{
    (void)err;
    w->world = text;
    return TP_OK;
}

/* For programs that have a world of their own to put the robot in. */
static tp_status read_body(struct wish *w, const char *text, tp_error *err)
{
    (void)err;
    w->actor.name = text;
    return TP_OK;
}

static const struct setting {
    const char *name;
    tp_status (*read)(struct wish *w, const char *text, tp_error *err);
} settings[] = {{"world", read_world}, {"at", read_at},       {"body", read_body},
                {"wire", read_wire},   {"fault", read_fault}, {"seed", read_seed}};

static tp_status read_setting(struct wish *w, char *text, tp_error *err)
{
    char *equals = strchr(text, '=');
    tpi_nearest nearest;
    char hint[64];

    if (equals == NULL) {
        return tp_fail(err, TP_E_INVALID, "a setting is NAME=VALUE, not \"%.40s\"", text);
    }
    *equals = '\0';
    tpi_nearest_init(&nearest, text);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (strcmp(settings[i].name, text) == 0) {
            return settings[i].read(w, equals + 1, err);
        }
        tpi_nearest_offer(&nearest, settings[i].name);
    }
    return tp_fail(err, TP_E_INVALID, "there is no setting \"%.40s\"%s", text,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status read_wish(struct wish *w, const char *rest, tp_error *err)
{
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
        return tp_fail(err, TP_E_INVALID, "which robot? emulate:nxt");
    }
    w->actor.kind = tpi_emu_kind_named(w->text, err);
    tp_status status = w->actor.kind != NULL ? TP_OK : TP_E_UNKNOWN;
    char *piece = question == NULL ? NULL : strtok_r(question + 1, "&", &left);
    for (; piece != NULL && status == TP_OK; piece = strtok_r(NULL, "&", &left)) {
        status = read_setting(w, piece, err);
    }
    return status;
}

/* ---- The world ------------------------------------------------------------------------------- */

static bool can_be_read(const char *path)
{
    tpi_buf text = {0};
    const bool found = tpi_file_read(&text, path, LARGEST_WORLD, NULL) == TP_OK;

    tpi_buf_fini(&text);
    return found;
}

/* The world in one of several folders, which colons divide. */
static bool find_in(tpi_buf *path, const char *folders, const char *name)
{
    bool found = false;

    while (!found && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        tpi_buf_clear(path);
        tpi_buf_printf(path, "%.*s/%s.world", (int)length, folders, name);
        found = can_be_read(tpi_buf_text(path));
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return found;
}

/* A file, from the folder of the configuration on, or one of Troupe's worlds. */
static tp_status find_world(tpi_buf *path, const char *name, const char *folder,
                            const char *folders, tp_error *err)
{
    tpi_buf_printf(path, "%s%s", name[0] == '/' ? "" : folder, name);
    return can_be_read(tpi_buf_text(path)) || find_in(path, folders, name)
               ? TP_OK
               : tp_fail(err, TP_E_UNKNOWN, "there is no world \"%.80s\"", name);
}

static tp_status make_scene(struct emulated *e, struct wish *w, const char *folder, tp_error *err)
{
    tpi_buf path = {0};
    tpi_buf folders = {0};
    tp_status status = TP_OK;

    tpi_sim_folders(&folders, NULL);
    if (w->world != NULL) {
        status = find_world(&path, w->world, folder, tpi_buf_text(&folders), err);
    }
    w->actor.options =
        (tpi_emu_options){.wires = w->wires, .faults = w->faults, .fault_count = w->fault_count};
    if (status == TP_OK) {
        const tpi_scene_plan plan = {.world = w->world == NULL ? NULL : tpi_buf_text(&path),
                                     .folders = tpi_buf_text(&folders),
                                     .seed = w->seed,
                                     .actors = &w->actor,
                                     .count = 1};
        status = tpi_scene_create(&e->scene, &plan, err);
    }
    tpi_buf_fini(&path);
    tpi_buf_fini(&folders);
    return status;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static int64_t now_ns(const struct emulated *e)
{
    const int64_t now = tp_clock_now_ns(e->clock);

    return now > e->skipped_ns ? now : e->skipped_ns;
}

/* Time that the program slept away is not made up for. */
static void catch_up(struct emulated *e)
{
    const int64_t most_ns = 10 * TP_NS_PER_S;
    const int64_t reached_ns = e->began_ns + tpi_scene_time_us(e->scene) * TP_NS_PER_US;
    const int64_t behind_ns = now_ns(e) - reached_ns;

    if (behind_ns > most_ns) {
        e->began_ns += behind_ns - most_ns;
    }
    tpi_scene_advance(e->scene, (now_ns(e) - e->began_ns) / TP_NS_PER_US);
}

static int64_t emulated_due_ns(const tpi_line *line)
{
    const struct emulated *e = (const struct emulated *)line;
    const tpi_emu *robot = tpi_scene_robot(e->scene, 0);

    if (e->pending.length > 0 || tpi_emu_waiting(robot) > 0 ||
        tpi_emu_has_fault(robot, TPI_EMU_UNPLUGGED)) {
        return INT64_MIN;
    }
    return e->began_ns + (tpi_scene_time_us(e->scene) + TPI_SCENE_STEP_US) * (int64_t)TP_NS_PER_US;
}

static void emulated_skip_to(tpi_line *line, int64_t until_ns)
{
    struct emulated *e = of(line);

    e->skipped_ns = until_ns > e->skipped_ns ? until_ns : e->skipped_ns;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The speed of the host if it is a wrong one; 0 if all is well. */
static unsigned wrong_baud(const struct emulated *e)
{
    const unsigned own = tpi_emu_baud(tpi_scene_robot(e->scene, 0));

    return own == 0 || e->baud == own ? 0 : e->baud;
}

static tp_status check_plugged(const struct emulated *e, tp_error *err)
{
    return tpi_emu_has_fault(tpi_scene_robot(e->scene, 0), TPI_EMU_UNPLUGGED)
               ? tp_fail(err, TP_E_CLOSED, "the robot was unplugged")
               : TP_OK;
}

static void garble_output(struct emulated *e, unsigned baud)
{
    tpi_emu *robot = tpi_scene_robot(e->scene, 0);
    char bytes[CHUNK];
    char garbled[16 * CHUNK];
    const size_t length = tpi_emu_output(robot, bytes, sizeof bytes);

    tpi_buf_put(&e->pending, garbled,
                tpi_garble(bytes, length, tpi_emu_baud(robot), baud, garbled, sizeof garbled));
}

static size_t take_pending(struct emulated *e, char *bytes, size_t size)
{
    const size_t length = e->pending.length < size ? e->pending.length : size;

    if (length > 0) {
        memcpy(bytes, e->pending.data, length);
        e->pending.length -= length;
        memmove(e->pending.data, e->pending.data + length, e->pending.length);
    }
    return length;
}

static tp_status emulated_read(tpi_line *line, void *bytes, size_t size, size_t *length,
                               tp_error *err)
{
    struct emulated *e = of(line);

    catch_up(e);
    *length = take_pending(e, bytes, size);
    if (*length > 0) {
        return TP_OK;
    }
    const unsigned baud = wrong_baud(e);
    if (baud > 0) {
        garble_output(e, baud);
        *length = take_pending(e, bytes, size);
    } else {
        *length = tpi_emu_output(tpi_scene_robot(e->scene, 0), bytes, size);
    }
    return *length > 0 ? TP_OK : check_plugged(e, err);
}

static tp_status emulated_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                                tp_error *err)
{
    struct emulated *e = of(line);
    tpi_emu *robot = tpi_scene_robot(e->scene, 0);

    catch_up(e);
    const unsigned baud = wrong_baud(e);
    const size_t taken = size < CHUNK ? size : CHUNK;
    *length = taken;
    if (baud > 0) {
        char garbled[16 * CHUNK];
        tpi_emu_input(robot, garbled,
                      tpi_garble(bytes, taken, baud, tpi_emu_baud(robot), garbled, sizeof garbled));
    } else {
        tpi_emu_input(robot, bytes, taken);
    }
    return check_plugged(e, err);
}

static tp_status emulated_set_baud(tpi_line *line, unsigned baud, tp_error *err)
{
    (void)err;
    of(line)->baud = baud;
    return TP_OK;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void emulated_close(tpi_line *line)
{
    struct emulated *e = of(line);

    tpi_scene_destroy(e->scene);
    tpi_buf_fini(&e->pending);
    free(e);
}

static const tpi_line_ops emulated_ops = {
    .read = emulated_read,
    .write = emulated_write,
    .set_baud = emulated_set_baud,
    .due_ns = emulated_due_ns,
    .skip_to = emulated_skip_to,
    .close = emulated_close,
};

static tp_status open_emulated(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    struct emulated *e = calloc(1, sizeof *e);
    struct wish *w = calloc(1, sizeof *w);
    tp_status status = e == NULL || w == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;

    status = status == TP_OK ? read_wish(w, plan->rest, err) : status;
    status = status == TP_OK ? make_scene(e, w, plan->folder, err) : status;
    free(w);
    if (status != TP_OK) {
        free(e);
        return status;
    }
    e->line = (tpi_line){.ops = &emulated_ops,
                         .url = plan->url,
                         .fd = -1,
                         .is_packets = tpi_emu_has_packets(tpi_scene_robot(e->scene, 0))};
    e->clock = plan->clock;
    e->skipped_ns = INT64_MIN;
    e->began_ns = tp_clock_now_ns(e->clock);
    e->baud = plan->settings.baud;
    *out = &e->line;
    return TP_OK;
}

const tp_scheme tpi_scheme_emulate = {.name = "emulate", .open = open_emulated};
