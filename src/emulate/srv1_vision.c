/*
 * srv1_vision.c - pictures and blobs of an emulated SRV-1; see srv1.h.
 *
 * Colours are brightness (y) and two differences (u, v), from 0 to 255. A bin is a range of each.
 * Blobs are looked for in a picture of 160 by 120 points, whatever the camera has; their corners
 * are points of the camera's picture.
 */
#include <stdlib.h>
#include <string.h>

#include "emulate/srv1.h"
#include "sim/sense/sensors.h"

enum { MOST_BLOBS = 16, LEAST_POINTS = 4 };

struct blob {
    unsigned count, left, right, top, bottom;
};

/* ---- Pictures -------------------------------------------------------------------------------- */

void tpi_srv1_use_camera(tpi_emu *emu, unsigned camera)
{
    struct srv1 *s = srv1_of(emu);

    tpi_sim_unsubscribe(emu->body.sim, s->parts.cameras[s->vision.camera]);
    s->vision.camera = camera;
    tpi_sim_subscribe(emu->body.sim, s->parts.cameras[camera]);
}

/* False if the camera has not looked yet. */
static bool get_image(tpi_emu *emu, tpi_sim_image *image)
{
    const struct srv1 *s = srv1_of(emu);

    return tpi_sim_get_image(emu->body.sim, s->parts.cameras[s->vision.camera], image, NULL) ==
               TP_OK &&
           image->time_us >= 0 && image->width > 0 && image->height > 0;
}

void tpi_srv1_send_frame(tpi_emu *emu)
{
    static const char sizes[SRV1_CAMERAS] = {'3', '5', '7'};
    struct srv1 *s = srv1_of(emu);
    tpi_sim_image image;
    tpi_buf frame = {0};

    s->vision.owes = !get_image(emu, &image);
    if (s->vision.owes) {
        return;
    }
    tpi_buf_puts(&frame, "##IMJ?????");
    if (tpi_srv1_put_jpeg(&frame, image.rgb, image.width, image.height,
                          100 - 10 * s->vision.quality)) {
        frame.data[5] = sizes[s->vision.camera];
        tpi_put_le32((uint8_t *)frame.data + 6, (uint32_t)(frame.length - 10));
        tpi_emu_say(emu, frame.data, frame.length, "a picture, %u by %u, %zu bytes", image.width,
                    image.height, frame.length - 10);
    }
    tpi_buf_fini(&frame);
}

/* ---- Colours --------------------------------------------------------------------------------- */

static uint8_t clamp(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void to_yuv(const uint8_t *rgb, uint8_t yuv[3])
{
    const int r = rgb[0];
    const int g = rgb[1];
    const int b = rgb[2];

    yuv[0] = clamp((299 * r + 587 * g + 114 * b) / 1000);
    yuv[1] = clamp(128 + (-169 * r - 331 * g + 500 * b) / 1000);
    yuv[2] = clamp(128 + (500 * r - 419 * g - 81 * b) / 1000);
}

static bool fits(const uint8_t *bin, const uint8_t *rgb)
{
    uint8_t yuv[3];

    to_yuv(rgb, yuv);
    return yuv[0] >= bin[0] && yuv[0] <= bin[1] && yuv[1] >= bin[2] && yuv[1] <= bin[3] &&
           yuv[2] >= bin[4] && yuv[2] <= bin[5];
}

/* ---- Blobs ----------------------------------------------------------------------------------- */

static void make_mask(struct srv1_vision *vision, const tpi_sim_image *image, const uint8_t *bin)
{
    for (unsigned y = 0; y < SRV1_ROWS; y++) {
        for (unsigned x = 0; x < SRV1_COLUMNS; x++) {
            const size_t column = (size_t)x * image->width / SRV1_COLUMNS;
            const size_t row = (size_t)y * image->height / SRV1_ROWS;
            vision->mask[y * SRV1_COLUMNS + x] =
                fits(bin, image->rgb + 3 * (row * image->width + column));
        }
    }
}

static void push(struct srv1_vision *vision, size_t *depth, unsigned at)
{
    if (vision->mask[at]) {
        vision->mask[at] = false;
        vision->stack[(*depth)++] = (uint16_t)at;
    }
}

/* Take all points that hang together with one out of the mask. */
static struct blob take_blob(struct srv1_vision *vision, unsigned at)
{
    struct blob blob = {.left = SRV1_COLUMNS, .top = SRV1_ROWS};
    size_t depth = 0;

    push(vision, &depth, at);
    while (depth > 0) {
        const unsigned point = vision->stack[--depth];
        const unsigned x = point % SRV1_COLUMNS;
        const unsigned y = point / SRV1_COLUMNS;
        blob.count++;
        blob.left = x < blob.left ? x : blob.left;
        blob.right = x > blob.right ? x : blob.right;
        blob.top = y < blob.top ? y : blob.top;
        blob.bottom = y > blob.bottom ? y : blob.bottom;
        if (x > 0) {
            push(vision, &depth, point - 1);
        }
        if (x + 1 < SRV1_COLUMNS) {
            push(vision, &depth, point + 1);
        }
        if (y > 0) {
            push(vision, &depth, point - SRV1_COLUMNS);
        }
        if (y + 1 < SRV1_ROWS) {
            push(vision, &depth, point + SRV1_COLUMNS);
        }
    }
    return blob;
}

/* Keep the largest, in order. */
static void keep_blob(struct blob *blobs, unsigned *count, const struct blob *blob)
{
    unsigned at = *count;

    while (at > 0 && blobs[at - 1].count < blob->count) {
        at--;
    }
    if (at < MOST_BLOBS) {
        const unsigned kept = *count < MOST_BLOBS ? *count : MOST_BLOBS - 1;
        memmove(&blobs[at + 1], &blobs[at], (kept - at) * sizeof blobs[0]);
        blobs[at] = *blob;
        *count = kept + 1;
    }
}

static unsigned find_blobs(struct srv1_vision *vision, struct blob blobs[MOST_BLOBS])
{
    unsigned count = 0;

    for (unsigned i = 0; i < SRV1_COLUMNS * SRV1_ROWS; i++) {
        if (vision->mask[i]) {
            const struct blob blob = take_blob(vision, i);
            if (blob.count >= LEAST_POINTS) {
                keep_blob(blobs, &count, &blob);
            }
        }
    }
    return count;
}

static void say_blobs(tpi_emu *emu, uint8_t digit)
{
    struct srv1_vision *vision = &srv1_of(emu)->vision;
    struct blob blobs[MOST_BLOBS];
    tpi_sim_image image = {0};
    tpi_buf text = {0};
    unsigned count = 0;

    if (get_image(emu, &image)) {
        make_mask(vision, &image, vision->bins[digit - '0']);
        count = find_blobs(vision, blobs);
    }
    const unsigned across = image.width > SRV1_COLUMNS ? image.width / SRV1_COLUMNS : 1;
    tpi_buf_printf(&text, "vb%c %u", digit, count);
    for (unsigned i = 0; i < count; i++) {
        tpi_buf_printf(&text, "\r\n %u %u %u %u %u", blobs[i].count * across * across,
                       blobs[i].left * across, blobs[i].right * across, blobs[i].top * across,
                       blobs[i].bottom * across);
    }
    tpi_srv1_say(emu, "%s", tpi_buf_text(&text));
    tpi_buf_fini(&text);
}

/* ---- Commands -------------------------------------------------------------------------------- */

size_t tpi_srv1_vision_length(uint8_t letter)
{
    switch (letter) {
    case 'b':
        return 3;
    case 'c':
        return 3 + 3 * SRV1_CHANNELS;
    case 'p':
        return 10;
    default:
        return 2;
    }
}

/* A number of digits; -1 if it is none. */
static int number_of(const uint8_t *digits, unsigned count)
{
    int value = 0;

    for (unsigned i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return -1;
        }
        value = 10 * value + digits[i] - '0';
    }
    return value;
}

/* "vc3" and six numbers of three digits. */
static bool set_bin(tpi_emu *emu, const uint8_t *c)
{
    uint8_t bin[SRV1_CHANNELS];

    for (unsigned i = 0; i < SRV1_CHANNELS; i++) {
        const int value = number_of(c + 3 + 3 * i, 3);
        if (value < 0) {
            return false;
        }
        bin[i] = clamp(value);
    }
    memcpy(srv1_of(emu)->vision.bins[c[2] - '0'], bin, sizeof bin);
    tpi_srv1_say(emu, "vc %c", c[2]);
    return true;
}

static bool say_pixel(tpi_emu *emu, const uint8_t *c)
{
    const int x = number_of(c + 2, 4);
    const int y = number_of(c + 6, 4);
    uint8_t yuv[3] = {0, 128, 128};
    tpi_sim_image image;

    if (x < 0 || y < 0) {
        return false;
    }
    if (get_image(emu, &image) && (uint32_t)x < image.width && (uint32_t)y < image.height) {
        to_yuv(image.rgb + 3 * ((size_t)y * image.width + (size_t)x), yuv);
    }
    tpi_srv1_say(emu, "vp %u %u %u", yuv[0], yuv[1], yuv[2]);
    return true;
}

static void say_mean(tpi_emu *emu)
{
    uint64_t sums[3] = {0};
    tpi_sim_image image = {0};
    const size_t points = get_image(emu, &image) ? (size_t)image.width * image.height : 0;

    for (size_t i = 0; i < points; i++) {
        uint8_t yuv[3];
        to_yuv(image.rgb + 3 * i, yuv);
        for (unsigned k = 0; k < 3; k++) {
            sums[k] += yuv[k];
        }
    }
    const size_t divisor = points > 0 ? points : 1;
    tpi_srv1_say(emu, "vmean %u %u %u", (unsigned)(sums[0] / divisor),
                 (unsigned)(sums[1] / divisor), (unsigned)(sums[2] / divisor));
}

bool tpi_srv1_see(tpi_emu *emu, const uint8_t *command)
{
    const bool has_bin = command[2] >= '0' && command[2] <= '9';

    switch (command[1]) {
    case 'b':
        if (has_bin) {
            say_blobs(emu, command[2]);
        }
        return has_bin;
    case 'c':
        return has_bin && set_bin(emu, command);
    case 'p':
        return say_pixel(emu, command);
    case 'm':
        say_mean(emu);
        return true;
    default:
        return false;
    }
}
