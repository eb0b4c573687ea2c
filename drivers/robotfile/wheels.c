/* wheels.c - the two wheels of a robot as position2d; see robotfile.h. */
#include <math.h>

#include "robotfile.h"

static const double pi = 3.14159265358979323846;

/* Reckon where the commanded velocity has brought the robot. */
static void reckon(struct robotfile *r)
{
    const int64_t now = tpi_robotfile_now_ns(r);
    const double seconds = (double)(now - r->wheels.reckoned_ns) / (double)TP_NS_PER_S;
    tp_position2d_data *state = &r->wheels.state;

    r->wheels.reckoned_ns = now;
    state->pos.px += state->vel.px * cos(state->pos.pa) * seconds;
    state->pos.py += state->vel.px * sin(state->pos.pa) * seconds;
    state->pos.pa = remainder(state->pos.pa + state->vel.pa * seconds, 2 * pi);
}

void tpi_robotfile_reckon(struct robotfile *r, double left, double right)
{
    struct robotfile_wheels *w = &r->wheels;

    reckon(r);
    w->state.vel.px = (left + right) / 200 * w->max_speed;
    w->state.vel.pa = (right - left) / 100 * w->max_speed / w->width;
}

void tpi_robotfile_publish_wheels(struct robotfile *r)
{
    if (r->wheels.device != NULL) {
        reckon(r);
        tp_position2d_publish_state(r->wheels.device, &r->wheels.state, 0);
    }
}

bool tpi_robotfile_next_motion(struct robotfile *r, tpi_dialog_order *out)
{
    if (!r->wheels.is_wanted) {
        return false;
    }
    r->wheels.is_wanted = false;
    *out = (tpi_dialog_order){.command = TPI_MOVE_MOTORS,
                              .part = r->wheels.axis,
                              .count = 2,
                              .values = {{.number = r->wheels.left}, {.number = r->wheels.right}}};
    return true;
}

void tpi_robotfile_rest_wheels(struct robotfile *r, bool all)
{
    struct robotfile_wheels *w = &r->wheels;

    if (all) {
        w->left = w->right = 0;
    }
    tpi_robotfile_reckon(r, w->left, w->right);
    w->is_wanted = !all && (w->left != 0 || w->right != 0);
}

static tp_status wheels_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    struct robotfile_wheels *w = &r->wheels;
    const double turn = ask->vel.pa * w->width / 2;
    const double left = ask->vel.px - turn, right = ask->vel.px + turn;

    if (!isfinite(left) || !isfinite(right)) {
        return tp_fail(err, TP_E_RANGE, "the velocity is no number");
    }
    const double most = fmax(fmax(fabs(left), fabs(right)), w->max_speed);
    w->left = left / most * 100;
    w->right = right / most * 100;
    tpi_robotfile_reckon(r, w->left, w->right);
    w->is_wanted = true;
    return tpi_robotfile_work(r, err);
}

static tp_status wheels_get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    const double width = tpi_robotfile_of(device)->wheels.width;

    (void)err;
    answer->size = (tp_bbox3d){width, width, 0};
    return TP_OK;
}

const tp_position2d_ops tpi_robotfile_wheels_ops = {.req_get_geom = wheels_get_geom,
                                                    .cmd_vel = wheels_vel};
