/* feed_fuzz.c - values of a text that comes in pieces: the same ones however it is cut. */
#include <string.h>

#include "../../apps/feed.h"
#include "fuzz.h"

/* All values behind each other, each followed by a NUL. */
static void collect(const char *text, size_t length, size_t piece, tpi_buf *out)
{
    struct feed feed = {0};
    const char *value = NULL;
    size_t count = 0;

    for (size_t at = 0; at < length; at += piece) {
        const size_t left = length - at;
        fuzz_require(feed_add(&feed, text + at, left < piece ? left : piece), "no memory");
        while (feed_next(&feed, &value, &count)) {
            fuzz_require(count > 0, "an empty value");
            tpi_buf_put(out, value, count);
            tpi_buf_putc(out, '\0');
        }
    }
    if (feed_rest(&feed, &value, &count)) {
        tpi_buf_put(out, value, count);
        tpi_buf_putc(out, '\0');
    }
    fuzz_require(!feed_rest(&feed, &value, &count), "something is left");
    feed_fini(&feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_buf whole = {0};
    tpi_buf pieces = {0};

    if (size < 1) {
        return 0;
    }
    collect((const char *)data + 1, size - 1, size, &whole);
    collect((const char *)data + 1, size - 1, (size_t)data[0] % 7 + 1, &pieces);
    fuzz_require(whole.length == pieces.length, "other values when it is cut");
    fuzz_require(whole.length == 0 || memcmp(whole.data, pieces.data, whole.length) == 0,
                 "other values when it is cut");
    tpi_buf_fini(&whole);
    tpi_buf_fini(&pieces);
    return 0;
}
