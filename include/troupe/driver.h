/*
 * driver.h - writing drivers.
 *
 * A driver turns messages into hardware, or into other devices. An *instance* is one driver block
 * of the configuration. It may offer several devices (a Pioneer: position2d, sonar, power); each is
 * offered with typed operations generated from its interface file (tp_position2d_ops). The
 * framework allocates `state_size` zeroed bytes per instance and calls all operations of an
 * instance one at a time, on the instance's own thread (or on the loop for drivers that never
 * wait):
 *
 *     init -> (start -> (poll | device operation | data)* -> stop)* -> fini
 *
 * start follows the first open of any of its devices, stop the last close; stop follows every start
 * that succeeded; fini follows every init, failed or not. Drivers create no threads and do not
 * sleep: they wait with deadlines through the framework. Errors are a code and a sentence; the
 * framework adds the instance's name.
 */
#ifndef TROUPE_DRIVER_H
#define TROUPE_DRIVER_H

#include "troupe/clock.h"
#include "troupe/loop.h"
#include "troupe/msg.h"
#include "troupe/padi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every change of this header that a compiled driver would notice. */
enum { TP_DRIVER_ABI = 2 };

typedef struct tp_instance tp_instance;
typedef struct tp_link tp_link;     /* another device that the driver uses */
typedef struct tp_ticket tp_ticket; /* a request that is answered later */
struct tp_port;                     /* a line to hardware; see troupe/port.h */

/* A parameter in the configuration. `unit` says what it is: NULL a text, "secret" one that others
 * should not read, "line" one that tp_port_open() takes, so that a section that gives it may have a
 * guard; "bool" yes or no, "m" and "rad" numbers that are scaled by the file's units, "1" or any
 * other unit a number as it stands; the units of a tuple's values may differ: "m m rad", where the
 * last one holds for the rest. A configuration that has something else there is refused
 * before init, with file, line and column. `fallback` is what is taken if it is absent, its values
 * divided by blanks, lengths in metres and angles in radians; NULL means that it has to be there. A
 * fallback of "" is an empty text or no values. */
typedef struct tp_param {
    const char *name;
    const char *unit;
    const char *fallback;
    const char *doc;
} tp_param;

/* Why something is to stop, and so how. */
typedef enum tp_halt {
    TP_HALT_BRAKE,  /* as fast as it safely can: the lease has ended, or somebody asked for it */
    TP_HALT_HOLD,   /* hold the position with power, as a standing robot must */
    TP_HALT_FINISH, /* finish the step under way, then stand still */
} tp_halt;

/* Who wants it to stop. */
typedef enum tp_halt_reason {
    TP_HALT_UNASKED, /* nobody: this is no `halt` */
    TP_HALT_ASKED,   /* somebody who asked for HALT, or the server: a command was refused */
    TP_HALT_PANIC,
    TP_HALT_SILENT, /* the lease of who moved it has ended */
    TP_HALT_LEFT,   /* who moved it has closed it, has gone, or may not move it any more */
} tp_halt_reason;

typedef struct tp_driver_ops {
    /* Read and check parameters, offer devices, name required ones; touches no hardware. Required.
     */
    tp_status (*init)(tp_instance *self, tp_error *err);
    /* Open the hardware and prove that it answers; may wait, with a deadline. A driver on the loop,
     * which must not wait, may return TP_PENDING and call tp_instance_started() later; stop can
     * come before that. Optional. */
    tp_status (*start)(tp_instance *self, tp_error *err);
    /* Publish fresh samples; called once per period (tp_instance_set_period), after `input` for
     * what has come. A failure means that the device is lost: readers are told, and it is restarted
     * as configured. Optional. */
    tp_status (*poll)(tp_instance *self, tp_error *err);
    /* Data of a required device has come. The message is borrowed for the call. Optional. */
    void (*data)(tp_instance *self, tp_link *from, const tp_msg *msg);
    /* Bytes have come on a line that is watched (tp_port_watch), or its other side is gone. Reads
     * what is there without waiting. A failure means the same as that of poll. Optional. */
    tp_status (*input)(tp_instance *self, struct tp_port *port, tp_error *err);
    /* Stop what this device moves: whoever moved it is silent or gone, somebody asked for HALT, or
     * there is a panic. It stays in use. Does not wait, cannot fail. A driver that offers something
     * that moves should have it: one without is stopped as a whole instead. */
    void (*halt)(tp_device *device, tp_halt how);
    /* Leave actuators safe; does not wait, cannot fail. Optional. */
    void (*stop)(tp_instance *self);
    /* Release what init and start took. Optional. */
    void (*fini)(tp_instance *self);
} tp_driver_ops;

enum {
    TP_DRIVER_ON_LOOP = 1, /* never waits: runs on the loop, without a thread */
    /* Several sections may describe parts of one thing, such as the robots of a simulated world. A
     * section without the first parameter of the driver belongs to the last section before it that
     * has it, if their drivers have the same operations: they are one instance (tp_section). What
     * else a section may say (alwayson, lease, restart, extensions) is taken of the first one. */
    TP_DRIVER_JOINS = 2,
    /* It knows itself what it could offer: without `provides`, or with "all", it offers everything,
     * with tp_offer_more(). */
    TP_DRIVER_OFFERS_ALL = 4,
};

typedef struct tp_driver {
    uint32_t abi; /* TP_DRIVER_ABI */
    const char *name;
    const char *summary;
    size_t state_size;
    const tp_param *params; /* ended by a NULL name; may be NULL */
    const tp_driver_ops *ops;
    unsigned flags;
} tp_driver;

/* ---- The instance ---------------------------------------------------------------------------- */

/* The driver's own memory, zeroed before init. */
TP_API void *tp_instance_state(const tp_instance *self);

/* The driver that it is an instance of, as the server got it. A program that brings a driver of its
 * own (tp_server_options.drivers) can have it inside a larger struct and find that here. */
TP_API const tp_driver *tp_instance_driver(const tp_instance *self);

/* "fake0": the driver's name and a number, unique in the server; for messages. */
TP_API const char *tp_instance_name(const tp_instance *self);

/* What other servers know it by: the same, but in a process that runs an isolated driver it is the
 * name that this driver has in the server that it is a part of. */
TP_API const char *tp_instance_known_as(const tp_instance *self);

TP_API const tp_clock *tp_instance_clock(const tp_instance *self);

/* The loop that it runs on; NULL for one with a thread of its own. */
TP_API tp_loop *tp_instance_loop(const tp_instance *self);

/* Where relative names of files in the configuration begin: "" or with a slash at its end. */
TP_API const char *tp_instance_folder(const tp_instance *self);

/* Start it with the server and let it run without users: it goes on by itself. From init only. */
TP_API void tp_instance_stay_on(tp_instance *self);

/* Tell the operator something that is odd but no failure. While one such sentence is on its way to
 * the loop others are dropped: this is for what is said once. From any operation. */
TP_API void tp_instance_note(tp_instance *self, const char *text);

/* Call poll this often; 0 for never. From init or any later operation. */
TP_API void tp_instance_set_period(tp_instance *self, int64_t period_ns);

/* How a start that returned TP_PENDING went; once. `why` may be NULL for TP_OK. */
TP_API void tp_instance_started(tp_instance *self, tp_status status, const char *why);

/* The device is lost, as if poll had failed: stop is called, readers are told, and it is started
 * again as configured. From any operation but start and stop, or a callback of the instance's loop.
 */
TP_API void tp_instance_fail(tp_instance *self, tp_status status, const char *why);

/* It runs, but what does its work is away: another server, a process. The operator is told once,
 * and the state of its devices says so until it is called with NULL. A driver on the loop only. */
TP_API void tp_instance_trouble(tp_instance *self, const char *why);

/* How many lines are guarded where its work is done, and how often their guards were started again.
 * For drivers that have no port of their own. */
TP_API void tp_instance_set_guards(tp_instance *self, uint32_t guards, uint32_t restarts);

/* The interfaces that the server knows. */
TP_API const tp_catalogue *tp_instance_catalogue(const tp_instance *self);

/* A parameter that is declared in the table: its value, or its fallback. Of tuples the first. */
TP_API const char *tp_param_string(const tp_instance *self, const char *name);
TP_API double tp_param_double(const tp_instance *self, const char *name);
TP_API int64_t tp_param_int(const tp_instance *self, const char *name);
TP_API bool tp_param_bool(const tp_instance *self, const char *name);

/* Whether the configuration has it, how many values it has, and one of them. */
TP_API bool tp_param_given(const tp_instance *self, const char *name);
TP_API size_t tp_param_count(const tp_instance *self, const char *name);
TP_API const char *tp_param_string_at(const tp_instance *self, const char *name, size_t i);
TP_API double tp_param_double_at(const tp_instance *self, const char *name, size_t i);

/* Which parameter an error of init is about, so that it is told where that stands. The name is kept
 * until then. */
TP_API void tp_param_blame(tp_instance *self, const char *name);

/* Of a driver that joins sections (TP_DRIVER_JOINS): how many there are, at least 1; a parameter of
 * one of them, where the calls above mean the first; and which one an error of init is about. */
TP_API size_t tp_section_count(const tp_instance *self);
TP_API const char *tp_section_string(const tp_instance *self, size_t section, const char *name);
TP_API void tp_section_blame(tp_instance *self, size_t section);

/* ---- Devices that it offers ------------------------------------------------------------------ */

/* Handles any message of a device, in place of typed operations. `answer` comes zeroed, or is NULL
 * where nothing is answered; what it points to is copied before the driver runs again. */
typedef tp_status tp_handler(tp_device *device, const tp_message *what, const void *ask,
                             void *answer, tp_error *err);

/* How many addresses `provides` lists, and what each asks for. */
TP_API size_t tp_provides_count(const tp_instance *self);
TP_API const tp_interface *tp_provides_interface(const tp_instance *self, size_t i);
TP_API const char *tp_provides_key(const tp_instance *self, size_t i); /* "" for none */
TP_API size_t tp_provides_section(const tp_instance *self, size_t i);

/* Whether `provides` lists the interface with this key (NULL for any) and it is not taken yet. */
TP_API bool tp_provides(const tp_instance *self, const tp_interface *interface, const char *key);

/* Offer a device at the first free address of `provides` with this interface and key (NULL for
 * any). `ops` is the generated table of its interface, or NULL with a `handler`. From init only. */
TP_API tp_status tp_offer(tp_instance *self, const tp_interface *interface, const char *key,
                          const void *ops, tp_handler *handler, tp_device **out, tp_error *err);

/* Offer the i-th of `provides`; and, if that is empty, a device that it does not list, with an
 * index that the driver chooses. Both for drivers with many devices. From init only. */
TP_API tp_status tp_offer_at(tp_instance *self, size_t i, const void *ops, tp_handler *handler,
                             tp_device **out, tp_error *err);
TP_API tp_status tp_offer_more(tp_instance *self, const tp_interface *interface, uint16_t index,
                               const void *ops, tp_handler *handler, tp_device **out,
                               tp_error *err);

/* How many readers the device has now, and a number that changes with those of any device of the
 * instance: what nobody reads need not be measured. */
TP_API uint32_t tp_device_readers(const tp_device *device);
TP_API uint32_t tp_instance_readings(const tp_instance *self);

TP_API tp_instance *tp_device_instance(const tp_device *device);
TP_API const tp_devaddr *tp_device_addr(const tp_device *device);
TP_API const tp_interface *tp_device_interface(const tp_device *device);

/* Which of its kind the device is, for people who look at a list: "left", "r0.laser". The text is
 * copied. From init only. */
TP_API tp_status tp_device_set_label(tp_device *device, const char *label, tp_error *err);

/* A pointer of the driver's own. */
TP_API void tp_device_set_context(tp_device *device, void *context);
TP_API void *tp_device_context(const tp_device *device);

/* Send data to all readers of the device; `value` is copied. `timestamp_s` is when it was measured,
 * 0 for now. TP_E_LIMIT if so much is on its way already that this one is dropped and counted. */
TP_API tp_status tp_publish(tp_device *device, unsigned code, const void *value,
                            double timestamp_s);

/* How many messages of the instance, roughly, have not reached the queues of those who read them
 * yet; a large one counts as one for each 16 KB. A driver that could go on at once waits until
 * there are few, so that nobody's queue overflows. */
TP_API uint32_t tp_instance_on_its_way(const tp_instance *self);

/* From now on tp_publish() drops nothing, and those who have a device open that keeps get it all:
 * the driver itself looks how much is on its way and who is behind, and waits. Where its operations
 * run. */
TP_API void tp_instance_keep_all(tp_instance *self, bool on);

/* Whoever has the device open takes part in what the instance does. From init only. */
TP_API void tp_device_keeps(tp_device *device);

/* How many of those who have the device open are behind: data that they have not read fills a
 * quarter of their queue already. Clients that have taken nothing for ten seconds are not counted
 * until they go on, nor are those that pull. Any thread may ask. */
TP_API uint32_t tp_device_behind(const tp_device *device);

/* Whoever opens the device from now on gets the last data of each kind at once, as it was sent;
 * what was sent before a stop is forgotten. From init only. */
TP_API tp_status tp_device_latch(tp_device *device, tp_error *err);

/* Where the device sits (GET_GEOMETRY): from init or any later operation. Readers are told when it
 * changes, and the server's tree of frames follows. What the configuration says goes before it.
 * Devices that never say it are asked by their interface's own GET_GEOM, if they answer that. */
TP_API tp_status tp_device_set_geometry(tp_device *device, const tp_geometry *geometry);

/* A property of the device, which clients read and, if it is writable, set. The value is a text for
 * PROPERTY_STRING and a number otherwise. Texts are borrowed as long as the instance. */
typedef struct tp_property_plan {
    const char *key;
    tp_property_type type;
    bool writable;
    const char *unit; /* "" for none */
    const char *doc;
    const char *value; /* at first */
    /* A client wants to set it: TP_OK to accept. NULL accepts everything. */
    tp_status (*set)(tp_device *device, const char *key, const char *text, double number,
                     tp_error *err);
} tp_property_plan;

/* From init only. The plan is borrowed as long as the instance. */
TP_API tp_status tp_device_add_property(tp_device *device, const tp_property_plan *plan,
                                        tp_error *err);

/* The value now, and setting it (which asks nobody). From any operation. "" and 0 for what it does
 * not have. */
TP_API const char *tp_device_property_text(const tp_device *device, const char *key);
TP_API double tp_device_property_number(const tp_device *device, const char *key);
TP_API tp_status tp_device_set_property_text(tp_device *device, const char *key, const char *text);
TP_API tp_status tp_device_set_property_number(tp_device *device, const char *key, double number);

/* ---- Answering later ------------------------------------------------------------------------- */

/* Inside an operation for a request: keep the request open. Return TP_PENDING from the operation
 * and answer with the ticket later, from any operation of the same instance. */
TP_API tp_ticket *tp_device_defer(tp_device *device);

/* Answer, which ends the ticket. `value` may be NULL where nothing is answered; it is copied. */
TP_API void tp_ticket_answer(tp_ticket *ticket, const void *value);
TP_API void tp_ticket_fail(tp_ticket *ticket, tp_status code, const char *text);

/* Whether whoever asked is still there. The ticket has to be ended all the same. */
TP_API bool tp_ticket_is_wanted(const tp_ticket *ticket);

/* ---- Devices that it uses -------------------------------------------------------------------- */

/* How many addresses `requires` lists, and what each is. */
TP_API size_t tp_requires_count(const tp_instance *self);
TP_API const tp_interface *tp_requires_interface(const tp_instance *self, size_t i);
TP_API const char *tp_requires_key(const tp_instance *self, size_t i); /* "" for none */

/* Use the first device that `requires` lists with this interface and key (NULL for any; a key asks
 * for an entry with that key) and that is not used by an earlier call. It is opened when the
 * instance starts and closed when it stops, wherever it is: here, or on another server. From init
 * only. TP_E_UNKNOWN if there is none. */
TP_API tp_status tp_require(tp_instance *self, const tp_interface *interface, const char *key,
                            tp_link **out, tp_error *err);

TP_API const tp_interface *tp_link_interface(const tp_link *link);

/* Have the device stop what it moves: for `halt` of drivers that stand before another device. What
 * is halted owes its stop (tp_device_halting) until the other device has stopped. Does nothing in a
 * panic, which stops every device by itself, as its own section says. */
TP_API void tp_link_halt(tp_link *link);

/* In `halt`, of drivers whose work somebody else does who was only told: the device has not stopped
 * yet. Until tp_device_halted() was called as often as this, it owes its stop: panics name it, HALT
 * is not answered, and readers are not told that it has stopped. That ends when the instance is
 * stopped, too. */
TP_API void tp_device_halting(tp_device *device);
TP_API void tp_device_halted(tp_device *device);

/* For drivers whose devices move by themselves, without commands. In `halt`: who wants it. At any
 * time, where the instance runs: whether there is a panic, in which nothing may move. */
TP_API tp_halt_reason tp_instance_halt_reason(const tp_instance *self);
TP_API bool tp_instance_in_panic(const tp_instance *self);

/* For drivers that pass a panic on: `told` is called, where the instance runs, when one begins,
 * before its devices are halted, and when it is over. From init only. */
TP_API void tp_instance_on_panic(tp_instance *self, void (*told)(tp_instance *self));

/* In `halt`: which way to ask of another server, one of tp_halt_way. In a panic TP_HALT_SO_OWN,
 * unless the section of this instance says how. */
TP_API unsigned tp_instance_halt_way(const tp_instance *self);

/* Send a command; `value` is copied. */
TP_API tp_status tp_link_command(tp_link *link, unsigned code, const void *value);

/* Ask; `done` is called once, as an operation of the instance, with the answer or with why there is
 * none (TP_E_TIMEOUT after `timeout_ns`). `answer` is borrowed for the call. */
typedef void tp_link_done(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                          const char *why);
TP_API tp_status tp_link_request(tp_link *link, unsigned code, const void *value,
                                 int64_t timeout_ns, tp_link_done *done, void *context);

#ifdef __cplusplus
}
#endif
#endif
