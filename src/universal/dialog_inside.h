/* dialog_inside.h - the state of a conversation, shared by the files of dialog.h. */
#ifndef TROUPE_UNIVERSAL_DIALOG_INSIDE_H
#define TROUPE_UNIVERSAL_DIALOG_INSIDE_H

#include "base/buf.h"
#include "universal/dialog.h"

enum { TPI_MOST_CALLS = 10, TPI_MOST_NUMBER_TEXT = 40 };

/* What a call does. */
typedef enum tpi_call_kind {
    TPI_CALL_STEPS,   /* runs steps */
    TPI_CALL_ADAPT,   /* waits for another command and converts its results */
    TPI_CALL_MEMBERS, /* one wheel after the other */
    TPI_CALL_TRIGGER, /* reads until a comparison holds */
    TPI_CALL_SLEEP,   /* WaitTime */
    TPI_CALL_END,     /* shuts the parts down, then the robot */
    TPI_CALL_RAW,     /* bytes to the robot and back */
    TPI_CALL_PACKET,  /* the robot executes the command itself */
} tpi_call_kind;

/* A command, or steps, that run. The caller's call stands below it. */
typedef struct tpi_frame_call {
    tpi_call_kind kind;
    tpi_command command;
    int part; /* -1 for none */
    const tpi_steps *steps;
    unsigned at; /* the next step, or the phase */
    tpi_value values[TPI_MOST_VALUES];
    tpi_value results[TPI_MOST_RESULTS];
    tpi_value locals[TPI_MOST_LOCALS];
    unsigned poll_count;
    int64_t polls[TPI_MOST_POLLS]; /* when each began */
    int64_t begun_ns;
    int result_local; /* of the call below: where the first result goes; -1 for nowhere */
    bool is_setup;    /* of the part, or of the robot */
    char number[TPI_MOST_NUMBER_TEXT]; /* a number as text */
} tpi_frame_call;

/* What the top call waits for. */
typedef enum tpi_dialog_wait {
    TPI_WAIT_NOTHING,
    TPI_WAIT_GAP, /* until a further write is allowed */
    TPI_WAIT_REPLY,
    TPI_WAIT_UNTIL,  /* a time */
    TPI_WAIT_WORD,   /* a register that <incoming> sets */
    TPI_WAIT_BYTES,  /* Raw: any bytes */
    TPI_WAIT_PACKET, /* a reply of the universal protocol */
} tpi_dialog_wait;

/* The last reading of a command. */
typedef struct tpi_last_reading {
    bool is_there;
    double value;
    int64_t at_ns;
} tpi_last_reading;

enum { TPI_READINGS = TPI_READ_COUNT - TPI_READ_GENERIC + 1 };

typedef struct tpi_part_state {
    bool is_set_up;
    bool level; /* of digital from analog */
    tpi_last_reading readings[TPI_READINGS];
} tpi_part_state;

/* Bytes that fitted nothing while a command ran: the first ones. */
typedef struct tpi_strange {
    unsigned count; /* all of them */
    uint8_t bytes[6];
} tpi_strange;

/* Stop bytes that a robot may have dropped. */
typedef struct tpi_stopping {
    unsigned left;    /* times that they may have to be written again; 0: done */
    int64_t again_ns; /* when they are */
    bool is_heard;    /* the robot has answered since, so it will hear them */
} tpi_stopping;

struct tpi_dialog {
    const tpi_wired *wired; /* borrowed */
    tpi_dialog_hooks hooks;
    int64_t connected_ns, sent_ns, now_ns;
    int64_t kept_ns;                    /* the last timed keep-alive */
    bool has_sent, is_set_up, is_quiet; /* quiet: the command is the keep-alive */
    bool clamp_told;
    bool invents; /* replies are invented: checks hold */
    uint8_t sequence;
    uint64_t noise;
    tpi_strange strange;

    double words[TPI_MOST_WORDS];
    int64_t set_ns[TPI_MOST_WORDS]; /* when <incoming> set a word; -1 for never */

    tpi_dialog_order order;
    unsigned depth; /* calls; 0: idle */
    tpi_frame_call calls[TPI_MOST_CALLS];
    tpi_dialog_wait waiting;
    int64_t until_ns;
    unsigned word; /* of TPI_WAIT_WORD */
    bool is_fresh;
    tpi_trigger trigger; /* of WaitTrigger */
    tpi_outcome outcome;
    tpi_part_state states[TPI_MOST_PARTS];

    uint8_t *input; /* owned; of the robot's largest message */
    size_t input_length;
    char *texts; /* owned; texts of this command's replies */
    size_t texts_length;
    uint8_t *output; /* owned; one instruction, and its frame */
    tpi_buf packet;  /* of the universal protocol */
    bool is_late;    /* a packet was not answered: what comes may be its reply */
    tpi_stopping stopping;
};

/* The top call. */
static inline tpi_frame_call *tpi_dialog_top(tpi_dialog *dialog)
{
    return &dialog->calls[dialog->depth - 1];
}

/* What names stand for in a call. */
tpi_context tpi_dialog_context(tpi_dialog *dialog, tpi_frame_call *call);

/* End the command with a fault. */
void tpi_dialog_fail(tpi_dialog *dialog, tpi_fault fault, const char *format, ...) TP_PRINTF(3, 4);

/* A sentence for the hook. */
void tpi_dialog_note(tpi_dialog *dialog, const char *format, ...) TP_PRINTF(2, 3);

/* Put a call on the stack; NULL, with the fault, if it is full. */
tpi_frame_call *tpi_dialog_push(tpi_dialog *dialog, tpi_call_kind kind, tpi_command command,
                                int part);

/* Begin a universal command on top of the stack, with its set-up. */
void tpi_dialog_call(tpi_dialog *dialog, tpi_command command, int part, const tpi_value *values);

/* Run steps on top of the stack. */
void tpi_dialog_run_steps(tpi_dialog *dialog, const tpi_steps *steps, tpi_command command, int part,
                          const tpi_value *values);

/* The top call is done: take it off and give its results to the call below. */
void tpi_dialog_return(tpi_dialog *dialog);

/* Go on until something is waited for, or the command is done. */
void tpi_dialog_go_on(tpi_dialog *dialog);

/* Execute a step of the top call. */
void tpi_dialog_step(tpi_dialog *dialog);

/* Begin or go on with a command of the engine. */
void tpi_dialog_control(tpi_dialog *dialog, tpi_command command, int part, const tpi_value *values);
void tpi_dialog_go_on_control(tpi_dialog *dialog);

/* The wait of the top call has run out. */
void tpi_dialog_time_out(tpi_dialog *dialog);

/* See whether the input has what is waited for: true if the command can go on. */
bool tpi_dialog_look(tpi_dialog *dialog);

/* Keep texts among the locals of a call, since the input will change. */
void tpi_dialog_keep_texts(tpi_dialog *dialog, tpi_frame_call *call);

/* Execute a <set>. False if a value is wrong. */
bool tpi_dialog_set(tpi_dialog *dialog, const tpi_step *step, const tpi_context *context,
                    bool is_incoming);

/* Begin, or go on with, a command that the robot executes itself; a reply has come: false if it is
 * none. dialog_packet.c */
void tpi_dialog_packet(tpi_dialog *dialog, tpi_command command, int part, const tpi_value *values);
void tpi_dialog_go_on_packet(tpi_dialog *dialog);
bool tpi_dialog_take_packet(tpi_dialog *dialog, const uint8_t *body, size_t length);

/* Write an instruction with its frame. */
bool tpi_dialog_write(tpi_dialog *dialog, const uint8_t *body, size_t length);

/* Values of the command that stands for another one. */
void tpi_convert_values(const tpi_part *part, tpi_command from, tpi_command to,
                        const tpi_value *values, tpi_value *out, char *number, size_t size);

/* Results of the command that stood for another one. */
void tpi_convert_results(tpi_part_state *state, const tpi_part *part, tpi_command from,
                         tpi_command to, tpi_value *results, char *number, size_t size);

/* Turn a reading around: high means the opposite. */
void tpi_convert_sense(const tpi_part *part, tpi_command command, tpi_value *result);

#endif
