/*
 * forward.h - devices that have another device do their work.
 *
 * What drivers in front of other devices share: sending on what they were asked, answers and data
 * that come back, and devices that answer some messages themselves and leave the common questions
 * to the other device. All of it runs where the instance runs and does not wait.
 */
#ifndef TROUPE_DRIVERS_SHARED_FORWARD_H
#define TROUPE_DRIVERS_SHARED_FORWARD_H

#include "troupe/driver.h"

/* How long another device may take to answer, where nobody says otherwise. */
#define FORWARD_TIMEOUT_NS (5 * TP_NS_PER_S)

/* A number of seconds above 0 from the parameter of that name. */
tp_status tpi_forward_seconds(const tp_instance *self, const char *param, int64_t *ns,
                              tp_error *err);

/* Whether the message is one of those that every device has. */
bool tpi_forward_is_common(const tp_message *what);

/* ---- Requests and commands ------------------------------------------------------------------- */

/* Ask another device on behalf of the client that asks `device` now. The client waits until `done`
 * answers the ticket, which `done` gets as its context. From an operation for a request, which has
 * to return what this returns. */
tp_status tpi_forward_ask(tp_device *device, tp_link *to, unsigned code, const void *value,
                          int64_t timeout_ns, tp_link_done *done, tp_error *err);

/* For `done`: the answer goes to the asker as it is, or why there is none. */
void tpi_forward_answer(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                        const char *why);

/* Tell the asker why there is no answer that means anything: `why`, or that the answer of `who` is
 * empty if the status is TP_OK. */
void tpi_forward_refuse(tp_ticket *ticket, tp_status status, const char *why, const char *who);

/* The payload of a good answer. NULL if there is none; then the asker has been refused. */
const void *tpi_forward_payload(tp_ticket *ticket, tp_status status, const tp_msg *answer,
                                const char *why, const char *who);

/* Send on a command or request as it is. Returns what the operation has to return. */
tp_status tpi_forward_message(tp_device *device, tp_link *to, const tp_message *what,
                              const void *ask, int64_t timeout_ns, tp_error *err);

/* Data of the other device becomes that of `device`, with its time. */
void tpi_forward_data(tp_device *device, const tp_msg *msg);

/* Whether it is data that says that the other device has failed. */
bool tpi_forward_is_failure(const tp_msg *msg);

/* ---- A device that answers some messages itself ---------------------------------------------- */

typedef struct forward_front {
    const tp_interface *interface;
    const void *ops; /* the generated table of the interface */
    uint32_t sends;  /* 1 << code of each data message that it sends */
} forward_front;

/* A message for such a device: those of its interface go to its operations, the common questions
 * to the other device, except for what this one can do. For a tp_handler. */
tp_status tpi_forward_or_operate(const forward_front *front, tp_device *device, tp_link *to,
                                 const tp_message *what, const void *ask, void *answer,
                                 tp_error *err);

#endif
