/*
 * writer.c - a client as a writer: what others call it, and its rank.
 *
 * The process of a driver that runs on its own is a client, too. It has the label and the rank of
 * that driver.
 */
#include <stdio.h>
#include <string.h>

#include "session/session.h"

/* The driver whose own process this client is; NULL for all others. Only such processes come from
 * inside by the name of a driver that runs elsewhere. */
static const tp_instance *driver_of(const tp_session *session)
{
    return session->guest.reach == TP_REACH_INSIDE
               ? tpi_hub_find_isolated(session->hub, session->software)
               : NULL;
}

void tpi_writer_set_label(tp_session *session)
{
    char *out = session->label;

    if (driver_of(session) != NULL) {
        (void)snprintf(out, sizeof session->label, "the driver %s", session->software);
    } else {
        (void)snprintf(out, sizeof session->label, "%s%s%s", session->software,
                       session->software[0] != '\0' ? " at " : "", session->name);
    }
}

tpi_mover tpi_writer_mover(const tp_session *session)
{
    return (tpi_mover){TPI_MOVER_CLIENT, session->number, session->label};
}

void tpi_writer_rank(const tp_session *session, const tp_device *device, tpi_claim *claim)
{
    const tp_instance *driver = driver_of(session);
    const tpi_rank_list ranks = tpi_device_ranks(device);
    const tpi_writer writer = {
        .client = session->software, .address = session->name, .key = tp_session_key(session)};

    if (driver != NULL) {
        tpi_mover_rank_driver(driver, device, claim);
    } else {
        tpi_rank_choose(&ranks, &writer, claim);
    }
}
