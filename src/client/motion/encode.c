/* encode.c - commands of the program as records, and records of the server as replies. */
#include "client/motion/encode.h"

#include <stdlib.h>
#include <string.h>

/* Targets of MOVE are sent as they are. */
_Static_assert(sizeof(tp_motion_target) == sizeof(tpi_motion_drive) &&
                   offsetof(tp_motion_target, value) == offsetof(tpi_motion_drive, value) &&
                   offsetof(tp_motion_target, dof) == offsetof(tpi_motion_drive, dof),
               "a target is a drive");
_Static_assert((int)TP_MOTION_PANIC == (int)TPI_MOTION_PANICKED &&
                   (int)TP_MOTION_BUSY == (int)TPI_MOTION_BUSY &&
                   (int)TP_MOTION_ADAPTIVE == (int)TPI_MOTION_ADAPTIVE,
               "numbers of the header are those of the wire");

static const struct {
    const char *name;
    uint16_t code;
} verbs[] = {
    {"GOTO", TPI_MOTION_GOTO},   {"SETSPEED", TPI_MOTION_SETSPEED}, {"STOP", TPI_MOTION_STOP},
    {"SET", TPI_MOTION_SET},     {"SPEED", TPI_MOTION_SPEED},       {"FORCE", TPI_MOTION_FORCE},
    {"MOVE", TPI_MOTION_MOVE},   {"HOME", TPI_MOTION_HOME},         {"POSE", TPI_MOTION_POSE},
    {"TWIST", TPI_MOTION_TWIST}, {"WRENCH", TPI_MOTION_WRENCH},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

const char *tp_motion_verb_name(unsigned verb)
{
    return verb < VERBS ? verbs[verb].name : "?";
}

const char *tp_motion_signal_name(unsigned signal)
{
    static const char *const names[] = {"SUCCESS",     "MODIFIED", "NA",   "BUSY",
                                        "INTERRUPTED", "ERROR",    "PANIC"};

    return signal < sizeof names / sizeof names[0] ? names[signal] : "?";
}

tp_status tpi_signal_status(unsigned signal)
{
    switch (signal) {
    case TP_MOTION_SUCCESS:
    case TP_MOTION_MODIFIED:
        return TP_OK;
    case TP_MOTION_NA:
        return TP_E_UNSUPPORTED;
    case TP_MOTION_BUSY:
        return TP_E_DENIED;
    case TP_MOTION_INTERRUPTED:
        return TP_E_DEVICE;
    case TP_MOTION_PANIC:
        return TP_E_PANIC;
    default:
        return TP_E_INVALID;
    }
}

/* ---- Commands ---- */

static void encode_body(tpi_encoded *b, const tp_motion_command *c, uint64_t us)
{
    switch (c->verb) {
    case TP_MOTION_DO_GOTO:
        b->drive_to = (tpi_motion_goto){c->value[0], c->value[1], c->value[2], c->map};
        break;
    case TP_MOTION_DO_SETSPEED:
        b->speed = (tpi_motion_setspeed){c->value[0], c->value[1], c->value[2]};
        break;
    case TP_MOTION_DO_STOP:
        b->empty = (tpi_motion_empty){0};
        break;
    case TP_MOTION_DO_SET:
        b->set = (tpi_motion_set){c->joint, c->dof, c->value[0], us};
        break;
    case TP_MOTION_DO_SPEED:
    case TP_MOTION_DO_FORCE:
        b->drive = (tpi_motion_drive){c->joint, c->dof, c->value[0]};
        break;
    case TP_MOTION_DO_MOVE:
        b->move = (tpi_motion_move){us, c->servo, c->count,
                                    (tpi_motion_drive *)(uintptr_t)(const void *)c->targets};
        break;
    case TP_MOTION_DO_HOME:
        b->home = (tpi_motion_home){c->joint};
        break;
    case TP_MOTION_DO_POSE:
        b->pose = (tpi_motion_pose){.frame = c->joint, .duration_us = us};
        memcpy(b->pose.pose, c->value, sizeof b->pose.pose);
        break;
    default:
        b->screw = (tpi_motion_screw){.frame = c->joint};
        memcpy(b->screw.value, c->value, sizeof b->screw.value);
        break;
    }
}

tp_status tpi_encode(tpi_talk_item *item, tpi_encoded *body, const tp_motion_command *command,
                     uint32_t tag, tp_error *err)
{
    if ((unsigned)command->verb >= VERBS) {
        return tp_fail(err, TP_E_INVALID, "there is no command %u", (unsigned)command->verb);
    }
    if (command->duration_ns < 0) {
        return tp_fail(err, TP_E_RANGE, "%s: the duration is negative",
                       tp_motion_verb_name(command->verb));
    }
    *item = (tpi_talk_item){verbs[command->verb].code, tag, body};
    encode_body(body, command, (uint64_t)command->duration_ns / 1000);
    return TP_OK;
}

/* ---- Replies ---- */

static const struct {
    uint16_t code;
    tp_motion_kind kind;
} kinds[] = {
    {TPI_MOTION_SIGNAL, TP_MOTION_IS_SIGNAL},
    {TPI_MOTION_SUMMARY, TP_MOTION_IS_SUMMARY},
    {TPI_MOTION_ASK_STATE | TPI_MOTION_ANSWER, TP_MOTION_IS_STATE},
    {TPI_MOTION_ASK_BASE | TPI_MOTION_ANSWER, TP_MOTION_IS_BASE},
    {TPI_MOTION_ASK_CLOCK | TPI_MOTION_ANSWER, TP_MOTION_IS_CLOCK},
    {TPI_MOTION_ASK_QUEUES | TPI_MOTION_ANSWER, TP_MOTION_IS_QUEUES},
    {TPI_MOTION_ASK_BUSY | TPI_MOTION_ANSWER, TP_MOTION_IS_BUSY},
    {TPI_MOTION_LEASE | TPI_MOTION_ANSWER, TP_MOTION_IS_LEASE},
};

tp_motion_reply *tpi_decode(const tpi_motion_record *record, int64_t now_ns, size_t *bytes)
{
    const tpi_motion_body *body = tpi_motion_body_of(record->code);
    /* no element is larger in memory than twice its bytes and some more; a NUL follows texts */
    const size_t room = 3 * (size_t)record->length + 64;
    size_t i = 0;

    while (i < sizeof kinds / sizeof kinds[0] && kinds[i].code != record->code) {
        i++;
    }
    tp_motion_reply *reply =
        i < sizeof kinds / sizeof kinds[0] ? calloc(1, sizeof *reply + room) : NULL;
    if (reply == NULL) {
        return NULL;
    }
    reply->tag = record->tag;
    reply->kind = kinds[i].kind;
    reply->received_ns = now_ns;
    *bytes = sizeof *reply + room;
    if (tpi_motion_body_get(body, record->body, record->length, &reply->as, reply + 1, room - 1,
                            NULL) != TP_OK) {
        free(reply);
        return NULL;
    }
    return reply;
}
