/*
 * model.h - the description of a robot for the engine, made of a URDF text.
 *
 * A model owns the mechanism and the records of joints, links and frames that clients ask for. A
 * binding fills a tpi_motion_robot with them and adds what it knows itself: places, outputs, the
 * period. It may change limits in the records before it creates an engine. An engine that is
 * created with a model uses it alone: UPDATE changes its records.
 */
#ifndef TROUPE_MOTION_MODEL_H
#define TROUPE_MOTION_MODEL_H

#include "motion/engine.h"

typedef struct tpi_motion_model tpi_motion_model;

/* Read a URDF text. `path` is for messages. Errors name file, line and element. */
tp_status tpi_motion_model_read(tpi_motion_model **out, const char *text, size_t length,
                                const char *path, tp_error *err);

/* The same. If `planar`, the base is planar unless the file says what it is. */
tp_status tpi_motion_model_read_base(tpi_motion_model **out, const char *text, size_t length,
                                     const char *path, bool planar, tp_error *err);

/* Accepts NULL. Robots that were filled with it must not be used any more. */
void tpi_motion_model_destroy(tpi_motion_model *model);

/* Set the name, joints, links, frames, root and mechanism of a robot. They are borrowed from the
 * model. Names of more than 32 bytes are cut. */
void tpi_motion_model_fill(tpi_motion_model *model, tpi_motion_robot *robot);

/* The number of dofs. */
uint16_t tpi_motion_model_dofs(const tpi_motion_model *model);

/* Index of the joint or control frame with this name of the file; -1 if there is none. */
int tpi_motion_model_joint(const tpi_motion_model *model, const char *name);
int tpi_motion_model_frame(const tpi_motion_model *model, const char *name);

/* The i-th warning about the file: its text, and its line; NULL after the last. */
const char *tpi_motion_model_warning(const tpi_motion_model *model, unsigned i, unsigned *line);

#endif
