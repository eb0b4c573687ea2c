/*
 * driver.h - writing drivers.
 *
 * A driver turns messages into hardware, or into other devices. An *instance* is one driver block
 * of the configuration. It may offer several devices (a Pioneer: position2d, sonar, power); each is
 * offered with typed operations generated from its interface file (tp_position2d_ops). The
 * framework allocates `state_size` zeroed bytes per instance and calls all operations of an
 * instance one at a time, on the instance's own thread (or on the loop for drivers that never
 * wait). init and fini may run on another thread, which loads or releases configurations:
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

/* Changes when a compiled driver would no longer fit this header. */
enum { TP_DRIVER_ABI = 3 };

typedef struct tp_instance tp_instance;
typedef struct tp_link tp_link;     /* another device that the driver uses */
typedef struct tp_ticket tp_ticket; /* a request that is answered later */
typedef struct tp_grant tp_grant;   /* the permission to send a device commands ahead of time */
struct tp_port;                     /* a line to hardware; see troupe/port.h */

/* A parameter in the configuration. `unit` is its type:
 *
 *     NULL          a text
 *     "secret"      a text that others should not read
 *     "line"        a text for tp_port_open(); a section with it may have a guard
 *     "bool"        yes or no
 *     "m", "rad"    a number in the units of the file
 *     "1", others   a number, not scaled
 *     "m m rad"     a tuple; the last unit holds for further values
 *
 * A configuration with another type of value is refused before init, with file, line and column.
 * `fallback` is the value of an absent parameter: values are separated by blanks, lengths are in
 * metres, angles in radians. NULL makes the parameter required. "" is an empty text or no values.
 */
typedef struct tp_param {
    const char *name;
    const char *unit;
    const char *fallback;
    const char *doc;
} tp_param;

/* How a device is to stop. */
typedef enum tp_halt {
    TP_HALT_BRAKE,  /* as fast as is safe: the lease has ended, or a client asked for HALT */
    TP_HALT_HOLD,   /* hold the position with power, as a standing robot must */
    TP_HALT_FINISH, /* finish the current step, then stand still */
} tp_halt;

/* Why a device is to stop. */
typedef enum tp_halt_reason {
    TP_HALT_UNASKED, /* no `halt` is in progress */
    TP_HALT_ASKED,   /* a client asked for HALT, or a command of a new mover was refused */
    TP_HALT_PANIC,
    TP_HALT_SILENT, /* the lease of the mover has ended */
    TP_HALT_LEFT,   /* the mover has closed the device, has left, or has lost the right to move */
} tp_halt_reason;

typedef struct tp_driver_ops {
    /* Read and check parameters, offer devices, name required ones; touches no hardware. Required.
     */
    tp_status (*init)(tp_instance *self, tp_error *err);
    /* Open the hardware and prove that it answers; may wait, with a deadline. A driver on the loop,
     * which must not wait, may return TP_PENDING and call tp_instance_started() later; stop can
     * come before that. Optional. */
    tp_status (*start)(tp_instance *self, tp_error *err);
    /* Publish new samples. Called once per period (tp_instance_set_period()), after `input` for
     * bytes that have arrived. A failure means that the device is lost: readers receive the reason,
     * and the instance restarts as configured. Optional. */
    tp_status (*poll)(tp_instance *self, tp_error *err);
    /* Data of a required device has arrived. The message is borrowed for the call. Optional. */
    void (*data)(tp_instance *self, tp_link *from, const tp_msg *msg);
    /* Bytes have arrived on a watched line (tp_port_watch()), or its other side has closed it.
     * Reads without waiting. A failure has the same effect as one of `poll`. Optional. */
    tp_status (*input)(tp_instance *self, struct tp_port *port, tp_error *err);
    /* Stop what this device moves: its mover is silent or has left, a client asked for HALT, or
     * there is a panic. The device stays in use. Does not wait, cannot fail. A driver that moves
     * something should have it; a driver without it is stopped as a whole instead. */
    void (*halt)(tp_device *device, tp_halt how);
    /* Leave actuators safe; does not wait, cannot fail. Optional. */
    void (*stop)(tp_instance *self);
    /* Release what init and start took. Optional. */
    void (*fini)(tp_instance *self);
} tp_driver_ops;

enum {
    TP_DRIVER_ON_LOOP = 1, /* never waits: runs on the loop, without a thread */
    /* Several sections can describe parts of one thing, such as the robots of a simulated world. A
     * section without the first parameter of the driver joins the last section before it that has
     * that parameter, if their drivers have the same operations. Joined sections are one instance
     * (tp_section_count()). Of the fields of the server, `lease` and `panic` count for the devices
     * of their section, and without them those of the first section do; `alwayson` in any section
     * keeps the instance running; the others are taken from the first section. */
    TP_DRIVER_JOINS = 2,
    /* The driver knows its devices: without `provides`, or with "all", it offers all of them with
     * tp_offer_more(). */
    TP_DRIVER_OFFERS_ALL = 4,
    /* Its devices are simulated, so nothing that moves can do harm: plain Player clients, which
     * know no leases, have none on them unless the configuration names one. */
    TP_DRIVER_SIMULATED = 8,
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

/* The memory of the driver for this instance, zeroed before init. */
TP_API void *tp_instance_state(const tp_instance *self);

/* The driver that it is an instance of, as the server got it. A program that brings a driver of its
 * own (tp_server_options.drivers) can have it inside a larger struct and find that here. */
TP_API const tp_driver *tp_instance_driver(const tp_instance *self);

/* The name of the instance for messages: the driver's name and a number, unique in the server:
 * "fake0". */
TP_API const char *tp_instance_name(const tp_instance *self);

/* The name of the instance for other servers: the same, except in the process of an isolated
 * driver, where it is the driver's name in the server that the process belongs to. */
TP_API const char *tp_instance_known_as(const tp_instance *self);

/* The clock of the instance. */
TP_API const tp_clock *tp_instance_clock(const tp_instance *self);

/* The loop that the instance runs on; NULL for an instance with its own thread. */
TP_API tp_loop *tp_instance_loop(const tp_instance *self);

/* The folder of relative file names in the configuration: "" or with a slash at its end. */
TP_API const char *tp_instance_folder(const tp_instance *self);

/* Start the instance with the server, and keep it running without users. From init only. */
TP_API void tp_instance_stay_on(tp_instance *self);

/* Report something unusual that is not a failure to the operator. While one such sentence is on its
 * way to the loop, further ones are dropped: use it for rare events. From any operation. */
TP_API void tp_instance_note(tp_instance *self, const char *text);

/* Set the period of poll; 0 for never. From init or any later operation. */
TP_API void tp_instance_set_period(tp_instance *self, int64_t period_ns);

/* Report the result of a start that returned TP_PENDING; once. `why` may be NULL for TP_OK. */
TP_API void tp_instance_started(tp_instance *self, tp_status status, const char *why);

/* Report that the device is lost, as a failed poll does: stop is called, readers receive the
 * reason, and the instance restarts as configured. From any operation except start and stop, or
 * from a callback of the instance's loop. */
TP_API void tp_instance_fail(tp_instance *self, tp_status status, const char *why);

/* Report that the instance runs but the server or process that does its work is not reachable. The
 * operator is informed once, and the state of its devices shows it until the call with NULL. Only
 * for drivers on the loop. */
TP_API void tp_instance_trouble(tp_instance *self, const char *why);

/* Report the number of guarded lines in the process that does the work, and the number of restarts
 * of their guards. For drivers without ports of their own. */
TP_API void tp_instance_set_guards(tp_instance *self, uint32_t guards, uint32_t restarts);

/* The interfaces of the server. */
TP_API const tp_catalogue *tp_instance_catalogue(const tp_instance *self);

/* The value of a declared parameter, or its fallback; the first value of a tuple. */
TP_API const char *tp_param_string(const tp_instance *self, const char *name);
TP_API double tp_param_double(const tp_instance *self, const char *name);
TP_API int64_t tp_param_int(const tp_instance *self, const char *name);
TP_API bool tp_param_bool(const tp_instance *self, const char *name);

/* Whether the configuration has the parameter. */
TP_API bool tp_param_given(const tp_instance *self, const char *name);

/* The number of values of the parameter. */
TP_API size_t tp_param_count(const tp_instance *self, const char *name);

/* The i-th value of the parameter. */
TP_API const char *tp_param_string_at(const tp_instance *self, const char *name, size_t i);
TP_API double tp_param_double_at(const tp_instance *self, const char *name, size_t i);

/* Name the parameter that an error of init is about: the error then has the place of that
 * parameter. `name` is borrowed until init returns. */
TP_API void tp_param_blame(tp_instance *self, const char *name);

/* The number of joined sections (TP_DRIVER_JOINS), at least 1. */
TP_API size_t tp_section_count(const tp_instance *self);

/* A parameter of a joined section; tp_param_string() and its siblings read the first section. */
TP_API const char *tp_section_string(const tp_instance *self, size_t section, const char *name);

/* Name the section that an error of init is about. */
TP_API void tp_section_blame(tp_instance *self, size_t section);

/* ---- Devices that it offers ------------------------------------------------------------------ */

/* Handles any message of a device, instead of typed operations. `answer` is zeroed, or NULL for a
 * message without an answer. What it points to is copied before the driver runs again. */
typedef tp_status tp_handler(tp_device *device, const tp_message *what, const void *ask,
                             void *answer, tp_error *err);

/* The number of addresses in `provides`. */
TP_API size_t tp_provides_count(const tp_instance *self);

/* The interface, key and section of the i-th address in `provides`. */
TP_API const tp_interface *tp_provides_interface(const tp_instance *self, size_t i);
TP_API const char *tp_provides_key(const tp_instance *self, size_t i); /* "" for none */
TP_API size_t tp_provides_section(const tp_instance *self, size_t i);

/* Whether `provides` has an address with this interface and key (NULL for any) that is not taken
 * yet. */
TP_API bool tp_provides(const tp_instance *self, const tp_interface *interface, const char *key);

/* Offer a device at the first free address of `provides` with this interface and key (NULL for
 * any). `ops` is the generated table of its interface, or NULL with a `handler`. From init only. */
TP_API tp_status tp_offer(tp_instance *self, const tp_interface *interface, const char *key,
                          const void *ops, tp_handler *handler, tp_device **out, tp_error *err);

/* Offer a device at the i-th address of `provides`. For drivers with many devices. From init only.
 */
TP_API tp_status tp_offer_at(tp_instance *self, size_t i, const void *ops, tp_handler *handler,
                             tp_device **out, tp_error *err);

/* Offer a device that `provides` does not list, with an index that the driver chooses, if
 * `provides` is empty. From init only. */
TP_API tp_status tp_offer_more(tp_instance *self, const tp_interface *interface, uint16_t index,
                               const void *ops, tp_handler *handler, tp_device **out,
                               tp_error *err);

/* The number of readers of the device. Data without readers need not be measured. */
TP_API uint32_t tp_device_readers(const tp_device *device);

/* A number that changes with the readers of any device of the instance. */
TP_API uint32_t tp_instance_readings(const tp_instance *self);

TP_API tp_instance *tp_device_instance(const tp_device *device);
TP_API const tp_devaddr *tp_device_addr(const tp_device *device);
TP_API const tp_interface *tp_device_interface(const tp_device *device);

/* Set the label of the device in lists: "left", "r0.laser". The text is copied. From init only. */
TP_API tp_status tp_device_set_label(tp_device *device, const char *label, tp_error *err);

/* Keep a pointer for the driver. */
TP_API void tp_device_set_context(tp_device *device, void *context);
TP_API void *tp_device_context(const tp_device *device);

/* Send data to all readers of the device; `value` is copied. `timestamp_s` is the time of the
 * measurement, 0 for now. TP_E_LIMIT if too much data of the instance is on its way to the loop, or
 * if the operation goes on to send data that no reader has room for; the message is dropped and
 * counted. */
TP_API tp_status tp_publish(tp_device *device, unsigned code, const void *value,
                            double timestamp_s);

/* The approximate number of messages of the instance that were not sent to their readers yet, as
 * far as these take them; each 16 KB of a large message count as one. A driver that can produce
 * data without pause waits until there are few, so that no queue overflows. */
TP_API uint32_t tp_instance_on_its_way(const tp_instance *self);

/* Poll the driver before its period is over, as soon as there is room: at most `few` messages of
 * the instance are on their way, no participant is behind (tp_device_keeps()), and a reader can
 * take data if the operation has tried to send some that none could take. Counts for the next poll
 * only. For a driver that produces data without pause. From any operation; without effect for a
 * driver on the loop. */
TP_API void tp_instance_await_room(tp_instance *self, uint32_t few);

/* Switch lossless mode: tp_publish() drops nothing, and readers of a device with tp_device_keeps()
 * receive all data. The driver itself checks how much is on its way (tp_instance_on_its_way(),
 * tp_device_behind()) and waits. From any operation. */
TP_API void tp_instance_keep_all(tp_instance *self, bool on);

/* Make the readers of the device participants of what the instance does. Clients without the right
 * to write to the device do not participate. From init only. */
TP_API void tp_device_keeps(tp_device *device);

/* The number of participants of a device with tp_device_keeps(). Any thread may call it. */
TP_API uint32_t tp_device_participants(const tp_device *device);

/* The number of readers of the device that are behind: unread data fills a quarter of their queue.
 * Clients that have taken nothing for ten seconds, clients in pull mode, and clients without the
 * right to write to the device are not counted. Any thread may call it. */
TP_API uint32_t tp_device_behind(const tp_device *device);

/* Repeat the last data of each kind to new readers of the device. Data from before a stop is
 * forgotten. From init only. */
TP_API tp_status tp_device_latch(tp_device *device, tp_error *err);

/* Set the geometry of the device (GET_GEOMETRY). From init or any later operation. Readers receive
 * changes, plain Player clients as Player's own GEOM if the interface has it and the driver answers
 * GET_GEOM; the server's tree of frames follows. The configuration overrides it. For a device
 * without it, the server asks the interface's own GET_GEOM, if the driver answers that. */
TP_API tp_status tp_device_set_geometry(tp_device *device, const tp_geometry *geometry);

/* A property of the device. Clients can read it and, if it is writable, set it. The value is a text
 * for PROPERTY_STRING and a number otherwise. Texts are borrowed as long as the instance. */
typedef struct tp_property_plan {
    const char *key;
    tp_property_type type;
    bool writable;
    const char *unit; /* "" for none */
    const char *doc;
    const char *value; /* the initial value */
    /* A client sets the property: TP_OK accepts the value. NULL accepts every value. */
    tp_status (*set)(tp_device *device, const char *key, const char *text, double number,
                     tp_error *err);
} tp_property_plan;

/* Add a property. The plan is borrowed as long as the property is there. From init or any later
 * operation except `set`. */
TP_API tp_status tp_device_add_property(tp_device *device, const tp_property_plan *plan,
                                        tp_error *err);

/* Remove a property that a device has only for a time, as settings of what is plugged in. From any
 * operation except `set`. A property that the device does not have is ignored. */
TP_API void tp_device_remove_property(tp_device *device, const char *key);

/* Read and set the value of a property, without calling `set`. From any operation. A property that
 * the device does not have is "" and 0. */
TP_API const char *tp_device_property_text(const tp_device *device, const char *key);
TP_API double tp_device_property_number(const tp_device *device, const char *key);
TP_API tp_status tp_device_set_property_text(tp_device *device, const char *key, const char *text);
TP_API tp_status tp_device_set_property_number(tp_device *device, const char *key, double number);

/* Add a counter: a property that only grows, such as bumps or metres driven. Clients read its total
 * as a property, and what was added since their last read with READ_AND_CLEAR; each client gets all
 * of it. The plan is of the type PROPERTY_DOUBLE, not writable, without `set`, and is borrowed as
 * long as the instance. At most 8 for a device. From init only. */
TP_API tp_status tp_device_add_counter(tp_device *device, const tp_property_plan *plan,
                                       tp_error *err);

/* Add to a counter. From any operation. TP_E_UNKNOWN if the device has no such counter;
 * TP_E_INVALID if the amount is negative or not finite. */
TP_API tp_status tp_device_count(tp_device *device, const char *key, double amount);

/* ---- Answering later ------------------------------------------------------------------------- */

/* Keep the current request open. Call it inside the operation for the request, return TP_PENDING
 * from the operation, and answer with the ticket later, from any operation of the same instance. */
TP_API tp_ticket *tp_device_defer(tp_device *device);

/* Answer the request and release the ticket. `value` is copied; NULL for a request without an
 * answer. */
TP_API void tp_ticket_answer(tp_ticket *ticket, const void *value);

/* Refuse the request and release the ticket. */
TP_API void tp_ticket_fail(tp_ticket *ticket, tp_status code, const char *text);

/* Whether the client still waits. The ticket must be released in any case. */
TP_API bool tp_ticket_is_wanted(const tp_ticket *ticket);

/* ---- Devices that it uses -------------------------------------------------------------------- */

/* The number of addresses in `requires`. */
TP_API size_t tp_requires_count(const tp_instance *self);

/* The interface and key of the i-th address in `requires`. */
TP_API const tp_interface *tp_requires_interface(const tp_instance *self, size_t i);
TP_API const char *tp_requires_key(const tp_instance *self, size_t i); /* "" for none */

/* Use the first device that `requires` lists with this interface and key (NULL for any; a key asks
 * for an entry with that key) and that is not used by an earlier call. It is opened when the
 * instance starts and closed when it stops, wherever it is: here, or on another server. From init
 * only. TP_E_UNKNOWN if there is none. */
TP_API tp_status tp_require(tp_instance *self, const tp_interface *interface, const char *key,
                            tp_link **out, tp_error *err);

/* The same for a device that can be away, for instance that of another server. The instance starts
 * without it, and also if it requires this one in turn. The first request to it opens it; requests
 * fail until it is open. Commands are lost until then. */
TP_API tp_status tp_require_loosely(tp_instance *self, const tp_interface *interface,
                                    const char *key, tp_link **out, tp_error *err);

TP_API const tp_interface *tp_link_interface(const tp_link *link);

/* The address of the device behind the link, as `requires` has it. */
TP_API const tp_devaddr *tp_link_addr(const tp_link *link);

/* Stop what the device behind the link moves: for the `halt` of drivers in front of another device.
 * The driver's own device counts as not stopped (tp_device_halting()) until the other one has
 * stopped. Does nothing during a panic, which stops every device as its own section says. */
TP_API void tp_link_halt(tp_link *link);

/* How long the client that has the device moved may be silent before it is stopped, for drivers
 * that let another server or process do the work: that one has to stop it if this one hangs. 0 for
 * no limit. From the operations of the driver. */
TP_API int64_t tp_device_silence_ns(const tp_device *device);

/* Report, in `halt`, that the device has not stopped yet, because another process or server does
 * its work. Until tp_device_halted() was called as often, panics name the device, HALT is not
 * answered, and readers receive no report of the stop. A stop of the instance ends that, too. */
TP_API void tp_device_halting(tp_device *device);

/* Report that the device has stopped. */
TP_API void tp_device_halted(tp_device *device);

/* The reason of the current `halt`, for drivers whose devices move without commands. */
TP_API tp_halt_reason tp_instance_halt_reason(const tp_instance *self);

/* Whether there is a panic, in which nothing may move. From any operation. */
TP_API bool tp_instance_in_panic(const tp_instance *self);

/* The number of the panic: odd while there is one, higher with every panic and every reset. From
 * any operation. */
TP_API unsigned tp_instance_panic_number(const tp_instance *self);

/* Set a callback for drivers that pass a panic on: `told` is called as an operation when a panic
 * begins, before the devices of the instance are halted, and when it is over. From init only. */
TP_API void tp_instance_on_panic(tp_instance *self, void (*told)(tp_instance *self));

/* The way to stop, one of tp_halt_way, that `halt` asks another server for. In a panic it is
 * TP_HALT_SO_OWN, unless the section of this instance defines another. */
TP_API unsigned tp_instance_halt_way(const tp_instance *self);

/* Send a command to the device; `value` is copied. TP_E_TIMEOUT if the command can move something
 * and the driver handles data that came to this program more than a second ago. */
TP_API tp_status tp_link_command(tp_link *link, unsigned code, const void *value);

/* Readers of the driver's own devices receive the reason when the device behind the link refuses
 * what the driver commands of its own accord: once until it obeys, or refuses for another reason.
 * Who commands a device of the driver receives the reason in any case, if the driver passes the
 * command on at once. From init only. */
TP_API void tp_link_report(tp_link *link);

/* The result of tp_link_request(): the answer, borrowed for the call, or the reason why there is
 * none. */
typedef void tp_link_done(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                          const char *why);

/* Send a request to the device. `done` is called once, as an operation of the instance; with
 * TP_E_TIMEOUT after `timeout_ns`. */
TP_API tp_status tp_link_request(tp_link *link, unsigned code, const void *value,
                                 int64_t timeout_ns, tp_link_done *done, void *context);

/* ---- Commands at a time ---------------------------------------------------------------------- */

/*
 * A grant lets a driver send the device behind a link commands that are carried out at given times.
 * It is asked for once and decided on the loop, which checks that the device runs, that there is no
 * panic, and that no client with exclusive access and no writer of a higher rank holds the device.
 * From then on commands go straight to the thread of the device's instance, which keeps them in
 * order of time. Right before it writes one, it checks the grant, its lease and the panic again.
 *
 *     tp_link_grant -> done(TP_OK) -> (post | renew | cancel | flush | hold | resume)* -> end
 *                   -> done(error)                                            or -> ended -> end
 *
 * Times are nanoseconds of the clock of the device's instance. Within a server this is the clock of
 * the driver, too: tp_instance_clock(). A command is never carried out before its time. A device
 * whose driver runs on the loop has the resolution of the loop's timers.
 *
 * A device has at most one grant. The grant takes the device as a command of the driver does: what
 * another writer has set in motion is stopped, and writers of a lower rank are refused while the
 * grant lasts. A grant ends when
 *   - its lease ends (TP_E_TIMEOUT): the device is stopped;
 *   - a panic begins (TP_E_PANIC): the panic stops the device; the grant stays over after the
 * reset;
 *   - another writer of the same or a higher rank moves the device, a client of the same or a
 * higher rank takes exclusive access, or anyone asks the device for HALT (TP_E_DENIED);
 *   - the device stops, fails or is removed (TP_E_DEVICE);
 *   - tp_grant_end() is called or the driver stops: the device is stopped.
 * Commands that wait when a grant ends are dropped and counted. A command that is being written at
 * that moment is completed.
 *
 * All calls belong to the thread of the instance that has asked. None waits. After tp_link_grant()
 * none allocates.
 */

/* The decision; called once, as an operation of the instance. `grant` is NULL unless `status` is
 * TP_OK; then `why` is "", or what the grant is without. `why` is borrowed for the call. */
typedef void tp_grant_done(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                           const char *why);

/* The grant has ended, not by tp_grant_end(); called once, as an operation of the instance. The
 * handle stays valid until tp_grant_end(). `why` is borrowed for the call. */
typedef void tp_grant_ended(tp_instance *self, void *context, tp_grant *grant, tp_status status,
                            const char *why);

typedef struct tp_grant_options {
    size_t size;       /* sizeof(tp_grant_options); 0 for the fields up to `context` */
    uint32_t capacity; /* how many commands can wait at the same time; 1 to 65536 */
    /* The most bytes that a command takes, with all that its pointers point to. 0 for the largest
     * struct among the commands of the interface. */
    size_t value_size;
    /* How long the grant lasts after the last tp_grant_renew(); 0 for no limit. The lease of the
     * device's section in the configuration, if it has one, is the maximum. */
    int64_t lease_ns;
    tp_grant_done *done;
    tp_grant_ended *ended; /* NULL for none */
    void *context;         /* for both */
    /* Real-time priority (1 to 99) of the thread that carries the commands out, as long as the
     * grant lasts; 0 for none. That thread then also executes everything else of its driver before
     * all programs without such a priority. If the system does not permit it, the grant is given
     * without, and `why` of `done` reports that. */
    uint32_t realtime;
} tp_grant_options;

/* Ask for a grant. The options are copied. Takes all memory that the grant will need. TP_E_INVALID
 * for options that are not valid, TP_E_UNSUPPORTED for those of a newer header, TP_E_CLOSED while
 * the driver stops. Otherwise `done` is called, with TP_E_DEVICE if the device does not run,
 * TP_E_PANIC, TP_E_DENIED if another writer holds the device, or TP_E_EXISTS if the link has a
 * grant already. */
TP_API tp_status tp_link_grant(tp_link *link, const tp_grant_options *options);

/* Have a command carried out at `due_ns`, or at once if that is past. `value` is copied. Commands
 * with equal times are carried out in the order of posting. A command that cannot be written within
 * the length of the lease, from its time or from its posting, whichever is later, is dropped.
 * TP_E_LIMIT if `capacity` commands wait already, TP_E_SPACE if the value is over `value_size`,
 * TP_E_UNKNOWN for a code that the interface does not have, TP_E_CLOSED if the grant has ended. */
TP_API tp_status tp_grant_post(tp_grant *grant, int64_t due_ns, unsigned code, const void *value);

/* Renew the lease: it ends `lease_ns` from now. TP_E_TIMEOUT if it has ended already. */
TP_API tp_status tp_grant_renew(tp_grant *grant);

/* Drop what is due at `from_ns` or later. Returns how many commands were dropped; none of them is
 * carried out any more. What is posted afterwards is not affected. */
TP_API uint32_t tp_grant_cancel(tp_grant *grant, int64_t from_ns);

/* Drop everything that waits. Returns how many commands were dropped. */
TP_API uint32_t tp_grant_flush(tp_grant *grant);

/* Carry out nothing until tp_grant_resume(). The device goes on with what the last command asked
 * for. The lease goes on, too: it has to be renewed. While held, tp_grant_cancel() takes times as
 * they were before the hold. */
TP_API void tp_grant_hold(tp_grant *grant);

/* Go on. Everything that waits is due later by the time that the grant was held, so that the
 * distances between commands stay. Nothing is dropped. */
TP_API void tp_grant_resume(tp_grant *grant);

/* What has become of the commands. `posted` is the sum of all others but the last two. */
typedef struct tp_grant_counts {
    uint64_t posted;
    uint64_t waiting;
    uint64_t played;         /* carried out */
    uint64_t refused;        /* by the driver of the device */
    uint64_t dropped_late;   /* too late to be written */
    uint64_t dropped_panic;  /* waited when a panic began */
    uint64_t dropped_end;    /* waited when the grant ended otherwise */
    uint64_t cancelled;      /* by tp_grant_cancel() and tp_grant_flush() */
    int64_t last_late_ns;    /* how long after its time the last one was written */
    int64_t longest_late_ns; /* the longest of these */
} tp_grant_counts;

/* Read the counts. They change while they are read. */
TP_API void tp_grant_look(const tp_grant *grant, tp_grant_counts *out);

/* The lease that was granted; 0 for no limit. */
TP_API int64_t tp_grant_lease_ns(const tp_grant *grant);

/* End the grant and release the handle. What waits is dropped and the device is stopped, unless the
 * grant has ended before. NULL is accepted. */
TP_API void tp_grant_end(tp_grant *grant);

#ifdef __cplusplus
}
#endif
#endif
