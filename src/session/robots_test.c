/* robots_test.c - sessions that see the devices of all robots. */
#include <stdlib.h>

#include "conformance/stage.h"
#include "support/unit.h"
#include "troupe/interfaces/position2d.h"

enum { OTHER = 7000, FAR = TPI_FIRST_FAR_ROBOT };

/* The motor of the stage for BENCH_ROBOT, another one for each of these robots, and a session. */
struct scene {
    struct stage stage;
    tpi_wanted wanted[2];
    tp_session *session; /* owned */
    int opened;
};

static void ignore(void *context)
{
    (void)context;
}

static void count_opened(void *context, const tp_msghdr *request, tp_device *device,
                         tp_status status, const tp_error *err)
{
    (void)request;
    (void)device;
    (void)err;
    assert_int_equal(status, TP_OK);
    ((struct scene *)context)->opened++;
}

static int begin(void **state)
{
    static const tp_session_limits limits = {.data = 16, .replies = 16, .requests = 16};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    static const unsigned robots[] = {OTHER, FAR};
    struct scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    stage_begin(&s->stage, &motor_on_loop);
    for (int i = 0; i < 2; i++) {
        const tpi_blueprint blueprint = {
            .driver = &motor_on_loop, .provides = &s->wanted[i], .provide_count = 1};
        s->wanted[i] = (tpi_wanted){.key = "",
                                    .addr = {.robot = robots[i], .interf = TP_POSITION2D_CODE},
                                    .interface = &tp_interface_position2d};
        assert_int_equal(tpi_hub_add(s->stage.b.hub, &blueprint, NULL, &s->stage.err), TP_OK);
    }
    assert_int_equal(
        tp_session_create(&s->session, s->stage.b.hub, TP_EVERY_ROBOT, &limits, &events, s, NULL),
        TP_OK);
    *state = s;
    return 0;
}

static int end(void **state)
{
    struct scene *s = *state;

    tp_session_destroy(s->session);
    stage_end(&s->stage);
    free(s);
    return 0;
}

static tp_device *find(const struct scene *s, unsigned robot)
{
    const tp_devaddr addr = {.robot = robot, .interf = TP_POSITION2D_CODE};

    return tp_session_find_at(s->session, &addr);
}

static void open_device(struct scene *s, tp_device *device)
{
    const int before = s->opened;

    assert_int_equal(
        tp_session_open(s->session, device, TP_OPEN_MODE, &(tp_msghdr){0}, count_opened), TP_OK);
    while (s->opened == before) {
        tp_loop_turn(s->stage.b.loop, false);
    }
}

static void it_lists_and_finds_the_devices_of_all_robots_but_those_of_other_servers(void **state)
{
    struct scene *s = *state;
    tp_device_page *page = NULL;
    size_t place = 0;

    assert_int_equal(tp_session_address(tp_session_next_device(s->session, &place))->robot,
                     BENCH_ROBOT);
    assert_int_equal(tp_session_address(tp_session_next_device(s->session, &place))->robot, OTHER);
    assert_null(tp_session_next_device(s->session, &place));
    assert_int_equal(tp_session_page(s->session, 0, &page), TP_OK);
    assert_int_equal(page->total, 2);
    assert_int_equal(page->devices_count, 2);
    assert_int_equal(page->devices[1].addr.robot, OTHER);
    free(page);
    assert_non_null(find(s, OTHER));
    assert_null(find(s, FAR));
    assert_null(find(s, OTHER + 1));
    assert_null(tp_session_find(s->session, TP_POSITION2D_CODE, 0));
}

static void a_message_reaches_the_robot_in_its_address(void **state)
{
    struct scene *s = *state;

    open_device(s, find(s, OTHER));
    assert_int_equal(visit_drive(s->session, find(s, BENCH_ROBOT), 1, &s->stage.err), TP_E_DENIED);
    assert_int_equal(visit_drive(s->session, find(s, OTHER), 1, &s->stage.err), TP_OK);
    assert_int_equal(motor.commands, 1);
    open_device(s, find(s, BENCH_ROBOT));
    const tp_position2d_data data = {.stall = 1};
    assert_int_equal(tp_publish(find(s, OTHER), TP_POSITION2D_DATA_STATE, &data, 0), TP_OK);
    tp_loop_turn(s->stage.b.loop, false);
    tp_msg *msg = tp_session_take(s->session);
    assert_non_null(msg);
    assert_int_equal(tp_msg_header(msg)->addr.robot, OTHER);
    tp_msg_unref(msg);
}

static void a_session_of_one_robot_sees_no_other(void **state)
{
    struct scene *s = *state;
    const tp_devaddr other = {.robot = OTHER, .interf = TP_POSITION2D_CODE};

    assert_int_equal(stage_enter(&s->stage, 0, NULL), TP_OK);
    assert_null(tp_session_find_at(s->stage.sessions[0], &other));
    assert_ptr_equal(tp_session_find(s->stage.sessions[0], TP_POSITION2D_CODE, 0), s->stage.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            it_lists_and_finds_the_devices_of_all_robots_but_those_of_other_servers, begin, end),
        cmocka_unit_test_setup_teardown(a_message_reaches_the_robot_in_its_address, begin, end),
        cmocka_unit_test_setup_teardown(a_session_of_one_robot_sees_no_other, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
