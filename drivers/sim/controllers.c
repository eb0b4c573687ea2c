/*
 * controllers.c - controllers that are plug-ins: see troupe/controller.h.
 *
 * While the world is read, each text of a `ctrl` that is not built in gets a number; afterwards the
 * robots that have it get a state each. They run after each step, in the order of the models, on
 * the thread of the world.
 */
#include "controllers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/plugin.h"
#include "sim/sensors.h"
#include "simulator.h"
#include "troupe/controller.h"

/* A controller with arguments. */
struct command {
    char *text;  /* owned: the whole */
    char *place; /* owned: where the world has it first, as "FILE:LINE:COLUMN" */
    const char *arguments;
    tpi_plugin *plugin;        /* owned */
    const tp_controller *what; /* borrowed: the plug-in's */
};

struct tp_robot {
    simd *s;                   /* borrowed */
    const tp_controller *what; /* borrowed */
    const tpi_plugin *plugin;  /* borrowed: who is to blame if it crashes */
    void *state;               /* owned */
    char *name;                /* owned */
    tpi_sim_model model;
    uint32_t family;
    double wish[3]; /* what it was told last, for when it may */
    bool driven;    /* it was told at all */
};

struct simd_controllers {
    simd *s;                  /* borrowed */
    struct command *commands; /* owned */
    uint32_t command_count;
    tp_robot *robots; /* owned */
    size_t robot_count;
    const char *folder; /* borrowed: of the world, "" or with a slash at its end */
};

/* ---- Loading --------------------------------------------------------------------------------- */

static bool try_file(tpi_buf *path, const char *folder, size_t length, const char *name)
{
    static const char *const prefixes[] = {"", "lib"};

    for (size_t i = 0; i < 2; i++) {
        tpi_buf_clear(path);
        tpi_buf_put(path, folder, length);
        if (length > 0 && folder[length - 1] != '/') {
            tpi_buf_putc(path, '/');
        }
        tpi_buf_printf(path, "%s%s.so", prefixes[i], name);
        if (!path->failed && tpi_plugin_exists(tpi_buf_text(path))) {
            return true;
        }
    }
    return false;
}

static bool find_file(const simd_controllers *c, tpi_buf *path, const char *name)
{
    const char *wanted = getenv("TROUPE_PLUGIN_PATH");
    bool found = false;

    while (!found && wanted != NULL && *wanted != '\0') {
        const size_t length = strcspn(wanted, ":");
        found = try_file(path, wanted, length, name);
        wanted += length + (wanted[length] == ':');
    }
    return found || try_file(path, c->folder, strlen(c->folder), name);
}

static tp_status check(const struct command *command, const char *name, tp_error *err)
{
    if (command->what == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "%s has no controller \"%s\"",
                       tpi_plugin_path(command->plugin), name);
    }
    if (command->what->abi != TP_CONTROLLER_ABI) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "%s is made for version %u of controllers; this program has version %d",
                       tpi_plugin_path(command->plugin), command->what->abi, TP_CONTROLLER_ABI);
    }
    return command->what->step != NULL
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "%s has no step", tpi_plugin_path(command->plugin));
}

static tp_status open_file(struct command *command, const char *path, const char *name,
                           tp_error *err)
{
    char symbol[96];
    tp_status status = tpi_plugin_open(&command->plugin, path, err);

    if (status != TP_OK) {
        return status;
    }
    snprintf(symbol, sizeof symbol, "tp_controller_%s", name);
    command->what = tpi_plugin_symbol(command->plugin, symbol);
    return check(command, name, err);
}

/* The one for a new text; NULL if memory ran out. */
static struct command *add_command(simd_controllers *c, const char *text,
                                   const tpi_cfg_place *place)
{
    struct command *commands = realloc(c->commands, (c->command_count + 1) * sizeof *commands);
    char *copy = malloc(strlen(text) + 1);
    tpi_buf where = {0};

    c->commands = commands != NULL ? commands : c->commands;
    tpi_buf_printf(&where, "%s:%u:%u", place->file, place->line, place->column);
    if (commands == NULL || copy == NULL || where.failed) {
        free(copy);
        tpi_buf_fini(&where);
        return NULL;
    }
    strcpy(copy, text);
    struct command *command = &commands[c->command_count++];
    *command = (struct command){.text = copy, .place = where.data};
    const size_t length = strcspn(copy, " \t");
    command->arguments = copy + length + strspn(copy + length, " \t");
    return command;
}

tp_status simd_controllers_number(void *context, const char *text, const tpi_cfg_place *place,
                                  uint32_t *number, tp_error *err)
{
    simd_controllers *c = context;
    char name[64];
    tpi_buf path = {0};
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < c->command_count; i++) {
        if (strcmp(c->commands[i].text, text) == 0) {
            *number = i + 1;
            return TP_OK;
        }
    }
    if (strcspn(text, " \t") >= sizeof name) {
        return TP_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " \t"), text);
    if (strchr(name, '/') == NULL && find_file(c, &path, name)) {
        struct command *command = add_command(c, text, place);
        status = command == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                 : open_file(command, tpi_buf_text(&path), name, err);
        *number = c->command_count;
    }
    tpi_buf_fini(&path);
    return status;
}

/* ---- Robots ---------------------------------------------------------------------------------- */

tp_status simd_controllers_create(simd_controllers **out, simd *s, const char *folder,
                                  tp_error *err)
{
    simd_controllers *c = calloc(1, sizeof *c);

    if (c == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    c->s = s;
    c->folder = folder;
    *out = c;
    return TP_OK;
}

/* All that a controller can ask for is measured: whether it will is not known. */
static void subscribe(const tp_robot *robot)
{
    static const uint32_t kinds = SIMD_MODEL(POSITION) | SIMD_MODEL(RANGER) |
                                  SIMD_MODEL(FLOOR_SENSOR) | SIMD_MODEL(LIGHT_SENSOR) |
                                  SIMD_MODEL(BUMPER) | SIMD_MODEL(FIDUCIAL);
    const tpi_sim *world = robot->s->world;
    tpi_sim_info info;

    for (uint32_t i = 0; i < robot->family; i++) {
        tpi_sim_model_info(world, robot->model + i, &info);
        if ((kinds >> info.kind & 1) != 0) {
            tpi_sim_subscribe(robot->s->world, robot->model + i);
        }
    }
}

/* What a controller says has no place; the world's has. */
static tp_status init_robot(tp_robot *robot, const struct command *command, tp_error *err)
{
    tp_error own = {0};

    tpi_plugin_enter(robot->plugin);
    tp_status status = command->what->init == NULL
                           ? TP_OK
                           : command->what->init(robot, robot->state, command->arguments, &own);
    tpi_plugin_enter(NULL);
    return status == TP_OK ? TP_OK : tp_fail(err, status, "%s: %s", command->place, own.text);
}

static tp_status add_robot(simd_controllers *c, tpi_sim_model model, const struct command *command,
                           tp_error *err)
{
    tp_robot *robot = &c->robots[c->robot_count++];
    tpi_buf name = {0};
    tpi_sim_info info;

    tpi_sim_model_info(c->s->world, model, &info);
    tpi_sim_put_name(c->s->world, model, &name);
    *robot = (tp_robot){.s = c->s,
                        .what = command->what,
                        .plugin = command->plugin,
                        .state = calloc(1, command->what->state_size + 1),
                        .name = name.data,
                        .model = model,
                        .family = info.family};
    if (robot->state == NULL || name.failed) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    subscribe(robot);
    return init_robot(robot, command, err);
}

/* Room for all robots at once: a controller keeps the address of its own. */
static tp_status make_room(simd_controllers *c, tp_error *err)
{
    const uint32_t count = tpi_sim_model_count(c->s->world);
    size_t robots = 0;

    for (tpi_sim_model model = 0; model < count; model++) {
        robots += tpi_sim_control(c->s->world, model) != 0;
    }
    c->robots = calloc(robots + 1, sizeof *c->robots);
    return c->robots == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

tp_status simd_controllers_begin(simd_controllers *c, tp_error *err)
{
    const uint32_t count = tpi_sim_model_count(c->s->world);

    if (c->command_count == 0) {
        return TP_OK;
    }
    tp_status status = make_room(c, err);
    for (tpi_sim_model model = 0; model < count && status == TP_OK; model++) {
        const uint32_t number = tpi_sim_control(c->s->world, model);
        if (number != 0) {
            status = add_robot(c, model, &c->commands[number - 1], err);
        }
    }
    return status;
}

void simd_controllers_step(simd_controllers *c)
{
    for (size_t i = 0; i < c->robot_count; i++) {
        tp_robot *robot = &c->robots[i];
        tpi_plugin_enter(robot->plugin);
        robot->what->step(robot, robot->state);
        tpi_plugin_enter(NULL);
        if (robot->driven) {
            (void)tpi_sim_steer(robot->s->world, robot->model, robot->wish, NULL);
        }
    }
}

void simd_controllers_destroy(simd_controllers *c)
{
    if (c == NULL) {
        return;
    }
    for (size_t i = 0; i < c->robot_count; i++) {
        tp_robot *robot = &c->robots[i];
        if (robot->state != NULL && robot->what->fini != NULL) {
            tpi_plugin_enter(robot->plugin);
            robot->what->fini(robot->state);
            tpi_plugin_enter(NULL);
        }
        free(robot->state);
        free(robot->name);
    }
    for (uint32_t i = 0; i < c->command_count; i++) {
        tpi_plugin_close(c->commands[i].plugin);
        free(c->commands[i].text);
        free(c->commands[i].place);
    }
    free(c->commands);
    free(c->robots);
    free(c);
}

/* ---- What controllers call ------------------------------------------------------------------- */

const char *tp_robot_name(const tp_robot *robot)
{
    return robot->name;
}

double tp_robot_time_s(const tp_robot *robot)
{
    return simd_time_s(robot->s);
}

void tp_robot_get_pose(const tp_robot *robot, double pose[3], double velocity[3], bool *stalled)
{
    tpi_sim_motion motion = {0};

    (void)tpi_sim_get_motion(robot->s->world, robot->model, &motion, NULL);
    memcpy(pose, motion.estimate, sizeof motion.estimate);
    if (velocity != NULL) {
        memcpy(velocity, motion.velocity, sizeof motion.velocity);
    }
    if (stalled != NULL) {
        *stalled = motion.stalled;
    }
}

size_t tp_robot_get_ranges(const tp_robot *robot, size_t index, const double **ranges, double *fov,
                           double *range_max)
{
    const tpi_sim *world = robot->s->world;
    tpi_sim_model model = robot->model;
    tpi_sim_sensor sensor;
    tpi_sim_scan scan;

    for (; model < robot->model + robot->family; model++) {
        const uint32_t count = tpi_sim_sensor_count(world, model);
        if (index < count) {
            break;
        }
        index -= count;
    }
    if (model == robot->model + robot->family ||
        tpi_sim_get_sensor(world, model, (uint32_t)index, &sensor, NULL) != TP_OK ||
        tpi_sim_get_scan(world, model, (uint32_t)index, &scan, NULL) != TP_OK || scan.time_us < 0) {
        return 0;
    }
    *ranges = scan.ranges;
    if (fov != NULL) {
        *fov = sensor.fov;
    }
    if (range_max != NULL) {
        *range_max = sensor.range_max;
    }
    return scan.count;
}

/* How many readings a model has; 0 for one of another kind, or before the first. */
typedef uint32_t count_readings(const tpi_sim *world, tpi_sim_model model);

/* The model with reading `index` of the robot, which becomes that of the model; TPI_SIM_NONE if
 * there are fewer. */
static tpi_sim_model find_reading(const tp_robot *robot, size_t *index, count_readings *count_of)
{
    for (tpi_sim_model model = robot->model; model < robot->model + robot->family; model++) {
        const uint32_t count = count_of(robot->s->world, model);
        if (*index < count) {
            return model;
        }
        *index -= count;
    }
    return TPI_SIM_NONE;
}

static uint32_t count_floor(const tpi_sim *world, tpi_sim_model model)
{
    tpi_sim_floor_values values;
    const bool good = tpi_sim_get_floor(world, model, &values, NULL) == TP_OK;

    return good && values.time_us >= 0 ? values.count : 0;
}

bool tp_robot_get_floor(const tp_robot *robot, size_t index, tp_robot_floor *floor)
{
    const tpi_sim_model model = find_reading(robot, &index, count_floor);
    tpi_sim_floor_values values;
    tpi_sim_pose eye;

    if (model == TPI_SIM_NONE ||
        tpi_sim_get_floor(robot->s->world, model, &values, NULL) != TP_OK ||
        tpi_sim_get_floor_sensor(robot->s->world, model, (uint32_t)index, &eye, NULL) != TP_OK) {
        return false;
    }
    const tpi_sim_pose base = simd_pose_on_robot(robot->s, model);
    const tpi_sim_pose pose = simd_compose(&base, &eye);
    *floor = (tp_robot_floor){.x = pose.x,
                              .y = pose.y,
                              .reflectance = (double)values.items[index].reflectance,
                              .colour = values.items[index].colour};
    return true;
}

static uint32_t count_light(const tpi_sim *world, tpi_sim_model model)
{
    tpi_sim_brightness brightness;
    const bool good = tpi_sim_get_brightness(world, model, &brightness, NULL) == TP_OK;

    return good && brightness.time_us >= 0;
}

bool tp_robot_get_light(const tp_robot *robot, size_t index, double *level)
{
    const tpi_sim_model model = find_reading(robot, &index, count_light);
    tpi_sim_brightness brightness;

    if (model == TPI_SIM_NONE ||
        tpi_sim_get_brightness(robot->s->world, model, &brightness, NULL) != TP_OK) {
        return false;
    }
    *level = brightness.level;
    return true;
}

static uint32_t count_bumpers(const tpi_sim *world, tpi_sim_model model)
{
    tpi_sim_bumpers bumpers;
    const bool good = tpi_sim_get_bumpers(world, model, &bumpers, NULL) == TP_OK;

    return good && bumpers.time_us >= 0 ? bumpers.count : 0;
}

bool tp_robot_get_bumper(const tp_robot *robot, size_t index, bool *pressed)
{
    const tpi_sim_model model = find_reading(robot, &index, count_bumpers);
    tpi_sim_bumpers bumpers;

    if (model == TPI_SIM_NONE ||
        tpi_sim_get_bumpers(robot->s->world, model, &bumpers, NULL) != TP_OK) {
        return false;
    }
    *pressed = bumpers.pressed[index] != 0;
    return true;
}

static uint32_t count_fiducials(const tpi_sim *world, tpi_sim_model model)
{
    tpi_sim_fiducials fiducials;
    const bool good = tpi_sim_get_fiducials(world, model, &fiducials, NULL) == TP_OK;

    return good && fiducials.time_us >= 0 ? fiducials.count : 0;
}

bool tp_robot_get_fiducial(const tp_robot *robot, size_t index, tp_robot_fiducial *fiducial)
{
    const tpi_sim_model model = find_reading(robot, &index, count_fiducials);
    tpi_sim_fiducials fiducials;

    if (model == TPI_SIM_NONE ||
        tpi_sim_get_fiducials(robot->s->world, model, &fiducials, NULL) != TP_OK) {
        return false;
    }
    const tpi_sim_fiducial *seen = &fiducials.items[index];
    *fiducial = (tp_robot_fiducial){
        .id = seen->id, .range = seen->range, .bearing = seen->bearing, .heading = seen->pose.a};
    return true;
}

void tp_robot_drive(tp_robot *robot, double forward, double left, double turn)
{
    const double goal[3] = {forward, left, turn};

    memcpy(robot->wish, goal, sizeof goal);
    robot->driven = true;
    (void)tpi_sim_steer(robot->s->world, robot->model, goal, NULL);
}
