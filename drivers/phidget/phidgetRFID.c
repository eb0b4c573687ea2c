/*
 * phidgetRFID - the reader PhidgetRFID with two outputs (1023), on USB.
 *
 * A report has 8 bytes. The reader sends 0 and the five bytes of a tag while one is in reach, and 1
 * and the state of its outputs now and then. It takes one byte of bits: two outputs, the lamp, the
 * antenna. It does not say that a tag has gone: it sends no more of it.
 */
#include <string.h>

#include "phidget.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/rfid.h"

enum { TAG = 5, GUID = 8, OUTPUTS = 2, LAMP = 4, ANTENNA = 8, FROM_TAG = 0 };

struct reader {
    tp_device *rfid, *dio; /* NULL if not offered */
    tp_port *port;         /* owned; NULL unless it runs */
    double period_ms;
    uint8_t outputs; /* bits, as sent */
    char guid[GUID]; /* of the last tag */
    int64_t seen_ns; /* when it was in reach */
    bool seen;
};

/* Tags are read about every 30 ms. */
static const int64_t forget_ns = 200 * TP_NS_PER_MS;

static const tp_param reader_params[] = {
    {"port", "line", "hid:06c2:0031", "the line, for instance hid:/dev/hidraw0"},
    {"serial", "1", "-1", "ignored: `port` chooses one of several"},
    {"samplingrate", "1", "40", "time between two messages in ms, 10 to 1000"},
    {"alarmtime", "1", "45", "ignored"},
    {NULL, NULL, NULL, NULL},
};

static struct reader *reader_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static tp_status say_outputs(const struct reader *r, uint8_t more, tp_error *err)
{
    const uint8_t report[PHIDGET_REPORT] = {(uint8_t)(r->outputs | more)};

    return tp_port_write(r->port, report, sizeof report, err);
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static void take_report(tp_instance *self, const uint8_t *report, size_t length)
{
    static const uint8_t none[TAG] = {0};
    struct reader *r = tp_instance_state(self);

    (void)length;
    if (report[0] != FROM_TAG || memcmp(report + 1, none, TAG) == 0) {
        return;
    }
    memset(r->guid, 0, sizeof r->guid);
    memcpy(r->guid, report + 1, TAG);
    r->seen = true;
    r->seen_ns = tpi_phidget_now_ns(self);
}

static tp_status reader_input(tp_instance *self, tp_port *port, tp_error *err)
{
    return tpi_phidget_hear(self, port, take_report, err);
}

static tp_status reader_poll(tp_instance *self, tp_error *err)
{
    struct reader *r = tp_instance_state(self);

    (void)err;
    r->seen = r->seen && tpi_phidget_now_ns(self) - r->seen_ns < forget_ns;
    tp_rfid_tag tag = {.type = 1, .guid_count = GUID, .guid = r->guid};
    const tp_rfid_data tags = {.tags_count = r->seen, .tags = &tag};
    if (r->rfid != NULL) {
        tp_rfid_publish_tags(r->rfid, &tags, 0);
    }
    if (r->dio != NULL) { /* it has no inputs; a tag in reach is one */
        const tp_dio_data data = {.count = 1, .bits = r->seen};
        tp_dio_publish_values(r->dio, &data, 0);
    }
    return TP_OK;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static tp_status set_outputs(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    struct reader *r = reader_of(device);

    if (ask->count > OUTPUTS) {
        return tp_fail(err, TP_E_RANGE, "there are %d outputs, not %u", OUTPUTS,
                       (unsigned)ask->count);
    }
    r->outputs = tpi_phidget_bits(r->outputs, ask);
    return say_outputs(r, LAMP | ANTENNA, err);
}

static const tp_rfid_ops rfid_ops = {0};
static const tp_dio_ops dio_ops = {.cmd_values = set_outputs};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status reader_init(tp_instance *self, tp_error *err)
{
    struct reader *r = tp_instance_state(self);
    tp_status status = tpi_phidget_period(self, &r->period_ms, err);

    if (status == TP_OK && tp_provides(self, &tp_interface_rfid, NULL)) {
        status = tp_offer_rfid(self, NULL, &rfid_ops, &r->rfid, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_dio, NULL)) {
        status = tp_offer_dio(self, NULL, &dio_ops, &r->dio, err);
    }
    return status;
}

static tp_status reader_start(tp_instance *self, tp_error *err)
{
    struct reader *r = tp_instance_state(self);

    r->outputs = 0;
    r->seen = false;
    tp_status status = tpi_phidget_open(&r->port, self, "port", err);
    status = status == TP_OK ? say_outputs(r, LAMP | ANTENNA, err) : status;
    if (status != TP_OK) {
        tp_port_close(r->port);
        r->port = NULL;
        return status;
    }
    tp_instance_set_period(self, (int64_t)(r->period_ms * 1e6));
    tp_port_watch(r->port, true);
    return TP_OK;
}

/* Outputs, lamp and antenna are switched off. */
static void reader_stop(tp_instance *self)
{
    struct reader *r = tp_instance_state(self);

    r->outputs = 0;
    (void)say_outputs(r, 0, NULL);
    tp_port_close(r->port);
    r->port = NULL;
}

static const tp_driver_ops reader_ops = {
    .init = reader_init,
    .start = reader_start,
    .poll = reader_poll,
    .input = reader_input,
    .stop = reader_stop,
};

extern const tp_driver tp_driver_phidgetRFID;
TP_API const tp_driver tp_driver_phidgetRFID = {
    .abi = TP_DRIVER_ABI,
    .name = "phidgetRFID",
    .summary = "the reader of radio tags PhidgetRFID",
    .state_size = sizeof(struct reader),
    .params = reader_params,
    .ops = &reader_ops,
};
