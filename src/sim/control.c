/*
 * control.c - controllers that are part of the simulator; see control.h.
 *
 * wander: more or less straight on; when something is near ahead, slow down and turn to the side
 * with more room until the way is free. What is stuck tries whatever comes to its mind. Whims
 * follow from the seed, the robot's name and the time, so they are the same in every run.
 *
 * expand: away from everything: the ranges, each in its direction, add up to a vector that points
 * to where there is room; turn there, and drive unless something is near ahead.
 *
 * follow: along a dark line on the floor; see control_follow.c.
 *
 * flocking: as expand, by what is ahead only, and in the heading of the nearest robot in sight;
 * back to a robot that is far away.
 *
 * fasr: carries things from a source to a sink; see control_forage.c.
 *
 * lasernoise: drives nothing, but makes the ranges of its ranger noisy; see sense/ranger_sense.c.
 */
#include "sim/control.h"

#include <math.h>
#include <string.h>

#include "sim/angle.h"
#include "sim/maths.h"
#include "sim/move/position.h"
#include "sim/sense/ranger.h"
#include "sim/sense/sensors.h"

enum { NONE, WANDER, EXPAND, FOLLOW, FLOCKING, NOISE, FORAGE, ZONE };

static const struct {
    const char *name;
    uint32_t control;
} names[] = {
    {"wander", WANDER},         {"expand", EXPAND},       {"follow", FOLLOW},
    {"flocking", FLOCKING},     {"lasernoise", NOISE},    {"fasr", FORAGE},
    {"expand_pioneer", EXPAND}, {"expand_swarm", EXPAND}, {"pioneer_flocking", FLOCKING},
    {"source", ZONE},           {"sink", ZONE},
};

const char *tpi_sim_control_name(uint32_t index)
{
    return index < sizeof names / sizeof names[0] ? names[index].name : NULL;
}

uint32_t tpi_sim_control_find(const char *text)
{
    const char *word = text + strspn(text, " \t");
    const size_t length = strcspn(word, " \t");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) == length && memcmp(names[i].name, word, length) == 0) {
            return names[i].control;
        }
    }
    return NONE;
}

bool tpi_sim_control_is_noise(uint32_t control)
{
    return control == NOISE;
}

bool tpi_sim_control_forages(uint32_t control)
{
    return control == FORAGE;
}

bool tpi_sim_control_drives(uint32_t control)
{
    return control != NONE && control != NOISE && control != ZONE;
}

bool tpi_sim_control_needs(uint32_t control, tpi_sim_kind kind)
{
    switch (kind) {
    case TPI_SIM_RANGER:
        return control != NONE && control != FOLLOW;
    case TPI_SIM_FLOOR_SENSOR:
        return control == FOLLOW;
    case TPI_SIM_FIDUCIAL:
        return control == FLOCKING;
    default:
        return false;
    }
}

bool tpi_sim_control_uses(uint32_t control, tpi_sim_kind kind)
{
    return control != NONE && (sim_is_driven(kind) || tpi_sim_control_needs(control, kind));
}

/* ---- What the ranger says -------------------------------------------------------------------- */

/* A summary of one look round, in the ranger's frame. What is near is so for a robot that sees as
 * far as this one: see struct sim_glance. */
struct summary {
    double ahead; /* nearest thing within 30 degrees of straight on */
    double safe;  /* what is nearer ahead is too near */

    double left, right; /* not of one that expands: nearest thing on either side, to 80 degrees */
    double x, y; /* not of one that wanders: sum of ranges in their directions, as they are */
};

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* Both without branches: which ray points where cannot be foretold. */
static void look_aside(const double *samples, const struct sim_ranger *config, struct summary *sum)
{
    const struct sim_glance *glances = tpi_sim_ranger_glances(config);

    sum->ahead = sum->left = sum->right = HUGE_VAL;
    for (uint32_t i = 0; i < config->glance_count; i++) {
        const struct sim_glance *glance = &glances[i];
        const double near = samples[glance->sample] * glance->scale;
        sum->left = lesser(sum->left, near + glance->left);
        sum->right = lesser(sum->right, near + glance->right);
        sum->ahead = lesser(sum->ahead, near + glance->ahead);
    }
}

static void look_round(const double *samples, const struct sim_ranger *config, struct summary *sum)
{
    const struct sim_glance *glances = tpi_sim_ranger_glances(config);

    sum->ahead = HUGE_VAL;
    sum->x = sum->y = 0;
    for (uint32_t i = 0; i < config->glance_count; i++) {
        const struct sim_glance *glance = &glances[i];
        const double range = samples[glance->sample];
        sum->x += glance->x * range;
        sum->y += glance->y * range;
        sum->ahead = lesser(sum->ahead, range * glance->scale + glance->ahead);
    }
}

/* Of one in a flock: what is behind does not matter. */
static void look_before(const double *samples, const struct sim_ranger *config, struct summary *sum)
{
    const struct sim_glance *glances = tpi_sim_ranger_glances(config);

    look_aside(samples, config, sum);
    sum->x = sum->y = 0;
    for (uint32_t i = 0; i < config->glance_count; i++) {
        const double range = glances[i].x > -1e-9 ? samples[glances[i].sample] : 0;
        sum->x += glances[i].x * range;
        sum->y += glances[i].y * range;
    }
}

/* What the first ranger of the tree sees; false unless it has looked in this step. */
static bool summarise(const tpi_sim *sim, uint32_t tree, struct summary *sum)
{
    const struct sim_template *template = sim->trees.template[tree];

    for (uint32_t i = 0; i < template->device_count; i++) {
        const struct sim_device *device = &template->devices[i];
        if (device->type->kind != TPI_SIM_RANGER) {
            continue;
        }
        const struct sim_ranger *config = device->config;
        const struct sim_common *state = tpi_sim_state(sim, tree, i);
        const double *samples = sim->samples + sim->trees.samples[tree] + device->samples;
        if (state->updated_us != sim->time_us || config->sample_count == 0) {
            return false;
        }
        sum->safe =
            config->reach > SIM_FAR_SIGHT ? lesser(0.5, config->reach / 8) : SIM_FAR_SIGHT / 8;
        if (template->control == WANDER || template->control == FORAGE) {
            look_aside(samples, config, sum);
        } else if (template->control == FLOCKING) {
            look_before(samples, config, sum);
        } else {
            look_round(samples, config, sum);
        }
        return true;
    }
    return false;
}

/* ---- Controllers ----------------------------------------------------------------------------- */

static const double cruise_mps = 0.4;
static const double creep_mps = 0.05;
static const double turn_radps = 0.5;
static const double haste_radps = 1;

static const double back_mps = 0.2;
static const double drift_radps = 0.12;
static const double flock_gain = 0.3;    /* turn in rad/s for each radian */
static const double flock_apart = 3;     /* m: farther away than that is too far */
static const double open_rad = 0.5;      /* where there is room is ahead */
static const int64_t mood_us = 4000000;  /* how long a whim lasts */
static const int64_t round_us = 3000000; /* of trying a way out */
static const uint32_t patience = 8000;   /* how long it may be at one spot, in 1024 us */
static const float near_by = 2;          /* what is one spot, in radii of its body */
static const float far_off = 8;          /* how far it goes then */

/* A clock that is enough for telling how long ago something was. */
static uint32_t now_of(const tpi_sim *sim)
{
    return (uint32_t)((uint64_t)sim->time_us >> 10);
}

/* What is stuck may not even be able to turn; anything is worth a try, for a second each. */
static void struggle(const tpi_sim *sim, uint32_t tree, double goal[3])
{
    const uint64_t whim =
        sim_chance(sim->seed ^ sim->trees.key[tree], (uint64_t)(sim->time_us / 1000000), 1);

    goal[0] = whim % 4 == 0 ? back_mps : -back_mps;
    goal[2] = whim / 4 % 2 == 0 ? turn_radps : -turn_radps;
}

/* Whether it has been at the same spot for long: within its own length or so, until it has got away
 * by a few. */
static bool is_bored(const tpi_sim *sim, uint32_t tree, struct sim_position_state *state)
{
    const uint32_t now = now_of(sim);
    const float x = (float)sim->trees.x[tree];
    const float y = (float)sim->trees.y[tree];
    const float dx = x - state->spot[0];
    const float dy = y - state->spot[1];
    const bool bored = now - state->since > patience;
    const float radius = (bored ? far_off : near_by) * (float)sim->trees.template[tree] -> radius;

    if (dx * dx + dy * dy <= radius * radius) {
        return bored;
    }
    state->spot[0] = x;
    state->spot[1] = y;
    state->since = now;
    return false;
}

/* A way out of where it is wedged: any arc, but rather one back than ahead, whence it came, and
 * rather a straight one. Another one as soon as it fails, and on with what works until the next
 * round begins. */
static bool try_out(const tpi_sim *sim, uint32_t tree, struct sim_position_state *state)
{
    const int64_t before_us = sim->time_us - sim->interval_us;

    if (state->stalled != 0) {
        const uint64_t whim =
            sim_chance(sim->seed ^ sim->trees.key[tree], (uint64_t)sim->time_us, 3);
        const double bend = sim_both_ways(sim_mix(whim));
        state->goal[0] = cruise_mps * (0.5 - 1.5 * sim_unit(whim));
        state->goal[2] = haste_radps * bend * bend * bend;
        state->trying = 1;
    } else if (state->trying != 0 && sim->time_us / round_us != before_us / round_us) {
        state->trying = 0;
        state->goal[0] = 0;
    }
    return state->trying != 0;
}

/* Away from here: to one side until the way is free, and then on. The side is kept for a while, or
 * a corner would be looked at for ever. */
static void leave(const tpi_sim *sim, uint32_t tree, const struct summary *sum,
                  struct sim_position_state *state)
{
    const uint64_t whim =
        sim_chance(sim->seed ^ sim->trees.key[tree], (uint64_t)(sim->time_us / (2 * mood_us)), 2);

    if (try_out(sim, tree, state)) {
        return;
    }
    const bool turning = state->goal[0] == 0; /* until there is more room than it needs */
    const bool free = sum->ahead > sum->safe * (turning ? 1 + 3 * sim_unit(whim) : 1);
    state->goal[0] = free ? cruise_mps * lesser(1, sum->ahead / (2 * sum->safe)) : 0;
    state->goal[2] = free ? drift_radps * sim_both_ways(sim_mix(whim))
                          : (whim % 2 == 0 ? haste_radps : -haste_radps);
}

static void wander(const tpi_sim *sim, uint32_t tree, const struct summary *sum,
                   struct sim_position_state *state)
{
    const uint64_t whim =
        sim_chance(sim->seed ^ sim->trees.key[tree], (uint64_t)(sim->time_us / mood_us), 0);
    const bool turning = state->goal[0] != cruise_mps;
    const double clear =
        turning ? 1.2 + 0.8 * sim_unit(whim) : 1.0; /* a turn goes on for a while */

    if (state->stalled != 0) {
        struggle(sim, tree, state->goal);
        return;
    }
    if (sum->ahead > clear && lesser(sum->left, sum->right) > 0.4) {
        state->goal[0] = cruise_mps;
        state->goal[2] = drift_radps * sim_both_ways(sim_mix(whim));
        return;
    }
    state->goal[0] = sum->ahead > 0.5 ? creep_mps : 0;
    if (!turning || fabs(state->goal[2]) != turn_radps) {
        state->goal[2] = sum->left > sum->right ? turn_radps : -turn_radps;
    }
}

static void expand(const tpi_sim *sim, uint32_t tree, const struct summary *sum,
                   struct sim_position_state *state)
{
    const double bearing = sim_rough_angle(sum->x, sum->y);
    const bool free = sum->ahead > sum->safe && state->stalled == 0;

    state->goal[0] = free ? cruise_mps * lesser(1, sum->ahead / (4 * sum->safe)) : 0;
    state->goal[2] = bearing > 0 ? lesser(bearing, 1) : -lesser(-bearing, 1);
    if (!free && fabs(bearing) < 0.1) {
        state->goal[2] = turn_radps; /* the sum points straight at something near */
    }
    if (state->stalled != 0) {
        struggle(sim, tree, state->goal);
    }
}

/* On the way unless something is near; then to the side with more room, for a while. */
static void forage(const tpi_sim *sim, uint32_t tree, const struct summary *sum,
                   struct sim_position_state *state)
{
    const bool turning = state->goal[0] != cruise_mps;
    const double clear = turning ? 0.9 : 0.7;

    if (state->stalled != 0) {
        struggle(sim, tree, state->goal);
        return;
    }
    if (sum->ahead > clear && lesser(sum->left, sum->right) > 0.35) {
        state->goal[0] = cruise_mps;
        state->goal[2] = tpi_sim_forage_turn(sim, tree, state);
        return;
    }
    state->goal[0] = sum->ahead > 0.5 ? creep_mps : 0;
    if (!turning || fabs(state->goal[2]) != turn_radps) {
        state->goal[2] = sum->left > sum->right ? turn_radps : -turn_radps;
    }
}

/* The nearest marker that the tree's finder sees, NULL for none; false if it has no finder. */
static bool find_nearest(const tpi_sim *sim, uint32_t tree, const tpi_sim_fiducial **nearest)
{
    const struct sim_template *template = sim->trees.template[tree];

    for (uint32_t i = 0; i < template->device_count; i++) {
        const tpi_sim_model model = sim->trees.model[tree] + template->devices[i].member;
        tpi_sim_fiducials seen;
        if (template->devices[i].type->kind == TPI_SIM_FIDUCIAL &&
            tpi_sim_get_fiducials(sim, model, &seen, NULL) == TP_OK) {
            *nearest = seen.count > 0 ? &seen.items[0] : NULL;
            return true;
        }
    }
    return false;
}

/* Apart, in one direction, together. */
static void flock(const tpi_sim *sim, uint32_t tree, const struct summary *sum,
                  const tpi_sim_fiducial *other, struct sim_position_state *state)
{
    const double room = sim_rough_angle(sum->x, sum->y);
    const bool free = sum->ahead > 2 * sum->safe && lesser(sum->left, sum->right) > sum->safe &&
                      fabs(room) < open_rad && state->stalled == 0;

    state->goal[0] = free ? cruise_mps : 0;
    state->goal[2] = flock_gain * room;
    if (free && other != NULL) {
        state->goal[2] += flock_gain * other->pose.a;
        state->goal[2] += other->range > flock_apart ? flock_gain * other->bearing : 0;
    }
    if (!free && fabs(state->goal[2]) < turn_radps / 2) {
        state->goal[2] = sum->left < sum->right ? -turn_radps : turn_radps;
    }
    if (state->stalled != 0) {
        struggle(sim, tree, state->goal);
    }
}

void tpi_sim_control_run(tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];
    const tpi_sim_fiducial *other = NULL;
    struct summary sum = {0};

    if (template->driver == TPI_SIM_NONE) {
        return;
    }
    struct sim_position_state *state = tpi_sim_state(sim, tree, template->driver);
    if (sim->resting || (sim->trees.flags[tree] & SIM_LED) != 0) {
        state->since = now_of(sim); /* it is not bored when it may go on */
        return;
    }
    if (template->control == FOLLOW) {
        state->mode = TPI_SIM_DRIVE_VELOCITY;
        tpi_sim_control_follow(sim, tree, state->goal);
        return;
    }
    if (template->control == FORAGE && sim->forage == NULL) {
        return;
    }
    if (!summarise(sim, tree, &sum) ||
        (template->control == FLOCKING && !find_nearest(sim, tree, &other))) {
        return;
    }
    state->mode = TPI_SIM_DRIVE_VELOCITY;
    state->goal[1] = 0;
    if (template->control == FORAGE) {
        tpi_sim_forage_work(sim, tree, state);
    }
    if (is_bored(sim, tree, state)) {
        leave(sim, tree, &sum, state);
    } else if (template->control == WANDER) {
        wander(sim, tree, &sum, state);
    } else if (template->control == FORAGE) {
        forage(sim, tree, &sum, state);
    } else if (template->control == FLOCKING) {
        flock(sim, tree, &sum, other, state);
    } else {
        expand(sim, tree, &sum, state);
    }
}
