/*
 * inside.h - the structs behind the device layer, for the files of this folder, and what the files
 * about the life of instances share. The rest is in answers.h (what every device answers), moving.h
 * (what moves and who moves it), port_inside.h (lines) and session.h (clients).
 */
#ifndef TROUPE_DEVICE_INSIDE_H
#define TROUPE_DEVICE_INSIDE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "device/hub.h"
#include "device/index.h"
#include "device/timed.h"
#include "platform/guard.h"
#include "platform/thread.h"
#include "session/tries.h"
#include "troupe/front.h"

enum {
    /* What of an instance is between its thread and the loop, as the work that it is for the loop:
     * 256 messages that nobody reads, 29 for 500 readers; and some for each further device, so that
     * an instance with thousands can send data of all of them at once. */
    MOST_IN_FLIGHT = 16384,
    MORE_FOR_A_DEVICE = 512,
    BURDEN_OF_MESSAGE = 64,   /* and 1 for each reader */
    BYTES_OF_MESSAGE = 16384, /* each so many of a large one count as one more */
    MOST_WAITING = 4096,      /* jobs that wait for an instance */
    MOST_PORTS = 7,           /* of an instance: what a thread can wait for, but for its bell */
    MANY_DEVICES = 256,       /* from here on it pays to look them up in a table */
};

enum { PLACE_NAME = 64 }; /* longest name of a frame, with its NUL */
enum { RANK_NAME = 160 }; /* and of somebody who writes */

/* Of instances: their driver's, cut if it is longer, and a number. */
enum { LONGEST_DRIVER = 37, INSTANCE_NAME = LONGEST_DRIVER + 11, NAME_BUCKETS = 1024 };

typedef enum phase { IDLE, STARTING, RUNNING, STOPPING, FAILED } phase;

/* Something an instance has to do, one at a time. */
typedef struct job {
    tpi_item item;
    void (*run)(struct job *job, tp_instance *self);
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

/* What a device has been asked so far. */
struct counts {
    uint64_t commands;
    uint64_t requests;  /* that were answered */
    uint64_t failed;    /* that were not */
    uint64_t refused;   /* commands by the driver; whatever by us, before it saw them */
    int64_t latency_ns; /* of both, in all */
    int64_t longest_ns;
};

struct tp_device {
    tp_instance *instance; /* borrowed: it owns the device */
    const tp_interface *interface;
    const void *ops;
    tp_handler *handler;
    tp_devaddr addr;
    char name[64];               /* "position2d:0" */
    char *label;                 /* owned: which of its kind it is; NULL if nobody said */
    void *context;               /* the driver's */
    tpi_reader *readers;         /* borrowed; the loop's */
    tpi_reader *sleepers;        /* those who have no room; see sleep.c */
    struct delivery *deliveries; /* under way, innermost first; the loop's */
    uint32_t reader_count;       /* the loop's */
    atomic_uint has_readers;     /* the same, for the driver's thread */
    atomic_uint behind;          /* of those who have it open; see behind.c */
    bool keeps;                  /* who has it open takes part in what the instance does */
    struct counts counts;        /* the loop's */
    atomic_ullong dropped;       /* data that was too much at once */
    uint64_t published;          /* the loop's */
    tp_msg **latched;            /* owned: the last data, by message; NULL if it does not latch */
    uint64_t news;               /* those of them that Player does not have */
    /* Made with the device and then left as they are. */
    char frame_name[PLACE_NAME]; /* the usual names */
    char parent_name[PLACE_NAME];
    const tpi_place *configured; /* borrowed: of the plan; NULL for none */
    const tp_message *geom;      /* the interface's own question for geometry, or NULL */
    bool follows;                /* its data moves its frame */

    struct frame frame; /* the loop's */
    struct place own;   /* where the instance runs: what its driver has set */
    bool has_own;
    struct property *properties; /* owned array; where the instance runs, as the next two */
    tp_property *property_list;  /* owned array: what clients are told of them */
    uint32_t property_count;
    const tp_session *holder; /* borrowed: who alone may write; NULL for nobody; the loop's */
    bool moves;               /* its interface has messages that move something */
    const void *mover;        /* borrowed: whose lease it is, NULL for nobody's; the loop's */
    uint32_t section;         /* of the instance, that it is of */
    int32_t mover_rank;       /* those of a lower one do not write ... */
    int64_t mover_until_ns;   /* ... before this time */
    bool halt_told;           /* that somebody had it stopped, since it was moved; the loop's */
    int64_t lease_limit_ns;   /* no word renews it beyond this; the loop's */
    tpi_lease lease;          /* of the loop and the thread */
    atomic_int leaving;       /* why the lease has ended, one of tpi_leaving */
    bool in_motion;           /* since the last halt; where the instance runs, as the next three */
    const void *doer;         /* borrowed, only compared: who gave the command that moves it */
    unsigned motions;         /* commands that were carried out so far */
    bool halt_due;            /* it does what nobody answers for */
    int end_due;              /* one of tpi_leaving that readers hear of once it stands; or -1 */
    atomic_uint halts_open;   /* that are under way; written where the instance runs */
    uint32_t takes;           /* how often it was moved; the loop's, as the next two */
    unsigned taken_epoch;     /* of the panic, when it was moved last */
    bool stands;              /* it was halted since then */
    struct granted granted;   /* who may send it commands ahead of time */
    tp_device *next;          /* of the instance */
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
    tpi_reader reader;   /* the loop's */
    tpi_opening opening; /* the loop's */
    tp_link *next;
};

struct tp_instance {
    tpi_hub *hub; /* borrowed */
    tpi_blueprint plan;
    char name[INSTANCE_NAME];
    unsigned number;         /* in it */
    tp_instance *next_named; /* see naming.c */
    tpi_arena arena;         /* what lives as long as the instance */
    tpi_setting *fallbacks;  /* of the arena: one for each declared parameter */
    uint32_t fallback_count;
    void *state;        /* owned: the driver's */
    bool *taken;        /* of the arena: which of `provides` are offered */
    tp_device *devices; /* owned list */
    tp_device **last;   /* borrowed: where the next one goes */
    tp_link *links;     /* owned list */
    bool on_loop;
    bool moves; /* one of its devices can be moved */
    bool made;  /* init was called, so fini has to be */
    bool added; /* it is in the registry, and its devices are */

    /* The loop's. */
    phase phase;
    uint32_t users;
    tpi_opening *waiting; /* openings that wait for the start, oldest first; borrowed */
    uint32_t links_open;  /* links opened so far while starting */
    tp_timer *timer;      /* owned: polls of drivers on the loop, restarts */
    tp_timer *alarm;      /* owned: wakes the thread by a clock that is not the real one */
    tp_instance *next;
    tp_instance *previous;
    uint64_t dropped;
    char told[256];   /* the last failure that the owner was told of; "" if it works */
    char failed[256]; /* why it does not work; "" if it does */
    bool troubled;    /* it runs, but what does its work is away */

    tp_timer *lease_timer; /* owned: ends of leases, for drivers on the loop */
    tpi_panic_seat seat;
    struct timed timed;

    /* remove.c */
    bool leaving; /* it is being removed */
    bool gone;    /* and runs no more */
    bool burying; /* and is about to be released */
    void (*removed)(void *context);
    void *removed_context;

    /* A device that it uses was removed: it stops, and starts again when the device is back. */
    bool lost;
    bool lose_sent;
    char lost_why[256]; /* read where it runs, once that was sent */

    /* Jobs on their way. */
    tpi_inbox inbox;
    tpi_bell bell;
    tp_after turn; /* of drivers on the loop: work off the inbox */
    atomic_int waiting_jobs;
    atomic_int in_flight;
    atomic_size_t bytes_in_flight;
    bool keeps_all;        /* nothing of it is dropped there; where it runs */
    int most_in_flight;    /* made with its devices and then left as it is */
    atomic_uint readings;  /* changes with the readers of any device */
    atomic_bool note_sent; /* the task is on its way to the loop */
    char noted[256];       /* the loop's while it is, else the thread's */
    atomic_int errands_out;
    atomic_bool quitting;   /* nobody waits for anything any more */
    atomic_llong alarm_ns;  /* when the thread wants to be woken */
    atomic_bool alarm_sent; /* the task is on its way to the loop */

    /* The instance's thread's. */
    tpi_thread *thread; /* owned; NULL on the loop */
    bool busy;          /* inside an operation */
    bool started;
    bool start_pending; /* start has begun and will be told to have ended */
    bool quit;
    int64_t period_ns;
    int64_t next_poll_ns;
    void *scratch; /* owned: room for an answer */
    void *spare;   /* in the same block: room for another one */
    struct place place;
    size_t scratch_size;
    unsigned panic_epoch;                /* that it has seen */
    void (*on_panic)(tp_instance *self); /* the driver's; NULL for none */
    atomic_uint panic_served;            /* that it has stopped everything for; read by the loop */
    bool halts;           /* inside an operation that stops things: it may write in a panic */
    bool halts_for_panic; /* and that stops everything */
    tp_device *halted;    /* what is being halted just now; NULL for nothing */
    uint8_t halt_way;     /* one of tp_halt_way: how it was said */
    tp_halt_reason halt_reason;
    tpi_call *current;      /* the request that is being handled; NULL once it is answered */
    tp_status answered;     /* how it was, if by its ticket and at once */
    tpi_call *tickets;      /* requests that wait for a later answer; borrowed */
    struct errand *errands; /* its own requests to other devices; borrowed */
    bool ending;            /* what is open is being ended; nothing new is begun */
    struct tp_port *ports;  /* owned list */
    bool rung;              /* the bell was silenced while somebody waited for a line */

    /* guarded.c: how many of its lines are guarded, how often guards were started again, and what
     * the loop is told of the last one: written where the instance runs, while nothing is told. */
    atomic_uint guarded;
    atomic_uint guard_restarts;
    tpi_task guard_task;
    atomic_bool guard_told; /* the task is on its way */
    char guard_note[256];

    job start_job;
    job stop_job;
    job quit_job;
    job lose_job;
    job leave_job;
    tpi_task started_task;
    tpi_task stopped_task;
    tpi_task failed_task;
    tpi_task left_task;
    tpi_task bury_task;
    tpi_task alarm_task;
    tpi_task note_task;
    /* How the last start went, and why it failed while running: written where the instance runs,
     * read by the loop when the task has come. */
    outcome start;
    outcome failure;
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
    const void *mover; /* borrowed, only compared: whose command it is; NULL if it moves nothing */
    unsigned epoch;    /* of the panic, when it came */
    uint32_t takes;    /* of the device, when it came */
    atomic_bool abandoned; /* nobody waits for its end any more */
    bool counted;          /* by statistics */
    int64_t asked_ns;      /* when it came, by the loop's clock */
    tpi_call **handle;     /* borrowed: where the asker keeps it, cleared at the end; may be NULL */
    const tp_message *asked_instead; /* whose answer is made into a geometry; usually NULL */
    bool deferred;                   /* it is among the instance's tickets */
    bool may_move;                   /* and may set something in motion until it is answered */
    unsigned motions;                /* of its device, when it was deferred */
    tpi_call *next;                  /* of these */
    tpi_call *previous;
};

struct tpi_hub {
    tp_loop *loop;
    const tp_catalogue *catalogue;
    tp_instance *instances;           /* owned, newest first */
    tp_instance *named[NAME_BUCKETS]; /* the same, by name */
    struct naming *namings;           /* owned */
    size_t lost_count;   /* instances whose devices were removed, and that wait for them */
    tp_device **devices; /* owned array; devices are their instances' */
    size_t device_count;
    size_t device_capacity;
    unsigned device_changes;        /* of the list */
    struct device_index *addresses; /* by address, once there are many; points to the first below */
    struct device_index *names;     /* by the name of their frame, while that is checked */
    struct device_index *odometry;  /* vehicles and localizers; see odometry.c */
    struct device_index tables[3];  /* owned: what these point to, since finding fills them */
    void (*failed)(void *context, const tp_instance *instance, const char *why);
    void *failed_context;
    uint64_t wrong_keys; /* that clients have shown */
    void (*note)(void *context, const char *text);
    void *note_context;
    size_t blamed;                   /* section of the instance that could not be made */
    const char *blamed_param;        /* borrowed; its parameter that is to blame; may be NULL */
    const tp_scheme *const *schemes; /* borrowed; kinds of lines; may be NULL */
    const char *folder;              /* borrowed; may be NULL */
    tp_session *sessions;            /* borrowed, newest first */
    uint32_t session_numbers;        /* that were given */
    int64_t begun_ns;
    tpi_panic *panic;        /* owned */
    atomic_int panic_action; /* one of tp_halt; read where instances run */
    void (*panic_changed)(void *context, const char *text);
    void *panic_context;  /* borrowed */
    unsigned noted_epoch; /* that the owner was told of, */
    unsigned noted_raises;
    char resetter[RANK_NAME]; /* who reset the last one; "" for somebody else */
    const tp_session *raiser; /* borrowed: the client that raised it; NULL for others; the loop's */
    tpi_key *keys;            /* owned */
    size_t key_count;
    tp_right guests[TP_REACH_COUNT]; /* clients without a key */
    struct tries tries;
    tpi_task panic_task;
    atomic_bool panic_told; /* the task is on its way */
    bool part_of_another;   /* the server is the process of an isolated driver */
    const char *part;       /* borrowed: what that one calls the driver; NULL if it does not say */
    const char *guard_program; /* borrowed; NULL for one that is searched for */
    tpi_guard_board guards;
    bool closing; /* all threads are gone, and what is left is worked off */
};

/* instance.c */
const char *tpi_instance_driver_name(const tp_instance *self); /* as people know it */
void tpi_instance_submit(tp_instance *self, job *next);

/* Where the instance runs: stop the driver if it was started, and end all that is open. */
void tpi_instance_halt(tp_instance *self);

/* On the loop: readers hear why as data of the common kind; those who wait to open hear it too. */
void tpi_instance_tell_readers(tp_instance *self, const tp_error *err);
void tpi_instance_refuse_waiting(tp_instance *self, const tp_error *err);
void tpi_instance_start(tp_instance *self);
void tpi_instance_stop_if_unused(tp_instance *self);
tp_status tpi_instance_create(tp_instance **out, tpi_hub *hub, const tpi_blueprint *plan,
                              tp_error *err);
void tpi_instance_destroy(tp_instance *self);
void tpi_instance_started(tpi_task *task);
void tpi_instance_stopped(tpi_task *task);
void tpi_instance_failed(tpi_task *task);

/* trouble.c: it does not work, which is told if it is news and not the same as before; it does; and
 * why it does not, without its name. */
void tpi_trouble_begins(tp_instance *self, const char *why, bool is_news);
void tpi_trouble_is_over(tp_instance *self);
const char *tpi_trouble_cause(const tp_instance *self); /* borrowed */

/* rights.c: what the hub begins and ends with. */
void tpi_rights_init(tpi_hub *hub);
void tpi_rights_fini(tpi_hub *hub);

/* naming.c: give it a name that nobody has; it counts, and does not any more; when the hub ends. */
tp_status tpi_naming_choose(tp_instance *self); /* or TP_E_NOMEM */
void tpi_naming_add(tp_instance *self);
void tpi_naming_remove(tp_instance *self);
void tpi_naming_fini(tpi_hub *hub);

/* param.c: make the fallbacks ready. */
tp_status tpi_params_prepare(tp_instance *self, tp_error *err);

/* section.c: before init; and on the loop, what was noted. */
tp_status tpi_sections_prepare(tp_instance *self, tp_error *err);
void tpi_section_told(tpi_task *task);

/* worker.c */
tp_status tpi_worker_create(tp_instance *self, tp_error *err);
void tpi_worker_join(tp_instance *self);
void tpi_worker_poll(tp_instance *self);
void tpi_worker_fail(tp_instance *self);
void tpi_worker_run_jobs(tp_instance *self);
void tpi_worker_hurry(tp_instance *self); /* end what it waits for */

/* call.c */
void tpi_call_finish(tpi_call *call);
/* Make a call, which takes a place among the jobs that wait, and hand it over. */
tp_status tpi_call_create(tpi_call **call, tp_device *device, const tp_message *what, tp_msg *ask,
                          tpi_call_done *done, void *context, tpi_call **out);
void tpi_call_post(tpi_call *call);

/* Where the instance runs: carry out a command now, without the loop. `call` is a block of the pool
 * that has room for a call, and is filled in here. True if the driver answers later or has answered
 * by its ticket: the call is not the caller's any more. */
typedef struct tpi_timed_command {
    tp_device *device;
    const tp_message *what;
    const void *ask;
    const void *mover; /* borrowed, only compared: whose command it is */
} tpi_timed_command;
bool tpi_call_play(tpi_call *call, const tpi_timed_command *command, tp_status *status);

/* Make a call and hand it over, for questions of the server's own, which statistics do not count.
 */
tp_status tpi_call_quietly(tp_device *device, const tp_message *what, tp_msg *ask,
                           tpi_call_done *done, void *context);

/* Where the instance runs: fail what was deferred and not answered. */
void tpi_tickets_end(tp_instance *self);

/* registry.c */
void tpi_registry_take_devices(tp_instance *instance);
void tpi_registry_forget(tp_instance *instance);

/* remove.c, on the loop: something of an instance has come home; and release it. */
void tpi_remove_check(tp_instance *self);
void tpi_remove_finish(tp_instance *self);

/* The device behind a link is gone: tell the driver, at once or when it has started; and let it
 * start again if all that it uses is there again. */
void tpi_remove_lost(tp_link *link);
void tpi_remove_tell_user(tp_instance *self);
void tpi_remove_find_again(tp_instance *self);
void tpi_remove_found_again(tp_instance *self); /* or it waits no more */

/* link.c */
bool tpi_links_are_there(const tp_instance *self);
void tpi_links_open(tp_instance *self);
void tpi_links_close(tp_instance *self);

/* The instance runs: what it would have missed before is repeated. */
void tpi_links_repeat(tp_instance *self);

/* Where the instance runs: its requests to other devices will have no answer. */
void tpi_errands_end(tp_instance *self);

/* sleep.c: to the list of its device that it belongs to, and off it. */
void tpi_reader_link(tpi_reader *reader);
void tpi_reader_unlink(tpi_reader *reader);

/* device.c */
tp_status tpi_device_add(tp_instance *self, const tpi_wanted *wanted, const void *ops,
                         tp_handler *handler, tp_device **out, tp_error *err);
void tpi_device_deliver(tp_device *device, tp_msg *msg);

/* On the loop: what its readers hear of something that went wrong, as a message, which is the
 * caller's, NULL without memory; and that message to all of them. */
tp_msg *tpi_device_failure(const tp_device *device, tp_status code, const char *text);
void tpi_device_deliver_failure(tp_device *device, tp_status code, const char *text);

/* From where the instance runs to the loop, even without readers or with too much on its way. */
tp_status tpi_device_tell(tp_device *device, unsigned code, const void *value);

/* latch.c, on the loop: the last data of a device that latches. */
void tpi_latch_keep(tp_device *device, tp_msg *msg);
void tpi_latch_repeat(tp_device *device, tpi_reader *reader);
void tpi_latch_forget(tp_device *device);

#endif
