/* talk.h - clients of the motion protocol for benchmarks, on blocking sockets. */
#ifndef TROUPE_BENCH_MOTION_TALK_H
#define TROUPE_BENCH_MOTION_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Connect, say HELLO, and wait for the answer. Ends the program if that fails. */
int talk_connect(unsigned port);

/* Frame k of a run: all joints to k * STEP, within a frame's time, at this time of the server. */
void talk_frame(int fd, unsigned frame, int64_t due_us);

/* The server has handled all that was sent before; returns its time. */
int64_t talk_sync(int fd);

/* Drop the frames that wait, from this time of the server on. */
void talk_clear(int fd, int64_t from_us);

/* `count` questions for the state in one package. */
void talk_questions(int fd, unsigned count);

/* Ask for the state all the time, every `period_us`. */
void talk_broadcast(int fd, uint64_t period_us);

/* The header of a panic; the reset of the panic with this number. */
void talk_panic(int fd);
void talk_reset(int fd, uint32_t epoch);

/* Wait for the next signal with PANIC, and return its number. */
uint32_t talk_await_panic(int fd);

/* Wait for the answer to a reset: whether the panic is over. */
bool talk_await_reset(int fd);

/* Drop what has come, without waiting. Counts signals that are errors. */
unsigned talk_drain(int fd);

#endif
