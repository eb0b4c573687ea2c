/* setting_test.c - a program's own drivers, and their parameters: units, kinds, fallbacks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/server.h"

/* What the driver has seen of its parameters. */
static struct {
    int inits;
    double rate, lease;
    double pose[4];
    size_t pose_count;
    bool quiet;
    bool given;
    char port[32];
    char words[3][16];
    size_t word_count;
    size_t none_count;
    char none[8];
} seen;

static tp_status own_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops ops = {0};

    seen.inits++;
    seen.rate = tp_param_double(self, "rate");
    seen.lease = tp_param_double(self, "lease");
    seen.pose_count = tp_param_count(self, "pose");
    for (size_t i = 0; i < 4; i++) {
        seen.pose[i] = tp_param_double_at(self, "pose", i);
    }
    seen.quiet = tp_param_bool(self, "quiet");
    seen.given = tp_param_given(self, "quiet");
    snprintf(seen.port, sizeof seen.port, "%s", tp_param_string(self, "port"));
    seen.word_count = tp_param_count(self, "words");
    for (size_t i = 0; i < 3; i++) {
        snprintf(seen.words[i], sizeof seen.words[i], "%s", tp_param_string_at(self, "words", i));
    }
    seen.none_count = tp_param_count(self, "none");
    snprintf(seen.none, sizeof seen.none, "%s", tp_param_string(self, "none"));
    return tp_offer(self, &tp_interface_ptz, NULL, &ops, NULL, NULL, err);
}

static const tp_driver_ops own_ops = {.init = own_init};
static const tp_param own_params[] = {
    {"rate", "Hz", "10", "how often"},
    {"pose", "m m rad", "1 2 0.5", "where it is"},
    {"quiet", "bool", "yes", "says little"},
    {"port", NULL, NULL, "the line"},
    {"words", NULL, " one  two three", "some words"},
    {"none", NULL, "", "nothing"},
    {"lease", "s", "7", "a field of the server that means something to the driver too"},
    {NULL, NULL, NULL, NULL},
};
/* The kit has a driver of this name too. */
static const tp_driver own = {
    .abi = TP_DRIVER_ABI, .name = "fake", .summary = "ours", .params = own_params, .ops = &own_ops};
static const tp_driver *const own_drivers[] = {&own, NULL};

static tp_status make(const char *fields, const char *globals, tp_server **server, tp_error *err)
{
    char text[512];
    const tp_server_options options = {
        .kit = &tp_full_kit, .drivers = own_drivers, .path = "x.cfg", .text = text, .listen = ""};

    memset(&seen, 0, sizeof seen);
    snprintf(text, sizeof text, "%sdriver ( name \"fake\" provides [ \"ptz:0\" ]\n%s )", globals,
             fields);
    return tp_server_create(server, &options, err);
}

static void is_seen(const char *fields, const char *globals)
{
    tp_server *server = NULL;
    tp_error err = {0};

    if (make(fields, globals, &server, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(seen.inits, 1);
    tp_server_destroy(server);
}

static void is_refused(const char *fields, const char *why)
{
    tp_server *server = NULL;
    tp_error err = {0};

    assert_int_not_equal(make(fields, "", &server, &err), TP_OK);
    assert_string_equal(err.text, why);
    assert_int_equal(seen.inits, 0);
}

static void is_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-12);
}

/* ---- Drivers --------------------------------------------------------------------------------- */

static void a_programs_own_driver_comes_before_one_of_the_kit(void **state)
{
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(make("port \"a\"", "", &server, &err), TP_OK);
    assert_int_equal(seen.inits, 1);
    assert_int_equal(tp_server_device_count(server), 1);
    assert_string_equal(tp_instance_name(tp_device_instance(tp_server_device_at(server, 0))),
                        "fake0");
    tp_server_destroy(server);
}

static void those_of_the_kit_are_there_too(void **state)
{
    const tp_server_options options = {
        .kit = &tp_full_kit,
        .drivers = own_drivers,
        .text = "driver ( name \"dummy\" provides [ \"laser:0\" ] )\n"
                "driver ( name \"fake\" provides [ \"ptz:0\" ] port \"a\" )",
        .listen = ""};
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(tp_server_create(&server, &options, &err), TP_OK);
    assert_int_equal(seen.inits, 1);
    assert_int_equal(tp_server_device_count(server), 2);
    tp_server_destroy(server);
}

static void without_a_kit_there_are_only_the_programs_own(void **state)
{
    const tp_server_options options = {
        .drivers = own_drivers,
        .path = "x.cfg",
        .text = "driver ( name \"fak\" provides [ \"ptz:0\" ] )",
    };
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_not_equal(tp_server_create(&server, &options, &err), TP_OK);
    assert_string_equal(err.text, "x.cfg:1:10: there is no driver \"fak\"; did you mean \"fake\"?");
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static void fallbacks_are_cut_into_values(void **state)
{
    (void)state;
    is_seen("port \"/dev/x y\"", "unit_length \"cm\"\nunit_angle \"degrees\"\n");
    assert_true(seen.rate == 10);
    assert_int_equal(seen.pose_count, 3);
    assert_true(seen.pose[0] == 1 && seen.pose[1] == 2 && seen.pose[2] == 0.5 && seen.pose[3] == 0);
    assert_true(seen.quiet);
    assert_false(seen.given);
    assert_string_equal(seen.port, "/dev/x y");
    assert_int_equal(seen.word_count, 3);
    assert_string_equal(seen.words[0], "one");
    assert_string_equal(seen.words[1], "two");
    assert_string_equal(seen.words[2], "three");
    assert_int_equal(seen.none_count, 0);
    assert_string_equal(seen.none, "");
}

static void each_value_of_a_tuple_has_its_unit(void **state)
{
    (void)state;
    is_seen("port \"a\" pose [ 100 50 180 90 ]", "unit_length \"cm\"\n");
    assert_int_equal(seen.pose_count, 4);
    is_near(seen.pose[0], 1);
    is_near(seen.pose[1], 0.5);
    is_near(seen.pose[2], 3.141592653589793);
    is_near(seen.pose[3], 1.5707963267948966); /* the last unit holds for the rest */
    is_seen("port \"a\" pose [ 1 2 3 ]", "unit_angle \"radians\"\n");
    is_near(seen.pose[2], 3);
}

static void flags_are_words_or_digits(void **state)
{
    (void)state;
    is_seen("port \"a\" quiet no", "");
    assert_false(seen.quiet);
    assert_true(seen.given);
    is_seen("port \"a\" quiet 1", "");
    assert_true(seen.quiet);
    is_seen("port \"a\" quiet 0", "");
    assert_false(seen.quiet);
    is_seen("port \"a\" quiet \"false\"", "");
    assert_false(seen.quiet);
    is_seen("port \"a\" quiet true", "");
    assert_true(seen.quiet);
    is_refused("port \"a\" quiet 2", "x.cfg:2:16: quiet is yes or no, not 2");
    is_refused("port \"a\" quiet \"maybe\"", "x.cfg:2:16: quiet is yes or no, not \"maybe\"");
}

static void a_number_has_to_be_one(void **state)
{
    (void)state;
    is_seen("port \"a\" rate \"2.5\"", "");
    assert_true(seen.rate == 2.5);
    is_refused("port \"a\" rate \"fast\"", "x.cfg:2:15: rate is a number, not \"fast\"");
    is_refused("port \"a\" rate yes", "x.cfg:2:15: rate is a number, not yes");
    is_refused("port \"a\" rate \"\"", "x.cfg:2:15: rate is a number, not \"\"");
    is_refused("port \"a\" rate \"5x\"", "x.cfg:2:15: rate is a number, not \"5x\"");
    is_refused("port \"a\" pose [ 1 2 \"left\" ]", "x.cfg:2:21: pose is a number, not \"left\"");
}

static void a_driver_can_read_a_field_of_the_server(void **state)
{
    (void)state;
    is_seen("port \"a\"", "");
    assert_true(seen.lease == 7);
    is_seen("port \"a\" lease 2.5", "");
    assert_true(seen.lease == 2.5);
}

static void texts_may_be_anything(void **state)
{
    (void)state;
    is_seen("port 5.50 words [ \"a b\" yes ]", "");
    assert_string_equal(seen.port, "5.50");
    assert_int_equal(seen.word_count, 2);
    assert_string_equal(seen.words[0], "a b");
    assert_string_equal(seen.words[1], "yes");
}

static void what_has_to_be_there_is_missed(void **state)
{
    (void)state;
    is_refused("rate 5", "x.cfg:1:1: the driver fake needs \"port\": the line");
}

static void slips_in_what_keeps_robots_safe_are_mistakes(void **state)
{
    static const char *const slips[][2] = {{"gaurd", "guard"},       {"leese", "lease"},
                                           {"paniic", "panic"},      {"isolatd", "isolated"},
                                           {"Lease", "lease"},       {"kee_file", "key_file"},
                                           {"isoalted", "isolated"}, {"write_need", "write_needs"}};
    char fields[64];
    char why[128];

    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        snprintf(fields, sizeof fields, "port \"a\"\n%s 1", slips[i][0]);
        snprintf(why, sizeof why, "x.cfg:3:1: there is no \"%s\"; did you mean \"%s\"?",
                 slips[i][0], slips[i][1]);
        is_refused(fields, why);
    }
    is_refused("port \"a\"\nwritter ( rank 1 )",
               "x.cfg:3:1: there is no \"writter\"; did you mean \"writer\"?");
    is_seen("port \"a\" laser 1 phase 2 part ( rank 1 )", ""); /* of somebody else's driver */
}

static void what_belongs_at_the_top_is_told(void **state)
{
    static const char *const names[] = {"key_file", "keys", "operator_key", "open"};
    char fields[64];
    char why[128];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(fields, sizeof fields, "port \"a\"\n%s 1", names[i]);
        snprintf(why, sizeof why,
                 "x.cfg:3:1: \"%s\" stands at the top of the file, not in a driver section",
                 names[i]);
        is_refused(fields, why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_programs_own_driver_comes_before_one_of_the_kit),
        cmocka_unit_test(those_of_the_kit_are_there_too),
        cmocka_unit_test(without_a_kit_there_are_only_the_programs_own),
        cmocka_unit_test(fallbacks_are_cut_into_values),
        cmocka_unit_test(each_value_of_a_tuple_has_its_unit),
        cmocka_unit_test(flags_are_words_or_digits),
        cmocka_unit_test(a_number_has_to_be_one),
        cmocka_unit_test(a_driver_can_read_a_field_of_the_server),
        cmocka_unit_test(texts_may_be_anything),
        cmocka_unit_test(what_has_to_be_there_is_missed),
        cmocka_unit_test(slips_in_what_keeps_robots_safe_are_mistakes),
        cmocka_unit_test(what_belongs_at_the_top_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
