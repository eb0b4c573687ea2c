/* statistics.c - what devices and clients have done so far: as one message, and of very many
 * devices a page at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "safety/moving.h"
#include "session/session.h"

static double seconds(int64_t ns)
{
    return (double)ns / (double)TP_NS_PER_S;
}

_Static_assert((int)IDLE == TP_DEVICE_IDLE && (int)STARTING == TP_DEVICE_STARTING &&
                   (int)RUNNING == TP_DEVICE_RUNNING && (int)STOPPING == TP_DEVICE_STOPPING &&
                   (int)FAILED == TP_DEVICE_FAILED,
               "phases are told as they are");

/* Names of a device that have to be put together. */
struct names {
    char mover[RANK_NAME];
    char holder[RANK_NAME];
};

/* Who moves it, or keeps others from writing. */
static void describe_mover(const tp_device *device, struct names *names, tp_device_stat *stat)
{
    const bool moved = tpi_hold_is_moved(device);
    const double rank_left = tpi_rank_matters(device) ? tpi_rank_left_s(device) : 0;

    names->mover[0] = names->holder[0] = '\0';
    if (moved || rank_left > 0) {
        tpi_rank_name(device->instance->hub, device->mover, names->mover, sizeof names->mover);
        stat->rank = device->mover_rank;
        stat->lease_left = moved ? tpi_hold_lease_left_s(device) : 0;
        stat->rank_left = rank_left;
    }
    if (device->holder != NULL) {
        tpi_session_label(device->holder, names->holder, sizeof names->holder);
        stat->holder_number = device->holder->number;
        stat->holder_silent = !tpi_access_is_held(device);
    }
    stat->mover = tpi_text_field(names->mover, &stat->mover_count);
    stat->holder = tpi_text_field(names->holder, &stat->holder_count);
}

/* Texts are borrowed. */
static tp_device_stat describe_device(const tp_device *device, struct names *names)
{
    const struct counts *counts = &device->counts;
    const uint64_t asked = counts->requests + counts->failed;
    tp_device_stat stat = {
        .addr = device->addr,
        .state = (uint8_t)(device->instance->troubled ? TP_DEVICE_TROUBLED
                                                      : (int)device->instance->phase),
        .isolated = device->instance->plan.in_place_of != NULL,
        .readers = device->reader_count,
        .published = (int64_t)device->published,
        .dropped = (int64_t)atomic_load(&device->dropped),
        .commands = (int64_t)(counts->commands + tpi_grant_commands(device)),
        .requests = (int64_t)counts->requests,
        .failed_requests = (int64_t)counts->failed,
        .refused = (int64_t)counts->refused,
        .latency_mean = asked == 0 ? 0 : seconds(counts->latency_ns) / (double)asked,
        .latency_max = seconds(counts->longest_ns),
        .guards = atomic_load(&device->instance->guarded),
        .guard_restarts = atomic_load(&device->instance->guard_restarts),
    };

    stat.driver = tpi_text_field(tpi_instance_driver_name(device->instance), &stat.driver_count);
    stat.instance = tpi_text_field(device->instance->name, &stat.instance_count);
    stat.failure = tpi_text_field(device->instance->failed, &stat.failure_count);
    stat.label = tpi_text_field(device->label == NULL ? "" : device->label, &stat.label_count);
    describe_mover(device, names, &stat);
    return stat;
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
        .number = session->number,
        .age = seconds(now_ns - session->begun_ns),
        .opened = count_open(session),
        .waiting = session->queue.count,
        .sent = (int64_t)session->sent,
        .received = (int64_t)session->received,
        .dropped = (int64_t)tp_session_dropped(session),
        .refused = (int64_t)session->refused,
        .right = (uint8_t)tp_session_right(session),
    };

    stat.name = tpi_text_field(session->name, &stat.name_count);
    stat.software = tpi_text_field(session->software, &stat.software_count);
    stat.key = tpi_text_field(tp_session_key(session), &stat.key_count);
    return stat;
}

static uint32_t count_sessions(const tp_hub *hub)
{
    uint32_t count = 0;

    for (const tp_session *session = hub->sessions; session != NULL; session = session->next) {
        count++;
    }
    return count;
}

static void fill_devices(const tp_hub *hub, size_t first, uint32_t count, struct names *names,
                         tp_device_stat *devices)
{
    for (uint32_t k = 0; k < count; k++) {
        devices[k] = describe_device(hub->devices[first + k], &names[k]);
    }
}

/* Oldest client first. */
static void fill(const tp_hub *hub, struct names *names, struct emergency *found,
                 tp_statistics *value)
{
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(hub));
    uint32_t i = value->clients_count;

    value->uptime = seconds(now_ns - hub->begun_ns);
    tpi_emergency_look(hub, found, &value->panic);
    fill_devices(hub, 0, value->devices_count, names, value->devices);
    for (const tp_session *session = hub->sessions; session != NULL; session = session->next) {
        value->clients[--i] = describe_client(session, now_ns);
    }
}

/* How many there are from one on, `most` at most. */
static uint32_t count_from(const tp_hub *hub, uint32_t first, uint32_t most)
{
    const size_t count = first < hub->device_count ? hub->device_count - first : 0;

    return count < most ? (uint32_t)count : most;
}

tp_status tp_hub_statistics(const tp_hub *hub, tp_statistics **out)
{
    tp_statistics value = {.devices_count = count_from(hub, 0, TP_STATISTICS_DEVICES),
                           .clients_count = count_sessions(hub)};
    void *block = NULL;
    tp_status status = TP_E_NOMEM;
    struct emergency found;

    struct names *names = calloc((size_t)value.devices_count + 1, sizeof *names);
    value.devices = calloc((size_t)value.devices_count + 1, sizeof *value.devices);
    value.clients = calloc((size_t)value.clients_count + 1, sizeof *value.clients);
    if (names != NULL && value.devices != NULL && value.clients != NULL) {
        fill(hub, names, &found, &value);
        status = tp_value_copy(&block, &tp_desc_statistics, &value, NULL);
    }
    free(names);
    free(value.devices);
    free(value.clients);
    *out = block;
    return status;
}

tp_status tp_hub_device_statistics(const tp_hub *hub, uint32_t first, tp_device_stat_page **out)
{
    tp_device_stat_page page = {.first = first,
                                .total = (uint32_t)hub->device_count,
                                .devices_count = count_from(hub, first, TP_DEVICE_STAT_PAGE)};
    void *block = NULL;
    tp_status status = TP_E_NOMEM;

    struct names *names = calloc((size_t)page.devices_count + 1, sizeof *names);
    page.devices = calloc((size_t)page.devices_count + 1, sizeof *page.devices);
    if (names != NULL && page.devices != NULL) {
        fill_devices(hub, first, page.devices_count, names, page.devices);
        status = tp_value_copy(&block, &tp_desc_device_stat_page, &page, NULL);
    }
    free(names);
    free(page.devices);
    *out = block;
    return status;
}
