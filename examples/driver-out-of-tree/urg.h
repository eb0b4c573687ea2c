/*
 * urg.h - what the files of the driver share: urg.c has its life and its requests, replies.c reads
 * what the sensor sends, scip.c knows the protocol.
 */
#ifndef URG_H
#define URG_H

#include "scip.h"
#include "troupe/driver/laser.h"
#include "troupe/driver/ranger.h"
#include "troupe/port.h"

enum { LONGEST_LINE = 160 };

/* Where in a reply the next line belongs. */
enum place { ECHO, STATUS, TIME, DATA };

struct urg {
    tp_device *ranger; /* NULL if it is not offered */
    tp_device *laser;  /* the same */
    tp_port *port;     /* owned; NULL unless it runs */
    struct scip_model model;

    /* What the configuration wants. */
    double min_angle;
    double max_angle;
    unsigned cluster; /* readings that are joined to one */
    bool continuous;
    int64_t timeout_ns;
    tp_pose3d pose;

    /* The scan. */
    unsigned first; /* step */
    unsigned last;
    bool scanning;
    int64_t heard_ns; /* when the last scan came */
    unsigned damaged; /* in a row */
    uint32_t number;

    /* The reply that is being read. */
    enum place place;
    char echo[LONGEST_LINE];
    bool switched; /* it is about the laser being switched */
    struct scip_scan scan;
    unsigned readings[SCIP_MOST_READINGS];
    double metres[SCIP_MOST_READINGS];
    float floats[SCIP_MOST_READINGS];

    tp_ticket *ticket;      /* a request for power that waits for its reply; NULL for none */
    tp_pose3d element_pose; /* of the beam on the device: all zero */
    tp_bbox3d element_size;
};

/* Read one line without its end. */
tp_status urg_read_line(struct urg *u, char line[LONGEST_LINE], size_t *length, int64_t deadline_ns,
                        tp_error *err);

/* Ask for scans, or for the next one. */
tp_status urg_request_scan(struct urg *u, tp_error *err);

/* The laser is on: ask for scans, and expect them. */
tp_status urg_begin_scanning(tp_instance *self, tp_error *err);

tp_ranger_config urg_config(const struct urg *u);

/* The driver's operation: read all lines that are there. */
tp_status urg_input(tp_instance *self, tp_port *port, tp_error *err);

#endif
