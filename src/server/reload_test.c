/* reload_test.c - a configuration that is read again: who stays, who goes, who comes, and mistakes
 * that change nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/server.h"

/* ---- A driver that counts -------------------------------------------------------------------- */

static int inits;
static int starts;
static int finis;

static tp_status count_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops ops = {0};
    tp_link *link = NULL;
    tp_status status = TP_OK;

    inits++;
    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status = tp_offer(self, &tp_interface_ptz, NULL, &ops, NULL, NULL, err);
    }
    for (size_t i = 0; i < tp_requires_count(self) && status == TP_OK; i++) {
        status = tp_require(self, &tp_interface_ptz, NULL, &link, err);
    }
    return status == TP_OK && tp_param_bool(self, "bad") ? tp_fail(err, TP_E_RANGE, "too bad")
                                                         : status;
}

static tp_status count_start(tp_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    starts++;
    return TP_OK;
}

static void count_fini(tp_instance *self)
{
    (void)self;
    finis++;
}

static const tp_param count_params[] = {
    {"bad", "bool", "no", "cannot be made"},
    {"size", "m m rad", "1 2 3", "how large"},
    {"label", NULL, "", "a text"},
    {NULL, NULL, NULL, NULL},
};
static const tp_driver_ops count_ops = {
    .init = count_init, .start = count_start, .fini = count_fini};
static const tp_driver counter = {.abi = TP_DRIVER_ABI,
                                  .name = "counter",
                                  .params = count_params,
                                  .ops = &count_ops,
                                  .flags = TP_DRIVER_ON_LOOP};
static const tp_driver *const drivers[] = {&counter, NULL};

/* ---- A server whose configuration changes ---------------------------------------------------- */

static char text[2048];
static char notes[2048];

static void keep(void *context, const char *note)
{
    const size_t length = strlen(notes);

    (void)context;
    snprintf(notes + length, sizeof notes - length, "%s%s", length == 0 ? "" : "; ", note);
}

static void write_text(const char *new_text)
{
    snprintf(text, sizeof text, "%s", new_text);
    notes[0] = '\0';
}

static tp_server *begin_with(const char *first, const char *listen)
{
    const tp_server_options options = {.kit = &tp_full_kit,
                                       .drivers = drivers,
                                       .path = "x.cfg",
                                       .text = text,
                                       .listen = listen,
                                       .any_port = true,
                                       .note = keep};
    tp_server *server = NULL;
    tp_error err = {0};

    inits = starts = finis = 0;
    write_text(first);
    if (tp_server_create(&server, &options, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tp_server_begin(server);
    return server;
}

static tp_server *begin(const char *first)
{
    return begin_with(first, "");
}

/* As soon as the change before is made. */
static tp_status reload(tp_server *server, tp_error *err)
{
    tp_status status = tp_server_reload(server, err);

    while (status == TP_E_LIMIT) {
        tp_server_step(server, true);
        status = tp_server_reload(server, err);
    }
    return status;
}

static void turn_to(tp_server *server, const char *new_text, const char *wanted_notes)
{
    tp_error err = {0};

    write_text(new_text);
    if (reload(server, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    while (strcmp(notes, wanted_notes) != 0) {
        if (strncmp(notes, wanted_notes, strlen(notes)) != 0) {
            fail_msg("%s", notes);
        }
        tp_server_step(server, true);
    }
}

static void is_refused(tp_server *server, const char *new_text, const char *why)
{
    tp_error err = {0};
    const size_t devices = tp_server_device_count(server);

    write_text(new_text);
    assert_int_not_equal(reload(server, &err), TP_OK);
    assert_string_equal(err.text, why);
    assert_int_equal(tp_server_device_count(server), devices);
}

static tp_device *find(const tp_server *server, unsigned index)
{
    for (size_t i = 0; i < tp_server_device_count(server); i++) {
        tp_device *device = tp_server_device_at(server, i);
        if (tp_device_addr(device)->index == index) {
            return device;
        }
    }
    return NULL;
}

#define PTZ(i, rest) "driver ( name \"counter\" provides [ \"ptz:" #i "\" ] " rest " )\n"

/* ---- Tests ----------------------------------------------------------------------------------- */

static void what_means_the_same_stays(void **state)
{
    tp_server *server = begin("unit_length \"m\"\n" PTZ(
        0, "size [ 1 2 90 ] label \"a\" geometry ( pose [ 1 2 0 ] frame \"x\" )") PTZ(1, ""));
    const tp_device *first = find(server, 0);
    const tp_device *second = find(server, 1);

    (void)state;
    turn_to(
        server,
        "unit_length \"cm\" # other units, another order, other numbers\n" PTZ(1, "") PTZ(
            0, "geometry ( frame \"x\" pose [ 100.0 200 0 ] )\n label \"a\" size [ 1e2 200 90.0 ]"),
        "x.cfg:4:19: Player misreads a number with an exponent: 1e2; nothing has changed");
    assert_ptr_equal(find(server, 0), first);
    assert_ptr_equal(find(server, 1), second);
    assert_int_equal(inits, 2);
    tp_server_destroy(server);
    assert_int_equal(finis, 2);
}

static void check_difference(const char *rest)
{
    char new_text[512];
    tp_server *server = begin(PTZ(0, "") PTZ(1, "label \"a\""));
    const tp_device *first = find(server, 0);

    snprintf(new_text, sizeof new_text, "%sdriver ( name \"counter\" provides [ \"ptz:1\" ] %s )",
             PTZ(0, ""), rest);
    turn_to(server, new_text, "removed counter1 (ptz:1); added counter2 (ptz:1)");
    assert_ptr_equal(find(server, 0), first);
    assert_int_equal(inits, 3);
    assert_int_equal(finis, 1);
    tp_server_destroy(server);
}

static void what_means_something_else_is_exchanged(void **state)
{
    (void)state;
    check_difference("");
    check_difference("label \"b\"");
    check_difference("label \"a\" size [ 1 2 3 ]");
    check_difference("label \"a\" restart 5");
    check_difference("label \"a\" extensions yes");
    check_difference("label \"a\" requires [ \"ptz:0\" ]");
    check_difference("label \"a\" geometry ( pose [ 1 2 3 ] )");
}

static void sections_come_and_go(void **state)
{
    tp_server *server = begin(PTZ(0, "") PTZ(1, ""));

    (void)state;
    turn_to(server, PTZ(0, ""), "removed counter1 (ptz:1)");
    assert_null(find(server, 1));
    turn_to(server,
            PTZ(2, "") PTZ(0, "") "driver ( name \"fake\" provides [ \"sonar:3\" \"ir:3\" ] )",
            "added counter1 (ptz:2); added fake0 (sonar:3, ir:3)");
    assert_int_equal(tp_server_device_count(server), 4);
    turn_to(server, PTZ(0, ""), "removed counter1 (ptz:2); removed fake0 (sonar:3, ir:3)");
    assert_int_equal(tp_server_device_count(server), 1);
    tp_server_destroy(server);
}

static void mistakes_change_nothing(void **state)
{
    tp_server *server = begin(PTZ(0, "") PTZ(1, ""));
    const tp_device *first = find(server, 0);

    (void)state;
    is_refused(server, PTZ(0, "") "driver (",
               "x.cfg:2:9: expected \")\" for \"driver\" of line 2, found the end of the file");
    is_refused(server, PTZ(0, "") "driver ( name \"cuonter\" provides [ \"ptz:1\" ] )",
               "x.cfg:2:10: there is no driver \"cuonter\"; did you mean \"counter\"?");
    is_refused(server, PTZ(0, "") PTZ(1, "label \"b\"") PTZ(2, "bad yes"),
               "x.cfg:3:1: counter3: too bad");
    is_refused(server, PTZ(0, "") PTZ(1, "label \"b\"") PTZ(1, ""),
               "x.cfg:2:1: counter2: ptz:1 is offered by another driver already");
    is_refused(server,
               PTZ(0, "geometry ( frame \"a\" parent \"b\" )")
                   PTZ(1, "geometry ( frame \"b\" parent \"a\" )"),
               "x.cfg:2:1: counter3: the frames \"b\" and \"a\" sit in each other");
    is_refused(server, "", "x.cfg:1:1: the configuration has no device");
    assert_ptr_equal(find(server, 0), first);
    assert_int_equal(inits - finis, 2); /* whatever was made meanwhile is released */
    turn_to(server, PTZ(0, "") PTZ(1, ""), "nothing has changed");
    turn_to(server, PTZ(0, "") PTZ(1, "label \"b\""),
            "removed counter1 (ptz:1); added counter2 (ptz:1)");
    tp_server_destroy(server);
}

static void what_is_always_on_starts(void **state)
{
    tp_server *server = begin(PTZ(0, "alwayson yes"));

    (void)state;
    while (starts < 1) {
        tp_server_step(server, true);
    }
    turn_to(server, PTZ(0, "alwayson yes") PTZ(1, "alwayson yes"), "added counter1 (ptz:1)");
    while (starts < 2) {
        tp_server_step(server, true);
    }
    tp_server_destroy(server);
}

/* A driver that uses what is exchanged keeps running, on the new one. */
static void who_uses_what_is_exchanged_uses_the_new_one(void **state)
{
    tp_server *server = begin(PTZ(0, "") PTZ(1, "requires [ \"ptz:0\" ] alwayson yes"));
    const tp_device *user = find(server, 1);

    (void)state;
    while (starts < 2) {
        tp_server_step(server, true);
    }
    turn_to(server, PTZ(0, "label \"new\"") PTZ(1, "requires [ \"ptz:0\" ] alwayson yes"),
            "removed counter0 (ptz:0); added counter2 (ptz:0)");
    while (starts < 4) {
        tp_server_step(server, true);
    }
    assert_ptr_equal(find(server, 1), user);
    tp_server_destroy(server);
}

static void one_change_at_a_time(void **state)
{
    tp_server *server = begin("driver ( name \"fake\" provides [ \"ptz:0\" ] )");
    tp_error err = {0};

    (void)state;
    write_text("driver ( name \"fake\" provides [ \"ptz:0\" ] rate 5 )");
    assert_int_equal(tp_server_reload(server, &err), TP_OK); /* its thread has to end first */
    assert_int_equal(tp_server_reload(server, &err), TP_E_LIMIT);
    assert_string_equal(err.text, "the last change is still being made");
    tp_server_destroy(server); /* in the middle of it */
}

static void no_memory_is_left_behind(void **state)
{
    const long before = memory_live();
    tp_server *server = begin(PTZ(0, "") PTZ(1, ""));
    long settled = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        turn_to(server, PTZ(0, "label \"odd\"") PTZ(1, ""),
                "removed counter0 (ptz:0); added counter2 (ptz:0)");
        is_refused(server, PTZ(0, "bad yes"), "x.cfg:1:1: counter0: too bad");
        turn_to(server, PTZ(0, "") PTZ(1, ""), "removed counter2 (ptz:0); added counter0 (ptz:0)");
        turn_to(server, PTZ(0, "") PTZ(1, ""), "nothing has changed");
        settled = i == 1 ? memory_live() : settled;
        assert_true(i < 1 || memory_live() == settled);
    }
    tp_server_destroy(server);
    assert_int_equal(memory_live(), before);
}

/* Whichever allocation fails: the change is made or it is not, and nothing is lost. */
static void memory_may_run_out(void **state)
{
    bool failed = true;

    (void)state;
    for (size_t n = 1; failed; n++) {
        const long before = memory_live();
        tp_server *server = begin(PTZ(0, "") PTZ(1, ""));
        tp_error err = {0};
        write_text(PTZ(0, "label \"new\"") PTZ(2, ""));
        memory_fail_at(n);
        tp_status status = tp_server_reload(server, &err);
        failed = memory_has_failed();
        memory_fail_at(0);
        for (int i = 0; i < 5; i++) {
            tp_server_step(server, false);
        }
        assert_non_null(find(server, 0));
        assert_true((status == TP_OK) == (find(server, 2) != NULL));
        assert_true((status == TP_OK) == (find(server, 1) == NULL));
        tp_server_destroy(server);
        assert_int_equal(memory_live(), before);
    }
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static void robots_get_and_lose_their_ports(void **state)
{
    tp_server *server = begin_with(PTZ(0, ""), "127.0.0.1");
    unsigned robot;
    unsigned port;
    unsigned again;

    (void)state;
    assert_true(tp_server_port(server, 0, &robot, &port));
    turn_to(server, PTZ(0, "") "driver ( name \"counter\" provides [ \"7777:ptz:0\" ] )",
            "added counter1 (ptz:0)");
    assert_true(tp_server_port(server, 0, &robot, &again));
    assert_int_equal(again, port);
    assert_true(tp_server_port(server, 1, &robot, &again));
    assert_int_equal(robot, 7777);
    assert_int_not_equal(again, 0);
    is_refused(server, PTZ(0, "") "driver ( name \"counter\" provides [ \"8888:ptz:0\" ] bad yes )",
               "x.cfg:2:1: counter2: too bad");
    assert_false(tp_server_port(server, 2, &robot, &again));
    turn_to(server, PTZ(0, ""), "removed counter1 (ptz:0)");
    assert_false(tp_server_port(server, 1, &robot, &again));
    tp_server_destroy(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_means_the_same_stays),
        cmocka_unit_test(what_means_something_else_is_exchanged),
        cmocka_unit_test(sections_come_and_go),
        cmocka_unit_test(mistakes_change_nothing),
        cmocka_unit_test(what_is_always_on_starts),
        cmocka_unit_test(who_uses_what_is_exchanged_uses_the_new_one),
        cmocka_unit_test(one_change_at_a_time),
        cmocka_unit_test(no_memory_is_left_behind),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(robots_get_and_lose_their_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
