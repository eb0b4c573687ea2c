/* model.c - see model.h. */
#include "verbs/model.h"

#include <string.h>

#define MS TP_NS_PER_MS

const model_device model_devices[MODEL_DEVICES] = {
    {"position2d:0", true, 0, true},
    {"blinkenlight:0", false, 0, true},
    {"position2d:1", true, 2500 * MS, false},
    {"position2d:2", true, -1, true},
};

const model_writer model_writers[MODEL_WRITERS] = {
    {.client = "joystick", .rank = 2, .hold_ns = 1500 * MS},
    {.key = "driver", .rank = 1, .hold_ns = 1000 * MS},
    {.host = "10.0.0.9", .rank = -1, .hold_ns = 500 * MS},
};

const model_profile model_profiles[MODEL_PROFILES] = {
    {"joystick", "127.0.0.1", MODEL_LOOPBACK, true, true},
    {"planner", "127.0.0.1", MODEL_LOOPBACK, true, false},
    {"planner", "unix", MODEL_UNIX, true, true},
    {"visitor", "10.0.0.9", MODEL_NETWORK, false, true},
    {"joystick", "10.0.0.9", MODEL_NETWORK, false, false},
    {"visitor", "127.0.0.1", MODEL_NETWORK, true, false}, /* by an address for all */
};

const model_key model_keys[MODEL_KEYS] = {
    {"viewer", "see"}, {"setter", "set things"}, {"driver", "drive"}, {"boss", "operate"}};

const model_access model_accesses[MODEL_ACCESSES] = {
    {.controlled = false, .rights = {-1, -1, -1, -1}},
    {.controlled = true, .rights = {0, 1, 2, 3}},
    {.controlled = true, .rights = {0, 1, 2, -1}},
    {.controlled = true, .rights = {0, 1, -1, 3}},
    {.controlled = true, .open = true, .rights = {0, 1, 2, 3}},
    {.controlled = true, .rights = {0, 1, 1, 3}}, /* the driver may only write */
};

/* configuration.md, the table of "Keys and rights". */
tp_right model_guest(const model_access *access, model_origin origin)
{
    if (access->open) {
        return TP_RIGHT_MOVE;
    }
    return access->controlled || origin == MODEL_NETWORK ? TP_RIGHT_READ : TP_RIGHT_MOVE;
}

/* ---- Rights ---------------------------------------------------------------------------------- */

static const model_profile *profile_of(const model *m, int client)
{
    return &model_profiles[m->clients[client].profile];
}

tp_right model_right(const model *m, int client)
{
    const model_access *access = &model_accesses[m->access];
    const int key = m->clients[client].key;
    const int guest = (int)model_guest(access, profile_of(m, client)->origin);
    const int own = key == MODEL_NO_KEY ? -1 : access->rights[key];

    return (tp_right)(own > guest ? own : guest); /* a key takes nothing away */
}

static bool may_operate(const model *m, int client)
{
    const model_access *access = &model_accesses[m->access];
    bool operator_key = false;

    for (int i = 0; i < MODEL_KEYS; i++) {
        operator_key = operator_key || access->rights[i] == (int)TP_RIGHT_OPERATE;
    }
    const tp_right right = model_right(m, client);
    return right == TP_RIGHT_OPERATE ||
           (!operator_key && profile_of(m, client)->local && right >= TP_RIGHT_MOVE);
}

static tp_right needed_to_open(unsigned access, int device)
{
    if (access == TP_EXCLUSIVE_MODE && model_devices[device].moves) {
        return TP_RIGHT_MOVE;
    }
    return access == TP_OPEN_MODE || access == TP_READ_MODE ? TP_RIGHT_READ : TP_RIGHT_WRITE;
}

/* ---- Leases and ranks ------------------------------------------------------------------------ */

int64_t model_lease_ns(const model *m, int client, int device)
{
    const int64_t configured = model_devices[device].lease_ns;
    const int64_t asked = m->clients[client].openings[device].lease_ns;
    int64_t most = configured;

    if (configured == 0) {
        most = (profile_of(m, client)->renews ? 1000 : 5000) * MS;
    }
    return asked > 0 && (most <= 0 || asked < most) ? asked : most;
}

static bool fits_writer(const model *m, const model_writer *writer, int client)
{
    const model_profile *profile = profile_of(m, client);
    const int key = m->clients[client].key;

    if (writer->client != NULL && strcmp(writer->client, profile->software) != 0) {
        return false;
    }
    if (writer->key != NULL &&
        (key == MODEL_NO_KEY || strcmp(writer->key, model_keys[key].name) != 0)) {
        return false;
    }
    return writer->host == NULL || strcmp(writer->host, profile->host) == 0;
}

int32_t model_rank(const model *m, int client, int device, int64_t *hold_ns)
{
    const model_opening *opening = &m->clients[client].openings[device];
    int32_t rank = 0;

    *hold_ns = 1000 * MS;
    for (int i = 0; i < MODEL_WRITERS && model_devices[device].ranked; i++) {
        if (fits_writer(m, &model_writers[i], client)) {
            rank = model_writers[i].rank;
            *hold_ns = model_writers[i].hold_ns;
            break;
        }
    }
    return opening->access != 0 && opening->lowered && opening->rank < rank ? opening->rank : rank;
}

static int32_t rank_of(const model *m, int client, int device)
{
    int64_t hold_ns;

    return model_rank(m, client, device, &hold_ns);
}

bool model_holder_is_silent(const model *m, int device)
{
    const int holder = m->motions[device].holder;
    int64_t lease_ns = model_lease_ns(m, holder, device);

    if (lease_ns <= 0) {
        return false;
    }
    lease_ns = lease_ns < 1000 * MS ? 1000 * MS : lease_ns;
    return m->now_ns - m->clients[holder].heard_ns >= lease_ns;
}

/* Whether another client has exclusive access; and whether that keeps this one from writing. */
static bool is_held(const model *m, int client, int device)
{
    const int holder = m->motions[device].holder;

    return holder != MODEL_NOBODY && holder != client && !model_holder_is_silent(m, device);
}

static bool is_held_from(const model *m, int client, int device)
{
    return is_held(m, client, device) &&
           rank_of(m, client, device) <= rank_of(m, m->motions[device].holder, device);
}

/* Whether a client of a higher rank has moved the device just now. */
static bool is_outranked(const model *m, int client, int device)
{
    const model_motion *motion = &m->motions[device];

    return motion->mover != MODEL_NOBODY && motion->mover != client &&
           motion->rank > rank_of(m, client, device) &&
           m->now_ns - motion->said_ns < motion->hold_ns;
}

/* ---- Stops ----------------------------------------------------------------------------------- */

static void stop(model_motion *motion)
{
    motion->speed = 0;
}

int64_t model_lease_left_ns(const model *m, int device)
{
    const model_motion *motion = &m->motions[device];
    int64_t left = 0;

    if (motion->speed == 0 || !model_devices[device].moves) {
        return 0;
    }
    const int64_t lease_ns = model_lease_ns(m, motion->mover, device);
    if (lease_ns > 0) {
        left = m->clients[motion->mover].heard_ns + lease_ns - m->now_ns;
    }
    if (motion->valid_ns > 0) {
        const int64_t valid = motion->said_ns + motion->valid_ns - m->now_ns;
        left = lease_ns <= 0 || valid < left ? valid : left;
    }
    return left;
}

static bool has_limit(const model *m, const model_motion *motion, int device)
{
    return motion->valid_ns > 0 || model_lease_ns(m, motion->mover, device) > 0;
}

/* What has lost its lease stops. */
static void end_leases(model *m)
{
    for (int i = 0; i < MODEL_DEVICES; i++) {
        model_motion *motion = &m->motions[i];
        if (motion->speed != 0 && model_devices[i].moves && has_limit(m, motion, i) &&
            model_lease_left_ns(m, i) <= 0) {
            stop(motion);
        }
    }
}

static void close_device(model *m, int client, int device)
{
    model_motion *motion = &m->motions[device];

    if (motion->mover == client) {
        if (model_devices[device].moves) {
            stop(motion);
        }
        motion->mover = MODEL_NOBODY;
    }
    if (motion->holder == client) {
        motion->holder = MODEL_NOBODY;
    }
    m->clients[client].openings[device] = (model_opening){0};
}

static void leave(model *m, int client)
{
    for (int i = 0; i < MODEL_DEVICES; i++) {
        close_device(m, client, i);
    }
    m->clients[client].here = false;
    m->raiser = m->raiser == client ? MODEL_NOBODY : m->raiser;
}

/* A client that has lost its right loses what it moves and what it holds. */
static void look_at_rights(model *m)
{
    for (int c = 0; c < MODEL_CLIENTS; c++) {
        for (int d = 0; d < MODEL_DEVICES && m->clients[c].here; d++) {
            model_motion *motion = &m->motions[d];
            const tp_right right = model_right(m, c);
            const tp_right to_write = model_devices[d].moves ? TP_RIGHT_MOVE : TP_RIGHT_WRITE;
            if (motion->mover == c && right < to_write) {
                if (model_devices[d].moves) {
                    stop(motion);
                }
                motion->mover = MODEL_NOBODY;
            }
            if (motion->holder == c && right < to_write) {
                motion->holder = MODEL_NOBODY;
            }
        }
    }
}

/* ---- Verbs ----------------------------------------------------------------------------------- */

static unsigned say_open(model *m, const verb *v)
{
    const unsigned access = (unsigned)v->number;
    model_motion *motion = &m->motions[v->device];

    if (model_right(m, v->client) < needed_to_open(access, v->device)) {
        return MODEL_DENIED;
    }
    if (access != TP_OPEN_MODE && access != TP_READ_MODE && is_held_from(m, v->client, v->device)) {
        return MODEL_DENIED;
    }
    if (access == TP_EXCLUSIVE_MODE) {
        if (is_held(m, v->client, v->device)) { /* whatever the rank */
            return MODEL_DENIED;
        }
        motion->holder = v->client;
    }
    m->clients[v->client].openings[v->device] = (model_opening){.access = access};
    return 0;
}

static unsigned why_not_write(const model *m, const verb *v, tp_right needed)
{
    const unsigned access = m->clients[v->client].openings[v->device].access;

    if (access == 0 || access == TP_READ_MODE || model_right(m, v->client) < needed ||
        is_held_from(m, v->client, v->device) || is_outranked(m, v->client, v->device)) {
        return MODEL_DENIED;
    }
    return 0;
}

/* It is the last writer, whom others of a lower rank give way to. */
static void take_over(model *m, const verb *v)
{
    model_motion *motion = &m->motions[v->device];

    motion->mover = v->client;
    motion->said_ns = m->now_ns;
    motion->rank = model_rank(m, v->client, v->device, &motion->hold_ns);
}

static unsigned say_move(model *m, const verb *v)
{
    const bool moves = model_devices[v->device].moves;
    model_motion *motion = &m->motions[v->device];
    const unsigned why = why_not_write(m, v, moves ? TP_RIGHT_MOVE : TP_RIGHT_WRITE) |
                         (moves && m->panic ? MODEL_PANIC : 0U);

    m->commands++;
    if (why == 0) {
        take_over(m, v);
        motion->speed = m->commands;
        motion->valid_ns = profile_of(m, v->client)->renews ? v->number * MS : 0;
    }
    return why;
}

static unsigned say_set(model *m, const verb *v)
{
    const unsigned why = why_not_write(m, v, TP_RIGHT_WRITE);

    if (why == 0 && !model_devices[v->device].moves) {
        take_over(m, v);
    }
    return why;
}

/* padi.md, "actuates": as a move, but it takes no lease and keeps nobody out. */
static unsigned say_switch(model *m, const verb *v)
{
    return why_not_write(m, v, TP_RIGHT_MOVE) | (m->panic ? MODEL_PANIC : 0U);
}

static unsigned say_ask(const model *m, const verb *v)
{
    return m->clients[v->client].openings[v->device].access == 0 ? MODEL_DENIED : 0;
}

static unsigned say_halt(model *m, const verb *v)
{
    const unsigned why = say_ask(m, v);

    if (why == 0 && model_devices[v->device].moves) {
        stop(&m->motions[v->device]);
    }
    return why;
}

static unsigned say_terms(model *m, const verb *v)
{
    model_opening *opening = &m->clients[v->client].openings[v->device];

    if (opening->access == 0) {
        return MODEL_DENIED;
    }
    if (!model_devices[v->device].moves) {
        return MODEL_ANY; /* the request is for devices that move something */
    }
    if (v->kind == VERB_LEASE) {
        opening->lease_ns = v->number * MS;
    } else {
        opening->lowered = true;
        opening->rank = v->number;
    }
    return 0;
}

static unsigned say_panic(model *m, const verb *v)
{
    m->raiser = m->panic ? m->raiser : v->client;
    m->panic = true;
    for (int i = 0; i < MODEL_DEVICES; i++) {
        if (model_devices[i].moves) {
            stop(&m->motions[i]);
        }
    }
    return 0;
}

static unsigned say_reset(model *m, const verb *v)
{
    if (!m->panic || v->number != 0) {
        return MODEL_ANY;
    }
    if (m->raiser != v->client && !may_operate(m, v->client)) {
        return MODEL_DENIED;
    }
    m->panic = false;
    m->raiser = MODEL_NOBODY;
    return 0;
}

static unsigned say_kick(model *m, const verb *v)
{
    if (!may_operate(m, v->client)) {
        return MODEL_DENIED;
    }
    if (v->number == v->client) {
        return MODEL_INVALID;
    }
    leave(m, v->number);
    return 0;
}

static unsigned say_show(model *m, const verb *v)
{
    const model_access *access = &model_accesses[m->access];
    model_client *client = &m->clients[v->client];

    if (!access->controlled) {
        return MODEL_UNSUPPORTED;
    }
    if (m->now_ns < client->next_try_ns) {
        return MODEL_LIMIT;
    }
    if (v->number < MODEL_KEYS && access->rights[v->number] >= 0) {
        client->key = v->number;
        client->wrong = 0;
        look_at_rights(m);
        return 0;
    }
    const unsigned doubled = client->wrong < 6 ? client->wrong : 6;
    client->next_try_ns = m->now_ns + (int64_t)(1U << doubled) * 1000 * MS;
    client->wrong++;
    return MODEL_DENIED;
}

/* SIGHUP: keys that are not in the file any more are nobody's. */
static unsigned say_keys(model *m, const verb *v)
{
    m->access = v->number;
    for (int i = 0; i < MODEL_CLIENTS; i++) {
        model_client *client = &m->clients[i];
        if (client->key != MODEL_NO_KEY && model_accesses[m->access].rights[client->key] < 0) {
            client->key = MODEL_NO_KEY;
        }
    }
    look_at_rights(m);
    return 0;
}

static unsigned say_enter(model *m, const verb *v)
{
    m->clients[v->client] = (model_client){
        .here = true, .profile = v->number, .key = MODEL_NO_KEY, .heard_ns = m->now_ns};
    return 0;
}

static unsigned say_leave(model *m, const verb *v)
{
    leave(m, v->client);
    return 0;
}

static unsigned say_close(model *m, const verb *v)
{
    close_device(m, v->client, v->device);
    return 0;
}

static unsigned say_wait(model *m, const verb *v)
{
    m->now_ns += v->number * MS;
    return 0;
}

static unsigned say_ask_something(model *m, const verb *v)
{
    return say_ask(m, v);
}

void model_begin(model *m)
{
    *m = (model){.now_ns = 1000 * MS, .raiser = MODEL_NOBODY};
    for (int i = 0; i < MODEL_DEVICES; i++) {
        m->motions[i].mover = MODEL_NOBODY;
        m->motions[i].holder = MODEL_NOBODY;
    }
}

bool model_fits(const model *m, const verb *v)
{
    const bool open = m->clients[v->client].openings[v->device].access != 0;

    switch (v->kind) {
    case VERB_WAIT:
    case VERB_KEYS:
        return true;
    case VERB_ENTER:
        return !m->clients[v->client].here;
    case VERB_OPEN: /* what two openings by one client allow is not described */
        return m->clients[v->client].here && !open;
    case VERB_CLOSE:
        return open;
    case VERB_SWITCH:
        return m->clients[v->client].here && model_devices[v->device].moves;
    case VERB_KICK:
        return m->clients[v->client].here && m->clients[v->number].here;
    default:
        return m->clients[v->client].here;
    }
}

unsigned model_say(model *m, const verb *v)
{
    static unsigned (*const says[VERB_COUNT])(model *, const verb *) = {
        [VERB_ENTER] = say_enter,       [VERB_LEAVE] = say_leave,   [VERB_OPEN] = say_open,
        [VERB_CLOSE] = say_close,       [VERB_MOVE] = say_move,     [VERB_SET] = say_set,
        [VERB_ASK] = say_ask_something, [VERB_HALT] = say_halt,     [VERB_LEASE] = say_terms,
        [VERB_RANK] = say_terms,        [VERB_PANIC] = say_panic,   [VERB_RESET] = say_reset,
        [VERB_KICK] = say_kick,         [VERB_SHOW] = say_show,     [VERB_KEYS] = say_keys,
        [VERB_WAIT] = say_wait,         [VERB_SWITCH] = say_switch,
    };

    if (v->kind != VERB_WAIT && v->kind != VERB_KEYS) {
        m->clients[v->client].heard_ns = m->now_ns; /* every message renews */
    }
    const unsigned why = says[v->kind](m, v);
    end_leases(m);
    return why;
}
