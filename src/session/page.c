/* page.c - the devices of a robot a page at a time: Player's list has an end. */
#include <assert.h>
#include <stdlib.h>

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

    session->page.total = 0;
    session->page.next = first;
    session->page.place = tpi_hub_device_count(hub);
    session->page.changes = tpi_hub_device_changes(hub);
    for (size_t i = 0; i < tpi_hub_device_count(hub); i++) {
        if (tpi_session_sees(session, tp_device_addr(tpi_hub_device_at(hub, i))->robot) &&
            session->page.total++ == first) {
            session->page.place = i;
        }
    }
}

/* A client that wants all of very many devices asks for one page after the other. */
static void fill(tp_session *session, tp_device_page *page)
{
    const tpi_hub *hub = session->hub;

    if (session->page.total == 0 || session->page.next != page->first ||
        session->page.changes != tpi_hub_device_changes(hub)) {
        look(session, page->first);
    }
    page->total = session->page.total;
    while (page->devices_count < TP_DEVICE_PAGE &&
           session->page.place < tpi_hub_device_count(hub)) {
        const tp_device *device = tpi_hub_device_at(hub, session->page.place++);
        if (tpi_session_sees(session, tp_device_addr(device)->robot)) {
            page->devices[page->devices_count++] = describe(device);
        }
    }
    session->page.next = page->first + page->devices_count;
}

tp_status tp_session_page(tp_session *session, uint32_t first, tp_device_page **out)
{
    tp_device_page page = {.first = first};
    void *block = NULL;

    assert(session_is_current(session));
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
