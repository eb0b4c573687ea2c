/*
 * dummy - sends the same data again and again, as Player's driver of that name does.
 *
 * For measuring servers and trying out clients: the numbers are Player's, commands are swallowed
 * and every request is refused. A device that behaves like one is what `fake` plays.
 */
#include <stdlib.h>
#include <string.h>

#include "troupe/driver.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/camera.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/fiducial.h"
#include "troupe/interfaces/gps.h"
#include "troupe/interfaces/imu.h"
#include "troupe/interfaces/joystick.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/pointcloud3d.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/wifi.h"
#include "troupe/interfaces/wsn.h"

enum { MOST_HZ = 1000000, SCAN = 361, WIDTH = 320, HEIGHT = 240, PICTURE = WIDTH * HEIGHT * 3 };

struct dummy;

/* What is sent for one interface. */
struct part {
    const tp_interface *interface;
    void (*publish)(struct dummy *self, tp_device *device);
};

struct device {
    tp_device *device; /* borrowed */
    const struct part *part;
};

struct dummy {
    struct device *devices; /* owned */
    size_t device_count;
    uint8_t *picture; /* owned; NULL without a camera */
    uint8_t grey;     /* of the next picture */
};

static const tp_param dummy_params[] = {
    {"rate", "Hz", "10", "how often data is sent, per second"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Pictures and scans ---------------------------------------------------------------------- */

static void publish_camera(struct dummy *self, tp_device *device)
{
    const tp_camera_data data = {.width = WIDTH,
                                 .height = HEIGHT,
                                 .bpp = 24,
                                 .format = TP_CAMERA_FORMAT_RGB888,
                                 .fdiv = 1,
                                 .compression = TP_CAMERA_COMPRESS_RAW,
                                 .image_count = PICTURE,
                                 .image = self->picture};

    memset(self->picture, self->grey++, PICTURE);
    tp_publish(device, TP_CAMERA_DATA_STATE, &data, 0);
}

static void publish_laser(struct dummy *self, tp_device *device)
{
    float ranges[SCAN];
    uint8_t intensity[SCAN];
    const tp_laser_data data = {.min_angle = -1.5707964f,
                                .max_angle = 1.5707964f,
                                .resolution = 0.5f * 0.017453292f,
                                .max_range = 8,
                                .ranges_count = SCAN,
                                .ranges = ranges,
                                .intensity_count = SCAN,
                                .intensity = intensity,
                                .id = 1};

    (void)self;
    for (size_t i = 0; i < SCAN; i++) {
        ranges[i] = 8;
        intensity[i] = 1;
    }
    tp_publish(device, TP_LASER_DATA_SCAN, &data, 0);
}

static void publish_ranger(struct dummy *self, tp_device *device)
{
    double ranges[SCAN];
    const tp_ranger_data_range data = {.ranges_count = SCAN, .ranges = ranges};

    (void)self;
    for (size_t i = 0; i < SCAN; i++) {
        ranges[i] = 8;
    }
    tp_publish(device, TP_RANGER_DATA_RANGE, &data, 0);
}

static void publish_blobs(struct dummy *self, tp_device *device)
{
    const tp_blobfinder_blob one = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    tp_blobfinder_blob blobs[2] = {{0}, one};
    const tp_blobfinder_data data = {
        .width = WIDTH, .height = HEIGHT, .blobs_count = 2, .blobs = blobs};

    (void)self;
    tp_publish(device, TP_BLOBFINDER_DATA_BLOBS, &data, 0);
}

static void publish_points(struct dummy *self, tp_device *device)
{
    tp_pointcloud3d_element points[10];
    const tp_pointcloud3d_data data = {.points_count = 10, .points = points};

    (void)self;
    for (int i = 0; i < 10; i++) {
        points[i] = (tp_pointcloud3d_element){{i, i, i}, {0, 128, 128, 128}};
    }
    tp_publish(device, TP_POINTCLOUD3D_DATA_STATE, &data, 0);
}

static void publish_fiducials(struct dummy *self, tp_device *device)
{
    tp_fiducial_item items[5];
    const tp_fiducial_data data = {.fiducials_count = 5, .fiducials = items};

    (void)self;
    for (int i = 0; i < 5; i++) {
        items[i] = (tp_fiducial_item){i, {i, i, i, i, i, i}, {i, i, i, i, i, i}};
    }
    tp_publish(device, TP_FIDUCIAL_DATA_SCAN, &data, 0);
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void publish_position2d(struct dummy *self, tp_device *device)
{
    const tp_position2d_data data = {.pos = {1, 1, 1}, .vel = {1, 1, 1}};

    (void)self;
    tp_publish(device, TP_POSITION2D_DATA_STATE, &data, 0);
}

static void publish_position3d(struct dummy *self, tp_device *device)
{
    const tp_position3d_data data = {.pos = {1, 1, 1, 1, 1, 1}, .vel = {1, 1, 1, 0, 0, 0}};

    (void)self;
    tp_publish(device, TP_POSITION3D_DATA_STATE, &data, 0);
}

static void publish_gps(struct dummy *self, tp_device *device)
{
    const tp_gps_data data = {.time_sec = 1234567890,
                              .time_usec = 1,
                              .latitude = 10000000,
                              .longitude = 10000000,
                              .altitude = 1000,
                              .speed = 5,
                              .course = 10,
                              .utm_e = 10,
                              .utm_n = 10,
                              .quality = 2,
                              .num_sats = 7,
                              .hdop = 10,
                              .vdop = 10,
                              .err_horz = 1,
                              .err_vert = 1};

    (void)self;
    tp_publish(device, TP_GPS_DATA_STATE, &data, 0);
}

static void publish_imu(struct dummy *self, tp_device *device)
{
    const tp_imu_data_state data = {.pose = {1, 1, 1, 1, 1, 1}};

    (void)self;
    tp_publish(device, TP_IMU_DATA_STATE, &data, 0);
}

static void publish_ptz(struct dummy *self, tp_device *device)
{
    const tp_ptz_data data = {.pan = 1, .tilt = 1, .zoom = 1, .panspeed = 1, .tiltspeed = 1};

    (void)self;
    tp_publish(device, TP_PTZ_DATA_STATE, &data, 0);
}

static void publish_actarray(struct dummy *self, tp_device *device)
{
    const tp_actarray_actuator one = {1, 1, 1, 1, 1};
    tp_actarray_actuator actuators[2] = {one, one};
    const tp_actarray_data data = {.actuators_count = 2, .actuators = actuators, .motor_state = 1};

    (void)self;
    tp_publish(device, TP_ACTARRAY_DATA_STATE, &data, 0);
}

/* ---- Signals --------------------------------------------------------------------------------- */

static void publish_wsn(struct dummy *self, tp_device *device)
{
    const tp_wsn_data data = {
        .node_type = 132,
        .node_id = 1,
        .node_parent_id = 125,
        .data_packet = {779, 495, 500, 500, 500, 224, 224, 224, 500, 489},
    };

    (void)self;
    tp_publish(device, TP_WSN_DATA_STATE, &data, 0);
}

static void publish_joystick(struct dummy *self, tp_device *device)
{
    const tp_joystick_data data = {.pos = {1, 1, 1}, .scale = {1, 1, 1}, .buttons = 7};

    (void)self;
    tp_publish(device, TP_JOYSTICK_DATA_STATE, &data, 0);
}

/* Player sets bits that mean nothing, too. */
static void publish_power(struct dummy *self, tp_device *device)
{
    const tp_power_data data = {
        .valid = 0xff, .volts = 1, .percent = 1, .joules = 1, .watts = 1, .charging = 1};

    (void)self;
    tp_publish(device, TP_POWER_DATA_STATE, &data, 0);
}

static void publish_wifi(struct dummy *self, tp_device *device)
{
    const tp_wifi_link one = {.mac_count = 18,
                              .mac = "00:11:22:33:44:55",
                              .ip_count = 10,
                              .ip = "127.0.0.1",
                              .essid_count = 6,
                              .essid = "ESSID",
                              .mode = 1,
                              .freq = 1,
                              .encrypt = 1,
                              .qual = 1,
                              .level = 1,
                              .noise = 1};
    tp_wifi_link links[2] = {one, one};
    const tp_wifi_data data = {.links_count = 2,
                               .links = links,
                               .throughput = 1,
                               .bitrate = 54,
                               .mode = 1,
                               .qual_type = 1,
                               .maxqual = 1,
                               .maxlevel = 1,
                               .maxnoise = 10,
                               .ap = "AccessPoint"};

    (void)self;
    tp_publish(device, TP_WIFI_DATA_STATE, &data, 0);
}

static void publish_opaque(struct dummy *self, tp_device *device)
{
    uint8_t bytes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const tp_opaque_data data = {.data_count = 8, .data = bytes};

    (void)self;
    tp_publish(device, TP_OPAQUE_DATA_STATE, &data, 0);
}

static void publish_dio(struct dummy *self, tp_device *device)
{
    const tp_dio_data data = {.count = 8, .bits = 0xaa};

    (void)self;
    tp_publish(device, TP_DIO_DATA_VALUES, &data, 0);
}

static void publish_aio(struct dummy *self, tp_device *device)
{
    float voltages[5] = {0, 1, 2, 3, 4};
    const tp_aio_data data = {.voltages_count = 5, .voltages = voltages};

    (void)self;
    tp_publish(device, TP_AIO_DATA_STATE, &data, 0);
}

static const struct part parts[] = {
    {&tp_interface_camera, publish_camera},     {&tp_interface_laser, publish_laser},
    {&tp_interface_ranger, publish_ranger},     {&tp_interface_position2d, publish_position2d},
    {&tp_interface_ptz, publish_ptz},           {&tp_interface_wsn, publish_wsn},
    {&tp_interface_gps, publish_gps},           {&tp_interface_position3d, publish_position3d},
    {&tp_interface_joystick, publish_joystick}, {&tp_interface_blobfinder, publish_blobs},
    {&tp_interface_power, publish_power},       {&tp_interface_pointcloud3d, publish_points},
    {&tp_interface_imu, publish_imu},           {&tp_interface_fiducial, publish_fiducials},
    {&tp_interface_wifi, publish_wifi},         {&tp_interface_actarray, publish_actarray},
    {&tp_interface_opaque, publish_opaque},     {&tp_interface_dio, publish_dio},
    {&tp_interface_aio, publish_aio},
};

/* Of any other interface it sends nothing. */
static const struct part *find_part(const tp_interface *interface)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].interface == interface) {
            return &parts[i];
        }
    }
    return NULL;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status dummy_handle(tp_device *device, const tp_message *what, const void *ask,
                              void *answer, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)answer;
    return what->kind == TP_KIND_COMMAND
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "%s: this driver refuses every request",
                         what->name);
}

static tp_status offer(tp_instance *self, size_t i, tp_error *err)
{
    struct dummy *d = tp_instance_state(self);
    const tp_interface *interface = tp_provides_interface(self, i);

    if (interface->code <= TP_PLAYER_CODE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
    }
    if (interface == &tp_interface_camera && d->picture == NULL) {
        d->picture = malloc(PICTURE);
        if (d->picture == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    d->devices[i].part = find_part(interface);
    return tp_offer(self, interface, tp_provides_key(self, i), NULL, dummy_handle,
                    &d->devices[i].device, err);
}

static tp_status dummy_init(tp_instance *self, tp_error *err)
{
    struct dummy *d = tp_instance_state(self);
    const double rate_hz = tp_param_double(self, "rate");
    tp_status status = TP_OK;

    if (!(rate_hz > 0 && rate_hz <= MOST_HZ)) {
        return tp_fail(err, TP_E_RANGE, "rate \"%s\" is not above 0 and up to %d",
                       tp_param_string(self, "rate"), MOST_HZ);
    }
    d->device_count = tp_provides_count(self);
    d->devices = calloc(d->device_count + 1, sizeof *d->devices);
    if (d->devices == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < d->device_count && status == TP_OK; i++) {
        status = offer(self, i, err);
    }
    tp_instance_set_period(self, (int64_t)((double)TP_NS_PER_S / rate_hz));
    return status;
}

static tp_status dummy_poll(tp_instance *self, tp_error *err)
{
    struct dummy *d = tp_instance_state(self);

    (void)err;
    for (size_t i = 0; i < d->device_count; i++) {
        if (d->devices[i].part != NULL) {
            d->devices[i].part->publish(d, d->devices[i].device);
        }
    }
    return TP_OK;
}

static void dummy_fini(tp_instance *self)
{
    struct dummy *d = tp_instance_state(self);

    free(d->devices);
    free(d->picture);
}

static void dummy_halt(tp_device *device, tp_halt how)
{
    (void)device; /* it obeys no command, so it moves nothing */
    (void)how;
}

static const tp_driver_ops dummy_ops = {
    .init = dummy_init,
    .poll = dummy_poll,
    .halt = dummy_halt,
    .fini = dummy_fini,
};

TP_API const tp_driver tp_driver_dummy = {
    .abi = TP_DRIVER_ABI,
    .name = "dummy",
    .summary = "sends the same data again and again, as Player's dummy does",
    .state_size = sizeof(struct dummy),
    .params = dummy_params,
    .ops = &dummy_ops,
};
