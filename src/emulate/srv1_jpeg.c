/*
 * srv1_jpeg.c - pictures as JPEG, with libjpeg.
 *
 * libjpeg reports errors by a function that must not return, so it jumps; what has to be released
 * afterwards is in one struct that lives outside of the jump.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "emulate/srv1.h"

struct jpeg {
    struct jpeg_compress_struct it;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
    unsigned char *bytes; /* libjpeg's, released with free() */
    unsigned long length;
};

static void on_error(j_common_ptr it)
{
    longjmp(((struct jpeg *)it->client_data)->failed, 1);
}

static void on_message(j_common_ptr it, int level)
{
    (void)it;
    (void)level;
}

static void compress(struct jpeg *j, const uint8_t *rgb, uint32_t width, uint32_t height,
                     unsigned quality)
{
    jpeg_create_compress(&j->it);
    jpeg_mem_dest(&j->it, &j->bytes, &j->length);
    j->it.image_width = width;
    j->it.image_height = height;
    j->it.input_components = 3;
    j->it.in_color_space = JCS_RGB;
    jpeg_set_defaults(&j->it);
    jpeg_set_quality(&j->it, (int)quality, TRUE);
    jpeg_start_compress(&j->it, TRUE);
    while (j->it.next_scanline < height) {
        /* libjpeg only reads it */
        JSAMPROW row = (JSAMPROW)(uintptr_t)(rgb + (size_t)3 * width * j->it.next_scanline);
        jpeg_write_scanlines(&j->it, &row, 1);
    }
    jpeg_finish_compress(&j->it);
}

bool tpi_srv1_put_jpeg(tpi_buf *out, const uint8_t *rgb, uint32_t width, uint32_t height,
                       unsigned quality)
{
    struct jpeg j = {.bytes = NULL};
    volatile bool done = false;

    j.it.err = jpeg_std_error(&j.errors);
    j.errors.error_exit = on_error;
    j.errors.emit_message = on_message;
    j.it.client_data = &j;
    if (setjmp(j.failed) == 0) {
        compress(&j, rgb, width, height, quality);
        tpi_buf_put(out, j.bytes, j.length);
        done = !out->failed;
    }
    jpeg_destroy_compress(&j.it);
    free(j.bytes);
    return done;
}
