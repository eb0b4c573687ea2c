/* section_geometry_test.c - geometry sections: what devices answer, and every mistake with its
 * place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"
#include "troupe/server.h"

static char last_note[256];

static void keep(void *context, const char *text)
{
    (void)context;
    snprintf(last_note, sizeof last_note, "%s", text);
}

static tp_status make(const char *provides, const char *geometry, tp_server **server, tp_error *err)
{
    char text[1024];
    const tp_server_options options = {
        .kit = &tp_full_kit, .path = "x.cfg", .text = text, .listen = "", .note = keep};

    last_note[0] = '\0';
    snprintf(text, sizeof text, "driver ( name \"fake\" provides [ %s ]\n%s )\n", provides,
             geometry);
    return tp_server_create(server, &options, err);
}

static void is_refused(const char *provides, const char *geometry, const char *why)
{
    tp_server *server = NULL;
    tp_error err = {0};

    assert_int_not_equal(make(provides, geometry, &server, &err), TP_OK);
    assert_string_equal(err.text, why);
}

static void is_at(const tp_server *server, const char *from, const char *to, const double wanted[6])
{
    tp_pose3d pose;
    double timestamp_s;
    tp_error err = {0};

    if (tp_hub_transform(tp_server_hub(server), 6665, from, to, &pose, &timestamp_s, &err) !=
        TP_OK) {
        fail_msg("%s", err.text);
    }
    const double got[] = {pose.px, pose.py, pose.pz, pose.proll, pose.ppitch, pose.pyaw};
    for (size_t i = 0; i < 6; i++) {
        assert_true(fabs(got[i] - wanted[i]) < 1e-9);
    }
}

static const double half_turn = 3.141592653589793;

static void poses_and_names_come_into_the_tree(void **state)
{
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(
        make(
            "\"laser:0\" \"ptz:0\" \"6666:laser:0\"",
            "geometry ( device \"laser:0\" pose [ 1 2 90 ] frame \"eye\" )\n"
            "geometry ( device \"ptz:0\" pose [ 1 2 3 0 -90 180 ] size [ 1 2 3 ] parent \"eye\" )\n"
            "geometry ( device \"6666:laser:0\" pose [ 7 0 0 ] )",
            &server, &err),
        TP_OK);
    assert_string_equal(last_note, "");
    is_at(server, "eye", "base", (double[]){1, 2, 0, 0, 0, half_turn / 2});
    is_at(server, "ptz:0", "eye", (double[]){1, 2, 3, 0, -half_turn / 2, half_turn});
    tp_server_destroy(server);
}

static void the_only_device_needs_no_name(void **state)
{
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(
        make("\"laser:3\"", "geometry ( pose [ 1 2 0 ] parent \"mast\" )", &server, &err), TP_OK);
    is_at(server, "laser:3", "mast", (double[]){1, 2, 0, 0, 0, 0});
    tp_server_destroy(server);
}

static void the_units_of_the_file_apply(void **state)
{
    const tp_server_options options = {
        .kit = &tp_full_kit,
        .text = "unit_length \"cm\" unit_angle \"radians\"\n"
                "driver ( name \"fake\" provides [ \"laser:0\" ] geometry ( pose [ 100 50 1 ] ) )",
        .listen = ""};
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tp_server_create(&server, &options, &err), TP_OK);
    is_at(server, "laser:0", "base", (double[]){1, 0.5, 0, 0, 0, 1});
    tp_server_destroy(server);
}

static void what_nobody_uses_is_noted(void **state)
{
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(make("\"laser:0\"", "geometry ( posse [ 1 2 0 ] )", &server, &err), TP_OK);
    assert_string_equal(last_note, "x.cfg:2:12: \"posse\" is not used; did you mean \"pose\"?");
    tp_server_destroy(server);
}

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    is_refused("", "geometry ( pose [ 1 2 3 ] )", "x.cfg:1:1: the driver fake provides nothing");
    is_refused("\"laser:0\" \"laser:1\"", "geometry ( pose [ 1 2 3 ] )",
               "x.cfg:2:1: the driver provides 2 devices: say which one, as device \"laser:0\"");
    is_refused("\"laser:0\"", "geometry ( device \"laser:1\" )",
               "x.cfg:2:19: the driver does not provide laser:1");
    is_refused("\"laser:0\"", "geometry ( device \"6666:laser:0\" )",
               "x.cfg:2:19: the driver does not provide 6666:laser:0");
    is_refused("\"laser:0\"", "geometry ( device \"laser\" )",
               "x.cfg:2:19: \"laser\" is no device address: [[[key:]host:]robot:]interface:index");
    is_refused("\"laser:0\"", "geometry ( device 5 )",
               "x.cfg:2:19: \"device\" takes a text in quotes, not 5");
    is_refused("\"laser:0\"", "geometry ( pose [ 1 2 ] )",
               "x.cfg:2:12: pose is x y yaw, or x y z roll pitch yaw, not 2 values");
    is_refused("\"laser:0\"", "geometry ( pose [ 1 2 \"left\" ] )",
               "x.cfg:2:23: pose is made of numbers, not \"left\"");
    is_refused("\"laser:0\"", "geometry ( size [ 1 2 ] )",
               "x.cfg:2:12: size is length width height, not 2 values");
    is_refused("\"laser:0\"", "geometry ( size [ 1 2 -3 ] )", "x.cfg:2:12: a size is not below 0");
    is_refused("\"laser:0\"", "geometry ( frame \"\" )",
               "x.cfg:2:18: frame is a name of 1 to 63 characters");
    is_refused("\"laser:0\"", "geometry ( frame \"a\" parent \"a\" )",
               "x.cfg:1:1: fake0: the frames \"a\" and \"a\" sit in each other");
    is_refused("\"laser:0\"", "geometry ( )\ngeometry ( )",
               "x.cfg:3:1: there is a geometry of that device already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_and_names_come_into_the_tree),
        cmocka_unit_test(the_only_device_needs_no_name),
        cmocka_unit_test(the_units_of_the_file_apply),
        cmocka_unit_test(what_nobody_uses_is_noted),
        cmocka_unit_test(mistakes_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
