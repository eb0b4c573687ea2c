/*
 * video_controls.h - the controls of a camera, such as motors, gain and white balance, as bytes.
 *
 * A control is a name of four characters, its least and greatest value, its step and its value: 20
 * bytes, little-endian. A control is set by its name and a value: 8 bytes.
 */
#ifndef TROUPE_PLATFORM_VIDEO_CONTROLS_H
#define TROUPE_PLATFORM_VIDEO_CONTROLS_H

#include <stddef.h>

#include "platform/video.h"

enum { TPI_VIDEO_CONTROL = 20, TPI_VIDEO_SETTING = 8, TPI_VIDEO_CONTROLS = 16 };

/* List the controls that the camera has; `out` has room for TPI_VIDEO_CONTROLS of them. The length.
 */
size_t tpi_video_list_controls(const tpi_video_system *system, int fd, unsigned char *out);

/* Set a control. 0, or -1 with errno: EINVAL for a name that is not known. */
int tpi_video_set_control(const tpi_video_system *system, int fd, const unsigned char *setting);

#endif
