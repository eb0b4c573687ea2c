/* datagram_test.c - UDP on the loopback interface. */
#include "troupe/datagram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/unit.h"
#include "support/uv_memory.h"

enum { LONGEST = 65507 }; /* what IPv4 leaves for the contents of a datagram */

struct end {
    tp_datagram *datagram;
    unsigned received;
    tp_peer from;
    size_t length;
    unsigned char bytes[65536];
    bool closes; /* when something arrives */
};

struct bench {
    tp_loop *loop;
    tp_error err;
    struct end a;
    struct end b;
};

static void receive(void *context, const tp_peer *from, const void *bytes, size_t length)
{
    struct end *end = context;

    end->received++;
    end->from = *from;
    end->length = length;
    memcpy(end->bytes, bytes, length);
    if (end->closes) {
        tp_datagram_close(end->datagram);
        end->datagram = NULL;
    }
}

static void open_end(struct bench *b, struct end *end, const char *address)
{
    assert_int_equal(tp_datagram_open(&end->datagram, b->loop, address, receive, end, &b->err),
                     TP_OK);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    assert_int_equal(tp_loop_create(&b->loop, tp_clock_real(), &b->err), TP_OK);
    open_end(b, &b->a, "udp:127.0.0.1:0");
    open_end(b, &b->b, "udp:127.0.0.1:0");
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tp_datagram_close(b->a.datagram);
    tp_datagram_close(b->b.datagram);
    tp_datagram_close(NULL);
    tp_loop_destroy(b->loop);
    free(b);
    return 0;
}

static tp_peer peer_of(const char *format, const struct end *end)
{
    char address[64];
    tp_peer peer;
    tp_error err;

    (void)snprintf(address, sizeof address, format, tp_datagram_port(end->datagram));
    assert_int_equal(tp_peer_parse(&peer, address, &err), TP_OK);
    return peer;
}

static void wait_for(struct bench *b, const struct end *end, unsigned received)
{
    while (end->received < received) {
        tp_loop_turn(b->loop, true);
    }
    assert_int_equal(end->received, received);
}

/* Send from a to b. */
static void send_to_b(struct bench *b, const void *bytes, size_t length)
{
    const tp_peer to = peer_of("udp:127.0.0.1:%u", &b->b);

    assert_int_equal(tp_datagram_send(b->a.datagram, &to, bytes, length), TP_OK);
}

static void a_datagram_arrives_whole_with_its_sender(void **state)
{
    struct bench *b = *state;

    send_to_b(b, "hello", 5);
    wait_for(b, &b->b, 1);
    assert_int_equal(b->b.length, 5);
    assert_memory_equal(b->b.bytes, "hello", 5);
    const tp_peer sender = peer_of("udp:127.0.0.1:%u", &b->a);
    assert_int_equal(b->b.from.length, sender.length);
    assert_memory_equal(b->b.from.bytes, sender.bytes, sender.length);
}

static void what_has_come_can_be_dropped(void **state)
{
    struct bench *b = *state;

    send_to_b(b, "old", 3);
    send_to_b(b, "", 0);
    tp_datagram_drain(b->b.datagram);
    send_to_b(b, "new", 3);
    wait_for(b, &b->b, 1);
    assert_memory_equal(b->b.bytes, "new", 3);
}

static void peers_are_printed_for_people(void **state)
{
    (void)state;
    char text[64];
    char short_text[8];
    tp_peer peer;
    tp_error err;

    assert_int_equal(tp_peer_parse(&peer, "udp:127.0.0.1:6665", &err), TP_OK);
    tp_peer_print(text, sizeof text, &peer);
    assert_string_equal(text, "127.0.0.1:6665");
    tp_peer_print(short_text, sizeof short_text, &peer);
    assert_string_equal(short_text, "127.0.0");
    assert_int_equal(tp_peer_parse(&peer, "udp:[::1]:6665", &err), TP_OK);
    tp_peer_print(text, sizeof text, &peer);
    assert_string_equal(text, "[::1]:6665");
}

static void the_sender_can_be_answered(void **state)
{
    struct bench *b = *state;

    send_to_b(b, "?", 1);
    wait_for(b, &b->b, 1);
    assert_int_equal(tp_datagram_send(b->b.datagram, &b->b.from, "!", 1), TP_OK);
    wait_for(b, &b->a, 1);
    assert_memory_equal(b->a.bytes, "!", 1);
}

static void each_datagram_is_received_by_itself(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < 40; i++) { /* more than libuv reads at once */
        send_to_b(b, "abc", 3);
    }
    wait_for(b, &b->b, 40);
}

static void an_empty_datagram_arrives_too(void **state)
{
    struct bench *b = *state;

    send_to_b(b, "", 0);
    wait_for(b, &b->b, 1);
    assert_int_equal(b->b.length, 0);
}

static void the_longest_datagram_arrives_and_a_longer_one_is_refused(void **state)
{
    struct bench *b = *state;
    unsigned char *bytes = malloc(LONGEST + 1);
    const tp_peer to = peer_of("udp:127.0.0.1:%u", &b->b);

    assert_non_null(bytes);
    for (size_t i = 0; i <= LONGEST; i++) {
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    }
    assert_int_equal(tp_datagram_send(b->a.datagram, &to, bytes, LONGEST + 1), TP_E_LIMIT);
    send_to_b(b, bytes, LONGEST);
    wait_for(b, &b->b, 1);
    assert_int_equal(b->b.length, LONGEST);
    assert_memory_equal(b->b.bytes, bytes, LONGEST);
    free(bytes);
}

static void what_cannot_be_sent_is_told(void **state)
{
    struct bench *b = *state;
    const tp_peer v6 = peer_of("udp:[::1]:%u", &b->b);

    assert_int_equal(tp_datagram_send(b->a.datagram, &v6, "x", 1), TP_E_IO);
}

static void nobody_at_the_other_end_is_no_failure(void **state)
{
    struct bench *b = *state;
    const tp_peer to = peer_of("udp:127.0.0.1:%u", &b->b);

    tp_datagram_close(b->b.datagram);
    b->b.datagram = NULL;
    assert_int_equal(tp_datagram_send(b->a.datagram, &to, "x", 1), TP_OK);
    tp_loop_turn(b->loop, false);
    tp_loop_turn(b->loop, false);
    assert_int_equal(b->a.received, 0);
}

static void it_can_be_closed_by_what_arrives(void **state)
{
    struct bench *b = *state;

    b->b.closes = true;
    send_to_b(b, "1", 1);
    send_to_b(b, "2", 1);
    wait_for(b, &b->b, 1);
    tp_loop_turn(b->loop, false);
    assert_int_equal(b->b.received, 1);
}

static void ipv6_works_alike_where_there_is_any(void **state)
{
    struct bench *b = *state;
    struct end *six = calloc(1, sizeof *six);

    assert_non_null(six);
    if (tp_datagram_open(&six->datagram, b->loop, "udp:[::1]:0", receive, six, &b->err) != TP_OK) {
        assert_memory_equal(b->err.text, "listen on udp:[::1]:0: address ", 31);
    } else {
        const tp_peer itself = peer_of("udp:[::1]:%u", six);
        assert_int_equal(tp_datagram_send(six->datagram, &itself, "six", 3), TP_OK);
        wait_for(b, six, 1);
        assert_memory_equal(six->bytes, "six", 3);
        assert_memory_equal(six->from.bytes, itself.bytes, itself.length);
    }
    tp_datagram_close(six->datagram);
    free(six);
}

static void an_address_in_use_is_told_and_free_after_closing(void **state)
{
    struct bench *b = *state;
    char address[64];
    char wanted[128];
    tp_datagram *second = NULL;

    (void)snprintf(address, sizeof address, "udp:127.0.0.1:%u", tp_datagram_port(b->a.datagram));
    (void)snprintf(wanted, sizeof wanted, "listen on %s: another program listens there", address);
    assert_int_equal(tp_datagram_open(&second, b->loop, address, receive, NULL, &b->err),
                     TP_E_EXISTS);
    assert_string_equal(b->err.text, wanted);
    tp_datagram_close(b->a.datagram);
    open_end(b, &b->a, address);
}

static void a_wrong_address_is_told(void **state)
{
    struct bench *b = *state;
    tp_datagram *datagram = NULL;
    tp_peer peer;

    assert_int_equal(tp_datagram_open(&datagram, b->loop, "udp:x", receive, NULL, &b->err),
                     TP_E_SYNTAX);
    assert_string_equal(b->err.text, "listen on udp:x: the port is missing");
    assert_int_equal(tp_peer_parse(&peer, "udp:*:1", &b->err), TP_E_SYNTAX);
    assert_string_equal(b->err.text, "send to udp:*:1: * is for listening only");
}

static tp_status open_and_close(void *context)
{
    struct bench *b = context;
    tp_loop *loop = NULL;
    tp_datagram *datagram = NULL;

    tp_status status = tp_loop_create(&loop, tp_clock_real(), &b->err);
    if (status == TP_OK) {
        status = tp_datagram_open(&datagram, loop, "udp:127.0.0.1:0", receive, NULL, &b->err);
    }
    tp_datagram_close(datagram);
    tp_loop_destroy(loop);
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    struct bench *b = *state;

    memory_sweep(open_and_close, b);
    assert_string_equal(b->err.text, "listen on udp:127.0.0.1:0: not enough memory");
}

static void sending_and_receiving_allocates_nothing(void **state)
{
    struct bench *b = *state;

    send_to_b(b, "warm", 4);
    wait_for(b, &b->b, 1);
    const tp_peer to = peer_of("udp:127.0.0.1:%u", &b->b);
    const size_t before = memory_allocations();
    const size_t uv_before = uv_allocations;
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(tp_datagram_send(b->a.datagram, &to, "hello", 5), TP_OK);
        wait_for(b, &b->b, i + 2);
    }
    assert_int_equal(memory_allocations(), before);
    assert_int_equal(uv_allocations, uv_before);
}

/* Two sockets of one group hear each other; the network of the interface is known. */
static void groups_are_joined(void **state)
{
    struct bench *b = *state;
    struct end first = {0};
    struct end second = {0};
    char group[64];
    tp_network network = {{0}, {0}};
    tp_peer to;
    unsigned port = 0;

    (void)snprintf(group, sizeof group, "udp:224.0.0.251:%u", tp_datagram_port(b->a.datagram));
    assert_int_equal(tp_peer_parse(&to, group, &b->err), TP_OK);
    assert_int_equal(tp_datagram_open_group(&first.datagram, b->loop, group, "127.0.0.1", &network,
                                            receive, &first, &b->err),
                     TP_OK);
    assert_int_equal(tp_datagram_open_group(&second.datagram, b->loop, group, "127.0.0.1", &network,
                                            receive, &second, &b->err),
                     TP_OK);
    assert_int_equal(network.address[0], 127);
    assert_int_equal(tp_datagram_send(first.datagram, &to, "hello", 5), TP_OK);
    while (first.received == 0 || second.received == 0) {
        tp_loop_turn(b->loop, true);
    }
    assert_memory_equal(second.bytes, "hello", 5);
    assert_true(tp_network_has(&network, &second.from, &port));
    assert_int_equal(port, tp_datagram_port(b->a.datagram));
    assert_int_equal(tp_peer_parse(&to, "udp:10.1.2.3:5353", &b->err), TP_OK);
    assert_false(tp_network_has(&network, &to, &port));
    tp_datagram_close(first.datagram);
    tp_datagram_close(second.datagram);
    assert_int_equal(tp_datagram_open_group(&first.datagram, b->loop, "udp:10.1.2.3:5353", "",
                                            &network, receive, &first, &b->err),
                     TP_E_INVALID);
    assert_string_equal(b->err.text, "udp:10.1.2.3:5353 is no multicast group of IPv4");
    assert_int_equal(tp_datagram_open_group(&first.datagram, b->loop, group, "nowhere0", &network,
                                            receive, &first, &b->err),
                     TP_E_UNKNOWN);
    assert_string_equal(b->err.text, "this machine has no network interface \"nowhere0\"");
}

int main(void)
{
#define BENCH_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        BENCH_TEST(a_datagram_arrives_whole_with_its_sender),
        BENCH_TEST(what_has_come_can_be_dropped),
        cmocka_unit_test(peers_are_printed_for_people),
        BENCH_TEST(the_sender_can_be_answered),
        BENCH_TEST(each_datagram_is_received_by_itself),
        BENCH_TEST(an_empty_datagram_arrives_too),
        BENCH_TEST(the_longest_datagram_arrives_and_a_longer_one_is_refused),
        BENCH_TEST(what_cannot_be_sent_is_told),
        BENCH_TEST(nobody_at_the_other_end_is_no_failure),
        BENCH_TEST(it_can_be_closed_by_what_arrives),
        BENCH_TEST(ipv6_works_alike_where_there_is_any),
        BENCH_TEST(an_address_in_use_is_told_and_free_after_closing),
        BENCH_TEST(a_wrong_address_is_told),
        BENCH_TEST(running_out_of_memory_is_told),
        BENCH_TEST(sending_and_receiving_allocates_nothing),
        BENCH_TEST(groups_are_joined),
    };
#undef BENCH_TEST

    uv_memory_count();
    return cmocka_run_group_tests_name("loop/datagram", tests, NULL, NULL);
}
