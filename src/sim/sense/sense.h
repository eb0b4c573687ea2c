/*
 * sense.h - what the sensors share: finding what they look for, lines of sight, touching.
 *
 * Some sensors look for models of a certain kind wherever they are: lights, sounds, stations,
 * floors. These are listed once, when the world is built, in the order of models, which does not
 * depend on the order of the file. Markers are many, so those that can move are looked for in the
 * crowd; only the others are listed.
 */
#ifndef TROUPE_SIM_SENSE_SENSE_H
#define TROUPE_SIM_SENSE_SENSE_H

#include "sim/ray/ray.h"
#include "sim/sense/sensors.h"

extern const tpi_sim_type tpi_sim_type_bumper;
extern const tpi_sim_type tpi_sim_type_button;
extern const tpi_sim_type tpi_sim_type_fiducial;
extern const tpi_sim_type tpi_sim_type_blobfinder;
extern const tpi_sim_type tpi_sim_type_camera;
extern const tpi_sim_type tpi_sim_type_light;
extern const tpi_sim_type tpi_sim_type_light_sensor;
extern const tpi_sim_type tpi_sim_type_floor;
extern const tpi_sim_type tpi_sim_type_floor_sensor;
extern const tpi_sim_type tpi_sim_type_sound;
extern const tpi_sim_type tpi_sim_type_microphone;
extern const tpi_sim_type tpi_sim_type_wifi;
extern const tpi_sim_type tpi_sim_type_gps;
extern const tpi_sim_type tpi_sim_type_imu;
extern const tpi_sim_type tpi_sim_type_compass;

/* ---- sense.c --------------------------------------------------------------------------------- */

/* A device of one kind, as its accessors find it. Fails with "the model is no <what>". */
tp_status tpi_sim_find_device(const tpi_sim *sim, tpi_sim_model model, const tpi_sim_type *type,
                              struct sim_view *view, tp_error *err);

/* List what sensors look for. */
tp_status tpi_sim_list_beacons(tpi_sim *sim, tp_error *err);

/* What the file says of the model that a view is of. */
const struct sim_traits *tpi_sim_view_traits(const struct sim_view *view);

/* The colour of a model, as 0xRRGGBBAA. */
uint32_t tpi_sim_member_colour(const tpi_sim *sim, uint32_t tree, uint32_t member);

/* A number within bounds, which a property must be; anything else fails at its place. */
tp_status tpi_sim_read_within(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              char unit, double least, double most, double *value);

/* A property that may be given for each of several: "NAME[index]", or else "NAME". */
const char *tpi_sim_indexed(tpi_cfg_section *section, const char *name, uint32_t index,
                            char out[32]);

/* Normally distributed, with this standard deviation: for a view, at this time, for a purpose. */
double tpi_sim_noise(const struct sim_view *view, double deviation, uint32_t purpose);

/* The same, but the same at all times: from -most to most. */
double tpi_sim_bias(const struct sim_view *view, double most, uint32_t purpose);

/* ---- ray/cross.c ----------------------------------------------------------------------------- */

enum { SIM_MOST_CROSSINGS = 256 };

/* Where a ray goes through the side of something. */
struct sim_crossing {
    double range;
    double z0, z1; /* of the side */
    double facing; /* cosine of the angle at which it is met; positive on the way in */
    uint32_t tree, member;
    uint32_t edge;
    uint32_t spare;
};

struct sim_crossings {
    uint32_t count;
    struct sim_crossing items[SIM_MOST_CROSSINGS]; /* the nearest first; farther ones are dropped */
};

/* All sides that a ray crosses, at whatever height, up to a range: of walls, and if `crowd` of what
 * moves too. */
void tpi_sim_cross(const tpi_sim *sim, const struct sim_ray *ray, double range, bool crowd,
                   struct sim_crossings *out);

/* The straight line between two places in space. */
struct sim_line {
    double x, y, z;    /* where it begins */
    double dx, dy, dz; /* where it leads to, from there */
    uint32_t group;    /* what does not count at its beginning */
    uint32_t tree;     /* and at its end */
};

/* From a model to another one. */
static inline struct sim_line sim_line_between(const struct sim_view *from,
                                               const struct sim_view *to)
{
    return (struct sim_line){.x = from->frame.x,
                             .y = from->frame.y,
                             .z = from->frame.z,
                             .dx = to->frame.x - from->frame.x,
                             .dy = to->frame.y - from->frame.y,
                             .dz = to->frame.z - from->frame.z,
                             .group = from->group,
                             .tree = to->tree};
}

/* The square of its length. */
static inline double sim_line_square(const struct sim_line *line)
{
    return line->dx * line->dx + line->dy * line->dy + line->dz * line->dz;
}

/* On the ground: how long it is, and a ray along it. */
static inline double sim_line_length(const struct sim_line *line)
{
    return sqrt(line->dx * line->dx + line->dy * line->dy);
}

static inline struct sim_ray sim_line_ray(const struct sim_line *line, double length)
{
    return (struct sim_ray){.x = line->x,
                            .y = line->y,
                            .dx = line->dx / length,
                            .dy = line->dy / length,
                            .group = line->group,
                            .sees = SIM_ANY};
}

/* How many sides it goes through: 0 if one can see from one end to the other. */
uint32_t tpi_sim_count_between(const tpi_sim *sim, const struct sim_line *line, bool crowd);

/* The same of up to SIM_MOST_LINES lines at once, among walls only. */
enum { SIM_MOST_LINES = 8 };
void tpi_sim_count_many(const tpi_sim *sim, const struct sim_line *lines, uint32_t count,
                        uint32_t *found);

/* Whether it goes through anything, which is faster to find out. */
bool tpi_sim_is_hidden(const tpi_sim *sim, const struct sim_line *line);

/* ---- track.c --------------------------------------------------------------------------------- */

/* Where something was when it was looked at last, and how it moved then. */
struct sim_track {
    double x, y, z, a;
    double velocity[4]; /* forward, to the left, up, turning: in its own frame */
    int64_t time_us;
};

/* Begin where a model is, as it moves: the way its robot does. */
void tpi_sim_track_start(struct sim_track *track, const struct sim_view *view);

/* It is here now: find out how it has moved since, on an arc, and how its velocity has changed, per
 * second, in its own frame. If the last look was not the one before, it begins anew, and is taken
 * to have moved as it does now. */
void tpi_sim_track_move(struct sim_track *track, const struct sim_view *view, double change[3]);

bool tpi_sim_is_track(const struct sim_track *track);

/* ---- lens.c ---------------------------------------------------------------------------------- */

/* The states of cameras and blobfinders begin with this. */
struct sim_lens_state {
    struct sim_common common;
    tpi_sim_lens lens;
};

/* What cameras can do, in degrees. */
enum { SIM_MOST_TILT = 80, SIM_MOST_CAMERA_FOV = 170 };

/* Whether a lens is one that such a model may have. */
bool tpi_sim_is_lens(const tpi_sim_lens *lens);

/* ---- world/read.c ---------------------------------------------------------------------------- */

/* The colour that a name stands for; one that is unknown is told of at its place, and becomes red.
 */
void tpi_sim_name_colour(const struct sim_reader *reader, const tpi_cfg_place *place,
                         const char *name, uint32_t *colour);

/* ---- ray/touch.c ----------------------------------------------------------------------------- */

/* A straight piece that feels what comes near it. */
struct sim_stick {
    double x0, y0, x1, y1;
    double z0, z1;
    double reach;   /* how near */
    uint32_t group; /* what it does not feel */
    uint32_t feels; /* what has one of these flags */
    bool flat;      /* heights do not matter */
};

/* Whether the edge of any body or wall is within reach. */
bool tpi_sim_feels(const tpi_sim *sim, const struct sim_stick *stick);

/* Whether its first end is within a body that can move. */
bool tpi_sim_is_covered(const tpi_sim *sim, const struct sim_stick *stick);

#endif
