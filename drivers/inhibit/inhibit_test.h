/* inhibit_test.h - a robot and its sensors as puppets, for the tests of this driver. */
#ifndef TROUPE_DRIVERS_INHIBIT_INHIBIT_TEST_H
#define TROUPE_DRIVERS_INHIBIT_INHIBIT_TEST_H

#include "conformance/puppet.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"

extern const tp_driver tp_driver_inhibit;

static const double degree = 0.017453292519943295;
static const char *const base = "position2d:0";
static const char *const laser = "laser:0";

/* Front at 0.4, back at -0.2, sides at 0.25. */
static const tp_position2d_geom robot = {.pose = {.px = 0.1}, .size = {.sl = 0.6, .sw = 0.5}};
static const tp_laser_geom middle = {.size = {.sl = 0.1}};

/* With sensors that have had no time to speak. */
static inline play *begin_cold(const char *requires, const char *settings)
{
    play *p = play_create();

    play_add(p, &puppet_driver, "position2d:0 laser:0 laser:1 ranger:0 sonar:0 ir:0 bumper:0", NULL,
             NULL);
    puppet_at(&p->b, base)->answers[TP_POSITION2D_REQ_GET_GEOM] = &robot;
    puppet_at(&p->b, laser)->answers[TP_LASER_REQ_GET_GEOM] = &middle;
    play_add(p, &tp_driver_inhibit, "position2d:9", requires, settings);
    play_open(p);
    puppet_wait(&p->b, 0);
    return p;
}

/* With sensors that have been silent for longer than they may. */
static inline play *begin(const char *requires, const char *settings)
{
    play *p = begin_cold(requires, settings);

    puppet_wait(&p->b, 2);
    return p;
}

static inline play *begin_laser(const char *settings)
{
    return begin("position2d:0 laser:0", settings);
}

/* The laser sees something in one direction and nothing elsewhere. */
static inline void see(play *p, double angle, float range)
{
    float ranges[] = {range};
    const tp_laser_data data = {.min_angle = (float)angle,
                                .max_angle = (float)angle,
                                .resolution = 1,
                                .max_range = 8,
                                .ranges_count = 1,
                                .ranges = ranges};

    puppet_send(&p->b, laser, TP_LASER_DATA_SCAN, &data);
}

static inline tp_position2d_cmd_vel velocity(double forward, double left, double turn)
{
    return (tp_position2d_cmd_vel){.vel = {forward, left, turn}, .state = 1};
}

static inline void go(play *p, double forward, double left, double turn)
{
    const tp_position2d_cmd_vel cmd = velocity(forward, left, turn);

    play_command(p, TP_POSITION2D_CMD_VEL, &cmd);
    puppet_wait(&p->b, 0);
}

static inline void assert_denied(play *p, double forward, double left, double turn, const char *why)
{
    const tp_position2d_cmd_vel cmd = velocity(forward, left, turn);

    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL, &cmd, why);
    puppet_wait(&p->b, 0);
}

/* What the robot was told last. */
static inline void assert_told(const play *p, double forward, double left, double turn)
{
    const tp_position2d_cmd_vel *told = puppet_last(&p->b, base, TP_POSITION2D_CMD_VEL);

    play_assert_near(told->vel.px, forward);
    play_assert_near(told->vel.py, left);
    play_assert_near(told->vel.pa, turn);
    assert_int_equal(told->state, 1);
}

static inline uint32_t told_count(const play *p)
{
    return puppet_at(&p->b, base)->commands[TP_POSITION2D_CMD_VEL];
}

#endif
