/*
 * inside.h - a robot that takes universal commands, for the files of this folder.
 *
 *     universal.c   the life of a robot; names
 *     ports.c       devices of the program: matched by the server, all at once
 *     run.c         commands: which message each goes with, and its result
 *     channels.c    messages between programs
 */
#ifndef TROUPE_CLIENT_UNIVERSAL_INSIDE_H
#define TROUPE_CLIENT_UNIVERSAL_INSIDE_H

#include "client/inside.h"
#include "troupe/universal.h"
#include "universal/channels.h"
#include "universal/dictionary.h"

/* A device of the program. */
struct declared {
    char *classes;     /* owned */
    char *explanation; /* owned */
    int id;
    unsigned command;
    tp_universal_match match; /* without its text */
};

struct pending;

struct tp_universal {
    tp_client *client; /* borrowed */
    tp_proxy *proxy;   /* owned */
    int64_t timeout_ns;
    bool loose;
    bool is_stale; /* the devices have to be matched again */
    uint32_t revision;
    char *name, *title, *file; /* owned */
    size_t file_length;
    unsigned count;
    struct declared declared[TP_UNIVERSAL_MOST_DEVICES];
    tp_proxy *board;         /* owned: the blackboard of the channels; NULL until one is used */
    tpi_channels *channels;  /* owned */
    struct pending *pending; /* owned: commands that were begun */
    tp_msg *answer;          /* owned reference: of the last command that was waited for */
    tp_error why;            /* the same, if there was no answer */
};

/* The registered device of a port; NULL for other ports. */
const struct declared *tpi_universal_declared(const tp_universal *robot, tp_universal_port port);

/* An order for the message to the server: values are borrowed from `call`. */
void tpi_universal_fill(const tp_universal *robot, const tp_universal_call *call,
                        tp_universal_order *out, tp_universal_value *values);

/* Commands that were begun are forgotten. */
void tpi_universal_forget(tp_universal *robot);

#endif
