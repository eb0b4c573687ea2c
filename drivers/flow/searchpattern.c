/*
 * searchpattern - finds patterns of black and white regions in the pictures of a camera.
 *
 * Names and options are Player's. regions.h has the method.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regions.h"
#include "troupe/driver/blobfinder.h"
#include "troupe/interfaces/camera.h"

enum { MOST_PATTERNS = 32, MOST_BLOBS = 256 };

struct search {
    tp_device *device; /* borrowed */
    tp_link *link;     /* borrowed: the camera */
    struct {
        uint32_t color;
        char form[REGIONS_FORM];
    } patterns[MOST_PATTERNS];
    size_t count;
    double threshold, least;
    struct regions regions;
    uint8_t *white; /* owned */
    size_t room;
    bool noted; /* a picture that cannot be read was told */
    tp_blobfinder_blob blobs[MOST_BLOBS];
};

static const tp_param search_params[] = {
    {"patterns", NULL, NULL, "each a colour and regions: (0x00ff0000 (black (white (black))))"},
    {"threshold", "1", "112", "what is at least so light is white, of 255"},
    {"min_blob_pixels", "1", "16", "smaller regions are left out"},
    {"sleep_nsec", "1", "0", "ignored; for configurations made for Player"},
    {"debug", "bool", "no", "ignored; for configurations made for Player"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The picture in black and white. */
static tp_status split(struct search *s, const tp_camera_data *in, tp_error *err)
{
    const size_t channels = in->format == TP_CAMERA_FORMAT_RGB888  ? 3
                            : in->format == TP_CAMERA_FORMAT_MONO8 ? 1
                                                                   : 0;
    const uint64_t pixels = (uint64_t)in->width * in->height;

    if (in->compression != TP_CAMERA_COMPRESS_RAW || channels == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "pictures are neither RGB888 nor MONO8: camerauncompress may help");
    }
    if (pixels > REGIONS_MOST_PIXELS || in->image_count < pixels * channels) {
        return tp_fail(err, TP_E_LIMIT, "a picture of %u by %u has %u bytes", (unsigned)in->width,
                       (unsigned)in->height, (unsigned)in->image_count);
    }
    if (s->room < pixels) {
        free(s->white);
        s->white = malloc(pixels);
        s->room = s->white == NULL ? 0 : pixels;
    }
    for (size_t i = 0; i < pixels && s->white != NULL; i++) {
        const uint8_t *at = in->image + i * channels;
        const double light = channels == 1 ? at[0] : 0.299 * at[0] + 0.587 * at[1] + 0.114 * at[2];
        s->white[i] = light >= s->threshold;
    }
    return s->white == NULL && pixels > 0 ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

static uint32_t match_all(struct search *s)
{
    uint32_t count = 0;

    for (size_t i = 0; i < s->regions.count; i++) {
        const struct region *r = &s->regions.all[i];
        for (size_t k = 0; k < s->count && count < MOST_BLOBS && r->form[0] != '\0'; k++) {
            if (strcmp(r->form, s->patterns[k].form) == 0) {
                s->blobs[count++] = (tp_blobfinder_blob){.id = (uint32_t)k,
                                                         .color = s->patterns[k].color,
                                                         .area = r->area,
                                                         .x = (r->left + r->right) / 2,
                                                         .y = (r->top + r->bottom) / 2,
                                                         .left = r->left,
                                                         .right = r->right,
                                                         .top = r->top,
                                                         .bottom = r->bottom};
            }
        }
    }
    return count;
}

static void search_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct search *s = tp_instance_state(self);
    const tp_camera_data *in = tp_msg_payload(msg);
    tp_error err = {0};

    (void)from;
    if (tp_msg_header(msg)->subtype != TP_CAMERA_DATA_STATE || in == NULL) {
        return;
    }
    tp_status status = split(s, in, &err);
    if (status == TP_OK &&
        !tpi_regions_find(&s->regions, s->white, in->width, in->height, (uint32_t)s->least)) {
        status = tp_fail(&err, TP_E_NOMEM, "out of memory");
    }
    if (status == TP_OK) {
        const tp_blobfinder_data data = {.width = in->width,
                                         .height = in->height,
                                         .blobs_count = match_all(s),
                                         .blobs = s->blobs};
        tp_blobfinder_publish_blobs(s->device, &data, tp_msg_header(msg)->timestamp);
        s->noted = false;
    } else if (!s->noted) {
        tp_instance_note(self, err.text);
        s->noted = true;
    }
}

static const tp_blobfinder_ops search_ops = {0};

/* ---- Life ------------------------------------------------------------------------------------ */

/* "(0x00ff0000 (black ...))": a colour and a list. */
static tp_status read_pattern(struct search *s, const char *text, tp_error *err)
{
    char inner[512];
    char *end = NULL;
    const size_t length = strlen(text);
    const char *at = text + strspn(text, " ");

    if (s->count == MOST_PATTERNS) {
        return tp_fail(err, TP_E_LIMIT, "there are more than %d patterns", MOST_PATTERNS);
    }
    const unsigned long color = strncmp(at, "(0x", 3) == 0 ? strtoul(at + 1, &end, 16) : 0;
    const char *last = strrchr(text, ')');
    if (end == NULL || end <= at + 3 || last == NULL || last < end || length >= sizeof inner ||
        color > 0xffffffff) {
        return tp_fail(err, TP_E_SYNTAX, "the pattern \"%.60s\" is no list with a colour", text);
    }
    memcpy(inner, end, (size_t)(last - end));
    inner[last - end] = '\0';
    if (!tpi_regions_form(inner, s->patterns[s->count].form)) {
        return tp_fail(err, TP_E_SYNTAX,
                       "the pattern \"%.60s\" is no list of black and white, or too large", text);
    }
    s->patterns[s->count++].color = (uint32_t)color;
    return TP_OK;
}

static tp_status read_patterns(tp_instance *self, struct search *s, tp_error *err)
{
    const size_t count = tp_param_count(self, "patterns");
    tp_status status = TP_OK;

    tp_param_blame(self, "patterns");
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        status = read_pattern(s, tp_param_string_at(self, "patterns", i), err);
    }
    return status == TP_OK && s->count == 0 ? tp_fail(err, TP_E_INVALID, "which patterns?")
                                            : status;
}

static tp_status search_init(tp_instance *self, tp_error *err)
{
    struct search *s = tp_instance_state(self);
    const struct {
        const char *name;
        double low, high;
        double *out;
    } numbers[] = {{"threshold", 0, 255, &s->threshold}, {"min_blob_pixels", 1, 1e6, &s->least}};
    tp_status status = TP_OK;

    for (size_t i = 0; i < 2; i++) {
        *numbers[i].out = tp_param_double(self, numbers[i].name);
        if (!(*numbers[i].out >= numbers[i].low && *numbers[i].out <= numbers[i].high)) {
            tp_param_blame(self, numbers[i].name);
            return tp_fail(err, TP_E_RANGE, "%s is not from %g to %g", numbers[i].name,
                           numbers[i].low, numbers[i].high);
        }
    }
    status = read_patterns(self, s, err);
    status = status == TP_OK ? tp_require(self, &tp_interface_camera, NULL, &s->link, err) : status;
    return status == TP_OK ? tp_offer_blobfinder(self, NULL, &search_ops, &s->device, err) : status;
}

static void search_fini(tp_instance *self)
{
    struct search *s = tp_instance_state(self);

    tpi_regions_fini(&s->regions);
    free(s->white);
}

static const tp_driver_ops searchpattern_ops = {
    .init = search_init, .data = search_data, .fini = search_fini};

extern const tp_driver tp_driver_searchpattern;
TP_API const tp_driver tp_driver_searchpattern = {
    .abi = TP_DRIVER_ABI,
    .name = "searchpattern",
    .summary = "finds patterns of black and white in pictures",
    .state_size = sizeof(struct search),
    .params = search_params,
    .ops = &searchpattern_ops,
};
