/* create_script.c - scripts, waits and songs of an emulated Create; see create.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/create.h"
#include "sim/sense/sensors.h"

enum { WAIT_TIME = 155, WAIT_DISTANCE = 156, WAIT_ANGLE = 157, WAIT_EVENT = 158 };
enum { LOWEST_NOTE = 31, HIGHEST_NOTE = 127, EVENTS = 22, MOST_AT_ONCE = 4096 };

/* ---- Events ---------------------------------------------------------------------------------- */

/* Wheel drops, bumps, walls and cliffs, from 1 on, as bits of packets. */
static const struct {
    uint8_t packet, bits;
} events[EVENTS + 1] = {
    [1] = {7, 0x1c}, [2] = {7, 0x10}, [3] = {7, 0x08}, [4] = {7, 0x04}, [5] = {7, 0x03},
    [6] = {7, 0x02}, [7] = {7, 0x01}, [8] = {13, 1},   [9] = {8, 1},    [10] = {0, 0},
    [11] = {9, 1},   [12] = {10, 1},  [13] = {11, 1},  [14] = {12, 1},  [15] = {34, 2},
    [16] = {18, 4},  [17] = {18, 1},  [18] = {32, 1},  [19] = {32, 2},  [20] = {32, 4},
    [21] = {32, 8},  [22] = {0, 0},
};

static bool has_event(tpi_emu *emu, int number)
{
    if (number == 10) {
        return has_event(emu, 11) || has_event(emu, 12) || has_event(emu, 13) || has_event(emu, 14);
    }
    if (number == 22) {
        return create_of(emu)->mode == CREATE_PASSIVE;
    }
    return (tpi_create_value(emu, events[number].packet, false) & events[number].bits) != 0;
}

/* ---- Waits ----------------------------------------------------------------------------------- */

void tpi_create_begin_wait(tpi_emu *emu, uint8_t opcode, const uint8_t *data)
{
    struct create *c = create_of(emu);
    const double sum = opcode == WAIT_DISTANCE ? c->travel.sum_mm : c->travel.sum_deg;

    if (opcode == WAIT_TIME) {
        c->wait.kind = CREATE_TIME;
        c->wait.until_us = emu->now_us + data[0] * INT64_C(100000);
    } else if (opcode == WAIT_EVENT) {
        const int number = (int8_t)data[0];
        if (number != 0 && number >= -EVENTS && number <= EVENTS) {
            c->wait.kind = CREATE_EVENT;
            c->wait.goal = number;
        }
    } else {
        c->wait.kind = opcode == WAIT_DISTANCE ? CREATE_DISTANCE : CREATE_ANGLE;
        c->wait.goal = sum + tpi_get_be16(data);
        c->wait.beyond = tpi_get_be16(data) >= 0;
    }
}

static bool is_reached(double sum, const struct create_wait *wait)
{
    return wait->beyond ? sum >= wait->goal : sum <= wait->goal;
}

static bool is_waiting(tpi_emu *emu)
{
    struct create *c = create_of(emu);
    struct create_wait *wait = &c->wait;
    bool waiting = false;

    switch (wait->kind) {
    case CREATE_TIME:
        waiting = emu->now_us < wait->until_us;
        break;
    case CREATE_DISTANCE:
        waiting = !is_reached(c->travel.sum_mm, wait);
        break;
    case CREATE_ANGLE:
        waiting = !is_reached(c->travel.sum_deg, wait);
        break;
    case CREATE_EVENT:
        waiting = has_event(emu, abs((int)wait->goal)) != (wait->goal > 0);
        break;
    default:
        break;
    }
    wait->kind = waiting ? wait->kind : CREATE_GOES_ON;
    return waiting;
}

/* The next byte of what comes first: the script, then the line. */
static bool next_byte(struct create *c, uint8_t *byte)
{
    if (c->script.plays && c->script.at < c->script.length) {
        *byte = c->script.bytes[c->script.at++];
        return true;
    }
    c->script.plays = false;
    if (c->queued == 0) {
        return false;
    }
    *byte = c->queue[0];
    memmove(c->queue, c->queue + 1, --c->queued);
    return true;
}

void tpi_create_pump(tpi_emu *emu)
{
    uint8_t byte = 0;

    /* a script that plays itself without a wait has no end */
    for (unsigned i = 0; i < MOST_AT_ONCE && !is_waiting(emu); i++) {
        if (!next_byte(create_of(emu), &byte)) {
            return;
        }
        tpi_create_feed(emu, byte);
    }
}

/* ---- Songs ----------------------------------------------------------------------------------- */

void tpi_create_play(tpi_emu *emu, uint8_t number)
{
    struct create *c = create_of(emu);
    const struct create_song *song = &c->songs[number];
    tpi_sim_note_play notes[CREATE_NOTES];
    double seconds = 0;

    for (unsigned i = 0; i < song->count; i++) {
        const uint8_t note = song->notes[i][0];
        const bool sounds = note >= LOWEST_NOTE && note <= HIGHEST_NOTE;
        notes[i] = (tpi_sim_note_play){.frequency = sounds ? 440 * pow(2, (note - 69) / 12.0) : 1,
                                       .seconds = song->notes[i][1] / 64.0,
                                       .amplitude = sounds ? 1 : 0};
        seconds += notes[i].seconds;
    }
    if (song->count > 0) {
        c->song = number;
        c->song_us = emu->now_us + llround(seconds * 1e6);
        (void)tpi_sim_play(emu->body.sim, c->parts.speaker, notes, song->count, NULL);
    }
}
