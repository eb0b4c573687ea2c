/* play_transit_fuzz.c - any bytes as the file of a program in transit: refused with a reason, or
 * the same bytes come out again. */
#include <string.h>

#include "fuzz.h"
#include "play/transit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_play_transit transit = {0};
    tpi_buf again = {0};
    tp_error err = {0};

    if (tpi_play_transit_read(&transit, data, size, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "a file is refused without a reason");
    } else {
        tpi_play_transit_put(&again, &transit);
        fuzz_require(again.length == size && memcmp(again.data, data, size) == 0,
                     "another file comes out");
    }
    tpi_buf_fini(&again);
    tpi_play_transit_fini(&transit);
    return 0;
}
