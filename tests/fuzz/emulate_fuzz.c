/*
 * emulate_fuzz.c - any bytes to an emulated robot, cut anywhere, at any time.
 *
 * The first byte chooses the robot. Then pieces follow: a byte for the time that passes, a byte for
 * the length, the bytes. Output is bounded and time goes on.
 */
#include <stdio.h>

#include "emulate/scene.h"
#include "fuzz.h"

enum { MOST_PIECES = 64, MOST_US = 1500000 }; /* of simulated time, which takes real time */

static const char world[] = "model ( pose [0.6 0 0 0] size [0.1 2 0.5] )\n"
                            "light ( pose [0 1 0.5 0] intensity 0.5 )\n";

/* Worlds are beside the tests, or in the current folder. */
static tpi_scene *make(const tpi_emu_kind *kind)
{
    const tpi_scene_actor actor = {.kind = kind, .placed = true};
    const tpi_scene_plan plan = {
        .text = world, .folders = FUZZ_ROOT "/worlds", .seed = 1, .actors = &actor, .count = 1};
    tpi_scene *scene = NULL;
    tp_error err = {0};

    if (tpi_scene_create(&scene, &plan, &err) != TP_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        fuzz_require(false, "no world for a robot");
    }
    return scene;
}

static void read_all(tpi_emu *robot)
{
    char bytes[512];
    size_t read = 0;
    size_t length;

    while ((length = tpi_emu_output(robot, bytes, sizeof bytes)) > 0) {
        read += length;
    }
    fuzz_require(read <= 256 * 1024, "more output than is kept");
}

/* A world for each kind, and how it was at the beginning: loading one takes most of the time. */
struct ready {
    tpi_scene *scene;
    tpi_buf state;
};

static struct ready *ready_for(size_t kind)
{
    static struct ready all[32];
    struct ready *ready = &all[kind];

    fuzz_require(kind < sizeof all / sizeof all[0], "more kinds than room");
    if (ready->scene == NULL) {
        ready->scene = make(tpi_emu_kind_at(kind));
        tpi_sim_save(tpi_scene_world(ready->scene), &ready->state);
    }
    return ready;
}

static void pass(tpi_sim *sim, tpi_emu *robot, int64_t until_us)
{
    while (tpi_sim_time_us(sim) < until_us) {
        tpi_sim_step(sim);
        tpi_emu_tick(robot);
    }
}

/* Pieces of input at their times. */
static void talk(tpi_sim *sim, tpi_emu *robot, const uint8_t *data, size_t size)
{
    size_t at = 0;

    for (unsigned pieces = 0; pieces < MOST_PIECES && at + 2 <= size; pieces++) {
        const size_t length = data[at + 1] < size - at - 2 ? data[at + 1] : size - at - 2;
        if (tpi_sim_time_us(sim) < MOST_US) {
            pass(sim, robot, tpi_sim_time_us(sim) + data[at] * INT64_C(1000));
        }
        tpi_emu_input(robot, data + at + 2, length);
        if (pieces % 3 == 0) {
            read_all(robot);
        }
        at += 2 + length;
    }
    read_all(robot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t kinds = 0;
    tpi_emu *robot = NULL;

    while (tpi_emu_kind_at(kinds) != NULL) {
        kinds++;
    }
    if (size < 1) {
        return 0;
    }
    struct ready *ready = ready_for(data[0] % kinds);
    tpi_emu *const own = tpi_scene_robot(ready->scene, 0);
    tpi_sim *const sim = tpi_scene_world(ready->scene);
    fuzz_require(tpi_sim_restore(sim, ready->state.data, ready->state.length, NULL) == TP_OK,
                 "a world that cannot begin again");
    fuzz_require(
        tpi_emu_create(&robot, tpi_emu_kind_of(own), sim, tpi_emu_model(own), NULL, NULL) == TP_OK,
        "no robot for a world");
    talk(sim, robot, data + 1, size - 1);
    tpi_emu_destroy(robot);
    return 0;
}
