/*
 * robot.h - a server in a process of its own, with a base on a line to this process.
 *
 * The base writes a letter for whatever it does, so that this process, which is the robot at the
 * other side of the line, sees when it is moved and when it is stopped, and by whom.
 */
#ifndef TROUPE_BENCH_SAFETY_ROBOT_H
#define TROUPE_BENCH_SAFETY_ROBOT_H

#include <stdint.h>

#include "server/peer.h"

enum {
    ROBOT_MOVES = 'V',
    ROBOT_HALTS = 'H', /* by the worker of its driver */
    ROBOT_GUARD = 'G', /* by the guard */
    LEASE_MS = 50,
    STALL_MS = 200, /* of the loop, when position2d:1 is told to move */
};

typedef struct bench_robot {
    bench_peer server;
    int line;
} bench_robot;

void robot_start(bench_robot *out);

/* Kill what is left of its server. */
void robot_end(bench_robot *robot);

/* When the letter comes, whatever comes before it. */
int64_t robot_wait_ns(const bench_robot *robot, char letter);

#endif
