/*
 * frames.c - the tree of frames: where everything is, in terms of everything else.
 *
 * Every device has one frame: a sensor's is where it sits, a vehicle's is the base that moves in
 * the frame of its odometry, a localizer's is that frame, which it moves in the map so that the
 * base is where it believes it to be. Frames that nobody moves but that others sit in are roots.
 * All of it belongs to the loop and is brought up to date as data goes by.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pose.h"
#include "base/text.h"
#include "device/answers.h"
#include "device/inside.h"
#include "troupe/front.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/position3d.h"

static tpi_pose from_pose3d(const tp_pose3d *p)
{
    return (tpi_pose){p->px, p->py, p->pz, p->proll, p->ppitch, p->pyaw};
}

static tp_pose3d to_pose3d(const tpi_pose *p)
{
    return (tp_pose3d){p->x, p->y, p->z, p->roll, p->pitch, p->yaw};
}

static tp_pose3d from_pose2d(const tp_pose2d *p)
{
    return (tp_pose3d){.px = p->px, .py = p->py, .pyaw = p->pa};
}

static bool is_frame(const tp_device *device, unsigned robot, const char *name)
{
    return device->addr.robot == robot && strcmp(device->frame.name, name) == 0;
}

/* The frame of this name; NULL for a root, or if there is none. */
static const tp_device *find_frame(const tpi_hub *hub, unsigned robot, const char *name)
{
    for (size_t i = 0; i < hub->device_count; i++) {
        if (is_frame(hub->devices[i], robot, name)) {
            return hub->devices[i];
        }
    }
    return NULL;
}

/* ---- Keeping it up to date ------------------------------------------------------------------- */

static void set_frame(tp_device *device, const tp_geometry *geometry, double timestamp_s)
{
    struct frame *frame = &device->frame;

    if (strcmp(frame->name, geometry->frame) != 0 || strcmp(frame->parent, geometry->parent) != 0) {
        device->instance->hub->odometry->valid = false;
    }
    snprintf(frame->name, sizeof frame->name, "%s", geometry->frame);
    snprintf(frame->parent, sizeof frame->parent, "%s", geometry->parent);
    if (!device->follows) {
        frame->pose = geometry->pose;
        frame->known = geometry->known != TP_GEOMETRY_UNKNOWN;
        frame->timestamp_s = timestamp_s;
    }
}

static double wall_s(const tp_device *device)
{
    return tp_clock_wall_s(tp_instance_clock(device->instance));
}

void tpi_frames_add(tp_device *device)
{
    tp_geometry geometry;

    tpi_geometry_now(device, &geometry);
    set_frame(device, &geometry, wall_s(device));
}

/* What a driver or another server tells may lack its NULs and be of any length. */
static void set_told_frame(tp_device *device, const tp_geometry *told, double timestamp_s)
{
    const bool fits = told->frame_count > 1 && told->frame_count <= PLACE_NAME &&
                      told->parent_count > 1 && told->parent_count <= PLACE_NAME &&
                      told->frame[told->frame_count - 1] == '\0' &&
                      told->parent[told->parent_count - 1] == '\0';

    if (fits) {
        set_frame(device, told, timestamp_s);
    }
}

static void set_moving(tp_device *device, const tp_pose3d *pose, double timestamp_s)
{
    device->frame.pose = *pose;
    device->frame.known = true;
    device->frame.timestamp_s = timestamp_s;
}

/* The vehicle that moves in the localizer's frame; NULL if its place is not known yet. */
static const tp_device *find_vehicle(const tp_device *localizer)
{
    struct odometry walk =
        tpi_odometry_begin(localizer->instance->hub, localizer->addr.robot, localizer->frame.name);
    const tp_device *device = tpi_odometry_next(&walk);

    while (device != NULL && !(tpi_geometry_is_vehicle(device) && device->frame.known)) {
        device = tpi_odometry_next(&walk);
    }
    return device;
}

/* The frame of the odometry has to be where the base comes to be where it is believed to be. */
static void settle_localizer(tp_device *localizer)
{
    struct frame *frame = &localizer->frame;
    const tp_device *vehicle = frame->waiting ? find_vehicle(localizer) : NULL;

    if (vehicle == NULL) {
        return;
    }
    const tpi_pose base = from_pose3d(&vehicle->frame.pose);
    const tpi_pose back = tpi_pose_invert(&base);
    const tpi_pose believed = from_pose3d(&frame->believed);
    const tpi_pose odom = tpi_pose_compose(&believed, &back);
    const tp_pose3d pose = to_pose3d(&odom);
    frame->waiting = false;
    set_moving(localizer, &pose, frame->believed_s);
}

static void follow_localizer(tp_device *device, const tp_localize_data *data, double timestamp_s)
{
    const tp_localize_hypoth *best = NULL;

    for (uint32_t i = 0; i < data->hypoths_count; i++) {
        if (best == NULL || data->hypoths[i].alpha > best->alpha) {
            best = &data->hypoths[i];
        }
    }
    if (best != NULL) {
        device->frame.believed = from_pose2d(&best->mean);
        device->frame.believed_s = timestamp_s;
        device->frame.waiting = true;
        settle_localizer(device);
    }
}

static void follow_vehicle(tp_device *device, const tp_pose3d *pose, double timestamp_s)
{
    const bool first = !device->frame.known;
    struct odometry walk;

    set_moving(device, pose, timestamp_s);
    if (first) {
        walk = tpi_odometry_begin(device->instance->hub, device->addr.robot, device->frame.parent);
        for (tp_device *at = tpi_odometry_next(&walk); at != NULL; at = tpi_odometry_next(&walk)) {
            settle_localizer(at);
        }
    }
}

void tpi_frames_follow(tp_device *device, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    const void *data = tp_msg_payload(msg);
    const tp_struct *type = tp_msg_type(msg);

    if (data == NULL) {
        return;
    }
    if (type == &tp_desc_geometry) {
        set_told_frame(device, data, header->timestamp);
    } else if (type == &tp_desc_position2d_data) {
        const tp_pose3d pose = from_pose2d(&((const tp_position2d_data *)data)->pos);
        follow_vehicle(device, &pose, header->timestamp);
    } else if (type == &tp_desc_position3d_data) {
        follow_vehicle(device, &((const tp_position3d_data *)data)->pos, header->timestamp);
    } else if (type == &tp_desc_localize_data) {
        follow_localizer(device, data, header->timestamp);
    }
}

/* ---- Asking devices that have just started --------------------------------------------------- */

static void told_geometry(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    tp_device *device = context;

    (void)err;
    if (status == TP_OK && tp_msg_type(answer) == &tp_desc_geometry) {
        set_told_frame(device, tp_msg_payload(answer), tp_msg_header(answer)->timestamp);
    }
}

static void ask_device(tp_device *device)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_GET_GEOMETRY);
    const tp_msghdr header = {.addr = device->addr,
                              .type = TP_MSGTYPE_REQ,
                              .subtype = TP_COMMON_REQ_GET_GEOMETRY,
                              .timestamp = wall_s(device)};
    tp_msg *msg = NULL;

    if (tp_msg_create(&msg, &header, NULL, NULL) == TP_OK) {
        tpi_call_quietly(device, what, msg, told_geometry, device);
        tp_msg_unref(msg);
    }
}

void tpi_frames_ask(tp_instance *instance)
{
    for (tp_device *device = instance->devices; device != NULL; device = device->next) {
        if (tpi_geometry_can_ask(device) && !device->follows && !device->frame.known) {
            ask_device(device);
        }
    }
}

/* ---- From one to another --------------------------------------------------------------------- */

static bool is_known_name(const tpi_hub *hub, unsigned robot, const char *name)
{
    for (size_t i = 0; i < hub->device_count; i++) {
        const tp_device *device = hub->devices[i];
        if (device->addr.robot == robot &&
            (strcmp(device->frame.name, name) == 0 || strcmp(device->frame.parent, name) == 0)) {
            return true;
        }
    }
    return false;
}

static tp_status check_name(const tpi_hub *hub, unsigned robot, const char *name, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    if (is_known_name(hub, robot, name)) {
        return TP_OK;
    }
    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < hub->device_count; i++) {
        if (hub->devices[i]->addr.robot == robot) {
            tpi_nearest_offer(&nearest, hub->devices[i]->frame.name);
            tpi_nearest_offer(&nearest, hub->devices[i]->frame.parent);
        }
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no frame \"%.64s\"%s", name,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* Going up from a frame. */
struct climb {
    const tpi_hub *hub;
    unsigned robot;
    const char *at;
    tpi_pose pose;    /* of where it began, in `at` */
    double oldest_s;  /* of the moving parts on the way; 0 for none */
    const char *lost; /* the first frame on the way whose place is not known; NULL for none */
    size_t steps;
};

static struct climb begin_climb(const tpi_hub *hub, unsigned robot, const char *name)
{
    return (struct climb){.hub = hub, .robot = robot, .at = name};
}

/* One step up; false at a root. Frames that sit in each other end it too. */
static bool climb_on(struct climb *climb)
{
    const tp_device *device = find_frame(climb->hub, climb->robot, climb->at);

    if (device == NULL || climb->steps++ > climb->hub->device_count) {
        return false;
    }
    const struct frame *frame = &device->frame;
    const tpi_pose step = from_pose3d(&frame->pose);
    climb->pose = tpi_pose_compose(&step, &climb->pose);
    climb->at = frame->parent;
    if (!frame->known && climb->lost == NULL) {
        climb->lost = frame->name;
    }
    if (device->follows && (climb->oldest_s == 0 || frame->timestamp_s < climb->oldest_s)) {
        climb->oldest_s = frame->timestamp_s;
    }
    return true;
}

/* Climb until `at` is one of those that `other` passes; false if it never is. */
static bool climb_to_meet(struct climb *climb, const char *other)
{
    do {
        struct climb scout = begin_climb(climb->hub, climb->robot, other);
        do {
            if (strcmp(scout.at, climb->at) == 0) {
                return true;
            }
        } while (climb_on(&scout));
    } while (climb_on(climb));
    return false;
}

tp_status tp_hub_transform(const tp_hub *hub, unsigned robot, const char *from, const char *to,
                           tp_pose3d *pose, double *timestamp_s, tp_error *err)
{
    struct climb a = begin_climb(hub, robot, from);
    struct climb b = begin_climb(hub, robot, to);
    tp_status status = check_name(hub, robot, from, err);

    assert(hub_is_current(hub));
    status = status == TP_OK ? check_name(hub, robot, to, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (!climb_to_meet(&a, to)) {
        return tp_fail(err, TP_E_UNKNOWN, "\"%s\" and \"%s\" are not connected", from, to);
    }
    while (strcmp(b.at, a.at) != 0) {
        climb_on(&b);
    }
    const char *lost = a.lost != NULL ? a.lost : b.lost;
    if (lost != NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "it is not known yet where \"%s\" is", lost);
    }
    const tpi_pose back = tpi_pose_invert(&b.pose);
    const tpi_pose found = tpi_pose_compose(&back, &a.pose);
    *pose = to_pose3d(&found);
    *timestamp_s =
        a.oldest_s == 0 || (b.oldest_s != 0 && b.oldest_s < a.oldest_s) ? b.oldest_s : a.oldest_s;
    return TP_OK;
}
