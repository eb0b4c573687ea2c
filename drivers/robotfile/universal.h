/*
 * universal.h - the device `universal` of a robotfile: universal commands of clients.
 *
 *     universal.c   the messages: orders
 *     answers.c     their answers
 *     jobs.c        what waits for the line, and in which order it gets it
 *     describe.c    what the robot is: parts, matches, explanations
 *
 * An order becomes a job. The dialog runs one command at a time; jobs that wait are taken by rank:
 * motions, commands of clients that may write, then readings for clients that may only read. Of
 * these at most one in each period of the driver's readings is made, so that such clients slow
 * nobody down. Commands that wait (WaitTime, WaitTrigger) do not hold the line.
 */
#ifndef TROUPE_DRIVERS_ROBOTFILE_UNIVERSAL_H
#define TROUPE_DRIVERS_ROBOTFILE_UNIVERSAL_H

#include "base/buf.h"
#include "troupe/driver/universal.h"
#include "universal/dialog.h"
#include "universal/registry.h"

struct robotfile;

enum {
    MOST_JOBS = 64,
    MOST_LOOKS = 16,       /* of them: jobs of clients that may only read */
    MOST_TEXT = 64 << 10,  /* bytes of all texts of an order */
    MOST_TRACE = 16 << 10, /* bytes of a trace */
    MOST_PROGRAMS = 8,     /* programs that wait until the devices are known */
};

/* A program whose devices are matched later. */
struct waiting {
    tp_ticket *ticket; /* NULL for none */
    tp_universal_program program;
    void *memory; /* owned: of the program */
};

enum job_rank { RANK_MOVE, RANK_RUN, RANK_LOOK, RANKS };

/* An order that is not done yet. */
struct job {
    bool is_used;
    bool is_done;    /* within the call that brought it */
    bool is_running; /* the dialog has it */
    bool traces;
    enum job_rank rank;
    uint64_t number;   /* orders are taken in this order */
    tp_ticket *ticket; /* NULL within the call that brought it */
    tpi_command wait;  /* WAIT_TIME or WAIT_TRIGGER; else COMMANDS */
    int64_t until_ns;  /* the end of the wait */
    int64_t next_ns;   /* not before this time */
    unsigned comparison;
    double threshold;
    tpi_trigger trigger;
    bool fired;
    tpi_dialog_order order;
    char *texts; /* owned: of the order; NULL for none */
};

/* What an order is answered with. Texts are borrowed from the dialog. */
struct verdict {
    tpi_fault fault;
    char text[TPI_DIALOG_TEXT];
    tp_universal_value results[TPI_MOST_RESULTS];
    tp_universal_outcome outcome;
};

struct robotfile_universal {
    tp_device *device;
    tpi_registry *matches[2]; /* owned: of commands without a declared device; strict and loose */
    uint32_t revision;
    struct job jobs[MOST_JOBS];
    struct job *running; /* the dialog has its command; NULL for none */
    struct job *done;    /* within the call that brought it; NULL for none */
    uint64_t number;
    int64_t look_ns; /* the next reading for clients that may only read */
    struct verdict verdict;
    tpi_buf trace;
    tpi_buf texts; /* of the last description */
    tpi_buf items; /* the same */
    struct waiting waiting[MOST_PROGRAMS];
};

/* ---- universal.c ---- */

/* Offer the device if `provides` has it. */
tp_status tpi_robotfile_universal_offer(struct robotfile *r, tp_error *err);

void tpi_robotfile_universal_fini(struct robotfile *r);

/* Other parts are plugged in now; `what` differs for others. Orders for those that are not there
 * fail. */
void tpi_robotfile_universal_changed(struct robotfile *r, uint16_t what);

/* Whether a part can move something. */
bool tpi_robotfile_moves(const struct robotfile *r, int part);

/* The part that an order means; -1 for none, with the fault and its sentence. */
int tpi_robotfile_universal_part(struct robotfile *r, const tp_universal_order *ask,
                                 tpi_command command, struct verdict *verdict);

/* ---- answers.c ---- */

/* Fill the verdict with a fault and its sentence. */
void tpi_robotfile_universal_fail(struct verdict *verdict, tpi_fault fault, const char *format, ...)
    TP_PRINTF(3, 4);

/* Answer a job, or keep the answer for the call that brought it. */
void tpi_robotfile_universal_answer(struct robotfile *r, struct job *job);

/* The command of the running job has ended. */
void tpi_robotfile_universal_settle(struct robotfile *r);

/* The robot was stopped: motions that wait are answered, readings are repeated. */
void tpi_robotfile_universal_halt(struct robotfile *r);

/* The driver stops: all orders are answered. Releases nothing. */
void tpi_robotfile_universal_end(struct robotfile *r);

/* Bytes for the trace: '>' for those that go out. */
void tpi_robotfile_universal_trace(struct robotfile *r, char way, const uint8_t *bytes,
                                   size_t length);

/* ---- jobs.c ---- */

/* A new job; NULL if too many wait. */
struct job *tpi_robotfile_job_take(struct robotfile *r, enum job_rank rank);
void tpi_robotfile_job_release(struct robotfile *r, struct job *job);

/* Begin the next job. False if none is due. */
bool tpi_robotfile_job_begin(struct robotfile *r, int64_t now_ns);

/* Whether a motion waits. */
bool tpi_robotfile_job_moves(const struct robotfile *r);

/* ---- describe.c ---- */

tp_status tpi_robotfile_describe(tp_device *device, tp_universal_robot *answer, tp_error *err);
tp_status tpi_robotfile_parts(tp_device *device, tp_universal_parts *answer, tp_error *err);
tp_status tpi_robotfile_match(tp_device *device, const tp_universal_program *ask,
                              tp_universal_matches *answer, tp_error *err);
/* Answer the programs that wait, or (a reason) refuse them. */
void tpi_robotfile_match_waiting(struct robotfile *r, const char *why);

tp_status tpi_robotfile_explain(tp_device *device, const tp_universal_order *ask,
                                tp_universal_text *answer, tp_error *err);

#endif
