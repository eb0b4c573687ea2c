/* limb_test.c - bringing the tip of an arm to places. */
#include "sim/move/limb.h"

#include "sim/move/actuators.h"
#include "sim/move/chain.h"
#include "support/sim.h"

/* Two links of 0.5 m that turn, then a quill that slides up: as many arms in factories. */
#define JOINT "type \"rotational\" min_position -2.8 max_position 2.8 max_speed 2 noblocks 1 "
#define ARM                                                                                        \
    "model ( name \"a\" size [0.2 0.2 0.5]\n"                                                      \
    "actuator ( " JOINT "size [0.1 0.1 0.1] stack_children 0\n"                                    \
    "actuator ( pose [0.5 0 0 0] " JOINT                                                           \
    "size [0.1 0.1 0.1] stack_children 0 start_position 0.5\n"                                     \
    "actuator ( pose [0.5 0 0 0] axis [0 0 1] min_position -0.3 max_position 0.3 noblocks 1\n"     \
    "size [0.05 0.05 0.05] stack_children 0 effector ( name \"tip\" ) ) ) ) )\n"
#define TIP "a.actuator:0.actuator:0.actuator:0.tip"

static tpi_sim *begin(const char *text)
{
    tpi_sim *sim = sim_make(text);

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_subscribe(sim, i);
    }
    return sim;
}

static tpi_sim_model tip_of(const tpi_sim *sim)
{
    tpi_sim_info info;

    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_model_info(sim, i, &info);
        if (info.kind == TPI_SIM_EFFECTOR) {
            return i;
        }
    }
    fail_msg("there is no effector");
    return TPI_SIM_NONE;
}

static tpi_sim_limb limb_of(const tpi_sim *sim)
{
    tpi_sim_limb limb;

    assert_int_equal(tpi_sim_get_limb(sim, tip_of(sim), &limb, NULL), TP_OK);
    return limb;
}

static void steps(tpi_sim *sim, int count)
{
    for (int i = 0; i < count; i++) {
        tpi_sim_step(sim);
    }
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-4)) {
        fail_msg("%.12g is not %.12g", a, b);
    }
}

static void check_tip(const tpi_sim *sim, double x, double y, double z)
{
    const tpi_sim_limb limb = limb_of(sim);
    const tpi_sim_pose true_pose = tpi_sim_pose_on_root(sim, tip_of(sim));

    near(limb.tip.x, x);
    near(limb.tip.y, y);
    near(limb.tip.z, z);
    near(limb.tip.x, true_pose.x); /* the kinematics are those of the engine */
    near(limb.tip.y, true_pose.y);
}

static void reach(tpi_sim *sim, const tpi_sim_reach *where)
{
    assert_int_equal(tpi_sim_limb_reach(sim, tip_of(sim), where, NULL), TP_OK);
}

static void the_tip_is_where_the_joints_put_it(void **state)
{
    tpi_sim *sim = begin(ARM);
    const tpi_sim_limb limb = limb_of(sim);

    (void)state;
    assert_int_equal(limb.joint_count, 3);
    check_tip(sim, 0.5 + 0.5 * cos(0.5), 0.5 * sin(0.5), 0.5);
    near(limb.tip.a, 0.5);
    near(limb.base.z, 0.5);
    tpi_sim_destroy(sim);
}

static void it_reaches_places_and_goes_home(void **state)
{
    static const double places[][3] = {
        {0.6, 0.3, 0.6}, {-0.5, 0.4, 0.3}, {0, -0.9, 0.5}, {0.3, 0.2, 0.7}, {0.99, 0, 0.5}};
    tpi_sim *sim = begin(ARM);

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const tpi_sim_reach there = {.x = places[i][0], .y = places[i][1], .z = places[i][2]};
        reach(sim, &there);
        assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_MOVING);
        steps(sim, 120);
        assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_IDLE);
        check_tip(sim, there.x, there.y, there.z);
    }
    assert_int_equal(tpi_sim_limb_home(sim, tip_of(sim), NULL), TP_OK);
    steps(sim, 120);
    check_tip(sim, 0.5 + 0.5 * cos(0.5), 0.5 * sin(0.5), 0.5);
    tpi_sim_destroy(sim);
}

static void what_is_out_of_reach_moves_nothing(void **state)
{
    static const double places[][3] = {{1.2, 0, 0.5}, {0.6, 0, 0.9}, {0.01, 0, 0.5}};
    tpi_sim *sim = begin(ARM);
    const tpi_sim_reach odd = {.x = NAN};
    const tpi_sim_limb before = limb_of(sim);
    tp_error err;

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const tpi_sim_reach there = {.x = places[i][0], .y = places[i][1], .z = places[i][2]};
        reach(sim, &there);
        assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_OUT_OF_REACH);
        steps(sim, 10);
        check_tip(sim, before.tip.x, before.tip.y, before.tip.z);
    }
    assert_int_equal(tpi_sim_limb_reach(sim, tip_of(sim), &odd, &err), TP_E_RANGE);
    assert_int_equal(tpi_sim_limb_reach(sim, sim_named(sim, "a"), &odd, &err), TP_E_UNSUPPORTED);
    assert_string_equal(err.text, "the model is no effector");
    assert_int_equal(tpi_sim_limb_set_speed(sim, tip_of(sim), 0, NULL), TP_E_RANGE);
    tpi_sim_destroy(sim);
}

/* With three joints a place has two solutions, of which a heading chooses one or none. */
static void a_heading_can_be_asked_for(void **state)
{
    tpi_sim *sim = begin(ARM);
    tpi_sim_reach there = {.x = 0.7, .z = 0.5, .has_heading = true};

    (void)state;
    reach(sim, &(tpi_sim_reach){.x = 0.7, .z = 0.5});
    steps(sim, 100);
    const double found = limb_of(sim).tip.a;
    there.heading = -found; /* the other elbow */
    reach(sim, &there);
    steps(sim, 100);
    assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_IDLE);
    check_tip(sim, 0.7, 0, 0.5);
    near(limb_of(sim).tip.a, -found);
    there.heading = 3;
    reach(sim, &there);
    assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_OUT_OF_REACH);
    tpi_sim_destroy(sim);
}

static void a_straight_move_stays_on_its_line(void **state)
{
    tpi_sim *sim = begin(ARM);
    const tpi_sim_reach from = {.x = 0.6, .y = 0.3, .z = 0.5};
    const tpi_sim_reach to = {.x = 0.6, .y = -0.3, .z = 0.5, .straight = true};
    const tpi_sim_reach out = {.x = 1.3, .y = -0.3, .z = 0.5, .straight = true};

    (void)state;
    reach(sim, &from);
    steps(sim, 100);
    assert_int_equal(tpi_sim_limb_set_speed(sim, tip_of(sim), 0.2, NULL), TP_OK);
    reach(sim, &to);
    for (int i = 1; i <= 29; i++) { /* 0.6 m at 0.2 m/s take 30 steps */
        steps(sim, 1);
        near(limb_of(sim).tip.x, 0.6);
        near(limb_of(sim).tip.y, 0.3 - 0.02 * i);
    }
    steps(sim, 3);
    check_tip(sim, 0.6, -0.3, 0.5);
    assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_IDLE);
    reach(sim, &out);
    assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_OUT_OF_REACH);
    tpi_sim_destroy(sim);
}

/* A link with a body turns against a post. */
static void something_in_the_way_stops_it(void **state)
{
    tpi_sim *sim =
        begin("model ( name \"a\" size [0.2 0.2 0.5]\n"
              "actuator ( type \"rotational\" min_position -2 max_position 2 size [1 0.05 0.1]\n"
              "origin [0.5 0 0 0] stack_children 0 effector ( pose [1 0 0 0] ) ) )\n"
              "model ( pose [0.7 0.7 0 0] size [0.1 0.1 1] )");
    const tpi_sim_reach there = {.x = 0, .y = 1, .z = 0.5};

    (void)state;
    reach(sim, &there);
    steps(sim, 60);
    assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_BLOCKED);
    assert_true(limb_of(sim).tip.a > 0.5 && limb_of(sim).tip.a < SIM_PI / 4);
    assert_int_equal(tpi_sim_limb_stop(sim, tip_of(sim), NULL), TP_OK);
    assert_int_equal(limb_of(sim).state, TPI_SIM_LIMB_IDLE);
    tpi_sim_destroy(sim);
}

static void it_goes_on_from_a_saved_state(void **state)
{
    tpi_sim *sim = begin(ARM);
    const tpi_sim_reach to = {.x = 0.6, .y = -0.3, .z = 0.6, .straight = true};
    tpi_buf saved = {0};

    (void)state;
    reach(sim, &to);
    steps(sim, 5);
    tpi_sim_save(sim, &saved);
    steps(sim, 20);
    const uint64_t hash = tpi_sim_hash(sim);
    assert_int_equal(tpi_sim_restore(sim, saved.data, saved.length, NULL), TP_OK);
    steps(sim, 20);
    assert_true(tpi_sim_hash(sim) == hash);
    tpi_buf_fini(&saved);
    tpi_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tip_is_where_the_joints_put_it),
        cmocka_unit_test(it_reaches_places_and_goes_home),
        cmocka_unit_test(what_is_out_of_reach_moves_nothing),
        cmocka_unit_test(a_heading_can_be_asked_for),
        cmocka_unit_test(a_straight_move_stays_on_its_line),
        cmocka_unit_test(something_in_the_way_stops_it),
        cmocka_unit_test(it_goes_on_from_a_saved_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
