/*
 * house.h - a whole server with a simulated Pioneer, on one thread and with a clock of its own.
 *
 * Everything is the real thing: the motion front on a unix socket, sessions, grants, the drivers
 * `motion` and `sim`. The two drivers run on the loop instead of threads, and time passes only when
 * house_set() says so. So a run is the same to the byte each time, and as fast as the processor.
 *
 * Between the driver `motion` and the simulator stand the ports: devices that note what is written
 * to them, and when, and pass it on at once.
 *
 * There is one house at a time.
 */
#ifndef TROUPE_BENCH_CONGESTION_HOUSE_H
#define TROUPE_BENCH_CONGESTION_HOUSE_H

#include <stddef.h>
#include <stdint.h>

/* A command at a port: of the base vx, vy, omega; of the head pan, tilt. */
struct port_write {
    int64_t at_ns;
    double values[3];
};

struct port_writes {
    struct port_write *items; /* owned */
    size_t count, room;
};

/* Where the robot is after a step of the world. */
struct place {
    int64_t at_ns;
    double x, y, theta;
};

struct places {
    struct place *items; /* owned */
    size_t count, room;
};

struct house_notes {
    struct port_writes base, head;
    struct places way; /* without those where it has not moved */
};

/* Note where the robot is, unless it has not moved. */
void places_add(struct places *way, const struct place *place);

/* The text of the world: the robot on an empty floor. */
extern const char house_world[];

/* Start the server. Ends the program if that fails. */
void house_open(void);

/* The path of the unix socket of the motion front; borrowed. */
const char *house_socket(void);

int64_t house_now(void);

/* When the server has something to do next; TP_NEVER for never. */
int64_t house_next(void);

/* It is this time now. Never goes back. */
void house_set(int64_t now_ns);

/* Let the server do all that it has to do now. */
void house_serve(void);

/* Stop the server. What was noted goes to the caller, who owns it. */
void house_close(struct house_notes *out);

void house_forget(struct house_notes *notes);

#endif
