/*
 * process.h - child processes, for code whose crash must not end the server.
 *
 * A child does not outlive its parent. Its standard input is a pipe to which nothing is written.
 * The child must end when that pipe is closed, however the parent ended. All functions belong to
 * the loop's thread.
 */
#ifndef TROUPE_PROCESS_H
#define TROUPE_PROCESS_H

#include "troupe/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_process tp_process;

/* The descriptor from which a child reads the text that the parent passes to it. */
enum { TP_PROCESS_TEXT_FD = 3 };

/* Start a program. `arguments` begin with its path, or with a name to search for, and end with
 * NULL. `text` is what the child reads from TP_PROCESS_TEXT_FD; NULL for nothing. The child's
 * output goes to our standard error. All arguments are copied. `ended` is called once, later, with
 * the exit code and the signal that killed the child (0 for none), unless the process is destroyed
 * before. */
TP_API tp_status tp_process_start(tp_process **out, tp_loop *loop, const char *const *arguments,
                                  const char *text,
                                  void (*ended)(void *context, int64_t code, int signal),
                                  void *context, tp_error *err);

/* The process id. */
TP_API long tp_process_number(const tp_process *process);

/* End the child: close its standard input, and kill it if it has not ended after two seconds. Does
 * not wait; tp_loop_destroy() does. NULL is accepted. */
TP_API void tp_process_destroy(tp_process *process);

/* ---- In the child ---------------------------------------------------------------------------- */

typedef struct tp_lifeline tp_lifeline;

/* Call `ended` once, on the loop, when the standard input is closed: the parent has ended or has
 * destroyed this process. */
TP_API tp_status tp_lifeline_watch(tp_lifeline **out, tp_loop *loop, void (*ended)(void *context),
                                   void *context, tp_error *err);
TP_API void tp_lifeline_destroy(tp_lifeline *lifeline); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
