/* signal.c - signals and other records for the return queue of a client. */
#include <stdarg.h>
#include <stdio.h>

#include "motion/inside.h"

enum { LONGEST_RECORD = 65535 + TPI_MOTION_RECORD };

static uint64_t to_us(int64_t ns)
{
    return ns > 0 ? (uint64_t)ns / 1000 : 0;
}

void tpi_motion_answer(tpi_motion_engine *e, tpi_motion_client *client, uint16_t code, uint32_t tag,
                       const void *value, bool passing)
{
    const size_t size = tpi_motion_record_put(e->room.record, LONGEST_RECORD, code, tag, value);

    if (size > 0 && !client->gone) {
        tpi_motion_answers_add(&client->answers, e->room.record, size, passing);
        tpi_motion_brief_of(e, client)->told = true;
    }
}

bool tpi_motion_signal_answers(const tpi_motion_subject *subject)
{
    return subject->mode == TPI_MOTION_DIRECT || (subject->flags & TPI_MOTION_ACK) != 0;
}

/* Where not every command is answered, what went wrong is said. */
static bool is_asked_for(const tpi_motion_subject *subject, tpi_motion_signal signal)
{
    return tpi_motion_signal_answers(subject) ||
           (signal != TPI_MOTION_SUCCESS && signal != TPI_MOTION_MODIFIED);
}

void tpi_motion_signal_send(tpi_motion_engine *e, tpi_motion_client *client,
                            const tpi_motion_subject *subject, tpi_motion_signal signal, bool final,
                            const char *format, ...)
{
    char text[TPI_MOTION_TEXT + 1];
    va_list args;

    if (!is_asked_for(subject, signal)) {
        return;
    }
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const tpi_motion_signalled body = {
        .signal = (uint8_t)signal,
        .final = final,
        .package = subject->package,
        .epoch = signal == TPI_MOTION_PANICKED ? e->epoch : 0,
        .start_us = to_us(subject->start_ns),
        .end_us = final && subject->start_ns > 0 ? to_us(tpi_motion_track_present(e)) : 0,
        .length = (uint16_t)(length < TPI_MOTION_TEXT ? length : TPI_MOTION_TEXT),
        .text = text,
    };
    tpi_motion_answer(e, client, TPI_MOTION_SIGNAL, subject->tag, &body, false);
}
