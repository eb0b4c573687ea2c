/* stat_all.c - statistics of a server with all its devices; see stat_all.h. */
#include "stat_all.h"

#include <stdlib.h>
#include <string.h>

/* Pages that have come, in their order. */
struct pages {
    tp_device_stat_page **pages; /* owned array of owned blocks */
    size_t count;
    uint32_t devices; /* with those that came before the first page */
};

static tp_status out_of_memory(tp_error *err)
{
    return tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* The next page; *more tells whether there is one behind it. */
static tp_status ask_page(tp_client *client, struct pages *p, bool *more, tp_error *err)
{
    const tp_device_stat_page ask = {.first = p->devices};
    const void *answer = NULL;
    void *copy = NULL;
    tp_status status =
        tp_client_request(client, TP_PLAYER_REQ_DEVICE_STATISTICS, &ask, &answer, err);

    *more = false;
    if (status != TP_OK) { /* an older server tells of all at once */
        return status == TP_E_UNSUPPORTED ? TP_OK : status;
    }
    tp_device_stat_page **pages = realloc((void *)p->pages, (p->count + 1) * sizeof *pages);
    if (pages == NULL) {
        return out_of_memory(err);
    }
    p->pages = pages;
    if (tp_value_copy(&copy, &tp_desc_device_stat_page, answer, NULL) != TP_OK) {
        return out_of_memory(err);
    }
    const tp_device_stat_page *page = p->pages[p->count++] = copy;
    p->devices += page->devices_count;
    *more = page->devices_count > 0 && p->devices < page->total;
    return TP_OK;
}

/* The devices of all pages behind those of the first answer. */
static tp_status join(tp_statistics **out, const struct pages *p, tp_error *err)
{
    tp_statistics all = **out;
    void *block = NULL;
    tp_device_stat *devices = calloc((size_t)p->devices + 1, sizeof *devices);

    if (devices == NULL) {
        return out_of_memory(err);
    }
    memcpy(devices, all.devices, all.devices_count * sizeof *devices);
    for (size_t i = 0; i < p->count; i++) {
        const tp_device_stat_page *page = p->pages[i];
        for (uint32_t k = 0; k < page->devices_count; k++) {
            devices[all.devices_count++] = page->devices[k];
        }
    }
    all.devices = devices;
    const tp_status status = tp_value_copy(&block, &tp_desc_statistics, &all, NULL);
    free(devices);
    if (status != TP_OK) {
        return out_of_memory(err);
    }
    free(*out);
    *out = block;
    return TP_OK;
}

static tp_status add_rest(tp_client *client, tp_statistics **out, tp_error *err)
{
    struct pages p = {.devices = (*out)->devices_count};
    bool more = true;
    tp_status status = TP_OK;

    while (status == TP_OK && more) {
        status = ask_page(client, &p, &more, err);
    }
    status = status == TP_OK && p.count > 0 ? join(out, &p, err) : status;
    for (size_t i = 0; i < p.count; i++) {
        free(p.pages[i]);
    }
    free((void *)p.pages);
    return status;
}

tp_status stat_all(tp_client *client, tp_statistics **out, tp_error *err)
{
    const void *answer = NULL;
    void *copy = NULL;
    tp_status status = tp_client_request(client, TP_PLAYER_REQ_STATISTICS, NULL, &answer, err);

    *out = NULL;
    if (status != TP_OK) {
        return status;
    }
    if (tp_value_copy(&copy, &tp_desc_statistics, answer, NULL) != TP_OK) {
        return out_of_memory(err);
    }
    *out = copy;
    if ((*out)->devices_count == TP_STATISTICS_DEVICES) {
        status = add_rest(client, out, err);
    }
    if (status != TP_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}
