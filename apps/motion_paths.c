/* motion_paths.c - what a sequence plans and what a robot does with it; see motion_paths.h. */
#include "motion_paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEP_S = 0.02; /* of planned curves */

double paths_duration(const struct sequence *s, size_t frame)
{
    const struct sequence_frame *f = &s->frames[frame];

    if (f->duration_s >= 0) {
        return f->duration_s;
    }
    if (frame + 1 < s->frame_count) {
        return s->frames[frame + 1].time_s - f->time_s;
    }
    return frame > 0 ? f->time_s - s->frames[frame - 1].time_s : 0;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static uint16_t dof_of(const struct paths *p, size_t panel)
{
    const struct sequence_name *name = &p->sequence->names[p->names[panel]];

    return (uint16_t)(p->robot->joints[name->joint].first_dof + name->dof);
}

static void add_panel(struct paths *p, uint32_t name)
{
    const struct sequence_name *n = &p->sequence->names[name];
    const tp_motion_joint *joint = &p->robot->joints[n->joint];
    struct plot_panel *panel = &p->panels[p->count];

    (void)snprintf(panel->title, sizeof panel->title, joint->dof_count > 1 ? "%s:%u" : "%s",
                   joint->name, n->dof);
    (void)snprintf(panel->x_label, sizeof panel->x_label, "time of the sequence [s]");
    (void)snprintf(panel->y_label, sizeof panel->y_label, "position [%s]",
                   joint->dofs[n->dof].type == 2 ? "m" : "rad");
    p->names[p->count++] = name;
}

/* Whether a panel shows the dof of a name already. */
static bool is_shown(const struct paths *p, uint32_t name)
{
    const struct sequence_name *n = &p->sequence->names[name];

    for (size_t i = p->base ? 1 : 0; i < p->count; i++) {
        const struct sequence_name *other = &p->sequence->names[p->names[i]];

        if (other->joint == n->joint && other->dof == n->dof) {
            return true;
        }
    }
    return false;
}

tp_status paths_init(struct paths *p, const struct sequence *sequence, const tp_motion_robot *robot,
                     tp_error *err)
{
    *p = (struct paths){.sequence = sequence, .robot = robot};
    for (size_t i = 0; i < sequence->frame_count; i++) {
        p->base = p->base || sequence->frames[i].base != BASE_NOTHING;
    }
    if (p->base) {
        struct plot_panel *panel = &p->panels[p->count++];

        panel->equal = true;
        (void)snprintf(panel->title, sizeof panel->title, "way of the base");
        (void)snprintf(panel->x_label, sizeof panel->x_label, "x [m]");
        (void)snprintf(panel->y_label, sizeof panel->y_label, "y [m]");
    }
    for (uint32_t i = 0; i < sequence->name_count && p->count <= PATHS_MOST; i++) {
        if (sequence->names[i].servo != TP_MOTION_FORCE && !is_shown(p, i)) {
            add_panel(p, i);
        }
    }
    p->positions = calloc((size_t)robot->dof_count + 1, sizeof *p->positions);
    return p->positions != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void paths_fini(struct paths *p)
{
    for (size_t i = 0; i < p->count; i++) {
        plot_panel_fini(&p->panels[i]);
    }
    free(p->positions);
    free(p->samples);
    *p = (struct paths){0};
}

/* ---- Measured -------------------------------------------------------------------------------- */

void paths_start(struct paths *p, const tp_motion_state *state, const tp_motion_base *base)
{
    for (uint16_t i = 0; i < state->count && i < p->robot->dof_count; i++) {
        p->positions[i] = state->dofs[i].position;
    }
    if (base->known) {
        memcpy(p->start, base->pose, sizeof p->start);
    }
}

bool paths_add(struct paths *p, const tp_motion_state *state, const tp_motion_base *base)
{
    if (p->sample_count == p->sample_room) {
        const size_t room = p->sample_room < 256 ? 256 : 2 * p->sample_room;
        struct paths_sample *samples = realloc(p->samples, room * sizeof *samples);
        if (samples == NULL) {
            return false;
        }
        p->samples = samples;
        p->sample_room = room;
    }
    struct paths_sample *sample = &p->samples[p->sample_count++];
    sample->time_us = state->time_us;
    sample->values[0] = base->known ? base->pose[0] : (double)NAN;
    sample->values[1] = base->known ? base->pose[1] : (double)NAN;
    for (size_t i = p->base ? 1 : 0; i < p->count; i++) {
        const uint16_t dof = dof_of(p, i);

        sample->values[i + 1] = dof < state->count ? state->dofs[dof].position : (double)NAN;
    }
    return true;
}

static bool fill_played(struct paths *p, uint64_t start_us)
{
    const double first = p->sequence->frames[0].time_s;
    bool room = true;

    for (size_t i = 0; i < p->sample_count; i++) {
        const struct paths_sample *s = &p->samples[i];
        const double t = (double)(int64_t)(s->time_us - start_us) / 1e6 + first;

        for (size_t k = 0; k < p->count && s->time_us >= start_us; k++) {
            const bool way = p->base && k == 0;

            room = room && plot_add(&p->panels[k].played, way ? s->values[0] : t,
                                    way ? s->values[1] : s->values[k + 1]);
        }
    }
    return room;
}

/* ---- Planned --------------------------------------------------------------------------------- */

/* A dof or a base on its planned way. */
struct course {
    double at[3]; /* position of a dof; pose of the base */
    bool room;
};

/* From its place to a target with a cubic that ends at rest, until the next frame begins. */
static void plan_set(struct paths *p, size_t panel, struct course *c, double from_s, double target,
                     double takes_s, double until_s)
{
    const double start = c->at[0];

    for (double t = 0;; t += STEP_S) {
        const double now = fmin(t, until_s - from_s);
        const double u = takes_s > 0 ? fmin(now / takes_s, 1) : 1;

        c->at[0] = start + (target - start) * u * u * (3 - 2 * u);
        c->room = c->room && plot_add(&p->panels[panel].planned, from_s + now, c->at[0]);
        if (now >= until_s - from_s) {
            return;
        }
    }
}

/* When the next frame with a command for the panel's dof begins. */
static double end_of(const struct paths *p, size_t frame,
                     bool (*has)(const struct paths *, size_t, size_t, double *, uint8_t *),
                     size_t panel)
{
    const struct sequence *s = p->sequence;
    double value;
    uint8_t servo;

    for (size_t i = frame + 1; i < s->frame_count; i++) {
        if (has(p, i, panel, &value, &servo)) {
            return s->frames[i].time_s;
        }
    }
    return s->frames[s->frame_count - 1].time_s + paths_duration(s, s->frame_count - 1);
}

static bool has_dof(const struct paths *p, size_t frame, size_t panel, double *value,
                    uint8_t *servo)
{
    const struct sequence_frame *f = &p->sequence->frames[frame];

    for (size_t i = 0; i < f->count; i++) {
        const struct sequence_target *t = &p->sequence->targets[f->first + i];
        const struct sequence_name *n = &p->sequence->names[t->name];

        if (n->servo != TP_MOTION_FORCE &&
            p->robot->joints[n->joint].first_dof + n->dof == dof_of(p, panel)) {
            *value = t->value;
            *servo = n->servo;
            return true;
        }
    }
    return false;
}

static bool has_base(const struct paths *p, size_t frame, size_t panel, double *value,
                     uint8_t *servo)
{
    (void)panel;
    *value = 0;
    *servo = 0;
    return p->sequence->frames[frame].base != BASE_NOTHING;
}

static bool plan_dof(struct paths *p, size_t panel)
{
    const struct sequence *s = p->sequence;
    struct course c = {{p->positions[dof_of(p, panel)]}, true};
    double value;
    uint8_t servo;

    for (size_t i = 0; i < s->frame_count && c.room; i++) {
        const double from = s->frames[i].time_s;

        if (!has_dof(p, i, panel, &value, &servo)) {
            continue;
        }
        const double until = end_of(p, i, has_dof, panel);
        if (servo == TP_MOTION_POSITION) {
            plan_set(p, panel, &c, from, value, paths_duration(s, i), until);
        } else {
            c.room = plot_add(&p->panels[panel].planned, from, c.at[0]);
            c.at[0] += value * (until - from);
            c.room = c.room && plot_add(&p->panels[panel].planned, until, c.at[0]);
        }
    }
    return c.room;
}

/* Drive at a speed from one frame to the next, in the axes of the base. */
static void plan_drive(struct paths *p, struct course *c, const double speed[3], double takes_s)
{
    const unsigned steps = 1 + (unsigned)fmin(takes_s / STEP_S, 1e5);
    const double dt = takes_s / steps;

    for (unsigned i = 0; i < steps && c->room; i++) {
        const double heading = c->at[2] + speed[2] * dt / 2;

        c->at[0] += (speed[0] * cos(heading) - speed[1] * sin(heading)) * dt;
        c->at[1] += (speed[0] * sin(heading) + speed[1] * cos(heading)) * dt;
        c->at[2] += speed[2] * dt;
        c->room = plot_add(&p->panels[0].planned, c->at[0], c->at[1]);
    }
}

static bool plan_base(struct paths *p)
{
    const struct sequence *s = p->sequence;
    struct course c = {{p->start[0], p->start[1], p->start[2]}, true};

    c.room = plot_add(&p->panels[0].planned, c.at[0], c.at[1]);
    for (size_t i = 0; i < s->frame_count && c.room; i++) {
        const struct sequence_frame *f = &s->frames[i];

        if (f->base == BASE_DRIVE) {
            plan_drive(p, &c, f->values, end_of(p, i, has_base, 0) - f->time_s);
        } else if (f->base == BASE_GOTO) {
            memcpy(c.at, f->values, sizeof c.at);
            c.room = plot_add(&p->panels[0].planned, c.at[0], c.at[1]);
        }
    }
    return c.room;
}

tp_status paths_draw(struct paths *p, uint64_t start_us, tpi_buf *out, const char *title,
                     tp_error *err)
{
    bool room = fill_played(p, start_us);

    for (size_t i = 0; i < p->count && room; i++) {
        room = p->base && i == 0 ? plan_base(p) : plan_dof(p, i);
    }
    if (!room) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    plot_put(out, p->panels, p->count, title);
    return tpi_buf_status(out) == TP_OK ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}
