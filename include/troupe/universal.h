/*
 * universal.h - programs for any robot: universal commands on a robot of a server.
 *
 * A program names what it needs by class lists ("Light Sensor, Intensity Sensor") and uses commands
 * that are the same for every robot (ReadAnalog, Drive, Stop). The server matches the lists to the
 * parts of the robot and translates the commands. docs/guide/universal.md explains it,
 * docs/robot-files.md lists commands and rules.
 *
 * A tp_universal is one robot: a device `universal:N` of a server that a tp_client is connected to,
 * over a network or `inproc:`. It belongs to the thread of the client. Rights, leases, ranks and
 * panic are those of the client: what it moves stops when the client is silent for its lease.
 *
 *     tp_universal_create(&robot, client, NULL, NULL, &err);
 *     tp_universal_register(robot, "Light Sensor, Intensity Sensor", -1, 0, &eye, &err);
 *     puts(tp_universal_explanation(robot, eye));   "Light Sensor" → Light Sensor, port 3
 *     tp_universal_read(robot, TP_UNIVERSAL_READ_ANALOG, eye, &brightness, &err);
 *     tp_universal_write(robot, TP_UNIVERSAL_DRIVE, tp_universal_default, 50, &err);
 *     tp_universal_stop(robot, &err);
 *
 * A command fails with one of the faults of the dictionary and a sentence. tp_universal_run() waits
 * for a command; while it waits, other clients on the same loop go on. tp_universal_begin() does
 * not wait: any number of commands can be under way, but only those that are begun after the end of
 * another one are sure to run after it. Motions go before readings.
 */
#ifndef TROUPE_UNIVERSAL_H
#define TROUPE_UNIVERSAL_H

#include "troupe/client.h"
#include "troupe/interfaces/universal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_universal tp_universal;

/* The codes of the commands. */
typedef enum tp_universal_command {
    TP_UNIVERSAL_NO_OP = 0x0000,
    TP_UNIVERSAL_INITIALIZE = 0x0001,
    TP_UNIVERSAL_START = 0x0002,
    TP_UNIVERSAL_END = 0x0003,
    TP_UNIVERSAL_RESET = 0x0004,
    TP_UNIVERSAL_WAIT_TIME = 0x0005,
    TP_UNIVERSAL_WAIT_TRIGGER = 0x0006,
    TP_UNIVERSAL_SETUP_INPUT = 0x1000,
    TP_UNIVERSAL_READ_GENERIC = 0x1001,
    TP_UNIVERSAL_READ_DIGITAL = 0x1002,
    TP_UNIVERSAL_READ_ANALOG = 0x1003,
    TP_UNIVERSAL_READ_COUNT = 0x1004,
    TP_UNIVERSAL_READ_STRING = 0x1005,
    TP_UNIVERSAL_READ_BUFFER = 0x1006,
    TP_UNIVERSAL_TRACK = 0x1007,
    TP_UNIVERSAL_SETUP_OUTPUT = 0x3000,
    TP_UNIVERSAL_WRITE_GENERIC = 0x3001,
    TP_UNIVERSAL_WRITE_DIGITAL = 0x3002,
    TP_UNIVERSAL_WRITE_ANALOG = 0x3003,
    TP_UNIVERSAL_WRITE_COUNT = 0x3004,
    TP_UNIVERSAL_WRITE_STRING = 0x3005,
    TP_UNIVERSAL_WRITE_BUFFER = 0x3006,
    TP_UNIVERSAL_INDICATE_TRIGGER = 0x3007,
    TP_UNIVERSAL_INDICATE_VALUE = 0x3008,
    TP_UNIVERSAL_DISPLAY_VALUE = 0x3009,
    TP_UNIVERSAL_DISPLAY_STRING = 0x300A,
    TP_UNIVERSAL_MOVE_POWER = 0x300B,
    TP_UNIVERSAL_DRIVE = 0x300C,
    TP_UNIVERSAL_WRITE_PWM = 0x300D,
    TP_UNIVERSAL_WRITE_SERVO = 0x300E,
    TP_UNIVERSAL_TONE = 0x300F,
    TP_UNIVERSAL_MOVE_MOTORS = 0x3010,
    TP_UNIVERSAL_GO_TO = 0x3011,
    TP_UNIVERSAL_HALT = 0x3012, /* the command Stop */
    TP_UNIVERSAL_SETUP_CHANNEL = 0x4000,
    TP_UNIVERSAL_READ_MESSAGE = 0x4001,
    TP_UNIVERSAL_WRITE_MESSAGE = 0x4002,
    TP_UNIVERSAL_CHECK_STATUS = 0x4003,
    TP_UNIVERSAL_RAW = 0x6000,
} tp_universal_command;

enum {
    TP_UNIVERSAL_MOST_VALUES = 4,  /* of a command */
    TP_UNIVERSAL_MOST_RESULTS = 3, /* of a command */
    TP_UNIVERSAL_FIRST_TYPE = 64,  /* types of registered ports; lower ones are default types */
};

/* The code of a command by its name or alias ("ReadAnalog", "motor power"), without case, blanks
 * and underscores; TP_UNIVERSAL_NO_COMMAND if there is none. */
TP_API unsigned tp_universal_code(const char *name);

/* The name of a command; NULL if there is none with this code. */
TP_API const char *tp_universal_code_name(unsigned code);

/* "robot silent". Never NULL. */
TP_API const char *tp_universal_fault_text(unsigned fault);

/* ---- The robot ------------------------------------------------------------------------------- */

/* All fields may be zero. */
typedef struct tp_universal_options {
    size_t size;        /* sizeof(tp_universal_options); 0 for the fields up to `loose` */
    int64_t timeout_ns; /* of commands, beyond the time that they wait themselves; 0 for that of the
                         * client */
    bool loose;         /* actuators may fall back to generic classes */
} tp_universal_options;

/* Open a robot of the server. `device` is its address ("universal:1"); NULL takes the first device
 * of the interface `universal`. Waits. The client is borrowed. TP_E_UNKNOWN if the server has none.
 */
TP_API tp_status tp_universal_create(tp_universal **out, tp_client *client, const char *device,
                                     const tp_universal_options *options, tp_error *err);

/* Close it; what the program moves through it stops. Not allowed in a callback of the robot. NULL
 * is accepted. */
TP_API void tp_universal_destroy(tp_universal *robot);

/* The robot's name ("nxt"), its title ("LEGO NXT"), and its robot file. Borrowed. */
TP_API const char *tp_universal_name(const tp_universal *robot);
TP_API const char *tp_universal_title(const tp_universal *robot);
TP_API const char *tp_universal_file(const tp_universal *robot, size_t *length);

TP_API tp_client *tp_universal_client(const tp_universal *robot);

/* The device behind it, for tp_proxy_set_lease() and others. Borrowed. */
TP_API tp_proxy *tp_universal_proxy(const tp_universal *robot);

/* ---- Devices of the program ------------------------------------------------------------------ */

/* What a command acts on: a registered device, or a default type and an id. */
typedef struct tp_universal_port {
    uint8_t type;
    uint8_t id;
    bool is_given; /* false: the default type of the command, with id 0 */
} tp_universal_port;

/* The port of commands without a device. */
static const tp_universal_port tp_universal_default = {0, 0, false};

/* What a registered device is on this robot. The text is borrowed until the next registration. */
typedef struct tp_universal_device_info {
    int part;             /* its number on the robot */
    bool is_inverted;     /* high means the opposite; readings are turned around */
    bool is_shared;       /* another device of the program is the same part */
    bool is_percent_only; /* its class has a unit, but the part gives percent */
    bool moves;           /* it can move something */
    const char *classes, *explanation;
} tp_universal_device_info;

/* Register a device: find the part of the robot that its classes mean. `classes` has commas or line
 * ends between them, the most specific one first. `id` is its number from 0, -1 for none. `command`
 * is what it will mainly be used with; 0 if that is not known. Waits. TP_E_UNKNOWN with the
 * explanation if nothing fits; TP_E_LIMIT after 64 devices. */
TP_API tp_status tp_universal_register(tp_universal *robot, const char *classes, int id,
                                       unsigned command, tp_universal_port *out, tp_error *err);

/* The sentence that explains a registered device; "" for other ports. Borrowed until the next
 * registration. */
TP_API const char *tp_universal_explanation(const tp_universal *robot, tp_universal_port port);

/* What is known of a registered device; false for other ports. */
TP_API bool tp_universal_info(const tp_universal *robot, tp_universal_port port,
                              tp_universal_device_info *out);

/* The number of registered devices; the port of the i-th one has the type 64 + i. */
TP_API unsigned tp_universal_registered(const tp_universal *robot);

/* Match all devices again. tp_universal_run() does this by itself after the connection was lost, or
 * when the robot has changed; programs that only use tp_universal_begin() call it then. Waits.
 * TP_E_UNKNOWN with the explanation of the first device that is not there any more. */
TP_API tp_status tp_universal_match_again(tp_universal *robot, tp_error *err);

/* ---- Commands -------------------------------------------------------------------------------- */

/* A value or result: a number, or a text or bytes if `text` is not NULL. Yes and no are 1 and 0. */
typedef struct tp_universal_datum {
    double number;
    const char *text; /* borrowed */
    size_t length;    /* of the text, without a NUL */
} tp_universal_datum;

typedef struct tp_universal_call {
    size_t size; /* sizeof(tp_universal_call); 0 for the fields up to `trace` */
    unsigned command;
    tp_universal_port port; /* of Stop: tp_universal_default is everything that moves */
    unsigned count;         /* values that are given; the others have those of the dictionary */
    tp_universal_datum values[TP_UNIVERSAL_MOST_VALUES];
    int64_t max_age_ns; /* a reading may be so old; 0: it is read now */
    bool trace;         /* the result tells how it was done */
} tp_universal_call;

/* How a command ended. Texts are borrowed until the next call of the robot that waits, or for the
 * callback. */
typedef struct tp_universal_result {
    tp_universal_fault fault; /* TP_UNIVERSAL_DONE if it did not fail */
    const char *text;         /* the sentence of a fault, else "" */
    unsigned count;
    tp_universal_datum values[TP_UNIVERSAL_MOST_RESULTS];
    const char *trace; /* the way and the bytes: "> 0c 00 80 ..." out, "< ..." in; else "" */
} tp_universal_result;

/* Run a command and wait for its result. `out` may be NULL. TP_OK if it was done. Otherwise the
 * status and sentence of the fault: TP_E_UNSUPPORTED (not available), TP_E_UNKNOWN (no match),
 * TP_E_INVALID (bad value), TP_E_TIMEOUT (robot silent), TP_E_DEVICE (robot refused), TP_E_PANIC
 * (stopped), TP_E_DENIED (denied). If the server cannot be reached, the fault is `robot silent` and
 * the status that of the connection. */
TP_API tp_status tp_universal_run(tp_universal *robot, const tp_universal_call *call,
                                  tp_universal_result *out, tp_error *err);

/* A command that was begun has ended. May begin others, but not wait. */
typedef void tp_universal_done(void *context, tp_universal *robot,
                               const tp_universal_result *result);

/* Run a command without waiting. `done` is called once, from the loop, or not at all if the robot
 * is closed before. Fails without calling it if the command cannot be sent. */
TP_API tp_status tp_universal_begin(tp_universal *robot, const tp_universal_call *call,
                                    tp_universal_done *done, void *context, tp_error *err);

/* Read a number: ReadGeneric, ReadDigital, ReadAnalog or ReadCount. */
TP_API tp_status tp_universal_read(tp_universal *robot, unsigned command, tp_universal_port port,
                                   double *out, tp_error *err);

/* Run a command with one number. */
TP_API tp_status tp_universal_write(tp_universal *robot, unsigned command, tp_universal_port port,
                                    double value, tp_error *err);

/* Stop everything that the robot moves, at once, before all that waits. Every client may. Waits
 * until the server has answered. */
TP_API tp_status tp_universal_stop(tp_universal *robot, tp_error *err);

/* How a command would be done: the part, each step of the translation, the line of the robot file.
 * The text is the caller's, released with free(). Waits. */
TP_API tp_status tp_universal_explain(tp_universal *robot, unsigned command, tp_universal_port port,
                                      char **out, tp_error *err);

/* ---- Channels -------------------------------------------------------------------------------- */

/* A channel is a name. What any program says on it goes to all programs that listen to it: those of
 * this library, of the universal protocol (SetupChannel, WriteMessage) and of `troupe play`, also
 * to the one that said it. The blackboard of the server carries the messages and keeps none. A name
 * has up to 63 bytes, a message up to 512. */

/* Listen to a channel from now on; again changes nothing. The client must be connected with
 * TP_CLIENT_EVERYTHING, else messages would be lost: TP_E_INVALID. Waits for the first channel.
 * TP_E_UNKNOWN if the server has no blackboard, TP_E_LIMIT after 32 channels. */
TP_API tp_status tp_universal_listen(tp_universal *robot, const char *channel, tp_error *err);

/* Say something. It need not listen to the channel. Waits until the server has it. */
TP_API tp_status tp_universal_say(tp_universal *robot, const char *channel, const char *text,
                                  size_t length, tp_error *err);

/* How many messages wait; at most 16 do, then the oldest one is lost. -1 if the program does not
 * listen. They arrive while a call of the client waits, or while its loop turns. */
TP_API int tp_universal_waiting(const tp_universal *robot, const char *channel);

/* Take the oldest message, and wait for one if there is none: TP_E_TIMEOUT. The text is borrowed
 * until the next call; it need not end with a NUL. */
TP_API tp_status tp_universal_hear(tp_universal *robot, const char *channel, int64_t timeout_ns,
                                   const char **text, size_t *length, tp_error *err);

#ifdef __cplusplus
}
#endif
#endif
