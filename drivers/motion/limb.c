/*
 * limb.c - arms that are commanded by their tips.
 *
 * The engine moves joints. A limb is sent the pose that its tip has with these joints, and tells
 * where its tip is: the joints follow from that, next to where they were.
 */
#include <stdio.h>
#include <string.h>

#include "motion.h"

tp_status tpi_motiond_limb_prepare(struct device *d, tp_error *err)
{
    const struct output *output = d->output;
    const tp_status status =
        tpi_motion_tip_create(&d->tip, &output->motion->robot, output->dofs, output->count, err);

    return status == TP_OK ? TP_OK : tp_wrap(err, status, output->key);
}

/* Joints of other devices may carry the arm. */
static void look_at_others(const struct device *d)
{
    const struct motion *m = d->output->motion;

    for (unsigned i = 0; i < m->output_count; i++) {
        const struct output *other = m->outputs[i];

        for (unsigned k = 0; k < other->count && other != d->output; k++) {
            tpi_motion_tip_other(d->tip, other->dofs[k], output_device(other)->states[k].position);
        }
    }
}

static tp_point_3d point_of(const double v[3])
{
    return (tp_point_3d){v[0], v[1], v[2]};
}

static void put_vector(double out[3], const tp_point_3d *point)
{
    out[0] = point->px;
    out[1] = point->py;
    out[2] = point->pz;
}

void tpi_motiond_limb_reach(const struct device *d, const double *positions, struct command *out)
{
    tpi_motion_tip_pose pose;

    look_at_others(d);
    tpi_motion_tip_forward(d->tip, positions, &pose);
    const tp_limb_setpose_cmd cmd = {.position = point_of(pose.place),
                                     .approach = point_of(pose.approach),
                                     .orientation = point_of(pose.across)};
    out->code = TP_LIMB_CMD_SETPOSE;
    memcpy(out->value, &cmd, sizeof cmd);
}

/* Once, until it is found again. */
static void note_lost(struct device *d, const tp_limb_data *data)
{
    char text[256];

    if (!d->lost) {
        (void)snprintf(text, sizeof text,
                       "%.60s: the joints of the URDF file cannot have the tip at %.3f %.3f %.3f, "
                       "where the limb says that it is",
                       d->output->key, data->position.px, data->position.py, data->position.pz);
        tp_instance_note(d->output->motion->instance, text);
    }
    d->lost = true;
}

bool tpi_motiond_limb_read(struct device *d, const tp_limb_data *data, double at_s)
{
    double positions[MOST_SLOTS];
    tpi_motion_tip_pose pose;

    put_vector(pose.place, &data->position);
    put_vector(pose.approach, &data->approach);
    put_vector(pose.across, &data->orientation);
    for (unsigned i = 0; i < d->output->count; i++) {
        positions[i] = d->states[i].position;
    }
    look_at_others(d);
    if (!tpi_motion_tip_inverse(d->tip, &pose, positions)) {
        note_lost(d, data);
        return false;
    }
    d->lost = false;
    tpi_motiond_kind_measure(d, positions, d->output->count, at_s);
    return true;
}
