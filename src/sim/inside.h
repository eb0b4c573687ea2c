/*
 * inside.h - how the simulator keeps its world.
 *
 * A *tree* is a model with all that stands on it: it moves as one, does not see itself and does not
 * collide with itself. Most of what is known about a tree is the same for all robots of a kind, so
 * it is kept once, in a *template*: its members, the polygons of its body (*parts*) in the tree's
 * frame, its devices and their configurations. What differs is in arrays with one entry for each
 * tree: pose, name, template, and the offsets of its state and samples. 100,000 robots that were
 * written alike share one template, which stays in the nearest cache.
 *
 * Trees that cannot move are *walls*: segments in a flat grid whose empty cells know how far away
 * the nearest wall is. Trees that can move are the *crowd*: one record of a cache line for each, in
 * the order of cells of another grid, which is sorted anew after every step. The crowd is the
 * second buffer of poses: everything that looks at others looks there, while the arrays of trees
 * are written. So no result depends on the order of bodies.
 *
 * Trees are numbered by where they are at the beginning, not by where they stand in the file, so
 * that neighbours in space are neighbours in memory. Two things that must not differ with the order
 * of the file use a tree's *key*, the hash of its name: chance, and the order within a pair.
 *
 * Floating point: no contraction, no reordering; sums have a fixed order; where two things are hit
 * at the same distance the greater return counts.
 */
#ifndef TROUPE_SIM_INSIDE_H
#define TROUPE_SIM_INSIDE_H

#include "base/arena.h"
#include "sim/type.h"

#define TPI_SIM_FARTHEST 1e6 /* metres: how far away and how large something may be */

extern const tpi_sim_type tpi_sim_type_position;
extern const tpi_sim_type tpi_sim_type_aircraft;
extern const tpi_sim_type tpi_sim_type_ranger;
extern const tpi_sim_type tpi_sim_type_actuator;
extern const tpi_sim_type tpi_sim_type_effector;
extern const tpi_sim_type tpi_sim_type_gripper;
extern const tpi_sim_type tpi_sim_type_blinkenlight;
extern const tpi_sim_type tpi_sim_type_lightindicator;
extern const tpi_sim_type tpi_sim_type_battery; /* of models with `joules`; no model of its own */

/* ---- Plans ----------------------------------------------------------------------------------- */

/* What a part or wall is for whom. */
enum {
    SIM_ANY = 1,          /* set for all */
    SIM_VISIBLE = 2,      /* for rangers */
    SIM_OBSTACLE = 4,     /* for bodies */
    SIM_GRIPPABLE = 8,    /* for grippers */
    SIM_ONE_SIDED = 16,   /* a simple polygon with its inside on the left: from without, only edges
                             that face the viewer matter */
    SIM_MARKED = 1 << 16, /* of a template: one of its models is or shows a marker */
};

/* What the file says of any model. */
struct sim_traits {
    tpi_sim_pose origin;
    double size[3];
    double mass;
    double watts, give_watts, take_watts;
    double joules, joules_capacity; /* capacity 0: no power pack; joules negative: without end */
    double friction;
    int64_t update_us;
    uint32_t colour;
    float ranger_return;
    int32_t fiducial_return;
    int32_t fiducial_key;
    bool random_colour; /* the colour follows from the key */
    bool uncoloured;    /* the file gives none: it is the usual one of its kind */
    bool obstacle;
    bool blob_return;
    bool gripper_return;
    bool stack_children;
    bool always_on;
};

/* A model within its tree; 0 is the root. */
struct sim_member {
    const tpi_sim_type *type; /* borrowed: a constant */
    const char *name;         /* borrowed: the arena's; NULL without a name of its own */
    uint32_t parent;          /* TPI_SIM_NONE for the root */
    uint32_t ordinal;         /* how many siblings of the type come before it; 0 for the root */
    uint32_t family;          /* how many members: this one and all that stand on it */
    uint32_t device;          /* TPI_SIM_NONE without one */
    uint32_t battery;         /* the device that it draws from; TPI_SIM_NONE without one */
    uint64_t salt;            /* its part of the key */
    bool global;              /* its name is one of the world, not of its parent */
    struct sim_traits traits;
    tpi_sim_pose local;     /* in its parent's frame; zero for the root */
    struct sim_frame place; /* in the tree's frame */
};

/* A polygon. Its vertices are vx[first] to vx[first + count], where the last is the first again. */
struct sim_part {
    double z0, z1;         /* above the tree's pose */
    double x, y, radius;   /* a circle that holds it, in the tree's frame */
    uint32_t first, count; /* vertices */
    uint32_t member;
    uint32_t flags;
    float ranger_return;
    uint32_t role;           /* which of the model's parts that move by themselves; 0: none */
    double shift_y, shift_z; /* how far such a part has moved, in the body's frame */
};

/* A member with state. */
struct sim_device {
    const tpi_sim_type *type; /* borrowed */
    const void *config;       /* borrowed: the arena's, shared */
    uint32_t member;
    uint32_t state;   /* offset in the tree's state, in bytes */
    uint32_t samples; /* offset in the tree's samples */
    uint32_t sample_count;
};

struct sim_template {
    struct sim_member *members; /* the arena's, like all arrays here; owned if `own` */
    struct sim_part *parts;
    double *vx, *vy;
    struct sim_device *devices;
    uint32_t member_count, part_count, vertex_count, device_count;
    uint32_t state_size, sample_count;
    double radius;             /* round the tree's pose, of all parts */
    double solid_radius;       /* of those that are obstacles */
    double least_radius;       /* both are at least this; 0 unless it has joints */
    uint32_t flags;            /* those of all parts together */
    uint32_t driver;           /* the device that moves the tree: a root that is a position */
    uint32_t control;          /* built-in controller; see control.h */
    uint32_t foreign;          /* another one, by its number; 0 for none */
    bool moves;                /* something in it moves by itself, or is made to be moved */
    bool jointed;              /* it has joints (move/joint.h) */
    bool own;                  /* one tree's alone, to be freed with it */
    struct sim_template *base; /* borrowed; of an own template: the one that it was made from */
};

/* ---- Trees ----------------------------------------------------------------------------------- */

enum {
    SIM_MOVING = 1,   /* one of the crowd */
    SIM_ACTIVE = 2,   /* a model in it has a subscription */
    SIM_OVERLAPS = 4, /* it stands in something */
    SIM_LED = 8,      /* a program drives it, so its controller rests */
    SIM_TOUCHES = 16, /* it stands in or at something, and is moved with care (move/contact.h) */
};

struct sim_trees {
    uint32_t count;
    struct sim_template *
        *template;         /* what it points to is borrowed, unless the template says `own` */
    double *x, *y, *z, *a; /* pose */
    double *c, *s;         /* of the heading */
    uint64_t *key;
    uint64_t *state;   /* offset in sim->state */
    uint64_t *samples; /* offset in sim->samples */
    uint32_t *model;   /* number of the root */
    uint32_t *name;    /* offset in sim->names.text; 0 without one */
    uint32_t *ordinal; /* of the name that it has without one */
    uint32_t *order;   /* how many come before it in the file */
    uint32_t *group;   /* its own number, or that of the tree that carries it */
    uint8_t *flags;
};

/* How trees move in this step. */
struct sim_motions {
    double *vx, *vy, *w; /* in the tree's own frame, constant over the step */
    double *until;       /* how much of the step passes before it has to stop, 0 to 1 */
    double *next;        /* the same, being written */
    double *before;      /* what it was in the round before */
    double *reach;       /* how far its outermost point may get */
    uint8_t *stalled;    /* whether something has stopped it in this step */
};

/* ---- Walls ----------------------------------------------------------------------------------- */

/* One segment, one cache line. */
struct sim_wall {
    double x0, y0, x1, y1;
    double z0, z1;
    uint32_t tree, member;
    uint32_t flags;
    float ranger_return;
};

/* Up to four walls of a cell, rounded, for picking those that a ray may meet. Ends are in cells
 * from the grid's corner; where there are fewer walls, they are no numbers. */
enum { SIM_ROUGH_WALLS = 4 };

struct sim_rough_walls {
    float x0[SIM_ROUGH_WALLS], y0[SIM_ROUGH_WALLS], x1[SIM_ROUGH_WALLS], y1[SIM_ROUGH_WALLS];
};

/* Added to the number of the first of them, if the next four belong to the cell too. */
#define SIM_ROUGH_MORE 0x80000000u

/* A grid of square cells. Cells of the border are empty, and rays are clipped to lie within. */
struct sim_walls {
    struct sim_wall *items; /* owned */
    uint32_t count;
    double x, y;           /* the corner of cell 0 */
    double cell, per_cell; /* its side, and one over it */
    uint32_t columns, rows;
    uint32_t *room;      /* owned; of an empty cell a byte for each quadrant: see sim_quadrant(); of
                            others see sim_rough_first() */
    uint8_t *inside;     /* owned; whether an empty cell is within some polygon */
    uint32_t *first;     /* owned; of each cell, and one more: where its list begins */
    uint32_t *list;      /* owned; numbers of walls */
    uint32_t list_count; /* of them */
    struct sim_rough_walls *rough; /* owned; those in lists; NULL if there are too many */
    uint32_t *rough_list;          /* owned; their numbers, SIM_ROUGH_WALLS for each */
    /* larger cells, for whole scans */
    double block, per_block;
    uint32_t block_columns, block_rows;
    uint32_t *block_first; /* owned */
    uint32_t *block_list;  /* owned */
};

/* A way through the cells goes into one of four quadrants. Its byte of a cell's room is the size,
 * in cells, of the largest square without walls that begins with this cell and lies that way; up to
 * 255. The shift to that byte. */
enum { SIM_LEFTWARD = 8, SIM_DOWNWARD = 16 };

static inline uint32_t sim_quadrant(bool leftward, bool downward)
{
    return (leftward ? SIM_LEFTWARD : 0u) + (downward ? SIM_DOWNWARD : 0u);
}

static inline uint32_t sim_room_ahead(uint32_t room, uint32_t quadrant)
{
    return (room & 255) == 0 ? 0 : room >> quadrant & 255;
}

/* Where the rough walls of a cell that is not empty begin. The first byte of its room is 0. */
static inline uint32_t sim_rough_first(uint32_t room)
{
    return room >> 8;
}

/* ---- The crowd ------------------------------------------------------------------------------- */

/* A body that can move, as it was at the last instant. */
struct sim_spot {
    double x, y, z;
    double c, s;
    const struct sim_template *template; /* borrowed */
    float radius;                        /* rounded up */
    uint32_t tree;
    uint32_t group;
    uint32_t flags; /* of the template */
};

/* Spots in the order of the cells they are in, row by row, so that a row of neighbouring cells is
 * one run of spots. Behind them stand the few that are too large for the cells. */
struct sim_crowd {
    struct sim_spot *spots; /* owned */
    uint32_t count;
    uint32_t small; /* how many of them are in cells */
    uint32_t *slot; /* owned; of each tree, its place among the spots */
    /* of each spot once more, rounded, to be looked through fast: from the corner of the cells,
     * with radii that make up for the rounding; owned */
    float *at_x, *at_y, *at_radius;
    double rounding; /* how much it may be */
    double x, y, cell, per_cell;
    double widest; /* radius of the largest in cells */
    uint32_t columns, rows;
    uint32_t capacity;   /* of `first`, in cells */
    uint32_t *first;     /* owned; of each cell, and one more */
    uint32_t *cell_of;   /* owned; of each tree, while sorting */
    double usual_radius; /* larger ones stand behind */
};

/* ---- Beacons --------------------------------------------------------------------------------- */

/* Models that sensors look for wherever they are, in the order of models; see sense/sense.h. */
enum {
    SIM_MARKERS,
    SIM_LIGHTS,
    SIM_SOUNDS,
    SIM_STATIONS,
    SIM_FLOORS,
    SIM_FLYERS,
    SIM_LIMBS,
    SIM_TAGS,
    SIM_MOTES,
    SIM_BEACONS
};

struct sim_beacons {
    tpi_sim_model *models; /* owned */
    uint32_t count;
};

/* What the file says of the world around all models. */
struct sim_scene {
    uint32_t floor, sky; /* colours: 0xRRGGBBAA */
    double ambient;      /* light that is everywhere */
    double origin[3];    /* latitude and longitude in degrees, altitude: of 0, 0, 0 */
    double north;        /* where it is, counter-clockwise from the x axis */
    uint32_t window[2];  /* pixels of a picture that nobody gives a size; 0: what suits the world */
};

/* What looks different than before; each number only grows (looks.h). */
struct sim_changes {
    uint32_t colours, sketches;
};

/* ---- The whole ------------------------------------------------------------------------------- */

/* What a worker needs for itself. */
struct sim_scratch {
    struct sim_pending *pending; /* owned; see sense/ranger.h */
    uint64_t rays;               /* cast so far */
    uint64_t looks;              /* sensors that have measured so far */
    double reach;                /* the farthest that a body may get in this step */
    bool changed;                /* something, in this round */
    char apart[96];              /* two workers never write to one cache line */
};

/* Some of the trees. */
struct sim_tree_list {
    uint32_t *trees; /* owned */
    uint32_t count;
};

/* names.c: models by their names. */
struct sim_names {
    char *text;      /* owned: the names of trees, each with a NUL */
    uint32_t *table; /* owned: a hash table of models with names of their own */
    uint32_t table_size;
};

/* move/resolve.c: the bodies that may touch each other in a step. */
struct sim_contest {
    uint32_t *spots;  /* owned: from the beginning of each chunk (step.h) */
    uint32_t *counts; /* owned: of each chunk, the number of its spots */
    double farthest;  /* the longest way of a body in this step */
    /* move/rivals.c: bodies that overlap something, if there are very many */
    bool has_pile;
    uint32_t free_count;   /* bodies that overlap nothing */
    uint32_t *order;       /* owned: slots, the free ones first */
    uint32_t *free_before; /* owned: of each slot, and one more */
};

/* move/carry.c: all grippers (move/carry.h). */
struct sim_grips {
    struct sim_grip *items; /* owned */
    uint32_t count;
};

struct tpi_sim {
    tpi_arena arena; /* templates, configurations */
    char *title;     /* the arena's */
    int64_t time_us, interval_us, quit_us;
    uint64_t seed;
    tpi_sim_crew crew;
    struct sim_trees trees;
    uint32_t *tree_of; /* owned; of each model */
    uint32_t model_count;
    struct sim_names names;
    unsigned char *state; /* owned */
    size_t state_size;
    double *samples; /* owned */
    float *values;   /* owned */
    size_t sample_count;
    struct sim_motions motions; /* owned arrays */
    struct sim_walls walls;
    struct sim_crowd crowd;
    struct sim_scratch *scratch; /* owned; one for each worker */
    struct sim_contest contest;
    struct sim_tree_list standing; /* those with devices that do not move */
    struct sim_tree_list jointed;  /* those with joints */
    struct sim_tree_list powered;  /* those with batteries, or that charge others */
    struct sim_grips grips;
    struct sim_scene scene;
    struct sim_beacons beacons[SIM_BEACONS];
    double widest_marker;        /* how far any marker is from the pose of its tree */
    bool crowd_is_old;           /* poses have changed since it was sorted */
    bool resting;                /* all controllers do */
    size_t bytes;                /* of all arrays */
    struct sim_forage *forage;   /* owned; ways (control_forage.c); NULL if nobody forages */
    struct sim_sketch *sketches; /* owned; what programs have drawn (sketch.h) */
    struct sim_changes changes;
};

/* Whether a kind is driven: its state begins with struct sim_position_state. */
static inline bool sim_is_driven(tpi_sim_kind kind)
{
    return kind == TPI_SIM_POSITION || kind == TPI_SIM_AIRCRAFT;
}

/* The member of its tree that a model is. */
static inline struct sim_member *sim_member_of(const tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t tree = sim->tree_of[model];

    return &sim->trees.template[tree] -> members[model - sim->trees.model[tree]];
}

/* ---- sketch.c -------------------------------------------------------------------------------- */

void tpi_sim_sketches_free(struct sim_sketch *sketches);

/* ---- sim.c ----------------------------------------------------------------------------------- */

/* Zeroed memory for the life of the world, counted; NULL if there is none left. */
void *tpi_sim_take(tpi_sim *sim, size_t count, size_t size);

/* Where a member of a tree is now. */
struct sim_frame tpi_sim_member_frame(const tpi_sim *sim, uint32_t tree, uint32_t member);

/* The colour of a model, as 0xRRGGBBAA. */
uint32_t tpi_sim_member_colour(const tpi_sim *sim, uint32_t tree, uint32_t member);

/* ---- place.c --------------------------------------------------------------------------------- */

/* Give the tree a template of its own, to be changed; NULL if memory ran out. */
struct sim_template *tpi_sim_own_plan(tpi_sim *sim, uint32_t tree);

/* Let the tree have the template again that its own was made from. The crowd has to be sorted then.
 */
void tpi_sim_drop_plan(tpi_sim *sim, uint32_t tree);

/* Put all members of an own template where their local poses say, and the parts with them. */
void tpi_sim_template_arrange(struct sim_template *template);

/* Circles and flags of a template, from its parts. */
void tpi_sim_template_measure(struct sim_template *template);

/* ---- names.c --------------------------------------------------------------------------------- */

/* Enter all names of models into the table. */
tp_status tpi_sim_index_names(tpi_sim *sim, tp_error *err);

/* ---- device.c -------------------------------------------------------------------------------- */

void tpi_sim_view(const tpi_sim *sim, uint32_t tree, uint32_t device, struct sim_view *view);
void *tpi_sim_state(const tpi_sim *sim, uint32_t tree, uint32_t device);

/* The device of a model; TPI_SIM_NONE if it has none. */
uint32_t tpi_sim_device_of(const tpi_sim *sim, tpi_sim_model model);

/* A device of one kind, as its accessors find it. Fails with "the model is no <what>". */
tp_status tpi_sim_find_device(const tpi_sim *sim, tpi_sim_model model, const tpi_sim_type *type,
                              struct sim_view *view, tp_error *err);

/* What the file says of the model that a view is of. */
const struct sim_traits *tpi_sim_view_traits(const struct sim_view *view);

/* Set up all states, and subscribe to what is always on or controlled from within. */
void tpi_sim_start_devices(tpi_sim *sim);

/* ---- ray/walls_build.c ----------------------------------------------------------------------- */

/* Gather the segments of all trees that do not move, in place of those that were there. */
tp_status tpi_sim_walls_build(tpi_sim *sim, tp_error *err);
void tpi_sim_walls_fini(struct sim_walls *walls);

/* ---- ray/crowd.c ----------------------------------------------------------------------------- */

/* Take memory for as many bodies as there are trees, and choose cells that suit them. */
tp_status tpi_sim_crowd_init(tpi_sim *sim, tp_error *err);
void tpi_sim_crowd_fini(struct sim_crowd *crowd);

/* Sort the bodies that move by where they are now. */
void tpi_sim_crowd_sort(tpi_sim *sim);

#endif
