/*
 * inside.h - the state of the universal front, for the files of this folder. Each file calls only
 * those above it:
 *
 *     ports.c        the devices that a program has registered
 *     replies.c      what goes out
 *     robot.c        requests to the robot
 *     channels.c     channels of the server
 *     targets.c      the robots of the server; matching the devices of the program with one
 *     extended.c     the functions of the command Extended
 *     command.c      one packet: a universal command, its order and its reply
 *     answers.c      what the robot answers
 *     connection.c   bytes of a stream to packets, and the turns of a packet
 *     front.c        the table of the front: opening and closing
 *
 * A robot is a device universal:N (interfaces/universal.padi). The session of a connection decides
 * what the client may do (troupe/connection.h). The commands of a connection run one after the
 * other: a packet is handled when the one before it is done. What waits for a client is at most one
 * reply: no packet is handled before the last reply has left.
 */
#ifndef TROUPE_FRONTS_UNIVERSAL_INSIDE_H
#define TROUPE_FRONTS_UNIVERSAL_INSIDE_H

#include "troupe/connection.h"
#include "troupe/interfaces/common.h"
#include "troupe/interfaces/universal.h"
#include "universal/channels.h"
#include "universal/packet.h"

enum {
    MOST_CLIENTS = 10000,
    MOST_WHY = 240,
    FIRST_TYPE = 64, /* of registered devices */
};

/* A device of the program. */
struct port {
    char *classes;     /* owned */
    char *explanation; /* owned; NULL before it is matched */
    int id, part;
    bool is_inverted, moves;
};

/* The packet that is handled. */
struct task {
    bool on;
    bool goes_on;         /* the robot is open, or matched: tpi_universalf_go_on() is due */
    unsigned char *bytes; /* owned: the packet, for its texts */
    tpi_packet packet;
    uint32_t number;    /* of the command on this connection, from 1 */
    uint8_t function;   /* of Extended; 0 for other commands */
    tpi_packet_rest in; /* the body of the function */
    bool seeks;         /* the camera */
    bool adds;          /* the last device of the program is new */
    unsigned asked;     /* the message that the robot has not answered; 0 for none */
    uint16_t asked_of;  /* the interface of the device that was asked */
};

/* The first command without a reply that failed. */
struct failure {
    uint32_t number; /* 0 for none */
    tpi_fault fault;
    char why[MOST_WHY];
    uint32_t others; /* further ones */
};

/* A stream of pictures. */
struct pictures {
    tp_timer *timer; /* owned: the next picture; NULL before the first stream */
    bool on;
    bool due;          /* a picture is to be taken */
    int64_t period_ns; /* between pictures */
    uint32_t most;     /* bytes that the client takes */
};

/* The part that is the camera. */
struct camera {
    bool is_known; /* for the packet that is handled */
    int part;
    uint32_t revision;
};

/* The channels that the client has opened. */
struct channels {
    tp_device *board; /* borrowed; NULL for none */
    bool is_open;
    tpi_channels *boxes; /* owned; NULL before the first one */
};

/* The state of a connection. */
struct connection {
    tp_connection *base;           /* borrowed: this is its state */
    struct universal_front *front; /* borrowed */
    tp_session *session;           /* borrowed */
    tp_device *device;             /* borrowed: the robot that is selected; NULL for none */
    bool is_open;                  /* the device is open */
    bool is_stale;                 /* the devices of the program have to be matched */
    uint32_t revision;             /* of the robot, that the parts belong to */

    uint32_t number; /* of commands so far */
    struct task task;
    struct failure failure;
    unsigned port_count;
    struct port ports[TP_UNIVERSAL_MOST_DEVICES];
    struct pictures stream_of;
    struct camera camera;
    struct channels channels;
};

/* The state of an instance of the front. */
struct universal_front {
    tp_front_instance *instance; /* borrowed: the front is its state */
    tp_loop *loop;               /* borrowed */
    tp_connections *connections; /* owned */
    uint32_t most_clients;
};

static inline bool front_is_current(const struct universal_front *front)
{
    return tp_loop_is_current(front->loop);
}

/* ---- ports.c ---- */

/* The registered device of a type; NULL for none. */
const struct port *tpi_universalf_port(const struct connection *c, uint8_t type);

/* Add a device of the program; false without memory or room. */
bool tpi_universalf_add_port(struct connection *c, const tpi_value *classes, int id);

/* Forget the devices from the number `from` on. */
void tpi_universalf_drop_ports(struct connection *c, unsigned from);

/* ---- replies.c ---- */

/* The packet is done. `values` are the bytes of its results. */
void tpi_universalf_done(struct connection *c, const tpi_buf *values);

/* The packet has failed. */
void tpi_universalf_failed(struct connection *c, tpi_fault fault, const char *format, ...)
    TP_PRINTF(3, 4);

/* Send a reply that belongs to no packet: a picture of a stream. */
void tpi_universalf_unasked(struct connection *c, tpi_fault fault, const char *why,
                            const tpi_buf *values);

/* ---- robot.c ---- */

/* Send the robot a request; its answer goes on with the packet. */
void tpi_universalf_ask(struct connection *c, unsigned code, const void *value);

/* The same for another device of the server. */
void tpi_universalf_ask_of(struct connection *c, tp_device *device, const tp_interface *interface,
                           unsigned code, const void *value);

/* The fault of a request that was refused. */
tpi_fault tpi_universalf_fault(tp_status status);

/* A request was refused: the packet fails, or the stream of pictures ends. */
void tpi_universalf_refused(struct connection *c, tp_status status, const char *why);

/* End the stream of pictures, if there is one. */
void tpi_universalf_stream_end(struct connection *c);

/* ---- channels.c ---- */

/* Carry out a command of a channel of the server; false if it is for the robot. */
bool tpi_universalf_channel(struct connection *c);

/* The blackboard has sent something. */
void tpi_universalf_heard(struct connection *c, const tp_msg *msg);
void tpi_universalf_channels_end(struct connection *c);

/* ---- targets.c ---- */

/* The robot with this name, address or number; NULL for none. */
tp_device *tpi_universalf_find(const struct connection *c, const char *name, size_t length);

/* Append a line for each robot. */
void tpi_universalf_list(const struct connection *c, tpi_buf *out);

/* Select a robot; NULL for the first one. False if there is none. */
bool tpi_universalf_select(struct connection *c, tp_device *device);

/* Open the robot, and match the devices if they have to be: true if that is done. Otherwise the
 * packet goes on later, or has failed. */
bool tpi_universalf_prepare(struct connection *c);

/* The robot has answered MATCH. */
void tpi_universalf_matched(struct connection *c, const tp_universal_matches *matches);

/* ---- extended.c ---- */

/* Read the function of a packet. False if it is done already, or has failed. */
bool tpi_universalf_extended(struct connection *c);

/* Raise a panic. Every client may. */
void tpi_universalf_panic(struct connection *c, tpi_packet_rest body);

/* Go on with it: the robot is there. */
void tpi_universalf_extended_go_on(struct connection *c);

/* The robot has answered DESCRIBE. */
void tpi_universalf_described(struct connection *c, const tp_universal_robot *robot);

/* The robot has answered PARTS. */
void tpi_universalf_parts(struct connection *c, const tp_universal_parts *parts);

/* The robot has answered with a picture, or refused one. */
void tpi_universalf_picture(struct connection *c, const tp_universal_outcome *outcome);

/* The robot has answered which part is the camera. */
void tpi_universalf_camera(struct connection *c, const tp_universal_matches *matches);

/* A stream of pictures: take the next one if it is due and nothing waits. */
void tpi_universalf_stream_go_on(struct connection *c);

/* ---- command.c ---- */

/* A whole packet has come; the bytes are borrowed. */
void tpi_universalf_handle(struct connection *c, const unsigned char *bytes, size_t length);

/* Go on with the packet: the robot is open, or matched. */
void tpi_universalf_go_on(struct connection *c);

/* The robot has answered an order. */
void tpi_universalf_outcome(struct connection *c, const tp_universal_outcome *outcome);

/* ---- answers.c ---- */

/* A message of the session: an answer of the robot. */
void tpi_universalf_answer(struct connection *c, const tp_msg *msg);

/* ---- connection.c ---- */

extern const tp_connection_ops tpi_universalf_connection_ops;

#endif
