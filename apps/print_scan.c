/* print_scan.c - which data messages are scans, and their pictures; see print_scan.h. */
#include "print_scan.h"

#include <math.h>
#include <stdlib.h>

#include "output.h"
#include "troupe/interfaces/ir.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"

/* ---- About the device ------------------------------------------------------------------------ */

bool print_scan_asks(const tp_interface *interface)
{
    return interface->code == TP_RANGER_CODE || interface->code == TP_SONAR_CODE ||
           interface->code == TP_IR_CODE;
}

static void keep_yaws(struct print_scan *about, const tp_pose3d *poses, uint32_t count)
{
    about->yaws = calloc((size_t)count + 1, sizeof *about->yaws);
    for (uint32_t i = 0; about->yaws != NULL && i < count; i++) {
        about->yaws[i] = poses[i].pyaw;
    }
    about->yaw_count = about->yaws == NULL ? 0 : count;
}

static const void *ask(tp_proxy *proxy, unsigned code)
{
    const void *answer = NULL;

    return tp_proxy_request(proxy, code, NULL, &answer, NULL) == TP_OK ? answer : NULL;
}

static void ask_ranger(struct print_scan *about, tp_proxy *proxy)
{
    const tp_ranger_config *config = ask(proxy, TP_RANGER_REQ_GET_CONFIG);

    if (config != NULL) {
        about->first = config->min_angle;
        about->step = config->angular_res;
        about->longest = config->max_range;
    }
    const tp_ranger_geom *geom = ask(proxy, TP_RANGER_REQ_GET_GEOM);
    if (geom != NULL && geom->element_poses_count > 1) {
        keep_yaws(about, geom->element_poses, geom->element_poses_count);
    }
}

void print_scan_ask(struct print_scan *about, tp_proxy *proxy)
{
    const unsigned code = tp_proxy_interface(proxy)->code;

    if (code == TP_RANGER_CODE) {
        ask_ranger(about, proxy);
    } else if (code == TP_SONAR_CODE) {
        const tp_sonar_geom *geom = ask(proxy, TP_SONAR_REQ_GET_GEOM);
        keep_yaws(about, geom == NULL ? NULL : geom->poses, geom == NULL ? 0 : geom->poses_count);
    } else if (code == TP_IR_CODE) {
        const tp_ir_pose *pose = ask(proxy, TP_IR_REQ_POSE);
        keep_yaws(about, pose == NULL ? NULL : pose->poses, pose == NULL ? 0 : pose->poses_count);
    }
}

void print_scan_fini(struct print_scan *about)
{
    free(about->yaws);
    *about = (struct print_scan){0};
}

struct scan_room print_scan_room(bool live, size_t messages, size_t others)
{
    enum { TITLE = 2, HEAD = 2, SHORT = 3 }; /* all but one message have a short body */
    struct scan_room room = {.columns = 80, .lines = 20, .fine = output_is_utf8()};

    if (live) {
        output_size(&room.columns, &room.lines);
        const size_t used = TITLE + others + HEAD * messages + SHORT * (messages - 1);
        room.columns -= room.columns > 0;
        room.lines = room.lines > used ? room.lines - used : 0;
    }
    return room;
}

/* ---- Ranges and angles ----------------------------------------------------------------------- */

static double float_range(const struct scan *scan, uint32_t i)
{
    return (double)((const float *)scan->data)[i];
}

static double double_range(const struct scan *scan, uint32_t i)
{
    return ((const double *)scan->data)[i];
}

/* Of a laser: the angles are those between the first and the last, whatever the resolution says. */
static double laser_angle(const struct scan *scan, uint32_t i)
{
    const tp_laser_data *data = scan->more;
    const double first = (double)data->min_angle;
    const double last = (double)data->max_angle;

    return scan->count < 2 ? first : first + (last - first) * i / (scan->count - 1);
}

static double listed_angle(const struct scan *scan, uint32_t i)
{
    const tp_laser_data_scanangle *data = scan->more;

    return i < data->angles_count ? (double)data->angles[i] : (double)NAN;
}

static double beam_angle(const struct scan *scan, uint32_t i)
{
    const struct print_scan *about = scan->more;

    return about->step > 0 ? about->first + about->step * i : (double)NAN;
}

static double sensor_angle(const struct scan *scan, uint32_t i)
{
    const struct print_scan *about = scan->more;

    return i < about->yaw_count ? remainder(about->yaws[i], 6.283185307179586) : (double)NAN;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static struct scan of_laser(const tp_laser_data *data)
{
    return (struct scan){data->ranges_count, float_range, laser_angle,
                         data->ranges,       data,        (double)data->max_range};
}

static bool put_laser(tpi_buf *out, const tp_msg *msg, const struct scan_room *room)
{
    const void *value = tp_msg_payload(msg);
    struct scan scan;

    if (tp_msg_header(msg)->subtype == TP_LASER_DATA_SCAN) {
        scan = of_laser(value);
    } else if (tp_msg_header(msg)->subtype == TP_LASER_DATA_SCANPOSE) {
        scan = of_laser(&((const tp_laser_data_scanpose *)value)->scan);
    } else if (tp_msg_header(msg)->subtype == TP_LASER_DATA_SCANANGLE) {
        const tp_laser_data_scanangle *data = value;
        scan = (struct scan){data->ranges_count, float_range, listed_angle,
                             data->ranges,       data,        (double)data->max_range};
    } else {
        return false;
    }
    scan_put_view(out, &scan, room);
    return true;
}

static void put_intensities(tpi_buf *out, const tp_ranger_data_intns *data)
{
    double least = HUGE_VAL;
    double most = -HUGE_VAL;

    for (uint32_t i = 0; i < data->intensities_count; i++) {
        least = fmin(least, data->intensities[i]);
        most = fmax(most, data->intensities[i]);
    }
    tpi_buf_printf(out, "  %u intensities", data->intensities_count);
    if (least <= most) {
        tpi_buf_printf(out, " from %.4g to %.4g", least, most);
    }
    tpi_buf_putc(out, '\n');
}

static bool put_ranger(tpi_buf *out, const struct print_scan *about, const tp_msg *msg,
                       const struct scan_room *room)
{
    const unsigned code = tp_msg_header(msg)->subtype;
    const void *value = tp_msg_payload(msg);

    if (code == TP_RANGER_DATA_INTNS) {
        put_intensities(out, value);
        return true;
    }
    if (code != TP_RANGER_DATA_RANGE && code != TP_RANGER_DATA_RANGESTAMPED) {
        return false;
    }
    const tp_ranger_data_range *data =
        code == TP_RANGER_DATA_RANGE ? value : &((const tp_ranger_data_rangestamped *)value)->data;
    struct scan scan = {data->ranges_count, double_range, beam_angle,
                        data->ranges,       about,        about->longest};
    if (about->yaw_count == data->ranges_count || about->step <= 0) {
        scan.angle = sensor_angle;
        scan_put_bars(out, &scan, room);
    } else {
        scan_put_view(out, &scan, room);
    }
    return true;
}

static bool put_sensors(tpi_buf *out, const struct print_scan *about, const float *ranges,
                        uint32_t count, const struct scan_room *room)
{
    const struct scan scan = {count, float_range, sensor_angle, ranges, about, about->longest};

    scan_put_bars(out, &scan, room);
    return true;
}

bool print_scan_put(tpi_buf *out, const struct print_scan *about, const tp_msg *msg,
                    const struct scan_room *room)
{
    const tp_msghdr *header = tp_msg_header(msg);
    const void *value = tp_msg_payload(msg);

    if (value == NULL || tp_msg_type(msg) == NULL) {
        return false;
    }
    if (header->addr.interf == TP_LASER_CODE) {
        return put_laser(out, msg, room);
    }
    if (header->addr.interf == TP_RANGER_CODE) {
        return put_ranger(out, about, msg, room);
    }
    if (header->addr.interf == TP_SONAR_CODE && header->subtype == TP_SONAR_DATA_RANGES) {
        const tp_sonar_data *data = value;
        return put_sensors(out, about, data->ranges, data->ranges_count, room);
    }
    if (header->addr.interf == TP_IR_CODE && header->subtype == TP_IR_DATA_RANGES) {
        const tp_ir_data *data = value;
        return put_sensors(out, about, data->ranges, data->ranges_count, room);
    }
    return false;
}
