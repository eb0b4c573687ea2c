/* auth_test.c - a program proves that it has a key: to ours by a challenge, to Player's plainly. */
#include <sys/stat.h>
#include <unistd.h>

#include "platform/secret.h"
#include "support/client_bench.h"

static const tp_auth_challenge challenge = {.nonce_count = TP_AUTH_NONCE_LENGTH,
                                            .nonce = "these bytes are not random......"};

/* What a server with one key does; its context is the secret. Notes what it gets in the trace. */
static bool guard(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static char text[] = "no key fits";
    static char name[] = "anna";
    const tp_failure failure = {TP_E_DENIED, sizeof text, text};
    const tp_auth_right right = {TP_RIGHT_WRITE, sizeof name, name};
    uint8_t digest[TPI_DIGEST_LENGTH];
    const char *secret = server->context;
    tp_auth_proof proof;

    if (header->addr.interf != TP_PLAYER_CODE) {
        return false;
    }
    switch (header->subtype) {
    case TP_PLAYER_REQ_CHALLENGE:
        fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_auth_challenge, &challenge);
        return true;
    case TP_PLAYER_REQ_PROVE:
        assert_int_equal(
            tp_xdr_decode(&tp_desc_auth_proof, body, header->size, &proof, sizeof proof), TP_OK);
        tpi_secret_proof(digest, secret, strlen(secret), challenge.nonce, challenge.nonce_count);
        if (proof.digest_count == sizeof digest &&
            tpi_secret_equal(digest, proof.digest, sizeof digest)) {
            fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
        } else {
            fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, &tp_desc_failure, &failure);
        }
        return true;
    case TP_PLAYER_REQ_RIGHT:
        fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_auth_right, &right);
        return true;
    default:
        return false;
    }
}

static void guard_with(struct bench *b, const char *secret)
{
    b->server.handle = guard;
    b->server.context = (void *)(uintptr_t)secret;
}

static tp_status connect(struct bench *b)
{
    return tp_client_connect(&b->client, b->server.url, &b->options, &b->err);
}

/* ---- Our servers ----------------------------------------------------------------------------- */

static void the_key_gives_what_the_server_says(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};

    guard_with(b, "sesame");
    b->options.key = "sesame";
    connect_client(b);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_WRITE);
    tp_proxy *base = open_device(b, "position2d:0");
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_E_DENIED);
    assert_string_equal(
        b->err.text,
        "position2d:0: VEL needs the right to move; the key anna gives only the right to write");
    turn(b);
    assert_sent(b, ""); /* nothing that the server would only drop */
}

static void a_wrong_key_is_an_error_of_its_own(void **state)
{
    struct bench *b = *state;
    char wanted[160];

    guard_with(b, "sesame");
    b->options.key = "simsalabim";
    assert_int_equal(connect(b), TP_E_DENIED);
    snprintf(wanted, sizeof wanted, "%s: the key is refused: no key fits", b->server.url);
    assert_string_equal(b->err.text, wanted);
}

/* Whoever gives the server's own file is told what to give instead. */
static void a_line_of_the_servers_file_is_recognised(void **state)
{
    static const char *const lines[] = {"anna move sesame", "# NAME RIGHT SECRET",
                                        "boss\toperate\tx"};
    static const char *const others[] = {"anna moves sesame", "move", "anna move"};
    struct bench *b = *state;
    char wanted[256];

    guard_with(b, "sesame");
    for (size_t i = 0; i < 3; i++) {
        b->options.key = lines[i];
        assert_int_equal(connect(b), TP_E_DENIED);
        snprintf(wanted, sizeof wanted,
                 "%s: the key is refused: it looks like a line of the server's file of keys, NAME "
                 "RIGHT SECRET: give the SECRET alone, or a file with nothing else in its first "
                 "line",
                 b->server.url);
        assert_string_equal(b->err.text, wanted);
        b->options.key = others[i];
        assert_int_equal(connect(b), TP_E_DENIED);
        snprintf(wanted, sizeof wanted, "%s: the key is refused: no key fits", b->server.url);
        assert_string_equal(b->err.text, wanted);
    }
}

static void the_key_is_proved_again_on_the_next_connection(void **state)
{
    struct bench *b = *state;

    guard_with(b, "sesame");
    b->options.key = "sesame";
    connect_client(b);
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_connected(b);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_WRITE);
}

/* Trying again with the same key would be a wrong try each time. */
static void a_key_that_is_not_good_any_more_ends_the_client(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    guard_with(b, "sesame");
    b->options.key = "sesame";
    connect_client(b);
    guard_with(b, "changed");
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    while (b->client->why.code != TP_E_DENIED) {
        tp_loop_turn(b->loop, true);
    }
    assert_non_null(strstr(b->trace, ": the key is refused: no key fits;")); /* it was told */
    const unsigned accepted = b->server.accepted;
    for (unsigned i = 0; i < 100; i++) {
        pass(b, S);
    }
    assert_int_equal(b->server.accepted, accepted);
    assert_int_equal(tp_client_open(b->client, "laser:0", TP_READ_MODE, &proxy, &b->err),
                     TP_E_DENIED);
}

static void a_later_connection_that_is_refused_is_told(void **state)
{
    struct bench *b = *state;

    guard_with(b, "sesame");
    b->options.key = "simsalabim";
    fake_server_vanish(&b->server);
    assert_int_equal(tp_client_connect_later(&b->client, b->server.url, &b->options, &b->err),
                     TP_OK);
    while (b->trace[0] == '\0') {
        tp_loop_turn(b->loop, true);
    }
    assert_non_null(strstr(b->trace, "connection refused"));
    b->trace[0] = '\0';
    fake_server_return(&b->server);
    pass(b, S / 10);
    while (b->trace[0] == '\0') {
        tp_loop_turn(b->loop, true);
    }
    assert_non_null(strstr(b->trace, ": the key is refused: no key fits;"));
    assert_true(tp_client_is_refused(b->client));
}

static bool busy(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static char text[] = "too many";
    const tp_failure failure = {TP_E_LIMIT, sizeof text, text};

    if (header->addr.interf != TP_PLAYER_CODE || header->subtype != TP_PLAYER_REQ_PROVE) {
        return guard(server, header, body);
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, &tp_desc_failure, &failure);
    return true;
}

static void a_server_that_looks_at_no_keys_for_now_is_tried_again(void **state)
{
    struct bench *b = *state;

    guard_with(b, "sesame");
    b->options.key = "sesame";
    connect_client(b);
    b->server.handle = busy;
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    while (strstr(b->client->why.text, ": the key is not looked at: too many") == NULL) {
        tp_loop_turn(b->loop, true);
    }
    b->server.handle = guard;
    pass(b, S);
    wait_connected(b);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_WRITE);
}

static bool read_only(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    static char name[] = "fake";
    const tp_hello hello = {1, TP_HELLO_READ_ONLY, sizeof name, name};

    (void)body;
    if (header->addr.interf != TP_PLAYER_CODE || header->subtype != TP_PLAYER_REQ_HELLO) {
        return false;
    }
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, &tp_desc_hello, &hello);
    return true;
}

static void without_a_key_the_hello_says_who_may_only_read(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.state = 1};

    b->server.handle = read_only;
    connect_client(b);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_READ);
    tp_proxy *base = open_device(b, "position2d:0");
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_E_DENIED);
    b->server.handle = NULL; /* it is open now */
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_open(b, base);
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
}

static void a_server_without_keys_needs_none(void **state)
{
    struct bench *b = *state;

    b->options.key = "sesame";
    assert_int_equal(connect(b), TP_OK);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_OPERATE);
    turn(b);
    assert_sent(b, "hello mode:1 server:208");
}

/* ---- Player's -------------------------------------------------------------------------------- */

static bool plain_key(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    tp_device_auth_req *shown = server->context;

    if (header->addr.interf != TP_PLAYER_CODE || header->subtype != TP_PLAYER_REQ_AUTH) {
        return false;
    }
    assert_int_equal(
        tp_xdr_decode(&tp_desc_device_auth_req, body, header->size, shown, sizeof *shown), TP_OK);
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    return true;
}

static void a_player_server_is_shown_the_key(void **state)
{
    struct bench *b = *state;
    tp_device_auth_req shown = {0};

    b->server.plain = true;
    b->server.handle = plain_key;
    b->server.context = &shown;
    b->options.key = "sesame";
    connect_client(b);
    assert_int_equal(shown.auth_key_count, 6);
    assert_memory_equal(shown.auth_key, "sesame", 6);
}

static void one_that_knows_no_keys_does_not_mind(void **state)
{
    struct bench *b = *state;

    b->server.plain = true;
    b->options.key = "sesame";
    assert_int_equal(connect(b), TP_OK);
    turn(b);
    assert_sent(b, "hello mode:1 server:7");
}

static void a_key_that_is_too_long_for_player_is_not_cut(void **state)
{
    struct bench *b = *state;

    b->server.plain = true;
    b->options.key = "a key that has more than thirty-two characters";
    assert_int_equal(connect(b), TP_OK);
    turn(b);
    assert_sent(b, "hello mode:1");
}

static void who_pretends_to_be_player_is_not_shown_the_key(void **state)
{
    struct bench *b = *state;

    guard_with(b, "sesame");
    b->options.key = "sesame";
    connect_client(b);
    b->server.plain = true;
    fake_server_hang_up(&b->server);
    wait_lost(b);
    pass(b, S / 10);
    wait_connected(b);
    turn(b);
    assert_sent(b, "hello mode:1");
}

static void the_environments_key_is_proved_but_not_shown(void **state)
{
    struct bench *b = *state;

    setenv("TROUPE_KEY", "sesame", 1);
    guard_with(b, "sesame");
    connect_client(b);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_WRITE);
    tp_client_destroy(b->client);
    b->client = NULL;
    b->server.plain = true;
    assert_int_equal(connect(b), TP_OK);
    turn(b);
    assert_sent(b, "hello mode:1");
    tp_client_destroy(b->client);
    b->client = NULL;
    b->server.plain = false;
    b->options.key = ""; /* none, whatever the environment says */
    assert_int_equal(connect(b), TP_OK);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_OPERATE);
    unsetenv("TROUPE_KEY");
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void write_key(char *path, const char *text, mode_t mode)
{
    const int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

static void a_key_file_has_it_in_its_first_line(void **state)
{
    struct bench *b = *state;
    char path[] = "/tmp/key-test-XXXXXX";

    write_key(path, "sesame\r\nand more\n", 0600);
    guard_with(b, "sesame");
    b->options.key_file = path;
    connect_client(b);
    unlink(path);
    assert_int_equal(tp_client_right(b->client), TP_RIGHT_WRITE);
}

static void fails_with(struct bench *b, tp_status code, const char *path, const char *why)
{
    char wanted[160];

    snprintf(wanted, sizeof wanted, "%s%s", path, why);
    assert_int_equal(connect(b), code);
    assert_string_equal(b->err.text, wanted);
}

static void a_key_file_that_is_no_good_is_told(void **state)
{
    struct bench *b = *state;
    char open_path[] = "/tmp/key-test-XXXXXX";
    char empty_path[] = "/tmp/key-test-XXXXXX";

    write_key(open_path, "sesame\n", 0644);
    write_key(empty_path, "\nsesame\n", 0600);
    b->options.key_file = open_path;
    fails_with(b, TP_E_DENIED, open_path, ": others can read or change it: chmod 600 the file");
    b->options.key_file = empty_path;
    fails_with(b, TP_E_INVALID, empty_path, ": its first line is no key");
    b->options.key = "sesame";
    fails_with(b, TP_E_INVALID, "", "a key and a file with one: which of them?");
    unlink(open_path);
    unlink(empty_path);
    b->options.key = NULL;
    fails_with(b, TP_E_IO, empty_path, ": No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_key_gives_what_the_server_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_key_is_an_error_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_of_the_servers_file_is_recognised, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_key_is_proved_again_on_the_next_connection, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_is_not_good_any_more_ends_the_client, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_later_connection_that_is_refused_is_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_server_that_looks_at_no_keys_for_now_is_tried_again,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_key_the_hello_says_who_may_only_read, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_server_without_keys_needs_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_player_server_is_shown_the_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_knows_no_keys_does_not_mind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_is_too_long_for_player_is_not_cut, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_pretends_to_be_player_is_not_shown_the_key, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_environments_key_is_proved_but_not_shown, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_key_file_has_it_in_its_first_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_file_that_is_no_good_is_told, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
