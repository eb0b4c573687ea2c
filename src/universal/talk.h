/*
 * talk.h - a conversation with one robot: universal commands in, bytes out; bytes in, results out.
 *
 * It is pure: it knows no line and no clock. The caller passes the time, writes what it is told to
 * write, and hands over what arrives. One command runs at a time; nothing takes memory after
 * creation. Life: create -> connected -> (begin -> (receive | tick)* until done)* -> destroy.
 *
 * talk.c is the life, talk_run.c executes steps, talk_call.c commands that stand for others,
 * talk_control.c the commands of the engine, talk_input.c what arrives, talk_convert.c values.
 */
#ifndef TROUPE_UNIVERSAL_TALK_H
#define TROUPE_UNIVERSAL_TALK_H

#include "universal/framing.h"
#include "universal/wired.h"

enum { TPI_TALK_TEXT = 200 };

typedef struct tpi_talk tpi_talk;

/* What the caller does for the conversation. */
typedef struct tpi_talk_hooks {
    /* Write a frame; `body` is the instruction inside of it. Required. */
    void (*write)(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                  size_t body_length);
    /* Something that a person may want to know: a value was clamped. Optional. */
    void (*note)(void *context, const char *text);
    void *context; /* borrowed */
} tpi_talk_hooks;

/* How a command ended. */
typedef struct tpi_outcome {
    tpi_fault fault;
    char text[TPI_TALK_TEXT];            /* the sentence of a fault */
    tpi_value results[TPI_MOST_RESULTS]; /* texts are valid until the next command */
} tpi_outcome;

/* What a command is done with. */
typedef struct tpi_order {
    tpi_command command;
    int part;         /* -1 for none, or for everything (Stop) */
    bool is_inverted; /* of the match */
    unsigned count;   /* values that are given; the others are those of the dictionary */
    tpi_value values[TPI_MOST_VALUES]; /* texts must stay until the command is done */
    int64_t max_age_ns;                /* a reading may be so old; 0: it is read now */
} tpi_order;

/* The parts must outlive the conversation. */
tp_status tpi_talk_create(tpi_talk **out, const tpi_wired *wired, const tpi_talk_hooks *hooks,
                          tp_error *err);
void tpi_talk_destroy(tpi_talk *talk);

/* The line is open: registers start anew, set-ups will run again. Ends a command that runs. */
void tpi_talk_connected(tpi_talk *talk, int64_t now_ns);

/* Say that set-ups have run (tests, examples). */
void tpi_talk_assume_ready(tpi_talk *talk);

/* Begin a command. Fails with TP_E_LIMIT while another one runs. */
tp_status tpi_talk_begin(tpi_talk *talk, const tpi_order *order, int64_t now_ns);

/* Bytes have arrived. */
void tpi_talk_receive(tpi_talk *talk, const uint8_t *data, size_t length, int64_t now_ns);

/* Time has passed: call it when due_ns has come. */
void tpi_talk_tick(tpi_talk *talk, int64_t now_ns);

/* When tick must be called; INT64_MAX for never. */
int64_t tpi_talk_due_ns(const tpi_talk *talk);

/* Whether a command runs. */
bool tpi_talk_is_busy(const tpi_talk *talk);

/* The reply that is waited for; NULL for none. */
const tpi_pattern *tpi_talk_expects(const tpi_talk *talk);

/* Hand over a reply that fits what is waited for, with invented values (for people who want to see
 * the bytes). False if there is none. */
bool tpi_talk_pretend(tpi_talk *talk, int64_t now_ns);

/* How the last command ended. */
const tpi_outcome *tpi_talk_outcome(const tpi_talk *talk);

/* End the command that runs with "stopped", and write the stop bytes. Without a <stop> only the
 * command ends. */
void tpi_talk_stop(tpi_talk *talk, int64_t now_ns);

/* The frames that <stop> stands for, for a guard. False if they do not fit. */
bool tpi_talk_stop_bytes(tpi_talk *talk, tpi_bytes *out);

/* Set a word of a register (tests, examples); `index` is 0 for a register without an index. False
 * if there is none. */
bool tpi_talk_set_register(tpi_talk *talk, const char *name, unsigned index, double value);

/* Bytes that fitted nothing since the connection. */
uint64_t tpi_talk_noise(const tpi_talk *talk);

#endif
