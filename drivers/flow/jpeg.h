/* jpeg.h - pictures to JPEG and back; nojpeg.c where there is no libjpeg. */
#ifndef TROUPE_DRIVERS_FLOW_JPEG_H
#define TROUPE_DRIVERS_FLOW_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

/* A picture of more pixels than this is refused, whatever its header says. */
enum { JPEG_MOST_PIXELS = 64 << 20 };

/* Compress rows of pixels with one (grey) or three bytes each; `quality` is 1 to 100. The caller
 * releases `out` with free(). */
tp_status tpi_jpeg_put(const uint8_t *pixels, uint32_t width, uint32_t height, unsigned channels,
                       unsigned quality, uint8_t **out, size_t *length, tp_error *err);

/* The opposite: one or three bytes to a pixel, as the picture has it. */
tp_status tpi_jpeg_get(const uint8_t *bytes, size_t length, uint8_t **pixels, uint32_t *width,
                       uint32_t *height, unsigned *channels, tp_error *err);

#endif
