/* motion_text.h - a mechanism in words, and as JSON. */
#ifndef TROUPE_APPS_MOTION_TEXT_H
#define TROUPE_APPS_MOTION_TEXT_H

#include "base/buf.h"
#include "kinematics/mechanism.h"

/* Append "puma560: 9 links, 8 joints, 8 dofs, 1 frame". */
void motion_text_put_counts(tpi_buf *out, const tpi_mechanism *mechanism);

/* Append the tree of links and joints, the frames and the warnings, in at most 80 columns. */
void motion_text_put(tpi_buf *out, const tpi_mechanism *mechanism);

/* Append everything as JSON. */
void motion_json_put(tpi_buf *out, const tpi_mechanism *mechanism);

#endif
