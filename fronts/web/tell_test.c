/*
 * tell_test.c - clients that are told of devices, in a loop that the test turns.
 *
 * A client has no stream: it reads its frames when they would be written, and knows what it was
 * told. Nothing may be told twice, and nothing be taken back that was not told.
 */
#include <stdlib.h>
#include <string.h>

#include "device/hub.h"
#include "inside.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

enum { CLIENTS = 200, DEVICES = 150, PIECE = 64 << 10, LONGEST_OF_DEVICE = 64 << 10 };

struct peer {
    struct connection c;
    struct client door;
    bool channels[DEVICES + 1], services[DEVICES + 1]; /* by number of the device */
};

static struct scene {
    tp_loop *loop;
    tpi_hub *hub;
    tp_session *session; /* of all clients: it only says when they are written to */
    struct web_front front;
    struct peer peers[CLIENTS];
    size_t count;
    size_t most_made, most_sent; /* bytes of texts, and frames for clients, in a turn */
    size_t most_told;            /* frames that were read in a turn */
    size_t told;                 /* in this one */
} s;

/* ---- Clients --------------------------------------------------------------------------------- */

/* The frame is about these devices: each of them changes from `before`. */
static void learn(bool knows[DEVICES + 1], const bool named[DEVICES + 1], bool before)
{
    for (size_t i = 1; i <= DEVICES; i++) {
        if (named[i]) {
            assert_int_equal(knows[i], before);
            knows[i] = !before;
        }
    }
}

/* Behind the next "id": ; NULL if there is none. The sanitizer makes strstr() look at the whole
 * text each time, which has megabytes. */
static const char *find_id(const char *at, const char *end)
{
    while ((at = memchr(at, 'i', (size_t)(end - at))) != NULL) {
        if (memcmp(at - 1, "\"id\":", 5) == 0) {
            return at + 4;
        }
        at++;
    }
    return NULL;
}

static void read_frame(struct peer *peer, const struct note *note)
{
    const char *text = note->frame.data + TPI_FRAME_HEAD; /* as it was made */
    const char *end = note->frame.data + note->frame.length, *at = strchr(text, '[');
    const bool gone = strncmp(text, "{\"op\":\"un", 9) == 0;
    const bool services = strncmp(text + (gone ? 18 : 16), "Services", 8) == 0;
    const unsigned ids = services ? SERVICES_OF_DEVICE : CHANNELS_OF_DEVICE;
    bool named[DEVICES + 1] = {false};

    at = gone ? at + 1 : find_id(at, end);
    while (at != NULL) {
        char *behind;
        const unsigned long id = strtoul(at, &behind, 10);

        assert_in_range(id / ids, 0, DEVICES);
        named[id / ids] = true;
        at = !gone ? find_id(behind, end) : *behind == ',' ? behind + 1 : NULL;
    }
    named[0] = false; /* the server's own are told once */
    learn(services ? peer->services : peer->channels, named, gone);
}

/* What flush() of connection.c does, for a client that reads at once. */
static void run_client(tp_after *after)
{
    struct peer *peer = (struct peer *)((char *)after - offsetof(struct peer, c) -
                                        offsetof(struct connection, flush));
    struct connection *c = &peer->c;

    if (c->phase == PHASE_GREETED && !c->ending && tpi_web_can_introduce(c)) {
        c->phase = PHASE_SOCKET;
        tpi_web_introduce(c);
    }
    for (unsigned i = 0; i < c->behind.count; i++) {
        read_frame(peer, c->behind.notes[i].note);
        tpi_web_note_unref(c->behind.notes[i].note);
        s.told++;
    }
    c->behind.count = 0;
    tpi_buf_fini(&c->out);
}

static struct peer *enter(bool brief)
{
    struct peer *peer = &s.peers[s.count++];
    struct connection *c = &peer->c;

    *peer = (struct peer){.c = {.front = &s.front, .door = &peer->door, .brief = brief},
                          .door = {.front = &s.front, .connection = &peer->c}};
    peer->door.sessions[FORM_JSON] = s.session;
    c->phase = PHASE_GREETED;
    c->flush.run = run_client;
    c->next = s.front.connections;
    s.front.connections = c;
    tp_loop_later(s.loop, &c->flush);
    return peer;
}

/* The newest one. */
static void leave(void)
{
    struct peer *peer = &s.peers[--s.count];

    tp_loop_after_cancel(s.loop, &peer->c.flush);
    s.front.connections = peer->c.next;
}

/* ---- The front ------------------------------------------------------------------------------- */

/* Bytes of all texts that are there. */
static size_t bytes_of_texts(void)
{
    struct note *const *notes = &s.front.making.notes[0][0][0];
    size_t bytes = s.front.making.text.length;

    for (unsigned i = 0; i < sizeof s.front.making.notes / sizeof notes[0]; i++) {
        bytes += notes[i] != NULL ? notes[i]->frame.length : 0;
    }
    return bytes;
}

static size_t count_frames(void)
{
    size_t count = 0;

    for (size_t i = 0; i < s.count; i++) {
        count += s.peers[i].c.behind.count;
    }
    return count;
}

static void make_some(tp_after *after)
{
    const size_t bytes = bytes_of_texts(), frames = count_frames();

    if (tpi_web_tell_step(&s.front)) {
        const size_t now = bytes_of_texts(), made = now > bytes ? now - bytes : 0;
        const size_t sent = count_frames() - frames;

        s.most_made = made > s.most_made ? made : s.most_made;
        s.most_sent = sent > s.most_sent ? sent : s.most_sent;
        tp_loop_later(s.loop, after);
    }
}

static void turn(void)
{
    s.told = 0;
    tp_loop_turn(s.loop, false);
    s.most_told = s.told > s.most_told ? s.told : s.most_told;
}

/* Turn until nothing is left to do; how many turns that took. */
static unsigned settle(void)
{
    unsigned turns = 0;

    do {
        turn();
        turns++;
        assert_true(turns < 100000);
    } while (s.front.making.step.queued);
    for (unsigned i = 0; i <= CLIENTS / 32; i++) {
        turn();
    }
    return turns;
}

/* The devices from `first` on are there, or gone: what directory.c finds. */
static void set_present(size_t first, size_t count, bool present)
{
    for (size_t i = first; i < first + count; i++) {
        s.front.devices[i].present = present;
    }
    tpi_web_tell_changes(&s.front);
}

static void expect_that_all_know(void)
{
    for (size_t i = 0; i < s.count; i++) {
        const struct peer *peer = &s.peers[i];

        assert_int_equal(peer->c.phase, PHASE_SOCKET);
        for (size_t k = 0; k < DEVICES; k++) {
            assert_int_equal(peer->channels[k + 1], s.front.devices[k].present);
            assert_int_equal(peer->services[k + 1], s.front.devices[k].present);
        }
    }
}

static void ignore(void *context)
{
    (void)context;
}

static int begin(void **state)
{
    static const tp_session_limits limits = {.data = 8, .replies = 8, .requests = 8};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    tp_error err = {0};

    (void)state;
    s = (struct scene){.count = 0};
    assert_int_equal(tp_loop_create(&s.loop, tp_clock_real(), &err), TP_OK);
    assert_int_equal(tpi_hub_create(&s.hub, s.loop, NULL, &err), TP_OK);
    assert_int_equal(
        tp_session_create(&s.session, s.hub, TP_EVERY_ROBOT, &limits, &events, NULL, &err), TP_OK);
    s.front.loop = s.loop;
    s.front.making.step.run = make_some;
    s.front.devices = calloc(DEVICES, sizeof *s.front.devices);
    assert_non_null(s.front.devices);
    s.front.device_count = s.front.device_capacity = DEVICES;
    for (unsigned i = 0; i < DEVICES; i++) {
        s.front.devices[i] = (struct web_device){
            .addr = {.robot = 1, .interf = TP_POSITION2D_CODE, .index = (uint16_t)i},
            .interface = &tp_interface_position2d};
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < s.count; i++) {
        tp_loop_after_cancel(s.loop, &s.peers[i].c.flush);
    }
    tp_loop_after_cancel(s.loop, &s.front.making.step);
    tpi_web_tell_clear(&s.front);
    tpi_web_parts_clear(&s.front);
    free(s.front.devices);
    tp_session_destroy(s.session);
    tpi_hub_destroy(s.hub);
    tp_loop_destroy(s.loop);
    return 0;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void texts_are_made_and_clients_told_in_pieces(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CLIENTS; i++) {
        enter(i % 100 != 0); /* the long texts take the test long */
    }
    (void)settle();
    expect_that_all_know();
    s.most_made = s.most_sent = s.most_told = 0;
    set_present(0, DEVICES, true);
    assert_true(settle() > 10);
    expect_that_all_know();
    assert_in_range(s.most_made, 1, PIECE + LONGEST_OF_DEVICE);
    assert_in_range(s.most_sent, 1, CLIENTS / 4);
    assert_in_range(s.most_told, 1, 4 * 32); /* frames of the clients that a turn looks at */
    s.most_made = s.most_sent = s.most_told = 0;
    set_present(0, DEVICES, false);
    assert_true(settle() > 5);
    expect_that_all_know();
    assert_in_range(s.most_made, 1, PIECE + LONGEST_OF_DEVICE);
    assert_in_range(s.most_sent, 1, CLIENTS / 4);
    assert_in_range(s.most_told, 1, 4 * 32);
}

/* Each time the change comes one turn later, until it comes after all has been told. */
static void what_changes_meanwhile_is_told_then(void **state)
{
    bool in_time = true;

    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        enter(i != 20);
    }
    (void)settle();
    for (unsigned turns = 0; in_time; turns++) {
        set_present(0, 20, true); /* of these, some go before anybody has heard of them */
        for (unsigned i = 0; i < turns; i++) {
            turn();
        }
        in_time = s.front.making.step.queued;
        set_present(10, 5, false);
        set_present(20, 5, true);
        turn();
        set_present(10, 2, true);
        (void)settle();
        expect_that_all_know();
        set_present(0, DEVICES, false);
        (void)settle();
        expect_that_all_know();
    }
}

static void who_comes_meanwhile_is_told_once(void **state)
{
    bool in_time = true;

    (void)state;
    set_present(0, 5, true);
    for (unsigned i = 0; i < 4; i++) {
        enter(i % 2 == 0);
    }
    (void)settle();
    for (unsigned turns = 0; in_time; turns++) {
        enter(true); /* the texts for new clients are there before the round */
        enter(false);
        (void)settle();
        set_present(5, 8, true);
        for (unsigned i = 0; i < turns; i++) {
            turn();
        }
        in_time = s.front.making.step.queued;
        enter(true);
        turn();
        enter(false);
        set_present(0, 3, turns % 2 == 0);
        (void)settle();
        expect_that_all_know();
        set_present(5, 8, false);
        (void)settle();
        expect_that_all_know();
        for (unsigned i = 0; i < 4; i++) {
            leave();
        }
    }
}

static void devices_that_come_and_go_keep_nobody_waiting(void **state)
{
    (void)state;
    set_present(0, DEVICES, true);
    struct peer *old = enter(true), *new = NULL;
    (void)settle();
    for (unsigned i = 0; i < 2000; i++) {
        set_present(i % DEVICES, 1, i % 7 == 0);
        turn();
        if (i == 500) {
            new = enter(false);
        }
    }
    assert_int_equal(new->c.phase, PHASE_SOCKET);
    assert_false(old->channels[140 + 1]); /* it went long ago */
    (void)settle();
    expect_that_all_know();
}

/* A client is told everything, or it is closed. */
static void without_memory_nobody_is_told_a_part(void **state)
{
    bool failed = true;

    (void)state;
    enter(true);
    enter(false);
    (void)settle();
    for (size_t n = 1; failed; n++) {
        set_present(0, 2, n % 2 == 1);
        memory_fail_at(n);
        (void)settle();
        failed = memory_has_failed();
        memory_fail_at(0);
        for (size_t i = 0; i < s.count; i++) {
            struct peer *peer = &s.peers[i];
            const bool knows = peer->channels[1] == s.front.devices[0].present &&
                               peer->services[1] == s.front.devices[0].present;

            assert_true(knows || peer->c.ending);
            if (peer->c.ending) { /* another one comes instead */
                peer->c.ending = false;
                memcpy(peer->channels + 1, (bool[2]){n % 2 == 1, n % 2 == 1}, 2 * sizeof(bool));
                memcpy(peer->services + 1, (bool[2]){n % 2 == 1, n % 2 == 1}, 2 * sizeof(bool));
            }
        }
    }
    expect_that_all_know();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_are_made_and_clients_told_in_pieces, begin, end),
        cmocka_unit_test_setup_teardown(what_changes_meanwhile_is_told_then, begin, end),
        cmocka_unit_test_setup_teardown(who_comes_meanwhile_is_told_once, begin, end),
        cmocka_unit_test_setup_teardown(devices_that_come_and_go_keep_nobody_waiting, begin, end),
        cmocka_unit_test_setup_teardown(without_memory_nobody_is_told_a_part, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
