/* device.c - devices: what an instance offers, who reads it, and how data gets there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/answers.h"
#include "device/inside.h"

/* ---- Offering -------------------------------------------------------------------------------- */

size_t tp_provides_count(const tp_instance *self)
{
    return self->plan.provide_count;
}

const tp_interface *tp_provides_interface(const tp_instance *self, size_t i)
{
    return self->plan.provides[i].interface;
}

const char *tp_provides_key(const tp_instance *self, size_t i)
{
    return self->plan.provides[i].key;
}

size_t tp_provides_section(const tp_instance *self, size_t i)
{
    return self->plan.provides[i].section;
}

static const tpi_wanted *find_free(const tp_instance *self, const tp_interface *interface,
                                   const char *key)
{
    for (uint32_t i = 0; i < self->plan.provide_count; i++) {
        const tpi_wanted *wanted = &self->plan.provides[i];
        if (wanted->interface == interface && (key == NULL || strcmp(key, wanted->key) == 0) &&
            !self->taken[i]) {
            return wanted;
        }
    }
    return NULL;
}

bool tp_provides(const tp_instance *self, const tp_interface *interface, const char *key)
{
    return find_free(self, interface, key) != NULL;
}

tp_status tp_offer(tp_instance *self, const tp_interface *interface, const char *key,
                   const void *ops, tp_handler *handler, tp_device **out, tp_error *err)
{
    const tpi_wanted *wanted = find_free(self, interface, key);

    if (wanted == NULL) {
        return tp_fail(err, TP_E_INVALID, "`provides` has no %s%s%s", interface->name,
                       key == NULL ? "" : " with the key ", key == NULL ? "" : key);
    }
    return tpi_device_add(self, wanted, ops, handler, out, err);
}

tp_status tp_offer_at(tp_instance *self, size_t i, const void *ops, tp_handler *handler,
                      tp_device **out, tp_error *err)
{
    return tpi_device_add(self, &self->plan.provides[i], ops, handler, out, err);
}

tp_status tp_offer_more(tp_instance *self, const tp_interface *interface, uint16_t index,
                        const void *ops, tp_handler *handler, tp_device **out, tp_error *err)
{
    const tpi_wanted wanted = {.key = "",
                               .interface = interface,
                               .addr = {.host = TP_PLAYER_HOST,
                                        .robot = self->plan.robot,
                                        .interf = interface->code,
                                        .index = index}};

    return tpi_device_add(self, &wanted, ops, handler, out, err);
}

/* Whatever else asks for the same address is served too. */
static void mark_taken(tp_instance *self, const tp_devaddr *addr)
{
    for (uint32_t i = 0; i < self->plan.provide_count; i++) {
        if (memcmp(&self->plan.provides[i].addr, addr, sizeof *addr) == 0) {
            self->taken[i] = true;
        }
    }
}

/* The tree of frames counts as a reader of what it follows. */
static void count_readers(tp_device *device)
{
    atomic_store(&device->has_readers, device->reader_count + device->follows);
}

tp_status tpi_device_add(tp_instance *self, const tpi_wanted *wanted, const void *ops,
                         tp_handler *handler, tp_device **out, tp_error *err)
{
    tp_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    device->instance = self;
    device->interface = wanted->interface;
    device->ops = ops;
    device->handler = handler;
    device->addr = wanted->addr;
    device->section = wanted->section;
    snprintf(device->name, sizeof device->name, "%s:%u", wanted->interface->name,
             wanted->addr.index);
    tpi_halt_prepare_device(device);
    tpi_geometry_prepare(device);
    device->follows = tpi_geometry_is_vehicle(device) || tpi_geometry_is_localizer(device);
    count_readers(device);
    mark_taken(self, &wanted->addr);
    *self->last = device;
    self->last = &device->next;
    self->most_in_flight += MORE_FOR_A_DEVICE;
    if (out != NULL) {
        *out = device;
    }
    return TP_OK;
}

tp_instance *tp_device_instance(const tp_device *device)
{
    return device->instance;
}

const tp_devaddr *tp_device_addr(const tp_device *device)
{
    return &device->addr;
}

const tp_interface *tp_device_interface(const tp_device *device)
{
    return device->interface;
}

void tp_device_set_context(tp_device *device, void *context)
{
    device->context = context;
}

void *tp_device_context(const tp_device *device)
{
    return device->context;
}

const char *tpi_device_driver_name(const tp_device *device)
{
    return tpi_instance_driver_name(device->instance);
}

bool tpi_device_is_running(const tp_device *device)
{
    return device->instance->phase == RUNNING;
}

/* ---- Readers --------------------------------------------------------------------------------- */

static void attach(tp_device *device, tpi_reader *reader)
{
    reader->device = device;
    reader->paused = false;
    tpi_reader_link(reader);
    device->reader_count++;
    count_readers(device);
    atomic_fetch_add(&device->instance->readings, 1);
    device->instance->users++;
}

void tpi_device_open(tp_device *device, tpi_opening *opening)
{
    tp_instance *self = device->instance;
    tpi_reader *reader = opening->reader;

    opening->device = device;
    opening->next = NULL;
    if (self->phase == RUNNING) {
        attach(device, reader);
        opening->done(opening, TP_OK, NULL);
        tpi_latch_repeat(device, reader);
        return;
    }
    tpi_opening **last = &self->waiting;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = opening;
    if (self->phase == IDLE || self->phase == FAILED) {
        tpi_instance_start(self);
    }
}

void tpi_device_give_up(tpi_opening *opening)
{
    tp_instance *self = opening->device->instance;

    for (tpi_opening **at = &self->waiting; *at != NULL; at = &(*at)->next) {
        if (*at == opening) {
            *at = opening->next;
            return;
        }
    }
}

void tpi_device_close(tpi_reader *reader)
{
    tp_device *device = reader->device;

    if (device == NULL) {
        return;
    }
    tpi_reader_unlink(reader);
    reader->device = NULL;
    device->reader_count--;
    count_readers(device);
    atomic_fetch_add(&device->instance->readings, 1);
    device->instance->users--;
    tpi_instance_stop_if_unused(device->instance);
}

uint32_t tp_device_readers(const tp_device *device)
{
    return atomic_load(&device->has_readers) - (device->follows ? 1 : 0);
}

uint32_t tp_instance_readings(const tp_instance *self)
{
    return atomic_load(&self->readings);
}

/* ---- Data ------------------------------------------------------------------------------------ */

void tpi_device_deliver(tp_device *device, tp_msg *msg)
{
    struct delivery delivery = {device->readers, device->deliveries};

    tpi_latch_keep(device, msg);
    if (device->follows || msg->header.subtype == TP_COMMON_DATA_GEOMETRY) {
        tpi_frames_follow(device, msg);
    }
    device->published += device->reader_count > 0;
    device->news += device->reader_count > 0 && msg->header.subtype >= TP_COMMON_DATA_GEOMETRY;
    device->deliveries = &delivery;
    while (delivery.next != NULL) {
        tpi_reader *reader = delivery.next;
        delivery.next = reader->next;
        reader->deliver(reader, msg);
    }
    device->deliveries = delivery.outer;
}

tp_msg *tpi_device_failure(const tp_device *device, tp_status code, const char *text)
{
    const tp_clock *clock = tp_instance_clock(device->instance);
    const tp_msghdr header = {.addr = device->addr,
                              .type = TP_MSGTYPE_DATA,
                              .subtype = TP_COMMON_DATA_ERROR,
                              .timestamp = tp_clock_wall_s(clock)};
    tp_failure failure = {.code = code};
    tp_msg *msg = NULL;

    failure.text = tpi_text_field(text, &failure.text_count);
    (void)tp_msg_create(&msg, &header, &tp_desc_failure, &failure);
    return msg;
}

void tpi_device_deliver_failure(tp_device *device, tp_status code, const char *text)
{
    tp_msg *msg = tpi_device_failure(device, code, text);

    if (msg != NULL) {
        tpi_device_deliver(device, msg);
        tp_msg_unref(msg);
    }
}

static void deliver_task(tpi_task *task)
{
    tp_msg *msg = (tp_msg *)task;
    tp_device *device = msg->context;

    const int burden = msg->burden;
    const size_t weight = msg->weight;
    tpi_device_deliver(device, msg);
    tp_msg_unref(msg);
    atomic_fetch_sub(&device->instance->bytes_in_flight, weight);
    atomic_fetch_sub(&device->instance->in_flight, burden);
    tpi_remove_check(device->instance);
}

static tp_status hand_to_loop(tp_device *device, tp_msg *msg, bool always)
{
    tp_instance *self = device->instance;

    msg->kept = self->keeps_all;
    if (self->on_loop) {
        tpi_device_deliver(device, msg);
        tp_msg_unref(msg);
        return TP_OK;
    }
    msg->burden = BURDEN_OF_MESSAGE + (int)atomic_load(&device->has_readers);
    if (atomic_fetch_add(&self->in_flight, msg->burden) >= self->most_in_flight && !always &&
        !self->keeps_all) {
        atomic_fetch_sub(&self->in_flight, msg->burden);
        atomic_fetch_add(&device->dropped, 1);
        tp_msg_unref(msg);
        return TP_E_LIMIT;
    }
    atomic_fetch_add(&self->bytes_in_flight, msg->weight);
    msg->task.run = deliver_task;
    msg->context = device;
    tpi_loop_post(self->hub->loop, &msg->task);
    return TP_OK;
}

uint32_t tp_instance_on_its_way(const tp_instance *self)
{
    return (uint32_t)atomic_load(&self->in_flight) / BURDEN_OF_MESSAGE +
           (uint32_t)(atomic_load(&self->bytes_in_flight) / BYTES_OF_MESSAGE);
}

void tp_instance_keep_all(tp_instance *self, bool on)
{
    self->keeps_all = on;
}

static const tp_message *find_data(const tp_device *device, unsigned code)
{
    const tp_message *own = tp_interface_message(device->interface, TP_KIND_DATA, code);

    return own != NULL ? own : tp_interface_message(&tp_interface_common, TP_KIND_DATA, code);
}

static tp_status publish(tp_device *device, const tp_message *what, const void *value,
                         double timestamp_s, bool always)
{
    tp_msg *msg = NULL;
    const tp_clock *clock = tp_instance_clock(device->instance);
    const tp_msghdr header = {.addr = device->addr,
                              .type = TP_MSGTYPE_DATA,
                              .subtype = what->code,
                              .timestamp = timestamp_s != 0 ? timestamp_s : tp_clock_wall_s(clock)};
    tp_status status = tp_msg_create(&msg, &header, what->ask, value);
    return status == TP_OK ? hand_to_loop(device, msg, always) : status;
}

tp_status tp_publish(tp_device *device, unsigned code, const void *value, double timestamp_s)
{
    const tp_message *what = find_data(device, code);

    if (what == NULL) {
        return TP_E_UNKNOWN;
    }
    if (device->latched == NULL &&
        atomic_load_explicit(&device->has_readers, memory_order_relaxed) == 0) {
        return TP_OK;
    }
    return publish(device, what, value, timestamp_s, false);
}

tp_status tpi_device_tell(tp_device *device, unsigned code, const void *value)
{
    return publish(device, find_data(device, code), value, 0, true);
}
