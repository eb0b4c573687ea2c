/* parts_test.c - the return cache, packages in pieces, descriptions that lie; without sockets. */
#include <stdlib.h>
#include <string.h>

#include "client/motion/encode.h"
#include "client/motion/returns.h"
#include "client/motion/robot.h"
#include "client/motion/talk.h"
#include "support/memory.h"
#include "support/unit.h"

/* ---- The return cache ------------------------------------------------------------------------ */

static void keep(tpi_returns *returns, uint32_t tag, int64_t number)
{
    tp_motion_reply *reply = calloc(1, sizeof *reply);

    reply->tag = tag;
    reply->received_ns = number;
    tpi_returns_add_take(returns, reply, sizeof *reply);
}

static int64_t taken(tpi_returns *returns, uint32_t tag)
{
    tp_motion_reply *reply = tpi_returns_take(returns, tag);
    const int64_t number = reply != NULL ? reply->received_ns : -1;

    free(reply);
    return number;
}

static void answers_of_a_tag_come_in_their_order(void **state)
{
    static tpi_returns returns;

    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        keep(&returns, 1 + i % 3, i);
    }
    assert_int_equal(tpi_returns_peek(&returns, 2)->received_ns, 1);
    for (int64_t i = 0; i < 10; i++) {
        assert_int_equal(taken(&returns, 2), 1 + 3 * i);
    }
    assert_int_equal(taken(&returns, 2), -1);
    assert_null(tpi_returns_peek(&returns, 2));
    assert_int_equal(taken(&returns, 0), 0); /* any tag: the oldest */
    assert_int_equal(taken(&returns, 0), 2);
    assert_int_equal(taken(&returns, 1), 3);
    keep(&returns, 2, 99);
    assert_int_equal(taken(&returns, 2), 99);
    tpi_returns_fini(&returns);
    assert_int_equal(returns.count, 0);
    assert_int_equal(returns.bytes, 0);
}

static void a_full_cache_drops_the_oldest_and_counts(void **state)
{
    static tpi_returns returns;

    (void)state;
    for (uint32_t i = 0; i < TPI_RETURNS_MOST + 5; i++) {
        keep(&returns, i % 7 + 1, i);
    }
    assert_int_equal(returns.dropped, 5);
    assert_int_equal(returns.count, TPI_RETURNS_MOST);
    assert_int_equal(taken(&returns, 0), 5);
    tp_motion_reply *large = calloc(1, sizeof *large);
    large->tag = 1;
    tpi_returns_add_take(&returns, large, TPI_RETURNS_BYTES); /* all others go for it */
    assert_int_equal(returns.count, 1);
    tpi_returns_fini(&returns);
}

/* ---- Packages -------------------------------------------------------------------------------- */

struct heard {
    unsigned count;
    uint32_t last_tag;
    tpi_talk *talk;
    bool ends;
};

static void hear(void *context, const tpi_motion_record *record)
{
    struct heard *heard = context;

    heard->count++;
    heard->last_tag = record->tag;
    heard->talk->ended = heard->ends;
}

static const tpi_motion_header reply_header = {.kind = TPI_MOTION_REPLY};

/* Three packages of two clocks each, as bytes. */
static void put_packages(tpi_talk *talk)
{
    const tpi_motion_clock clock = {77, 123456};

    for (uint32_t i = 0; i < 3; i++) {
        const tpi_talk_item items[] = {
            {TPI_MOTION_ASK_CLOCK | TPI_MOTION_ANSWER, 2 * i, &clock},
            {TPI_MOTION_ASK_CLOCK | TPI_MOTION_ANSWER, 2 * i + 1, &clock}};

        assert_int_equal(tpi_talk_put(talk, &reply_header, items, 2, NULL), TP_OK);
    }
}

static tp_status say(tpi_talk *to, const uint8_t *bytes, size_t length, struct heard *heard,
                     tp_error *err)
{
    size_t room = 0;
    uint8_t *place = tpi_talk_room(to, &room);

    assert_true(place != NULL && room >= length);
    memcpy(place, bytes, length);
    heard->talk = to;
    return tpi_talk_came(to, length, hear, heard, err);
}

static void packages_may_come_in_pieces(void **state)
{
    tpi_talk from = {0};
    size_t length = 0;

    (void)state;
    put_packages(&from);
    const uint8_t *bytes = tpi_talk_unsent(&from, &length);
    for (size_t piece = 1; piece < 120; piece += 7) {
        tpi_talk to = {0};
        struct heard heard = {0};

        for (size_t at = 0; at < length; at += piece) {
            const size_t size = length - at < piece ? length - at : piece;

            assert_int_equal(say(&to, bytes + at, size, &heard, NULL), TP_OK);
        }
        assert_int_equal(heard.count, 6);
        assert_int_equal(heard.last_tag, 5);
        tpi_talk_fini(&to);
    }
    tpi_talk_gone(&from, length - 10);
    (void)tpi_talk_unsent(&from, &length);
    assert_int_equal(length, 10);
    tpi_talk_fini(&from);
}

static void nothing_follows_the_end_of_a_connection(void **state)
{
    tpi_talk from = {0}, to = {0};
    struct heard heard = {.ends = true};
    size_t length = 0;

    (void)state;
    put_packages(&from);
    const uint8_t *bytes = tpi_talk_unsent(&from, &length);
    assert_int_equal(say(&to, bytes, length, &heard, NULL), TP_OK);
    assert_int_equal(heard.count, 1);
    tpi_talk_fini(&from);
    tpi_talk_fini(&to);
}

static void bytes_that_are_no_packages_are_refused(void **state)
{
    tpi_talk from = {0}, to = {0};
    struct heard heard = {0};
    tp_error err = {0};
    const tpi_motion_header command = {.kind = TPI_MOTION_COMMAND};
    const tpi_motion_home home = {1};
    const tpi_talk_item item = {TPI_MOTION_HOME, 1, &home};
    size_t length = 0;

    (void)state;
    assert_int_equal(
        say(&to, (const uint8_t *)"GET / HTTP/1.0\r\nHost: example\r\n\r\n", 33, &heard, &err),
        TP_E_INVALID);
    assert_non_null(strstr(err.text, "this is no motion server: "));
    tpi_talk_clear(&to);
    assert_int_equal(tpi_talk_put(&from, &command, &item, 1, &err), TP_OK);
    const uint8_t *bytes = tpi_talk_unsent(&from, &length);
    assert_int_equal(say(&to, bytes, length, &heard, &err), TP_E_INVALID);
    assert_string_equal(err.text, "this is no motion server: a package that is no reply");
    assert_int_equal(heard.count, 0);
    tpi_talk_fini(&from);
    tpi_talk_fini(&to);
}

/* ---- Commands as records --------------------------------------------------------------------- */

static void every_command_has_a_record(void **state)
{
    const tp_motion_target target = {1, 0, 0.5};

    (void)state;
    for (unsigned verb = TP_MOTION_DO_GOTO; verb <= TP_MOTION_DO_WRENCH; verb++) {
        const tp_motion_command command = {.verb = (tp_motion_verb)verb,
                                           .joint = 1,
                                           .servo = TP_MOTION_POSITION,
                                           .value = {1, 2, 3, 0.4, 0.5, 0.6},
                                           .targets = &target,
                                           .count = 1};
        tpi_talk talk = {0};
        tpi_talk_item item;
        tpi_encoded body;
        tp_error err = {0};
        size_t length = 0;
        const tpi_motion_header header = {.kind = TPI_MOTION_COMMAND};

        assert_int_equal(tpi_encode(&item, &body, &command, 5, &err), TP_OK);
        assert_int_equal(tpi_talk_put(&talk, &header, &item, 1, &err), TP_OK);
        const uint8_t *bytes = tpi_talk_unsent(&talk, &length);
        tpi_motion_header got;
        bool foreign = false;
        assert_int_equal(tpi_motion_header_get(&got, bytes, &foreign, &err), TP_OK);
        assert_int_equal(tpi_motion_payload_check(&got, bytes + TPI_MOTION_HEADER, &err), TP_OK);
        assert_string_equal(tpi_motion_body_of(item.code)->name, tp_motion_verb_name(verb));
        tpi_talk_fini(&talk);
    }
    assert_string_equal(tp_motion_verb_name(99), "?");
    assert_string_equal(tp_motion_signal_name(TP_MOTION_PANIC), "PANIC");
    assert_string_equal(tp_motion_signal_name(99), "?");
}

static void a_value_without_bytes_leaves_the_others_as_they_are(void **state)
{
    tpi_talk talk = {0};
    const tpi_motion_header header = {.kind = TPI_MOTION_COMMAND};
    const tpi_motion_setspeed fine = {1, 0, 0}, huge = {1e300, 0, 0};
    const tpi_talk_item items[] = {{TPI_MOTION_SETSPEED, 1, &fine},
                                   {TPI_MOTION_SETSPEED, 2, &huge}};
    tp_error err = {0};
    size_t before = 0, after = 0;

    (void)state;
    assert_int_equal(tpi_talk_put(&talk, &header, items, 1, &err), TP_OK);
    (void)tpi_talk_unsent(&talk, &before);
    assert_int_equal(tpi_talk_put(&talk, &header, items, 2, &err), TP_E_RANGE);
    assert_string_equal(err.text, "SETSPEED: a value is out of range");
    (void)tpi_talk_unsent(&talk, &after);
    assert_int_equal(after, before);
    tpi_talk_fini(&talk);
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

static tpi_motion_record record_of(uint8_t *bytes, size_t space, uint16_t code, const void *value)
{
    tpi_motion_record record;
    size_t at = 0;
    const size_t size = tpi_motion_record_put(bytes, space, code, 1, value);

    assert_true(size > 0);
    assert_int_equal(tpi_motion_record_next(&record, bytes, size, &at, NULL), TP_OK);
    return record;
}

static void descriptions_that_lie_are_refused(void **state)
{
    static uint8_t bytes[8192];
    const tpi_motion_description header = {.joints = 2, .links = 2, .dofs = 1};
    tpi_motion_joint joints[2] = {{.parent = 0xffff}, {.child = 1, .dof_count = 1}};
    tpi_motion_link links[2] = {{.joint = 0}, {.joint = 1}};
    tpi_motion_joints some = {0, 2, joints};
    const tpi_motion_links others = {0, 2, links};
    tpi_robot *robot = NULL;
    tp_error err = {0};

    (void)state;
    assert_int_equal(tpi_robot_create(&robot, &(tpi_motion_description){.joints = 60000}, &err),
                     TP_E_LIMIT);
    assert_int_equal(tpi_robot_create(&robot, &header, &err), TP_OK);
    tpi_motion_record record =
        record_of(bytes, sizeof bytes, TPI_MOTION_ASK_LINKS | TPI_MOTION_ANSWER, &others);
    assert_int_equal(tpi_robot_take(robot, &record, &err), TP_E_INVALID); /* joints come first */
    some.first = 1;
    record = record_of(bytes, sizeof bytes, TPI_MOTION_ASK_JOINTS | TPI_MOTION_ANSWER, &some);
    assert_int_equal(tpi_robot_take(robot, &record, &err), TP_E_INVALID);
    some.first = 0;
    joints[1].child = 7;
    record = record_of(bytes, sizeof bytes, TPI_MOTION_ASK_JOINTS | TPI_MOTION_ANSWER, &some);
    assert_int_equal(tpi_robot_take(robot, &record, &err), TP_OK);
    record = record_of(bytes, sizeof bytes, TPI_MOTION_ASK_LINKS | TPI_MOTION_ANSWER, &others);
    assert_int_equal(tpi_robot_take(robot, &record, &err), TP_OK);
    assert_int_equal(tpi_robot_check(robot, &err), TP_E_INVALID);
    assert_string_equal(err.text, "joint 1 of the description is wrong");
    robot->joints[1].child = 1;
    assert_int_equal(tpi_robot_check(robot, &err), TP_OK);
    robot->links[1].joint = 2;
    assert_int_equal(tpi_robot_check(robot, &err), TP_E_INVALID);
    tpi_robot_destroy(robot);
}

static tp_status create(void *context)
{
    const tpi_motion_description header = {.joints = 2, .links = 2, .dofs = 1};
    tpi_robot *robot = NULL;
    const tp_status status = tpi_robot_create(&robot, &header, NULL);

    (void)context;
    if (status == TP_OK) {
        tpi_robot_destroy(robot);
    }
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    memory_sweep(create, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_a_tag_come_in_their_order),
        cmocka_unit_test(a_full_cache_drops_the_oldest_and_counts),
        cmocka_unit_test(packages_may_come_in_pieces),
        cmocka_unit_test(nothing_follows_the_end_of_a_connection),
        cmocka_unit_test(bytes_that_are_no_packages_are_refused),
        cmocka_unit_test(every_command_has_a_record),
        cmocka_unit_test(a_value_without_bytes_leaves_the_others_as_they_are),
        cmocka_unit_test(descriptions_that_lie_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
