/*
 * rebind.c - another device takes an output over while motion goes on.
 *
 * The new device is granted first. Then the engine compares where it is with what is commanded; if
 * they agree, everything from the next instant on is written to the new device. The old one is
 * given back when its last command is done.
 */
#include <stdio.h>
#include <string.h>

#include "motion.h"

static void answer(struct output *output, tp_status status, const char *why)
{
    tp_ticket *ticket = output->change.ticket;

    output->change.ticket = NULL;
    output->change.to = NULL;
    if (ticket == NULL) {
        return;
    }
    if (status == TP_OK) {
        tp_ticket_answer(ticket, NULL);
    } else {
        tp_ticket_fail(ticket, status, why);
    }
}

static struct output *find_output(struct motion *m, const tp_mechanism_part *ask)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        if (ask->key_count > 0 && ask->key[ask->key_count - 1] == '\0' &&
            strcmp(m->outputs[i]->key, ask->key) == 0) {
            return m->outputs[i];
        }
    }
    return NULL;
}

tp_status tpi_motiond_rebind(tp_device *device, const tp_mechanism_part *ask, tp_error *err)
{
    struct motion *m = tp_instance_state(tp_device_instance(device));
    struct output *output = find_output(m, ask);

    if (output == NULL || ask->number >= output->device_count) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no such device in `requires`");
    }
    struct device *to = output->devices[ask->number];
    if (to == output_device(output)) {
        return TP_OK;
    }
    if (output->change.ticket != NULL || output->change.from != NULL) {
        return tp_fail(err, TP_E_LIMIT, "%s: another device takes over already", output->key);
    }
    if (!to->known) {
        char why[160];

        tpi_motiond_device_unknown(to, why, sizeof why);
        return tp_fail(err, TP_E_DEVICE, "%s", why);
    }
    output->change.to = to;
    output->change.ticket = tp_device_defer(device);
    if (to->grant != NULL) {
        tpi_motiond_rebind_granted(output, to);
    } else {
        tpi_motiond_device_ask(to);
    }
    return TP_PENDING;
}

void tpi_motiond_rebind_granted(struct output *output, struct device *d)
{
    struct motion *m = output->motion;
    double tolerances[MOST_SLOTS];
    tp_error err = {.text = ""};
    int64_t from_ns = 0;

    if (output->change.to != d) {
        return;
    }
    for (unsigned i = 0; i < output->count; i++) {
        const tpi_motion_joint *joint = m->robot.joints;

        while (output->dofs[i] >= joint->first_dof + joint->dof_count) {
            joint++;
        }
        tolerances[i] = m->tolerance[joint->dofs[output->dofs[i] - joint->first_dof].type == 1];
    }
    const tp_status status =
        tpi_motion_engine_rebind(m->engine, output->index, d->states, tolerances,
                                 tpi_motiond_device_time(m), &from_ns, &err);
    if (status == TP_OK) {
        struct device *old = output_device(output);

        output->change.from = old;
        output->change.until_ns = from_ns;
        old->stepping = false;
        if (old->grant != NULL) {
            (void)tp_grant_cancel(old->grant, from_ns);
        }
        for (unsigned i = 0; i < output->device_count; i++) {
            output->bound = output->devices[i] == d ? i : output->bound;
        }
    }
    answer(output, status, err.text);
}

void tpi_motiond_rebind_refused(struct output *output, struct device *d, tp_status status,
                                const char *why)
{
    if (output->change.to == d && output->change.ticket != NULL) {
        answer(output, status, why);
    }
}

void tpi_motiond_rebind_turn(struct output *output, int64_t now_ns)
{
    struct device *old = output->change.from;

    if (old == NULL || now_ns < output->change.until_ns) {
        return;
    }
    output->change.from = NULL;
    tp_grant_end(old->grant);
    old->grant = NULL;
    old->wish.what = TPI_MOTION_WRITE_STOP;
}
