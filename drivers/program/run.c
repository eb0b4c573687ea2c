/* run.c - running a program: turns of the machine, pauses, steps; see program.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/show.h"
#include "program.h"

static const int64_t PAUSE_NS = TP_NS_PER_MS; /* after LINES_A_TURN lines */
static const int64_t STEP_NS = 10 * TP_NS_PER_S;
static const int64_t LONGEST_NS = TP_NS_PER_S;

/* A program that runs is looked at so often. If it was not for longer than a lease, too, it was
 * frozen, and its plan is from before that. */
static const int64_t LOOK_NS = 100 * TP_NS_PER_MS;
static const int64_t FROZEN_NS = 11 * (TP_NS_PER_S / 10);

int64_t tpi_program_time_ns(const struct program *p)
{
    const bool runs = p->phase == TP_PROGRAM_RUNNING;
    const int64_t time_ns = (runs ? program_now(p) : p->times.paused_ns) - p->times.began_ns;

    return time_ns > 0 ? time_ns : 0;
}

bool tpi_program_is_busy(const struct program *p)
{
    return p->phase == TP_PROGRAM_RUNNING || p->phase == TP_PROGRAM_PAUSED ||
           p->phase == TP_PROGRAM_LEAVING || p->phase == TP_PROGRAM_ARRIVING ||
           p->fit.ticket != NULL || p->flow.asking == ASKS_MATCH || p->flow.asking == ASKS_EXPLAIN;
}

void tpi_program_wait(struct program *p, int64_t until_ns)
{
    const int64_t now_ns = program_now(p);
    int64_t next_ns = until_ns;
    const int64_t publish_ns = tpi_program_publish(p, false);

    next_ns = publish_ns < next_ns ? publish_ns : next_ns;
    next_ns = p->times.retry_ns < next_ns ? p->times.retry_ns : next_ns;
    next_ns = tpi_program_settle_ns(p) < next_ns ? tpi_program_settle_ns(p) : next_ns;
    if (p->flow.step != NULL && p->flow.step_ns + STEP_NS < next_ns) {
        next_ns = p->flow.step_ns + STEP_NS;
    }
    const bool runs = p->phase == TP_PROGRAM_RUNNING;
    if (next_ns == INT64_MAX && !runs) {
        tp_instance_set_period(p->instance, 0);
        return;
    }
    const int64_t longest_ns = runs ? LOOK_NS : LONGEST_NS;
    int64_t wait_ns = next_ns - now_ns;
    wait_ns = wait_ns > longest_ns ? longest_ns : wait_ns;
    tp_instance_set_period(p->instance, wait_ns > PAUSE_NS / 4 ? wait_ns : PAUSE_NS / 4);
}

/* ---- Beginning and ending -------------------------------------------------------------------- */

void tpi_program_begin(struct program *p)
{
    const double seconds = p->wish.seconds;
    tp_error err = {.text = ""};

    p->error[0] = '\0';
    p->error_line = 0;
    p->counts.steps = p->counts.commands = p->counts.held = 0;
    p->times.retry_ns = INT64_MAX;
    p->flow.tokens = p->settings.rate;
    p->times.began_ns = p->times.paused_ns = p->flow.tokens_ns = program_now(p);
    p->times.looked_ns = p->times.began_ns;
    p->times.ends_ns = seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX;
    p->flow.resumes = p->flow.is_stepping = p->flow.wants_pause = false;
    if (!tpi_program_open_channels(p)) {
        tpi_program_end(p, TP_PROGRAM_FAILED, 0,
                        "a program has at most 32 channels with names of up to 63 bytes");
        return;
    }
    if (tpi_play_runner_begin(p->runner, &p->loaded.program, p->wish.seed, &err) != TP_OK) {
        tpi_program_end(p, TP_PROGRAM_FAILED, 0, err.text);
        return;
    }
    p->phase = p->wish.paused ? TP_PROGRAM_PAUSED : TP_PROGRAM_RUNNING;
    tpi_program_changed(p);
    (void)tpi_program_publish(p, true);
}

static void answer_step(struct program *p)
{
    tp_program_state state;

    if (p->flow.step != NULL) {
        tp_ticket *ticket = p->flow.step;
        p->flow.step = NULL;
        tpi_program_fill_state(p, &state);
        tp_ticket_answer(ticket, &state);
    }
}

void tpi_program_end(struct program *p, tp_program_phase phase, unsigned line, const char *why)
{
    if (p->phase == TP_PROGRAM_RUNNING) {
        p->times.paused_ns = program_now(p); /* the time stands */
    }
    tpi_program_halt_robot(p);
    p->phase = phase;
    p->error_line = line;
    (void)snprintf(p->error, sizeof p->error, "%s", why);
    p->flow.is_stepping = p->flow.wants_pause = p->flow.resumes = false;
    p->times.retry_ns = phase == TP_PROGRAM_FAILED && p->starts && p->settings.retry_s > 0
                            ? program_now(p) + (int64_t)(p->settings.retry_s * 1e9)
                            : INT64_MAX;
    answer_step(p);
    if (p->fit.ticket != NULL) { /* it was being matched */
        tp_ticket *ticket = p->fit.ticket;
        p->fit.ticket = NULL;
        tp_ticket_fail(ticket, TP_E_CLOSED, p->error);
    }
    if (p->move.ticket != NULL) {
        tp_ticket *ticket = p->move.ticket;
        p->move.ticket = NULL;
        p->move.id[0] = '\0';
        tp_ticket_fail(ticket, TP_E_DEVICE, "the program has ended before it could leave");
    }
    tpi_program_changed(p);
    (void)tpi_program_publish(p, true);
}

/* ---- Pauses ---------------------------------------------------------------------------------- */

void tpi_program_stand(struct program *p)
{
    p->times.paused_ns = program_now(p);
    p->phase = TP_PROGRAM_PAUSED;
    p->flow.wants_pause = p->flow.is_stepping = false;
    tpi_program_halt_robot(p);
    tpi_program_changed(p);
    answer_step(p);
    if (p->move.ticket != NULL) {
        tpi_program_departed(p);
    }
    (void)tpi_program_publish(p, true);
}

/* Whether the machine stands before a line. */
static bool is_before_line(const struct program *p)
{
    return p->runner->machine.is_asking && p->runner->machine.request.code == TPI_PLAY_LINE_CODE;
}

void tpi_program_go_on(struct program *p, bool steps)
{
    p->times.looked_ns = program_now(p);
    p->times.began_ns += p->times.looked_ns - p->times.paused_ns;
    p->phase = TP_PROGRAM_RUNNING;
    p->flow.is_stepping = steps;
    /* Before its first line the machine has not asked yet. */
    p->flow.is_fresh_step = is_before_line(p) || p->counts.steps == 0;
    p->flow.wants_pause = false;
    p->flow.resumes = p->runner->motion_count > 0;
    p->flow.motion = 0;
    tpi_program_changed(p);
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* A line begins: here the program can stand still. False if it does. */
static bool pass_line(struct program *p)
{
    if (p->flow.wants_pause || (p->flow.is_stepping && !p->flow.is_fresh_step)) {
        tpi_program_stand(p);
        return false;
    }
    p->flow.is_fresh_step = false;
    p->counts.steps++;
    tpi_play_answer(&p->runner->machine);
    return true;
}

/* What the machine asks for. False if the turn is over. */
static bool serve(struct program *p, unsigned *lines)
{
    const unsigned code = p->runner->machine.request.code;
    const tpi_command command = tpi_dictionary_code((uint16_t)code);

    if (++*lines > LINES_A_TURN) { /* lines and questions without an answer from outside */
        tpi_program_wait(p, program_now(p) + PAUSE_NS);
        return false;
    }
    if (code == TPI_PLAY_LINE_CODE) {
        return pass_line(p);
    }
    if (code == TPI_PLAY_PRINT_CODE || code == TPI_PLAY_LOG_CODE ||
        (command < TPI_COMMANDS && tpi_dictionary_entry(command)->sort == TPI_SORT_CHANNEL)) {
        if (tpi_program_tell(p)) {
            return true;
        }
        tpi_program_wait(p, program_now(p) + PAUSE_NS);
        return false;
    }
    tpi_program_order(p);
    return p->flow.asking == ASKS_NOTHING;
}

/* Run on; false if nothing can be done now. */
static bool advance(struct program *p, unsigned *lines)
{
    tpi_play_machine *machine = &p->runner->machine;

    if (p->flow.resumes) {
        p->flow.resumes = tpi_program_repeat_motion(p);
        return true;
    }
    if (tpi_program_time_ns(p) >= p->times.ends_ns) {
        tpi_program_end(p, TP_PROGRAM_STOPPED, 0, "its time is over");
        return true;
    }
    machine->now_ms = (int32_t)(tpi_program_time_ns(p) / TP_NS_PER_MS);
    switch (tpi_play_run(machine, LINES_A_TURN)) {
    case TPI_PLAY_ASKS:
        return serve(p, lines);
    case TPI_PLAY_WAITS:
        if (p->flow.wants_pause) {
            tpi_program_stand(p);
            return true;
        }
        tpi_program_wait(p, p->times.began_ns + (int64_t)tpi_play_wake_ms(machine) * TP_NS_PER_MS);
        return false;
    case TPI_PLAY_RUNS:
        tpi_program_wait(p, program_now(p) + PAUSE_NS);
        return false;
    case TPI_PLAY_FAULTED:
        tpi_program_end(p, TP_PROGRAM_FAILED, tpi_play_runner_fault_line(p->runner),
                        tpi_play_fault_text(machine->fault));
        return true;
    default:
        tpi_program_end(p, TP_PROGRAM_DONE, 0, "");
        return true;
    }
}

static void end_if_frozen(struct program *p)
{
    const int64_t now_ns = program_now(p);
    const int64_t passed_ns = now_ns - p->times.looked_ns;
    char why[MOST_SENTENCE];

    p->times.looked_ns = now_ns;
    if (p->phase == TP_PROGRAM_RUNNING && passed_ns > FROZEN_NS) {
        (void)snprintf(why, sizeof why, "the server was frozen or busy for %.1f s",
                       (double)passed_ns / (double)TP_NS_PER_S);
        tpi_program_end(p, TP_PROGRAM_FAILED, 0, why);
    }
}

void tpi_program_turn(struct program *p)
{
    unsigned lines = 0;

    end_if_frozen(p);
    if (p->flow.step != NULL && program_now(p) - p->flow.step_ns >= STEP_NS) {
        answer_step(p);
    }
    while (p->phase == TP_PROGRAM_RUNNING && p->flow.asking == ASKS_NOTHING) {
        if (!advance(p, &lines)) {
            return;
        }
    }
    tpi_program_wait(p, INT64_MAX);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status run(tp_device *device, const tp_program_run *ask, bool stays, tp_error *err)
{
    struct program *p = program_of(device);

    if (p->phase == TP_PROGRAM_EMPTY || p->phase == TP_PROGRAM_GONE) {
        return tp_fail(err, TP_E_UNKNOWN, "no program is loaded");
    }
    if (tpi_program_is_busy(p)) {
        return tp_fail(err, TP_E_EXISTS, "the program %s; stop it first",
                       p->phase == TP_PROGRAM_RUNNING  ? "runs"
                       : p->phase == TP_PROGRAM_PAUSED ? "is paused"
                                                       : "is on its way");
    }
    if (!(ask->seconds >= 0)) {
        return tp_fail(err, TP_E_RANGE, "seconds is below 0");
    }
    p->wish = *ask;
    p->starts = stays;
    p->times.retry_ns = INT64_MAX;
    p->fit.then = THEN_RUN;
    const tp_status status = tpi_program_match(p, ask->loose != 0, err);
    if (status == TP_OK) {
        p->fit.ticket = tp_device_defer(device);
        return TP_PENDING;
    }
    return status;
}

tp_status tpi_program_run(tp_device *device, const tp_program_run *ask, tp_program_matches *answer,
                          tp_error *err)
{
    (void)answer;
    return run(device, ask, false, err);
}

tp_status tpi_program_launch(tp_device *device, const tp_program_run *ask,
                             tp_program_matches *answer, tp_error *err)
{
    (void)answer;
    return run(device, ask, true, err);
}

tp_status tpi_program_stop(tp_device *device, tp_error *err)
{
    struct program *p = program_of(device);

    if (p->phase == TP_PROGRAM_LEAVING || p->phase == TP_PROGRAM_ARRIVING) {
        return tp_fail(err, TP_E_EXISTS, "the program is in transit and stands still");
    }
    p->times.retry_ns = INT64_MAX;
    if (p->fit.ticket != NULL || p->flow.asking == ASKS_MATCH || p->flow.asking == ASKS_EXPLAIN ||
        p->phase == TP_PROGRAM_RUNNING || p->phase == TP_PROGRAM_PAUSED) {
        tpi_program_end(p, TP_PROGRAM_STOPPED, 0, "a client has stopped it");
    }
    tpi_program_turn(p);
    return TP_OK;
}

tp_status tpi_program_pause(tp_device *device, tp_error *err)
{
    struct program *p = program_of(device);

    if (p->phase == TP_PROGRAM_PAUSED) {
        return TP_OK;
    }
    if (p->phase != TP_PROGRAM_RUNNING) {
        return tp_fail(err, TP_E_INVALID, "no program runs");
    }
    if (p->flow.asking == ASKS_NOTHING) {
        tpi_program_stand(p);
    } else {
        p->flow.wants_pause = true; /* as soon as the robot has answered */
    }
    tpi_program_turn(p);
    return TP_OK;
}

tp_status tpi_program_resume(tp_device *device, tp_error *err)
{
    struct program *p = program_of(device);

    if (p->phase != TP_PROGRAM_PAUSED) {
        return tp_fail(err, TP_E_INVALID, "the program is not paused");
    }
    tpi_program_go_on(p, false);
    tpi_program_turn(p);
    return TP_OK;
}

tp_status tpi_program_step(tp_device *device, tp_program_state *answer, tp_error *err)
{
    struct program *p = program_of(device);

    (void)answer;
    if (p->phase != TP_PROGRAM_PAUSED) {
        return tp_fail(err, TP_E_INVALID, "the program is not paused");
    }
    tpi_program_go_on(p, true);
    p->flow.step = tp_device_defer(device);
    p->flow.step_ns = program_now(p);
    tpi_program_wait(p, p->flow.step_ns); /* it is answered by a later operation */
    return TP_PENDING;
}
