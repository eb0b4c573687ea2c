/*
 * process.h - child processes: for what must not take the server down with it.
 *
 * A child lives no longer than its parent: its standard input is a pipe that nothing is ever
 * written to, and it has to end when that pipe does, however the parent ended. Everything belongs
 * to the loop's thread.
 */
#ifndef TROUPE_PROCESS_H
#define TROUPE_PROCESS_H

#include "troupe/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_process tp_process;

/* The descriptor on which a child finds the text that it was given. */
enum { TP_PROCESS_TEXT_FD = 3 };

/* Start a program: `arguments` begin with its path (or its name, to be searched for) and end with
 * NULL; `text` is what it reads at TP_PROCESS_TEXT_FD, NULL for nothing. Its output is ours, on
 * standard error. All is copied. `ended` is called once, later, with its exit code, or the signal
 * that killed it (0 if none did), unless the process is destroyed before. */
TP_API tp_status tp_process_start(tp_process **out, tp_loop *loop, const char *const *arguments,
                                  const char *text,
                                  void (*ended)(void *context, int64_t code, int signal),
                                  void *context, tp_error *err);

TP_API long tp_process_number(const tp_process *process);

/* End it: its input ends, and if that does not help within two seconds it is killed. Does not wait,
 * but tp_loop_destroy() does. NULL is accepted. */
TP_API void tp_process_destroy(tp_process *process);

/* ---- In the child ---------------------------------------------------------------------------- */

typedef struct tp_lifeline tp_lifeline;

/* Call `ended` once, on the loop, when the standard input ends, which means that the parent is gone
 * or does not want this process any more. */
TP_API tp_status tp_lifeline_watch(tp_lifeline **out, tp_loop *loop, void (*ended)(void *context),
                                   void *context, tp_error *err);
TP_API void tp_lifeline_destroy(tp_lifeline *lifeline); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
