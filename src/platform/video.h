/*
 * video.h - cameras of Linux (V4L2): video:/dev/video0?width=640&height=480&format=yuyv.
 *
 * The line is a stream of pictures: a head of 16 bytes (width, height, format as four characters,
 * length; little-endian), then the picture. A picture is there as a whole as soon as its head is.
 * Pictures that nobody reads are dropped by the kernel.
 *
 * With controls=1 the first picture has no size and the format CTRL: it is the list of controls,
 * and settings of them can be written (video_controls.h). Otherwise nothing can be written.
 */
#ifndef TROUPE_PLATFORM_VIDEO_H
#define TROUPE_PLATFORM_VIDEO_H

#include <stdint.h>

#include "platform/line.h"

extern const tp_scheme tpi_scheme_video;

enum { TPI_VIDEO_HEAD = 16, TPI_VIDEO_LARGEST = 64 * 1024 * 1024 };

/* What is asked of the operating system, so that tests can have a camera of their own. Calls return
 * as those of the system do; errno says why one failed. */
typedef struct tpi_video_system {
    int (*open)(const char *path);
    int (*close)(int fd);
    int (*control)(int fd, unsigned long request, void *argument);
    void *(*map)(int fd, size_t length, int64_t offset); /* NULL if it failed */
    int (*unmap)(void *memory, size_t length);
} tpi_video_system;

/* Open a camera of this system; tpi_scheme_video has the real one. */
tp_status tpi_video_open(tpi_line **out, const tpi_line_options *plan,
                         const tpi_video_system *system, tp_error *err);

#endif
