/* page.c - the devices of a robot a page at a time: Player's list has an end. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/session.h"
#include "troupe/front.h"

static tp_listed_device describe(const tp_device *device)
{
    tp_listed_device listed = {.addr = *tp_session_address(device)};

    listed.driver = tpi_text_field(tp_session_driver_name(device), &listed.driver_count);
    return listed;
}

/* One way through the devices, of all robots. */
static void fill(const tp_session *session, tp_device_page *page)
{
    const tpi_hub *hub = session->hub;

    for (size_t i = 0; i < hub->device_count; i++) {
        const tp_device *device = hub->devices[i];
        if (device->addr.robot != session->robot) {
            continue;
        }
        if (page->total >= page->first && page->devices_count < TP_DEVICE_PAGE) {
            page->devices[page->devices_count++] = describe(device);
        }
        page->total++;
    }
}

tp_status tp_session_page(const tp_session *session, uint32_t first, tp_device_page **out)
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
