/*
 * type.h - what a kind of model is: how to add a sensor or an actuator to the simulator.
 *
 * A kind is one constant table in one file. Its file reads the kind's own properties into a
 * *configuration* once, at loading; models that were written alike share it. What changes is the
 * *state*: plain bytes without pointers and without numbers of models, so that it can be saved,
 * restored and hashed by copying. Long rows of numbers (ranges of a laser) are *samples*, which
 * have their own arrays.
 *
 * The operations get a *view*: the model, where it is at this instant, its configuration, state and
 * samples. They may be called on any thread, for many models at once; each writes to its own state
 * and samples only, and reads of others only what stands still meanwhile: the walls and the crowd
 * (inside.h). Chance comes from sim_chance() (maths.h) with the view's key, never from a counter
 * that others share. Nothing may depend on the order in which models are visited.
 *
 * To add one: write sense/X.c with a table `tpi_sim_type_X`, list it in types.c and in meson.build,
 * give it accessors in sense/sensors.h, and test it in sense/X_test.c.
 */
#ifndef TROUPE_SIM_TYPE_H
#define TROUPE_SIM_TYPE_H

#include "base/buf.h"
#include "convert/cfg.h"
#include "sim/sim.h"

/* A pose with sine and cosine of its heading. */
struct sim_frame {
    double x, y, z, a;
    double c, s;
};

/* Every state begins with this. */
struct sim_common {
    uint32_t subscribers;
    uint32_t spare;
    int64_t updated_us; /* when it sensed last; -1 for never */
};

struct sim_view {
    const tpi_sim *sim;              /* borrowed */
    const struct sim_device *device; /* borrowed */
    const void *config;              /* borrowed */
    struct sim_common *state;        /* borrowed; with the kind's own behind it */
    double *samples;                 /* borrowed; as many as sample_count() said */
    float *values;                   /* borrowed; a second number for each sample */
    struct sim_frame frame;          /* of the model, in the world */
    uint64_t key;                    /* of the model; does not depend on the order of the file */
    uint32_t tree;                   /* what the model is part of */
    uint32_t group;                  /* what it does not see: its own tree and what that carries */
    struct sim_scratch *scratch;     /* borrowed; the worker's own */
};

struct sim_reader;
struct sim_shape;
struct sim_joint;

typedef struct tpi_sim_type {
    tpi_sim_kind kind;
    const char *name; /* in world files */

    /* What holds where the file says nothing. */
    double size[3];
    uint32_t colour;
    bool bodiless; /* has no box to begin with */

    const struct tpi_sim_type *base; /* a kind whose properties it has too; NULL for none */
    const char *const *properties;   /* its own, ended by NULL; may be NULL */
    const char *const *sections; /* what may stand in it besides models and blocks; may be NULL */
    const char *const *section_properties; /* what those have; may be NULL */

    size_t state_size; /* at least that of struct sim_common; 0 for a kind without state */
    bool moves;        /* the model changes its own pose, or that of what stands on it */

    /* Read the kind's properties and append them, without pointers in them. Optional. */
    tp_status (*read)(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings);

    /* Make the configuration of these settings, without pointers in it; done once for all models
     * that have the same. Without this operation the settings are the configuration. Memory that
     * ran out shows in `config`. Optional. */
    void (*prepare)(const void *settings, size_t length, tpi_buf *config);

    /* The body where the file gives none, in any units. Optional: otherwise it is a box. */
    tp_status (*body)(struct sim_reader *reader, tpi_cfg_section *section, struct sim_shape *shape);

    /* How many samples it has. Optional. */
    uint32_t (*sample_count)(const void *config);

    /* Set up the state, which is zero, at the beginning of time. Optional. */
    void (*start)(const struct sim_view *view);

    /* Somebody has put it elsewhere, with all that it stands on; it has not moved there. Optional.
     */
    void (*placed)(const struct sim_view *view);

    /* Look at the world; called when the model is subscribed and due. Optional. */
    void (*sense)(const struct sim_view *view);

    /* The last subscriber has gone. Optional. */
    void (*stop)(const struct sim_view *view);

    /* Whether a state that comes from outside makes sense. Optional. */
    bool (*check)(const struct sim_common *state);

    const struct sim_joint
        *joint; /* a constant: how it moves within its tree; NULL if it does not */
} tpi_sim_type;

/* The kind that a word of world files names; NULL if it is none. */
const tpi_sim_type *tpi_sim_type_find(const char *name);

/* All of them, by tpi_sim_kind. */
extern const tpi_sim_type *const tpi_sim_types[TPI_SIM_KINDS];

/* ---- Reading properties ---------------------------------------------------------------------- */

/* What loading a world passes around. */
struct sim_reader {
    const char *file;    /* borrowed: the world's */
    const char *folders; /* borrowed: where else files may be, separated by colons; may be NULL */
    tpi_cfg_note *note;
    void *context;
    tp_error *err;
    double metre;  /* what the file's units are worth */
    double radian; /* likewise */
};

/* Read into `values` what the field has, each in its unit ('L' length, 'A' angle, 'F' plain: one
 * letter for each wanted value). Values stay as they are where the field is absent. A field with
 * fewer values than `least` is an error; those missing above that stay as they are. Those that are
 * too many are reported. */
tp_status tpi_sim_read_tuple(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                             const char *units, uint32_t least, double *values);
tp_status tpi_sim_read_number(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              char unit, double *value);
tp_status tpi_sim_read_count(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                             uint32_t most, uint32_t *value);

/* One of some words, ended by NULL, each in quotes; `index` stays as it is where the property is
 * absent. */
tp_status tpi_sim_read_choice(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              const char *const *words, uint32_t *index);

/* The same of value `at` of a field, which may be NULL. */
tp_status tpi_sim_read_word(struct sim_reader *reader, const tpi_cfg_field *field, uint32_t at,
                            const char *const *words, uint32_t *index);

/* A number within bounds, which a property must be; anything else fails at its place. */
tp_status tpi_sim_read_within(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              char unit, double least, double most, double *value);

/* A property that may be given for each of several: "NAME[index]", or else "NAME". */
const char *tpi_sim_indexed(tpi_cfg_section *section, const char *name, uint32_t index,
                            char out[32]);

/* `x y z heading`, or as old files have it `x y heading`. */
tp_status tpi_sim_read_pose(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            tpi_sim_pose *pose);

/* `x y z`, or as old files have it `x y`. */
tp_status tpi_sim_read_size(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            double size[3]);

/* `color`, or `color_rgba`. */
tp_status tpi_sim_read_colour(struct sim_reader *reader, tpi_cfg_section *section, uint32_t *colour,
                              bool *random);

/* The colour that a name stands for; one that is unknown is reported at its place, and becomes red.
 */
void tpi_sim_name_colour(const struct sim_reader *reader, const tpi_cfg_place *place,
                         const char *name, uint32_t *colour);

/* Tell of values of a field, which may be NULL, that nobody reads. */
void tpi_sim_note_surplus(const struct sim_reader *reader, const tpi_cfg_field *field,
                          uint32_t wanted);

/* Tell of something odd at a place. */
void tpi_sim_note(const struct sim_reader *reader, const tpi_cfg_place *place, const char *format,
                  ...) TP_PRINTF(3, 4);

#endif
