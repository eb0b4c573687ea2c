/* nod.c - a robot nods and drives on: a frame of commands, a sequence, and its end. */
#include <stdio.h>

#include "troupe/motion.h"

/* Play a sequence of the head: one frame every 0.1 s, sent as fast as the network allows. */
static tp_status nod(tp_motion *robot, uint16_t head, tp_error *err)
{
    const tp_motion_sequence what = {.size = sizeof what,
                                     .mode = TP_MOTION_PLAYBACK,
                                     .frames = 11,
                                     .duration_ns = 1000 * TP_NS_PER_MS};
    tp_motion_summary summary = {0};
    uint32_t number = 0;
    tp_status status = tp_motion_begin(robot, &what, &number, NULL, err);

    for (int i = 0; i <= 10 && status == TP_OK; i++) {
        const double speed = i == 10 ? 0 : i < 5 ? 0.4 : -0.4;
        const tp_motion_command frame = tp_motion_speed(head, 1, speed);

        status = tp_motion_add(robot, number, i * 100 * TP_NS_PER_MS, &frame, 1, err);
    }
    status = status == TP_OK ? tp_motion_end(robot, number, NULL, err) : status;
    status = status == TP_OK ? tp_motion_wait_end(robot, number, TP_NEVER, &summary, err) : status;
    if (status == TP_OK) {
        printf("nodded with %u frames\n", summary.played);
    }
    return status;
}

/* Turn the head and drive, both from the same instant on; then wait for the head. */
static tp_status look_and_drive(tp_motion *robot, uint16_t head, tp_error *err)
{
    const tp_motion_command frame[] = {tp_motion_set(head, 0, 0.3, 0),
                                       tp_motion_set_speed(0.2, 0, 0)};
    const tp_motion_command stop = tp_motion_brake();
    uint32_t tag = 0;
    tp_status status = tp_motion_call(robot, frame, 2, &tag, err);

    status = status == TP_OK ? tp_motion_wait(robot, tag, 0, NULL, err) : status;
    return status == TP_OK ? tp_motion_call(robot, &stop, 1, NULL, err) : status;
}

int main(int argc, char **argv)
{
    tp_motion *robot = NULL;
    tp_error err = {0};
    tp_status status = tp_motion_connect(&robot, argc > 1 ? argv[1] : NULL, NULL, &err);
    const int head = status == TP_OK ? tp_motion_find_joint(tp_motion_describe(robot), "head") : -1;

    if (status == TP_OK && head < 0) {
        status = tp_fail(&err, TP_E_UNKNOWN, "the robot has no head");
    }
    status = status == TP_OK ? nod(robot, (uint16_t)head, &err) : status;
    status = status == TP_OK ? look_and_drive(robot, (uint16_t)head, &err) : status;
    if (status != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    tp_motion_destroy(robot); /* what the program moves stops */
    return status == TP_OK ? 0 : 1;
}
