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

/* Whether not all who write to the device are equals. */
static bool ranks_matter(const tp_hub *hub, const tp_device *device)
{
    const tpi_rank_list ranks = tpi_device_ranks(device);

    if (tpi_rank_is_configured(&ranks)) {
        return true;
    }
    for (const tp_session *at = tpi_clients_first(hub); at != NULL; at = at->next) {
        for (const struct subscription *s = at->subscriptions; s != NULL; s = s->next) {
            if (s->device == device && s->has_rank) {
                return true; /* it gives way to others */
            }
        }
    }
    return false;
}

/* The mover of the device, or the writer that overrides others. */
static void describe_mover(const tp_hub *hub, const tp_device *device, tp_device_stat *stat)
{
    const tpi_device_safety *safety = tpi_device_safety_look(device);
    const bool moved = tpi_claim_is_moved(safety);
    const double rank_left = ranks_matter(hub, device) ? tpi_claim_rank_left_s(safety) : 0;
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
    stat->mover = tpi_text_field(shown ? safety->label : "", &stat->mover_count);
    stat->holder =
        tpi_text_field(holder != NULL ? holder->identity.label : "", &stat->holder_count);
}

/* Texts are borrowed. */
static void describe_device(const tp_hub *hub, const tp_device *device, tp_device_stat *out)
{
    tpi_device_describe(device, out);
    describe_mover(hub, device, out);
}

/* Each device once, however often it is open. */
static uint32_t count_open(const tp_session *session)
{
    uint32_t count = 0;

    for (const struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        const struct subscription *other = session->subscriptions;
        while (other != s && (other->device != s->device || other->waiting)) {
            other = other->next;
        }
        count += other == s && !s->waiting;
    }
    return count;
}

static tp_client_stat describe_client(const tp_session *session, int64_t now_ns)
{
    tp_client_stat stat = {
        .number = session->identity.number,
        .age = seconds(now_ns - session->begun_ns),
        .opened = count_open(session),
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

static void fill_devices(const tp_hub *hub, size_t first, uint32_t count, tp_device_stat *devices)
{
    for (uint32_t k = 0; k < count; k++) {
        describe_device(hub, tpi_hub_device_at(hub, first + k), &devices[k]);
    }
}

/* Oldest client first. */
static void fill(const tp_hub *hub, tpi_panic_texts *found, tp_statistics *value)
{
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(hub));
    uint32_t i = value->clients_count;

    value->uptime = seconds(now_ns - tpi_hub_begun_ns(hub));
    tpi_panic_watch_look(hub, found, &value->panic);
    fill_devices(hub, 0, value->devices_count, value->devices);
    for (const tp_session *session = tpi_clients_first(hub); session != NULL;
         session = session->next) {
        value->clients[--i] = describe_client(session, now_ns);
    }
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
        fill(hub, &found, &value);
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
        fill_devices(hub, first, page.devices_count, page.devices);
        status = tp_value_copy(&block, &tp_desc_device_stat_page, &page, NULL);
    }
    free(page.devices);
    *out = block;
    return status;
}
