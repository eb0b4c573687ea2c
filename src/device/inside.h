/*
 * inside.h - the structs behind the device layer, for the files of this folder, and what they
 * share. What every device answers is in answers.h.
 */
#ifndef TROUPE_DEVICE_INSIDE_H
#define TROUPE_DEVICE_INSIDE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "device/hub.h"
#include "device/index.h"
#include "device/timed.h"
#include "platform/thread.h"
#include "port/owner.h"
#include "troupe/front.h"

enum {
    /* What of an instance is on its way from its thread to the sockets, as the work that it is for
     * the loop: 256 messages that nobody reads, 130 for 500 readers, 52 for 2,000, since what a
     * socket takes at once costs little more than a single message; and some for each further
     * device, so that an instance with thousands can send data of all of them at once. */
    MOST_IN_FLIGHT = 16384,
    MORE_FOR_A_DEVICE = 512,
    BURDEN_OF_MESSAGE = 64, /* and 1 for each READERS_OF_BURDEN readers */
    READERS_OF_BURDEN = 8,
    MOST_IN_VAIN = 64,        /* messages that no reader had room for, in one operation */
    BYTES_OF_MESSAGE = 16384, /* each so many of a large one count as one more */
    MOST_WAITING = 4096,      /* jobs that wait for an instance */
    MOST_YIELDING = 2048,     /* the same: no more of these if one more would yield to others */
    MANY_DEVICES = 256,       /* from here on it pays to look them up in a table */
};

enum { PLACE_NAME = 64 }; /* longest name of a frame, with its NUL */

/* Of instances: their driver's, cut if it is longer, and a number. */
enum { LONGEST_DRIVER = 37, INSTANCE_NAME = LONGEST_DRIVER + 11, NAME_BUCKETS = 1024 };

typedef enum phase { IDLE, STARTING, RUNNING, STOPPING, FAILED } phase;

/* Something an instance has to do, one at a time. */
typedef struct job {
    tpi_item item;
    void (*run)(struct job *job, tp_instance *self);
    bool yields; /* it waits while there are others; its order among those that yield is kept */
} job;

typedef struct outcome {
    tp_status status;
    tp_error error;
} outcome;

/* Where a device sits, as far as its driver says so. */
struct place {
    uint8_t known; /* one of geometry_known */
    tp_pose3d pose;
    tp_bbox3d size;
    char frame[PLACE_NAME]; /* "" for the usual names */
    char parent[PLACE_NAME];
};

/* A device's frame of reference. */
struct frame {
    char name[PLACE_NAME];
    char parent[PLACE_NAME];
    tp_pose3d pose; /* in the parent */
    double timestamp_s;
    bool known;

    /* Of a localizer: where it believes the base to be, if that waits for the odometry. */
    bool waiting;
    tp_pose3d believed;
    double believed_s;
};

/* geometry.c: where a device sits. */
struct geometry {
    char frame[PLACE_NAME]; /* the usual names */
    char parent[PLACE_NAME];
    const tpi_place *configured; /* borrowed: of the blueprint; NULL for none */
    const tp_message *question;  /* the interface's own question for geometry, or NULL */
    struct place own;            /* the instance's: what its driver has set */
    bool has_own;
};

/* geometry_told.c: Player's own data about geometry. */
struct told {
    const tp_message *question; /* whose answer is sent; NULL for none */
    const tp_message *data;
    tpi_task task;
    atomic_bool asked; /* the driver is asked, or will be */
};

/* property.c: where the instance runs. */
struct properties {
    struct property *all; /* owned array */
    tp_property *list;    /* owned array: as clients see them */
    uint32_t count;
    char *label; /* owned: which of its kind the device is; NULL if nobody said */
};

enum { MOST_COUNTERS = 8 }; /* of a device */

/* counter.c: where the instance runs. Their totals are properties. */
struct counters {
    const tp_property_plan *plans[MOST_COUNTERS]; /* borrowed */
    uint32_t count;
    int64_t run; /* 0 without counters */
};

/* What a device has been asked so far. */
struct counts {
    uint64_t commands;
    uint64_t requests;  /* that were answered */
    uint64_t failed;    /* that were not */
    uint64_t refused;   /* commands by the driver; whatever by us, before it saw them */
    int64_t latency_ns; /* of both, in all */
    int64_t longest_ns;
};

/* What the readers of a device take, and whether any takes something: publish.c and reader.c. */
struct forms {
    const tp_encoding *encoding; /* of the first of them; NULL for none. The loop's, as the next */
    uint32_t same;               /* how many take nothing but these bytes */
    uint32_t others;
    _Atomic(const tp_encoding *) all; /* what all of them take, for the driver's thread */
    atomic_uint takers;               /* readers that are not paused */
    atomic_ullong skipped; /* data that was not made because no reader would have taken it */
};

struct tp_device {
    tp_instance *instance; /* borrowed: it owns the device */
    const tp_interface *interface;
    const void *ops;
    tp_handler *handler;
    tp_devaddr addr;
    char name[64];               /* "position2d:0" */
    void *context;               /* the driver's */
    tpi_reader *readers;         /* borrowed; the loop's */
    tpi_reader *paused;          /* those without room for messages */
    struct delivery *deliveries; /* under way, innermost first; the loop's */
    uint32_t reader_count;       /* the loop's */
    atomic_uint has_readers;     /* the same, for the driver's thread */
    struct forms forms;
    atomic_uint behind;    /* readers that are behind with reading */
    atomic_uint onlookers; /* readers without the right to take part, if it keeps */
    bool keeps;            /* its readers take part in what the instance does */
    struct counts counts;  /* the loop's */
    atomic_ullong dropped; /* data that was too much at once */
    uint64_t published;    /* the loop's */
    tp_msg **latched;      /* owned: the last data, by message; NULL if it does not latch */
    uint64_t news;         /* those of them that Player does not have */
    bool follows;          /* its data moves its frame */
    struct frame frame;    /* the loop's */
    struct geometry geometry;
    struct told told;
    struct properties properties;
    struct counters counters;
    tpi_reader *holder; /* borrowed: the only one that may write; NULL for none; the loop's */
    uint32_t section;   /* of the instance, that it is of */
    bool listed;        /* among the hub's devices; registry.c's */
    tpi_device_safety safety;
    tp_grant *granted; /* borrowed: the grant that holds it; NULL for none; the loop's */
    tp_device *next;   /* of the instance */
};

/* A message that is being handed to the readers of a device. They may close themselves and each
 * other, and open the device again, while it is. */
struct delivery {
    tpi_reader *next; /* the reader that comes next */
    struct delivery *outer;
};

struct tp_link {
    tp_instance *instance; /* borrowed: it owns the link */
    tpi_wanted wanted;
    uint32_t entry;      /* which one of `requires` it takes */
    tpi_mover mover;     /* as which it moves the device */
    tpi_reader reader;   /* the loop's */
    tpi_opening opening; /* the loop's */
    bool is_loose;       /* the instance starts without it */
    bool is_opening;     /* the loop's: a loose one is being opened */
    bool reports;        /* readers hear also which commands of the driver's own are refused */
    tp_status refused;   /* the loop's: why the last command was that is reported; TP_OK if not */
    tp_link *next;
};

/* naming.c */
struct name_place {
    bool named;        /* it has its name, and is in the table */
    unsigned number;   /* in the name */
    tp_instance *next; /* with the same hash */
};

/* param.c: what the driver declares. */
struct fallbacks {
    tpi_setting *all; /* of the arena: one for each declared parameter */
    uint32_t count;
};

/* jobs.c: what an instance has to do. */
struct jobs {
    tpi_inbox inbox;
    atomic_int waiting;

    /* The instance's thread. */
    bool busy;       /* inside an operation */
    bool started;    /* the driver is */
    tpi_item *aside; /* jobs that yield, oldest first */
    tpi_item *aside_last;
    int64_t aside_ns; /* before that time none of them runs */

    /* The loop's. */
    void (*idle)(tp_instance *self); /* it runs no more, and nothing is under way; NULL before */
    bool idle_posted;
    tpi_task idle_task;
};

/* worker.c: where the operations of an instance run. */
typedef struct worker_events {
    /* On the loop: the start has ended, the stop has, it has failed while running. */
    void (*started)(tp_instance *self, tp_status status, tp_error *err);
    void (*stopped)(tp_instance *self);
    void (*failed)(tp_instance *self, tp_status status, tp_error *err);
} worker_events;
struct worker {
    const worker_events *events;
    tpi_thread *thread; /* owned; NULL on the loop */
    tpi_bell bell;
    tp_after turn;          /* of drivers on the loop: work off the inbox */
    tp_timer *poll_timer;   /* owned: of drivers on the loop; else NULL */
    bool polling;           /* the loop's: it runs, and may be polled */
    tp_timer *alarm;        /* owned: wakes the thread by a clock that is not the real one */
    atomic_llong alarm_ns;  /* when the thread wants to be woken */
    atomic_bool alarm_sent; /* the task is on its way to the loop */
    tpi_task alarm_task;
    atomic_bool quitting; /* nobody waits for anything any more */
    bool dismissed;       /* the quit_job is posted */
    job start_job;
    job stop_job;
    job quit_job;
    tpi_task started_task;
    tpi_task stopped_task;
    tpi_task failed_task;

    /* The instance's thread. */
    bool start_pending; /* start has begun, and its end will be reported */
    bool quit;
    int64_t period_ns;
    int64_t next_poll_ns;

    bool launched; /* the loop's: it has a thread, or had one */

    /* How the last start went, and why it failed while running: written where the instance runs,
     * read by the loop when the task has come. */
    outcome start;
    outcome failure;
};

/* call.c: the requests that an instance handles. */
struct calls {
    void *scratch;      /* owned: room for an answer */
    void *spare;        /* in the same block: room for another one */
    tpi_call *current;  /* the request that is being handled; NULL once it is answered */
    tp_status answered; /* how it was, if by its ticket and at once */
    tpi_call *tickets;  /* requests that wait for a later answer; borrowed */
};

/* link.c: the devices that an instance uses. */
struct links {
    tp_link *first;   /* owned list */
    uint32_t settled; /* that have an answer while starting */
    tp_status status; /* why it cannot start */
    tp_error error;
    void (*done)(tp_instance *self, tp_status status, tp_error *err);
    uint64_t dropped;               /* data that was too much */
    const struct data_job *handled; /* borrowed; the instance's thread: NULL for none */
};

/* errand.c: its requests to them. The instance's thread. */
struct errands {
    struct errand *first; /* borrowed */
    bool closed;          /* what is open is being ended; nothing new is begun */
    atomic_int out;       /* that are under way */
};

/* phase.c: the phase of an instance, and its users. The loop's. */
typedef struct phase_hooks {
    /* Open what the driver uses, and call tpi_phase_connected() when that has an answer. */
    void (*connect)(tp_instance *self);
    void (*disconnect)(tp_instance *self);
    /* Whether all that it uses is there. */
    bool (*can_connect)(const tp_instance *self);
    /* It runs. */
    void (*running)(tp_instance *self);
} phase_hooks;
struct life {
    const phase_hooks *hooks;
    phase phase;
    uint32_t users;
    tpi_opening *waiting; /* openings that wait for the start, oldest first; borrowed */
    tp_timer *timer;      /* owned: restarts */

    /* A device that it uses was removed: it stops, and starts again when the device is back. */
    bool lost;
    bool lose_sent;
    char lost_why[256]; /* read where it runs, once that was sent */
    job lose_job;
};

/* remove.c. The loop's. */
struct removal {
    bool begun;
    void (*done)(void *context);
    void *context; /* borrowed */
    tpi_task left_task;
    job leave_job;
};

/* remove.c: instances that are released, on a thread. The loop's. */
struct retirements {
    struct retirement *waiting; /* owned: newest first */
    struct retirement *batch;   /* owned: those that the thread releases */
    tpi_thread *thread;         /* owned; NULL for none */
    tpi_task task;              /* it is at its end */
};

/* trouble.c. The loop's. */
struct trouble {
    char told[256];  /* the last failure that was reported to the owner; "" if it works */
    char cause[256]; /* why it does not work; "" if it does */
    bool is_on;      /* it runs, but what does its work is away */
};

/* section.c: a note for the operator. */
struct note {
    atomic_bool sent; /* the task is on its way to the loop */
    char text[256];   /* the loop's while it is, else the thread's */
    tpi_task task;
};

/* publish.c: data on its way to the loop, as the work that it is for the loop. A message is made,
 * then delivered, then sent. Each count has one writer and only grows, so that none of them needs a
 * locked instruction; what is under way is the difference of two. */
struct made_data {
    atomic_uint work; /* written where the instance runs */
    atomic_size_t bytes;
};

struct done_data {
    atomic_uint delivered; /* the loop's. Of what is made: the readers have it; */
    atomic_size_t bytes_delivered;
    atomic_uint sent; /* and the loop has sent what it was given before */
};

/* Otherwise one more than the messages that may still be on their way. */
enum room_awaited { ROOM_NOT_AWAITED = 0, ROOM_HAS_COME = UINT32_MAX };

struct output {
    struct made_data made;
    struct done_data done;
    uint32_t vain;             /* skipped in a row, in this operation; where the instance runs */
    _Atomic(tp_device *) full; /* borrowed: the one that this was for; NULL for none */
    atomic_uint behind;        /* readers that are behind, of devices that keep */
    atomic_uint awaited;       /* what tp_instance_await_room() waits for: one of room_awaited */
    const tpi_bell *bell;      /* borrowed: of the thread */
    tp_after sent;             /* behind what is sent */
    bool keeps_all;            /* nothing is dropped; where the instance runs */
    unsigned most_in_flight;   /* made with its devices and then left as it is */
    atomic_uint readings;      /* changes with the readers of any device */
};

struct tp_instance {
    tpi_hub *hub; /* borrowed */
    tpi_blueprint blueprint;
    char name[INSTANCE_NAME];
    char label[INSTANCE_NAME + 16]; /* as a mover */
    tpi_arena arena;                /* what lives as long as the instance */
    void *state;                    /* owned: the driver's */
    bool *taken;                    /* of the arena: device.c: which of `provides` are offered */
    tp_device *devices;             /* owned list */
    tp_device **last;               /* borrowed: where the next one goes */
    bool on_loop;                   /* its jobs run there: always, or while it has no thread */
    bool made;                      /* init was called, so fini has to be */
    bool enrolled;                  /* it is in the hub's list, and has its timers */
    bool added;                     /* it is in the registry, and its devices are */
    tpi_building *building;         /* borrowed, while it is prepared; may be NULL */
    tp_instance *next;              /* of the hub */
    tp_instance *previous;
    void (*on_panic)(tp_instance *self); /* the driver's; NULL for none */
    struct place place;                  /* geometry.c: the one that was converted last */

    struct name_place naming;
    struct fallbacks fallbacks;
    struct jobs jobs;
    struct worker worker;
    struct calls calls;
    struct links links;
    struct errands errands;
    struct life life;
    struct removal removal;
    struct trouble trouble;
    struct note note;
    struct output output;
    struct timed timed;
    struct grants grants;
    tpi_instance_safety safety;
    tpi_port_owner lines;
};

struct tpi_call {
    job job;
    tpi_task task;
    tp_device *device;
    const tp_message *what;
    tp_msg *ask; /* owned reference */
    tp_msg *answer;
    tp_status status;
    tp_error error;
    tpi_call_done *done;
    void *context;
    tpi_order order;
    atomic_bool abandoned; /* no client waits for its end any more */
    bool counted;          /* by statistics */
    bool writes;           /* it has written to a line */
    int64_t asked_ns;      /* when it came, by the loop's clock */
    tpi_call **handle;     /* borrowed: where the asker keeps it, cleared at the end; may be NULL */
    const tp_message *asked_instead; /* whose answer is made into a geometry; usually NULL */
    bool deferred;                   /* it is among the instance's tickets */
    tpi_call *next;                  /* of these */
    tpi_call *previous;
};

/* panic_watch.c */
struct panic_watch {
    void (*changed)(void *context, const char *text); /* the owner's; NULL for none */
    void *context;                                    /* borrowed */
    unsigned epoch;                                   /* that the owner knows of */
    unsigned raises;
    char resetter[TPI_MOVER_LABEL]; /* the mover that reset the last one; "" for others */
    tpi_task task;
    atomic_bool posted; /* the task is under way */
};

struct tpi_hub {
    tp_loop *loop;
    const tp_catalogue *catalogue;
    tp_instance *instances;           /* owned, newest first */
    tpi_lock *naming_lock;            /* owned; protects the next two */
    tp_instance *named[NAME_BUCKETS]; /* those that have a name, by it */
    struct naming *namings;           /* owned */
    size_t lost_count;   /* instances whose devices were removed, and that wait for them */
    tp_device **devices; /* owned array; devices are their instances' */
    size_t device_count;
    size_t device_capacity;
    size_t awaited; /* devices that are enrolled and not registered: there is room for them */
    unsigned device_changes;        /* of the list */
    struct device_index *addresses; /* by address, once there are many; points to the first below */
    struct device_index *odometry;  /* vehicles and localizers; see odometry.c */
    struct device_index tables[2];  /* owned: what these point to, since finding fills them */
    void (*failed)(void *context, const tp_instance *instance, const char *why);
    void *failed_context;
    void (*note)(void *context, const char *text);
    void *note_context;
    tpi_port_setup lines;
    atomic_uint link_numbers; /* that were given */
    const tpi_clients_ops *clients_ops;
    void *clients; /* owned: of the layer above; NULL for none */
    int64_t begun_ns;
    tpi_panic *panic; /* owned */
    struct panic_watch panic_watch;
    struct retirements retirements;
    bool part_of_another; /* the server is the process of an isolated driver */
    const char *part;     /* borrowed: what that one calls the driver; NULL if it does not say */
    bool leaving;         /* all instances are asked to stop */
    bool closing;         /* all threads are gone, and what is left is worked off */
};

/* ---- Small questions ------------------------------------------------------------------------- */

/* The name of its driver, as people know it. */
static inline const char *tpi_instance_driver_name(const tp_instance *self)
{
    return self->blueprint.in_place_of != NULL ? self->blueprint.in_place_of
                                               : self->blueprint.driver->name;
}

/* Whether its driver runs on the loop: then it never has a thread. */
static inline bool tpi_instance_stays_on_loop(const tp_instance *self)
{
    return (self->blueprint.driver->flags & TP_DRIVER_ON_LOOP) != 0;
}

static inline bool hub_is_current(const tpi_hub *hub)
{
    return tp_loop_is_current(hub->loop);
}

/* Whether this is the thread that its operations run on; or the loop's. */
static inline bool instance_is_current(const tp_instance *self)
{
    return tpi_safety_is_current(&self->safety);
}

static inline bool device_is_current(const tp_device *device)
{
    return instance_is_current(device->instance);
}

/* Where it runs. */
static inline bool instance_is_started(const tp_instance *self)
{
    return self->jobs.started;
}

/* Any thread: whether none of its data, and no request to another device, is under way. */
static inline bool output_is_empty(const tp_instance *self)
{
    return atomic_load(&self->output.done.delivered) == atomic_load(&self->output.made.work);
}

static inline bool errands_are_home(const tp_instance *self)
{
    return atomic_load(&self->errands.out) <= 0;
}

/* Where it runs: whether it is inside an operation; whether it has no new requests now. */
static inline bool instance_is_busy(const tp_instance *self)
{
    return self->jobs.busy;
}

static inline bool errands_are_closed(const tp_instance *self)
{
    return self->errands.closed;
}

/* On the loop: whether grants of its devices are not closed. */
static inline bool instance_is_targeted(const tp_instance *self)
{
    return self->grants.targeted > 0;
}

static inline phase instance_phase(const tp_instance *self)
{
    return self->life.phase;
}

static inline bool instance_is_leaving(const tp_instance *self)
{
    return self->removal.begun;
}

/* ---- Shared by the files --------------------------------------------------------------------- */

/* jobs.c: hand over a job; a place among those that wait, TP_E_LIMIT if there are too many. */
void tpi_instance_submit(tp_instance *self, job *next);
tp_status tpi_jobs_reserve(tp_instance *self, bool yields);
void tpi_jobs_add(tp_instance *self); /* the same without a limit */
void tpi_jobs_release(tp_instance *self);

/* Where the instance runs: begin an operation, and end it with what the first call returned. */
bool tpi_jobs_enter(tp_instance *self);
void tpi_jobs_leave(tp_instance *self, bool was_busy);

/* On the loop: it runs no more, so that `idle` is called when nothing is under way; something was,
 * and is no more. */
void tpi_jobs_finish(tp_instance *self, void (*idle)(tp_instance *self));
void tpi_jobs_check(tp_instance *self);

/* For the worker: begin; one behind all others, from any thread;
 * whether some wait; and whether the driver is started. */
void tpi_jobs_init(tp_instance *self, void (*ring)(void *self));
void tpi_jobs_post(tp_instance *self, job *last);
bool tpi_jobs_are_posted(const tp_instance *self);

/* For the worker: run all jobs that were posted, and put those aside that yield; run one of these,
 * if it is time; run all of them; and when the next one runs, TP_NEVER if there is none. */
typedef void tpi_run_job(tp_instance *self, job *next);
void tpi_jobs_run_posted(tp_instance *self, tpi_run_job *run);
void tpi_jobs_run_aside(tp_instance *self, tpi_run_job *run);
void tpi_jobs_run_all_aside(tp_instance *self, tpi_run_job *run);
int64_t tpi_jobs_due_ns(const tp_instance *self);
void tpi_jobs_set_started(tp_instance *self, bool started);

/* instance.c, on any thread: made, without what belongs to the loop. */
tp_status tpi_instance_create(tp_instance **out, tpi_hub *hub, const tpi_blueprint *blueprint,
                              tpi_building *building, tp_error *err);

/* On the loop: give it its timers. */
tp_status tpi_instance_enrol(tp_instance *self);

/* On the loop: take back what it has been given. Then it is released, on any thread. */
void tpi_instance_withdraw(tp_instance *self);
void tpi_instance_destroy(tp_instance *self);

/* phase.c: before init; on the loop, its timer; and the end. */
void tpi_phase_init(tp_instance *self, const phase_hooks *hooks);
tp_status tpi_phase_enrol(tp_instance *self);
void tpi_phase_fini(tp_instance *self);

void tpi_phase_start(tp_instance *self);
void tpi_phase_stop_if_unused(tp_instance *self);

/* What the driver uses has an answer: it starts, or says why it cannot. */
void tpi_phase_connected(tp_instance *self, tp_status status, tp_error *err);

/* The events of its worker. */
extern const worker_events tpi_phase_events;

/* Stop for good, from whichever phase it is in. Returns that phase. */
phase tpi_phase_leave(tp_instance *self);

/* Readers receive why as data of the common kind; those that wait to open receive it too. */
void tpi_phase_report(tp_instance *self, const tp_error *err);
void tpi_phase_refuse_waiting(tp_instance *self, const tp_error *err);

/* A device that it uses was removed; it waits for none any more; and start it again if all that it
 * uses is there again. */
void tpi_phase_lost(tp_instance *self, const char *why);
void tpi_phase_found_again(tp_instance *self);
void tpi_phase_find_again(tp_instance *self);

/* trouble.c: it does not work, which is reported if it is news and not the same as before; it does;
 * and why it does not, without its name. */
void tpi_trouble_begins(tp_instance *self, const char *why, bool is_news);
void tpi_trouble_is_over(tp_instance *self);
const char *tpi_trouble_cause(const tp_instance *self); /* borrowed */
const char *tpi_trouble_text(const tp_instance *self);  /* the same with its name */

/* It runs, but what does its work is away; and that counts no more. */
bool tpi_trouble_is_on(const tp_instance *self);
void tpi_trouble_clear(tp_instance *self);

/* naming.c, any thread: give it a name that no other has; take the name back, if it has one; begin
 * and end of the hub. */
tp_status tpi_naming_choose(tp_instance *self); /* or TP_E_NOMEM */
void tpi_naming_remove(tp_instance *self);
tp_status tpi_naming_init(tpi_hub *hub, tp_error *err);
void tpi_naming_fini(tpi_hub *hub);

/* param.c: make the fallbacks ready; and that of a parameter, NULL if it is not declared. */
tp_status tpi_params_prepare(tp_instance *self, tp_error *err);
const tpi_setting *tpi_param_fallback(const tp_instance *self, const char *name);

/* worker.c: before init; on the loop, its timer; its thread, before the first start; joined, so
 * that the loop does what is left. */
void tpi_worker_init(tp_instance *self, const worker_events *events);
tp_status tpi_worker_enrol(tp_instance *self);
tp_status tpi_worker_launch(tp_instance *self, tp_error *err);
void tpi_worker_join(tp_instance *self);
bool tpi_worker_join_by(tp_instance *self, int64_t deadline_ns); /* as tpi_thread_join_by() */
void tpi_worker_withdraw(tp_instance *self);                     /* what is the loop's */
void tpi_worker_destroy(tp_instance *self);

/* On the loop: have the driver started or stopped where it runs. */
void tpi_worker_start(tp_instance *self);
void tpi_worker_stop(tp_instance *self);

/* On the loop: whether drivers on the loop are polled. */
void tpi_worker_set_polling(tp_instance *self, bool on);

/* End what it waits for. */
void tpi_worker_hurry(tp_instance *self);

/* Where it runs: work off its jobs; run no more. */
void tpi_worker_run_jobs(tp_instance *self);
void tpi_worker_quit(tp_instance *self);

/* call.c: make room for answers, after init. */
tp_status tpi_calls_prepare(tp_instance *self, tp_error *err);
void tpi_calls_fini(tp_instance *self);

/* Make a call, which takes a place among the jobs that wait, and hand it over. */
tp_status tpi_call_create(tpi_call **call, tp_device *device, const tp_message *what, tp_msg *ask,
                          bool yields, tpi_call_done *done, void *context, tpi_call **out);
void tpi_call_post(tpi_call *call);

/* Where the instance runs: carry out a command now, without the loop. `call` is a block of the pool
 * that has room for a call, and is filled in here. True if the driver answers later or has answered
 * by its ticket: the call is not the caller's any more. */
typedef struct tpi_timed_command {
    tp_device *device;
    const tp_message *what;
    const void *ask;
    tpi_mover mover; /* whose command it is */
    unsigned epoch;  /* of the panic, when it was granted */
    int64_t now_ns;
    int64_t until_ns; /* it moves nothing after this time */
} tpi_timed_command;
bool tpi_call_play(tpi_call *call, const tpi_timed_command *command, tp_status *status);

/* Make a call and hand it over, for questions of the server's own, which statistics do not count.
 */
tp_status tpi_call_quietly(tp_device *device, const tp_message *what, tp_msg *ask,
                           tpi_call_done *done, void *context);

/* Where the instance runs: whether the command that is being handled may write to a line. It may
 * not when it is older than its lease: the program was frozen since the command was begun. Without
 * a command, what the driver sends by itself may not when a lease has ended since the last look. */
bool tpi_call_may_write(tp_instance *self);

/* Where the instance runs: until when a message that the driver sends now may move another device.
 * What it sends for a command is not valid for longer than that command; and what it sends by
 * itself, on data or in time, not for longer than the leases of its own devices: after a freeze one
 * may be over whose stop has not come yet. Stops are valid always. */
int64_t tpi_call_until_ns(const tp_instance *self);

/* Where the instance runs: the device whose command is being handled; NULL for none. */
tp_device *tpi_call_commanded(const tp_instance *self);

/* Where the instance runs: how long the clients that it moves something for may be silent; 0 for no
 * limit. */
int64_t tpi_call_silence_ns(const tp_instance *self);

/* Where the instance runs: fail what was deferred and not answered. */
void tpi_tickets_end(tp_instance *self);

/* Where the instance runs: answer the requests to halt the device that wait. */
void tpi_tickets_answer_halts(tp_device *device);

/* Where the instance runs: what the request that is being handled asks the driver instead, in case
 * that it is answered later; NULL for nothing. And room for an answer of the driver. */
static inline void call_ask_instead(tp_instance *self, const tp_message *what)
{
    if (self->calls.current != NULL) {
        self->calls.current->asked_instead = what;
    }
}

static inline void *call_spare(const tp_instance *self)
{
    return self->calls.spare;
}

/* registry.c */
void tpi_registry_forget(tp_instance *instance);

/* remove.c, on the loop: release it; and wait for those that are being released. */
void tpi_remove_finish(tp_instance *self);
void tpi_remove_wait(tpi_hub *hub);

/* stop_report.c: where the instance runs, report to the readers of a device that a mover moves it
 * no more, and why. The label of the mover is not used. */
void tpi_stop_report_send(tp_device *device, const tpi_mover *mover, tpi_leaving why);

/* halt.c: before init; and when a device was added. */
void tpi_halt_prepare(tp_instance *self);
void tpi_halt_prepare_device(tp_device *device);

/* Where the instance runs: the requests to halt a device. */
tp_status tpi_halt_answer(tp_device *device, const tp_message *what, const void *ask,
                          unsigned epoch, tp_error *err);

/* Where the instance runs: the device that is being stopped; NULL for none. */
tp_device *tpi_halt_current(const tp_instance *self);

/* On the loop: whether it has not stopped for a panic yet. */
bool tpi_halt_is_owed(const tp_instance *self);

/* mover.c, on the loop: the mover is gone, behind all that it has commanded. */
void tpi_mover_leave_in_order(tp_device *device, const tpi_mover *mover);

/* mover.c, on the loop: the client that has the device exclusively and keeps out a writer of this
 * rank; NULL for none. */
const char *tpi_mover_shut_out_by(const tp_device *device, int32_t rank);

/* mover.c, on the loop: refuse a message of a driver while a client with exclusive access or a
 * writer of a higher rank holds the device. */
tp_status tpi_mover_check_driver(const tp_device *device, const tp_message *what,
                                 const tpi_claim *claim, tp_error *err);

/* ports.c: before init. */
void tpi_instance_prepare_ports(tp_instance *self);

/* link.c, on the loop: open all, and call `done` once; close them; give up those that wait. */
void tpi_links_open(tp_instance *self,
                    void (*done)(tp_instance *self, tp_status status, tp_error *err));
/* On the loop: open a loose link that is not open. */
void tpi_link_try(tp_link *link);
/* Where the instance runs: when the data that it handles now came to this program, at the earliest.
 * TP_NEVER if it handles none, or if the data was made here. */
int64_t tpi_link_arrival_ns(const tp_instance *self);
void tpi_links_close(tp_instance *self);
void tpi_links_give_up(tp_instance *self);
bool tpi_links_are_there(const tp_instance *self);
bool tpi_links_exist(const tp_instance *self); /* it uses devices of others */
void tpi_links_free(tp_instance *self);

/* The instance runs: what it would have missed before is repeated. */
void tpi_links_repeat(tp_instance *self);

/* errand.c, where the instance runs: no new requests to other devices; those that are under way
 * will have no answer; new ones are possible again. */
void tpi_errands_close(tp_instance *self);
void tpi_errands_end(tp_instance *self);
void tpi_errands_open(tp_instance *self);

/* Any thread: something more is under way that keeps the instance; and is no more. */
void tpi_errands_count(tp_instance *self, int more);

/* panic_watch.c: make the panic of the hub. */
tp_status tpi_panic_watch_begin(tpi_hub *hub, tp_error *err);

/* reader.c: to the list of its device that it belongs to, and off it. */
void tpi_reader_link(tpi_reader *reader);
void tpi_reader_unlink(tpi_reader *reader);

/* device.c: before init. */
tp_status tpi_offers_prepare(tp_instance *self, tp_error *err);

/* publish.c: before init; before each operation; the end; a device was added; and the readers of a
 * device have changed. */
void tpi_output_init(tp_instance *self);
void tpi_output_begin(tp_instance *self);
void tpi_output_wakes(tp_instance *self, const tpi_bell *bell); /* rung when room has come */
bool tpi_output_has_come(const tp_instance *self); /* the room that the driver waits for */
void tpi_output_polled(tp_instance *self);         /* it does not wait any more */
void tpi_output_may_have_room(tp_device *device);  /* a reader takes its data again */
void tpi_output_count_behind(tp_device *device, bool behind);
void tpi_output_withdraw(tp_instance *self); /* on the loop, behind the last message */
void tpi_output_add(tp_device *device);
void tpi_output_attach(tpi_reader *reader);
void tpi_output_detach(tpi_reader *reader);

/* On the loop: to all its readers. */
void tpi_device_deliver(tp_device *device, tp_msg *msg);

/* From where the instance runs to the loop, even without readers or with too much on its way. */
tp_status tpi_device_tell(tp_device *device, unsigned code, const void *value);

/* latch.c, on the loop: the last data of a device that latches. */
void tpi_latch_keep(tp_device *device, tp_msg *msg);
void tpi_latch_repeat(tp_device *device, tpi_reader *reader);
void tpi_latch_forget(tp_device *device);

#endif
