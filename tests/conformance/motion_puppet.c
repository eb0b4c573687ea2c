/* motion_puppet.c - see motion_puppet.h. */
#include "conformance/motion_puppet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/package.h"
#include "support/unit.h"
#include "troupe/interfaces/mechanism.h"

enum { MOST_MEMBERS = 256, ROOM = 64 << 10 };

static const int64_t LEASE_NS = 5 * TP_NS_PER_S;

/* A client; its records wait in `bytes`. */
struct member {
    bool used;
    char name[40];
    uint8_t token[TP_MECHANISM_TOKEN];
    tp_ticket *waits;
    int64_t heard_ns;
    bool moves;
    uint8_t *bytes; /* owned */
    uint32_t length, records;
    uint64_t missed;
};

struct puppet {
    tp_instance *instance;
    struct member members[MOST_MEMBERS];
    uint8_t answer[ROOM];
};

static struct puppet *puppet; /* of the scene that runs */

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_instance_clock(puppet->instance));
}

static void halt_motor(struct member *member, tp_halt_reason reason)
{
    if (member->moves) {
        member->moves = false;
        motor.speed = 0;
        motor.reason = (int)reason;
        motor.halts++;
    }
}

static void end_leases(void)
{
    for (int i = 0; i < MOST_MEMBERS; i++) {
        struct member *at = &puppet->members[i];

        if (at->used && now_ns() - at->heard_ns >= LEASE_NS) {
            halt_motor(at, TP_HALT_SILENT);
        }
    }
}

static struct member *find(const uint8_t *token)
{
    for (int i = 0; i < MOST_MEMBERS; i++) {
        struct member *at = &puppet->members[i];

        if (at->used && memcmp(at->token, token, sizeof at->token) == 0) {
            return at;
        }
    }
    return NULL;
}

/* ---- Records --------------------------------------------------------------------------------- */

static void tell(struct member *member)
{
    const tp_mechanism_waiting answer = {member->records};
    tp_ticket *ticket = member->waits;

    if (ticket != NULL && member->records > 0) {
        member->waits = NULL;
        tp_ticket_answer(ticket, &answer);
    }
}

static void add_record(struct member *member, uint16_t code, uint32_t tag, const void *value)
{
    const size_t size = tpi_motion_record_put(member->bytes + member->length, ROOM - member->length,
                                              code, tag, value);

    if (size == 0) {
        member->missed++;
        return;
    }
    member->length += (uint32_t)size;
    member->records++;
    tell(member);
}

void motion_puppet_publish(struct front_scene *s)
{
    tpi_motion_dof_state dof = {0};
    const tpi_motion_state state = {.count = 1, .dofs = &dof};

    (void)s;
    for (int i = 0; i < MOST_MEMBERS; i++) {
        if (puppet != NULL && puppet->members[i].used) {
            add_record(&puppet->members[i], TPI_MOTION_ASK_STATE | TPI_MOTION_ANSWER, 0, &state);
        }
    }
}

/* The suite names its clients by their address; members know the software's name, which is the
 * port. */
uint64_t motion_puppet_missed(const struct front_scene *s, const char *name)
{
    const tp_session *session = tpi_clients_first(s->stage.b.hub);
    uint32_t order = 0;

    /* Sessions are listed newest first, members in the order of joining. */
    while (session != NULL && strcmp(session->identity.name, name) != 0) {
        session = session->next;
    }
    for (; session != NULL && session->next != NULL; session = session->next) {
        order++;
    }
    return puppet->members[order].missed;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status join(tp_device *device, const tp_mechanism_join *ask, tp_mechanism_joined *answer,
                      tp_error *err)
{
    int i = 0;

    (void)device;
    (void)err;
    while (i < MOST_MEMBERS && puppet->members[i].used) {
        i++;
    }
    assert_true(i < MOST_MEMBERS);
    puppet->members[i] = (struct member){.used = true, .heard_ns = now_ns(), .bytes = malloc(ROOM)};
    assert_non_null(puppet->members[i].bytes);
    memcpy(puppet->members[i].token, ask->token, sizeof ask->token);
    answer->client = (uint32_t)i + 1;
    return TP_OK;
}

static tp_status leave(tp_device *device, const tp_mechanism_client *ask, tp_error *err)
{
    struct member *member = find(ask->token);

    (void)device;
    if (member == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "who?");
    }
    halt_motor(member, TP_HALT_LEFT);
    if (member->waits != NULL) {
        tp_ticket_fail(member->waits, TP_E_CLOSED, "left");
    }
    free(member->bytes);
    *member = (struct member){.used = false};
    return TP_OK;
}

static tp_status heard(tp_device *device, const tp_mechanism_client *ask, tp_error *err)
{
    struct member *member = find(ask->token);

    (void)device;
    (void)err;
    end_leases();
    if (member != NULL) {
        member->heard_ns = now_ns();
    }
    return TP_OK;
}

static tp_status wait_for(tp_device *device, const tp_mechanism_client *ask,
                          tp_mechanism_waiting *answer, tp_error *err)
{
    struct member *member = find(ask->token);

    (void)answer;
    if (member == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "who?");
    }
    member->waits = tp_device_defer(device);
    tell(member);
    return TP_PENDING;
}

static tp_status take(tp_device *device, const tp_mechanism_client *ask,
                      tp_mechanism_records *answer, tp_error *err)
{
    struct member *member = find(ask->token);

    (void)device;
    if (member == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "who?");
    }
    memcpy(puppet->answer, member->bytes, member->length);
    *answer = (tp_mechanism_records){member->records, member->length, puppet->answer};
    member->length = member->records = 0;
    return TP_OK;
}

static tp_status take_package(const tp_mechanism_package *ask, bool plays, tp_error *err)
{
    struct member *member = find(ask->token);
    const tpi_motion_clock clock = {1, 2};
    tpi_motion_header header;
    tpi_motion_record record;
    bool foreign;
    size_t at = 0;

    end_leases();
    if (member == NULL || tpi_motion_header_get(&header, ask->bytes, &foreign, err) != TP_OK ||
        tpi_motion_payload_check(&header, ask->bytes + TPI_MOTION_HEADER, err) != TP_OK) {
        return TP_E_INVALID;
    }
    member->heard_ns = ask->arrived > 0 ? (int64_t)(ask->arrived * 1e9) : now_ns();
    while (at < header.size && tpi_motion_record_next(&record, ask->bytes + TPI_MOTION_HEADER,
                                                      header.size, &at, NULL) == TP_OK) {
        tpi_motion_setspeed speed;

        if (record.code == TPI_MOTION_SETSPEED && plays &&
            tpi_motion_body_get(tpi_motion_body_of(record.code), record.body, record.length, &speed,
                                NULL, 0, NULL) == TP_OK) {
            motor.speed = (int)(speed.vx_mps * 1000);
            motor.commands++;
            member->moves = true;
        } else if (record.code == TPI_MOTION_ASK_CLOCK) {
            add_record(member, record.code | TPI_MOTION_ANSWER, record.tag, &clock);
        }
    }
    return TP_OK;
}

static tp_status ask_it(tp_device *device, const tp_mechanism_package *ask, tp_error *err)
{
    (void)device;
    return take_package(ask, false, err);
}

static tp_status play_it(tp_device *device, const tp_mechanism_package *ask, tp_error *err)
{
    (void)device;
    return take_package(ask, true, err);
}

/* ---- The driver ------------------------------------------------------------------------------ */

static void told(tp_instance *self)
{
    (void)self;
    for (int i = 0; i < MOST_MEMBERS; i++) {
        halt_motor(&puppet->members[i], TP_HALT_PANIC);
    }
}

static tp_status init(tp_instance *self, tp_error *err)
{
    static const tp_mechanism_ops ops = {.req_join = join,
                                         .req_watch = join,
                                         .req_leave = leave,
                                         .req_heard = heard,
                                         .req_wait = wait_for,
                                         .req_take = take,
                                         .req_ask = ask_it,
                                         .req_play = play_it,
                                         .req_promote = heard};

    puppet = tp_instance_state(self);
    puppet->instance = self;
    tp_instance_on_panic(self, told);
    tp_instance_set_period(self, TP_NS_PER_S / 10);
    return tp_offer(self, &tp_interface_mechanism, NULL, &ops, NULL, NULL, err);
}

static tp_status poll(tp_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    end_leases();
    return TP_OK;
}

static void stop(tp_instance *self)
{
    (void)self;
    for (int i = 0; i < MOST_MEMBERS; i++) {
        halt_motor(&puppet->members[i], TP_HALT_LEFT);
        free(puppet->members[i].bytes);
        puppet->members[i] = (struct member){.used = false};
    }
}

static const tp_driver_ops puppet_ops = {.init = init, .poll = poll, .stop = stop};
const tp_driver motion_puppet = {.abi = TP_DRIVER_ABI,
                                 .name = "motion_puppet",
                                 .state_size = sizeof(struct puppet),
                                 .ops = &puppet_ops,
                                 .flags = TP_DRIVER_ON_LOOP};
