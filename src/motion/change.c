/* change.c - what is done otherwise than asked, for the texts of signals and summaries. */
#include <stdio.h>
#include <string.h>

#include "motion/inside.h"

void tpi_motion_change_add(tpi_motion_change *change, tpi_motion_change_kind kind, uint16_t axis,
                           double asked, double given)
{
    if (change->kind == TPI_MOTION_NO_CHANGE) {
        *change = (tpi_motion_change){kind, axis, 0, asked, given};
    } else {
        change->more++;
    }
}

void tpi_motion_change_note(tpi_motion_track *track, tpi_motion_playing *command,
                            const tpi_motion_change *change)
{
    if (change->kind == TPI_MOTION_NO_CHANGE) {
        return;
    }
    command->worst = command->worst > TPI_MOTION_MODIFIED ? command->worst : TPI_MOTION_MODIFIED;
    if (command->change.kind != TPI_MOTION_NO_CHANGE) {
        return;
    }
    command->change = *change;
    if (track->sequence.changes++ == 0) {
        track->sequence.change = *change;
        track->sequence.change_ns = track->line.tau_ns;
    }
}

void tpi_motion_axis_put_name(const tpi_motion_engine *e, const tpi_motion_axis *axis,
                              char out[TPI_MOTION_NAME + 16])
{
    const tpi_motion_joint *joint = &e->robot.joints[axis->joint];

    (void)snprintf(out, TPI_MOTION_NAME + 16,
                   axis->joint > 0 && joint->dof_count > 1 ? "%s:%u" : "%s", joint->name,
                   (unsigned)axis->dof);
}

/* "head:1", "base.vx": as in files of sequences. */
static void put_name(const tpi_motion_engine *e, uint16_t index, char out[TPI_MOTION_NAME + 16])
{
    static const char *const speeds[] = {"vx", "vy", "omega"};
    const tpi_motion_axis *axis = &e->axes[index];

    if (axis->joint == 0) {
        (void)snprintf(out, TPI_MOTION_NAME + 16, "base.%s", speeds[axis->dof < 2 ? axis->dof : 2]);
    } else {
        tpi_motion_axis_put_name(e, axis, out);
    }
}

static void put_change(const tpi_motion_change *change, const char *name, char *out, size_t space)
{
    switch (change->kind) {
    case TPI_MOTION_CLAMPED:
        (void)snprintf(out, space, "%s is clamped from %g to %g", name, change->asked,
                       change->given);
        break;
    case TPI_MOTION_LEFT_OUT:
        (void)snprintf(out, space, "%s %g is left out: the base cannot move so", name,
                       change->asked);
        break;
    case TPI_MOTION_STRETCHED:
        (void)snprintf(out, space, "%s needs %g s instead of %g s", name, change->given,
                       change->asked);
        break;
    default:
        (void)snprintf(out, space, "the joints of the control frame cannot follow as asked");
        break;
    }
}

void tpi_motion_change_put(const tpi_motion_engine *e, const tpi_motion_change *change,
                           char text[TPI_MOTION_TEXT])
{
    char name[TPI_MOTION_NAME + 16];
    const size_t length = strlen(text);
    const char *gap = length > 0 ? "; " : "";

    if (change->kind == TPI_MOTION_NO_CHANGE || length + 3 > TPI_MOTION_TEXT) {
        return;
    }
    put_name(e, change->axis, name);
    (void)snprintf(text + length, TPI_MOTION_TEXT - length, "%s", gap);
    char *at = text + length + strlen(gap);
    put_change(change, name, at, TPI_MOTION_TEXT - (size_t)(at - text));
    if (change->more > 0) {
        const size_t end = strlen(text);

        (void)snprintf(text + end, TPI_MOTION_TEXT - end, ", and %u more", (unsigned)change->more);
    }
}
