/* answers.c - what the robot answers. */
#include <assert.h>
#include <string.h>

#include "inside.h"

static bool is_package(const tp_msghdr *header)
{
    return header->subtype == TP_MECHANISM_REQ_ASK || header->subtype == TP_MECHANISM_REQ_PLAY;
}

static void take_answer(struct connection *c, const tp_msghdr *header, const void *value)
{
    tp_mechanism_client who;

    switch (header->subtype) {
    case TP_MECHANISM_REQ_JOIN:
    case TP_MECHANISM_REQ_WATCH:
        tpi_motionf_client_joined(c, value);
        break;
    case TP_MECHANISM_REQ_WAIT:
        memcpy(who.token, c->client->token, sizeof who.token);
        if (tpi_motionf_robot_send(c, TP_MECHANISM_REQ_TAKE, 0, &who, NULL) != TP_OK) {
            tp_connection_give_up(c->base);
        }
        break;
    case TP_MECHANISM_REQ_TAKE:
        c->client->waits = false;
        tpi_motionf_reply_records(c, value);
        break;
    default:
        break;
    }
}

/* The robot is gone, or has given the client up. */
static void lose(struct connection *c, const char *why)
{
    tpi_motionf_reply_signal(c, 0, 0, TPI_MOTION_INTERRUPTED, why);
    tp_connection_dismiss(c->base);
}

static void take_refusal(struct connection *c, const tp_msghdr *header, const tp_failure *failure)
{
    const bool has_text = failure != NULL && failure->text_count > 0;
    const char *why = has_text ? failure->text : "refused";
    const tp_status status = failure != NULL ? (tp_status)failure->code : TP_E_DEVICE;

    if (is_package(header)) {
        tp_msg *asked = tpi_motionf_robot_answered(c, header);
        const tp_mechanism_package *package = asked != NULL ? tp_msg_payload(asked) : NULL;
        uint32_t epoch;
        bool panicked;

        tpi_motionf_panic_state(c->front, &epoch, &panicked);
        if (package != NULL) { /* a panic can begin when the package is on its way */
            tpi_motionf_package_refused(c, package->bytes, package->bytes_count,
                                        panicked ? TP_E_PANIC : status,
                                        panicked ? "there is a panic" : why);
        }
        tp_msg_unref(asked);
    } else if (header->subtype == TP_MECHANISM_REQ_JOIN ||
               header->subtype == TP_MECHANISM_REQ_WATCH) {
        tpi_motionf_client_refused(c, why);
    } else if (header->subtype == TP_MECHANISM_REQ_WAIT ||
               header->subtype == TP_MECHANISM_REQ_TAKE) {
        lose(c, why);
    }
}

void tpi_motionf_answers_take(struct connection *c, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);

    assert(front_is_current(c->front));
    if (header->addr.interf != TP_MECHANISM_CODE) {
        return;
    }
    if (header->type == TP_MSGTYPE_RESP_ACK && is_package(header)) {
        tp_msg_unref(tpi_motionf_robot_answered(c, header));
    } else if (header->type == TP_MSGTYPE_RESP_ACK) {
        take_answer(c, header, tp_msg_payload(msg));
    } else if (header->type == TP_MSGTYPE_RESP_NACK) {
        take_refusal(c, header, tp_msg_payload(msg));
    }
}
