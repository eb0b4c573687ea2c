/* list.c - the devices of a server. */
#include <stdio.h>
#include <stdlib.h>

#include "client/inside.h"

/* Asking for all drivers at once. */
struct listing {
    tp_client_device *devices;
    size_t count;
    size_t asked;
    size_t answered;
};

static void on_driver(tpi_ask *ask, tp_status status, const tp_msg *answer, const char *why)
{
    struct listing *listing = ask->context;
    const tp_device_driverinfo *info = answer != NULL ? tp_msg_payload(answer) : NULL;

    (void)status; /* a device without a name is still one */
    (void)why;
    listing->answered++;
    for (size_t i = 0; i < listing->count && info != NULL; i++) {
        /* answers come in the order of the questions, mostly */
        tp_client_device *device = &listing->devices[(listing->answered - 1 + i) % listing->count];
        if (device->addr.interf == ask->about.interf && device->addr.index == ask->about.index) {
            (void)snprintf(device->driver, sizeof device->driver, "%.*s",
                           (int)info->driver_name_count, info->driver_name);
            return;
        }
    }
}

static bool is_complete(void *context)
{
    const struct listing *listing = context;

    return listing->answered == listing->asked;
}

static tp_status ask_drivers(tp_client *client, struct listing *listing, tp_error *err)
{
    for (size_t i = 0; i < listing->count; i++) {
        const tp_device_driverinfo info = {.addr = listing->devices[i].addr};
        const tpi_question question = {.what = tpi_client_server_message(TP_PLAYER_REQ_DRIVERINFO),
                                       .value = &info,
                                       .deadline_ns = tpi_client_deadline(client, 0),
                                       .bound = true,
                                       .done = on_driver,
                                       .context = listing,
                                       .about = info.addr};
        listing->asked += tpi_ask_submit(client, &question, NULL, NULL) == TP_OK;
    }
    if (tpi_client_wait(client, TP_NEVER, is_complete, listing) != TP_OK) {
        tpi_ask_abandon(client, listing);
        return tpi_client_fail_interrupted(client->url, err);
    }
    return TP_OK;
}

static void describe(const tp_client *client, const tp_devaddr *addr, tp_client_device *out)
{
    out->addr = *addr;
    out->interface = tp_catalogue_code(client->catalogue, addr->interf);
    if (out->interface != NULL) {
        (void)snprintf(out->name, sizeof out->name, "%.64s:%u", out->interface->name, addr->index);
    } else {
        (void)snprintf(out->name, sizeof out->name, "%u:%u", addr->interf, addr->index);
    }
}

/* ---- Beyond Player's list -------------------------------------------------------------------- */

static bool append_page(const tp_client *client, struct listing *listing,
                        const tp_device_page *page)
{
    const size_t count = listing->count + page->devices_count;
    tp_client_device *more = realloc(listing->devices, count * sizeof *more);

    if (more == NULL) {
        return false;
    }
    listing->devices = more;
    for (uint32_t i = 0; i < page->devices_count; i++) {
        const tp_listed_device *one = &page->devices[i];
        tp_client_device *device = &more[listing->count++];
        *device = (tp_client_device){0};
        describe(client, &one->addr, device);
        (void)snprintf(device->driver, sizeof device->driver, "%.*s", (int)one->driver_count,
                       one->driver_count > 0 ? one->driver : "");
    }
    return true;
}

/* Player's list has an end; those behind it come in pages, from our servers. */
static tp_status list_rest(tp_client *client, struct listing *listing, tp_error *err)
{
    const tp_device_page *page = NULL;

    do {
        const tp_device_page ask = {.first = (uint32_t)listing->count};
        const void *answer = NULL;
        const tp_status status =
            tp_client_request(client, TP_PLAYER_REQ_DEVICES, &ask, &answer, err);
        if (status == TP_E_UNSUPPORTED) {
            return TP_OK; /* an older server */
        }
        if (status != TP_OK) {
            return status;
        }
        page = answer;
        if (page->devices_count > 0 && !append_page(client, listing, page)) {
            return tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
        }
    } while (page->devices_count > 0 && listing->count < page->total);
    return TP_OK;
}

enum { FIRST_OWN = 200 }; /* codes below are Player's, and known or not known by all */

/* Describe once more what only the server knows. */
static void learn_unknown(tp_client *client, struct listing *listing)
{
    bool learned = false;

    for (size_t i = 0; i < listing->count; i++) {
        tp_client_device *device = &listing->devices[i];
        if (device->interface != NULL || device->addr.interf < FIRST_OWN) {
            continue;
        }
        if (!learned) {
            tpi_client_learn(client);
            learned = true;
        }
        describe(client, &device->addr, device);
    }
}

tp_status tp_client_list(tp_client *client, tp_client_device **out, size_t *count, tp_error *err)
{
    const void *answer = NULL;
    struct listing listing = {0};
    tp_status status = tp_client_request(client, TP_PLAYER_REQ_DEVLIST, NULL, &answer, err);

    if (status != TP_OK) {
        return status;
    }
    const tp_device_devlist *list = answer;
    listing.devices = calloc(list->devices_count + 1, sizeof *listing.devices);
    if (listing.devices == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
    }
    listing.count = list->devices_count;
    for (size_t i = 0; i < listing.count; i++) {
        describe(client, &list->devices[i], &listing.devices[i]);
    }
    status = ask_drivers(client, &listing, err);
    if (status == TP_OK && client->troupe && listing.count == TP_MAX_DEVICES) {
        status = list_rest(client, &listing, err);
    }
    if (status != TP_OK) {
        free(listing.devices);
        return status;
    }
    learn_unknown(client, &listing);
    *out = listing.devices;
    *count = listing.count;
    return TP_OK;
}
