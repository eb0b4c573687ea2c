/* scene.c - see scene.h. */
#include "verbs/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/visit.h"
#include "support/unit.h"
#include "troupe/interfaces/blinkenlight.h"
#include "troupe/interfaces/position2d.h"

struct scene {
    bench b;
    visit visit;
    bench_plan *plans[MODEL_DEVICES]; /* owned */
    tp_device *devices[MODEL_DEVICES];
    unsigned speeds[MODEL_DEVICES]; /* number of the last command, 0 when it was stopped */
    tp_session *keeper;             /* has all devices open, so that they run */
    tp_session *sessions[MODEL_CLIENTS];
    uint32_t numbers[MODEL_CLIENTS];
    unsigned commands;
    tp_lease answer; /* to the last request LEASE */
    bool answered;
};

/* ---- The driver ------------------------------------------------------------------------------ */

static tp_status handle(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    unsigned *speed = tp_device_context(device);

    (void)answer;
    (void)err;
    if (what->kind != TP_KIND_COMMAND) {
        return TP_OK;
    }
    if (tp_device_interface(device) == &tp_interface_position2d) {
        *speed = (unsigned)((const tp_position2d_cmd_vel *)ask)->vel.px;
    } else if (what->code == TP_BLINKENLIGHT_CMD_STATE) {
        *speed = (unsigned)((const tp_blinkenlight_cmd *)ask)->period;
    }
    return TP_OK;
}

static tp_status init(tp_instance *self, tp_error *err)
{
    return tp_offer(self, tp_provides_interface(self, 0), NULL, NULL, handle, NULL, err);
}

static void halt(tp_device *device, tp_halt how)
{
    unsigned *speed = tp_device_context(device);

    (void)how;
    if (tp_device_interface(device) == &tp_interface_position2d) {
        *speed = 0;
    }
}

static const tp_driver_ops ops = {.init = init, .halt = halt};
static const tp_driver driver = {
    .abi = TP_DRIVER_ABI, .name = "motor", .ops = &ops, .flags = TP_DRIVER_ON_LOOP};

static void add_device(scene *s, int i)
{
    static tpi_rank ranks[MODEL_WRITERS];
    const bench_section section = {.driver = &driver, .provides = model_devices[i].address};

    for (int k = 0; k < MODEL_WRITERS; k++) {
        const model_writer *writer = &model_writers[k];
        ranks[k] = (tpi_rank){.client = writer->client,
                              .key = writer->key,
                              .host = writer->host,
                              .rank = writer->rank,
                              .hold_ns = writer->hold_ns};
    }
    s->plans[i] = bench_plan_create(s->b.catalogue, &section, 0);
    tpi_blueprint blueprint = *bench_plan_blueprint(s->plans[i]);
    blueprint.lease_ns = model_devices[i].lease_ns;
    blueprint.ranks = model_devices[i].ranked ? ranks : NULL;
    blueprint.rank_count = model_devices[i].ranked ? MODEL_WRITERS : 0;
    assert_int_equal(tpi_hub_add(s->b.hub, &blueprint, NULL, NULL), TP_OK);
    s->devices[i] = bench_find(&s->b, model_devices[i].address);
    tp_device_set_context(s->devices[i], &s->speeds[i]);
    assert_int_equal(visit_open(&s->visit, s->keeper, s->devices[i], TP_READ_MODE), TP_OK);
}

/* ---- Verbs ----------------------------------------------------------------------------------- */

static tp_status say_enter(scene *s, const verb *v)
{
    static const tp_reach reaches[] = {TP_REACH_NETWORK, TP_REACH_UNIX, TP_REACH_LOOPBACK};
    const model_profile *profile = &model_profiles[v->number];
    char peer[64];

    (void)snprintf(peer, sizeof peer, "%s%s", profile->host,
                   profile->origin == MODEL_UNIX ? "" : ":4000");
    tp_session *session = visit_begin(&s->visit, peer);
    tp_session_set_software(session, profile->software);
    tp_session_set_reach(session, reaches[profile->origin]);
    tp_session_set_local(session, profile->local);
    tp_session_speak_leases(session, profile->renews);
    s->sessions[v->client] = session;
    s->numbers[v->client] = session->identity.number;
    return TP_OK;
}

static tp_status say_leave(scene *s, const verb *v)
{
    tp_session_destroy(s->sessions[v->client]);
    s->sessions[v->client] = NULL;
    return TP_OK;
}

static tp_status send(scene *s, const verb *v, tp_kind kind, unsigned code, const void *value)
{
    const uint32_t seq = v->kind == VERB_MOVE ? (uint32_t)v->number : 0;

    return visit_send(s->sessions[v->client], s->devices[v->device], kind, code, value, seq, NULL);
}

static tp_status say_move(scene *s, const verb *v)
{
    s->commands++;
    if (model_devices[v->device].moves) {
        const tp_position2d_cmd_vel vel = {.vel = {.px = s->commands}, .state = 1};
        return send(s, v, TP_KIND_COMMAND, TP_POSITION2D_CMD_VEL, &vel);
    }
    const tp_blinkenlight_cmd light = {.period = (float)s->commands};
    return send(s, v, TP_KIND_COMMAND, TP_BLINKENLIGHT_CMD_STATE, &light);
}

static tp_status say_set(scene *s, const verb *v)
{
    if (model_devices[v->device].moves) {
        return send(s, v, TP_KIND_REQUEST, TP_POSITION2D_REQ_RESET_ODOM, NULL);
    }
    const tp_blinkenlight_cmd_power on = {.enable = 1};
    return send(s, v, TP_KIND_COMMAND, TP_BLINKENLIGHT_CMD_POWER, &on);
}

static tp_status say_switch(scene *s, const verb *v)
{
    const tp_position2d_power_config on = {1};

    return send(s, v, TP_KIND_REQUEST, TP_POSITION2D_REQ_MOTOR_POWER, &on);
}

static tp_status say_terms(scene *s, const verb *v)
{
    tp_lease ask = {.asks = TP_LEASE_DURATION, .duration = v->number / 1000.0};

    if (v->kind == VERB_RANK) {
        ask = (tp_lease){.asks = TP_LEASE_RANK, .rank = v->number};
    }
    return send(s, v, TP_KIND_REQUEST, TP_COMMON_REQ_LEASE, &ask);
}

static tp_status may(const scene *s, const verb *v, unsigned code)
{
    return tp_session_may(s->sessions[v->client],
                          tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, code), NULL);
}

static tp_status say_reset(scene *s, const verb *v)
{
    const unsigned epoch = tpi_panic_epoch(tpi_panic_of(s->b.hub));

    return tp_session_reset_panic(
        s->sessions[v->client], v->number == 0 ? epoch : epoch - 2 * (unsigned)v->number, "", NULL);
}

static tp_status say_kick(scene *s, const verb *v)
{
    const tp_status status = may(s, v, TP_PLAYER_REQ_KICK);

    return status != TP_OK ? status
                           : tp_session_kick(s->sessions[v->client], s->numbers[v->number], NULL);
}

static tp_status say_show(scene *s, const verb *v)
{
    const char *secret = v->number < MODEL_KEYS ? model_keys[v->number].secret : "wrong";

    return tp_session_show_key(s->sessions[v->client], secret, strlen(secret), NULL);
}

static void set_access(scene *s, int which)
{
    const model_access *wanted = &model_accesses[which];
    tpi_key keys[MODEL_KEYS];
    tpi_access access = {.keys = keys, .guests = {[TP_REACH_INSIDE] = TP_RIGHT_OPERATE}};

    memset(keys, 0, sizeof keys);
    access.guests[TP_REACH_NETWORK] = model_guest(wanted, MODEL_NETWORK);
    access.guests[TP_REACH_UNIX] = model_guest(wanted, MODEL_UNIX);
    access.guests[TP_REACH_LOOPBACK] = model_guest(wanted, MODEL_LOOPBACK);
    for (int i = 0; i < MODEL_KEYS; i++) {
        if (wanted->rights[i] >= 0) {
            tpi_key *key = &keys[access.key_count++];
            (void)snprintf(key->name, sizeof key->name, "%s", model_keys[i].name);
            (void)snprintf(key->secret, sizeof key->secret, "%s", model_keys[i].secret);
            key->right = (tp_right)wanted->rights[i];
        }
    }
    assert_int_equal(tpi_hub_set_access(s->b.hub, &access), TP_OK);
}

static tp_status say(scene *s, const verb *v)
{
    tp_session *session = s->sessions[v->client];

    switch (v->kind) {
    case VERB_ENTER:
        return say_enter(s, v);
    case VERB_LEAVE:
        return say_leave(s, v);
    case VERB_OPEN:
        return visit_open(&s->visit, session, s->devices[v->device], (unsigned)v->number);
    case VERB_CLOSE:
        return tp_session_close(session, s->devices[v->device]);
    case VERB_MOVE:
        return say_move(s, v);
    case VERB_SET:
        return say_set(s, v);
    case VERB_SWITCH:
        return say_switch(s, v);
    case VERB_ASK:
        return send(s, v, TP_KIND_REQUEST, TP_COMMON_REQ_GET_PROPERTIES, NULL);
    case VERB_HALT:
        return send(s, v, TP_KIND_REQUEST, TP_COMMON_REQ_HALT, NULL);
    case VERB_LEASE:
    case VERB_RANK:
        return say_terms(s, v);
    case VERB_PANIC:
        tp_session_panic(session, "test");
        return TP_OK;
    case VERB_RESET:
        return say_reset(s, v);
    case VERB_KICK:
        return say_kick(s, v);
    case VERB_SHOW:
        return say_show(s, v);
    case VERB_KEYS:
        set_access(s, v->number);
        return TP_OK;
    default:
        bench_move_clock(&s->b, v->number / 1000.0);
        return TP_OK;
    }
}

/* Clients read all that comes; the front of a client that is lost closes it. */
static void read_all(scene *s, tp_session *session)
{
    for (tp_msg *msg = tp_session_take(session); msg != NULL; msg = tp_session_take(session)) {
        const tp_msghdr *header = tp_msg_header(msg);
        if (header->subtype == TP_COMMON_REQ_LEASE && header->type == TP_MSGTYPE_RESP_ACK) {
            s->answer = *(const tp_lease *)tp_msg_payload(msg);
            s->answered = true;
        }
        tp_msg_unref(msg);
    }
}

static void close_lost(scene *s)
{
    for (int i = 0; i < MODEL_CLIENTS; i++) {
        if (s->sessions[i] != NULL) {
            read_all(s, s->sessions[i]);
            if (tpi_mailbox_is_lost(s->sessions[i])) {
                (void)say_leave(s, &(verb){.client = i});
            }
        }
    }
}

static void settle(scene *s)
{
    for (int i = 0; i < 3; i++) {
        tp_loop_turn(s->b.loop, false);
    }
}

tp_status scene_say(scene *s, const verb *v)
{
    s->answered = false;
    if (s->sessions[v->client] != NULL && v->kind != VERB_WAIT && v->kind != VERB_KEYS) {
        tp_session_heard(s->sessions[v->client]);
    }
    const tp_status status = say(s, v);
    settle(s);
    read_all(s, s->keeper);
    close_lost(s);
    if (v->kind == VERB_KICK) {
        settle(s);
    }
    return status;
}

/* ---- What is seen ---------------------------------------------------------------------------- */

static int client_of(const scene *s, uint32_t number)
{
    for (int i = 0; i < MODEL_CLIENTS; i++) {
        if (s->sessions[i] != NULL && s->numbers[i] == number) {
            return i;
        }
    }
    return MODEL_NOBODY;
}

static int64_t ns_of(double seconds)
{
    return llround(seconds * (double)TP_NS_PER_S);
}

void scene_look(const scene *s, scene_view *out)
{
    tp_statistics *found = NULL;

    *out = (scene_view){.panic = tpi_panic_is_on(tpi_panic_of(s->b.hub)),
                        .terms = {.given = s->answered,
                                  .lease_ns = ns_of(s->answer.duration),
                                  .rank = s->answer.rank,
                                  .mine = s->answer.mine != 0}};
    assert_int_equal(tp_hub_statistics(s->b.hub, &found), TP_OK);
    for (int i = 0; i < MODEL_DEVICES; i++) {
        out->devices[i].speed = s->speeds[i];
        out->devices[i].holder = client_of(s, found->devices[i].holder_number);
        out->devices[i].holder_silent = found->devices[i].holder_silent != 0;
        out->devices[i].lease_left_ns = ns_of(found->devices[i].lease_left);
    }
    free(found);
    for (int i = 0; i < MODEL_CLIENTS; i++) {
        const tp_session *session = s->sessions[i];
        out->clients[i].here = session != NULL;
        out->clients[i].right = session == NULL ? TP_RIGHT_READ : tp_session_right(session);
        out->clients[i].key = session == NULL ? "" : tp_session_key(session);
    }
}

scene *scene_begin(void)
{
    scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    bench_init(&s->b);
    s->visit.b = &s->b;
    s->keeper = visit_begin(&s->visit, "keeper");
    for (int i = 0; i < MODEL_DEVICES; i++) {
        add_device(s, i);
    }
    set_access(s, 0);
    return s;
}

void scene_end(scene *s)
{
    for (int i = 0; i < MODEL_CLIENTS; i++) {
        tp_session_destroy(s->sessions[i]);
    }
    tp_session_destroy(s->keeper);
    bench_fini(&s->b);
    for (int i = 0; i < MODEL_DEVICES; i++) {
        bench_plan_destroy(s->plans[i]);
    }
    free(s);
}
