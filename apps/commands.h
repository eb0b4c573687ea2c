/* commands.h - the sub-commands of troupe, and what they share. */
#ifndef TROUPE_APPS_COMMANDS_H
#define TROUPE_APPS_COMMANDS_H

#include <stdint.h>

#include "base/buf.h"
#include "troupe/padi.h"

/* Exit codes: 0 done, 1 it failed, 2 the command line was wrong. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct command {
    const char *name;
    const char *summary;
    const char *help; /* printed by `troupe NAME --help` */
    int (*run)(int argc, char **argv);
} command;

extern const command command_interfaces;
extern const command command_encode;
extern const command command_decode;
extern const command command_demo;
extern const command command_new;
extern const command command_panic;
extern const command command_reset;
extern const command command_kick;
extern const command command_run;
extern const command command_check;
extern const command command_drivers;
extern const command command_fronts;
extern const command command_sim;
extern const command command_list;
extern const command command_print;
extern const command command_send;
extern const command command_request;
extern const command command_property;
extern const command command_stat;
extern const command command_frames;
extern const command command_doctor;
extern const command command_motion;
extern const command command_robots;
extern const command command_sensors;
extern const command command_translate;
extern const command command_emulate;
extern const command command_play;
extern const command command_drive;
extern const command command_goto;
extern const command command_log;
extern const command command_experiment;
extern const command command_view;

/* "troupe NAME: text" on standard error; returns `code`, so that failing is one line. */
int command_fail(const char *name, int code, const char *format, ...) TP_PRINTF(3, 4);

/* Fail since nobody knows the argument; `best` is the option without dashes that may have been
 * meant, NULL for that of the command's help which is nearest. */
int command_unexpected(const char *name, const char *argument, const char *best);

/* Read a whole number from `least` to `most`, which is `what`; fails for anything else. */
int command_read_whole(const char *name, const char *what, const char *text, uint64_t least,
                       uint64_t most, uint64_t *value);

/* Call the handler at each signal of that number, not only the first; what it interrupts goes on
 * afterwards. */
void command_catch(int number, void (*handler)(int number));

/* Print the text and release it; an exit code. */
int command_write(const char *name, tpi_buf *text);

/* The same for text that people read: on a terminal, long lines go on in the next one. */
int command_write_wrapped(const char *name, tpi_buf *text);

/* The next argument as the value of an option; NULL (and a message) if there is none. */
const char *command_value(const char *name, int argc, char **argv, int *i);

/* The built-in interfaces; NULL (and a message) on failure. */
tp_catalogue *command_catalogue(const char *name);

/* --load FILE at argv[*i]: load the interface file; an exit code. */
int command_load(const char *name, tp_catalogue *catalogue, int argc, char **argv, int *i);

/* `; did you mean "laser"?`, or nothing if no interface has a name like this one. */
const char *command_interface_hint(const tp_catalogue *catalogue, const char *name, char *hint,
                                   size_t size);

/* An interface by name, or a message with the nearest known name, or with `otherwise` if there is
 * none. */
const tp_interface *command_interface(const char *caller, const tp_catalogue *catalogue,
                                      const char *name, const char *otherwise);

#endif
