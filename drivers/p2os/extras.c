/*
 * extras.c - what not every robot has: a gyroscope, a colour tracker CMUcam on the second auxiliary
 * line, and sounds that an AmigoBot keeps.
 *
 * The gyroscope reports with 0x98: how many readings, and each of them (two bytes) with a
 * temperature, 25 ms apart. What it says while the wheels stand is its zero.
 *
 * The camera hears texts that the robot passes on (TTY3), and is heard when the robot is asked for
 * bytes of that line (GETAUX2), which come with 0xb8. A patch is FF, `M`, its centre, its corners,
 * how many pixels it has, and how sure the camera is.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "p2os.h"
#include "troupe/driver/audio.h"
#include "troupe/driver/blobfinder.h"
#include "troupe/driver/position2d.h"

enum {
    GYRO_PACKET = 0x98,
    AUX2_PACKET = 0xb8,
    MIDDLE = 512,          /* of readings, until the zero is known */
    PATCH = 10,            /* bytes of the camera's message */
    ASKED = 2 * PATCH - 1, /* one of them is whole among so many */
    WIDTH = 80,
    HEIGHT = 143,
};

static const double pi = 3.14159265358979323846;
static const double reading_radps = 5.0 / 1023 * 300 / 2.5 * 3.14159265358979323846 / 180;
static const double reading_s = 0.025;

/* ---- The gyroscope --------------------------------------------------------------------------- */

static void take_reading(struct p2os *p, unsigned reading)
{
    struct p2os_gyro *g = &p->gyro_state;

    if (!p->rolls) { /* a mean of the last ones */
        g->zero += (reading - g->zero) * (g->readings < 20 ? 1.0 / (g->readings + 1) : 0.05);
        g->readings++;
    }
    g->rate = g->readings == 0 ? 0 : (g->zero - reading) * reading_radps;
    g->heading = remainder(g->heading + (p->rolls ? g->rate * reading_s : 0), 2 * pi);
}

static void take_gyro(struct p2os *p, const uint8_t *payload, size_t length)
{
    if (p->gyro == NULL || length < 2 || payload[1] == 0 || length != 2 + 3 * (size_t)payload[1]) {
        return;
    }
    for (size_t i = 0; i < payload[1]; i++) {
        take_reading(p, p2os_u16(payload + 2 + 3 * i));
    }
    const tp_position2d_data data = {.pos = {.pa = p->gyro_state.heading},
                                     .vel = {.pa = p->gyro_state.rate}};
    tp_publish(p->gyro, TP_POSITION2D_DATA_STATE, &data, 0);
}

static tp_status no_velocity(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    return tp_fail(err, TP_E_UNSUPPORTED, "a gyroscope does not drive");
}

static tp_status no_size(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)answer;
    (void)err;
    return TP_OK;
}

static tp_status reset_heading(tp_device *device, tp_error *err)
{
    (void)err;
    p2os_of(device)->gyro_state.heading = 0;
    return TP_OK;
}

static const tp_position2d_ops gyro_ops = {
    .cmd_vel = no_velocity, .req_get_geom = no_size, .req_reset_odom = reset_heading};

/* ---- The camera ------------------------------------------------------------------------------ */

static tp_status tell_camera(tp_instance *self, const char *text, tp_error *err)
{
    uint8_t payload[3 + P2OS_MOST_TEXT] = {P2OS_TTY3, 0x2b, (uint8_t)strlen(text)};

    memcpy(payload + 3, text, payload[2]);
    return tpi_p2os_say_all(self, payload, 3U + payload[2], err);
}

static void take_patch(struct p2os *p)
{
    const uint8_t *at = p->camera.bytes;
    tp_blobfinder_blob blob = {.color = p->camera.color,
                               .x = at[2],
                               .y = at[3],
                               .left = at[4],
                               .top = at[5],
                               .right = at[6],
                               .bottom = at[7]};
    const bool seen = at[9] > 0 && at[6] >= at[4] && at[7] >= at[5];
    const tp_blobfinder_data data = {
        .width = WIDTH, .height = HEIGHT, .blobs_count = seen, .blobs = &blob};

    /* how sure it is, is the part of the frame that has the colour */
    blob.area = seen ? (uint32_t)((at[6] - at[4] + 1) * (at[7] - at[5] + 1) * at[9] / 255) : 0;
    tp_publish(p->blobs, TP_BLOBFINDER_DATA_BLOBS, &data, 0);
}

/* A message begins with FF, which is nowhere else in it. */
static void take_camera(struct p2os *p, const uint8_t *bytes, size_t length)
{
    struct p2os_camera *c = &p->camera;

    c->asked_ns = 0;
    for (size_t i = 0; i < length && p->blobs != NULL; i++) {
        if (bytes[i] == 0xff) {
            c->length = 0;
        } else if (c->length == 0) {
            continue;
        }
        c->bytes[c->length++] = bytes[i];
        if (c->length == PATCH) {
            if (c->bytes[1] == 'M') {
                take_patch(p);
            }
            c->length = 0;
        }
    }
}

/* Part of a colour, of which -1 (in 32 bits) means "what is seen now". */
static tp_status set_color(tp_device *device, const tp_blobfinder_color_config *ask, tp_error *err)
{
    struct p2os *p = p2os_of(device);
    tp_instance *self = tp_device_instance(device);
    const uint32_t parts[] = {ask->rmin, ask->rmax, ask->gmin, ask->gmax, ask->bmin, ask->bmax};
    char text[P2OS_MOST_TEXT];
    bool seen_now = true;

    for (unsigned i = 0; i < 6; i++) {
        seen_now = seen_now && parts[i] == UINT32_MAX;
    }
    for (unsigned i = 0; i < 6 && !seen_now; i++) {
        if (parts[i] > 255) {
            return tp_fail(err, TP_E_RANGE, "parts of a colour are from 0 to 255, not %u",
                           (unsigned)parts[i]);
        }
    }
    (void)snprintf(text, sizeof text, "TC %u %u %u %u %u %u\r", parts[0] & 255, parts[1] & 255,
                   parts[2] & 255, parts[3] & 255, parts[4] & 255, parts[5] & 255);
    p->camera.color = seen_now ? 0xff0000
                               : ((parts[0] + parts[1]) / 2) << 16 |
                                     ((parts[2] + parts[3]) / 2) << 8 | (parts[4] + parts[5]) / 2;
    const tp_status status = tell_camera(self, "\r", err);
    return status == TP_OK ? tell_camera(self, seen_now ? "TW\r" : text, err) : status;
}

static const tp_blobfinder_ops blob_ops = {.req_set_color = set_color};

/* ---- Sounds ---------------------------------------------------------------------------------- */

static tp_status play_sample(tp_device *device, const tp_audio_sample_item *ask, tp_error *err)
{
    if (ask->index < 0 || ask->index > 255) {
        return tp_fail(err, TP_E_RANGE, "sounds have numbers from 0 to 255, not %d",
                       (int)ask->index);
    }
    return tpi_p2os_say(tp_device_instance(device), P2OS_SOUND, ask->index, err);
}

static const tp_audio_ops audio_ops = {.cmd_sample_play = play_sample};

/* ---- All of them ----------------------------------------------------------------------------- */

tp_status tpi_p2os_offer_extras(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    tp_status status = TP_OK;

    if (tp_provides(self, &tp_interface_position2d, "gyro")) {
        status = tp_offer_position2d(self, "gyro", &gyro_ops, &p->gyro, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_blobfinder, NULL)) {
        status = tp_offer_blobfinder(self, NULL, &blob_ops, &p->blobs, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_audio, NULL)) {
        status = tp_offer_audio(self, NULL, &audio_ops, &p->audio, err);
    }
    return status;
}

/* The camera begins anew, says its numbers as bytes, and tracks the colour that it knows. */
tp_status tpi_p2os_start_extras(tp_instance *self, tp_error *err)
{
    static const char *const words[] = {"\r", "RS\r", "RM 3\r", "TC\r"};
    struct p2os *p = tp_instance_state(self);
    tp_status status = TP_OK;

    p->gyro_state = (struct p2os_gyro){.zero = MIDDLE};
    p->camera = (struct p2os_camera){.color = 0xff0000};
    if (p->gyro != NULL) {
        status = tpi_p2os_say(self, P2OS_GYRO, 1, err);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0] && p->blobs != NULL && status == TP_OK;
         i++) {
        status = tell_camera(self, words[i], err);
    }
    return status;
}

tp_status tpi_p2os_poll_extras(tp_instance *self, tp_error *err)
{
    struct p2os *p = tp_instance_state(self);
    const int64_t now = tp_clock_now_ns(tp_instance_clock(self));

    if (p->blobs == NULL || (p->camera.asked_ns != 0 && now - p->camera.asked_ns < TP_NS_PER_S)) {
        return TP_OK;
    }
    p->camera.asked_ns = now;
    return tpi_p2os_say(self, P2OS_GETAUX2, ASKED, err);
}

void tpi_p2os_report_extras(struct p2os *p, const uint8_t *payload, size_t length)
{
    if (payload[0] == GYRO_PACKET) {
        take_gyro(p, payload, length);
    } else if (payload[0] == AUX2_PACKET) {
        take_camera(p, payload + 1, length - 1);
    }
}
