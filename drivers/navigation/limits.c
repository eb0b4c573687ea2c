/* limits.c - see limits.h. */
#include "limits.h"

static tp_status check(tp_instance *self, const char *name, double value, double least, double most,
                       tp_error *err)
{
    if (value >= least && value <= most) {
        return TP_OK;
    }
    tp_param_blame(self, name);
    return tp_fail(err, TP_E_RANGE, "%s is %g, not between %g and %g", name, value, least, most);
}

tp_status tpi_limits_check(tp_instance *self, const struct limits *limits, size_t count,
                           tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < count && status == TP_OK; i++) {
        const struct limits *l = &limits[i];
        const double value = tp_param_double(self, l->name);

        status = tp_param_given(self, l->name) ? check(self, l->name, value, l->least, l->most, err)
                                               : TP_OK;
    }
    return status;
}

tp_status tpi_limits_read(tp_instance *self, const char *name, size_t count, double least,
                          double most, double *out, tp_error *err)
{
    tp_status status = TP_OK;

    if (tp_param_count(self, name) != count) {
        tp_param_blame(self, name);
        return tp_fail(err, TP_E_INVALID, "%s needs %zu number%s", name, count,
                       count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < count && status == TP_OK; i++) {
        out[i] = tp_param_double_at(self, name, i);
        status = check(self, name, out[i], least, most, err);
    }
    return status;
}
