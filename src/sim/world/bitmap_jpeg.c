/*
 * bitmap_jpeg.c - reading JPEG with libjpeg.
 *
 * libjpeg reports errors by a function that must not return, so it jumps; everything that has to be
 * given back afterwards is in one struct that lives outside of the jump.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

#include "sim/world/bitmap.h"

struct jpeg {
    struct jpeg_decompress_struct it;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
    unsigned char *row;     /* owned */
    struct sim_bitmap *out; /* borrowed */
    char reason[JMSG_LENGTH_MAX];
    tp_status status; /* of our own part */
    tp_error *err;    /* borrowed */
};

static void on_error(j_common_ptr it)
{
    struct jpeg *j = it->client_data;

    it->err->format_message(it, j->reason);
    longjmp(j->failed, 1);
}

/* Cameras write files about which libjpeg has its doubts; only one that ends too early is no map.
 */
static void on_message(j_common_ptr it, int level)
{
    if (level < 0 && it->err->msg_code == JWRN_JPEG_EOF) {
        on_error(it);
    }
}

static tp_status take_memory(struct jpeg *j)
{
    tp_status status = tpi_sim_bitmap_init(j->out, j->it.image_width, j->it.image_height, j->err);

    if (status != TP_OK) {
        return status;
    }
    if (j->it.num_components != 1 && j->it.num_components != 3) {
        return tp_fail(j->err, TP_E_UNSUPPORTED,
                       "the picture has %d colours to a pixel; please convert it",
                       j->it.num_components);
    }
    j->it.out_color_space = j->it.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    j->row = calloc(j->out->width, 3);
    return j->row != NULL ? TP_OK : tp_fail(j->err, TP_E_NOMEM, "out of memory");
}

static void read_rows(struct jpeg *j)
{
    const size_t channels = j->it.num_components == 1 ? 1 : 3;

    (void)jpeg_start_decompress(&j->it);
    while (j->it.output_scanline < j->out->height) {
        const size_t first = (size_t)j->it.output_scanline * j->out->width;
        JSAMPROW row = j->row;
        (void)jpeg_read_scanlines(&j->it, &row, 1);
        for (size_t x = 0; x < j->out->width; x++) {
            const unsigned char *from = &j->row[x * channels];
            const unsigned char rgb[3] = {from[0], from[channels / 2], from[channels - 1]};
            tpi_sim_bitmap_put(j->out, first + x, rgb);
        }
    }
    (void)jpeg_finish_decompress(&j->it);
}

/* Everything that may jump. False after a jump. */
static bool read_all(struct jpeg *j, const void *bytes, size_t length)
{
    if (setjmp(j->failed) != 0) {
        return false;
    }
    jpeg_create_decompress(&j->it);
    jpeg_mem_src(&j->it, bytes, (unsigned long)length);
    (void)jpeg_read_header(&j->it, TRUE);
    j->status = take_memory(j);
    if (j->status == TP_OK) {
        read_rows(j);
    }
    return true;
}

tp_status tpi_sim_bitmap_read_jpeg(struct sim_bitmap *out, const void *bytes, size_t length,
                                   tp_error *err)
{
    struct jpeg *j = calloc(1, sizeof *j);

    if (j == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    j->out = out;
    j->err = err;
    j->it.err = jpeg_std_error(&j->errors);
    j->it.client_data = j;
    j->errors.error_exit = on_error;
    j->errors.emit_message = on_message;
    if (!read_all(j, bytes, length)) {
        j->status = tp_fail(err, TP_E_SYNTAX, "the picture is damaged: %.100s", j->reason);
    }
    jpeg_destroy_decompress(&j->it);
    const tp_status status = j->status;
    free(j->row);
    free(j);
    if (status != TP_OK) {
        tpi_sim_bitmap_fini(out);
    }
    return status;
}
