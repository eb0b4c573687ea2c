/* kinds.c - the interfaces of devices that move joints: commands from values, values from data. */
#include <string.h>

#include "motion.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ptz.h"

#define FITS(type) _Static_assert(sizeof(type) <= sizeof(((struct command *)0)->value), #type)
FITS(tp_position2d_cmd_vel);
FITS(tp_position2d_cmd_pos);
FITS(tp_ptz_cmd);
FITS(tp_actarray_multi_position_cmd);
FITS(tp_position1d_cmd_pos);
FITS(tp_limb_setpose_cmd);

static const double MEASURED_S = 0.04; /* of a speed: several data of most devices */

static bool is_data(const tp_msg *msg, unsigned code)
{
    const tp_msghdr *header = tp_msg_header(msg);

    return header->type == TP_MSGTYPE_DATA && header->subtype == code &&
           tp_msg_payload(msg) != NULL;
}

static void set_state(struct device *d, unsigned slot, double position, double velocity)
{
    d->states[slot] = (tpi_motion_dof_state){.position = position, .velocity = velocity};
}

void tpi_motiond_kind_measure(struct device *d, const double *positions, unsigned count,
                              double at_s)
{
    const double passed_s = at_s - d->mark.at_s;
    const bool measured = d->known && passed_s >= MEASURED_S;

    for (unsigned i = 0; i < count; i++) {
        const double before = d->known ? d->states[i].velocity : 0;

        set_state(d, i, positions[i],
                  measured ? (positions[i] - d->mark.positions[i]) / passed_s : before);
    }
    if (measured || !d->known || passed_s < 0) {
        d->mark.at_s = at_s;
        memcpy(d->mark.positions, positions, count * sizeof *positions);
    }
}

/* ---- position2d ------------------------------------------------------------------------------ */

static void drive(const struct device *d, const double *speeds, struct command *out)
{
    const tp_position2d_cmd_vel vel = {.vel = {speeds[0], speeds[1], speeds[2]}, .state = 1};

    (void)d;
    out->code = TP_POSITION2D_CMD_VEL;
    memcpy(out->value, &vel, sizeof vel);
}

void tpi_motiond_kind_goto(const double goal[3], const double speed[3], struct command *out)
{
    const tp_position2d_cmd_pos pos = {
        .pos = {goal[0], goal[1], goal[2]}, .vel = {speed[0], speed[1], speed[2]}, .state = 1};

    out->code = TP_POSITION2D_CMD_POS;
    memcpy(out->value, &pos, sizeof pos);
}

static bool read_base(struct device *d, const tp_msg *msg)
{
    const tp_position2d_data *data = tp_msg_payload(msg);

    if (!is_data(msg, TP_POSITION2D_DATA_STATE)) {
        return false;
    }
    set_state(d, 0, data->pos.px, data->vel.px);
    set_state(d, 1, data->pos.py, data->vel.py);
    set_state(d, 2, data->pos.pa, data->vel.pa);
    return true;
}

/* ---- ptz ------------------------------------------------------------------------------------- */

static void look(const struct device *d, const double *positions, struct command *out)
{
    tp_ptz_cmd cmd = {.pan = (float)positions[0], .zoom = (float)d->zoom};

    cmd.tilt = (float)(d->output->count > 1 ? positions[1] : d->states[1].position);
    out->code = TP_PTZ_CMD_STATE;
    memcpy(out->value, &cmd, sizeof cmd);
}

static bool read_ptz(struct device *d, const tp_msg *msg)
{
    const tp_ptz_data *data = tp_msg_payload(msg);

    if (!is_data(msg, TP_PTZ_DATA_STATE)) {
        return false;
    }
    /* Its `panspeed` is the speed of single steps, or a setting. */
    tpi_motiond_kind_measure(d, (const double[2]){(double)data->pan, (double)data->tilt}, 2,
                             tp_msg_header(msg)->timestamp);
    d->zoom = (double)data->zoom;
    return true;
}

/* ---- actarray -------------------------------------------------------------------------------- */

static void put_floats(const struct device *d, const double *values, struct command *out)
{
    for (unsigned i = 0; i < d->output->count; i++) {
        out->numbers[i] = (float)values[i];
    }
}

static void reach(const struct device *d, const double *positions, struct command *out)
{
    const tp_actarray_multi_position_cmd cmd = {d->output->count, out->numbers};

    put_floats(d, positions, out);
    out->code = TP_ACTARRAY_CMD_MULTI_POS;
    memcpy(out->value, &cmd, sizeof cmd);
}

static void swing(const struct device *d, const double *speeds, struct command *out)
{
    const tp_actarray_multi_speed_cmd cmd = {d->output->count, out->numbers};

    put_floats(d, speeds, out);
    out->code = TP_ACTARRAY_CMD_MULTI_SPEED;
    memcpy(out->value, &cmd, sizeof cmd);
}

/* A force is a current of the motor. */
static void press(const struct device *d, const double *forces, struct command *out)
{
    const tp_actarray_multi_current_cmd cmd = {d->output->count, out->numbers};

    for (unsigned i = 0; i < d->output->count; i++) {
        out->numbers[i] = (float)(forces[i] / d->newtons);
    }
    out->code = TP_ACTARRAY_CMD_MULTI_CURRENT;
    memcpy(out->value, &cmd, sizeof cmd);
}

/* An arm with fewer actuators than dofs is never known: its robot does not start. */
static bool read_arm(struct device *d, const tp_msg *msg)
{
    const tp_actarray_data *data = tp_msg_payload(msg);

    if (!is_data(msg, TP_ACTARRAY_DATA_STATE)) {
        return false;
    }
    d->parts = data->actuators_count;
    if (d->parts < d->output->count) {
        return false;
    }
    for (unsigned i = 0; i < d->output->count; i++) {
        set_state(d, i, (double)data->actuators[i].position, (double)data->actuators[i].speed);
        d->states[i].force = (double)data->actuators[i].current * d->newtons;
    }
    return true;
}

/* ---- position1d ------------------------------------------------------------------------------ */

static void slide_to(const struct device *d, const double *positions, struct command *out)
{
    const struct motion *m = d->output->motion;
    double fastest = 0;

    for (uint16_t j = 0; j < m->robot.joint_count; j++) {
        const tpi_motion_joint *joint = &m->robot.joints[j];

        if (d->output->dofs[0] >= joint->first_dof &&
            d->output->dofs[0] < joint->first_dof + joint->dof_count) {
            fastest = joint->dofs[d->output->dofs[0] - joint->first_dof].velocity;
        }
    }
    const tp_position1d_cmd_pos cmd = {
        .pos = (float)positions[0], .vel = (float)fastest, .state = 1};
    out->code = TP_POSITION1D_CMD_POS;
    memcpy(out->value, &cmd, sizeof cmd);
}

static void slide(const struct device *d, const double *speeds, struct command *out)
{
    const tp_position1d_cmd_vel cmd = {.vel = (float)speeds[0], .state = 1};

    (void)d;
    out->code = TP_POSITION1D_CMD_VEL;
    memcpy(out->value, &cmd, sizeof cmd);
}

static bool read_axis(struct device *d, const tp_msg *msg)
{
    const tp_position1d_data *data = tp_msg_payload(msg);

    if (!is_data(msg, TP_POSITION1D_DATA_STATE)) {
        return false;
    }
    set_state(d, 0, (double)data->pos, (double)data->vel);
    return true;
}

/* ---- limb ------------------------------------------------------------------------------------ */

static bool read_limb(struct device *d, const tp_msg *msg)
{
    return is_data(msg, TP_LIMB_DATA_STATE) &&
           tpi_motiond_limb_read(d, tp_msg_payload(msg), tp_msg_header(msg)->timestamp);
}

/* ---- All ------------------------------------------------------------------------------------- */

const struct kind *tpi_motiond_kind(const tp_interface *interface)
{
    static const struct kind kinds[] = {
        {&tp_interface_position2d, 3, true, false, true, NULL, drive, NULL, read_base, false},
        {&tp_interface_ptz, 2, false, true, false, look, NULL, NULL, read_ptz, false},
        {&tp_interface_actarray, MOST_SLOTS, false, true, true, reach, swing, press, read_arm,
         false},
        {&tp_interface_position1d, 1, false, true, true, slide_to, slide, NULL, read_axis, false},
        {&tp_interface_limb, MOST_SLOTS, false, true, false, tpi_motiond_limb_reach, NULL, NULL,
         read_limb, true},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].interface == interface) {
            return &kinds[i];
        }
    }
    return NULL;
}
