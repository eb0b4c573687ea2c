/*
 * cameracompress, camerauncompress - pictures of a camera as JPEG, and the opposite.
 *
 * Pictures that are in the wanted form already pass as they are. Grey and colour pictures with 8
 * bits to a colour can be compressed; others are left out, with a note.
 */
#include <stdlib.h>
#include <string.h>

#include "jpeg.h"
#include "troupe/driver/camera.h"

struct camera {
    tp_device *device; /* borrowed */
    tp_link *link;     /* borrowed */
    bool expands;      /* camerauncompress */
    unsigned quality;
    bool asked_only; /* pictures go out as answers only */
    bool new_only;   /* a picture with the time of the last one is left out */
    double time;     /* of the last one */
    tp_msg *last;    /* owned reference: the newest picture as it came */
    uint8_t *made;   /* owned: the newest one that was made */
    bool noted;      /* the operator knows that there is one that cannot be made */
};

static const tp_param compress_params[] = {
    {"image_quality", "1", "0.8", "of the JPEG: above 0, at most 1"},
    {"request_only", "1", "0", "1 if pictures go out only as answers to GET_IMAGE"},
    {"check_timestamps", "1", "0", "1 to leave out pictures with the same time as the last"},
    {"save", "1", "0", "accepted if it is 0: record the device instead"},
    {NULL, NULL, NULL, NULL},
};

static const tp_param expand_params[] = {
    {"save", "1", "0", "accepted if it is 0: record the device instead"},
    {NULL, NULL, NULL, NULL},
};

static tp_status squeeze(struct camera *c, const tp_camera_data *in, tp_camera_data *out,
                         tp_error *err)
{
    const unsigned channels = in->format == TP_CAMERA_FORMAT_RGB888  ? 3
                              : in->format == TP_CAMERA_FORMAT_MONO8 ? 1
                                                                     : 0;
    uint8_t *bytes = NULL;
    size_t length = 0;

    if (channels == 0 || in->width == 0 || in->height == 0 ||
        (uint64_t)in->width * in->height * channels != in->image_count) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "a picture of %u by %u pixels, format %u and %u bytes cannot be compressed",
                       in->width, in->height, in->format, in->image_count);
    }
    const tp_status status =
        tpi_jpeg_put(in->image, in->width, in->height, channels, c->quality, &bytes, &length, err);
    if (status != TP_OK) {
        return status;
    }
    free(c->made);
    c->made = bytes;
    *out = *in;
    out->compression = TP_CAMERA_COMPRESS_JPEG;
    out->image = bytes;
    out->image_count = (uint32_t)length;
    return TP_OK;
}

static tp_status expand(struct camera *c, const tp_camera_data *in, tp_camera_data *out,
                        tp_error *err)
{
    uint8_t *pixels = NULL;
    uint32_t width = 0;
    uint32_t height = 0;
    unsigned channels = 0;
    const tp_status status =
        tpi_jpeg_get(in->image, in->image_count, &pixels, &width, &height, &channels, err);

    if (status != TP_OK) {
        return status;
    }
    free(c->made);
    c->made = pixels;
    *out = *in;
    out->width = width;
    out->height = height;
    out->bpp = 8 * channels;
    out->format = channels == 3 ? TP_CAMERA_FORMAT_RGB888 : TP_CAMERA_FORMAT_MONO8;
    out->compression = TP_CAMERA_COMPRESS_RAW;
    out->image = pixels;
    out->image_count = width * height * channels;
    return TP_OK;
}

static tp_status make(struct camera *c, const tp_camera_data *in, tp_camera_data *out,
                      tp_error *err)
{
    if ((in->compression == TP_CAMERA_COMPRESS_JPEG) != c->expands) {
        *out = *in;
        return TP_OK;
    }
    return c->expands ? expand(c, in, out, err) : squeeze(c, in, out, err);
}

static void keep(struct camera *c, const tp_msg *msg)
{
    tp_msg *before = c->last;

    c->last = msg == NULL ? NULL : tp_msg_ref(msg);
    tp_msg_unref(before);
}

static void camera_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct camera *c = tp_instance_state(self);
    const tp_msghdr *header = tp_msg_header(msg);
    tp_camera_data out;
    tp_error err = {0};

    (void)from;
    if (header->subtype != TP_CAMERA_DATA_STATE || tp_msg_payload(msg) == NULL ||
        (c->new_only && c->last != NULL && header->timestamp == c->time)) {
        return;
    }
    keep(c, msg);
    c->time = header->timestamp;
    if (c->asked_only) {
        return;
    }
    if (make(c, tp_msg_payload(msg), &out, &err) == TP_OK) {
        tp_camera_publish_state(c->device, &out, header->timestamp);
        c->noted = false;
    } else if (!c->noted) {
        tp_instance_note(self, err.text);
        c->noted = true;
    }
}

static tp_status get_image(tp_device *device, tp_camera_data *answer, tp_error *err)
{
    struct camera *c = tp_instance_state(tp_device_instance(device));

    return c->last != NULL ? make(c, tp_msg_payload(c->last), answer, err)
                           : tp_fail(err, TP_E_UNKNOWN, "no picture has come yet");
}

static const tp_camera_ops camera_ops = {.req_get_image = get_image};

static tp_status begin(tp_instance *self, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    const tp_status status = tp_require(self, &tp_interface_camera, NULL, &c->link, err);

    if (tp_param_double(self, "save") != 0) {
        tp_param_blame(self, "save");
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "save is not supported: `troupe log` or the driver log records pictures");
    }
    return status == TP_OK ? tp_offer_camera(self, NULL, &camera_ops, &c->device, err) : status;
}

static tp_status compress_init(tp_instance *self, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    const double quality = tp_param_double(self, "image_quality");

    tp_param_blame(self, "image_quality");
    if (!(quality > 0 && quality <= 1)) {
        return tp_fail(err, TP_E_RANGE, "image_quality is %g, not above 0 and up to 1", quality);
    }
    c->quality = (unsigned)(quality * 99) + 1;
    c->asked_only = tp_param_double(self, "request_only") != 0;
    c->new_only = tp_param_double(self, "check_timestamps") != 0;
    return begin(self, err);
}

static tp_status expand_init(tp_instance *self, tp_error *err)
{
    struct camera *c = tp_instance_state(self);

    c->expands = true;
    return begin(self, err);
}

static void camera_stop(tp_instance *self)
{
    keep(tp_instance_state(self), NULL);
}

static void camera_fini(tp_instance *self)
{
    struct camera *c = tp_instance_state(self);

    keep(c, NULL);
    free(c->made);
}

static const tp_driver_ops compress_ops = {
    .init = compress_init, .data = camera_data, .stop = camera_stop, .fini = camera_fini};
static const tp_driver_ops expand_ops = {
    .init = expand_init, .data = camera_data, .stop = camera_stop, .fini = camera_fini};

TP_API const tp_driver tp_driver_cameracompress = {
    .abi = TP_DRIVER_ABI,
    .name = "cameracompress",
    .summary = "pictures of a camera as JPEG",
    .state_size = sizeof(struct camera),
    .params = compress_params,
    .ops = &compress_ops,
};

TP_API const tp_driver tp_driver_camerauncompress = {
    .abi = TP_DRIVER_ABI,
    .name = "camerauncompress",
    .summary = "JPEG pictures of a camera as pixels",
    .state_size = sizeof(struct camera),
    .params = expand_params,
    .ops = &expand_ops,
};
