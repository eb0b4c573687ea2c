/* wiring_fuzz.c - any text as a wiring file and as a --map: it is refused with its place, or every
 * part has a way for every command. */
#include <stdio.h>

#include "universal.h"
#include "universal/registry.h"

static const tpi_robotfile *fuzz_robot(void)
{
    static tpi_robotfile *robot = NULL;
    char text[sizeof fuzz_robot_text + 40];

    if (robot == NULL) {
        snprintf(text, sizeof text, fuzz_robot_text, "");
        fuzz_require(tpi_robotfile_read(&robot, text, strlen(text), "x.xml", fuzz_vocabulary(),
                                        NULL) == TP_OK,
                     "the robot of the target is wrong");
    }
    return robot;
}

static void try_map(tpi_wired *wired, const uint8_t *data, size_t size)
{
    char text[200];
    tp_error err = {0};

    snprintf(text, sizeof text, "%.*s", (int)(size < 150 ? size : 150), (const char *)data);
    if (tpi_wired_map(wired, text, &err) != TP_OK) {
        fuzz_require(strncmp(err.text, "--map \"", 7) == 0, "an error without the map");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const lists[] = {"Light Sensor", "Left Wheel", "Distance Sensor", "Output"};
    tpi_wired *wired = NULL;
    tp_error err = {0};

    if (tpi_wired_create(&wired, fuzz_robot(), (const char *)data, size, "w.xml", &err) != TP_OK) {
        fuzz_require(strncmp(err.text, "w.xml:", 6) == 0, "an error without its place");
        fuzz_require(tpi_wired_create(&wired, fuzz_robot(), NULL, 0, NULL, &err) == TP_OK,
                     "the default wiring is wrong");
    }
    try_map(wired, data, size);
    for (unsigned i = 0; i < 4; i++) {
        static tpi_registry registry;
        memset(&registry, 0, sizeof registry);
        tpi_registry_init(&registry, wired, i % 2 != 0);
        const int port =
            tpi_registry_declare(&registry, lists[i], (int)i - 1, TPI_READ_ANALOG, &err);
        fuzz_require(port < 0 || registry.ports[port].match.part < (int)wired->part_count,
                     "a match with no part");
        tpi_registry_fini(&registry);
    }
    tpi_wired_destroy(wired);
    return 0;
}
