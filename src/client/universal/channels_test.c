/* channels_test.c - messages between programs in C, through a server in this program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/server.h"
#include "troupe/universal.h"

#define ROBOTS                                                                                     \
    "driver ( name \"robotfile\" robot \"nxt\" port \"emulate:nxt\" provides [ \"universal:0\" ] " \
    ")\n"                                                                                          \
    "driver ( name \"robotfile\" robot \"create2\" port \"emulate:create2\" provides [ "           \
    "\"universal:1\" ] )\n"
#define BOARD "driver ( name \"localbb\" provides [ \"blackboard:0\" ] )\n"

/* Two programs: each has a robot. */
struct scene {
    tp_client *client;
    tp_universal *robots[2];
    tp_error err;
};

static void open_scene(struct scene *s, const char *text, tp_client_mode mode)
{
    const tp_client_options options = {.size = sizeof options, .kit = &tp_full_kit, .mode = mode};
    char path[] = "/tmp/troupe-channels-XXXXXX", url[96];
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    *s = (struct scene){0};
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(url, sizeof url, "inproc:%s", path);
    assert_int_equal(tp_client_connect(&s->client, url, &options, &s->err), TP_OK);
    remove(path);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tp_universal_create(&s->robots[i], s->client,
                                             i == 0 ? "universal:0" : "universal:1", NULL, &s->err),
                         TP_OK);
    }
}

static void close_scene(struct scene *s)
{
    tp_universal_destroy(s->robots[0]);
    tp_universal_destroy(s->robots[1]);
    tp_client_destroy(s->client);
}

static void assert_hears(struct scene *s, int robot, const char *channel, const char *wanted)
{
    const char *text = NULL;
    size_t length = 0;

    if (tp_universal_hear(s->robots[robot], channel, TP_NEVER, &text, &length, &s->err) != TP_OK) {
        fail_msg("%s", s->err.text);
    }
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(text, wanted, length);
}

static void assert_says(struct scene *s, int robot, const char *channel, const char *text)
{
    if (tp_universal_say(s->robots[robot], channel, text, strlen(text), &s->err) != TP_OK) {
        fail_msg("%s", s->err.text);
    }
}

static void what_one_says_all_that_listen_hear(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, ROBOTS BOARD, TP_CLIENT_EVERYTHING);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tp_universal_listen(s.robots[i], "news", &s.err), TP_OK);
        assert_int_equal(tp_universal_listen(s.robots[i], "news", &s.err), TP_OK); /* as before */
    }
    assert_int_equal(tp_universal_listen(s.robots[1], "secret", &s.err), TP_OK);
    assert_says(&s, 0, "news", "a cup");
    assert_says(&s, 0, "other", "nobody listens");
    assert_says(&s, 1, "secret", "");
    assert_says(&s, 1, "news", "two cups");
    for (int i = 0; i < 2; i++) {
        assert_hears(&s, i, "news", "a cup");
        assert_hears(&s, i, "news", "two cups");
        assert_int_equal(tp_universal_waiting(s.robots[i], "news"), 0);
    }
    assert_int_equal(tp_universal_waiting(s.robots[1], "secret"), 1);
    assert_hears(&s, 1, "secret", "");
    assert_int_equal(tp_universal_waiting(s.robots[0], "secret"), -1);
    close_scene(&s);
}

static void what_cannot_be_is_said(void **state)
{
    char longest[600] = "";
    const char *text;
    size_t length;
    struct scene s;

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    open_scene(&s, ROBOTS BOARD, TP_CLIENT_EVERYTHING);
    tp_universal *robot = s.robots[0];
    assert_int_equal(tp_universal_hear(robot, "news", 1, &text, &length, &s.err), TP_E_INVALID);
    assert_string_equal(s.err.text, "channel news is not open: call tp_universal_listen() first");
    assert_int_equal(tp_universal_listen(robot, "", &s.err), TP_E_RANGE);
    assert_int_equal(tp_universal_listen(robot, longest, &s.err), TP_E_RANGE);
    assert_string_equal(s.err.text, "the name of a channel has 1 to 63 bytes");
    assert_int_equal(tp_universal_say(robot, longest, "a", 1, &s.err), TP_E_RANGE);
    assert_int_equal(tp_universal_say(robot, "news", longest, 513, &s.err), TP_E_RANGE);
    assert_int_equal(tp_universal_say(robot, "news", longest, 512, &s.err), TP_OK);
    for (unsigned i = 0; i < 32; i++) {
        char name[8];

        snprintf(name, sizeof name, "c%u", i);
        assert_int_equal(tp_universal_listen(robot, name, &s.err), TP_OK);
    }
    assert_int_equal(tp_universal_listen(robot, "news", &s.err), TP_E_LIMIT);
    assert_int_equal(tp_universal_hear(robot, "c1", TP_NS_PER_MS, &text, &length, &s.err),
                     TP_E_TIMEOUT);
    assert_non_null(strstr(s.err.text, "no message on channel c1 in time"));
    close_scene(&s);
}

static void a_server_without_a_blackboard_says_what_it_needs(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, ROBOTS, TP_CLIENT_EVERYTHING);
    assert_int_equal(tp_universal_say(s.robots[0], "news", "a", 1, &s.err), TP_E_UNKNOWN);
    assert_non_null(strstr(s.err.text, "write driver ( name \"localbb\""));
    assert_int_equal(tp_universal_waiting(s.robots[0], "news"), -1);
    close_scene(&s);
}

static void a_client_that_would_lose_messages_cannot_listen(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s, ROBOTS BOARD, TP_CLIENT_FRESH);
    assert_int_equal(tp_universal_listen(s.robots[0], "news", &s.err), TP_E_INVALID);
    assert_string_equal(s.err.text,
                        "messages would be lost: connect the client with TP_CLIENT_EVERYTHING");
    assert_says(&s, 0, "news", "a");
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_says_all_that_listen_hear),
        cmocka_unit_test(what_cannot_be_is_said),
        cmocka_unit_test(a_server_without_a_blackboard_says_what_it_needs),
        cmocka_unit_test(a_client_that_would_lose_messages_cannot_listen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
