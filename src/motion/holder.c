/* holder.c - who holds an axis. */
#include <stdio.h>

#include "motion/inside.h"

bool tpi_motion_axis_is_free(const tpi_motion_axis *axis, const tpi_motion_client *client)
{
    if (axis->holder == NULL || axis->holder == client) {
        return true;
    }
    return axis->holder->rank < client->rank && !(axis->motion.servo != 0 && axis->motion.firm);
}

void tpi_motion_axis_hold(tpi_motion_engine *e, tpi_motion_axis *axis, tpi_motion_client *client)
{
    const tpi_motion_client *other = axis->holder;

    axis->holder = client;
    client->held[axis->index]++;
    if (other != NULL && other != client && axis->motion.servo != 0 &&
        axis->motion.track->client == other) {
        char why[TPI_MOTION_TEXT];

        snprintf(why, sizeof why, "%s has a higher rank", client->label);
        tpi_motion_axis_end(e, axis, TPI_MOTION_INTERRUPTED, true, why);
        if (axis->index < e->base_axes) {
            tpi_motion_axis_end_goto(e, NULL, TPI_MOTION_INTERRUPTED, why);
        }
    }
}

/* The client of the highest rank that has a command for the axis; NULL if there is none. */
static tpi_motion_client *next_holder(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    tpi_motion_client *best = NULL;

    for (uint32_t i = 0; i < e->settings.clients; i++) {
        tpi_motion_client *client = e->clients[i];

        if (client != NULL && client->held[axis->index] > 0 &&
            (best == NULL || client->rank > best->rank)) {
            best = client;
        }
    }
    return best;
}

void tpi_motion_axis_release(const tpi_motion_engine *e, tpi_motion_axis *axis,
                             tpi_motion_client *client)
{
    if (client->held[axis->index] > 0) {
        client->held[axis->index]--;
    }
    if (axis->holder == client && client->held[axis->index] == 0) {
        axis->holder = next_holder(e, axis);
    }
}
