/*
 * robot.c - robots of controllers: what these ask and tell, see troupe/controller.h, and their
 * life.
 *
 * The readings of a kind of sensor are counted through all models of a robot, in the order of the
 * world file. Each kind has a function that answers for one model, and passes on a question that is
 * about a later one.
 */
#include "sim/host/robot.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sense/sensors.h"

#define KIND(name) (UINT32_C(1) << TPI_SIM_##name)

/* ---- Life ------------------------------------------------------------------------------------ */

/* All that a controller can ask for is measured: whether it will is not known. */
static void subscribe(const tp_robot *robot)
{
    static const uint32_t kinds = KIND(POSITION) | KIND(RANGER) | KIND(FLOOR_SENSOR) |
                                  KIND(LIGHT_SENSOR) | KIND(BUMPER) | KIND(FIDUCIAL);
    tpi_sim_info info;

    for (uint32_t i = 0; i < robot->family; i++) {
        tpi_sim_model_info(robot->world, robot->model + i, &info);
        if ((kinds >> info.kind & 1) != 0) {
            tpi_sim_subscribe(robot->world, robot->model + i);
        }
    }
}

tp_status tpi_sim_robot_init(tp_robot *robot, tpi_sim *world, tpi_sim_model model,
                             const tp_controller *what, const tpi_plugin *plugin, tp_error *err)
{
    tpi_buf name = {0};
    tpi_sim_info info;

    tpi_sim_model_info(world, model, &info);
    tpi_sim_put_name(world, model, &name);
    *robot = (tp_robot){.world = world,
                        .what = what,
                        .plugin = plugin,
                        .state = calloc(1, what->state_size + 1),
                        .name = name.data,
                        .model = model,
                        .family = info.family};
    if (robot->state == NULL || name.failed) {
        free(robot->state); /* without one the controller is not asked to end what it never began */
        robot->state = NULL;
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    subscribe(robot);
    return TP_OK;
}

tp_status tpi_sim_robot_step(tp_robot *robot, tp_error *err)
{
    tpi_plugin_enter(robot->plugin);
    robot->what->step(robot, robot->state);
    tpi_plugin_enter(NULL);
    return robot->driven ? tpi_sim_steer(robot->world, robot->model, robot->wish, err) : TP_OK;
}

void tpi_sim_robot_fini(tp_robot *robot)
{
    if (robot->state != NULL && robot->what->fini != NULL) {
        tpi_plugin_enter(robot->plugin);
        robot->what->fini(robot->state);
        tpi_plugin_enter(NULL);
    }
    free(robot->state);
    free(robot->name);
}

/* ---- The robot itself ------------------------------------------------------------------------ */

const char *tp_robot_name(const tp_robot *robot)
{
    return robot->name;
}

double tp_robot_time_s(const tp_robot *robot)
{
    return (double)tpi_sim_time_us(robot->world) / 1e6;
}

void tp_robot_get_pose(const tp_robot *robot, double pose[3], double velocity[3], bool *stalled)
{
    tpi_sim_motion motion = {0};

    (void)tpi_sim_get_motion(robot->world, robot->model, &motion, NULL);
    memcpy(pose, motion.estimate, sizeof motion.estimate);
    if (velocity != NULL) {
        memcpy(velocity, motion.velocity, sizeof motion.velocity);
    }
    if (stalled != NULL) {
        *stalled = motion.stalled;
    }
}

/* ---- Questions ------------------------------------------------------------------------------- */

struct question {
    size_t index;   /* of the reading, from the model that is asked next */
    bool passed_on; /* no model has had that reading yet */
    bool measured;  /* and is there to be read */
};

/* Answer a question that is about this model, into `out`; pass on any other. */
typedef void answer(const tpi_sim *world, tpi_sim_model model, struct question *q, void *out);

/* Whether the question is about one of the `count` readings of a model, and that can be read. */
static bool is_here(struct question *q, uint32_t count, int64_t time_us)
{
    if (q->index >= count) {
        q->index -= count;
        return false;
    }
    q->passed_on = false;
    q->measured = time_us >= 0;
    return q->measured;
}

static bool ask(const tp_robot *robot, size_t index, answer *answer_for, void *out)
{
    struct question q = {.index = index, .passed_on = true};

    for (uint32_t i = 0; i < robot->family && q.passed_on; i++) {
        answer_for(robot->world, robot->model + i, &q, out);
    }
    return q.measured;
}

/* ---- Rangers --------------------------------------------------------------------------------- */

struct view {
    tpi_sim_sensor sensor;
    tpi_sim_scan scan;
};

static void answer_ranges(const tpi_sim *world, tpi_sim_model model, struct question *q, void *out)
{
    struct view *view = out;

    if (!is_here(q, tpi_sim_sensor_count(world, model), 0)) {
        return;
    }
    const uint32_t index = (uint32_t)q->index;
    q->measured = tpi_sim_get_sensor(world, model, index, &view->sensor, NULL) == TP_OK &&
                  tpi_sim_get_scan(world, model, index, &view->scan, NULL) == TP_OK &&
                  view->scan.time_us >= 0;
}

size_t tp_robot_get_ranges(const tp_robot *robot, size_t index, const double **ranges, double *fov,
                           double *range_max)
{
    struct view view;

    if (!ask(robot, index, answer_ranges, &view)) {
        return 0;
    }
    *ranges = view.scan.ranges;
    if (fov != NULL) {
        *fov = view.sensor.fov;
    }
    if (range_max != NULL) {
        *range_max = view.sensor.range_max;
    }
    return view.scan.count;
}

/* ---- Other sensors --------------------------------------------------------------------------- */

static void answer_floor(const tpi_sim *world, tpi_sim_model model, struct question *q, void *out)
{
    tp_robot_floor *floor = out;
    tpi_sim_floor_values values;
    tpi_sim_pose eye = {0};

    if (tpi_sim_get_floor(world, model, &values, NULL) != TP_OK ||
        !is_here(q, values.count, values.time_us)) {
        return;
    }
    (void)tpi_sim_get_floor_sensor(world, model, (uint32_t)q->index, &eye, NULL);
    const tpi_sim_pose base = tpi_sim_pose_on_root(world, model);
    const tpi_sim_pose pose = tpi_sim_compose(&base, &eye);
    *floor = (tp_robot_floor){.x = pose.x,
                              .y = pose.y,
                              .reflectance = (double)values.items[q->index].reflectance,
                              .colour = values.items[q->index].colour};
}

bool tp_robot_get_floor(const tp_robot *robot, size_t index, tp_robot_floor *floor)
{
    return ask(robot, index, answer_floor, floor);
}

static void answer_light(const tpi_sim *world, tpi_sim_model model, struct question *q, void *out)
{
    double *level = out;
    tpi_sim_brightness brightness;

    if (tpi_sim_get_brightness(world, model, &brightness, NULL) == TP_OK &&
        is_here(q, 1, brightness.time_us)) {
        *level = brightness.level;
    }
}

bool tp_robot_get_light(const tp_robot *robot, size_t index, double *level)
{
    return ask(robot, index, answer_light, level);
}

static void answer_bumper(const tpi_sim *world, tpi_sim_model model, struct question *q, void *out)
{
    bool *pressed = out;
    tpi_sim_bumpers bumpers;

    if (tpi_sim_get_bumpers(world, model, &bumpers, NULL) == TP_OK &&
        is_here(q, bumpers.count, bumpers.time_us)) {
        *pressed = bumpers.pressed[q->index] != 0;
    }
}

bool tp_robot_get_bumper(const tp_robot *robot, size_t index, bool *pressed)
{
    return ask(robot, index, answer_bumper, pressed);
}

static void answer_fiducial(const tpi_sim *world, tpi_sim_model model, struct question *q,
                            void *out)
{
    tp_robot_fiducial *fiducial = out;
    tpi_sim_fiducials fiducials;

    if (tpi_sim_get_fiducials(world, model, &fiducials, NULL) == TP_OK &&
        is_here(q, fiducials.count, fiducials.time_us)) {
        const tpi_sim_fiducial *seen = &fiducials.items[q->index];
        *fiducial = (tp_robot_fiducial){.id = seen->id,
                                        .range = seen->range,
                                        .bearing = seen->bearing,
                                        .heading = seen->pose.a};
    }
}

bool tp_robot_get_fiducial(const tp_robot *robot, size_t index, tp_robot_fiducial *fiducial)
{
    return ask(robot, index, answer_fiducial, fiducial);
}

/* ---- Driving --------------------------------------------------------------------------------- */

void tp_robot_drive(tp_robot *robot, double forward, double left, double turn)
{
    const double goal[3] = {forward, left, turn};

    memcpy(robot->wish, goal, sizeof goal);
    robot->driven = true;
    (void)tpi_sim_steer(robot->world, robot->model, goal, NULL);
}
