/* inertials.c - imu: what the robot's own movement feels like. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/imu.h"

static const double gravity = 9.81;
static const double field_t = 48e-6; /* of the Earth, 64 degrees below the horizon */
static const double dip = 1.117;

struct imu {
    uint8_t type;           /* code of the data that it sends */
    tp_orientation_3d zero; /* what is added to the orientation */
};

static tp_orientation_3d orientation(const fake_device *d)
{
    const struct imu *i = d->state;

    return (tp_orientation_3d){.proll = i->zero.proll,
                               .ppitch = i->zero.ppitch,
                               .pyaw = tpi_fake_angle(d->owner->robot.pa + i->zero.pyaw)};
}

/* On a circle the acceleration points to its middle. */
static tp_imu_data_calib feel(fake_device *d)
{
    const fake *f = d->owner;
    const double yaw = f->robot.pa;

    return (tp_imu_data_calib){
        .accel_x = (float)tpi_fake_measure(d, -f->robot_vel.py * f->robot_vel.pa),
        .accel_y = (float)tpi_fake_measure(d, f->robot_vel.px * f->robot_vel.pa),
        .accel_z = (float)tpi_fake_measure(d, gravity),
        .gyro_x = (float)tpi_fake_measure(d, 0),
        .gyro_y = (float)tpi_fake_measure(d, 0),
        .gyro_z = (float)tpi_fake_measure(d, f->robot_vel.pa),
        .magn_x = (float)(field_t * cos(dip) * sin(yaw)), /* y is north */
        .magn_y = (float)(field_t * cos(dip) * cos(yaw)),
        .magn_z = (float)(-field_t * sin(dip)),
    };
}

static tp_pose3d pose_of(const fake_device *d)
{
    const tp_orientation_3d o = orientation(d);
    const tp_pose2d at = tpi_fake_eye(d);

    return (tp_pose3d){at.px, at.py, d->owner->pose.pz, o.proll, o.ppitch, o.pyaw};
}

static void send_quaternion(fake_device *d)
{
    const tp_orientation_3d o = orientation(d);
    const double cr = cos(o.proll / 2);
    const double sr = sin(o.proll / 2);
    const double cp = cos(o.ppitch / 2);
    const double sp = sin(o.ppitch / 2);
    const double cy = cos(o.pyaw / 2);
    const double sy = sin(o.pyaw / 2);
    const tp_imu_data_quat data = {
        .calib_data = feel(d),
        .q0 = (float)(cr * cp * cy + sr * sp * sy),
        .q1 = (float)(sr * cp * cy - cr * sp * sy),
        .q2 = (float)(cr * sp * cy + sr * cp * sy),
        .q3 = (float)(cr * cp * sy - sr * sp * cy),
    };

    tp_publish(d->device, TP_IMU_DATA_QUAT, &data, 0);
}

static void send_full_state(fake_device *d)
{
    const tp_pose2d *vel = &d->owner->robot_vel;
    const tp_imu_data_fullstate data = {
        .pose = pose_of(d),
        .vel = {.px = vel->px, .py = vel->py, .pyaw = vel->pa},
        .acc = {.px = -vel->py * vel->pa, .py = vel->px * vel->pa},
    };

    tp_publish(d->device, TP_IMU_DATA_FULLSTATE, &data, 0);
}

static void imu_publish(fake_device *d)
{
    const struct imu *i = d->state;
    const tp_imu_data_state state = {.pose = pose_of(d)};
    const tp_imu_data_calib calib = feel(d);
    const tp_imu_data_euler euler = {.calib_data = calib, .orientation = orientation(d)};

    switch (i->type) {
    case TP_IMU_DATA_STATE:
        tp_publish(d->device, TP_IMU_DATA_STATE, &state, 0);
        break;
    case TP_IMU_DATA_QUAT:
        send_quaternion(d);
        break;
    case TP_IMU_DATA_EULER:
        tp_publish(d->device, TP_IMU_DATA_EULER, &euler, 0);
        break;
    case TP_IMU_DATA_FULLSTATE:
        send_full_state(d);
        break;
    default:
        tp_publish(d->device, TP_IMU_DATA_CALIB, &calib, 0);
    }
}

static tp_status imu_set_datatype(tp_device *device, const tp_imu_datatype_config *ask,
                                  tp_error *err)
{
    if (ask->value < TP_IMU_DATA_STATE || ask->value > TP_IMU_DATA_FULLSTATE) {
        return tp_fail(err, TP_E_RANGE, "there is no data message %u", ask->value);
    }
    ((struct imu *)fake_state(device))->type = ask->value;
    return TP_OK;
}

static tp_status imu_reset_orientation(tp_device *device,
                                       const tp_imu_reset_orientation_config *ask, tp_error *err)
{
    struct imu *i = fake_state(device);

    (void)ask;
    (void)err;
    i->zero = (tp_orientation_3d){.pyaw = -fake_of(device)->owner->robot.pa};
    return TP_OK;
}

static tp_status imu_reset_euler(tp_device *device, const tp_imu_reset_euler_config *ask,
                                 tp_error *err)
{
    struct imu *i = fake_state(device);
    const tp_pose3d *o = &ask->orientation;

    (void)err;
    i->zero = (tp_orientation_3d){o->proll, o->ppitch,
                                  tpi_fake_angle(o->pyaw - fake_of(device)->owner->robot.pa)};
    return TP_OK;
}

static const tp_imu_ops imu_ops = {
    .req_set_datatype = imu_set_datatype,
    .req_reset_orientation = imu_reset_orientation,
    .req_reset_euler = imu_reset_euler,
};

const fake_kind tpi_fake_inertials[] = {
    {
        .interface = &tp_interface_imu,
        .ops = &imu_ops,
        .state_size = sizeof(struct imu),
        .first = &(const struct imu){.type = TP_IMU_DATA_CALIB},
        .size = {.sw = 0.04, .sl = 0.04, .sh = 0.02},
        .publishes = 1u << TP_IMU_DATA_STATE | 1u << TP_IMU_DATA_CALIB | 1u << TP_IMU_DATA_QUAT |
                     1u << TP_IMU_DATA_EULER | 1u << TP_IMU_DATA_FULLSTATE,
        .publish = imu_publish,
    },
    {0},
};
