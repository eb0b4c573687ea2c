/* bitmap_bmp.c - reading BMP: uncompressed, with 1, 4, 8, 24 or 32 bits to a pixel. */
#include "sim/world/bitmap.h"

struct bmp {
    const unsigned char *bytes; /* borrowed: the whole file */
    size_t length;
    size_t palette, pixels; /* where they begin */
    size_t entry;           /* bytes of a colour in the palette */
    uint32_t bits;          /* of a pixel */
    bool from_top;          /* the first row is the top one */
};

static uint32_t word(const unsigned char *at, unsigned bytes)
{
    uint32_t value = 0;

    for (unsigned i = bytes; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return value;
}

bool tpi_sim_is_bmp(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    return length >= 2 && at[0] == 'B' && at[1] == 'M';
}

/* The old kind of head has sides of two bytes and no word about compression. */
static tp_status read_head(struct bmp *bmp, struct sim_bitmap *out, tp_error *err)
{
    const unsigned char *at = bmp->bytes;
    const uint32_t head = bmp->length >= 30 ? word(at + 14, 4) : 0;
    const bool old = head == 12;

    if (!old && (head < 40 || head > 1024 || bmp->length < 14 + head)) {
        return tp_fail(err, TP_E_SYNTAX, "the head of the picture has no width and height");
    }
    const int64_t height = old ? (int64_t)word(at + 20, 2) : (int64_t)(int32_t)word(at + 22, 4);
    const uint32_t compression = old ? 0 : word(at + 30, 4);
    bmp->bits = word(at + (old ? 24 : 28), 2);
    bmp->palette = 14 + head;
    bmp->entry = old ? 3 : 4;
    bmp->pixels = word(at + 10, 4);
    bmp->from_top = height < 0;
    if (compression != 0 && !(compression == 3 && bmp->bits == 32)) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the picture is compressed; please convert it");
    }
    if (bmp->bits != 1 && bmp->bits != 4 && bmp->bits != 8 && bmp->bits != 24 && bmp->bits != 32) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the picture has %u bits to a pixel", bmp->bits);
    }
    return tpi_sim_bitmap_init(out, word(at + 18, old ? 2 : 4),
                               (uint64_t)(height < 0 ? -height : height), err);
}

/* A colour, blue first. One that the palette does not have is black. */
static void put_pixel(const struct bmp *bmp, struct sim_bitmap *out, size_t pixel,
                      const unsigned char *row, size_t x)
{
    static const unsigned char black[3] = {0};
    const unsigned char *colour = row + x * bmp->bits / 8;

    if (bmp->bits <= 8) {
        const unsigned shift = 8 - bmp->bits - (unsigned)(x * bmp->bits % 8);
        const size_t index = (size_t)(*colour >> shift) & ((1u << bmp->bits) - 1);
        const size_t at = bmp->palette + index * bmp->entry;
        colour = at + 3 <= bmp->pixels && at + 3 <= bmp->length ? bmp->bytes + at : black;
    }
    const unsigned char rgb[3] = {colour[2], colour[1], colour[0]};
    tpi_sim_bitmap_put(out, pixel, rgb);
}

tp_status tpi_sim_bitmap_read_bmp(struct sim_bitmap *out, const void *bytes, size_t length,
                                  tp_error *err)
{
    struct bmp bmp = {.bytes = bytes, .length = length};
    tp_status status = read_head(&bmp, out, err);

    if (status != TP_OK) {
        return status;
    }
    const size_t stride = ((size_t)out->width * bmp.bits + 31) / 32 * 4;
    if (bmp.pixels > length || (length - bmp.pixels) / stride < out->height) {
        return tp_fail(err, TP_E_SYNTAX, "the picture ends before its last pixel");
    }
    for (size_t y = 0; y < out->height; y++) {
        const size_t line = bmp.from_top ? y : out->height - 1 - y;
        const unsigned char *row = bmp.bytes + bmp.pixels + line * stride;
        for (size_t x = 0; x < out->width; x++) {
            put_pixel(&bmp, out, y * out->width + x, row, x);
        }
    }
    return TP_OK;
}
