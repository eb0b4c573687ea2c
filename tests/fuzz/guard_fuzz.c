/* guard_fuzz.c - any text as the stop bytes of a configuration; written in hex they are the same.
 */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "platform/guard_talk.h"
#include "server/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    tpi_buf bytes = {0};
    tpi_buf hex = {0};
    tpi_buf again = {0};
    tp_error err = {0};

    if (size >= sizeof text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (tpi_guard_parse(&bytes, text, &err) == TP_OK) {
        fuzz_require(bytes.length > 0 && bytes.length <= TPI_GUARD_MOST, "too few or too many");
        tpi_buf_puts(&hex, "hex:");
        tpi_hex_put(&hex, bytes.data, bytes.length);
        fuzz_require(tpi_guard_parse(&again, hex.data, NULL) == TP_OK, "in hex they are none");
        fuzz_require(again.length == bytes.length &&
                         memcmp(again.data, bytes.data, bytes.length) == 0,
                     "in hex they are others");
    } else {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
    }
    tpi_buf_fini(&bytes);
    tpi_buf_fini(&hex);
    tpi_buf_fini(&again);
    return 0;
}
