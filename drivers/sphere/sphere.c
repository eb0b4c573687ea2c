/*
 * sphere - Logitech QuickCam Sphere and Orbit: a camera that turns, by the controls of V4L2.
 *
 * The line video: lists the controls before the first picture, and takes settings of them. Motors
 * that know angles (UVC) are told angles in seconds of arc; others (pwc) are told differences in
 * 1/64 degree, after a reset at the first command. A turn is a row of small steps, so that a stop
 * ends it within one step.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pictures.h"
#include "troupe/driver/ptz.h"

enum { HEAD = 16, CONTROL = 20, SETTING = 8, MOST_CONTROLS = 16, LONGEST_URL = 256 };

static const int64_t step_ns = 100 * TP_NS_PER_MS;
static const int64_t reset_ns = 3 * TP_NS_PER_S; /* for the way to the middle */
static const double degree = 3.14159265358979323846 / 180;
static const double usual_speed = 40; /* degrees per second */

struct control {
    char name[4];
    int32_t least, most, step, value;
};

/* One motor. Angles in radians, positive to the left and upwards. */
struct axis {
    const struct control *absolute, *relative, *reset;
    double sign; /* of the control */
    double unit; /* of the control, in radians */
    double low, high;
    double at, goal, speed;
};

struct sphere {
    tp_device *camera, *ptz;
    tp_port *port; /* owned; NULL unless it runs */
    char path[LONGEST_URL];
    int64_t timeout_ns, heard_ns, step_at_ns;
    struct pictures pictures;
    struct control controls[MOST_CONTROLS];
    size_t count;
    struct axis axes[2]; /* pan, tilt */
    bool was_reset;
};

static const tp_param sphere_params[] = {
    {"port", "line", "/dev/video0", "the camera"},
    {"size", "1", "320 240", "width and height of pictures"},
    {"mode", NULL, "RGB888", "RGB888 (also RGB24), MJPEG or GREY"},
    {"framerate", "1", "0", "pictures per second; 0 as the camera has it"},
    {"timeout", "s", "5", "a camera that sends nothing for so long is started anew"},
    {"shutter_speed", "1", "-1", "exposure from 0 to 65535; -1 as the camera has it"},
    {"automatic_gain", "1", "-1", "gain from 0 to 65535; -1 as the camera has it"},
    {"sharpness", "1", "-1", "sharpness from 0 to 65535; -1 as the camera has it"},
    {"backlight", "1", "-1", "0 or 1: compensation of light from behind; -1 as the camera has it"},
    {"automatic_wb", NULL, "", "white balance: auto, manual, indoor, outdoor or fl"},
    {"compression_preference", "1", "0", "ignored; for configurations made for Player"},
    {"flicker", "1", "0", "ignored, as the next ones are"},
    {"noise_reduction", "1", "0", "ignored"},
    {"dump_settings", "1", "0", "ignored"},
    {"debug", "1", "0", "ignored"},
    {"save", "1", "0", "ignored"},
    {NULL, NULL, NULL, NULL},
};

static struct sphere *sphere_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- Controls -------------------------------------------------------------------------------- */

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static const struct control *find(const struct sphere *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (memcmp(s->controls[i].name, name, 4) == 0) {
            return &s->controls[i];
        }
    }
    return NULL;
}

static tp_status set(struct sphere *s, const struct control *control, int32_t value, tp_error *err)
{
    uint8_t out[SETTING];

    memcpy(out, control->name, 4);
    for (unsigned i = 0; i < 4; i++) {
        out[4 + i] = (uint8_t)((uint32_t)value >> 8 * i);
    }
    return tp_port_write(s->port, out, sizeof out, err);
}

static tp_status read_controls(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    const int64_t deadline_ns = now_ns(self) + 2 * TP_NS_PER_S;
    uint8_t bytes[CONTROL * MOST_CONTROLS];
    tp_status status = tp_port_read_all(s->port, bytes, HEAD, deadline_ns, err);
    const size_t length = status == TP_OK ? u32(bytes + 12) : 0;

    if (status == TP_OK &&
        (memcmp(bytes + 8, "CTRL", 4) != 0 || length > sizeof bytes || length % CONTROL != 0)) {
        return tp_fail(err, TP_E_DEVICE, "%s: the camera does not list its controls",
                       tp_port_url(s->port));
    }
    s->count = 0;
    if (status == TP_OK && length > 0) {
        status = tp_port_read_all(s->port, bytes, length, deadline_ns, err);
    }
    for (const uint8_t *at = bytes; status == TP_OK && at < bytes + length; at += CONTROL) {
        struct control *c = &s->controls[s->count++];
        memcpy(c->name, at, 4);
        c->least = (int32_t)u32(at + 4);
        c->most = (int32_t)u32(at + 8);
        c->step = (int32_t)u32(at + 12);
        c->value = (int32_t)u32(at + 16);
    }
    return status;
}

static bool find_axis(const struct sphere *s, struct axis *a, const char *absolute,
                      const char *relative, const char *reset, double sign)
{
    *a = (struct axis){.absolute = find(s, absolute),
                       .relative = find(s, relative),
                       .reset = find(s, reset),
                       .sign = sign};
    const struct control *c = a->absolute != NULL ? a->absolute : a->relative;
    if (c == NULL || c->least >= c->most) {
        return false;
    }
    a->unit = a->absolute != NULL ? degree / 3600 : degree / 64;
    const double one = sign * c->least * a->unit;
    const double other = sign * c->most * a->unit;
    a->low = fmin(one, other);
    a->high = fmax(one, other);
    a->at = a->goal = a->absolute != NULL ? sign * c->value * a->unit : 0;
    return true;
}

/* ---- Settings of the picture ----------------------------------------------------------------- */

/* A number from 0 to 65535 as one of the control's range. */
static tp_status set_scaled(tp_instance *self, const char *param, const char *name,
                            const char *automatic, int32_t manual, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    const double wanted = tp_param_double(self, param);
    const struct control *control = find(s, name);
    const struct control *switched = automatic == NULL ? NULL : find(s, automatic);
    char text[80];

    if (wanted < 0) {
        return TP_OK;
    }
    if (control == NULL) {
        (void)snprintf(text, sizeof text, "the camera has no control for %s", param);
        tp_instance_note(self, text);
        return TP_OK;
    }
    const tp_status status = switched == NULL ? TP_OK : set(s, switched, manual, err);
    const double share = wanted / 65535;
    return status != TP_OK ? status
                           : set(s, control,
                                 (int32_t)lrint(control->least + share * ((double)control->most -
                                                                          (double)control->least)),
                                 err);
}

static const char *const balances[] = {"indoor", "outdoor", "fl", "manual", "auto"};

static int balance_of(const char *name)
{
    for (int i = 0; i < 5; i++) {
        if (strcmp(balances[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/* pwc has a list of five, other cameras have "automatic" only. */
static tp_status set_balance(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    const int wanted = balance_of(tp_param_string(self, "automatic_wb"));
    const struct control *control = find(s, "AWB ");

    if (wanted < 0 || control == NULL) {
        return TP_OK;
    }
    return set(s, control, control->most == 4 ? wanted : wanted == 4, err);
}

static tp_status set_picture(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    const struct control *backlight = find(s, "BKLT");
    const int64_t behind = tp_param_int(self, "backlight");
    tp_status status = set_scaled(self, "shutter_speed", "EXPO", "AEXP", 1, err);

    status = status == TP_OK ? set_scaled(self, "automatic_gain", "GAIN", "AGC ", 0, err) : status;
    status = status == TP_OK ? set_scaled(self, "sharpness", "SHRP", NULL, 0, err) : status;
    status = status == TP_OK ? set_balance(self, err) : status;
    if (status == TP_OK && behind >= 0 && backlight != NULL) {
        status = set(s, backlight, behind != 0, err);
    }
    return status == TP_E_DENIED ? TP_OK : status; /* a panic: pictures go on as they are */
}

/* ---- Turning --------------------------------------------------------------------------------- */

static void stand(struct sphere *s)
{
    for (unsigned i = 0; i < 2; i++) {
        s->axes[i].goal = s->axes[i].at;
    }
}

/* One step of a motor towards its goal. */
static tp_status turn(struct sphere *s, struct axis *a, tp_error *err)
{
    const double speed = a->speed > 0 ? fmin(a->speed, usual_speed * degree) : usual_speed * degree;
    const double most = fmax(speed * (double)step_ns / (double)TP_NS_PER_S, a->unit);
    const double way = fmax(-most, fmin(most, a->goal - a->at));
    const long units = lrint(way / a->unit);

    if (units == 0) {
        a->goal = a->at;
        return TP_OK;
    }
    const double next = a->at + (double)units * a->unit;
    const tp_status status =
        a->absolute != NULL ? set(s, a->absolute, (int32_t)lrint(a->sign * next / a->unit), err)
                            : set(s, a->relative, (int32_t)(a->sign < 0 ? -units : units), err);
    a->at = status == TP_OK ? next : a->at;
    return status;
}

/* Motors that count no angles are in the middle after a reset, and only then known. */
static tp_status reset(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    tp_status status = TP_OK;

    for (unsigned i = 0; i < 2 && status == TP_OK; i++) {
        if (s->axes[i].absolute == NULL && s->axes[i].reset != NULL) {
            status = set(s, s->axes[i].reset, 1, err);
            s->step_at_ns = now_ns(self) + reset_ns;
        }
    }
    s->was_reset = status == TP_OK;
    return status;
}

static tp_status take_steps(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    tp_status status = TP_OK;

    if (now_ns(self) < s->step_at_ns) {
        return TP_OK;
    }
    s->step_at_ns = now_ns(self) + step_ns;
    for (unsigned i = 0; i < 2 && status == TP_OK; i++) {
        status = turn(s, &s->axes[i], err);
    }
    if (status == TP_E_DENIED) { /* a panic */
        stand(s);
        status = TP_OK;
    }
    const tp_ptz_data data = {.pan = (float)s->axes[0].at, .tilt = (float)s->axes[1].at};
    tp_ptz_publish_state(s->ptz, &data, 0);
    return status;
}

static tp_status cmd_state(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    struct sphere *s = sphere_of(device);
    const float goals[] = {ask->pan, ask->tilt};
    const float speeds[] = {ask->panspeed, ask->tiltspeed};

    for (unsigned i = 0; i < 2; i++) {
        if (!isfinite(goals[i]) || !isfinite(speeds[i])) {
            return tp_fail(err, TP_E_RANGE, "angles and speeds are numbers");
        }
    }
    const tp_status status = s->was_reset ? TP_OK : reset(tp_device_instance(device), err);
    for (unsigned i = 0; i < 2 && status == TP_OK; i++) {
        struct axis *a = &s->axes[i];
        a->goal = fmax(a->low, fmin(a->high, (double)goals[i]));
        a->speed = fabs((double)speeds[i]);
    }
    return status;
}

static void sphere_halt(tp_device *device, tp_halt how)
{
    (void)how;
    stand(sphere_of(device));
}

static tp_status get_image(tp_device *device, tp_camera_data *answer, tp_error *err)
{
    const struct sphere *s = sphere_of(device);

    if (s->pictures.last.image == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no picture yet");
    }
    *answer = s->pictures.last;
    return TP_OK;
}

static const tp_camera_ops camera_ops = {.req_get_image = get_image};
static const tp_ptz_ops ptz_ops = {.cmd_state = cmd_state};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status sphere_poll(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    bool got = false;
    tp_status status = tpi_pictures_read(&s->pictures, s->port, now_ns(self), &got, err);

    if (status == TP_OK && got) {
        s->heard_ns = now_ns(self);
        if (s->camera != NULL) {
            tp_camera_publish_state(s->camera, &s->pictures.last, 0);
        }
    } else if (status == TP_OK && now_ns(self) - s->heard_ns > s->timeout_ns) {
        return tp_fail(err, TP_E_TIMEOUT, "no picture for %.1f s",
                       (double)s->timeout_ns / (double)TP_NS_PER_S);
    }
    return status == TP_OK && s->ptz != NULL ? take_steps(self, err) : status;
}

static tp_status check(tp_instance *self, tp_error *err)
{
    static const struct {
        const char *name;
        double low, high;
    } numbers[] = {
        {"size", 16, 8192},           {"framerate", 0, 1000},        {"timeout", 0.3, 3600},
        {"shutter_speed", -1, 65535}, {"automatic_gain", -1, 65535}, {"sharpness", -1, 65535},
        {"backlight", -1, 65535}};
    const char *balance = tp_param_string(self, "automatic_wb");

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        for (size_t k = 0; k < tp_param_count(self, numbers[i].name); k++) {
            const double value = tp_param_double_at(self, numbers[i].name, k);
            if (!(value >= numbers[i].low && value <= numbers[i].high)) {
                tp_param_blame(self, numbers[i].name);
                return tp_fail(err, TP_E_RANGE, "%s is not from %g to %g", numbers[i].name,
                               numbers[i].low, numbers[i].high);
            }
        }
    }
    if (balance[0] != '\0' && balance_of(balance) < 0) {
        tp_param_blame(self, "automatic_wb");
        return tp_fail(err, TP_E_UNKNOWN,
                       "automatic_wb is auto, manual, indoor, outdoor or fl, not \"%.20s\"",
                       balance);
    }
    return TP_OK;
}

/* The formats of a mode, in the order in which they are tried. */
static const char *const *formats_of(const char *mode)
{
    static const char *const colour[] = {"yuyv", "yu12", NULL};
    static const char *const packed[] = {"mjpeg", NULL};
    static const char *const grey[] = {"grey", NULL};

    return strcmp(mode, "RGB888") == 0 || strcmp(mode, "RGB24") == 0 ? colour
           : strcmp(mode, "MJPEG") == 0                              ? packed
           : strcmp(mode, "GREY") == 0                               ? grey
                                                                     : NULL;
}

static tp_status sphere_init(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    const char *mode = tp_param_string(self, "mode");
    tp_status status = check(self, err);

    if (status == TP_OK && formats_of(mode) == NULL) {
        tp_param_blame(self, "mode");
        return tp_fail(err, TP_E_UNKNOWN, "mode is RGB888, MJPEG or GREY, not \"%.20s\"", mode);
    }
    if (status == TP_OK && strlen(tp_param_string(self, "port")) >= LONGEST_URL - 64) {
        tp_param_blame(self, "port");
        return tp_fail(err, TP_E_RANGE, "port has more than %d characters", LONGEST_URL - 65);
    }
    s->timeout_ns = (int64_t)(tp_param_double(self, "timeout") * (double)TP_NS_PER_S);
    if (status == TP_OK && tp_provides(self, &tp_interface_camera, NULL)) {
        status = tp_offer_camera(self, NULL, &camera_ops, &s->camera, err);
    }
    if (status == TP_OK && (tp_provides(self, &tp_interface_ptz, NULL) || s->camera == NULL)) {
        status = tp_offer_ptz(self, NULL, &ptz_ops, &s->ptz, err);
    }
    return status;
}

/* Other lines than paths are taken as they are. */
static tp_status open_line(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    const char *path = tp_param_string(self, "port");
    const char *const *format = formats_of(tp_param_string(self, "mode"));
    tp_status status = TP_E_IO;

    for (; status != TP_OK && *format != NULL; format++) {
        if (path[0] == '/') {
            (void)snprintf(s->path, sizeof s->path,
                           "video:%s?width=%.0f&height=%.0f&rate=%.0f&controls=1&format=%s", path,
                           tp_param_double_at(self, "size", 0), tp_param_double_at(self, "size", 1),
                           tp_param_double(self, "framerate"), *format);
        } else {
            (void)snprintf(s->path, sizeof s->path, "%s", path);
        }
        status = tp_port_open(&s->port, self, s->path, NULL, now_ns(self) + 5 * TP_NS_PER_S, err);
    }
    return status;
}

static tp_status prepare(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    const tp_status status = read_controls(self, err);

    if (status != TP_OK) {
        return status;
    }
    const bool turns = find_axis(s, &s->axes[0], "PANA", "PANR", "PANX", -1) &&
                       find_axis(s, &s->axes[1], "TILA", "TILR", "TILX", 1);
    if (!turns && s->ptz != NULL) {
        return tp_fail(err, TP_E_DEVICE, "%s: the camera has no motors to pan and tilt",
                       tp_port_url(s->port));
    }
    return set_picture(self, err);
}

static tp_status sphere_start(tp_instance *self, tp_error *err)
{
    struct sphere *s = tp_instance_state(self);
    tp_status status = open_line(self, err);

    if (status != TP_OK) {
        return status;
    }
    status = prepare(self, err);
    if (status != TP_OK) {
        tp_port_close(s->port);
        s->port = NULL;
        return status;
    }
    s->heard_ns = s->step_at_ns = now_ns(self);
    s->was_reset = false;
    s->pictures.last = (tp_camera_data){0};
    tp_instance_set_period(self, 10 * TP_NS_PER_MS);
    return TP_OK;
}

static void sphere_stop(tp_instance *self)
{
    struct sphere *s = tp_instance_state(self);

    tp_port_close(s->port);
    s->port = NULL;
}

static void sphere_fini(tp_instance *self)
{
    struct sphere *s = tp_instance_state(self);

    tpi_pictures_fini(&s->pictures);
}

static const tp_driver_ops sphere_ops = {
    .init = sphere_init,
    .start = sphere_start,
    .poll = sphere_poll,
    .halt = sphere_halt,
    .stop = sphere_stop,
    .fini = sphere_fini,
};

extern const tp_driver tp_driver_sphere;
TP_API const tp_driver tp_driver_sphere = {
    .abi = TP_DRIVER_ABI,
    .name = "sphere",
    .summary = "Logitech QuickCam Sphere and Orbit: a camera that turns",
    .state_size = sizeof(struct sphere),
    .params = sphere_params,
    .ops = &sphere_ops,
};
