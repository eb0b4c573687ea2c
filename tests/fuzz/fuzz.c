/* fuzz.c - what fuzz targets share. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

void fuzz_require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "defect: %s\n", what);
        abort();
    }
}

const tp_catalogue *fuzz_catalogue(void)
{
    static tp_catalogue *catalogue;

    if (catalogue == NULL) {
        fuzz_require(tp_catalogue_create(&catalogue, NULL) == TP_OK, "no catalogue");
    }
    return catalogue;
}

const tp_struct *fuzz_struct(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return NULL;
    }
    const tp_interface *interface =
        tp_catalogue_at(fuzz_catalogue(), data[0] % tp_catalogue_size(fuzz_catalogue()));
    return interface->struct_count == 0 ? NULL
                                        : interface->structs[data[1] % interface->struct_count];
}
