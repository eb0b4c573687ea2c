/* experiment_fuzz.c - any text as an experiment: it is refused with its place, or what a sensor is
 * told of it are commands that the sensor can take. */
#include <string.h>

#include "base/file.h"
#include "fuzz.h"
#include "sensors/emulated.h"
#include "sensors/experiment.h"

static tpi_buf manifest_text;

/* A sensor refuses with a reason what it cannot do, and never calls it nonsense. */
static void command(void *context, unsigned line, const char *text)
{
    tpi_emulated *sensor = context;
    char answer[512];
    size_t length = 0, got;

    fuzz_require(line > 0 && strlen(text) <= 118, "a command that is too long");
    tpi_emulated_input(sensor, "<", 1);
    tpi_emulated_input(sensor, text, strlen(text));
    tpi_emulated_input(sensor, ">", 1);
    tpi_emulated_advance(sensor, 0);
    while (length < sizeof answer &&
           (got = tpi_emulated_output(sensor, answer + length, sizeof answer - length)) > 0) {
        length += got;
    }
    fuzz_require(length < 3 || memcmp(answer, "!!!", 3) != 0, "a command that is none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_experiment *experiment = NULL;
    tpi_emulated *sensor = NULL;
    tp_error err = {0};

    if (manifest_text.length == 0) {
        fuzz_require(tpi_file_read(&manifest_text, FUZZ_ROOT "/sensors/simulated.xml",
                                   TPI_MOST_MANIFEST, NULL) == TP_OK,
                     "no manifest");
    }
    if (tpi_experiment_read(&experiment, (const char *)data, size, "x.exp", &err) != TP_OK) {
        fuzz_require(strncmp(err.text, "x.exp:", 6) == 0, "an error without its place");
        return 0;
    }
    fuzz_require(tpi_emulated_create(&sensor, tpi_buf_text(&manifest_text), manifest_text.length,
                                     "m", NULL, NULL) == TP_OK,
                 "no sensor");
    for (unsigned i = 0; i < experiment->sensor_count; i++) {
        const tpi_manifest *manifest = tpi_emulated_manifest(sensor);
        if (tpi_experiment_fit(experiment, i, manifest, &err) == TP_OK) {
            tpi_experiment_commands(experiment, i, manifest, command, sensor);
        } else {
            fuzz_require(strncmp(err.text, "x.exp:", 6) == 0, "an error without its place");
        }
    }
    tpi_emulated_destroy(sensor);
    tpi_experiment_destroy(experiment);
    return 0;
}
