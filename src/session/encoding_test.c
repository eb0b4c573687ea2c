/* encoding_test.c - many clients of a device: every message is encoded once in each form. */
#include <string.h>

#include "conformance/idle.h"
#include "session/session.h"
#include "support/encodings.h"
#include "support/memory.h"
#include "troupe/interfaces/ptz.h"

enum { READERS = 500, MESSAGES = 40, MANY = 20 };

/* READERS sessions that send JSON, and as many that send what Player does. */
struct crowd {
    play *p;
    tp_device *device;
    tp_session *json[READERS];
    tp_session *player[READERS];
    int opened;
};

static struct crowd crowd;

static void ignore(void *context)
{
    (void)context;
}

static void count_opened(void *context, const tp_msghdr *request, tp_device *device,
                         tp_status status, const tp_error *err)
{
    (void)context;
    (void)request;
    (void)device;
    (void)err;
    assert_int_equal(status, TP_OK);
    crowd.opened++;
}

static tp_session *add_reader(const tp_encoding *encoding)
{
    static const tp_session_limits limits = {.data = MESSAGES, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    tp_session *session = NULL;

    assert_int_equal(tp_session_create(&session, crowd.p->b.hub, BENCH_ROBOT, &limits, &events,
                                       NULL, &crowd.p->b.err),
                     TP_OK);
    tp_session_only_sends(session, encoding);
    assert_int_equal(
        tp_session_open(session, crowd.device, TP_OPEN_MODE, &(tp_msghdr){0}, count_opened), TP_OK);
    return session;
}

static int begin(void **state)
{
    (void)state;
    crowd = (struct crowd){.p = play_create()};
    play_add(crowd.p, &idle_driver, "ptz:0", NULL, NULL);
    crowd.device = bench_find(&crowd.p->b, "ptz:0");
    for (int i = 0; i < READERS; i++) {
        crowd.json[i] = add_reader(&counted_json);
        crowd.player[i] = add_reader(&counted_player);
    }
    while (crowd.opened < 2 * READERS) {
        tp_loop_turn(crowd.p->b.loop, false);
    }
    encodings_reset();
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < READERS; i++) {
        tp_session_destroy(crowd.json[i]);
        tp_session_destroy(crowd.player[i]);
    }
    play_destroy(crowd.p);
    return 0;
}

static void publish(int times)
{
    for (int i = 0; i < times; i++) {
        const tp_ptz_data data = {.pan = (float)i};
        assert_int_equal(tp_publish(crowd.device, TP_PTZ_DATA_STATE, &data, 0), TP_OK);
    }
}

/* All sessions of one kind send the i-th message from the same bytes. */
static void assert_shared(tp_session *const *sessions, const tp_encoding *encoding, uint32_t i)
{
    const void *first = NULL;

    for (int k = 0; k < READERS; k++) {
        const void *bytes = NULL;
        size_t length;
        assert_int_equal(tp_msg_encode(tp_session_peek(sessions[k], i), encoding, &bytes, &length),
                         TP_OK);
        first = first == NULL ? bytes : first;
        assert_ptr_equal(bytes, first);
    }
}

static void assert_pan(tp_session *session, uint32_t i, const char *wanted)
{
    const void *bytes = NULL;
    size_t length;
    char line[512];

    assert_int_equal(tp_msg_encode(tp_session_peek(session, i), &counted_json, &bytes, &length),
                     TP_OK);
    assert_true(length < sizeof line);
    memcpy(line, bytes, length);
    line[length] = '\0';
    assert_non_null(strstr(line, wanted));
    assert_int_equal(line[length - 1], '\n');
}

static void few_messages_are_encoded_once_for_all_readers(void **state)
{
    (void)state;
    publish(3);
    assert_int_equal(encodings_count().json, 0); /* nobody has needed the bytes yet */
    for (uint32_t i = 0; i < 3; i++) {
        assert_shared(crowd.json, &counted_json, i);
        assert_int_equal(encodings_count().json, i + 1);
        assert_int_equal(encodings_count().player, i);
        assert_shared(crowd.player, &counted_player, i);
        assert_int_equal(encodings_count().player, i + 1);
    }
    assert_pan(crowd.json[7], 2, "\"pan\":2,");
}

/* Behind the first few only bytes wait: each session has those of its own encoding. */
static void of_many_messages_each_session_keeps_its_own_bytes(void **state)
{
    (void)state;
    publish(MESSAGES);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        assert_shared(crowd.json, &counted_json, i);
        assert_shared(crowd.player, &counted_player, i);
    }
    assert_int_equal(encodings_count().json, MESSAGES);
    assert_int_equal(encodings_count().player, MESSAGES);
    assert_null(tp_msg_payload(tp_session_peek(crowd.json[0], MANY)));
    assert_null(tp_msg_payload(tp_session_peek(crowd.player[0], MANY)));
    assert_ptr_not_equal(tp_session_peek(crowd.json[0], MANY),
                         tp_session_peek(crowd.player[0], MANY));
    assert_pan(crowd.json[READERS - 1], MANY, "\"pan\":20,");
}

/* What a queue counts for its limit is what the messages in it take. */
static void the_bytes_in_a_queue_are_those_of_its_encoding(void **state)
{
    (void)state;
    publish(MESSAGES);
    for (int which = 0; which < 2; which++) {
        tp_session *session = which == 0 ? crowd.json[0] : crowd.player[0];
        size_t bytes = 0;
        for (uint32_t i = 0; i < MESSAGES; i++) {
            bytes += tp_session_peek(session, i)->weight;
        }
        assert_int_equal(session->queue.bytes, bytes);
        while (tp_session_waiting(session) > 0) {
            tp_msg_unref(tp_session_take(session));
        }
        assert_int_equal(session->queue.bytes, 0);
    }
}

/* A message that waits for its time is sent later, from the bytes that all others have. */
static void a_slower_reader_shares_the_bytes(void **state)
{
    (void)state;
    assert_int_equal(tp_session_set_rate(crowd.json[0], crowd.device, 1), TP_OK);
    publish(2);
    assert_int_equal(tp_session_waiting(crowd.json[0]), 1);
    const void *bytes = NULL;
    const void *later = NULL;
    size_t length;
    assert_int_equal(
        tp_msg_encode(tp_session_peek(crowd.json[1], 1), &counted_json, &bytes, &length), TP_OK);
    bench_move_clock(&crowd.p->b, 1.5);
    while (tp_session_waiting(crowd.json[0]) < 2) {
        tp_loop_turn(crowd.p->b.loop, false);
    }
    assert_int_equal(
        tp_msg_encode(tp_session_peek(crowd.json[0], 1), &counted_json, &later, &length), TP_OK);
    assert_ptr_equal(later, bytes);
    assert_int_equal(encodings_count().json, 1);
}

/* Take and encode all that waits. */
static void send_all(tp_session *session, const tp_encoding *encoding)
{
    while (tp_session_waiting(session) > 0) {
        const void *bytes;
        size_t length;
        tp_msg *msg = tp_session_take(session);
        assert_int_equal(tp_msg_encode(msg, encoding, &bytes, &length), TP_OK);
        tp_msg_unref(msg);
    }
}

static void two_encodings_allocate_nothing_in_steady_state(void **state)
{
    const tp_encoding second = counted_player; /* another table is another encoding */
    size_t before = 0;

    (void)state;
    for (int i = 0; i < READERS; i++) {
        tp_session_only_sends(crowd.json[i], &second); /* text is not made without allocations */
    }
    for (int round = 0; round < 3; round++) {
        before = memory_allocations();
        publish(MESSAGES);
        for (int i = 0; i < READERS; i++) {
            send_all(crowd.json[i], &second);
            send_all(crowd.player[i], &counted_player);
        }
    }
    assert_int_equal(memory_allocations(), before);
    assert_int_equal(encodings_count().player, 2 * 3 * MESSAGES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(few_messages_are_encoded_once_for_all_readers, begin, end),
        cmocka_unit_test_setup_teardown(of_many_messages_each_session_keeps_its_own_bytes, begin,
                                        end),
        cmocka_unit_test_setup_teardown(the_bytes_in_a_queue_are_those_of_its_encoding, begin, end),
        cmocka_unit_test_setup_teardown(a_slower_reader_shares_the_bytes, begin, end),
        cmocka_unit_test_setup_teardown(two_encodings_allocate_nothing_in_steady_state, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
