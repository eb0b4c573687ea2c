/*
 * reader.c - the readers of a device: the lists that they are in, which one keeps others from
 * writing, how many are behind and how many take part. The loop's, but for tp_device_behind() and
 * tp_device_participants().
 */
#include <assert.h>

#include "device/inside.h"

static tpi_reader **list_of(const tpi_reader *reader)
{
    return reader->paused ? &reader->device->paused : &reader->device->readers;
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
    atomic_fetch_add(&reader->device->forms.takers, reader->paused ? 0 : 1);
}

/* A delivery that is under way goes on with the next reader. */
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
    atomic_fetch_sub(&reader->device->forms.takers, reader->paused ? 0 : 1);
}

void tpi_reader_pause(tpi_reader *reader, bool paused)
{
    if (reader->device != NULL) {
        assert(tp_loop_is_current(reader->device->instance->hub->loop));
        tpi_reader_unlink(reader);
        reader->paused = paused;
        tpi_reader_link(reader);
        if (!paused) {
            tpi_output_may_have_room(reader->device);
        }
    }
    reader->paused = paused;
}

/* ---- The only reader that may write
 * --------------------------------------------------------------------- */

tpi_reader *tpi_device_holder(const tp_device *device)
{
    return device->holder;
}

void tpi_device_set_holder(tp_device *device, tpi_reader *holder)
{
    assert(tp_loop_is_current(device->instance->hub->loop));
    device->holder = holder;
}

/* ---- Readers that are behind
 * --------------------------------------------------------------------------- */

void tpi_device_count_behind(tp_device *device, bool behind)
{
    atomic_fetch_add(&device->behind, behind ? 1U : -1U);
    tpi_output_count_behind(device, behind);
}

uint32_t tp_device_behind(const tp_device *device)
{
    return atomic_load(&device->behind);
}

void tpi_device_count_onlookers(tp_device *device, bool one_more)
{
    atomic_fetch_add(&device->onlookers, one_more ? 1U : -1U);
}

/* Onlookers are counted after they are readers, and forgotten before: in between, a participant
 * more is seen, never one less. */
uint32_t tp_device_participants(const tp_device *device)
{
    const uint32_t onlookers = atomic_load(&device->onlookers);
    const uint32_t readers = tp_device_readers(device);

    return readers > onlookers ? readers - onlookers : 0;
}

void tp_device_keeps(tp_device *device)
{
    device->keeps = true;
}

bool tpi_device_keeps(const tp_device *device)
{
    return device->keeps;
}
