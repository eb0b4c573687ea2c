/* inertials.c - imu: what a robot feels of its own movement. */
#include <math.h>

#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/imu.h"

struct imu {
    unsigned sends; /* code of the data message */
    double turned;  /* what is taken off the heading */
};

static tp_status imu_begin(simd_device *d, tp_error *err)
{
    (void)err;
    ((struct imu *)d->state)->sends = TP_IMU_DATA_EULER;
    return TP_OK;
}

static tp_imu_data_calib to_calib(const tpi_sim_inertia *in)
{
    return (tp_imu_data_calib){
        .accel_x = (float)in->acceleration[0],
        .accel_y = (float)in->acceleration[1],
        .accel_z = (float)in->acceleration[2],
        .gyro_x = (float)in->rate[0],
        .gyro_y = (float)in->rate[1],
        .gyro_z = (float)in->rate[2],
        .magn_x = (float)in->field[0],
        .magn_y = (float)in->field[1],
        .magn_z = (float)in->field[2],
    };
}

static void send(simd_device *d, const tpi_sim_inertia *in)
{
    const struct imu *imu = d->state;
    const double yaw = in->heading - imu->turned;
    const double time_s = (double)in->time_us / 1e6;
    const tp_pose3d pose = {.pyaw = yaw};
    const tp_imu_data_calib calib = to_calib(in);
    const tp_imu_data_state state = {.pose = pose};
    const tp_imu_data_quat quat = {
        .calib_data = calib, .q0 = (float)cos(yaw / 2), .q3 = (float)sin(yaw / 2)};
    const tp_imu_data_euler euler = {.calib_data = calib, .orientation = {.pyaw = yaw}};
    const tp_imu_data_fullstate full = {
        .pose = pose,
        .vel = {.pyaw = in->rate[2]},
        .acc = {in->acceleration[0], in->acceleration[1], in->acceleration[2], 0, 0, 0}};
    const void *const messages[] = {[TP_IMU_DATA_STATE] = &state,
                                    [TP_IMU_DATA_CALIB] = &calib,
                                    [TP_IMU_DATA_QUAT] = &quat,
                                    [TP_IMU_DATA_EULER] = &euler,
                                    [TP_IMU_DATA_FULLSTATE] = &full};

    tp_publish(d->device, imu->sends, messages[imu->sends], time_s);
}

static void imu_publish(simd_device *d)
{
    tpi_sim_inertia inertia;

    if (tpi_sim_get_inertia(d->owner->world, d->model, &inertia, NULL) == TP_OK &&
        tpi_simd_is_new(d, inertia.time_us)) {
        send(d, &inertia);
    }
}

static tp_status set_datatype(tp_device *device, const tp_imu_datatype_config *ask, tp_error *err)
{
    if (ask->value < TP_IMU_DATA_STATE || ask->value > TP_IMU_DATA_FULLSTATE) {
        return tp_fail(err, TP_E_RANGE, "there is no data message %u", ask->value);
    }
    ((struct imu *)simd_state(device))->sends = ask->value;
    return TP_OK;
}

static tp_status turn_to(tp_device *device, double heading, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_inertia inertia;
    tp_status status = tpi_sim_get_inertia(d->owner->world, d->model, &inertia, err);

    if (status == TP_OK && !isfinite(heading)) {
        return tp_fail(err, TP_E_RANGE, "the orientation is not a number");
    }
    if (status == TP_OK) {
        ((struct imu *)d->state)->turned = inertia.heading - heading;
    }
    return status;
}

static tp_status reset_orientation(tp_device *device, const tp_imu_reset_orientation_config *ask,
                                   tp_error *err)
{
    (void)ask;
    return turn_to(device, 0, err);
}

static tp_status reset_euler(tp_device *device, const tp_imu_reset_euler_config *ask, tp_error *err)
{
    if (ask->orientation.proll != 0 || ask->orientation.ppitch != 0) {
        return tp_fail(err, TP_E_RANGE, "the orientation has roll or pitch: a world is flat");
    }
    return turn_to(device, ask->orientation.pyaw, err);
}

static const tp_imu_ops imu_ops = {
    .req_set_datatype = set_datatype,
    .req_reset_orientation = reset_orientation,
    .req_reset_euler = reset_euler,
};

const simd_kind tpi_simd_inertials[] = {
    {
        .interface = &tp_interface_imu,
        .ops = &imu_ops,
        .models = SIMD_MODEL(IMU),
        .state_size = sizeof(struct imu),
        .begin = imu_begin,
        .publish = imu_publish,
    },
    {0},
};
