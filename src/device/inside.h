/* inside.h - the structs behind the device layer, for the files of this folder. */
#ifndef TROUPE_DEVICE_INSIDE_H
#define TROUPE_DEVICE_INSIDE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "device/hub.h"
#include "platform/thread.h"

enum {
    MOST_IN_FLIGHT = 256, /* messages of an instance between its thread and the loop */
    MOST_WAITING = 4096,  /* jobs that wait for an instance */
};

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

struct tp_device {
    tp_instance *instance; /* borrowed: it owns the device */
    const tp_interface *interface;
    const void *ops;
    tp_handler *handler;
    tp_devaddr addr;
    char name[64];               /* "position2d:0" */
    void *context;               /* the driver's */
    tpi_reader *readers;         /* borrowed; the loop's */
    struct delivery *deliveries; /* under way, innermost first; the loop's */
    uint32_t reader_count;       /* the loop's */
    atomic_uint has_readers;     /* the same, for the driver's thread */
    uint64_t published;          /* the loop's */
    tp_msg **latched;            /* owned: the last data, by message; NULL if it does not latch */
    tp_device *next;             /* of the instance */
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
    char name[48];
    tpi_arena arena;        /* what lives as long as the instance */
    tpi_setting *fallbacks; /* of the arena: one for each declared parameter */
    uint32_t fallback_count;
    void *state;        /* owned: the driver's */
    tp_device *devices; /* owned list */
    tp_link *links;     /* owned list */
    bool on_loop;
    bool made; /* init was called, so fini has to be */

    /* The loop's. */
    phase phase;
    uint32_t users;
    tpi_opening *waiting; /* openings that wait for the start, oldest first; borrowed */
    uint32_t links_open;  /* links opened so far while starting */
    tp_timer *timer;      /* owned: polls of drivers on the loop, restarts */
    tp_instance *next;
    uint64_t dropped;
    char told[256]; /* the last failure to start that the owner was told of */

    /* Jobs on their way. */
    tpi_inbox inbox;
    tpi_bell bell;
    tp_after turn; /* of drivers on the loop: work off the inbox */
    atomic_int waiting_jobs;
    atomic_int in_flight;
    atomic_ullong dropped_at_source;

    /* The instance's thread's. */
    tpi_thread *thread; /* owned; NULL on the loop */
    bool busy;          /* inside an operation */
    bool started;
    bool start_pending; /* start has begun and will be told to have ended */
    bool quit;
    int64_t period_ns;
    int64_t next_poll_ns;
    void *scratch; /* owned: room for an answer */
    size_t scratch_size;
    tpi_call *current;      /* the request that is being handled; NULL once it is answered */
    tpi_call *tickets;      /* requests that wait for a later answer; borrowed */
    struct errand *errands; /* its own requests to other devices; borrowed */
    bool halting;           /* what is open is being ended; nothing new is begun */

    job start_job;
    job stop_job;
    job quit_job;
    tpi_task started_task;
    tpi_task stopped_task;
    tpi_task failed_task;
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
    tpi_call **handle; /* borrowed: where the asker keeps it, cleared at the end; may be NULL */
    bool deferred;     /* it is among the instance's tickets */
    tpi_call *next;    /* of these */
    tpi_call *previous;
};

struct tpi_hub {
    tp_loop *loop;
    const tp_catalogue *catalogue;
    tp_instance *instances; /* owned, newest first */
    tp_device **devices;    /* owned array; devices are their instances' */
    size_t device_count;
    size_t device_capacity;
    void (*failed)(void *context, const tp_instance *instance, const char *why);
    void *failed_context;
    bool closing; /* all threads are gone, and what is left is worked off */
};

/* instance.c */
void instance_submit(tp_instance *self, job *next);

/* Where the instance runs: stop the driver if it was started, and end all that is open. */
void instance_halt(tp_instance *self);
void instance_start(tp_instance *self);
void instance_stop_if_unused(tp_instance *self);
tp_status instance_create(tp_instance **out, tpi_hub *hub, const tpi_blueprint *plan,
                          tp_error *err);
void instance_destroy(tp_instance *self);
void instance_started(tpi_task *task);
void instance_stopped(tpi_task *task);
void instance_failed(tpi_task *task);

/* param.c: make the fallbacks ready. */
tp_status params_prepare(tp_instance *self, tp_error *err);

/* worker.c */
tp_status worker_create(tp_instance *self, tp_error *err);
void worker_join(tp_instance *self);
void worker_poll(tp_instance *self);
void worker_fail(tp_instance *self);
void worker_run_jobs(tp_instance *self);

/* call.c */
void call_finish(tpi_call *call);

/* Where the instance runs: fail what was deferred and not answered. */
void tickets_end(tp_instance *self);

/* common.c: the common questions, for devices without a handler of their own. */
bool common_owns(const tp_message *what);
tp_status common_answer(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err);

/* link.c */
void links_open(tp_instance *self);
void links_close(tp_instance *self);

/* The instance runs: what it would have missed before is repeated. */
void links_repeat(tp_instance *self);

/* Where the instance runs: its requests to other devices will have no answer. */
void errands_end(tp_instance *self);

/* device.c */
tp_status device_add(tp_instance *self, const tpi_wanted *wanted, const void *ops,
                     tp_handler *handler, tp_device **out, tp_error *err);
void device_deliver(tp_device *device, tp_msg *msg);

/* latch.c, on the loop: the last data of a device that latches. */
void latch_keep(tp_device *device, tp_msg *msg);
void latch_repeat(tp_device *device, tpi_reader *reader);
void latch_forget(tp_device *device);

#endif
