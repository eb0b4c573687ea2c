/* command.c - commands that play: what is refused when they are due, how they start, their final
 * signals. */
#include <stdio.h>

#include "motion/inside.h"

/* ---- Starts ---- */

static tpi_motion_playing *free_command(const tpi_motion_engine *e, tpi_motion_client *client)
{
    tpi_motion_playing *command = client->playing;

    /* There is one more than axes, and each that is used has at least one axis. */
    for (uint32_t i = 0; i < e->axis_count && command->used; i++) {
        command++;
    }
    return command;
}

/* Why the axis cannot be interrupted now; NULL if it can. */
static const char *firmness(const tpi_motion_engine *e, const tpi_motion_axis *axis)
{
    if (axis->motion.servo != 0 && axis->motion.firm) {
        return "moves to its rest position";
    }
    return axis->place.output != TPI_MOTION_NOWHERE ? e->outputs[axis->place.output].occupied
                                                    : NULL;
}

/* The first axis of an order that cannot be moved by its client now. */
static const tpi_motion_axis *obstacle(const tpi_motion_engine *e, const tpi_motion_track *track,
                                       const tpi_motion_order *order)
{
    for (uint16_t i = 0; i < order->count; i++) {
        const tpi_motion_axis *axis = &e->axes[order->targets[i].axis];

        if (axis->holder != track->client ||
            (order->code != TPI_MOTION_STOP && firmness(e, axis) != NULL)) {
            return axis;
        }
    }
    return NULL;
}

static void release_order(tpi_motion_engine *e, tpi_motion_client *client,
                          const tpi_motion_order *order)
{
    for (uint16_t i = 0; i < order->count; i++) {
        tpi_motion_axis_release(e, &e->axes[order->targets[i].axis], client);
    }
}

static void refuse_order(tpi_motion_engine *e, tpi_motion_track *track,
                         const tpi_motion_order *order, const tpi_motion_frame_info *frame,
                         const tpi_motion_axis *axis)
{
    const tpi_motion_subject subject = {order->tag, frame->package, frame->mode, frame->flags, 0};
    char name[TPI_MOTION_NAME + 16];

    tpi_motion_axis_put_name(e, axis, name);
    if (axis->holder != track->client) {
        tpi_motion_signal_send(e, track->client, &subject, TPI_MOTION_INTERRUPTED, true,
                               "%s was taken by %s", name, axis->holder->label);
    } else {
        tpi_motion_signal_send(e, track->client, &subject, TPI_MOTION_BUSY, true, "%s %s", name,
                               firmness(e, axis));
    }
    release_order(e, track->client, order);
}

static tpi_motion_playing *begin_command(tpi_motion_engine *e, tpi_motion_track *track,
                                         const tpi_motion_order *order,
                                         const tpi_motion_subject *subject)
{
    tpi_motion_playing *command = free_command(e, track->client);

    *command = (tpi_motion_playing){
        .used = true,
        .mode = subject->mode,
        .flags = subject->flags,
        .worst = TPI_MOTION_SUCCESS,
        .tag = order->tag,
        .package = subject->package,
        .open = order->count,
        .start_ns = subject->start_ns,
    };
    tpi_motion_change_note(track, command, &order->change);
    if (subject->mode == TPI_MOTION_DIRECT) {
        char text[TPI_MOTION_TEXT] = "started";

        tpi_motion_change_put(e, &command->change, text);
        tpi_motion_signal_send(e, track->client, subject, command->worst, false, "%s", text);
    }
    return command;
}

void tpi_motion_command_start(tpi_motion_engine *e, tpi_motion_track *track,
                              tpi_motion_order *order, const tpi_motion_frame_info *frame)
{
    const tpi_motion_subject subject = {order->tag, frame->package, frame->mode, frame->flags,
                                        tpi_motion_track_present(e)};
    const tpi_motion_axis *in_the_way = obstacle(e, track, order);
    tpi_motion_tool *tool = NULL;
    tp_error err = {.text = ""};

    if (in_the_way != NULL) {
        refuse_order(e, track, order, frame, in_the_way);
        return;
    }
    if (order->moves_frame && (tool = tpi_motion_tool_plan(e, track, order, &err)) == NULL) {
        release_order(e, track->client, order);
        tpi_motion_signal_send(e, track->client, &subject, TPI_MOTION_ERROR, true, "%s", err.text);
        return;
    }
    tpi_motion_playing *command = begin_command(e, track, order, &subject);
    if (order->count > 0 && order->targets[0].axis < e->base_axes) {
        tpi_motion_axis_end_goto(e, order, TPI_MOTION_MODIFIED, "replaced by a newer command");
    }
    for (uint16_t i = 0; i < order->count; i++) {
        tpi_motion_axis_begin(e, track, order, &order->targets[i], command, tool);
    }
    if (order->count == 0) { /* a MOVE of nothing */
        command->used = false;
        tpi_motion_signal_send(e, track->client, &subject, command->worst, true, "done");
    }
}

/* ---- Ends ---- */

/* The text of the final signal: why it is not SUCCESS, and what was done otherwise than asked. */
static void put_end(const tpi_motion_engine *e, const tpi_motion_playing *command,
                    const char *reason, const char *why, char text[TPI_MOTION_TEXT])
{
    (void)snprintf(text, TPI_MOTION_TEXT, "%s", reason);
    if (command->worst == TPI_MOTION_MODIFIED) {
        tpi_motion_change_put(e, &command->change, text);
    }
    if (text[0] == '\0') {
        (void)snprintf(text, TPI_MOTION_TEXT, "%s", why);
    }
}

void tpi_motion_command_end(tpi_motion_engine *e, tpi_motion_client *client,
                            tpi_motion_playing *command, tpi_motion_signal signal, const char *why)
{
    const tpi_motion_subject subject = {command->tag, command->package, command->mode,
                                        command->flags, command->start_ns};
    char text[TPI_MOTION_TEXT];

    if (signal > command->worst ||
        (signal == command->worst && command->why[0] == '\0' && signal != TPI_MOTION_SUCCESS)) {
        command->worst = signal;
        (void)snprintf(command->why, sizeof command->why, "%s", command->open > 1 ? why : "");
    }
    if (--command->open > 0) {
        return;
    }
    command->used = false;
    text[0] = '\0';
    if (command->worst > TPI_MOTION_MODIFIED || tpi_motion_signal_answers(&subject)) {
        const bool own = signal == command->worst && signal != TPI_MOTION_SUCCESS;

        put_end(e, command, own ? why : command->why, why, text);
    }
    tpi_motion_confirm_signal(e, client, &subject, command->outputs, command->worst, text);
}
