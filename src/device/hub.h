/*
 * hub.h - the registry: all instances and devices of a server, and what happens between them.
 *
 * The loop's thread owns the hub, its devices, their readers and the phases of instances. Driver
 * code runs on the instance's worker (or on the loop); the two talk in jobs and tasks.
 *
 * Phases of an instance:
 *
 *     IDLE -> STARTING -> RUNNING -> STOPPING -> IDLE
 *                |            |
 *                v            v
 *              IDLE         FAILED -> STARTING (restart)
 *
 * An instance that is removed goes to STOPPING from wherever it is, and does not come back.
 */
#ifndef TROUPE_DEVICE_HUB_H
#define TROUPE_DEVICE_HUB_H

#include "bus/msg.h"
#include "platform/line.h"
#include "safety/panic.h"
#include "safety/rank.h"
#include "safety/safety.h"
#include "troupe/driver.h"
#include "troupe/front.h"
#include "troupe/loop.h"

typedef struct tpi_hub tpi_hub;

/* Robots with this number and above stand for other servers: their devices are for drivers only. */
enum { TPI_FIRST_FAR_ROBOT = 0x10000 };

/* ---- Settings: what the configuration says about an instance --------------------------------- */

typedef struct tpi_setting_value {
    const char *text; /* as written */
    double number;    /* lengths in metres, angles in radians; not a number for words */
} tpi_setting_value;

/* Borrowed by the hub until the instance is destroyed. */
typedef struct tpi_setting {
    const char *name;
    const tpi_setting_value *values;
    uint32_t value_count;
} tpi_setting;

typedef struct tpi_wanted {
    const char *key; /* "" for none */
    tp_devaddr addr;
    const tp_interface *interface;
    uint32_t section; /* of those that were joined; 0 for the first */
} tpi_wanted;

/* Where a device sits, as far as the configuration says so. */
typedef struct tpi_place {
    tp_devaddr addr;
    bool has_pose;
    bool has_size;
    tp_pose3d pose;
    tp_bbox3d size;
    const char *frame; /* NULL for the usual names */
    const char *parent;
} tpi_place;

/* What one more section says about the same instance. */
typedef struct tpi_joined {
    const tpi_setting *settings;
    uint32_t setting_count;
    int64_t lease_ns; /* as in the blueprint; 0 for that of the first section */
    bool own_panic;   /* as in the blueprint; false for that of the first section */
    tp_halt panic;
} tpi_joined;

typedef struct tpi_blueprint {
    const tp_driver *driver;
    const tpi_setting *settings;
    uint32_t setting_count;
    const tpi_joined *joined; /* sections beyond the first, of drivers that join them */
    uint32_t joined_count;
    unsigned robot; /* of devices that `provides` does not list */
    const tpi_wanted *provides;
    uint32_t provide_count;
    const tpi_wanted *requires;
    uint32_t require_count;
    const tpi_place *places;
    uint32_t place_count;
    const tpi_rank *ranks; /* the first that fits a writer counts */
    uint32_t rank_count;
    bool extensions;      /* clients need not ask for them */
    tp_right write_needs; /* messages that write need at least this right */
    bool always_on;
    int64_t lease_ns; /* of the movers of its devices; 0 for the client's own, -1 for none */
    bool own_panic;   /* its devices are stopped in a panic as `panic` says, not as all others */
    tp_halt panic;
    int64_t restart_ns;      /* how long after a failure it is started again; 0 for never */
    const char *robot_name;  /* label of its devices; NULL for what the driver says */
    const char *in_place_of; /* the driver that runs in a process of its own; NULL for none */
    const char *guard;       /* what is written to its lines if the server dies */
    size_t guard_length;     /* 0 for what the driver says */
} tpi_blueprint;

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_hub_create(tpi_hub **out, tp_loop *loop, const tp_catalogue *catalogue,
                         tp_error *err);

/* Stops everything, waits for all workers and releases all instances. No session may be left.
 * Instances that are not enrolled may still be prepared and discarded on another thread. False if
 * the drivers have not ended after `patience_ns` of the real clock: notes name them, and nothing is
 * released. */
bool tpi_hub_stop(tpi_hub *hub, int64_t patience_ns);

/* The same without a limit, and releases the hub. */
void tpi_hub_destroy(tpi_hub *hub);

/* For ports of drivers: kinds of lines beside serial and script (ended by NULL, may be NULL), and
 * the folder where relative names of scripts begin ("" or with a slash at its end). Both are
 * borrowed. */
void tpi_hub_set_lines(tpi_hub *hub, const tp_scheme *const *schemes, const char *folder);

/* Whom to tell what drivers find odd. Borrowed; NULL for nobody. */
void tpi_hub_set_note(tpi_hub *hub, void (*note)(void *context, const char *text), void *context);

/* The program that guards lines, a path or a name to be searched for; borrowed. NULL for the usual
 * name. */
void tpi_hub_set_guard(tpi_hub *hub, const char *program);

/* The server is a process of another one, for one of its drivers: so guards say that the driver's
 * process has died, not the server. `name` is what that server calls the driver; borrowed, or NULL.
 */
void tpi_hub_set_part(tpi_hub *hub, bool part_of_another, const char *name);

/* From the handler of a signal that ends the process: guards write now, and nobody else does. */
void tpi_hub_crash(tpi_hub *hub);

tp_loop *tpi_hub_loop(const tpi_hub *hub);
tpi_panic *tpi_panic_of(const tpi_hub *hub);

const tp_catalogue *tpi_hub_catalogue(const tpi_hub *hub);

/* Told in a sentence of each panic that begins, that is raised once more, or that is over; from the
 * loop. The text has what clients say in it. */
void tpi_hub_watch_panic(tpi_hub *hub, void (*changed)(void *context, const char *text),
                         void *context);

/* How devices are stopped in a panic. */
void tpi_hub_set_panic_action(tpi_hub *hub, tp_halt how);

/* ---- The layer above ------------------------------------------------------------------------- */

/* What the hub asks of its clients, which belong to a layer above. */
typedef struct tpi_clients_ops {
    /* On the loop: a panic was raised, raised again or reset. */
    void (*panic_changed)(void *clients, const tp_panic_state *panic);
    /* On the loop: the label of a client that has the device exclusively and keeps a writer of this
     * rank out; NULL for none. Borrowed. */
    const char *(*keeps_out)(void *clients, const tp_device *device, int32_t rank);
    /* The hub ends. */
    void (*destroy)(void *clients);
} tpi_clients_ops;

/* `clients` is destroyed with the hub. */
void tpi_hub_set_clients(tpi_hub *hub, const tpi_clients_ops *ops, void *clients);
void *tpi_hub_clients(const tpi_hub *hub); /* NULL before that */

/* A sentence for the operator; on the loop. */
void tpi_hub_note(const tpi_hub *hub, const char *text);

/* Whether the server is a process of another one. */
bool tpi_hub_is_part(const tpi_hub *hub);

/* When it was made, by the clock. */
int64_t tpi_hub_begun_ns(const tpi_hub *hub);

/* ---- Panic ----------------------------------------------------------------------------------- */

/* The texts of a state, which borrows them. */
typedef struct tpi_panic_texts {
    tpi_panic_state state;
    char owing[512]; /* drivers that have not stopped yet, with commas between */
} tpi_panic_texts;

void tpi_panic_watch_look(const tpi_hub *hub, tpi_panic_texts *texts, tp_panic_state *out);

/* End the panic of this epoch; false if there is another one. `by` is for the owner's report. */
bool tpi_hub_reset_panic(tpi_hub *hub, unsigned epoch, const char *by);

/* ---- Instances ------------------------------------------------------------------------------- */

/* Make an instance: runs its init on this thread. Fails with the driver's sentence. */
tp_status tpi_hub_add(tpi_hub *hub, const tpi_blueprint *blueprint, tp_instance **out,
                      tp_error *err);

/* What is around an instance while it is prepared. */
typedef struct tpi_building {
    void (*note)(void *context, const char *text); /* receives its notes; NULL for the hub's */
    void *context;
    size_t blamed;            /* out: the joined section that a failure is about; 0: the first */
    const char *blamed_param; /* out: the parameter that it is about; NULL for none */
} tpi_building;

/* The same in steps. `prepare` runs its init, on any thread: nothing of it is the loop's yet, and
 * it has no thread, no descriptor and no timer. The others are for the loop. `enrol` gives it what
 * belongs to the loop, and room for its devices. `register` shows its devices; it enrols an
 * instance that is not, and otherwise cannot fail. One that is not registered is discarded: on the
 * loop, or on any thread if it is not enrolled. `building` may be NULL. */
tp_status tpi_hub_prepare(tpi_hub *hub, const tpi_blueprint *blueprint, tpi_building *building,
                          tp_instance **out, tp_error *err);
tp_status tpi_hub_enrol(tp_instance *instance);
tp_status tpi_hub_register(tp_instance *instance);
void tpi_hub_discard(tp_instance *instance);

/* Instances that have lost a device start if it is there again; after `register`. */
void tpi_hub_find_again(tpi_hub *hub);

/* Its devices, one after the other, first behind NULL; and whether its driver uses one. Also while
 * it is only prepared. */
const tp_device *tpi_instance_next_device(const tp_instance *instance, const tp_device *behind);
bool tpi_instance_uses(const tp_instance *instance, const tp_devaddr *addr);

/* Some for others, all together. */
typedef struct tpi_exchange {
    tp_instance *const *leaving; /* registered */
    size_t leaving_count;
    tp_instance *const *coming; /* prepared */
    size_t coming_count;
} tpi_exchange;

/* Whether an exchange would be right: no address twice, no frames in each other. Nothing changes.
 * `wrong` (may be NULL) is which of the coming ones would be wrong. */
tp_status tpi_hub_check(tpi_hub *hub, const tpi_exchange *exchange, size_t *wrong, tp_error *err);

/* The same in two steps: a copy of what counts of all registered devices, made on the loop; and the
 * check against it, on the thread that prepares the coming ones. */
typedef struct tpi_roll tpi_roll;
tp_status tpi_roll_create(tpi_roll **out, const tpi_hub *hub, tp_error *err);
void tpi_roll_destroy(tpi_roll *roll); /* NULL is accepted */
tp_status tpi_roll_check(const tpi_roll *roll, const tpi_exchange *exchange, size_t *wrong,
                         tp_error *err);

/* Take the devices of many instances from the list in one pass; `remove` follows for each. */
void tpi_hub_unlist(tpi_hub *hub, tp_instance *const *leaving, size_t count);

/* Remove an instance while the server runs. Its devices are gone at once; their readers receive a
 * report and closed. The driver stops where it runs and is released later; then `done` (may be
 * NULL) is called, from the loop. Does not wait. */
void tpi_hub_remove(tp_instance *instance, void (*done)(void *context), void *context);

/* Start what is always on. `failed` is called for each that does not start; later, from the loop.
 */
void tpi_hub_begin(tpi_hub *hub,
                   void (*failed)(void *context, const tp_instance *instance, const char *why),
                   void *context);

/* Start this one if it is always on and has never been started. */
void tpi_instance_begin(tp_instance *instance);

/* ---- Devices --------------------------------------------------------------------------------- */

size_t tpi_hub_device_count(const tpi_hub *hub);
tp_device *tpi_hub_device_at(const tpi_hub *hub, size_t i); /* in the order of the configuration */
tp_device *tpi_hub_find(const tpi_hub *hub, unsigned robot, unsigned interf, unsigned index);
const char *tpi_device_driver_name(const tp_device *device);
const char *tpi_device_name(const tp_device *device);  /* "position2d:0" */
const char *tpi_device_label(const tp_device *device); /* "" for none */

/* Changes with the list of devices. */
unsigned tpi_hub_device_changes(const tpi_hub *hub);

/* What the configuration says about its instance. */
const tpi_blueprint *tpi_device_plan(const tp_device *device);

/* The lease that its section names; 0 for none, less than 0 for no limit. */
int64_t tpi_device_lease_ns(const tp_device *device);

/* Whether it moves nothing real: its driver is a simulation, or uses devices of simulations only.
 */
bool tpi_device_is_simulated(const tp_device *device);

/* Leases, ranks and stops of the device. */
tpi_device_safety *tpi_device_safety_of(tp_device *device);
const tpi_device_safety *tpi_device_safety_look(const tp_device *device);

/* What it has done so far, without what clients have to do with it; texts are borrowed. */
void tpi_device_describe(const tp_device *device, tp_device_stat *out);

/* A message to it was refused before the driver saw it. */
void tpi_device_count_refusal(tp_device *device);

/* Messages that readers got so far; with or without those that Player does not have. */
uint64_t tpi_device_published(const tp_device *device, bool with_news);

/* ---- Readers of a device's data -------------------------------------------------------------- */

typedef struct tpi_reader {
    tp_device *device; /* borrowed; NULL while it is not attached */
    /* A message has come; borrowed for the call. */
    void (*deliver)(struct tpi_reader *reader, tp_msg *msg);
    /* The device was removed, and the reader is not attached any more. Optional. */
    void (*closed)(struct tpi_reader *reader);
    void *context;
    bool paused; /* it gets no messages */
    /* It needs the bytes of this encoding only, so it may get messages without payload. NULL for
     * payloads. Set before it is opened. */
    const tp_encoding *takes;
    bool conforms; /* publish.c's: it takes what most readers of the device take */
    struct tpi_reader *next;
    struct tpi_reader *previous;
} tpi_reader;

/* Opening takes time: the device may have to start. `done` is called once (perhaps before open
 * returns), with TP_OK when the reader is attached, or why not. */
typedef struct tpi_opening {
    tpi_reader *reader;
    tp_device *device;
    void (*done)(struct tpi_opening *opening, tp_status status, const tp_error *err);
    void *context;
    struct tpi_opening *next;
} tpi_opening;

/* Memory of both is the caller's. Until `done`, tpi_device_give_up() cancels. */
void tpi_device_open(tp_device *device, tpi_opening *opening);
void tpi_device_give_up(tpi_opening *opening);

/* Detach a reader; the last one of an instance stops it. */
void tpi_device_close(tpi_reader *reader);

/* A reader without room for messages is put aside, and taken back. */
void tpi_reader_pause(tpi_reader *reader, bool paused);

/* The reader that alone may write; NULL for none. It is not looked at here. */
tpi_reader *tpi_device_holder(const tp_device *device);
void tpi_device_set_holder(tp_device *device, tpi_reader *holder);

/* There is a new holder: a grant of a driver that it keeps out ends, and what such a driver moves
 * is stopped. */
void tpi_device_taken_exclusively(tp_device *device);

/* A reader has fallen behind, or has caught up. */
void tpi_device_count_behind(tp_device *device, bool behind);

/* Whether its readers take part in what the instance does. */
bool tpi_device_keeps(const tp_device *device);

/* A reader of such a device begins, or ceases, to be no participant: it has no right to be one. */
void tpi_device_count_onlookers(tp_device *device, bool one_more);

/* A message with the reason of a failure, as readers get it; the caller's. NULL without memory. */
tp_msg *tpi_device_failure(const tp_device *device, tp_status code, const char *text);

/* On the loop: such a message for all its readers. */
void tpi_device_deliver_failure(tp_device *device, tp_status code, const char *text);

/* ---- Calls: commands and requests to a device ------------------------------------------------ */

/* From the loop to the device and back. Made with tpi_call_create(), ended by `done`. */
typedef struct tpi_call tpi_call;

/* How a call ended. `answer` is the reply message (type ACK), NULL unless TP_OK; borrowed. */
typedef void tpi_call_done(void *context, tp_status status, tp_msg *answer, const tp_error *err);

/* Send a message to a device that is running. `done` may be called before it returns, and is not
 * called at all if it is NULL (commands). The call keeps a reference to `ask`. TP_E_LIMIT if the
 * device has too much to do; `done` is not called then. */
tp_status tpi_device_call(tp_device *device, const tp_message *what, tp_msg *ask,
                          tpi_call_done *done, void *context, tpi_call **out);

/* The same on the terms of a claim, if the message moves something. */
tp_status tpi_device_call_for(tp_device *device, const tp_message *what, tp_msg *ask,
                              const tpi_claim *claim, tpi_call_done *done, void *context,
                              tpi_call **out);

/* ---- Movers: the origin of motions --------------------------------------------------------------
 */

/* A message of the mover has come: its lease on the device is renewed. */
void tpi_device_heard(tp_device *device, const tpi_mover *mover, int64_t lease_ns);

/* The mover is gone: what it moved is stopped at once, and readers receive the reason. */
void tpi_device_left(tp_device *device, const tpi_mover *mover, tpi_leaving why);

/* The ranks that the configuration gives for the device. */
tpi_rank_list tpi_device_ranks(const tp_device *device);

/* The instance whose driver runs in a process of its own and has this name; NULL for none. */
const tp_instance *tpi_hub_find_isolated(const tpi_hub *hub, const char *name);

/* Set rank and hold time of a driver that writes to the device. */
void tpi_mover_rank_driver(const tp_instance *user, const tp_device *device, tpi_claim *claim);

/* The asker is gone: `done` will not be called. */
void tpi_call_abandon(tpi_call *call);

/* Whether the instance of the device is running. */
bool tpi_device_is_running(const tp_device *device);

#endif
