/* crowd_test.c - which client makes room for a new one, clients that never say a word, and messages
 * without an end. */
#include <stdlib.h>
#include <string.h>

#include "conformance/puppet.h"
#include "conformance/stage.h"
#include "session/front.h"
#include "support/unit.h"

enum { CLIENTS = 40 };

/* A client as a front has it. */
struct guest {
    struct crowd_test *test;
    tp_session *session;
    bool lost;
    bool open;
    size_t unread;
};

struct crowd_test {
    struct stage stage;
    tp_front_instance *front;
    struct guest guests[CLIENTS];
    unsigned count;
};

/* ---- A front without a protocol -------------------------------------------------------------- */

static tp_status open_front(tp_front_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    return TP_OK;
}

static void close_front(tp_front_instance *self)
{
    (void)self;
}

static unsigned bound(const tp_front_instance *self)
{
    (void)self;
    return 0;
}

static const char *const schemes[] = {"tcp", NULL};
static const tp_front bare = {.abi = TP_FRONT_ABI,
                              .name = "bare",
                              .schemes = schemes,
                              .open = open_front,
                              .close = close_front,
                              .bound = bound};

static void on_ready(void *context)
{
    (void)context;
}

static void on_lost(void *context)
{
    ((struct guest *)context)->lost = true;
}

static size_t on_unread(void *context)
{
    return ((struct guest *)context)->unread;
}

static struct guest *enter(struct crowd_test *t, const char *peer)
{
    static const tp_session_events events = {
        .ready = on_ready, .lost = on_lost, .unread = on_unread};
    static const tp_session_limits limits = {.data = 8, .replies = 8, .requests = 8};
    struct guest *guest = &t->guests[t->count++];

    assert_true(t->count <= CLIENTS);
    guest->test = t;
    assert_int_equal(
        tp_front_session(&guest->session, t->front, peer, &limits, &events, guest, NULL), TP_OK);
    return guest;
}

static struct guest *enter_and_speak(struct crowd_test *t, const char *peer)
{
    struct guest *guest = enter(t, peer);

    tp_session_heard(guest->session);
    return guest;
}

/* Make room once, and see who it was. */
static void makes_room(struct crowd_test *t, struct guest *wanted)
{
    assert_true(tp_front_make_room(t->front));
    for (unsigned i = 0; i < t->count; i++) {
        if (t->guests[i].lost != (&t->guests[i] == wanted)) {
            fail_msg("%s", t->guests[i].session->identity.name);
        }
    }
    tp_session_destroy(wanted->session);
    wanted->session = NULL;
    wanted->lost = false;
}

static void set_guests(struct crowd_test *t, tp_right right)
{
    static const tpi_key key = {"anna", "drive", TP_RIGHT_MOVE};
    const tpi_access access = {
        .keys = &key, .key_count = 1, .guests = {right, right, TP_RIGHT_OPERATE, right}};

    assert_int_equal(tpi_hub_set_access(t->stage.b.hub, &access), TP_OK);
}

static tp_front_instance *open_bare(struct crowd_test *t)
{
    const tpi_front_opening opening = {
        .front = &bare,
        .hub = t->stage.b.hub,
        .loop = t->stage.b.loop,
        .place = {"tcp:127.0.0.1:0", BENCH_ROBOT, TP_REACH_NETWORK, 0}};
    tp_front_instance *front = NULL;

    assert_int_equal(tpi_front_open(&front, &opening, NULL, NULL), TP_OK);
    return front;
}

static int begin(void **state)
{
    struct crowd_test *t = calloc(1, sizeof *t);

    assert_non_null(t);
    stage_begin(&t->stage, &puppet_driver);
    t->front = open_bare(t);
    set_guests(t, TP_RIGHT_READ);
    *state = t;
    return 0;
}

static int end(void **state)
{
    struct crowd_test *t = *state;

    for (unsigned i = 0; i < t->count; i++) {
        tp_session_destroy(t->guests[i].session);
    }
    tpi_front_close(t->front);
    stage_end(&t->stage);
    free(t);
    return 0;
}

static void move_clock(struct crowd_test *t, double seconds)
{
    bench_move_clock(&t->stage.b, seconds);
    tp_loop_turn(t->stage.b.loop, false);
}

static void opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                   const tp_error *err)
{
    (void)request;
    (void)device;
    (void)err;
    assert_int_equal(status, TP_OK);
    ((struct guest *)context)->open = true;
}

static void open_device(struct crowd_test *t, const struct guest *guest)
{
    const tp_msghdr request = {0};

    assert_int_equal(
        tp_session_open(guest->session, t->stage.device, TP_OPEN_MODE, &request, opened), TP_OK);
    while (!guest->open) {
        tp_loop_turn(t->stage.b.loop, false);
    }
}

/* ---- Making room ----------------------------------------------------------------------------- */

static void the_client_of_least_standing_makes_room(void **state)
{
    struct crowd_test *t = *state;
    struct guest *reader = enter_and_speak(t, "10.0.0.1:1");
    struct guest *stranger = enter_and_speak(t, "10.0.0.2:1");
    struct guest *owner = enter_and_speak(t, "10.0.0.3:1");
    struct guest *silent = enter(t, "10.0.0.4:1");

    open_device(t, reader);
    assert_int_equal(tp_session_show_key(owner->session, "drive", 5, NULL), TP_OK);
    makes_room(t, silent);
    makes_room(t, stranger);
    makes_room(t, reader);
    assert_false(tp_front_make_room(t->front)); /* the owner of a key stays */
}

static void the_fullest_host_makes_room_and_its_oldest_first(void **state)
{
    struct crowd_test *t = *state;
    struct guest *alone = enter(t, "10.0.0.1:1");
    struct guest *many[4];

    for (unsigned i = 0; i < 4; i++) {
        many[i] = enter(t, i % 2 == 0 ? "10.0.0.2:1" : "10.0.0.2:9"); /* the port does not count */
    }
    struct guest *half[2] = {enter(t, "[fd00::1]:1"), enter(t, "[fd00::2]:1")}; /* one machine */
    makes_room(t, many[0]);
    makes_room(t, many[1]);
    assert_true(tp_front_make_room(t->front)); /* two each now */
    assert_true(tp_front_make_room(t->front));
    assert_true(many[2]->lost && half[0]->lost && !alone->lost && !half[1]->lost);
}

static void gives_a_file(struct crowd_test *t, struct guest *wanted)
{
    assert_int_equal(tpi_loop_make_room(t->stage.b.loop, NULL), TPI_ROOM_MADE);
    for (unsigned i = 0; i < t->count; i++) {
        assert_int_equal(t->guests[i].lost, &t->guests[i] == wanted);
    }
    tp_session_destroy(wanted->session);
    wanted->session = NULL;
    wanted->lost = false;
}

/* Clients that come again and again are always new: the next one does not wait for each. Clients
 * that have just come say a word, and a few readers of a host are no crowd. */
static void one_that_has_just_come_protects_no_strangers(void **state)
{
    struct crowd_test *t = *state;
    struct guest *stranger = enter_and_speak(t, "10.0.0.1:1");
    struct guest *readers[6];

    for (unsigned i = 0; i < 6; i++) {
        readers[i] = enter_and_speak(t, i < 5 ? "10.0.0.2:1" : "10.0.0.3:1");
        open_device(t, readers[i]);
    }
    move_clock(t, 1);
    struct guest *silent = enter(t, "10.0.0.1:2");
    gives_a_file(t, stranger);
    gives_a_file(t, readers[0]);
    assert_int_equal(tpi_loop_make_room(t->stage.b.loop, NULL), TPI_ROOM_LATER);
    move_clock(t, 0.2);
    gives_a_file(t, silent);
    gives_a_file(t, readers[1]);
}

/* The more wait, the sooner each of many makes room; a few of a host keep their time. */
static void those_that_wait_shorten_the_time_of_many(void **state)
{
    struct crowd_test *t = *state;
    struct guest *many[12];

    for (unsigned i = 0; i < 3; i++) {
        (void)enter(t, "10.0.0.1:1");
    }
    for (unsigned i = 0; i < 12; i++) {
        many[i] = enter(t, "10.0.0.2:1");
    }
    tpi_loop_add_waiting(t->stage.b.loop, 150); /* ten for each place, in 0.6 s: 60 ms each */
    move_clock(t, 0.059);
    assert_int_equal(tpi_loop_make_room(t->stage.b.loop, NULL), TPI_ROOM_LATER);
    move_clock(t, 0.002);
    for (unsigned i = 0; i < 8; i++) {
        gives_a_file(t, many[i]);
    }
    assert_int_equal(tpi_loop_make_room(t->stage.b.loop, NULL), TPI_ROOM_LATER);
    move_clock(t, 0.04);
    gives_a_file(t, many[8]);
    tpi_loop_add_waiting(t->stage.b.loop, -150);
}

/* Otherwise the front that most come to would hold up all others. */
static void a_front_to_which_all_have_just_come_protects_no_other(void **state)
{
    struct crowd_test *t = *state;
    tp_front_instance *front = t->front;
    tp_front_instance *other = open_bare(t);

    struct guest *early = enter(t, "10.0.0.1:1");
    move_clock(t, 1);
    t->front = other;
    for (unsigned i = 0; i < 3; i++) {
        (void)enter(t, "10.0.0.2:1");
    }
    gives_a_file(t, early);
    assert_int_equal(tpi_loop_make_room(t->stage.b.loop, NULL), TPI_ROOM_LATER);
    for (unsigned i = 0; i < t->count; i++) {
        tp_session_destroy(t->guests[i].session);
    }
    t->count = 0;
    t->front = front;
    tpi_front_close(other);
}

/* However many wait, a client has time to read a greeting and to answer. */
static void a_new_client_has_some_time_whoever_waits(void **state)
{
    struct crowd_test *t = *state;
    struct guest *many[6];

    for (unsigned i = 0; i < 6; i++) {
        many[i] = enter(t, "10.0.0.1:1");
    }
    tpi_loop_add_waiting(t->stage.b.loop, 4000);
    move_clock(t, 0.024);
    assert_int_equal(tpi_loop_make_room(t->stage.b.loop, NULL), TPI_ROOM_LATER);
    move_clock(t, 0.002);
    gives_a_file(t, many[0]);
    tpi_loop_add_waiting(t->stage.b.loop, -4000);
}

/* All addresses of this machine are one host. Up to 16 of its clients make room last. */
static void a_few_clients_of_this_machine_make_room_last(void **state)
{
    struct crowd_test *t = *state;
    struct guest *local[17];

    for (unsigned i = 0; i < 16; i++) {
        local[i] = enter(t, i % 2 == 0 ? "127.0.0.1:1" : "127.0.0.2:1");
    }
    struct guest *silent = enter(t, "10.0.0.1:1");
    struct guest *reader = enter_and_speak(t, "10.0.0.2:1");
    open_device(t, reader);
    makes_room(t, silent);
    makes_room(t, reader);
    local[16] = enter(t, "[::1]:1");
    silent = enter(t, "10.0.0.1:1");
    makes_room(t, local[0]); /* one too many */
    makes_room(t, silent);
    makes_room(t, local[1]);
}

static void a_client_that_may_move_stays_while_it_has_a_device_open(void **state)
{
    struct crowd_test *t = *state;
    struct guest *guest = enter_and_speak(t, "10.0.0.1:1");

    set_guests(t, TP_RIGHT_MOVE);
    open_device(t, guest);
    assert_false(tp_front_make_room(t->front));
    set_guests(t, TP_RIGHT_READ); /* what it was allowed to it is no more */
    makes_room(t, guest);
    guest = enter_and_speak(t, "10.0.0.1:1");
    set_guests(t, TP_RIGHT_MOVE);
    open_device(t, guest);
    assert_int_equal(tp_session_close(guest->session, t->stage.device), TP_OK);
    makes_room(t, guest);
}

/* Otherwise a crowd could take its right to end the panic. */
static void the_client_that_raised_a_panic_stays(void **state)
{
    struct crowd_test *t = *state;
    struct guest *guest = enter_and_speak(t, "10.0.0.1:1");

    tp_session_panic(guest->session, "test");
    assert_false(tp_front_make_room(t->front));
}

/* ---- Clients that never say a word ----------------------------------------------------------- */

static void a_client_beyond_this_machine_has_to_speak_within_a_minute(void **state)
{
    struct crowd_test *t = *state;
    const struct guest *silent = enter(t, "10.0.0.1:1");
    const struct guest *local = enter(t, "127.0.0.1:1");
    const struct guest *spoke = enter_and_speak(t, "10.0.0.1:2");
    move_clock(t, 30);
    struct guest *later = enter(t, "10.0.0.2:1");

    move_clock(t, 29.9);
    assert_false(silent->lost);
    tp_session_heard(later->session);
    move_clock(t, 0.2);
    assert_true(silent->lost);
    move_clock(t, 3600);
    assert_false(local->lost || spoke->lost || later->lost);
}

/* ---- Messages without an end ----------------------------------------------------------------- */

static void a_large_message_has_to_come_at_a_rate(void **state)
{
    struct crowd_test *t = *state;
    const struct guest *guest = enter_and_speak(t, "127.0.0.1:1");

    tp_session_unfinished(guest->session, 100);
    move_clock(t, 5);
    tp_session_unfinished(guest->session, 5 * (16 << 10));
    move_clock(t, 9.9);
    assert_false(guest->lost); /* 14.9 s, of 10 s and 5 s for its bytes */
    move_clock(t, 0.2);
    assert_true(guest->lost);
}

static void the_next_message_has_its_own_time(void **state)
{
    struct crowd_test *t = *state;
    const struct guest *guest = enter_and_speak(t, "127.0.0.1:1");

    for (unsigned i = 0; i < 4; i++) {
        tp_session_unfinished(guest->session, 10);
        move_clock(t, 6);
        tp_session_took(guest->session, 40);
        assert_false(guest->lost);
    }
    tp_session_unfinished(guest->session, 0);
    move_clock(t, 3600);
    assert_false(guest->lost);
}

static void parts_of_a_message_do_not_begin_its_time_again(void **state)
{
    struct crowd_test *t = *state;
    const struct guest *guest = enter_and_speak(t, "127.0.0.1:1");

    for (unsigned i = 0; i < 4; i++) {
        assert_false(guest->lost);
        tp_session_took_part(guest->session, 10);
        tp_session_unfinished(guest->session, 10 * (i + 1));
        move_clock(t, 3);
    }
    assert_true(guest->lost);
}

static void what_comes_while_a_client_is_busy_does_not_begin_its_time_again(void **state)
{
    struct crowd_test *t = *state;
    const struct guest *guest = enter_and_speak(t, "127.0.0.1:1");

    (void)tp_session_hold(guest->session, 10, true);
    move_clock(t, 6);
    (void)tp_session_hold(guest->session, 20, false);
    move_clock(t, 3);
    (void)tp_session_hold(guest->session, 20, true); /* it was not the end */
    assert_false(guest->lost);
    move_clock(t, 2);
    assert_true(guest->lost);
}

static void a_message_that_waits_is_not_slow(void **state)
{
    struct crowd_test *t = *state;
    const struct guest *guest = enter_and_speak(t, "127.0.0.1:1");

    (void)tp_session_hold(guest->session, 10, true);
    move_clock(t, 6);
    (void)tp_session_hold(guest->session, 20, false);
    for (int i = 0; i < 100; i++) {
        move_clock(t, 1);
    }
    assert_false(guest->lost);
    tp_session_took(guest->session, 20);
    (void)tp_session_hold(guest->session, 0, false);
    move_clock(t, 100);
    assert_false(guest->lost);
}

static void a_client_that_the_server_does_not_read_is_not_slow(void **state)
{
    struct crowd_test *t = *state;
    struct guest *guest = enter_and_speak(t, "127.0.0.1:1");

    guest->unread = 11;
    tp_session_unfinished(guest->session, 10);
    move_clock(t, 11);
    move_clock(t, 11);
    assert_false(guest->lost);
    guest->unread = 10;
    move_clock(t, 1);
    assert_true(guest->lost);
}

int main(void)
{
#define CROWD_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CROWD_TEST(the_client_of_least_standing_makes_room),
        CROWD_TEST(the_fullest_host_makes_room_and_its_oldest_first),
        CROWD_TEST(one_that_has_just_come_protects_no_strangers),
        CROWD_TEST(those_that_wait_shorten_the_time_of_many),
        CROWD_TEST(a_front_to_which_all_have_just_come_protects_no_other),
        CROWD_TEST(a_new_client_has_some_time_whoever_waits),
        CROWD_TEST(a_few_clients_of_this_machine_make_room_last),
        CROWD_TEST(a_client_that_may_move_stays_while_it_has_a_device_open),
        CROWD_TEST(the_client_that_raised_a_panic_stays),
        CROWD_TEST(a_client_beyond_this_machine_has_to_speak_within_a_minute),
        CROWD_TEST(a_large_message_has_to_come_at_a_rate),
        CROWD_TEST(the_next_message_has_its_own_time),
        CROWD_TEST(parts_of_a_message_do_not_begin_its_time_again),
        CROWD_TEST(what_comes_while_a_client_is_busy_does_not_begin_its_time_again),
        CROWD_TEST(a_message_that_waits_is_not_slow),
        CROWD_TEST(a_client_that_the_server_does_not_read_is_not_slow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
