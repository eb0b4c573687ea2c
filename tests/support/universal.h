/* universal.h - robots, wirings and matching for tests of src/universal. */
#ifndef TROUPE_TESTS_UNIVERSAL_H
#define TROUPE_TESTS_UNIVERSAL_H

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/unit.h"
#include "universal/registry.h"

/* The whole text of a file of the sources. */
static inline void universal_text(tpi_buf *out, const char *name)
{
    char path[600];
    tp_error err = {0};

    snprintf(path, sizeof path, "%s/%s", TEST_ROOT, name);
    if (tpi_file_read(out, path, TPI_MOST_DOCUMENT, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
}

static inline tpi_vocabulary *universal_vocabulary(void)
{
    tpi_vocabulary *vocabulary = NULL;
    tpi_buf text = {0};
    tp_error err = {0};

    universal_text(&text, "robots/classes.xml");
    if (tpi_vocabulary_read(&vocabulary, text.data, text.length, "classes.xml", &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_buf_fini(&text);
    return vocabulary;
}

static inline tpi_robotfile *universal_robot(const tpi_vocabulary *vocabulary, const char *text)
{
    tpi_robotfile *robot = NULL;
    tp_error err = {0};

    if (tpi_robotfile_read(&robot, text, strlen(text), "x.xml", vocabulary, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return robot;
}

/* A robot of a file of the sources. */
static inline tpi_robotfile *universal_file(const tpi_vocabulary *vocabulary, const char *name)
{
    tpi_buf text = {0};

    universal_text(&text, name);
    tpi_robotfile *robot = universal_robot(vocabulary, tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return robot;
}

static inline tpi_wired *universal_wired(const tpi_robotfile *robot, const char *wiring)
{
    tpi_wired *wired = NULL;
    tp_error err = {0};

    if (tpi_wired_create(&wired, robot, wiring, wiring != NULL ? strlen(wiring) : 0, "w.xml",
                         &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return wired;
}

#endif
