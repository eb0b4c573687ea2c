/*
 * gripper.c - the model `gripper`: two paddles that close, and a lift.
 *
 * How it differs from Stage 4.3, on purpose: what is taken stays where the paddles meet it, in the
 * middle between them, instead of jumping to the middle of the gripper; the lift raises paddles and
 * cargo by the height of the gripper; full travel takes two seconds whatever the update interval;
 * beams and contacts see outlines, not rays of a certain height, and what is on the floor only
 * while the gripper is down.
 */
#include "sim/move/gripper.h"

#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/move/actuators.h"
#include "sim/move/carry.h"
#include "sim/move/joint.h"
#include "sim/ray/crowd.h"
#include "sim/world/shape.h"

enum { LEFT = 1, RIGHT = 2 };         /* roles of parts, and which of them touch something */
enum { BETWEEN = 4 };                 /* something is there, whether or not it touches */
enum { INNER = 1, OUTER = 2 };        /* beams */
static const double pace = 0.5;       /* share of the travel per second */
static const double touching = 0.001; /* metres */

/* ---- Properties ------------------------------------------------------------------------------ */

static const char *const properties[] = {"paddle_size", "paddle_state", "autosnatch", NULL};

static tp_status read_paddle(struct sim_reader *reader, tpi_cfg_section *section, double paddle[3])
{
    static const double usual[] = {0.66, 0.1, 0.4};
    static const double most[] = {1, 0.5, 1};

    memcpy(paddle, usual, sizeof usual);
    tp_status status = tpi_sim_read_tuple(reader, section, "paddle_size", "FFF", 3, paddle);
    for (int i = 0; i < 3 && status == TP_OK; i++) {
        if (!(paddle[i] > 0 && paddle[i] < most[i])) {
            return tpi_cfg_fail(&tpi_cfg_find(section, "paddle_size")->place, reader->err,
                                "\"paddle_size\" has shares of the box, from 0 to %g, not %.15g",
                                most[i], paddle[i]);
        }
    }
    return status;
}

/* ["open"|"closed" "up"|"down"] */
static tp_status read_state(struct sim_reader *reader, tpi_cfg_section *section,
                            struct sim_gripper *g)
{
    static const char *const widths[] = {"closed", "open", NULL};
    static const char *const heights[] = {"down", "up", NULL};
    const tpi_cfg_field *field = tpi_cfg_find(section, "paddle_state");
    uint32_t open = 1;
    uint32_t lift = 0;
    tp_status status = tpi_sim_read_word(reader, field, 0, widths, &open);

    tpi_sim_note_surplus(reader, field, 2);
    if (status == TP_OK) {
        status = tpi_sim_read_word(reader, field, 1, heights, &lift);
    }
    g->open = open;
    g->lift = lift;
    return status;
}

static tp_status gripper_read(struct sim_reader *reader, tpi_cfg_section *section,
                              tpi_buf *settings)
{
    struct sim_gripper g;
    uint32_t snatches = 0;

    memset(&g, 0, sizeof g);
    tp_status status = read_paddle(reader, section, g.paddle);
    if (status == TP_OK) {
        status = read_state(reader, section, &g);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_count(reader, section, "autosnatch", 1, &snatches);
    }
    g.snatches = snatches == 1;
    tpi_buf_put(settings, &g, sizeof g);
    return status;
}

/* A base and two paddles in a box of side 1, with the paddles open. */
static tp_status gripper_body(struct sim_reader *reader, tpi_cfg_section *section,
                              struct sim_shape *shape)
{
    double p[3];
    tp_status status = read_paddle(reader, section, p);

    if (status == TP_OK) {
        status = tpi_sim_shape_add_box(shape, 0, 0, 1 - p[0], 1, 0, 1, reader->err);
    }
    if (status == TP_OK) {
        status = tpi_sim_shape_add_box(shape, 1 - p[0], 1 - p[1], 1, 1, 0, p[2], reader->err);
    }
    if (status == TP_OK) {
        status = tpi_sim_shape_add_box(shape, 1 - p[0], 0, 1, p[1], 0, p[2], reader->err);
    }
    if (status == TP_OK) {
        tpi_sim_shape_polygon(shape, 1)->role = LEFT;
        tpi_sim_shape_polygon(shape, 2)->role = RIGHT;
    }
    return status;
}

/* ---- Where it is ----------------------------------------------------------------------------- */

static const struct sim_member *member_of(const struct sim_view *view)
{
    return &view->sim->trees.template[view->tree] -> members[view->device->member];
}

double tpi_sim_gripper_reach(const struct sim_gripper *config, const struct sim_member *member)
{
    return member->traits.size[1] * (0.5 - config->paddle[1]);
}

struct sim_frame tpi_sim_gripper_frame(const struct sim_view *view)
{
    const struct sim_member *member = member_of(view);
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)view->state;
    const struct sim_frame origin = sim_frame_of(&member->traits.origin);
    const struct sim_frame model =
        tpi_sim_member_frame(view->sim, view->tree, view->device->member);
    struct sim_frame body = sim_frame_join(&model, &origin);

    body.z += state->lift * member->traits.size[2];
    return body;
}

/* ---- What is between the paddles ------------------------------------------------------------- */

/* Widen the section by the piece of an edge that is between x0 and x1. */
static void add_edge(double ax, double ay, double bx, double by, double x0, double x1,
                     struct sim_section *section)
{
    const double low = fmax(fmin(ax, bx), x0);
    const double high = fmin(fmax(ax, bx), x1);

    if (low > high) {
        return;
    }
    const double slope = bx != ax ? (by - ay) / (bx - ax) : 0;
    const double ends[] = {bx != ax ? ay + (low - ax) * slope : ay,
                           bx != ax ? ay + (high - ax) * slope : by};
    for (int i = 0; i < 2; i++) {
        section->y0 = fmin(section->y0, ends[i]);
        section->y1 = fmax(section->y1, ends[i]);
    }
}

/* A corner of a tree in the body's frame. */
static void to_body(const tpi_sim *sim, uint32_t tree, uint32_t corner,
                    const struct sim_frame *body, double *x, double *y)
{
    const struct sim_trees *t = &sim->trees;
    const double vx = t->template[tree] -> vx[corner];
    const double vy = t->template[tree] -> vy[corner];
    const double dx = t->x[tree] + t->c[tree] * vx - t->s[tree] * vy - body->x;
    const double dy = t->y[tree] + t->s[tree] * vx + t->c[tree] * vy - body->y;

    *x = body->c * dx + body->s * dy;
    *y = body->c * dy - body->s * dx;
}

bool tpi_sim_gripper_section(const tpi_sim *sim, uint32_t tree, const struct sim_frame *body,
                             double x0, double x1, struct sim_section *section)
{
    const struct sim_template *template = sim->trees.template[tree];

    *section = (struct sim_section){HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < template->part_count; i++) {
        const struct sim_part *part = &template->parts[i];
        for (uint32_t k = part->first;
             (part->flags & SIM_GRIPPABLE) != 0 && k < part->first + part->count; k++) {
            double ax;
            double ay;
            double bx;
            double by;
            to_body(sim, tree, k, body, &ax, &ay);
            to_body(sim, tree, k + 1, body, &bx, &by);
            add_edge(ax, ay, bx, by, x0, x1, section);
        }
    }
    return section->y0 <= section->y1;
}

/* What the paddles could meet: a tree that can be taken, near enough, at their height. */
static bool is_in_reach(const struct sim_view *view, const struct sim_spot *spot, double z)
{
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)view->state;

    return (spot->flags & SIM_GRIPPABLE) != 0 && spot->tree != view->tree &&
           (state->lift < 0.5 || (state->holds != 0 && spot->group == view->group) ||
            spot->z + 1e-9 >= z);
}

/* One look: the part of the paddles from x0 to x1, with `half` to either side of the middle. */
struct look {
    double x0, x1, half;
};

/* Which paddles (LEFT, RIGHT) a tree touches that is BETWEEN them; 0 if it is not. */
static uint32_t touched_by(const struct sim_view *view, uint32_t tree, const struct sim_frame *body,
                           const struct look *look)
{
    struct sim_section section;

    if (!tpi_sim_gripper_section(view->sim, tree, body, look->x0, look->x1, &section) ||
        section.y0 > look->half || section.y1 < -look->half) {
        return 0;
    }
    return (uint32_t)BETWEEN | (section.y1 >= look->half - touching ? LEFT : 0u) |
           (section.y0 <= -look->half + touching ? RIGHT : 0u);
}

/* What is between the paddles, all trees together; *first is the first that touches one. */
static uint32_t look_between(const struct sim_view *view, const struct look *look, uint32_t *first)
{
    const struct sim_frame body = tpi_sim_gripper_frame(view);
    const double reach = hypot(look->x1, look->half);
    const struct sim_spot *end;
    struct sim_near near;
    uint32_t all = 0;

    *first = TPI_SIM_NONE;
    sim_near_init(&near, &view->sim->crowd, body.x, body.y, reach);
    for (const struct sim_spot *at = sim_near_run(&near, &end); at != NULL;
         at = sim_near_run(&near, &end)) {
        for (; at < end; at++) {
            const uint32_t touched =
                is_in_reach(view, at, body.z) ? touched_by(view, at->tree, &body, look) : 0;
            all |= touched;
            if ((touched & (LEFT | RIGHT)) != 0 && at->tree < *first) {
                *first = at->tree;
            }
        }
    }
    return all;
}

/* The inner sides of the paddles. */
static struct look paddles_of(const struct sim_view *view)
{
    const struct sim_gripper *g = view->config;
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)view->state;
    const struct sim_member *member = member_of(view);
    const double length = member->traits.size[0];

    return (struct look){.x0 = length * (0.5 - g->paddle[0]),
                         .x1 = length / 2,
                         .half = state->open * tpi_sim_gripper_reach(g, member)};
}

uint32_t tpi_sim_gripper_touched(const struct sim_view *view)
{
    const struct look paddles = paddles_of(view);
    uint32_t first;

    look_between(view, &paddles, &first);
    return first;
}

static void gripper_sense(const struct sim_view *view)
{
    struct sim_gripper_state *state = (struct sim_gripper_state *)view->state;
    const struct look paddles = paddles_of(view);
    const double length = paddles.x1 - paddles.x0;
    uint32_t first;
    struct look beam = paddles;

    state->contacts = look_between(view, &paddles, &first) & (LEFT | RIGHT);
    beam.x0 = beam.x1 = paddles.x0 + length / 4;
    state->beams = look_between(view, &beam, &first) != 0 ? INNER : 0;
    beam.x0 = beam.x1 = paddles.x0 + length * 3 / 4;
    state->beams |= look_between(view, &beam, &first) != 0 ? OUTER : 0;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void gripper_start(const struct sim_view *view)
{
    const struct sim_gripper *g = view->config;
    struct sim_gripper_state *state = (struct sim_gripper_state *)view->state;

    state->open = state->open_before = g->open;
    state->lift = state->lift_before = g->lift;
}

static void gripper_stop(const struct sim_view *view)
{
    struct sim_gripper_state *state = (struct sim_gripper_state *)view->state;

    state->opening = state->lifting = 0;
}

static bool is_share(double number)
{
    return number >= 0 && number <= 1;
}

static bool gripper_check(const struct sim_common *common)
{
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)common;
    bool good = is_share(state->open) && is_share(state->open_before) && is_share(state->lift) &&
                is_share(state->lift_before) && is_share(state->least_open) &&
                fabs(state->floor) <= 1e15 && state->opening >= -1 && state->opening <= 1 &&
                state->lifting >= -1 && state->lifting <= 1;

    for (int i = 0; i < 4; i++) {
        good = good && fabs(state->hold[i]) <= TPI_SIM_FARTHEST;
    }
    return good;
}

/* ---- The joint ------------------------------------------------------------------------------- */

static double gripper_stroke(const void *config, const struct sim_member *member)
{
    return tpi_sim_gripper_reach(config, member);
}

static double gripper_pace(const struct sim_view *view, double radius)
{
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)view->state;

    (void)radius;
    return state->opening == 0 && state->lifting == 0
               ? 0
               : pace * (tpi_sim_gripper_reach(view->config, member_of(view)) +
                         member_of(view)->traits.size[2]);
}

/* Move a share towards its end; the direction is forgotten when it is there. */
static bool approach(double *share, int32_t *direction, double by, double least)
{
    const double before = *share;

    if (*direction == 0) {
        return false;
    }
    *share = fmin(fmax(before + *direction * by, fmin(least, before)), 1);
    if (*direction > 0 ? *share >= 1 : *share <= least) {
        *direction = 0;
    }
    return *share != before;
}

static bool gripper_advance(const struct sim_view *view, double seconds)
{
    struct sim_gripper_state *state = (struct sim_gripper_state *)view->state;
    const double least = state->holds != 0 ? state->least_open : 0;

    state->open_before = state->open;
    state->lift_before = state->lift;
    const bool moved = approach(&state->open, &state->opening, pace * seconds, least);
    return approach(&state->lift, &state->lifting, pace * seconds, 0) || moved;
}

static void gripper_stall(const struct sim_view *view)
{
    struct sim_gripper_state *state = (struct sim_gripper_state *)view->state;

    state->open = state->open_before;
    state->lift = state->lift_before;
}

static void gripper_place(const struct sim_view *view, struct sim_template *template)
{
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)view->state;
    const struct sim_member *member = &template->members[view->device->member];
    const double inwards = (1 - state->open) * tpi_sim_gripper_reach(view->config, member);

    for (uint32_t i = 0; i < template->part_count; i++) {
        struct sim_part *part = &template->parts[i];
        if (part->member == view->device->member && part->role != 0) {
            part->shift_y = part->role == LEFT ? -inwards : inwards;
            part->shift_z = state->lift * member->traits.size[2];
        }
    }
}

static const struct sim_joint joint = {
    .stroke = gripper_stroke,
    .pace = gripper_pace,
    .advance = gripper_advance,
    .stall = gripper_stall,
    .place = gripper_place,
};

const tpi_sim_type tpi_sim_type_gripper = {
    .kind = TPI_SIM_GRIPPER,
    .name = "gripper",
    .size = {0.2, 0.3, 0.2},
    .colour = 0xbebebeff,
    .properties = properties,
    .state_size = sizeof(struct sim_gripper_state),
    .moves = true,
    .read = gripper_read,
    .body = gripper_body,
    .start = gripper_start,
    .sense = gripper_sense,
    .stop = gripper_stop,
    .check = gripper_check,
    .joint = &joint,
};

/* ---- From outside ---------------------------------------------------------------------------- */

tp_status tpi_sim_get_gripper(const tpi_sim *sim, tpi_sim_model model, tpi_sim_gripper *gripper,
                              tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_gripper, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct sim_gripper *g = view.config;
    const struct sim_gripper_state *state = (const struct sim_gripper_state *)view.state;
    const struct sim_member *member = member_of(&view);
    const uint32_t cargo = tpi_sim_carry_cargo(sim, view.tree, tpi_sim_device_of(sim, model));
    *gripper = (tpi_sim_gripper){
        .open = state->open,
        .lift = state->lift,
        .opening = (state->opening > 0),
        .closing = (state->opening < 0),
        .lifting = (state->lifting > 0),
        .lowering = (state->lifting < 0),
        .beams = {(state->beams & INNER) != 0, (state->beams & OUTER) != 0},
        .contacts = {(state->contacts & LEFT) != 0, (state->contacts & RIGHT) != 0},
        .cargo = cargo == TPI_SIM_NONE ? TPI_SIM_NONE : sim->trees.model[cargo],
        .width = 2 * tpi_sim_gripper_reach(g, member),
    };
    for (int i = 0; i < 3; i++) {
        gripper->paddle_size[i] = g->paddle[i] * member->traits.size[i];
    }
    return TP_OK;
}

tp_status tpi_sim_grip_do(tpi_sim *sim, tpi_sim_model model, tpi_sim_grip what, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_gripper, &view, err);

    if (status != TP_OK) {
        return status;
    }
    struct sim_gripper_state *state = (struct sim_gripper_state *)view.state;
    switch (what) {
    case TPI_SIM_GRIP_OPEN:
        state->opening = 1;
        break;
    case TPI_SIM_GRIP_CLOSE:
        state->opening = -1;
        break;
    case TPI_SIM_GRIP_UP:
        state->lifting = 1;
        break;
    case TPI_SIM_GRIP_DOWN:
        state->lifting = -1;
        break;
    case TPI_SIM_GRIP_STOP_PADDLES:
        state->opening = 0;
        break;
    case TPI_SIM_GRIP_STOP_LIFT:
        state->lifting = 0;
        break;
    }
    return TP_OK;
}
