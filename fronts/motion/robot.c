/* robot.c - requests to the robot, and the packages that it has not answered. */
#include <string.h>

#include "inside.h"

static tp_status send(struct connection *c, tp_msg **kept, unsigned code, uint32_t seq,
                      const void *value, tp_error *err)
{
    const tp_message *what = tp_interface_message(&tp_interface_mechanism, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = *tp_session_address(c->device),
                              .type = TP_MSGTYPE_REQ,
                              .subtype = (uint8_t)code,
                              .seq = seq};
    tp_msg *msg = NULL;
    tp_status status = tp_msg_create(&msg, &header, what->ask, value);

    if (status != TP_OK) {
        return tp_fail(err, status, "%s", tp_status_text(status));
    }
    status = tp_session_send(c->session, msg, what, err);
    if (status == TP_OK && kept != NULL) {
        *kept = tp_msg_ref(msg);
    }
    tp_msg_unref(msg);
    return status;
}

tp_status tpi_motionf_robot_send(struct connection *c, unsigned code, uint32_t seq,
                                 const void *value, tp_error *err)
{
    return send(c, NULL, code, seq, value, err);
}

tp_status tpi_motionf_robot_package(struct connection *c, unsigned code,
                                    const tpi_motion_header *header, const uint8_t *bytes,
                                    int64_t arrived_ns, tp_error *err)
{
    tp_mechanism_package package = {
        .arrived = (double)arrived_ns * 1e-9,
        .operates = tp_session_operates(c->session),
        .bytes_count = (uint32_t)(TPI_MOTION_HEADER + header->size),
    };

    if (c->pending_count == MOST_PENDING) {
        return tp_fail(err, TP_E_LIMIT, "too many packages are on their way");
    }
    memcpy(package.token, c->client->token, sizeof package.token);
    memcpy(&package.bytes, &bytes, sizeof bytes); /* borrowed, and copied by the message */
    const tp_status status =
        send(c, &c->pending[c->pending_count], code, header->id, &package, err);
    c->pending_count += status == TP_OK;
    return status;
}

tp_msg *tpi_motionf_robot_answered(struct connection *c, const tp_msghdr *header)
{
    for (unsigned i = 0; i < c->pending_count; i++) {
        const tp_msghdr *asked = tp_msg_header(c->pending[i]);
        tp_msg *found = c->pending[i];

        if (asked->seq == header->seq && asked->subtype == header->subtype) {
            c->pending_count--;
            memmove(&c->pending[i], &c->pending[i + 1],
                    (c->pending_count - i) * sizeof *c->pending);
            return found;
        }
    }
    return NULL;
}
