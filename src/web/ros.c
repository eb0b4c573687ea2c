/* ros.c - see ros.h. */
#include "web/ros.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/gps.h"
#include "troupe/interfaces/imu.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position1d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"
#include "web/cdr.h"
#include "web/ros_types.h"

enum { FRAME = 80, PORTION = 64 };

/* ---- What many have -------------------------------------------------------------------------- */

static void put_time(tpi_cdr *cdr, double time_s)
{
    const double time = time_s > 0 && time_s < 2147483647 ? time_s : 0;
    const uint32_t seconds = (uint32_t)time;
    const double rest = (time - (double)seconds) * 1e9 + 0.5;

    tpi_cdr_u32(cdr, seconds);
    tpi_cdr_u32(cdr, rest < 999999999 ? (uint32_t)rest : 999999999);
}

static void put_header(tpi_cdr *cdr, double time_s, const char *frame)
{
    put_time(cdr, time_s);
    tpi_cdr_text(cdr, frame);
}

/* The frame of a device is named as the device: "6665/laser:0". By hand, since this is done for
 * every message. */
static void put_own_header(tpi_cdr *cdr, const tp_msghdr *header, const char *interface)
{
    const size_t length = strlen(interface);
    char frame[FRAME];
    size_t at = tpi_number_put_whole(frame, header->addr.robot);

    frame[at++] = '/';
    memcpy(frame + at, interface, length);
    at += length;
    frame[at++] = ':';
    (void)tpi_number_put_whole(frame + at, header->addr.index);
    put_header(cdr, header->timestamp, frame);
}

static void put_zeros(tpi_cdr *cdr, int count)
{
    for (int i = 0; i < count; i++) {
        tpi_cdr_f64(cdr, 0);
    }
}

static void put_vector(tpi_cdr *cdr, double x, double y, double z)
{
    tpi_cdr_f64(cdr, x);
    tpi_cdr_f64(cdr, y);
    tpi_cdr_f64(cdr, z);
}

/* Roll, then pitch, then yaw about fixed axes. */
static void put_rotation(tpi_cdr *cdr, double roll, double pitch, double yaw)
{
    const double cr = cos(roll / 2), sr = sin(roll / 2), cp = cos(pitch / 2), sp = sin(pitch / 2),
                 cy = cos(yaw / 2), sy = sin(yaw / 2);

    tpi_cdr_f64(cdr, sr * cp * cy - cr * sp * sy);
    tpi_cdr_f64(cdr, cr * sp * cy + sr * cp * sy);
    tpi_cdr_f64(cdr, cr * cp * sy - sr * sp * cy);
    tpi_cdr_f64(cdr, cr * cp * cy + sr * sp * sy);
}

/* ---- Scans and ranges ------------------------------------------------------------------------ */

/* Numbers of another type as floats, with their count before them. */
static void put_bytes_as_f32s(tpi_cdr *cdr, const uint8_t *values, uint32_t count)
{
    float portion[PORTION] = {0};

    tpi_cdr_u32(cdr, count);
    for (uint32_t i = 0; i < count; i += PORTION) {
        const uint32_t some = count - i < PORTION ? count - i : PORTION;
        const uint8_t *from = values + i; /* a loop that compilers make parallel */

        if (cdr->bytes != NULL) {
            for (uint32_t k = 0; k < some; k++) {
                portion[k] = (float)from[k];
            }
        }
        tpi_cdr_f32s(cdr, portion, some);
    }
}

static void put_doubles_as_f32s(tpi_cdr *cdr, const double *values, uint32_t count)
{
    float portion[PORTION] = {0};

    tpi_cdr_u32(cdr, count);
    for (uint32_t i = 0; i < count; i += PORTION) {
        const uint32_t some = count - i < PORTION ? count - i : PORTION;
        const double *from = values + i; /* a loop that compilers make parallel */

        if (cdr->bytes != NULL) {
            for (uint32_t k = 0; k < some; k++) {
                portion[k] = (float)from[k];
            }
        }
        tpi_cdr_f32s(cdr, portion, some);
    }
}

/* A sensor that measures no intensities sends zeros. */
static uint32_t count_intensities(const tp_laser_data *scan)
{
    for (uint32_t i = 0; i < scan->intensity_count; i++) {
        if (scan->intensity[i] != 0) {
            return scan->intensity_count;
        }
    }
    return 0;
}

static void put_scan(tpi_cdr *cdr, const tp_msghdr *header, const tp_laser_data *scan)
{
    put_own_header(cdr, header, "laser");
    tpi_cdr_f32(cdr, scan->min_angle);
    tpi_cdr_f32(cdr, scan->max_angle);
    tpi_cdr_f32(cdr, scan->resolution);
    tpi_cdr_f32(cdr, 0);
    tpi_cdr_f32(cdr, 0);
    tpi_cdr_f32(cdr, 0);
    tpi_cdr_f32(cdr, scan->max_range);
    tpi_cdr_u32(cdr, scan->ranges_count);
    tpi_cdr_f32s(cdr, scan->ranges, scan->ranges_count);
    put_bytes_as_f32s(cdr, scan->intensity, count_intensities(scan));
}

static void put_laser(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    put_scan(cdr, header, value);
}

static void put_laser_pose(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_laser_data_scanpose *data = value;

    put_scan(cdr, header, &data->scan);
}

static void put_ranger(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_ranger_data_rangestamped *data = value;

    put_own_header(cdr, header, "ranger");
    tpi_cdr_f32(cdr, (float)data->config.min_angle);
    tpi_cdr_f32(cdr, (float)data->config.max_angle);
    tpi_cdr_f32(cdr, (float)data->config.angular_res);
    tpi_cdr_f32(cdr, 0);
    tpi_cdr_f32(cdr, data->config.frequency > 0 ? (float)(1 / data->config.frequency) : 0);
    tpi_cdr_f32(cdr, (float)data->config.min_range);
    tpi_cdr_f32(cdr, (float)data->config.max_range);
    put_doubles_as_f32s(cdr, data->data.ranges, data->data.ranges_count);
    tpi_cdr_u32(cdr, 0);
}

/* ROS has a message for one sensor: of several the nearest obstacle is sent. */
static void put_nearest(tpi_cdr *cdr, const float *ranges, uint32_t count, bool infrared)
{
    float nearest = INFINITY;

    for (uint32_t i = 0; i < count; i++) {
        nearest = ranges[i] < nearest ? ranges[i] : nearest;
    }
    tpi_cdr_u8(cdr, infrared);
    tpi_cdr_f32(cdr, 0);
    tpi_cdr_f32(cdr, 0);
    tpi_cdr_f32(cdr, INFINITY);
    tpi_cdr_f32(cdr, nearest);
    tpi_cdr_f32(cdr, 0);
}

static void put_sonar(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_sonar_data *data = value;

    put_own_header(cdr, header, "sonar");
    put_nearest(cdr, data->ranges, data->ranges_count, false);
}

static void put_ir(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_ir_data *data = value;

    put_own_header(cdr, header, "ir");
    put_nearest(cdr, data->ranges, data->ranges_count, true);
}

/* ---- Poses ----------------------------------------------------------------------------------- */

static void put_odometry(tpi_cdr *cdr, const tp_msghdr *header, const tp_pose3d *pose,
                         const tp_pose3d *velocity)
{
    char frame[FRAME], number[12] = "";
    const unsigned robot = (unsigned)header->addr.robot;

    if (header->addr.index > 0) {
        snprintf(number, sizeof number, "%u", (unsigned)header->addr.index);
    }
    snprintf(frame, sizeof frame, "%u/odom%s", robot, number);
    put_header(cdr, header->timestamp, frame);
    snprintf(frame, sizeof frame, "%u/base%s", robot, number);
    tpi_cdr_text(cdr, frame);
    put_vector(cdr, pose->px, pose->py, pose->pz);
    put_rotation(cdr, pose->proll, pose->ppitch, pose->pyaw);
    put_zeros(cdr, 36);
    put_vector(cdr, velocity->px, velocity->py, velocity->pz);
    put_vector(cdr, velocity->proll, velocity->ppitch, velocity->pyaw);
    put_zeros(cdr, 36);
}

static void put_position2d(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_position2d_data *data = value;
    const tp_pose3d pose = {.px = data->pos.px, .py = data->pos.py, .pyaw = data->pos.pa};
    const tp_pose3d velocity = {.px = data->vel.px, .py = data->vel.py, .pyaw = data->vel.pa};

    put_odometry(cdr, header, &pose, &velocity);
}

static void put_position3d(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_position3d_data *data = value;

    put_odometry(cdr, header, &data->pos, &data->vel);
}

/* ---- Inertia --------------------------------------------------------------------------------- */

/* A covariance that begins with -1 says that the value is not known. */
static void put_covariance(tpi_cdr *cdr, bool known)
{
    tpi_cdr_f64(cdr, known ? 0 : -1);
    put_zeros(cdr, 8);
}

static void put_measured(tpi_cdr *cdr, const tp_imu_data_calib *data)
{
    put_vector(cdr, (double)data->gyro_x, (double)data->gyro_y, (double)data->gyro_z);
    put_covariance(cdr, true);
    put_vector(cdr, (double)data->accel_x, (double)data->accel_y, (double)data->accel_z);
    put_covariance(cdr, true);
}

static void put_imu_calib(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    put_own_header(cdr, header, "imu");
    put_rotation(cdr, 0, 0, 0);
    put_covariance(cdr, false);
    put_measured(cdr, value);
}

static void put_imu_quat(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_imu_data_quat *data = value;

    put_own_header(cdr, header, "imu");
    put_vector(cdr, (double)data->q1, (double)data->q2, (double)data->q3);
    tpi_cdr_f64(cdr, (double)data->q0);
    put_covariance(cdr, true);
    put_measured(cdr, &data->calib_data);
}

static void put_imu_euler(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_imu_data_euler *data = value;

    put_own_header(cdr, header, "imu");
    put_rotation(cdr, data->orientation.proll, data->orientation.ppitch, data->orientation.pyaw);
    put_covariance(cdr, true);
    put_measured(cdr, &data->calib_data);
}

static void put_imu_full(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_imu_data_fullstate *data = value;

    put_own_header(cdr, header, "imu");
    put_rotation(cdr, data->pose.proll, data->pose.ppitch, data->pose.pyaw);
    put_covariance(cdr, true);
    put_vector(cdr, data->vel.proll, data->vel.ppitch, data->vel.pyaw);
    put_covariance(cdr, true);
    put_vector(cdr, data->acc.px, data->acc.py, data->acc.pz);
    put_covariance(cdr, true);
}

/* ---- Joints ---------------------------------------------------------------------------------- */

struct joint {
    double position, speed;
};

static void put_joints(tpi_cdr *cdr, const char *const *names, const struct joint *joints,
                       uint32_t count)
{
    tpi_cdr_u32(cdr, count);
    for (uint32_t i = 0; i < count; i++) {
        tpi_cdr_text(cdr, names[i]);
    }
    tpi_cdr_u32(cdr, count);
    for (uint32_t i = 0; i < count; i++) {
        tpi_cdr_f64(cdr, joints[i].position);
    }
    tpi_cdr_u32(cdr, count);
    for (uint32_t i = 0; i < count; i++) {
        tpi_cdr_f64(cdr, joints[i].speed);
    }
    tpi_cdr_u32(cdr, 0);
}

static void put_actarray(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_actarray_data *data = value;
    char name[16];

    put_own_header(cdr, header, "actarray");
    tpi_cdr_u32(cdr, data->actuators_count);
    for (uint32_t i = 0; i < data->actuators_count; i++) {
        snprintf(name, sizeof name, "joint%u", (unsigned)i);
        tpi_cdr_text(cdr, name);
    }
    tpi_cdr_u32(cdr, data->actuators_count);
    for (uint32_t i = 0; i < data->actuators_count; i++) {
        tpi_cdr_f64(cdr, (double)data->actuators[i].position);
    }
    tpi_cdr_u32(cdr, data->actuators_count);
    for (uint32_t i = 0; i < data->actuators_count; i++) {
        tpi_cdr_f64(cdr, (double)data->actuators[i].speed);
    }
    tpi_cdr_u32(cdr, 0);
}

static void put_ptz(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    static const char *const names[] = {"pan", "tilt"};
    const tp_ptz_data *data = value;
    const struct joint joints[] = {{(double)data->pan, (double)data->panspeed},
                                   {(double)data->tilt, (double)data->tiltspeed}};

    put_own_header(cdr, header, "ptz");
    put_joints(cdr, names, joints, 2);
}

static void put_position1d(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    static const char *const names[] = {"axis"};
    const tp_position1d_data *data = value;
    const struct joint joint = {(double)data->pos, (double)data->vel};

    put_own_header(cdr, header, "position1d");
    put_joints(cdr, names, &joint, 1);
}

/* ---- Others ---------------------------------------------------------------------------------- */

static void put_gps(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_gps_data *data = value;
    const double across = data->err_horz * data->err_horz, up = data->err_vert * data->err_vert;
    const double covariance[9] = {across, 0, 0, 0, across, 0, 0, 0, up};

    put_own_header(cdr, header, "gps");
    tpi_cdr_u8(cdr, data->quality == 0 ? 0xff : 0); /* -1: no fix */
    tpi_cdr_u16(cdr, 1);
    tpi_cdr_f64(cdr, data->latitude * 1e-7);
    tpi_cdr_f64(cdr, data->longitude * 1e-7);
    tpi_cdr_f64(cdr, data->altitude * 1e-3);
    for (int i = 0; i < 9; i++) {
        tpi_cdr_f64(cdr, covariance[i]);
    }
    tpi_cdr_u8(cdr, across > 0 ? 2 : 0); /* the diagonal is known */
}

static void put_power(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_power_data *data = value;
    const bool volts = (data->valid & TP_POWER_MASK_VOLTS) != 0 && data->volts > 0;
    const bool watts = volts && (data->valid & TP_POWER_MASK_WATTS) != 0;
    const bool percent = (data->valid & TP_POWER_MASK_PERCENT) != 0;
    const bool charging = (data->valid & TP_POWER_MASK_CHARGING) != 0;

    put_own_header(cdr, header, "power");
    tpi_cdr_f32(cdr, volts ? data->volts : NAN);
    tpi_cdr_f32(cdr, NAN);
    tpi_cdr_f32(cdr, watts ? data->watts / data->volts : NAN);
    for (int i = 0; i < 3; i++) {
        tpi_cdr_f32(cdr, NAN);
    }
    tpi_cdr_f32(cdr, percent ? data->percent / 100 : NAN);
    tpi_cdr_u8(cdr, !charging            ? 0
                    : data->charging > 0 ? 1
                                         : 2); /* unknown, charging, discharging */
    tpi_cdr_u8(cdr, 0);
    tpi_cdr_u8(cdr, 0);
    tpi_cdr_u8(cdr, 1);
    tpi_cdr_u32(cdr, 0);
    tpi_cdr_u32(cdr, 0);
    tpi_cdr_text(cdr, "");
    tpi_cdr_text(cdr, "");
}

static const char *pixels_of(const tp_camera_data *data)
{
    return data->compression == TP_CAMERA_COMPRESS_JPEG ? "jpeg"
           : data->format == TP_CAMERA_FORMAT_MONO8     ? "mono8"
           : data->format == TP_CAMERA_FORMAT_MONO16    ? "mono16"
           : data->format == TP_CAMERA_FORMAT_RGB888    ? "rgb8"
                                                        : "";
}

static void put_camera(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_camera_data *data = value;

    put_own_header(cdr, header, "camera");
    tpi_cdr_u32(cdr, data->height);
    tpi_cdr_u32(cdr, data->width);
    tpi_cdr_text(cdr, pixels_of(data));
    tpi_cdr_u8(cdr, data->format == TP_CAMERA_FORMAT_MONO16);
    tpi_cdr_u32(cdr, data->width * (data->bpp / 8));
    tpi_cdr_u32(cdr, data->image_count);
    tpi_cdr_bytes(cdr, data->image, data->image_count);
}

/* Pictures that are not compressed have no such form. */
static void put_compressed(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    const tp_camera_data *data = value;

    if (data->compression != TP_CAMERA_COMPRESS_JPEG) {
        cdr->length = 0;
        return;
    }
    put_own_header(cdr, header, "camera");
    tpi_cdr_text(cdr, "jpeg");
    tpi_cdr_u32(cdr, data->image_count);
    tpi_cdr_bytes(cdr, data->image, data->image_count);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* A map is fetched in tiles and sent as a whole (tpi_ros_grid()); that it has changed is not. */
static void put_nothing(tpi_cdr *cdr, const tp_msghdr *header, const void *value)
{
    (void)header;
    (void)value;
    cdr->length = 0;
}

size_t tpi_ros_grid(const tp_devaddr *addr, const tp_map_info *info, double now_s, void *bytes,
                    size_t capacity)
{
    const size_t cells = (size_t)info->width * info->height;
    char frame[FRAME];
    tpi_cdr cdr;

    snprintf(frame, sizeof frame, "%u/map", (unsigned)addr->robot);
    tpi_cdr_begin(&cdr, bytes, capacity);
    put_header(&cdr, now_s, frame);
    put_time(&cdr, now_s);
    tpi_cdr_f32(&cdr, info->scale);
    tpi_cdr_u32(&cdr, info->width);
    tpi_cdr_u32(&cdr, info->height);
    put_vector(&cdr, info->origin.px, info->origin.py, 0);
    put_rotation(&cdr, 0, 0, info->origin.pa);
    tpi_cdr_u32(&cdr, (uint32_t)cells);
    if (bytes != NULL && cdr.length <= capacity && cells <= capacity - cdr.length) {
        memset((uint8_t *)bytes + cdr.length, 0xff, cells);
    }
    return cdr.length + cells;
}

void tpi_ros_cells(uint8_t *out, const int8_t *cells, uint32_t count, int range)
{
    uint8_t table[256];

    for (int value = -128; value < 128; value++) {
        const int bounded = value < -range ? -range : value > range ? range : value;

        const int percent = range > 0 ? ((bounded + range) * 100 + range) / (2 * range) : 0;

        table[(uint8_t)value] = (uint8_t)(range <= 0 || value == 0 ? 0xff : percent);
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = table[(uint8_t)cells[i]];
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

static const struct row {
    unsigned interf, code;
    const tp_struct *type;
    const tpi_ros_type *ros;
    void (*put)(tpi_cdr *cdr, const tp_msghdr *header, const void *value);
} rows[] = {
    {TP_LASER_CODE, TP_LASER_DATA_SCAN, &tp_desc_laser_data, &tpi_ros_laser_scan, put_laser},
    {TP_LASER_CODE, TP_LASER_DATA_SCANPOSE, &tp_desc_laser_data_scanpose, &tpi_ros_laser_scan,
     put_laser_pose},
    {TP_RANGER_CODE, TP_RANGER_DATA_RANGESTAMPED, &tp_desc_ranger_data_rangestamped,
     &tpi_ros_laser_scan, put_ranger},
    {TP_SONAR_CODE, TP_SONAR_DATA_RANGES, &tp_desc_sonar_data, &tpi_ros_range, put_sonar},
    {TP_IR_CODE, TP_IR_DATA_RANGES, &tp_desc_ir_data, &tpi_ros_range, put_ir},
    {TP_POSITION2D_CODE, TP_POSITION2D_DATA_STATE, &tp_desc_position2d_data, &tpi_ros_odometry,
     put_position2d},
    {TP_POSITION3D_CODE, TP_POSITION3D_DATA_STATE, &tp_desc_position3d_data, &tpi_ros_odometry,
     put_position3d},
    {TP_IMU_CODE, TP_IMU_DATA_CALIB, &tp_desc_imu_data_calib, &tpi_ros_imu, put_imu_calib},
    {TP_IMU_CODE, TP_IMU_DATA_QUAT, &tp_desc_imu_data_quat, &tpi_ros_imu, put_imu_quat},
    {TP_IMU_CODE, TP_IMU_DATA_EULER, &tp_desc_imu_data_euler, &tpi_ros_imu, put_imu_euler},
    {TP_IMU_CODE, TP_IMU_DATA_FULLSTATE, &tp_desc_imu_data_fullstate, &tpi_ros_imu, put_imu_full},
    {TP_ACTARRAY_CODE, TP_ACTARRAY_DATA_STATE, &tp_desc_actarray_data, &tpi_ros_joint_state,
     put_actarray},
    {TP_PTZ_CODE, TP_PTZ_DATA_STATE, &tp_desc_ptz_data, &tpi_ros_joint_state, put_ptz},
    {TP_POSITION1D_CODE, TP_POSITION1D_DATA_STATE, &tp_desc_position1d_data, &tpi_ros_joint_state,
     put_position1d},
    {TP_GPS_CODE, TP_GPS_DATA_STATE, &tp_desc_gps_data, &tpi_ros_nav_sat_fix, put_gps},
    {TP_POWER_CODE, TP_POWER_DATA_STATE, &tp_desc_power_data, &tpi_ros_battery_state, put_power},
    {TP_CAMERA_CODE, TP_CAMERA_DATA_STATE, &tp_desc_camera_data, &tpi_ros_image, put_camera},
    {TP_MAP_CODE, TP_MAP_DATA_INFO, &tp_desc_map_info, &tpi_ros_occupancy_grid, put_nothing},
};

/* Data that ROS 2 has a second type for. */
static const struct row more_rows[] = {
    {TP_CAMERA_CODE, TP_CAMERA_DATA_STATE, &tp_desc_camera_data, &tpi_ros_compressed_image,
     put_compressed},
};

static const struct row *find(unsigned interf, unsigned code, bool second)
{
    const struct row *from = second ? more_rows : rows;
    const size_t count =
        second ? sizeof more_rows / sizeof more_rows[0] : sizeof rows / sizeof rows[0];

    for (size_t i = 0; i < count; i++) {
        if (from[i].interf == interf && from[i].code == code) {
            return &from[i];
        }
    }
    return NULL;
}

const tpi_ros_type *tpi_ros_type_of(unsigned interf, unsigned code, bool second)
{
    const struct row *row = find(interf, code, second);

    return row != NULL ? row->ros : NULL;
}

static size_t put(const tp_msghdr *header, const tp_struct *type, const void *value, bool second,
                  void *bytes, size_t capacity)
{
    const struct row *row = find(header->addr.interf, header->subtype, second);
    tpi_cdr cdr;

    if (row == NULL || row->type != type || (bytes != NULL && capacity < TPI_CDR_HEAD)) {
        return 0;
    }
    tpi_cdr_begin(&cdr, bytes, capacity);
    row->put(&cdr, header, value);
    return bytes == NULL || cdr.length <= capacity ? cdr.length : 0;
}

size_t tpi_ros_size(const tp_msghdr *header, const tp_struct *type, const void *value, bool second)
{
    return put(header, type, value, second, NULL, 0);
}

size_t tpi_ros_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                      bool second, void *bytes, size_t capacity)
{
    return put(header, type, value, second, bytes, capacity);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A frame that does not move is right at any time. */
static void put_transform(tpi_cdr *cdr, const tp_frame_info *frame, double now_s)
{
    char name[FRAME + 64];

    snprintf(name, sizeof name, "%u/%s", (unsigned)frame->robot, frame->parent);
    put_header(cdr, frame->moves ? frame->timestamp : now_s, name);
    snprintf(name, sizeof name, "%u/%s", (unsigned)frame->robot, frame->name);
    tpi_cdr_text(cdr, name);
    put_vector(cdr, frame->pose.px, frame->pose.py, frame->pose.pz);
    put_rotation(cdr, frame->pose.proll, frame->pose.ppitch, frame->pose.pyaw);
}

static bool is_sent(const tp_frame_info *frame)
{
    return frame->known && frame->parent_count > 1;
}

size_t tpi_ros_frames(const tp_frame_list *frames, double now_s, void *bytes, size_t capacity)
{
    uint32_t count = 0;
    tpi_cdr cdr;

    for (uint32_t i = 0; i < frames->frames_count; i++) {
        count += is_sent(&frames->frames[i]);
    }
    tpi_cdr_begin(&cdr, bytes, capacity);
    tpi_cdr_u32(&cdr, count);
    for (uint32_t i = 0; i < frames->frames_count; i++) {
        if (is_sent(&frames->frames[i])) {
            put_transform(&cdr, &frames->frames[i], now_s);
        }
    }
    return cdr.length;
}
