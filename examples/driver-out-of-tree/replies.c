/* replies.c - what the sensor sends while it scans: lines, replies, scans. */
#include <stdio.h>
#include <string.h>

#include "urg.h"

enum { MOST_DAMAGED = 5 }; /* scans in a row */

/* ---- Scans ----------------------------------------------------------------------------------- */

static void publish_laser(struct urg *u, uint32_t count)
{
    const tp_ranger_config config = urg_config(u);
    const tp_laser_data data = {
        .min_angle = (float)config.min_angle,
        .max_angle = (float)config.max_angle,
        .resolution = (float)config.angular_res,
        .max_range = (float)config.max_range,
        .ranges_count = count,
        .ranges = u->floats,
        .id = u->number++,
    };

    for (uint32_t i = 0; i < count; i++) {
        u->floats[i] = (float)u->metres[i];
    }
    tp_laser_publish_scan(u->laser, &data, 0);
}

/* Below the shortest range a reading is the number of an error: nothing was seen there. */
static void publish(struct urg *u, uint32_t count)
{
    const struct scip_model *m = &u->model;
    const tp_ranger_data_range ranges = {.ranges_count = count, .ranges = u->metres};

    for (uint32_t i = 0; i < count; i++) {
        const unsigned mm = u->readings[i];
        u->metres[i] = (mm < m->min_mm || mm > m->max_mm ? m->max_mm : mm) / 1000.0;
    }
    if (u->ranger != NULL) {
        tp_ranger_publish_range(u->ranger, &ranges, 0);
    }
    if (u->laser != NULL) {
        publish_laser(u, count);
    }
}

/* A whole scan is here. A damaged one is left out; many in a row are a broken line. */
static tp_status finish_scan(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    const size_t wanted = (u->last - u->first) / u->cluster + 1;
    const size_t count = scip_scan_read(&u->scan, u->model.version, u->readings);

    u->heard_ns = tp_clock_now_ns(tp_instance_clock(self));
    if (count == wanted) {
        u->damaged = 0;
        publish(u, (uint32_t)count);
    } else if (++u->damaged == MOST_DAMAGED) {
        return tp_fail(err, TP_E_IO, "%d damaged scans in a row", MOST_DAMAGED);
    }
    return u->scanning && (u->model.version == 1 || !u->continuous) ? urg_request_scan(u, err)
                                                                    : TP_OK;
}

/* ---- Replies --------------------------------------------------------------------------------- */

/* The laser is on or off now, or will not be. */
static void settle_power(struct urg *u, bool good, const char *status)
{
    char text[LONGEST_LINE + 40];

    if (u->ticket == NULL) {
        return;
    }
    if (good) {
        tp_ticket_answer(u->ticket, NULL);
    } else {
        (void)snprintf(text, sizeof text, "the sensor answers with status %s", status);
        tp_ticket_fail(u->ticket, TP_E_DEVICE, text);
    }
    u->ticket = NULL;
}

static bool is_scan(const char *echo)
{
    return strncmp(echo, "MD", 2) == 0 || echo[0] == 'G';
}

static bool is_good(const struct urg *u, const char *status)
{
    if (u->model.version == 1) {
        return strcmp(status, "0") == 0;
    }
    /* 99 is a scan of MD; 02 says that the laser was on already */
    return strncmp(status, "00", 2) == 0 || strncmp(status, "99", 2) == 0 ||
           (strcmp(u->echo, "BM") == 0 && strncmp(status, "02", 2) == 0);
}

/* The status line of a reply. */
static tp_status take_status(struct urg *u, const char *line, tp_error *err)
{
    const bool scan = is_scan(u->echo);

    u->switched = !scan || (u->echo[0] == 'M' && strncmp(line, "99", 2) != 0);
    scip_scan_begin(&u->scan);
    u->place = u->model.version == 2 ? TIME : DATA;
    if (is_good(u, line)) {
        return TP_OK;
    }
    if (u->switched) {
        u->scanning = u->scanning || strcmp(u->echo, "QT") == 0; /* it is still on */
        settle_power(u, false, line);
    }
    if (scan && u->scanning) {
        return tp_fail(err, TP_E_DEVICE, "the sensor answers %s with status %s", u->echo, line);
    }
    u->echo[0] = '\0'; /* nothing comes of it */
    u->switched = false;
    return TP_OK;
}

/* An empty line ends every reply. The one to MD itself has no data. */
static tp_status take_end(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    const bool scan = is_scan(u->echo) && u->place == DATA;
    tp_status status = TP_OK;

    u->place = ECHO;
    if (strcmp(u->echo, "BM") == 0 || strcmp(u->echo, "L1") == 0) {
        status = urg_begin_scanning(self, err); /* somebody has switched the laser on */
    } else if (scan) {
        status = finish_scan(self, err);
    }
    if (u->switched) {
        settle_power(u, true, "");
        u->switched = false;
    }
    return status;
}

static tp_status take_line(tp_instance *self, const char *line, size_t length, tp_error *err)
{
    struct urg *u = tp_instance_state(self);

    if (length == 0) {
        return take_end(self, err);
    }
    if (strcmp(line, "QT") == 0) { /* perhaps in the middle of a scan, which ends here */
        u->place = ECHO;
    }
    switch (u->place) {
    case ECHO:
        memcpy(u->echo, line, length + 1);
        u->place = STATUS;
        break;
    case STATUS:
        return take_status(u, line, err);
    case TIME: /* the sensor's own clock, which nobody needs */
        u->place = DATA;
        break;
    case DATA:
        scip_scan_add(&u->scan, u->model.version, line, length);
        break;
    }
    return TP_OK;
}

tp_status urg_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    char line[LONGEST_LINE];
    size_t length = 0;
    tp_status status = TP_OK;

    (void)port;
    while (status == TP_OK) {
        status = urg_read_line(u, line, &length, 0, err);
        if (status == TP_E_SPACE) { /* no line of a sensor is that long */
            u->scan.damaged = true;
            status = TP_OK;
        } else if (status == TP_OK) {
            status = take_line(self, line, length, err);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}
