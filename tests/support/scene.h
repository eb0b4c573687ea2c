/* scene.h - emulated robots in small worlds, and conversations with them, for tests of src/emulate.
 */
#ifndef TROUPE_TESTS_SCENE_H
#define TROUPE_TESTS_SCENE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "emulate/scene.h"
#include "support/unit.h"

/* A robot, and what it said last. */
struct stage {
    tpi_scene *scene;
    tpi_emu *robot;
    tpi_buf heard; /* as hex with blanks */
    tpi_buf trace; /* lines */
};

static inline void stage_trace(void *context, const char *line)
{
    tpi_buf_printf(context, "%s\n", line);
}

/* A world with one robot in the middle, facing along x; `wires` and `fault` may be NULL. */
static inline void stage_open(struct stage *s, const char *kind, const char *world,
                              const char *const *wires, const char *fault)
{
    tpi_emu_fault made = {0};
    tp_error err = {0};

    *s = (struct stage){0};
    if (fault != NULL) {
        assert_int_equal(tpi_emu_fault_parse(&made, fault, &err), TP_OK);
    }
    const tpi_scene_actor actor = {.kind = tpi_emu_kind_named(kind, &err),
                                   .placed = true,
                                   .options = {.wires = wires,
                                               .faults = &made,
                                               .fault_count = fault == NULL ? 0 : 1,
                                               .trace = stage_trace,
                                               .context = &s->trace}};
    const tpi_scene_plan plan = {
        .text = world, .folders = TEST_ROOT "/worlds", .seed = 1, .actors = &actor, .count = 1};
    assert_non_null(actor.kind);
    tp_status status = tpi_scene_create(&s->scene, &plan, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    s->robot = tpi_scene_robot(s->scene, 0);
}

static inline void stage_close(struct stage *s)
{
    tpi_scene_destroy(s->scene);
    tpi_buf_fini(&s->heard);
    tpi_buf_fini(&s->trace);
}

/* Let time pass. */
static inline void stage_run(struct stage *s, double seconds)
{
    tpi_scene_advance(s->scene, tpi_scene_time_us(s->scene) + llround(seconds * 1e6));
}

/* All that the robot has said since the last call, as "02 0b 00". */
static inline const char *stage_heard(struct stage *s)
{
    uint8_t bytes[4096];
    size_t length;

    tpi_buf_clear(&s->heard);
    while ((length = tpi_emu_output(s->robot, bytes, sizeof bytes)) > 0) {
        for (size_t i = 0; i < length; i++) {
            tpi_buf_printf(&s->heard, "%s%02x", s->heard.length > 0 ? " " : "", bytes[i]);
        }
    }
    return tpi_buf_text(&s->heard);
}

/* Say bytes, written as hex. */
static inline void stage_say(struct stage *s, const char *hex)
{
    tpi_buf bytes = {0};

    assert_int_equal(tpi_hex_read(&bytes, hex, strlen(hex), NULL), TP_OK);
    tpi_emu_input(s->robot, bytes.data, bytes.length);
    tpi_buf_fini(&bytes);
}

/* Say something, and what it answers at once. */
static inline const char *stage_ask(struct stage *s, const char *hex)
{
    (void)stage_heard(s);
    stage_say(s, hex);
    return stage_heard(s);
}

static inline tpi_sim_pose stage_pose(const struct stage *s)
{
    return tpi_sim_global_pose(tpi_scene_world(s->scene), tpi_emu_model(s->robot));
}

/* A number is between two others. */
#define assert_between(value, low, high)                                                           \
    do {                                                                                           \
        const double found_ = (double)(value);                                                     \
        if (!(found_ >= (low) && found_ <= (high))) {                                              \
            fail_msg("%.9g is not between %.9g and %.9g", found_, (double)(low), (double)(high));  \
        }                                                                                          \
    } while (0)

#endif
