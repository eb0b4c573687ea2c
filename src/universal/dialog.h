/*
 * dialog.h - a conversation with one robot: universal commands in, bytes out; bytes in, results
 * out.
 *
 * It is pure: it knows no line and no clock. The caller passes the time, writes what it is told to
 * write, and hands over what arrives. One command runs at a time; nothing takes memory after
 * creation. Life: create -> connected -> (begin -> (receive | tick)* until done)* -> destroy.
 *
 * dialog.c is the life, dialog_run.c executes steps, dialog_call.c commands that stand for others,
 * dialog_control.c the commands of the engine, dialog_packet.c commands that the robot executes
 * itself, dialog_input.c what arrives, dialog_convert.c values.
 */
#ifndef TROUPE_UNIVERSAL_DIALOG_H
#define TROUPE_UNIVERSAL_DIALOG_H

#include "universal/framing.h"
#include "universal/wired.h"

enum { TPI_DIALOG_TEXT = 200 };

typedef struct tpi_dialog tpi_dialog;

/* What the caller does for the conversation. */
typedef struct tpi_dialog_hooks {
    /* Write a frame; `body` is the instruction inside of it. Required. */
    void (*write)(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                  size_t body_length);
    /* Something that a person may want to know: a value was clamped. Optional. */
    void (*note)(void *context, const char *text);
    void *context;     /* borrowed */
    bool has_no_speed; /* the line has no baud rate that could be wrong */
} tpi_dialog_hooks;

/* How a command ended. */
typedef struct tpi_outcome {
    tpi_fault fault;
    char text[TPI_DIALOG_TEXT];          /* the sentence of a fault */
    tpi_value results[TPI_MOST_RESULTS]; /* texts are valid until the next command */
} tpi_outcome;

/* What a command is done with. */
typedef struct tpi_dialog_order {
    tpi_command command;
    int part;         /* -1 for none, or for everything (Stop) */
    bool is_inverted; /* of the match */
    unsigned count;   /* values that are given; the others are those of the dictionary */
    tpi_value values[TPI_MOST_VALUES]; /* texts must stay until the command is done */
    int64_t max_age_ns;                /* a reading may be so old; 0: it is read now */
} tpi_dialog_order;

/* The parts must outlive the conversation. */
tp_status tpi_dialog_create(tpi_dialog **out, const tpi_wired *wired, const tpi_dialog_hooks *hooks,
                            tp_error *err);
void tpi_dialog_destroy(tpi_dialog *dialog);

/* The line is open: registers start anew, set-ups will run again. Ends a command that runs. */
void tpi_dialog_connected(tpi_dialog *dialog, int64_t now_ns);

/* Say that set-ups have run (tests, examples). */
void tpi_dialog_assume_ready(tpi_dialog *dialog);

/* Begin a command. Fails with TP_E_LIMIT while another one runs. */
tp_status tpi_dialog_begin(tpi_dialog *dialog, const tpi_dialog_order *order, int64_t now_ns);

/* Whether the order can be answered at once from the last reading (max_age_ns). */
bool tpi_dialog_knows(const tpi_dialog *dialog, const tpi_dialog_order *order, int64_t now_ns);

/* Bytes have arrived. */
void tpi_dialog_receive(tpi_dialog *dialog, const uint8_t *data, size_t length, int64_t now_ns);

/* Time has passed: call it when due_ns has come. */
void tpi_dialog_tick(tpi_dialog *dialog, int64_t now_ns);

/* When tick must be called; INT64_MAX for never. */
int64_t tpi_dialog_due_ns(const tpi_dialog *dialog);

/* Forget what is known of the parts from this number on: others are plugged in now. Not while a
 * command runs. */
void tpi_dialog_forget(tpi_dialog *dialog, unsigned from);

/* Whether a command runs, or has to wait until the robot hears it. */
bool tpi_dialog_is_busy(const tpi_dialog *dialog);

/* The reply that is waited for; NULL for none. */
const tpi_pattern *tpi_dialog_expects(const tpi_dialog *dialog);

/* The command whose reply of the universal protocol is waited for; TPI_COMMANDS for none. */
tpi_command tpi_dialog_awaits(const tpi_dialog *dialog);

/* Show the bytes to people, without a robot: <check>, <poll> and <await> hold at once, since the
 * values of invented replies mean nothing. */
void tpi_dialog_invent(tpi_dialog *dialog);

/* Hand over a reply that fits what is waited for, with invented values. False if there is none. */
bool tpi_dialog_pretend(tpi_dialog *dialog, int64_t now_ns);

/* How the last command ended. */
const tpi_outcome *tpi_dialog_outcome(const tpi_dialog *dialog);

/* End the command that runs with "stopped", and write the stop bytes. Without a <stop> only the
 * command ends. For a robot that drops bytes they are written again later, by tpi_dialog_tick(). */
void tpi_dialog_stop(tpi_dialog *dialog, int64_t now_ns);

/* The frames that <stop> stands for, for a guard. False if they do not fit. */
bool tpi_dialog_stop_bytes(tpi_dialog *dialog, tpi_bytes *out);

/* Set a word of a register (tests, examples); `index` is 0 for a register without an index. False
 * if there is none. */
bool tpi_dialog_set_register(tpi_dialog *dialog, const char *name, unsigned index, double value);

/* What WaitTrigger remembers between its readings; zeroed before the first one. */
typedef struct tpi_trigger {
    bool was_read;
    bool held; /* at the last reading */
} tpi_trigger;

/* A new reading of WaitTrigger: whether it is what the comparison (0 to 7) waits for. */
bool tpi_trigger_fires(tpi_trigger *trigger, unsigned comparison, double reading, double value);

/* Bytes that fitted nothing since the connection. */
uint64_t tpi_dialog_noise(const tpi_dialog *dialog);

#endif
