/* pictures.c - pictures that come on a line of a camera; see pictures.h. */
#include "pictures.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, LARGEST = 64 * 1024 * 1024 };

static uint8_t within(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* One pixel of ITU-R BT.601, with 16 fixed bits. */
static void put_pixel(uint8_t *out, int y, int u, int v)
{
    const int light = 76309 * (y - 16) + 32768;

    out[0] = within((light + 104597 * v) >> 16);
    out[1] = within((light - 25675 * u - 53279 * v) >> 16);
    out[2] = within((light + 132201 * u) >> 16);
}

static void convert(const uint8_t *yuyv, size_t pixels, uint8_t *out)
{
    for (size_t i = 0; i + 1 < pixels; i += 2, yuyv += 4, out += 6) {
        const int u = yuyv[1] - 128;
        const int v = yuyv[3] - 128;
        put_pixel(out, yuyv[0], u, v);
        put_pixel(out + 3, yuyv[2], u, v);
    }
}

/* The same with planes: the colours of four pixels together. */
static void convert_planes(const uint8_t *bytes, size_t width, size_t height, uint8_t *out)
{
    const uint8_t *u = bytes + width * height;
    const uint8_t *v = u + (width / 2) * (height / 2);

    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++, out += 3) {
            const size_t at = (y / 2) * (width / 2) + x / 2;
            put_pixel(out, bytes[y * width + x], u[at] - 128, v[at] - 128);
        }
    }
}

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Formats as their four characters. */
static bool make_data(struct pictures *p, const uint8_t *head, size_t length)
{
    tp_camera_data *d = &p->last;
    const char *format = (const char *)head + 8;
    const size_t pixels = (size_t)u32(head) * u32(head + 4);

    *d = (tp_camera_data){.width = u32(head), .height = u32(head + 4), .fdiv = 1};
    if (memcmp(format, "YUYV", 4) == 0 && length >= 2 * pixels) {
        convert(p->bytes, pixels, p->colour);
        d->bpp = 24;
        d->format = TP_CAMERA_FORMAT_RGB888;
        d->image = p->colour;
        d->image_count = (uint32_t)(3 * pixels);
        return true;
    }
    if (memcmp(format, "YU12", 4) == 0 && d->width % 2 == 0 && d->height % 2 == 0 &&
        length >= pixels + pixels / 2) {
        convert_planes(p->bytes, d->width, d->height, p->colour);
        d->bpp = 24;
        d->format = TP_CAMERA_FORMAT_RGB888;
        d->image = p->colour;
        d->image_count = (uint32_t)(3 * pixels);
        return true;
    }
    d->image = p->bytes;
    if (memcmp(format, "MJPG", 4) == 0 || memcmp(format, "JPEG", 4) == 0) {
        d->bpp = 24;
        d->format = TP_CAMERA_FORMAT_RGB888;
        d->compression = TP_CAMERA_COMPRESS_JPEG;
        d->image_count = (uint32_t)length;
        return true;
    }
    const bool colour = memcmp(format, "RGB3", 4) == 0;
    d->bpp = colour ? 24 : 8;
    d->format = colour ? TP_CAMERA_FORMAT_RGB888 : TP_CAMERA_FORMAT_MONO8;
    d->image_count = (uint32_t)(colour ? 3 * pixels : pixels);
    return (colour || memcmp(format, "GREY", 4) == 0) && length >= d->image_count;
}

static tp_status make_room(struct pictures *p, size_t length, size_t pixels, tp_error *err)
{
    const size_t wanted = length > 3 * pixels ? length : 3 * pixels;

    if (wanted <= p->room) {
        return TP_OK;
    }
    uint8_t *bytes = realloc(p->bytes, wanted);
    p->bytes = bytes != NULL ? bytes : p->bytes;
    uint8_t *colour = realloc(p->colour, wanted);
    p->colour = colour != NULL ? colour : p->colour;
    p->room = bytes != NULL && colour != NULL ? wanted : 0;
    return p->room > 0 ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

tp_status tpi_pictures_read(struct pictures *p, tp_port *port, int64_t now_ns, bool *got,
                            tp_error *err)
{
    uint8_t head[HEAD];
    tp_status status = tp_port_read_all(port, head, sizeof head, 0, err);

    *got = status == TP_OK;
    if (status != TP_OK) {
        return status == TP_E_TIMEOUT ? TP_OK : status;
    }
    const size_t length = u32(head + 12);
    const uint64_t pixels = (uint64_t)u32(head) * u32(head + 4);
    if (length > LARGEST || pixels == 0 || pixels > LARGEST / 3) {
        return tp_fail(err, TP_E_DEVICE, "a picture of %u x %u pixels and %zu bytes is no picture",
                       (unsigned)u32(head), (unsigned)u32(head + 4), length);
    }
    status = make_room(p, length, (size_t)pixels, err);
    if (status == TP_OK && length > 0) {
        status = tp_port_read_all(port, p->bytes, length, now_ns + TP_NS_PER_S, err);
    }
    if (status == TP_OK && !make_data(p, head, length)) {
        *got = false;
        p->unknown++;
    }
    return status;
}

void tpi_pictures_fini(struct pictures *p)
{
    free(p->bytes);
    free(p->colour);
}
