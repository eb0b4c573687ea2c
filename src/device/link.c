/*
 * link.c - devices that a driver uses.
 *
 * A link is a reader like any other; what it reads becomes a job of its instance. What the driver
 * sends is in errand.c. Circles of `requires` are refused, since neither driver could start first.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "bus/pool.h"
#include "device/inside.h"

/* ---- Data ------------------------------------------------------------------------------------ */

struct data_job {
    job job;
    tp_link *link;
    tp_msg *msg;        /* owned reference */
    int64_t arrival_ns; /* of the message here, at the earliest; TP_NEVER if it was made here */
};

static void run_data(job *next, tp_instance *self)
{
    struct data_job *data = (struct data_job *)next;
    const tp_driver_ops *ops = self->blueprint.driver->ops;

    if (instance_is_started(self) && ops->data != NULL) {
        self->links.handled = data;
        ops->data(self, data->link, data->msg);
        self->links.handled = NULL;
    }
    tp_msg_unref(data->msg);
    tpi_pool_give(data);
    tpi_jobs_release(self);
    if (self->on_loop) {
        tpi_jobs_check(self);
    }
}

int64_t tpi_link_arrival_ns(const tp_instance *self)
{
    assert(instance_is_current(self));
    return self->links.handled != NULL ? self->links.handled->arrival_ns : TP_NEVER;
}

static void deliver(tpi_reader *reader, tp_msg *msg)
{
    tp_link *link = (tp_link *)((char *)reader - offsetof(tp_link, reader));
    tp_instance *self = link->instance;

    if (tpi_jobs_reserve(self, false) != TP_OK) {
        self->links.dropped++;
        return;
    }
    struct data_job *data = tpi_pool_take(sizeof *data);
    if (data == NULL) {
        tpi_jobs_release(self);
        return;
    }
    /* It has just come over a connection, or follows from what has. */
    const int64_t arrival_ns = tpi_smaller(tp_loop_arrival_ns(self->hub->loop), msg->arrival_ns);
    *data = (struct data_job){{.run = run_data}, link, tp_msg_ref(msg), arrival_ns};
    tpi_instance_submit(self, &data->job);
}

static void lost(tpi_reader *reader)
{
    tp_link *link = (tp_link *)((char *)reader - offsetof(tp_link, reader));
    char why[256];

    if (link->is_loose) {
        return;
    }
    (void)snprintf(why, sizeof why, "requires %s:%u: the device was removed",
                   link->wanted.interface->name, link->wanted.addr.index);
    tpi_phase_lost(link->instance, why);
}

/* ---- Requiring ------------------------------------------------------------------------------- */

size_t tp_requires_count(const tp_instance *self)
{
    return self->blueprint.require_count;
}

const tp_interface *tp_requires_interface(const tp_instance *self, size_t i)
{
    return self->blueprint.requires[i].interface;
}

const char *tp_requires_key(const tp_instance *self, size_t i)
{
    return self->blueprint.requires[i].key;
}

static bool is_taken(const tp_instance *self, uint32_t entry)
{
    const tp_link *link = self->links.first;

    while (link != NULL && link->entry != entry) {
        link = link->next;
    }
    return link != NULL;
}

tp_status tp_require(tp_instance *self, const tp_interface *interface, const char *key,
                     tp_link **out, tp_error *err)
{
    for (uint32_t i = 0; i < self->blueprint.require_count; i++) {
        const tpi_wanted *wanted = &self->blueprint.requires[i];
        if (wanted->interface != interface || is_taken(self, i) ||
            (key != NULL && strcmp(key, wanted->key) != 0)) {
            continue;
        }
        tp_link *link = calloc(1, sizeof *link);
        if (link == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        link->instance = self;
        link->mover = (tpi_mover){TPI_MOVER_DRIVER,
                                  atomic_fetch_add(&self->hub->link_numbers, 1) + 1, self->label};
        link->wanted = *wanted;
        link->entry = i;
        link->reader.deliver = deliver;
        link->reader.closed = lost;
        link->next = self->links.first;
        self->links.first = link;
        *out = link;
        return TP_OK;
    }
    return tp_fail(err, TP_E_UNKNOWN, "`requires` has no %s%s%s", interface->name,
                   key == NULL ? "" : " with the key ", key == NULL ? "" : key);
}

tp_status tp_require_loosely(tp_instance *self, const tp_interface *interface, const char *key,
                             tp_link **out, tp_error *err)
{
    const tp_status status = tp_require(self, interface, key, out, err);

    if (status == TP_OK) {
        (*out)->is_loose = true;
    }
    return status;
}

const tp_interface *tp_link_interface(const tp_link *link)
{
    return link->wanted.interface;
}

const tp_devaddr *tp_link_addr(const tp_link *link)
{
    return &link->wanted.addr;
}

/* ---- Opening and closing, on the loop -------------------------------------------------------- */

static tp_device *target_of(const tp_link *link)
{
    const tp_devaddr *addr = &link->wanted.addr;

    return tpi_hub_find(link->instance->hub, addr->robot, addr->interf, addr->index);
}

/* Whether starting `other` would wait for `self`. */
static bool waits_for(const tp_instance *other, const tp_instance *self, unsigned depth)
{
    for (const tp_link *link = other->links.first; link != NULL && depth < 64; link = link->next) {
        const tp_device *target = target_of(link);
        if (target != NULL && !link->is_loose &&
            (target->instance == self || waits_for(target->instance, self, depth + 1))) {
            return true;
        }
    }
    return other == self;
}

bool tpi_links_exist(const tp_instance *self)
{
    return self->links.first != NULL;
}

bool tpi_links_are_there(const tp_instance *self)
{
    const tp_link *link = self->links.first;

    while (link != NULL && (link->is_loose || target_of(link) != NULL)) {
        link = link->next;
    }
    return link == NULL;
}

static uint32_t count_links(const tp_instance *self)
{
    uint32_t count = 0;

    for (const tp_link *link = self->links.first; link != NULL; link = link->next) {
        count += !link->is_loose;
    }
    return count;
}

/* One link more has an answer; the last one ends the opening. */
static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    tp_link *link = opening->context;
    tp_instance *self = link->instance;
    struct links *links = &self->links;

    if (status != TP_OK && links->status == TP_OK) {
        links->status = tp_fail(&links->error, status, "requires %s:%u: %s",
                                link->wanted.interface->name, link->wanted.addr.index, err->text);
    }
    links->settled++;
    if (links->settled == count_links(self)) {
        links->done(self, links->status, &links->error);
    }
}

static void open_link(tp_link *link)
{
    tp_instance *self = link->instance;
    tp_device *target = target_of(link);
    tp_error err = {0};

    link->opening = (tpi_opening){.reader = &link->reader, .done = opened, .context = link};
    if (target == NULL) {
        tp_fail(&err, TP_E_UNKNOWN, "no driver offers it");
        opened(&link->opening, TP_E_UNKNOWN, &err);
    } else if (waits_for(target->instance, self, 0)) {
        tp_fail(&err, TP_E_INVALID, "it requires this one in turn");
        opened(&link->opening, TP_E_INVALID, &err);
    } else {
        tpi_device_open(target, &link->opening);
    }
}

void tpi_links_open(tp_instance *self,
                    void (*done)(tp_instance *self, tp_status status, tp_error *err))
{
    struct links *links = &self->links;

    assert(hub_is_current(self->hub));
    links->done = done;
    links->settled = 0;
    links->status = TP_OK;
    links->error = (tp_error){0};
    if (count_links(self) == 0) {
        done(self, TP_OK, &links->error);
        return;
    }
    for (tp_link *link = links->first; link != NULL; link = link->next) {
        if (!link->is_loose) {
            open_link(link);
        }
    }
}

static void tried(tpi_opening *opening, tp_status status, const tp_error *err)
{
    tp_link *link = opening->context;

    (void)status;
    (void)err;
    opening->device = NULL; /* it can be removed at any time */
    link->is_opening = false;
}

void tpi_link_try(tp_link *link)
{
    tp_device *target = link->is_loose && !link->is_opening ? target_of(link) : NULL;

    assert(hub_is_current(link->instance->hub));
    if (target == NULL || target->instance == link->instance || link->reader.device != NULL ||
        link->instance->hub->closing) {
        return;
    }
    link->is_opening = true;
    link->opening = (tpi_opening){.reader = &link->reader, .done = tried, .context = link};
    tpi_device_open(target, &link->opening);
}

void tpi_links_close(tp_instance *self)
{
    for (tp_link *link = self->links.first; link != NULL; link = link->next) {
        if (link->reader.device != NULL) {
            tpi_mover_leave_in_order(link->reader.device, &link->mover);
        }
        tpi_device_close(&link->reader);
        if (link->is_opening) {
            tpi_device_give_up(&link->opening);
            link->is_opening = false;
        }
    }
}

void tpi_links_repeat(tp_instance *self)
{
    for (tp_link *link = self->links.first; link != NULL; link = link->next) {
        if (link->reader.device != NULL) {
            tpi_latch_repeat(link->reader.device, &link->reader);
        }
    }
}

/* Links that wait for other devices wait no more. */
void tpi_links_give_up(tp_instance *self)
{
    for (tp_link *link = self->links.first; link != NULL; link = link->next) {
        if (link->reader.device == NULL && link->opening.device != NULL) {
            tpi_device_give_up(&link->opening);
        }
    }
}

void tpi_links_free(tp_instance *self)
{
    while (self->links.first != NULL) {
        tp_link *next = self->links.first->next;
        free(self->links.first);
        self->links.first = next;
    }
}

bool tpi_instance_uses(const tp_instance *instance, const tp_devaddr *addr)
{
    const tp_link *link = instance->links.first;

    while (link != NULL && memcmp(&link->wanted.addr, addr, sizeof *addr) != 0) {
        link = link->next;
    }
    return link != NULL;
}
