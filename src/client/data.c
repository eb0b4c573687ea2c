/*
 * data.c - the data of devices that are open.
 *
 * Every proxy is an opening of its own on the server, which sends data once for each opening. So a
 * message that equals the last one of its kind, down to its time, is a copy, as long as no more of
 * them came than there are openings.
 */
#include <stdio.h>

#include "client/inside.h"

static bool is_of(const tp_proxy *proxy, const tp_devaddr *addr)
{
    return proxy->addr.interf == addr->interf && proxy->addr.index == addr->index;
}

static bool is_reading(const tp_proxy *proxy, const tp_devaddr *addr)
{
    return proxy->state == TPI_PROXY_OPEN && !proxy->closed && is_of(proxy, addr);
}

const tp_message *tpi_proxy_wants(const tp_client *client, const tp_msghdr *header)
{
    const tp_proxy *proxy = client->proxies;

    while (proxy != NULL && !is_reading(proxy, &header->addr)) {
        proxy = proxy->next;
    }
    if (proxy == NULL) {
        return NULL;
    }
    const tp_message *what = tp_interface_message(proxy->interface, TP_KIND_DATA, header->subtype);
    return what != NULL ? what
                        : tp_interface_message(&tp_interface_common, TP_KIND_DATA, header->subtype);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* How many openings of the device the server may still see. */
static uint32_t count_openings(const tp_client *client, const tp_devaddr *addr)
{
    uint32_t count = 0;

    for (const tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        count += is_reading(proxy, addr);
    }
    for (const tpi_ask *ask = tpi_ask_first(client); ask != NULL; ask = ask->next) {
        count += ask->addr.interf == TP_PLAYER_CODE && ask->what->code == TP_PLAYER_REQ_DEV &&
                 ask->about.interf == addr->interf && ask->about.index == addr->index;
    }
    return count;
}

static bool is_equal(const tp_msg *a, const tp_msg *b)
{
    const tp_struct *type = tp_msg_type(a);

    if (a == b) {
        return true;
    }
    /* not "==", which the compiler warns of, and which not-a-number would fail */
    if (tp_msg_header(a)->timestamp < tp_msg_header(b)->timestamp ||
        tp_msg_header(a)->timestamp > tp_msg_header(b)->timestamp || type != tp_msg_type(b)) {
        return false;
    }
    return type == NULL || tp_value_equal(type, tp_msg_payload(a), tp_msg_payload(b));
}

static bool is_copy(const tp_proxy *proxy, tpi_slot *slot, const tp_msg *msg)
{
    if (slot->copies == 0 || !is_equal(slot->msg, msg) ||
        slot->copies >= count_openings(proxy->client, &proxy->addr)) {
        return false;
    }
    slot->copies++;
    return true;
}

/* ---- Delivery -------------------------------------------------------------------------------- */

/* The place of a kind of message; slot_count if the device has none such. */
static uint32_t slot_of(const tp_proxy *proxy, unsigned code)
{
    uint32_t i = 0;

    while (i < proxy->slot_count && proxy->slots[i].code != code) {
        i++;
    }
    return i;
}

static void deliver(tp_proxy *proxy, const tp_msg *msg)
{
    const uint32_t place = slot_of(proxy, tp_msg_header(msg)->subtype);

    if (place == proxy->slot_count || is_copy(proxy, &proxy->slots[place], msg)) {
        return;
    }
    tpi_slot *slot = &proxy->slots[place];
    tp_msg *old = slot->msg;
    slot->msg = tp_msg_ref(msg);
    slot->seen = false;
    slot->copies = 1;
    proxy->received++;
    tp_msg_unref(old);
    tpi_series_put(&proxy->series, msg);
    if (proxy->data != NULL) {
        proxy->data(proxy, msg);
    }
}

void tpi_proxy_deliver(tp_client *client, const tp_msg *msg)
{
    const tp_devaddr *addr = &tp_msg_header(msg)->addr;

    for (tp_proxy *proxy = client->proxies; proxy != NULL; proxy = proxy->next) {
        if (is_reading(proxy, addr)) {
            deliver(proxy, msg);
        }
    }
    const tp_failure *failure = tp_msg_type(msg) == &tp_desc_failure ? tp_msg_payload(msg) : NULL;
    if (failure != NULL && failure->code == TP_E_REMOVED) {
        tpi_proxy_removed(client, addr, failure);
    }
}

/* ---- For the program ------------------------------------------------------------------------- */

void tp_proxy_on_data(tp_proxy *proxy, tp_proxy_data *data)
{
    proxy->data = data;
}

const tp_msg *tp_proxy_latest(const tp_proxy *proxy, unsigned code)
{
    const uint32_t place = slot_of(proxy, code);

    return place < proxy->slot_count ? proxy->slots[place].msg : NULL;
}

uint64_t tp_proxy_received(const tp_proxy *proxy)
{
    return proxy->received;
}

/* What tp_proxy_wait() waits for: news, or the certainty that there will be none. */
struct news {
    const tp_proxy *proxy;
    const tpi_slot *slot;
};

static bool has_news(void *context)
{
    const struct news *news = context;

    return (news->slot->msg != NULL && !news->slot->seen) || news->proxy->state == TPI_PROXY_FAILED;
}

tp_status tpi_proxy_fail_wait(const tp_proxy *proxy, tp_status status, const char *late,
                              tp_error *err)
{
    const tp_client *client = proxy->client;

    if (proxy->state == TPI_PROXY_FAILED) {
        return tp_fail(err, proxy->refusal.code, "%s", proxy->refusal.text);
    }
    if (status == TP_E_CLOSED) {
        return tp_fail(err, status, "%s: %s", proxy->name, client->why.text);
    }
    if (status == TP_E_INTERRUPTED) {
        return tpi_client_fail_interrupted(proxy->name, err);
    }
    return tp_fail(err, status, "%s: %s", proxy->name, late);
}

tp_status tp_proxy_refusal(tp_proxy *proxy, tp_error *err)
{
    const uint32_t place = slot_of(proxy, TP_COMMON_DATA_ERROR);
    tpi_slot *slot = place < proxy->slot_count ? &proxy->slots[place] : NULL;
    const tp_failure *failure =
        slot != NULL && slot->msg != NULL && !slot->seen ? tp_msg_payload(slot->msg) : NULL;

    if (failure == NULL || failure->code >= 0) {
        return TP_OK;
    }
    slot->seen = true;
    return tp_fail(err, (tp_status)failure->code, "%.*s", (int)failure->text_count,
                   failure->text_count > 0 ? failure->text : "");
}

const void *tp_proxy_wait(tp_proxy *proxy, unsigned code, int64_t timeout_ns, tp_error *err)
{
    static const char nothing[1]; /* the payload of a message without one */
    tp_client *client = proxy->client;
    const uint32_t place = slot_of(proxy, code);
    tpi_slot *slot = &proxy->slots[place];
    struct news news = {proxy, slot};
    char late[64];

    if (place == proxy->slot_count) {
        tp_fail(err, TP_E_UNKNOWN, "%s has no data with code %u", proxy->name, code);
        return NULL;
    }
    if (tpi_client_may_wait(client, proxy->name, err) != TP_OK) {
        return NULL;
    }
    tp_status status =
        tpi_client_wait_data(client, tpi_client_deadline(client, timeout_ns), has_news, &news);
    if (status != TP_OK || slot->msg == NULL || slot->seen) {
        (void)snprintf(late, sizeof late, "no data with code %u in time", code);
        tpi_proxy_fail_wait(proxy, status, late, err);
        return NULL;
    }
    slot->seen = true;
    return tp_msg_payload(slot->msg) != NULL ? tp_msg_payload(slot->msg) : nothing;
}
