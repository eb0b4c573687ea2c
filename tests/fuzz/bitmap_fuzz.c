/* bitmap_fuzz.c - reading any bytes as a picture; what is accepted becomes polygons whose area is
 * that of the pixels. */
#include "fuzz.h"
#include "sim/world/bitmap.h"
#include "sim/world/shape.h"

enum { MOST_TRACED = 1 << 16 };

static double count_pixels(const struct sim_bitmap *bitmap)
{
    double count = 0;

    for (size_t i = 0; i < (size_t)bitmap->width * bitmap->height; i++) {
        fuzz_require(bitmap->pixels[i] <= 1, "a pixel is neither black nor white");
        count += bitmap->pixels[i];
    }
    return count;
}

static double area_of(const struct sim_shape *shape, const struct sim_polygon *polygon)
{
    double sum = 0;

    for (uint32_t i = 0; i < polygon->count; i++) {
        const struct sim_point *p = tpi_sim_shape_point(shape, polygon->first + i);
        const struct sim_point *q =
            tpi_sim_shape_point(shape, polygon->first + (i + 1) % polygon->count);
        fuzz_require((p->x == q->x) != (p->y == q->y), "an edge is oblique or has no length");
        sum += p->x * q->y - p->y * q->x;
    }
    return sum / 2;
}

/* Holes run the other way round and count as less. */
static void trace(struct sim_bitmap *bitmap)
{
    const double pixels = count_pixels(bitmap);
    struct sim_shape shape = {0};
    double area = 0;

    fuzz_require(tpi_sim_shape_trace(&shape, bitmap, NULL) == TP_OK, "a picture has no outline");
    for (uint32_t i = 0; i < tpi_sim_shape_count(&shape); i++) {
        area += area_of(&shape, tpi_sim_shape_polygon(&shape, i));
    }
    fuzz_require(area == pixels, "the outline holds another area than the pixels");
    tpi_sim_shape_fini(&shape);
}

/* With colours everything else is the same, and what is occupied is dark. */
static void compare_colours(const struct sim_bitmap *plain, const uint8_t *data, size_t size)
{
    struct sim_bitmap bitmap;

    fuzz_require(tpi_sim_bitmap_read_colours(&bitmap, data, size, NULL) == TP_OK,
                 "a picture has no colours");
    for (size_t i = 0; i < (size_t)plain->width * plain->height; i++) {
        fuzz_require(plain->pixels[i] == bitmap.pixels[i] &&
                         (plain->pixels[i] != 0) == (bitmap.rgb[3 * i] <= 127),
                     "colours and occupied pixels differ");
    }
    tpi_sim_bitmap_fini(&bitmap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_bitmap bitmap;
    tp_error err = {0};

    if (tpi_sim_bitmap_read(&bitmap, data, size, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "an error without a text");
    } else if ((size_t)bitmap.width * bitmap.height <= MOST_TRACED) {
        compare_colours(&bitmap, data, size);
        trace(&bitmap);
    }
    tpi_sim_bitmap_fini(&bitmap);
    return 0;
}
