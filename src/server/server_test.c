/* server_test.c - from a configuration to devices: what is right, and every mistake with its place.
 */
#include "troupe/server.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

struct notes {
    char last[256];
};

static void keep(void *context, const char *text)
{
    struct notes *notes = context;

    snprintf(notes->last, sizeof notes->last, "%s", text);
}

static tp_status make(const char *text, tp_server **server, struct notes *notes, tp_error *err)
{
    const tp_server_options options = {.kit = &tp_full_kit,
                                       .path = "x.cfg",
                                       .text = text,
                                       .listen = "",
                                       .note = keep,
                                       .note_context = notes};

    return tp_server_create(server, &options, err);
}

static void is_refused(const char *text, const char *why)
{
    tp_server *server = NULL;
    struct notes notes = {""};
    tp_error err = {0};

    assert_int_not_equal(make(text, &server, &notes, &err), TP_OK);
    assert_string_equal(err.text, why);
    assert_string_not_equal(notes.last, why); /* a mistake is reported once */
}

static void devices_have_their_addresses_in_order(void **state)
{
    (void)state;
    tp_server *server = NULL;
    struct notes notes = {""};
    tp_error err = {0};
    unsigned robot;
    unsigned port;

    assert_int_equal(make("driver ( name \"fake\" provides [ \"sonar:1\" \"6666:laser:2\" ] )",
                          &server, &notes, &err),
                     TP_OK);
    assert_string_equal(notes.last, "");
    assert_int_equal(tp_server_device_count(server), 2);
    assert_int_equal(tp_device_addr(tp_server_device_at(server, 0))->robot, 6665);
    assert_int_equal(tp_device_addr(tp_server_device_at(server, 0))->index, 1);
    assert_int_equal(tp_device_addr(tp_server_device_at(server, 1))->robot, 6666);
    assert_true(tp_server_port(server, 0, &robot, &port));
    assert_int_equal(robot, 6665);
    assert_int_equal(port, 0);
    assert_true(tp_server_port(server, 1, &robot, &port));
    assert_false(tp_server_port(server, 2, &robot, &port));
    tp_server_destroy(server);
}

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    is_refused("", "x.cfg:1:1: the configuration has no device");
    is_refused("driver ( provides [ \"laser:0\" ] )", "x.cfg:1:1: the driver has no name");
    is_refused("driver ( nam \"fake\" provides [ \"laser:0\" ] )",
               "x.cfg:1:10: the driver has no name, but \"nam\"; did you mean \"name\"?");
    is_refused("drivr ( name \"fake\" provides [ \"laser:0\" ] )",
               "x.cfg:1:1: there is no section \"drivr\"; did you mean \"driver\"?");
    is_refused("driver ( name \"fike\" provides [ \"laser:0\" ] )",
               "x.cfg:1:10: there is no driver \"fike\"; did you mean \"fake\"?");
    is_refused("driver ( name \"fake\" )", "x.cfg:1:1: the driver fake provides nothing");
    is_refused("driver ( name \"fake\" provide [ \"laser:0\" ] )",
               "x.cfg:1:22: there is no \"provide\"; did you mean \"provides\"?");
    is_refused("driver ( name \"fake\" Provides [ \"laser:0\" ] )",
               "x.cfg:1:22: there is no \"Provides\"; did you mean \"provides\"?");
    is_refused("driver ( name \"fake\"\n provides [ \"lser:0\" ] )",
               "x.cfg:2:13: there is no interface \"lser\"; did you mean \"laser\"?");
    is_refused("driver ( name \"fake\" provides [ \"moisture:0\" ] )",
               "x.cfg:1:33: there is no interface \"moisture\"; the section interface ( file "
               "\"FILE.padi\" ) adds one");
    is_refused("driver ( name \"fake\" provides [ \"laser\" ] )",
               "x.cfg:1:33: \"laser\" is no device address: [[[key:]host:]robot:]interface:index");
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" \"laser:0\" ] )",
               "x.cfg:1:43: laser:0 is listed twice");
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ] )\n"
               "driver ( name \"fake\" provides [ \"laser:0\" ] )",
               "x.cfg:2:1: fake1: laser:0 is offered by another driver already");
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ] panic \"scream\" )",
               "x.cfg:1:45: panic is \"brake\", \"hold\" or \"finish\", not \"scream\"");
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ] restart -1 )",
               "x.cfg:1:45: restart is a number of seconds below 1000000, 0 for never");
}

/* Whether a driver cannot be made or does not fit to another one. */
static void the_first_mistake_in_the_file_is_told(void **state)
{
    (void)state;
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ] )\n"
               "driver ( name \"fake\" provides [ \"laser:0\" ] )\n"
               "driver ( name \"lasertoranger\" provides [ \"sonar:0\" ] )\n",
               "x.cfg:2:1: fake1: laser:0 is offered by another driver already");
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ] )\n"
               "driver ( name \"lasertoranger\" provides [ \"sonar:0\" ] )\n"
               "driver ( name \"fake\" provides [ \"laser:0\" ] )\n",
               "x.cfg:2:1: lasertoranger0: `requires` has no laser");
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ]\n"
               "         geometry ( frame \"a\" parent \"b\" ) )\n"
               "driver ( name \"fake\" provides [ \"sonar:0\" ]\n"
               "         geometry ( frame \"b\" parent \"a\" ) )\n"
               "driver ( name \"fake\" provides [ \"laser:0\" ] )\n",
               "x.cfg:3:1: fake1: the frames \"b\" and \"a\" sit in each other");
}

/* One that guards nothing because of a slip would let everybody in. */
static void slips_in_what_guards_the_server_are_mistakes(void **state)
{
    static const char device[] = "driver ( name \"fake\" provides [ \"laser:0\" ] )";
    static const char *const slips[][2] = {{"key_flie", "key_file"},
                                           {"opne", "open"},
                                           {"operator_kye", "operator_key"},
                                           {"kes", "keys"},
                                           {"pannic", "panic"}};
    char text[256];
    char why[256];

    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        snprintf(text, sizeof text, "%s\n%s \"x\"\n", device, slips[i][0]);
        snprintf(why, sizeof why, "x.cfg:2:1: there is no \"%s\"; did you mean \"%s\"?",
                 slips[i][0], slips[i][1]);
        is_refused(text, why);
    }
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ] lease 1e9 )",
               "x.cfg:1:45: lease is a number of seconds below 1000000, 0 for no limit");
    is_refused("driver ( name \"fake\" provides [ \"laser:0\" ] write_needs \"read\" )",
               "x.cfg:1:45: write_needs is \"write\", \"move\" or \"operate\", not \"read\"");
}

static void what_nobody_uses_is_noted(void **state)
{
    (void)state;
    tp_server *server = NULL;
    struct notes notes = {""};
    tp_error err = {0};

    assert_int_equal(
        make("driver ( name \"fake\" provides [ \"laser:0\" ] ratte 5 )", &server, &notes, &err),
        TP_OK);
    assert_string_equal(notes.last, "x.cfg:1:45: \"ratte\" is not used; did you mean \"rate\"?");
    tp_server_destroy(server);
    assert_int_equal(
        make("driver ( name \"fake\" provides [ \"laser:0\" ] ) lease 2", &server, &notes, &err),
        TP_OK);
    assert_string_equal(notes.last,
                        "x.cfg:1:47: \"lease\" is not used here: it stands in a driver section");
    tp_server_destroy(server);
    assert_int_equal(
        make("driver ( name \"fake\" provides [ \"laser:0\" ] ) device ( )", &server, &notes, &err),
        TP_OK);
    assert_string_equal(notes.last, "x.cfg:1:47: there is no section \"device\"");
    tp_server_destroy(server);
}

/* ---- Extensions ------------------------------------------------------------------------------ */

static void ignore(void *context)
{
    (void)context;
}

static void opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                   const tp_error *err)
{
    (void)request;
    (void)device;
    (void)err;
    assert_int_equal(status, TP_OK);
    *(bool *)context = true;
}

static tp_status send_extension(tp_session *session, unsigned index)
{
    const tp_message *what = tp_interface_message(&tp_interface_position2d, TP_KIND_REQUEST,
                                                  TP_POSITION2D_REQ_SPEED_PID);
    const tp_position2d_speed_pid_req pid = {1, 2, 3};
    tp_device *device = tp_session_find(session, TP_POSITION2D_CODE, index);
    const tp_msghdr header = {.addr = *tp_device_addr(device), .subtype = what->code};
    tp_msg *msg = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, what->ask, &pid), TP_OK);
    tp_status status = tp_session_send(session, msg, what, NULL);
    tp_msg_unref(msg);
    return status;
}

/* Whether clients may use extensions of the two devices without asking. */
static void check_extensions(const char *globals, const char *fields, bool first, bool second)
{
    static const tp_session_limits limits = {100, 100, 100};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    char text[512];
    tp_server *server = NULL;
    tp_session *session = NULL;
    struct notes notes = {""};
    tp_error err = {0};
    bool is_open = false;

    snprintf(text, sizeof text,
             "%s\ndriver ( name \"fake\" provides [ \"position2d:0\" ] )\n"
             "driver ( name \"fake\" provides [ \"position2d:1\" ] %s )",
             globals, fields);
    assert_int_equal(make(text, &server, &notes, &err), TP_OK);
    assert_string_equal(notes.last, "");
    assert_int_equal(
        tp_session_create(&session, tp_server_hub(server), 6665, &limits, &events, &is_open, &err),
        TP_OK);
    for (unsigned i = 0; i < 2; i++) {
        is_open = false;
        tp_session_open(session, tp_session_find(session, TP_POSITION2D_CODE, i), TP_OPEN_MODE,
                        &(tp_msghdr){0}, opened);
        while (!is_open) {
            tp_server_step(server, true);
        }
        assert_int_equal(send_extension(session, i),
                         (i == 0 ? first : second) ? TP_OK : TP_E_DENIED);
    }
    tp_session_destroy(session);
    tp_server_destroy(server);
}

static void patience_is_a_number_of_seconds(void **state)
{
    (void)state;
    is_refused("keepalive -1\ndriver ( name \"fake\" provides [ \"laser:0\" ] )",
               "x.cfg:1:1: keepalive is a number of seconds from 0 to 3600");
    is_refused("keepalive \"soon\"\ndriver ( name \"fake\" provides [ \"laser:0\" ] )",
               "x.cfg:1:11: \"keepalive\" takes a whole number, not \"soon\"");
}

static void extensions_are_for_those_who_ask(void **state)
{
    (void)state;
    check_extensions("", "", false, false);
    check_extensions("", "extensions yes", false, true);
    check_extensions("extensions yes", "", true, true);
    check_extensions("extensions yes", "extensions no", true, false);
    is_refused("extensions 5\ndriver ( name \"fake\" provides [ \"laser:0\" ] )",
               "x.cfg:1:12: \"extensions\" takes yes or no, not 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_have_their_addresses_in_order),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(the_first_mistake_in_the_file_is_told),
        cmocka_unit_test(slips_in_what_guards_the_server_are_mistakes),
        cmocka_unit_test(what_nobody_uses_is_noted),
        cmocka_unit_test(extensions_are_for_those_who_ask),
        cmocka_unit_test(patience_is_a_number_of_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
