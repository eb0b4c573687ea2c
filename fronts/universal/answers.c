/* answers.c - what the robot answers. */
#include <assert.h>

#include "inside.h"
#include "troupe/interfaces/blackboard.h"

static void take_answer(struct connection *c, unsigned code, const void *value)
{
    switch (code) {
    case TP_UNIVERSAL_REQ_DESCRIBE:
        tpi_universalf_described(c, value);
        break;
    case TP_UNIVERSAL_REQ_PARTS:
        tpi_universalf_parts(c, value);
        break;
    case TP_UNIVERSAL_REQ_MATCH:
        if (c->task.seeks) {
            tpi_universalf_camera(c, value);
        } else {
            tpi_universalf_matched(c, value);
        }
        break;
    case TP_COMMON_REQ_HALT:
        tpi_universalf_done(c, NULL);
        break;
    default:
        if (!c->task.on || c->task.function != 0) {
            tpi_universalf_picture(c, value);
        } else {
            tpi_universalf_outcome(c, value);
        }
        break;
    }
}

static void take_refusal(struct connection *c, const tp_failure *failure)
{
    const bool has_text = failure != NULL && failure->text_count > 0;
    const tp_status status = failure != NULL ? (tp_status)failure->code : TP_E_DEVICE;
    const char *why = has_text ? failure->text : "refused";

    tpi_universalf_refused(c, status, why);
}

void tpi_universalf_answer(struct connection *c, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);

    assert(front_is_current(c->front));
    if (header->addr.interf == TP_BLACKBOARD_CODE && header->type == TP_MSGTYPE_DATA) {
        tpi_universalf_heard(c, msg);
        return;
    }
    if (header->addr.interf != c->task.asked_of || c->task.asked == 0 ||
        header->subtype != c->task.asked || header->seq != c->task.number) {
        return;
    }
    if (header->type == TP_MSGTYPE_RESP_ACK) {
        c->task.asked = 0;
        if (c->task.asked_of == TP_BLACKBOARD_CODE) {
            tpi_universalf_done(c, NULL);
        } else {
            take_answer(c, header->subtype, tp_msg_payload(msg));
        }
    } else if (header->type == TP_MSGTYPE_RESP_NACK) {
        c->task.asked = 0;
        take_refusal(c, tp_msg_payload(msg));
    }
}
