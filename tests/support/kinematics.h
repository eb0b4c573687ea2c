/* kinematics.h - what tests of mechanisms share: numbers that are nearly equal, robots of files. */
#ifndef TROUPE_TESTS_KINEMATICS_H
#define TROUPE_TESTS_KINEMATICS_H

#include "base/file.h"
#include "kinematics/mechanism.h"
#include "support/unit.h"

/* cmocka compares floats, which have too few digits here. */
#define assert_near(a, b, most) near_or_fail((a), (b), (most), __FILE__, __LINE__)

static inline void near_or_fail(double a, double b, double most, const char *file, int line)
{
    if (!(fabs(a - b) <= most)) {
        print_error("%.17g is not %.17g within %g\n", a, b, most);
        _fail(file, line);
    }
}

/* The text of a file of the folder robots; the caller releases it. */
static inline tpi_buf robot_text(const char *file)
{
    tpi_buf text = {0};
    tp_error err = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/%s", ROBOTS, file);
    if (tpi_file_read(&text, path, 1 << 20, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return text;
}

/* A robot of the folder robots; the caller destroys it. */
static inline tpi_mechanism *robot_of(const char *file)
{
    tpi_mechanism *mechanism = NULL;
    tpi_buf text = robot_text(file);
    tp_error err = {0};

    if (tpi_urdf_read(&mechanism, text.data, text.length, file, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tpi_buf_fini(&text);
    return mechanism;
}

#endif
