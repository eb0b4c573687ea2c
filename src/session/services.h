/*
 * services.h - the services of the interface `player`, for the files that implement them.
 *
 *     services.c          the table, rights
 *     services_reply.c    replies
 *     services_device.c   which devices there are; opening, rates, queue rules, pull mode
 *     services_query.c    what the server is and does: hello, statistics, frames
 *     services_description.c   interfaces that the server has loaded
 *     services_safety.c   panic, keys, rights, kick
 *
 * A service answers one request. `value` is the decoded body; it is not NULL if the table names a
 * body type. The result is that of tp_session_serve().
 */
#ifndef TROUPE_SESSION_SERVICES_H
#define TROUPE_SESSION_SERVICES_H

#include "session/session.h"

typedef tp_status tpi_service(tp_session *session, const tp_msghdr *request, const void *value);

/* ---- services_reply.c ------------------------------------------------------------------------ */

/* Queues a reply: the request's header with another type and the time of the reply. A body that
 * does not fit a message of Player's protocol becomes a refusal. */
tp_status tpi_service_reply(tp_session *session, const tp_msghdr *request, unsigned type,
                            const tp_struct *body_type, const void *body);

/* Queues a reply without a body if `status` is TP_OK, or else the refusal with `why`. */
tp_status tpi_service_end(tp_session *session, const tp_msghdr *request, tp_status status,
                          const char *why);

/* Queues `block` as the answer if `status` is TP_OK, or else the refusal. Frees the block. */
tp_status tpi_service_answer_take(tp_session *session, const tp_msghdr *request, tp_status status,
                                  const tp_struct *type, void *block);

/* Copies a text of a message, which need not end with a NUL. A longer text is cut. The result is
 * the length of the whole text. */
enum { TPI_SERVICE_TEXT = 128 };
size_t tpi_service_text(char out[TPI_SERVICE_TEXT], const char *text, uint32_t count);

/* ---- services_device.c ----------------------------------------------------------------------- */

tpi_service tpi_service_device_list;
tpi_service tpi_service_devices;
tpi_service tpi_service_driver_info;
tpi_service tpi_service_subscription;
tpi_service tpi_service_rate;
tpi_service tpi_service_rule;
tpi_service tpi_service_data;
tpi_service tpi_service_data_mode;

/* ---- services_query.c ------------------------------------------------------------------------ */

tpi_service tpi_service_hello;
tpi_service tpi_service_statistics;
tpi_service tpi_service_device_statistics;
tpi_service tpi_service_frames;
tpi_service tpi_service_transform;

/* ---- services_description.c ------------------------------------------------------------------ */

tpi_service tpi_service_description;

/* ---- services_safety.c ----------------------------------------------------------------------- */

tpi_service tpi_service_panic;
tpi_service tpi_service_reset_panic;
tpi_service tpi_service_get_panic;
tpi_service tpi_service_kick;
tpi_service tpi_service_auth;
tpi_service tpi_service_challenge;
tpi_service tpi_service_prove;
tpi_service tpi_service_right;

#endif
