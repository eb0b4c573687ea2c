/* mapyaml_fuzz.c - any text as a file of map_server: it is refused with a reason, or what it says
 * is sound. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "navigation/mapfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_nav_mapyaml yaml;
    tp_error err = {0};
    char *text = malloc(size + 1);

    fuzz_require(text != NULL, "out of memory");
    memcpy(text, data, size);
    const tp_status status = tpi_nav_mapyaml_read(&yaml, text, size, &err);
    if (status == TP_OK) {
        const size_t length = strnlen(yaml.image, sizeof yaml.image);
        fuzz_require(length > 0 && length < sizeof yaml.image, "a map without a picture");
        fuzz_require(yaml.rules.free <= yaml.rules.occupied, "cells that are free and occupied");
        fuzz_require(isfinite(yaml.rules.x + yaml.rules.y + yaml.rules.yaw),
                     "a map that is nowhere");
    } else {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
    }
    free(text);
    return 0;
}
