/*
 * mapper - makes a map while the robot drives.
 *
 * Odometry and readings go in; a map, and the robot's pose in it (position2d), come out.
 * navigation/survey.h has the method. A scan is used when the robot has moved by `update_thresh`,
 * with the odometry of its own time: the newest readings wait until that is known. The map is saved
 * when the driver stops, every `save_every` seconds, and when a client sets the property `save`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beams.h"
#include "drawing.h"
#include "forward.h"
#include "limits.h"
#include "navigation/mapfile.h"
#include "navigation/survey.h"
#include "tile.h"
#include "troupe/driver/map.h"
#include "troupe/driver/position2d.h"

enum { LONGEST_PATH = 4000 };

static const double late_s = 0.25; /* readings wait no longer for odometry */
static const double draw_s = 2;    /* between two drawings */

struct odometry {
    tpi_nav_pose pose;
    double time;
};

struct mapper {
    tp_device *map, *position; /* borrowed; `position` is NULL if it is not offered */
    tp_link *link;             /* borrowed: the odometry */
    tp_link *drawing;          /* borrowed: shows the map; NULL for none */
    double drawn_s;            /* when it was drawn last */
    struct beams beams;
    tpi_nav_survey survey;
    tpi_nav_survey_settings settings;
    double way, turn; /* between two scans */
    tpi_nav_pose start;
    bool placed; /* the configuration says where the robot starts */

    struct odometry now, before; /* the last two */
    unsigned known;              /* how many of them there are */
    tpi_nav_pose then;           /* the odometry of the last scan that was used */
    tp_position2d_data last;
    bool waits; /* the readings have not been looked at */

    char path[LONGEST_PATH]; /* of the files, without .yaml; "" for none */
    double save_every;       /* s; 0 for never */
    double saved_s;          /* when it was saved last */
    size_t saved_scans;      /* how many scans the saved map has */

    tpi_nav_grid told; /* owned: the map as it was when its size was asked for last */
    size_t told_scans;
    uint32_t width, height; /* that readers know */
    int8_t *tile;           /* owned: room for an answer */
};

static const tp_param mapper_params[] = {
    {"resolution", "m", "0.05", "side of a cell"},
    {"filename", NULL, "", "the map is saved as this .yaml file, with a picture beside it"},
    {"save_every", "s", "0", "save it so often; 0 saves only at the end"},
    {"range_max", "m", "8", "readings from here on are nothing seen"},
    {"update_thresh", "m rad", "0.1 0.0873", "motion between two scans that are used"},
    {"init_pose", "m m rad", "", "where the robot is at first; the odometry tells if not given"},
    {"match_reach", "m rad", "0.15 0.1", "how wrong the odometry can be between two such scans"},
    {"match_beams", "1", "90", "so many readings of a scan are compared with the map"},
    {"most_cells", "1", "16000000", "the map does not grow beyond this"},
    {NULL, NULL, NULL, NULL},
};

static struct mapper *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Files ----------------------------------------------------------------------------------- */

static tp_status save(struct mapper *m, double time, tp_error *err)
{
    if (m->path[0] == '\0') {
        return tp_fail(err, TP_E_UNSUPPORTED, "the configuration gives mapper no `filename`");
    }
    if (m->survey.grid.cells == NULL) {
        return tp_fail(err, TP_E_DEVICE, "there is no map yet: no scan has come");
    }
    const tp_status status = tpi_nav_mapfile_save(&m->survey.grid, m->path, err);
    m->saved_s = time;
    m->saved_scans = status == TP_OK ? m->survey.scans : m->saved_scans;
    return status;
}

static tp_status save_now(tp_device *device, const char *key, const char *text, double number,
                          tp_error *err)
{
    struct mapper *m = state_of(device);

    (void)key;
    (void)text;
    return number != 0 ? save(m, m->now.time, err) : TP_OK;
}

static const tp_property_plan save_plan = {.key = "save",
                                           .type = TP_PROPERTY_INT,
                                           .writable = true,
                                           .unit = "",
                                           .doc = "set to 1: the map is saved now",
                                           .value = "0",
                                           .set = save_now};

/* What cannot be saved is told once. */
static void save_in_time(tp_instance *self, struct mapper *m, double time)
{
    tp_error err = {0};

    if (m->save_every > 0 && m->path[0] != '\0' && m->survey.scans != m->saved_scans &&
        time - m->saved_s >= m->save_every && save(m, time, &err) != TP_OK) {
        tp_instance_note(self, err.text);
    }
}

/* ---- Odometry -------------------------------------------------------------------------------- */

/* Where the odometry was when the readings were made. False if that is not known yet. */
static bool odometry_of(const struct mapper *m, double time, tpi_nav_pose *out)
{
    if (m->known == 0 || (m->now.time < time && time - m->now.time < late_s)) {
        return false;
    }
    const double span = m->now.time - m->before.time;
    if (m->known < 2 || !(span > 0) || time >= m->now.time) {
        *out = m->now.pose;
        return true;
    }
    const double share = fmax((time - m->before.time) / span, 0);
    const tpi_nav_pose by = tpi_nav_between(&m->before.pose, &m->now.pose);
    const tpi_nav_pose part = {by.x * share, by.y * share, by.a * share};
    *out = tpi_nav_after(&m->before.pose, &part);
    return true;
}

static void tell_pose(const struct mapper *m, double time)
{
    if (m->position == NULL || m->survey.scans == 0) {
        return;
    }
    const tpi_nav_pose by = tpi_nav_between(&m->then, &m->now.pose);
    const tpi_nav_pose pose = tpi_nav_after(&m->survey.pose, &by);
    tp_position2d_data data = m->last;
    data.pos = (tp_pose2d){.px = pose.x, .py = pose.y, .pa = pose.a};
    tp_position2d_publish_state(m->position, &data, time);
}

static void take_odometry(struct mapper *m, const tp_msg *msg)
{
    const tp_position2d_data *data = tp_msg_payload(msg);

    if (tp_msg_header(msg)->subtype != TP_POSITION2D_DATA_STATE || data == NULL ||
        !isfinite(data->pos.px + data->pos.py + data->pos.pa)) {
        return;
    }
    m->before = m->now;
    m->now = (struct odometry){{data->pos.px, data->pos.py, data->pos.pa},
                               tp_msg_header(msg)->timestamp};
    m->known = m->known < 2 ? m->known + 1 : 2;
    m->last = *data;
}

/* ---- The map --------------------------------------------------------------------------------- */

static tp_map_info info_of(const tpi_nav_grid *grid)
{
    return (tp_map_info){.scale = (float)grid->scale,
                         .width = grid->width,
                         .height = grid->height,
                         .origin = {.px = grid->x, .py = grid->y}};
}

/* Readers hear when the map has another size. */
static void tell_size(struct mapper *m, double time)
{
    const tp_map_info info = info_of(&m->survey.grid);

    if (info.width != m->width || info.height != m->height) {
        m->width = info.width;
        m->height = info.height;
        tp_map_publish_info(m->map, &info, time);
    }
}

static void draw_in_time(struct mapper *m, double time)
{
    if (m->drawing != NULL && !(time - m->drawn_s >= 0 && time - m->drawn_s < draw_s)) {
        m->drawn_s = time;
        tpi_drawing_map(m->drawing, &m->survey.grid);
    }
}

static void use_scan(tp_instance *self, struct mapper *m, const tpi_nav_pose *odometry)
{
    const bool first = m->survey.scans == 0;
    const tpi_nav_pose by = first ? (tpi_nav_pose){0} : tpi_nav_between(&m->then, odometry);
    const bool was_full = m->survey.full;
    tp_error err = {0};

    if (!first && hypot(by.x, by.y) < m->way && fabs(by.a) < m->turn) {
        return;
    }
    if (first) {
        m->survey.pose = m->placed ? m->start : *odometry;
    }
    if (tpi_nav_survey_take(&m->survey, &by, m->beams.beams, m->beams.count, &err) != TP_OK) {
        tp_instance_note(self, err.text);
        return;
    }
    m->then = *odometry;
    if (m->survey.full && !was_full) {
        tp_instance_note(self, "the map is full: more is left out; `most_cells` is its limit");
    }
    tell_size(m, m->beams.time);
    save_in_time(self, m, m->beams.time);
    draw_in_time(m, m->beams.time);
}

static void mapper_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct mapper *m = tp_instance_state(self);
    tpi_nav_pose odometry;

    if (from == m->link) {
        take_odometry(m, msg);
    } else if (from == m->beams.link && tpi_beams_take(&m->beams, msg)) {
        m->waits = true;
    }
    if (m->waits && odometry_of(m, m->beams.time, &odometry)) {
        m->waits = false;
        use_scan(self, m, &odometry);
    }
    if (from == m->link) {
        tell_pose(m, m->now.time);
    }
}

/* Tiles come from the map of the last GET_INFO, so that they belong together. */
static tp_status get_info(tp_device *device, tp_map_info *answer, tp_error *err)
{
    struct mapper *m = state_of(device);
    const tpi_nav_grid *grid = &m->survey.grid;

    if (grid->cells != NULL && m->told_scans != m->survey.scans) {
        tpi_nav_grid copy;
        const tp_status status =
            tpi_nav_grid_init(&copy, grid->width, grid->height, grid->scale, err);
        if (status != TP_OK) {
            return status;
        }
        copy.x = grid->x;
        copy.y = grid->y;
        memcpy(copy.cells, grid->cells, (size_t)grid->width * grid->height);
        tpi_nav_grid_fini(&m->told);
        m->told = copy;
        m->told_scans = m->survey.scans;
    }
    *answer = info_of(&m->told);
    answer->scale = (float)m->settings.scale;
    return TP_OK;
}

static tp_status get_data(tp_device *device, const tp_map_data *ask, tp_map_data *answer,
                          tp_error *err)
{
    struct mapper *m = state_of(device);

    return tpi_tile_copy(m->told.cells, m->told.width, m->told.height, ask, &m->tile, answer, err);
}

static const tp_map_ops map_ops = {.req_get_info = get_info, .req_get_data = get_data};

static tp_status position_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)answer;
    return tpi_forward_ask(device, state_of(device)->link, TP_POSITION2D_REQ_GET_GEOM, NULL,
                           FORWARD_TIMEOUT_NS, tpi_forward_answer, err);
}

static tp_status position_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_DENIED, "mapper moves nothing: command the robot's own position2d");
}

static const tp_position2d_ops position_ops = {.req_get_geom = position_geom,
                                               .cmd_vel = position_vel};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_path(tp_instance *self, struct mapper *m, tp_error *err)
{
    const char *name = tp_param_string(self, "filename");
    const char *ending = strrchr(name, '.');

    if (name[0] == '\0') {
        return TP_OK;
    }
    if (!tpi_nav_mapyaml_is(name) || ending == name || ending[-1] == '/') {
        return tp_fail(err, TP_E_INVALID,
                       "filename \"%s\" is not a .yaml file; its picture gets the same name", name);
    }
    const int length =
        snprintf(m->path, sizeof m->path, "%s%.*s", name[0] == '/' ? "" : tp_instance_folder(self),
                 (int)(ending - name), name);
    return length < (int)sizeof m->path
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "the path of the map is too long");
}

static tp_status read_settings(tp_instance *self, struct mapper *m, tp_error *err)
{
    double two[2] = {0};
    double three[3] = {0};
    double beams = 0;
    double cells = 0;
    tp_status status = tpi_limits_read(self, "resolution", 1, 0.005, 10, &m->settings.scale, err);

    status = status == TP_OK
                 ? tpi_limits_read(self, "range_max", 1, 0.1, 100, &m->settings.longest, err)
                 : status;
    status = status == TP_OK ? tpi_limits_read(self, "update_thresh", 2, 0, 10, two, err) : status;
    m->way = two[0];
    m->turn = two[1];
    status = status == TP_OK ? tpi_limits_read(self, "match_reach", 2, 0.001, 3, two, err) : status;
    m->settings.reach = two[0];
    m->settings.twist = two[1];
    status =
        status == TP_OK ? tpi_limits_read(self, "match_beams", 1, 12, 512, &beams, err) : status;
    status =
        status == TP_OK ? tpi_limits_read(self, "most_cells", 1, 1e4, 1e8, &cells, err) : status;
    status = status == TP_OK ? tpi_limits_read(self, "save_every", 1, 0, 1e6, &m->save_every, err)
                             : status;
    m->placed = tp_param_given(self, "init_pose");
    if (status == TP_OK && m->placed) {
        status = tpi_limits_read(self, "init_pose", 3, -1e6, 1e6, three, err);
    }
    m->settings.few_beams = (size_t)beams;
    m->settings.most = (size_t)cells;
    m->start = (tpi_nav_pose){three[0], three[1], tpi_nav_angle(three[2])};
    m->beams.longest = m->settings.longest;
    if (status != TP_OK) {
        return status;
    }
    status = read_path(self, m, err);
    if (status != TP_OK) {
        tp_param_blame(self, "filename");
    }
    return status;
}

static tp_status mapper_init(tp_instance *self, tp_error *err)
{
    struct mapper *m = tp_instance_state(self);
    tp_status status = read_settings(self, m, err);

    tpi_nav_survey_init(&m->survey, &m->settings, &m->start);
    status =
        status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &m->link, err) : status;
    status = status == TP_OK ? tpi_beams_require(self, &m->beams, err) : status;
    status = status == TP_OK ? tpi_drawing_require(self, &m->drawing, err) : status;
    status = status == TP_OK ? tp_offer_map(self, NULL, &map_ops, &m->map, err) : status;
    status = status == TP_OK ? tp_device_add_property(m->map, &save_plan, err) : status;
    if (status == TP_OK && tp_provides(self, &tp_interface_position2d, NULL)) {
        status = tp_offer_position2d(self, NULL, &position_ops, &m->position, err);
    }
    return status;
}

/* A new map begins with every start. */
static tp_status mapper_start(tp_instance *self, tp_error *err)
{
    struct mapper *m = tp_instance_state(self);

    tpi_nav_survey_fini(&m->survey);
    tpi_nav_survey_init(&m->survey, &m->settings, &m->start);
    tpi_nav_grid_fini(&m->told);
    m->told = (tpi_nav_grid){0};
    m->drawn_s = -HUGE_VAL;
    m->told_scans = m->saved_scans = 0;
    m->width = m->height = 0;
    m->known = 0;
    m->waits = false;
    return tpi_beams_start(&m->beams, err);
}

static void mapper_halt(tp_device *device, tp_halt how)
{
    (void)device; /* it moves nothing */
    (void)how;
}

static void mapper_stop(tp_instance *self)
{
    struct mapper *m = tp_instance_state(self);
    tp_error err = {0};

    if (m->path[0] != '\0' && m->survey.scans != m->saved_scans &&
        save(m, m->now.time, &err) != TP_OK) {
        tp_instance_note(self, err.text);
    }
}

static void mapper_fini(tp_instance *self)
{
    struct mapper *m = tp_instance_state(self);

    tpi_nav_survey_fini(&m->survey);
    tpi_nav_grid_fini(&m->told);
    tpi_beams_fini(&m->beams);
    free(m->tile);
}

static const tp_driver_ops mapper_ops = {
    .init = mapper_init,
    .start = mapper_start,
    .data = mapper_data,
    .halt = mapper_halt,
    .stop = mapper_stop,
    .fini = mapper_fini,
};

TP_API const tp_driver tp_driver_mapper = {
    .abi = TP_DRIVER_ABI,
    .name = "mapper",
    .summary = "makes a map while the robot drives",
    .state_size = sizeof(struct mapper),
    .params = mapper_params,
    .ops = &mapper_ops,
};
