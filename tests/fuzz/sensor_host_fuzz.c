/* sensor_host_fuzz.c - any bytes to the host side of the sensor protocol, with time passing: it
 * asks a bounded number of times, comes to an end, and takes no more samples than a line can have.
 * The first byte chooses what is asked; a byte 0 lets time pass. */
#include <string.h>

#include "fuzz.h"
#include "sensors/host.h"

static void on_write(void *context, const char *bytes, size_t length)
{
    fuzz_require(length >= 3 && length < 140 && bytes[0] == '<' && bytes[length - 1] == '>',
                 "a question that is no command");
    ++*(unsigned *)context;
}

static void on_samples(void *context, const tpi_sensor_samples *samples)
{
    (void)context;
    fuzz_require(samples->count <= TPI_SENSOR_HOST_VALUES && samples->channel <= 99,
                 "samples that cannot be");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned questions = 0;
    const tpi_sensor_host_hooks hooks = {
        .write = on_write, .samples = on_samples, .context = &questions};
    const tpi_sensor_host_options options = {.verify = size > 0 && (data[0] & 2) != 0,
                                             .plain = size > 0 && (data[0] & 4) != 0};
    tpi_sensor_host *host = tpi_sensor_host_create(&hooks, &options);
    int64_t now_ns = 1000000000;

    fuzz_require(host != NULL, "no memory");
    if (size > 0 && (data[0] & 1) != 0) {
        tpi_sensor_host_manifest(host, now_ns);
    } else {
        tpi_sensor_host_ask(host, "R,1", now_ns);
    }
    for (size_t i = 1; i < size && i < 4096; i++) {
        now_ns += data[i] == 0 ? 25000000 : 0;
        if (data[i] == 0) {
            tpi_sensor_host_tick(host, now_ns);
        } else {
            tpi_sensor_host_input(host, data + i, 1, now_ns);
        }
    }
    for (int i = 0; i < 100 && tpi_sensor_host_state_of(host) == TPI_HOST_BUSY; i++) {
        now_ns += 400000000;
        tpi_sensor_host_tick(host, now_ns);
    }
    fuzz_require(tpi_sensor_host_state_of(host) != TPI_HOST_BUSY, "it asks for ever");
    fuzz_require(questions <= 16 + size, "it asks too often");
    tpi_sensor_host_destroy(host);
    return 0;
}
