/*
 * scip.h - the protocol of Hokuyo's range finders, SCIP 1.1 and 2.0: what lines mean.
 *
 * A command is a line. The sensor echoes it, tells a status, perhaps data, and ends its reply with
 * an empty line. In SCIP 2.0 lines behind the echo end in a sum, a letter; in 1.1 they do not.
 * Nothing here reads or writes; see urg.c.
 */
#ifndef URG_SCIP_H
#define URG_SCIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCIP_MOST_READINGS = 2048,
    SCIP_MOST_CHARS = 3 * SCIP_MOST_READINGS,
};

/* What a sensor says about itself; lengths in millimetres, angles in steps. */
struct scip_model {
    unsigned version;     /* 1 or 2 */
    unsigned min_mm;      /* shortest range; less is the number of an error */
    unsigned max_mm;      /* longest range */
    unsigned steps;       /* in a full turn */
    unsigned first, last; /* step that it measures */
    unsigned front;       /* step that is straight ahead */
    unsigned rpm;         /* turns of the mirror per minute */
    uint32_t serial;      /* digits of the serial number */
};

/* The URG-04LX, for what an old one does not tell. */
extern const struct scip_model scip_urg_04lx;

/* Whether the last character is the sum of those before it. In a line of information,
 * "KEY:value;S", the semicolon does not count; data may look like one. */
bool scip_sum_is_right(const char *line, size_t length, bool information);

/* Learn from one line of the replies to PP, VV and V: "AMIN:44;7". What it does not know is passed
 * over; false if the sum is wrong. */
bool scip_learn(struct scip_model *model, const char *line, size_t length);

/* A scan that arrives line by line. */
struct scip_scan {
    char text[SCIP_MOST_CHARS]; /* the data without sums */
    size_t length;
    bool damaged;
};

void scip_scan_begin(struct scip_scan *scan);
void scip_scan_add(struct scip_scan *scan, unsigned version, const char *line, size_t length);

/* The readings in millimetres; how many, 0 if the scan is damaged. */
size_t scip_scan_read(const struct scip_scan *scan, unsigned version, unsigned *readings);

#endif
