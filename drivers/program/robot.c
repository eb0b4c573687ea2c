/* robot.c - orders for the robot and their outcomes, and what the program tells; see program.h. */
#include <string.h>

#include "play/show.h"
#include "program.h"

static const int64_t ORDER_NS = 10 * TP_NS_PER_S; /* a robot that takes longer is silent */

/* ---- Orders ---------------------------------------------------------------------------------- */

/* The message that a command goes with. */
static unsigned message_of(const struct program *p, tpi_command command, int device)
{
    const tpi_risk risk = tpi_dictionary_risk(command);
    const bool writes =
        tpi_dictionary_entry(command)->sort == TPI_SORT_WRITE || command == TPI_SETUP_OUTPUT;
    const bool moves =
        device >= 0 ? p->fit.found[device].moves : risk == TPI_RISK_MOVE || p->wish.loose != 0;

    return command == TPI_RAW || (writes && moves) ? TP_UNIVERSAL_REQ_MOVE : TP_UNIVERSAL_REQ_RUN;
}

/* An order without values. */
static tp_universal_order order_for(const struct program *p, tpi_command command, int device)
{
    tp_universal_order order = {.command = tpi_dictionary_entry(command)->code,
                                .part = TP_UNIVERSAL_ANY_PART,
                                .revision = p->fit.revision,
                                .type = (uint8_t)tpi_dictionary_entry(command)->type,
                                .loose = p->wish.loose};

    if (device >= 0) {
        order.part = p->fit.found[device].part;
        order.inverted = p->fit.found[device].is_inverted;
    } else if (command == TPI_STOP) {
        order.type = order.id = TPI_TYPE_ALL;
    }
    return order;
}

/* How long it may take: the command may wait itself. */
static int64_t patience(const tpi_play_order *order)
{
    const unsigned at = order->command == TPI_WAIT_TRIGGER ? 2 : 0;
    const bool waits = order->command == TPI_WAIT_TIME || order->command == TPI_WAIT_TRIGGER;
    double ms = order->count > at ? order->values[at].number : 1000;

    ms = !waits || !(ms > 0) ? 0 : ms < 65535 ? ms : 65535;
    return ORDER_NS + (int64_t)ms * TP_NS_PER_MS;
}

static void fail(struct program *p, const char *why)
{
    const unsigned line = tpi_play_runner_line(p->runner);

    if (p->runner->machine.is_asking) {
        tpi_play_refuse(&p->runner->machine);
    }
    tpi_program_end(p, TP_PROGRAM_FAILED, line, why);
}

/* The result of an order; false, with the program ended, if it failed. */
static bool read_outcome(struct program *p, tp_status status, const tp_msg *answer, const char *why,
                         const tp_universal_outcome **out)
{
    const tp_universal_outcome *outcome = answer != NULL ? tp_msg_payload(answer) : NULL;

    p->flow.asking = ASKS_NOTHING;
    if (status != TP_OK || outcome == NULL) {
        fail(p, why != NULL && why[0] != '\0' ? why : "the robot does not answer");
        return false;
    }
    if (outcome->fault != TP_UNIVERSAL_DONE) {
        fail(p, outcome->text_count > 1 ? outcome->text : "the command failed");
        return false;
    }
    p->counts.commands++;
    *out = outcome;
    return true;
}

static void on_order(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct program *p = tp_instance_state(self);
    const tp_universal_outcome *outcome = NULL;
    tpi_value results[TPI_MOST_RESULTS] = {{0}};
    unsigned count = 0;

    if ((uint32_t)(uintptr_t)context != p->flow.asked || p->flow.asking != ASKS_ORDER) {
        return; /* it was stopped meanwhile */
    }
    if (read_outcome(p, status, answer, why, &outcome)) {
        for (; count < outcome->results_count && count < TPI_MOST_RESULTS; count++) {
            const tp_universal_value *value = &outcome->results[count];
            results[count] = (tpi_value){.number = value->number};
            if (value->is_text) {
                results[count].text = value->text_count > 0 ? (const char *)value->text : "";
                results[count].length = value->text_count;
            }
        }
        tpi_play_order_done(p->runner, &p->flow.order, results, count);
        if (p->flow.wants_pause) {
            tpi_program_stand(p);
        }
    }
    tpi_program_turn(p);
}

static void ask(struct program *p, enum asking asking, tp_universal_order *order,
                tp_link_done *done)
{
    p->flow.asking = asking;
    p->flow.asked++;
    const tp_status status =
        tp_link_request(p->robot, message_of(p, p->flow.order.command, p->flow.order.device), order,
                        patience(&p->flow.order), done, (void *)(uintptr_t)p->flow.asked);
    if (status != TP_OK) {
        p->flow.asking = ASKS_NOTHING;
        fail(p, "the robot cannot be reached");
    }
}

void tpi_program_order(struct program *p)
{
    tp_universal_value values[TPI_MOST_VALUES] = {{0}};
    tp_error err = {.text = ""};

    if (tpi_play_order_read(&p->flow.order, p->runner, &err) != TP_OK) {
        fail(p, err.text);
        return;
    }
    tp_universal_order order = order_for(p, p->flow.order.command, p->flow.order.device);
    for (unsigned i = 0; i < p->flow.order.count; i++) {
        const tpi_value *value = &p->flow.order.values[i];
        values[i] = (tp_universal_value){.number = value->number, .is_text = value->text != NULL};
        if (value->text != NULL) {
            values[i].text_count = value->length;
            memcpy(&values[i].text, &value->text, sizeof values[i].text); /* sent, not changed */
        }
    }
    order.values = values;
    order.values_count = p->flow.order.count;
    ask(p, ASKS_ORDER, &order, on_order);
}

/* ---- Motions --------------------------------------------------------------------------------- */

static void on_motion(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                      const char *why)
{
    struct program *p = tp_instance_state(self);
    const tp_universal_outcome *outcome = NULL;

    if ((uint32_t)(uintptr_t)context != p->flow.asked || p->flow.asking != ASKS_MOTION) {
        return;
    }
    if (read_outcome(p, status, answer, why, &outcome) && p->flow.wants_pause) {
        tpi_program_stand(p);
    }
    tpi_program_turn(p);
}

bool tpi_program_repeat_motion(struct program *p)
{
    tp_universal_value values[TPI_MOST_VALUES] = {{0}};

    if (p->flow.motion >= p->runner->motion_count) {
        return false;
    }
    const tpi_play_motion *motion = &p->runner->motions[p->flow.motion++];
    tp_universal_order order = order_for(p, motion->command, motion->device);
    for (unsigned i = 0; i < motion->count; i++) {
        values[i].number = motion->values[i];
    }
    p->flow.order.command = motion->command;
    p->flow.order.device = motion->device;
    p->flow.order.count = 0;
    order.values = values;
    order.values_count = motion->count;
    ask(p, ASKS_MOTION, &order, on_motion);
    return true;
}

void tpi_program_halt_robot(struct program *p)
{
    p->flow.asked++; /* what is answered from now on belongs to nobody */
    p->flow.asking = ASKS_NOTHING;
    tp_link_halt(p->robot);
}

/* ---- Prints, logs, messages ------------------------------------------------------------------ */

static void print_row(struct program *p, const tpi_play_request *request)
{
    tpi_buf_clear(&p->seen.room);
    for (unsigned i = 0; i < request->values; i++) {
        tpi_buf_puts(&p->seen.room, i > 0 ? " " : "");
        tpi_play_put_cell(&p->seen.room, &p->runner->machine, &request->row[i]);
    }
    tpi_program_print(p, tpi_buf_text(&p->seen.room));
}

/* Take a token; they come back with time, `rate` in a second. */
static bool may_tell(struct program *p)
{
    const int64_t now_ns = program_now(p);

    p->flow.tokens += (double)(now_ns - p->flow.tokens_ns) * 1e-9 * p->settings.rate;
    p->flow.tokens = p->flow.tokens < p->settings.rate ? p->flow.tokens : p->settings.rate;
    p->flow.tokens_ns = now_ns;
    if (p->flow.tokens < 1) {
        p->counts.held++;
        return false;
    }
    p->flow.tokens -= 1;
    return true;
}

bool tpi_program_tell(struct program *p)
{
    const tpi_play_request *request = &p->runner->machine.request;

    /* Looking for a message tells nobody anything. */
    if (request->code != tpi_dictionary_entry(TPI_READ_MESSAGE)->code && !may_tell(p)) {
        return false;
    }
    if (request->code == TPI_PLAY_PRINT_CODE) {
        print_row(p, request);
    } else if (request->code == TPI_PLAY_LOG_CODE) {
        tpi_program_log(p);
    } else {
        tpi_program_channel(p);
    }
    tpi_play_answer(&p->runner->machine);
    return true;
}
