/* publish.c - data of devices: from where their instance runs to the loop, and to their readers. */
#include <assert.h>
#include <stddef.h>

#include "base/text.h"
#include "device/answers.h"
#include "device/inside.h"

void tpi_device_deliver(tp_device *device, tp_msg *msg)
{
    struct delivery delivery = {device->readers, device->deliveries};
    const bool bytes_only = tpi_msg_has_only_bytes(msg);

    assert(hub_is_current(device->instance->hub));
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
        if (!bytes_only || reader->takes == msg->encoding) { /* else it came later than the data */
            reader->deliver(reader, msg);
        }
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

/* ---- Counts of what is on its way ------------------------------------------------------------ */

/* For the only thread that writes the count. */
static void add(atomic_uint *count, unsigned more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more,
                          memory_order_release);
}

static void add_bytes(atomic_size_t *count, size_t more)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more,
                          memory_order_release);
}

/* What is done is looked at first: it is never more than what is made by then. */
static unsigned unsent(const struct output *output)
{
    const unsigned sent = atomic_load(&output->done.sent);

    return atomic_load(&output->made.work) - sent;
}

static unsigned in_flight(const struct output *output)
{
    const unsigned delivered = atomic_load(&output->done.delivered);

    return atomic_load(&output->made.work) - delivered;
}

static size_t bytes_in_flight(const struct output *output)
{
    const size_t delivered = atomic_load(&output->done.bytes_delivered);

    return atomic_load(&output->made.bytes) - delivered;
}

/* ---- Room for more --------------------------------------------------------------------------- */

uint32_t tp_instance_on_its_way(const tp_instance *self)
{
    return unsent(&self->output) / BURDEN_OF_MESSAGE +
           (uint32_t)(bytes_in_flight(&self->output) / BYTES_OF_MESSAGE);
}

/* Called where room is made and where it is awaited, each time behind the change of its own: so one
 * of both sees the change of the other. */
static bool room_comes(tp_instance *self, unsigned awaited)
{
    const tp_device *full = atomic_load(&self->output.full);

    return awaited != ROOM_NOT_AWAITED && awaited != ROOM_HAS_COME &&
           tp_instance_on_its_way(self) < awaited && atomic_load(&self->output.behind) == 0 &&
           (full == NULL || atomic_load(&full->forms.takers) > 0) &&
           atomic_compare_exchange_strong(&self->output.awaited, &awaited, ROOM_HAS_COME);
}

void tp_instance_await_room(tp_instance *self, uint32_t few)
{
    assert(instance_is_current(self));
    if (!self->on_loop) {
        const unsigned awaited = few < UINT32_MAX / 2 ? few + 1 : UINT32_MAX / 2;
        atomic_store(&self->output.awaited, awaited);
        (void)room_comes(self, awaited);
    }
}

bool tpi_output_has_come(const tp_instance *self)
{
    return atomic_load_explicit(&self->output.awaited, memory_order_relaxed) == ROOM_HAS_COME;
}

void tpi_output_polled(tp_instance *self)
{
    atomic_store(&self->output.awaited, ROOM_NOT_AWAITED);
}

/* Behind what sessions send in this turn: the thread is woken once for all of them. */
void tpi_output_may_have_room(tp_device *device)
{
    tp_instance *self = device->instance;

    if (atomic_load(&self->output.awaited) != ROOM_NOT_AWAITED) {
        tp_loop_later(self->hub->loop, &self->output.sent);
    }
}

void tpi_output_count_behind(tp_device *device, bool behind)
{
    if (device->keeps) {
        atomic_fetch_add(&device->instance->output.behind, behind ? 1U : -1U);
        tpi_output_may_have_room(device);
    }
}

/* All that sessions had to send before is sent: they are in the same queue of the loop. */
static void on_sent(tp_after *sent)
{
    tp_instance *self = (tp_instance *)((char *)sent - offsetof(tp_instance, output.sent));

    assert(hub_is_current(self->hub));
    atomic_store(&self->output.done.sent, atomic_load(&self->output.done.delivered));
    if (room_comes(self, atomic_load(&self->output.awaited))) {
        tpi_bell_ring(self->output.bell);
    }
}

/* ---- To the loop ----------------------------------------------------------------------------- */

/* What follows from it is as old; what is repeated later is as it is then. */
static void deliver(tp_device *device, tp_msg *msg)
{
    tpi_device_deliver(device, msg);
    msg->arrival_ns = TP_NEVER;
    tp_msg_unref(msg);
}

static void deliver_task(tpi_task *task)
{
    tp_msg *msg = (tp_msg *)task;
    tp_device *device = msg->context;
    struct output *output = &device->instance->output;

    const unsigned burden = msg->burden;
    const size_t weight = msg->weight;
    deliver(device, msg);
    tp_loop_later(device->instance->hub->loop, &output->sent);
    add_bytes(&output->done.bytes_delivered, weight);
    add(&output->done.delivered, burden);
    tpi_jobs_check(device->instance);
}

/* As much may wait to be sent as may be on its way to the loop, so that neither waits for the
 * other.
 */
static bool has_room(const struct output *output)
{
    return in_flight(output) < output->most_in_flight &&
           unsent(output) < 2 * output->most_in_flight;
}

static tp_status hand_to_loop(tp_device *device, tp_msg *msg, bool always)
{
    tp_instance *self = device->instance;

    msg->kept = self->output.keeps_all;
    if (!self->enrolled) { /* in init: there are no readers yet */
        tpi_latch_keep(device, msg);
        tp_msg_unref(msg);
        return TP_OK;
    }
    msg->arrival_ns = tpi_link_arrival_ns(self);
    if (self->on_loop) {
        deliver(device, msg);
        return TP_OK;
    }
    msg->burden = BURDEN_OF_MESSAGE + atomic_load(&device->has_readers) / READERS_OF_BURDEN;
    if (!always && !self->output.keeps_all && !has_room(&self->output)) {
        atomic_fetch_add(&device->dropped, 1);
        tp_msg_unref(msg);
        return TP_E_LIMIT;
    }
    add(&self->output.made.work, msg->burden);
    add_bytes(&self->output.made.bytes, msg->weight);
    msg->task.run = deliver_task;
    msg->context = device;
    tpi_loop_post(self->hub->loop, &msg->task);
    return TP_OK;
}

void tp_instance_keep_all(tp_instance *self, bool on)
{
    self->output.keeps_all = on;
}

static const tp_message *find_data(const tp_device *device, unsigned code)
{
    const tp_message *own = tp_interface_message(device->interface, TP_KIND_DATA, code);

    return own != NULL ? own : tp_interface_message(&tp_interface_common, TP_KIND_DATA, code);
}

/* The encoding in which the data of the device can be made at once, without a copy of the value:
 * all readers take these bytes, and nobody else looks at the value. NULL for none. */
static const tp_encoding *form_of(tp_device *device, const tp_message *what)
{
    return device->latched != NULL || device->follows || device->instance->on_loop ||
                   what->code >= TP_COMMON_DATA_GEOMETRY
               ? NULL
               : atomic_load_explicit(&device->forms.all, memory_order_relaxed);
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
    const tp_encoding *encoding = always ? NULL : form_of(device, what);
    tp_status status = encoding != NULL
                           ? tp_msg_create_encoded(&msg, encoding, &header, what->ask, value)
                           : tp_msg_create(&msg, &header, what->ask, value);
    return status == TP_OK ? hand_to_loop(device, msg, always) : status;
}

/* Whether no reader would take a message: all of them are full, and count what they miss. The
 * second look makes sure that a reader that is taken back meanwhile has counted it too. */
static bool is_in_vain(tp_device *device, const tp_message *what)
{
    if (atomic_load_explicit(&device->forms.takers, memory_order_relaxed) != 0 || device->follows ||
        device->latched != NULL || device->instance->output.keeps_all ||
        what->code >= TP_COMMON_DATA_GEOMETRY) {
        return false;
    }
    atomic_fetch_add(&device->forms.skipped, 1);
    if (atomic_load(&device->forms.takers) == 0) {
        return true;
    }
    atomic_fetch_sub(&device->forms.skipped, 1);
    return false;
}

tp_status tp_publish(tp_device *device, unsigned code, const void *value, double timestamp_s)
{
    const tp_message *what = find_data(device, code);

    assert(device_is_current(device));
    if (what == NULL) {
        return TP_E_UNKNOWN;
    }
    if (device->latched == NULL &&
        atomic_load_explicit(&device->has_readers, memory_order_relaxed) == 0) {
        return TP_OK;
    }
    if (is_in_vain(device, what)) { /* a driver that goes on until it is refused comes to an end */
        atomic_store_explicit(&device->instance->output.full, device, memory_order_relaxed);
        return ++device->instance->output.vain > MOST_IN_VAIN ? TP_E_LIMIT : TP_OK;
    }
    tpi_output_begin(device->instance);
    return publish(device, what, value, timestamp_s, false);
}

tp_status tpi_device_tell(tp_device *device, unsigned code, const void *value)
{
    return publish(device, find_data(device, code), value, 0, true);
}

/* ---- Readers --------------------------------------------------------------------------------- */

void tpi_output_init(tp_instance *self)
{
    self->output.most_in_flight = MOST_IN_FLIGHT - MORE_FOR_A_DEVICE; /* which the first one adds */
    self->output.sent.run = on_sent;
}

void tpi_output_wakes(tp_instance *self, const tpi_bell *bell)
{
    self->output.bell = bell;
}

void tpi_output_begin(tp_instance *self)
{
    self->output.vain = 0;
    atomic_store_explicit(&self->output.full, NULL, memory_order_relaxed);
}

void tpi_output_withdraw(tp_instance *self)
{
    tp_loop_after_cancel(self->hub->loop, &self->output.sent);
}

/* The tree of frames counts as a reader of what it follows. */
static void count_readers(tp_device *device)
{
    atomic_store(&device->has_readers, device->reader_count + device->follows);
}

void tpi_output_add(tp_device *device)
{
    count_readers(device);
    device->instance->output.most_in_flight += MORE_FOR_A_DEVICE;
}

static void announce(tp_device *device)
{
    struct forms *forms = &device->forms;

    atomic_store(&forms->all, forms->others == 0 ? forms->encoding : NULL);
    count_readers(device);
    atomic_fetch_add(&device->instance->output.readings, 1);
}

void tpi_output_attach(tpi_reader *reader)
{
    struct forms *forms = &reader->device->forms;

    assert(hub_is_current(reader->device->instance->hub));
    if (forms->same == 0) {
        forms->encoding = reader->takes;
    }
    reader->conforms = reader->takes != NULL && reader->takes == forms->encoding;
    *(reader->conforms ? &forms->same : &forms->others) += 1;
    announce(reader->device);
}

void tpi_output_detach(tpi_reader *reader)
{
    struct forms *forms = &reader->device->forms;

    assert(hub_is_current(reader->device->instance->hub));
    *(reader->conforms ? &forms->same : &forms->others) -= 1;
    if (forms->same == 0) {
        forms->encoding = NULL;
    }
    announce(reader->device);
}

uint32_t tp_device_readers(const tp_device *device)
{
    return atomic_load(&device->has_readers) - (device->follows ? 1 : 0);
}

uint32_t tp_instance_readings(const tp_instance *self)
{
    return atomic_load(&self->output.readings);
}
