/* signal.c - signals and other records for the return queue of a client. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static void send(tpi_motion_engine *e, tpi_motion_client *client, const tpi_motion_subject *subject,
                 tpi_motion_signalled *body, const char *why)
{
    char text[TPI_MOTION_TEXT + 1];

    (void)snprintf(text, sizeof text, "%s", why);
    body->package = subject->package;
    body->epoch = body->signal == TPI_MOTION_PANICKED ? e->epoch : 0;
    body->start_us = to_us(subject->start_ns);
    body->length = (uint16_t)strlen(text);
    body->text = text;
    tpi_motion_answer(e, client, TPI_MOTION_SIGNAL, subject->tag, body, false);
}

void tpi_motion_signal_end(tpi_motion_engine *e, tpi_motion_client *client,
                           const tpi_motion_subject *subject, tpi_motion_signal signal,
                           int64_t end_ns, const char *text)
{
    tpi_motion_signalled body = {.signal = (uint8_t)signal,
                                 .final = true,
                                 .end_us = subject->start_ns > 0 ? to_us(end_ns) : 0};

    if (is_asked_for(subject, signal)) {
        send(e, client, subject, &body, text);
    }
}

void tpi_motion_signal_send(tpi_motion_engine *e, tpi_motion_client *client,
                            const tpi_motion_subject *subject, tpi_motion_signal signal, bool final,
                            const char *format, ...)
{
    tpi_motion_signalled body = {.signal = (uint8_t)signal};
    char text[TPI_MOTION_TEXT + 1];
    va_list args;

    if (!is_asked_for(subject, signal)) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (final) {
        tpi_motion_signal_end(e, client, subject, signal, tpi_motion_track_present(e), text);
    } else {
        send(e, client, subject, &body, text);
    }
}
