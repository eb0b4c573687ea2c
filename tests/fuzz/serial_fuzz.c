/* serial_fuzz.c - any text as the URL of a serial line. */
#include <string.h>

#include "fuzz.h"
#include "platform/serial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024];
    char path[TPI_SERIAL_PATH];
    tpi_line_settings settings = {0};
    tp_error err = {0};

    if (size >= sizeof text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (tpi_serial_parse(text, path, &settings, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
        return 0;
    }
    fuzz_require(strncmp(path, text, strlen(path)) == 0, "the path is not that of the URL");
    fuzz_require(settings.baud > 0 && (settings.bits == 7 || settings.bits == 8) &&
                     (settings.stop_bits == 1 || settings.stop_bits == 2) &&
                     strchr("neo", settings.parity) != NULL && strchr("nhs", settings.flow) != NULL,
                 "a setting that is none");
    return 0;
}
