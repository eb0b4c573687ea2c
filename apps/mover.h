/*
 * mover.h - what the commands of troupe motion share: which robot, its key, Ctrl-C, progress.
 *
 * Functions that return int return an exit code; unless it is EXIT_DONE they have said why.
 */
#ifndef TROUPE_APPS_MOVER_H
#define TROUPE_APPS_MOVER_H

#include "remote.h"
#include "troupe/motion.h"

struct mover {
    struct remote remote; /* the options; its client is not used */
    tp_motion *robot;     /* owned; NULL until it is connected */
    int64_t start_ns;     /* when the command began */
    int64_t shown_ns;     /* when progress was shown last; 0 for never */
};

#define MOVER_OPTIONS_HELP                                                                         \
    "  -u, --url URL   the robot: motion://HOST[:PORT], HOST[:PORT] or unix:PATH; default\n"       \
    "                  TROUPE_MOTION_URL or localhost:7665\n"                                      \
    "  --key-file FILE the file with the key, which gives the right to move\n"                     \
    "  --key KEY       the key itself, visible to other users; default TROUPE_KEY\n"               \
    "  --timeout S     time to wait for an answer, in seconds (5)\n"

/* The commands, each with the arguments behind its name. */
int motion_goto(int argc, char **argv);
int motion_set(int argc, char **argv);
int motion_play(int argc, char **argv);
int motion_record(int argc, char **argv);
int motion_state(int argc, char **argv);
int motion_rate(int argc, char **argv);
int motion_hold(int argc, char **argv);
int motion_resume(int argc, char **argv);
int motion_panic(int argc, char **argv);
int motion_reset(int argc, char **argv);

/* Print the description of the robot at a URL. */
int motion_describe_remote(const char *url, bool json);

void mover_init(struct mover *mover);
void mover_fini(struct mover *mover);

/* Whether all these commands have the option at argv[*i], and reading it. */
bool mover_has_option(const char *option);
int mover_option(struct mover *mover, int argc, char **argv, int *i);

/* An option that is not known, or an argument too many; `known` are options of this command. */
int mover_unexpected(const struct mover *mover, const char *argument, const char *const *known);

/* An argument that is a number. */
int mover_number(const struct mover *mover, const char *what, const char *text, double *value);

/* Connect, and catch Ctrl-C: the first one interrupts the call that waits, the second one ends the
 * program. */
int mover_connect(struct mover *mover);
bool mover_is_interrupted(void);

/* Leave the server and connect as another client. */
int mover_connect_again(struct mover *mover);

/* Tell why a call failed. */
int mover_fail(const struct mover *mover, const tp_error *err);

/* Stop what this command moves, and tell that it was interrupted. */
int mover_stop(struct mover *mover);

/* Show how far it is on standard error, after two seconds. Replaces what was shown before. */
void mover_progress(struct mover *mover, const char *format, ...) TP_PRINTF(2, 3);
void mover_progress_end(struct mover *mover);

/* Wait for the end of commands with tags from `first` on, with progress; Ctrl-C stops them. */
int mover_wait(struct mover *mover, uint32_t first, uint32_t count, const char *what);

/* "head:1": the name of a dof. */
const char *mover_dof_name(const tp_motion_robot *robot, uint16_t joint, uint16_t dof,
                           char out[48]);

#endif
