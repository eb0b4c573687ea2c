/* rank_test.c - who writes before whom, and what a client is told of it: ranks and LEASE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/visit.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

/* ---- The base, and a driver that uses it ----------------------------------------------------- */

static double speed; /* all drivers of this test run on the loop */
static unsigned halts;
static tp_status told_planner; /* how its last request ended */
static char why_planner[256];

static tp_status drive(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)err;
    speed = ask->vel.px;
    return TP_OK;
}

static tp_status set_power(tp_device *device, const tp_position2d_power_config *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)err;
    return TP_OK;
}

static const tp_position2d_ops base_ops = {.cmd_vel = drive, .req_motor_power = set_power};

static tp_status base_init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, &tp_interface_position2d, NULL, &base_ops, NULL, NULL, err);
}

static void base_halt(tp_device *device, tp_halt how)
{
    (void)device;
    (void)how;
    speed = 0;
    halts++;
}

static const tp_driver_ops base_driver_ops = {.init = base_init, .halt = base_halt};
static const tp_driver base = {
    .abi = TP_DRIVER_ABI, .name = "base", .ops = &base_driver_ops, .flags = TP_DRIVER_ON_LOOP};

static tp_link *planner_link;

static tp_status planner_init(tp_instance *self, tp_error *err)
{
    tp_status status = tp_offer(self, &tp_interface_position2d, NULL, &base_ops, NULL, NULL, err);

    return status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &planner_link, err)
                           : status;
}

static const tp_driver_ops planner_ops = {.init = planner_init, .halt = base_halt};
static const tp_driver planner = {
    .abi = TP_DRIVER_ABI, .name = "planner", .ops = &planner_ops, .flags = TP_DRIVER_ON_LOOP};

/* ---- The stage ------------------------------------------------------------------------------- */

enum { JOYSTICK, PLANNER, SECOND, CLIENTS };

struct stage {
    bench b;
    bench_plan *plans[2];
    tp_device *device;
    tp_session *sessions[CLIENTS];
    visit visit;
};

static void add_client(struct stage *s, unsigned who, const char *name, const char *software)
{
    s->sessions[who] = visit_begin(&s->visit, name);
    tp_session_set_software(s->sessions[who], software);
    assert_int_equal(visit_open(&s->visit, s->sessions[who], s->device, TP_ALL_MODE), TP_OK);
}

static const tpi_rank ranks[] = {
    {.rank = 77, .hold_ns = 9 * TP_NS_PER_S, .section = 1}, /* of other devices */
    {.client = "joy*", .host = "10.0.0.*", .rank = 2, .hold_ns = 2 * TP_NS_PER_S},
    {.driver = "planner", .rank = -1, .hold_ns = TP_NS_PER_S},
    {.host = "::1", .rank = 1, .hold_ns = TP_NS_PER_S / 2},
    {.key = "pilot", .rank = 3, .hold_ns = TP_NS_PER_S},
};

static void add_driver(struct stage *s, unsigned i, const bench_section *section, int64_t lease_ns)
{
    s->plans[i] = bench_plan_create(s->b.catalogue, section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(s->plans[i]);
    blueprint.ranks = ranks;
    blueprint.rank_count = sizeof ranks / sizeof ranks[0];
    blueprint.lease_ns = lease_ns;
    assert_int_equal(tpi_hub_add(s->b.hub, &blueprint, NULL, NULL), TP_OK);
}

static void begin_with(struct stage *s, int64_t lease_ns)
{
    memset(s, 0, sizeof *s);
    speed = 0;
    halts = 0;
    bench_init(&s->b);
    s->visit.b = &s->b;
    add_driver(s, 0, &(bench_section){.driver = &base, .provides = "position2d:0"}, lease_ns);
    s->device = bench_find(&s->b, "position2d:0");
    add_client(s, JOYSTICK, "10.0.0.7:5123", "joystick");
    add_client(s, PLANNER, "10.0.0.8:5124", "planner");
    add_client(s, SECOND, "[::1]:5125", "second");
}

static void begin(struct stage *s)
{
    begin_with(s, 0);
}

static void end(struct stage *s)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        tp_session_destroy(s->sessions[i]);
    }
    bench_fini(&s->b);
    bench_plan_destroy(s->plans[0]);
    bench_plan_destroy(s->plans[1]);
}

static tp_status send(struct stage *s, unsigned who, tp_kind kind, unsigned code, const void *value,
                      tp_error *err)
{
    const tp_status status = visit_send(s->sessions[who], s->device, kind, code, value, 0, err);

    tp_loop_turn(s->b.loop, false);
    return status;
}

static tp_status move(struct stage *s, unsigned who, double at, tp_error *err)
{
    const tp_position2d_cmd_vel vel = {.vel = {.px = at}, .state = 1};

    return send(s, who, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel, err);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

static void the_higher_rank_moves_it_and_keeps_others_out(void **state)
{
    struct stage s;
    tp_error err = {0};
    const tp_position2d_power_config power = {.state = 0};

    (void)state;
    begin(&s);
    assert_int_equal(move(&s, PLANNER, 0.5, &err), TP_OK);
    assert_int_equal(move(&s, JOYSTICK, 1, &err), TP_OK); /* at once */
    assert_true(speed > 0.9);
    assert_int_equal(move(&s, PLANNER, 0.5, &err), TP_E_DENIED);
    assert_string_equal(err.text,
                        "position2d:0 is held by joystick at 10.0.0.7:5123, rank 2 over 0, "
                        "for another 2.0 s");
    assert_int_equal(
        send(&s, PLANNER, TP_KIND_REQUEST, TP_POSITION2D_REQ_MOTOR_POWER, &power, &err),
        TP_E_DENIED);
    assert_int_equal(send(&s, PLANNER, TP_KIND_REQUEST, TP_COMMON_REQ_GET_PROPERTIES, NULL, &err),
                     TP_OK);
    assert_int_equal(send(&s, PLANNER, TP_KIND_REQUEST, TP_COMMON_REQ_HALT, NULL, &err), TP_OK);
    assert_int_equal(halts, 1); /* whoever sees danger may */
    bench_move_clock(&s.b, 1.9);
    assert_int_equal(move(&s, SECOND, 0.7, &err), TP_E_DENIED);
    assert_string_equal(err.text,
                        "position2d:0 is held by joystick at 10.0.0.7:5123, rank 2 over 1, "
                        "for another 0.1 s");
    bench_move_clock(&s.b, 0.1);
    assert_int_equal(move(&s, PLANNER, 0.5, &err), TP_OK);
    assert_true(speed < 0.6);
    end(&s);
}

static void among_equals_the_last_one_moves_it(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    tp_session_set_software(s.sessions[JOYSTICK], "pad"); /* fits none, as the planner */
    assert_int_equal(move(&s, PLANNER, 0.5, NULL), TP_OK);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    assert_int_equal(move(&s, PLANNER, 0.5, NULL), TP_OK);
    end(&s);
}

static void who_leaves_keeps_nobody_out(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    assert_int_equal(tp_session_close(s.sessions[JOYSTICK], s.device), TP_OK);
    tp_loop_turn(s.b.loop, false);
    assert_int_equal(halts, 1);
    assert_int_equal(move(&s, PLANNER, 0.5, NULL), TP_OK);
    end(&s);
}

static void a_refused_command_is_told_once(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(move(&s, PLANNER, 1, NULL), TP_E_DENIED);
    }
    assert_int_equal(tp_session_waiting(s.sessions[PLANNER]), 1);
    tp_msg *told = tp_session_take(s.sessions[PLANNER]);
    const tp_failure *failure = tp_msg_payload(told);
    assert_int_equal(tp_msg_header(told)->subtype, TP_COMMON_DATA_ERROR);
    assert_int_equal(failure->code, TP_E_DENIED);
    assert_string_equal(failure->text, "position2d:0 is held by joystick at 10.0.0.7:5123, rank 2 "
                                       "over 0, for another 2.0 s");
    tp_msg_unref(told);
    bench_move_clock(&s.b, 2);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_OK);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_E_DENIED);
    assert_int_equal(tp_session_waiting(s.sessions[PLANNER]), 1); /* anew */
    tp_session_explain_failures(s.sessions[SECOND], false);
    assert_int_equal(move(&s, SECOND, 1, NULL), TP_E_DENIED);
    assert_int_equal(tp_session_waiting(s.sessions[SECOND]), 0); /* as in Player */
    end(&s);
}

static void a_higher_rank_is_not_shut_out(void **state)
{
    struct stage s;
    tp_error err = {0};

    (void)state;
    begin(&s);
    assert_int_equal(visit_open(&s.visit, s.sessions[PLANNER], s.device, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(move(&s, SECOND, 1, &err), TP_OK); /* rank 1 */
    assert_int_equal(move(&s, PLANNER, 1, &err), TP_E_DENIED);
    assert_int_equal(tp_session_close(s.sessions[PLANNER], s.device), TP_OK);
    assert_int_equal(visit_open(&s.visit, s.sessions[JOYSTICK], s.device, TP_EXCLUSIVE_MODE),
                     TP_OK);
    bench_move_clock(&s.b, 1);
    assert_int_equal(move(&s, SECOND, 1, &err), TP_E_DENIED);
    assert_string_equal(err.text, "position2d:0 is held by joystick at 10.0.0.7:5123");
    end(&s);
}

/* A client with exclusive access that asks for a lower rank gives way to the ranks between. */
static void a_holder_has_the_rank_that_it_asks_for(void **state)
{
    const tp_lease lower = {.asks = TP_LEASE_RANK, .rank = -1};
    struct stage s;

    (void)state;
    begin(&s);
    assert_int_equal(visit_open(&s.visit, s.sessions[SECOND], s.device, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_E_DENIED); /* rank 0 under 1 */
    assert_int_equal(send(&s, SECOND, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE, &lower, NULL), TP_OK);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_OK);
    assert_int_equal(visit_open(&s.visit, s.sessions[PLANNER], s.device, TP_WRITE_MODE), TP_OK);
    end(&s);
}

/* Only a key shows which client it is. */
static void a_key_gives_a_rank(void **state)
{
    const tpi_key keys[] = {{"pilot", "fly", TP_RIGHT_MOVE}, {"guest", "look", TP_RIGHT_MOVE}};
    const tpi_access access = {
        .keys = keys, .key_count = 2, .guests = {TP_RIGHT_MOVE, TP_RIGHT_MOVE, TP_RIGHT_OPERATE}};
    struct stage s;

    (void)state;
    begin(&s);
    assert_int_equal(tpi_hub_set_access(s.b.hub, &access), TP_OK);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    assert_int_equal(tp_session_show_key(s.sessions[PLANNER], "look", 4, NULL), TP_OK);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_E_DENIED);
    assert_int_equal(tp_session_show_key(s.sessions[PLANNER], "fly", 3, NULL), TP_OK);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_OK);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_E_DENIED);
    end(&s);
}

static void planner_told(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                         const char *why)
{
    (void)self;
    (void)context;
    (void)answer;
    told_planner = status;
    snprintf(why_planner, sizeof why_planner, "%s", why);
}

static void begin_with_moving_driver(struct stage *s, const tp_position2d_cmd_vel *vel)
{
    const bench_section section = {
        .driver = &planner, .provides = "position2d:1", .requires = "position2d:0"};

    begin(s);
    add_driver(s, 1, &section, 0);
    /* Which starts it. */
    assert_int_equal(
        visit_open(&s->visit, s->sessions[SECOND], bench_find(&s->b, "position2d:1"), TP_READ_MODE),
        TP_OK);
    assert_int_equal(tp_link_command(planner_link, TP_POSITION2D_CMD_VEL, vel), TP_OK);
    tp_loop_turn(s->b.loop, false);
    assert_true(speed > 0.2);
}

/* One that runs in the server has a rank too. */
static void drivers_have_ranks(void **state)
{
    struct stage s;
    const tp_position2d_cmd_vel vel = {.vel = {.px = 0.3}, .state = 1};
    const tp_position2d_power_config power = {.state = 0};

    (void)state;
    begin_with_moving_driver(&s, &vel);
    assert_int_equal(move(&s, PLANNER, 0.5, NULL), TP_OK); /* rank 0 over -1 */
    assert_int_equal(tp_link_command(planner_link, TP_POSITION2D_CMD_VEL, &vel), TP_OK);
    assert_int_equal(tp_link_request(planner_link, TP_POSITION2D_REQ_MOTOR_POWER, &power,
                                     TP_NS_PER_S, planner_told, NULL),
                     TP_OK);
    tp_loop_turn(s.b.loop, false);
    assert_true(speed > 0.4);
    assert_int_equal(told_planner, TP_E_DENIED);
    assert_string_equal(why_planner,
                        "position2d:0 is held by planner at 10.0.0.8:5124, rank 0 over "
                        "-1, for another 1.0 s");
    bench_move_clock(&s.b, 1);
    assert_int_equal(tp_link_command(planner_link, TP_POSITION2D_CMD_VEL, &vel), TP_OK);
    tp_loop_turn(s.b.loop, false);
    assert_true(speed < 0.4);
    end(&s);
}

/* What it moves is stopped when a client takes the device, since it cannot stop it any more. */
static void exclusive_access_shuts_drivers_out(void **state)
{
    struct stage s;
    const tp_position2d_cmd_vel vel = {.vel = {.px = 0.3}, .state = 1};
    const tp_position2d_power_config power = {.state = 0};

    (void)state;
    begin_with_moving_driver(&s, &vel);
    assert_int_equal(visit_open(&s.visit, s.sessions[PLANNER], s.device, TP_EXCLUSIVE_MODE), TP_OK);
    tp_loop_turn(s.b.loop, false);
    assert_int_equal(halts, 1);
    assert_int_equal(tp_link_command(planner_link, TP_POSITION2D_CMD_VEL, &vel), TP_OK);
    assert_int_equal(tp_link_request(planner_link, TP_POSITION2D_REQ_MOTOR_POWER, &power,
                                     TP_NS_PER_S, planner_told, NULL),
                     TP_OK);
    tp_loop_turn(s.b.loop, false);
    assert_true(speed == 0);
    assert_int_equal(told_planner, TP_E_DENIED);
    assert_string_equal(why_planner, "position2d:0 is held by planner at 10.0.0.8:5124");
    tp_link_halt(planner_link); /* anyone may stop it */
    tp_loop_turn(s.b.loop, false);
    assert_int_equal(halts, 2);
    assert_int_equal(tp_session_close(s.sessions[PLANNER], s.device), TP_OK);
    assert_int_equal(tp_link_command(planner_link, TP_POSITION2D_CMD_VEL, &vel), TP_OK);
    tp_loop_turn(s.b.loop, false);
    assert_true(speed > 0.2);
    end(&s);
}

/* ---- LEASE ----------------------------------------------------------------------------------- */

/* The answer has to be freed with tp_msg_unref(). */
static tp_msg *ask_lease(struct stage *s, unsigned who, const tp_lease *ask)
{
    static char nobody[] = "";
    tp_lease whole = *ask;
    tp_error err = {0};

    whole.mover = nobody;
    whole.mover_count = sizeof nobody;
    assert_int_equal(send(s, who, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE, &whole, &err), TP_OK);
    tp_msg *answer = tp_session_take(s->sessions[who]);
    while (answer != NULL && tp_msg_header(answer)->type == TP_MSGTYPE_DATA) {
        tp_msg_unref(answer); /* it was told of what it was refused, or stopped */
        answer = tp_session_take(s->sessions[who]);
    }
    assert_non_null(answer);
    assert_int_equal(tp_msg_header(answer)->type, TP_MSGTYPE_RESP_ACK);
    assert_int_equal(tp_msg_header(answer)->subtype, TP_COMMON_REQ_LEASE);
    return answer;
}

static void assert_lease(struct stage *s, unsigned who, const tp_lease *ask, double duration,
                         int rank)
{
    tp_msg *answer = ask_lease(s, who, ask);
    const tp_lease *lease = tp_msg_payload(answer);

    assert_float_equal(lease->duration, duration, 1e-6);
    assert_int_equal(lease->rank, rank);
    tp_msg_unref(answer);
}

static void a_client_is_told_who_moves_it(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    tp_msg *answer = ask_lease(&s, PLANNER, &(tp_lease){0});
    const tp_lease *lease = tp_msg_payload(answer);
    assert_string_equal(lease->mover, "");
    assert_false(lease->mine);
    tp_msg_unref(answer);

    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    bench_move_clock(&s.b, 0.5);
    answer = ask_lease(&s, PLANNER, &(tp_lease){0});
    lease = tp_msg_payload(answer);
    assert_string_equal(lease->mover, "joystick at 10.0.0.7:5123");
    assert_false(lease->mine);
    assert_int_equal(lease->mover_rank, 2);
    assert_float_equal(lease->remaining, 4.5, 1e-6);
    assert_float_equal(lease->held, 1.5, 1e-6);
    tp_msg_unref(answer);

    answer = ask_lease(&s, JOYSTICK, &(tp_lease){0});
    lease = tp_msg_payload(answer);
    assert_true(lease->mine);
    assert_float_equal(lease->remaining, 5, 1e-6); /* the question is a word too */
    tp_msg_unref(answer);
    end(&s);
}

static void a_client_chooses_its_lease(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_lease(&s, PLANNER, &(tp_lease){0}, 5, 0);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION, .duration = 0.2}, 0.2, 0);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_OK);
    bench_move_clock(&s.b, 0.19);
    tp_loop_turn(s.b.loop, false);
    assert_int_equal(halts, 0);
    bench_move_clock(&s.b, 0.01);
    tp_loop_turn(s.b.loop, false);
    assert_int_equal(halts, 1);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION, .duration = 60}, 5, 0);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION, .duration = 0.3}, 0.3, 0);
    assert_lease(&s, PLANNER, &(tp_lease){0}, 0.3, 0);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION}, 5, 0); /* the default */
    end(&s);
}

/* It is the server that is safe, not the client. */
static void no_lease_is_longer_than_configured(void **state)
{
    struct stage s;

    (void)state;
    begin_with(&s, TP_NS_PER_S / 2);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION, .duration = 60}, 0.5, 0);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION, .duration = 0.1}, 0.1, 0);
    end(&s);
    begin_with(&s, -1); /* the configuration switches them off */
    assert_lease(&s, PLANNER, &(tp_lease){0}, 0, 0);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION, .duration = 1e300},
                 (double)INT64_MAX / 1e9, 0);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_DURATION, .duration = 60}, 60, 0);
    end(&s);
}

static void a_client_can_rank_lower_but_not_higher(void **state)
{
    struct stage s;

    (void)state;
    begin(&s);
    assert_lease(&s, JOYSTICK, &(tp_lease){0}, 5, 2);
    assert_lease(&s, JOYSTICK, &(tp_lease){.asks = TP_LEASE_RANK, .rank = 99}, 5, 2);
    assert_lease(&s, PLANNER, &(tp_lease){.asks = TP_LEASE_RANK, .rank = 1}, 5, 0);
    assert_lease(&s, JOYSTICK, &(tp_lease){.asks = TP_LEASE_RANK, .rank = -1}, 5, -1);
    assert_int_equal(move(&s, PLANNER, 1, NULL), TP_OK);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_E_DENIED);
    assert_lease(&s, JOYSTICK, &(tp_lease){.asks = TP_LEASE_RANK, .rank = 2}, 5, 2);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    end(&s);
}

static void odd_leases_are_refused(void **state)
{
    static char nobody[] = "";
    const double odd[] = {-1, (double)NAN, (double)INFINITY};
    struct stage s;
    tp_error err = {0};

    (void)state;
    begin(&s);
    for (unsigned i = 0; i < 3; i++) {
        const tp_lease ask = {.asks = TP_LEASE_DURATION,
                              .duration = odd[i],
                              .mover = nobody,
                              .mover_count = sizeof nobody};
        assert_int_equal(send(&s, PLANNER, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE, &ask, &err),
                         TP_E_RANGE);
        assert_string_equal(err.text, "a lease is a number of seconds, 0 for the default");
    }
    end(&s);
}

/* ---- Statistics ------------------------------------------------------------------------------ */

static void statistics_tell_who_holds_it(void **state)
{
    struct stage s;
    tp_statistics *value = NULL;

    (void)state;
    begin(&s);
    assert_int_equal(tp_hub_statistics(s.b.hub, &value), TP_OK);
    assert_string_equal(value->devices[0].mover, "");
    assert_string_equal(value->devices[0].holder, "");
    free(value);
    assert_int_equal(visit_open(&s.visit, s.sessions[SECOND], s.device, TP_EXCLUSIVE_MODE), TP_OK);
    assert_int_equal(move(&s, JOYSTICK, 1, NULL), TP_OK);
    bench_move_clock(&s.b, 1.5);
    assert_int_equal(tp_hub_statistics(s.b.hub, &value), TP_OK);
    assert_string_equal(value->devices[0].mover, "joystick at 10.0.0.7:5123");
    assert_string_equal(value->devices[0].holder, "second at [::1]:5125");
    assert_int_equal(value->devices[0].rank, 2);
    assert_float_equal(value->devices[0].lease_left, 3.5, 1e-6);
    assert_float_equal(value->devices[0].rank_left, 0.5, 1e-6);
    free(value);
    bench_move_clock(&s.b, 5);
    tp_loop_turn(s.b.loop, false);
    assert_int_equal(tp_hub_statistics(s.b.hub, &value), TP_OK);
    assert_string_equal(value->devices[0].mover, ""); /* its lease is over */
    free(value);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_higher_rank_moves_it_and_keeps_others_out),
        cmocka_unit_test(among_equals_the_last_one_moves_it),
        cmocka_unit_test(who_leaves_keeps_nobody_out),
        cmocka_unit_test(a_refused_command_is_told_once),
        cmocka_unit_test(a_higher_rank_is_not_shut_out),
        cmocka_unit_test(a_holder_has_the_rank_that_it_asks_for),
        cmocka_unit_test(a_key_gives_a_rank),
        cmocka_unit_test(drivers_have_ranks),
        cmocka_unit_test(exclusive_access_shuts_drivers_out),
        cmocka_unit_test(a_client_is_told_who_moves_it),
        cmocka_unit_test(a_client_chooses_its_lease),
        cmocka_unit_test(no_lease_is_longer_than_configured),
        cmocka_unit_test(a_client_can_rank_lower_but_not_higher),
        cmocka_unit_test(odd_leases_are_refused),
        cmocka_unit_test(statistics_tell_who_holds_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
