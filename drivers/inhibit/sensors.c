/*
 * sensors.c - what is around the robot, as its sensors see it.
 *
 * Every data message becomes a list of points in the robot's frame and takes the place of the one
 * before. Sensors are asked at the start where they sit; as long as that is not known, what they
 * see cannot be used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "forward.h"
#include "inhibit.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/sonar.h"

enum { CONE_RAYS = 5 };

static const int64_t never_ns = INT64_MIN / 2;
static const char *const unplaced = "does not say where it sits";

/* What there is to know about an interface. */
struct sensor_kind {
    const tp_interface *interface;
    unsigned geom_request;
    unsigned geom_data; /* 0 if there is none */
    bool (*place)(struct sensor *sensor, const void *geom);
    /* Data into points; false if there is no memory. */
    bool (*take)(struct inhibit *h, struct sensor *sensor, unsigned code, const void *payload);
};

/* ---- Places ---------------------------------------------------------------------------------- */

static mount mount_at(const tp_pose3d *pose)
{
    return (mount){pose->px, pose->py, pose->pyaw, cos(pose->proll) < 0};
}

/* A place that is given in the frame of another one. */
static mount mount_on(const mount *base, const tp_pose3d *pose)
{
    const double side = base->flipped ? -1 : 1;
    const mount on = mount_at(pose);

    return (mount){base->x + cos(base->yaw) * on.x - sin(base->yaw) * side * on.y,
                   base->y + sin(base->yaw) * on.x + cos(base->yaw) * side * on.y,
                   base->yaw + side * on.yaw, base->flipped != on.flipped};
}

static bool add_mount(struct sensor *sensor, const mount *at)
{
    if (!isfinite(at->x + at->y + at->yaw)) {
        return false;
    }
    if (sensor->mount_count == sensor->mount_capacity) {
        const uint32_t capacity = sensor->mount_capacity * 2 + 16;
        mount *mounts = realloc(sensor->mounts, capacity * sizeof *mounts);
        if (mounts == NULL) {
            return false;
        }
        sensor->mounts = mounts;
        sensor->mount_capacity = capacity;
    }
    sensor->mounts[sensor->mount_count++] = *at;
    return true;
}

static bool place_all(struct sensor *sensor, const tp_pose3d *poses, uint32_t count)
{
    bool good = true;

    sensor->mount_count = 0;
    for (uint32_t i = 0; i < count && good; i++) {
        const mount at = mount_on(&sensor->base, &poses[i]);
        good = add_mount(sensor, &at);
    }
    return good && count > 0;
}

static bool place_laser(struct sensor *sensor, const void *geom)
{
    const tp_pose3d here = {0};

    if (!sensor->by_hand) {
        sensor->base = mount_at(&((const tp_laser_geom *)geom)->pose);
    }
    return place_all(sensor, &here, 1);
}

/* Rangers with one element scan, and many do not tell it. */
static bool place_ranger(struct sensor *sensor, const void *payload)
{
    const tp_ranger_geom *geom = payload;
    const tp_pose3d here = {0};

    if (!sensor->by_hand) {
        sensor->base = mount_at(&geom->pose);
    }
    return geom->element_poses_count > 0
               ? place_all(sensor, geom->element_poses, geom->element_poses_count)
               : place_all(sensor, &here, 1);
}

static bool place_sonar(struct sensor *sensor, const void *geom)
{
    const tp_sonar_geom *sonar = geom;

    return place_all(sensor, sonar->poses, sonar->poses_count);
}

static bool place_ir(struct sensor *sensor, const void *geom)
{
    const tp_ir_pose *ir = geom;

    return place_all(sensor, ir->poses, ir->poses_count);
}

static bool place_bumper(struct sensor *sensor, const void *payload)
{
    const tp_bumper_geom *geom = payload;
    bool good = true;

    sensor->mount_count = 0;
    for (uint32_t i = 0; i < geom->bumper_def_count && good; i++) {
        const mount at = mount_at(&geom->bumper_def[i].pose);
        good = add_mount(sensor, &at);
    }
    return good && geom->bumper_def_count > 0;
}

/* ---- Points ---------------------------------------------------------------------------------- */

static bool make_room(struct sensor *sensor, uint32_t count)
{
    if (count <= sensor->point_capacity) {
        return true;
    }
    way_point *points = realloc(sensor->points, count * sizeof *points);
    if (points != NULL) {
        sensor->points = points;
        sensor->point_capacity = count;
    }
    return points != NULL;
}

/* Something at a distance and angle, unless it is too far away to matter. */
static void see(const struct inhibit *h, struct sensor *sensor, const mount *from, double range,
                double angle)
{
    const double direction = from->yaw + (from->flipped ? -angle : angle);
    const way_point p = {from->x + range * cos(direction), from->y + range * sin(direction)};

    if (hypot(p.x, p.y) <= tpi_inhibit_way_circle(&h->outline) + h->slow_m) {
        sensor->points[sensor->point_count++] = p;
    }
}

/* A range of 0 or less is no reading, one of the greatest range or more is nothing seen. */
static bool is_something(const struct inhibit *h, double range, double most)
{
    return range > 0 && range >= h->nearest_m && isfinite(range) && !(most > 0 && range >= most);
}

/* One reading of an element that sees whatever is in its cone. */
static void see_cone(const struct inhibit *h, struct sensor *sensor, uint32_t element, double range,
                     double most)
{
    for (int i = 0; i < CONE_RAYS && is_something(h, range, most); i++) {
        const double angle = h->cone * ((double)i / (CONE_RAYS - 1) - 0.5);
        see(h, sensor, &sensor->mounts[element], range, angle);
    }
}

static bool take_scan(const struct inhibit *h, struct sensor *sensor, const tp_laser_data *scan)
{
    if (!make_room(sensor, scan->ranges_count)) {
        return false;
    }
    for (uint32_t i = 0; i < scan->ranges_count; i++) {
        const double range = (double)scan->ranges[i];
        if (is_something(h, range, (double)scan->max_range)) {
            see(h, sensor, sensor->mounts, range,
                (double)scan->min_angle + (double)scan->resolution * i);
        }
    }
    return true;
}

static bool take_angles(const struct inhibit *h, struct sensor *sensor,
                        const tp_laser_data_scanangle *scan)
{
    if (!make_room(sensor, scan->ranges_count)) {
        return false;
    }
    for (uint32_t i = 0; i < scan->ranges_count && i < scan->angles_count; i++) {
        const double range = (double)scan->ranges[i];
        if (is_something(h, range, (double)scan->max_range)) {
            see(h, sensor, sensor->mounts, range, (double)scan->angles[i]);
        }
    }
    return true;
}

static bool take_laser(struct inhibit *h, struct sensor *sensor, unsigned code, const void *payload)
{
    switch (code) {
    case TP_LASER_DATA_SCANPOSE:
        return take_scan(h, sensor, &((const tp_laser_data_scanpose *)payload)->scan);
    case TP_LASER_DATA_SCANANGLE:
        return take_angles(h, sensor, payload);
    default:
        return take_scan(h, sensor, payload);
    }
}

static bool take_elements(const struct inhibit *h, struct sensor *sensor, const double *wide,
                          const float *narrow, uint32_t count)
{
    if (count > sensor->mount_count) {
        sensor->trouble = "has more readings than places";
        return true;
    }
    if (!make_room(sensor, count * CONE_RAYS)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        see_cone(h, sensor, i, wide != NULL ? wide[i] : (double)narrow[i],
                 sensor->config.max_range);
    }
    return true;
}

static bool take_ranges(const struct inhibit *h, struct sensor *sensor,
                        const tp_ranger_data_range *data)
{
    const tp_ranger_config *config = &sensor->config;

    if (sensor->mount_count > 1 || data->ranges_count <= 1) {
        return take_elements(h, sensor, data->ranges, NULL, data->ranges_count);
    }
    if (!(config->angular_res > 0)) {
        sensor->trouble = "does not say at which angles it measures";
        return true;
    }
    if (!make_room(sensor, data->ranges_count)) {
        return false;
    }
    for (uint32_t i = 0; i < data->ranges_count; i++) {
        if (is_something(h, data->ranges[i], config->max_range)) {
            see(h, sensor, sensor->mounts, data->ranges[i],
                config->min_angle + config->angular_res * i);
        }
    }
    return true;
}

static bool take_ranger(struct inhibit *h, struct sensor *sensor, unsigned code,
                        const void *payload)
{
    const tp_ranger_data_rangestamped *stamped = payload;

    if (code == TP_RANGER_DATA_RANGE) {
        return take_ranges(h, sensor, payload);
    }
    if (stamped->have_config != 0) {
        sensor->config = stamped->config;
    }
    return take_ranges(h, sensor, &stamped->data);
}

static bool take_sonar(struct inhibit *h, struct sensor *sensor, unsigned code, const void *payload)
{
    const tp_sonar_data *data = payload;

    (void)code;
    return take_elements(h, sensor, NULL, data->ranges, data->ranges_count);
}

static bool take_ir(struct inhibit *h, struct sensor *sensor, unsigned code, const void *payload)
{
    const tp_ir_data *data = payload;

    (void)code;
    return take_elements(h, sensor, NULL, data->ranges, data->ranges_count);
}

/* A bumper that is pressed feels something where it sits. */
static bool take_bumper(struct inhibit *h, struct sensor *sensor, unsigned code,
                        const void *payload)
{
    const tp_bumper_data *data = payload;

    (void)code;
    if (data->bumpers_count > sensor->mount_count) {
        sensor->trouble = "has more readings than places";
        return true;
    }
    if (!make_room(sensor, data->bumpers_count)) {
        return false;
    }
    for (uint32_t i = 0; i < data->bumpers_count; i++) {
        if (data->bumpers[i] != 0) {
            see(h, sensor, &sensor->mounts[i], 0, 0);
        }
    }
    return true;
}

static const struct sensor_kind kinds[] = {
    {&tp_interface_laser, TP_LASER_REQ_GET_GEOM, 0, place_laser, take_laser},
    {&tp_interface_ranger, TP_RANGER_REQ_GET_GEOM, TP_RANGER_DATA_GEOM, place_ranger, take_ranger},
    {&tp_interface_sonar, TP_SONAR_REQ_GET_GEOM, TP_SONAR_DATA_GEOM, place_sonar, take_sonar},
    {&tp_interface_ir, TP_IR_REQ_POSE, 0, place_ir, take_ir},
    {&tp_interface_bumper, TP_BUMPER_REQ_GET_GEOM, TP_BUMPER_DATA_GEOM, place_bumper, take_bumper},
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* Whether the data has what is in the way. Intensities and the like have not. */
static bool has_points(const struct sensor *sensor, unsigned code)
{
    const tp_interface *interface = sensor->kind->interface;

    return code != 0 && code != sensor->kind->geom_data &&
           tp_interface_message(interface, TP_KIND_DATA, code) != NULL &&
           !(interface == &tp_interface_ranger &&
             (code == TP_RANGER_DATA_INTNS || code == TP_RANGER_DATA_INTNSSTAMPED));
}

static void place(struct sensor *sensor, const void *geom)
{
    sensor->mount_count =
        geom != NULL && sensor->kind->place(sensor, geom) ? sensor->mount_count : 0;
    sensor->trouble = sensor->mount_count == 0 ? unplaced : sensor->trouble;
}

void tpi_inhibit_sensor_take(struct inhibit *h, struct sensor *sensor, const tp_msg *msg,
                             int64_t now_ns)
{
    const unsigned code = tp_msg_header(msg)->subtype;
    const void *payload = tp_msg_payload(msg);

    if (tpi_forward_is_failure(msg)) {
        sensor->heard_ns = never_ns;
    } else if (code == sensor->kind->geom_data && payload != NULL) {
        place(sensor, payload);
    } else if (has_points(sensor, code) && payload != NULL) {
        sensor->point_count = 0;
        sensor->trouble = sensor->mount_count == 0 ? unplaced : NULL;
        if (sensor->trouble == NULL && !sensor->kind->take(h, sensor, code, payload)) {
            sensor->trouble = "sends more than there is memory for";
        }
        sensor->heard_ns = now_ns;
    }
}

/* ---- Questions at the start ------------------------------------------------------------------ */

static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct sensor *sensor = context;

    (void)self;
    (void)why;
    if (status == TP_OK) {
        place(sensor, tp_msg_payload(answer));
    } else if (sensor->by_hand) { /* where its elements are nobody knows: there is one */
        const tp_ranger_geom none = {0};
        place(sensor, &none);
    }
}

static void got_config(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                       const char *why)
{
    struct sensor *sensor = context;
    const tp_ranger_config *config = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)self;
    (void)why;
    if (config != NULL) {
        sensor->config = *config;
    }
}

tp_status tpi_inhibit_sensors_start(struct inhibit *h, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < h->sensor_count && status == TP_OK; i++) {
        struct sensor *sensor = &h->sensors[i];
        sensor->heard_ns = never_ns;
        sensor->point_count = 0;
        status = tp_link_request(sensor->link, sensor->kind->geom_request, NULL, FORWARD_TIMEOUT_NS,
                                 got_geom, sensor);
        if (status == TP_OK && sensor->kind->interface == &tp_interface_ranger) {
            status = tp_link_request(sensor->link, TP_RANGER_REQ_GET_CONFIG, NULL,
                                     FORWARD_TIMEOUT_NS, got_config, sensor);
        }
    }
    return status == TP_OK ? TP_OK : tp_fail(err, status, "a sensor cannot be asked");
}

/* ---- Life ------------------------------------------------------------------------------------ */

static const struct sensor_kind *kind_of(const tp_interface *interface)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].interface == interface) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* `poses` has those of lasers and rangers, in their order. */
static void read_pose(const tp_instance *self, struct sensor *sensor, size_t *next)
{
    const bool scans = sensor->kind->interface == &tp_interface_laser ||
                       sensor->kind->interface == &tp_interface_ranger;

    if (!scans || *next + 3 > tp_param_count(self, "poses")) {
        return;
    }
    sensor->by_hand = true;
    sensor->base = (mount){tp_param_double_at(self, "poses", *next),
                           tp_param_double_at(self, "poses", *next + 1),
                           tp_param_double_at(self, "poses", *next + 2), false};
    *next += 3;
}

static tp_status add_sensor(tp_instance *self, struct inhibit *h, size_t entry, size_t *next_pose,
                            tp_error *err)
{
    const tp_interface *interface = tp_requires_interface(self, entry);
    const char *key = tp_requires_key(self, entry);
    struct sensor *sensor = &h->sensors[h->sensor_count];

    if (kind_of(interface) == NULL) {
        return tp_fail(
            err, TP_E_UNSUPPORTED,
            "a %s does not see what is in the way: laser, ranger, sonar, ir and bumper do",
            interface->name);
    }
    if (h->sensor_count == INHIBIT_MOST_SENSORS) {
        return tp_fail(err, TP_E_LIMIT, "more than %d sensors", INHIBIT_MOST_SENSORS);
    }
    sensor->kind = kind_of(interface);
    sensor->trouble = unplaced;
    snprintf(sensor->name, sizeof sensor->name, "%s", key[0] == '\0' ? interface->name : key);
    read_pose(self, sensor, next_pose);
    h->sensor_count++;
    return tp_require(self, interface, NULL, &sensor->link, err);
}

tp_status tpi_inhibit_sensors_require(tp_instance *self, struct inhibit *h, tp_error *err)
{
    const size_t poses = tp_param_count(self, "poses");
    size_t next_pose = 0;
    tp_status status = TP_OK;

    for (size_t i = 0; i < tp_requires_count(self) && status == TP_OK; i++) {
        if (tp_requires_interface(self, i) != &tp_interface_position2d) {
            status = add_sensor(self, h, i, &next_pose, err);
        }
    }
    if (status == TP_OK && h->sensor_count == 0) {
        return tp_fail(err, TP_E_INVALID, "`requires` has no sensor");
    }
    if (status == TP_OK && next_pose != poses) {
        return tp_fail(err, TP_E_INVALID,
                       "poses has %zu values: every laser and ranger has three, in their order",
                       poses);
    }
    return status;
}

void tpi_inhibit_sensors_fini(struct inhibit *h)
{
    for (size_t i = 0; i < h->sensor_count; i++) {
        free(h->sensors[i].mounts);
        free(h->sensors[i].points);
    }
}
