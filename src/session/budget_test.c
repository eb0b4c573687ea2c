/* budget_test.c - what clients cost, which clients wait, and which are closed. */
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/idle.h"
#include "fronts/player/player.h"
#include "session/session.h"
#include "support/unit.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/interfaces/ptz.h"

enum { CLIENTS = 8, MESSAGE = 40, MEGABYTE = 1 << 20 };

struct client {
    tp_session *session; /* owned */
    int ready;           /* how often it may go on */
    int last_ready;      /* how many others had been told before */
    int lost;
    size_t unread;
    int64_t unread_since_ns;
};

struct scene {
    play *p;
    struct client clients[CLIENTS];
};

static int told; /* clients that may go on, of all */

static int opened;
static tp_status last_opened;
static char why_refused[256];

static void count_ready(void *context)
{
    struct client *client = context;

    client->ready++;
    client->last_ready = told++;
}

static void count_lost(void *context)
{
    ((struct client *)context)->lost++;
}

static size_t get_unread(void *context)
{
    return ((const struct client *)context)->unread;
}

static int64_t get_unread_since(void *context)
{
    return ((const struct client *)context)->unread_since_ns;
}

/* Clients 0 to 5 are guests, two on each host; 6 and 7 are on this machine's unix socket. */
static void enter(struct scene *s, int i)
{
    static const tp_session_limits limits = {.data = 16, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = count_ready,
                                             .lost = count_lost,
                                             .unread = get_unread,
                                             .unread_since = get_unread_since};
    static const char *const names[CLIENTS] = {"10.0.0.1:1", "10.0.0.1:2", "10.0.0.2:1",
                                               "10.0.0.2:2", "10.0.0.3:1", "10.0.0.3:2",
                                               "unix",       "unix"};

    s->clients[i].unread_since_ns = TP_NEVER;
    assert_int_equal(tp_session_create(&s->clients[i].session, s->p->b.hub, BENCH_ROBOT, &limits,
                                       &events, &s->clients[i], NULL),
                     TP_OK);
    tp_session_set_reach(s->clients[i].session, i < 6 ? TP_REACH_NETWORK : TP_REACH_UNIX);
    tp_session_set_name(s->clients[i].session, names[i]);
}

static void leave(struct scene *s, int i)
{
    tp_session_destroy(s->clients[i].session);
    s->clients[i].session = NULL;
}

static void set_guests(struct scene *s, tp_right right)
{
    const tpi_access access = {.guests = {right, TP_RIGHT_MOVE, TP_RIGHT_OPERATE, right}};

    assert_int_equal(tpi_hub_set_access(s->p->b.hub, &access), TP_OK);
}

static int begin(void **state)
{
    struct scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->p = play_create();
    play_add(s->p, &idle_driver, "ptz:0", NULL, NULL);
    set_guests(s, TP_RIGHT_READ);
    for (int i = 0; i < CLIENTS; i++) {
        enter(s, i);
    }
    *state = s;
    return 0;
}

static int end(void **state)
{
    struct scene *s = *state;

    for (int i = 0; i < CLIENTS; i++) {
        leave(s, i);
    }
    play_destroy(s->p);
    free(s);
    return 0;
}

static void turn(struct scene *s)
{
    tp_loop_turn(s->p->b.loop, false);
}

static void pass(struct scene *s, double seconds)
{
    bench_move_clock(&s->p->b, seconds);
    turn(s);
}

/* The thread that gives memory back has ended. */
static void await_tidy(struct scene *s, const tpi_tidy *tidy)
{
    while (tidy->running != NULL) {
        tp_loop_turn(s->p->b.loop, true);
    }
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* Messages that a client may send in this turn. */
static int work_off(struct scene *s, int i)
{
    int count = 0;

    while (!tp_session_is_busy(s->clients[i].session)) {
        tp_session_took(s->clients[i].session, MESSAGE);
        assert_true(++count < 100000);
    }
    return count;
}

static void a_guest_has_its_share_of_a_turn(void **state)
{
    struct scene *s = *state;

    assert_in_range(work_off(s, 0), 1, 2000);
    assert_true(tp_session_is_busy(s->clients[0].session));
    assert_int_equal(s->clients[0].ready, 0);
    turn(s);
    assert_int_equal(s->clients[0].ready, 1);
    assert_false(tp_session_is_busy(s->clients[0].session));
}

static void guests_cannot_use_the_turn_of_members(void **state)
{
    struct scene *s = *state;

    for (int i = 0; i < 6; i++) {
        (void)work_off(s, i);
    }
    assert_true(tp_session_is_busy(s->clients[5].session));
    assert_false(tp_session_is_busy(s->clients[6].session));
    turn(s);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(s->clients[i].ready, 1);
    }
}

/* Two guests on one host have less than two on two hosts. */
static void guests_of_a_host_share_its_account(void **state)
{
    struct scene *s = *state;

    tpi_budget_charge(s->clients[0].session, 200000);
    tpi_budget_charge(s->clients[1].session, 200000);
    assert_true(tp_session_is_busy(s->clients[0].session));
    assert_false(tp_session_is_busy(s->clients[2].session));
}

/* It is the right that counts, not the address. */
static void a_client_on_a_unix_socket_that_may_only_read_is_a_guest(void **state)
{
    const tpi_access all_read = {
        .guests = {TP_RIGHT_READ, TP_RIGHT_READ, TP_RIGHT_OPERATE, TP_RIGHT_READ}};
    struct scene *s = *state;

    assert_false(tp_session_is_guest(s->clients[6].session));
    assert_int_equal(tpi_hub_set_access(s->p->b.hub, &all_read), TP_OK);
    assert_true(tp_session_is_guest(s->clients[6].session));
    assert_in_range(work_off(s, 6), 1, 2000);
    assert_true(tp_session_is_busy(s->clients[6].session));
}

/* A message of a megabyte, of no other client. */
static void queue_data(struct scene *s, int client)
{
    static uint8_t bytes[MEGABYTE];
    const tp_opaque_data value = {.data_count = sizeof bytes, .data = bytes};
    const tp_msghdr header = {.addr = {.interf = TP_OPAQUE_CODE}, .type = TP_MSGTYPE_DATA};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, &tp_desc_opaque_data, &value), TP_OK);
    assert_int_equal(tp_session_queue(s->clients[client].session, msg), TP_OK);
    tp_msg_unref(msg);
}

/* Guests that do not read, which came one after the other. */
static void data_that_waits_for_guests_has_a_limit_for_all_of_them(void **state)
{
    struct scene *s = *state;
    const tpi_budget *budget = &s->clients[0].session->clients->budget;

    for (int i = 0; i < 60; i++) {
        queue_data(s, i % 6);
        queue_data(s, 6);
        turn(s);
        assert_in_range(budget->data.bytes, 1, 18 * (size_t)MEGABYTE);
    }
    assert_int_equal(tp_session_waiting(s->clients[6].session), 16); /* its own limit */
    for (int i = 0; i < 6; i++) {
        assert_int_equal(s->clients[i].lost, 0);
        assert_true(tp_session_waiting(s->clients[i].session) > 0);
        assert_true(tp_session_dropped(s->clients[i].session) > 0);
    }
    set_guests(s, TP_RIGHT_MOVE);
    for (int i = 0; i < 6; i++) {
        assert_false(tp_session_is_guest(s->clients[i].session));
    }
    assert_int_equal(budget->data.bytes, 0);
}

/* What a front queues to send. */
struct flush {
    tp_after after;
    char *trace;
    char letter;
};

static void note_flush(tp_after *after)
{
    const struct flush *flush = (struct flush *)after;

    flush->trace[strlen(flush->trace)] = flush->letter;
}

static void flush_soon(struct scene *s, struct flush *flush, int client, bool urgent)
{
    tp_session_flush_soon(s->clients[client].session, &flush->after, urgent);
}

/* Data and replies to guests go out behind those to members. A guest that may be about to show a
 * key gets its replies like a member. */
static void what_goes_to_guests_goes_out_last(void **state)
{
    struct scene *s = *state;
    char trace[16] = "";
    struct flush flushes[5];

    for (int i = 0; i < 5; i++) {
        flushes[i] =
            (struct flush){.after.run = note_flush, .trace = trace, .letter = (char)('a' + i)};
    }
    tpi_budget_charge(s->clients[0].session, 100000);
    tpi_budget_charge(s->clients[2].session, 100000);
    assert_true(tp_session_comes_last(s->clients[0].session));
    assert_false(tp_session_comes_last(s->clients[4].session));
    assert_false(tp_session_comes_last(s->clients[6].session));
    flush_soon(s, &flushes[0], 0, true);
    flush_soon(s, &flushes[1], 2, false);
    flush_soon(s, &flushes[2], 6, false);
    flush_soon(s, &flushes[3], 4, true);
    flush_soon(s, &flushes[4], 7, true);
    pass(s, 1); /* with a clock that stands still, one at least in each turn */
    turn(s);
    assert_string_equal(trace, "decab");
    tp_session_set_reach(s->clients[0].session, TP_REACH_UNIX); /* a member now */
    assert_false(tp_session_comes_last(s->clients[0].session));
}

/* No single answer is large, and nobody has to wait. What others ask afterwards is little. */
static void memory_is_given_back_after_much_work_in_small_pieces(void **state)
{
    struct scene *s = *state;
    const tpi_tidy *tidy = &s->clients[6].session->clients->tidy;

    tpi_budget_charge(s->clients[6].session, 10000000);
    pass(s, 2);
    assert_false(tidy->armed || tidy->looks > 0);
    for (int i = 0; i < 20; i++) {
        tpi_budget_charge(s->clients[6].session, 10000000);
        turn(s);
    }
    pass(s, 2);
    assert_true(tidy->armed && tidy->looks > 0);
    tpi_budget_charge(s->clients[6].session, 10000000);
    pass(s, 2);
    assert_false(tidy->armed || tidy->looks > 0);
}

/* Parts of messages make no work, and neither does the end of their clients. */
static void memory_is_given_back_after_clients_held_much(void **state)
{
    struct scene *s = *state;
    const tpi_tidy *tidy = &s->clients[6].session->clients->tidy;

    (void)tp_session_hold(s->clients[0].session, MEGABYTE, true);
    assert_false(tidy->armed);
    (void)tp_session_hold(s->clients[2].session, 3 * MEGABYTE, true);
    pass(s, 2);
    pass(s, 2);
    assert_false(tidy->armed || tidy->looks > 0); /* it was, and they still hold it */
    await_tidy(s, tidy);
    leave(s, 2);
    pass(s, 2);
    assert_true(tidy->armed && tidy->looks > 0);
    pass(s, 2);
    assert_false(tidy->armed || tidy->looks > 0);
    enter(s, 2);
}

static void it_is_given_back_after_a_while_though_the_work_goes_on(void **state)
{
    struct scene *s = *state;
    const tpi_tidy *tidy = &s->clients[6].session->clients->tidy;

    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(tidy->looks, i);
        tpi_budget_charge(s->clients[6].session, 200000000);
        pass(s, 2);
    }
    assert_int_equal(tidy->looks, 0);
    assert_true(tidy->armed);
}

/* What clients did before this turn. */
static void work_before(struct scene *s, int count, size_t work)
{
    for (int i = 0; i < count; i++) {
        tpi_budget_charge(s->clients[i].session, work);
    }
    turn(s);
}

static void the_one_that_had_nothing_goes_on_first(void **state)
{
    struct scene *s = *state;

    work_before(s, 6, 300000);
    tpi_budget_charge(s->clients[0].session, 300000);
    tpi_budget_charge(s->clients[2].session, 300000);
    assert_true(tp_session_is_busy(s->clients[0].session));
    assert_true(tp_session_is_busy(s->clients[4].session));
    const tpi_budget *budget = &s->clients[0].session->clients->budget;
    assert_ptr_equal(budget->denied.first, s->clients[4].session);
    assert_ptr_equal(budget->spent.first, s->clients[0].session);
}

/* Whoever has a key is a guest until it has shown it. */
static void a_new_one_does_not_wait_for_those_that_flood(void **state)
{
    struct scene *s = *state;

    work_before(s, 5, 300000);
    tpi_budget_charge(s->clients[0].session, 600000);
    for (int i = 0; i < 6; i++) {
        assert_true(tp_session_is_busy(s->clients[i].session));
    }
    const tpi_budget *budget = &s->clients[0].session->clients->budget;
    assert_ptr_equal(budget->newcomers.first, s->clients[5].session);
    assert_ptr_equal(budget->denied.first, s->clients[1].session);
    leave(s, 5);
    assert_null(budget->newcomers.first);
    enter(s, 5);
    turn(s);
    assert_false(tp_session_is_busy(s->clients[5].session));
}

/* There are new ones in each turn, and one that has been there for long: it is first in every
 * second turn, and they are in the others. */
static void new_ones_that_come_again_and_again_keep_no_old_one_out(void **state)
{
    struct scene *s = *state;
    int firsts = 0;

    work_before(s, 2, 300000);
    for (int i = 0; i < 20; i++) {
        leave(s, 2);
        enter(s, 2);
        tpi_budget_charge(s->clients[1].session, 600000);
        assert_true(tp_session_is_busy(s->clients[2].session));
        assert_true(tp_session_is_busy(s->clients[0].session));
        turn(s);
        firsts += s->clients[0].last_ready < s->clients[2].last_ready;
    }
    assert_int_equal(firsts, 10);
}

static void give_way_once(void *context)
{
    struct client *client = context;

    if (!tp_session_gives_way(client->session)) {
        count_ready(context);
    }
}

static void a_client_that_has_closed_its_side_goes_on_last(void **state)
{
    static const tp_session_events gone = {.ready = give_way_once, .lost = count_lost};
    struct scene *s = *state;

    s->clients[0].session->events = &gone;
    tpi_budget_charge(s->clients[5].session, 600000);
    for (int i = 0; i < 5; i++) {
        assert_true(tp_session_is_busy(s->clients[i].session));
    }
    turn(s);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s->clients[i].ready, 1);
        assert_true(i == 0 || s->clients[i].last_ready < s->clients[0].last_ready);
    }
    tpi_budget_charge(s->clients[5].session, 600000);
    assert_true(tp_session_is_busy(s->clients[0].session));
    assert_true(tp_session_is_busy(s->clients[4].session));
    turn(s);
    assert_true(s->clients[4].last_ready < s->clients[0].last_ready);
    assert_false(tp_session_gives_way(s->clients[6].session)); /* a member */
}

/* Each that is woken looks at what it has: with thousands, that alone would take a turn. */
static void of_many_guests_that_wait_some_go_on_in_a_turn(void **state)
{
    enum { MANY = 3 * TPI_BUDGET_WOKEN };
    static struct client many[MANY];
    struct scene *s = *state;
    int ready = 0;

    for (int i = 0; i < MANY; i++) {
        const struct client kept = s->clients[5];
        enter(s, 5);
        many[i] = s->clients[5];
        many[i].session->context = &many[i];
        s->clients[5] = kept;
    }
    for (int turns = 1; turns <= 3; turns++) {
        tpi_budget_charge(s->clients[0].session, 600000);
        for (int i = 0; i < MANY; i++) {
            assert_true(turns > 1 || tp_session_is_busy(many[i].session));
        }
        turn(s);
        ready = 0;
        for (int i = 0; i < MANY; i++) {
            ready += many[i].ready;
        }
        assert_int_equal(ready, turns * TPI_BUDGET_WOKEN);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(many[i].ready, 1);
        tp_session_destroy(many[i].session);
        many[i] = (struct client){0};
    }
}

/* A client that shows a key no longer waits behind the guests that came before. */
static void a_key_ends_the_wait_among_guests(void **state)
{
    static struct client many[TPI_BUDGET_WOKEN];
    struct scene *s = *state;
    tp_session *owner = s->clients[0].session;

    tpi_budget_charge(s->clients[1].session, 600000);
    for (int i = 0; i < TPI_BUDGET_WOKEN; i++) {
        const struct client kept = s->clients[5];
        enter(s, 5);
        many[i] = s->clients[5];
        many[i].session->context = &many[i];
        s->clients[5] = kept;
        assert_true(tp_session_is_busy(many[i].session));
    }
    assert_true(tp_session_is_busy(owner));
    owner->account.vouched = true;
    tpi_access_rights_changed(&owner->identity);
    turn(s);
    assert_int_equal(s->clients[0].ready, 1);
    for (int i = 0; i < TPI_BUDGET_WOKEN; i++) {
        tp_session_destroy(many[i].session);
        many[i] = (struct client){0};
    }
}

static void guests_wait_while_much_of_theirs_is_being_made(void **state)
{
    struct scene *s = *state;
    tpi_budget *budget = &s->clients[0].session->clients->budget;

    budget->blocks = TPI_BUDGET_BLOCKS;
    assert_true(tp_session_is_busy(s->clients[0].session));
    assert_false(tp_session_is_busy(s->clients[6].session));
    budget->blocks--;
    turn(s);
    assert_int_equal(s->clients[0].ready, 1);
    assert_false(tp_session_is_busy(s->clients[0].session));
}

static void a_new_one_shows_its_key_at_once(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;
    tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE}, .type = TP_MSGTYPE_REQ};

    tpi_budget_charge(s->clients[2].session, 600000);
    assert_true(tp_session_is_busy(guest));
    header.subtype = TP_PLAYER_REQ_DEVLIST;
    assert_false(tp_session_is_urgent(guest, &header));
    header.subtype = TP_PLAYER_REQ_PROVE;
    assert_true(tp_session_is_urgent(guest, &header));
    guest->identity.wrong = 1;
    assert_false(tp_session_is_urgent(guest, &header));
    guest->identity.wrong = 0;
    tpi_budget_charge(guest, 50000);
    assert_false(tp_session_is_urgent(guest, &header));
    header.subtype = TP_PLAYER_REQ_PANIC;
    assert_true(tp_session_is_urgent(guest, &header));
    tp_session_panic(s->clients[1].session, "");
    assert_false(tp_session_is_urgent(guest, &header));
}

/* As a message that came long ago. */
static void to_wait_is_no_work(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;

    tp_session_heard(guest);
    assert_true(tp_session_has_to_wait(guest, true));
    guest->account.mark_ns -= TP_NS_PER_S;
    assert_false(tp_session_is_busy(guest));
    tp_session_took(guest, MESSAGE);
    assert_in_range(guest->account.worked, 1, TP_NS_PER_S / 2);
}

static void a_client_that_waits_may_leave(void **state)
{
    struct scene *s = *state;

    (void)work_off(s, 0);
    (void)work_off(s, 2);
    leave(s, 0);
    turn(s);
    assert_int_equal(s->clients[2].ready, 1);
}

static void a_key_makes_a_member(void **state)
{
    struct scene *s = *state;

    (void)work_off(s, 0);
    set_guests(s, TP_RIGHT_WRITE);
    assert_false(tp_session_is_busy(s->clients[1].session));
    assert_int_equal(tp_session_longest_message(s->clients[0].session), TP_XDR_MAX_MESSAGE_SIZE);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void an_empty_account_admits_any_answer(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;

    assert_true(tpi_budget_has_room(guest, 100 * MEGABYTE));
    tpi_budget_reserve(guest, 4 * MEGABYTE);
    assert_false(tpi_budget_has_room(guest, 1));
    assert_true(tpi_budget_has_room(s->clients[1].session, 4 * MEGABYTE));
    tpi_budget_reserve(s->clients[1].session, 4 * MEGABYTE);
    assert_false(
        tpi_budget_has_room(s->clients[1].session, 4 * MEGABYTE)); /* its own, and its host */
    tpi_budget_release(s->clients[1].session, 4 * MEGABYTE);
    tpi_budget_release(guest, 4 * MEGABYTE);
    assert_true(tpi_budget_has_room(guest, 4 * MEGABYTE));
}

static void all_guests_together_leave_the_members_their_account(void **state)
{
    struct scene *s = *state;

    for (int i = 0; i < 6; i++) {
        tpi_budget_reserve(s->clients[i].session, 4 * MEGABYTE);
    }
    assert_false(tpi_budget_has_room(s->clients[4].session, 1));
    assert_true(tpi_budget_has_room(s->clients[6].session, 16 * MEGABYTE));
    for (int i = 0; i < 6; i++) {
        tpi_budget_release(s->clients[i].session, 4 * MEGABYTE);
    }
}

static int tries;
static bool try_twice(tp_session *session)
{
    (void)session;
    return ++tries == 2;
}

static void what_waits_for_room_is_tried_at_the_end_of_turns(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;

    tries = 0;
    tpi_budget_reserve(guest, 1);
    tpi_budget_park(guest, try_twice);
    turn(s);
    assert_int_equal(tries, 0); /* nothing was given back */
    tpi_budget_release(guest, 1);
    turn(s);
    assert_int_equal(tries, 1);
    assert_true(tpi_budget_is_parked(guest));
    tpi_budget_release(guest, 0);
    turn(s);
    assert_int_equal(tries, 2);
    assert_false(tpi_budget_is_parked(guest));
    assert_int_equal(s->clients[0].ready, 1);
}

static void an_estimate_follows_the_answers(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;
    const tp_message *what =
        tp_interface_message(&tp_interface_map, TP_KIND_REQUEST, TP_MAP_REQ_GET_DATA);
    const tp_message *info =
        tp_interface_message(&tp_interface_map, TP_KIND_REQUEST, TP_MAP_REQ_GET_INFO);

    assert_int_equal(tpi_budget_estimate(guest, what), MEGABYTE);
    assert_in_range(tpi_budget_estimate(guest, info), sizeof(tp_map_info), 1000);
    tpi_budget_answered(guest, what, 0, 4 * MEGABYTE);
    assert_int_equal(tpi_budget_estimate(s->clients[4].session, what), 4 * MEGABYTE);
    tpi_budget_answered(guest, what, 4 * MEGABYTE, 0);
    assert_int_equal(tpi_budget_estimate(s->clients[6].session, what), 3 * MEGABYTE);
}

/* A guest may ask for little until it asks for much. */
static void small_answers_make_no_room_for_many_requests_of_guests(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session, *member = s->clients[6].session;
    const tp_message *what =
        tp_interface_message(&tp_interface_map, TP_KIND_REQUEST, TP_MAP_REQ_GET_DATA);

    tpi_budget_answered(guest, what, 0, 100);
    assert_int_equal(tpi_budget_estimate(guest, what), MEGABYTE);
    assert_int_equal(tpi_budget_estimate(member, what), 100);
    tpi_budget_answered(guest, what, 100, 4 * MEGABYTE);
    for (int i = 0; i < 100; i++) {
        tpi_budget_answered(guest, what, 0, 0);
    }
    assert_int_equal(tpi_budget_estimate(guest, what), 4 * MEGABYTE);
    assert_in_range(tpi_budget_estimate(member, what), 0, 100);
    tpi_budget_answered(member, what, 100, 30 * MEGABYTE); /* guests still find room for one */
    assert_int_equal(tpi_budget_estimate(guest, what), 6 * MEGABYTE);
}

/* ---- Large answers --------------------------------------------------------------------------- */

static tp_msg *make_tile(uint32_t seq, uint32_t count)
{
    static int8_t cells[200000];
    const tp_map_data tile = {.width = count, .height = 1, .data_count = count, .data = cells};
    const tp_msghdr header = {.type = TP_MSGTYPE_RESP_ACK,
                              .subtype = TP_MAP_REQ_GET_DATA,
                              .seq = seq,
                              .addr = {.interf = TP_MAP_CODE}};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, &tp_desc_map_data, &tile), TP_OK);
    return msg;
}

static void answer(tp_session *session, uint32_t seq, uint32_t count)
{
    tp_msg *msg = make_tile(seq, count);

    tpi_budget_reserve(session, count);
    tpi_maker_answer(session, msg, count);
    tp_msg_unref(msg);
}

static void large_answers_are_encoded_elsewhere_and_keep_their_order(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;

    tp_session_only_sends(guest, &tp_encoding_player);
    answer(guest, 1, 200000);
    assert_int_equal(tp_session_waiting(guest), 0);
    answer(guest, 2, 10);
    assert_int_equal(tp_session_waiting(guest), 0); /* it is behind the first */
    while (tp_session_waiting(guest) < 2) {
        turn(s);
    }
    assert_int_equal(tp_msg_header(tp_session_peek(guest, 0))->seq, 1);
    assert_null(tp_msg_payload(tp_session_peek(guest, 0)));
    assert_in_range(tp_session_peek(guest, 0)->weight, 100, 4096); /* compressed */
    assert_int_equal(tp_msg_header(tp_session_peek(guest, 1))->seq, 2);
    assert_int_equal(guest->account.own.answers, 0);
}

static void a_client_may_leave_while_its_answers_are_made(void **state)
{
    struct scene *s = *state;

    for (int i = 0; i < CLIENTS; i++) {
        tp_session_only_sends(s->clients[i].session, &tp_encoding_player);
        answer(s->clients[i].session, 1, 200000);
        leave(s, i);
    }
    turn(s);
}

static sem_t thread_is_there, thread_goes_on;

static tp_status wait_for_test(const tp_msghdr *header, const tp_struct *type, const void *value,
                               size_t *size)
{
    (void)header;
    (void)type;
    (void)value;
    (void)size;
    sem_post(&thread_is_there);
    sem_wait(&thread_goes_on);
    return TP_E_LIMIT;
}

/* The thread is at the answer of another guest when a client leaves. */
static void answers_of_clients_that_leave_are_dropped_at_once(void **state)
{
    static const tp_encoding slow = {.name = "slow", .size = wait_for_test};
    struct scene *s = *state;
    tp_msg *tile = make_tile(1, 200000);

    assert_int_equal(sem_init(&thread_is_there, 0, 0) | sem_init(&thread_goes_on, 0, 0), 0);
    tp_session_only_sends(s->clients[0].session, &slow);
    answer(s->clients[0].session, 1, 200000);
    sem_wait(&thread_is_there);
    tp_session_only_sends(s->clients[2].session, &tp_encoding_player);
    tpi_budget_reserve(s->clients[2].session, 200000);
    tpi_maker_answer(s->clients[2].session, tile, 200000);
    const unsigned before = tile->references;
    leave(s, 2);
    const unsigned after = tile->references;
    sem_post(&thread_goes_on);
    assert_int_equal(before, 2);
    assert_int_equal(after, 1);
    while (tp_session_waiting(s->clients[0].session) < 1) {
        turn(s);
    }
    tp_msg_unref(tile);
}

/* ---- Held bytes ------------------------------------------------------------------------------ */

static void a_guest_sends_short_messages(void **state)
{
    struct scene *s = *state;

    assert_int_equal(tp_session_longest_message(s->clients[0].session), 65536);
    assert_int_equal(tp_session_longest_message(s->clients[6].session), TP_XDR_MAX_MESSAGE_SIZE);
}

static void the_guest_that_holds_most_is_closed(void **state)
{
    struct scene *s = *state;

    assert_true(tp_session_hold(s->clients[0].session, 3 * MEGABYTE, true));
    assert_true(tp_session_hold(s->clients[2].session, 100, true));
    assert_true(tp_session_hold(s->clients[1].session, 2 * MEGABYTE, true)); /* its host has 5 MB */
    assert_int_equal(s->clients[0].lost, 1);
    assert_int_equal(s->clients[1].lost + s->clients[2].lost, 0);
    assert_true(tp_session_hold(s->clients[1].session, 3 * MEGABYTE, true)); /* one was enough */
    assert_int_equal(s->clients[1].lost + s->clients[2].lost, 0);
}

static void members_hold_what_they_need_whatever_guests_hold(void **state)
{
    struct scene *s = *state;

    for (int i = 0; i < 6; i++) {
        (void)tp_session_hold(s->clients[i].session, 3 * MEGABYTE, true);
    }
    assert_true(tp_session_hold(s->clients[6].session, 40 * MEGABYTE, true));
    assert_int_equal(s->clients[6].lost, 0);
    assert_false(tp_session_hold(s->clients[7].session, 41 * MEGABYTE, true)); /* most of all */
    assert_int_equal(s->clients[6].lost, 0);
    assert_int_equal(s->clients[7].lost, 1);
}

/* ---- Replies that nobody reads --------------------------------------------------------------- */

static void answers_that_the_front_holds_count_like_those_of_the_queue(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;

    tp_session_owes(guest, 200000);
    assert_false(tp_session_is_busy(guest));
    tpi_budget_queued(guest, 100000);
    assert_true(tp_session_is_busy(guest));
    tp_session_owes(guest, 0);
    assert_false(tp_session_is_busy(guest));
    assert_int_equal(guest->account.own.queued, 100000);
    for (int i = 1; i < 5; i++) {
        tp_session_owes(s->clients[i].session, (size_t)(7 + i) * MEGABYTE);
    }
    assert_int_equal(s->clients[4].lost, 1);
    assert_int_equal(s->clients[1].lost + s->clients[2].lost + s->clients[3].lost, 0);
}

static void answers_that_the_front_makes_are_work(void **state)
{
    struct scene *s = *state;

    tp_session_answered(s->clients[0].session, MEGABYTE);
    assert_true(tp_session_is_busy(s->clients[0].session));
    turn(s);
    assert_false(tp_session_is_busy(s->clients[0].session));
}

static void what_is_long_is_sent_in_several_turns(void **state)
{
    struct scene *s = *state;
    tp_session *guest = s->clients[0].session;

    for (int round = 0; round < 3; round++) {
        assert_true(tp_session_has_turn(guest));
        tp_session_answered(guest, MEGABYTE / 4);
        assert_false(tp_session_has_turn(guest));
        assert_true(tp_session_has_turn(s->clients[6].session));
        turn(s);
        assert_int_equal(s->clients[0].ready, round + 1);
    }
}

static void a_client_with_many_replies_waits_and_the_slowest_guest_is_closed(void **state)
{
    struct scene *s = *state;

    tpi_budget_queued(s->clients[0].session, 300000);
    assert_true(tp_session_is_busy(s->clients[0].session));
    tpi_budget_queued(s->clients[0].session, 1000);
    assert_int_equal(s->clients[0].ready, 1);
    assert_false(tp_session_is_busy(s->clients[0].session));
    tpi_budget_queued(s->clients[6].session, 100 * MEGABYTE); /* a member is none of theirs */
    tpi_budget_queued(s->clients[2].session, 30 * MEGABYTE);
    assert_int_equal(s->clients[2].lost, 0);
    tpi_budget_queued(s->clients[4].session, 3 * MEGABYTE);
    assert_int_equal(s->clients[2].lost, 1);
    assert_int_equal(s->clients[4].lost + s->clients[6].lost, 0);
}

static int count_lost_guests(const struct scene *s)
{
    int lost = 0;

    for (int i = 0; i < 6; i++) {
        lost += s->clients[i].lost;
    }
    return lost;
}

static void each_answer_that_is_too_much_closes_another_guest(void **state)
{
    struct scene *s = *state;

    for (int i = 0; i < 6; i++) { /* in one turn: none of those that are lost has ended */
        tp_session_owes(s->clients[i].session, 10 * MEGABYTE);
    }
    assert_int_equal(count_lost_guests(s), 3);
    for (int i = 0; i < 6; i++) { /* those that are lost do not count */
        tp_session_owes(s->clients[i].session, s->clients[i].lost > 0 ? 20 * MEGABYTE : 10000000);
    }
    assert_int_equal(count_lost_guests(s), 3);
}

/* ---- Messages that had to wait --------------------------------------------------------------- */

static void set_busy(struct scene *s, int i, bool busy)
{
    tpi_budget_queued(s->clients[i].session, busy ? 100 * MEGABYTE : 0);
    assert_int_equal(tp_session_is_busy(s->clients[i].session), busy);
}

static void messages_are_as_old_as_the_client_was_busy(void **state)
{
    struct scene *s = *state;
    tp_session *member = s->clients[6].session;

    turn(s);
    turn(s);
    assert_int_equal(tpi_age_ns(member), 0);
    set_busy(s, 6, true);
    for (int i = 0; i < 20; i++) {
        pass(s, 0.2);
    }
    turn(s);
    s->clients[6].unread = 2 * MESSAGE;
    set_busy(s, 6, false);
    assert_in_range(tpi_age_ns(member), 4 * TP_NS_PER_S, 5 * TP_NS_PER_S);
    tp_session_took(member, MESSAGE);
    assert_in_range(tpi_age_ns(member), 4 * TP_NS_PER_S, 5 * TP_NS_PER_S);
    s->clients[6].unread = 3 * MESSAGE; /* two more have come: they wait for less */
    set_busy(s, 6, true);
    for (int i = 0; i < 5; i++) {
        pass(s, 0.2);
    }
    turn(s);
    set_busy(s, 6, false);
    tp_session_took(member, MESSAGE);
    assert_in_range(tpi_age_ns(member), TP_NS_PER_S, 2 * TP_NS_PER_S);
    tp_session_took(member, 2 * MESSAGE);
    assert_int_equal(tpi_age_ns(member), 0);
}

static int64_t now_ns(struct scene *s)
{
    return tp_clock_now_ns(tp_hub_clock(s->p->b.hub));
}

/* The peer's kernel can deliver old bytes while the client waits for a short time only. */
static void messages_are_as_old_as_what_the_socket_contained(void **state)
{
    struct scene *s = *state;
    tp_session *member = s->clients[6].session;

    turn(s);
    const int64_t frozen_ns = now_ns(s);
    for (int i = 0; i < 20; i++) {
        pass(s, 0.2);
    }
    turn(s);
    s->clients[6].unread = MESSAGE;
    s->clients[6].unread_since_ns = frozen_ns;
    set_busy(s, 6, true);
    pass(s, 0.01);
    set_busy(s, 6, false);
    assert_in_range(tpi_age_ns(member), 4 * TP_NS_PER_S, 5 * TP_NS_PER_S);
    assert_int_equal(tpi_age_end_ns(member, TP_NS_PER_S), frozen_ns + TP_NS_PER_S);
    s->clients[6].unread = 2 * MESSAGE; /* one more has come, of the same age */
    set_busy(s, 6, true);
    pass(s, 0.01);
    set_busy(s, 6, false);
    tp_session_took(member, MESSAGE);
    assert_in_range(tpi_age_ns(member), 4 * TP_NS_PER_S, 5 * TP_NS_PER_S);
    tp_session_took(member, MESSAGE);
    assert_int_equal(tpi_age_ns(member), 0);
    assert_int_equal(tpi_age_end_ns(member, TP_NS_PER_S), now_ns(s) + TP_NS_PER_S);
}

static void a_message_is_as_old_as_its_first_bytes(void **state)
{
    struct scene *s = *state;
    tp_session *member = s->clients[6].session;

    turn(s);
    turn(s);
    tp_session_unfinished(member, MESSAGE / 2);
    for (int i = 0; i < 20; i++) {
        pass(s, 0.2);
    }
    turn(s);
    assert_in_range(tpi_age_ns(member), 4 * TP_NS_PER_S, 5 * TP_NS_PER_S);
    tp_session_took(member, MESSAGE);
    assert_int_equal(tpi_age_ns(member), 0);
}

static void messages_are_as_old_as_their_front_has_waited(void **state)
{
    struct scene *s = *state;
    tp_session *member = s->clients[6].session;

    turn(s);
    turn(s);
    assert_true(tp_session_has_to_wait(member, true));
    for (int i = 0; i < 20; i++) {
        pass(s, 0.2);
    }
    turn(s);
    s->clients[6].unread = MESSAGE;
    assert_false(tp_session_has_to_wait(member, false));
    assert_in_range(tpi_age_ns(member), 4 * TP_NS_PER_S, 5 * TP_NS_PER_S);
    tp_session_took(member, MESSAGE);
    assert_int_equal(tpi_age_ns(member), 0);
    set_busy(s, 6, true);
    assert_true(tp_session_has_to_wait(member, false));
    set_busy(s, 6, false);
}

static void messages_are_as_old_and_as_stale_as_where_they_were_received(void **state)
{
    struct scene *s = *state;
    tp_session *door = s->clients[6].session;
    tp_session *member = s->clients[7].session;

    turn(s);
    turn(s);
    assert_true(tp_session_has_to_wait(door, true));
    for (int i = 0; i < 20; i++) {
        pass(s, 0.2);
    }
    turn(s);
    s->clients[6].unread = MESSAGE;
    assert_false(tp_session_has_to_wait(door, false));
    door->stale = MESSAGE;
    assert_int_equal(tpi_age_ns(member), 0);
    assert_false(tpi_age_is_stale(member));
    tp_session_received_by(member, door);
    assert_in_range(tpi_age_ns(member), 4 * TP_NS_PER_S, 5 * TP_NS_PER_S);
    assert_true(tpi_age_is_stale(member));
    tp_session_took(door, MESSAGE);
    assert_int_equal(tpi_age_ns(member), 0);
    assert_false(tpi_age_is_stale(member));
    tp_session_received_by(member, NULL);
}

/* A client of HTTP shows its key with each request, and its connection has none. */
static void who_receives_for_a_member_has_the_budget_of_one(void **state)
{
    struct scene *s = *state;
    tp_session *door = s->clients[0].session;

    assert_true(tpi_budget_is_guest(door));
    tp_session_received_by(s->clients[6].session, door);
    assert_false(tpi_budget_is_guest(door));
    tp_session_received_by(s->clients[6].session, NULL);
    assert_false(tpi_budget_is_guest(door));
    tp_session_received_by(s->clients[1].session, door);
    assert_true(tpi_budget_is_guest(door));
    tp_session_received_by(s->clients[1].session, NULL);
}

/* ---- Openings -------------------------------------------------------------------------------- */

static void note_opened(void *context, const tp_msghdr *request, tp_device *device,
                        tp_status status, const tp_error *err)
{
    (void)context;
    (void)request;
    (void)device;
    last_opened = status;
    opened++;
    (void)snprintf(why_refused, sizeof why_refused, "%s", status == TP_OK ? "" : err->text);
}

static tp_status open_once(struct scene *s, int i)
{
    tp_device *device = tp_session_find(s->clients[i].session, TP_PTZ_CODE, 0);
    const int before = opened;

    assert_int_equal(
        tp_session_open(s->clients[i].session, device, TP_OPEN_MODE, &(tp_msghdr){0}, note_opened),
        TP_OK);
    while (opened == before) {
        turn(s);
    }
    return last_opened;
}

static void a_device_is_open_so_often_at_most(void **state)
{
    struct scene *s = *state;
    const tpi_share *guests = &s->clients[0].session->clients->budget.classes[TPI_GUESTS];
    tp_device *device = tp_session_find(s->clients[0].session, TP_PTZ_CODE, 0);

    for (int i = 0; i < 16; i++) {
        assert_int_equal(open_once(s, 0), TP_OK);
    }
    assert_int_equal(open_once(s, 0), TP_E_LIMIT);
    assert_string_equal(why_refused, "ptz:0: the client has it open 16 times");
    assert_int_equal(open_once(s, 1), TP_OK);
    assert_int_equal(guests->openings, 17);
    assert_int_equal(tp_session_close(s->clients[0].session, device), TP_OK);
    assert_int_equal(open_once(s, 0), TP_OK);
    leave(s, 0);
    assert_int_equal(guests->openings, 1);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(open_once(s, 6), TP_OK);
    }
    assert_int_equal(open_once(s, 6), TP_E_LIMIT);
    enter(s, 0);
}

/* Only the account says how many the others have open. */
static void guests_share_room_for_openings(void **state)
{
    struct scene *s = *state;
    tpi_share *guests = &s->clients[0].session->clients->budget.classes[TPI_GUESTS];

    guests->openings += 40 << 10;
    assert_int_equal(open_once(s, 0), TP_OK); /* one of its own few */
    s->clients[0].session->account.own.openings += 31;
    assert_int_equal(open_once(s, 0), TP_E_LIMIT);
    assert_string_equal(why_refused,
                        "ptz:0: clients that may only read have too many devices open");
    assert_int_equal(open_once(s, 6), TP_OK);
    s->clients[0].session->account.own.openings -= 31;
    guests->openings -= 40 << 10;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_guest_has_its_share_of_a_turn, begin, end),
        cmocka_unit_test_setup_teardown(guests_cannot_use_the_turn_of_members, begin, end),
        cmocka_unit_test_setup_teardown(guests_of_a_host_share_its_account, begin, end),
        cmocka_unit_test_setup_teardown(a_client_on_a_unix_socket_that_may_only_read_is_a_guest,
                                        begin, end),
        cmocka_unit_test_setup_teardown(data_that_waits_for_guests_has_a_limit_for_all_of_them,
                                        begin, end),
        cmocka_unit_test_setup_teardown(what_goes_to_guests_goes_out_last, begin, end),
        cmocka_unit_test_setup_teardown(memory_is_given_back_after_clients_held_much, begin, end),
        cmocka_unit_test_setup_teardown(memory_is_given_back_after_much_work_in_small_pieces, begin,
                                        end),
        cmocka_unit_test_setup_teardown(it_is_given_back_after_a_while_though_the_work_goes_on,
                                        begin, end),
        cmocka_unit_test_setup_teardown(the_one_that_had_nothing_goes_on_first, begin, end),
        cmocka_unit_test_setup_teardown(a_new_one_does_not_wait_for_those_that_flood, begin, end),
        cmocka_unit_test_setup_teardown(new_ones_that_come_again_and_again_keep_no_old_one_out,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_client_that_has_closed_its_side_goes_on_last, begin, end),
        cmocka_unit_test_setup_teardown(of_many_guests_that_wait_some_go_on_in_a_turn, begin, end),
        cmocka_unit_test_setup_teardown(a_key_ends_the_wait_among_guests, begin, end),
        cmocka_unit_test_setup_teardown(guests_wait_while_much_of_theirs_is_being_made, begin, end),
        cmocka_unit_test_setup_teardown(a_new_one_shows_its_key_at_once, begin, end),
        cmocka_unit_test_setup_teardown(to_wait_is_no_work, begin, end),
        cmocka_unit_test_setup_teardown(a_client_that_waits_may_leave, begin, end),
        cmocka_unit_test_setup_teardown(a_key_makes_a_member, begin, end),
        cmocka_unit_test_setup_teardown(an_empty_account_admits_any_answer, begin, end),
        cmocka_unit_test_setup_teardown(all_guests_together_leave_the_members_their_account, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_waits_for_room_is_tried_at_the_end_of_turns, begin,
                                        end),
        cmocka_unit_test_setup_teardown(an_estimate_follows_the_answers, begin, end),
        cmocka_unit_test_setup_teardown(small_answers_make_no_room_for_many_requests_of_guests,
                                        begin, end),
        cmocka_unit_test_setup_teardown(large_answers_are_encoded_elsewhere_and_keep_their_order,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_client_may_leave_while_its_answers_are_made, begin, end),
        cmocka_unit_test_setup_teardown(answers_of_clients_that_leave_are_dropped_at_once, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_guest_sends_short_messages, begin, end),
        cmocka_unit_test_setup_teardown(the_guest_that_holds_most_is_closed, begin, end),
        cmocka_unit_test_setup_teardown(members_hold_what_they_need_whatever_guests_hold, begin,
                                        end),
        cmocka_unit_test_setup_teardown(answers_that_the_front_holds_count_like_those_of_the_queue,
                                        begin, end),
        cmocka_unit_test_setup_teardown(answers_that_the_front_makes_are_work, begin, end),
        cmocka_unit_test_setup_teardown(what_is_long_is_sent_in_several_turns, begin, end),
        cmocka_unit_test_setup_teardown(
            a_client_with_many_replies_waits_and_the_slowest_guest_is_closed, begin, end),
        cmocka_unit_test_setup_teardown(each_answer_that_is_too_much_closes_another_guest, begin,
                                        end),
        cmocka_unit_test_setup_teardown(messages_are_as_old_as_the_client_was_busy, begin, end),
        cmocka_unit_test_setup_teardown(messages_are_as_old_as_what_the_socket_contained, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_message_is_as_old_as_its_first_bytes, begin, end),
        cmocka_unit_test_setup_teardown(messages_are_as_old_as_their_front_has_waited, begin, end),
        cmocka_unit_test_setup_teardown(
            messages_are_as_old_and_as_stale_as_where_they_were_received, begin, end),
        cmocka_unit_test_setup_teardown(who_receives_for_a_member_has_the_budget_of_one, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_device_is_open_so_often_at_most, begin, end),
        cmocka_unit_test_setup_teardown(guests_share_room_for_openings, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
