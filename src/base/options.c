/* options.c - see options.h. */
#include "base/options.h"

#include <stdbool.h>
#include <string.h>

static bool is_zero(const char *bytes, size_t length)
{
    size_t i = 0;

    while (i < length && bytes[i] == 0) {
        i++;
    }
    return i == length;
}

tp_status tpi_options_take(void *out, const tpi_options_kind *kind, const void *options,
                           tp_error *err)
{
    size_t size = 0;

    memset(out, 0, kind->size);
    if (options != NULL) {
        memcpy(&size, options, sizeof size);
        size = size == 0 ? kind->first : size;
        if (size < sizeof size) {
            return tp_fail(err, TP_E_INVALID, "%s: its size cannot be %zu", kind->name, size);
        }
        if (size > kind->size && !is_zero((const char *)options + kind->size, size - kind->size)) {
            return tp_fail(err, TP_E_UNSUPPORTED,
                           "%s: a field is set that this library does not know: the program was "
                           "compiled for a newer one",
                           kind->name);
        }
        memcpy(out, options, size < kind->size ? size : kind->size);
    }
    memcpy(out, &kind->size, sizeof kind->size);
    return TP_OK;
}
