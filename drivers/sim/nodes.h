/*
 * nodes.h - wireless nodes, as wsn (nodes.c) and coopobject (coopobjects.c) see
 * them.
 *
 * A node is a `mote`; its sensors and lamps are the models that stand on it. A device is a
 * `basestation`, which hears some of the nodes.
 */
#ifndef SIM_NODES_H
#define SIM_NODES_H

#include "sim/sense/sensors.h"
#include "simulator.h"

/* What the sensors of a node say; `has` tells which there are. */
typedef struct simd_readings {
    struct {
        bool light, sound, inertia, compass, temperature, battery, button, place;
    } has;
    double light, sound, temperature, volts, heading;
    bool pressed;
    double acceleration[3], field[3];
    tpi_sim_pose place;
} simd_readings;

/* Subscribe to all nodes and all that stands on them, or end that. */
void tpi_simd_nodes_subscribe(simd_device *d, bool subscribed);

void tpi_simd_node_read(const simd *s, tpi_sim_model mote, simd_readings *r);

/* Number of a node; 0 for TPI_SIM_NONE, the station. */
uint32_t tpi_simd_node_id(const simd *s, tpi_sim_model mote);

/* When each node reports next. */
typedef struct simd_node_clock {
    int64_t next_us[TPI_SIM_MOST_NODES];
    int64_t period_us[TPI_SIM_MOST_NODES]; /* 0: as its model says */
} simd_node_clock;

/* Whether the node reports at this time; it does so once. */
bool tpi_simd_node_is_due(const simd *s, simd_node_clock *clock, tpi_sim_model mote,
                          int64_t time_us);

/* The place of a node in such a clock; TPI_SIM_MOST_NODES if it has none. */
uint32_t tpi_simd_node_index(const simd *s, tpi_sim_model mote);

#endif
