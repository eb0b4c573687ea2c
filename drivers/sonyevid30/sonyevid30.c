/*
 * sonyevid30 - cameras of Sony that turn and zoom: EVI-D30, D31, D70 and D100, which speak VISCA.
 *
 * One message is under way at a time. A command is acknowledged at once and done later; two can be
 * in progress, each in a socket of the camera. A new goal cancels the command of the old one. See
 * README.md. Not supported: chains of cameras, focus, memories.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "troupe/driver/ptz.h"
#include "troupe/port.h"
#include "visca.h"

static const double degree = 3.14159265358979323846 / 180;
static const int64_t patience_ns = 500 * TP_NS_PER_MS;

/* What makes differ in. */
struct model {
    unsigned number; /* as the camera says it */
    const char *name;
    double pan, tilt;          /* degrees to each side, at these numbers: */
    int pan_units, tilt_units; /* */
    int zoom_units;            /* at the narrowest view; 0 is the widest */
    double wide, narrow;       /* degrees */
    double pan_speed,
        tilt_speed; /* degrees per second at the highest numbers, which are 24 and 20 */
};

static const struct model models[] = {
    {0x0402, "EVI-D30", 100, 25, 0x370, 0x12c, 0x3ff, 48.8, 4.4, 80, 50},
    {0x040e, "EVI-D70", 170, 30, 0x8db, 0x190, 0x4000, 48, 2.7, 100, 90},
    {0x040d, "EVI-D100", 100, 25, 0x5a0, 0x168, 0x4000, 65, 6.6, 300, 125},
};

enum { PAN_FASTEST = 0x18, TILT_FASTEST = 0x14 };

/* What was asked of the camera, and is not done. */
struct errand {
    bool wanted;     /* to be sent */
    unsigned socket; /* in which it is done; 0 for none */
};

enum talk { NOTHING, ASKED_PLACE, ASKED_ZOOM, TURNS, ZOOMS, CANCELS };

struct camera {
    tp_device *device;
    tp_port *port; /* owned; NULL unless it runs */
    struct visca_reader reader;
    const struct model *model;
    double wide, narrow; /* radians, of the configuration or the model */
    bool by_speed;       /* the control mode */
    tp_ptz_cmd goal;
    tp_ptz_data seen;
    struct errand turn, zoom;
    enum talk talk; /* what is under way */
    int64_t talk_ns, heard_ns, asked_ns, retry_ns;
    int64_t timeout_ns;
    bool ask_zoom; /* the next inquiry is for the zoom */
};

static const tp_param camera_params[] = {
    {"port", "line", "/dev/ttyS2", "the line, for instance /dev/ttyUSB0"},
    {"baud", "1", "9600", "speed of a serial line"},
    {"fov", "rad rad", "0 0", "narrowest and widest field of view; 0 0 for those of the camera"},
    {"timeout", "s", "3", "a camera that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

static struct camera *camera_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

static double limited(double value, double low, double high)
{
    return fmax(low, fmin(high, value));
}

/* ---- Sending --------------------------------------------------------------------------------- */

static tp_status send(tp_instance *self, enum talk talk, const uint8_t *bytes, size_t length,
                      tp_error *err)
{
    struct camera *c = tp_instance_state(self);

    c->talk = talk;
    c->talk_ns = now_ns(self);
    return tp_port_write(c->port, bytes, length, err);
}

static int speed_of(float wanted, double fastest, int most)
{
    const double share = wanted == 0.0f ? 1 : fabs((double)wanted) / (fastest * degree);

    return (int)limited(ceil(share * most), 1, most);
}

/* To angles: the camera counts them to the right. */
static tp_status send_angles(tp_instance *self, tp_error *err)
{
    const struct camera *c = tp_instance_state(self);
    const struct model *m = c->model;
    const double pan = limited((double)-c->goal.pan / degree, -m->pan, m->pan);
    const double tilt = limited((double)c->goal.tilt / degree, -m->tilt, m->tilt);
    uint8_t out[] = {0x81, 1, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff};

    out[4] = (uint8_t)speed_of(c->goal.panspeed, m->pan_speed, PAN_FASTEST);
    out[5] = (uint8_t)speed_of(c->goal.tiltspeed, m->tilt_speed, TILT_FASTEST);
    tpi_visca_put_number(out + 6, (int)lrint(pan / m->pan * m->pan_units));
    tpi_visca_put_number(out + 10, (int)lrint(tilt / m->tilt * m->tilt_units));
    return send(self, TURNS, out, sizeof out, err);
}

/* 1 is left or up, 2 right or down, 3 stands. */
static uint8_t way_of(float speed)
{
    return speed > 0 ? 1 : speed < 0 ? 2 : 3;
}

static tp_status send_speeds(tp_instance *self, tp_error *err)
{
    const struct camera *c = tp_instance_state(self);
    const uint8_t out[] = {0x81,
                           1,
                           6,
                           1,
                           (uint8_t)speed_of(c->goal.panspeed, c->model->pan_speed, PAN_FASTEST),
                           (uint8_t)speed_of(c->goal.tiltspeed, c->model->tilt_speed, TILT_FASTEST),
                           way_of(c->goal.panspeed),
                           way_of(c->goal.tiltspeed),
                           0xff};

    return send(self, TURNS, out, sizeof out, err);
}

static tp_status send_zoom(tp_instance *self, tp_error *err)
{
    const struct camera *c = tp_instance_state(self);
    const double view = limited((double)c->goal.zoom, c->narrow, c->wide);
    uint8_t out[] = {0x81, 1, 4, 0x47, 0, 0, 0, 0, 0xff};

    tpi_visca_put_number(
        out + 4, (int)lrint((c->wide - view) / (c->wide - c->narrow) * c->model->zoom_units));
    return send(self, ZOOMS, out, sizeof out, err);
}

/* One errand: cancel the command that does the old one, or send. */
static tp_status follow(tp_instance *self, struct errand *errand,
                        tp_status (*tell)(tp_instance *self, tp_error *err), tp_error *err)
{
    if (errand->socket != 0) {
        const uint8_t out[] = {0x81, (uint8_t)(0x20 | errand->socket), 0xff};
        errand->socket = 0;
        return send(self, CANCELS, out, sizeof out, err);
    }
    errand->wanted = false;
    return tell(self, err);
}

/* Send the next message, if none is under way. */
static tp_status say_next(tp_instance *self, tp_error *err)
{
    static const uint8_t place[] = {0x81, 9, 6, 0x12, 0xff}, zoom[] = {0x81, 9, 4, 0x47, 0xff};
    struct camera *c = tp_instance_state(self);
    const int64_t now = now_ns(self);

    if (c->talk != NOTHING && now - c->talk_ns < patience_ns) {
        return TP_OK;
    }
    if (c->turn.wanted && now >= c->retry_ns) {
        return follow(self, &c->turn, c->by_speed ? send_speeds : send_angles, err);
    }
    if (c->zoom.wanted && now >= c->retry_ns) {
        return follow(self, &c->zoom, send_zoom, err);
    }
    if (!c->ask_zoom && now - c->asked_ns < 100 * TP_NS_PER_MS) {
        c->talk = NOTHING;
        return TP_OK;
    }
    c->ask_zoom = !c->ask_zoom; /* a place, and the zoom at once behind it */
    if (!c->ask_zoom) {
        return send(self, ASKED_ZOOM, zoom, sizeof zoom, err);
    }
    c->asked_ns = now;
    return send(self, ASKED_PLACE, place, sizeof place, err);
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static void take_place(struct camera *c, const uint8_t *data)
{
    const struct model *m = c->model;

    c->seen.pan = (float)(-tpi_visca_number(data) * m->pan / m->pan_units * degree);
    c->seen.tilt = (float)(tpi_visca_number(data + 4) * m->tilt / m->tilt_units * degree);
    tp_ptz_publish_state(c->device, &c->seen, 0);
}

static void take_answer(struct camera *c)
{
    const uint8_t *data = c->reader.bytes + 2;

    if (c->talk == ASKED_PLACE && c->reader.length == 11) {
        take_place(c, data);
    } else if (c->talk == ASKED_ZOOM && c->reader.length == 7) {
        const double share = limited((double)tpi_visca_number(data) / c->model->zoom_units, 0, 1);
        c->seen.zoom = (float)(c->wide - share * (c->wide - c->narrow));
    }
    c->talk = NOTHING;
}

/* Buffers that are full and commands that cannot be done now are tried again a little later. */
static void take_error(tp_instance *self)
{
    enum { SYNTAX = 2, FULL = 3, NOT_NOW = 0x41 };
    struct camera *c = tp_instance_state(self);
    const uint8_t code = c->reader.bytes[2];

    if (code == FULL || code == NOT_NOW) {
        c->turn.wanted = c->turn.wanted || c->talk == TURNS;
        c->zoom.wanted = c->zoom.wanted || c->talk == ZOOMS;
        c->retry_ns = now_ns(self) + 200 * TP_NS_PER_MS;
    } else if (code == SYNTAX) {
        tp_instance_note(self, "the camera does not understand a command");
    }
    c->talk = NOTHING;
}

static void take_packet(tp_instance *self)
{
    struct camera *c = tp_instance_state(self);
    const unsigned socket = c->reader.bytes[1] & 0x0f;

    switch (tpi_visca_kind(&c->reader)) {
    case VISCA_ACK:
        if (c->talk == TURNS || c->talk == ZOOMS) {
            (c->talk == TURNS ? &c->turn : &c->zoom)->socket = socket;
            c->talk = NOTHING;
        }
        break;
    case VISCA_DONE:
        c->turn.socket = c->turn.socket == socket ? 0 : c->turn.socket;
        c->zoom.socket = c->zoom.socket == socket ? 0 : c->zoom.socket;
        break;
    case VISCA_ANSWER:
        take_answer(c);
        break;
    case VISCA_ERROR:
        take_error(self);
        break;
    default:
        return;
    }
    c->heard_ns = now_ns(self);
}

static tp_status camera_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    uint8_t bytes[64];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            if (tpi_visca_read(&c->reader, bytes[i])) {
                take_packet(self);
            }
        }
    }
    if (status != TP_E_TIMEOUT) {
        return status;
    }
    status = say_next(self, err);
    return status == TP_E_DENIED ? TP_OK : status; /* a panic */
}

static tp_status camera_poll(tp_instance *self, tp_error *err)
{
    const struct camera *c = tp_instance_state(self);

    if (now_ns(self) - c->heard_ns > c->timeout_ns && !tp_instance_in_panic(self)) {
        return tp_fail(err, TP_E_TIMEOUT, "the camera has said nothing for %.1f s",
                       (double)c->timeout_ns / (double)TP_NS_PER_S);
    }
    const tp_status status = say_next(self, err);
    return status == TP_E_DENIED ? TP_OK : status;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status cmd_state(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    struct camera *c = camera_of(device);

    if (!isfinite(ask->pan) || !isfinite(ask->tilt) || !isfinite(ask->zoom) ||
        !isfinite(ask->panspeed) || !isfinite(ask->tiltspeed)) {
        return tp_fail(err, TP_E_RANGE, "angles and speeds are numbers");
    }
    const bool turns =
        c->by_speed ? ask->panspeed != c->goal.panspeed || ask->tiltspeed != c->goal.tiltspeed
                    : ask->pan != c->goal.pan || ask->tilt != c->goal.tilt ||
                          ask->panspeed != c->goal.panspeed || ask->tiltspeed != c->goal.tiltspeed;
    const bool zooms = ask->zoom != c->goal.zoom && ask->zoom != 0.0f;
    c->goal = *ask;
    c->turn.wanted = c->turn.wanted || turns;
    c->zoom.wanted = c->zoom.wanted || zooms;
    c->retry_ns = 0;
    return say_next(tp_device_instance(device), err);
}

/* Stop turning and zooming. What may be half written ends first. */
static const uint8_t stop_bytes[] = {0xff, 0x81, 1,    6, 1, 0x18, 0x14, 3,
                                     3,    0xff, 0x81, 1, 4, 7,    0,    0xff};

static void camera_halt(tp_device *device, tp_halt how)
{
    struct camera *c = camera_of(device);

    (void)how;
    c->turn = c->zoom = (struct errand){0};
    c->goal = (tp_ptz_cmd){.pan = NAN};
    c->talk = NOTHING;
    (void)tp_port_write(c->port, stop_bytes, sizeof stop_bytes, NULL);
}

static tp_status control_mode(tp_device *device, const tp_ptz_req_control_mode *ask, tp_error *err)
{
    struct camera *c = camera_of(device);

    if (ask->mode > TP_PTZ_POSITION_CONTROL) {
        return tp_fail(err, TP_E_RANGE, "the mode is 0 (speeds) or 1 (angles)");
    }
    if (c->by_speed != (ask->mode == TP_PTZ_VELOCITY_CONTROL)) {
        camera_halt(device, TP_HALT_BRAKE); /* the other controller lets go */
    }
    c->by_speed = ask->mode == TP_PTZ_VELOCITY_CONTROL;
    c->goal = (tp_ptz_cmd){.pan = NAN}; /* the next command counts */
    return TP_OK;
}

static const tp_ptz_ops ptz_ops = {.cmd_state = cmd_state, .req_control_mode = control_mode};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status camera_init(tp_instance *self, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    const int64_t baud = tp_param_int(self, "baud");
    const double timeout_s = tp_param_double(self, "timeout");
    const double narrow = tp_param_double_at(self, "fov", 0);
    const double wide = tp_param_double_at(self, "fov", 1);

    if (baud < 300 || baud > 12000000) {
        tp_param_blame(self, "baud");
        return tp_fail(err, TP_E_RANGE, "baud is a speed from 300 to 12000000");
    }
    if (!(timeout_s >= 1 && timeout_s <= 3600)) {
        tp_param_blame(self, "timeout");
        return tp_fail(err, TP_E_RANGE, "timeout is a time from 1 s to an hour");
    }
    if (!(narrow >= 0 && narrow <= wide && wide <= 3) || (narrow == wide && wide != 0)) {
        tp_param_blame(self, "fov");
        return tp_fail(err, TP_E_RANGE, "fov has the narrowest and the widest field of view");
    }
    c->timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    c->model = &models[0];
    return tp_offer_ptz(self, NULL, &ptz_ops, &c->device, err);
}

/* Send a packet and wait for one of this kind. */
static tp_status ask(tp_instance *self, const uint8_t *bytes, size_t length, enum visca_kind kind,
                     tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    const int64_t deadline_ns = now_ns(self) + 2 * patience_ns;
    tp_status status = tp_port_write(c->port, bytes, length, err);
    uint8_t byte = 0;

    while (status == TP_OK) {
        status = tp_port_read_all(c->port, &byte, 1, deadline_ns, err);
        if (status == TP_OK && tpi_visca_read(&c->reader, byte) &&
            tpi_visca_kind(&c->reader) == kind) {
            return TP_OK;
        }
    }
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT,
                         "%s: no camera answers: is it switched on, and is `baud` right?",
                         tp_port_url(c->port))
               : status;
}

/* Which camera it is: vendor, model, version, sockets. */
static void identify(tp_instance *self)
{
    struct camera *c = tp_instance_state(self);
    const unsigned number =
        c->reader.length == 10 ? (unsigned)(c->reader.bytes[4] << 8 | c->reader.bytes[5]) : 0;
    char text[96];

    c->model = NULL;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        c->model = models[i].number == number ? &models[i] : c->model;
    }
    if (c->model == NULL) {
        c->model = &models[0];
        (void)snprintf(text, sizeof text, "the camera has the model %04x: taken for an %s", number,
                       c->model->name);
        tp_instance_note(self, text);
    }
    c->narrow = tp_param_double_at(self, "fov", 0);
    c->wide = tp_param_double_at(self, "fov", 1);
    if (c->wide == 0) {
        c->narrow = c->model->narrow * degree;
        c->wide = c->model->wide * degree;
    }
}

static tp_status connect(tp_instance *self, tp_error *err)
{
    static const uint8_t addresses[] = {0xff, 0x88, 0x30, 1, 0xff}, clear[] = {0x88, 1, 0, 1, 0xff},
                         power[] = {0x81, 1, 4, 0, 2, 0xff}, version[] = {0x81, 9, 0, 2, 0xff};
    struct camera *c = tp_instance_state(self);
    tp_status status = ask(self, addresses, sizeof addresses, VISCA_CHAIN, err);

    status = status == TP_OK ? ask(self, clear, sizeof clear, VISCA_CHAIN, err) : status;
    status = status == TP_OK ? ask(self, version, sizeof version, VISCA_ANSWER, err) : status;
    if (status == TP_OK) {
        identify(self);
        status = ask(self, power, sizeof power, VISCA_ACK, err);
    }
    return status == TP_OK ? tp_port_guard(c->port, stop_bytes, sizeof stop_bytes, err) : status;
}

static tp_status camera_start(tp_instance *self, tp_error *err)
{
    struct camera *c = tp_instance_state(self);
    const tp_port_settings settings = {.baud = (unsigned)tp_param_int(self, "baud")};
    tp_status status = tp_port_open(&c->port, self, tp_param_string(self, "port"), &settings,
                                    now_ns(self) + 5 * TP_NS_PER_S, err);

    c->reader = (struct visca_reader){0};
    status = status == TP_OK ? connect(self, err) : status;
    if (status != TP_OK) {
        tp_port_close(c->port);
        c->port = NULL;
        return status;
    }
    c->turn = c->zoom = (struct errand){0};
    c->goal = (tp_ptz_cmd){.pan = NAN};
    c->seen = (tp_ptz_data){.zoom = (float)c->wide};
    c->talk = NOTHING;
    c->by_speed = false;
    c->heard_ns = now_ns(self);
    c->asked_ns = c->retry_ns = 0;
    c->ask_zoom = false;
    tp_instance_set_period(self, 50 * TP_NS_PER_MS);
    tp_port_watch(c->port, true);
    return TP_OK;
}

static void camera_stop(tp_instance *self)
{
    struct camera *c = tp_instance_state(self);

    (void)tp_port_write(c->port, stop_bytes, sizeof stop_bytes, NULL);
    tp_port_close(c->port);
    c->port = NULL;
}

static const tp_driver_ops camera_ops = {
    .init = camera_init,
    .start = camera_start,
    .poll = camera_poll,
    .input = camera_input,
    .halt = camera_halt,
    .stop = camera_stop,
};

extern const tp_driver tp_driver_sonyevid30;
TP_API const tp_driver tp_driver_sonyevid30 = {
    .abi = TP_DRIVER_ABI,
    .name = "sonyevid30",
    .summary = "Sony EVI-D30, D31, D70 and D100 cameras that turn and zoom",
    .state_size = sizeof(struct camera),
    .params = camera_params,
    .ops = &camera_ops,
};
