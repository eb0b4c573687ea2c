/* answers.c - see answers.h. */
#include "motion/answers.h"

#include <stdlib.h>
#include <string.h>

/* What stands in a ring before each record. */
struct label {
    uint64_t number; /* when it was issued */
    uint64_t size;
};

static void ring_put(tpi_motion_ring *ring, const void *from, size_t size)
{
    const size_t at = (ring->first + ring->used) % ring->size;
    const size_t part = size < ring->size - at ? size : ring->size - at;

    memcpy(ring->bytes + at, from, part);
    memcpy(ring->bytes, (const uint8_t *)from + part, size - part);
    ring->used += size;
}

static void ring_look(const tpi_motion_ring *ring, size_t offset, void *to, size_t size)
{
    const size_t at = (ring->first + offset) % ring->size;
    const size_t part = size < ring->size - at ? size : ring->size - at;

    memcpy(to, ring->bytes + at, part);
    memcpy((uint8_t *)to + part, ring->bytes, size - part);
}

static void ring_skip(tpi_motion_ring *ring, size_t size)
{
    ring->first = (ring->first + size) % ring->size;
    ring->used -= size;
    ring->count--;
}

static bool ring_fits(const tpi_motion_ring *ring, size_t size)
{
    return size + sizeof(struct label) <= ring->size - ring->used;
}

tp_status tpi_motion_answers_init(tpi_motion_answers *answers, size_t lasting, size_t passing)
{
    *answers = (tpi_motion_answers){0};
    answers->lasting = (tpi_motion_ring){.bytes = malloc(lasting), .size = lasting};
    answers->passing = (tpi_motion_ring){.bytes = malloc(passing), .size = passing};
    if (answers->lasting.bytes == NULL || answers->passing.bytes == NULL) {
        tpi_motion_answers_fini(answers);
        return TP_E_NOMEM;
    }
    return TP_OK;
}

void tpi_motion_answers_fini(tpi_motion_answers *answers)
{
    free(answers->lasting.bytes);
    free(answers->passing.bytes);
    *answers = (tpi_motion_answers){0};
}

static void drop_oldest(tpi_motion_answers *answers)
{
    struct label label;

    ring_look(&answers->passing, 0, &label, sizeof label);
    ring_skip(&answers->passing, sizeof label + label.size);
    answers->dropped++;
}

void tpi_motion_answers_add(tpi_motion_answers *answers, const uint8_t *record, size_t size,
                            bool passing)
{
    tpi_motion_ring *ring = passing ? &answers->passing : &answers->lasting;
    const struct label label = {answers->issued++, size};

    while (passing && !ring_fits(ring, size) && ring->count > 0) {
        drop_oldest(answers);
    }
    if (!ring_fits(ring, size)) {
        answers->dropped += passing;
        answers->lost = answers->lost || !passing;
        return;
    }
    ring_put(ring, &label, sizeof label);
    ring_put(ring, record, size);
    ring->count++;
}

/* The ring whose first record is the oldest; NULL if both are empty. */
static tpi_motion_ring *oldest(tpi_motion_answers *answers, struct label *label)
{
    struct label other;

    if (answers->lasting.count == 0 && answers->passing.count == 0) {
        return NULL;
    }
    if (answers->lasting.count == 0) {
        ring_look(&answers->passing, 0, label, sizeof *label);
        return &answers->passing;
    }
    ring_look(&answers->lasting, 0, label, sizeof *label);
    if (answers->passing.count == 0) {
        return &answers->lasting;
    }
    ring_look(&answers->passing, 0, &other, sizeof other);
    if (label->number < other.number) {
        return &answers->lasting;
    }
    *label = other;
    return &answers->passing;
}

size_t tpi_motion_answers_take(tpi_motion_answers *answers, uint8_t *out, size_t space,
                               uint16_t *records)
{
    struct label label;
    tpi_motion_ring *ring;
    size_t size = 0;

    *records = 0;
    while (*records < UINT16_MAX && (ring = oldest(answers, &label)) != NULL) {
        if (label.size > space - size) {
            break;
        }
        ring_look(ring, sizeof label, out + size, label.size);
        ring_skip(ring, sizeof label + label.size);
        size += label.size;
        (*records)++;
    }
    return size;
}

uint32_t tpi_motion_answers_count(const tpi_motion_answers *answers)
{
    return answers->lasting.count + answers->passing.count;
}
