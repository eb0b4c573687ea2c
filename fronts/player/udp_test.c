/*
 * udp_test.c - the Player protocol on UDP: who is greeted, who is heard, and for how long.
 *
 * Clients are sockets on the same loop as the front; the clock stands still unless it is moved.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/bench.h"
#include "fronts/player/inside.h"
#include "session/clients.h"
#include "session/front.h"
#include "support/unit.h"
#include "troupe/datagram.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/interfaces/player.h"

enum { LONG = 70000, OPAQUE = TP_OPAQUE_CODE };

/* ---- A driver that answers at once, at length, or never -------------------------------------- */

static unsigned char long_bytes[LONG];
static unsigned starts;
static unsigned stops;
static tp_ticket *tickets[512];
static unsigned ticket_count;

static tp_status echo_request(tp_device *device, const tp_opaque_data *ask, tp_opaque_data *answer,
                              tp_error *err)
{
    (void)err;
    if (ask->data_count == 1 && ask->data[0] == 'd') {
        tickets[ticket_count++] = tp_device_defer(device);
        return TP_PENDING;
    }
    *answer = *ask;
    if (ask->data_count == 1 && ask->data[0] == 'l') {
        *answer = (tp_opaque_data){.data_count = LONG, .data = long_bytes};
    }
    return TP_OK;
}

static tp_status echo_command(tp_device *device, const tp_opaque_data *ask, tp_error *err)
{
    (void)err;
    const tp_opaque_data data = {.data_count = LONG, .data = long_bytes};

    return tp_publish(device, TP_OPAQUE_DATA_STATE,
                      ask->data_count == 1 && ask->data[0] == 'l' ? &data : ask, 0);
}

static const tp_opaque_ops echo_device = {.cmd_data = echo_command, .req_data = echo_request};

static tp_status echo_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_opaque, NULL, &echo_device, NULL, NULL, err);
}

static tp_status echo_start(tp_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    starts++;
    return TP_OK;
}

static void echo_stop(tp_instance *self)
{
    (void)self;
    stops++;
}

static const tp_driver_ops echo_ops = {.init = echo_init, .start = echo_start, .stop = echo_stop};
static const tp_driver echo = {.abi = TP_DRIVER_ABI,
                               .name = "echo",
                               .summary = "gives back what it gets",
                               .ops = &echo_ops,
                               .flags = TP_DRIVER_ON_LOOP};

/* ---- The stage ------------------------------------------------------------------------------- */

struct stage {
    bench bench;
    bench_plan *plan;
    tp_front_instance *front;
    tp_peer server;
};

/* A client: a socket that remembers the last datagram. */
struct talker {
    struct stage *stage;
    tp_datagram *datagram;
    unsigned received;
    size_t length;
    unsigned char bytes[65536];
};

static tp_status open_at(struct stage *s, const char *address, int most_clients,
                         tp_front_instance **out, const char **blamed)
{
    const tpi_setting_value value = {.number = most_clients, .text = ""};
    const tpi_setting clients = {.name = "clients", .values = &value, .value_count = 1};
    const tpi_front_opening opening = {.front = &tp_front_player,
                                       .hub = s->bench.hub,
                                       .loop = s->bench.loop,
                                       .place = {.address = address, .robot = BENCH_ROBOT},
                                       .settings = &clients,
                                       .setting_count = 1};

    return tpi_front_open(out, &opening, blamed, &s->bench.err);
}

static void open_front(struct stage *s, int most_clients)
{
    char address[64];

    assert_int_equal(open_at(s, "udp:127.0.0.1:0", most_clients, &s->front, NULL), TP_OK);
    (void)snprintf(address, sizeof address, "udp:127.0.0.1:%u", tpi_front_port(s->front));
    assert_int_equal(tp_peer_parse(&s->server, address, &s->bench.err), TP_OK);
}

static int set_up(void **state)
{
    const bench_section section = {.driver = &echo, .provides = "opaque:0"};
    struct stage *s = calloc(1, sizeof *s);

    assert_non_null(s);
    bench_init(&s->bench);
    s->plan = bench_plan_create(s->bench.catalogue, &section, 0);
    assert_int_equal(tpi_hub_add(s->bench.hub, bench_plan_blueprint(s->plan), NULL, &s->bench.err),
                     TP_OK);
    open_front(s, 0);
    starts = stops = ticket_count = 0;
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *s = *state;

    tpi_front_close(s->front);
    bench_fini(&s->bench);
    bench_plan_destroy(s->plan);
    free(s);
    return 0;
}

static void receive(void *context, const tp_peer *from, const void *bytes, size_t length)
{
    struct talker *t = context;

    assert_int_equal(from->length, t->stage->server.length);
    assert_memory_equal(from->bytes, t->stage->server.bytes, from->length);
    t->received++;
    t->length = length;
    memcpy(t->bytes, bytes, length);
}

static struct talker *new_talker(struct stage *s)
{
    struct talker *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->stage = s;
    assert_int_equal(
        tp_datagram_open(&t->datagram, s->bench.loop, "udp:127.0.0.1:0", receive, t, &s->bench.err),
        TP_OK);
    return t;
}

static void end_talker(struct talker *t)
{
    tp_datagram_close(t->datagram);
    free(t);
}

static void send_bytes(struct talker *t, const void *bytes, size_t length)
{
    assert_int_equal(tp_datagram_send(t->datagram, &t->stage->server, bytes, length), TP_OK);
}

static void send_message(struct talker *t, unsigned interf, unsigned type, unsigned subtype,
                         const tp_struct *body, const void *value)
{
    const tp_msghdr header = {.addr = {.interf = (uint16_t)interf},
                              .type = (uint8_t)type,
                              .subtype = (uint8_t)subtype,
                              .seq = 7};
    const void *bytes;
    size_t length;
    tp_msg *msg;

    assert_int_equal(tp_msg_create(&msg, &header, body, value), TP_OK);
    assert_int_equal(tp_msg_encode(msg, &tp_encoding_player, &bytes, &length), TP_OK);
    send_bytes(t, bytes, length);
    tp_msg_unref(msg);
}

static void turn(struct stage *s)
{
    tp_loop_turn(s->bench.loop, false);
}

/* Wait until so many datagrams have come in all. */
static void wait_for(struct talker *t, unsigned received)
{
    while (t->received < received) {
        tp_loop_turn(t->stage->bench.loop, true);
    }
    assert_int_equal(t->received, received);
}

static void greet(struct talker *t)
{
    const unsigned before = t->received;

    send_bytes(t, "", 0);
    wait_for(t, before + 1);
    assert_int_equal(t->length, 32);
    assert_memory_equal(t->bytes, "Player v.3.1.1-dev\0\0\0\0\0\0\0\0\0\0\0\0\0", 32);
}

/* What the last datagram is. */
static tp_msghdr header_of(const struct talker *t)
{
    tp_msghdr header;

    assert_true(t->length >= TP_XDR_HEADER_SIZE);
    assert_int_equal(
        tp_xdr_decode(&tp_desc_msghdr, t->bytes, TP_XDR_HEADER_SIZE, &header, sizeof header),
        TP_OK);
    assert_int_equal(header.size, t->length - TP_XDR_HEADER_SIZE);
    return header;
}

static void expect(const struct talker *t, unsigned interf, unsigned type, unsigned subtype)
{
    const tp_msghdr header = header_of(t);

    assert_int_equal(header.addr.interf, interf);
    assert_int_equal(header.type, type);
    assert_int_equal(header.subtype, subtype);
}

static void list_devices(struct talker *t)
{
    const unsigned before = t->received;

    send_message(t, TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEVLIST, NULL, NULL);
    wait_for(t, before + 1);
    expect(t, TP_PLAYER_CODE, TP_MSGTYPE_RESP_ACK, TP_PLAYER_REQ_DEVLIST);
    assert_int_equal(header_of(t).seq, 7);
    assert_int_equal(t->length, TP_XDR_HEADER_SIZE + 8 + 16);
}

static void open_device(struct talker *t)
{
    const tp_device_req open = {.addr = {.interf = OPAQUE}, .access = TP_OPEN_MODE};
    const unsigned before = t->received;

    send_message(t, TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEV, &tp_desc_device_req, &open);
    wait_for(t, before + 1);
    expect(t, TP_PLAYER_CODE, TP_MSGTYPE_RESP_ACK, TP_PLAYER_REQ_DEV);
}

static void send_opaque(struct talker *t, unsigned type, const char *text)
{
    const tp_opaque_data data = {.data_count = (uint32_t)strlen(text),
                                 .data = (uint8_t *)(uintptr_t)text};

    send_message(t, OPAQUE, type, 1, &tp_desc_opaque_data, &data);
}

/* A command that comes back as data. */
static void play_ball(struct talker *t)
{
    const unsigned before = t->received;

    send_opaque(t, TP_MSGTYPE_CMD, "ball");
    wait_for(t, before + 1);
    expect(t, OPAQUE, TP_MSGTYPE_DATA, TP_OPAQUE_DATA_STATE);
    assert_memory_equal(t->bytes + TP_XDR_HEADER_SIZE + 8, "ball", 4);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void who_sends_nothing_at_all_is_greeted_and_then_served(void **state)
{
    struct talker *t = new_talker(*state);

    greet(t);
    list_devices(t);
    open_device(t);
    play_ball(t);
    end_talker(t);
}

static void who_was_not_greeted_is_not_answered(void **state)
{
    struct stage *s = *state;
    struct talker *stranger = new_talker(s);
    struct talker *known = new_talker(s);

    send_message(stranger, TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEVLIST, NULL, NULL);
    greet(known);
    list_devices(known);
    assert_int_equal(tp_player_front_counts(s->front).unknown, 1);
    assert_int_equal(tp_player_front_clients(s->front), 1);
    assert_int_equal(stranger->received, 0);
    end_talker(stranger);
    end_talker(known);
}

static void what_is_no_message_is_dropped_and_counted(void **state)
{
    struct stage *s = *state;
    struct talker *t = new_talker(s);
    unsigned char message[TP_XDR_HEADER_SIZE + 4] = {0};

    greet(t);
    message[11] = TP_PLAYER_CODE;
    message[19] = TP_MSGTYPE_REQ;
    message[23] = TP_PLAYER_REQ_DEVLIST;
    send_bytes(t, message, 1);
    send_bytes(t, message, TP_XDR_HEADER_SIZE - 1);
    send_bytes(t, message, sizeof message); /* more than the header says */
    message[39] = 8;
    send_bytes(t, message, sizeof message); /* less */
    memset(message + 36, 0xff, 4);
    send_bytes(t, message, sizeof message);
    list_devices(t);
    assert_int_equal(t->received, 2);
    assert_int_equal(tp_player_front_counts(s->front).malformed, 5);
    end_talker(t);
}

static void an_empty_datagram_begins_anew_for_its_source_only(void **state)
{
    struct stage *s = *state;
    struct talker *a = new_talker(s);
    struct talker *b = new_talker(s);

    greet(a);
    greet(b);
    open_device(a);
    open_device(b);
    greet(a);
    send_opaque(a, TP_MSGTYPE_REQ, "?");
    wait_for(a, 4);
    expect(a, OPAQUE, TP_MSGTYPE_RESP_NACK, 1); /* it is not open any more */
    play_ball(b);
    assert_int_equal(a->received, 4);
    assert_int_equal(tp_player_front_clients(s->front), 2);
    end_talker(a);
    end_talker(b);
}

static void who_is_silent_for_a_minute_is_forgotten(void **state)
{
    struct stage *s = *state;
    struct talker *busy = new_talker(s);
    struct talker *silent = new_talker(s);

    greet(busy);
    greet(silent);
    open_device(silent);
    bench_move_clock(&s->bench, 59.9);
    list_devices(busy);
    turn(s);
    assert_int_equal(tp_player_front_clients(s->front), 2);
    assert_int_equal(stops, 0);
    bench_move_clock(&s->bench, 0.1);
    turn(s);
    assert_int_equal(tp_player_front_clients(s->front), 2); /* its last word may be unread */
    bench_move_clock(&s->bench, 0.1);
    turn(s);
    assert_int_equal(tp_player_front_clients(s->front), 1);
    while (stops == 0) {
        turn(s); /* what it had open is closed */
    }
    send_message(silent, TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEVLIST, NULL, NULL);
    list_devices(busy);
    assert_int_equal(tp_player_front_counts(s->front).unknown, 1);
    send_message(busy, TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEVLIST, NULL, NULL);
    bench_move_clock(&s->bench, 60); /* as in a freeze */
    turn(s);
    bench_move_clock(&s->bench, 0.1);
    turn(s);
    assert_int_equal(tp_player_front_clients(s->front), 1);
    bench_move_clock(&s->bench, 60);
    turn(s);
    bench_move_clock(&s->bench, 0.1);
    turn(s);
    assert_int_equal(tp_player_front_clients(s->front), 0);
    end_talker(busy);
    end_talker(silent);
}

/* Others do not take the greetings of a host. */
static void each_host_has_its_own_greetings(void **state)
{
    struct stage *s = *state;
    tpi_greetings *greetings = calloc(1, sizeof *greetings);
    unsigned greeted = 0;
    char address[32];
    tp_peer peer;

    (void)s;
    assert_non_null(greetings);
    tpi_player_greetings_init(greetings, TP_NS_PER_S);
    for (unsigned host = 0; host < 240; host++) {
        (void)snprintf(address, sizeof address, "udp:10.0.0.%u:5000", host);
        assert_int_equal(tp_peer_parse(&peer, address, NULL), TP_OK);
        for (unsigned i = 0; i < 300; i++) {
            (void)tpi_player_may_greet(greetings, &peer, TP_NS_PER_S);
        }
        assert_false(tpi_player_may_greet(greetings, &peer, TP_NS_PER_S));
    }
    for (unsigned host = 0; host < 200; host++) {
        (void)snprintf(address, sizeof address, "udp:10.0.1.%u:5000", host);
        assert_int_equal(tp_peer_parse(&peer, address, NULL), TP_OK);
        greeted += tpi_player_may_greet(greetings, &peer, TP_NS_PER_S);
    }
    assert_in_range(greeted, 180, 200); /* 1 of 50 shares all its cells with others */
    free(greetings);
}

static void without_a_place_the_oldest_who_said_nothing_makes_room(void **state)
{
    struct stage *s = *state;
    struct talker *t[4];

    tpi_front_close(s->front);
    open_front(s, 2);
    for (unsigned i = 0; i < 4; i++) {
        t[i] = new_talker(s);
    }
    greet(t[0]);
    greet(t[1]);
    list_devices(t[0]);
    greet(t[2]); /* takes the place of 1 */
    list_devices(t[2]);
    open_device(t[2]);
    greet(t[3]); /* takes the place of 0, which has no device open */
    open_device(t[3]);
    send_bytes(t[1], "", 0); /* those that are left stay */
    while (tp_player_front_counts(s->front).turned_away == 0) {
        turn(s);
    }
    send_message(t[0], TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEVLIST, NULL, NULL);
    list_devices(t[2]);
    list_devices(t[3]);
    assert_int_equal(t[0]->received, 2);
    assert_int_equal(t[1]->received, 1);
    assert_int_equal(tp_player_front_clients(s->front), 2);
    for (unsigned i = 0; i < 4; i++) {
        end_talker(t[i]);
    }
}

/* ---- Forged senders -------------------------------------------------------------------------- */

/* A datagram from elsewhere. What goes back is lost, since the front's socket reaches only this
 * machine. */
static void forge(struct stage *s, unsigned host, unsigned port, const void *bytes, size_t length)
{
    tp_player_front *front = tp_front_state(s->front);
    char address[48];
    tp_peer peer;

    (void)snprintf(address, sizeof address, "udp:10.0.%u.%u:%u", host / 250, host % 250 + 1, port);
    assert_int_equal(tp_peer_parse(&peer, address, NULL), TP_OK);
    tpi_player_udp_receive(front->udp, &peer, bytes, length);
}

static void forge_greeting(struct stage *s, unsigned host, unsigned port)
{
    forge(s, host, port, "", 0);
}

static void forge_request(struct stage *s, unsigned host, unsigned port)
{
    unsigned char bytes[TP_XDR_HEADER_SIZE];
    const tp_msghdr header = {.addr = {.interf = TP_PLAYER_CODE},
                              .type = TP_MSGTYPE_REQ,
                              .subtype = TP_PLAYER_REQ_DEVLIST};

    tp_xdr_encode_header(&header, bytes);
    forge(s, host, port, bytes, sizeof bytes);
}

static uint64_t unknown_after_request(struct stage *s, unsigned host, unsigned port)
{
    const uint64_t before = tp_player_front_counts(s->front).unknown;

    forge_request(s, host, port);
    return tp_player_front_counts(s->front).unknown - before;
}

static void open_small_front(struct stage *s)
{
    tpi_front_close(s->front);
    open_front(s, 40);
}

static void forged_senders_do_not_keep_this_machine_out(void **state)
{
    struct stage *s = *state;
    struct talker *t = new_talker(s);

    open_small_front(s);
    greet(t);
    for (unsigned host = 0; host < 200; host++) {
        forge_greeting(s, host, 5000);
    }
    list_devices(t);
    for (unsigned host = 0; host < 200; host++) { /* nor if each of them has a session */
        forge_greeting(s, host, 5000);
        forge_request(s, host, 5000);
        turn(s);
    }
    list_devices(t);
    end_talker(t);
}

static void many_of_this_machine_make_room_as_others_do(void **state)
{
    struct stage *s = *state;
    struct talker *t[20];

    open_small_front(s);
    for (unsigned i = 0; i < 20; i++) {
        t[i] = new_talker(s);
        greet(t[i]);
    }
    for (unsigned host = 0; host < 21; host++) {
        forge_greeting(s, host, 5000);
    }
    send_message(t[0], TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEVLIST, NULL, NULL);
    while (tp_player_front_counts(s->front).unknown == 0) {
        turn(s);
    }
    list_devices(t[1]);
    for (unsigned i = 0; i < 20; i++) {
        end_talker(t[i]);
    }
}

static void the_host_with_the_most_sources_makes_room(void **state)
{
    struct stage *s = *state;

    open_small_front(s);
    forge_greeting(s, 1, 5000);
    for (unsigned port = 5000; port < 5100; port++) {
        forge_greeting(s, 2, port);
    }
    assert_int_equal(unknown_after_request(s, 1, 5000), 0);
    assert_int_equal(unknown_after_request(s, 2, 5000), 1);
    assert_int_equal(unknown_after_request(s, 2, 5099), 0);
}

static void a_host_with_an_owner_of_a_key_is_not_kept_out(void **state)
{
    static const tpi_key key = {"anna", "drive", TP_RIGHT_MOVE};
    const tpi_access access = {
        .keys = &key,
        .key_count = 1,
        .guests = {TP_RIGHT_READ, TP_RIGHT_READ, TP_RIGHT_READ, TP_RIGHT_READ}};
    struct stage *s = *state;

    open_small_front(s);
    assert_int_equal(tpi_hub_set_access(s->bench.hub, &access), TP_OK);
    forge_greeting(s, 1, 5000);
    forge_request(s, 1, 5000);
    tp_player_front *front = tp_front_state(s->front);
    assert_int_equal(tp_session_show_key(front->clients->session, "drive", 5, NULL), TP_OK);
    forge_greeting(s, 1, 5001);
    forge_greeting(s, 2, 5001);
    for (unsigned host = 3; host < 203; host++) {
        forge_greeting(s, host, 5000);
    }
    assert_int_equal(unknown_after_request(s, 1, 5001), 0);
    assert_int_equal(unknown_after_request(s, 1, 5000), 0);
    assert_int_equal(unknown_after_request(s, 2, 5001), 1);
}

static void only_so_many_are_greeted_in_a_second(void **state)
{
    struct stage *s = *state;

    for (unsigned i = 0; i < 100; i++) {
        forge_greeting(s, 1, 5000);
    }
    assert_int_equal(tp_player_front_counts(s->front).turned_away, 0);
    forge_greeting(s, 1, 5000);
    assert_int_equal(tp_player_front_counts(s->front).turned_away, 1);
    bench_move_clock(&s->bench, 0.01);
    forge_greeting(s, 1, 5000); /* one more for every hundredth of a second */
    forge_greeting(s, 1, 5001); /* another port is the same host */
    assert_int_equal(tp_player_front_counts(s->front).turned_away, 2);
}

/* However many senders are forged. */
static void no_other_host_takes_the_greetings_of_this_machine(void **state)
{
    struct stage *s = *state;
    struct talker *t = new_talker(s);

    for (unsigned i = 0; i < 110 * 1000; i++) {
        forge_greeting(s, i % 1000, 5000);
    }
    assert_true(tp_player_front_counts(s->front).turned_away > 9 * 1000);
    for (unsigned i = 0; i < 200; i++) {
        greet(t);
    }
    list_devices(t);
    end_talker(t);
}

static void what_fits_no_datagram_is_refused_or_lost(void **state)
{
    struct stage *s = *state;
    struct talker *t = new_talker(s);

    greet(t);
    open_device(t);
    send_opaque(t, TP_MSGTYPE_REQ, "l");
    wait_for(t, 3);
    expect(t, OPAQUE, TP_MSGTYPE_RESP_NACK, 1);
    assert_int_equal(header_of(t).seq, 7);
    send_opaque(t, TP_MSGTYPE_CMD, "l");
    play_ball(t);
    assert_int_equal(t->received, 4);
    assert_int_equal(tp_player_front_counts(s->front).unsent, 2);
    end_talker(t);
}

static void who_asks_too_much_is_refused(void **state)
{
    struct talker *t = new_talker(*state);
    const unsigned most = 256, held = 16;

    greet(t);
    open_device(t);
    for (unsigned i = 0; i < most + held; i++) {
        send_opaque(t, TP_MSGTYPE_REQ, "d");
        turn(t->stage);
    }
    send_opaque(t, TP_MSGTYPE_REQ, "d");
    wait_for(t, 3);
    expect(t, OPAQUE, TP_MSGTYPE_RESP_NACK, 1);
    assert_int_equal(ticket_count, most);
    play_ball(t); /* commands do not wait for requests */
    for (unsigned i = 0; i < most; i++) {
        tp_ticket_answer(tickets[i], &(tp_opaque_data){0});
    }
    wait_for(t, 4 + most);
    while (ticket_count < most + held) { /* those that had to wait */
        turn(t->stage);
    }
    for (unsigned i = most; i < most + held; i++) {
        tp_ticket_answer(tickets[i], &(tp_opaque_data){0});
    }
    wait_for(t, 4 + most + held);
    list_devices(t);
    end_talker(t);
}

static void a_bad_address_is_an_error(void **state)
{
    struct stage *s = *state;
    tp_front_instance *front = NULL;

    assert_int_equal(open_at(s, "udp:127.0.0.1:x", 0, &front, NULL), TP_E_SYNTAX);
    assert_string_equal(s->bench.err.text, "listen on udp:127.0.0.1:x: the port must be a number "
                                           "from 0 to 65535");
}

static void an_impossible_number_of_clients_is_an_error(void **state)
{
    struct stage *s = *state;
    tp_front_instance *front = NULL;
    const char *blamed = NULL;

    assert_int_equal(open_at(s, "udp:127.0.0.1:0", -1, &front, &blamed), TP_E_RANGE);
    assert_string_equal(s->bench.err.text, "clients must be from 0 to 100000");
    assert_string_equal(blamed, "clients");
}

int main(void)
{
#define STAGE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGE_TEST(who_sends_nothing_at_all_is_greeted_and_then_served),
        STAGE_TEST(who_was_not_greeted_is_not_answered),
        STAGE_TEST(what_is_no_message_is_dropped_and_counted),
        STAGE_TEST(an_empty_datagram_begins_anew_for_its_source_only),
        STAGE_TEST(who_is_silent_for_a_minute_is_forgotten),
        STAGE_TEST(only_so_many_are_greeted_in_a_second),
        STAGE_TEST(each_host_has_its_own_greetings),
        STAGE_TEST(without_a_place_the_oldest_who_said_nothing_makes_room),
        STAGE_TEST(forged_senders_do_not_keep_this_machine_out),
        STAGE_TEST(many_of_this_machine_make_room_as_others_do),
        STAGE_TEST(the_host_with_the_most_sources_makes_room),
        STAGE_TEST(a_host_with_an_owner_of_a_key_is_not_kept_out),
        STAGE_TEST(no_other_host_takes_the_greetings_of_this_machine),
        STAGE_TEST(what_fits_no_datagram_is_refused_or_lost),
        STAGE_TEST(who_asks_too_much_is_refused),
        STAGE_TEST(a_bad_address_is_an_error),
        STAGE_TEST(an_impossible_number_of_clients_is_an_error),
    };
#undef STAGE_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
