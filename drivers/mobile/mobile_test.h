/* mobile_test.h - a puppet under a mobile, for the tests of this driver. */
#ifndef TROUPE_DRIVERS_MOBILE_MOBILE_TEST_H
#define TROUPE_DRIVERS_MOBILE_MOBILE_TEST_H

#include "conformance/puppet.h"
#include "troupe/interfaces/mobile.h"
#include "troupe/interfaces/position2d.h"

extern const tp_driver tp_driver_mobile;

static const double quarter = 1.5707963267948966;
static const char *const base = "position2d:0";

/* ---- Robots ---------------------------------------------------------------------------------- */

static inline play *begin_on(const char *address, bool places, const char *settings)
{
    play *p = play_create();

    play_add(p, &puppet_driver, address, NULL, NULL);
    puppet_at(&p->b, address)->agrees[TP_COMMON_REQ_CAPABILITIES] = places;
    play_add(p, &tp_driver_mobile, "mobile:0", address, settings);
    play_open(p);
    return p;
}

/* Where a position2d is. */
static inline void is_at(play *p, double x, double y, double a)
{
    const tp_position2d_data data = {.pos = {x, y, a}, .vel = {.px = 0.1}};

    puppet_send(&p->b, base, TP_POSITION2D_DATA_STATE, &data);
}

/* One that takes places if `places`, at 0. */
static inline play *begin(bool places, const char *settings)
{
    play *p = begin_on(base, places, settings);

    is_at(p, 0, 0, 0);
    return p;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static inline tp_mobile_axis_cmd axis(uint8_t which, uint8_t control, uint8_t frame, double value)
{
    return (tp_mobile_axis_cmd){.axis = which, .control = control, .frame = frame, .value = value};
}

static inline tp_mobile_axis_cmd velocity(uint8_t which, double value)
{
    return axis(which, TP_MOBILE_VELOCITY, TP_MOBILE_OWN, value);
}

static inline tp_mobile_axis_cmd limited(tp_mobile_axis_cmd cmd, uint8_t kind, double limit)
{
    cmd.limit_kind = kind;
    cmd.limit = limit;
    return cmd;
}

/* Two axes at once; the first one of the answer. */
static inline const tp_mobile_axis_result *move_both(play *p, tp_mobile_axis_cmd a,
                                                     tp_mobile_axis_cmd b)
{
    const tp_mobile_cmd cmd = {.axes_count = 2, .axes = {a, b}};
    const tp_mobile_result *result = play_get(p, TP_MOBILE_REQ_MOVE, &cmd);

    assert_int_equal(result->axes_count, 2);
    puppet_wait(&p->b, 0);
    return result->axes;
}

static inline const tp_mobile_axis_result *move(play *p, tp_mobile_axis_cmd a)
{
    const tp_mobile_cmd cmd = {.axes_count = 1, .axes = {a}};
    const tp_mobile_result *result = play_get(p, TP_MOBILE_REQ_MOVE, &cmd);

    assert_int_equal(result->axes_count, 1);
    puppet_wait(&p->b, 0);
    return result->axes;
}

static inline void stop(play *p)
{
    play_command(p, TP_MOBILE_CMD_STOP, NULL);
    puppet_wait(&p->b, 0);
}

static inline void assert_velocity(const play *p, double x, double y, double a)
{
    const tp_position2d_cmd_vel *told = puppet_last(&p->b, base, TP_POSITION2D_CMD_VEL);

    play_assert_near(told->vel.px, x);
    play_assert_near(told->vel.py, y);
    play_assert_near(told->vel.pa, a);
    assert_int_equal(told->state, 1);
}

static inline uint32_t velocities(const play *p)
{
    return puppet_at(&p->b, base)->commands[TP_POSITION2D_CMD_VEL];
}

static inline const tp_position2d_cmd_pos *place(const play *p)
{
    return puppet_last(&p->b, base, TP_POSITION2D_CMD_POS);
}

static inline void assert_refused(play *p, const tp_mobile_axis_result *result, const char *why)
{
    const tp_strprop_req ask = {.key_count = 8, .key = play_chars("refused")};

    assert_int_equal(result->outcome, TP_MOBILE_NOT_AVAILABLE);
    const tp_strprop_req *told = play_get(p, TP_COMMON_REQ_GET_STRPROP, &ask);
    assert_string_equal(told->value, why);
    told = play_last(p, TP_COMMON_DATA_PROPERTY);
    assert_string_equal(told->value, why);
}

static inline bool is_moving(play *p)
{
    const tp_mobile_data *data = play_last(p, TP_MOBILE_DATA_STATE);

    return data->moving != 0;
}

#endif
