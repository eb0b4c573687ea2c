/* reader_test.c - readers that close each other, themselves, or open more, while they are told; and
 * how much is on its way to them. */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/play.h"
#include "troupe/interfaces/ptz.h"

struct speaker {
    tp_device *device;
};

static tp_status speaker_command(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    const tp_ptz_data data = {.pan = ask->pan};

    (void)err;
    return tp_publish(device, TP_PTZ_DATA_STATE, &data, 0);
}

static const tp_ptz_ops speaker_device = {.cmd_state = speaker_command};

static tp_status speaker_init(tp_instance *self, tp_error *err)
{
    struct speaker *s = tp_instance_state(self);

    return tp_offer(self, &tp_interface_ptz, NULL, &speaker_device, NULL, &s->device, err);
}

static const tp_driver_ops speaker_ops = {.init = speaker_init};
static const tp_driver speaker = {.abi = TP_DRIVER_ABI,
                                  .name = "speaker",
                                  .state_size = sizeof(struct speaker),
                                  .ops = &speaker_ops,
                                  .flags = TP_DRIVER_ON_LOOP};

/* A reader that does something when it hears. */
struct listener {
    tpi_reader reader;
    tpi_opening opening;
    int heard;
    struct listener *closes; /* NULL for nobody */
    struct listener *opens;
    tp_device *device;
};

static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    (void)opening;
    (void)err;
    assert_int_equal(status, TP_OK);
}

static void open_listener(struct listener *l, tp_device *device)
{
    l->device = device;
    l->opening = (tpi_opening){.reader = &l->reader, .done = opened, .context = l};
    tpi_device_open(device, &l->opening);
}

static void hear(tpi_reader *reader, tp_msg *msg)
{
    struct listener *l = reader->context;

    (void)msg;
    l->heard++;
    if (l->closes != NULL) {
        tpi_device_close(&l->closes->reader);
        l->closes = NULL;
    }
    if (l->opens != NULL) {
        open_listener(l->opens, l->device);
        l->opens = NULL;
    }
}

enum { LISTENERS = 5 };

/* The readers of a device are told newest first: the last one here is the first to hear. */
static play *begin(struct listener listeners[LISTENERS], int count)
{
    play *p = play_begin(&speaker, "ptz:0", NULL);

    for (int i = 0; i < LISTENERS; i++) {
        listeners[i] = (struct listener){.reader = {.deliver = hear, .context = &listeners[i]}};
    }
    for (int i = 0; i < count; i++) {
        open_listener(&listeners[i], p->device);
    }
    return p;
}

static void end(play *p, struct listener listeners[LISTENERS])
{
    for (int i = 0; i < LISTENERS; i++) {
        tpi_device_close(&listeners[i].reader);
    }
    play_destroy(p);
}

static void speak(play *p)
{
    const tp_ptz_cmd ask = {0};

    play_command(p, TP_PTZ_CMD_STATE, &ask);
}

static void assert_heard(const struct listener listeners[LISTENERS], const char *counts)
{
    for (int i = 0; i < LISTENERS; i++) {
        assert_int_equal(listeners[i].heard, counts[i] - '0');
    }
}

static void a_reader_may_close_the_next_one(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, LISTENERS);

    (void)state;
    l[3].closes = &l[2];
    speak(p);
    assert_heard(l, "11011");
    speak(p);
    assert_heard(l, "22022");
    end(p, l);
}

static void a_reader_may_close_itself(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, LISTENERS);

    (void)state;
    l[2].closes = &l[2];
    l[0].closes = &l[0];
    speak(p);
    speak(p);
    assert_heard(l, "12122");
    end(p, l);
}

static void a_reader_may_close_the_next_and_the_one_after_that(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, LISTENERS);

    (void)state;
    l[4].closes = &l[3];
    l[2].closes = &l[1];
    speak(p);
    speak(p);
    assert_heard(l, "20202");
    end(p, l);
}

/* Data comes to a new reader from the next message on. */
static void a_reader_may_open_another_one(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, 3);

    (void)state;
    l[1].opens = &l[3];
    l[1].closes = &l[0];
    speak(p);
    assert_heard(l, "01100");
    speak(p);
    assert_heard(l, "02210");
    end(p, l);
}

/* ---- Data as bytes ----------------------------------------------------------------------------
 */

static tp_status four(const tp_msghdr *header, const tp_struct *type, const void *value,
                      size_t *size)
{
    (void)header;
    (void)type;
    (void)value;
    *size = 4;
    return TP_OK;
}

static tp_status put_four(const tp_msghdr *header, const tp_struct *type, const void *value,
                          void *bytes, size_t capacity, size_t *length)
{
    (void)type;
    (void)value;
    assert(capacity >= 4);
    *length = 4;
    memset(bytes, header->subtype, 4);
    return TP_OK;
}

static const tp_encoding fours = {.name = "fours", .size = four, .encode = put_four};

/* A reader that takes bytes, or payloads, and what it got. */
struct taker {
    tpi_reader reader;
    tpi_opening opening;
    int payloads;
    int bytes;
};

static void take(tpi_reader *reader, tp_msg *msg)
{
    struct taker *t = reader->context;
    const void *bytes;
    size_t length;

    t->payloads += tp_msg_payload(msg) != NULL;
    t->bytes += tp_msg_payload(msg) == NULL;
    if (reader->takes != NULL) {
        assert_int_equal(tp_msg_encode(msg, reader->takes, &bytes, &length), TP_OK);
        assert_int_equal(length, 4);
    }
}

static void open_taker(struct taker *t, tp_device *device, const tp_encoding *takes)
{
    *t = (struct taker){.reader = {.deliver = take, .context = t, .takes = takes}};
    t->opening = (tpi_opening){.reader = &t->reader, .done = opened};
    tpi_device_open(device, &t->opening);
}

static atomic_int spoken;

static tp_status speak_once(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    const tp_ptz_data data = {.pan = ask->pan};

    (void)err;
    assert(tp_publish(device, TP_PTZ_DATA_STATE, &data, 0) == TP_OK);
    atomic_fetch_add(&spoken, 1);
    return TP_OK;
}

static const tp_ptz_ops threaded_device = {.cmd_state = speak_once};

static tp_status threaded_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_ptz, NULL, &threaded_device, NULL, NULL, err);
}

static const tp_driver_ops threaded_ops = {.init = threaded_init};
static const tp_driver threaded = {
    .abi = TP_DRIVER_ABI, .name = "threaded", .summary = "publishes", .ops = &threaded_ops};

/* Let the driver publish; what it publishes waits for the next turn of the loop. */
static void make_it_speak(play *p)
{
    const tp_ptz_cmd ask = {0};
    const tp_message *what = tp_interface_message(&tp_interface_ptz, TP_KIND_COMMAND, 1);
    const tp_msghdr header = {.type = TP_MSGTYPE_CMD, .subtype = 1};
    const int before = atomic_load(&spoken);
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, what->ask, &ask), TP_OK);
    assert_int_equal(tpi_device_call(p->device, what, msg, NULL, NULL, NULL), TP_OK);
    tp_msg_unref(msg);
    while (atomic_load(&spoken) == before) {
    }
}

static void turn_until(play *p, const int *count, int wanted)
{
    while (*count < wanted) {
        tp_loop_turn(p->b.loop, true);
    }
}

static void assert_took(const struct taker *t, int payloads, int bytes)
{
    assert_int_equal(t->payloads, payloads);
    assert_int_equal(t->bytes, bytes);
}

static void data_is_made_as_bytes_if_all_readers_take_these(void **state)
{
    play *p = play_begin(&threaded, "ptz:0", NULL);
    struct taker a;
    struct taker b;

    (void)state;
    open_taker(&a, p->device, &fours);
    make_it_speak(p); /* the reader of the play wants payloads */
    turn_until(p, &a.payloads, 1);
    tpi_device_close(&p->r.reader);
    make_it_speak(p);
    open_taker(&b, p->device, NULL); /* later than the data */
    turn_until(p, &a.bytes, 1);
    assert_took(&b, 0, 0);
    make_it_speak(p);
    turn_until(p, &b.payloads, 1);
    assert_took(&a, 2, 1);
    tpi_device_close(&b.reader);
    make_it_speak(p);
    turn_until(p, &a.bytes, 2);
    assert_took(&a, 2, 2);
    tpi_device_close(&a.reader);
    play_destroy(p);
}

/* ---- How much is on its way ------------------------------------------------------------------ */

static atomic_int accepted;
static atomic_bool done;

/* As much as is taken, from the driver's own thread. */
static tp_status flood(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    const tp_ptz_data data = {.pan = ask->pan};
    int count = 0;

    (void)err;
    while (tp_publish(device, TP_PTZ_DATA_STATE, &data, 0) == TP_OK) {
        count++;
    }
    atomic_store(&accepted, count);
    atomic_store(&done, true);
    return TP_OK;
}

static const tp_ptz_ops flooding_device = {.cmd_state = flood};

static tp_status flooding_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_ptz, NULL, &flooding_device, NULL, NULL, err);
}

static const tp_driver_ops flooding_ops = {.init = flooding_init};
static const tp_driver flooding = {
    .abi = TP_DRIVER_ABI, .name = "flooding", .summary = "publishes", .ops = &flooding_ops};

/* How many messages the loop is given at once, if it is busy with something else meanwhile. */
static int given_at_once(play *p)
{
    const tp_ptz_cmd ask = {0};
    const tp_message *what = tp_interface_message(&tp_interface_ptz, TP_KIND_COMMAND, 1);
    const tp_msghdr header = {.type = TP_MSGTYPE_CMD, .subtype = 1};
    tp_msg *msg = NULL;

    atomic_store(&done, false);
    assert_int_equal(tp_msg_create(&msg, &header, what->ask, &ask), TP_OK);
    assert_int_equal(tpi_device_call(p->device, what, msg, NULL, NULL, NULL), TP_OK);
    tp_msg_unref(msg);
    while (!atomic_load(&done)) {
    }
    const int count = atomic_load(&accepted);
    p->r.counts[TP_PTZ_DATA_STATE] = 0;
    while (p->r.counts[TP_PTZ_DATA_STATE] < (uint32_t)count) {
        tp_loop_turn(p->b.loop, true);
    }
    return count;
}

static void the_more_readers_the_less_is_on_its_way(void **state)
{
    enum { MANY = 500 };
    struct listener *many = calloc(MANY, sizeof *many);
    play *p = play_begin(&flooding, "ptz:0", NULL);

    (void)state;
    assert_non_null(many);
    assert_int_equal(given_at_once(p), 256); /* 16384 by 64 */
    for (int i = 0; i < MANY; i++) {
        many[i] = (struct listener){.reader = {.deliver = hear, .context = &many[i]}};
        open_listener(&many[i], p->device);
    }
    assert_int_equal(given_at_once(p), 131); /* 16384 by 64 + 501 / 8 */
    assert_int_equal(many[0].heard, 131);
    for (int i = 0; i < MANY; i++) {
        tpi_device_close(&many[i].reader);
    }
    play_destroy(p);
    free(many);
}

static void ignore(tp_after *after)
{
    (void)after;
}

/* Sessions send what they were given in portions; here others do, which come first. */
static void what_is_not_sent_yet_is_on_its_way(void **state)
{
    enum { MANY = 400 };
    tp_after senders[MANY] = {0};
    play *p = play_begin(&flooding, "ptz:0", NULL);

    (void)state;
    for (int i = 0; i < MANY; i++) {
        senders[i].run = ignore;
        tp_loop_later(p->b.loop, &senders[i]);
    }
    assert_int_equal(given_at_once(p), 256);
    assert_int_equal(given_at_once(p), 256); /* while the others are sent */
    assert_true(senders[MANY - 1].queued);
    assert_int_equal(given_at_once(p), 0);
    while (senders[MANY - 1].queued) {
        tp_loop_turn(p->b.loop, false);
    }
    tp_loop_turn(p->b.loop, false);
    assert_int_equal(given_at_once(p), 256);
    play_destroy(p);
}

/* ---- Drivers that wait for room -------------------------------------------------------------- */

enum { AHEAD = 8, FEW = 2 };

static atomic_bool refused;
static atomic_bool waits;

/* Publishes as long as it may. */
static tp_status tireless_poll(tp_instance *self, tp_error *err)
{
    tp_device *device = ((struct speaker *)tp_instance_state(self))->device;
    const tp_ptz_data data = {0};
    tp_status status = TP_OK;

    (void)err;
    while (status == TP_OK && tp_device_readers(device) > 0 && tp_device_behind(device) == 0 &&
           tp_instance_on_its_way(self) < AHEAD) {
        status = tp_publish(device, TP_PTZ_DATA_STATE, &data, 0);
    }
    tp_instance_await_room(self, FEW);
    atomic_store(&refused, status != TP_OK);
    atomic_store(&waits, tp_device_behind(device) > 0);
    return TP_OK;
}

static tp_status tireless_init(tp_instance *self, tp_error *err)
{
    struct speaker *s = tp_instance_state(self);
    const tp_status status =
        tp_offer(self, &tp_interface_ptz, NULL, &speaker_device, NULL, &s->device, err);

    if (status == TP_OK) {
        tp_device_keeps(s->device);
        tp_instance_set_period(self, 3600 * TP_NS_PER_S); /* so only room brings the next poll */
    }
    return status;
}

static const tp_driver_ops tireless_ops = {.init = tireless_init, .poll = tireless_poll};
static const tp_driver tireless = {.abi = TP_DRIVER_ABI,
                                   .name = "tireless",
                                   .summary = "publishes",
                                   .state_size = sizeof(struct speaker),
                                   .ops = &tireless_ops};

static void turn_until_heard(play *p, uint32_t count)
{
    p->r.counts[TP_PTZ_DATA_STATE] = 0;
    while (p->r.counts[TP_PTZ_DATA_STATE] < count) {
        tp_loop_turn(p->b.loop, true);
    }
}

static void turn_until_set(play *p, atomic_bool *flag)
{
    while (!atomic_load(flag)) {
        tp_loop_turn(p->b.loop, false);
    }
}

static void a_driver_that_waits_for_room_is_polled_when_it_comes(void **state)
{
    play *p = play_begin(&tireless, "ptz:0", NULL);

    (void)state;
    turn_until_heard(p, 100 * AHEAD);
    play_destroy(p);
}

static void a_driver_waits_for_a_reader_that_has_room(void **state)
{
    play *p = play_begin(&tireless, "ptz:0", NULL);

    (void)state;
    tpi_reader_pause(&p->r.reader, true);
    turn_until_set(p, &refused);
    tpi_reader_pause(&p->r.reader, false);
    turn_until_heard(p, 10 * AHEAD);
    play_destroy(p);
}

static void a_driver_waits_for_participants_that_are_behind(void **state)
{
    play *p = play_begin(&tireless, "ptz:0", NULL);

    (void)state;
    tpi_device_count_behind(p->device, true);
    turn_until_set(p, &waits);
    tpi_device_count_behind(p->device, false);
    turn_until_heard(p, 10 * AHEAD);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_may_close_the_next_one),
        cmocka_unit_test(a_reader_may_close_itself),
        cmocka_unit_test(a_reader_may_close_the_next_and_the_one_after_that),
        cmocka_unit_test(a_reader_may_open_another_one),
        cmocka_unit_test(data_is_made_as_bytes_if_all_readers_take_these),
        cmocka_unit_test(the_more_readers_the_less_is_on_its_way),
        cmocka_unit_test(what_is_not_sent_yet_is_on_its_way),
        cmocka_unit_test(a_driver_that_waits_for_room_is_polled_when_it_comes),
        cmocka_unit_test(a_driver_waits_for_a_reader_that_has_room),
        cmocka_unit_test(a_driver_waits_for_participants_that_are_behind),
    };

    return cmocka_run_group_tests_name("src/device/reader", tests, NULL, NULL);
}
