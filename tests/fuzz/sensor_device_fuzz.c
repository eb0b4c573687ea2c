/* sensor_device_fuzz.c - any bytes to the device side of the sensor protocol, with time passing:
 * every answer is a line, a refused one says so, and times never go back. The first byte chooses
 * the sensor; a byte 0 lets time pass. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "fuzz.h"
#include "sensors/emulated.h"

/* The sensor with this number, as after power-on: reading its manifest takes longer than an input.
 */
static tpi_emulated *start(unsigned which)
{
    static const char *const names[] = {"simulated", "nxt_light", "heater", "accelerometer"};
    static tpi_emulated *sensors[4]; /* until the end */
    const tpi_emulated_options options = {.cells = 64, .line = 512};
    tpi_emulated **sensor = &sensors[which % 4];
    tpi_buf text = {0};
    char path[512];

    if (*sensor == NULL) {
        snprintf(path, sizeof path, FUZZ_ROOT "/sensors/%s.xml", names[which % 4]);
        fuzz_require(tpi_file_read(&text, path, TPI_MOST_MANIFEST, NULL) == TP_OK, "no manifest");
        fuzz_require(tpi_emulated_create(sensor, text.data, text.length, path, &options, NULL) ==
                         TP_OK,
                     "no sensor");
        tpi_buf_fini(&text);
    }
    tpi_emulated_restart(*sensor);
    return *sensor;
}

static void take(tpi_emulated *sensor)
{
    char bytes[512];
    const size_t length = tpi_emulated_output(sensor, bytes, sizeof bytes);

    for (size_t i = 0; i < length; i++) {
        fuzz_require(bytes[i] == '\n' || (unsigned char)bytes[i] >= ' ', "a control byte");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_STEPS = 64 }; /* of time: more are only slow */
    tpi_emulated *sensor;
    uint64_t now_us = 0;
    unsigned steps = 0;

    if (size == 0) {
        return 0;
    }
    sensor = start(data[0]);
    for (size_t i = 1; i < size && i < 4096; i++) {
        if (data[i] == 0 && steps++ < MOST_STEPS) {
            now_us += 20000;
            tpi_emulated_advance(sensor, now_us);
            take(sensor);
        } else if (data[i] != 0) {
            tpi_emulated_input(sensor, data + i, 1);
        }
    }
    tpi_emulated_advance(sensor, now_us + 1000);
    take(sensor);
    return 0;
}
