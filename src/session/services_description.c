/*
 * services_description.c - the descriptions of interfaces that the server has loaded.
 *
 * Clients that do not know an interface ask for its description. The built-in ones are known to
 * every client.
 */
#include "session/services.h"

tp_status tpi_service_description(tp_session *session, const tp_msghdr *request, const void *value)
{
    const tp_description_page *asked = value;
    tp_description_page page = {.place = asked->place, .first = asked->first};
    const tpi_description *description = NULL;
    const tp_status status =
        tpi_descriptions_at(&session->clients->descriptions, tp_hub_catalogue(session->hub),
                            asked->place, &description, &page.interfaces);

    if (status != TP_OK) {
        return tp_session_refuse(session, request, status,
                                 status == TP_E_LIMIT
                                     ? "the description of the interface is too long"
                                     : tp_status_text(status));
    }
    page.total = description != NULL ? description->length : 0;
    if (page.first < page.total) {
        const uint32_t left = page.total - page.first;
        page.text = (uint8_t *)description->text + page.first;
        page.text_count = left < TP_DESCRIPTION_PAGE ? left : TP_DESCRIPTION_PAGE;
    }
    return tpi_service_reply(session, request, TP_MSGTYPE_RESP_ACK, &tp_desc_description_page,
                             &page);
}
