/*
 * map.c - poses on a map as poses of odometry, for a robot with a localize device.
 *
 * The device says where the robot is on the map. With where odometry has it at that moment, a goal
 * on the map becomes one of odometry, once: when the GOTO is issued.
 */
#include <math.h>
#include <string.h>

#include "motion.h"
#include "troupe/interfaces/localize.h"

tp_status tpi_motiond_map_require(struct motion *m, const char *key, tp_error *err)
{
    if (m->map.link != NULL) {
        return tp_fail(err, TP_E_INVALID, "a robot has one localize device");
    }
    return tp_require(m->instance, &tp_interface_localize, key, &m->map.link, err);
}

/* The guess with the most weight counts. */
bool tpi_motiond_map_read(struct motion *m, const tp_link *from, const tp_msg *msg)
{
    const tp_localize_data *data = tp_msg_payload(msg);
    const tp_msghdr *header = tp_msg_header(msg);
    const tp_localize_hypoth *best = NULL;

    if (from != m->map.link) {
        return false;
    }
    if (header->type != TP_MSGTYPE_DATA || header->subtype != TP_LOCALIZE_DATA_HYPOTHS ||
        data == NULL || m->base == NULL || !output_device(m->base)->known) {
        return true;
    }
    for (uint32_t i = 0; i < data->hypoths_count; i++) {
        const tp_localize_hypoth *at = &data->hypoths[i];

        best = best == NULL || at->alpha > best->alpha ? at : best;
    }
    m->map.known = best != NULL;
    for (int i = 0; i < 3 && best != NULL; i++) {
        m->map.odometry[i] = output_device(m->base)->states[i].position;
        m->map.place[i] = i == 0 ? best->mean.px : i == 1 ? best->mean.py : best->mean.pa;
    }
    return true;
}

bool tpi_motiond_map_goal(const struct motion *m, const double on_map[3], double out[3])
{
    const double turn = m->map.odometry[2] - m->map.place[2];
    const double x = on_map[0] - m->map.place[0], y = on_map[1] - m->map.place[1];

    out[0] = m->map.odometry[0] + cos(turn) * x - sin(turn) * y;
    out[1] = m->map.odometry[1] + sin(turn) * x + cos(turn) * y;
    out[2] = remainder(on_map[2] + turn, 6.283185307179586);
    return m->map.known;
}
