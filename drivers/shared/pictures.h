/*
 * pictures.h - pictures that come on a line of a camera (video:), for drivers of cameras.
 *
 * Pictures in YUYV and YU12 become RGB; those in JPEG are passed on as they are.
 */
#ifndef TROUPE_DRIVERS_PICTURES_H
#define TROUPE_DRIVERS_PICTURES_H

#include "troupe/driver/camera.h"
#include "troupe/port.h"

struct pictures {
    uint8_t *bytes;  /* owned: a picture as it came */
    uint8_t *colour; /* owned: the same as RGB */
    size_t room;
    tp_camera_data last; /* borrows `bytes` or `colour` */
    uint64_t unknown;    /* pictures in a format that is not known */
};

/* Read one picture into `last`, if it is there. *got tells whether it was. */
tp_status tpi_pictures_read(struct pictures *p, tp_port *port, int64_t now_ns, bool *got,
                            tp_error *err);

/* Release the memory. */
void tpi_pictures_fini(struct pictures *p);

#endif
