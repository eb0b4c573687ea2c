/* wiring_fuzz.c - any text as a wiring file and as a --map: it is refused with its place, or every
 * part has a way for every command. The same text is plugged in while the robot is used. */
#include <stdio.h>

#include "universal.h"
#include "universal/measure.h"
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

/* The same text while the robot is used, and as the name of a channel of a sensor. */
static void try_plugs(tpi_wired *wired, const uint8_t *data, size_t size)
{
    const unsigned before = wired->part_count;
    char name[64];
    tpi_buf text = {0};

    if (tpi_wired_plug_in(wired, (const char *)data, size, NULL) != TP_OK) {
        fuzz_require(wired->part_count == before, "a failure has left parts");
    }
    fuzz_require(wired->part_count >= before, "parts of the robot are gone");
    snprintf(name, sizeof name, "%.*s", (int)(size < 60 ? size : 60), (const char *)data);
    const tpi_measure measure = {
        .name = name, .parameter = name, .unit = size % 2 == 0 ? "mm" : name, .high = 1};
    tpi_measure_put(&text, fuzz_vocabulary(), &measure, "aio:0", 0, 0);
    fuzz_require(strchr(tpi_buf_text(&text) + 1, '<') == NULL, "a name has made an element");
    tpi_buf_fini(&text);
    fuzz_require(tpi_wired_plug_in(wired, NULL, 0, NULL) == TP_OK && wired->part_count == before,
                 "what was plugged in is still there");
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
    try_plugs(wired, data, size);
    tpi_wired_destroy(wired);
    return 0;
}
