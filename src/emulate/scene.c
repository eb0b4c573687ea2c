/*
 * scene.c - a world with emulated robots; see scene.h.
 *
 * The world is a text that includes the user's file and has the robots behind it. Robots without a
 * place need the user's world once before, to look for one.
 */
#include "emulate/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

struct actor {
    char name[LONGEST_NAME];
    tpi_emu *robot; /* owned */
};

struct tpi_scene {
    tpi_sim *world; /* owned */
    struct actor actors[TPI_SCENE_MOST];
    double places[TPI_SCENE_MOST][3]; /* x, y, radius: while it is made */
    double headings[TPI_SCENE_MOST];  /* degrees */
    size_t count;
};

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_taken(const tpi_scene *scene, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(scene->actors[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Names that cannot stand in a text of the world are refused. */
static tp_status check_name(const tpi_scene *scene, size_t index, const char *name, tp_error *err)
{
    if (name[0] == '\0' || strlen(name) >= LONGEST_NAME || strpbrk(name, "\"\\/.\n\r") != NULL) {
        return tp_fail(err, TP_E_INVALID,
                       "\"%.80s\" is no name for a robot: 1 to %d characters without \" \\ / .",
                       name, LONGEST_NAME - 1);
    }
    return is_taken(scene, index, name)
               ? tp_fail(err, TP_E_INVALID, "two robots have the name \"%s\"", name)
               : TP_OK;
}

static tp_status name_actor(tpi_scene *scene, size_t index, const tpi_scene_actor *actor,
                            tp_error *err)
{
    char *name = scene->actors[index].name;
    const char *kind = tpi_emu_kind_name(actor->kind);

    if (actor->name != NULL) {
        const tp_status status = check_name(scene, index, actor->name, err);
        (void)snprintf(name, LONGEST_NAME, "%s", status == TP_OK ? actor->name : "");
        return status;
    }
    (void)snprintf(name, LONGEST_NAME, "%s", kind);
    for (unsigned number = 2; is_taken(scene, index, name); number++) {
        (void)snprintf(name, LONGEST_NAME, "%s%u", kind, number);
    }
    return TP_OK;
}

/* The robot that carries another one; SIZE_MAX for none. */
static size_t carrier_of(const tpi_scene *scene, const tpi_scene_plan *plan, size_t index)
{
    const char *on = plan->actors[index].on;

    for (size_t i = 0; on != NULL && i < plan->count; i++) {
        if (i != index && strcmp(scene->actors[i].name, on) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* What carries something stands on the floor. */
static tp_status check_carriers(const tpi_scene *scene, const tpi_scene_plan *plan, tp_error *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        const size_t carrier = carrier_of(scene, plan, i);
        if (plan->actors[i].on == NULL) {
            continue;
        }
        if (carrier == SIZE_MAX || plan->actors[carrier].on != NULL) {
            return tp_fail(err, TP_E_INVALID, "%s: \"%.60s\" is no robot here that can carry it",
                           scene->actors[i].name, plan->actors[i].on);
        }
    }
    return TP_OK;
}

/* ---- The text of the world ------------------------------------------------------------------- */

/* Beside the user's world, so that what it includes is found. */
static void put_path(tpi_buf *path, const char *world)
{
    const char *slash = world == NULL ? NULL : strrchr(world, '/');

    tpi_buf_put(path, world, slash == NULL ? 0 : (size_t)(slash - world) + 1);
    tpi_buf_puts(path, "emulated.world");
}

static void put_world(tpi_buf *text, const tpi_scene_plan *plan)
{
    if (plan->world != NULL) {
        const char *slash = strrchr(plan->world, '/');
        tpi_buf_printf(text, "include \"%s\"\n", slash == NULL ? plan->world : slash + 1);
    } else {
        tpi_buf_puts(text, "name \"floor\"\nambient_light 0.1\n");
    }
    tpi_buf_printf(text, "%s\n", plan->text == NULL ? "" : plan->text);
    tpi_buf_printf(text, "interval_sim %d\n", TPI_SCENE_STEP_US / 1000);
}

static void put_include(tpi_buf *text, const tpi_scene_plan *plan, size_t index)
{
    const char *file = tpi_emu_kind_file(plan->actors[index].kind);
    bool included = false;

    for (size_t k = 0; k < index; k++) {
        included = included || strcmp(tpi_emu_kind_file(plan->actors[k].kind), file) == 0;
    }
    if (!included) {
        tpi_buf_printf(text, "include \"%s\"\n", file);
    }
}

/* A robot, and what it carries. */
static void put_robot(tpi_buf *text, const tpi_scene *scene, const tpi_scene_plan *plan,
                      size_t index)
{
    tpi_buf_printf(text, "%s ( name \"%s\" pose [%.9g %.9g 0 %.9g]",
                   tpi_emu_kind_macro(plan->actors[index].kind), scene->actors[index].name,
                   scene->places[index][0], scene->places[index][1], scene->headings[index]);
    for (size_t i = 0; i < scene->count && plan->actors[index].on == NULL; i++) {
        if (carrier_of(scene, plan, i) == index) {
            tpi_buf_puts(text, " ");
            put_robot(text, scene, plan, i);
        }
    }
    tpi_buf_puts(text, " )\n");
}

static void put_robots(tpi_buf *text, const tpi_scene *scene, const tpi_scene_plan *plan)
{
    for (size_t i = 0; i < scene->count; i++) {
        put_include(text, plan, i);
    }
    for (size_t i = 0; i < scene->count; i++) {
        if (plan->actors[i].on == NULL) {
            put_robot(text, scene, plan, i);
        }
    }
}

/* Receives notes of the world for the plan. */
static void pass_note(void *context, const char *text)
{
    const tpi_scene_plan *plan = context;

    /* the steps are ours, whatever the world says; and the world may have the macros already */
    if (strstr(text, "\"interval_sim\" is given again") == NULL &&
        strstr(text, " stays; this one is ignored") == NULL) {
        plan->note(plan->context, text);
    }
}

static tp_status parse(tpi_sim **out, const tpi_scene_plan *plan, const tpi_buf *text, bool noting,
                       tp_error *err)
{
    tpi_scene_plan own = *plan;
    const tpi_sim_options options = {.seed = plan->seed,
                                     .path = plan->folders,
                                     .note = noting && plan->note != NULL ? pass_note : NULL,
                                     .context = &own};
    tpi_buf path = {0};

    put_path(&path, plan->world);
    const tp_status status =
        path.failed || text->failed
            ? tp_fail(err, TP_E_NOMEM, "out of memory")
            : tpi_sim_parse(out, tpi_buf_text(&path), text->data, text->length, &options, err);
    tpi_buf_fini(&path);
    return status;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static bool all_placed(const tpi_scene_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->actors[i].placed && plan->actors[i].on == NULL) {
            return false;
        }
    }
    return true;
}

/* Those that are placed first, since the others have to keep away from them. */
static void take_given_places(tpi_scene *scene, const tpi_scene_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const tpi_scene_actor *actor = &plan->actors[i];
        scene->places[i][0] = actor->placed || actor->on != NULL ? actor->x : 1e9;
        scene->places[i][1] = actor->y;
        scene->places[i][2] = tpi_emu_kind_radius(actor->kind);
        scene->headings[i] = actor->degrees;
    }
}

static tp_status find_places(tpi_scene *scene, const tpi_scene_plan *plan, tp_error *err)
{
    const double(*others)[3] = (const double(*)[3])scene->places;
    tpi_buf text = {0};
    tpi_sim *empty = NULL;

    put_world(&text, plan);
    tp_status status = parse(&empty, plan, &text, false, err);
    tpi_buf_fini(&text);
    for (size_t i = 0; i < plan->count && status == TP_OK; i++) {
        double *place = scene->places[i];
        double x = 0;
        double y = 0;
        if (plan->actors[i].placed || plan->actors[i].on != NULL) {
            continue;
        }
        status = tpi_place_find(empty, place[2] + 0.02, others, plan->count, &x, &y)
                     ? TP_OK
                     : tp_fail(err, TP_E_LIMIT, "%s: no free place in this world; give it one",
                               scene->actors[i].name);
        place[0] = x;
        place[1] = y;
    }
    tpi_sim_destroy(empty);
    return status;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static tp_status check_plan(const tpi_scene_plan *plan, tp_error *err)
{
    if (plan->count == 0 || plan->count > TPI_SCENE_MOST) {
        return tp_fail(err, TP_E_LIMIT, "a world has 1 to %d emulated robots", TPI_SCENE_MOST);
    }
    for (size_t i = 0; i < plan->count; i++) {
        const tpi_scene_actor *actor = &plan->actors[i];
        if (!isfinite(actor->x) || !isfinite(actor->y) || !isfinite(actor->degrees)) {
            return tp_fail(err, TP_E_RANGE, "a place is not a finite number");
        }
    }
    return TP_OK;
}

static tp_status load_world(tpi_scene *scene, const tpi_scene_plan *plan, tp_error *err)
{
    tpi_buf text = {0};

    put_world(&text, plan);
    put_robots(&text, scene, plan);
    const tp_status status = parse(&scene->world, plan, &text, true, err);
    tpi_buf_fini(&text);
    return status;
}

static tp_status switch_on(tpi_scene *scene, const tpi_scene_plan *plan, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < scene->count && status == TP_OK; i++) {
        struct actor *actor = &scene->actors[i];
        const char *on = plan->actors[i].on;
        char full[2 * LONGEST_NAME + 2];
        (void)snprintf(full, sizeof full, "%s%s%s", on == NULL ? "" : on, on == NULL ? "" : ".",
                       actor->name);
        status = tpi_emu_create(&actor->robot, plan->actors[i].kind, scene->world,
                                tpi_sim_find(scene->world, full), &plan->actors[i].options, err);
        status = status == TP_OK ? TP_OK : tp_wrap(err, status, actor->name);
    }
    return status;
}

static tp_status make(tpi_scene *scene, const tpi_scene_plan *plan, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < plan->count && status == TP_OK; i++) {
        status = name_actor(scene, i, &plan->actors[i], err);
    }
    status = status == TP_OK ? check_carriers(scene, plan, err) : status;
    take_given_places(scene, plan);
    if (status == TP_OK && !all_placed(plan)) {
        status = find_places(scene, plan, err);
    }
    status = status == TP_OK ? load_world(scene, plan, err) : status;
    return status == TP_OK ? switch_on(scene, plan, err) : status;
}

tp_status tpi_scene_create(tpi_scene **out, const tpi_scene_plan *plan, tp_error *err)
{
    tp_status status = check_plan(plan, err);
    tpi_scene *scene = status == TP_OK ? calloc(1, sizeof *scene) : NULL;

    if (scene == NULL) {
        return status == TP_OK ? tp_fail(err, TP_E_NOMEM, "out of memory") : status;
    }
    scene->count = plan->count;
    status = make(scene, plan, err);
    if (status != TP_OK) {
        tpi_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return TP_OK;
}

void tpi_scene_destroy(tpi_scene *scene)
{
    for (size_t i = 0; scene != NULL && i < scene->count; i++) {
        tpi_emu_destroy(scene->actors[i].robot);
    }
    if (scene != NULL) {
        tpi_sim_destroy(scene->world);
    }
    free(scene);
}

/* ---- Time ------------------------------------------------------------------------------------ */

void tpi_scene_advance(tpi_scene *scene, int64_t until_us)
{
    const int64_t interval_us = tpi_sim_interval_us(scene->world);

    while (tpi_sim_time_us(scene->world) <= until_us - interval_us) {
        tpi_sim_step(scene->world);
        for (size_t i = 0; i < scene->count; i++) {
            tpi_emu_tick(scene->actors[i].robot);
        }
    }
}

int64_t tpi_scene_time_us(const tpi_scene *scene)
{
    return tpi_sim_time_us(scene->world);
}

tpi_sim *tpi_scene_world(const tpi_scene *scene)
{
    return scene->world;
}

size_t tpi_scene_count(const tpi_scene *scene)
{
    return scene->count;
}

tpi_emu *tpi_scene_robot(const tpi_scene *scene, size_t index)
{
    return scene->actors[index].robot;
}

const char *tpi_scene_name(const tpi_scene *scene, size_t index)
{
    return scene->actors[index].name;
}
