/*
 * tell.c - what WebSocket clients are told of devices: new clients all of them, and then what
 * changes.
 *
 * All texts are made once and shared, a few devices in a turn: those about hundreds of devices have
 * megabytes. Changes are told in rounds. A round is about the changes that there are when it
 * begins; it makes its texts, and then tells one client after the other. What changes meanwhile
 * belongs to the next round: each device of a round is told of as it was at the beginning, whatever
 * becomes of it. So all clients have been told of the same devices between two rounds, and a new
 * client is told of these.
 *
 * A new client waits for the round that is under way or due, so that it hears of the devices that
 * there are. It waits for one only: after a round, texts for new clients come before the next one.
 */
#include <assert.h>
#include <string.h>

#include "advertise.h"

enum {
    TOLD_AT_ONCE = 256 << 10, /* work of a turn; the price of a byte is 1, of other things: */
    CLIENT_PRICE = 1024,
    USE_PRICE = 256,
};

/* The texts of a round, in their order. */
static const struct {
    enum about about;
    bool brief, services;
} stages[] = {
    {ABOUT_GONE, false, false}, {ABOUT_GONE, false, true}, {ABOUT_NEW, false, false},
    {ABOUT_NEW, false, true},   {ABOUT_NEW, true, false},  {ABOUT_NEW, true, true},
};

enum { STAGES = sizeof stages / sizeof stages[0] };

static struct note **note_of(struct web_front *front, enum about about, bool brief, bool services)
{
    return &front->making.notes[about][brief && about != ABOUT_GONE][services];
}

static void drop_notes(struct web_front *front, enum about about)
{
    for (int i = 0; i < 4; i++) {
        struct note **note = &front->making.notes[about][i / 2][i % 2];

        tpi_web_note_drop(front, *note);
        *note = NULL;
    }
}

void tpi_web_tell_clear(struct web_front *front)
{
    for (enum about about = 0; about < ABOUTS; about++) {
        drop_notes(front, about);
    }
    tpi_buf_fini(&front->making.text);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static void begin_text(struct web_front *front, enum about about, bool brief, bool services)
{
    struct making *making = &front->making;

    making->about = about;
    making->brief = brief;
    making->of_services = services;
    making->next = 0;
    making->count = 0;
}

static bool has_introduction(struct web_front *front, bool brief)
{
    return *note_of(front, ABOUT_ALL, brief, false) != NULL &&
           *note_of(front, ABOUT_ALL, brief, true) != NULL;
}

/* The texts for new clients are there, or cannot be made: those that wait for them go on, or end.
 */
static void end_introduction(struct web_front *front, bool brief)
{
    front->making.wanted[brief] = false;
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_GREETED && c->brief == brief) {
            if (has_introduction(front, brief)) {
                tpi_web_flush_later(c);
            } else {
                tpi_web_give_up(c);
            }
        }
    }
}

/* A text is whole. */
static void end_text(struct web_front *front)
{
    struct making *making = &front->making;
    struct note *note = tpi_web_note_adopt(&making->text);

    *note_of(front, making->about, making->brief, making->of_services) = note;
    if (making->about != ABOUT_ALL) {
        front->round.failed = front->round.failed || note == NULL;
    } else if (note == NULL || making->of_services) {
        end_introduction(front, making->brief);
    }
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Whether a client has been told of devices, or will be told of this round's. */
static bool has_clients(const struct web_front *front, enum about about, bool brief)
{
    const struct connection *c = front->connections;

    while (c != NULL && (c->phase != PHASE_SOCKET || (about != ABOUT_GONE && c->brief != brief))) {
        c = c->next;
    }
    return c != NULL;
}

static void begin_round(struct web_front *front)
{
    struct round *round = &front->round;

    *round = (struct round){.under_way = true, .next = front->connections};
    for (size_t i = 0; i < front->device_count; i++) {
        struct web_device *device = &front->devices[i];

        device->changes = device->told != device->present;
        round->has[device->told ? ABOUT_GONE : ABOUT_NEW] |= device->changes;
    }
}

/* Begin the next text of the round; false if all have been made. */
static bool begin_news(struct web_front *front)
{
    struct round *round = &front->round;

    while (round->stage < STAGES) {
        const unsigned stage = round->stage++;
        const enum about about = stages[stage].about;

        if (round->has[about] && has_clients(front, about, stages[stage].brief)) {
            begin_text(front, about, stages[stage].brief, stages[stage].services);
            return true;
        }
    }
    return false;
}

static void end_round(struct web_front *front)
{
    struct round *round = &front->round;

    for (size_t i = 0; i < front->device_count; i++) {
        front->devices[i].told = front->devices[i].told != front->devices[i].changes;
        front->devices[i].changes = false;
    }
    drop_notes(front, ABOUT_NEW);
    drop_notes(front, ABOUT_GONE);
    if (round->has[ABOUT_NEW] || round->has[ABOUT_GONE]) {
        drop_notes(front, ABOUT_ALL);
    }
    round->under_way = false;
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_GREETED) {
            c->has_waited = true;
            tpi_web_flush_later(c);
            front->making.wanted[c->brief] = !has_introduction(front, c->brief);
        }
    }
    tpi_web_graph_changed(front);
}

/* What that is as work of the turn. */
static size_t send_news(struct connection *c, struct note *note)
{
    if (note == NULL) {
        return 0;
    }
    tpi_web_send_note(c, note);
    return note->frame.length < MOST_WRITTEN ? note->frame.length : MOST_WRITTEN;
}

/* Devices are opened again when the client has been told that they are back. */
static size_t tell(struct connection *c)
{
    struct web_front *front = c->front;
    size_t work = CLIENT_PRICE + c->door->use_count * USE_PRICE;

    if (front->round.failed) {
        tpi_web_give_up(c);
        return work;
    }
    for (enum about about = ABOUT_GONE; about < ABOUTS; about++) {
        work += send_news(c, *note_of(front, about, c->brief, false));
        work += send_news(c, *note_of(front, about, c->brief, true));
    }
    tpi_web_uses_look(c->door);
    return work;
}

static void tell_some(struct web_front *front)
{
    struct round *round = &front->round;
    size_t work = 0;

    while (round->next != NULL && work < TOLD_AT_ONCE) {
        struct connection *c = round->next;

        round->next = c->next;
        work += c->phase == PHASE_SOCKET ? tell(c) : 0;
    }
    if (round->next == NULL) {
        end_round(front);
    }
}

/* ---- What is done next ----------------------------------------------------------------------- */

static bool begin_introduction(struct web_front *front)
{
    const bool brief = front->making.wanted[1];

    if (!brief && !front->making.wanted[0]) {
        return false;
    }
    begin_text(front, ABOUT_ALL, brief, *note_of(front, ABOUT_ALL, brief, false) != NULL);
    return true;
}

bool tpi_web_tell_step(struct web_front *front)
{
    struct round *round = &front->round;

    assert(front_is_current(front));
    if (front->making.text.length > 0 ||
        (round->under_way ? begin_news(front) : begin_introduction(front))) {
        if (tpi_web_advertise_some(front)) {
            end_text(front);
        }
    } else if (round->under_way) {
        tell_some(front);
    } else if (round->due) {
        begin_round(front);
    } else {
        return false;
    }
    return true;
}

void tpi_web_tell_changes(struct web_front *front)
{
    assert(front_is_current(front));
    front->round.due = true;
    tp_loop_later(front->loop, &front->making.step);
}

/* ---- New clients ----------------------------------------------------------------------------- */

bool tpi_web_can_introduce(struct connection *c)
{
    struct web_front *front = c->front;
    const struct round *round = &front->round;

    assert(front_is_current(front));
    const bool waits = round->under_way || (round->due && !c->has_waited);
    if (!waits && has_introduction(front, c->brief)) {
        return true;
    }
    front->making.wanted[c->brief] = front->making.wanted[c->brief] || !waits;
    tp_loop_later(front->loop, &front->making.step);
    return false;
}

void tpi_web_introduce(struct connection *c)
{
    struct web_front *front = c->front;
    tpi_buf text = {0};

    assert(front_is_current(c->front));
    tpi_buf_printf(&text,
                   "{\"op\":\"serverInfo\",\"name\":\"troupe\",\"capabilities\":[\"clientPublish\","
                   "\"services\",\"parameters\",\"parametersSubscribe\",\"connectionGraph\"%s],"
                   "\"supportedEncodings\":[\"json\",\"cdr\"],\"metadata\":{\"version\":\"%s\"},"
                   "\"sessionId\":\"%s\"}",
                   tpi_web_has_world(front) ? ",\"time\"" : "", TROUPE_VERSION, front->session_id);
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
    tpi_web_send_note(c, *note_of(front, ABOUT_ALL, c->brief, false));
    tpi_web_send_note(c, *note_of(front, ABOUT_ALL, c->brief, true));
}
