/* phidget.c - see phidget.h. */
#include "phidget.h"

int64_t tpi_phidget_now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

tp_status tpi_phidget_period(tp_instance *self, double *out, tp_error *err)
{
    *out = tp_param_double(self, "samplingrate");
    if (!(*out >= 10 && *out <= 1000)) {
        tp_param_blame(self, "samplingrate");
        return tp_fail(err, TP_E_RANGE, "samplingrate is from 10 to 1000 ms");
    }
    return TP_OK;
}

tp_status tpi_phidget_open(tp_port **port, tp_instance *self, const char *parameter, tp_error *err)
{
    return tp_port_open(port, self, tp_param_string(self, parameter), NULL,
                        tpi_phidget_now_ns(self) + 5 * TP_NS_PER_S, err);
}

tp_status tpi_phidget_hear(tp_instance *self, tp_port *port, phidget_take *take, tp_error *err)
{
    uint8_t report[PHIDGET_LARGEST];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, report, sizeof report, &length, 0, err)) == TP_OK) {
        const size_t size = length == PHIDGET_LARGEST ? PHIDGET_LARGEST : PHIDGET_REPORT;
        for (size_t i = 0; i + size <= length; i += size) {
            take(self, report + i, size);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

uint8_t tpi_phidget_bits(uint8_t outputs, const tp_dio_cmd *ask)
{
    const unsigned named = ask->count >= 8 ? 0xff : (1U << ask->count) - 1;

    return (uint8_t)((outputs & ~named) | (ask->digout & named));
}
