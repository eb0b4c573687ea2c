/*
 * services_description.c - the descriptions of interfaces that the server has loaded.
 *
 * Clients that do not know an interface ask for its description. The built-in ones are known to
 * every client.
 */
#include <stdlib.h>
#include <string.h>

#include "session/services.h"

/* Writing a longer description would take too long for one request; clients refuse it, too. */
enum { LONGEST = 256 << 10 };

/* The interface at a place of the list; NULL behind its end. `count` is the length of the list. */
static const tp_interface *find(const tp_catalogue *catalogue, uint32_t place, uint32_t *count)
{
    const tp_interface *found = NULL;

    *count = 0;
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        if (!tp_interface_is_builtin(interface) && (*count)++ == place) {
            found = interface;
        }
    }
    return found;
}

static tp_status answer(tp_session *session, const tp_msghdr *request, tp_description_page *page,
                        char *text)
{
    const size_t length = strlen(text);

    if (length > LONGEST) {
        return tp_session_refuse(session, request, TP_E_LIMIT,
                                 "the description of the interface is too long");
    }
    page->total = (uint32_t)length;
    if (page->first < page->total) {
        const uint32_t left = page->total - page->first;
        page->text = (uint8_t *)text + page->first;
        page->text_count = left < TP_DESCRIPTION_PAGE ? left : TP_DESCRIPTION_PAGE;
    }
    return tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, &tp_desc_description_page,
                             page);
}

tp_status tpi_service_description(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_description_page *asked = value;
    tp_description_page page = {.place = asked->place, .first = asked->first};
    const tp_interface *interface =
        find(tp_hub_catalogue(session->hub), asked->place, &page.interfaces);
    char *text = NULL;
    tp_status status = interface != NULL ? tp_interface_padi(&text, interface) : TP_OK;

    if (status != TP_OK) {
        return tp_session_refuse(session, request, status, tp_status_text(status));
    }
    if (interface == NULL) {
        return tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, &tp_desc_description_page,
                                 &page);
    }
    status = answer(session, request, &page, text);
    free(text);
    return status;
}
