/* nojpeg.c - in place of jpeg.c where there is no libjpeg; see jpeg.h. */
#include "jpeg.h"

static tp_status refuse(tp_error *err)
{
    return tp_fail(err, TP_E_UNSUPPORTED, "this program was built without libjpeg");
}

tp_status tpi_jpeg_put(const uint8_t *pixels, uint32_t width, uint32_t height, unsigned channels,
                       unsigned quality, uint8_t **out, size_t *length, tp_error *err)
{
    (void)pixels;
    (void)width;
    (void)height;
    (void)channels;
    (void)quality;
    (void)out;
    (void)length;
    return refuse(err);
}

tp_status tpi_jpeg_get(const uint8_t *bytes, size_t length, uint8_t **pixels, uint32_t *width,
                       uint32_t *height, unsigned *channels, tp_error *err)
{
    (void)bytes;
    (void)length;
    (void)pixels;
    (void)width;
    (void)height;
    (void)channels;
    return refuse(err);
}
