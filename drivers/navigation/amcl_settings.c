/* amcl_settings.c - the configuration of `amcl`, with Player's names. */
#include <math.h>

#include "amcl_driver.h"
#include "limits.h"

static const double pi = 3.14159265358979323846;

const tp_param tpi_amcl_params[] = {
    {"odom_init", "1", "1", "accepted; odometry is always used"},
    {"pf_min_samples", "1", "100", "fewest particles"},
    {"pf_max_samples", "1", "10000", "most particles"},
    {"pf_err", "1", "0.05", "error of the distribution that decides how many there are"},
    {"pf_z", "1", "3", "quantile of that error"},
    {"init_pose", "m m rad", "0 0 0", "where the robot is at first"},
    {"init_pose_var", "m m rad", "1 1 6.2832", "how uncertain that is; 100 100 is anywhere"},
    {"update_thresh", "m rad", "0.2 0.5236", "motion between two updates"},
    {"odom_drift[0]", "1", "0.2 0 0", "deviation of x for each metre in x, in y, each radian"},
    {"odom_drift[1]", "1", "0 0.2 0", "of y"},
    {"odom_drift[2]", "1", "0.2 0 0.2", "of the angle"},
    {"laser_pose", "m m rad", "", "where the sensor sits: x y yaw; asked if not given"},
    {"laser_max_beams", "1", "30", "so many readings of each scan are used"},
    {"laser_range_max", "m", "8.192", "readings from here on are nothing seen"},
    {"laser_range_var", "m", "0.1", "deviation of readings"},
    {"laser_range_bad", "1", "0.1", "share of readings that are not of the map"},
    {"laser_model", NULL, "field", "field, or beam: rays through the map"},
    {"enable_gui", "1", "0", "accepted; it has no window"},
    {"seed", "1", "1", "of the random numbers"},
    {NULL, NULL, NULL, NULL},
};

static tp_status check(tp_instance *self, tp_error *err)
{
    static const struct limits limits[] = {
        {"pf_min_samples", 10, 100000},
        {"pf_max_samples", 10, 100000},
        {"pf_err", 0.001, 1},
        {"pf_z", 0, 10},
        {"laser_max_beams", 1, AMCL_MOST_BEAMS},
        {"laser_range_max", 0.1, 1000},
        {"laser_range_var", 0.01, 10},
        {"laser_range_bad", 0.001, 0.999},
    };
    const tp_status status = tpi_limits_check(self, limits, sizeof limits / sizeof limits[0], err);

    if (status != TP_OK) {
        return status;
    }
    return tp_param_double(self, "pf_min_samples") <= tp_param_double(self, "pf_max_samples")
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "pf_min_samples is above pf_max_samples");
}

/* Three numbers into `out`. */
static tp_status read_three(tp_instance *self, const char *name, double out[3], tp_error *err)
{
    tp_param_blame(self, name);
    for (size_t i = 0; i < 3; i++) {
        out[i] = tp_param_double_at(self, name, i);
    }
    return tp_param_count(self, name) == 3 && isfinite(out[0] + out[1] + out[2])
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "%s needs three numbers", name);
}

static tp_status read_poses(tp_instance *self, struct amcl *m, tp_error *err)
{
    double at[3];
    tp_status status = read_three(self, "init_pose", at, err);

    m->start = (tpi_nav_pose){at[0], at[1], at[2]};
    status = status == TP_OK ? read_three(self, "init_pose_var", m->start_deviation, err) : status;
    status =
        status == TP_OK ? read_three(self, "odom_drift[0]", m->settings.drift[0], err) : status;
    status =
        status == TP_OK ? read_three(self, "odom_drift[1]", m->settings.drift[1], err) : status;
    status =
        status == TP_OK ? read_three(self, "odom_drift[2]", m->settings.drift[2], err) : status;
    if (status == TP_OK && tp_param_given(self, "laser_pose")) {
        status = read_three(self, "laser_pose", at, err);
        tpi_beams_place(&m->beams, at[0], at[1], at[2]);
    }
    m->start_deviation[2] = fmin(m->start_deviation[2], 2 * pi);
    return status;
}

tp_status tpi_amcl_settings(tp_instance *self, struct amcl *m, tp_error *err)
{
    const char *model = tp_param_string(self, "laser_model");
    tp_status status = check(self, err);

    status = status == TP_OK ? read_poses(self, m, err) : status;
    if (status != TP_OK) {
        return status;
    }
    m->rays = model[0] == 'b';
    if (model[0] != 'b' && model[0] != 'f') {
        tp_param_blame(self, "laser_model");
        return tp_fail(err, TP_E_INVALID, "laser_model \"%s\" is neither field nor beam", model);
    }
    m->settings.least = (size_t)tp_param_double(self, "pf_min_samples");
    m->settings.most = (size_t)tp_param_double(self, "pf_max_samples");
    m->settings.error = tp_param_double(self, "pf_err");
    m->settings.quantile = tp_param_double(self, "pf_z");
    m->settings.seed = (uint64_t)fabs(tp_param_double(self, "seed"));
    m->most_beams = (size_t)tp_param_double(self, "laser_max_beams");
    m->beams.longest = tp_param_double(self, "laser_range_max");
    m->deviation = tp_param_double(self, "laser_range_var");
    m->bad = tp_param_double(self, "laser_range_bad");
    m->way = tp_param_double_at(self, "update_thresh", 0);
    m->turn = tp_param_double_at(self, "update_thresh", 1);
    tp_param_blame(self, "update_thresh");
    return tp_param_count(self, "update_thresh") == 2 && m->way >= 0 && m->turn >= 0
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "update_thresh needs a length and an angle");
}
