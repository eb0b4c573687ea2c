/*
 * pause.c - subscriptions whose client has no room sleep.
 *
 * A client that has fallen behind misses nearly every message. It need not be told of each: its
 * reader is put aside, the device counts what it sends, and when the client has room again the
 * difference is what was dropped. So a message costs nothing for those who cannot take it. A client
 * with rules or a rate does not sleep, since what comes for it may take the place of what waits.
 */
#include "session/session.h"

/* ---- Readers --------------------------------------------------------------------------------- */

static tpi_reader **list_of(const tpi_reader *reader)
{
    return reader->asleep ? &reader->device->sleepers : &reader->device->readers;
}

void tpi_reader_link(tpi_reader *reader)
{
    tpi_reader **list = list_of(reader);

    reader->previous = NULL;
    reader->next = *list;
    if (*list != NULL) {
        (*list)->previous = reader;
    }
    *list = reader;
}

/* Whoever is told of a message just now goes on with the next one. */
void tpi_reader_unlink(tpi_reader *reader)
{
    if (reader->previous != NULL) {
        reader->previous->next = reader->next;
    } else {
        *list_of(reader) = reader->next;
    }
    if (reader->next != NULL) {
        reader->next->previous = reader->previous;
    }
    for (struct delivery *d = reader->device->deliveries; d != NULL; d = d->outer) {
        d->next = d->next == reader ? reader->next : d->next;
    }
}

static void move(tpi_reader *reader, bool asleep)
{
    tpi_reader_unlink(reader);
    reader->asleep = asleep;
    tpi_reader_link(reader);
}

/* ---- Subscriptions --------------------------------------------------------------------------- */

/* What the device has sent that the client would get. */
static uint64_t sent_so_far(const struct subscription *s)
{
    return s->device->published - (s->session->explain ? 0 : s->device->news);
}

void tpi_sleep_begin(struct subscription *s)
{
    if (s->session->queue.rule_count == 0 && s->period_ns == 0) {
        move(&s->reader, true);
        s->slept_at = sent_so_far(s);
        s->session->sleeping = true;
    }
}

uint64_t tpi_sleep_missed(const tp_session *session)
{
    uint64_t missed = 0;

    for (const struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        missed += s->reader.asleep ? sent_so_far(s) - s->slept_at : 0;
    }
    return missed;
}

void tpi_sleep_end(tp_session *session)
{
    if (!session->sleeping) {
        return;
    }
    session->queue.dropped += tpi_sleep_missed(session);
    session->sleeping = false;
    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (s->reader.asleep && s->reader.device != NULL) {
            move(&s->reader, false);
        }
        s->reader.asleep = false; /* also if its device was removed meanwhile */
    }
}
