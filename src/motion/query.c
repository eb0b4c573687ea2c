/* query.c - queries about the robot and the queues, once or repeated. */
#include <string.h>

#include "kinematics/mechanism.h"
#include "motion/body.h"
#include "motion/inside.h"

enum { MOST_BYTES = 65000 }; /* of a body */

/* The shortest period of a broadcast; of a client that only reads, so that it cannot slow others.
 */
static const int64_t LEAST_NS = 1000000, LEAST_OF_READERS_NS = 50000000;

static uint64_t us_of(int64_t ns)
{
    return (uint64_t)ns / 1000;
}

/* The bytes of one element of an answer with a list. */
static size_t element_size(uint16_t code)
{
    const tpi_motion_field *count;

    return tpi_motion_fixed_size(tpi_motion_list_of(tpi_motion_body_of(code), &count)->of);
}

/* How many elements of a block one answer has, from `first` on. */
static uint16_t fitting(tpi_motion_page page, uint16_t total, uint16_t code)
{
    const size_t left = page.first < total ? (size_t)(total - page.first) : 0;
    const size_t asked = page.count < left ? page.count : left;
    const size_t most = MOST_BYTES / element_size(code);

    return (uint16_t)(asked < most ? asked : most);
}

/* ---- The description ---- */

/* What the actuators of the axes from `first` on, and before `end`, take. */
static unsigned servos_of(const tpi_motion_engine *e, uint16_t first, uint16_t end)
{
    unsigned servos = 0;

    for (uint16_t i = first; i < end; i++) {
        const tpi_motion_axis *axis = &e->axes[i];

        if (axis->of->mimics == 0 && axis->place.output != TPI_MOTION_NOWHERE) {
            servos |= axis->of->servo;
        }
    }
    return servos;
}

/* Bit i: the i-th command of the protocol. */
static uint32_t commands_of(const tpi_motion_engine *e)
{
    const unsigned base = servos_of(e, 0, e->base_axes);
    const unsigned joints = servos_of(e, e->base_axes, e->axis_count);
    const bool moves = e->base_axes >= 3 && (base & TPI_MOTION_SERVO_SPEED) != 0;
    uint32_t commands = 0;

    commands |= e->base_axes >= 3 && e->robot.takes_goto ? 1u << 0 : 0; /* GOTO */
    commands |= moves ? 1u << 1 | 1u << 2 : 0;                          /* SETSPEED, STOP */
    commands |= (joints & TPI_MOTION_SERVO_POSITION) != 0 ? 1u << 3 | 1u << 7 : 0; /* SET, HOME */
    commands |= (joints & TPI_MOTION_SERVO_SPEED) != 0 ? 1u << 4 : 0;              /* SPEED */
    commands |= (joints & TPI_MOTION_SERVO_FORCE) != 0 ? 1u << 5 : 0;              /* FORCE */
    commands |= joints != 0 ? 1u << 6 : 0;                                         /* MOVE */
    for (uint16_t i = 0; e->robot.mechanism != NULL && i < e->robot.frame_count; i++) {
        commands |= (joints & e->robot.frames[i].servo & 7u) << 8; /* POSE, TWIST, WRENCH */
    }
    return commands;
}

static void answer_header(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag,
                          bool passing)
{
    const tpi_motion_robot *robot = &e->robot;
    tpi_motion_description answer = {
        .joints = robot->joint_count,
        .links = robot->link_count,
        .frames = robot->frame_count,
        .dofs = e->axis_count,
        .joint_size = (uint16_t)element_size(TPI_MOTION_ASK_JOINTS | TPI_MOTION_ANSWER),
        .link_size = (uint16_t)element_size(TPI_MOTION_ASK_LINKS | TPI_MOTION_ANSWER),
        .frame_size = (uint16_t)element_size(TPI_MOTION_ASK_FRAMES | TPI_MOTION_ANSWER),
        .root = robot->root,
        .units = 1,
        .commands = commands_of(e),
        .period_us = (uint32_t)(robot->period_ns / 1000),
        .clock = robot->clock,
    };

    tpi_motion_name_put(answer.name, robot->name);
    answer.link_offset = (uint32_t)answer.joint_size * answer.joints;
    answer.frame_offset = answer.link_offset + (uint32_t)answer.link_size * answer.links;
    tpi_motion_answer(e, client, TPI_MOTION_ASK_HEADER | TPI_MOTION_ANSWER, tag, &answer, passing);
}

/* JOINTS, LINKS, FRAMES. */
static void answer_block(tpi_motion_engine *e, tpi_motion_client *client, uint16_t code,
                         uint32_t tag, tpi_motion_page page, bool passing)
{
    const tpi_motion_robot *robot = &e->robot;
    const uint16_t total = code == TPI_MOTION_ASK_JOINTS  ? robot->joint_count
                           : code == TPI_MOTION_ASK_LINKS ? robot->link_count
                                                          : robot->frame_count;
    const uint16_t count = fitting(page, total, code | TPI_MOTION_ANSWER);
    const size_t first = count > 0 ? page.first : 0;
    const tpi_motion_joints joints = {page.first, count, robot->joints + first};
    const tpi_motion_links links = {page.first, count, robot->links + first};
    const tpi_motion_frames frames = {page.first, count, robot->frames + first};
    const void *answer = code == TPI_MOTION_ASK_JOINTS  ? (const void *)&joints
                         : code == TPI_MOTION_ASK_LINKS ? (const void *)&links
                                                        : (const void *)&frames;

    tpi_motion_answer(e, client, code | TPI_MOTION_ANSWER, tag, answer, passing);
}

/* ---- State ---- */

/* The state of a dof that mimics another is derived from it. */
static tpi_motion_dof_state state_of(const tpi_motion_engine *e, uint16_t i)
{
    const tpi_dof *dof = e->robot.mechanism != NULL ? &e->robot.mechanism->dofs[i] : NULL;

    if (dof == NULL || dof->master < 0) {
        return e->axes[i].measured;
    }
    const tpi_motion_dof_state *master = &e->axes[dof->master].measured;
    return (tpi_motion_dof_state){dof->multiplier * master->position + dof->offset,
                                  dof->multiplier * master->velocity, 0};
}

static void answer_state(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag,
                         bool passing)
{
    const tpi_motion_state answer = {us_of(e->now_ns), e->axis_count, e->room.states};

    for (uint16_t i = 0; i < e->axis_count; i++) {
        e->room.states[i] = state_of(e, i);
    }
    tpi_motion_answer(e, client, TPI_MOTION_ASK_STATE | TPI_MOTION_ANSWER, tag, &answer, passing);
}

static void answer_busy(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag, bool passing)
{
    tpi_motion_busy answer = {0, e->room.holders};

    for (uint16_t i = 0; i < e->axis_count; i++) {
        const tpi_motion_axis *axis = &e->axes[i];

        if (axis->holder != NULL) {
            tpi_motion_holder *holder = &answer.holders[answer.count++];

            *holder = (tpi_motion_holder){
                .joint = axis->joint, .dof = axis->dof, .client = axis->holder->number};
            memcpy(holder->label, axis->holder->label, sizeof holder->label);
        }
    }
    tpi_motion_answer(e, client, TPI_MOTION_ASK_BUSY | TPI_MOTION_ANSWER, tag, &answer, passing);
}

static void answer_queues(tpi_motion_engine *e, tpi_motion_client *client, uint32_t tag,
                          bool passing)
{
    tpi_motion_queues answer = {
        .answers = tpi_motion_answers_count(&client->answers),
        .rate = client->rate,
        .robot_rate = e->rate,
        .played = client->played,
        .late = client->late_frames,
        .longest_late_us = client->longest_late_ns / 1000,
        .dropped = client->answers.dropped,
        .skipped = client->skipped,
    };

    /* Frames of a sequence that has started are commands with a time, as the paper has it. */
    for (int i = 0; i < TPI_MOTION_TRACKS; i++) {
        const tpi_motion_track *track = &client->tracks[i];

        *(track->state == TPI_MOTION_TRACK_COLLECTS ? &answer.playback : &answer.command) +=
            track->queue.count;
    }
    tpi_motion_answer(e, client, TPI_MOTION_ASK_QUEUES | TPI_MOTION_ANSWER, tag, &answer, passing);
}

/* ---- Queries ---- */

static void answer(tpi_motion_engine *e, tpi_motion_client *client, uint16_t code, uint32_t tag,
                   tpi_motion_page page, bool passing)
{
    const tpi_motion_clock clock = {e->robot.clock, us_of(e->now_ns)};

    switch (code) {
    case TPI_MOTION_ASK_HEADER:
        answer_header(e, client, tag, passing);
        break;
    case TPI_MOTION_ASK_STATE:
        answer_state(e, client, tag, passing);
        break;
    case TPI_MOTION_ASK_BASE:
        tpi_motion_answer(e, client, code | TPI_MOTION_ANSWER, tag, &e->base, passing);
        break;
    case TPI_MOTION_ASK_CLOCK:
        tpi_motion_answer(e, client, code | TPI_MOTION_ANSWER, tag, &clock, passing);
        break;
    case TPI_MOTION_ASK_QUEUES:
        answer_queues(e, client, tag, passing);
        break;
    case TPI_MOTION_ASK_BUSY:
        answer_busy(e, client, tag, passing);
        break;
    default:
        answer_block(e, client, code, tag, page, passing);
        break;
    }
}

void tpi_motion_query_plan(tpi_motion_engine *e, const tpi_motion_client *client)
{
    int64_t first = INT64_MAX;

    for (int i = 0; i < TPI_MOTION_BROADCASTS; i++) {
        if (client->repeats[i].used && client->repeats[i].due_ns < first) {
            first = client->repeats[i].due_ns;
        }
    }
    tpi_motion_brief_of(e, client)->repeat_ns = first;
}

bool tpi_motion_query_repeat(tpi_motion_engine *e, tpi_motion_client *client, uint16_t query,
                             uint32_t tag, tpi_motion_page page, int64_t period_ns)
{
    const int64_t least = client->right > 0 ? LEAST_NS : LEAST_OF_READERS_NS;
    const int64_t period = period_ns > least ? period_ns : least;

    for (int i = 0; i < TPI_MOTION_BROADCASTS; i++) {
        if (!client->repeats[i].used) {
            client->repeats[i] = (tpi_motion_repeat){true, query, tag, page, period, e->now_ns};
            tpi_motion_query_plan(e, client);
            return true;
        }
    }
    return false;
}

void tpi_motion_query_turn(tpi_motion_engine *e, tpi_motion_client *client)
{
    for (int i = 0; i < TPI_MOTION_BROADCASTS; i++) {
        tpi_motion_repeat *repeat = &client->repeats[i];

        if (!repeat->used || repeat->due_ns > e->now_ns) {
            continue;
        }
        const int64_t missed = (e->now_ns - repeat->due_ns) / repeat->period_ns;

        client->skipped += (uint64_t)missed;
        repeat->due_ns += (missed + 1) * repeat->period_ns;
        answer(e, client, repeat->query, repeat->tag, repeat->page, true);
    }
    tpi_motion_query_plan(e, client);
}

void tpi_motion_query(tpi_motion_engine *e, tpi_motion_client *client,
                      const tpi_motion_header *header, const uint8_t *payload)
{
    const uint8_t mode = header->mode == TPI_MOTION_SESSIONS_OWN ? client->mode : header->mode;
    tpi_motion_record record;
    size_t at = 0;

    while (at < header->size &&
           tpi_motion_record_next(&record, payload, header->size, &at, NULL) == TP_OK) {
        const tpi_motion_subject subject = {record.tag, header->id, TPI_MOTION_DIRECT, 0, 0};
        tpi_motion_page page = {0, 0xffff};

        if (record.length == 4) {
            page = (tpi_motion_page){tpi_motion_load16(record.body),
                                     tpi_motion_load16(record.body + 2)};
        }
        if (mode != TPI_MOTION_BROADCAST) {
            answer(e, client, record.code, record.tag, page, false);
        } else if (header->time_us == 0 || header->time_us > 1000000000000 ||
                   !tpi_motion_query_repeat(e, client, record.code, record.tag, page,
                                            (int64_t)header->time_us * 1000)) {
            tpi_motion_signal_send(e, client, &subject, TPI_MOTION_ERROR, true,
                                   "too many broadcasts, or one without a period");
        }
    }
}
