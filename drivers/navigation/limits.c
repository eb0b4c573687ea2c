/* limits.c - see limits.h. */
#include "limits.h"

tp_status tpi_limits_check(tp_instance *self, const struct limits *limits, size_t count,
                           tp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct limits *l = &limits[i];
        const double value = tp_param_double(self, l->name);

        if (tp_param_given(self, l->name) && !(value >= l->least && value <= l->most)) {
            tp_param_blame(self, l->name);
            return tp_fail(err, TP_E_RANGE, "%s is %g, not between %g and %g", l->name, value,
                           l->least, l->most);
        }
    }
    return TP_OK;
}
