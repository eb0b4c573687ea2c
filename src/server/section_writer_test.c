/* section_writer_test.c - writer sections: what they may say, every mistake with its place, and a
 * reload. */
#include <stdio.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/server.h"

static char text[1024];
static char last_note[256];

static void keep(void *context, const char *note)
{
    (void)context;
    snprintf(last_note, sizeof last_note, "%s", note);
}

static void write_text(const char *writers)
{
    last_note[0] = '\0';
    snprintf(text, sizeof text, "driver ( name \"fake\" provides [ \"position2d:0\" ]\n%s )\n",
             writers);
}

static tp_status make(const char *writers, tp_server **server, tp_error *err)
{
    const tp_server_options options = {
        .kit = &tp_full_kit, .path = "x.cfg", .text = text, .listen = "", .note = keep};

    write_text(writers);
    return tp_server_create(server, &options, err);
}

static void is_refused(const char *writers, const char *why)
{
    tp_server *server = NULL;
    tp_error err = {0};

    assert_int_not_equal(make(writers, &server, &err), TP_OK);
    assert_string_equal(err.text, why);
}

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    is_refused("writer ( client \"joystick\" )", "x.cfg:2:1: a writer has a rank");
    is_refused("writer ( rank 1001 )", "x.cfg:2:10: a rank is a whole number from -1000 to 1000");
    is_refused("writer ( rank 1 timeout 0 )",
               "x.cfg:2:17: timeout is a number of seconds above 0 and below 1000000");
    is_refused("writer ( rank 1 client \"\" )",
               "x.cfg:2:24: client is a name, or the beginning of one and a *");
    is_refused("writer ( rank 1 client \"a\" driver \"b\" )",
               "x.cfg:2:1: a writer is a client or a driver, not both");
}

static void is_noted(const char *writers, const char *why)
{
    tp_server *server = NULL;
    tp_error err = {0};

    assert_int_equal(make(writers, &server, &err), TP_OK);
    assert_string_equal(last_note, why);
    tp_server_destroy(server);
}

static void whom_there_is_not_is_told(void **state)
{
    (void)state;
    is_noted(
        "writer ( key \"anne\" rank 1 ) ) keys [ \"anna move 0123456789abcdef\" ] driver ( name "
        "\"fake\" "
        "provides [ \"laser:0\" ]",
        "x.cfg:2:14: no writer has this rank: there is no key \"anne\"; did you mean \"anna\"?");
    is_noted("writer ( key \"an*\" rank 1 ) ) keys [ \"anna move 0123456789abcdef\" ] driver ( "
             "name \"fake\" "
             "provides [ \"laser:0\" ]",
             "");
    is_noted("writer ( key \"pilot\" rank 1 )",
             "x.cfg:2:14: no writer has this rank: there is no key \"pilot\"");
    is_noted(
        "writer ( driver \"fack\" rank 1 )",
        "x.cfg:2:17: no writer has this rank: there is no driver \"fack\"; did you mean \"fake\"?");
    is_noted("writer ( driver \"fake\" rank 1 )", "");
    is_noted("writer ( driver \"fake0\" rank 1 )", "");
    is_noted("writer ( driver \"f*\" rank 1 )", "");
}

static void one_that_never_fits_is_told(void **state)
{
    (void)state;
    is_noted("writer ( rank 1 )\nwriter ( client \"joystick\" rank 2 )",
             "x.cfg:3:1: no writer has this rank: all that it means fit the one of line 2 before");
    is_noted(
        "writer ( client \"joy*\" rank 1 )\n\nwriter ( client \"joystick*\" host \"::1\" rank 2 )",
        "x.cfg:4:1: no writer has this rank: all that it means fit the one of line 2 before");
    is_noted("writer ( rank 1 )\nwriter ( driver \"fake\" rank 2 )",
             "x.cfg:3:1: no writer has this rank: all that it means fit the one of line 2 before");
    is_noted("writer ( client \"joy*\" rank 1 )\nwriter ( host \"::1\" rank 2 )\n"
             "writer ( driver \"fake\" rank 2 )\nwriter ( client \"jo*\" rank 1 )\n"
             "writer ( rank 3 )",
             "");
}

static void slips_of_the_pen_are_mistakes(void **state)
{
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    is_refused("writer ( clent \"joystick\" rank 1 )",
               "x.cfg:2:10: a writer has no \"clent\"; did you mean \"client\"?");
    assert_int_equal(make("writer ( client \"joystick\" host \"10.*\" rank 1 timeout 0.5 )\n"
                          "writer ( driver \"fake\" rank -1 )\nwriter ( rank 0 )",
                          &server, &err),
                     TP_OK);
    assert_string_equal(last_note, "");
    tp_server_destroy(server);
}

static void another_rank_is_another_driver(void **state)
{
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(make("writer ( client \"joystick\" rank 1 )", &server, &err), TP_OK);
    write_text("writer ( rank 1 client \"joystick\" timeout 1 )");
    assert_int_equal(tp_server_reload(server, &err), TP_OK);
    assert_string_equal(last_note, "nothing has changed");
    write_text("writer ( rank 2 client \"joystick\" timeout 1 )");
    assert_int_equal(tp_server_reload(server, &err), TP_OK);
    while (last_note[0] == '\0') {
        tp_server_step(server, true);
    }
    assert_string_not_equal(last_note, "nothing has changed");
    tp_server_destroy(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(whom_there_is_not_is_told),
        cmocka_unit_test(one_that_never_fits_is_told),
        cmocka_unit_test(slips_of_the_pen_are_mistakes),
        cmocka_unit_test(another_rank_is_another_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
