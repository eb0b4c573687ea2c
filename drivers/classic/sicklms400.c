/*
 * sicklms400 - the range finder SICK LMS 400, on a network.
 *
 * Messages are four bytes 02, a length in four bytes, a text or a scan, and the exclusive-or of
 * that. A command that is a procedure (sMN) is confirmed (sMA), then answered (sAN); one that sets
 * a value (sWN) is answered (sWA). After mLRreqdata scans come by themselves.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/laser.h"

enum {
    HEAD = 8,
    MOST_BODY = 4096,
    SCAN_HEAD = 20,
    MOST_RANGES = 1024,
    LONGEST_TEXT = 128,
    URL = 160
};

static const double degree = 3.14159265358979323846 / 180;
static const double first_deg = 55, field_deg = 70; /* what it can see; 90 is ahead */

struct lms400 {
    tp_device *laser;
    tp_port *port; /* owned; NULL unless it runs */
    char url[URL];
    double number, resolution, frequency, mean, filter, timeout_s;
    bool intensity;
    tp_laser_geom geom;
    uint8_t bytes[HEAD + MOST_BODY + 1];
    size_t length;
    uint64_t damaged;
    int64_t heard_ns;
    float ranges[MOST_RANGES];
    uint8_t intensities[MOST_RANGES];
};

static const tp_param lms400_params[] = {
    {"hostname", NULL, "192.168.0.1", "address of the scanner"},
    {"port", "1", "2111", "its port"},
    {"line", "line", "", "the line, instead of hostname and port"},
    {"password", "secret", "81BE23AA", "password for its settings"},
    {"angular_resolution", "1", "0.5", "degrees between ranges, 0.1 to 1"},
    {"scanning_frequency", "1", "360", "scans per second, 180 to 500"},
    {"intensity", "bool", "yes", "whether scans have intensities"},
    {"filter", "1", "0", "filters of the scanner, as a sum of bits; 0 for none"},
    {"range_filter_parameters", "1", "", "lowest and highest range in mm"},
    {"mean_filter_parameter", "1", "0", "scans of which the mean is taken; 0 leaves it"},
    {"pose", "m m rad", "0 0 0", "where it sits on the robot: x y yaw"},
    {"timeout", "s", "2", "a scanner that is silent for so long is started anew"},
    {"debug", "1", "0", "ignored; for configurations made for Player"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Messages -------------------------------------------------------------------------------- */

static size_t body_length(const struct lms400 *l)
{
    const uint8_t *at = l->bytes + 4;

    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* Take a byte; whether a message with a right sum is whole. Its text gets a NUL at its end. */
static bool take_byte(struct lms400 *l, uint8_t byte)
{
    l->bytes[l->length++] = byte;
    if (l->length <= 4 && byte != 2) {
        l->length = 0;
    }
    if (l->length == 5 && byte == 2) { /* no message is so long: one more in front */
        l->length = 4;
    }
    if (l->length < HEAD) {
        return false;
    }
    const size_t body = body_length(l);
    if (body == 0 || body > MOST_BODY) {
        l->damaged++;
        l->length = 0;
        return false;
    }
    if (l->length < HEAD + body + 1) {
        return false;
    }
    l->length = 0;
    if (tpi_classic_xor(l->bytes + HEAD, body) != byte) {
        l->damaged++;
        return false;
    }
    l->bytes[HEAD + body] = '\0';
    return true;
}

static tp_status send(struct lms400 *l, const char *text, tp_error *err)
{
    const size_t length = strlen(text);
    uint8_t out[HEAD + LONGEST_TEXT + 1] = {2, 2, 2, 2, 0, 0, 0, (uint8_t)length};

    memcpy(out + HEAD, text, length);
    out[HEAD + length] = tpi_classic_xor(out + HEAD, length);
    return tp_port_write(l->port, out, HEAD + length + 1, err);
}

/* Send a command and wait for its answer. */
static tp_status command(tp_instance *self, const char *text, tp_error *err)
{
    struct lms400 *l = tp_instance_state(self);
    const char *const body = (const char *)l->bytes + HEAD;
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 3 * TP_NS_PER_S;
    tp_status status = send(l, text, err);
    uint8_t byte;

    while (status == TP_OK) {
        status = tp_port_read_all(l->port, &byte, 1, deadline_ns, err);
        if (status != TP_OK || !take_byte(l, byte)) {
            continue;
        }
        if (strncmp(body, "sFA", 3) == 0) {
            return tp_fail(err, TP_E_DEVICE, "the scanner refuses \"%.40s\" with the error%.20s",
                           text, body + 3);
        }
        if (strncmp(body, text[1] == 'M' ? "sAN" : "sWA", 3) == 0) {
            return TP_OK;
        }
    }
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT, "the scanner does not answer to \"%.40s\"", text)
               : status;
}

/* ---- Scans ----------------------------------------------------------------------------------- */

static unsigned u16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static void take_scan(tp_instance *self)
{
    struct lms400 *l = tp_instance_state(self);
    const uint8_t *head = l->bytes + HEAD;
    const unsigned format = u16(head);
    const size_t size = format == 0x20 ? 3 : 2;
    const unsigned count = u16(head + 10);
    const double first = (int32_t)(u16(head + 4) | (uint32_t)u16(head + 6) << 16) / 10000.0 - 90;
    const double step = u16(head + 8) / 10000.0;

    if ((format != 0x20 && format != 0x21) || count == 0 || count > MOST_RANGES ||
        body_length(l) < SCAN_HEAD + count * size || !(fabs(first) <= 180)) {
        return;
    }
    l->heard_ns = tpi_classic_now_ns(self);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *at = head + SCAN_HEAD + i * size;
        const unsigned strength = size == 3 ? at[2] * u16(head + 14) : 0;
        l->ranges[i] = (float)(u16(at) * u16(head + 2) / 1000.0);
        l->intensities[i] = (uint8_t)(strength < 255 ? strength : 255);
    }
    const tp_laser_data data = {.min_angle = (float)(first * degree),
                                .max_angle = (float)((first + (count - 1) * step) * degree),
                                .resolution = (float)(step * degree),
                                .max_range = 3,
                                .ranges_count = count,
                                .ranges = l->ranges,
                                .intensity_count = size == 3 ? count : 0,
                                .intensity = l->intensities};
    tp_laser_publish_scan(l->laser, &data, 0);
}

static tp_status lms400_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct lms400 *l = tp_instance_state(self);
    uint8_t bytes[512];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            if (take_byte(l, bytes[i]) && l->bytes[HEAD] != 's') { /* no answer: a scan */
                take_scan(self);
            }
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status lms400_poll(tp_instance *self, tp_error *err)
{
    const struct lms400 *l = tp_instance_state(self);

    return tpi_classic_check(self, l->heard_ns, l->timeout_s, "the scanner", err);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status get_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    (void)err;
    *answer = ((struct lms400 *)tp_instance_state(tp_device_instance(device)))->geom;
    return TP_OK;
}

static tp_status get_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    const struct lms400 *l = tp_instance_state(tp_device_instance(device));

    (void)err;
    *answer = (tp_laser_config){.min_angle = (float)((first_deg - 90) * degree),
                                .max_angle = (float)((first_deg + field_deg - 90) * degree),
                                .resolution = (float)(l->resolution * degree),
                                .max_range = 3,
                                .range_res = 0.001f,
                                .intensity = l->intensity,
                                .scanning_frequency = (float)l->frequency};
    return TP_OK;
}

static const tp_laser_ops laser_ops = {.req_get_geom = get_geom, .req_get_config = get_config};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_line(tp_instance *self, tp_error *err)
{
    struct lms400 *l = tp_instance_state(self);
    const char *line = tp_param_string(self, "line");
    const char *host = tp_param_string(self, "hostname");
    const int length = line[0] != '\0'
                           ? snprintf(l->url, sizeof l->url, "%s", line)
                           : snprintf(l->url, sizeof l->url, "tcp:%s:%.0f", host, l->number);

    if (length >= (int)sizeof l->url) {
        tp_param_blame(self, line[0] != '\0' ? "line" : "hostname");
        return tp_fail(err, TP_E_RANGE, "a line has at most %d characters", URL - 1);
    }
    if (strlen(tp_param_string(self, "password")) > 32) {
        tp_param_blame(self, "password");
        return tp_fail(err, TP_E_RANGE, "a password has at most 32 characters");
    }
    return TP_OK;
}

static tp_status lms400_init(tp_instance *self, tp_error *err)
{
    struct lms400 *l = tp_instance_state(self);
    const struct classic_number numbers[] = {{"port", 1, 65535, &l->number},
                                             {"angular_resolution", 0.1, 1, &l->resolution},
                                             {"scanning_frequency", 180, 500, &l->frequency},
                                             {"filter", 0, 255, &l->filter},
                                             {"mean_filter_parameter", 0, 200, &l->mean},
                                             {"timeout", 0.3, 3600, &l->timeout_s}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    status = status == TP_OK ? read_line(self, err) : status;
    l->intensity = tp_param_bool(self, "intensity");
    l->geom = (tp_laser_geom){.pose = {.px = tp_param_double_at(self, "pose", 0),
                                       .py = tp_param_double_at(self, "pose", 1),
                                       .pyaw = tp_param_double_at(self, "pose", 2)},
                              .size = {.sl = 0.18, .sw = 0.11}};
    return status == TP_OK ? tp_offer_laser(self, NULL, &laser_ops, &l->laser, err) : status;
}

/* Log in, set it up, and ask for scans. */
static tp_status set_up(tp_instance *self, tp_error *err)
{
    const struct lms400 *l = tp_instance_state(self);
    char text[LONGEST_TEXT];
    tp_status status = command(self, "sMN mLRstopdata", err);

    (void)snprintf(text, sizeof text, "sMN SetAccessMode 4 %s", tp_param_string(self, "password"));
    status = status == TP_OK ? command(self, text, err) : status;
    if (status == TP_OK && l->mean > 0) {
        (void)snprintf(text, sizeof text, "sWN FLmean 0 %.0f", l->mean);
        status = command(self, text, err);
    }
    if (status == TP_OK && tp_param_count(self, "range_filter_parameters") == 2) {
        (void)snprintf(text, sizeof text, "sWN FLrang %+f %+f",
                       tp_param_double_at(self, "range_filter_parameters", 0),
                       tp_param_double_at(self, "range_filter_parameters", 1));
        status = command(self, text, err);
    }
    (void)snprintf(text, sizeof text, "sWN FLsel %+.0f", l->filter);
    status = status == TP_OK ? command(self, text, err) : status;
    (void)snprintf(text, sizeof text, "sMN mSCsetscanconfig %+.2f %+.2f %+.2f %+.2f", l->frequency,
                   l->resolution, first_deg, field_deg);
    status = status == TP_OK ? command(self, text, err) : status;
    status = status == TP_OK ? command(self, "sMN Run", err) : status;
    return status == TP_OK
               ? command(self, l->intensity ? "sMN mLRreqdata 20" : "sMN mLRreqdata 21", err)
               : status;
}

static tp_status lms400_start(tp_instance *self, tp_error *err)
{
    struct lms400 *l = tp_instance_state(self);
    tp_status status =
        tp_port_open(&l->port, self, l->url, NULL, tpi_classic_now_ns(self) + 5 * TP_NS_PER_S, err);

    l->length = 0;
    status = status == TP_OK ? set_up(self, err) : status;
    if (status != TP_OK) {
        tp_port_close(l->port);
        l->port = NULL;
        return status;
    }
    l->heard_ns = tpi_classic_now_ns(self);
    tp_instance_set_period(self, 200 * TP_NS_PER_MS);
    tp_port_watch(l->port, true);
    return TP_OK;
}

static void lms400_stop(tp_instance *self)
{
    struct lms400 *l = tp_instance_state(self);

    (void)send(l, "sMN mLRstopdata", NULL);
    tp_port_close(l->port);
    l->port = NULL;
}

static const tp_driver_ops lms400_ops = {
    .init = lms400_init,
    .start = lms400_start,
    .poll = lms400_poll,
    .input = lms400_input,
    .stop = lms400_stop,
};

extern const tp_driver tp_driver_sicklms400;
TP_API const tp_driver tp_driver_sicklms400 = {
    .abi = TP_DRIVER_ABI,
    .name = "sicklms400",
    .summary = "SICK LMS 400 range finders",
    .state_size = sizeof(struct lms400),
    .params = lms400_params,
    .ops = &lms400_ops,
};
