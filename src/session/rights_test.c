/* rights_test.c - what clients may do: proofs, tries that are too many, keys that go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "conformance/puppet.h"
#include "conformance/stage.h"
#include "platform/secret.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

static const tpi_key some_keys[] = {
    {"viewer", "see", TP_RIGHT_READ},
    {"setter", "set things", TP_RIGHT_WRITE},
    {"driver", "drive", TP_RIGHT_MOVE},
    {"boss", "a secret that has more than thirty-two characters", TP_RIGHT_OPERATE},
};

static void open_device(struct stage *s, unsigned who, unsigned access)
{
    (void)visit_open(&s->visit, s->sessions[who], s->device, access);
}

static void set_keys(struct stage *s, size_t count)
{
    const tpi_access access = {.keys = some_keys,
                               .key_count = count,
                               .guests = {TP_RIGHT_READ, TP_RIGHT_MOVE, TP_RIGHT_OPERATE}};

    assert_int_equal(tpi_hub_set_access(s->b.hub, &access), TP_OK);
}

static int begin(void **state)
{
    struct stage *s = calloc(1, sizeof *s);

    assert_non_null(s);
    stage_begin(s, &puppet_driver);
    set_keys(s, 4);
    (void)stage_enter(s, 0, NULL);
    (void)stage_enter(s, 1, NULL);
    *state = s;
    return 0;
}

static int end(void **state)
{
    stage_end(*state);
    free(*state);
    return 0;
}

static void prove(uint8_t digest[TPI_DIGEST_LENGTH], const uint8_t *nonce, const char *secret)
{
    assert_int_equal(tpi_secret_proof(digest, secret, strlen(secret), nonce, TP_AUTH_NONCE_LENGTH),
                     TP_OK);
}

/* A whole try. */
static tp_status try(struct stage *s, unsigned who, const char *secret)
{
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    uint8_t digest[TPI_DIGEST_LENGTH];

    assert_int_equal(tp_session_challenge(s->sessions[who], nonce, NULL), TP_OK);
    prove(digest, nonce, secret);
    return tp_session_prove(s->sessions[who], digest, sizeof digest, &s->err);
}

static tp_status show(struct stage *s, const void *key, size_t length)
{
    return tp_session_show_key(s->sessions[0], key, length, &s->err);
}

static tp_status send(struct stage *s, tp_kind kind, unsigned code, const void *value)
{
    return visit_send(s->sessions[0], s->device, kind, code, value, 0, &s->err);
}

/* What the first client may do: 1 read, 2 write, 4 move, 8 operate. */
static unsigned abilities(struct stage *s)
{
    const tp_position2d_cmd_vel vel = {.state = 1};
    const tp_message *reset =
        tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, TP_PLAYER_REQ_RESET_PANIC);

    return (send(s, TP_KIND_REQUEST, TP_POSITION2D_REQ_GET_GEOM, NULL) == TP_OK ? 1U : 0U) |
           (send(s, TP_KIND_REQUEST, TP_POSITION2D_REQ_RESET_ODOM, NULL) == TP_OK ? 2U : 0U) |
           (send(s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel) == TP_OK ? 4U : 0U) |
           (tp_session_may(s->sessions[0], reset, NULL) == TP_OK ? 8U : 0U);
}

/* ---- Rights ---------------------------------------------------------------------------------- */

static void a_key_gives_its_right_and_those_below(void **state)
{
    struct stage *s = *state;

    assert_int_equal(abilities(s), 1);
    assert_int_equal(try(s, 0, "see"), TP_OK);
    assert_int_equal(abilities(s), 1);
    assert_int_equal(try(s, 0, "set things"), TP_OK);
    assert_int_equal(abilities(s), 3);
    assert_int_equal(try(s, 0, "drive"), TP_OK);
    assert_int_equal(abilities(s), 7);
    assert_false(tp_session_operates(s->sessions[0]));
    assert_int_equal(try(s, 0, some_keys[3].secret), TP_OK);
    assert_int_equal(abilities(s), 15);
    assert_true(tp_session_operates(s->sessions[0]));
    assert_int_equal(tp_session_right(s->sessions[0]), TP_RIGHT_OPERATE);
    assert_string_equal(tp_session_key(s->sessions[0]), "boss");
    assert_int_equal(tp_session_right(s->sessions[1]), TP_RIGHT_READ); /* nobody else got it */
}

static void where_a_client_comes_from_counts_too(void **state)
{
    struct stage *s = *state;

    tp_session_set_reach(s->sessions[0], TP_REACH_UNIX);
    assert_int_equal(abilities(s), 7);
    assert_int_equal(try(s, 0, "see"), TP_OK);
    assert_int_equal(abilities(s), 7); /* a key takes nothing away */
    tp_session_set_reach(s->sessions[0], TP_REACH_INSIDE);
    assert_int_equal(abilities(s), 15);
}

static void a_refusal_says_what_is_missing(void **state)
{
    struct stage *s = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};

    assert_int_equal(send(s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel), TP_E_DENIED);
    assert_string_equal(s->err.text, "VEL needs the right to move: give a key");
    assert_int_equal(try(s, 0, "set things"), TP_OK);
    assert_int_equal(send(s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel), TP_E_DENIED);
    assert_string_equal(
        s->err.text, "VEL needs the right to move; the key setter gives only the right to write");
    set_keys(s, 0);
    assert_int_equal(send(s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel), TP_E_DENIED);
    assert_string_equal(s->err.text,
                        "VEL needs the right to move: the server has no keys, and clients of this "
                        "address only read: give the server a key, or use its unix socket");
}

static const char *why_not(struct stage *s, unsigned code)
{
    const tp_message *what = tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, code);

    s->err.text[0] = '\0';
    (void)tp_session_may(s->sessions[0], what, &s->err);
    return s->err.text;
}

/* Each is told what is true for it. */
static void who_may_not_operate_is_told_why(void **state)
{
    struct stage *s = *state;

    assert_string_equal(
        why_not(s, TP_PLAYER_REQ_RESET_PANIC),
        "only the client that raised it, or an operator's key, ends a panic: give a key");
    assert_string_equal(why_not(s, TP_PLAYER_REQ_KICK),
                        "KICK needs the right to operate: an operator's key: give a key");
    assert_int_equal(try(s, 0, "drive"), TP_OK);
    assert_string_equal(
        why_not(s, TP_PLAYER_REQ_RESET_PANIC),
        "only the client that raised it, or an operator's key, ends a panic; the key driver "
        "gives only the right to move");
}

static void where_nobody_may_operate_it_is_told_who_stands_in(void **state)
{
    struct stage *s = *state;

    set_keys(s, 3); /* without the operator's */
    assert_string_equal(why_not(s, TP_PLAYER_REQ_RESET_PANIC),
                        "only the client that raised it, or a client on the server's own machine "
                        "with the right to move, "
                        "ends a panic: there is no operator's key");
    tp_session_set_local(s->sessions[0], true);
    assert_false(tp_session_operates(s->sessions[0])); /* it may only read */
    assert_string_equal(why_not(s, TP_PLAYER_REQ_RESET_PANIC),
                        "only the client that raised it, or a client on the server's own machine "
                        "with the right to move, "
                        "ends a panic: give a key");
    assert_int_equal(try(s, 0, "set things"), TP_OK);
    assert_string_equal(why_not(s, TP_PLAYER_REQ_KICK),
                        "KICK needs the right to operate: a client on the server's own machine "
                        "with the right to move; the key setter gives only the right to write");
    assert_int_equal(try(s, 0, "drive"), TP_OK);
    assert_string_equal(why_not(s, TP_PLAYER_REQ_RESET_PANIC), "");
    assert_string_equal(why_not(s, TP_PLAYER_REQ_KICK), "");
    assert_true(tp_session_operates(s->sessions[0]));
    set_keys(s, 4);
    assert_false(tp_session_operates(s->sessions[0])); /* there is an operator's key */
    set_keys(s, 0);
    assert_string_equal(why_not(s, TP_PLAYER_REQ_RESET_PANIC),
                        "only the client that raised it, or a client on the server's own machine "
                        "with the right to move, "
                        "ends a panic: the server has no keys, and clients of this address only "
                        "read: give the server a key, or use its unix socket");
}

static void who_may_only_read_opens_to_read_only(void **state)
{
    static const unsigned refused[] = {TP_WRITE_MODE, TP_ALL_MODE, TP_EXCLUSIVE_MODE};
    struct stage *s = *state;

    for (unsigned i = 0; i < 3; i++) {
        open_device(s, 0, refused[i]);
        assert_int_equal(s->visit.refusal.code, TP_E_DENIED);
        assert_string_equal(
            s->visit.refusal.text,
            refused[i] == TP_EXCLUSIVE_MODE
                ? "opening position2d:0 exclusively needs the right to move: give a key"
                : "opening position2d:0 to write needs the right to write: give a key");
    }
    open_device(s, 0, TP_READ_MODE);
    assert_int_equal(s->visit.refusal.code, TP_OK);
    assert_int_equal(try(s, 0, "set things"), TP_OK);
    for (unsigned i = 0; i < 3; i++) {
        open_device(s, 0, refused[i]);
        assert_int_equal(s->visit.refusal.code,
                         refused[i] == TP_EXCLUSIVE_MODE ? TP_E_DENIED : TP_OK);
    }
}

/* It would keep away the client that may move it. */
static void exclusive_access_to_what_moves_needs_the_right_to_move(void **state)
{
    struct stage *s = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};

    assert_int_equal(try(s, 1, "set things"), TP_OK);
    open_device(s, 1, TP_EXCLUSIVE_MODE);
    assert_int_equal(s->visit.refusal.code, TP_E_DENIED);
    assert_string_equal(s->visit.refusal.text,
                        "opening position2d:0 exclusively needs the right to move; the key setter "
                        "gives only the right to write");
    assert_int_equal(try(s, 0, "drive"), TP_OK);
    assert_int_equal(send(s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel), TP_OK);
    open_device(s, 0, TP_EXCLUSIVE_MODE);
    assert_int_equal(s->visit.refusal.code, TP_OK);
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

static void a_challenge_is_good_for_one_proof(void **state)
{
    struct stage *s = *state;
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    uint8_t digest[TPI_DIGEST_LENGTH];

    assert_int_equal(tp_session_challenge(s->sessions[0], nonce, NULL), TP_OK);
    prove(digest, nonce, "set things");
    assert_int_equal(tp_session_prove(s->sessions[0], digest, sizeof digest, NULL), TP_OK);
    set_keys(s, 0); /* it loses what it had */
    set_keys(s, 4);
    assert_int_equal(tp_session_prove(s->sessions[0], digest, sizeof digest, &s->err),
                     TP_E_INVALID); /* a replay */
    assert_string_equal(s->err.text, "ask for a challenge first; each is good for one proof");
    assert_int_equal(tp_session_challenge(s->sessions[0], nonce, NULL), TP_OK);
    assert_int_equal(tp_session_prove(s->sessions[0], digest, sizeof digest, NULL), TP_E_DENIED);
    assert_int_equal(abilities(s), 1);
}

static void a_new_challenge_ends_the_one_before(void **state)
{
    struct stage *s = *state;
    uint8_t nonces[2][TP_AUTH_NONCE_LENGTH];
    uint8_t digest[TPI_DIGEST_LENGTH];

    assert_int_equal(tp_session_challenge(s->sessions[0], nonces[0], NULL), TP_OK);
    assert_int_equal(tp_session_challenge(s->sessions[0], nonces[1], NULL), TP_OK);
    assert_memory_not_equal(nonces[0], nonces[1], sizeof nonces[0]);
    prove(digest, nonces[0], "drive");
    assert_int_equal(tp_session_prove(s->sessions[0], digest, sizeof digest, NULL), TP_E_DENIED);
    assert_int_equal(abilities(s), 1);
}

static void a_proof_for_another_connection_is_worth_nothing(void **state)
{
    struct stage *s = *state;
    uint8_t nonces[2][TP_AUTH_NONCE_LENGTH];
    uint8_t digest[TPI_DIGEST_LENGTH];

    assert_int_equal(tp_session_challenge(s->sessions[0], nonces[0], NULL), TP_OK);
    assert_int_equal(tp_session_challenge(s->sessions[1], nonces[1], NULL), TP_OK);
    prove(digest, nonces[1], "drive");
    assert_int_equal(tp_session_prove(s->sessions[0], digest, sizeof digest, NULL), TP_E_DENIED);
    assert_int_equal(tp_session_prove(s->sessions[1], digest, sizeof digest, NULL), TP_OK);
    assert_int_equal(tp_session_right(s->sessions[0]), TP_RIGHT_READ);
    assert_int_equal(tp_session_right(s->sessions[1]), TP_RIGHT_MOVE);
}

static void a_truncated_proof_is_wrong(void **state)
{
    struct stage *s = *state;
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    uint8_t digest[TPI_DIGEST_LENGTH + 1] = {0};

    for (size_t length = 0; length <= sizeof digest; length++) {
        assert_int_equal(tp_session_challenge(s->sessions[0], nonce, NULL), TP_OK);
        prove(digest, nonce, "drive");
        assert_int_equal(tp_session_prove(s->sessions[0], digest, length, NULL),
                         length == TPI_DIGEST_LENGTH ? TP_OK : TP_E_DENIED);
        bench_move_clock(&s->b, 64);
    }
}

static void old_clients_show_the_key_itself(void **state)
{
    struct stage *s = *state;

    assert_int_equal(show(s, "set things", 10), TP_OK);
    assert_int_equal(abilities(s), 3);
    assert_int_equal(show(s, "drive", sizeof "drive"), TP_OK); /* some send the NUL too */
    assert_int_equal(abilities(s), 7);
    assert_int_equal(show(s, "driv", 4), TP_E_DENIED);
    assert_string_equal(s->err.text, "no key of this server fits; wait 1 s before the next try");
    assert_int_equal(abilities(s), 7); /* what it has it keeps */
    bench_move_clock(&s->b, 1);
    assert_int_equal(show(s, "", 0), TP_E_DENIED);
}

static void without_keys_there_is_nothing_to_prove(void **state)
{
    struct stage *s = *state;
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];

    set_keys(s, 0);
    assert_int_equal(tp_session_challenge(s->sessions[0], nonce, &s->err), TP_E_UNSUPPORTED);
    assert_string_equal(s->err.text, "the server has no keys");
    assert_int_equal(show(s, "", 0), TP_E_UNSUPPORTED);
    assert_int_equal(tp_session_prove(s->sessions[0], nonce, sizeof nonce, &s->err),
                     TP_E_UNSUPPORTED);
}

/* ---- Too many tries -------------------------------------------------------------------------- */

static void each_wrong_try_makes_the_next_one_wait_longer(void **state)
{
    static const double waits_s[] = {1, 2, 4, 8, 16, 32, 64, 64, 64};
    struct stage *s = *state;

    for (size_t i = 0; i < sizeof waits_s / sizeof waits_s[0]; i++) {
        assert_int_equal(try(s, 0, "wrong"), TP_E_DENIED);
        bench_move_clock(&s->b, waits_s[i] - 0.5);
        assert_int_equal(try(s, 0, "drive"), TP_E_LIMIT); /* not even looked at */
        assert_string_equal(s->err.text, "a wrong key came before: wait 0.5 s before the next try");
        bench_move_clock(&s->b, 0.5);
    }
    assert_int_equal(try(s, 0, "drive"), TP_OK);
    assert_int_equal(try(s, 0, "wrong"), TP_E_DENIED);
    assert_string_equal(s->err.text, "no key of this server fits; wait 1 s before the next try");
    assert_int_equal(try(s, 1, "drive"), TP_OK); /* others do not wait */
}

static void collect(void *context, const char *text)
{
    tpi_buf_printf(context, "%s\n", text);
}

static void the_owner_hears_of_wrong_keys_but_not_of_each(void **state)
{
    struct stage *s = *state;
    tpi_buf notes = {0};
    char wanted[512];

    tpi_hub_set_note(s->b.hub, collect, &notes);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(try(s, 0, "wrong"), TP_E_DENIED);
        bench_move_clock(&s->b, 64);
    }
    tpi_hub_set_note(s->b.hub, NULL, NULL);
    const char *who = s->sessions[0]->identity.name;
    (void)snprintf(wanted, sizeof wanted,
                   "a wrong key came from %s; 1 since the start\n"
                   "a wrong key came from %s; 2 since the start\n"
                   "a wrong key came from %s; 4 since the start\n",
                   who, who, who);
    assert_string_equal(tpi_buf_text(&notes), wanted);
    tpi_buf_fini(&notes);
}

static void ten_thousand_wrong_tries_are_worth_a_few(void **state)
{
    struct stage *s = *state;
    unsigned looked_at = 0;

    for (unsigned i = 0; i < 10000; i++) {
        looked_at += try(s, 0, "wrong") == TP_E_DENIED;
        bench_move_clock(&s->b, 0.01);
    }
    assert_int_equal(looked_at, 7); /* in 100 s: at 0, 1, 3, 7, 15, 31, 63 */
    assert_int_equal(abilities(s), 1);
}

/* A try on a connection of its own. */
static tp_status try_anew(struct stage *s, const char *from, const char *secret)
{
    tp_session *session = visit_begin(&s->visit, from);
    tp_status status = tp_session_show_key(session, secret, strlen(secret), &s->err);
    tp_session_destroy(session);
    return status;
}

/* Wrong tries of others, from its own host or from many, keep no owner of a key out. */
static void a_right_key_is_judged_whatever_others_try(void **state)
{
    struct stage *s = *state;
    char from[32];

    for (unsigned i = 0; i < 4800; i++) {
        snprintf(from, sizeof from, "10.0.0.%u:%u", i % 240, 40000 + i / 240);
        assert_int_equal(try_anew(s, from, "wrong"), TP_E_DENIED);
    }
    assert_int_equal(try_anew(s, "10.0.0.7:50000", "drive"), TP_OK);
    assert_int_equal(try_anew(s, "10.0.1.7:50000", "drive"), TP_OK);
    assert_int_equal(try_anew(s, "unix", "drive"), TP_OK);
}

static void a_key_in_a_reset_is_a_try_too(void **state)
{
    struct stage *s = *state;

    tp_session_panic(s->sessions[1], "test");
    assert_int_equal(tp_session_reset_panic(s->sessions[0], 1, "wrong", &s->err), TP_E_DENIED);
    assert_int_equal(tp_session_reset_panic(s->sessions[0], 1, some_keys[3].secret, &s->err),
                     TP_E_LIMIT);
    bench_move_clock(&s->b, 1);
    assert_int_equal(tp_session_reset_panic(s->sessions[0], 1, "drive", &s->err), TP_E_DENIED);
    assert_string_equal(s->err.text,
                        "only the client that raised it, or an operator's key, ends a panic; the "
                        "key driver gives only the right to move");
    assert_int_equal(tp_session_reset_panic(s->sessions[0], 1, some_keys[3].secret, &s->err),
                     TP_OK);
}

/* ---- Keys that go ---------------------------------------------------------------------------- */

static void who_has_a_key_that_goes_loses_its_right(void **state)
{
    struct stage *s = *state;

    assert_int_equal(try(s, 0, "set things"), TP_OK);
    assert_int_equal(try(s, 1, "drive"), TP_OK);
    set_keys(s, 2); /* without the second one's */
    assert_int_equal(tp_session_right(s->sessions[0]), TP_RIGHT_WRITE);
    assert_int_equal(tp_session_right(s->sessions[1]), TP_RIGHT_READ);
    assert_string_equal(tp_session_key(s->sessions[1]), "");
}

/* Both its name and its secret count. */
static void a_key_with_another_secret_is_another_key(void **state)
{
    const tpi_key changed[] = {{"driver", "steer", TP_RIGHT_MOVE},
                               {"pilot", "drive", TP_RIGHT_MOVE}};
    const tpi_access access = {.keys = changed,
                               .key_count = 2,
                               .guests = {TP_RIGHT_READ, TP_RIGHT_READ, TP_RIGHT_OPERATE}};
    struct stage *s = *state;

    assert_int_equal(try(s, 0, "drive"), TP_OK);
    assert_int_equal(tpi_hub_set_access(s->b.hub, &access), TP_OK);
    assert_int_equal(tp_session_right(s->sessions[0]), TP_RIGHT_READ);
}

static void what_it_moved_stops(void **state)
{
    struct stage *s = *state;
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};

    assert_int_equal(try(s, 0, "drive"), TP_OK);
    assert_int_equal(send(s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel), TP_OK);
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(puppet_at(&s->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 1);
    set_keys(s, 4); /* the same ones: nothing happens */
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(puppet_at(&s->b, "position2d:0")->halts, 0);
    set_keys(s, 2);
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(puppet_at(&s->b, "position2d:0")->halts, 1);
}

/* The last key counts: it may give less than the one before. */
static void a_lesser_key_takes_what_the_one_before_gave(void **state)
{
    struct stage *s = *state;
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};

    assert_int_equal(try(s, 0, "drive"), TP_OK);
    open_device(s, 0, TP_EXCLUSIVE_MODE);
    assert_int_equal(send(s, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel), TP_OK);
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(try(s, 0, "set things"), TP_OK);
    tp_loop_turn(s->b.loop, false);
    assert_int_equal(puppet_at(&s->b, "position2d:0")->halts, 1);
    assert_null(tpi_access_holder(s->device));
}

static void what_it_held_is_free(void **state)
{
    struct stage *s = *state;

    assert_int_equal(try(s, 0, "drive"), TP_OK);
    tp_session_set_reach(s->sessions[1], TP_REACH_UNIX); /* may move without a key */
    open_device(s, 0, TP_EXCLUSIVE_MODE);
    assert_int_equal(s->visit.refusal.code, TP_OK);
    open_device(s, 1, TP_EXCLUSIVE_MODE);
    assert_int_equal(s->visit.refusal.code, TP_E_DENIED);
    set_keys(s, 2);
    open_device(s, 1, TP_EXCLUSIVE_MODE);
    assert_int_equal(s->visit.refusal.code, TP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_key_gives_its_right_and_those_below, begin, end),
        cmocka_unit_test_setup_teardown(where_a_client_comes_from_counts_too, begin, end),
        cmocka_unit_test_setup_teardown(a_refusal_says_what_is_missing, begin, end),
        cmocka_unit_test_setup_teardown(who_may_not_operate_is_told_why, begin, end),
        cmocka_unit_test_setup_teardown(where_nobody_may_operate_it_is_told_who_stands_in, begin,
                                        end),
        cmocka_unit_test_setup_teardown(who_may_only_read_opens_to_read_only, begin, end),
        cmocka_unit_test_setup_teardown(exclusive_access_to_what_moves_needs_the_right_to_move,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_challenge_is_good_for_one_proof, begin, end),
        cmocka_unit_test_setup_teardown(a_new_challenge_ends_the_one_before, begin, end),
        cmocka_unit_test_setup_teardown(a_proof_for_another_connection_is_worth_nothing, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_truncated_proof_is_wrong, begin, end),
        cmocka_unit_test_setup_teardown(old_clients_show_the_key_itself, begin, end),
        cmocka_unit_test_setup_teardown(without_keys_there_is_nothing_to_prove, begin, end),
        cmocka_unit_test_setup_teardown(each_wrong_try_makes_the_next_one_wait_longer, begin, end),
        cmocka_unit_test_setup_teardown(the_owner_hears_of_wrong_keys_but_not_of_each, begin, end),
        cmocka_unit_test_setup_teardown(ten_thousand_wrong_tries_are_worth_a_few, begin, end),
        cmocka_unit_test_setup_teardown(a_right_key_is_judged_whatever_others_try, begin, end),
        cmocka_unit_test_setup_teardown(a_key_in_a_reset_is_a_try_too, begin, end),
        cmocka_unit_test_setup_teardown(who_has_a_key_that_goes_loses_its_right, begin, end),
        cmocka_unit_test_setup_teardown(a_key_with_another_secret_is_another_key, begin, end),
        cmocka_unit_test_setup_teardown(what_it_moved_stops, begin, end),
        cmocka_unit_test_setup_teardown(a_lesser_key_takes_what_the_one_before_gave, begin, end),
        cmocka_unit_test_setup_teardown(what_it_held_is_free, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
