/* bitmap_nojpeg.c - what stands for JPEG where there is no libjpeg. */
#include "sim/world/bitmap.h"

tp_status tpi_sim_bitmap_read_jpeg(struct sim_bitmap *out, const void *bytes, size_t length,
                                   tp_error *err)
{
    (void)out;
    (void)bytes;
    (void)length;
    return tp_fail(err, TP_E_UNSUPPORTED,
                   "the picture is JPEG, for which this program was not built; please convert it");
}
