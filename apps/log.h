/* log.h - what the commands of troupe log share. */
#ifndef TROUPE_APPS_LOG_H
#define TROUPE_APPS_LOG_H

#include <stdio.h>

#include "commands.h"
#include "log/field.h"
#include "log/recorder.h"
#include "log/table.h"
#include "troupe/client.h"

/* Each with the arguments behind its name. */
int log_record(int argc, char **argv);
int log_info(int argc, char **argv);
int log_recover(int argc, char **argv);
int log_csv(int argc, char **argv);
int log_plot(int argc, char **argv);

/* Write a recording as a table. `out` is "-" for standard output. */
int log_write_csv(const char *recording, const char *out, const tpi_log_locale *locale);

/* Draw all numbers of a recording; `out` ends in .svg or .png. */
int log_write_plot(const char *recording, const char *out, bool force);

/* Whether the name is one of a picture; says so if not. */
int log_check_picture(const char *path);

/* Record the properties of a device of a Troupe server. Waits for the server. Fails only if the
 * recording does. */
tp_status log_note_properties(tp_proxy *proxy, tpi_log_recorder *recorder, unsigned device,
                              tp_error *err);

/* Ask a device what a recording should know of it, without waiting. */
void log_ask_device(tp_proxy *proxy, tp_proxy_done *done);

/* Record what it has answered. */
tp_status log_note_answer(tp_proxy *proxy, const tp_msg *answer, tpi_log_recorder *recorder,
                          unsigned device, tp_error *err);

/* "de" and other languages with a decimal comma; "en" and "C". False if it is not known. */
bool log_locale_named(const char *language, tpi_log_locale *locale);

/* A condition on a number of a device: "aio:0/voltages[0]>2.5". Zeroed: none. */
struct log_condition {
    const char *text; /* borrowed; NULL for none */
    char device[80], path[128];
    double limit;
    tpi_log_field field;
    unsigned code; /* of the message that has the number */
    bool above, equal, bound, is_true;
};

/* Read it from the command line; says what is wrong. */
int log_condition_read(struct log_condition *condition, const char *option, const char *text);

/* A device that is recorded: if the condition is about it, find the number. */
int log_condition_bind(struct log_condition *condition, const char *device,
                       const tp_interface *interface);

/* Whether its device is recorded; says so if not. */
int log_condition_check(const struct log_condition *condition);

/* Look at a message. True if it has the number: then `is_true` is the result. */
bool log_condition_see(struct log_condition *condition, const char *device, unsigned code,
                       const void *value);

/* A recording to read. */
struct log_file {
    FILE *file;             /* owned */
    tpi_log_reader *reader; /* owned */
    tpi_log_source source;
};

/* Open a recording; says why it cannot. */
int log_file_open(struct log_file *file, const char *path);
void log_file_close(struct log_file *file);

/* A sink of a writer: `context` is a FILE. */
tp_status log_file_sink(void *context, const void *bytes, size_t length, tp_error *err);

/* Create a file that must not exist, unless `force`. */
int log_file_create(FILE **out, const char *path, bool force);

/* The arguments of a command: a recording, an output, --force, --locale; NULL for what it does not
 * have. */
int log_read_paths(int argc, char **argv, const char **in, const char **out, bool *force,
                   tpi_log_locale *locale);

/* Whether the text ends in this. */
bool log_ends_in(const char *text, const char *ending);

#endif
