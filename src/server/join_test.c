/* join_test.c - several sections that are one instance, and drivers that know what they offer. */
#include <stdio.h>
#include <string.h>

#include "session/session.h"
#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/server.h"

/* ---- A house with rooms, each of them a section ---------------------------------------------- */

static char seen[1024]; /* what init was told: "section/room/index ..." */
static int inits;

static tp_status offer_listed(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops ops = {0};
    tp_status status = TP_OK;

    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        const size_t section = tp_provides_section(self, i);
        const char *room = tp_section_string(self, section, "room");
        const size_t length = strlen(seen);
        tp_device *device = NULL;
        status = tp_offer_at(self, i, &ops, NULL, &device, err);
        if (status == TP_OK) {
            snprintf(seen + length, sizeof seen - length, "%zu/%s/%u ", section, room,
                     tp_device_addr(device)->index);
        }
        if (strcmp(room, "cellar") == 0) {
            tp_section_blame(self, section);
            return tp_fail(err, TP_E_UNKNOWN, "there is no cellar");
        }
    }
    return status;
}

static tp_status house_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops ops = {0};
    tp_status status = TP_OK;

    inits++;
    if (tp_provides_count(self) > 0) {
        return offer_listed(self, err);
    }
    for (uint16_t i = 0; i < 3 && status == TP_OK; i++) {
        status = tp_offer_more(self, &tp_interface_ptz, i, &ops, NULL, NULL, err);
    }
    tp_instance_note(self, "there are three rooms");
    return status;
}

static const tp_param house_params[] = {
    {"street", NULL, "", "where it stands"},
    {"room", NULL, "hall", "one of its rooms"},
    {NULL, NULL, NULL, NULL},
};
static const tp_driver_ops house_ops = {.init = house_init};
static const tp_driver house = {.abi = TP_DRIVER_ABI,
                                .name = "house",
                                .params = house_params,
                                .ops = &house_ops,
                                .flags = TP_DRIVER_JOINS | TP_DRIVER_OFFERS_ALL};
static const tp_driver villa = {.abi = TP_DRIVER_ABI,
                                .name = "villa",
                                .params = house_params,
                                .ops = &house_ops,
                                .flags = TP_DRIVER_JOINS | TP_DRIVER_OFFERS_ALL};
static const tp_driver *const drivers[] = {&house, &villa, NULL};

/* ---- A server -------------------------------------------------------------------------------- */

static char text[2048];
static char notes[2048];

static void keep(void *context, const char *note)
{
    const size_t length = strlen(notes);

    (void)context;
    snprintf(notes + length, sizeof notes - length, "%s%s", length == 0 ? "" : "; ", note);
}

static tp_status make(tp_server **server, const char *configuration, tp_error *err)
{
    const tp_server_options options = {.kit = &tp_full_kit,
                                       .drivers = drivers,
                                       .path = "x.cfg",
                                       .text = text,
                                       .listen = "",
                                       .note = keep};

    seen[0] = notes[0] = '\0';
    inits = 0;
    snprintf(text, sizeof text, "%s", configuration);
    return tp_server_create(server, &options, err);
}

static tp_server *begin(const char *configuration)
{
    tp_server *server = NULL;
    tp_error err = {0};

    if (make(&server, configuration, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    return server;
}

static void is_refused(const char *configuration, const char *why)
{
    tp_server *server = NULL;
    tp_error err = {0};

    assert_true(make(&server, configuration, &err) < 0);
    assert_string_equal(err.text, why);
}

#define HOUSE                                                                                      \
    "driver ( name \"house\" street \"a\" provides [ \"ptz:0\" ] )\n"                              \
    "driver ( name \"villa\" room \"bath\" provides [ \"ptz:5\" \"ptz:6\" ] )\n"                   \
    "driver ( name \"house\" provides [ \"ptz:2\" ] )\n"

static void sections_without_the_first_parameter_join_the_one_before(void **state)
{
    tp_server *server = begin(HOUSE);

    (void)state;
    assert_int_equal(inits, 1);
    assert_string_equal(seen, "0/hall/0 1/bath/5 1/bath/6 2/hall/2 ");
    assert_int_equal(tp_server_device_count(server), 4);
    for (size_t i = 1; i < 4; i++) {
        assert_ptr_equal(tp_device_instance(tp_server_device_at(server, i)),
                         tp_device_instance(tp_server_device_at(server, 0)));
    }
    tp_server_destroy(server);
}

static void another_one_begins_with_its_own_parameter(void **state)
{
    tp_server *server =
        begin(HOUSE "driver ( name \"house\" street \"b\" provides [ \"ptz:10\" ] )\n"
                    "driver ( name \"house\" room \"attic\" provides [ \"ptz:11\" ] )");

    (void)state;
    assert_int_equal(inits, 2);
    assert_string_equal(seen, "0/hall/0 1/bath/5 1/bath/6 2/hall/2 0/hall/10 1/attic/11 ");
    tp_server_destroy(server);
}

static void mistakes_are_told_where_they_are(void **state)
{
    (void)state;
    is_refused(HOUSE "driver ( name \"house\" room \"cellar\" provides [ \"ptz:3\" ] )",
               "x.cfg:4:1: house0: there is no cellar");
    is_refused(HOUSE "driver ( name \"house\" provides [ \"ptz:3\" \"ptz:5\" ] )",
               "x.cfg:4:1: ptz:5 is offered by another section already");
    is_refused(HOUSE "driver ( name \"house\" )", "x.cfg:4:1: the driver house provides nothing");
    is_refused("driver ( name \"house\" street \"a\" provides [ \"ptz:0\" ] isolated yes )\n"
               "driver ( name \"house\" provides [ \"ptz:1\" ] )",
               "x.cfg:1:1: a driver with several sections cannot be isolated");
}

static void everything_is_offered_without_a_list(void **state)
{
    tp_server *server = begin("driver ( name \"house\" street \"a\" provides \"all\" )");

    (void)state;
    assert_int_equal(tp_server_device_count(server), 3);
    assert_int_equal(tp_device_addr(tp_server_device_at(server, 2))->index, 2);
    assert_int_equal(tp_device_addr(tp_server_device_at(server, 2))->robot, 6665);
    assert_string_equal(notes, "house0: there are three rooms");
    tp_server_destroy(server);
    server = begin("driver ( name \"house\" street \"a\" )");
    assert_int_equal(tp_server_device_count(server), 3);
    tp_server_destroy(server);
}

static tp_status reload(tp_server *server, const char *configuration)
{
    tp_error err = {0};
    tp_status status;

    inits = 0;
    snprintf(text, sizeof text, "%s", configuration);
    status = tp_server_reload(server, &err);
    for (int i = 0; i < 100; i++) { /* what leaves has left */
        tp_server_step(server, false);
    }
    return status;
}

static void a_reload_compares_all_sections(void **state)
{
    tp_server *server = begin(HOUSE);

    (void)state;
    assert_int_equal(reload(server, HOUSE), TP_OK);
    assert_int_equal(inits, 0);
    assert_int_equal(
        reload(server,
               "driver ( name \"house\" street \"a\" provides [ \"ptz:0\" ] )\n"
               "driver ( name \"villa\" room \"kitchen\" provides [ \"ptz:5\" \"ptz:6\" ] )\n"
               "driver ( name \"house\" provides [ \"ptz:2\" ] )\n"),
        TP_OK);
    assert_int_equal(inits, 1);
    tp_server_destroy(server);
}

static void is_ready(void *context)
{
    (void)context;
}

/* The rank of a client called so on the i-th device, and how long it keeps others out, in seconds.
 */
static void ranks(tp_server *server, const char *client, size_t i, int rank, int hold_s)
{
    static const tp_session_limits limits = {.data = 8, .replies = 8, .requests = 8};
    static const tp_session_events events = {.ready = is_ready, .lost = is_ready};
    tp_session *session = NULL;
    tpi_claim claim = {0};

    assert_int_equal(
        tp_session_create(&session, tp_server_hub(server), 6665, &limits, &events, NULL, NULL),
        TP_OK);
    tp_session_set_software(session, client);
    tpi_identity_rank(&session->identity, tp_server_device_at(server, i), &claim);
    assert_int_equal(claim.rank, rank);
    assert_int_equal(claim.hold_ns, hold_s * TP_NS_PER_S);
    tp_session_destroy(session);
}

/* In the order of their own section, and not on the devices of another one. */
static void writers_rank_on_the_devices_of_their_section(void **state)
{
    tp_server *server =
        begin("driver ( name \"house\" street \"a\" provides [ \"ptz:0\" ]\n"
              "  writer ( client \"anna\" rank 2 ) )\n"
              "driver ( name \"villa\" room \"bath\" provides [ \"ptz:5\" \"ptz:6\" ]\n"
              "  writer ( client \"berta\" rank 4 timeout 3 ) writer ( rank -1 timeout 2 ) )\n"
              "driver ( name \"house\" provides [ \"ptz:2\" ] )\n");

    (void)state;
    assert_int_equal(inits, 1);
    ranks(server, "anna", 0, 2, 1);
    ranks(server, "berta", 0, 0, 1);
    for (size_t i = 1; i <= 2; i++) {
        ranks(server, "anna", i, -1, 2);
        ranks(server, "berta", i, 4, 3);
    }
    ranks(server, "anna", 3, 0, 1);
    ranks(server, "berta", 3, 0, 1);
    tp_server_destroy(server);
}

/* Without them those of the first section count. */
static void leases_and_ways_to_stop_are_those_of_the_section(void **state)
{
    tp_server *server = begin(
        "driver ( name \"house\" street \"a\" provides [ \"ptz:0\" ] lease 2 panic \"hold\" )\n"
        "driver ( name \"villa\" provides [ \"ptz:5\" ] lease 0 panic \"finish\" )\n"
        "driver ( name \"house\" provides [ \"ptz:2\" ] )\n");
    const int64_t leases_ns[] = {2 * TP_NS_PER_S, -1, 2 * TP_NS_PER_S};

    (void)state;
    assert_string_equal(notes, "");
    for (size_t i = 0; i < 3; i++) {
        const tp_device *device = tp_server_device_at(server, i);
        const tpi_device_safety *safety = tpi_device_safety_look(device);
        assert_int_equal(tpi_device_lease_ns(device), leases_ns[i]);
        assert_int_equal(safety->own_way, i == 1);
        assert_int_equal(safety->instance->way, TP_HALT_HOLD);
        if (i == 1) {
            assert_int_equal(safety->way, TP_HALT_FINISH);
        }
    }
    tp_server_destroy(server);
}

static void a_reload_sees_that_the_lease_of_a_section_has_changed(void **state)
{
    tp_server *server = begin(HOUSE);

    (void)state;
    assert_int_equal(
        reload(server, "driver ( name \"house\" street \"a\" provides [ \"ptz:0\" ] )\n"
                       "driver ( name \"villa\" room \"bath\" provides [ \"ptz:5\" \"ptz:6\" ] )\n"
                       "driver ( name \"house\" provides [ \"ptz:2\" ] lease 3 )\n"),
        TP_OK);
    assert_int_equal(inits, 1);
    tp_server_destroy(server);
}

static void any_section_keeps_the_instance_running(void **state)
{
    tp_server *server = begin("driver ( name \"house\" street \"a\" provides [ \"ptz:0\" ] )\n"
                              "driver ( name \"house\" provides [ \"ptz:2\" ] alwayson 1 )\n");

    (void)state;
    assert_true(tpi_device_plan(tp_server_device_at(server, 0))->always_on);
    tp_server_destroy(server);
}

/* Whatever allocation fails, it is told, and nothing is left behind. */
static void memory_that_runs_out_is_survived(void **state)
{
    bool hit = true;

    (void)state;
    for (size_t n = 1; hit; n++) {
        const long before = memory_live();
        tp_server *server = NULL;
        memory_fail_at(n);
        const tp_status status = make(&server, HOUSE, NULL);
        tp_server_destroy(server);
        hit = memory_has_failed();
        memory_fail_at(0);
        assert_int_equal(memory_live(), before);
        assert_true(hit ? status < 0 : status == TP_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_without_the_first_parameter_join_the_one_before),
        cmocka_unit_test(another_one_begins_with_its_own_parameter),
        cmocka_unit_test(mistakes_are_told_where_they_are),
        cmocka_unit_test(everything_is_offered_without_a_list),
        cmocka_unit_test(a_reload_compares_all_sections),
        cmocka_unit_test(writers_rank_on_the_devices_of_their_section),
        cmocka_unit_test(leases_and_ways_to_stop_are_those_of_the_section),
        cmocka_unit_test(a_reload_sees_that_the_lease_of_a_section_has_changed),
        cmocka_unit_test(any_section_keeps_the_instance_running),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
