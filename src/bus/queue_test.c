/* queue_test.c - what a queue does with messages, full and not. */
#include "bus/queue.h"

#include <stdio.h>
#include <string.h>

#include "bus/msg.h"
#include "bus/pool.h"
#include "support/encodings.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/opaque.h"

static tp_msg *make(unsigned interf, unsigned type, unsigned subtype, uint32_t seq)
{
    const tp_msghdr header = {.addr = {.robot = 6665, .interf = (uint16_t)interf},
                              .type = (uint8_t)type,
                              .subtype = (uint8_t)subtype,
                              .seq = seq};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, NULL, NULL), TP_OK);
    return msg;
}

static tp_status push(tpi_queue *queue, unsigned interf, unsigned type, unsigned subtype,
                      uint32_t seq)
{
    tp_msg *msg = make(interf, type, subtype, seq);
    tp_status status = tpi_queue_push(queue, msg);

    tp_msg_unref(msg);
    return status;
}

/* The numbers of the queued messages, oldest first: "1 2 3". */
static void holds(const tpi_queue *queue, const char *wanted)
{
    char text[256] = "";

    for (uint32_t i = 0; i < queue->count; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i > 0 ? " " : "",
                 tp_msg_header(tpi_queue_at(queue, i))->seq);
    }
    assert_string_equal(text, wanted);
}

enum { DATA = TP_MSGTYPE_DATA, REQ = TP_MSGTYPE_REQ, ACK = TP_MSGTYPE_RESP_ACK };

static void messages_come_out_in_order(void **state)
{
    (void)state;
    tpi_queue queue;

    tpi_queue_init(&queue, 100, 200, TPI_APPEND);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(push(&queue, 4, DATA, 1, i), TP_OK);
        if (i % 3 == 0) {
            tp_msg_unref(tpi_queue_pop(&queue));
        }
    }
    for (uint32_t wanted = 17; wanted < 50; wanted++) {
        tp_msg *msg = tpi_queue_pop(&queue);
        assert_int_equal(tp_msg_header(msg)->seq, wanted);
        tp_msg_unref(msg);
    }
    assert_null(tpi_queue_pop(&queue));
    tpi_queue_fini(&queue);
}

static void queues_share_a_message_until_the_last_one_lets_go(void **state)
{
    (void)state;
    enum { QUEUES = 3 };
    tpi_queue queues[QUEUES];
    tp_msg *msg = make(4, DATA, 1, 7);

    for (int i = 0; i < QUEUES; i++) {
        tpi_queue_init(&queues[i], 100, 200, TPI_APPEND);
        assert_int_equal(tpi_queue_push(&queues[i], msg), TP_OK);
        assert_int_equal(tpi_queue_push(&queues[i], msg), TP_OK);
    }
    tp_msg_unref(msg);
    tp_msg *taken = tpi_queue_pop(&queues[0]); /* others have it */
    tpi_queue_discard(&queues[1], 2);
    tpi_queue_fini(&queues[0]);
    tpi_queue_discard(&queues[2], 1);
    tp_msg *last = tpi_queue_pop(&queues[2]); /* none has it any more */
    assert_ptr_equal(taken, msg);
    assert_ptr_equal(last, msg);
    tp_msg_unref(taken);
    assert_int_equal(tp_msg_header(last)->seq, 7);
    assert_int_equal(tpi_queue_push(&queues[2], last), TP_OK); /* and again */
    tp_msg_unref(last);
    holds(&queues[2], "7");
    tpi_queue_fini(&queues[2]);
    tpi_queue_fini(&queues[1]);
}

static void discarding_removes_the_oldest_and_their_weight(void **state)
{
    (void)state;
    tpi_queue queue;

    tpi_queue_init(&queue, 100, 200, TPI_APPEND);
    for (uint32_t i = 1; i <= 40; i++) {
        assert_int_equal(push(&queue, 4, DATA, 1, i), TP_OK);
    }
    const size_t each = queue.bytes / 40;
    tpi_queue_seal(&queue, 37);
    tpi_queue_discard(&queue, 35);
    assert_int_equal(queue.sealed, 2);
    tpi_queue_discard(&queue, 3);
    assert_int_equal(queue.sealed, 0);
    assert_int_equal(queue.bytes, 2 * each);
    for (uint32_t i = 41; i <= 43; i++) { /* beyond the end of the ring */
        assert_int_equal(push(&queue, 4, DATA, 1, i), TP_OK);
    }
    holds(&queue, "39 40 41 42 43");
    tpi_queue_discard(&queue, 5);
    tpi_queue_discard(&queue, 0);
    assert_int_equal(queue.bytes, 0);
    assert_null(tpi_queue_pop(&queue));
    tpi_queue_fini(&queue);
}

static void data_beyond_the_limit_is_dropped_and_counted(void **state)
{
    (void)state;
    tpi_queue queue;

    tpi_queue_init(&queue, 2, 4, TPI_APPEND);
    for (uint32_t i = 1; i <= 5; i++) {
        assert_int_equal(push(&queue, 4, DATA, 1, i), i <= 2 ? TP_OK : TP_E_SPACE);
    }
    holds(&queue, "1 2");
    assert_int_equal(queue.dropped, 3);
    assert_int_equal(push(&queue, 4, ACK, 1, 6), TP_OK);
    assert_int_equal(push(&queue, 4, ACK, 1, 7), TP_OK);
    assert_int_equal(push(&queue, 4, ACK, 1, 8), TP_E_LIMIT);
    holds(&queue, "1 2 6 7");
    tpi_queue_fini(&queue);
}

static tp_status push_long(tpi_queue *queue, unsigned type, uint32_t seq, uint32_t length)
{
    static uint8_t bytes[4096];
    const tp_opaque_data value = {.data_count = length, .data = bytes};
    const tp_msghdr header = {.addr = {.interf = 51}, .type = (uint8_t)type, .seq = seq};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, &tp_desc_opaque_data, &value), TP_OK);
    tp_status status = tpi_queue_push(queue, msg);
    tp_msg_unref(msg);
    return status;
}

static void bytes_are_limited_as_messages_are(void **state)
{
    (void)state;
    tpi_queue queue;
    const tpi_rule replace = {-1, -1, DATA, -1, TPI_REPLACE};

    tpi_queue_init(&queue, 100, 100, TPI_APPEND);
    assert_int_equal(queue.most_bytes, 16 << 20);
    queue.most_bytes = 4096;
    push_long(&queue, DATA, 1, 2000);
    push_long(&queue, DATA, 2, 4000); /* the last one may be long */
    push_long(&queue, DATA, 3, 1);
    holds(&queue, "1 2");
    assert_int_equal(queue.dropped, 1);
    assert_int_equal(push_long(&queue, ACK, 4, 4096),
                     TP_OK); /* replies have a limit of their own */
    assert_int_equal(push_long(&queue, ACK, 5, 1), TP_E_LIMIT);
    holds(&queue, "1 2 4");
    assert_int_equal(tpi_queue_add_rule(&queue, &replace), TP_OK);
    push_long(&queue, DATA, 6, 1);
    push_long(&queue, DATA, 7, 1000); /* there is room again */
    holds(&queue, "1 4 7");
    while (queue.count > 0) {
        tp_msg_unref(tpi_queue_pop(&queue));
    }
    assert_int_equal(queue.bytes, 0);
    assert_int_equal(queue.kept_bytes, 0);
    push_long(&queue, DATA, 8, 4096);
    push_long(&queue, ACK, 9, 1);
    tpi_queue_drop_data(&queue, &(tp_devaddr){.interf = 51});
    holds(&queue, "9");
    assert_int_equal(queue.bytes, 0);
    tpi_queue_fini(&queue);
}

/* However it leaves them: taken, discarded, dropped, with its queue. */
static void queues_of_a_group_count_a_message_once(void **state)
{
    tpi_queue_group group = {0};
    tpi_queue queues[3];
    tp_msg *msg = make(4, DATA, 1, 1);
    const size_t weight = msg->weight;

    (void)state;
    for (int i = 0; i < 3; i++) {
        tpi_queue_init(&queues[i], 100, 100, TPI_APPEND);
        assert_int_equal(tpi_queue_push(&queues[i], msg), TP_OK);
        tpi_queue_join(&queues[i], &group);
        assert_int_equal(tpi_queue_push(&queues[i], msg), TP_OK);
    }
    assert_int_equal(group.bytes, weight);
    assert_int_equal(push(&queues[2], 4, DATA, 1, 2), TP_OK);
    assert_int_equal(group.bytes, 2 * weight);
    tpi_queue_drop_data(&queues[2], &(tp_devaddr){.robot = 6665, .interf = 4});
    assert_int_equal(group.bytes, weight);
    tpi_queue_discard(&queues[1], 1);
    tpi_queue_join(&queues[1], NULL);
    tp_msg_unref(tpi_queue_pop(&queues[0]));
    assert_int_equal(group.bytes, weight);
    tpi_queue_fini(&queues[0]);
    assert_int_equal(group.bytes, 0);
    tpi_queue_fini(&queues[1]);
    tpi_queue_fini(&queues[2]);
    tp_msg_unref(msg);
}

/* A part of the oldest may be sent; replies stay. */
static void a_queue_is_thinned_from_its_older_end(void **state)
{
    tpi_queue queue;

    (void)state;
    tpi_queue_init(&queue, 100, 100, TPI_APPEND);
    for (uint32_t i = 1; i <= 8; i++) {
        assert_int_equal(push(&queue, 4, i == 3 ? ACK : DATA, 1, i), TP_OK);
    }
    tpi_queue_seal(&queue, 4);
    assert_true(tpi_queue_thin(&queue));
    holds(&queue, "1 3 6 7 8");
    assert_int_equal(queue.sealed, 2);
    assert_int_equal(queue.dropped, 3);
    while (tpi_queue_thin(&queue)) {
    }
    holds(&queue, "1 3");
    assert_false(tpi_queue_thin(&(tpi_queue){0}));
    tpi_queue_fini(&queue);
}

static void a_reply_that_is_made_of_bytes_has_their_weight(void **state)
{
    (void)state;
    static uint8_t bytes[4096];
    const tp_opaque_data value = {.data_count = sizeof bytes, .data = bytes};
    const tp_msghdr header = {.type = ACK, .seq = 1};
    tpi_queue queue;
    tp_msg *msg = NULL;

    tpi_queue_init(&queue, 100, 100, TPI_APPEND);
    queue.most_bytes = 4096;
    assert_int_equal(
        tp_msg_create_encoded(&msg, &counted_player, &header, &tp_desc_opaque_data, &value), TP_OK);
    assert_int_equal(tpi_queue_push_first(&queue, msg), TP_OK);
    assert_int_equal(tpi_queue_push(&queue, msg), TP_E_LIMIT);
    assert_int_equal(tpi_queue_push_first(&queue, msg), TP_E_LIMIT);
    tp_msg_unref(msg);
    tpi_queue_fini(&queue);
}

static void a_rule_replaces_the_newest_of_its_kind(void **state)
{
    (void)state;
    tpi_queue queue;
    const tpi_rule replace = {-1, -1, DATA, -1, TPI_REPLACE};

    tpi_queue_init(&queue, 10, 10, TPI_APPEND);
    push(&queue, 4, DATA, 1, 1);
    push(&queue, 4, DATA, 1, 2);
    push(&queue, 6, DATA, 1, 3);
    assert_int_equal(tpi_queue_add_rule(&queue, &replace), TP_OK);
    push(&queue, 4, DATA, 1, 4);
    holds(&queue, "1 3 4");
    push(&queue, 4, DATA, 2, 5);
    holds(&queue, "1 3 4 5");
    tpi_queue_fini(&queue);
}

static void the_first_matching_rule_wins_and_the_same_criteria_change_it(void **state)
{
    (void)state;
    tpi_queue queue;
    const tpi_rule ignore_laser = {6, -1, -1, -1, TPI_IGNORE};
    const tpi_rule replace_all = {-1, -1, -1, -1, TPI_REPLACE};
    const tpi_rule accept_laser = {6, -1, -1, -1, TPI_APPEND};

    tpi_queue_init(&queue, 10, 10, TPI_APPEND);
    tpi_queue_add_rule(&queue, &ignore_laser);
    tpi_queue_add_rule(&queue, &replace_all);
    push(&queue, 6, DATA, 1, 1);
    push(&queue, 4, DATA, 1, 2);
    push(&queue, 4, DATA, 1, 3);
    holds(&queue, "3");
    tpi_queue_add_rule(&queue, &accept_laser);
    assert_int_equal(queue.rule_count, 2);
    push(&queue, 6, DATA, 1, 4);
    push(&queue, 6, DATA, 1, 5);
    holds(&queue, "3 4 5");
    tpi_queue_fini(&queue);
}

/* What a queue with one rule holds of one message. */
static void hold_one_by(const tpi_rule *rule, const char *wanted)
{
    tpi_queue queue;

    tpi_queue_init(&queue, 10, 10, TPI_APPEND);
    assert_int_equal(tpi_queue_add_rule(&queue, rule), TP_OK);
    push(&queue, 4, DATA, 1, 1);
    holds(&queue, wanted);
    tpi_queue_fini(&queue);
}

static void every_criterion_of_a_rule_counts(void **state)
{
    static const tpi_rule ignoring[] = {{4, -1, -1, -1, TPI_IGNORE},
                                        {-1, 0, -1, -1, TPI_IGNORE},
                                        {-1, -1, DATA, -1, TPI_IGNORE},
                                        {-1, -1, -1, 1, TPI_IGNORE},
                                        {4, 0, DATA, 1, TPI_IGNORE}};
    static const tpi_rule others[] = {{5, 0, DATA, 1, TPI_IGNORE}, {4, 1, DATA, 1, TPI_IGNORE},
                                      {4, 0, REQ, 1, TPI_IGNORE},  {4, 0, DATA, 2, TPI_IGNORE},
                                      {4, 0, DATA, 1, 99}, /* there is no such action */
                                      {4, 0, DATA, 1, -1}};

    (void)state;
    for (size_t i = 0; i < sizeof ignoring / sizeof ignoring[0]; i++) {
        hold_one_by(&ignoring[i], "");
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        hold_one_by(&others[i], "1");
    }
}

/* A client adds them one by one. */
static void the_number_of_rules_is_limited(void **state)
{
    tpi_rule rule = {0, -1, -1, -1, TPI_IGNORE};
    tpi_queue queue;

    (void)state;
    tpi_queue_init(&queue, 10, 10, TPI_APPEND);
    while (tpi_queue_add_rule(&queue, &rule) == TP_OK) {
        assert_true(rule.interf < 100000);
        rule.interf++;
    }
    assert_int_equal(tpi_queue_add_rule(&queue, &rule), TP_E_LIMIT);
    rule.interf = 0;
    assert_int_equal(tpi_queue_add_rule(&queue, &rule), TP_OK); /* one that is there */
    tpi_queue_fini(&queue);
}

static void without_memory_nothing_is_lost(void **state)
{
    const tpi_rule rule = {6, -1, -1, -1, TPI_IGNORE};
    tpi_queue queue;
    tp_msg *msg = make(4, ACK, 1, 1);

    (void)state;
    tpi_queue_init(&queue, 100, 100, TPI_APPEND);
    assert_null(tpi_queue_pop(&queue));
    assert_null(tpi_queue_at(&queue, 0));
    memory_fail_at(1);
    assert_int_equal(tpi_queue_add_rule(&queue, &rule), TP_E_NOMEM);
    memory_fail_at(1);
    assert_int_equal(tpi_queue_push(&queue, msg), TP_E_NOMEM);
    memory_fail_at(1);
    assert_int_equal(tpi_queue_push_first(&queue, msg), TP_E_NOMEM);
    memory_fail_at(0);
    holds(&queue, "");
    assert_int_equal(tpi_queue_push_first(&queue, msg), TP_OK);
    holds(&queue, "1");
    tp_msg_unref(msg);
    tpi_queue_fini(&queue);
}

static void what_is_sealed_is_neither_replaced_nor_dropped(void **state)
{
    (void)state;
    tpi_queue queue;
    const tpi_rule replace = {-1, -1, -1, -1, TPI_REPLACE};
    const tp_devaddr four = {.robot = 6665, .interf = 4};

    tpi_queue_init(&queue, 10, 10, TPI_APPEND);
    tpi_queue_add_rule(&queue, &replace);
    push(&queue, 4, DATA, 1, 1);
    tpi_queue_seal(&queue, 1);
    push(&queue, 4, DATA, 1, 2);
    push(&queue, 6, DATA, 1, 3);
    holds(&queue, "1 2 3");
    tpi_queue_drop_data(&queue, &four);
    holds(&queue, "1 3");
    tp_msg *first = make(1, ACK, 4, 9);
    assert_int_equal(tpi_queue_push_first(&queue, first), TP_OK);
    tp_msg_unref(first);
    holds(&queue, "1 9 3");
    tp_msg_unref(tpi_queue_pop(&queue));
    assert_int_equal(queue.sealed, 0);
    tpi_queue_fini(&queue);
}

static void the_newest_of_each_kind_is_kept_and_the_others_count_as_dropped(void **state)
{
    (void)state;
    tpi_queue queue;

    tpi_queue_init(&queue, 10, 10, TPI_APPEND);
    push(&queue, 4, DATA, 1, 1);
    tpi_queue_seal(&queue, 1);
    push(&queue, 4, DATA, 1, 2);
    push(&queue, 4, ACK, 1, 3);
    push(&queue, 4, DATA, 2, 4);
    push(&queue, 4, ACK, 1, 5);
    push(&queue, 6, DATA, 1, 6);
    push(&queue, 4, DATA, 1, 7);
    tpi_queue_keep_newest(&queue, true);
    holds(&queue, "1 3 4 5 6 7");
    assert_int_equal(queue.dropped, 1);
    for (uint32_t i = 8; i < 100; i++) {
        assert_int_equal(push(&queue, 6, DATA, 1, i), TP_OK);
    }
    holds(&queue, "1 3 4 5 7 99");
    assert_int_equal(queue.dropped, 1 + 92);
    tpi_queue_keep_newest(&queue, false);
    push(&queue, 6, DATA, 1, 100);
    holds(&queue, "1 3 4 5 7 99 100");
    tpi_queue_fini(&queue);
}

static void dropping_data_leaves_replies_and_other_devices(void **state)
{
    (void)state;
    tpi_queue queue;
    const tp_devaddr four = {.robot = 6665, .interf = 4};

    tpi_queue_init(&queue, 10, 10, TPI_APPEND);
    push(&queue, 4, DATA, 1, 1);
    push(&queue, 4, ACK, 1, 2);
    push(&queue, 6, DATA, 1, 3);
    push(&queue, 4, DATA, 2, 4);
    tpi_queue_drop_data(&queue, &four);
    holds(&queue, "2 3");
    tpi_queue_fini(&queue);
}

/* Once the ring has grown, passing messages through costs no memory. */
static void steady_state_allocates_nothing(void **state)
{
    (void)state;
    tpi_queue queue;

    tpi_queue_init(&queue, 100, 100, TPI_APPEND);
    for (int round = 0; round < 2; round++) {
        const size_t before = memory_allocations();
        for (uint32_t i = 0; i < 1000; i++) {
            push(&queue, 4, DATA, 1, i);
            tp_msg_unref(tpi_queue_pop(&queue));
        }
        if (round == 1) {
            assert_int_equal(memory_allocations(), before);
        }
    }
    tpi_queue_fini(&queue);
}

static int leave_pool(void **state)
{
    (void)state;
    tpi_pool_leave();
    return memory_live() == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_out_in_order),
        cmocka_unit_test(queues_share_a_message_until_the_last_one_lets_go),
        cmocka_unit_test(discarding_removes_the_oldest_and_their_weight),
        cmocka_unit_test(data_beyond_the_limit_is_dropped_and_counted),
        cmocka_unit_test(bytes_are_limited_as_messages_are),
        cmocka_unit_test(queues_of_a_group_count_a_message_once),
        cmocka_unit_test(a_queue_is_thinned_from_its_older_end),
        cmocka_unit_test(a_reply_that_is_made_of_bytes_has_their_weight),
        cmocka_unit_test(a_rule_replaces_the_newest_of_its_kind),
        cmocka_unit_test(the_first_matching_rule_wins_and_the_same_criteria_change_it),
        cmocka_unit_test(every_criterion_of_a_rule_counts),
        cmocka_unit_test(the_number_of_rules_is_limited),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(what_is_sealed_is_neither_replaced_nor_dropped),
        cmocka_unit_test(the_newest_of_each_kind_is_kept_and_the_others_count_as_dropped),
        cmocka_unit_test(dropping_data_leaves_replies_and_other_devices),
        cmocka_unit_test(steady_state_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, leave_pool);
}
