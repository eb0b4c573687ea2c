/*
 * program.h - what the files of this driver share.
 *
 *     program.c    the instance: parameters, life, halts, panics
 *     run.c        running: turns of the machine, pauses, steps, limits
 *     channels.c   messages between programs
 *     robot.c      orders for the robot and their outcomes
 *     match.c      how the devices of the program fit the robot
 *     texts.c      sources: checking, formatting, blocks, loading, lists
 *     state.c      what clients see: state, output, log
 *     transfer.c   moving to another server, and from one
 *     settle.c     a move that was cut is ended by the servers themselves
 *     keep.c       the file that keeps a program in transit
 *
 * The machine runs on the thread of the instance, some lines at a time; between them requests of
 * clients are answered. A command for the robot is a request to its device `universal`; the machine
 * stands until it is answered. In every phase but RUNNING the robot is stopped.
 */
#ifndef TROUPE_DRIVERS_PROGRAM_PROGRAM_H
#define TROUPE_DRIVERS_PROGRAM_PROGRAM_H

#include "base/buf.h"
#include "play/runner.h"
#include "play/transit.h"
#include "play/trouble.h"
#include "troupe/driver/program.h"
#include "troupe/interfaces/universal.h"
#include "universal/channels.h"

enum {
    MOST_NAME = 64,      /* of a program, with its NUL */
    MOST_ID = 64,        /* of a transfer, with its NUL */
    MOST_PEER = 128,     /* a URL, with its NUL */
    MOST_PEERS = 8,      /* devices of other servers that are asked about moves */
    MOST_LINE = 1024,    /* bytes of a printed line */
    MOST_PAIRS = 128,    /* commands with devices that are looked at before it runs */
    MOST_SENTENCE = 320, /* of an explanation or error */
    LINES_A_TURN = 1000, /* of the program; then other work of the thread comes first */
    MOST_DEVICES = TP_UNIVERSAL_MOST_DEVICES,
};

/* A line that was printed. */
struct printed {
    char *text; /* owned */
    double time;
    unsigned line;
};

/* A command that the program uses with a device, or without one. */
struct pair {
    tpi_command command;
    int device; /* -1 for none */
};

/* A device of the program on this robot, or a command without one. */
struct found {
    char name[TPI_PLAY_MOST_NAME + 4];
    bool is_command, fits, moves, is_inverted;
    int part;
    char explanation[MOST_SENTENCE];
};

/* A program that was loaded. */
struct loaded {
    char name[MOST_NAME];
    tpi_buf text;
    tpi_play_program program; /* with marks of lines */
    unsigned bytes;           /* without them */
};

/* What is asked of the robot, one thing at a time. */
enum asking { ASKS_NOTHING, ASKS_MATCH, ASKS_EXPLAIN, ASKS_ORDER, ASKS_MOTION };

/* What the configuration says. */
struct program_settings {
    bool is_loose;
    double retry_s; /* after a fault; 0 for never */
    double rate;    /* of prints, logs and messages in a second */
    uint32_t seed;
};

/* Programs of the server, and what editors need. */
struct program_shelf {
    tpi_buf grammar;                /* of blocks, made once */
    tpi_buf folder;                 /* of programs; "" for none */
    tpi_buf list_items, list_texts; /* the last list of programs */
    unsigned list_count;
    int64_t listed_ns;
    char fetched[MOST_NAME];
};

/* Times of the program. */
struct program_times {
    int64_t began_ns;  /* program time 0; moves on in pauses */
    int64_t ends_ns;   /* of `seconds`, in program time; INT64_MAX for never */
    int64_t paused_ns; /* since when it stands */
    int64_t looked_ns; /* when it was looked at last */
    int64_t retry_ns;  /* when it begins again after a fault; INT64_MAX for never */
};

/* What it has done. */
struct program_counts {
    int64_t steps, commands, printed, held;
};

/* What is under way. */
struct program_flow {
    enum asking asking;
    uint32_t asked;       /* answers to earlier questions are ignored */
    tpi_play_order order; /* that the robot carries out */
    unsigned motion;      /* the next one that is begun again after a pause */
    bool resumes;         /* motions of before the pause are begun again first */
    bool is_stepping;     /* it stands still at the next line */
    bool is_fresh_step;   /* the line of the step has not begun */
    bool wants_pause;     /* at the next line, or when the robot has answered */
    tp_ticket *step;      /* of STEP; NULL for none */
    int64_t step_ns;      /* when it was asked */
    double tokens;        /* for prints, logs and messages */
    int64_t tokens_ns;
};

/* Matching. */
struct program_fit {
    tp_ticket *ticket; /* of RUN, LAUNCH, MATCH or ARRIVE; NULL for none */
    enum { THEN_ANSWER, THEN_RUN, THEN_ARRIVE, THEN_STAND } then;
    struct pair pairs[MOST_PAIRS];
    unsigned pair_count, pair;
    struct found *found; /* owned: MOST_DEVICES and MOST_PAIRS */
    unsigned found_count;
    uint32_t revision;
    char misfit[MOST_SENTENCE]; /* the first reason why it does not fit; "" for none */
};

/* What clients see. */
struct program_seen {
    struct printed lines[TP_PROGRAM_MOST_LINES];
    int64_t published_ns; /* of the state */
    int64_t told;         /* lines that were published */
    bool has_changed;
    tpi_buf room, items, texts, devices; /* of the last answer */
    tp_program_line tasks[TPI_PLAY_MOST_TASKS];
};

/* Moving to another server, or from one. */
struct program_move {
    char id[MOST_ID], peer[MOST_PEER];
    bool is_source;
    tp_program_phase before; /* phase of the source before it left */
    uint8_t proof[TP_PROGRAM_PROOF], hash[TP_PROGRAM_PROOF];
    tpi_buf state;     /* of the machine, and its times */
    tp_ticket *ticket; /* of DEPART, while the robot answers */
    tpi_buf file;      /* that keeps it; "" for none */
    bool is_unmatched; /* since a restart the robot has not been found to fit */
};

/* Settling a move with the other server. */
struct program_settle {
    tp_link *peers[MOST_PEERS]; /* borrowed: program:N of other servers */
    unsigned peer_count;
    unsigned at;      /* the peer that is asked */
    uint32_t asked;   /* answers to earlier questions are ignored */
    bool is_asking;   /* a round is under way */
    bool has_silent;  /* in this round: a peer has not answered */
    bool is_over;     /* the program has begun at the target */
    int64_t after_ns; /* this long after the last step of the move, and between two rounds */
    int64_t next_ns;  /* the next round */
};

struct program {
    tp_instance *instance;      /* borrowed */
    tp_device *device;          /* borrowed: program:N */
    tp_link *robot;             /* borrowed: universal:N */
    tp_link *board;             /* borrowed: blackboard:N, which carries channels; NULL for none */
    tpi_vocabulary *vocabulary; /* owned */
    struct program_settings settings;
    struct program_shelf shelf;
    tp_program_phase phase;
    struct loaded loaded;
    uint32_t loads;
    bool starts;             /* it belongs to the server, not to a client */
    tpi_play_runner *runner; /* owned */
    tpi_channels *boxes;     /* owned; the mailboxes of its channels */
    tp_program_run wish;     /* of the last RUN */
    char error[MOST_SENTENCE];
    unsigned error_line;
    struct program_times times;
    struct program_counts counts;
    struct program_flow flow;
    struct program_fit fit;
    struct program_seen seen;
    struct program_move move;
    struct program_settle settle;
};

static inline struct program *program_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static inline int64_t program_now(const struct program *p)
{
    return tp_clock_now_ns(tp_instance_clock(p->instance));
}

/* ---- run.c ---- */

/* Prepare the machine, and run from the beginning. The program fits the robot. */
void tpi_program_begin(struct program *p);

/* Run until the robot is asked, all wait, or other work has to come first. */
void tpi_program_turn(struct program *p);

/* The program ends; the robot stops. `why` may be "". */
void tpi_program_end(struct program *p, tp_program_phase phase, unsigned line, const char *why);

/* It stands still, or goes on. */
void tpi_program_stand(struct program *p);
void tpi_program_go_on(struct program *p, bool steps);

/* Choose the time of the next turn. */
void tpi_program_wait(struct program *p, int64_t until_ns);

/* Time of the program. */
int64_t tpi_program_time_ns(const struct program *p);

/* Whether a program runs, is paused or is in transit: it cannot be replaced. */
bool tpi_program_is_busy(const struct program *p);

tp_status tpi_program_run(tp_device *device, const tp_program_run *ask, tp_program_matches *answer,
                          tp_error *err);
tp_status tpi_program_launch(tp_device *device, const tp_program_run *ask,
                             tp_program_matches *answer, tp_error *err);
tp_status tpi_program_stop(tp_device *device, tp_error *err);
tp_status tpi_program_pause(tp_device *device, tp_error *err);
tp_status tpi_program_resume(tp_device *device, tp_error *err);
tp_status tpi_program_step(tp_device *device, tp_program_state *answer, tp_error *err);

/* ---- robot.c ---- */

/* Have the order of the machine carried out. */
void tpi_program_order(struct program *p);

/* Begin the next motion of before the pause again. False if there is none left. */
bool tpi_program_repeat_motion(struct program *p);

/* Stop the robot; answers that are on their way are ignored. */
void tpi_program_halt_robot(struct program *p);

/* Requests of channels, prints and logs. False if the program has to wait: it is too fast. */
bool tpi_program_tell(struct program *p);

/* ---- channels.c ---- */

/* Open the mailboxes of the loaded program. False if memory runs out. */
bool tpi_program_open_channels(struct program *p);

/* A request of a channel: write, read, count. */
void tpi_program_channel(struct program *p);

/* Data of the blackboard has come. */
void tpi_program_heard(tp_instance *self, tp_link *from, const tp_msg *msg);

/* ---- match.c ---- */

/* Match the loaded program; the answer of the ticket, and what comes then, follow. */
tp_status tpi_program_match(struct program *p, bool is_loose, tp_error *err);

/* The request MATCH. */
tp_status tpi_program_request_match(tp_device *device, const tp_program_run *ask,
                                    tp_program_matches *answer, tp_error *err);

/* Fill the list of devices; borrowed from the program. */
void tpi_program_fill_devices(struct program *p, tp_program_device **out, uint32_t *count);

/* ---- texts.c ---- */

/* Load a text. The report is borrowed. False if it has mistakes or does not fit. */
bool tpi_program_load(struct program *p, const char *name, const char *text, size_t length,
                      tp_program_report *report, tp_error *err);
void tpi_program_unload(struct program *p);

tp_status tpi_program_check(tp_device *device, const tp_program_source *ask,
                            tp_program_report *answer, tp_error *err);
tp_status tpi_program_format(tp_device *device, const tp_program_source *ask,
                             tp_program_converted *answer, tp_error *err);
tp_status tpi_program_blocks(tp_device *device, const tp_program_source *ask,
                             tp_program_converted *answer, tp_error *err);
tp_status tpi_program_text(tp_device *device, const tp_program_source *ask,
                           tp_program_converted *answer, tp_error *err);
tp_status tpi_program_request_load(tp_device *device, const tp_program_source *ask,
                                   tp_program_report *answer, tp_error *err);
tp_status tpi_program_grammar(tp_device *device, tp_program_text *answer, tp_error *err);
tp_status tpi_program_list(tp_device *device, tp_program_list *answer, tp_error *err);
tp_status tpi_program_fetch(tp_device *device, const tp_program_name *ask,
                            tp_program_source *answer, tp_error *err);

/* ---- state.c ---- */

/* Fill the state; borrowed from the program. */
void tpi_program_fill_state(struct program *p, tp_program_state *out);
tp_status tpi_program_request_state(tp_device *device, tp_program_state *answer, tp_error *err);
tp_status tpi_program_output(tp_device *device, const tp_program_output_wish *ask,
                             tp_program_output *answer, tp_error *err);

/* Something has changed that clients see. */
void tpi_program_changed(struct program *p);

/* Publish what has changed, if it is time; when it will be time, INT64_MAX for nothing. */
int64_t tpi_program_publish(struct program *p, bool at_once);

/* A line was printed; a value was logged. */
void tpi_program_print(struct program *p, const char *text);
void tpi_program_log(struct program *p);
void tpi_program_forget_output(struct program *p);

/* ---- transfer.c ---- */

tp_status tpi_program_depart(tp_device *device, const tp_program_transfer *ask,
                             tp_program_package *answer, tp_error *err);
tp_status tpi_program_arrive(tp_device *device, const tp_program_package *ask,
                             tp_program_matches *answer, tp_error *err);
tp_status tpi_program_release(tp_device *device, const tp_program_transfer *ask,
                              tp_program_proof *answer, tp_error *err);
tp_status tpi_program_go(tp_device *device, const tp_program_proof *ask, tp_error *err);
tp_status tpi_program_return(tp_device *device, const tp_program_transfer *ask, tp_error *err);
tp_status tpi_program_forget(tp_device *device, const tp_program_transfer *ask, tp_error *err);
tp_status tpi_program_transfer(tp_device *device, const tp_program_transfer *ask,
                               tp_program_settled *answer, tp_error *err);
tp_status tpi_program_claim(tp_device *device, const tp_program_transfer *ask, tp_error *err);

/* The source gives the program up: from now on its proof may be shown. */
tp_status tpi_program_give_up(struct program *p, tp_error *err);

/* The source goes on as before. */
void tpi_program_take_back(struct program *p);

/* The target goes on, if the proof is right. */
tp_status tpi_program_take_proof(struct program *p, const uint8_t *proof, tp_error *err);

/* The target drops the program. */
void tpi_program_drop(struct program *p);

/* The program that arrived fits, or does not. */
void tpi_program_arrived(struct program *p);

/* The program stands: the package of DEPART can be given. */
void tpi_program_departed(struct program *p);

/* Load program, state and time; on failure nothing is loaded. */
tp_status tpi_program_unpack(struct program *p, const tpi_play_transit *is, tp_error *err);

void tpi_program_transfer_fini(struct program *p);

/* ---- settle.c ---- */

/* Read the parameter, use the devices of other servers. From init. */
tp_status tpi_program_settle_init(struct program *p, tp_error *err);

/* A step of the move was made: it is settled if nothing more happens. */
void tpi_program_settle_later(struct program *p);

/* When the other servers are asked; INT64_MAX for never. */
int64_t tpi_program_settle_ns(const struct program *p);

/* Ask them, if it is time. */
void tpi_program_settle(struct program *p);

/* ---- keep.c ---- */

/* Write the step of the move to the file, on the disk; nothing without a file. */
tp_status tpi_program_keep(struct program *p, tpi_play_transit_step step, tp_error *err);

/* The program is in transit no more. */
void tpi_program_unkeep(struct program *p);

/* After a restart: take what the file has, if there is one. */
tp_status tpi_program_recall(struct program *p, const char *path, tp_error *err);

/* Match a program that was recalled. */
void tpi_program_rematch(struct program *p);

/* TP_OK if the program can go on on this robot. */
tp_status tpi_program_is_matched(const struct program *p, tp_error *err);

#endif
