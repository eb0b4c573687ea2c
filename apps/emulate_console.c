/* emulate_console.c - commands for emulated robots in lockstep; see emulate_console.h. */
#include "emulate_console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { WORDS = 3, LONGEST = 4096 };
static const double longest_s = 1e6;

struct words {
    char *at[WORDS];
    size_t count;
};

static void split(struct words *words, char *line)
{
    char *rest = NULL;

    words->count = 0;
    for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && words->count < WORDS;
         word = strtok_r(NULL, " \t\r", &rest)) {
        words->at[words->count++] = word;
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status find_robot(const emulate_console *c, const char *name, size_t *index,
                            tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < tpi_scene_count(c->scene); i++) {
        if (strcmp(tpi_scene_name(c->scene, i), name) == 0) {
            *index = i;
            return TP_OK;
        }
        tpi_nearest_offer(&nearest, tpi_scene_name(c->scene, i));
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no robot \"%.40s\"%s", name,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status do_run(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    char *end = NULL;
    const double seconds = strtod(w->at[1], &end);

    (void)out;
    if (end == w->at[1] || *end != '\0' || !(seconds >= 0 && seconds <= longest_s)) {
        return tp_fail(err, TP_E_INVALID, "\"%.40s\" is no number of seconds", w->at[1]);
    }
    c->until_us += llround(seconds * 1e6 / TPI_SCENE_STEP_US) * TPI_SCENE_STEP_US;
    c->running = true;
    return TP_OK;
}

static tp_status do_await(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    char *end = NULL;
    const unsigned long long bytes = strtoull(w->at[2], &end, 10);
    size_t index = 0;
    const tp_status status = find_robot(c, w->at[1], &index, err);

    (void)out;
    if (status == TP_OK && (end == w->at[2] || *end != '\0')) {
        return tp_fail(err, TP_E_INVALID, "\"%.40s\" is no number of bytes", w->at[2]);
    }
    if (status == TP_OK) {
        c->awaited = index + 1;
        c->wanted = c->counted[index] + bytes;
        c->counted[index] = c->wanted;
    }
    return status;
}

static tp_status do_where(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    (void)w;
    (void)err;
    for (size_t i = 0; i < tpi_scene_count(c->scene); i++) {
        const tpi_sim_pose pose = tpi_sim_global_pose(tpi_scene_world(c->scene),
                                                      tpi_emu_model(tpi_scene_robot(c->scene, i)));
        tpi_buf_printf(out, "%s %.4f %.4f %.2f\n", tpi_scene_name(c->scene, i), pose.x, pose.y,
                       pose.a * 180 / 3.14159265358979323846);
    }
    return TP_OK;
}

static tp_status press(emulate_console *c, const struct words *w, bool pressed, tp_error *err)
{
    size_t index = 0;
    const tp_status status = find_robot(c, w->at[1], &index, err);

    return status == TP_OK ? tpi_emu_press(tpi_scene_robot(c->scene, index), w->at[2], pressed, err)
                           : status;
}

static tp_status do_press(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    (void)out;
    return press(c, w, true, err);
}

static tp_status do_release(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    (void)out;
    return press(c, w, false, err);
}

static tp_status set_fault(emulate_console *c, const struct words *w, bool on, tp_error *err)
{
    tpi_emu_fault_kind kind = TPI_EMU_SILENT;
    size_t index = 0;
    tp_status status = find_robot(c, w->at[1], &index, err);

    if (status == TP_OK) {
        status = tpi_emu_fault_read_kind(&kind, w->at[2], strlen(w->at[2]), err);
    }
    if (status == TP_OK) {
        tpi_emu_set_fault(tpi_scene_robot(c->scene, index), kind, on);
    }
    return status;
}

static tp_status do_fault(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    (void)out;
    return set_fault(c, w, true, err);
}

static tp_status do_mend(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    (void)out;
    return set_fault(c, w, false, err);
}

static tp_status do_quit(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    (void)w;
    (void)out;
    (void)err;
    c->quit = true;
    return TP_OK;
}

static const struct known {
    const char *name;
    size_t words;
    tp_status (*run)(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err);
    const char *usage;
} known[] = {
    {"run", 2, do_run, "run SECONDS"},
    {"await", 3, do_await, "await ROBOT BYTES"},
    {"where", 1, do_where, "where"},
    {"press", 3, do_press, "press ROBOT PART"},
    {"release", 3, do_release, "release ROBOT PART"},
    {"fault", 3, do_fault, "fault ROBOT KIND"},
    {"mend", 3, do_mend, "mend ROBOT KIND"},
    {"quit", 1, do_quit, "quit"},
};

static tp_status unknown(const char *word, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, word);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        tpi_nearest_offer(&nearest, known[i].name);
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no command \"%.40s\"%s", word,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status run_words(emulate_console *c, const struct words *w, tpi_buf *out, tp_error *err)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, w->at[0]) == 0) {
            return w->count == known[i].words
                       ? known[i].run(c, w, out, err)
                       : tp_fail(err, TP_E_INVALID, "it is: %s", known[i].usage);
        }
    }
    return unknown(w->at[0], err);
}

/* ---- Lines of input -------------------------------------------------------------------------- */

static bool is_waiting(const emulate_console *c)
{
    return c->awaited > 0 || c->running;
}

static void run_line(emulate_console *c, char *line, tpi_buf *out)
{
    const size_t before = out->length;
    struct words words;
    tp_error err = {0};

    split(&words, line);
    if (words.count == 0) {
        return;
    }
    if (run_words(c, &words, out, &err) != TP_OK) {
        tpi_buf_printf(out, "error: %s\n", err.text);
    } else if (out->length == before && !is_waiting(c)) {
        tpi_buf_puts(out, "ok\n");
    }
}

/* What was waited for has come. */
static void end_waits(emulate_console *c, tpi_buf *out)
{
    if (c->awaited > 0 && emulate_line_received(c->lines[c->awaited - 1]) >= c->wanted) {
        c->awaited = 0;
        tpi_buf_puts(out, "ok\n");
    }
    if (c->running && tpi_scene_time_us(c->scene) >= c->until_us) {
        c->running = false;
        tpi_buf_printf(out, "time %.3f\n", (double)c->until_us * 1e-6);
    }
}

void emulate_console_feed(emulate_console *console, const char *bytes, size_t length)
{
    if (console->input.length + length <= 16 * LONGEST) {
        tpi_buf_put(&console->input, bytes, length);
    }
}

bool emulate_console_work(emulate_console *c, tpi_buf *out)
{
    end_waits(c, out);
    while (!c->quit && !is_waiting(c) && c->input.length > 0) {
        char *end = memchr(c->input.data, '\n', c->input.length);
        if (end == NULL) {
            break;
        }
        *end = '\0';
        run_line(c, c->input.data, out);
        const size_t length = (size_t)(end - c->input.data) + 1;
        c->input.length -= length;
        memmove(c->input.data, c->input.data + length, c->input.length);
        end_waits(c, out);
    }
    return !c->quit && c->running;
}

void emulate_console_fini(emulate_console *console)
{
    tpi_buf_fini(&console->input);
}
