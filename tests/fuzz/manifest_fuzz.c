/* manifest_fuzz.c - any text as the manifest of a sensor: it is refused with its place, or what is
 * written of it reads back, and its conversions give numbers. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "sensors/manifest.h"

static void convert(const tpi_scaling *s)
{
    const double raws[] = {s->low, (s->low + s->high) / 2, s->high, 0};

    for (size_t i = 0; i < sizeof raws / sizeof raws[0]; i++) {
        const double value = tpi_scaling_value(s, raws[i]);
        fuzz_require(isnan(value) ||
                         (value >= s->min - s->resolution && value <= s->max + s->resolution),
                     "a value outside of its scale");
        const double raw = tpi_scaling_invert(s, value);
        fuzz_require(isnan(raw) || (raw >= s->low && raw <= s->high), "a raw number outside");
        (void)tpi_scaling_uncertainty(s, raws[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_manifest *manifest = NULL, *again = NULL;
    tpi_buf text = {0};
    tp_error err = {0};

    if (tpi_manifest_read(&manifest, (const char *)data, size, "x.xml", NULL, &err) != TP_OK) {
        fuzz_require(strncmp(err.text, "x.xml:", 6) == 0, "an error without its place");
        return 0;
    }
    for (unsigned i = 0; i < manifest->transducer_count; i++) {
        for (unsigned k = 0; k < manifest->transducers[i].conversion_count; k++) {
            convert(&manifest->transducers[i].conversions[k].scaling);
        }
    }
    tpi_manifest_write(manifest, &text);
    if (text.length <= TPI_MOST_MANIFEST) {
        fuzz_require(tpi_manifest_read(&again, tpi_buf_text(&text), text.length, "y.xml", NULL,
                                       &err) == TP_OK,
                     "what was written cannot be read");
    }
    tpi_manifest_destroy(again);
    tpi_manifest_destroy(manifest);
    tpi_buf_fini(&text);
    return 0;
}
