/* devices.c - sonar, bumper, power, gripper, aio and dio. */
#include <math.h>

#include "p2os.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/bumper.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/gripper.h"
#include "troupe/driver/power.h"
#include "troupe/driver/sonar.h"

static const double pi = 3.14159265358979323846;

/* ---- sonar ----------------------------------------------------------------------------------- */

void tpi_p2os_tell_places(struct p2os *p)
{
    for (size_t i = 0; i < p->model->sonar_count; i++) {
        const struct p2os_place *at = &p->model->sonars[i];
        p->sonar_poses[i] =
            (tp_pose3d){.px = at->x / 1000.0, .py = at->y / 1000.0, .pyaw = at->degrees * pi / 180};
    }
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    struct p2os *p = p2os_of(device);

    (void)err;
    answer->poses_count = (uint32_t)p->model->sonar_count;
    answer->poses = p->sonar_poses;
    return TP_OK;
}

static tp_status sonar_power(tp_device *device, const tp_sonar_power_config *ask, tp_error *err)
{
    return tpi_p2os_say(tp_device_instance(device), P2OS_SONAR, ask->state != 0, err);
}

static const tp_sonar_ops sonar_ops = {.req_get_geom = sonar_geom, .req_power = sonar_power};

/* ---- bumper ---------------------------------------------------------------------------------- */

/* On half a circle in front and one behind, as far out as the body is. */
static tp_status bumper_geom(tp_device *device, tp_bumper_geom *answer, tp_error *err)
{
    struct p2os *p = p2os_of(device);

    (void)err;
    for (unsigned i = 0; i < 2 * P2OS_BUMPERS; i++) {
        const double angle = (i < P2OS_BUMPERS ? 72.0 : 252.0) - 36.0 * (i % P2OS_BUMPERS);
        p->bumpers[i] =
            (tp_bumper_define){.pose = {.px = p->model->length / 2 * cos(angle * pi / 180),
                                        .py = p->model->width / 2 * sin(angle * pi / 180),
                                        .pyaw = remainder(angle * pi / 180, 2 * pi)},
                               .length = 0.12f};
    }
    answer->bumper_def_count = 2 * P2OS_BUMPERS;
    answer->bumper_def = p->bumpers;
    return TP_OK;
}

static const tp_bumper_ops bumper_ops = {.req_get_geom = bumper_geom};

/* ---- gripper --------------------------------------------------------------------------------- */

enum {
    GRIP_OPEN = 1,
    GRIP_CLOSE = 2,
    GRIP_STOP = 3,
    GRIP_STORE = 7,
    GRIP_DEPLOY = 8,
    GRIP_HALT = 15
};

static tp_status grip(tp_device *device, int how, tp_error *err)
{
    return tpi_p2os_say(tp_device_instance(device), P2OS_GRIPPER, how, err);
}

static tp_status gripper_open(tp_device *device, tp_error *err)
{
    return grip(device, GRIP_OPEN, err);
}

static tp_status gripper_close(tp_device *device, tp_error *err)
{
    return grip(device, GRIP_CLOSE, err);
}

static tp_status gripper_stop(tp_device *device, tp_error *err)
{
    return grip(device, GRIP_STOP, err);
}

static tp_status gripper_store(tp_device *device, tp_error *err)
{
    return grip(device, GRIP_STORE, err);
}

static tp_status gripper_retrieve(tp_device *device, tp_error *err)
{
    return grip(device, GRIP_DEPLOY, err);
}

static tp_status gripper_geom(tp_device *device, tp_gripper_geom *answer, tp_error *err)
{
    const struct p2os *p = p2os_of(device);

    (void)err;
    *answer = (tp_gripper_geom){.pose = {.px = p->model->length / 2},
                                .outer_size = {.sl = 0.2, .sw = 0.315, .sh = 0.195},
                                .inner_size = {.sl = 0.1, .sw = 0.205, .sh = 0.095},
                                .num_beams = 2};
    return TP_OK;
}

static const tp_gripper_ops gripper_ops = {
    .cmd_open = gripper_open,
    .cmd_close = gripper_close,
    .cmd_stop = gripper_stop,
    .cmd_store = gripper_store,
    .cmd_retrieve = gripper_retrieve,
    .req_get_geom = gripper_geom,
};

void tpi_p2os_halt_gripper(tp_instance *self)
{
    (void)tpi_p2os_say(self, P2OS_GRIPPER, GRIP_HALT, NULL);
}

/* ---- dio ------------------------------------------------------------------------------------- */

enum { OUTPUTS = 8 };

/* The first `count` of the outputs; the others stay as they are. */
static tp_status set_outputs(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    struct p2os *p = p2os_of(device);

    if (ask->count > OUTPUTS) {
        return tp_fail(err, TP_E_RANGE, "there are %d outputs, not %u", OUTPUTS, ask->count);
    }
    const unsigned mask = (1U << ask->count) - 1;
    const tp_status status = tpi_p2os_say(tp_device_instance(device), P2OS_DIGOUT,
                                          (int)(mask << 8 | (ask->digout & mask)), err);

    if (status == TP_OK) {
        p->outputs = (uint8_t)((p->outputs & ~mask) | (ask->digout & mask));
    }
    return status;
}

static const tp_dio_ops dio_ops = {.cmd_values = set_outputs};
static const tp_aio_ops aio_ops = {0};
static const tp_power_ops power_ops = {0};

/* ---- Offering -------------------------------------------------------------------------------- */

static tp_status offer(tp_instance *self, const tp_interface *interface, const void *ops,
                       tp_device **out, tp_error *err)
{
    return tp_provides(self, interface, NULL) ? tp_offer(self, interface, NULL, ops, NULL, out, err)
                                              : TP_OK;
}

tp_status tpi_p2os_offer_devices(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    tp_status status = offer(self, &tp_interface_sonar, &sonar_ops, &p->sonar, err);

    status =
        status == TP_OK ? offer(self, &tp_interface_bumper, &bumper_ops, &p->bumper, err) : status;
    status = status == TP_OK ? offer(self, &tp_interface_gripper, &gripper_ops, &p->gripper, err)
                             : status;
    status = status == TP_OK ? offer(self, &tp_interface_dio, &dio_ops, &p->dio, err) : status;
    status = status == TP_OK ? offer(self, &tp_interface_aio, &aio_ops, &p->aio, err) : status;
    return status == TP_OK ? offer(self, &tp_interface_power, &power_ops, &p->power, err) : status;
}
