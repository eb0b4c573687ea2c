/* inproc_test.c - a client of a server in the same program: no network, nothing encoded. */
#include "troupe/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/client/player.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/server.h"

/* Far beyond anything that a server needs on a machine that is awake. */
#define PATIENCE (60 * TP_NS_PER_S)

struct bench {
    tp_server *server;
    tp_client *client;
    tp_error err;
    unsigned data;
    const tp_msg *last;
    char trace[256];
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    const tp_server_options options = {
        .path = "x.cfg",
        .text = "driver ( name \"fake\" provides [ \"position2d:0\" \"laser:0\" \"6666:laser:1\" ]"
                " rate 1000 )",
        .listen = "",
        .kit = &tp_full_kit};

    assert_non_null(b);
    assert_int_equal(tp_server_create(&b->server, &options, &b->err), TP_OK);
    tp_server_begin(b->server);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tp_client_destroy(b->client);
    tp_server_destroy(b->server);
    free(b);
    return 0;
}

static void attach(struct bench *b, tp_client_mode mode)
{
    const tp_client_options options = {.mode = mode, .name = "test", .timeout_ns = PATIENCE};

    assert_int_equal(tp_client_attach(&b->client, b->server, 0, &options, &b->err), TP_OK);
}

static tp_proxy *open_device(struct bench *b, const char *name)
{
    tp_proxy *proxy = NULL;
    tp_status status = tp_client_open(b->client, name, TP_OPEN_MODE, &proxy, &b->err);

    assert_string_equal(status == TP_OK ? "" : b->err.text, "");
    return proxy;
}

static void a_client_is_attached_at_once(void **state)
{
    struct bench *b = *state;

    attach(b, TP_CLIENT_AUTO);
    assert_true(tp_client_is_connected(b->client));
    assert_true(tp_client_is_troupe(b->client));
    assert_string_equal(tp_client_url(b->client), "inproc:");
    assert_string_equal(tp_client_banner(b->client), "Troupe in this program");
}

static void it_sees_the_devices_of_its_robot(void **state)
{
    struct bench *b = *state;
    tp_client_device *devices = NULL;
    size_t count = 0;

    attach(b, TP_CLIENT_AUTO);
    assert_int_equal(tp_client_list(b->client, &devices, &count, &b->err), TP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(devices[0].name, "position2d:0");
    assert_string_equal(devices[1].name, "laser:0");
    assert_string_equal(devices[1].driver, "fake");
    free(devices);
    tp_client_destroy(b->client);
    assert_int_equal(tp_client_attach(&b->client, b->server, 6666, NULL, &b->err), TP_OK);
    assert_int_equal(tp_client_list(b->client, &devices, &count, &b->err), TP_OK);
    assert_int_equal(count, 1);
    assert_string_equal(devices[0].name, "laser:1");
    free(devices);
}

static void drive(struct bench *b)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};
    tp_proxy *base = open_device(b, "position2d:0");
    tp_proxy *laser = open_device(b, "laser:0");
    const void *answer = NULL;
    const tp_position2d_data *place = NULL;

    assert_int_equal(tp_proxy_request(base, TP_POSITION2D_REQ_GET_GEOM, NULL, &answer, &b->err),
                     TP_OK);
    assert_true(((const tp_position2d_geom *)answer)->size.sl > 0);
    do {
        assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
        place = tp_proxy_wait(base, TP_POSITION2D_DATA_STATE, PATIENCE, &b->err);
        assert_non_null(place);
    } while (place->pos.px < 0.001);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tp_client_read(b->client, PATIENCE, &b->err), TP_OK);
    }
    const tp_laser_data *scan = tp_proxy_wait(laser, TP_LASER_DATA_SCAN, PATIENCE, &b->err);
    assert_non_null(scan);
    assert_true(scan->ranges_count > 10);
    assert_string_equal(tp_proxy_driver(laser), "fake");
}

static void a_robot_is_driven(void **state)
{
    attach(*state, TP_CLIENT_EVERYTHING);
    drive(*state);
}

static void a_robot_is_driven_with_fresh_data(void **state)
{
    attach(*state, TP_CLIENT_FRESH);
    drive(*state);
}

static void a_pull_waits_for_data(void **state)
{
    struct bench *b = *state;

    attach(b, TP_CLIENT_FRESH);
    for (int i = 0; i < 5; i++) {
        tp_client_step(b->client, false);
    }
    assert_int_equal(b->client->pull.state, TPI_PULL_ARMED);
}

static void the_server_tells_what_it_does(void **state)
{
    struct bench *b = *state;
    char base[] = "base";
    char moon[] = "moon";
    const tp_transform_req asked = {
        .from_count = sizeof base, .from = base, .to_count = sizeof moon, .to = moon};
    const tp_statistics *statistics = NULL;
    const tp_frame_list *frames = NULL;
    const tp_transform_req *transform = NULL;

    attach(b, TP_CLIENT_AUTO);
    tp_proxy *laser = open_device(b, "laser:0");
    assert_int_equal(tp_player_request_statistics(b->client, &statistics, &b->err), TP_OK);
    assert_int_equal(statistics->devices_count, 3);
    assert_int_equal(statistics->clients_count, 1);
    assert_string_equal(statistics->clients[0].software, "test");
    assert_int_equal(tp_player_request_frames(b->client, &frames, &b->err), TP_OK);
    assert_int_equal(tp_player_request_transform(b->client, &asked, &transform, &b->err),
                     TP_E_UNKNOWN);
    assert_non_null(strstr(b->err.text, "moon"));
    assert_int_equal(tp_proxy_set_rate(laser, 5, &b->err), TP_OK);
}

static void refusals_have_a_reason(void **state)
{
    struct bench *b = *state;
    char key[] = "nonsense";
    const tp_intprop_req property = {.key_count = sizeof key, .key = key};
    tp_proxy *proxy = NULL;

    attach(b, TP_CLIENT_AUTO);
    assert_int_equal(tp_client_open(b->client, "laser:7", TP_OPEN_MODE, &proxy, &b->err),
                     TP_E_UNKNOWN);
    assert_string_equal(b->err.text, "laser:7: there is no such device");
    proxy = open_device(b, "laser:0");
    assert_int_equal(tp_proxy_request(proxy, TP_COMMON_REQ_GET_INTPROP, &property, NULL, &b->err),
                     TP_E_UNKNOWN);
    assert_string_equal(b->err.text, "laser:0: there is no property \"nonsense\"");
    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_AUTH,
                                       &(tp_device_auth_req){.auth_key_count = 0}, NULL, &b->err),
                     TP_E_UNSUPPORTED);
    assert_non_null(strstr(b->err.text, "key"));
}

static void a_panic_stops_and_is_reset(void **state)
{
    struct bench *b = *state;
    char why[] = "a cat";
    char none[] = "";
    const tp_panic panic = {.why_count = sizeof why, .why = why};
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};
    const void *answer = NULL;

    attach(b, TP_CLIENT_AUTO);
    tp_proxy *base = open_device(b, "position2d:0");
    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_PANIC, &panic, NULL, &b->err),
                     TP_OK);
    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_GET_PANIC, NULL, &answer, &b->err),
                     TP_OK);
    const tp_panic_state *there = answer;
    assert_true(there->active);
    assert_string_equal(there->why, "a cat");
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_E_PANIC);
    const tp_panic_reset reset = {.epoch = there->epoch, .key_count = 1, .key = none};
    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_RESET_PANIC, &reset, NULL, &b->err),
                     TP_OK);
    assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
}

static void on_lost(void *context)
{
    *(bool *)context = true;
}

static void ignore(void *context)
{
    (void)context;
}

/* A client of another front. */
static void other_clients_are_thrown_out(void **state)
{
    static const tp_session_limits limits = {.data = 8, .replies = 8, .requests = 8};
    static const tp_session_events events = {.ready = ignore, .lost = on_lost};
    struct bench *b = *state;
    tp_session *other = NULL;
    bool lost = false;

    assert_int_equal(
        tp_session_create(&other, tp_server_hub(b->server), 6665, &limits, &events, &lost, &b->err),
        TP_OK);
    attach(b, TP_CLIENT_AUTO);
    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_KICK, &(tp_kick){2}, NULL, &b->err),
                     TP_E_INVALID);
    assert_string_equal(b->err.text, "client 2 is the one that asks");
    assert_int_equal(tp_client_request(b->client, TP_PLAYER_REQ_KICK, &(tp_kick){1}, NULL, &b->err),
                     TP_OK);
    assert_true(lost);
    tp_session_destroy(other);
}

/* The one before is still held by the proxy, so that no other can have its address. */
static void differs_from_the_last(tp_proxy *proxy, const tp_msg *msg)
{
    struct bench *b = tp_proxy_context(proxy);

    assert_ptr_not_equal(msg, b->last);
    b->last = msg;
}

static void two_proxies_of_a_device_get_each_message_once(void **state)
{
    struct bench *b = *state;
    const tp_msg *last[2];

    attach(b, TP_CLIENT_EVERYTHING);
    tp_proxy *first = open_device(b, "position2d:0");
    tp_proxy *second = open_device(b, "position2d:0");
    tp_proxy_set_context(first, b);
    tp_proxy_on_data(first, differs_from_the_last);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(tp_client_read(b->client, PATIENCE, &b->err), TP_OK);
        last[0] = tp_proxy_latest(first, TP_POSITION2D_DATA_STATE);
        last[1] = tp_proxy_latest(second, TP_POSITION2D_DATA_STATE);
        assert_ptr_equal(last[0], last[1]); /* one message, not two copies of it */
    }
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    struct bench *b = tp_proxy_context(proxy);

    (void)msg;
    if (++b->data >= 3 && strcmp(b->trace, "opened ") != 0) { /* data does not wait for answers */
        tp_proxy_close(proxy);
        tp_client_stop(b->client);
    }
}

static void on_geometry(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                        const char *why)
{
    struct bench *b = context;

    (void)proxy;
    (void)why;
    assert_int_equal(status, TP_OK);
    assert_non_null(answer);
    strcat(b->trace, "geometry ");
}

static void on_opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    struct bench *b = context;

    assert_int_equal(status, TP_OK);
    assert_null(why);
    strcat(b->trace, "opened ");
    tp_proxy_set_context(proxy, b);
    tp_proxy_on_data(proxy, on_data);
    assert_int_equal(
        tp_proxy_request_later(proxy, TP_POSITION2D_REQ_GET_GEOM, NULL, 0, on_geometry, b, &b->err),
        TP_OK);
    assert_int_equal(strcmp(b->trace, "opened "), 0); /* not from inside the call */
}

static void callbacks_come_from_the_loop(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    attach(b, TP_CLIENT_AUTO);
    assert_int_equal(tp_client_open_later(b->client, &tp_interface_position2d, 0, TP_OPEN_MODE,
                                          on_opened, b, &proxy, &b->err),
                     TP_OK);
    assert_string_equal(b->trace, "");
    tp_client_run(b->client);
    assert_true(b->data >= 3);
    assert_string_equal(b->trace, "opened geometry ");
}

static void a_proxy_may_be_closed_while_it_opens(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    attach(b, TP_CLIENT_AUTO);
    assert_int_equal(tp_client_open_later(b->client, &tp_interface_position2d, 0, TP_OPEN_MODE,
                                          on_opened, b, &proxy, &b->err),
                     TP_OK);
    tp_proxy_close(proxy);
    for (int i = 0; i < 10; i++) {
        tp_client_step(b->client, false);
    }
    assert_string_equal(b->trace, "");
}

/* The driver has a thread of its own: how many messages are on their way at once depends on when
 * it runs, and so does how long pools grow. But at last they have grown. */
static void data_and_commands_allocate_nothing(void **state)
{
    struct bench *b = *state;
    const tp_position2d_cmd_vel vel = {.vel = {.px = 1}, .state = 1};
    size_t before;

    attach(b, TP_CLIENT_EVERYTHING);
    tp_proxy *base = open_device(b, "position2d:0");
    do {
        before = memory_allocations();
        for (int i = 0; i < 50; i++) {
            assert_int_equal(tp_proxy_command(base, TP_POSITION2D_CMD_VEL, &vel, &b->err), TP_OK);
            assert_non_null(tp_proxy_wait(base, TP_POSITION2D_DATA_STATE, PATIENCE, &b->err));
        }
    } while (memory_allocations() != before);
}

/* ---- inproc: --------------------------------------------------------------------------------- */

static void a_file_is_a_server_of_the_clients_own(void **state)
{
    struct bench *b = *state;
    const tp_client_options options = {.kit = &tp_full_kit, .timeout_ns = PATIENCE};
    const char *url = "inproc:" TEST_ROOT "/configs/fake.cfg";

    assert_int_equal(tp_client_connect(&b->client, url, &options, &b->err), TP_OK);
    assert_string_equal(tp_client_url(b->client), url);
    drive(b);
}

static void a_file_that_is_wrong_is_told(void **state)
{
    static const tp_driver *const none[] = {NULL};
    struct bench *b = *state;
    const tp_kit kit = {.drivers = none, .inproc = &tp_inproc};
    const tp_client_options options = {.kit = &kit};

    assert_int_equal(
        tp_client_connect(&b->client, "inproc:" TEST_ROOT "/no.cfg", &options, &b->err), TP_E_IO);
    assert_non_null(strstr(b->err.text, "no.cfg: No such file or directory"));
    assert_int_equal(
        tp_client_connect(&b->client, "inproc:" TEST_ROOT "/configs/fake.cfg", &options, &b->err),
        TP_E_SYNTAX);
    assert_non_null(strstr(b->err.text, "fake.cfg:6:3: there is no driver \"fake\""));
}

static void a_world_is_no_configuration(void **state)
{
    struct bench *b = *state;
    const tp_client_options options = {.kit = &tp_full_kit};

    assert_int_equal(tp_client_connect(&b->client, "inproc:" TEST_ROOT "/worlds/office.world",
                                       &options, &b->err),
                     TP_E_INVALID);
    assert_non_null(strstr(b->err.text, "/worlds/office.world is a world, no configuration: "
                                        "\"troupe sim "));
    assert_int_equal(
        tp_client_connect(&b->client, "inproc:" TEST_ROOT "/no.world", &options, &b->err), TP_E_IO);
}

/* The driver by the name of its instance too, the device by its property. */
static void devices_are_found_as_lists_show_them(void **state)
{
    static const char *const found[] = {"driver = fake", "driver = fake0, name = laser:0",
                                        "driver != fake1", "name != eye"};
    struct bench *b = *state;
    const tp_client_options options = {.kit = &tp_full_kit, .timeout_ns = PATIENCE};
    tp_proxy *proxy = NULL;

    assert_int_equal(
        tp_client_connect(&b->client, "inproc:" TEST_ROOT "/configs/fake.cfg", &options, &b->err),
        TP_OK);
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        assert_int_equal(
            tp_client_find(b->client, "laser", found[i], TP_READ_MODE, &proxy, &b->err), TP_OK);
        tp_proxy_close(proxy);
    }
    assert_int_equal(
        tp_client_find(b->client, "laser", "driver != fake0", TP_READ_MODE, &proxy, &b->err),
        TP_E_UNKNOWN);
    assert_int_equal(tp_client_find(b->client, "laser", "", TP_ALL_MODE, &proxy, &b->err), TP_OK);
    assert_int_equal(tp_proxy_set_property(proxy, "name", "eye", &b->err), TP_OK);
    tp_proxy_close(proxy);
    assert_int_equal(
        tp_client_find(b->client, "laser", "name = eye", TP_READ_MODE, &proxy, &b->err), TP_OK);
    tp_proxy_close(proxy);
}

static void a_server_of_ones_own_comes_with_a_kit(void **state)
{
    struct bench *b = *state;
    const tp_client_options options = {.kit = &tp_local_kit};
    const char *why = "inproc:x.cfg: there is no server in this program: link the library "
                      "troupe-server and set the option kit to &tp_full_kit";

    assert_int_equal(tp_client_connect(&b->client, "inproc:x.cfg", NULL, &b->err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(b->err.text, why);
    assert_int_equal(tp_client_connect(&b->client, "inproc:x.cfg", &options, &b->err),
                     TP_E_UNSUPPORTED);
    assert_string_equal(b->err.text, why);
    assert_int_equal(tp_client_check("inproc:x.cfg", &options, NULL, &b->err), TP_E_UNSUPPORTED);
}

static void a_server_of_ones_own_needs_no_loop(void **state)
{
    struct bench *b = *state;
    tp_client_options options = {.kit = &tp_full_kit, .timeout_ns = PATIENCE};

    assert_int_equal(tp_loop_create(&options.loop, tp_clock_real(), &b->err), TP_OK);
    assert_int_equal(
        tp_client_connect(&b->client, "inproc:" TEST_ROOT "/configs/fake.cfg", &options, &b->err),
        TP_E_INVALID);
    assert_non_null(strstr(b->err.text, "such a server has a loop of its own"));
    tp_loop_destroy(options.loop);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_client_is_attached_at_once),
        TEST(it_sees_the_devices_of_its_robot),
        TEST(a_robot_is_driven),
        TEST(a_robot_is_driven_with_fresh_data),
        TEST(a_pull_waits_for_data),
        TEST(the_server_tells_what_it_does),
        TEST(refusals_have_a_reason),
        TEST(a_panic_stops_and_is_reset),
        TEST(other_clients_are_thrown_out),
        TEST(two_proxies_of_a_device_get_each_message_once),
        TEST(callbacks_come_from_the_loop),
        TEST(a_proxy_may_be_closed_while_it_opens),
        TEST(data_and_commands_allocate_nothing),
        TEST(a_file_is_a_server_of_the_clients_own),
        TEST(a_file_that_is_wrong_is_told),
        TEST(a_world_is_no_configuration),
        TEST(devices_are_found_as_lists_show_them),
        TEST(a_server_of_ones_own_comes_with_a_kit),
        TEST(a_server_of_ones_own_needs_no_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
