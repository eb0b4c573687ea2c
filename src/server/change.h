/*
 * change.h - a configuration that replaces another one while the server runs.
 *
 * change.c finds out what changes, on any thread; reload.c makes the change, on the loop.
 */
#ifndef TROUPE_SERVER_CHANGE_H
#define TROUPE_SERVER_CHANGE_H

#include <stdatomic.h>

#include "platform/thread.h"
#include "server/inside.h"

/* What the loop does next. Each stage but the waits is done in portions. */
enum change_stage {
    CHANGE_LOADING, /* a thread reads the file and prepares the instances that come */
    CHANGE_OPENING, /* new fronts open */
    CHANGE_ENROLLING,
    CHANGE_REMOVING,
    CHANGE_SETTLING,    /* old fronts close */
    CHANGE_WAITING,     /* for the drivers that leave */
    CHANGE_REGISTERING, /* the devices of those that come are there */
    CHANGE_STARTING,
    CHANGE_RELEASING, /* a thread releases the file before, or what is not wanted */
    CHANGE_DONE,
};

struct change {
    tp_server *server; /* borrowed */
    /* The server as the thread sees it: what reading a file changes is changed here, and taken over
     * by the loop afterwards. */
    tp_server draft;
    tpi_roll *roll; /* owned: the devices that are there */
    struct file *before;
    struct file *after;    /* NULL if it could not be read; see tpi_change_discard() */
    tp_instance **leaving; /* owned, as the next three */
    struct driver_entry **leaving_entries;
    tp_instance **coming;
    struct driver_entry **coming_entries;
    size_t leaving_count;
    size_t coming_count;
    size_t enrolled;    /* of those that come */
    size_t robot_count; /* before it */
    atomic_bool cancelled;
    tp_status status;
    tp_error error;

    /* reload.c */
    enum change_stage stage;
    size_t next;                /* in the list of the stage */
    struct driver_entry *start; /* next to be started */
    struct file *unused;        /* owned list: files to be released */
    bool at_once;               /* without a thread, all in one portion */
    tpi_thread *thread;
    atomic_bool through; /* the thread is at its end */
    tpi_task task;       /* posted by then */
    tp_after portion;
    tp_server_reloaded *done; /* NULL for nobody */
    void *context;
};

/* On the loop: begin one. */
tp_status tpi_change_create(struct change **out, tp_server *server, tp_error *err);
void tpi_change_destroy(struct change *c); /* NULL is accepted */

/* Any thread: read the file, prepare what comes and check all that can be wrong. On failure nothing
 * of it is left, and c->status and c->error say why. */
void tpi_change_load(struct change *c);

/* Any thread: release what was loaded, as far as it is not enrolled, with its file, which no list
 * has any more. */
void tpi_change_discard(struct change *c);

/* On the loop: the server has what reading has changed. */
void tpi_change_take_over(struct change *c);

#endif
