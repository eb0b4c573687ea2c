/* beams.c - readings as beams on the robot; see beams.h. */
#include "beams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forward.h"
#include "ranging.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/sonar.h"

static const double cone = 0.3; /* rad: opening of a sonar */

/* ---- Places ---------------------------------------------------------------------------------- */

static struct beams_mount mount_at(const tp_pose3d *pose)
{
    return (struct beams_mount){pose->px, pose->py, pose->pyaw, cos(pose->proll) < 0};
}

static struct beams_mount mount_on(const struct beams_mount *base, const tp_pose3d *pose)
{
    const double side = base->flipped ? -1 : 1;
    const struct beams_mount on = mount_at(pose);

    return (struct beams_mount){base->x + cos(base->yaw) * on.x - sin(base->yaw) * side * on.y,
                                base->y + sin(base->yaw) * on.x + cos(base->yaw) * side * on.y,
                                base->yaw + side * on.yaw, base->flipped != on.flipped};
}

/* The elements, or the device itself if it does not tell of any. */
static void place(struct beams *b, const tp_pose3d *device, const tp_pose3d *elements,
                  uint32_t count)
{
    const tp_pose3d here = {0};

    if (device != NULL && !b->given) {
        b->base = mount_at(device);
    }
    b->mount_count = 0;
    for (uint32_t i = 0; i < count && i < BEAMS_MOST_ELEMENTS; i++) {
        b->mounts[b->mount_count++] = mount_on(&b->base, &elements[i]);
    }
    if (count == 0) {
        b->mounts[b->mount_count++] = mount_on(&b->base, &here);
    }
    b->placed = true;
    for (uint32_t i = 0; i < b->mount_count; i++) {
        b->placed = b->placed && isfinite(b->mounts[i].x + b->mounts[i].y + b->mounts[i].yaw);
    }
}

static void learn(struct beams *b, const void *payload)
{
    const unsigned code = tp_link_interface(b->link)->code;

    if (code == TP_LASER_CODE) {
        place(b, &((const tp_laser_geom *)payload)->pose, NULL, 0);
    } else if (code == TP_RANGER_CODE) {
        const tp_ranger_geom *geom = payload;
        place(b, &geom->pose, geom->element_poses, geom->element_poses_count);
    } else {
        const tp_sonar_geom *geom = payload;
        place(b, NULL, geom->poses, geom->poses_count);
    }
}

static void got_geom(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct beams *b = context;
    const void *payload = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)self;
    (void)why;
    if (payload != NULL) {
        learn(b, payload);
    } else if (tp_link_interface(b->link)->code != TP_SONAR_CODE) {
        const tp_pose3d here = {0};
        place(b, &here, NULL, 0); /* many old lasers do not tell: on the robot's centre */
    }
}

static void got_config(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                       const char *why)
{
    struct beams *b = context;

    (void)self;
    (void)why;
    if (status == TP_OK && tp_msg_payload(answer) != NULL) {
        b->config = *(const tp_ranger_config *)tp_msg_payload(answer);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_beams_require(tp_instance *self, struct beams *beams, tp_error *err)
{
    const tp_interface *const kinds[] = {&tp_interface_laser, &tp_interface_ranger,
                                         &tp_interface_sonar};
    tp_status status = TP_E_UNKNOWN;

    for (size_t i = 0; i < 3 && status == TP_E_UNKNOWN; i++) {
        status = tp_require(self, kinds[i], NULL, &beams->link, NULL);
    }
    return status == TP_OK
               ? TP_OK
               : tp_fail(err, status, "%s",
                         status == TP_E_UNKNOWN ? "`requires` has no laser, ranger or sonar"
                                                : tp_status_text(status));
}

void tpi_beams_place(struct beams *beams, double x, double y, double yaw)
{
    beams->given = true;
    beams->base = (struct beams_mount){x, y, yaw, false};
}

tp_status tpi_beams_start(struct beams *beams, tp_error *err)
{
    const unsigned code = tp_link_interface(beams->link)->code;
    const unsigned geom = code == TP_LASER_CODE    ? TP_LASER_REQ_GET_GEOM
                          : code == TP_RANGER_CODE ? TP_RANGER_REQ_GET_GEOM
                                                   : TP_SONAR_REQ_GET_GEOM;

    beams->placed = false;
    beams->count = 0;
    tp_status status =
        tp_link_request(beams->link, geom, NULL, FORWARD_TIMEOUT_NS, got_geom, beams);
    if (status == TP_OK && code == TP_RANGER_CODE) {
        status = tp_link_request(beams->link, TP_RANGER_REQ_GET_CONFIG, NULL, FORWARD_TIMEOUT_NS,
                                 got_config, beams);
    }
    return status == TP_OK ? TP_OK : tp_fail(err, status, "the sensor cannot be asked");
}

void tpi_beams_fini(struct beams *beams)
{
    free(beams->beams);
    beams->beams = NULL;
}

/* ---- Readings -------------------------------------------------------------------------------- */

static bool make_room(struct beams *b, size_t count)
{
    b->count = 0;
    if (count <= b->capacity) {
        return true;
    }
    tpi_nav_beam *beams = realloc(b->beams, count * sizeof *beams);
    if (beams != NULL) {
        memset(beams + b->capacity, 0, (count - b->capacity) * sizeof *beams);
        b->beams = beams;
        b->capacity = count;
    }
    return beams != NULL;
}

/* A range of 0 or less is no reading, one of the greatest range or more is nothing seen. */
static void add(struct beams *b, const struct beams_mount *from, double angle, double range,
                double most)
{
    const double longest = b->longest > 0 && (b->longest < most || !(most > 0)) ? b->longest : most;
    const bool far = (longest > 0 && range >= longest) || range == (double)INFINITY;

    if (!(range > 0) || (far && !(longest > 0))) {
        return;
    }
    tpi_nav_beam *beam = &b->beams[b->count++];
    const double towards = from->yaw + (from->flipped ? -angle : angle);
    if (beam->angle == towards && beam->dx * beam->dx + beam->dy * beam->dy > 0) {
        /* As in the scan before, so its direction is known. */
        *beam = (tpi_nav_beam){from->x, from->y, towards, beam->dx, beam->dy, far ? longest : range,
                               !far};
        return;
    }
    *beam = tpi_nav_beam_make(from->x, from->y, towards, far ? longest : range, !far);
}

static bool take_scan(struct beams *b, const tp_laser_data *scan)
{
    if (!make_room(b, scan->ranges_count)) {
        return false;
    }
    for (uint32_t i = 0; i < scan->ranges_count; i++) {
        add(b, b->mounts, (double)scan->min_angle + (double)scan->resolution * i,
            (double)scan->ranges[i], (double)scan->max_range);
    }
    return true;
}

static bool take_angles(struct beams *b, const tp_laser_data_scanangle *scan)
{
    if (!make_room(b, scan->ranges_count)) {
        return false;
    }
    for (uint32_t i = 0; i < scan->ranges_count && i < scan->angles_count; i++) {
        add(b, b->mounts, (double)scan->angles[i], (double)scan->ranges[i],
            (double)scan->max_range);
    }
    return true;
}

static bool take_laser(struct beams *b, unsigned code, const void *payload)
{
    switch (code) {
    case TP_LASER_DATA_SCAN:
        return take_scan(b, payload);
    case TP_LASER_DATA_SCANPOSE:
        return take_scan(b, &((const tp_laser_data_scanpose *)payload)->scan);
    case TP_LASER_DATA_SCANANGLE:
        return take_angles(b, payload);
    default:
        return false;
    }
}

/* Whatever is in the cone of an element is as far as it says. */
static void add_cone(struct beams *b, uint32_t element, double range, double most)
{
    for (int i = 0; i < BEAMS_OF_CONE && !b->ignored[element]; i++) {
        add(b, &b->mounts[element], cone * ((double)i / (BEAMS_OF_CONE - 1) - 0.5), range, most);
    }
}

static bool take_ranges(struct beams *b, const tp_ranger_data_range *data)
{
    const bool scans = b->mount_count == 1 && data->ranges_count > 1;

    if (!make_room(b, (size_t)data->ranges_count * BEAMS_OF_CONE) ||
        (scans && !(b->config.angular_res > 0))) {
        return false;
    }
    for (uint32_t i = 0; i < data->ranges_count && (scans || i < b->mount_count); i++) {
        if (scans) {
            add(b, b->mounts, b->config.min_angle + b->config.angular_res * i, data->ranges[i],
                b->config.max_range);
        } else {
            add_cone(b, i, data->ranges[i], b->config.max_range);
        }
    }
    return true;
}

static bool take_ranger(struct beams *b, unsigned code, const void *payload)
{
    const tp_ranger_data_rangestamped *stamped = payload;

    if (code == TP_RANGER_DATA_RANGE) {
        return take_ranges(b, payload);
    }
    if (code != TP_RANGER_DATA_RANGESTAMPED) {
        return false;
    }
    if (stamped->have_config != 0) {
        b->config = stamped->config;
    }
    return take_ranges(b, &stamped->data);
}

static bool take_sonar(struct beams *b, unsigned code, const void *payload)
{
    const tp_sonar_data *data = payload;

    if (code != TP_SONAR_DATA_RANGES || !make_room(b, (size_t)data->ranges_count * BEAMS_OF_CONE)) {
        return false;
    }
    for (uint32_t i = 0; i < data->ranges_count && i < b->mount_count; i++) {
        add_cone(b, i, (double)data->ranges[i], 0);
    }
    return true;
}

bool tpi_beams_take(struct beams *beams, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    const void *payload = tp_msg_payload(msg);
    const unsigned code = tp_link_interface(beams->link)->code;

    if (!beams->placed || payload == NULL) {
        return false;
    }
    beams->time = header->timestamp;
    return code == TP_LASER_CODE    ? take_laser(beams, header->subtype, payload)
           : code == TP_RANGER_CODE ? take_ranger(beams, header->subtype, payload)
                                    : take_sonar(beams, header->subtype, payload);
}
