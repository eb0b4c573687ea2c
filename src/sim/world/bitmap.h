/*
 * bitmap.h - pictures that stand for bodies: which pixels are occupied.
 *
 * PNG, PNM (P1 to P6), BMP and, where there is libjpeg, JPEG; packed with gzip or not. Only the
 * first channel counts: up to 127 of 255 is occupied, transparent or not. Those that lie on the
 * floor want the colours too.
 */
#ifndef TROUPE_SIM_WORLD_BITMAP_H
#define TROUPE_SIM_WORLD_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "troupe/status.h"

enum { TPI_SIM_MOST_PIXELS = 128 << 20 };

struct sim_bitmap {
    uint32_t width, height;
    unsigned char *pixels; /* owned; row by row from the top, 1 where occupied */
    bool clear;            /* some that are occupied are transparent */
    bool coloured;         /* colours are wanted */
    unsigned char *rgb;    /* owned; red, green and blue of each pixel; NULL unless coloured */
};

/* Load a file. If there is none, but one with ".gz" behind its name, that one is loaded. Errors
 * name the file. */
tp_status tpi_sim_bitmap_load(struct sim_bitmap *out, const char *path, tp_error *err);

/* Read one that is in memory. Errors name nothing. */
tp_status tpi_sim_bitmap_read(struct sim_bitmap *out, const void *bytes, size_t length,
                              tp_error *err);

/* The same with colours. */
tp_status tpi_sim_bitmap_load_colours(struct sim_bitmap *out, const char *path, tp_error *err);
tp_status tpi_sim_bitmap_read_colours(struct sim_bitmap *out, const void *bytes, size_t length,
                                      tp_error *err);

/* Safe after a failure. */
void tpi_sim_bitmap_fini(struct sim_bitmap *bitmap);

/* ---- Between the readers --------------------------------------------------------------------- */

/* Take memory for a picture of this size, unless it is too large or empty. */
tp_status tpi_sim_bitmap_init(struct sim_bitmap *bitmap, uint64_t width, uint64_t height,
                              tp_error *err);

/* A pixel with its red, green and blue. */
void tpi_sim_bitmap_put(struct sim_bitmap *bitmap, size_t pixel, const unsigned char rgb[3]);

bool tpi_sim_is_bmp(const void *bytes, size_t length);
tp_status tpi_sim_bitmap_read_bmp(struct sim_bitmap *out, const void *bytes, size_t length,
                                  tp_error *err);
tp_status tpi_sim_bitmap_read_jpeg(struct sim_bitmap *out, const void *bytes, size_t length,
                                   tp_error *err);
bool tpi_sim_is_png(const void *bytes, size_t length);
tp_status tpi_sim_bitmap_read_png(struct sim_bitmap *out, const void *bytes, size_t length,
                                  tp_error *err);

/* Bytes that are packed with gzip; at most so many come out. */
bool tpi_sim_is_gzip(const void *bytes, size_t length);
tp_status tpi_sim_gzip_unpack(tpi_buf *out, const void *bytes, size_t length, size_t most,
                              tp_error *err);

#endif
