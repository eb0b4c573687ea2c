/* srv1_nojpeg.c - a build without libjpeg: an SRV-1 answers as if its camera were always busy. */
#include "emulate/srv1.h"

bool tpi_srv1_put_jpeg(tpi_buf *out, const uint8_t *rgb, uint32_t width, uint32_t height,
                       unsigned quality)
{
    (void)out;
    (void)rgb;
    (void)width;
    (void)height;
    (void)quality;
    return false;
}
