/* counter_test.c - counters as a program reads them, and properties that it tests and sets. */
#include "support/client_bench.h"

/* A server with one counter and one property. */
static struct {
    int64_t run;
    double total;
    double property;
    bool refuses;
    unsigned asked;
} robot;

static void refuse(fake_server *server, const tp_msghdr *header)
{
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, NULL, NULL);
}

static void answer_counter(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    void *value = NULL;

    assert_int_equal(tp_xdr_decode_new(&value, &tp_desc_counter_reading, body, header->size),
                     TP_OK);
    tp_counter_reading reading = *(const tp_counter_reading *)value;
    reading.amount = robot.total - (reading.run == robot.run ? reading.total : 0);
    reading.run = robot.run;
    reading.total = robot.total;
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_counter_reading, &reading);
    free(value);
}

static void answer_test(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    void *value = NULL;

    assert_int_equal(tp_xdr_decode_new(&value, &tp_desc_test_and_set, body, header->size), TP_OK);
    tp_test_and_set answer = *(const tp_test_and_set *)value;
    answer.value = robot.property;
    if (robot.property == answer.expected) {
        robot.property = ((const tp_test_and_set *)value)->value;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_test_and_set, &answer);
    free(value);
}

static bool answer_robot(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    const bool counter = header->subtype == TP_COMMON_REQ_READ_AND_CLEAR;
    const bool test = header->subtype == TP_COMMON_REQ_TEST_AND_SET;

    if (header->type != TP_MSGTYPE_REQ || (!counter && !test)) {
        return false;
    }
    robot.asked++;
    if (robot.refuses) {
        refuse(server, header);
    } else if (counter) {
        answer_counter(server, header, body);
    } else {
        answer_test(server, header, body);
    }
    return true;
}

static tp_proxy *begin(struct bench *b)
{
    memset(&robot, 0, sizeof robot);
    robot.run = 77;
    b->server.handle = answer_robot;
    connect_client(b);
    return open_device(b, "position2d:0");
}

static double read_counter(struct bench *b, tp_proxy *proxy, const char *key)
{
    double amount = -1;
    const tp_status status = tp_proxy_read_and_clear(proxy, key, &amount, &b->err);

    assert_string_equal(status == TP_OK ? "" : b->err.text, "");
    return amount;
}

static void each_proxy_and_counter_has_its_cursor(void **state)
{
    struct bench *b = *state;
    tp_proxy *first = begin(b);
    tp_proxy *second = open_device(b, "position2d:1");

    robot.total = 3;
    assert_true(read_counter(b, first, "driven") == 3);
    robot.total = 5;
    assert_true(read_counter(b, first, "driven") == 2);
    assert_true(read_counter(b, second, "driven") == 5);
    assert_true(read_counter(b, first, "turned") == 5);
    assert_true(read_counter(b, first, "driven") == 0);
}

static void a_failed_read_takes_nothing(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = begin(b);
    double amount = -1;

    robot.total = 3;
    assert_true(read_counter(b, proxy, "driven") == 3);
    robot.total = 10;
    robot.refuses = true;
    assert_int_equal(tp_proxy_read_and_clear(proxy, "driven", &amount, &b->err), TP_E_DEVICE);
    assert_true(amount == -1);
    robot.refuses = false;
    assert_true(read_counter(b, proxy, "driven") == 7);
}

static void a_server_that_was_restarted_counts_anew(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = begin(b);

    robot.total = 30;
    assert_true(read_counter(b, proxy, "driven") == 30);
    robot.run = 78;
    robot.total = 40;
    assert_true(read_counter(b, proxy, "driven") == 40);
    robot.total = 41;
    assert_true(read_counter(b, proxy, "driven") == 1);
}

static void a_program_learns_whether_it_was_first(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = begin(b);
    double before = -1;

    assert_int_equal(tp_proxy_test_and_set(proxy, "owner", 0, 7, &before, &b->err), TP_OK);
    assert_true(before == 0 && robot.property == 7);
    assert_int_equal(tp_proxy_test_and_set(proxy, "owner", 0, 8, &before, &b->err), TP_OK);
    assert_true(before == 7 && robot.property == 7);
    robot.refuses = true;
    before = -1;
    assert_int_equal(tp_proxy_test_and_set(proxy, "owner", 7, 0, &before, &b->err), TP_E_DEVICE);
    assert_true(before == -1);
    assert_int_equal(robot.asked, 3);
}

static void a_player_server_is_not_asked(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "position2d:0");
    double number = -1;

    assert_int_equal(tp_proxy_read_and_clear(proxy, "driven", &number, &b->err), TP_E_UNSUPPORTED);
    assert_string_equal(b->err.text, "position2d:0: a Player server does not know READ_AND_CLEAR");
    assert_int_equal(tp_proxy_test_and_set(proxy, "owner", 0, 1, &number, &b->err),
                     TP_E_UNSUPPORTED);
    assert_true(number == -1);
    assert_sent(b, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_proxy_and_counter_has_its_cursor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_read_takes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_server_that_was_restarted_counts_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_learns_whether_it_was_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_player_server_is_not_asked, set_up_plain, tear_down),
    };

    return cmocka_run_group_tests_name("src/client/counter", tests, NULL, NULL);
}
