/* queue.c - messages that wait for one receiver; see queue.h. */
#include "bus/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bus/msg.h"

enum { FIRST_CAPACITY = 32, MOST_RULES = 256 };

void tpi_queue_init(tpi_queue *queue, uint32_t most, uint32_t most_kept, tpi_action fallback)
{
    *queue = (tpi_queue){
        .most = most, .most_kept = most_kept, .most_bytes = TPI_QUEUE_BYTES, .fallback = fallback};
}

void tpi_queue_set_limits(tpi_queue *queue, uint32_t most, uint32_t most_kept)
{
    queue->most = most;
    queue->most_kept = most_kept;
}

static void count_in(const tpi_queue *queue, tp_msg *msg)
{
    if (queue->group != NULL && msg->grouped++ == 0) {
        queue->group->bytes += msg->weight;
    }
}

static void count_out(const tpi_queue *queue, tp_msg *msg)
{
    if (queue->group != NULL && --msg->grouped == 0) {
        queue->group->bytes -= msg->weight;
    }
}

/* Another queue has the message: the first one takes a reference for all. */
static tp_msg *hold(const tpi_queue *queue, const tp_msg *msg)
{
    tp_msg *shared = (tp_msg *)(uintptr_t)msg;

    if (shared->queued++ == 0) {
        (void)tp_msg_ref(shared);
    }
    count_in(queue, shared);
    return shared;
}

/* One queue less has it: the last one releases the reference. */
static void release(const tpi_queue *queue, tp_msg *msg)
{
    count_out(queue, msg);
    if (--msg->queued == 0) {
        tp_msg_unref(msg);
    }
}

void tpi_queue_join(tpi_queue *queue, tpi_queue_group *group)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        count_out(queue, tpi_queue_at(queue, i));
    }
    queue->group = group;
    for (uint32_t i = 0; i < queue->count; i++) {
        count_in(queue, tpi_queue_at(queue, i));
    }
}

void tpi_queue_fini(tpi_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        release(queue, tpi_queue_at(queue, i));
    }
    free((void *)queue->ring);
    free(queue->rules);
    queue->ring = NULL;
    queue->rules = NULL;
    queue->count = queue->capacity = queue->rule_count = 0;
}

static tp_msg **place(const tpi_queue *queue, uint32_t i)
{
    return &queue->ring[(queue->first + i) & (queue->capacity - 1)];
}

tp_msg *tpi_queue_at(const tpi_queue *queue, uint32_t i)
{
    return i < queue->count ? *place(queue, i) : NULL;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static bool same_criteria(const tpi_rule *a, const tpi_rule *b)
{
    return a->interf == b->interf && a->index == b->index && a->type == b->type &&
           a->subtype == b->subtype;
}

tp_status tpi_queue_add_rule(tpi_queue *queue, const tpi_rule *rule)
{
    for (uint32_t i = 0; i < queue->rule_count; i++) {
        if (same_criteria(&queue->rules[i], rule)) {
            queue->rules[i].action = rule->action;
            return TP_OK;
        }
    }
    if (queue->rule_count == MOST_RULES) {
        return TP_E_LIMIT;
    }
    tpi_rule *rules = realloc(queue->rules, (queue->rule_count + 1) * sizeof *rules);
    if (rules == NULL) {
        return TP_E_NOMEM;
    }
    rules[queue->rule_count++] = *rule;
    queue->rules = rules;
    return TP_OK;
}

static bool is_loss_allowed(const tp_msghdr *header)
{
    return header->type == TP_MSGTYPE_DATA || header->type == TP_MSGTYPE_CMD;
}

static bool matches(const tpi_rule *rule, const tp_msghdr *header)
{
    return (rule->interf < 0 || rule->interf == header->addr.interf) &&
           (rule->index < 0 || rule->index == header->addr.index) &&
           (rule->type < 0 || rule->type == header->type) &&
           (rule->subtype < 0 || rule->subtype == header->subtype);
}

static tpi_action choose(const tpi_queue *queue, const tp_msghdr *header, bool loss_allowed)
{
    for (uint32_t i = 0; i < queue->rule_count; i++) {
        const tpi_rule *rule = &queue->rules[i];
        if (matches(rule, header) && rule->action >= TPI_APPEND && rule->action <= TPI_IGNORE) {
            return (tpi_action)rule->action;
        }
    }
    return loss_allowed ? queue->fallback : TPI_APPEND;
}

/* ---- In and out ------------------------------------------------------------------------------ */

static bool same_device(const tp_devaddr *a, const tp_devaddr *b)
{
    return a->interf == b->interf && a->index == b->index && a->robot == b->robot &&
           a->host == b->host;
}

static size_t *bytes_of_its_kind(tpi_queue *queue, const tp_msg *msg)
{
    return is_loss_allowed(&msg->header) ? &queue->bytes : &queue->kept_bytes;
}

/* A message goes in, or out. */
static void weigh_in(tpi_queue *queue, const tp_msg *msg)
{
    *bytes_of_its_kind(queue, msg) += msg->weight;
}

static void weigh_out(tpi_queue *queue, const tp_msg *msg)
{
    *bytes_of_its_kind(queue, msg) -= msg->weight;
}

static void remove_at(tpi_queue *queue, uint32_t at)
{
    weigh_out(queue, *place(queue, at));
    release(queue, *place(queue, at));
    for (uint32_t i = at; i + 1 < queue->count; i++) {
        *place(queue, i) = *place(queue, i + 1);
    }
    queue->count--;
}

static bool same_kind(const tp_msghdr *a, const tp_msghdr *b)
{
    return a->type == b->type && a->subtype == b->subtype && same_device(&a->addr, &b->addr);
}

static void remove_newest_of_kind(tpi_queue *queue, const tp_msghdr *header)
{
    for (uint32_t i = queue->count; i-- > queue->sealed;) {
        if (same_kind(tp_msg_header(*place(queue, i)), header)) {
            remove_at(queue, i);
            *(queue->newest ? &queue->dropped : &queue->replaced) += 1;
            return;
        }
    }
}

static bool has_newer(const tpi_queue *queue, uint32_t at)
{
    const tp_msghdr *header = tp_msg_header(*place(queue, at));
    uint32_t i = at + 1;

    while (i < queue->count && !same_kind(tp_msg_header(*place(queue, i)), header)) {
        i++;
    }
    return i < queue->count;
}

void tpi_queue_keep_newest(tpi_queue *queue, bool on)
{
    uint32_t kept = queue->sealed;

    if (on && !queue->newest) {
        for (uint32_t i = kept; i < queue->count; i++) {
            tp_msg *msg = *place(queue, i);

            if (is_loss_allowed(tp_msg_header(msg)) && has_newer(queue, i)) {
                weigh_out(queue, msg);
                release(queue, msg);
                queue->dropped++;
            } else {
                *place(queue, kept++) = msg;
            }
        }
        queue->count = queue->count > kept ? kept : queue->count;
    }
    queue->newest = on;
    queue->fallback = on ? TPI_REPLACE : TPI_APPEND;
}

static bool make_room(tpi_queue *queue)
{
    if (queue->count < queue->capacity) {
        return true;
    }
    uint32_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : queue->capacity * 2;
    tp_msg **ring = malloc(capacity * sizeof *ring);
    if (ring == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < queue->count; i++) {
        ring[i] = *place(queue, i);
    }
    free((void *)queue->ring);
    queue->ring = ring;
    queue->first = 0;
    queue->capacity = capacity;
    return true;
}

bool tpi_queue_has_room(const tpi_queue *queue)
{
    return queue->count < queue->most && queue->bytes < queue->most_bytes;
}

bool tpi_queue_holds(const tpi_queue *queue, unsigned parts)
{
    return (uint64_t)queue->count * parts > queue->most || queue->bytes * parts > queue->most_bytes;
}

/* No reply is taken any more. */
static bool is_full(const tpi_queue *queue)
{
    return queue->count >= queue->most_kept || queue->kept_bytes >= queue->most_bytes;
}

static tp_status push(tpi_queue *queue, const tp_msg *msg, bool keep)
{
    const tp_msghdr *header = tp_msg_header(msg);
    const bool loss_allowed = is_loss_allowed(header);
    const tpi_action action = choose(queue, header, loss_allowed);

    if (action == TPI_IGNORE) {
        return TP_E_SPACE;
    }
    if (action == TPI_REPLACE) {
        remove_newest_of_kind(queue, header);
    }
    if (loss_allowed) {
        if (!keep && !tpi_queue_has_room(queue)) {
            queue->dropped++;
            return TP_E_SPACE;
        }
    } else if (is_full(queue)) {
        return TP_E_LIMIT;
    }
    if (!make_room(queue)) {
        return TP_E_NOMEM;
    }
    queue->count++;
    *place(queue, queue->count - 1) = hold(queue, msg);
    weigh_in(queue, msg);
    return TP_OK;
}

tp_status tpi_queue_push(tpi_queue *queue, const tp_msg *msg)
{
    return push(queue, msg, false);
}

tp_status tpi_queue_keep(tpi_queue *queue, const tp_msg *msg)
{
    return push(queue, msg, true);
}

/* The oldest `n` are out of it; somebody else has taken care of them. */
static void advance(tpi_queue *queue, uint32_t n)
{
    queue->first = (queue->first + n) & (queue->capacity - 1);
    queue->count -= n;
    queue->sealed -= queue->sealed < n ? queue->sealed : n;
}

tp_msg *tpi_queue_pop(tpi_queue *queue)
{
    if (queue->count == 0) {
        return NULL;
    }
    tp_msg *oldest = *place(queue, 0);
    weigh_out(queue, oldest);
    count_out(queue, oldest);
    advance(queue, 1);
    return --oldest->queued == 0 ? oldest : tp_msg_ref(oldest); /* the queues' own, or another */
}

void tpi_queue_discard(tpi_queue *queue, uint32_t n)
{
    assert(n <= queue->count);
    for (uint32_t i = 0; i < n; i++) {
        tp_msg *msg = *place(queue, i);
        weigh_out(queue, msg);
        release(queue, msg);
    }
    advance(queue, n);
}

tp_status tpi_queue_push_first(tpi_queue *queue, const tp_msg *msg)
{
    if (is_full(queue)) {
        return TP_E_LIMIT;
    }
    if (!make_room(queue)) {
        return TP_E_NOMEM;
    }
    queue->count++;
    for (uint32_t i = queue->count - 1; i > queue->sealed; i--) {
        *place(queue, i) = *place(queue, i - 1);
    }
    *place(queue, queue->sealed) = hold(queue, msg);
    weigh_in(queue, msg);
    return TP_OK;
}

void tpi_queue_seal(tpi_queue *queue, uint32_t n)
{
    n = n < queue->count ? n : queue->count;
    queue->sealed = n > queue->sealed ? n : queue->sealed;
}

bool tpi_queue_thin(tpi_queue *queue)
{
    uint32_t data = 0, kept = 1, sealed = queue->sealed;

    for (uint32_t i = 1; i < queue->count; i++) {
        data += is_loss_allowed(&(*place(queue, i))->header);
    }
    for (uint32_t i = 1, left = data - data / 2; i < queue->count; i++) {
        tp_msg *msg = *place(queue, i);

        if (left > 0 && is_loss_allowed(&msg->header)) {
            left--;
            sealed -= i < queue->sealed;
            weigh_out(queue, msg);
            release(queue, msg);
            queue->dropped++;
        } else {
            *place(queue, kept++) = msg;
        }
    }
    queue->sealed = sealed;
    queue->count = queue->count > kept ? kept : queue->count;
    return data > 0;
}

void tpi_queue_drop_data(tpi_queue *queue, const tp_devaddr *addr)
{
    uint32_t kept = queue->sealed;

    for (uint32_t i = kept; i < queue->count; i++) {
        tp_msg *msg = *place(queue, i);
        const tp_msghdr *header = tp_msg_header(msg);
        if (header->type == TP_MSGTYPE_DATA && same_device(&header->addr, addr)) {
            weigh_out(queue, msg);
            release(queue, msg);
        } else {
            *place(queue, kept++) = msg;
        }
    }
    queue->count = kept;
}
