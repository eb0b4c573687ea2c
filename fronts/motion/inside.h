/*
 * inside.h - the state of the motion front, for the files of this folder. Each file calls only
 * those above it:
 *
 *     replies.c      what goes out: records of the front, records of the robot
 *     robot.c        requests to the robot
 *     client.c       clients: they join, they have one or more connections, they leave
 *     package.c      one package: records of the front itself, and what goes to the robot
 *     answers.c      what the robot answers
 *     connection.c   bytes of a stream to packages; panic as soon as a header is there
 *     front.c        the table of the front: opening and closing
 *
 * The robot is the device mechanism:N (interfaces/mechanism.padi). Each connection has a session,
 * which decides what it may do (troupe/connection.h). A client is one or more connections: the
 * first one joins, further ones show its token. Packages go to the robot through the session of the
 * connection with the highest right. What the robot answers goes out on the oldest connection of
 * the client; what the front answers goes out where it was asked.
 *
 * What waits for a connection is bounded: when it is MOST_OUT bytes, no package of the connection
 * is handled and no record is taken from the robot, which has queues of its own.
 */
#ifndef TROUPE_FRONTS_MOTION_INSIDE_H
#define TROUPE_FRONTS_MOTION_INSIDE_H

#include "motion/package.h"
#include "troupe/connection.h"
#include "troupe/interfaces/mechanism.h"

enum {
    MOST_CLIENTS = 10000,
    MOST_PENDING = 64, /* packages of a connection that the robot has not answered */
    MOST_OUT = 64 << 10,
};

struct connection;

/* A client that has joined. */
struct client {
    uint8_t token[TP_MECHANISM_TOKEN];
    tp_mechanism_joined joined;
    struct connection *connections; /* borrowed; the oldest first, linked by `sibling` */
    struct client *next;            /* in the front's list */
    bool waits;                     /* for records: a request is open */
    bool promoted;                  /* the robot knows that it is an operator */
};

/* A HELLO that was not answered yet. */
struct hello {
    bool on;
    uint32_t tag, package;
    tpi_motion_hello body;
    uint8_t token[TP_MECHANISM_TOKEN]; /* of the new client */
};

/* The state of a connection. */
struct connection {
    tp_connection *base;        /* borrowed: this is its state */
    struct motion_front *front; /* borrowed */
    tp_session *session;        /* borrowed */
    tp_device *device;          /* borrowed: the robot; NULL before HELLO */
    struct client *client;      /* borrowed; NULL before it has joined */
    struct connection *sibling; /* the next one of the same client */
    int64_t read_ns;            /* when bytes were read last */
    int64_t heard_ns;           /* when the robot heard of it last */

    struct hello hello;
    tp_msg *pending[MOST_PENDING]; /* owned references: packages that the robot has */
    unsigned pending_count;
};

/* The state of an instance of the front. */
struct motion_front {
    tp_front_instance *instance; /* borrowed: the front is its state */
    tp_loop *loop;               /* borrowed */
    tp_connections *connections; /* owned */
    uint32_t most_clients;
    uint16_t device;        /* index of the mechanism */
    struct client *clients; /* owned */
};

static inline int64_t front_now(const struct motion_front *front)
{
    return tp_clock_now_ns(tp_loop_clock(front->loop));
}

static inline bool front_is_current(const struct motion_front *front)
{
    return tp_loop_is_current(front->loop);
}

/* ---- replies.c ---- */

/* A record as a package of its own. `package` is the id of what it answers. */
void tpi_motionf_reply(struct connection *c, uint32_t package, uint16_t code, uint32_t tag,
                       const void *value);

/* The final signal of a record. */
void tpi_motionf_reply_signal(struct connection *c, uint32_t package, uint32_t tag,
                              tpi_motion_signal signal, const char *text);

/* Records of the robot as one package. */
void tpi_motionf_reply_records(struct connection *c, const tp_mechanism_records *records);

/* The state of the panic. */
void tpi_motionf_panic_state(const struct motion_front *front, uint32_t *epoch, bool *on);

/* ---- robot.c ---- */

/* Send the robot a request of the interface `mechanism`. `seq` comes back with the answer. */
tp_status tpi_motionf_robot_send(struct connection *c, unsigned code, uint32_t seq,
                                 const void *value, tp_error *err);

/* Send it a package that arrived at this time, and remember it until it is answered. */
tp_status tpi_motionf_robot_package(struct connection *c, unsigned code,
                                    const tpi_motion_header *header, const uint8_t *bytes,
                                    int64_t arrived_ns, tp_error *err);

/* The package that this answers; the caller owns the reference. NULL if there is none. */
tp_msg *tpi_motionf_robot_answered(struct connection *c, const tp_msghdr *header);

/* ---- client.c ---- */

/* HELLO has come: open the robot, then join it or the client with this token. */
void tpi_motionf_client_hello(struct connection *c, const struct hello *hello);

/* The robot has answered JOIN. */
void tpi_motionf_client_joined(struct connection *c, const tp_mechanism_joined *joined);

/* The robot has refused JOIN. */
void tpi_motionf_client_refused(struct connection *c, const char *why);

/* The connection is closed. The client leaves with its last one. */
void tpi_motionf_client_leave(struct connection *c);

/* Wait for records, if the client does not and there is room for them. */
void tpi_motionf_client_wait(struct client *client);

/* Tell the robot that the client is an operator, if the connection has that right. */
void tpi_motionf_client_promote(struct connection *c);

/* The connection of a client with the highest right. */
struct connection *tpi_motionf_client_strongest(struct connection *c);

/* ---- package.c ---- */

/* A whole package has come. */
void tpi_motionf_package_handle(struct connection *c, const tpi_motion_header *header,
                                const uint8_t *bytes);

/* The 32 bytes of a header ask for a panic. */
void tpi_motionf_package_panic(struct connection *c, const uint8_t *bytes);

/* The robot or the session has refused a package: its records are answered. */
void tpi_motionf_package_refused(struct connection *c, const uint8_t *bytes, size_t length,
                                 tp_status status, const char *why);

/* ---- answers.c ---- */

/* A message of the session: an answer of the robot. */
void tpi_motionf_answers_take(struct connection *c, const tp_msg *msg);

/* ---- connection.c ---- */

extern const tp_connection_ops tpi_motionf_connection_ops;

#endif
