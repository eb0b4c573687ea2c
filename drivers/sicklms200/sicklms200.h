/* sicklms200.h - what the files of the driver share: setup.c talks, sicklms200.c does the rest. */
#ifndef SICKLMS200_H
#define SICKLMS200_H

#include "telegram.h"
#include "troupe/driver.h"
#include "troupe/port.h"

enum { LMS_MOST_RANGES = 401, LMS_MOST_RATES = 4 };

struct lms {
    tp_device *laser;
    tp_port *port; /* owned; NULL unless it runs */

    /* What the configuration wants. */
    unsigned rates[LMS_MOST_RATES]; /* to look for the scanner at */
    size_t rate_count;
    unsigned rate;       /* to talk at afterwards */
    unsigned resolution; /* hundredths of a degree: 25, 50 or 100 */
    unsigned range_res;  /* millimetres: 1 or 10 */
    bool invert;
    int64_t timeout_ns;
    tp_pose3d pose;
    tp_bbox3d size;

    struct lms_reader reader;
    char type[32]; /* what the scanner calls itself */
    bool off;      /* a client wants no scans */
    int64_t heard_ns;
    uint32_t number; /* of the scan */
    float ranges[LMS_MOST_RANGES];
};

/* setup.c: open the line, find the scanner, let it send scans. Waits. */
tp_status tpi_lms_connect(tp_instance *self, tp_error *err);

/* Let it send no more; cannot fail. */
void tpi_lms_quiet(tp_instance *self);

#endif
