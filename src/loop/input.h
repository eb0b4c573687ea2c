/* input.h - the standard input as it comes: a pipe, a terminal or a file. */
#ifndef TROUPE_LOOP_INPUT_H
#define TROUPE_LOOP_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/loop.h"

typedef struct tpi_input tpi_input;

/* Wait for some bytes, without a loop: how many there are, 0 at the end, -1 if it cannot be read.
 */
long tpi_input_wait(void *room, size_t size);

/* Wait for this time, without a loop: whether there is something to read, or the end. */
bool tpi_input_comes(int64_t wait_ns);

/* How many bytes can be read now; 0 also where that is not known. */
size_t tpi_input_unread(void);

/* Whether nothing more is written to it: a file, or a pipe or socket whose writers have left. There
 * may be something to read. */
bool tpi_input_is_complete(void);

/* How many bytes fit into it before its writer has to wait, at least. A pipe can be full with half
 * of that, as its pages need not be. */
size_t tpi_input_room(void);

/* From now on `came` is called on the loop with what has come: borrowed bytes, 0 of them at the
 * end, after which nothing comes any more; or if it cannot be read. */
tp_status tpi_input_open(tpi_input **out, tp_loop *loop,
                         void (*came)(void *context, const char *bytes, size_t length),
                         void *context, tp_error *err);

/* Nothing comes until it goes on. */
void tpi_input_pause(tpi_input *input);
void tpi_input_resume(tpi_input *input);

/* Also from `came`. NULL is accepted. */
void tpi_input_close(tpi_input *input);

#endif
