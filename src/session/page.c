/* page.c - the devices of a robot a page at a time: Player's list has an end. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/session.h"
#include "troupe/front.h"

static tp_listed_device describe(const tp_device *device)
{
    tp_listed_device listed = {.addr = *tp_session_address(device)};

    listed.driver = tpi_text_field(tp_session_driver_name(device), &listed.driver_count);
    return listed;
}

/* One way through the devices, of all robots: how many are this one's, and where the page begins.
 */
static void look(tp_session *session, uint32_t first)
{
    const tpi_hub *hub = session->hub;

    session->page_total = 0;
    session->page_next = first;
    session->page_place = hub->device_count;
    session->page_changes = hub->device_changes;
    for (size_t i = 0; i < hub->device_count; i++) {
        if (tpi_session_sees(session, hub->devices[i]->addr.robot) &&
            session->page_total++ == first) {
            session->page_place = i;
        }
    }
}

/* Who wants all of very many asks for one page behind the other. */
static void fill(tp_session *session, tp_device_page *page)
{
    const tpi_hub *hub = session->hub;

    if (session->page_total == 0 || session->page_next != page->first ||
        session->page_changes != hub->device_changes) {
        look(session, page->first);
    }
    page->total = session->page_total;
    while (page->devices_count < TP_DEVICE_PAGE && session->page_place < hub->device_count) {
        const tp_device *device = hub->devices[session->page_place++];
        if (tpi_session_sees(session, device->addr.robot)) {
            page->devices[page->devices_count++] = describe(device);
        }
    }
    session->page_next = page->first + page->devices_count;
}

tp_status tp_session_page(tp_session *session, uint32_t first, tp_device_page **out)
{
    tp_device_page page = {.first = first};
    void *block = NULL;

    page.devices = calloc(TP_DEVICE_PAGE, sizeof *page.devices);
    if (page.devices == NULL) {
        return TP_E_NOMEM;
    }
    fill(session, &page);
    const tp_status status = tp_value_copy(&block, &tp_desc_device_page, &page, NULL);
    free(page.devices);
    *out = block;
    return status;
}
