/* wired_less.c - leaves out parts of a robot; see wired.h. */
#include "universal/wired.h"

/* The number of a part among those that stay; -1 if it does not. */
static int kept_as(const int kept[TPI_MOST_PARTS], int part)
{
    return part >= 0 ? kept[part] : -1;
}

static void keep_bound(tpi_wired *wired, const int kept[TPI_MOST_PARTS])
{
    unsigned count = 0;

    for (unsigned i = 0; i < wired->bound_count; i++) {
        const tpi_bound bound = wired->bound[i];
        if (kept_as(kept, bound.part) >= 0) {
            wired->bound[count] = bound;
            wired->bound[count++].part = kept[bound.part];
        }
    }
    wired->bound_count = count;
}

/* Groups stand behind their members. */
void tpi_wired_leave_out(tpi_wired *wired, bool (*is_there)(void *context, const tpi_part *part),
                         void *context)
{
    int kept[TPI_MOST_PARTS];
    unsigned count = 0;

    for (unsigned i = 0; i < wired->part_count; i++) {
        tpi_part part = wired->parts[i];

        part.left = kept_as(kept, part.left);
        part.right = kept_as(kept, part.right);
        kept[i] = -1;
        if (is_there(context, &part) &&
            (!part.device->is_group || (part.left >= 0 && part.right >= 0))) {
            kept[i] = (int)count;
            wired->parts[count++] = part;
        }
    }
    wired->part_count = count;
    keep_bound(wired, kept);
    tpi_wired_find_routes(wired);
}
