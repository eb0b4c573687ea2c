/* services_safety.c - services: the emergency stop, keys and rights, and closing other clients. */
#include <string.h>

#include "base/text.h"
#include "session/services.h"

/* ---- Panic ----------------------------------------------------------------------------------- */

tp_status tpi_service_panic(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_panic *asked = value;
    char why[TPI_SERVICE_TEXT];

    tpi_service_text(why, asked->why, asked->why_count);
    tp_session_panic(session, why);
    return tpi_service_end(session, request, TP_OK, "");
}

/* The key of the body is shown first, so the right is checked there. */
tp_status tpi_service_reset_panic(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_panic_reset *asked = value;
    char key[TPI_SERVICE_TEXT];
    tp_error err = {0};

    tpi_service_text(key, asked->key, asked->key_count);
    const tp_status status = tp_session_reset_panic(session, asked->epoch, key, &err);
    return tpi_service_end(session, request, status, err.text);
}

tp_status tpi_service_get_panic(tp_session *session, const tp_msghdr *request, const void *value)
{
    tp_panic_state *panic = NULL;
    const tp_status status = tp_hub_panic(session->hub, &panic);

    (void)value;
    return tpi_service_answer_take(session, request, status, &tp_desc_panic_state, panic);
}

tp_status tpi_service_kick(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_kick *asked = value;
    tp_error err = {0};
    const tp_status status = tp_session_kick(session, asked->number, &err);

    return tpi_service_end(session, request, status, err.text);
}

/* ---- Keys and rights ------------------------------------------------------------------------- */

tp_status tpi_service_auth(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_device_auth_req *shown = value;
    tp_error err = {0};
    const tp_status status =
        tp_session_show_key(session, shown->auth_key, shown->auth_key_count, &err);

    return tpi_service_end(session, request, status, err.text);
}

tp_status tpi_service_challenge(tp_session *session, const tp_msghdr *request, const void *value)
{
    tp_auth_challenge challenge = {.nonce_count = TP_AUTH_NONCE_LENGTH};
    tp_error err = {0};
    const tp_status status = tp_session_challenge(session, challenge.nonce, &err);

    (void)value;
    return status == TP_OK ? tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK,
                                               &tp_desc_auth_challenge, &challenge)
                           : tp_session_refuse(session, request, status, err.text);
}

tp_status tpi_service_prove(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_auth_proof *proof = value;
    tp_error err = {0};
    const tp_status status = tp_session_prove(session, proof->digest, proof->digest_count, &err);

    return tpi_service_end(session, request, status, err.text);
}

tp_status tpi_service_right(tp_session *session, const tp_msghdr *request, const void *value)
{
    tp_auth_right right = {.right = (uint8_t)tp_session_right(session)};

    (void)value;
    right.key = tpi_text_field(tp_session_key(session), &right.key_count);
    return tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, &tp_desc_auth_right, &right);
}
