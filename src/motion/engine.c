/* engine.c - the engine: clients, panic, what it tells its binding. */
#include "motion/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/inside.h"

static tpi_motion_client *client_of(const tpi_motion_engine *e, uint32_t number)
{
    return number > 0 && number <= e->settings.clients ? e->clients[number - 1] : NULL;
}

/* ---- Clients ---- */

static tpi_motion_client *new_client(const tpi_motion_engine *e)
{
    const tpi_motion_settings *s = &e->settings;
    tpi_motion_client *client = calloc(1, sizeof *client);

    if (client == NULL) {
        return NULL;
    }
    client->playing = calloc(e->axis_count + 1u, sizeof *client->playing);
    client->held = calloc(e->axis_count + 1u, sizeof *client->held);
    client->pending.at =
        s->confirms ? calloc(TPI_MOTION_PENDING, sizeof *client->pending.at) : NULL;
    if (client->playing == NULL || client->held == NULL ||
        (s->confirms && client->pending.at == NULL) ||
        tpi_motion_store_init(&client->store, s->frames, s->bytes) != TP_OK ||
        tpi_motion_answers_init(&client->answers, s->answer_bytes, s->answer_bytes / 4) != TP_OK) {
        tpi_motion_client_free(client);
        return NULL;
    }
    return client;
}

static void remove_client(tpi_motion_engine *e, tpi_motion_client *client)
{
    tpi_motion_session_stop(e, client, TPI_MOTION_INTERRUPTED, true, "the client has left");
    e->left_rate = fmin(e->left_rate, client->robot_rate);
    for (uint16_t i = 0; i < e->axis_count; i++) {
        if (e->axes[i].holder == client) {
            e->axes[i].holder = NULL;
        }
    }
    *tpi_motion_brief_of(e, client) = (tpi_motion_brief){.tracks = 0};
    e->clients[client->number - 1] = NULL;
    e->pending -= client->pending.count;
    tpi_motion_client_free(client);
}

static void end_leases(tpi_motion_engine *e)
{
    for (uint32_t i = 0; i < e->settings.clients; i++) {
        tpi_motion_client *client = e->briefs[i].lease_end_ns <= e->now_ns ? e->clients[i] : NULL;

        if (client == NULL) {
            continue;
        }
        /* It stops when the lease ended, not when something was planned last. */
        tpi_motion_advance(e, client->heard_ns + client->lease_ns - 1);
        if (client->gone) {
            remove_client(e, client);
            continue;
        }
        tpi_motion_session_stop(e, client, TPI_MOTION_INTERRUPTED, true, "the lease has ended");
    }
}

void tpi_motion_client_heard(tpi_motion_engine *e, tpi_motion_client *client, int64_t heard_ns)
{
    client->heard_ns = heard_ns;
    tpi_motion_brief_of(e, client)->lease_end_ns = heard_ns + client->lease_ns;
}

void tpi_motion_engine_set_now(tpi_motion_engine *e, int64_t now_ns)
{
    if (now_ns > e->now_ns) {
        e->now_ns = now_ns;
    }
    if (e->began_ns == 0) {
        e->began_ns = now_ns;
    }
    end_leases(e);
    if (e->planned_ns <= e->now_ns) {
        tpi_motion_advance(e, e->now_ns);
    }
}

uint32_t tpi_motion_engine_join(tpi_motion_engine *engine, const char *label, uint8_t right,
                                int rank, int64_t now_ns)
{
    uint32_t place = 0;

    tpi_motion_engine_set_now(engine, now_ns);
    while (place < engine->settings.clients && engine->clients[place] != NULL) {
        place++;
    }
    if (place == engine->settings.clients) {
        return 0;
    }
    tpi_motion_client *client = new_client(engine);
    if (client == NULL) {
        return 0;
    }
    engine->clients[place] = client;
    client->number = place + 1;
    tpi_motion_name_put(client->label, label);
    client->right = right;
    client->rank = rank;
    client->rate = client->robot_rate = 1;
    client->lease_ns = engine->settings.lease_ns;
    engine->briefs[place].repeat_ns = engine->briefs[place].confirm_ns = INT64_MAX;
    tpi_motion_client_heard(engine, client, engine->now_ns);
    for (int i = 0; i < TPI_MOTION_TRACKS; i++) {
        client->tracks[i].client = client;
        client->tracks[i].line.due_ns = INT64_MAX;
    }
    return client->number;
}

void tpi_motion_engine_leave(tpi_motion_engine *engine, uint32_t client, bool finish,
                             int64_t now_ns)
{
    tpi_motion_client *c = client_of(engine, client);

    tpi_motion_engine_set_now(engine, now_ns);
    if (c == NULL) {
        return;
    }
    if (finish) {
        c->gone = true;
        return;
    }
    remove_client(engine, c);
}

void tpi_motion_engine_grant(tpi_motion_engine *engine, uint32_t client, uint8_t right, int rank,
                             int64_t now_ns)
{
    tpi_motion_client *c = client_of(engine, client);

    tpi_motion_engine_set_now(engine, now_ns);
    if (c == NULL) {
        return;
    }
    c->right = right;
    c->rank = rank;
    if (right < 2) {
        tpi_motion_session_stop(engine, c, TPI_MOTION_INTERRUPTED, true,
                                "this client may not move the robot any more");
    }
}

int64_t tpi_motion_engine_lease(tpi_motion_engine *engine, uint32_t client, int64_t lease_ns)
{
    const tpi_motion_settings *s = &engine->settings;
    tpi_motion_client *c = client_of(engine, client);
    const int64_t asked = lease_ns > 0 ? lease_ns : s->lease_ns;
    const int64_t granted = asked < s->longest_lease_ns ? asked : s->longest_lease_ns;

    if (c != NULL) {
        c->lease_ns = granted;
        tpi_motion_client_heard(engine, c, c->heard_ns);
    }
    return granted;
}

const tpi_motion_settings *tpi_motion_engine_settings(const tpi_motion_engine *engine)
{
    return &engine->settings;
}

void tpi_motion_engine_heard(tpi_motion_engine *engine, uint32_t client, int64_t now_ns)
{
    tpi_motion_client *c = client_of(engine, client);

    tpi_motion_engine_set_now(engine, now_ns);
    if (c != NULL) {
        tpi_motion_client_heard(engine, c, engine->now_ns);
    }
}

void tpi_motion_engine_aged(tpi_motion_engine *engine, uint32_t client, int64_t heard_ns)
{
    tpi_motion_client *c = client_of(engine, client);

    if (c != NULL && heard_ns < c->heard_ns) {
        tpi_motion_client_heard(engine, c, heard_ns);
    }
}

int64_t tpi_motion_engine_leased(const tpi_motion_engine *engine, uint32_t client)
{
    const tpi_motion_client *c = client_of(engine, client);

    return c != NULL ? c->lease_ns : 0;
}

/* ---- What comes in ---- */

void tpi_motion_engine_package(tpi_motion_engine *engine, uint32_t client,
                               const tpi_motion_header *header, const uint8_t *payload,
                               int64_t now_ns)
{
    tpi_motion_client *c = client_of(engine, client);

    tpi_motion_engine_set_now(engine, now_ns);
    if (c == NULL || c->gone || header->size > TPI_MOTION_PAYLOAD) {
        return;
    }
    tpi_motion_client_heard(engine, c, engine->now_ns);
    switch (header->kind) {
    case TPI_MOTION_COMMAND:
        tpi_motion_receive(engine, c, header, payload);
        break;
    case TPI_MOTION_SESSION:
        tpi_motion_session(engine, c, header, payload);
        break;
    default:
        tpi_motion_query(engine, c, header, payload);
        break;
    }
}

void tpi_motion_engine_panic(tpi_motion_engine *engine, uint32_t epoch, int64_t now_ns)
{
    tpi_motion_engine_set_now(engine, now_ns);
    engine->panicked = true;
    engine->epoch = epoch;
    tpi_motion_confirm_panic(engine, "there is a panic");
    for (uint32_t i = 0; i < engine->settings.clients; i++) {
        if (engine->clients[i] != NULL) {
            tpi_motion_session_stop(engine, engine->clients[i], TPI_MOTION_PANICKED, false,
                                    "there is a panic");
        }
    }
    for (uint16_t i = 0; i < engine->axis_count; i++) {
        tpi_motion_axis_end(engine, &engine->axes[i], TPI_MOTION_PANICKED, false, "");
    }
    for (uint16_t i = 0; i < engine->robot.outputs; i++) {
        engine->outputs[i].dirty = engine->outputs[i].goes = false; /* others move it now */
    }
}

void tpi_motion_engine_reset(tpi_motion_engine *engine, int64_t now_ns)
{
    tpi_motion_engine_set_now(engine, now_ns);
    engine->panicked = false;
    for (uint16_t i = 0; i < engine->axis_count; i++) {
        tpi_motion_axis_take_measured(&engine->axes[i]);
    }
}

/* ---- What goes out ---- */

static bool has_work(const tpi_motion_client *client)
{
    bool work = client->store.count > 0;

    for (int i = 0; i < TPI_MOTION_TRACKS; i++) {
        work = work || client->tracks[i].moving > 0 ||
               client->tracks[i].state == TPI_MOTION_TRACK_COLLECTS;
    }
    return work;
}

size_t tpi_motion_engine_take(tpi_motion_engine *engine, uint32_t client, uint8_t *out,
                              size_t space, uint16_t *records)
{
    tpi_motion_client *c = client_of(engine, client);

    *records = 0;
    return c != NULL ? tpi_motion_answers_take(&c->answers, out, space, records) : 0;
}

uint32_t tpi_motion_engine_waiting(const tpi_motion_engine *engine, uint32_t client)
{
    const tpi_motion_client *c = client_of(engine, client);

    return c != NULL ? tpi_motion_answers_count(&c->answers) : 0;
}

uint32_t tpi_motion_engine_told(tpi_motion_engine *engine, uint32_t client)
{
    for (uint32_t i = client; i < engine->settings.clients; i++) {
        if (engine->briefs[i].told) {
            engine->briefs[i].told = false;
            return i + 1;
        }
    }
    return 0;
}

bool tpi_motion_engine_lost(const tpi_motion_engine *engine, uint32_t client)
{
    const tpi_motion_client *c = client_of(engine, client);

    return c == NULL || c->answers.lost;
}

void tpi_motion_engine_look(const tpi_motion_engine *engine, tpi_motion_look *out,
                            double *positions)
{
    *out = (tpi_motion_look){
        .dofs = engine->axis_count, .rate = engine->rate, .panicked = engine->panicked};
    for (uint32_t i = 0; i < engine->settings.clients; i++) {
        if (engine->clients[i] != NULL) {
            out->clients++;
            out->frames += engine->clients[i]->store.count;
        }
    }
    for (uint16_t i = 0; i < engine->axis_count; i++) {
        positions[i] = engine->axes[i].measured.position;
    }
}

uint64_t tpi_motion_engine_excesses(const tpi_motion_engine *engine)
{
    return engine->excesses;
}

void tpi_motion_engine_advance(tpi_motion_engine *engine, int64_t now_ns, int64_t until_ns)
{
    tpi_motion_engine_set_now(engine, now_ns);
    tpi_motion_advance(engine, until_ns);
    for (uint32_t i = 0; i < engine->settings.clients; i++) {
        if (engine->clients[i] != NULL && engine->briefs[i].repeat_ns <= engine->now_ns) {
            tpi_motion_query_turn(engine, engine->clients[i]);
        }
    }
}

int64_t tpi_motion_engine_next(tpi_motion_engine *engine)
{
    int64_t next = tpi_motion_advance_next(engine);

    for (uint32_t i = 0; i < engine->settings.clients; i++) {
        const tpi_motion_client *client = engine->clients[i];
        const tpi_motion_brief *brief = &engine->briefs[i];

        if (client != NULL && brief->repeat_ns < next) {
            next = brief->repeat_ns;
        }
        if (client != NULL && brief->lease_end_ns < next && (client->gone || has_work(client))) {
            next = brief->lease_end_ns;
        }
    }
    return next;
}
