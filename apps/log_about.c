/*
 * log_about.c - what a recording says of a device besides its data: properties, and answers to
 * questions such as its geometry, so that a driver can play it back as the device was.
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "troupe/client.h"
#include "troupe/interfaces/common.h"

static const int64_t patience_ns = 2 * TP_NS_PER_S;

enum { MOST_PROPERTIES = 60, MOST_ANSWER = 1 << 16 /* bytes: no maps, no pictures */ };

/* A counted text, with a NUL; NULL without memory. */
static char *text_of(const char *chars, uint32_t count)
{
    char *text = malloc((size_t)count + 1);

    if (text != NULL) {
        memcpy(text, chars == NULL ? "" : chars, chars == NULL ? 0 : count);
        text[chars == NULL ? 0 : count] = '\0';
    }
    return text;
}

static tp_status note_list(tp_proxy *proxy, const tp_property_list *list,
                           tpi_log_recorder *recorder, unsigned device, tp_error *err)
{
    char *names[MOST_PROPERTIES] = {NULL}, *values[MOST_PROPERTIES] = {NULL};
    tpi_log_note notes[MOST_PROPERTIES + 1] = {{NULL, NULL}};
    unsigned count = 0;

    for (uint32_t i = 0; i < list->properties_count && count < MOST_PROPERTIES; i++) {
        names[count] = text_of(list->properties[i].key, list->properties[i].key_count);
        if (names[count] != NULL &&
            tp_proxy_get_property(proxy, names[count], &values[count], NULL) == TP_OK) {
            notes[count] = (tpi_log_note){names[count], values[count]};
            count++;
        } else {
            free(names[count]);
            names[count] = NULL;
        }
    }
    const tp_status status =
        count > 0 ? tpi_log_recorder_properties(recorder, device, notes, err) : TP_OK;
    for (unsigned i = 0; i < count; i++) {
        free(names[i]);
        free(values[i]);
    }
    return status;
}

tp_status log_note_properties(tp_proxy *proxy, tpi_log_recorder *recorder, unsigned device,
                              tp_error *err)
{
    const void *answer = NULL;
    void *list = NULL;
    tp_status status = TP_OK;

    if (!tp_client_is_troupe(tp_proxy_client(proxy))) {
        return TP_OK;
    }
    /* The list is copied, since reading the values makes requests to the same device. */
    if (tp_proxy_request(proxy, TP_COMMON_REQ_GET_PROPERTIES, NULL, &answer, NULL) == TP_OK &&
        answer != NULL && tp_value_copy(&list, &tp_desc_property_list, answer, NULL) == TP_OK) {
        status = note_list(proxy, list, recorder, device, err);
    }
    free(list);
    return status;
}

void log_ask_device(tp_proxy *proxy, tp_proxy_done *done)
{
    const tp_interface *interface = tp_proxy_interface(proxy);

    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *request = &interface->messages[i];

        if (tpi_log_is_question(request)) {
            (void)tp_proxy_request_later(proxy, request->code, NULL, patience_ns, done, NULL, NULL);
        }
    }
}

tp_status log_note_answer(tp_proxy *proxy, const tp_msg *answer, tpi_log_recorder *recorder,
                          unsigned device, tp_error *err)
{
    const tp_message *request = tp_interface_message(tp_proxy_interface(proxy), TP_KIND_REQUEST,
                                                     tp_msg_header(answer)->subtype);
    const void *value = tp_msg_payload(answer);
    size_t size = 0;

    if (request == NULL || value == NULL || request->answer == NULL ||
        tp_xdr_size(request->answer, value, &size) != TP_OK || size > MOST_ANSWER) {
        return TP_OK;
    }
    return tpi_log_recorder_answer(recorder, device, request, value, err);
}
