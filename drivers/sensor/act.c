/* act.c - actuators of a sensor; see sensor.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sensor.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/dio.h"

enum { OFF_TIMES = 4 }; /* on a line that loses bytes */

static struct sensor *of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* The n-th actuator of a use; NULL for none. */
static struct sensor_channel *find(struct sensor *s, enum sensor_use use, uint32_t number)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->channels[i].acts && tpi_sensor_channel_is(&s->channels[i], use) && number-- == 0) {
            return &s->channels[i];
        }
    }
    return NULL;
}

tp_status tpi_sensor_write_analog(tp_device *device, const tp_aio_cmd *cmd, tp_error *err)
{
    struct sensor *s = of(device);
    struct sensor_channel *c = find(s, USE_ANALOG, cmd->id);

    if (c == NULL) {
        return tp_fail(err, TP_E_RANGE,
                       "the sensor has no output %u; the property outputs lists "
                       "them",
                       cmd->id);
    }
    const tpi_scaling *scaling = &c->conversion->scaling;
    const double value = tpi_scaling_round((double)cmd->voltage, scaling->resolution);
    if (!(value >= scaling->min && value <= scaling->max)) {
        return tp_fail(err, TP_E_RANGE, "%s: %g is not between %g and %g", c->transducer->name,
                       (double)cmd->voltage, scaling->min, scaling->max);
    }
    c->wanted = value;
    c->is_wanted = true; /* what was not written yet is replaced */
    return TP_OK;
}

tp_status tpi_sensor_write_digital(tp_device *device, const tp_dio_cmd *cmd, tp_error *err)
{
    struct sensor *s = of(device);

    for (uint32_t i = 0; i < cmd->count; i++) {
        if (i >= 32 || find(s, USE_DIGITAL, i) == NULL) {
            return tp_fail(err, TP_E_RANGE,
                           "the sensor has no output %u; the property outputs lists them", i);
        }
    }
    for (uint32_t i = 0; i < cmd->count; i++) {
        struct sensor_channel *c = find(s, USE_DIGITAL, i);
        c->wanted = cmd->digout >> i & 1;
        c->is_wanted = true;
    }
    return TP_OK;
}

void tpi_sensor_drop_wanted(struct sensor *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        s->channels[i].is_wanted = false;
    }
}

/* A new < ends a half-written command. Actuators of an experiment have to rest first. */
static size_t put_off(const struct sensor *s, bool ends, char *out, size_t size)
{
    size_t length = 0;

    for (unsigned i = 0; ends && i < s->count && length == 0; i++) {
        length = s->channels[i].acts ? (size_t)snprintf(out, size, "<L,stop>") : 0;
    }
    for (unsigned i = 0; i < s->count; i++) {
        const tpi_scaling *scaling = &s->channels[i].conversion->scaling;
        const double off = fmax(scaling->min, fmin(0, scaling->max));
        if (s->channels[i].acts && length + 40 < size) {
            length += (size_t)snprintf(out + length, size - length, "<W,%u,%.9g>",
                                       s->channels[i].transducer->channel, off);
        }
    }
    return length;
}

/* No answer is awaited: a line that loses bytes carries them several times. */
size_t tpi_sensor_off_bytes(const struct sensor *s, bool ends, char *out, size_t size)
{
    const size_t once = put_off(s, ends, out, size);
    const unsigned times = tp_param_bool(s->self, "verify") ? OFF_TIMES : 1;
    size_t length = once;

    for (unsigned i = 1; i < times && length + once <= size; i++, length += once) {
        memcpy(out + length, out, once);
    }
    return length;
}
