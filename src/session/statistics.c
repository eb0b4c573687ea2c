/* statistics.c - what devices and clients have done so far: as one message, and of very many
 * devices a page at a time. */
#include <assert.h>
#include <stdlib.h>

#include "base/text.h"
#include "session/session.h"

static double seconds(int64_t ns)
{
    return (double)ns / (double)TP_NS_PER_S;
}

/* Devices that clients have asked for a rank on, of all clients: found once for one answer. */
struct ranked {
    const tp_device **devices; /* owned */
    size_t count;
};

static tp_status find_ranked(const tp_hub *hub, struct ranked *out)
{
    size_t room = 0;

    for (const tp_session *at = tpi_clients_first(hub); at != NULL; at = at->next) {
        room += at->ranked ? at->subscription_count : 0;
    }
    out->count = 0;
    out->devices = malloc((room + 1) * sizeof *out->devices);
    if (out->devices == NULL) {
        return TP_E_NOMEM;
    }
    for (const tp_session *at = tpi_clients_first(hub); at != NULL; at = at->next) {
        const struct subscription *s = at->ranked ? at->subscriptions : NULL;
        for (; s != NULL; s = s->next) {
            if (s->has_rank) {
                out->devices[out->count++] = s->device;
            }
        }
    }
    return TP_OK;
}

/* Whether some writers of the device give way to others. */
static bool ranks_matter(const struct ranked *ranked, const tp_device *device)
{
    const tpi_rank_list ranks = tpi_device_ranks(device);
    size_t i = 0;

    while (i < ranked->count && ranked->devices[i] != device) {
        i++;
    }
    return i < ranked->count || tpi_rank_is_configured(&ranks);
}

/* The mover of the device, or the writer that overrides others. */
static void describe_mover(const struct ranked *ranked, const tp_device *device,
                           tp_device_stat *stat)
{
    const tpi_device_safety *safety = tpi_device_safety_look(device);
    const bool moved = tpi_claim_is_moved(safety);
    const double rank_left = ranks_matter(ranked, device) ? tpi_claim_rank_left_s(safety) : 0;
    const tp_session *holder = tpi_access_holder(device);
    const bool shown = moved || rank_left > 0;

    if (shown) {
        stat->rank = safety->rank;
        stat->lease_left = moved ? tpi_claim_lease_left_s(safety) : 0;
        stat->rank_left = rank_left;
    }
    if (holder != NULL) {
        stat->holder_number = holder->identity.number;
        stat->holder_silent = !tpi_access_is_held(device);
    }
    if (safety->moves) {
        const int64_t plain_ns = tpi_terms_plain_ns(device);
        stat->plain_lease = plain_ns > 0 ? seconds(plain_ns) : -1;
    }
    stat->mover = tpi_text_field(shown ? safety->label : "", &stat->mover_count);
    stat->holder =
        tpi_text_field(holder != NULL ? holder->identity.label : "", &stat->holder_count);
}

/* Texts are borrowed. */
static void describe_device(const struct ranked *ranked, const tp_device *device,
                            tp_device_stat *out)
{
    tpi_device_describe(device, out);
    describe_mover(ranked, device, out);
}

static tp_client_stat describe_client(const tp_session *session, int64_t now_ns)
{
    tp_client_stat stat = {
        .number = session->identity.number,
        .age = seconds(now_ns - session->begun_ns),
        .opened = session->opened,
        .waiting = session->queue.count,
        .sent = (int64_t)tpi_mailbox_sent(session),
        .received = (int64_t)tpi_session_received(session),
        .dropped = (int64_t)tp_session_dropped(session),
        .refused = (int64_t)session->refused,
        .right = (uint8_t)tp_session_right(session),
    };

    stat.name = tpi_text_field(session->identity.name, &stat.name_count);
    stat.software = tpi_text_field(session->identity.software, &stat.software_count);
    stat.key = tpi_text_field(tp_session_key(session), &stat.key_count);
    return stat;
}

static uint32_t count_sessions(const tp_hub *hub)
{
    uint32_t count = 0;

    for (const tp_session *session = tpi_clients_first(hub); session != NULL;
         session = session->next) {
        count++;
    }
    return count;
}

static tp_status fill_devices(const tp_hub *hub, size_t first, uint32_t count,
                              tp_device_stat *devices)
{
    struct ranked ranked;
    const tp_status status = find_ranked(hub, &ranked);

    for (uint32_t k = 0; k < count && status == TP_OK; k++) {
        describe_device(&ranked, tpi_hub_device_at(hub, first + k), &devices[k]);
    }
    free((void *)ranked.devices);
    return status;
}

/* Oldest client first. */
static tp_status fill(const tp_hub *hub, tpi_panic_texts *found, tp_statistics *value)
{
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(hub));
    uint32_t i = value->clients_count;

    value->uptime = seconds(now_ns - tpi_hub_begun_ns(hub));
    tpi_panic_watch_look(hub, found, &value->panic);
    const tp_status status = fill_devices(hub, 0, value->devices_count, value->devices);
    for (const tp_session *session = tpi_clients_first(hub); session != NULL;
         session = session->next) {
        value->clients[--i] = describe_client(session, now_ns);
    }
    return status;
}

/* How many there are from one on, `most` at most. */
static uint32_t count_from(const tp_hub *hub, uint32_t first, uint32_t most)
{
    const size_t count = first < tpi_hub_device_count(hub) ? tpi_hub_device_count(hub) - first : 0;

    return count < most ? (uint32_t)count : most;
}

tp_status tp_hub_statistics(const tp_hub *hub, tp_statistics **out)
{
    tp_statistics value = {.devices_count = count_from(hub, 0, TP_STATISTICS_DEVICES),
                           .clients_count = count_sessions(hub)};
    void *block = NULL;
    tp_status status = TP_E_NOMEM;

    assert(tp_loop_is_current(tpi_hub_loop(hub)));
    tpi_panic_texts found;

    value.devices = calloc((size_t)value.devices_count + 1, sizeof *value.devices);
    value.clients = calloc((size_t)value.clients_count + 1, sizeof *value.clients);
    if (value.devices != NULL && value.clients != NULL) {
        status = fill(hub, &found, &value);
    }
    if (status == TP_OK) {
        status = tp_value_copy(&block, &tp_desc_statistics, &value, NULL);
    }
    free(value.devices);
    free(value.clients);
    *out = block;
    return status;
}

tp_status tp_hub_device_statistics(const tp_hub *hub, uint32_t first, tp_device_stat_page **out)
{
    tp_device_stat_page page = {.first = first,
                                .total = (uint32_t)tpi_hub_device_count(hub),
                                .devices_count = count_from(hub, first, TP_DEVICE_STAT_PAGE)};
    void *block = NULL;
    tp_status status = TP_E_NOMEM;

    assert(tp_loop_is_current(tpi_hub_loop(hub)));
    page.devices = calloc((size_t)page.devices_count + 1, sizeof *page.devices);
    if (page.devices != NULL) {
        status = fill_devices(hub, first, page.devices_count, page.devices);
    }
    if (status == TP_OK) {
        status = tp_value_copy(&block, &tp_desc_device_stat_page, &page, NULL);
    }
    free(page.devices);
    *out = block;
    return status;
}
