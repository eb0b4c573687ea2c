/* load.h - descriptions of robots, found in Troupe's folders. */
#ifndef TROUPE_MOTION_HOST_LOAD_H
#define TROUPE_MOTION_HOST_LOAD_H

#include "motion/model.h"

/* Read a URDF file. A relative path is looked for in `folder` ("" or with a slash at its end), then
 * among the descriptions that come with Troupe. If `planar`, the base is planar unless the file
 * says what it is. Errors name file, line and element. */
tp_status tpi_motion_load(tpi_motion_model **out, const char *folder, const char *path, bool planar,
                          tp_error *err);

#endif
