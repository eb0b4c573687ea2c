/* numbers.c - see numbers.h. */
#include "numbers.h"

tp_status tpi_classic_numbers(tp_instance *self, const struct classic_number *numbers, size_t count,
                              tp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct classic_number *n = &numbers[i];
        *n->out = tp_param_double(self, n->name);
        if (!(*n->out >= n->low && *n->out <= n->high)) { /* so that not-a-number is refused too */
            tp_param_blame(self, n->name);
            return tp_fail(err, TP_E_RANGE, "%s is not from %g to %g", n->name, n->low, n->high);
        }
    }
    return TP_OK;
}

tp_status tpi_classic_offer(tp_instance *self, const struct classic_offer *offers, size_t count,
                            tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < count && status == TP_OK; i++) {
        if (tp_provides(self, offers[i].interface, offers[i].key)) {
            status = tp_offer(self, offers[i].interface, offers[i].key, offers[i].ops, NULL,
                              offers[i].out, err);
        }
    }
    return status;
}

uint8_t tpi_classic_sum(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (; length > 0; length--) {
        sum = (uint8_t)(sum + *bytes++);
    }
    return sum;
}

uint8_t tpi_classic_xor(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (; length > 0; length--) {
        sum ^= *bytes++;
    }
    return sum;
}

int64_t tpi_classic_now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

tp_status tpi_classic_open(tp_port **port, tp_instance *self, double baud, tp_error *err)
{
    const tp_port_settings settings = {.baud = (unsigned)baud};

    return tpi_classic_open_with(port, self, &settings, err);
}

tp_status tpi_classic_open_with(tp_port **port, tp_instance *self, const tp_port_settings *settings,
                                tp_error *err)
{
    return tp_port_open(port, self, tp_param_string(self, "port"), settings,
                        tpi_classic_now_ns(self) + 5 * TP_NS_PER_S, err);
}

tp_status tpi_classic_check(const tp_instance *self, int64_t heard_ns, double timeout_s,
                            const char *what, tp_error *err)
{
    const double silent_s = (double)(tpi_classic_now_ns(self) - heard_ns) / (double)TP_NS_PER_S;

    return silent_s > timeout_s
               ? tp_fail(err, TP_E_TIMEOUT, "%s has said nothing for %.1f s", what, timeout_s)
               : TP_OK;
}
