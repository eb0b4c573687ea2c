/* tool_test.c - control frames of an arm: POSE, TWIST and WRENCH. */
#include "support/memory.h"
#include "support/motion.h"

/* A pose far from singular ones. */
#define REDUCED "the joints of the control frame cannot follow as asked"

static const double READY[6] = {0.3, 0.7, -2.4, 0.4, 0.9, 0.1};

/* The arm stands here, with all dofs as measured. */
static void stand(struct bench *b, const double joints[6])
{
    for (uint16_t i = 0; i < 6; i++) {
        tpi_motion_engine_measured(b->engine, i, &(tpi_motion_dof_state){joints[i], 0, 0});
    }
    tpi_motion_engine_reset(b->engine, b->now_ns);
}

static int set_up(void **state)
{
    struct bench *b = bench_arm(7);

    stand(b, READY);
    *state = b;
    return 0;
}

/* Where the hand is with these joints. */
static tpi_spatial hand_of(const struct bench *b, const double joints[6])
{
    static tpi_chain chain;
    const tpi_mechanism *m = b->robot.mechanism;
    double values[TPI_MOST_DOFS] = {0};
    tpi_spatial tip;

    memcpy(values, joints, 6 * sizeof *values);
    assert_int_equal(tpi_chain_init(&chain, m, m->frames[0].link, &m->frames[0].pose, NULL), TP_OK);
    tpi_chain_forward(&chain, values, &tip);
    return tip;
}

static tpi_motion_pose pose_of(const tpi_spatial *at, uint64_t duration_us)
{
    tpi_motion_pose out = {.duration_us = duration_us};

    memcpy(out.pose, at->p, sizeof at->p);
    tpi_rpy_of_rotation(out.pose + 3, at->r);
    return out;
}

static void pose(struct bench *b, uint32_t client, uint32_t tag, const tpi_spatial *at,
                 uint64_t duration_us)
{
    const tpi_motion_pose body = pose_of(at, duration_us);

    bench_send(b, client, BENCH_DIRECT, TPI_MOTION_POSE, tag, &body);
}

static void twist(struct bench *b, uint32_t client, uint32_t tag, double x, double z, double turn)
{
    bench_send(b, client, BENCH_DIRECT, TPI_MOTION_TWIST, tag,
               &(tpi_motion_screw){0, {x, 0, z, 0, 0, turn}});
}

/* The speeds and accelerations of all joints are within their limits, and so are the places. */
static void within_limits(const struct bench *b, double excess)
{
    for (size_t i = 1; i < b->count; i++) {
        const struct bench_write *w = &b->writes[i], *before = &b->writes[i - 1];
        const double dt = fmax((double)(w->due_ns - before->due_ns) * 1e-9, 0.01);

        for (int k = 0; k < 6 && w->write.output == 0 && before->write.output == 0; k++) {
            const tpi_motion_dof *dof = &b->robot.joints[k + 1].dofs[0];
            const double change = fabs(w->speeds[k] - before->speeds[k]);
            const bool places = w->servo[k] == TPI_MOTION_SERVO_POSITION;

            if (fabs(w->speeds[k]) > dof->velocity * (1 + 1e-9) ||
                change > dof->acceleration * dt * (1 + excess) ||
                (places && !(w->values[k] >= dof->lower && w->values[k] <= dof->upper))) {
                fail_msg("joint %d at %g s: %g, %g rad/s, %g rad/s2", k,
                         (double)(w->due_ns - BENCH_START) * 1e-9, w->values[k], w->speeds[k],
                         change / dt);
            }
        }
    }
}

/* How far the hand is from the line between two poses, at most, in all writes. */
static double away_from_line(const struct bench *b, const tpi_spatial *from, const tpi_spatial *to)
{
    double most = 0, along[3], length = 0;

    for (int i = 0; i < 3; i++) {
        along[i] = to->p[i] - from->p[i];
        length += along[i] * along[i];
    }
    for (size_t i = 0; i < b->count; i++) {
        if (b->writes[i].write.output != 0) {
            continue;
        }
        const tpi_spatial at = hand_of(b, b->writes[i].values);
        const double off[3] = {at.p[0] - from->p[0], at.p[1] - from->p[1], at.p[2] - from->p[2]};
        const double part = tpi_dot3(off, along) / length;
        double square = 0;

        for (int k = 0; k < 3; k++) {
            square += (off[k] - part * along[k]) * (off[k] - part * along[k]);
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

static void assert_same_pose(const tpi_spatial *a, const tpi_spatial *b, double most)
{
    for (int i = 0; i < 3; i++) {
        assert_near(a->p[i], b->p[i], most);
    }
    for (int i = 0; i < 9; i++) {
        assert_near(a->r[i], b->r[i], most);
    }
}

/* A pose 0.15 m lower and turned a little. */
static tpi_spatial nearby(const struct bench *b)
{
    tpi_spatial out = hand_of(b, READY);
    double about[9], turned[9];

    out.p[0] -= 0.1;
    out.p[2] -= 0.15;
    tpi_rotation_about(about, (const double[3]){0, 0, 1}, 0.5);
    tpi_rotation_product(turned, about, out.r);
    memcpy(out.r, turned, sizeof turned);
    return out;
}

/* Command 2 has replaced command 1 and is done. */
static void expect_replaced(struct bench *b, uint32_t client)
{
    bench_expect(b, client, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, client, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, client, 1, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_expect(b, client, 2, TPI_MOTION_SUCCESS, true, "done");
}

/* ---- POSE ---- */

static void a_pose_is_reached_on_a_straight_line_in_its_time(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial start = hand_of(b, READY), goal = nearby(b);

    pose(b, c, 1, &goal, 2000000);
    bench_wait(b, c, 1900);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect_nothing(b, c);
    bench_wait(b, c, 200);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
    assert_int_equal(b->count, 201); /* one write for all joints in each period */
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &goal, 2e-6);
    assert_true(bench_last(b, 0)->speeds[0] == 0);
    assert_int_equal(bench_last(b, 0)->due_ns - b->writes[0].due_ns, 2000 * BENCH_MS);
    assert_true(away_from_line(b, &start, &goal) < 1e-5);
    within_limits(b, 1e-3);
    /* Half of the way in half of the time, as a cubic. */
    const tpi_spatial middle = hand_of(b, b->writes[100].values);
    assert_near(middle.p[2], (start.p[2] + goal.p[2]) / 2, 1e-5);
}

static void without_a_duration_it_is_as_fast_as_the_limits_allow(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial goal = nearby(b);
    double used = 0;

    pose(b, c, 1, &goal, 0);
    bench_wait(b, c, 3000);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, true, "done");
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &goal, 2e-6);
    within_limits(b, 1e-3);
    for (size_t i = 1; i < b->count; i++) {
        for (int k = 0; k < 6; k++) {
            const double change = fabs(b->writes[i].speeds[k] - b->writes[i - 1].speeds[k]);

            used = fmax(used, change / (0.01 * b->robot.joints[k + 1].dofs[0].acceleration));
        }
    }
    assert_true(used > 0.39); /* half of 4/5 for speeding up along the line */
    assert_true(b->count < 100);
}

static void a_pose_in_too_short_a_time_is_late(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial goal = nearby(b);

    pose(b, c, 1, &goal, 100000);
    bench_wait(b, c, 3000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; " REDUCED);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, REDUCED);
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &goal, 2e-6);
    within_limits(b, 1e-3);
}

static void a_pose_that_no_cubic_allows_still_arrives_in_time(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial goal = nearby(b);

    pose(b, c, 1, &goal, 0);
    bench_wait(b, c, 3000);
    const int64_t least = bench_last(b, 0)->due_ns - b->writes[0].due_ns;
    stand(b, READY);
    bench_drain(b, c);
    const size_t first = b->count;
    pose(b, c, 2, &goal, (uint64_t)least / 1000 + 1000);
    bench_wait(b, c, 3000);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
    assert_in_range(bench_last(b, 0)->due_ns - b->writes[first].due_ns, least,
                    least + 1000000 + 1000);
}

static void what_is_out_of_reach_does_not_move(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0), other = bench_join(b, "b", 0);
    tpi_spatial goal = nearby(b);

    goal.p[0] = 3;
    pose(b, c, 1, &goal, 0);
    bench_wait(b, c, 100);
    bench_expect(b, c, 1, TPI_MOTION_ERROR, true, "the pose is out of reach");
    assert_int_equal(b->count, 0);
    bench_set(b, other, 2, 1, 0.5); /* its dofs are free */
    bench_wait(b, other, 100);
    bench_expect(b, other, 2, TPI_MOTION_SUCCESS, false, "started");
}

/* The hand would have to pass through the column of the arm. */
static void where_no_line_leads_the_joints_go_straight(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const double there[6] = {-2.7, 0.7, -2.4, 0.4, 0.9, 0.1};
    const tpi_spatial goal = hand_of(b, there), start = hand_of(b, READY);

    pose(b, c, 1, &goal, 0);
    bench_wait(b, c, 15000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; " REDUCED);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, REDUCED);
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &goal, 2e-6);
    assert_true(away_from_line(b, &start, &goal) > 0.01);
    within_limits(b, 1e-3);
}

/* From a wrist that is nearly stretched: two axes are nearly one line. */
static void near_a_singularity_it_is_slower_and_says_so(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const double singular[6] = {0.3, 0.7, -2, 0.4, 0.08, 0.1};

    stand(b, singular);
    tpi_spatial goal = hand_of(b, singular);
    goal.p[2] -= 0.1;
    pose(b, c, 1, &goal, 0);
    bench_wait(b, c, 10000);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; " REDUCED);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, REDUCED);
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &goal, 2e-6);
    within_limits(b, 1e-3);
    bench_drain(b, c);
    stand(b, singular); /* with time enough it is as asked for */
    pose(b, c, 2, &goal, 9000000);
    bench_wait(b, c, 10000);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
}

static void a_pose_there_already_ends_in_its_time(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SET, 1, &(tpi_motion_set){1, 0, 0.3, 0});
    bench_wait(b, c, 100);
    bench_drain(b, c);
    const tpi_spatial goal = hand_of(b, READY);
    pose(b, c, 2, &goal, 500000);
    bench_wait(b, c, 1000);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
}

/* Joints that move come to rest first; then the frame starts. */
static void a_pose_starts_from_what_moves(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial goal = nearby(b);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_SPEED, 1, &(tpi_motion_drive){1, 0, 0.8});
    bench_wait(b, c, 500);
    pose(b, c, 2, &goal, 3000000);
    bench_wait(b, c, 3100);
    expect_replaced(b, c);
    within_limits(b, 1e-3);
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &goal, 2e-6);
}

/* One pose replaces another in the middle of its way. */
static void a_pose_replaces_another(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial first = nearby(b), back = hand_of(b, READY);

    pose(b, c, 1, &first, 0);
    bench_wait(b, c, 300);
    pose(b, c, 2, &back, 0);
    bench_wait(b, c, 5000);
    expect_replaced(b, c);
    within_limits(b, 1e-3);
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &back, 2e-6);
}

static void twenty_holds_keep_the_line(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial start = hand_of(b, READY), goal = nearby(b);

    pose(b, c, 1, &goal, 5000000);
    for (int i = 0; i < 20; i++) {
        bench_wait(b, c, 200);
        bench_rate(b, c, 0);
        bench_wait(b, c, 300);
        assert_true(bench_last(b, 0)->speeds[0] == 0);
        bench_rate(b, c, i % 2 == 0 ? 1 : 0.5);
    }
    bench_rate(b, c, 1);
    bench_wait(b, c, 4000);
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &goal, 2e-6);
    assert_true(away_from_line(b, &start, &goal) < 1e-5);
    within_limits(b, 0.05);
    assert_int_equal(tpi_motion_engine_excesses(b->engine), 0);
}

static void a_sequence_of_poses_is_played(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_spatial at = hand_of(b, READY);
    tpi_motion_record record;
    tpi_motion_summary summary = {0};

    bench_session(
        b, c, TPI_MOTION_BEGIN,
        &(tpi_motion_begin){
            .sequence = 4, .mode = TPI_MOTION_PLAYBACK, .frames = 6, .duration_us = 2500000});
    for (uint64_t i = 0; i < 6; i++) {
        at.p[2] -= 0.03;
        const tpi_motion_pose body = pose_of(&at, 500000);
        bench_send(
            b, c,
            (tpi_motion_header){.mode = TPI_MOTION_PLAYBACK, .time_us = i * 500000, .sequence = 4},
            TPI_MOTION_POSE, 1, &body);
    }
    bench_wait(b, c, 4000);
    while (bench_next(b, c, &record)) {
        if (record.code == TPI_MOTION_SUMMARY) {
            bench_get(&record, &summary);
        }
    }
    assert_int_equal(summary.played, 6);
    assert_int_equal(summary.signal, TPI_MOTION_SUCCESS);
    const tpi_spatial end = hand_of(b, bench_last(b, 0)->values);
    assert_same_pose(&end, &at, 2e-6);
    within_limits(b, 1e-3);
}

/* ---- TWIST ---- */

/* Where the speeds of the writes lead. */
static void follow(const struct bench *b, double joints[6])
{
    memcpy(joints, READY, sizeof READY);
    for (size_t i = 0; i + 1 < b->count; i++) {
        for (int k = 0; k < 6; k++) {
            joints[k] += b->writes[i].speeds[k] *
                         (double)(b->writes[i + 1].due_ns - b->writes[i].due_ns) * 1e-9;
        }
    }
}

static void a_twist_moves_the_frame_until_the_next(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial start = hand_of(b, READY);
    double joints[6];

    twist(b, c, 1, 0, -0.05, 0);
    bench_wait(b, c, 2000);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect_nothing(b, c);
    assert_int_equal(bench_last(b, 0)->servo[0], TPI_MOTION_SERVO_SPEED);
    twist(b, c, 2, 0, 0, 0);
    bench_wait(b, c, 1000);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
    follow(b, joints);
    const tpi_spatial end = hand_of(b, joints);
    assert_near(end.p[2], start.p[2] - 0.1, 2e-3); /* 2 s, and the ramps */
    assert_near(end.p[0], start.p[0], 1e-4);
    assert_near(end.p[1], start.p[1], 1e-4);
    for (int i = 0; i < 9; i++) {
        assert_near(end.r[i], start.r[i], 1e-4);
    }
    within_limits(b, 1e-3);
    for (int k = 0; k < 6; k++) {
        assert_true(bench_last(b, 0)->values[k] == 0);
    }
}

/* The step of a period has been written when the next twist comes. */
static void a_twist_that_comes_again_within_a_period_steps_no_further(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    double most = 0;

    for (uint32_t i = 1; i <= 40; i++) {
        twist(b, c, i, 0.4, -0.4, 1);
        bench_wait(b, c, 1);
    }
    for (int k = 0; k < 6; k++) {
        const double limit = b->robot.joints[k + 1].dofs[0].acceleration;

        most = fmax(most, fabs(bench_last(b, 0)->speeds[k]) / limit);
    }
    assert_true(most > 0.8 * 0.035 && most < 0.05); /* in 40 ms and a period */
}

/* A twist of 0 is done when the joints stand, not before. */
static void a_twist_of_0_ends_when_the_joints_stand(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    twist(b, c, 1, 0, -0.4, 0);
    bench_wait(b, c, 400);
    twist(b, c, 2, 0, 0, 0);
    bench_wait(b, c, 40);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "replaced by a newer command");
    bench_expect_nothing(b, c);
    assert_true(fabs(bench_last(b, 0)->speeds[2]) > 0.05);
    bench_wait(b, c, 500);
    bench_expect(b, c, 2, TPI_MOTION_SUCCESS, true, "done");
}

static void a_twist_stops_where_a_joint_ends(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    double joints[6];

    twist(b, c, 1, 0, 0, 2); /* about the vertical axis, until the waist is at its limit */
    bench_wait(b, c, 10000);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    follow(b, joints);
    for (int k = 0; k < 6; k++) {
        const tpi_motion_dof *dof = &b->robot.joints[k + 1].dofs[0];

        assert_true(joints[k] > dof->lower - 1e-6 && joints[k] < dof->upper + 1e-6);
        assert_true(fabs(bench_last(b, 0)->values[k]) < 0.02);
    }
    within_limits(b, 1e-3);
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){1});
    bench_wait(b, c, 100);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, true, "cancelled; " REDUCED);
}

/* A hold changes when the hand is where, not the way it goes. */
static void a_slowed_twist_goes_the_same_way(void **state)
{
    struct bench *b = *state, *other = bench_arm(7);
    const uint32_t c = bench_join(b, "a", 0), d = bench_join(other, "a", 0);
    double joints[6], slowed[6];

    stand(other, READY);
    twist(b, c, 1, 0.05, -0.05, 0.1);
    bench_wait(b, c, 1000);
    twist(b, c, 2, 0, 0, 0);
    bench_wait(b, c, 1000);
    bench_rate(other, d, 0.5);
    twist(other, d, 1, 0.05, -0.05, 0.1);
    bench_wait(other, d, 700);
    bench_rate(other, d, 0);
    bench_wait(other, d, 500);
    assert_true(fabs(bench_last(other, 0)->values[0]) < 1e-9);
    bench_rate(other, d, 0.5);
    bench_wait(other, d, 1700);
    twist(other, d, 2, 0, 0, 0);
    bench_wait(other, d, 2000);
    follow(b, joints);
    follow(other, slowed);
    const tpi_spatial start = hand_of(b, READY);
    const tpi_spatial one = hand_of(b, joints), two = hand_of(b, slowed);
    for (int i = 0; i < 3; i++) { /* the same direction */
        const double first = (one.p[i] - start.p[i]) / (one.p[2] - start.p[2]);
        const double second = (two.p[i] - start.p[i]) / (two.p[2] - start.p[2]);

        assert_near(first, second, 0.01);
    }
    within_limits(other, 0.05);
    bench_free(other);
}

static void a_frame_ends_when_one_of_its_joints_is_taken(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "planner", 0), high = bench_join(b, "joystick", 5);

    twist(b, c, 1, 0.05, -0.05, 0);
    bench_wait(b, c, 500);
    bench_set(b, c, 2, 6, 0.5); /* a joint of the wrist, by the same client */
    bench_wait(b, c, 1500);
    expect_replaced(b, c);
    for (int k = 0; k < 5; k++) {
        assert_true(bench_last(b, 0)->speeds[k] == 0);
    }
    twist(b, c, 3, 0.05, -0.05, 0);
    bench_wait(b, c, 500);
    bench_set(b, high, 4, 1, 0.5);
    bench_wait(b, high, 1500);
    bench_expect(b, c, 3, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 3, TPI_MOTION_INTERRUPTED, true, "joystick has a higher rank");
    for (int k = 1; k < 6; k++) {
        assert_true(bench_last(b, 0)->speeds[k] == 0);
    }
    within_limits(b, 1e-3);
}

static void a_panic_ends_a_frame_without_a_write(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    twist(b, c, 1, 0.05, -0.05, 0);
    bench_wait(b, c, 500);
    const size_t before = b->count;
    tpi_motion_engine_panic(b->engine, 1, b->now_ns);
    bench_wait(b, c, 500);
    assert_int_equal(b->count, before);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    bench_expect(b, c, 1, TPI_MOTION_PANICKED, true, "there is a panic");
    bench_expect_nothing(b, c);
}

/* ---- WRENCH ---- */

static void a_wrench_becomes_forces_of_the_joints(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_mechanism *m = b->robot.mechanism;
    double jacobian[6 * TPI_CHAIN_DOFS], values[TPI_MOST_DOFS] = {0};
    static tpi_chain chain;
    tpi_spatial tip;

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_WRENCH, 1,
               &(tpi_motion_screw){0, {1, 2, -3, 0.1, 0.2, 0.3}});
    bench_wait(b, c, 100);
    bench_expect(b, c, 1, TPI_MOTION_SUCCESS, false, "started");
    memcpy(values, READY, sizeof READY);
    tpi_chain_init(&chain, m, m->frames[0].link, &m->frames[0].pose, NULL);
    tpi_chain_jacobian(&chain, values, jacobian, &tip);
    for (unsigned k = 0; k < 6; k++) {
        const double wanted = jacobian[k] + 2 * jacobian[6 + k] - 3 * jacobian[12 + k] +
                              0.1 * jacobian[18 + k] + 0.2 * jacobian[24 + k] +
                              0.3 * jacobian[30 + k];

        assert_near(bench_last(b, 0)->values[k], wanted, 1e-9);
        assert_int_equal(bench_last(b, 0)->servo[k], TPI_MOTION_SERVO_FORCE);
    }
    const size_t before = b->count;
    bench_wait(b, c, 200);
    assert_int_equal(b->count, before); /* nothing changes while it does not move */
    tpi_motion_engine_measured(b->engine, 1, &(tpi_motion_dof_state){0.9, 0, 0});
    const double old = bench_last(b, 0)->values[0];
    bench_wait(b, c, 100);
    assert_true(fabs(bench_last(b, 0)->values[0] - old) > 1e-3); /* the arm has moved */
    bench_rate(b, c, 0);
    bench_wait(b, c, 100);
    const double held = bench_last(b, 0)->values[0];
    tpi_motion_engine_measured(b->engine, 1, &(tpi_motion_dof_state){0.7, 0, 0});
    bench_wait(b, c, 100);
    assert_true(bench_last(b, 0)->values[0] == held); /* forces are kept in a hold */
    bench_rate(b, c, 1);
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){1});
    bench_wait(b, c, 100);
    assert_true(bench_last(b, 0)->values[0] == 0);
}

static void too_large_a_wrench_is_clamped(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_WRENCH, 1,
               &(tpi_motion_screw){0, {0, 0, -9000, 0, 0, 0}});
    bench_wait(b, c, 100);
    bench_expect(b, c, 1, TPI_MOTION_MODIFIED, false, "started; " REDUCED);
    assert_near(fabs(bench_last(b, 0)->values[1]), 186.4, 1e-9);
}

/* ---- What there is not ---- */

static void what_a_robot_does_not_have_is_na(void **state)
{
    struct bench *b = bench_arm(3), *wheels = *state;
    const uint32_t c = bench_join(b, "a", 0);
    tpi_motion_description header;
    tpi_motion_frames frames;
    tpi_motion_links links;
    tpi_motion_record record;
    tpi_motion_engine *engine = NULL;
    tp_error err = {0};
    const tpi_spatial goal = nearby(wheels);

    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_WRENCH, 1, &(tpi_motion_screw){0, {1}});
    bench_expect(b, c, 1, TPI_MOTION_NA, true, "hand takes no such command");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_TWIST, 2, &(tpi_motion_screw){4, {1}});
    bench_expect(b, c, 2, TPI_MOTION_NA, true, "there is no control frame 4");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_GOTO, 5, &(tpi_motion_goto){1, 0, 0, 0});
    bench_expect(b, c, 5, TPI_MOTION_NA, true, "the robot has no base that drives to a pose");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_STOP, 6, &(tpi_motion_empty){0});
    bench_expect(b, c, 6, TPI_MOTION_NA, true, "the robot has no base that moves");
    b->robot.frames[0].servo = 7; /* the frame would, the joints do not */
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_WRENCH, 3, &(tpi_motion_screw){0, {2}});
    bench_expect(b, c, 3, TPI_MOTION_NA, true, "no dof moves hand in this way");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_HEADER, 4, &(tpi_motion_empty){0});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &header);
    assert_int_equal(header.commands, 0x3d8); /* SET, SPEED, MOVE, HOME, POSE, TWIST */
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_FRAMES, 7, &(tpi_motion_page){0, 9});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &frames);
    assert_int_equal(frames.count, 1);
    assert_string_equal(frames.items[0].name, "hand");
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_ASK_LINKS, 8, &(tpi_motion_page){1, 2});
    assert_true(bench_next(b, c, &record));
    bench_get(&record, &links);
    assert_int_equal(links.count, 2);
    assert_string_equal(links.items[0].name, "trunk");
    b->robot.frames[0].link = 9;
    assert_int_equal(tpi_motion_engine_create(&engine, &b->robot, NULL, bench_emit, b, &err),
                     TP_E_INVALID);
    assert_string_equal(err.text, "the mechanism is another one");
    bench_free(b);
    b = bench_new(NULL);
    const uint32_t d = bench_join(b, "a", 0);
    pose(b, d, 1, &goal, 0);
    bench_expect(b, d, 1, TPI_MOTION_NA, true, "there is no control frame 0");
    bench_free(b);
}

static void frames_allocate_nothing(void **state)
{
    struct bench *b = *state;
    const uint32_t c = bench_join(b, "a", 0);
    const tpi_spatial goal = nearby(b), back = hand_of(b, READY);

    const size_t before = memory_allocations();
    pose(b, c, 1, &goal, 0);
    bench_wait(b, c, 500);
    pose(b, c, 2, &back, 1000000);
    bench_wait(b, c, 700);
    twist(b, c, 3, 0.02, 0.02, 0.1);
    bench_wait(b, c, 1000);
    bench_send(b, c, BENCH_DIRECT, TPI_MOTION_WRENCH, 4, &(tpi_motion_screw){0, {1}});
    bench_wait(b, c, 100);
    bench_session(b, c, TPI_MOTION_CANCEL, &(tpi_motion_tag){0});
    bench_wait(b, c, 1000);
    assert_int_equal(memory_allocations(), before);
    assert_int_equal(tpi_motion_engine_next(b->engine), INT64_MAX);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_pose_is_reached_on_a_straight_line_in_its_time),
        CASE(without_a_duration_it_is_as_fast_as_the_limits_allow),
        CASE(a_pose_in_too_short_a_time_is_late),
        CASE(a_pose_that_no_cubic_allows_still_arrives_in_time),
        CASE(what_is_out_of_reach_does_not_move),
        CASE(where_no_line_leads_the_joints_go_straight),
        CASE(near_a_singularity_it_is_slower_and_says_so),
        CASE(a_pose_there_already_ends_in_its_time),
        CASE(a_pose_starts_from_what_moves),
        CASE(a_pose_replaces_another),
        CASE(twenty_holds_keep_the_line),
        CASE(a_sequence_of_poses_is_played),
        CASE(a_twist_moves_the_frame_until_the_next),
        CASE(a_twist_that_comes_again_within_a_period_steps_no_further),
        CASE(a_twist_of_0_ends_when_the_joints_stand),
        CASE(a_twist_stops_where_a_joint_ends),
        CASE(a_slowed_twist_goes_the_same_way),
        CASE(a_frame_ends_when_one_of_its_joints_is_taken),
        CASE(a_panic_ends_a_frame_without_a_write),
        CASE(a_wrench_becomes_forces_of_the_joints),
        CASE(too_large_a_wrench_is_clamped),
        CASE(what_a_robot_does_not_have_is_na),
        CASE(frames_allocate_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
