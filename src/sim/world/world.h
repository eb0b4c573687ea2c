/*
 * world.h - from a world file to a simulated world; what the parts of the loader share.
 *
 * load.c reads the file and its top level, scene.c what is around all models,
 * model.c a model with its children, whose names names.c compares, template.c what
 * becomes of it, traits.c the properties that all models have, body.c bodies,
 * old.c what older files say another way, read.c single properties, check.c and
 * unused.c tell what is odd, build.c lays out memory.
 *
 * A tree is read into lists, whose contents are then interned: trees that are alike share one
 * template.
 */
#ifndef TROUPE_SIM_WORLD_WORLD_H
#define TROUPE_SIM_WORLD_WORLD_H

#include "convert/cfg_table.h"
#include "sim/inside.h"
#include "sim/world/intern.h"
#include "sim/world/shape.h"

enum {
    TPI_SIM_MOST_MODELS = 16 << 20,
    TPI_SIM_MOST_SAMPLES = 1 << 28, /* of all sensors together */
};

/* A tree as it was read. */
struct sim_seed {
    struct sim_template *template; /* borrowed */
    tpi_sim_pose pose;
    uint64_t key;
    uint64_t cell;    /* where it is, along a curve that keeps neighbours together */
    uint32_t name;    /* offset in sim->names.text; 0 without one */
    uint32_t ordinal; /* of the name that it has without one */
    uint32_t order;   /* how many come before it in the file */
    tpi_cfg_place place;
};

/* The tree that is being read. */
struct sim_draft {
    tpi_buf members; /* owned: struct sim_member */
    tpi_buf parts;   /* owned: struct sim_part */
    tpi_buf vx, vy;  /* owned: double */
    tpi_buf devices; /* owned: struct sim_device */
    uint32_t state_size, sample_count;
    uint32_t control;
    const tpi_cfg_value *control_value; /* borrowed: what names it; NULL for none */
    uint32_t control_member;            /* which has it */
    uint32_t foreign;
    bool moves;
    bool jointed;
};

struct sim_loader {
    struct sim_reader reader;
    tpi_sim *sim;                   /* borrowed: the result */
    const tpi_cfg *cfg;             /* borrowed: the file, as it was read */
    const tpi_sim_options *options; /* borrowed */
    struct sim_interner interner;
    struct sim_draft draft;
    struct sim_shape shape; /* of the model that is being read */
    tpi_buf settings;       /* of the device that is being read */
    tpi_buf config;         /* what follows from them */
    tpi_buf names;          /* of trees */
    tpi_buf seeds;          /* struct sim_seed */
    tpi_buf eyes;           /* of rangers; see check.c */
    tpi_cfg_table claimed;  /* names in the world; whose they are: */
    tpi_buf claims;         /* tpi_cfg_place */
    uint32_t ordinals[TPI_SIM_KINDS];
    uint64_t model_count, sample_count;
};

/* ---- names.c --------------------------------------------------------------------------------- */

/* Claim a name in the whole world for a model, and tell if another one has had it; `again` becomes
 * whether that is so. */
tp_status tpi_sim_claim_name(struct sim_loader *loader, const char *name,
                             const tpi_cfg_place *place, bool *again);

/* Tell of a child, the i-th section of its parent, that is called as an earlier one. */
void tpi_sim_check_sibling(const struct sim_loader *loader, const tpi_cfg_section *parent,
                           const tpi_sim_type *type, uint32_t i);

/* Whether a name is in a list, which is ended by NULL and may be NULL. */
bool tpi_sim_is_among(const char *const *names, const char *name);

/* ---- model.c --------------------------------------------------------------------------------- */

/* Read a top-level model with all that stands on it and add it to the seeds. */
tp_status tpi_sim_load_tree(struct sim_loader *loader, tpi_cfg_section *section);

/* Whether a section of this type means something here, old words aside. */
bool tpi_sim_is_built_in(const char *word);

/* Whether it is what a kind has in it besides models. */
bool tpi_sim_is_section_of(const tpi_sim_type *type, const char *word);

/* What kind a section is; fails if it is none, naming the nearest. */
tp_status tpi_sim_kind_of(struct sim_loader *loader, const tpi_cfg_section *section,
                          const tpi_sim_type **type);

/* ---- template.c
 * ---------------------------------------------------------------------------------- */

struct sim_member *tpi_sim_draft_member(const struct sim_draft *draft, uint32_t index);
void tpi_sim_draft_clear(struct sim_draft *draft);
void tpi_sim_draft_fini(struct sim_draft *draft);

/* loader->shape becomes parts of the member. */
tp_status tpi_sim_put_parts(struct sim_loader *loader, uint32_t member);

/* Read what a kind wants to know, and give the member a device of it. */
tp_status tpi_sim_put_device(struct sim_loader *loader, tpi_cfg_section *section, uint32_t member,
                             const tpi_sim_type *type, uint32_t *index);

/* The tree that was read becomes a template, or the one that it equals. NULL if memory ran out. */
struct sim_template *tpi_sim_make_plan(struct sim_loader *loader);

/* ---- traits.c -------------------------------------------------------------------------------- */

/* The properties that all models have, but for name, pose and body. */
tp_status tpi_sim_load_traits(struct sim_loader *loader, tpi_cfg_section *section,
                              const tpi_sim_type *type, struct sim_traits *traits);

/* Names of properties: those that all models have, and those that mean nothing here but are no
 * mistake either. Ended by NULL. */
extern const char *const tpi_sim_model_properties[];
extern const char *const tpi_sim_silent_properties[];

/* ---- body.c ---------------------------------------------------------------------------------- */

/* The body of a model, fitted into its box, into loader->shape. */
tp_status tpi_sim_load_shape(struct sim_loader *loader, tpi_cfg_section *section,
                             const tpi_sim_type *type, const struct sim_traits *traits);

/* The picture that a field names, which is the caller's to fini even after a failure. */
tp_status tpi_sim_load_picture(const struct sim_reader *reader, const tpi_cfg_field *field,
                               bool coloured, struct sim_bitmap *bitmap);

/* ---- check.c --------------------------------------------------------------------------------- */

/* Remember a ranger of the tree that is being read. */
tp_status tpi_sim_note_ranger(struct sim_loader *loader, const tpi_cfg_section *section,
                              const struct sim_member *member, const struct sim_device *device);

/* Tell of rangers that cannot see anything at their height, once all trees have been read. */
void tpi_sim_check_rangers(const struct sim_loader *loader);

/* Tell of a controller whose robot, which has just been read, has not what it needs. */
void tpi_sim_check_control(const struct sim_loader *loader);

/* ---- unused.c -------------------------------------------------------------------------------- */

/* Report every property that was not read. */
void tpi_sim_note_unused(const struct sim_loader *loader, const tpi_cfg_section *root);

/* ---- scene.c --------------------------------------------------------------------------------- */

/* What the file says of the world around all models. */
tp_status tpi_sim_load_scene(struct sim_loader *loader, tpi_cfg_section *root);
extern const char *const tpi_sim_scene_properties[]; /* ended by NULL */

/* ---- old.c ----------------------------------------------------------------------------------- */

/* The kind that an old word stands for; NULL if it is none. */
const tpi_sim_type *tpi_sim_old_type(const char *word);

/* Whether it is a window, or an old name of one. */
bool tpi_sim_is_window(const char *word);

/* Whether it stands for something without a body. */
bool tpi_sim_old_unseen(const char *word);

/* What a property is called in this section: `name`, or what it was called in old files, which is
 * told. */
const char *tpi_sim_old_name(const struct sim_reader *reader, tpi_cfg_section *section,
                             const char *name);

/* Change what an old word implies for all models of its kind. */
void tpi_sim_old_traits(const char *word, struct sim_traits *traits);

/* ---- read.c ---------------------------------------------------------------------------------- */

/* A text; NULL where the field is absent. */
tp_status tpi_sim_read_text(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            const char **text);
tp_status tpi_sim_read_flag(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                            bool *flag);
tp_status tpi_sim_read_int(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                           int32_t *value);

/* ---- build.c --------------------------------------------------------------------------------- */

/* Lay out the world that the seeds describe and let it begin. */
tp_status tpi_sim_build(struct sim_loader *loader);

/* The world is out of memory. */
tp_status tpi_sim_no_memory(const struct sim_loader *loader);

#endif
