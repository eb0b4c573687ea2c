/*
 * scanning.h - the part of a scan that a device shows: between two angles, and every so many rays.
 *
 * Rays of the model stay as they are; a device that is asked for less shows less of them. What is
 * sent is put together in room that all rangers of a world share: they speak one after the other.
 */
#ifndef SIM_SCANNING_H
#define SIM_SCANNING_H

#include "profile.h"

typedef struct simd_view {
    tpi_sim_sensor sensor; /* the first of the ranger */
    uint32_t sensor_count;
    uint32_t sample_count; /* what there would be to show of all sensors */
    uint32_t first;        /* that is shown */
    uint32_t stride;
    uint32_t count;
    double step; /* angle between two rays of the model */
    bool off;
} simd_view;

/* How a device scans, in any interface. */
typedef struct simd_scanning {
    double min_angle, max_angle, resolution;
    double max_range, range_res;
    double frequency;
} simd_scanning;

/* Room for the largest ranger of a world. Nothing in it outlives the operation that fills it. */
struct simd_scan_room {
    double *ranges; /* owned, as all others */
    double *intensities;
    float *values;    /* ranges as older interfaces have them */
    float *voltages;  /* likewise */
    uint8_t *echoes;  /* intensities as older interfaces have them */
    tp_pose3d *poses; /* of sensors */
    tp_bbox3d *sizes; /* likewise */
};

/* Whether a ranger is a scanner: one sensor with several rays; otherwise it is a set of eyes. A
 * beam is one sensor, with however many rays. */
bool tpi_simd_is_scanner(const simd *s, tpi_sim_model model);
bool tpi_simd_is_beam(const simd *s, tpi_sim_model model);
bool tpi_simd_is_eyes(const simd *s, tpi_sim_model model);

/* Look at the model's sensors; all is shown. */
tp_status tpi_simd_view_init(simd_view *view, const simd_device *d, tp_error *err);

/* How it scans now. */
void tpi_simd_view_get(const simd_view *view, const simd_device *d, simd_scanning *scanning);

/* The same as Stage answers it for a model whose scan is shown as it is, without a profile: as
 * resolution the width divided by the number of rays, though both edges have one; and the side of
 * its cells as resolution of ranges. Scans themselves have the true angles. */
void tpi_simd_view_as_stage(const simd_view *view, const simd_device *d, simd_scanning *scanning);

/* Scan as near to what is wanted as it can. */
tp_status tpi_simd_view_set(simd_view *view, const simd_device *d, const simd_scanning *wanted,
                            tp_error *err);

/* Its properties, by which clients choose sensors: as a scanner has them, or as eyes have; and
 * their values now. */
tp_status tpi_simd_view_tell(const simd_view *view, const simd_device *d, bool eyes, tp_error *err);
void tpi_simd_view_show(const simd_view *view, const simd_device *d);

/* A range as the device tells it. */
double tpi_simd_view_range(const simd_device *d, double range);

/* Put what has been measured into rows of numbers: one sensor gives all its rays, several give the
 * first of each. Returns when; -1 for never. `ranges` and `intensities` may be NULL. */
int64_t tpi_simd_view_read(const simd_view *view, const simd_device *d, double *ranges,
                           double *intensities);

/* The ranges of a single sensor that is shown as it is, without copying; NULL otherwise. */
const double *tpi_simd_view_borrow(const simd_view *view, const simd_device *d, int64_t *time_us);

/* Fill the room's poses, on the ranger or on its robot, and its sizes: one for each sensor. */
tp_status tpi_simd_view_place(const simd_view *view, const simd_device *d, bool on_robot,
                              tp_error *err);

#endif
