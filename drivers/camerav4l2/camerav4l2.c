/*
 * camerav4l2, camerauvc, cvcam - cameras of Linux, such as those on USB (UVC).
 *
 * The line video: sends pictures with a head. Pictures in YUYV become RGB; those in JPEG are passed
 * on as they are. A picture is read as soon as it is there, and the newest counts.
 */
#include <stdio.h>
#include <string.h>

#include "pictures.h"

enum { LONGEST_URL = 256 };

struct camera {
    tp_device *device;
    tp_port *port; /* owned; NULL unless it runs */
    char url[LONGEST_URL];
    int64_t timeout_ns, heard_ns;
    struct pictures pictures;
};

#define CAMERA_PARAMS                                                                              \
    {"port", "line", "/dev/video0", "the camera"},                                                 \
        {"size", "1", "640 480", "width and height of pictures"},                                  \
        {"mode", NULL, "YUYV",                                                                     \
         "format that is asked for: YUYV (sent as RGB888), MJPEG, GREY or "                        \
         "RGB888"},                                                                                \
        {"framerate", "1", "0", "pictures per second; 0 as the camera has it"},                    \
    {                                                                                              \
        "timeout", "s", "5", "a camera that sends nothing for so long is started anew"             \
    }

static const tp_param v4l2_params[] = {
    CAMERA_PARAMS,
    {"source", "1", "0", "ignored: the first input is used"},
    {"norm", NULL, "", "ignored: for television cards"},
    {"success_led", "1", "0", "ignored; for configurations made for Player"},
    {NULL, NULL, NULL, NULL},
};

static const tp_param cvcam_params[] = {
    CAMERA_PARAMS,
    {"camindex", "1", "0", "number of the camera, instead of port"},
    {NULL, NULL, NULL, NULL},
};

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static tp_status camera_poll(tp_instance *self, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    bool got = false;
    const tp_status status = tpi_pictures_read(&c->pictures, c->port, now_ns(self), &got, err);

    if (status == TP_OK && got) {
        c->heard_ns = now_ns(self);
        tp_camera_publish_state(c->device, &c->pictures.last, 0);
    } else if (status == TP_OK && now_ns(self) - c->heard_ns > c->timeout_ns) {
        return tp_fail(err, TP_E_TIMEOUT, "no picture for %.1f s%s",
                       (double)c->timeout_ns / (double)TP_NS_PER_S,
                       c->pictures.unknown > 0 ? ", but some in a format that is not known" : "");
    }
    return status;
}

/* The last picture; there is none before the first. */
static tp_status get_image(tp_device *device, tp_camera_data *answer, tp_error *err)
{
    const struct camera *c = tp_instance_state(tp_device_instance(device));

    if (c->pictures.last.image == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no picture yet");
    }
    *answer = c->pictures.last;
    return TP_OK;
}

static const tp_camera_ops camera_ops = {.req_get_image = get_image};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_mode(tp_instance *self, const char **format, tp_error *err)
{
    static const char *const modes[][2] = {{"YUYV", "yuyv"},   {"RGB", "yuyv"},  {"MJPEG", "mjpeg"},
                                           {"MJPG", "mjpeg"},  {"GREY", "grey"}, {"MONO8", "grey"},
                                           {"RGB888", "rgb24"}};
    const char *mode = tp_param_string(self, "mode");

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i][0], mode) == 0) {
            *format = modes[i][1];
            return TP_OK;
        }
    }
    tp_param_blame(self, "mode");
    return tp_fail(err, TP_E_UNKNOWN, "mode is YUYV, MJPEG, GREY or RGB888, not \"%.20s\"", mode);
}

/* Other lines than paths are taken as they are. */
static tp_status init(tp_instance *self, const char *path, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    const double width = tp_param_double_at(self, "size", 0);
    const double height = tp_param_double_at(self, "size", 1);
    const double rate = tp_param_double(self, "framerate");
    const double timeout_s = tp_param_double(self, "timeout");
    const char *format = NULL;
    tp_status status = read_mode(self, &format, err);

    if (status == TP_OK && !(width >= 16 && width <= 8192 && height >= 16 && height <= 8192)) {
        tp_param_blame(self, "size");
        return tp_fail(err, TP_E_RANGE, "size has a width and a height from 16 to 8192");
    }
    if (status == TP_OK && !(rate >= 0 && rate <= 1000 && timeout_s >= 0.3 && timeout_s <= 3600)) {
        tp_param_blame(self, rate >= 0 && rate <= 1000 ? "timeout" : "framerate");
        return tp_fail(err, TP_E_RANGE,
                       rate >= 0 && rate <= 1000 ? "timeout is a time from 0.3 s to an hour"
                                                 : "framerate is a number from 0 to 1000");
    }
    c->timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    const int length =
        path[0] == '/'
            ? snprintf(c->url, sizeof c->url, "video:%s?width=%.0f&height=%.0f&format=%s&rate=%.0f",
                       path, width, height, format == NULL ? "" : format, rate)
            : snprintf(c->url, sizeof c->url, "%s", path);
    if (status == TP_OK && length >= (int)sizeof c->url) {
        tp_param_blame(self, "port");
        return tp_fail(err, TP_E_RANGE, "port has more than %d characters", LONGEST_URL - 64);
    }
    return status == TP_OK ? tp_offer_camera(self, NULL, &camera_ops, &c->device, err) : status;
}

static tp_status v4l2_init(tp_instance *self, tp_error *err)
{
    return init(self, tp_param_string(self, "port"), err);
}

static tp_status cvcam_init(tp_instance *self, tp_error *err)
{
    const int64_t index = tp_param_int(self, "camindex");
    char path[32];

    if (index < 0 || index > 255) {
        tp_param_blame(self, "camindex");
        return tp_fail(err, TP_E_RANGE, "camindex is a number from 0 to 255");
    }
    (void)snprintf(path, sizeof path, "/dev/video%d", (int)index);
    return init(self, tp_param_given(self, "port") ? tp_param_string(self, "port") : path, err);
}

static tp_status camera_start(tp_instance *self, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    const tp_status status =
        tp_port_open(&c->port, self, c->url, NULL, now_ns(self) + 5 * TP_NS_PER_S, err);

    if (status == TP_OK) {
        c->heard_ns = now_ns(self);
        c->pictures.last = (tp_camera_data){0};
        c->pictures.unknown = 0;
        tp_instance_set_period(self, 10 * TP_NS_PER_MS);
    }
    return status;
}

static void camera_stop(tp_instance *self)
{
    struct camera *c = tp_instance_state(self);

    tp_port_close(c->port);
    c->port = NULL;
}

static void camera_fini(tp_instance *self)
{
    struct camera *c = tp_instance_state(self);

    tpi_pictures_fini(&c->pictures);
}

static const tp_driver_ops v4l2_ops = {
    .init = v4l2_init,
    .start = camera_start,
    .poll = camera_poll,
    .stop = camera_stop,
    .fini = camera_fini,
};

static const tp_driver_ops cvcam_ops = {
    .init = cvcam_init,
    .start = camera_start,
    .poll = camera_poll,
    .stop = camera_stop,
    .fini = camera_fini,
};

extern const tp_driver tp_driver_camerav4l2;
TP_API const tp_driver tp_driver_camerav4l2 = {
    .abi = TP_DRIVER_ABI,
    .name = "camerav4l2",
    .summary = "cameras of Linux (V4L2), such as those on USB",
    .state_size = sizeof(struct camera),
    .params = v4l2_params,
    .ops = &v4l2_ops,
};

extern const tp_driver tp_driver_camerauvc;
TP_API const tp_driver tp_driver_camerauvc = {
    .abi = TP_DRIVER_ABI,
    .name = "camerauvc",
    .summary = "a second name for camerav4l2",
    .state_size = sizeof(struct camera),
    .params = v4l2_params,
    .ops = &v4l2_ops,
};

extern const tp_driver tp_driver_cvcam;
TP_API const tp_driver tp_driver_cvcam = {
    .abi = TP_DRIVER_ABI,
    .name = "cvcam",
    .summary = "a second name for camerav4l2, with the options of Player's cvcam",
    .state_size = sizeof(struct camera),
    .params = cvcam_params,
    .ops = &cvcam_ops,
};
